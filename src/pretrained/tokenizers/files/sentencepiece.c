/* A minimal reader of Protocol Buffers: a field is a number and a wire type, then its value. Unused
 * fields are skipped; a length beyond the end means a damaged file. */
#include "tokenizers/files/sentencepiece.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/text/utf8.h"

/* Bytes that are still to be read. */
typedef struct span {
    const uint8_t *at, *end;
} span;

typedef struct field {
    uint64_t number;
    unsigned type;  /* VARINT … */
    uint64_t value; /* VARINT, FIXED32 */
    span bytes;     /* BYTES */
} field;

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* ---------------------------------------------------------------- fields */

static bool read_varint(span *s, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && s->at < s->end; shift += 7) {
        uint8_t byte = *s->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool skip(span *s, size_t size)
{
    if ((size_t)(s->end - s->at) < size)
        return false;
    s->at += size;
    return true;
}

static bool read_value(span *s, field *f)
{
    const uint8_t *begin = s->at;
    switch (f->type) {
    case VARINT:
        return read_varint(s, &f->value);
    case FIXED64:
        return skip(s, 8);
    case BYTES:
        if (!read_varint(s, &f->value) || f->value > (uint64_t)(s->end - s->at))
            return false;
        f->bytes = (span){s->at, s->at + f->value};
        return skip(s, (size_t)f->value);
    case FIXED32:
        if (!skip(s, 4))
            return false;
        for (int i = 0; i < 4; i++)
            f->value |= (uint64_t)begin[i] << 8 * i;
        return true;
    default:
        return false;
    }
}

/* The next field; false at the end, and where what is there is none: then *damaged is set. */
static bool next_field(span *s, field *f, bool *damaged)
{
    uint64_t key;
    *f = (field){0};
    if (s->at == s->end || *damaged)
        return false;
    *damaged = !read_varint(s, &key);
    if (*damaged)
        return false;
    f->number = key >> 3;
    f->type = (unsigned)(key & 7);
    *damaged = f->number == 0 || !read_value(s, f);
    return !*damaged;
}

static bool is(const field *f, uint64_t number, unsigned type)
{
    return f->number == number && f->type == type;
}

/* ---------------------------------------------------------------- messages */

static sac_status fail_damaged_file(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, NULL, "is damaged, or no model of SentencePiece");
}

sac_status sac_sentencepiece_add(sac_sentencepiece *m, const char *text, size_t size, double score,
                                 unsigned kind, sac_error *error)
{
    sac_status status = sac_piece_check(text, size, score, m->count, error);
    if (status == SAC_OK && (kind < SAC_PIECE_NORMAL || kind > SAC_PIECE_BYTE))
        status = sac_fail(error, SAC_E_FORMAT, "pieces", "give a model without it",
                          "piece %zu is of kind %u, which is not known", m->count, kind);
    if (status != SAC_OK)
        return status;
    sac_piece *grown = sac_list_grow(m->pieces, m->count, &m->capacity, sizeof *m->pieces);
    if (grown) {
        m->pieces = grown;
        grown[m->count] = (sac_piece){strndup(text, size), score, (sac_piece_kind)kind};
        if (grown[m->count].text) {
            m->count++;
            return m->count % 4096 ? SAC_OK : sac_cancel_check("pieces", error);
        }
    }
    return sac_no_memory(error, "pieces");
}

/* SentencePiece: 1 its text, 2 its score, 3 its kind. */
static sac_status read_piece(span s, sac_sentencepiece *m, sac_error *error)
{
    field f;
    span text = {0};
    float score = 0;
    uint64_t kind = SAC_PIECE_NORMAL;
    bool damaged = false;
    while (next_field(&s, &f, &damaged)) {
        uint32_t bits = (uint32_t)f.value;
        if (is(&f, 1, BYTES))
            text = f.bytes;
        else if (is(&f, 2, FIXED32))
            memcpy(&score, &bits, sizeof score);
        else if (is(&f, 3, VARINT))
            kind = f.value;
    }
    return damaged
               ? fail_damaged_file(error)
               : sac_sentencepiece_add(m, (const char *)text.at, (size_t)(text.end - text.at),
                                       (double)score, kind < UINT_MAX ? (unsigned)kind : 0, error);
}

/* TrainerSpec: 3 the kind of model, 24 whether ▁ ends a word, 35 whether bytes stand for what has
 * no piece, 40, 41 and 42 the pieces for what is unknown, and for the ends of a text. */
static sac_status read_trainer(span s, sac_sentencepiece *m, sac_error *error)
{
    enum { UNIGRAM = 1, BPE, WORD };
    field f;
    bool damaged = false;
    while (next_field(&s, &f, &damaged)) {
        int id = f.value < SAC_VOCABULARY_MOST ? (int)f.value : -1;
        if (is(&f, 3, VARINT)) {
            m->is_unigram = f.value == UNIGRAM;
            m->is_bpe = f.value == BPE;
            m->is_of_words = f.value == WORD;
        } else if (is(&f, 24, VARINT)) {
            m->suffixes = f.value;
        } else if (is(&f, 35, VARINT)) {
            m->byte_fallback = f.value;
        } else if (is(&f, 40, VARINT)) {
            m->unknown = id;
        } else if (is(&f, 41, VARINT)) {
            m->bos = id;
        } else if (is(&f, 42, VARINT)) {
            m->eos = id;
        }
    }
    return damaged ? fail_damaged_file(error) : SAC_OK;
}

/* NormalizerSpec: 2 the table of characters, 3, 4 and 5 what is done with blanks. */
static sac_status read_normalizer(span s, sac_sentencepiece *m, sac_error *error)
{
    field f;
    span table = {0};
    bool damaged = false;
    while (next_field(&s, &f, &damaged)) {
        if (is(&f, 2, BYTES))
            table = f.bytes;
        else if (is(&f, 3, VARINT))
            m->adds_blank = f.value;
        else if (is(&f, 4, VARINT))
            m->trims = f.value;
        else if (is(&f, 5, VARINT))
            m->marks_blank = f.value;
    }
    if (damaged)
        return fail_damaged_file(error);
    sac_charsmap_free(&m->charsmap);
    return table.at == table.end
               ? SAC_OK
               : sac_charsmap_read(table.at, (size_t)(table.end - table.at), &m->charsmap, error);
}

sac_status sac_sentencepiece_parse(const uint8_t *data, size_t size, sac_sentencepiece *m,
                                   sac_error *error)
{
    span s = {data, data + size};
    field f;
    bool damaged = false;
    sac_status status = SAC_OK;
    *m = (sac_sentencepiece){.unigram.sums_floats = true,
                             .is_unigram = true,
                             .adds_blank = true,
                             .trims = true,
                             .marks_blank = true,
                             .bos = 1,
                             .eos = 2};
    while (status == SAC_OK && next_field(&s, &f, &damaged)) {
        if (is(&f, 1, BYTES))
            status = read_piece(f.bytes, m, error);
        else if (is(&f, 2, BYTES))
            status = read_trainer(f.bytes, m, error);
        else if (is(&f, 3, BYTES))
            status = read_normalizer(f.bytes, m, error);
    }
    if (status != SAC_OK)
        return status;
    return damaged || m->count == 0 ? fail_damaged_file(error) : SAC_OK;
}

sac_status sac_sentencepiece_read(const char *path, sac_sentencepiece *m, sac_error *error)
{
    sac_bytes bytes;
    *m = (sac_sentencepiece){0};
    sac_status status = sac_bytes_read(path, &bytes, error);
    if (status != SAC_OK)
        return status;
    status = sac_sentencepiece_parse(bytes.data, bytes.size, m, error);
    sac_bytes_free(&bytes);
    return sac_error_within(error, status, path);
}

bool sac_sentencepiece_is_plain(const sac_sentencepiece *m)
{
    bool plain = m->is_unigram && !m->byte_fallback;
    for (size_t i = 0; i < m->count && plain; i++)
        plain = m->pieces[i].kind != SAC_PIECE_USER && m->pieces[i].kind != SAC_PIECE_BYTE;
    return plain;
}

sac_status sac_sentencepiece_build_unigrams(sac_sentencepiece *m, sac_error *error)
{
    sac_status status = SAC_OK;
    if (m->suffixes)
        return sac_fail(error, SAC_E_FORMAT, "trainer_spec", "give a model without it",
                        "treat_whitespace_as_suffix is not supported");
    for (size_t i = 0; i < m->count && status == SAC_OK; i++) {
        const sac_piece *p = &m->pieces[i];
        if (p->kind == SAC_PIECE_NORMAL)
            status = sac_unigram_add(&m->unigram, p->text, p->score, error);
    }
    return status != SAC_OK || m->unigram.pieces.size ? status : fail_damaged_file(error);
}

void sac_sentencepiece_free(sac_sentencepiece *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->pieces[i].text);
    free(m->pieces);
    sac_unigram_free(&m->unigram);
    sac_charsmap_free(&m->charsmap);
    *m = (sac_sentencepiece){0};
}
