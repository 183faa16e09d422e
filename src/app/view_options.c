/* The table of options that are given on to views, and their checks. */

#include "app/view_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/heat.h"
#include "sources/head_choice.h"
#include "sources/reduce.h"

static bool is_score(const char *text)
{
    sac_score score;
    return sac_score_from_name(text, &score);
}

static bool is_map(const char *text)
{
    viz_colormap map;
    return viz_colormap_from_name(text, &map);
}

/* One word each, where the colour bar has room for two. */
static const char *const scale_words[] = {"per-map", "shared", "root", "log", "fixed"};

static int scale_of(const char *text)
{
    for (int i = 0; i < VIZ_SCALE_COUNT; i++)
        if (strcmp(scale_words[i], text) == 0)
            return i;
    return -1;
}

static bool is_scale(const char *text)
{
    return scale_of(text) >= 0;
}

static bool is_reduce(const char *text)
{
    sac_reduce reduce;
    return sac_reduce_from_name(text, &reduce);
}

static bool is_first(const char *text)
{
    sac_prefix prefix;
    return sac_prefix_from_name(text, &prefix);
}

static bool is_pool(const char *text)
{
    return strcmp(text, "mean") == 0 || strcmp(text, "max") == 0;
}

static bool is_overlay(const char *text)
{
    for (int i = 0; i < VIZ_OVERLAY_COUNT; i++)
        if (strcmp(viz_overlay_name(i), text) == 0)
            return true;
    return false;
}

static bool is_number(const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && !*end && value >= low && value <= high;
}

static bool is_bandwidth(const char *text)
{
    return is_number(text, 0.05, 20);
}

static bool is_temperature(const char *text)
{
    return is_number(text, 0.1, 10);
}

static bool is_share(const char *text)
{
    return is_number(text, 0, 1);
}

static bool is_whole(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0' && is_number(text, 0, 1e9);
}

static bool is_beam(const char *text)
{
    return is_whole(text) && is_number(text, 1, 5);
}

static bool is_speed(const char *text)
{
    return is_number(text, 0.25, 4);
}

static bool is_switch(const char *text)
{
    return strcmp(text, "on") == 0 || strcmp(text, "off") == 0;
}

static bool is_layout(const char *text)
{
    return strcmp(text, "window") == 0 || strcmp(text, "figure") == 0;
}

/* The names of models are known only once they are open. */
static bool is_name(const char *text)
{
    return text[0] != '\0';
}

static bool is_place(const char *text)
{
    int x, y, end = 0;
    return sscanf(text, "%d,%d%n", &x, &y, &end) == 2 && !text[end] && x >= 0 && y >= 0;
}

const app_view_option_rule app_view_option_rules[] = {
    {"--score", "S", "score function", "dot, scaled-dot, additive, bilinear or gaussian", is_score},
    {"--bandwidth", "H", "Gaussian score: divisor of the distance", "a number from 0.05 to 20",
     is_bandwidth},
    {"--inverse-width", "W", "deprecated: 1/bandwidth", "a number from 0.05 to 20", is_bandwidth,
     "inverse width"},
    {"--temperature", "T", "divisor of the scores", "a number from 0.1 to 10", is_temperature},
    {"--position", "P", "weight of a cell's position next to its colour", "a number from 0 to 1",
     is_share},
    {"--cells", "N",
     "cells on the longer side of a picture; with --grid the column where cells begin",
     "a whole number from 0", is_whole},
    {"--query", "X,Y", "query: a cell of a picture, or a column and row",
     "two whole numbers, such as 12,8", is_place},
    {"--model", "M", "captioner", "additive, scaled-dot or bilinear", is_name},
    {"--compare", "M", "second captioner, next to the first", "additive, scaled-dot or bilinear",
     is_name, "compared with"},
    {"--beam", "N", "beam width of a captioner", "a whole number from 1 to 5", is_beam},
    {"--word", "N", "word of a caption, or row of weights, to show", "a whole number from 0",
     is_whole},
    {"--speed", "X", "playback speed of a caption", "a number from 0.25 to 4", is_speed},
    {"--truth", "T", "show the ground truth of a scene", "on or off", is_switch},
    {"--layout", "L", "layout of a caption; figure has one panel per word", "window or figure",
     is_layout},
    {"--layer", "N", "layer to show", "a whole number from 0", is_whole},
    {"--head", "N", "head to show", "a whole number from 0", is_whole},
    {"--batch", "N", "item of the batch to show", "a whole number from 0", is_whole},
    {"--reduce", "R", "how heads are combined", "none, mean, max, min or rollout", is_reduce},
    {"--first", "F", "leading tokens", "shown, dropped or masked", is_first, "first tokens"},
    {"--pool", "P", "how weights that share a pixel are pooled", "mean or max", is_pool, "pooling"},
    {"--overlay", "O", "how weights are drawn over a picture", "heat, spotlight or contour",
     is_overlay},
    {"--opacity", "A", "opacity of the heat", "a number from 0 to 1", is_share},
    {"--map", "M", "colour map", "inferno, viridis, cividis or diverging", is_map},
    {"--scale", "K", "colour scale", "per-map, shared, root, log or fixed", is_scale},
    {0},
};

sac_status app_view_options_take(const char *const values[], app_view_option *settings, int *count,
                                 sac_error *error)
{
    *count = 0;
    for (const app_view_option_rule *rule = app_view_option_rules; rule->option; rule++) {
        const char *value = values[rule - app_view_option_rules];
        if (!value)
            continue;
        if (!rule->is_allowed(value)) {
            char todo[128];
            snprintf(todo, sizeof todo, "give %s", rule->allowed);
            return sac_fail(error, SAC_E_ARGUMENT, rule->option, todo,
                            "\"%.60s\" is not a valid value", value);
        }
        if (rule->is_allowed == is_scale)
            value = viz_scale_name((viz_scale_kind)scale_of(value));
        settings[(*count)++] = (app_view_option){rule->key ? rule->key : rule->option + 2, value};
    }
    return SAC_OK;
}
