/* A prepared attention: its plan, and on the device its arrays as the kernels read them. The files
 * of this folder make one; those of run/ compute with it. */
#ifndef SAC_ATTENTION_PREPARE_PREPARED_H
#define SAC_ATTENTION_PREPARE_PREPARED_H

#include "attention/plan/plan.h"
#include "attention/prepare/operands.h"
#include "device/device.h"
#include "gemm/gemm.h"

/* Row statistics are computed when they are requested, this many queries at a time. */
#define SAC_STATS_ROWS 8

typedef enum sac_role { SAC_QUERY, SAC_KEY, SAC_VALUE } sac_role;

/* The form in which query, key or value came, and its preparation before it is compared or added
 * up. */
typedef struct sac_part {
    sac_array form;        /* dtype, rank and shape; rank 0: there is none; no data */
    sac_linear projection; /* empty: none */
    cl_mem source;         /* the array as it came, where spec.gradients keeps it */
    sac_linear score;      /* then, per head, by the score's own matrix; empty: none */
} sac_part;

struct sac_attention {
    sac_device *device;
    sac_attention_spec spec; /* of the variant that was chosen */
    sac_variant asked;       /* the variant that the caller's has */
    sac_attention_shape shape;
    sac_plan plan;
    sac_problem problem;
    size_t matrices;     /* M = B·H */
    size_t prepared_dim; /* of a query or key as it is compared, before it is filled up */

    sac_part query_part, key_part, value_part;
    sac_array padding_form, mask_form; /* as sac_part's */
    cl_mem query, key, value;          /* as the kernels read them: problem.h */
    cl_mem score_weight;               /* w_v [h] of the additive score */
    cl_mem padding, mask;
    cl_mem mask_floats;                /* a float mask as it came, where spec.gradients keeps it */
    sac_span sinks;                    /* [H]; empty: none */
    double largest_query, largest_key; /* magnitudes */
    double score_weights;              /* Σ |w_v| of the additive score */
    int value_exponent; /* values are stored as 2^−value_exponent times what they are */
    cl_mem nothing;     /* stands in for a buffer that a launch does not use */

    cl_mem
        stats; /* float2 [M,Tq]: maximum of the base-2 logits, Σ exp2(logit − maximum); or, of other
                     normalisers, the threshold: cl/attention/sparse.clh */
    uint8_t *stats_known; /* [M, ceil(Tq / SAC_STATS_ROWS)] */
    cl_mem heads_output;  /* [B,Tq,H·dv] or [B,H,Tq,dv]; NULL before there is a need */
    cl_mem scratch;       /* pieces of split tiles, slabs of weights */
    size_t scratch_bytes;
    bool is_queued; /* launches are not waited for */
    bool
        weighs_slopes; /* of a normaliser that is not the softmax: the output is Σ s v / Σ s, of the weights'
                           slopes s (scores/normalizers.h), which the backward pass starts from */
    double speed; /* of the last launch, operations per second; 0: none yet */

    sac_linear out_projection;    /* empty: none */
    cl_mem residual, norm_weight; /* NULL: no layer norm */
    sac_span norm_bias;           /* zeros where there is none */
};

/* ---- layout.c: arrays of any number type onto the device */
sac_status sac_upload_floats(sac_device *device, const sac_array *array, cl_mem *buffer,
                             sac_error *error);
/* Both masks, as far as they are there, into buffers that the caller releases; after a failure too.
 */
sac_status sac_upload_masks(sac_device *device, const sac_attention_input *input,
                            sac_attention_operands *operands, sac_error *error);

/* ---- overflow.c: numbers beyond float32 */
/* The largest magnitude of x [count]. SAC_E_VALUE where a number is not finite. */
sac_status sac_largest_magnitude(sac_attention *self, cl_mem x, size_t count, double *largest,
                                 sac_error *error);
/* SAC_E_VALUE, naming the row, where a score that counts is beyond float32. */
sac_status sac_check_score_overflow(sac_attention *self, sac_error *error);
/* Values that could add up to more than float32 holds are stored divided by a power of 2, which
 * heads_output is multiplied by: its exponent, for values of that magnitude, and both steps. */
int sac_value_exponent(const sac_attention *self, double largest);
sac_status sac_scale_values_down(sac_attention *self, cl_mem x, size_t count, sac_error *error);
sac_status sac_scale_output_up(sac_attention *self, sac_error *error);

/* ---- create.c */
/* SAC_E_SHAPE where kernels cannot count so many rows. */
sac_status sac_attention_check_rows(const sac_attention_spec *spec,
                                    const sac_attention_shape *shape, sac_error *error);
/* SAC_E_ARGUMENT where query or key, or what else there is to be (the value only `with_value`), was
 * given as its shape and no update has brought its numbers. */
sac_status sac_need_numbers(const sac_attention *self, bool with_value, sac_error *error);
/* Prepares an input that was checked and is of that shape (resolve.h) for the variant that `spec`
 * names, not SAC_VARIANT_AUTO; with tiles of a shape that fits the device, NULL: what ships. It
 * trusts the kernels: neither self-test nor tuning is asked. */
sac_status sac_attention_build(sac_device *device, const sac_attention_spec *spec,
                               const sac_attention_shape *shape, const sac_attention_input *input,
                               const sac_tiling *tiling, sac_attention **attention,
                               sac_error *error);
/* The same of operands on the device; the output's layout is theirs. */
sac_status sac_attention_build_on(sac_device *device, const sac_attention_operands *operands,
                                  sac_variant variant, const sac_tiling *tiling,
                                  sac_attention **attention, sac_error *error);

/* ---- prepare.c: linear layers whose weights come as arrays of the caller */
sac_status sac_projection_create(sac_device *device, const sac_array *weight, const sac_array *bias,
                                 bool transposed, sac_linear *projection, sac_error *error);
void sac_projection_release(sac_linear *projection);

/* ---- prepare.c: arrays, projected and laid out */
/* Numbers of a query, or a key, as they are compared. */
size_t sac_prepared_dim(const sac_attention *self, const sac_attention_input *input);
/* Keeps how the inputs came, and the weights that they go through. */
sac_status sac_prepare_weights(sac_attention *self, const sac_attention_input *input,
                               sac_error *error);
/* Prepares those of query, key, value and masks that are given. The buffers that it fills are NULL
 * before. */
sac_status sac_prepare(sac_attention *self, const sac_attention_input *input, sac_error *error);
/* Appends keys or values; the number of keys stays, as there is capacity for more. */
sac_status sac_append(sac_attention *self, sac_role role, const sac_array *array, sac_error *error);

/* ---- layout.c: the device's arrays, as the kernels read them */
/* Takes the buffer, which is released or becomes the attention's. Heads lie as [B,H,T,d], else as
 * [B,T,H·d]. */
sac_status sac_lay_out(sac_attention *self, sac_role role, sac_span from, bool whole_heads,
                       sac_error *error);
/* x, of `rows` keys or values, becomes those behind the ones that there are. */
sac_status sac_lay_out_appended(sac_attention *self, sac_role role, cl_mem x, size_t rows,
                                bool whole_heads, sac_error *error);
/* w_v [h], filled up with 0 for the coordinates that queries and keys are filled up with. */
sac_status sac_lay_out_score_weight(sac_attention *self, sac_span w, sac_error *error);
sac_status sac_lay_out_masks(sac_attention *self, const sac_attention_operands *operands,
                             sac_error *error);
/* All of it, as it is compared. */
sac_status sac_lay_out_operands(sac_attention *self, const sac_attention_operands *operands,
                                sac_error *error);

/* The reverse of packing, to explain a weight: reads query `row` [dim], all keys [Tk,dim] and all
 * values [Tk,dv] of one of their matrices. */
sac_status sac_read_query(sac_attention *self, size_t matrix, size_t row, float *query,
                          sac_error *error);
sac_status sac_read_keys(sac_attention *self, size_t matrix, float *keys, sac_error *error);
sac_status sac_read_values(sac_attention *self, size_t matrix, float *values, sac_error *error);

/* Rows of heads on the device, [B,H,T,d] or [B,T,H·d]. */
typedef struct sac_rows {
    sac_span first;
    size_t batch, heads, rows, dim;
    bool whole_heads;
} sac_rows;
/* → [B·H,panels,dim,panel]: so many of the rows side by side, coordinate by coordinate. */
sac_status sac_pack_panels(sac_device *device, const sac_rows *rows, size_t panel, cl_mem *packed,
                           sac_error *error);

#endif
