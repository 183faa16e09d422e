/* The layout of the translation view: words in rows, as large as they fit. */

#include "translation/translation_layout.h"

#include <math.h>

#include "parts/controls/spots.h"
#include "parts/playback/player.h"

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
#define VALUE_GAP 26.0f

/* ---------------------------------------------------------------- words in lines */

/* The ways in which words are fitted, the best first. */
static const struct {
    float size;
    int levels;
} fits[] = {{24, 1}, {20, 1}, {18, 1}, {16, 1}, {14, 1}, {16, 2},
            {14, 2}, {12, 2}, {11, 3}, {10, 3}, {9, 3}};
enum { FITS = sizeof fits / sizeof *fits };

typedef struct words {
    const char *const *text;
    int count;
    const bool *replaced, *joins; /* NULL: none */
    float width[SAC_MAX_TOKENS];
} words;

static void measure(const viz_canvas *canvas, float size, words *w)
{
    for (int i = 0; i < w->count; i++)
        w->width[i] = viz_text_width(canvas, VIZ_SANS, size, w->text[i]) +
                      (w->replaced && w->replaced[i] ? CROSS : 0);
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
                                     (levels == 1 && w->joins && w->joins[i] ? JOINED_GAP : gap));
        middle[i] = least;
        end = fmaxf(end, least + w->width[i] / 2);
    }
    return end;
}

static float line_of(float size)
{
    return floorf(size * 1.5f) + 2;
}

/* Line by line, in the largest letters that leave the bands their space. */
static void lay_text(const viz_canvas *canvas, words *w, viz_rect room, translation_row *row)
{
    row->is_text = true;
    for (float size = TEXT_SIZE; size >= LEAST_SIZE; size -= 1) {
        float x = room.x, line = line_of(size);
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
            x += width + (w->joins && i + 1 < w->count && w->joins[i + 1] ? 0 : TEXT_GAP);
        }
        row->height = line * (float)row->levels;
        if (row->height <= TEXT_SHARE * room.h)
            return;
    }
}

/* Lays a row in the middle of `width`; the space that is left parts the words a little more. */
static void lay_row(const viz_canvas *canvas, words *w, viz_rect room, translation_row *row)
{
    float taken = 0;
    for (int fit = 0; fit < FITS; fit++) {
        row->size = fits[fit].size;
        row->levels = fits[fit].levels;
        measure(canvas, row->size, w);
        taken = place_middles(w, row->levels, WORD_GAP, row->middle);
        if (taken <= room.w)
            break;
    }
    if (taken > room.w) {
        lay_text(canvas, w, room, row);
        return;
    }
    float gap = WORD_GAP;
    while (gap + 2 <= WIDEST_GAP && row->levels == 1 &&
           place_middles(w, row->levels, gap + 2, row->middle) <= room.w)
        gap += 2;
    taken = place_middles(w, row->levels, gap, row->middle);
    /* Words in several lines spread. */
    float squeeze = fminf(room.w / fmaxf(taken, 1), row->levels > 1 ? 1.35f : 1);
    float from = room.x + (room.w - taken * squeeze) / 2, line = line_of(row->size);
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
static void drop_row(translation_row *row, int count, float y, bool above)
{
    float line = line_of(row->size), last = row->height / line - 1;
    for (int i = 0; i < count; i++) {
        float level = (float)row->line[i];
        row->word[i].y =
            y + line * (above || row->is_text ? level : last - level) + (above ? 2.0f : 0.0f);
    }
}

/* ---------------------------------------------------------------- one model */

/* Both sentences, and what is left of the height for the bands between them. */
static void lay_sentences(const viz_canvas *canvas, const translation_content *c, viz_rect room,
                          translation_panel *p)
{
    words source_words = {c->source_words, c->sources, NULL, NULL, {0}};
    words target = {c->target, c->targets, c->replaced, c->joins, {0}};
    lay_row(canvas, &source_words, room, &p->source_words);
    lay_row(canvas, &target, room, &p->target);
    float left = room.h - p->source_words.height - p->target.height - READOUT;
    float bands = fmaxf(fminf(left, MOST_BANDS), 20);
    float y = room.y + fmaxf(left - bands, 0) / 2;
    drop_row(&p->source_words, source_words.count, y, false);
    p->bands = (viz_rect){room.x, y + p->source_words.height, room.w, bands};
    drop_row(&p->target, target.count, p->bands.y + bands, true);
    p->readout = (viz_rect){room.x, p->bands.y + bands + p->target.height + 4, room.w, READOUT - 4};
    for (int i = 0; i < target.count; i++) {
        viz_rect word = p->target.word[i];
        if (target.replaced && target.replaced[i])
            p->cross[i] = (viz_rect){word.x + word.w - CROSS, word.y, CROSS, word.h};
    }
}

static void lay_matrix(const viz_canvas *canvas, const translation_content *c, viz_rect room,
                       translation_panel *p)
{
    viz_grid grid = {.rows = c->targets,
                     .columns = c->sources,
                     .row_labels = c->target,
                     .column_labels = c->source_words,
                     .row = -1,
                     .column = -1};
    if (grid.rows < 1 || grid.columns < 1 || room.h < 60)
        return;
    if (room.h > 4 * VIZ_BAR_NAMED_HEIGHT && room.w >= 180) {
        p->bar = (viz_rect){room.x, room.y + room.h - VIZ_BAR_NAMED_HEIGHT, fminf(room.w, 260),
                            VIZ_BAR_NAMED_HEIGHT};
        room.h -= VIZ_BAR_NAMED_HEIGHT + 10;
    }
    viz_grid_lay(&p->grid, canvas, &grid, room, LARGEST_CELL);
    float spare = room.x + room.w - p->grid.cells.x - p->grid.cells.w;
    room.x += floorf(fmaxf(spare, 0) / 2);
    room.w -= floorf(fmaxf(spare, 0) / 2);
    float low = room.y + room.h - p->grid.cells.y - p->grid.cells.h; /* of few words */
    room.y += floorf(fmaxf(low, 0) / 2);
    room.h -= floorf(fmaxf(low, 0) / 2);
    viz_grid_lay(&p->grid, canvas, &grid, room, LARGEST_CELL);
    if (p->bar.w > 0)
        p->bar = (viz_rect){room.x, p->grid.cells.y + p->grid.cells.h + 14, p->bar.w, p->bar.h};
}

static void lay_panel(const viz_canvas *canvas, const translation_content *c, viz_rect room,
                      translation_panel *p)
{
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
    lay_sentences(canvas, c, room, p);
    lay_matrix(canvas, c, matrix, p);
}

/* ---------------------------------------------------------------- the whole */

static const viz_key_row caps_keys[] = {{"ctrl L", "type"}, {"space", "play"}, {"N", "sentence"},
                                        {"T", "truth"},     {"C", "compare"},  {"S", "PNG"},
                                        {"?", "keys"}};

static void lay_values(const viz_canvas *canvas, const translation_content *c, float x, float right,
                       float y, translation_layout *l)
{
    for (int i = 0; i < VALUE_COUNT; i++) {
        float w = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, c->value[i]);
        if (x + w + VIZ_STEP_ARROW > right)
            return;
        l->value[i] = (viz_rect){x, y, w, VIZ_TIMELINE_HEIGHT};
        x += w + VALUE_GAP;
    }
}

static void lay_bottom(const viz_canvas *canvas, const translation_content *c, viz_rect area,
                       translation_layout *l)
{
    float left = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN, right = left + width;
    float y = area.y + area.h - 12 - VIZ_TIMELINE_HEIGHT, track = fminf(0.28f * width, 340);
    l->rule = (viz_rect){left, y - 10, width, 1};
    l->play = (viz_rect){left, y, 28, VIZ_TIMELINE_HEIGHT};
    l->track = (viz_rect){left + 44, y, track, VIZ_TIMELINE_HEIGHT};
    float from = left + 44 + track + VALUE_GAP;
    lay_values(canvas, c, from, right, y, l);
    for (int i = 0; i < VALUE_COUNT; i++)
        from = fmaxf(from, l->value[i].x + l->value[i].w + VALUE_GAP);
    l->caps = viz_caps_layout(canvas, right, y + 2, fmaxf(right - from, 0), caps_keys,
                              sizeof caps_keys / sizeof *caps_keys);
}

translation_panel viz_translation_figure(const viz_canvas *canvas, viz_rect room,
                                         const translation_content *c)
{
    translation_panel panel = {0};
    lay_sentences(canvas, c, room, &panel);
    return panel;
}

translation_layout viz_translation_layout(const viz_canvas *canvas, viz_rect area,
                                          const translation_content *c)
{
    translation_layout l = {0};
    float left = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    lay_bottom(canvas, c, area, &l);
    l.field = (viz_rect){left, area.y + 12, width, FIELD_HEIGHT};
    l.hint = (viz_rect){left, l.field.y + FIELD_HEIGHT + 2, width, HINT_HEIGHT};
    float top = l.hint.y + HINT_HEIGHT + 8;
    viz_rect room = {left, top, width, fmaxf(l.rule.y - 8 - top, 1)};
    lay_panel(canvas, c, room, &l.panel);
    return l;
}
