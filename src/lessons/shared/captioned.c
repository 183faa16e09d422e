#include "lessons/shared/captioned.h"

const char *const sac_captioned_words[SAC_CAPTIONED_WORDS] = {
    "a",      "large",    "green", "star", "left",  "of",    "a",     "small",
    "purple", "triangle", "and",   "a",    "small", "black", "circle"};
