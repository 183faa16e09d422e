#include "app/weights.h"

#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "base/suggestion.h"

/* "give additive, scaled-dot or bilinear" */
static void list_names(const sac_bundled *bundled, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "give ");
    for (int i = 0; bundled[i].name && used < size; i++) {
        const char *between = i == 0 ? "" : bundled[i + 1].name ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, bundled[i].name);
    }
}

static sac_status unknown_name(const sac_model_class *class, const char *name, sac_error *error)
{
    sac_suggestion suggestion = {.word = name};
    char todo[128];
    for (int i = 0; class->bundled[i].name; i++)
        sac_suggestion_try(&suggestion, class->bundled[i].name);
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(todo, sizeof todo, "did you mean %s?", best);
    else
        list_names(class->bundled, todo, sizeof todo);
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

sac_status app_find_weights(const sac_model_class *class, const char *name, app_weights *found,
                            sac_error *error)
{
    sac_error first = {0};
    bool known = !name;
    *found = (app_weights){0};
    for (const sac_bundled *b = class->bundled; b->name && found->count < SAC_CAPTION_MODELS; b++)
        if (!name || strcmp(name, b->name) == 0) {
            known = true;
            find_one(class, b->file, found, first.status ? NULL : &first);
        }
    if (!known)
        return unknown_name(class, name, error);
    if (!found->count && error)
        *error = first;
    return found->count ? SAC_OK : first.status;
}
