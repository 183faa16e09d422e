/* The picture view's settings as text, for a PNG that can be opened again, and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/picture_state.h"

typedef void put_function(void *user, const char *key, const char *value);

static void put_real(put_function *put, void *user, const char *key, float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", (double)value);
    put(user, key, text);
}

/* "32x21: 4-9 40 52-53": the grid and the runs of hidden cells, row by row. */
static void put_hidden(const picture_view *v, put_function *put, void *user)
{
    int count = v->grid_w * v->grid_h;
    size_t size = 32 + 16 * (size_t)v->hidden_count, used;
    char *text = malloc(size);
    if (!text || !v->hidden_count) {
        free(text);
        return;
    }
    used = (size_t)snprintf(text, size, "%dx%d:", v->grid_w, v->grid_h);
    for (int i = 0; i < count; i++) {
        int first = i;
        while (i < count && v->hidden[i])
            i++;
        if (i - first > 1)
            used += (size_t)snprintf(text + used, size - used, " %d-%d", first, i - 1);
        else if (i > first)
            used += (size_t)snprintf(text + used, size - used, " %d", first);
    }
    put(user, "hidden", text);
    free(text);
}

void picture_describe(const viz_view *view, put_function *put, void *user)
{
    const picture_view *v = (const picture_view *)view;
    const sac_origin *origin = &v->source->origin;
    char query[64];
    snprintf(query, sizeof query, "%d,%d of %dx%d", picture_query_x(v), picture_query_y(v),
             v->grid_w, v->grid_h);
    put(user, "view", "picture");
    put(user, "file", origin->file);
    put(user, "hash", origin->hash);
    put(user, "device", origin->device);
    put(user, "version", SAC_VERSION);
    put(user, "score", sac_score_name(v->settings.score));
    put_real(put, user, "width", v->settings.width);
    put_real(put, user, "temperature", v->settings.temperature);
    put_real(put, user, "position", v->settings.position);
    put_real(put, user, "cells", (float)v->settings.cells);
    put(user, "query", query);
    put_hidden(v, put, user);
    put(user, "scale", viz_scale_name(v->scale));
    put(user, "map", viz_map_name(v->style.map));
    put(user, "overlay", viz_overlay_name(v->style.overlay));
    put_real(put, user, "opacity", v->style.opacity);
    put(user, "cells drawn", v->style.blocky ? "blocky" : "smooth");
}

/* Takes the mask's grid first: cells mean nothing on another. */
static void restore_hidden(picture_view *v, const char *value)
{
    int w, h, used = 0;
    if (sscanf(value, "%dx%d:%n", &w, &h, &used) != 2 || !used)
        return;
    picture_slider_set(v, SLIDE_CELLS, (float)(w > h ? w : h));
    if (v->grid_w != w || v->grid_h != h)
        return;
    picture_hide_none(v);
    char *end;
    for (value += used; *value == ' '; value = end) {
        long first = strtol(value, &end, 10),
             last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == value)
            break;
        for (long i = first < 0 ? 0 : first; i <= last && i < (long)w * h; i++) {
            v->hidden_count += !v->hidden[i];
            v->hidden[i] = 1;
        }
    }
    picture_changed(v);
}

/* "12,8 of 32x21", or "12,8" of the grid there is. */
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
    static const char *const keys[SLIDE_COUNT] = {"width", "temperature", "position", "cells",
                                                  "opacity"};
    char *end;
    float number = strtof(value, &end);
    for (int i = 0; i < SLIDE_COUNT; i++)
        if (!strcmp(keys[i], key)) {
            if (end != value && isfinite(number))
                picture_slider_set(v, (picture_slider)i, number);
            return true;
        }
    return false;
}

static void restore_overlay(picture_view *v, const char *value)
{
    for (int i = 0; i < VIZ_OVERLAY_COUNT; i++)
        if (!strcmp(viz_overlay_name((viz_overlay)i), value))
            v->style.overlay = (viz_overlay)i;
}

void picture_restore(viz_view *view, const char *key, const char *value)
{
    picture_view *v = picture_of(view);
    sac_score score;
    if (restore_slider(v, key, value))
        return;
    if (!strcmp(key, "score") && sac_score_from_name(value, &score))
        picture_choose_score(v, picture_score_item(score));
    else if (!strcmp(key, "query"))
        restore_query(v, value);
    else if (!strcmp(key, "hidden"))
        restore_hidden(v, value);
    else if (!strcmp(key, "scale"))
        viz_scale_from_name(value, &v->scale);
    else if (!strcmp(key, "map"))
        viz_map_from_name(value, &v->style.map);
    else if (!strcmp(key, "overlay"))
        restore_overlay(v, value);
    else if (!strcmp(key, "cells drawn"))
        v->style.blocky = !strcmp(value, "blocky");
}
