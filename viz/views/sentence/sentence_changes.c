/* What hiding cells, or a word that a person chose, changed of the sentence, compared with what the
 * model generates without either; and whether a word depends on where it looked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "parts/pages/paragraph.h"
#include "sentence/sentence_state.h"
#include "view/words.h"

#define MOST_GONE 3      /* words in one place that are shown */
#define LEAST_KEPT 2     /* of five words */
enum { COMPARED = 128 }; /* words of a sentence that is compared */
#define CARD_WIDTH 320.0f
#define CARD_LEAST 190.0f /* as wide it is beside the picture, and covers no words */
#define CARD_PAD 14.0f

/* How many words of before[b …] and now[n …] are the same in the same order, at most. */
typedef struct common_words {
    unsigned char most[COMPARED + 1][COMPARED + 1];
} common_words;

static bool is_same(const sac_result_output *a, const sac_result_output *b)
{
    return strcmp(a->text, b->text) == 0;
}

static void find_common(const sentence_words *before, const sac_result *now, common_words *common)
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

void sentence_changes_find(const sentence_words *before, const sac_result *now,
                           sentence_changes *changes)
{
    common_words common;
    *changes = (sentence_changes){0};
    if (!before->count || !now->count || before->count > COMPARED || now->count > COMPARED)
        return;
    find_common(before, now, &common);
    changes->none = before->count == now->count && common.most[0][0] == now->count;
    int most = before->count > now->count ? before->count : now->count;
    if (5 * common.most[0][0] < LEAST_KEPT * most) /* another sentence */
        return;
    for (int b = 0, n = 0, run = 0; b < before->count || n < now->count;) {
        bool both = b < before->count && n < now->count;
        if (both && is_same(&before->words[b], &now->outputs[n])) {
            b++;
            n++;
            run = 0;
        } else if (b < before->count && (!both || common.most[b + 1][n] >= common.most[b][n + 1])) {
            char *gone = changes->gone[n];
            size_t used = strlen(gone);
            changes->any = true;
            if (run++ <= MOST_GONE)
                snprintf(gone + used, sizeof *changes->gone - used, "%s%s", used ? " " : "",
                         run <= MOST_GONE ? before->words[b].text : "…");
            b++;
        } else {
            changes->any = changes->fresh[n] = true;
            n++;
        }
    }
}

/* ---------------------------------------------------------------- does it matter where it looked? */

/* The selected word is generated again without the cells with the largest weights, and again without as
 * many others; a card beside the picture shows the words that result. */

static bool has_matters_answer(const sentence_view *v)
{
    return v->matters.known && v->matters.word == sentence_current_word(v) &&
           v->matters.revision == v->revision;
}

bool sentence_matters_due(const sentence_view *v)
{
    bool is_word = v->request.demand == v->revision && sentence_current_word(v) >= 0;
    return v->matters.on && is_word && !v->player.playing && !has_matters_answer(v);
}

enum { CARD_LINES = 4 };

typedef char card_line[192];

/* A word that the model would generate, or the end. */
static const char *likeliest_word_text(const sentence_view *v, int word)
{
    return word == SAC_CAUSAL_SAME  ? v->result.outputs[sentence_current_word(v)].text
           : word == SAC_CAUSAL_END ? viz_word("the end")
                                    : viz_vocabulary(v->base.source, word);
}

/* The lines of the card, the probability first; returns how many. */
static int fill_card(const sentence_view *v, card_line line[CARD_LINES])
{
    const char *word = v->result.outputs[sentence_current_word(v)].text;
    const sac_causal *a = &v->matters.answer;
    const double was = (double)a->probability;
    char cells[32];
    const size_t size = sizeof *line;
    snprintf(line[0], size, viz_word("Does it matter where “%s” looked?"), word);
    if (!has_matters_answer(v) || !a->cells) {
        snprintf(line[1], size, "%s",
                 viz_word(has_matters_answer(v) ? "It looked at nothing." : "asking again …"));
        return 2;
    }
    if (v->sees)
        snprintf(cells, sizeof cells, viz_word(a->cells == 1 ? "cell" : "%d cells"), a->cells);
    else
        snprintf(cells, sizeof cells, viz_word(a->cells == 1 ? "word" : "%d words"), a->cells);
    size_t used = (size_t)snprintf(
        line[1], size,
        viz_word(v->result.attribution ? "Without the %s that have most of its map: %.2f for %.2f; "
                                       : "Without the %s that it looked at most: %.2f for %.2f; "),
        cells, (double)a->hidden, was);
    if (a->instead == SAC_CAUSAL_SAME)
        snprintf(line[1] + used, size - used, viz_word("the likeliest stays “%s”."),
                 likeliest_word_text(v, a->usual));
    else
        snprintf(line[1] + used, size - used, viz_word("the likeliest is “%s”, not “%s”."),
                 likeliest_word_text(v, a->instead), likeliest_word_text(v, a->usual));
    if (a->draws && !v->sees)
        snprintf(line[2], size,
                 viz_word("Without as many other words: %.2f for %.2f; another likeliest %d of %d "
                          "times."),
                 (double)a->elsewhere, was, a->changed, a->draws);
    else if (a->draws)
        snprintf(line[2], size,
                 viz_word("Without %d cells elsewhere: %.2f for %.2f; another likeliest %d of %d "
                          "times."),
                 a->cells, (double)a->elsewhere, was, a->changed, a->draws);
    else
        snprintf(line[2], size, "%s",
                 viz_word(v->sees ? "There are not as many cells elsewhere to compare with."
                                  : "There are not as many other words to compare with."));
    snprintf(line[3], size, "%s",
             viz_word("Attention is no explanation by itself; here you can check."));
    return 4;
}

bool sentence_matters_mark(const sentence_view *v, uint8_t top[SENTENCE_MARKED])
{
    const sac_result *c = &v->result;
    memset(top, 0, SENTENCE_MARKED);
    if (!v->matters.on || !has_matters_answer(v) || sentence_cells(c) > SENTENCE_MARKED)
        return false;
    sac_causal_mark(sentence_map(c, sentence_current_word(v)), sentence_cells(c), top);
    return true;
}

/* Beside the picture or the bands, which it is about, else below; within the view in any case. */
void sentence_matters_draw(const sentence_view *v, viz_canvas *canvas)
{
    card_line line[CARD_LINES];
    const viz_theme *theme = canvas->theme;
    const viz_rect picture = v->sees ? v->layout.picture : v->layout.bands, area = v->area;
    float right = area.x + area.w - VIZ_GAP, beside = right - picture.x - picture.w - VIZ_GAP;
    float width =
        fminf(beside >= CARD_LEAST ? fminf(beside, CARD_WIDTH) : CARD_WIDTH, area.w - 2 * VIZ_GAP);
    float room = width - 2 * CARD_PAD, height = 2 * CARD_PAD - 4;
    if (!v->matters.on || sentence_current_word(v) < 0)
        return;
    int count = fill_card(v, line);
    for (int i = 0; i < count; i++)
        height += viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, room, line[i]) + 4;
    viz_rect r = {picture.x + picture.w + VIZ_GAP, picture.y, width, height};
    if (right - r.x < width) {
        r.x = fminf(picture.x, right - width);
        r.y = picture.y + picture.h + VIZ_GAP;
    }
    r.y = fmaxf(fminf(r.y, area.y + area.h - height - VIZ_GAP), area.y);
    viz_fill_round(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, 9, theme->faint);
    viz_fill_round(canvas, r, 8, theme->panel);
    float y = r.y + CARD_PAD + VIZ_LABEL;
    for (int i = 0; i < count; i++) {
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, r.x + CARD_PAD, y, room,
                           i == 1 || i == 2 ? theme->text : theme->text2, line[i]);
        y += viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, room, line[i]) + 4;
    }
}
