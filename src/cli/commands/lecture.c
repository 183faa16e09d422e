/* saccade lecture: opens a lecture, and writes it for hand-outs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/open/reopen.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "cli/cli.h"
#include "cli/commands/view.h"
#include "export/handout.h"
#include "view/words.h"

typedef struct request {
    const char *file, *device;
    int stop; /* from 1; 0: the first one */
    bool presents, follow, lists;
    cli_drawing drawing;
} request;

static int read_request(cli_args args, request *r)
{
    int files;
    r->drawing.types = CLI_BIT(CLI_PDF) | CLI_PAGES;
    r->drawing.what =
        "the stops for a hand-out, a page each, or one file for a browser, which → and "
        "← walk";
    const cli_option own[] = {
        {"--stop", CLI_WHOLE, &r->stop, NULL, "N", "begin at stop N, from 1"},
        {"--list", CLI_FLAG, &r->lists, NULL, NULL,
         "print the stops, and of which the files are not there"},
        {"--present", CLI_FLAG, &r->presents, NULL, NULL, CLI_PRESENT_HELP},
        {"--follow", CLI_FLAG, &r->follow, NULL, NULL,
         "open every file that the lecture refers to, wherever it is"},
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICE_HELP},
        {NULL},
    };
    int status = cli_parse_drawing(args, own, &r->drawing, &r->file, 1, &files);
    if (status != CLI_DONE)
        return status;
    if (!files)
        return cli_usage("lecture", "needs a file",
                         "give one that a window made with ctrl D, such as talk.lecture");
    const bool writes = cli_drawing_wanted(&r->drawing);
    if (r->stop < 0 || (r->stop && (writes || r->lists)))
        return cli_usage("--stop",
                         writes || r->lists ? "is given beside --out or --list, which are of all"
                                            : "is no stop",
                         writes || r->lists ? "leave it out" : "count from 1");
    if (r->lists && (writes || r->presents))
        return cli_usage("--list", "opens nothing and writes nothing", "give it alone");
    viz_export_size *size = &r->drawing.size;
    if (r->drawing.width_text || size->fps)
        return cli_usage(r->drawing.width_text ? "--width" : "--fps", "is not for a lecture",
                         "leave it out");
    if (r->drawing.layout_name)
        return cli_usage("--layout",
                         "is not for a lecture, whose stops are views as the window has them",
                         "leave it out");
    if (size->paper_width > 0) /* a sheet for each stop, on its side as views are */
        *size = (viz_export_size){.width = (int)lroundf(2 * size->paper_height),
                                  .height = (int)lroundf(2 * size->paper_width),
                                  .density = 2,
                                  .theme = size->theme,
                                  .no_origin = size->no_origin};
    if (writes && !r->drawing.theme_name)
        r->drawing.size.theme = &viz_theme_light;
    return CLI_DONE;
}

/* ---------------------------------------------------------------- the list */

static sac_status print_stops(const request *r, sac_error *error)
{
    sac_lecture lecture;
    sac_status status = sac_lecture_load(r->file, &lecture, error);
    if (status == SAC_OK && lecture.title[0])
        sac_print(stdout, "%s\n", lecture.title);
    for (int i = 0; i < lecture.count && status == SAC_OK; i++) {
        const sac_lecture_stop *stop = &lecture.stops[i];
        const char *view = sac_png_texts_get(&stop->shows, "view");
        app_saved *saved = NULL;
        bool found = app_saved_find(r->file, &stop->shows, r->follow, &saved);
        if (!saved)
            status = sac_no_memory(error, r->file);
        else
            sac_print(stdout, "%3d  %-11s  %s%s%s\n", i + 1, view ? view : "", stop->title,
                      found ? "" : "  ·  ",
                      found            ? ""
                      : saved->note[0] ? saved->note
                                       : "shows nothing that this version can open");
        app_saved_free(saved);
    }
    sac_lecture_free(&lecture);
    return status;
}

/* ---------------------------------------------------------------- hand-outs */

static sac_status add_stop(const request *r, int stop, viz_handout *handout, sac_error *error)
{
    const sac_progress progress = cli_progress("drawing");
    const app_request open = {.files = &r->file,
                              .file_count = 1,
                              .stop = stop,
                              .windowless = true,
                              .follow = r->follow,
                              .device = r->device};
    app_document document = {0};
    sac_status status = app_open(&document, &open, error);
    if (status == SAC_OK && document.stop_problem[0])
        sac_print(stderr, "saccade: %s: %s\n", r->file, document.stop_problem);
    if (status == SAC_OK)
        status = viz_handout_add(handout, &document.shell, document.stop_title, document.stop_note,
                                 &progress, error);
    app_document_close(&document);
    return status;
}

/* The name of the file without its ending, where the lecture has no title. */
static const char *title_of(const sac_lecture *lecture, const char *file, char name[200])
{
    const char *slash = strrchr(file, '/');
    if (lecture->title[0])
        return lecture->title;
    snprintf(name, 200, "%.199s", slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

static sac_status write_handout(const request *r, sac_error *error)
{
    const cli_drawing *d = &r->drawing;
    char name[200];
    viz_handout *handout = NULL;
    sac_lecture lecture;
    sac_status status = sac_lecture_load(r->file, &lecture, error);
    for (int i = 0; i < d->file_count && status == SAC_OK; i++)
        status = sac_output_check(d->files[i].path, error); /* before all that takes long */
    if (status == SAC_OK)
        status = viz_handout_create(&d->size, lecture.count, cli_drawing_has(d, CLI_BIT(CLI_PDF)),
                                    cli_drawing_has(d, CLI_PAGES), &handout, error);
    for (int i = 0; i < lecture.count && status == SAC_OK; i++)
        status = cli_interrupted()
                     ? sac_fail(error, SAC_E_CANCELLED, "lecture", NULL, "stopped on request")
                     : add_stop(r, i, handout, error);
    for (int i = 0; i < d->file_count && status == SAC_OK; i++)
        status = d->files[i].type == CLI_PDF
                     ? viz_handout_save_pdf(handout, d->files[i].path, error)
                     : viz_handout_save_html(handout, title_of(&lecture, r->file, name),
                                             d->files[i].path, error);
    viz_handout_destroy(handout);
    sac_lecture_free(&lecture);
    return status;
}

/* ---------------------------------------------------------------- the command */

static int open_window(request *r)
{
    app_request open = {.files = &r->file,
                        .file_count = 1,
                        .stop = r->stop ? r->stop - 1 : 0,
                        .follow = r->follow,
                        .device = r->device};
    sac_error error = {0};
    sac_lecture lecture; /* a file that is none is not to be opened as something else */
    sac_status status = sac_lecture_load(r->file, &lecture, &error);
    sac_lecture_free(&lecture);
    if (status != SAC_OK)
        return cli_report(&error);
    if (r->presents)
        r->drawing.size.theme = viz_theme_presented(r->drawing.size.theme);
    return cli_view_window(&open, &r->drawing);
}

static int run_lecture(cli_args args)
{
    request r = {0};
    sac_error error = {0};
    int parsed = read_request(args, &r);
    if (parsed != CLI_DONE)
        return parsed < 0 ? CLI_DONE : parsed;
    if (!r.lists && !cli_drawing_wanted(&r.drawing))
        return open_window(&r);
    sac_status status = cli_drawing_open_fonts(&r.drawing, &error);
    if (status == SAC_OK)
        status = r.lists ? print_stops(&r, &error) : write_handout(&r, &error);
    cli_drawing_close_fonts(&r.drawing);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_lecture = {"lecture", "FILE [OPTIONS]",
                                 "walk through a lecture of views, or write it for hand-outs",
                                 run_lecture};
