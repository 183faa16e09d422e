/* What a request asks for, and whether a source has it. */
#include "app/open/open_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "classes/views.h"
#include "scores/scores.h"
#include "sources/heads/ask.h"
#include "sources/heads/head_choice.h"
#include "sources/heads/several.h"

sac_status app_make_source(sac_source **place, const char *what, sac_error *error)
{
    *place = calloc(1, sizeof **place);
    return *place ? SAC_OK : sac_no_memory(error, what);
}

bool app_wants_tab(const app_request *request, const char *name)
{
    const viz_view_class *class = request->tab ? viz_views_find(name) : NULL;
    return request->tab && (strcasecmp(request->tab, name) == 0 ||
                            (class && strcasecmp(request->tab, class->tab) == 0 &&
                             strcasecmp(name, class->name) == 0));
}

const char *app_find_setting(const app_request *request, const char *key)
{
    const char *value = NULL; /* of the last, as later options override earlier ones */
    for (int i = 0; i < request->setting_count; i++)
        if (strcmp(request->settings[i].key, key) == 0)
            value = request->settings[i].value;
    return value;
}

bool app_wants_difference(const app_request *request)
{
    return request->difference || request->with || request->between;
}

/* The attention of queries and keys is fixed when they are opened. */
void app_set_spec_from_settings(app_request *request)
{
    for (int i = 0; i < request->setting_count; i++) {
        const app_view_option *setting = &request->settings[i];
        if (strcmp(setting->key, "score") == 0)
            sac_score_from_name(setting->value, &request->spec.score);
        else if (strcmp(setting->key, "normalizer") == 0)
            sac_normalizer_from_name(setting->value, &request->spec.normalizer);
        else if (strcmp(setting->key, "bandwidth") == 0)
            request->spec.bandwidth = strtof(setting->value, NULL);
        else if (strcmp(setting->key, "storage") == 0)
            sac_model_storage_find(setting->value, &request->spec.storage);
    }
}

/* ---------------------------------------------------------------- how a text goes on */

sac_sampling app_sampling(const app_request *request)
{
    const char *temperature = app_find_setting(request, "temperature");
    const char *beam = app_find_setting(request, "beam");
    const char *penalty = app_find_setting(request, "length penalty");
    sac_sampling how = {.count = request->continuation,
                        .draw = request->draw,
                        .beam = request->beam,
                        .penalty = request->penalty};
    if (temperature)
        how.draw.temperature = strtof(temperature, NULL);
    if (beam)
        how.beam = atoi(beam);
    if (penalty)
        how.penalty = (sac_length_penalty){true, strtof(penalty, NULL)};
    return how;
}

sac_status app_apply_sampling(const app_request *request, sac_source *source, sac_error *error)
{
    int count = request->continuation;
    if (!count)
        return SAC_OK;
    if (!source->result.candidates)
        return sac_fail(error, SAC_E_ARGUMENT, "--continue", "leave it out",
                        "needs a model that generates token by token, which %.60s does not",
                        source->title[0] ? source->title : "this one");
    if (app_sampling(request).beam > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", "leave out one of the two",
                        "is given beside --continue, which %.60s does token by token",
                        source->title[0] ? source->title : "the model");
    source->result.sampling.count = count < SAC_GENERATION_MOST ? count : SAC_GENERATION_MOST;
    source->result.sampling.draw = app_sampling(request).draw;
    sac_sampling_text(&source->result.sampling, source->origin.continued,
                      sizeof source->origin.continued);
    return SAC_OK;
}

/* ---------------------------------------------------------------- what a source has */

sac_status app_check_query(const app_request *request, size_t columns, size_t rows,
                           sac_error *error)
{
    size_t x, y;
    const char *query = app_find_setting(request, "query");
    if (!query || (sscanf(query, "%zu,%zu", &x, &y) == 2 && x < columns && y < rows))
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, "--query", NULL,
                    "%s is out of range; columns go from 0 to %zu, rows from 0 to %zu", query,
                    columns - 1, rows - 1);
}

/* A view ignores settings that it does not have; a person who gave one needs an error. */
static sac_status check_model(const app_request *request, const char *key, const char *option,
                              const sac_source *source, sac_error *error)
{
    char there[160] = "";
    const char *wanted = app_find_setting(request, key);
    for (int i = 0; wanted && i < source->result.models; i++) {
        if (strcmp(wanted, source->result.model[i]) == 0)
            return SAC_OK;
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 source->result.model[i]);
    }
    return wanted ? sac_fail(error, SAC_E_ARGUMENT, option, NULL,
                             "unknown value \"%.60s\"; there is: %s", wanted, there)
                  : SAC_OK;
}

sac_status app_check_models(const app_request *request, const sac_source *source, sac_error *error)
{
    sac_status status = check_model(request, "model", "--model", source, error);
    return status == SAC_OK ? check_model(request, "compared with", "--compare", source, error)
                            : status;
}

/* "Heads, Matrix": the views that are open, or those that have the setting. */
static const char *list_views(const viz_shell *shell, const viz_setting *setting, char *text,
                              size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; shell ? i < shell->count : viz_views[i] != NULL; i++) {
        const viz_view_class *class = shell ? shell->tabs[i].class : viz_views[i];
        if ((!setting || viz_view_setting(class, setting->name)) && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", class->tab);
    }
    return text;
}

/* What the document itself is opened by, beside its views. */
static bool document_takes(const app_document *document, const app_request *request,
                           const char *key)
{
    const bool computed = document->weights && document->weights->weights.made.score[0];
    const struct {
        const char *key;
        bool takes;
    } rows[] = {{"cells", true},
                {"compared with", true},
                {"storage", true},
                {"without", document->caption || document->translation || document->weights},
                {"score", computed},
                {"normalizer", computed},
                {"bandwidth", computed},
                {"temperature", request->continuation > 0},
                {"beam", request->continuation > 0},
                {"length penalty", request->continuation > 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].takes && strcmp(key, rows[i].key) == 0)
            return true;
    return false;
}

static bool is_taken(const app_document *document, const app_request *request, const char *key)
{
    const viz_shell *shell = &document->shell;
    bool taken = document_takes(document, request, key);
    for (int i = 0; i < shell->count && !taken; i++)
        taken = viz_view_setting(shell->tabs[i].class, key) != NULL;
    return taken;
}

sac_status app_check_settings(const app_document *document, const app_request *request,
                              sac_error *error)
{
    const viz_setting *setting;
    char of[160], here[160];
    for (int i = 0; (setting = app_view_option_at(i)); i++)
        if (app_find_setting(request, setting->name) && !is_taken(document, request, setting->name))
            return sac_fail(error, SAC_E_ARGUMENT, setting->option, "leave it out",
                            "is a setting of %s, and %.60s opens as %s",
                            list_views(NULL, setting, of, sizeof of), document->file,
                            list_views(&document->shell, NULL, here, sizeof here));
    return SAC_OK;
}

/* What is asked of a pair of texts, or of special tokens, where there are such. */
static sac_status check_text_parts(const app_request *request, const sac_source *source,
                                   sac_error *error)
{
    const char *queries = app_find_setting(request, "queries");
    uint8_t *chosen = queries ? malloc(source->weights.steps + 1) : NULL;
    sac_status status = !queries ? SAC_OK
                        : chosen ? sac_several_read(queries, source->weights.steps, chosen, error)
                                 : sac_no_memory(error, "--queries");
    free(chosen);
    if (status != SAC_OK)
        return status;
    const char *segments = app_find_setting(request, "segments"),
               *special = app_find_setting(request, "special tokens");
    if (segments && strcmp(segments, "all") != 0 && !source->weights.second)
        return sac_fail(error, SAC_E_ARGUMENT, "--segments", "give --text and --text-pair",
                        "needs a pair of texts, which %s has not", source->title);
    if (special && strcmp(special, "shown") != 0 && !source->weights.special)
        return sac_fail(error, SAC_E_ARGUMENT, "--special", "leave it out",
                        "needs special tokens, of which none is known in %s", source->title);
    return SAC_OK;
}

static sac_status check_switched_off_heads(const app_request *request, const sac_source *source,
                                           sac_error *error)
{
    const char *without = app_find_setting(request, "without");
    size_t layers = source->weights.layers, heads = source->weights.heads;
    if (!without || source->result.scale_heads) /* that one names its heads by their kinds */
        return SAC_OK;
    if (!source->weights.scale_heads)
        return sac_fail(error, SAC_E_ARGUMENT, "--without",
                        "give the folder of a model, and --tab heads where it gives captions",
                        "needs heads that are computed here, which %s has not", source->title);
    float *scale = malloc((layers * heads + 1) * sizeof *scale);
    sac_status status = scale ? sac_head_scales_read(without, layers, heads, scale, error)
                              : sac_no_memory(error, "--without");
    free(scale);
    return status;
}

sac_status app_check_map_exists(const app_request *request, const sac_source *source,
                                sac_error *error)
{
    /* What finds objects has layers of its own, which its tab shows; that is the first. */
    const sac_result_source *result = &source->result;
    size_t layers = source->weights.layers, heads = source->weights.heads;
    const bool own = result->outputs == SAC_OUTPUT_BOXES && result->heads &&
                     (!request->tab || app_wants_tab(request, "found")) &&
                     result->heads(source->self, SAC_CROSS_ATTENTION, &layers, &heads);
    const struct {
        const char *key, *option;
        size_t count;
    } axes[] = {{"layer", "--layer", layers},
                {"head", "--head", heads},
                {"batch", "--batch", source->weights.batch}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const char *value = app_find_setting(request, axes[i].key);
        size_t layer;
        bool by_number = i == 0 && !own;
        bool there =
            !value || (by_number ? sac_source_find_layer(source, strtoull(value, NULL, 10), &layer)
                                 : strtoull(value, NULL, 10) < axes[i].count);
        if (!there && by_number && source->weights.layer_numbers)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s does not exist; of the layers %zu to %zu there are %zu in %s",
                            value, sac_source_layer_number(source, 0),
                            sac_source_layer_number(source, source->weights.layers - 1),
                            source->weights.layers, source->title);
        if (!there)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s is out of range; %s goes from 0 to %zu in %s", value, axes[i].key,
                            axes[i].count - 1, source->title);
    }
    const char *asked = app_find_setting(request, "ask");
    const char *reduced = app_find_setting(request, "reduce");
    sac_status status = check_switched_off_heads(request, source, error);
    if (status == SAC_OK && reduced && source->weights.mixed_otherwise &&
        strcmp(reduced, sac_reduce_name(SAC_REDUCE_ROLLOUT)) == 0)
        status = sac_source_check_reduction(source, SAC_REDUCE_ROLLOUT, error);
    if (status == SAC_OK)
        status = check_text_parts(request, source, error);
    sac_ask ask;
    if (asked && status == SAC_OK)
        status = sac_ask_read(source, 0, asked, &ask, error);
    if (status != SAC_OK)
        return status;
    return source->weights.positions
               ? app_check_query(request, source->weights.positions, source->weights.steps, error)
               : SAC_OK;
}
