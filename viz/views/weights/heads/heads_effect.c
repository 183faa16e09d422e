/* What heads that are switched off change. */
#include "weights/heads/heads_effect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/controls/widgets.h"
#include "view/words.h"

#define LINE 20.0f
#define HEADER 24.0f
#define TOKEN 96.0f   /* width of a token's text, … */
#define NUMBERS 92.0f /* … and of its two probabilities, beside its bars */
#define BAR 7.0f
#define LEAST_ROOM 420.0f
#define FEW 4.0f
#define MANY 6.0f
#define MANY_ROOM 640.0f

static float scale_of(const viz_weights_model *model, size_t layer, size_t head)
{
    return model->head_scale ? model->head_scale[layer * model->source->weights.heads + head] : 1;
}

static bool any_scaled(const viz_weights_model *model)
{
    const sac_weights_source *weights = &model->source->weights;
    return model->head_scale &&
           !sac_head_scales_are_all_one(model->head_scale, weights->layers * weights->heads);
}

/* ---------------------------------------------------------------- marks */

char *viz_head_scale_name(const viz_weights_model *model, size_t layer, size_t head, char *text,
                          size_t size)
{
    float scale = scale_of(model, layer, head);
    *text = '\0';
    if (scale == 0)
        snprintf(text, size, "%s", viz_word("off"));
    else if (scale != 1)
        snprintf(text, size, "× %.3g", (double)scale);
    return text;
}

void viz_head_draw_scale_mark(const viz_weights_model *model, viz_canvas *canvas, viz_rect rect,
                              size_t layer, size_t head)
{
    float scale = scale_of(model, layer, head);
    viz_color over = canvas->theme->ground;
    if (scale == 1)
        return;
    over.a = scale == 0 ? 190 : 110;
    viz_fill(canvas, rect, over);
    if (scale == 0)
        viz_line(canvas, rect.x + 2, rect.y + rect.h - 2, rect.x + rect.w - 2, rect.y + 2, 1.5f,
                 canvas->theme->text2);
}

/* ---------------------------------------------------------------- in a sentence */

/* "without 3.2, 5.0", as far as there is room for names. */
static size_t write_scaled_names(const viz_weights_model *model, char *text, size_t size)
{
    enum { NAMED = 6 };
    const sac_weights_source *weights = &model->source->weights;
    size_t scaled = 0, used = 0;
    used = (size_t)snprintf(text, size, "%s", viz_word("without"));
    for (size_t i = 0; i < weights->layers * weights->heads; i++) {
        char factor[24];
        if (model->head_scale[i] == 1 || scaled++ >= NAMED)
            continue;
        viz_head_scale_name(model, i / weights->heads, i % weights->heads, factor, sizeof factor);
        used += (size_t)snprintf(text + used, size - used, "%s %zu.%zu%s%s", scaled > 1 ? "," : "",
                                 sac_source_layer_number(model->source, i / weights->heads),
                                 i % weights->heads, model->head_scale[i] ? " " : "",
                                 model->head_scale[i] ? factor : "");
    }
    if (scaled > NAMED)
        used +=
            (size_t)snprintf(text + used, size - used, viz_word(" and %zu more"), scaled - NAMED);
    return used;
}

bool viz_heads_effect_note(const viz_weights_model *model, char *text, size_t size)
{
    const sac_heads_effect *effect = &model->effect;
    if (!any_scaled(model))
        return false;
    size_t used = write_scaled_names(model, text, size);
    char name[96], before[16], now[16];
    if (model->effect_of != model->scalings)
        return true;
    for (int i = 0; i < effect->next_count && i < 3 && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %s %s → %s",
                                 i ? "," : viz_word(": next"),
                                 viz_quoted(effect->next[i].text, name, sizeof name),
                                 viz_percent(effect->next[i].probability, before, sizeof before),
                                 viz_percent(effect->next[i].left, now, sizeof now));
    if (model->source->weights.generator && effect->now && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 viz_word(": output “%.120s”, and with all heads “%.120s”"),
                                 effect->now, effect->before);
    size_t most = 0;
    for (size_t i = 1; i < effect->count; i++)
        most = effect->changes[i] > effect->changes[most] ? i : most;
    if (effect->count && used < size)
        snprintf(text + used, size - used,
                 viz_word("; the last states change by %s, most at %s by %s"),
                 viz_percent(effect->change, before, sizeof before),
                 viz_weights_model_position_name(model, most, name, sizeof name),
                 viz_percent(effect->changes[most], now, sizeof now));
    return true;
}

/* ---------------------------------------------------------------- the panel */

float viz_heads_effect_height(const viz_weights_model *model, float room)
{
    if (!model->source->weights.next_after || room < LEAST_ROOM)
        return 0;
    return HEADER + LINE * (room >= MANY_ROOM ? MANY : FEW) + 2 * LINE + VIZ_GAP;
}

static void draw_token(const viz_weights_model *model, viz_canvas *canvas, viz_rect rect, int i)
{
    const viz_theme *theme = canvas->theme;
    const sac_candidate *token = &model->next[i];
    bool changed = any_scaled(model);
    const float wide = fminf(TOKEN, 0.3f * rect.w);
    float x = rect.x + wide, y = rect.y;
    float numbers = changed ? NUMBERS : NUMBERS / 2;
    float full = (rect.w - wide - numbers) / fmaxf(model->next[0].left, model->next[0].probability);
    char text[96], fit[96], before[16], now[16];
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, wide - 8, viz_quoted(token->text, text, sizeof text),
                 fit, sizeof fit);
    viz_text(canvas, token->stands ? VIZ_SANS_BOLD : VIZ_SANS, VIZ_LABEL, rect.x, y + 13, VIZ_LEFT,
             token->stands ? theme->accent : theme->text, fit);
    viz_rect bar = {x, y + (changed ? 2.0f : 5.0f), fmaxf(full * token->left, 1), BAR};
    viz_fill_round(canvas, bar, 2, theme->accent);
    if (changed)
        viz_fill_round(canvas, (viz_rect){x, y + 3 + BAR, fmaxf(full * token->probability, 1), 4},
                       2, theme->faint);
    viz_percent(token->left, now, sizeof now);
    if (changed)
        snprintf(text, sizeof text, "%s → %s",
                 viz_percent(token->probability, before, sizeof before), now);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, rect.x + rect.w, y + 13, VIZ_RIGHT, theme->text2,
             changed ? text : now);
}

/* The output, cut to one line. */
static void draw_generated(viz_canvas *canvas, viz_rect rect, const char *label, const char *text,
                           viz_color color)
{
    char line[400];
    float x = rect.x + TOKEN;
    size_t used = 0;
    for (const char *at = text; *at && used + 8 < sizeof line; at++)
        used += (size_t)snprintf(line + used, sizeof line - used, *at == '\n' ? "↵" : "%c", *at);
    line[used] = '\0';
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, rect.x, rect.y + 13, TOKEN - 8, VIZ_LEFT,
                    canvas->theme->text2, viz_word(label));
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, x, rect.y + 13, rect.x + rect.w - x, VIZ_LEFT,
                    color, line);
}

static viz_rect token_line(viz_rect rect, int i)
{
    return (viz_rect){rect.x, rect.y + HEADER + LINE * (float)i, rect.w, LINE};
}

static int token_line_count(const viz_weights_model *model, viz_rect rect)
{
    int lines = rect.h > 0 ? (int)((rect.h - HEADER - 2 * LINE - VIZ_GAP) / LINE + 0.5f) : 0;
    return lines < model->next_count ? lines : model->next_count;
}

bool viz_heads_effect_event(viz_weights_model *model, viz_rect rect, const viz_event *event)
{
    for (int i = 0;
         i < token_line_count(model, rect) && event->kind == VIZ_PRESS && event->button == 1; i++)
        if (viz_inside(token_line(rect, i), event->x, event->y))
            return viz_weights_model_request_instead(model, i);
    return false;
}

void viz_heads_effect_draw(const viz_weights_model *model, viz_canvas *canvas, viz_rect rect)
{
    const sac_heads_effect *effect = &model->effect;
    const viz_theme *theme = canvas->theme;
    char text[200];
    if (rect.h <= 0)
        return;
    char name[96];
    bool last = model->next_of + 1 >= sac_source_steps(model->source, model->batch);
    snprintf(text, sizeof text, "%s", viz_word("what comes next"));
    if (model->next_count && !last)
        snprintf(text, sizeof text, viz_word("what comes after %s"),
                 viz_weights_model_position_name(model, model->next_of, name, sizeof name));
    float title = viz_text(canvas, VIZ_SANS_BOLD, VIZ_LABEL, rect.x, rect.y + 13, VIZ_LEFT,
                           theme->text, text);
    if (any_scaled(model)) {
        write_scaled_names(model, text, sizeof text);
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, rect.x + rect.w, rect.y + 13,
                        rect.w - title - 16, VIZ_RIGHT, theme->accent, text);
    }
    int lines = (int)((rect.h - HEADER - 2 * LINE - VIZ_GAP) / LINE + 0.5f);
    viz_rect line = {rect.x, rect.y + HEADER, rect.w, LINE};
    for (int i = 0; i < lines && i < model->next_count; i++, line.y += LINE)
        draw_token(model, canvas, line, i);
    line.y = rect.y + HEADER + LINE * (float)lines + VIZ_GAP / 2;
    if (!any_scaled(model) || model->effect_of != model->scalings)
        return;
    if (effect->before)
        draw_generated(canvas, line, "all heads", effect->before, theme->text2);
    line.y += LINE;
    if (effect->now)
        draw_generated(canvas, line, "without", effect->now, theme->text);
}

void viz_heads_effect_spots(const viz_weights_model *model, viz_rect rect, viz_spots *spots)
{
    if (rect.h <= 0)
        return;
    viz_spots_add(spots, rect, VIZ_SPOT_READOUT,
                  any_scaled(model)
                      ? "The most probable next words without the heads that are off, below "
                        "each bar in grey with all heads; and the output then."
                      : "The most probable next words; H switches a head off and shows what "
                        "that changes.");
    for (int i = 0; i < token_line_count(model, rect); i++)
        viz_spots_add(spots, token_line(rect, i), VIZ_SPOT_PRESSES,
                      "Click to put this word here; the model continues from there.");
    if (any_scaled(model))
        viz_spots_add_press(spots, (viz_rect){rect.x + rect.w / 2, rect.y, rect.w / 2, HEADER - 4},
                            "U", "The heads that are off; click to switch all of them on.");
}
