/* The parts of a page: the program that the browser runs, and maps of weights. */
#ifndef VIZ_HTML_PARTS_H
#define VIZ_HTML_PARTS_H

#include "view/view.h"

/* What stands before and after the data of a page (embed.cmake). */
extern const char viz_html_head[], viz_html_tail[];
extern const char viz_html_lesson_head[], viz_html_lesson_tail[];
extern const char viz_html_lecture_head[], viz_html_lecture_tail[];

/* "name":"rrggbb…" of the 256 colours of a table. */
void viz_html_put_colors(FILE *file, const char *name, const viz_color *colors);
/* The page of the lesson that the view shows, or of all of them where it shows none, into `file`. */
sac_status viz_html_put_lessons(FILE *file, viz_view *view, bool light, sac_error *error);

/* Maps of one kind, all of the same heads: read from a source's weights, or in memory. */
typedef struct viz_html_maps {
    const char *name;                 /* "encoder"; empty: the only ones */
    sac_source *source;               /* its weights, or else … */
    const float *weights;             /* … [layers,heads,steps,positions]; lent */
    const sac_labels *rows, *columns; /* of those in memory; NULL: none */
    size_t layers, heads, steps, positions;
    bool is_causal;     /* of those in memory: a step sees no position after it */
    int grid_w, grid_h; /* the positions are cells of the picture; 0: they are not */
} viz_html_maps;

/* What of the maps is written. */
typedef struct viz_html_range {
    size_t item, items, layer, layers, head, heads;
} viz_html_range;

/* Weights in a byte each, of all maps of a page. Zeroed: none. */
typedef struct viz_html_bytes {
    struct viz_html_block *blocks; /* owned */
    size_t count, room;
    size_t of_code[256]; /* how often each occurs */
    double weights;      /* how many there are */
} viz_html_bytes;

/* Chooses as much around (item, layer, head) as a page holds, with what is left out in `note`
 * ("layer 3 alone"); empty: nothing is. SAC_E_SHAPE where even one map is too large. */
sac_status viz_html_choose(const viz_html_maps *maps, size_t item, size_t layer, size_t head,
                           viz_html_range *range, char *note, size_t note_size, sac_error *error);
/* Reads them; `set` is the number of these maps on the page. */
sac_status viz_html_read(const viz_html_maps *maps, const viz_html_range *range, int set,
                         const sac_progress *progress, viz_html_bytes *bytes, sac_error *error);
/* Queries and keys of all heads of a set, of which the page can compute other weights. Zeroed: none. */
typedef struct viz_html_vectors {
    sac_score score;
    double scale, inverse_width, temperature;
    size_t dim, heads, steps, positions;
    bool has_w_v;
    float *numbers; /* owned; NULL: there are none, or too many */
} viz_html_vectors;

/* Reads them, where the source has them and all is alike but the numbers; free `numbers`. */
sac_status viz_html_read_vectors(const viz_html_maps *maps, const viz_html_range *range,
                                 viz_html_vectors *vectors, sac_error *error);
void viz_html_put_vector_sizes(FILE *file, const viz_html_vectors *vectors); /* a member of JSON */
sac_status viz_html_put_vectors(FILE *file, const viz_html_vectors *vectors, sac_error *error);

/* Writes names, sizes and labels as an object of JSON. */
void viz_html_put_maps(FILE *file, const viz_html_maps *maps, const viz_html_range *range,
                       float most);
/* The largest weight of a set. */
float viz_html_most(const viz_html_bytes *bytes, int set);
/* The number of levels of the weights: the most with which the page stays below
 * VIZ_HTML_LARGEST bytes. */
int viz_html_levels(const viz_html_bytes *bytes);
/* A script element for each layer of each item, which holds its maps, compressed. */
sac_status viz_html_put_weights(FILE *file, viz_html_bytes *bytes, int levels, sac_error *error);
void viz_html_bytes_free(viz_html_bytes *bytes);

enum { VIZ_HTML_LARGEST = 25000000 };

#endif
