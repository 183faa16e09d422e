/* The links of a true alignment, and comparison with them. */

#include "sources/alignment.h"

#include <string.h>

/* The number of words that both begin with. */
static int common(const sac_alignment_truth *truth, const sac_caption *translation)
{
    int count = 0;
    while (count < truth->count && count < translation->count &&
           strcmp(truth->words[count], translation->words[count].text) == 0)
        count++;
    return count;
}

bool sac_alignment_is_true(const sac_alignment_truth *truth, const sac_caption *translation, int t,
                           int i)
{
    return t < common(truth, translation) && i < 64 && (truth->links[t] >> i & 1);
}

bool sac_alignment_is_exact(const sac_alignment_truth *truth, const sac_caption *translation)
{
    int all = common(truth, translation);
    return all == truth->count && all == translation->count;
}
