/* Boxes of what phrases name (OWL-ViT): each patch of a picture becomes a box around its own place, and a vector whose
 * cosine with a phrase, shifted and scaled by numbers of that patch, is the logit of the phrase. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/layers.h"

enum { MOST_BOXES = 300 }; /* of thousands of patches, the most probable */

bool sac_inference_finds_phrases(const sac_inference *p)
{
    return p->grid_w && p->model->detector.shift.w && sac_architecture_has_text_encoder(p->model);
}

/* What patches become, [N,·] each. */
typedef struct patches {
    size_t count, width;
    float *vector, *shift, *scale, *box, *thing;
} patches;

static void free_patches(patches *p)
{
    free(p->vector);
    free(p->shift);
    free(p->scale);
    free(p->box);
    free(p->thing);
}

/* x [N,D] ← each normed patch times the normed class token, which stands before them in all [1 + N,D]. */
static void merge_class_token(sac_pass *pass, const sac_detector *d, sac_tensor all, sac_tensor x)
{
    const size_t D = x.width;
    float *states = malloc(all.rows * D * sizeof *states);
    if (!states) {
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, "patches"));
        return;
    }
    sac_pass_read(pass, all, states);
    for (size_t i = D; i < all.rows * D; i++)
        states[i] *= states[i % D];
    sac_pass_write(pass, x, states + D);
    sac_layer_norm_forward(pass, &d->merged, x, x);
    free(states);
}

static sac_status read_patches(const sac_inference *p, patches *made, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    const sac_detector *d = &m->detector;
    const size_t N = p->count - (size_t)p->prefix, D = m->width, P = m->shared.width;
    const struct {
        sac_perceptron head;
        float **to;
    } heads[] = {{{.layer = {m->shared.seen}, .count = 1}, &made->vector},
                 {{.layer = {d->shift}, .count = 1}, &made->shift},
                 {{.layer = {d->scale}, .count = 1}, &made->scale},
                 {d->box, &made->box},
                 {d->thing, &made->thing}};
    sac_arena arena = {0};
    sac_tensor all = {0}, x = {0};
    *made = (patches){.count = N,
                      .width = P,
                      .vector = calloc(N * P, sizeof(float)),
                      .shift = calloc(N, sizeof(float)),
                      .scale = calloc(N, sizeof(float)),
                      .box = calloc(4 * N, sizeof(float)),
                      .thing = calloc(N, sizeof(float))};
    if (!made->vector || !made->shift || !made->scale || !made->box || !made->thing)
        return sac_no_memory(error, m->name);
    sac_device_lock(m->device);
    sac_arena_shape(&arena, pass, &all, p->count, D);
    sac_arena_shape(&arena, pass, &x, N, D);
    sac_pass_write(pass, all, p->left);
    sac_layer_norm_forward(pass, &m->shared.norm, all, all);
    merge_class_token(pass, d, all, x);
    for (size_t i = 0; i < sizeof heads / sizeof *heads && heads[i].head.count; i++)
        sac_pass_read(pass, sac_perceptron_forward(pass, &arena, x, &heads[i].head), *heads[i].to);
    return sac_model_end_pass(m, &arena, error);
}

/* ---------------------------------------------------------------- logits and boxes */

/* Cosines with the phrases [count,P], (cosine + shift) · (elu(scale) + 1), into logits [N,count]. */
static void compute_logits(const patches *p, const float *phrases, size_t count, float *logits)
{
    for (size_t n = 0; n < p->count; n++) {
        const float *v = p->vector + n * p->width;
        const double scale = (double)p->scale[n];
        double length = 0;
        for (size_t k = 0; k < p->width; k++)
            length += (double)v[k] * (double)v[k];
        length = sqrt(length) + 1e-6;
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (size_t k = 0; k < p->width; k++)
                sum += (double)v[k] * (double)phrases[i * p->width + k];
            logits[n * count + i] = (float)((sum / length + (double)p->shift[n]) *
                                            (scale > 0 ? scale + 1 : exp(scale)));
        }
    }
}

/* The logit of a share, which may be 0 or 1. */
static double logit_of_share(double x)
{
    x = x < 1 ? x : 1;
    return log(x + 1e-4) - log1p(-x + 1e-4);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* x0, y0, x1, y1 of patch `n`: its numbers are added to its place, and to the size of a patch. */
static void fill_box(const float *numbers, size_t n, size_t across, size_t down, float box[4])
{
    const double of[] = {(double)across, (double)down};
    const double place[] = {(double)(n % across + 1), (double)(n / across + 1)};
    for (int k = 0; k < 2; k++) {
        const double middle = sigmoid((double)numbers[k] + logit_of_share(place[k] / of[k]));
        const double size = sigmoid((double)numbers[2 + k] + logit_of_share(1 / of[k]));
        box[k] = (float)(middle - size / 2);
        box[2 + k] = (float)(middle + size / 2);
    }
}

/* ---------------------------------------------------------------- where patches look */

/* Adds the weights of patches `queries` [count] over all patches, of a head of a layer or of each (0), to rows. */
static sac_status add_layer(const sac_inference *p, int layer, int head, const int *queries,
                            size_t count, float share, float *rows, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const sac_tensor all = sac_inference_part(p, layer, 0);
    const size_t D = all.width, cells = p->count - (size_t)p->prefix;
    const sac_position_ids placing = {.temperature = p->temperature};
    const sac_transformer_run run = sac_pretrained_model_run_settings(m, layer, &placing);
    sac_multihead_tensors t = {.key = sac_inference_part(p, layer, 1),
                               .value = sac_inference_part(p, layer, 2)};
    const sac_tile tile = {.head = head ? (size_t)head - 1 : 0,
                           .rows = count,
                           .col = (size_t)p->prefix,
                           .cols = cells};
    sac_arena arena = {0};
    sac_attention *attention = NULL;
    sac_device_lock(m->device);
    sac_arena_shape(&arena, &m->pass, &t.query, count, D);
    for (size_t i = 0; i < count; i++)
        sac_pass_copy(&m->pass, sac_tensor_rows(t.query, i, 1),
                      sac_tensor_rows(all, (size_t)p->prefix + (size_t)queries[i], 1));
    sac_status status = sac_model_end_pass(m, NULL, error);
    if (status == SAC_OK)
        status = sac_inference_attention_from_tensors(p, layer, SAC_PART_SELF, &run, &t, NULL,
                                                      &attention, error);
    if (status == SAC_OK)
        status = sac_attention_add_heads(attention, &tile, head ? 1 : (size_t)m->run.heads, share,
                                         cells, rows, error);
    sac_attention_destroy(attention);
    sac_device_lock(m->device);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    return status;
}

static sac_status fill_maps(const sac_inference *p, const sac_result_request *request,
                            const int *queries, sac_result *result, sac_error *error)
{
    const int layers = p->model->layers, heads = request->head ? 1 : p->model->run.heads;
    const int first = request->layer ? request->layer - 1 : 0;
    const int end = request->layer ? request->layer : layers;
    const float share = 1 / (float)((end - first) * heads);
    sac_status status = SAC_OK;
    for (int i = first; i < end && status == SAC_OK; i++)
        status = add_layer(p, i, request->head, queries, (size_t)result->count, share,
                           result->weights, error);
    return status;
}

/* ---------------------------------------------------------------- all of it */

typedef struct candidate {
    int patch;
    float logit;
} candidate;

static int by_logit(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->logit != y->logit)
        return x->logit < y->logit ? 1 : -1;
    return x->patch < y->patch ? -1 : 1;
}

/* The most probable boxes, each of its best phrase. */
static sac_status fill_boxes(const sac_inference *p, const patches *made, const float *logits,
                             char (*phrase)[SAC_PHRASE_SIZE], int *queries, sac_result *result,
                             sac_error *error)
{
    const size_t N = made->count, count = result->classes;
    candidate *order = calloc(N, sizeof *order);
    if (!order)
        return sac_no_memory(error, p->model->name);
    for (size_t n = 0; n < N; n++) {
        order[n] = (candidate){(int)n, -INFINITY};
        for (size_t i = 0; i < count; i++)
            order[n].logit = fmaxf(order[n].logit, logits[n * count + i]);
    }
    qsort(order, N, sizeof *order, by_logit);
    sac_status status = SAC_OK;
    for (int k = 0; k < result->count && status == SAC_OK; k++) {
        const size_t n = (size_t)order[k].patch;
        sac_result_output *object = &result->outputs[k];
        const float *own = logits + n * count;
        object->query = n;
        object->row = (size_t)k;
        for (int i = 1; i < (int)count; i++)
            object->word = own[i] > own[object->word] ? i : object->word;
        object->logit = order[k].logit;
        object->probability = (float)sigmoid((double)order[k].logit);
        object->objectness = (float)sigmoid((double)made->thing[n]);
        fill_box(made->box + 4 * n, n, (size_t)p->grid_w, (size_t)p->grid_h, object->box);
        memcpy(result->logits + (size_t)k * count, own, count * sizeof *own);
        queries[k] = (int)n;
        if (!isfinite(order[k].logit))
            status =
                sac_fail(error, SAC_E_VALUE, p->model->folder, "take a copy that is not damaged",
                         "the output is not finite; the weights may be corrupt");
        else if (!sac_result_set_output_name(result, k, phrase[object->word]))
            status = sac_no_memory(error, p->model->name);
    }
    free(order);
    return status;
}

sac_status sac_inference_find_phrases(sac_inference *p, const sac_result_request *request,
                                      sac_result *result, sac_error *error)
{
    const double begin = sac_now();
    const float *rows;
    char(*phrase)[SAC_PHRASE_SIZE];
    int count = 0, queries[MOST_BOXES];
    patches made = {0};
    *result = (sac_result){0};
    sac_status status =
        sac_inference_embed_phrases(p, request->phrases, &rows, &phrase, &count, error);
    if (status == SAC_OK)
        status = read_patches(p, &made, error);
    float *logits = status == SAC_OK ? calloc(made.count * (size_t)count, sizeof *logits) : NULL;
    if (status == SAC_OK) {
        const size_t boxes = made.count < MOST_BOXES ? made.count : MOST_BOXES;
        *result = (sac_result){.grid_w = p->grid_w,
                               .grid_h = p->grid_h,
                               .count = (int)boxes,
                               .classes = (size_t)count,
                               .is_independent = true,
                               .has_objectness = p->model->detector.thing.count > 0,
                               .logits = calloc(boxes * (size_t)count, sizeof(float)),
                               .weights = calloc(boxes * made.count, sizeof(float))};
        if (!logits || !result->logits || !result->weights)
            status = sac_no_memory(error, p->model->name);
    }
    if (status == SAC_OK) {
        compute_logits(&made, rows, (size_t)count, logits);
        status = fill_boxes(p, &made, logits, phrase, queries, result, error);
    }
    if (status == SAC_OK)
        status = fill_maps(p, request, queries, result, error);
    free(logits);
    free_patches(&made);
    if (status != SAC_OK)
        sac_result_free(result);
    result->milliseconds = (sac_now() - begin) * 1e3;
    return status;
}
