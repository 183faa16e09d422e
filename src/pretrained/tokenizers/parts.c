/* The parts that tokenizers are made of, for all file formats. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tokenizers/inside.h"

/* ---------------------------------------------------------------- one step */

sac_status sac_tokenizer_normalize(sac_tokenizer *t, sac_normalizer_kind kind, const char *to,
                                   sac_pattern *pattern, sac_error *error)
{
    sac_normalizer_step step = {.kind = kind, .to = to ? strdup(to) : NULL, .pattern = pattern};
    if (!to || step.to)
        return sac_normalizer_add(&t->normalizer, step) ? SAC_OK
                                                        : sac_no_memory(error, "tokenizer");
    sac_pattern_free(pattern);
    return sac_no_memory(error, "tokenizer");
}

sac_status sac_tokenizer_rewrite(sac_tokenizer *t, sac_split_kind kind, sac_error *error)
{
    return sac_splitter_add(&t->splitter, (sac_split_step){.kind = kind})
               ? SAC_OK
               : sac_no_memory(error, "tokenizer");
}

sac_status sac_tokenizer_cut(sac_tokenizer *t, const char *expression, sac_split_behavior behavior,
                             bool inverted, sac_error *error)
{
    sac_split_step step = {SAC_SPLIT_PATTERN, behavior, inverted, NULL};
    sac_status status = sac_pattern_compile(expression, false, &step.pattern, error);
    if (status == SAC_OK && !sac_splitter_add(&t->splitter, step))
        status = sac_no_memory(error, "tokenizer");
    return status;
}

/* ---------------------------------------------------------------- several */

sac_status sac_tokenizer_normalize_bert(sac_tokenizer *t, sac_bert_rules rules, sac_error *error)
{
    const struct {
        bool wanted;
        sac_normalizer_kind kind;
    } steps[] = {{rules.cleans, SAC_NORMALIZE_CLEAN},
                 {rules.spaces_ideographs, SAC_NORMALIZE_IDEOGRAPHS},
                 {rules.strips_accents, SAC_NORMALIZE_NFD},
                 {rules.strips_accents, SAC_NORMALIZE_STRIP_MARKS},
                 {rules.lowers, SAC_NORMALIZE_LOWERCASE}};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == SAC_OK; i++)
        if (steps[i].wanted)
            status = sac_tokenizer_normalize(t, steps[i].kind, NULL, NULL, error);
    return status;
}

sac_status sac_tokenizer_cut_blanks(sac_tokenizer *t, sac_error *error)
{
    return sac_tokenizer_cut(t, "[" SAC_CHARS_SPACE "]+", SAC_SPLIT_REMOVED, false, error);
}

sac_status sac_tokenizer_cut_bert(sac_tokenizer *t, sac_error *error)
{
    sac_status status = sac_tokenizer_cut_blanks(t, error);
    return status == SAC_OK
               ? sac_tokenizer_cut(t, SAC_ONE_PUNCTUATION, SAC_SPLIT_ISOLATED, false, error)
               : status;
}

sac_status sac_tokenizer_cut_bytes(sac_tokenizer *t, bool space_first, bool words, sac_error *error)
{
    sac_status status = SAC_OK;
    t->byte_level = true;
    if (space_first)
        status = sac_tokenizer_rewrite(t, SAC_SPLIT_SPACE_FIRST, error);
    if (status == SAC_OK && words)
        status = sac_tokenizer_cut(
            t, "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
            SAC_SPLIT_ISOLATED, false, error);
    return status == SAC_OK ? sac_tokenizer_rewrite(t, SAC_SPLIT_BYTES, error) : status;
}

sac_status sac_tokenizer_cut_marks(sac_tokenizer *t, sac_mark_scheme scheme, bool cuts,
                                   sac_error *error)
{
    sac_status status = sac_tokenizer_rewrite(t, SAC_SPLIT_MARKS, error);
    if (t->model == SAC_UNIGRAM)
        t->first_blank = scheme == SAC_MARK_NEVER ? SAC_FIRST_NONE : SAC_FIRST_TOKEN;
    if (status == SAC_OK && scheme != SAC_MARK_NEVER)
        status = sac_tokenizer_rewrite(
            t, scheme == SAC_MARK_ALWAYS ? SAC_SPLIT_MARK_EACH : SAC_SPLIT_MARK_FIRST, error);
    if (status == SAC_OK && cuts)
        status = sac_tokenizer_cut(t, SAC_MARK, SAC_SPLIT_MERGED_WITH_NEXT, false, error);
    return status;
}

/* ---------------------------------------------------------------- around a text */

static sac_status frame_by(const sac_tokenizer *t, const char *token, int *ids, size_t *count,
                           sac_error *error)
{
    *count = token != NULL;
    ids[0] = token ? sac_tokenizer_find(t, token) : -1;
    return !token || ids[0] >= 0
               ? SAC_OK
               : sac_fail(error, SAC_E_FORMAT, NULL, "give the vocabulary of this very model",
                          "has no token %.40s", token);
}

sac_status sac_tokenizer_frame(sac_tokenizer *t, const char *first, const char *last,
                               sac_error *error)
{
    sac_status status = frame_by(t, first, t->before, &t->before_count, error);
    return status == SAC_OK ? frame_by(t, last, t->after, &t->after_count, error) : status;
}
