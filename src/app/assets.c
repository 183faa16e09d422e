/* Files that come with the program, and the folders in which it looks for them. */
#include "app/assets.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text/suggestion.h"
#include "models/model_class.h"
#include "table/models.h"

sac_status app_find_asset(const char *name, const char *remedy, char *path, size_t size,
                          sac_error *error)
{
    /* An installation that was moved as a whole, a build folder (whose link leads to the sources),
     * and where it was to be installed: a program finds the files of its own version first. */
    static const char *const places[] = {SACCADE_DATA_FROM_PROGRAM, "share/saccade",
                                         SACCADE_DATA_DIR};
    char program[4096];
    /* The folder of the running program, without a slash at its end; empty where it is unknown. */
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool absolute = places[i][0] == '/';
        snprintf(path, size, "%s%s%s/%s", absolute ? "" : program, absolute ? "" : "/", places[i],
                 name);
        if (access(path, R_OK) == 0)
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_FILE, name, remedy,
                    "is part of the program but missing from " SACCADE_DATA_DIR);
}

/* ---------------------------------------------------------------- what a person may open */

/* Photographs are named only where the documentation of scikit-image, whose data they are, states that
 * they are in the public domain or under CC0. None comes with Saccade. */
static const char ours[] = "made by Saccade";
static const struct {
    app_sample_kind kind;
    const char *title, *credit, *file; /* among those of Saccade, or in the folder of photographs */
} table[] = {
    {APP_SAMPLE_PAGE, "A child flies a kite", ours, "samples/kite.png"},
    {APP_SAMPLE_PHOTOGRAPH, "A man with a camera", "Lav Varshney, CC0", "camera.png"},
    {APP_SAMPLE_PHOTOGRAPH, "Chelsea the cat", "Stéfan van der Walt, CC0", "chelsea.png"},
    {APP_SAMPLE_PHOTOGRAPH, "A cup of coffee", "Rachel Michetti, CC0", "coffee.png"},
    {APP_SAMPLE_PHOTOGRAPH, "The astronaut Eileen Collins", "NASA, public domain", "astronaut.png"},
    {APP_SAMPLE_PHOTOGRAPH, "A rocket takes off", "SpaceX, public domain", "rocket.jpg"},
    {APP_SAMPLE_PAGE, "A cat and a child at sunset", ours, "samples/cat.png"},
    {APP_SAMPLE_PAGE, "A bird over a boat", ours, "samples/boat.png"},
    {APP_SAMPLE_PAGE, "A bus on the street", ours, "samples/bus.png"},
    {APP_SAMPLE_PAGE, "Flat shapes", ours, "samples/shapes.png"},
    {APP_SAMPLE_PICTURE, "A harbour at dusk", ours, "pictures/harbour.png"},
    {APP_SAMPLE_PICTURE, "A garden", ours, "pictures/garden.png"},
    {APP_SAMPLE_ATTENTION, "A sentence in 48 heads", ours, "samples/attentions.npz"},
};
_Static_assert(sizeof table / sizeof *table <= APP_SAMPLES_MOST,
               "as many as a caller has room for");

/* Pictures of 3 × 2, as the drawings are. The usual fixation meets an eye of the first. */
static const char *const sights[] = {"Chelsea the cat", "A cup of coffee", "A harbour at dusk"};

/* A person may have the photographs elsewhere, or want none. */
static const char *photographs_folder(void)
{
    const char *given = getenv("SACCADE_PHOTOGRAPHS");
    return given ? given : SACCADE_PHOTOGRAPHS;
}

bool app_find_lesson_sample(const char *photographs, int place, app_sample *sight)
{
    app_sample samples[APP_SAMPLES_MOST];
    int count = app_samples(photographs, samples);
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++)
        for (int k = 0; k < count; k++)
            if (!strcmp(samples[k].title, sights[i]) && place-- == 0) {
                *sight = samples[k];
                return true;
            }
    return false;
}

int app_samples(const char *photographs, app_sample samples[APP_SAMPLES_MOST])
{
    int count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        app_sample *sample = &samples[count];
        *sample = (app_sample){table[i].kind, table[i].title, table[i].credit, ""};
        if (sample->kind == APP_SAMPLE_PHOTOGRAPH) {
            int length = snprintf(sample->path, sizeof sample->path, "%s/%s",
                                  photographs ? photographs : photographs_folder(), table[i].file);
            count += length < (int)sizeof sample->path && access(sample->path, R_OK) == 0;
        } else {
            count += app_find_asset(table[i].file, NULL, sample->path, sizeof sample->path, NULL) ==
                     SAC_OK;
        }
    }
    return count;
}

bool app_is_sample(const char *path, const app_sample *samples, int count)
{
    struct stat own, sample;
    if (stat(path, &own) != 0)
        return false;
    for (int i = 0; i < count; i++)
        if (stat(samples[i].path, &sample) == 0 && sample.st_dev == own.st_dev &&
            sample.st_ino == own.st_ino)
            return true;
    return false;
}

/* ---------------------------------------------------------------- weights of a class of models, by their names */

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
static const char *dataset_with_weights(const sac_model_class *class, const char *name)
{
    const sac_bundled *b = class->bundled;
    while (b->name && strcmp(b->name, name) != 0)
        b++;
    return b->name ? b->dataset : NULL;
}

static sac_status fail_unknown_weights(const sac_model_class *class, const char *dataset,
                                       const char *name, sac_error *error)
{
    sac_suggestion suggestion = {.word = name};
    const char *names[SAC_SOURCE_MODELS];
    char all[128], remedy[256], of[64] = "";
    int count = collect_names(class, dataset, names);
    for (int i = 0; i < count; i++)
        sac_suggestion_try(&suggestion, names[i]);
    sac_names_join(names, count, all, sizeof all);
    const char *best = sac_suggestion_get(&suggestion);
    const char *other = dataset_with_weights(class, name);
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

static sac_status find_weights_file(const sac_model_class *class, const sac_bundled *bundled,
                                    bool judged, app_weights *found, sac_error *error)
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
        if (find_weights_file(class, b, judged, found, first->status ? NULL : first) == SAC_OK &&
            !dataset)
            dataset = b->dataset;
    }
    return known;
}

static sac_status fail_if_none_found(const app_weights *found, const sac_error *first,
                                     sac_error *error)
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
        return fail_unknown_weights(class, dataset, name, error);
    return fail_if_none_found(found, &first, error);
}

sac_status app_find_judged_weights(const sac_model_class *class, const char *dataset,
                                   app_weights *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    add_weights(class, dataset, NULL, true, found, &first);
    return fail_if_none_found(found, &first, error);
}

sac_status app_find_translators(app_weights *found, sac_error *error)
{
    sac_error first = {0};
    *found = (app_weights){0};
    for (int i = 0; sac_models[i]; i++)
        if (sac_models[i]->read)
            add_weights(sac_models[i], NULL, NULL, false, found, &first);
    return fail_if_none_found(found, &first, error);
}
