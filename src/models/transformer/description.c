/* The transformer's sizes in its weights' file. */
#include "saccade_arrays.h"
#include "transformer/transformer.h"
#include "translation/vocabulary.h"

enum { FORMAT = 1 /* of the description */ };

char *sac_transformer_describe(const sac_transformer_sizes *sizes)
{
    cJSON *model = cJSON_CreateObject();
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddNumberToObject(model, "depth", sizes->layers) &&
                 cJSON_AddNumberToObject(model, "heads", sizes->heads) &&
                 cJSON_AddNumberToObject(model, "width", sizes->width) &&
                 cJSON_AddNumberToObject(model, "hidden", sizes->hidden) &&
                 cJSON_AddBoolToObject(model, "norm_first", sizes->norm_first) &&
                 sac_translation_add_vocabularies(model);
    return sac_description_text(model, whole);
}

sac_status sac_transformer_read_sizes(const sac_arrays *file, const char *path,
                                      sac_transformer_sizes *sizes, sac_error *error)
{
    sac_description d = sac_description_open(file, "transformer", error);
    *sizes = (sac_transformer_sizes){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    sizes->layers = sac_description_size(&d, "depth", 1, SAC_STACK_LAYERS);
    sizes->heads = sac_description_size(&d, "heads", 1, SAC_STACK_HEADS);
    sizes->width = sac_description_size(&d, "width", 1, 4096);
    sizes->hidden = sac_description_size(&d, "hidden", 1, 16384);
    sizes->norm_first = sac_description_flag(&d, "norm_first");
    if (sac_description_has_text_encoder(&d) && sizes->width % sizes->heads != 0)
        sac_description_refuse(&d, "%d heads do not divide a width of %d", sizes->heads,
                               sizes->width);
    sac_translation_read_vocabularies(&d, &sizes->source_words, &sizes->target_words);
    if (sac_description_has_text_encoder(&d)) {
        /* The limits on the sizes keep these sums far below what a size_t holds. */
        sac_parameters parameters = {0};
        sac_transformer_weights weights = {0};
        sac_transformer_declare(sizes, &parameters, &weights);
        sac_description_fits(&d, &parameters);
        sac_parameters_destroy(&parameters);
    }
    return sac_description_close(&d, path);
}
