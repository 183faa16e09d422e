/* The document that is open: the settings of its views, closed again, and its texts. */
#include "app/document.h"

#include <stdlib.h>
#include <string.h>

#include "app/open/reopen.h"
#include "app/trainer.h"
#include "architectures/architectures.h"
#include "base/text/printable.h"
#include "shell/shell.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- settings of all views */

struct app_kept_setting {
    const viz_view_class *class; /* of the view */
    char *key, *value;           /* owned */
};

typedef struct keeper {
    app_kept *kept;
    const viz_view_class *class;
} keeper;

static void keep_setting(void *user, const char *key, const char *value)
{
    const keeper *k = user;
    app_kept *kept = k->kept;
    app_kept_setting setting = {k->class, strdup(key), strdup(value ? value : "")};
    app_kept_setting *more = realloc(kept->items, (kept->count + 1) * sizeof *more);
    if (more)
        kept->items = more;
    if (more && setting.key && setting.value) {
        kept->items[kept->count++] = setting;
        return;
    }
    free(setting.key);
    free(setting.value);
}

void app_keep_view_settings(app_kept *kept, const viz_shell *shell)
{
    const viz_view *shown = viz_shell_tab_view(shell);
    app_kept_free(kept);
    kept->tab = shown ? shown->class->name : NULL;
    for (int tab = 0; tab < shell->count; tab++) {
        const viz_view *view = shell->tabs[tab].view;
        if (view)
            viz_view_describe(view, keep_setting, &(keeper){kept, shell->tabs[tab].class});
    }
}

void app_kept_restore(const app_kept *kept, viz_shell *shell)
{
    for (size_t i = 0; i < kept->count; i++) {
        const app_kept_setting *setting = &kept->items[i];
        for (int tab = 0; tab < shell->count; tab++)
            if (shell->tabs[tab].class == setting->class)
                viz_shell_restore(shell, tab, setting->key, setting->value);
    }
    if (kept->tab)
        viz_shell_show(shell, kept->tab);
}

void app_kept_copy(const app_kept *from, app_kept *to)
{
    to->tab = from->tab;
    for (size_t i = 0; i < from->count; i++)
        keep_setting(&(keeper){to, from->items[i].class}, from->items[i].key, from->items[i].value);
}

bool app_kept_has(const app_kept *kept, const viz_view_class *class)
{
    for (size_t i = 0; i < kept->count; i++)
        if (kept->items[i].class == class)
            return true;
    return false;
}

static void setting_free(const app_kept_setting *setting)
{
    free(setting->key);
    free(setting->value);
}

void app_kept_forget(app_kept *kept, const char *const *keys)
{
    size_t left = 0;
    for (size_t i = 0; i < kept->count; i++) {
        const char *const *key = keys;
        while (*key && strcmp(*key, kept->items[i].key) != 0)
            key++;
        if (*key)
            setting_free(&kept->items[i]);
        else
            kept->items[left++] = kept->items[i];
    }
    kept->count = left;
}

void app_kept_free(app_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        setting_free(&kept->items[i]);
    free(kept->items);
    *kept = (app_kept){0};
}

void app_drop_source(sac_source **place)
{
    sac_source_destroy(*place);
    free(*place);
    *place = NULL;
}

void app_document_close_views(app_document *document)
{
    viz_shell_free(&document->shell);
    app_drop_source(&document->caption);
    app_drop_source(&document->picture);
    app_drop_source(&document->translation);
    app_drop_source(&document->weights);
    app_drop_source(&document->lessons);
    app_drop_source(&document->trainer);
    sac_pretrained_model_close(document->model);
    document->model = NULL;
    document->shell = (viz_shell){0};
}

void app_document_close(app_document *document)
{
    app_document_close_views(document);
    app_training_release(document->training);
    app_saved_free(document->saved);
    free(document->stop_note);
    for (char **path = document->paths; path && *path; path++)
        free(*path);
    free(document->paths);
    free(document->sample ? document->sample[0] : NULL);
    free(document->sample);
    for (app_history_entry *visit = document->before, *before; visit; visit = before) {
        before = visit->before;
        app_visit_free(visit);
    }
    *document = (app_document){0};
}

const sac_source *app_document_typable_source(const app_document *document)
{
    const sac_source *const sources[] = {document->caption, document->weights};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (sources[i] && sources[i]->result.typed)
            return sources[i];
    return NULL;
}

/* What is to be known of captions, and their picture does not have. */
static const char *note_not_in_picture(const sac_source *source)
{
    const char *rest = source->note + source->note_shown;
    return source->note_shown && rest[0] ? rest + strlen("; ") : rest;
}

void app_document_print_notes(const app_document *document)
{
    const app_request *request = &document->request;
    if (document->left_out[0])
        sac_print(stderr, "saccade: %s\n", document->left_out);
    const sac_source *const sources[] = {document->weights, document->caption,
                                         document->translation};
    const char *before = ""; /* sources of one folder have one note */
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (const sac_source *s = sources[i]; s; s = s->beside) {
            const char *note = s == document->weights ? s->note : note_not_in_picture(s);
            if (note[0] && !strstr(before, note))
                sac_print(stderr, "saccade: %s: %s\n", s == sources[i] ? document->file : s->title,
                          note);
            before = note[0] ? note : before;
        }
    if (document->note[0])
        sac_print(stdout, "%s: %s\n", request->file_count ? request->files[0] : "saccade",
                  document->note);
}

app_history_entry *app_visit_create(app_document *document)
{
    const char *slash = strrchr(document->file, '/');
    app_history_entry *visit = document->shell.count ? calloc(1, sizeof *visit) : NULL;
    if (!visit)
        return NULL;
    visit->request = document->request;
    const sac_source *caption = document->caption;
    if (caption) /* the pieces of sounds are not kept */
        visit->request.picture =
            caption->picture.pieces ? caption->picture.file : caption->picture.number;
    else if (document->picture)
        visit->request.picture = document->picture_shown;
    visit->paths = document->paths;
    document->paths = NULL;
    visit->before = document->before;
    document->before = NULL;
    if (document->translation && !document->caption) /* else one tab of several */
        snprintf(visit->text, sizeof visit->text, "%s", document->translation->result.text);
    else if (app_document_typable_source(document))
        snprintf(visit->text, sizeof visit->text, "%s",
                 app_document_typable_source(document)->result.text);
    memcpy(visit->take, document->take, sizeof visit->take);
    memcpy(visit->axes, document->axes, sizeof visit->axes);
    snprintf(visit->name, sizeof visit->name, "%.199s", slash ? slash + 1 : document->file);
    app_keep_view_settings(&visit->kept, &document->shell);
    return visit;
}

void app_visit_free(app_history_entry *visit)
{
    if (!visit)
        return;
    for (char **path = visit->paths; path && *path; path++)
        free(*path);
    free(visit->paths);
    app_kept_free(&visit->kept);
    free(visit);
}
