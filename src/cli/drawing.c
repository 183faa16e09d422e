/* A view drawn without a window, into a file. */

#include "cli/drawing.h"

#include <string.h>

#include "canvas/text.h"

enum { MIN_SIDE = 160, MAX_SIDE = 16384, MAX_FPS = 60 };

void cli_drawing_options(cli_drawing *d, cli_option *options)
{
    const cli_option own[CLI_DRAWING_OPTIONS] = {
        {"--png", CLI_TEXT, &d->png, NULL, "F", "write a picture instead of opening a window"},
        {"--svg", CLI_TEXT, &d->svg, NULL, "F",
         "the same as shapes and text, for the web or to edit"},
        {"--pdf", CLI_TEXT, &d->pdf, NULL, "F", "the same as a page, for print and LaTeX"},
        {"--apng", CLI_TEXT, &d->apng, NULL, "F", "write an animated PNG"},
        {"--gif", CLI_TEXT, &d->gif, NULL, "F", "the same as a GIF, for slides"},
        {"--frames", CLI_TEXT, &d->frames, NULL, "DIR", "write the animation, a PNG a frame"},
        {"--fps", CLI_WHOLE, &d->size.fps, NULL, "N", "pictures a second of an animation; 25"},
        {"--size", CLI_TEXT, &d->size_text, NULL, "WxH", "of the picture or the window, in pixels"},
        {"--density", CLI_REAL, &d->size.density, NULL, "X", "2: everything twice as large"},
        {"--theme", CLI_TEXT, &d->theme_name, NULL, "T", "dark or light"},
        {"--no-origin", CLI_FLAG, &d->size.no_origin, NULL, NULL,
         "write nothing of where the picture came from into it"},
    };
    memcpy(options, own, sizeof own);
}

void cli_table_options(cli_drawing *d, cli_option *options)
{
    const cli_option own[CLI_TABLE_OPTIONS] = {
        {"--tsv", CLI_TEXT, &d->tsv, NULL, "F", "write the weights as numbers with tabs between"},
        {"--csv", CLI_TEXT, &d->csv, NULL, "F", "the same with commas"},
    };
    memcpy(options, own, sizeof own);
}

bool cli_read_sides(const char *text, int least, int most, int *width, int *height)
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

int cli_drawing_check(cli_drawing *d)
{
    d->size.theme = find_theme(d->theme_name);
    if (!d->size.theme)
        return cli_usage("--theme", "is neither of the two themes", "give dark or light");
    if (d->size_text &&
        !cli_read_sides(d->size_text, MIN_SIDE, MAX_SIDE, &d->size.width, &d->size.height))
        return cli_usage("--size", "is no size that can be drawn",
                         "give WxH, 160 to 16384 pixels each, such as 1280x800");
    if (d->size.density != 0 && (d->size.density < 0.5f || d->size.density > 8.0f))
        return cli_usage("--density", "is out of range", "give a number from 0.5 to 8");
    if (d->size.fps < 0 || d->size.fps > MAX_FPS)
        return cli_usage("--fps", "is out of range", "give a number from 1 to 60");
    return CLI_DONE;
}

bool cli_drawing_wanted(const cli_drawing *d)
{
    return d->png || d->svg || d->pdf || d->apng || d->gif || d->frames || d->tsv || d->csv;
}

sac_status cli_drawing_open(const cli_drawing *drawing, sac_error *error)
{
    return cli_drawing_wanted(drawing) ? viz_text_open(error) : SAC_OK;
}

void cli_drawing_close(const cli_drawing *drawing)
{
    if (cli_drawing_wanted(drawing))
        viz_text_close();
}

sac_status cli_drawing_write(const cli_drawing *d, viz_shell *shell, sac_error *error)
{
    sac_status status = SAC_OK;
    sac_progress progress = cli_progress("drawing");
    if (d->png)
        status = viz_export_png(shell, &d->size, d->png, error);
    if (status == SAC_OK && d->svg)
        status = viz_export_svg(shell, &d->size, d->svg, error);
    if (status == SAC_OK && d->pdf)
        status = viz_export_pdf(shell, &d->size, d->pdf, error);
    if (status == SAC_OK && d->apng)
        status = viz_export_apng(shell, &d->size, d->apng, &progress, error);
    if (status == SAC_OK && d->gif)
        status = viz_export_gif(shell, &d->size, d->gif, &progress, error);
    if (status == SAC_OK && d->frames)
        status = viz_export_frames(shell, &d->size, d->frames, &progress, error);
    if (status == SAC_OK && d->tsv)
        status = viz_export_table(shell, VIZ_TSV, d->tsv, &progress, error);
    if (status == SAC_OK && d->csv)
        status = viz_export_table(shell, VIZ_CSV, d->csv, &progress, error);
    return status;
}
