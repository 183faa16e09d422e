/* saccade view: a window on pictures, weights or arrays, or the same as a PNG. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/document_loader.h"
#include "app/kept/recent.h"
#include "app/kept/settings.h"
#include "app/trainer.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "cli/commands/caption_json.h"
#include "cli/commands/inference.h"
#include "cli/commands/view.h"
#include "device/quarantine.h"
#include "pretrained/files/foreign_folder.h"
#include "pretrained/files/places.h"
#include "pretrained/files/pretrained.h"
#include "view/words.h"

enum { MAX_GRID = 4096, MAX_CONTINUATION = 100000 };

typedef struct view_options {
    const char *files[APP_MAX_FILES];
    const char *grid_text, *causal;
    int window;
    bool presents, difference;
    const char *second; /* text of a pair … */
    char *pair;         /* … and both as one text; owned */
    cli_list ignored;   /* keys of a GGUF */
    bool json;          /* of a text that the model of a folder reads … */
    const char *npz;
    const char *pins;                           /* states to pin; NULL: none */
    const char *settings[APP_MAX_VIEW_OPTIONS]; /* as given, for the rules of that number */
    char help[APP_MAX_VIEW_OPTIONS][200];       /* of these options */
    cli_drawing drawing;
    app_request open;
} view_options;

/* ---------------------------------------------------------------- the command line */

static void add_settings(view_options *o, cli_option *options)
{
    for (int i = 0; app_view_option_rules[i].option; i++) {
        const app_view_option_rule *rule = &app_view_option_rules[i];
        char allowed[120];
        snprintf(o->help[i], sizeof o->help[i], "%s (%s)", rule->help,
                 app_view_option_allowed(rule, allowed, sizeof allowed));
        options[i] = (cli_option){rule->option, CLI_TEXT,         &o->settings[i],
                                  NULL,         rule->value_name, o->help[i]};
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
     "array of weights or of queries; * stands for the number of the layer; or a model's stage"},
    {"--axes", CLI_TEXT, AT(open.axes), "AXES",
     "axes of the weights (such as LBHQK), or of the queries (such as BTHD)"},
    {"--labels", CLI_TEXT, AT(open.labels), "F",
     "tokens: text with one per line, JSON, .npz or .npy"},
    {"--grid", CLI_TEXT, AT(grid_text), "WxH", "grid that the keys form over a picture"},
    {"--prefix", CLI_WHOLE, AT(open.prefix), "N", "number of leading tokens that are not cells"},
    {"--leave-out", CLI_TEXT, AT(open.leave_out), "NAMES",
     "arrays to ignore, separated by commas; * matches any text"},
    {"--softmax", CLI_FLAG, AT(open.softmax), NULL, "the array holds scores: show their softmax"},
    {"--padding", CLI_FLAG, AT(open.padding), NULL, "show padding that a mask in the file marks"},
    {"--allow-nan", CLI_FLAG, AT(open.allow_nan), NULL,
     "accept NaN in weights: hatch and count it"},
    {"--causal", CLI_CHOICE, AT(causal), CLI_CAUSAL_WORDS,
     "query i sees keys 0 to i; with fewer queries than keys counted from the end"},
    {"--heads", CLI_WHOLE, AT(open.spec.heads), "H", "number of heads in queries and keys"},
    {"--kv-heads", CLI_WHOLE, AT(open.spec.key_heads), "H",
     "number of heads in keys, each shared by several heads of queries"},
    {"--softcap", CLI_REAL, AT(open.spec.softcap), "C",
     "queries and keys: a score s becomes C tanh(s/C)"},
    {"--window", CLI_WHOLE, AT(window), "N", "query i sees keys less than N away"},
};
enum { ARRAY_OPTIONS = sizeof array_options / sizeof *array_options };

static void add_array_options(view_options *o, cli_option *options)
{
    for (int i = 0; i < ARRAY_OPTIONS; i++) {
        const array_option *own = &array_options[i];
        options[i] = (cli_option){own->name, own->kind,       (char *)o + own->at,
                                  NULL,      own->value_name, own->help};
    }
}

/* The options of all that draws, the view's own, those of arrays, then one for each setting. */
static int parse(cli_args args, view_options *o)
{
    app_request *open = &o->open;
    char tabs[160] = "tab to open: ";
    viz_views_list(tabs + strlen(tabs), sizeof tabs - strlen(tabs));
    const cli_option own[] = {
        {"--present", CLI_FLAG, &o->presents, NULL, NULL, CLI_PRESENT_HELP},
        {"--tab", CLI_TEXT, &open->tab, NULL, "T", tabs},
        {"--pin", CLI_TEXT, &o->pins, NULL, "STATES",
         "show up to four states side by side, such as \"temperature 0.5; temperature 2, score "
         "dot\""},
        {"--difference", CLI_FLAG, &o->difference, NULL, NULL,
         "show how these states differ from the first, or the second file's weights from the "
         "first's"},
        {"--with", CLI_TEXT, &open->with, NULL, "S", CLI_WITH_HELP},
        {"--between", CLI_TEXT, &open->between, NULL, "P,P", CLI_BETWEEN_HELP},
        {"--scene", CLI_SEED, &open->scene, &open->scene_given, "N",
         "caption scene N of the test stream instead of a file"},
        {"--dataset", CLI_TEXT, &open->dataset, NULL, "D",
         "captioner trained on " CLI_CAPTIONER_HELP},
        {"--text", CLI_TEXT, &open->text, NULL, "TEXT",
         "sentence to translate, text for a pretrained model, or what it is asked of a picture"},
        {"--text-pair", CLI_TEXT, &o->second, NULL, "TEXT",
         "second text, which an encoder reads with that one as a pair"},
        {"--from", CLI_TEXT, &open->from, NULL, "L",
         "language of that sentence, by the code of a translator between many"},
        {"--to", CLI_TEXT, &open->to, NULL, "L", "language that it is translated to"},
        {"--language", CLI_TEXT, &open->language, NULL, "L", CLI_LANGUAGE_HELP},
        {"--task", CLI_TEXT, &open->task, NULL, "T", CLI_TASK_HELP},
        {"--json", CLI_FLAG, &o->json, NULL, NULL,
         "of a pretrained model: print tokens and the most probable next ones"},
        {"--continue", CLI_WHOLE, &open->continuation, NULL, "N",
         "tokens to generate after the text; with --temperature they are sampled"},
        {"--seed", CLI_SEED, &open->draw.seed, NULL, "N", "seed of that sampling"},
        {"--top-k", CLI_WHOLE, &open->draw.top_k, NULL, "K",
         "sample from the K most probable tokens alone"},
        {"--top-p", CLI_REAL, &open->draw.top_p, NULL, "P",
         "sample from the most probable tokens that have P of the probability together"},
        {"--as-trained", CLI_FLAG, &open->as_trained, NULL, NULL,
         "preprocess the picture as in training"},
        {"--boxes", CLI_TEXT, &open->boxes, NULL, "F",
         "JSON file of the objects in the picture, for a pretrained model"},
        {"--weights", CLI_TEXT, &open->weights, NULL, "F", "captioner or translator of your own"},
        {"--ignore", CLI_LIST, &o->ignored, NULL, "KEY",
         "pass over a key of a GGUF that is not known or not supported"},
        {"--follow", CLI_FLAG, &open->follow, NULL, NULL,
         "open every file that a PNG of Saccade refers to; only for PNGs you trust"},
        {"--device", CLI_TEXT, &open->device, NULL, "S", CLI_DEVICES_HELP},
    };
    enum { OWN = sizeof own / sizeof *own };
    cli_option options[OWN + ARRAY_OPTIONS + APP_MAX_VIEW_OPTIONS + 1] = {{0}};
    o->drawing.types = CLI_PICTURES | CLI_PAGES | CLI_TABLES | CLI_SUBTITLES;
    o->drawing.what =
        "what the window would show: a picture, an animation, the weights as numbers; "
        "of a pretrained model its arrays, what --json prints, or subtitles of a sound";
    o->drawing.npz = &o->npz;
    o->drawing.json = &o->json;
    memcpy(options, own, sizeof own);
    add_array_options(o, options + OWN);
    add_settings(o, options + OWN + ARRAY_OPTIONS);
    return cli_parse_drawing(args, options, &o->drawing, o->files, APP_MAX_FILES,
                             &open->file_count);
}

/* Both texts of a pair as one, as a person types it. */
static int join_pair(view_options *o)
{
    static const char between[] = " [SEP] ";
    app_request *open = &o->open;
    if (!o->second)
        return CLI_DONE;
    if (!open->text)
        return cli_usage("--text-pair", "is given without --text", "give both texts");
    if (!open->text[strspn(open->text, " ")] || !o->second[strspn(o->second, " ")] ||
        strstr(open->text, "[SEP]") || strstr(o->second, "[SEP]"))
        return cli_usage("--text-pair", "is not a pair with --text",
                         "give two texts with words in them, and without [SEP]");
    size_t size = strlen(open->text) + strlen(o->second) + sizeof between;
    o->pair = malloc(size);
    sac_error error = {0};
    if (!o->pair) {
        sac_no_memory(&error, "--text-pair");
        return cli_report(&error);
    }
    snprintf(o->pair, size, "%s%s%s", open->text, between, o->second);
    open->text = o->pair;
    open->is_pair = true;
    return CLI_DONE;
}

/* Checks that go beyond the options' being words and numbers. */
static int check(view_options *o)
{
    app_request *open = &o->open;
    open->files = o->files;
    if (o->grid_text && !cli_read_sides(o->grid_text, 1, MAX_GRID, &open->grid_w, &open->grid_h))
        return cli_usage("--grid", "is not a grid", "give WxH in cells, such as 14x14");
    if (open->scene_given && open->file_count)
        return cli_usage("--scene", "is given beside a file", "give one of the two");
    if (cli_captioner_check(open->dataset, open->weights) != CLI_DONE)
        return CLI_USAGE;
    if (open->prefix < 0)
        return cli_usage("--prefix", "must be at least 0",
                         "give the number of tokens before the cells");
    int joined = join_pair(o);
    if (joined != CLI_DONE)
        return joined;
    if (o->window < 0 || open->spec.key_heads < 0)
        return cli_usage(o->window < 0 ? "--window" : "--kv-heads", "must be at least 1",
                         "give 1 or more");
    open->difference = o->difference && !o->pins;
    if (o->pins && !cli_drawing_has(&o->drawing, CLI_BIT(CLI_PNG)))
        return cli_usage("--pin", "needs a picture to draw", "add --out FILE.png");
    open->spec.window = (size_t)o->window;
    cli_causal_take(o->causal, &open->spec);
    bool is_folder = open->file_count > 0 && sac_is_pretrained(open->files[0]);
    sac_error error = {0};
    char place[SAC_PLACE_SIZE];
    if (o->ignored.count && is_folder && sac_pretrained_place(open->files[0], place) &&
        sac_is_folder(place))
        return cli_usage("--ignore", "works with a GGUF only", "leave it out");
    for (int i = 0; i < o->ignored.count; i++)
        if (sac_gguf_ignore(o->ignored.values[i], &error) != SAC_OK)
            return cli_report(&error);
    if ((open->text || o->json || o->npz || open->continuation) && !is_folder && open->file_count &&
        sac_place_check(open->files[0], &error) != SAC_OK)
        return cli_report(&error);
    if (open->text && !is_folder && open->file_count &&
        sac_foreign_path_check(open->files[0], &error) != SAC_OK)
        return cli_report(&error);
    if (open->continuation && !is_folder && !open->tab)
        open->tab = "next"; /* of a captioner or translator of ours */
    if (open->continuation < 0 || open->continuation > MAX_CONTINUATION)
        return cli_usage("--continue", "is out of range", "give a whole number from 0 to 100000");
    if (open->draw.top_k < 0 || !(open->draw.top_p >= 0 && open->draw.top_p <= 1))
        return cli_usage(open->draw.top_k < 0 ? "--top-k" : "--top-p", "is out of range",
                         open->draw.top_k < 0 ? "give 1 or more" : "give a number from 0 to 1");
    open->windowless = cli_drawing_wanted(&o->drawing);
    if (o->presents && open->windowless)
        o->drawing.size.theme = viz_theme_presented(o->drawing.size.theme);
    sac_status status =
        app_view_options_take(o->settings, open->settings, &open->setting_count, &error);
    for (int i = 0; i < open->setting_count && !open->tab; i++)
        if (strcmp(open->settings[i].key, "rows") == 0 ||
            strcmp(open->settings[i].key, "columns") == 0)
            open->tab = "matrix"; /* whose rows and columns these are */
    for (int i = 0; i < open->setting_count && open->windowless; i++)
        if (strcmp(open->settings[i].key, "layout") == 0 &&
            strcmp(open->settings[i].value, "figure") == 0)
            cli_drawing_fit(&o->drawing);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

/* ---------------------------------------------------------------- what is done */

#define SAVE_WAIT_S 60.0 /* for a training's weights: a step, and what the driver is at */

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
        .notice = cli_notice_take,
        .first = first,
        .open = app_load_files,
        .offer = app_offer,
        .place = app_load_place,
        .back = app_load_before,
        .follow = app_load_turned,
        .next_device = app_load_next_device,
        .choose = app_load_reading,
        .user = document,
        .left_working = &left_working,
    };
    cli_waits_show(false);
    sac_status status = viz_window_run(&document->shell, &options, error);
    if (left_working) {
        app_training_stop(document->training, SAVE_WAIT_S);
        end_at_once(status, error);
    }
    return status;
}

static sac_status write_pictures(app_document *document, const view_options *o, sac_error *error)
{
    sac_status status = SAC_OK;
    app_document_report(document);
    if (o->pins)
        status = cli_split_states(o->pins, o->difference, &document->shell, error);
    return status == SAC_OK ? cli_drawing_write(&o->drawing, &document->shell, error) : status;
}

/* Of all pieces of the sound that is shown, which is open again then. */
static sac_status find_subtitles(sac_source *source, sac_subtitles *subtitles, sac_error *error)
{
    const int shown = source->picture.number;
    bool goes_on = true;
    sac_status status = SAC_OK;
    while (status == SAC_OK && goes_on) {
        sac_caption caption = {0};
        status = sac_source_generate(source, &(sac_caption_request){0}, &caption, error);
        if (status == SAC_OK)
            status = sac_subtitles_add(subtitles, &caption, error);
        goes_on = caption.goes_on;
        sac_caption_free(&caption);
        if (status == SAC_OK && goes_on)
            status = sac_source_turn(source, source->picture.number + 1, error);
    }
    return status == SAC_OK && source->picture.number != shown
               ? sac_source_turn(source, shown, error)
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
    if (!source || !source->speaker.has_times)
        return sac_fail(error, SAC_E_ARGUMENT, asked.files[0].path,
                        "give a sound to a model of speech, such as Whisper",
                        "what is open has no words with times");
    sac_status status = SAC_OK;
    for (int i = 0; i < asked.file_count && status == SAC_OK; i++)
        status = sac_output_check(asked.files[i].path, error); /* a sound may take long */
    if (status == SAC_OK)
        status = find_subtitles(source, &subtitles, error);
    for (int i = 0; i < asked.file_count && status == SAC_OK; i++)
        status = cli_save_subtitles(&subtitles, asked.files[i].type, asked.files[i].path, error);
    sac_subtitles_free(&subtitles);
    return status;
}

static int run(view_options *o)
{
    app_document document = {0};
    sac_error error = {0};
    bool drawn = o->open.windowless, prints = o->json || o->npz || (drawn && o->open.continuation);
    sac_status status = drawn || !prints ? viz_words_open(&error) : SAC_OK;
    o->open.windowless = drawn || prints;
    if (status == SAC_OK && o->open.windowless)
        status = app_open(&document, &o->open, &error);
    if (status == SAC_OK)
        status = write_subtitles(&document, &o->drawing, &error);
    if (status == SAC_OK && prints)
        status = cli_inference(&document, o->json, o->npz, &error);
    if (status == SAC_OK && drawn)
        status = write_pictures(&document, o, &error);
    else if (status == SAC_OK && !prints)
        status = show_window(&document, o, &error);
    if (status == SAC_E_CANCELLED && drawn) /* an error that a stop caused is told as the stop */
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
    view_options o = {.open = *request, .drawing = *drawing, .presents = theme && theme->presents};
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
    free(o.pair);
    return parsed < 0 ? CLI_DONE : parsed;
}

const cli_command cli_view = {
    "view", "[OPTIONS] FILE…",
    "open pictures, attention weights, arrays or models in a window, or write a picture of them",
    run_view};
