/* The origin and the settings in a saved picture's text chunks, or of a lecture's stop. */

#include "app/open/reopen.h"

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/assets.h"
#include "app/open/captioner.h"
#include "architectures/architectures.h"
#include "arrays/bytes.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "datasets/dataset.h"
#include "images/png_write.h"
#include "lessons/ideas/lessons.h"
#include "pretrained/files/pretrained.h"
#include "shell/split/split.h"
#include "sources/origin.h"
#include "sources/saved_name.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- what it was made of */

/* FOLDER/NAME, where FOLDER is the one that `from` lies in; NULL where memory runs out. */
static char *path_beside(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    char *path = NULL;
    return asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - from) : 0, from, name) < 0 ? NULL
                                                                                          : path;
}

/* A file, or the folder of a model, or of pictures to be learnt from. */
static bool is_there(const char *path, bool is_own)
{
    return sac_is_regular(path) || sac_is_pretrained(path) || (is_own && sac_is_folder(path));
}

/* Not from the root, and not upwards. */
static bool is_path_inside_folder(const char *name)
{
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (at[0] == '.' && at[1] == '.' && (!at[2] || at[2] == '/'))
            return false;
    }
    return name[0] && name[0] != '/';
}

static const struct {
    const char *key, *hash, *what;
} named[APP_NAMED] = {[APP_FILE] = {"file", "hash", "file"},
                      [APP_LABELS] = {"labels", "labels hash", "labels"},
                      [APP_IMAGE] = {"image", "image hash", "picture"},
                      [APP_SECOND_FILE] = {"second file", "second file hash", "second file"},
                      [APP_SECOND_IMAGE] = {"second image", "second image hash", "second picture"},
                      [APP_WEIGHTS] = {"weights", "weights hash", "weights"},
                      [APP_OWN] = {"own", "own hash", "training data"},
                      [APP_OWN_TOO] = {"own too", "own too hash", "training data"},
                      [APP_MORE_IMAGES + 0] = {"image 2", "image 2 hash", "picture"},
                      [APP_MORE_IMAGES + 1] = {"image 3", "image 3 hash", "picture"},
                      [APP_MORE_IMAGES + 2] = {"image 4", "image 4 hash", "picture"},
                      [APP_MORE_IMAGES + 3] = {"image 5", "image 5 hash", "picture"},
                      [APP_MORE_IMAGES + 4] = {"image 6", "image 6 hash", "picture"},
                      [APP_MORE_IMAGES + 5] = {"image 7", "image 7 hash", "picture"},
                      [APP_MORE_IMAGES + 6] = {"image 8", "image 8 hash", "picture"}};

/* What became of a name. */
typedef enum named_state { NOT_NAMED, MAY_OPEN, GONE, CHANGED, ELSEWHERE, NO_HASH } named_state;

static const char *const named_why[][2] = {
    [GONE] = {"is not available", "is not available"},
    [CHANGED] = {"has changed since", "has changed since"},
    [ELSEWHERE] = {"is not in the picture's folder", "is not in the lecture's folder"},
    [NO_HASH] = {"the picture stores no hash of", "the lecture stores no hash of"},
};

/* A file that comes with the program, wherever that is installed, by its title. */
static char *find_sample_path(const char *title)
{
    app_sample samples[APP_SAMPLES_MOST];
    const int count = app_samples(NULL, samples);
    for (int i = 0; i < count; i++)
        if (strcmp(samples[i].title, title) == 0)
            return strdup(samples[i].path);
    return NULL;
}

/* Without permission the file is not even read: some that a system has never end. */
static named_state named_file_state(const char *from, const char *path, const char *name,
                                    const char *hash, bool follow)
{
    char *folder = path_beside(from, ".");
    bool within = folder && is_path_inside_folder(name) && sac_origin_within(path, folder);
    free(folder);
    if (!within && !follow)
        return ELSEWHERE;
    if (!hash || !hash[0])
        return follow ? MAY_OPEN : NO_HASH;
    return sac_origin_is(path, hash) ? MAY_OPEN : CHANGED;
}

/* One of the program's own; else beside the picture, else in the working folder. *path is owned, and NULL unless
 * it may be opened. */
static named_state find_path(const char *from, const char *name, const char *hash, bool follow,
                             bool is_own, char **path)
{
    const size_t mark = strlen(APP_SAMPLE_MARK);
    const bool is_sample = strncmp(name, APP_SAMPLE_MARK, mark) == 0;
    char *near = is_sample || name[0] == '/' ? NULL : path_beside(from, name);
    *path = is_sample                        ? find_sample_path(name + mark)
            : near && is_there(near, is_own) ? near
            : is_there(name, is_own)         ? strdup(name)
                                             : NULL;
    if (*path != near)
        free(near);
    named_state state = !*path          ? GONE
                        : is_sample     ? named_file_state(from, *path, name, hash, true)
                        : *path == near ? named_file_state(from, *path, name, hash, follow)
                        : !follow       ? ELSEWHERE
                                        : named_file_state(from, *path, name, hash, true);
    if (state != MAY_OPEN) {
        free(*path);
        *path = NULL;
    }
    return state;
}

static void add_text(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds to what is there, as far as it fits. */
static void add_text(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

/* Finds the file that stands under `key` and fills saved->paths[which]. What is not opened is
 * noted: of the first file in the note's own words, of others with their reason. */
static named_state find_named_file(const char *from, app_named which, const char *key, bool follow,
                                   app_saved *saved)
{
    const char *text = sac_png_texts_get(&saved->texts, key);
    const char *hash = sac_png_texts_get(&saved->texts, named[which].hash);
    char *name = text && text[0] ? sac_saved_name_decode(text) : NULL, shown[300];
    named_state state =
        !text || !text[0] ? NOT_NAMED
        : !name           ? GONE
                : find_path(from, name, hash, follow, which == APP_OWN || which == APP_OWN_TOO,
                            &saved->paths[which]);
    if (state != NOT_NAMED)
        sac_printable(name ? name : text, shown, sizeof shown);
    if (state == ELSEWHERE || state == NO_HASH)
        add_text(saved->asks, sizeof saved->asks, "%s%.200s", saved->asks[0] ? ", " : "", shown);
    const char *why = state > MAY_OPEN ? named_why[state][saved->is_stop] : "";
    if ((which == APP_FILE || which == APP_WEIGHTS) && state > MAY_OPEN && saved->is_stop)
        add_text(saved->note, sizeof saved->note, "%s %s", state == NO_HASH ? why : shown,
                 state == NO_HASH ? shown : why);
    else if (which == APP_FILE && state != NOT_NAMED)
        add_text(saved->note, sizeof saved->note,
                 state == MAY_OPEN ? "made from %s"
                                   : "made from %s, which %s: this is the picture itself",
                 shown, why);
    else if (which == APP_WEIGHTS && (state == GONE || state == CHANGED))
        snprintf(saved->weights_wrong, sizeof saved->weights_wrong,
                 "was captioned by the weights %.300s, which %s", shown,
                 state == GONE ? "are not there any more" : "have changed since");
    else if (state > MAY_OPEN)
        add_text(saved->note, sizeof saved->note, "; left out: %s %.120s, which %s",
                 named[which].what, shown, why);
    free(name);
    return state;
}

static bool find_file(const char *from, bool follow, app_saved *saved)
{
    if (find_named_file(from, APP_FILE, "file", follow, saved) != MAY_OPEN)
        return false;
    const char *sentence = sac_png_texts_get(&saved->texts, "sentence");
    bool is_pretrained = sac_is_pretrained(saved->paths[APP_FILE]);
    saved->is_translator = sentence && sentence[0] && !is_pretrained &&
                           sac_file_kind_of(saved->paths[APP_FILE]) == SAC_FILE_ARRAYS;
    if (is_pretrained || saved->is_translator) /* what it read there */
        saved->text = sentence;
    for (int i = APP_FILE + 1; i < APP_WEIGHTS; i++)
        find_named_file(from, (app_named)i, named[i].key, follow, saved);
    for (int i = APP_MORE_IMAGES; i < APP_NAMED; i++)
        find_named_file(from, (app_named)i, named[i].key, follow, saved);
    return true;
}

/* 0 for what is no number of a picture: the text is untrusted. */
static int picture_number(const char *text)
{
    long number = text ? strtol(text, NULL, 10) : 0;
    return number >= 0 && number <= INT32_MAX / 2 ? (int)number : 0;
}

/* The dataset whose scene has that title; NULL: it is no scene's. */
static const sac_dataset *find_dataset(const char *title, unsigned long long *scene)
{
    const sac_dataset *dataset;
    for (int i = 0; (dataset = sac_dataset_at(i)); i++) {
        size_t length = strlen(dataset->title);
        int end = 0;
        if (strncmp(title, dataset->title, length) == 0 &&
            sscanf(title + length, " %llu%n", scene, &end) == 1 && !title[length + (size_t)end])
            return dataset;
    }
    return NULL;
}

/* A view that turned from scene to scene has the distance from the first. */
static bool recall_scene(app_saved *saved)
{
    const char *title = sac_png_texts_get(&saved->texts, "title");
    unsigned long long scene;
    const sac_dataset *dataset = title ? find_dataset(title, &scene) : NULL;
    saved->is_scene = dataset != NULL;
    if (saved->is_scene) {
        saved->dataset = dataset->name;
        saved->picture = picture_number(sac_png_texts_get(&saved->texts, "picture"));
        saved->scene = scene - (uint64_t)saved->picture;
        snprintf(saved->note, sizeof saved->note, "made from %s %llu", dataset->title, scene);
    }
    return saved->is_scene;
}

/* False: it is longer than such a text can be. */
static bool copy_saved_text(const sac_png_texts *texts, const char *key, char *to, size_t size)
{
    const char *text = sac_png_texts_get(texts, key);
    bool fits = !text || strlen(text) < size;
    if (text && fits)
        snprintf(to, size, "%s", text);
    return fits;
}

/* With numbers of a person's own only where these are still there. The lesson itself checks whether it
 * has such settings. */
static bool recall_lesson(const char *place, bool follow, app_saved *saved)
{
    sac_lesson_request *lesson = &saved->lesson;
    char seed[24] = "", *end;
    bool fits = copy_saved_text(&saved->texts, "lesson", lesson->name, sizeof lesson->name);
    fits &= copy_saved_text(&saved->texts, "settings", lesson->settings, sizeof lesson->settings);
    fits &= copy_saved_text(&saved->texts, "text", lesson->text, sizeof lesson->text);
    fits &= copy_saved_text(&saved->texts, "seed", seed, sizeof seed);
    fits &= copy_saved_text(&saved->texts, "cell", saved->cell, sizeof saved->cell);
    lesson->seed = strtoull(seed, &end, 10);
    lesson->seed_given = seed[0];
    const sac_lesson_class *class = sac_lesson_find(lesson->name);
    fits &= !*end && (class || !lesson->name[0]);
    named_state from = find_named_file(place, APP_FILE, "from", follow, saved);
    bool found = from == NOT_NAMED || from == MAY_OPEN;
    saved->is_lesson = fits && found;
    if (found && !fits)
        snprintf(saved->note, sizeof saved->note,
                 saved->is_stop ? "there is no such lesson or setting"
                                : "made by an unknown lesson or setting: this is the "
                                  "picture itself");
    else if (saved->is_lesson)
        add_text(saved->note, sizeof saved->note, "%s%s%s", saved->note[0] ? " by " : "made by ",
                 class ? "the lesson " : "the list of lessons", class ? class->name : "");
    return saved->is_lesson;
}

static bool recall_sentence(app_saved *saved)
{
    char shown[300];
    const char *text = sac_png_texts_get(&saved->texts, "sentence");
    if (!text || !text[0])
        return false;
    saved->text = text;
    snprintf(saved->note, sizeof saved->note, "made from the sentence “%s”",
             sac_printable(text, shown, sizeof shown));
    return true;
}

/* What it learns from is not there for who must not read it: then the page asks for it. */
static bool recall_training(const char *from, bool follow, app_saved *saved)
{
    saved->is_training = true;
    find_named_file(from, APP_OWN, named[APP_OWN].key, follow, saved);
    find_named_file(from, APP_OWN_TOO, named[APP_OWN_TOO].key, follow, saved);
    return true;
}

bool app_saved_find(const char *from, const sac_png_texts *stop, bool follow, app_saved **place)
{
    app_saved *saved = *place = calloc(1, sizeof *saved);
    if (!saved)
        return false;
    saved->is_stop = stop;
    if (stop && !sac_png_texts_copy(stop->at, stop->count, &saved->texts)) {
        app_saved_free(saved);
        *place = NULL;
        return false;
    }
    if (!stop)
        sac_png_texts_load(from, &saved->texts,
                           NULL); /* none where it cannot be read: a later step reports that */
    const char *software = sac_png_texts_get(&saved->texts, "Software");
    const char *view = sac_png_texts_get(&saved->texts, "view");
    if (!stop && (!software || strncmp(software, "Saccade ", 8) != 0))
        return false;
    const named_state weights =
        find_named_file(from, APP_WEIGHTS, named[APP_WEIGHTS].key, follow, saved);
    if (weights > MAY_OPEN && (stop || (weights != GONE && weights != CHANGED)))
        return false;
    return view && (!strcmp(view, "train") || !strcmp(view, "training"))
               ? recall_training(from, follow, saved)
           : view && strcmp(view, "lesson") == 0 ? recall_lesson(from, follow, saved)
           : sac_png_texts_get(&saved->texts, "file")
               ? find_file(from, follow, saved)
               : recall_scene(saved) || recall_sentence(saved);
}

void app_saved_free(app_saved *saved)
{
    for (int i = 0; saved && i < APP_NAMED; i++)
        free(saved->paths[i]);
    if (!saved)
        return;
    sac_png_texts_free(&saved->texts);
    free(saved);
}

/* ---------------------------------------------------------------- as a request */

/* Keys of a GGUF that were passed over, parted by commas. */
static void recall_ignored_gguf_keys(const char *text)
{
    char key[128];
    for (size_t size; text && *text; text += size + (text[size] == ',')) {
        size = strcspn(text, ",");
        if (size < sizeof key && snprintf(key, sizeof key, "%.*s", (int)size, text) > 0)
            sac_gguf_ignore(key, NULL);
    }
}

void app_recall_setting(app_request *request, const char *key, const char *value)
{
    if (value && value[0] && !app_find_setting(request, key) &&
        request->setting_count < APP_MAX_VIEW_OPTIONS)
        request->settings[request->setting_count++] = (app_view_option){key, value};
}

/* What views write of how a file was opened (viz_save_source), and where the request has it. */
static const struct {
    const char *key;
    enum { NAME, FLAG, COUNT, NUMBER } kind; /* COUNT: from 1; NUMBER: above 0 */
    size_t at;
} recalled[] = {
    {"array", NAME, offsetof(app_request, array)},
    {"axes", NAME, offsetof(app_request, axes)},
    {"audio language", NAME, offsetof(app_request, language)},
    {"spoken language", NAME, offsetof(app_request, language)}, /* of earlier pictures */
    {"task", NAME, offsetof(app_request, task)},
    {"softmax", FLAG, offsetof(app_request, softmax)},
    {"nan", FLAG, offsetof(app_request, allow_nan)},
    {"padding", FLAG, offsetof(app_request, padding)},
    {"picture fit", FLAG, offsetof(app_request, as_trained)},
    {"prefix", COUNT, offsetof(app_request, prefix)},
    {"heads", COUNT, offsetof(app_request, spec.heads)},
    {"key heads", COUNT, offsetof(app_request, spec.key_heads)},
    {"bandwidth", NUMBER, offsetof(app_request, spec.bandwidth)},
    {"softcap", NUMBER, offsetof(app_request, spec.softcap)},
};

/* What is not given otherwise is as it was. */
static void recall_fields(const sac_png_texts *texts, app_request *request)
{
    for (size_t i = 0; i < sizeof recalled / sizeof *recalled; i++) {
        const char *text = sac_png_texts_get(texts, recalled[i].key);
        void *place = (char *)request + recalled[i].at;
        char *end = NULL;
        float number;
        long count = text ? strtol(text, &end, 10) : 0;
        if (!text)
            continue;
        if (recalled[i].kind == NAME && !*(const char **)place)
            *(const char **)place = text;
        else if (recalled[i].kind == FLAG)
            *(bool *)place = true;
        else if (recalled[i].kind == COUNT && !*(int *)place && !*end && count >= 1 &&
                 count <= INT_MAX)
            *(int *)place = (int)count;
        else if (recalled[i].kind == NUMBER && *(float *)place == 0 &&
                 viz_read_real(text, &number) && number > 0)
            *(float *)place = number;
    }
}

/* "14x14" */
static void recall_grid(const char *text, app_request *request)
{
    enum { MOST = 4096 };
    int w = 0, h = 0, used = 0;
    if (text && !request->grid_w && sscanf(text, "%dx%d%n", &w, &h, &used) == 2 && !text[used] &&
        w > 0 && h > 0 && w <= MOST && h <= MOST) {
        request->grid_w = w;
        request->grid_h = h;
    }
}

/* "causal, bottom-right, window 128", where none is given. */
static void recall_mask(const char *text, sac_attention_spec *spec)
{
    const char *window = text ? strstr(text, "window ") : NULL;
    if (text && strstr(text, "causal") && !spec->causal) {
        spec->causal = true;
        spec->alignment =
            strstr(text, "bottom-right") ? SAC_ALIGN_BOTTOM_RIGHT : SAC_ALIGN_TOP_LEFT;
    }
    if (window && !spec->window)
        spec->window = strtoul(window + strlen("window "), NULL, 10);
}

/* Of whose captions a picture was saved: of flat shapes where it does not name them. */
static const char *recall_dataset(const char *text)
{
    if (!text)
        return sac_dataset_find("shapes")->name;
    return sac_dataset_find(text) || strcmp(text, APP_PHOTOGRAPHS) == 0 ? text : NULL;
}

void app_saved_fill_request(app_saved *saved, app_request *request)
{
    const char *view = sac_png_texts_get(&saved->texts, "view");
    const char *file = saved->files[0] = saved->paths[APP_FILE];
    bool is_file = file && !saved->is_lesson && !saved->is_translator;
    if (saved->is_translator && !request->weights)
        request->weights = file;
    if (saved->paths[APP_WEIGHTS] && !request->weights)
        request->weights = saved->paths[APP_WEIGHTS];
    request->trains = saved->is_training;
    request->files = saved->files;
    request->file_count = is_file;
    saved->lessons = request->lesson ? *request->lesson : (sac_lessons_options){0};
    saved->lessons.from = file;
    request->lesson = saved->is_lesson ? &saved->lessons : NULL;
    request->scene = saved->scene;
    request->scene_given = saved->is_scene;
    if (saved->is_scene)
        request->dataset = saved->dataset;
    const char *dataset = sac_png_texts_get(&saved->texts, "dataset");
    if (!saved->is_scene && view && strcmp(view, "caption") == 0 && !request->dataset &&
        !saved->paths[APP_WEIGHTS] &&
        (dataset || !saved->is_stop)) /* who writes a stop need not name it */
        request->dataset = recall_dataset(dataset);
    request->text = request->text ? request->text : saved->text;
    request->picture = request->picture > 0 ? request->picture : saved->picture;
    bool of_pictures = view && (strcasecmp(view, "caption") == 0 ||
                                strcasecmp(view, "picture") == 0 || strcasecmp(view, "next") == 0);
    if (!request->tab && view &&
        (saved->text || of_pictures || (is_file && sac_is_pretrained(file))))
        request->tab = view;
}

void app_saved_recall_options(app_saved *saved, app_request *request, app_files *sorted)
{
    const sac_png_texts *texts = &saved->texts;
    const char *view = sac_png_texts_get(texts, "view"), **files = saved->files;
    const char *score = sac_png_texts_get(texts, "score"),
               *normalizer = sac_png_texts_get(texts, "normalizer"),
               *storage = sac_png_texts_get(texts, "storage"),
               *continued = sac_png_texts_get(texts, "continued");
    char *image = saved->paths[APP_IMAGE], *second = saved->paths[APP_SECOND_FILE];
    sac_sampling how;
    recall_fields(texts, request);
    recall_grid(sac_png_texts_get(texts, "grid"), request);
    recall_mask(sac_png_texts_get(texts, "mask"), &request->spec);
    recall_ignored_gguf_keys(sac_png_texts_get(texts, "ignored keys"));
    if (!request->labels)
        request->labels = saved->paths[APP_LABELS];
    if (score)
        sac_score_from_name(score, &request->spec.score);
    if (normalizer)
        sac_normalizer_from_name(normalizer, &request->spec.normalizer);
    if (storage)
        sac_model_storage_find(storage, &request->spec.storage);
    if (continued && !request->continuation && sac_sampling_read(continued, &how)) {
        request->continuation = how.count;
        request->draw = how.draw;
        request->beam = how.beam;
        request->penalty = how.penalty;
    }
    app_recall_setting(request, "cells", sac_png_texts_get(texts, "cells"));
    /* Heads of a view of heads are its own setting; those that a text is generated without are switched off
     * before. */
    if (request->continuation || (view && (strcmp(view, "caption") == 0 || !strcmp(view, "next") ||
                                           !strcmp(view, "translation"))))
        app_recall_setting(request, "without", sac_png_texts_get(texts, "without"));
    if (sorted->arrays && !sorted->picture)
        sorted->picture = image;
    if (sorted->models &&
        image) { /* beside what one model saw: another model, or another picture */
        bool same_model = second && strcmp(second, files[0]) == 0;
        if (second && !same_model)
            files[sorted->models++] = second;
        request->file_count = sorted->models;
        files[request->file_count++] = image;
        if (same_model && saved->paths[APP_SECOND_IMAGE])
            files[request->file_count++] = saved->paths[APP_SECOND_IMAGE];
        for (int i = APP_MORE_IMAGES; i < APP_NAMED; i++)
            if (saved->paths[i]) {
                files[request->file_count++] = saved->paths[i];
                request->together = true;
            }
    } else if (!sorted->models && sorted->picture && second) {
        files[request->file_count++] = second;
        request->tab = "pair"; /* of the captioners that come with the program */
    }
}

/* ---------------------------------------------------------------- how it was shown */

/* A training that no longer goes on is one to begin. */
static const viz_view *find_shown_view(const viz_shell *shell, const char *name)
{
    const viz_view *shown = name ? viz_shell_find(shell, name) : NULL;
    return !shown && name && strcmp(name, "training") == 0 ? viz_shell_find(shell, "train") : shown;
}

void app_saved_restore_views(viz_shell *shell, const app_saved *saved)
{
    const sac_png_texts *texts = &saved->texts;
    const viz_view *shown = find_shown_view(shell, sac_png_texts_get(texts, "view"));
    const sac_source *source = shown ? shown->source : NULL;
    for (int tab = 0; shown && tab < shell->count; tab++) {
        viz_view *view = shell->tabs[tab].view;
        bool same_source = view && view->source == source, is_shown = view == shown;
        for (size_t i = 0; i < texts->count && same_source; i++)
            if (is_shown || strcmp(texts->at[i].key, VIZ_SPLIT_SIDES) != 0)
                viz_shell_restore(shell, tab, texts->at[i].key, texts->at[i].value);
        for (int own = APP_OWN; same_source && own <= APP_OWN_TOO; own++) /* where it is here */
            viz_view_restore(view, named[own].key, saved->paths[own] ? saved->paths[own] : "");
    }
    if (shown)
        viz_shell_show(shell, shown->class->name);
    const char *why = shown ? sac_png_texts_get(texts, "why") : NULL;
    if (why)
        viz_shell_restore_why(shell, why);
}
