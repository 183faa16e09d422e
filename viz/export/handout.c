/* Stops are drawn one after the other, as each is open alone; what is kept of them becomes one file. */
#include "export/handout.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "export/html/html.h"
#include "export/html/html_parts.h"
#include "export/vector.h"
#include "images/png_write.h"
#include "shell/split/split.h"
#include "sources/translate.h"
#include "view/words.h"

#define DENSITY 2.0f /* of a picture in HTML, so that it is sharp on a large display */

typedef struct handout_stop {
    viz_recording recording; /* for a PDF */
    int width, height;
    float density;
    char *title, *note; /* owned, like the rest: for HTML … */
    char *page;         /* … a whole page, … */
    char *picture;      /* … else a PNG [picture_size] … */
    size_t picture_size;
    char *absent; /* … else why there is none */
} handout_stop;

struct viz_handout {
    viz_export_size size;
    bool pdf, html;
    handout_stop *stops; /* [most], owned */
    int count, most;
};

sac_status viz_handout_create(const viz_export_size *size, int count, bool pdf, bool html,
                              viz_handout **place, sac_error *error)
{
    viz_handout *handout = *place = calloc(1, sizeof *handout);
    if (handout)
        *handout = (viz_handout){.size = *size, .pdf = pdf, .html = html, .most = count};
    if (!handout || !(handout->stops = calloc((size_t)count, sizeof *handout->stops)))
        return sac_no_memory(error, "hand-out");
    return SAC_OK;
}

void viz_handout_destroy(viz_handout *handout)
{
    for (int i = 0; handout && i < handout->count; i++) {
        handout_stop *stop = &handout->stops[i];
        viz_recording_free(&stop->recording);
        free(stop->title);
        free(stop->note);
        free(stop->page);
        free(stop->picture);
        free(stop->absent);
    }
    if (handout)
        free(handout->stops);
    free(handout);
}

static sac_status add_paper_page(const viz_handout *handout, viz_shell *shell, handout_stop *stop,
                                 sac_error *error)
{
    char place[32];
    viz_canvas canvas = {0};
    snprintf(place, sizeof place, "%d / %d", handout->count, handout->most);
    shell->paper = (viz_paper){stop->title, place, stop->note};
    sac_status status = viz_export_draw(shell, &handout->size, &stop->recording, &canvas, error);
    shell->paper = (viz_paper){0};
    stop->width = canvas.width;
    stop->height = canvas.height;
    stop->density = canvas.density;
    viz_canvas_free(&canvas);
    return status;
}

/* A view that has none leaves `page` empty. */
static sac_status add_own_page(const viz_handout *handout, viz_shell *shell, handout_stop *stop,
                               const sac_progress *progress, sac_error *error)
{
    viz_view *view = viz_shell_tab_view(shell);
    sac_error wrong = {0};
    size_t size;
    if (viz_is_split(view) || viz_view_is_figure(view))
        return SAC_OK;
    FILE *memory = open_memstream(&stop->page, &size);
    if (!memory)
        return sac_no_memory(error, "hand-out");
    sac_status status = viz_html_write(view, handout->size.theme == &viz_theme_light,
                                       handout->size.no_origin, memory, progress, &wrong);
    if (fclose(memory) != 0 && status == SAC_OK)
        status = sac_no_memory(&wrong, "hand-out");
    if (status == SAC_OK)
        return SAC_OK;
    free(stop->page);
    stop->page = NULL;
    if (status == SAC_E_ARGUMENT || status == SAC_E_SHAPE)
        return SAC_OK;
    if (error)
        *error = wrong;
    return status;
}

static sac_status add_picture(const viz_handout *handout, viz_shell *shell, handout_stop *stop,
                              sac_error *error)
{
    viz_export_size size = handout->size;
    viz_canvas canvas = {0};
    if (!size.width) {
        size.width = (int)(1280 * DENSITY);
        size.height = (int)(800 * DENSITY);
        size.density = DENSITY;
    }
    shell->paper = (viz_paper){"", "", NULL};
    sac_status status = viz_export_draw(shell, &size, NULL, &canvas, error);
    shell->paper = (viz_paper){0};
    FILE *memory = status == SAC_OK ? open_memstream(&stop->picture, &stop->picture_size) : NULL;
    if (status == SAC_OK && !memory)
        status = sac_no_memory(error, "hand-out");
    if (status == SAC_OK)
        status =
            sac_png_write(memory, "hand-out",
                          &(sac_image){canvas.width, canvas.height, canvas.rgba}, NULL, 0, error);
    if (memory && fclose(memory) != 0 && status == SAC_OK)
        status = sac_no_memory(error, "hand-out");
    viz_canvas_free(&canvas);
    return status;
}

sac_status viz_handout_add(viz_handout *handout, viz_shell *shell, const char *title,
                           const char *note, const sac_progress *progress, sac_error *error)
{
    handout_stop *stop = &handout->stops[handout->count++];
    sac_status status = SAC_OK;
    stop->title = strdup(title);
    stop->note = strdup(note ? note : "");
    if (!stop->title || !stop->note)
        status = sac_no_memory(error, "hand-out");
    if (status == SAC_OK && handout->pdf)
        status = add_paper_page(handout, shell, stop, error);
    if (status != SAC_OK || !handout->html)
        return status;
    if (!viz_shell_tab_view(shell))
        return (stop->absent = strdup(shell->absent)) ? SAC_OK : sac_no_memory(error, "hand-out");
    status = viz_export_settle(shell, &handout->size, error);
    if (status == SAC_OK)
        status = add_own_page(handout, shell, stop, progress, error);
    return status == SAC_OK && !stop->page ? add_picture(handout, shell, stop, error) : status;
}

sac_status viz_handout_save_pdf(const viz_handout *handout, const char *path, sac_error *error)
{
    viz_page *pages = calloc((size_t)handout->count, sizeof *pages);
    const sac_png_text software = {"Software", "Saccade " SAC_VERSION};
    if (!pages)
        return sac_no_memory(error, path);
    for (int i = 0; i < handout->count; i++) {
        const handout_stop *stop = &handout->stops[i];
        pages[i] =
            (viz_page){&stop->recording, stop->width, stop->height, stop->density, &software, 1};
    }
    sac_status status = viz_pdf_save(pages, handout->count, path, error);
    free(pages);
    return status;
}

static void put_field(FILE *file, const char *before, const char *key, const char *text)
{
    fputs(before, file);
    sac_write_json_text(file, key);
    fputc(':', file);
    sac_write_json_text(file, text);
}

static void put_stop(FILE *file, const handout_stop *stop)
{
    put_field(file, "{", "title", stop->title);
    put_field(file, ",", "note", stop->note);
    if (stop->page) {
        put_field(file, ",", "page", stop->page);
    } else if (stop->picture) {
        fputs(",\"picture\":\"data:image/png;base64,", file);
        sac_base64_put(file, stop->picture, stop->picture_size);
        fputc('"', file);
    } else {
        put_field(file, ",", "absent", stop->absent);
    }
    fputc('}', file);
}

sac_status viz_handout_save_html(const viz_handout *handout, const char *title, const char *path,
                                 sac_error *error)
{
    sac_output output = {0};
    sac_status status = sac_output_open(&output, path, error);
    if (status != SAC_OK)
        return status;
    FILE *file = output.file;
    fputs(viz_html_lecture_head, file);
    fputs("<script type=\"application/json\" id=\"data\">{\"made\":\"Saccade " SAC_VERSION "\"",
          file);
    put_field(file, ",\n", "title", title);
    put_field(file, ",\n", "theme", handout->size.theme == &viz_theme_light ? "light" : "dark");
    put_field(file, ",\n", "language", sac_locale_names[viz_language()]);
    put_field(file, ",\n\"words\":{", "stop", viz_word("stop of the lecture"));
    put_field(file, ",", "back", viz_word("the stop before"));
    put_field(file, ",", "next", viz_word("the next stop"));
    fputs("},\n\"stops\":[\n", file);
    for (int i = 0; i < handout->count; i++) {
        fputs(i ? ",\n" : "", file);
        put_stop(file, &handout->stops[i]);
    }
    fputs("]}</script>\n", file);
    fputs(viz_html_lecture_tail, file);
    status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
