/* The lesson view's state, which its files share, and the few steps that change it. */
#ifndef VIZ_LESSON_LESSON_STATE_H
#define VIZ_LESSON_LESSON_STATE_H

#include "canvas/colormap.h"
#include "lesson/lesson_view.h"
#include "parts/controls/spots.h"
#include "parts/controls/widgets.h"
#include "parts/figures/lines.h"
#include "parts/figures/plot.h"
#include "parts/pages/steps.h"
#include "parts/playback/pace.h"
#include "sources/lesson.h"
#include "view/request.h"
#include <stdio.h>

/* The numbers of an array as its cells show them: all with the same decimals, so that they line up.
 */

enum { LESSON_MOST_DECIMALS = 3 };

typedef struct lesson_format {
    int decimals; /* 0: the numbers are whole */
    bool given;   /* those of it that are whole have none: a person set the others */
    int letters;  /* of the longest number */
    float noise;  /* numbers below it are what rounding left of 0 */
} lesson_format;

/* With at most `most` decimals. */
lesson_format lesson_format_of(const sac_shown_array *array, int most);
/* 0 and ±∞ as such; a number below them all as "2e−9". Returns `text`. */
char *lesson_number(const lesson_format *format, float value, char *text, size_t size);

/* The colours of an array's cells. */
typedef struct lesson_heat {
    bool shares;
    float most;       /* the magnitude that colours go up to */
    float noise;      /* numbers below it have no colour */
    viz_colormap map; /* of shares */
} lesson_heat;
lesson_heat lesson_heat_of(const sac_shown_array *array, viz_colormap map);
/* Numbers on it have a contrast of at least 7. */
viz_color lesson_heat_color(const lesson_heat *heat, const viz_theme *theme, float value);

/* The rectangles of a lesson's page, which drawing and hit-testing both read. */

enum { LESSON_ARITHMETIC = 1200, LESSON_LOOKED = 64 };

/* A cell of an array; array 0: none. */
typedef struct lesson_cell {
    sac_node array;
    size_t cell; /* counted through the array, rows first */
} lesson_cell;

/* An array on the page: as much of it as fits, in batches of rows and columns. */
typedef struct lesson_block {
    sac_node node;
    viz_rect rect;                                           /* name, labels and cells */
    lesson_format format, formats[LESSON_MOST_DECIMALS + 1]; /* with so many decimals at most */
    int decimals;
    float number;   /* size of its digits */
    float most;     /* the largest magnitude, to which its colours go */
    bool made_here; /* by this step: the result of what was there before */
    bool arrow;     /* one points to it from the arrays before */
    bool level;     /* its cells stand as low as those below labels, which are beside it */
    bool unshaped;  /* there is no room for its shape: "…" marks that it is cut */
    size_t first_batch, batches, first_row, rows, first_column, columns; /* shown */
    size_t across;                      /* batches beside each other; the next ones stand below */
    float name_h, label_h, gutter;      /* above the cells, and left of them */
    float name_w, labels_w;             /* of its name, and of the widest label of a column */
    float cell_w, cell_h, gap_x, gap_y; /* gaps between batches */
} lesson_block;

/* A panel of a drawing: the numbers of its axes at the edges of its frame. */
typedef struct lesson_panel {
    viz_rect rect, frame; /* with the names of its axes, and without */
    viz_axis x, y;
    float name_end;   /* the right side of the name of its level axis … */
    bool named_below; /* … which has a line of its own, below the numbers */
} lesson_panel;

typedef struct lesson_handle {
    float x, y;
    viz_rect rect; /* in which it is taken; empty: it is not shown */
    float stride;  /* of a key; 0: the usual one */
    int id;        /* by which keys find it where it goes, from 1 on; 0: by its place in the list */
} lesson_handle;

/* What is on the page of a step that has a drawing. */
typedef enum lesson_shown {
    LESSON_BOTH = 0, /* where there is room; else the numbers */
    LESSON_DRAWING,
    LESSON_NUMBERS,
    LESSON_SHOWN_COUNT
} lesson_shown;

typedef struct lesson_drawing_layout {
    viz_rect room; /* empty: it is not shown */
    bool alone;    /* no array is */
    bool both;     /* there is room for it and arrays … */
    bool beside;   /* … to its left, … */
    bool below;    /* … or in a figure above it, which has the height for both */
    float text;    /* size of it */
    int beat;      /* lesson_current_beat, when it was laid out */
    viz_rect turn; /* the chip that shows drawing or numbers; empty: there is none */
    lesson_panel panels[SAC_DRAWING_PANELS];
    viz_lines_layout lines; /* of two sentences */
    lesson_handle handles[SAC_DRAWING_HANDLES];
} lesson_drawing_layout;

enum { LESSON_PAST = 12 };

/* The arrays of a step, in their places. */
typedef struct lesson_spread {
    lesson_block blocks[SAC_STEP_ARRAYS];
    lesson_block past[LESSON_PAST]; /* of steps before, which nothing covers */
    int count, past_count;
    float number; /* size of digits */
    bool cut;     /* a part is shown, round the selected cell */
} lesson_spread;

typedef struct lesson_layout {
    float unit; /* of letters: 1 at 1280 × 756 */
    viz_rect area;
    float title, sentence, formula, number, label, notice; /* sizes of text */
    float title_y, sentence_y, formula_y, arithmetic_y, notice_y;
    float arithmetic;                             /* size of its text: */
    char equation[LESSON_ARITHMETIC], result[32]; /* "weights[2,1] = …", "0.503" */
    const char *sign;                             /* between them: "=" */
    char noticed[600];
    float notice_x; /* beside a verdict */
    viz_rect back;  /* to the gallery, before the title; empty: a figure has no such way */
    viz_turns turns;
    viz_rect reset;   /* to the lesson's own numbers; empty: it has them */
    float head_right; /* where buttons in the line of steps end */
    viz_rect room;    /* of the arrays */
    lesson_drawing_layout drawing;
    viz_rect block;   /* of a transformer's drawing, above them */
    bool block_large; /* it has their place, too */
    lesson_block blocks[SAC_STEP_ARRAYS], past[LESSON_PAST];
    int block_count, past_count;
    bool planned;   /* they stand where the plan of all steps has them */
    float answer_y; /* of the instructions for answering */
    viz_rect bar;   /* by which a number is guessed; empty: none is */
    viz_rect doors[SAC_STEP_DOORS];
    viz_rect code;    /* lines of PyTorch */
    bool unmentioned; /* the arithmetic has no space beside them, or no array beside a drawing */
    viz_rect controls;
    viz_slider sliders[SAC_LESSON_PARAMETERS];
    viz_rect switches[SAC_LESSON_PARAMETERS]; /* one of the two is empty */
    int control_count;
    viz_caps caps;
} lesson_layout;

/* "2×4×10", and what is shown of it: "2×4×10  [0]  4×6". Returns `text`. */
char *lesson_block_shape(const lesson_block *block, const sac_shown_array *array, char *text,
                         size_t size);
/* The place of a cell of a block; empty where it is not shown. */
viz_rect lesson_cell_rect(const lesson_block *block, const sac_shown_array *array, size_t cell);
/* The cell at a place; false: none. */
bool lesson_cell_at(const lesson_block *block, const sac_shown_array *array, float x, float y,
                    size_t *cell);

/* The state for which the arrays are laid out: these of the lesson, around the selected cell. */
typedef struct lesson_arrays {
    const sac_shown_lesson *lesson;
    const lesson_cell *looked_at; /* [looked_count]: kept in sight where an array is cut */
    size_t looked_count;
    float number, least, label; /* sizes of text: the largest of numbers, the least of them … */
    float gap;                  /* between arrays */
    sac_locale language;
    float usual; /* the size of numbers below which they rather lose a decimal */
} lesson_arrays;
/* Lays out the arrays of a step at the top of `room`, from left to right and line by line, with the
 * largest digits that fit. Arrays that do not fit even in the least ones are cut. */
void lesson_spread_one(const lesson_arrays *arrays, const viz_canvas *canvas, viz_rect room,
                       int step, lesson_spread *spread);
/* The same of all steps, each in its room, [SAC_LESSON_STEPS]: with digits and rows of one size where
 * they are not very different, and an array of the step before in its place there where the new ones
 * have room beside it. */
void lesson_spread_all(const lesson_arrays *arrays, const viz_canvas *canvas, const viz_rect *rooms,
                       lesson_spread *spreads);
void lesson_spread_move_down(lesson_spread *spread, float by);
/* The height below the arrays. */
float lesson_spread_height_below(const lesson_spread *spread, viz_rect room);

enum { LESSON_ENTRIES = 64 }; /* of the gallery, at most */

/* Lessons as tiles under the names of their groups; the picture of each is drawn from its own arrays,
 * which are computed when it comes into sight. */
typedef struct lesson_gallery {
    sac_shown_lesson *lessons[LESSON_ENTRIES]; /* owned; NULL: not computed */
    bool asked[LESSON_ENTRIES], out;           /* of the worker; a job is out */
    viz_rect area, tiles[LESSON_ENTRIES];      /* as drawn last; tiles without scrolling */
    float headings[LESSON_ENTRIES];            /* baselines; of entries that begin a group */
    float picture_h, height, scroll;
    bool reveals; /* the marked one is brought into sight when it is drawn */
} lesson_gallery;

enum { LESSON_HEADS = 16 }; /* of a drawing, at most */

enum { LESSON_QUIZ = 5, LESSON_SHEET = 8 }; /* questions of a quiz, and of a worksheet, at most */

/* A question with choices, its verdict and its reason. */
typedef struct lesson_card {
    const sac_asked *asked; /* lent; NULL: there is none */
    int chosen;             /* −1: not answered */
    viz_rect rect, items[SAC_CHOICES];
    float size, why_y;
} lesson_card;

enum {
    LESSON_BUTTON_QUIZ,
    LESSON_BUTTON_ON,
    LESSON_BUTTON_LEAVE,
    LESSON_BUTTON_LIST,
    LESSON_BUTTONS
};

struct lesson_view;
void lesson_arrays_draw(const struct lesson_view *v, viz_canvas *canvas); /* as they are laid out */

/* The places of the arrays in all steps, and what they were laid out for. */
typedef struct lesson_plan {
    struct lesson_plan_key {
        uint64_t taught, shapes; /* the lesson; 0: nothing is laid out */
        viz_rect area;
        const viz_theme *theme;
        sac_locale language;
        lesson_shown shown;
        bool codes, asks, changed;
    } key;
    viz_rect rooms[SAC_LESSON_STEPS];
    float down[SAC_LESSON_STEPS]; /* from the upper edge of its room to the arrays */
    int yields[SAC_LESSON_STEPS]; /* times that a drawing made room for arrays beside it */
    bool
        crowded[SAC_LESSON_STEPS]; /* presented, too little of the arrays would be seen beside it */
    bool alone[SAC_LESSON_STEPS];  /* the drawing has no room beside arrays, which would be cut */
    lesson_spread spreads[SAC_LESSON_STEPS];
    bool kept; /* a number was dragged since it was made */
} lesson_plan;

#define LESSON_STEP_SECONDS 4.0f /* of an animation without motion */
#define LESSON_LOW_PAGE 420.0f   /* in a page less high numbers come before controls and commands */
#define LESSON_CELL_NAME 96
#define LESSON_COMMAND 8192

/* What paper and animations hold. */
typedef enum lesson_extent {
    LESSON_SHOWN_PAGE = 0, /* on paper the step that is shown, in an animation all */
    LESSON_ONE_PAGE,       /* that step */
    LESSON_ALL_PAGES
} lesson_extent;

/* The way from one step to a later one, or back. */
typedef struct lesson_motion {
    bool has_clock; /* a window ticks; without one a step is there at once */
    bool moves, back;
    int lower, upper;   /* steps; lower −1: nothing was there before */
    bool begins;        /* with the next tick */
    bool plays;         /* the next step follows by itself */
    bool exported;      /* lesson_motion_frame set the time */
    double now, since;  /* seconds: now, and when it began … */
    double rests_since; /* … or ended */
    int beat;           /* as drawn last, from 1 on: lesson_current_beat; 0: none */
} lesson_motion;

/* A parameter that goes on while the lesson plays, and the value that it has otherwise. */
typedef struct lesson_draws {
    bool on;
    int parameter;
    float own;
} lesson_draws;

typedef struct lesson_view {
    viz_view base;
    sac_source *source;        /* lent; asked on the worker only */
    sac_lesson_request wanted; /* which lesson of which numbers is requested … */
    uint64_t demand;           /* … counted up when that changes */
    viz_request request;
    sac_shown_lesson lesson; /* as it came last; owned */
    bool known;
    uint64_t taught; /* counted up with each lesson that came */
    int step;        /* from 0 */
    sac_locale language;

    char cell_name[LESSON_CELL_NAME]; /* "weights,2,1", that a person chose; empty: none */
    lesson_cell chosen, hovered;      /* the same in the lesson that is known; hovered by pointer */
    lesson_cell current;              /* as drawn last: hovered, else chosen, else the usual one */
    sac_arithmetic arithmetic;        /* of `current`; owned */

    lesson_extent pages;
    bool quiz; /* questions are asked, and what they are about is hidden */
    uint64_t quiz_seed;
    bool quizzed;                  /* one was begun before: the next one asks other questions */
    bool knows_asks;               /* the lesson that is known has its questions with choices */
    sac_asked sheet[LESSON_SHEET]; /* the questions, in `lesson` … */
    int sheet_count, at;           /* … and the one that is asked: */
    sac_asked asked;
    bool has_question, answered, right;
    lesson_card card;           /* where it has choices */
    bool results[LESSON_SHEET]; /* of those before it */
    int right_count;
    char typed[24]; /* the answer */
    float answer;
    bool by_bar, bar_held; /* set by the bar, which is being dragged */
    bool ends;             /* behind the last step: what comes next … */
    int scored;            /* … and of how many questions the score is; 0: no quiz was done */
    sac_asked last[2];     /* questions there */
    lesson_card cards[2];
    viz_rect buttons[LESSON_BUTTONS]; /* as drawn last; empty: not there */
    int borrowed; /* the entry, from 1, whose lesson stands in `lesson`, for a sheet of all; 0: none */
    bool writes; /* a sentence, whose letters so far are: */
    char written[256];
    bool codes;       /* the lines of PyTorch are shown … */
    bool code_copied; /* … and to be copied */
    viz_colormap map; /* of shares */
    bool lists;       /* the gallery is shown, and no lesson */
    bool opening;     /* the lesson that is wanted was chosen in it */
    int marked;       /* in it */
    lesson_gallery gallery;
    int door;                     /* of the step, that is marked */
    const sac_lesson_door *opens; /* chosen, and to be opened by the shell that holds the view */
    lesson_cell held;             /* a given number that is dragged; array 0: none */
    float held_value, held_x, held_y, held_step; /* when that began */
    int dragged;          /* the parameter whose slider is held; −1: none */
    lesson_shown shown;   /* of the arrays and their drawing */
    bool drawn_below;     /* in a figure, where beside the drawing arrays would be cut */
    int handle_over;      /* of the drawing, that is pointed at; −1: none */
    int handle;           /* that was taken last; −1: none … */
    bool handle_held;     /* … and is held: what is dragged stays under the hand, … */
    float grip_x, grip_y; /* from where it was taken to its middle */
    lesson_panel held_panels[SAC_DRAWING_PANELS]; /* … as axes keep their ends meanwhile */
    const void *moved_in; /* the lesson whose rows changed places, and which is computed anew */
    bool paints, covers;  /* a curtain is drawn over the cells that the pointer meets, or lifted */
    int band_row, band_column;      /* the word of two sentences that is pointed at; −1: none */
    bool heads_shown[LESSON_HEADS]; /* whose bands are drawn */
    lesson_layout layout;
    lesson_plan plan;
    viz_pace pace;
    lesson_motion motion;
    lesson_draws draws;
} lesson_view;

static inline lesson_view *lesson_of(viz_view *view)
{
    return (lesson_view *)view;
}

/* A text in the view's language; empty where there is none. */
__attribute__((format_arg(2))) static inline const char *lesson_text(const lesson_view *v,
                                                                     const char *text)
{
    return text ? sac_translate(v->language, text) : "";
}
static inline const sac_shown_array *lesson_array(const lesson_view *v, sac_node node)
{
    return &v->lesson.arrays[node - 1];
}
/* The label of a row or column: its word, or its number. */
static inline const char *lesson_label(const lesson_view *v, const sac_shown_array *array,
                                       bool of_rows, size_t index, char number[24])
{
    const char *label = sac_shown_label(array, of_rows, index, v->language);
    if (!label)
        snprintf(number, 24, "%zu", index);
    return label ? label : number;
}
/* What of a cell is filled: a gap is left to the next ones. */
static inline viz_rect lesson_cell_ground(viz_rect cell)
{
    float gap = cell.h > 26 ? 2 : 1;
    return (viz_rect){cell.x, cell.y, cell.w - gap, cell.h - gap};
}
/* A figure of one step: nothing names the others. */
static inline bool lesson_is_alone(const lesson_view *v)
{
    return v->base.figure && v->pages != LESSON_ALL_PAGES;
}
static inline const sac_lesson_step *lesson_step(const lesson_view *v)
{
    return &v->lesson.steps[v->step];
}

/* A number is being changed: nothing else moves meanwhile, and no colour changes its meaning. */
static inline bool lesson_is_dragged(const lesson_view *v)
{
    return v->held.array || v->dragged >= 0 || v->handle_held || v->paints;
}

/* ---- motion (lesson_motion.c) */

static inline bool lesson_moves(const lesson_view *v)
{
    const lesson_motion *m = &v->motion;
    return m->moves && v->step == (m->back ? m->lower : m->upper);
}
/* How much faster things move than usual. */
static inline float lesson_pace(const lesson_view *v)
{
    static const float paces[VIZ_PACES] = {1, 0.6f, 1, 2};
    return paces[v->pace];
}
#define LESSON_BEAT 1.0f /* seconds for each thing that a drawing shows one after the other */
void lesson_motion_begin(lesson_view *v, int from, int to);
bool lesson_motion_end(lesson_view *v); /* the step is there; false: it was */
bool lesson_motion_play(lesson_view *v, bool plays);
bool lesson_motion_tick(lesson_view *v, double now);
/* The cell that is being made; array 0: none. */
lesson_cell lesson_motion_cell(const lesson_view *v);
/* The arrays of both steps, in place of those of this one. */
void lesson_motion_draw(const lesson_view *v, viz_canvas *canvas);
int lesson_motion_frames(const lesson_view *v, int fps);
void lesson_motion_frame(lesson_view *v, int index, int fps);

/* ---- arrays as they are drawn */

/* ---- cells */

/* "weights,2,1" into `text`, which is returned. */
char *lesson_cell_name(const lesson_view *v, lesson_cell cell, char *text, size_t size);
/* The reverse; array 0 where the lesson has no such cell. */
lesson_cell lesson_cell_named(const lesson_view *v, const char *name);
/* The step shows the cell's array. */
bool lesson_shows(const lesson_view *v, lesson_cell cell);
/* Of the last array that the step makes, else shows and is not given, else shows: the largest number in the
 * last row whose numbers differ, else the first in the last row. */
lesson_cell lesson_usual_cell(const lesson_view *v);
/* Finds the selected cell, and its arithmetic. */
void lesson_update_current(lesson_view *v);
void lesson_choose(lesson_view *v, lesson_cell cell);
/* To a neighbour: rows down and columns to the right; past the side of an array to the
 * next one, and past its last row to the first. */
bool lesson_move(lesson_view *v, int rows, int columns);

/* ---- numbers on their colours */

typedef struct lesson_paint {
    lesson_heat heat;
    lesson_format format;
    float number; /* size of digits */
    float alpha;
} lesson_paint;

/* ---- numbers */

/* The parameter changes nothing of this step. */
static inline bool lesson_is_idle(const lesson_view *v, int parameter)
{
    return v->lesson.idle[parameter] >> v->step & 1;
}

/* The setting `key` in the lesson that is wanted gets that value; its own where it is the one that
 * the lesson begins with. */
void lesson_request_setting(lesson_view *v, const char *key, float value, bool own);
/* A parameter, within its range; what is shown of it changes at once. */
void lesson_set_parameter(lesson_view *v, int parameter, float value);
bool lesson_turn(lesson_view *v, int step);
void lesson_open(lesson_view *v, int index); /* of the gallery */
int lesson_entry(const lesson_view *v);      /* the one that is open; −1: none */

/* ---- the gallery of lessons */

bool lesson_gallery_show(lesson_view *v); /* with the open lesson marked */
void lesson_gallery_draw(lesson_view *v, viz_canvas *canvas, viz_rect area);
/* Of all of it in a page of that width. */
float lesson_gallery_height(lesson_view *v, const viz_canvas *canvas, float width);
void lesson_gallery_spots(const lesson_view *v, viz_spots *spots);
bool lesson_gallery_event(lesson_view *v, const viz_event *event);
/* A disc with ✓ in it. */
void lesson_check_mark_draw(viz_canvas *canvas, float x, float y, float radius, viz_color disc,
                            viz_color ink);
void lesson_gallery_free(lesson_gallery *gallery);
/* The next entry in sight that has no picture yet and was not requested; −1: none. */
int lesson_gallery_next_missing(const lesson_view *v);

/* ---- questions */

static inline bool lesson_asks(const lesson_view *v) /* one waits for its answer */
{
    return v->quiz && v->has_question && !v->answered;
}
bool lesson_hides(const lesson_view *v, sac_node node);
/* Also of what is made of a hidden result alone; on paper also what another question asks for, where this one
 * is not computed of it. */
bool lesson_hides_cell(const lesson_view *v, sac_node node, size_t cell);
int lesson_most_questions(const lesson_view *v);
void lesson_make_questions(lesson_view *v);    /* the first question of quiz_seed */
void lesson_refresh_questions(lesson_view *v); /* of a lesson that was computed anew */
void lesson_request_questions(lesson_view *v); /* questions with choices */
bool lesson_quiz_begin(lesson_view *v);
bool lesson_quiz_next(lesson_view *v); /* after the last one the end, with the score */
bool lesson_quiz_leave(lesson_view *v);
bool lesson_quiz_press(lesson_view *v, lesson_cell cell);
bool lesson_quiz_key(lesson_view *v, int key);
bool lesson_asks_row(const lesson_view *v); /* and not about one of its cells */
lesson_cell lesson_asked_cell(const lesson_view *v);
const char *lesson_how_to_answer(const lesson_view *v);
void lesson_write_question(const lesson_view *v, char *text, size_t size);
void lesson_write_answer(const lesson_view *v, char *text, size_t size);
char *lesson_right_answer(const lesson_view *v, const sac_asked *asked, char *text, size_t size);
void lesson_verdict_draw(viz_canvas *canvas, float x, float y, float radius, bool right);

/* ---- a question with choices */

/* Lays it out from (x, y) down; returns its height, with its reason's. */
float lesson_card_lay(const lesson_view *v, const viz_canvas *canvas, lesson_card *card, float x,
                      float y, float width, float size);
void lesson_card_draw(const lesson_view *v, viz_canvas *canvas, const lesson_card *card);
bool lesson_card_press(lesson_view *v, lesson_card *card, float x, float y);
void lesson_card_spots(const lesson_card *card, viz_spots *spots);

/* ---- a worksheet: a head, the questions, and behind them the same with their answers */

bool lesson_is_sheet(const lesson_view *v);
int lesson_sheet_pages(const lesson_view *v); /* 1 where it is no figure */
bool lesson_sheet_breaks(const lesson_view *v, int page);
void lesson_sheet_turn(lesson_view *v, int page);
float lesson_sheet_height(lesson_view *v, const viz_canvas *canvas, float width);

/* ---- the end of a lesson */

void lesson_choose_end_cards(lesson_view *v);  /* its questions, of the lesson that is known */
bool lesson_end_press_default(lesson_view *v); /* Return */
bool lesson_end_go_on(lesson_view *v); /* to the next lesson; behind the last one to all of them */
void lesson_end_draw(lesson_view *v, viz_canvas *canvas, viz_rect area);
bool lesson_end_press(lesson_view *v, float x, float y);
void lesson_end_spots(const lesson_view *v, viz_spots *spots);
/* Buttons in the foot of a page, or at its end, from x on; returns where they end. */
float lesson_button_draw(lesson_view *v, viz_canvas *canvas, int button, float x, float y,
                         const char *text, bool primary);
const char *lesson_on_text(const lesson_view *v); /* of the way to the next question */
/* Of a page that is presented and has no foot: at the end of the line of steps. */
float lesson_head_buttons_width(const lesson_view *v, const viz_canvas *canvas, float size);
void lesson_head_buttons_draw(lesson_view *v, viz_canvas *canvas);
bool lesson_buttons_press(lesson_view *v, float x, float y);
void lesson_buttons_spots(const lesson_view *v, viz_spots *spots);

/* ---- a transformer's drawing */

/* Lays it out in the upper part of `room`; returns its height, 0: the step has none, or it does not
 * fit. */
float lesson_block_lay(lesson_view *v, viz_rect room);
void lesson_block_draw(const lesson_view *v, viz_canvas *canvas);
int lesson_block_step_at(const lesson_view *v, float x, float y); /* a step; −1: none */
void lesson_block_spots(const lesson_view *v, viz_spots *spots);

/* ---- what kinds of drawings share */

/* It is shown on that step: `since` and `before` as in sac_drawing_mark. */
static inline bool lesson_is_at(int step, int since, int before)
{
    return step >= since && (!before || step < before);
}
static inline bool lesson_is_now(const lesson_view *v, int since, int before)
{
    return lesson_is_at(v->step, since, before);
}
/* What a panel shows on a step: the last of its marks of that kind; NULL: nothing. */
const sac_drawing_mark *lesson_mark(const sac_lesson_drawing *drawing, int step, int panel,
                                    sac_mark_kind kind);
/* A number of the lesson; `other` where the operand names none. */
float lesson_operand_value(const lesson_view *v, sac_operand operand, float other);
viz_color lesson_ink(const viz_theme *theme, sac_mark_ink ink);
/* All its cells. */
size_t lesson_cell_count(const lesson_view *v, sac_node node);

/* ---- a drawing of the step: drawings/ */

/* NULL: the step has none, or it would give away the answer of a question. */
const sac_lesson_drawing *lesson_drawing(const lesson_view *v);
bool lesson_drawing_alone(const lesson_view *v); /* it is to be shown without arrays */
/* Lays it out in a part of `room`; returns what is left for the arrays, empty: nothing. */
viz_rect lesson_drawing_lay(lesson_view *v, const viz_canvas *canvas, viz_rect room);
/* It is wide enough to make room for arrays beside it. */
bool lesson_drawing_can_narrow(const lesson_view *v, const viz_canvas *canvas);
bool lesson_drawing_is_legible(
    const lesson_view *v); /* as it is laid out; true where there is none */
void lesson_drawing_draw(const lesson_view *v, viz_canvas *canvas);
/* The drawing that a step of any lesson has, without its texts, as a picture of it. */
void lesson_drawing_draw_small(lesson_view *v, viz_canvas *canvas, const sac_shown_lesson *lesson,
                               int step, viz_rect room);
/* Of what it shows one after the other while the lesson plays: how many at a step, 0: nothing; which one
 * now, from 0, −1: none; and the cell of that, array 0: none. */
int lesson_beat_count(const lesson_view *v, int step);
int lesson_current_beat(const lesson_view *v);
lesson_cell lesson_beat_cell(const lesson_view *v);
void lesson_follow_beat(lesson_view *v); /* the parameter that goes on, if one does */
bool lesson_drawing_event(lesson_view *v, const viz_event *event);
void lesson_drawing_spots(const lesson_view *v, viz_spots *spots);
/* Both, the drawing, the numbers. */
bool lesson_turn_shown(lesson_view *v, int step);
extern const char *const lesson_shown_names[LESSON_SHOWN_COUNT];

/* ---- ways out of a lesson */

void lesson_doors_draw(const lesson_view *v, viz_canvas *canvas);
bool lesson_doors_press(lesson_view *v, float x, float y);
/* Marks the next door, or the one before; 0: opens the marked one. */
bool lesson_mark_or_open_door(lesson_view *v, int step);
void lesson_doors_spots(const lesson_view *v, viz_spots *spots);

/* ---- PyTorch */

void lesson_code_draw(const lesson_view *v, viz_canvas *canvas);
const char *lesson_take_copied_code(viz_view *view);

/* ---- a number that is guessed */

void lesson_bar_lay(lesson_view *v);
void lesson_bar_draw(const lesson_view *v, viz_canvas *canvas);
bool lesson_bar_event(lesson_view *v, const viz_event *e);

/* ---- looks and events */
const char *lesson_back_text(const lesson_view *v); /* "Lessons ›" */
/* Sizes, title and steps alone; returns where what is below them begins. */
float lesson_lay_head(lesson_view *v, const viz_canvas *canvas, viz_rect area);
/* Returns the height of the area's foot that the page leaves empty. */
float lesson_lay(lesson_view *v, const viz_canvas *canvas, viz_rect area);
void lesson_draw(viz_view *view, viz_canvas *canvas, viz_rect area);

#endif
