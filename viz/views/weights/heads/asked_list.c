/* A list of heads. */
#include "weights/heads/asked_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/controls/widgets.h"
#include "view/words.h"
#include "weights/heads/head_kinds.h"

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
            !viz_weights_model_asked(model, i / heads, i % heads, &list->scores[i]))
            return false;
    sac_ask_rank(list->scores, count, list->maps);
    return true;
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
