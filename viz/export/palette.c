/* Median cut (Heckbert, 1982) over colours counted in bins: the box of colours with the largest sum
 * of squared distances from its mean is cut in two at the mean of its widest channel. */
#include "export/palette.h"

#include <string.h>

/* Some of the used bins, side by side. */
typedef struct color_box {
    size_t begin, end;
    int channel; /* that spreads most */
    double mean; /* in that channel */
    double error;
} color_box;

static uint32_t bin_of(const uint8_t rgb[3])
{
    uint32_t bin = 0;
    for (int c = 0; c < 3; c++)
        bin = bin << VIZ_PALETTE_BITS | rgb[c] >> (8 - VIZ_PALETTE_BITS);
    return bin;
}

static double bin_mean(const viz_color_bin *bin, int channel)
{
    return (double)bin->sum[channel] / bin->count;
}

void viz_palette_clear(viz_palette *p)
{
    for (size_t i = 0; i < p->used_count; i++)
        p->bins[p->used[i]] = (viz_color_bin){0};
    p->used_count = 0;
    p->count = 0;
}

void viz_palette_count(viz_palette *p, const uint8_t rgb[3])
{
    uint32_t index = bin_of(rgb);
    viz_color_bin *bin = &p->bins[index];
    if (!bin->count++)
        p->used[p->used_count++] = index;
    for (int c = 0; c < 3; c++)
        bin->sum[c] += rgb[c];
}

uint8_t viz_palette_find(const viz_palette *p, const uint8_t rgb[3])
{
    return p->bins[bin_of(rgb)].color;
}

/* Finds the channel in which the box spreads most, and how far the box is from one colour. */
static void measure(const viz_palette *p, color_box *box)
{
    double count = 0, sum[3] = {0}, squares[3] = {0}, most = -1;
    for (size_t i = box->begin; i < box->end; i++) {
        const viz_color_bin *bin = &p->bins[p->used[i]];
        count += bin->count;
        for (int c = 0; c < 3; c++) {
            sum[c] += (double)bin->sum[c];
            squares[c] += bin_mean(bin, c) * (double)bin->sum[c];
        }
    }
    box->error = 0;
    for (int c = 0; c < 3; c++) {
        double spread = squares[c] - sum[c] * sum[c] / count;
        box->error += spread;
        if (spread > most) {
            most = spread;
            box->channel = c;
            box->mean = sum[c] / count;
        }
    }
    if (box->end - box->begin == 1)
        box->error = 0;
}

/* Moves the bins below the mean to the front; where they end. */
static size_t part(viz_palette *p, const color_box *box)
{
    size_t end = box->begin;
    for (size_t i = box->begin; i < box->end; i++)
        if (bin_mean(&p->bins[p->used[i]], box->channel) < box->mean) {
            uint32_t moved = p->used[i];
            p->used[i] = p->used[end];
            p->used[end++] = moved;
        }
    return end;
}

static color_box *worst_box(color_box *boxes, int count)
{
    color_box *worst = boxes;
    for (int i = 1; i < count; i++)
        if (boxes[i].error > worst->error)
            worst = &boxes[i];
    return worst;
}

static void set_color(viz_palette *p, const color_box *box, uint8_t place)
{
    uint64_t sum[3] = {0}, count = 0;
    for (size_t i = box->begin; i < box->end; i++) {
        viz_color_bin *bin = &p->bins[p->used[i]];
        count += bin->count;
        for (int c = 0; c < 3; c++)
            sum[c] += bin->sum[c];
        bin->color = place;
    }
    for (int c = 0; c < 3; c++)
        p->colors[place][c] = (uint8_t)((sum[c] + count / 2) / count);
}

void viz_palette_choose(viz_palette *p, int most)
{
    color_box boxes[256] = {{.end = p->used_count}};
    int count = p->used_count ? 1 : 0;
    if (count)
        measure(p, &boxes[0]);
    while (count && count < most) {
        color_box *box = worst_box(boxes, count);
        size_t middle = part(p, box);
        if (!(box->error > 0) || middle == box->begin || middle == box->end)
            break; /* each box is one colour */
        boxes[count] = (color_box){.begin = middle, .end = box->end};
        box->end = middle;
        measure(p, box);
        measure(p, &boxes[count++]);
    }
    for (int i = 0; i < count; i++)
        set_color(p, &boxes[i], (uint8_t)i);
    p->count = count;
}
