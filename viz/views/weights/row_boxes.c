#include "weights/row_boxes.h"

#include <math.h>
#include <stdio.h>

#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "parts/figures/overlays.h"

bool viz_row_boxes_are_shown(const viz_weights_model *model)
{
    return model->source->speaker.has_truth && model->source->picture.image &&
           !model->without_boxes;
}

bool viz_row_boxes_localize(const viz_weights_model *model, const float *cells, int object,
                            sac_localization *localization)
{
    const sac_source *source = model->source;
    if (!cells)
        return false;
    *localization =
        sac_look_localize(&source->speaker.truth.object[object].look, cells, source->picture.grid_w,
                          source->picture.grid_h,
                          sac_heaviest(cells, source->picture.grid_w * source->picture.grid_h));
    return true;
}

void viz_row_boxes_draw(const viz_weights_model *model, viz_canvas *canvas, viz_rect picture,
                        const float *cells)
{
    const sac_caption_truth *truth = &model->source->speaker.truth;
    if (!viz_row_boxes_are_shown(model))
        return;
    viz_clip(canvas, picture);
    for (int i = 0; i < truth->objects * 2; i++) { /* what is looked into over the others */
        sac_localization localization = {0};
        viz_row_boxes_localize(model, cells, i % truth->objects, &localization);
        if (localization.inside == (i >= truth->objects))
            viz_look_draw(canvas, picture, &truth->object[i % truth->objects].look,
                          localization.inside, 1.5f);
    }
    viz_clip_none(canvas);
}

float viz_row_boxes_height(const viz_weights_model *model, float room)
{
    float height = VIZ_ROW_BOX_LINE * (float)(model->source->speaker.truth.objects + 1) + 14;
    return viz_row_boxes_are_shown(model) && height <= room ? height : 0;
}

static void draw_line(viz_canvas *canvas, viz_rect line, const char *name,
                      const sac_localization *localization, float names)
{
    const viz_theme *theme = canvas->theme;
    viz_color color = localization->inside ? theme->accent : theme->text2;
    char fit[64], number[16];
    float digits = 2 * viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "  0.00");
    viz_rect track = {line.x + names + VIZ_GAP, line.y + 5, line.w - names - digits - 2 * VIZ_GAP,
                      10};
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, names, name, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, line.x + names, line.y + 14, VIZ_RIGHT, color, fit);
    snprintf(number, sizeof number, "%.2f", (double)localization->box_share);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, line.x + line.w, line.y + 14, VIZ_RIGHT, theme->text2,
             number);
    snprintf(number, sizeof number, "%.2f", (double)localization->mass);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, line.x + line.w - digits / 2, line.y + 14, VIZ_RIGHT,
             theme->text, number);
    if (track.w < 20)
        return;
    viz_fill(canvas, (viz_rect){track.x, track.y, fmaxf(1, track.w * localization->mass), track.h},
             color);
    viz_fill(canvas,
             (viz_rect){track.x + track.w * localization->box_share, track.y - 3, 1, track.h + 6},
             theme->text);
}

void viz_row_boxes_list(const viz_weights_model *model, viz_canvas *canvas, viz_rect list,
                        const float *cells)
{
    const sac_caption_truth *truth = &model->source->speaker.truth;
    char fit[96];
    float names = 0;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, list.w, "share of the heat, and of the picture", fit,
                 sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, list.x, list.y + 10, VIZ_LEFT, canvas->theme->text2, fit);
    for (int i = 0; i < truth->objects; i++)
        names =
            fmaxf(names, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, truth->object[i].words[0]));
    names = fminf(names, 0.4f * list.w);
    for (int i = 0; i < truth->objects; i++) {
        viz_rect line = {list.x, list.y + VIZ_ROW_BOX_LINE * (float)(i + 1), list.w,
                         VIZ_ROW_BOX_LINE};
        sac_localization localization;
        if (viz_row_boxes_localize(model, cells, i, &localization))
            draw_line(canvas, line, truth->object[i].words[0], &localization, names);
    }
}
