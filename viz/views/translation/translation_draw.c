/* Drawing of the translation view. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/figures/frame.h"
#include "parts/figures/lines.h"
#include "parts/playback/player.h"
#include "translation/translation_state.h"
#include "view/words.h"

#define LEAST_WEIGHT 0.01f /* thinner bands would be a haze */
#define WIDEST_BAND 16.0f
#define STALE_VEIL 0.75f /* over what an earlier sentence gave */
#define CLEARLY 0.1f     /* a word with this weight is as bright as text */

/* ---------------------------------------------------------------- what is lit */

/* The pair of words that the bands of a side are lit of: a row, or a column. */
typedef struct lit_words {
    int row, column;
} lit_words;

static lit_words lit_of(const translation_view *v)
{
    if (v->hover_row >= 0)
        return (lit_words){v->hover_row, -1};
    if (v->hover_column >= 0)
        return (lit_words){-1, v->hover_column};
    return (lit_words){viz_generation_word(&v->g), -1};
}

static float weight_of(const sac_result *c, int row, int column)
{
    return c->weights[row * c->grid_w + column];
}

/* The weight on a source word at the place where the player is, between two words while it glides.
 */
static float weight_now(const translation_view *v, int column)
{
    const sac_result *c = &v->g.caption;
    lit_words lit = lit_of(v);
    if (lit.column >= 0)
        return column == lit.column ? 1 : 0;
    if (lit.row != viz_generation_word(&v->g) || v->g.player.step >= c->count)
        return lit.row >= 0 ? weight_of(c, lit.row, column) : 0;
    float place = viz_player_place(&v->g.player), from = floorf(place), t = place - from;
    int a = (int)from < c->count ? (int)from : c->count - 1, b = a + 1 < c->count ? a + 1 : a;
    return weight_of(c, a, column) * (1 - t) + weight_of(c, b, column) * t;
}

/* ---------------------------------------------------------------- the field */

/* Writes the notes for the user: the last answer, why a word cannot be read, the ground truth, a
 * note. */
static void hint(const translation_view *v, char *text, size_t size)
{
    const translation_sentence *s = &v->sentence;
    const sac_result *c = &v->g.caption;
    text[0] = '\0';
    if (v->g.message[0])
        snprintf(text, size, "%s", viz_word(v->g.message));
    else if (!v->field.text[0])
        snprintf(text, size, "%s",
                 viz_word("type a sentence; --list-words of `saccade translate` names the words "
                          "that are known"));
    else if (v->g.request.problem[0])
        snprintf(text, size, "%s", v->g.request.problem);
    else if (s->unread[0])
        snprintf(text, size, "%s", s->unread);
    else if (v->g.truth && s->has_truth && c->count && !sac_alignment_is_exact(&s->truth, c)) {
        size_t used = (size_t)snprintf(text, size, "%s", viz_word("truly:"));
        for (int i = 0; i < s->truth.count && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, " %s", s->truth.words[i]);
    } else if (s->note[0] || c->note[0])
        snprintf(text, size, "%s", s->note[0] ? s->note : c->note);
    else if (v->field.typing)
        snprintf(text, size, "%s", viz_word("Return or Esc ends typing"));
    else if (c->attribution)
        snprintf(text, size, "%s", viz_word(sac_attribution_phrase(c->attribution)));
}

/* ---------------------------------------------------------------- bands */

static bool is_lit(lit_words lit, int row, int column)
{
    return lit.column >= 0 ? column == lit.column : row == lit.row;
}

static void draw_band(const translation_panel *p, viz_canvas *canvas, int row, int column,
                      float width, viz_color color)
{
    viz_rect r = p->bands, from = p->source_words.word[column], to = p->target.word[row];
    float top = p->source_words.is_text ? from.y + from.h : r.y + 2;
    float bottom = p->target.is_text ? to.y : r.y + r.h - 2;
    viz_band_draw(canvas, p->source_words.middle[column], top, p->target.middle[row], bottom, width,
                  true, color);
}

static void draw_bands(const translation_view *v, viz_canvas *canvas, bool lit)
{
    const translation_panel *p = &v->layout.panel;
    const sac_result *c = &v->g.caption;
    const viz_theme *theme = canvas->theme;
    lit_words who = lit_of(v);
    float most = fminf(0.6f * p->bands.w / (float)(c->grid_w + 1), WIDEST_BAND);
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->grid_w; j++) {
            float weight = weight_of(c, i, j), width = fmaxf(most * weight, 0.8f);
            if (!(weight >= LEAST_WEIGHT) || is_lit(who, i, j) != lit)
                continue;
            viz_color color = lit ? viz_with_alpha(theme->accent, 0.35f + 0.6f * weight)
                                  : viz_with_alpha(theme->text2, 0.08f + 0.42f * weight);
            draw_band(p, canvas, i, j, width, color);
        }
}

/* Draws a thin bright line for each pair of the true alignment. */
static void draw_true_bands(const translation_view *v, viz_canvas *canvas)
{
    const sac_result *c = &v->g.caption;
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->grid_w; j++)
            if (sac_alignment_is_true(&v->sentence.truth, c, i, j))
                draw_band(&v->layout.panel, canvas, i, j, 1.6f, canvas->theme->text);
}

/* Draws the stem from a word in a line farther away to the place where its bands begin. */
static void draw_stems(const translation_panel *p, viz_canvas *canvas, const translation_row *row,
                       int count, bool above)
{
    viz_color color = canvas->theme->line;
    for (int i = 0; i < count && !row->is_text; i++) {
        viz_rect word = row->word[i];
        float x = row->middle[i] - 0.5f, bottom = p->bands.y + p->bands.h;
        float from = above ? word.y + word.h : bottom, to = above ? p->bands.y : word.y;
        if (to - from > 4)
            viz_fill(canvas, (viz_rect){x, from, 1, to - from}, color);
    }
}

/* ---------------------------------------------------------------- words */

static void draw_text(viz_canvas *canvas, viz_rect r, float size, const char *word, viz_color color)
{
    viz_text(canvas, VIZ_SANS, size, r.x + 4, r.y + r.h / 2 + 0.36f * size, VIZ_LEFT, color, word);
}

/* Draws the sentence, each word in the colour of its weight. */
static void draw_source(const translation_view *v, viz_canvas *canvas)
{
    const translation_row *row = &v->layout.panel.source_words;
    const viz_theme *theme = canvas->theme;
    for (int i = 0; i < v->g.caption.grid_w; i++) {
        viz_rect r = row->word[i];
        float weight = translation_attends(v) ? weight_now(v, i) : 0;
        viz_color text = theme->text2;
        if (weight >= LEAST_WEIGHT) {
            viz_color heat = viz_map_color(theme, VIZ_INFERNO, sqrtf(weight));
            viz_fill_round(canvas, r, 4, heat);
            text = viz_text_on(heat);
        }
        if (translation_is_hidden(v, i))
            viz_hatch(canvas, r, NULL);
        draw_text(canvas, r, row->size, v->source_words[i],
                  translation_is_hidden(v, i) ? theme->faint : text);
    }
}

static void draw_cross(viz_canvas *canvas, viz_rect r)
{
    float x = r.x + 3, y = r.y + 4, s = 5;
    viz_line(canvas, x, y, x + s, y + s, 1.25f, canvas->theme->text2);
    viz_line(canvas, x + s, y, x, y + s, 1.25f, canvas->theme->text2);
}

/* Draws the translation: words generated so far are bright, the current word has the accent colour,
 * the rest is faint. */
static void draw_target(const translation_view *v, viz_canvas *canvas)
{
    const translation_panel *p = &v->layout.panel;
    const viz_theme *theme = canvas->theme;
    int current = viz_generation_word(&v->g);
    lit_words lit = lit_of(v);
    for (int i = 0; i < v->g.caption.count; i++) {
        viz_rect r = p->target.word[i];
        bool here = i == current, bright = lit.column >= 0
                                               ? weight_of(&v->g.caption, i, lit.column) >= CLEARLY
                                               : i <= current || i == lit.row;
        draw_text(canvas, r, p->target.size, v->target[i],
                  here     ? theme->accent
                  : bright ? theme->text
                           : theme->faint);
        if (here)
            viz_fill(canvas, (viz_rect){r.x + 4, r.y + r.h - 1, r.w - 8, 2}, theme->accent);
        if (v->g.chosen[i])
            draw_cross(canvas, p->cross[i]);
    }
}

/* Writes the current weights: “zone” looks at “area” 0.97, “european” 0.02; for a source word:
 * “was” is looked at by … */
static void readout(const translation_view *v, char *text, size_t size)
{
    const sac_result *c = &v->g.caption;
    lit_words lit = lit_of(v);
    bool of_row = lit.column < 0;
    int count = of_row ? c->grid_w : c->count, listed = 0;
    float below = 2;
    size_t used = (size_t)snprintf(text, size,
                                   viz_word(v->g.caption.attribution
                                                ? of_row ? "for “%s” counted" : "“%s” counted for"
                                            : of_row ? "“%s” looks at"
                                                     : "“%s” is looked at by"),
                                   of_row ? v->target[lit.row] : v->source_words[lit.column]);
    for (; listed < 3; listed++) { /* the heaviest first */
        int best = -1;
        for (int i = 0; i < count; i++) {
            float weight = of_row ? weight_of(c, lit.row, i) : weight_of(c, i, lit.column);
            float most = best < 0 ? 0.03f
                         : of_row ? weight_of(c, lit.row, best)
                                  : weight_of(c, best, lit.column);
            if (weight < below && weight > most)
                best = i;
        }
        if (best < 0 || used >= size)
            break;
        below = of_row ? weight_of(c, lit.row, best) : weight_of(c, best, lit.column);
        used += (size_t)snprintf(text + used, size - used, "%s “%s” %.2f", listed ? "," : "",
                                 of_row ? v->source_words[best] : v->target[best], (double)below);
    }
    if (!listed)
        snprintf(text + used, size - used, "%s",
                 of_row ? viz_word(" nothing") : viz_word(" no word"));
    else if (of_row)
        snprintf(text + used, size - used, viz_word("   ·   probability %.3f"),
                 (double)c->outputs[lit.row].probability);
}

/* ---------------------------------------------------------------- the matrix */

static void draw_true_cells(const translation_view *v, viz_canvas *canvas)
{
    const viz_grid_layout *l = &v->layout.panel.grid;
    for (int i = 0; i < l->rows; i++)
        for (int j = 0; j < l->columns; j++)
            if (sac_alignment_is_true(&v->sentence.truth, &v->g.caption, i, j))
                viz_frame(canvas, viz_grid_cell(l, i, j), l->cell >= 16 ? 2 : 1,
                          canvas->theme->pale);
}

static void draw_matrix(const translation_view *v, viz_canvas *canvas, bool truth)
{
    const translation_panel *p = &v->layout.panel;
    viz_grid grid = {.values = v->g.caption.weights,
                     .rows = v->g.caption.count,
                     .columns = v->g.caption.grid_w,
                     .row_labels = v->target,
                     .column_labels = v->source_words,
                     .scale = viz_scale_for(VIZ_FIXED, 1),
                     .row = viz_generation_word(&v->g),
                     .column = -1,
                     .hover_row = v->hover_row,
                     .hover_column = v->hover_column};
    if (!p->grid.rows)
        return;
    viz_grid_draw(&p->grid, canvas, &grid);
    if (truth)
        draw_true_cells(v, canvas);
    if (p->bar.w > 0)
        viz_bar_draw(canvas, p->bar, viz_map_colors(canvas->theme, VIZ_INFERNO), &grid.scale,
                     1.0f / (float)v->g.caption.grid_w, "weight, linear");
}

/* ---------------------------------------------------------------- the whole */

static void draw_panel(const translation_view *v, viz_canvas *canvas)
{
    const translation_panel *p = &v->layout.panel;
    bool truth = v->g.truth && v->sentence.has_truth;
    if (!v->g.caption.count)
        return;
    draw_stems(p, canvas, &p->source_words, v->g.caption.grid_w, true);
    draw_stems(p, canvas, &p->target, v->g.caption.count, false);
    draw_bands(v, canvas, false);
    draw_bands(v, canvas, true);
    if (truth)
        draw_true_bands(v, canvas);
    draw_source(v, canvas);
    draw_target(v, canvas);
    char text[512], fit[512];
    viz_rect r = v->layout.panel.readout;
    if (translation_attends(v))
        readout(v, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s",
                 viz_word(v->hidden_of ? "every word is hidden: U shows them again"
                                       : "looks at nothing: one vector stands for the "
                                         "whole sentence"));
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w / 2, r.y + 14, VIZ_CENTER, canvas->theme->text2,
             fit);
    draw_matrix(v, canvas, truth);
}

static void draw_values(const translation_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const bool usual[VALUE_COUNT] = {v->g.temperature == 1,
                                     v->g.beam == sac_source_beam(v->g.source), v->g.model == 0};
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = v->layout.value[i];
        if (r.w > 0)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + r.h / 2 + 4.5f, VIZ_LEFT,
                     usual[i] ? theme->text2 : theme->text, v->value[i]);
    }
}

static translation_content content_of(const translation_view *v)
{
    return (translation_content){.source_words = v->source_words,
                                 .target = v->target,
                                 .sources = v->g.caption.grid_w,
                                 .targets = v->g.caption.count,
                                 .joins = v->joins,
                                 .replaced = v->g.chosen};
}

float translation_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    (void)view;
    (void)canvas;
    return fmaxf(fminf(0.42f * width, 380), 190);
}

void translation_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    translation_view *v = translation_of(view);
    translation_content content = content_of(v);
    viz_rect room = {area.x + VIZ_FIGURE_MARGIN, area.y + VIZ_FIGURE_MARGIN,
                     area.w - 2 * VIZ_FIGURE_MARGIN, area.h - 2 * VIZ_FIGURE_MARGIN};
    v->layout = (translation_layout){.panel = viz_translation_figure(canvas, room, &content)};
    v->area = area;
    draw_panel(v, canvas);
}

void translation_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    translation_view *v = translation_of(view);
    translation_content c = content_of(v);
    snprintf(v->value[VIZ_TEMPERATURE], sizeof *v->value, viz_word("temperature %.2f"),
             (double)v->g.temperature);
    snprintf(v->value[VIZ_BEAM], sizeof *v->value, viz_word("beam %d"), v->g.beam);
    snprintf(v->value[VIZ_MODEL], sizeof *v->value, viz_word("model %s"),
             v->g.source->speaker.model[v->g.model]);
    for (int i = 0; i < VALUE_COUNT; i++)
        c.value[i] = v->value[i];
    translation_content content = c;
    v->layout = viz_translation_layout(canvas, area, &content);
    v->area = area;
    viz_text_field_draw(&v->field, canvas, v->layout.field,
                        "an English sentence, such as: the king was not here yesterday");
    char text[1200], fit[1200];
    viz_rect r = v->layout.hint;
    hint(v, text, sizeof text);
    bool wrong = v->g.request.problem[0] || v->sentence.unread[0];
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 13, VIZ_LEFT,
             wrong ? canvas->theme->accent : canvas->theme->text2, fit);
    draw_panel(v, canvas);
    /* What cannot be read leaves the translation before it, which is none of this sentence. */
    float below = r.y + r.h;
    if (v->g.request.problem[0] && v->field.text[0])
        viz_fill(canvas, (viz_rect){area.x, below, area.w, v->layout.rule.y - below},
                 viz_with_alpha(canvas->theme->ground, STALE_VEIL));
    if (!v->g.caption.count && v->g.request.out) /* on a device's first time programs are built */
        viz_text(canvas, VIZ_SANS, VIZ_SENTENCE, area.x + area.w / 2, area.y + area.h / 2,
                 VIZ_CENTER, canvas->theme->faint, viz_word("reading …"));
    viz_fill(canvas, v->layout.rule, canvas->theme->line);
    viz_timeline_draw_play(canvas, v->layout.play, v->g.player.playing);
    viz_timeline_draw_track(canvas, v->layout.track, &v->g.player, v->g.caption.count);
    draw_values(v, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
    if (v->g.list.open)
        viz_word_list_draw(&v->g.list, canvas, area, v->layout.panel.target.word[v->g.list.word]);
}
