/* Where models lie: what a path means, and what programs that fetch models have kept. */
#ifndef SAC_PRETRAINED_FILES_PLACES_H
#define SAC_PRETRAINED_FILES_PLACES_H

#include "saccade.h"

enum { SAC_PLACE_SIZE = 4096, SAC_PLACE_NAME = 128 };

/* The folder with a config.json, the GGUF, or the original checkpoint (original.h), that a path means, or the name of a model that is kept (below), where there
 * is no such path: itself; of sentence-transformers' folder that of
 * its first module; of a hub's cache (models--OWNER--NAME) the newest snapshot; in a folder without config.json its
 * only GGUF, unless it is a folder of pictures; of an adapter's (adapter.h) its base. False: it is no model. */
bool sac_pretrained_place(const char *path, char place[SAC_PLACE_SIZE]);

/* How many GGUF files are in a folder, by their endings; the first of them. */
size_t sac_gguf_count_in(const char *folder, char first[SAC_PLACE_SIZE]);
/* The files beside a GGUF that see for it ("mmproj" is in their names), and the first of them by name; 0: there is none. */
size_t sac_gguf_find_vision(const char *model, char path[SAC_PLACE_SIZE]);

/* The folder of the adapter that a path means. False: it means none. */
bool sac_adapter_place(const char *path, char place[SAC_PLACE_SIZE]);

/* The path itself, or into `kept` that of the model which is kept by this name, where there is no such path. */
const char *sac_place_meant(const char *path, char kept[SAC_PLACE_SIZE]);
/* True where a path reads as OWNER/NAME, and there is not even a folder OWNER. */
bool sac_place_is_name(const char *path);
/* SAC_E_FILE where there is neither such a path nor a model that is kept by this name. */
sac_status sac_place_check(const char *path, sac_error *error);

/* The last part of a path; of one in a hub's cache "OWNER/NAME". Returns `name`. */
char *sac_place_name(const char *place, char name[SAC_PLACE_NAME]);

typedef struct sac_found_model {
    char *name, *path; /* "OWNER/NAME", "NAME:TAG"; owned */
} sac_found_model;
typedef struct sac_found_models {
    sac_found_model *list; /* [count], owned */
    size_t count;
} sac_found_models;

/* Adds what a folder holds; nothing where it cannot be read. SAC_E_MEMORY. */
sac_status sac_find_models(const char *folder, sac_found_models *found, sac_error *error);
/* Adds what is in the hub's cache (HF_HUB_CACHE, HF_HOME, or below XDG_CACHE_HOME or the home folder), and in Ollama's
 * folder (OLLAMA_MODELS, or below the home folder). */
sac_status sac_find_kept_models(sac_found_models *found, sac_error *error);
void sac_found_models_free(sac_found_models *found);

#endif
