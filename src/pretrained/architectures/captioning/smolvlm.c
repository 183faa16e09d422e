/* Idefics 3 (Laurençon et al. 2024) and SmolVLM (Marafioti et al. 2025): SigLIP sees the tiles of a
 * picture and all of it, s × s patches at a time become a token, and LLaMA reads them. */
#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"

/* ---------------------------------------------------------------- a picture in the prompt */

static void write_tokens(FILE *out, const char *token, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputs(token, out);
}

static char *make_picture_prompt(const sac_tokenizer *tokenizer, int token,
                                 const sac_picture_tiles *tiles, size_t each)
{
    static const char around[] = "<fake_token_around_image>", whole[] = "<global-img>";
    const char *word = sac_tokenizer_token(tokenizer, token);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (int y = 0; y < tiles->down; y++) {
        for (int x = 0; x < tiles->across; x++) {
            fprintf(out, "%s<row_%d_col_%d>", around, y + 1, x + 1);
            write_tokens(out, word ? word : "", each);
        }
        fputc('\n', out);
    }
    fprintf(out, "%s%s%s", tiles->down ? "\n" : "", around, whole);
    write_tokens(out, word ? word : "", each);
    fputs(around, out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

/* ---------------------------------------------------------------- the model */

static const sac_config_key keys_of_idefics3[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("image_token_id", "128257"),
    U("scale_factor", "2"),
    U("tie_word_embeddings", "false"),
    H("pad_token_id"),
    H("_pad_token_id"),
    END,
};
const sac_config_key sac_keys_of_idefics3_vision[] = {
    U("hidden_size", "1152"),
    U("num_attention_heads", "16"),
    U("hidden_act", "\"gelu_pytorch_tanh\""),
    U("patch_size", "32"),
    SEEN,
    U("intermediate_size", "3072"),
    U("image_size", "224"),
    U("layer_norm_eps", "1e-6"),
    U("num_channels", "3"),
    END,
};

void sac_declare_idefics_vision(sac_pretrained_model *m, sac_config *c, const sac_config_key *keys,
                                const char *processor, sac_spread spread)
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen = sac_siglip_vision;
    seen.prefix[0] = "model.vision_model.";
    seen.prefix[1] = NULL;
    seen.processor = processor;
    seen.spread = spread;
    sac_config_apply_keys(&vision, keys);
    sac_describe(m, &vision, &seen);
    c->status = vision.status;
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_connector k = {.token = sac_config_size(c, "image_token_id", 0, SAC_ARCHITECTURE_TOKENS),
                       .shuffle = sac_config_size(c, "scale_factor", 1, 64),
                       .write = make_picture_prompt,
                       .chat = "User:" SAC_CHAT_PICTURE SAC_CHAT_QUESTION
                               "<end_of_utterance>\nAssistant:"};
    if (c->status == SAC_OK)
        sac_declare_idefics_vision(m, c, sac_keys_of_idefics3_vision, "Idefics3ImageProcessor",
                                   sac_siglip_vision.spread);
    if (c->status != SAC_OK)
        return;
    const sac_patch_grid *grid = &m->vision_encoder.trained;
    if (grid->width % k.shuffle || grid->height % k.shuffle)
        sac_config_refuse(c, "scale_factor", "%d does not divide %d x %d patches", k.shuffle,
                          grid->width, grid->height);
    sac_architecture_add_prompted(m, c, "llama", &k);
    sac_pretrained_model *d = m->decoder;
    if (c->status == SAC_OK)
        d->text_decoder.connector.project[0] =
            sac_dense_declare(&d->parameters, "model.connector.modality_projection", "proj",
                              d->width, (size_t)(k.shuffle * k.shuffle) * m->width, false);
}

const sac_architecture sac_architecture_idefics3 = {
    .types = {"idefics3", "smolvlm"},
    .keys = keys_of_idefics3,
    .architectures = {"Idefics3ForConditionalGeneration", "SmolVLMForConditionalGeneration"},
    .mark = "connector.modality_projection.proj.weight",
    .declare = declare};
