/* The SDL2 window: shows the shell's canvas, passes input on, keeps devices, files and compilers
 * off its thread. */
#ifndef VIZ_WINDOW_WINDOW_H
#define VIZ_WINDOW_WINDOW_H

#include "shell/shell.h"

/* A document that is opened on its own thread, while the window shows what it has and stays
 * responsive. Its maker puts it first in its own struct. It is made, taken and destroyed on the
 * window's thread. */
typedef struct viz_opening viz_opening;
struct viz_opening {
    char text[160]; /* the message meanwhile: "opening cat.png" */
    char name[200]; /* of what is open then: for the title, and for pictures saved with S and A */
    char message[256]; /* the message when it is open; empty: none */
    char
        asks[320]; /* what has to be opened with it, which the dialog asks then; empty: nothing … */
    char asks_in[VIZ_PATH_SIZE]; /* … beginning in that folder; empty: as it does */
    bool arrives;                /* at a stop of a lecture, whose motion begins */
    viz_shell *shell;            /* the new views, once `open` has made them */
    /* On another thread. */
    sac_status (*open)(viz_opening *self, sac_error *error);
    /* Puts the new views, which `open` made, into the window's shell in place of those there. */
    void (*take)(viz_opening *self);
    /* Frees it, and the new views where they were not taken. */
    void (*destroy)(viz_opening *self);
};

#define VIZ_LEAST_TEXT 0.7f
#define VIZ_MOST_TEXT 2.0f
#define VIZ_KEPT_NAME 16

/* Settings of views that are those of all: the colour map, and the pace of what moves in lessons. */
enum { VIZ_KEPT_MAP = 0, VIZ_KEPT_PACE, VIZ_KEPT };
typedef char viz_kept_values[VIZ_KEPT][VIZ_KEPT_NAME];

/* Settings that a person chooses with keys, and finds again in the next window. */
typedef struct viz_window_settings {
    bool light;
    float text;             /* size of all that is drawn, 1 as it comes; 0 counts as 1 */
    viz_kept_values shared; /* empty: each view's own */
    bool hinted;            /* the hints of the first start were shown */
    bool
        calm; /* the desktop asks for no motion, which is so until a person chooses a pace; not kept */
} viz_window_settings;

typedef struct viz_window_options {
    int width, height; /* logical; 0: four fifths of the display */
    float density;     /* pixels in a logical unit; 0: what the display asks for */
    const viz_theme *theme;
    bool presents;    /* as with F11 */
    const char *name; /* of what is open: for the title, and for pictures saved with S and A */
    bool (*interrupted)(void); /* asked each frame; true closes the window; may be NULL */
    /* Asked each frame: true with a text that is shown as a message; may be NULL. */
    bool (*notice)(char *text, size_t size);
    /* The first opening, into an empty shell; where it fails the window closes with its error.
     * NULL: the shell has its views. The window destroys it. */
    viz_opening *first;
    /* Files were dropped on the window together, or chosen: makes the opening of them, which takes
     * the place of what is there when it is whole. NULL with an error where that cannot be. May be
     * NULL. */
    viz_opening *(*open)(void *user, const char *const *paths, int count, sac_error *error);
    /* Fills in what Ctrl+O begins with: a folder, what was opened before, samples. May be NULL. */
    void (*offer)(void *user, viz_opens *opens);
    /* The opening of a place that was pressed in the bar: what was open there last, else a sample. NULL
     * with an error where that cannot be. May be NULL. */
    viz_opening *(*place)(void *user, const viz_view_class *class, sac_error *error);
    /* The opening of what is open where nothing was asked for; its view introduces itself. May be NULL. */
    viz_opening *(*beginning)(void *user, sac_error *error);
    /* The opening of what was open before; NULL with an error where nothing was. May be NULL. */
    viz_opening *(*back)(void *user, sac_error *error);
    /* The opening of what is open where one of its views has to follow another; asked while nothing
     * is computed. NULL without an error where none has to. May be NULL. */
    viz_opening *(*follow)(void *user, sac_error *error);
    /* The same for what is open now, computed on the machine's next device. May be NULL. */
    viz_opening *(*next_device)(void *user, sac_error *error);
    /* The same for another reading of the file that is open, by its number. May be NULL. */
    viz_opening *(*choose)(void *user, int reading, sac_error *error);
    /* The stop of that number, from 0, of the lecture that the shell has open. */
    viz_opening *(*walk)(void *user, int stop, sac_error *error);
    /* Adds what is seen as a stop to the lecture at `path`, as number *number; and takes it out again. May
     * be NULL, and so may `walk`. */
    sac_status (*add_stop)(void *user, const char *path, int *number, sac_error *error);
    sac_status (*take_stop_back)(void *user, const char *path, int number, sac_error *error);
    void *user;
    /* The settings that the window begins with; `theme` and `density`, where given, come before
     * them. */
    viz_window_settings settings;
    /* Keeps what the person changed; NULL: it ends with the window. */
    sac_status (*keep)(const viz_window_settings *settings, sac_error *error);
    /* Set where the window was closed while a driver was at something that cannot be stopped: then
     * nothing that the openings or views use may be freed, and the process should end by _exit.
     * NULL: closing waits. */
    bool *left_working;
} viz_window_options;

/* Runs until the person closes the window. SAC_E_DEVICE where none can be opened. */
sac_status viz_window_run(viz_shell *shell, const viz_window_options *options, sac_error *error);

#endif
