/* The steps that all views share: computing, events, settings. */

#include "view/view.h"
#include "view/words.h"

#include <stdio.h>

void viz_view_destroy(viz_view *view)
{
    if (view && view->class->destroy)
        view->class->destroy(view);
}

bool viz_view_is_figure(const viz_view *view)
{
    if (view->class->shows)
        return viz_view_is_figure(view->class->shows(view));
    return view->figure && view->class->figure;
}

float viz_view_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    viz_canvas page = *canvas;
    page.figure = true;
    return view->class->figure_height ? view->class->figure_height(view, &page, width)
                                      : VIZ_FIGURE_HEIGHT * width;
}

void viz_view_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    bool figure = viz_view_is_figure(view);
    canvas->figure = figure;
    if (figure && view->class->figure)
        view->class->figure(view, canvas, area);
    else
        view->class->draw(view, canvas, area);
    canvas->figure = false;
}

char *viz_picture_place(int picture, int pictures, bool scenes, char *text, size_t size)
{
    text[0] = '\0';
    if (!scenes && pictures > 1)
        snprintf(text, size, viz_word("  ·  %d of %d"), picture + 1, pictures);
    return text;
}

int viz_picture_after(int picture, int step, int pictures, bool scenes)
{
    int to = picture + step;
    if (scenes)
        return to < 0 ? picture : to;
    return pictures > 1 ? (to % pictures + pictures) % pictures : picture;
}

int viz_matching_place(int place, int from, int to)
{
    return (int)((2 * (int64_t)place + 1) * to / (2 * (int64_t)from));
}

sac_status viz_view_settle(viz_view *view, sac_error *error)
{
    bool any;
    return viz_view_compute(view, NULL, &any, error);
}

sac_status viz_view_compute(viz_view *view, const viz_work *how, bool *any, sac_error *error)
{
    const viz_view_class *class = view->class;
    viz_job *job;
    *any = false;
    while (class->create_job && (job = class->create_job(view))) {
        *any = true;
        sac_error failure = {0};
        sac_status status =
            how ? how->work(how->user, view, job, &failure) : class->run_job(view, job, &failure);
        class->finish_job(view, job, status == SAC_OK ? NULL : &failure);
        if (status == SAC_OK) /* what could not be kept would be requested for ever */
            status = viz_drawing_check(&failure);
        if (status != SAC_OK) {
            if (error)
                *error = failure;
            return status;
        }
    }
    return SAC_OK;
}
