/* A folder as it is read bit by bit: first all names, then what each of them is, those that are seen
 * first. Both are jobs, so that a folder of many thousands does not block the window. */
#ifndef VIZ_SHELL_LISTING_H
#define VIZ_SHELL_LISTING_H

#include "images/folder.h"
#include "view/request.h"

#define VIZ_PATH_SIZE 1024
#define VIZ_ABOUT_SIZE 80

typedef enum viz_what {
    VIZ_NOT_LOOKED_AT = 0,
    VIZ_OPENS_NOT,
    VIZ_OPENS, /* it does; a folder can be entered */
    VIZ_OPENS_AS_PICTURE,
    VIZ_OPENS_AS_MODEL /* a folder that is one */
} viz_what;

/* What a path is, and that in a few words ("picture"), or why it cannot be opened. On any thread. */
typedef viz_what viz_look(const char *path, char about[VIZ_ABOUT_SIZE]);

typedef struct viz_entry {
    char *name; /* owned */
    bool is_folder;
    viz_what what; /* until it is looked at, it is taken for what opens */
    char about[VIZ_ABOUT_SIZE];
} viz_entry;

typedef struct viz_listing {
    viz_request request;
    char folder[VIZ_PATH_SIZE]; /* that is wanted */
    uint64_t asked;             /* how often another was */
    viz_look *look;
    viz_entry *entries; /* [count], owned: of that folder, or none yet */
    size_t count;
    size_t unlooked;        /* all before it are known */
    size_t pictures, known; /* of those looked at */
    bool read;              /* the names are there */
} viz_listing;

/* From now on that folder; nothing where it is the one already. */
void viz_listing_enter(viz_listing *listing, const char *folder);
/* The next job, of the view's class; `seen` [seen_count] are entries that are in view. NULL: there is
 * none. */
viz_job *viz_listing_create_job(viz_listing *listing, const viz_view_class *class,
                                const size_t *seen, size_t seen_count);
sac_status viz_listing_run_job(viz_job *job, sac_error *error);
/* Takes the result and frees the job. True where the names are other ones. */
bool viz_listing_take(viz_listing *listing, viz_job *job, const sac_error *error);
void viz_listing_free(viz_listing *listing);

/* The path that a person means by what is typed: "~/x", "/x", a name in the folder `base`, or a
 * "file://" address as file managers copy it. A "~" stands for the home folder at the start alone, and
 * nothing else is expanded. Returns NULL, or why it cannot be a path; static. */
const char *viz_path_read(const char *base, const char *typed, char path[VIZ_PATH_SIZE]);
/* The last part of a path; "" of one that ends with a slash. */
const char *viz_path_leaf(const char *path);
/* What all names that begin with `start` go on with, in whole characters, behind a folder's only one a
 * slash: into `rest`. Where none begins so, capitals count as small letters, and the start is rewritten:
 * `rest` is the whole then and *whole is set. False: no name does. */
bool viz_listing_complete(const viz_listing *listing, const char *start, char rest[VIZ_PATH_SIZE],
                          bool *whole);

#endif
