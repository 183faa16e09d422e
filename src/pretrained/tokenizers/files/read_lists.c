/* A tokenizer without tokenizer.json: vocab.txt of BERT, MPNet or ESM, a token a line; or vocab.json and
 * merges.txt, of GPT-2's kind or RoBERTa's, GPT-NeoX's, Qwen2's or CLIP's. What the lists lack
 * comes from the class of the tokenizer, and by the settings beside them. */
#include <cjson/cJSON.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "tokenizers/files/tokenizer_config.h"

typedef void take_line(sac_tokenizer *tokenizer, char *line, int number);

/* Calls `take` for each line of a file, without its end. */
static void read_lines(sac_tokenizer *t, const char *path, take_line *take)
{
    sac_bytes bytes;
    sac_text_buffer line = {0};
    SAC_TRY(t, sac_bytes_read(path, &bytes, t->error));
    if (t->status != SAC_OK)
        return;
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    for (int number = 0; at < end && t->status == SAC_OK; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop : end) - at);
        sac_text_clear(&line);
        sac_text_append(&line, at, size - (size && at[size - 1] == '\r'));
        if (line.failed)
            t->status = sac_no_memory(t->error, "line");
        else if (sac_utf8_valid(line.bytes, line.size))
            take(t, line.bytes, number);
        else
            t->status = sac_fail(t->error, SAC_E_FORMAT, NULL, "save it as UTF-8",
                                 "line %d is not UTF-8", number + 1);
        at += size + 1;
    }
    sac_text_free(&line);
    sac_bytes_free(&bytes);
    t->status = sac_error_within(t->error, t->status, path);
}

/* ---------------------------------------------------------------- BERT */

static void add_vocabulary_line(sac_tokenizer *t, char *line, int number)
{
    SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, line, number, t->error));
}

void sac_tokenizer_mark_special(sac_tokenizer *t, const char *token)
{
    int id = sac_tokenizer_find(t, token);
    if (t->status == SAC_OK && id >= 0 &&
        !sac_tokenizer_add(t, (sac_added_token){.id = id, .special = true}))
        t->status = sac_no_memory(t->error, "tokens");
}

static void read_bert(sac_tokenizer *t, sac_settings *s, const char *path)
{
    read_lines(t, path, add_vocabulary_line);
    /* An MPNet may have a list of BERT's kind, in whose frame its texts are then. */
    const char *first = sac_settings_special(s, "cls_token");
    if (s->kind != SAC_CLASS_MPNET || !first || sac_tokenizer_find(t, first) < 0)
        s->kind = SAC_CLASS_BERT;
    const char *unknown = sac_settings_special(s, "unk_token");
    if (t->status == SAC_OK) {
        sac_tokenizer_set_frame(t, sac_settings_special(s, "cls_token"),
                                sac_settings_special(s, "sep_token"));
        t->status = sac_error_within(t->error, t->status, path);
    }
    if (s->kind == SAC_CLASS_MPNET)
        sac_tokenizer_separate_twice(t);
    sac_settings_apply_bert(s, t);
    sac_tokenizer_add_bert_splits(t);
    t->model = SAC_WORDPIECE;
    t->unknown = unknown ? sac_tokenizer_find(t, unknown) : -1;
    t->word_most = 100;
    strcpy(t->prefix, "##");
    sac_settings_add_tokens(s, t);
}

/* ---------------------------------------------------------------- ESM */

/* Residues of a protein, each found wherever it stands; what is left between blanks is unknown. */
static void read_residues(sac_tokenizer *t, const sac_settings *s, const char *path)
{
    read_lines(t, path, add_vocabulary_line);
    for (int id = 0; id < (int)t->vocabulary.size && t->status == SAC_OK; id++)
        if (!sac_tokenizer_add(t, (sac_added_token){.id = id}))
            t->status = sac_no_memory(t->error, path);
    const char *unknown = sac_settings_special(s, "unk_token");
    t->model = SAC_WORDLEVEL;
    t->unknown = unknown ? sac_tokenizer_find(t, unknown) : -1;
    sac_tokenizer_add_blank_split(t);
    sac_settings_add_tokens(s, t);
    if (t->status == SAC_OK)
        sac_tokenizer_set_frame(t, sac_settings_special(s, "cls_token"),
                                sac_settings_special(s, "eos_token"));
}

/* ---------------------------------------------------------------- vocab.json and merges.txt */

/* The first line may give a version. */
static void add_merge_line(sac_tokenizer *t, char *line, int number)
{
    if (!line[0] || (number == 0 && line[0] == '#'))
        return;
    if (!sac_bpe_add_line(t, line, number))
        t->status = sac_fail(t->error, SAC_E_FORMAT, NULL, NULL,
                             "line %d: is not of two tokens that make a third", number + 1);
}

void sac_tokenizer_read_vocabulary(sac_tokenizer *t, const char *path)
{
    cJSON *json = NULL;
    SAC_TRY(t, sac_json_load(path, &json, t->error));
    if (t->status == SAC_OK)
        t->status = sac_error_within(t->error,
                                     sac_vocabulary_add_all(&t->vocabulary, json, t->error), path);
    cJSON_Delete(json);
}

static bool is_byte_level_class(sac_tokenizer_class kind)
{
    return kind == SAC_CLASS_ROBERTA || kind == SAC_CLASS_GPT2 || kind == SAC_CLASS_NEOX ||
           kind == SAC_CLASS_QWEN2 || kind == SAC_CLASS_CLIP || kind == SAC_CLASS_DEBERTA;
}

/* A RoBERTa's vocabulary, without a class. */
static bool has_robertas_tokens(const sac_tokenizer *t)
{
    return sac_tokenizer_find(t, "<s>") >= 0 && sac_tokenizer_find(t, "</s>") >= 0 &&
           sac_tokenizer_find(t, "<pad>") >= 0 && sac_tokenizer_find(t, "<|endoftext|>") < 0;
}

static void read_byte_level(sac_tokenizer *t, const char *folder, sac_settings *s, char path[4096])
{
    t->model = SAC_BPE;
    sac_tokenizer_read_vocabulary(t, path);
    if (!is_byte_level_class(s->kind))
        s->kind =
            t->status == SAC_OK && has_robertas_tokens(t) ? SAC_CLASS_ROBERTA : SAC_CLASS_GPT2;
    bool is_clip = s->kind == SAC_CLASS_CLIP, is_qwen2 = s->kind == SAC_CLASS_QWEN2;
    if (is_clip) {
        strcpy(t->suffix, "</w>");
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_NFC, NULL, NULL);
        sac_tokenizer_add_replacement(t, "\\s+", " ");
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL);
        sac_tokenizer_add_split(t,
                                "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|"
                                "\\p{L}+|\\p{N}|[^\\s\\p{L}\\p{N}]+",
                                SAC_SPLIT_REMOVED, true);
    } else if (is_qwen2) {
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_NFC, NULL, NULL);
        sac_tokenizer_add_split(t,
                                "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
                                "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
                                "\\s+(?!\\S)|\\s+",
                                SAC_SPLIT_ISOLATED, false);
    } else if (s->kind == SAC_CLASS_NEOX) {
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_NFC, NULL, NULL);
    }
    sac_tokenizer_add_byte_splits(t, !is_clip && sac_settings_flag(s, "add_prefix_space", false),
                                  !is_qwen2);
    snprintf(path, 4096, "%s/merges.txt", folder);
    if (t->status == SAC_OK && !sac_bpe_allocate_merges(t, t->vocabulary.size))
        t->status = sac_no_memory(t->error, path);
    read_lines(t, path, add_merge_line);
    sac_settings_add_tokens(s, t);
    if (is_clip)
        sac_tokenizer_set_frame(t, sac_settings_special(s, "bos_token"),
                                sac_settings_special(s, "eos_token"));
    else if (s->kind == SAC_CLASS_ROBERTA || s->kind == SAC_CLASS_DEBERTA) {
        sac_tokenizer_set_frame(t, sac_settings_special(s, "cls_token"),
                                sac_settings_special(s, "sep_token"));
        sac_tokenizer_separate_twice(t);
    } else
        sac_settings_add_frame_tokens(s, t);
    const char *unknown = sac_settings_special(s, "unk_token");
    if (is_clip && unknown)
        t->unknown = sac_tokenizer_find(t, unknown);
}

/* ---------------------------------------------------------------- lists that are not read */

/* A list of tiktoken has in each line the bytes of a token, in base64, and its number: "IQ== 0". */
bool sac_tokenizer_is_tiktoken(const char *path)
{
    static const char base64[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    char line[256] = "", *end = NULL;
    sac_file_read_start(path, (uint8_t *)line, sizeof line - 1);
    size_t size = strspn(line, base64);
    if (!size || size % 4 || line[size] != ' ' || !isdigit((unsigned char)line[size + 1]))
        return false;
    strtoul(line + size + 1, &end, 10);
    return *end == '\n' || *end == '\r';
}

sac_status sac_tokenizer_refuse_tiktoken(const char *path, sac_error *error)
{
    return sac_fail(
        error, SAC_E_FORMAT, path,
        "give the tokenizer.json that save_pretrained of transformers' AutoTokenizer writes",
        "is a list of tiktoken, which does not define how a text is cut before");
}

/* The list of tiktoken in a folder, or Mistral's tekken.json; empty: neither. */
static void find_unsupported_list(const char *folder, char path[4096])
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    path[0] = '\0';
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *ending = strrchr(name, '.');
        if (!path[0] && (strcmp(name, "tekken.json") == 0 || strcmp(name, "tiktoken.model") == 0 ||
                         (ending && strcmp(ending, ".tiktoken") == 0)))
            snprintf(path, 4096, "%s/%s", folder, name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static sac_status refuse_unsupported_list(const char *path, sac_error *error)
{
    const char *name = strrchr(path, '/') + 1;
    if (strcmp(name, "tekken.json") != 0)
        return sac_tokenizer_refuse_tiktoken(path, error);
    return sac_fail(
        error, SAC_E_FORMAT, path,
        "give the tokenizer.json that many folders of Mistral's models on the hub have beside it",
        "is a tokenizer of mistral-common (Tekken), which is not read");
}

/* ---------------------------------------------------------------- either */

void sac_tokenizer_read_lists(sac_tokenizer *t, const char *folder, sac_settings *s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/vocab.txt", folder);
    if (sac_is_regular(path)) {
        if (s->kind == SAC_CLASS_ESM)
            read_residues(t, s, path);
        else
            read_bert(t, s, path);
        return;
    }
    snprintf(path, sizeof path, "%s/vocab.json", folder);
    if (sac_is_regular(path)) {
        read_byte_level(t, folder, s, path);
        return;
    }
    find_unsupported_list(folder, path);
    if (path[0])
        t->status = refuse_unsupported_list(path, t->error);
    else
        t->status =
            sac_fail(t->error, SAC_E_FILE, folder, "give the files of its tokenizer too",
                     "has no tokenizer.json, source.spm, sentencepiece.bpe.model, tokenizer.model, "
                     "spiece.model, spm.model, vocab.txt or vocab.json: there is no tokenizer");
}
