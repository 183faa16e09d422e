/* What a command writes: --out, its older names by type, and how pictures are drawn. */
#ifndef SAC_CLI_DRAWING_H
#define SAC_CLI_DRAWING_H

#include "cli/cli.h"
#include "export/export.h"
#include "saccade.h"
#include "saccade_arrays.h"
#include "sources/attentions.h"

/* Types of files. A set of them is 1 << CLI_PNG | …. */
typedef enum cli_file_type {
    CLI_PNG,
    CLI_SVG,
    CLI_PDF,
    CLI_HTML,
    CLI_TSV,
    CLI_CSV,
    CLI_APNG,
    CLI_WEBP,
    CLI_GIF,
    CLI_FRAMES, /* a folder of PNGs */
    CLI_NPZ,
    CLI_JSON,
    CLI_SAFETENSORS,
    CLI_SRT,
    CLI_VTT,
    CLI_FILE_TYPES
} cli_file_type;
#define CLI_BIT(type) (1u << (type))
#define CLI_ANIMATIONS                                                                             \
    (CLI_BIT(CLI_APNG) | CLI_BIT(CLI_WEBP) | CLI_BIT(CLI_GIF) | CLI_BIT(CLI_FRAMES))
#define CLI_PICTURES (CLI_BIT(CLI_PNG) | CLI_BIT(CLI_SVG) | CLI_BIT(CLI_PDF) | CLI_ANIMATIONS)
#define CLI_PAGES CLI_BIT(CLI_HTML)
#define CLI_TABLES (CLI_BIT(CLI_TSV) | CLI_BIT(CLI_CSV))
#define CLI_SUBTITLES (CLI_BIT(CLI_SRT) | CLI_BIT(CLI_VTT)) /* the command writes them itself */

typedef struct cli_file {
    cli_file_type type;
    const char *path;
} cli_file;

enum { CLI_MAX_FILES = 16 };

typedef struct cli_drawing {
    /* Set by the command: what it can write, and where it keeps the
     * paths of arrays, and that JSON is wanted; NULL: it writes none. */
    unsigned types;              /* of CLI_PICTURES, CLI_PAGES, CLI_TABLES, CLI_SUBTITLES */
    const char *what;            /* is in them: "a figure: the picture once for each word" */
    const char **npz, **weights; /* weights: a file of .safetensors */
    bool *json;
    bool folders; /* of several inputs a file is a folder, and one without an ending has PNGs */
    /* The rest is filled by cli_parse_drawing. */
    cli_file files[CLI_MAX_FILES]; /* of `types`, in their order: what moves still glides after an
                                      animation, so pictures are drawn before it */
    int file_count;
    viz_export_size size;
    const char *size_text, *width_text, *paper_text, *theme_name, *layout_name, *json_path;
    bool as_window,
        is_paper; /* --layout window; the width is in millimetres, or there is a sheet */
    cli_list out, by_type[CLI_FILE_TYPES]; /* as given */
    const char **placed[CLI_FILE_TYPES];   /* where the name of a file went that there is one of */
    char help[600];
} cli_drawing;

/* cli_parse of the options of a drawing, those of its size and theme only where the command draws
 * more than PNGs of its own, and of the command's `own` (a zeroed one last). JSON goes to
 * `json_path` then. */
int cli_parse_drawing(cli_args args, const cli_option *own, cli_drawing *drawing,
                      const char **files, int max_files, int *file_count);
/* True where a file of one of these types is requested. */
bool cli_drawing_has(const cli_drawing *drawing, unsigned types);
bool cli_drawing_wanted(const cli_drawing *drawing); /* any file of `types` */
/* The first file of that type, or NULL. */
const char *cli_drawing_path(const cli_drawing *drawing, cli_file_type type);
/* The same drawing with its files of these types alone. */
cli_drawing cli_drawing_only(const cli_drawing *drawing, unsigned types);
/* ".png", as the name of a file of that type ends; "" of a folder. */
const char *cli_file_ending(cli_file_type type);
/* Opens the fonts where something is drawn, and closes them after it. */
sac_status cli_drawing_open_fonts(const cli_drawing *drawing, sac_error *error);
void cli_drawing_close_fonts(const cli_drawing *drawing);
/* Writes the shell's current view into every file that was requested: as a figure, as high as it
 * needs and without a width 1280 pixels wide, unless it moves or the window was asked for. */
sac_status cli_drawing_write(const cli_drawing *drawing, viz_shell *shell, sac_error *error);
/* The same of a view by itself, which is destroyed in any case. */
sac_status cli_drawing_write_view(const cli_drawing *drawing, viz_view *view, sac_error *error);

/* "1280x800" of sides from least to most. */
bool cli_read_sides(const char *text, int least, int most, int *width, int *height);

/* names [count] of the outputs of inputs, without an ending; free() each and the list. The output of "a/x.png" is "x". Inputs
 * that would share a name have their endings in it, "x.png" and "x.jpg", or else the last of their folders by which
 * they differ and those behind it, "a-x" and "b-x"; *renamed is their number. The same file twice has one name.
 * `pieces`: outputs of pieces are called "x-2", which no other input may be called then. SAC_E_ARGUMENT where that
 * makes no difference, SAC_E_MEMORY. */
sac_status cli_output_names(char *const *paths, int count, bool pieces, char ***names, int *renamed,
                            sac_error *error);

/* ---- the arrays of a file while they are gathered */

enum { CLI_MOST_ARRAYS = 64 };

/* Zeroed: none yet. Give `named` and `count` to sac_npz_save. */
typedef struct cli_arrays_file {
    sac_array array[CLI_MOST_ARRAYS]; /* their data is lent */
    sac_named_array named[CLI_MOST_ARRAYS];
    size_t count;
    char names[CLI_MOST_ARRAYS][40];
} cli_arrays_file;

/* Adds an array under a name, which is formatted as by printf. */
__attribute__((format(printf, 3, 4))) void
cli_arrays_file_add(cli_arrays_file *file, sac_array array, const char *name, ...);
/* Texts [rows] and [columns] as "row_labels" and "column_labels", or of an array "encoder_row_labels". */
void cli_arrays_file_add_labels(cli_arrays_file *file, const char *of, size_t rows,
                                const void *row_labels, size_t columns, const void *column_labels);
/* "cross" [L,H,rows,columns], or of several items [L,items,H,rows,columns], its labels and "cross_cells" [L,items,rows]
 * where it has any, and where it is known how well each head aligns, "cross_alignment" [L,H]. */
void cli_arrays_file_add_kind(cli_arrays_file *file, const sac_attention_kind *kind);
/* Every kind and part that is there. */
void cli_arrays_file_add_attentions(cli_arrays_file *file, const sac_attentions *attentions);

#endif
