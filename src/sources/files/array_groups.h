/* Arrays of a file whose names differ in one number are the layers of one model: "h.0.attn",
 * "h.1.attn" make the group "h.*.attn". */
#ifndef SAC_SOURCES_FILES_ARRAY_GROUPS_H
#define SAC_SOURCES_FILES_ARRAY_GROUPS_H

#include "saccade_arrays.h"

typedef struct sac_array_group {
    char name[128];          /* of one array: its own; of several: with a * for the number */
    sac_named_array *layers; /* [count], by their number; owned, what it names is lent */
    size_t count;
    size_t *numbers;         /* [count] of the layers; owned; NULL: one array has none */
    sac_named_array *pieces; /* [count,piece_count]: the steps that a layer lies in, of which
                                `layers` has the first (sac_step_groups_take); owned; NULL: one array */
    size_t piece_count;
    bool own_keys; /* of the steps: the last key of a step is its own last query, however few of the
                      keys before it a sliding window has kept */
} sac_array_group;

typedef struct sac_array_groups {
    sac_array_group *group; /* [count], owned */
    size_t count;
    bool more; /* there are more groups than SAC_MAX_GROUPS: these are the first */
} sac_array_groups;

#define SAC_MAX_GROUPS 64

/* Adds groups of one shape and dtype, in the order of `arrays`, to those in `groups`, which may be
 * zeroed. SAC_E_MEMORY where there is none. */
sac_status sac_array_groups_make(const sac_named_array *arrays, size_t count,
                                 sac_array_groups *groups, sac_error *error);
void sac_array_groups_free(sac_array_groups *groups); /* takes zeroed ones */
/* The two last axes of a layer, of which a vector has one: its queries, of all steps, and keys. */
void sac_array_group_sizes(const sac_array_group *group, size_t *queries, size_t *keys);

/* "bias [1,8,4,4], loss [3]": the first of `count` arrays, then "… and 12 more" where they do not
 * fit. */
char *sac_named_arrays_text(const sac_named_array *arrays, size_t count, char *text, size_t size);
char *sac_arrays_text(const sac_arrays *arrays, char *text, size_t size); /* all of a file */
/* The first name that is not read and is `name`, or fits it as a pattern; NULL: there is none. */
const char *sac_unread_find(const sac_arrays *arrays, const char *name);
/* The same of groups, under their own names. */
char *sac_array_groups_text(const sac_array_groups *groups, char *text, size_t size);

/* Takes the attention of a generation, which comes step by step, out of `found` [*count], whose
 * order is kept, and adds its groups to `groups`. The first array has the queries of the prompt,
 * each further one those of a generated token, over all keys so far ([H,5,5], [H,1,6], [H,1,7] …)
 * or over the same keys ([H,1,S], cross-attention), or over the last keys that a sliding window
 * keeps, in some layers or in all; together they are one map. The text arrays of `arrays`, the file,
 * may distinguish steps from layers. SAC_E_MEMORY. */
sac_status sac_step_groups_take(const sac_arrays *arrays, sac_named_array *found, size_t *count,
                                sac_array_groups *groups, sac_error *error);

#endif
