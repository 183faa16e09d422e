/* The lesson view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_LESSON_LESSON_STATE_H
#define VIZ_LESSON_LESSON_STATE_H

#include "lesson/lesson_layout.h"
#include "lesson/lesson_view.h"
#include "parts/spots.h"
#include "view/request.h"

#define LESSON_STEP_SECONDS 4.0 /* of an animation */
#define LESSON_CELL_NAME 96
#define LESSON_COMMAND 8192

typedef struct lesson_view {
    viz_view base;
    sac_source *source;        /* lent; asked on the worker only */
    sac_lesson_request wanted; /* which lesson of which numbers is asked for … */
    uint64_t demand;           /* … counted up when that changes */
    viz_request request;
    sac_shown_lesson lesson; /* as it came last; owned */
    bool known;
    int step; /* from 0 */
    sac_lesson_language language;

    char cell_name[LESSON_CELL_NAME]; /* "weights,2,1", that a person chose; empty: none */
    lesson_cell chosen, hovered;      /* the same in the lesson that is known; hovered by pointer */
    lesson_cell current;              /* as drawn last: hovered, else chosen, else the usual one */
    sac_arithmetic arithmetic;        /* of `current`; owned */

    bool all_pages; /* on paper: every step, not the one that is shown */
    bool figure;    /* by itself, for paper: nothing that is pressed */
    bool quiz;      /* questions are asked, and what they are about is hidden */
    uint64_t quiz_seed;
    bool has_question, answered;
    sac_asked asked;
    char typed[24]; /* the answer */
    float said;
    bool by_bar, bar_held; /* said by the bar, which is held */
    bool writes;           /* a sentence, whose letters so far are: */
    char written[256];
    bool codes;       /* the lines of PyTorch are shown … */
    bool code_copied; /* … and to be copied */
    viz_colormap map; /* of shares */
    bool lists;       /* the list is shown, and no lesson */
    int marked;       /* in the list */
    viz_rect list_area;
    int door;                     /* of the step, that is marked */
    const sac_lesson_door *opens; /* chosen, and to be opened by whoever holds the view */
    lesson_cell held;             /* a given number that is dragged; array 0: none */
    float held_value, held_y;     /* when that began */
    int dragged;                  /* the parameter whose slider is held; −1: none */
    lesson_layout layout;
} lesson_view;

static inline lesson_view *lesson_of(viz_view *view)
{
    return (lesson_view *)view;
}

/* A text in the view's language. */
static inline const char *lesson_text(const lesson_view *v, sac_text text)
{
    const char *in = text.in[v->language];
    return in ? in : "";
}
static inline const sac_shown_array *lesson_array(const lesson_view *v, sac_node node)
{
    return &v->lesson.arrays[node - 1];
}
static inline const sac_lesson_step *lesson_step(const lesson_view *v)
{
    return &v->lesson.steps[v->step];
}

/* ---- cells (lesson_cells.c) */

/* "weights,2,1" into `text`, which is returned. */
char *lesson_cell_name(const lesson_view *v, lesson_cell cell, char *text, size_t size);
/* The reverse; array 0 where the lesson has no such cell. */
lesson_cell lesson_cell_named(const lesson_view *v, const char *name);
/* The step shows the cell's array. */
bool lesson_shows(const lesson_view *v, lesson_cell cell);
/* The last row's first cell of what the step is about: the last array that is not given. */
lesson_cell lesson_usual_cell(const lesson_view *v);
/* Finds out which cell is looked at, and its arithmetic. */
void lesson_look(lesson_view *v);
void lesson_choose(lesson_view *v, lesson_cell cell);
/* To a neighbour: rows down and columns to the right; past the side of an array to the
 * next one, and past its last row to the first. */
bool lesson_move(lesson_view *v, int rows, int columns);

/* ---- numbers (lesson_settings.c) */

/* The setting `key` in the lesson that is wanted gets that value; its own where it is the one that
 * the lesson begins with. */
void lesson_set(lesson_view *v, const char *key, float value, bool own);
/* Back to the lesson's own numbers; false: it has them. */
bool lesson_reset(lesson_view *v);
bool lesson_turn(lesson_view *v, int step);
void lesson_open(lesson_view *v, int index); /* of the list */

/* ---- the list (lesson_list.c) */

void lesson_list_draw(lesson_view *v, viz_canvas *canvas, viz_rect area);
bool lesson_list_event(lesson_view *v, const viz_event *event);
void lesson_list_spots(const lesson_view *v, viz_spots *spots);
/* ---- questions (lesson_quiz.c) */

static inline bool lesson_asks(const lesson_view *v) /* one waits for its answer */
{
    return v->quiz && v->has_question && !v->answered;
}
bool lesson_hides(const lesson_view *v, sac_node node);
void lesson_ask(lesson_view *v);            /* the question of quiz_seed */
bool lesson_asks_row(const lesson_view *v); /* and not about one of its cells */
lesson_cell lesson_asked_cell(const lesson_view *v);
const char *lesson_how_to_answer(const lesson_view *v);
void lesson_tell_question(const lesson_view *v, char *text, size_t size);
void lesson_tell_answer(const lesson_view *v, char *text, size_t size);
bool lesson_quiz_press(lesson_view *v, lesson_cell cell);
bool lesson_quiz_key(lesson_view *v, int key);

/* ---- a transformer's drawing (lesson_block.c) */

/* Lays it into the upper part of `room`; returns its height, 0: the step has none, or no room. */
float lesson_block_lay(lesson_view *v, viz_rect room);
void lesson_block_draw(const lesson_view *v, viz_canvas *canvas);
int lesson_block_hit(const lesson_view *v, float x, float y); /* a step; −1: none */
void lesson_block_spots(const lesson_view *v, viz_spots *spots);

/* ---- ways out of a lesson (lesson_doors.c) */

/* Lays them along the lower edge of `room`; returns their height. */
float lesson_doors_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room);
void lesson_doors_draw(const lesson_view *v, viz_canvas *canvas);
bool lesson_doors_press(lesson_view *v, float x, float y);
bool lesson_doors_key(lesson_view *v, int key);
void lesson_doors_spots(const lesson_view *v, viz_spots *spots);

/* ---- a sentence of a person's own (lesson_write.c) */

void lesson_tell_writing(const lesson_view *v, char *text, size_t size);
bool lesson_write_key(lesson_view *v, const viz_event *event);

/* ---- PyTorch (lesson_code.c) */

const char *lesson_code_shown(const lesson_view *v); /* NULL: none is */
/* Lays the lines along the lower edge of `room`; returns their height. */
float lesson_code_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room);
void lesson_code_draw(const lesson_view *v, viz_canvas *canvas);
/* Shows the lines and has them copied, or hides them. */
bool lesson_code_key(lesson_view *v);
const char *lesson_code_copied(viz_view *view);

/* ---- a number that is guessed (lesson_bar.c) */

void lesson_bar_lay(lesson_view *v);
void lesson_bar_draw(const lesson_view *v, viz_canvas *canvas);
bool lesson_bar_event(lesson_view *v, const viz_event *event); /* letting go is the answer */
bool lesson_bar_is_close(const lesson_view *v);

/* ---- a table for a file (lesson_table.c) */

bool lesson_table(const viz_view *view, viz_table *table);
char *lesson_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size);
sac_status lesson_table_row(viz_view *view, size_t row, float *values, sac_error *error);

/* ---- looks and events */
extern const sac_text lesson_reset_text;
void lesson_lay(lesson_view *v, viz_canvas *canvas, viz_rect area);
void lesson_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
bool lesson_event(viz_view *view, const viz_event *event);
void lesson_spots(const viz_view *view, viz_spots *spots);

#endif
