/* The album: photographs with captions that a captioner learns from. What the first parts of its
 * network make of a few views of each, as far as they stay as they are, is computed once and kept in
 * a file; or the network sees another view each time. */
#ifndef SAC_CAPTIONER_ALBUM_H
#define SAC_CAPTIONER_ALBUM_H

#include "captioner/model.h"
#include "captioner/photographs/feature_cache.h"
#include "models/batches.h"
#include "pictures/instances.h"
#include "pictures/pictures.h"

/* View 0 is the picture as it is, 1 is mirrored; those after them are crops of three quarters of a
 * side or more, every other one mirrored. The crop depends on the view's number and the picture. */
static inline bool sac_view_is_mirrored(int view)
{
    return view % 2;
}

typedef struct sac_album_options {
    sac_pictures_options pictures;
    const char *boxes;  /* of what pictures show (pictures/instances.h); NULL: none */
    const char *cache;  /* the file of features */
    double cache_limit; /* bytes of it, at most */
    int views; /* of each picture that is trained on; 0: a new one each time, and nothing is kept. The
                  others have view 0 */
    bool rewards; /* captions of the training pictures are scored */
} sac_album_options;

typedef struct sac_album {
    sac_pictures pictures;
    size_t *of_split[SAC_SPLITS]; /* numbers of pictures */
    sac_instances instances;      /* boxes … */
    int *category_of_word; /* … and [vocabulary.count] what words name, or −1; NULL: no boxes */
    sac_feature_cache *cache; /* NULL: nothing is kept */
    uint64_t *keys;           /* [pictures.count], of view 0 */
    uint64_t network;         /* hash of all that features depend on beside the picture */
    int views;
    /* It is known which words of the captions name a side, so that they are exchanged in mirrored views:
     * the captions are English, or have both words of a pair (sac_caption_names_sides). Else views are the
     * even ones, of which none is mirrored. */
    bool mirrors;
    struct sac_cider *cider;           /* of the training pictures; NULL: they are not scored */
    const struct sac_encoder *encoder; /* that sees them, … */
    const sac_captioner_shape *shape;  /* … of this shape; lent by the captioner */
} sac_album;

/* The number of the `index`-th view of a picture to learn from: of those that are kept, or any that is cut. */
static inline int sac_album_view(const sac_album *album, int index)
{
    if (!album->views)
        return 2 + (album->mirrors ? index : index & ~1);
    return album->mirrors ? index : 2 * index;
}

/* Opens captioner->album, unless it is open, in the captioner's words, and computes what is not in
 * the file yet; where nothing is kept, captioner->first becomes 0. Pictures for training and validation alone. Pictures that cannot be read are left
 * out, and counted. SAC_E_ARGUMENT where the file would become too large, or nothing is left to
 * train on; SAC_E_CANCELLED, and what was computed stays. */
sac_status sac_album_open(sac_captioner *captioner, const sac_album_options *options,
                          sac_error *error);
void sac_album_close(sac_album *album); /* takes NULL */

/* What comes into the network's part captioner->first, for a picture's view: so many numbers. On any
 * thread. */
size_t sac_album_grid_numbers(const sac_captioner *captioner);
sac_status sac_album_grid(const sac_album *album, size_t picture, int view, float *grid,
                          sac_error *error);

/* The share of each of grid × grid cells of a view that lies in the boxes of what the word names. False, and all are 0,
 * where it names nothing that has a box there. */
bool sac_album_cover(const sac_album *album, size_t picture, int view, int word, int grid,
                     float *cover);

/* Encodes a picture's view 0, to generate from; `grid` has room for its numbers. */
sac_status sac_album_encode(sac_captioner *captioner, size_t picture, float *grid,
                            sac_error *error);

/* Batches of `size` photographs with all their captions, each photograph once an epoch. */
sac_status sac_album_batches(const sac_captioner *captioner, size_t size, uint32_t seed,
                             sac_batch_maker *maker, sac_error *error);

/* True where one of its captions has the word. */
bool sac_picture_has_word(const sac_captioned_picture *picture, int word);

/* Those that are held out, or where none are those that are trained on, for the monitor. */
sac_status sac_album_watch(const sac_captioner *captioner, sac_watched *watched, sac_error *error);

/* CIDEr-D of greedy captions of pictures that are held out, of some of them where they are many;
 * NaN where there are none. */
sac_status sac_album_judge(sac_captioner *captioner, double *score, sac_error *error);

#endif
