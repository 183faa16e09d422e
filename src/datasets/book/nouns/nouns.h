/* The nouns of the picture book, and how each is drawn. */
#ifndef SAC_BOOK_NOUNS_NOUNS_H
#define SAC_BOOK_NOUNS_NOUNS_H

#include "book/paint/canvas.h"

/* The order is part of the vocabulary and only ever grows at the end. */
typedef enum sac_noun {
    SAC_SUN = 0,
    SAC_MOON,
    SAC_STAR,
    SAC_CLOUD,
    SAC_PLANE,
    SAC_ROCKET,
    SAC_KITE,
    SAC_BALLOON,
    SAC_FIR,
    SAC_TREE,
    SAC_FLOWER,
    SAC_MUSHROOM,
    SAC_APPLE,
    SAC_HOUSE,
    SAC_LIGHTHOUSE,
    SAC_FENCE,
    SAC_CASTLE,
    SAC_TENT,
    SAC_LAMP,
    SAC_BENCH,
    SAC_CAR,
    SAC_BUS,
    SAC_TRUCK,
    SAC_TRAIN,
    SAC_BOAT,
    SAC_BIRD,
    SAC_FISH,
    SAC_CAT,
    SAC_DOG,
    SAC_RABBIT,
    SAC_DUCK,
    SAC_COW,
    SAC_SHEEP,
    SAC_PIG,
    SAC_FOX,
    SAC_WHALE,
    SAC_BUTTERFLY,
    SAC_CHILD,
    SAC_SNOWMAN,
    SAC_BALL,
    SAC_UMBRELLA,
    SAC_NOUNS
} sac_noun;

/* What a thing is drawn doing. */
typedef enum sac_pose {
    SAC_POSE_REST = 0, /* standing, or as the thing is */
    SAC_POSE_FLY,
    SAC_POSE_RUN,
    SAC_POSE_SIT,
    SAC_POSE_SLEEP,
    SAC_POSE_HOLD /* a hand up */
} sac_pose;

/* The colours that sentences name. */
typedef enum sac_colour {
    SAC_RED = 0,
    SAC_ORANGE,
    SAC_YELLOW,
    SAC_GREEN,
    SAC_BLUE,
    SAC_PURPLE,
    SAC_PINK,
    SAC_WHITE,
    SAC_BLACK,
    SAC_BROWN,
    SAC_GREY,
    SAC_BOOK_COLOURS
} sac_colour;

typedef struct sac_drawing sac_drawing;

/* The light of an hour: what it makes of colours, and of windows and lamps. */
typedef struct sac_light {
    float tint[3], haze[3]; /* a colour is multiplied by the one, then mixed with the other … */
    float thickness;        /* … by this share */
    bool night, snow;       /* lamps are lit; snow lies on what stands outside */
} sac_light;

/* One drawing in one place: all that painting needs. Lengths are shares of the picture's side. */
typedef struct sac_figure {
    const sac_drawing *drawing;
    int variant;
    bool flipped;
    float x, y, scale, tilt; /* of its foot; of 100 units; radians, clockwise, small */
    float rgb[3], accent[3]; /* of slot and accent */
    uint32_t odd; /* not 0: a seed of any colours for beaks, roofs and other details … */
    bool patched; /* … and for each part that else has the colour of the slot */
} sac_figure;

/* A drawing of that noun and pose; NULL: there is none. */
const sac_drawing *sac_drawing_find(sac_noun noun, sac_pose pose);
/* Bodies that no noun names. */
const sac_drawing *sac_drawing_nameless(void);
int sac_drawing_variants(const sac_drawing *drawing);
/* The usual scale at the front of a picture. */
float sac_drawing_scale(const sac_drawing *drawing);

/* box: x0, y0, x1, y1 of what is drawn of it, without glow and shadow; may reach beyond the
 * picture. */
void sac_figure_box(const sac_figure *figure, float box[4]);
/* The same of its part with a word of its own, such as a roof. */
void sac_figure_feature_box(const sac_figure *figure, float box[4]);
/* Where other things are fixed to it: its hand, its seat. */
void sac_figure_anchor(const sac_figure *figure, float point[2]);

/* The parts of it that have the colour of the slot. */
int sac_figure_slot_count(const sac_figure *figure);

void sac_figure_paint(const sac_figure *figure, const sac_light *light, sac_canvas *canvas);
/* The soft shadow that it throws onto what it stands on. */
void sac_figure_paint_shadow(const sac_figure *figure, const sac_light *light, sac_canvas *canvas);

/* rgb as it looks in that light; `shade` −100 … 100 makes it darker or lighter first. */
void sac_light_colour(const sac_light *light, const float rgb[3], float shade, float lit[3]);

#endif
