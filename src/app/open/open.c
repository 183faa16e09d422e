/* The one door: what the files of a request are, what opens them, and the views of what was opened. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "alignment/alignment_view.h"
#include "app/assets.h"
#include "app/open/captioner.h"
#include "app/open/open_parts.h"
#include "app/open/reopen.h"
#include "app/settings.h"
#include "app/trainer.h"
#include "arrays/arrays.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "classes/views.h"
#include "images/folder.h"
#include "images/image_read.h"
#include "pretrained/files/foreign_folder.h"
#include "pretrained/files/pretrained.h"
#include "shell/split/split.h"
#include "sources/files/weights/weights_file.h"
#include "sources/heads/ask.h"
#include "sources/heads/difference.h"
#include "sources/lecture.h"
#include "table/models.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- arrays: files of weights, or of queries and keys, alone,
 * two beside each other, or compared */

/* How the request has a file of arrays read. */
static sac_weights_file_options weights_options(const app_request *request, const char *arrays,
                                                const char *picture)
{
    sac_weights_file_options options = {.path = arrays,
                                        .array = request->array,
                                        .axes = request->axes,
                                        .leave_out = request->leave_out,
                                        .labels = request->labels,
                                        .image = picture,
                                        .grid_w = request->grid_w,
                                        .grid_h = request->grid_h,
                                        .prefix = request->prefix,
                                        .padding = request->padding,
                                        .device = request->device,
                                        .spec = request->spec,
                                        .softmax = request->softmax,
                                        /* a window shows and counts them */
                                        .allow_nan = request->allow_nan || !request->windowless,
                                        /* the Contents tab is what asks, in a picture as well */
                                        .ask = !request->windowless ||
                                               app_wants_tab(request, "contents")};
    const char *cells = app_find_setting(request, "cells");
    options.cells_given = cells != NULL;
    options.cells = cells ? (int)strtoul(cells, NULL, 10) : 0;
    return options;
}

/* One of two into *source, from malloc; the file has weights that need no choice. */
static sac_status open_side(const app_request *request, const char *file, const char *device,
                            bool padding, sac_source **source, sac_error *error)
{
    sac_weights_file_options options = weights_options(request, file, NULL);
    options.ask = false;
    options.padding = padding;
    options.device = device;
    sac_status status = app_make_source(source, file, error);
    return status == SAC_OK
               ? sac_error_within(error, sac_weights_file_open(&options, *source, error), file)
               : status;
}

/* Padding is shown, so that nothing of one side is hidden that the other shows. */
sac_status app_open_difference(const app_request *request, const char *first, const char *second,
                               sac_source *source, sac_error *error)
{
    sac_difference_sides sides = {0};
    sac_status status =
        request->between ? sac_difference_parts_read(request->between, sides.parts, error) : SAC_OK;
    if (status == SAC_OK && !second && !request->with && !request->between)
        status = sac_fail(error, SAC_E_ARGUMENT, first,
                          "give a second file, or --with and a device, or --between and two parts",
                          "there is nothing to compare the file with");
    if (status == SAC_OK)
        status = open_side(request, first, request->device, true, &sides.first, error);
    if (status == SAC_OK && (second || request->with))
        status =
            open_side(request, second ? second : first,
                      request->with ? request->with : request->device, true, &sides.second, error);
    if (status != SAC_OK) {
        app_drop_source(&sides.first);
        app_drop_source(&sides.second);
        return status;
    }
    for (int i = 0; i < 2 && request->with && !second; i++)
        sides.names[i] = (i ? sides.second : sides.first)->origin.device;
    return sac_difference_open(&sides, source, error);
}

/* Several maps are first seen side by side, or over their picture. */
static sac_status open_arrays(app_document *document, const app_request *request,
                              const app_files *files, sac_error *error)
{
    sac_weights_file_options options = weights_options(request, files->arrays, files->picture);
    const bool differs = app_wants_difference(request);
    snprintf(document->file, sizeof document->file, "%s", files->arrays);
    options.ask = options.ask && !files->second;
    sac_status status = app_make_source(&document->weights, files->arrays, error);
    if (status != SAC_OK)
        return status;
    sac_source *source = document->weights;
    const sac_weights_source *weights = &source->weights;
    if (differs && files->picture)
        status = sac_fail(error, SAC_E_ARGUMENT, files->picture, "leave it out",
                          "is a picture, which a difference is not shown over");
    else if (differs)
        status = app_open_difference(request, files->arrays, files->second, source, error);
    else
        status = sac_weights_file_open(&options, source, error);
    if (status == SAC_OK && !differs && files->second) { /* of the same sizes and tokens */
        status = open_side(request, files->second, request->device, request->padding,
                           &source->beside, error);
        if (status == SAC_OK)
            status = sac_difference_check(source, source->beside, error);
    }
    document->first = weights->layers * weights->heads > 1 ? "heads" : "matrix";
    if (status != SAC_OK || !weights->tile)
        return status;
    size_t most = weights->steps > weights->positions ? weights->steps : weights->positions;
    if (sac_source_step_labels(source, 0)->count && sac_source_position_labels(source, 0)->count &&
        most > VIZ_ALIGNMENT_MOST) /* words on both sides let expect that tab */
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "no Alignment tab: it has up to %d words a side, not %zu",
                            VIZ_ALIGNMENT_MOST, most);
    return app_check_map_exists(request, source, error);
}

/* ---------------------------------------------------------------- what a file is */

/* A file that cannot be read, or is empty, counts as arrays: opening them reports what is wrong. So
 * does a pipe, through which arrays may come. */
static sac_status classify_file(const char *path, const app_request *request, app_files *files,
                                sac_error *error)
{
    bool folder = sac_is_folder(path);
    /* Its arrays can be asked for by name, and compared. */
    const bool as_arrays =
        request && (request->array || request->axes || app_wants_difference(request));
    sac_file_kind kind = folder ? SAC_FILE_PICTURE : sac_file_kind_of(path);
    bool picture = kind == SAC_FILE_PICTURE, other = kind == SAC_FILE_OTHER;
    bool own = !picture && !other && !as_arrays && sac_model_of_own_file(path);
    const char **place = picture         ? &files->picture
                         : own           ? &files->weights
                         : other         ? &files->labels
                         : files->arrays ? &files->second
                                         : &files->arrays;
    if (!picture && *place) {
        bool third = place == &files->second;
        return sac_fail(error, SAC_E_ARGUMENT, path,
                        third ? "open two at a time at most" : "open one at a time",
                        "is a %s file of this kind, next to %s", third ? "third" : "second",
                        *place);
    }
    if (!*place)
        *place = path;
    files->pictures += picture;
    files->folder = files->folder || folder;
    return SAC_OK;
}

/* `request` (may be NULL): how they are to be read. */
static sac_status classify_files(const char *const *paths, int count, const app_request *request,
                                 app_files *files, sac_error *error)
{
    sac_status status = SAC_OK;
    sac_arrays *arrays;
    *files = (app_files){0};
    for (int i = 0; i < count; i++)
        if (sac_is_lecture(paths[i])) {
            files->lecture = paths[i];
            return count == 1 ? SAC_OK
                              : sac_fail(error, SAC_E_ARGUMENT, paths[i], "open it alone",
                                         "is a lecture, given beside %s", paths[i ? 0 : 1]);
        }
    while (files->models < count && sac_is_pretrained(paths[files->models]))
        files->models++;
    for (int i = files->models; i < count && status == SAC_OK; i++) {
        status = sac_foreign_path_check(paths[i], error);
        if (status == SAC_OK)
            status = classify_file(paths[i], request, files, error);
    }
    if (status == SAC_OK && files->labels && !files->arrays &&
        sac_arrays_open(files->labels, &arrays, NULL) ==
            SAC_OK) { /* whole numbers, beside no others */
        sac_arrays_close(arrays);
        files->arrays = files->labels;
        files->labels = NULL;
    }
    if (status == SAC_OK && files->labels && !files->arrays)
        return sac_fail(error, SAC_E_FORMAT, files->labels, "convert it to one of these",
                        "is neither a picture (" SAC_IMAGE_FORMATS
                        ") nor arrays (" SAC_ARRAY_FORMATS ")");
    if (status == SAC_OK && files->arrays && (files->folder || files->pictures > 1))
        return sac_fail(error, SAC_E_ARGUMENT, files->arrays, "give one picture with it",
                        "cannot be shown over several pictures");
    return status;
}

enum { FOLDER = 4096 }; /* bytes of its path */

viz_what app_describe_path(const char *path, char about[VIZ_ABOUT_SIZE])
{
    sac_error error = {0};
    app_files sort;
    char place[FOLDER];
    bool folder = sac_is_folder(path);
    bool model = sac_is_pretrained(path) || sac_model_folder_of_file(path, place, sizeof place);
    bool unread = !folder && sac_file_kind_of(path) == SAC_FILE_UNREAD;
    snprintf(about, VIZ_ABOUT_SIZE, "%s",
             model    ? "model"
             : unread ? "empty, or cannot be read"
                      : "");
    if (folder || model || unread)
        return folder && model ? VIZ_OPENS_AS_MODEL : folder || model ? VIZ_OPENS : VIZ_OPENS_NOT;
    if (classify_files(&path, 1, NULL, &sort, &error) != SAC_OK) {
        const char *why = sort.labels ? "neither picture nor arrays" : error.what;
        snprintf(about, VIZ_ABOUT_SIZE, "%.*s",
                 (int)sac_utf8_valid_size(why, VIZ_ABOUT_SIZE - 1 < strlen(why) ? VIZ_ABOUT_SIZE - 1
                                                                                : strlen(why)),
                 why);
        return VIZ_OPENS_NOT;
    }
    snprintf(about, VIZ_ABOUT_SIZE, "%s",
             sort.pictures  ? "picture"
             : sort.lecture ? "lecture"
             : sort.weights ? sac_model_of_own_file(path)->name
                            : "arrays");
    return sort.pictures ? VIZ_OPENS_AS_PICTURE : VIZ_OPENS;
}

/* ---------------------------------------------------------------- views */

/* Two sources to compare are two sides of a view. */
static sac_status split_view_in_two(viz_view **view, const sac_source *beside, sac_error *error)
{
    viz_view *split;
    char layer[32];
    sac_status status = viz_split_create(*view, &split, error);
    if (status == SAC_OK) {
        *view = split;
        viz_split_add(split);
        viz_split_focus(split, 0);
        if (beside->weights.tile) { /* it shows the head that the first one opens */
            snprintf(layer, sizeof layer, "%zu", sac_source_layer_number(beside, 0));
            viz_view_restore(viz_split_side(split, 1), "layer", layer);
        }
    }
    return status;
}

/* Opens each view of the table that accepts a source of the document, in the table's order: the first
 * source that it accepts. */
static sac_status open_views(app_document *document, sac_error *error)
{
    sac_source *sources[] = {document->caption, document->picture, document->translation,
                             document->weights, document->lessons, document->trainer};
    enum { SOURCES = sizeof sources / sizeof *sources };
    viz_shell *shell = &document->shell;
    sac_status status = SAC_OK;
    shell->places = viz_views;
    for (int i = 0; viz_views[i] && status == SAC_OK; i++) {
        const viz_view_class *class = viz_views[i];
        viz_view *last = shell->count ? shell->tabs[shell->count - 1].view : NULL, *view = NULL;
        int k = 0;
        while (k < SOURCES && !(sources[k] && class->accepts(sources[k])))
            k++;
        if (k == SOURCES)
            continue;
        const sac_source *beside = sources[k]->beside;
        status = class->create(sources[k], last && last->source == sources[k] ? last : NULL, &view,
                               error);
        if (status == SAC_OK && beside && class->accepts(beside))
            status = split_view_in_two(&view, beside, error);
        if (status == SAC_OK)
            status = viz_shell_add(shell, view, error);
        if (status == SAC_OK)
            shell->tabs[shell->count - 1].aside =
                sources[k] == document->translation && document->caption;
    }
    return status;
}

/* Why weights have no Alignment tab; NULL: the tab is another, or there are no weights. */
static const char *why_no_alignment(const app_document *document, const char *tab)
{
    const sac_source *source = document->weights;
    if (strcasecmp(tab, "alignment") != 0 || !source || !source->weights.tile)
        return NULL;
    if (source->weights.steps > VIZ_ALIGNMENT_MOST ||
        source->weights.positions > VIZ_ALIGNMENT_MOST)
        return "an alignment has up to 16384 words a side";
    return "an alignment needs words on both sides, as --labels gives them";
}

static sac_status choose_tab(app_document *document, sac_error *error)
{
    const viz_shell *shell = &document->shell;
    const bool takes = document->request.array && document->weights &&
                       (document->caption || document->translation);
    const char *wanted = document->request.tab ? document->request.tab : takes ? "heads" : NULL;
    char there[160] = "";
    bool are_two = document->caption && document->caption->beside;
    if (!wanted || viz_shell_show(&document->shell, wanted) ||
        (are_two && strcasecmp(wanted, "pair") == 0)) /* which the Caption tab has then */
        return SAC_OK;
    for (int i = 0; i < shell->count; i++)
        if (shell->tabs[i].view)
            snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s",
                     there[0] ? ", " : "", shell->tabs[i].class->name);
    if (document->request.continuation && app_wants_tab(&document->request, "next"))
        return sac_fail(error, SAC_E_ARGUMENT, "--continue",
                        "give a picture, a sentence, or the folder of a model that generates words",
                        "needs a model that generates words; there is: %s", there);
    const char *why = why_no_alignment(document, wanted);
    return sac_fail(error, SAC_E_ARGUMENT, "--tab", NULL,
                    "\"%.60s\" is not available here%s%s; there is: %s", wanted, why ? ": " : "",
                    why ? why : "", there);
}

/* ---------------------------------------------------------------- lessons */

/* The first picture that can be read, with a notice for each damaged one before it. */
static void load_lesson_picture(app_document *document, sac_lessons_options *options)
{
    app_sample sight;
    for (int i = 0; !options->sight.rgba && app_find_lesson_sample(NULL, i, &sight); i++) {
        sac_error error = {0};
        char line[1200];
        if (sac_image_load(sight.path, &options->sight, &error) != SAC_OK)
            snprintf(document->left_out, sizeof document->left_out,
                     "left out %.440s; lessons show another picture",
                     sac_error_line(&error, line, sizeof line));
        else if (sight.kind == APP_SAMPLE_PHOTOGRAPH)
            snprintf(options->sight_credit, sizeof options->sight_credit, "%s", sight.credit);
    }
}

static sac_status open_lessons(app_document *document, const app_request *request,
                               const app_files *files, sac_error *error)
{
    (void)files;
    sac_lessons_options options = *request->lesson;
    options.device = request->device;
    if (!request->windowless) {
        options.is_finished = app_lesson_is_finished;
        options.finish = app_lesson_finish;
    }
    snprintf(document->file, sizeof document->file, "%s",
             options.lesson.name[0] ? options.lesson.name : "lessons");
    sac_status status = app_make_source(&document->lessons, "lessons", error);
    if (status == SAC_OK) {
        load_lesson_picture(document, &options);
        status = sac_lessons_open(&options, document->lessons, error);
    }
    return status;
}

/* ---------------------------------------------------------------- trainings */

static sac_status open_trainings(app_document *document, const app_request *request,
                                 const app_files *files, sac_error *error)
{
    sac_status status = SAC_OK;
    (void)files;
    if (request->wish) {
        if (document->training && !app_training_has_ended(document->training))
            return sac_fail(error, SAC_E_ARGUMENT, "training", "stop it first",
                            "another one is going on");
        status = app_training_begin(request->wish, request->device, &document->training, error);
    }
    if (status == SAC_OK)
        status = app_make_source(&document->trainer, "training", error);
    if (status == SAC_OK)
        *document->trainer = app_trainer_source(document->training);
    snprintf(document->file, sizeof document->file, "%s",
             document->training ? app_training_wish_made(document->training)->out : "training");
    return status;
}

/* ---------------------------------------------------------------- what opens it */

typedef enum request_kind { LESSONS, TRAININGS, MODEL, ARRAYS, SENTENCE, PICTURES } request_kind;

/* What opens a request of each kind, and the sources of the document that it fills. */
static const struct {
    app_open_kind *open;
    bool takes_boxes, differs;
} kinds[] = {
    [LESSONS] = {open_lessons},            /* lessons */
    [TRAININGS] = {open_trainings},        /* trainer */
    [MODEL] = {app_open_model, true},      /* caption, translation, weights */
    [ARRAYS] = {open_arrays, false, true}, /* weights */
    [SENTENCE] = {app_open_sentence},      /* translation, weights */
    [PICTURES] = {app_open_pictures},      /* picture, caption, translation; or of a scene */
};

static sac_status open_files(app_document *document, const app_files *files, sac_error *error)
{
    const app_request *request = &document->opened;
    const bool none = !request->file_count;
    const request_kind kind =
        request->lesson && none                                                  ? LESSONS
        : request->trains && none                                                ? TRAININGS
        : files->models                                                          ? MODEL
        : files->arrays                                                          ? ARRAYS
        : files->reads || request->text || app_wants_tab(request, "translation") ? SENTENCE
                                                                                 : PICTURES;
    if (request->boxes && !kinds[kind].takes_boxes)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give a folder with config.json as well",
                        "needs a pretrained model and a picture");
    if (request->together && kind != MODEL)
        return sac_fail(error, SAC_E_ARGUMENT, "--together",
                        "give the folder of one, or leave it out",
                        "needs a pretrained model that answers questions about pictures");
    if (app_wants_difference(request) && !kinds[kind].differs)
        return sac_fail(error, SAC_E_ARGUMENT,
                        request->with      ? "--with"
                        : request->between ? "--between"
                                           : "--difference",
                        "give files of weights, or of queries and keys",
                        "needs weights that can be compared");
    document->first = NULL;
    sac_status status = kinds[kind].open(document, request, files, error);
    if (status == SAC_OK)
        status = open_views(document, error);
    if (status == SAC_OK && document->first)
        viz_shell_show(&document->shell, document->first);
    return status;
}

/* ---------------------------------------------------------------- pictures that Saccade wrote */

/* What is asked of heads, which views have as settings of their own, is noted in the request too. */
static void recall_head_settings(app_document *document)
{
    static const struct {
        const char *key, *usual;
    } asked[] = {{"without", ""},
                 {"ask", ""},
                 {"segments", "all"},
                 {"special tokens", "shown"},
                 {"reduce", "none"}};
    const sac_png_texts *texts = &document->saved->texts;
    app_request *opened = &document->opened;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *value = sac_png_texts_get(texts, asked[i].key);
        if (value && strcmp(value, asked[i].usual) != 0)
            app_recall_setting(opened, asked[i].key, value);
    }
    const char *sort = sac_png_texts_get(texts, "sort"),
               *pattern = sac_png_texts_get(texts, "heads that");
    sac_ask ask;
    if (sort && strcmp(sort, "asked") == 0 && document->weights && pattern &&
        sac_ask_read(document->weights, 0, pattern, &ask, NULL) == SAC_OK && ask.of_kind)
        app_recall_setting(opened, "ask", pattern);
}

static bool has_cell(const sac_shown_lesson *lesson, const char *name)
{
    sac_lesson_edit at = {0};
    bool found = false;
    if (!sac_lesson_read_cell(name, strlen(name), &at))
        return false;
    for (int i = 0; i < lesson->array_count && !found; i++) {
        const sac_shown_array *array = &lesson->arrays[i];
        found = !strcmp(array->name, at.array) && array->rank == at.rank;
        for (int d = 0; found && d < at.rank; d++)
            found = at.at[d] < array->shape[d];
    }
    return found;
}

/* Settings and cells that the lesson does not have are found where it is computed with them. */
static sac_status check_lesson(const app_document *document, const app_saved *saved,
                               sac_error *error)
{
    sac_shown_lesson shown = {0};
    sac_source *lessons = document->lessons;
    if (!lessons || !saved->lesson.name[0])
        return SAC_OK;
    sac_status status = lessons->lesson.teach(lessons->self, &saved->lesson, &shown, error);
    if (status == SAC_OK && saved->cell[0] && !has_cell(&shown, saved->cell))
        status = sac_fail(error, SAC_E_ARGUMENT, "--cell", NULL, "the lesson has no such cell");
    sac_shown_lesson_free(&shown);
    return status;
}

/* Opens what the saved picture shows, in the way it was shown. */
static sac_status open_saved(app_document *document, sac_error *error)
{
    app_request *request = &document->opened;
    app_saved *saved = document->saved;
    app_files files;
    app_saved_fill_request(saved, request);
    sac_status status = classify_files(request->files, request->file_count, request, &files, error);
    if (status == SAC_OK) {
        app_saved_recall_options(saved, request, &files);
        app_set_spec_from_settings(request);
        status = open_files(document, &files, error);
    }
    if (status == SAC_OK)
        status = check_lesson(document, saved, error);
    if (status == SAC_OK) {
        recall_head_settings(document);
        app_saved_restore_views(&document->shell, saved);
    }
    return status;
}

/* The same, or where that cannot be opened the picture itself: where the saved picture's own settings are the
 * reason of the failure, and neither the request nor this machine is. */
static sac_status open_saved_or_itself(app_document *document, const app_files *files,
                                       sac_error *error)
{
    const app_request asked = document->opened;
    app_saved *saved = document->saved;
    sac_error wrong = {0};
    sac_status status = open_saved(document, &wrong);
    bool plain = !asked.setting_count && !asked.array && !asked.axes && !asked.labels &&
                 !asked.tab && !asked.grid_w && !asked.prefix && !asked.spec.heads;
    bool is_picture_wrong = status == SAC_E_FILE || status == SAC_E_FORMAT ||
                            status == SAC_E_SHAPE || status == SAC_E_VALUE ||
                            status == SAC_E_MEMORY || (status == SAC_E_ARGUMENT && plain);
    if (!is_picture_wrong) {
        if (error && status != SAC_OK)
            *error = wrong;
        return status;
    }
    app_document_close_views(document);
    size_t used = strlen(saved->note);
    snprintf(saved->note + used, sizeof saved->note - used,
             ", which cannot be opened (%.120s): this is the picture itself", wrong.what);
    document->opened = asked;
    return open_files(document, files, error);
}

static void ask_to_follow(app_document *document, const char *what, const char *of)
{
    snprintf(
        document->question, sizeof document->question,
        "%s refers to files that are not opened automatically: %s. Open them only if you trust "
        "the author of %s: their content is shown, and stored in what you save.",
        what, document->saved->asks, of);
}

/* In a window a person is asked first where the picture names files that it does not open by
 * itself, and sees the picture as it is saved meanwhile. */
static sac_status open_png(app_document *document, const app_files *files, sac_error *error)
{
    const app_request *request = &document->opened;
    app_saved_free(document->saved);
    bool found = app_saved_find(files->picture, NULL, request->follow, &document->saved);
    app_saved *saved = document->saved;
    if (!saved)
        return sac_no_memory(error, files->picture);
    if (saved->weights_wrong[0] && !request->weights) /* other weights would give another caption */
        return sac_fail(error, SAC_E_FILE, files->picture,
                        "put them there again, or give --weights FILE", "%s", saved->weights_wrong);
    bool waits = saved->asks[0] && !request->windowless && !request->answered;
    sac_status status = found && !waits ? open_saved_or_itself(document, files, error)
                                        : open_files(document, files, error);
    size_t used = strlen(saved->note);
    if (waits)
        ask_to_follow(document, "This picture", "the picture");
    else if (saved->asks[0])
        snprintf(saved->note + used, sizeof saved->note - used,
                 "; --follow opens every file it refers to");
    if (!waits)
        snprintf(document->note, sizeof document->note, "%s", saved->note);
    return status;
}

/* ---------------------------------------------------------------- stops of a lecture */

/* Why the texts of a stop do not open; SAC_OK: they do. */
static sac_status open_stop_texts(app_document *document, const char *lecture,
                                  const sac_lecture_stop *stop, sac_error *error)
{
    const app_request *request = &document->opened;
    char where[24];
    snprintf(where, sizeof where, "stop %d", request->stop + 1);
    app_saved_free(document->saved);
    bool found = app_saved_find(lecture, &stop->shows, request->follow, &document->saved);
    app_saved *saved = document->saved;
    if (!saved)
        return sac_no_memory(error, lecture);
    const bool asks = saved->asks[0] && !request->windowless && !request->answered;
    if (asks)
        ask_to_follow(document, "This lecture", "the lecture");
    if (!found)
        return sac_fail(error, SAC_E_FORMAT, where,
                        saved->asks[0] && !asks ? "--follow opens every file it refers to" : NULL,
                        "%s",
                        saved->note[0] ? saved->note : "shows nothing that this version can open");
    return sac_error_within(error, open_saved(document, error), where);
}

/* A stop that cannot be shown does not end the lecture: the reason stands in its place. */
static sac_status open_lecture(app_document *document, const app_files *files, sac_error *error)
{
    sac_lecture lecture = {0};
    sac_error wrong = {0};
    char line[sizeof document->shell.absent];
    viz_shell *shell = &document->shell;
    const int at = document->request.stop;
    sac_status status = sac_lecture_load(files->lecture, &lecture, error);
    if (status == SAC_OK && (at < 0 || at >= lecture.count))
        status = sac_fail(error, SAC_E_ARGUMENT, files->lecture, NULL, "has stops 1 to %d",
                          lecture.count);
    if (status == SAC_OK) {
        const sac_lecture_stop *stop = &lecture.stops[at];
        const size_t size = strnlen(stop->title, sizeof document->stop_title - 1);
        snprintf(document->stop_title, sizeof document->stop_title, "%.*s",
                 (int)sac_utf8_valid_size(stop->title, size), stop->title);
        document->stop_note = stop->note[0] ? strdup(stop->note) : NULL;
        status = open_stop_texts(document, files->lecture, stop, &wrong);
        const bool ends = status == SAC_E_CANCELLED || status == SAC_E_NO_DEVICE;
        if (ends && error)
            *error = wrong;
        if (status != SAC_OK && !ends) {
            app_document_close_views(document);
            snprintf(document->stop_problem, sizeof document->stop_problem, "%s",
                     sac_error_line(&wrong, line, sizeof line));
            memcpy(shell->absent, document->stop_problem, sizeof shell->absent);
            shell->places = viz_views;
            status = SAC_OK;
        }
        shell->lecture = document->paths[0];
        shell->stop = at;
        shell->stops = lecture.count;
    }
    if (document->stop_problem[0])
        snprintf(document->file, sizeof document->file, "%s", files->lecture);
    sac_lecture_free(&lecture);
    return status;
}

/* ---------------------------------------------------------------- the door */

/* The files that models are given may stand before them. */
static void put_models_first(char **paths, int count)
{
    for (int i = 0, models = 0; i < count; i++) {
        char *path = paths[i];
        if (!sac_is_pretrained(path))
            continue;
        memmove(paths + models + 1, paths + models, (size_t)(i - models) * sizeof *paths);
        paths[models++] = path;
    }
}

/* Keeps what was asked for, with names of files that outlive the asking; in place of one file of a model, or
 * several, its folder. A model, a lesson and a wish are lent
 * until the document is open. */
static sac_status remember_request(app_document *document, const app_request *asked,
                                   sac_error *error)
{
    document->request = *asked;
    document->paths = calloc((size_t)asked->file_count + 1, sizeof *document->paths);
    document->request.files = (const char *const *)document->paths;
    document->request.file_count = 0;
    for (int i = 0; document->paths && i < asked->file_count; i++) {
        char folder[FOLDER];
        int *count = &document->request.file_count;
        const bool is_part = sac_model_folder_of_file(asked->files[i], folder, sizeof folder);
        if (is_part && *count && strcmp(document->paths[*count - 1], folder) == 0)
            continue;
        if (!(document->paths[*count] = strdup(is_part ? folder : asked->files[i])))
            return sac_no_memory(error, asked->files[i]);
        ++*count;
    }
    if (document->paths)
        put_models_first(document->paths, document->request.file_count);
    document->opened = document->request;
    document->request.model = NULL;
    document->request.wish = NULL;
    return document->paths ? SAC_OK : sac_no_memory(error, "files");
}

/* A sample of the program's, over which a window asks for the picture that is missing. */
static sac_status request_sample_picture(app_document *document, const char *weights,
                                         sac_error *error)
{
    app_sample samples[APP_SAMPLES_MOST];
    app_request *request = &document->opened;
    const int count = request->windowless ? 0 : app_samples(NULL, samples);
    int i = 0;
    while (i < count && samples[i].kind == APP_SAMPLE_ATTENTION)
        i++;
    for (int k = i; k < count; k++)
        i = samples[i].kind != APP_SAMPLE_PHOTOGRAPH && samples[k].kind == APP_SAMPLE_PHOTOGRAPH
                ? k
                : i;
    if (i == count)
        return sac_fail(error, SAC_E_ARGUMENT, weights, "give a picture too, or a folder of them",
                        "is a captioner: which picture?");
    document->sample = calloc(2, sizeof *document->sample);
    if (!document->sample || !(document->sample[0] = strdup(samples[i].path)))
        return sac_no_memory(error, weights);
    request->files = (const char *const *)document->sample;
    request->file_count = 1;
    snprintf(document->asks, sizeof document->asks, "%.1023s", weights);
    return SAC_OK;
}

/* The weights of a model of our own among the files: the model of the request, and the other files are what it
 * is given. */
static sac_status request_own_weights(app_document *document, app_files *files, sac_error *error)
{
    app_request *request = &document->opened;
    const char *path = files->weights;
    const sac_model_class *class = sac_model_of_own_file(path);
    const int others = request->file_count - 1;
    if (request->weights)
        return sac_fail(error, SAC_E_ARGUMENT, path, "leave out one of the two",
                        "is a %s, given beside --weights", class->name);
    if (files->arrays || files->labels || files->models)
        return sac_fail(error, SAC_E_ARGUMENT, path,
                        class->read ? "give it alone, or with --text" : "give it pictures",
                        "is a %s, which %s is not for", class->name,
                        files->arrays   ? files->arrays
                        : files->labels ? files->labels
                                        : request->files[0]);
    if (class->read && others)
        return sac_fail(error, SAC_E_ARGUMENT, path, "leave out the picture",
                        "is a %s, and sees no pictures", class->name);
    int at = 0;
    while (document->paths[at] != path)
        at++;
    memmove(document->paths + 1, document->paths, (size_t)at * sizeof *document->paths);
    document->paths[0] = (char *)path;
    document->own_weights = true;
    request->weights = path;
    if (!class->read && !request->tab && !request->array)
        request->tab = "caption"; /* what it is given for */
    request->files = (const char *const *)document->paths + 1;
    request->file_count = others;
    files->reads = class->read;
    return class->read || others || request->scene_given || app_dataset_of_weights(path)
               ? SAC_OK
               : request_sample_picture(document, path, error);
}

static sac_status open_asked(app_document *document, sac_error *error)
{
    app_files files;
    app_request *request = &document->opened;
    app_set_spec_from_settings(request);
    sac_status status = classify_files(request->files, request->file_count, request, &files, error);
    if (status == SAC_OK && files.lecture)
        return open_lecture(document, &files, error);
    if (status == SAC_OK && files.weights)
        status = request_own_weights(document, &files, error);
    if (status != SAC_OK)
        return status;
    if (files.labels && request->labels)
        return sac_fail(error, SAC_E_ARGUMENT, files.labels, "give one file of labels",
                        "is given beside --labels %s", request->labels);
    request->labels = files.labels ? files.labels : request->labels;
    bool one = files.pictures == 1 && !files.folder && !files.arrays && !files.models;
    return one ? open_png(document, &files, error) : open_files(document, &files, error);
}

/* What is open came with the program. A sentence that is there to be typed over, lessons and what can be trained are
 * no samples. */
static bool is_sample(const app_document *document)
{
    const app_request *r = &document->request;
    app_sample samples[APP_SAMPLES_MOST];
    const int count = app_samples(NULL, samples);
    bool all = true;
    if (document->sample)
        return true;
    for (char **path = document->paths; path && *path && all; path++)
        all = app_is_sample(*path, samples, count);
    if (document->paths && document->paths[0])
        return all;
    return !r->scene_given && !r->weights && !r->lesson && !r->trains && !r->text &&
           (document->caption || document->picture);
}

sac_status app_open(app_document *document, const app_request *asked, sac_error *error)
{
    const app_request *request = &document->request;
    sac_status status = remember_request(document, asked, error);
    if (status == SAC_OK)
        status = open_asked(document, error);
    document->opened.model = NULL;
    document->opened.lesson = NULL;
    document->opened.wish = NULL;
    for (int tab = 0; tab < document->shell.count && status == SAC_OK; tab++)
        for (int i = 0; i < request->setting_count; i++)
            viz_shell_restore(&document->shell, tab, request->settings[i].key,
                              request->settings[i].value);
    viz_shell_set_name(&document->shell, document->file);
    document->shell.sample = status == SAC_OK && is_sample(document);
    document->shell.of_picture = request->windowless && (document->caption || document->picture);
    return status == SAC_OK ? choose_tab(document, error) : status;
}
