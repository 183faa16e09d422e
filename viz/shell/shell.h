/* The frame around the views: the bar of places, the line of status, the sheet of keys, messages. */
#ifndef VIZ_SHELL_SHELL_H
#define VIZ_SHELL_SHELL_H

#include "canvas/tiles.h"
#include "parts/controls/spots.h"
#include "parts/controls/text_field.h"
#include "shell/chooser/chooser.h"
#include "shell/places.h"
#include "shell/status.h"
#include "view/history.h"

#define VIZ_TYPED_HEIGHT 46.0f /* of the text that what is open was made of, below the tabs */

typedef struct viz_tab {
    const viz_view_class *class;
    viz_view *view; /* owned */
    bool aside; /* of something else than what is open, as the translation of the demonstration */
} viz_tab;

/* Settings beside those of views, which are undone with them: theme and size of text. */
typedef struct viz_outside {
    void (*describe)(const void *user, viz_put *put, void *put_user);
    bool (*restore)(void *user, const char *key, const char *value);
    void *user;
} viz_outside;

/* Of a page of a hand-out, in place of the bar and of the line of status; lent. */
typedef struct viz_paper {
    const char *title; /* NULL: it is none; empty: nothing stands there */
    const char *place; /* "2 / 5" */
    const char *note;  /* below the view; NULL or empty: none */
} viz_paper;

typedef enum viz_answer { VIZ_ANSWER_NONE = 0, VIZ_ANSWER_YES, VIZ_ANSWER_NO } viz_answer;

typedef struct viz_shell {
    viz_tab *tabs; /* [count], owned; what cannot be opened has none */
    int count, current;
    viz_history *history;       /* of all that is open; owned; NULL: nothing was done yet */
    const viz_outside *outside; /* lent; NULL: there are none */
    /* The classes that the bar names in this order: of those that are a place always, of the others
     * where a tab has them. Ends with NULL; lent; NULL: only what is open. */
    const viz_view_class *const *places;
    const viz_view_class *wanted; /* a place that is not open was pressed; the window takes it */
    viz_paper paper;
    char name[200]; /* of what is open, before its places; empty: none */
    viz_places bar; /* as drawn last */
    bool more;      /* its menu is open */
    bool hangs;     /* presented: the pointer brought the bar, which hangs over the view */
    bool sample;    /* what is open came with the program */
    bool
        of_picture; /* of a picture one tab alone is open, for a file: Caption and Picture are its places */
    bool replays;  /* the name of the program was pressed: the window plays the beginning again */
    viz_view *why; /* explains one weight of the current view; NULL: not yet made; owned */
    bool asks;     /* and is shown over it */
    viz_view *chooser;   /* the dialogs of opening and saving; NULL: not requested yet; owned */
    bool chooses;        /* one of them is shown over all … */
    bool saves;          /* … that of saving */
    const char *lecture; /* the path of the one that is open; lent; NULL: none is … */
    int stop, stops;     /* … and its stop that is seen, from 0, of how many */
    char absent[1200];   /* why there is no view, in the place of one; empty: nothing is written */
    char before[200];    /* what was open before, and ctrl B opens again; empty: nothing */
    double pressed_at;   /* the last press, for the second one of a double click */
    float pressed_x, pressed_y;
    viz_text_field typed; /* the text that is to be open, where it can be typed … */
    viz_rect typed_rect;  /* … as drawn last; empty: it cannot */
    bool show_keys;
    bool whole;          /* the view has the whole canvas, as drawn last: presented, or a figure */
    char question[1024]; /* to be answered by yes or no, in place of messages; empty: none */
    viz_answer answer;   /* to it, until it is taken */
    viz_rect yes, no;    /* as drawn last */
    char message[1200];  /* shown for a moment: "saved cat.png" */
    char progress[256];  /* in place of the status: what a person has to wait for; empty: nothing */
    int progress_seconds; /* and how long already; 0: too short to show */
    const viz_work *work; /* how what a picture needs is computed; NULL: on the spot; lent */
    bool message_undone;  /* undo reverts what it reports: the window does, as of a saved file */
    double message_until;
    viz_rect toast_area; /* where it stands, as drawn last */
    char pressed[24];    /* the key that was pressed last: presented, it is shown for a moment */
    double pressed_until;
    bool hints; /* what to try first is shown … */
    double hints_since, hints_until;
    double now;
    bool
        pointed; /* the pointer is in the window: the spot below it is lit, and explained in the line */
    float pointer_x, pointer_y;
    double moved_at;      /* when it moved last */
    viz_rect leave;       /* the way out of a view that has the whole canvas, as drawn last */
    bool focused;         /* by the keyboard … */
    viz_rect focus;       /* … this spot, or it was; empty: none yet */
    int focus_moves;      /* its number where it is one that changes its place; 0: it is not */
    const viz_key *asked; /* a key of the window's, pressed by its cap; the window takes it */
} viz_shell;

/* Draws everything: what the window shows and what a PNG holds. */
void viz_shell_draw(viz_shell *shell, viz_canvas *canvas);
/* The same, of a canvas that is drawn by this alone: what did not change since then is left as it is. */
void viz_shell_draw_changes(viz_shell *shell, viz_canvas *canvas, viz_tiles *tiles);
/* True where something changed. Takes clicks on the bar, caps and edges of values, Tab and what it
 * reaches, the keys that the table calls the shell's, and double clicks on a weight; the rest goes to
 * the current view. A cap of a key that is the window's sets `asked`. */
bool viz_shell_event(viz_shell *shell, const viz_event *event);
/* Moves the current view and the message to `now` (seconds); true while anything moves. */
bool viz_shell_tick(viz_shell *shell, double now);
/* Shows a message for as long as it takes to read, and while the pointer is on it; a click closes
 * it. */
void viz_shell_show_message(viz_shell *shell, const char *text);
/* While a message stands there that undo takes back. */
bool viz_shell_undoes_message(const viz_shell *shell);
/* What a person answered to the question, once. */
viz_answer viz_shell_take_answer(viz_shell *shell);
/* Takes the keys and presses that answer it; for viz_shell_event. */
bool viz_shell_question_event(viz_shell *shell, const viz_event *event);
/* Of all that is open; it begins when it is first requested. NULL: nothing is open, or no memory. */
viz_history *viz_shell_history(viz_shell *shell);
/* Ctrl+Z, Escape that means nothing else, and 0, the view as it began; false where nothing changed. */
bool viz_shell_undo_event(viz_shell *shell, const viz_event *event);
/* A key that was pressed, for an audience that does not see the keyboard. */
void viz_shell_note_key(viz_shell *shell, const viz_event *event);
/* Shows first-time users three things to try, one after the other. They fade, and go at the first key
 * or click. */
void viz_shell_start_hints(viz_shell *shell);
/* Shows what can be opened, and asks where to save what is seen. */
void viz_shell_show_open_dialog(viz_shell *shell, const viz_opens *opens);
void viz_shell_show_save_dialog(viz_shell *shell, const viz_saves *saves);
/* What was chosen there, once; it stays until it is open, and shows what is wrong where it cannot be
 * opened. */
bool viz_shell_take_choice(viz_shell *shell, viz_recent *chosen);
/* A path that was chosen for the current view: hands it to that view. */
void viz_shell_hand_choices(viz_shell *shell);
bool viz_shell_take_saves(viz_shell *shell, viz_saves *chosen);
/* The dialog of saving is there and wants the picture of the file as it would be (chooser.h). */
bool viz_shell_wants_preview(viz_shell *shell, viz_saves *saves);
/* An error of what was requested: in the dialog that is shown, or else as a message. */
void viz_shell_show_problem(viz_shell *shell, const char *text);
/* Of what is open: "cats/chelsea.png" → "chelsea". */
void viz_shell_set_name(viz_shell *shell, const char *path);
/* Adds a tab behind the others and takes the view over, also where it fails. */
sac_status viz_shell_add(viz_shell *shell, viz_view *view, sac_error *error);
/* The view of that name ("caption", in any case); NULL: it is not open. */
viz_view *viz_shell_find(const viz_shell *shell, const char *name);
/* Makes it the current one; false where it is not open. */
bool viz_shell_show(viz_shell *shell, const char *name);
bool viz_shell_next(viz_shell *shell, int step); /* or so many further; false: there is no other */
/* The visible view: the current tab's, or one shown over it (the explanation of a weight, the
 * chooser of files); NULL: there is none. */
viz_view *viz_shell_view(const viz_shell *shell);
viz_view *viz_shell_tab_view(const viz_shell *shell); /* the current view, whatever is over it */
/* Restores the explanation as it was saved, in the words of viz_why_restore. */
void viz_shell_restore_why(viz_shell *shell, const char *value);
/* Splits the view: adds a side beside the current view or the existing sides, with its settings
 * (shell/split.h), or shows a message if there is no space for one. */
bool viz_shell_split(viz_shell *shell);
/* Restores a setting of a tab's view. The setting that names the sides splits it; so does the name of
 * a second model, "compared with", by which pictures of before and a person ask for one. */
void viz_shell_restore(viz_shell *shell, int tab, const char *key, const char *value);
/* Takes the keys by which views are split; for viz_shell_event. */
bool viz_shell_split_event(viz_shell *shell, const viz_event *event);
bool viz_shell_typing(const viz_shell *shell); /* letters are text now */
/* The text to be shown in place of that of the current view; NULL: no change. */
const char *viz_shell_typed(const viz_shell *shell);
/* Hands on what is typed, to the shell of what it opened. */
void viz_shell_hand_typed(const viz_shell *from, viz_shell *to);
/* True where the pointer is on something that can be pressed. */
bool viz_shell_is_on_button(const viz_shell *shell);
/* All areas that respond to the pointer now: the bar, and those of the view. */
void viz_shell_spots(const viz_shell *shell, viz_spots *spots);
void viz_shell_free(viz_shell *shell); /* and its views */

#endif
