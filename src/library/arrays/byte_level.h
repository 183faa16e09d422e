/* Byte-level tokenizers (Radford et al. 2019, "Language Models are Unsupervised Multitask
 * Learners") write each byte of UTF-8 as a character: those that print as themselves, the others
 * from U+0100 on. */
#ifndef SAC_ARRAYS_BYTE_LEVEL_H
#define SAC_ARRAYS_BYTE_LEVEL_H

#include <stdint.h>

uint32_t sac_byte_character(uint8_t byte);
/* The byte that a character stands for; −1: none. */
int sac_character_byte(uint32_t code);

#endif
