#include "lessons/shared/tables.h"

#include <math.h>
#include <stdio.h>

sac_node sac_lesson_table(sac_lesson *l, const char *name, sac_small_shape shape,
                          const int *thousandths, const char *const *rows, size_t row_count)
{
    float numbers[SAC_TABLE_MOST];
    for (size_t i = 0; i < sac_small_count(shape); i++)
        numbers[i] = (float)thousandths[i] / 1000;
    sac_node node = sac_given(&l->graph, name, shape, numbers);
    if (rows)
        sac_lesson_label(l, node, rows, row_count, NULL, 0);
    return node;
}

const char *sac_lesson_part_name(const char *part, const char *name)
{
    static _Thread_local char names[4][32];
    static _Thread_local int next;
    char *text = names[next++ % 4];
    snprintf(text, sizeof names[0], "%s.%s", part, name);
    return text;
}

sac_lesson_head sac_lesson_attend_by_tables(sac_lesson *l, const sac_table_head *of,
                                            sac_node blocked)
{
    sac_graph *g = &l->graph;
    sac_lesson_head a;
    const sac_small_shape queries = SAC_MATRIX(of->queries, of->depth),
                          keys = SAC_MATRIX(of->keys, of->depth);
    a.q = sac_lesson_table(l, sac_lesson_part_name(of->part, "Q"), queries, of->q, of->rows,
                           of->queries);
    a.k = sac_lesson_table(l, sac_lesson_part_name(of->part, "K"), keys, of->k, of->columns,
                           of->keys);
    a.v = sac_lesson_table(l, sac_lesson_part_name(of->part, "V"), keys, of->v, of->columns,
                           of->keys);
    sac_node products = sac_matmul_t(g, sac_lesson_part_name(of->part, "products"), a.q, a.k);
    a.scores = sac_times(g, sac_lesson_part_name(of->part, "scores"), products,
                         1 / sqrtf((float)of->depth));
    if (blocked)
        a.scores = sac_masked(g, sac_lesson_part_name(of->part, "masked"), a.scores, blocked);
    a.weights = sac_softmax(g, sac_lesson_part_name(of->part, "weights"), a.scores);
    a.head = sac_matmul(g, sac_lesson_part_name(of->part, "head"), a.weights, a.v);
    sac_lesson_label(l, a.scores, of->rows, of->queries, of->columns, of->keys);
    sac_lesson_label(l, a.weights, of->rows, of->queries, of->columns, of->keys);
    sac_lesson_label(l, a.head, of->rows, of->queries, NULL, 0);
    return a;
}
