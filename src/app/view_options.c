/* The table of options that are given on to views, and their checks. */

#include "app/view_options.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/text/numbers.h"
#include "base/text/suggestion.h"
#include "classes/views.h"
#include "scores/scores.h"
#include "sources/heads/head_choice.h"
#include "sources/heads/reduce.h"
#include "sources/words/phrases.h"
#include "view/settings.h"

#define MOST 1e9 /* a whole number's, where it has no other limit */

static const char *const model_words[] = {"additive", "scaled-dot", "bilinear"};
static const char *const asked_heads[] = {"it animal", "9 2", "induction"};
static const char *const scaled_heads[] = {"3.2", "3.2,5.0", "3.2=0.5"};
static const char *const several_queries[] = {"3,5-8"};
static const char *const switch_words[] = {"on", "off"};
/* One word each, where the colour bar has room for two. */
static const char *const scale_words[VIZ_SCALE_COUNT] = {"per-map", "shared", "root", "log",
                                                         "fixed"};

#define REAL(from, to) .kind = APP_REAL, .low = from, .high = to
#define WHOLE(from, to) .kind = APP_WHOLE, .low = from, .high = to
#define SETTING .kind = APP_SETTING
#define WORDS(words) .kind = APP_WORD, VIZ_NAMES(words)

const app_view_option_rule app_view_option_rules[] = {
    {"--score", "S", "score function", .kind = APP_SCORE},
    {"--bandwidth", "H", "Gaussian score: divisor of the distance", REAL(0.05, 20)},
    {"--temperature", "T", "divisor of the scores", SETTING},
    {"--position", "P", "weight of a cell's position next to its colour", SETTING},
    {"--cells", "N",
     "cells on the longer side of a picture; with --grid the column where cells begin",
     WHOLE(0, MOST)},
    {"--query", "X,Y", "query: a cell of a picture, or a column and row", .kind = APP_PLACE},
    {"--model", "M", "captioner", .kind = APP_NAME, VIZ_NAMES(model_words)},
    {"--compare", "M", "second captioner, next to the first", .kind = APP_NAME,
     VIZ_NAMES(model_words), .key = "compared with"},
    {"--beam", "N", "beam width of a captioner, or with --continue of a text", WHOLE(1, 5)},
    {"--word", "N", "word of a caption, or row of weights, to show", WHOLE(0, MOST)},
    {"--speed", "X", "playback speed of a caption", SETTING},
    {"--truth", "T", "show the ground truth of a scene", WORDS(switch_words)},
    {"--layout", "L",
     "window, or a figure for paper: the chosen panel, names of axes and legend alone", SETTING},
    {"--layer", "N", "layer to show", WHOLE(0, MOST)},
    {"--head", "N", "head to show", WHOLE(0, MOST)},
    {"--batch", "N", "item of the batch to show", WHOLE(0, MOST)},
    {"--ask", "ASK", "pair of tokens, or pattern, that heads are ranked by", .kind = APP_NAME,
     VIZ_NAMES(asked_heads)},
    {"--without", "HEADS", "heads to switch off, or to scale", .kind = APP_NAME,
     VIZ_NAMES(scaled_heads)},
    {"--rows", "A:B", "rows of the matrix to show", .kind = APP_RANGE},
    {"--columns", "A:B", "columns of the matrix to show", .kind = APP_RANGE},
    {"--reduce", "R", "how heads are combined", SETTING},
    {"--first", "F", "leading tokens", SETTING, .key = "first tokens"},
    {"--queries", "LIST", "several queries, which are shown in the mean", .kind = APP_NAME,
     VIZ_NAMES(several_queries)},
    {"--special", "S", "special tokens and padding, as keys", SETTING, .key = "special tokens"},
    {"--storage", "HOW", "how a folder's model is stored and multiplied",
     WORDS(sac_model_storage_names)},
    {"--segments", "S", "of a pair of texts, whose tokens are the queries and the keys", SETTING},
    {"--pool", "P", "how weights that share a pixel are pooled", SETTING, .key = "pooling"},
    {"--likeness", "L", "which states of patches are compared with a phrase, or what counted",
     WORDS(sac_likeness_way_names)},
    {"--threshold", "P", "probability above which a thing that is found is shown", SETTING},
    {"--overlay", "O", "how weights are drawn over a picture", SETTING},
    {"--brightness", "B", "brightness of a picture where it is not attended", SETTING},
    {"--opacity", "A", "opacity of the heat, or of the rim of light", SETTING},
    {"--map", "M", "colour map", SETTING},
    {"--scale", "K", "colour scale", WORDS(scale_words)},
    {0},
};
static_assert(sizeof app_view_option_rules / sizeof *app_view_option_rules <=
                  APP_MAX_VIEW_OPTIONS + 1,
              "callers have room for as many");

static const char *key_of(const app_view_option_rule *rule)
{
    return rule->key ? rule->key : rule->option + 2;
}

/* The rule with what the setting takes. */
static app_view_option_rule rule_of(const app_view_option_rule *rule)
{
    app_view_option_rule full = *rule;
    for (int i = 0; full.kind == APP_SETTING && viz_views[i]; i++) {
        const viz_setting *s = viz_view_setting(viz_views[i], key_of(rule));
        if (!s || !(s->names || s->low < s->high))
            continue;
        full.kind = s->names ? APP_WORD : s->kind == VIZ_REAL ? APP_REAL : APP_WHOLE;
        full.low = s->low;
        full.high = s->high;
        full.names = s->names;
        full.count = s->count;
    }
    return full;
}

char *app_view_option_allowed(const app_view_option_rule *option, char *text, size_t size)
{
    const app_view_option_rule full = rule_of(option), *rule = &full;
    const char *number = rule->kind == APP_WHOLE ? "a whole number" : "a number";
    const char *scores[SAC_SCORE_COUNT];
    for (int i = 0; i < SAC_SCORE_COUNT; i++)
        scores[i] = sac_score_name(sac_score_at_place(i));
    if (rule->kind == APP_SCORE)
        sac_names_join(scores, SAC_SCORE_COUNT, text, size);
    else if (rule->names)
        sac_names_join(rule->names, rule->count, text, size);
    else if (rule->kind == APP_RANGE)
        snprintf(text, size, "the first and the one behind the last, such as 100:200");
    else if (rule->kind == APP_PLACE)
        snprintf(text, size, "two whole numbers, such as 12,8");
    else if (rule->high == MOST)
        snprintf(text, size, "%s from %g", number, rule->low);
    else
        snprintf(text, size, "%s from %g to %g", number, rule->low, rule->high);
    return text;
}

/* The names of models are known only once they are open: each is allowed. */
static bool is_allowed(const app_view_option_rule *option, const char *text)
{
    const app_view_option_rule full = rule_of(option), *rule = &full;
    int x, y, used = 0;
    char *end;
    size_t from, to;
    sac_score score;
    double number = strtod(text, &end);
    switch (rule->kind) {
    case APP_NAME:
        return text[0] != '\0';
    case APP_SCORE:
        return sac_score_from_name(text, &score);
    case APP_PLACE:
        return sscanf(text, "%d,%d%n", &x, &y, &used) == 2 && !text[used] && x >= 0 && y >= 0;
    case APP_RANGE:
        return sac_range_read(text, SIZE_MAX, &from, &to, NULL);
    case APP_WORD:
        for (int i = 0; i < rule->count; i++)
            if (strcmp(rule->names[i], text) == 0)
                return true;
        return false;
    default:
        if (rule->kind == APP_WHOLE && text[strspn(text, "0123456789")])
            return false;
        return end != text && !*end && number >= rule->low && number <= rule->high;
    }
}

sac_status app_view_options_take(const char *const values[], app_view_option *settings, int *count,
                                 sac_error *error)
{
    *count = 0;
    for (const app_view_option_rule *rule = app_view_option_rules; rule->option; rule++) {
        const char *value = values[rule - app_view_option_rules];
        if (!value)
            continue;
        if (!is_allowed(rule, value)) {
            char allowed[120], remedy[128];
            snprintf(remedy, sizeof remedy, "give %s",
                     app_view_option_allowed(rule, allowed, sizeof allowed));
            return sac_fail(error, SAC_E_ARGUMENT, rule->option, remedy,
                            "\"%.60s\" is not a valid value", value);
        }
        for (int i = 0; rule->names == scale_words && i < VIZ_SCALE_COUNT; i++)
            if (strcmp(scale_words[i], value) == 0) {
                value = viz_scale_names[i];
                break;
            }
        settings[(*count)++] = (app_view_option){key_of(rule), value};
    }
    return SAC_OK;
}
