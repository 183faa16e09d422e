/* Florence-2 (Xiao et al. 2023): DaViT sees, and BART's encoder reads what it saw and a task in one text,
 * to which BART's decoder attends (captioning/joint_decoder.c). In the folders of transformers, and in Microsoft's
 * own with its code beside them. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "base/error.h"

#define MOST_NAMES 6
static const char *const words[MOST_NAMES] = {
    "model.language_model.shared.weight", "language_model.model.shared.weight",
    "model.language_model.encoder.embed_tokens.weight",
    "language_model.model.encoder.embed_tokens.weight", NULL};
static const char *const heads[MOST_NAMES] = {"lm_head.weight", "language_model.lm_head.weight",
                                              NULL};
/* Microsoft's tensor is [C,D]; it goes after the one of transformers, which is [D,C]. */
static const char *const projections[MOST_NAMES] = {
    "model.multi_modal_projector.image_projection.weight",
    "multi_modal_projector.image_projection.weight", "image_projection", NULL};
static const char *const norms[MOST_NAMES] = {"model.multi_modal_projector.image_proj_norm.weight",
                                              "multi_modal_projector.image_proj_norm.weight",
                                              "image_proj_norm.weight", NULL};
static const char *const places[MOST_NAMES] = {
    "model.multi_modal_projector.image_position_embed.row_embeddings.weight",
    "multi_modal_projector.image_position_embed.row_embeddings.weight",
    "image_pos_embed.row_embeddings.weight", NULL};

/* The table of a half of BART, under the names that it has here. */
static sac_description half_of_bart(const sac_description *half)
{
    sac_description d = *half;
    d.prefix[0] = "model.language_model.";
    d.prefix[1] = "language_model.model.";
    d.prefix[2] = NULL;
    return d;
}

static void declare_text_encoder(sac_pretrained_model *m, sac_config *c)
{
    const sac_description d = half_of_bart(&sac_bart_encoder);
    sac_describe(m, c, &d);
    if (c->status == SAC_OK)
        m->words = sac_parameter_weight(&m->parameters, sac_architecture_find_name(m, words),
                                        m->vocabulary, m->width);
}

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    const sac_description d = half_of_bart(&sac_bart_decoder);
    static const char bias[] = "language_model.final_logits_bias";
    const char *head = sac_architecture_find_name(m, heads);
    sac_describe(m, c, &d);
    if (c->status != SAC_OK)
        return;
    m->text_decoder.question = SAC_ASKED_OF_ENCODER;
    m->text_decoder.seen = m->width; /* as wide as what the encoder of text makes of it */
    if (sac_architecture_owns_head(m, head, sac_architecture_find_name(m, words), true))
        m->head = sac_parameter_weight(&m->parameters, head, m->vocabulary, m->width);
    if (sac_pretrained_find(m->files, bias))
        m->text_decoder.bias = sac_parameter_matrix(&m->parameters, bias, 1, m->vocabulary);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
}

static const sac_architecture text_encoder = {.declare = declare_text_encoder};
static const sac_architecture decoder = {.declare = declare_decoder};

/* The name without ".weight". */
static const char *strip_weight_suffix(const char *name, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)(strlen(name) - strlen(".weight")), name);
    return text;
}

/* Cells of the last grid → words' width. `c` is the vision encoder's config. */
static void declare_connector(sac_pretrained_model *m, sac_config *c)
{
    sac_connector *k = &m->decoder->text_decoder.connector;
    sac_config inside = sac_config_inside(c, "image_pos_embed");
    const char *limit = "max_position_embeddings",
               *projection = sac_architecture_find_name(m, projections);
    size_t C = m->width, D = m->decoder->width;
    int most = sac_config_has(&inside, "max_pos_embeddings")
                   ? sac_config_size(&inside, "max_pos_embeddings", 1, 4096)
                   : sac_config_size(c, limit, 1, 4096);
    char name[96], column[96];
    if ((size_t)sac_config_size(c, "projection_dim", 1, SAC_ARCHITECTURE_WIDTH) != D)
        sac_config_refuse(c, "projection_dim", "is not the width of words, %zu", D);
    if (c->status != SAC_OK)
        return;
    k->project[0].w = sac_parameter_weight(&m->parameters, projection, D, C);
    const sac_tensor_place turned = {.parameter = k->project[0].w, .transposed = true, .all = D};
    if (strcmp(projection, "image_projection") == 0 && !sac_tensor_places_add(&m->located, &turned))
        c->status = sac_no_memory(c->error, m->name);
    k->norm = sac_layer_norm_declare(
        &m->parameters, "",
        strip_weight_suffix(sac_architecture_find_name(m, norms), name, sizeof name), D);
    const char *row = sac_architecture_find_name(m, places);
    const char *part = strstr(row, "row_");
    snprintf(column, sizeof column, "%.*scolumn_embeddings.weight", (int)(part - row), row);
    k->rows = sac_parameter_matrix(&m->parameters, row, (size_t)most, C / 2);
    k->columns = sac_parameter_matrix(&m->parameters, column, (size_t)most, C - C / 2);
}

/* Both means are taken, over places and over times, of which a picture has one. */
static void check_feature_source(sac_config *c)
{
    static const char *const known[] = {"spatial_avg_pool", "temporal_avg_pool"};
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "image_feature_source");
    for (int i = 0; i < 2 && cJSON_IsArray(list); i++) {
        const cJSON *one = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsString(one) || strcmp(one->valuestring, known[i]) != 0 ||
            cJSON_GetArraySize(list) != 2)
            sac_config_refuse(c, "image_feature_source", "is not [\"%s\", \"%s\"]", known[0],
                              known[1]);
    }
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    static const char *const kinds[] = {"bart", "florence2_language", NULL};
    sac_config seen = sac_config_inside(c, "vision_config"),
               text = sac_config_inside(c, "text_config");
    if (sac_config_has(&text, "model_type"))
        sac_config_choice(&text, "model_type", kinds);
    check_feature_source(&seen);
    if (seen.status == SAC_OK)
        sac_davit_declare(m, &seen);
    c->status = seen.status != SAC_OK ? seen.status : text.status;
    if (c->status == SAC_OK)
        sac_config_apply_keys(&text, sac_keys_of_bart);
    if (c->status == SAC_OK)
        c->status = text.status;
    if (c->status != SAC_OK)
        return;
    sac_architecture_add_part(m, &m->text_encoder, &text_encoder, &text);
    if (text.status == SAC_OK)
        sac_architecture_add_decoder(m, &decoder, true, &text);
    c->status = text.status;
    if (c->status != SAC_OK)
        return;
    m->decoder->words = m->text_encoder->words;
    m->decoder->text_decoder.connector.token =
        sac_config_size_or(&text, "pad_token_id", 0, (int)m->decoder->vocabulary - 1, 1);
    declare_connector(m, &seen);
    c->status = seen.status != SAC_OK ? seen.status : text.status;
}

static const sac_config_key sac_keys_of_florence2[] = {
    COMMON,
    D("vision_config", "{}"),
    D("text_config", "{}"),
    O("tie_word_embeddings", "true"),
    H("image_token_id"),
    H("image_token_index"),
    H("projection_dim"),
    H("vocab_size"),
    H("ignore_index"),
    H("bos_token_id"),
    H("eos_token_id"),
    H("pad_token_id"),
    END,
};

const sac_architecture sac_architecture_florence2 = {.types = {"florence2"},
                                                     .keys = sac_keys_of_florence2,
                                                     .architectures = {"Florence2"},
                                                     .declare = declare};
