/* Files of sentence pairs as rows, whatever their form. */
#ifndef SAC_PAIRS_PAIR_ROWS_H
#define SAC_PAIRS_PAIR_ROWS_H

#include "pairs/pairs.h"

typedef struct sac_pair_row {
    char *text[SAC_SIDES]; /* on one line, without blanks around it; owned */
    size_t line;
} sac_pair_row;

typedef struct sac_pair_rows {
    sac_pair_row *rows; /* [count] */
    size_t count, capacity;
    char name[SAC_SIDES][SAC_LANGUAGE_NAME]; /* of the languages; empty: the files name none */
    sac_pictures_skipped bare;               /* lines without a second text */
    char *note;                              /* NULL: nothing; owned */
} sac_pair_rows;

/* Errors are those of sac_pairs_open. Free the rows in any case. */
sac_status sac_pair_rows_load(const char *const files[SAC_SIDES], sac_pair_rows *rows,
                              sac_error *error);
void sac_pair_rows_free(sac_pair_rows *rows);

#endif
