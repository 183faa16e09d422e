/* A tokenizer without tokenizer.json: BERT's vocab.txt, a token a line; or a vocab.json and
 * merges.txt, of GPT-2's kind or RoBERTa's, Qwen2's or CLIP's. What the lists do not say is told by
 * the class of the tokenizer, and by the settings beside them. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "tokenizers/files/tokenizer_config.h"

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
        status = line.failed ? sac_no_memory(error, "line")
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
    return sac_no_memory(error, "tokens");
}

static sac_status read_bert(sac_tokenizer *t, sac_settings *s, const char *path, sac_error *error)
{
    s->kind = SAC_CLASS_BERT;
    const char *unknown = sac_settings_special(s, "unk_token");
    sac_status status = read_lines(t, path, take_token, error);
    if (status == SAC_OK)
        status = sac_error_within(error,
                                  sac_tokenizer_frame(t, sac_settings_special(s, "cls_token"),
                                                      sac_settings_special(s, "sep_token"), error),
                                  path);
    if (status == SAC_OK)
        status = sac_settings_bert(s, t, error);
    if (status == SAC_OK)
        status = sac_tokenizer_cut_bert(t, error);
    t->model = SAC_WORDPIECE;
    t->unknown = unknown ? sac_tokenizer_find(t, unknown) : -1;
    t->word_most = 100;
    strcpy(t->prefix, "##");
    return status == SAC_OK ? sac_settings_add_tokens(s, t, error) : status;
}

/* ---------------------------------------------------------------- vocab.json and merges.txt */

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

/* A RoBERTa's vocabulary, where nothing tells whose it is. */
static bool has_robertas_tokens(const sac_tokenizer *t)
{
    return sac_tokenizer_find(t, "<s>") >= 0 && sac_tokenizer_find(t, "</s>") >= 0 &&
           sac_tokenizer_find(t, "<pad>") >= 0 && sac_tokenizer_find(t, "<|endoftext|>") < 0;
}

static sac_status normalize_clip(sac_tokenizer *t, sac_error *error)
{
    sac_pattern *blanks;
    sac_status status = sac_tokenizer_normalize(t, SAC_NORMALIZE_NFC, NULL, NULL, error);
    if (status == SAC_OK)
        status = sac_pattern_compile("\\s+", false, &blanks, error);
    if (status == SAC_OK)
        status = sac_tokenizer_normalize(t, SAC_NORMALIZE_REPLACE, " ", blanks, error);
    if (status == SAC_OK)
        status = sac_tokenizer_normalize(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL, error);
    return status == SAC_OK
               ? sac_tokenizer_cut(t,
                                   "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|"
                                   "\\p{L}+|\\p{N}|[^\\s\\p{L}\\p{N}]+",
                                   SAC_SPLIT_REMOVED, true, error)
               : status;
}

static sac_status normalize_qwen2(sac_tokenizer *t, sac_error *error)
{
    sac_status status = sac_tokenizer_normalize(t, SAC_NORMALIZE_NFC, NULL, NULL, error);
    return status == SAC_OK
               ? sac_tokenizer_cut(t,
                                   "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
                                   "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
                                   "\\s+(?!\\S)|\\s+",
                                   SAC_SPLIT_ISOLATED, false, error)
               : status;
}

static sac_status read_merges(sac_tokenizer *t, const char *folder, sac_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/merges.txt", folder);
    if (!sac_bpe_reserve(t, t->vocabulary.size))
        return sac_no_memory(error, path);
    return read_lines(t, path, take_merge, error);
}

static sac_status read_byte_level(sac_tokenizer *t, const char *folder, sac_settings *s,
                                  const char *path, sac_error *error)
{
    t->model = SAC_BPE;
    sac_status status = sac_tokenizer_read_vocabulary(t, path, error);
    if (s->kind == SAC_CLASS_OTHER)
        s->kind = status == SAC_OK && has_robertas_tokens(t) ? SAC_CLASS_ROBERTA : SAC_CLASS_GPT2;
    bool is_clip = s->kind == SAC_CLASS_CLIP, is_qwen2 = s->kind == SAC_CLASS_QWEN2;
    bool is_roberta = s->kind == SAC_CLASS_ROBERTA;
    if (is_clip)
        strcpy(t->suffix, "</w>");
    if (status == SAC_OK && (is_clip || is_qwen2))
        status = is_clip ? normalize_clip(t, error) : normalize_qwen2(t, error);
    if (status == SAC_OK)
        status = sac_tokenizer_cut_bytes(
            t, !is_clip && sac_settings_flag(s, "add_prefix_space", false), !is_qwen2, error);
    if (status == SAC_OK)
        status = read_merges(t, folder, error);
    if (status == SAC_OK)
        status = sac_settings_add_tokens(s, t, error);
    if (status == SAC_OK && is_clip)
        status = sac_tokenizer_frame(t, sac_settings_special(s, "bos_token"),
                                     sac_settings_special(s, "eos_token"), error);
    else if (status == SAC_OK && is_roberta)
        status = sac_tokenizer_frame(t, sac_settings_special(s, "cls_token"),
                                     sac_settings_special(s, "sep_token"), error);
    else if (status == SAC_OK)
        status = sac_settings_frame(s, t, error);
    const char *unknown = sac_settings_special(s, "unk_token");
    if (is_clip && unknown)
        t->unknown = sac_tokenizer_find(t, unknown);
    return status;
}

/* ---------------------------------------------------------------- either */

sac_status sac_tokenizer_read_lists(sac_tokenizer *t, const char *folder, sac_settings *s,
                                    sac_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/vocab.txt", folder);
    if (sac_is_regular(path))
        return read_bert(t, s, path, error);
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    if (sac_is_regular(path))
        return read_byte_level(t, folder, s, path, error);
    return sac_fail(error, SAC_E_FILE, folder, "give the files of its tokenizer too",
                    "has no tokenizer.json, source.spm, sentencepiece.bpe.model, tokenizer.model, "
                    "spiece.model, vocab.txt or vocab.json: there is no tokenizer");
}
