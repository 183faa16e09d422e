/* Which dataset is meant. */

#include "app/open/datasets.h"

#include "app/assets.h"
#include "app/open/weights.h"
#include "captioner/model.h"
#include "captioner/source/photograph.h"
#include "table/models.h"

const sac_dataset *app_default_dataset(void)
{
    char path[1024];
    const sac_bundled *b = sac_model_find("captioner")->bundled;
    while (b->name && (!sac_dataset_find(b->dataset) ||
                       app_find_asset(b->file, NULL, path, sizeof path, NULL) != SAC_OK))
        b++;
    return sac_dataset_find(b->name ? b->dataset : "shapes");
}

const char *app_dataset_of_picture(const char *path, const sac_image *picture)
{
    sac_truth truth;
    bool found = false, photograph = false;
    app_weights weights;
    const sac_dataset *shapes = sac_dataset_find("shapes"), *dataset = NULL;
    if (sac_truth_load(path, &truth, &found, NULL) == SAC_OK && found)
        dataset = sac_dataset_find(truth.dataset);
    if (dataset)
        return dataset->name;
    if (sac_is_photograph(picture, shapes, &photograph, NULL) == SAC_OK && photograph &&
        app_find_weights(sac_model_find("captioner"), APP_PHOTOGRAPHS, NULL, &weights, NULL) ==
            SAC_OK)
        return APP_PHOTOGRAPHS;
    return shapes->name;
}

const sac_dataset *app_dataset_of_weights(const char *path)
{
    sac_arrays *file = NULL;
    sac_captioner_shape shape = {0};
    if (sac_arrays_open(path, &file, NULL) != SAC_OK ||
        sac_captioner_read_shape(file, path, &shape, NULL) != SAC_OK)
        shape = (sac_captioner_shape){0};
    sac_arrays_close(file);
    const sac_dataset *dataset = sac_captioner_dataset(&shape);
    sac_captioner_shape_free(&shape);
    return dataset;
}
