/* Opens files, recognised by content, as the views of a shell. */
#ifndef SAC_APP_DOCUMENT_H
#define SAC_APP_DOCUMENT_H

#include "app/view_options.h"
#include "lessons/lesson_source.h"
#include "saccade.h"
#include "shell/shell.h"
#include "sources/source.h"

#define APP_MAX_FILES 4096

/* What a person asked to see: a small value. All that it points to is lent. */
typedef struct app_request {
    /* Pictures and folders of them, to be captioned one after the other; or a file of arrays; or
     * arrays, the picture they lie over and a file of their labels. None: a scene. */
    const char *const *files; /* [file_count] */
    int file_count;
    uint64_t scene;      /* with no files: its number in the test stream, … */
    bool scene_given;    /* … where it is not the bundled one */
    const char *dataset; /* that captions are of; NULL: what suits the file … */
    bool dataset_found;  /* … which it is already */
    const char *text;    /* a sentence for the translator, or a text for the model of a folder;
                            NULL: one that it knows */
    const char *const
        *chat; /* [chat_count] a conversation in its place (tokenizers/chat/conversation.h) */
    int chat_count;
    bool is_pair;          /* that text is a pair, "first [SEP] second" */
    const char *from, *to; /* languages of that sentence and of its translation, where the model of
                              a folder knows several; NULL: those of the folder */
    const char *language, *task; /* of sounds, for the model of a folder; NULL: the folder's */
    bool trains; /* with no files: what can be trained, and the training that goes on … */
    const sac_training_wish *wish;     /* … or the one that begins now; NULL: none does */
    const sac_lessons_options *lesson; /* with no files: lessons, beginning with this one; NULL:
                                          none */
    const char *weights;               /* of a model; NULL: those that come with the program */
    const char *tab;  /* "caption", "picture", "matrix" …; NULL: what suits the file */
    bool windowless;  /* only what is seen first is opened */
    int continuation; /* of a model of a folder: tokens that it generates after the text … */
    sac_draw draw;    /* … in this way, with the temperature … */
    int beam; /* … and the beam and the length penalty of the settings, where they have one */
    sac_length_penalty penalty;
    int picture; /* the one of several, or of the pieces of sounds, that is seen first */
    int stop;    /* of a lecture (sources/lecture.h), which is the one file then, from 0 */
    const sac_sound_piece *pieces; /* of sounds, that are known already; lent; … */
    int piece_count;               /* … 0: none are */
    bool together;     /* of a model that answers: pictures are seen together, for one question */
    const char *boxes; /* of a model of a folder that sees: a file with the places of things in
                          its picture (source/boxes.h); NULL: none */
    bool as_trained; /* with such a model: a picture as it was trained on them, and not all of it */
    struct sac_pretrained_model *model; /* of a folder, which is open already; lent; NULL: none */
    const char *device;                 /* as sac_device_open takes it */
    const char *array, *axes, *leave_out,
        *labels; /* these and the rest: see sac_weights_file_options */
    int grid_w, grid_h, prefix;
    sac_attention_spec spec;
    bool softmax, allow_nan, padding;
    /* How the weights of the second file differ from those of the first (of one file: on device `with`,
     * or between two parts of it), and not those of the first. */
    bool difference;
    const char *with, *between; /* see sac_difference_parts_read; NULL: not given */
    bool follow;   /* files may be opened that a PNG of ours names, wherever they are … */
    bool answered; /* … or a person was asked, and did not allow it */
    app_view_option settings[APP_MAX_VIEW_OPTIONS];
    int setting_count;
} app_request;

/* The value that the person gave for a setting; NULL: none. */
const char *app_find_setting(const app_request *request, const char *key);

/* The settings of all views as they are at a time, to be given to views of the same file again. */
typedef struct app_kept_setting app_kept_setting;

typedef struct app_kept {
    app_kept_setting *items; /* [count], owned */
    size_t count;
    const char *tab; /* the name of the view that is looked at; NULL: none is */
} app_kept;

/* In place of what was kept before. Without memory a setting is as it is at first. */
void app_keep_view_settings(app_kept *kept, const viz_shell *shell);
void app_kept_restore(const app_kept *kept, viz_shell *shell);
void app_kept_copy(const app_kept *from, app_kept *to); /* into a zeroed one */
/* True where a view of that class was among them. */
bool app_kept_has(const app_kept *kept, const viz_view_class *class);
/* Those of these names (ends with NULL), in all views. */
void app_kept_forget(app_kept *kept, const char *const *keys);
void app_kept_free(app_kept *kept); /* takes a zeroed one */

typedef struct app_history_entry app_history_entry;

/* A document that was open before the one that is: what opens it again as it was left. */
struct app_history_entry {
    app_history_entry *before; /* what was open before it; owned */
    app_request request;
    char **paths;             /* that `request` asks for; owned */
    char text[SAC_TEXT_SIZE]; /* the sentence, where it is no longer the one asked for */
    char take[128], axes[8];  /* the reading that was chosen */
    char name[200];
    app_kept kept;
};

/* The document that is open: its views, and the sources that they show. */
typedef struct app_document {
    viz_shell shell;
    sac_source *caption, *picture, *translation, *weights, *lessons,
        *trainer;        /* what is open, for its views; owned; NULL: not */
    const char *first;   /* the tab that is seen first; NULL: any; static */
    char file[1024];     /* what it is called after */
    char note[1024];     /* where a picture that Saccade wrote came from, or why there is no
                                 Caption tab; empty: nothing */
    char question[1024]; /* that a window asks: whether files may be opened that such a picture
                                 names; empty: none */
    bool own_weights;    /* the first of the paths are weights of a model of our own */
    char asks[1024];     /* the captioner that needs a picture; empty: no picture is missing */
    char **sample; /* one path: the sample shown until a picture is chosen; owned; NULL: none */
    char left_out[512];                 /* of several pictures, what is damaged; empty: nothing */
    app_request request;                /* for files opened later, on the same device */
    struct sac_pretrained_model *model; /* of the folder that is open; owned; NULL: none */
    struct app_training
        *training; /* that goes on, or the last one, whatever is open; held; NULL: none */
    char **paths;  /* that `request` asked for, ends with NULL; owned */
    app_request
        opened; /* the request as it was opened: of a saved picture with what that recalls */
    struct app_saved *saved;   /* that picture or stop, which lends it; owned; NULL: none */
    char stop_title[200];      /* of the lecture's stop that is open … */
    char stop_problem[1200];   /* … and why it is not shown; empty: it is */
    char *stop_note;           /* what is to be read with it; owned; NULL: nothing */
    int picture_shown;         /* beside captions: the picture of the other tabs, by its number */
    app_history_entry *before; /* what was open before (app_visit_create); owned; NULL: nothing */
    char text[SAC_TEXT_SIZE];  /* the sentence that a window had come to; empty: as asked for */
    char sentence[SAC_TEXT_SIZE]; /* with a translation: the one that the weights are of */
    char take[128], axes[8];      /* the reading that was chosen; empty: as requested */
    char device[16];              /* the number that V chose; empty: as requested */
} app_document;

/* Fills a zeroed document; close it in any case. A stop of a lecture that cannot be shown is a document without
 * views, whose shell has the reason in their place. A PNG that Saccade wrote is opened as the view it
 * was written from, where that file is still there as it was, and else as the picture it is; `note`
 * reports that. Files that it opens unasked: app/reopen.h. Pictures open without captions, and `note`
 * has the reason, where the captioner's weights are not there. */
sac_status app_open(app_document *document, const app_request *request, sac_error *error);
/* SAC_E_ARGUMENT where a setting of the request is one that no view of what it opened has. */
sac_status app_check_settings(const app_document *document, const app_request *request,
                              sac_error *error);
void app_document_close(app_document *document);
/* How the weights of file `second` differ from those of `first`, or without a second file those of one
 * under the request's `with` and `between`, into a zeroed source. */
sac_status app_open_difference(const app_request *request, const char *first, const char *second,
                               sac_source *source, sac_error *error);
/* What the model of the request's folder makes of its text, or of the picture that it begins with, into a
 * zeroed source: the states of all layers, and the weights of their heads. */
sac_status app_open_states(const app_request *request, sac_source *source, sac_error *error);
void app_drop_source(sac_source **place); /* of a document; what was not opened stays NULL */
void app_document_close_views(
    app_document *document); /* and their sources; it may be filled again */
/* Of a document that is about to be closed: takes its paths and its own visits. NULL where it has
 * no views, or no memory. */
app_history_entry *app_visit_create(app_document *document);
void app_visit_free(app_history_entry *visit); /* without those before it; takes NULL */
/* What is open with a text that may be typed anew: a model that answers, or that reads; lent. NULL:
 * nothing is. */
const sac_source *app_document_typable_source(const app_document *document);
/* On standard output and error: where a saved picture came from, and what was left out. */
void app_document_print_notes(const app_document *document);

#endif
