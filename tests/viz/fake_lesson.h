/* A lesson of three made-up steps in two languages: a product, with a drawing of its query that a
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
    bool asks;                                                /* as was asked for last */
    int finished;                                             /* so often */
    char settings[sizeof((sac_lesson_request *)0)->settings]; /* that were asked for last */
    float query[6];                                           /* with "query,0,0=…" of these */
} fake_lesson;

static const float fake_query[] = {1, 0, 0, 1, 1, 1};
static const float fake_scores[] = {1, 0, -INFINITY, 0, 1, 1, 1, 1, 2};
static const float fake_shares[] = {0.731f, 0.269f, 0,      0.155f, 0.422f,
                                    0.422f, 0.212f, 0.212f, 0.576f};
static const float fake_stack[2 * 3 * 4] = {-1.5f, 0.25f, 3e-9f, 7};

static const sac_lesson_parameter fake_parameters[] = {
    {"temperature", SAC_TEXT_IN("temperature", "温度"), 0.05f, 20, 1, false},
    {"causal", SAC_TEXT_IN("causal mask", "因果掩码"), 0, 1, 1, true},
};

static const sac_lesson_door fake_doors[] = {
    {SAC_TEXT_IN("Away", "别处"), .tab = "caption", .command = "saccade --tab caption"},
    {SAC_TEXT_IN("The same", "同一课"), .lesson = "fake", .command = "saccade lesson fake"},
};

static const sac_lesson_step fake_steps[FAKE_STEPS] = {
    {.name = SAC_TEXT_IN("scores", "分数"),
     .sentence =
         SAC_TEXT_IN("Every query is compared with every key.", "每个查询与每个键逐一比较。"),
     .formula = "S = Q Kᵀ",
     .notice = SAC_TEXT_IN("A key that points where the query points scores high.",
                           "键与查询方向越一致，分数越高。"),
     .code = "scores = q @ k.T\nscores.shape",
     .arrays = {1, 2},
     .drawing = 1,
     .doors = {&fake_doors[0], &fake_doors[1]}},
    {.name = SAC_TEXT_IN("softmax", "softmax"),
     .sentence = SAC_TEXT_IN("Each row becomes a set of shares.", "每一行变成一组份额。"),
     .formula = "P = softmax(S)",
     .notice = SAC_TEXT_IN("Each row adds up to 1.", "每行之和为 1。"),
     .arrays = {2, 3}},
    {.name = SAC_TEXT_IN("stack", "堆叠"),
     .sentence = SAC_TEXT_IN("Two batches of three rows.", "两批，每批三行。"),
     .formula = "X",
     .notice = SAC_TEXT_IN("They lie side by side.", "它们并排放着。"),
     .arrays = {3, 4}},
};

/* Arrows of the query's rows, whose first one is moved; and a row of scores as bars, with the
 * temperature as a rule. */
static const sac_lesson_drawing fake_drawing = {
    .panel_count = 2,
    .panels = {{.title = SAC_TEXT_IN("The plane", "平面"),
                .plane = true,
                .x_low = -2,
                .x_high = 2,
                .y_low = -2,
                .y_high = 2},
               {.x = SAC_TEXT_IN("temperature", "温度"),
                .y = SAC_TEXT_IN("score", "分数"),
                .x_low = 0,
                .x_high = 5}},
    .mark_count = 2,
    .marks = {{SAC_MARK_ARROWS, 0, .y = 1, .ink = SAC_INK_BLUE, .name = SAC_TEXT_IN("q", "q")},
              {SAC_MARK_LINE, 1, .y = 2, .ink = SAC_INK_GREEN,
               .name = SAC_TEXT_IN("scores", "分数")}},
    .handle_count = 2,
    .handles = {{.x = {1, 0},
                 .y = {1, 1},
                 .sets_x = {.number = {1, 0}},
                 .sets_y = {.number = {1, 1}},
                 .does = SAC_TEXT_IN("Drag q.", "拖动 q。")},
                {.panel = 1,
                 .x = {1, 0},
                 .sets_x = {.parameter = "temperature", .power = -1},
                 .does = SAC_TEXT_IN("Drag it.", "拖动它。")}},
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
 * way round. Where it was asked for, what a larger temperature does to it. */
static inline int fake_ask(const void *self, uint64_t seed, sac_asked *asked, int most)
{
    static const sac_question questions[] = {
        {SAC_ASK_LARGEST, 1, 3, SAC_TEXT_IN("The largest score.", "分数最大。")},
        {SAC_ASK_VALUE, 1, 3, SAC_TEXT_IN("Its share.", "它的份额。")},
        {SAC_ASK_WAY, 1, 3, SAC_TEXT_IN("Rows get flatter.", "每行更平。")}};
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

static inline char *fake_asked_text(const void *self, const sac_asked *asked,
                                    sac_lesson_language language, char *text, size_t size)
{
    (void)self;
    (void)asked;
    (void)language;
    snprintf(text, size, "Which is the largest?");
    return text;
}

static inline char *fake_choice_text(const void *self, const sac_asked *asked, int place,
                                     sac_lesson_language language, char *text, size_t size)
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
                                 .title = SAC_TEXT("A made-up lesson", "假想的一课"),
                                 .summary = SAC_TEXT("of three steps", "共三步"),
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
    {"fake", SAC_TEXT_IN("A made-up lesson", "假想的一课"),
     SAC_TEXT_IN("of three steps", "共三步")},
    {"other", SAC_TEXT_IN("Another one", "另一课"), SAC_TEXT_IN("that is not there", "并不存在")},
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
