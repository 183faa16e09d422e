/* Pointing and mass in box of the heads of a model that sees. */
#include "cli/commands/inference_boxes.h"

#include <stdlib.h>

#include "base/error.h"
#include "cli/commands/caption_json.h"
#include "cli/json.h"

/* heat [layers,heads,cells]: where each head's first token looks, or the mean of all. */
static sac_status read_heat(const sac_source *source, const sac_inference *p, float *heat,
                            sac_error *error)
{
    size_t cells = (size_t)(p->grid_w * p->grid_h), rows = p->prefix ? 1 : source->weights.steps;
    float *weights = calloc(rows * source->weights.positions, sizeof *weights);
    if (!weights)
        return sac_no_memory(error, "--boxes");
    sac_status status = SAC_OK;
    for (size_t i = 0; i < source->weights.layers * source->weights.heads && status == SAC_OK;
         i++) {
        sac_tile tile = {
            .head = i % source->weights.heads, .rows = rows, .cols = source->weights.positions};
        status =
            source->weights.tile(source->self, i / source->weights.heads, &tile, weights, error);
        for (size_t k = 0; k < rows * cells && status == SAC_OK; k++)
            heat[i * cells + k % cells] +=
                weights[k / cells * source->weights.positions + (size_t)p->prefix + k % cells];
    }
    free(weights);
    return status;
}

static void add_heads(cJSON *json, const sac_source *source, const sac_inference *p,
                      const sac_look *look, const float *heat)
{
    int cells = p->grid_w * p->grid_h;
    sac_localization localization = {0};
    cJSON *inside = cJSON_AddArrayToObject(json, "inside");
    cJSON *mass = cJSON_AddArrayToObject(json, "mass");
    for (size_t layer = 0; layer < source->weights.layers; layer++) {
        cJSON *insides = cJSON_CreateArray(), *masses = cJSON_CreateArray();
        for (size_t head = 0; head < source->weights.heads; head++, heat += cells) {
            localization =
                sac_look_localize(look, heat, p->grid_w, p->grid_h, sac_heaviest(heat, cells));
            cJSON_AddItemToArray(insides, cJSON_CreateBool(localization.inside));
            cJSON_AddItemToArray(masses, cli_json_real(localization.mass));
        }
        cJSON_AddItemToArray(inside, insides);
        cJSON_AddItemToArray(mass, masses);
    }
    cJSON_AddItemToObject(json, "box_share", cli_json_real(localization.box_share));
}

static void add_objects(cJSON *root, const sac_source *source, const sac_inference *p,
                        const float *heat)
{
    const sac_caption_truth *truth = &source->speaker.truth;
    cJSON *objects = cJSON_AddArrayToObject(root, "objects");
    for (int i = 0; i < truth->objects; i++) {
        cJSON *json = cJSON_CreateObject();
        cli_add_object_words(json, truth, i);
        add_heads(json, source, p, &truth->object[i].look, heat);
        cJSON_AddItemToArray(objects, json);
    }
}

sac_status cli_inference_boxes(const sac_source *source, const sac_inference *p, cJSON *root,
                               sac_error *error)
{
    size_t numbers =
        source->weights.layers * source->weights.heads * (size_t)(p->grid_w * p->grid_h);
    float *heat = calloc(numbers, sizeof *heat);
    if (!heat)
        return sac_fail(error, SAC_E_MEMORY, "--boxes", NULL, "out of memory for %zu weights",
                        numbers);
    sac_status status = read_heat(source, p, heat, error);
    if (status == SAC_OK)
        add_objects(root, source, p, heat);
    free(heat);
    return status;
}
