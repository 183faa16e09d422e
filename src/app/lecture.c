/* Stops are added to a lecture, and taken out again. */
#include "app/lecture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/assets.h"
#include "app/open/reopen.h"
#include "app/trainer.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "export/export.h"
#include "images/folder.h"
#include "sources/saved_name.h"
#include "view/words.h"

/* "Heads: gpt2", "Lessons: masks, step 2": the place in the bar, and what is seen there. */
static void describe_stop(const viz_view *view, const sac_png_texts *texts, char *title,
                          size_t size)
{
    static const char *const keys[] = {"lesson", APP_TRAINING, "title", "file", "sentence"};
    const char *name = NULL, *step = sac_png_texts_get(texts, "step");
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !name; i++)
        name = sac_png_texts_get(texts, keys[i]);
    const char *slash = name ? strrchr(name, '/') : NULL;
    int used = snprintf(title, size, "%s%s%.120s", viz_word(view->class->tab), name ? ": " : "",
                        slash  ? slash + 1
                        : name ? name
                               : "");
    if (sac_png_texts_get(texts, "lesson") && step && used > 0 && (size_t)used < size)
        snprintf(title + used, size - (size_t)used, viz_word(", step %.8s"), step);
    title[sac_utf8_valid_size(title, strlen(title))] = '\0';
}

/* Without links and dots; NULL: there is no such file, or no memory. */
static char *find_named_path(const char *lecture, const char *text)
{
    char *name = sac_saved_name_decode(text), *folder = strdup(lecture), *found = NULL;
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    char *path = !name || !folder           ? NULL
                 : name[0] == '/' || !slash ? strdup(name)
                                            : sac_path_join(folder, name);
    if (path)
        found = realpath(path, NULL);
    free(path);
    free(folder);
    free(name);
    return found;
}

/* A file that comes with the program is named by its title: others have it elsewhere. */
static void name_sample(sac_png_text *text, const char *lecture, const app_sample *samples,
                        int count)
{
    char *path = find_named_path(lecture, text->value);
    for (int i = 0; path && i < count; i++) {
        char *sample = realpath(samples[i].path, NULL), *name;
        if (sample && strcmp(sample, path) == 0 &&
            asprintf(&name, APP_SAMPLE_MARK "%s", samples[i].title) > 0) {
            free((char *)text->value);
            text->value = name;
        }
        free(sample);
    }
    free(path);
}

static void name_samples(sac_png_texts *texts, const char *lecture)
{
    static const char *const keys[] = {
        "file",    "from",    "image",   "second file", "second image", "weights", "image 2",
        "image 3", "image 4", "image 5", "image 6",     "image 7",      "image 8"};
    app_sample samples[APP_SAMPLES_MOST];
    const int count = app_samples(NULL, samples);
    for (size_t i = 0; i < texts->count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (strcmp(texts->at[i].key, keys[k]) == 0)
                name_sample((sac_png_text *)&texts->at[i], lecture, samples, count);
}

/* What views do not know: which training goes on. */
static size_t list_more_texts(const app_document *document, const viz_view *view,
                              sac_png_text more[3])
{
    const sac_training_wish *wish = document->training && strcmp(view->class->name, "training") == 0
                                        ? app_training_wish_made(document->training)
                                        : NULL;
    size_t count = 0;
    if (wish) {
        more[count++] =
            (sac_png_text){APP_TRAINING, view->source->trainer.offers[wish->offer].name};
        more[count++] = (sac_png_text){"own", wish->own[0]};
        more[count++] = (sac_png_text){"own too", wish->own[1]};
    }
    return count;
}

/* Whether they can be opened again; a file that they name is there. */
static bool can_be_opened(const sac_png_texts *texts, const char *lecture)
{
    app_saved *saved = NULL;
    bool opens = sac_png_texts_get(texts, "file") || app_saved_find(lecture, texts, true, &saved);
    app_saved_free(saved);
    return opens;
}

static bool is_open_lecture(const app_document *document, const char *path)
{
    const char *lecture = document->shell.lecture;
    char *open = lecture ? realpath(lecture, NULL) : NULL, *other = realpath(path, NULL);
    bool same = open && other && strcmp(open, other) == 0;
    free(open);
    free(other);
    return same;
}

sac_status app_lecture_add(void *user, const char *path, int *number, sac_error *error)
{
    app_document *document = user;
    viz_shell *shell = &document->shell;
    const viz_view *view = viz_shell_tab_view(shell);
    const bool is_open = is_open_lecture(document, path);
    char title[200];
    sac_png_text more[3];
    sac_png_texts texts = {0};
    sac_lecture lecture = {0};
    sac_status status = view ? SAC_OK
                             : sac_fail(error, SAC_E_ARGUMENT, "lecture", "open something first",
                                        "there is no view to be added");
    if (status == SAC_OK && access(path, F_OK) == 0)
        status = sac_lecture_load(path, &lecture, error);
    if (status == SAC_OK)
        status = viz_export_texts(shell, path, more, list_more_texts(document, view, more), &texts,
                                  error);
    if (status == SAC_OK && !can_be_opened(&texts, path))
        status = sac_fail(error, SAC_E_ARGUMENT, "lecture", "add another view",
                          "this view cannot be opened again by itself");
    if (status == SAC_OK) {
        *number = is_open && shell->stop < lecture.count ? shell->stop + 2 : lecture.count + 1;
        describe_stop(view, &texts, title, sizeof title);
        name_samples(&texts, path);
        if (!sac_lecture_insert(&lecture, *number - 1, title, texts.at, texts.count))
            status = sac_fail(error, SAC_E_ARGUMENT, path, "begin another one",
                              "has as many stops as a lecture may have");
    }
    if (status == SAC_OK)
        status = sac_lecture_save(path, &lecture, error);
    if (status == SAC_OK && is_open)
        shell->stops = lecture.count;
    sac_png_texts_free(&texts);
    sac_lecture_free(&lecture);
    return status;
}

sac_status app_lecture_take_back(void *user, const char *path, int number, sac_error *error)
{
    app_document *document = user;
    const bool is_open = is_open_lecture(document, path);
    sac_lecture lecture = {0};
    sac_status status = sac_lecture_load(path, &lecture, error);
    if (status == SAC_OK && number <= lecture.count)
        sac_lecture_remove(&lecture, number - 1);
    if (status == SAC_OK && lecture.count > 0)
        status = sac_lecture_save(path, &lecture, error);
    else if (status == SAC_OK && unlink(path) != 0)
        status = sac_fail(error, SAC_E_FILE, path, NULL, "cannot be removed");
    if (status == SAC_OK && is_open)
        document->shell.stops = lecture.count;
    sac_lecture_free(&lecture);
    return status;
}
