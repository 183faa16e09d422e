/* What is written beside the pixels of a PNG. */
#ifndef TESTS_PNG_SAYS_H
#define TESTS_PNG_SAYS_H

#include <stdlib.h>

#include "formats/png_write.h"

static inline void assert_png_says(const char *path, const char *key, const char *wanted)
{
    char *text = NULL;
    assert_int_equal(sac_png_text_load(path, key, &text, NULL), SAC_OK);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

#endif
