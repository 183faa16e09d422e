/* Checks once that an input fits its spec, before anything is computed. The error names the array,
 * what is wrong with it, and a remedy. */
#include "attention/spec/resolve.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "attention/spec/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "scores/scores.h"

const sac_input_part sac_input_parts[SAC_INPUT_PARTS] = {
#define PART(name, role, member)                                                                   \
    {                                                                                              \
        name, role, offsetof(sac_attention_input, member),                                         \
            offsetof(sac_attention_gradients, member)                                              \
    }
    PART("query", SAC_INPUT_VECTORS, query),
    PART("key", SAC_INPUT_VECTORS, key),
    PART("value", SAC_INPUT_VECTORS, value),
    PART("score.W_q", SAC_INPUT_HIDDEN, score_W_q),
    PART("score.W_k", SAC_INPUT_HIDDEN, score_W_k),
    PART("score.w_v", SAC_INPUT_HIDDEN, score_w_v),
    PART("score.W_qk", SAC_INPUT_BETWEEN, score_W_qk),
    PART("q_proj.weight", SAC_INPUT_PROJECTION, q_proj_weight),
    PART("q_proj.bias", SAC_INPUT_PROJECTION, q_proj_bias),
    PART("k_proj.weight", SAC_INPUT_PROJECTION, k_proj_weight),
    PART("k_proj.bias", SAC_INPUT_PROJECTION, k_proj_bias),
    PART("v_proj.weight", SAC_INPUT_VALUES, v_proj_weight),
    PART("v_proj.bias", SAC_INPUT_VALUES, v_proj_bias),
    PART("out_proj.weight", SAC_INPUT_OUTPUT, out_proj_weight),
    PART("out_proj.bias", SAC_INPUT_OUTPUT, out_proj_bias),
    /* The factor on the scores has a gradient, and no array. */
    {"scale", SAC_INPUT_VECTORS, offsetof(sac_attention_input, query),
     offsetof(sac_attention_gradients, log_scale)},
    PART("sinks", SAC_INPUT_SINKS, sinks),
#undef PART
    {"norm.weight", SAC_INPUT_OUTPUT, offsetof(sac_attention_input, norm_weight), 0},
    {"norm.bias", SAC_INPUT_OUTPUT, offsetof(sac_attention_input, norm_bias), 0},
};

double sac_attention_scale(const sac_attention_spec *spec, size_t query_dim, size_t key_dim)
{
    return spec->use_scale ? (double)spec->scale
                           : sac_score_class_of(spec->score)->scale(query_dim, key_dim);
}

double sac_attention_inverse_width(const sac_attention_spec *spec)
{
    return spec->bandwidth != 0 ? 1 / (double)spec->bandwidth : 1.0;
}

double sac_capped_score(const sac_attention_spec *spec, double score)
{
    double cap = spec->softcap;
    return cap > 0 ? cap * tanh(score / cap) : score;
}

double sac_capped_derivative(const sac_attention_spec *spec, double score)
{
    double inverse = spec->softcap > 0 ? 1 / cosh(score / spec->softcap) : 1;
    return inverse * inverse;
}

double sac_raw_scale(const sac_attention_spec *spec, const sac_attention_shape *shape)
{
    double scale = sac_attention_scale(spec, shape->query_dim, shape->key_dim);
    double w = sac_attention_inverse_width(spec);
    const sac_score_class *class = sac_score_class_of(spec->score);
    return class->kernel_factor ? class->kernel_factor(w) * scale : scale;
}

bool sac_attention_is_split(const sac_attention_input *input)
{
    return input->query->rank == 4;
}

static size_t last_size(const sac_array *array)
{
    return array->shape[array->rank - 1];
}

/* Vectors in one matrix: T of [T,D], [B,T,D] or [B,H,T,d]. */
static size_t vector_count(const sac_array *array)
{
    return array->shape[array->rank - 2];
}

/* ---------------------------------------------------------------- spec */

#define MOST_OFFSET ((int64_t)1 << 30) /* kernels count places in 32 bits */

sac_status sac_attention_check_spec(const sac_attention_spec *spec, sac_error *error)
{
    if ((unsigned)spec->score >= SAC_SCORE_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "score", NULL, "%d is no score", (int)spec->score);
    if ((unsigned)spec->normalizer >= SAC_NORMALIZER_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", NULL, "%d is no normalizer",
                        (int)spec->normalizer);
    if ((unsigned)spec->variant >= SAC_VARIANT_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "variant", NULL, "%d is no variant",
                        (int)spec->variant);
    if ((unsigned)spec->storage >= SAC_STORAGE_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "storage", NULL, "%d is no way to store numbers",
                        (int)spec->storage);
    if (spec->variant == SAC_VARIANT_MATRIX && spec->storage == SAC_STORAGE_BF16)
        return sac_fail(error, SAC_E_ARGUMENT, "variant", "store them as float16 or float32",
                        "the matrix kernels take no %s", sac_storage_name(spec->storage));
    if (spec->split != SAC_SPLIT_TRANSPOSE && spec->split != SAC_SPLIT_VIEW)
        return sac_fail(error, SAC_E_ARGUMENT, "head split", NULL, "%d is no way to split heads",
                        (int)spec->split);
    if ((unsigned)spec->alignment >= SAC_ALIGN_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "alignment", NULL, "%d is no alignment",
                        (int)spec->alignment);
    if (spec->offset < -MOST_OFFSET || spec->offset > MOST_OFFSET)
        return sac_fail(error, SAC_E_ARGUMENT, "offset", "give a number from -2^30 to 2^30",
                        "%" PRId64 " is beyond what kernels count", spec->offset);
    if (spec->heads < 0)
        return sac_fail(error, SAC_E_ARGUMENT, "heads", "give 1 or more", "%d is negative",
                        spec->heads);
    if (spec->key_heads < 0)
        return sac_fail(error, SAC_E_ARGUMENT, "key heads", "give 1 or more", "%d is negative",
                        spec->key_heads);
    if (!(spec->dropout >= 0 && spec->dropout < 1))
        return sac_fail(error, SAC_E_ARGUMENT, "dropout", "give 0 or more and less than 1",
                        "%g is not the probability of dropping a weight", (double)spec->dropout);
    if (spec->use_scale && !isfinite(spec->scale))
        return sac_fail(error, SAC_E_ARGUMENT, "scale", "give a finite number", "is %g",
                        (double)spec->scale);
    if (spec->softcap != 0 && !(spec->softcap >= 1e-30f && spec->softcap <= 1e30f))
        return sac_fail(error, SAC_E_ARGUMENT, "softcap", "give a number from 1e-30 to 1e30, or 0",
                        "%g caps no scores", (double)spec->softcap);
    if (!(spec->bandwidth >= 0 && isfinite(spec->bandwidth)))
        return sac_fail(error, SAC_E_ARGUMENT, "bandwidth", "give a number above 0", "is %g",
                        (double)spec->bandwidth);
    return SAC_OK;
}

static sac_status check_vectors(sac_named_part a, sac_error *error)
{
    if (!a.array)
        return sac_fail(error, SAC_E_ARGUMENT, a.name, "give both query and key", "is missing");
    sac_status status = sac_check_numbers(a, 2, 4, "[T,D], [B,T,D] or [B,H,T,d]", error);
    return status;
}

/* ---------------------------------------------------------------- query, key and value */

/* The same rank, batch and heads as the query. */
static sac_status check_like_query(sac_named_part a, sac_named_part query, sac_error *error)
{
    int rank = query.array->rank;
    if (a.array->rank != rank)
        return sac_fail_misfit(error, a, query, "give both as [T,D], [B,T,D] or [B,H,T,d]",
                               "%d and %d dimensions", a.array->rank, rank);
    const size_t *mine = a.array->shape, *theirs = query.array->shape;
    if (rank >= 3 && mine[0] != theirs[0])
        return sac_fail_misfit(error, a, query, "make the first sizes equal",
                               "batch sizes %zu and %zu differ", mine[0], theirs[0]);
    if (rank == 4 && theirs[1] % mine[1])
        return sac_fail_misfit(error, a, query, "give as many, or a number that divides theirs",
                               "%zu heads cannot be shared by %zu", mine[1], theirs[1]);
    return SAC_OK;
}

static sac_status check_arrays(const sac_attention_input *input, sac_error *error)
{
    sac_named_part query = {"query", input->query}, key = {"key", input->key};
    sac_named_part value = {"value", input->value};
    sac_status status = check_vectors(query, error);
    if (status == SAC_OK)
        status = check_vectors(key, error);
    if (status == SAC_OK)
        status = check_like_query(key, query, error);
    if (status != SAC_OK || !value.array)
        return status;
    status = check_vectors(value, error);
    if (status == SAC_OK)
        status = check_like_query(value, query, error);
    if (status == SAC_OK && key.array->rank == 4 && value.array->shape[1] != key.array->shape[1])
        return sac_fail_misfit(error, value, key, "make the second sizes equal",
                               "numbers of heads %zu and %zu differ", value.array->shape[1],
                               key.array->shape[1]);
    if (status == SAC_OK && vector_count(value.array) != vector_count(key.array))
        status =
            sac_fail_misfit(error, value, key, "give one value per key", "%zu values for %zu keys",
                            vector_count(value.array), vector_count(key.array));
    return status;
}

/* ---------------------------------------------------------------- projections and heads */

/* A Linear layer that takes vectors of *features and gives vectors of *features: y = x Wᵀ + b. */
static sac_status resolve_linear(sac_named_part weight, sac_named_part bias, const char *taker,
                                 size_t *features, sac_error *error)
{
    if (!weight.array && bias.array)
        return sac_fail(error, SAC_E_ARGUMENT, bias.name, "give both or neither",
                        "is given without %s", weight.name);
    if (!weight.array)
        return SAC_OK;
    sac_status status = sac_check_numbers(weight, 2, 2, "[out,in]", error);
    if (status != SAC_OK)
        return status;
    char shape[SAC_SHAPE_TEXT];
    if (last_size(weight.array) != *features)
        return sac_fail(error, SAC_E_SHAPE, weight.name, "give [out,in], as in PyTorch's Linear",
                        "shape %s takes vectors of %zu, but %s has %zu features",
                        sac_array_shape_text(weight.array, shape, sizeof shape),
                        last_size(weight.array), taker, *features);
    *features = weight.array->shape[0];
    if (!bias.array)
        return SAC_OK;
    status = sac_check_numbers(bias, 1, 1, "[out]", error);
    if (status == SAC_OK && last_size(bias.array) != *features)
        status = sac_fail_misfit(error, bias, weight, "give one bias per row of the weight",
                                 "%zu biases for %zu outputs", last_size(bias.array), *features);
    return status;
}

/* Vectors that come split into heads can no longer be projected or normed as a whole. */
static sac_status check_no_layers(const sac_attention_input *input, sac_error *error)
{
    char shape[SAC_SHAPE_TEXT];
    for (int i = 0; i < SAC_INPUT_PARTS; i++)
        if (sac_input_parts[i].role >= SAC_INPUT_PROJECTION &&
            sac_input_parts[i].role <= SAC_INPUT_OUTPUT && sac_input_array(input, i))
            return sac_fail(error, SAC_E_SHAPE, sac_input_parts[i].name,
                            "give query, key and value as [T,D] or [B,T,D]",
                            "cannot be used with a query %s that is split into heads already",
                            sac_array_shape_text(input->query, shape, sizeof shape));
    return SAC_OK;
}

/* Splits *features of one position among the heads. */
static sac_status split_features(const char *name, size_t heads, size_t *features, sac_error *error)
{
    if (*features % heads)
        return sac_fail(error, SAC_E_SHAPE, "heads", "choose a number of heads that divides it",
                        "%zu heads do not divide the %zu features of %s", heads, *features, name);
    *features /= heads;
    return SAC_OK;
}

/* Arrays that come split define the number of heads; `asked` is the same, or 0. */
static sac_status check_split_heads(const char *where, int asked, const char *name, size_t heads,
                                    sac_error *error)
{
    if (asked && (size_t)asked != heads)
        return sac_fail(error, SAC_E_SHAPE, where, "leave it out: the arrays define it",
                        "it is %d, but %s has %zu heads", asked, name, heads);
    return SAC_OK;
}

static sac_status find_heads(const sac_attention_spec *spec, const sac_attention_input *input,
                             sac_attention_shape *shape, sac_error *error)
{
    shape->heads = spec->heads ? (size_t)spec->heads : 1;
    shape->key_heads = spec->key_heads ? (size_t)spec->key_heads : shape->heads;
    if (sac_attention_is_split(input)) {
        shape->heads = input->query->shape[1];
        shape->key_heads = input->key->shape[1];
        sac_status status = check_split_heads("heads", spec->heads, "query", shape->heads, error);
        return status == SAC_OK
                   ? check_split_heads("key heads", spec->key_heads, "key", shape->key_heads, error)
                   : status;
    }
    if (shape->heads % shape->key_heads)
        return sac_fail(error, SAC_E_SHAPE, "key heads", "choose a number that divides it",
                        "%zu heads of keys cannot be shared by %zu", shape->key_heads,
                        shape->heads);
    return SAC_OK;
}

/* Query, key or value with its projection. */
typedef struct vectors_part {
    const char *name;
    const sac_array *vectors;
    sac_named_part weight, bias;
    size_t heads;
    size_t *features; /* of a head, which are found */
} vectors_part;

/* Projections of query, key and value, and how many of their features each head gets. */
static sac_status resolve_features(const sac_attention_input *in, sac_attention_shape *shape,
                                   sac_error *error)
{
    const vectors_part parts[] = {
        {"query",
         in->query,
         {"q_proj.weight", in->q_proj_weight},
         {"q_proj.bias", in->q_proj_bias},
         shape->heads,
         &shape->query_dim},
        {"key",
         in->key,
         {"k_proj.weight", in->k_proj_weight},
         {"k_proj.bias", in->k_proj_bias},
         shape->key_heads,
         &shape->key_dim},
        {"value",
         in->value,
         {"v_proj.weight", in->v_proj_weight},
         {"v_proj.bias", in->v_proj_bias},
         shape->key_heads,
         &shape->value_dim},
    };
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == SAC_OK; i++)
        if (parts[i].vectors) {
            *parts[i].features = last_size(parts[i].vectors);
            status = resolve_linear(parts[i].weight, parts[i].bias, parts[i].name,
                                    parts[i].features, error);
            if (status == SAC_OK && !sac_attention_is_split(in))
                status = split_features(parts[i].name, parts[i].heads, parts[i].features, error);
        }
    return status;
}

/* ---------------------------------------------------------------- scores */

static sac_status check_score_matrix(sac_named_part a, const char *score, const char *form,
                                     int rank, sac_error *error)
{
    if (!a.array) {
        char remedy[64];
        snprintf(remedy, sizeof remedy, "give %s", form);
        return sac_fail(error, SAC_E_ARGUMENT, a.name, remedy,
                        "is missing, and the %s score needs it", score);
    }
    return sac_check_numbers(a, rank, rank, form, error);
}

/* `size` of weight `a` belongs to vectors `of` that have `features` per head. */
static sac_status check_score_size(sac_named_part a, size_t size, const char *of, size_t features,
                                   sac_error *error)
{
    char shape[SAC_SHAPE_TEXT];
    if (size == features)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, a.name, "make the sizes equal",
                    "shape %s is for a %s of %zu features, which has %zu in each head",
                    sac_array_shape_text(a.array, shape, sizeof shape), of, size, features);
}

static sac_status check_additive(const sac_attention_input *input, const sac_attention_shape *shape,
                                 sac_error *error)
{
    sac_named_part W_q = {"score.W_q", input->score_W_q}, W_k = {"score.W_k", input->score_W_k};
    sac_named_part w_v = {"score.w_v", input->score_w_v};
    sac_status status = check_score_matrix(W_q, "additive", "[h,dq]", 2, error);
    if (status == SAC_OK)
        status = check_score_matrix(W_k, "additive", "[h,dk]", 2, error);
    if (status == SAC_OK)
        status = check_score_matrix(w_v, "additive", "[h]", 1, error);
    if (status == SAC_OK)
        status = check_score_size(W_q, last_size(W_q.array), "query", shape->query_dim, error);
    if (status == SAC_OK)
        status = check_score_size(W_k, last_size(W_k.array), "key", shape->key_dim, error);
    if (status != SAC_OK)
        return status;
    size_t h = W_q.array->shape[0];
    if (W_k.array->shape[0] != h)
        return sac_fail_misfit(error, W_k, W_q, "make them equal", "first sizes %zu and %zu differ",
                               W_k.array->shape[0], h);
    if (w_v.array->shape[0] != h)
        return sac_fail_misfit(error, w_v, W_q, "make them equal", "first sizes %zu and %zu differ",
                               w_v.array->shape[0], h);
    return SAC_OK;
}

static sac_status check_bilinear(const sac_attention_input *input, const sac_attention_shape *shape,
                                 sac_error *error)
{
    sac_named_part W_qk = {"score.W_qk", input->score_W_qk};
    sac_status status = check_score_matrix(W_qk, "bilinear", "[dq,dk]", 2, error);
    if (status == SAC_OK)
        status = check_score_size(W_qk, W_qk.array->shape[0], "query", shape->query_dim, error);
    if (status == SAC_OK)
        status = check_score_size(W_qk, W_qk.array->shape[1], "key", shape->key_dim, error);
    return status;
}

/* What to do where queries are longer than keys: those of fewer heads that several share may have
 * come in one row, [T,H·d]. */
static void advise_on_features(const sac_attention_input *input, const sac_attention_shape *shape,
                               char *remedy, size_t size)
{
    size_t q = shape->query_dim, k = shape->key_dim, heads = shape->heads;
    bool shares = !sac_attention_is_split(input) && q > k && k > 0 && q % k == 0;
    char advice[96] = "";
    if (shares && heads > 1 && heads % (q / k) == 0)
        snprintf(advice, sizeof advice, "give --kv-heads %zu if heads share keys, ",
                 heads / (q / k));
    else if (shares && heads == 1)
        snprintf(advice, sizeof advice, "give --heads and --kv-heads if heads share keys, ");
    snprintf(remedy, size, "%smake them equal, or use the additive or bilinear score", advice);
}

/* Dot products and distances take a query and a key of one size. */
static sac_status check_equal_features(const sac_attention_input *input,
                                       const sac_attention_shape *shape, sac_error *error)
{
    sac_named_part query = {"query", input->query}, key = {"key", input->key};
    size_t q = shape->query_dim, k = shape->key_dim;
    char remedy[192];
    if (q == k)
        return SAC_OK;
    advise_on_features(input, shape, remedy, sizeof remedy);
    if (!input->q_proj_weight && !input->k_proj_weight)
        return sac_fail_misfit(error, key, query, remedy, "last sizes %zu and %zu differ",
                               last_size(key.array), last_size(query.array));
    return sac_fail_misfit(error, key, query, remedy,
                           "after projection heads of %zu and %zu differ", k, q);
}

static sac_status check_score(const sac_attention_spec *spec, const sac_attention_input *input,
                              const sac_attention_shape *shape, sac_error *error)
{
    switch (sac_score_class_of(spec->score)->weights) {
    case SAC_WEIGHTS_HIDDEN:
        return check_additive(input, shape, error);
    case SAC_WEIGHTS_BETWEEN:
        return check_bilinear(input, shape, error);
    case SAC_WEIGHTS_NONE:
        break;
    }
    return check_equal_features(input, shape, error);
}

/* ---------------------------------------------------------------- masks */

static const char attn_mask_todo[] = "give bool (true = blocked) or float (added to the score)";
static const char key_padding_todo[] = "give bool, true = ignore this key";

/* A mask of sizes [Tq,Tk] up to [B,H,Tq,Tk]; a size of 1 stands for all. */
static sac_status check_attn_mask(const sac_array *mask, const sac_attention_shape *shape,
                                  sac_error *error)
{
    sac_named_part a = {"attn_mask", mask};
    sac_dtype dtype = mask->dtype;
    bool is_float = dtype == SAC_F32 || dtype == SAC_F64 || dtype == SAC_F16 || dtype == SAC_BF16;
    if (!sac_is_boolean(mask) && !is_float)
        return sac_fail(error, SAC_E_ARGUMENT, a.name, attn_mask_todo, "is %s",
                        sac_dtype_name(dtype));
    sac_status status = sac_check_rank(a, 2, 4, "[Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk]", error);
    if (status != SAC_OK)
        return status;
    const size_t full[] = {shape->batch, shape->heads, shape->queries, shape->keys};
    bool fits = true;
    for (int i = 1; i <= mask->rank; i++) { /* from the last size to the first */
        size_t whole = i == 3 && mask->rank == 3 ? full[0] : full[4 - i];
        size_t size = mask->shape[mask->rank - i];
        fits = fits && (size == 1 || size == whole);
    }
    sac_array weights = sac_array_view(SAC_F32, 4, full, NULL);
    if (!fits)
        return sac_fail_misfit(error, a, (sac_named_part){"the weights", &weights},
                               "give [Tq,Tk], [B,Tq,Tk] or [B,H,Tq,Tk]; a size of 1 stands for all",
                               "some size is neither 1 nor theirs");
    return SAC_OK;
}

static sac_status check_key_padding(const sac_array *mask, const sac_attention_shape *shape,
                                    sac_error *error)
{
    sac_named_part a = {"key_padding_mask", mask};
    if (!sac_is_boolean(mask))
        return sac_fail(error, SAC_E_ARGUMENT, a.name, key_padding_todo, "is %s",
                        sac_dtype_name(mask->dtype));
    sac_status status = sac_check_rank(a, 2, 2, "[B,Tk]", error);
    char text[SAC_SHAPE_TEXT];
    if (status == SAC_OK && (mask->shape[0] != shape->batch || mask->shape[1] != shape->keys))
        status = sac_fail(error, SAC_E_SHAPE, a.name, "give [B,Tk]",
                          "shape %s does not fit batch size %zu and %zu keys",
                          sac_array_shape_text(mask, text, sizeof text), shape->batch, shape->keys);
    return status;
}

/* A number for each head; −inf: it has none. */
static sac_status check_sinks(const sac_array *sinks, const sac_attention_shape *shape,
                              sac_error *error)
{
    sac_named_part a = {"sinks", sinks};
    char text[SAC_SHAPE_TEXT];
    sac_status status = sac_check_rank(a, 1, 1, "[H]", error);
    if (status == SAC_OK && sinks->dtype == SAC_TEXT)
        status = sac_fail(error, SAC_E_ARGUMENT, a.name, "give numbers", "holds text, not numbers");
    if (status == SAC_OK && sinks->shape[0] != shape->heads)
        status = sac_fail(error, SAC_E_SHAPE, a.name, "give a number for each head",
                          "shape %s does not fit %zu heads",
                          sac_array_shape_text(sinks, text, sizeof text), shape->heads);
    return status;
}

/* ---------------------------------------------------------------- output */

static sac_status check_norm_vector(sac_named_part a, size_t features, sac_error *error)
{
    char shape[SAC_SHAPE_TEXT];
    sac_status status = sac_check_numbers(a, 1, 1, "[D]", error);
    if (status == SAC_OK && last_size(a.array) != features)
        status = sac_fail(error, SAC_E_SHAPE, a.name, "give one number per feature of the output",
                          "shape %s does not fit an output of %zu features",
                          sac_array_shape_text(a.array, shape, sizeof shape), features);
    return status;
}

/* Layer norm of (query + output), so the two have the same features. */
static sac_status check_norm(const sac_attention_input *input, size_t features, sac_error *error)
{
    sac_named_part weight = {"norm.weight", input->norm_weight},
                   bias = {"norm.bias", input->norm_bias};
    if (!weight.array && bias.array)
        return sac_fail(error, SAC_E_ARGUMENT, bias.name, "give both or neither",
                        "is given without %s", weight.name);
    if (!weight.array)
        return SAC_OK;
    if (last_size(input->query) != features)
        return sac_fail(error, SAC_E_SHAPE, weight.name, "choose an out_proj that makes them equal",
                        "norm adds the query to the output, but they have %zu and %zu features",
                        last_size(input->query), features);
    sac_status status = check_norm_vector(weight, features, error);
    if (status == SAC_OK && bias.array)
        status = check_norm_vector(bias, features, error);
    return status;
}

/* Resolves the steps after the heads: joined, projected, normed. The output gets the query's shape.
 */
static sac_status resolve_output(const sac_attention_input *input, sac_attention_shape *shape,
                                 sac_error *error)
{
    if (!input->value)
        return SAC_OK;
    bool is_split = sac_attention_is_split(input);
    size_t features;
    if (!sac_checked_mul(shape->value_dim, is_split ? 1 : shape->heads, &features))
        return sac_fail(error, SAC_E_SHAPE, "value", NULL, "its features overflow");
    sac_status status = resolve_linear((sac_named_part){"out_proj.weight", input->out_proj_weight},
                                       (sac_named_part){"out_proj.bias", input->out_proj_bias},
                                       "what the heads give", &features, error);
    if (status == SAC_OK)
        status = check_norm(input, features, error);
    if (status != SAC_OK)
        return status;
    shape->output_rank = input->query->rank;
    memcpy(shape->output_shape, input->query->shape,
           (size_t)shape->output_rank * sizeof *shape->output_shape);
    shape->output_shape[shape->output_rank - 1] = features;
    size_t bytes;
    if (!sac_checked_mul_shape(shape->output_shape, shape->output_rank, sizeof(double), &bytes))
        return sac_fail(error, SAC_E_SHAPE, "output", NULL, "its size overflows");
    return SAC_OK;
}

/* ---------------------------------------------------------------- a cache of keys */

static sac_status check_capacity(const sac_attention_spec *spec, const sac_attention_input *input,
                                 const sac_attention_shape *shape, sac_error *error)
{
    if (!spec->capacity)
        return SAC_OK;
    if (spec->capacity < shape->keys)
        return sac_fail(error, SAC_E_SHAPE, "capacity", "give at least as much",
                        "%zu keys have no room in %zu", shape->keys, spec->capacity);
    if (input->key_padding_mask || input->attn_mask)
        return sac_fail(error, SAC_E_ARGUMENT, "capacity", "leave the mask out",
                        "keys that come later have no place in a mask");
    if (spec->split == SAC_SPLIT_VIEW && !sac_attention_is_split(input))
        return sac_fail(error, SAC_E_ARGUMENT, "capacity", "split heads by transpose",
                        "keys that come later have no place in heads that are split by view");
    if ((spec->causal || spec->window) && spec->alignment == SAC_ALIGN_AUTO &&
        shape->queries > shape->keys)
        return sac_fail(error, SAC_E_SHAPE, "capacity", "give the keys of the queries too",
                        "%zu queries cannot be the last of %zu keys", shape->queries, shape->keys);
    return SAC_OK;
}

ptrdiff_t sac_attention_offset(const sac_attention_spec *spec, size_t queries, size_t keys)
{
    if (spec->alignment == SAC_ALIGN_OFFSET)
        return (ptrdiff_t)spec->offset;
    bool are_last = spec->alignment == SAC_ALIGN_BOTTOM_RIGHT ||
                    (spec->alignment == SAC_ALIGN_AUTO && keys > queries);
    return are_last ? (ptrdiff_t)keys - (ptrdiff_t)queries : 0;
}

const char *sac_alignment_name(sac_alignment alignment)
{
    static const char *const names[SAC_ALIGN_COUNT] = {"auto", "top-left", "bottom-right",
                                                       "offset"};
    return (unsigned)alignment < SAC_ALIGN_COUNT ? names[alignment] : "unknown";
}

/* ---------------------------------------------------------------- all of it */

sac_status sac_attention_check_sizes(const sac_attention_spec *spec,
                                     const sac_attention_input *input, sac_attention_shape *shape,
                                     sac_error *error)
{
    sac_status status = sac_need(shape, "shape", error);
    if (status != SAC_OK)
        return status;
    *shape = (sac_attention_shape){0};
    status = sac_need(spec, "spec", error);
    if (status == SAC_OK)
        status = sac_attention_check_spec(spec, error);
    if (status == SAC_OK)
        status = sac_need(input, "input", error);
    if (status == SAC_OK)
        status = check_arrays(input, error);
    if (status != SAC_OK)
        return status;
    shape->batch = input->query->rank >= 3 ? input->query->shape[0] : 1;
    shape->queries = vector_count(input->query);
    shape->keys = vector_count(input->key);
    if (sac_attention_is_split(input))
        status = check_no_layers(input, error);
    if (status == SAC_OK)
        status = find_heads(spec, input, shape, error);
    if (status == SAC_OK)
        status = resolve_features(input, shape, error);
    if (status == SAC_OK)
        status = check_score(spec, input, shape, error);
    if (status == SAC_OK) {
        if (input->key_padding_mask)
            status = check_key_padding(input->key_padding_mask, shape, error);
        if (status == SAC_OK && input->attn_mask)
            status = check_attn_mask(input->attn_mask, shape, error);
        if (status == SAC_OK && input->sinks)
            status = check_sinks(input->sinks, shape, error);
    }
    if (status == SAC_OK)
        status = resolve_output(input, shape, error);
    if (status == SAC_OK)
        status = check_capacity(spec, input, shape, error);
    return status;
}

sac_status sac_attention_check_finite(const sac_attention_spec *spec, const sac_attention_input *in,
                                      bool later, sac_error *error)
{
    sac_score_weights weights = sac_score_class_of(spec->score)->weights;
    const bool used[] = {
        [SAC_INPUT_VECTORS] = true,
        [SAC_INPUT_PROJECTION] = true,
        [SAC_INPUT_HIDDEN] = weights == SAC_WEIGHTS_HIDDEN,
        [SAC_INPUT_BETWEEN] = weights == SAC_WEIGHTS_BETWEEN,
        [SAC_INPUT_VALUES] = in->value != NULL, /* else nothing that makes an output is used */
        [SAC_INPUT_OUTPUT] = in->value != NULL,
        [SAC_INPUT_SINKS] = false, /* which may be −inf: below */
    };
    sac_status status = SAC_OK;
    for (int i = 0; i < SAC_INPUT_PARTS && status == SAC_OK; i++) {
        sac_named_part part = {sac_input_parts[i].name, sac_input_array(in, i)};
        bool comes_later = later && part.array && i <= SAC_D_VALUE && !part.array->data;
        if (part.array && used[sac_input_parts[i].role] && i != SAC_D_LOG_SCALE && !comes_later)
            status = sac_check_finite(part, false, error);
    }
    sac_named_part padding = {"key_padding_mask", in->key_padding_mask};
    sac_named_part mask = {"attn_mask", in->attn_mask}, sinks = {"sinks", in->sinks};
    if (status == SAC_OK && padding.array && !(later && !padding.array->data))
        status = sac_check_bools(padding, key_padding_todo, error);
    if (status == SAC_OK && mask.array && !(later && !mask.array->data))
        status = sac_is_boolean(mask.array) ? sac_check_bools(mask, attn_mask_todo, error)
                                            : sac_check_finite(mask, true, error);
    if (status == SAC_OK && sinks.array)
        status = sac_check_finite(sinks, true, error);
    return status;
}

sac_status sac_attention_check_values(const sac_attention_spec *spec, const sac_attention_input *in,
                                      sac_error *error)
{
    return sac_attention_check_finite(spec, in, false, error);
}

sac_status sac_attention_resolve(const sac_attention_spec *spec, const sac_attention_input *input,
                                 sac_attention_shape *shape, sac_error *error)
{
    sac_status status = sac_attention_check_sizes(spec, input, shape, error);
    return status == SAC_OK ? sac_attention_check_values(spec, input, error) : status;
}
