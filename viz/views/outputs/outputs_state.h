/* The state that both views of outputs share, and what one kind of output differs in. */
#ifndef VIZ_OUTPUTS_OUTPUTS_STATE_H
#define VIZ_OUTPUTS_OUTPUTS_STATE_H

#include "canvas/heat.h"
#include "outputs/outputs_view.h"
#include "parts/controls/controls.h"
#include "parts/controls/text_field.h"
#include "view/request.h"

enum { OUTPUTS_ROWS = 64, OUTPUTS_CONTROLS = 4 };
#define OUTPUTS_LINE 20.0f
#define OUTPUTS_FIELD 34.0f /* height */

typedef struct outputs_view outputs_view;

/* A request for outputs, and what came. */
typedef struct outputs_job {
    viz_job base;
    char *scales; /* of heads; owned; NULL: none */
    char phrases[VIZ_TEXT_FIELD_SIZE];
    sac_likeness_way way;
    sac_likeness likeness; /* owned, as is: */
    sac_found found;
} outputs_job;

/* A line of the list. */
typedef struct outputs_row {
    const char *name;
    char numbers[64];
    float share; /* of the bar below it; negative: there is none */
} outputs_row;

typedef struct outputs_kind {
    const viz_view_class *class;
    const char *above[OUTPUTS_CONTROLS], *below[OUTPUTS_CONTROLS]; /* settings, round the list */
    const char *row_tip, *bar_tip;
    const char *(*picture_tip)(const outputs_view *view);
    const char *status;   /* "%s  ·  %d × %d cells" */
    bool figure_has_rows; /* the list stands below a figure */
    float header;         /* height above the title, which `draw_header` draws into; 0: none */
    void (*draw_header)(outputs_view *view, viz_canvas *canvas);
    bool (*ready)(const outputs_view *view); /* there is something to ask for; NULL: always */
    void (*ask)(const outputs_view *view, outputs_job *job); /* NULL: nothing but scaled heads */
    sac_status (*work)(sac_source *source, outputs_job *job, sac_error *error);
    void (*take)(outputs_view *view, outputs_job *job); /* the result, and the size of the grid */
    int (*count)(const outputs_view *view);             /* of outputs that are shown */
    void (*row)(const outputs_view *view, int output, outputs_row *row);
    bool (*fill_map)(outputs_view *view);          /* of the chosen output; false: none */
    const char *(*note)(const outputs_view *view); /* what the map is */
    /* Heat over the picture and the bar below it; the title; the title of the map as a table. */
    void (*draw_map)(outputs_view *view, viz_canvas *canvas);
    void (*draw_title)(const outputs_view *view, viz_canvas *canvas);
    void (*draw_below)(const outputs_view *view, viz_canvas *canvas, float y); /* an empty list's */
    void (*name_table)(const outputs_view *view, viz_table *table);
    /* The numbers of the map; NULL: those that are drawn. */
    const float *(*values)(const outputs_view *view);
} outputs_kind;

typedef struct outputs_layout {
    viz_rect header, title, picture, bar;
    viz_rect rows[OUTPUTS_ROWS]; /* of the outputs from `first` on */
    int first, count;
    viz_rect more; /* “and 12 more”; empty: all are there */
    viz_rect note; /* what the map is; empty: no room */
} outputs_layout;

struct outputs_view {
    viz_view base;
    const outputs_kind *kind;
    viz_request request;
    uint64_t revision; /* of what is asked for */
    char *scales;      /* the heads that are scaled; owned; NULL: none */
    viz_heat_style style;
    int output;         /* the one that is chosen */
    int wanted, chosen; /* the picture of several; −1: none is chosen */
    int grid_w, grid_h;
    float *map; /* [grid_h,grid_w] as drawn; owned */
    double milliseconds;
    viz_scaled kept;
    viz_controls controls;
    outputs_layout layout; /* as drawn last */
};

static inline outputs_view *outputs_of(const viz_view *view)
{
    return (outputs_view *)view;
}

/* Begins a view, whose struct begins with an outputs_view, of `size` bytes. NULL: no memory. */
outputs_view *outputs_create(const outputs_kind *kind, sac_source *source, size_t size,
                             sac_error *error);
void outputs_free(outputs_view *view);
void outputs_changed(viz_view *view);     /* it is to be asked for anew */
void outputs_keep_within(viz_view *view); /* the chosen output is one that is shown */
bool outputs_has_pictures(const viz_view *view);
bool outputs_press_row(viz_view *view, viz_pressed pressed);
bool outputs_press_end(viz_view *view, viz_pressed pressed);
bool outputs_press_turn(viz_view *view, viz_pressed pressed);
int outputs_row_at(const outputs_view *view, float x, float y); /* −1: none */
/* Controls and rows; false: nothing changed. */
bool outputs_event(viz_view *view, const viz_event *event);
void outputs_spots(const viz_view *view, viz_spots *spots);
void outputs_text(viz_canvas *canvas, viz_face face, float size, viz_rect line, viz_color color,
                  const char *text); /* what fits, at the left of a line */

void outputs_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void outputs_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float outputs_figure_height(viz_view *view, const viz_canvas *canvas, float width);
viz_job *outputs_want(viz_view *view);
sac_status outputs_work(viz_view *view, viz_job *job, sac_error *error);
void outputs_take(viz_view *view, viz_job *job, const sac_error *error);
int outputs_choose(viz_view *view);
void outputs_status(const viz_view *view, char *text, size_t size);
bool outputs_map(const viz_view *view, viz_map *map);
viz_rect outputs_map_rect(const viz_view *view);
bool outputs_table(const viz_view *view, viz_table *table);
char *outputs_table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size);
sac_status outputs_table_row(viz_view *view, size_t row, float *values, sac_error *error);
void outputs_save_source(const viz_view *view, const viz_setting *setting, viz_put *put,
                         void *user);

/* What both classes have. */
#define OUTPUTS_CLASS                                                                              \
    .draw = outputs_draw, .figure = outputs_draw_figure, .figure_height = outputs_figure_height,   \
    .want = outputs_want, .work = outputs_work, .take = outputs_take, .choose = outputs_choose,    \
    .status = outputs_status, .map = outputs_map, .map_rect = outputs_map_rect,                    \
    .table = outputs_table, .table_name = outputs_table_name, .table_row = outputs_table_row

#endif
