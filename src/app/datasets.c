/* Which dataset is meant. */

#include "app/datasets.h"

#include "app/assets.h"
#include "captioner/model.h"
#include "table/models.h"

const sac_dataset *app_default_dataset(void)
{
    char path[1024];
    const sac_bundled *b = sac_model_find("captioner")->bundled;
    while (b->name && app_find_asset(b->file, NULL, path, sizeof path, NULL) != SAC_OK)
        b++;
    return sac_dataset_find(b->name ? b->dataset : "shapes");
}

const sac_dataset *app_dataset_of_picture(const char *path)
{
    sac_truth truth;
    bool found = false;
    const sac_dataset *dataset = NULL;
    if (sac_truth_load(path, &truth, &found, NULL) == SAC_OK && found)
        dataset = sac_dataset_find(truth.dataset);
    return dataset ? dataset : sac_dataset_find("shapes");
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
