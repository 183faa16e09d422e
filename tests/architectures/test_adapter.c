/* An adapter of low rank and its base, against the base whose matrices were changed so before. */
#include "arrays/bytes.h"
#include "scratch.h"
#include "status.h"
#include "trial.h"

/* Its base is found beside it by the last part of its name. */
TEST(an_adapter_changes_matrices_of_its_base)
{
    check_family("llama_adapter", "");
}

IN_SCRATCH(an_adapter_that_does_not_fit_is_refused)
{
    static const struct {
        const char *config, *what;
    } rows[] = {
        {"\"base_model_name_or_path\": \"absent/nothing\", \"peft_type\": \"LORA\"",
         "absent/nothing"},
        {"\"base_model_name_or_path\": \"" REFERENCES "/llama\", \"peft_type\": \"IA3\"", "IA3"},
        {"\"base_model_name_or_path\": \"" REFERENCES
         "/llama\", \"peft_type\": \"LORA\", \"use_dora\": true",
         "not supported"},
        {"\"base_model_name_or_path\": \"" REFERENCES "/gpt2\", \"peft_type\": \"LORA\"",
         "no part of the base"},
    };
    sac_bytes pairs;
    OK(sac_bytes_read(REFERENCES "/llama_adapter/adapter_model.safetensors", &pairs, &failure));
    scratch_write(s, "adapter_model.safetensors", (const char *)pairs.data, pairs.size);
    sac_bytes_free(&pairs);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char config[2000];
        sac_pretrained_model *model;
        sac_error error = {0};
        int length = snprintf(config, sizeof config, "{%s}", rows[i].config);
        scratch_write(s, "adapter_config.json", config, (size_t)length);
        assert_int_not_equal(sac_pretrained_model_open_stored(scratch_path(s, ""), NULL,
                                                              SAC_STORAGE_F32, &model, &error),
                             SAC_OK);
        if (!strstr(error.what, rows[i].what))
            fail_msg("\"%s\" does not contain \"%s\"", error.what, rows[i].what);
    }
}

TEST_MAIN(open_device, close_device)
