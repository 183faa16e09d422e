#include "parts/figures/frame.h"

#include <math.h>

#include "canvas/text.h"
#include "parts/controls/widgets.h"

#define LINE 16.0f
#define BAR_GAP 12.0f
#define LEAST_BAR 220.0f

void viz_axis_name_draw(viz_canvas *canvas, viz_rect cells, float y, const char *name)
{
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, cells.x + cells.w / 2, y, VIZ_CENTER, canvas->theme->text,
             name);
}

void viz_axis_name_draw_up(viz_canvas *canvas, viz_rect cells, float x, const char *name)
{
    float length = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, name);
    viz_text_up(canvas, VIZ_SANS, VIZ_LABEL, x, cells.y + (cells.h + length) / 2,
                canvas->theme->text, name);
}

viz_figure_frame viz_figure_frame_lay(viz_rect area, bool titled, bool named)
{
    float top = VIZ_FIGURE_MARGIN, left = VIZ_FIGURE_MARGIN,
          below = BAR_GAP + VIZ_BAR_NAMED_HEIGHT + VIZ_FIGURE_MARGIN;
    viz_figure_frame f = {0};
    f.title_y = area.y + top + 11;
    top += titled ? LINE + 4 : 0;
    f.name_y = area.y + top + 11;
    top += named ? LINE + 2 : 0;
    f.name_x = area.x + left + 11;
    left += named ? LINE + 2 : 0;
    f.around = top + below;
    f.panel = (viz_rect){area.x + left, area.y + top, area.w - left - VIZ_FIGURE_MARGIN,
                         fmaxf(area.h - f.around, 1)};
    return f;
}

viz_rect viz_figure_bar(const viz_figure_frame *f, viz_rect cells)
{
    float right = f->panel.x + f->panel.w, width = fmaxf(cells.w, LEAST_BAR);
    float x = fmaxf(fminf(cells.x, right - width), f->panel.x);
    return (viz_rect){x, cells.y + cells.h + BAR_GAP, fminf(width, right - x),
                      VIZ_BAR_NAMED_HEIGHT};
}

void viz_figure_centre(const viz_figure_frame *f, viz_rect cells, float *dx, float *dy)
{
    *dx = floorf(fmaxf(f->panel.x + f->panel.w - cells.x - fmaxf(cells.w, LEAST_BAR), 0) / 2);
    *dy = floorf(fmaxf(f->panel.y + f->panel.h - cells.y - cells.h, 0) / 2);
}
