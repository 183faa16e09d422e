/* A tokenizer from the files of a folder. */
#include <stdio.h>
#include <stdlib.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "tokenizers/files/tokenizer_config.h"

static bool has(const char *folder, const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/%s", folder, name);
    return sac_is_regular(path);
}

sac_status sac_tokenizer_open(const char *folder, sac_tokenizer **tokenizer, sac_error *error)
{
    static const char *const models[] = {"sentencepiece.bpe.model", "tokenizer.model",
                                         "spiece.model"};
    enum { MODELS = sizeof models / sizeof *models };
    char path[4096];
    sac_settings settings;
    sac_tokenizer *t = calloc(1, sizeof *t);
    *tokenizer = NULL;
    if (!t)
        return sac_no_memory(error, folder);
    t->unknown = -1;
    t->error = error;
    t->status = sac_settings_open(folder, &settings, error);
    if (t->status != SAC_OK) {
        /* nothing is read */
    } else if (has(folder, "source.spm", path)) {
        sac_tokenizer_read_marian(t, folder, &settings);
    } else if (has(folder, "tokenizer.json", path)) {
        sac_tokenizer_read_json(t, path);
        sac_settings_apply(&settings, t);
    } else {
        int model = 0;
        while (model < MODELS && !has(folder, models[model], path))
            model++;
        if (model < MODELS)
            sac_tokenizer_read_pieces(t, path, &settings);
        else
            sac_tokenizer_read_lists(t, folder, &settings);
    }
    sac_settings_close(&settings);
    sac_tokenizer_finish(t);
    sac_status status = t->status;
    t->error = NULL;
    if (status == SAC_OK)
        *tokenizer = t;
    else
        sac_tokenizer_destroy(t);
    return status;
}
