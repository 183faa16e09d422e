/* The chips and sliders below a map. */

#include "weights/weights_controls.h"
#include "view/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weights/differences.h"

static const char *const scale_names[] = {"per map", "shared", "square root", "logarithmic",
                                          "fixed"};
static const char *const pool_names[] = {"mean", "max"};

static const char *const segment_names[] = {"all", "A → A", "B → B", "A → B", "B → A"};

#define LINE 24.0f
#define PADDING 16.0f
#define GROUP_GAP 30.0f
#define LOW 430.0f    /* the height of a view that has no room to spare */
#define LOWEST 340.0f /* and that of one whose map would be lost */

static viz_choices group(const viz_weights_controls *controls, const viz_canvas *canvas,
                         viz_weights_control which, float x, float y)
{
    const struct {
        const char *label, *const *names;
        int count;
    } groups[VIZ_CONTROL_COUNT] = {
        [VIZ_CONTROL_OVERLAY] = {"show", viz_overlay_names, VIZ_OVERLAY_COUNT},
        [VIZ_CONTROL_REDUCE] = {"reduce", sac_reduce_names, controls->reductions},
        [VIZ_CONTROL_PREFIX] = {controls->prefix_label, sac_prefix_names, SAC_PREFIX_COUNT},
        [VIZ_CONTROL_SPECIAL] = {"special tokens", sac_special_names, SAC_SPECIAL_COUNT},
        [VIZ_CONTROL_SEGMENTS] = {"texts", segment_names, SAC_SEGMENTS_COUNT},
        [VIZ_CONTROL_SCALE] = {"scale", scale_names, VIZ_SCALE_COUNT},
        [VIZ_CONTROL_POOL] = {"pooled by", pool_names, 2},
        [VIZ_CONTROL_SORT] = {"sort", viz_sort_names, VIZ_SORT_COUNT},
    };
    return viz_words_layout(canvas, x, y, 1e6f, groups[which].label, groups[which].names,
                            groups[which].count);
}

/* Lays out from left to right, continuing in the next line if there is no space; returns the lower
 * edge. */
static float flow_groups(viz_weights_controls *controls, const viz_canvas *canvas, float left,
                         float top, float width)
{
    float x = left, y = top, first_end = left;
    for (int i = 0; i < VIZ_CONTROL_COUNT; i++) {
        if (!controls->shown[i])
            continue;
        viz_choices c = group(controls, canvas, (viz_weights_control)i, x, y);
        if (x > left && x + c.rect.w > left + width) {
            first_end = y > top ? first_end : x;
            x = left;
            y += LINE;
            c = group(controls, canvas, (viz_weights_control)i, x, y);
        }
        controls->choices[i] = c;
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
static void lay_bar(viz_weights_controls *controls, const viz_canvas *canvas,
                    const viz_weights_model *model, viz_rect area, float padding)
{
    /* The keys of what is there come first. */
    static const viz_key_row always[] = {
        {"I", "why"}, {"C", "difference"}, {"S", "PNG"}, {"?", "keys"}};
    int count = 0;
    controls->reductions = sac_source_reductions(model->source);
    if (canvas->theme->presents) { /* an audience has the maps, and whoever presents has keys */
        memset(controls->shown, 0, sizeof controls->shown);
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
    if (model->prefix_count == 1)
        snprintf(controls->prefix_label, sizeof controls->prefix_label, "%s",
                 viz_word("first token"));
    else
        snprintf(controls->prefix_label, sizeof controls->prefix_label,
                 viz_word("first %zu tokens"), model->prefix_count);
    float left = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN;
    float height =
        flow_groups(controls, canvas, left, 0, width) + 2 * padding - (LINE - VIZ_WORDS_HEIGHT);
    controls->rect = (viz_rect){area.x, area.y + area.h - height, area.w, height};
    flow_groups(controls, canvas, left, controls->rect.y + padding, width);
}

void viz_weights_controls_lay(viz_weights_controls *controls, const viz_canvas *canvas,
                              const viz_weights_model *model, viz_rect area, bool pooled,
                              bool sorted)
{
    *controls = (viz_weights_controls){
        .shown = {[VIZ_CONTROL_OVERLAY] = model->source->picture.image,
                  [VIZ_CONTROL_REDUCE] = true,
                  [VIZ_CONTROL_PREFIX] = area.h >= LOWEST,
                  [VIZ_CONTROL_SPECIAL] = model->source->weights.special && area.h >= LOW,
                  [VIZ_CONTROL_SEGMENTS] = model->source->weights.second,
                  [VIZ_CONTROL_SCALE] = area.h >= LOWEST,
                  [VIZ_CONTROL_POOL] = pooled,
                  [VIZ_CONTROL_SORT] = sorted}};
    lay_bar(controls, canvas, model, area, area.h < LOW ? PADDING / 2 : PADDING);
}

void viz_weights_controls_lay_folded(viz_weights_controls *controls, const viz_canvas *canvas,
                                     const viz_weights_model *model, viz_rect area)
{
    *controls =
        (viz_weights_controls){.shown = {[VIZ_CONTROL_OVERLAY] = model->source->picture.image,
                                         [VIZ_CONTROL_SCALE] = !model->source->picture.image}};
    lay_bar(controls, canvas, model, area, PADDING / 2);
}

void viz_weights_controls_draw(const viz_weights_controls *controls, viz_canvas *canvas,
                               const viz_weights_model *model)
{
    const int current[VIZ_CONTROL_COUNT] = {
        (int)model->look.overlay, (int)model->reduce,   (int)model->prefix,
        (int)model->special,      (int)model->segments, (int)viz_weights_model_scale(model, 1).kind,
        (int)model->pool,         (int)model->sort};
    viz_rect line = {controls->rect.x, controls->rect.y, controls->rect.w, 1};
    if (controls->rect.h <= 0)
        return;
    viz_fill(canvas, line, canvas->theme->line);
    for (int i = 0; i < VIZ_CONTROL_COUNT; i++)
        if (controls->shown[i])
            viz_words_draw(canvas, &controls->choices[i], current[i]);
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

bool viz_weights_controls_event(const viz_weights_controls *controls, viz_weights_model *model,
                                const viz_event *event)
{
    int hit[VIZ_CONTROL_COUNT];
    bool any = false;
    for (int i = 0; i < VIZ_CONTROL_COUNT && event->kind == VIZ_PRESS; i++) {
        hit[i] =
            controls->shown[i] ? viz_choices_hit(&controls->choices[i], event->x, event->y) : -1;
        any |= hit[i] >= 0;
    }
    if (!any)
        return false;
    if (hit[VIZ_CONTROL_OVERLAY] >= 0)
        model->look.overlay = (viz_overlay)hit[VIZ_CONTROL_OVERLAY];
    if (hit[VIZ_CONTROL_REDUCE] >= 0)
        viz_weights_model_reduce(model, (sac_reduce)hit[VIZ_CONTROL_REDUCE]);
    if (hit[VIZ_CONTROL_PREFIX] >= 0)
        model->prefix = (sac_prefix)hit[VIZ_CONTROL_PREFIX];
    if (hit[VIZ_CONTROL_SPECIAL] >= 0)
        model->special = (sac_special)hit[VIZ_CONTROL_SPECIAL];
    if (hit[VIZ_CONTROL_SEGMENTS] >= 0)
        model->segments = (sac_segments)hit[VIZ_CONTROL_SEGMENTS];
    viz_weights_model_keep_cell(model);
    if (hit[VIZ_CONTROL_SCALE] >= 0)
        model->scale = (viz_scale_kind)hit[VIZ_CONTROL_SCALE];
    if (hit[VIZ_CONTROL_POOL] >= 0)
        model->pool = (sac_pool)hit[VIZ_CONTROL_POOL];
    if (hit[VIZ_CONTROL_SORT] >= 0)
        model->sort = (viz_sort)hit[VIZ_CONTROL_SORT];
    return true;
}

void viz_weights_controls_step(viz_weights_model *model, bool layers, int step)
{
    size_t heads = viz_weights_model_heads(model);
    size_t layer = viz_next(model->layer, layers ? step : 0, model->source->weights.layers);
    size_t head = viz_next(model->head, layers ? 0 : step, heads);
    viz_weights_model_select(model, layer, heads > 1 ? head : model->head);
}
