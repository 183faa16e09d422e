/* What a command writes: one option for all files, whose type follows the name's ending. */
#include "cli/drawing.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text/suggestion.h"
#include "canvas/text.h"
#include "cli/json.h"
#include "images/folder.h"
#include "saccade.h"
#include "saccade_arrays.h"
#include "sources/attentions.h"
#include "view/settings.h"
#include "view/words.h"

enum { MIN_SIDE = 160, MAX_SIDE = 16384, MAX_FPS = 60, MAX_OPTIONS = 160 };
#define FIGURE_DOTS 300.0f  /* to the inch, of a figure whose width is in millimetres */
#define FIGURE_WIDTH 640.0f /* in logical units, of one in pixels: 169 mm */

/* ---------------------------------------------------------------- types of files */

static const struct {
    const char *option, *ending;
} types[CLI_FILE_TYPES] = {
    [CLI_PNG] = {"--png", ".png"},
    [CLI_APNG] = {"--apng", ".apng"},
    [CLI_WEBP] = {NULL, ".webp"},
    [CLI_GIF] = {"--gif", ".gif"},
    [CLI_FRAMES] = {"--frames", ""},
    [CLI_SVG] = {"--svg", ".svg"},
    [CLI_PDF] = {"--pdf", ".pdf"},
    [CLI_HTML] = {"--html", ".html"},
    [CLI_TSV] = {"--tsv", ".tsv"},
    [CLI_CSV] = {"--csv", ".csv"},
    [CLI_NPZ] = {"--npz", ".npz"},
    [CLI_JSON] = {NULL, ".json"},
    [CLI_SAFETENSORS] = {NULL, ".safetensors"},
    [CLI_SRT] = {NULL, ".srt"},
    [CLI_VTT] = {NULL, ".vtt"},
};

const char *cli_file_ending(cli_file_type type)
{
    return type == CLI_APNG ? types[CLI_PNG].ending : types[type].ending;
}

static bool accepts_file_type(const cli_drawing *d, cli_file_type type)
{
    return type == CLI_NPZ           ? d->npz != NULL
           : type == CLI_JSON        ? d->json != NULL
           : type == CLI_SAFETENSORS ? d->weights != NULL
                                     : d->types & CLI_BIT(type);
}

/* ".png, .apng or .gif": the endings that the command knows. */
static void list_endings(const cli_drawing *d, char *text, size_t size)
{
    const char *names[CLI_FILE_TYPES];
    int count = 0;
    for (int i = 0; i < CLI_FILE_TYPES; i++)
        if (accepts_file_type(d, (cli_file_type)i) && types[i].ending[0])
            names[count++] = types[i].ending;
    sac_names_join(names, count, text, size);
}

/* ---------------------------------------------------------------- the command line */

/* "write a picture …; its type follows its ending: .png, .svg or .pdf. May be given several times.
 * --png F and --svg F are older names, for files that end otherwise." */
static void compose_out_help(cli_drawing *d)
{
    size_t size = sizeof d->help;
    char endings[160], older[160];
    const char *names[CLI_FILE_TYPES];
    int count = 0;
    list_endings(d, endings, sizeof endings);
    for (int i = 0; i < CLI_FILE_TYPES; i++)
        if (accepts_file_type(d, (cli_file_type)i) && types[i].option)
            names[count++] = types[i].option;
    sac_names_join(names, count, older, sizeof older);
    snprintf(d->help, size, "write %s; the type follows the ending: %s. May be repeated.%s%s%s",
             d->what, endings, count ? " Aliases: " : "", count ? older : "", count ? "." : "");
}

/* Appends to `options`; returns how many. */
static int add_options(cli_drawing *d, cli_option *options)
{
    int count = 0;
    compose_out_help(d);
    options[count++] = (cli_option){"--out", CLI_LIST, &d->out, NULL, "FILE", d->help};
    for (int i = 0; i < CLI_FILE_TYPES; i++)
        if (accepts_file_type(d, (cli_file_type)i) && types[i].option)
            options[count++] =
                (cli_option){types[i].option, CLI_LIST, &d->by_type[i], NULL, "FILE", NULL};
    const cli_option drawn[] = {
        {"--fps", CLI_WHOLE, &d->size.fps, NULL, "N",
         "frames per second of an animation, 1 to 60 (default 25; 15 of .apng and .gif)"},
        {"--size", CLI_TEXT, &d->size_text, NULL, "WxH",
         "size in pixels of the picture (default 1280x800) or of the window (default: four "
         "fifths of the display)"},
        {"--layout", CLI_TEXT, &d->layout_name, NULL, "L",
         "figure (default, but of what moves): the chosen panel, names of axes and legend alone; "
         "or window, with all that is operated"},
        {"--width", CLI_TEXT, &d->width_text, NULL, "W",
         "width of the figure, such as 90mm, which is printed on white, or 1200px"},
        {"--paper", CLI_TEXT, &d->paper_text, NULL, "P",
         "draw figures below each other on sheets of a4 or letter, for a .pdf"},
        {"--density", CLI_REAL, &d->size.density, NULL, "X",
         "pixels per unit, 0.5 to 8; 2 draws everything twice as large (default 1)"},
        {"--theme", CLI_TEXT, &d->theme_name, NULL, "T",
         "dark or light (default dark; light for a .pdf, and for a width in millimetres)"},
        {"--no-origin", CLI_FLAG, &d->size.no_origin, NULL, NULL,
         "do not store in the picture which file and settings it was made from"},
    };
    if (d->types & ~CLI_BIT(CLI_PNG)) {
        memcpy(options + count, drawn, sizeof drawn);
        count += sizeof drawn / sizeof *drawn;
    }
    return count;
}

bool cli_read_sides(const char *text, int least, int most, int *width, int *height)
{
    int end = 0;
    return sscanf(text, "%dx%d%n", width, height, &end) == 2 && !text[end] && *width >= least &&
           *width <= most && *height >= least && *height <= most;
}

/* "90mm", "1200px", "1200": pixels, and the logical width that they hold. */
static bool read_width(const char *text, viz_export_size *size, bool *is_paper)
{
    float number;
    int end = 0;
    if (sscanf(text, "%f%n", &number, &end) != 1 || !(number > 0 && number < 1e5f))
        return false;
    bool mm = strcmp(text + end, "mm") == 0;
    if (!mm && text[end] && strcmp(text + end, "px") != 0)
        return false;
    float density = size->density > 0 ? size->density
                    : mm              ? FIGURE_DOTS / 96
                                      : fmaxf(number / FIGURE_WIDTH, 1);
    size->width = (int)lroundf(mm ? number * VIZ_UNITS_PER_MM * density : number);
    size->figure = mm ? number * VIZ_UNITS_PER_MM : number / density;
    *is_paper = mm;
    return size->width >= MIN_SIDE && size->width <= MAX_SIDE;
}

/* The window, where it is asked for, has a size in place of a width. */
static int parse_layout(cli_drawing *d)
{
    if (!d->layout_name)
        return CLI_DONE;
    d->as_window = strcmp(d->layout_name, viz_layout_names[0]) == 0;
    if (!d->as_window && strcmp(d->layout_name, viz_layout_names[1]) != 0)
        return cli_usage("--layout", "unknown layout", "give figure or window");
    if (!d->file_count)
        return cli_usage("--layout", "needs a picture to draw", "add --out FILE.png");
    if (d->as_window && (d->width_text || d->paper_text))
        return cli_usage("--layout", "is window beside --width or --paper, which are of a figure",
                         "leave one of the two out");
    return CLI_DONE;
}

/* A width, or a sheet of paper, in place of a size. */
static int parse_paper_sizes(cli_drawing *d)
{
    if (d->width_text && d->size_text)
        return cli_usage("--width", "is given beside --size", "give one of the two");
    if (d->width_text && !d->file_count)
        return cli_usage("--width", "needs a picture to draw", "add --out FILE.png");
    if (d->width_text && !read_width(d->width_text, &d->size, &d->is_paper))
        return cli_usage("--width", "is not a width that can be drawn",
                         "give millimetres or 160 to 16384 pixels, such as 90mm or 1200px");
    if (!d->paper_text)
        return CLI_DONE;
    if (!viz_export_set_paper(&d->size, d->paper_text))
        return cli_usage("--paper", "is not a size of paper that is known", "give a4 or letter");
    if (!cli_drawing_has(d, CLI_BIT(CLI_PDF)))
        return cli_usage("--paper", "needs a PDF", "add --out FILE.pdf");
    if (d->size_text || d->width_text)
        return cli_usage("--paper", "is given beside --size or --width", "give one of them");
    d->is_paper = true;
    return CLI_DONE;
}

/* Where a file of that type goes. */
static int add_file(cli_drawing *d, cli_file_type type, const char *path)
{
    const char **place = type == CLI_NPZ           ? d->npz
                         : type == CLI_JSON        ? &d->json_path
                         : type == CLI_SAFETENSORS ? d->weights
                                                   : NULL;
    if (place) {
        for (int i = 0; i < CLI_FILE_TYPES; i++)
            if (d->placed[i] == place)
                return cli_usage(path, "is the second file of its type", "give one");
        d->placed[type] = place;
        *place = path;
        if (type == CLI_JSON)
            *d->json = true;
        return CLI_DONE;
    }
    if (d->file_count == CLI_MAX_FILES)
        return cli_usage("--out", "is given too often", "give at most 16 files");
    int at = d->file_count++;
    for (; at > 0 && d->files[at - 1].type > type; at--)
        d->files[at] = d->files[at - 1];
    d->files[at] = (cli_file){type, path};
    return CLI_DONE;
}

/* `several`: there are several inputs, or a folder of them. */
static int collect_output_files(cli_drawing *d, bool several)
{
    int status = CLI_DONE;
    for (int i = 0; i < CLI_FILE_TYPES && status == CLI_DONE; i++)
        for (int k = 0; k < d->by_type[i].count && status == CLI_DONE; k++)
            status = add_file(d, (cli_file_type)i, d->by_type[i].values[k]);
    for (int k = 0; k < d->out.count && status == CLI_DONE; k++) {
        const char *path = d->out.values[k];
        int type = 0; /* CLI_FILE_TYPES: of none that the command writes */
        size_t length = strlen(path), tail;
        for (; type < CLI_FILE_TYPES; type++)
            if (accepts_file_type(d, (cli_file_type)type) && (tail = strlen(types[type].ending)) &&
                length > tail && strcasecmp(path + length - tail, types[type].ending) == 0)
                break;
        char endings[160], remedy[200];
        list_endings(d, endings, sizeof endings);
        snprintf(remedy, sizeof remedy, "let the name end in %s", endings);
        const char *name = strrchr(path, '/');
        const bool has_ending = strchr(name ? name : path, '.') && !sac_is_folder(path);
        if (type == CLI_FILE_TYPES && !has_ending && (d->weights || (d->folders && several)))
            type = d->weights ? CLI_SAFETENSORS : CLI_PNG;
        if (type == CLI_FILE_TYPES)
            status = cli_usage(path, "unknown type of file", remedy);
        else
            status = add_file(d, (cli_file_type)type, path);
    }
    return status;
}

int cli_parse_drawing(cli_args args, const cli_option *own, cli_drawing *d, const char **files,
                      int max_files, int *file_count)
{
    cli_option options[MAX_OPTIONS] = {{0}};
    int count = add_options(d, options);
    /* A command's option stands for a drawing's of that name, but the manual's page, of all models, has both. */
    const bool is_page = cli_asks_for_page(args);
    for (; own->name; own++) {
        int place = is_page ? count : 0;
        while (place < count && strcmp(options[place].name, own->name) != 0)
            place++;
        options[place] = *own;
        count += place == count;
    }
    assert(count < MAX_OPTIONS);
    int status = cli_parse(args, options, files, max_files, file_count);
    if (status == CLI_DONE)
        status = collect_output_files(d, *file_count > 1 ||
                                             (*file_count == 1 && sac_is_folder(files[0])));
    if (status != CLI_DONE)
        return status;
    cli_json_set_output_path(d->json_path);
    bool is_light = d->theme_name && strcmp(d->theme_name, viz_theme_light.name) == 0;
    d->size.theme = is_light ? &viz_theme_light : &viz_theme_dark;
    if (d->theme_name && strcmp(d->theme_name, d->size.theme->name) != 0)
        return cli_usage("--theme", "unknown theme", "give dark or light");
    if (d->size_text &&
        !cli_read_sides(d->size_text, MIN_SIDE, MAX_SIDE, &d->size.width, &d->size.height))
        return cli_usage("--size", "is not a size that can be drawn",
                         "give WxH, 160 to 16384 pixels each, such as 1280x800");
    if (d->size.density != 0 && (d->size.density < 0.5f || d->size.density > 8.0f))
        return cli_usage("--density", "is out of range", "give a number from 0.5 to 8");
    if (parse_paper_sizes(d) != CLI_DONE || parse_layout(d) != CLI_DONE)
        return CLI_USAGE;
    if (d->size.fps < 0 || d->size.fps > MAX_FPS)
        return cli_usage("--fps", "is out of range", "give a number from 1 to 60");
    return CLI_DONE;
}

/* ---------------------------------------------------------------- files */

bool cli_drawing_has(const cli_drawing *d, unsigned wanted)
{
    for (int i = 0; i < d->file_count; i++)
        if (wanted & CLI_BIT(d->files[i].type))
            return true;
    return false;
}

bool cli_drawing_wanted(const cli_drawing *d)
{
    return d->file_count > 0;
}

const char *cli_drawing_path(const cli_drawing *d, cli_file_type type)
{
    for (int i = 0; i < d->file_count; i++)
        if (d->files[i].type == type)
            return d->files[i].path;
    return NULL;
}

cli_drawing cli_drawing_only(const cli_drawing *d, unsigned wanted)
{
    cli_drawing only = *d;
    only.file_count = 0;
    for (int i = 0; i < d->file_count; i++)
        if (wanted & CLI_BIT(d->files[i].type))
            only.files[only.file_count++] = d->files[i];
    return only;
}

sac_status cli_drawing_open_fonts(const cli_drawing *drawing, sac_error *error)
{
    return cli_drawing_has(drawing, ~CLI_SUBTITLES) ? viz_words_open(error) : SAC_OK;
}

void cli_drawing_close_fonts(const cli_drawing *drawing)
{
    if (cli_drawing_has(drawing, ~CLI_SUBTITLES))
        viz_text_close();
}

static sac_status write_file(const cli_file *f, const viz_export_size *size, viz_shell *shell,
                             const sac_progress *progress, sac_error *error)
{
    switch (f->type) {
    case CLI_SVG:
        return viz_export_svg(shell, size, f->path, error);
    case CLI_PDF:
        return viz_export_pdf(shell, size, f->path, error);
    case CLI_HTML:
        return viz_export_html(shell, size, f->path, progress, error);
    case CLI_APNG:
        return viz_export_apng(shell, size, f->path, progress, error);
    case CLI_WEBP:
        return viz_export_webp(shell, size, f->path, progress, error);
    case CLI_GIF:
        return viz_export_gif(shell, size, f->path, progress, error);
    case CLI_FRAMES:
        return viz_export_frames(shell, size, f->path, progress, error);
    case CLI_TSV:
        return viz_export_table(shell, VIZ_TSV, size, f->path, progress, error);
    case CLI_CSV:
        return viz_export_table(shell, VIZ_CSV, size, f->path, progress, error);
    default:
        return viz_export_png(shell, size, f->path, error);
    }
}

/* A still picture is the figure, unless the window was asked for; what moves is drawn as it moves. */
static bool draws_figure(const cli_drawing *d, cli_file_type type, const viz_view *view)
{
    const bool moves = type == CLI_APNG || type == CLI_WEBP || type == CLI_GIF ||
                       (type == CLI_FRAMES && !view->class->pages);
    if (!view->class->figure || d->as_window)
        return false;
    return d->layout_name || d->size.figure > 0 || (!moves && !d->size.theme->presents);
}

/* Paper is white, and a figure is as wide as was asked, or as a usual one. */
static viz_export_size size_of_file(const cli_drawing *d, cli_file_type type, bool figure)
{
    viz_export_size size = d->size;
    if (!d->theme_name && (d->is_paper || type == CLI_PDF) && !size.theme->presents)
        size.theme = &viz_theme_light;
    if (type != CLI_PDF)
        size.paper_width = size.paper_height = 0;
    if (figure && !d->size_text && !(size.figure > 0) && !(size.paper_width > 0)) {
        size.width = 2 * (int)FIGURE_WIDTH;
        size.figure = (float)size.width / (size.density > 0 ? size.density : 2);
    }
    return size;
}

sac_status cli_drawing_write(const cli_drawing *d, viz_shell *shell, sac_error *error)
{
    sac_status status = SAC_OK;
    sac_progress progress = cli_progress("drawing");
    viz_view *view = viz_shell_tab_view(shell);
    for (int i = 0; i < d->file_count && status == SAC_OK; i++) {
        const cli_file *file = &d->files[i];
        if (CLI_BIT(file->type) & CLI_SUBTITLES)
            continue;
        const bool figure = view && draws_figure(d, file->type, view);
        const viz_export_size size = size_of_file(d, file->type, figure);
        if (view)
            viz_view_restore(view, "layout", viz_layout_names[figure]);
        status = write_file(file, &size, shell, &progress, error);
    }
    return status;
}

sac_status cli_drawing_write_view(const cli_drawing *d, viz_view *view, sac_error *error)
{
    viz_shell shell = {0};
    sac_status status = viz_shell_add(&shell, view, error);
    if (status == SAC_OK)
        status = cli_drawing_write(d, &shell, error);
    viz_shell_free(&shell);
    return status;
}

/* ---------------------------------------------------------------- what the outputs of several inputs are called */

enum { DEEPEST = 64 }; /* folders of a path that may be in a name */

typedef struct input {
    const char *given; /* lent */
    char *path;        /* without links and dots, where the file is there; owned */
    char *name;        /* owned */
    int number;        /* place among the inputs as they were given */
    int first;         /* of those that would share its name, which are … */
    int next, last;    /* … the next of them, −1: none, and of the first the last */
} input;

/* The name with `folders` of the folders that it is in, "a-b-x" or with the ending "a-b-x.png"; NULL: no memory. */
static char *name_with_folders(const char *path, int folders, bool ending)
{
    const char *begin = path + strlen(path);
    for (; begin > path; begin--)
        if (begin[-1] == '/' && folders-- == 0)
            break;
    char *name = strdup(begin);
    char *last = name ? strrchr(name, '/') : NULL, *own = last ? last + 1 : name;
    char *dot = own ? strrchr(own, '.') : NULL;
    if (dot && dot != own && !ending)
        *dot = '\0';
    for (char *c = name; c && *c; c++)
        *c = *c == '/' ? '-' : *c;
    return name;
}

/* "x-2" is a piece of "x". */
static bool is_piece(const char *name, const char *of)
{
    const size_t size = strlen(of);
    return strncmp(name, of, size) == 0 && name[size] == '-' && name[size + 1] &&
           !name[size + 1 + strspn(name + size + 1, "0123456789")];
}

static bool names_collide(const input *a, const input *b, bool pieces)
{
    return strcmp(a->path, b->path) != 0 &&
           (strcmp(a->name, b->name) == 0 ||
            (pieces && (is_piece(a->name, b->name) || is_piece(b->name, a->name))));
}

static int by_name(const void *a, const void *b)
{
    const input *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->number - y->number;
}

static int by_number(const void *a, const void *b)
{
    return ((const input *)a)->number - ((const input *)b)->number;
}

/* True where some share their names. Those that are alike stand side by side. */
static bool group_colliding_names(input *all, int count, bool pieces)
{
    bool found = false;
    qsort(all, (size_t)count, sizeof *all, by_name);
    for (int i = 0; i < count; i++) {
        all[i].first = all[i].last = i;
        all[i].next = -1;
        for (int k = i - 1; k >= 0 && (pieces || strcmp(all[k].name, all[i].name) == 0); k--)
            if (names_collide(&all[k], &all[i], pieces)) {
                input *first = &all[all[k].first];
                all[i].first = all[k].first;
                all[first->last].next = i;
                first->last = i;
                found = true;
                break;
            }
    }
    return found;
}

static bool is_distinct(const input *all, int first, bool pieces)
{
    for (int i = first; i >= 0; i = all[i].next)
        for (int k = all[i].next; k >= 0; k = all[k].next)
            if (names_collide(&all[i], &all[k], pieces))
                return false;
    return true;
}

/* Gives those that share a name a form of their names in which these differ: with the endings, then with folders, without
 * and with them. */
static sac_status make_distinct(input *all, int first, bool pieces, sac_error *error)
{
    for (int form = 1; form < 2 * DEEPEST; form++) {
        for (int i = first; i >= 0; i = all[i].next) {
            char *name = name_with_folders(all[i].path, form / 2, form % 2);
            if (!name)
                return sac_no_memory(error, "outputs");
            free(all[i].name);
            all[i].name = name;
        }
        if (is_distinct(all, first, pieces))
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_ARGUMENT, all[first].given, "give it another name",
                    "has the name of another input, and both outputs would be one file");
}

static sac_status make_all_names_distinct(input *all, int count, bool pieces, int *renamed,
                                          sac_error *error)
{
    sac_status status = SAC_OK;
    if (!group_colliding_names(all, count, pieces))
        return SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++) {
        *renamed += all[i].first != i || all[i].next >= 0;
        if (all[i].first == i && all[i].next >= 0)
            status = make_distinct(all, i, pieces, error);
    }
    if (status != SAC_OK || !group_colliding_names(all, count, pieces))
        return status;
    int i = 0; /* what a name became is another's */
    while (all[i].first == i)
        i++;
    return sac_fail(error, SAC_E_ARGUMENT, all[i].given, "give it another name",
                    "has an output %s, as another input has", all[i].name);
}

sac_status cli_output_names(char *const *paths, int count, bool pieces, char ***names, int *renamed,
                            sac_error *error)
{
    input *all = calloc((size_t)count + 1, sizeof *all);
    sac_status status = SAC_OK;
    *names = calloc((size_t)count + 1, sizeof **names);
    *renamed = 0;
    for (int i = 0; all && i < count; i++) {
        char *path = realpath(paths[i], NULL);
        path = path ? path
                    : strdup(paths[i]); /* one that is not there is reported when it is opened */
        all[i] = (input){.given = paths[i],
                         .path = path,
                         .name = path ? name_with_folders(path, 0, false) : NULL,
                         .number = i};
        if (!all[i].name)
            status = sac_no_memory(error, "outputs");
    }
    if (!all || !*names)
        status = sac_no_memory(error, "outputs");
    if (status == SAC_OK)
        status = make_all_names_distinct(all, count, pieces, renamed, error);
    if (all && status == SAC_OK)
        qsort(all, (size_t)count, sizeof *all, by_number);
    for (int i = 0; all && i < count; i++) {
        if (status == SAC_OK)
            (*names)[i] = all[i].name;
        else
            free(all[i].name);
        free(all[i].path);
    }
    free(all);
    return status;
}

/* ---------------------------------------------------------------- the arrays of a file while they are gathered */

void cli_arrays_file_add(cli_arrays_file *file, sac_array array, const char *name, ...)
{
    size_t i = file->count++;
    va_list values;
    va_start(values, name);
    vsnprintf(file->names[i], sizeof file->names[i], name, values);
    va_end(values);
    file->array[i] = array;
    file->named[i] = (sac_named_array){file->names[i], &file->array[i]};
}

void cli_arrays_file_add_labels(cli_arrays_file *file, const char *of, size_t rows,
                                const void *row_labels, size_t columns, const void *column_labels)
{
    const char *joint = of[0] ? "_" : "";
    cli_arrays_file_add(file, sac_array_view(SAC_TEXT, 1, &rows, row_labels), "%s%srow_labels", of,
                        joint);
    cli_arrays_file_add(file, sac_array_view(SAC_TEXT, 1, &columns, column_labels),
                        "%s%scolumn_labels", of, joint);
}

void cli_arrays_file_add_kind(cli_arrays_file *file, const sac_attention_kind *k)
{
    const size_t shape[] = {k->layers, k->heads, k->steps, k->positions};
    const size_t of_items[] = {k->layers, k->items, k->heads, k->steps, k->positions};
    const size_t cells[] = {k->layers, k->items, k->steps};
    cli_arrays_file_add(file,
                        k->items ? sac_array_view(SAC_F32, 5, of_items, k->weights)
                                 : sac_array_view(SAC_F32, 4, shape, k->weights),
                        "%s", k->name);
    if (k->cells)
        cli_arrays_file_add(file, sac_array_view(SAC_I32, 3, cells, k->cells), "%s_cells", k->name);
    if (k->step_labels.count == k->steps && k->position_labels.count == k->positions)
        cli_arrays_file_add_labels(file, k->name, k->steps, k->step_labels.text, k->positions,
                                   k->position_labels.text);
    if (k->alignment)
        cli_arrays_file_add(file, sac_array_view(SAC_F32, 2, shape, k->alignment), "%s_alignment",
                            k->name);
}

void cli_arrays_file_add_attentions(cli_arrays_file *file, const sac_attentions *attentions)
{
    for (int k = 0; k < SAC_ATTENTION_KINDS; k++)
        if (attentions->kind[k].weights)
            cli_arrays_file_add_kind(file, &attentions->kind[k]);
    for (size_t i = 0; i < attentions->parts; i++)
        cli_arrays_file_add_kind(file, &attentions->part[i]);
}
