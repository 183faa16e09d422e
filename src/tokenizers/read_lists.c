/* A tokenizer without tokenizer.json: BERT's vocab.txt, a token a line; or GPT-2's vocab.json and
 * merges.txt. tokenizer_config.json tells what BERT's does with capitals. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/bytes.h"
#include "formats/json.h"
#include "formats/utf8.h"
#include "tokenizers/inside.h"

typedef sac_status take_line(sac_tokenizer *tokenizer, char *line, int number, sac_error *error);

/* Calls `take` for each line of a file, without its end. */
static sac_status read_lines(sac_tokenizer *t, const char *path, take_line *take, sac_error *error)
{
    sac_bytes bytes;
    sac_text_buffer line = {0};
    sac_status status = sac_bytes_read(path, &bytes, error);
    if (status != SAC_OK)
        return status;
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    for (int number = 0; at < end && status == SAC_OK; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop : end) - at);
        sac_text_clear(&line);
        sac_text_append(&line, at, size - (size && at[size - 1] == '\r'));
        status = line.failed ? sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for a line")
                 : sac_utf8_valid(line.bytes, line.size)
                     ? take(t, line.bytes, number, error)
                     : sac_fail(error, SAC_E_FORMAT, NULL, "save it as UTF-8",
                                "line %d is not UTF-8", number + 1);
        at += size + 1;
    }
    sac_text_free(&line);
    sac_bytes_free(&bytes);
    return sac_error_within(error, status, path);
}

/* ---------------------------------------------------------------- BERT */

static sac_status take_token(sac_tokenizer *t, char *line, int number, sac_error *error)
{
    return sac_vocabulary_add(&t->vocabulary, line, number, error);
}

sac_status sac_tokenizer_add_special(sac_tokenizer *t, const char *token, sac_error *error)
{
    int id = sac_tokenizer_find(t, token);
    if (id < 0 || sac_tokenizer_add(t, (sac_added_token){.id = id, .special = true}))
        return SAC_OK;
    return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for its tokens");
}

static sac_status set_bert_normalizer(sac_tokenizer *t, const char *folder, sac_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tokenizer_config.json", folder);
    cJSON *config = NULL; /* without the file, capitals become small */
    if (sac_is_regular(path))
        (void)sac_json_load(path, &config, NULL);
    bool cased = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(config, "do_lower_case"));
    cJSON_Delete(config);
    return sac_tokenizer_normalize_bert(
        t, (sac_bert_rules){true, true, .strips_accents = !cased, .lowers = !cased}, error);
}

static sac_status read_bert(sac_tokenizer *t, const char *folder, const char *path,
                            sac_error *error)
{
    static const char *const specials[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    sac_status status = read_lines(t, path, take_token, error);
    for (size_t i = 0; i < sizeof specials / sizeof *specials && status == SAC_OK; i++)
        status = sac_tokenizer_add_special(t, specials[i], error);
    if (status != SAC_OK)
        return status;
    int first = sac_tokenizer_find(t, "[CLS]"), last = sac_tokenizer_find(t, "[SEP]");
    if (first < 0 || last < 0)
        return sac_fail(error, SAC_E_FORMAT, path, "give a BERT's vocabulary",
                        "has no token [CLS] or [SEP]");
    status = set_bert_normalizer(t, folder, error);
    if (status == SAC_OK)
        status = sac_tokenizer_cut_bert(t, error);
    t->model = SAC_WORDPIECE;
    t->unknown = sac_tokenizer_find(t, "[UNK]");
    t->word_most = 100;
    strcpy(t->prefix, "##");
    t->before[t->before_count++] = first;
    t->after[t->after_count++] = last;
    return status;
}

/* ---------------------------------------------------------------- GPT-2 */

/* The first line may tell a version. */
static sac_status take_merge(sac_tokenizer *t, char *line, int number, sac_error *error)
{
    char *space = strchr(line, ' ');
    if (!line[0] || (number == 0 && line[0] == '#'))
        return SAC_OK;
    if (space)
        *space = '\0';
    if (space && sac_bpe_add_merge(t, line, space + 1, number))
        return SAC_OK;
    return sac_fail(error, SAC_E_FORMAT, NULL, NULL,
                    "line %d: is not of two tokens that make a third", number + 1);
}

sac_status sac_tokenizer_read_vocabulary(sac_tokenizer *t, const char *path, sac_error *error)
{
    cJSON *json;
    sac_status status = sac_json_load(path, &json, error);
    if (status != SAC_OK)
        return status;
    status = sac_vocabulary_add_all(&t->vocabulary, json, error);
    cJSON_Delete(json);
    return sac_error_within(error, status, path);
}

static sac_status read_gpt2(sac_tokenizer *t, const char *folder, const char *path,
                            sac_error *error)
{
    char merges[4096];
    snprintf(merges, sizeof merges, "%s/merges.txt", folder);
    t->model = SAC_BPE;
    sac_status status = sac_tokenizer_cut_bytes(t, false, true, error);
    if (status == SAC_OK)
        status = sac_tokenizer_read_vocabulary(t, path, error);
    if (status == SAC_OK && !sac_bpe_reserve(t, t->vocabulary.size))
        status = sac_fail(error, SAC_E_MEMORY, path, NULL, "no memory for its merges");
    if (status == SAC_OK)
        status = read_lines(t, merges, take_merge, error);
    return status == SAC_OK ? sac_tokenizer_add_special(t, "<|endoftext|>", error) : status;
}

/* ---------------------------------------------------------------- either */

sac_status sac_tokenizer_read_lists(sac_tokenizer *t, const char *folder, sac_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/vocab.txt", folder);
    if (sac_is_regular(path))
        return read_bert(t, folder, path, error);
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    if (sac_is_regular(path))
        return read_gpt2(t, folder, path, error);
    return sac_fail(
        error, SAC_E_FILE, folder, NULL,
        "has no tokenizer.json, source.spm, vocab.txt or vocab.json: there is no tokenizer");
}
