#include "weights/weights_figure.h"

#include <math.h>
#include <stdio.h>

#include "canvas/heat.h"
#include "parts/controls/widgets.h"
#include "view/words.h"
#include "weights/differences.h"

bool viz_weights_figure_titled(const viz_weights_view *v)
{
    const sac_source *source = v->model->source;
    return source->weights.layers * source->weights.heads * source->weights.batch > 1 ||
           viz_is_difference(v->model);
}

void viz_weights_figure_title(const viz_weights_view *v, viz_canvas *canvas,
                              const viz_figure_frame *f, viz_rect cells, const char *text)
{
    char fit[720];
    float right = f->panel.x + f->panel.w;
    if (!viz_weights_figure_titled(v))
        return;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, right - cells.x, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, cells.x, f->title_y, VIZ_LEFT, canvas->theme->text, fit);
}

/* ---------------------------------------------------------------- one matrix */

static viz_figure_frame lay_matrix(viz_weights_view *v, const viz_canvas *canvas, viz_rect area)
{
    viz_figure_frame f = viz_figure_frame_lay(area, viz_weights_figure_titled(v), true);
    viz_panel_lay(&v->panel, canvas, f.panel);
    return f;
}

float viz_matrix_figure_height(viz_weights_view *v, const viz_canvas *canvas, float width)
{
    viz_figure_frame f = lay_matrix(v, canvas, (viz_rect){0, 0, width, VIZ_FIGURE_TALLEST * width});
    viz_rect cells = v->panel.layout.cells;
    return f.around + cells.y + cells.h - f.panel.y;
}

void viz_matrix_figure_draw(viz_weights_view *v, viz_canvas *canvas, viz_rect area)
{
    const viz_weights_model *model = v->model;
    char name[192], pooled[64], title[256], peak[400], titled[700];
    float dx, dy;
    viz_figure_frame f = lay_matrix(v, canvas, area);
    viz_figure_centre(&f, v->panel.layout.cells, &dx, &dy);
    f = lay_matrix(v, canvas, (viz_rect){area.x + dx, area.y + dy, area.w, area.h});
    viz_rect cells = v->panel.layout.cells;
    viz_weights_model_title(model, title, sizeof title);
    if (viz_is_difference(model))
        snprintf(titled, sizeof titled, "%s;  %s", title,
                 viz_difference_peak(model, peak, sizeof peak));
    else
        snprintf(titled, sizeof titled, "%s", title);
    viz_weights_figure_title(v, canvas, &f, cells, titled);
    viz_axis_name(canvas, cells, f.name_y, model->source->weights.turned ? "query" : "key");
    viz_axis_name_up(canvas, cells, f.name_x, model->source->weights.turned ? "key" : "query");
    viz_panel_draw(&v->panel, canvas);
    viz_weights_model_scale_name(model, name, sizeof name);
    if (viz_panel_pooling(&v->panel, pooled, sizeof pooled)) {
        char scale[96];
        snprintf(scale, sizeof scale, "%.90s", name);
        snprintf(name, sizeof name, "%s%s%s", scale, viz_word("; each dot "), pooled);
    }
    viz_scale scale = viz_panel_scale(&v->panel);
    viz_bar_draw(canvas, viz_figure_bar(&f, cells), viz_map_colors(canvas->theme, model->look.map),
                 &scale, viz_weights_model_uniform(model), name);
}

/* ---------------------------------------------------------------- a picture */

float viz_row_figure_height(viz_weights_view *v, float width)
{
    viz_figure_frame f = viz_figure_frame_lay((viz_rect){0, 0, width, 0}, true, false);
    float high = fminf(f.panel.w * viz_row_panel_ratio(&v->row), VIZ_FIGURE_TALLEST * width);
    return f.around + floorf(high);
}

void viz_row_figure_draw(viz_weights_view *v, viz_canvas *canvas, viz_rect area)
{
    char title[256], row[160], text[480];
    float ratio = viz_row_panel_ratio(&v->row), dx, dy;
    viz_figure_frame f = viz_figure_frame_lay(area, true, false);
    float width = floorf(fminf(f.panel.w, f.panel.h / ratio));
    viz_rect picture = {f.panel.x, f.panel.y, width, floorf(width * ratio)};
    viz_figure_centre(&f, picture, &dx, &dy);
    picture.x += dx;
    picture.y += dy;
    f.title_y += dy;
    v->row.picture = picture;
    v->row.list = (viz_rect){0};
    viz_panel_lay(&v->panel, canvas, picture);
    viz_weights_model_title(v->model, title, sizeof title);
    viz_weights_model_row_name(v->model, v->model->row, row, sizeof row);
    snprintf(text, sizeof text, "%s, %s %s", title,
             v->model->source->weights.turned ? "key" : "query", row);
    viz_weights_figure_title(v, canvas, &f, picture, text);
    viz_row_panel_draw(&v->row, canvas);
    viz_row_panel_draw_bar(&v->row, canvas, viz_figure_bar(&f, picture));
}
