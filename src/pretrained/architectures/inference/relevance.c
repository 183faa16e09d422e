/* Relevance (Chefer et al. 2021, arXiv 2103.15679): the gradient of one number, a logit, goes back
 * through the layers, and each head's attention is multiplied by the gradient of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/inference/token_relevance.h"
#include "base/cancel.h"
#include "base/error.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"

/* The backward pass through one model. */
typedef struct backward_pass {
    sac_pretrained_model *m;
    const sac_inference *p;
    const float *states; /* [layers + 1,T,D] */
    sac_arena arena;
    sac_position_ids placing;
    sac_transformer_tensors own;
    sac_transformer_gradients gradients;
    sac_tensor x, d, sum;  /* [T,D] */
    float *heads, *values; /* [T,H·d] the gradient of what heads give, [T,Hk·d]; host */
    float *head;           /* [T,T], host */
} backward_pass;

const char *sac_relevance_why_not(const float *scale)
{
    return scale ? "some heads are scaled" : NULL;
}

static const char *why_not(const sac_inference *p)
{
    if (!p->model->layers)
        return "it has no layers of attention";
    const char *why = sac_relevance_why_not(p->scale);
    return why || !p->windows ? why : "no gradient goes through the windows of its stages";
}

/* ---------------------------------------------------------------- one layer */

static void shape(backward_pass *w)
{
    sac_pass *pass = &w->m->pass;
    const size_t T = w->p->count;
    sac_architecture_place(w->m, &w->arena, &w->placing, 0, T, T, w->p);
    sac_arena_shape(&w->arena, pass, &w->x, T, w->m->width);
    sac_arena_shape(&w->arena, pass, &w->d, T, w->m->width);
}

/* Layer `i` forward once more, with all that it makes on the way, and back: w->d, the gradient of what
 * leaves the layer, becomes that of what enters it. With `dleft` [T,D], the gradient of what leaves the
 * model, it is the last one. */
static void go_through(backward_pass *w, int i, const float *dleft)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const sac_transformer_layer *l = &m->layer[i];
    const size_t T = w->p->count;
    const sac_tensor none = {0};
    sac_architecture_place_layer(m, &w->arena, &w->placing, 0, w->p);
    if (i > 0)
        sac_architecture_place_layer(m, &w->arena, &w->placing, i, w->p);
    const sac_transformer_run run = sac_pretrained_model_run(m, i, &w->placing);
    sac_transformer_layer_shape(pass, &w->arena, l, &run, T, 0, &w->own);
    sac_transformer_layer_shape_gradients(pass, &w->arena, l, &run, T, 0, &w->gradients);
    sac_pass_write(pass, w->x, w->states + (size_t)i * T * m->width);
    const sac_tensor y = sac_transformer_layer_forward(pass, l, &run, w->x, none, &w->own);
    if (dleft)
        sac_pass_write(pass, w->d, dleft);
    if (i == 0 && m->widened.w) { /* what entered has no attention behind it */
        sac_arena_shape(&w->arena, pass, &w->sum, T, m->width);
        sac_inference_widen(w->p, &w->arena, w->sum);
        sac_add(pass, w->sum, y);
        sac_layer_norm_backward(pass, &m->widen_norm, w->d, w->sum);
    }
    if (dleft && m->last_norm.gain)
        sac_layer_norm_backward(pass, &m->last_norm, w->d, y);
    sac_transformer_layer_backward(pass, l, &run, w->d, none, w->x, none, &w->own, &w->gradients);
    sac_pass_read(pass, w->gradients.dheads, w->heads);
    sac_pass_read(pass, w->own.attention[SAC_PART_SELF].value, w->values);
}

/* map [T,T]: the mean over the heads of attention times its gradient, above 0. A weight's gradient is
 * that of its query's head by the value of its key. */
static sac_status multiply(backward_pass *w, int layer, float *map, sac_error *error)
{
    const sac_pretrained_model *m = w->m;
    const size_t T = w->p->count, H = (size_t)m->run.heads, all = w->gradients.dheads.width,
                 keys = w->own.attention[SAC_PART_SELF].value.width, depth = all / H,
                 shared = all / keys;
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

static sac_status go_back_one(backward_pass *w, int layer, const float *dleft, sac_error *error)
{
    sac_pretrained_model *m = w->m;
    sac_status status = sac_cancel_check(m->name, error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(m->device);
    if (dleft)
        shape(w);
    go_through(w, layer, dleft);
    status = sac_pass_end(&m->pass, error);
    sac_device_unlock(m->device);
    return status;
}

sac_status sac_inference_backward(const sac_inference *p, const float *dleft, float *maps,
                                  sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const size_t T = p->count, asks = sac_architecture_part_width(m, 0),
                 keys = sac_architecture_part_width(m, 1);
    const char *why = why_not(p);
    if (why)
        return sac_fail(error, SAC_E_ARGUMENT, "relevance", "choose another reduction",
                        "is not known of %.60s: %s", m->name, why);
    float *states = malloc(((size_t)m->layers + 1) * T * m->width * sizeof *states);
    backward_pass w = {.m = m, .p = p, .states = states};
    w.heads = malloc(T * (asks + keys) * sizeof *w.heads);
    w.values = w.heads + T * asks;
    w.head = malloc(T * T * sizeof *w.head);
    sac_status status = states && w.heads && w.head ? sac_inference_states(p, states, error)
                                                    : sac_no_memory(error, m->name);
    for (int i = m->layers; i-- > 0 && status == SAC_OK;) {
        status = go_back_one(&w, i, i + 1 == m->layers ? dleft : NULL, error);
        if (status == SAC_OK)
            status = multiply(&w, i, maps + (size_t)i * T * T, error);
    }
    sac_device_lock(m->device);
    sac_arena_release(&w.arena);
    sac_device_unlock(m->device);
    free(states);
    free(w.heads);
    free(w.head);
    return status;
}

/* ---------------------------------------------------------------- the number */

/* The state [D] that classes are told by. */
static void pool_state(const sac_inference *p, float *state)
{
    const size_t D = p->model->width, T = p->model->classifier.is_of_mean ? p->count : 1;
    memset(state, 0, D * sizeof *state);
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < D; k++)
            state[k] += p->left[t * D + k] / (float)T;
}

/* The logits of the classes by the pooled state; or with `target` back, from that of its class to the
 * gradient [D] of that state, which `d` holds before. */
static void go_through_classifier(const sac_inference *p, sac_arena *arena, float *logits,
                                  const sac_logit *target, float *d)
{
    sac_pass *pass = &p->model->pass;
    const sac_classifier *c = &p->model->classifier;
    const size_t D = p->model->width;
    sac_ints id = {0};
    sac_tensor x = {0}, pooled = {0}, activated = {0}, normed = {0}, y = {0};
    sac_arena_shape(arena, pass, &x, 1, D);
    sac_arena_shape(arena, pass, &pooled, 1, D);
    sac_arena_shape(arena, pass, &activated, 1, D);
    sac_arena_shape(arena, pass, &normed, 1, D);
    sac_pass_write(pass, x, d);
    sac_pass_copy(pass, activated, x);
    if (c->pool.w) {
        sac_linear_forward(pass, pooled, x, c->pool.w, c->pool.b);
        sac_pass_copy(pass, activated, pooled);
        sac_activate(pass, activated, c->activated);
    }
    sac_pass_copy(pass, normed, activated);
    if (c->normed.gain)
        sac_layer_norm_forward(pass, &c->normed, normed, activated);
    if (!target) {
        sac_arena_shape(arena, pass, &y, 1, c->logits.w->shape[0]);
        sac_linear_forward(pass, y, normed, c->logits.w, c->logits.b);
        sac_pass_read(pass, y, logits);
        return;
    }
    sac_arena_shape_ints(arena, pass, &id, 1);
    sac_pass_write_ints(pass, id, &target->id);
    sac_embedding_forward(pass, normed, c->logits.w, id);
    if (c->normed.gain)
        sac_layer_norm_backward(pass, &c->normed, normed, activated);
    if (c->pool.w) {
        sac_activate_backward(pass, normed, pooled, c->activated);
        sac_linear_backward_input(pass, x, normed, c->pool.w);
    }
    sac_pass_read(pass, c->pool.w ? x : normed, d);
}

/* The most probable class, or next token. */
static sac_status find_target(const sac_inference *p, sac_logit *target, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const bool is_class = m->classifier.logits.w != NULL;
    const size_t count = is_class ? m->classifier.logits.w->shape[0] : m->vocabulary;
    float *classes = is_class ? malloc((count + m->width) * sizeof *classes) : NULL;
    const float *logits = is_class ? classes : p->next;
    sac_status status = is_class && !classes ? sac_no_memory(error, m->name) : SAC_OK;
    *target = (sac_logit){.kind = is_class ? SAC_LOGIT_CLASS : SAC_LOGIT_NEXT,
                          .at = is_class ? 0 : p->count - 1};
    if (status == SAC_OK && is_class) {
        sac_arena arena = {0};
        pool_state(p, classes + count);
        sac_device_lock(m->device);
        go_through_classifier(p, &arena, classes, NULL, classes + count);
        status = sac_pass_end(&m->pass, error);
        sac_arena_release(&arena);
        sac_device_unlock(m->device);
    }
    for (size_t i = 1; i < count && status == SAC_OK; i++)
        target->id = logits[i] > logits[target->id] ? (int)i : target->id;
    target->logit = status == SAC_OK ? logits[target->id] : 0;
    free(classes);
    return status;
}

/* dleft of that logit: all else is 0. */
static sac_status begin_logit(const sac_inference *p, sac_logit *target, float *dleft,
                              sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_arena arena = {0};
    sac_status status = find_target(p, target, error);
    if (status != SAC_OK)
        return status;
    float *d = dleft + target->at * m->width;
    if (target->kind == SAC_LOGIT_NEXT)
        return sac_logit_gradients(m, 1, &target->id, p->left + target->at * m->width, d, error);
    pool_state(p, d);
    sac_device_lock(m->device);
    go_through_classifier(p, &arena, NULL, target, d);
    status = sac_pass_end(&m->pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    if (m->classifier.is_of_mean) /* each state has its share of their mean */
        for (size_t i = p->count * m->width; i-- > 0;)
            dleft[i] = d[i % m->width] / (float)p->count;
    return status;
}

/* dleft of half the squared length of the mean of all states: the mean, by their number. */
static void begin_mean(const sac_inference *p, sac_logit *target, float *dleft)
{
    const size_t T = p->count, D = p->model->width;
    double squares = 0;
    for (size_t k = 0; k < D; k++) {
        double mean = 0;
        for (size_t t = 0; t < T; t++)
            mean += (double)p->left[t * D + k] / (double)T;
        for (size_t t = 0; t < T; t++)
            dleft[t * D + k] = (float)(mean / (double)T);
        squares += mean * mean;
    }
    *target = (sac_logit){.kind = SAC_LOGIT_MEAN, .logit = (float)(squares / 2)};
}

sac_status sac_inference_relevance(const sac_inference *p, sac_logit *target, float *maps,
                                   sac_error *error)
{
    const sac_pretrained_model *m = p->model;
    float *dleft = calloc(p->count * m->width, sizeof *dleft);
    sac_status status = dleft ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK && (p->next || m->classifier.logits.w))
        status = begin_logit(p, target, dleft, error);
    else if (status == SAC_OK)
        begin_mean(p, target, dleft);
    if (status == SAC_OK)
        status = sac_inference_backward(p, dleft, maps, error);
    free(dleft);
    return status;
}

bool sac_inference_has_relevance(const sac_inference *p)
{
    return !why_not(p);
}
