/* A lesson: a short sequence of steps over small named arrays that the device computes. What a step
 * shows is a function of the lesson, its parameters and the arrays that a person gave. */
#ifndef SAC_LESSONS_ENGINE_LESSON_H
#define SAC_LESSONS_ENGINE_LESSON_H

#include "lessons/engine/graph.h"

enum {
    SAC_LESSON_QUESTIONS = 16,
    SAC_LESSON_ROWS = 12, /* of an array that a person gives, at most */
    SAC_LESSON_COLUMNS = 16,
    SAC_LESSON_SENTENCE = sizeof((sac_lesson_request *)0)->text,
};

bool sac_lesson_language_from_name(const char *name,
                                   sac_lesson_language *language); /* "en", "zh" */
/* What LC_ALL, else LC_MESSAGES, else LANG ask for, where lessons speak it; else English. */
sac_lesson_language sac_lesson_language_of_environment(void);

typedef struct sac_lesson sac_lesson;
typedef struct sac_lesson_class {
    const char *name; /* "step-by-step" */
    sac_text title, summary;
    const sac_lesson_parameter *parameters; /* ends with a zeroed one; NULL: none */
    uint64_t seed;                          /* of its weights, before a person gives another */
    /* Adds arrays, steps and questions for the parameters' values. */
    void (*build)(sac_lesson *lesson);
} sac_lesson_class;

/* One number of a given array, in place of the lesson's. */
typedef struct sac_lesson_edit {
    char array[32];
    int rank;
    size_t at[SAC_GRAPH_RANK];
    float value;
} sac_lesson_edit;

struct sac_lesson {
    const sac_lesson_class *class;
    float values[SAC_LESSON_PARAMETERS];
    uint64_t seed;         /* torch.manual_seed */
    sac_device *device;    /* lent while the lesson is computed, for what it measures */
    const sac_arrays *own; /* lent: arrays that take the place of the lesson's; NULL: none */
    const struct sac_image *picture;    /* lent: in place of the lesson's; NULL: none */
    char sentence[SAC_LESSON_SENTENCE]; /* that a person typed … */
    const char *words[SAC_LESSON_ROWS]; /* … and its words, in it */
    int word_count;
    bool uses_words, uses_picture; /* the lesson does */
    sac_lesson_edit edits[SAC_LESSON_EDITS];
    int edit_count;
    sac_graph graph;
    sac_lesson_step steps[SAC_LESSON_STEPS];
    int step_count;
    sac_lesson_drawing drawings[SAC_LESSON_DRAWINGS];
    int drawing_count;
    sac_question questions[SAC_LESSON_QUESTIONS];
    int question_count;
};

/* With the lesson's own numbers; freed by sac_lesson_clear, which also takes zeroed ones. */
void sac_lesson_begin(sac_lesson *lesson, const sac_lesson_class *class);
void sac_lesson_clear(sac_lesson *lesson);
/* "temperature=0.5" sets a parameter, "query,0,1=2.5" a cell of an array that the lesson is given.
 */
sac_status sac_lesson_set(sac_lesson *lesson, const char *setting, sac_error *error);
/* "query,0,1", so many characters of `text`: the array and the cell's indices. False: it is not
 * written like that. */
bool sac_lesson_read_cell(const char *text, size_t length, sac_lesson_edit *cell);
/* Builds the graph and computes it. SAC_E_ARGUMENT if an edit is of no cell, SAC_E_SHAPE if the
 * user's arrays do not fit, or the device's error. */
sac_status sac_lesson_compute(sac_lesson *lesson, sac_device *device, sac_error *error);

/* ---- for the lessons */

float sac_lesson_value(const sac_lesson *lesson, const char *parameter);
/* An array of the lesson's: a person's own of that name and rank where there is one, with the edits
 * of its cells. */
sac_node sac_lesson_given(sac_lesson *lesson, const char *name, sac_small_shape shape,
                          const float *numbers);
/* 1 where key j comes after query i, if `causal`, else 0: [queries,keys], a person's own if given.
 */
sac_node sac_lesson_blocked(sac_lesson *lesson, const char *name, size_t queries, size_t keys,
                            bool causal);
/* Names of rows and of columns, lent; each where it has as many as the array, NULL: none. */
void sac_lesson_label(sac_lesson *lesson, sac_node node, const char *const *rows, size_t row_count,
                      const char *const *columns, size_t column_count);
/* A step that shows these arrays, with its questions about them. */
void sac_lesson_step_add(sac_lesson *lesson, const sac_lesson_step *step,
                         const sac_node arrays[SAC_STEP_ARRAYS]);
#define SAC_LESSON_STEP(lesson, step, ...)                                                         \
    sac_lesson_step_add(lesson, &(step), (const sac_node[SAC_STEP_ARRAYS]){__VA_ARGS__})
/* A drawing of the steps first … last, from 0. */
void sac_lesson_draw(sac_lesson *lesson, const sac_lesson_drawing *drawing, int first, int last);
/* Numbers for an axis: `count` from `low` to `high` in even steps, [count,1]. */
sac_node sac_lesson_axis(sac_lesson *lesson, const char *name, float low, float high, size_t count);
/* Weight [out,in] and bias [out] of torch.nn.Linear, as PyTorch draws them. */
struct sac_torch_random;
typedef struct sac_lesson_linear {
    sac_node weight, bias;
} sac_lesson_linear;
sac_lesson_linear sac_lesson_linear_drawn(sac_lesson *lesson, const char *weight, const char *bias,
                                          size_t in, size_t out, struct sac_torch_random *random);

/* ---- what is asked */

/* False: the lesson asks nothing. The lesson is computed. */
bool sac_lesson_question(const sac_lesson *lesson, uint64_t seed, sac_asked *asked);
char *sac_asked_text(const sac_lesson *lesson, const sac_asked *asked, sac_lesson_language language,
                     char *text, size_t size);

#endif
