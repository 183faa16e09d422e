/* Arrays beside queries and keys that would change the weights, and are not supported. */
#ifndef SAC_SOURCES_FILES_FILE_OTHERS_H
#define SAC_SOURCES_FILES_FILE_OTHERS_H

#include "sources/files/file_finder.h"

/* SAC_E_ARGUMENT, naming the array and what to do, where the file holds one that would give other
 * numbers. What is harmless but easily thought to be used is noted, and marked in the finder's
 * `used`. `file` has been read. */
sac_status sac_file_others_check(const sac_file_finder *finder, sac_attention_file *file,
                                 sac_error *error);
/* The same of a mask or a bias that is not in `used` [sac_arrays_size]: its name is not known. A
 * mask that tells of queries changes no weights. */
sac_status sac_file_unknown_check(const sac_file_finder *finder, const sac_attention_file *file,
                                  const bool *used, sac_error *error);

#endif
