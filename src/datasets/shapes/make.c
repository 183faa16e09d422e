/* Makes scenes from seeds. What is in a scene is chosen first and stays; places and ground are
 * drawn again until the caption is unambiguous. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colours.h"
#include "look.h"
#include "outline.h"
#include "shapes/scene.h"

/* ---------------------------------------------------------------- the sentence */

/* True where `a` is mentioned before `b`: large before small, then from left to right. */
static bool is_mentioned_before(const sac_scene_object *a, const sac_scene_object *b)
{
    return a->large != b->large ? a->large : a->x < b->x;
}

static void append(sac_scene *scene, int word, int object)
{
    scene->word[scene->words] = word;
    scene->object_of_word[scene->words++] = object;
}

/* Adds the words for where the first object lies as seen from the second. */
static void write_relation(sac_scene *scene)
{
    float dx = scene->objects[0].x - scene->objects[1].x;
    float dy = scene->objects[0].y - scene->objects[1].y;
    if (fabsf(dx) > fabsf(dy)) {
        append(scene, dx < 0 ? SAC_WORD_LEFT : SAC_WORD_RIGHT, -1);
        append(scene, SAC_WORD_OF, -1);
    } else {
        append(scene, dy < 0 ? SAC_WORD_ABOVE : SAC_WORD_BELOW, -1);
    }
}

char *sac_sentence_of(const char *(*word_text)(int word), const int *word, int words, char *text,
                      size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (int i = 0; i < words && word[i] != SAC_WORD_END && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", word_text(word[i]));
    return text;
}

char *sac_sentence(const int *word, int words, char *text, size_t size)
{
    return sac_sentence_of(sac_word_text, word, words, text, size);
}

/* ---------------------------------------------------------------- make */

/* Shares of the picture's side, but for the last two. */
static const float margin = 0.02f;
static const float apart = 0.08f;     /* what a person still sees the difference of at once */
static const float near = 0.015f;     /* boxes so near one another count as touching */
static const float occlusion = 0.15f; /* of an object's box, by all others together */
static const double contrast = 0.25;  /* OKLab distance of what touches */

/* ---------------------------------------------------------------- streams */

static const char *const streams[] = {
    [SAC_STREAM_TEST] = "test",
    [SAC_STREAM_TRAINING] = "training",
    [SAC_STREAM_VARIED] = "varied",
    [SAC_STREAM_ALL_PAIRS] = "all-pairs",
};

const char *sac_stream_name(sac_stream stream)
{
    return streams[stream];
}

bool sac_stream_find(const char *name, sac_stream *stream)
{
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(streams[i], name) == 0) {
            *stream = (sac_stream)i;
            return true;
        }
    return false;
}

/* ---------------------------------------------------------------- pairs */

bool sac_pair_is_held_out(int colour, int shape)
{
    static const int8_t held_out[SAC_SHAPES] = {
        4, /* circle: blue */
        5, /* square: purple */
        3, /* triangle: green */
        0, /* star: red */
        2, /* cross: yellow */
        1, /* diamond: orange */
    };
    return shape >= 0 && shape < SAC_SHAPES && held_out[shape] == colour;
}

bool sac_scene_has_unseen_pair(const sac_scene *scene)
{
    for (int i = 0; i < scene->count; i++)
        if (sac_pair_is_held_out(scene->objects[i].colour, scene->objects[i].shape))
            return true;
    return false;
}

enum { PLAIN_OBJECTS = 3, MOST_LARGE = 3 };

typedef enum pairs { PAIRS_SEEN, PAIRS_HELD_OUT, PAIRS_ANY } pairs;

/* True where the last of `count` objects would be called like one before it. */
static bool is_twin(const sac_scene_object *objects, int count)
{
    const sac_scene_object *last = &objects[count - 1];
    for (int i = 0; i < count - 1; i++)
        if (objects[i].colour == last->colour && objects[i].shape == last->shape &&
            objects[i].large == last->large)
            return true;
    return false;
}

/* One to three; in the varied manner up to five, and sometimes nothing. */
static int pick_count(sac_rng *rng, bool varied)
{
    static const uint8_t percent[] = {3, 31, 26, 22, 11, 7};
    int left = varied ? sac_rng_pick(rng, 100) : 0, count = 0;
    if (!varied)
        return 1 + sac_rng_pick(rng, PLAIN_OBJECTS);
    while (left >= percent[count])
        left -= percent[count++];
    return count;
}

/* The pairs of object `index`: in half of the test scenes object `which` has one held back. */
static pairs pairs_of(sac_stream stream, bool unseen, bool is_which)
{
    if (stream == SAC_STREAM_ALL_PAIRS)
        return PAIRS_ANY;
    return !unseen ? PAIRS_SEEN : is_which ? PAIRS_HELD_OUT : PAIRS_ANY;
}

/* Draws the number of objects and their names: all that is random in the sentence but places. */
static void pick_names(sac_rng *rng, bool varied, sac_scene *scene)
{
    scene->count = pick_count(rng, varied);
    bool unseen = !sac_stream_is_training(scene->stream) && sac_rng_pick(rng, 2);
    int which = sac_rng_pick(rng, scene->count), large = 0;
    for (int i = 0; i < scene->count; i++) {
        pairs from = pairs_of(scene->stream, unseen, i == which);
        do {
            sac_scene_object *object = &scene->objects[i];
            bool held_out;
            do {
                object->colour = sac_rng_pick(rng, SAC_COLOURS);
                object->shape = sac_rng_pick(rng, SAC_SHAPES);
                held_out = sac_pair_is_held_out(object->colour, object->shape);
            } while ((from == PAIRS_SEEN && held_out) || (from == PAIRS_HELD_OUT && !held_out));
            scene->objects[i].large = sac_rng_pick(rng, 2) && large < MOST_LARGE;
        } while (is_twin(scene->objects, i + 1));
        large += scene->objects[i].large;
    }
}

/* ---------------------------------------------------------------- places */

/* Length that [a0,a1] and [b0,b1] share; below zero: the gap between them. */
static float shared(float a0, float a1, float b0, float b1)
{
    return (a1 < b1 ? a1 : b1) - (a0 > b0 ? a0 : b0);
}

/* Area that the boxes share; −1 where they are not even near one another. */
static float overlap(const float *a, const float *b)
{
    float width = shared(a[0], a[2], b[0], b[2]), height = shared(a[1], a[3], b[1], b[3]);
    if (width < -near || height < -near)
        return -1;
    return width < 0 || height < 0 ? 0 : width * height;
}

static float area(const float *box)
{
    return (box[2] - box[0]) * (box[3] - box[1]);
}

/* Little is hidden, and what touches differs in colour. */
static bool is_unambiguous(const sac_scene *scene)
{
    for (int i = 0; i < scene->count; i++) {
        const sac_scene_object *a = &scene->objects[i];
        float hidden = 0;
        for (int j = 0; j < scene->count; j++) {
            const sac_scene_object *b = &scene->objects[j];
            float both = i == j ? -1 : overlap(a->box, b->box);
            if (both >= 0 && sac_colour_distance(a->rgb, b->rgb) < contrast)
                return false;
            hidden += both > 0 ? both : 0;
        }
        if (hidden > occlusion * area(a->box))
            return false;
    }
    return true;
}

/* Sorts the objects into the order of mention. */
static void sort(sac_scene *scene)
{
    for (int i = 1; i < scene->count; i++)
        for (int j = i; j > 0 && is_mentioned_before(&scene->objects[j], &scene->objects[j - 1]);
             j--) {
            sac_scene_object swapped = scene->objects[j];
            scene->objects[j] = scene->objects[j - 1];
            scene->objects[j - 1] = swapped;
        }
}

/* Neither order nor relation could be disputed. The objects are sorted: neighbours of one size are
 * nearest in x. */
static bool has_one_sentence(const sac_scene *scene)
{
    const sac_scene_object *objects = scene->objects;
    for (int i = 1; i < scene->count; i++)
        if (objects[i].large == objects[i - 1].large && objects[i].x - objects[i - 1].x < apart)
            return false;
    float dx = fabsf(objects[0].x - objects[1].x), dy = fabsf(objects[0].y - objects[1].y);
    return scene->count < 2 || fabsf(dx - dy) >= apart;
}

static bool place(sac_rng *rng, bool varied, sac_scene *scene)
{
    enum { TRIES = 500 }; /* until sizes and colours are drawn anew; most need fewer than 10 */
    sac_look_pick(rng, varied, scene);
    for (int i = 0; i < TRIES; i++) {
        for (int k = 0; k < scene->count; k++) {
            sac_scene_object *object = &scene->objects[k];
            sac_outline outline;
            sac_outline_of(object, &outline);
            float half_width = outline.width / 2, half_height = outline.height / 2;
            object->x = sac_rng_between(rng, margin + half_width, 1 - margin - half_width);
            object->y = sac_rng_between(rng, margin + half_height, 1 - margin - half_height);
            const float box[4] = {object->x - half_width, object->y - half_height,
                                  object->x + half_width, object->y + half_height};
            memcpy(object->box, box, sizeof box);
        }
        sort(scene);
        if (has_one_sentence(scene) && is_unambiguous(scene))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- scenes */

/* Draws all that is random in the picture once its objects are known. */
static void arrange(sac_rng *rng, bool varied, sac_scene *scene)
{
    do {
        while (!place(rng, varied, scene))
            continue;
        for (int i = 0; i < scene->count;
             i++) { /* each is put in somewhere among those before it */
            int at = sac_rng_pick(rng, i + 1);
            for (int k = i; k > at; k--)
                scene->behind[k] = scene->behind[k - 1];
            scene->behind[at] = i;
        }
    } while (!sac_ground_pick(rng, varied, scene));
    if (varied)
        sac_lens_pick(rng, scene);
    /* Fills words, word and object_of_word from the objects, which are in the order of mention. */
    scene->words = 0;
    for (int i = 0; i < scene->count; i++) {
        if (i == 1)
            write_relation(scene);
        else if (i > 1)
            append(scene, SAC_WORD_AND, -1);
        /* "a large red circle" */
        const sac_scene_object *object = &scene->objects[i];
        append(scene, SAC_WORD_A, i);
        append(scene, object->large ? SAC_WORD_LARGE : SAC_WORD_SMALL, i);
        append(scene,
               object->colour == SAC_UNNAMED ? SAC_WORD_PAD : SAC_WORD_COLOUR + object->colour, i);
        append(scene, object->shape == SAC_UNNAMED ? SAC_WORD_PAD : SAC_WORD_SHAPE + object->shape,
               i);
    }
    if (scene->count == 0)
        append(scene, SAC_WORD_NOTHING, -1);
    append(scene, SAC_WORD_END, -1);
    for (int i = scene->words; i < SAC_SCENE_WORDS; i++) {
        scene->word[i] = SAC_WORD_PAD;
        scene->object_of_word[i] = -1;
    }
}

void sac_scene_make(sac_stream stream, uint64_t seed, sac_scene *scene)
{
    sac_rng rng = sac_scene_rng(stream, seed, 0);
    *scene = (sac_scene){.stream = stream, .seed = seed};
    bool varied = sac_look_is_varied(&rng, stream);
    pick_names(&rng, varied, scene);
    arrange(&rng, varied, scene);
}

void sac_scene_make_unnamed(sac_stream stream, uint64_t seed, sac_scene *scene)
{
    sac_rng rng = sac_scene_rng(stream, seed, SAC_RNG_PLACE_UNNAMED);
    *scene = (sac_scene){.stream = stream, .seed = seed};
    bool varied = sac_look_is_varied(&rng, stream);
    pick_names(&rng, varied, scene);
    /* Two in five lose the word of their colour, two that of their shape. */
    for (int i = 0; i < scene->count; i++) {
        int lost = sac_rng_pick(&rng, 5);
        if (lost < 2)
            scene->objects[i].colour = SAC_UNNAMED;
        else if (lost < 4)
            scene->objects[i].shape = SAC_UNNAMED;
    }
    arrange(&rng, varied, scene);
}
