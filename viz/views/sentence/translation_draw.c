/* A translation: both sentences in rows, as large as they fit, the bands between them, and the matrix. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/figures/frame.h"
#include "parts/figures/lines.h"
#include "sentence/sentence_state.h"
#include "view/words.h"

#define FIELD_HEIGHT 34.0f
#define HINT_HEIGHT 18.0f
#define WORD_GAP 14.0f
#define JOINED_GAP 8.0f  /* between parts of a word, whose rectangles meet */
#define WIDEST_GAP 34.0f /* words that are few stay near each other */
#define LEAST_STEP 16.0f /* between words of different lines */
#define TEXT_SIZE 14.0f  /* of a long sentence, whose lines … */
#define LEAST_SIZE 9.0f
#define TEXT_SHARE 0.34f /* … may take so much of the height */
#define TEXT_GAP 3.0f
#define CROSS 15.0f /* space after a replaced word */
#define READOUT 24.0f
#define LEAST_BANDS 70.0f
#define MOST_BANDS 340.0f
#define LEAST_BESIDE 820.0f /* a panel that wide has its matrix beside the bands, … */
#define LEAST_BELOW 400.0f  /* … and one that high below them */
#define LARGEST_CELL 60.0f
#define COLUMN_GAP 36.0f
#define SIDE_NAME 18.0f /* above and below a figure: what each sentence is */

/* ---------------------------------------------------------------- words in lines */

/* The ways in which words are fitted, the best first: in a line if they can be, a little closer. */
static const struct {
    float size;
    int levels;
    float gap;
} fits[] = {{24, 1, WORD_GAP}, {20, 1, WORD_GAP}, {18, 1, WORD_GAP}, {16, 1, WORD_GAP},
            {14, 1, WORD_GAP}, {14, 1, 9},        {13, 1, 8},        {12, 1, 7},
            {14, 2, WORD_GAP}, {12, 2, WORD_GAP}, {11, 3, WORD_GAP}, {10, 3, WORD_GAP},
            {9, 3, WORD_GAP}};
enum { FITS = sizeof fits / sizeof *fits };

typedef struct words {
    const char *const *text;
    int count;
    bool crossed[SAC_MAX_TOKENS]; /* they have a cross */
    bool joins[SAC_MAX_TOKENS];   /* they stand right behind the one before */
    float width[SAC_MAX_TOKENS];
} words;

static void measure(const viz_canvas *canvas, float size, words *w)
{
    for (int i = 0; i < w->count; i++)
        w->width[i] =
            viz_text_width(canvas, VIZ_SANS, size, w->text[i]) + (w->crossed[i] ? CROSS : 0);
}

/* Places the centres of the words from 0 on, as close as possible; returns the width taken. Words
 * of one line keep their distance, those of different lines their order. */
static float place_middles(const words *w, int levels, float gap, float *middle)
{
    float end = 0;
    for (int i = 0; i < w->count; i++) {
        float least = w->width[i] / 2;
        if (i > 0 && levels > 1)
            least = fmaxf(least, middle[i - 1] + LEAST_STEP);
        if (i >= levels)
            least = fmaxf(least, middle[i - levels] + (w->width[i - levels] + w->width[i]) / 2 +
                                     (levels == 1 && w->joins[i] ? JOINED_GAP : gap));
        middle[i] = least;
        end = fmaxf(end, least + w->width[i] / 2);
    }
    return end;
}

static float line_height(float size)
{
    return floorf(size * 1.5f) + 2;
}

/* Line by line, in the largest letters that leave the bands their space. */
static void lay_text(const viz_canvas *canvas, words *w, viz_rect room, sentence_row *row)
{
    row->is_text = true;
    for (float size = TEXT_SIZE; size >= LEAST_SIZE; size -= 1) {
        float x = room.x, line = line_height(size);
        row->size = size;
        row->levels = 1;
        measure(canvas, size, w);
        for (int i = 0; i < w->count; i++) {
            float width = w->width[i] + 8;
            if (x > room.x && x + width > room.x + room.w) {
                x = room.x;
                row->levels++;
            }
            row->line[i] = row->levels - 1;
            row->middle[i] = x + width / 2;
            row->word[i] = (viz_rect){x, 0, width, line - 2};
            x += width + (i + 1 < w->count && w->joins[i + 1] ? 0 : TEXT_GAP);
        }
        row->height = line * (float)row->levels;
        if (row->height <= TEXT_SHARE * room.h)
            return;
    }
}

/* The first fit from `fit` on in which the words stand in `width`; FITS: none. */
static int find_fit(const viz_canvas *canvas, words *w, float width, int fit)
{
    float middle[SAC_MAX_TOKENS];
    for (; fit < FITS; fit++) {
        measure(canvas, fits[fit].size, w);
        if (place_middles(w, fits[fit].levels, fits[fit].gap, middle) <= width)
            break;
    }
    return fit;
}

/* Lays a row in the middle of `room`; the space that is left parts the words a little more. */
static void lay_row(const viz_canvas *canvas, words *w, viz_rect room, int fit, sentence_row *row)
{
    if (fit == FITS) {
        lay_text(canvas, w, room, row);
        return;
    }
    row->size = fits[fit].size;
    row->levels = fits[fit].levels;
    measure(canvas, row->size, w);
    float gap = fits[fit].gap, taken;
    while (gap + 2 <= WIDEST_GAP && row->levels == 1 &&
           place_middles(w, row->levels, gap + 2, row->middle) <= room.w)
        gap += 2;
    taken = place_middles(w, row->levels, gap, row->middle);
    /* Words in several lines spread. */
    float squeeze = fminf(room.w / fmaxf(taken, 1), row->levels > 1 ? 1.35f : 1);
    float from = room.x + (room.w - taken * squeeze) / 2, line = line_height(row->size);
    row->height = line * (float)(w->count < row->levels ? 1 : row->levels);
    for (int i = 0; i < w->count; i++) {
        row->line[i] = w->count < row->levels ? 0 : i % row->levels;
        row->middle[i] = from + row->middle[i] * squeeze;
        row->word[i] =
            (viz_rect){row->middle[i] - w->width[i] / 2 - 4, 0, w->width[i] + 8, line - 2};
    }
}

/* Lines from `y` on; of those by turns the first words are nearest the bands, which lie above them
 * or below. */
static void set_row_heights(sentence_row *row, int count, float y, bool above)
{
    float line = line_height(row->size), last = row->height / line - 1;
    for (int i = 0; i < count; i++) {
        float level = (float)row->line[i];
        row->word[i].y =
            y + line * (above || row->is_text ? level : last - level) + (above ? 2.0f : 0.0f);
    }
}

/* ---------------------------------------------------------------- sentences, bands, matrix */

/* A figure has no play: it lights a word that was chosen, or none, and shows all of the sentence. */
static bool is_neutral(const sentence_view *v)
{
    return v->base.figure && !v->player.chosen;
}

/* Both sentences, and what is left of the height for the bands between them. */
static void lay_sentences(sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    sentence_layout *l = &v->layout;
    const sac_result *c = &v->result;
    words source = {.text = v->column_names, .count = c->grid_w};
    words target = {.text = v->row_names, .count = c->count};
    for (int i = 0; i < c->count; i++) {
        target.crossed[i] = sentence_is_replaced(v, i);
        target.joins[i] = c->line && i > 0 && sac_result_joins(c, i);
    }
    /* In letters of one size, and in as many lines. */
    const int fit = find_fit(canvas, &target, room.w, find_fit(canvas, &source, room.w, 0));
    lay_row(canvas, &source, room, fit, &l->source);
    lay_row(canvas, &target, room, fit, &l->line);
    const float readout = is_neutral(v) ? 0 : READOUT;
    float left = room.h - l->source.height - l->line.height - readout;
    float bands = fmaxf(fminf(left, MOST_BANDS), 20);
    float y = room.y + fmaxf(left - bands, 0) / 2;
    set_row_heights(&l->source, source.count, y, false);
    l->bands = (viz_rect){room.x, y + l->source.height, room.w, bands};
    set_row_heights(&l->line, target.count, l->bands.y + bands, true);
    l->readout = (viz_rect){room.x, l->bands.y + bands + l->line.height + 4, room.w, readout - 4};
    for (int i = 0; i < target.count; i++) {
        viz_rect word = l->line.word[i];
        if (target.crossed[i])
            l->line.cross[i] = (viz_rect){word.x + word.w - CROSS, word.y, CROSS, word.h};
    }
}

static viz_grid grid_of(const sentence_view *v)
{
    return (viz_grid){.values = v->result.weights,
                      .rows = v->result.count,
                      .columns = v->result.grid_w,
                      .row_labels = v->row_names,
                      .column_labels = v->column_names,
                      .scale = viz_scale_for(VIZ_FIXED, 1),
                      .row = is_neutral(v) ? -1 : sentence_current_word(v),
                      .column = -1,
                      .hover_row = v->row,
                      .hover_column = v->column};
}

static void lay_matrix(sentence_layout *l, const viz_canvas *canvas, const viz_grid *grid,
                       viz_rect room)
{
    if (grid->rows < 1 || grid->columns < 1 || room.h < 60)
        return;
    if (room.h > 4 * VIZ_BAR_NAMED_HEIGHT && room.w >= 180) {
        l->bar = (viz_rect){room.x, 0, fminf(room.w, 260), VIZ_BAR_NAMED_HEIGHT};
        room.h -= VIZ_BAR_NAMED_HEIGHT + 10;
    }
    viz_grid_lay(&l->grid, canvas, grid, room, LARGEST_CELL);
    float spare = room.x + room.w - l->grid.cells.x - l->grid.cells.w;
    room.x += floorf(fmaxf(spare, 0) / 2);
    room.w -= floorf(fmaxf(spare, 0) / 2);
    float low = room.y + room.h - l->grid.cells.y - l->grid.cells.h; /* of few words */
    room.y += floorf(fmaxf(low, 0) / 2);
    room.h -= floorf(fmaxf(low, 0) / 2);
    viz_grid_lay(&l->grid, canvas, grid, room, LARGEST_CELL);
    if (l->bar.w > 0)
        l->bar = (viz_rect){room.x, l->grid.cells.y + l->grid.cells.h + 14, l->bar.w, l->bar.h};
}

/* The sentences with the matrix beside them, or below. */
static void lay_panel(sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    const viz_grid grid = grid_of(v);
    viz_rect matrix = {0};
    if (room.w >= LEAST_BESIDE) {
        float width = floorf(fminf(room.w * 0.42f, room.h * 1.05f));
        matrix = (viz_rect){room.x + room.w - width, room.y, width, room.h};
        room.w -= width + COLUMN_GAP;
    } else if (room.h >= LEAST_BELOW) {
        float height = floorf(room.h * 0.56f);
        matrix = (viz_rect){room.x, room.y + room.h - height, room.w, height};
        room.h -= height + 14;
    }
    lay_sentences(v, canvas, room);
    lay_matrix(&v->layout, canvas, &grid, matrix);
}

static void lay(sentence_view *v, const viz_canvas *canvas, viz_rect area)
{
    static const viz_key_row caps[] = {
        {"ctrl L", "type", .tips = {N_("Type a sentence of your own (ctrl L).")}},
        {"space", "play"},
        {"N", "sentence", .tips = {N_("The next sentence (N).")}},
        {"T", "truth", .tips = {N_("Which words truly belong together (T).")}},
        {"C", "compare", .tips = {N_("Two translators beside each other (C).")}},
        {"S", "PNG"},
        {"?", "keys"}};
    sentence_layout *l = &v->layout;
    float left = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    float y = area.y + area.h - 12 - VIZ_TIMELINE_HEIGHT;
    *l = (sentence_layout){.roomy = area.h >= 560};
    v->area = area;
    viz_controls_clear(&v->controls);
    l->rule = (viz_rect){left, y - 10, width, 1};
    sentence_lay_transport(v, canvas, area, y, left + 44 + fminf(0.28f * width, 340), caps,
                           sizeof caps / sizeof *caps);
    l->field = (viz_rect){left, area.y + 12, width, FIELD_HEIGHT};
    l->hint = (viz_rect){left, l->field.y + FIELD_HEIGHT + 2, width, HINT_HEIGHT};
    word_completions_lay(v, canvas, l->hint);
    float top = l->hint.y + HINT_HEIGHT + 8;
    lay_panel(v, canvas, (viz_rect){left, top, width, fmaxf(l->rule.y - 8 - top, 1)});
}

#define LEAST_WEIGHT 0.01f /* thinner bands would be a haze */
#define WIDEST_BAND 13.0f
#define MAIN_WEIGHT 0.3f /* with less than that a word looks at no one place */
enum { CROSSING_HUES = 5 };
#define STALE_VEIL 0.75f /* over what an earlier sentence gave */
#define CLEARLY 0.1f     /* a word with this weight is as bright as text */

/* ---------------------------------------------------------------- what is lit */

/* The pair of words that the bands of a side are lit of: a row, or a column. */
typedef struct lit_words {
    int row, column;
} lit_words;

static lit_words current_lit_words(const sentence_view *v)
{
    if (is_neutral(v))
        return (lit_words){-1, -1};
    if (v->row >= 0)
        return (lit_words){v->row, -1};
    if (v->column >= 0)
        return (lit_words){-1, v->column};
    return (lit_words){sentence_current_word(v), -1};
}

static float weight_of(const sac_result *c, int row, int column)
{
    return c->weights[row * c->grid_w + column];
}

static bool attends(const sentence_view *v)
{
    return v->result.max_weight > 0; /* else one vector is all that the model has of the sentence */
}

/* The weight on a source word at the place where the player is, between two words while it glides.
 */
static float weight_now(const sentence_view *v, int column)
{
    const sac_result *c = &v->result;
    lit_words lit = current_lit_words(v);
    if (lit.column >= 0)
        return column == lit.column ? 1 : 0;
    if (lit.row != sentence_current_word(v) || v->player.step >= c->count)
        return lit.row >= 0 ? weight_of(c, lit.row, column) : 0;
    float place = viz_player_place(&v->player), from = floorf(place), t = place - from;
    int a = (int)from < c->count ? (int)from : c->count - 1, b = a + 1 < c->count ? a + 1 : a;
    return weight_of(c, a, column) * (1 - t) + weight_of(c, b, column) * t;
}

/* ---------------------------------------------------------------- the field */

/* Writes the notes for the user: the last answer, why a word cannot be read, the ground truth, a
 * note. */
static void write_hint(const sentence_view *v, char *text, size_t size)
{
    const sentence_scene *s = &v->scene;
    const sac_result *c = &v->result;
    text[0] = '\0';
    if (v->message[0])
        snprintf(text, size, "%s", viz_word(v->message));
    else if (!v->field.text[0] && !v->layout.completions.count)
        snprintf(text, size, "%s",
                 viz_word("type a sentence; --list-words of `saccade translate` names the words "
                          "that are known"));
    else if (word_completions_are_of_a_part(v))
        return;
    else if (v->request.problem[0])
        snprintf(text, size, "%s", v->request.problem);
    else if (s->unread[0])
        snprintf(text, size, "%s", s->unread);
    else if (v->truth && s->has_truth && c->count && !sac_alignment_is_exact(&s->alignment, c)) {
        size_t used = (size_t)snprintf(text, size, "%s", viz_word("truly:"));
        for (int i = 0; i < s->alignment.count && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, " %s", s->alignment.words[i]);
    } else if (s->note[0] || c->note[0])
        snprintf(text, size, "%s", s->note[0] ? s->note : c->note);
    else if (v->field.typing && !v->layout.completions.count)
        snprintf(text, size, "%s", viz_word("Return or Esc ends typing"));
    else if (c->attribution)
        snprintf(text, size, "%s", viz_word(sac_attribution_phrase(c->attribution)));
}

/* ---------------------------------------------------------------- bands */

static bool is_lit(lit_words lit, int row, int column)
{
    return lit.column >= 0 ? column == lit.column : row == lit.row;
}

static void draw_band(const sentence_layout *p, viz_canvas *canvas, int row, int column,
                      float width, viz_color color)
{
    viz_rect r = p->bands, from = p->source.word[column], to = p->line.word[row];
    float top = p->source.is_text ? from.y + from.h : r.y + 2;
    float bottom = p->line.is_text ? to.y : r.y + r.h - 2;
    viz_band_draw(canvas, p->source.middle[column], top, p->line.middle[row], bottom, width, true,
                  color);
}

/* Numbers, from 0 on, the words whose heaviest band crosses that of another: those are the places where the order of
 * words changes. −1: it crosses none. */
static void number_crossing_words(const sac_result *c, int number[SAC_MAX_TOKENS])
{
    int main[SAC_MAX_TOKENS], count = 0;
    for (int i = 0; i < c->count; i++) {
        main[i] = 0;
        for (int j = 1; j < c->grid_w; j++)
            main[i] = weight_of(c, i, j) > weight_of(c, i, main[i]) ? j : main[i];
        main[i] = weight_of(c, i, main[i]) >= MAIN_WEIGHT ? main[i] : -1;
    }
    for (int i = 0; i < c->count; i++) {
        bool crosses = false;
        for (int k = 0; k < c->count; k++)
            crosses |= main[i] >= 0 && main[k] >= 0 && (i - k) * (main[i] - main[k]) < 0;
        number[i] = crosses ? count++ : -1;
    }
}

static void draw_bands(const sentence_view *v, viz_canvas *canvas, bool lit)
{
    const sentence_layout *p = &v->layout;
    const sac_result *c = &v->result;
    const viz_theme *theme = canvas->theme;
    lit_words who = current_lit_words(v);
    int crossing[SAC_MAX_TOKENS];
    number_crossing_words(c, crossing);
    float most = fminf(0.6f * p->bands.w / (float)(c->grid_w + 1), WIDEST_BAND);
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->grid_w; j++) {
            float weight = weight_of(c, i, j), width = fmaxf(most * weight, 0.8f);
            if (!(weight >= LEAST_WEIGHT) || is_lit(who, i, j) != lit)
                continue;
            viz_color hue = crossing[i] < 0
                                ? theme->text2
                                : viz_head_color(theme, crossing[i] % CROSSING_HUES, CROSSING_HUES);
            viz_color color = lit ? viz_with_alpha(theme->accent, 0.35f + 0.6f * weight)
                                  : viz_with_alpha(hue, 0.08f + 0.42f * weight);
            draw_band(p, canvas, i, j, width, color);
        }
}

/* The first of the words that a line at `x` meets at `y` or below; NULL: none. */
static const viz_rect *next_word_below(const sentence_row *row, int count, float x, float y)
{
    const viz_rect *next = NULL;
    for (int i = 0; i < count; i++) {
        const viz_rect *w = &row->word[i];
        if (x >= w->x && x <= w->x + w->w && w->y + w->h > y && (!next || w->y < next->y))
            next = w;
    }
    return next;
}

/* Draws the stem from a word in a line farther away to the place where its bands begin, not through the
 * words between them. */
static void draw_stems(const sentence_layout *p, viz_canvas *canvas, const sentence_row *row,
                       int count, bool above)
{
    viz_color color = canvas->theme->line;
    for (int i = 0; i < count && !row->is_text; i++) {
        viz_rect word = row->word[i];
        float x = row->middle[i] - 0.5f, bottom = p->bands.y + p->bands.h;
        float from = above ? word.y + word.h : bottom, to = above ? p->bands.y : word.y;
        while (to - from > 4) {
            const viz_rect *met = next_word_below(row, count, x, from + 1);
            const float end = met ? fminf(fmaxf(met->y, from), to) : to;
            if (end - from > 4)
                viz_fill(canvas, (viz_rect){x, from, 1, end - from}, color);
            from = met ? fmaxf(met->y + met->h, from + 1) : to;
        }
    }
}

/* ---------------------------------------------------------------- words */

static void draw_text(viz_canvas *canvas, viz_rect r, float size, const char *word, viz_color color)
{
    viz_text(canvas, VIZ_SANS, size, r.x + 4, r.y + r.h / 2 + 0.36f * size, VIZ_LEFT, color, word);
}

/* Draws the sentence, each word in the colour of its weight. */
static void draw_source(const sentence_view *v, viz_canvas *canvas)
{
    const sentence_row *row = &v->layout.source;
    const viz_theme *theme = canvas->theme;
    uint8_t top[SENTENCE_MARKED];
    sentence_matters_mark(v, top);
    for (int i = 0; i < v->result.grid_w; i++) {
        viz_rect r = row->word[i];
        float weight = attends(v) ? weight_now(v, i) : 0;
        viz_color text = is_neutral(v) ? theme->text : theme->text2;
        if (weight >= LEAST_WEIGHT) {
            viz_color heat = viz_map_color(theme, VIZ_INFERNO, sqrtf(weight));
            viz_fill_round(canvas, r, 4, heat);
            text = viz_text_on(heat);
        }
        bool hidden = sentence_is_hidden(v, i) || top[i];
        if (hidden)
            viz_hatch(canvas, r, NULL);
        draw_text(canvas, r, row->size, v->column_names[i], hidden ? theme->faint : text);
    }
}

/* Draws the translation: words generated so far are bright, the current word has the accent colour,
 * the rest is faint. */
static void draw_target(const sentence_view *v, viz_canvas *canvas)
{
    const sentence_layout *p = &v->layout;
    const viz_theme *theme = canvas->theme;
    const bool figure = v->base.figure;
    int current = is_neutral(v) ? -1 : sentence_current_word(v);
    lit_words lit = current_lit_words(v);
    for (int i = 0; i < v->result.count; i++) {
        viz_rect r = p->line.word[i];
        bool here = i == current, bright = lit.column >= 0
                                               ? weight_of(&v->result, i, lit.column) >= CLEARLY
                                               : figure || i <= current || i == lit.row;
        draw_text(canvas, r, p->line.size, v->row_names[i],
                  here     ? theme->accent
                  : bright ? theme->text
                           : theme->faint);
        if (here)
            viz_fill(canvas, (viz_rect){r.x + 4, r.y + r.h - 1, r.w - 8, 2}, theme->accent);
        if (sentence_is_replaced(v, i))
            sentence_draw_cross(canvas, p->line.cross[i].x + 3, p->line.cross[i].y + 4);
    }
}

/* Writes the current weights: “zone” looks at “area” 0.97, “european” 0.02; for a source word:
 * “was” is looked at by … */
static void write_readout(const sentence_view *v, char *text, size_t size)
{
    const sac_result *c = &v->result;
    lit_words lit = current_lit_words(v);
    bool of_row = lit.column < 0;
    int count = of_row ? c->grid_w : c->count, listed = 0;
    float below = 2;
    size_t used = (size_t)snprintf(text, size,
                                   viz_word(v->result.attribution
                                                ? of_row ? "for “%s” counted" : "“%s” counted for"
                                            : of_row ? "“%s” looks at"
                                                     : "“%s” is looked at by"),
                                   of_row ? v->row_names[lit.row] : v->column_names[lit.column]);
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
        used +=
            (size_t)snprintf(text + used, size - used, "%s “%s” %.2f", listed ? "," : "",
                             of_row ? v->column_names[best] : v->row_names[best], (double)below);
    }
    if (!listed)
        snprintf(text + used, size - used, "%s",
                 of_row ? viz_word(" nothing") : viz_word(" no word"));
    else if (of_row)
        snprintf(text + used, size - used, viz_word("   ·   probability %.3f"),
                 (double)c->outputs[lit.row].probability);
}

/* ---------------------------------------------------------------- the matrix */

static void draw_matrix(const sentence_view *v, viz_canvas *canvas, bool truth)
{
    const sentence_layout *p = &v->layout;
    const viz_grid_layout *l = &p->grid;
    const viz_grid grid = grid_of(v);
    if (!l->rows)
        return;
    viz_grid_draw(l, canvas, &grid);
    for (int i = 0; i < l->rows && truth; i++)
        for (int j = 0; j < l->columns; j++)
            if (sac_alignment_is_true(&v->scene.alignment, &v->result, i, j))
                viz_frame(canvas, viz_grid_cell(l, i, j), l->cell >= 16 ? 2 : 1,
                          canvas->theme->pale);
    if (p->bar.w > 0)
        viz_bar_draw(canvas, p->bar, viz_map_colors(canvas->theme, VIZ_INFERNO), &grid.scale,
                     1.0f / (float)v->result.grid_w, "weight, linear");
}

/* ---------------------------------------------------------------- the whole */

static void draw_panel(const sentence_view *v, viz_canvas *canvas)
{
    const sentence_layout *p = &v->layout;
    const sac_result *c = &v->result;
    bool truth = v->truth && v->scene.has_truth;
    if (!c->count)
        return;
    draw_stems(p, canvas, &p->source, c->grid_w, true);
    draw_stems(p, canvas, &p->line, c->count, false);
    draw_bands(v, canvas, false);
    draw_bands(v, canvas, true);
    for (int i = 0; i < c->count && truth; i++) /* a thin bright line for each true pair */
        for (int j = 0; j < c->grid_w; j++)
            if (sac_alignment_is_true(&v->scene.alignment, c, i, j))
                draw_band(p, canvas, i, j, 1.6f, canvas->theme->text);
    draw_source(v, canvas);
    draw_target(v, canvas);
    char text[512] = "";
    viz_rect r = p->readout;
    if (is_neutral(v) && attends(v))
        ; /* of no word */
    else if (attends(v))
        write_readout(v, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s",
                 viz_word(v->hidden_count ? "every word is hidden: U shows them again"
                                          : "looks at nothing: one vector stands for the "
                                            "whole sentence"));
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w / 2, r.y + 14, r.w, VIZ_CENTER,
                    canvas->theme->text2, text);
    draw_matrix(v, canvas, truth);
}

float translation_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    (void)view;
    (void)canvas;
    return fmaxf(fminf(0.42f * width, 380), 190) + 2 * SIDE_NAME;
}

void translation_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    sentence_view *v = sentence_of(view);
    v->layout = (sentence_layout){0};
    v->area = area;
    const float above = VIZ_FIGURE_MARGIN + SIDE_NAME;
    const viz_rect room = {area.x + VIZ_FIGURE_MARGIN, area.y + above,
                           area.w - 2 * VIZ_FIGURE_MARGIN, area.h - 2 * above};
    lay_sentences(v, canvas, room);
    v->layout.readout.y += SIDE_NAME;
    draw_panel(v, canvas);
    if (!v->result.count)
        return;
    for (int side = 0; side < 2; side++) {
        const char *language = v->base.source->result.languages[side];
        const sentence_row *row = side ? &v->layout.line : &v->layout.source;
        const viz_rect bands = v->layout.bands;
        const float y = side ? bands.y + bands.h + row->height + 14 : bands.y - row->height - 6;
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, room.x + room.w / 2, y, VIZ_CENTER,
                 canvas->theme->text2,
                 language[0] ? language : viz_word(side ? "translation" : "source"));
    }
}

void translation_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    sentence_view *v = sentence_of(view);
    lay(v, canvas, area);
    const sentence_layout *l = &v->layout;
    viz_text_field_draw(&v->field, canvas, l->field,
                        v->base.source->result.languages[0][0]
                            ? "a sentence to be translated"
                            : "an English sentence, such as: the king was not here yesterday");
    char text[1200];
    viz_rect r = l->hint;
    write_hint(v, text, sizeof text);
    if (!text[0])
        word_completions_draw(v, canvas);
    bool wrong = v->request.problem[0] || v->scene.unread[0];
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 13, r.w, VIZ_LEFT,
                    wrong ? canvas->theme->accent : canvas->theme->text2, text);
    draw_panel(v, canvas);
    /* What cannot be read leaves the translation before it, which is none of this sentence. */
    float below = r.y + r.h;
    if (v->request.problem[0] && v->field.text[0] && !word_completions_are_of_a_part(v))
        viz_fill(canvas, (viz_rect){area.x, below, area.w, l->rule.y - below},
                 viz_with_alpha(canvas->theme->ground, STALE_VEIL));
    if (!v->result.count && v->request.out) /* on a device's first time programs are built */
        viz_text(canvas, VIZ_SANS, VIZ_SENTENCE, area.x + area.w / 2, area.y + area.h / 2,
                 VIZ_CENTER, canvas->theme->faint, viz_word("reading …"));
    viz_fill(canvas, l->rule, canvas->theme->line);
    sentence_draw_transport(v, canvas);
    sentence_matters_draw(v, canvas);
    if (v->list.open)
        viz_word_list_draw(&v->list, canvas, area, l->line.word[v->list.word]);
}
