/* Brushes, noise and gradients for the bundled pictures, and saving them. */

#include "paint.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "images/png_write.h"

enum { SAMPLES = 3 }; /* each way, per pixel */

/* ---------------------------------------------------------------- chance */

/* Mixing constants of MurmurHash3's finaliser (Appleby). */
static uint32_t scramble(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

float chance(int a, int b, int seed)
{
    uint32_t h = scramble((uint32_t)a + 0x9e3779b9u * (uint32_t)seed);
    return (float)(scramble(h ^ (uint32_t)b * 0x27d4eb2fu) >> 8) / 16777216.0f;
}

float noise(float x, float y, int seed)
{
    int ix = (int)floorf(x), iy = (int)floorf(y);
    float fx = smooth(0, 1, x - (float)ix), fy = smooth(0, 1, y - (float)iy);
    float top = chance(ix, iy, seed) * (1 - fx) + chance(ix + 1, iy, seed) * fx;
    float bottom = chance(ix, iy + 1, seed) * (1 - fx) + chance(ix + 1, iy + 1, seed) * fx;
    return top * (1 - fy) + bottom * fy;
}

float clouds(float x, float y, int octaves, int seed)
{
    float sum = 0, weight = 0.5f, total = 0;
    for (int i = 0; i < octaves; i++, weight /= 2, x *= 2.03f, y *= 2.03f) {
        sum += weight * noise(x, y, seed + i);
        total += weight;
    }
    return sum / total;
}

/* ---------------------------------------------------------------- colours and shapes */

float clamp01(float t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

float smooth(float from, float to, float t)
{
    t = clamp01((t - from) / (to - from));
    return t * t * (3 - 2 * t);
}

static float to_linear(unsigned byte)
{
    float s = (float)byte / 255;
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

paint hex(unsigned rgb)
{
    return (paint){to_linear(rgb >> 16 & 255), to_linear(rgb >> 8 & 255), to_linear(rgb & 255), 1};
}

paint mix(paint a, paint b, float t)
{
    t = clamp01(t);
    return (paint){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b),
                   a.a + t * (b.a - a.a)};
}

paint shade(paint p, float light)
{
    return (paint){p.r * light, p.g * light, p.b * light, p.a};
}

paint with_alpha(paint p, float a)
{
    p.a = clamp01(a);
    return p;
}

paint ramp(const unsigned *colors, int count, float t)
{
    t = clamp01(t) * (float)(count - 1);
    int i = (int)t < count - 2 ? (int)t : count - 2;
    return mix(hex(colors[i]), hex(colors[i + 1]), t - (float)i);
}

/* ---------------------------------------------------------------- the sheet */

bool sheet_create(sheet *s, int width, int height)
{
    *s = (sheet){width * SAMPLES, height * SAMPLES, NULL};
    s->rgb = calloc((size_t)s->width * (size_t)s->height * 3, sizeof *s->rgb);
    return s->rgb != NULL;
}

void sheet_free(sheet *s)
{
    free(s->rgb);
}

static int limit(float value, int most)
{
    return value < 0 ? 0 : value > (float)most ? most : (int)value;
}

void sheet_paint(sheet *s, box where, brush *with, const void *shape)
{
    float scale = (float)s->height;
    int x0 = limit(where.x0 * scale, s->width), x1 = limit(where.x1 * scale + 1, s->width);
    int y0 = limit(where.y0 * scale, s->height), y1 = limit(where.y1 * scale + 1, s->height);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            paint p = with(shape, ((float)x + 0.5f) / scale, ((float)y + 0.5f) / scale);
            if (p.a <= 0)
                continue;
            float *at = s->rgb + 3 * ((size_t)y * (size_t)s->width + (size_t)x);
            at[0] += p.a * (p.r - at[0]);
            at[1] += p.a * (p.g - at[1]);
            at[2] += p.a * (p.b - at[2]);
        }
}

paint sheet_at(const sheet *s, float x, float y)
{
    float fx = x * (float)s->height - 0.5f, fy = y * (float)s->height - 0.5f;
    int x0 = limit(fx, s->width - 2), y0 = limit(fy, s->height - 2);
    float tx = clamp01(fx - (float)x0), ty = clamp01(fy - (float)y0);
    const float *a = s->rgb + 3 * ((size_t)y0 * (size_t)s->width + (size_t)x0);
    const float *b = a + 3 * (size_t)s->width;
    float c[3];
    for (int i = 0; i < 3; i++) {
        float top = a[i] + tx * (a[i + 3] - a[i]), bottom = b[i] + tx * (b[i + 3] - b[i]);
        c[i] = top + ty * (bottom - top);
    }
    return (paint){c[0], c[1], c[2], 1};
}

static uint8_t to_byte(float linear, float grain)
{
    float l = clamp01(linear);
    float s = l <= 0.0031308f ? 12.92f * l : 1.055f * powf(l, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * clamp01(s + grain / 255) + 0.5f);
}

int sheet_save(const sheet *s, float grain, const char *path)
{
    sac_image image = {0};
    sac_error error = {0};
    int width = s->width / SAMPLES, height = s->height / SAMPLES;
    sac_status status = sac_image_create(width, height, &image, &error);
    for (int y = 0; status == SAC_OK && y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum[3] = {0, 0, 0}, speck = grain * (chance(x, y, 77) + chance(x, y, 78) - 1);
            for (int i = 0; i < SAMPLES * SAMPLES; i++) {
                int sx = x * SAMPLES + i % SAMPLES, sy = y * SAMPLES + i / SAMPLES;
                for (int c = 0; c < 3; c++)
                    sum[c] += s->rgb[3 * ((size_t)sy * (size_t)s->width + (size_t)sx) + (size_t)c];
            }
            uint8_t *out = image.rgba + 4 * ((size_t)y * (size_t)width + (size_t)x);
            for (int c = 0; c < 3; c++)
                out[c] = to_byte(sum[c] / (SAMPLES * SAMPLES), speck);
            out[3] = 255;
        }
    if (status == SAC_OK)
        status = sac_png_save(path, &image, NULL, 0, &error);
    if (status != SAC_OK)
        sac_error_print(&error, stderr);
    sac_image_free(&image);
    return status != SAC_OK;
}
