/* Writes a GGUF, for tests: keys, and tensors without numbers. */
#ifndef TESTS_GGUF_WRITER_H
#define TESTS_GGUF_WRITER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GGUF_U32 = 4, GGUF_F32 = 6, GGUF_BOOL = 7, GGUF_TEXT = 8, GGUF_LIST = 9 };

typedef struct gguf_writer {
    uint8_t *bytes; /* free() it */
    size_t size, capacity;
    uint64_t tensors, keys; /* counted; gguf_end writes them */
} gguf_writer;

static inline void gguf_put(gguf_writer *w, const void *bytes, size_t size)
{
    while (w->capacity < w->size + size)
        w->bytes = realloc(w->bytes, w->capacity = 2 * w->capacity + size + 64);
    if (size)
        memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static inline void gguf_put_u32(gguf_writer *w, uint32_t number)
{
    gguf_put(w, &number, sizeof number);
}

static inline void gguf_put_u64(gguf_writer *w, uint64_t number)
{
    gguf_put(w, &number, sizeof number);
}

static inline void gguf_put_text(gguf_writer *w, const char *text, size_t size)
{
    gguf_put_u64(w, size);
    gguf_put(w, text, size);
}

/* Begins a key, whose value is put next. */
static inline void gguf_key(gguf_writer *w, const char *name, uint32_t kind)
{
    gguf_put_text(w, name, strlen(name));
    gguf_put_u32(w, kind);
    w->keys++;
}

static inline void gguf_key_text(gguf_writer *w, const char *name, const char *text)
{
    gguf_key(w, name, GGUF_TEXT);
    gguf_put_text(w, text, strlen(text));
}

static inline void gguf_key_whole(gguf_writer *w, const char *name, uint32_t number)
{
    gguf_key(w, name, GGUF_U32);
    gguf_put_u32(w, number);
}

static inline void gguf_key_real(gguf_writer *w, const char *name, float number)
{
    gguf_key(w, name, GGUF_F32);
    gguf_put(w, &number, sizeof number);
}

/* Begins a list of `count` values of a kind, which are put next. */
static inline void gguf_key_list(gguf_writer *w, const char *name, uint32_t kind, uint64_t count)
{
    gguf_key(w, name, GGUF_LIST);
    gguf_put_u32(w, kind);
    gguf_put_u64(w, count);
}

/* A tensor of one dimension; its numbers lie at `place`, counted from where all begin. Behind the keys. */
static inline void gguf_tensor(gguf_writer *w, const char *name, uint64_t length, uint32_t form,
                               uint64_t place)
{
    gguf_put_text(w, name, strlen(name));
    gguf_put_u32(w, 1);
    gguf_put_u64(w, length);
    gguf_put_u32(w, form);
    gguf_put_u64(w, place);
    w->tensors++;
}

static inline void gguf_begin(gguf_writer *w)
{
    *w = (gguf_writer){0};
    gguf_put(w, "GGUF\3\0\0\0", 8);
    gguf_put_u64(w, 0);
    gguf_put_u64(w, 0);
}

static inline void gguf_end(gguf_writer *w)
{
    memcpy(w->bytes + 8, &w->tensors, 8);
    memcpy(w->bytes + 16, &w->keys, 8);
}

/* The file of `size` bytes with the keys of `more` (begun and not ended) before its own. */
static inline void gguf_with_keys(const uint8_t *file, size_t size, const gguf_writer *more,
                                  gguf_writer *w)
{
    uint64_t keys;
    gguf_begin(w);
    gguf_put(w, more->bytes + 24, more->size - 24);
    gguf_key(w, "test.filler", GGUF_TEXT); /* the numbers stay at a multiple of 32 bytes */
    size_t fill = 32 - (w->size + 8 - 24) % 32;
    gguf_put_text(w, "                                ", fill);
    memcpy(&w->tensors, file + 8, 8);
    memcpy(&keys, file + 16, 8);
    w->keys = keys + more->keys + 1;
    gguf_put(w, file + 24, size - 24);
    gguf_end(w);
}

#endif
