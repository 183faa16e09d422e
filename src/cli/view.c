/* saccade view: a window on pictures, weights or arrays, or the same as a PNG. */
#include <string.h>

#include "canvas/text.h"
#include "cli/cli.h"
#include "cli/open.h"
#include "export/export.h"
#include "window/window.h"

enum { MIN_SIDE = 160, MAX_SIDE = 16384, MAX_GRID = 4096 };

typedef struct view_options {
    const char *png, *apng, *frames, *size_text, *grid_text, *theme_name;
    const char *settings[CLI_MAX_SETTINGS]; /* as given, for the rules of that number */
    viz_export_size size;
    cli_open_request open;
} view_options;

/* ---------------------------------------------------------------- the command line */

/* The fixed options, then one for each setting of a view. */
static int parse(cli_args args, view_options *o)
{
    cli_open_request *open = &o->open;
    cli_option options[16 + CLI_MAX_SETTINGS] = {
        {"--png", CLI_TEXT, &o->png, NULL, "F", "write a picture instead of opening a window"},
        {"--apng", CLI_TEXT, &o->apng, NULL, "F", "write an animated PNG"},
        {"--frames", CLI_TEXT, &o->frames, NULL, "DIR", "write the animation, a PNG a frame"},
        {"--size", CLI_TEXT, &o->size_text, NULL, "WxH", "of the picture or the window, in pixels"},
        {"--density", CLI_REAL, &o->size.density, NULL, "X", "2: everything twice as large"},
        {"--theme", CLI_TEXT, &o->theme_name, NULL, "T", "dark or light"},
        {"--tab", CLI_TEXT, &open->tab, NULL, "T", "open on picture, matrix or heads"},
        {"--device", CLI_TEXT, &open->device, NULL, "S",
         "number from `saccade devices`, cpu, gpu, or part of a name"},
        {"--array", CLI_TEXT, &open->array, NULL, "NAME", "the array of weights; * for the layer"},
        {"--axes", CLI_TEXT, &open->axes, NULL, "AXES", "what its axes are, such as LBHQK"},
        {"--labels", CLI_TEXT, &open->labels, NULL, "F", "tokens: one a line, or JSON"},
        {"--grid", CLI_TEXT, &o->grid_text, NULL, "WxH", "of the keys over a picture"},
        {"--prefix", CLI_WHOLE, &open->prefix, NULL, "N", "leading tokens that are no cells"},
        {"--causal", CLI_FLAG, &open->spec.causal, NULL, NULL, "query i sees keys 0 to i alone"},
        {"--heads", CLI_WHOLE, &open->spec.heads, NULL, "H",
         "that queries and keys are split into"},
    };
    int count = 0;
    while (options[count].name)
        count++;
    for (int i = 0; cli_setting_rules[i].option; i++) {
        const cli_setting_rule *rule = &cli_setting_rules[i];
        options[count++] = (cli_option){rule->option, CLI_TEXT,         &o->settings[i],
                                        NULL,         rule->value_name, rule->help};
    }
    return cli_parse(cli_find("view"), args, options, open->files, CLI_MAX_FILES,
                     &open->file_count);
}

/* "1280x800" of sides from least to most. */
static bool read_sides(const char *text, int least, int most, int *width, int *height)
{
    int end = 0;
    return sscanf(text, "%dx%d%n", width, height, &end) == 2 && !text[end] && *width >= least &&
           *width <= most && *height >= least && *height <= most;
}

static const viz_theme *find_theme(const char *name)
{
    if (!name || strcmp(name, viz_theme_dark.name) == 0)
        return &viz_theme_dark;
    return strcmp(name, viz_theme_light.name) == 0 ? &viz_theme_light : NULL;
}

/* What the options mean beyond being words and numbers. */
static int check(view_options *o)
{
    cli_open_request *open = &o->open;
    o->size.theme = find_theme(o->theme_name);
    if (!o->size.theme)
        return cli_usage("--theme", "is neither of the two themes", "give dark or light");
    if (o->size_text &&
        !read_sides(o->size_text, MIN_SIDE, MAX_SIDE, &o->size.width, &o->size.height))
        return cli_usage("--size", "is no size that can be drawn",
                         "give WxH, 160 to 16384 pixels each, such as 1280x800");
    if (o->size.density != 0 && (o->size.density < 0.5f || o->size.density > 8.0f))
        return cli_usage("--density", "is out of range", "give a number from 0.5 to 8");
    if (o->grid_text && !read_sides(o->grid_text, 1, MAX_GRID, &open->grid_w, &open->grid_h))
        return cli_usage("--grid", "is no grid", "give WxH in cells, such as 14x14");
    if (open->prefix < 0)
        return cli_usage("--prefix", "is below 0", "give the number of tokens before the cells");
    return cli_settings_take(o->settings, open->settings, &open->setting_count);
}

/* ---------------------------------------------------------------- what is done */

/* A person at a window gets what the machine can show; a picture has no machine. */
static sac_status show_window(cli_document *document, const view_options *o, sac_error *error)
{
    float density = o->size.density > 0 ? o->size.density : 1.0f;
    viz_window_options options = {
        .width = (int)((float)o->size.width / density),
        .height = (int)((float)o->size.height / density),
        .density = o->size.density,
        .theme = o->size.theme,
        .name = document->file,
        .greeting = document->note[0] ? document->note : NULL,
        .interrupted = cli_interrupted,
        .open = cli_document_reopen,
        .next_device = cli_document_next_device,
        .user = document,
    };
    return viz_window_run(&document->shell, &options, error);
}

static sac_status write_files(cli_document *document, const view_options *o, sac_error *error)
{
    sac_status status = SAC_OK;
    sac_progress progress = cli_progress("drawing");
    if (o->png)
        status = viz_export_png(&document->shell, &o->size, o->png, error);
    if (status == SAC_OK && o->apng)
        status = viz_export_apng(&document->shell, &o->size, o->apng, &progress, error);
    if (status == SAC_OK && o->frames)
        status = viz_export_frames(&document->shell, &o->size, o->frames, &progress, error);
    return status;
}

int cli_view(cli_args args)
{
    view_options o = {0};
    cli_document document = {0};
    sac_error error = {0};
    int parsed = parse(args, &o);
    if (parsed == CLI_DONE)
        parsed = check(&o);
    if (parsed != CLI_DONE)
        return parsed < 0 ? CLI_DONE : parsed;
    sac_status status = viz_text_open(&error);
    if (status == SAC_OK)
        status = cli_document_open(&document, &o.open, &error);
    if (status == SAC_OK && document.note[0])
        printf("%s: %s\n", o.open.files[0], document.note);
    if (status == SAC_OK) {
        bool windowless = o.png || o.apng || o.frames;
        status =
            windowless ? write_files(&document, &o, &error) : show_window(&document, &o, &error);
    }
    cli_document_close(&document);
    viz_text_close();
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}
