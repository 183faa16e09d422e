/* Tests whether a word depends on where it looked. The selected word is generated again without the
 * cells with the largest weights, and again without as many others; a card beside the picture shows
 * the words that result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "caption/caption_state.h"
#include "parts/figures/overlays.h"
#include "parts/pages/paragraph.h"
#include "view/words.h"

#define CARD_WIDTH 320.0f
#define CARD_PAD 14.0f

/* ---------------------------------------------------------------- asking */

static bool is_answered(const caption_view *v)
{
    return v->matters.known && v->matters.word == viz_generation_word(&v->g) &&
           v->matters.revision == v->g.revision;
}

bool caption_matters_due(const caption_view *v)
{
    bool is_word = v->g.request.demand == v->g.revision && viz_generation_word(&v->g) >= 0;
    return v->matters.on && is_word && !v->g.player.playing && !is_answered(v);
}

void caption_matters_take(caption_view *v, int word, const sac_causal *answer)
{
    v->matters = (caption_matters){
        .on = true, .known = true, .word = word, .revision = v->g.revision, .answer = *answer};
}

bool caption_matters_toggle(caption_view *v)
{
    v->matters = (caption_matters){.on = !v->matters.on};
    v->g.player.playing = v->g.player.playing && !v->matters.on;
    return true;
}

/* ---------------------------------------------------------------- the card */

typedef struct card_line {
    viz_color color;
    char text[192];
} card_line;

enum { CARD_LINES = 4 };

static const char *instead(const caption_view *v, char *text, size_t size)
{
    int word = v->matters.answer.instead;
    if (word == SAC_CAUSAL_END)
        snprintf(text, size, "%s", viz_word("the sentence ends instead"));
    else
        snprintf(text, size, viz_word("“%s” comes instead"), v->g.source->speaker.vocabulary[word]);
    return text;
}

static void save_hidden(const caption_view *v, const char *word, char *text, size_t size)
{
    const sac_causal *a = &v->matters.answer;
    char other[96], cells[32];
    snprintf(cells, sizeof cells, viz_word(a->cells == 1 ? "cell" : "%d cells"), a->cells);
    if (a->instead == SAC_CAUSAL_SAME)
        snprintf(text, size,
                 viz_word("Without the %s that it looked at most: still “%s”, %.2f for %.2f."),
                 cells, word, (double)a->hidden, (double)a->probability);
    else
        snprintf(text, size, viz_word("Without the %s that it looked at most: %s, %.2f for %.2f."),
                 cells, instead(v, other, sizeof other), (double)a->hidden, (double)a->probability);
}

/* The lines of the card; returns how many. */
static int fill_card(const caption_view *v, const viz_theme *theme, card_line line[CARD_LINES])
{
    const char *word = v->g.caption.outputs[viz_generation_word(&v->g)].text;
    int count = 0;
    for (int i = 0; i < CARD_LINES; i++)
        line[i].color = i == 1 || i == 2 ? theme->text : theme->text2;
    snprintf(line[count++].text, sizeof line->text, viz_word("Does it matter where “%s” looked?"),
             word);
    if (!is_answered(v)) {
        snprintf(line[count++].text, sizeof line->text, "%s", viz_word("asking again …"));
        return count;
    }
    if (!v->matters.answer.cells) {
        snprintf(line[count++].text, sizeof line->text, "%s", viz_word("It looked at nothing."));
        return count;
    }
    save_hidden(v, word, line[count++].text, sizeof line->text);
    char *text = line[count++].text;
    size_t size = sizeof line->text;
    if (v->matters.answer.draws)
        snprintf(
            text, size,
            viz_word("Without %d cells elsewhere: another word %d of %d times, %.2f for %.2f."),
            v->matters.answer.cells, v->matters.answer.changed, v->matters.answer.draws,
            (double)v->matters.answer.elsewhere, (double)v->matters.answer.probability);
    else
        snprintf(text, size, "%s",
                 viz_word("There are not as many cells elsewhere to compare with."));
    snprintf(line[count++].text, sizeof line->text, "%s",
             viz_word("Attention is no explanation by itself; here you can check."));
    return count;
}

/* Beside the picture, which it is about, else below it; within the view in any case. */
static viz_rect place_card(const caption_view *v, float height)
{
    viz_rect picture = v->layout.main.picture, room = v->area;
    float x = picture.x + picture.w + VIZ_GAP, y = picture.y;
    float right = room.x + room.w - VIZ_GAP;
    float width = fminf(CARD_WIDTH, room.w - 2 * VIZ_GAP);
    if (right - x < width) {
        x = fminf(picture.x, right - width);
        y = picture.y + picture.h + VIZ_GAP;
    }
    return (viz_rect){x, fmaxf(fminf(y, room.y + room.h - height - VIZ_GAP), room.y), width,
                      height};
}

void caption_matters_mark(const caption_view *v, viz_canvas *canvas, viz_rect picture)
{
    uint8_t top[64 * 64] = {0};
    const sac_result *caption = &v->g.caption;
    int cells = caption->grid_w * caption->grid_h, word = viz_generation_word(&v->g);
    if (!v->matters.on || !is_answered(v) || cells > (int)sizeof top)
        return;
    sac_causal_mark(caption->weights + (size_t)word * (size_t)cells, cells, top);
    viz_hidden_draw(canvas, picture, top, caption->grid_w, caption->grid_h);
}

void caption_matters_draw(const caption_view *v, viz_canvas *canvas)
{
    card_line line[CARD_LINES];
    const viz_theme *theme = canvas->theme;
    float width = fminf(CARD_WIDTH, v->area.w - 2 * VIZ_GAP) - 2 * CARD_PAD, height = 2 * CARD_PAD;
    if (!v->matters.on || viz_generation_word(&v->g) < 0)
        return;
    int count = fill_card(v, theme, line);
    for (int i = 0; i < count; i++)
        height += viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, width, line[i].text) + 4;
    viz_rect r = place_card(v, height - 4);
    viz_fill_round(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, 9, theme->faint);
    viz_fill_round(canvas, r, 8, theme->panel);
    float y = r.y + CARD_PAD + VIZ_LABEL;
    for (int i = 0; i < count; i++) {
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, r.x + CARD_PAD, y, width, line[i].color,
                           line[i].text);
        y += viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, width, line[i].text) + 4;
    }
}
