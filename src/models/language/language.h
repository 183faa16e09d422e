/* A language model of a person's own, trained on a text. A token sees those before it alone, and the table of tokens
 * is that of the output, too. Its architecture is GPT-2's (Radford et al. 2019, "Language Models are Unsupervised
 * Multitask Learners"):
 *
 *     x[t] = E[token t] + P[t]              then L layers, norms first, GELU between:  z [T,D] = norm(x)
 *     p(token t + 1) = softmax(E z[t])
 *
 * or LLaMA's (Touvron et al. 2023): x[t] = E[token t], queries and keys are turned by their places, norms are RMSNorm,
 * the networks gated by SwiGLU, and there are no biases.
 *
 * Its weights are a folder as Hugging Face's transformers reads it: config.json, model.safetensors, tokenizer.json. It
 * begins anew, or as such a folder of others (from.c), of which all weights learn, or an adapter of low rank beside
 * them (adapter.c). */
#ifndef SAC_LANGUAGE_LANGUAGE_H
#define SAC_LANGUAGE_LANGUAGE_H

#include <cjson/cJSON.h>

#include "models/model_class.h"
#include "nn/attention/beam_cache.h"
#include "nn/transformer.h"
#include "pretrained/files/pretrained.h"
#include "tokenizers/tokenizer.h"

enum {
    SAC_GPT_LAYERS = 48,
    SAC_GPT_HEADS = 64,
    SAC_GPT_WIDTH = 4096,
    SAC_GPT_CONTEXT = 4096,
    SAC_GPT_PARTS = 3 /* queries, keys, values */
};

typedef enum sac_gpt_kind { SAC_GPT_2 = 0, SAC_GPT_LLAMA } sac_gpt_kind;
extern const char *const sac_gpt_kinds[]; /* their model_type: "gpt2", "llama"; ends with NULL */

/* What config.json knows, and how much of a text it learns from at once. */
typedef struct sac_gpt_sizes {
    sac_gpt_kind kind;
    int layers, heads, width; /* L, H, which divides D (of SAC_GPT_LLAMA into even parts) */
    int key_heads;            /* of keys and values, which divide H; of SAC_GPT_2 all */
    int hidden;               /* F, of a network's hidden layer */
    int words, places;        /* V; places that there are positions for */
    int context;              /* tokens that it sees at most, here; up to `places` */
    bool has_head;            /* the output has a table of its own, [V,D] */
    float epsilon;            /* of its norms */
    float rotary_base;        /* of SAC_GPT_LLAMA */
} sac_gpt_sizes;

typedef struct sac_gpt_weights {
    const sac_parameter *words, *positions; /* E [V,D], P [places,D] of SAC_GPT_2 */
    const sac_parameter *head;              /* [V,D], E where the output has no other */
    const sac_parameter *fused[SAC_GPT_LAYERS], *fused_bias[SAC_GPT_LAYERS]; /* [3D,D], [3D] … */
    sac_parameter part[SAC_GPT_LAYERS][SAC_GPT_PARTS],
        part_bias[SAC_GPT_LAYERS][SAC_GPT_PARTS]; /* … whose rows are those of the parts */
    sac_transformer_layer layer[SAC_GPT_LAYERS];
    sac_layer_norm norm;
} sac_gpt_weights;

/* An adapter of low rank R (nn/parameters.h), of the fused matrix of SAC_GPT_2, and of SAC_GPT_LLAMA's queries and
 * values: what PEFT takes by default. */
typedef struct sac_gpt_adapter {
    int rank; /* R; 0: there is none, and all weights learn */
    const sac_parameter *a[SAC_GPT_LAYERS][SAC_GPT_PARTS], *b[SAC_GPT_LAYERS][SAC_GPT_PARTS];
    sac_parameter rows[SAC_GPT_LAYERS][SAC_GPT_PARTS]; /* of SAC_GPT_2's b: those of each part */
    sac_low_rank low[SAC_GPT_LAYERS][SAC_GPT_PARTS];
} sac_gpt_adapter;

/* What B sequences of T tokens leave on their way, for the backward pass. */
typedef struct sac_gpt_tensors {
    size_t batch, steps;    /* B, T */
    sac_ints words, places; /* [B·T] */
    sac_tensor rotation;    /* [T,D/H] of SAC_GPT_LLAMA: by which each place turns */
    sac_tensor x;           /* [B·T,D]: tokens in their places, after dropout */
    sac_transformer_tensors layer[SAC_GPT_LAYERS];
    sac_tensor normed; /* z */
    sac_tensor logits; /* [B·T,V] */
} sac_gpt_tensors;

typedef struct sac_gpt {
    sac_model base;
    sac_gpt_sizes sizes;
    sac_gpt_weights weights;
    cJSON *files;             /* its folder's files in JSON, by their names; owned */
    sac_tokenizer *tokenizer; /* by these; owned */
    sac_gpt_adapter *adapter; /* NULL: all weights learn; owned, and so are: */
    char *from; /* the folder that it began as, and which an adapter needs; NULL: none */
    sac_pretrained *frozen_files;
    sac_parameters frozen; /* the weights that an adapter changes, out of these files */
    int *text;             /* [count]: what it learns from; owned; NULL: it does not learn */
    size_t count, learnt;  /* the first `learnt` are learnt from, the others held out */
    struct sac_gpt_training *training; /* NULL until it learns */
    struct sac_gpt_writing *writing;   /* NULL until it first writes */
    struct sac_gpt_probing *probing;   /* NULL until its heads are first looked at */
} sac_gpt;

extern const sac_model_class sac_language_class;

/* F of a new model: 4 D, or 8/3 D, up to a multiple of 8, where it is gated and has a matrix more. */
int sac_gpt_usual_hidden(const sac_gpt_sizes *sizes);

/* True where the heads divide the width, of SAC_GPT_LLAMA into parts that can be turned. */
bool sac_gpt_heads_fit(const sac_gpt_sizes *sizes);

/* ---- inside: shared by training, writing and files */

/* Adds the parameters of a model of those sizes, under the names of their files; `prefix`: what stands before them,
 * NULL: as transformers writes it. */
void sac_gpt_declare(const sac_gpt_sizes *sizes, const char *prefix, sac_parameters *parameters,
                     sac_gpt_weights *weights);
/* Once the parameters are created: the parts of fused ones. */
void sac_gpt_bind(const sac_gpt_sizes *sizes, sac_gpt_weights *weights);
/* Numbers of a key, or a value. */
size_t sac_gpt_key_width(const sac_gpt_sizes *sizes);
/* `count` numbers of a tensor from `first` on, as `rows`; empty of an empty one. */
sac_tensor sac_gpt_cut(sac_tensor of, size_t first, size_t rows, size_t width);

void sac_gpt_shape(sac_gpt *gpt, sac_arena *arena, size_t batch, size_t steps, sac_gpt_tensors *t);
/* The numbers of a pass that all layers have in common, for layer `index`; t->rotation is to have its places. */
sac_transformer_run sac_gpt_run(const sac_gpt *gpt, const sac_gpt_tensors *t, float dropout,
                                uint64_t seed, int index);
/* The tokens of t are at the places from `first` on, in each sequence. */
void sac_gpt_place(sac_gpt *gpt, const sac_gpt_tensors *t, size_t first);
/* t->x of t->words and t->places. */
void sac_gpt_embed(sac_gpt *gpt, const sac_gpt_tensors *t);
/* z and the logits of x, what the last layer gave. */
void sac_gpt_logits(sac_gpt *gpt, sac_tensor x, const sac_gpt_tensors *t);
/* t->logits of the words in t. */
void sac_gpt_forward(sac_gpt *gpt, float dropout, uint64_t seed, const sac_gpt_tensors *t);
/* The gradient of t->logits, which is in their place, becomes that of all parameters; works in d [B·T,D]. */
void sac_gpt_backward(sac_gpt *gpt, float dropout, uint64_t seed, const sac_gpt_tensors *t,
                      sac_tensor d, const sac_transformer_gradients *gradients);

/* Contexts of B·(T + 1) tokens of a text at random places: each token but the last, and what follows it. */
typedef struct sac_gpt_batch {
    size_t number;
    size_t batch, steps;        /* of this share */
    size_t whole;               /* sequences of the whole batch */
    const int *words, *targets; /* [B,T] */
} sac_gpt_batch;

/* As of the class. */
sac_status sac_gpt_batches(const sac_model *model, const sac_model_values *values, size_t size,
                           uint32_t seed, sac_batch_maker *maker, sac_error *error);
/* Forward and backward: adds the gradients. *loss: mean cross-entropy of a token. Blocks until done. */
sac_status sac_gpt_learn(sac_gpt *gpt, const sac_gpt_batch *batch, float dropout, float *loss,
                         sac_error *error);
/* Sum of the losses of B contexts [B,T], of which targets below 0 count nothing. Blocks. */
sac_status sac_gpt_loss(sac_gpt *gpt, const int *words, const int *targets, size_t batch,
                        double *sum, sac_error *error);
/* The mean loss of what is held out: of contexts one after the other, or where that is more than 16384 tokens of
 * contexts that lie evenly over it. */
sac_status sac_gpt_judge(sac_gpt *gpt, double *loss, sac_error *error);
void sac_gpt_training_destroy(struct sac_gpt_training *training); /* takes NULL */
/* As of the class: of the texts of the options. */
sac_status sac_gpt_evaluate(sac_model *model, const sac_evaluation_options *options,
                            const sac_progress *progress, sac_evaluation_report *report,
                            sac_error *error);

/* Goes on after tokens [count], at least one, by as many as `text` [size] has room for, at most `most`; tokens are
 * drawn, and the same seed gives the same ones. It sees up to a context of them: where that is full, its last
 * half. */
sac_status sac_gpt_write(sac_gpt *gpt, const int *tokens, size_t count, size_t most,
                         const sac_draw *how, char *text, size_t size, sac_error *error);
void sac_gpt_writing_destroy(struct sac_gpt_writing *writing); /* takes NULL */

/* As of sac_watched: of a text of up to 64 tokens out of what it learns from. */
sac_status sac_gpt_attend(sac_gpt *gpt, sac_attention_kind *attention, sac_error *error);
void sac_gpt_probing_destroy(struct sac_gpt_probing *probing); /* takes NULL */

/* The tokens of a text, to be freed. SAC_E_VALUE where the tokenizer has none for a character. */
sac_status sac_gpt_encode(const sac_gpt *gpt, const char *text, sac_tokens *tokens,
                          sac_error *error);

/* ---- the files of a folder other than the weights, and the description in theirs */

/* Those that a model keeps, config.json first; ends with NULL. */
extern const char *const sac_gpt_file_names[];
/* files: config.json of a new model of these sizes, tokenizer.json, which it takes over, and tokenizer_config.json.
 * NULL: out of memory. */
cJSON *sac_gpt_make_files(const sac_gpt_sizes *sizes, cJSON *tokenizer);
/* config.c: the sizes that config.json has, but for the context; `path` is for errors. SAC_E_FORMAT for another architecture, and
 * for what is not trained here, by its name. */
sac_status sac_gpt_read_config(const cJSON *config, const char *path, sac_gpt_sizes *sizes,
                               sac_error *error);
sac_status sac_gpt_save_beside(const sac_gpt *gpt, const char *folder, sac_error *error);
/* Of a model, as JSON, for "model" in a weights' file: free() it; NULL: out of memory. */
char *sac_gpt_describe(const sac_gpt *gpt);
/* What that has: sizes and files, or an adapter's rank and what it is of. */
typedef struct sac_gpt_description {
    sac_gpt_sizes sizes;
    cJSON *files;
    int rank;
    char *from;
} sac_gpt_description;
/* SAC_E_FORMAT; free it in any case. */
sac_status sac_gpt_read_description(const sac_arrays *file, const char *path,
                                    sac_gpt_description *description, sac_error *error);
void sac_gpt_description_free(sac_gpt_description *description);

/* ---- what begins as a folder of others */

/* The folder's files, sizes and tokenizer into `gpt`, whose context is the most that it may be. */
sac_status sac_gpt_open_folder(const char *folder, sac_gpt *gpt, sac_pretrained **weights,
                               sac_error *error);
/* Its weights into the parameters, which are created; or, where there is an adapter, into `frozen`. */
sac_status sac_gpt_load_folder(sac_gpt *gpt, const sac_pretrained *weights, sac_error *error);

/* Declares the adapter's parameters; and binds it, once they and what it changes are there. */
sac_status sac_gpt_declare_adapter(sac_gpt *gpt, int rank, sac_error *error);
void sac_gpt_bind_adapter(sac_gpt *gpt);
#define SAC_GPT_ADAPTER_SCALE 2 /* lora_alpha / r */

/* Bytes that a training of `rows` tokens at a time takes (0: of its weights alone). */
double sac_gpt_training_bytes(const sac_gpt *gpt, size_t rows);
/* SAC_E_MEMORY where the device has less. */
sac_status sac_gpt_check_memory(const sac_gpt *gpt, size_t rows, sac_error *error);

#endif
