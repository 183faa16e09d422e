/* PNGs that Saccade wrote, and the stops of a lecture: what they show, and how it was shown. */
#ifndef SAC_APP_REOPEN_H
#define SAC_APP_REOPEN_H

#include "app/open/open_parts.h"
#include "images/png_write.h"
#include "sources/lecture.h"
#include "sources/picture.h"

/* A file that comes with the program is named by its title: "sample: A garden". */
#define APP_SAMPLE_MARK "sample: "
/* Of a training its name ("captioner: picture book") is stored so, and the paths of what it learns from. */
#define APP_TRAINING "training"

/* The files that a saved picture may name. */
typedef enum app_named {
    APP_FILE, /* what it shows; of a lesson the numbers that it was given */
    APP_LABELS,
    APP_IMAGE,
    APP_SECOND_FILE,
    APP_SECOND_IMAGE,
    APP_WEIGHTS, /* of the captioner, where it is not the program's */
    APP_OWN,     /* what a training learns from … */
    APP_OWN_TOO,
    APP_MORE_IMAGES, /* the others of pictures that are seen together */
    APP_NAMED = APP_MORE_IMAGES + SAC_PICTURE_PARTS - 1
} app_named;

/* The origin and settings that a saved picture holds. */
typedef struct app_saved {
    sac_png_texts texts;       /* all that stands in the picture */
    bool is_stop;              /* of a lecture, whose note is only why it is not shown */
    char *paths[APP_NAMED];    /* that may be opened, and are there as they were; NULL: not */
    bool is_lesson;            /* it shows a lesson, of its own numbers or of a file: … */
    sac_lesson_request lesson; /* … this one … */
    char cell[96];             /* … and this cell of it; empty: none */
    bool is_scene;             /* it shows a scene of the test stream instead: … */
    uint64_t scene;            /* … the first one, … */
    int picture;               /* … turned to so often, */
    const char *dataset;       /* … of this dataset */
    const char *text;          /* it shows this sentence and its translation instead; NULL: none */
    bool is_translator;        /* by the weights in its file */
    bool is_training;          /* it shows what can be trained, or a training, instead */
    char note[1024]; /* where the picture came from, for a person; empty: nothing is known */
    char weights_wrong
        [420];      /* why the weights that it was captioned by cannot be opened; empty: they can,
                        or a person is asked */
    char asks[512]; /* names of files that are there, and are opened only where a person allows
                        it: "a.txt, ../b.npz"; empty: none */
    const char *files[4 + SAC_PICTURE_PARTS]; /* that are opened for it, as a request has them */
    sac_lessons_options lessons;
} app_saved;

/* True where the picture `from` has the origin of a view that can be opened, or of the lecture `from`
 * the texts of this `stop` (NULL: a picture) have it. The note is filled also where
 * it cannot; free *saved in any case. NULL: no memory.
 *
 * A picture may come from someone else, and name any file of the person who opens it. So a file is
 * opened unasked only where it is in the picture's folder or below, by a relative name without "..",
 * no link leads from it out of there, and the picture has its hash (source/origin.h): then its author
 * had the file. `follow` allows every file that is named; one with another hash is not opened even so.
 * Pipes and devices, which never end, are never opened. */
bool app_saved_find(const char *from, const sac_png_texts *stop, bool follow, app_saved **saved);
void app_saved_free(app_saved *saved); /* takes NULL */

/* Makes the request one for what the picture shows: files, lesson, scene, text and tab. What a person gave
 * stays. The request lends all from *saved. */
void app_saved_fill_request(app_saved *saved, app_request *request);
/* Then, once its files are sorted: how they were opened, and what was beside them. */
void app_saved_recall_options(app_saved *saved, app_request *request, app_files *files);
/* Adds a setting that is not given and not empty. */
void app_recall_setting(app_request *request, const char *key, const char *value);

/* Shows the view that the picture shows, and gives the picture's settings to it and to all views of
 * the same source. The others take nothing: caption and picture both have a temperature, and other
 * words that mean other things to the other. */
void app_saved_restore_views(viz_shell *shell, const app_saved *saved);

#endif
