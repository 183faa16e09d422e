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

void viz_trace_describe(const sac_trace *trace, viz_put *put, void *user)
{
    char grid[64] = "";
    if (trace->grid_w)
        snprintf(grid, sizeof grid, "%dx%d", trace->grid_w, trace->grid_h);
    put(user, "file", trace->origin.file);
    put(user, "sentence", trace->text);
    put(user, "hash", trace->origin.hash);
    put(user, "device", trace->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "array", trace->array);
    put(user, "axes", trace->axes);
    put(user, "labels", trace->labels_file);
    put(user, "image", trace->image_file);
    put(user, "grid", grid);
    if (trace->cells || (trace->items && trace->items[0].cells)) /* the file tells them */
        put(user, "prefix", "");
    else
        viz_put_whole(put, user, "prefix", trace->prefix);
    put(user, "score", trace->score);
    put(user, "mask", trace->mask);
    put(user, "softmax", trace->softmax ? "yes" : "");
    put(user, "nan", trace->allow_nan ? "yes" : "");
    put(user, "padding", trace->padding ? "yes" : "");
    if (trace->heads_asked)
        viz_put_whole(put, user, "heads", trace->heads_asked);
    else
        put(user, "heads", "");
    if (trace->key_heads_asked)
        viz_put_whole(put, user, "key heads", trace->key_heads_asked);
    else
        put(user, "key heads", "");
}
