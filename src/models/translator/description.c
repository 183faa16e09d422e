/* The translator's shape in its weights' file. */
#include "saccade_arrays.h"
#include "translation/vocabulary.h"
#include "translator/translator.h"

enum { FORMAT = 1 /* of the description */ };

/* ---------------------------------------------------------------- writing */

char *sac_translator_describe(const sac_translator_shape *shape)
{
    cJSON *model = cJSON_CreateObject();
    bool whole = cJSON_AddNumberToObject(model, "format", FORMAT) &&
                 cJSON_AddBoolToObject(model, "attends", shape->attends) &&
                 cJSON_AddStringToObject(model, "score", sac_score_name(shape->score)) &&
                 cJSON_AddNumberToObject(model, "attention", shape->attention) &&
                 cJSON_AddNumberToObject(model, "hidden", shape->hidden) &&
                 cJSON_AddNumberToObject(model, "embedding", shape->embedding) &&
                 sac_translation_add_vocabularies(model);
    return sac_description_text(model, whole);
}

/* ---------------------------------------------------------------- reading */

sac_status sac_translator_read_shape(const sac_arrays *file, const char *path,
                                     sac_translator_shape *shape, sac_error *error)
{
    sac_description d = sac_description_open(file, "translator", error);
    *shape = (sac_translator_shape){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    shape->attends = sac_description_flag(&d, "attends");
    shape->score = sac_description_score(&d);
    shape->attention = sac_description_size(&d, "attention", 1, 4096);
    shape->hidden = sac_description_size(&d, "hidden", 1, 4096);
    shape->embedding = sac_description_size(&d, "embedding", 1, 4096);
    sac_translation_read_vocabularies(&d, &shape->source_words, &shape->target_words);
    if (sac_description_has_text_encoder(&d)) {
        /* The limits on the sizes keep these sums far below what a size_t holds. */
        sac_parameters parameters = {0};
        sac_translator_weights weights = {0};
        sac_translator_declare(shape, &parameters, &weights);
        sac_description_fits(&d, &parameters);
        sac_parameters_destroy(&parameters);
    }
    return sac_description_close(&d, path);
}
