/* The figure of the paper: the picture by itself, then one panel for each word with its heat; below
 * them the sentence and what the colours mean. */
#include <math.h>

#include "caption/caption_state.h"
#include "parts/hidden.h"

static void draw_panel(caption_view *v, viz_canvas *canvas, viz_rect panel, int word)
{
    const sac_caption *caption = &v->caption;
    panel = viz_caption_fit(canvas, panel, caption_contents(v).aspect);
    viz_image_kept(canvas, &v->picture_kept, &v->scene.image, v->scene.stamp, panel, true);
    if (word >= 0) {
        size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
        const float *map = caption->weights + (size_t)word * cells;
        viz_heat_style style = caption_heat_style(v, map);
        viz_heat(canvas, &v->picture_kept, panel, map, caption->grid_w, caption->grid_h, &style);
    }
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, panel, v->hidden, v->source->picture.grid_w,
                        v->source->picture.grid_h);
    if (v->truth && v->scene.has_truth)
        caption_draw_boxes(v, canvas, panel, word, word >= 0, 1.25f);
}

#define FOOT (FOOT_SENTENCE + VIZ_BAR_NAMED_HEIGHT + 16)
#define FOOT_SENTENCE 34.0f
#define LEAST_WITH_FOOT 320.0f /* of the figure's height */

/* The sentence in one line, as large as fits, and below it the bar as wide as the panels. */
static void draw_foot(const caption_view *v, viz_canvas *canvas, float whole, viz_rect room,
                      viz_rect panel)
{
    char text[512], fit[512], name[96];
    viz_heat_style style = v->style;
    style.scale = caption_scale(v);
    int visible = caption_visible_cells(v);
    float size = VIZ_SENTENCE;
    sac_caption_text(&v->caption, text, sizeof text);
    float width = whole - 2 * VIZ_GAP; /* centred where the panels are narrower */
    while (size > VIZ_LABEL && viz_text_width(canvas, VIZ_SANS, size, text) > room.w)
        size -= 1;
    viz_text_fit(canvas, VIZ_SANS, size, width, text, fit, sizeof fit);
    bool wide = viz_text_width(canvas, VIZ_SANS, size, fit) > room.w;
    viz_text(canvas, VIZ_SANS, size, wide ? room.x + room.w / 2 : room.x, room.y + VIZ_SENTENCE,
             wide ? VIZ_CENTER : VIZ_LEFT, canvas->theme->text, fit);
    viz_rect bar = {room.x, room.y + FOOT_SENTENCE, room.w, VIZ_BAR_NAMED_HEIGHT};
    float uniform = visible > 0 ? 1.0f / (float)visible : 0;
    caption_scale_name(v, name, sizeof name);
    if (viz_heat_has_contour(&style, panel))
        viz_heat_bar_draw(canvas, bar, &style, uniform, name);
    else
        viz_bar_draw(canvas, bar, viz_overlay_colors(style.overlay, style.map), &style.scale,
                     uniform, name);
}

static viz_rect foot_room(const caption_figure *f, viz_rect area, float height)
{
    float left = f->panel[0].x, right = left;
    for (int i = 0; i < f->panels; i++)
        right = fmaxf(right, f->panel[i].x + f->panel[i].w);
    return (viz_rect){left, area.y + area.h - height, right - left, height};
}

static float foot_height(const caption_view *v, viz_rect area)
{
    return area.h >= LEAST_WITH_FOOT && v->caption.count > 0 ? FOOT : 0;
}

caption_figure caption_lay_figure(const caption_view *v, const viz_canvas *canvas, viz_rect area)
{
    area.h -= foot_height(v, area);
    return viz_caption_figure(canvas, area, v->caption.count, caption_contents(v).aspect);
}

void caption_draw_figure(caption_view *v, viz_canvas *canvas, viz_rect area)
{
    const sac_caption *caption = &v->caption;
    float foot = foot_height(v, area);
    caption_figure f = caption_lay_figure(v, canvas, area);
    char fit[64];
    for (int i = 0; i < f.panels; i++) {
        viz_rect label = f.label[i];
        draw_panel(v, canvas, f.panel[i], i - 1);
        if (i == 0)
            continue;
        viz_text_fit(canvas, VIZ_SANS, f.text_size, label.w, caption->words[i - 1].text, fit,
                     sizeof fit);
        float end = viz_text(canvas, VIZ_SANS, f.text_size, label.x, label.y + 1.25f * f.text_size,
                             VIZ_LEFT, canvas->theme->text, fit);
        if (caption->words[i - 1].unsure)
            caption_mark_unsure(canvas, label.x, label.y + 1.4f * f.text_size, end);
    }
    if (foot > 0)
        draw_foot(v, canvas, area.w, foot_room(&f, area, foot), f.panel[0]);
}
