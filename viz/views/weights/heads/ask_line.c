#include "weights/heads/ask_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/words.h"

#define FIELD_HEIGHT 26.0f
#define FIELD_MOST 112.0f
#define FIELD_LEAST 46.0f
#define GAP 8.0f

/* The token as it is typed: without the mark that it begins a word; a number where it has no name. */
static void write_token(const sac_labels *labels, size_t index, char *text, size_t size)
{
    if (index < labels->count && labels->text[index][0])
        snprintf(text, size, "%s", sac_ask_letters(labels->text[index]));
    else
        snprintf(text, size, "%zu", index);
}

static void write_pair(const viz_weights_model *model, size_t step, size_t position,
                       char pair[VIZ_ASK_FIELDS][64])
{
    write_token(sac_source_step_labels(model->source, model->batch), step, pair[0], sizeof *pair);
    write_token(sac_source_position_labels(model->source, model->batch), position, pair[1],
                sizeof *pair);
}

bool viz_ask_line_typing(const viz_ask_line *line)
{
    return line->rect.w > 0 && (line->field[0].typing || line->field[1].typing);
}

/* What is asked into the fields; nothing where it is no pair. */
static void fill_fields(viz_ask_line *line, const viz_weights_model *model)
{
    char pair[VIZ_ASK_FIELDS][64];
    bool asks = model->sort == VIZ_BY_ASKED && !model->kind_alone;
    sac_rect map = viz_weights_model_map(model);
    write_pair(model, model->row + map.row, model->column + map.col, line->hint);
    if (viz_ask_line_typing(line) || line->why[0])
        return;
    write_pair(model, model->ask.step, model->ask.position, pair);
    for (int i = 0; i < VIZ_ASK_FIELDS; i++)
        viz_text_field_set(&line->field[i], asks ? pair[i] : "");
}

void viz_ask_line_lay(viz_ask_line *line, const viz_weights_model *model, const viz_canvas *canvas,
                      float x, float y, float width)
{
    float words = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, viz_word("which head takes"));
    float to = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, viz_word("to"));
    float end = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, "?");
    float field = fminf((width - words - to - end - 5 * GAP) / VIZ_ASK_FIELDS, FIELD_MOST);
    line->rect = (viz_rect){0};
    if (field < FIELD_LEAST || model->source->weights.layers * model->source->weights.heads < 2)
        return;
    line->rect = (viz_rect){x, y, width, FIELD_HEIGHT};
    line->rects[0] = (viz_rect){x + words + GAP, y, field, FIELD_HEIGHT};
    line->to_x = line->rects[0].x + field + GAP;
    line->rects[1] = (viz_rect){line->to_x + to + GAP, y, field, FIELD_HEIGHT};
    line->end_x = line->rects[1].x + field + GAP;
    fill_fields(line, model);
    for (int i = 0; i < VIZ_ASK_FIELDS; i++) /* a part of a word would be another one */
        if (viz_text_width(canvas, VIZ_SANS, VIZ_BODY, line->hint[i]) > field - 2 * GAP - 4)
            line->hint[i][0] = '\0';
}

/* "layer 3, head 5  0.62", as much of it as fits. */
static void draw_answer(const viz_ask_line *line, viz_asked_list *list,
                        const viz_weights_model *model, viz_canvas *canvas, float x)
{
    char text[96], number[32];
    size_t heads = model->source->weights.heads, map;
    float score, right = line->rect.x + line->rect.w, y = line->rect.y + 17;
    if (!viz_asked_best(list, model, &map, &score))
        return;
    size_t layer = sac_source_layer_number(model->source, map / heads), head = map % heads;
    viz_number(score, number, sizeof number);
    snprintf(text, sizeof text, viz_word("layer %zu, head %zu"), layer, head);
    snprintf(text + strlen(text), sizeof text - strlen(text), "  %s", number);
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) > right - x)
        snprintf(text, sizeof text, "%zu.%zu", layer, head);
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) <= right - x)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->accent, text);
}

void viz_ask_line_draw(const viz_ask_line *line, viz_asked_list *list,
                       const viz_weights_model *model, viz_canvas *canvas)
{
    const viz_color color = canvas->theme->text2;
    const float y = line->rect.y + 17;
    if (line->rect.w <= 0 || canvas->figure)
        return;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, line->rect.x, y, VIZ_LEFT, color,
             viz_word("which head takes"));
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, line->to_x, y, VIZ_LEFT, color, viz_word("to"));
    for (int i = 0; i < VIZ_ASK_FIELDS; i++)
        viz_text_field_draw(&line->field[i], canvas, line->rects[i], line->hint[i]);
    float x = line->end_x +
              viz_text(canvas, VIZ_SANS, VIZ_LABEL, line->end_x, y, VIZ_LEFT, color, "?") + 2 * GAP;
    if (model->sort == VIZ_BY_ASKED)
        draw_answer(line, list, model, canvas, x);
    if (line->why[0]) /* over what is below it */
        viz_note_draw(canvas, line->rects[0].x, line->rect.y + FIELD_HEIGHT + 2,
                      line->rect.x + line->rect.w - line->rects[0].x, line->why);
}

/* ---------------------------------------------------------------- typing */

static void end_typing(viz_ask_line *line)
{
    for (int i = 0; i < VIZ_ASK_FIELDS; i++)
        line->field[i].typing = line->field[i].all = false;
}

static void type_into(viz_ask_line *line, int field)
{
    end_typing(line);
    viz_text_field_begin(&line->field[field]);
}

void viz_ask_line_begin(viz_ask_line *line)
{
    line->why[0] = '\0';
    type_into(line, 0);
}

static bool can_be_asked(const viz_weights_model *model, const char *text)
{
    sac_ask ask;
    return sac_ask_read(model->source, model->batch, text, &ask, NULL) == SAC_OK;
}

/* Asks, and opens the head that has most; else notes which word is no token. */
static bool ask_typed(viz_ask_line *line, viz_weights_view *v)
{
    viz_weights_model *model = v->model;
    const char *query = line->field[0].text, *key = line->field[1].text;
    char text[300];
    snprintf(text, sizeof text, key[0] ? "%.120s %.120s" : "%.120s", query, key);
    if (viz_weights_view_ask(v, text)) {
        model->reduce = SAC_REDUCE_NONE;
        model->seeks_asked = true;
        return true;
    }
    snprintf(text, sizeof text, "%.120s 0", query);
    snprintf(line->why, sizeof line->why, viz_word("“%.40s” is not in the text"),
             key[0] && can_be_asked(model, text) ? key : query);
    return false;
}

static bool handle_key(viz_ask_line *line, viz_weights_view *v, const viz_event *event)
{
    const int active = line->field[1].typing;
    viz_text_field *field = &line->field[active];
    bool changed = false, typed_blank = event->key == ' ' || (event->key == VIZ_KEY_TEXT &&
                                                              strcmp(event->text, " ") == 0);
    if (event->key == VIZ_KEY_ESCAPE) {
        line->why[0] = '\0';
        end_typing(line);
        return true;
    }
    if (event->ctrl && event->key == 'v')
        return event->text && viz_text_field_paste(field, event->text);
    bool goes_on = !active && field->text[0] && (typed_blank || event->key == VIZ_KEY_RETURN);
    if (goes_on && (typed_blank || !can_be_asked(v->model, field->text))) { /* it is no pattern */
        type_into(line, 1);
        return true;
    }
    if (event->key == VIZ_KEY_RETURN) {
        if (ask_typed(line, v))
            end_typing(line);
        return true;
    }
    bool taken = viz_text_field_key(field, event, &changed);
    if (changed)
        line->why[0] = '\0';
    return taken;
}

bool viz_ask_line_event(viz_ask_line *line, viz_weights_view *v, const viz_event *event)
{
    if (line->rect.w <= 0)
        return false;
    if (event->kind == VIZ_PRESS) {
        bool typing = viz_ask_line_typing(line);
        for (int i = 0; i < VIZ_ASK_FIELDS && event->button == 1; i++)
            if (viz_inside(line->rects[i], event->x, event->y)) {
                line->why[0] = '\0';
                type_into(line, i);
                return true;
            }
        if (typing || line->why[0])
            end_typing(line);
        line->why[0] = '\0';
        return false;
    }
    return event->kind == VIZ_KEY && viz_ask_line_typing(line) && handle_key(line, v, event);
}

void viz_ask_line_spots(const viz_ask_line *line, viz_spots *spots)
{
    if (line->rect.w <= 0)
        return;
    viz_spots_add(spots, line->rects[0], VIZ_SPOT_PRESSES,
                  "Type the word that looks, or a pattern such as induction; Return asks.");
    viz_spots_add(spots, line->rects[1], VIZ_SPOT_PRESSES,
                  "Type the word that is looked at; Return asks, and the head that has most of it "
                  "is opened.");
}
