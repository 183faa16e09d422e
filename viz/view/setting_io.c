/* Settings written as text, and read back. */

#include "view/setting_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void viz_put_real(viz_put *put, void *user, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    put(user, key, text);
}

void viz_put_whole(viz_put *put, void *user, const char *key, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    put(user, key, text);
}

bool viz_read_real(const char *value, float *number)
{
    char *end;
    float read = strtof(value, &end);
    if (end == value || !isfinite(read))
        return false;
    *number = read;
    return true;
}

void viz_style_describe(const viz_heat_style *style, viz_put *put, void *user)
{
    put(user, "map", viz_colormap_name(style->map));
    put(user, "overlay", viz_overlay_name(style->overlay));
    viz_put_real(put, user, "opacity", (double)style->opacity);
    put(user, "cells drawn", style->blocky ? "blocky" : "smooth");
}

bool viz_style_restore(viz_heat_style *style, const char *key, const char *value)
{
    float opacity;
    if (!strcmp(key, "map"))
        viz_colormap_from_name(value, &style->map);
    else if (!strcmp(key, "overlay"))
        viz_overlay_from_name(value, &style->overlay);
    else if (!strcmp(key, "cells drawn"))
        style->blocky = !strcmp(value, "blocky");
    else if (strcmp(key, "opacity"))
        return false;
    else if (viz_read_real(value, &opacity))
        style->opacity = fminf(fmaxf(opacity, 0), 1);
    return true;
}

void viz_trace_describe(const sac_source *source, viz_put *put, void *user)
{
    char grid[64] = "";
    if (source->picture.grid_w)
        snprintf(grid, sizeof grid, "%dx%d", source->picture.grid_w, source->picture.grid_h);
    put(user, "file", source->origin.file);
    put(user, "sentence", source->speaker.text);
    put(user, "hash", source->origin.hash);
    put(user, "device", source->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "array", source->weights.opened.array);
    put(user, "axes", source->weights.opened.axes);
    put(user, "labels", source->weights.opened.labels_file);
    put(user, "image", source->weights.opened.image_file);
    put(user, "grid", grid);
    if (source->picture.cells ||
        (source->weights.items && source->weights.items[0].cells)) /* the file tells them */
        put(user, "prefix", "");
    else
        viz_put_whole(put, user, "prefix", source->picture.prefix);
    put(user, "score", source->weights.made.score);
    put(user, "mask", source->weights.made.mask);
    put(user, "softmax", source->weights.opened.softmax ? "yes" : "");
    put(user, "nan", source->weights.opened.allow_nan ? "yes" : "");
    put(user, "padding", source->weights.opened.padding ? "yes" : "");
    if (source->weights.made.heads_asked)
        viz_put_whole(put, user, "heads", source->weights.made.heads_asked);
    else
        put(user, "heads", "");
    if (source->weights.made.key_heads_asked)
        viz_put_whole(put, user, "key heads", source->weights.made.key_heads_asked);
    else
        put(user, "key heads", "");
}
