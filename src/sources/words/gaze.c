#include "sources/words/gaze.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/heads/head_scales.h"

bool sac_gaze_is_same(const sac_gaze *a, const sac_gaze *b)
{
    const bool is_held = sac_gaze_is_held(a);
    if (is_held != sac_gaze_is_held(b) || strcmp(a->heads, b->heads) != 0)
        return false;
    return !is_held ||
           (a->x == b->x && a->y == b->y && a->radius == b->radius && a->from == b->from);
}

bool sac_gaze_is_auto(const sac_gaze *gaze)
{
    return strcmp(gaze->heads, SAC_GAZE_AUTO) == 0;
}

float sac_gaze_usual_radius(int grid_w, int grid_h)
{
    return fmaxf(1, 0.05f * (float)(grid_w > grid_h ? grid_w : grid_h));
}

void sac_gaze_spot(const sac_gaze *gaze, const uint8_t *hidden, int grid_w, int grid_h, float *spot)
{
    const int cells = grid_w * grid_h;
    double sum = 0, nearest = INFINITY;
    /* The nearest visible cell has 1, so that a small spot far from all of them does not vanish. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < cells; i++) {
            const double across = i % grid_w - (double)gaze->x, down = i / grid_w - (double)gaze->y;
            const double apart =
                (across * across + down * down) / (2 * (double)gaze->radius * (double)gaze->radius);
            const bool is_hidden = hidden && hidden[i];
            if (pass == 0)
                nearest = is_hidden ? nearest : fmin(nearest, apart);
            else
                sum += spot[i] = is_hidden ? 0 : (float)exp(nearest - apart);
        }
    for (int i = 0; i < cells && sum > 0; i++)
        spot[i] = (float)((double)spot[i] / sum);
}

sac_status sac_gaze_find_heads(const sac_gaze *gaze, size_t layers, size_t heads, uint8_t *held,
                               sac_error *error)
{
    const size_t count = layers * heads;
    float *scale = malloc((count + 1) * sizeof *scale);
    if (!scale)
        return sac_no_memory(error, "gaze");
    /* The heads of a list are those that it would switch off. */
    sac_status status = sac_head_scales_read(gaze->heads, layers, heads, scale, NULL);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        held[i] = !gaze->heads[0] || scale[i] == 0;
        if (scale[i] != 0 && scale[i] != 1)
            status = SAC_E_ARGUMENT;
    }
    free(scale);
    return status == SAC_OK
               ? SAC_OK
               : sac_fail(error, SAC_E_ARGUMENT, "gaze",
                          "give LAYER.HEAD, several with commas, such as 3.2,5.0, or all",
                          "\"%.60s\" names no heads of %zu layers × %zu heads", gaze->heads, layers,
                          heads);
}

#define HEADS "%1023s" /* SAC_GAZE_HEADS with its end */

sac_status sac_gaze_read(const char *text, int grid_w, int grid_h, sac_gaze *gaze, sac_error *error)
{
    sac_gaze g = {.radius = sac_gaze_usual_radius(grid_w, grid_h)};
    int used = 0, more = 0, from = 1;
    if (sscanf(text, "heads " HEADS "%n", g.heads, &used) == 1 && !text[used]) {
        g.radius = 0;
        *gaze = g;
        return SAC_OK;
    }
    bool right = sscanf(text, "%f,%f%n", &g.x, &g.y, &used) == 2;
    if (right && sscanf(text + used, ",%f%n", &g.radius, &more) == 1)
        used += more;
    if (right && sscanf(text + used, " from %d%n", &from, &more) == 1)
        used += more;
    if (right && sscanf(text + used, " heads " HEADS "%n", g.heads, &more) == 1)
        used += more;
    g.from = from - 1;
    if (!right || text[used] || !isfinite(g.x) || !isfinite(g.y))
        return sac_fail(error, SAC_E_ARGUMENT, "gaze",
                        "give X,Y or X,Y,RADIUS in cells, counted from 0",
                        "\"%.60s\" is no place of a picture", text);
    if (!(g.x >= -0.5f && g.x <= (float)grid_w - 0.5f && g.y >= -0.5f &&
          g.y <= (float)grid_h - 0.5f))
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "give a place of the picture",
                        "(%g, %g) is none of its %d × %d cells, counted from 0", (double)g.x,
                        (double)g.y, grid_w, grid_h);
    if (!(g.radius >= SAC_GAZE_LEAST && g.radius <= SAC_GAZE_MOST))
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "give a radius from 0.25 to 1000 cells",
                        "the radius %g is out of range", (double)g.radius);
    if (g.from < 0)
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "give a word from 1 on",
                        "there is no word %d", from);
    *gaze = g;
    return SAC_OK;
}

/* As few digits as read again give the same float. */
static const char *write_number(float number, char text[24])
{
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, 24, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number)
            break;
    }
    return text;
}

char *sac_gaze_write(const sac_gaze *gaze, char text[SAC_GAZE_TEXT])
{
    char number[3][24];
    int used = 0;
    text[0] = '\0';
    if (sac_gaze_is_held(gaze))
        used = snprintf(text, SAC_GAZE_TEXT, "%s,%s,%s from %d", write_number(gaze->x, number[0]),
                        write_number(gaze->y, number[1]), write_number(gaze->radius, number[2]),
                        gaze->from + 1);
    if (gaze->heads[0])
        snprintf(text + used, SAC_GAZE_TEXT - (size_t)used, "%sheads %s", used ? " " : "",
                 gaze->heads);
    return text;
}
