/* saccade view: a window on pictures, weights or arrays, or the same as a PNG. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/document_loader.h"
#include "app/lecture.h"
#include "app/settings.h"
#include "app/trainer.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "canvas/text.h"
#include "cli/commands/inference.h"
#include "cli/commands/result_output.h"
#include "cli/commands/view.h"
#include "cli/request_options.h"
#include "device/quarantine.h"
#include "pretrained/files/foreign_folder.h"
#include "pretrained/files/places.h"
#include "pretrained/files/pretrained.h"
#include "shell/split/split.h"
#include "view/settings.h"
#include "view/words.h"

typedef struct view_options {
    const char *files[APP_MAX_FILES];
    bool presents, json; /* json: of a text that the model of a folder reads … */
    const char *npz;     /* … and its arrays */
    const char *pins;    /* states to pin; NULL: none */
    cli_request request;
    cli_drawing drawing;
} view_options;

/* ---------------------------------------------------------------- the command line */

/* The options of all that draws, the view's own, and those of the request. */
static int parse(cli_args args, view_options *o)
{
    const cli_option own[] = {
        {"--present", CLI_FLAG, &o->presents, NULL, NULL, CLI_PRESENT_HELP,
         "the window, and what is opened"},
        {"--pin", CLI_TEXT, &o->pins, NULL, "STATES",
         "show up to four states side by side, such as \"temperature 0.5; temperature 2, score "
         "dot\""},
        {"--json", CLI_FLAG, &o->json, NULL, NULL,
         "of a pretrained model: print tokens and the most probable next ones"},
    };
    enum { OWN = sizeof own / sizeof *own };
    cli_option options[OWN + CLI_REQUEST_OPTIONS + 1] = {{0}};
    o->drawing.types = CLI_PICTURES | CLI_PAGES | CLI_TABLES | CLI_SUBTITLES;
    o->drawing.what =
        "what the window would show: a picture, an animation, the weights as numbers; "
        "of a pretrained model its arrays, what --json prints, or subtitles of a sound";
    o->drawing.npz = &o->npz;
    o->drawing.json = &o->json;
    memcpy(options, own, sizeof own);
    cli_request_options(&o->request, NULL, options + OWN);
    return cli_parse_drawing(args, options, &o->drawing, o->files, APP_MAX_FILES,
                             &o->request.open.file_count);
}

/* Checks that go beyond the options' being words and numbers. */
static int check(view_options *o)
{
    app_request *open = &o->request.open;
    open->files = o->files;
    int status = cli_request_check_and_fill(&o->request);
    if (status != CLI_DONE)
        return status;
    open->difference = o->request.difference && !o->pins;
    if (o->pins && !cli_drawing_has(&o->drawing, CLI_PICTURES))
        return cli_usage("--pin", "needs a picture to draw", "add --out FILE.png");
    sac_error error = {0};
    bool is_folder = open->file_count > 0 && sac_is_pretrained(open->files[0]);
    bool is_other = !is_folder && open->file_count;
    if ((open->text || o->json || o->npz || open->continuation) && is_other &&
        sac_place_check(open->files[0], &error) != SAC_OK)
        return cli_report(&error);
    if (open->text && is_other && sac_foreign_path_check(open->files[0], &error) != SAC_OK)
        return cli_report(&error);
    if (open->continuation && !is_folder && !open->tab)
        open->tab = "next"; /* of a captioner or translator of ours */
    open->windowless = cli_drawing_wanted(&o->drawing);
    if (o->presents && open->windowless)
        o->drawing.size.theme = viz_theme_presented(o->drawing.size.theme);
    if (!open->tab && (app_find_setting(open, "rows") || app_find_setting(open, "columns")))
        open->tab = "matrix"; /* whose rows and columns these are */
    return CLI_DONE;
}

/* ---------------------------------------------------------------- what is done */

#define SAVE_WAIT_S 60.0 /* for a training's weights: a step, and what the driver is at */

/* A window that was closed while a driver compiles: it cannot be stopped, and what it uses
 * cannot be freed. */
_Noreturn static void end_at_once(sac_status status, const sac_error *error)
{
    int code = status == SAC_OK ? CLI_DONE : cli_report(error);
    sac_quarantine_remove_all_marks(); /* the driver did not die */
    sac_outputs_abandon();
    fflush(stdout);
    _exit(code);
}

/* A person at a window gets what the machine can show; a picture has no machine. */
sac_status cli_show_window(app_document *document, const app_request *request,
                           const cli_drawing *drawing, bool presents, bool (*interrupted)(void),
                           sac_error *error)
{
    const viz_export_size *size = &drawing->size;
    const float density = size->density > 0 ? size->density : 1.0f;
    const bool goes_on = document->training; /* with what openings and views use */
    bool left_working = false;
    viz_opening *first = app_load_first(document, request, error);
    if (!first)
        return error->status;
    char problem[1200];
    viz_window_settings settings;
    app_settings_load(&settings, problem, sizeof problem);
    if (problem[0])
        sac_print(stderr, "saccade: %s\n", problem);
    viz_window_options options = {
        .width = (int)((float)size->width / density),
        .height = (int)((float)size->height / density),
        .density = size->density,
        .theme = drawing->theme_name ? size->theme : NULL,
        .presents = presents,
        .settings = settings,
        .keep = app_settings_save,
        .name = first->name,
        .interrupted = interrupted,
        .notice = cli_notice_take,
        .first = first,
        .open = app_load_files,
        .offer = app_list_openable,
        .place = app_load_document_for_view,
        .beginning = app_load_beginning,
        .back = app_load_before,
        .follow = app_load_requested_in_views,
        .next_device = app_load_next_device,
        .choose = app_load_reading,
        .walk = app_load_stop,
        .add_stop = app_lecture_add,
        .take_stop_back = app_lecture_take_back,
        .user = document,
        .left_working = goes_on ? NULL : &left_working,
    };
    cli_waits_show(false);
    sac_status status = viz_window_run(&document->shell, &options, error);
    if (left_working) {
        app_training_stop(document->training, SAVE_WAIT_S);
        end_at_once(status, error);
    }
    return status;
}

#define MOST_TEXT 512

/* Without the blanks around it; ends where `stops` does. Moves *text behind that. */
static char *next_word(char **text, const char *stops)
{
    char *word = *text + strspn(*text, " "), *end = word + strcspn(word, stops);
    *text = end + (*end != 0);
    *end = 0;
    while (end > word && isspace((unsigned char)end[-1]))
        *--end = 0;
    return word;
}

/* "temperature 0.5", as the option --temperature takes it. */
static sac_status parse_pin_setting(char *text, const char *values[], sac_error *error)
{
    char *rest = text, *key = next_word(&rest, " "), *value = next_word(&rest, "");
    const viz_setting *setting;
    for (int i = 0; (setting = app_view_option_at(i)); i++)
        if (strcmp(setting->option + 2, key) == 0 && value[0]) {
            values[i] = value;
            return SAC_OK;
        }
    return sac_fail(error, SAC_E_ARGUMENT, "--pin",
                    "name settings as their options, such as \"temperature 2\"",
                    "\"%.60s\" is not a setting and a value", key);
}

static sac_status set_state(viz_view *view, char *state, sac_error *error)
{
    const char *values[APP_MAX_VIEW_OPTIONS] = {0};
    app_view_option settings[APP_MAX_VIEW_OPTIONS];
    int count = 0;
    sac_status status = SAC_OK;
    while (*state && status == SAC_OK)
        status = parse_pin_setting(next_word(&state, ","), values, error);
    if (status == SAC_OK)
        status = app_view_options_parse(values, settings, &count, error);
    for (int i = 0; i < count && status == SAC_OK; i++)
        viz_view_restore(view, settings[i].key, settings[i].value);
    return status;
}

/* Shows these states of the shell's view side by side, or as differences from the first, each going on from
 * the one before: "temperature 0.5; temperature 2, score dot". */
static sac_status show_pinned_states(const char *states, bool difference, viz_shell *shell,
                                     sac_error *error)
{
    char copy[MOST_TEXT], *rest = copy;
    viz_view *view = viz_shell_tab_view(shell);
    if (strlen(states) >= sizeof copy)
        return sac_fail(error, SAC_E_ARGUMENT, "--pin", "give fewer of them", "is too long");
    memcpy(copy, states, strlen(states) + 1);
    if (!view || (!view->class->map && (difference || !view->class->figure)))
        return sac_fail(error, SAC_E_ARGUMENT, "--pin", "choose another by --tab",
                        "this view shows no map to compare");
    sac_status status = set_state(view, next_word(&rest, ";"), error);
    while (*rest && status == SAC_OK) {
        if (!viz_shell_split(shell))
            status = sac_fail(error, SAC_E_ARGUMENT, "--pin", "give four at most",
                              "has more states than can be side by side");
        view = viz_shell_tab_view(shell);
        viz_split_part(view, true);
        if (status == SAC_OK)
            status = set_state(viz_split_side(view, viz_split_count(view) - 1),
                               next_word(&rest, ";"), error);
    }
    if (status == SAC_OK && viz_is_split(view)) {
        viz_split_focus(view, 0);
        viz_split_subtract(view, difference);
    }
    shell->message[0] = '\0';
    return status;
}

static sac_status write_pictures(app_document *document, const view_options *o, sac_error *error)
{
    sac_status status = SAC_OK;
    app_document_print_notes(document);
    if (o->pins)
        status = show_pinned_states(o->pins, o->request.difference, &document->shell, error);
    return status == SAC_OK ? cli_drawing_write(&o->drawing, &document->shell, error) : status;
}

/* Of all pieces of the sound that is shown, which is open again then. */
static sac_status generate_subtitles(sac_source *source, sac_subtitles *subtitles, sac_error *error)
{
    const int shown = source->picture.number;
    bool goes_on = true;
    sac_status status = SAC_OK;
    while (status == SAC_OK && goes_on) {
        sac_result caption = {0};
        status = sac_source_generate(source, &(sac_result_request){0}, &caption, error);
        if (status == SAC_OK)
            status = sac_subtitles_add(subtitles, &caption, error);
        goes_on = caption.goes_on;
        sac_result_free(&caption);
        if (status == SAC_OK && goes_on)
            status = sac_source_turn_to_example(source, source->picture.number + 1, error);
    }
    return status == SAC_OK && source->picture.number != shown
               ? sac_source_turn_to_example(source, shown, error)
               : status;
}

static sac_status write_subtitles(app_document *document, const cli_drawing *drawing,
                                  sac_error *error)
{
    const cli_drawing asked = cli_drawing_only(drawing, CLI_SUBTITLES);
    sac_source *source = document->caption;
    sac_subtitles subtitles = {0};
    if (!asked.file_count)
        return SAC_OK;
    if (!source || !source->result.has_times)
        return sac_fail(error, SAC_E_ARGUMENT, asked.files[0].path,
                        "give a sound to a model of speech, such as Whisper",
                        "what is open has no words with times");
    sac_status status = SAC_OK;
    for (int i = 0; i < asked.file_count && status == SAC_OK; i++)
        status = sac_output_check(asked.files[i].path, error); /* a sound may take long */
    if (status == SAC_OK)
        status = generate_subtitles(source, &subtitles, error);
    for (int i = 0; i < asked.file_count && status == SAC_OK; i++)
        status = cli_save_subtitles(&subtitles, asked.files[i].type, asked.files[i].path, error);
    sac_subtitles_free(&subtitles);
    return status;
}

static int run(view_options *o)
{
    app_document document = {0};
    sac_error error = {0};
    bool drawn = o->request.open.windowless,
         prints = o->json || o->npz || (drawn && o->request.open.continuation);
    sac_status status = drawn || !prints ? viz_words_open(&error) : SAC_OK;
    o->request.open.windowless = drawn || prints;
    if (status == SAC_OK && o->request.open.windowless)
        status = app_open(&document, &o->request.open, &error);
    if (status == SAC_OK && o->request.open.windowless)
        status = app_check_settings(&document, &o->request.open, &error);
    if (status == SAC_OK)
        status = write_subtitles(&document, &o->drawing, &error);
    if (status == SAC_OK && prints)
        status = cli_print_inference(&document, o->json, o->npz, &error);
    if (status == SAC_OK && drawn)
        status = write_pictures(&document, o, &error);
    else if (status == SAC_OK && !prints)
        status = cli_show_window(&document, &o->request.open, &o->drawing, o->presents,
                                 cli_interrupted, &error);
    if (status == SAC_E_CANCELLED &&
        drawn) /* an error that a stop caused is reported as the stop */
        sac_fail(&error, status,
                 cli_drawing_has(&o->drawing, CLI_ANIMATIONS) ? "animation" : "picture", NULL,
                 "stopped on request");
    app_document_close(&document);
    viz_text_close();
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

int cli_view_window(const app_request *request, const cli_drawing *drawing)
{
    const viz_theme *theme = drawing->size.theme;
    view_options o = {
        .request.open = *request, .drawing = *drawing, .presents = theme && theme->presents};
    return run(&o);
}

static int run_view(cli_args args)
{
    view_options o = {0};
    int parsed = parse(args, &o);
    if (parsed == CLI_DONE)
        parsed = check(&o);
    if (parsed == CLI_DONE)
        parsed = run(&o);
    free(o.request.pair);
    return parsed < 0 ? CLI_DONE : parsed;
}

const cli_command cli_view = {
    "view", "[OPTIONS] FILE…",
    "open pictures, attention weights, arrays or models in a window, or write a picture of them",
    run_view};
