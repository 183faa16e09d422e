/* A folder as Hugging Face's libraries write it: config.json, and model.safetensors, or several of
 * those and their index, model.safetensors.index.json; where there is none, pytorch_model.bin or
 * pytorch_model.bin.index.json. Weights are mapped, not read. */
#ifndef SAC_PRETRAINED_FILES_PRETRAINED_H
#define SAC_PRETRAINED_FILES_PRETRAINED_H

#include "pretrained/files/config.h"
#include "pretrained/files/gguf/folder.h"
#include "saccade_arrays.h"

typedef struct sac_pretrained sac_pretrained;

/* True where a path means a model (places.h): a folder with a config.json, a GGUF, an original checkpoint, or what leads to one. */
bool sac_is_pretrained(const char *path);

/* Of an adapter's folder the base, with its matrices as the adapter makes them. SAC_E_FILE where a file is not there
 * or cannot be read, SAC_E_FORMAT where one is damaged, or the
 * weights are of a kind that is not read here. */
sac_status sac_pretrained_open(const char *folder, sac_pretrained **pretrained, sac_error *error);
/* A model inside another file of arrays: its tensors have names that begin with `prefix`, and
 * `config` is its config.json. */
typedef struct sac_pretrained_inside {
    const char *file, *prefix, *config;
} sac_pretrained_inside;
sac_status sac_pretrained_open_inside(const sac_pretrained_inside *inside,
                                      sac_pretrained **pretrained, sac_error *error);
void sac_pretrained_close(sac_pretrained *pretrained);

/* All its tensors under `prefix` and their names, for a file that is to hold them; the arrays are
 * lent. Free the list with sac_pretrained_list_free. */
sac_status sac_pretrained_list(const sac_pretrained *pretrained, const char *prefix,
                               sac_named_array **list, size_t *count, sac_error *error);
void sac_pretrained_list_free(sac_named_array *list, size_t count); /* takes NULL */

/* The values of config.json; its path goes before the place of an error. */
sac_config sac_pretrained_config(const sac_pretrained *pretrained, sac_error *error);

/* The folder of the adapter that changes it; lent. NULL: none does. */
const char *sac_pretrained_adapter_folder(const sac_pretrained *pretrained);

/* The keys of a GGUF, among which its tokenizer is; lent. NULL: it is a folder. */
const struct cJSON *sac_pretrained_gguf_keys(const sac_pretrained *pretrained);

/* preprocessor_config.json of the file that sees beside a GGUF; lent. NULL: there is none. */
const struct cJSON *sac_pretrained_gguf_pictures(const sac_pretrained *pretrained);
/* What became of that file, where it was not taken as a matter of course; lent; "": nothing. */
const char *sac_pretrained_note(const sac_pretrained *pretrained);

/* Its keys that were passed over on request (sac_gguf_ignore), parted by commas; lent; "": none. */
const char *sac_pretrained_ignored_keys(const sac_pretrained *pretrained);

/* The file that its weights are in, or the index of several, for an error; lent. */
const char *sac_pretrained_weights_name(const sac_pretrained *pretrained);
/* A tensor by its name; lent, NULL where it is in no file. Of one that is there and of a kind that is
 * not read, an array of no texts: sac_pretrained_require_tensor has the reason. */
const sac_array *sac_pretrained_find(const sac_pretrained *pretrained, const char *name);
/* Whether it is there; nothing is read. */
bool sac_pretrained_has(const sac_pretrained *pretrained, const char *name);
/* A matrix whose rows a GGUF has in blocks, or that are laid so (quantised.h); else `stored` is SAC_STORED_F32. */
sac_status sac_pretrained_blocks(const sac_pretrained *pretrained, const char *name,
                                 sac_gguf_blocks *blocks, sac_error *error);
/* True where a tensor's name is that, or ends with a dot and that. */
bool sac_pretrained_has_ending(const sac_pretrained *pretrained, const char *ending);
/* A tensor that must be there, floating numbers, and of that shape (`rank` sizes): else
 * SAC_E_FORMAT or SAC_E_SHAPE with the file and the tensor. */
sac_status sac_pretrained_require_tensor(const sac_pretrained *pretrained, const char *name,
                                         int rank, const size_t *shape, const sac_array **tensor,
                                         sac_error *error);
/* What a wrapper (torch.compile, DistributedDataParallel) put before all names, "_orig_mod.", which is
 * taken off; "": none did. */
const char *sac_pretrained_wrapper(const sac_pretrained *pretrained);
/* What of the weights was not requested until now, but for buffers that no model reads. */
typedef struct sac_unused_tensors {
    size_t count;
    char first[160];    /* the first names, parted by commas … */
    bool is_cut;        /* … and not all of them */
    char in_layer[200]; /* one inside a layer of which others were requested; "": there is none */
} sac_unused_tensors;
/* Of a GGUF there are none: it is refused when it is opened. */
void sac_pretrained_unused(const sac_pretrained *pretrained, sac_unused_tensors *unused);
/* The tensors that are not read, each with its reason, into `text`, which is returned: "x (has
 * dtype 'F8_E4M3', which is not read)"; "" where there is nothing. */
char *sac_pretrained_unread_text(const sac_pretrained *pretrained, char *text, size_t size);
/* Lets go of the pages of one of its tensors, which come back when they are read. */
void sac_pretrained_forget(const sac_pretrained *pretrained, const sac_array *tensor);
/* The same of all: of a model in parts, for a part that has done its work for now. */
void sac_pretrained_forget_all(const sac_pretrained *pretrained);

#endif
