/* Saccade: attention on any OpenCL device.
 *
 *     sac_error error = {0};
 *     sac_device *device = NULL;
 *     size_t shape[] = {1, 4, 1024, 64};                       // [B,H,T,d]
 *     sac_array q = sac_array_view(SAC_F32, 4, shape, q_data); // k and v likewise
 *     sac_attention_input input = {.query = &q, .key = &k, .value = &v};
 *     sac_attention_output output = {.output = out_data};      // float [B,H,T,d]
 *     if (sac_device_open(NULL, &device, &error) == SAC_OK)
 *         sac_attend(device, &(sac_attention_spec){.causal = true}, &input, &output, &error);
 *     if (error.status != SAC_OK)
 *         sac_error_print(&error, stderr);
 *     sac_device_close(device);
 *
 * Conventions. A function that can fail returns a sac_status and takes an optional sac_error (NULL
 * is fine). Structs of parameters are zero-initialised, and zero means the default: a struct that
 * grows with a later version keeps its meaning when it is compiled anew. x_create,
 * x_load and x_open give something that the caller destroys; x_find, x_get and x_view lend.
 * Destroying NULL is allowed. The library never prints, exits or aborts on bad input. Arrays are
 * row-major. Shapes are written [B,H,Tq,Tk]: batch, heads, queries, keys.
 *
 * Threads. Any function may be called on any thread, by several at once. A device is used by one
 * thread at a time: functions that take a device, or an attention that was created on it, wait for
 * each other, so threads that share a device get right results, but no speed; work on one device in
 * parallel is what its own cores are for. Threads with a device each (the same one may be opened
 * more than once) compute side by side, and wait for each other where devices are listed, opened,
 * closed and kernels compiled. An attention may be shared too; each call writes only where its own
 * arguments point. What is being closed, destroyed or freed must not be in use, and arrays that
 * are open are read, not changed. A progress function runs on the thread that works, with the
 * device locked: it may use the device, but must not wait for a thread that does. What
 * sac_device_get_info lends stays as it is but for `verdict`, which self-tests write. Listing or
 * opening devices for the first time loads drivers, forks a child that tries them first, and sets
 * environment variables: no other thread may read the environment meanwhile. sac_device_open_with
 * opens without any of that.
 *
 * What the first call costs. The first attention on a device compiles kernels and tests them
 * against known answers: seconds on a CPU, up to minutes with some drivers. What was compiled and
 * found out is kept under $XDG_CACHE_HOME/saccade or ~/.cache/saccade, so that the next process
 * starts in milliseconds; SACCADE_CACHE=off keeps nothing. A new driver, or a new version of the
 * library, starts over. sac_device_prepare in saccade_tools.h does it ahead, shows how far it is,
 * and can be stopped.
 *
 * saccade_cl.h takes an OpenCL context, a queue and buffers of the caller's own; saccade_tools.h
 * declares what compiles kernels ahead, their self-test and their tuning; saccade_arrays.h reads and
 * writes files of arrays, by a library of its own (saccade-arrays).
 */
#ifndef SACCADE_H
#define SACCADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the shared library shows these names and no others */
#endif

/* The version of this header; sac_version() gives the library's. Before 1.0 a new minor version may
 * change what is declared here, a new patch version does not. */
#define SAC_VERSION_MAJOR 0
#define SAC_VERSION_MINOR 1
#define SAC_VERSION_PATCH 0
#define SAC_VERSION "0.1.0"
/* "0.1.0": the version of the library that runs; lends a constant. */
const char *sac_version(void);

#define SAC_MAX_RANK 8

/* ---------------------------------------------------------------- status and errors */

typedef enum sac_status {
    SAC_OK = 0,
    SAC_E_ARGUMENT,  /* a parameter makes no sense (unknown score, dropout of 1.5) */
    SAC_E_SHAPE,     /* shapes do not fit each other or overflow */
    SAC_E_VALUE,     /* a NaN or an infinity where a number is needed */
    SAC_E_FILE,      /* a file cannot be opened, read or written */
    SAC_E_FORMAT,    /* a file's content is damaged or of a kind that is not supported */
    SAC_E_NO_DEVICE, /* no usable OpenCL device */
    SAC_E_DEVICE,    /* an OpenCL call failed; call, code and build log are filled in */
    SAC_E_MEMORY,    /* no memory, on the host or on the device */
    SAC_E_CANCELLED  /* the caller's progress function asked to stop */
} sac_status;

/* A failure, in the words that a person needs. Owned by the caller; holds no pointers. */
typedef struct sac_error {
    sac_status status;
    char where[256];      /* the file, array or argument: "in.npz: key" */
    char what[512];       /* what is wrong: "shape [2,3] does not fit query [2,4,8]" */
    char remedy[256];     /* what to do about it; may be empty */
    char call[64];        /* OpenCL failures only: the call, "clBuildProgram" … */
    char code[64];        /* … its code by name, "CL_OUT_OF_RESOURCES" … */
    char device[128];     /* … the device … */
    char build_log[1024]; /* … and the head of the build log */
} sac_error;

/* Writes "WHERE: what is wrong; what to do" on one line into `line` and returns `line`. What could
 * steer a terminal is replaced: control characters, those that turn the direction of text, and what
 * is not UTF-8. NULL gives the line of an unknown error. */
char *sac_error_line(const sac_error *error, char *line, size_t size);
/* Writes "saccade: " and that line, then the head of a build log if there is one. */
void sac_error_print(const sac_error *error, FILE *file);
/* "ok", "bad argument", … : lends a constant. */
const char *sac_status_name(sac_status status);

/* Called now and then by long work with the share done (0 to 1); returning false stops the work,
 * which then returns SAC_E_CANCELLED. */
typedef struct sac_progress {
    bool (*step)(void *user, double done);
    void *user;
} sac_progress;

/* ---------------------------------------------------------------- arrays */

typedef enum sac_dtype {
    SAC_F32 = 0,
    SAC_F64,
    SAC_F16,
    SAC_BF16,
    SAC_BOOL,
    SAC_I8,
    SAC_I16,
    SAC_I32,
    SAC_I64,
    SAC_U8,
    SAC_U16,
    SAC_U32,
    SAC_U64,
    SAC_TEXT /* elements are char *, NUL-terminated UTF-8, owned by the array */
} sac_dtype;

/* A dense row-major array. `data` is lent unless the array came from sac_array_create. */
typedef struct sac_array {
    sac_dtype dtype;
    int rank; /* 0 to SAC_MAX_RANK; rank 0 holds one element */
    size_t shape[SAC_MAX_RANK];
    void *data;
    bool owns_data;
} sac_array;

const char *sac_dtype_name(sac_dtype dtype); /* "float32", "bool" …; lends a constant */
size_t sac_dtype_size(sac_dtype dtype);      /* bytes of one element */
/* Lends `data` as an array; `shape` holds `rank` sizes. */
sac_array sac_array_view(sac_dtype dtype, int rank, const size_t *shape, const void *data);
/* A zeroed array. SAC_E_SHAPE where the size overflows, SAC_E_MEMORY where there is no room.
 * Free it with sac_array_free. */
sac_status sac_array_create(sac_dtype dtype, int rank, const size_t *shape, sac_array *array,
                            sac_error *error);
/* Frees what the array owns and zeroes it; a view is only zeroed. */
void sac_array_free(sac_array *array);
size_t sac_array_count(const sac_array *array); /* elements */
/* "[2,8,16]" into `text`, which is returned. */
char *sac_array_shape_text(const sac_array *array, char *text, size_t size);
/* Converts any number or bool to float32; `out` has room for sac_array_count floats.
 * SAC_E_ARGUMENT for SAC_TEXT. */
sac_status sac_array_to_f32(const sac_array *array, float *out, sac_error *error);

/* ---------------------------------------------------------------- devices */

typedef struct sac_device sac_device;

/* Instructions that multiply small matrices of float16, and add the products up in float32: those
 * that kernels can use. NVIDIA's take float32 too: three products of TF32 for one. */
typedef enum sac_matrix {
    SAC_MATRIX_NONE = 0,
    SAC_MATRIX_MMA,      /* NVIDIA's mma.sync, written as PTX */
    SAC_MATRIX_MFMA,     /* AMD's, of CDNA */
    SAC_MATRIX_WMMA_11,  /* AMD's, of RDNA 3 … */
    SAC_MATRIX_WMMA_12,  /* … and RDNA 4 */
    SAC_MATRIX_DPAS_8,   /* Intel's, by sub-groups of 8 work-items … */
    SAC_MATRIX_DPAS_16,  /* … or of 16: cl_intel_subgroup_matrix_multiply_accumulate */
    SAC_MATRIX_MMA_TF32, /* mma.sync, of float32: devices report SAC_MATRIX_MMA */
    SAC_MATRIX_COUNT
} sac_matrix;

typedef enum sac_verdict { SAC_UNTESTED = 0, SAC_PASSED, SAC_REDUCED, SAC_REFUSED } sac_verdict;

typedef struct sac_device_info {
    int number; /* from 1, as `--device` takes it */
    char name[128], vendor[128], platform[128], driver[128], version[128];
    char problem[256]; /* why a platform or device cannot be used; empty: it can */
    bool is_gpu, is_cpu;
    uint64_t global_bytes, max_alloc_bytes, local_bytes;
    unsigned compute_units, max_work_group;
    unsigned float_width; /* native float vector width */
    bool has_fp16, has_fp64, has_subgroups, has_fma;
    sac_matrix matrix;
    sac_verdict verdict; /* of the self-test, where it was run before */
    bool chosen;         /* this one is taken by default … */
    char reason[128];    /* … because */
} sac_device_info;

/* Lists every device, and every platform that is broken (see its `problem`). `infos` is
 * allocated here: free() it. SAC_OK with *count 0 where there is no OpenCL at all. */
sac_status sac_devices_list(sac_device_info **infos, size_t *count, sac_error *error);
/* `selector`: a number from the list, "cpu", "gpu", or part of a name; NULL asks SACCADE_DEVICE,
 * then takes the first usable GPU, then the first CPU. Drivers fork linkers and put handlers of
 * their own in the place of others: a program that catches SIGINT does best to block it before it
 * opens a device, in all threads, and to sigwait() for it in one. */
sac_status sac_device_open(const char *selector, sac_device **device, sac_error *error);
/* How a device is opened. */
typedef struct sac_device_options {
    const char *selector; /* as sac_device_open takes it */
    /* True: no child process tries the drivers first, so that one that crashes while it is loaded
     * takes the program with it; and no environment variable is set, so that PoCL keeps what it
     * compiles where it does by default, and gives no device where it cannot write. Files are
     * written below the cache folder alone (SACCADE_CACHE=off: nowhere). What the drivers do for
     * themselves is theirs: PoCL forks a linker when it compiles. Only the first call of the process
     * that lists or opens devices loads drivers, so this has to be that one. */
    bool no_side_effects;
    /* Is called with one line at a time, "WHERE: what is so; what to do", of what a person should know
     * though nothing failed: kernels that were left out, a folder that cannot be written. It belongs to
     * the process, not to the device: the next opening that has one replaces it. It is called on the
     * thread that works, with the device locked. NULL: keeps the one before, at first none. */
    void (*log)(void *user, const char *line);
    void *log_user;
} sac_device_options;
/* Opens as sac_device_open does, with `options`. */
sac_status sac_device_open_with(const sac_device_options *options, sac_device **device,
                                sac_error *error);
/* Waits for what the device computes, and releases it, or leaves that to the last attention on it.
 */
void sac_device_close(sac_device *device);
const sac_device_info *sac_device_get_info(const sac_device *device);
/* "none", "mma (PTX)", "MFMA" …: as `saccade devices` shows it. */
const char *sac_matrix_name(sac_matrix matrix);

/* ---------------------------------------------------------------- attention */

/* The score, by which a query q and a key k are compared. Sources: Vaswani et al. 2017 (scaled
 * dot), Bahdanau et al. 2015 (additive), Luong et al. 2015 (dot, bilinear), Nadaraya and Watson
 * 1964 (gaussian). */
typedef enum sac_score {
    SAC_SCORE_SCALED_DOT = 0, /* q·k / sqrt(d) */
    SAC_SCORE_DOT,            /* q·k */
    SAC_SCORE_ADDITIVE,       /* w_v · tanh(W_q q + W_k k) */
    SAC_SCORE_BILINEAR,       /* qᵀ W_qk k / (d_q d_k)^(1/4) */
    SAC_SCORE_GAUSSIAN,       /* −½ ‖q − k‖² / h²: h is the bandwidth */
    SAC_SCORE_COUNT
} sac_score;
const char *sac_score_name(sac_score score); /* "scaled-dot" …; lends a constant */
/* False where no score has that name ("scaled-dot", "dot", …). */
bool sac_score_from_name(const char *name, sac_score *score);

/* The normaliser, which makes weights of a row of scores z, scaled, capped and masked: numbers p from 0 on
 * that add up to 1. [x]₊ is x where that is above 0, else 0, and the threshold τ of a row is the number
 * with which its weights add up to 1. Sources: Peters, Niculae and Martins 2019 (1.5-entmax), Martins
 * and Astudillo 2016 (sparsemax). */
typedef enum sac_normalizer {
    SAC_NORMALIZER_SOFTMAX = 0, /* p = exp(z − lse), lse = log Σ exp(z) */
    SAC_NORMALIZER_ENTMAX15,    /* p = [z/2 − τ]₊²: low scores get exactly 0 */
    SAC_NORMALIZER_SPARSEMAX,   /* p = [z − τ]₊: more of them do */
    SAC_NORMALIZER_COUNT
} sac_normalizer;
const char *sac_normalizer_name(sac_normalizer normalizer); /* "softmax" …; lends a constant */
/* False where no normaliser has that name ("softmax", "entmax15", "sparsemax"). */
bool sac_normalizer_from_name(const char *name, sac_normalizer *normalizer);

typedef enum sac_head_split {
    SAC_SPLIT_TRANSPOSE = 0, /* [B,T,H·d] → [B,T,H,d] → [B,H,T,d]: right */
    SAC_SPLIT_VIEW           /* [B,T,H·d] → [B·H,T,d] by view alone: the well-known mistake */
} sac_head_split;

/* Where the queries stand among the keys, for `causal` and `window`, when there are not as many of
 * both: query i stands where key i + offset does. PyTorch's is_causal counts from the top left of
 * the matrix of weights, flash-attention since 2.1 and every cache of keys from the bottom right.
 */
typedef enum sac_alignment {
    SAC_ALIGN_AUTO = 0,     /* bottom right where there are fewer queries than keys, and in a cache;
                               else top left */
    SAC_ALIGN_TOP_LEFT,     /* the queries are the first of the keys: offset 0 */
    SAC_ALIGN_BOTTOM_RIGHT, /* they are the last: offset Tk − Tq. With more queries than keys the
                              first Tq − Tk stand before all keys: with `causal` they see none, and
                              give 0 */
    SAC_ALIGN_OFFSET,       /* by spec.offset: for a part of the queries with a part of the keys */
    SAC_ALIGN_COUNT
} sac_alignment;
/* "auto", "top-left", "bottom-right", "offset" */
const char *sac_alignment_name(sac_alignment alignment);

/* The kernels that do the work. Automatic takes the fastest that passed the device's self-test. */
typedef enum sac_variant {
    SAC_VARIANT_AUTO = 0,
    SAC_VARIANT_CPU,    /* fused, one work-item a tile, explicit vectors, no barriers */
    SAC_VARIANT_GPU,    /* fused, work-groups share tiles in local memory */
    SAC_VARIANT_NAIVE,  /* one work-item a query, nothing clever */
    SAC_VARIANT_MATRIX, /* fused, by matrix instructions: dot products of heads up to 128, stored as
                           float16; weights are rounded to float16 too, for the sum of values. A
                           device without the instructions computes them in plain loops */
    SAC_VARIANT_COUNT
} sac_variant;
const char *sac_variant_name(sac_variant variant); /* "auto", "cpu" …; lends a constant */

/* The numbers of query, key and value on the device. Sums, softmax, weights and output are float32
 * in any case. With float16 the three are rounded to it as they are compared and summed up: after
 * their projections and the score's own matrices; numbers beyond ±65504 are refused with
 * SAC_E_VALUE. The GPU kernels then read half as much memory. The others round the same way, but
 * keep floats, so that all give the same. With bfloat16 they are rounded in the same way. CPUs that
 * multiply pairs of it (AVX512_BF16, through PoCL) then take half as many instructions for dot products of heads up
 * to 128, and round weights to it, for the sum of values; all others keep floats. */
typedef enum sac_storage {
    SAC_STORAGE_F32 = 0,
    SAC_STORAGE_F16,
    SAC_STORAGE_BF16,
    SAC_STORAGE_COUNT
} sac_storage;
const char *sac_storage_name(sac_storage storage); /* "float32", "float16", "bfloat16" */

typedef struct sac_attention_spec {
    sac_score score;
    bool use_scale; /* false: the score's own scale */
    float scale;    /* multiplies the raw score (for scaled-dot and bilinear: instead of theirs) */
    float softcap;  /* c: a score s, scaled, becomes c · tanh(s/c) before what masks add to it,
                      as in Gemma 2 and FlashAttention; 0: none */
    sac_normalizer normalizer; /* 0: softmax */
    int heads;                 /* for [T,D] and [B,T,D] inputs; 0 means 1 */
    int key_heads; /* of key and value in such inputs, which divide heads: each is shared by
                      heads/key_heads queries' heads, one after the other; 0: as many */
    sac_head_split split;
    bool causal; /* query i, which stands where key p = i + offset does, sees keys 0 … p */
    size_t window; /* it sees keys j with |p − j| < window alone, with causal p − window + 1 … p;
                      0: all */
    sac_alignment alignment; /* the offset; 0 where there are as many queries as keys */
    size_t capacity;         /* keys that there is room for, with sac_attention_append: a cache. The
                                queries are then the last of the keys, as many as those may become. There
                                are no masks: key_padding_mask and attn_mask are refused with
                                SAC_E_ARGUMENT, so that all of a batch have as many keys, and sequences of
                                other lengths take an attention each; 0: as many keys as are given */
    float dropout; /* probability that a weight is dropped; the others grow by 1/(1−p) */
    uint64_t seed; /* of the dropout: the same seed drops the same weights */
    sac_variant variant;
    sac_storage storage;
    float bandwidth; /* h of the gaussian score; 0: 1 */
    bool gradients;  /* keeps query, key, value and a float mask as they came, on the device, for
                       sac_attention_backward */
    int64_t offset; /* with SAC_ALIGN_OFFSET: query 0 stands where key `offset` does, from −2^30 to
                       2^30: below 0 before all keys, from Tk on behind all. Queries i0 … with keys
                       j0 … of an attention whose own offset is o take o + i0 − j0 */
} sac_attention_spec;

/* The arrays that attention is computed on; absent parts are NULL. All are read during create and
 * not kept.
 *
 *   query              [B,H,Tq,dq], [B,Tq,Dq] or [Tq,Dq]
 *   key                [..,Tk,dk]
 *   value              [..,Tk,dv]; NULL: weights only
 *   key_padding_mask   [B,Tk], bool (or uint8 of 0 and 1); true: ignore the key
 *   attn_mask          [Tq,Tk], [B,Tq,Tk] … [B,H,Tq,Tk], sizes of 1 broadcast; bool (true: blocked)
 *                      or float (added to the score). −inf alone blocks; finite values beyond ±1e38
 *                      count as ±1e38, so that a row whose keys all have a framework's lowest float
 *                      is spread over them all
 *   sinks              [H]: a logit of each head beside those of its keys, which no value belongs
 *                      to, as in gpt-oss. The weights of a row then add up to less than 1, and
 *                      log-sum-exp counts it. A row whose keys are all blocked has weights and
 *                      output of 0 and the sink as log-sum-exp. −inf: the head has none
 *   score_W_q          [h,dq], score_W_k [h,dk], score_w_v [h]: of the additive score
 *   score_W_qk         [dq,dk]: of the bilinear score
 *   *_proj             weight [out,in], bias [out] as in PyTorch: y = x Wᵀ + b; q, k, v before the
 *                      split into heads, out after they are joined
 *   norm               layer norm of (query + output), eps 1e-5
 *
 * Key and value may have fewer heads, [B,Hk,T,d] where Hk divides H: head h of the query uses head
 * h / (H/Hk) of theirs. */
typedef struct sac_attention_input {
    const sac_array *query, *key, *value;
    const sac_array *key_padding_mask, *attn_mask;
    const sac_array *sinks;
    const sac_array *score_W_q, *score_W_k, *score_w_v, *score_W_qk;
    const sac_array *q_proj_weight, *q_proj_bias, *k_proj_weight, *k_proj_bias;
    const sac_array *v_proj_weight, *v_proj_bias, *out_proj_weight, *out_proj_bias;
    const sac_array *norm_weight, *norm_bias;
} sac_attention_input;

/* The sizes that follow from spec and input, as sac_attention_resolve finds them. */
typedef struct sac_attention_shape {
    size_t batch, heads, queries, keys;
    size_t key_heads; /* of keys and values: heads, or a number that divides it */
    size_t query_dim, key_dim, value_dim; /* of one head */
    int output_rank;                      /* [T,D], [B,T,D] or [B,H,T,d], as the query came */
    size_t output_shape[4];
} sac_attention_shape;

/* Checks that spec and input fit each other and hold no NaN or infinity (float masks may hold
 * −inf). An error names the array, both shapes, or the index of the offending value. */
sac_status sac_attention_resolve(const sac_attention_spec *spec, const sac_attention_input *input,
                                 sac_attention_shape *shape, sac_error *error);

/* The places of the results; NULL for those that are not wanted. */
typedef struct sac_attention_output {
    float *output; /* shape.output_shape */
    float *lse; /* [B,H,Tq]: natural log of the sum of exp(score), with the head's sink; −inf where
                   all is blocked. Of another normaliser than the softmax: its threshold τ, +inf
                   where all is */
    float *weights; /* [B,H,Tq,Tk], after dropout, so that output = weights · value */
} sac_attention_output;

/* A prepared attention: inputs projected and laid out on the device. Memory grows with Tq + Tk,
 * never with Tq · Tk (but for an attn_mask that is itself that large). SAC_E_VALUE, naming the row,
 * where scores that count are beyond what float32 holds, and where a projection gives numbers that
 * are. */
typedef struct sac_attention sac_attention;
/* Checks as sac_attention_resolve does, chooses kernels, and prepares. Destroy *attention, which is
 * NULL after a failure.
 *
 * Query, key, value and the two masks may be shapes alone: arrays whose `data` is NULL, as
 * sac_array_view(SAC_F32, 4, shape, NULL) gives them. Kernels are chosen and weights uploaded then;
 * sac_attention_update brings the numbers, of some at a time or of all, as often as they change, and
 * until it has brought them a run fails with SAC_E_ARGUMENT and the name of what is missing. */
sac_status sac_attention_create(sac_device *device, const sac_attention_spec *spec,
                                const sac_attention_input *input, sac_attention **attention,
                                sac_error *error);
/* Whether an attention of this spec on arrays of these shapes can be computed, as far as is known
 * without numbers and without compiling: SAC_OK, or what creating it would fail with. Nothing is read
 * but shapes and types, so that every array may be a shape alone. *shape (may be NULL) gets the
 * sizes. `device` may be NULL: any; else its limit of one buffer counts too. With spec->gradients
 * what has no backward pass is refused. */
sac_status sac_attention_supported(sac_device *device, const sac_attention_spec *spec,
                                   const sac_attention_input *input, sac_attention_shape *shape,
                                   sac_error *error);
/* New numbers in the same shapes: what there is of query, key, value and the two masks replaces
 * what was there, and the rest of `input` is not looked at. Projections and the score's weights
 * stay, and nothing is compiled. After a failure all is as before. */
sac_status sac_attention_update(sac_attention *attention, const sac_attention_input *input,
                                sac_error *error);
/* More keys and values behind those that there are, up to spec.capacity: of the rank and sizes of
 * the first ones but for T. sac_attention_update brings the next queries; the shape that
 * sac_attention_get_shape lends has the new number of keys. After a failure all is as before. */
sac_status sac_attention_append(sac_attention *attention, const sac_array *key,
                                const sac_array *value, sac_error *error);
void sac_attention_destroy(sac_attention *attention);
/* The sizes that follow from spec and input; lent. */
const sac_attention_shape *sac_attention_get_shape(const sac_attention *attention);
/* The kernels that were chosen: never SAC_VARIANT_AUTO. */
sac_variant sac_attention_get_variant(const sac_attention *attention);
/* Computes what `output` asks for, and waits for it. SAC_E_CANCELLED where `progress` (may be NULL)
 * stops it: then the results are not whole. */
sac_status sac_attention_run(sac_attention *attention, const sac_attention_output *output,
                             const sac_progress *progress, sac_error *error);

/* The same in one call: creates an attention, runs it once, and destroys it. */
sac_status sac_attend(sac_device *device, const sac_attention_spec *spec,
                      const sac_attention_input *input, const sac_attention_output *output,
                      sac_error *error);

/* A rectangle of one weight matrix. */
typedef struct sac_tile {
    size_t batch, head;
    size_t row, rows; /* queries row … row + rows − 1 */
    size_t col, cols; /* keys */
} sac_tile;
/* Recomputes weights [rows,cols] as exp(score − lse), or by the threshold of another normaliser: the N²
 * matrix need not exist. */
sac_status sac_attention_tile(sac_attention *attention, const sac_tile *tile, float *weights,
                              sac_error *error);

/* The reduction of the weights that share a cell. */
typedef enum sac_pool { SAC_POOL_MEAN = 0, SAC_POOL_MAX } sac_pool;
/* Shrinks the rectangle to [out_rows,out_cols]: out cell r covers the rows
 * [r·rows/out_rows, (r+1)·rows/out_rows), columns likewise; out sizes at most the tile's. */
sac_status sac_attention_pool(sac_attention *attention, const sac_tile *tile, sac_pool pool,
                              size_t out_rows, size_t out_cols, float *pooled, sac_error *error);

/* The places of the gradients of a loss: each is written, not added to, in the shape of the array
 * that it is the gradient of; NULL for those that are not wanted. */
typedef struct sac_attention_gradients {
    float *query, *key, *value;
    float *score_W_q, *score_W_k, *score_w_v, *score_W_qk;
    float *q_proj_weight, *q_proj_bias, *k_proj_weight, *k_proj_bias;
    float *v_proj_weight, *v_proj_bias, *out_proj_weight, *out_proj_bias;
    float *log_scale; /* one number, ∂loss/∂ln(scale): a scale s that is trained has a gradient of
                         1/s times it, the gaussian's bandwidth h of −2/h times it */
    float *sinks;
} sac_attention_gradients;
/* The backward pass in one call: from `doutput`, the gradient of the loss with respect to the output, of its
 * shape, to those that `gradients` asks for. Masks have none. It computes forward again, with the
 * same dropout for the same seed, so that nothing is kept between the two; memory grows with
 * Tq + Tk. Every run on a device gives the same bytes. All is read during the call, which waits for
 * the device.
 * Layer norm, float16 storage and caches are refused with SAC_E_ARGUMENT, and so is a gradient of
 * what the input does not have. SAC_E_DEVICE where gradients failed the self-test
 * on the device, SAC_E_CANCELLED where `progress` (may be NULL) stops it: then the results are not
 * whole. Numbers whose gradients leave float32 give infinities. */
sac_status sac_attend_backward(sac_device *device, const sac_attention_spec *spec,
                               const sac_attention_input *input, const float *doutput,
                               const sac_attention_gradients *gradients,
                               const sac_progress *progress, sac_error *error);

/* The same of an attention that was created with spec.gradients: on the numbers that it holds, by the
 * same kernels and with the same errors, and nothing is uploaded but `doutput`. */
sac_status sac_attention_backward(sac_attention *attention, const float *doutput,
                                  const sac_attention_gradients *gradients,
                                  const sac_progress *progress, sac_error *error);

/* Computes what sac_attention_run computes, in float64 and plain loops: every kernel is held to it.
 * Slow by design; any of the results may be NULL. Shapes as in sac_attention_output. */
sac_status sac_attention_reference(const sac_attention_spec *spec, const sac_attention_input *input,
                                   double *output, double *lse, double *weights, sac_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
