/* Held-out photographs that the monitor shows while a captioner trains. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/decode/encode.h"
#include "captioner/photographs/album.h"
#include "images/resample.h"

enum { SHOWN = 6, SHOWN_SIDE = 224 };

typedef struct watched_photographs {
    const sac_album *album;
    size_t picture[SHOWN];
    float *grid;
} watched_photographs;

static const sac_captioned_picture *item_of(const watched_photographs *w, int index)
{
    return &w->album->pictures.items[w->picture[index]];
}

/* Squeezed to a square, as the network sees it: so its cells lie where they belong. */
static sac_status show(void *self, int index, sac_image *picture, char *truth, size_t size,
                       sac_error *error)
{
    const watched_photographs *w = self;
    sac_image image = {0};
    sac_status status = sac_image_load(item_of(w, index)->path, &image, error);
    if (status == SAC_OK)
        status = sac_resample(&image, SHOWN_SIDE, SHOWN_SIDE, SAC_RESAMPLE_BICUBIC, picture, error);
    sac_image_free(&image);
    snprintf(truth, size, "%s", item_of(w, index)->captions[0].plain);
    return status;
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    watched_photographs *w = self;
    return sac_album_encode((sac_captioner *)model, w->picture[index], w->grid, error);
}

/* One of those that people gave. */
static bool is_exact(void *self, int index, const sac_result *caption)
{
    const watched_photographs *w = self;
    const sac_captioned_picture *item = item_of(w, index);
    for (int k = 0; k < item->caption_count; k++) {
        const sac_picture_caption *own = &item->captions[k];
        bool same = caption->finished && caption->count == own->count;
        for (int i = 0; same && i < own->count; i++)
            same = caption->outputs[i].word == own->words[i];
        if (same)
            return true;
    }
    return false;
}

static void destroy(void *self)
{
    watched_photographs *w = self;
    if (w)
        free(w->grid);
    free(w);
}

sac_status sac_album_watch(const sac_captioner *c, sac_watched *watched, sac_error *error)
{
    const sac_album *album = c->album;
    sac_pictures_split split =
        album->pictures.of_split[SAC_SPLIT_VAL] ? SAC_SPLIT_VAL : SAC_SPLIT_TRAIN;
    size_t all = album->pictures.of_split[split];
    int count = all < SHOWN ? (int)all : SHOWN;
    watched_photographs *w = calloc(1, sizeof *w);
    if (w)
        w->grid = malloc(sac_album_grid_numbers(c) * sizeof *w->grid);
    if (!w || !w->grid) {
        destroy(w);
        return sac_no_memory(error, "training");
    }
    w->album = album;
    for (int i = 0; i < count; i++)
        w->picture[i] = album->of_split[split][(size_t)i * all / (size_t)count];
    *watched = (sac_watched){w, count, count, show, encode, is_exact, destroy};
    return SAC_OK;
}
