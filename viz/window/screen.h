/* A window of the display and the canvas that fills it. */
#ifndef VIZ_WINDOW_SCREEN_H
#define VIZ_WINDOW_SCREEN_H

#include "canvas/tiles.h"
#include "window/window.h"
#include <SDL.h>

typedef struct viz_screen {
    SDL_Window *window;
    viz_canvas canvas;
    viz_tiles tiles;      /* what of it the last frame changed */
    float forced_density; /* 0: what the display asks for */
    float text;           /* the person's size of text, 1 as it comes */
    float points;         /* pixels in one of SDL's window coordinates */
    bool shown;
    bool whole;                 /* the window lost what it showed: all of it is sent again */
    const SDL_Surface *surface; /* that the last frame was sent from; SDL's */
    float sent;                 /* share of the canvas that the last frame sent */
    SDL_Rect *changed;          /* scratch of a frame's changes; owned */
    bool fills;                 /* the window fills its display */
    SDL_Rect window_rect;       /* its place before, for systems without a window manager */
    SDL_Cursor *hand;           /* over what can be pressed; NULL: not needed yet */
    bool pressable;             /* the pointer is a hand now */
    bool typing;                /* letters are text now, with capitals and all signs there are */
} viz_screen;

/* Hidden until first presented. SAC_E_DEVICE where there is no display. */
sac_status viz_screen_open(viz_screen *screen, const viz_window_options *options, sac_error *error);
/* Makes the canvas as large and as dense as the window is now. */
sac_status viz_screen_fit(viz_screen *screen, sac_error *error);
/* Shows the canvas, pixel for pixel; sends only what is not shown yet. */
sac_status viz_screen_present(viz_screen *screen, sac_error *error);
/* A hand over what can be pressed, an arrow elsewhere. */
void viz_screen_set_cursor(viz_screen *screen, bool pressable);
void viz_screen_title(viz_screen *screen, const char *name);
void viz_screen_set_fullscreen(viz_screen *screen,
                               bool on);   /* the whole display, or a window again */
void viz_screen_close(viz_screen *screen); /* takes a zeroed one */

/* Makes the view's event of one of SDL; false where it means nothing to a view. */
bool viz_screen_event(const viz_screen *screen, const SDL_Event *from, viz_event *event);

/* How many rectangles a canvas may give. */
size_t viz_changes_max_count(const viz_canvas *canvas);
/* Copies the parts [count] of the canvas, none over another, each from the corner of a tile, to the
 * display's 0xxxRRGGBB words, `pitch` bytes a row. `changed` [viz_changes_max_count] gets what differs from
 * before, neighbours in a row as one rectangle; where `whole` all of it. Returns how many. */
int viz_changes_copy(const viz_canvas *canvas, const viz_pixels *parts, int count, void *pixels,
                     size_t pitch, bool whole, SDL_Rect *changed);

#endif
