#include "sources/words/attribution.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

const char *const sac_attribution_names[SAC_ATTRIBUTIONS] = {
    "raw", "relative", "encoder", "activation", "relevance", "gradient", "contrast"};

static const struct {
    const char *phrase, *absent;
} about[SAC_ATTRIBUTIONS] = {
    [SAC_ATTRIBUTION_RAW] = {"the word's attention as it is", ""},
    [SAC_ATTRIBUTION_RELATIVE] = {"attention over that of a neutral question (mllms_know, arXiv "
                                  "2502.17422)",
                                  "it reads no question beside its picture"},
    [SAC_ATTRIBUTION_ENCODER] = {"attention carried on through the vision encoder by rollout (as "
                                 "VLM-Visualizer; arXiv 2005.00928)",
                                 "its picture does not go through layers of attention"},
    [SAC_ATTRIBUTION_ACTIVATION] = {"token activation, the earlier words' share taken off (TAM, "
                                    "arXiv 2506.23270)",
                                    "it does not read its picture as tokens of a text"},
    [SAC_ATTRIBUTION_RELEVANCE] = {"attention times gradient: what of it makes the word more "
                                   "probable",
                                   "no gradient is known of it"},
    [SAC_ATTRIBUTION_GRADIENT] = {"gradient times cell: what of the picture makes the word more "
                                  "probable",
                                  "no gradient of its cells is known"},
    [SAC_ATTRIBUTION_CONTRAST] = {"attention above the mean of all words of the sentence",
                                  "its words are not compared"},
};

const char *sac_attribution_phrase(sac_attribution a)
{
    return about[a].phrase;
}

bool sac_attribution_is_known(unsigned known, sac_attribution a)
{
    return a == SAC_ATTRIBUTION_RAW || (known >> a & 1);
}

sac_attribution sac_attribution_turn(unsigned known, sac_attribution a, int step)
{
    do
        a = (sac_attribution)(((int)a + step + SAC_ATTRIBUTIONS) % SAC_ATTRIBUTIONS);
    while (!sac_attribution_is_known(known, a));
    return a;
}

int sac_attribution_place(unsigned known, sac_attribution a)
{
    int place = 0;
    for (int i = 0; i < (int)a; i++)
        place += sac_attribution_is_known(known, (sac_attribution)i);
    return place;
}

sac_attribution sac_attribution_at(unsigned known, int index)
{
    sac_attribution a = SAC_ATTRIBUTION_RAW;
    while (index-- > 0)
        a = sac_attribution_turn(known, a, 1);
    return a;
}

static const char *list_known_names(unsigned known, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < SAC_ATTRIBUTIONS && used < size; i++)
        if (sac_attribution_is_known(known, (sac_attribution)i))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     sac_attribution_names[i]);
    return text;
}

sac_status sac_attribution_check(unsigned known, sac_attribution a, const char *model,
                                 sac_error *error)
{
    char names[96], remedy[128];
    if (sac_attribution_is_known(known, a))
        return SAC_OK;
    snprintf(remedy, sizeof remedy, "give one that it has: %s",
             list_known_names(known, names, sizeof names));
    return sac_fail(error, SAC_E_ARGUMENT, "attribution", remedy, "%.60s has no map \"%s\": %s",
                    model, sac_attribution_names[a], about[a].absent);
}

sac_status sac_attribution_find(const char *name, sac_attribution *found, sac_error *error)
{
    char names[96], remedy[128];
    for (int i = 0; i < SAC_ATTRIBUTIONS; i++)
        if (strcmp(name, sac_attribution_names[i]) == 0) {
            *found = (sac_attribution)i;
            return SAC_OK;
        }
    snprintf(remedy, sizeof remedy, "give one of %s",
             list_known_names((1u << SAC_ATTRIBUTIONS) - 1, names, sizeof names));
    return sac_fail(error, SAC_E_ARGUMENT, "--attribution", remedy, "\"%.40s\" is no kind of map",
                    name);
}
