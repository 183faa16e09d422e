/* Sentences held out of training: those with certain pairs of words, long ones, and a random share
 * of all. */
#include "base/random/random.h"
#include "grammar/sentence.h"

/* FNV-1a of the English words, over which sentences are shared out. */
static uint32_t hash_source(const sac_sentence_pair *pair)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < pair->source_count; i++)
        for (const char *c = pair->source[i];; c++) {
            hash = (hash ^ (uint8_t)*c) * 16777619u;
            if (!*c)
                break;
        }
    return hash;
}

bool sac_text_pair_is_held_out(int noun, int adjective)
{
    return sac_philox((uint32_t)noun, (uint32_t)adjective, 0x70616972u) % 10 == 0;
}

sac_held_out sac_sentence_held_out(const sac_sentence_pair *pair)
{
    if (pair->has_unseen_pair)
        return SAC_HELD_PAIR;
    if (pair->source_count > SAC_SENTENCE_TRAINED_MOST)
        return SAC_HELD_LENGTH;
    return hash_source(pair) >> 16 & 7 ? SAC_HELD_NOT : SAC_HELD_SENTENCE;
}
