/* A tokenizer from the files of a folder. */
#include <cjson/cJSON.h>
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

/* From a model of SentencePiece, or lists of tokens, as the class has them. */
static void read_without_json(sac_tokenizer *t, const char *folder, sac_settings *s)
{
    static const char *const models[] = {"sentencepiece.bpe.model", "tokenizer.model",
                                         "spiece.model", "spm.model"};
    enum { FAIRSEQS, TOKENIZER, MODELS = sizeof models / sizeof *models };
    char path[4096];
    const bool has_list = has(folder, "vocab.json", path);
    int model = 0;
    if (s->kind == SAC_CLASS_UNKNOWN) {
        t->status = sac_fail(t->error, SAC_E_FORMAT, folder, "give its tokenizer.json",
                             "has a %.60s, which is not known without a tokenizer.json", s->name);
        return;
    }
    while (model < MODELS && !has(folder, models[model], path))
        model++;
    sac_settings_infer_class(s);
    if (s->kind == SAC_CLASS_M2M_100 && !has_list)
        s->kind = SAC_CLASS_NLLB;
    if (model == FAIRSEQS && s->kind == SAC_CLASS_OTHER)
        s->kind = SAC_CLASS_XLM_ROBERTA;
    if (model == TOKENIZER && s->file_decides)
        s->kind = SAC_CLASS_OTHER;
    if (s->kind == SAC_CLASS_M2M_100)
        sac_tokenizer_read_mapped(t, folder, s);
    else if (model < MODELS)
        sac_tokenizer_read_pieces(t, path, s);
    else
        sac_tokenizer_read_lists(t, folder, s);
}

/* From the folder, or where that is NULL from `files`, which has a tokenizer.json. */
static sac_status open_tokenizer(const char *folder, const cJSON *files, sac_tokenizer **tokenizer,
                                 sac_error *error)
{
    char path[4096];
    sac_settings settings;
    sac_tokenizer *t;
    *tokenizer = NULL;
    sac_status status = sac_tokenizer_begin(&t, error);
    if (status != SAC_OK)
        return status;
    t->status = sac_settings_open(folder, files, &settings, error);
    sac_tokenizer_class kind = settings.kind;
    if (t->status != SAC_OK) {
        /* nothing is read */
    } else if (!folder) {
        sac_tokenizer_read_value(t, cJSON_GetObjectItemCaseSensitive(files, "tokenizer.json"));
        sac_settings_apply(&settings, t);
    } else if (has(folder, "source.spm", path)) {
        sac_tokenizer_read_marian(t, folder, &settings);
    } else if (has(folder, "tokenizer.json", path)) {
        sac_tokenizer_read_json(t, path);
        sac_settings_apply(&settings, t);
    } else {
        read_without_json(t, folder, &settings);
        kind = settings.kind;
    }
    settings.kind = kind;
    sac_settings_apply_languages(&settings, t);
    sac_settings_apply_decoding(&settings, t);
    sac_settings_close(&settings);
    return sac_tokenizer_end(t, tokenizer);
}

sac_status sac_tokenizer_open(const char *folder, sac_tokenizer **tokenizer, sac_error *error)
{
    return open_tokenizer(folder, NULL, tokenizer, error);
}

sac_status sac_tokenizer_open_files(const cJSON *files, sac_tokenizer **tokenizer, sac_error *error)
{
    return open_tokenizer(NULL, files, tokenizer, error);
}
