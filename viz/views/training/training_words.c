/* The words of a sentence that it does not share with the true one. */
#include <stdio.h>
#include <string.h>

#include "training/training_state.h"

static void cut_truth(training_picture *p, const char *truth)
{
    char *rest = NULL;
    snprintf(p->text, sizeof p->text, "%s", truth);
    p->truth_count = 0;
    for (char *t = strtok_r(p->text, " ", &rest); t && p->truth_count < SAC_MAX_TOKENS;
         t = strtok_r(NULL, " ", &rest))
        p->truth[p->truth_count++] = t;
}

/* shared[i][k]: words in the longest sequence common to what is said from word i on and what is
 * true from word k on. */
typedef int shared_table[SAC_MAX_TOKENS + 1][SAC_MAX_TOKENS + 1];

static void count_shared(const training_picture *p, const sac_caption *caption, shared_table shared)
{
    for (int i = caption->count; i >= 0; i--)
        for (int k = p->truth_count; k >= 0; k--) {
            int best = 0;
            if (i < caption->count && k < p->truth_count) {
                bool same = strcmp(caption->words[i].text, p->truth[k]) == 0;
                int skipped =
                    shared[i + 1][k] > shared[i][k + 1] ? shared[i + 1][k] : shared[i][k + 1];
                best = same ? shared[i + 1][k + 1] + 1 : skipped;
            }
            shared[i][k] = best;
        }
}

void training_judge(training_picture *p, const char *truth, const sac_caption *caption)
{
    shared_table shared;
    int i = 0, k = 0;
    cut_truth(p, truth);
    count_shared(p, caption, shared);
    for (int n = 0; n < SAC_MAX_TOKENS; n++)
        p->wrong[n] = p->missed[n] = true;
    while (i < caption->count && k < p->truth_count) {
        if (strcmp(caption->words[i].text, p->truth[k]) == 0)
            p->wrong[i++] = p->missed[k++] = false;
        else if (shared[i + 1][k] >= shared[i][k + 1])
            i++;
        else
            k++;
    }
    p->right =
        caption->finished && caption->count == p->truth_count && shared[0][0] == p->truth_count;
}
