/* What hiding cells, or a word that a person chose, changed of the sentence, compared with what the
 * model generates for the same picture without either. */
#include <string.h>

#include "caption/caption_state.h"
#include "parts/figures/overlays.h"

#define MOST_GONE 3      /* words in one place; more are another sentence, not a change */
#define LEAST_KEPT 2     /* of five words */
enum { COMPARED = 128 }; /* words of a sentence that is compared */

/* How many words of before[b …] and now[n …] are the same in the same order, at most. */
typedef struct common_words {
    unsigned char most[COMPARED + 1][COMPARED + 1];
} common_words;

static bool is_same(const sac_result_output *a, const sac_result_output *b)
{
    return strcmp(a->text, b->text) == 0;
}

static void find_common(const earlier_caption *before, const sac_result *now, common_words *common)
{
    memset(common, 0, sizeof *common);
    for (int b = before->count - 1; b >= 0; b--)
        for (int n = now->count - 1; n >= 0; n--) {
            unsigned char down = common->most[b + 1][n], right = common->most[b][n + 1];
            common->most[b][n] = is_same(&before->words[b], &now->outputs[n])
                                     ? (unsigned char)(common->most[b + 1][n + 1] + 1)
                                 : down > right ? down
                                                : right;
        }
}

static bool is_another_sentence(const earlier_caption *before, const sac_result *now,
                                const common_words *common)
{
    int most = before->count > now->count ? before->count : now->count;
    return 5 * common->most[0][0] < LEAST_KEPT * most;
}

/* Adds a word of before to what is gone before word `n`. */
static void add_gone(caption_changes *changes, int n, const char *text)
{
    char *gone = changes->gone[n];
    size_t used = strlen(gone);
    snprintf(gone + used, sizeof *changes->gone - used, "%s%s", used ? " " : "", text);
}

void caption_changes_find(const earlier_caption *before, const sac_result *now,
                          caption_changes *changes)
{
    common_words common;
    *changes = (caption_changes){0};
    if (!before->count || !now->count || before->count > COMPARED || now->count > COMPARED)
        return;
    find_common(before, now, &common);
    changes->none = before->count == now->count && common.most[0][0] == now->count;
    if (is_another_sentence(before, now, &common))
        return;
    for (int b = 0, n = 0, run = 0; b < before->count || n < now->count;) {
        bool both = b < before->count && n < now->count;
        if (both && is_same(&before->words[b], &now->outputs[n])) {
            b++;
            n++;
            run = 0;
        } else if (b < before->count && (!both || common.most[b + 1][n] >= common.most[b][n + 1])) {
            changes->any = true;
            if (run++ < MOST_GONE)
                add_gone(changes, n, before->words[b].text);
            else
                changes->gone[n][0] = '\0';
            b++;
        } else {
            changes->any = changes->fresh[n] = true;
            n++;
        }
    }
}

void caption_changes_take(caption_view *v, bool asked)
{
    const sac_result *now = &v->g.caption;
    v->changes = (caption_changes){0};
    if (asked) {
        caption_changes_find(&v->unasked, now, &v->changes);
        return;
    }
    v->unasked.count = now->count;
    memcpy(v->unasked.words, now->outputs, (size_t)now->count * sizeof *now->outputs);
}

void caption_hidden_changed(caption_view *v)
{
    const sac_source *source = v->g.source;
    v->hidden_count = viz_hidden_count(v->hidden, source->picture.grid_w, source->picture.grid_h);
    viz_generation_changed(&v->g);
}
