#include "weights/weights_view.h"

#include <stdlib.h>

static viz_weights_view *of(viz_view *view)
{
    return (viz_weights_view *)view;
}

void viz_weights_view_init(viz_weights_view *v, const viz_view_class *class,
                           viz_weights_model *model)
{
    v->view.class = class;
    v->view.trace = model->trace;
    v->model = viz_weights_model_keep(model);
    viz_panel_init(&v->panel, model);
    v->row.panel = &v->panel;
}

sac_status viz_weights_view_model(const sac_trace *trace, viz_view *beside,
                                  viz_weights_model **model, sac_error *error)
{
    bool shares = beside && beside->class->work == viz_weights_view_work;
    if (!shares)
        return viz_weights_model_create(trace, model, error);
    *model = viz_weights_model_keep(of(beside)->model);
    return SAC_OK;
}

bool viz_weights_view_accepts(const sac_trace *trace)
{
    return trace->tile && trace->pool;
}

void viz_weights_view_destroy(viz_view *view)
{
    viz_weights_view *v = of(view);
    viz_panel_free(&v->panel);
    viz_row_panel_free(&v->row);
    viz_weights_model_release(v->model);
    free(v);
}

/* ---------------------------------------------------------------- title, note, controls */

viz_rect viz_weights_view_lay(viz_weights_view *v, const viz_canvas *canvas, viz_rect area,
                              bool pooled, bool sorted)
{
    char note[512];
    viz_controls_lay(&v->controls, canvas, v->model, area, pooled, sorted);
    float top = area.y + 34, bottom = v->controls.rect.y - 10;
    float left = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN;
    v->title_y = area.y + 24;
    v->note = (viz_rect){0};
    if (viz_weights_model_note(v->model, note, sizeof note)) {
        v->note = (viz_rect){left, top, right - left, VIZ_NOTE_HEIGHT};
        top += VIZ_NOTE_HEIGHT + VIZ_GAP;
    }
    return (viz_rect){left, top, right - left, bottom - top};
}

void viz_weights_view_draw_title(const viz_weights_view *v, viz_canvas *canvas, float x,
                                 float right)
{
    char note[512];
    viz_controls_draw_title(canvas, v->model, x, v->title_y, right);
    if (v->note.w > 0 && viz_weights_model_note(v->model, note, sizeof note))
        viz_note_draw(canvas, v->note.x, v->note.y, v->note.w, note);
}

/* ---------------------------------------------------------------- work and words */

viz_job *viz_weights_view_want(viz_weights_view *v, bool all)
{
    viz_weights_model *model = v->model;
    if (model->request.out)
        return NULL;
    viz_weights_job *job = viz_panel_want(&v->panel);
    if (!job)
        job = viz_weights_model_want(model, all);
    if (!job)
        return NULL;
    job->base.class = v->view.class;
    return viz_request_submit(&model->request, &job->base, 0);
}

sac_status viz_weights_view_work(viz_view *view, viz_job *job, sac_error *error)
{
    return viz_weights_model_work(of(view)->model, viz_job_of(job, view->class), error);
}

void viz_weights_view_take(viz_view *view, viz_job *base, const sac_error *error)
{
    viz_weights_view *v = of(view);
    viz_weights_job *job = viz_job_of(base, view->class);
    viz_panel_take(&v->panel, job);
    viz_weights_model_take(v->model, job, error);
}

void viz_weights_view_status(const viz_view *view, char *text, size_t size)
{
    viz_weights_model_status(((const viz_weights_view *)view)->model, text, size);
}

void viz_weights_view_describe(const viz_view *view, viz_put *put, void *user)
{
    const viz_weights_view *v = (const viz_weights_view *)view;
    put(user, "view", view->class->name);
    viz_weights_model_describe(v->model, put, user);
    viz_panel_describe(&v->panel, put, user);
}

void viz_weights_view_restore(viz_view *view, const char *key, const char *value)
{
    viz_weights_model_restore(of(view)->model, key, value);
    viz_panel_restore(&of(view)->panel, key, value);
}
