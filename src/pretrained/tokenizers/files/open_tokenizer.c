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
    sac_tokenizer *t = calloc(1, sizeof *t);
    *tokenizer = NULL;
    if (!t)
        return sac_no_memory(error, folder);
    t->unknown = -1;
    static const char *const models[] = {"sentencepiece.bpe.model", "tokenizer.model",
                                         "spiece.model"};
    char path[4096];
    sac_settings settings;
    sac_status status = sac_settings_open(folder, &settings, error);
    bool read = status != SAC_OK;
    if (!read && (read = has(folder, "source.spm", path)))
        status = sac_tokenizer_read_marian(t, folder, &settings, error);
    if (!read && (read = has(folder, "tokenizer.json", path))) {
        status = sac_tokenizer_read_json(t, path, error);
        if (status == SAC_OK)
            status = sac_settings_apply(&settings, t, error);
    }
    for (size_t i = 0; i < sizeof models / sizeof *models && !read; i++)
        if ((read = has(folder, models[i], path)))
            status = sac_tokenizer_read_pieces(t, path, &settings, error);
    if (!read)
        status = sac_tokenizer_read_lists(t, folder, &settings, error);
    sac_settings_close(&settings);
    if (status == SAC_OK)
        status = sac_tokenizer_finish(t, error);
    if (status == SAC_OK)
        *tokenizer = t;
    else
        sac_tokenizer_destroy(t);
    return status;
}
