/* Qwen2-Audio (Chu et al. 2024): Whisper's encoder over the cells of a sound, without the silence behind it; pairs of them
 * become a token of a text, which Qwen2 reads with a question. */
#include "architectures/architecture.h"
#include "architectures/config_keys.h"

static void declare_encoder(sac_pretrained_model *m, sac_config *c)
{
    static const char *const prefix[6] = {"model.audio_tower.", "audio_tower.", ""};
    sac_description own;
    if (sac_architecture_describe_part(c, "qwen2_audio_encoder", prefix, &own))
        sac_whisper_declare_encoder(m, c, &own);
    m->audio.leaves_silence = true;
    m->last_state_unnormed = true; /* the norm is of means of two */
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_connector k = {.shuffle = 2,
                       .pools = true,
                       .write = sac_make_picture_tokens,
                       .first = "Describe this sound.",
                       .neutral = "Write a general description of the sound.",
                       .chat = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
                               "<|im_start|>user\nAudio 1: <|audio_bos|>" SAC_CHAT_PICTURE
                               "<|audio_eos|>\n" SAC_CHAT_QUESTION
                               "<|im_end|>\n<|im_start|>assistant\n"};
    sac_config audio = sac_config_inside(c, "audio_config");
    const bool is_new =
        !sac_config_has(c, "audio_token_index") && sac_config_has(c, "audio_token_id");
    k.token = sac_config_size_or(c, is_new ? "audio_token_id" : "audio_token_index", 0,
                                 SAC_ARCHITECTURE_TOKENS, 151646);
    audio.status = c->status;
    declare_encoder(m, &audio);
    c->status = audio.status;
    k.entry = m->last_norm;
    m->last_norm = (sac_layer_norm){0};
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "qwen2", &k);
    if (c->status != SAC_OK)
        return;
    const bool is_inside =
        sac_pretrained_has(m->files, "model.multi_modal_projector.linear.weight");
    sac_pretrained_model *d = m->decoder;
    d->text_decoder.connector.project[0] = sac_dense_declare(
        &d->parameters, is_inside ? "model.multi_modal_projector" : "multi_modal_projector",
        "linear", d->width, m->width, true);
}

static const sac_config_key sac_keys_of_qwen2_audio[] = {
    COMMON,
    D("audio_config", "{}"),
    D("text_config", "{}"),
    U("audio_token_index", NULL),
    U("audio_token_id", NULL),
    U("tie_word_embeddings", "false"),
    H("ignore_index"),
    H("vocab_size"),
    H("pad_token_id"),
    END,
};
static const sac_config_key sac_keys_of_qwen2_audio_encoder[] = {
    COMMON,
    U("num_mel_bins", "128"),
    U("d_model", "1280"),
    U("encoder_layers", "32"),
    U("encoder_attention_heads", "20"),
    U("encoder_ffn_dim", "5120"),
    U("max_source_positions", "1500"),
    U("activation_function", "\"gelu\""),
    H("scale_embedding"), /* its model multiplies nothing by it */
    H("encoder_layerdrop"),
    H("dropout"),
    H("attention_dropout"),
    H("activation_dropout"),
    H("init_std"),
    END,
};

const sac_architecture sac_architecture_qwen2_audio = {.types = {"qwen2_audio"},
                                                       .keys = sac_keys_of_qwen2_audio,
                                                       .architectures = {"Qwen2AudioFor"},
                                                       .declare = declare};
const sac_architecture sac_architecture_qwen2_audio_encoder = {
    .types = {"qwen2_audio_encoder"},
    .keys = sac_keys_of_qwen2_audio_encoder,
    .architectures = {"Qwen2AudioEncoder"},
    .describes = &sac_whisper_encoder,
    .declare = declare_encoder};
