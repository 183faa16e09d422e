#include "fuzz.h"

#include <cjson/cJSON.h>

#include "captioner/model.h"
#include "saccade_arrays.h"
#include "shapes/vocabulary.h"

/* Whatever the description that is accepted, its sizes may be allocated and computed with. */
static void check(const sac_captioner_shape *shape)
{
    sac_parameters parameters = {0}, frozen = {0};
    sac_captioner_weights weights = {0};
    int grid = sac_captioner_grid(shape);
    sac_captioner_declare(shape, &parameters, &frozen, &weights);
    if (grid < 1 || grid > SAC_CAPTIONER_GRID ||
        shape->vocabulary > (shape->words ? 1 << 16 : SAC_WORDS) ||
        sac_captioner_max_layer_floats(shape) > (size_t)1 << 26)
        abort();
    for (int i = 0; i < parameters.count; i++)
        for (int k = 0; k < parameters.list[i]->rank; k++)
            if (parameters.list[i]->shape[k] < 1 || parameters.list[i]->shape[k] > 1 << 16)
                abort();
    sac_parameters_destroy(&parameters);
    sac_parameters_destroy(&frozen);
}

/* A captioner's "model" in the metadata of a file that holds more numbers than it can ask for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_entry entry = {.name = "x", .array = {.rank = 1, .shape = {(size_t)1 << 40}}};
    sac_arrays file = {.count = 1, .entries = &entry, .metadata = cJSON_CreateObject()};
    sac_captioner_shape shape;
    sac_error error = {0};
    char *text = malloc(size + 1);
    if (text) {
        if (size)
            memcpy(text, data, size);
        text[size] = '\0';
        cJSON_AddStringToObject(file.metadata, "model", text);
    }
    sac_status status = sac_captioner_read_shape(&file, "fuzz", &shape, &error);
    cJSON_Delete(file.metadata);
    free(text);
    if (status == SAC_OK) {
        check(&shape);
        sac_captioner_shape_free(&shape);
    } else if (error.status != status || !error.what[0])
        abort();
    return 0;
}
