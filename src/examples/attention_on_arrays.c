/* Attention on arrays: a causal one of 8 heads, its output, and a corner of the weights of one
 * head.
 *
 *     cc attention_on_arrays.c -o attention_on_arrays $(pkg-config --cflags --libs saccade) -lm
 */
#include <math.h>
#include <saccade.h>
#include <stdlib.h>

enum { HEADS = 8, TOKENS = 256, DIM = 32, COUNT = HEADS * TOKENS * DIM };

static void fill(float *numbers, float step)
{
    for (int i = 0; i < COUNT; i++)
        numbers[i] = sinf(step * (float)i);
}

static void print_corner(const float *corner)
{
    puts("the first 4 × 4 weights of head 3:");
    for (int i = 0; i < 4; i++)
        printf("%6.3f %6.3f %6.3f %6.3f\n", (double)corner[4 * i], (double)corner[4 * i + 1],
               (double)corner[4 * i + 2], (double)corner[4 * i + 3]);
}

int main(void)
{
    static float q[COUNT], k[COUNT], v[COUNT], out[COUNT];
    float corner[16];
    fill(q, 0.37f);
    fill(k, 0.73f);
    fill(v, 0.11f);

    size_t shape[] = {1, HEADS, TOKENS, DIM}; /* [B,H,T,d] */
    sac_array query = sac_array_view(SAC_F32, 4, shape, q);
    sac_array key = sac_array_view(SAC_F32, 4, shape, k);
    sac_array value = sac_array_view(SAC_F32, 4, shape, v);
    sac_attention_input input = {.query = &query, .key = &key, .value = &value};
    sac_attention_spec spec = {.causal = true};
    sac_tile tile = {.head = 3, .rows = 4, .cols = 4};

    sac_error error = {0};
    sac_device *device = NULL;
    sac_attention *attention = NULL;
    sac_status status = sac_device_open(NULL, &device, &error);
    if (status == SAC_OK)
        status = sac_attention_create(device, &spec, &input, &attention, &error);
    if (status == SAC_OK)
        status = sac_attention_run(attention, &(sac_attention_output){.output = out}, NULL, &error);
    if (status == SAC_OK)
        status = sac_attention_tile(attention, &tile, corner, &error);
    if (status == SAC_OK)
        print_corner(corner);
    else
        sac_error_print(&error, stderr);
    sac_attention_destroy(attention);
    sac_device_close(device);
    return status == SAC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
