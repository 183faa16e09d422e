/* The tables of keys. U: used, with what the class takes where a file does not tell; H: harmless;
 * O: followed with that value alone. */
#include "architectures/architecture.h"

#include <stddef.h>

#define U(name, value)                                                                             \
    {                                                                                              \
        name, SAC_KEY_USED, value                                                                  \
    }
#define H(name)                                                                                    \
    {                                                                                              \
        name, SAC_KEY_HARMLESS, NULL                                                               \
    }
#define O(name, value)                                                                             \
    {                                                                                              \
        name, SAC_KEY_ONLY, value                                                                  \
    }

/* What files say of themselves, of training, and of a model's outputs; and of heads other than that
 * of the next token. */
#define COMMON                                                                                     \
    U("model_type", NULL), U("architectures", NULL), U("quantization_config", NULL),               \
        H("transformers_version"), H("_name_or_path"), H("dtype"), H("torch_dtype"),               \
        H("torchscript"), H("return_dict"), H("output_attentions"), H("output_hidden_states"),     \
        H("use_cache"), H("id2label"), H("label2id"), H("problem_type"), H("initializer_range"),   \
        H("chunk_size_feed_forward"), H("classifier_dropout"), H("is_encoder_decoder"),            \
        O("pruned_heads", "{}")
#define END                                                                                        \
    {                                                                                              \
        NULL, 0, NULL                                                                              \
    }

/* ---------------------------------------------------------------- architectures that read */

/* A head over masked words is not shown, so whether it is tied does not matter; layers that would
 * attend to another model are left out, and that is told. */
#define OF_BERT                                                                                    \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("intermediate_size", "3072"), U("hidden_act", "\"gelu\""),                               \
        U("max_position_embeddings", "512"), U("type_vocab_size", "2"),                            \
        U("layer_norm_eps", "1e-12"), U("is_decoder", "false"), U("add_cross_attention", "false"), \
        O("position_embedding_type", "\"absolute\""), H("hidden_dropout_prob"),                    \
        H("attention_probs_dropout_prob"), H("bos_token_id"), H("eos_token_id"),                   \
        H("tie_word_embeddings")

const sac_config_key sac_keys_of_bert[] = {OF_BERT, U("vocab_size", "30522"), H("pad_token_id"),
                                           END};
/* The size of its vocabulary is that of RoBERTa's own class, not of XLM-R's; a file has it. */
const sac_config_key sac_keys_of_roberta[] = {OF_BERT, U("vocab_size", "50265"),
                                              U("pad_token_id", "1"), END};

const sac_config_key sac_keys_of_distilbert[] = {COMMON,
                                                 U("vocab_size", "30522"),
                                                 U("max_position_embeddings", "512"),
                                                 U("n_layers", "6"),
                                                 U("n_heads", "12"),
                                                 U("dim", "768"),
                                                 U("hidden_dim", "3072"),
                                                 U("activation", "\"gelu\""),
                                                 H("sinusoidal_pos_embds"), /* the file has them */
                                                 H("dropout"),
                                                 H("attention_dropout"),
                                                 H("qa_dropout"),
                                                 H("seq_classif_dropout"),
                                                 H("pad_token_id"),
                                                 H("eos_token_id"),
                                                 H("bos_token_id"),
                                                 H("tie_word_embeddings"),
                                                 END};

/* Scores in float32 are what is computed here anyway (reorder_and_upcast_attn). */
const sac_config_key sac_keys_of_gpt2[] = {COMMON,
                                           U("vocab_size", "50257"),
                                           U("n_positions", "1024"),
                                           U("n_embd", "768"),
                                           U("n_layer", "12"),
                                           U("n_head", "12"),
                                           U("n_inner", NULL),
                                           U("activation_function", "\"gelu_new\""),
                                           U("layer_norm_epsilon", "1e-5"),
                                           U("scale_attn_weights", "true"),
                                           U("scale_attn_by_inverse_layer_idx", "false"),
                                           U("add_cross_attention", "false"),
                                           U("tie_word_embeddings", "true"),
                                           U("eos_token_id", "50256"),
                                           H("reorder_and_upcast_attn"),
                                           H("is_decoder"),
                                           H("bos_token_id"),
                                           H("pad_token_id"),
                                           H("resid_pdrop"),
                                           H("embd_pdrop"),
                                           H("attn_pdrop"),
                                           H("summary_type"),
                                           H("summary_use_proj"),
                                           H("summary_activation"),
                                           H("summary_proj_to_labels"),
                                           H("summary_first_dropout"),
                                           END};

#define OF_LLAMA                                                                                   \
    COMMON, U("hidden_size", "4096"), U("num_hidden_layers", "32"),                                \
        U("num_attention_heads", "32"), U("num_key_value_heads", NULL), U("head_dim", NULL),       \
        U("hidden_act", "\"silu\""), U("rms_norm_eps", "1e-6"), U("rope_parameters", NULL),        \
        U("rope_scaling", NULL), U("rope_theta", NULL), U("partial_rotary_factor", NULL),          \
        U("tie_word_embeddings", "false"), U("eos_token_id", NULL), U("is_causal", "true"),        \
        H("bos_token_id"), H("pad_token_id"), H("attention_dropout")

const sac_config_key sac_keys_of_llama[] = {OF_LLAMA,
                                            U("vocab_size", "32000"),
                                            U("intermediate_size", "11008"),
                                            U("max_position_embeddings", "2048"),
                                            U("attention_bias", "false"),
                                            U("mlp_bias", "false"),
                                            H("pretraining_tp"), /* how it is shared out */
                                            END};
const sac_config_key sac_keys_of_qwen2[] = {OF_LLAMA,
                                            U("vocab_size", "151936"),
                                            U("intermediate_size", "22016"),
                                            U("max_position_embeddings", "32768"),
                                            U("use_sliding_window", "false"),
                                            U("sliding_window", NULL),
                                            U("max_window_layers", "28"),
                                            U("layer_types", NULL),
                                            END};

/* ---------------------------------------------------------------- architectures that see */

#define SEEN                                                                                       \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("hidden_act", "\"gelu\""), U("patch_size", "16"), H("attention_dropout")
#define OF_VIT                                                                                     \
    SEEN, U("image_size", "224"), U("num_channels", "3"), U("qkv_bias", "true"),                   \
        H("hidden_dropout_prob"), H("attention_probs_dropout_prob")
#define OF_DINOV2                                                                                  \
    OF_VIT, U("mlp_ratio", "4"), U("layer_norm_eps", "1e-6"), U("use_swiglu_ffn", "false"),        \
        H("layerscale_value"), H("drop_path_rate"), H("apply_layernorm"),                          \
        H("reshape_hidden_states"), H("stage_names"), H("out_features"), H("out_indices")

const sac_config_key sac_keys_of_vit[] = {OF_VIT,
                                          U("intermediate_size", "3072"),
                                          U("layer_norm_eps", "1e-12"),
                                          H("encoder_stride"),
                                          H("pooler_output_size"),
                                          H("pooler_act"),
                                          END};
const sac_config_key sac_keys_of_dinov2[] = {U("patch_size", "14"), OF_DINOV2, H("use_mask_token"),
                                             END};
const sac_config_key sac_keys_of_dinov2_with_registers[] = {OF_DINOV2,
                                                            U("num_register_tokens", "4"), END};

/* ---------------------------------------------------------------- architectures that speak */

const sac_config_key sac_keys_of_blip[] = {COMMON,
                                           U("text_config", "{}"),
                                           U("vision_config", "{}"),
                                           U("tie_word_embeddings", "true"),
                                           H("projection_dim"),
                                           H("logit_scale_init_value"),
                                           H("image_text_hidden_size"),
                                           H("label_smoothing"),
                                           H("initializer_factor"),
                                           END};
const sac_config_key sac_keys_of_blip_vision[] = {SEEN,
                                                  U("image_size", "384"),
                                                  U("intermediate_size", "3072"),
                                                  U("layer_norm_eps", "1e-5"),
                                                  H("projection_dim"),
                                                  END};
const sac_config_key sac_keys_of_blip_text[] = {COMMON,
                                                U("vocab_size", "30524"),
                                                U("hidden_size", "768"),
                                                U("encoder_hidden_size", "768"),
                                                U("intermediate_size", "3072"),
                                                U("num_hidden_layers", "12"),
                                                U("num_attention_heads", "8"),
                                                U("max_position_embeddings", "512"),
                                                U("hidden_act", "\"gelu\""),
                                                U("layer_norm_eps", "1e-12"),
                                                U("bos_token_id", "30522"),
                                                U("eos_token_id", "2"),
                                                U("pad_token_id", "0"),
                                                U("sep_token_id", "102"),
                                                U("tie_word_embeddings", "true"),
                                                O("is_decoder", "true"),
                                                O("position_embedding_type", "\"absolute\""),
                                                H("projection_dim"),
                                                H("hidden_dropout_prob"),
                                                H("attention_probs_dropout_prob"),
                                                H("label_smoothing"),
                                                END};
const sac_config_key sac_keys_of_pair[] = {COMMON, U("encoder", "{}"), U("decoder", "{}"),
                                           U("tie_word_embeddings", NULL), END};

const sac_config_key sac_keys_of_marian[] = {COMMON,
                                             U("vocab_size", "58101"),
                                             U("decoder_vocab_size", NULL),
                                             U("max_position_embeddings", "1024"),
                                             U("encoder_layers", "12"),
                                             U("encoder_ffn_dim", "4096"),
                                             U("encoder_attention_heads", "16"),
                                             U("decoder_layers", "12"),
                                             U("decoder_ffn_dim", "4096"),
                                             U("decoder_attention_heads", "16"),
                                             U("activation_function", "\"gelu\""),
                                             U("d_model", "1024"),
                                             U("scale_embedding", "false"),
                                             U("share_encoder_decoder_embeddings", "true"),
                                             U("tie_word_embeddings", "true"),
                                             U("decoder_start_token_id", NULL),
                                             U("pad_token_id", NULL),
                                             U("eos_token_id", NULL),
                                             U("forced_eos_token_id", NULL),
                                             H("bos_token_id"),
                                             H("encoder_layerdrop"),
                                             H("decoder_layerdrop"),
                                             H("dropout"),
                                             H("attention_dropout"),
                                             H("activation_dropout"),
                                             H("init_std"),
                                             H("is_decoder"),
                                             END};
