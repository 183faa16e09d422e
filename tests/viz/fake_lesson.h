/* A lesson of three made-up steps, in texts that the catalogues have: a product, with a drawing of its query that a
 * hand moves, a softmax, and a stack of batches. */
#ifndef TESTS_VIZ_FAKE_LESSON_H
#define TESTS_VIZ_FAKE_LESSON_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/source.h"

enum { FAKE_ARRAYS = 4, FAKE_STEPS = 3 };

typedef struct fake_lesson {
    sac_source source;
    int taught;                                               /* so often */
    bool asks;                                                /* as was requested last */
    int finished;                                             /* so often */
    char settings[sizeof((sac_lesson_request *)0)->settings]; /* that were requested last */
    float query[6];                                           /* with "query,0,0=…" of these */
} fake_lesson;

static const float fake_query[] = {1, 0, 0, 1, 1, 1};
static const float fake_scores[] = {1, 0, -INFINITY, 0, 1, 1, 1, 1, 2};
static const float fake_shares[] = {0.731f, 0.269f, 0,      0.155f, 0.422f,
                                    0.422f, 0.212f, 0.212f, 0.576f};
static const float fake_stack[2 * 3 * 4] = {-1.5f, 0.25f, 3e-9f, 7};

static const sac_lesson_parameter fake_parameters[] = {
    {"temperature", "temperature", 0.05f, 20, 1, false},
    {"causal", "causal mask", 0, 1, 1, true},
};

static const sac_lesson_door fake_doors[] = {
    {"Picture", .tab = "caption", .command = "saccade --tab caption"},
    {"Masks", .lesson = "fake", .command = "saccade lesson fake"},
};

static const sac_lesson_step fake_steps[FAKE_STEPS] = {
    {.name = "scores",
     .sentence = "Each word is compared with each word of its own sentence.",
     .formula = "S = Q Kᵀ",
     .notice = "A key that points in the direction of the query gets a high score.",
     .code = "scores = q @ k.T\nscores.shape",
     .arrays = {1, 2},
     .drawing = 1,
     .doors = {&fake_doors[0], &fake_doors[1]}},
    {.name = "softmax",
     .sentence = "The softmax turns each row into weights that add up to 1.",
     .formula = "P = softmax(S)",
     .notice = "The largest score gets the largest weight.",
     .arrays = {2, 3}},
    {.name = "sentences",
     .sentence = "No query may see padding among the keys.",
     .formula = "X",
     .notice = "It never leaves the range of the values.",
     .arrays = {3, 4}},
};

/* Arrows of the query's rows, whose first one is moved; and a row of scores as bars, with the
 * temperature as a rule. */
static const sac_lesson_drawing fake_drawing = {
    .panel_count = 2,
    .panels =
        {{.title = "attention", .plane = true, .x_low = -2, .x_high = 2, .y_low = -2, .y_high = 2},
         {.x = "temperature", .y = "score", .x_low = 0, .x_high = 5}},
    .mark_count = 2,
    .marks = {{SAC_MARK_ARROWS, 0, .y = 1, .ink = SAC_INK_BLUE, .name = "q"},
              {SAC_MARK_LINE, 1, .y = 2, .ink = SAC_INK_GREEN, .name = "scores"}},
    .handle_count = 2,
    .handles = {{.x = {1, 0},
                 .y = {1, 1},
                 .sets_x = {.number = {1, 0}},
                 .sets_y = {.number = {1, 1}},
                 .does = "Drag q."},
                {.panel = 1,
                 .x = {1, 0},
                 .sets_x = {.parameter = "temperature", .power = -1},
                 .does = "Drag it."}},
};

/* Every cell but a given one is made of the cell of the array before it with the same number. */
static inline sac_status fake_arithmetic(const void *self, sac_node array, size_t cell,
                                         sac_arithmetic *arithmetic, sac_error *error)
{
    (void)self;
    (void)error;
    *arithmetic =
        (sac_arithmetic){.expression = strdup("exp(1) / (exp(1) + exp(0))"), .result = "0.731"};
    if (array > 1) {
        arithmetic->operands = calloc(1, sizeof *arithmetic->operands);
        arithmetic->operands[0] = (sac_operand){array - 1, cell % 6};
        arithmetic->count = 1;
    }
    return SAC_OK;
}

/* Which weight of the first row is the largest, the first, and how large it is; of an odd seed the other
 * way round. Where it was requested, what a larger temperature does to it. */
static inline int fake_ask(const void *self, uint64_t seed, sac_asked *asked, int most)
{
    static const sac_question questions[] = {
        {SAC_ASK_LARGEST, 1, 3, "The largest score."},
        {SAC_ASK_VALUE, 1, 3, "Each value times its weight, added up."},
        {SAC_ASK_WAY, 1, 3, "Row i blocks all keys after i."}};
    int count = 2 + ((const fake_lesson *)self)->asks;
    for (int i = 0; i < count && i < most; i++) {
        const sac_question *question = &questions[i < 2 ? (i + (int)(seed % 2)) % 2 : i];
        asked[i] = (sac_asked){.question = question};
        if (question->kind == SAC_ASK_VALUE)
            asked[i].answer = fake_shares[0];
        if (question->kind == SAC_ASK_WAY) {
            asked[i].answer = 1;
            asked[i].choice_count = 3;
        }
    }
    return count < most ? count : most;
}

static inline char *fake_asked_text(const void *self, const sac_asked *asked, sac_locale language,
                                    char *text, size_t size)
{
    (void)self;
    (void)asked;
    (void)language;
    snprintf(text, size, "Which is the largest?");
    return text;
}

static inline char *fake_choice_text(const void *self, const sac_asked *asked, int place,
                                     sac_locale language, char *text, size_t size)
{
    static const char *const ways[] = {"it grows", "it falls", "it stays the same"};
    (void)self;
    (void)asked;
    (void)language;
    snprintf(text, size, "%s", ways[place]);
    return text;
}

static inline sac_status fake_teach(void *self, const sac_lesson_request *request,
                                    sac_shown_lesson *lesson, sac_error *error)
{
    fake_lesson *fake = self;
    fake->taught++;
    fake->asks = request->asks;
    memcpy(fake->settings, request->settings, sizeof fake->settings);
    if (strcmp(request->name, "fake") != 0)
        return sac_fail(error, SAC_E_ARGUMENT, request->name, NULL, "is no lesson");
    *lesson = (sac_shown_lesson){.name = "fake",
                                 .title = "Several heads",
                                 .summary = "words and padding",
                                 .parameters = fake_parameters,
                                 .parameter_count = 2,
                                 .values = {1, 1},
                                 .array_count = FAKE_ARRAYS,
                                 .steps = fake_steps,
                                 .step_count = FAKE_STEPS,
                                 .drawings = &fake_drawing,
                                 .drawing_count = 1,
                                 .arithmetic = fake_arithmetic,
                                 .ask = fake_ask,
                                 .asked_text = fake_asked_text,
                                 .choice_text = fake_choice_text,
                                 .self = fake};
    memcpy(fake->query, fake_query, sizeof fake->query);
    sscanf(request->settings, "query,0,0=%f", &fake->query[0]);
    lesson->arrays[0] = (sac_shown_array){
        .name = "query", 2, {3, 2}, 1, 3, 2, .numbers = fake->query, .given = true};
    lesson->arrays[1] = (sac_shown_array){.name = "scores",
                                          2,
                                          {3, 3},
                                          1,
                                          3,
                                          3,
                                          .numbers = fake_scores,
                                          .making = SAC_MADE_OF_PRODUCTS_T,
                                          .inputs = {1, 1}};
    lesson->arrays[2] = (sac_shown_array){.name = "weights",
                                          2,
                                          {3, 3},
                                          1,
                                          3,
                                          3,
                                          .numbers = fake_shares,
                                          .shares = true,
                                          .making = SAC_MADE_SHARES,
                                          .inputs = {2}};
    lesson->arrays[3] =
        (sac_shown_array){.name = "stack", 3, {2, 3, 4}, 2, 3, 4, .numbers = fake_stack};
    return SAC_OK;
}

static inline void fake_finish(void *self, int entry)
{
    (void)entry;
    ((fake_lesson *)self)->finished++;
}

static const sac_lesson_entry fake_entries[] = {
    {"fake", "Several heads", "words and padding"},
    {"other", "Masks", "every sentence"},
};

static inline void fake_lesson_open(fake_lesson *fake)
{
    *fake = (fake_lesson){.source = {.lesson.teach = fake_teach,
                                     .lesson.finish = fake_finish,
                                     .lesson.entries = fake_entries,
                                     .lesson.entry_count = 2,
                                     .lesson.doors = fake_doors,
                                     .lesson.door_count = 2,
                                     .lesson.first = {.name = "fake"}}};
    fake->source.self = fake;
    strcpy(fake->source.origin.device, "no device");
    strcpy(fake->source.title, "lessons");
}

#endif
