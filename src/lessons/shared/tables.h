/* What a trained model computed, as tables in thousandths, and the heads that a lesson makes of them. */
#ifndef SAC_LESSONS_SHARED_TABLES_H
#define SAC_LESSONS_SHARED_TABLES_H

#include "lessons/engine/lesson.h"

enum { SAC_TABLE_MOST = 128 }; /* numbers of one */

/* The first numbers of a table as an array, whose rows are called so (NULL: they have numbers). */
sac_node sac_lesson_table(sac_lesson *lesson, const char *name, sac_small_shape shape,
                          const int *thousandths, const char *const *rows, size_t row_count);
/* Names of a part's arrays begin with the part: "encoder.Q"; of the last four calls. */
const char *sac_lesson_part_name(const char *part, const char *name);

/* Queries [queries,depth], and keys and values [keys,depth], by the names of what they are made of. */
typedef struct sac_table_head {
    const char *part;
    size_t queries, keys, depth;
    const int *q, *k, *v;
    const char *const *rows, *const *columns;
} sac_table_head;
typedef struct sac_lesson_head {
    sac_node q, k, v;
    sac_node scores;  /* scaled, and −∞ where they are blocked */
    sac_node weights; /* softmax of their rows */
    sac_node head;    /* weights · v */
} sac_lesson_head;
/* "PART.Q", "K", "V", "products", "scores", "masked", "weights", "head"; `blocked` 0: nothing is. */
sac_lesson_head sac_lesson_attend_by_tables(sac_lesson *lesson, const sac_table_head *of,
                                            sac_node blocked);

#endif
