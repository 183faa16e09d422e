/* Names what a path is, where a model was expected. */
#include "pretrained/files/foreign_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arrays/foreign.h"
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/adapter.h"
#include "pretrained/files/places.h"
#include "pretrained/files/pretrained.h"

enum { PATH = 4096 };

static bool holds(const char *folder, const char *name)
{
    char path[PATH];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path &&
           (sac_is_folder(path) || access(path, F_OK) == 0);
}

/* The first folder of `folder` that is a model, into `found`. False for a folder of pictures, which
 * is opened as such. */
static bool find_model_below(const char *folder, char *found, size_t size)
{
    sac_folder list;
    bool is = false, has_pictures = false;
    if (sac_folder_list_openable(folder, &list, NULL) != SAC_OK)
        return false;
    for (size_t i = 0; i < list.count; i++)
        has_pictures |= list.entries[i].kind == SAC_FILE_PICTURE && !list.entries[i].is_folder;
    for (size_t i = 0; !is && !has_pictures && i < list.count; i++) {
        int length = snprintf(found, size, "%s/%s", folder, list.entries[i].name);
        is = length > 0 && (size_t)length < size && sac_is_pretrained(found);
    }
    sac_folder_free(&list);
    return is;
}

static sac_status check_folder(const char *path, sac_error *error)
{
    char adapter[SAC_PLACE_SIZE];
    static const struct {
        const char *holds, *what, *remedy;
    } kinds[] = {
        {"model_index.json", "is a pipeline of diffusers, of several models",
         "give the folder of one of them, such as its text_encoder"},
        {"mlx_config.json", "is a model for MLX", "give the model that it was made of"},
        {"open_clip_config.json", "is a model of OpenCLIP without config.json",
         "give the same model as transformers writes it"},
        {"params.json", "is a model as its authors released it",
         "give the same model as transformers writes it, with config.json"},
    };
    static const char *const weights[] = {"model.safetensors", "model.safetensors.index.json",
                                          "pytorch_model.bin", "pytorch_model.bin.index.json",
                                          "tokenizer.json"};
    char below[PATH], snapshots[PATH], remedy[PATH + 32];
    if (sac_adapter_place(path, adapter))
        return sac_adapter_fail_no_base(adapter, error);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (holds(path, kinds[i].holds))
            return sac_fail(error, SAC_E_FORMAT, path, kinds[i].remedy, "%s", kinds[i].what);
    snprintf(snapshots, sizeof snapshots, "%s/snapshots", path);
    bool is_cache = holds(path, "snapshots") && holds(path, "refs");
    if (find_model_below(is_cache ? snapshots : path, below, sizeof below)) {
        snprintf(remedy, sizeof remedy, "give %s", below);
        return sac_fail(error, SAC_E_FORMAT, path, remedy, "%s",
                        is_cache ? "is a cache of huggingface_hub, whose models lie below it"
                                 : "has no config.json, but a folder in it has");
    }
    size_t models = sac_gguf_count_in(path, below);
    if (models > 1 && !sac_folder_has_pictures(path)) {
        snprintf(remedy, sizeof remedy, "give one of them, such as %s", below);
        return sac_fail(error, SAC_E_FORMAT, path, remedy, "has %zu models in GGUF", models);
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (holds(path, weights[i]))
            return sac_fail(error, SAC_E_FILE, path, "get config.json of the same model",
                            "has a model's %s, but no config.json", weights[i]);
    return SAC_OK;
}

/* By the names that such files have. */
bool sac_model_folder_of_file(const char *path, char *folder, size_t size)
{
    static const char *const names[] = {"config.json",
                                        "generation_config.json",
                                        "tokenizer.json",
                                        "tokenizer_config.json",
                                        "vocab.json",
                                        "vocab.txt",
                                        "preprocessor_config.json",
                                        "processor_config.json"};
    static const char *const begins[] = {"model.safetensors", "model-0", "pytorch_model"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool is_part = false;
    snprintf(folder, size, "%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_part |= strcmp(name, names[i]) == 0;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        is_part |= strncmp(name, begins[i], strlen(begins[i])) == 0;
    return is_part && !sac_is_folder(path) && sac_is_pretrained(folder);
}

static sac_status check_model_file(const char *path, sac_error *error)
{
    char folder[PATH], remedy[PATH + 32];
    if (!sac_model_folder_of_file(path, folder, sizeof folder))
        return SAC_OK;
    snprintf(remedy, sizeof remedy, "give the folder: %s", folder);
    return sac_fail(error, SAC_E_FORMAT, path, remedy, "is one file of a model");
}

sac_status sac_foreign_path_check(const char *path, sac_error *error)
{
    char kept[SAC_PLACE_SIZE];
    path = sac_place_meant(path, kept);
    if (sac_is_folder(path))
        return sac_is_pretrained(path) ? SAC_OK : check_folder(path, error);
    if (sac_place_is_name(path))
        return sac_place_check(path, error);
    if (sac_file_kind_of(path) == SAC_FILE_PICTURE) /* its reader reports what is wrong with it */
        return SAC_OK;
    sac_status status = check_model_file(path, error);
    return status == SAC_OK ? sac_foreign_check_file(path, error) : status;
}
