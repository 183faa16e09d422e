/* How a model that speaks is to search for its sentence, as its folder says. */
#include <cjson/cJSON.h>

#include <stdio.h>

#include "base/error.h"
#include "families/family.h"
#include "formats/bytes.h"
#include "formats/json.h"

enum { MOST_TOKENS = 1 << 20, LONGEST = 20 };

/* The first of both that has the value. */
static sac_config *either(sac_config *own, sac_config *config, const char *name)
{
    return sac_config_has(own, name) ? own : config;
}

static int read_token(sac_family_model *m, sac_config *own, sac_config *config, const char *name)
{
    int most = m->vocabulary > 0 ? (int)m->vocabulary - 1 : 0;
    return sac_config_size(either(own, config, name), name, 0, most);
}

/* The tokens of a sentence: max_length counts the one that it begins with. `is_cut` is set where it
 * could be longer, were there room. */
static int read_length(const sac_family_model *m, sac_config *own, sac_config *config, bool *is_cut)
{
    sac_config *c = either(own, config, "max_length");
    int length = sac_config_size_or(c, "max_length", 2, MOST_TOKENS, LONGEST) - 1;
    c = either(own, config, "max_new_tokens");
    length = sac_config_size_or(c, "max_new_tokens", 1, MOST_TOKENS, length);
    int most = (size_t)m->voice.longest < m->places ? m->voice.longest : (int)m->places;
    *is_cut = length > most;
    return *is_cut ? most : length;
}

/* true, false, or "never". */
static sac_beam_patience read_patience(sac_config *own, sac_config *config)
{
    static const char *const never[] = {"never", NULL};
    static const char name[] = "early_stopping";
    sac_config *c = either(own, config, name);
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(c->json, name);
    if (cJSON_IsString(value))
        return sac_config_choice(c, name, never) == 0 ? SAC_BEAM_TO_THE_END : SAC_BEAM_WHILE_BETTER;
    return sac_config_flag_or(c, name, false) ? SAC_BEAM_UNTIL_FULL : SAC_BEAM_WHILE_BETTER;
}

/* Whether a sentence that comes to the folder's length is ended there. */
static bool is_end_forced(sac_family_model *m, sac_config *own, sac_config *config, int end)
{
    static const char name[] = "forced_eos_token_id";
    sac_config *c = either(own, config, name);
    if (!sac_config_has(c, name))
        return false;
    if (read_token(m, own, config, name) != end)
        sac_config_refuse(c, name, "must be the token that ends a sentence");
    return true;
}

/* Words that are never said: of those padding alone is known here. */
static bool is_padding_banned(sac_config *own, sac_config *config, int pad)
{
    static const char name[] = "bad_words_ids";
    sac_config *c = either(own, config, name);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, name), *word;
    if (!sac_config_has(c, name))
        return false;
    cJSON_ArrayForEach(word, list)
    {
        const cJSON *token = cJSON_GetArrayItem(word, 0);
        bool is_pad =
            cJSON_GetArraySize(word) == 1 && cJSON_IsNumber(token) && token->valuedouble == pad;
        if (!is_pad)
            sac_config_refuse(c, name, "has other words than that of padding");
    }
    return cJSON_GetArraySize(list) > 0;
}

/* 0 where nothing is said. */
static int whole_of(sac_config *own, sac_config *config, const char *name, int most)
{
    return sac_config_size_or(either(own, config, name), name, 0, most, 0);
}

static void read_search(sac_family_model *m, sac_config *own, sac_config *config, const char *start,
                        const char *end)
{
    sac_config *c = either(own, config, "length_penalty");
    bool is_cut = false;
    m->voice.search = (sac_beam_options){
        .width = whole_of(own, config, "num_beams", SAC_BEAM_WIDTH),
        .vocabulary = (int)m->vocabulary,
        .length = read_length(m, own, config, &is_cut),
        .pad = sac_config_size_or(either(own, config, "pad_token_id"), "pad_token_id", -1,
                                  MOST_TOKENS, -1),
        .start = read_token(m, own, config, start),
        .end = read_token(m, own, config, end),
        .as_generated = true,
        .length_penalty = (double)sac_config_number_or(c, "length_penalty", 1),
        .patience = read_patience(own, config),
        .shortest = whole_of(own, config, "min_length", MOST_TOKENS),
        .no_repeat = whole_of(own, config, "no_repeat_ngram_size", MOST_TOKENS),
        .repetition = (double)sac_config_number_or(either(own, config, "repetition_penalty"),
                                                   "repetition_penalty", 1),
    };
    sac_beam_options *o = &m->voice.search;
    o->ends_at_length = is_end_forced(m, own, config, o->end) && !is_cut;
    o->never_pads = is_padding_banned(own, config, o->pad);
}

void sac_family_read_search(sac_family_model *m, sac_config *config, const char *start,
                            const char *end)
{
    char path[sizeof m->folder + 32];
    cJSON *json = NULL;
    snprintf(path, sizeof path, "%s/generation_config.json", m->folder);
    if (config->status == SAC_OK && sac_is_regular(path))
        config->status = sac_json_load_config(path, &json, config->error);
    if (config->status != SAC_OK)
        return;
    sac_config own = sac_config_of(json, path, config->error);
    read_search(m, &own, config, start, end);
    if (config->status == SAC_OK)
        config->status = sac_config_end(&own);
    cJSON_Delete(json);
}
