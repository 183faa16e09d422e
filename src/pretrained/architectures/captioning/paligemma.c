/* PaliGemma (Beyer et al. 2024): SigLIP's patches, through one linear layer, and behind them a
 * question, of which Gemma's layers see all at once; the answer alone is read from left to right.
 * Gemma 3 (Gemma Team 2025): squares of patches are averaged to a token, and only those of a picture
 * see all of it. */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

static const char *const seen_names[6] = {"model.vision_tower.vision_model.",
                                          "vision_tower.vision_model.", "model.vision_tower.",
                                          "vision_tower."};

static void describe_vision(sac_pretrained_model *m, sac_config *c)
{
    sac_config vision = sac_config_inside(c, "vision_config");
    sac_description seen;
    if (sac_architecture_describe_part(&vision, "siglip_vision_model", seen_names, &seen))
        sac_describe(m, &vision, &seen);
    c->status = vision.status;
}

/* In such a model it concerns the prompt alone, which sees all of itself in any case. */
static void remove_direction_setting(sac_config *c)
{
    sac_config text = sac_config_inside(c, "text_config");
    if (cJSON_IsObject(text.json))
        cJSON_DeleteItemFromObjectCaseSensitive(text.json, "use_bidirectional_attention");
}

static void declare_kind(sac_pretrained_model *m, sac_config *c, bool only_reads)
{
    sac_connector k = {.shuffle = 1,
                       .write = sac_make_picture_tokens,
                       .chat = SAC_CHAT_PICTURE "<bos>" SAC_CHAT_QUESTION "\n",
                       .is_bare = true,
                       .is_bidirectional = true,
                       .only_reads = only_reads};
    bool is_new = !sac_config_has(c, "image_token_index") && sac_config_has(c, "image_token_id");
    k.token = sac_config_size_or(c, is_new ? "image_token_id" : "image_token_index", 0,
                                 SAC_ARCHITECTURE_TOKENS, 256000);
    remove_direction_setting(c);
    describe_vision(m, c);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "gemma", &k);
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = only_reads ? m->reader : m->decoder;
    bool has_model =
        sac_pretrained_find(m->files, "model.multi_modal_projector.linear.weight") != NULL;
    d->text_decoder.connector.project[0] = sac_dense_declare(
        &d->parameters, has_model ? "model.multi_modal_projector" : "multi_modal_projector",
        "linear", d->width, m->width, true);
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    declare_kind(m, c, false);
}

/* ---------------------------------------------------------------- Gemma 3 */

static char *make_gemma3_picture(const sac_tokenizer *tokenizer, int token,
                                 const sac_picture_tiles *tiles, size_t each)
{
    char *tokens = sac_make_picture_tokens(tokenizer, token, tiles, each), *text = NULL;
    size_t size = 0;
    FILE *out = tokens ? open_memstream(&text, &size) : NULL;
    if (out)
        fprintf(out, "\n\n<start_of_image>%s<end_of_image>\n\n", tokens);
    free(tokens);
    return out && fclose(out) == 0 ? text : (free(text), NULL);
}

/* How many patches along a side become one token. */
static int read_pooled_side(const sac_pretrained_model *m, sac_config *c)
{
    static const char name[] = "mm_tokens_per_image";
    int tokens = sac_config_size_or(c, name, 1, SAC_ARCHITECTURE_TOKENS, 256);
    int side = (int)sqrt((double)tokens), patches = m->vision_encoder.trained.width;
    if (c->status == SAC_OK && (side * side != tokens || side > patches))
        sac_config_refuse(c, name, "%d is no square of at most %d a side", tokens, patches);
    return c->status == SAC_OK ? patches / side : 1;
}

/* An RMSNorm whose gain counts from 1, and a matrix that lies transposed. */
static void declare_pooled_projector(sac_pretrained_model *m, sac_config *c)
{
    static const char matrix[] = "mm_input_projection_weight";
    sac_pretrained_model *d = m->decoder;
    sac_connector *k = &d->text_decoder.connector;
    char name[80];
    const char *place =
        sac_pretrained_find(m->files, "model.multi_modal_projector.mm_soft_emb_norm.weight")
            ? "model.multi_modal_projector"
            : "multi_modal_projector";
    snprintf(name, sizeof name, "%s.%s", place, matrix);
    k->entry = sac_rms_norm_declare(&d->parameters, place, "mm_soft_emb_norm", m->width,
                                    m->last_norm.epsilon);
    k->project[0].w = sac_parameter_weight(&d->parameters, name, d->width, m->width);
    const sac_tensor_place places[] = {
        {.parameter = k->entry.gain, .added = 1},
        {.parameter = k->project[0].w, .transposed = true, .all = d->width}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!places[i].parameter || !sac_tensor_places_add(&d->located, &places[i]))
            c->status = sac_no_memory(c->error, name);
}

static void declare_gemma3(sac_pretrained_model *m, sac_config *c)
{
    sac_connector k = {.write = make_gemma3_picture,
                       .mark = "<start_of_image>",
                       .chat = "<bos><start_of_turn>user\n" SAC_CHAT_PICTURE SAC_CHAT_QUESTION
                               "<end_of_turn>\n<start_of_turn>model\n",
                       .pools = true,
                       .sees_itself = true};
    k.token = sac_config_size(c, "image_token_index", 1, SAC_ARCHITECTURE_TOKENS);
    describe_vision(m, c);
    m->vision_encoder.processor = "Gemma3ImageProcessor";
    if (c->status == SAC_OK)
        k.shuffle = read_pooled_side(m, c);
    if (c->status == SAC_OK)
        sac_architecture_add_prompted(m, c, "gemma3_text", &k);
    if (c->status == SAC_OK)
        declare_pooled_projector(m, c);
}

static const sac_config_key sac_keys_of_gemma3_whole[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("mm_tokens_per_image", "256"),
    U("image_token_index", "262144"),
    N("tie_word_embeddings", "true"),
    H("boi_token_index"),
    H("eoi_token_index"),
    H("eos_token_id"),
    END,
};

const sac_architecture sac_architecture_gemma3_whole = {
    .types = {"gemma3"},
    .keys = sac_keys_of_gemma3_whole,
    .architectures = {"Gemma3ForConditionalGeneration"},
    .declare = declare_gemma3};

/* ---------------------------------------------------------------- PaliGemma's */

static const sac_config_key sac_keys_of_paligemma[] = {
    COMMON,
    D("text_config", "{}"),
    D("vision_config", "{}"),
    U("image_token_index", NULL),
    U("image_token_id", NULL),
    U("tie_word_embeddings", "true"),
    H("vocab_size"),
    H("projection_dim"),
    H("hidden_size"),
    H("ignore_index"),
    H("bos_token_id"),
    H("eos_token_id"),
    H("pad_token_id"),
    END,
};

const sac_architecture sac_architecture_paligemma = {.types = {"paligemma"},
                                                     .keys = sac_keys_of_paligemma,
                                                     .architectures = {"PaliGemma"},
                                                     .declare = declare};

/* ---------------------------------------------------------------- ColPali
 * (Faysse et al. 2024): PaliGemma, of whose states those of all tokens are compared. */

static void declare_colpali(sac_pretrained_model *m, sac_config *c)
{
    static const sac_late_prompts prompts = {"<bos>", "Question: ", "Describe the image."};
    sac_config whole = sac_late_config(c, "paligemma", sac_keys_of_paligemma);
    if (whole.status == SAC_OK)
        declare_kind(m, &whole, true);
    c->status = whole.status;
    if (c->status == SAC_OK)
        sac_late_declare(m, c, &prompts);
}

static const sac_config_key sac_keys_of_colpali[] = {
    COMMON, D("vlm_config", "{}"), U("embedding_dim", "128"), H("text_config"), END,
};

const sac_architecture sac_architecture_colpali = {.types = {"colpali"},
                                                   .keys = sac_keys_of_colpali,
                                                   .architectures = {"ColPali"},
                                                   .declare = declare_colpali};
