/* The operations of a lesson's small arrays (src/lessons/graph.h), written to be read: a work-item
 * a cell, no tiles. All arrays lie in x; `d + at` tells an operation where its own are. */

enum { Y, COUNT, ROWS, COLUMNS, DEPTH, OPERANDS, INDEX = OPERANDS + 12 };

/* A work-item's cell, and where it finds its operands a, b and c. */
typedef struct cell {
    uint index, batch, row, column;
} cell;

inline cell cell_of(__global const int *d)
{
    uint i = (uint)get_global_id(0), columns = (uint)d[COLUMNS], rows = (uint)d[ROWS];
    return (cell){i, i / (rows * columns), i / columns % rows, i % columns};
}

inline float operand(__global const float *x, __global const int *d, int which, uint batch,
                     uint row, uint column)
{
    d += OPERANDS + 4 * which;
    return x[d[0] + (int)batch * d[1] + (int)row * d[2] + (int)column * d[3]];
}

#define A(row, column) operand(x, d, 0, at.batch, row, column)
#define B(row, column) operand(x, d, 1, at.batch, row, column)
#define C(row, column) operand(x, d, 2, at.batch, row, column)
#define A_HERE A(at.row, at.column)
#define B_HERE B(at.row, at.column)
#define C_HERE C(at.row, at.column)

/* A kernel whose body computes `y`, its cell's number. */
#define OPERATION(name, body)                                                                      \
    __kernel void lesson_##name(__global float *x, __global const int *all, uint first, float f,   \
                                float g)                                                           \
    {                                                                                              \
        __global const int *d = all + first;                                                       \
        cell at = cell_of(d);                                                                      \
        float y;                                                                                   \
        if (at.index >= (uint)d[COUNT])                                                            \
            return;                                                                                \
        body x[d[Y] + (int)at.index] = y;                                                          \
    }

/* y = Σ over the depth of `term`, whose index is k, in the order of k. What an addition rounds off
 * is taken off the next term (Kahan): a mean of thousands is right to the last digit. */
#define SUM_OVER_DEPTH(term)                                                                       \
    y = 0.0f;                                                                                      \
    float off = 0.0f;                                                                              \
    for (uint k = 0; k < (uint)d[DEPTH]; k++) {                                                    \
        float next = (term)-off, sum = y + next;                                                   \
        off = (sum - y) - next;                                                                    \
        y = sum;                                                                                   \
    }

OPERATION(matmul, SUM_OVER_DEPTH(A(at.row, k) * B(k, at.column)))
OPERATION(add, y = A_HERE + f * B_HERE;)
OPERATION(multiply, y = A_HERE * B_HERE;)
OPERATION(divide, y = A_HERE / B_HERE;)
OPERATION(affine, y = f * A_HERE + g;)
OPERATION(mask, y = B_HERE != 0.0f ? -INFINITY : A_HERE;)
OPERATION(or, y = A_HERE != 0.0f || B_HERE != 0.0f ? 1.0f : 0.0f;)
OPERATION(equals, y = A_HERE == f ? 1.0f : 0.0f;)
OPERATION(relu, y = fmax(A_HERE, 0.0f);)
OPERATION(tanh, y = tanh(A_HERE);)
OPERATION(exp, y = exp(A_HERE);)
OPERATION(gather, y = x[d[OPERANDS] + all[d[INDEX] + (int)at.index]];)
OPERATION(standardise, y = (A_HERE - B_HERE) / sqrt(C_HERE + f);)
OPERATION(additive, SUM_OVER_DEPTH(C(0, k) * tanh(A(at.row, k) + B(at.column, k))))
OPERATION(sum, SUM_OVER_DEPTH(A(at.row, k)))
OPERATION(mean, SUM_OVER_DEPTH(A(at.row, k)) y /= (float)d[DEPTH];)

/* The difference goes before the factor: far from the origin the squares of q and k would cancel.
 */
inline float square(float a)
{
    return a * a;
}
OPERATION(gaussian, SUM_OVER_DEPTH(square((A(at.row, k) - B(at.column, k)) * f)) y *= -0.5f;)
OPERATION(variance, SUM_OVER_DEPTH(square(A(at.row, k) - B(at.row, 0))) y /= (float)d[DEPTH];)
OPERATION(length, SUM_OVER_DEPTH(square(A(at.row, k))) y = sqrt(y);)

/* p log2 p is 0 for p = 0. */
inline float bits(float p)
{
    return p > 0.0f ? -p * log2(p) : 0.0f;
}
OPERATION(entropy, SUM_OVER_DEPTH(bits(A(at.row, k))))

inline float largest_of(__global const float *x, __global const int *d, uint batch, uint row)
{
    float largest = -INFINITY;
    for (uint k = 0; k < (uint)d[DEPTH]; k++)
        largest = fmax(largest, operand(x, d, 0, batch, row, k));
    return largest;
}
OPERATION(largest, y = largest_of(x, d, at.batch, at.row);)

/* The largest score is taken off first: no exp overflows, and the shares stay. A row that is −∞
 * throughout has no shares: 0, or NaN where that is asked for. */
inline float share(__global const float *x, __global const int *d, uint batch, uint row,
                   uint column, bool not_a_number)
{
    float largest = largest_of(x, d, batch, row), sum = 0.0f;
    if (largest == -INFINITY)
        return not_a_number ? NAN : 0.0f;
    for (uint k = 0; k < (uint)d[DEPTH]; k++)
        sum += exp(operand(x, d, 0, batch, row, k) - largest);
    return exp(operand(x, d, 0, batch, row, column) - largest) / sum;
}
OPERATION(softmax, y = share(x, d, at.batch, at.row, at.column, f != 0.0f);)
/* Its operand comes with rows and columns exchanged. */
OPERATION(softmax_0, y = share(x, d, at.batch, at.column, at.row, f != 0.0f);)

/* a + b is how many turns a step is: its first 12 bits, and the rest. A product with a position
 * below 4096 is exact for a, so whole turns can be taken off without a loss. */
inline float position(float steps, float a, float b, bool odd)
{
    float turns = steps * a;
    turns = turns - floor(turns) + steps * b;
    return odd ? cospi(2.0f * turns) : sinpi(2.0f * turns);
}
OPERATION(position, y = position((float)at.row, A_HERE, B_HERE, at.column % 2 == 1);)
