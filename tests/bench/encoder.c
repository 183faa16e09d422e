/* The speed of the encoder of photographs, EfficientNet-Lite2: its depthwise convolutions, forward
 * and backward, beside what copying reaches, and a picture beside the peak, both in the same run. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "device/device.h"
#include "efficientnet/efficientnet.h"
#include "measure.h"
#include "nn/layers.h"

enum { ROUNDS = 7, SIDE = 320 };
#define APART                                                                                      \
    ((size_t)96 << 20) /* bytes that a convolution reads and writes: no cache holds them */

static const char *const kinds[] = {"forward", "to the input", "to the weights"};
enum { FORWARD, TO_INPUT, TO_WEIGHTS, KINDS };

typedef struct encoder_bench {
    sac_device *device;
    sac_pass pass;
    sac_efficientnet net;
    sac_parameters parameters;
    sac_efficientnet_run run;
    sac_depthwise layer[SAC_EFFICIENTNET_BLOCKS]; /* of different sizes */
    int layers;
    sac_span x, y, weights; /* of the largest of them */
    bench_times convolution[SAC_EFFICIENTNET_BLOCKS][KINDS], picture;
} encoder_bench;

static size_t in_of(const sac_depthwise *l)
{
    return l->batch * l->height * l->width * l->channels;
}

static size_t out_of(const sac_depthwise *l)
{
    return in_of(l) / l->stride / l->stride;
}

/* Multiply-adds, counted as two. */
static double operations_of(const sac_depthwise *l)
{
    return 2 * (double)(out_of(l) * l->taps * l->taps);
}

static double bytes_of(const sac_depthwise *l)
{
    return (double)(in_of(l) + out_of(l)) * sizeof(float);
}

/* Multiply-adds, counted as two, for a picture; and the sizes of its depthwise convolutions. */
static double visit(encoder_bench *b)
{
    const sac_efficientnet_shape *shape = &b->net.shape;
    size_t side = SIDE / 2;
    double sum = 27.0 * (double)(side * side * shape->stem);
    for (int i = 0; i < shape->blocks; i++) {
        const sac_efficientnet_block *block = &shape->block[i];
        const sac_depthwise l = {1, side, side, block->expanded, block->taps, block->stride, 6};
        if (b->layers == 0 || memcmp(&b->layer[b->layers - 1], &l, sizeof l) != 0)
            b->layer[b->layers++] = l;
        if (block->expanded != block->in)
            sum += (double)(in_of(&l) * block->in);
        side /= block->stride;
        sum += (double)(out_of(&l) * (block->taps * block->taps + block->out));
    }
    for (int i = 0; i < b->layers; i++)
        b->layer[i].batch = 1 + (size_t)((double)APART / bytes_of(&b->layer[i]));
    return 2 * (sum + (double)(side * side * shape->block[shape->blocks - 1].out * shape->head));
}

static sac_status create(encoder_bench *b, sac_error *error)
{
    size_t in = 0, out = 0, weights = 0;
    for (int i = 0; i < b->layers; i++) {
        const sac_depthwise *l = &b->layer[i];
        in = in_of(l) > in ? in_of(l) : in;
        out = out_of(l) > out ? out_of(l) : out;
        weights = (l->taps * l->taps + 1) * l->channels > weights
                      ? (l->taps * l->taps + 1) * l->channels
                      : weights;
    }
    sac_efficientnet_declare(&b->net, &b->parameters, "", 0, sac_efficientnet_parts(&b->net.shape));
    sac_status status = sac_parameters_create(&b->parameters, b->device, false, 0, error);
    if (status == SAC_OK)
        status = sac_span_create(b->device, in, NULL, &b->x, error);
    if (status == SAC_OK)
        status = sac_span_create(b->device, out, NULL, &b->y, error);
    if (status == SAC_OK)
        status = sac_span_create(b->device, weights, NULL, &b->weights, error);
    sac_efficientnet_prepare(&b->net, &b->pass, &b->run, 1);
    return status;
}

static void convolve(encoder_bench *b, const sac_depthwise *l, int kind)
{
    sac_tensor x = {b->x.buffer, 0, in_of(l) / l->channels, l->channels};
    sac_tensor y = {b->y.buffer, 0, out_of(l) / l->channels, l->channels};
    sac_tensor w = {b->weights.buffer, 0, l->taps * l->taps, l->channels};
    sac_tensor bias = {b->weights.buffer, (cl_uint)sac_tensor_count(w), 1, l->channels};
    sac_parameter weights = {.value = w, .gradient = w};
    sac_parameter biases = {.value = bias, .gradient = bias};
    if (kind == FORWARD)
        sac_depthwise_forward(&b->pass, l, y, x, &weights, &biases);
    else if (kind == TO_INPUT)
        sac_depthwise_backward_input(&b->pass, l, x, y, &weights);
    else
        sac_depthwise_backward_weights(&b->pass, l, y, x, &weights, &biases);
}

/* Notes the time since `start`, once the device is done; the first round compiles. */
static sac_status note(encoder_bench *b, int round, double start, bench_times *times,
                       sac_error *error)
{
    sac_status status = sac_pass_end(&b->pass, error);
    if (status == SAC_OK)
        status = sac_device_finish(b->device, error);
    if (round > 0)
        bench_add(times, sac_now() - start);
    return status;
}

static sac_status run_all(encoder_bench *b, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int round = 0; round <= ROUNDS; round++) {
        for (int i = 0; i < b->layers * KINDS && status == SAC_OK; i++) {
            double start = sac_now();
            convolve(b, &b->layer[i / KINDS], i % KINDS);
            status = note(b, round, start, &b->convolution[i / KINDS][i % KINDS], error);
        }
        for (int i = 0; i < ROUNDS && status == SAC_OK; i++) {
            double start = sac_now();
            sac_efficientnet_forward(&b->net, &b->pass, &b->run);
            status = note(b, round, start, &b->picture, error);
        }
    }
    return status;
}

static void print(const encoder_bench *b, double operations, const bench_limits *limits,
                  cJSON *json)
{
    static const bench_column columns[] = {{"side", "side", 8},
                                           {"channels", "channels", 8},
                                           {"taps", "taps", 4},
                                           {"stride", "stride", 6},
                                           {"pass", "pass", -14},
                                           {"ms", "ms", 8, 2},
                                           {"gbs", "GB/s", 7, 2},
                                           {"share_of_copy", "of copy", 7, 2},
                                           {"share_of_peak", "of peak", 7, 2},
                                           {0}};
    double ms = bench_median_ms(&b->picture), peak = bench_peak(limits);
    double gflops = operations / ms * 1e-6;
    cJSON *list = json ? cJSON_AddArrayToObject(json, "depthwise") : NULL;
    if (!json) {
        sac_print(stdout,
                  "a picture of %d pixels by EfficientNet-Lite2: %.1f ms, %.1f GFLOP/s, %.2f of "
                  "the peak\ndepthwise convolutions; copying reaches %.1f GB/s, multiply-adds %.0f "
                  "GFLOP/s\n\n",
                  SIDE, ms, gflops, gflops / peak, limits->copy_gbs, peak);
        bench_print_heading(columns);
    } else {
        cJSON_AddNumberToObject(json, "copy_gbs", limits->copy_gbs);
        cJSON_AddNumberToObject(json, "peak_gflops", peak);
        cJSON *picture = cJSON_AddObjectToObject(json, "picture");
        cJSON_AddNumberToObject(picture, "side", SIDE);
        cJSON_AddNumberToObject(picture, "ms", ms);
        cJSON_AddNumberToObject(picture, "gflops", gflops);
        cJSON_AddNumberToObject(picture, "share_of_peak", gflops / peak);
    }
    for (int i = 0; i < b->layers * KINDS; i++) {
        const sac_depthwise *l = &b->layer[i / KINDS];
        double each = bench_median_ms(&b->convolution[i / KINDS][i % KINDS]);
        double gbs = bytes_of(l) / each * 1e-6;
        bench_print_row(list, columns,
                        (bench_cell[]){{NULL, (double)l->height},
                                       {NULL, (double)l->channels},
                                       {NULL, (double)l->taps},
                                       {NULL, (double)l->stride},
                                       {kinds[i % KINDS]},
                                       {NULL, each},
                                       {NULL, gbs},
                                       {NULL, gbs / limits->copy_gbs},
                                       {NULL, operations_of(l) / each * 1e-6 / peak}});
    }
}

sac_status measure_encoder(sac_device *device, cJSON *json, sac_error *error)
{
    encoder_bench b = {.device = device};
    bench_limits limits = {0};
    double operations = 0;
    sac_pass_open(&b.pass, device);
    sac_status status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK)
        status = sac_efficientnet_shape_by_name("lite2", SIDE, &b.net.shape, error);
    if (status == SAC_OK) {
        operations = visit(&b);
        status = create(&b, error);
    }
    if (status == SAC_OK)
        status = run_all(&b, error);
    if (status == SAC_OK)
        status = bench_measure_limits(device, &limits, error);
    if (status == SAC_OK)
        print(&b, operations, &limits, json);
    sac_efficientnet_release(&b.run);
    sac_parameters_destroy(&b.parameters);
    sac_span_release(&b.x);
    sac_span_release(&b.y);
    sac_span_release(&b.weights);
    sac_pass_close(&b.pass);
    return status;
}
