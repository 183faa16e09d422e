/* Stops are added to a lecture, and taken out again. */
#include "app/lecture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/assets.h"
#include "app/open/reopen.h"
#include "base/error.h"
#include "export/export.h"
#include "images/folder.h"
#include "sources/saved_name.h"
#include "view/words.h"

/* "Heads: gpt2": the place in the bar, and what is open. */
static void describe_stop(const viz_view *view, char *title, size_t size)
{
    char status[512] = "";
    if (view->class->status)
        view->class->status(view, status, sizeof status);
    char *end = strstr(status, "  ·  ");
    if (end)
        *end = '\0';
    snprintf(title, size, "%s%s%.150s", viz_word(view->class->tab), status[0] ? ": " : "", status);
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
    static const char *const keys[] = {"file", "from", "image", "second file", "second image"};
    app_sample samples[APP_SAMPLES_MOST];
    const int count = app_samples(NULL, samples);
    for (size_t i = 0; i < texts->count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (strcmp(texts->at[i].key, keys[k]) == 0)
                name_sample((sac_png_text *)&texts->at[i], lecture, samples, count);
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
    sac_png_texts texts = {0};
    sac_lecture lecture = {0};
    sac_status status = view ? SAC_OK
                             : sac_fail(error, SAC_E_ARGUMENT, "lecture", "open something first",
                                        "there is no view to be added");
    if (status == SAC_OK && access(path, F_OK) == 0)
        status = sac_lecture_load(path, &lecture, error);
    if (status == SAC_OK)
        status = viz_export_texts(shell, path, &texts, error);
    if (status == SAC_OK && !can_be_opened(&texts, path))
        status = sac_fail(error, SAC_E_ARGUMENT, "lecture", "add another view",
                          "this view cannot be opened again by itself");
    if (status == SAC_OK) {
        *number = is_open && shell->stop < lecture.count ? shell->stop + 2 : lecture.count + 1;
        name_samples(&texts, path);
        describe_stop(view, title, sizeof title);
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
