/* Arrays of a file found by name, behind a query's prefix or without one: inside the reading of an
 * attention. */
#ifndef SAC_SOURCES_FILES_FILE_FINDER_H
#define SAC_SOURCES_FILES_FILE_FINDER_H

#include "sources/files/attention_file.h"

typedef struct sac_file_finder {
    const sac_arrays *arrays;
    const sac_attention_request *request;
    size_t prefix;      /* bytes of the query's name before its last word … */
    const char *suffix; /* … and the number behind that, "" where there is none */
    bool *used;         /* [sac_arrays_size]: what was found is marked; may be NULL */
    /* Where it is not NULL, takes the first name that was looked for and is one of those that the
     * file holds and are not read: what is there and not read might change the weights. */
    const char **unread;
} sac_file_finder;

sac_file_finder sac_file_finder_begin(const sac_arrays *arrays,
                                      const sac_attention_request *request, bool *used);
/* The layer's own array of that name, or that of all layers; NULL: there is none. */
const sac_array *sac_file_find(const sac_file_finder *finder, const char *name);
/* The first of several names, which NULL ends, and which it was. */
const sac_array *sac_file_find_any(const sac_file_finder *finder, const char *const names[],
                                   const char **name);
/* True where the request leaves out an array of that name, in the file or behind the prefix. */
bool sac_file_is_left_out(const sac_file_finder *finder, const char *whole, const char *name);
/* Adds a sentence to the file's note. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_file_note(sac_attention_file *file, const char *format, ...);

#endif
