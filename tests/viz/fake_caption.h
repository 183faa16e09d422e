/* A caption source without a model: drawn pictures with known objects, fixed sentences, and maps
 * that are Gaussians around what each word names. What is hidden gets no weight; an object hidden
 * in its middle is called black; words that are given are generated as given; held somewhere it looks there, and calls all
 * purple. */
#ifndef TESTS_VIZ_FAKE_CAPTION_H
#define TESTS_VIZ_FAKE_CAPTION_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/source.h"

#define FAKE_GRID 14
#define FAKE_SIDE 280
#define FAKE_PICTURES 4

static const char *const fake_vocabulary[] = {
    "<pad>", "<start>", "<end>",  "a",      "and",      "left",   "right", "of",     "above",
    "below", "small",   "large",  "red",    "orange",   "yellow", "green", "blue",   "purple",
    "white", "black",   "circle", "square", "triangle", "star",   "cross", "diamond"};
#define FAKE_WORDS ((int)(sizeof fake_vocabulary / sizeof *fake_vocabulary))
#define FAKE_BLACK 19
#define FAKE_HELD 17

typedef struct fake_object {
    float x, y, half; /* shares of the side */
    int r, g, b;
    bool round;
} fake_object;

typedef struct fake_picture_of_words {
    const char *title, *sentence, *note;
    int object_of_word[20]; /* object of each word, or −1 */
    int objects;
    fake_object object[3];
    int ground;
} fake_picture_of_words;

static const fake_picture_of_words fake_pictures[FAKE_PICTURES] = {
    {"scene 42",
     "a small red circle above a large blue square and a small yellow star",
     "",
     {0, 0, 0, 0, -1, 1, 1, 1, 1, -1, 2, 2, 2, 2},
     3,
     {{0.28f, 0.34f, 0.07f, 152, 39, 42, true},
      {0.69f, 0.63f, 0.135f, 36, 62, 152, false},
      {0.30f, 0.77f, 0.09f, 172, 136, 26, true}},
     165},
    {"scene 43",
     "a large green circle",
     "",
     {0, 0, 0, 0},
     1,
     {{0.45f, 0.5f, 0.2f, 40, 130, 60, true}},
     60},
    {"scene 44",
     "a large orange triangle right of a large purple diamond and a small white square",
     "",
     {0, 0, 0, 0, -1, -1, 1, 1, 1, 1, -1, 2, 2, 2, 2},
     3,
     {{0.75f, 0.3f, 0.15f, 220, 120, 30, false},
      {0.25f, 0.35f, 0.14f, 120, 50, 150, false},
      {0.5f, 0.8f, 0.07f, 235, 235, 235, false}},
     90},
    {"harbour.png",
     "a small white square above a large blue square",
     "a photograph: this model knows only drawn scenes of coloured shapes, and can only name those",
     {0, 0, 0, 0, -1, 1, 1, 1, 1},
     2,
     {{0.6f, 0.3f, 0.05f, 230, 230, 225, false}, {0.4f, 0.75f, 0.24f, 60, 90, 140, false}},
     130}};

typedef struct fake_caption {
    sac_image image;
    int generates, turns;
    bool fails, turn_fails, elsewhere;
    int longest; /* > 0: sentences are made this long; < 0: nothing is generated */
    sac_source source;
} fake_caption;

static inline bool fake_inside(const fake_object *o, float x, float y)
{
    float dx = fabsf(x - o->x), dy = fabsf(y - o->y);
    return o->round ? dx * dx + dy * dy < o->half * o->half : dx < o->half && dy < o->half;
}

static inline void fake_draw(sac_image *image, const fake_picture_of_words *p)
{
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            float u = ((float)x + 0.5f) / (float)image->width,
                  v = ((float)y + 0.5f) / (float)image->height;
            int ground = p->ground - (int)(12 * u) + (int)(6 * v);
            uint8_t *pixel = image->rgba + 4 * (y * image->width + x);
            uint8_t color[4] = {(uint8_t)ground, (uint8_t)(ground + 2), (uint8_t)(ground + 6), 255};
            for (int i = 0; i < p->objects; i++)
                if (fake_inside(&p->object[i], u, v)) {
                    color[0] = (uint8_t)p->object[i].r;
                    color[1] = (uint8_t)p->object[i].g;
                    color[2] = (uint8_t)p->object[i].b;
                }
            memcpy(pixel, color, 4);
        }
}

static inline int fake_word(const char *text)
{
    for (int i = 0; i < FAKE_WORDS; i++)
        if (!strcmp(fake_vocabulary[i], text))
            return i;
    return -1;
}

/* The sentence of a picture as numbers; returns how many. */
static inline int fake_sentence(const fake_caption *fake, int picture, int *words)
{
    char text[160], *rest = NULL;
    int count = 0;
    snprintf(text, sizeof text, "%s", fake->longest < 0 ? "" : fake_pictures[picture].sentence);
    for (char *t = strtok_r(text, " ", &rest); t; t = strtok_r(NULL, " ", &rest))
        words[count++] = fake_word(t);
    for (int i = count; i < fake->longest; i++) /* "triangle" is the widest word */
        words[i] = words[i % count];
    return fake->longest > 0 ? fake->longest : count;
}

static inline bool fake_is_hidden(const sac_result_request *q, const fake_object *o)
{
    return q->hidden && q->hidden[(int)(o->y * FAKE_GRID) * FAKE_GRID + (int)(o->x * FAKE_GRID)];
}

/* Sizes look at a wide part, names at the object alone, links at everything. */
static inline float fake_sigma(int word, int object, int model)
{
    float sigma = object < 0 || word == 3 ? 3.4f : word < 12 ? 2.0f : 1.1f;
    return model ? 1.5f * sigma : sigma;
}

static inline void fake_map(const sac_result_request *q, const fake_picture_of_words *p, int word,
                            int object, bool held, float *map, sac_result_output *out)
{
    fake_object middle = {0.5f, 0.5f, 0, 0, 0, 0, false};
    const fake_object *o = object >= 0 ? &p->object[object] : &middle;
    float sigma = fake_sigma(word, object, q->model), sum = 0, most = 0;
    if (held) {
        middle.x = (q->gaze.x + 0.5f) / FAKE_GRID;
        middle.y = (q->gaze.y + 0.5f) / FAKE_GRID;
        sigma = q->gaze.radius;
        o = &middle;
    }
    float t = q->temperature > 0 ? q->temperature : 1;
    for (int i = 0; i < FAKE_GRID * FAKE_GRID; i++) {
        float dx = (float)(i % FAKE_GRID) + 0.5f - o->x * FAKE_GRID;
        float dy = (float)(i / FAKE_GRID) + 0.5f - o->y * FAKE_GRID;
        map[i] =
            q->hidden && q->hidden[i] ? 0 : expf(-(dx * dx + dy * dy) / (2 * sigma * sigma * t));
        sum += map[i];
    }
    for (int i = 0; i < FAKE_GRID * FAKE_GRID; i++) {
        map[i] /= sum > 0 ? sum : 1;
        out->centre_x += map[i] * ((float)(i % FAKE_GRID) + 0.5f);
        out->centre_y += map[i] * ((float)(i / FAKE_GRID) + 0.5f);
        if (map[i] > most) {
            most = map[i];
            out->peak_x = i % FAKE_GRID;
            out->peak_y = i / FAKE_GRID;
        }
    }
    out->entropy = sac_entropy(map, FAKE_GRID * FAKE_GRID);
    out->gate = object < 0 ? 0.31f : 0.84f;
}

static inline sac_status fake_generate(void *self, const sac_result_request *q, sac_result *c,
                                       sac_error *error)
{
    fake_caption *fake = self;
    const fake_picture_of_words *p = &fake_pictures[fake->source.picture.number % FAKE_PICTURES];
    int words[SAC_MAX_TOKENS + 8];
    fake->generates++;
    if (fake->fails)
        return sac_fail(error, SAC_E_DEVICE, "device", NULL, "gone");
    *c = (sac_result){.grid_w = FAKE_GRID, .grid_h = FAKE_GRID, .finished = true};
    c->milliseconds = 11.4;
    c->count = fake_sentence(fake, fake->source.picture.number % FAKE_PICTURES, words);
    c->weights = calloc((size_t)c->count * FAKE_GRID * FAKE_GRID, sizeof *c->weights);
    for (int i = 0; i < c->count; i++) {
        sac_result_output *w = &c->outputs[i];
        int object = p->object_of_word[i % 15];
        bool given = i < q->prefix_count, held = sac_gaze_is_held(&q->gaze) && i >= q->gaze.from;
        w->word = given ? q->prefix[i] : words[i];
        if (!given && w->word >= 12 && w->word < 20 && object >= 0 &&
            fake_is_hidden(q, &p->object[object]))
            w->word = FAKE_BLACK;
        if (!given && held && w->word >= 12 && w->word < 20)
            w->word = FAKE_HELD;
        w->probability = given ? 0.004f : 0.9f + 0.007f * (float)(i % 14);
        snprintf(w->text, sizeof w->text, "%s", fake_vocabulary[w->word]);
        for (int k = 0; k < 4; k++) {
            w->alternative[k] = k < 3 ? 12 + (w->word + 2 + 3 * k) % 14 : -1;
            w->alternative_probability[k] = 0.06f / (float)(1 + 4 * k * k);
        }
        fake_map(q, p, w->word, object, held, c->weights + i * FAKE_GRID * FAKE_GRID, w);
        for (int k = 0; k < FAKE_GRID * FAKE_GRID; k++)
            c->max_weight = fmaxf(c->max_weight, c->weights[i * FAKE_GRID * FAKE_GRID + k]);
    }
    return SAC_OK;
}

static inline void fake_truth(const fake_picture_of_words *p, sac_caption_truth *truth)
{
    *truth = (sac_caption_truth){.objects = p->objects};
    snprintf(truth->caption, sizeof truth->caption, "%s", p->sentence);
    truth->words = 1;
    for (const char *s = p->sentence; *s; s++)
        truth->words += *s == ' ';
    memcpy(truth->object_of_word, p->object_of_word, sizeof p->object_of_word);
    for (int i = 0; i < p->objects && i < SAC_CAPTION_OBJECTS; i++) {
        const fake_object *o = &p->object[i];
        float *box = truth->object[i].look.box[0];
        box[0] = o->x - o->half;
        box[1] = o->y - o->half;
        box[2] = o->x + o->half;
        box[3] = o->y + o->half;
        truth->object[i].look.count = 1;
    }
}

static inline sac_status fake_turn(sac_source *source, int picture, sac_error *error)
{
    fake_caption *fake = source->self;
    const fake_picture_of_words *p = &fake_pictures[picture % FAKE_PICTURES];
    fake->turns++;
    source->picture.elsewhere = fake->elsewhere;
    if (fake->turn_fails || fake->elsewhere)
        return sac_fail(error, SAC_E_FILE, "next.png", NULL, "cannot be read");
    fake_draw(&fake->image, p);
    source->picture.number = picture;
    source->result.has_truth = !p->note[0];
    snprintf(source->title, sizeof source->title, "%s", p->title);
    sac_source_clear_note(source);
    if (p->note[0])
        sac_source_add_note(source, SAC_NOTE_SHOWN, "%s", p->note);
    fake_truth(p, &source->result.truth);
    return SAC_OK;
}

static inline bool fake_token_allowed(const void *self, int word)
{
    (void)self;
    return word >= 3;
}

static inline void fake_open(fake_caption *fake)
{
    *fake = (fake_caption){0};
    sac_image_create(FAKE_SIDE, FAKE_SIDE, &fake->image, NULL);
    sac_source *s = &fake->source;
    *s = (sac_source){.self = fake,
                      .picture.image = &fake->image,
                      .picture.grid_w = FAKE_GRID,
                      .picture.grid_h = FAKE_GRID,
                      .result.models = 2,
                      .result.normalizes = true,
                      .result.holds_gaze = true,
                      .result.model = {"additive", "scaled-dot"},
                      .result.vocabulary = fake_vocabulary,
                      .result.vocabulary_count = FAKE_WORDS,
                      .result.token_allowed = fake_token_allowed,
                      .picture.count = FAKE_PICTURES,
                      .result.generate = fake_generate,
                      .picture.turn = fake_turn};
    strcpy(s->origin.file, "/pictures/scene.png");
    strcpy(s->origin.hash, "fnv1a64:00");
    strcpy(s->origin.device, "no device");
    fake_turn(s, 0, NULL);
    fake->turns = 0;
}

static inline void fake_close(fake_caption *fake)
{
    sac_image_free(&fake->image);
}

#endif
