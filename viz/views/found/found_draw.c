/* Layout and drawing of the found view. */
#include <math.h>
#include <stdio.h>

#include "found/found_state.h"
#include "parts/figures/frame.h"
#include "parts/pages/paragraph.h"
#include "view/words.h"

#define LINE 20.0f
#define ROW_HEIGHT 34.0f
#define LEAST_ROW 24.0f
#define TRACK 4.0f
#define PANEL_SHARE 0.32f /* of the width */
#define LEAST_PANEL 236.0f
#define MOST_PANEL 400.0f
#define COLUMN_GAP 28.0f
#define TAG_HEIGHT 20.0f
#define NOTE                                                                                       \
    "What the query that found this looked at when it took from the picture: the decoder's cross " \
    "attention. The box and the class come of all layers."

/* ---------------------------------------------------------------- layout */

static viz_rect fit_picture(const found_view *v, viz_rect room)
{
    const sac_image *image = v->base.source->picture.image;
    float aspect = (float)image->width / (float)image->height;
    float w = floorf(fmaxf(fminf(room.w, room.h * aspect), 1));
    return (viz_rect){room.x, room.y, w, floorf(fmaxf(w / aspect, 1))};
}

/* Rows from `top` on, so many that the chosen one is among them; returns where they end. */
static float lay_rows(found_view *v, viz_rect room)
{
    found_layout *l = &v->layout;
    int count = found_shown(v), fit = (int)(room.h / LEAST_ROW);
    fit = fit < 1 ? 1 : fit > FOUND_ROWS ? FOUND_ROWS : fit;
    bool all = count <= fit;
    l->count = all ? count : fit > 1 ? fit - 1 : 1;
    int last = count - l->count, first = v->thing - l->count / 2;
    l->first = first < 0 || last < 0 ? 0 : first > last ? last : first;
    float height = l->count ? fminf(ROW_HEIGHT, room.h / (float)(l->count + !all)) : LINE;
    float y = room.y;
    for (int i = 0; i < l->count; i++, y += height)
        l->rows[i] = (viz_rect){room.x, y, room.w, height - 4};
    if (!all)
        l->more = (viz_rect){room.x, y, room.w, LINE};
    return all ? y : y + LINE;
}

/* The threshold above the list, the choices of layer and head below it. */
static void lay_panel(found_view *v, const viz_canvas *canvas, viz_rect panel)
{
    found_layout *l = &v->layout;
    const char *names[VIZ_MAX_CHOICES];
    l->threshold = (viz_slider){.rect = {panel.x, panel.y, panel.w, VIZ_SLIDER_HEIGHT},
                                .label = "threshold",
                                .low = 0,
                                .high = 1};
    float y = panel.y + VIZ_SLIDER_HEIGHT + 10;
    viz_choices layers = {0}, heads = {0};
    int count = found_names(v->found.layers, names);
    if (count)
        layers = viz_words_layout(canvas, panel.x, 0, panel.w, "layer", names, count);
    count = found_names(v->found.heads, names);
    if (count)
        heads = viz_words_layout(canvas, panel.x, 0, panel.w, "head", names, count);
    float below = layers.rect.h + heads.rect.h + 16;
    float note = viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, panel.w, viz_word(NOTE)) + 8;
    float room = panel.y + panel.h - y - below;
    bool has_note = room - note >= LEAST_ROW * (float)found_shown(v);
    y = lay_rows(v, (viz_rect){panel.x, y, panel.w, room - (has_note ? note : 0)}) + 10;
    const char *layer_names[VIZ_MAX_CHOICES];
    count = found_names(v->found.layers, layer_names);
    if (count) {
        l->layers = viz_words_layout(canvas, panel.x, y, panel.w, "layer", layer_names, count);
        y += l->layers.rect.h + 4;
    }
    count = found_names(v->found.heads, names);
    if (count) {
        l->heads = viz_words_layout(canvas, panel.x, y, panel.w, "head", names, count);
        y += l->heads.rect.h + 8;
    }
    if (has_note && count)
        l->note = (viz_rect){panel.x, y, panel.w, note - 8};
}

static void lay(found_view *v, const viz_canvas *canvas, viz_rect area)
{
    found_layout *l = &v->layout;
    *l = (found_layout){0};
    float x = area.x + VIZ_MARGIN, w = area.w - 2 * VIZ_MARGIN, y = area.y + 10;
    float height = area.y + area.h - 10 - y;
    float panel = fminf(fmaxf(PANEL_SHARE * w, LEAST_PANEL), MOST_PANEL);
    viz_rect room = {x, y + LINE + 4, w - panel - COLUMN_GAP,
                     height - LINE - 4 - 10 - VIZ_BAR_NAMED_HEIGHT};
    l->picture = fit_picture(v, room);
    float spare = room.w - l->picture.w; /* of an upright picture: the panel follows it */
    float shift = spare > 0 ? floorf(spare / 2) : 0;
    l->picture.x += shift;
    l->title = (viz_rect){l->picture.x, y, room.w - shift, LINE};
    l->bar = (viz_rect){l->picture.x, l->picture.y + l->picture.h + 10,
                        fminf(fmaxf(l->picture.w, 280), room.w - shift), VIZ_BAR_NAMED_HEIGHT};
    lay_panel(v, canvas, (viz_rect){x + w - panel - shift, y, panel, height});
}

/* ---------------------------------------------------------------- the picture */

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

viz_rect found_box(const found_view *v, const sac_detection *thing)
{
    viz_rect p = v->layout.picture;
    float x0 = clamp(thing->box[0], 0, 1), y0 = clamp(thing->box[1], 0, 1);
    float x1 = clamp(thing->box[2], x0, 1), y1 = clamp(thing->box[3], y0, 1);
    return (viz_rect){floorf(p.x + x0 * p.w), floorf(p.y + y0 * p.h), ceilf((x1 - x0) * p.w),
                      ceilf((y1 - y0) * p.h)};
}

/* A thin line, which is seen on any picture, or a strong one. */
static void draw_box(viz_canvas *canvas, viz_rect r, bool strong, bool pointed)
{
    const viz_color dark = viz_with_alpha((viz_color){0, 0, 0, 255}, strong ? 0.55f : 0.35f);
    float t = strong ? 3 : pointed ? 2 : 1;
    viz_frame(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, t + 2, dark);
    viz_frame(canvas, r, t,
              strong ? canvas->theme->accent
                     : viz_with_alpha((viz_color){244, 246, 248, 255}, pointed ? 1 : 0.8f));
}

/* The name on the box that is chosen: above its upper edge, or where the picture ends inside. */
static void draw_tag(const found_view *v, viz_canvas *canvas, const sac_detection *thing)
{
    const viz_theme *theme = canvas->theme;
    viz_rect p = v->layout.picture, box = found_box(v, thing);
    viz_face face = canvas->figure ? VIZ_SANS : VIZ_SANS_BOLD; /* there titles alone are bold */
    char text[SAC_FOUND_NAME + 16], fit[SAC_FOUND_NAME + 16];
    snprintf(text, sizeof text, "%s %.0f %%", v->found.names[thing->class],
             100 * (double)thing->score);
    viz_text_fit(canvas, face, VIZ_LABEL, p.w - 16, text, fit, sizeof fit);
    float w = viz_text_width(canvas, face, VIZ_LABEL, fit) + 12;
    float x = clamp(box.x, p.x, p.x + p.w - w), y = box.y - TAG_HEIGHT;
    if (y < p.y)
        y = box.y;
    viz_fill(canvas, (viz_rect){x, y, w, TAG_HEIGHT}, theme->accent);
    viz_text(canvas, face, VIZ_LABEL, x + 6, y + 14, VIZ_LEFT, theme->on_accent, fit);
}

static void name_map(const found_view *v, char *text, size_t size)
{
    char layer[40], head[40];
    if (v->layer == FOUND_MEAN)
        snprintf(layer, sizeof layer, "%s", viz_word("all layers"));
    else
        snprintf(layer, sizeof layer, viz_word("layer %d"), v->layer);
    if (v->head == FOUND_MEAN)
        snprintf(head, sizeof head, "%s", viz_word("mean of heads"));
    else
        snprintf(head, sizeof head, viz_word("head %d"), v->head);
    snprintf(text, size, "%s, %s", layer, head);
}

static void draw_picture(found_view *v, viz_canvas *canvas)
{
    const found_layout *l = &v->layout;
    const sac_detection *chosen = found_chosen(v);
    viz_image_kept(canvas, &v->kept, v->base.source->picture.image, 0, l->picture, true);
    int cells = v->found.grid_w * v->found.grid_h;
    bool has_map = found_fill_map(v);
    if (has_map) {
        char name[96];
        viz_heat_style style = v->style;
        viz_heat(canvas, &v->kept, l->picture, v->map, v->found.grid_w, v->found.grid_h, &style);
        name_map(v, name, sizeof name);
        viz_heat_bar_draw(canvas, l->bar, &style, 1 / (float)cells, name);
    }
    for (int i = found_shown(v) - 1; i >= 0; i--)
        if (&v->found.things[i] != chosen)
            draw_box(canvas, found_box(v, &v->found.things[i]), false,
                     i == v->pointed && !canvas->figure);
    if (chosen) {
        draw_box(canvas, found_box(v, chosen), true, false);
        draw_tag(v, canvas, chosen);
    }
    if (has_map && viz_heat_is_even(v->map, cells, 0))
        viz_note_draw_over(canvas, l->picture, viz_word(VIZ_EVEN_NOTE));
}

/* “dog, found by query 57 of 100” */
static void draw_title(const found_view *v, viz_canvas *canvas)
{
    const sac_detection *chosen = found_chosen(v);
    viz_rect r = v->layout.title;
    char text[300], fit[300], name[96];
    if (!v->found.queries && !v->request.problem[0])
        return;
    if (v->request.problem[0])
        snprintf(text, sizeof text, "%.190s", v->request.problem);
    else if (chosen) {
        int used =
            snprintf(text, sizeof text, viz_word("%s, found by query %d of %d"),
                     v->found.names[chosen->class], (int)chosen->query, (int)v->found.queries);
        if (canvas->figure) { /* nothing else says it there */
            name_map(v, name, sizeof name);
            snprintf(text + used, sizeof text - (size_t)used, "; %s", name);
        }
    } else
        snprintf(text, sizeof text, viz_word("nothing above the threshold"));
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, r.w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x, r.y + 14, VIZ_LEFT, canvas->theme->text, fit);
}

/* ---------------------------------------------------------------- the list */

static void draw_row(const found_view *v, viz_canvas *canvas, int row)
{
    const found_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    int place = l->first + row;
    const sac_detection *thing = &v->found.things[place];
    viz_rect r = l->rows[row];
    char text[32], fit[SAC_FOUND_NAME];
    bool lit = thing == found_chosen(v);
    float y = r.y + r.h - TRACK - 6;
    snprintf(text, sizeof text, "%.1f %%", 100 * (double)thing->score);
    float numbers =
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + r.w, y, VIZ_RIGHT, theme->text, text);
    viz_face face = lit ? VIZ_SANS_BOLD : VIZ_SANS;
    viz_text_fit(canvas, face, VIZ_LABEL, r.w - numbers - 12, v->found.names[thing->class], fit,
                 sizeof fit);
    viz_text(canvas, face, VIZ_LABEL, r.x, y, VIZ_LEFT, lit ? theme->accent : theme->text, fit);
    viz_rect track = {r.x, r.y + r.h - TRACK, r.w, TRACK};
    viz_fill_round(canvas, track, TRACK / 2, theme->panel);
    track.w = fmaxf(track.w * thing->score, TRACK);
    viz_fill_round(canvas, track, TRACK / 2, lit ? theme->accent : theme->text2);
}

static void draw_list(const found_view *v, viz_canvas *canvas)
{
    const found_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    char text[160];
    for (int i = 0; i < l->count; i++)
        draw_row(v, canvas, i);
    if (l->more.w > 0) {
        snprintf(text, sizeof text, viz_word("and %d more: ↑ ↓"), found_shown(v) - l->count);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->more.x, l->more.y + 14, VIZ_LEFT, theme->text2,
                 text);
    }
    if (l->count || !v->found.queries)
        return;
    char fit[160];
    const sac_detection *best = &v->found.things[0];
    snprintf(text, sizeof text, viz_word("the most probable: %s, %.1f %%"),
             v->found.names[best->class], 100 * (double)best->score);
    float y = l->threshold.rect.y + l->threshold.rect.h + 24;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, l->threshold.rect.w, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->threshold.rect.x, y, VIZ_LEFT, theme->text2, fit);
}

void found_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    found_view *v = found_of(view);
    const found_layout *l = &v->layout;
    char number[16];
    lay(v, canvas, area);
    draw_title(v, canvas);
    draw_picture(v, canvas);
    snprintf(number, sizeof number, "%.2f", (double)v->threshold);
    viz_slider_draw(canvas, &l->threshold, v->threshold, number);
    draw_list(v, canvas);
    if (l->layers.count)
        viz_words_draw(canvas, &l->layers, v->layer == FOUND_MEAN ? l->layers.count - 1 : v->layer);
    if (l->heads.count)
        viz_words_draw(canvas, &l->heads, v->head == FOUND_MEAN ? l->heads.count - 1 : v->head);
    if (l->note.w > 0)
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, l->note.x, l->note.y + 12, l->note.w,
                           canvas->theme->text2, viz_word(NOTE));
}

/* ---------------------------------------------------------------- as a figure */

#define FIGURE_GAP 10.0f
#define FIGURE_AROUND (2 * VIZ_FIGURE_MARGIN + LINE + FIGURE_GAP + VIZ_BAR_NAMED_HEIGHT)

float found_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const sac_image *image = view->source->picture.image;
    float w = width - 2 * VIZ_FIGURE_MARGIN;
    (void)canvas;
    return FIGURE_AROUND + floorf(w * (float)image->height / (float)image->width);
}

/* The picture with its boxes under what is chosen, and the bar below it. */
void found_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    found_view *v = found_of(view);
    found_layout *l = &v->layout;
    float x = area.x + VIZ_FIGURE_MARGIN, w = area.w - 2 * VIZ_FIGURE_MARGIN;
    float y = area.y + VIZ_FIGURE_MARGIN;
    *l = (found_layout){.title = {x, y, w, LINE}};
    l->picture = fit_picture(v, (viz_rect){x, y + LINE, w, fmaxf(area.h - FIGURE_AROUND, 1)});
    l->picture.x += floorf((w - l->picture.w) / 2);
    l->title.x = l->picture.x;
    l->bar = (viz_rect){x, l->picture.y + l->picture.h + FIGURE_GAP, w, VIZ_BAR_NAMED_HEIGHT};
    draw_title(v, canvas);
    draw_picture(v, canvas);
}
