/* Writes views as files: computes them, draws them, and saves them with their settings. */
#include "export/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "export/gif.h"
#include "export/html/html.h"
#include "export/vector.h"
#include "export/webp.h"
#include "images/png_write.h"
#include "saccade.h"
#include "shell/split/split.h"
#include "sources/origin.h"
#include "sources/saved_name.h"
#include "view/settings.h"
#include "view/snapshot.h"

#define VIZ_MAX_NOTES 192 /* of four sides */
#define VIZ_NAMED_FILES 16

typedef struct viz_notes {
    sac_png_text texts[VIZ_MAX_NOTES]; /* values are owned */
    size_t count;
    char *folder;                 /* of the picture, absolute; NULL: not known */
    char *files[VIZ_NAMED_FILES]; /* that are named, absolute; owned; NULL: none */
    sac_status status;
} viz_notes;

/* ---------------------------------------------------------------- the note of origin */

/* The folder of `path`, whether the file exists or not; NULL if there is none. */
static char *absolute_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    char *absolute = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return absolute;
}

/* The rest of `file` below the first `length` bytes of `folder`; NULL where it is not below them,
 * or they are the root, in which everything is. */
static const char *rest_below_folder(const char *file, const char *folder, size_t length)
{
    bool inside = length > 0 && strncmp(file, folder, length) == 0 && file[length] == '/';
    return inside ? file + length + 1 : NULL;
}

/* Returns a copy; NULL: no memory. */
static char *copy_relative_path(const char *file, const char *folder)
{
    const char *rest = rest_below_folder(file, folder, strlen(folder));
    if (rest)
        return strdup(rest);
    char *name = NULL;
    rest = rest_below_folder(file, folder, (size_t)(strrchr(folder, '/') - folder));
    if (!rest)
        return strdup(file);
    return asprintf(&name, "../%s", rest) < 0 ? NULL : name;
}

/* The notes that name files, and the notes of their hashes. */
static const struct {
    const char *key, *hash;
} of_files[VIZ_NAMED_FILES] = {{"file", "hash"},
                               {"from", "hash"},
                               {"labels", "labels hash"},
                               {"image", "image hash"},
                               {"second file", "second file hash"},
                               {"second image", "second image hash"},
                               {"weights", "weights hash"},
                               {"own", "own hash"},
                               {"own too", "own too hash"},
                               {"image 2", "image 2 hash"},
                               {"image 3", "image 3 hash"},
                               {"image 4", "image 4 hash"},
                               {"image 5", "image 5 hash"},
                               {"image 6", "image 6 hash"},
                               {"image 7", "image 7 hash"},
                               {"image 8", "image 8 hash"}};

static int named_file_index(const char *key)
{
    for (int i = 0; i < VIZ_NAMED_FILES; i++)
        if (strcmp(of_files[i].key, key) == 0)
            return i;
    return -1;
}

static void add(viz_notes *notes, const char *key, char *own)
{
    if (own && notes->count < VIZ_MAX_NOTES)
        notes->texts[notes->count++] = (sac_png_text){key, own};
    else
        free(own);
    if (!own)
        notes->status = SAC_E_MEMORY;
}

static void put_note(void *user, const char *key, const char *value)
{
    viz_notes *notes = user;
    if (!value || !value[0])
        return;
    int of = named_file_index(key);
    if (of >= 0) {
        /* Keeps where the file is now, for its hash, and names it relative to the picture. */
        char *absolute = realpath(value, NULL), *name;
        if (!absolute)
            absolute = strdup(value);
        name = !absolute       ? NULL
               : notes->folder ? copy_relative_path(absolute, notes->folder)
                               : strdup(absolute);
        char *written = name ? sac_saved_name_encode(name) : NULL;
        free(name);
        free(notes->files[of]);
        notes->files[of] = absolute;
        add(notes, of_files[of].key, written);
    } else
        add(notes, key, sac_valid_utf8_copy(value));
}

static bool has_note(const viz_notes *notes, const char *key)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->texts[i].key, key) == 0)
            return true;
    return false;
}

/* Collects the settings of `view` for the picture to be saved at `path`. Files in the picture's
 * folder, in its parent or below are named relative to it, so that they are found after all were
 * moved. Each has its hash (source/origin.h): as it was opened where the view knows that, else as
 * it is now. Free with free_notes, also after a failure. A setting that a view leaves out of
 * its description for want of memory counts as a gap of its picture does. */
static sac_status collect_notes_and(const viz_view *view, const viz_export_size *size,
                                    const char *path, const sac_png_text *more, size_t count,
                                    viz_notes *notes, sac_error *error)
{
    bool describes = !size || !size->no_origin;
    *notes = (viz_notes){.folder = absolute_folder(path)};
    put_note(notes, "Software", "Saccade " SAC_VERSION);
    for (size_t i = 0; i < count; i++)
        put_note(notes, more[i].key, more[i].value);
    if (describes && view)
        viz_view_describe(view, put_note, notes);
    /* A file that cannot be hashed, or is gone, is named without. */
    char hash[SAC_ORIGIN_HASH];
    for (int i = 0; i < VIZ_NAMED_FILES; i++)
        if (notes->files[i] && !has_note(notes, of_files[i].hash) &&
            sac_origin_hash(notes->files[i], hash, NULL) == SAC_OK && hash[0])
            add(notes, of_files[i].hash, strdup(hash));
    if (notes->status != SAC_OK)
        return sac_fail(error, notes->status, "picture", NULL,
                        "out of memory for its note of origin");
    return viz_drawing_check(error);
}

static sac_status collect_notes(const viz_view *view, const viz_export_size *size, const char *path,
                                viz_notes *notes, sac_error *error)
{
    return collect_notes_and(view, size, path, NULL, 0, notes, error);
}

static void free_notes(viz_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free((char *)notes->texts[i].value);
    for (int i = 0; i < VIZ_NAMED_FILES; i++)
        free(notes->files[i]);
    free(notes->folder);
    *notes = (viz_notes){0};
}

sac_status viz_export_texts(viz_shell *shell, const char *path, const sac_png_text *more,
                            size_t count, sac_png_texts *texts, sac_error *error)
{
    viz_notes notes = {0};
    *texts = (sac_png_texts){0};
    viz_drawing_begin();
    sac_status status =
        collect_notes_and(viz_shell_view(shell), NULL, path, more, count, &notes, error);
    if (status == SAC_OK && !sac_png_texts_copy(notes.texts, notes.count, texts))
        status = sac_no_memory(error, path);
    free_notes(&notes);
    return status;
}

#define MOST_HEIGHT 16384
#define FPS 25       /* unless asked otherwise: 40 ms a frame, exactly */
#define FEWER_FPS 15 /* where each frame takes much room: a glide of 300 ms has four or five */

/* ---------------------------------------------------------------- one picture */

static sac_status draw_settled(viz_shell *shell, viz_canvas *canvas, sac_error *error);

/* A canvas that is as high as its figure, which is known once that is computed. */
static sac_status fit_canvas_to_figure(viz_shell *shell, const viz_export_size *size,
                                       viz_canvas *canvas, sac_error *error)
{
    viz_view *view = viz_shell_view(shell);
    if (!size || !(size->figure > 0) || !view || !viz_view_is_figure(view))
        return SAC_OK;
    sac_status status = draw_settled(shell, canvas, error);
    if (status != SAC_OK)
        return status;
    float height = viz_view_figure_height(view, canvas, viz_width(canvas));
    int pixels = (int)ceilf(height * canvas->density);
    pixels = pixels < 1 ? 1 : pixels > MOST_HEIGHT ? MOST_HEIGHT : pixels;
    return viz_canvas_resize(canvas, canvas->width, pixels, error);
}

/* What a window saves is what it shows; what a command writes is the same each time. */
static sac_status open_canvas(viz_shell *shell, const viz_export_size *size, viz_canvas *canvas,
                              sac_error *error)
{
    int width = size && size->width ? size->width : 1280;
    int height = size && size->height ? size->height : 800;
    float density = size && size->density > 0 ? size->density : viz_usual_density(width, height, 1);
    if (size && size->figure > 0)
        density = (float)width / size->figure;
    if (size && size->theme && size->theme->presents)
        density = viz_presented_density(width, height, density);
    sac_status status =
        viz_canvas_create(width, height, density, size ? size->theme : NULL, canvas, error);
    canvas->for_file = !shell->work;
    return status == SAC_OK ? fit_canvas_to_figure(shell, size, canvas, error) : status;
}

/* Pixels to the metre of a figure for paper, as large as in the PDF; 0: of another picture. */
static float printed_density(const viz_export_size *size, const viz_canvas *canvas)
{
    return size && size->figure > 0 ? canvas->density * 96 / 0.0254f : 0;
}

/* Pages and frames move the view: afterwards it is as it was, so that the next file shows the same. */
static viz_snapshot take_view_snapshot(viz_shell *shell)
{
    const viz_view *view = viz_shell_view(shell);
    return view ? viz_snapshot_take(view, NULL) : (viz_snapshot){0};
}

static void restore_setting(void *user, const char *key, const char *value)
{
    viz_view_restore(user, key, value);
}

static void restore_view_state(viz_shell *shell, viz_snapshot *before)
{
    viz_view *view = viz_shell_view(shell);
    viz_snapshot now = take_view_snapshot(shell);
    if (view && !viz_snapshot_same(before, &now)) /* all: one may move what another set */
        viz_snapshot_changes(before, &(viz_snapshot){0}, restore_setting, view);
    viz_snapshot_free(&now);
    viz_snapshot_free(before);
}

static sac_status draw_settled(viz_shell *shell, viz_canvas *canvas, sac_error *error)
{
    viz_view *view = viz_shell_view(shell);
    sac_status status = SAC_OK;
    viz_drawing_begin();
    for (bool any = true; any && status == SAC_OK;) {
        any = false;
        viz_shell_draw(shell, canvas);
        if (view)
            status = viz_view_compute(view, shell->work, &any, error);
        if (status == SAC_OK)
            status = viz_drawing_check(error);
    }
    return status;
}

sac_status viz_export_settle(viz_shell *shell, const viz_export_size *size, sac_error *error)
{
    viz_canvas canvas = {0};
    sac_status status = open_canvas(shell, size, &canvas, error);
    if (status == SAC_OK)
        status = draw_settled(shell, &canvas, error);
    viz_canvas_free(&canvas);
    return status;
}

sac_status viz_export_image(viz_shell *shell, const viz_export_size *size, sac_image *image,
                            sac_error *error)
{
    viz_canvas canvas = {0};
    *image = (sac_image){0};
    sac_status status = open_canvas(shell, size, &canvas, error);
    if (status == SAC_OK)
        status = draw_settled(shell, &canvas, error);
    const size_t bytes = 4 * (size_t)canvas.width * (size_t)canvas.height;
    uint8_t *rgba = status == SAC_OK ? malloc(bytes) : NULL;
    if (rgba) {
        memcpy(rgba, canvas.rgba, bytes);
        *image = (sac_image){canvas.width, canvas.height, rgba};
    } else if (status == SAC_OK)
        status = sac_no_memory(error, "picture");
    viz_canvas_free(&canvas);
    return status;
}

sac_status viz_export_png(viz_shell *shell, const viz_export_size *size, const char *path,
                          sac_error *error)
{
    viz_canvas canvas = {0};
    viz_notes notes = {0};
    sac_status status = open_canvas(shell, size, &canvas, error);
    if (status == SAC_OK)
        status = draw_settled(shell, &canvas, error);
    if (status == SAC_OK) {
        sac_image image = {canvas.width, canvas.height, canvas.rgba};
        status = collect_notes(viz_shell_view(shell), size, path, &notes, error);
        if (status == SAC_OK)
            status = sac_png_save_at_resolution(path, &image, printed_density(size, &canvas),
                                                notes.texts, notes.count, error);
    }
    free_notes(&notes);
    viz_canvas_free(&canvas);
    return status;
}

/* ---------------------------------------------------------------- one page */

/* Parts that do not become shapes are embedded with so many pixels a side for one of the PNG's. */
#define FINENESS 2
#define MAX_FINE_SIDE 8192
#define MAX_PAGE_NOTE 1024 /* bytes */
#define MAX_PAGES 64

static sac_status open_fine_canvas(viz_shell *shell, const viz_export_size *size,
                                   viz_canvas *canvas, sac_error *error)
{
    sac_status status = open_canvas(shell, size, canvas, error);
    bool small = canvas->width <= MAX_FINE_SIDE && canvas->height <= MAX_FINE_SIDE;
    if (status != SAC_OK || !small)
        return status;
    canvas->density *= FINENESS;
    return viz_canvas_resize(canvas, FINENESS * canvas->width, FINENESS * canvas->height, error);
}

sac_status viz_export_draw(viz_shell *shell, const viz_export_size *size, viz_recording *recording,
                           viz_canvas *canvas, sac_error *error)
{
    sac_status status = recording ? open_fine_canvas(shell, size, canvas, error)
                                  : open_canvas(shell, size, canvas, error);
    canvas->recording = recording;
    return status == SAC_OK ? draw_settled(shell, canvas, error) : status;
}

/* Pinned maps are only for a PNG, which can be reopened; a page lists what it shows as text. */
static void drop_long_notes(viz_notes *notes)
{
    size_t kept = 0;
    for (size_t i = 0; i < notes->count; i++)
        if (strlen(notes->texts[i].value) <= MAX_PAGE_NOTE)
            notes->texts[kept++] = notes->texts[i];
        else
            free((char *)notes->texts[i].value);
    notes->count = kept;
}

/* The pages of a view: those of its class, or the one that is shown. */
static int count_pages(const viz_shell *shell)
{
    const viz_view *view = viz_shell_view(shell);
    int count = view && view->class->pages ? view->class->pages(view) : 1;
    return count < 1 ? 1 : count;
}

static void turn_to(viz_shell *shell, int page)
{
    viz_view *view = viz_shell_view(shell);
    if (view && view->class->turn_to)
        view->class->turn_to(view, page);
}

/* With `all` every page, else the one that is shown. */
static sac_status export_pages(viz_shell *shell, const viz_export_size *size, bool all,
                               const char *path,
                               sac_status (*save)(const viz_page *pages, int count,
                                                  const char *path, sac_error *error),
                               sac_error *error)
{
    viz_canvas canvas = {0};
    viz_recording recordings[MAX_PAGES] = {{0}};
    viz_page pages[MAX_PAGES];
    viz_notes notes = {0};
    sac_status status = open_fine_canvas(shell, size, &canvas, error);
    if (status == SAC_OK) /* how many there are may depend on what was computed */
        status = draw_settled(shell, &canvas, error);
    int count = all ? count_pages(shell) : 1;
    count = count < MAX_PAGES ? count : MAX_PAGES;
    viz_snapshot before = take_view_snapshot(shell);
    for (int page = 0; page < count && status == SAC_OK; page++) {
        if (count > 1)
            turn_to(shell, page);
        canvas.recording = &recordings[page];
        status = draw_settled(shell, &canvas, error);
    }
    restore_view_state(shell, &before);
    if (status == SAC_OK)
        status = collect_notes(viz_shell_view(shell), size, path, &notes, error);
    drop_long_notes(&notes);
    for (int i = 0; i < count; i++)
        pages[i] = (viz_page){&recordings[i], canvas.width, canvas.height,
                              canvas.density, notes.texts,  notes.count};
    if (status == SAC_OK)
        status = save(pages, count, path, error);
    free_notes(&notes);
    for (int i = 0; i < count; i++)
        viz_recording_free(&recordings[i]);
    viz_canvas_free(&canvas);
    return status;
}

bool viz_export_set_paper(viz_export_size *size, const char *name)
{
    static const struct {
        const char *name;
        float width, height; /* mm */
    } papers[] = {{"a4", 210, 297}, {"letter", 215.9f, 279.4f}};
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (strcasecmp(name, papers[i].name) == 0) {
            size->paper_width = papers[i].width * VIZ_UNITS_PER_MM;
            size->paper_height = papers[i].height * VIZ_UNITS_PER_MM;
            return true;
        }
    return false;
}

/* ---- sheets of paper */

#define SHEET_MARGIN 57.0f /* 15 mm, as printers and binders need */
#define SHEET_GAP 12.0f    /* between figures */
#define MOST_SCALED 12     /* sheets that are tried smaller */

static bool breaks_before(const viz_shell *shell, int page)
{
    const viz_view *view = viz_shell_view(shell);
    return view && view->class->breaks_before && view->class->breaks_before(view, page);
}

/* Figures below each other, in the paper's units times `scale`; one that has no room begins the next
 * sheet. */
static sac_status fill_sheets(viz_shell *shell, const viz_export_size *column, float scale,
                              viz_canvas *canvas, viz_recording sheets[MAX_PAGES], int *count,
                              sac_error *error)
{
    float most = (column->paper_height - 2 * SHEET_MARGIN) / scale, y = 0;
    viz_recording figure = {0};
    sac_status status = draw_settled(shell, canvas, error);
    int pages = status == SAC_OK ? count_pages(shell) : 0;
    viz_snapshot before = take_view_snapshot(shell);
    *count = 1;
    for (int page = 0; page < pages && status == SAC_OK; page++) {
        if (pages > 1)
            turn_to(shell, page);
        /* One page of the view as a figure as wide as a sheet's column and as high as it is, or as the
         * column is. */
        canvas->recording = NULL;
        status = fit_canvas_to_figure(shell, column, canvas, error);
        int highest = (int)floorf(most * canvas->density);
        if (status == SAC_OK && canvas->height > highest)
            status = viz_canvas_resize(canvas, canvas->width, highest, error);
        canvas->recording = &figure;
        if (status == SAC_OK)
            status = draw_settled(shell, canvas, error);
        float height = viz_height(canvas);
        if (y > 0 && (y + height > most || breaks_before(shell, page))) {
            if (*count == MAX_PAGES)
                break;
            ++*count;
            y = 0;
        }
        viz_recording_move(&sheets[*count - 1], &figure, (int)(SHEET_MARGIN * FINENESS),
                           (int)(SHEET_MARGIN * FINENESS + y * canvas->density));
        y += height + SHEET_GAP;
    }
    restore_view_state(shell, &before);
    viz_recording_free(&figure);
    return status == SAC_OK ? viz_drawing_check(error) : status;
}

static void free_recordings(viz_recording *list, int count)
{
    for (int i = 0; i < count; i++)
        viz_recording_free(&list[i]);
}

static sac_status lay_sheets(viz_shell *shell, const viz_export_size *size, float scale,
                             viz_recording sheets[MAX_PAGES], int *count, sac_error *error)
{
    viz_export_size column = *size;
    viz_canvas canvas = {0};
    float width = floorf(size->paper_width - 2 * SHEET_MARGIN);
    column.figure = width / scale;
    column.width = FINENESS * (int)width;
    sac_status status = open_canvas(shell, &column, &canvas, error);
    if (status == SAC_OK)
        status = fill_sheets(shell, &column, scale, &canvas, sheets, count, error);
    viz_canvas_free(&canvas);
    return status;
}

/* As large as they are; a little smaller where that saves a sheet, whose last figure would stand alone. */
static sac_status lay_fewest_sheets(viz_shell *shell, const viz_export_size *size,
                                    viz_recording sheets[MAX_PAGES], int *count, sac_error *error)
{
    static const float smaller[] = {0.93f, 0.86f};
    sac_status status = lay_sheets(shell, size, 1, sheets, count, error);
    int first = *count;
    for (int i = 0;
         i < 2 && status == SAC_OK && *count == first && first > 1 && first <= MOST_SCALED; i++) {
        viz_recording fewer[MAX_PAGES] = {{0}};
        int fewer_count = 0;
        status = lay_sheets(shell, size, smaller[i], fewer, &fewer_count, error);
        bool saves = status == SAC_OK && fewer_count < first;
        free_recordings(saves ? sheets : fewer, saves ? first : fewer_count);
        if (saves) {
            memcpy(sheets, fewer, sizeof fewer);
            *count = fewer_count;
        }
    }
    return status;
}

static sac_status export_sheets(viz_shell *shell, const viz_export_size *size, const char *path,
                                sac_error *error)
{
    viz_recording sheets[MAX_PAGES] = {{0}};
    viz_page pages[MAX_PAGES];
    viz_notes notes = {0};
    int count = 0;
    sac_status status = lay_fewest_sheets(shell, size, sheets, &count, error);
    if (status == SAC_OK)
        status = collect_notes(viz_shell_view(shell), size, path, &notes, error);
    drop_long_notes(&notes);
    for (int i = 0; i < count; i++)
        pages[i] = (viz_page){&sheets[i],
                              (int)lroundf(size->paper_width * FINENESS),
                              (int)lroundf(size->paper_height * FINENESS),
                              FINENESS,
                              notes.texts,
                              notes.count};
    if (status == SAC_OK)
        status = viz_pdf_save(pages, count, path, error);
    free_notes(&notes);
    free_recordings(sheets, count);
    return status;
}

static sac_status save_svg(const viz_page *pages, int count, const char *path, sac_error *error)
{
    (void)count;
    return viz_svg_save(pages, path, error);
}

sac_status viz_export_svg(viz_shell *shell, const viz_export_size *size, const char *path,
                          sac_error *error)
{
    return export_pages(shell, size, false, path, save_svg, error);
}

sac_status viz_export_pdf(viz_shell *shell, const viz_export_size *size, const char *path,
                          sac_error *error)
{
    return size && size->paper_width > 0
               ? export_sheets(shell, size, path, error)
               : export_pages(shell, size, true, path, viz_pdf_save, error);
}

/* ---------------------------------------------------------------- a page for a browser */

sac_status viz_export_html(viz_shell *shell, const viz_export_size *size, const char *path,
                           const sac_progress *progress, sac_error *error)
{
    sac_status status = viz_export_settle(shell, size, error);
    viz_view *view = viz_shell_tab_view(shell);
    if (status == SAC_OK && viz_is_split(view))
        status = sac_fail(error, SAC_E_ARGUMENT, path, "leave out --pin, or write a PNG",
                          "views beside each other have no page");
    if (status == SAC_OK)
        status = viz_html_save(view, size && size->theme == &viz_theme_light,
                               size && size->no_origin, path, progress, error);
    return status;
}

/* ---------------------------------------------------------------- many pictures */

static int frames_per_second(const viz_export_size *size, int usual)
{
    return size && size->fps > 0 ? size->fps : usual;
}

static int count_frames(const viz_shell *shell, int fps)
{
    const viz_view *view = viz_shell_view(shell);
    int count = view && view->class->frames ? view->class->frames(view, fps) : 1;
    return count < 1 ? 1 : count;
}

/* Draws every frame and hands it to `give`; a view without an animation gives one. */
static sac_status draw_each_frame(viz_shell *shell, viz_canvas *canvas, int count, int fps,
                                  sac_status (*give)(void *user, int index, sac_error *error),
                                  void *user, const sac_progress *progress, sac_error *error)
{
    viz_view *view = viz_shell_view(shell);
    viz_snapshot before = take_view_snapshot(shell);
    sac_status status = SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++) {
        if (progress && progress->step && !progress->step(progress->user, (double)i / count)) {
            status = sac_fail(error, SAC_E_CANCELLED, "animation", NULL, "stopped on request");
            break;
        }
        if (view && view->class->frame)
            view->class->frame(view, i, fps);
        status = draw_settled(shell, canvas, error);
        if (status == SAC_OK)
            status = give(user, i, error);
    }
    restore_view_state(shell, &before);
    if (status == SAC_OK && progress && progress->step)
        progress->step(progress->user, 1);
    return status;
}

/* The time that frame `index` begins at, in parts of a second: rounded for each, so that none is lost. */
static int frame_begin(int index, int fps, int parts)
{
    return parts * index / fps;
}

static int frame_lasts(int index, int fps, int parts)
{
    return frame_begin(index + 1, fps, parts) - frame_begin(index, fps, parts);
}

typedef struct animation_output {
    sac_apng *apng; /* one of the three */
    viz_gif *gif;
    viz_webp *webp;
    const viz_canvas *canvas;
    int fps;
} animation_output;

static sac_status append_frame(void *user, int index, sac_error *error)
{
    const animation_output *o = user;
    const uint8_t *rgba = o->canvas->rgba;
    return o->gif    ? viz_gif_add(o->gif, rgba, frame_lasts(index, o->fps, 100), error)
           : o->webp ? viz_webp_add(o->webp, rgba, frame_lasts(index, o->fps, 1000), error)
                     : sac_apng_add(o->apng, rgba, frame_lasts(index, o->fps, 1000), error);
}

/* How many frames there are may depend on what was computed. */
static sac_status open_animation(viz_shell *shell, const viz_export_size *size, viz_canvas *canvas,
                                 sac_error *error)
{
    sac_status status = open_canvas(shell, size, canvas, error);
    return status == SAC_OK ? draw_settled(shell, canvas, error) : status;
}

sac_status viz_export_apng(viz_shell *shell, const viz_export_size *size, const char *path,
                           const sac_progress *progress, sac_error *error)
{
    viz_canvas canvas = {0};
    viz_notes notes = {0};
    animation_output output = {.canvas = &canvas, .fps = frames_per_second(size, FEWER_FPS)};
    sac_status status = open_animation(shell, size, &canvas, error);
    const int count = status == SAC_OK ? count_frames(shell, output.fps) : 1;
    if (status == SAC_OK)
        status = collect_notes(viz_shell_view(shell), size, path, &notes, error);
    if (status == SAC_OK)
        status = sac_apng_open(path, canvas.width, canvas.height, count, notes.texts, notes.count,
                               &output.apng, error);
    if (status == SAC_OK)
        status = draw_each_frame(shell, &canvas, count, output.fps, append_frame, &output, progress,
                                 error);
    if (status == SAC_OK)
        status = sac_apng_close(output.apng, error);
    else
        sac_apng_discard(output.apng);
    free_notes(&notes);
    viz_canvas_free(&canvas);
    return status;
}

sac_status viz_export_webp(viz_shell *shell, const viz_export_size *size, const char *path,
                           const sac_progress *progress, sac_error *error)
{
    viz_canvas canvas = {0};
    animation_output output = {.canvas = &canvas, .fps = frames_per_second(size, FPS)};
    sac_status status = open_animation(shell, size, &canvas, error);
    if (status == SAC_OK)
        status = viz_webp_open(path, canvas.width, canvas.height, &output.webp, error);
    if (status == SAC_OK)
        status = draw_each_frame(shell, &canvas, count_frames(shell, output.fps), output.fps,
                                 append_frame, &output, progress, error);
    if (status == SAC_OK)
        status = viz_webp_close(output.webp, error);
    else
        viz_webp_discard(output.webp);
    viz_canvas_free(&canvas);
    return status;
}

sac_status viz_export_gif(viz_shell *shell, const viz_export_size *size, const char *path,
                          const sac_progress *progress, sac_error *error)
{
    viz_canvas canvas = {0};
    animation_output output = {.canvas = &canvas, .fps = frames_per_second(size, FEWER_FPS)};
    sac_status status = open_animation(shell, size, &canvas, error);
    if (status == SAC_OK)
        status = viz_gif_open(path, canvas.width, canvas.height, "Saccade " SAC_VERSION,
                              &output.gif, error);
    if (status == SAC_OK)
        status = draw_each_frame(shell, &canvas, count_frames(shell, output.fps), output.fps,
                                 append_frame, &output, progress, error);
    if (status == SAC_OK)
        status = viz_gif_close(output.gif, error);
    else
        viz_gif_discard(output.gif);
    viz_canvas_free(&canvas);
    return status;
}

typedef struct folder_output {
    const char *folder;
    const viz_export_size *size;
    viz_shell *shell;
    const viz_canvas *canvas;
} folder_output;

static sac_status save_frame_to_folder(void *user, int index, sac_error *error)
{
    const folder_output *output = user;
    viz_notes notes = {0};
    char path[4096];
    int used = snprintf(path, sizeof path, "%s/frame-%04d.png", output->folder, index + 1);
    if (used < 0 || (size_t)used >= sizeof path)
        return sac_fail(error, SAC_E_FILE, output->folder, "give a shorter name",
                        "the name of the folder is too long");
    sac_image image = {output->canvas->width, output->canvas->height, output->canvas->rgba};
    sac_status status =
        collect_notes(viz_shell_view(output->shell), output->size, path, &notes, error);
    if (status == SAC_OK)
        status =
            sac_png_save_at_resolution(path, &image, printed_density(output->size, output->canvas),
                                       notes.texts, notes.count, error);
    free_notes(&notes);
    return status;
}

static sac_status make_folder(const char *folder, sac_error *error)
{
    struct stat info;
    if (mkdir(folder, 0777) == 0)
        return SAC_OK;
    int why = errno;
    if (why == EEXIST && stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
        return SAC_OK;
    return sac_fail(error, SAC_E_FILE, folder, "give a folder that can be made",
                    "cannot make the folder: %s", strerror(why));
}

static sac_status save_each_page(viz_shell *shell, viz_canvas *canvas, folder_output *output,
                                 sac_error *error)
{
    int count = count_pages(shell);
    viz_snapshot before = take_view_snapshot(shell);
    sac_status status = SAC_OK;
    for (int page = 0; page < count && status == SAC_OK; page++) {
        turn_to(shell, page);
        status = draw_settled(shell, canvas, error);
        if (status == SAC_OK)
            status = save_frame_to_folder(output, page, error);
    }
    restore_view_state(shell, &before);
    return status;
}

sac_status viz_export_frames(viz_shell *shell, const viz_export_size *size, const char *folder,
                             const sac_progress *progress, sac_error *error)
{
    viz_canvas canvas = {0};
    folder_output output = {folder, size, shell, &canvas};
    int fps = frames_per_second(size, FPS);
    sac_status status = make_folder(folder, error);
    if (status == SAC_OK)
        status = open_canvas(shell, size, &canvas, error);
    if (status == SAC_OK)
        status = draw_settled(shell, &canvas, error);
    if (status == SAC_OK && count_pages(shell) > 1)
        status = save_each_page(shell, &canvas, &output, error);
    else if (status == SAC_OK)
        status = draw_each_frame(shell, &canvas, count_frames(shell, fps), fps,
                                 save_frame_to_folder, &output, progress, error);
    viz_canvas_free(&canvas);
    return status;
}

/* ---------------------------------------------------------------- numbers */

sac_status viz_export_table(viz_shell *shell, viz_table_kind kind, const viz_export_size *size,
                            const char *path, const sac_progress *progress, sac_error *error)
{
    viz_view *view = viz_shell_tab_view(shell);
    viz_table table;
    sac_output output = {0};
    sac_status status = viz_export_settle(shell, size, error);
    if (status == SAC_OK)
        status = viz_table_find(view, &table, error);
    if (status == SAC_OK)
        status = sac_output_open(&output, path, error);
    if (status == SAC_OK)
        status = viz_table_write(view, &table, 0, table.rows, kind, output.file, progress, error);
    if (status == SAC_OK)
        status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
