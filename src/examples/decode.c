/* A decoder's loop with a cache of keys and values: at each step one token brings a query, a key
 * and a value, and asks where it looked. 8 heads of queries share 2 of keys and values, and a token
 * sees the 16 before it alone.
 *
 *     cc decode.c -o decode $(pkg-config --cflags --libs saccade) -lm
 */
#include <math.h>
#include <saccade.h>
#include <stdlib.h>

enum { HEADS = 8, KEY_HEADS = 2, DIM = 32, STEPS = 24, WINDOW = 16 };

/* Stands in for a model: the query, key and value of token `step`. */
static void make_token(int step, float *q, float *k, float *v)
{
    for (int i = 0; i < HEADS * DIM; i++)
        q[i] = cosf(0.4f * (float)(step + i % DIM));
    for (int i = 0; i < KEY_HEADS * DIM; i++) {
        k[i] = cosf(0.4f * (float)(step + i % DIM));
        v[i] = (float)step;
    }
}

/* The weights of head 0 in the one row there is. */
static sac_status show_row(sac_attention *attention, int step, const float *out, sac_error *error)
{
    float weights[STEPS];
    size_t keys = sac_attention_get_shape(attention)->keys, most = 0;
    sac_tile row = {.rows = 1, .cols = keys};
    sac_status status = sac_attention_tile(attention, &row, weights, error);
    for (size_t i = 1; status == SAC_OK && i < keys; i++)
        most = weights[i] > weights[most] ? i : most;
    if (status == SAC_OK)
        printf("token %2d attends most to token %2zu (%.2f); its output is %5.2f\n", step, most,
               (double)weights[most], (double)out[0]);
    return status;
}

static sac_status decode(sac_device *device, sac_error *error)
{
    float q[HEADS * DIM], k[KEY_HEADS * DIM], v[KEY_HEADS * DIM], out[HEADS * DIM];
    make_token(0, q, k, v);
    sac_array query = sac_array_view(SAC_F32, 4, (size_t[]){1, HEADS, 1, DIM}, q);
    sac_array key = sac_array_view(SAC_F32, 4, (size_t[]){1, KEY_HEADS, 1, DIM}, k);
    sac_array value = sac_array_view(SAC_F32, 4, (size_t[]){1, KEY_HEADS, 1, DIM}, v);
    sac_attention_input first = {.query = &query, .key = &key, .value = &value};
    sac_attention_input next = {.query = &query};
    sac_attention_spec spec = {.causal = true, .window = WINDOW, .capacity = STEPS};
    sac_attention *attention = NULL;
    sac_status status = sac_attention_create(device, &spec, &first, &attention, error);
    for (int step = 0; step < STEPS && status == SAC_OK; step++) {
        if (step > 0) {
            make_token(step, q, k, v);
            status = sac_attention_append(attention, &key, &value, error);
            if (status == SAC_OK)
                status = sac_attention_update(attention, &next, error);
        }
        if (status == SAC_OK)
            status =
                sac_attention_run(attention, &(sac_attention_output){.output = out}, NULL, error);
        if (status == SAC_OK)
            status = show_row(attention, step, out, error);
    }
    sac_attention_destroy(attention);
    return status;
}

int main(void)
{
    sac_error error = {0};
    sac_device *device = NULL;
    sac_status status = sac_device_open(NULL, &device, &error);
    if (status == SAC_OK)
        status = decode(device, &error);
    if (status != SAC_OK)
        sac_error_print(&error, stderr);
    sac_device_close(device);
    return status == SAC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
