/* What goes through the model of a folder: a text, or a picture. */
#ifndef SAC_APP_ASK_MODEL_H
#define SAC_APP_ASK_MODEL_H

#include "app/document.h"
#include "architectures/architectures.h"

/* What went through a model: how much of it was given, and not said by the model itself. */
typedef struct app_asked {
    const sac_inference *inference; /* lent by the source */
    size_t read;                    /* of its tokens */
} app_asked;

/* The request's text and what the model says after it, or the one of its pictures that it begins
 * with and where things are in it, as a source; `asked` (may be NULL) tells what it is of. Free it
 * with sac_source_destroy. */
sac_status app_ask_model(const app_request *request, sac_source *source, app_asked *asked,
                         sac_error *error);

/* SAC_E_ARGUMENT where the request's boxes cannot be those of what the model sees: `pictures` are
 * given. */
sac_status app_check_boxes(const app_request *request, const sac_pretrained_model *model,
                           int pictures, sac_error *error);

/* The model of the request's folder: the one that is open already, where it is of that folder.
 * Close it. */
sac_status app_find_model(const app_request *request, sac_pretrained_model **model,
                          sac_error *error);
/* What such a model says of the request's pictures, as a source; it is one that speaks. */
sac_status app_ask_captioner(const app_request *request, sac_pretrained_model *model,
                             sac_source *source, sac_error *error);

/* Such a model and the request's sentence, or one that suits most, as a source; it translates. */
sac_status app_ask_translator(const app_request *request, sac_pretrained_model *model,
                              sac_source *source, sac_error *error);

/* Two to see side by side, each a folder and a picture. */
typedef struct app_two {
    app_request side[2];
    const char *files[2][2]; /* of each; lent by the request that was split */
} app_two;
/* True where the request is of two: a folder and two pictures, or two folders and a picture. Each
 * by itself goes into `two`, which is not to be moved then (NULL: neither does). */
bool app_split_request(const app_request *request, app_two *two);

#endif
