#include "fuzz.h"

#include <cjson/cJSON.h>

#include "pretrained/files/gguf/folder.h"
#include "tokenizers/tokenizer.h"

/* A model of llama.cpp: its keys, its tensors under their names of a folder, and its tokenizer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"model.embed_tokens.weight",
                                        "model.norm.weight",
                                        "model.layers.0.self_attn.q_proj.weight",
                                        "model.layers.0.self_attn.k_proj.weight",
                                        "model.layers.0.self_attn.k_proj.bias",
                                        "model.layers.0.input_layernorm.weight",
                                        "gpt_neox.layers.0.attention.query_key_value.weight",
                                        "h.0.self_attention.query_key_value.bias",
                                        "h.0.attn.c_attn.weight",
                                        "wpe.weight",
                                        "model.layers.0.block_sparse_moe.experts.1.w1.weight",
                                        "model.layers.0.mlp.experts.0.gate_proj.weight",
                                        "model.layers.0.mlp.experts.1.down_proj.bias",
                                        "model.layers.0.self_attn.sinks"};
    sac_bytes file = {.data = malloc(size + 1), .size = size};
    sac_gguf_folder *folder;
    sac_tokenizer *tokenizer;
    sac_tokens tokens = {0};
    sac_error error = {0};
    const char *why;
    if (size)
        memcpy(file.data, data, size);
    if (!sac_gguf_is(data, size)) {
        free(file.data);
        return 0;
    }
    sac_status status = sac_gguf_folder_open(&file, NULL, &folder, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
        return 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_gguf_blocks blocks;
        if (sac_gguf_folder_blocks(folder, names[i], &blocks, &error) == SAC_OK && blocks.stored)
            fuzz_touch(blocks.data, sac_stored_bytes(blocks.stored, blocks.rows * blocks.width));
        const sac_array *tensor = sac_gguf_folder_find(folder, names[i], &why);
        if (tensor) {
            fuzz_touch_array(tensor);
            sac_gguf_folder_forget(folder, tensor);
        }
    }
    status = sac_tokenizer_open_gguf(sac_gguf_folder_keys(folder), &tokenizer, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
    } else {
        if (sac_tokenizer_encode(tokenizer, "The cat, it's 12 \xc3\xa9 ", true, &tokens, &error) ==
            SAC_OK)
            free(sac_tokenizer_decode(tokenizer, tokens.ids, tokens.count));
        sac_tokens_free(&tokens);
        sac_tokenizer_destroy(tokenizer);
    }
    sac_gguf_folder_close(folder);
    return 0;
}
