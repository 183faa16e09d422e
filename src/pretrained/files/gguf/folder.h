/* A GGUF as the folder of the same model: its config.json, and its tensors under the names, in the shapes and
 * in the order that transformers gives them. */
#ifndef SAC_PRETRAINED_FILES_GGUF_FOLDER_H
#define SAC_PRETRAINED_FILES_GGUF_FOLDER_H

#include "pretrained/files/gguf/gguf.h"

typedef struct sac_gguf_folder sac_gguf_folder;

/* Takes over `file`, which lies at `path`; the other files of a model that is split are next to it (NULL:
 * it is whole). SAC_E_FORMAT where it is damaged, of an architecture that is not known here, or has a
 * key or a tensor that the architecture has not. */
sac_status sac_gguf_folder_open(sac_bytes *file, const char *path, sac_gguf_folder **folder,
                                sac_error *error);
void sac_gguf_folder_close(sac_gguf_folder *folder); /* takes NULL */

/* Passes over a key of every GGUF that is opened from now on, such as "qwen2.my_key", where it is not known or not
 * supported. Call it before other threads begin. */
sac_status sac_gguf_ignore(const char *key, sac_error *error);
/* The keys of this one that were, "a.b,a.c"; lent; "": none. */
const char *sac_gguf_folder_ignored(const sac_gguf_folder *folder);

/* Adds the part that sees, of another file (mmproj), which it takes over: config and tensors become those of the model
 * that answers about pictures. SAC_E_FORMAT where it is of a kind that is not known here, or the text's words have no token for a
 * picture; the folder is as it was. */
sac_status sac_gguf_folder_add_vision(sac_gguf_folder *folder, sac_bytes *file, const char *path,
                                      sac_error *error);
/* preprocessor_config.json of what sees; lent. NULL: nothing does. */
const struct cJSON *sac_gguf_folder_pictures(const sac_gguf_folder *folder);

/* config.json; lent. */
struct cJSON *sac_gguf_folder_config(const sac_gguf_folder *folder);
/* All keys of the file, for its tokenizer; lent. */
const struct cJSON *sac_gguf_folder_keys(const sac_gguf_folder *folder);
/* A tensor by the name that it has in a folder; lent, read when it is requested first. NULL: there is none; or it
 * cannot be read, and *why, which is "" else, has the reason. */
const sac_array *sac_gguf_folder_find(sac_gguf_folder *folder, const char *name, const char **why);
/* A matrix that the file has in blocks which weights may keep (base/stored.h). */
typedef struct sac_gguf_blocks {
    sac_stored stored; /* SAC_STORED_F32: it is not there so */
    size_t rows, width;
    const uint8_t *data; /* lent, for as long as the folder is open */
    bool transposed;     /* rows are columns of what sac_gguf_folder_find gives */
    /* Of MXFP4 in pairs of numbers: the scales, and the bytes from one to the next, and from a block's
     * numbers in `data` to the next one's. NULL: blocks as base/stored.h has them. */
    const uint8_t *scales;
    size_t scale_step, data_step;
} sac_gguf_blocks;
sac_status sac_gguf_folder_blocks(sac_gguf_folder *folder, const char *name,
                                  sac_gguf_blocks *blocks, sac_error *error);
bool sac_gguf_folder_has(const sac_gguf_folder *folder, const char *name);
/* Its memory is needed no more; it is read again where it is requested again. */
void sac_gguf_folder_forget(sac_gguf_folder *folder, const sac_array *tensor);

#endif
