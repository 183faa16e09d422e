/* Synthetic scenes and their ground truth: up to five flat objects on a ground, one sentence that
 * describes them, and the object that each word describes. The same stream and seed give the same
 * scene, to the last pixel, on every machine: nothing here depends on libm or on fused products.
 *
 * The sentence. Objects are mentioned in one order: large before small, then from left to right (by
 * the centre's x). One object: "a large red circle". Two: "a small blue square left of a large
 * green star", where the relation is the place of the first as seen from the second, along the
 * longer way between the centres. More: "A above B and C and D". An empty ground: "nothing". Large
 * is a box whose longer side is 0.29 of the picture's or more, small one of 0.22 or less; in plain
 * scenes 0.3 and 0.215. Scenes whose sentence could be disputed (centres of two objects of one size
 * nearly above one another, ways of nearly equal length, sizes between small and large, squares
 * that are turned until they look like diamonds) are never made.
 *
 * Two manners of drawing. Plain: one to three filled shapes, nearly upright, on a plain, graded or
 * noisy ground. Varied: any size and angle; filled, outlined, hatched, wobbly; narrow and wide
 * forms; uneven grounds; shadows, blur and noise (look.c has the shares). */
#ifndef SAC_SHAPES_SCENE_H
#define SAC_SHAPES_SCENE_H

#include "images/image.h"
#include "shapes/vocabulary.h"

enum {
    SAC_SCENE_OBJECTS = 5,
    SAC_SCENE_WORDS = 26, /* the longest sentence (25) and its end */
    SAC_SCENE_SIDE = 448  /* pixels of a scene as `saccade scene` draws it */
};

/* Streams never share a scene. Both test streams show a pair of colour and shape that is held back
 * in half of their scenes (see sac_scene_has_unseen_pair). */
typedef enum sac_stream {
    SAC_STREAM_TEST = 0, /* plain */
    SAC_STREAM_TRAINING, /* a quarter plain, the rest varied; without the pairs held back */
    SAC_STREAM_VARIED,   /* test scenes in the varied manner */
    SAC_STREAM_ALL_PAIRS /* as training, with all pairs: for a model that is not evaluated */
} sac_stream;
/* "test", "training", "varied", "all-pairs". */
const char *sac_stream_name(sac_stream stream);
/* False where there is none of that name. */
bool sac_stream_find(const char *name, sac_stream *stream);

typedef enum sac_fill {
    SAC_FILL_SOLID = 0,
    SAC_FILL_GRADED,   /* from rgb to second_rgb, along `slant` */
    SAC_FILL_STRIPED,  /* rgb and second_rgb in turn, along `slant`: of objects without a colour */
    SAC_FILL_BORDERED, /* a line of second_rgb inside of the outline */
    SAC_FILL_HOLLOW,   /* that line alone, of rgb; the ground is seen inside */
    SAC_FILL_HATCHED   /* strokes of rgb along `slant`, and such a line where it has a width */
} sac_fill;

/* All lengths are shares of the picture's side, y down. Everything from `lean` on is 0 in plain
 * scenes. */
typedef struct sac_scene_object {
    int colour, shape; /* 0 … SAC_COLOURS − 1, 0 … SAC_SHAPES − 1; either may be SAC_UNNAMED */
    bool large;
    float x, y, size, angle; /* centre and longer side of the box; radians */
    float form;     /* 0 … 1 in plain scenes: how deep a star is, how wide a cross's bars,
                       how tall a triangle; a diamond is narrow below 0 */
    float box[4];   /* x0, y0, x1, y1 of what is drawn: the whole shape, even if it is hollow or
                       hatched, as its inside shows what it is */
    uint8_t rgb[3]; /* sRGB: the colour's word covers a range */
    float lean;     /* of a triangle's tip, −1 … 1: a right angle at the ends */
    float wobble;   /* how far a hand strays from the outline: a share of the size */
    sac_fill fill;
    float line;          /* width of the outline's line */
    float stroke, slant; /* hatching: from stroke to stroke; radians */
    uint8_t second_rgb[3];
    uint32_t hand; /* what is irregular in wobble, hatching and a shape without a name */
} sac_scene_object;

enum { SAC_UNNAMED = -1 };

typedef enum sac_ground {
    SAC_GROUND_PLAIN = 0,
    SAC_GROUND_GRADED,
    SAC_GROUND_NOISY,
    SAC_GROUND_RADIAL, /* from the middle to the corners */
    SAC_GROUND_RULED,  /* thin lines of the second tone, across or both ways */
    SAC_GROUND_CHECKED,
    SAC_GROUND_STRIPED
} sac_ground;

typedef struct sac_scene {
    sac_stream stream;
    uint64_t seed;
    int count;
    sac_scene_object objects[SAC_SCENE_OBJECTS]; /* in the order of mention */
    int behind[SAC_SCENE_OBJECTS];               /* objects from the hindmost to the foremost */
    sac_ground ground;
    uint8_t ground_rgb[2][3]; /* from, to; one tone: both are the same */
    float ground_angle;
    float noise;                         /* standard deviation of 224×224 grains, of 255 */
    float step, line;                    /* of ruled, checked and striped grounds */
    float blotches;                      /* deviation of soft grey blotches, of 255 */
    int blotch_cells;                    /* of them on a side */
    float shadow, shadow_x, shadow_y;    /* strength 0 … 1 below each object; where it falls */
    float shadow_edge;                   /* how soft */
    float blur;                          /* standard deviation over the whole picture */
    bool noise_over;                     /* the noise lies on the objects as well */
    int words;                           /* with the end */
    int word[SAC_SCENE_WORDS];           /* then SAC_WORD_PAD */
    int object_of_word[SAC_SCENE_WORDS]; /* the object that a word names (its article, size, colour
                                   and shape), or −1 */
} sac_scene;

/* Takes about 10 µs. */
void sac_scene_make(sac_stream stream, uint64_t seed, sac_scene *scene);
/* Makes a scene for training in which most objects have a colour that no word covers (cyan, pink,
 * grey, brown, stripes of two colours …) or a shape that none does; SAC_WORD_PAD stands where that
 * word would. A model that sees shapes in colours that are never named, and colours on shapes that
 * are never named, learns the one without the other. `stream` is a training stream, which
 * holds none of these scenes.
 */
void sac_scene_make_unnamed(sac_stream stream, uint64_t seed, sac_scene *scene);
/* True where colour and shape of an object never occur together in training. */
bool sac_scene_has_unseen_pair(const sac_scene *scene);
bool sac_pair_is_held_out(int colour, int shape);

/* Antialiased, sRGB, into rgb [side,side,3]. Any side from 1; the same picture at any of them, but
 * that one of more than 8192 pixels is not blurred. */
void sac_scene_draw(const sac_scene *scene, int side, uint8_t *rgb);
/* The same as an image with alpha 255. SAC_E_MEMORY. */
sac_status sac_scene_image(const sac_scene *scene, int side, sac_image *image, sac_error *error);
/* The number of pixels of object `index` that are seen at `side`; those behind other objects do not
 * count. */
size_t sac_scene_visible_pixels(const sac_scene *scene, int side, int index);

/* True for what is the sentence of some scene: `count` words, without the end. */
bool sac_scene_sentence_is_valid(const int *word, int count);
/* "a large red circle" into `text`, which is returned. `words` words of `word`, up to the end. */
char *sac_sentence(const int *word, int words, char *text, size_t size);
/* The same in another vocabulary, whose end is SAC_WORD_END too. */
char *sac_sentence_of(const char *(*word_text)(int word), const int *word, int words, char *text,
                      size_t size);

#endif
