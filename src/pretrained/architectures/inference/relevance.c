/* Relevance (Chefer et al. 2021, arXiv 2103.15679): the gradient of one logit goes back through the
 * layers, and each head's attention is multiplied by the gradient of it. Of layers with a norm before
 * each part and positions that were added to words: what else there is, no gradient knows here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/cancel.h"
#include "base/error.h"
#include "nn/attention.h"
#include "nn/layers.h"

#define PI 3.14159265358979323846

/* The backward pass through one model. */
typedef struct way_back {
    sac_pretrained_model *m;
    const sac_inference *p;
    const float *states; /* [layers + 1,T,D] */
    sac_arena arena;
    sac_placing placing;
    sac_transformer_tensors own;
    sac_tensor x, d, dresult, dnormed; /* [T,D] */
    sac_tensor dheads, dquery;         /* [T,H·d] */
    sac_tensor dkey, dvalue;           /* [T,Hk·d] */
    sac_tensor before, dhidden;        /* [T,F]: of the feed-forward part, before it is activated */
    float *wide, *dwide;               /* [T,F], host */
    float *heads, *values;             /* [T,H·d], [T,Hk·d], host */
    float *head;                       /* [T,T], host */
} way_back;

/* ---------------------------------------------------------------- what can be gone back through */

static bool has_slope(sac_activation a)
{
    return a == SAC_GELU || a == SAC_GELU_TANH || a == SAC_RELU || a == SAC_SILU ||
           a == SAC_QUICK_GELU || a == SAC_LINEAR;
}

static double slope(sac_activation a, double x)
{
    double s = 1 / (1 + exp(-x)), fast = 1 / (1 + exp(-1.702 * x));
    double t = tanh(sqrt(2 / PI) * (x + 0.044715 * x * x * x));
    switch (a) {
    case SAC_GELU:
        return 0.5 * (1 + erf(x / sqrt(2))) + x * exp(-x * x / 2) / sqrt(2 * PI);
    case SAC_GELU_TANH:
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * sqrt(2 / PI) * (1 + 3 * 0.044715 * x * x);
    case SAC_SILU:
        return s * (1 + x * (1 - s));
    case SAC_QUICK_GELU:
        return fast * (1 + 1.702 * x * (1 - fast));
    case SAC_RELU:
        return x > 0;
    default:
        return 1;
    }
}

/* Why there is no gradient here; NULL: there is. */
static const char *why_not(const sac_inference *p)
{
    const sac_pretrained_model *m = p->model;
    if (!m->layers)
        return "it has no layers of attention";
    if (!(p->next || m->classifier.w))
        return "it says no class and no next token, whose logit there could be a gradient of";
    if (p->scale)
        return "some heads are scaled";
    if (p->windows || !m->run.norm_first || m->run.parallel || m->rope.rotary.depth ||
        m->local_rope.rotary.depth || m->turns_patches || m->has_biases || m->logit_cap > 0 ||
        m->narrowing.w || m->projection.w || !m->last_norm.gain || !m->last_norm.bias)
        return "gradients go through layers that have a norm before each part and positions that "
               "are "
               "added to words";
    for (int i = 0; i < m->layers; i++) {
        const sac_transformer_layer *l = &m->layer[i];
        const sac_dense *const all[] = {&l->attention[SAC_PART_SELF].query,
                                        &l->attention[SAC_PART_SELF].key,
                                        &l->attention[SAC_PART_SELF].value,
                                        &l->attention[SAC_PART_SELF].out,
                                        &l->in,
                                        &l->out};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (!all[k]->w)
                return "no gradient is known of its layers";
            else if (all[k]->w->value.stored != SAC_STORED_F32)
                return "its weights are not float32";
        if (l->gate.w || l->in.w->value.rows != l->out.w->value.width ||
            !has_slope(m->run.activation))
            return "no gradient is known of its feed-forward networks";
        if (l->sinks || l->query_norm.gain || l->key_norm.gain || l->after[SAC_PART_SELF].gain ||
            !l->norm[SAC_PART_SELF].bias || !l->norm[SAC_PART_FORWARD].bias)
            return "no gradient is known of its norms";
    }
    return NULL;
}

/* ---------------------------------------------------------------- one layer */

static void shape(way_back *w)
{
    const sac_pretrained_model *m = w->m;
    sac_pass *pass = &w->m->pass;
    const sac_transformer_layer *l = &m->layer[0];
    const size_t T = w->p->count, asks = l->attention[SAC_PART_SELF].query.w->shape[0],
                 keys = l->attention[SAC_PART_SELF].key.w->shape[0], F = l->out.w->value.width;
    sac_tensor *const narrow[] = {&w->x, &w->d, &w->dresult, &w->dnormed};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        sac_arena_shape(&w->arena, pass, narrow[i], T, m->width);
    sac_arena_shape(&w->arena, pass, &w->dheads, T, asks);
    sac_arena_shape(&w->arena, pass, &w->dquery, T, asks);
    sac_arena_shape(&w->arena, pass, &w->dkey, T, keys);
    sac_arena_shape(&w->arena, pass, &w->dvalue, T, keys);
    sac_arena_shape(&w->arena, pass, &w->before, T, F);
    sac_arena_shape(&w->arena, pass, &w->dhidden, T, F);
    sac_transformer_layer_shape(pass, &w->arena, l, &m->run, T, 0, &w->own);
}

/* Layer `i` once more, with all that it makes on the way; returns what leaves it. */
static sac_tensor go_through(way_back *w, int i)
{
    sac_pass *pass = &w->m->pass;
    const sac_transformer_run run = sac_pretrained_model_run(w->m, i, &w->placing);
    sac_pass_write(pass, w->x, w->states + (size_t)i * w->p->count * w->m->width);
    return sac_transformer_layer_forward(pass, &w->m->layer[i], &run, w->x, (sac_tensor){0},
                                         &w->own);
}

/* What a part gives has this gradient, in w->dresult. */
static void enter_part(way_back *w, const sac_transformer_layer *l, int part)
{
    sac_pass_copy(&w->m->pass, w->dresult, w->d);
    if (l->scale[part])
        sac_scale_columns(&w->m->pass, w->dresult, l->scale[part]->value);
}

/* w->dnormed, of the norm of x, joins w->d. */
static void leave_part(way_back *w, const sac_transformer_layer *l, int part, sac_tensor x)
{
    sac_layer_norm_backward(&w->m->pass, &l->norm[part], w->dnormed, x);
    sac_add(&w->m->pass, w->d, w->dnormed);
}

static void go_back_feed_forward(way_back *w, const sac_transformer_layer *l)
{
    sac_pass *pass = &w->m->pass;
    const size_t numbers = sac_tensor_count(w->dhidden);
    enter_part(w, l, SAC_PART_FORWARD);
    sac_linear_backward_input(pass, w->dhidden, w->dresult, l->out.w);
    sac_linear_forward(pass, w->before, w->own.normed[SAC_PART_FORWARD], l->in.w, l->in.b);
    sac_pass_read(pass, w->before, w->wide);
    sac_pass_read(pass, w->dhidden, w->dwide);
    for (size_t i = 0; i < numbers && sac_pass_runs(pass); i++)
        w->dwide[i] *= (float)slope(w->m->run.activation, (double)w->wide[i]);
    sac_pass_write(pass, w->dhidden, w->dwide);
    sac_linear_backward_input(pass, w->dnormed, w->dhidden, l->in.w);
    leave_part(w, l, SAC_PART_FORWARD, w->own.sum[SAC_PART_SELF]);
}

/* The gradient of what the heads give stays in w->heads, on the host. */
static void go_back_attention(way_back *w, int i)
{
    sac_pass *pass = &w->m->pass;
    const sac_transformer_layer *l = &w->m->layer[i];
    const sac_multihead *a = &l->attention[SAC_PART_SELF];
    const sac_multihead_tensors *t = &w->own.attention[SAC_PART_SELF];
    const sac_transformer_run run = sac_pretrained_model_run(w->m, i, &w->placing);
    const sac_attention_layer layer = {.spec = {.score = SAC_SCORE_SCALED_DOT,
                                                .use_scale = run.scale > 0,
                                                .scale = run.scale,
                                                .heads = run.heads,
                                                .key_heads = run.key_heads,
                                                .causal = run.causal,
                                                .window = run.window,
                                                .softcap = run.softcap},
                                       .batch = 1};
    const sac_attention_tensors tensors = {
        .query = t->query, .key = t->key, .value = t->value, .output = t->heads, .stats = t->stats};
    const sac_attention_layer_gradients gradients = {
        .doutput = w->dheads, .dquery = w->dquery, .dkey = w->dkey, .dvalue = w->dvalue};
    enter_part(w, l, SAC_PART_SELF);
    sac_linear_backward_input(pass, w->dheads, w->dresult, a->out.w);
    sac_pass_read(pass, w->dheads, w->heads);
    sac_pass_read(pass, t->value, w->values);
    sac_attention_layer_backward(pass, &layer, &tensors, &gradients);
    sac_linear_backward_input(pass, w->dnormed, w->dquery, a->query.w);
    sac_linear_backward_add(pass, w->dnormed, w->dkey, a->key.w);
    sac_linear_backward_add(pass, w->dnormed, w->dvalue, a->value.w);
    leave_part(w, l, SAC_PART_SELF, w->x);
}

/* map [T,T]: the mean over the heads of attention times its gradient, above 0. A weight's gradient is
 * that of its query's head by the value of its key. */
static sac_status multiply(way_back *w, int layer, float *map, sac_error *error)
{
    const sac_pretrained_model *m = w->m;
    const size_t T = w->p->count, H = (size_t)m->run.heads, all = w->dheads.width,
                 keys = w->dvalue.width, depth = all / H, shared = H * depth / keys;
    sac_attention *attention = NULL;
    sac_status status = sac_inference_attention(w->p, layer, &attention, error);
    memset(map, 0, T * T * sizeof *map);
    for (size_t h = 0; h < H && status == SAC_OK; h++) {
        const sac_tile tile = {.head = h, .rows = T, .cols = T};
        status = sac_attention_tile(attention, &tile, w->head, error);
        for (size_t i = 0; i < T * T && status == SAC_OK; i++) {
            const float *d = w->heads + i / T * all + h * depth;
            const float *value = w->values + i % T * keys + h / shared * depth;
            float gradient = 0;
            for (size_t k = 0; w->head[i] != 0 && k < depth; k++)
                gradient += d[k] * value[k];
            map[i] += fmaxf(w->head[i] * gradient, 0) / (float)H;
        }
    }
    sac_attention_destroy(attention);
    return status;
}

/* ---------------------------------------------------------------- the logit */

/* The most probable class, or next token. */
static sac_status find_target(const sac_inference *p, sac_logit *target, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const sac_parameter *w = m->classifier.w;
    const size_t count = w ? w->shape[0] : m->vocabulary;
    sac_status status = SAC_OK;
    float *logits = p->next;
    *target = (sac_logit){.is_class = w != NULL, .at = w ? 0 : p->count - 1};
    if (w) {
        sac_arena arena = {0};
        sac_tensor x = {0}, y = {0};
        logits = malloc(count * sizeof *logits);
        if (!logits)
            return sac_no_memory(error, m->name);
        sac_device_lock(m->device);
        sac_arena_shape(&arena, &m->pass, &x, 1, m->width);
        sac_arena_shape(&arena, &m->pass, &y, 1, count);
        sac_pass_write(&m->pass, x, p->left);
        sac_linear_forward(&m->pass, y, x, w, m->classifier.b);
        sac_pass_read(&m->pass, y, logits);
        status = sac_pass_end(&m->pass, error);
        sac_arena_release(&arena);
        sac_device_unlock(m->device);
    }
    for (size_t i = 1; i < count && status == SAC_OK; i++)
        target->id = logits[i] > logits[target->id] ? (int)i : target->id;
    target->logit = status == SAC_OK ? logits[target->id] : 0;
    if (w)
        free(logits);
    return status;
}

/* The gradient of what leaves the last layer, in w->d. */
static void begin(way_back *w, const sac_logit *target)
{
    sac_pretrained_model *m = w->m;
    const sac_parameter *head = m->classifier.w ? m->classifier.w : m->head ? m->head : m->words;
    sac_ints id = {0};
    const sac_tensor y = go_through(w, m->layers - 1);
    sac_arena_shape_ints(&w->arena, &m->pass, &id, 1);
    sac_pass_write_ints(&m->pass, id, &target->id);
    sac_pass_fill(&m->pass, w->d, 0);
    sac_embedding_forward(&m->pass, sac_tensor_rows(w->d, target->at, 1), head, id);
    sac_layer_norm_backward(&m->pass, &m->last_norm, w->d, y);
}

static sac_status allocate(way_back *w, sac_error *error)
{
    const sac_transformer_layer *l = &w->m->layer[0];
    const size_t T = w->p->count, F = l->out.w->value.width,
                 asks = l->attention[SAC_PART_SELF].query.w->shape[0],
                 keys = l->attention[SAC_PART_SELF].key.w->shape[0];
    w->wide = malloc(2 * T * F * sizeof *w->wide);
    w->dwide = w->wide + T * F;
    w->heads = malloc(T * (asks + keys) * sizeof *w->heads);
    w->values = w->heads + T * asks;
    w->head = malloc(T * T * sizeof *w->head);
    return w->wide && w->heads && w->head ? SAC_OK : sac_no_memory(error, w->m->name);
}

static sac_status go_back(way_back *w, const sac_logit *target, int layer, sac_error *error)
{
    sac_pretrained_model *m = w->m;
    sac_status status = sac_cancel_check(m->name, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(m->device);
    if (layer + 1 == m->layers) {
        shape(w);
        begin(w, target);
    } else
        go_through(w, layer);
    go_back_feed_forward(w, &m->layer[layer]);
    go_back_attention(w, layer);
    status = sac_pass_end(&m->pass, error);
    sac_device_unlock(m->device);
    return status;
}

sac_status sac_inference_relevance(const sac_inference *p, sac_logit *target, float *maps,
                                   sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const size_t T = p->count, numbers = ((size_t)m->layers + 1) * T * m->width;
    const char *why = why_not(p);
    if (why)
        return sac_fail(error, SAC_E_ARGUMENT, "relevance", "choose another reduction",
                        "is not known of %.60s: %s", m->name, why);
    float *states = malloc(numbers * sizeof *states);
    way_back w = {.m = m, .p = p, .states = states};
    sac_status status = states ? allocate(&w, error) : sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = sac_inference_states(p, states, error);
    if (status == SAC_OK)
        status = find_target(p, target, error);
    for (int i = m->layers; i-- > 0 && status == SAC_OK;) {
        status = go_back(&w, target, i, error);
        if (status == SAC_OK)
            status = multiply(&w, i, maps + (size_t)i * T * T, error);
    }
    sac_device_lock(m->device);
    sac_arena_release(&w.arena);
    sac_device_unlock(m->device);
    free(states);
    free(w.wide);
    free(w.heads);
    free(w.head);
    return status;
}

bool sac_inference_has_relevance(const sac_inference *p)
{
    return !why_not(p);
}
