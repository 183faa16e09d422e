/* The parts that tokenizers are made of, for all file formats. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tokenizers/inside.h"

/* ---------------------------------------------------------------- one step */

void sac_tokenizer_add_normalizer(sac_tokenizer *t, sac_text_normalizer_kind kind, const char *to,
                                  sac_pattern *pattern)
{
    sac_text_normalizer_step step = {.kind = kind, .pattern = pattern};
    if (t->status == SAC_OK && to && !(step.to = strdup(to)))
        t->status = sac_no_memory(t->error, "tokenizer");
    if (t->status != SAC_OK)
        sac_pattern_free(pattern);
    else if (!sac_text_normalizer_add(&t->normalizer, step))
        t->status = sac_no_memory(t->error, "tokenizer");
}

void sac_tokenizer_add_replacement(sac_tokenizer *t, const char *expression, const char *to)
{
    sac_pattern *pattern = NULL;
    SAC_TRY(t, sac_pattern_compile(expression, false, &pattern, t->error));
    sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_REPLACE, to, pattern);
}

static void add_split_step(sac_tokenizer *t, sac_split_kind kind)
{
    if (t->status == SAC_OK && !sac_splitter_add(&t->splitter, (sac_split_step){.kind = kind}))
        t->status = sac_no_memory(t->error, "tokenizer");
}

void sac_tokenizer_add_split(sac_tokenizer *t, const char *expression, sac_split_behavior behavior,
                             bool inverted)
{
    sac_split_step step = {SAC_SPLIT_PATTERN, behavior, inverted, NULL};
    SAC_TRY(t, sac_pattern_compile(expression, false, &step.pattern, t->error));
    if (t->status == SAC_OK && !sac_splitter_add(&t->splitter, step))
        t->status = sac_no_memory(t->error, "tokenizer");
}

/* ---------------------------------------------------------------- several */

void sac_tokenizer_add_bert_normalizers(sac_tokenizer *t, sac_bert_rules rules)
{
    const struct {
        bool wanted;
        sac_text_normalizer_kind kind;
    } steps[] = {{rules.cleans, SAC_NORMALIZE_CLEAN},
                 {rules.spaces_ideographs, SAC_NORMALIZE_IDEOGRAPHS},
                 {rules.strips_accents, SAC_NORMALIZE_NFD},
                 {rules.strips_accents, SAC_NORMALIZE_STRIP_MARKS},
                 {rules.lowers, SAC_NORMALIZE_LOWERCASE}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].wanted)
            sac_tokenizer_add_normalizer(t, steps[i].kind, NULL, NULL);
}

void sac_tokenizer_add_blank_split(sac_tokenizer *t)
{
    sac_tokenizer_add_split(t, "[" SAC_CHARS_SPACE "]+", SAC_SPLIT_REMOVED, false);
}

void sac_tokenizer_add_bert_splits(sac_tokenizer *t)
{
    sac_tokenizer_add_blank_split(t);
    sac_tokenizer_add_split(t, SAC_ONE_PUNCTUATION, SAC_SPLIT_ISOLATED, false);
}

void sac_tokenizer_add_byte_splits(sac_tokenizer *t, bool space_first, bool words)
{
    t->byte_level = true;
    if (space_first)
        add_split_step(t, SAC_SPLIT_SPACE_FIRST);
    if (words)
        sac_tokenizer_add_split(
            t, "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
            SAC_SPLIT_ISOLATED, false);
    add_split_step(t, SAC_SPLIT_BYTES);
}

void sac_tokenizer_add_mark_splits(sac_tokenizer *t, sac_mark_scheme scheme, bool cuts)
{
    if (t->model == SAC_UNIGRAM)
        t->first_blank = scheme == SAC_MARK_NEVER ? SAC_FIRST_NONE : SAC_FIRST_TOKEN;
    add_split_step(t, SAC_SPLIT_MARKS);
    if (scheme != SAC_MARK_NEVER)
        add_split_step(t, scheme == SAC_MARK_ALWAYS ? SAC_SPLIT_MARK_EACH : SAC_SPLIT_MARK_FIRST);
    if (cuts)
        sac_tokenizer_add_split(t, SAC_MARK, SAC_SPLIT_MERGED_WITH_NEXT, false);
}

/* ---------------------------------------------------------------- around a text */

void sac_tokenizer_set_frame(sac_tokenizer *t, const char *first, const char *last)
{
    const char *const tokens[] = {first, last};
    for (int i = 0; i < 2 && t->status == SAC_OK; i++) {
        const char *token = tokens[i];
        int id = token ? sac_tokenizer_find(t, token) : -1;
        (i ? t->after : t->before)[0] = id;
        *(i ? &t->after_count : &t->before_count) = token != NULL;
        if (token && id < 0)
            t->status =
                sac_fail(t->error, SAC_E_FORMAT, NULL, "give the vocabulary of this very model",
                         "has no token %.40s", token);
    }
}

void sac_tokenizer_separate_twice(sac_tokenizer *t)
{
    t->no_pairs = false;
    t->between_count = 2 * t->after_count <= SAC_FRAME ? 2 * t->after_count : 0;
    for (size_t i = 0; i < t->between_count; i++)
        t->between[i] = t->after[i % t->after_count];
}
