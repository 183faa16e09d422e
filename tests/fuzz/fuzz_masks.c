#include "fuzz.h"

#include "saccade_arrays.h"
#include "sources/files/queries/attention_file.h"

/* Every number of the attention that was read: the mask is made of all masks of the file. */
static void use(const sac_attention_input *input)
{
    const sac_array *const parts[] = {input->query, input->key, input->key_padding_mask,
                                      input->attn_mask};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            fuzz_touch_array(parts[i]);
}

static void read_one(const sac_arrays *arrays, const char *query, sac_attention_extent extent)
{
    const sac_attention_request request = {.query = query, .extent = extent};
    sac_attention_file file = {0};
    sac_error error = {0};
    sac_status status = sac_attention_file_read(arrays, &request, &file, &error);
    if (status == SAC_OK)
        use(&file.input);
    else
        fuzz_refused(status, &error);
    sac_attention_file_free(&file);
}

static void expect_rest(const sac_arrays *arrays, const char *query)
{
    const sac_attention_request request = {.query = query};
    bool *used = calloc(sac_arrays_size(arrays) + 1, sizeof *used);
    char text[256];
    if (!used)
        return;
    sac_attention_file_mark(arrays, &request, used);
    fuzz_touch(text, strlen(sac_not_used_text(arrays, used, text, sizeof text)));
    free(used);
}

/* The bytes as a file of queries and keys, with the masks, biases and slopes that it holds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_bytes file = {.data = malloc(size ? size : 1), .size = size};
    sac_arrays *arrays;
    if (!file.data)
        return 0;
    if (size)
        memcpy(file.data, data, size);
    if (sac_arrays_from_bytes(&file, &arrays, NULL) != SAC_OK)
        return 0;
    for (size_t i = 0; i < sac_arrays_size(arrays); i++) {
        const char *name = sac_arrays_name(arrays, i);
        const sac_array *parts[3];
        sac_query_find(arrays, name, parts);
        if (!parts[1])
            continue;
        read_one(arrays, name, SAC_EXTENT_ALL);
        read_one(arrays, name, SAC_EXTENT_WEIGHTS);
        expect_rest(arrays, name);
    }
    sac_arrays_close(arrays);
    return 0;
}
