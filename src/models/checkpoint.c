/* Checkpoints: weights, and a training's progress beside them. */

#include "models/checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/output.h"
#include "images/folder.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- writing */

enum { PATH_SIZE = 1024 };

const char *sac_checkpoint_file(const char *path, char *file)
{
    if (!sac_is_folder(path))
        return path;
    snprintf(file, PATH_SIZE, "%s/" SAC_ADAPTER_FILE, path);
    if (access(file, F_OK) != 0)
        snprintf(file, PATH_SIZE, "%s/" SAC_WEIGHTS_FILE, path);
    return file;
}

static bool has_file(const char *folder, const char *name)
{
    char file[PATH_SIZE + 32];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    return access(file, F_OK) == 0;
}

/* True of the folder of a model that this class did not write; and of one of weights in another file, as an adapter has,
 * which would be taken for its base. */
static bool is_folder_of_another(const sac_model *model, const char *path)
{
    const sac_model_class *class = model->class;
    char file[PATH_SIZE + 32];
    sac_arrays *weights = NULL;
    const char *name = class->name_weights(model);
    const bool is_adapter = strcmp(name, SAC_ADAPTER_FILE) == 0;
    if (has_file(path, is_adapter ? "config.json" : "adapter_config.json"))
        return true;
    if (!has_file(path, is_adapter ? "adapter_config.json" : "config.json"))
        return false;
    snprintf(file, sizeof file, "%s/%s", path, name);
    const bool opens = sac_arrays_open(file, &weights, NULL) == SAC_OK;
    const char *description = opens ? sac_arrays_metadata(weights, "model") : NULL;
    const bool is_own = description && strstr(description, class->mark);
    sac_arrays_close(weights);
    return !is_own;
}

sac_status sac_checkpoint_check_path(const sac_model *model, const char *path, sac_error *error)
{
    const sac_model_class *class = model->class;
    if (!class->save_beside)
        return sac_output_check(path, error);
    if (strlen(path) + strlen("/tokenizer_config.json") >= PATH_SIZE)
        return sac_fail(error, SAC_E_FILE, path, NULL, "the file name is too long");
    if (access(path, F_OK) == 0 && !sac_is_folder(path))
        return sac_fail(error, SAC_E_FILE, path, "give the name of a folder", "is a file");
    return is_folder_of_another(model, path)
               ? sac_fail(error, SAC_E_FILE, path, "give the name of another folder",
                          "has another model, which is not replaced")
               : SAC_OK;
}

/* Makes the folder where it is to be one. */
static sac_status make_folder(const sac_model *model, const char *path, sac_error *error)
{
    sac_status status = sac_checkpoint_check_path(model, path, error);
    return status == SAC_OK && mkdir(path, 0777) != 0 && errno != EEXIST
               ? sac_fail_not_written(path, errno, error)
               : status;
}

sac_status sac_checkpoint_save(const sac_model *model, const char *path, size_t steps,
                               uint32_t seed, const char *training, sac_error *error)
{
    char steps_text[24], seed_text[24], *description = model->class->describe(model);
    if (!description)
        return sac_no_memory(error, path);
    snprintf(steps_text, sizeof steps_text, "%zu", steps);
    snprintf(seed_text, sizeof seed_text, "%lu", (unsigned long)seed);
    const bool is_folder = model->class->save_beside && !training;
    char file[PATH_SIZE + 32];
    snprintf(file, sizeof file, "%s/%s", path, is_folder ? model->class->name_weights(model) : "");
    sac_status status = is_folder ? make_folder(model, path, error) : SAC_OK;
    const char *const metadata[] = {"model",
                                    description,
                                    "steps",
                                    steps_text,
                                    "seed",
                                    seed_text,
                                    "program",
                                    "saccade " SAC_VERSION,
                                    training    ? "training"
                                    : is_folder ? "format"
                                                : NULL,
                                    training ? training : "pt", /* which transformers asks for */
                                    NULL};
    if (status == SAC_OK)
        status = sac_parameters_save(&model->parameters, is_folder ? file : path, training != NULL,
                                     metadata, error);
    if (status == SAC_OK && is_folder)
        status = model->class->save_beside(model, path, error);
    free(description);
    return status;
}

/* ---------------------------------------------------------------- reading */

/* A number in the metadata; 0 where there is none of that name. */
static sac_status read_number(const sac_model_class *class, const sac_arrays *file, const char *key,
                              unsigned long long most, unsigned long long *number, sac_error *error)
{
    const char *text = sac_arrays_metadata(file, key);
    char *end = NULL, remedy[96];
    *number = 0;
    if (!text)
        return SAC_OK;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || *number > most) {
        snprintf(remedy, sizeof remedy, "give weights that `saccade train %s` wrote", class->name);
        return sac_fail(error, SAC_E_FORMAT, key, remedy,
                        "is \"%.40s\", not a number from 0 to %llu", text, most);
    }
    return SAC_OK;
}

sac_status sac_checkpoint_progress(const sac_model_class *class, const sac_arrays *file,
                                   const char *path, size_t *steps, uint32_t *seed,
                                   sac_error *error)
{
    unsigned long long trained = 0, from = 0;
    sac_status status = read_number(class, file, "steps", SIZE_MAX, &trained, error);
    if (status == SAC_OK)
        status = read_number(class, file, "seed", UINT32_MAX, &from, error);
    *steps = (size_t)trained;
    *seed = (uint32_t)from;
    return status == SAC_OK ? status : sac_error_within(error, status, path);
}

bool sac_checkpoint_has_moments(const sac_arrays *file)
{
    for (size_t i = 0; i < sac_arrays_size(file); i++)
        if (strncmp(sac_arrays_name(file, i), "adam.first.", strlen("adam.first.")) == 0)
            return true;
    return false;
}

/* The metadata is "steps 6000 batch 32 rate 0.002 gaze-loss 0.3 …". */
bool sac_checkpoint_number(const sac_arrays *file, const char *name, double *number)
{
    const char *text = sac_arrays_metadata(file, "training");
    size_t length = strlen(name);
    for (const char *at = text; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == ' ')
            return sscanf(at + length, "%lf", number) == 1 && *number >= 0 && *number <= 1e9;
    return false;
}

sac_status sac_checkpoint_load(const sac_model_class *class, sac_device *device, const char *path,
                               sac_model **model, sac_error *error)
{
    sac_arrays *file = NULL;
    size_t steps;
    uint32_t seed;
    char inside[PATH_SIZE];
    *model = NULL;
    if (class->open_folder && sac_is_folder(path))
        return class->open_folder(device, path, model, error);
    path = sac_checkpoint_file(path, inside);
    sac_status status = sac_arrays_open(path, &file, error);
    if (status == SAC_OK)
        status = class->create_like(device, file, path, NULL, 0, model, error);
    if (status == SAC_OK)
        status = sac_checkpoint_progress(class, file, path, &steps, &seed, error);
    if (status == SAC_OK)
        status = sac_parameters_load(&(*model)->parameters, file, path, error);
    if (status != SAC_OK) {
        sac_model_destroy(*model);
        *model = NULL;
    }
    sac_arrays_close(file);
    return status;
}

sac_status sac_checkpoint_create_like(const sac_model_class *class, sac_device *device,
                                      const char *path, const sac_model_values *values,
                                      uint32_t seed, sac_model **model, sac_error *error)
{
    sac_arrays *file = NULL;
    *model = NULL;
    sac_status status = sac_arrays_open(path, &file, error);
    if (status == SAC_OK)
        status = class->create_like(device, file, path, values, seed, model, error);
    sac_arrays_close(file);
    return status;
}
