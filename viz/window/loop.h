/* What the files of the window share: its state from open to close. */
#ifndef VIZ_WINDOW_LOOP_H
#define VIZ_WINDOW_LOOP_H

#include "window/screen.h"
#include "window/worker.h"

/* What a key asked for; done once the worker is at rest, because it uses the views. */
typedef enum window_wish {
    WISH_NOTHING = 0,
    WISH_PICTURE,
    WISH_ANIMATION,
    WISH_DEVICE
} window_wish;

typedef struct viz_loop {
    viz_shell *shell;
    const viz_window_options *options;
    viz_screen screen;
    viz_worker *worker;
    char name[200]; /* of what is open */
    char *dropped;  /* a file that was dropped and waits to be opened; SDL's, owned */
    window_wish wish;
    bool dirty;     /* something to draw changed */
    bool moving;    /* and goes on changing by itself */
    bool cancelled; /* Escape while an animation is written */
    bool closing;
    double drawn_at; /* seconds */
    double asked_at; /* when the job that is out was given */
} viz_loop;

/* "cats/chelsea.png" → "chelsea". */
void viz_loop_name(viz_loop *loop, const char *path);

/* Writes the picture, or the animation, that was wished for beside the person's other files, and
 * says so in the window. */
void viz_save_picture(viz_loop *loop);
void viz_save_animation(viz_loop *loop);

#endif
