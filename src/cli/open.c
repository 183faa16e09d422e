#include "cli/open.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "device/device.h"
#include "formats/hash.h"
#include "formats/png_write.h"
#include "models/matrix.h"
#include "models/picture.h"
#include "view/heads_view.h"
#include "view/matrix_view.h"
#include "view/picture_view.h"

enum { PICTURE = 1, MATRIX = 2, HEADS = 3 }; /* places in the shell */

static const char *const tab_names[VIZ_MAX_TABS] = {
    [PICTURE] = "picture", [MATRIX] = "matrix", [HEADS] = "heads"};

/* ---------------------------------------------------------------- what a file is */

static bool begins_like_arrays(const uint8_t *head, size_t size)
{
    return (size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0) ||
           (size >= 2 && memcmp(head, "PK", 2) == 0) || (size >= 9 && head[8] == '{');
}

typedef struct file_pair {
    const char *picture, *arrays;
} file_pair;

/* A file that cannot be read, or is empty, counts as arrays: opening them says what is wrong. */
static sac_status sort_file(const char *path, file_pair *pair, sac_error *error)
{
    uint8_t head[9];
    bool picture = sac_image_is(path);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    if (!picture && size > 0 && !begins_like_arrays(head, size))
        return sac_fail(error, SAC_E_FORMAT, path, "convert it to one of these",
                        "is neither a picture (PNG, JPEG) nor arrays (.npz, .npy, .safetensors)");
    const char **place = picture ? &pair->picture : &pair->arrays;
    if (*place)
        return sac_fail(error, SAC_E_ARGUMENT, path, "open one at a time",
                        "is a second file of its kind, beside %s", *place);
    *place = path;
    return SAC_OK;
}

static sac_status sort_files(const cli_open_request *request, file_pair *pair, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; i < request->file_count && status == SAC_OK; i++)
        status = sort_file(request->files[i], pair, error);
    return status;
}

/* The picture that comes with the program: where it was installed, beside a program that was moved
 * as a whole, or in the source tree that it was built in. */
static sac_status find_bundled(char *path, size_t size, sac_error *error)
{
    static const char *const places[] = {SACCADE_DATA_DIR, "../share/saccade", "../../assets"};
    char program[512];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool absolute = places[i][0] == '/';
        snprintf(path, size, "%s%s%s/pictures/harbour.png", absolute ? "" : program,
                 absolute ? "" : "/", places[i]);
        if (access(path, R_OK) == 0)
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_FILE, "harbour.png", "give a file: saccade FILE",
                    "the bundled picture is not in " SACCADE_DATA_DIR "/pictures");
}

/* ---------------------------------------------------------------- views */

/* The attention of queries and keys is fixed when they are opened. */
static void set_spec(cli_open_request *request)
{
    for (int i = 0; i < request->setting_count; i++) {
        const cli_setting *setting = &request->settings[i];
        if (strcmp(setting->key, "score") == 0)
            sac_score_from_name(setting->value, &request->spec.score);
        else if (strcmp(setting->key, "width") == 0)
            request->spec.width = strtof(setting->value, NULL);
    }
}

static void apply_settings(viz_shell *shell, const cli_setting *settings, int count)
{
    for (int tab = 0; tab < VIZ_MAX_TABS; tab++) {
        viz_view *view = shell->views[tab];
        for (int i = 0; i < count && view && view->class->restore; i++)
            view->class->restore(view, settings[i].key, settings[i].value);
    }
}

static const char *find_setting(const cli_open_request *request, const char *key)
{
    const char *value = NULL; /* of the last, as later options override earlier ones */
    for (int i = 0; i < request->setting_count; i++)
        if (strcmp(request->settings[i].key, key) == 0)
            value = request->settings[i].value;
    return value;
}

/* A view leaves alone what it does not have; a person who asked for it should hear so. */
static sac_status check_query(const cli_open_request *request, size_t columns, size_t rows,
                              sac_error *error)
{
    size_t x, y;
    const char *query = find_setting(request, "query");
    if (!query || (sscanf(query, "%zu,%zu", &x, &y) == 2 && x < columns && y < rows))
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, "--query", NULL,
                    "%s is not there; columns go from 0 to %zu, rows from 0 to %zu", query,
                    columns - 1, rows - 1);
}

static sac_status check_map(const cli_open_request *request, const sac_matrix_source *source,
                            sac_error *error)
{
    const struct {
        const char *key, *option;
        size_t count;
    } axes[] = {{"layer", "--layer", source->layers},
                {"head", "--head", source->heads},
                {"batch", "--batch", source->batch}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const char *value = find_setting(request, axes[i].key);
        if (value && strtoull(value, NULL, 10) >= axes[i].count)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s is not there; %s goes from 0 to %zu in %s", value, axes[i].key,
                            axes[i].count - 1, source->title);
    }
    return check_query(request, source->columns, source->rows, error);
}

static sac_status open_picture(cli_document *document, const cli_open_request *request,
                               const char *path, sac_error *error)
{
    document->picture = calloc(1, sizeof *document->picture);
    if (!document->picture)
        return sac_fail(error, SAC_E_MEMORY, path, NULL, "no memory to open it");
    sac_status status = sac_picture_open(path, request->device, document->picture, error);
    if (status != SAC_OK)
        return status;
    int grid_w, grid_h, cells = sac_picture_defaults().cells;
    const sac_image *image = document->picture->image;
    const char *wanted = find_setting(request, "cells");
    sac_picture_grid(image->width, image->height, wanted ? atoi(wanted) : cells, &grid_w, &grid_h);
    status = check_query(request, (size_t)grid_w, (size_t)grid_h, error);
    if (status != SAC_OK)
        return status;
    document->shell.current = PICTURE;
    return viz_picture_view_create(document->picture, &document->shell.views[PICTURE], error);
}

/* Both views look at one source. Several maps are first seen side by side, unless
 * there is a picture to lay them over. */
static sac_status open_arrays(cli_document *document, const cli_open_request *request,
                              const file_pair *pair, sac_error *error)
{
    sac_matrix_options options = {.path = pair->arrays,
                                  .array = request->array,
                                  .axes = request->axes,
                                  .labels = request->labels,
                                  .image = pair->picture,
                                  .grid_w = request->grid_w,
                                  .grid_h = request->grid_h,
                                  .prefix = request->prefix,
                                  .device = request->device,
                                  .spec = request->spec};
    sac_matrix_source source = {0};
    viz_maps *maps = NULL;
    viz_shell *shell = &document->shell;
    sac_status status = sac_matrix_open(&options, &source, error);
    bool many = source.layers * source.heads > 1;
    document->origin = source.origin;
    if (status == SAC_OK)
        status = check_map(request, &source, error);
    if (status == SAC_OK)
        status = viz_maps_create(&source, &maps, error);
    if (status == SAC_OK)
        status = viz_matrix_view_create(maps, &shell->views[MATRIX], error);
    if (status == SAC_OK)
        status = viz_heads_view_create(maps, &shell->views[HEADS], error);
    shell->current = many && !pair->picture ? HEADS : MATRIX;
    viz_maps_release(maps);
    sac_matrix_source_destroy(&source);
    return status;
}

static sac_status choose_tab(cli_document *document, sac_error *error)
{
    const char *wanted = document->request.tab;
    char there[64] = "";
    for (int tab = 0; tab < VIZ_MAX_TABS; tab++) {
        if (!document->shell.views[tab])
            continue;
        if (wanted && strcasecmp(wanted, tab_names[tab]) == 0) {
            document->shell.current = tab;
            return SAC_OK;
        }
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", there[0] ? ", " : "",
                 tab_names[tab]);
    }
    return wanted ? sac_fail(error, SAC_E_ARGUMENT, "--tab", NULL,
                             "\"%.60s\" is not open here; there is: %s", wanted, there)
                  : SAC_OK;
}

/* ---------------------------------------------------------------- pictures that Saccade wrote */

/* What a view would write about itself, as the saved picture has it. */
typedef struct saved_settings {
    const char *png;
    struct {
        char key[80], *value;
    } found[CLI_MAX_SETTINGS];
    int count;
} saved_settings;

/* NULL where the picture has no such text; free() it. */
static char *saved_text(const char *png, const char *key)
{
    char *value = NULL;
    return sac_png_text_load(png, key, &value, NULL) == SAC_OK ? value : NULL;
}

static void find_saved(void *user, const char *key, const char *value)
{
    (void)value;
    saved_settings *saved = user;
    char *text = saved->count < CLI_MAX_SETTINGS ? saved_text(saved->png, key) : NULL;
    if (!text)
        return;
    snprintf(saved->found[saved->count].key, sizeof saved->found->key, "%s", key);
    saved->found[saved->count++].value = text;
}

static void restore_saved(viz_view *view, const char *png)
{
    saved_settings saved = {.png = png};
    if (view->class->describe && view->class->restore)
        view->class->describe(view, find_saved, &saved);
    for (int i = 0; i < saved.count; i++) {
        view->class->restore(view, saved.found[i].key, saved.found[i].value);
        free(saved.found[i].value);
    }
}

static void show_saved_tab(viz_shell *shell, const char *png)
{
    char *name = saved_text(png, "view");
    for (int tab = 0; name && tab < VIZ_MAX_TABS; tab++)
        if (shell->views[tab] && strcasecmp(shell->views[tab]->class->tab, name) == 0)
            shell->current = tab;
    free(name);
}

/* What came out of a file must not steer a terminal. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

/* The file that the saved picture `png` shows, to be freed, where it is still there; NULL: show the
 * picture itself. The note says which. */
static char *find_source(cli_document *document, const char *png)
{
    char hash[32] = "", *software = saved_text(png, "Software");
    bool ours = software && strncmp(software, "Saccade ", 8) == 0;
    char *file = ours ? saved_text(png, "file") : NULL;
    free(software);
    if (!file)
        return NULL;
    bool there = access(file, R_OK) == 0;
    char *saved_hash = saved_text(png, "hash");
    bool same = there && saved_hash && sac_file_hash(file, hash, sizeof hash, NULL) == SAC_OK &&
                strcmp(hash, saved_hash) == 0;
    snprintf(document->note, sizeof document->note, "made from %.300s%s", file,
             !there ? ", which is not there now: this is the picture itself"
             : same ? ""
                    : ", which has changed since");
    make_printable(document->note);
    free(saved_hash);
    if (there)
        return file;
    free(file);
    return NULL;
}

/* ---------------------------------------------------------------- documents */

static sac_status open_pair(cli_document *document, const cli_open_request *request,
                            const file_pair *pair, sac_error *error)
{
    snprintf(document->file, sizeof document->file, "%s",
             pair->arrays ? pair->arrays : pair->picture);
    return pair->arrays ? open_arrays(document, request, pair, error)
                        : open_picture(document, request, pair->picture, error);
}

/* What has to be known before arrays are opened. */
enum { ARRAY, AXES, LABELS, IMAGE, GRID, PREFIX, SCORE, MASK, HEAD_COUNT, CELLS, RECALLED };
static const char *const recalled_keys[RECALLED] = {"array",  "axes",  "labels", "image", "grid",
                                                    "prefix", "score", "mask",   "heads", "cells"};

static const char *if_there(const char *path)
{
    return path && access(path, R_OK) == 0 ? path : NULL;
}

/* Takes from the saved picture what the person did not say; the request lends the texts. */
static void recall(cli_open_request *request, file_pair *pair, char *const text[RECALLED])
{
    if (!request->array)
        request->array = text[ARRAY];
    if (!request->axes)
        request->axes = text[AXES];
    if (!request->labels)
        request->labels = if_there(text[LABELS]);
    if (pair->arrays && !pair->picture)
        pair->picture = if_there(text[IMAGE]);
    if (!request->grid_w && text[GRID] &&
        sscanf(text[GRID], "%dx%d", &request->grid_w, &request->grid_h) != 2)
        request->grid_w = request->grid_h = 0;
    if (!request->prefix && text[PREFIX])
        request->prefix = atoi(text[PREFIX]);
    if (text[SCORE])
        sac_score_from_name(text[SCORE], &request->spec.score);
    if (text[MASK] && strstr(text[MASK], "causal"))
        request->spec.causal = true;
    if (text[HEAD_COUNT] && !request->spec.heads)
        request->spec.heads = atoi(text[HEAD_COUNT]);
    if (text[CELLS] && !find_setting(request, "cells") && request->setting_count < CLI_MAX_SETTINGS)
        request->settings[request->setting_count++] = (cli_setting){"cells", text[CELLS]};
}

static sac_status open_saved(cli_document *document, const cli_open_request *asked, const char *png,
                             const char *source, sac_error *error)
{
    file_pair pair = {0};
    cli_open_request request = *asked;
    char *text[RECALLED];
    for (int i = 0; i < RECALLED; i++)
        text[i] = saved_text(png, recalled_keys[i]);
    sac_status status = sort_file(source, &pair, error);
    if (status == SAC_OK) {
        recall(&request, &pair, text);
        set_spec(&request);
        status = open_pair(document, &request, &pair, error);
    }
    for (int i = 0; i < RECALLED; i++)
        free(text[i]);
    for (int tab = 0; tab < VIZ_MAX_TABS && status == SAC_OK; tab++)
        if (document->shell.views[tab])
            restore_saved(document->shell.views[tab], png);
    if (status == SAC_OK)
        show_saved_tab(&document->shell, png);
    return status;
}

/* Keeps what was asked for, with names of files that outlive the asking. */
static void remember_request(cli_document *document, const cli_open_request *asked)
{
    document->request = *asked;
    for (int i = 0; i < asked->file_count; i++)
        snprintf(document->paths[i], sizeof *document->paths, "%s", asked->files[i]);
}

sac_status cli_document_open(cli_document *document, const cli_open_request *asked,
                             sac_error *error)
{
    char bundled[1024], *source = NULL;
    file_pair pair = {0};
    cli_open_request request = *asked;
    remember_request(document, asked);
    set_spec(&request);
    sac_status status = sort_files(&request, &pair, error);
    if (status == SAC_OK && request.file_count == 0) {
        status = find_bundled(bundled, sizeof bundled, error);
        pair.picture = bundled;
    }
    if (status == SAC_OK && pair.picture && !pair.arrays)
        source = find_source(document, pair.picture);
    if (status == SAC_OK)
        status = source ? open_saved(document, &request, pair.picture, source, error)
                        : open_pair(document, &request, &pair, error);
    free(source);
    if (status == SAC_OK)
        apply_settings(&document->shell, request.settings, request.setting_count);
    return status == SAC_OK ? choose_tab(document, error) : status;
}

/* Puts `next` in the place of `document`, whose shell the window goes on showing. */
static void replace(cli_document *document, cli_document *next)
{
    next->shell.now = document->shell.now;
    if (!next->device[0]) /* a device that V chose stays chosen */
        memcpy(next->device, document->device, sizeof next->device);
    cli_document_close(document);
    *document = *next;
    if (document->device[0])
        document->request.device = document->device;
    for (int i = 0; i < document->request.file_count; i++)
        document->request.files[i] = document->paths[i];
}

sac_status cli_document_reopen(void *user, const char *path, viz_shell *shell, sac_error *error)
{
    cli_document *document = user, next = {0};
    /* What else was asked for belongs to the file that it was asked for. */
    cli_open_request request = {
        .files = {path}, .file_count = 1, .device = document->request.device};
    sac_status status = cli_document_open(&next, &request, error);
    if (status != SAC_OK) {
        cli_document_close(&next);
        return status;
    }
    replace(document, &next);
    if (document->note[0])
        viz_shell_message(shell, document->note);
    return SAC_OK;
}

/* ---------------------------------------------------------------- another device */

static const sac_origin *origin_of(const cli_document *document)
{
    return document->picture ? &document->picture->origin : &document->origin;
}

/* The number of the usable device after the one called `now`, as `--device` takes it. */
static sac_status find_next_device(const char *now, char *number, size_t size, sac_error *error)
{
    sac_device_info *infos;
    size_t count, current = 0;
    char name[160];
    sac_status status = sac_devices_list(&infos, &count, error);
    if (status != SAC_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        sac_device_short_name(&infos[i], name, sizeof name);
        if (strcmp(name, now) == 0)
            current = i;
    }
    number[0] = '\0';
    for (size_t step = 1; step < count && !number[0]; step++) {
        const sac_device_info *info = &infos[(current + step) % count];
        if (!info->problem[0] && info->verdict != SAC_REFUSED)
            snprintf(number, size, "%d", info->number);
    }
    free(infos);
    return number[0] ? SAC_OK
                     : sac_fail(error, SAC_E_NO_DEVICE, "device", NULL, "there is no other here");
}

static void carry_setting(void *user, const char *key, const char *value)
{
    viz_view *to = user;
    to->class->restore(to, key, value);
}

static void carry_settings(const viz_shell *from, viz_shell *to)
{
    for (int tab = 0; tab < VIZ_MAX_TABS; tab++) {
        const viz_view *old = from->views[tab];
        viz_view *fresh = to->views[tab];
        if (old && fresh && old->class->describe && fresh->class->restore)
            old->class->describe(old, carry_setting, fresh);
    }
    to->current = from->current;
}

sac_status cli_document_next_device(void *user, viz_shell *shell, sac_error *error)
{
    cli_document *document = user, next = {0};
    cli_open_request request = document->request;
    (void)shell; /* the document's own */
    if (!origin_of(document)->device[0])
        return sac_fail(error, SAC_E_ARGUMENT, "device", NULL,
                        "these weights were computed elsewhere");
    sac_status status =
        find_next_device(origin_of(document)->device, next.device, sizeof next.device, error);
    request.device = next.device;
    if (status == SAC_OK)
        status = cli_document_open(&next, &request, error);
    if (status != SAC_OK) {
        cli_document_close(&next);
        return status;
    }
    carry_settings(&document->shell, &next.shell);
    replace(document, &next);
    return SAC_OK;
}

void cli_document_close(cli_document *document)
{
    viz_shell_free(&document->shell);
    if (document->picture)
        sac_picture_source_destroy(document->picture);
    free(document->picture);
    *document = (cli_document){0};
}
