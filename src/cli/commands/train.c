/* saccade train MODEL: from samples to weights, with a line of progress. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "app/trainer.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "canvas/text.h"
#include "cli/commands/view.h"
#include "cli/model_options.h"
#include "models/checkpoint.h"
#include "sharing/attention/device_set.h"
#include "sharing/ranks/ranks.h"
#include "training/training_view.h"
#include "view/words.h"

typedef struct request {
    const sac_model_class *class;
    const char *model, *translator, *device;
    int steps, batch;
    uint64_t seed;
    char resumed[1024]; /* the file in the folder that --resume names */
    bool view, steps_given, batch_given, rate_given, warm_up_given;
    cli_list average;
    cli_model_options own; /* the class's */
    char out[64];          /* without --out */
    sac_training_options options;
    cli_drawing drawing;
} request;

/* To the line's beginning, and what stands there is taken away. */
#define LINE_ANEW "\r\033[K"

/* A training that runs. */
typedef struct running {
    const request *request;
    sac_model *model;
    sac_monitor *monitor;
    sac_source source; /* the monitor's */
    double begun_at, printed_at;
    char device[512];
    bool header;       /* was printed */
    bool line;         /* one stands on the terminal, to be written over */
    sac_status status; /* of watching */
    sac_error error;
    atomic_bool closed;  /* the window was, and that is still to be reported */
    app_training *shown; /* in a window, which steers it; NULL: in none */
    pthread_t thread;    /* of that training, … */
    bool begun;
    bool stopped; /* in the window, which stays open then */
    atomic_bool failed;
    sac_status result; /* … and how it ended */
    sac_error why;
} running;

/* ---------------------------------------------------------------- options */

/* True where an option of the class's own, "--from", was given. */
static bool is_own_given(const request *r, const char *name)
{
    for (int i = 0; r->class->options[i].name; i++)
        if (r->own.given[i] && strcmp(r->own.name[i], name) == 0)
            return true;
    return false;
}

static int check_numbers(const request *r)
{
    const sac_training_options *o = &r->options;
    const struct {
        const char *name;
        bool given;
    } of_steps[] = {{"--batch", r->batch_given},
                    {"--rate", r->rate_given},
                    {"--warm-up", r->warm_up_given},
                    {"--seed", o->seed_given}};
    char remedy[64];
    for (size_t i = 0; i < sizeof of_steps / sizeof *of_steps; i++)
        if (o->measures && of_steps[i].given)
            return cli_usage(of_steps[i].name, "does not count in --steps 0, which trains nothing",
                             "leave it out");
    snprintf(remedy, sizeof remedy, "give 1 to 4096 %s a step", r->class->samples);
    if (r->average.count && !o->resume)
        return cli_usage("--average", "needs weights to be averaged with", "give --resume F too");
    if (r->average.count && is_own_given(r, "--attention"))
        return cli_usage("--attention", "is given beside --average, whose weights have one already",
                         "leave it out");
    if (r->steps_given && r->steps < 1 && !o->measures)
        return cli_usage("--steps", "must be at least 1", "give 1 or more");
    if (r->batch_given && (r->batch < 1 || r->batch > 4096))
        return cli_usage("--batch", "is out of range", remedy);
    if (r->rate_given && !(o->rate > 0))
        return cli_usage("--rate", "must be above 0", "give a learning rate, such as 0.002");
    if (r->warm_up_given && !(o->warm_up >= 1))
        return cli_usage("--warm-up", "must be at least 1", "give 1 or more");
    if (r->seed > UINT32_MAX)
        return cli_usage("--seed", "is too large", "give a number from 0 to 4294967295");
    return CLI_DONE;
}

static int check_and_complete_request(request *r, int files)
{
    sac_training_options *o = &r->options;
    const bool has_first =
        o->resume ? r->class->measure || r->average.count : is_own_given(r, "--from");
    o->measures = r->steps_given && r->steps == 0 && has_first;
    int status = cli_model_check(files ? r->model : NULL, "train", "trained");
    if (status == CLI_DONE)
        status = cli_translator_check(r->translator, r->class);
    if (status == CLI_DONE)
        status = check_numbers(r);
    if (status == CLI_DONE)
        status = cli_model_values(&r->own, &o->values);
    o->resume = o->resume ? sac_checkpoint_file(o->resume, r->resumed) : NULL;
    o->steps = (size_t)r->steps;
    o->batch = (size_t)r->batch;
    o->seed = (uint32_t)r->seed;
    o->average = r->average.values;
    o->average_count = (size_t)r->average.count;
    return status;
}

/* The manual's page has the options of all models, each with the name of its model. Appends those
 * that `options` has not. */
static void append_other_model_options(const sac_model_class *first, const cli_option *options,
                                       int count, cli_option *next)
{
    static cli_model_options others[4];
    static char help[4 * SAC_MODEL_OPTIONS][200];
    int used = 0;
    for (int m = 0; m < 4 && sac_models[m]; m++) {
        cli_option own[CLI_MODEL_OPTIONS];
        int found =
            sac_models[m] == first ? 0 : cli_model_options_of(sac_models[m], &others[m], own);
        for (int i = 0; i < found; i++) {
            bool known = !own[i].help;
            for (int k = 0; k < count && !known; k++)
                known = strcmp(options[k].name, own[i].name) == 0;
            if (known)
                continue;
            snprintf(help[used], sizeof help[used], "%s: %s", sac_models[m]->name, own[i].help);
            *next = own[i];
            next++->help = help[used++];
        }
    }
}

static int read_request(cli_args args, request *r)
{
    int files;
    sac_training_options *o = &r->options;
    *r = (request){.class = cli_find_model_class(args)};
    snprintf(r->out, sizeof r->out, "%s%s", r->class->name,
             r->class->save_beside ? "" : ".safetensors");
    o->out = r->out;
    r->drawing.types = CLI_PICTURES;
    r->drawing.what = "the weights (default MODEL.safetensors, of a language model the folder "
                      "language; checkpoints go to FILE.checkpoint), or a picture of the training "
                      "at its end (a .png at each "
                      "checkpoint too)";
    r->drawing.weights = &o->out;
    const cli_option own[] = {
        {"--steps", CLI_WHOLE, &r->steps, &r->steps_given, "N",
         "number of batches; with --resume 0: nothing is trained, and the weights are measured "
         "again for what they are unsure of (with --from: they are written)"},
        {"--seed", CLI_SEED, &r->seed, &o->seed_given, "S",
         "seed of the first weights and of the samples (default 0)"},
        {"--resume", CLI_TEXT, &o->resume, NULL, "F",
         "continue from a checkpoint, with its options, or start from weights"},
        {"--average", CLI_LIST, &r->average, NULL, "F",
         "start from the mean of --resume's weights and these, of the same model; may be given "
         "several times"},
        {"--batch", CLI_WHOLE, &r->batch, &r->batch_given, "N", "samples per batch, 1 to 4096"},
        {"--rate", CLI_REAL, &o->rate, &r->rate_given, "X", "highest learning rate"},
        {"--warm-up", CLI_REAL, &o->warm_up, &r->warm_up_given, "N",
         "steps in which the learning rate rises to its highest; then it falls with a cosine"},
        {"--model", CLI_TEXT, &r->translator, NULL, "M",
         "translator: rnn (default) or transformer"},
        {"--view", CLI_FLAG, &r->view, NULL, NULL,
         "watch and steer it in a window; closing it does not stop the training"},
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICES_HELP},
    };
    enum { OWN = sizeof own / sizeof *own };
    enum { MODELS = 4 };
    cli_option options[OWN + MODELS * CLI_MODEL_OPTIONS + 1] = {{0}};
    int count = OWN;
    memcpy(options, own, sizeof own);
    count += cli_model_options_of(r->class, &r->own, options + count);
    if (cli_asks_for_page(args))
        append_other_model_options(r->class, options, count, options + count);
    int status = cli_parse_drawing(args, options, &r->drawing, &r->model, 1, &files);
    return status == CLI_DONE ? check_and_complete_request(r, files) : status;
}

/* ---------------------------------------------------------------- reports */

/* "41 s", "12 min", "1 h 05 min" */
static const char *duration(double seconds, char text[32])
{
    if (seconds < 100)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%d h %02d min", (int)(seconds / 3600), (int)(seconds / 60) % 60);
    return text;
}

/* "step 1200/6000  loss 0.412 (words 0.310, gaze 0.25)  exact 98 % at 1000  310 samples/s  8 min left";
 * of what is judged "CIDEr-D 49.5 at 1000 (best 50.1 at 750)" and "at most 8 min left" */
static void print_step(running *s, const sac_training_report *r)
{
    char left[32], losses[128], exact[80] = "", rest[64] = "";
    size_t at;
    float share = sac_monitor_exact(s->monitor, &at);
    /* "words 0.310, gaze 0.250" */
    size_t used = 0;
    losses[0] = '\0';
    for (int i = 0; s->request->class->losses[i]; i++)
        if (!isnan(r->part[i]) && used < sizeof losses)
            used += (size_t)snprintf(losses + used, sizeof losses - used, "%s%s %.3f",
                                     used ? ", " : "", s->request->class->losses[i], r->part[i]);
    const double factor = r->figure_is_loss ? 1 : 100;
    const int digits = r->figure_is_loss ? 3 : 1;
    if (!isnan(r->judged))
        snprintf(exact, sizeof exact, "  %s %.*f at %zu (best %.*f at %zu)", r->figure, digits,
                 factor * r->judged, r->judged_at, digits, factor * r->best, r->best_at);
    else if (!isnan(share))
        snprintf(exact, sizeof exact, "  exact %.0f %% at %zu", 100 * share, at);
    if (!isnan(r->seconds_left) && r->step < r->steps)
        snprintf(rest, sizeof rest, "  %s%s left", r->may_end_earlier ? "at most " : "",
                 duration(r->seconds_left, left));
    if (s->line)
        sac_print(stdout, LINE_ANEW);
    sac_print(stdout, "step %zu/%zu  loss %.3f (%s)%s  %.0f samples/s%s", r->step, r->steps,
              r->loss, losses, exact, r->samples_per_second, rest);
    s->line = isatty(STDOUT_FILENO);
    if (!s->line)
        putchar('\n');
    s->printed_at = sac_now();
    fflush(stdout);
}

/* What the model writes now, below the line of the step. */
static void print_sample(running *s, const char *sample)
{
    char text[SAC_TRAINING_SAMPLE], *rest = NULL;
    snprintf(text, sizeof text, "%s", sample);
    if (s->line)
        putchar('\n');
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        sac_print(stdout, "    %s\n", line);
    s->line = false;
    fflush(stdout);
}

/* ---------------------------------------------------------------- pictures */

static sac_status open_shell(running *s, viz_shell *shell, sac_error *error)
{
    viz_view *view;
    sac_status status = viz_words_open(error);
    if (status == SAC_OK)
        status = viz_training_view_create(&s->source, NULL, &view, error);
    return status == SAC_OK ? viz_shell_add(shell, view, error) : status;
}

/* Draws what the source shows now into the files that were requested. */
static sac_status write_pictures(running *s, const cli_drawing *drawing, sac_error *error)
{
    viz_shell shell = {0};
    sac_status status = open_shell(s, &shell, error);
    if (status == SAC_OK)
        status = cli_drawing_write(drawing, &shell, error);
    viz_shell_free(&shell);
    viz_text_close();
    return status;
}

/* At each checkpoint a picture, where one is requested; while a window is open, it draws. */
static sac_status draw_checkpoint(running *s, const sac_training_report *r, sac_error *error)
{
    cli_drawing still = cli_drawing_only(&s->request->drawing, CLI_BIT(CLI_PNG));
    return r->saves && cli_drawing_wanted(&still) && !s->request->view
               ? write_pictures(s, &still, error)
               : SAC_OK;
}

static bool report(void *user, sac_model *model, const sac_training_report *r)
{
    running *s = user;
    if (!s->header) {
        const sac_model_class *class = model->class;
        size_t weights = sac_parameters_numbers(&model->parameters);
        char variety[64];
        s->header = true;
        class->describe_short(model, variety, sizeof variety);
        sac_print(stdout, "%s, %s: %zu weights (%.1f MB) on %s; %zu steps of %zu %s\n", class->name,
                  variety, weights, 4e-6 * (double)weights, s->device, r->steps, r->batch,
                  r->samples);
        if (access(s->request->options.out, F_OK) == 0)
            sac_print(stdout, "%s is there already, and is replaced at the end\n",
                      s->request->options.out);
        fflush(stdout);
    }
    double pause = isatty(STDOUT_FILENO) ? 0.5 : 10;
    if (sac_ranks_me() > 0) /* the first watches for all */
        return !cli_interrupted();
    s->status = sac_monitor_step(s->monitor, model, r, &s->error);
    if (s->status == SAC_OK)
        s->status = draw_checkpoint(s, r, &s->error);
    if (atomic_exchange(&s->closed, false)) {
        if (s->line)
            sac_print(stdout, LINE_ANEW);
        puts("the window is closed and the training continues; Ctrl-C saves a checkpoint and stops "
             "it");
        s->line = false;
    }
    const char *sample = sac_monitor_sample(s->monitor);
    const bool writes = sample[0] && r->judged_at == r->step;
    if (sac_now() - s->printed_at >= pause || r->step == r->steps || writes)
        print_step(s, r);
    if (writes)
        print_sample(s, sample);
    const bool goes_on =
        s->status == SAC_OK && (!s->shown || app_training_step(s->shown, model, r));
    s->stopped = s->status == SAC_OK && !goes_on;
    return goes_on && !cli_interrupted();
}

/* The command that goes on where this one stopped; what it was trained with is in the checkpoint.
 */
static void write_resume_remedy(const request *r, char *remedy, size_t size)
{
    char checkpoint[1024], command[2048];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", r->options.out);
    sac_command_line line = sac_command_begin(command, sizeof command, "saccade train");
    sac_command_add(&line, r->class->name);
    if (r->device)
        sac_command_add_option(&line, "--device", r->device);
    for (int set = 0; set < SAC_MODEL_SETS; set++) /* what no checkpoint keeps */
        for (int i = 0; r->class->options[i].name; i++)
            if (r->options.values.text[set][i])
                sac_command_add_option(&line, r->own.name[i], r->options.values.text[set][i]);
    sac_command_add_option(&line, "--out", r->options.out);
    sac_command_add_option(&line, "--resume", checkpoint);
    int length = line.whole ? snprintf(remedy, size, "continue with `%s`", command) : (int)size;
    if ((size_t)length >= size)
        snprintf(remedy, size, "continue with --resume and the checkpoint next to the weights");
}

/* Prints which checkpoint is left of a training that did not come to its end. `stopped`: a person
 * stopped it, or watching it failed, and its checkpoint has just been saved; else there may be an
 * older one. */
static void print_checkpoint(const request *r, bool stopped, sac_error *error)
{
    char checkpoint[1024];
    size_t used = error->status == SAC_E_CANCELLED ? 0 : strlen(error->remedy);
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", r->options.out);
    if (!stopped && (used || access(checkpoint, R_OK) != 0))
        return;
    if (used && used + 2 < sizeof error->remedy)
        used += (size_t)snprintf(error->remedy + used, sizeof error->remedy - used, "; ");
    write_resume_remedy(r, error->remedy + used, sizeof error->remedy - used);
}

/* ---------------------------------------------------------------- the work */

/* "wrote w.safetensors after 34 s: CIDEr-D 49.5 of what is held out (greedy), of step 250". `exact`: of
 * models that are not judged, the share of exact samples; NaN: not known. */
static void print_written(const request *r, const char *took, float exact)
{
    const sac_training_outcome *o = r->options.outcome;
    sac_print(stdout, "wrote %s%s", r->options.out, took);
    if (!isnan(o->figure) && r->class->figure_is_loss)
        sac_print(stdout, ": %s %.3f, of step %zu", r->class->figure, o->figure, o->step);
    else if (!isnan(o->figure))
        sac_print(stdout, ": %s %.1f of what is held out (greedy), of step %zu", r->class->figure,
                  100 * o->figure, o->step);
    else if (!isnan(exact))
        sac_print(stdout, ": exact %.0f %% of the %s that were watched", 100 * exact,
                  r->class->samples);
    putchar('\n');
    fflush(stdout);
}

/* "best heads: previous token 0.2 (0.98), …" of the weights that were written, which the model has now. */
static sac_status print_heads(running *s, sac_error *error)
{
    char text[256];
    sac_status status = sac_monitor_name_heads(s->monitor, s->model, text, sizeof text, error);
    if (text[0])
        sac_print(stdout, "best heads (layer.head): %s\n", text);
    fflush(stdout);
    return status;
}

static sac_status run(running *s, sac_error *error)
{
    const request *r = s->request;
    char took[48] = " after ";
    size_t at;
    s->begun_at = s->printed_at = sac_now();
    sac_status status = sac_train(s->model, &r->options, report, s, error);
    if (s->line)
        putchar('\n');
    const bool stopped = status == SAC_E_CANCELLED;
    if (stopped && s->status != SAC_OK) { /* not a person, but watching failed */
        *error = s->error;
        status = s->status;
    }
    if (status != SAC_OK)
        print_checkpoint(r, stopped, error);
    (void)duration(sac_now() - s->begun_at, took + strlen(took));
    if (status == SAC_OK)
        print_written(r, took, sac_monitor_exact(s->monitor, &at));
    if (status == SAC_OK && sac_ranks_me() == 0)
        status = print_heads(s, error);
    sac_monitor_end(s->monitor);
    return status;
}

/* ---------------------------------------------------------------- the window */

static running *watched; /* there is one window: what it asks each frame knows of no other */

static void *run_on_thread(void *self)
{
    running *s = self;
    s->result = run(s, &s->why);
    app_training_end(s->shown, s->result, &s->why);
    atomic_store(&s->failed, s->result != SAC_OK && !s->stopped);
    return NULL;
}

/* The window asks this for the first time when it is open: then the training begins. */
static bool begin_or_check_end(void)
{
    running *s = watched;
    if (!s->begun && !atomic_load(&s->failed)) {
        int code = pthread_create(&s->thread, NULL, run_on_thread, s);
        s->begun = code == 0;
        if (code != 0) {
            s->result = sac_fail(&s->why, SAC_E_MEMORY, "training", NULL,
                                 "cannot start a thread: %s", strerror(code));
            atomic_store(&s->failed, true);
        }
    }
    return cli_interrupted() || atomic_load(&s->failed);
}

/* Opens the window and, once it is there, trains on a thread of its own. Returns when the training
 * has ended and the window is closed; a training that fails closes it, one that is done does not.
 * SAC_E_DEVICE where there is no window: then nothing was trained. */
static sac_status run_in_window(running *s, sac_error *error)
{
    const request *r = s->request;
    const app_request opened = {.trains = true, .tab = "training", .device = r->device};
    app_document document = {0};
    watched = s;
    sac_status status = viz_words_open(error);
    if (status == SAC_OK)
        status = app_training_of_command(s->model, &r->options, s->monitor, &s->shown, error);
    document.training = app_training_retain(s->shown);
    if (status == SAC_OK)
        status = cli_show_window(&document, &opened, &r->drawing, false, begin_or_check_end, error);
    app_document_close(&document);
    viz_text_close();
    if (s->begun) {
        app_training_leave_alone(s->shown);
        if (!begin_or_check_end() && !s->source.training.ended(s->source.self))
            atomic_store(&s->closed, true); /* the training goes on, and its next step reports it */
        pthread_join(s->thread, NULL);
    }
    app_training_release(s->shown);
    if (s->result != SAC_OK) { /* it is the more specific one */
        *error = s->why;
        status = s->result;
    }
    return status;
}

static sac_status train(const request *r, sac_error *error)
{
    sac_device *device = NULL;
    running s = {.request = r};
    sac_training_options settled = r->options;
    sac_status status = sac_device_open(cli_own_device(r->device), &device, error);
    if (status == SAC_OK) {
        sac_device_short_name(sac_device_get_info(device), s.device, sizeof s.device);
        cli_write_device_names(s.device, sizeof s.device);
        status = sac_training_create(r->class, device, &r->options, &s.model, error);
    }
    if (status == SAC_OK)
        status = sac_training_prepare(s.model, &settled, error);
    status = cli_inputs_agree(status, error);
    bool trains = status == SAC_OK && !r->options.measures;
    if (status == SAC_OK && !trains) {
        settled.outcome = r->options.outcome;
        status = sac_training_measure(s.model, &settled, error);
        if (status == SAC_OK)
            print_written(r, "", NAN);
    }
    sac_cancel_when(NULL); /* a step is done to its end, and then saved */
    if (trains)
        status = sac_monitor_create(s.model, s.device, r->options.resume, &s.monitor, error);
    if (trains && status == SAC_OK) {
        s.source = sac_monitor_source(s.monitor);
        status = r->view ? run_in_window(&s, error) : run(&s, error);
    }
    if (trains && status == SAC_OK && sac_ranks_me() == 0 && cli_drawing_wanted(&r->drawing))
        status = write_pictures(&s, &r->drawing, error);
    sac_monitor_destroy(s.monitor);
    sac_model_destroy(s.model);
    sac_device_close(device);
    return status;
}

/* With the devices of this machine that are requested; what is the work of one process is refused. */
static int share_training_devices(const request *r)
{
    if (r->view || r->options.measures) {
        const char *what = r->view ? "--view" : "--steps";
        if (sac_devices_are_several(r->device))
            return cli_usage(what, "is the work of one device", "give one as --device");
        return sac_ranks_count() == 1
                   ? CLI_DONE
                   : cli_usage(what, "is the work of one process", "start it without mpirun");
    }
    return cli_share_devices(r->device);
}

static int run_train(cli_args args)
{
    request r;
    sac_training_outcome outcome = {.figure = NAN};
    sac_error error = {0};
    int status = read_request(args, &r);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    r.options.outcome = &outcome;
    status = share_training_devices(&r);
    if (status != CLI_DONE)
        return status;
    return train(&r, &error) == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_train = {"train", "MODEL [OPTIONS]",
                               "train a captioner, a translator or a language model", run_train,
                               .shares = true};
