/* The note of origin that is written into a picture. */
#ifndef VIZ_EXPORT_NOTES_H
#define VIZ_EXPORT_NOTES_H

#include "export/export.h"
#include "images/png_write.h"

#define VIZ_MAX_NOTES 192 /* of four sides */
#define VIZ_NAMED_FILES 6

typedef struct viz_notes {
    sac_png_text texts[VIZ_MAX_NOTES]; /* values are owned */
    size_t count;
    char *folder;                 /* of the picture, absolute; NULL: not known */
    char *files[VIZ_NAMED_FILES]; /* that are named, absolute; owned; NULL: none */
    sac_status status;
} viz_notes;

/* Collects the settings of `view` for the picture to be saved at `path`. Files in the picture's
 * folder, in its parent or below are named relative to it, so that they are found after all were
 * moved. Each has its hash (source/origin.h): as it was opened where the view knows that, else as
 * it is now. Free with viz_notes_free, also after a failure. */
sac_status viz_notes_collect(const viz_view *view, const viz_export_size *size, const char *path,
                             viz_notes *notes, sac_error *error);
void viz_notes_free(viz_notes *notes);

#endif
