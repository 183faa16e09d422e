/* Causal attention over three tokens, through the installed library:
 *     cc example.c $(pkg-config --cflags --libs saccade) && ./a.out */
#include <saccade.h>

int main(void)
{
    float q[] = {1, 0, 0, 1, 1, 1}, k[] = {1, 0, 0, 1, 1, 1}, v[] = {1, 2, 3};
    float out[3], weights[9];
    sac_array query = sac_array_view(SAC_F32, 2, (size_t[]){3, 2}, q);
    sac_array key = sac_array_view(SAC_F32, 2, (size_t[]){3, 2}, k);
    sac_array value = sac_array_view(SAC_F32, 2, (size_t[]){3, 1}, v);

    sac_error error = {0};
    sac_device *device = NULL;
    sac_attention *attention = NULL;
    sac_attention_input input = {.query = &query, .key = &key, .value = &value};
    sac_attention_output output = {.output = out, .weights = weights};

    if (sac_device_open(NULL, &device, &error) == SAC_OK &&
        sac_attention_create(device, &(sac_attention_spec){.causal = true}, &input, &attention,
                             &error) == SAC_OK &&
        sac_attention_run(attention, &output, NULL, &error) == SAC_OK)
        for (int i = 0; i < 3; i++)
            printf("token %d attends %.3f %.3f %.3f and becomes %.3f\n", i, weights[3 * i],
                   weights[3 * i + 1], weights[3 * i + 2], out[i]);
    else
        sac_error_print(&error, stderr);

    sac_attention_destroy(attention);
    sac_device_close(device);
    return error.status != SAC_OK;
}
