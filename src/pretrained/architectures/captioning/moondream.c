/* Moondream 2 (vikhyat/moondream), which transformers has no class for: a vision transformer sees all of a picture and up to twelve
 * tiles of it, which overlap, and a decoder like Phi's reads one token for each patch of the whole. The prompt is of tokens, of one form for
 * captions and of another for questions. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "arrays/json.h"
#include "base/error.h"

/* ---------------------------------------------------------------- what sees */

static const sac_description seen_by_moondream = {
    .width = "enc_dim",
    .layers = "enc_n_layers",
    .heads = "enc_n_heads",
    .hidden = "enc_ff_dim",
    .activated = SAC_GELU_TANH,
    .prefix = {"model.vision."},
    .positions = "pos_emb",
    .patches = "patch_emb",
    .patches_flat = true,
    .layer = "blocks.%d",
    .attention = {{.fused = "attn.qkv", .out = "attn.proj"}},
    .norm = {[SAC_PART_SELF] = "ln1", [SAC_PART_FORWARD] = "ln2"},
    .norm_first = true,
    .up = "mlp.fc1",
    .down = "mlp.fc2",
    .last_norm = "post_ln",
    .bias = SAC_ALL_BIASED};

static const sac_config_key keys_of_vision[] = {
    U("enc_dim", "1152"),     U("enc_patch_size", "14"),   U("enc_n_layers", "27"),
    U("enc_ff_dim", "4304"),  U("enc_n_heads", "16"),      U("proj_out_dim", "2048"),
    U("crop_size", "378"),    U("in_channels", "3"),       U("max_crops", "12"),
    U("overlap_margin", "4"), U("proj_inner_dim", "8192"), END,
};

/* As Pillow makes it, of which the model's code makes use where there is no libvips. */
static void set_rules(sac_pretrained_model *m, sac_config *c, int margin)
{
    sac_vision_encoder *s = &m->vision_encoder;
    s->rules =
        (sac_picture_rules){.resizes = true,
                            .width = s->image_w,
                            .height = s->image_h,
                            .resampling = SAC_RESAMPLE_LANCZOS,
                            .is_tiled = true,
                            .least_tiles = 1,
                            .most_tiles = sac_config_size(c, "max_crops", 1, SAC_PICTURE_TILES - 1),
                            .margin = margin * s->patch_w,
                            .factor = 1.0f / 255,
                            .mean = {0.5f, 0.5f, 0.5f},
                            .deviation = {0.5f, 0.5f, 0.5f}};
    s->has_rules = true;
}

/* Returns the patches that a tile has in common with the one beside it, on each side. */
static int declare_vision(sac_pretrained_model *m, sac_config *c)
{
    static const char *const names[][2] = {{"enc_patch_size", "patch_size"},
                                           {"crop_size", "image_size"},
                                           {"in_channels", "num_channels"}};
    sac_config_apply_keys(c, keys_of_vision);
    for (int i = 0; i < 3 && c->status == SAC_OK; i++)
        cJSON_AddNumberToObject(c->json, names[i][1], sac_config_size(c, names[i][0], 1, 16384));
    if (c->status == SAC_OK)
        sac_describe(m, c, &seen_by_moondream);
    if (c->status != SAC_OK)
        return 0;
    const int side = m->vision_encoder.trained.width;
    const int margin = sac_config_size(c, "overlap_margin", 0, 16384);
    if (m->vision_encoder.image_w % m->vision_encoder.patch_w)
        sac_config_refuse(c, "crop_size", "%d is not of whole patches", m->vision_encoder.image_w);
    if (2 * margin >= side)
        sac_config_refuse(c, "overlap_margin", "%d leaves nothing of tiles of %d patches", margin,
                          side);
    set_rules(m, c, margin);
    return margin;
}

/* ---------------------------------------------------------------- what reads */

static const sac_description of_text = {.width = "dim",
                                        .layers = "n_layers",
                                        .heads = "n_heads",
                                        .key_heads = "n_kv_heads",
                                        .hidden = "ff_dim",
                                        .max_positions = "max_context",
                                        .activated = SAC_GELU_TANH,
                                        .prefix = {"model.text."},
                                        .words = "wte",
                                        .head = "model.text.lm_head.weight",
                                        .head_bias = "model.text.lm_head.bias",
                                        .layer = "blocks.%d",
                                        .attention = {{.fused = "attn.qkv", .out = "attn.proj"}},
                                        .norm = {[SAC_PART_SELF] = "ln", [SAC_PART_FORWARD] = "ln"},
                                        .norm_first = true,
                                        .parallel = {NULL, true},
                                        .up = "mlp.fc1",
                                        .down = "mlp.fc2",
                                        .last_norm = "post_ln",
                                        .causal = {NULL, true},
                                        .bias = SAC_ALL_BIASED,
                                        .rotary = true,
                                        .rope_part = "partial_rotary_factor"};

static const sac_config_key keys_of_text[] = {
    U("dim", "2048"),
    U("ff_dim", "8192"),
    U("n_layers", "24"),
    U("vocab_size", "51200"),
    U("max_context", "2048"),
    U("n_heads", "32"),
    U("n_kv_heads", "32"),
    U("partial_rotary_factor", "0.5"), /* that of its code, and of no file */
    O("group_size", "null"),           /* of weights of 4 bits */
    H("prefix_attn"),                  /* which its code finds by the number of patches */
    END,
};

static void declare_text(sac_pretrained_model *m, sac_config *c)
{
    m->text_decoder.question = SAC_ASKED_IN_PROMPT;
    sac_config_apply_keys(c, keys_of_text);
    sac_describe(m, c, &of_text);
    if (c->status == SAC_OK)
        sac_architecture_read_answers(m, c);
    if (c->status == SAC_OK && !m->predicts_next)
        sac_config_refuse(c, "text", "has no head that predicts the next token");
}

static const sac_architecture reads = {.declare = declare_text};

/* ---------------------------------------------------------------- the model */

static void check_names(const sac_pretrained_model *m, sac_config *c)
{
    const bool is_old = sac_pretrained_has_ending(m->files, "text_model.lm_head.linear.weight") ||
                        sac_pretrained_has_ending(m->files, "transformer.embd.wte.weight");
    if (c->status == SAC_OK && !sac_pretrained_has(m->files, "model.text.wte"))
        c->status = sac_error_within(
            c->error,
            sac_fail(c->error, SAC_E_FORMAT, "model.text.wte",
                     "take the revision 2025-01-09 of vikhyatk/moondream2, or a later one", "%s",
                     is_old ? "is missing: the weights have the names of revisions before 2025 "
                              "(text_model.…, vision_encoder.…)"
                            : "is missing"),
            sac_pretrained_weights_name(m->files));
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_config all = sac_config_inside(c, "config");
    static const sac_config_key keys[] = {D("text", "{}"), D("vision", "{}"), D("tokenizer", "{}"),
                                          H("region"), END};
    sac_config_apply_keys(&all, keys);
    sac_config vision = sac_config_inside(&all, "vision"), text = sac_config_inside(&all, "text");
    check_names(m, c);
    vision.status = c->status;
    const int margin = declare_vision(m, &vision);
    text.status = vision.status;
    if (text.status == SAC_OK)
        sac_architecture_add_decoder(m, &reads, false, &text);
    if (text.status == SAC_OK &&
        (size_t)sac_config_size(&vision, "proj_out_dim", 1, 1 << 20) != m->decoder->width)
        sac_config_refuse(&vision, "proj_out_dim", "is not the width of the text, %zu",
                          m->decoder->width);
    c->status = text.status != SAC_OK ? text.status : vision.status;
    if (c->status != SAC_OK)
        return;
    sac_pretrained_model *d = m->decoder;
    const size_t hidden = (size_t)sac_config_size(&vision, "proj_inner_dim", 1, 1 << 20);
    sac_connector *k = &d->text_decoder.connector;
    *k = (sac_connector){.token = (int)d->vocabulary,
                         .shuffle = 1,
                         .write = sac_make_picture_tokens,
                         .activation = SAC_GELU_TANH,
                         .is_bare = true,
                         .sees_itself = true,
                         .sees_start = true,
                         .overlaps = true,
                         .margin = margin,
                         .parted = ""};
    static const char place[] = "model.vision.proj_mlp";
    k->project[0] = sac_dense_declare(&d->parameters, place, "fc1", hidden, 2 * m->width, true);
    k->project[1] = sac_dense_declare(&d->parameters, place, "fc2", d->width, hidden, true);
    c->status = vision.status;
}

/* ---------------------------------------------------------------- the tokens of its prompts */

/* Of the first tokenizer, Phi's, in which they are words: “\n\nQuestion:”, a space and the question, “\n\nAnswer:”; and of the second
 * (June 2025), whose end is 0, where they are tokens of their own. */
static const char first_templates[] =
    "{\"caption\": {\"short\": [198, 198, 16438, 8305, 25], \"normal\": [198, 198, 24334, 1159, "
    "25]}, "
    "\"query\": {\"prefix\": [198, 198, 24361, 25], \"suffix\": [198, 198, 33706, 25]}}";
static const char second_templates[] =
    "{\"caption\": {\"short\": [1, 32708, 2, 12492, 3], \"normal\": [1, 32708, 2, 6382, 3], "
    "\"long\": [1, 32708, 2, 4059, 3]}, "
    "\"query\": {\"prefix\": [1, 15381, 2], \"suffix\": [3]}}";

static const sac_config_key keys_of_words[] = {
    N("bos_id", NULL),    N("eos_id", NULL),
    N("answer_id", NULL), N("templates", NULL),
    H("thinking_id"),     H("coord_id"),
    H("size_id"),         H("start_ground_points_id"),
    H("end_ground_id"),   END,
};

static int read_ids(sac_config *c, const char *name, int vocabulary, int ids[SAC_ASKED_TOKENS])
{
    return sac_config_sizes(c, name, 0, vocabulary - 1, ids, SAC_ASKED_TOKENS);
}

static void read_forms(sac_config *templates, int vocabulary, bool is_second, sac_connector *k)
{
    static const char *const names[][2] = {
        {"normal", "<CAPTION>"}, {"short", "<SHORT_CAPTION>"}, {"long", "<LONG_CAPTION>"}};
    sac_config captions = sac_config_inside(templates, "caption");
    sac_config query = sac_config_inside(templates, "query");
    for (int i = 0; i < 3; i++) {
        sac_asked_form form = {.name = names[i][1]};
        form.before_count = read_ids(&captions, names[i][0], vocabulary, form.before);
        if (form.before_count && !k->first)
            k->first = form.name;
        k->form[k->forms++] = form;
    }
    query.status = captions.status;
    if (cJSON_IsObject(query.json)) {
        sac_asked_form *form = &k->form[k->forms++];
        form->before_count = read_ids(&query, "prefix", vocabulary, form->before);
        form->after_count = read_ids(&query, "suffix", vocabulary, form->after);
        for (int i = 0; is_second && i < form->after_count; i++) /* it stands there twice */
            if (2 * form->after_count <= SAC_ASKED_TOKENS)
                form->after[form->after_count + i] = form->after[i];
        form->after_count *= is_second ? 2 : 1;
        if (form->after_count > SAC_ASKED_TOKENS)
            sac_config_refuse(&query, "suffix", "has more than %d numbers", SAC_ASKED_TOKENS / 2);
    }
    templates->status = query.status;
    if (!k->first && k->forms < SAC_ASKED_FORMS)
        sac_config_refuse(templates, "templates", "has neither caption nor query");
}

/* What its tokenizer and config.json have for a prompt. */
static sac_status take(sac_pretrained_model *m, sac_error *error)
{
    static const char end_name[] = "<|endoftext|>";
    sac_config whole = sac_pretrained_config(m->files, error);
    sac_config all = sac_config_inside(&whole, "config"), c = sac_config_inside(&all, "tokenizer");
    sac_pretrained_model *d = m->decoder;
    sac_connector *k = &d->text_decoder.connector;
    if (!m->tokenizer) /* inside another file it reads no text */
        return SAC_OK;
    const int V = (int)d->vocabulary, named = sac_tokenizer_find(m->tokenizer, end_name);
    sac_config_apply_keys(&c, keys_of_words);
    if (named < 0 && !(sac_config_has(&c, "bos_id") && sac_config_has(&c, "eos_id")))
        sac_config_refuse(&c, "eos_id", "is missing, and the tokenizer has no %s", end_name);
    const int end = sac_config_size_or(&c, "eos_id", 0, V - 1, named);
    const bool is_second = end == 0, has_own = sac_config_has(&c, "templates");
    cJSON *usual = NULL;
    if (c.status == SAC_OK && !has_own)
        c.status =
            is_second ? sac_json_parse(second_templates, sizeof second_templates - 1, &usual, error)
                      : sac_json_parse(first_templates, sizeof first_templates - 1, &usual, error);
    if (c.status == SAC_OK && !has_own && !is_second)
        sac_pretrained_model_note(m, "config.json has no prompts: those of revisions before June "
                                     "2025 are taken, which its tokenizer is of; later weights "
                                     "want the tokenizer.json of moondream/starmie-v1");
    sac_config templates = has_own ? sac_config_inside(&c, "templates") : c;
    templates.json = has_own ? templates.json : usual;
    k->start = sac_config_size_or(&c, "bos_id", 0, V - 1, named);
    k->parted = is_second ? "" : " ";
    d->ends[0] = d->text_decoder.search.end = end;
    d->end_count = d->text_decoder.rules.end_count = 1;
    d->text_decoder.rules.ends = d->ends;
    if (is_second || sac_config_has(&c, "answer_id"))
        d->text_decoder.rules.first_alone = 1 + sac_config_size_or(&c, "answer_id", 0, V - 1, 3);
    templates.status = c.status;
    if (templates.status == SAC_OK)
        read_forms(&templates, V, is_second, k);
    cJSON_Delete(usual);
    return sac_config_status(&templates);
}

static const sac_config_key sac_keys_of_moondream[] = {
    COMMON,
    D("config", "{}"),
    H("auto_map"),
    END,
};

const sac_architecture sac_architecture_moondream = {.types = {"moondream1"},
                                                     .keys = sac_keys_of_moondream,
                                                     .architectures = {"HfMoondream"},
                                                     .mark = "model.vision.proj_mlp.fc1.weight",
                                                     .part_generates = true,
                                                     .declare = declare,
                                                     .take = take};
