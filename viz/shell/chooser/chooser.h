/* Two dialogs over the view, which are one: what to open, and where to save what is seen. A line takes a
 * path, with completion; below it stand the folder, and beside it what was open before and samples. A
 * view that the shell shows over the current one. */
#ifndef VIZ_SHELL_CHOOSER_H
#define VIZ_SHELL_CHOOSER_H

#include "shell/chooser/listing.h"

#define VIZ_RECENT_MOST 8
#define VIZ_SAMPLES_MOST 16
#define VIZ_SAVE_KINDS_MOST 12
#define VIZ_FOLDERS_MOST 4

/* A document that may be opened: a file or folder, and what is opened together with it. */
typedef struct viz_recent {
    char path[VIZ_PATH_SIZE], beside[VIZ_PATH_SIZE]; /* `beside` empty: it is opened alone */
} viz_recent;

typedef struct viz_sample {
    char path[VIZ_PATH_SIZE];
    const char *title, *about; /* static */
    bool is_picture;
} viz_sample;

/* A folder that is one press away. */
typedef struct viz_folder {
    char path[VIZ_PATH_SIZE];
    const char *title; /* static */
} viz_folder;

/* Where the dialog of files to open begins. */
typedef struct viz_opens {
    char folder[VIZ_PATH_SIZE]; /* or the path of a file that is to be shown */
    viz_recent recent[VIZ_RECENT_MOST];
    int recent_count;
    viz_sample samples[VIZ_SAMPLES_MOST];
    int sample_count;
    viz_folder folders[VIZ_FOLDERS_MOST];
    int folder_count;
    viz_look *look;
    const char *purpose; /* what a path is chosen for, static; NULL: to be opened */
    viz_wanted wanted;   /* with a purpose */
} viz_opens;

/* What is saved: the window, the figure, or the play. */
typedef enum viz_save_form {
    VIZ_SAVE_AS_IT_IS,
    VIZ_SAVE_AS_FIGURE,
    VIZ_SAVE_AS_MOTION,
    VIZ_SAVE_FORMS
} viz_save_form;

/* A kind of file that can be saved. */
typedef struct viz_save_kind {
    const char *name, *ending; /* "PNG", ".png" */
    const char *tip;
    viz_save_form form;
    bool is_picture; /* of a ground of its own */
    bool has_sheets; /* of paper */
    bool adds;       /* to a file that is there: no question is asked */
} viz_save_kind;

/* Of a figure. */
typedef struct viz_save_width {
    const char *name;
    float mm;
    const char *paper; /* NULL: as large as it is; else on such sheets */
} viz_save_width;
enum { VIZ_SAVE_WIDTHS = 5 };
extern const viz_save_width viz_save_widths[VIZ_SAVE_WIDTHS];

/* Where the dialog of saving begins, and what came of it. */
typedef struct viz_saves {
    char path[VIZ_PATH_SIZE];
    viz_save_kind kinds[VIZ_SAVE_KINDS_MOST];
    int kind_count, kind;
    int width;               /* of a figure: of viz_save_widths */
    bool light, light_shown; /* on white; that of the window is */
    bool replaces;           /* a file is there, and the person was asked */
} viz_saves;

sac_status viz_chooser_create(viz_view **view, sac_error *error);
/* Begins anew. */
void viz_chooser_begin(viz_view *view, const viz_opens *opens);
void viz_chooser_begin_saving(viz_view *view, const viz_saves *saves);
/* What a path is chosen for; NULL: to be opened. */
const char *viz_chooser_purpose(const viz_view *view);
/* What the person chose, once; false: nothing yet. */
bool viz_chooser_take(viz_view *view, viz_recent *chosen);
bool viz_chooser_take_saves(viz_view *view, viz_saves *chosen);
/* The picture of the file as it would be now is to be made, and given; false: there is
 * none, or it is the one that was given. */
bool viz_chooser_wants_preview(viz_view *view, viz_saves *saves);
void viz_chooser_take_preview(viz_view *view,
                              sac_image *image); /* which is empty then; it may be */
/* What was chosen cannot be opened: shows why in the dialog, and keeps what was typed. */
void viz_chooser_show_problem(viz_view *view, const char *problem);
/* Escape or × was pressed: the chooser goes. */
bool viz_chooser_is_closed(const viz_view *view);

#endif
