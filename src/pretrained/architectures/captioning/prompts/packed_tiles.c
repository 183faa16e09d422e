/* LLaVA-NeXT's and LLaVA-OneVision's: tiles are parts of one picture, of which what filled it up is
 * taken off, and that is made smaller where it has more tokens than a number of tiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_joined_tiles joined;

/* The number of a token, tile after tile. */
static size_t token_at(const joined *j, int x, int y)
{
    x += j->left;
    y += j->above;
    size_t tile = (size_t)(y / j->down * j->wide + x / j->across);
    size_t in = (size_t)(y % j->down * j->across + x % j->across);
    return tile * (size_t)(j->across * j->down) + in;
}

/* What transformers leaves of the rows and columns that were filled up: the same on both sides. */
static void crop_padding(joined *j, const sac_picture_size *from)
{
    double aspect = (double)from->width / from->height, own = (double)j->width / j->height;
    bool is_flat = aspect > own;
    double scale = is_flat ? (double)j->width / from->width : (double)j->height / from->height;
    double exact = (is_flat ? from->height : from->width) * scale;
    int side = (int)(rint(exact * 1e7) / 1e7), all = is_flat ? j->height : j->width;
    int border = (all - side) / 2;
    j->left = is_flat ? 0 : border;
    j->above = is_flat ? border : 0;
    j->width -= 2 * j->left;
    j->height -= 2 * j->above;
}

/* The two tokens on both sides of token i of `to`, where there were `from`, and the share of the
 * second: bilinear, with align_corners=False. */
static float find_bilinear_neighbours(int i, int from, int to, int *first, int *second)
{
    float at = fmaxf(((float)i + 0.5f) * (float)from / (float)to - 0.5f, 0);
    *first = (int)at;
    *second = *first + (*first < from - 1);
    return at - (float)*first;
}

/* The four tokens between which token (x,y) of width × height of them lies, and the share of each. */
typedef struct corners {
    size_t token[4];
    float share[4];
} corners;

static corners interpolation_corners(const joined *j, int x, int y, int width, int height)
{
    int x0, x1, y0, y1;
    float right = find_bilinear_neighbours(x, j->width, width, &x0, &x1);
    float below = find_bilinear_neighbours(y, j->height, height, &y0, &y1);
    return (corners){
        {token_at(j, x0, y0), token_at(j, x1, y0), token_at(j, x0, y1), token_at(j, x1, y1)},
        {(1 - below) * (1 - right), (1 - below) * right, below * (1 - right), below * right}};
}

sac_status sac_pictured_pack(sac_pretrained_model *d, const sac_picture_tiles *tiles, int across,
                             int down, sac_image_tokens *p, sac_error *error)
{
    const size_t D = d->width, each = (size_t)(across * down);
    joined j = {across, down, tiles->across, .width = across * tiles->across,
                .height = down * tiles->down};
    crop_padding(&j, &tiles->from);
    int width = j.width, height = j.height;
    double over =
        sqrt((double)width * height / ((double)d->text_decoder.connector.most_tiles * down * down));
    if (d->text_decoder.connector.most_tiles && over > 1.1) {
        width = (int)floor(width / over);
        height = (int)floor(height / over);
    }
    size_t count = each + (size_t)(width + 1) * (size_t)height;
    float *tokens = malloc(count * D * sizeof *tokens), *to = tokens + each * D;
    sac_token_box *boxes = calloc(count, sizeof *boxes), *box = boxes + each;
    sac_device_lock(d->device);
    float *row_end = sac_model_read_parameter(d, d->text_decoder.connector.row_end);
    sac_status status = sac_model_end_pass(d, NULL, error);
    if (status == SAC_OK && (!tokens || !boxes))
        status = sac_no_memory(error, d->name);
    if (status != SAC_OK) {
        free(tokens);
        free(row_end);
        free(boxes);
        return status;
    }
    float wide = (float)width / (float)across, high = (float)height / (float)down;
    memcpy(tokens, p->tokens + (p->count - each) * D, each * D * sizeof *tokens);
    for (int n = 0; n < across * down; n++)
        boxes[n] =
            (sac_token_box){(float)(n % across) * wide, (float)(n / across) * high, wide, high};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++, to += D) {
            const corners c = interpolation_corners(&j, x, y, width, height);
            memset(to, 0, D * sizeof *to);
            for (size_t i = 0; i < 4 * D; i++)
                to[i / 4] += c.share[i % 4] * p->tokens[c.token[i % 4] * D + i / 4];
            *box++ = (sac_token_box){(float)x, (float)y, 1, 1};
        }
        memcpy(to, row_end, D * sizeof *to);
        to += D;
        box++; /* it lies nowhere */
    }
    free(row_end);
    free(p->tokens);
    free(p->box);
    p->tokens = tokens;
    p->box = boxes;
    p->count = count;
    p->joined = j;
    p->grid_w = width;
    p->grid_h = height;
    return SAC_OK;
}

void sac_pictured_unpack(const sac_image_tokens *p, const float *row, float *seen)
{
    const joined *j = &p->joined;
    const size_t each = (size_t)(j->across * j->down);
    memset(seen, 0, p->tiles * each * sizeof *seen);
    memcpy(seen + (p->tiles - 1) * each, row, each * sizeof *seen);
    row += each;
    for (int y = 0; y < p->grid_h; y++, row++) /* and over its end */
        for (int x = 0; x < p->grid_w; x++, row++) {
            const corners c = interpolation_corners(j, x, y, p->grid_w, p->grid_h);
            for (int k = 0; k < 4; k++)
                seen[c.token[k]] += c.share[k] * *row;
        }
}

/* From `at` of tokens on one of them, on a side of so many cells that shows `tokens` from `first` on. */
static void find_token_extent(int at, int first, int tokens, int cells, float *begin, float *length)
{
    const float one = (float)cells / (float)tokens, most = (float)cells;
    float end = fminf(fmaxf((float)(at + 1 - first) * one, 0), most);
    *begin = fminf(fmaxf((float)(at - first) * one, 0), most);
    *length = end - *begin;
}

void sac_pictured_place_unpacked(const sac_image_tokens *p, sac_token_box *box)
{
    const joined *j = &p->joined;
    const int each = j->across * j->down;
    for (int i = 0; i < (int)(p->tiles - 1) * each; i++, box++) {
        int tile = i / each, in = i % each;
        find_token_extent(tile % j->wide * j->across + in % j->across, j->left, j->width, p->grid_w,
                          &box->x, &box->width);
        find_token_extent(tile / j->wide * j->down + in / j->across, j->above, j->height, p->grid_h,
                          &box->y, &box->height);
    }
    memcpy(box, p->box, (size_t)each * sizeof *box);
}
