/* The description of a model in its weights' file: "model" in the metadata, as JSON. Every value
 * is checked against limits, and sizes against the numbers in the file, before anything is
 * allocated. After the first error all calls do nothing, and sac_description_close reports it:
 *
 *     sac_description d = sac_description_open(file, "captioner", error);
 *     shape->hidden = sac_description_size(&d, "hidden", 1, 4096);
 *     return sac_description_close(&d, path);
 */
#ifndef SAC_MODELS_DESCRIPTION_H
#define SAC_MODELS_DESCRIPTION_H

#include <cjson/cJSON.h>

#include "models/model_class.h"
#include "saccade_arrays.h"

/* The words that a model knows, by their number. */
typedef struct sac_description_vocabulary {
    const void *self;
    const char *(*word)(const void *self, int number);
} sac_description_vocabulary;

/* ---- writing */

bool sac_description_add_words(cJSON *model, const char *name,
                               const sac_description_vocabulary *vocabulary, int count);
/* "normalizer", the attention's; a softmax has no entry, as in files that are older than the others. */
bool sac_description_add_normalizer(cJSON *model, sac_normalizer normalizer);
/* The JSON as text, to be freed, where it is `whole`; NULL: out of memory. Deletes `model`. */
char *sac_description_print_and_free(cJSON *model, bool whole);

/* ---- reading */

typedef struct sac_description {
    const sac_arrays *file;
    cJSON *json;     /* NULL once closed, or where there is none */
    char remedy[96]; /* "give weights that `saccade train captioner` wrote" */
    sac_status status;
    sac_error *error; /* the caller's; may be NULL */
} sac_description;

sac_description sac_description_open(const sac_arrays *file, const char *model, sac_error *error);
/* Frees it. The first failure, within `path`. */
sac_status sac_description_close(sac_description *d, const char *path);

/* The first failure, SAC_E_FORMAT, also of the model's own checks. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_description_refuse(sac_description *d, const char *what_format, ...);

/* A whole number from low to high, and `low` after a failure. `what` is for the message. */
int sac_description_check(sac_description *d, double value, const char *what, int low, int high);
int sac_description_size(sac_description *d, const char *name, int low, int high);
/* A number from low to high; `otherwise` where there is none. */
float sac_description_number_or(sac_description *d, const char *name, float otherwise, float low,
                                float high);
bool sac_description_flag(sac_description *d, const char *name);
/* A text; `otherwise` where there is none. Lent. */
const char *sac_description_text_or(sac_description *d, const char *name, const char *otherwise);
/* "score": additive, scaled-dot or bilinear. */
sac_score sac_description_score(sac_description *d);
/* "normalizer"; softmax where there is none. */
sac_normalizer sac_description_normalizer(sac_description *d);
/* NULL after a failure. */
const cJSON *sac_description_list(sac_description *d, const char *name);
/* The number of words in the list of that name, `least` to `most`: the first of the vocabulary.
 * Their order gives the numbers their meaning: in any other order it is another model. */
int sac_description_check_words(sac_description *d, const char *name,
                                const sac_description_vocabulary *vocabulary, int least, int most);
/* The file holds as many numbers as the parameters ask for, moments of a training left out. */
void sac_description_check_number_count(sac_description *d, const sac_parameters *parameters);

/* ---- comparing */

/* The normaliser of a file's model, *its, becomes the model's `own` where that one was chosen for it
 * (SAC_ATTENTION_OPTION). SAC_E_ARGUMENT where the file is a checkpoint: its training would go on as another. */
sac_status sac_description_take_normalizer(const sac_model *model, const sac_arrays *file,
                                           const char *path, sac_normalizer own,
                                           sac_normalizer *its, sac_error *error);

/* SAC_E_SHAPE where a file's model, described by `description`, is not of this model's shape. Frees
 * the text. */
sac_status sac_description_compare(const sac_model *model, char *description, const char *path,
                                   sac_error *error);

#endif
