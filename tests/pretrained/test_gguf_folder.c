/* The keys of a GGUF as config.json: what changes nothing, what is not supported, what is passed over on request. */
#include <cjson/cJSON.h>

#include "gguf_writer.h"
#include "pretrained/files/gguf/folder.h"
#include "status.h"

/* A stored model of the architecture with more keys. */
static sac_status open_with(const char *name, const gguf_writer *more, sac_gguf_folder **folder)
{
    char path[512];
    sac_bytes whole, bytes = {0};
    gguf_writer w;
    snprintf(path, sizeof path, REFERENCES "/gguf/%s.gguf", name);
    OK(sac_bytes_read(path, &whole, &failure));
    gguf_with_keys(whole.data, whole.size, more, &w);
    sac_bytes_free(&whole);
    bytes.data = w.bytes;
    bytes.size = w.size;
    failure = (sac_error){0};
    return sac_gguf_folder_open(&bytes, NULL, folder, &failure);
}

static void check_opens(const char *name, gguf_writer *more)
{
    sac_gguf_folder *folder;
    status_check(open_with(name, more, &folder), SAC_OK, NULL, name, __FILE__, __LINE__);
    sac_gguf_folder_close(folder);
    free(more->bytes);
}

static void check_refused(const char *name, gguf_writer *more, const char *line)
{
    sac_gguf_folder *folder;
    status_check(open_with(name, more, &folder), SAC_E_FORMAT, line, name, __FILE__, __LINE__);
    free(more->bytes);
}

TEST(open_passes_over_keys_that_change_nothing)
{
    static const struct {
        const char *name;
        float value;
    } numbers[] = {{"logit_scale", 1},
                   {"residual_scale", 1},
                   {"attention.clamp_kqv", 0},
                   {"expert_shared_count", 0},
                   {"expert_used_count", 0},
                   {"leading_dense_block_count", 0},
                   {"attention.causal", 1},
                   {"rope.scaling.yarn_ext_factor", -1},
                   {"rope.scaling.alpha", 1},
                   {"attn_logit_softcapping", 0},
                   {"ssm.inner_size", 0},
                   {"nextn_predict_layers", 0},
                   {"attention.indexer.top_k", 0},
                   {"pooling_type", 3}};
    gguf_writer w;
    gguf_begin(&w);
    gguf_key_text(&w, "llama.tensor_data_layout", "Meta AI original pth");
    gguf_key_text(&w, "mradermacher.quantized_by", "someone");
    gguf_key_list(&w, "llama.classifier.output_labels", GGUF_TEXT, 1);
    gguf_put_text(&w, "yes", 3);
    gguf_key_list(&w, "llama.swiglu_clamp_exp", GGUF_F32, 2);
    gguf_put_u64(&w, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char name[80];
        snprintf(name, sizeof name, "llama.%s", numbers[i].name);
        gguf_key_real(&w, name, numbers[i].value);
    }
    check_opens("llama", &w);
    gguf_begin(&w); /* of an architecture without rotary positions */
    gguf_key_real(&w, "gpt2.rope.freq_base", 10000);
    gguf_key_whole(&w, "gpt2.rope.dimension_count", 8);
    check_opens("gpt2", &w);
}

TEST(open_refuses_values_that_are_not_supported)
{
    static const char *const names[] = {"llama.attention.causal", "llama.attn_logit_softcapping",
                                        "llama.attention.scale", "llama.attention.key_length_mla"};
    static const float values[] = {0, 50, 0.25f, 16};
    for (size_t i = 0; i < 4; i++) {
        gguf_writer w;
        char line[120];
        gguf_begin(&w);
        gguf_key_real(&w, names[i], values[i]);
        snprintf(line, sizeof line, "%s: has a value that is not supported…--ignore KEY…",
                 names[i]);
        check_refused("llama", &w, line);
    }
}

TEST(open_names_an_unknown_key_and_passes_it_over_on_request)
{
    gguf_writer w;
    sac_gguf_folder *folder;
    gguf_begin(&w);
    gguf_key_whole(&w, "qwen2.my_key", 5);
    uint8_t *bytes = w.bytes;
    w.bytes = malloc(w.size);
    memcpy(w.bytes, bytes, w.size);
    check_refused(
        "qwen2", &w,
        "qwen2.my_key: is a key that is not known here of this architecture…--ignore KEY…");
    w.bytes = bytes;
    OK(sac_gguf_ignore("qwen2.my_key", &failure));
    status_check(open_with("qwen2", &w, &folder), SAC_OK, NULL, "qwen2", __FILE__, __LINE__);
    assert_string_equal(sac_gguf_folder_ignored(folder), "qwen2.my_key");
    sac_gguf_folder_close(folder);
    free(w.bytes);
    gguf_begin(&w); /* one that is not there is a mistake */
    failure = (sac_error){0};
    status_check(open_with("qwen2", &w, &folder), SAC_E_ARGUMENT,
                 "--ignore: \"qwen2.my_key\" is no key of the file…", "qwen2", __FILE__, __LINE__);
    free(w.bytes);
}

/* As in the files of Phi-4. */
TEST(open_takes_a_window_of_0_for_none)
{
    static const char *const names[] = {"llama", "phi3",  "qwen3",   "olmo2",
                                        "gpt2",  "bloom", "gpt_neox"};
    static const char *const theirs[] = {"llama", "phi3",  "qwen3",  "olmo2",
                                         "gpt2",  "bloom", "gptneox"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_gguf_folder *folder;
        gguf_writer w;
        char name[80];
        snprintf(name, sizeof name, "%s.attention.sliding_window", theirs[i]);
        gguf_begin(&w);
        gguf_key_whole(&w, name, 0);
        status_check(open_with(names[i], &w, &folder), SAC_OK, NULL, names[i], __FILE__, __LINE__);
        assert_true(
            cJSON_IsNull(cJSON_GetObjectItem(sac_gguf_folder_config(folder), "sliding_window")));
        sac_gguf_folder_close(folder);
        free(w.bytes);
    }
}

/* The same of files that have a window in some of their layers. */
TEST(open_takes_a_window_of_0_for_none_in_every_layer)
{
    static const char *const names[] = {"gemma2", "gemma3", "gpt_oss"};
    static const char key[] = "attention.sliding_window\4";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        sac_bytes bytes;
        sac_gguf_folder *folder;
        snprintf(path, sizeof path, REFERENCES "/gguf/%s.gguf", names[i]);
        OK(sac_bytes_read(path, &bytes, &failure));
        uint8_t *at = memmem(bytes.data, bytes.size, key, strlen(key));
        assert_non_null(at);
        memset(at + strlen(key) + 3, 0, 4);
        OK(sac_gguf_folder_open(&bytes, NULL, &folder, &failure));
        const cJSON *type, *config = sac_gguf_folder_config(folder);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(config, "sliding_window")));
        cJSON_ArrayForEach(type, cJSON_GetObjectItem(config, "layer_types"))
            assert_string_equal(type->valuestring, "full_attention");
        sac_gguf_folder_close(folder);
    }
}

/* Files of 2023 have the factor alone; of those a type that is not named is linear. */
TEST(open_stretches_rotary_positions_as_files_of_2023_have_it)
{
    static const char *const names[] = {"olmo2.rope.scale_linear", "olmo2.rope.scaling.factor"};
    for (int i = 0; i < 2; i++) {
        sac_gguf_folder *folder;
        gguf_writer w;
        gguf_begin(&w);
        gguf_key_real(&w, names[i], 4);
        status_check(open_with("olmo2", &w, &folder), SAC_OK, NULL, names[i], __FILE__, __LINE__);
        const cJSON *rope = cJSON_GetObjectItem(sac_gguf_folder_config(folder), "rope_scaling");
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(rope, "rope_type")), "linear");
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(rope, "factor")) == 4);
        sac_gguf_folder_close(folder);
        free(w.bytes);
    }
}

/* A list for all layers with one value is that value. */
TEST(open_reads_a_list_of_one_value_for_each_layer)
{
    sac_bytes bytes = {0};
    sac_gguf_folder *folder;
    gguf_writer w;
    gguf_begin(&w);
    gguf_key_text(&w, "general.architecture", "llama");
    gguf_key_whole(&w, "llama.embedding_length", 32);
    gguf_key_whole(&w, "llama.attention.head_count", 4);
    gguf_key_list(&w, "llama.attention.head_count_kv", GGUF_U32, 3);
    for (int i = 0; i < 3; i++)
        gguf_put_u32(&w, 2);
    gguf_end(&w);
    bytes.data = w.bytes;
    bytes.size = w.size;
    OK(sac_gguf_folder_open(&bytes, NULL, &folder, &failure));
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(sac_gguf_folder_config(folder),
                                                         "num_key_value_heads")) == 2);
    sac_gguf_folder_close(folder);
}

/* 65,537 keys, and two of one name. */
TEST(open_counts_keys_and_finds_one_that_is_there_twice)
{
    static const char *const lines[] = {"has more keys than any model has…", "has a key twice…"};
    for (int i = 0; i < 2; i++) {
        sac_bytes bytes = {0};
        sac_gguf *gguf;
        gguf_writer w;
        gguf_begin(&w);
        for (int k = 0; k < (i ? 50000 : 65537); k++) {
            char name[16];
            snprintf(name, sizeof name, "k%d", i && k == 49999 ? 17 : k);
            gguf_key_whole(&w, name, 0);
        }
        gguf_end(&w);
        bytes.data = w.bytes;
        bytes.size = w.size;
        REFUSES(SAC_E_FORMAT, lines[i], sac_gguf_open(&bytes, &gguf, &failure));
    }
}

/* No list of them is made that no head has. */
TEST(open_refuses_more_divisors_than_half_a_head_has_numbers)
{
    sac_bytes bytes = {0};
    sac_gguf_folder *folder;
    gguf_writer w;
    gguf_begin(&w);
    gguf_key_text(&w, "general.architecture", "llama");
    gguf_key_whole(&w, "llama.embedding_length", 32);
    gguf_key_whole(&w, "llama.attention.head_count", 4);
    gguf_tensor(&w, "rope_freqs.weight", 5, 0, 0);
    for (int i = 0; i < 20; i++)
        gguf_put_u32(&w, 0);
    gguf_end(&w);
    bytes.data = w.bytes;
    bytes.size = w.size;
    REFUSES(SAC_E_FORMAT, "rope_freqs.weight: is not a list of 4 numbers…",
            sac_gguf_folder_open(&bytes, NULL, &folder, &failure));
}

TEST_MAIN(NULL, NULL)
