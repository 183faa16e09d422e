/* GGUF, the file of llama.cpp and Ollama (ggml's docs/gguf.md): keys with values, and tensors, of which
 * most are in blocks of a few bits a number. Numbers are lent from the file, which is mapped. */
#ifndef SAC_PRETRAINED_FILES_GGUF_GGUF_H
#define SAC_PRETRAINED_FILES_GGUF_GGUF_H

#include "arrays/bytes.h"
#include "base/stored.h"

struct cJSON;

/* How the numbers of a tensor lie: blocks of so many numbers and bytes; one that lies as it is is a block of one. */
typedef struct sac_gguf_form {
    const char *name; /* "Q4_K"; NULL: a form that is not read */
    size_t numbers, bytes;
    sac_dtype dtype;   /* of those that lie as they are */
    sac_stored stored; /* of those in blocks, which a device keeps; else SAC_STORED_F32 */
    bool in_pairs;     /* MXFP4: a byte has two numbers that follow each other, as in safetensors */
} sac_gguf_form;

typedef struct sac_gguf_tensor {
    char *name; /* owned */
    sac_gguf_form form;
    unsigned kind; /* the form's number */
    int rank;
    size_t shape[SAC_MAX_RANK]; /* the last one's numbers are contiguous */
    const uint8_t *data;        /* lent from the file */
} sac_gguf_tensor;

typedef struct sac_gguf {
    sac_bytes file;
    sac_bytes *parts; /* [part_count], owned: further files of a model that is split */
    size_t part_count;
    struct cJSON *keys;       /* an object of all keys of the file; its texts are UTF-8 */
    sac_gguf_tensor *tensors; /* [count], by name */
    size_t count;
} sac_gguf;

/* True for the first bytes of such a file. */
bool sac_gguf_is(const uint8_t *bytes, size_t size);
/* Takes over `file`. SAC_E_FORMAT where it is damaged, or of a version before 2. */
sac_status sac_gguf_open(sac_bytes *file, sac_gguf **gguf, sac_error *error);
/* Adds the tensors of the other files of a model that is split, beside the first at `path`:
 * “NAME-00001-of-00003.gguf”. Nothing where it is whole. SAC_E_FORMAT where one is not what it is called,
 * or `path` is another than the first. */
sac_status sac_gguf_join(sac_gguf *gguf, const char *path, sac_error *error);
/* Makes of each tensor of all experts, “blk.3.ffn_up_exps.weight” [E,F,D], one for each expert,
 * “blk.3.ffn_up.0.weight” [F,D], which is the name that files of 2023 have. */
sac_status sac_gguf_split_experts(sac_gguf *gguf, sac_error *error);
/* Numbers behind that prefix, “v.deepstack.8.norm.weight”, become 0, 1, … in their order; returns how many there are, and
 * which there were in `numbers` [most], the least first. */
int sac_gguf_number_anew(sac_gguf *gguf, const char *prefix, int *numbers, int most);
void sac_gguf_close(sac_gguf *gguf); /* takes NULL */

/* NULL: there is none. */
const sac_gguf_tensor *sac_gguf_find(const sac_gguf *gguf, const char *name);
/* Its numbers: lent from the file where they lie there as they are, else float32. SAC_E_FORMAT for a
 * form that is not read. Free it with sac_array_free. */
sac_status sac_gguf_numbers(const sac_gguf_tensor *tensor, sac_array *numbers, sac_error *error);

/* The form that a file means by `kind`; without a name: one that is not read. */
sac_gguf_form sac_gguf_form_of(unsigned kind);

#endif
