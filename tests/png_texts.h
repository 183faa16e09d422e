/* What is written in a PNG, and beside its pixels. */
#ifndef TESTS_PNG_TEXTS_H
#define TESTS_PNG_TEXTS_H

#include "images/image.h"
#include "images/png_write.h"
#include "status.h"
#include "test.h"

/* The text under `key`, NULL where there is none; free() it. */
static inline char *png_text(const char *path, const char *key)
{
    sac_png_texts texts;
    OK(sac_png_texts_load(path, &texts, NULL));
    const char *found = sac_png_texts_get(&texts, key);
    char *text = found ? strdup(found) : NULL;
    sac_png_texts_free(&texts);
    return text;
}

static inline void assert_png_text(const char *path, const char *key, const char *wanted)
{
    char *text = png_text(path, key);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

static inline bool are_same_pixels(const char *path, const char *other)
{
    sac_image a, b;
    OK(sac_image_load(path, &a, NULL));
    OK(sac_image_load(other, &b, NULL));
    bool same = a.width == b.width && a.height == b.height &&
                memcmp(a.rgba, b.rgba, 4 * (size_t)a.width * (size_t)a.height) == 0;
    sac_image_free(&a);
    sac_image_free(&b);
    return same;
}

static inline void assert_same_pixels(const char *path, const char *other)
{
    if (!are_same_pixels(path, other))
        fail_msg("%s does not look like %s", path, other);
}

#endif
