/* A tiny model of tests/reference, what went through it, and the output of `transformers`. */
#ifndef TESTS_FAMILIES_TRIAL_H
#define TESTS_FAMILIES_TRIAL_H

#include "architectures/architecture.h"
#include "architectures/architectures.h"
#include "on_device.h"
#include "saccade_arrays.h"

typedef struct trial {
    const char *prefix;                   /* of the names in the reference: "", or "wide." */
    sac_pretrained_model *model, *opened; /* the part that reads texts, or the same */
    sac_inference *inference;
    sac_arrays *expected;
} trial;

/* Fails the test where the reference has no floats of that name and count. */
const float *expect(const trial *t, const char *name, size_t count);
void compare(const float *x, const float *expected, size_t count, double tolerance,
             const char *name);
/* The folder's model, with the tokens or the pixels that the reference has; close it. */
void open_trial(trial *t, const char *folder, const char *reference, const char *prefix);
/* The same of tests/reference. */
void open_named(trial *t, const char *architecture, const char *prefix);
void open_named_stored(trial *t, const char *architecture, const char *prefix, sac_storage storage);
void close_trial(trial *t);
/* The states that enter and leave each layer. */
void check_layers(const trial *t);
/* The same, and what leaves the model; the weights of each head, through the source, as
 * views ask for them, which takes the passage. */
void check_states(const trial *t);
void check_weights(trial *t);
/* What comes next. */
void check_logits(const trial *t);
/* 8 tokens, each the most probable one: through the cache of keys and values as by whole texts. */
void check_words(const trial *t);
/* States and weights. */
void check_family(const char *architecture, const char *prefix);

/* A folder with that config.json and the weights of tests/reference's `family`, opened. */
sac_status open_with_config(const char *architecture, const char *config,
                            sac_pretrained_model **model, sac_error *error);
/* A folder with that config.json and the weights of tests/reference's `family` does not open, and
 * the error contains `what`. */
void check_folder_refused(const char *architecture, const char *config, sac_status status,
                          const char *what);

#endif
