/* Cells painted over, as a bitmap and as text; and boxes. */

#include "parts/figures/overlays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void viz_hidden_draw(viz_canvas *canvas, viz_rect picture, const uint8_t *hidden, int grid_w,
                     int grid_h)
{
    for (int i = 0; i < grid_w * grid_h; i++) {
        float w = picture.w / (float)grid_w, h = picture.h / (float)grid_h;
        viz_rect cell = {picture.x + (float)(i % grid_w) * w, picture.y + (float)(i / grid_w) * h,
                         w, h};
        if (hidden[i])
            viz_hatch(canvas, cell, NULL);
    }
}

static int set_cell(uint8_t *hidden, int grid_w, int grid_h, int x, int y, bool value)
{
    if (x < 0 || y < 0 || x >= grid_w || y >= grid_h || hidden[y * grid_w + x] == value)
        return 0;
    hidden[y * grid_w + x] = value;
    return 1;
}

int viz_hidden_stroke(uint8_t *hidden, int grid_w, int grid_h, const int from[2], const int to[2],
                      int reach, bool value)
{
    int dx = to[0] - from[0], dy = to[1] - from[1], changed = 0;
    int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    int least = (grid_w > grid_h ? grid_w : grid_h) / 64;
    reach = reach > least ? reach : least;
    for (int i = 0; i <= steps; i++) {
        float t = steps ? (float)i / (float)steps : 0;
        int x = from[0] + (int)lroundf(t * (float)dx), y = from[1] + (int)lroundf(t * (float)dy);
        for (int b = -reach; b <= reach; b++)
            for (int a = -reach; a <= reach; a++)
                changed += set_cell(hidden, grid_w, grid_h, x + a, y + b, value);
    }
    return changed;
}

int viz_hidden_rectangle(uint8_t *hidden, int grid_w, int grid_h, const int from[2],
                         const int to[2], bool value)
{
    int changed = 0, right = from[0] > to[0] ? from[0] : to[0];
    int bottom = from[1] > to[1] ? from[1] : to[1];
    for (int y = from[1] < to[1] ? from[1] : to[1]; y <= bottom; y++)
        for (int x = from[0] < to[0] ? from[0] : to[0]; x <= right; x++)
            changed += set_cell(hidden, grid_w, grid_h, x, y, value);
    return changed;
}

int viz_hidden_count(const uint8_t *hidden, int grid_w, int grid_h)
{
    int count = 0;
    for (int i = 0; i < grid_w * grid_h; i++)
        count += hidden[i] != 0;
    return count;
}

char *viz_hidden_text(const uint8_t *hidden, int grid_w, int grid_h)
{
    int count = grid_w * grid_h, some = viz_hidden_count(hidden, grid_w, grid_h);
    size_t size = 32 + 16 * (size_t)some, used;
    char *text = some ? viz_allocate(size, 1) : NULL;
    if (!text)
        return NULL;
    used = (size_t)snprintf(text, size, "%dx%d:", grid_w, grid_h);
    for (int i = 0; i < count; i++) {
        int first = i;
        while (i < count && hidden[i])
            i++;
        if (i - first > 1)
            used += (size_t)snprintf(text + used, size - used, " %d-%d", first, i - 1);
        else if (i > first)
            used += (size_t)snprintf(text + used, size - used, " %d", first);
    }
    return text;
}

bool viz_hidden_parse(const char *text, uint8_t *hidden, int grid_w, int grid_h)
{
    int w, h, used = 0;
    if (sscanf(text, "%dx%d:%n", &w, &h, &used) != 2 || !used || w != grid_w || h != grid_h)
        return false;
    memset(hidden, 0, (size_t)w * (size_t)h);
    char *end;
    for (text += used; *text == ' '; text = end) {
        long first = strtol(text, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == text)
            break;
        for (long i = first < 0 ? 0 : first; i <= last && i < (long)w * h; i++)
            hidden[i] = 1;
    }
    return true;
}

void viz_look_draw(viz_canvas *canvas, viz_rect picture, const sac_look *look, bool own,
                   float thickness)
{
    for (int k = 0; k < look->count; k++) {
        float t = own ? 1.6f * thickness : thickness;
        viz_rect r = {picture.x + look->box[k][0] * picture.w - t,
                      picture.y + look->box[k][1] * picture.h - t,
                      (look->box[k][2] - look->box[k][0]) * picture.w + 2 * t,
                      (look->box[k][3] - look->box[k][1]) * picture.h + 2 * t};
        viz_rect around = {r.x - 1, r.y - 1, r.w + 2, r.h + 2};
        viz_frame(canvas, around, t + 2, viz_with_alpha((viz_color){0, 0, 0, 255}, 0.25f));
        viz_frame(canvas, r, t, own ? canvas->theme->accent : (viz_color){205, 210, 216, 200});
    }
}
