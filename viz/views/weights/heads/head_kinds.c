#include "weights/heads/head_kinds.h"
#include "view/words.h"

#include <math.h>
#include <stdio.h>

#define SWATCH 10.0f
#define SWATCH_GAP 6.0f
#define ITEM_GAP 18.0f

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (hex) >> 16 & 255, (hex) >> 8 & 255, (hex)&255, 255                                        \
    }

/* On a dark ground and on a light one; as text, either is read. */
static const viz_color colors[SAC_KIND_COUNT][2] = {
    [SAC_KIND_PREVIOUS] = {RGB(0x4dd0a8), RGB(0x0b7a5c)},
    [SAC_KIND_SELF] = {RGB(0xe58fd0), RGB(0xa8328c)},
    [SAC_KIND_NEXT] = {RGB(0xc3d84f), RGB(0x5f7300)},
    [SAC_KIND_FIRST] = {RGB(0x63b3ff), RGB(0x0f62b0)},
    [SAC_KIND_ALIKE] = {RGB(0xff7d5c), RGB(0xc03a12)},
    [SAC_KIND_REPEATS] = {RGB(0xb49bff), RGB(0x6a43c8)},
    [SAC_KIND_DELIMITER] = {RGB(0xf2a7b8), RGB(0x9c2f55)},
    [SAC_KIND_ONE] = {RGB(0xd8b48a), RGB(0x7a5a2a)},
    [SAC_KIND_NEAR] = {RGB(0x5fd7e8), RGB(0x08707f)},
    [SAC_KIND_BROAD] = {RGB(0x8b94a3), RGB(0x59626f)},
    [SAC_KIND_MIXED] = {RGB(0xe8eaee), RGB(0x16191d)},
};

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
    [SAC_KIND_NEAR] = "These look at the tokens around; click to see them alone.",
    [SAC_KIND_BROAD] = "These look at all there is, nearly alike; click to see them alone.",
    [SAC_KIND_MIXED] = "Where these look differs from query to query; click to see them alone.",
};

viz_color viz_kind_color(const viz_theme *theme, sac_weights_kind kind)
{
    return colors[kind][theme->light];
}

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
        bool asked = model->sort == VIZ_BY_ASKED && sac_ask_pattern((sac_weights_kind)i);
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
