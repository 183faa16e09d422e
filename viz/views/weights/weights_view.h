/* The base of the matrix view and the heads view: the maps, one of them enlarged, the panel of its
 * current row, and the controls. Each view's own struct begins with one. */
#ifndef VIZ_WEIGHTS_WEIGHTS_VIEW_H
#define VIZ_WEIGHTS_WEIGHTS_VIEW_H

#include "parts/controls/controls.h"
#include "parts/figures/frame.h"
#include "parts/playback/player.h"
#include "weights/row_panel.h"

/* The bar of choices at the bottom, and the keys. */
typedef struct viz_weights_controls {
    viz_rect rect; /* the bar; its top edge is a line */
    viz_controls choices;
    viz_key_row keys[7]; /* that are worth a cap, the last one always … */
    int key_count;
    viz_caps caps; /* … as many as fit */
} viz_weights_controls;

typedef struct viz_weights_view {
    viz_view view;
    viz_weights_model *model; /* one reference */
    viz_panel panel;
    viz_row_panel row;
    viz_weights_controls controls;
    viz_player player; /* its steps are the rows of the map that is shown */
    float title_y;     /* baseline */
    viz_rect note;     /* below the title; empty if there is no note */
    viz_rect other;    /* the other reading of the array, to press; empty: there is none */
    struct {           /* beside another map, and their difference: */
        bool shares;   /* it shows what both share */
        viz_rect bar;  /* below its map, and above it … */
        float x, y, w; /* … the read-out */
    } pair;
    int wanted, chosen; /* the last picture requested; and the same until it is opened, or −1 */
} viz_weights_view;

/* `v` is zeroed; takes one more reference of `maps`. */
void viz_weights_view_init(viz_weights_view *v, const viz_view_class *class,
                           viz_weights_model *model);

/* Lays out title and note at the top of `area`, and the controls at its bottom in as many lines as they
 * need: `pooled` and `sorted` are whether there is something to pool and to sort; `folded`: one line of a
 * low window, with how weights lie over a picture, else the scale. Returns the space between them. */
viz_rect viz_weights_view_lay(viz_weights_view *v, const viz_canvas *canvas, viz_rect area,
                              bool pooled, bool sorted, bool folded);
void viz_weights_view_draw_controls(const viz_weights_view *v, viz_canvas *canvas);
/* The head beside the current one, or the layer above or below, round and round. */
void viz_weights_view_step(viz_weights_view *v, bool layers, int step);
/* The title from x to `right`, and the note. */
void viz_weights_view_draw_title(viz_weights_view *v, viz_canvas *canvas, float x, float right);

/* Asks for the heads that have most of what `text` names (sources/heads/ask.h), whose pair becomes the current cell;
 * false: it is something else. */
bool viz_weights_view_ask(viz_weights_view *v, const char *text);
/* The class's `pair_lay` and `pair_draw`, but for what is shared. */
float viz_weights_view_lay_pair(viz_weights_view *v, const viz_canvas *canvas, viz_rect own,
                                bool shares);
void viz_weights_view_draw_pair(viz_weights_view *v, viz_canvas *canvas, float end);

/* As a figure for paper: the title of what is shown, where there are several maps, from the left edge of
 * `cells`. */
bool viz_weights_figure_has_title(const viz_weights_view *v);
void viz_weights_figure_draw_title(const viz_weights_view *v, viz_canvas *canvas,
                                   const viz_figure_frame *frame, viz_rect cells, const char *text);

/* Panel, row and controls; `bar` is the view's. */
void viz_weights_view_spots(const viz_weights_view *v, viz_rect bar, viz_spots *spots);

/* For `create` of both: the model of the view beside it, where that shows weights too, or a new one of the source.
 * Release it. */
sac_status viz_weights_view_create_model(sac_source *source, const viz_view *beside,
                                         viz_weights_model **model, sac_error *error);
/* The functions that the class tables of both have in common. */
#define VIZ_WEIGHTS_VIEW_FUNCTIONS                                                                 \
    .accepts = viz_weights_view_accepts, .run_job = viz_weights_view_run_job,                      \
    .create_idle_job = viz_weights_view_create_idle_job, .status = viz_weights_view_status,        \
    .subject = viz_weights_view_subject, .key_name = viz_weights_view_key_name,                    \
    .table = viz_weights_view_table, .table_name = viz_weights_view_table_name,                    \
    .table_row = viz_weights_view_table_row, .choose = viz_weights_view_take_chosen,               \
    .map_rect = viz_weights_map_rect, .follow = viz_weights_view_follow,                           \
    .other = viz_weights_view_put_last_head
/* Their settings: what is shown of which heads, and the cell of the matrix and its zoom. */
extern const viz_setting viz_weights_settings[], viz_panel_settings[];
bool viz_weights_view_accepts(const sac_source *source);
/* True where its positions lie over a picture. */
bool viz_weights_view_has_picture(const sac_source *source);
/* Of each head in an animation that goes through all of them. */
int viz_weights_view_head_frames(int fps);
/* The keys of both, behind those that move. */
#define VIZ_WEIGHTS_KEYS                                                                           \
    {"R", "reduce heads", .setting = "reduce"},                                                    \
        {"/", "first tokens: shown, dropped, masked", .setting = "first tokens"},                  \
        {",  .", "fewer, more first tokens", viz_weights_press_change_prefix},                     \
        {"X", "special tokens: shown, hidden, masked", .setting = "special tokens",                \
         .acts = viz_weights_knows_special},                                                       \
        {"G", "of a pair of texts: all, A → A, B → B, A → B, B → A", .setting = "segments",        \
         .acts = viz_weights_is_pair},                                                             \
        {"L", "the next colour scale", .setting = "scale"},                                        \
        {"D", "pool by mean or by max", .setting = "pooling"},                                     \
        {"C", "difference from the map before"},                                                   \
        {"T", "the boxes of things that are known", .setting = "truth",                            \
         .acts = viz_weights_has_boxes},                                                           \
        {"H", "switch this head off, and on (shift: halve it)", viz_weights_press_scale_head,      \
         .acts = viz_weights_scales_heads},                                                        \
        {"U", "switch all heads on", viz_weights_press_all_on, .acts = viz_weights_scales_heads},  \
        VIZ_STYLE_KEYS, {"PgUp  PgDn", "item of the batch", .setting = "batch"},                   \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
/* What keys act on. */
bool viz_weights_has_pictures(const viz_view *view);
bool viz_weights_has_boxes(const viz_view *view);
bool viz_weights_has_layers(const viz_view *view);
bool viz_weights_scales_heads(const viz_view *view);
bool viz_weights_is_pair(const viz_view *view);
bool viz_weights_knows_special(const viz_view *view);
bool viz_weights_press_next_picture(viz_view *view, viz_pressed pressed);
bool viz_weights_press_row(viz_view *view, viz_pressed pressed);
/* Plays the rows or rests; without a loop from the first, where the last is current. */
bool viz_weights_press_play(viz_view *view, viz_pressed pressed);
bool viz_weights_view_tick(viz_weights_view *v, double now);
bool viz_weights_press_zoom(viz_view *view, viz_pressed pressed);
bool viz_weights_press_fit(viz_view *view, viz_pressed pressed);
bool viz_weights_press_change_prefix(viz_view *view, viz_pressed pressed);
bool viz_weights_press_scale_head(viz_view *view, viz_pressed pressed);
bool viz_weights_press_all_on(viz_view *view, viz_pressed pressed);
/* A press on the other reading of the array: it is another document, which the window opens. */
bool viz_weights_view_axis_switch_event(viz_weights_view *v, const viz_event *event);
int viz_weights_view_take_chosen(viz_view *view);
/* The next job for what is seen; with `all`, also for the figures of maps that are not current. */
viz_job *viz_weights_view_create_job(viz_weights_view *v, bool all);
/* The figures of rows that were left out at first. */
viz_job *viz_weights_view_create_idle_job(viz_view *view);
sac_status viz_weights_view_run_job(viz_view *view, viz_job *job, sac_error *error);
void viz_weights_view_finish_job(viz_view *view, viz_job *job, const sac_error *error);
void viz_weights_view_status(const viz_view *view, char *text, size_t size);
bool viz_weights_view_subject(const viz_view *view, viz_subject *subject);
char *viz_weights_view_key_name(const viz_view *view, size_t position, char *text, size_t size);
bool viz_weights_view_table(const viz_view *view, viz_table *table);
char *viz_weights_view_table_name(const viz_view *view, bool of_row, size_t index, char *text,
                                  size_t size);
sac_status viz_weights_view_table_row(viz_view *view, size_t row, float *values, sac_error *error);
/* The part of the matrix that is seen, or its current row over the picture, where there is one. */
bool viz_weights_map_matrix(const viz_view *view, viz_map *map);
bool viz_weights_map_head(const viz_view *view, viz_map *map);
viz_rect viz_weights_map_rect(const viz_view *view);
/* The head selected before. */
void viz_weights_view_put_last_head(const viz_view *view, viz_put *put, void *user);
bool viz_weights_view_follow(viz_view *view, const viz_view *leader, const char *key);
void viz_weights_view_destroy(viz_view *view);

#endif
