/* How scripts set words apart. */
#ifndef SAC_BASE_TEXT_SCRIPT_H
#define SAC_BASE_TEXT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sac_script {
    SAC_SCRIPT_SPACED,   /* blanks stand between words: Latin, Cyrillic, Arabic, Hangul … */
    SAC_SCRIPT_KATAKANA, /* words stand among other characters, a run of katakana is one */
    SAC_SCRIPT_UNSPACED /* none are set apart: Chinese characters, hiragana, Thai, Lao, Khmer … */
} sac_script;

/* Of a letter, by blocks of Unicode. */
sac_script sac_script_of(uint32_t code);

/* False where two words, of which `left` is before `right` in the order of the text, are written
 * without a blank between them. */
bool sac_script_needs_blank(const char *left, const char *right);

#endif
