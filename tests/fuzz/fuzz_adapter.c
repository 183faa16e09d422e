#include "fuzz_folder.h"
#include "pretrained/files/adapter.h"

static bool has(const void *files, const char *tensor)
{
    (void)files;
    return strstr(tensor, "q_proj.weight") != NULL;
}

static void check(sac_adapter *a)
{
    static const char *const tensors[] = {"model.layers.0.self_attn.q_proj.weight",
                                          "layers.0.self_attn.q_proj.weight",
                                          "q_proj.weight",
                                          "a.model.layers.0.self_attn.q_proj.weight",
                                          ".weight",
                                          ""};
    static float numbers[16];
    sac_error error = {0};
    sac_status status = sac_adapter_check(a, has, NULL, &error);
    if (status != SAC_OK)
        fuzz_refused(status, &error);
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        for (size_t width = 1; width <= 4 && sac_adapter_changes(a, tensors[i]); width++) {
            const size_t shape[] = {4, width};
            const sac_array base = sac_array_view(SAC_F32, 2, shape, numbers);
            const sac_array *merged;
            status = sac_adapter_merge(a, tensors[i], &base, &merged, &error);
            if (status != SAC_OK)
                fuzz_refused(status, &error);
            else if (!sac_adapter_owns(a, merged))
                abort();
            else
                fuzz_touch_array(merged);
        }
}

/* The bytes of all numbers, by the header; `most` where they are more. */
static size_t size_of(const char *header, size_t most)
{
    size_t size = 0;
    while ((header = strstr(header, "data_offsets"))) {
        const char *comma = strchr(header, ',');
        size_t end = comma ? strtoul(comma + 1, NULL, 10) : 0;
        size = end > size ? end : size;
        header += strlen("data_offsets");
    }
    return size < most ? size : most;
}

/* An adapter's folder: a line of adapter_config.json, and behind it the header of its tensors, whose numbers are 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"adapter_config.json", "adapter_model.safetensors", NULL};
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    uint64_t header = line ? (uint64_t)(data + size - line - 1) : 0;
    sac_adapter *a;
    sac_error error = {0};
    fuzz_open_folder(names);
    fuzz_write(names[0], data, line ? (size_t)(line - data) : size);
    enum { MOST = 1 << 14 };
    uint8_t *file = calloc(1, 8 + (size_t)header + 1 + MOST);
    memcpy(file, &header, 8);
    if (line)
        memcpy(file + 8, line + 1, (size_t)header);
    fuzz_write(names[1], file, 8 + (size_t)header + size_of((char *)file + 8, MOST));
    free(file);
    sac_status status = sac_adapter_open(fuzz_folder, &a, &error);
    if (status == SAC_OK)
        check(a);
    else
        fuzz_refused(status, &error);
    sac_adapter_close(a);
    return 0;
}
