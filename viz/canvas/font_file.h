/* Fonts' files in memory, each once however many sizes are drawn of it. FreeType seeks thousands of
 * times per text: in memory that costs nothing, through stdio a system call each. Used from one
 * thread. */
#ifndef VIZ_CANVAS_FONT_FILE_H
#define VIZ_CANVAS_FONT_FILE_H

#include <stddef.h>

/* Lends the whole file until viz_font_files_close; NULL where it cannot be read or memory is
 * short. */
const void *viz_font_file_map(const char *path, size_t *size);
void viz_font_files_close(void); /* once no open font reads from them */

#endif
