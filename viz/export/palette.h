/* The colours that stand for those of a picture, by median cut. */
#ifndef VIZ_EXPORT_PALETTE_H
#define VIZ_EXPORT_PALETTE_H

#include "saccade.h"

#define VIZ_PALETTE_BITS 6 /* of each channel, by which colours are counted */
#define VIZ_PALETTE_BINS (1 << 3 * VIZ_PALETTE_BITS)

/* Colours that share their first bits are counted as one, at their mean. */
typedef struct viz_color_bin {
    uint64_t sum[3];
    uint32_t count;
    uint8_t color; /* its place in the palette */
} viz_color_bin;

/* About 8 MB; zeroed before the first picture. */
typedef struct viz_palette {
    viz_color_bin bins[VIZ_PALETTE_BINS];
    uint32_t used[VIZ_PALETTE_BINS]; /* bins that are not empty */
    size_t used_count;
    uint8_t colors[256][3];
    int count;
} viz_palette;

void viz_palette_clear(viz_palette *palette);
void viz_palette_count(viz_palette *palette, const uint8_t rgb[3]);
/* Chooses at most `most` colours for what was counted. */
void viz_palette_choose(viz_palette *palette, int most);
/* The colour that stands for one that was counted. */
uint8_t viz_palette_find(const viz_palette *palette, const uint8_t rgb[3]);

#endif
