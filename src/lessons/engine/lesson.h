/* A lesson: a short sequence of steps over small named arrays that the device computes. What a step
 * shows is a function of the lesson, its parameters and the arrays that a person gave. */
#ifndef SAC_LESSONS_ENGINE_LESSON_H
#define SAC_LESSONS_ENGINE_LESSON_H

#include "images/image.h"
#include "lessons/engine/graph.h"
#include "saccade_arrays.h"

enum {
    SAC_LESSON_QUESTIONS = 24,
    SAC_LESSON_OWN_LABELS = 64,
    SAC_LESSON_CREDIT = 96, /* bytes of the author and licence of a picture */
    SAC_LESSON_ROWS = 12,   /* of an array that a person gives, at most */
    SAC_LESSON_COLUMNS = 16,
    SAC_LESSON_SENTENCE = sizeof((sac_lesson_request *)0)->text,
    SAC_LESSON_SETTINGS = sizeof((sac_lesson_request *)0)->settings,
};

/* One of several reasons, and what it claims of the lesson's numbers where that can be computed. */
typedef struct sac_reason {
    const char *text;
    const char *left;  /* "weights,0,1"; NULL: nothing is claimed */
    char relation;     /* '<', '=' or '>' */
    const char *right; /* another cell, or a number */
} sac_reason;

/* A question with choices. What is right is computed: by the lesson of the settings `before`, and of
 * `after`. */
typedef struct sac_lesson_ask {
    sac_question_kind kind;
    const char *text;
    const char
        *cell; /* "weights,2,1"; of SAC_ASK_GAINS any cell of the row, of SAC_ASK_WHY any of the
                         array that it is about; NULL: what the last step is about */
    const char *before, *after; /* "causal=0 temperature=4"; NULL: its own */
    sac_reason
        reasons[SAC_CHOICES]; /* of SAC_ASK_WHY, up to the first without a text; the right one is
                                        the first */
    const char *why;
} sac_lesson_ask;

typedef struct sac_lesson sac_lesson;
typedef struct sac_lesson_class {
    const char *name; /* "step-by-step" */
    const char *title, *summary;
    const sac_lesson_parameter *parameters; /* ends with a zeroed one; NULL: none */
    uint64_t seed;                          /* of its weights, before a person gives another */
    const sac_lesson_ask *asks;             /* ends with one without a text; NULL: none */
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
    uint64_t seed;            /* torch.manual_seed */
    sac_device *device;       /* lent while the lesson is computed, for what it measures */
    const sac_arrays *own;    /* lent: arrays that take the place of the lesson's; NULL: none */
    const sac_image *picture; /* lent: in place of the lesson's; NULL: none */
    const sac_image *sight;   /* lent: that drawings show where there is none; NULL: none */
    char sight_credit[SAC_LESSON_CREDIT]; /* author and licence of `sight`; empty: not named */
    char sentence[SAC_LESSON_SENTENCE];   /* that a person typed … */
    const char *words[SAC_LESSON_ROWS];   /* … and its words, in it */
    int word_count;
    bool uses_words, uses_picture; /* the lesson does */
    const char *own_labels
        [SAC_LESSON_OWN_LABELS]; /* lists that arrays are labelled by, one after the other */
    size_t own_label_count;
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
/* Several, with spaces between. */
sac_status sac_lesson_set_all(sac_lesson *lesson, const char *settings, sac_error *error);
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
/* Room for so many labels, for as long as the lesson is there. NULL: there is no more. */
const char **sac_lesson_own_labels(sac_lesson *lesson, size_t count);
/* Whether these labels are terms, which are translated, and no words of a sentence. */
void sac_lesson_label_terms(sac_lesson *lesson, sac_node node, bool rows, bool columns);
/* A step that shows these arrays, with its questions about them. */
void sac_lesson_step_add(sac_lesson *lesson, const sac_lesson_step *step,
                         const sac_node arrays[SAC_STEP_ARRAYS]);
#define SAC_LESSON_STEP(lesson, step, ...)                                                         \
    sac_lesson_step_add(lesson, &(step), (const sac_node[SAC_STEP_ARRAYS]){__VA_ARGS__})
/* A drawing of the steps first … last, from 0. */
void sac_lesson_add_drawing(sac_lesson *lesson, const sac_lesson_drawing *drawing, int first,
                            int last);
/* Numbers for an axis: `count` from `low` to `high` in even steps, [count,1]. */
sac_node sac_lesson_axis(sac_lesson *lesson, const char *name, float low, float high, size_t count);
/* Weight [out,in] and bias [out] of torch.nn.Linear, as PyTorch draws them. */
struct sac_torch_random;
typedef struct sac_lesson_linear {
    sac_node weight, bias;
} sac_lesson_linear;
sac_lesson_linear sac_lesson_random_linear(sac_lesson *lesson, const char *weight, const char *bias,
                                           size_t in, size_t out, struct sac_torch_random *random);

/* ---- what is asked */

/* Adds the questions with choices, whose answers it computes with the lesson's own numbers. The lesson is
 * computed. */
sac_status sac_lesson_add_questions(sac_lesson *lesson, sac_device *device, sac_error *error);
/* False: the lesson asks nothing. The lesson is computed. */
bool sac_lesson_pick_one_question(const sac_lesson *lesson, uint64_t seed, sac_asked *asked);
/* Different questions, in the order of the steps: each once, then those of other cells; returns how
 * many there are. */
int sac_lesson_pick_questions(const sac_lesson *lesson, uint64_t seed, sac_asked *asked, int most);
char *sac_asked_text(const sac_lesson *lesson, const sac_asked *asked, sac_locale language,
                     char *text, size_t size);
char *sac_choice_text(const sac_lesson *lesson, const sac_asked *asked, int place,
                      sac_locale language, char *text, size_t size);
/* The number of a cell, "weights,2,1"; false: there is none. */
bool sac_lesson_cell_number(const sac_lesson *lesson, const char *cell, float *number);

/* ---- what a parameter changes: which steps show something else when it is moved */

/* For each parameter a bit for each step, the lowest for the first, that is set where nothing of the
 * step changes with it. The lesson is built again with other values of the parameter, and what the
 * steps are computed of is compared; nothing is computed. The lesson is computed. */
void sac_lesson_find_idle_steps(const sac_lesson *lesson, unsigned idle[SAC_LESSON_PARAMETERS]);

/* ---- a person's own data in place of the lesson's: a sentence, a picture, arrays */

/* The kind of a file, by its content: a picture, or arrays. */
typedef struct sac_own_file {
    sac_image picture; /* its rgba NULL: it is none */
    sac_arrays *arrays;
} sac_own_file;
sac_status sac_own_file_open(const char *path, sac_own_file *file, sac_error *error);
void sac_own_file_close(sac_own_file *file); /* takes a zeroed one */

/* The words of `text`, 1 to SAC_LESSON_ROWS, in place of the lesson's. */
sac_status sac_lesson_read_sentence(sac_lesson *lesson, const char *text, sac_error *error);

/* [rows,columns] of numbers between 0 and 1: `numbers`, or the brightness of a person's picture. */
sac_node sac_lesson_picture_luminance(sac_lesson *lesson, const char *name, sac_small_shape shape,
                                      float *numbers);
/* [3,rows,columns]: red, green and blue, 0 to 1, of a person's picture or of that which comes along; 0:
 * there is neither. */
sac_node sac_lesson_photo_colors(sac_lesson *lesson, const char *name, size_t rows, size_t columns);
/* Author and licence of that picture; NULL: not named, or it is a person's own. */
const char *sac_lesson_sight_credit(const sac_lesson *lesson);
size_t sac_lesson_use_words(sac_lesson *lesson); /* 0: it has its own */
/* Where the word stands first: the same number for the same word. */
size_t sac_lesson_first_occurrence(const sac_lesson *lesson, size_t word);
void sac_lesson_label_words(sac_lesson *lesson, sac_node node, bool rows, bool columns);

#endif
