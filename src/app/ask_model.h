/* What goes through the model of a folder: a text, or a picture. */
#ifndef SAC_APP_ASK_MODEL_H
#define SAC_APP_ASK_MODEL_H

#include "app/document.h"
#include "architectures/architectures.h"

/* The request's text and what the model says after it, or the one of its pictures that it begins
 * with and where things are in it, as a source; *read (may be NULL) of its tokens were given. Free
 * it with sac_source_destroy. */
sac_status app_ask_model(const app_open_request *request, sac_source *source, size_t *read,
                         sac_error *error);

/* SAC_E_ARGUMENT where the request's boxes cannot be those of what the model sees: `pictures` are
 * given. */
sac_status app_check_boxes(const app_open_request *request, const sac_pretrained_model *model,
                           int pictures, sac_error *error);

/* The model of the request's folder: the one that is open already, where it is of that folder.
 * Close it. */
sac_status app_find_model(const app_open_request *request, sac_pretrained_model **model,
                          sac_error *error);
/* What such a model says of the request's pictures, as a source; it is one that speaks. */
sac_status app_ask_captioner(const app_open_request *request, sac_pretrained_model *model,
                             sac_source *source, sac_error *error);

/* Such a model and the request's sentence, or one that suits most, as a source; it translates. */
sac_status app_ask_translator(const app_open_request *request, sac_pretrained_model *model,
                              sac_source *source, sac_error *error);

/* True where the request is of two to see side by side: a folder and two pictures, or two folders
 * and a picture. Each by itself goes into `two` (NULL: neither does), a folder and a picture. */
bool app_split_request(const app_open_request *request, app_open_request *two);

#endif
