/* Draws a scan path: rings and the lines between them. */

#include "canvas/scanpath.h"

#include <math.h>
#include <stdio.h>

#include "canvas/text.h"

#define CLEAR 0.36f      /* between a ring and the peak of the heat, of its radius, … */
#define LEAST_CLEAR 4.0f /* … and at least */
#define LEAST_RING 4.5f
#define NUMBER 11.0f      /* the size of the numbers */
#define NUMBER_HIGH 14.0f /* of the dark ground they stand on */

static const viz_color pale = {255, 255, 255, 255}, dark = {8, 9, 12, 255};

int viz_fixation_add(viz_fixation *path, int count, float x, float y, int number, float near)
{
    viz_fixation *before = &path[count - 1];
    if (count > 0 && hypotf(x - before->x, y - before->y) < near) {
        before->last = number;
        return count;
    }
    path[count] = (viz_fixation){x, y, number, number};
    return count + 1;
}

float viz_ring_radius_beside(float radius, float away)
{
    float clear = fmaxf(CLEAR * radius, LEAST_CLEAR);
    if (fabsf(away - radius) >= clear)
        return radius;
    return away >= radius && away - clear >= LEAST_RING ? away - clear : away + clear;
}

void viz_ring(viz_canvas *canvas, float x, float y, float radius, float thickness, float alpha)
{
    viz_rect light = {x - radius, y - radius, 2 * radius, 2 * radius};
    viz_rect rim = {light.x - 1, light.y - 1, light.w + 2, light.h + 2};
    viz_frame_round(canvas, rim, radius + 1, thickness + 2, viz_with_alpha(dark, 0.9f * alpha));
    viz_frame_round(canvas, light, radius, thickness, viz_with_alpha(pale, alpha));
}

/* Draws the line from the edge of one ring to the edge of the next. */
static void draw_way(viz_canvas *canvas, const viz_fixation *from, const viz_fixation *to,
                     float from_radius, float to_radius, float alpha)
{
    float dx = to->x - from->x, dy = to->y - from->y, length = hypotf(dx, dy);
    if (length <= from_radius + to_radius + 2)
        return;
    float a = (from_radius + 1) / length, b = 1 - (to_radius + 1) / length;
    float x0 = from->x + a * dx, y0 = from->y + a * dy;
    float x1 = from->x + b * dx, y1 = from->y + b * dy;
    viz_line(canvas, x0, y0, x1, y1, 3.5f, viz_with_alpha(dark, 0.6f * alpha));
    viz_line(canvas, x0, y0, x1, y1, 1.5f, viz_with_alpha(pale, alpha));
}

/* Beside the ring, on the side away from the peak, inside the picture. */
static void draw_number(viz_canvas *canvas, viz_rect picture, const viz_fixation *here,
                        float radius, const float peak[2], float alpha)
{
    char text[32];
    if (!here->first)
        return;
    if (here->first == here->last)
        snprintf(text, sizeof text, "%d", here->last);
    else
        snprintf(text, sizeof text, "%d–%d", here->first, here->last);
    float w = viz_text_width(canvas, VIZ_SANS_BOLD, NUMBER, text) + 8, out = 0.75f * radius + 1;
    bool left = peak[0] > here->x || here->x + out + w > picture.x + picture.w;
    bool below = peak[1] < here->y || here->y - out - NUMBER_HIGH < picture.y;
    if (here->x - out - w < picture.x)
        left = false;
    if (here->y + out + NUMBER_HIGH > picture.y + picture.h)
        below = false;
    viz_rect ground = {left ? here->x - out - w : here->x + out,
                       below ? here->y + out : here->y - out - NUMBER_HIGH, w, NUMBER_HIGH};
    viz_fill_round(canvas, ground, 4, viz_with_alpha(dark, 0.8f * alpha));
    viz_text(canvas, VIZ_SANS_BOLD, NUMBER, ground.x + w / 2, ground.y + 11, VIZ_CENTER,
             viz_with_alpha(pale, alpha), text);
}

void viz_scan_path(viz_canvas *canvas, viz_rect picture, const viz_fixation *path, int count,
                   float radius, const float peak[2])
{
    float small = fmaxf(0.45f * radius, LEAST_RING), gaze = radius > 0 ? radius : 9;
    if (count < 1)
        return;
    float away = hypotf(peak[0] - path[count - 1].x, peak[1] - path[count - 1].y);
    gaze = viz_ring_radius_beside(gaze, away);
    for (int i = 0; i + 1 < count; i++) {
        float age = 0.35f + 0.65f * (float)(i + 1) / (float)count;
        draw_way(canvas, &path[i], &path[i + 1], small, i + 2 == count ? gaze : small, age);
    }
    for (int i = 0; i < count; i++) {
        bool last = i + 1 == count;
        float age = last ? 1 : 0.45f + 0.55f * (float)(i + 1) / (float)count;
        if (!last || radius > 0)
            viz_ring(canvas, path[i].x, path[i].y, last ? gaze : small, last ? 2.5f : 1.5f, age);
        draw_number(canvas, picture, &path[i], last ? gaze : small, peak, age);
    }
}
