/* The table of models: each model of the program is a line. */

#include "table/models.h"

#include <string.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "captioner/captioner.h"
#include "language/language.h"
#include "pretrained/files/foreign_folder.h"
#include "saccade_arrays.h"
#include "transformer/transformer.h"
#include "translator/translator.h"

enum { SAFETENSORS_HEAD = 9 }; /* bytes: the length of its JSON, and where that begins */

const sac_model_class *const sac_models[] = {
    &sac_captioner_class, &sac_translator_class, &sac_transformer_class, &sac_language_class, NULL,
};

const sac_model_class *sac_model_find(const char *name)
{
    for (int i = 0; sac_models[i]; i++)
        if (strcmp(sac_models[i]->name, name) == 0)
            return sac_models[i];
    return NULL;
}

static const sac_model_class *named_class(const sac_arrays *file)
{
    const char *description = sac_arrays_metadata(file, "model");
    for (int i = 0; description && sac_models[i]; i++)
        if (strstr(description, sac_models[i]->mark))
            return sac_models[i];
    return NULL;
}

const sac_model_class *sac_model_of_file(const sac_arrays *file)
{
    const sac_model_class *class = named_class(file);
    return class ? class : sac_models[0];
}

/* Only a regular file that looks like .safetensors is opened: a folder of others is listed without it, and
 * what comes through a pipe comes once. */
const sac_model_class *sac_model_of_own_file(const char *path)
{
    uint8_t head[SAFETENSORS_HEAD];
    sac_arrays *file = NULL;
    const sac_model_class *class = NULL;
    if (sac_file_read_start(path, head, sizeof head) == sizeof head &&
        head[sizeof head - 1] == '{' && sac_arrays_open(path, &file, NULL) == SAC_OK)
        class = named_class(file);
    sac_arrays_close(file);
    return class;
}

sac_status sac_model_open(const sac_model_open_options *options, sac_source *source,
                          sac_error *error)
{
    sac_arrays *file = NULL;
    sac_model_open_options all = *options;
    const sac_model_class *class = sac_models[0];
    all.class_of = sac_model_of_file;
    *source = (sac_source){0};
    if (options->weight_count > 0) {
        sac_status status = sac_foreign_path_check(options->weights[0], error);
        if (status == SAC_OK)
            status = sac_arrays_open(options->weights[0], &file, error);
        if (status != SAC_OK)
            return status;
        class = sac_model_of_file(file);
    }
    sac_arrays_close(file);
    if (!class->open)
        return sac_fail(error, SAC_E_ARGUMENT, options->weights[0], NULL, "%s has no view",
                        class->name);
    return class->open(&all, source, error);
}
