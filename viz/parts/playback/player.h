/* Steps that are played one after the other: the words of a caption, the rows of an alignment, the
 * steps of a lesson. The player keeps which step is current and since when; what moves between two
 * steps is the view's own. Times are in seconds. */
#ifndef VIZ_PARTS_PLAYER_H
#define VIZ_PARTS_PLAYER_H

#include <stdbool.h>

#include "canvas/canvas.h"
#include "view/view.h"

/* Set step_seconds, rest_seconds and speed; the rest begins zeroed. The number of steps is given
 * with each call, as results change it. */
typedef struct viz_player {
    double step_seconds; /* from step to step at speed 1 */
    double rest_seconds; /* at the last step, before the first one follows */
    float speed;
    bool playing;
    bool loops;      /* false: playing ends at the last step */
    bool has_clock;  /* a window ticks; without one, what is chosen is shown at once */
    bool exporting;  /* viz_player_set_frame set the time */
    int step;        /* the current one */
    int until;       /* playing ends behind this step, counted from 1; 0: at the last one */
    bool chosen;     /* a person went to it, or named it: a figure lights it, else no step */
    float step_from; /* the place among the steps from which the current one was reached */
    double now, step_since, glide_since;
} viz_player;

/* Seconds for what moves between two steps: at most VIZ_GLIDE_SECONDS, and less where the steps
 * follow each other fast. */
double viz_player_glide_seconds(const viz_player *player);
/* 0 … 1: how much of the glide to the current step is done, eased. */
float viz_player_glided(const viz_player *player);
/* The place among the steps, between two of them while it glides. */
float viz_player_place(const viz_player *player);
/* The same as a share of the whole: 0 at the first step, 1 at the last one. */
float viz_player_progress(const viz_player *player, int steps);

/* Makes `step` current, clamped. True where it was another one. */
bool viz_player_go(viz_player *player, int steps, int step);
/* The same for a step that was there before: it is current at once, without a glide. */
void viz_player_rest_at(viz_player *player, int step);
/* Plays from the current step, or pauses. From the last step it begins again at the first; then it
 * returns true, as viz_player_go does. */
bool viz_player_play(viz_player *player, int steps, bool playing);

/* A stop of a lecture is reached: it plays from the first step to the current one, or where it was playing on
 * to the last. */
void viz_player_arrive(viz_player *player);

/* The keys of a view that plays words. */
#define VIZ_PLAYER_KEYS(press)                                                                     \
    {"space", "play, or rest", press}, {"←  →", "step by words", press},                           \
        {"Home  End", "first word, last", press}, {"+  −", "faster, slower", press},               \
    {                                                                                              \
        "Y", "begin again, or not", press                                                          \
    }
/* Handles the key; `message` (may be NULL) gets feedback where its effect is not visible. */
bool viz_player_press(viz_player *player, int steps, int key, char *message, size_t size);

/* Takes the time of a window's clock. True where the clock begins, or goes on after frames were
 * exported: then nothing glides. */
bool viz_player_set_time(viz_player *player, double now);
/* While it plays: goes on to the next step where its time has come. True where it did. */
bool viz_player_advance(viz_player *player, int steps);
/* True shortly before the next step is due: an idle window should look at the time often. */
bool viz_player_is_near_step(const viz_player *player);

/* The number of frames of the whole animation at `fps`; and setting the state of frame `index`. */
int viz_player_frames(const viz_player *player, int steps, int fps);
void viz_player_set_frame(viz_player *player, int steps, int index, int fps);
/* After it: a frame of the rest is at `step` in place of the last one. False: the frame is none of the rest. */
bool viz_player_rest_frame_at(viz_player *player, int steps, int step);

/* The timeline of a player: a button to play or rest, and a track to scrub along. */

#define VIZ_TIMELINE_HEIGHT 24.0f

/* A triangle to play, or two bars to rest. */
void viz_timeline_draw_play(viz_canvas *canvas, viz_rect rect, bool playing);
/* The knob glides with the player; steps to come are dots where they have room. */
void viz_timeline_draw_track(viz_canvas *canvas, viz_rect rect, const viz_player *player,
                             int steps);
/* The step nearest to x. */
int viz_timeline_step_at(viz_rect track, int steps, float x);

#endif
