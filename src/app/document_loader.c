/* Openings of documents: on the opener's thread, then taken into the window. */

#include "app/document_loader.h"

#include <stdlib.h>
#include <string.h>

#include "app/document_parts.h"
#include "base/error.h"
#include "device/device.h"

/* A setting of the views as they are when the opening begins. */
typedef struct kept_setting {
    const viz_view_class *class; /* of the view */
    char *key, *value;           /* owned */
} kept_setting;

typedef struct app_loader {
    viz_opening base;
    app_document *document, next; /* the open document, and the one that takes its place */
    app_open_request request;
    char *path;           /* of the one file that `request` asks for; owned */
    bool captions;        /* the Caption tab is shown, and is to be shown again */
    char device_now[160]; /* the next one after it is wanted; empty: the same */
    bool first;
    const char *tab; /* the name of the view that is looked at; NULL: none is */
    kept_setting *settings;
    size_t setting_count;
} app_loader;

/* The name of the view that is shown; NULL: none is. */
static const char *shown_name(const app_document *document)
{
    const viz_view *view = viz_shell_tab(&document->shell);
    return view ? view->class->name : NULL;
}

/* ---------------------------------------------------------------- settings */

typedef struct keeper {
    app_loader *opening;
    const viz_view_class *class;
} keeper;

/* Where there is no memory, the setting takes its default. */
static void keep_setting(void *user, const char *key, const char *value)
{
    const keeper *k = user;
    app_loader *o = k->opening;
    kept_setting kept = {k->class, strdup(key), strdup(value ? value : "")};
    kept_setting *more = realloc(o->settings, (o->setting_count + 1) * sizeof *more);
    if (more)
        o->settings = more;
    if (more && kept.key && kept.value) {
        o->settings[o->setting_count++] = kept;
        return;
    }
    free(kept.key);
    free(kept.value);
}

static void keep_settings(app_loader *o)
{
    for (int tab = 0; tab < o->document->shell.count; tab++) {
        const viz_view *view = o->document->shell.tabs[tab].view;
        if (view && view->class->describe)
            view->class->describe(view, keep_setting, &(keeper){o, view->class});
    }
}

static void restore_settings(const app_loader *o)
{
    for (size_t i = 0; i < o->setting_count; i++) {
        const kept_setting *kept = &o->settings[i];
        viz_view *view = viz_shell_find(&o->next.shell, kept->class->name);
        if (view && view->class->restore)
            view->class->restore(view, kept->key, kept->value);
    }
}

static void forget_settings(app_loader *o)
{
    for (size_t i = 0; i < o->setting_count; i++) {
        free(o->settings[i].key);
        free(o->settings[i].value);
    }
    o->setting_count = 0;
}

/* ---------------------------------------------------------------- on the opener's thread */

/* The number of the usable device after the one called `now`, as `--device` takes it. */
static sac_status find_next_device(const char *now, char *number, size_t size, sac_error *error)
{
    sac_device_info *infos;
    size_t count, current = 0;
    char name[160];
    sac_status status = sac_devices_list(&infos, &count, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        sac_device_short_name(&infos[i], name, sizeof name);
        if (strcmp(name, now) == 0)
            current = i;
    }
    number[0] = '\0';
    for (size_t step = 1; step < count && !number[0]; step++) {
        const sac_device_info *info = &infos[(current + step) % count];
        if (!info->problem[0] && info->verdict != SAC_REFUSED)
            snprintf(number, size, "%d", info->number);
    }
    free(infos);
    return number[0] ? SAC_OK
                     : sac_fail(error, SAC_E_NO_DEVICE, "device", NULL, "there is no other here");
}

static void say_what_is_open(app_loader *o)
{
    const app_document *next = &o->next;
    const char *slash = strrchr(next->file, '/');
    snprintf(o->base.name, sizeof o->base.name, "%.199s", slash ? slash + 1 : next->file);
    const char *message = next->left_out[0] ? next->left_out : next->note;
    if (!o->device_now[0]) /* on the next device it is known already */
        snprintf(o->base.message, sizeof o->base.message, "%.*s", (int)sizeof o->base.message - 1,
                 message);
}

static sac_status open_next(viz_opening *base, sac_error *error)
{
    app_loader *o = (app_loader *)base;
    app_document *next = &o->next;
    sac_status status = SAC_OK;
    if (o->device_now[0]) {
        status = find_next_device(o->device_now, next->device, sizeof next->device, error);
        o->request.device = next->device;
    }
    if (next->take[0]) {
        o->request.array = next->take;
        o->request.axes = next->axes;
    }
    if (status == SAC_OK)
        status = app_document_open(next, &o->request, error);
    if (status != SAC_OK)
        return status;
    restore_settings(o);
    if (o->setting_count && o->tab)
        viz_shell_show(&next->shell, o->tab);
    if (o->captions && next->caption)
        viz_shell_show(&next->shell, "caption");
    say_what_is_open(o);
    return SAC_OK;
}

/* ---------------------------------------------------------------- on the window's thread */

/* Puts the new document in the place of the old one. Settings that changed while it was being
 * opened are kept. */
static void take(viz_opening *base)
{
    app_loader *o = (app_loader *)base;
    app_document *document = o->document, *next = &o->next;
    if (o->device_now[0]) {
        forget_settings(o);
        keep_settings(o);
        restore_settings(o);
        if (shown_name(document))
            viz_shell_show(&next->shell, shown_name(document));
    }
    next->shell.show_keys = document->shell.show_keys;
    next->shell.now = document->shell.now;
    viz_shell_hand_tray(&document->shell, &next->shell);
    if (!next->device[0]) /* a device that V chose stays chosen */
        memcpy(next->device, document->device, sizeof next->device);
    app_document_close(document);
    *document = *next;
    *next = (app_document){0};
    if (document->device[0])
        document->request.device = document->device;
    if (document->take[0]) {
        document->request.array = document->take;
        document->request.axes = document->axes;
    }
    if (o->first)
        app_document_tell(document);
}

static void destroy(viz_opening *base)
{
    app_loader *o = (app_loader *)base;
    app_document_close(&o->next);
    forget_settings(o);
    free(o->settings);
    free(o->path);
    free(o);
}

static app_loader *create(app_document *document, const char *what, sac_error *error)
{
    app_loader *o = calloc(1, sizeof *o);
    if (!o) {
        sac_fail(error, SAC_E_MEMORY, what, NULL, "no memory to open it");
        return NULL;
    }
    const char *slash = strrchr(what, '/');
    o->base =
        (viz_opening){.shell = &o->next.shell, .open = open_next, .take = take, .destroy = destroy};
    snprintf(o->base.text, sizeof o->base.text, "opening %.140s",
             slash && slash[1] ? slash + 1 : what);
    o->document = document;
    o->tab = shown_name(document);
    snprintf(o->base.name, sizeof o->base.name, "%s", o->base.text + strlen("opening "));
    return o;
}

viz_opening *app_load_first(app_document *document, const app_open_request *request,
                            sac_error *error)
{
    const char *what = request->file_count ? request->files[0] : "a scene";
    app_loader *o = create(document, what, error);
    if (!o)
        return NULL;
    o->request = *request;
    o->first = true;
    return &o->base;
}

viz_opening *app_load_file(void *user, const char *path, sac_error *error)
{
    app_document *document = user;
    app_loader *o = create(document, path, error);
    if (o && !(o->path = strdup(path))) {
        sac_fail(error, SAC_E_MEMORY, path, NULL, "no memory for its name");
        destroy(&o->base);
        return NULL;
    }
    if (!o)
        return NULL;
    /* The other options of the first request belong to its own files. */
    o->request = (app_open_request){.files = {o->path},
                                    .file_count = 1,
                                    .weights = document->request.weights,
                                    .device = document->request.device};
    o->captions = o->tab && strcmp(o->tab, "caption") == 0;
    return &o->base;
}

static const sac_trace *first_trace(const app_document *document)
{
    return document->caption       ? document->caption
           : document->picture     ? document->picture
           : document->translation ? document->translation
                                   : document->weights;
}

viz_opening *app_load_next_device(void *user, sac_error *error)
{
    app_document *document = user;
    const sac_trace *trace = first_trace(document);
    const char *now = trace ? trace->origin.device : "";
    if (!now[0]) {
        sac_fail(error, SAC_E_ARGUMENT, "device", NULL, "these weights were computed elsewhere");
        return NULL;
    }
    app_loader *o = create(document, document->file, error);
    if (!o)
        return NULL;
    o->request = document->request;
    o->request.picture = document->caption ? document->caption->picture : 0;
    memcpy(o->next.take, document->take, sizeof o->next.take);
    memcpy(o->next.axes, document->axes, sizeof o->next.axes);
    snprintf(o->device_now, sizeof o->device_now, "%s", now);
    snprintf(o->base.text, sizeof o->base.text, "opening the next device");
    keep_settings(o);
    return &o->base;
}

viz_opening *app_load_reading(void *user, int reading, sac_error *error)
{
    app_document *document = user;
    const sac_trace *trace = document->weights;
    if (!trace || reading >= trace->reading_count) {
        sac_fail(error, SAC_E_ARGUMENT, "contents", NULL, "there is no reading %d", reading);
        return NULL;
    }
    app_loader *o = create(document, document->file, error);
    if (!o)
        return NULL;
    o->request = document->request;
    o->request.tab = NULL;
    o->request.setting_count = 0;
    snprintf(o->next.take, sizeof o->next.take, "%s", trace->readings[reading].take);
    snprintf(o->next.axes, sizeof o->next.axes, "%s", trace->readings[reading].axes);
    return &o->base;
}
