/* The heads of a model that writes, at one step or at two: their maps over a text whose tokens come twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "parts/figures/head_kinds.h"
#include "sources/heads/difference.h"
#include "training/training_state.h"
#include "view/words.h"

#define LEAST_DIFFERENCE 0.05f /* that has the full colour */
#define NAMED_LEAST 0.33f      /* a score from which on a head is called so */

size_t training_chosen_head(const training_view *v)
{
    enum { INDUCTION = 1 };
    const sac_training_heads *h = &v->state.heads;
    const size_t count = h->layers * h->heads;
    if (v->heads.chosen >= 0 && (size_t)v->heads.chosen < count)
        return (size_t)v->heads.chosen;
    return h->points ? sac_training_best_head(h, h->points - 1, INDUCTION) : 0;
}

/* ---------------------------------------------------------------- what the worker fetches */

void training_heads_free(training_heads *h)
{
    for (int i = 0; i < TRAINING_MAPS; i++)
        free(h->maps[i]);
    sac_labels_free(&h->labels);
    *h = (training_heads){0};
}

bool training_wants_heads(const training_view *v)
{
    const training_heads *h = &v->heads;
    if (!v->looked || !training_has_heads(v) || !v->source->training.moment)
        return false;
    const sac_training_heads *all = &v->state.heads;
    const bool follows = !h->at && h->step[MAP_A] < all->at[all->points - 1];
    return all->kept[all->points - 1] &&
           (h->asked[MAP_A] != h->at || h->asked[MAP_B] != h->beside || follows);
}

static sac_status read_maps(const sac_source *source, float *maps, sac_error *error)
{
    const sac_weights_source *w = &source->weights;
    const size_t count = w->steps * w->positions;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < w->layers * w->heads && status == SAC_OK; i++) {
        const sac_tile tile = {.head = i % w->heads, .rows = w->steps, .cols = w->positions};
        status = w->tile(source->self, i / w->heads, &tile, maps + i * count, error);
    }
    return status;
}

/* Fills got->maps of A alone, or of A, B and their difference, whose sources are taken over. */
static sac_status read_all_maps(sac_source *a, sac_source *b, training_heads *got, sac_error *error)
{
    const sac_weights_source *w = &a->weights;
    sac_source difference = {0};
    got->layers = w->layers;
    got->heads = w->heads;
    got->tokens = w->steps;
    const size_t count = w->layers * w->heads * w->steps * w->positions;
    sac_status status = sac_labels_copy(&w->position_labels, &got->labels, error);
    for (int i = 0; i < (b ? TRAINING_MAPS : 1) && status == SAC_OK; i++)
        if (!(got->maps[i] = malloc(count * sizeof **got->maps)))
            status = sac_no_memory(error, "heads");
    if (status == SAC_OK)
        status = read_maps(a, got->maps[MAP_A], error);
    if (status == SAC_OK && b)
        status = read_maps(b, got->maps[MAP_B], error);
    if (!b) {
        sac_source_destroy(a);
        free(a);
        return status;
    }
    sac_error why = {0};
    const sac_status opened =
        sac_difference_open(&(sac_difference_sides){.first = b, .second = a}, &difference, &why);
    if (status == SAC_OK && opened != SAC_OK)
        status = sac_error_pass(error, &why, NULL);
    if (status == SAC_OK)
        status = read_maps(&difference, got->maps[MAP_MINUS], error);
    if (opened == SAC_OK)
        sac_source_destroy(&difference);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        got->most = fmaxf(got->most, fabsf(got->maps[MAP_MINUS][i]));
    return status;
}

sac_status training_fetch_heads(sac_source *source, training_heads_work *work, sac_error *error)
{
    sac_training_moment moment[2] = {{0}, {0}};
    sac_status status = source->training.moment(
        source->self, work->at ? (size_t)work->at : SIZE_MAX, &moment[MAP_A], error);
    if (status == SAC_OK && work->beside)
        status = source->training.moment(source->self, (size_t)work->beside, &moment[MAP_B], error);
    if (status == SAC_OK) {
        memcpy(work->got.sample, moment[MAP_A].sample, sizeof work->got.sample);
        for (int i = 0; i < 2; i++)
            work->got.step[i] = moment[i].step;
        status = read_all_maps(moment[MAP_A].heads, moment[MAP_B].heads, &work->got, error);
        moment[MAP_A].heads = moment[MAP_B].heads = NULL;
    }
    for (int i = 0; i < 2; i++)
        sac_training_moment_free(&moment[i]);
    return status;
}

void training_take_heads(training_view *v, training_heads_work *work)
{
    training_heads *h = &v->heads, before = *h;
    *h = work->got;
    h->at = before.at;
    h->beside = before.beside;
    h->chosen = before.chosen;
    h->asked[MAP_A] = work->at;
    h->asked[MAP_B] = work->beside;
    work->got = (training_heads){0};
    training_heads_free(&before);
}

bool training_compares(const training_view *v)
{
    return v->heads.beside > 0 && v->heads.maps[MAP_MINUS];
}

/* ---------------------------------------------------------------- maps */

static viz_rect grid_cell(const training_heads_layout *l, size_t layer, size_t head)
{
    return (viz_rect){l->grid.x + l->step_x * (float)head, l->grid.y + l->step_y * (float)layer,
                      l->cell, l->cell};
}

/* What is after a token is hidden from it; where cells are smaller than pixels the largest of them is seen. */
static void draw_map(const training_view *v, viz_canvas *canvas, viz_rect r, size_t head, int which)
{
    const training_heads *h = &v->heads;
    const size_t T = h->tokens;
    const bool is_difference = which == MAP_MINUS;
    const float *map = h->maps[which] ? h->maps[which] + head * T * T : NULL;
    size_t out = (size_t)fmaxf(1, floorf(r.w * canvas->density));
    out = out < T ? out : T;
    float *cells = map ? viz_allocate(T * T + out * out, sizeof *cells) : NULL;
    if (!cells) {
        viz_fill(canvas, r, canvas->theme->panel);
        return;
    }
    float *pooled = cells + T * T;
    memcpy(cells, map, T * T * sizeof *cells);
    sac_weights_pool(cells, T, T, SAC_POOL_MAX, out, out, pooled);
    for (size_t i = 0; i < out; i++)
        for (size_t j = 0; j < out; j++)
            if (j * T / out > (i + 1) * T / out - 1)
                pooled[i * out + j] = NAN;
    const float most = fmaxf(h->most, LEAST_DIFFERENCE);
    const viz_scale scale =
        is_difference ? (viz_scale){VIZ_FIXED, -most, most} : viz_scale_for(VIZ_ROOT, 1);
    viz_theme theme = *canvas->theme;
    viz_canvas quiet = *canvas; /* half of the map is masked: in a tone that does not stand out */
    theme.masked = theme.panel;
    quiet.theme = &theme;
    viz_cells(&quiet, r, pooled, out, out,
              viz_map_colors(canvas->theme, is_difference ? VIZ_DIVERGING : v->style.map), &scale);
    free(cells);
}

/* The point of the scores that belongs to map A, or B. */
static size_t point_of_map(const training_view *v, int which)
{
    return training_heads_point(&v->state.heads, (float)v->heads.step[which]);
}

static int strongest_kind(const sac_training_heads *h, size_t point, size_t head, float *score)
{
    int most = 0;
    for (int k = 1; k < SAC_TRAINING_KINDS; k++)
        if (sac_training_head_score(h, point, head, k) >
            sac_training_head_score(h, point, head, most))
            most = k;
    *score = sac_training_head_score(h, point, head, most);
    return most;
}

/* Below a small map: a bar as long as its highest score, and that by its name where there is room. */
static void draw_score_of_cell(const training_view *v, viz_canvas *canvas, viz_rect cell,
                               size_t head)
{
    const training_heads_layout *l = &v->layout.heads;
    char text[64];
    float score;
    const int kind = strongest_kind(&v->state.heads, point_of_map(v, MAP_A), head, &score);
    const viz_color color = score >= NAMED_LEAST
                                ? viz_kind_color(canvas->theme, sac_training_kinds[kind])
                                : canvas->theme->faint;
    const float y = cell.y + cell.h + 1;
    viz_fill(canvas, (viz_rect){cell.x, y, cell.w * fminf(fmaxf(score, 0), 1), l->bar}, color);
    if (!l->captions)
        return;
    snprintf(text, sizeof text, "%s %.2f", viz_word(sac_training_kind_names[kind]), (double)score);
    if (score < NAMED_LEAST || viz_text_width(canvas, VIZ_SANS, 11, text) > cell.w + 2)
        snprintf(text, sizeof text, "%.2f", (double)score);
    viz_text(canvas, VIZ_SANS, 11, cell.x, y + l->bar + 11, VIZ_LEFT,
             score >= NAMED_LEAST ? color : canvas->theme->text2, text);
}

static void draw_numbers(const training_view *v, viz_canvas *canvas)
{
    const training_heads_layout *l = &v->layout.heads;
    const training_heads *h = &v->heads;
    char text[24];
    const size_t skip_heads = (size_t)ceilf(20 / l->step_x),
                 skip_layers = (size_t)ceilf(14 / l->step_y);
    for (size_t i = 0; i < h->heads; i += skip_heads) {
        snprintf(text, sizeof text, "%zu", i);
        viz_text(canvas, VIZ_MONO, 11, grid_cell(l, 0, i).x + l->cell / 2, l->grid.y - 4,
                 VIZ_CENTER, canvas->theme->text2, text);
    }
    for (size_t i = 0; i < h->layers; i += skip_layers) {
        snprintf(text, sizeof text, "%zu", i);
        viz_text(canvas, VIZ_MONO, 11, l->grid.x - 5, grid_cell(l, i, 0).y + l->cell / 2 + 4,
                 VIZ_RIGHT, canvas->theme->text2, text);
    }
}

static void draw_grid(const training_view *v, viz_canvas *canvas)
{
    const training_heads_layout *l = &v->layout.heads;
    const training_heads *h = &v->heads;
    const size_t chosen = training_chosen_head(v);
    if (!(l->grid.w > 0))
        return;
    for (size_t i = 0; i < h->layers * h->heads; i++) {
        const viz_rect cell = grid_cell(l, i / h->heads, i % h->heads);
        draw_map(v, canvas, cell, i, training_compares(v) ? MAP_MINUS : MAP_A);
        draw_score_of_cell(v, canvas, cell, i);
    }
    const viz_rect at = grid_cell(l, chosen / h->heads, chosen % h->heads);
    if (!canvas->figure)
        viz_frame(canvas, (viz_rect){at.x - 2, at.y - 2, at.w + 4, at.h + 4}, 2,
                  canvas->theme->accent);
    draw_numbers(v, canvas);
}

/* ---------------------------------------------------------------- the chosen head */

/* The cell of a large map under the pointer, in all of them the same; false: none. */
static bool pointed_cell(const training_view *v, size_t *row, size_t *column)
{
    for (int i = 0; i < TRAINING_MAPS; i++) {
        const viz_rect r = v->layout.heads.map[i];
        if (!viz_inside(r, v->pointer_x, v->pointer_y) || !v->heads.tokens)
            continue;
        *row = (size_t)((v->pointer_y - r.y) / r.h * (float)v->heads.tokens);
        *column = (size_t)((v->pointer_x - r.x) / r.w * (float)v->heads.tokens);
        return *row < v->heads.tokens && *column <= *row;
    }
    return false;
}

/* “x” → “y” 0.62, and where two steps are compared both and their difference; else which head it is. */
static void draw_readout(const training_view *v, viz_canvas *canvas)
{
    const training_heads *h = &v->heads;
    const viz_rect r = v->layout.heads.readout;
    const size_t head = training_chosen_head(v), T = h->tokens;
    size_t row, column;
    char text[256], a[64], b[64], number[32];
    if (!(r.w > 0))
        return;
    snprintf(text, sizeof text, viz_word("layer %zu, head %zu"), head / h->heads, head % h->heads);
    if (pointed_cell(v, &row, &column) && row < h->labels.count) {
        const float weight = h->maps[MAP_A][(head * T + row) * T + column];
        size_t used = (size_t)snprintf(text, sizeof text, "%s → %s  %s",
                                       viz_quoted(h->labels.text[row], a, sizeof a),
                                       viz_quoted(h->labels.text[column], b, sizeof b),
                                       viz_number(weight, number, sizeof number));
        if (training_compares(v) && used < sizeof text)
            used += (size_t)snprintf(
                text + used, sizeof text - used, " − %s",
                viz_number(h->maps[MAP_B][(head * T + row) * T + column], number, sizeof number));
        if (training_compares(v) && used < sizeof text)
            snprintf(text + used, sizeof text - used, " = %s",
                     viz_signed_number(h->maps[MAP_MINUS][(head * T + row) * T + column], number,
                                       sizeof number));
    }
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 15, r.w, VIZ_LEFT, canvas->theme->text,
                    text);
}

/* A line for each kind: of one step a bar, of two steps both and their difference. */
static void draw_scores_of_head(const training_view *v, viz_canvas *canvas)
{
    const viz_rect r = v->layout.heads.scores;
    const sac_training_heads *all = &v->state.heads;
    const size_t head = training_chosen_head(v);
    const bool both = training_compares(v);
    const float number = 50;
    float names = 0, y = r.y;
    if (!(r.w > 0))
        return;
    for (int k = 0; k < SAC_TRAINING_KINDS; k++)
        names = fmaxf(names, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL,
                                            viz_word(sac_training_kind_names[k])));
    names = fminf(ceilf(names) + 1, r.w - 3 * number);
    static const char *const letters[] = {"A", "B", "A − B"};
    for (int i = 0; i < TRAINING_MAPS && both; i++)
        viz_text(canvas, VIZ_SANS, 11, r.x + names + number * (float)(i + 1), y + 13, VIZ_RIGHT,
                 canvas->theme->text2, letters[i]);
    y += both ? TRAINING_SCORE_LINE : 0;
    for (int k = 0; k < SAC_TRAINING_KINDS; k++, y += TRAINING_SCORE_LINE) {
        const float a = sac_training_head_score(all, point_of_map(v, MAP_A), head, k);
        const viz_color color = viz_kind_color(canvas->theme, sac_training_kinds[k]);
        const viz_rect line = {r.x, y, r.w, TRAINING_SCORE_LINE};
        char text[32];
        if (!both) {
            snprintf(text, sizeof text, "%.2f", (double)a);
            const float room = r.w - names - VIZ_GAP - 44;
            viz_named_bar_draw(canvas, line, names, viz_word(sac_training_kind_names[k]),
                               canvas->theme->text2, room * fminf(fmaxf(a, 0), 1), color, text);
            continue;
        }
        const float b = sac_training_head_score(all, point_of_map(v, MAP_B), head, k),
                    values[] = {a, b, a - b};
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x, y + 13, names, VIZ_LEFT, color,
                        viz_word(sac_training_kind_names[k]));
        for (int i = 0; i < TRAINING_MAPS; i++) {
            const char *sign = i != MAP_MINUS || fabsf(values[i]) < 0.005f ? ""
                               : values[i] < 0                             ? "−"
                                                                           : "+";
            snprintf(text, sizeof text, "%s%.2f", sign, (double)fabsf(values[i]));
            viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + names + number * (float)(i + 1), y + 13,
                     VIZ_RIGHT, i == MAP_MINUS ? canvas->theme->text : canvas->theme->text2, text);
        }
    }
}

static void draw_large_maps(const training_view *v, viz_canvas *canvas)
{
    const training_heads_layout *l = &v->layout.heads;
    const training_heads *h = &v->heads;
    const bool both = training_compares(v);
    size_t row, column;
    for (int i = 0; i < (both ? TRAINING_MAPS : 1); i++) {
        const viz_rect r = l->map[i];
        char text[48];
        if (!(r.w > 0))
            continue;
        draw_map(v, canvas, r, training_chosen_head(v), i);
        if (pointed_cell(v, &row, &column) && !canvas->figure) {
            const float side = fmaxf(r.w / (float)h->tokens, 5),
                        x = r.x + ((float)column + 0.5f) * r.w / (float)h->tokens,
                        y = r.y + ((float)row + 0.5f) * r.h / (float)h->tokens;
            viz_frame_apart(
                canvas, (viz_rect){x - side / 2 - 1, y - side / 2 - 1, side + 2, side + 2}, 1.5f);
        }
        if (!both)
            continue;
        float x = r.x + viz_text(canvas, VIZ_SANS_BOLD, VIZ_LABEL, r.x, r.y - 6, VIZ_LEFT,
                                 i == MAP_A ? canvas->theme->accent : canvas->theme->text,
                                 i == MAP_A   ? "A"
                                 : i == MAP_B ? "B"
                                              : "A − B");
        if (i == MAP_MINUS)
            snprintf(text, sizeof text, "±%.2f", (double)fmaxf(h->most, LEAST_DIFFERENCE));
        else
            snprintf(text, sizeof text, viz_word("step %zu"), h->step[i]);
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, x + 8, r.y - 6, r.x + r.w - x - 8, VIZ_LEFT,
                        canvas->theme->text2, text);
    }
}

void training_draw_heads(training_view *v, viz_canvas *canvas)
{
    const training_heads_layout *l = &v->layout.heads;
    char text[160];
    if (!v->heads.tokens || !training_has_heads(v))
        return;
    if (training_compares(v))
        snprintf(text, sizeof text, viz_word("heads: step %zu less step %zu"), v->heads.step[MAP_A],
                 v->heads.step[MAP_B]);
    else
        snprintf(text, sizeof text, viz_word("heads after step %zu"), v->heads.step[MAP_A]);
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, viz_word(", on %zu tokens that come twice"),
             v->heads.tokens / 2);
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) > l->title.w)
        text[used] = '\0';
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, l->title.x, l->title.y + 12, l->title.w, VIZ_LEFT,
                    canvas->theme->text2, text);
    draw_grid(v, canvas);
    draw_large_maps(v, canvas);
    draw_readout(v, canvas);
    draw_scores_of_head(v, canvas);
}

/* ---------------------------------------------------------------- spots */

void training_heads_spots(const training_view *v, viz_spots *spots)
{
    enum { MOST = 256 };
    static const char *const kinds[SAC_TRAINING_KINDS] = {
        "How much these heads look at the token before; click for the best of them.",
        "How much they look at what followed the same token before: induction; click for the best "
        "of them.",
        "How much they look at the same token, where it came before; click for the best of them.",
        "How much they look at the first token, where idle heads rest; click for the best of "
        "them."};
    const training_heads_layout *l = &v->layout.heads;
    const training_heads *h = &v->heads;
    if (!training_has_heads(v) || !h->tokens)
        return;
    for (size_t i = 0; l->grid.w > 0 && i < h->layers * h->heads && h->layers * h->heads <= MOST;
         i++)
        viz_spots_add(spots, grid_cell(l, i / h->heads, i % h->heads), VIZ_SPOT_PRESSES,
                      "Where this head looks in tokens that were drawn and come twice, and its "
                      "highest score; click to see it large.");
    if (h->layers * h->heads > MOST)
        viz_spots_add(
            spots, l->grid, VIZ_SPOT_AREA,
            "Where each head looks in tokens that were drawn and come twice; click one to "
            "see it large.");
    for (int i = 0; i < (training_compares(v) ? TRAINING_MAPS : 1); i++)
        viz_spots_add(spots, l->map[i], VIZ_SPOT_AREA,
                      i == MAP_MINUS
                          ? "What it looks at more at step A (one colour), or less; ± is the full "
                            "colour."
                          : "The chosen head: a row is a token, a column one that it can look at; "
                            "brighter is more, by the square root.");
    for (int k = 0; k < SAC_TRAINING_KINDS; k++)
        viz_spots_add(spots, v->layout.legend[k], VIZ_SPOT_PRESSES, kinds[k]);
    viz_spots_add(spots, l->scores, VIZ_SPOT_READOUT,
                  "The share of the head's attention that goes where each kind of head looks.");
    viz_spots_add(spots, v->layout.scores.plot, VIZ_SPOT_AREA,
                  "The scores of the heads by step; click to see that step, right click to compare "
                  "with it.");
}

/* ---------------------------------------------------------------- choosing */

/* Of the steps that are kept the one before `from` (way −1), after it (1), or nearest to it (0); `from` where there is
 * none. */
static int kept_step(const sac_training_heads *h, size_t from, int way)
{
    size_t best = SIZE_MAX, step = from;
    for (size_t i = 0; i < h->points; i++) {
        const bool before = h->at[i] < from;
        const size_t apart = before ? from - h->at[i] : h->at[i] - from;
        const bool fits = way == 0 || (apart > 0 && before == (way < 0));
        if (h->kept[i] && fits && apart < best) {
            best = apart;
            step = h->at[i];
        }
    }
    return (int)step;
}

/* The newest one is followed. */
static bool show_step(training_view *v, int step)
{
    const sac_training_heads *h = &v->state.heads;
    const int before = v->heads.at, newest = (int)h->at[h->points - 1];
    v->heads.at = step >= newest && v->heads.beside != newest ? 0 : step;
    return v->heads.at != before;
}

static bool choose_head(training_view *v, int head)
{
    const int before = v->heads.chosen;
    v->heads.chosen = head;
    return before != head;
}

/* With what is seen at half of the steps that are done, or where that is seen, with the newest. */
static bool toggle_comparison(training_view *v)
{
    const sac_training_heads *h = &v->state.heads;
    if (v->heads.beside) {
        v->heads.beside = 0;
        return true;
    }
    const size_t newest = h->at[h->points - 1];
    v->heads.beside = v->heads.at ? (int)newest : kept_step(h, newest / 2, 0);
    return true;
}

static size_t first_kept(const sac_training_heads *h)
{
    size_t i = 0;
    while (i + 1 < h->points && !h->kept[i])
        i++;
    return h->at[i];
}

int training_step_of_story(const training_view *v, double share)
{
    const sac_training_heads *h = &v->state.heads;
    const double first = (double)first_kept(h), last = (double)h->at[h->points - 1];
    return share < 1 ? kept_step(h, (size_t)(first + share * (last - first)), 0) : 0;
}

bool training_press_heads_key(training_view *v, int key, int step)
{
    const sac_training_heads *h = &v->state.heads;
    if (!training_has_heads(v))
        return false;
    const size_t count = h->layers * h->heads, newest = h->at[h->points - 1],
                 shown = v->heads.at ? (size_t)v->heads.at : newest;
    const int head = (int)training_chosen_head(v), heads = (int)h->heads;
    switch (key) {
    case ' ':
        v->heads.at = v->heads.at ? 0 : (int)newest;
        return true;
    case VIZ_KEY_LEFT:
    case VIZ_KEY_RIGHT:
        return show_step(v, kept_step(h, shown, step));
    case VIZ_KEY_HOME:
        return show_step(v, (int)first_kept(h));
    case VIZ_KEY_END:
        return show_step(v, (int)newest);
    case 'n':
    case 'p':
        return choose_head(v, (head + step + (int)count) % (int)count);
    case VIZ_KEY_UP:
    case VIZ_KEY_DOWN:
        return choose_head(v, (head + step * heads + (int)count) % (int)count);
    case 'c':
        return toggle_comparison(v);
    case ',':
    case '.':
        if (!v->heads.beside)
            return false;
        v->heads.beside = kept_step(h, (size_t)v->heads.beside, step);
        return true;
    case VIZ_KEY_ESCAPE:
        if (!v->heads.beside && !v->heads.at && v->heads.chosen < 0)
            return false;
        if (v->heads.beside)
            v->heads.beside = 0;
        else if (v->heads.at)
            v->heads.at = 0;
        else
            v->heads.chosen = -1;
        return true;
    default:
        return false;
    }
}

bool training_heads_event(training_view *v, const viz_event *event)
{
    const training_heads_layout *l = &v->layout.heads;
    const training_heads *h = &v->heads;
    const float x = event->x, y = event->y;
    if (event->kind != VIZ_PRESS || !training_has_heads(v) || !h->tokens)
        return false;
    for (size_t i = 0; event->button == 1 && i < h->layers * h->heads; i++)
        if (l->grid.w > 0 && viz_inside(grid_cell(l, i / h->heads, i % h->heads), x, y))
            return choose_head(v, (int)i);
    for (int k = 0; event->button == 1 && k < SAC_TRAINING_KINDS; k++)
        if (viz_inside(v->layout.legend[k], x, y))
            return choose_head(
                v, (int)sac_training_best_head(&v->state.heads, v->state.heads.points - 1, k));
    if (!viz_inside(v->layout.loss.plot, x, y) && !viz_inside(v->layout.scores.plot, x, y))
        return false;
    const int step = kept_step(&v->state.heads, (size_t)training_step_at(v, x), 0);
    if (event->button == 3) {
        v->heads.beside = step;
        return true;
    }
    return event->button == 1 && show_step(v, step);
}
