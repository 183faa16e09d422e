#include "lesson/lesson_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrays/utf8.h"
#include "base/number_text.h"
#include "canvas/colormap.h"

#define LEAST_CONTRAST 7.0f

static size_t count_of(const sac_shown_array *array)
{
    return array->batch * array->rows * array->columns;
}

/* ---------------------------------------------------------------- text */

static int decimals_for(float most, int at_most)
{
    int decimals = most < 10 ? 3 : most < 100 ? 2 : 1;
    return decimals < at_most ? decimals : at_most;
}

lesson_format lesson_format_of(const sac_shown_array *array, int most_decimals)
{
    lesson_format format = {0};
    float most = 0;
    bool whole = true;
    for (size_t i = 0; i < count_of(array); i++)
        if (isfinite(array->numbers[i])) {
            most = fmaxf(most, fabsf(array->numbers[i]));
            whole = whole && array->numbers[i] == rintf(array->numbers[i]);
        }
    format.decimals = whole ? 0 : decimals_for(most, most_decimals);
    for (size_t i = 0; i < count_of(array); i++) {
        char text[32];
        lesson_number(&format, array->numbers[i], text, sizeof text);
        int letters = (int)sac_utf8_length(text);
        format.letters = letters > format.letters ? letters : format.letters;
    }
    return format;
}

/* "2e−9" */
static void put_power(float magnitude, const char *sign, char *text, size_t size)
{
    char digits[32];
    int power = 0;
    snprintf(digits, sizeof digits, "%.0e", (double)magnitude);
    sscanf(digits + 1, "e%d", &power);
    snprintf(text, size, "%s%ce%s%d", sign, digits[0], power < 0 ? "−" : "", abs(power));
}

char *lesson_number(const lesson_format *format, float value, char *text, size_t size)
{
    float magnitude = fabsf(value);
    const char *sign = value < 0 ? "−" : "";
    if (!isfinite(value) || value == 0)
        sac_number_text((double)(value == 0 ? 0 : value), text, size);
    else if (magnitude < 0.5e-3f || magnitude >= 1e6f)
        put_power(magnitude, sign, text, size);
    else
        snprintf(text, size, "%s%.*f", sign, format->decimals, (double)magnitude);
    return text;
}

/* ---------------------------------------------------------------- colours */

lesson_heat lesson_heat_of(const sac_shown_array *array, viz_colormap map)
{
    lesson_heat heat = {array->shares, 0, map};
    for (size_t i = 0; i < count_of(array); i++)
        if (isfinite(array->numbers[i]))
            heat.most = fmaxf(heat.most, fabsf(array->numbers[i]));
    return heat;
}

static viz_color mix(viz_color a, viz_color b, float share)
{
    return (viz_color){(uint8_t)((float)a.r + share * ((float)b.r - (float)a.r) + 0.5f),
                       (uint8_t)((float)a.g + share * ((float)b.g - (float)a.g) + 0.5f),
                       (uint8_t)((float)a.b + share * ((float)b.b - (float)a.b) + 0.5f), 255};
}

/* A colour of middle lightness is neither light nor dark enough for any text: it goes to the side
 * that its text asks for, as far as it has to. */
static viz_color make_legible(viz_color color)
{
    viz_color text = viz_text_on(color);
    viz_color away = text.r ? (viz_color){0, 0, 0, 255} : (viz_color){255, 255, 255, 255};
    viz_color legible = color;
    for (float share = 0.04f; viz_contrast(legible, text) < LEAST_CONTRAST; share += 0.04f)
        legible = mix(color, away, share);
    return legible;
}

/* On a light ground cells are as light as it is where there is nothing, and darker where there is
 * more: orange above 0, blue below it. */
static viz_color light_color(float share)
{
    static const viz_color white = {250, 250, 248, 255};
    static const viz_color middle[] = {{244, 176, 96, 255}, {128, 186, 236, 255}};
    static const viz_color most[] = {{148, 66, 0, 255}, {12, 76, 150, 255}};
    float size = fminf(fabsf(share), 1);
    int side = share < 0;
    return size < 0.6f ? mix(white, middle[side], size / 0.6f)
                       : mix(middle[side], most[side], (size - 0.6f) / 0.4f);
}

/* Shares in another map than the usual one go from the ground through its lighter to its darker
 * half. */
static viz_color light_map_color(viz_colormap map, float share)
{
    static const viz_color white = {250, 250, 248, 255};
    viz_color middle = viz_colormap_color(map, 0.8f);
    return share < 0.4f ? mix(white, middle, share / 0.4f)
                        : viz_colormap_color(map, 0.8f - (share - 0.4f));
}

static viz_color dark_color(const lesson_heat *heat, float share)
{
    return heat->shares ? viz_colormap_color(heat->map, share)
                        : viz_colormap_color(VIZ_DIVERGING, 0.5f + 0.5f * share);
}

viz_color lesson_heat_color(const lesson_heat *heat, const viz_theme *theme, float value)
{
    float share = heat->most > 0 ? value / heat->most : 0;
    if (!isfinite(value))
        return theme->panel;
    bool light = viz_text_on(theme->ground).r == 0, mapped = heat->shares && heat->map;
    return make_legible(light ? mapped ? light_map_color(heat->map, share) : light_color(share)
                              : dark_color(heat, share));
}
