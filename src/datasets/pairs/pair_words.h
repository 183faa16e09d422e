/* The words of pairs, and what the sentences that are trained on show of two languages. */
#ifndef SAC_PAIRS_PAIR_WORDS_H
#define SAC_PAIRS_PAIR_WORDS_H

#include "pairs/pairs.h"

/* Tokens of both sides of each pair, [pairs->count]. */
typedef sac_sentence_tokens sac_pair_tokens[SAC_SIDES];

/* Makes the first word of each sentence of the target small, where it is so within sentences. False: no
 * memory. */
bool sac_pairs_settle_case(const sac_pairs *pairs, sac_pair_tokens *tokens);
/* Fills languages->words, joins, capital and stop from the pairs that are trained on; words occur `least`
 * times there, 0: by their amount. */
sac_status sac_pairs_find_words(sac_pairs *pairs, const sac_pair_tokens *tokens, int least,
                                sac_error *error);

#endif
