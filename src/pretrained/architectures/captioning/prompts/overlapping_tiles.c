/* Moondream's: tiles overlap, and what is seen in them is joined to one picture, whose parts are averaged to as many as all of the
 * picture has tokens. Of each token these numbers stand behind those that were seen in all of the picture. */
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_joined_tiles joined;

/* The tile that gives a place of the joined picture, along a side of `tiles` of `patches` each. */
static int tile_at(int at, int patches, int margin, int tiles)
{
    const int tile = at < margin ? 0 : (at - margin) / (patches - 2 * margin);
    return tile < tiles ? tile : tiles - 1;
}

/* The number of a patch of the joined picture, tile after tile. */
static size_t patch_at(const joined *j, int x, int y)
{
    const int step_x = j->across - 2 * j->margin, step_y = j->down - 2 * j->margin;
    const int high = (j->height - 2 * j->margin) / step_y;
    const int u = tile_at(x, j->across, j->margin, j->wide),
              v = tile_at(y, j->down, j->margin, high);
    const int in = (y - v * step_y) * j->across + x - u * step_x;
    return (size_t)(v * j->wide + u) * (size_t)(j->across * j->down) + (size_t)in;
}

/* The patches whose mean token `at` of `tokens` has, along a side of `patches`, as torch's adaptive_avg_pool2d has them. */
static int pooled_from(int at, int tokens, int patches)
{
    return at * patches / tokens;
}
static int pooled_to(int at, int tokens, int patches)
{
    return ((at + 1) * patches + tokens - 1) / tokens;
}

/* Adds `factor` times each patch that token n has the mean of, [·,D] tile after tile, to `token` [D]; or, where `spreads`, the token
 * to them. */
static void pool(const joined *j, int n, size_t D, float factor, bool spreads, float *patches,
                 float *token)
{
    const int x = n % j->across, y = n / j->across;
    const int left = pooled_from(x, j->across, j->width), right = pooled_to(x, j->across, j->width);
    const int above = pooled_from(y, j->down, j->height), below = pooled_to(y, j->down, j->height);
    const float share = factor / (float)((right - left) * (below - above));
    for (int v = above; v < below; v++)
        for (int u = left; u < right; u++) {
            float *patch = patches + patch_at(j, u, v) * D;
            for (size_t k = 0; k < D; k++)
                if (spreads)
                    patch[k] += share * token[k];
                else
                    token[k] += share * patch[k];
        }
}

sac_status sac_pictured_average(const sac_picture_tiles *tiles, int across, int down, int margin,
                                size_t D, float **features, sac_image_tokens *p, sac_error *error)
{
    const int wide = tiles->across ? tiles->across : 1, high = tiles->down ? tiles->down : 1;
    const size_t each = (size_t)(across * down);
    const float *whole = *features + (size_t)(tiles->count - 1) * each * D;
    p->joined = (joined){.across = across,
                         .down = down,
                         .wide = wide,
                         .width = wide * (across - 2 * margin) + 2 * margin,
                         .height = high * (down - 2 * margin) + 2 * margin,
                         .overlaps = true,
                         .margin = margin};
    float *both = calloc(each * 2 * D, sizeof *both);
    if (!both)
        return sac_no_memory(error, "picture");
    for (size_t n = 0; n < each; n++) {
        memcpy(both + 2 * n * D, whole + n * D, D * sizeof *both);
        pool(&p->joined, (int)n, D, 1, false, *features, both + (2 * n + 1) * D);
    }
    free(*features);
    *features = both;
    return SAC_OK;
}

void sac_pictured_spread(const sac_image_tokens *p, const float *row, float *seen)
{
    const size_t each = (size_t)(p->joined.across * p->joined.down);
    memset(seen, 0, p->tiles * each * sizeof *seen);
    for (size_t n = 0; n < each; n++) {
        float weight = row[n];
        seen[(p->tiles - 1) * each + n] += weight / 2;
        pool(&p->joined, (int)n, 1, 0.5f, true, seen, &weight);
    }
}

void sac_pictured_place_spread(const sac_image_tokens *p, sac_token_box *box)
{
    const joined *j = &p->joined;
    const int each = j->across * j->down;
    const float w = (float)p->grid_w / (float)j->width, h = (float)p->grid_h / (float)j->height;
    for (int i = 0; i < (int)(p->tiles - 1) * each; i++, box++) {
        const int tile = i / each, in = i % each;
        const int x = tile % j->wide * (j->across - 2 * j->margin) + in % j->across;
        const int y = tile / j->wide * (j->down - 2 * j->margin) + in / j->across;
        *box = (sac_token_box){(float)x * w, (float)y * h, w, h};
    }
    memcpy(box, p->box, (size_t)each * sizeof *box);
}
