/* Where things are in pictures, in the format of COCO's instances:
 *     {"images": [{"id", "file_name", "width", "height"}],
 *      "categories": [{"id", "name"}],
 *      "annotations": [{"image_id", "category_id", "bbox": [x, y, width, height]}]}
 */
#ifndef SAC_PICTURES_INSTANCES_H
#define SAC_PICTURES_INSTANCES_H

#include "base/look.h"
#include "pictures/text_table.h"
#include "saccade.h"

typedef struct sac_instance {
    int category;
    float box[4]; /* x0, y0, x1, y1 in shares of width and height */
} sac_instance;

typedef struct sac_instances_of_picture {
    int width, height;
    sac_instance *list; /* [count] */
    int count;
} sac_instances_of_picture;

typedef struct sac_instances {
    sac_text_table names;               /* of pictures: the last part of "file_name" */
    sac_instances_of_picture *pictures; /* [names.count] */
    sac_text_table categories;          /* "person", "fire hydrant" */
    size_t left_out; /* boxes of no picture or category, or that do not lie in their picture */
} sac_instances;

/* SAC_E_FILE, SAC_E_FORMAT, also where it has no boxes, SAC_E_MEMORY, SAC_E_CANCELLED. Free it in
 * any case. */
sac_status sac_instances_open(const char *path, sac_instances *instances, sac_error *error);
void sac_instances_free(sac_instances *instances);

/* Of a picture by its file's name; NULL: there are none. */
const sac_instances_of_picture *sac_instances_find(const sac_instances *instances,
                                                   const char *name);
/* The category that a word of a caption names: "dog", "dogs", of COCO's also "woman" and "bike";
 * −1: none. */
int sac_instances_category(const sac_instances *instances, const char *word);

#endif
