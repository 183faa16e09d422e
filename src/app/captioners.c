#include "app/captioners.h"

#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "base/suggestion.h"

static const char *const scores[] = {"additive", "scaled-dot", "bilinear"};
enum { SCORES = sizeof scores / sizeof *scores };

static sac_status unknown_score(const char *score, sac_error *error)
{
    sac_suggestion suggestion = {.word = score};
    char todo[128] = "give additive, scaled-dot or bilinear";
    for (int i = 0; i < SCORES; i++)
        sac_suggestion_try(&suggestion, scores[i]);
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(todo, sizeof todo, "did you mean %s?", best);
    return sac_fail(error, SAC_E_ARGUMENT, "--score", todo, "no captioner is called \"%.60s\"",
                    score);
}

static sac_status find_one(const char *score, app_captioners *found, sac_error *error)
{
    char name[64];
    char *path = found->path[found->count];
    snprintf(name, sizeof name, "captioner/%s.safetensors", score);
    sac_status status =
        app_find_asset(name, "train one (saccade train captioner) and give it as --weights F", path,
                       sizeof *found->path, error);
    if (status == SAC_OK)
        found->paths[found->count++] = path;
    return status;
}

sac_status app_find_captioners(const char *score, app_captioners *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_captioners){0};
    bool known = !score;
    for (int i = 0; i < SCORES; i++)
        if (!score || strcmp(score, scores[i]) == 0) {
            known = true;
            find_one(scores[i], found, first.status ? NULL : &first);
        }
    if (!known)
        return unknown_score(score, error);
    if (!found->count && error)
        *error = first;
    return found->count ? SAC_OK : first.status;
}
