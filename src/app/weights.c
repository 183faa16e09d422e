/* The weights of a class of models, found by their names. */

#include "app/weights.h"

#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "base/suggestion.h"
#include "table/models.h"

static sac_status unknown_name(const sac_model_class *class, const char *name, sac_error *error)
{
    sac_suggestion suggestion = {.word = name};
    const char *names[SAC_CAPTION_MODELS];
    char all[128], todo[160];
    int count = 0;
    for (; count < SAC_CAPTION_MODELS && class->bundled[count].name; count++) {
        names[count] = class->bundled[count].name;
        sac_suggestion_try(&suggestion, names[count]);
    }
    sac_names_join(names, count, all, sizeof all);
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(todo, sizeof todo, "did you mean %s?", best);
    else
        snprintf(todo, sizeof todo, "give %s", all);
    return sac_fail(error, SAC_E_ARGUMENT, "--score", todo, "no %s is called \"%.60s\"",
                    class->name, name);
}

static sac_status find_one(const sac_model_class *class, const char *file, app_weights *found,
                           sac_error *error)
{
    char todo[128], *path = found->path[found->count];
    snprintf(todo, sizeof todo, "train one (saccade train %s) and give it as --weights F",
             class->name);
    sac_status status = app_find_asset(file, todo, path, sizeof *found->path, error);
    if (status == SAC_OK)
        found->paths[found->count++] = path;
    return status;
}

/* Adds those of that name, or all; *first: why the first of them that is not there is not. */
static bool add_weights(const sac_model_class *class, const char *name, app_weights *found,
                        sac_error *first)
{
    bool known = !name;
    for (const sac_bundled *b = class->bundled; b && b->name && found->count < SAC_CAPTION_MODELS;
         b++)
        if (!name || strcmp(name, b->name) == 0) {
            known = true;
            find_one(class, b->file, found, first->status ? NULL : first);
        }
    return known;
}

static sac_status report_none(const app_weights *found, const sac_error *first, sac_error *error)
{
    if (!found->count && error)
        *error = *first;
    return found->count ? SAC_OK : first->status;
}

sac_status app_find_weights(const sac_model_class *class, const char *name, app_weights *found,
                            sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    if (!add_weights(class, name, found, &first))
        return unknown_name(class, name, error);
    return report_none(found, &first, error);
}

sac_status app_find_translators(app_weights *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    for (int i = 0; sac_models[i]; i++)
        if (sac_models[i]->read)
            add_weights(sac_models[i], NULL, found, &first);
    return report_none(found, &first, error);
}
