/* A layer of a transformer: its parts, forward and backward. */
#include <assert.h>
#include <math.h>

#include "attention/token/token.h"
#include "gemm/fused_linear.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"
#include "nn/training.h"
#include "nn/transformer.h"

/* ---------------------------------------------------------------- fused products */

/* Linear layers of the same few rows in one launch, with the norm before them and what is done to
 * their results: for generation token by token, most of whose time would pass between launches.
 * Forward alone. */

/* y_i = activation(norm(x) W_iᵀ + b_i) + residual; or `gated`, of two layers of one size:
 * y_0 = activation(norm(x) W_0ᵀ + b_0) · (norm(x) W_1ᵀ + b_1) + residual. */
typedef struct fused_layers {
    sac_tensor x;
    const sac_layer_norm *norm; /* NULL: none */
    int count;                  /* up to 3 */
    struct {
        sac_tensor y;
        const sac_dense *dense;
    } layer[3];
    bool gated;
    sac_activation activation; /* SAC_LINEAR: none */
    sac_tensor residual;       /* empty: none */
} fused_layers;

/* False for an activation that joint products do not know. */
static bool find_activation(sac_activation activation, sac_fused_activation *found)
{
    static const struct {
        sac_activation here;
        sac_fused_activation there;
    } known[] = {{SAC_LINEAR, SAC_JOINT_LINEAR},
                 {SAC_SILU, SAC_JOINT_SILU},
                 {SAC_GELU, SAC_JOINT_GELU},
                 {SAC_GELU_TANH, SAC_JOINT_GELU_TANH}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].here == activation) {
            *found = known[i].there;
            return true;
        }
    return false;
}

static void set_fused_norm(const sac_layer_norm *norm, sac_fused *joint)
{
    joint->norm = norm->bias ? SAC_JOINT_LAYER : SAC_JOINT_RMS;
    joint->gain = sac_tensor_span(norm->gain->value);
    joint->epsilon = norm->epsilon;
    if (!norm->bias)
        return;
    joint->shift = sac_tensor_span(norm->bias->value);
    joint->epsilon = norm->epsilon > 0 ? norm->epsilon : 1e-5f;
}

/* The product that it is; false where none is: by weights that train, have an adapter, or are not stored alike, and with an
 * activation that joint products do not know. */
static bool describe_fused(const fused_layers *j, sac_fused *joint)
{
    *joint = (sac_fused){.rows = j->x.rows,
                         .in = j->x.width,
                         .stored = j->layer[0].dense->w->value.stored,
                         .x = sac_tensor_span(j->x),
                         .count = j->count,
                         .gated = j->gated};
    if (!find_activation(j->activation, &joint->activation) || (j->norm && j->norm->position))
        return false;
    if (j->norm)
        set_fused_norm(j->norm, joint);
    if (j->residual.buffer)
        joint->residual = sac_tensor_span(j->residual);
    for (int i = 0; i < j->count; i++) {
        const sac_parameter *w = j->layer[i].dense->w, *b = j->layer[i].dense->b;
        if (w->gradient.buffer || w->low || w->clip || w->value.stored != joint->stored)
            return false;
        assert(w->value.width == j->x.width);
        joint->part[i].weight = sac_tensor_stored(w->value);
        joint->part[i].out = w->value.rows;
        if (b)
            joint->part[i].bias = sac_tensor_span(b->value);
        if (i == 0 || !j->gated)
            joint->part[i].y = sac_tensor_span(j->layer[i].y);
    }
    return true;
}

/* False, and nothing is done, where they are to be computed one by one: for many rows, on other
 * devices, by weights that train or have an adapter, and by those that are not stored alike. */
static bool forward_fused(sac_pass *pass, const fused_layers *j)
{
    sac_fused joint;
    if (!sac_pass_runs(pass) || !describe_fused(j, &joint) ||
        !sac_fused_takes(pass->device, &joint))
        return false;
    SAC_PASS_CALL(pass, sac_fused_run(pass->device, &joint, &pass->error));
    return true;
}

/* ---------------------------------------------------------------- layers */

typedef sac_transformer_layer layer;
typedef sac_transformer_run run;
typedef sac_transformer_tensors tensors;
typedef sac_transformer_gradients gradients;

/* ---------------------------------------------------------------- memory */

static size_t width_of(const layer *l)
{
    return l->attention[SAC_PART_SELF].out.w->value.rows;
}

static bool is_gated(const layer *l)
{
    return l->gate.w || l->in.w->value.rows != l->out.w->value.width;
}

/* Where it learns, what is activated is kept for the way back, unless that is seen from the result. */
static bool keeps_inactive(const layer *l, const run *r)
{
    return l->in.w->gradient.buffer && !is_gated(l) && r->activation != SAC_RELU;
}

static void shape_attention(sac_pass *pass, sac_arena *arena, const sac_multihead *m, const run *r,
                            size_t rows, size_t key_rows, sac_multihead_tensors *t)
{
    sac_arena_shape(arena, pass, &t->query, rows, m->query.w->value.rows);
    sac_arena_shape(arena, pass, &t->key, key_rows, m->key.w->value.rows);
    sac_arena_shape(arena, pass, &t->value, key_rows, m->value.w->value.rows);
    sac_arena_shape(arena, pass, &t->heads, rows, m->out.w->value.width);
    sac_arena_shape(arena, pass, &t->stats, rows * (size_t)r->heads, 2);
}

static size_t memory_batch_size(const run *r)
{
    return r->memories ? r->memories : r->batch;
}

/* The parts that the layer has, in their order; the one after `part`, from −1 on. */
static int next_part(const layer *l, int part)
{
    bool skips = part == SAC_PART_SELF && !l->attention[SAC_PART_CROSS].query.w;
    return part + 1 + skips;
}

void sac_transformer_layer_shape(sac_pass *pass, sac_arena *arena, const layer *l, const run *r,
                                 size_t words, size_t memory_words, tensors *t)
{
    size_t rows = r->batch * words;
    const size_t gathered = l->memory_norm.gain ? memory_words + rows : 0;
    if (l->attention[SAC_PART_SELF].query.w) /* a delta net has none */
        shape_attention(pass, arena, &l->attention[SAC_PART_SELF], r, rows,
                        gathered ? gathered : rows, &t->attention[SAC_PART_SELF]);
    if (l->open.w)
        sac_arena_shape(arena, pass, &t->gates, rows, l->open.w->value.rows);
    if (gathered)
        sac_arena_shape(arena, pass, &t->gathered, gathered, width_of(l));
    if (memory_words && l->attention[SAC_PART_CROSS].query.w)
        shape_attention(pass, arena, &l->attention[SAC_PART_CROSS], r, rows,
                        memory_batch_size(r) * memory_words, &t->attention[SAC_PART_CROSS]);
    if (l->space.in.w)
        sac_state_space_shape(pass, arena, &l->space, rows, &t->space);
    if (l->experts)
        sac_experts_shape(pass, arena, l->experts, rows, &t->experts);
    if (l->in.w)
        sac_arena_shape(arena, pass, &t->hidden, rows, l->out.w->value.width);
    if (l->in.w && (is_gated(l) || keeps_inactive(l, r)))
        sac_arena_shape(arena, pass, &t->joined, rows, l->in.w->value.rows);
    if (l->words_in.w) {
        sac_arena_shape(arena, pass, &t->opened, rows, l->words_in.w->value.rows);
        sac_arena_shape(arena, pass, &t->left, rows, width_of(l));
    }
    for (int part = SAC_PART_SELF; part < SAC_PARTS; part = next_part(l, part)) {
        sac_arena_shape(arena, pass, &t->sum[part], rows, width_of(l));
        sac_arena_shape(arena, pass, &t->normed[part], rows, width_of(l));
    }
    if (l->query_latent.down.w)
        sac_arena_shape(arena, pass, &t->query_latent, rows, l->query_latent.down.w->value.rows);
    if (l->key_latent.down.w) {
        sac_arena_shape(arena, pass, &t->key_latent, rows, l->key_latent.down.w->value.rows);
        sac_arena_shape(arena, pass, &t->shared_key, rows, l->shared_key.w->value.rows);
    }
    size_t placed = r->memory_places.rows > rows ? r->memory_places.rows : rows;
    if (r->places.buffer)
        sac_arena_shape(arena, pass, &t->placed, placed, width_of(l));
}

void sac_transformer_layer_shape_gradients(sac_pass *pass, sac_arena *arena, const layer *l,
                                           const run *r, size_t words, size_t memory_words,
                                           gradients *s)
{
    const sac_multihead *self = &l->attention[SAC_PART_SELF];
    size_t rows = r->batch * words, width = width_of(l);
    size_t hidden = l->experts ? 0 : l->out.w->value.width;
    size_t memory_rows = memory_batch_size(r) * memory_words, heads = self->query.w->value.rows;
    size_t keys = memory_rows > rows ? memory_rows : rows, key_width = self->key.w->value.rows;
    size_t value_width = self->value.w->value.rows;
    sac_arena_shape(arena, pass, &s->dresult, rows, width);
    sac_arena_shape(arena, pass, &s->dnormed, rows, width);
    sac_arena_shape(arena, pass, &s->dheads, rows, self->out.w->value.width);
    sac_arena_shape(arena, pass, &s->dquery, rows, heads);
    if (memory_rows && l->attention[SAC_PART_CROSS].key.w->value.rows > key_width)
        key_width = value_width = l->attention[SAC_PART_CROSS].key.w->value.rows;
    sac_arena_shape(arena, pass, &s->dkey, keys, key_width);
    sac_arena_shape(arena, pass, &s->dvalue, keys, value_width);
    const sac_parameter *const narrowed[] = {l->query_latent.down.w, l->key_latent.down.w,
                                             l->shared_key.w};
    size_t latent = 0;
    for (int i = 0; i < 3; i++)
        if (narrowed[i] && narrowed[i]->value.rows > latent)
            latent = narrowed[i]->value.rows;
    if (latent) {
        sac_arena_shape(arena, pass, &s->latent, rows, latent);
        sac_arena_shape(arena, pass, &s->dlatent, rows, latent);
    }
    if (l->experts)
        sac_experts_shape_gradients(pass, arena, l->experts, rows, &s->experts);
    else
        sac_arena_shape(arena, pass, &s->dhidden, rows, hidden);
    if (r->parallel)
        sac_arena_shape(arena, pass, &s->dentered, rows, width);
    if (!l->experts && (is_gated(l) || r->activation != SAC_RELU) && !keeps_inactive(l, r))
        sac_arena_shape(arena, pass, &s->before, rows, hidden);
    if (!l->experts && is_gated(l))
        sac_arena_shape(arena, pass, &s->gated, rows, hidden);
    if (l->words_in.w) {
        sac_arena_shape(arena, pass, &s->dopened, rows, l->words_in.w->value.rows);
        sac_arena_shape(arena, pass, &s->opening, rows, l->words_in.w->value.rows);
    }
    if (l->query_norm.gain || l->key_norm.gain || l->words_in.w || l->after[SAC_PART_SELF].gain ||
        l->after[SAC_PART_FORWARD].gain)
        sac_arena_shape(arena, pass, &s->raw, rows, heads > width ? heads : width);
}

/* ---------------------------------------------------------------- forward */

static sac_dropout dropout_of(const run *r, int part)
{
    return sac_dropout_of(r->dropout, r->seed, (uint32_t)part);
}

static void dense(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *d)
{
    sac_linear_forward(pass, y, x, d->w, d->b);
}

/* What leaves the layer, of what leaves its last part. */
static sac_tensor finish_layer(sac_pass *pass, const layer *l, const run *r, sac_tensor x,
                               const tensors *t)
{
    if (l->words_in.w) {
        dense(pass, t->opened, x, &l->words_in);
        sac_gate(pass, t->opened, r->words, r->activation);
        dense(pass, t->left, t->opened, &l->words_out);
        sac_layer_norm_forward(pass, &l->words_norm, t->left, t->left);
        sac_add(pass, t->left, x);
        x = t->left;
    }
    if (l->times != 0 && l->times != 1)
        sac_scale(pass, x, l->times);
    return x;
}

sac_tensor sac_transformer_part_begin(sac_pass *pass, const layer *l, const run *r, int part,
                                      sac_tensor x, const tensors *t)
{
    if (!r->norm_first || !l->norm[part].gain)
        return x;
    sac_layer_norm_forward(pass, &l->norm[part], t->normed[part], x);
    return t->normed[part];
}

/* The output of a part, from f(x) in t->sum[part]. */
static sac_tensor end_part(sac_pass *pass, const layer *l, const run *r, int part, sac_tensor x,
                           const tensors *t)
{
    sac_dropout dropout = dropout_of(r, part);
    if (l->after[part].gain)
        sac_layer_norm_forward(pass, &l->after[part], t->sum[part], t->sum[part]);
    if (l->scale[part])
        sac_scale_columns(pass, t->sum[part], l->scale[part]->value);
    sac_dropout_add(pass, &dropout, t->sum[part], x, t->sum[part]);
    if (r->norm_first)
        return t->sum[part];
    sac_layer_norm_forward(pass, &l->norm[part], t->normed[part], t->sum[part]);
    return t->normed[part];
}

/* x with its places; of none x itself. */
static sac_tensor add_places(sac_pass *pass, sac_tensor x, sac_tensor places, const tensors *t)
{
    if (!places.buffer)
        return x;
    assert(places.rows == x.rows);
    sac_tensor placed = sac_tensor_shaped(t->placed, x.rows, x.width);
    sac_pass_copy(pass, placed, x);
    sac_add(pass, placed, places);
    return placed;
}

void sac_transformer_part_query(sac_pass *pass, const layer *l, int part, sac_tensor x,
                                const tensors *t)
{
    dense(pass, t->attention[part].query, x, &l->attention[part].query);
}

void sac_transformer_part_keys(sac_pass *pass, const layer *l, int part, sac_tensor memory,
                               const tensors *t)
{
    dense(pass, t->attention[part].key, memory, &l->attention[part].key);
    dense(pass, t->attention[part].value, memory, &l->attention[part].value);
}

/* What a linear layer takes: x, or what is made of it, in `room`. */
static sac_tensor enter_latent(sac_pass *pass, const sac_latent *latent, sac_tensor x,
                               sac_tensor room)
{
    if (!latent->down.w)
        return x;
    dense(pass, room, x, &latent->down);
    sac_layer_norm_forward(pass, &latent->norm, room, room);
    return room;
}

/* Queries, keys and values of latent attention, of the part's input. */
static void project_latents(sac_pass *pass, const layer *l, sac_tensor x, const tensors *t)
{
    const sac_multihead *self = &l->attention[SAC_PART_SELF];
    const sac_multihead_tensors *own = &t->attention[SAC_PART_SELF];
    dense(pass, own->query, enter_latent(pass, &l->query_latent, x, t->query_latent), &self->query);
    const sac_tensor latent = enter_latent(pass, &l->key_latent, x, t->key_latent);
    dense(pass, own->key, latent, &self->key);
    dense(pass, own->value, latent, &self->value);
    dense(pass, t->shared_key, x, &l->shared_key);
    sac_linear_add(pass, own->key, t->shared_key, l->spread);
}

/* Of SAC_PART_SELF's input, what its heads are multiplied by before they are joined. */
static void open_heads(sac_pass *pass, const layer *l, sac_tensor in, const tensors *t)
{
    if (!l->open.w)
        return;
    dense(pass, t->gates, in, &l->open);
    sac_activate(pass, t->gates, SAC_SIGMOID);
}

/* The norm that stands before a part; NULL: none. */
static const sac_layer_norm *norm_before(const layer *l, const run *r, int part)
{
    return r->norm_first && l->norm[part].gain ? &l->norm[part] : NULL;
}

/* The next layer of a joint product. */
static void add_fused_layer(fused_layers *joint, sac_tensor y, const sac_dense *dense)
{
    joint->layer[joint->count].y = y;
    joint->layer[joint->count++].dense = dense;
}

void sac_transformer_part_project(sac_pass *pass, const layer *l, const run *r, sac_tensor x,
                                  const tensors *t)
{
    const sac_multihead *self = &l->attention[SAC_PART_SELF];
    const sac_multihead_tensors *own = &t->attention[SAC_PART_SELF];
    const sac_dense *layers[] = {&self->query, &self->key, &self->value};
    const sac_tensor ys[] = {own->query, own->key, own->value};
    if (l->key_latent.down.w) {
        project_latents(pass, l, sac_transformer_part_begin(pass, l, r, SAC_PART_SELF, x, t), t);
        return;
    }
    if (l->open.w)
        open_heads(pass, l, sac_transformer_part_begin(pass, l, r, SAC_PART_SELF, x, t), t);
    const int count = l->lent ? 1 : 3;
    for (int i = 0; i < count;) { /* those that are stored alike together */
        fused_layers joint = {
            .x = x, .norm = norm_before(l, r, SAC_PART_SELF), .activation = SAC_LINEAR};
        do {
            add_fused_layer(&joint, ys[i], layers[i]);
            i++;
        } while (i < count && layers[i]->w->value.stored == layers[i - 1]->w->value.stored);
        if (forward_fused(pass, &joint))
            continue;
        sac_tensor in = sac_transformer_part_begin(pass, l, r, SAC_PART_SELF, x, t);
        for (int k = 0; k < joint.count; k++)
            dense(pass, joint.layer[k].y, in, joint.layer[k].dense);
    }
}

static sac_attention_layer attention_of(const layer *l, const run *r, int part, size_t room)
{
    bool is_self = part == SAC_PART_SELF;
    float scale = is_self ? r->scale : r->cross_scale;
    const bool is_biased = is_self && r->bias, is_masked = is_self && r->mask;
    return (sac_attention_layer){
        .spec = {.score = SAC_SCORE_SCALED_DOT,
                 .use_scale = scale > 0,
                 .scale = scale,
                 .normalizer = is_self ? SAC_NORMALIZER_SOFTMAX : r->cross_normalizer,
                 .heads = r->heads,
                 .key_heads = is_self ? r->key_heads : 0,
                 .capacity = room,
                 .causal = is_self && r->causal,
                 .window = is_self ? r->window : 0,
                 .softcap = is_self ? r->softcap : 0,
                 .dropout = r->dropout,
                 .seed = r->seed * SAC_PARTS + (uint64_t)part},
        .batch = is_self ? r->batch : memory_batch_size(r),
        .padding = is_self ? r->padding : r->memory_padding,
        .mask = is_masked   ? r->mask
                : is_biased ? r->bias
                            : NULL,
        .mask_is_float = is_biased,
        .mask_shape = {1, is_masked ? 1 : (size_t)r->heads, r->bias_rows ? r->bias_rows : 1,
                       r->biased},
        .sinks = is_self ? l->sinks : NULL,
    };
}

static sac_attention_tensors operands_of(const sac_multihead_tensors *t)
{
    return (sac_attention_tensors){.query = t->query,
                                   .key = t->key,
                                   .value = t->value,
                                   .laid_out = t->laid_out,
                                   .output = t->heads,
                                   .stats = t->stats};
}

/* Of each head, or of all numbers of a token. */
static void norm_heads(sac_pass *pass, const sac_layer_norm *norm, sac_tensor x)
{
    size_t width = norm->gain->value.width;
    sac_tensor heads = sac_tensor_shaped(x, x.rows * x.width / width, width);
    sac_layer_norm_forward(pass, norm, heads, heads);
}

void sac_transformer_part_rotate(sac_pass *pass, const layer *l, const run *r, int part,
                                 const tensors *t)
{
    size_t heads = (size_t)r->heads, key_heads = r->key_heads ? (size_t)r->key_heads : heads;
    if (part != SAC_PART_SELF)
        return;
    if (l->query_norm.gain)
        norm_heads(pass, &l->query_norm, t->attention[part].query);
    if (l->key_norm.gain && !l->lent)
        norm_heads(pass, &l->key_norm, t->attention[part].key);
    if (l->value_norm.gain && !l->lent)
        norm_heads(pass, &l->value_norm, t->attention[part].value);
    if (!r->rotation.buffer || t->attention[part].token_keys.buffer)
        return;
    sac_rotate(pass, t->attention[part].query, heads, r->rotation);
    if (!l->lent)
        sac_rotate(pass, t->attention[part].key, key_heads, r->rotation);
}

static sac_token_attention describe_token_attention(const layer *l, const run *r, size_t keys)
{
    size_t heads = (size_t)r->heads, key_heads = r->key_heads ? (size_t)r->key_heads : heads;
    size_t depth = l->attention[SAC_PART_SELF].query.w->value.rows / heads;
    return (sac_token_attention){.heads = heads,
                                 .key_heads = key_heads,
                                 .depth = depth,
                                 .keys = keys,
                                 .scale = r->scale > 0 ? r->scale : 1 / sqrtf((float)depth),
                                 .turned = r->rotation.width,
                                 .table = sac_tensor_span(r->rotation)};
}

bool sac_transformer_takes_token(sac_pass *pass, const layer *l, const run *r, size_t keys)
{
    const sac_multihead *self = &l->attention[SAC_PART_SELF];
    const sac_token_attention token = describe_token_attention(l, r, keys);
    bool is_plain = !r->bias && !r->mask && !r->padding && !l->sinks && !r->distances && !l->lent &&
                    !(r->softcap > 0) && !(r->dropout > 0) && (!r->window || r->window >= keys);
    return is_plain && sac_pass_runs(pass) &&
           self->key.w->value.rows == self->value.w->value.rows &&
           sac_token_attention_takes(pass->device, &token);
}

/* Where the attention of a token reads and writes. */
static void set_token_operands(sac_token_attention *token, const sac_multihead_tensors *own)
{
    token->query = sac_tensor_span(own->query);
    token->key = sac_tensor_span(own->key);
    token->keys_before = sac_tensor_span(own->token_keys);
    token->values = sac_tensor_span(own->token_values);
    token->output = sac_tensor_span(own->heads);
}

/* The heads alone. */
static void attend(sac_pass *pass, const layer *l, const run *r, int part, const tensors *t)
{
    const sac_multihead_tensors *own = &t->attention[part];
    if (own->token_keys.buffer) {
        sac_token_attention token = describe_token_attention(l, r, own->token_keys.rows);
        set_token_operands(&token, own);
        SAC_PASS_CALL(pass, sac_token_attention_run(pass->device, &token, &pass->error));
    } else {
        sac_attention_layer attention = attention_of(l, r, part, own->room);
        sac_attention_tensors operands = operands_of(own);
        sac_attention_layer_forward(pass, &attention, &operands);
    }
    if (r->head_scale[part].buffer)
        sac_scale_columns(pass, own->heads, r->head_scale[part]);
    if (part == SAC_PART_SELF && l->open.w)
        sac_multiply(pass, own->heads, t->gates);
}

/* What a part gives is x · Wᵀ + b of its last layer. Where nothing else is done to it, it is added to `onto` by the
 * product. */
static bool describe_ending(const layer *l, const run *r, int part, sac_tensor x,
                            const sac_dense *last, sac_tensor onto, const tensors *t,
                            fused_layers *joint)
{
    *joint = (fused_layers){.x = x, .activation = SAC_LINEAR, .residual = onto};
    add_fused_layer(joint, t->sum[part], last);
    return r->norm_first && !l->after[part].gain && !l->scale[part] && !(r->dropout > 0);
}

static bool run_fused_ending(sac_pass *pass, const layer *l, const run *r, int part, sac_tensor x,
                             const sac_dense *last, sac_tensor onto, const tensors *t)
{
    fused_layers joint;
    return describe_ending(l, r, part, x, last, onto, t, &joint) && forward_fused(pass, &joint);
}

/* To the sum behind SAC_PART_SELF, what the state space gives of the layer's x. */
static void add_space(sac_pass *pass, const layer *l, const run *r, sac_tensor x, const tensors *t)
{
    if (!l->space.in.w)
        return;
    sac_tensor in = sac_transformer_part_begin(pass, l, r, SAC_PART_SELF, x, t);
    sac_state_space_forward(pass, &l->space, r->batch, in, &t->space);
    sac_add(pass, t->sum[SAC_PART_SELF], t->space.given);
}

sac_tensor sac_transformer_part_attended(sac_pass *pass, const layer *l, const run *r, int part,
                                         sac_tensor onto, const tensors *t)
{
    const sac_dense *out = &l->attention[part].out;
    sac_tensor ended = t->sum[part];
    attend(pass, l, r, part, t);
    if (!run_fused_ending(pass, l, r, part, t->attention[part].heads, out, onto, t)) {
        dense(pass, t->sum[part], t->attention[part].heads, out);
        ended = end_part(pass, l, r, part, onto, t);
    }
    if (part == SAC_PART_SELF)
        add_space(pass, l, r, onto, t);
    return ended;
}

/* What enters the network's last layer; false where that is no joint product. */
static bool describe_hidden(const layer *l, const run *r, sac_tensor x, const tensors *t,
                            fused_layers *joint)
{
    *joint = (fused_layers){.x = x,
                            .norm = norm_before(l, r, SAC_PART_FORWARD),
                            .gated = l->gate.w != NULL,
                            .activation = r->activation};
    if (l->experts || l->gate_times != 0 || (!l->gate.w && is_gated(l)))
        return false;
    if (l->gate.w)
        add_fused_layer(joint, t->hidden, &l->gate);
    add_fused_layer(joint, t->hidden, &l->in);
    return true;
}

static bool run_fused_hidden(sac_pass *pass, const layer *l, const run *r, sac_tensor x,
                             const tensors *t)
{
    fused_layers joint;
    return describe_hidden(l, r, x, t, &joint) && forward_fused(pass, &joint);
}

bool sac_transformer_token_layer(sac_pass *pass, const layer *l, const run *r, sac_tensor x,
                                 const tensors *t)
{
    const sac_multihead *self = &l->attention[SAC_PART_SELF];
    const sac_multihead_tensors *own = &t->attention[SAC_PART_SELF];
    sac_tensor between = t->sum[SAC_PART_SELF];
    fused_layers project = {
        .x = x, .norm = norm_before(l, r, SAC_PART_SELF), .activation = SAC_LINEAR};
    fused_layers out, hidden, down;
    sac_token_layer token = {.attention = describe_token_attention(l, r, own->token_keys.rows)};
    add_fused_layer(&project, own->query, &self->query);
    add_fused_layer(&project, own->key, &self->key);
    add_fused_layer(&project, own->value, &self->value);
    if (!sac_pass_runs(pass) || r->parallel || l->query_norm.gain || l->key_norm.gain ||
        l->value_norm.gain || l->words_in.w || l->times != 0 || l->key_latent.down.w || l->open.w ||
        l->space.in.w || r->head_scale[SAC_PART_SELF].buffer ||
        !describe_ending(l, r, SAC_PART_SELF, own->heads, &self->out, x, t, &out) ||
        !describe_hidden(l, r, between, t, &hidden) ||
        !describe_ending(l, r, SAC_PART_FORWARD, t->hidden, &l->out, between, t, &down) ||
        !describe_fused(&project, &token.project) || !describe_fused(&out, &token.out) ||
        !describe_fused(&hidden, &token.hidden) || !describe_fused(&down, &token.down) ||
        !sac_token_layer_takes(pass->device, &token))
        return false;
    set_token_operands(&token.attention, own);
    SAC_PASS_CALL(pass, sac_token_layer_run(pass->device, &token, &pass->error));
    return true;
}

/* `entered`: x before the norm of the part. */
static void feed_forward_part(sac_pass *pass, const layer *l, const run *r, sac_tensor x,
                              sac_tensor entered, const tensors *t)
{
    if (l->experts && !l->beside.gain) {
        sac_experts_forward(pass, l->experts, r->activation, t->sum[SAC_PART_FORWARD], x,
                            &t->experts);
        return;
    }
    if (l->gate.w) {
        dense(pass, t->hidden, x, &l->gate);
        if (l->gate_times != 0)
            sac_scale(pass, t->hidden, l->gate_times);
        dense(pass, t->joined, x, &l->in);
        sac_gate(pass, t->hidden, t->joined, r->activation);
    } else if (is_gated(l)) {
        dense(pass, t->joined, x, &l->in);
        sac_gate_columns(pass, t->hidden, t->joined);
    } else {
        dense(pass, t->hidden, x, &l->in);
        if (keeps_inactive(l, r))
            sac_pass_copy(pass, t->joined, t->hidden);
        sac_activate(pass, t->hidden, r->activation);
    }
    dense(pass, t->sum[SAC_PART_FORWARD], t->hidden, &l->out);
    if (!l->experts)
        return;
    sac_layer_norm_forward(pass, &l->beside, t->sum[SAC_PART_FORWARD], t->sum[SAC_PART_FORWARD]);
    sac_experts_add_normed(pass, l->experts, r->activation, t->sum[SAC_PART_FORWARD], entered,
                           &t->experts);
}

sac_tensor sac_transformer_part_forwarded(sac_pass *pass, const layer *l, const run *r,
                                          sac_tensor x, sac_tensor onto, const tensors *t)
{
    if (run_fused_hidden(pass, l, r, x, t)) {
        if (run_fused_ending(pass, l, r, SAC_PART_FORWARD, t->hidden, &l->out, onto, t))
            return finish_layer(pass, l, r, t->sum[SAC_PART_FORWARD], t);
        dense(pass, t->sum[SAC_PART_FORWARD], t->hidden, &l->out);
    } else {
        sac_tensor in = sac_transformer_part_begin(pass, l, r, SAC_PART_FORWARD, x, t);
        feed_forward_part(pass, l, r, in, x, t);
    }
    return finish_layer(pass, l, r, end_part(pass, l, r, SAC_PART_FORWARD, onto, t), t);
}

static sac_tensor bias_of(const run *r)
{
    return (sac_tensor){
        .buffer = r->bias, .rows = (size_t)r->heads * r->bias_rows, .width = r->biased};
}

/* What SAC_PART_SELF attends to: its own rows, behind what the encoder made where it attends to that too. */
static sac_tensor gather_memory(sac_pass *pass, const layer *l, sac_tensor own, sac_tensor memory,
                                const tensors *t)
{
    if (!l->memory_norm.gain)
        return own;
    sac_layer_norm_forward(pass, &l->memory_norm, sac_tensor_rows(t->gathered, 0, memory.rows),
                           memory);
    sac_pass_copy(pass, sac_tensor_rows(t->gathered, memory.rows, own.rows), own);
    return t->gathered;
}

sac_tensor sac_transformer_layer_forward(sac_pass *pass, const layer *l, const run *r, sac_tensor x,
                                         sac_tensor memory, const tensors *t)
{
    const sac_tensor entered = x;
    for (int part = SAC_PART_SELF; part < SAC_PARTS; part = next_part(l, part)) {
        sac_tensor in = sac_transformer_part_begin(pass, l, r, part, r->parallel ? entered : x, t);
        if (part == SAC_PART_FORWARD) {
            feed_forward_part(pass, l, r, in, r->parallel ? entered : x, t);
        } else {
            bool is_self = part == SAC_PART_SELF;
            sac_tensor seen = is_self ? gather_memory(pass, l, in, memory, t) : memory;
            sac_tensor places = is_self ? r->places : r->memory_places;
            if (is_self && l->key_latent.down.w) {
                project_latents(pass, l, in, t);
            } else {
                sac_transformer_part_query(pass, l, part, add_places(pass, in, r->places, t), t);
            }
            if (!(is_self && (l->key_latent.down.w || l->lent))) {
                dense(pass, t->attention[part].key, add_places(pass, seen, places, t),
                      &l->attention[part].key);
                dense(pass, t->attention[part].value, seen, &l->attention[part].value);
            }
            if (is_self)
                open_heads(pass, l, in, t);
            sac_transformer_part_rotate(pass, l, r, part, t);
            if (part == SAC_PART_SELF && r->distances) {
                /* Computes the run's bias. */
                const sac_multihead_tensors *self = &t->attention[SAC_PART_SELF];
                sac_disentangle(pass, &l->distance_key, &l->distance_query, (size_t)r->heads,
                                r->distances, self->query, self->key, bias_of(r));
            }
            /* Attention with the queries, keys and values that are in t, into t->sum[part]. */
            attend(pass, l, r, part, t);
            dense(pass, t->sum[part], t->attention[part].heads, &l->attention[part].out);
        }
        x = end_part(pass, l, r, part, x, t);
        if (part == SAC_PART_SELF)
            add_space(pass, l, r, entered, t);
    }
    return finish_layer(pass, l, r, x, t);
}

/* ---------------------------------------------------------------- backward */

/* dx += dy W, and the gradients of W and b. */
static void dense_backward(sac_pass *pass, sac_tensor dx, sac_tensor dy, sac_tensor x,
                           const sac_dense *d)
{
    sac_linear_backward_weights(pass, dy, x, d->w, d->b);
    sac_linear_backward_add(pass, dx, dy, d->w);
}

/* The gradients are as large as the largest layer: the front of them. */
static sac_tensor front_rows(sac_tensor gradient, sac_tensor of)
{
    return sac_tensor_shaped(gradient, of.rows, of.width);
}

static void norm_heads_backward(sac_pass *pass, const sac_layer_norm *norm, sac_tensor dy,
                                sac_tensor raw)
{
    size_t width = norm->gain->value.width, heads = dy.rows * dy.width / width;
    sac_layer_norm_backward(pass, norm, sac_tensor_shaped(dy, heads, width),
                            sac_tensor_shaped(raw, heads, width));
}

/* Of queries and keys that were normed and turned, to those that linear layers gave. */
static void rotate_backward(sac_pass *pass, const layer *l, const run *r, sac_tensor dquery,
                            sac_tensor dkey, sac_tensor dvalue, sac_tensor x, const gradients *s)
{
    size_t heads = (size_t)r->heads, key_heads = r->key_heads ? (size_t)r->key_heads : heads;
    const sac_multihead *m = &l->attention[SAC_PART_SELF];
    if (r->rotation.buffer) {
        sac_rotate_backward(pass, dquery, heads, r->rotation);
        if (!l->lent)
            sac_rotate_backward(pass, dkey, key_heads, r->rotation);
    }
    if (l->query_norm.gain) {
        dense(pass, front_rows(s->raw, dquery), x, &m->query);
        norm_heads_backward(pass, &l->query_norm, dquery, front_rows(s->raw, dquery));
    }
    if (l->key_norm.gain) {
        dense(pass, front_rows(s->raw, dkey), x, &m->key);
        norm_heads_backward(pass, &l->key_norm, dkey, front_rows(s->raw, dkey));
    }
    if (l->value_norm.gain) {
        dense(pass, front_rows(s->raw, dvalue), x, &m->value);
        norm_heads_backward(pass, &l->value_norm, dvalue, front_rows(s->raw, dvalue));
    }
}

/* dx += what the gradients of up to two linear layers of the latent are of x; its numbers are computed once more. */
static void latent_backward(sac_pass *pass, const sac_latent *latent, sac_tensor dx, sac_tensor x,
                            const sac_dense *const layers[2], const sac_tensor gradient[2],
                            const gradients *s)
{
    const size_t width = latent->down.w->value.rows;
    sac_tensor raw = sac_tensor_shaped(s->latent, x.rows, width);
    sac_tensor dlatent = sac_tensor_shaped(s->dlatent, x.rows, width);
    sac_linear_backward_input(pass, dlatent, gradient[0], layers[0]->w);
    if (layers[1])
        sac_linear_backward_add(pass, dlatent, gradient[1], layers[1]->w);
    dense(pass, raw, x, &latent->down);
    sac_layer_norm_backward(pass, &latent->norm, dlatent, raw);
    sac_linear_backward_add(pass, dx, dlatent, latent->down.w);
}

static void latents_backward(sac_pass *pass, const layer *l, sac_tensor dx, sac_tensor x,
                             const sac_attention_layer_gradients *d, const gradients *s)
{
    const sac_multihead *m = &l->attention[SAC_PART_SELF];
    const sac_tensor dshared = sac_tensor_shaped(s->dlatent, x.rows, l->shared_key.w->value.rows);
    if (l->query_latent.down.w)
        latent_backward(pass, &l->query_latent, dx, x, (const sac_dense *[2]){&m->query},
                        (sac_tensor[2]){d->dquery}, s);
    else
        sac_linear_backward_add(pass, dx, d->dquery, m->query.w);
    latent_backward(pass, &l->key_latent, dx, x, (const sac_dense *[2]){&m->key, &m->value},
                    (sac_tensor[2]){d->dkey, d->dvalue}, s);
    sac_linear_backward_input(pass, dshared, d->dkey, l->spread);
    sac_linear_backward_add(pass, dx, dshared, l->shared_key.w);
}

/* dresult → dx and dmemory, both added to. */
static void attend_backward(sac_pass *pass, const layer *l, const run *r, int part, sac_tensor dx,
                            sac_tensor dmemory, sac_tensor x, sac_tensor memory, const tensors *t,
                            const gradients *s)
{
    const sac_multihead *m = &l->attention[part];
    sac_attention_layer attention = attention_of(l, r, part, 0);
    sac_attention_tensors operands = operands_of(&t->attention[part]);
    const bool is_apart = part == SAC_PART_CROSS && s->dcross.buffer;
    sac_attention_layer_gradients d = {
        .doutput = front_rows(is_apart ? s->dcross : s->dheads, operands.output),
        .dquery = front_rows(s->dquery, operands.query),
        .dkey = front_rows(s->dkey, operands.key),
        .dvalue = front_rows(s->dvalue, operands.value)};
    sac_linear_backward_weights(pass, front_rows(s->dresult, x), operands.output, m->out.w,
                                m->out.b);
    sac_linear_backward_input(pass, d.doutput, front_rows(s->dresult, x), m->out.w);
    sac_attention_layer_backward(pass, &attention, &operands, &d);
    if (part == SAC_PART_SELF && r->distances)
        sac_disentangle_backward(pass, &l->distance_key, &l->distance_query, (size_t)r->heads,
                                 r->distances, r->scale, bias_of(r), &operands, &d);
    if (part == SAC_PART_SELF && s->lent_key.buffer) {
        sac_add(pass, d.dkey, s->lent_key);
        sac_add(pass, d.dvalue, s->lent_value);
    }
    if (part == SAC_PART_SELF)
        rotate_backward(pass, l, r, d.dquery, d.dkey, d.dvalue, x, s);
    if (part == SAC_PART_SELF && l->key_latent.down.w) {
        latents_backward(pass, l, dx, x, &d, s);
        return;
    }
    dense_backward(pass, dx, d.dquery, x, &m->query);
    if (part == SAC_PART_SELF && l->lent)
        return;
    dense_backward(pass, dmemory, d.dkey, memory, &m->key);
    dense_backward(pass, dmemory, d.dvalue, memory, &m->value);
}

/* Gates and gated values, which may be the rows of one matrix. */
typedef struct two_layers {
    sac_parameter w[2], b[2];
    sac_dense gate, up;
} two_layers;

static void split_gate_and_up(const layer *l, two_layers *two)
{
    const size_t hidden = l->out.w->value.width;
    *two = (two_layers){.gate = l->gate, .up = l->in};
    sac_dense *const halves[] = {&two->gate, &two->up};
    for (size_t i = 0; i < 2 && !l->gate.w; i++) {
        two->w[i] = *l->in.w;
        two->w[i].value = sac_tensor_rows(l->in.w->value, i * hidden, hidden);
        *halves[i] = (sac_dense){&two->w[i], NULL};
        if (!l->in.b)
            continue;
        two->b[i] = *l->in.b;
        two->b[i].value.at += (cl_uint)(i * hidden);
        two->b[i].value.width = hidden;
        halves[i]->b = &two->b[i];
    }
}

/* dhidden → din, added to: hidden = f(gate) · up. Both are computed again. */
static void gates_backward(sac_pass *pass, const layer *l, const run *r, sac_tensor din,
                           sac_tensor dhidden, sac_tensor in, const gradients *s)
{
    const sac_activation f = l->gate.w ? r->activation : SAC_SILU;
    two_layers two;
    split_gate_and_up(l, &two);
    assert(l->gate.w || !l->in.w->gradient.buffer); /* halves of one matrix are not trained */
    dense(pass, s->before, in, &two.gate);
    dense(pass, s->gated, in, &two.up);
    sac_multiply(pass, s->gated, dhidden);
    sac_activate_backward(pass, s->gated, s->before, f);
    dense_backward(pass, din, s->gated, in, &two.gate);
    sac_activate(pass, s->before, f);
    sac_multiply(pass, s->before, dhidden);
    dense_backward(pass, din, s->before, in, &two.up);
}

/* dresult → din, added to. */
static void feed_forward_backward(sac_pass *pass, const layer *l, const run *r, sac_tensor din,
                                  sac_tensor in, const tensors *t, const gradients *s)
{
    sac_tensor dhidden = front_rows(s->dhidden, t->hidden), dresult = front_rows(s->dresult, in);
    if (l->experts) {
        sac_experts_backward(pass, l->experts, r->activation, din, dresult, in, &t->experts,
                             &s->experts);
        return;
    }
    sac_linear_backward_weights(pass, dresult, t->hidden, l->out.w, l->out.b);
    sac_linear_backward_input(pass, dhidden, dresult, l->out.w);
    if (is_gated(l)) {
        gates_backward(pass, l, r, din, dhidden, in, s);
        return;
    }
    if (r->activation == SAC_RELU)
        sac_relu_backward(pass, dhidden, t->hidden);
    else {
        const bool kept = keeps_inactive(l, r);
        if (!kept)
            dense(pass, s->before, in, &l->in);
        sac_activate_backward(pass, dhidden, kept ? t->joined : s->before, r->activation);
    }
    dense_backward(pass, din, dhidden, in, &l->in);
}

/* What the part gave before it was normed, once more. */
static sac_tensor recompute_part_output(sac_pass *pass, const layer *l, int part, const tensors *t,
                                        const gradients *s)
{
    const bool is_forward = part == SAC_PART_FORWARD;
    sac_tensor given = front_rows(s->raw, t->sum[part]);
    dense(pass, given, is_forward ? t->hidden : t->attention[part].heads,
          is_forward ? &l->out : &l->attention[part].out);
    return given;
}

/* The input of `part` before its norm: the output of the part before it. */
static sac_tensor input_of(const layer *l, const run *r, int part, sac_tensor x, const tensors *t)
{
    for (int before = SAC_PART_SELF; before < part && !r->parallel; before = next_part(l, before))
        x = r->norm_first ? t->sum[before] : t->normed[before];
    return x;
}

/* d: the gradient of what the part gives becomes that of its x. */
static void part_backward(sac_pass *pass, const layer *l, const run *r, int part, sac_tensor d,
                          sac_tensor dmemory, sac_tensor x, sac_tensor memory, const tensors *t,
                          const gradients *s)
{
    sac_dropout dropout = dropout_of(r, part);
    bool is_self = part == SAC_PART_SELF, is_normed = r->norm_first && l->norm[part].gain;
    sac_tensor in = is_normed ? t->normed[part] : x, dresult = front_rows(s->dresult, d);
    sac_tensor din = r->norm_first ? front_rows(s->dnormed, d) : d;
    if (r->norm_first)
        sac_pass_fill(pass, din, 0);
    else
        sac_layer_norm_backward(pass, &l->norm[part], d, t->sum[part]);
    sac_dropout_run(pass, &dropout, dresult, r->parallel ? s->dentered : d);
    if (l->scale[part])
        sac_scale_columns(pass, dresult, l->scale[part]->value);
    if (l->after[part].gain)
        sac_layer_norm_backward(pass, &l->after[part], dresult,
                                recompute_part_output(pass, l, part, t, s));
    if (part == SAC_PART_FORWARD)
        feed_forward_backward(pass, l, r, din, in, t, s);
    else
        attend_backward(pass, l, r, part, din, is_self ? din : dmemory, in, is_self ? in : memory,
                        t, s);
    if (is_normed)
        sac_layer_norm_backward(pass, &l->norm[part], din, x);
    if (r->norm_first)
        sac_add(pass, d, din);
}

/* dy: the gradient of what leaves the layer becomes that of what leaves its last part. */
static void unfinish_layer(sac_pass *pass, const layer *l, const run *r, sac_tensor dy,
                           const tensors *t, const gradients *s)
{
    if (l->times != 0 && l->times != 1)
        sac_scale(pass, dy, l->times);
    if (!l->words_in.w)
        return;
    sac_tensor dleft = front_rows(s->dresult, dy), raw = front_rows(s->raw, dy);
    dense(pass, raw, t->opened, &l->words_out);
    sac_pass_copy(pass, dleft, dy);
    sac_layer_norm_backward(pass, &l->words_norm, dleft, raw);
    sac_linear_backward_input(pass, s->dopened, dleft, l->words_out.w);
    sac_multiply(pass, s->dopened, r->words);
    dense(pass, s->opening, t->sum[SAC_PART_FORWARD], &l->words_in);
    sac_activate_backward(pass, s->dopened, s->opening, r->activation);
    sac_linear_backward_add(pass, dy, s->dopened, l->words_in.w);
}

void sac_transformer_layer_backward(sac_pass *pass, const layer *l, const run *r, sac_tensor dy,
                                    sac_tensor dmemory, sac_tensor x, sac_tensor memory,
                                    const tensors *t, const gradients *s)
{
    assert(!(l->experts && l->after[SAC_PART_FORWARD].gain));
    assert(!l->space.in.w && l->gate_times == 0);
    assert(!r->head_scale[SAC_PART_SELF].buffer && !r->head_scale[SAC_PART_CROSS].buffer);
    unfinish_layer(pass, l, r, dy, t, s);
    if (r->parallel)
        sac_pass_copy(pass, s->dentered, dy);
    for (int part = SAC_PART_FORWARD; part >= SAC_PART_SELF; part--)
        if (part != SAC_PART_CROSS || l->attention[part].query.w)
            part_backward(pass, l, r, part, dy, dmemory, input_of(l, r, part, x, t), memory, t, s);
}
