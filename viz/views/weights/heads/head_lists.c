/* Beside the maps of heads: the legend of what they do, the list of those that are asked for, and the tokens
 * to choose a query from. */
#include "weights/heads/head_lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/words.h"

/* ---------------------------------------------------------------- what heads do */

#define SWATCH 10.0f
#define SWATCH_GAP 6.0f
#define ITEM_GAP 18.0f

static const char *const tips[SAC_KIND_COUNT] = {
    [SAC_KIND_PREVIOUS] = "These look at the token before; click to see them alone.",
    [SAC_KIND_SELF] = "These look at the token itself; click to see them alone.",
    [SAC_KIND_NEXT] = "These look at the token behind; click to see them alone.",
    [SAC_KIND_FIRST] =
        "These look at the first token, where the attention of idle heads rests; click to see them "
        "alone.",
    [SAC_KIND_ALIKE] = "These look at the same word elsewhere; click to see them alone.",
    [SAC_KIND_REPEATS] = "These look at what followed the same word before: induction heads; click "
                         "to see them alone.",
    [SAC_KIND_DELIMITER] =
        "These look at marks of punctuation and special tokens; click to see them "
        "alone.",
    [SAC_KIND_ONE] = "These look at one token, whatever the query is; click to see them alone.",
    [SAC_KIND_GAZE] = "These look at the place of what is described, another for other words: gaze "
                      "heads; click to see them alone.",
    [SAC_KIND_NEAR] = "These look at the tokens around; click to see them alone.",
    [SAC_KIND_BROAD] = "These look at all there is, nearly alike; click to see them alone.",
    [SAC_KIND_MIXED] = "Where these look differs from query to query; click to see them alone.",
};

bool viz_kind_of(const viz_head_entry *entry, sac_weights_kind *kind)
{
    bool known = entry && entry->known && !entry->scan.finds_peak;
    if (known)
        *kind = sac_weights_kind_of(&entry->scan.stats, NULL);
    return known;
}

static char *item_text(const viz_head_kinds *k, int item, char *text, size_t size)
{
    snprintf(text, size, "%s  %zu", viz_word(sac_weights_kind_name(k->kind[item])), k->heads[item]);
    return text;
}

/* Cells that words look at are no tokens, of which there are other patterns. */
static bool applies(const viz_weights_model *model, sac_weights_kind kind)
{
    const sac_head_choice choice = viz_weights_model_current(model);
    const bool words_see_cells = sac_head_choice_words_see_cells(model->source, &choice);
    const bool is_square = sac_head_choice_is_square(model->source, &choice);
    return sac_ask_pattern(kind) &&
           (kind == SAC_KIND_GAZE ? words_see_cells : !words_see_cells || is_square);
}

void viz_head_kinds_lay(viz_head_kinds *k, const viz_weights_model *model, const viz_canvas *canvas,
                        float x, float y, float width)
{
    size_t heads[SAC_KIND_COUNT] = {0}, known = 0;
    char text[80];
    *k = (viz_head_kinds){0};
    for (size_t l = 0; l < model->source->weights.layers; l++)
        for (size_t h = 0; h < viz_weights_model_heads(model); h++) {
            sac_weights_kind kind;
            if (viz_kind_of(viz_weights_model_entry(model, l, h), &kind)) {
                heads[kind]++;
                known++;
            }
        }
    if (known < 2)
        return;
    float at = x;
    for (int i = 0; i < SAC_KIND_COUNT; i++) {
        bool asked = model->sort == VIZ_BY_ASKED && applies(model, (sac_weights_kind)i);
        if (!heads[i] && !asked)
            continue;
        k->kind[k->count] = (sac_weights_kind)i;
        k->heads[k->count] = heads[i];
        float w =
            SWATCH + SWATCH_GAP +
            viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, item_text(k, k->count, text, sizeof text));
        if (at + w > x + width && at > x) {
            at = x;
            y += VIZ_KINDS_LINE;
            k->height += VIZ_KINDS_LINE;
        }
        k->width = fmaxf(k->width, at + w - x);
        k->items[k->count++] = (viz_rect){at, y, w, VIZ_KINDS_LINE};
        at += w + ITEM_GAP;
    }
    k->height += VIZ_KINDS_LINE;
}

void viz_head_kinds_draw(const viz_head_kinds *k, const viz_weights_model *model,
                         viz_canvas *canvas)
{
    char text[80];
    for (int i = 0; i < k->count; i++) {
        viz_rect r = k->items[i];
        bool lit = !model->kind_alone || model->kind_alone == (int)k->kind[i] + 1;
        viz_rect swatch = {r.x, r.y + 5, SWATCH, SWATCH};
        viz_fill_round(canvas, swatch, 2,
                       lit ? viz_kind_color(canvas->theme, k->kind[i]) : canvas->theme->line);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + SWATCH + SWATCH_GAP, r.y + 14, VIZ_LEFT,
                 model->kind_alone && lit ? canvas->theme->text : canvas->theme->text2,
                 item_text(k, i, text, sizeof text));
    }
}

bool viz_head_kinds_event(const viz_head_kinds *k, viz_weights_model *model, const viz_event *event)
{
    for (int i = 0; i < k->count && event->kind == VIZ_PRESS && event->button == 1; i++)
        if (viz_inside(k->items[i], event->x, event->y)) {
            int pressed = (int)k->kind[i] + 1;
            model->kind_alone = model->kind_alone == pressed ? 0 : pressed;
            return true;
        }
    return false;
}

void viz_head_kinds_spots(const viz_head_kinds *k, viz_spots *spots)
{
    for (int i = 0; i < k->count; i++)
        viz_spots_add(spots, k->items[i], VIZ_SPOT_PRESSES, tips[k->kind[i]]);
}

/* ---------------------------------------------------------------- heads that are asked for */

#define LINE 22.0f
#define NAME 44.0f
#define LEAST_WIDTH 150.0f

void viz_asked_list_free(viz_asked_list *list)
{
    free(list->maps);
    free(list->scores);
    *list = (viz_asked_list){0};
}

/* False where not all scores are known. */
static bool rank(viz_asked_list *list, const viz_weights_model *model)
{
    size_t heads = model->source->weights.heads, count = model->source->weights.layers * heads;
    if (!list->maps)
        list->maps = viz_allocate(count, sizeof *list->maps);
    if (!list->scores)
        list->scores = viz_allocate(count, sizeof *list->scores);
    for (size_t i = 0; i < count; i++)
        if (!list->maps || !list->scores ||
            !viz_weights_model_asked_score(model, i / heads, i % heads, &list->scores[i]))
            return false;
    sac_ask_rank(list->scores, count, list->maps);
    return true;
}

bool viz_asked_best(viz_asked_list *list, const viz_weights_model *model, size_t *map, float *score)
{
    bool known = rank(list, model);
    *map = known ? list->maps[0] : 0;
    *score = known ? list->scores[*map] : 0;
    return known;
}

void viz_asked_list_lay(viz_asked_list *list, const viz_weights_model *model, viz_rect rect)
{
    size_t count = model->source->weights.layers * model->source->weights.heads;
    float room = rect.h / LINE - 1;
    list->rect = (viz_rect){0};
    list->lines = 0;
    if (model->sort != VIZ_BY_ASKED || rect.w < LEAST_WIDTH || room < 1)
        return;
    list->rect = rect;
    if (rank(list, model))
        list->lines = (float)count < room ? count : (size_t)room;
}

static viz_rect line_of(const viz_asked_list *list, size_t line)
{
    return (viz_rect){list->rect.x, list->rect.y + LINE * (float)(line + 1), list->rect.w, LINE};
}

static void draw_title(const viz_asked_list *list, const viz_weights_model *model,
                       viz_canvas *canvas)
{
    char title[256], query[96], key[96];
    size_t row = model->ask.step, column = model->ask.position;
    if (model->kind_alone) {
        const char *kind = sac_weights_kind_name((sac_weights_kind)(model->kind_alone - 1));
        snprintf(title, sizeof title, viz_word("heads by %s"), viz_word(kind));
    } else {
        snprintf(title, sizeof title, viz_word("heads that take %s to %s"),
                 viz_weights_model_position_name(model, row, query, sizeof query),
                 viz_weights_model_position_name(model, column, key, sizeof key));
    }
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, list->rect.x, list->rect.y + 10, list->rect.w,
                    VIZ_LEFT, canvas->theme->text2, title);
}

void viz_asked_list_draw(const viz_asked_list *list, const viz_weights_model *model,
                         viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    size_t heads = model->source->weights.heads;
    if (list->rect.w <= 0)
        return;
    draw_title(list, model, canvas);
    for (size_t i = 0; i < list->lines; i++) {
        viz_rect r = line_of(list, i);
        size_t map = list->maps[i], layer = map / heads, head = map % heads;
        bool current = layer == model->layer && head == model->head;
        float most = fmaxf(list->scores[list->maps[0]], 1e-30f);
        char text[40], number[32];
        sac_weights_kind kind;
        snprintf(text, sizeof text, "%zu.%zu", sac_source_layer_number(model->source, layer), head);
        viz_color color = theme->text2;
        if (viz_kind_of(viz_weights_model_entry(model, layer, head), &kind))
            color = viz_kind_color(theme, kind);
        float track = r.w - NAME - VIZ_BAR_DIGITS - VIZ_GAP;
        viz_named_bar_draw(canvas, r, NAME, text, current ? theme->accent : theme->text2,
                           track * fmaxf(list->scores[map], 0) / most,
                           current ? theme->accent : color,
                           viz_number(list->scores[map], number, sizeof number));
    }
}

bool viz_asked_list_event(const viz_asked_list *list, viz_weights_model *model,
                          const viz_event *event)
{
    size_t heads = model->source->weights.heads;
    for (size_t i = 0; i < list->lines && event->kind == VIZ_PRESS && event->button != 2; i++)
        if (viz_inside(line_of(list, i), event->x, event->y)) {
            model->reduce = SAC_REDUCE_NONE;
            viz_weights_model_select(model, list->maps[i] / heads, list->maps[i] % heads);
            if (event->button == 3)
                viz_weights_model_scale_current(model, 0);
            return true;
        }
    return false;
}

void viz_asked_list_spots(const viz_asked_list *list, viz_spots *spots)
{
    viz_rect title = list->rect;
    title.h = LINE;
    viz_spots_add(spots, title, VIZ_SPOT_READOUT,
                  "All heads by the weight of one pair of tokens: click a cell of the matrix, or a "
                  "query and a key at its edges; by a pattern, where one is chosen in the legend.");
    for (size_t i = 0; i < list->lines; i++)
        viz_spots_add(spots, line_of(list, i), VIZ_SPOT_PRESSES, "Click to open this head.");
}

/* ---------------------------------------------------------------- tokens that are no cells */

/* True where row `row` of the map, counted from `top` of the source's, is no cell. */
static bool is_token(const viz_weights_model *model, size_t row, size_t top)
{
    const sac_source *source = model->source;
    size_t cell;
    bool square =
        sac_source_steps(source, model->batch) == sac_source_positions(source, model->batch);
    return !square || !sac_source_find_cell(source, model->batch, row + top, &cell);
}

void viz_token_line_lay(viz_token_line *line, const viz_weights_model *model,
                        const viz_canvas *canvas, float x, float y, float width, int most)
{
    sac_rect map = viz_weights_model_map(model);
    size_t rows = map.rows, top = map.row;
    int count = 0;
    line->choices = (viz_choices){0};
    /* So many tokens before the one that is listed first that the current query is among them, if it is one. */
    size_t before = 0, all = 0, room = (size_t)most;
    for (size_t row = 0; row < rows; row++) {
        bool counts = is_token(model, row, top);
        before += counts && row < model->row;
        all += counts;
    }
    size_t first = before > room / 2 && is_token(model, model->row, top) ? before - room / 2 : 0;
    size_t skip = all <= room ? 0 : first + room > all ? all - room : first;
    for (size_t row = 0; row < rows && count < most; row++) {
        const char *label = viz_weights_model_row_label(model, row);
        char *name = line->names[count];
        if (!is_token(model, row, top) || (skip && skip--))
            continue;
        if (label)
            snprintf(name, sizeof line->names[count], "%.40s", label);
        else
            snprintf(name, sizeof line->names[count], viz_word("token %zu"), row + top);
        line->row[count] = row;
        line->name[count++] = name;
    }
    char row[48];
    bool listed = false;
    for (int i = 0; i < count; i++)
        listed |= line->row[i] == model->row;
    if (listed)
        snprintf(line->label, sizeof line->label, "%s",
                 viz_word(model->source->weights.turned ? "key" : "query"));
    else
        snprintf(line->label, sizeof line->label, viz_word("query %s, or"),
                 viz_weights_model_row_name(model, model->row, row, sizeof row));
    line->choices = viz_words_layout(canvas, x, y, width, line->label, line->name, count);
}

void viz_token_line_draw(const viz_token_line *line, const viz_weights_model *model,
                         viz_canvas *canvas)
{
    int current = -1;
    for (int i = 0; i < line->choices.count; i++)
        current = line->row[i] == model->row ? i : current;
    if (line->choices.count)
        viz_words_draw(canvas, &line->choices, current);
}

bool viz_token_line_event(const viz_token_line *line, viz_weights_model *model,
                          const viz_event *event)
{
    int token = event->kind == VIZ_PRESS && event->button == 1 && line->choices.count
                    ? viz_choices_hit(&line->choices, event->x, event->y)
                    : -1;
    if (token < 0)
        return false;
    if (event->shift) {
        viz_weights_model_toggle_query(model, line->row[token]);
        return true;
    }
    viz_weights_model_unmark_queries(model);
    model->row = line->row[token];
    model->column_chosen = false;
    return true;
}

void viz_token_line_spots(const viz_token_line *line, viz_spots *spots)
{
    for (int i = 0; i < line->choices.count; i++)
        viz_spots_add(spots, line->choices.items[i], VIZ_SPOT_PRESSES,
                      "Make this token the query, and see where it looks.");
}
