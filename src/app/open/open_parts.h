/* The parts of opening a document. Each uses those above it, and none below:
 *     request.c        what a request asks for, and whether a source has it
 *     captioner.c      the dataset that is meant, and a captioner of pictures or scenes
 *     open_pictures.c, open_model.c: the sources of pictures, scenes and sentences, and of a model's folder
 *     reopen.c         a saved picture, or a stop of a lecture, as a request
 *     open.c           what the files are, the kind of the request, the sources of the other kinds, and the views */
#ifndef SAC_APP_OPEN_PARTS_H
#define SAC_APP_OPEN_PARTS_H

#include "app/document.h"
#include "shell/chooser/chooser.h"

/* ---- request.c */

/* True where the request names that tab. */
bool app_wants_tab(const app_request *request, const char *name);
bool app_wants_difference(const app_request *request);
/* Settings that are fixed when a model, or queries and keys, are opened. */
void app_set_spec_from_settings(app_request *request);
/* How a text goes on, with the temperature and the beam that are set. */
sac_sampling app_sampling(const app_request *request);
/* Sets the sampling of the source's generation where the request continues; else the source's own stays. */
sac_status app_apply_sampling(const app_request *request, sac_source *source, sac_error *error);
/* SAC_E_ARGUMENT where a layer, head or query that the person asked for is not there. A view leaves alone
 * what it does not have; a person who asked for it gets an error. */
sac_status app_check_map_exists(const app_request *request, const sac_source *source,
                                sac_error *error);
sac_status app_check_query(const app_request *request, size_t columns, size_t rows,
                           sac_error *error);
/* The same of a model that the person asked for, or asked to compare. */
sac_status app_check_models(const app_request *request, const sac_source *source, sac_error *error);
/* A zeroed source in `place` of the document, for `what`. */
sac_status app_make_source(sac_source **place, const char *what, sac_error *error);

/* ---- the kinds: each fills the document's sources, and names the tab that is seen first */

/* The files of a request by what they are. */
typedef struct app_files {
    const char *second;           /* arrays that the first ones are compared with */
    const char *picture, *arrays; /* the first of each kind; of a folder its first picture */
    const char *labels; /* what is neither: text may be labels, where arrays are beside it */
    int pictures;
    bool folder;
    int models;          /* the first so many are folders with models of others */
    const char *weights; /* of a model that this program trained … */
    bool reads;          /* … which is given sentences */
    const char *lecture; /* the one file: a stop of it is opened */
} app_files;

typedef sac_status app_open_kind(app_document *document, const app_request *request,
                                 const app_files *files, sac_error *error);
app_open_kind app_open_sentence, app_open_pictures, app_open_model;

/* After a sentence is open: the weights of all layers and heads of its translation, where more than the Translation tab is wanted. */
sac_status app_open_sentence_weights(app_document *document, const app_request *request,
                                     sac_error *error);

/* ---- open.c */

/* What app_open would make of a file or folder by itself. */
viz_what app_describe_path(const char *path, char about[VIZ_ABOUT_SIZE]);

#endif
