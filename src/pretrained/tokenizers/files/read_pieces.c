/* A model of SentencePiece without a tokenizer.json: its pieces are the vocabulary, in the order
 * that the class of the tokenizer gives them, and what it does to a text before is done by the
 * steps that tokenizer.json would name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/files/tokenizer_config.h"
#include "tokenizers/text/unicode.h"

/* Control pieces are special tokens. `users`: user-defined pieces are added tokens too. */
static sac_status add_pieces(sac_tokenizer *t, const sac_sentencepiece *m, bool users,
                             sac_error *error)
{
    for (size_t i = 0; i < m->count; i++) {
        const sac_piece *p = &m->pieces[i];
        int id = sac_tokenizer_find(t, p->text);
        const sac_added_token added = {.id = id, .special = p->kind == SAC_PIECE_CONTROL};
        bool adds = p->kind == SAC_PIECE_CONTROL || (users && p->kind == SAC_PIECE_USER);
        if (adds && id >= 0 && !sac_tokenizer_add(t, added))
            return sac_no_memory(error, "pieces");
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- unigrams */

static sac_status add_unigram(sac_tokenizer *t, const char *text, double score, sac_error *error)
{
    sac_status status = sac_vocabulary_add(&t->vocabulary, text, (double)t->vocabulary.size, error);
    return status == SAC_OK ? sac_unigram_add(&t->unigram, text, strlen(text), score, error)
                            : status;
}

static sac_status add_unigrams(sac_tokenizer *t, const sac_sentencepiece *m, size_t first,
                               sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = first; i < m->count && status == SAC_OK; i++)
        status = add_unigram(t, m->pieces[i].text, m->pieces[i].score, error);
    return status;
}

static sac_status add_each(sac_tokenizer *t, const char *const *tokens, size_t count,
                           sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        status = tokens[i] ? add_unigram(t, tokens[i], 0, error)
                           : sac_fail(error, SAC_E_FORMAT, "tokenizer_config.json", NULL,
                                      "a special token is not a text");
    return status;
}

/* fairseq's order: the special tokens, the pieces without their own, and the mask. */
static sac_status add_fairseqs(sac_tokenizer *t, const sac_sentencepiece *m, const sac_settings *s,
                               sac_error *error)
{
    const char *unknown = sac_settings_special(s, "unk_token");
    const char *mask = sac_settings_special(s, "mask_token");
    const char *pad = sac_settings_special(s, "pad_token");
    const char *const first[] = {sac_settings_special(s, "bos_token"), pad,
                                 sac_settings_special(s, "eos_token"), unknown};
    const char *const camembert[] = {"<s>NOTUSED", pad, "</s>NOTUSED", unknown, "<unk>NOTUSED"};
    bool is_camembert = s->kind == SAC_CLASS_CAMEMBERT;
    sac_status status =
        is_camembert ? add_each(t, camembert, 5, error) : add_each(t, first, 4, error);
    if (status == SAC_OK && is_camembert)
        t->unigram.scores[4] = -100;
    if (status == SAC_OK)
        status = add_unigrams(t, m, is_camembert ? 1 : 3, error);
    if (status == SAC_OK)
        status = add_each(t, &mask, 1, error);
    t->unknown = 3;
    return status;
}

/* Sentinel tokens (<extra_id_N>) follow the pieces, the first of them last. */
static sac_status add_t5s(sac_tokenizer *t, const sac_sentencepiece *m, int extra, sac_error *error)
{
    sac_status status = add_unigrams(t, m, 0, error);
    for (int i = extra; i-- > 0 && status == SAC_OK;) {
        char name[32];
        snprintf(name, sizeof name, "<extra_id_%d>", i);
        status = add_unigram(t, name, 0, error);
        if (status == SAC_OK)
            status = sac_tokenizer_add_special(t, name, error);
    }
    t->unknown = 2 < t->vocabulary.size ? 2 : -1;
    return status;
}

static sac_status use_unigrams(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s,
                               sac_error *error)
{
    bool is_t5 = s->kind == SAC_CLASS_T5;
    int extra = (int)sac_settings_number(s, "extra_ids", SAC_EXTRA_IDS, SAC_EXTRA_IDS_MOST);
    t->model = SAC_UNIGRAM;
    sac_status status = is_t5 ? add_t5s(t, m, extra, error) : add_fairseqs(t, m, s, error);
    t->normalizer.charsmap = m->charsmap;
    m->charsmap = (sac_charsmap){0};
    if (status == SAC_OK)
        status = sac_settings_unigrams(s, t, error);
    if (status == SAC_OK)
        status = add_pieces(t, m, true, error);
    if (status == SAC_OK)
        status = sac_settings_add_tokens(s, t, error);
    if (status != SAC_OK)
        return status;
    return sac_tokenizer_frame(t, is_t5 ? NULL : sac_settings_special(s, "bos_token"),
                               sac_settings_special(s, "eos_token"), error);
}

/* ---------------------------------------------------------------- pairs */

/* Two pieces that make a third. SentencePiece joins those first that make the piece of the best
 * score; LlamaTokenizer, those that make the first in the list. */
typedef struct pair {
    double score;
    size_t piece, left; /* what the two make, and the bytes of the first */
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->piece != y->piece)
        return x->piece < y->piece ? -1 : 1;
    return (x->left > y->left) - (x->left < y->left);
}

typedef struct pairs {
    pair *list;
    size_t count, capacity;
} pairs;

static sac_status add_pair(pairs *p, pair one, sac_error *error)
{
    enum { MOST = 1 << 22 }; /* the largest models have an eighth */
    pair *grown =
        p->count < MOST ? sac_list_grow(p->list, p->count, &p->capacity, sizeof *p->list) : NULL;
    if (!grown)
        return p->count < MOST ? sac_no_memory(error, "pieces")
                               : sac_fail(error, SAC_E_FORMAT, "pieces", NULL,
                                          "has more than %d pairs that make a piece", MOST);
    p->list = grown;
    p->list[p->count++] = one;
    return SAC_OK;
}

static bool takes_part(const sac_tokenizer *t, const sac_sentencepiece *m, bool is_llama,
                       const char *text, size_t size)
{
    int id = sac_vocabulary_find(&t->vocabulary, text, size);
    return id >= 0 && (is_llama || m->pieces[id].kind == SAC_PIECE_NORMAL);
}

static sac_status find_pairs(const sac_tokenizer *t, const sac_sentencepiece *m, bool is_llama,
                             pairs *p, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < m->count && status == SAC_OK; i++) {
        const char *text = m->pieces[i].text;
        size_t size = strlen(text), left = 0;
        if (i % 1024 == 0)
            status = sac_cancel_check("pieces", error);
        if (!is_llama && m->pieces[i].kind != SAC_PIECE_NORMAL)
            continue;
        for (sac_unicode_next(text, size, &left); left < size && status == SAC_OK;
             sac_unicode_next(text, size, &left))
            if (takes_part(t, m, is_llama, text, left) &&
                takes_part(t, m, is_llama, text + left, size - left))
                status = add_pair(p, (pair){is_llama ? 0 : m->pieces[i].score, i, left}, error);
    }
    return status;
}

static sac_status add_merges(sac_tokenizer *t, const sac_sentencepiece *m, const pairs *p,
                             sac_error *error)
{
    if (!sac_bpe_reserve(t, p->count))
        return sac_no_memory(error, "pieces");
    for (size_t i = 0; i < p->count; i++) {
        const pair *one = &p->list[i];
        const char *text = m->pieces[one->piece].text;
        char left[SAC_PIECE_MOST + 1];
        memcpy(left, text, one->left);
        left[one->left] = '\0';
        if (!sac_bpe_add_merge(t, left, text + one->left, (int)i))
            return sac_no_memory(error, "pieces");
    }
    return sac_cancel_check("pieces", error);
}

static sac_status use_pairs(sac_tokenizer *t, const sac_sentencepiece *m, bool is_llama,
                            sac_error *error)
{
    pairs p = {0};
    sac_status status = SAC_OK;
    t->model = SAC_BPE;
    t->joining = SAC_JOIN_MARKS;
    t->first_blank = SAC_FIRST_ONE;
    t->fuses_unknown = true;
    for (size_t i = 0; i < m->count && status == SAC_OK; i++)
        status = sac_vocabulary_add(&t->vocabulary, m->pieces[i].text, (double)i, error);
    if (status == SAC_OK)
        status = find_pairs(t, m, is_llama, &p, error);
    if (status == SAC_OK && p.count)
        qsort(p.list, p.count, sizeof *p.list, compare_pairs);
    if (status == SAC_OK)
        status = add_merges(t, m, &p, error);
    free(p.list);
    return status;
}

/* ---------------------------------------------------------------- as SentencePiece itself does it
 */

static sac_status replace(sac_tokenizer *t, const char *expression, const char *to,
                          sac_error *error)
{
    sac_pattern *pattern;
    sac_status status = sac_pattern_compile(expression, false, &pattern, error);
    return status == SAC_OK ? sac_tokenizer_normalize(t, SAC_NORMALIZE_REPLACE, to, pattern, error)
                            : status;
}

/* What a text becomes before it is cut. `legacy`: each part between special tokens gets the space
 * that stands before a text. */
static sac_status normalize(sac_tokenizer *t, sac_sentencepiece *m, bool legacy, sac_error *error)
{
    sac_status status = SAC_OK;
    if (m->charsmap.count) {
        t->normalizer.charsmap = m->charsmap;
        m->charsmap = (sac_charsmap){0};
        status = sac_tokenizer_normalize(t, SAC_NORMALIZE_CHARSMAP, NULL, NULL, error);
    }
    if (status == SAC_OK && m->trims)
        status = replace(t, "\\A +| +\\z", "", error);
    if (status == SAC_OK && m->trims)
        status = replace(t, " {2,}", " ", error);
    if (status == SAC_OK && m->marks_blank)
        status = replace(t, " ", SAC_MARK, error);
    if (status == SAC_OK && m->adds_blank && legacy) /* which else leaves out a second mark */
        status = replace(t, "\\A" SAC_MARK, SAC_MARK SAC_MARK, error);
    if (status == SAC_OK && m->adds_blank)
        status =
            sac_tokenizer_cut_marks(t, legacy ? SAC_MARK_ALWAYS : SAC_MARK_FIRST, false, error);
    return status;
}

/* User-defined pieces are never split. */
static sac_status isolate_users(sac_tokenizer *t, const sac_sentencepiece *m, sac_error *error)
{
    sac_text_buffer pattern = {.most = 1 << 15};
    size_t longest = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->pieces[i].kind == SAC_PIECE_USER && strlen(m->pieces[i].text) > longest)
            longest = strlen(m->pieces[i].text);
    for (size_t size = longest; size > 0 && !pattern.failed && !sac_cancel_asked(); size--)
        for (size_t i = 0; i < m->count; i++) {
            const char *text = m->pieces[i].text;
            if (m->pieces[i].kind != SAC_PIECE_USER || strlen(text) != size)
                continue;
            if (pattern.size)
                sac_text_append(&pattern, "|", 1);
            for (; *text; text++) {
                if (strchr("\\^$.|?*+()[]{}-&#", *text))
                    sac_text_append(&pattern, "\\", 1);
                sac_text_append(&pattern, text, 1);
            }
        }
    sac_status status = SAC_OK;
    if (pattern.failed)
        status = sac_fail(error, SAC_E_FORMAT, "pieces", "give its tokenizer.json",
                          "has more user-defined pieces than are supported");
    else if (pattern.size)
        status = sac_tokenizer_cut(t, pattern.bytes, SAC_SPLIT_ISOLATED, false, error);
    t->ignores_merges = pattern.size > 0;
    sac_text_free(&pattern);
    return status;
}

/* LlamaTokenizer: pairs, bytes, and a ▁ before the text. */
static sac_status use_llama(sac_tokenizer *t, const sac_sentencepiece *m, const sac_settings *s,
                            sac_error *error)
{
    bool legacy = sac_settings_flag(s, "legacy", false);
    sac_status status = use_pairs(t, m, true, error);
    t->byte_fallback = true;
    if (status == SAC_OK)
        status =
            sac_tokenizer_cut_marks(t,
                                    !sac_settings_flag(s, "add_prefix_space", true) ? SAC_MARK_NEVER
                                    : legacy ? SAC_MARK_ALWAYS
                                             : SAC_MARK_FIRST,
                                    false, error);
    return status;
}

static sac_status use_model(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s,
                            sac_error *error)
{
    sac_status status = SAC_OK;
    bool known = m->unknown >= 0 && (size_t)m->unknown < m->count;
    if (m->suffixes || (!m->is_unigram && !m->is_bpe))
        return sac_fail(error, SAC_E_FORMAT, "trainer_spec", "give a model of unigrams or pairs",
                        "%s is not supported",
                        m->suffixes ? "treat_whitespace_as_suffix" : "its model_type");
    t->byte_fallback = m->byte_fallback;
    t->unknown = known ? m->unknown : -1;
    if (m->is_bpe) {
        status = use_pairs(t, m, false, error);
    } else {
        t->model = SAC_UNIGRAM;
        status = add_unigrams(t, m, 0, error);
    }
    if (status == SAC_OK)
        status = normalize(t, m, sac_settings_flag(s, "legacy", true), error);
    return status == SAC_OK ? isolate_users(t, m, error) : status;
}

static const char *piece_or_null(const sac_sentencepiece *m, int id)
{
    return id >= 0 && (size_t)id < m->count ? m->pieces[id].text : NULL;
}

sac_status sac_tokenizer_use_pieces(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s,
                                    sac_error *error)
{
    if (s->kind == SAC_CLASS_T5 || s->kind == SAC_CLASS_XLM_ROBERTA ||
        s->kind == SAC_CLASS_CAMEMBERT)
        return use_unigrams(t, m, s, error);
    bool is_llama = s->kind == SAC_CLASS_LLAMA;
    sac_status status = is_llama ? use_llama(t, m, s, error) : use_model(t, m, s, error);
    if (status == SAC_OK)
        status = add_pieces(t, m, is_llama, error);
    if (status == SAC_OK) {
        /* The token for what is unknown stands for no text either. */
        const char *unknown = sac_tokenizer_token(t, t->unknown);
        status = unknown ? sac_tokenizer_add_special(t, unknown, error) : SAC_OK;
    }
    if (status == SAC_OK)
        status = sac_settings_add_tokens(s, t, error);
    /* Where no class names them, bos_token and eos_token are those that the model has. */
    if (status != SAC_OK)
        return status;
    const char *bos = sac_settings_special(s, "bos_token");
    const char *eos = sac_settings_special(s, "eos_token");
    bos = bos || s->kind == SAC_CLASS_LLAMA ? bos : piece_or_null(m, m->bos);
    eos = eos || s->kind == SAC_CLASS_LLAMA ? eos : piece_or_null(m, m->eos);
    return sac_tokenizer_frame(t, sac_settings_flag(s, "add_bos_token", false) ? bos : NULL,
                               sac_settings_flag(s, "add_eos_token", false) ? eos : NULL, error);
}

sac_status sac_tokenizer_read_pieces(sac_tokenizer *t, const char *path, const sac_settings *s,
                                     sac_error *error)
{
    sac_sentencepiece m;
    sac_status status = sac_sentencepiece_read(path, &m, error);
    if (status == SAC_OK)
        status = sac_error_within(error, sac_tokenizer_use_pieces(t, &m, s, error), path);
    sac_sentencepiece_free(&m);
    return status;
}
