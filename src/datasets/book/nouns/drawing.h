/* How a noun is drawn: a table of parts, from back to front. The build makes the tables of the files *.txt
 * (drawings.awk):
 *
 *     cat sit  variants 3  size 0.195  shadow 36       NOUN POSE and members of sac_drawing
 *         line slot -16 8  -      S22 92 8 90 6 76     FILL PIGMENT SHADE LINE WHEN PATH, as sac_part has them;
 *         flat cream  0 0  v1+v2  B50 60 60 66 62 82   of WHEN, "-" is always
 *         parts head                                   those of "parts head" above, which drawings share
 *
 * Lengths are in units. Unless it gives a foot, a drawing stands with the middle of its foot at (50, 100); y points
 * down. */
#ifndef SAC_BOOK_NOUNS_DRAWING_H
#define SAC_BOOK_NOUNS_DRAWING_H

#include <stdint.h>

#include "book/nouns/nouns.h"

/* How a part is filled with its pigment. */
enum {
    DOWN = 0, /* lighter above, darker below */
    FLAT,
    BALL, /* lit from the upper left */
    GLOW, /* fades out towards its edge */
    LINE  /* a line of the part's width */
};

enum {
    SLOT = 0, /* the colour that the sentence names, or the drawing's own */
    ACCENT,   /* a second colour that captions do not name: clothes, stripes */
    WHITE,
    CREAM,
    INK,
    WOOD,
    BARK,
    LEAF,
    PINE,
    ROOF,
    SLATE,
    THATCH,
    SKIN,
    HAIR,
    BLUSH,
    GOLD,
    AMBER,
    ROSE,
    STEEL,
    GLASS, /* of windows: blue by day, lit at night */
    STONE,
    SNOW,
    DENIM,
    FUR_DARK,
    COLLAR,
    MOONLIGHT, /* these shine by night as by day */
    SUNLIGHT,
    LAMPLIGHT,
    FLAME,
    PIGMENTS
};

/* When a part is there; 0: always. Variants are those of the drawing. */
enum { V1 = 1, V2 = 2, V3 = 4, V4 = 8, ANY_VARIANT = 15, IN_SNOW = 16, AT_NIGHT = 32 };

typedef struct sac_part {
    const char *path; /* see book/paint/path.h */
    uint8_t fill, pigment;
    int8_t shade; /* −100 … 100: darker or lighter than the pigment */
    float line;   /* width of its outline, of the line for LINE; 0: none */
    uint8_t when;
} sac_part;

struct sac_drawing {
    sac_noun noun;
    sac_pose pose;
    const sac_part *parts;
    int count, variants;
    float size;         /* of 100 units at the front of a picture, as a share of its side */
    float foot[2];      /* where it touches what it stands on; (0, 0): (50, 100) */
    float anchor[3][2]; /* a hand, a seat: what other things are fixed to; of each variant, or of
                           the first for those that are (0, 0) */
    float feature[4];   /* x0, y0, x1, y1 of a part with its own word: a roof */
    float shadow;       /* half the width of the shadow below; 0: none */
};

#define PARTS(table) (table), (int)(sizeof(table) / sizeof *(table))

extern const sac_drawing sac_drawings[]; /* [sac_drawing_count] */
extern const int sac_drawing_count;

#endif
