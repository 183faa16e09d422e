/* The parts of opening a document: open.c opens what the table names, open_pictures.c pictures, and
 * open_model.c what goes through the model of a folder. */
#ifndef SAC_APP_OPEN_PARTS_H
#define SAC_APP_OPEN_PARTS_H

#include "app/document.h"
#include "sources/files/weights/weights_file.h"

/* What app_open would make of a file or folder by itself. */
viz_what app_look(const char *path, char about[VIZ_ABOUT_SIZE]);

/* Opens each view of the table that accepts a source of the document, in the table's order. */
sac_status app_open_views(app_document *document, sac_error *error);

/* The request's files are pictures and folders, or there are none: a scene. */
sac_status app_open_pictures(app_document *document, const app_request *request, sac_error *error);
/* With the person's own weights, or all that come with the program. The tab is not opened yet. */
sac_status app_open_translation(app_document *document, const app_request *request,
                                sac_error *error);
/* The weights of all layers and heads that a model of a translation or of captions has, where it says
 * its sentence of what is open. None where no model has layers. */
sac_status app_open_generated_weights(app_document *document, sac_source *speaker,
                                      const app_request *request, sac_error *error);
/* After app_open_translation: the same, where more than the Translation tab is wanted. */
sac_status app_open_sentence_weights(app_document *document, const app_request *request,
                                     sac_error *error);
/* How the request has a file of arrays read. */
sac_weights_file_options app_weights_options(const app_request *request, const char *arrays,
                                             const char *picture);
bool app_wants_difference(const app_request *request);
/* A second file of weights, of the same sizes and tokens, beside that of the first. */
sac_status app_open_beside(const app_request *request, const char *file, sac_source *first,
                           sac_error *error);
/* The request's first `models` files are folders with models of others. */
sac_status app_open_model(app_document *document, const app_request *request, int models,
                          sac_error *error);

/* SAC_E_ARGUMENT where a layer, head or query that the person asked for is not there. */
sac_status app_check_map(const app_request *request, const sac_source *source, sac_error *error);
/* SAC_E_ARGUMENT where the setting "query" is not in the grid. A view leaves alone what it does not
 * have; a person who asked for it should hear so. */
sac_status app_check_query(const app_request *request, size_t columns, size_t rows,
                           sac_error *error);
/* SAC_E_ARGUMENT where a model that the person asked for, or asked to compare, is not there. */
sac_status app_check_models(const app_request *request, const sac_source *source, sac_error *error);

/* How a text goes on, with the temperature and the beam that are set. */
sac_sampling app_sampling(const app_request *request);
/* The source says word by word what is asked for, and where nobody asks how, as it has it. */
sac_status app_apply_sampling(const app_request *request, sac_source *source, sac_error *error);

/* True where the request names that tab. */
bool app_wants_tab(const app_request *request, const char *name);

/* A zeroed source in `place` of the document, for `what`. */
sac_status app_make_source(sac_source **place, const char *what, sac_error *error);

#endif
