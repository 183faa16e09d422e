/* Regions in a picture that a sentence gives as tokens: "dog<loc_52><loc_332><loc_932><loc_774>". */
#ifndef SAC_SOURCES_REGIONS_H
#define SAC_SOURCES_REGIONS_H

#include <stdbool.h>

enum {
    SAC_MOST_REGIONS = 64, /* more than fit a sentence */
    SAC_REGION_POINTS = 128,
    SAC_REGION_LABELS = 3072 /* bytes of all labels with their ends */
};

/* How a sentence gives them. */
typedef enum sac_regions_form {
    SAC_REGIONS_NONE = 0,
    SAC_REGIONS_LABELLED,    /* words, and behind them one box or several */
    SAC_REGIONS_BOXES,       /* boxes without words */
    SAC_REGIONS_PHRASES,     /* words and boxes, but for words that name nothing */
    SAC_REGIONS_QUADS,       /* words, and behind them four corners */
    SAC_REGIONS_POLYGONS,    /* the outlines of masks, perhaps behind words */
    SAC_REGIONS_ANY,         /* outlines where there is a "<poly>", else words and boxes */
    SAC_REGIONS_BEFORE_WORDS /* a box, y before x, and behind it words */
} sac_regions_form;

typedef struct sac_region {
    bool is_box;                /* of two points: left and top, right and bottom; else an outline */
    bool asked;                 /* it stands in what the model was asked, and no word gives it */
    int point, points;          /* of regions->bin */
    int label;                  /* where its text begins in regions->labels */
    int thing;                  /* the outlines of one mask have one number */
    int first, end;             /* the words that give the region; … */
    int label_first, label_end; /* … and those that name it */
} sac_region;

/* Zero: the sentence gives none. */
typedef struct sac_regions {
    sac_regions_form form;
    int width, height; /* pixels of the picture that was seen */
    int count, points;
    sac_region region[SAC_MOST_REGIONS];
    int bin[SAC_REGION_POINTS][2]; /* x, y; of 1000, or of 1024 where a box is before its words */
    char labels[SAC_REGION_LABELS];
    int labels_size;
} sac_regions;

/* x (axis 0) or y of a region's point k in shares of the picture; and in its pixels, as the model's
 * own programs round. */
float sac_region_share(const sac_regions *regions, const sac_region *region, int k, int axis);
int sac_region_pixel(const sac_regions *regions, const sac_region *region, int k, int axis);
/* True where a word gives the region, or names it. */
bool sac_region_is_of(const sac_region *region, int word);
/* True for a token that is part of a region: "<loc_52>", "<poly>". */
bool sac_region_is_region_token(const char *token);
const char *sac_region_label(const sac_regions *regions, const sac_region *region);

/* What changes how they are read. */
typedef struct sac_regions_rules {
    const char *const
        *nothing;      /* phrases that name nothing; ends with NULL; NULL: there are none */
    double least_area; /* of four corners, as a share of the picture */
} sac_regions_rules;
/* The phrases that Florence-2 leaves out. */
extern const char *const sac_phrases_of_nothing[];

/* Reads the regions of a text, and of what was asked (NULL: nothing). `word` has the word that each
 * byte of the text is of. What does not fit is left out. */
void sac_regions_read(sac_regions *regions, const char *text, const int *word, const char *asked,
                      const sac_regions_rules *rules);

#endif
