/* Files of weights that are not what they claim: each is refused with one clear line. */
#ifndef TESTS_MODELS_DAMAGED_H
#define TESTS_MODELS_DAMAGED_H

#include "models/model_class.h"
#include "on_device.h"
#include "saccade_arrays.h"

/* Of a test program: the device, and a folder for one file, both gone after its last test. */
extern char weights_path[64];
int open_weights(void **state);
int close_weights(void **state);

/* Saved and loaded again, the model has the weights that it had. Destroys it. */
void refuse_nothing(sac_model *model, const char *path);

/* A file of one number that claims to be `model` (NULL: nothing) gets SAC_E_FORMAT and the
 * line, after "PATH: ". */
void refuse_description(const sac_model_class *class, const char *path, const char *model,
                        const char *line);

/* A file as sac_checkpoint_save writes it, for one thing of it to be changed. */
enum { DAMAGED_PARAMETERS = 128 }; /* at most */
typedef struct damage {
    const sac_model_class *class;
    const char *path;
    sac_arrays *file;
    sac_named_array named[DAMAGED_PARAMETERS + 1];
    sac_array arrays[DAMAGED_PARAMETERS + 1];
    size_t count;
    const char *steps, *seed;
} damage;
/* Saves the model at `path`, and destroys it. */
damage begin_damage(sac_model *model, const char *path);
/* `change` gets the array of that name. Ends the damage. */
void refuse_damaged(damage *damage, const char *name, void (*change)(sac_array *array),
                    sac_status expected, const char *line);
/* Changes: a matrix's sides, the third number, the type. */
void damage_sides(sac_array *array);
void damage_number(sac_array *array);
void damage_type(sac_array *array);

/* A file that is cut, at several places, and one whose header states that it is longer than it is.
 * The model is saved at `path` first, and destroyed. */
void refuse_cut(sac_model *model, const char *path);

#endif
