/* Weights in a file, with what the model is and how far its training came: metadata "model",
 * "steps" and "seed". */
#ifndef SAC_MODELS_CHECKPOINT_H
#define SAC_MODELS_CHECKPOINT_H

#include "models/model_class.h"
#include "saccade_arrays.h"

/* In a folder of weights: those of a model, and those of an adapter that changes another folder's. */
#define SAC_WEIGHTS_FILE "model.safetensors"
#define SAC_ADAPTER_FILE "adapter_model.safetensors"
/* The file of the weights at `path`, which may be the folder that they are in: "PATH/model.safetensors", or an adapter's
 * that is there, into `file` [1024], or `path` itself. */
const char *sac_checkpoint_file(const char *path, char *file);
/* SAC_E_FILE where its weights cannot be written to `path`, or a folder there has another model's. */
sac_status sac_checkpoint_check_path(const sac_model *model, const char *path, sac_error *error);
/* A checkpoint to continue from has Adam's moments too, and the options of its training (metadata
 * "training"); `training` is NULL for weights alone, which may be a folder (class->save_beside). Atomic, file by file. */
sac_status sac_checkpoint_save(const sac_model *model, const char *path, size_t steps,
                               uint32_t seed, const char *training, sac_error *error);
/* Steps trained so far and the seed of it, 0 where the file has neither; SAC_E_FORMAT. */
sac_status sac_checkpoint_progress(const sac_model_class *class, const sac_arrays *file,
                                   const char *path, size_t *steps, uint32_t *seed,
                                   sac_error *error);
bool sac_checkpoint_has_moments(const sac_arrays *file);
/* A number by its name in the metadata "training", such as that of an option; false: there is none
 * in reason. */
bool sac_checkpoint_number(const sac_arrays *file, const char *name, double *number);
/* A model as training wrote it, or a folder of its architecture (class->open_folder); every name and shape is checked. */
sac_status sac_checkpoint_load(const sac_model_class *class, sac_device *device, const char *path,
                               sac_model **model, sac_error *error);
/* A model to be trained with these options, of the sizes that the file describes; its weights are
 * not read. */
sac_status sac_checkpoint_create_like(const sac_model_class *class, sac_device *device,
                                      const char *path, const sac_model_values *values,
                                      uint32_t seed, sac_model **model, sac_error *error);

#endif
