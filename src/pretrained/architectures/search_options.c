/* Reads the options of beam search from the folder of a model. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"

enum { MOST_TOKENS = 1 << 20, LONGEST = 20, ANSWER = 128 };

/* What is known of the keys of generation_config.json (transformers 5.24, GenerationConfig). Those
 * for speed, for other outputs, and for drawing are not in it; that words would be drawn is reported.
 */
static const sac_config_key keys[] = {
    {"sequence_bias", SAC_KEY_ONLY, "null"},
    {"exponential_decay_length_penalty", SAC_KEY_ONLY, "null"},
    {"guidance_scale", SAC_KEY_ONLY, "1"},
    {"watermarking_config", SAC_KEY_ONLY, "null"},
    {"stop_strings", SAC_KEY_ONLY, "null"},
    {"constraints", SAC_KEY_ONLY, "null"},
    {"force_words_ids", SAC_KEY_ONLY, "null"},
    {"dola_layers", SAC_KEY_ONLY, "null"},
    {"penalty_alpha", SAC_KEY_ONLY, "0"},
    {"diversity_penalty", SAC_KEY_ONLY, "0"},
    {"num_beam_groups", SAC_KEY_ONLY, "1"},
    {"token_healing", SAC_KEY_ONLY, "false"},
    {NULL, 0, NULL},
};
/* Keys that depend on the tokens of the input. They have no effect if the input is a picture. */
static const sac_config_key keys_of_readers[] = {
    {"encoder_repetition_penalty", SAC_KEY_ONLY, "1"},
    {"encoder_no_repeat_ngram_size", SAC_KEY_ONLY, "0"},
    {NULL, 0, NULL},
};

/* ---------------------------------------------------------------- the file */

/* generation_config.json, or where there is none that of `config`, as in older files; nothing where
 * transformers takes neither for this model. */
typedef struct generation {
    cJSON *json;
    char path[1100];
    sac_config own;     /* of the search */
    sac_config *config; /* of tokens that the search does not name */
    char unused[64];    /* a setting that transformers does not take for this model; "": none */
} generation;

/* True where transformers has a part of the model generate, which knows neither file: of config.json it has
 * tokens alone. */
static bool part_generates(const sac_pretrained_model *m)
{
    for (; m; m = m->whole)
        if (m->architecture && m->architecture->part_generates)
            return true;
    return false;
}

/* Settings and their defaults, which older files of every model have. */
static const char defaults[] =
    "{\"max_length\": 20, \"max_new_tokens\": null, \"min_length\": 0, \"min_new_tokens\": null, "
    "\"num_beams\": 1, \"length_penalty\": 1, \"early_stopping\": false, \"repetition_penalty\": "
    "1, "
    "\"no_repeat_ngram_size\": 0, \"encoder_repetition_penalty\": 1, "
    "\"encoder_no_repeat_ngram_size\": 0, \"bad_words_ids\": null, \"suppress_tokens\": null, "
    "\"begin_suppress_tokens\": null, \"forced_bos_token_id\": null, \"forced_eos_token_id\": "
    "null, "
    "\"renormalize_logits\": false, \"do_sample\": false, \"max_time\": null, "
    "\"sequence_bias\": null, \"exponential_decay_length_penalty\": null, \"guidance_scale\": 1, "
    "\"watermarking_config\": null, \"stop_strings\": null, \"constraints\": null, "
    "\"force_words_ids\": null, \"dola_layers\": null, \"penalty_alpha\": 0, "
    "\"diversity_penalty\": 0, \"num_beam_groups\": 1, \"token_healing\": false}";

/* Puts the first setting of `json` that would change words into g->unused. */
static void find_unused(generation *g, const cJSON *json)
{
    cJSON *usual;
    const cJSON *one;
    if (g->config->status == SAC_OK)
        g->config->status = sac_json_parse(defaults, sizeof defaults - 1, &usual, g->config->error);
    if (g->config->status != SAC_OK)
        return;
    cJSON_ArrayForEach(one, usual)
    {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, one->string);
        if (value && !cJSON_IsNull(value) && !cJSON_Compare(value, one, true) && !g->unused[0])
            snprintf(g->unused, sizeof g->unused, "%s", one->string);
    }
    cJSON_Delete(usual);
}

static void open_generation(const sac_pretrained_model *m, sac_config *config, generation *g)
{
    *g = (generation){.config = config};
    snprintf(g->path, sizeof g->path, "%s/generation_config.json", m->folder);
    if (config->status == SAC_OK && sac_is_regular(g->path))
        config->status = sac_json_load_config(g->path, &g->json, config->error);
    if (config->status == SAC_OK && part_generates(m)) {
        find_unused(g, g->json);
        find_unused(g, config->json);
        cJSON_Delete(g->json);
        g->json = cJSON_CreateObject();
        if (!g->json)
            config->status = sac_no_memory(config->error, m->name);
    }
    g->own = g->json ? sac_config_of(g->json, g->path, config->error) : *config;
    g->own.status = config->status;
    g->own.unknown = NULL;
}

static void close_generation(generation *g)
{
    if (g->config->status == SAC_OK && g->own.status != SAC_OK)
        g->config->status = g->json ? sac_config_status(&g->own) : g->own.status;
    cJSON_Delete(g->json);
}

/* The first of the two files that names the token. */
static sac_config *config_with_token(generation *g, const char *name)
{
    return sac_config_has(&g->own, name) ? &g->own : g->config;
}

/* A number that is none (NaN, as Python writes it; a text) is refused, whether it is followed here or not. */
static void check_numbers(generation *g)
{
    static const char *const numbers[] = {
        "max_length",           "max_new_tokens", "max_time",       "min_length",
        "min_new_tokens",       "num_beams",      "length_penalty", "repetition_penalty",
        "no_repeat_ngram_size", "temperature",    "top_k",          "top_p"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(g->own.json, numbers[i]);
        if (cJSON_IsString(value) || cJSON_IsRaw(value)) /* Whisper has a list of temperatures */
            sac_config_refuse(&g->own, numbers[i], "is not a number");
    }
}

static void follow_and_check_keys(sac_pretrained_model *m, generation *g, bool has_text)
{
    sac_config_drop_nulls(&g->own); /* None is what is not set */
    sac_config_apply_keys(&g->own, keys);
    check_numbers(g);
    if (has_text)
        sac_config_apply_keys(&g->own, keys_of_readers);
    if (g->unused[0])
        sac_pretrained_model_note(
            m, "%s is not used: transformers takes no settings of generation for this model",
            g->unused);
    if (sac_config_flag_or(&g->own, "do_sample", false))
        sac_pretrained_model_note(
            m, "its folder asks for words that are drawn (do_sample); the most probable "
               "are taken");
    if (sac_config_has(&g->own, "max_time"))
        sac_pretrained_model_note(m, "max_time is not followed");
}

/* ---------------------------------------------------------------- lists of tokens */

/* Copies the numbers of a list, or of nested lists, each after its length. `to` NULL: only counts. */
static int copy_tokens(sac_config *c, const char *name, bool nested, int *to)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, name), *one;
    int count = 0;
    if (cJSON_IsNumber(list) && !nested) {
        if (to)
            to[0] = list->valueint;
        return 1;
    }
    if (list && !cJSON_IsNull(list) && !cJSON_IsArray(list))
        sac_config_refuse(c, name, "is not a list of tokens");
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *token;
        int length = cJSON_GetArraySize(one);
        if (nested ? !cJSON_IsArray(one) || length < 1 : !cJSON_IsNumber(one)) {
            sac_config_refuse(c, name, "is not a list of %s",
                              nested ? "lists of tokens" : "tokens");
            return 0;
        }
        if (to)
            to[count] = nested ? length : one->valueint;
        count++;
        cJSON_ArrayForEach(token, one)
        {
            if (!cJSON_IsNumber(token))
                sac_config_refuse(c, name, "has what is no token");
            if (to)
                to[count] = token->valueint;
            count++;
        }
    }
    return count;
}

/* Reads all lists into one block of memory that the model owns. */
static void read_token_lists(sac_pretrained_model *m, generation *g, const char *end)
{
    sac_token_rules *r = &m->text_decoder.rules;
    sac_config *ends = end ? config_with_token(g, end) : NULL;
    struct {
        sac_config *c;
        const char *name;
        bool nested;
        const int **list;
        int *count;
    } all[] = {{&g->own, "bad_words_ids", true, &r->banned, &r->banned_count},
               {&g->own, "suppress_tokens", false, &r->never, &r->never_count},
               {&g->own, "begin_suppress_tokens", false, &r->not_first, &r->not_first_count},
               {ends, end, false, &r->ends, &r->end_count}};
    const size_t lists = sizeof all / sizeof *all - (end == NULL);
    size_t count = 0;
    for (size_t i = 0; i < lists; i++)
        count += (size_t)copy_tokens(all[i].c, all[i].name, all[i].nested, NULL);
    free(m->text_decoder.lists);
    int *to = m->text_decoder.lists = calloc(count + 1, sizeof *to);
    if (!to && g->own.status == SAC_OK)
        g->own.status = sac_no_memory(g->own.error, m->name);
    for (size_t i = 0; i < lists && g->own.status == SAC_OK; i++) {
        *all[i].list = to;
        *all[i].count = copy_tokens(all[i].c, all[i].name, all[i].nested, to);
        to += *all[i].count;
    }
}

/* ---------------------------------------------------------------- values */

static int read_token(const sac_pretrained_model *m, sac_config *c, const char *name)
{
    int most = m->vocabulary > 0 ? (int)m->vocabulary - 1 : 0, all[SAC_ARCHITECTURE_ENDS] = {0};
    if (!sac_config_has(c, name))
        sac_config_refuse(c, name, "is missing");
    sac_config_sizes(c, name, 0, most, all, SAC_ARCHITECTURE_ENDS);
    return all[0];
}

static const char no_length[] = "max_length is not given", longest[] = "more are not kept here";

/* The tokens of a sentence: max_length counts the one that it begins with; without it
 * there are 20 new ones. `is_cut` is set where it could be longer, were there room. */
static int read_length(sac_pretrained_model *m, sac_config *c, bool *is_cut)
{
    int length = LONGEST;
    m->text_decoder.limit = no_length;
    if (sac_config_has(c, "max_new_tokens")) {
        m->text_decoder.limit = "max_new_tokens";
        length = sac_config_size(c, "max_new_tokens", 1, MOST_TOKENS);
    } else if (sac_config_has(c, "max_length")) {
        m->text_decoder.limit = "max_length";
        length = sac_config_size(c, "max_length", 2, MOST_TOKENS) - 1;
    } else if (m->max_positions > 1 && (size_t)length >= m->max_positions)
        length = (int)m->max_positions - 1;
    int most = (size_t)m->text_decoder.longest < m->max_positions ? m->text_decoder.longest
                                                                  : (int)m->max_positions;
    *is_cut = length > most;
    if (*is_cut)
        m->text_decoder.limit =
            most < m->text_decoder.longest ? "the model has no place for more" : longest;
    return *is_cut ? most : length;
}

/* true, false, or "never". */
static sac_beam_patience read_patience(sac_config *c)
{
    static const char *const never[] = {"never", NULL};
    static const char name[] = "early_stopping";
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(c->json, name);
    if (cJSON_IsString(value))
        return sac_config_choice(c, name, never) == 0 ? SAC_BEAM_TO_THE_END : SAC_BEAM_WHILE_BETTER;
    return sac_config_flag_or(c, name, false) ? SAC_BEAM_UNTIL_FULL : SAC_BEAM_WHILE_BETTER;
}

/* True if a sentence that reaches the maximum length is ended there. */
static bool is_end_forced(sac_config *c, const sac_beam_options *o)
{
    static const char name[] = "forced_eos_token_id";
    int forced[SAC_ARCHITECTURE_ENDS];
    int count = sac_config_sizes(c, name, 0, MOST_TOKENS, forced, SAC_ARCHITECTURE_ENDS);
    for (int i = 0; i < count; i++)
        if (!sac_beam_is_end(o, forced[i]))
            sac_config_refuse(c, name, "must be a token that ends a sentence");
    return count > 0;
}

static int optional_whole_number(sac_config *c, const char *name, int most)
{
    return sac_config_size_or(c, name, 0, most, 0);
}

/* Reads what both kinds of models have. `start` tokens precede the first generated one. */
static void read_common(sac_pretrained_model *m, generation *g, int start)
{
    sac_config *c = &g->own;
    sac_beam_options *o = &m->text_decoder.search;
    sac_token_rules *r = &m->text_decoder.rules;
    int fresh = optional_whole_number(c, "min_new_tokens", MOST_TOKENS);
    o->vocabulary = (int)m->vocabulary;
    o->as_generated = true;
    o->rules = r;
    o->shortest = fresh ? fresh + start : optional_whole_number(c, "min_length", MOST_TOKENS);
    r->counts_fresh = fresh > 0;
    o->no_repeat = optional_whole_number(c, "no_repeat_ngram_size", MOST_TOKENS);
    o->repetition = (double)sac_config_number_or(c, "repetition_penalty", 1);
    if (!(o->repetition > 0))
        sac_config_refuse(c, "repetition_penalty", "is not above 0");
    if (sac_config_has(c, "forced_bos_token_id"))
        r->forced = read_token(m, c, "forced_bos_token_id") + 1;
    r->first_at = start == 1 && r->forced ? 2 : start;
    r->renormalizes = sac_config_flag_or(c, "renormalize_logits", false);
}

/* ---------------------------------------------------------------- models that generate */

static void read_search(sac_pretrained_model *m, generation *g, const char *start, const char *end)
{
    sac_config *c = &g->own;
    sac_beam_options *o = &m->text_decoder.search;
    bool is_cut = false, has_end = sac_config_has(config_with_token(g, end), end);
    if (!sac_config_has(config_with_token(g, start), start))
        start = "bos_token_id";
    *o = (sac_beam_options){
        .width = sac_config_size_or(c, "num_beams", 1, SAC_BEAM_WIDTH, 1),
        .length = read_length(m, c, &is_cut),
        .pad = sac_config_size_or(config_with_token(g, "pad_token_id"), "pad_token_id", -1,
                                  MOST_TOKENS, -1),
        .start = read_token(m, config_with_token(g, start), start),
        .end = has_end ? read_token(m, config_with_token(g, end), end) : -1,
        .length_penalty = (double)sac_config_number_or(c, "length_penalty", 1),
        .patience = read_patience(c),
    };
    read_token_lists(m, g, end);
    read_common(m, g, 1);
    o->ends_at_length = is_end_forced(c, o) && !is_cut;
}

void sac_architecture_read_search(sac_pretrained_model *m, sac_config *config, const char *start,
                                  const char *end)
{
    generation g;
    open_generation(m, config, &g);
    follow_and_check_keys(m, &g, m->text_decoder.has_text);
    if (g.own.status == SAC_OK)
        read_search(m, &g, start, end);
    close_generation(&g);
}

/* Of what follows a text of `start` tokens, until one of the model's ends. */
static void read_text_search(sac_pretrained_model *m, generation *g, int start)
{
    sac_config *c = &g->own;
    sac_token_rules *r = &m->text_decoder.rules;
    m->text_decoder.search =
        (sac_beam_options){.width = sac_config_size_or(c, "num_beams", 1, SAC_BEAM_WIDTH, 1),
                           .pad = -1,
                           .start = -1,
                           .end = m->end_count ? m->ends[0] : -1,
                           .length_penalty = (double)sac_config_number_or(c, "length_penalty", 1),
                           .patience = read_patience(c)};
    if (c->status == SAC_OK)
        read_token_lists(m, g, NULL);
    r->ends = m->ends;
    r->end_count = m->end_count;
    read_common(m, g, start);
    m->text_decoder.search.ends_at_length = is_end_forced(c, &m->text_decoder.search);
}

/* Without a length, an answer has up to ANSWER tokens. */
static void read_answer_options(sac_pretrained_model *m, generation *g)
{
    sac_config *c = &g->own;
    bool is_cut = true;
    int length = ANSWER;
    m->text_decoder.limit = no_length;
    if (sac_config_has(c, "max_new_tokens")) {
        length = read_length(m, c, &is_cut);
    } else if (sac_config_has(c, "max_length")) { /* what is asked counts, too */
        m->text_decoder.limit = "max_length";
        m->text_decoder.most_tokens = sac_config_size(c, "max_length", 1, MOST_TOKENS);
        length = m->text_decoder.longest;
    }
    read_text_search(m, g, 1);
    m->text_decoder.search.length = length;
    m->text_decoder.search.ends_at_length &= !is_cut;
}

void sac_architecture_read_answers(sac_pretrained_model *m, sac_config *config)
{
    generation g;
    open_generation(m, config, &g);
    follow_and_check_keys(m, &g, true);
    if (g.own.status == SAC_OK)
        read_answer_options(m, &g);
    close_generation(&g);
}

/* ---------------------------------------------------------------- models that go on */

void sac_architecture_read_ends(sac_pretrained_model *m, sac_config *c)
{
    generation g;
    open_generation(m, c, &g);
    m->end_count = sac_config_sizes(config_with_token(&g, "eos_token_id"), "eos_token_id", 0,
                                    SAC_ARCHITECTURE_TOKENS, m->ends, SAC_ARCHITECTURE_ENDS);
    close_generation(&g);
}

sac_status sac_architecture_read_continuation(sac_pretrained_model *m, size_t tokens,
                                              sac_error *error)
{
    sac_config config = sac_pretrained_config(m->files, error);
    char note[sizeof m->note];
    generation g;
    memcpy(note, m->note, sizeof note);
    open_generation(m, &config, &g);
    follow_and_check_keys(m, &g, true);
    if (m->text_decoder.has_search_note) /* once */
        memcpy(m->note, note, sizeof note);
    m->text_decoder.has_search_note = true;
    read_text_search(m, &g, (int)tokens);
    close_generation(&g);
    return sac_config_status(&config);
}
