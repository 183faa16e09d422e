/* Openings of documents: on the opener's thread, then taken into the window; and what was opened before. */

#include "app/document_loader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/assets.h"
#include "app/open/open_parts.h"
#include "app/settings.h"
#include "app/trainer.h"
#include "app/user_folders.h"
#include "architectures/architectures.h"
#include "arrays/bytes.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "classes/views.h"
#include "device/device.h"
#include "images/folder.h"
#include "pretrained/files/pretrained.h"
#include "sources/lecture.h"
#include "view/words.h"

/* What is opened, beside what is open now. */
typedef enum opened {
    OPENED_FIRST,
    OPENED_OTHER,  /* another document, from which a person may go back; perhaps one from before */
    OPENED_BEFORE, /* back to the one before: what is left is not kept */
    OPENED_STOP,   /* another stop of the lecture that is open */
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
    sac_sound_piece *pieces;        /* of sounds, that `request` lends; owned */
} app_loader;

/* The name of the view that is shown; NULL: none is. */
static const char *shown_view_name(const app_document *document)
{
    const viz_view *view = viz_shell_tab_view(&document->shell);
    return view ? view->class->name : NULL;
}

static void keep_view_settings(app_loader *o)
{
    static const char *const of_one_picture[] = {"picture", "hidden",   "word",
                                                 "prefix",  "replaced", NULL};
    app_keep_view_settings(&o->kept, &o->document->shell);
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

static void ask_for_picture(viz_opening *opening, const char *weights)
{
    const char *slash = strrchr(weights, '/');
    snprintf(opening->asks, sizeof opening->asks, viz_word("%.200s is a captioner: which picture?"),
             slash ? slash + 1 : weights);
}

/* "talk-2", and where in the lecture that is. */
static void name_stop(app_loader *o)
{
    const app_document *next = &o->next;
    const char *path = next->shell.lecture, *slash = strrchr(path, '/'),
               *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    snprintf(o->base.name, sizeof o->base.name, "%.*s-%d.lecture",
             (int)(dot && dot > name && dot - name < 150 ? dot - name : 150), name,
             next->shell.stop + 1);
    o->base.arrives = o->opened != OPENED_AGAIN;
    if (o->opened != OPENED_AGAIN && !next->left_out[0])
        snprintf(o->base.message, sizeof o->base.message, viz_word("stop %d of %d%s%s"),
                 next->shell.stop + 1, next->shell.stops, next->stop_title[0] ? "  ·  " : "",
                 next->stop_title);
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
    if (status == SAC_OK && o->opened == OPENED_FIRST)
        status = app_check_settings(next, &o->request, error);
    next->request.pieces = next->opened.pieces = NULL; /* its captions know them now */
    next->request.piece_count = next->opened.piece_count = 0;
    if (status != SAC_OK)
        return status;
    app_kept_restore(&o->kept, &next->shell);
    if (o->captions && next->caption && !next->shell.lecture)
        viz_shell_show(&next->shell, "caption");
    const char *slash = strrchr(next->file, '/');
    snprintf(o->base.name, sizeof o->base.name, "%.199s", slash ? slash + 1 : next->file);
    if (next->shell.lecture)
        name_stop(o);
    snprintf(next->shell.question, sizeof next->shell.question, "%s", next->question);
    if (next->asks[0] && (o->opened == OPENED_FIRST || o->opened == OPENED_OTHER))
        ask_for_picture(&o->base, next->asks);
    if (!o->device_now[0] && !o->base.message[0]) /* on the next device it is known already */
        snprintf(o->base.message, sizeof o->base.message, "%.*s", (int)sizeof o->base.message - 1,
                 next->left_out[0] ? next->left_out : next->note);
    return SAC_OK;
}

/* ---------------------------------------------------------------- on the window's thread */

/* What was open before it: the document that it takes the place of, and what that had before. A visit that is
 * open again is none of those before. */
static void pass_history_on(app_loader *o)
{
    app_document *document = o->document, *next = &o->next;
    app_history_entry **at = &document->before, *ended;
    while (*at && *at != o->visit)
        at = &(*at)->before;
    if (*at) {
        ended = *at;
        *at = ended->before;
        app_visit_free(ended);
    }
    if (o->opened == OPENED_OTHER && document->shell.count) {
        next->before = app_visit_create(document);
    } else {
        next->before = document->before;
        document->before = NULL;
    }
    if (next->before)
        memcpy(next->shell.before, next->before->name, sizeof next->shell.before);
}

/* Puts the new document in the place of the old one. Settings that changed while it was being
 * opened are kept. */
static void replace_document(viz_opening *base)
{
    app_loader *o = (app_loader *)base;
    app_document *document = o->document, *next = &o->next;
    if (o->opened == OPENED_AGAIN && o->kept.count > 0) {
        keep_view_settings(o);
        app_kept_restore(&o->kept, &next->shell);
    }
    pass_history_on(o);
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
        app_document_print_notes(document);
    app_recent_add_document(document);
}

static void destroy(viz_opening *base)
{
    app_loader *o = (app_loader *)base;
    app_document_close(&o->next);
    app_kept_free(&o->kept);
    for (char **path = o->paths; path && *path; path++)
        free(*path);
    free(o->paths);
    free(o->pieces);
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
    o->base = (viz_opening){
        .shell = &o->next.shell, .open = open_next, .take = replace_document, .destroy = destroy};
    snprintf(o->base.text, sizeof o->base.text, "opening %.140s",
             slash && slash[1] ? slash + 1 : what);
    o->document = document;
    o->next.training = app_training_retain(document->training);
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
    document->shell.places = viz_views; /* the bar stands there while it opens */
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

static bool add_paths(app_loader *o, const char *const *paths, int count)
{
    bool all = true;
    for (int i = 0; i < count && all; i++)
        all = add_path(o, paths[i]);
    return all;
}

/* The arrays that are open, and the picture with them, in place of labels that they had. */
static bool request_arrays_with_labels(app_loader *o)
{
    const app_document *document = o->document;
    bool all = true;
    o->request = document->request;
    o->request.file_count = 0;
    o->request.labels = NULL;
    memcpy(o->next.take, document->take, sizeof o->next.take);
    memcpy(o->next.axes, document->axes, sizeof o->next.axes);
    app_keep_view_settings(&o->kept, &document->shell);
    for (char **path = document->paths; path && *path && all; path++)
        if (sac_file_kind_of(*path) != SAC_FILE_OTHER)
            all = add_path(o, *path);
    return all;
}

static bool are_pictures(const char *const *paths, int count)
{
    for (int i = 0; i < count; i++)
        if (sac_is_pretrained(paths[i]) ||
            (!sac_is_folder(paths[i]) && sac_file_kind_of(paths[i]) != SAC_FILE_PICTURE))
            return false;
    return true;
}

/* Labels by themselves are those of the arrays that are open. What else was asked for belongs to the file that
 * it was asked for. */
viz_opening *app_load_files(void *user, const char *const *paths, int count, sac_error *error)
{
    app_document *document = user;
    const char *shown = shown_view_name(document);
    app_loader *o = create(document, paths[0], error);
    if (!o)
        return NULL;
    bool all = true, labels = count == 1 && document->weights && !sac_is_folder(paths[0]) &&
                              sac_file_kind_of(paths[0]) == SAC_FILE_OTHER &&
                              !sac_is_lecture(paths[0]);
    o->opened = labels ? OPENED_AGAIN : OPENED_OTHER;
    if (labels) {
        all = request_arrays_with_labels(o);
    } else {
        o->request =
            (app_request){.weights = document->request.weights, .device = document->request.device};
        o->captions = shown && strcmp(shown, "caption") == 0;
        /* A captioner that is open captions the pictures that follow. */
        if (document->caption && document->own_weights && are_pictures(paths, count))
            all = add_path(o, document->paths[0]);
    }
    if (all && add_paths(o, paths, count))
        return &o->base;
    sac_no_memory(error, paths[0]);
    destroy(&o->base);
    return NULL;
}

/* The sentence that a person came to, which outlives what is open now; empty: as requested. */
static void set_requested_sentence(app_loader *o, const char *text)
{
    snprintf(o->next.text, sizeof o->next.text, "%s", text);
    if (text[0])
        o->request.text = o->next.text;
}

/* That of the translation, where it is what is open and not one tab of many. */
static void request_same_sentence(app_loader *o)
{
    const app_document *document = o->document;
    bool translates = document->translation && !document->caption;
    const sac_source *typed = app_document_typable_source(document);
    const char *read = typed ? typed->result.text : "";
    set_requested_sentence(o, translates ? document->translation->result.text : read);
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
    set_requested_sentence(o, visit->text);
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

/* ---------------------------------------------------------------- a lecture */

viz_opening *app_load_stop(void *user, int stop, sac_error *error)
{
    app_document *document = user;
    const app_request *now = &document->request;
    char about[32];
    snprintf(about, sizeof about, "stop %d", stop + 1);
    app_loader *o = create(document, about, error);
    if (!o)
        return NULL;
    o->opened = OPENED_STOP;
    o->request = (app_request){.weights = now->weights,
                               .device = now->device,
                               .follow = now->follow,
                               .answered = now->answered,
                               .setting_count = now->setting_count,
                               .stop = stop};
    memcpy(o->request.settings, now->settings, sizeof now->settings);
    if (add_path(o, document->paths[0]))
        return &o->base;
    sac_no_memory(error, about);
    destroy(&o->base);
    return NULL;
}

/* ---------------------------------------------------------------- places */

/* What the program opens where a person has not opened anything of the kind. */
static const sac_lessons_options all_lessons;
static const struct {
    const char *place, *about, *sample; /* what comes with it; NULL: none */
    const sac_lessons_options *lesson;
    bool trains;
    const char *text; /* for the sample, a model of a folder */
} own_documents[] = {
    {"heads", "a language model", "language/shakespeare",
     .text = "My name is Romeo, and my love is Juliet.\nMy name is"},
    {"lesson", "the lessons", NULL, &all_lessons},
    {"translation", "a translation", NULL, NULL},
    {"train", "what can be trained", NULL, NULL, true},
    {NULL, "a scene", NULL, NULL}, /* caption, picture */
};

static app_loader *load_bundled_document(app_document *document, const viz_view_class *class,
                                         sac_error *error)
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
                               .text = own_documents[i].text,
                               .lesson = own_documents[i].lesson,
                               .trains = own_documents[i].trains};
    if (!own_documents[i].sample || add_path(o, path))
        return o;
    sac_no_memory(error, path);
    destroy(&o->base);
    return NULL;
}

viz_opening *app_load_beginning(void *user, sac_error *error)
{
    app_loader *o = load_bundled_document(user, viz_views_find("caption"), error);
    return o ? &o->base : NULL;
}

viz_opening *app_load_document_for_view(void *user, const viz_view_class *class, sac_error *error)
{
    app_document *document = user;
    const app_history_entry *visit = document->before;
    while (visit && !app_kept_has(&visit->kept, class))
        visit = visit->before;
    app_loader *o =
        visit ? load_visit(document, visit, error) : load_bundled_document(document, class, error);
    if (!o)
        return NULL;
    const bool watches = strcmp(class->name, "train") == 0 && document->training;
    o->kept.tab = watches ? "training" : class->name;
    return &o->base;
}

/* The picture that it came to: of a sound the piece, which is known again, or without memory the whole. */
static void request_same_picture(app_loader *o)
{
    const sac_source *seen = o->document->caption   ? o->document->caption
                             : o->document->picture ? o->document->picture
                                                    : o->document->weights;
    int count = 0;
    const sac_sound_piece *pieces =
        seen && seen->picture.pieces ? seen->picture.pieces(seen->self, &count) : NULL;
    o->request.picture = !seen ? 0 : pieces ? seen->picture.file : seen->picture.number;
    if (!pieces || !(o->pieces = malloc((size_t)count * sizeof *pieces)))
        return;
    memcpy(o->pieces, pieces, (size_t)count * sizeof *pieces);
    o->request.pieces = o->pieces;
    o->request.piece_count = count;
    o->request.picture = seen->picture.number;
}

/* The same document with the picture that it turned to. `about` (NULL: its name) is what the window shows
 * meanwhile. */
static app_loader *create_document_reload(app_document *document, const char *about,
                                          sac_error *error)
{
    app_loader *o = create(document, document->file, error);
    if (!o)
        return NULL;
    if (about)
        snprintf(o->base.text, sizeof o->base.text, "opening %.120s", about);
    o->request = document->request;
    request_same_picture(o);
    request_same_sentence(o);
    memcpy(o->next.take, document->take, sizeof o->next.take);
    memcpy(o->next.axes, document->axes, sizeof o->next.axes);
    app_keep_view_settings(&o->kept, &document->shell);
    return o;
}

/* What follows from what a person did in the views. Each is tried once: the answer to a question, whether names
 * of a saved picture may be followed; a text that was typed, read by the model that is open; the weights of the
 * sentence of the translation; the picture that the captions turned to, in a tab of one picture or of heads. */
viz_opening *app_load_requested_in_views(void *user, sac_error *error)
{
    app_document *document = user;
    const sac_source *translation = document->translation, *caption = document->caption;
    const viz_answer answer = viz_shell_take_answer(&document->shell);
    const char *typed = viz_shell_typed(&document->shell), *shown = shown_view_name(document);
    const bool of_weights = document->weights && shown && strcmp(shown, "translation") != 0;
    app_loader *o = NULL;
    if (answer != VIZ_ANSWER_NONE) {
        if (!(o = create(document, document->file, error)))
            return NULL;
        o->request = document->request;
        o->request.follow = answer == VIZ_ANSWER_YES;
        o->request.answered = true;
    } else if (typed && app_document_typable_source(document) &&
               strcmp(typed, document->sentence) != 0) {
        snprintf(document->sentence, sizeof document->sentence, "%s", typed);
        if (!(o = create_document_reload(document, NULL, error)))
            return NULL;
        set_requested_sentence(o, typed);
        o->request.model = document->model;
        o->request.continuation = 0;
    } else if (translation && of_weights &&
               strcmp(document->sentence, translation->result.text) != 0) {
        memcpy(document->sentence, translation->result.text, sizeof document->sentence);
        o = create_document_reload(document, "the attention of this sentence", error);
    } else if (caption && caption->picture.number != document->picture_shown &&
               ((document->picture && shown && strcmp(shown, "picture") == 0) ||
                (of_weights && strcmp(shown, "caption") != 0))) {
        document->picture_shown = caption->picture.number;
        if (!(o = create_document_reload(document, caption->title, error)))
            return NULL;
        o->request.model = document->model;
    }
    return o ? &o->base : NULL;
}

viz_opening *app_load_next_device(void *user, sac_error *error)
{
    app_document *document = user;
    const sac_source *source = document->caption       ? document->caption
                               : document->picture     ? document->picture
                               : document->translation ? document->translation
                                                       : document->weights;
    const char *now = source ? source->origin.device : "";
    if (!now[0]) {
        sac_fail(error, SAC_E_ARGUMENT, "device", NULL,
                 "these weights come from a file and cannot be computed again");
        return NULL;
    }
    app_loader *o = create_document_reload(document, "the next device", error);
    if (!o)
        return NULL;
    snprintf(o->device_now, sizeof o->device_now, "%s", now);
    return &o->base;
}

/* Another of the pictures, in a tab that shows one of them; of a model of a folder, by that model.
 */
static app_loader *load_picture(app_document *document, int picture, sac_error *error)
{
    char about[32];
    snprintf(about, sizeof about, "picture %d", picture + 1);
    app_loader *o = create_document_reload(document, about, error);
    if (!o)
        return NULL;
    o->request.picture = picture;
    o->turns = true;
    o->request.model = document->model;
    keep_view_settings(o);
    return o;
}

/* Another document: the training that the Train view was asked for, or what a lesson leads to, a view of what the
 * program opens by itself or of a sentence. */
static app_loader *load_training_or_tab(app_document *document, const sac_lesson_door *door,
                                        sac_error *error)
{
    app_loader *o = create(document, door ? door->tab : "a training", error);
    if (!o)
        return NULL;
    o->request.device = document->request.device;
    if (door) {
        o->opened = OPENED_OTHER;
        o->request.tab = door->tab;
        o->request.text = door->text;
        return o;
    }
    if (document->trainer->trainer.next == SAC_NEXT_MORE)
        app_training_wish_for_more(document->training, &o->wish);
    else
        o->wish = document->trainer->trainer.wish;
    o->request.trains = true;
    o->request.wish = &o->wish;
    o->request.tab = "training";
    snprintf(o->base.text, sizeof o->base.text, "beginning a training");
    return o;
}

enum { CONTINUED = 40 /* tokens */, BEGINNING = 16 /* bytes before them */ };

/* The weights of the training that has ended, and the pictures that it learnt from; another one is asked for where
 * those are. */
static viz_opening *load_trained(app_document *document, sac_error *error)
{
    const sac_training_wish *wish = app_training_wish_made(document->training);
    const char *paths[] = {wish->out, wish->own[0]};
    const bool has_pictures = wish->own[0][0] && sac_is_folder(wish->own[0]);
    viz_opening *opening = app_load_files(document, paths, has_pictures ? 2 : 1, error);
    if (opening && has_pictures) {
        ask_for_picture(opening, wish->out);
        snprintf(opening->asks_in, sizeof opening->asks_in, "%s", wish->own[0]);
    }
    if (opening &&
        sac_is_folder(wish->out)) { /* a language model: how its text, or what was made, goes on */
        app_loader *o = (app_loader *)opening;
        char text[BEGINNING + 1] = "", twice[2 * BEGINNING + 1];
        const bool for_heads = document->trainer->trainer.use > 0;
        const size_t size = sac_file_read_start(wish->own[0], (uint8_t *)text, BEGINNING);
        text[sac_utf8_valid_size(text, size)] = '\0';
        text[strcspn(text, "\r\n")] = '\0';
        /* What comes again is what an induction head answers to. */
        snprintf(twice, sizeof twice, "%s%s", text, for_heads ? text : "");
        set_requested_sentence(o, text[0] ? twice : "the ");
        o->request.tab = for_heads ? "heads" : "next";
        o->request.continuation = for_heads ? CONTINUED - BEGINNING : CONTINUED;
    }
    return opening;
}

viz_opening *app_load_reading(void *user, int reading, sac_error *error)
{
    app_document *document = user;
    const sac_source *source = document->weights, *lessons = document->lessons;
    const char *shown = shown_view_name(document);
    const bool lists_readings = shown && strcmp(shown, "contents") == 0;
    const bool leads = lessons && reading < lessons->lesson.door_count;
    app_loader *o;
    if (document->trainer && document->trainer->trainer.next == SAC_NEXT_USE)
        return load_trained(document, error);
    if (document->trainer || leads)
        o = load_training_or_tab(document,
                                 document->trainer ? NULL : &lessons->lesson.doors[reading], error);
    else if (!lists_readings && (document->picture || (source && source->picture.count > 1)))
        o = load_picture(document, reading, error);
    else if (!source || reading >= source->weights.opened.reading_count) {
        sac_fail(error, SAC_E_ARGUMENT, "contents", NULL, "there is no reading %d", reading);
        return NULL;
    } else if ((o = create(document, document->file, error))) {
        const sac_reading *chosen = &source->weights.opened.readings[reading];
        o->request = document->request;
        o->request.tab = NULL;
        o->request.setting_count = 0;
        request_same_sentence(o);
        if (document->translation)
            app_keep_view_settings(&o->kept, &document->shell);
        o->kept.tab = NULL;
        snprintf(o->next.take, sizeof o->next.take, "%s", chosen->take);
        snprintf(o->next.axes, sizeof o->next.axes, "%s", chosen->axes);
    }
    return o ? &o->base : NULL;
}

/* ---------------------------------------------------------------- recent documents */

enum { KEPT = VIZ_RECENT_MOST + 1, RECENT_BYTES = KEPT * 2 * VIZ_PATH_SIZE };

/* The whole path of one that a line can hold; false where it cannot. */
static bool resolve_path_for_line(const char *path, char *whole)
{
    char *found = realpath(path, NULL);
    int length = found ? snprintf(whole, VIZ_PATH_SIZE, "%s", found) : -1;
    free(found);
    return length > 0 && length < VIZ_PATH_SIZE && !strpbrk(whole, "\t\n");
}

/* False where the document has no file, or more than a line holds. */
static bool recent_from_document(const app_document *document, viz_recent *open)
{
    int count = 0;
    *open = (viz_recent){0};
    for (; document->paths && document->paths[count]; count++)
        if (count > 1 ||
            !resolve_path_for_line(document->paths[count], count ? open->beside : open->path))
            return false;
    return count > 0;
}

static bool is_same(const viz_recent *a, const viz_recent *b)
{
    return strcmp(a->path, b->path) == 0 && strcmp(a->beside, b->beside) == 0;
}

static bool parse_recent_line(char *line, viz_recent *recent)
{
    char *beside = strchr(line, '\t');
    if (beside)
        *beside++ = '\0';
    *recent = (viz_recent){0};
    bool fits = strlen(line) < VIZ_PATH_SIZE && (!beside || strlen(beside) < VIZ_PATH_SIZE);
    if (!fits || line[0] != '/')
        return false;
    strcpy(recent->path, line);
    strcpy(recent->beside, beside ? beside : "");
    return access(recent->path, R_OK) == 0 && (!beside || access(beside, R_OK) == 0);
}

/* Those in the file that are still there, but for `without`. */
static int load_recent_list(viz_recent *recent, int most, const viz_recent *without)
{
    char path[1000], *rest = NULL, *text = malloc(RECENT_BYTES);
    int count = 0;
    bool is_there = text && app_settings_path("recent", path, sizeof path) &&
                    app_settings_read(path, text, RECENT_BYTES);
    for (char *line = is_there ? strtok_r(text, "\n", &rest) : NULL; line && count < most;
         line = strtok_r(NULL, "\n", &rest))
        if (parse_recent_line(line, &recent[count]) && !is_same(&recent[count], without))
            count++;
    free(text);
    return count;
}

void app_list_openable(void *document, viz_opens *opens)
{
    app_sample samples[APP_SAMPLES_MOST];
    viz_recent open;
    recent_from_document(document, &open);
    opens->look = app_describe_path;
    opens->folder_count = app_find_user_folders(opens->folders);
    opens->recent_count = load_recent_list(opens->recent, VIZ_RECENT_MOST, &open);
    opens->sample_count = app_samples(NULL, samples);
    /* The folder of what is open, or of what was; the one that the program runs in where that is none of the
     * person's own. */
    const char *own = app_is_sample(open.path, samples, opens->sample_count) ? NULL : open.path;
    for (int i = 0; (!own || !own[0]) && i < opens->recent_count; i++)
        own = app_is_sample(opens->recent[i].path, samples, opens->sample_count)
                  ? NULL
                  : opens->recent[i].path;
    snprintf(opens->folder, VIZ_PATH_SIZE, "%.*s", VIZ_PATH_SIZE - 1, own && own[0] ? own : ".");
    char *slash = sac_is_folder(opens->folder) ? NULL : strrchr(opens->folder, '/');
    if (slash)
        slash[slash == opens->folder] = '\0';
    for (int i = 0; i < opens->sample_count; i++) {
        viz_sample *sample = &opens->samples[i];
        *sample = (viz_sample){.title = samples[i].title,
                               .about = samples[i].credit,
                               .is_picture = samples[i].kind != APP_SAMPLE_ATTENTION};
        memcpy(sample->path, samples[i].path, sizeof samples[i].path);
    }
}

_Static_assert(APP_SAMPLES_MOST <= VIZ_SAMPLES_MOST && APP_SAMPLE_PATH <= VIZ_PATH_SIZE,
               "the dialog has room for all");

void app_recent_add_document(const app_document *document)
{
    viz_recent recent[KEPT], open;
    sac_output out = {0};
    if (!recent_from_document(document, &open))
        return;
    int count = load_recent_list(recent, KEPT - 1, &open);
    if (app_settings_open("recent", &out, NULL) != SAC_OK)
        return;
    fprintf(out.file, "%s%s%s\n", open.path, open.beside[0] ? "\t" : "", open.beside);
    for (int i = 0; i < count; i++)
        fprintf(out.file, "%s%s%s\n", recent[i].path, recent[i].beside[0] ? "\t" : "",
                recent[i].beside);
    sac_output_commit(&out, NULL);
}
