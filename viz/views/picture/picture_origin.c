/* The picture view's settings as text, for a PNG that can be opened again, and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/hidden.h"
#include "picture/picture_state.h"
#include "view/setting_io.h"

void picture_describe(const viz_view *view, viz_put *put, void *user)
{
    const picture_view *v = (const picture_view *)view;
    const sac_origin *origin = &v->source->origin;
    char query[64];
    snprintf(query, sizeof query, "%d,%d of %dx%d", picture_query_x(v), picture_query_y(v),
             v->grid_w, v->grid_h);
    put(user, "view", "picture");
    put(user, "title", v->source->title); /* a scene has no file: this is how it is found again */
    put(user, "file", origin->file);
    put(user, "hash", origin->hash);
    put(user, "device", origin->device);
    put(user, "version", SAC_VERSION);
    put(user, "score", sac_score_name(v->settings.score));
    viz_put_real(put, user, "inverse width", (double)v->settings.inverse_width);
    viz_put_real(put, user, "temperature", (double)v->settings.temperature);
    viz_put_real(put, user, "position", (double)v->settings.position);
    viz_put_real(put, user, "cells", (double)v->settings.cells);
    put(user, "query", query);
    char *hidden = viz_hidden_text(v->hidden, v->grid_w, v->grid_h);
    put(user, "hidden", hidden ? hidden : ""); /* a reader learns the keys from here */
    free(hidden);
    put(user, "scale", viz_scale_name(v->scale));
    viz_style_describe(&v->style, put, user);
}

/* Takes the mask's grid first: cells mean nothing on another. */
static void restore_hidden(picture_view *v, const char *value)
{
    int w, h, used = 0;
    if (!value[0])
        picture_hide_none(v);
    if (sscanf(value, "%dx%d:%n", &w, &h, &used) != 2 || !used)
        return;
    picture_slider_set(v, SLIDE_CELLS, (float)(w > h ? w : h));
    if (!viz_hidden_parse(value, v->hidden, v->grid_w, v->grid_h))
        return;
    v->hidden_count = viz_hidden_count(v->hidden, v->grid_w, v->grid_h);
    picture_changed(v);
}

/* "12,8" of the grid there is, or "12,8 of 32x21". */
static void restore_query(picture_view *v, const char *value)
{
    int x, y, w = v->grid_w, h = v->grid_h;
    int found = sscanf(value, "%d,%d of %dx%d", &x, &y, &w, &h);
    if ((found != 2 && found != 4) || w < 1 || h < 1 || x < 0 || x >= w || y < 0 || y >= h)
        return;
    picture_look_at(v, (gaze_point){((float)x + 0.5f) / (float)w, ((float)y + 0.5f) / (float)h});
}

static bool restore_slider(picture_view *v, const char *key, const char *value)
{
    static const char *const keys[] = {[SLIDE_WIDTH] = "inverse width",
                                       [SLIDE_TEMPERATURE] = "temperature",
                                       [SLIDE_POSITION] = "position",
                                       [SLIDE_CELLS] = "cells"};
    float number;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i], key)) {
            if (!viz_read_real(value, &number))
                return true;
            if (i == SLIDE_WIDTH)
                picture_inverse_width_set(v, number);
            else
                picture_slider_set(v, (picture_slider)i, number);
            return true;
        }
    return false;
}

void picture_restore(viz_view *view, const char *key, const char *value)
{
    picture_view *v = picture_of(view);
    sac_score score;
    if (restore_slider(v, key, value) || viz_style_restore(&v->style, key, value))
        return;
    if (!strcmp(key, "score") && sac_score_from_name(value, &score))
        picture_score_set(v, score);
    else if (!strcmp(key, "query"))
        restore_query(v, value);
    else if (!strcmp(key, "hidden"))
        restore_hidden(v, value);
    else if (!strcmp(key, "scale"))
        viz_scale_from_name(value, &v->scale);
}
