/* The one door: what a file is, what opens it, and the views of what was opened. */
#include "app/assets.h"
#include "app/open/open_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "alignment/alignment_view.h"
#include "app/kept/finished.h"
#include "app/kept/visits.h"
#include "app/open/datasets.h"
#include "app/open/reopen.h"
#include "app/open/weights.h"
#include "app/samples.h"
#include "app/trainer.h"
#include "architectures/architectures.h"
#include "arrays/arrays.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "classes/views.h"
#include "device/device.h"
#include "images/file_kind.h"
#include "images/folder.h"
#include "images/image_read.h"
#include "pretrained/files/foreign_folder.h"
#include "pretrained/files/pretrained.h"
#include "shell/split/split.h"
#include "sources/files/weights/model_weights.h"
#include "sources/files/weights/weights_file.h"
#include "sources/heads/ask.h"
#include "sources/heads/several.h"
#include "table/models.h"
#include "view/settings.h"

/* ---------------------------------------------------------------- what a file is */

/* Tells the files apart: pictures alone, or arrays and perhaps the picture they lie over. */
typedef struct file_sort {
    const char *second;           /* arrays that the first ones are compared with */
    const char *picture, *arrays; /* the first of each kind; of a folder its first picture */
    const char *labels; /* what is neither: text may be labels, where arrays are beside it */
    int pictures;
    bool folder;
    int models; /* the first so many are folders with models of others */
} file_sort;

/* A file that cannot be read, or is empty, counts as arrays: opening them says what is wrong. So
 * does a pipe, through which arrays may come. */
static sac_status sort_file(const char *path, file_sort *sort, sac_error *error)
{
    bool folder = sac_is_folder(path);
    sac_file_kind kind = folder ? SAC_FILE_PICTURE : sac_file_kind_of(path);
    bool picture = kind == SAC_FILE_PICTURE, other = kind == SAC_FILE_OTHER;
    const char **place = picture        ? &sort->picture
                         : other        ? &sort->labels
                         : sort->arrays ? &sort->second
                                        : &sort->arrays;
    if (place == &sort->second && *place)
        return sac_fail(error, SAC_E_ARGUMENT, path, "open two at a time at most",
                        "is a third file of this kind, next to %s", *place);
    if (!picture && *place)
        return sac_fail(error, SAC_E_ARGUMENT, path, "open one at a time",
                        "is a second file of this kind, next to %s", *place);
    if (!*place)
        *place = path;
    sort->pictures += picture;
    sort->folder = sort->folder || folder;
    return SAC_OK;
}

static sac_status check_sort(const file_sort *sort, sac_error *error)
{
    if (sort->labels && !sort->arrays)
        return sac_fail(error, SAC_E_FORMAT, sort->labels, "convert it to one of these",
                        "is neither a picture (" SAC_IMAGE_FORMATS
                        ") nor arrays (" SAC_ARRAY_FORMATS ")");
    if (sort->arrays && (sort->folder || sort->pictures > 1))
        return sac_fail(error, SAC_E_ARGUMENT, sort->arrays, "give one picture with it",
                        "cannot be shown over several pictures");
    return SAC_OK;
}

static sac_status sort_files(const char *const *files, int count, file_sort *sort, sac_error *error)
{
    sac_status status = SAC_OK;
    *sort = (file_sort){0};
    while (sort->models < count && sac_is_pretrained(files[sort->models]))
        sort->models++;
    for (int i = sort->models; i < count && status == SAC_OK; i++) {
        status = sac_foreign_path_check(files[i], error);
        if (status == SAC_OK)
            status = sort_file(files[i], sort, error);
    }
    return status == SAC_OK ? check_sort(sort, error) : status;
}

viz_what app_look(const char *path, char about[VIZ_ABOUT_SIZE])
{
    sac_error error = {0};
    file_sort sort;
    bool folder = sac_is_folder(path), model = sac_is_pretrained(path);
    bool unread = !folder && sac_file_kind_of(path) == SAC_FILE_UNREAD;
    snprintf(about, VIZ_ABOUT_SIZE, "%s",
             model    ? "model"
             : unread ? "empty, or not to be read"
                      : "");
    if (folder || model || unread)
        return folder && model ? VIZ_OPENS_AS_MODEL : folder || model ? VIZ_OPENS : VIZ_OPENS_NOT;
    if (sort_files(&path, 1, &sort, &error) != SAC_OK) {
        const char *why = sort.labels ? "neither picture nor arrays" : error.what;
        snprintf(about, VIZ_ABOUT_SIZE, "%.*s",
                 (int)sac_utf8_valid_size(why, VIZ_ABOUT_SIZE - 1 < strlen(why) ? VIZ_ABOUT_SIZE - 1
                                                                                : strlen(why)),
                 why);
        return VIZ_OPENS_NOT;
    }
    snprintf(about, VIZ_ABOUT_SIZE, "%s", sort.pictures ? "picture" : "arrays");
    return sort.pictures ? VIZ_OPENS_AS_PICTURE : VIZ_OPENS;
}

/* ---------------------------------------------------------------- settings */

sac_status app_make_source(sac_source **place, const char *what, sac_error *error)
{
    *place = calloc(1, sizeof **place);
    return *place ? SAC_OK : sac_no_memory(error, what);
}

bool app_wants_tab(const app_request *request, const char *name)
{
    const viz_view_class *class = request->tab ? viz_views_find(name) : NULL;
    return request->tab && (strcasecmp(request->tab, name) == 0 ||
                            (class && strcasecmp(request->tab, class->tab) == 0 &&
                             strcasecmp(name, class->name) == 0));
}

const char *app_find_setting(const app_request *request, const char *key)
{
    const char *value = NULL; /* of the last, as later options override earlier ones */
    for (int i = 0; i < request->setting_count; i++)
        if (strcmp(request->settings[i].key, key) == 0)
            value = request->settings[i].value;
    return value;
}

sac_status app_check_query(const app_request *request, size_t columns, size_t rows,
                           sac_error *error)
{
    size_t x, y;
    const char *query = app_find_setting(request, "query");
    if (!query || (sscanf(query, "%zu,%zu", &x, &y) == 2 && x < columns && y < rows))
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, "--query", NULL,
                    "%s is out of range; columns go from 0 to %zu, rows from 0 to %zu", query,
                    columns - 1, rows - 1);
}

/* A view leaves alone what it does not have; a person who asked for it should hear so. */
static sac_status check_model(const app_request *request, const char *key, const char *option,
                              const sac_source *source, sac_error *error)
{
    char there[160] = "";
    const char *wanted = app_find_setting(request, key);
    for (int i = 0; wanted && i < source->speaker.models; i++) {
        if (strcmp(wanted, source->speaker.model[i]) == 0)
            return SAC_OK;
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 source->speaker.model[i]);
    }
    return wanted ? sac_fail(error, SAC_E_ARGUMENT, option, NULL,
                             "unknown value \"%.60s\"; there is: %s", wanted, there)
                  : SAC_OK;
}

sac_status app_check_models(const app_request *request, const sac_source *source, sac_error *error)
{
    sac_status status = check_model(request, "model", "--model", source, error);
    return status == SAC_OK ? check_model(request, "compared with", "--compare", source, error)
                            : status;
}

/* The attention of queries and keys is fixed when they are opened. */
static void set_spec(app_request *request)
{
    for (int i = 0; i < request->setting_count; i++) {
        const app_view_option *setting = &request->settings[i];
        if (strcmp(setting->key, "score") == 0)
            sac_score_from_name(setting->value, &request->spec.score);
        else if (strcmp(setting->key, "bandwidth") == 0)
            request->spec.bandwidth = strtof(setting->value, NULL);
        else if (strcmp(setting->key, "storage") == 0)
            sac_model_storage_find(setting->value, &request->spec.storage);
    }
}

static void apply_settings(viz_shell *shell, const app_view_option *settings, int count)
{
    for (int tab = 0; tab < shell->count; tab++)
        for (int i = 0; i < count; i++)
            viz_shell_restore(shell, tab, settings[i].key, settings[i].value);
}

/* ---------------------------------------------------------------- views */

/* Two sources that stand beside each other are two sides of a view. */
static sac_status show_both(viz_view **view, const sac_source *beside, sac_error *error)
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

/* The view of one class, of the first source that it accepts; *view NULL: of none. */
static sac_status create_view(app_document *document, const viz_view_class *class, viz_view **view,
                              sac_error *error)
{
    sac_source *sources[] = {document->caption, document->picture, document->translation,
                             document->weights, document->lessons, document->trainer,
                             document->watched};
    const viz_shell *shell = &document->shell;
    viz_view *last = shell->count ? shell->tabs[shell->count - 1].view : NULL;
    *view = NULL;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (sources[i] && class->accepts(sources[i])) {
            viz_view *same = last && last->source == sources[i] ? last : NULL;
            const sac_source *beside = sources[i]->beside;
            sac_status status = class->create(sources[i], same, view, error);
            if (status == SAC_OK && beside && class->accepts(beside))
                status = show_both(view, beside, error);
            return status;
        }
    return SAC_OK;
}

sac_status app_open_views(app_document *document, sac_error *error)
{
    sac_status status = SAC_OK;
    document->shell.places = viz_views;
    for (int i = 0; viz_views[i] && status == SAC_OK; i++) {
        viz_view *view;
        status = create_view(document, viz_views[i], &view, error);
        if (status == SAC_OK && view)
            status = viz_shell_add(&document->shell, view, error);
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
                        "give a picture, a sentence, or the folder of a model that says words",
                        "needs a model that says words; there is: %s", there);
    const char *why = why_no_alignment(document, wanted);
    return sac_fail(error, SAC_E_ARGUMENT, "--tab", NULL,
                    "\"%.60s\" is not available here%s%s; there is: %s", wanted, why ? ": " : "",
                    why ? why : "", there);
}

/* ---------------------------------------------------------------- lessons */

/* The first picture that can be read; what is damaged before it is told in a line. */
static void open_sight(app_document *document, sac_lessons_options *options)
{
    app_sample sight;
    for (int i = 0; !options->sight.rgba && app_lesson_sight(NULL, i, &sight); i++) {
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
                               const file_sort *sort, sac_error *error)
{
    (void)sort;
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
        open_sight(document, &options);
        status = sac_lessons_open(&options, document->lessons, error);
    }
    return status == SAC_OK ? app_open_views(document, error) : status;
}

/* ---------------------------------------------------------------- trainings */

static sac_status begin_training(app_document *document, const app_request *request,
                                 sac_error *error)
{
    if (document->training && !app_training_has_ended(document->training))
        return sac_fail(error, SAC_E_ARGUMENT, "training", "stop it first",
                        "another one is going on");
    app_training_release(document->training);
    document->training = NULL;
    return app_training_begin(request->wish, request->device, &document->training, error);
}

static sac_status open_trainings(app_document *document, const app_request *request,
                                 const file_sort *sort, sac_error *error)
{
    (void)sort;
    snprintf(document->file, sizeof document->file, "training");
    document->request.wish = NULL; /* which is lent until it begins */
    sac_status status = request->wish ? begin_training(document, request, error) : SAC_OK;
    if (status == SAC_OK)
        status = app_make_source(&document->trainer, "training", error);
    if (status == SAC_OK && document->training)
        status = app_make_source(&document->watched, "training", error);
    if (status != SAC_OK)
        return status;
    *document->trainer = app_trainer_source(document->training);
    if (document->training)
        *document->watched = app_training_source(document->training);
    return app_open_views(document, error);
}

/* ---------------------------------------------------------------- arrays */

/* What is asked of a pair of texts, or of special tokens, where there are such. */
static sac_status check_parts(const app_request *request, const sac_source *source,
                              sac_error *error)
{
    const char *queries = app_find_setting(request, "queries");
    uint8_t *chosen = queries ? malloc(source->weights.steps + 1) : NULL;
    sac_status status = !queries ? SAC_OK
                        : chosen ? sac_several_read(queries, source->weights.steps, chosen, error)
                                 : sac_no_memory(error, "--queries");
    free(chosen);
    if (status != SAC_OK)
        return status;
    const char *segments = app_find_setting(request, "segments"),
               *special = app_find_setting(request, "special tokens");
    if (segments && strcmp(segments, "all") != 0 && !source->weights.second)
        return sac_fail(error, SAC_E_ARGUMENT, "--segments", "give --text and --text-pair",
                        "needs a pair of texts, which %s has not", source->title);
    if (special && strcmp(special, "shown") != 0 && !source->weights.special)
        return sac_fail(error, SAC_E_ARGUMENT, "--special", "leave it out",
                        "needs special tokens, of which none is known in %s", source->title);
    return SAC_OK;
}

static sac_status check_scales(const app_request *request, const sac_source *source,
                               sac_error *error)
{
    const char *without = app_find_setting(request, "without");
    size_t layers = source->weights.layers, heads = source->weights.heads;
    if (!without || source->speaker.scale_heads) /* that one names its heads by their kinds */
        return SAC_OK;
    if (!source->weights.scale_heads)
        return sac_fail(error, SAC_E_ARGUMENT, "--without",
                        "give the folder of a model, and --tab heads where it gives captions",
                        "needs heads that are computed here, which %s has not", source->title);
    float *scale = malloc((layers * heads + 1) * sizeof *scale);
    sac_status status = scale ? sac_head_scales_read(without, layers, heads, scale, error)
                              : sac_no_memory(error, "--without");
    free(scale);
    return status;
}

sac_status app_check_map(const app_request *request, const sac_source *source, sac_error *error)
{
    const struct {
        const char *key, *option;
        size_t count;
    } axes[] = {{"layer", "--layer", source->weights.layers},
                {"head", "--head", source->weights.heads},
                {"batch", "--batch", source->weights.batch}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const char *value = app_find_setting(request, axes[i].key);
        size_t layer;
        bool there =
            !value || (i == 0 ? sac_source_find_layer(source, strtoull(value, NULL, 10), &layer)
                              : strtoull(value, NULL, 10) < axes[i].count);
        if (!there && i == 0 && source->weights.layer_numbers)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s does not exist; of the layers %zu to %zu there are %zu in %s",
                            value, sac_source_layer_number(source, 0),
                            sac_source_layer_number(source, source->weights.layers - 1),
                            source->weights.layers, source->title);
        if (!there)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s is out of range; %s goes from 0 to %zu in %s", value, axes[i].key,
                            axes[i].count - 1, source->title);
    }
    const char *asked = app_find_setting(request, "ask");
    sac_status status = check_scales(request, source, error);
    if (status == SAC_OK)
        status = check_parts(request, source, error);
    sac_ask ask;
    if (asked && status == SAC_OK)
        status = sac_ask_read(source, 0, asked, &ask, error);
    if (status != SAC_OK)
        return status;
    return source->weights.positions
               ? app_check_query(request, source->weights.positions, source->weights.steps, error)
               : SAC_OK;
}

/* Words on both sides let expect an Alignment tab. */
static void note_missing_alignment(sac_source *source)
{
    bool words =
        sac_source_step_labels(source, 0)->count && sac_source_position_labels(source, 0)->count;
    size_t most = source->weights.steps > source->weights.positions ? source->weights.steps
                                                                    : source->weights.positions;
    if (words && most > VIZ_ALIGNMENT_MOST)
        sac_source_add_note(source, "no Alignment tab: it has up to %d words a side, not %zu",
                            VIZ_ALIGNMENT_MOST, most);
}

/* Several maps are first seen side by side, or over their picture. */
static sac_status open_arrays(app_document *document, const app_request *request,
                              const file_sort *sort, sac_error *error)
{
    sac_weights_file_options options = app_weights_options(request, sort->arrays, sort->picture);
    bool differs = app_wants_difference(request);
    options.ask = options.ask && !sort->second;
    sac_status status = app_make_source(&document->weights, sort->arrays, error);
    if (status != SAC_OK)
        return status;
    sac_source *source = document->weights;
    if (differs && sort->picture)
        status = sac_fail(error, SAC_E_ARGUMENT, sort->picture, "leave it out",
                          "is a picture, which a difference is not shown over");
    else if (differs)
        status = app_open_difference(request, sort->arrays, sort->second, source, error);
    else
        status = sac_weights_file_open(&options, source, error);
    if (status == SAC_OK && !differs && sort->second)
        status = app_open_beside(request, sort->second, source, error);
    bool many = source->weights.layers * source->weights.heads > 1;
    if (status == SAC_OK && source->weights.tile)
        status = app_check_map(request, source, error);
    if (status == SAC_OK && source->weights.tile)
        note_missing_alignment(source);
    if (status == SAC_OK)
        status = app_open_views(document, error);
    viz_shell_show(&document->shell, many ? "heads" : "matrix");
    return status;
}

/* ---------------------------------------------------------------- sentences */

sac_sampling app_sampling(const app_request *request)
{
    const char *temperature = app_find_setting(request, "temperature");
    const char *beam = app_find_setting(request, "beam");
    sac_sampling how = {
        .count = request->continuation, .draw = request->draw, .beam = request->beam};
    if (temperature)
        how.draw.temperature = strtof(temperature, NULL);
    if (beam)
        how.beam = atoi(beam);
    return how;
}

sac_status app_apply_sampling(const app_request *request, sac_source *source, sac_error *error)
{
    int count = request->continuation;
    if (!count)
        return SAC_OK;
    if (app_sampling(request).beam > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--beam", "leave out one of the two",
                        "is given beside --continue, which %.60s does token by token",
                        source->title[0] ? source->title : "the model");
    source->generation.first.count = count < SAC_GENERATION_MOST ? count : SAC_GENERATION_MOST;
    source->generation.first.draw = app_sampling(request).draw;
    sac_sampling_text(&source->generation.first, source->origin.continued,
                      sizeof source->origin.continued);
    return SAC_OK;
}

static bool wants_translation(const app_request *request)
{
    return request->text || app_wants_tab(request, "translation");
}

sac_status app_open_translation(app_document *document, const app_request *request,
                                sac_error *error)
{
    app_weights models = {.paths = {request->weights}, .count = 1};
    sac_status status = request->weights ? SAC_OK : app_find_translators(&models, error);
    if (status != SAC_OK)
        return status;
    status = app_make_source(&document->translation, "translation", error);
    if (status != SAC_OK)
        return status;
    sac_model_open_options options = {.text = request->text,
                                      .weights = models.paths,
                                      .weight_count = models.count,
                                      .device = request->device};
    status = sac_model_open(&options, document->translation, error);
    if (status == SAC_OK && !document->translation->speaker.read)
        status = sac_fail(error, SAC_E_ARGUMENT, models.paths[0], "leave out --tab translation",
                          "is a vision model, not a translator");
    if (status == SAC_OK)
        status = app_check_models(request, document->translation, error);
    if (status == SAC_OK)
        status = app_apply_sampling(request, document->translation, error);
    snprintf(document->file, sizeof document->file, "translation");
    return status;
}

/* ---------------------------------------------------------------- layers and heads */

/* Of what the model generates, unless that is nothing. Free both. */
static sac_status find_attentions(sac_source *source, sac_caption *caption,
                                  sac_attentions *attentions, sac_error *error)
{
    sac_caption_request request = {.model = source->speaker.layered};
    *attentions = (sac_attentions){0};
    sac_status status = sac_source_generate(source, &request, caption, error);
    return status == SAC_OK && caption->count + caption->special_count > 0
               ? sac_source_attentions(source, source->speaker.layered, caption, attentions, error)
               : status;
}

static void name_weights(const sac_source *speaker, sac_source *weights)
{
    weights->origin = speaker->origin;
    memcpy(weights->picture.file_box, speaker->picture.file_box, sizeof weights->picture.file_box);
    memcpy(weights->speaker.text, speaker->speaker.text, sizeof weights->speaker.text);
    snprintf(weights->weights.opened.array, sizeof weights->weights.opened.array, "%s",
             weights->weights.opened.readings[weights->weights.opened.reading].take);
}

sac_status app_open_generated_weights(app_document *document, sac_source *speaker,
                                      const app_request *request, sac_error *error)
{
    sac_attentions attentions;
    sac_caption caption = {0};
    if (!speaker->speaker.attentions)
        return SAC_OK;
    sac_status status = find_attentions(speaker, &caption, &attentions, error);
    bool is_there = status == SAC_OK && attentions.kind[SAC_CROSS_ATTENTION].weights;
    if (is_there)
        status = app_make_source(&document->weights, "attention", error);
    if (status == SAC_OK && is_there)
        status = sac_model_weights_open(&attentions, request->array, document->weights, error);
    else
        sac_attentions_free(&attentions);
    if (status == SAC_OK && is_there) {
        name_weights(speaker, document->weights);
        sac_model_weights_let_scale(document->weights, speaker, &caption);
    }
    sac_caption_free(&caption);
    return status;
}

sac_status app_open_sentence_weights(app_document *document, const app_request *request,
                                     sac_error *error)
{
    sac_source *translation = document->translation;
    bool asked =
        !request->windowless || request->array ||
        (request->tab && !app_wants_tab(request, "translation") && !app_wants_tab(request, "next"));
    if (!translation->speaker.attentions || !asked)
        return SAC_OK;
    memcpy(document->sentence, translation->speaker.text, sizeof document->sentence);
    return app_open_generated_weights(document, translation, request, error);
}

static sac_status open_sentence(app_document *document, const app_request *request,
                                const file_sort *sort, sac_error *error)
{
    (void)sort;
    if (request->file_count && sac_is_folder(request->files[0]))
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0],
                        "give the folder of a model, or leave out one of the two",
                        "has no config.json, but a text is given");
    if (request->file_count)
        return sac_fail(error, SAC_E_ARGUMENT, request->files[0], "leave out one of the two",
                        "is given beside a sentence to translate");
    sac_status status = app_open_translation(document, request, error);
    if (status == SAC_OK)
        status = app_open_sentence_weights(document, request, error);
    if (status == SAC_OK)
        status = app_open_views(document, error);
    viz_shell_show(&document->shell, request->array ? "heads" : "translation");
    return status;
}

/* ---------------------------------------------------------------- what opens it */

static sac_status open_weights_file(app_document *document, const app_request *request,
                                    const file_sort *sort, sac_error *error)
{
    snprintf(document->file, sizeof document->file, "%s", sort->arrays);
    return open_arrays(document, request, sort, error);
}

static sac_status open_folder(app_document *document, const app_request *request,
                              const file_sort *sort, sac_error *error)
{
    return app_open_model(document, request, sort->models, error);
}

static sac_status open_pictures(app_document *document, const app_request *request,
                                const file_sort *sort, sac_error *error)
{
    (void)sort;
    return app_open_pictures(document, request, error);
}

static bool is_lesson(const app_request *request, const file_sort *sort)
{
    (void)sort;
    return request->lesson && !request->file_count;
}

static bool is_training(const app_request *request, const file_sort *sort)
{
    (void)sort;
    return request->trains && !request->file_count;
}

static bool is_folder(const app_request *request, const file_sort *sort)
{
    (void)request;
    return sort->models > 0;
}

static bool is_arrays(const app_request *request, const file_sort *sort)
{
    (void)request;
    return sort->arrays != NULL;
}

static bool is_sentence(const app_request *request, const file_sort *sort)
{
    (void)sort;
    return wants_translation(request);
}

static bool is_pictures(const app_request *request, const file_sort *sort)
{
    (void)request;
    (void)sort;
    return true; /* or a scene, where there are no files */
}

/* What a request can be of, what opens it, and the sources of the document that it fills. The first
 * that it is of opens it. */
static const struct {
    bool (*is)(const app_request *request, const file_sort *sort);
    sac_status (*open)(app_document *document, const app_request *request, const file_sort *sort,
                       sac_error *error);
    bool takes_boxes, differs;
} kinds[] = {
    {is_lesson, open_lessons, false},            /* lessons */
    {is_training, open_trainings, false},        /* trainer, watched */
    {is_folder, open_folder, true},              /* caption, translation, weights */
    {is_arrays, open_weights_file, false, true}, /* weights */
    {is_sentence, open_sentence, false},         /* translation, weights */
    {is_pictures, open_pictures, false},         /* picture, caption, translation */
};

static sac_status open_files(app_document *document, const app_request *request,
                             const file_sort *sort, sac_error *error)
{
    size_t kind = 0;
    while (!kinds[kind].is(request, sort))
        kind++;
    if (request->boxes && !kinds[kind].takes_boxes)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give a folder with config.json as well",
                        "needs a pretrained model and a picture");
    if (app_wants_difference(request) && !kinds[kind].differs)
        return sac_fail(error, SAC_E_ARGUMENT,
                        request->with      ? "--with"
                        : request->between ? "--between"
                                           : "--difference",
                        "give files of weights, or of queries and keys",
                        "needs weights that can be compared");
    return kinds[kind].open(document, request, sort, error);
}

/* ---------------------------------------------------------------- pictures that Saccade wrote */

/* Settings of a saved picture that are read before its file is opened. */
enum {
    VIEW,
    ARRAY,
    AXES,
    GRID,
    PREFIX,
    SCORE,
    MASK,
    HEAD_COUNT,
    KEY_HEADS,
    CELLS,
    SOFTMAX,
    WITH_NAN,
    PADDING,
    DATASET,
    WITHOUT,
    STORAGE,
    LANGUAGE,
    TASK,
    IGNORED,
    CONTINUED,
    BANDWIDTH,
    INVERSE_WIDTH,
    SOFTCAP,
    FIT,
    RECALLED
};
static const char *const recalled_keys[RECALLED] = {
    "view",         "array",     "axes",      "grid",          "prefix",          "score",
    "mask",         "heads",     "key heads", "cells",         "softmax",         "nan",
    "padding",      "dataset",   "without",   "storage",       "spoken language", "task",
    "ignored keys", "continued", "bandwidth", "inverse width", "softcap",         "picture fit"};

/* Keys of a GGUF that were passed over, parted by commas. */
static void recall_ignored(const char *text)
{
    char key[128];
    for (size_t size; text && *text; text += size + (text[size] == ',')) {
        size = strcspn(text, ",");
        if (size < sizeof key && snprintf(key, sizeof key, "%.*s", (int)size, text) > 0)
            sac_gguf_ignore(key, NULL);
    }
}

/* A whole number from 1 to `most`; else 0, which says nothing. */
static int whole_number(const char *text, int most)
{
    char *end;
    long number = text ? strtol(text, &end, 10) : 0;
    return text && end != text && !*end && number >= 1 && number <= most ? (int)number : 0;
}

/* "14x14" */
static void recall_grid(const char *text, app_request *request)
{
    enum { MOST = 4096 };
    int w = 0, h = 0, used = 0;
    if (text && sscanf(text, "%dx%d%n", &w, &h, &used) == 2 && !text[used] && w > 0 && h > 0 &&
        w <= MOST && h <= MOST) {
        request->grid_w = w;
        request->grid_h = h;
    }
}

static void recall_setting(app_request *request, const char *key, const char *value)
{
    if (value && value[0] && !app_find_setting(request, key) &&
        request->setting_count < APP_MAX_VIEW_OPTIONS)
        request->settings[request->setting_count++] = (app_view_option){key, value};
}

/* How a text was continued. */
static void recall_continuation(const char *text, app_request *request)
{
    sac_sampling how;
    if (!text || request->continuation || !sac_sampling_read(text, &how))
        return;
    request->continuation = how.count;
    request->draw = how.draw;
    request->beam = how.beam;
}

/* Of the score, where nobody gave another. */
static void recall_number(const char *text, float *number)
{
    float read;
    if (text && *number == 0 && viz_read_real(text, &read) && read > 0)
        *number = read;
}

/* Takes from the saved picture what the person did not give; the request lends the texts. */
static void recall(app_request *request, file_sort *sort, const char *const text[RECALLED],
                   const app_saved *saved)
{
    if (!request->array)
        request->array = text[ARRAY];
    if (!request->axes)
        request->axes = text[AXES];
    if (!request->labels)
        request->labels = saved->paths[APP_LABELS];
    if (sort->arrays && !sort->picture)
        sort->picture = saved->paths[APP_IMAGE];
    if (!request->grid_w)
        recall_grid(text[GRID], request);
    if (!request->prefix)
        request->prefix = whole_number(text[PREFIX], INT_MAX);
    if (text[SCORE])
        sac_score_from_name(text[SCORE], &request->spec.score);
    if (text[MASK] && strstr(text[MASK], "causal") && !request->spec.causal) {
        request->spec.causal = true;
        request->spec.alignment =
            strstr(text[MASK], "bottom-right") ? SAC_ALIGN_BOTTOM_RIGHT : SAC_ALIGN_TOP_LEFT;
    }
    request->softmax |= text[SOFTMAX] != NULL;
    request->as_trained |= text[FIT] != NULL;
    request->allow_nan |= text[WITH_NAN] != NULL;
    request->padding |= text[PADDING] != NULL;
    const char *window = text[MASK] ? strstr(text[MASK], "window ") : NULL;
    if (window && !request->spec.window)
        request->spec.window = strtoul(window + strlen("window "), NULL, 10);
    if (!request->spec.key_heads)
        request->spec.key_heads = whole_number(text[KEY_HEADS], INT_MAX);
    if (!request->spec.heads)
        request->spec.heads = whole_number(text[HEAD_COUNT], INT_MAX);
    recall_number(text[BANDWIDTH], &request->spec.bandwidth);
    float inverse = 0; /* of pictures that have 1/bandwidth in its place */
    recall_number(text[INVERSE_WIDTH], &inverse);
    if (inverse > 0)
        request->spec.bandwidth = 1 / inverse;
    recall_number(text[SOFTCAP], &request->spec.softcap);
    recall_continuation(text[CONTINUED], request);
    if (text[STORAGE])
        sac_model_storage_find(text[STORAGE], &request->spec.storage);
    if (!request->language)
        request->language = text[LANGUAGE];
    if (!request->task)
        request->task = text[TASK];
    recall_ignored(text[IGNORED]);
    recall_setting(request, "cells", text[CELLS]);
}

/* Heads of a view of heads are its own setting; those that a text is generated without are switched off
 * before. */
static void recall_without(app_request *request, const char *view, const char *without)
{
    bool generates = view && (strcmp(view, "caption") == 0 || strcmp(view, "next") == 0 ||
                              strcmp(view, "translation") == 0);
    if (generates || request->continuation)
        recall_setting(request, "without", without);
}

/* The request as it was opened, with what is asked of heads, which views have as settings of their own. */
static void keep_opened(app_document *document, const app_request *request,
                        const sac_png_texts *texts)
{
    static const struct {
        const char *key, *usual;
    } asked[] = {{"without", ""},
                 {"ask", ""},
                 {"segments", "all"},
                 {"special tokens", "shown"},
                 {"reduce", "none"}};
    app_request *opened = &document->opened;
    *opened = *request;
    opened->model = NULL;
    opened->lesson = NULL;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *value = sac_png_texts_get(texts, asked[i].key);
        if (value && strcmp(value, asked[i].usual) != 0)
            recall_setting(opened, asked[i].key, value);
    }
    const char *sort = sac_png_texts_get(texts, "sort"),
               *pattern = sac_png_texts_get(texts, "heads that");
    sac_ask ask;
    if (sort && strcmp(sort, "asked") == 0 && document->weights && pattern &&
        sac_ask_read(document->weights, 0, pattern, &ask, NULL) == SAC_OK && ask.of_kind)
        recall_setting(opened, "ask", pattern);
}

/* Of whose captions a picture was saved. Before there was one of photographs, those of files were of
 * flat shapes, and nothing told so. */
static const char *recall_dataset(const char *text)
{
    if (!text)
        return sac_dataset_find("shapes")->name;
    return sac_dataset_find(text) || strcmp(text, APP_PHOTOGRAPHS) == 0 ? text : NULL;
}

static bool is_tab_of_pictures(const char *name)
{
    return strcasecmp(name, "caption") == 0 || strcasecmp(name, "picture") == 0 ||
           strcasecmp(name, "next") == 0;
}

/* What the model of the first folder saw, and what was beside it: another model of the same
 * picture, or another picture. Returns how many files there are then. */
static int recall_seen(const char *files[4], file_sort *sort, const app_saved *saved)
{
    const char *second = saved->paths[APP_SECOND_FILE];
    bool same_model = second && strcmp(second, files[0]) == 0;
    if (second && !same_model)
        files[sort->models++] = second;
    int count = sort->models;
    files[count++] = saved->paths[APP_IMAGE];
    if (same_model && saved->paths[APP_SECOND_IMAGE])
        files[count++] = saved->paths[APP_SECOND_IMAGE];
    return count;
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
static sac_status open_saved(app_document *document, const app_request *asked, app_saved *saved,
                             sac_error *error)
{
    file_sort sort = {0};
    app_request request = *asked;
    const char *text[RECALLED];
    for (int i = 0; i < RECALLED; i++)
        text[i] = sac_png_texts_get(&saved->texts, recalled_keys[i]);
    const char **files = saved->files;
    files[0] = saved->paths[APP_FILE];
    sac_lessons_options lesson = {.from = files[0]};
    if (asked->lesson) {
        lesson = *asked->lesson;
        lesson.from = files[0];
    }
    request.files = files;
    request.file_count = files[0] && !saved->is_lesson ? 1 : 0;
    request.lesson = saved->is_lesson ? &lesson : NULL;
    request.scene = saved->scene;
    request.scene_given = saved->is_scene;
    if (saved->is_scene)
        request.dataset = saved->dataset;
    else if (text[VIEW] && strcmp(text[VIEW], "caption") == 0 && !asked->dataset)
        request.dataset = recall_dataset(text[DATASET]);
    request.text = asked->text ? asked->text : saved->text;
    request.picture = asked->picture > 0 ? asked->picture : saved->picture;
    bool is_model = files[0] && !saved->is_lesson && sac_is_pretrained(files[0]);
    if (!request.tab && text[VIEW] && (saved->text || is_model || is_tab_of_pictures(text[VIEW])))
        request.tab = text[VIEW];
    sac_status status = sort_files(request.files, request.file_count, &sort, error);
    if (status == SAC_OK) {
        recall(&request, &sort, text, saved);
        recall_without(&request, text[VIEW], text[WITHOUT]);
        if (sort.models && saved->paths[APP_IMAGE])
            request.file_count = recall_seen(files, &sort, saved);
        else if (!sort.models && sort.picture && saved->paths[APP_SECOND_FILE]) {
            files[request.file_count++] = saved->paths[APP_SECOND_FILE];
            request.tab = "pair"; /* of the captioners that come with the program */
        }
        set_spec(&request);
        status = open_files(document, &request, &sort, error);
    }
    if (status == SAC_OK)
        status = check_lesson(document, saved, error);
    if (status == SAC_OK) {
        keep_opened(document, &request, &saved->texts);
        app_saved_restore(&document->shell, &saved->texts);
    }
    return status;
}

/* True where the saved picture's own settings are the reason of the failure, and neither the
 * request nor this machine is. */
static bool is_picture_wrong(sac_status status, const app_request *asked)
{
    bool plain = !asked->setting_count && !asked->array && !asked->axes && !asked->labels &&
                 !asked->tab && !asked->grid_w && !asked->prefix && !asked->spec.heads;
    return status == SAC_E_FILE || status == SAC_E_FORMAT || status == SAC_E_SHAPE ||
           status == SAC_E_VALUE || status == SAC_E_MEMORY || (status == SAC_E_ARGUMENT && plain);
}

/* ---------------------------------------------------------------- the door */

/* Keeps what was asked for, with names of files that outlive the asking. */
static sac_status remember_request(app_document *document, const app_request *asked,
                                   sac_error *error)
{
    document->request = *asked;
    document->paths = calloc((size_t)asked->file_count + 1, sizeof *document->paths);
    document->request.files = (const char *const *)document->paths;
    for (int i = 0; document->paths && i < asked->file_count; i++)
        if (!(document->paths[i] = strdup(asked->files[i])))
            return sac_no_memory(error, asked->files[i]);
    return document->paths ? SAC_OK : sac_no_memory(error, "files");
}

/* Opens what the saved picture shows, or where that cannot be opened the picture itself. */
static sac_status open_saved_or_itself(app_document *document, const app_request *request,
                                       const file_sort *sort, app_saved *saved, sac_error *error)
{
    sac_error wrong = {0};
    sac_status status = open_saved(document, request, saved, &wrong);
    if (!is_picture_wrong(status, request)) {
        if (error && status != SAC_OK)
            *error = wrong;
        return status;
    }
    app_document_close_views(document);
    size_t used = strlen(saved->note);
    snprintf(saved->note + used, sizeof saved->note - used,
             ", which cannot be opened (%.120s): this is the picture itself", wrong.what);
    return open_files(document, request, sort, error);
}

/* In a window a person is asked first where the picture names files that it does not open by
 * itself, and sees the picture as it is saved meanwhile. */
static sac_status open_png(app_document *document, const app_request *request,
                           const file_sort *sort, sac_error *error)
{
    app_saved *saved;
    app_saved_free(document->saved);
    bool found = app_saved_find(sort->picture, request->follow, &document->saved);
    if (!(saved = document->saved))
        return sac_no_memory(error, sort->picture);
    bool waits = saved->asks[0] && !request->windowless && !request->answered;
    sac_status status = found && !waits
                            ? open_saved_or_itself(document, request, sort, saved, error)
                            : open_files(document, request, sort, error);
    size_t used = strlen(saved->note);
    if (waits)
        snprintf(document->question, sizeof document->question,
                 "This picture refers to files that are not opened automatically: %s. Open them "
                 "only if you trust the author of the picture: their content is shown, and stored "
                 "in what you save.",
                 saved->asks);
    else if (saved->asks[0])
        snprintf(saved->note + used, sizeof saved->note - used,
                 "; --follow opens every file it refers to");
    if (!waits)
        snprintf(document->note, sizeof document->note, "%s", saved->note);
    return status;
}

static sac_status open_asked(app_document *document, app_request *request, sac_error *error)
{
    file_sort sort;
    sac_status status = sort_files(request->files, request->file_count, &sort, error);
    if (sort.labels && request->labels && status == SAC_OK)
        return sac_fail(error, SAC_E_ARGUMENT, sort.labels, "give one file of labels",
                        "is given beside --labels %s", request->labels);
    request->labels = sort.labels ? sort.labels : request->labels;
    bool one = sort.pictures == 1 && !sort.folder && !sort.arrays && !sort.models;
    if (status != SAC_OK)
        return status;
    return one ? open_png(document, request, &sort, error)
               : open_files(document, request, &sort, error);
}

sac_status app_open(app_document *document, const app_request *asked, sac_error *error)
{
    sac_status status = remember_request(document, asked, error);
    app_request request = document->request;
    document->request.model = NULL; /* which is there while this is opened */
    document->opened = document->request;
    set_spec(&request);
    if (status == SAC_OK)
        status = open_asked(document, &request, error);
    if (status == SAC_OK)
        apply_settings(&document->shell, request.settings, request.setting_count);
    return status == SAC_OK ? choose_tab(document, error) : status;
}
