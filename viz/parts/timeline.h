/* The timeline of a player: a button to play or rest, and a track to scrub along. */
#ifndef VIZ_PARTS_TIMELINE_H
#define VIZ_PARTS_TIMELINE_H

#include "canvas/canvas.h"
#include "parts/player.h"

#define VIZ_TIMELINE_HEIGHT 24.0f

/* A triangle to play, or two bars to rest. */
void viz_timeline_draw_play(viz_canvas *canvas, viz_rect rect, bool playing);
/* The knob glides with the player; steps to come are dots where they have room. */
void viz_timeline_draw_track(viz_canvas *canvas, viz_rect rect, const viz_player *player,
                             int steps);
/* The step nearest to x. */
int viz_timeline_step_at(viz_rect track, int steps, float x);

#endif
