/* Protocol Buffers by hand: a field is a number and a wire type, then its value. Fields that are
 * not asked for are stepped over; what goes beyond the bytes that there are is damage. */
#include "tokenizers/sentencepiece.h"

#include <string.h>

#include "base/error.h"

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

enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };
enum { UNIGRAM = 1 };

static sac_status damaged_file(sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, NULL, NULL, "is damaged, or no model of SentencePiece");
}

/* SentencePiece: 1 its text, 2 its score, 3 its kind. Control pieces stand for no text. */
static sac_status read_piece(span s, sac_unigram *u, sac_error *error)
{
    field f;
    span text = {0};
    float score = 0;
    uint64_t kind = NORMAL;
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
    if (damaged)
        return damaged_file(error);
    if (kind == UNKNOWN || kind == CONTROL || kind == UNUSED)
        return SAC_OK;
    if (kind != NORMAL)
        return sac_fail(error, SAC_E_FORMAT, "pieces", "give a model without them",
                        "%s pieces are not known here",
                        kind == USER_DEFINED ? "user-defined"
                        : kind == BYTE       ? "byte"
                                             : "unheard-of");
    return sac_unigram_add(u, (const char *)text.at, (size_t)(text.end - text.at), (double)score,
                           error);
}

/* TrainerSpec: 3 the kind of model, 24 whether ▁ ends a word, 35 whether bytes stand for what has
 * no piece. */
static sac_status check_trainer(span s, sac_error *error)
{
    field f;
    const char *unknown = NULL;
    bool damaged = false;
    while (next_field(&s, &f, &damaged)) {
        if (is(&f, 3, VARINT) && f.value != UNIGRAM)
            unknown = "a model_type that is not unigram";
        else if (is(&f, 24, VARINT) && f.value)
            unknown = "treat_whitespace_as_suffix";
        else if (is(&f, 35, VARINT) && f.value)
            unknown = "byte_fallback";
    }
    if (damaged)
        return damaged_file(error);
    return unknown ? sac_fail(error, SAC_E_FORMAT, "trainer_spec", "give a plain unigram model",
                              "%s is not known here", unknown)
                   : SAC_OK;
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
        return damaged_file(error);
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
    *m = (sac_sentencepiece){
        .unigram.sums_floats = true, .adds_blank = true, .trims = true, .marks_blank = true};
    while (status == SAC_OK && next_field(&s, &f, &damaged)) {
        if (is(&f, 1, BYTES))
            status = read_piece(f.bytes, &m->unigram, error);
        else if (is(&f, 2, BYTES))
            status = check_trainer(f.bytes, error);
        else if (is(&f, 3, BYTES))
            status = read_normalizer(f.bytes, m, error);
    }
    if (status != SAC_OK)
        return status;
    return damaged || m->unigram.pieces.size == 0 ? damaged_file(error) : SAC_OK;
}

void sac_sentencepiece_free(sac_sentencepiece *m)
{
    sac_unigram_free(&m->unigram);
    sac_charsmap_free(&m->charsmap);
}
