/* What can be trained, out of the table of models, and a training on its thread. */
#include "app/trainer.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/text/printable.h"
#include "device/device.h"
#include "images/folder.h"
#include "models/checkpoint.h"
#include "pictures/pictures.h"
#include "table/models.h"
#include "view/words.h"

struct app_training {
    atomic_int holders;
    sac_training_wish wish;
    char resumed[SAC_TRAINING_PATH]; /* the file in the folder that it goes on from */
    sac_training_options options;
    char device_name[160];
    sac_device *device;
    sac_model *model;
    sac_monitor *monitor;
    pthread_t thread;
    bool begun;
    bool of_command;  /* what it is made of, and its thread, are lent */
    bool has_options; /* of a command, which no wish has */
    atomic_bool rests, stops, saves;
    pthread_mutex_t lock; /* over … */
    sac_training_progress progress;
};

/* ---------------------------------------------------------------- what can be trained */

/* What an offer is of: a model, and the choice of its option "dataset"; −1: it has none. */
typedef struct trained {
    const sac_model_class *class;
    int dataset;
    sac_training_own own;
} trained;

static sac_training_offer offers[SAC_TRAINING_OFFERS];
static trained offered[SAC_TRAINING_OFFERS];
static int offer_count;

static void add_offer(const sac_model_class *class, int dataset, sac_training_own own,
                      const char *of, const char *from)
{
    if (offer_count == SAC_TRAINING_OFFERS)
        return;
    sac_training_offer *offer = &offers[offer_count];
    *offer = (sac_training_offer){.from = from, .steps = class->training.steps, .own = own};
    snprintf(offer->name, sizeof offer->name, "%s%s%s", class->name, of ? ": " : "", of ? of : "");
    offered[offer_count++] = (trained){class, dataset, own};
}

/* Each model, each of its datasets, and a person's own pictures or pairs where it learns from them. */
static void list_offers(void)
{
    static const char made[] = "from pictures and sentences that are made as it learns";
    for (int m = 0; sac_models[m]; m++) {
        const sac_model_class *class = sac_models[m];
        const bool reads_text = sac_model_option_find(class, "text") >= 0;
        int dataset = sac_model_option_find(class, "dataset");
        const char *const *names = dataset >= 0 ? class->options[dataset].choices : NULL;
        for (int i = 0; names && names[i]; i++)
            add_offer(class, i, SAC_OWN_NOTHING, names[i], made);
        if (!names)
            add_offer(class, -1, SAC_OWN_NOTHING, NULL,
                      reads_text ? "from sentences that are made"
                                 : "from pairs of sentences that are made as it learns");
        if (reads_text)
            add_offer(class, -1, SAC_OWN_TEXT, "own text",
                      "from any text: a book, notes, source code");
        if (sac_model_option_find(class, "pictures") >= 0)
            add_offer(class, -1, SAC_OWN_PICTURES, "own pictures",
                      "from a folder of pictures and their captions");
        if (sac_model_option_find(class, "pairs") >= 0)
            add_offer(class, -1, SAC_OWN_PAIRS, "own pairs",
                      "from sentences and their translations, in any two languages");
    }
}

static pthread_once_t listed = PTHREAD_ONCE_INIT;

static sac_model_values wish_model_values(const sac_training_wish *wish)
{
    const trained *t = &offered[wish->offer];
    sac_model_values values = sac_model_defaults(t->class);
    int dataset = sac_model_option_find(t->class, "dataset"),
        pictures = sac_model_option_find(t->class, "pictures"),
        captions = sac_model_option_find(t->class, "captions"),
        encoder = sac_model_option_find(t->class, "encoder");
    if (t->dataset >= 0) {
        values.value[dataset] = (float)t->dataset;
        values.given[dataset] = !wish->from[0]; /* weights know theirs */
    }
    if (t->own == SAC_OWN_TEXT) {
        int text = sac_model_option_find(t->class, "text");
        values.text[0][text] = wish->own[0];
        values.given[text] = true;
    }
    if (t->own == SAC_OWN_PAIRS) {
        int pairs = sac_model_option_find(t->class, "pairs");
        values.text[0][pairs] = wish->own[0];
        values.text[1][pairs] = wish->own[1][0] ? wish->own[1] : NULL;
        values.given[pairs] = true;
    }
    if (t->own == SAC_OWN_PICTURES) {
        values.text[0][pictures] = wish->own[0];
        values.text[0][captions] = wish->own[1][0] ? wish->own[1] : NULL;
        values.text[0][encoder] = wish->from[0] ? NULL : "cnn";
        values.given[pictures] = true;
        values.given[encoder] = !wish->from[0];
        values.given[captions] = wish->own[1][0];
    }
    return values;
}

static char *write_train_command(void *self, const sac_training_wish *wish, char *text, size_t size)
{
    (void)self;
    const trained *t = &offered[wish->offer];
    int dataset = sac_model_option_find(t->class, "dataset");
    char steps[32];
    snprintf(steps, sizeof steps, "%zu", wish->steps);
    sac_command_line line = sac_command_begin(text, size, "saccade train");
    sac_command_add(&line, t->class->name);
    if (t->dataset >= 0)
        sac_command_add_option(&line, "--dataset", t->class->options[dataset].choices[t->dataset]);
    if (t->own == SAC_OWN_TEXT)
        sac_command_add_option(&line, "--text", wish->own[0][0] ? wish->own[0] : "FILE");
    if (t->own == SAC_OWN_PAIRS)
        sac_command_add_option(&line, "--pairs", wish->own[0][0] ? wish->own[0] : "FILE");
    if (t->own == SAC_OWN_PAIRS && wish->own[1][0])
        sac_command_add_option(&line, "--pairs", wish->own[1]);
    if (t->own == SAC_OWN_PICTURES) {
        sac_command_add_option(&line, "--pictures", wish->own[0][0] ? wish->own[0] : "FOLDER");
        if (wish->own[1][0])
            sac_command_add_option(&line, "--captions", wish->own[1]);
        sac_command_add_option(&line, "--encoder", "cnn");
    }
    sac_command_add_option(&line, "--steps", steps);
    sac_command_add_option(&line, "--out", wish->out);
    sac_command_add(&line, "--view");
    return text;
}

/* ---------------------------------------------------------------- its file */

/* Looks for a file of captions in the folder of pictures, if none was chosen. */
static void find_captions(void *self, sac_training_wish *wish)
{
    (void)self;
    if (offered[wish->offer].own != SAC_OWN_PICTURES || wish->own[1][0])
        return;
    char *captions = sac_captions_find(wish->own[0]);
    if (captions)
        snprintf(wish->own[1], sizeof wish->own[1], "%.1023s", captions);
    free(captions);
}

static bool is_output_taken(const char *out)
{
    char checkpoint[SAC_TRAINING_PATH + 16];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", out);
    return access(out, F_OK) == 0 || access(checkpoint, F_OK) == 0;
}

/* STEM.safetensors, or STEM-2.safetensors …, where no file is yet; of a class whose weights are a folder without the
 * ending. */
static void propose_beside(const char *stem, const sac_model_class *class,
                           char out[SAC_TRAINING_PATH])
{
    int number = 1;
    do {
        char end[16] = "";
        if (number > 1)
            snprintf(end, sizeof end, "-%d", number);
        snprintf(out, SAC_TRAINING_PATH, "%.980s%s%s", stem, end,
                 class->save_beside ? "" : ".safetensors");
        number++;
    } while (is_output_taken(out));
}

static void propose(void *self, const sac_training_wish *wish, char out[SAC_TRAINING_PATH])
{
    (void)self;
    char *folder = getcwd(NULL, 0), stem[SAC_TRAINING_PATH];
    snprintf(stem, sizeof stem, "%.900s/%s", folder && strcmp(folder, "/") != 0 ? folder : "",
             offered[wish->offer].class->name);
    propose_beside(stem, offered[wish->offer].class, out);
    free(folder);
}

/* From the weights of a training that has ended, into a file beside them; or from its checkpoint, which knows how
 * far it is, into the same. */
void app_training_wish_for_more(const app_training *t, sac_training_wish *more)
{
    char checkpoint[SAC_TRAINING_PATH + 16], stem[SAC_TRAINING_PATH];
    *more = t->wish;
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", t->wish.out);
    if (access(checkpoint, R_OK) == 0) {
        snprintf(more->from, sizeof more->from, "%.1023s", checkpoint);
        return;
    }
    snprintf(more->from, sizeof more->from, "%s", t->wish.out);
    snprintf(stem, sizeof stem, "%s", t->wish.out);
    char *end = strstr(stem, ".safetensors");
    if (end && !end[strlen(".safetensors")])
        *end = '\0';
    propose_beside(stem, offered[t->wish.offer].class, more->out);
}

const sac_training_wish *app_training_wish_made(const app_training *t)
{
    return &t->wish;
}

static bool check(void *self, const sac_training_wish *wish, bool *exists, char *problem,
                  size_t size)
{
    (void)self;
    const char *slash = strrchr(wish->out, '/');
    char folder[SAC_TRAINING_PATH];
    snprintf(folder, sizeof folder, "%.*s",
             slash ? (slash > wish->out ? (int)(slash - wish->out) : 1) : 1,
             slash ? wish->out : ".");
    *exists = false;
    const sac_training_own own = offered[wish->offer].own;
    if (own == SAC_OWN_PICTURES && !sac_is_folder(wish->own[0]))
        snprintf(problem, size, "choose the folder of pictures first");
    else if (own == SAC_OWN_PICTURES && wish->own[1][0] && !sac_is_folder(wish->own[1]) &&
             sac_file_kind_of(wish->own[1]) == SAC_FILE_PICTURE)
        snprintf(problem, size, "choose the file of captions: that one is a picture");
    else if (own == SAC_OWN_TEXT && access(wish->own[0], R_OK) != 0)
        snprintf(problem, size, "choose the file of text first");
    else if (own == SAC_OWN_PAIRS && (!wish->own[0][0] || sac_is_folder(wish->own[0])))
        snprintf(problem, size, "choose the file of sentence pairs first");
    else if (!wish->out[0] || !(slash ? slash[1] : wish->out[0]) ||
             (sac_is_folder(wish->out) && !offered[wish->offer].class->save_beside))
        snprintf(problem, size, "type the name of the file for the weights");
    else if (!sac_is_folder(folder))
        snprintf(problem, size, "%s: there is no such folder", folder);
    else if (is_output_taken(wish->out)) {
        *exists = true;
        snprintf(problem, size,
                 "%s, or its checkpoint, is there already: Start once more replaces it",
                 slash ? slash + 1 : wish->out);
    } else
        return true;
    return false;
}

/* ---------------------------------------------------------------- the thread */

static void set_progress_message(app_training *t, const char *text)
{
    pthread_mutex_lock(&t->lock);
    snprintf(t->progress.message, sizeof t->progress.message, "%.1199s", text);
    pthread_mutex_unlock(&t->lock);
}

/* On the thread that opens it, and on its own. */
static void keep_note(void *self, const char *text)
{
    app_training *t = self;
    pthread_mutex_lock(&t->lock);
    char *notes = t->progress.notes;
    const size_t used = strlen(notes), room = sizeof t->progress.notes - used;
    if (!strstr(notes, text) && strlen(text) + 2 <= room)
        snprintf(notes + used, room, "%s%s", used ? "\n" : "", text);
    pthread_mutex_unlock(&t->lock);
}

/* The weights as they are now; where the model is judged, its file has the best so far already. */
static sac_status save(app_training *t, sac_model *model, const sac_training_report *r)
{
    char text[SAC_TRAINING_PATH + 64];
    sac_error error = {0};
    sac_status status = SAC_OK;
    if (isnan(r->best))
        status = sac_checkpoint_save(model, t->wish.out, r->step, t->options.seed, NULL, &error);
    snprintf(text, sizeof text, viz_word("saved %s at step %zu"), t->wish.out, r->step);
    set_progress_message(t, status == SAC_OK ? text : sac_error_line(&error, text, sizeof text));
    return status;
}

bool app_training_step(app_training *t, sac_model *model, const sac_training_report *r)
{
    pthread_mutex_lock(&t->lock);
    t->progress.step = r->step;
    t->progress.steps = r->steps;
    t->progress.loss = r->loss;
    t->progress.seconds_left = r->seconds_left;
    pthread_mutex_unlock(&t->lock);
    const struct timespec moment = {.tv_nsec = 30000000};
    bool first = true;
    while (first || (atomic_load(&t->rests) && !atomic_load(&t->stops))) {
        if (atomic_exchange(&t->saves, false))
            save(t, model, r);
        if (atomic_load(&t->rests))
            nanosleep(&moment, NULL);
        first = false;
    }
    if (!atomic_load(&t->stops))
        return true;
    save(t, model, r);
    return false;
}

static bool report(void *user, sac_model *model, const sac_training_report *r)
{
    app_training *t = user;
    sac_error error = {0};
    char line[1200];
    if (sac_monitor_step(t->monitor, model, r, &error) == SAC_OK)
        return app_training_step(t, model, r);
    set_progress_message(t, sac_error_line(&error, line, sizeof line));
    return false;
}

void app_training_end(app_training *t, sac_status status, const sac_error *why)
{
    char line[2 * SAC_TRAINING_PATH + 128];
    const double figure = t->options.outcome ? t->options.outcome->figure : NAN;
    if (status == SAC_OK && !isnan(figure))
        snprintf(line, sizeof line,
                 t->model->class->figure_is_loss
                     ? viz_word("done: the weights are in %s; %s %.3f")
                     : viz_word("done: the weights are in %s; %s %.1f of what is held out"),
                 t->wish.out, viz_word(t->model->class->figure),
                 (t->model->class->figure_is_loss ? 1 : 100) * figure);
    else if (status == SAC_OK)
        snprintf(line, sizeof line, viz_word("done: the weights are in %s"), t->wish.out);
    else if (status == SAC_E_CANCELLED && atomic_load(&t->stops))
        snprintf(line, sizeof line,
                 viz_word("stopped: the weights are in %s, and its checkpoint beside them"),
                 t->wish.out);
    else
        sac_error_line(why, line, sizeof line);
    set_progress_message(t, line);
    pthread_mutex_lock(&t->lock);
    t->progress.state = SAC_TRAINING_ENDED;
    const bool writes = t->model->class->save_beside;
    if (access(t->wish.out, R_OK) == 0) {
        t->progress.use[0] = t->model->class->read ? N_("Translate with it")
                             : writes              ? N_("Continue a text with it")
                                                   : N_("Caption with it");
        t->progress.use[1] = writes ? N_("See its heads") : NULL;
    }
    pthread_mutex_unlock(&t->lock);
}

static void *run(void *self)
{
    app_training *t = self;
    sac_error error = {0};
    sac_training_outcome outcome = {.figure = NAN};
    t->options.outcome = &outcome;
    sac_notice_listen_here(keep_note, t);
    sac_status status = sac_train(t->model, &t->options, report, t, &error);
    sac_notice_listen_here(NULL, NULL);
    sac_monitor_end(t->monitor);
    app_training_end(t, status, &error);
    t->options.outcome = NULL;
    return NULL;
}

/* ---------------------------------------------------------------- from beginning to end */

/* `before`: the training that it continues, whose options it has; NULL: it is none that has any. */
static sac_status prepare(app_training *t, const app_training *before, const char *device,
                          sac_error *error)
{
    const sac_model_class *class = offered[t->wish.offer].class;
    const char *from = sac_checkpoint_file(t->wish.from, t->resumed);
    t->has_options = before;
    t->options =
        before ? before->options : (sac_training_options){.values = wish_model_values(&t->wish)};
    t->options.steps = t->wish.steps;
    t->options.out = t->wish.out;
    t->options.resume = t->wish.from[0] ? from : NULL;
    t->options.average_count = 0;
    sac_status status = sac_device_open(device, &t->device, error);
    if (status != SAC_OK)
        return status;
    sac_device_short_name(sac_device_get_info(t->device), t->device_name, sizeof t->device_name);
    status = sac_training_create(class, t->device, &t->options, &t->model, error);
    if (status == SAC_OK)
        status = sac_training_prepare(t->model, &t->options, error);
    if (status == SAC_OK)
        status =
            sac_monitor_create(t->model, t->device_name, t->options.resume, &t->monitor, error);
    return status;
}

static app_training *create(const sac_training_wish *wish, sac_error *error)
{
    app_training *t = calloc(1, sizeof *t);
    if (!t) {
        sac_no_memory(error, "training");
        return NULL;
    }
    atomic_store(&t->holders, 1);
    pthread_mutex_init(&t->lock, NULL);
    t->wish = *wish;
    t->progress = (sac_training_progress){.state = SAC_TRAINING_RUNS, .steps = wish->steps};
    memcpy(t->progress.out, wish->out, sizeof t->progress.out);
    memcpy(t->progress.name, offers[wish->offer].name, sizeof t->progress.name);
    return t;
}

static bool continues(const sac_training_wish *wish, const app_training *before)
{
    const char *out = before->wish.out;
    return wish->from[0] && wish->offer == before->wish.offer &&
           strncmp(wish->from, out, strlen(out)) == 0;
}

sac_status app_training_begin(const sac_training_wish *wish, const char *device,
                              app_training **training, sac_error *error)
{
    app_training *before = *training;
    pthread_once(&listed, list_offers);
    app_training *t = *training = create(wish, error);
    if (!t || !before || !before->has_options || !continues(wish, before)) {
        app_training_release(before);
        before = NULL;
    }
    if (!t)
        return error->status;
    sac_notice_listen_here(keep_note, t);
    sac_status status = prepare(t, before, device, error);
    sac_notice_listen_here(NULL, NULL);
    app_training_release(before);
    int code = status == SAC_OK ? pthread_create(&t->thread, NULL, run, t) : 0;
    t->begun = status == SAC_OK && code == 0;
    if (code != 0)
        status = sac_fail(error, SAC_E_MEMORY, "training", NULL, "cannot start a thread: %s",
                          strerror(code));
    if (status != SAC_OK) {
        app_training_release(t);
        *training = NULL;
    }
    return status;
}

/* The text of an option of a set of data; empty: the class has none of that name, or it was not given. */
static const char *option_text(const sac_model_class *class, const sac_model_values *values,
                               int set, const char *name)
{
    const int option = sac_model_option_find(class, name);
    return option >= 0 && values->text[set][option] ? values->text[set][option] : "";
}

/* What a person would have chosen in the window: the offer, and the files that it learns from. */
static sac_training_wish wish_of_options(const sac_model_class *class,
                                         const sac_training_options *options)
{
    static const struct {
        sac_training_own own;
        const char *name[SAC_OWN_PATHS];
        int set[SAC_OWN_PATHS];
    } owns[] = {{SAC_OWN_TEXT, {"text", ""}, {0, 0}},
                {SAC_OWN_PAIRS, {"pairs", "pairs"}, {0, 1}},
                {SAC_OWN_PICTURES, {"pictures", "captions"}, {0, 0}}};
    const sac_model_values *values = &options->values;
    const int dataset = sac_model_option_find(class, "dataset");
    sac_training_wish wish = {.steps = options->steps};
    sac_training_own own = SAC_OWN_NOTHING;
    snprintf(wish.out, sizeof wish.out, "%s", options->out);
    for (size_t i = 0; i < sizeof owns / sizeof *owns && own == SAC_OWN_NOTHING; i++) {
        for (int k = 0; k < SAC_OWN_PATHS; k++)
            snprintf(wish.own[k], sizeof wish.own[k], "%s",
                     option_text(class, values, owns[i].set[k], owns[i].name[k]));
        own = wish.own[0][0] ? owns[i].own : own;
    }
    for (int i = offer_count - 1; i >= 0; i--)
        if (offered[i].class == class && offered[i].own == own &&
            (offered[i].dataset < 0 || offered[i].dataset == (int)values->value[dataset]))
            wish.offer = i;
    return wish;
}

sac_status app_training_of_command(sac_model *model, const sac_training_options *options,
                                   sac_monitor *monitor, app_training **training, sac_error *error)
{
    pthread_once(&listed, list_offers);
    const sac_training_wish wish = wish_of_options(model->class, options);
    app_training *t = *training = create(&wish, error);
    if (!t)
        return error->status;
    t->of_command = t->progress.outlives = true;
    t->options = *options;
    t->model = model;
    t->monitor = monitor;
    t->has_options = true;
    return SAC_OK;
}

app_training *app_training_retain(app_training *t)
{
    if (t)
        atomic_fetch_add(&t->holders, 1);
    return t;
}

void app_training_release(app_training *t)
{
    if (!t || atomic_fetch_sub(&t->holders, 1) > 1)
        return;
    atomic_store(&t->stops, true);
    if (t->begun)
        pthread_join(t->thread, NULL);
    if (!t->of_command) {
        sac_monitor_destroy(t->monitor);
        sac_model_destroy(t->model);
        sac_device_close(t->device);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* ---------------------------------------------------------------- sources */

static void copy_progress(void *self, sac_training_progress *progress)
{
    app_training *t = self;
    *progress = (sac_training_progress){0};
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    *progress = t->progress;
    pthread_mutex_unlock(&t->lock);
    if (progress->state == SAC_TRAINING_RUNS && atomic_load(&t->rests))
        progress->state = SAC_TRAINING_RESTS;
}

void app_training_stop(app_training *t, double seconds)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    double end = sac_now() + seconds;
    if (!t || !t->begun)
        return;
    atomic_store(&t->stops, true);
    while (!app_training_has_ended(t) && sac_now() < end)
        nanosleep(&moment, NULL);
}

void app_training_leave_alone(app_training *t)
{
    atomic_store(&t->rests, false);
}

bool app_training_has_ended(const app_training *t)
{
    sac_training_progress progress;
    copy_progress((app_training *)t, &progress);
    return progress.state == SAC_TRAINING_ENDED;
}

static void request_training_state(void *self, sac_training_order what)
{
    app_training *t = self;
    if (!t)
        return;
    if (what == SAC_TRAINING_PAUSE || what == SAC_TRAINING_GO_ON)
        atomic_store(&t->rests, what == SAC_TRAINING_PAUSE);
    else
        atomic_store(what == SAC_TRAINING_SAVE ? &t->saves : &t->stops, true);
}

static sac_status look(void *self, size_t step, sac_training_snapshot *snapshot, bool *changed,
                       sac_error *error)
{
    const sac_source monitor = sac_monitor_source(((app_training *)self)->monitor);
    return monitor.training.look(monitor.self, step, snapshot, changed, error);
}

static sac_status look_at_moment(void *self, size_t step, sac_training_moment *moment,
                                 sac_error *error)
{
    const sac_source monitor = sac_monitor_source(((app_training *)self)->monitor);
    return monitor.training.moment(monitor.self, step, moment, error);
}

static bool ended(void *self)
{
    const sac_source monitor = sac_monitor_source(((app_training *)self)->monitor);
    return monitor.training.ended(monitor.self);
}

sac_source app_trainer_source(app_training *t)
{
    pthread_once(&listed, list_offers);
    sac_source source = t ? sac_monitor_source(t->monitor) : (sac_source){.title = "training"};
    source.self = t;
    if (t)
        source.training =
            (sac_training_source){look, ended, source.training.moment ? look_at_moment : NULL};
    source.trainer = (sac_trainer_source){.offers = offers,
                                          .count = offer_count,
                                          .command = write_train_command,
                                          .propose = propose,
                                          .check = check,
                                          .find = find_captions,
                                          .progress = copy_progress,
                                          .order = request_training_state};
    return source;
}
