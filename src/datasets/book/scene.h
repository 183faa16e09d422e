/* The picture book: scenes drawn as in a children's book, one sentence that describes each, and the
 * region of the picture for every word. The same stream and seed give the same scene, byte for
 * byte, on every machine (see book/paint/canvas.h).
 *
 * What captions mention. Everything that is drawn with an outline is mentioned, in this order: who
 * does what ("a dog runs after a red ball"), where ("in a meadow"), when ("at night", "at sunset";
 * day is not mentioned), and what is in the sky besides ("and the moon shines"). What has no
 * outline belongs to the ground and is not mentioned: far hills and firs, blades of grass, waves,
 * small stars,
 * pale clouds. A thing whose noun comes in colours is mentioned with its colour. Equal things are
 * counted: "two", "three". Where animals and children are at something's side they are "beside"
 * it; other things are "left of" or "right of" it.
 *
 *     sac_book_make(SAC_STREAM_TEST, 1, &scene);
 *     sac_book_draw(&scene, 176, rgb);
 *     sac_book_sentence(scene.word, scene.words, text, sizeof text);
 */
#ifndef SAC_BOOK_SCENE_H
#define SAC_BOOK_SCENE_H

#include "base/look.h"
#include "book/nouns/nouns.h"
#include "book/words.h"
#include "shapes/scene.h"

enum {
    SAC_BOOK_WORDS = 17, /* the longest sentence (16) and its end */
    SAC_BOOK_THINGS = 9,
    SAC_BOOK_GROUPS = 3,
    SAC_BOOK_SIDE = 512 /* pixels of a scene as `saccade scene --dataset book` draws it */
};

typedef enum sac_hour { SAC_DAY = 0, SAC_SUNSET, SAC_NIGHT, SAC_HOURS } sac_hour;

typedef struct sac_thing {
    sac_figure figure;
    int group;
    float size, shape[4]; /* scale at the front, and the box of scale 1 around its foot */
    float box[4];         /* of what is drawn of it, within the picture */
    float depth;          /* the lower it stands the nearer it is; things are drawn by it */
    float shadow;         /* y of the ground below; below 0: there is none */
} sac_thing;

enum {
    SAC_UNMENTIONED = -2
}; /* a tone that no word covers: SAC_TALE_PAD stands where the word would */

/* Equal things that are described together: "two white boats". */
typedef struct sac_group {
    sac_noun noun;
    sac_pose pose;
    int colour;    /* sac_colour; SAC_UNNAMED: the thing's own, which is not mentioned; or
                      SAC_UNMENTIONED */
    bool nameless; /* drawn as a shape that no noun names; the caption has SAC_TALE_PAD for its
                      noun */
    bool odd;      /* details of any colour; where the thing's own is not mentioned, often one for
                      each part */
    int count, first;
} sac_group;

/* The content of the sentence, before anything is placed. Groups: who acts, on whom, what else. */
typedef struct sac_tale {
    sac_verb verb, tail_verb;
    sac_relation relation;
    sac_spot spot;
    sac_hour hour;
    int groups;    /* without the tail */
    bool has_tail; /* groups[2] */
    sac_group group[SAC_BOOK_GROUPS];
} sac_tale;

typedef struct sac_book_scene {
    sac_stream stream;
    uint64_t seed;
    sac_tale tale;
    int count;
    sac_thing thing[SAC_BOOK_THINGS];
    bool has_string; /* from a child's hand to its kite */
    float string[2][2];
    int words; /* with the end */
    int word[SAC_BOOK_WORDS];
    sac_look look[SAC_BOOK_WORDS];
} sac_book_scene;

void sac_book_make(sac_stream stream, uint64_t seed, sac_book_scene *scene);
/* Makes a scene for training in which most things that have a colour have one that no word covers:
 * a model that sees them learns to recognise a thing without its colour. `stream` is a training stream,
 * which holds none of these scenes. */
void sac_book_make_unnamed(sac_stream stream, uint64_t seed, sac_book_scene *scene);
/* True where two things go together here that never do in training: a noun with a colour, with what
 * it does, or with where it is. */
bool sac_book_has_unseen_pair(const sac_book_scene *scene);

/* True for what is the sentence of some scene: `count` words, without the end. */
bool sac_book_sentence_is_valid(const int *word, int count);

/* rgb [side,side,3], antialiased, sRGB. SAC_E_MEMORY. */
sac_status sac_book_draw(const sac_book_scene *scene, int side, uint8_t *rgb, sac_error *error);
/* The same as an image with alpha 255. */
sac_status sac_book_image(const sac_book_scene *scene, int side, sac_image *image,
                          sac_error *error);

/* {"seed","stream","side","caption","words":[{"word","boxes":[[x0,y0,x1,y1]…]}],"ground","hour",
 * "unseen_pair"}; boxes in pixels. free() it; NULL: out of memory. */
char *sac_book_json(const sac_book_scene *scene, int side);

#endif
