/* Whisper (Radford et al. 2022): two convolutions over a spectrogram of 30 seconds and the layers of
 * BART, norms first; the decoder transcribes it. The output begins with the tokens of a
 * prompt: the language, the task, and that there are no times among the words. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/config_keys.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "sounds/sound.h"

#define ATTENTION(name)                                                                            \
    {                                                                                              \
        .query = name ".q_proj", .key = name ".k_proj", .value = name ".v_proj",                   \
        .out = name ".out_proj"                                                                    \
    }
#define OF_HALF(half, place)                                                                       \
    .width = "d_model", .activation = "activation_function", .layers = half "_layers",             \
    .heads = half "_attention_heads", .hidden = half "_ffn_dim", .layer = place "layers.%d",       \
    .up = "fc1", .down = "fc2", .norm_first = true, .last_norm = place "layer_norm",               \
    .bias = {SAC_BIASED, {NULL, false}, SAC_BIASED, SAC_BIASED, SAC_BIASED}

const sac_description sac_whisper_encoder = {
    OF_HALF("encoder", ""), .prefix = {"model.encoder.", "encoder."}, .custom_embedding = true,
    .attention = {ATTENTION("self_attn")},
    .norm = {[SAC_PART_SELF] = "self_attn_layer_norm", [SAC_PART_FORWARD] = "final_layer_norm"}};
/* Its model multiplies no words, whatever scale_embedding is. */
static const sac_description decoder = {
    OF_HALF("decoder", "decoder."),
    .prefix = {"model.", ""},
    .max_positions = "max_target_positions",
    .positions = "decoder.embed_positions.weight",
    .attention = {ATTENTION("self_attn"), ATTENTION("encoder_attn")},
    .norm = {"self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"},
    .words = "decoder.embed_tokens.weight",
    .causal = {NULL, true}};

/* ---------------------------------------------------------------- the prompt */

enum { TIMES = 1502, MULTILINGUAL = 51865, FIRST_LANGUAGE = 50259 };

/* A number below the vocabulary, or `otherwise`. */
static int token_of(const sac_pretrained_model *m, const cJSON *from, const char *name,
                    int otherwise)
{
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(from, name);
    bool is_token =
        cJSON_IsNumber(one) && one->valueint >= 0 && (size_t)one->valueint < m->vocabulary;
    return is_token ? one->valueint : otherwise;
}

static void append_prompt_token(sac_text_decoder *v, int token)
{
    if (token < 0)
        return;
    v->prompt[v->prompt_count++] = v->search.start;
    v->search.start = token;
}

/* generation_config.json, which the caller deletes; NULL where there is none, or it is damaged. */
static cJSON *read_generation_config(const sac_pretrained_model *m, sac_config *c)
{
    char path[1100];
    cJSON *generation = NULL;
    snprintf(path, sizeof path, "%s/generation_config.json", m->folder);
    if (c->status == SAC_OK && sac_is_regular(path))
        c->status = sac_json_load_config(path, &generation, c->error);
    return generation;
}

/* The token of a text that may be a code, "de", or a token, "<|de|>"; −1: none. */
static int token_of_code_or_mark(const sac_pretrained_model *m, const cJSON *tokens,
                                 const cJSON *generation)
{
    char marked[40];
    const char *text = cJSON_GetStringValue(generation);
    if (!text)
        return -1;
    snprintf(marked, sizeof marked, "<|%.32s|>", text);
    int token = token_of(m, tokens, text, -1);
    return token >= 0 ? token : token_of(m, tokens, marked, -1);
}

/* What the older form of a folder has at place `place` of the output: [[1, 50259], …]; −1: nothing. */
static int token_forced(const sac_pretrained_model *m, const cJSON *generation, int place)
{
    const cJSON *pair;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(generation, "forced_decoder_ids"))
    {
        const cJSON *at = cJSON_GetArrayItem(pair, 0), *token = cJSON_GetArrayItem(pair, 1);
        if (cJSON_IsNumber(at) && at->valueint == place && cJSON_IsNumber(token) &&
            token->valueint >= 0 && (size_t)token->valueint < m->vocabulary)
            return token->valueint;
    }
    return -1;
}

static void add_language(sac_audio_languages *known, int token)
{
    if (token >= 0 && known->count < SAC_AUDIO_LANGUAGES)
        known->token[known->count++] = token;
}

/* The languages and tasks of lang_to_id and task_to_id, or else those of the vocabularies that there are:
 * the languages stand before the tasks. */
static void read_languages(sac_pretrained_model *m, const cJSON *generation, bool is_known)
{
    sac_audio_languages *known = &m->text_decoder.languages;
    const int times = (int)m->vocabulary - TIMES;
    const cJSON *languages = cJSON_GetObjectItemCaseSensitive(generation, "lang_to_id");
    const cJSON *tasks = cJSON_GetObjectItemCaseSensitive(generation, "task_to_id");
    const cJSON *language = cJSON_GetObjectItemCaseSensitive(generation, "language");
    const cJSON *task = cJSON_GetObjectItemCaseSensitive(generation, "task"), *one;
    cJSON_ArrayForEach(one, languages) add_language(known, token_of(m, languages, one->string, -1));
    for (int i = FIRST_LANGUAGE; !languages && is_known && i < times - 5; i++)
        add_language(known, i);
    known->task[0] = token_of(m, tasks, "transcribe", is_known ? times - 4 : -1);
    known->task[1] = token_of(m, tasks, "translate", is_known ? times - 5 : -1);
    known->configured = token_of_code_or_mark(m, languages, language);
    if (!language && !task)
        known->configured = token_forced(m, generation, 1);
}

/* The folder's task: "task", or what it forces; else speech is transcribed. */
static int default_task_token(const sac_pretrained_model *m, const cJSON *generation)
{
    const sac_audio_languages *known = &m->text_decoder.languages;
    const char *task = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(generation, "task"));
    bool translates = task
                          ? strcmp(task, "translate") == 0
                          : known->task[1] >= 0 && token_forced(m, generation, 2) == known->task[1];
    return known->task[translates];
}

/* What generate() can do with a sound beside the search: it is left out, and named where the folder asks for it. */
static void note_unused_settings(sac_pretrained_model *m, const cJSON *generation)
{
    static const char *const keys[] = {"condition_on_prev_tokens", "compression_ratio_threshold",
                                       "logprob_threshold", "no_speech_threshold", "temperature"};
    char list[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(generation, keys[i]);
        const bool is_asked = i == 0   ? cJSON_IsTrue(one)
                              : i == 4 ? cJSON_IsArray(one)
                                       : one && !cJSON_IsNull(one);
        if (is_asked)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     keys[i]);
    }
    if (used)
        sac_pretrained_model_note(
            m, "not followed: %s; each piece of a sound is captioned once and by itself", list);
}

/* The tokens of times stand behind that of none; a folder may have none of them. */
static void read_time_tokens(sac_pretrained_model *m, const cJSON *generation, int none)
{
    sac_text_decoder *v = &m->text_decoder;
    const cJSON *latest =
        cJSON_GetObjectItemCaseSensitive(generation, "max_initial_timestamp_index");
    if (none < 0 || (size_t)none + 1 >= m->vocabulary)
        return;
    v->times = none + 1;
    v->latest_first = cJSON_IsNumber(latest) && latest->valueint >= 0 ? latest->valueint + 1 : 0;
}

/* By generation_config.json, or else by the sizes of the vocabularies that there are. */
static void read_prompt(sac_pretrained_model *m, sac_config *c)
{
    sac_text_decoder *v = &m->text_decoder;
    int size = (int)m->vocabulary, times = size > TIMES ? size - TIMES : -1;
    bool is_known = size == MULTILINGUAL - 1 || size == MULTILINGUAL || size == MULTILINGUAL + 1;
    cJSON *generation = read_generation_config(m, c);
    const cJSON *languages = cJSON_GetObjectItemCaseSensitive(generation, "lang_to_id");
    bool many = languages || (!generation && is_known && size >= MULTILINGUAL);
    int none = token_of(m, generation, "no_timestamps_token_id", is_known ? times : -1);
    if (many) {
        read_languages(m, generation, is_known);
        append_prompt_token(v, v->languages.count ? v->languages.token[0]
                                                  : -1); /* until one is chosen */
        append_prompt_token(v, v->languages.count ? default_task_token(m, generation) : -1);
    }
    append_prompt_token(v, none);
    read_time_tokens(m, generation, none);
    note_unused_settings(m, generation);
    cJSON_Delete(generation);
}

/* ---------------------------------------------------------------- the times of words */

static void add_aligned_head(sac_audio_encoder *h, int layer, int head)
{
    if (h->aligned == SAC_ALIGNED_HEADS)
        return;
    h->aligned_layer[h->aligned] = layer;
    h->aligned_head[h->aligned++] = head;
}

/* alignment_heads of generation_config.json; where there are none, all of the second half of the
 * decoder's layers. */
static void read_alignment(sac_pretrained_model *m, sac_config *c)
{
    const sac_pretrained_model *d = m->decoder;
    cJSON *generation = read_generation_config(m, c);
    const cJSON *pair;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(generation, "alignment_heads"))
    {
        const cJSON *layer = cJSON_GetArrayItem(pair, 0), *head = cJSON_GetArrayItem(pair, 1);
        if (cJSON_IsNumber(layer) && cJSON_IsNumber(head) && layer->valueint >= 0 &&
            layer->valueint < d->layers && head->valueint >= 0 && head->valueint < d->run.heads)
            add_aligned_head(&m->audio, layer->valueint, head->valueint);
    }
    cJSON_Delete(generation);
    for (int layer = d->layers / 2; !m->audio.aligned && layer < d->layers; layer++)
        for (int head = 0; head < d->run.heads && layer < d->layers; head++)
            add_aligned_head(&m->audio, layer, head);
    m->audio.median = sac_config_size_or(c, "median_filter_width", 1, 99, 7);
}

/* ---------------------------------------------------------------- both halves */

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    static const char head[] = "proj_out.weight";
    sac_describe(m, c, &decoder);
    if (c->status != SAC_OK)
        return;
    bool tied = sac_config_flag_or(c, "tie_word_embeddings", true);
    if (sac_architecture_owns_head(m, head, m->words->name, tied))
        m->head = sac_parameter_weight(&m->parameters, head, m->vocabulary, m->width);
    sac_architecture_read_search(m, c, "decoder_start_token_id", "eos_token_id");
    read_prompt(m, c);
}

static const sac_architecture decoder_of_whisper = {.declare = declare_decoder};

/* Trained positions, and two convolutions of three taps, the second of every other time: a cell is two times of the spectrogram. */
void sac_whisper_declare_encoder(sac_pretrained_model *m, sac_config *c, const sac_description *d)
{
    char name[64];
    sac_audio_encoder *a = &m->audio;
    sac_describe(m, c, d);
    a->bins = (size_t)sac_config_size(c, "num_mel_bins", 1, 1024);
    m->max_positions = (size_t)sac_config_size(c, "max_source_positions", 1, 1 << 24);
    if (c->status != SAC_OK)
        return;
    const char *prefix = sac_pretrained_prefix(m->files, d->prefix, "conv1.weight");
    snprintf(name, sizeof name, "%sembed_positions.weight", prefix);
    m->positions = sac_parameter_matrix(&m->parameters, name, m->max_positions, m->width);
    a->cell = 2 * SAC_MEL_HOP;
    for (a->layers = 0; a->layers < 2; a->layers++) {
        snprintf(name, sizeof name, "%sconv%d", prefix, a->layers + 1);
        sac_sound_layer *l = &a->layer[a->layers];
        *l = sac_sound_layer_declare(m, c, name, "weight", m->width, a->layers ? m->width : a->bins,
                                     3, true);
        l->step = (size_t)a->layers + 1;
        l->around = 1;
        l->activation = SAC_GELU;
    }
}

static void declare(sac_pretrained_model *m, sac_config *c)
{
    sac_whisper_declare_encoder(m, c, &sac_whisper_encoder);
    if (c->status == SAC_OK)
        sac_architecture_add_decoder(m, &decoder_of_whisper, true, c);
    if (m->decoder && c->status == SAC_OK)
        read_alignment(m, c);
}

static const sac_config_key sac_keys_of_whisper[] = {
    COMMON,
    U("vocab_size", "51865"),
    U("num_mel_bins", "80"),
    U("d_model", "384"),
    U("encoder_layers", "4"),
    U("encoder_attention_heads", "6"),
    U("encoder_ffn_dim", "1536"),
    U("decoder_layers", "4"),
    U("decoder_attention_heads", "6"),
    U("decoder_ffn_dim", "1536"),
    U("max_source_positions", "1500"),
    U("max_target_positions", "448"),
    U("activation_function", "\"gelu\""),
    H("scale_embedding"),
    U("tie_word_embeddings", "true"),
    U("decoder_start_token_id", "50257"),
    N("pad_token_id", "50256"),
    N("bos_token_id", "50256"),
    N("eos_token_id", "50256"),
    U("suppress_tokens", NULL),
    N("begin_suppress_tokens", "[220,50256]"),
    U("median_filter_width", "7"),
    O("use_weighted_layer_sum", "false"),
    H("classifier_proj_size"),
    H("apply_spec_augment"),
    H("mask_time_prob"),
    H("mask_time_length"),
    H("mask_time_min_masks"),
    H("mask_feature_prob"),
    H("mask_feature_length"),
    H("mask_feature_min_masks"),
    H("encoder_layerdrop"),
    H("decoder_layerdrop"),
    H("dropout"),
    H("attention_dropout"),
    H("activation_dropout"),
    H("init_std"),
    END,
};

const sac_architecture sac_architecture_whisper = {.types = {"whisper"},
                                                   .keys = sac_keys_of_whisper,
                                                   .architectures = {"Whisper"},
                                                   .mark = "encoder.conv1.weight",
                                                   .declare = declare};
