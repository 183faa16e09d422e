/* Attention of a generation, which comes step by step: the first array has the prompt's queries,
 * each further one those of a token that was said, over all keys so far ([H,5,5], [H,1,6], [H,1,7]
 * …) or over the same ones ([H,1,S], cross attention). Together they are one map. */
#ifndef SAC_SOURCES_FILES_STEP_GROUPS_H
#define SAC_SOURCES_FILES_STEP_GROUPS_H

#include "sources/files/array_groups.h"

/* Takes such arrays out of `found` [*count], whose order is kept, and adds their groups to
 * `groups`. `arrays` is the file, whose labels may tell steps from layers. SAC_E_MEMORY. */
sac_status sac_step_groups_take(const sac_arrays *arrays, sac_named_array *found, size_t *count,
                                sac_array_groups *groups, sac_error *error);

#endif
