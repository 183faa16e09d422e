/* saccade view: a window on pictures, weights or arrays, or the same as a PNG. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "app/document_loader.h"
#include "app/recent.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/output.h"
#include "base/printable.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "cli/commands/inference.h"
#include "cli/commands/view.h"
#include "device/quarantine.h"
#include "pretrained/files/foreign_folder.h"

enum { MAX_GRID = 4096, MAX_CONTINUATION = 100000 };

typedef struct view_options {
    const char *grid_text, *causal;
    int window;
    bool presents, difference;
    bool json; /* of a text that the model of a folder reads … */
    const char *npz;
    const char *pins;                           /* states to pin; NULL: none */
    const char *settings[APP_MAX_VIEW_OPTIONS]; /* as given, for the rules of that number */
    cli_drawing drawing;
    app_open_request open;
} view_options;

/* ---------------------------------------------------------------- the command line */

static void add_settings(view_options *o, cli_option *options)
{
    for (int i = 0; app_view_option_rules[i].option; i++) {
        const app_view_option_rule *rule = &app_view_option_rules[i];
        options[i] = (cli_option){rule->option, CLI_TEXT,         &o->settings[i],
                                  NULL,         rule->value_name, rule->help};
    }
}

/* How a file of arrays is read: options whose values lie at `at` in view_options. */
typedef struct array_option {
    const char *name;
    cli_kind kind;
    size_t at;
    const char *value_name, *help;
} array_option;

#define AT(member) offsetof(view_options, member)
static const array_option array_options[] = {
    {"--take", CLI_TEXT, AT(open.array), "NAME",
     "the array of weights or of queries; * for the layer"},
    {"--array", CLI_RENAMED, 0, "--take", NULL},
    {"--axes", CLI_TEXT, AT(open.axes), "AXES",
     "what its axes are, such as LBHQK, or BTHD of queries"},
    {"--labels", CLI_TEXT, AT(open.labels), "F", "tokens: one a line, or JSON"},
    {"--grid", CLI_TEXT, AT(grid_text), "WxH", "of the keys over a picture"},
    {"--prefix", CLI_WHOLE, AT(open.prefix), "N", "leading tokens that are no cells"},
    {"--leave-out", CLI_TEXT, AT(open.leave_out), "NAMES",
     "arrays beside queries and keys that have no part in them"},
    {"--softmax", CLI_FLAG, AT(open.softmax), NULL, "the array holds scores: show their softmax"},
    {"--padding", CLI_FLAG, AT(open.padding), NULL,
     "show padding that a mask in the file tells of"},
    {"--allow-nan", CLI_FLAG, AT(open.allow_nan), NULL,
     "hatch and count NaN in an array of weights"},
    {"--causal", CLI_CHOICE, AT(causal), CLI_CAUSAL_WORDS,
     "query i sees keys 0 to i, counted from the end where there are fewer queries"},
    {"--heads", CLI_WHOLE, AT(open.spec.heads), "H", "that queries and keys are split into"},
    {"--kv-heads", CLI_WHOLE, AT(open.spec.key_heads), "H",
     "that keys are split into, where they are shared by the queries' heads"},
    {"--softcap", CLI_REAL, AT(open.spec.softcap), "C",
     "for queries and keys: a score s becomes C tanh(s/C)"},
    {"--window", CLI_WHOLE, AT(window), "N", "query i sees keys less than N away from it"},
    {"--width", CLI_RENAMED, 0, "--inverse-width", NULL},
};
enum { ARRAY_OPTIONS = sizeof array_options / sizeof *array_options };

static void add_array_options(view_options *o, cli_option *options)
{
    for (int i = 0; i < ARRAY_OPTIONS; i++) {
        const array_option *own = &array_options[i];
        void *value = own->kind == CLI_RENAMED ? NULL : (char *)o + own->at;
        options[i] = (cli_option){own->name, own->kind, value, NULL, own->value_name, own->help};
    }
}

/* The options of all that draws, the view's own, those of arrays, then one for each setting of a
 * view. */
static int parse(cli_args args, view_options *o)
{
    app_open_request *open = &o->open;
    char tabs[128] = "open on ";
    viz_views_list(tabs + strlen(tabs), sizeof tabs - strlen(tabs));
    const cli_option own[] = {
        {"--present", CLI_FLAG, &o->presents, NULL, NULL,
         "large text and high contrast for a projector, on the whole display"},
        {"--tab", CLI_TEXT, &open->tab, NULL, "T", tabs},
        {"--pin", CLI_TEXT, &o->pins, NULL, "STATES",
         "pin up to four states, \"temperature 0.5; temperature 2, score dot\""},
        {"--difference", CLI_FLAG, &o->difference, NULL, NULL,
         "of what is pinned, what differs from the first"},
        {"--scene", CLI_SEED, &open->scene, &open->scene_given, "N",
         "caption scene N of the test stream, in place of a file"},
        {"--world", CLI_TEXT, &open->dataset, NULL, "W",
         "book: captions of a picture book, or shapes"},
        {"--text", CLI_TEXT, &open->text, NULL, "TEXT",
         "a sentence to translate, or a text for the model of a folder"},
        {"--json", CLI_FLAG, &o->json, NULL, NULL,
         "no window: the text's tokens, and what comes next"},
        {"--npz", CLI_TEXT, &o->npz, NULL, "F",
         "no window: write attentions and hidden states of the text"},
        {"--continue", CLI_WHOLE, &open->continuation, NULL, "N",
         "tokens that the model says after the text; with --temperature drawn by --seed"},
        {"--seed", CLI_SEED, &open->seed, NULL, "N", "of that draw"},
        {"--as-trained", CLI_FLAG, &open->as_trained, NULL, NULL,
         "what of a picture the model's preprocessor_config.json leaves"},
        {"--boxes", CLI_TEXT, &open->boxes, NULL, "F",
         "where things are in the picture that such a model sees: JSON"},
        {"--weights", CLI_TEXT, &open->weights, NULL, "F", "of a model of your own"},
        {"--follow", CLI_FLAG, &open->follow, NULL, NULL,
         "open every file that a PNG of Saccade names, wherever it is"},
        {"--device", CLI_TEXT, &open->device, NULL, "S",
         "number from `saccade devices`, cpu, gpu, or part of a name"},
    };
    enum { DRAWING = CLI_DRAWING_OPTIONS + CLI_TABLE_OPTIONS };
    enum { ARRAYS = DRAWING + sizeof own / sizeof *own, SETTINGS = ARRAYS + ARRAY_OPTIONS };
    cli_option options[SETTINGS + APP_MAX_VIEW_OPTIONS + 1] = {{0}};
    cli_drawing_options(&o->drawing, options);
    cli_table_options(&o->drawing, options + CLI_DRAWING_OPTIONS);
    memcpy(options + DRAWING, own, sizeof own);
    add_array_options(o, options + ARRAYS);
    add_settings(o, options + SETTINGS);
    return cli_parse(args, options, open->files, APP_MAX_FILES, &open->file_count);
}

/* Checks that go beyond the options' being words and numbers. */
static int check(view_options *o)
{
    app_open_request *open = &o->open;
    if (o->grid_text && !cli_read_sides(o->grid_text, 1, MAX_GRID, &open->grid_w, &open->grid_h))
        return cli_usage("--grid", "is no grid", "give WxH in cells, such as 14x14");
    if (open->scene_given && open->file_count)
        return cli_usage("--scene", "is given beside a file", "give one of the two");
    if (cli_world_check(open->dataset, open->weights) != CLI_DONE)
        return CLI_USAGE;
    if (open->prefix < 0)
        return cli_usage("--prefix", "is below 0", "give the number of tokens before the cells");
    if (o->window < 0 || open->spec.key_heads < 0)
        return cli_usage(o->window < 0 ? "--window" : "--kv-heads", "is below 0", "give 1 or more");
    if (o->pins && !o->drawing.png)
        return cli_usage("--pin", "has no picture to draw them in", "add --png F");
    open->spec.window = (size_t)o->window;
    cli_causal_take(o->causal, &open->spec);
    bool reads = cli_wants_passage(open);
    sac_error error = {0};
    if (open->text && !reads && open->file_count &&
        sac_foreign_path_check(open->files[0], &error) != SAC_OK)
        return cli_report(&error);
    if ((o->json || o->npz || open->continuation) && !reads)
        return cli_usage(o->json  ? "--json"
                         : o->npz ? "--npz"
                                  : "--continue",
                         "is of a text that a model reads", "give a folder with config.json");
    if (open->continuation < 0 || open->continuation > MAX_CONTINUATION)
        return cli_usage("--continue", "is out of range", "give a whole number from 0 to 100000");
    int status = cli_drawing_check(&o->drawing);
    open->windowless = cli_drawing_wanted(&o->drawing);
    if (o->presents && open->windowless)
        o->drawing.size.theme = viz_theme_presented(o->drawing.size.theme);
    if (status == CLI_DONE &&
        app_view_options_take(o->settings, open->settings, &open->setting_count, &error) != SAC_OK)
        return cli_report(&error);
    return status;
}

/* ---------------------------------------------------------------- what is done */

/* A window that was closed while a driver compiles: it cannot be told to stop, and what it uses
 * cannot be freed. */
_Noreturn static void end_at_once(sac_status status, const sac_error *error)
{
    int code = status == SAC_OK ? CLI_DONE : cli_report(error);
    sac_quarantine_abandon(); /* the driver did not die */
    sac_outputs_abandon();
    fflush(stdout);
    _exit(code);
}

/* A person at a window gets what the machine can show; a picture has no machine. */
static sac_status show_window(app_document *document, const view_options *o, sac_error *error)
{
    float density = o->drawing.size.density > 0 ? o->drawing.size.density : 1.0f;
    bool left_working = false;
    viz_opening *first = app_load_first(document, &o->open, error);
    if (!first)
        return error->status;
    char problem[1200];
    viz_window_settings settings;
    app_settings_load(&settings, problem, sizeof problem);
    if (problem[0])
        sac_print(stderr, "saccade: %s\n", problem);
    viz_window_options options = {
        .width = (int)((float)o->drawing.size.width / density),
        .height = (int)((float)o->drawing.size.height / density),
        .density = o->drawing.size.density,
        .theme = o->drawing.theme_name ? o->drawing.size.theme : NULL,
        .presents = o->presents,
        .settings = settings,
        .keep = app_settings_save,
        .name = first->name,
        .interrupted = cli_interrupted,
        .first = first,
        .open = app_load_files,
        .recent = app_recent_list,
        .back = app_load_before,
        .follow = app_load_turned,
        .next_device = app_load_next_device,
        .choose = app_load_reading,
        .user = document,
        .left_working = &left_working,
    };
    cli_waits_show(false);
    sac_status status = viz_window_run(&document->shell, &options, error);
    if (left_working)
        end_at_once(status, error);
    return status;
}

/* An error that a stop caused is told as the stop. */
static sac_status write_pictures(app_document *document, const view_options *o, sac_error *error)
{
    bool is_animation = o->drawing.apng || o->drawing.gif || o->drawing.frames;
    sac_status status = app_document_open(document, &o->open, error);
    if (status == SAC_OK) {
        app_document_tell(document);
        if (o->pins)
            status = cli_pin_states(&o->drawing, o->pins, o->difference, &document->shell, error);
    }
    if (status == SAC_OK)
        status = cli_drawing_write(&o->drawing, &document->shell, error);
    if (status == SAC_E_CANCELLED)
        return sac_fail(error, status, is_animation ? "animation" : "picture", NULL,
                        "stopped on request");
    return status;
}

static int run(view_options *o)
{
    app_document document = {0};
    sac_error error = {0};
    bool drawn = o->open.windowless, told = o->json || o->npz || (drawn && o->open.continuation);
    sac_status status = told ? cli_passage(&o->open, o->json, o->npz, &error) : SAC_OK;
    if (told && (status != SAC_OK || !drawn))
        return status == SAC_OK ? CLI_DONE : cli_report(&error);
    status = viz_text_open(&error);
    if (status == SAC_OK)
        status = o->open.windowless ? write_pictures(&document, o, &error)
                                    : show_window(&document, o, &error);
    app_document_close(&document);
    viz_text_close();
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

int cli_view_window(const app_open_request *request, const cli_drawing *drawing)
{
    const viz_theme *theme = drawing->size.theme;
    view_options o = {.open = *request, .drawing = *drawing, .presents = theme && theme->presents};
    return run(&o);
}

int cli_view(cli_args args)
{
    view_options o = {0};
    int parsed = parse(args, &o);
    if (parsed == CLI_DONE)
        parsed = check(&o);
    if (parsed != CLI_DONE)
        return parsed < 0 ? CLI_DONE : parsed;
    return run(&o);
}
