/* The weights of a class of models, found by their names. */

#include "app/open/weights.h"

#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "base/text/suggestion.h"
#include "table/models.h"

static bool is_of_dataset(const sac_bundled *bundled, const char *dataset)
{
    return !dataset || !bundled->dataset || strcmp(dataset, bundled->dataset) == 0;
}

/* The names of a dataset's weights, each once, into names[SAC_SOURCE_MODELS]; returns how many. */
static int collect_names(const sac_model_class *class, const char *dataset, const char **names)
{
    int count = 0;
    for (const sac_bundled *b = class->bundled; b->name && count < SAC_SOURCE_MODELS; b++) {
        bool is_new = is_of_dataset(b, dataset);
        for (int i = 0; i < count; i++)
            is_new = is_new && strcmp(names[i], b->name) != 0;
        if (is_new)
            names[count++] = b->name;
    }
    return count;
}

/* The first dataset that has weights of that name; NULL: none has. */
static const char *dataset_with(const sac_model_class *class, const char *name)
{
    const sac_bundled *b = class->bundled;
    while (b->name && strcmp(b->name, name) != 0)
        b++;
    return b->name ? b->dataset : NULL;
}

static sac_status unknown_name(const sac_model_class *class, const char *dataset, const char *name,
                               sac_error *error)
{
    sac_suggestion suggestion = {.word = name};
    const char *names[SAC_SOURCE_MODELS];
    char all[128], remedy[256], of[64] = "";
    int count = collect_names(class, dataset, names);
    for (int i = 0; i < count; i++)
        sac_suggestion_try(&suggestion, names[i]);
    sac_names_join(names, count, all, sizeof all);
    const char *best = sac_suggestion_get(&suggestion);
    const char *other = dataset_with(class, name);
    if (best)
        snprintf(remedy, sizeof remedy, "did you mean %s?", best);
    else if (dataset && other)
        snprintf(remedy, sizeof remedy, "give %s, or add --dataset %s, which is there", all, other);
    else
        snprintf(remedy, sizeof remedy, "give %s", all);
    if (dataset)
        snprintf(of, sizeof of, " of the dataset %s", dataset);
    return sac_fail(error, SAC_E_ARGUMENT, "--score", remedy, "no %s%s is called \"%.60s\"",
                    class->name, of, name);
}

static sac_status find_one(const sac_model_class *class, const sac_bundled *bundled, bool judged,
                           app_weights *found, sac_error *error)
{
    const char *file = judged && bundled->judged ? bundled->judged : bundled->file;
    char remedy[160], *path = found->path[found->count];
    snprintf(remedy, sizeof remedy, "train one (saccade train %s%s%s) and give it as --weights F",
             class->name, bundled->dataset ? " --dataset " : "",
             bundled->dataset ? bundled->dataset : "");
    sac_status status = app_find_asset(file, bundled->get ? bundled->get : remedy, path,
                                       sizeof *found->path, error);
    if (status == SAC_OK)
        found->paths[found->count++] = path;
    return status;
}

/* Adds those of that name, or all; *first: why the first of them that is not there is not. */
static bool add_weights(const sac_model_class *class, const char *dataset, const char *name,
                        bool judged, app_weights *found, sac_error *first)
{
    bool known = !name;
    for (const sac_bundled *b = class->bundled; b && b->name && found->count < SAC_SOURCE_MODELS;
         b++) {
        if (!is_of_dataset(b, dataset) || (name && strcmp(name, b->name) != 0))
            continue;
        known = true;
        if (find_one(class, b, judged, found, first->status ? NULL : first) == SAC_OK && !dataset)
            dataset = b->dataset;
    }
    return known;
}

static sac_status report_none(const app_weights *found, const sac_error *first, sac_error *error)
{
    if (!found->count && error)
        *error = *first;
    return found->count ? SAC_OK : first->status;
}

sac_status app_find_weights(const sac_model_class *class, const char *dataset, const char *name,
                            app_weights *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    if (!add_weights(class, dataset, name, false, found, &first))
        return unknown_name(class, dataset, name, error);
    return report_none(found, &first, error);
}

sac_status app_find_judged_weights(const sac_model_class *class, const char *dataset,
                                   app_weights *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    add_weights(class, dataset, NULL, true, found, &first);
    return report_none(found, &first, error);
}

sac_status app_find_translators(app_weights *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    for (int i = 0; sac_models[i]; i++)
        if (sac_models[i]->read)
            add_weights(sac_models[i], NULL, NULL, false, found, &first);
    return report_none(found, &first, error);
}
