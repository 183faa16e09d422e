/* A model of SentencePiece without a tokenizer.json: its pieces are the vocabulary, in the order
 * that the class of the tokenizer gives them, and what it does to a text before is done by the
 * steps that tokenizer.json would name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "tokenizers/files/sentencepiece.h"
#include "tokenizers/files/tokenizer_config.h"
#include "tokenizers/text/unicode.h"

/* Control pieces are special tokens. `users`: user-defined pieces are added tokens too. */
static void add_special_pieces(sac_tokenizer *t, const sac_sentencepiece *m, bool users)
{
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++) {
        const sac_piece *p = &m->pieces[i];
        int id = sac_tokenizer_find(t, p->text);
        const sac_added_token added = {.id = id, .special = p->kind == SAC_PIECE_CONTROL};
        bool adds = p->kind == SAC_PIECE_CONTROL || (users && p->kind == SAC_PIECE_USER);
        if (adds && id >= 0 && !sac_tokenizer_add(t, added))
            t->status = sac_no_memory(t->error, "pieces");
    }
}

/* ---------------------------------------------------------------- unigrams */

static void add_unigram(sac_tokenizer *t, const char *text, double score)
{
    SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, text, (double)t->vocabulary.size, t->error));
    SAC_TRY(t, sac_unigram_add(&t->unigram, text, score, t->error));
}

static void add_unigrams(sac_tokenizer *t, const sac_sentencepiece *m, size_t first)
{
    for (size_t i = first; i < m->count && t->status == SAC_OK; i++)
        add_unigram(t, m->pieces[i].text, m->pieces[i].score);
}

static sac_status fail_special_not_text(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, "tokenizer_config.json", NULL,
                    "a special token is not a text");
}

static void add_special_unigrams(sac_tokenizer *t, const char *const *tokens, size_t count)
{
    for (size_t i = 0; i < count && t->status == SAC_OK; i++)
        if (tokens[i])
            add_unigram(t, tokens[i], 0);
        else
            t->status = fail_special_not_text(t->error);
}

/* fairseq's order: the special tokens, the pieces without their own, languages, and the mask. */
static void add_fairseq_pieces(sac_tokenizer *t, const sac_sentencepiece *m, const sac_settings *s)
{
    const char *unknown = sac_settings_special(s, "unk_token");
    const char *mask = sac_settings_special(s, "mask_token");
    const char *pad = sac_settings_special(s, "pad_token");
    const char *bos = sac_settings_special(s, "bos_token");
    const char *const first[] = {bos ? bos : sac_settings_special(s, "cls_token"), pad,
                                 sac_settings_special(s, "eos_token"), unknown};
    const char *const camembert[] = {"<s>NOTUSED", pad, "</s>NOTUSED", unknown, "<unk>NOTUSED"};
    bool is_camembert = s->kind == SAC_CLASS_CAMEMBERT;
    add_special_unigrams(t, is_camembert ? camembert : first, is_camembert ? 5 : 4);
    if (t->status == SAC_OK && is_camembert)
        t->unigram.scores[4] = -100;
    add_unigrams(t, m, is_camembert ? 1 : 3);
    sac_settings_add_languages(s, t);
    add_special_unigrams(t, &mask, 1);
    t->unknown = 3;
}

/* Sentinel tokens (<extra_id_N>) follow the pieces, the first of them last. */
static void add_t5_pieces(sac_tokenizer *t, const sac_sentencepiece *m, int extra)
{
    add_unigrams(t, m, 0);
    for (int i = extra; i-- > 0 && t->status == SAC_OK;) {
        char name[32];
        snprintf(name, sizeof name, "<extra_id_%d>", i);
        add_unigram(t, name, 0);
        sac_tokenizer_mark_special(t, name);
    }
    t->unknown = 2 < t->vocabulary.size ? 2 : -1;
}

/* What masks words and sentences, and 101 that only its training had, stand before the pieces. */
static void add_pegasus_pieces(sac_tokenizer *t, const sac_sentencepiece *m, const sac_settings *s)
{
    enum { TRAINED = 103 };
    const char *sentence = sac_settings_text(s, "mask_token_sent");
    const char *const first[] = {
        sac_settings_special(s, "pad_token"), sac_settings_special(s, "eos_token"),
        sentence[0] ? sentence : "<mask_1>", sac_settings_special(s, "mask_token")};
    add_special_unigrams(t, first, 4);
    for (int i = 2; i < TRAINED && t->status == SAC_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "<unk_%d>", i);
        add_unigram(t, name, -100);
        sac_tokenizer_mark_special(t, name);
    }
    if (t->status == SAC_OK)
        sac_tokenizer_mark_special(t, first[2]);
    t->unknown = (int)t->vocabulary.size;
    add_unigrams(t, m, 2);
}

static void set_up_unigrams(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s)
{
    bool is_pegasus = s->kind == SAC_CLASS_PEGASUS;
    bool is_t5 = s->kind == SAC_CLASS_T5 || is_pegasus; /* a text ends alone */
    t->model = SAC_UNIGRAM;
    if (is_pegasus)
        add_pegasus_pieces(t, m, s);
    else if (is_t5)
        add_t5_pieces(t, m,
                      (int)sac_settings_number(s, "extra_ids", SAC_EXTRA_IDS, SAC_EXTRA_IDS_MOST));
    else
        add_fairseq_pieces(t, m, s);
    t->normalizer.charsmap = m->charsmap;
    m->charsmap = (sac_charsmap){0};
    sac_settings_apply_unigrams(s, t);
    add_special_pieces(t, m, true);
    sac_settings_add_tokens(s, t);
    sac_tokenizer_set_frame(t, is_t5 ? NULL : sac_settings_special(s, "bos_token"),
                            sac_settings_special(s, "eos_token"));
    if (!is_t5)
        sac_tokenizer_separate_twice(t);
}

/* What ALBERT does to a text before unigrams, which are lower letters without accents. */
static void prepare_albert(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s)
{
    sac_tokenizer_add_replacement(t, "``", "\"");
    sac_tokenizer_add_replacement(t, "''", "\"");
    if (!sac_settings_flag(s, "keep_accents", false)) {
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_NFKD, NULL, NULL);
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_STRIP_MARKS, NULL, NULL);
    }
    if (sac_settings_flag(s, "do_lower_case", true))
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL);
    t->normalizer.charsmap = m->charsmap;
    m->charsmap = (sac_charsmap){0};
    if (t->normalizer.charsmap.count)
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_CHARSMAP, NULL, NULL);
    sac_tokenizer_add_blank_split(t);
}

static void prepare_deberta(sac_tokenizer *t, const sac_settings *s)
{
    if (sac_settings_flag(s, "do_lower_case", false))
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL);
    sac_tokenizer_add_replacement(t, "\\s{2,}|[\n\r\t]", " ");
    sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_NFC, NULL, NULL);
    sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_STRIP_RIGHT, NULL, NULL);
    if (sac_settings_flag(s, "split_by_punct", false))
        sac_tokenizer_add_split(t, SAC_ONE_PUNCTUATION, SAC_SPLIT_ISOLATED, false);
}

/* Of ALBERT and DeBERTa: the pieces as they are, in a frame as BERT's. */
static void set_up_framed_unigrams(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s)
{
    const char *unknown = sac_settings_special(s, "unk_token");
    t->model = SAC_UNIGRAM;
    add_unigrams(t, m, 0);
    t->unknown = unknown ? sac_tokenizer_find(t, unknown) : -1;
    if (s->kind == SAC_CLASS_ALBERT)
        prepare_albert(t, m, s);
    else
        prepare_deberta(t, s);
    bool marks = sac_settings_flag(s, "add_prefix_space", true);
    sac_tokenizer_add_mark_splits(t,
                                  marks                             ? SAC_MARK_ALWAYS
                                  : s->kind == SAC_CLASS_DEBERTA_V2 ? SAC_MARK_FIRST
                                                                    : SAC_MARK_NEVER,
                                  true);
    add_special_pieces(t, m, true);
    sac_settings_add_tokens(s, t);
    sac_tokenizer_set_frame(t, sac_settings_special(s, "cls_token"),
                            sac_settings_special(s, "sep_token"));
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

static void add_pair(sac_tokenizer *t, pairs *p, pair one)
{
    enum { MOST = 1 << 22 }; /* the largest models have an eighth */
    pair *grown =
        p->count < MOST ? sac_list_grow(p->list, p->count, &p->capacity, sizeof *p->list) : NULL;
    if (grown) {
        p->list = grown;
        p->list[p->count++] = one;
    } else {
        t->status = p->count < MOST ? sac_no_memory(t->error, "pieces")
                                    : sac_fail(t->error, SAC_E_FORMAT, "pieces", NULL,
                                               "has more than %d pairs that make a piece", MOST);
    }
}

static bool may_be_merged(const sac_tokenizer *t, const sac_sentencepiece *m, bool is_llama,
                          const char *text, size_t size)
{
    int id = sac_vocabulary_find(&t->vocabulary, text, size);
    return id >= 0 && (is_llama || m->pieces[id].kind == SAC_PIECE_NORMAL);
}

static void collect_merge_pairs(sac_tokenizer *t, const sac_sentencepiece *m, bool is_llama,
                                pairs *p)
{
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++) {
        const char *text = m->pieces[i].text;
        size_t size = strlen(text), left = 0;
        if (i % 1024 == 0)
            t->status = sac_cancel_check("pieces", t->error);
        if (!is_llama && m->pieces[i].kind != SAC_PIECE_NORMAL)
            continue;
        for (sac_unicode_next(text, size, &left); left < size && t->status == SAC_OK;
             sac_unicode_next(text, size, &left))
            if (may_be_merged(t, m, is_llama, text, left) &&
                may_be_merged(t, m, is_llama, text + left, size - left))
                add_pair(t, p, (pair){is_llama ? 0 : m->pieces[i].score, i, left});
    }
}

static void add_vocabulary(sac_tokenizer *t, const sac_sentencepiece *m)
{
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++)
        t->status = sac_vocabulary_add(&t->vocabulary, m->pieces[i].text, (double)i, t->error);
}

/* Of the vocabulary, which is there. */
static void set_up_bpe_merges(sac_tokenizer *t, const sac_sentencepiece *m, bool is_llama)
{
    pairs p = {0};
    t->model = SAC_BPE;
    t->joining = SAC_JOIN_MARKS;
    t->first_blank = SAC_FIRST_ONE;
    t->fuses_unknown = true;
    collect_merge_pairs(t, m, is_llama, &p);
    if (p.count)
        qsort(p.list, p.count, sizeof *p.list, compare_pairs);
    bool added = t->status == SAC_OK && sac_bpe_allocate_merges(t, p.count);
    for (size_t i = 0; i < p.count && added; i++) {
        const pair *one = &p.list[i];
        const char *text = m->pieces[one->piece].text;
        added = sac_bpe_add_merge(t, text, one->left, text + one->left, strlen(text + one->left),
                                  (int)i);
    }
    SAC_TRY(t, added ? sac_cancel_check("pieces", t->error) : sac_no_memory(t->error, "pieces"));
    free(p.list);
}

/* ---------------------------------------------------------------- as SentencePiece itself does it
 */

/* What a text becomes before it is cut. `legacy`: each part between special tokens gets the space
 * that stands before a text. `exact`: as SentencePiece does it, where `tokenizers` differs. */
static void add_normalizer_steps(sac_tokenizer *t, sac_sentencepiece *m, bool legacy, bool exact)
{
    if (m->charsmap.count) {
        t->normalizer.charsmap = m->charsmap;
        m->charsmap = (sac_charsmap){0};
        sac_tokenizer_add_normalizer(t, exact ? SAC_NORMALIZE_LONGEST : SAC_NORMALIZE_CHARSMAP,
                                     NULL, NULL);
    }
    if (m->trims) {
        sac_tokenizer_add_replacement(t, "\\A +| +\\z", "");
        sac_tokenizer_add_replacement(t, " {2,}", " ");
    }
    if (m->marks_blank)
        sac_tokenizer_add_replacement(t, " ", SAC_MARK);
    if (m->marks_blank && m->trims && exact)
        sac_tokenizer_add_replacement(t, SAC_MARK "+\\z", "");
    if (m->adds_blank && legacy) /* which else leaves out a second mark */
        sac_tokenizer_add_replacement(t, "\\A" SAC_MARK, SAC_MARK SAC_MARK);
    if (m->adds_blank)
        sac_tokenizer_add_mark_splits(t, legacy ? SAC_MARK_ALWAYS : SAC_MARK_FIRST, false);
}

/* User-defined pieces are never split. */
static void isolate_user_pieces(sac_tokenizer *t, const sac_sentencepiece *m)
{
    sac_text_buffer pattern = {.most = 1 << 15};
    size_t longest = 0;
    if (t->status != SAC_OK)
        return;
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
    if (pattern.failed)
        SAC_TRY(t, sac_fail(t->error, SAC_E_FORMAT, "pieces", "give its tokenizer.json",
                            "has more user-defined pieces than are supported"));
    else if (pattern.size)
        sac_tokenizer_add_split(t, pattern.bytes, SAC_SPLIT_ISOLATED, false);
    t->ignores_merges = pattern.size > 0;
    sac_text_free(&pattern);
}

/* What SigLIP does to a text before: ASCII's signs go, and all blanks are one space. */
static void prepare_siglip(sac_tokenizer *t, const sac_settings *s)
{
    sac_tokenizer_add_replacement(t, SAC_MARK, " ");
    if (sac_settings_flag(s, "do_lower_case", true))
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL);
    sac_tokenizer_add_replacement(t, "[!-/:-@\\[-`{-~]", "");
    sac_tokenizer_add_replacement(t, "[" SAC_CHARS_SPACE "]+", " ");
    sac_tokenizer_add_replacement(t, "\\A +| +\\z", "");
    t->begins_anyway = true;
}

/* SentencePiece finds pieces for text, and user-defined ones, which are as good as the best of those
 * for each of their bytes. */
static void add_exact_unigrams(sac_tokenizer *t, const sac_sentencepiece *m)
{
    double best = -INFINITY;
    t->model = SAC_UNIGRAM;
    t->unigram.sums_floats = true;
    add_vocabulary(t, m);
    for (size_t i = 0; i < m->count; i++)
        if (m->pieces[i].kind == SAC_PIECE_NORMAL)
            best = fmax(best, m->pieces[i].score);
    for (size_t i = 0; i < m->count; i++) {
        const sac_piece *p = &m->pieces[i];
        size_t size = strlen(p->text);
        bool is_user = p->kind == SAC_PIECE_USER;
        double score = is_user ? (isfinite(best) ? (double)size * best : 0) - 0.1 : p->score;
        if (is_user || p->kind == SAC_PIECE_NORMAL)
            SAC_TRY(t, sac_unigram_add(&t->unigram, p->text, score, t->error));
    }
}

static void set_up_sentencepiece(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s)
{
    bool known = m->unknown >= 0 && (size_t)m->unknown < m->count;
    bool is_siglip = s->kind == SAC_CLASS_SIGLIP, exact = s->cuts_only || is_siglip;
    if (is_siglip)
        prepare_siglip(t, s);
    else if (s->kind == SAC_CLASS_SIGLIP2)
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL);
    t->byte_fallback = m->byte_fallback;
    t->unknown = known ? m->unknown : -1;
    if (m->is_bpe) {
        add_vocabulary(t, m);
        set_up_bpe_merges(t, m, false);
    } else if (exact) {
        add_exact_unigrams(t, m);
    } else {
        t->model = SAC_UNIGRAM;
        add_unigrams(t, m, 0);
    }
    add_normalizer_steps(t, m, !is_siglip && sac_settings_flag(s, "legacy", true), exact);
    t->first_blank = m->adds_blank ? SAC_FIRST_ONE : SAC_FIRST_NONE;
    if (m->is_bpe || !exact)
        isolate_user_pieces(t, m);
}

/* NLLB's: fairseq's special tokens, the pieces without them, languages, and the mask. */
static void set_up_nllb(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s)
{
    static const char *const first[] = {"bos_token", "pad_token", "eos_token", "unk_token"};
    const char *mask = sac_settings_special(s, "mask_token");
    if (!m->is_bpe)
        t->status = sac_fail(t->error, SAC_E_FORMAT, "trainer_spec", "give its tokenizer.json",
                             "is no byte-pair encoding, as an NLLB's is");
    for (size_t i = 0; i < 4 && t->status == SAC_OK; i++) {
        const char *token = sac_settings_special(s, first[i]);
        t->status = token ? sac_vocabulary_add(&t->vocabulary, token, (double)i, t->error)
                          : fail_special_not_text(t->error);
    }
    for (size_t i = 0; i < m->count && t->status == SAC_OK; i++)
        if (sac_tokenizer_find(t, m->pieces[i].text) < 0)
            t->status = sac_vocabulary_add(&t->vocabulary, m->pieces[i].text,
                                           (double)t->vocabulary.size, t->error);
    set_up_bpe_merges(t, m, true);
    t->unknown = 3;
    t->normalizer.charsmap = m->charsmap;
    m->charsmap = (sac_charsmap){0};
    if (t->normalizer.charsmap.count)
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_CHARSMAP, NULL, NULL);
    sac_tokenizer_add_replacement(t, " {2,}", " ");
    sac_tokenizer_add_mark_splits(t, SAC_MARK_ALWAYS, true);
    sac_settings_add_languages(s, t);
    if (mask && t->status == SAC_OK && sac_tokenizer_find(t, mask) < 0)
        t->status = sac_vocabulary_add(&t->vocabulary, mask, (double)t->vocabulary.size, t->error);
    sac_settings_add_tokens(s, t);
}

static const char *piece_or_null(const sac_sentencepiece *m, int id)
{
    return id >= 0 && (size_t)id < m->count ? m->pieces[id].text : NULL;
}

void sac_tokenizer_use_pieces(sac_tokenizer *t, sac_sentencepiece *m, const sac_settings *s)
{
    if (m->suffixes || (!m->is_unigram && !m->is_bpe)) {
        t->status =
            sac_fail(t->error, SAC_E_FORMAT, "trainer_spec",
                     "give one of unigrams or pairs, or its tokenizer.json", "%s is not supported",
                     m->suffixes      ? "treat_whitespace_as_suffix"
                     : m->is_of_words ? "a model_type WORD, of whole words,"
                                      : "a model_type CHAR, of single characters,");
        return;
    }
    if (s->kind == SAC_CLASS_T5 || s->kind == SAC_CLASS_PEGASUS ||
        s->kind == SAC_CLASS_XLM_ROBERTA || s->kind == SAC_CLASS_CAMEMBERT ||
        s->kind == SAC_CLASS_MBART || s->kind == SAC_CLASS_MBART50) {
        set_up_unigrams(t, m, s);
        return;
    }
    if (s->kind == SAC_CLASS_ALBERT || s->kind == SAC_CLASS_DEBERTA_V2) {
        set_up_framed_unigrams(t, m, s);
        return;
    }
    if (s->kind == SAC_CLASS_NLLB) {
        set_up_nllb(t, m, s);
        return;
    }
    bool is_llama = s->kind == SAC_CLASS_LLAMA;
    if (is_llama) { /* pairs, bytes, and a ▁ before the text */
        bool marks = sac_settings_flag(s, "add_prefix_space", true);
        bool legacy = sac_settings_flag(s, "legacy", false);
        add_vocabulary(t, m);
        set_up_bpe_merges(t, m, true);
        t->byte_fallback = true;
        t->first_blank = marks ? SAC_FIRST_ONE : SAC_FIRST_NONE;
        sac_tokenizer_add_mark_splits(t,
                                      !marks   ? SAC_MARK_NEVER
                                      : legacy ? SAC_MARK_ALWAYS
                                               : SAC_MARK_FIRST,
                                      false);
    } else {
        set_up_sentencepiece(t, m, s);
    }
    if (s->cuts_only)
        return;
    if (s->kind != SAC_CLASS_SIGLIP) /* whose control pieces are texts as others */
        add_special_pieces(t, m, is_llama);
    const char *unknown = sac_tokenizer_token(t, t->unknown);
    if (unknown) /* it stands for no text either */
        sac_tokenizer_mark_special(t, unknown);
    sac_settings_add_tokens(s, t);
    /* Where no class names them, bos_token and eos_token are those that the model has. */
    const char *bos = sac_settings_special(s, "bos_token");
    const char *eos = sac_settings_special(s, "eos_token");
    bos = bos || is_llama ? bos : piece_or_null(m, m->bos);
    eos = eos || is_llama ? eos : piece_or_null(m, m->eos);
    bool ends = s->kind == SAC_CLASS_SIGLIP || sac_settings_flag(s, "add_eos_token", false);
    sac_tokenizer_set_frame(t, sac_settings_flag(s, "add_bos_token", false) ? bos : NULL,
                            ends ? eos : NULL);
}

void sac_tokenizer_read_pieces(sac_tokenizer *t, const char *path, const sac_settings *s)
{
    sac_sentencepiece m = {0};
    if (sac_tokenizer_is_tiktoken(path))
        t->status = sac_tokenizer_refuse_tiktoken(path, t->error);
    SAC_TRY(t, sac_sentencepiece_read(path, &m, t->error));
    if (t->status == SAC_OK) {
        sac_tokenizer_use_pieces(t, &m, s);
        t->status = sac_error_within(t->error, t->status, path);
    }
    sac_sentencepiece_free(&m);
}
