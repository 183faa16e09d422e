/* The captioner's sizes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "captioner/encoders/encoder.h"
#include "images/resample.h"

/* What a dataset takes. */
typedef struct row {
    const char *dataset;
    sac_schedule training;
    sac_captioner_shape shape;
} row;

static const row rows[] = {
    /* Very small things are distinguished by the layer that sees the picture at a quarter. */
    {"shapes",
     {.steps = 18000, .batch = 16, .rate = 1.5e-3f},
     {
         .side = 224,
         .layers = 7,
         .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {96, 2}, {96, 1}, {128, 1}},
         .attention = 96,
         .hidden = 192,
         .embedding = 64,
     }},
    /* More things in finer lines, and longer captions: 20 × 20 cells, and cells that see more. */
    {"book",
     {.steps = 8000, .batch = 32, .rate = 2e-3f},
     {
         .side = 160,
         .layers = 7,
         .layer = {{16, 2}, {32, 2}, {32, 1}, {64, 2}, {96, 1}, {128, 1}, {128, 1}},
         .attention = 128,
         .hidden = 256,
         .embedding = 96,
     }},
};

static const row *row_of(const sac_dataset *dataset)
{
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof *rows && strcmp(rows[i].dataset, dataset->name) != 0)
        i++;
    return &rows[i];
}

const sac_dataset *sac_captioner_dataset(const sac_captioner_shape *shape)
{
    if (sac_captioner_is_for_photographs(shape))
        return NULL;
    return shape->dataset ? shape->dataset : sac_dataset_find("shapes");
}

sac_captioner_shape sac_captioner_default_shape(const sac_dataset *dataset, sac_score score)
{
    sac_captioner_shape shape = {.dataset = dataset};
    shape = row_of(sac_captioner_dataset(&shape))->shape;
    shape.dataset = dataset;
    shape.score = score;
    shape.masks_colours = true;
    shape.vocabulary = sac_captioner_dataset(&shape)->vocabulary;
    return shape;
}

/* ---------------------------------------------------------------- photographs */

/* Words that a sentence may well have twice. */
static const char *const frequent[] = {"a",    "an",   "and", "are",   "as",  "at",   "by",
                                       "for",  "from", "her", "his",   "in",  "into", "is",
                                       "it",   "its",  "of",  "on",    "one", "or",   "out",
                                       "over", "that", "the", "their", "to",  "up",   "with"};
enum { FREQUENT = sizeof frequent / sizeof *frequent };

sac_captioner_words *sac_captioner_words_create(sac_caption_vocabulary *table)
{
    sac_captioner_words *words = calloc(1, sizeof *words);
    bool *once = calloc((size_t)table->count + 1, sizeof *once);
    if (!words || !once) {
        sac_caption_vocabulary_free(table);
        free(words);
        free(once);
        return NULL;
    }
    *words = (sac_captioner_words){.table = *table, .once = once, .owners = 1};
    *table = (sac_caption_vocabulary){0};
    for (int i = SAC_VOCABULARY_MARKS; i < words->table.count; i++) {
        once[i] = true;
        for (int k = 0; k < FREQUENT; k++)
            if (strcmp(words->table.texts[i], frequent[k]) == 0)
                once[i] = false;
    }
    return words;
}

bool sac_captions_are_english(const sac_pictures *p)
{
    size_t all = 0, found = 0, size;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < p->items[i].caption_count; k++) {
            const char *word = p->items[i].captions[k].plain;
            for (; (word = sac_caption_next_word(word, &size)); word += size) {
                all++;
                for (int f = 0; f < FREQUENT; f++)
                    found += strncmp(word, frequent[f], size) == 0 && !frequent[f][size];
            }
        }
    return 10 * found >= 3 * all;
}

/* Half of them and more are characters of a script that sets no words apart. */
static bool are_characters(const sac_captioner_words *words)
{
    int characters = 0, all = words->table.count - SAC_VOCABULARY_MARKS;
    for (int i = SAC_VOCABULARY_MARKS; i < words->table.count; i++) {
        const char *text = words->table.texts[i];
        characters += sac_script_of(sac_utf8_next(&text)) == SAC_SCRIPT_UNSPACED;
    }
    return all && 2 * characters >= all;
}

void sac_captioner_words_free(sac_captioner_words *words)
{
    if (!words || --words->owners > 0)
        return;
    sac_caption_vocabulary_free(&words->table);
    free(words->once);
    free(words);
}

void sac_captioner_pretrained_free(sac_captioner_pretrained *p)
{
    if (!p || --p->owners > 0)
        return;
    free(p->config);
    free(p);
}

void sac_captioner_shape_free(sac_captioner_shape *shape)
{
    sac_captioner_pretrained_free(shape->network.pretrained);
    sac_captioner_words_free(shape->words);
    *shape = (sac_captioner_shape){0};
}

sac_captioner_shape sac_captioner_photograph_shape(const char *network, sac_captioner_words *words,
                                                   sac_score score)
{
    bool characters = are_characters(words);
    sac_captioner_shape shape = {
        .words = words,
        .network = {.detail = 224, .features = 512},
        .longest = characters ? 40 : 20, /* a Chinese word has about two */
        .no_repeat = characters ? 6 : 3,
        .once = words->english,
        .side = 320,
        .score = score,
        .attention = 256,
        .hidden = 512,
        .embedding = 256,
        .vocabulary = words->table.count,
    };
    snprintf(shape.network.name, sizeof shape.network.name, "%s", network);
    if (strcmp(network, "cnn") == 0) {
        const sac_captioner_shape *layers = &rows[0].shape;
        shape.side = layers->side;
        shape.layers = layers->layers;
        memcpy(shape.layer, layers->layer, sizeof shape.layer);
        shape.network.detail = 0;
        shape.network.features = shape.layer[shape.layers - 1].channels;
    }
    words->owners++;
    return shape;
}

sac_captioner_shape sac_captioner_layered_shape(const char *network, sac_captioner_words *words)
{
    sac_captioner_shape shape =
        sac_captioner_photograph_shape(network, words, SAC_SCORE_SCALED_DOT);
    if (!shape.layers)
        shape.network.features = 256;
    shape.stack.layers = 3;
    shape.stack.heads = 8;
    shape.stack.hidden = 1024;
    shape.attention = shape.hidden = shape.embedding = 0;
    return shape;
}

const char *sac_captioner_kind(const sac_captioner_shape *shape)
{
    return sac_captioner_has_layers(shape) ? "transformer" : sac_score_name(shape->score);
}

const char *sac_captioner_word(const sac_captioner_shape *shape, int number)
{
    return shape->words ? sac_caption_vocabulary_word(&shape->words->table, number)
                        : sac_captioner_dataset(shape)->word_text(number);
}

int sac_captioner_longest(const sac_captioner_shape *shape)
{
    return sac_captioner_is_for_photographs(shape) ? shape->longest : SAC_CAPTIONER_WORDS;
}

/* ---------------------------------------------------------------- both */

sac_schedule sac_captioner_schedule(const sac_captioner_shape *shape)
{
    static const sac_schedule photographs = {.steps = 2000,
                                             .batch = 24,
                                             .rate = 4e-3f,
                                             .warm_up = 150,
                                             .clip = 5,
                                             .average = 0.998f,
                                             .judge_every = 250,
                                             .patience = 4,
                                             .samples = "photographs"};
    sac_schedule schedule = sac_captioner_is_for_photographs(shape)
                                ? photographs
                                : row_of(sac_captioner_dataset(shape))->training;
    if (sac_captioner_has_layers(shape)) {
        schedule.rate = 1.5e-3f;
        schedule.warm_up = 300;
        schedule.clip = 1;
    }
    if (shape->network.learning) /* it begins as a captioner whose network stayed as it is */
        schedule.rate *= 0.1f;
    return schedule;
}

int sac_captioner_grid(const sac_captioner_shape *shape)
{
    return sac_encoder_of(shape)->grid(shape);
}

sac_status sac_captioner_network(const sac_captioner_shape *shape, sac_efficientnet_shape *network,
                                 sac_error *error)
{
    return sac_efficientnet_shape_by_name(shape->network.name, (size_t)shape->side, network, error);
}

sac_status sac_captioner_square(const sac_captioner_shape *shape, const sac_image *image,
                                sac_image *square, sac_error *error)
{
    return sac_captioner_is_for_photographs(shape)
               ? sac_efficientnet_square(image, (size_t)shape->network.detail, (size_t)shape->side,
                                         square, error)
               : sac_image_fit_in_square(image, shape->side, square, error);
}
