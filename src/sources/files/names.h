/* The names by which the arrays of a file are known: what an array is called decides how it is read. Those of labels of
 * rows and columns are in arrays/labels.c, as files of labels have them, too; those that would change an attention and
 * are refused, with their reasons, in queries/file_others.c. */
#ifndef SAC_SOURCE_FILES_NAMES_H
#define SAC_SOURCE_FILES_NAMES_H

#include <stdbool.h>

typedef enum sac_names {
    /* queries, keys and values in one array, keys and values in one, and what they are projected of */
    SAC_NAMES_QKV = 0,
    SAC_NAMES_KV,
    SAC_NAMES_INPUT,
    /* projections, and the norm behind them */
    SAC_NAMES_QKV_WEIGHT,
    SAC_NAMES_QKV_BIAS,
    SAC_NAMES_Q_WEIGHT,
    SAC_NAMES_Q_BIAS,
    SAC_NAMES_K_WEIGHT,
    SAC_NAMES_K_BIAS,
    SAC_NAMES_V_WEIGHT,
    SAC_NAMES_V_BIAS,
    SAC_NAMES_OUT_WEIGHT,
    SAC_NAMES_OUT_BIAS,
    SAC_NAMES_NORM_WEIGHT,
    SAC_NAMES_NORM_BIAS,
    SAC_NAMES_ANY_PROJECTION,
    /* settings: one number, or a pair */
    SAC_NAMES_SCALE,
    SAC_NAMES_SOFTCAP,
    SAC_NAMES_CAUSAL,
    SAC_NAMES_WINDOW,
    SAC_NAMES_HEADS,
    SAC_NAMES_KEY_HEADS,
    SAC_NAMES_DROPOUT,
    /* masks, by what their numbers mean, and those that do not define which keys a query attends to */
    SAC_NAMES_BLOCKING_MASK,
    SAC_NAMES_KEEPING_MASK,
    SAC_NAMES_PADDING_MASK,
    SAC_NAMES_BIAS,
    SAC_NAMES_SLOPES,
    SAC_NAMES_HARMLESS_MASK,
    /* weights: an attention by the end of its name, in lower case; what accompanies attentions and is none */
    SAC_NAMES_ATTENTION,
    SAC_NAMES_NO_ATTENTION,
    /* whole numbers that are tokens, by the ends of names and by whole names; texts, by the ends of names */
    SAC_NAMES_IDS_END,
    SAC_NAMES_IDS,
    SAC_NAMES_TEXTS_END,
    /* which tokens are cells of a picture: 1 for each that is, or where they are */
    SAC_NAMES_CELL_MASK,
    SAC_NAMES_CELL_POSITIONS,
    /* words before a number that counts layers, or steps of a generation; both, where the name of an attention is sought */
    SAC_NAMES_LAYER,
    SAC_NAMES_STEP,
    SAC_NAMES_COUNTING,
    SAC_NAME_LISTS
} sac_names;

/* A list ends with NULL. Where several arrays have names of one list, the first name is taken. */
extern const char *const *const sac_names_of[SAC_NAME_LISTS];

/* The names of a query, its key and its value. */
enum { SAC_NAME_FAMILIES = 8 };
extern const char *const sac_query_families[SAC_NAME_FAMILIES][3];

/* Whether `name` is one of the list, or ends with one; in letters of either case. */
bool sac_name_is(sac_names list, const char *name);
bool sac_name_ends(sac_names list, const char *name);

#endif
