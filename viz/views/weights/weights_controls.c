/* The chips and sliders below a map. */

#include "weights/weights_controls.h"
#include "view/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weights/differences.h"

#define LINE 24.0f
#define PADDING 16.0f
#define GROUP_GAP 30.0f
#define LOW 430.0f    /* the height of a view that has no room to spare */
#define LOWEST 340.0f /* and that of one whose map would be lost */

/* Settings by name, with NULL behind the last that is shown. */
enum { GROUPS = 9 };

/* Lays out from left to right, continuing in the next line if there is no space; returns the lower
 * edge. */
static float flow_groups(viz_weights_controls *controls, const viz_canvas *canvas,
                         const viz_view *view, const char *const names[GROUPS], float left,
                         float top, float width)
{
    float x = left, y = top, first_end = left;
    viz_controls_clear(&controls->choices);
    for (int i = 0; names[i]; i++) {
        viz_control c = viz_control_at(view, canvas, names[i], x, y, 1e6f, 0);
        if (x > left && x + c.rect.w > left + width) {
            first_end = y > top ? first_end : x;
            x = left;
            y += LINE;
            c = viz_control_at(view, canvas, names[i], x, y, 1e6f, 0);
        }
        viz_controls_put(&controls->choices, &c);
        x += c.rect.w + GROUP_GAP;
    }
    /* The keys stand at the right, as many as fit, at least the last; in a low window rather beside
     * the first line than on one of their own. */
    int count = controls->key_count;
    float keys_y = y, right = left + width;
    viz_caps last = viz_caps_layout(canvas, right, y, 1e6f, controls->keys + count - 1, 1);
    if (last.items[0].x < x && y > top && last.items[0].x >= first_end) {
        keys_y = top;
        x = first_end;
    } else if (last.items[0].x < x) {
        x = left;
        keys_y = y += LINE;
    }
    controls->caps = viz_caps_layout(canvas, right, keys_y, right - x, controls->keys, count);
    return y + LINE;
}

/* Those that are shown, along the bottom of `area`. */
static void lay_bar(viz_weights_controls *controls, const viz_canvas *canvas, const viz_view *view,
                    const viz_weights_model *model, const char *const names[GROUPS], viz_rect area,
                    float padding)
{
    /* The keys of what is there come first. */
    static const viz_key_row always[] = {
        {"I", "why"}, {"C", "difference"}, {"S", "PNG"}, {"?", "keys"}};
    int count = 0;
    if (canvas->theme->presents) { /* the audience sees the maps, and the presenter uses keys */
        controls->rect = (viz_rect){area.x, area.y + area.h, area.w, 0};
        return;
    }
    if (model->source->picture.count > 1)
        controls->keys[count++] = (viz_key_row){"N", "next picture"};
    if (model->source->speaker.has_truth)
        controls->keys[count++] = (viz_key_row){"T", "boxes"};
    if (model->head_scale)
        controls->keys[count++] = (viz_key_row){"H", "head off"};
    memcpy(controls->keys + count, always, sizeof always);
    controls->key_count = count + (int)(sizeof always / sizeof *always);
    float left = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN;
    float height = flow_groups(controls, canvas, view, names, left, 0, width) + 2 * padding -
                   (LINE - VIZ_WORDS_HEIGHT);
    controls->rect = (viz_rect){area.x, area.y + area.h - height, area.w, height};
    flow_groups(controls, canvas, view, names, left, controls->rect.y + padding, width);
}

void viz_weights_controls_lay(viz_weights_controls *controls, const viz_canvas *canvas,
                              const viz_view *view, const viz_weights_model *model, viz_rect area,
                              bool pooled, bool sorted)
{
    const sac_weights_source *weights = &model->source->weights;
    const struct {
        const char *name;
        bool shown;
    } groups[] = {{"overlay", model->source->picture.image},
                  {"reduce", true},
                  {"first tokens", area.h >= LOWEST},
                  {"special tokens", weights->special && area.h >= LOW},
                  {"segments", weights->second},
                  {"scale", area.h >= LOWEST},
                  {"pooling", pooled},
                  {"sort", sorted}};
    const char *names[GROUPS] = {NULL};
    int count = 0;
    *controls = (viz_weights_controls){0};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].shown)
            names[count++] = groups[i].name;
    lay_bar(controls, canvas, view, model, names, area, area.h < LOW ? PADDING / 2 : PADDING);
}

void viz_weights_controls_lay_folded(viz_weights_controls *controls, const viz_canvas *canvas,
                                     const viz_view *view, const viz_weights_model *model,
                                     viz_rect area)
{
    const char *const names[GROUPS] = {model->source->picture.image ? "overlay" : "scale"};
    *controls = (viz_weights_controls){0};
    lay_bar(controls, canvas, view, model, names, area, PADDING / 2);
}

void viz_weights_controls_draw(const viz_weights_controls *controls, viz_canvas *canvas,
                               const viz_view *view)
{
    viz_rect line = {controls->rect.x, controls->rect.y, controls->rect.w, 1};
    if (controls->rect.h <= 0)
        return;
    viz_fill(canvas, line, canvas->theme->line);
    viz_controls_draw(&controls->choices, view, canvas);
    viz_caps_draw(canvas, &controls->caps);
}

void viz_weights_controls_draw_title(viz_canvas *canvas, const viz_weights_model *model, float x,
                                     float y, float right)
{
    char text[256], fit[256];
    viz_weights_model_title(model, text, sizeof text);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, right - x, text, fit, sizeof fit);
    x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2, fit) + 10;
    viz_weights_model_caption(model, text, sizeof text);
    if (viz_is_difference(model)) { /* what is largest is named, if in part */
        viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, right - x, text, fit, sizeof fit);
        memcpy(text, fit, sizeof text);
    }
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) <= right - x) /* else it is left out */
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->accent, text);
}

bool viz_weights_controls_event(viz_weights_controls *controls, viz_view *view,
                                viz_weights_model *model, const viz_event *event)
{
    bool changed, was_given = model->layer_given;
    model->layer_given = false; /* a reduction that is chosen here goes to its own layer */
    if (viz_controls_event(&controls->choices, view, event, &changed))
        return true;
    model->layer_given = was_given;
    return false;
}

void viz_weights_controls_step(viz_weights_model *model, bool layers, int step)
{
    size_t heads = viz_weights_model_heads(model);
    size_t layer = viz_next(model->layer, layers ? step : 0, model->source->weights.layers);
    size_t head = viz_next(model->head, layers ? 0 : step, heads);
    viz_weights_model_select(model, layer, heads > 1 ? head : model->head);
}
