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
                                         "spiece.model", "spm.model"};
    enum { MODELS = sizeof models / sizeof *models };
    char path[4096];
    sac_settings settings;
    sac_tokenizer *t;
    *tokenizer = NULL;
    sac_status status = sac_tokenizer_begin(&t, error);
    if (status != SAC_OK)
        return status;
    t->status = sac_settings_open(folder, &settings, error);
    const sac_tokenizer_class named = settings.kind;
    if (t->status != SAC_OK) {
        /* nothing is read */
    } else if (has(folder, "source.spm", path)) {
        sac_tokenizer_read_marian(t, folder, &settings);
    } else if (has(folder, "tokenizer.json", path)) {
        sac_tokenizer_read_json(t, path);
        sac_settings_apply(&settings, t);
    } else if (named == SAC_CLASS_M2M_100 && has(folder, "vocab.json", path)) {
        sac_tokenizer_read_mapped(t, folder, &settings);
    } else {
        int model = 0;
        while (model < MODELS && !has(folder, models[model], path))
            model++;
        if (model < MODELS)
            sac_tokenizer_read_pieces(t, path, &settings);
        else
            sac_tokenizer_read_lists(t, folder, &settings);
    }
    settings.kind = named;
    sac_settings_languages(&settings, t);
    sac_settings_close(&settings);
    return sac_tokenizer_end(t, tokenizer);
}
