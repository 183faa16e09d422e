/* The figure of the paper: the picture by itself, then one panel for each word with its heat. */
#include "caption/caption_state.h"
#include "view/hidden.h"

static void draw_panel(caption_view *v, viz_canvas *canvas, viz_rect panel, int word,
                       const viz_heat_style *style)
{
    const sac_caption *caption = &v->side[0].caption;
    viz_image_kept(canvas, &v->picture_kept, &v->scene.image, v->scene.stamp, panel, true);
    if (word >= 0) {
        size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
        viz_heat(canvas, panel, caption->weights + (size_t)word * cells, caption->grid_w,
                 caption->grid_h, style);
    }
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, panel, v->hidden, v->trace->grid_w, v->trace->grid_h);
    if (v->truth && v->scene.has_truth)
        caption_draw_boxes(v, canvas, panel, 0, word, word >= 0, 1.25f);
}

void caption_draw_figure(caption_view *v, viz_canvas *canvas, viz_rect area)
{
    const sac_caption *caption = &v->side[0].caption;
    caption_figure f = viz_caption_figure(canvas, area, caption->count);
    viz_heat_style style = caption_heat_style(v);
    char fit[64];
    for (int i = 0; i < f.panels; i++) {
        viz_rect label = f.label[i];
        draw_panel(v, canvas, f.panel[i], i - 1, &style);
        if (i == 0)
            continue;
        viz_text_fit(canvas, VIZ_SANS, f.text_size, label.w, caption->words[i - 1].text, fit,
                     sizeof fit);
        viz_text(canvas, VIZ_SANS, f.text_size, label.x, label.y + 1.25f * f.text_size, VIZ_LEFT,
                 canvas->theme->text, fit);
    }
}
