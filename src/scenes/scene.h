/* Synthetic scenes and their truth: one to three flat objects on a ground, the one sentence that
 * describes them, and which word speaks of which object. The same stream and seed give the same
 * scene, to the last pixel, on every machine: nothing here depends on libm or on fused products.
 *
 * The sentence. Objects are spoken of in one order: large before small, then from left to right (by
 * the centre's x). One object: "a large red circle". Two: "a small blue square left of a large
 * green star", where the relation says where the first lies as seen from the second, along the
 * longer way between the centres. Three: "A above B and C". Scenes whose sentence could be disputed
 * (centres of two objects of one size nearly above one another, ways of nearly equal length, sizes
 * between small and large) are never made. */
#ifndef SAC_SCENES_SCENE_H
#define SAC_SCENES_SCENE_H

#include "formats/image.h"
#include "scenes/vocabulary.h"

enum {
    SAC_SCENE_OBJECTS = 3,
    SAC_SCENE_WORDS = 16, /* the longest sentence (15) and its end */
    SAC_SCENE_SIDE = 448  /* pixels of a scene as `saccade scene` draws it */
};

/* Streams never share a scene. Training leaves out the pairs of colour and shape that are held
 * back; half of the scenes of test have one (see sac_scene_has_unseen_pair). */
typedef enum sac_stream { SAC_STREAM_TEST = 0, SAC_STREAM_TRAINING } sac_stream;

/* All lengths are shares of the picture's side, y down. */
typedef struct sac_scene_object {
    int colour, shape; /* 0 … SAC_COLOURS − 1 or SAC_UNNAMED, 0 … SAC_SHAPES − 1 */
    bool large;
    float x, y, size, angle; /* centre and longer side of the box; radians, small */
    float form;              /* 0 … 1: how deep a star is, how wide a cross's bars, how tall a
                                triangle */
    float box[4];            /* x0, y0, x1, y1 of what is drawn */
    uint8_t rgb[3];          /* sRGB: the colour's word covers a range */
} sac_scene_object;

enum { SAC_UNNAMED = -1 };

typedef enum sac_ground { SAC_GROUND_PLAIN = 0, SAC_GROUND_GRADED, SAC_GROUND_NOISY } sac_ground;

typedef struct sac_scene {
    sac_stream stream;
    uint64_t seed;
    int count;
    sac_scene_object objects[SAC_SCENE_OBJECTS]; /* in the order of mention */
    int behind[SAC_SCENE_OBJECTS];               /* objects from the hindmost to the foremost */
    sac_ground ground;
    uint8_t ground_rgb[2][3]; /* graded: from, to; else [0] alone */
    float ground_angle;
    float noise;                         /* standard deviation of 224×224 grains, of 255 */
    int words;                           /* with the end */
    int word[SAC_SCENE_WORDS];           /* then SAC_WORD_PAD */
    int object_of_word[SAC_SCENE_WORDS]; /* the object that a word names (its article, size, colour
                                   and shape), or −1 */
} sac_scene;

/* Takes about 10 µs. */
void sac_scene_make(sac_stream stream, uint64_t seed, sac_scene *scene);
/* Makes a scene for training in which most objects have colours that no word covers (cyan, pink,
 * grey, brown …); SAC_WORD_PAD stands where the colour's word would. A model that sees shapes in
 * colours that are never named learns to tell the shape without the colour. These scenes are in
 * none of the streams. */
void sac_scene_make_unnamed(uint64_t seed, sac_scene *scene);
/* True where colour and shape of an object never occur together in training. */
bool sac_scene_has_unseen_pair(const sac_scene *scene);
bool sac_pair_is_held_out(int colour, int shape);

/* Antialiased, sRGB, into rgb [side,side,3]. Any side from 1; the same picture at any of them. */
void sac_scene_draw(const sac_scene *scene, int side, uint8_t *rgb);
/* The same as an image with alpha 255. SAC_E_MEMORY. */
sac_status sac_scene_image(const sac_scene *scene, int side, sac_image *image, sac_error *error);
/* The number of pixels of object `index` that are seen at `side`; those behind other objects do not
 * count. */
size_t sac_scene_visible_pixels(const sac_scene *scene, int side, int index);

/* "a large red circle" into `text`, which is returned. `words` words of `word`, up to the end. */
char *sac_sentence(const int *word, int words, char *text, size_t size);

#endif
