/* A view: its state, how it is drawn, and how events change it. It is independent of the window. It
 * hands out computations as jobs: with a window, a worker computes them on another thread while the
 * view goes on drawing the last result; without one, the job is computed at once and the same
 * drawing follows. */
#ifndef VIZ_VIEW_VIEW_H
#define VIZ_VIEW_VIEW_H

#include "canvas/canvas.h"
#include "sources/source.h"

typedef enum viz_event_kind {
    VIZ_MOVE,  /* pointer to x, y */
    VIZ_PRESS, /* button down at x, y */
    VIZ_RELEASE,
    VIZ_WHEEL, /* wheel_x, wheel_y in notches; ctrl: zoom */
    VIZ_KEY,
    VIZ_LEAVE /* the pointer left the window */
} viz_event_kind;

/* Letters and signs are their own character, letters that are no text the lower-case one; the rest: */
enum {
    VIZ_KEY_LEFT = 0x10000,
    VIZ_KEY_RIGHT,
    VIZ_KEY_UP,
    VIZ_KEY_DOWN,
    VIZ_KEY_HOME,
    VIZ_KEY_END,
    VIZ_KEY_PAGE_UP,
    VIZ_KEY_PAGE_DOWN,
    VIZ_KEY_ESCAPE,
    VIZ_KEY_RETURN,
    VIZ_KEY_TAB,
    VIZ_KEY_BACKSPACE,
    VIZ_KEY_F6,
    VIZ_KEY_F11,
    VIZ_KEY_TEXT /* typed where letters are text: `text` */
};

typedef struct viz_event {
    viz_event_kind kind;
    float x, y; /* logical */
    int button; /* 1 left, 2 middle, 3 right; 0 none held */
    float wheel_x, wheel_y;
    int key;
    bool shift, ctrl;
    const char
        *text; /* UTF-8, lent: what was typed; with ctrl V the clipboard's, NULL: it has none */
} viz_event;

typedef struct viz_view viz_view;
typedef struct viz_view_class viz_view_class;

/* A key that was pressed, of a row of a view's keys. */
typedef struct viz_pressed {
    int key;
    int step; /* −1 for a key that goes back, as ← does, and P, and a letter with shift; else 1 */
    int what; /* the row's */
} viz_pressed;

/* What keys do in a view: a line of its sheet, and the action. */
typedef struct viz_key_row {
    const char *key, *does; /* "N  P", "next picture, back"; the keys as viz_keys has them */
    /* Performs the action; true if it changed something. NULL: the row's setting moves to its next
     * value; without a setting, the row documents the pointer, or a key that the shell or the
     * window handles. */
    bool (*press)(viz_view *view, viz_pressed pressed);
    int what;            /* for `press`; for a setting: see viz_view_step_setting */
    const char *setting; /* the setting moved to its next value, or back */
    /* False: there is nothing here that the key would act on, and the sheet leaves it out. NULL: true,
     * unless the setting has one value only. */
    bool (*acts)(const viz_view *view);
    const char
        *tips[2]; /* of a cap, one for each of its keys: a sentence that names what happens */
} viz_key_row;

/* Each kind of view has its own job, whose struct begins with this one. */
typedef struct viz_job {
    const viz_view_class *class; /* of the view that it is for */
} viz_job;

/* Takes one origin or setting as text. */
typedef void viz_put(void *user, const char *key, const char *value);

/* A setting of a view (view/settings.h). */
typedef struct viz_setting viz_setting;

/* The spots of a view that answer the pointer (view/spots.h). */
typedef struct viz_spots viz_spots;
/* The weight that the user asks about, as the view knows it. Hidden cells are lent by the view. */
typedef struct viz_subject {
    sac_explanation_request request; /* its picture and caption are these, or NULL: */
    sac_picture_request picture;
    sac_result_request caption;
    size_t hidden_count; /* of the cells that either of them lends */
    float x, y;          /* where the pointer is, set before the view is asked */
    bool pointed;        /* and it is on a weight */
    char query[80];      /* “sat” */
    char where[96];      /* "layer 3, head 5" */
    char problem[160];   /* why there is no one weight to explain; empty: there is */
} viz_subject;

/* The map that a view shows, as numbers (view/map.h). */
typedef struct viz_map viz_map;

/* The numbers that a view shows. */
typedef struct viz_table {
    size_t rows, columns;
    size_t row;      /* the current one */
    char title[256]; /* what the numbers are: "layer 3, head 5" */
} viz_table;

typedef enum viz_wanted { VIZ_WANTS_A_FOLDER = 0, VIZ_WANTS_A_TEXT } viz_wanted;

/* What the dialog of opening is shown for. */
typedef struct viz_pick {
    const char *purpose; /* "the folder of pictures", static; NULL: to be opened */
    viz_wanted wanted;   /* with a purpose: what can be chosen */
    /* A folder to begin in, or a file to be shown, with a purpose among others; lent; NULL: as it does. */
    const char *from;
} viz_pick;

enum { VIZ_HINTS = 3, VIZ_SETTING_TABLES = 3 };

/* One table per kind of view; functions that a view does not need are NULL. */
struct viz_view_class {
    const char *name; /* "picture": for --tab, and in a saved PNG */
    const char *tab;  /* "Picture" */
    bool is_live;     /* it follows what goes on, and is no tab of what can be opened */
    const char *
        within; /* the place of the bar that it is seen in, by its name, in turn with that one; NULL: its own */
    bool is_place; /* what the program does: the bar names it always, and opens what shows it */
    /* True where a source has what this view shows. */
    bool (*accepts)(const sac_source *source);
    /* Makes the view of a source, which it borrows. `beside` is an earlier view of the same source,
     * with which it may share data; NULL: there is none. */
    sac_status (*create)(sac_source *source, viz_view *beside, viz_view **view, sac_error *error);
    /* Lays out and draws all below the tab bar into `area`; changes nothing but cached layout. */
    void (*draw)(viz_view *view, viz_canvas *canvas, viz_rect area);
    /* True where the event changed something to be drawn or computed. */
    bool (*event)(viz_view *view, const viz_event *event);
    /* Moves animations to time `now` (seconds); true while anything still moves. */
    bool (*tick)(viz_view *view, double now);
    /* Returns the job that should be computed next, or NULL. At most one job of a view is out at a
     * time. */
    viz_job *(*create_job)(viz_view *view);
    /* The same of work that may wait, in a window where nothing else is wanted. NULL: there is none. */
    viz_job *(*create_idle_job)(viz_view *view);
    /* On any thread; must not touch the view's drawn state. */
    sac_status (*run_job)(viz_view *view, viz_job *job, sac_error *error);
    /* Back on the UI thread: takes the result and frees the job. `error` NULL: it worked. */
    void (*finish_job)(viz_view *view, viz_job *job, const sac_error *error);
    /* The reading of the source, the door, or the picture of several, that a person chose to open,
     * once; −1: none. */
    int (*choose)(viz_view *view);
    /* What it chose could not be opened, and why. */
    void (*refused)(viz_view *view, const char *why);
    /* What a person is to choose for the view in the dialog of opening, once; false: nothing. Then the path that
     * was chosen. */
    bool (*picks)(viz_view *view, viz_pick *pick);
    void (*picked)(viz_view *view, const char *path);
    /* The text at the right of the tab bar: what is open, on which device, how fast. */
    void (*status)(const viz_view *view, char *text, size_t size);
    /* Origin and settings (view/settings.h): tables that end with a zeroed row. */
    const viz_setting *settings[VIZ_SETTING_TABLES];
    /* Of a view that stands over or beside another, in place of viz_view_describe and
     * viz_view_restore by the tables. */
    void (*describe)(const viz_view *view, viz_put *put, void *user);
    void (*restore)(viz_view *view, const char *key, const char *value);
    bool (*undoes)(const viz_view *view, const char *key); /* in place of viz_view_undoes */
    const viz_key_row *keys;                               /* ends with {NULL, NULL} */
    /* Adds what was drawn last and answers the pointer, or explains itself when it rests there. */
    void (*spots)(const viz_view *view, viz_spots *spots);
    const char *about; /* one sentence, for the tip of its tab */
    /* Its tab was pressed while it is shown: back to where it begins. False: it is there, or has no
     * such place. */
    bool (*home)(viz_view *view);
    /* In the first window ever: shows by itself what there is to see, in place of hints. False: it has
     * nothing to show. */
    bool (*introduce)(viz_view *view);
    /* It is seen as a stop of a lecture, from now on: what moves begins to, towards what was saved. */
    void (*arrive)(viz_view *view);
    /* What to try first, a sentence each, [VIZ_HINTS]; NULL: what works in every view. */
    const char *const *hints;
    /* True while letters are text to this view: then every key but those with ctrl is its own. */
    bool (*typing)(const viz_view *view);
    /* The view as a figure that stands by itself, as in a paper: the chosen panel with the names of
     * its axes and its legend, in the middle of `area`; nothing that is operated. `figure_height` is
     * the height of an area of that width that it fills; NULL: VIZ_FIGURE_HEIGHT of the width. */
    void (*figure)(viz_view *view, viz_canvas *canvas, viz_rect area);
    float (*figure_height)(viz_view *view, const viz_canvas *canvas, float width);
    /* After figure_height: the end of its own scale, for one scale of all panels of a figure. */
    float (*figure_scale)(const viz_view *view);
    /* Of a view that stands over or beside another: the one whose figure is drawn. */
    viz_view *(*shows)(const viz_view *view);
    /* `subject` gives the weight that a person asks about, under the pointer, else the current one;
     * false where there is none. `key_name` returns the name of a key. With both, "why this number"
     * works. */
    bool (*subject)(const viz_view *view, viz_subject *subject);
    char *(*key_name)(const viz_view *view, size_t position, char *text, size_t size);
    /* The numbers shown, for a file or the clipboard; false: none are known yet. With it the name
     * of a row or column, which is returned, and a row's numbers [columns]: on any thread, while no
     * job is out and nothing is drawn. */
    bool (*table)(const viz_view *view, viz_table *table);
    char *(*table_name)(const viz_view *view, bool of_row, size_t index, char *text, size_t size);
    sac_status (*table_row)(viz_view *view, size_t row, float *values, sac_error *error);
    /* What is shown as a command of the program, which Ctrl+C copies; returns `text`, empty where
     * there is none. Words that a person or a file gave are quoted (base/text/shell_word.h). */
    char *(*command)(const viz_view *view, char *text, size_t size);
    /* A text that is to be read in place of the source's, once; NULL: none. */
    const char *(*retyped)(viz_view *view);
    /* A text that a person asked to have on the clipboard, once; NULL: none. */
    const char *(*copied)(viz_view *view);
    /* A document of pages, for paper and a folder of pictures: how many there are, and turning to
     * one. */
    int (*pages)(const viz_view *view);
    void (*turn_to)(viz_view *view, int page);
    bool (*breaks_before)(const viz_view *view, int page); /* it begins a new sheet of paper */
    /* The map on show into a zeroed one, which is freed in any case, out of what the view holds:
     * the source is not asked. False: nothing is known yet, or no memory. */
    bool (*map)(const viz_view *view, viz_map *map);
    /* Where that map was drawn last: in a split, the same place of the others is pointed at. */
    viz_rect (*map_rect)(const viz_view *view);
    /* In a split of two whose maps are subtracted, in a row with their difference and on one scale.
     * `pair_room` lays out in `area` what both share, as the controls and a gallery in which the head of
     * `other` is marked too, and returns what it leaves for the three maps; empty: this view has no such
     * layout. `pair_lay` lays the map out in `own`, for a view that shows what is shared, or not, and
     * returns the end of its own scale; `pair_draw` draws both, on a scale up to `end`. */
    viz_rect (*pair_room)(viz_view *view, const viz_view *other, const viz_canvas *canvas,
                          viz_rect area);
    float (*pair_lay)(viz_view *view, const viz_canvas *canvas, viz_rect own, bool shares);
    void (*pair_draw)(viz_view *view, viz_canvas *canvas, float end);
    /* In a split: takes over what `leader`, of the same class, changed by the name of `key`, where
     * its text would mean something else here. False: `restore` does that. */
    bool (*follow)(viz_view *view, const viz_view *leader, const char *key);
    /* The settings in which a second side differs that C adds beside this one: the next model, or
     * the head selected before; none: there is no other. */
    void (*other)(const viz_view *view, viz_put *put, void *user);
    /* Animation for export: how many frames the whole animation has at `fps`, and the view at frame i.
     * Calls may change state; `tick` is not called meanwhile. */
    int (*frames)(const viz_view *view, int fps);
    void (*frame)(viz_view *view, int index, int fps);
    void (*destroy)(viz_view *view);
};

struct viz_view {
    const viz_view_class *class;
    sac_source *source; /* what it shows; lent */
    bool figure;        /* drawn as one, where its class can: the setting "layout" */
    bool panel; /* one of several in a figure, which names it: without a title of its own … */
    float scale_end; /* … and on a scale that ends there, or later */
};

#define VIZ_FIGURE_HEIGHT 0.625f /* of its width */

/* True while the view is drawn as a figure: it gets the whole canvas, without the tab bar. */
bool viz_view_is_figure(const viz_view *view);
/* The height of a figure of that width; what it shows is known. */
float viz_view_figure_height(viz_view *view, const viz_canvas *canvas, float width);
/* Draws the view in the layout that it has. */
void viz_view_draw(viz_view *view, viz_canvas *canvas, viz_rect area);

void viz_view_destroy(viz_view *view); /* takes NULL */
/* "  ·  3 of 6" behind the name of one of several pictures, into `text`, which is returned; empty
 * for a picture by itself, and among scenes, of which there is always one more. */
char *viz_picture_place(int picture, int pictures, bool scenes, char *text, size_t size);
/* The picture `step` after `picture`, round and round, or among scenes no earlier than the first;
 * `picture` itself where there is no other. */
int viz_picture_after(int picture, int step, int pictures, bool scenes);
/* The value `step` after one of `count`, round and round. */
static inline size_t viz_next(size_t value, int step, size_t count)
{
    return (value + count + (size_t)step) % count;
}
/* The cell of a row (or column) of `to` cells at the place of cell `place` of `from` cells. */
int viz_matching_place(int place, int from, int to);
/* Computes until the view needs nothing more: for pictures without a window. */
sac_status viz_view_settle(viz_view *view, sac_error *error);
/* The way in which a view's job is computed where that is not on the spot: a window has its worker
 * do it. */
typedef struct viz_work {
    sac_status (*work)(void *user, viz_view *view, viz_job *job, sac_error *error);
    void *user;
} viz_work;
/* Computes by `how` (NULL: on the spot), *any: whether there was anything to compute. A view's
 * wish may depend on what it could draw: draw and compute by turns until nothing is wanted. */
sac_status viz_view_compute(viz_view *view, const viz_work *how, bool *any, sac_error *error);

#endif
