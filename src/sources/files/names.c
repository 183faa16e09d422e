#include "sources/files/names.h"

#include <string.h>

const char *const sac_query_families[SAC_NAME_FAMILIES][3] = {
    {"query", "key", "value"},
    {"q", "k", "v"},
    {"Q", "K", "V"},
    {"queries", "keys", "values"},
    {"query_states", "key_states", "value_states"},
    {"query_layer", "key_layer", "value_layer"},
    {"q_proj", "k_proj", "v_proj"},
    {"to_q", "to_k", "to_v"},
};

#define LIST(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

const char *const *const sac_names_of[SAC_NAME_LISTS] = {
    [SAC_NAMES_QKV] = LIST("qkv", "qkv_packed", "qkvpacked", "packed_qkv", "qkv_proj", "to_qkv",
                           "c_attn", "Wqkv", "mixed_qkv", "QKV", "query_key_value"),
    [SAC_NAMES_KV] = LIST("kv", "kv_packed", "kvpacked", "packed_kv", "key_value", "to_kv", "KV"),
    [SAC_NAMES_INPUT] = LIST("x", "hidden_states", "inputs", "input"),

    [SAC_NAMES_QKV_WEIGHT] =
        LIST("in_proj_weight", "in_proj.weight", "qkv.weight", "qkv_proj.weight", "Wqkv.weight"),
    [SAC_NAMES_QKV_BIAS] =
        LIST("in_proj_bias", "in_proj.bias", "qkv.bias", "qkv_proj.bias", "Wqkv.bias"),
    /* the second form is that of nn.MultiheadAttention with kdim */
    [SAC_NAMES_Q_WEIGHT] = LIST("q_proj.weight", "q_proj_weight"),
    [SAC_NAMES_Q_BIAS] = LIST("q_proj.bias"),
    [SAC_NAMES_K_WEIGHT] = LIST("k_proj.weight", "k_proj_weight"),
    [SAC_NAMES_K_BIAS] = LIST("k_proj.bias"),
    [SAC_NAMES_V_WEIGHT] = LIST("v_proj.weight", "v_proj_weight"),
    [SAC_NAMES_V_BIAS] = LIST("v_proj.bias"),
    [SAC_NAMES_OUT_WEIGHT] = LIST("out_proj.weight", "o_proj.weight", "proj.weight"),
    [SAC_NAMES_OUT_BIAS] = LIST("out_proj.bias", "o_proj.bias", "proj.bias"),
    [SAC_NAMES_NORM_WEIGHT] = LIST("norm.weight"),
    [SAC_NAMES_NORM_BIAS] = LIST("norm.bias"),
    [SAC_NAMES_ANY_PROJECTION] = LIST("in_proj_weight", "qkv.weight", "q_proj.weight"),

    [SAC_NAMES_SCALE] = LIST("scale", "scaling", "softmax_scale", "sm_scale", "attn_scale"),
    [SAC_NAMES_SOFTCAP] = LIST("softcap", "attn_logit_softcapping", "logit_softcap",
                               "logits_soft_cap", "attn_logit_softcap"),
    [SAC_NAMES_CAUSAL] = LIST("is_causal", "causal"),
    [SAC_NAMES_WINDOW] = LIST("window", "sliding_window", "window_size"),
    [SAC_NAMES_HEADS] = LIST("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead"),
    [SAC_NAMES_KEY_HEADS] = LIST("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv"),
    [SAC_NAMES_DROPOUT] = LIST("dropout_p", "dropout", "attn_dropout", "attention_dropout"),

    [SAC_NAMES_BLOCKING_MASK] = LIST("attn_mask", "src_mask", "tgt_mask", "memory_mask"),
    [SAC_NAMES_KEEPING_MASK] =
        LIST("attention_mask", "encoder_attention_mask", "decoder_attention_mask", "input_mask"),
    [SAC_NAMES_PADDING_MASK] = LIST("key_padding_mask", "src_key_padding_mask",
                                    "memory_key_padding_mask", "tgt_key_padding_mask"),
    [SAC_NAMES_BIAS] = LIST("bias", "attn_bias", "attention_bias", "position_bias"),
    [SAC_NAMES_SLOPES] = LIST("alibi", "alibi_slopes", "slopes"),
    [SAC_NAMES_HARMLESS_MASK] = LIST("special_tokens_mask", "token_type_mask", "loss_mask",
                                     "labels_mask", "query_padding_mask"),

    [SAC_NAMES_ATTENTION] =
        LIST("attention", "attentions", "attn", "attns", "attn_weights", "attention_probs",
             "attn_probs", "attention_weights", "attn_map", "attention_map", "attn_maps",
             "attention_maps", "attn_scores", "attention_scores"),
    [SAC_NAMES_NO_ATTENTION] = LIST("weight", "bias", "beam_indices", "sequences", "input_ids",
                                    "token_ids", "image", "grid", "prefix"),

    [SAC_NAMES_IDS_END] = LIST("tokens", "input_ids", "token_ids"),
    [SAC_NAMES_IDS] = LIST("sequences", "source_ids", "target_ids"),
    [SAC_NAMES_TEXTS_END] = LIST("tokens", "words", "labels"),

    [SAC_NAMES_CELL_MASK] = LIST("image_token_mask", "image_mask", "vision_mask",
                                 "visual_token_mask", "visual_pos_masks", "mm_token_type_ids"),
    [SAC_NAMES_CELL_POSITIONS] =
        LIST("image_positions", "image_token_positions", "image_indices", "image_token_indices",
             "image_token_ids_positions", "vision_positions"),

    [SAC_NAMES_LAYER] = LIST("layer", "layers", "block", "blocks", "h", "l"),
    [SAC_NAMES_STEP] = LIST("step", "steps", "token", "t", "time"),
    [SAC_NAMES_COUNTING] = LIST("layer", "layers", "step", "steps", "block", "blocks"),
};

bool sac_name_is(sac_names list, const char *name)
{
    for (const char *const *known = sac_names_of[list]; *known; known++)
        if (strcasecmp(*known, name) == 0)
            return true;
    return false;
}

bool sac_name_ends(sac_names list, const char *name)
{
    size_t length = strlen(name);
    for (const char *const *known = sac_names_of[list]; *known; known++)
        if (length >= strlen(*known) && strcasecmp(name + length - strlen(*known), *known) == 0)
            return true;
    return false;
}
