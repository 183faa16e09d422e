/* Which cells a cell of a lesson's array is made of. */
#include "sources/lesson.h"

typedef struct gathered {
    const sac_shown_lesson *lesson;
    const sac_shown_array *array;
    size_t batch; /* of the cell */
    sac_operand *operands;
    size_t count, most;
} gathered;

/* The cell (row, column) of an input in the cell's batch. */
static void add_operand(gathered *g, int input, size_t row, size_t column)
{
    sac_node node = g->array->inputs[input];
    if (!node || g->count == g->most)
        return;
    const sac_shown_array *a = &g->lesson->arrays[node - 1];
    size_t batch = a->batch > 1 ? g->batch : 0;
    row = a->rows > 1 ? row : 0;
    column = a->columns > 1 ? column : 0;
    g->operands[g->count++] = (sac_operand){node, (batch * a->rows + row) * a->columns + column};
}

size_t sac_shown_operands(const sac_shown_lesson *lesson, sac_node node, size_t cell,
                          sac_operand *operands, size_t most)
{
    const sac_shown_array *array = &lesson->arrays[node - 1];
    size_t column = cell % array->columns, line = cell / array->columns, row = line % array->rows;
    gathered g = {lesson, array, line / array->rows, operands, 0, most};
    const sac_shown_array *first = array->inputs[0] ? &lesson->arrays[array->inputs[0] - 1] : array;
    switch (array->making) {
    case SAC_MADE_OF_NOTHING:
        break;
    case SAC_MADE_OF_PRODUCTS:
    case SAC_MADE_OF_PRODUCTS_T:
        for (size_t k = 0; k < first->columns; k++) {
            bool transposed = array->making == SAC_MADE_OF_PRODUCTS_T;
            add_operand(&g, 0, row, k);
            add_operand(&g, 1, transposed ? column : k, transposed ? k : column);
            add_operand(&g, 2, 0, k);
        }
        break;
    case SAC_MADE_CELLWISE:
        for (int input = 0; input < SAC_ARRAY_INPUTS; input++)
            add_operand(&g, input, row, column);
        break;
    case SAC_MADE_SHARES:
        for (size_t k = 0; k < first->columns; k++)
            add_operand(&g, 0, row, k);
        break;
    case SAC_MADE_SHARES_0:
        for (size_t k = 0; k < first->rows; k++)
            add_operand(&g, 0, k, column);
        break;
    case SAC_MADE_OF_ROWS:
        for (size_t k = 0; k < first->columns; k++)
            add_operand(&g, 0, row, k);
        add_operand(&g, 1, row, 0);
        break;
    case SAC_MADE_OF_ROW_SO_FAR:
        for (size_t k = 0; k <= column; k++)
            add_operand(&g, 0, row, k);
        break;
    case SAC_MADE_BY_MOVING:
        if (most > 0)
            operands[g.count++] = (sac_operand){array->inputs[0], (size_t)array->index[cell]};
        break;
    }
    return g.count;
}
