/* The state of a window from open to close, which its files share. */
#ifndef VIZ_WINDOW_LOOP_H
#define VIZ_WINDOW_LOOP_H

#include "window/screen.h"
#include "window/worker.h"

/* The request of a key, which is run once the worker is idle, because it uses the views. */
typedef enum window_request {
    REQUEST_NONE = 0,
    REQUEST_SAVE,
    REQUEST_PREVIEW,
    REQUEST_COPY,
    REQUEST_NUMBERS,
    REQUEST_STOP,
    REQUEST_DEVICE
} window_request;

/* An opening that is under way: views and their first results, so that the window changes from one
 * whole document to another. */
typedef struct window_opening {
    viz_opening *opening; /* NULL: nothing is */
    bool first;           /* there is nothing to show before it: its views are shown at once */
    bool chosen;          /* a view chose it */
    double now;           /* the views' clock begins here */
} window_opening;

typedef struct window_progress {
    char text[sizeof((viz_shell *)0)->progress]; /* empty: nothing to wait for */
    int seconds;
} window_progress;

typedef struct viz_loop {
    viz_shell *shell;
    const viz_window_options *options;
    viz_screen screen;
    viz_worker *worker; /* for the views */
    viz_worker *reader; /* for the dialogs: folders are read while a driver compiles */
    viz_worker *opener; /* so that they go on living while something else is opened */
    window_opening opening;
    window_opening ahead; /* the stop after the one that is seen, opened before it is asked for … */
    int ahead_stop;       /* … this one, … */
    bool ahead_tried;     /* … once for each that is seen; … */
    bool ahead_opens, ahead_stale; /* … it is under way; it is no longer what comes */
    char name[200];                /* of what is open, … */
    char title
        [200]; /* … and of the picture that was on show last; empty: none since it was opened */
    viz_window_settings settings;
    bool presents;  /* F11 */
    char **dropped; /* [dropped_count]: files that wait to be opened together; SDL's, owned */
    int dropped_count;
    bool drops; /* they were dropped just now: what follows in the same turn belongs to them */
    int walks;  /* so many stops of the lecture on, or back, … */
    double walked_at; /* … which was asked for then */
    bool backs;       /* what was open before is to be opened again */
    bool chooses;     /* a view chose once more, while its first choice was opened … */
    int choice;       /* … this */
    bool introduces;  /* what there is to see is shown by itself, until the first action */
    window_request request;
    viz_saves saves;           /* what REQUEST_SAVE asks for … */
    viz_saves previewed;       /* … and REQUEST_PREVIEW */
    char saved[VIZ_PATH_SIZE]; /* the new file that was written last … */
    int saved_stop;            /* … or this stop, from 1, was added to it; 0: it is no lecture */
    char lecture
        [VIZ_PATH_SIZE]; /* that was open or chosen last, and gets more stops; empty: none was */
    window_progress progress; /* as drawn last */
    bool dirty;               /* something to draw changed */
    bool moving;              /* and goes on changing without input */
    bool cancelled;           /* Escape while an animation is written */
    bool closing;
    sac_status status;         /* why it closes without being asked … */
    sac_error error;           /* … and this is what is wrong */
    double begun_at, drawn_at; /* seconds */
    double slow_until;         /* a frame took long to send: nothing glides until then */
    double asked_at;           /* when the job that is out was given */
    double opening_at;         /* when the opening was */
} viz_loop;

/* "cats/chelsea.png" → "chelsea". */
void viz_loop_set_name(viz_loop *loop, const char *path);
/* The values of a view's settings that all views share, empty where it has none. */
void viz_loop_get_shared_values(const viz_view *view, viz_kept_values values);
/* Gives the kept ones to every view, or only to those that have their first one: an option or
 * a saved picture comes before it. */
void viz_loop_apply_shared_settings(viz_loop *loop, bool all);
void viz_loop_error(viz_loop *loop, const sac_error *error);

/* What the window shows, as a PNG. */
sac_status viz_write_picture(viz_loop *loop, const char *path, sac_error *error);
void viz_loop_message(viz_loop *loop, const char *text);
/* Asks where to save what is seen: first as that kind of file ("PNG"), in the current folder, under a
 * name that is free; or puts the question away again. */
void viz_loop_toggle_save_dialog(viz_loop *loop, const char *kind);
/* Takes the answer. */
void viz_loop_take_save_path(viz_loop *loop);
/* Gives the dialog the picture of the file as it would be. */
void viz_preview(viz_loop *loop);
/* Writes the file that was requested, and shows where in the window. */
void viz_save(viz_loop *loop);
/* Adds what is seen to the lecture; where there is none yet, asks for one. */
void viz_add_stop(viz_loop *loop);
/* Removes the file that was written just now, or the stop that was added; false: there is none. */
bool viz_undo_save(viz_loop *loop);
/* What the window shows as a new PNG in the current folder, reported after the words `before`. */
void viz_save_picture(viz_loop *loop, const char *before);
/* Gives the idle worker a task and looks at events until it is done. */
void viz_run_on_worker(viz_loop *loop, viz_task task);
/* The picture to the clipboard as PNG, or where nothing takes it into a file. */
void viz_copy_picture(viz_loop *loop);
/* The tab's numbers to the clipboard as TSV: all of them, or of a large table the current row. */
void viz_copy_command_or_numbers(viz_loop *loop);
/* A text that was requested of the view. */
void viz_copy_view_text(viz_loop *loop);

/* ---- loading.c: files and devices, off the window's thread */

/* Begins what was requested, where nothing else is being opened. Only while the worker is at rest.
 */
void viz_open_first(viz_loop *loop);
void viz_open_dropped(viz_loop *loop);
/* One file more to be opened, with those dropped in the same turn of the loop; takes SDL's text. */
void viz_loop_add_dropped_path(viz_loop *loop, char *path);
void viz_loop_forget_drops(viz_loop *loop);
/* Ctrl+O: shows what can be opened, or goes back to what is. */
void viz_loop_toggle_chooser(viz_loop *loop);
/* Takes what was chosen there. */
void viz_loop_take_choice(viz_loop *loop);
void viz_open_before(viz_loop *loop);
void viz_open_wanted_view(viz_loop *loop);
/* Plays the beginning again: what it shows by itself, where it is open still, or else opened anew. */
void viz_replay_beginning(viz_loop *loop);
/* Where the view turned to another picture, what is open is called after that. */
void viz_loop_follow_title(viz_loop *loop);
void viz_open_followed(viz_loop *loop);
void viz_open_next_device(viz_loop *loop);
void viz_open_stop(viz_loop *loop);
void viz_open_reading(viz_loop *loop, int reading);
/* Opens the next stop of the lecture before it is asked for, a second after the one that is seen; and forgets
 * it, as something else is seen then. */
void viz_open_ahead(viz_loop *loop);
void viz_forget_ahead(viz_loop *loop);
/* Takes what was opened into the shell; only while the worker is at rest. True where it did. */
bool viz_opening_take(viz_loop *loop);
/* Fills the text about what takes so long. */
void viz_loop_progress(const viz_loop *loop, double now, window_progress *progress);

#endif
