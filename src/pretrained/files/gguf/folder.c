/* What a GGUF calls keys and tensors, and what transformers does. llama.cpp's gguf-py/gguf/constants.py lists its
 * names, convert_hf_to_gguf.py what it changes in tensors. */
#include "pretrained/files/gguf/folder.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"

enum { NAME = 192, MOST_HEADS = 1 << 16, MOST_LAYERS = 1 << 12, DEEPEST_HEAD = 1 << 12 };

/* ---------------------------------------------------------------- architectures */

/* What llama.cpp changed in a tensor, and is changed back. */
typedef enum sac_change {
    AS_IT_IS = 0,
    /* Rows of a head were put in pairs (0, d/2, 1, d/2 + 1, …), as rotary positions turn them there: of heads, … */
    PAIRED,
    PAIRED_KEYS, /* … of heads of keys */
    TRANSPOSED,
    ALL_HEADS, /* rows of query, key and value of one head stood together, and now those of all heads do */
    /* Queries of all heads, then keys and values, were rows of a head of keys together: its queries, key, value */
    GROUPED,
    FROM_ONE,   /* 1 was added to it */
    SINGLE_ROW, /* a matrix of one row, which may be a vector there */
    BARE,       /* its name ends in ".weight" there, and has no ending here, … */
    BARE_THERE, /* … or in neither place */
    /* It and the tensors that follow are one here: rows of query, key and value, … */
    JOINED,
    FRAMES, /* … or what sees two frames, whose number is the third axis here */
} sac_change;

typedef struct naming {
    /* Without ".weight" or ".bias"; # stands for the number of an expert; NULL: the end. */
    const char *theirs, *ours;
    sac_change change;
} naming;

typedef struct key {
    const char *theirs,
        *ours; /* behind the architecture's name; `ours` NULL: nothing depends on it */
} key;

/* A flag of config.json that a tensor of the first layer stands for. */
typedef struct flag {
    const char *ours, *tensor;
} flag;

typedef struct architecture {
    const char *name;              /* general.architecture */
    const char *type, *class_name; /* model_type and architectures */
    const char *layers;            /* what precedes a layer's number */
    const naming *whole, *layer;   /* tensors of the model, and of a layer */
    const key *keys;
    const char
        *activation; /* the key of config.json and its value, which no key of the file gives */
    const char *activation_value;
    /* Adds what the file leaves to readers that know the architecture; NULL: nothing. */
    void (*complete)(const sac_gguf_folder *f, double depth);
    const flag *flags;  /* NULL: none */
    const char *blocks; /* what precedes a layer's number there; NULL: "blk." */
} architecture;

static const naming llama_whole[] = {{"token_embd", "model.embed_tokens", AS_IT_IS},
                                     {"output_norm", "model.norm", AS_IT_IS},
                                     {"output", "lm_head", AS_IT_IS},
                                     {NULL}};
#define LLAMA_HALVES                                                                               \
    {"attn_norm", "input_layernorm", AS_IT_IS},                                                    \
        {"ffn_norm", "post_attention_layernorm", AS_IT_IS},                                        \
        {"attn_v", "self_attn.v_proj", AS_IT_IS},                                                  \
    {                                                                                              \
        "attn_output", "self_attn.o_proj", AS_IT_IS                                                \
    }
#define LLAMA_LAYER                                                                                \
    LLAMA_HALVES, {"ffn_gate", "mlp.gate_proj", AS_IT_IS}, {"ffn_up", "mlp.up_proj", AS_IT_IS},    \
        {"ffn_down", "mlp.down_proj", AS_IT_IS},                                                   \
    {                                                                                              \
        NULL                                                                                       \
    }
#define EXPERTS                                                                                    \
    {"ffn_gate_inp", "mlp.gate", AS_IT_IS}, {"ffn_gate.#", "mlp.experts.#.gate_proj", AS_IT_IS},   \
        {"ffn_up.#", "mlp.experts.#.up_proj", AS_IT_IS},                                           \
        {"ffn_down.#", "mlp.experts.#.down_proj", AS_IT_IS},                                       \
    {                                                                                              \
        NULL                                                                                       \
    }
static const naming llama_layer[] = {{"attn_q", "self_attn.q_proj", PAIRED},
                                     {"attn_k", "self_attn.k_proj", PAIRED_KEYS},
                                     LLAMA_LAYER};
static const naming qwen2_layer[] = {{"attn_q", "self_attn.q_proj", AS_IT_IS},
                                     {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                     LLAMA_LAYER};
static const naming qwen3_layer[] = {{"attn_q", "self_attn.q_proj", AS_IT_IS},
                                     {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                     {"attn_q_norm", "self_attn.q_norm", AS_IT_IS},
                                     {"attn_k_norm", "self_attn.k_norm", AS_IT_IS},
                                     LLAMA_LAYER};
/* Those whose rotary positions turn pairs (2i, 2i + 1) in transformers too have rows as they are. */
#define HALF_FUSED                                                                                 \
    {"attn_q", "self_attn.q_proj", AS_IT_IS}, {"attn_k", "self_attn.k_proj", AS_IT_IS},            \
        {"attn_v", "self_attn.v_proj", AS_IT_IS}, {"attn_norm", "input_layernorm", AS_IT_IS},      \
        {"ffn_norm", "post_attention_layernorm", AS_IT_IS},                                        \
        {"attn_output", "self_attn.o_proj", AS_IT_IS}, {"ffn_up", "mlp.gate_up_proj", AS_IT_IS},   \
    {                                                                                              \
        "ffn_down", "mlp.down_proj", AS_IT_IS                                                      \
    }
static const naming glm_layer[] = {HALF_FUSED, {NULL}};
static const naming glm4_layer[] = {{"post_attention_norm", "post_self_attn_layernorm", AS_IT_IS},
                                    {"post_ffw_norm", "post_mlp_layernorm", AS_IT_IS},
                                    HALF_FUSED,
                                    {NULL}};
static const naming starcoder2_layer[] = {{"attn_q", "self_attn.q_proj", AS_IT_IS},
                                          {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                          LLAMA_HALVES,
                                          {"ffn_up", "mlp.c_fc", AS_IT_IS},
                                          {"ffn_down", "mlp.c_proj", AS_IT_IS},
                                          {NULL}};
static const naming phi2_whole[] = {{"token_embd", "model.embed_tokens", AS_IT_IS},
                                    {"output_norm", "model.final_layernorm", AS_IT_IS},
                                    {"output", "lm_head", AS_IT_IS},
                                    {NULL}};
static const naming phi2_layer[] = {{"attn_norm", "input_layernorm", AS_IT_IS},
                                    {"attn_q", "self_attn.q_proj", AS_IT_IS},
                                    {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                    {"attn_v", "self_attn.v_proj", AS_IT_IS},
                                    {"attn_output", "self_attn.dense", AS_IT_IS},
                                    {"ffn_up", "mlp.fc1", AS_IT_IS},
                                    {"ffn_down", "mlp.fc2", AS_IT_IS},
                                    {NULL}};
static const naming phi3_layer[] = {{"attn_norm", "input_layernorm", AS_IT_IS},
                                    {"attn_qkv", "self_attn.qkv_proj", AS_IT_IS},
                                    {"attn_output", "self_attn.o_proj", AS_IT_IS},
                                    {"ffn_norm", "post_attention_layernorm", AS_IT_IS},
                                    {"ffn_up", "mlp.gate_up_proj", AS_IT_IS},
                                    {"ffn_down", "mlp.down_proj", AS_IT_IS},
                                    {NULL}};
static const naming olmo2_layer[] = {{"attn_q", "self_attn.q_proj", AS_IT_IS},
                                     {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                     {"attn_v", "self_attn.v_proj", AS_IT_IS},
                                     {"attn_output", "self_attn.o_proj", AS_IT_IS},
                                     {"attn_q_norm", "self_attn.q_norm", AS_IT_IS},
                                     {"attn_k_norm", "self_attn.k_norm", AS_IT_IS},
                                     {"post_attention_norm", "post_attention_layernorm", AS_IT_IS},
                                     {"ffn_gate", "mlp.gate_proj", AS_IT_IS},
                                     {"ffn_up", "mlp.up_proj", AS_IT_IS},
                                     {"ffn_down", "mlp.down_proj", AS_IT_IS},
                                     {"post_ffw_norm", "post_feedforward_layernorm", AS_IT_IS},
                                     {NULL}};

static const naming mixtral_layer[] = {{"attn_q", "self_attn.q_proj", PAIRED},
                                       {"attn_k", "self_attn.k_proj", PAIRED_KEYS},
                                       LLAMA_HALVES,
                                       {"ffn_gate_inp", "block_sparse_moe.gate", AS_IT_IS},
                                       {"ffn_gate.#", "block_sparse_moe.experts.#.w1", AS_IT_IS},
                                       {"ffn_up.#", "block_sparse_moe.experts.#.w3", AS_IT_IS},
                                       {"ffn_down.#", "block_sparse_moe.experts.#.w2", AS_IT_IS},
                                       {NULL}};
static const naming qwen3moe_layer[] = {{"attn_q", "self_attn.q_proj", AS_IT_IS},
                                        {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                        {"attn_q_norm", "self_attn.q_norm", AS_IT_IS},
                                        {"attn_k_norm", "self_attn.k_norm", AS_IT_IS},
                                        LLAMA_HALVES,
                                        EXPERTS};
static const naming qwen2moe_layer[] = {
    {"attn_q", "self_attn.q_proj", AS_IT_IS},
    {"attn_k", "self_attn.k_proj", AS_IT_IS},
    {"ffn_gate_shexp", "mlp.shared_expert.gate_proj", AS_IT_IS},
    {"ffn_up_shexp", "mlp.shared_expert.up_proj", AS_IT_IS},
    {"ffn_down_shexp", "mlp.shared_expert.down_proj", AS_IT_IS},
    {"ffn_gate_inp_shexp", "mlp.shared_expert_gate", SINGLE_ROW},
    LLAMA_HALVES,
    EXPERTS};
#define GPT_OSS_LAYER                                                                              \
    {"attn_norm", "input_layernorm", AS_IT_IS}, {"attn_q", "self_attn.q_proj", AS_IT_IS},          \
        {"attn_k", "self_attn.k_proj", AS_IT_IS}, {"attn_v", "self_attn.v_proj", AS_IT_IS},        \
        {"ffn_gate_inp", "mlp.router", AS_IT_IS},                                                  \
        {"ffn_gate.#", "mlp.experts.#.gate_proj", AS_IT_IS},                                       \
        {"ffn_up.#", "mlp.experts.#.up_proj", AS_IT_IS},                                           \
    {                                                                                              \
        "ffn_down.#", "mlp.experts.#.down_proj", AS_IT_IS                                          \
    }
static const naming gpt_oss_layer[] = {
    {"attn_output", "self_attn.o_proj", AS_IT_IS},
    {"attn_sinks", "self_attn.sinks", BARE},
    {"post_attention_norm", "post_attention_layernorm", AS_IT_IS},
    GPT_OSS_LAYER,
    {NULL}};
static const naming gptoss_layer[] = {{"attn_out", "self_attn.o_proj", AS_IT_IS},
                                      {"attn_sinks", "self_attn.sinks", BARE_THERE},
                                      {"ffn_norm", "post_attention_layernorm", AS_IT_IS},
                                      GPT_OSS_LAYER,
                                      {NULL}};

static const naming gemma_whole[] = {{"token_embd", "model.embed_tokens", AS_IT_IS},
                                     {"output_norm", "model.norm", FROM_ONE},
                                     {"output", "lm_head", AS_IT_IS},
                                     {NULL}};
static const naming gemma1_layer[] = {{"attn_norm", "input_layernorm", FROM_ONE},
                                      {"attn_q", "self_attn.q_proj", AS_IT_IS},
                                      {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                      {"attn_v", "self_attn.v_proj", AS_IT_IS},
                                      {"attn_output", "self_attn.o_proj", AS_IT_IS},
                                      {"ffn_norm", "post_attention_layernorm", FROM_ONE},
                                      {"ffn_gate", "mlp.gate_proj", AS_IT_IS},
                                      {"ffn_up", "mlp.up_proj", AS_IT_IS},
                                      {"ffn_down", "mlp.down_proj", AS_IT_IS},
                                      {NULL}};
static const naming gemma_layer[] = {{"attn_norm", "input_layernorm", FROM_ONE},
                                     {"attn_q", "self_attn.q_proj", AS_IT_IS},
                                     {"attn_k", "self_attn.k_proj", AS_IT_IS},
                                     {"attn_v", "self_attn.v_proj", AS_IT_IS},
                                     {"attn_q_norm", "self_attn.q_norm", FROM_ONE},
                                     {"attn_k_norm", "self_attn.k_norm", FROM_ONE},
                                     {"attn_output", "self_attn.o_proj", AS_IT_IS},
                                     {"post_attention_norm", "post_attention_layernorm", FROM_ONE},
                                     {"ffn_norm", "pre_feedforward_layernorm", FROM_ONE},
                                     {"ffn_gate", "mlp.gate_proj", AS_IT_IS},
                                     {"ffn_up", "mlp.up_proj", AS_IT_IS},
                                     {"ffn_down", "mlp.down_proj", AS_IT_IS},
                                     {"post_ffw_norm", "post_feedforward_layernorm", FROM_ONE},
                                     {NULL}};

static const naming neox_whole[] = {{"token_embd", "gpt_neox.embed_in", AS_IT_IS},
                                    {"output_norm", "gpt_neox.final_layer_norm", AS_IT_IS},
                                    {"output", "embed_out", AS_IT_IS},
                                    {NULL}};
static const naming neox_layer[] = {{"attn_norm", "input_layernorm", AS_IT_IS},
                                    {"attn_qkv", "attention.query_key_value", ALL_HEADS},
                                    {"attn_output", "attention.dense", AS_IT_IS},
                                    {"ffn_norm", "post_attention_layernorm", AS_IT_IS},
                                    {"ffn_up", "mlp.dense_h_to_4h", AS_IT_IS},
                                    {"ffn_down", "mlp.dense_4h_to_h", AS_IT_IS},
                                    {NULL}};
static const naming bloom_whole[] = {{"token_embd", "word_embeddings", AS_IT_IS},
                                     {"token_embd_norm", "word_embeddings_layernorm", AS_IT_IS},
                                     {"output_norm", "ln_f", AS_IT_IS},
                                     {"output", "lm_head", AS_IT_IS},
                                     {NULL}};
static const naming bloom_layer[] = {{"attn_norm", "input_layernorm", AS_IT_IS},
                                     {"attn_qkv", "self_attention.query_key_value", ALL_HEADS},
                                     {"attn_output", "self_attention.dense", AS_IT_IS},
                                     {"ffn_norm", "post_attention_layernorm", AS_IT_IS},
                                     {"ffn_up", "mlp.dense_h_to_4h", AS_IT_IS},
                                     {"ffn_down", "mlp.dense_4h_to_h", AS_IT_IS},
                                     {NULL}};

static const naming falcon_whole[] = {{"token_embd", "transformer.word_embeddings", AS_IT_IS},
                                      {"output_norm", "transformer.ln_f", AS_IT_IS},
                                      {"output", "lm_head", AS_IT_IS},
                                      {NULL}};
/* Its first norm has one of two names. */
static const naming falcon_layer[] = {{"attn_norm", "input_layernorm", AS_IT_IS},
                                      {"attn_norm", "ln_mlp", AS_IT_IS},
                                      {"attn_norm_2", "ln_attn", AS_IT_IS},
                                      {"attn_qkv", "self_attention.query_key_value", GROUPED},
                                      {"attn_output", "self_attention.dense", AS_IT_IS},
                                      {"ffn_up", "mlp.dense_h_to_4h", AS_IT_IS},
                                      {"ffn_down", "mlp.dense_4h_to_h", AS_IT_IS},
                                      {NULL}};

static const naming gpt2_whole[] = {{"token_embd", "wte", AS_IT_IS},
                                    {"position_embd", "wpe", AS_IT_IS},
                                    {"output_norm", "ln_f", AS_IT_IS},
                                    {"output", "lm_head", AS_IT_IS},
                                    {NULL}};
static const naming gpt2_layer[] = {{"attn_norm", "ln_1", AS_IT_IS},
                                    {"attn_qkv", "attn.c_attn", TRANSPOSED},
                                    {"attn_output", "attn.c_proj", TRANSPOSED},
                                    {"ffn_norm", "ln_2", AS_IT_IS},
                                    {"ffn_up", "mlp.c_fc", TRANSPOSED},
                                    {"ffn_down", "mlp.c_proj", TRANSPOSED},
                                    {NULL}};

static const naming bert_whole[] = {{"token_embd", "embeddings.word_embeddings", AS_IT_IS},
                                    {"token_types", "embeddings.token_type_embeddings", AS_IT_IS},
                                    {"position_embd", "embeddings.position_embeddings", AS_IT_IS},
                                    {"token_embd_norm", "embeddings.LayerNorm", AS_IT_IS},
                                    {"cls", "pooler.dense", AS_IT_IS},
                                    {"cls.output", "classifier", AS_IT_IS},
                                    {NULL}};
static const naming bert_layer[] = {{"attn_q", "attention.self.query", AS_IT_IS},
                                    {"attn_k", "attention.self.key", AS_IT_IS},
                                    {"attn_v", "attention.self.value", AS_IT_IS},
                                    {"attn_output", "attention.output.dense", AS_IT_IS},
                                    {"attn_output_norm", "attention.output.LayerNorm", AS_IT_IS},
                                    {"ffn_up", "intermediate.dense", AS_IT_IS},
                                    {"ffn_down", "output.dense", AS_IT_IS},
                                    {"layer_output_norm", "output.LayerNorm", AS_IT_IS},
                                    {NULL}};
static const naming nomic_whole[] = {{"token_embd", "embeddings.word_embeddings", AS_IT_IS},
                                     {"token_types", "embeddings.token_type_embeddings", AS_IT_IS},
                                     {"token_embd_norm", "emb_ln", AS_IT_IS},
                                     {NULL}};
static const naming nomic_layer[] = {
    {"attn_qkv", "attn.Wqkv", AS_IT_IS},      {"attn_output", "attn.out_proj", AS_IT_IS},
    {"attn_output_norm", "norm1", AS_IT_IS},  {"ffn_up", "mlp.fc11", AS_IT_IS},
    {"ffn_gate", "mlp.fc12", AS_IT_IS},       {"ffn_down", "mlp.fc2", AS_IT_IS},
    {"layer_output_norm", "norm2", AS_IT_IS}, {NULL}};

#define OF_LLAMA                                                                                   \
    {"context_length", "max_position_embeddings"}, {"embedding_length", "hidden_size"},            \
        {"block_count", "num_hidden_layers"}, {"feed_forward_length", "intermediate_size"},        \
        {"attention.head_count", "num_attention_heads"},                                           \
        {"attention.head_count_kv", "num_key_value_heads"}, {"attention.key_length", "head_dim"},  \
        {"attention.value_length", NULL}, {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},    \
        {"attention.sliding_window", "sliding_window"}, {"rope.dimension_count", NULL},            \
        {"rope.freq_base", "rope_theta"}, {"rope.scaling.type", NULL},                             \
        {"rope.scaling.factor", NULL}, {"rope.scaling.original_context_length", NULL},             \
        {"rope.scaling.attn_factor", NULL}, {"rope.scaling.finetuned", NULL},                      \
        {"rope.scaling.yarn_attn_factor", NULL}, {"rope.scaling.yarn_beta_fast", NULL},            \
        {"rope.scaling.yarn_beta_slow", NULL},                                                     \
    {                                                                                              \
        "rope.scale_linear", NULL /* as files of 2023 have the factor */                           \
    }
static const key llama_keys[] = {OF_LLAMA, {NULL}};
#define OF_EXPERTS                                                                                 \
    {"expert_count", "num_local_experts"},                                                         \
    {                                                                                              \
        "expert_used_count", "num_experts_per_tok"                                                 \
    }
static const key mixtral_keys[] = {OF_LLAMA, OF_EXPERTS, {NULL}};
static const key qwen2moe_keys[] = {
    OF_LLAMA,
    OF_EXPERTS,
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    {NULL}};
static const key granite_keys[] = {OF_LLAMA,
                                   {"attention.scale", "attention_multiplier"},
                                   {"embedding_scale", "embedding_multiplier"},
                                   {"residual_scale", "residual_multiplier"},
                                   {"logit_scale", "logits_scaling"},
                                   {NULL}};
static const key qwen3vl_keys[] = {OF_LLAMA, {"n_deepstack_layers", NULL}, {NULL}};
static const key olmo_keys[] = {OF_LLAMA, {"attention.layer_norm_epsilon", NULL}, {NULL}};
static const key olmo2_keys[] = {OF_LLAMA, {"attention.sliding_window_pattern", NULL}, {NULL}};
static const key stablelm_keys[] = {OF_LLAMA,
                                    {"attention.layer_norm_epsilon", "layer_norm_eps"},
                                    {"use_parallel_residual", "use_parallel_residual"},
                                    {NULL}};
static const key phi2_keys[] = {
    OF_LLAMA, {"attention.layer_norm_epsilon", "layer_norm_eps"}, {NULL}};
static const key starcoder2_keys[] = {
    OF_LLAMA, {"attention.layer_norm_epsilon", "norm_epsilon"}, {NULL}};
static const key cohere_keys[] = {OF_LLAMA,
                                  {"attention.layer_norm_epsilon", "layer_norm_eps"},
                                  {"attention.sliding_window_pattern", NULL},
                                  {"logit_scale", "logit_scale"},
                                  {NULL}};
static const key falcon_keys[] = {{"context_length", "max_position_embeddings"},
                                  {"embedding_length", "hidden_size"},
                                  {"block_count", "num_hidden_layers"},
                                  {"feed_forward_length", "ffn_hidden_size"},
                                  {"attention.head_count", "num_attention_heads"},
                                  {"attention.head_count_kv", "num_kv_heads"},
                                  {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
                                  {"rope.freq_base", "rope_theta"},
                                  {NULL}};
static const key qwen3moe_keys[] = {
    OF_LLAMA, OF_EXPERTS, {"expert_feed_forward_length", "moe_intermediate_size"}, {NULL}};
static const key gpt_oss_keys[] = {OF_LLAMA,
                                   OF_EXPERTS,
                                   {"expert_feed_forward_length", NULL}, /* by the tensor */
                                   {"attention.sliding_window_pattern", NULL},
                                   {NULL}};
static const key gemma_keys[] = {OF_LLAMA,
                                 {"attention.scale", NULL},
                                 {"attention.sliding_window_pattern", NULL},
                                 {"rope.freq_base_swa", "rope_local_base_freq"},
                                 {"attn_logit_softcapping", "attn_logit_softcapping"},
                                 {"final_logit_softcapping", "final_logit_softcapping"},
                                 {NULL}};
static const key neox_keys[] = {{"context_length", "max_position_embeddings"},
                                {"embedding_length", "hidden_size"},
                                {"block_count", "num_hidden_layers"},
                                {"feed_forward_length", "intermediate_size"},
                                {"attention.head_count", "num_attention_heads"},
                                {"attention.head_count_kv", NULL},
                                {"attention.layer_norm_epsilon", "layer_norm_eps"},
                                {"rope.dimension_count", NULL},
                                {"rope.freq_base", "rotary_emb_base"},
                                {"use_parallel_residual", "use_parallel_residual"},
                                {NULL}};
static const key bloom_keys[] = {{"context_length", NULL},
                                 {"embedding_length", "hidden_size"},
                                 {"block_count", "n_layer"},
                                 {"feed_forward_length", NULL},
                                 {"attention.head_count", "n_head"},
                                 {"attention.head_count_kv", NULL},
                                 {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
                                 {NULL}};
static const key gpt2_keys[] = {{"context_length", "n_positions"},
                                {"embedding_length", "n_embd"},
                                {"block_count", "n_layer"},
                                {"feed_forward_length", "n_inner"},
                                {"attention.head_count", "n_head"},
                                {"attention.head_count_kv", NULL},
                                {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
                                {NULL}};

#define OF_BERT(causal)                                                                            \
    {"context_length", "max_position_embeddings"}, {"embedding_length", "hidden_size"},            \
        {"block_count", "num_hidden_layers"}, {"feed_forward_length", "intermediate_size"},        \
        {"attention.head_count", "num_attention_heads"}, {"attention.head_count_kv", NULL},        \
        {"attention.layer_norm_epsilon", "layer_norm_eps"},                                        \
    {                                                                                              \
        "attention.causal", causal                                                                 \
    }
static const key bert_keys[] = {OF_BERT("is_decoder"), {NULL}};
static const key nomic_keys[] = {OF_BERT("causal"), {"rope.freq_base", "rope_theta"}, {NULL}};

/* Keys of llama.cpp's list that change nothing where they have one of two values, of every architecture but those
 * whose own table has them. */
typedef struct neutral {
    const char *name; /* one that ends in a dot: all that begin so */
    bool always;      /* it changes no attention, whatever it is */
    double values[2]; /* numbers, or 0 and 1 of flags; of a list all */
} neutral;

static const neutral neutrals[] = {
    {"vocab_size", true},
    {"context_length", true},
    {"tensor_data_layout", true},
    {"pooling_type", true},
    {"classifier.output_labels", true},
    {"embedding_length_out", true},
    {"features_length", true},
    {"dense_2_feat_in", true},
    {"dense_2_feat_out", true},
    {"dense_3_feat_in", true},
    {"dense_3_feat_out", true},
    {"decoder_start_token_id", true},
    {"attention.layer_norm_epsilon", true}, /* the kind of norm follows from the architecture */
    {"attention.layer_norm_rms_epsilon", true},
    {"attention.group_norm_epsilon", true},
    {"rope.dimension_count", true},    /* of those that have no rotary positions */
    {"rope.dimension_sections", true}, /* of pictures; a text's parts have one place */
    {"rope.freq_base", true},
    {"rope.scaling.finetuned", true},
    {"use_parallel_residual", false, {0, 0}},
    {"attention.causal", false, {1, 1}},
    {"attention.max_alibi_bias", false, {0, 0}},
    {"attention.clamp_kqv", false, {0, 0}},
    {"attention.scale", false, {0, 0}},
    {"attention.output_scale", false, {0, 1}},
    {"attention.temperature_length", false, {0, 0}},
    {"attention.temperature_scale", false, {0, 0}},
    {"attention.sliding_window", false, {0, 0}},
    {"attention.sliding_window_pattern", false, {0, 0}},
    {"attention.shared_kv_layers", false, {0, 0}},
    {"attention.relative_buckets_count", false, {0, 0}},
    {"attention.group_norm_groups", false, {0, 0}},
    {"attention.q_lora_rank", false, {0, 0}},
    {"attention.kv_lora_rank", false, {0, 0}},
    {"attention.decay_lora_rank", false, {0, 0}},
    {"attention.iclr_lora_rank", false, {0, 0}},
    {"attention.value_residual_mix_lora_rank", false, {0, 0}},
    {"attention.gate_lora_rank", false, {0, 0}},
    {"attention.key_length_mla", false, {0, 0}},
    {"attention.value_length_mla", false, {0, 0}},
    {"attention.indexer.", false, {0, 0}},
    {"attn_logit_softcapping", false, {0, 0}},
    {"final_logit_softcapping", false, {0, 0}},
    {"router_logit_softcapping", false, {0, 0}},
    {"logit_scale", false, {0, 1}},
    {"residual_scale", false, {0, 1}},
    {"embedding_scale", false, {0, 1}},
    {"expert_count", false, {0, 0}},
    {"expert_used_count", false, {0, 0}},
    {"expert_shared_count", false, {0, 0}},
    {"expert_feed_forward_length", false, {0, 0}},
    {"expert_shared_feed_forward_length", false, {0, 0}},
    {"expert_chunk_feed_forward_length", false, {0, 0}},
    {"expert_group_count", false, {0, 1}},
    {"expert_group_used_count", false, {0, 1}},
    {"expert_group_scale", false, {0, 1}},
    {"experts_per_group", false, {0, 1}},
    {"expert_weights_scale", false, {0, 1}},
    {"expert_gating_func", false, {0, 1}}, /* 1: softmax */
    {"leading_dense_block_count", false, {0, 0}},
    {"interleave_moe_layer_step", false, {0, 1}},
    {"moe_every_n_layers", false, {0, 1}},
    {"moe_latent_size", false, {0, 0}},
    {"nextn_predict_layers", false, {0, 0}},
    {"n_deepstack_layers", false, {0, 0}},
    {"full_attention_interval", false, {0, 1}},
    {"rescale_every_n_layers", false, {0, 0}},
    {"token_shift_count", false, {0, 0}},
    {"time_mix_extra_dim", false, {0, 0}},
    {"time_decay_extra_dim", false, {0, 0}},
    {"activation_sparsity_scale", false, {0, 0}},
    {"embedding_length_per_layer_input", false, {0, 0}},
    {"swiglu_clamp_exp", false, {0, 0}},
    {"swiglu_clamp_shexp", false, {0, 0}},
    {"swin_norm", false, {0, 0}},
    {"altup.", false, {0, 0}},
    {"rope.scale_linear", false, {0, 1}}, /* where there are no rotary positions to stretch */
    {"rope.scaling.alpha", false, {0, 1}},
    {"rope.scaling.yarn_ext_factor", false, {-1, 1}},
    {"rope.scaling.yarn_log_multiplier", false, {0, 0}},
    {"ssm.", false, {0, 0}},
    {"kda.", false, {0, 0}},
    {"wkv.", false, {0, 0}},
    {"shortconv.", false, {0, 0}},
    {"posnet.", false, {0, 0}},
    {"convnext.", false, {0, 0}},
};

/* Keys that have to be as others are, where there are both. */
static const char *const twins[][2] = {
    {"attention.key_length_swa", "attention.key_length"},
    {"attention.value_length_swa", "attention.value_length"},
    {"rope.dimension_count_swa", "rope.dimension_count"},
    {"rope.freq_base_swa", "rope.freq_base"},
};

static void complete_gemma(const sac_gguf_folder *f, double depth);
static void complete_neox(const sac_gguf_folder *f, double depth);
static void complete_qwen3moe(const sac_gguf_folder *f, double depth);
static void complete_gpt_oss(const sac_gguf_folder *f, double depth);
static void complete_bert(const sac_gguf_folder *f, double depth);

static void complete_cohere2(const sac_gguf_folder *f, double depth);
static void complete_falcon(const sac_gguf_folder *f, double depth);
static void complete_olmo2(const sac_gguf_folder *f, double depth);
static void complete_turned_part(const sac_gguf_folder *f, double depth);
static void complete_sections(const sac_gguf_folder *f, double depth);

static const flag llama_flags[] = {
    {"attention_bias", "attn_q.bias"}, {"mlp_bias", "ffn_up.bias"}, {NULL}};
static const flag attention_flags[] = {{"attention_bias", "attn_q.bias"}, {NULL}};
static const flag all_flags[] = {{"use_bias", "attn_q.bias"}, {NULL}};
static const flag stablelm_flags[] = {{"use_qkv_bias", "attn_q.bias"}, {NULL}};
static const flag falcon_flags[] = {{"bias", "attn_qkv.bias"}, {NULL}};

static const architecture architectures[] = {
    {"llama", "llama", "LlamaForCausalLM", "model.layers.", llama_whole, llama_layer, llama_keys,
     "hidden_act", "silu", NULL, llama_flags},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", "model.layers.", llama_whole, qwen2_layer, llama_keys,
     "hidden_act", "silu"},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", "model.layers.", llama_whole, qwen3_layer, llama_keys,
     "hidden_act", "silu"},
    /* what reads in Qwen2-VL and Qwen2.5-VL */
    {"qwen2vl", "qwen2_vl_text", "Qwen2ForCausalLM", "model.layers.", llama_whole, qwen2_layer,
     llama_keys, "hidden_act", "silu", complete_sections},
    {"qwen3vl", "qwen3_vl_text", "Qwen3ForCausalLM", "model.layers.", llama_whole, qwen3_layer,
     qwen3vl_keys, "hidden_act", "silu", complete_sections},
    {"phi3", "phi3", "Phi3ForCausalLM", "model.layers.", llama_whole, phi3_layer, llama_keys,
     "hidden_act", "silu"},
    {"olmo2", "olmo2", "Olmo2ForCausalLM", "model.layers.", llama_whole, olmo2_layer, olmo2_keys,
     "hidden_act", "silu", complete_olmo2},
    {"smollm3", "smollm3", "SmolLM3ForCausalLM", "model.layers.", llama_whole, llama_layer,
     llama_keys, "hidden_act", "silu"},
    /* "llama" with experts */
    {"llama", "mixtral", "MixtralForCausalLM", "model.layers.", llama_whole, mixtral_layer,
     mixtral_keys, "hidden_act", "silu"},
    {"qwen3moe", "qwen3_moe", "Qwen3MoeForCausalLM", "model.layers.", llama_whole, qwen3moe_layer,
     qwen3moe_keys, "hidden_act", "silu", complete_qwen3moe},
    {"olmoe", "olmoe", "OlmoeForCausalLM", "model.layers.", llama_whole, qwen3moe_layer,
     mixtral_keys, "hidden_act", "silu"},
    {"gpt-oss", "gpt_oss", "GptOssForCausalLM", "model.layers.", llama_whole, gpt_oss_layer,
     gpt_oss_keys, "hidden_act", "silu", complete_gpt_oss},
    /* as Ollama wrote it in 2025 */
    {"gptoss", "gpt_oss", "GptOssForCausalLM", "model.layers.", llama_whole, gptoss_layer,
     gpt_oss_keys, "hidden_act", "silu", complete_gpt_oss},
    {"gemma", "gemma", "GemmaForCausalLM", "model.layers.", gemma_whole, gemma1_layer, llama_keys,
     "hidden_activation", "gelu_pytorch_tanh"},
    {"gemma2", "gemma2", "Gemma2ForCausalLM", "model.layers.", gemma_whole, gemma_layer, gemma_keys,
     "hidden_activation", "gelu_pytorch_tanh", complete_gemma},
    {"gemma3", "gemma3_text", "Gemma3ForCausalLM", "model.layers.", gemma_whole, gemma_layer,
     gemma_keys, "hidden_activation", "gelu_pytorch_tanh", complete_gemma},
    {"granite", "granite", "GraniteForCausalLM", "model.layers.", llama_whole, llama_layer,
     granite_keys, "hidden_act", "silu", NULL, llama_flags},
    {"olmo", "olmo", "OlmoForCausalLM", "model.layers.", llama_whole, llama_layer, olmo_keys,
     "hidden_act", "silu", NULL, attention_flags},
    {"phi2", "phi", "PhiForCausalLM", "model.layers.", phi2_whole, phi2_layer, phi2_keys,
     "hidden_act", "gelu_new", complete_turned_part, NULL},
    {"stablelm", "stablelm", "StableLmForCausalLM", "model.layers.", llama_whole, qwen2_layer,
     stablelm_keys, "hidden_act", "silu", complete_turned_part, stablelm_flags},
    {"starcoder2", "starcoder2", "Starcoder2ForCausalLM", "model.layers.", llama_whole,
     starcoder2_layer, starcoder2_keys, "hidden_act", "gelu_pytorch_tanh", NULL, all_flags},
    {"falcon", "falcon", "FalconForCausalLM", "transformer.h.", falcon_whole, falcon_layer,
     falcon_keys, "activation", "gelu", complete_falcon, falcon_flags},
    {"command-r", "cohere", "CohereForCausalLM", "model.layers.", llama_whole, qwen2_layer,
     cohere_keys, "hidden_act", "silu", NULL, attention_flags},
    {"cohere2", "cohere2", "Cohere2ForCausalLM", "model.layers.", llama_whole, qwen2_layer,
     cohere_keys, "hidden_act", "silu", complete_cohere2, attention_flags},
    {"ernie4_5", "ernie4_5", "Ernie4_5ForCausalLM", "model.layers.", llama_whole, qwen2_layer,
     llama_keys, "hidden_act", "silu", NULL, all_flags},
    {"chatglm", "glm", "GlmForCausalLM", "model.layers.", llama_whole, glm_layer, llama_keys,
     "hidden_act", "silu", complete_turned_part, attention_flags},
    {"glm4", "glm4", "Glm4ForCausalLM", "model.layers.", llama_whole, glm4_layer, llama_keys,
     "hidden_act", "silu", complete_turned_part, attention_flags},
    {"qwen2moe", "qwen2_moe", "Qwen2MoeForCausalLM", "model.layers.", llama_whole, qwen2moe_layer,
     qwen2moe_keys, "hidden_act", "silu", NULL, NULL},
    {"gptneox", "gpt_neox", "GPTNeoXForCausalLM", "gpt_neox.layers.", neox_whole, neox_layer,
     neox_keys, "hidden_act", "gelu", complete_neox},
    {"bloom", "bloom", "BloomForCausalLM", "h.", bloom_whole, bloom_layer, bloom_keys, NULL, NULL},
    {"bert", "bert", "BertModel", "encoder.layer.", bert_whole, bert_layer, bert_keys, "hidden_act",
     "gelu", complete_bert},
    {"nomic-bert", "nomic_bert", "NomicBertModel", "encoder.layers.", nomic_whole, nomic_layer,
     nomic_keys, "hidden_act", "silu", complete_bert},
    {"gpt2", "gpt2", "GPT2LMHeadModel", "h.", gpt2_whole, gpt2_layer, gpt2_keys,
     "activation_function", "gelu_new"},
};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

struct sac_gguf_folder {
    sac_gguf *file;
    sac_gguf_folder *vision; /* what sees for it, out of another file; NULL: it reads text alone */
    architecture own;        /* of what sees: its row, as the file has its names */
    cJSON *pictures;         /* its preprocessor_config.json; NULL: it has none */
    const architecture *architecture;
    cJSON *config;
    sac_array *arrays; /* [file->count], as they were requested; rank −1: not yet */
    sac_array *
        paired; /* [file->count], bytes of rows of blocks in their order here; as they were requested */
    char why[300];     /* the last one that cannot be read is not */
    char ignored[300]; /* keys that were passed over, parted by commas */
};

/* ---------------------------------------------------------------- keys */

static const cJSON *find_key(const sac_gguf_folder *f, const char *name)
{
    char full[NAME];
    snprintf(full, sizeof full, "%s.%s", f->architecture->name, name);
    return cJSON_GetObjectItemCaseSensitive(f->file->keys, full);
}

/* A value, or of a list, as files may have one for each layer, the value that all of it have. */
static const cJSON *uniform_value(const sac_gguf_folder *f, const char *name)
{
    const cJSON *value = find_key(f, name), *one;
    if (!cJSON_IsArray(value) || !cJSON_IsNumber(value->child))
        return value;
    cJSON_ArrayForEach(one, value) if (!cJSON_IsNumber(one) ||
                                       one->valuedouble != value->child->valuedouble) return value;
    return value->child;
}

static double number_of(const sac_gguf_folder *f, const char *name, double otherwise)
{
    const cJSON *value = uniform_value(f, name);
    return cJSON_IsNumber(value) ? value->valuedouble : otherwise;
}

static bool is_one_of(const cJSON *value, const double values[2])
{
    const cJSON *one;
    double number = cJSON_IsBool(value) ? cJSON_IsTrue(value) : value->valuedouble;
    if (!cJSON_IsArray(value))
        return (cJSON_IsNumber(value) || cJSON_IsBool(value)) &&
               (number == values[0] || number == values[1]);
    cJSON_ArrayForEach(one, value) if (cJSON_IsArray(one) || !is_one_of(one, values)) return false;
    return true;
}

/* Whether nothing depends on the key, as it is; *known: it is on llama.cpp's list. */
static bool is_neutral(const sac_gguf_folder *f, const char *name, const cJSON *value, bool *known)
{
    *known =
        strcmp(name, "attention.key_length") == 0 || strcmp(name, "attention.value_length") == 0;
    if (*known) /* of architectures whose heads share the width */
        return value->valuedouble * number_of(f, "attention.head_count", 0) ==
               number_of(f, "embedding_length", 0);
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (strcmp(name, twins[i][0]) == 0) {
            *known = true;
            return value->valuedouble == number_of(f, twins[i][1], value->valuedouble);
        }
    for (const neutral *n = neutrals; n < neutrals + sizeof neutrals / sizeof *neutrals; n++) {
        size_t length = strlen(n->name);
        if (n->name[length - 1] == '.' ? strncmp(name, n->name, length) == 0
                                       : strcmp(name, n->name) == 0) {
            *known = true;
            return n->always || is_one_of(value, n->values);
        }
    }
    return false;
}

/* ---- keys that a person has passed over */

enum { IGNORED_MOST = 64 };
static char *ignored[IGNORED_MOST];
static int ignored_count;

sac_status sac_gguf_ignore(const char *name, sac_error *error)
{
    for (int i = 0; i < ignored_count; i++)
        if (strcmp(ignored[i], name) == 0)
            return SAC_OK;
    if (ignored_count == IGNORED_MOST)
        return sac_fail(error, SAC_E_ARGUMENT, "--ignore", NULL, "is given more than %d times",
                        IGNORED_MOST);
    if (!(ignored[ignored_count] = strdup(name)))
        return sac_no_memory(error, "--ignore");
    ignored_count++;
    return SAC_OK;
}

static bool note_if_ignored(sac_gguf_folder *f, const char *name)
{
    int i = 0;
    while (i < ignored_count && strcmp(ignored[i], name) != 0)
        i++;
    size_t used = strlen(f->ignored);
    if (i < ignored_count)
        snprintf(f->ignored + used, sizeof f->ignored - used, "%s%s", used ? "," : "", name);
    return i < ignored_count;
}

/* A key of this architecture that is not in its table may change the result. */
static sac_status check_keys(sac_gguf_folder *f, sac_error *error)
{
    const cJSON *value;
    const char *name = f->architecture->name;
    size_t length = strlen(name), number = 0;
    sac_status status = SAC_OK;
    for (int i = 0; i < ignored_count; i++)
        if (strncmp(ignored[i], name, length) == 0 && ignored[i][length] == '.' &&
            !cJSON_GetObjectItemCaseSensitive(f->file->keys, ignored[i]))
            return sac_fail(error, SAC_E_ARGUMENT, "--ignore", "leave it out",
                            "\"%.100s\" is no key of the file", ignored[i]);
    cJSON_ArrayForEach(value, f->file->keys)
    {
        bool is_listed;
        if (++number % 4096 == 0)
            status = sac_cancel_check("keys", error);
        if (status != SAC_OK)
            return status;
        if (strncmp(value->string, name, length) != 0 || value->string[length] != '.')
            continue;
        const char *own = value->string + length + 1;
        const key *known = f->architecture->keys;
        while (known->theirs && strcmp(known->theirs, own) != 0)
            known++;
        if (known->theirs || is_neutral(f, own, value, &is_listed) ||
            note_if_ignored(f, value->string))
            continue;
        return sac_fail(error, SAC_E_FORMAT, value->string,
                        "take the folder with config.json and safetensors, or pass the key over "
                        "(--ignore KEY), if nothing depends on it",
                        is_listed ? "has a value that is not supported of this architecture"
                                  : "is a key that is not known here of this architecture");
    }
    return SAC_OK;
}

/* Numbers of a head of queries; 0: unknown. */
static double head_depth(const sac_gguf_folder *f)
{
    double heads = number_of(f, "attention.head_count", 0);
    double share = heads > 0 ? number_of(f, "embedding_length", 0) / heads : 0;
    return number_of(f, "attention.key_length", share);
}

/* A number for each frequency of rotary positions, by which it is divided. */
static sac_status add_rope_divisors(const sac_gguf_folder *f, const char *name, cJSON *rope,
                                    const char *ours, sac_error *error)
{
    sac_array numbers = {0};
    const sac_gguf_tensor *tensor = sac_gguf_find(f->file, name);
    double turned = number_of(f, "rope.dimension_count", head_depth(f));
    double most = turned > 0 && turned <= DEEPEST_HEAD ? turned / 2 : 0;
    sac_status status =
        !tensor ? sac_fail(error, SAC_E_FORMAT, name, NULL, "is missing")
        : tensor->rank != 1 || (double)tensor->shape[0] > most
            ? sac_fail(error, SAC_E_FORMAT, name, "get the file again",
                       "is not a list of %g numbers, half as many as a head turns", most)
            : sac_gguf_numbers(tensor, &numbers, error);
    if (status == SAC_OK && numbers.dtype != SAC_F32)
        status = sac_fail(error, SAC_E_FORMAT, name, NULL, "is not of float32");
    if (status == SAC_OK)
        cJSON_AddItemToObject(rope, ours,
                              cJSON_CreateFloatArray(numbers.data, (int)sac_array_count(&numbers)));
    sac_array_free(&numbers);
    return status;
}

/* Frequencies of rotary positions: divided each by its own number (of LLaMA 3 the same for all texts), or
 * stretched by one. */
static sac_status add_rope(const sac_gguf_folder *f, sac_error *error)
{
    bool by_length = sac_gguf_find(f->file, "rope_factors_long.weight") != NULL;
    bool divides = by_length || sac_gguf_find(f->file, "rope_freqs.weight");
    const cJSON *scaling = find_key(f, "rope.scaling.type");
    double factor = number_of(f, "rope.scaling.factor", number_of(f, "rope.scale_linear", 0));
    const char *usual = strcmp(f->architecture->name, "gptoss") == 0 ? "yarn"
                        : factor > 0 && factor != 1                  ? "linear"
                                                                     : "none";
    const char *type = cJSON_IsString(scaling) ? scaling->valuestring : usual;
    double longest = number_of(f, "context_length", 0);
    double trained = number_of(f, "rope.scaling.original_context_length", longest);
    if (!divides && strcmp(type, "none") == 0)
        return SAC_OK;
    cJSON *rope = cJSON_AddObjectToObject(f->config, "rope_scaling");
    cJSON_AddStringToObject(rope, "rope_type", divides ? "longrope" : type);
    cJSON_AddNumberToObject(rope, "factor",
                            factor > 0                 ? factor
                            : by_length && trained > 0 ? longest / trained
                                                       : 1);
    cJSON_AddNumberToObject(rope, "original_max_position_embeddings", trained);
    if (!divides && strcmp(type, "yarn") == 0) {
        static const char *const numbers[][2] = {
            {"rope.scaling.yarn_beta_fast", "beta_fast"},
            {"rope.scaling.yarn_beta_slow", "beta_slow"},
            {"rope.scaling.yarn_attn_factor", "attention_factor"}};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (find_key(f, numbers[i][0]))
                cJSON_AddNumberToObject(rope, numbers[i][1], number_of(f, numbers[i][0], 0));
    } else if (divides || find_key(f, "rope.scaling.attn_factor"))
        cJSON_AddNumberToObject(rope, "attention_factor",
                                number_of(f, "rope.scaling.attn_factor", 1));
    if (!divides)
        return SAC_OK;
    sac_status status =
        add_rope_divisors(f, by_length ? "rope_factors_short.weight" : "rope_freqs.weight", rope,
                          "short_factor", error);
    return status == SAC_OK
               ? add_rope_divisors(f, by_length ? "rope_factors_long.weight" : "rope_freqs.weight",
                                   rope, "long_factor", error)
               : status;
}

/* A window of 0 tokens is none. */
static bool has_no_window(const sac_gguf_folder *f)
{
    return number_of(f, "attention.sliding_window", -1) == 0;
}

/* Of some layers each token sees a window: by a list of them, or of `usual` all but the last, which llama.cpp
 * knows where the file lacks it (src/models/gemma2.cpp, gemma3.cpp, openai-moe.cpp). */
static void add_layer_types(const sac_gguf_folder *f, int usual, bool windows)
{
    static const char name[] = "attention.sliding_window_pattern";
    const cJSON *pattern = find_key(f, name);
    double layers = number_of(f, "block_count", 0), every = number_of(f, name, usual);
    cJSON *types = cJSON_AddArrayToObject(f->config, "layer_types");
    for (int i = 0; i < layers && i < MOST_LAYERS; i++) {
        bool all = every < 1 || every > MOST_LAYERS;
        bool local = cJSON_IsArray(pattern) ? cJSON_IsTrue(cJSON_GetArrayItem(pattern, i))
                                            : all || (i + 1) % (int)every != 0;
        cJSON_AddItemToArray(types, cJSON_CreateString(windows && local && !has_no_window(f)
                                                           ? "sliding_attention"
                                                           : "full_attention"));
    }
}

/* The scale, which llama.cpp knows too: 27B's is by the share of a head in the width, of all others by the
 * head's own. */
static void complete_gemma(const sac_gguf_folder *f, double depth)
{
    bool second = strcmp(f->architecture->name, "gemma2") == 0;
    double layers = number_of(f, "block_count", 0), heads = number_of(f, "attention.head_count", 0);
    double scale = number_of(f, "attention.scale", 0);
    bool large = layers == (second ? 46 : 62) && heads > 0;
    cJSON_AddNumberToObject(f->config, "query_pre_attn_scalar",
                            scale > 0 ? 1 / (scale * scale)
                            : large   ? number_of(f, "embedding_length", 0) / heads
                                      : depth);
    add_layer_types(f, second ? 2 : 6, second || number_of(f, "attention.sliding_window", 0) > 0);
}

/* Kinds of texts are as many as there are rows of them. */
static void complete_bert(const sac_gguf_folder *f, double depth)
{
    const sac_gguf_tensor *kinds = sac_gguf_find(f->file, "token_types.weight");
    (void)depth;
    cJSON_AddNumberToObject(f->config, "type_vocab_size",
                            !kinds             ? 0
                            : kinds->rank == 2 ? (double)kinds->shape[0]
                                               : 1);
}

static void complete_qwen3moe(const sac_gguf_folder *f, double depth)
{
    (void)depth;
    cJSON_AddBoolToObject(f->config, "norm_topk_prob", true);
}

static void complete_gpt_oss(const sac_gguf_folder *f, double depth)
{
    cJSON *rope = cJSON_GetObjectItemCaseSensitive(f->config, "rope_scaling");
    const sac_gguf_tensor *gate = sac_gguf_find(f->file, "blk.0.ffn_gate.0.weight");
    (void)depth;
    if (gate) {
        cJSON_DeleteItemFromObjectCaseSensitive(f->config, "intermediate_size");
        cJSON_AddNumberToObject(f->config, "intermediate_size", (double)gate->shape[0]);
    }
    add_layer_types(f, 2, true);
    if (rope)
        cJSON_AddBoolToObject(rope, "truncate",
                              false); /* as it was trained; there is no key for it */
}

/* Unless the file gives how much of a head is turned, all of it is. */
static void complete_neox(const sac_gguf_folder *f, double depth)
{
    double turned = number_of(f, "rope.dimension_count", depth);
    cJSON_DeleteItemFromObjectCaseSensitive(f->config, "partial_rotary_factor");
    cJSON_AddNumberToObject(f->config, "rotary_pct", depth > 0 ? turned / depth : 1);
}

/* Written in any case: these architectures turn a part of a head where config.json does not have it. */
static void complete_turned_part(const sac_gguf_folder *f, double depth)
{
    if (depth > 0 && number_of(f, "rope.dimension_count", depth) == depth)
        cJSON_AddNumberToObject(f->config, "partial_rotary_factor", 1);
}

/* How many angles of a head are of time, rows and columns, and a fourth number, which is 0. */
static void complete_sections(const sac_gguf_folder *f, double depth)
{
    const cJSON *sections = find_key(f, "rope.dimension_sections");
    cJSON *rope = cJSON_GetObjectItemCaseSensitive(f->config, "rope_scaling");
    (void)depth;
    if (!sections)
        return;
    if (!rope) {
        rope = cJSON_AddObjectToObject(f->config, "rope_scaling");
        cJSON_AddStringToObject(rope, "rope_type", "default");
    }
    cJSON *three = cJSON_AddArrayToObject(rope, "mrope_section");
    const cJSON *one;
    cJSON_ArrayForEach(one, sections) if (cJSON_GetArraySize(three) < 3)
        cJSON_AddItemToArray(three, cJSON_Duplicate(one, true));
}

/* src/models/cohere2-iswa.cpp: of four layers the last sees all. */
static void complete_cohere2(const sac_gguf_folder *f, double depth)
{
    (void)depth;
    add_layer_types(f, 4, true);
}

/* With windows it is OLMo 3, of whose layers each fourth has none (src/models/olmo2.cpp). */
static void complete_olmo2(const sac_gguf_folder *f, double depth)
{
    (void)depth;
    if (number_of(f, "attention.sliding_window", 0) <= 0)
        return;
    cJSON_ReplaceItemInObjectCaseSensitive(f->config, "model_type", cJSON_CreateString("olmo3"));
    cJSON_ReplaceItemInArray(cJSON_GetObjectItemCaseSensitive(f->config, "architectures"), 0,
                             cJSON_CreateString("Olmo3ForCausalLM"));
    add_layer_types(f, 4, true);
}

static bool has_in_first_layer(const sac_gguf_folder *f, const char *tensor)
{
    char name[NAME];
    snprintf(name, sizeof name, "blk.0.%s", tensor);
    return sac_gguf_find(f->file, name) != NULL;
}

/* Of 7B all queries share a head of keys; larger ones have several, and one norm or two. */
static void complete_falcon(const sac_gguf_folder *f, double depth)
{
    bool two = has_in_first_layer(f, "attn_norm_2.weight");
    (void)depth;
    cJSON_AddBoolToObject(f->config, "multi_query", true);
    cJSON_AddBoolToObject(f->config, "parallel_attn", true);
    cJSON_AddBoolToObject(f->config, "new_decoder_architecture",
                          two || number_of(f, "attention.head_count_kv", 1) > 1);
    cJSON_AddNumberToObject(f->config, "num_ln_in_parallel_attn", two ? 2 : 1);
}

static sac_status make_config(sac_gguf_folder *f, sac_error *error)
{
    const architecture *a = f->architecture;
    const sac_gguf_tensor *words = sac_gguf_find(f->file, "token_embd.weight");
    cJSON *c = f->config = cJSON_CreateObject();
    cJSON_AddStringToObject(c, "model_type", a->type);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(c, "architectures"),
                         cJSON_CreateString(a->class_name));
    if (a->activation)
        cJSON_AddStringToObject(c, a->activation, a->activation_value);
    for (const key *k = a->keys; k->theirs; k++)
        if (k->ours && find_key(f, k->theirs))
            cJSON_AddItemToObject(c, k->ours, cJSON_Duplicate(uniform_value(f, k->theirs), true));
    if (has_no_window(
            f)) { /* null: whatever the architecture has where config.json has no such key */
        cJSON_DeleteItemFromObjectCaseSensitive(c, "sliding_window");
        cJSON_AddNullToObject(c, "sliding_window");
    }
    if (words && words->rank == 2)
        cJSON_AddNumberToObject(c, "vocab_size", (double)words->shape[0]);
    cJSON_AddBoolToObject(c, "tie_word_embeddings", !sac_gguf_find(f->file, "output.weight"));
    static const char *const tokens[][2] = {{"tokenizer.ggml.bos_token_id", "bos_token_id"},
                                            {"tokenizer.ggml.eos_token_id", "eos_token_id"}};
    for (int i = 0; i < 2; i++) {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(f->file->keys, tokens[i][0]);
        if (id)
            cJSON_AddItemToObject(c, tokens[i][1], cJSON_Duplicate(id, true));
        else
            cJSON_AddNullToObject(c, tokens[i][1]); /* none, and not the class's */
    }
    for (const flag *g = a->flags; g && g->ours; g++)
        cJSON_AddBoolToObject(c, g->ours, has_in_first_layer(f, g->tensor));
    double depth = head_depth(f);
    if (number_of(f, "attention.value_length", depth) != depth)
        return sac_fail(error, SAC_E_FORMAT, "attention.value_length", NULL,
                        "differs from attention.key_length, which is not supported");
    double turned = number_of(f, "rope.dimension_count", depth);
    if (turned != depth && depth > 0)
        cJSON_AddNumberToObject(c, "partial_rotary_factor", turned / depth);
    sac_status status = add_rope(f, error);
    if (status == SAC_OK && a->complete)
        a->complete(f, depth);
    return status;
}

/* ---------------------------------------------------------------- tensors */

/* Two names of one thing, the number of its layer among them, or −1; the change is that of the table. */
typedef struct meaning {
    char theirs[NAME], ours[NAME];
    sac_change change;
} meaning;

/* Whether the name is that of the table, in which # stands for digits: `number`, of which there may be none. */
static bool matches(const char *wanted, const char *name, size_t length, const char **number,
                    int *digits)
{
    const char *mark = strchr(wanted, '#');
    size_t before = mark ? (size_t)(mark - wanted) : strlen(wanted);
    *number = "";
    *digits = 0;
    if (length < before || memcmp(name, wanted, before) != 0)
        return false;
    if (!mark)
        return length == before;
    *number = name + before;
    *digits = (int)strspn(*number, "0123456789");
    size_t behind = length - before - (size_t)*digits;
    return *digits > 0 && strlen(mark + 1) == behind &&
           memcmp(*number + *digits, mark + 1, behind) == 0;
}

/* The name of the table with `digits` of `number` in place of #. */
static void fill_name_pattern(const char *name, const char *number, int digits, char full[NAME / 2])
{
    const char *mark = strchr(name, '#');
    if (mark)
        snprintf(full, NAME / 2, "%.*s%.*s%s", (int)(mark - name), name, digits, number, mark + 1);
    else
        snprintf(full, NAME / 2, "%s", name);
}

/* What the tensor that is called so (there, or `ours`: here) is called on the other side. False: the
 * architecture has no such tensor. */
static bool translate_tensor_name(const architecture *a, const char *name, bool ours, meaning *m)
{
    const char *blocks = a->blocks ? a->blocks : "blk.", *layers = ours ? a->layers : blocks;
    const char *stem = name, *number = NULL, *expert = "";
    int digits = 0, expert_digits = 0;
    if (strlen(name) >= NAME / 2)
        return false;
    if (strncmp(name, layers, strlen(layers)) == 0) {
        number = name + strlen(layers);
        digits = (int)strspn(number, "0123456789");
        if (digits == 0 || digits > 4 || number[digits] != '.')
            return false;
        stem = number + digits + 1;
    }
    const char *ending = strrchr(stem, '.');
    if (!ending || (strcmp(ending, ".weight") != 0 && strcmp(ending, ".bias") != 0))
        ending = stem + strlen(stem);
    const naming *found = number ? a->layer : a->whole;
    while (found->theirs && !matches(ours ? found->ours : found->theirs, stem,
                                     (size_t)(ending - stem), &expert, &expert_digits))
        found++;
    bool bare_there = found->change == BARE_THERE;
    bool bare_here = found->change == BARE || bare_there;
    if (!found->theirs || (ours ? bare_here : bare_there) != (ending[0] == '\0'))
        return false;
    char theirs[NAME / 2], here[NAME / 2];
    fill_name_pattern(found->theirs, expert, expert_digits, theirs);
    fill_name_pattern(found->ours, expert, expert_digits, here);
    snprintf(m->theirs, NAME, "%s%.*s%s%s%s", number ? blocks : "", digits, number ? number : "",
             number ? "." : "", theirs,
             bare_there  ? ""
             : bare_here ? ".weight"
                         : ending);
    snprintf(m->ours, NAME, "%s%.*s%s%s%s", number ? a->layers : "", digits, number ? number : "",
             number ? "." : "", here, bare_here ? "" : ending);
    m->change = found->change;
    return true;
}

static sac_status check_tensors(const sac_gguf_folder *f, sac_error *error)
{
    meaning m;
    for (size_t i = 0; i < f->file->count; i++) {
        const char *name = f->file->tensors[i].name;
        if (!translate_tensor_name(f->architecture, name, false, &m) &&
            strncmp(name, "rope_f", 6) != 0)
            return sac_fail(
                error, SAC_E_FORMAT, name, "take the folder with config.json and safetensors",
                "is a tensor that is not known here of the architecture %s", f->architecture->name);
    }
    return SAC_OK;
}

/* Heads of queries, or of keys; 0: there is no such number. */
static size_t head_count(const sac_gguf_folder *f, bool of_keys)
{
    double heads = number_of(f, "attention.head_count", 0);
    if (of_keys)
        heads = number_of(f, "attention.head_count_kv", heads);
    return heads >= 1 && heads <= MOST_HEADS ? (size_t)heads : 0;
}

/* Rows of all queries, keys and values, [heads + 2 kv, d], become those of a head of keys, with the queries
 * that share it: [kv, heads / kv + 2, d]. */
static sac_status order_groups(const sac_gguf_folder *f, const sac_array *from, sac_array *to,
                               sac_error *error)
{
    size_t heads = head_count(f, false), kv = head_count(f, true), rows = from->shape[0];
    size_t all = heads + 2 * kv, depth = all ? rows / all : 0;
    if (depth == 0 || heads % kv != 0 || rows != all * depth)
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL,
                        "has %zu rows, which are no %zu heads of queries and %zu of keys", rows,
                        heads, kv);
    size_t bytes = sac_array_count(from) / rows * depth * sac_dtype_size(from->dtype);
    size_t share = heads / kv;
    sac_status status = sac_array_create(from->dtype, from->rank, from->shape, to, error);
    for (size_t i = 0; status == SAC_OK && i < all; i++) {
        size_t group = i / (share + 2), part = i % (share + 2);
        size_t source = part < share ? group * share + part : heads + (part - share) * kv + group;
        memcpy((char *)to->data + i * bytes, (const char *)from->data + source * bytes, bytes);
    }
    return status;
}

/* Rows are put in order: (h, i, j) of [heads, d/2, 2] become (h, j, i), the halves of a head one after the other;
 * with ALL_HEADS (j, h, i) of [3, heads, d] become (h, j, i). */
static sac_status order_rows(const sac_gguf_folder *f, const sac_array *from, sac_change change,
                             sac_array *to, sac_error *error)
{
    if (change == GROUPED)
        return order_groups(f, from, to, error);
    size_t heads = head_count(f, change == PAIRED_KEYS);
    size_t rows = from->shape[0], row = rows ? sac_array_count(from) / rows : 0;
    bool together = change == ALL_HEADS;
    size_t parts = together ? 3 : 2, part = heads ? rows / heads / parts : 0;
    size_t bytes = row * sac_dtype_size(from->dtype) * (together ? part : 1);
    if (part == 0 || rows != heads * part * parts)
        return sac_fail(error, SAC_E_SHAPE, NULL, NULL, "has %zu rows, which are no %zu heads",
                        rows, heads);
    sac_status status = sac_array_create(from->dtype, from->rank, from->shape, to, error);
    if (status != SAC_OK)
        return status;
    const char *source = from->data;
    size_t outer = together ? 1 : heads, high = together ? 3 : part, low = together ? heads : 2;
    for (size_t h = 0; h < outer; h++)
        for (size_t i = 0; i < high; i++)
            for (size_t j = 0; j < low; j++, source += bytes)
                memcpy((char *)to->data + ((h * low + j) * high + i) * bytes, source, bytes);
    return status;
}

static sac_status subtract_one(const sac_array *from, sac_array *to, sac_error *error)
{
    sac_status status = sac_array_create(SAC_F32, from->rank, from->shape, to, error);
    if (status == SAC_OK)
        status = sac_array_to_f32(from, to->data, error);
    for (size_t i = 0; status == SAC_OK && i < sac_array_count(to); i++)
        ((float *)to->data)[i] -= 1;
    return status;
}

static sac_status transpose(const sac_array *from, sac_array *to, sac_error *error)
{
    size_t rows = from->shape[0], columns = from->shape[1], bytes = sac_dtype_size(from->dtype);
    const size_t shape[] = {columns, rows};
    sac_status status = sac_array_create(from->dtype, 2, shape, to, error);
    if (status != SAC_OK)
        return status;
    const char *source = from->data;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++, source += bytes)
            memcpy((char *)to->data + (k * rows + i) * bytes, source, bytes);
    return status;
}

/* Of `t` and those that follow it, all of one shape: rows one after the other, or a new axis behind the first two. */
static sac_status join_tensors(const sac_gguf_folder *f, const sac_gguf_tensor *t, sac_array *to,
                               sac_error *error)
{
    const char *query = strstr(t->name, "attn_q.");
    const bool is_rows = query != NULL;
    const int count = is_rows ? 3 : 2;
    sac_array part[3] = {{0}};
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < count; i++) {
        char name[NAME];
        if (is_rows)
            snprintf(name, sizeof name, "%.*s%c%s", (int)(query - t->name) + 5, t->name, "qkv"[i],
                     query + 6);
        else
            snprintf(name, sizeof name, "%s%s", t->name, i ? ".1" : "");
        const sac_gguf_tensor *one = sac_gguf_find(f->file, name);
        status = one ? sac_gguf_numbers(one, &part[i], error)
                     : sac_fail(error, SAC_E_FORMAT, name, "get the file again", "is missing");
        if (status == SAC_OK &&
            (part[i].dtype != part[0].dtype || part[i].rank != part[0].rank ||
             part[i].rank + !is_rows > SAC_MAX_RANK || part[i].rank < (is_rows ? 1 : 2) ||
             memcmp(part[i].shape, part[0].shape, (size_t)part[0].rank * sizeof *part[0].shape) !=
                 0))
            status = sac_fail(error, SAC_E_SHAPE, name, "get the file again",
                              "has another shape than %.100s", t->name);
    }
    if (status == SAC_OK) {
        size_t shape[SAC_MAX_RANK], outer = 1;
        const int rank = part[0].rank + !is_rows;
        for (int i = 0; i < rank; i++)
            shape[i] = part[0].shape[!is_rows && i > 2 ? i - 1 : i < part[0].rank ? i : 0];
        if (is_rows)
            shape[0] *= 3;
        else {
            shape[2] = 2;
            outer = shape[0] * shape[1];
        }
        status = sac_array_create(part[0].dtype, rank, shape, to, error);
        const size_t bytes =
            outer ? sac_array_count(&part[0]) / outer * sac_dtype_size(to->dtype) : 0;
        for (size_t i = 0; status == SAC_OK && i < outer * (size_t)count; i++)
            memcpy((char *)to->data + i * bytes,
                   (const char *)part[i % (size_t)count].data + i / (size_t)count * bytes, bytes);
    }
    for (int i = 0; i < count; i++)
        sac_array_free(&part[i]);
    return status;
}

static sac_status read_tensor(const sac_gguf_folder *f, const sac_gguf_tensor *t, sac_change change,
                              sac_array *array, sac_error *error)
{
    if (change == JOINED || (change == FRAMES && t->rank > 1))
        return join_tensors(f, t, array, error);
    sac_array as_stored = {0};
    sac_status status = sac_gguf_numbers(t, &as_stored, error);
    bool changes =
        change != AS_IT_IS && change < SINGLE_ROW && !(change == TRANSPOSED && as_stored.rank != 2);
    if (status == SAC_OK && change == SINGLE_ROW && as_stored.rank == 1) {
        as_stored.shape[1] = as_stored.shape[0];
        as_stored.shape[0] = 1;
        as_stored.rank = 2;
    }
    if (status != SAC_OK || !changes) {
        *array = as_stored;
        return status;
    }
    status = change == TRANSPOSED ? transpose(&as_stored, array, error)
             : change == FROM_ONE ? subtract_one(&as_stored, array, error)
                                  : order_rows(f, &as_stored, change, array, error);
    sac_array_free(&as_stored);
    return status;
}

const sac_array *sac_gguf_folder_find(sac_gguf_folder *f, const char *name, const char **why)
{
    meaning m;
    sac_error error = {0};
    *why = "";
    const sac_gguf_tensor *t = translate_tensor_name(f->architecture, name, true, &m)
                                   ? sac_gguf_find(f->file, m.theirs)
                                   : NULL;
    if (!t)
        return f->vision ? sac_gguf_folder_find(f->vision, name, why) : NULL;
    sac_array *array = &f->arrays[t - f->file->tensors];
    if (array->rank < 0 && read_tensor(f, t, m.change, array, &error) != SAC_OK) {
        array->rank = -1;
        snprintf(f->why, sizeof f->why, "%.299s", error.what);
        *why = f->why;
        return NULL;
    }
    return array;
}

bool sac_gguf_folder_has(const sac_gguf_folder *f, const char *name)
{
    meaning m;
    return (translate_tensor_name(f->architecture, name, true, &m) &&
            sac_gguf_find(f->file, m.theirs)) ||
           (f->vision && sac_gguf_folder_has(f->vision, name));
}

sac_status sac_gguf_folder_blocks(sac_gguf_folder *f, const char *name, sac_gguf_blocks *blocks,
                                  sac_error *error)
{
    meaning m;
    sac_status status = SAC_OK;
    const sac_gguf_tensor *t = translate_tensor_name(f->architecture, name, true, &m)
                                   ? sac_gguf_find(f->file, m.theirs)
                                   : NULL;
    *blocks = (sac_gguf_blocks){0};
    if (!t && f->vision)
        return sac_gguf_folder_blocks(f->vision, name, blocks, error);
    if (!t || !t->form.stored || t->rank != 2 || m.change >= JOINED)
        return SAC_OK;
    *blocks = (sac_gguf_blocks){.stored = t->form.stored,
                                .rows = t->shape[0],
                                .width = t->shape[1],
                                .data = t->data,
                                .transposed = m.change == TRANSPOSED};
    if (m.change == PAIRED || m.change == PAIRED_KEYS || m.change == ALL_HEADS ||
        m.change == GROUPED) {
        sac_array *paired = &f->paired[t - f->file->tensors];
        const size_t shape[] = {t->shape[0], sac_stored_bytes(t->form.stored, t->shape[1])};
        const sac_array as_stored = sac_array_view(SAC_U8, 2, shape, t->data);
        if (!paired->data)
            status = order_rows(f, &as_stored, m.change, paired, error);
        blocks->data = paired->data;
    }
    if (t->form.in_pairs && status == SAC_OK) {
        blocks->scales = blocks->data++;
        blocks->scale_step = blocks->data_step = t->form.bytes;
    }
    return sac_error_within(error, status, name);
}

void sac_gguf_folder_forget(sac_gguf_folder *f, const sac_array *tensor)
{
    if (f->vision && (tensor < f->arrays || tensor >= f->arrays + f->file->count)) {
        sac_gguf_folder_forget(f->vision, tensor);
        return;
    }
    sac_array *array = &f->arrays[tensor - f->arrays];
    if (!array->owns_data)
        sac_bytes_drop_pages(array->data, sac_array_count(array) * sac_dtype_size(array->dtype));
    sac_array_free(array);
    array->rank = -1;
}

/* ---------------------------------------------------------------- the folder */

static sac_status find_architecture(sac_gguf_folder *f, sac_error *error)
{
    char known[400] = "";
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(f->file->keys, "general.architecture");
    for (const architecture *a = architectures; a < architectures + ARCHITECTURES; a++) {
        bool is_named = cJSON_IsString(name) && strcmp(name->valuestring, a->name) == 0;
        if (is_named && (!f->architecture || number_of(f, "expert_count", 0) > 0))
            f->architecture = a; /* the second of the name mixes experts */
        if (a == architectures || strcmp(a->name, architectures->name) != 0)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                     a > architectures ? ", " : "", a->name);
    }
    if (f->architecture)
        return SAC_OK;
    if (cJSON_IsString(name) && strcmp(name->valuestring, "clip") == 0)
        return sac_fail(error, SAC_E_FORMAT, "general.architecture", "give the model beside it",
                        "is of a part that sees for a model");
    return sac_fail(error, SAC_E_FORMAT, "general.architecture", NULL,
                    "\"%.60s\" is no architecture that is read from a GGUF: %s",
                    cJSON_IsString(name) ? name->valuestring : "", known);
}

/* Without its architecture. */
static sac_status open_tensors(sac_bytes *file, const char *path, sac_gguf_folder **folder,
                               sac_error *error)
{
    sac_gguf_folder *f = *folder = calloc(1, sizeof *f);
    if (!f) {
        sac_bytes_free(file);
        return sac_no_memory(error, NULL);
    }
    sac_status status = sac_gguf_open(file, &f->file, error);
    if (status == SAC_OK)
        status = sac_gguf_join(f->file, path, error);
    if (status == SAC_OK)
        status = sac_gguf_split_experts(f->file, error);
    if (status == SAC_OK && !((f->arrays = calloc(f->file->count + 1, sizeof *f->arrays)) &&
                              (f->paired = calloc(f->file->count + 1, sizeof *f->paired))))
        status = sac_no_memory(error, NULL);
    for (size_t i = 0; status == SAC_OK && i < f->file->count; i++)
        f->arrays[i].rank = -1;
    return status;
}

sac_status sac_gguf_folder_open(sac_bytes *file, const char *path, sac_gguf_folder **folder,
                                sac_error *error)
{
    sac_gguf_folder *f;
    *folder = NULL;
    sac_status status = open_tensors(file, path, &f, error);
    if (status == SAC_OK)
        status = find_architecture(f, error);
    if (status == SAC_OK)
        status = check_keys(f, error);
    if (status == SAC_OK)
        status = check_tensors(f, error);
    if (status == SAC_OK)
        status = make_config(f, error);
    if (status == SAC_OK)
        *folder = f;
    else
        sac_gguf_folder_close(f);
    return status;
}

void sac_gguf_folder_close(sac_gguf_folder *f)
{
    if (!f)
        return;
    sac_gguf_folder_close(f->vision);
    cJSON_Delete(f->pictures);
    for (size_t i = 0; f->arrays && i < f->file->count; i++)
        sac_array_free(&f->arrays[i]);
    for (size_t i = 0; f->paired && i < f->file->count; i++)
        sac_array_free(&f->paired[i]);
    free(f->arrays);
    free(f->paired);
    cJSON_Delete(f->config);
    sac_gguf_close(f->file);
    free(f);
}

cJSON *sac_gguf_folder_config(const sac_gguf_folder *f)
{
    return f->config;
}

const cJSON *sac_gguf_folder_keys(const sac_gguf_folder *f)
{
    return f->file->keys;
}

const char *sac_gguf_folder_ignored(const sac_gguf_folder *f)
{
    return f->ignored;
}

const cJSON *sac_gguf_folder_pictures(const sac_gguf_folder *f)
{
    return f->pictures;
}

/* ---------------------------------------------------------------- what sees
 * A vision transformer and what makes tokens of its patches lie in a file of their own, "mmproj-NAME.gguf" (llama.cpp's
 * tools/mtmd/clip-impl.h has its names). */

#define SEEING_LAYER(up, down)                                                                     \
    {"ln1", "layer_norm1", AS_IT_IS}, {"ln2", "layer_norm2", AS_IT_IS},                            \
        {"attn_q", "self_attn.q_proj", AS_IT_IS}, {"attn_k", "self_attn.k_proj", AS_IT_IS},        \
        {"attn_v", "self_attn.v_proj", AS_IT_IS}, {"attn_out", "self_attn.out_proj", AS_IT_IS},    \
        {up, "mlp.fc1", AS_IT_IS}, {down, "mlp.fc2", AS_IT_IS},                                    \
    {                                                                                              \
        NULL                                                                                       \
    }
static const naming seeing_layer[] = {SEEING_LAYER("ffn_up", "ffn_down")};
/* Older files have the two matrices under each other's name. */
static const naming exchanged_layer[] = {SEEING_LAYER("ffn_down", "ffn_up")};

#define PATCHES(place)                                                                             \
    {"v.patch_embd", place "embeddings.patch_embedding", AS_IT_IS},                                \
        {"v.position_embd", place "embeddings.position_embedding", AS_IT_IS},                      \
    {                                                                                              \
        "v.post_ln", place "post_layernorm", AS_IT_IS                                              \
    }
static const naming llava_vision[] = {
    PATCHES("vision_tower."),
    {"v.class_embd", "vision_tower.embeddings.class_embedding", BARE_THERE},
    {"v.pre_ln", "vision_tower.pre_layrnorm", AS_IT_IS},
    {"mm.0", "multi_modal_projector.linear_1", AS_IT_IS},
    {"mm.2", "multi_modal_projector.linear_2", AS_IT_IS},
    {NULL}};
static const naming gemma3_vision[] = {
    PATCHES("vision_tower."),
    {"mm.input_projection", "multi_modal_projector.mm_input_projection_weight", BARE},
    {"mm.soft_emb_norm", "multi_modal_projector.mm_soft_emb_norm", FROM_ONE},
    {NULL}};
static const naming idefics3_vision[] = {
    PATCHES("model.vision_model."),
    {"mm.model.fc", "model.connector.modality_projection.proj", AS_IT_IS},
    {NULL}};

/* Heads have their rows in pairs, as in LLaMA. */
static const naming pixtral_layer[] = {{"ln1", "attention_norm", AS_IT_IS},
                                       {"ln2", "ffn_norm", AS_IT_IS},
                                       {"attn_q", "attention.q_proj", PAIRED},
                                       {"attn_k", "attention.k_proj", PAIRED},
                                       {"attn_v", "attention.v_proj", AS_IT_IS},
                                       {"attn_out", "attention.o_proj", AS_IT_IS},
                                       {"ffn_gate", "feed_forward.gate_proj", AS_IT_IS},
                                       {"ffn_up", "feed_forward.up_proj", AS_IT_IS},
                                       {"ffn_down", "feed_forward.down_proj", AS_IT_IS},
                                       {NULL}};
static const naming pixtral_vision[] = {
    {"v.patch_embd", "vision_tower.patch_conv", AS_IT_IS},
    {"v.pre_ln", "vision_tower.ln_pre", AS_IT_IS},
    {"mm.1", "multi_modal_projector.linear_1", AS_IT_IS},
    {"mm.2", "multi_modal_projector.linear_2", AS_IT_IS},
    {"mm.input_norm", "multi_modal_projector.norm", AS_IT_IS},
    {"mm.patch_merger", "multi_modal_projector.patch_merger.merging_layer", AS_IT_IS},
    {"v.token_embd.img_break", "img_break", BARE_THERE}, /* a row of the words */
    {NULL}};

#define QWEN_PATCHES                                                                               \
    {"v.patch_embd", "visual.patch_embed.proj", FRAMES},                                           \
    {                                                                                              \
        "v.patch_embd.weight.1", "visual.patch_embed.proj.second", BARE_THERE                      \
    }
static const naming qwen_vision[] = {QWEN_PATCHES,
                                     {"v.post_ln", "visual.merger.ln_q", AS_IT_IS},
                                     {"mm.0", "visual.merger.mlp.0", AS_IT_IS},
                                     {"mm.2", "visual.merger.mlp.2", AS_IT_IS},
                                     {NULL}};
/* A layer whose state becomes tokens, too, is a level by its number among those. */
static const naming qwen3_vision[] = {
    QWEN_PATCHES,
    {"v.position_embd", "visual.pos_embed", AS_IT_IS},
    {"v.post_ln", "visual.merger.norm", AS_IT_IS},
    {"mm.0", "visual.merger.linear_fc1", AS_IT_IS},
    {"mm.2", "visual.merger.linear_fc2", AS_IT_IS},
    {"v.deepstack.#.norm", "visual.deepstack_merger_list.#.norm", AS_IT_IS},
    {"v.deepstack.#.fc1", "visual.deepstack_merger_list.#.linear_fc1", AS_IT_IS},
    {"v.deepstack.#.fc2", "visual.deepstack_merger_list.#.linear_fc2", AS_IT_IS},
    {NULL}};
#define QWEN_SEEING_LAYER                                                                          \
    {"ln1", "norm1", AS_IT_IS}, {"ln2", "norm2", AS_IT_IS}, {"attn_q", "attn.qkv", JOINED},        \
        {"attn_k", "attn.qkv.keys", AS_IT_IS}, {"attn_v", "attn.qkv.values", AS_IT_IS},            \
    {                                                                                              \
        "attn_out", "attn.proj", AS_IT_IS                                                          \
    }
static const naming qwen2_seeing_layer[] = {
    QWEN_SEEING_LAYER, {"ffn_up", "mlp.fc1", AS_IT_IS}, {"ffn_down", "mlp.fc2", AS_IT_IS}, {NULL}};
static const naming qwen2_exchanged_layer[] = {
    QWEN_SEEING_LAYER, {"ffn_down", "mlp.fc1", AS_IT_IS}, {"ffn_up", "mlp.fc2", AS_IT_IS}, {NULL}};
static const naming qwen2_5_seeing_layer[] = {QWEN_SEEING_LAYER,
                                              {"ffn_gate", "mlp.gate_proj", AS_IT_IS},
                                              {"ffn_up", "mlp.up_proj", AS_IT_IS},
                                              {"ffn_down", "mlp.down_proj", AS_IT_IS},
                                              {NULL}};

static const naming qwen3_seeing_layer[] = {{"ln1", "norm1", AS_IT_IS},
                                            {"ln2", "norm2", AS_IT_IS},
                                            {"attn_qkv", "attn.qkv", AS_IT_IS},
                                            {"attn_out", "attn.proj", AS_IT_IS},
                                            {"ffn_up", "mlp.linear_fc1", AS_IT_IS},
                                            {"ffn_down", "mlp.linear_fc2", AS_IT_IS},
                                            {NULL}};

/* Of Qwen2-VL the width of the network is not what its converter calls so. All norms add 1e-6. */
#define OF_QWEN_SEEN                                                                               \
    {"image_size", NULL}, {"patch_size", "patch_size"}, {"block_count", "depth"},                  \
        {"attention.head_count", "num_heads"}, {"attention.layer_norm_epsilon", NULL},             \
        {"projection_dim", NULL}, {"projector_type", NULL}, {"image_mean", NULL},                  \
        {"image_std", NULL}, {"image_min_pixels", NULL}, {"image_max_pixels", NULL},               \
    {                                                                                              \
        "spatial_merge_size", "spatial_merge_size"                                                 \
    }
static const key qwen2_vision_keys[] = {
    OF_QWEN_SEEN, {"embedding_length", "embed_dim"}, {"feed_forward_length", NULL}, {NULL}};
static const key qwen2_5_vision_keys[] = {OF_QWEN_SEEN,
                                          {"embedding_length", "hidden_size"},
                                          {"feed_forward_length", "intermediate_size"},
                                          {"window_size", "window_size"},
                                          {"n_wa_pattern", NULL},
                                          {NULL}};
static const key qwen3_vision_keys[] = {OF_QWEN_SEEN,
                                        {"embedding_length", "hidden_size"},
                                        {"feed_forward_length", "intermediate_size"},
                                        {"is_deepstack_layers", NULL}, /* as there are tensors */
                                        {NULL}};
static const naming internvl_layer[] = {{"ln1", "layernorm_before", AS_IT_IS},
                                        {"ln2", "layernorm_after", AS_IT_IS},
                                        {"attn_q", "attention.q_proj", AS_IT_IS},
                                        {"attn_k", "attention.k_proj", AS_IT_IS},
                                        {"attn_v", "attention.v_proj", AS_IT_IS},
                                        {"attn_q_norm", "attention.q_norm", AS_IT_IS},
                                        {"attn_k_norm", "attention.k_norm", AS_IT_IS},
                                        {"attn_out", "attention.projection_layer", AS_IT_IS},
                                        {"ls1", "lambda_1", BARE},
                                        {"ls2", "lambda_2", BARE},
                                        {"ffn_up", "mlp.fc1", AS_IT_IS},
                                        {"ffn_down", "mlp.fc2", AS_IT_IS},
                                        {NULL}};
static const naming internvl_vision[] = {
    {"v.patch_embd", "vision_tower.embeddings.patch_embeddings.projection", AS_IT_IS},
    {"v.position_embd", "vision_tower.embeddings.position_embeddings", BARE},
    {"v.class_embd", "vision_tower.embeddings.cls_token", BARE_THERE},
    {"mm.model.mlp.0", "multi_modal_projector.layer_norm", AS_IT_IS},
    {"mm.model.mlp.1", "multi_modal_projector.linear_1", AS_IT_IS},
    {"mm.model.mlp.3", "multi_modal_projector.linear_2", AS_IT_IS},
    {NULL}};

#define OF_SEEN                                                                                    \
    {"image_size", "image_size"}, {"patch_size", "patch_size"},                                    \
        {"embedding_length", "hidden_size"}, {"feed_forward_length", "intermediate_size"},         \
        {"block_count", "num_hidden_layers"}, {"attention.head_count", "num_attention_heads"},     \
        {"attention.layer_norm_epsilon", "layer_norm_eps"}, {"projection_dim", NULL},              \
        {"projector_type", NULL}, {"projector.scale_factor", NULL}, {"image_mean", NULL},          \
    {                                                                                              \
        "image_std", NULL                                                                          \
    }
static const key vision_keys[] = {OF_SEEN,
                                  {"mm_patch_merge_type", NULL}, /* tiles have keys of their own */
                                  {"preproc_image_size", NULL},
                                  {"spatial_merge_size", NULL},
                                  {NULL}};
static const key internvl_vision_keys[] = {
    OF_SEEN, {"preproc_min_tiles", NULL}, {"preproc_max_tiles", NULL}, {NULL}};
#define SEES_BY(keys, type, layers, whole, layer, activation)                                      \
    {                                                                                              \
        "clip.vision", type, NULL, layers, whole, layer, keys, "hidden_act", activation, NULL,     \
            NULL, "v.blk."                                                                         \
    }
#define SEES(type, layers, whole, layer, activation)                                               \
    SEES_BY(vision_keys, type, layers, whole, layer, activation)
#define SEES_AS_PIXTRAL                                                                            \
    SEES("pixtral", "vision_tower.transformer.layers.", pixtral_vision, pixtral_layer, NULL)

static void complete_llava(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_gemma3_seeing(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_idefics3(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_pixtral(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_qwen2_vl(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_qwen2_5_vl(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_qwen3_vl(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
static void complete_internvl(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);

typedef struct seeing {
    const char *projector; /* clip.projector_type */
    const char *mark;      /* a tensor that it has; NULL: any of that type */
    architecture vision;
    const char *type, *class_name; /* of both files together */
    const char *token_key, *token; /* that stands for a picture, by its name */
    const char *processor;
    /* Adds what the file's sizes give. */
    void (*complete)(const sac_gguf_folder *vision, cJSON *config, cJSON *pictures);
    const naming *exchanged; /* layers of older files; NULL: there are none */
} seeing;

static const seeing sights[] = {
    {"mlp", NULL,
     SEES("clip_vision_model", "vision_tower.encoder.layers.", llava_vision, seeing_layer, NULL),
     "llava", "LlavaForConditionalGeneration", "image_token_index", "<image>", "CLIPImageProcessor",
     complete_llava, exchanged_layer},
    {"pixtral", "mm.patch_merger.weight", SEES_AS_PIXTRAL, "mistral3",
     "Mistral3ForConditionalGeneration", "image_token_index", "[IMG]", "PixtralImageProcessor",
     complete_pixtral},
    {"pixtral", NULL, SEES_AS_PIXTRAL, "llava", "LlavaForConditionalGeneration",
     "image_token_index", "[IMG]", "PixtralImageProcessor", complete_pixtral},
    {"gemma3", NULL,
     SEES("siglip_vision_model", "vision_tower.encoder.layers.", gemma3_vision, seeing_layer,
          "gelu_pytorch_tanh"),
     "gemma3", "Gemma3ForConditionalGeneration", "image_token_index", "<image_soft_token>",
     "Gemma3ImageProcessor", complete_gemma3_seeing, exchanged_layer},
    {"idefics3", NULL,
     SEES("idefics3_vision", "model.vision_model.encoder.layers.", idefics3_vision, seeing_layer,
          "gelu_pytorch_tanh"),
     "idefics3", "Idefics3ForConditionalGeneration", "image_token_id", "<image>",
     "Idefics3ImageProcessor", complete_idefics3, exchanged_layer},
    {"qwen2vl_merger", NULL,
     SEES_BY(qwen2_vision_keys, "qwen2_vl_vision", "visual.blocks.", qwen_vision,
             qwen2_seeing_layer, "quick_gelu"),
     "qwen2_vl", "Qwen2VLForConditionalGeneration", "image_token_id", "<|image_pad|>",
     "Qwen2VLImageProcessor", complete_qwen2_vl, qwen2_exchanged_layer},
    {"qwen2.5vl_merger", NULL,
     SEES_BY(qwen2_5_vision_keys, "qwen2_5_vl_vision", "visual.blocks.", qwen_vision,
             qwen2_5_seeing_layer, "silu"),
     "qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", "image_token_id", "<|image_pad|>",
     "Qwen2VLImageProcessor", complete_qwen2_5_vl, NULL},
    {"qwen3vl_merger", NULL,
     SEES_BY(qwen3_vision_keys, "qwen3_vl_vision", "visual.blocks.", qwen3_vision,
             qwen3_seeing_layer, "gelu_pytorch_tanh"),
     "qwen3_vl", "Qwen3VLForConditionalGeneration", "image_token_id", "<|image_pad|>",
     "Qwen2VLImageProcessor", complete_qwen3_vl, NULL},
    {"internvl", NULL,
     SEES_BY(internvl_vision_keys, "internvl_vision", "vision_tower.encoder.layer.",
             internvl_vision, internvl_layer, NULL),
     "internvl", "InternVLForConditionalGeneration", "image_token_id", "<IMG_CONTEXT>",
     "GotOcr2ImageProcessor", complete_internvl, NULL},
};

static cJSON *add_square(cJSON *to, const char *name, double side)
{
    cJSON *size = cJSON_AddObjectToObject(to, name);
    cJSON_AddNumberToObject(size, "height", side);
    cJSON_AddNumberToObject(size, "width", side);
    return size;
}

/* Its layers are those up to the one that is taken (LLaVA's own converter leaves the last one out). */
static void complete_llava(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const double side = number_of(v, "image_size", 0);
    const bool is_gelu =
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(v->file->keys, "clip.use_gelu"));
    cJSON_AddStringToObject(v->config, "hidden_act", is_gelu ? "gelu" : "quick_gelu");
    cJSON_AddNumberToObject(config, "vision_feature_layer", -1);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(pictures, "size"), "shortest_edge", side);
    add_square(pictures, "crop_size", side);
}

static void complete_gemma3_seeing(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const double side = number_of(v, "image_size", 0), patch = number_of(v, "patch_size", 1);
    const double tokens = side / patch / number_of(v, "projector.scale_factor", 4);
    cJSON_AddNumberToObject(config, "mm_tokens_per_image", tokens * tokens);
    add_square(pictures, "size", side);
}

static void complete_idefics3(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const double longest = number_of(v, "preproc_image_size", 0);
    cJSON_AddNumberToObject(config, "scale_factor", number_of(v, "projector.scale_factor", 2));
    if (longest > 0)
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(pictures, "size"), "longest_edge", longest);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(pictures, "max_image_size"), "longest_edge",
                            number_of(v, "image_size", 0));
}

/* In Mistral 3 squares of patches become a token. */
static void complete_pixtral(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const cJSON *keys = v->file->keys;
    const bool is_silu = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(keys, "clip.use_silu"));
    cJSON_AddStringToObject(v->config, "hidden_act", is_silu ? "silu" : "gelu");
    cJSON_AddNumberToObject(config, "vision_feature_layer", -1);
    cJSON_AddBoolToObject(config, "multimodal_projector_bias",
                          sac_gguf_find(v->file, "mm.1.bias") != NULL);
    if (sac_gguf_find(v->file, "mm.patch_merger.weight"))
        cJSON_AddNumberToObject(config, "spatial_merge_size",
                                number_of(v, "spatial_merge_size", 2));
    else
        cJSON_AddStringToObject(config, "vision_feature_select_strategy", "full");
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(pictures, "size"), "longest_edge",
                            number_of(v, "image_size", 0));
}

/* Without numbers of pixels in the file: those of `least` to 16384 tokens, as in preprocessor_config.json of the models' folders. */
static void add_qwen_pictures(const sac_gguf_folder *v, double least, cJSON *pictures)
{
    const double patch = number_of(v, "patch_size", 14);
    const double merged = number_of(v, "spatial_merge_size", 2);
    const double token = patch * merged * (patch * merged);
    cJSON_AddNumberToObject(pictures, "patch_size", patch);
    cJSON_AddNumberToObject(pictures, "merge_size", merged);
    cJSON_AddNumberToObject(pictures, "min_pixels",
                            number_of(v, "image_min_pixels", least * token));
    cJSON_AddNumberToObject(pictures, "max_pixels",
                            number_of(v, "image_max_pixels", 16384 * token));
}

static void complete_qwen2_vl(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const sac_gguf_tensor *up = sac_gguf_find(v->file, "v.blk.0.ffn_up.weight");
    const double width = number_of(v, "embedding_length", 0);
    (void)config;
    if (up && up->rank == 2 && width > 0)
        cJSON_AddNumberToObject(v->config, "mlp_ratio",
                                (double)up->shape[0] * (double)up->shape[1] / (width * width));
    add_qwen_pictures(v, 4, pictures);
}

/* The last of so many layers sees all of the picture. */
static void complete_qwen2_5_vl(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const double every = number_of(v, "n_wa_pattern", 8), layers = number_of(v, "block_count", 0);
    cJSON *whole = cJSON_AddArrayToObject(v->config, "fullatt_block_indexes");
    (void)config;
    for (double i = every; every >= 1 && i <= layers && i <= MOST_LAYERS; i += every)
        cJSON_AddItemToArray(whole, cJSON_CreateNumber(i - 1));
    add_qwen_pictures(v, 4, pictures);
}

static void complete_qwen3_vl(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const sac_gguf_tensor *positions = sac_gguf_find(v->file, "v.position_embd.weight");
    int layers[MOST_LAYERS];
    const int levels = sac_gguf_number_anew(v->file, "v.deepstack.", layers, MOST_LAYERS);
    (void)config;
    cJSON_AddItemToObject(v->config, "deepstack_visual_indexes",
                          cJSON_CreateIntArray(layers, levels));
    if (positions && positions->rank == 2)
        cJSON_AddNumberToObject(v->config, "num_position_embeddings", (double)positions->shape[0]);
    add_qwen_pictures(v, 64, pictures);
}

/* The larger one that sees has norms without biases, also of queries and keys. */
static void complete_internvl(const sac_gguf_folder *v, cJSON *config, cJSON *pictures)
{
    const sac_gguf *g = v->file;
    const bool is_silu = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(g->keys, "clip.use_silu"));
    cJSON_AddStringToObject(v->config, "hidden_act", is_silu ? "silu" : "gelu");
    cJSON_AddStringToObject(v->config, "norm_type",
                            sac_gguf_find(g, "v.blk.0.ln1.bias") ? "layer_norm" : "rms_norm");
    cJSON_AddBoolToObject(v->config, "use_qk_norm",
                          sac_gguf_find(g, "v.blk.0.attn_q_norm.weight") != NULL);
    cJSON_AddBoolToObject(v->config, "attention_bias",
                          sac_gguf_find(g, "v.blk.0.attn_q.bias") != NULL);
    cJSON_AddNumberToObject(config, "downsample_ratio",
                            1 / number_of(v, "projector.scale_factor", 2));
    add_square(pictures, "size", number_of(v, "image_size", 0));
    cJSON_AddNumberToObject(pictures, "min_patches", number_of(v, "preproc_min_tiles", 1));
    cJSON_AddNumberToObject(pictures, "max_patches", number_of(v, "preproc_max_tiles", 12));
}

static const seeing *find_sight(const sac_gguf_folder *v, sac_error *error)
{
    static const char *const names[] = {"clip.vision.projector_type", "clip.projector_type"};
    const char *type = NULL;
    char known[200] = "";
    for (int i = 0; i < 2 && !type; i++)
        type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(v->file->keys, names[i]));
    for (const seeing *s = sights; s < sights + sizeof sights / sizeof *sights; s++) {
        if (type && strcmp(type, s->projector) == 0 &&
            (!s->mark || sac_gguf_find(v->file, s->mark)))
            return s;
        if (!s->mark)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                     s > sights ? ", " : "", s->projector);
    }
    sac_fail(error, SAC_E_FORMAT, names[1], NULL, "\"%.40s\" is not read; there are %s",
             type ? type : "", known);
    return NULL;
}

/* The network's first matrix has more rows than the model is wide. */
static bool exchanges_matrices(const sac_gguf_folder *v)
{
    const sac_gguf_tensor *up = sac_gguf_find(v->file, "v.blk.0.ffn_up.weight");
    const double width = number_of(v, "embedding_length", 0);
    return up && up->rank == 2 && (double)up->shape[0] == width && (double)up->shape[1] != width;
}

static int find_token(const sac_gguf_folder *f, const char *name)
{
    const cJSON *one;
    int id = 0;
    cJSON_ArrayForEach(one,
                       cJSON_GetObjectItemCaseSensitive(f->file->keys, "tokenizer.ggml.tokens"))
    {
        if (cJSON_IsString(one) && strcmp(one->valuestring, name) == 0)
            return id;
        id++;
    }
    return -1;
}

/* config.json and preprocessor_config.json of both together. */
static void join_configs(sac_gguf_folder *f, sac_gguf_folder *v, const seeing *s, int token)
{
    static const char *const kept[] = {"image_mean", "image_std"};
    cJSON *whole = cJSON_CreateObject(), *pictures = f->pictures = cJSON_CreateObject();
    v->config = cJSON_CreateObject();
    cJSON_AddStringToObject(v->config, "model_type", v->own.type);
    if (v->own.activation_value)
        cJSON_AddStringToObject(v->config, v->own.activation, v->own.activation_value);
    for (const key *k = v->own.keys; k->theirs; k++)
        if (k->ours && find_key(v, k->theirs))
            cJSON_AddItemToObject(v->config, k->ours,
                                  cJSON_Duplicate(find_key(v, k->theirs), true));
    cJSON_AddStringToObject(whole, "model_type", s->type);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(whole, "architectures"),
                         cJSON_CreateString(s->class_name));
    cJSON_AddNumberToObject(whole, s->token_key, token);
    cJSON_AddItemToObject(
        whole, "tie_word_embeddings",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(f->config, "tie_word_embeddings"), true));
    cJSON_AddStringToObject(pictures, "image_processor_type", s->processor);
    for (int i = 0; i < 2; i++)
        if (find_key(v, kept[i]))
            cJSON_AddItemToObject(pictures, kept[i], cJSON_Duplicate(find_key(v, kept[i]), true));
    s->complete(v, whole, pictures);
    cJSON_AddItemToObject(whole, "text_config", f->config);
    cJSON_AddItemToObject(whole, "vision_config", cJSON_Duplicate(v->config, true));
    f->config = whole;
}

sac_status sac_gguf_folder_add_vision(sac_gguf_folder *f, sac_bytes *file, const char *path,
                                      sac_error *error)
{
    sac_gguf_folder *v;
    const seeing *s = NULL;
    int token = -1;
    sac_status status = open_tensors(file, path, &v, error);
    if (status == SAC_OK) {
        v->architecture = &sights->vision; /* whose keys begin as those of all */
        s = find_sight(v, error);
        status = s ? SAC_OK : SAC_E_FORMAT;
    }
    if (status == SAC_OK) {
        v->own = s->vision;
        if (s->exchanged && exchanges_matrices(v))
            v->own.layer = s->exchanged;
        v->architecture = &v->own;
        status = check_keys(v, error);
    }
    if (status == SAC_OK)
        status = check_tensors(v, error);
    if (status == SAC_OK && (token = find_token(f, s->token)) < 0)
        status = sac_fail(error, SAC_E_FORMAT, "tokenizer.ggml.tokens", NULL,
                          "has no \"%s\", which stands for a picture", s->token);
    if (status != SAC_OK) {
        sac_gguf_folder_close(v);
        return status;
    }
    const size_t used = strlen(f->ignored);
    snprintf(f->ignored + used, sizeof f->ignored - used, "%s%s", used && v->ignored[0] ? "," : "",
             v->ignored);
    join_configs(f, v, s, token);
    f->vision = v;
    return SAC_OK;
}
