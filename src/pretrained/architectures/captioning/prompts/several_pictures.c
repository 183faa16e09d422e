/* Several pictures in one prompt: each has its tokens, and all of them together are shown as one picture, whose cells are
 * those of each beside one another, with cells of none between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

enum { BESIDE = 3, LONGEST = 4096 }; /* pictures in a row; pixels of a side */

/* Rows of pictures, the cells of each below those of the row before. */
static void place_parts(sac_image_tokens *p)
{
    const int across = p->parts <= BESIDE ? p->parts : (int)ceil(sqrt(p->parts));
    int x = 0, y = 0, high = 0;
    for (int i = 0; i < p->parts; i++) {
        const sac_image_tokens *one = p->part[i];
        if (i % across == 0) {
            y += high + (i > 0);
            x = high = 0;
        }
        p->place[i] = (sac_picture_part){x, y, one->grid_w, one->grid_h};
        x += one->grid_w;
        p->grid_w = x > p->grid_w ? x : p->grid_w;
        x++;
        high = one->grid_h > high ? one->grid_h : high;
    }
    p->grid_h = y + high;
}

/* Tokens [1 + levels,count,D], and where they lie. */
static void gather_tokens(sac_image_tokens *p, size_t levels, size_t D)
{
    float *to = p->tokens;
    sac_token_box *box = p->box;
    for (size_t level = 0; level <= levels; level++)
        for (int i = 0; i < p->parts; i++) {
            const size_t numbers = p->part[i]->count * D;
            memcpy(to, p->part[i]->tokens + level * numbers, numbers * sizeof *to);
            to += numbers;
        }
    for (int i = 0; i < p->parts; i++)
        for (size_t n = 0; n < p->part[i]->count; n++, box++) {
            *box = p->part[i]->box[n];
            box->x += (float)p->place[i].x;
            box->y += (float)p->place[i].y;
        }
}

sac_status sac_pictured_join(const sac_pretrained_model *d, sac_image_tokens *const *parts,
                             int count, sac_image_tokens **joined, sac_error *error)
{
    const size_t levels = (size_t)d->text_decoder.connector.levels;
    sac_image_tokens *p = *joined = calloc(1, sizeof *p);
    if (!p)
        return sac_no_memory(error, d->name);
    p->users = 1;
    p->parts = count;
    for (int i = 0; i < count; i++) {
        p->part[i] = parts[i];
        atomic_fetch_add(&parts[i]->users, 1);
        p->count += parts[i]->count;
    }
    p->tokens = malloc((levels + 1) * p->count * d->width * sizeof *p->tokens);
    p->box = malloc(p->count * sizeof *p->box);
    if (!p->tokens || !p->box) {
        sac_pictured_release(p);
        *joined = NULL;
        return sac_no_memory(error, d->name);
    }
    place_parts(p);
    gather_tokens(p, levels, d->width);
    return SAC_OK;
}

/* Pixels of a cell: as many as the sharpest picture has, in the mean of their forms. */
static void choose_cell_size(const sac_image_tokens *p, const sac_image *pictures, int *width,
                             int *height)
{
    double form = 0, most = 1;
    for (int i = 0; i < p->parts; i++) {
        const double w = (double)pictures[i].width / p->place[i].grid_w;
        const double h = (double)pictures[i].height / p->place[i].grid_h;
        form += log(w / h) / p->parts;
        most = fmax(most, w * h);
    }
    double side = sqrt(most), stretch = exp(form / 2);
    side = fmin(side, LONGEST / (fmax(p->grid_w * stretch, p->grid_h / stretch)));
    *width = (int)fmax(lround(side * stretch), 1);
    *height = (int)fmax(lround(side / stretch), 1);
}

sac_status sac_pictured_show_parts(const sac_image_tokens *p, const sac_image *pictures,
                                   sac_image *shown, sac_error *error)
{
    int across, down;
    choose_cell_size(p, pictures, &across, &down);
    sac_status status = sac_image_create(p->grid_w * across, p->grid_h * down, shown, error);
    for (int i = 0; i < p->parts && status == SAC_OK; i++) {
        const sac_picture_part *at = &p->place[i];
        sac_image one = {0};
        status = sac_resample(&pictures[i], at->grid_w * across, at->grid_h * down,
                              SAC_RESAMPLE_BILINEAR, &one, error);
        for (int y = 0; y < one.height && status == SAC_OK; y++) {
            const size_t row = (size_t)(at->y * down + y) * (size_t)shown->width;
            memcpy(shown->rgba + 4 * (row + (size_t)(at->x * across)),
                   one.rgba + 4 * (size_t)y * (size_t)one.width, 4 * (size_t)one.width);
        }
        sac_image_free(&one);
    }
    if (status != SAC_OK)
        sac_image_free(shown);
    return status;
}
