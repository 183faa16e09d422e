/* A shell's current view into files: the very pixels the window shows. */
#ifndef VIZ_EXPORT_EXPORT_H
#define VIZ_EXPORT_EXPORT_H

#include "canvas/recording.h"
#include "images/png_write.h"
#include "parts/figures/table.h"
#include "shell/shell.h"

typedef struct viz_export_size {
    int width, height; /* pixels; 0: 1280 × 800 */
    float density;     /* 0: 1, and more where the picture is large: the layout grows with it */
    const viz_theme *theme;
    bool no_origin; /* nothing is written of where the picture came from */
    int fps; /* pictures a second of an animation, up to 60; 0: 25, or 15 of a GIF or a PNG, which are large */
    float figure; /* width in logical units of a view that is a figure, whose height follows;
                          0: it fills `width` × `height` as other views do */
    float paper_width, paper_height; /* logical units, of a PDF whose figures stand on sheets of
                                        that size; 0: a page is as large as what is on it */
} viz_export_size;

#define VIZ_UNITS_PER_MM (96 / 25.4f)
/* Puts a PDF on sheets of "a4" or "letter"; false: no such paper is known. */
bool viz_export_set_paper(viz_export_size *size, const char *name);

/* What a picture saved at `path` would hold as text: origin and settings of the view, and before them
 * more[count] that the view does not know; files are named from the folder of `path`. Free *texts in any
 * case. */
sac_status viz_export_texts(viz_shell *shell, const char *path, const sac_png_text *more,
                            size_t count, sac_png_texts *texts, sac_error *error);
/* Computes what the shell's view needs for a picture of that size, without writing one. */
sac_status viz_export_settle(viz_shell *shell, const viz_export_size *size, sac_error *error);
/* The view, settled, into a zeroed canvas, which is to be freed in any case; and as shapes into `recording`
 * (NULL: none), with pictures twice as fine then. */
sac_status viz_export_draw(viz_shell *shell, const viz_export_size *size, viz_recording *recording,
                           viz_canvas *canvas, sac_error *error);
/* Waits until the view's jobs are computed, draws it, and writes the file with the note of origin
 * in text chunks. */
sac_status viz_export_png(viz_shell *shell, const viz_export_size *size, const char *path,
                          sac_error *error);
/* The same into `image`, which is freed with sac_image_free. */
sac_status viz_export_image(viz_shell *shell, const viz_export_size *size, sac_image *image,
                            sac_error *error);
/* The same as shapes and text, which can be selected and searched; pictures, and matrices with more
 * cells than can be pointed at, are embedded images, twice as fine as on the screen. The size is
 * that of the PNG at 96 pixels to the inch. A PDF has all pages of a view that has some. */
sac_status viz_export_svg(viz_shell *shell, const viz_export_size *size, const char *path,
                          sac_error *error);
sac_status viz_export_pdf(viz_shell *shell, const viz_export_size *size, const char *path,
                          sac_error *error);
sac_status viz_export_apng(viz_shell *shell, const viz_export_size *size, const char *path,
                           const sac_progress *progress, sac_error *error);
/* The same in a tenth of the bytes, for browsers and slides: pixels are near to what is drawn. */
sac_status viz_export_webp(viz_shell *shell, const viz_export_size *size, const char *path,
                           const sac_progress *progress, sac_error *error);
/* The same with 255 colours a picture, for what does not play an animated PNG. */
sac_status viz_export_gif(viz_shell *shell, const viz_export_size *size, const char *path,
                          const sac_progress *progress, sac_error *error);
/* frame-0001.png … into `folder`, which is made if need be; of a view with pages a picture each. */
sac_status viz_export_frames(viz_shell *shell, const viz_export_size *size, const char *folder,
                             const sac_progress *progress, sac_error *error);
/* A page for a browser (export/html/html.h). */
sac_status viz_export_html(viz_shell *shell, const viz_export_size *size, const char *path,
                           const sac_progress *progress, sac_error *error);
/* The numbers of the shell's tab, all of them, whatever the picture pools: those that a picture of
 * that size shows. SAC_E_ARGUMENT where the view has no table. */
sac_status viz_export_table(viz_shell *shell, viz_table_kind kind, const viz_export_size *size,
                            const char *path, const sac_progress *progress, sac_error *error);

#endif
