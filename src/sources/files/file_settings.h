/* Numbers in a file that say how its attention is computed: scale, causal, window, heads. */
#ifndef SAC_SOURCES_FILES_FILE_SETTINGS_H
#define SAC_SOURCES_FILES_FILE_SETTINGS_H

#include "sources/files/file_finder.h"

/* Puts into file->spec what the file says and the caller does not; where both do and differ, the
 * caller's stands and file->note says so. SAC_E_VALUE names what is no such number. With a `used`
 * in the finder all are marked, also after a failure. */
sac_status sac_file_settings_read(const sac_file_finder *finder, sac_attention_file *file,
                                  sac_error *error);

#endif
