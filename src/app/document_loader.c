/* Openings of documents: on the opener's thread, then taken into the window. */

#include "app/document_loader.h"

#include <stdlib.h>
#include <string.h>

#include "app/assets.h"
#include "app/kept/recent.h"
#include "app/kept/visits.h"
#include "app/open/open_parts.h"
#include "app/trainer.h"
#include "architectures/architectures.h"
#include "base/error.h"
#include "device/device.h"
#include "images/folder.h"

/* What is opened, beside what is open now. */
typedef enum opened {
    OPENED_FIRST,
    OPENED_OTHER,  /* another document, from which a person may go back; perhaps one from before */
    OPENED_BEFORE, /* back to the one before: what is left is not kept */
    OPENED_AGAIN   /* the same one, on another device or in another reading */
} opened;

typedef struct app_loader {
    viz_opening base;
    app_document *document, next; /* the open document, and the one that takes its place */
    app_request request;
    opened opened;
    char **paths;  /* of the files that `request` asks for, ends with NULL; owned */
    bool turns;    /* to another picture: settings of the one before are not kept */
    bool captions; /* the Caption tab is shown, and is to be shown again */
    const app_history_entry *visit; /* that is opened, among those before; NULL: none of them is */
    sac_training_wish wish;         /* a training that begins */
    char device_now[160];           /* the next one after it is wanted; empty: the same */
    app_kept kept;                  /* what the views are to be like */
} app_loader;

/* The name of the view that is shown; NULL: none is. */
static const char *shown_name(const app_document *document)
{
    const viz_view *view = viz_shell_tab(&document->shell);
    return view ? view->class->name : NULL;
}

static void keep(app_loader *o)
{
    static const char *const of_one_picture[] = {"picture", "hidden",   "word",
                                                 "prefix",  "replaced", NULL};
    app_keep(&o->kept, &o->document->shell);
    if (o->turns)
        app_kept_forget(&o->kept, of_one_picture);
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
                     : sac_fail(error, SAC_E_NO_DEVICE, "device", NULL, "there is no other device");
}

static void report_open(app_loader *o)
{
    const app_document *next = &o->next;
    const char *slash = strrchr(next->file, '/');
    snprintf(o->base.name, sizeof o->base.name, "%.199s", slash ? slash + 1 : next->file);
    snprintf(o->next.shell.question, sizeof o->next.shell.question, "%s", next->question);
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
        status = app_open(next, &o->request, error);
    if (status != SAC_OK)
        return status;
    app_kept_restore(&o->kept, &next->shell);
    if (o->captions && next->caption)
        viz_shell_show(&next->shell, "caption");
    report_open(o);
    return SAC_OK;
}

/* ---------------------------------------------------------------- on the window's thread */

/* A visit that is open again is none of those before. */
static void end_visit(app_history_entry **before, const app_history_entry *visit)
{
    for (; *before; before = &(*before)->before)
        if (*before == visit) {
            app_history_entry *ended = *before;
            *before = ended->before;
            app_visit_free(ended);
            return;
        }
}

/* What was open before it: the document that it takes the place of, and what that had before. */
static void hand_visits_on(app_loader *o)
{
    app_document *document = o->document, *next = &o->next;
    end_visit(&document->before, o->visit);
    if (o->opened == OPENED_OTHER && document->shell.count) {
        next->before = app_visit_create(document);
    } else {
        next->before = document->before;
        document->before = NULL;
    }
    if (next->before)
        memcpy(next->shell.before, next->before->name, sizeof next->shell.before);
}

/* Whether the settings of the views come along as they are when the new ones take their place. */
static bool keeps_settings(const app_loader *o)
{
    return o->opened == OPENED_AGAIN && o->kept.count > 0;
}

/* Puts the new document in the place of the old one. Settings that changed while it was being
 * opened are kept. */
static void take(viz_opening *base)
{
    app_loader *o = (app_loader *)base;
    app_document *document = o->document, *next = &o->next;
    if (keeps_settings(o)) {
        keep(o);
        app_kept_restore(&o->kept, &next->shell);
    }
    hand_visits_on(o);
    if (o->opened == OPENED_AGAIN)
        viz_shell_hand_typed(&document->shell, &next->shell);
    next->shell.show_keys = document->shell.show_keys;
    next->shell.now = document->shell.now;
    if (!next->device[0]) /* a device that V chose stays chosen */
        memcpy(next->device, document->device, sizeof next->device);
    app_document_close(document);
    *document = *next;
    *next = (app_document){0};
    if (document->device[0])
        document->request.device = document->device;
    if (document->text[0])
        document->request.text = document->text;
    if (document->take[0]) {
        document->request.array = document->take;
        document->request.axes = document->axes;
    }
    if (o->opened == OPENED_FIRST)
        app_document_report(document);
    app_recent_note(document);
}

static void destroy(viz_opening *base)
{
    app_loader *o = (app_loader *)base;
    app_document_close(&o->next);
    app_kept_free(&o->kept);
    for (char **path = o->paths; path && *path; path++)
        free(*path);
    free(o->paths);
    free(o);
}

static app_loader *create(app_document *document, const char *what, sac_error *error)
{
    app_loader *o = calloc(1, sizeof *o);
    if (!o) {
        sac_no_memory(error, what);
        return NULL;
    }
    const char *slash = strrchr(what, '/');
    o->base =
        (viz_opening){.shell = &o->next.shell, .open = open_next, .take = take, .destroy = destroy};
    snprintf(o->base.text, sizeof o->base.text, "opening %.140s",
             slash && slash[1] ? slash + 1 : what);
    o->document = document;
    o->next.training = app_training_hold(document->training);
    o->opened = OPENED_AGAIN;
    snprintf(o->base.name, sizeof o->base.name, "%s", o->base.text + strlen("opening "));
    return o;
}

viz_opening *app_load_first(app_document *document, const app_request *request, sac_error *error)
{
    const char *what = request->file_count ? request->files[0] : "a scene";
    app_loader *o = create(document, what, error);
    if (!o)
        return NULL;
    o->request = *request;
    o->opened = OPENED_FIRST;
    return &o->base;
}

/* Copies `paths` behind those that are there already. */
static bool add_path(app_loader *o, const char *path)
{
    int count = o->request.file_count;
    char *copy = strdup(path), **more = realloc(o->paths, ((size_t)count + 2) * sizeof *more);
    if (more) {
        o->paths = more;
        more[count] = copy;
        more[count + 1] = NULL;
        o->request.files = (const char *const *)more;
    }
    if (!more || !copy || count >= APP_MAX_FILES) {
        free(more ? NULL : copy);
        return false;
    }
    o->request.file_count++;
    return true;
}

/* Labels by themselves are those of the arrays that are open. */
static bool are_labels(const app_document *document, const char *const *paths, int count)
{
    return count == 1 && document->weights && !sac_is_folder(paths[0]) &&
           sac_file_kind_of(paths[0]) == SAC_FILE_OTHER;
}

static bool add_paths(app_loader *o, const char *const *paths, int count)
{
    bool all = true;
    for (int i = 0; i < count && all; i++)
        all = add_path(o, paths[i]);
    return all;
}

/* What else was asked for belongs to the file that it was asked for. */
static void ask_for_files(app_loader *o)
{
    const app_document *document = o->document;
    o->request =
        (app_request){.weights = document->request.weights, .device = document->request.device};
    o->captions = shown_name(document) && strcmp(shown_name(document), "caption") == 0;
}

/* The arrays that are open, and the picture with them, in place of labels that they had. */
static bool ask_for_labels(app_loader *o)
{
    const app_document *document = o->document;
    bool all = true;
    o->request = document->request;
    o->request.file_count = 0;
    o->request.labels = NULL;
    memcpy(o->next.take, document->take, sizeof o->next.take);
    memcpy(o->next.axes, document->axes, sizeof o->next.axes);
    app_keep(&o->kept, &document->shell);
    for (char **path = document->paths; path && *path && all; path++)
        if (sac_file_kind_of(*path) != SAC_FILE_OTHER)
            all = add_path(o, *path);
    return all;
}

viz_opening *app_load_files(void *user, const char *const *paths, int count, sac_error *error)
{
    app_document *document = user;
    app_loader *o = create(document, paths[0], error);
    if (!o)
        return NULL;
    bool all = true, labels = are_labels(document, paths, count);
    o->opened = labels ? OPENED_AGAIN : OPENED_OTHER;
    if (labels)
        all = ask_for_labels(o);
    else
        ask_for_files(o);
    if (all && add_paths(o, paths, count))
        return &o->base;
    sac_no_memory(error, paths[0]);
    destroy(&o->base);
    return NULL;
}

/* The sentence that a person came to, which outlives what is open now; empty: as asked for. */
static void ask_for_sentence(app_loader *o, const char *text)
{
    snprintf(o->next.text, sizeof o->next.text, "%s", text);
    if (text[0])
        o->request.text = o->next.text;
}

/* That of the translation, where it is what is open and not one tab of many. */
static void ask_for_same_sentence(app_loader *o)
{
    const app_document *document = o->document;
    bool translates = document->translation && !document->caption;
    const sac_source *typed = app_document_typed(document);
    const char *read = typed ? typed->speaker.text : "";
    ask_for_sentence(o, translates ? document->translation->speaker.text : read);
}

/* What was open before, as it was left. */
static app_loader *load_visit(app_document *document, const app_history_entry *visit,
                              sac_error *error)
{
    app_loader *o = create(document, visit->name, error);
    if (!o)
        return NULL;
    o->opened = OPENED_OTHER;
    o->visit = visit;
    o->request = visit->request;
    o->request.device = document->request.device;
    ask_for_sentence(o, visit->text);
    memcpy(o->next.take, visit->take, sizeof o->next.take);
    memcpy(o->next.axes, visit->axes, sizeof o->next.axes);
    app_kept_copy(&visit->kept, &o->kept);
    return o;
}

viz_opening *app_load_before(void *user, sac_error *error)
{
    app_document *document = user;
    if (!document->before) {
        sac_fail(error, SAC_E_ARGUMENT, "back", NULL, "no document was opened before this one");
        return NULL;
    }
    app_loader *o = load_visit(document, document->before, error);
    if (!o)
        return NULL;
    o->opened = OPENED_BEFORE;
    return &o->base;
}

/* ---------------------------------------------------------------- places */

/* What the program opens where a person has not opened anything of the kind. */
static const sac_lessons_options all_lessons;
static const struct {
    const char *place, *about, *sample; /* a file that comes with it; NULL: none */
    const sac_lessons_options *lesson;
    bool trains;
} own_documents[] = {
    {"heads", "a sample of attention", "samples/attentions.npz", NULL},
    {"lesson", "the lessons", NULL, &all_lessons},
    {"translation", "a translation", NULL, NULL},
    {"train", "what can be trained", NULL, NULL, true},
    {NULL, "a scene", NULL, NULL}, /* caption, picture */
};

static app_loader *load_own(app_document *document, const viz_view_class *class, sac_error *error)
{
    char path[1024];
    int i = 0;
    while (own_documents[i].place && strcmp(own_documents[i].place, class->name) != 0)
        i++;
    if (own_documents[i].sample &&
        app_find_asset(own_documents[i].sample, "open a file of your own (ctrl O)", path,
                       sizeof path, error) != SAC_OK)
        return NULL;
    app_loader *o = create(document, own_documents[i].about, error);
    if (!o)
        return NULL;
    o->opened = OPENED_OTHER;
    o->request = (app_request){.device = document->request.device,
                               .tab = class->name,
                               .lesson = own_documents[i].lesson,
                               .trains = own_documents[i].trains};
    if (!own_documents[i].sample || add_path(o, path))
        return o;
    sac_no_memory(error, path);
    destroy(&o->base);
    return NULL;
}

static const app_history_entry *find_visit(const app_document *document,
                                           const viz_view_class *class)
{
    const app_history_entry *visit = document->before;
    while (visit && !app_kept_has(&visit->kept, class))
        visit = visit->before;
    return visit;
}

viz_opening *app_load_place(void *user, const viz_view_class *class, sac_error *error)
{
    app_document *document = user;
    const app_history_entry *visit = find_visit(document, class);
    app_loader *o = visit ? load_visit(document, visit, error) : load_own(document, class, error);
    if (!o)
        return NULL;
    o->kept.tab = class->name;
    return &o->base;
}

static const sac_source *first_trace(const app_document *document)
{
    return document->caption       ? document->caption
           : document->picture     ? document->picture
           : document->translation ? document->translation
                                   : document->weights;
}

/* The number of the picture that it came to. */
static int picture_of(const app_document *document)
{
    const sac_source *seen = document->caption   ? document->caption
                             : document->picture ? document->picture
                                                 : document->weights;
    return !seen                   ? 0
           : seen->picture.counted ? seen->picture.file /* its pieces are not known again */
                                   : seen->picture.number;
}

/* The same document with the picture that it turned to. */
static app_loader *create_again(app_document *document, sac_error *error)
{
    app_loader *o = create(document, document->file, error);
    if (!o)
        return NULL;
    o->request = document->request;
    o->request.picture = picture_of(document);
    ask_for_same_sentence(o);
    memcpy(o->next.take, document->take, sizeof o->next.take);
    memcpy(o->next.axes, document->axes, sizeof o->next.axes);
    app_keep(&o->kept, &document->shell);
    return o;
}

/* The weights of the sentence that is open now. It is tried once. */
static viz_opening *load_weights_of_sentence(app_document *document, sac_error *error)
{
    memcpy(document->sentence, document->translation->speaker.text, sizeof document->sentence);
    app_loader *o = create_again(document, error);
    if (o)
        snprintf(o->base.text, sizeof o->base.text, "opening the attention of this sentence");
    return o ? &o->base : NULL;
}

/* The text that a person typed, read by the model that is open. It is tried once. */
static viz_opening *load_typed(app_document *document, const char *text, sac_error *error)
{
    snprintf(document->sentence, sizeof document->sentence, "%s", text);
    app_loader *o = create_again(document, error);
    if (!o)
        return NULL;
    ask_for_sentence(o, text);
    o->request.model = document->model;
    o->request.continuation = 0;
    return &o->base;
}

/* True in a tab of one picture, or of the heads that see it or speak of it, where the captions turned
 * to another. */
static bool follows_captions(const app_document *document, const char *shown)
{
    bool of_picture = document->picture && shown && strcmp(shown, "picture") == 0;
    bool of_heads = document->weights && shown && strcmp(shown, "caption") != 0 &&
                    strcmp(shown, "translation") != 0;
    return document->caption && (of_picture || of_heads) &&
           document->caption->picture.number != document->picture_shown;
}

/* The picture that the captions turned to. It is tried once. */
static viz_opening *load_captioned(app_document *document, sac_error *error)
{
    document->picture_shown = document->caption->picture.number;
    app_loader *o = create_again(document, error);
    if (!o)
        return NULL;
    snprintf(o->base.text, sizeof o->base.text, "opening %.120s", document->caption->title);
    o->request.model = document->model;
    return &o->base;
}

/* The saved picture again, whose names may be followed now, or not. */
static viz_opening *load_answered(app_document *document, bool follow, sac_error *error)
{
    app_loader *o = create(document, document->file, error);
    if (!o)
        return NULL;
    o->request = document->request;
    o->request.follow = follow;
    o->request.answered = true;
    return &o->base;
}

viz_opening *app_load_turned(void *user, sac_error *error)
{
    app_document *document = user;
    viz_answer answer = viz_shell_take_answer(&document->shell);
    if (answer != VIZ_ANSWER_NONE)
        return load_answered(document, answer == VIZ_ANSWER_YES, error);
    const char *typed = viz_shell_typed(&document->shell);
    if (typed && app_document_typed(document) && strcmp(typed, document->sentence) != 0)
        return load_typed(document, typed, error);
    const char *shown = shown_name(document);
    if (document->translation && document->weights && shown && strcmp(shown, "translation") != 0 &&
        strcmp(document->sentence, document->translation->speaker.text) != 0)
        return load_weights_of_sentence(document, error);
    return follows_captions(document, shown) ? load_captioned(document, error) : NULL;
}

viz_opening *app_load_next_device(void *user, sac_error *error)
{
    app_document *document = user;
    const sac_source *source = first_trace(document);
    const char *now = source ? source->origin.device : "";
    if (!now[0]) {
        sac_fail(error, SAC_E_ARGUMENT, "device", NULL,
                 "these weights come from a file and cannot be computed again");
        return NULL;
    }
    app_loader *o = create_again(document, error);
    if (!o)
        return NULL;
    snprintf(o->device_now, sizeof o->device_now, "%s", now);
    snprintf(o->base.text, sizeof o->base.text, "opening the next device");
    return &o->base;
}

/* A view of what the program opens by itself, or of a sentence. */
static viz_opening *load_door(app_document *document, const sac_lesson_door *door, sac_error *error)
{
    app_loader *o = create(document, door->tab, error);
    if (!o)
        return NULL;
    o->opened = OPENED_OTHER;
    o->request =
        (app_request){.device = document->request.device, .tab = door->tab, .text = door->text};
    return &o->base;
}

/* Another of the pictures, in a tab that shows one of them; of a model of a folder, by that model.
 */
static viz_opening *load_picture(app_document *document, int picture, sac_error *error)
{
    app_loader *o = create_again(document, error);
    if (!o)
        return NULL;
    o->request.picture = picture;
    o->turns = true;
    o->request.model = document->model;
    keep(o);
    snprintf(o->base.text, sizeof o->base.text, "opening picture %d", picture + 1);
    return &o->base;
}

/* The training that the Train view was asked for. */
static viz_opening *load_training(app_document *document, sac_error *error)
{
    app_loader *o = create(document, "a training", error);
    if (!o)
        return NULL;
    o->wish = document->trainer->trainer.wish;
    o->request = (app_request){
        .device = document->request.device, .trains = true, .wish = &o->wish, .tab = "training"};
    snprintf(o->base.text, sizeof o->base.text, "beginning a training");
    return &o->base;
}

viz_opening *app_load_reading(void *user, int reading, sac_error *error)
{
    app_document *document = user;
    if (document->trainer)
        return load_training(document, error);
    const sac_source *source = document->weights, *lessons = document->lessons;
    if (lessons && reading < lessons->lesson.door_count)
        return load_door(document, &lessons->lesson.doors[reading], error);
    const char *shown = shown_name(document);
    bool lists_readings = shown && strcmp(shown, "contents") == 0;
    if (!lists_readings && (document->picture || (source && source->picture.count > 1)))
        return load_picture(document, reading, error);
    if (!source || reading >= source->weights.opened.reading_count) {
        sac_fail(error, SAC_E_ARGUMENT, "contents", NULL, "there is no reading %d", reading);
        return NULL;
    }
    app_loader *o = create(document, document->file, error);
    if (!o)
        return NULL;
    o->request = document->request;
    o->request.tab = NULL;
    o->request.setting_count = 0;
    ask_for_same_sentence(o);
    if (document->translation)
        app_keep(&o->kept, &document->shell);
    o->kept.tab = NULL;
    snprintf(o->next.take, sizeof o->next.take, "%s",
             source->weights.opened.readings[reading].take);
    snprintf(o->next.axes, sizeof o->next.axes, "%s",
             source->weights.opened.readings[reading].axes);
    return &o->base;
}
