/* LLaVA-OneVision's: tiles are parts of one picture, of which what filled it up is taken off, and that
 * is made smaller where it has more tokens than a number of tiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

/* Tokens of all tiles, before they are packed. */
typedef struct joined {
    const float *tokens; /* of tile after tile, [down,across,D] each */
    int across, down, wide;
    int left, above, width, height; /* of all tiles together, what shows the picture */
    size_t D;
} joined;

static const float *token_at(const joined *j, int x, int y)
{
    x += j->left;
    y += j->above;
    size_t tile = (size_t)(y / j->down * j->wide + x / j->across);
    size_t in = (size_t)(y % j->down * j->across + x % j->across);
    return j->tokens + (tile * (size_t)(j->across * j->down) + in) * j->D;
}

/* What transformers leaves of the rows and columns that were filled up: the same on both sides. */
static void leave_out(joined *j, const sac_picture_size *from)
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
static float between(int i, int from, int to, int *first, int *second)
{
    float at = fmaxf(((float)i + 0.5f) * (float)from / (float)to - 0.5f, 0);
    *first = (int)at;
    *second = *first + (*first < from - 1);
    return at - (float)*first;
}

/* Token (x,y) of width × height of them. */
static void take(const joined *j, int x, int y, int width, int height, float *token)
{
    int x0, x1, y0, y1;
    float right = between(x, j->width, width, &x0, &x1);
    float below = between(y, j->height, height, &y0, &y1);
    const float *a = token_at(j, x0, y0), *b = token_at(j, x1, y0);
    const float *c = token_at(j, x0, y1), *d = token_at(j, x1, y1);
    for (size_t i = 0; i < j->D; i++)
        token[i] = (1 - below) * ((1 - right) * a[i] + right * b[i]) +
                   below * ((1 - right) * c[i] + right * d[i]);
}

static sac_status read_row_end(const sac_pretrained_model *d, float *row_end, sac_error *error)
{
    sac_pass pass;
    sac_device_lock(d->device);
    sac_pass_open(&pass, d->device);
    sac_pass_read(&pass, d->text_decoder.connector.row_end->value, row_end);
    sac_status status = sac_pass_end(&pass, error);
    sac_pass_close(&pass);
    sac_device_unlock(d->device);
    return status;
}

sac_status sac_pictured_pack(const sac_pretrained_model *d, const sac_picture_tiles *tiles,
                             int across, int down, sac_pictured *p, sac_error *error)
{
    const size_t D = d->width, each = (size_t)(across * down);
    joined j = {p->tokens,
                across,
                down,
                tiles->across,
                .width = across * tiles->across,
                .height = down * tiles->down,
                .D = D};
    leave_out(&j, &tiles->from);
    int width = j.width, height = j.height;
    double over =
        sqrt((double)width * height / ((double)d->text_decoder.connector.most_tiles * down * down));
    if (over > 1.1) {
        width = (int)floor(width / over);
        height = (int)floor(height / over);
    }
    size_t count = each + (size_t)(width + 1) * (size_t)height;
    float *tokens = malloc(count * D * sizeof *tokens), *to = tokens + each * D;
    float *row_end = malloc(D * sizeof *row_end);
    sac_token_box *boxes = calloc(count, sizeof *boxes), *box = boxes + each;
    sac_status status = tokens && row_end && boxes ? read_row_end(d, row_end, error)
                                                   : sac_no_memory(error, d->name);
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
            take(&j, x, y, width, height, to);
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
    p->tiles = 0;
    p->grid_w = width;
    p->grid_h = height;
    return SAC_OK;
}
