/* Relevance of patches and of words for the logit of a picture and a phrase, as Chefer et al. 2021
 * (arXiv 2103.15679) have it of CLIP: the gradient goes back through the one that sees and through the
 * one that reads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/inference/likeness_relevance.h"
#include "architectures/inference/relevance.h"
#include "base/error.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"

/* What is compared, y [P], and what it was made of; those of SigLIP's picture from `found` on. */
typedef struct whole {
    sac_pretrained_model *m;
    sac_arena arena;
    sac_tensor x, normed, y, dy, dx;                  /* [1,D], [1,P]; of SigLIP x and dx [N,D] */
    sac_attention_tensors attention;                  /* of the query that was trained */
    sac_attention_layer_gradients gradients;          /* of that */
    sac_tensor found, added, hidden, before, dhidden; /* [1,D], [1,D], [1,F] */
} whole;

/* dy ← the gradient of e^scale · cosine(y, other) by y; `other` [P] has length 1. */
static void of_cosine(whole *w, const float *other)
{
    const size_t P = w->m->shared.width;
    const double scale = exp((double)w->m->shared.scale);
    float *y = malloc(P * sizeof *y);
    double length = 0, cosine = 0;
    if (!y)
        SAC_PASS_CALL(&w->m->pass, sac_no_memory(&w->m->pass.error, w->m->name));
    if (y)
        sac_pass_read(&w->m->pass, w->y, y);
    for (size_t i = 0; y && i < P; i++)
        length += (double)y[i] * (double)y[i];
    length = sqrt(length);
    for (size_t i = 0; y && i < P; i++)
        cosine += (double)y[i] * (double)other[i] / length;
    for (size_t i = 0; y && i < P; i++)
        y[i] = (float)(scale * ((double)other[i] - cosine * (double)y[i] / length) / length);
    if (y)
        sac_pass_write(&w->m->pass, w->dy, y);
    free(y);
}

static void shape(whole *w, size_t rows, size_t width)
{
    sac_pass *pass = &w->m->pass;
    sac_tensor *const compared[] = {&w->y, &w->dy}, *const entered[] = {&w->x, &w->dx, &w->normed};
    for (size_t i = 0; i < 2; i++)
        sac_arena_shape(&w->arena, pass, compared[i], 1, w->m->shared.width);
    for (size_t i = 0; i < 3; i++)
        sac_arena_shape(&w->arena, pass, entered[i], rows, width);
}

/* ---------------------------------------------------------------- CLIP's class token, and texts */

/* y = project(norm(x)), and back; norm NULL: there is none. */
static void go_through_projection(whole *w, const sac_layer_norm *norm, const sac_dense *project,
                                  const float *other)
{
    sac_pass *pass = &w->m->pass;
    sac_tensor in = w->x;
    if (norm) {
        sac_layer_norm_forward(pass, norm, w->normed, w->x);
        in = w->normed;
    }
    sac_linear_forward(pass, w->y, in, project->w, project->b);
    of_cosine(w, other);
    sac_linear_backward_input(pass, w->dx, w->dy, project->w);
    if (norm)
        sac_layer_norm_backward(pass, norm, w->dx, w->x);
}

/* ---------------------------------------------------------------- SigLIP's picture */

static void shape_probe(whole *w)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const size_t D = m->width, N = w->x.rows;
    sac_attention_tensors *t = &w->attention;
    sac_attention_layer_gradients *g = &w->gradients;
    sac_tensor *const single[] = {&t->query, &t->output, &g->dquery, &g->doutput,
                                  &w->found, &w->added,  &w->normed};
    sac_tensor *const each[] = {&t->key, &t->value, &g->dkey, &g->dvalue};
    sac_tensor *const wide[] = {&w->hidden, &w->before, &w->dhidden};
    w->normed = (sac_tensor){0};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        sac_arena_shape(&w->arena, pass, single[i], 1, D);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        sac_arena_shape(&w->arena, pass, each[i], N, D);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        sac_arena_shape(&w->arena, pass, wide[i], 1, m->hidden);
    sac_arena_shape(&w->arena, pass, &t->stats, (size_t)m->run.heads, 2);
}

/* y = a + down(f(up(norm(a)))), a what the trained query finds in x; and back. */
static void go_through_probe(whole *w, const float *other)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const sac_shared_space *s = &m->shared;
    const sac_multihead *p = &s->pooling;
    const sac_attention_layer layer = {.spec = {.heads = m->run.heads}, .batch = 1};
    const sac_attention_tensors *t = &w->attention;
    sac_linear_forward(pass, t->query, s->probe->value, p->query.w, p->query.b);
    sac_linear_forward(pass, t->key, w->x, p->key.w, p->key.b);
    sac_linear_forward(pass, t->value, w->x, p->value.w, p->value.b);
    sac_attention_layer_forward(pass, &layer, t);
    sac_linear_forward(pass, w->found, t->output, p->out.w, p->out.b);
    sac_layer_norm_forward(pass, &s->norm, w->normed, w->found);
    sac_linear_forward(pass, w->before, w->normed, s->up.w, s->up.b);
    sac_pass_copy(pass, w->hidden, w->before);
    sac_activate(pass, w->hidden, m->run.activation);
    sac_linear_forward(pass, w->y, w->hidden, s->down.w, s->down.b);
    sac_add(pass, w->y, w->found);
    of_cosine(w, other);
    sac_linear_backward_input(pass, w->dhidden, w->dy, s->down.w);
    sac_activate_backward(pass, w->dhidden, w->before, m->run.activation);
    sac_linear_backward_input(pass, w->added, w->dhidden, s->up.w);
    sac_layer_norm_backward(pass, &s->norm, w->added, w->found);
    sac_add(pass, w->dy, w->added);
    sac_linear_backward_input(pass, w->gradients.doutput, w->dy, p->out.w);
    sac_attention_layer_backward(pass, &layer, t, &w->gradients);
    sac_linear_backward_input(pass, w->dx, w->gradients.dkey, p->key.w);
    sac_linear_backward_add(pass, w->dx, w->gradients.dvalue, p->value.w);
}

/* row [N]: of the trained query, the mean over its heads of attention times its gradient, above 0. */
static sac_status probe_row(whole *w, float *row, sac_error *error)
{
    sac_pretrained_model *m = w->m;
    const size_t D = m->width, N = w->x.rows, H = (size_t)m->run.heads, d = D / H;
    float *numbers = malloc((2 * N + 2) * D * sizeof *numbers), *a = malloc(N * sizeof *a);
    float *query = numbers, *doutput = numbers + D, *key = doutput + D, *value = key + N * D;
    sac_status status = numbers && a ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        sac_pass_read(&m->pass, w->attention.query, query);
        sac_pass_read(&m->pass, w->gradients.doutput, doutput);
        sac_pass_read(&m->pass, w->attention.key, key);
        sac_pass_read(&m->pass, w->attention.value, value);
        status = sac_pass_end(&m->pass, error);
        memset(row, 0, N * sizeof *row);
    }
    for (size_t h = 0; h < H && status == SAC_OK; h++) {
        double most = -INFINITY, sum = 0;
        for (size_t n = 0; n < N; n++) {
            double score = 0;
            for (size_t k = h * d; k < (h + 1) * d; k++)
                score += (double)query[k] * (double)key[n * D + k];
            a[n] = (float)(score / sqrt((double)d));
            most = fmax(most, (double)a[n]);
        }
        for (size_t n = 0; n < N; n++)
            sum += exp((double)a[n] - most);
        for (size_t n = 0; n < N; n++) {
            double gradient = 0;
            for (size_t k = h * d; k < (h + 1) * d; k++)
                gradient += (double)doutput[k] * (double)value[n * D + k];
            row[n] += (float)(fmax(exp((double)a[n] - most) / sum * gradient, 0) / (double)H);
        }
    }
    free(numbers);
    free(a);
    return status;
}

/* ---------------------------------------------------------------- down through the layers */

/* row [T] ← row (I + E_L) … (I + E_1), of the maps that dleft gives. */
static sac_status go_down(const sac_inference *p, const float *dleft, float *row, sac_error *error)
{
    const size_t T = p->count, layers = (size_t)p->model->layers;
    float *maps = malloc(layers * T * T * sizeof *maps), *next = malloc(T * sizeof *next);
    sac_status status = maps && next ? sac_inference_backward(p, dleft, maps, error)
                                     : sac_no_memory(error, p->model->name);
    for (size_t l = layers; l-- > 0 && status == SAC_OK;) {
        memcpy(next, row, T * sizeof *next);
        for (size_t i = 0; i < T * T; i++)
            next[i % T] += row[i / T] * maps[l * T * T + i];
        memcpy(row, next, T * sizeof *next);
    }
    free(maps);
    free(next);
    return status;
}

/* What token `at` has from others, brought to a sum of 1; `at` T: it is none of them. */
static void bring_to_1(float *row, size_t T, size_t at)
{
    double sum = 0;
    if (at < T)
        row[at] = 0;
    for (size_t i = 0; i < T; i++)
        sum += (double)row[i];
    for (size_t i = 0; i < T && sum > 0; i++)
        row[i] = (float)((double)row[i] / sum);
}

sac_status sac_inference_patches_for(const sac_inference *p, const float *phrase, float *row,
                                     sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const sac_shared_space *s = &m->shared;
    const size_t T = p->count, D = m->width;
    whole w = {.m = m};
    float *dleft = calloc(T * D, sizeof *dleft);
    if (!dleft)
        return sac_no_memory(error, m->name);
    memset(row, 0, T * sizeof *row);
    sac_device_lock(m->device);
    shape(&w, s->probe ? T : 1, D);
    sac_pass_write(&m->pass, w.x, p->left);
    if (s->probe) {
        shape_probe(&w);
        go_through_probe(&w, phrase);
    } else {
        go_through_projection(&w, &s->norm, &s->seen, phrase);
        row[0] = 1;
    }
    sac_pass_read(&m->pass, w.dx, dleft);
    sac_status status = sac_pass_end(&m->pass, error);
    if (status == SAC_OK && s->probe)
        status = probe_row(&w, row, error);
    sac_arena_release(&w.arena);
    sac_device_unlock(m->device);
    if (status == SAC_OK)
        status = go_down(p, dleft, row, error);
    if (status == SAC_OK)
        bring_to_1(row, T, s->probe ? T : 0);
    free(dleft);
    return status;
}

sac_status sac_inference_words_for(const sac_inference *p, const sac_inference *text, size_t at,
                                   const float *seen, float *row, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const size_t T = text->count, D = text->model->width;
    whole w = {.m = m};
    float *dleft = calloc(T * D, sizeof *dleft);
    if (!dleft)
        return sac_no_memory(error, m->name);
    memset(row, 0, T * sizeof *row);
    row[at] = 1;
    sac_device_lock(m->device);
    shape(&w, 1, D);
    sac_pass_write(&m->pass, w.x, text->left + at * D);
    go_through_projection(&w, NULL, &m->shared.read, seen);
    sac_pass_read(&m->pass, w.dx, dleft + at * D);
    sac_status status = sac_pass_end(&m->pass, error);
    sac_arena_release(&w.arena);
    sac_device_unlock(m->device);
    if (status == SAC_OK)
        status = go_down(text, dleft, row, error);
    if (status == SAC_OK)
        bring_to_1(row, T, at);
    free(dleft);
    return status;
}
