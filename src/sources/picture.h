/* The picture behind a source, the grid of positions over it, and other pictures to turn to; and a
 * picture that attends to itself: what a viewer asks of it, and what it gets. */
#ifndef SAC_SOURCES_PICTURE_H
#define SAC_SOURCES_PICTURE_H

#include "images/image.h"
#include "saccade.h"

typedef struct sac_source sac_source;

/* Everything that changes what is computed. Zero is not the default here: start from
 * sac_picture_defaults. */
typedef struct sac_picture_settings {
    sac_score score;
    float inverse_width;       /* w of the gaussian score: it multiplies the distance */
    float temperature;         /* scores are divided by it */
    float position;            /* weight of a cell's place beside its colour */
    int cells;                 /* on the picture's longer side, 8 to 128 */
    sac_normalizer normalizer; /* makes weights of the scores */
} sac_picture_settings;

sac_picture_settings sac_picture_defaults(void);

typedef struct sac_picture_request {
    sac_picture_settings settings;
    int query_x, query_y;  /* the cell that looks, clamped to the grid */
    const uint8_t *hidden; /* [grid_h,grid_w], 1 = hidden from attention; NULL: none; lent */
    bool rebuild;          /* also Σ weights · cells for every query */
} sac_picture_request;

typedef struct sac_picture_result {
    sac_picture_settings settings;
    int grid_w, grid_h, query_x, query_y;
    float *weights;      /* [grid_h,grid_w], sums to 1; owned */
    float *rebuilt;      /* [grid_h,grid_w,3] sRGB 0 to 1, owned; NULL unless requested */
    float entropy;       /* of the weights, in bits */
    float rebuild_max;   /* the largest weight over all queries, for a shared scale; 0: not known */
    double milliseconds; /* on the device, this result alone */
} sac_picture_result;
void sac_picture_result_free(sac_picture_result *result);

/* The grid that `cells` on the longer side gives a picture: aspect kept, at least 1 each. */
void sac_picture_grid(int width, int height, int cells, int *grid_w, int *grid_h);

/* What a sound is captioned by: all of it, or as much as its model takes at once. */
typedef struct sac_sound_piece {
    int file;  /* of those that were given */
    size_t at; /* the frame of its spectrogram at which it begins */
} sac_sound_piece;

/* One of several pictures that are shown as one: its cells. */
enum { SAC_PICTURE_PARTS = 8 };
typedef struct sac_picture_part {
    int x, y, grid_w, grid_h;
} sac_picture_part;

typedef struct sac_picture_source {
    const sac_image *image; /* what the positions lie over; NULL: nothing; lent by self, and changed
                               by `turn` */
    float
        file_box[4]; /* where the whole picture of a file lies in `image`: x0, y0, x1, y1 in shares
                          of it; zeros: not known */
    int grid_w, grid_h; /* of the positions (after `prefix` of them) over the image */
    sac_picture_part
        part[SAC_PICTURE_PARTS]; /* [parts]: of several pictures that are seen together … */
    char part_file[SAC_PICTURE_PARTS][1024]; /* … and their files */
    int parts;                               /* 0: it is one */
    int most_cells;                          /* of any that is turned to; 0: all have this grid */
    int prefix; /* leading tokens (CLS, registers, a text) that are not cells; more may follow the
                   cells */
    const size_t *cells; /* [grid_h,grid_w] the position of each cell; lent by self; NULL: they
                            follow each other behind the prefix */
    int count, number;   /* how many there are to turn to, and which one this is, from 0 */
    bool scenes;         /* turning past the last makes a new scene */
    bool leads;     /* these were not requested: the first shows itself until the first action */
    bool elsewhere; /* the picture that was turned to last needs another model, so that `turn`
                       failed: the document is opened again for it */

    const sac_image *next; /* the pixels of the picture that is turned to next, where the caller has
                              them already: it sets this before, and clears it after; lent; NULL */

    /* The attention of one cell of the picture over all others. */
    sac_status (*attend)(void *self, const sac_picture_request *request, sac_picture_result *result,
                         sac_error *error);
    /* Turns to another picture, or sentence: image, number and the source's title change, and of a
     * generator text and truth. See sac_source_turn_to_example (sources/result_source.h). */
    sac_status (*turn)(sac_source *source, int picture, sac_error *error);
    /* The pictures that there are by now, of which `count` is a copy: captions of a sound make its next piece known,
     * which is then behind the one before. NULL: `count` stays. */
    int (*counted)(const void *self);
    /* Of sounds these are pieces, *count of them, lent; a source that is opened anew takes them. NULL: none are. */
    const sac_sound_piece *(*pieces)(const void *self, int *count);
    int file; /* of those that were given, the one that this is a piece of, where there is counted() */
} sac_picture_source;

#endif
