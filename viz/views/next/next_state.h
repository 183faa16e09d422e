/* The state of the view of what comes next, which its files share. */
#ifndef VIZ_NEXT_NEXT_STATE_H
#define VIZ_NEXT_NEXT_STATE_H

#include "next/next_view.h"
#include "parts/controls/controls.h"
#include "parts/playback/player.h"
#include "view/request.h"

typedef struct next_layout {
    viz_rect sentence;                  /* the end of the text, and the output */
    viz_rect word[SAC_GENERATION_MOST]; /* in it; empty: there is no room */
    viz_rect cells;                     /* of the triangle [generated,count] */
    float cell_w, cell_h;
    bool row_labels, column_labels;
    viz_rect readout, bar;
    viz_rect title; /* of the candidates */
    viz_rect candidate[SAC_GENERATION_CANDIDATES];
    int lines; /* as many of them have room */
    viz_caps caps;
    viz_rect picture; /* what the current token looked at; empty: there is none, or no room */
} next_layout;

typedef struct next_view {
    viz_view base;
    viz_request request;
    viz_player player;   /* its steps are the generated tokens */
    viz_heat_style look; /* of the triangle: its map */
    sac_sampling how;    /* of the current generation … */
    uint64_t asked,
        known; /* … and the number of the way that was requested last, and of the one that came */
    sac_sampling drawn;        /* the sliders: how tokens would be drawn */
    uint64_t knobs;            /* how often they changed */
    sac_generation generation; /* what came, the picture's columns as one; owned */
    viz_scaled scaled;         /* of the picture */
    sac_candidate candidate[SAC_GENERATION_CANDIDATES];
    int candidates, kept;      /* 0: none are known */
    int candidates_of;         /* the step that they are of */
    uint64_t candidates_asked; /* what was asked for last, as next_demand packs it */
    bool pointed;              /* at a cell of the triangle: */
    size_t row, column;
    viz_controls controls;
    next_layout layout; /* as drawn last */
} next_view;

static inline next_view *next_of(const viz_view *view)
{
    return (next_view *)view;
}

/* The current one, which exists where anything was generated. */
static inline size_t next_step(const next_view *v)
{
    return (size_t)v->player.step;
}

enum { NEXT_CAPS = 3 };

void next_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void next_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area);
float next_figure_height(viz_view *view, const viz_canvas *canvas, float width);

#endif
