/* clblast_attention HEADS TOKENS KEYS DIM none|causal|padding: attention by two CLBlast products and
 * a softmax, head by head, as one writes it without a kernel of one's own. It holds the output
 * against sac_attention_run and prints its median time: {"ms": 1.23}. compare_torch.py runs it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random/random.h"
#include "gemm/gemm_backends.h"

enum { MOST_RUNS = 50 };
#define SECONDS 0.4

/* A work-item a row: scores ← exp2(scale · score), divided by their sum. Keys from `end` on, and
 * those of the padding, get 0. Vectors of 16, so that PoCL has no loop to vectorise. */
static const char *softmax_source =
    "kernel void softmax(global float *scores, uint keys, uint causal, uint visible, float scale)"
    "{"
    "    size_t i = get_global_id(0);"
    "    global float *row = scores + i * keys;"
    "    uint end = causal ? min((uint)i + 1, visible) : visible, whole = end / 16;"
    "    float16 many = (float16)(-INFINITY), sums = (float16)(0);"
    "    float most = -INFINITY, sum = 0, part[16];"
    "    for (uint v = 0; v < whole; v++) many = max(many, vload16(v, row));"
    "    vstore16(many, 0, part);"
    "    for (uint k = 0; k < 16; k++) most = max(most, part[k]);"
    "    for (uint k = whole * 16; k < end; k++) most = max(most, row[k]);"
    "    for (uint v = 0; v < whole; v++) {"
    "        float16 e = exp2((vload16(v, row) - most) * scale);"
    "        sums += e;"
    "        vstore16(e, v, row);"
    "    }"
    "    vstore16(sums, 0, part);"
    "    for (uint k = 0; k < 16; k++) sum += part[k];"
    "    for (uint k = whole * 16; k < end; k++) sum += row[k] = exp2((row[k] - most) * scale);"
    "    for (uint v = 0; v < whole; v++) vstore16(vload16(v, row) / sum, v, row);"
    "    for (uint k = whole * 16; k < end; k++) row[k] /= sum;"
    "    for (uint k = end; k < keys; k++) row[k] = 0;"
    "}";

typedef struct peer {
    sac_device *device;
    size_t heads, tokens, keys, dim, visible; /* keys from `visible` on are padding */
    bool causal;
    sac_span query, key, value, scores, output;
    cl_kernel softmax;
} peer;

static void stop_on(sac_status status, const sac_error *error)
{
    if (status == SAC_OK)
        return;
    sac_error_print(error, stderr);
    exit(1);
}

static void run(peer *p, float *output)
{
    sac_error error = {0};
    sac_gemm scores = {.m = p->tokens, .n = p->keys, .k = p->dim, .transpose_b = true};
    sac_gemm mixed = {.m = p->tokens, .n = p->dim, .k = p->keys};
    cl_uint keys = (cl_uint)p->keys, causal = p->causal, visible = (cl_uint)p->visible;
    cl_float scale = (cl_float)(M_LOG2E / sqrt((double)p->dim));
    sac_arg args[] = {SAC_ARG(p->scores.buffer), SAC_ARG(keys), SAC_ARG(causal), SAC_ARG(visible),
                      SAC_ARG(scale)};
    for (size_t h = 0; h < p->heads; h++) {
        sac_span query = sac_span_from(p->query, h * p->tokens * p->dim);
        sac_span key = sac_span_from(p->key, h * p->keys * p->dim);
        sac_span value = sac_span_from(p->value, h * p->keys * p->dim);
        sac_span out = sac_span_from(p->output, h * p->tokens * p->dim);
        stop_on(sac_gemm_clblast(p->device, &scores, query, key, p->scores, &error), &error);
        stop_on(sac_kernel_launch(p->device, p->softmax, args, 5, 1, &p->tokens, NULL, &error),
                &error);
        stop_on(sac_gemm_clblast(p->device, &mixed, p->scores, value, out, &error), &error);
    }
    size_t count = p->heads * p->tokens * p->dim;
    stop_on(sac_span_read(p->device, p->output, count, output, &error), &error);
}

/* The same by ours; fails where they differ. */
static void compare(const peer *p, const sac_array arrays[3], const float *output)
{
    sac_error error = {0};
    sac_attention *attention;
    size_t shape[] = {1, p->keys}, count = p->heads * p->tokens * p->dim;
    uint8_t *hidden = calloc(p->keys, 1);
    float *ours = malloc(count * sizeof *ours), worst = 0;
    sac_array padding = {.dtype = SAC_BOOL, .rank = 2, .data = hidden};
    memcpy(padding.shape, shape, sizeof shape);
    memset(hidden + p->visible, 1, p->keys - p->visible);
    sac_attention_spec spec = {.score = SAC_SCORE_SCALED_DOT, .causal = p->causal};
    sac_attention_input input = {
        .query = &arrays[0], .key = &arrays[1], .value = &arrays[2], .key_padding_mask = &padding};
    stop_on(sac_attention_create(p->device, &spec, &input, &attention, &error), &error);
    stop_on(sac_attention_run(attention, &(sac_attention_output){.output = ours}, NULL, &error),
            &error);
    for (size_t i = 0; i < count; i++)
        worst = fmaxf(worst, fabsf(ours[i] - output[i]));
    sac_attention_destroy(attention);
    free(hidden);
    free(ours);
    if (worst < 1e-4f)
        return;
    fprintf(stderr, "clblast_attention: it differs from ours by %g\n", (double)worst);
    exit(1);
}

static int is_later(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int count, char **words)
{
    sac_error error = {0};
    sac_array arrays[3];
    double times[MOST_RUNS], spent = 0;
    int runs = 0;
    if (count != 6)
        return fprintf(stderr, "usage: clblast_attention HEADS TOKENS KEYS DIM MASK\n"), 2;
    peer p = {.heads = strtoul(words[1], NULL, 10),
              .tokens = strtoul(words[2], NULL, 10),
              .keys = strtoul(words[3], NULL, 10),
              .dim = strtoul(words[4], NULL, 10),
              .causal = strcmp(words[5], "causal") == 0};
    p.visible = strcmp(words[5], "padding") == 0 ? p.keys / 8 * 7 : p.keys;
    stop_on(sac_device_open(NULL, &p.device, &error), &error);
    cl_program program =
        clCreateProgramWithSource(p.device->context, 1, &softmax_source, NULL, NULL);
    stop_on(sac_cl_check(p.device, "clBuildProgram",
                         clBuildProgram(program, 1, &p.device->id, NULL, NULL, NULL), &error),
            &error);
    p.softmax = clCreateKernel(program, "softmax", NULL);
    sac_span *const spans[] = {&p.query, &p.key, &p.value};
    for (unsigned i = 0; i < 3; i++) {
        size_t shape[] = {1, p.heads, i ? p.keys : p.tokens, p.dim};
        stop_on(sac_array_create(SAC_F32, 4, shape, &arrays[i], &error), &error);
        float *data = arrays[i].data;
        size_t numbers = sac_array_count(&arrays[i]);
        for (size_t k = 0; k < numbers; k++)
            data[k] = (sac_philox_uniform((uint32_t)k, 0, i + 1) - 0.5f) * 3.4641016f;
        stop_on(sac_span_create(p.device, numbers, data, spans[i], &error), &error);
    }
    size_t outputs = p.heads * p.tokens * p.dim;
    float *output = malloc(outputs * sizeof *output);
    stop_on(sac_span_create(p.device, p.tokens * p.keys, NULL, &p.scores, &error), &error);
    stop_on(sac_span_create(p.device, outputs, NULL, &p.output, &error), &error);
    run(&p, output); /* which compiles */
    compare(&p, arrays, output);
    while (runs < 3 || (spent < SECONDS && runs < MOST_RUNS)) {
        double start = sac_now();
        run(&p, output);
        spent += times[runs++] = sac_now() - start;
    }
    qsort(times, (size_t)runs, sizeof *times, is_later);
    printf("{\"ms\": %.3f}\n", 1e3 * times[runs / 2]);
    return 0;
}
