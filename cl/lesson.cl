/* The operations of a lesson's small arrays (src/lessons/engine/graph.h), written to be read: a work-item
 * a cell, no tiles. All arrays lie in x; `d + at` has the places of an operation's own. Operations
 * whose loop is the same are one kernel with a switch, for a driver compiles each kernel anew. */

enum { Y, COUNT, ROWS, COLUMNS, DEPTH, OPERATION, OPERANDS, INDEX = OPERANDS + 12 };

/* sac_operation, in its order. */
enum {
    GIVEN,
    MATMUL,
    MATMUL_T,
    ADD,
    MULTIPLY,
    DIVIDE,
    AFFINE,
    MASK,
    OR,
    EQUALS,
    SOFTMAX,
    SOFTMAX_0,
    GATHER,
    ADDITIVE,
    GAUSSIAN,
    STANDARDISE,
    SUM,
    MEAN,
    LARGEST,
    VARIANCE,
    LENGTH,
    ENTROPY,
    RELU,
    TANH,
    EXP,
    POWER_OF_2,
    POSITION,
    SORTED,
    RUNNING_SUM,
    THRESHOLD,
    ABOVE,
    SLOPES
};

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

/* ---------------------------------------------------------------- a cell out of single cells */

/* a + b is how many turns a step is: its first 12 bits, and the rest. A product with a position
 * below 4096 is exact for a, so whole turns can be taken off without a loss. */
inline float position(float steps, float a, float b, bool odd)
{
    float turns = steps * a;
    turns = turns - floor(turns) + steps * b;
    return odd ? cospi(2.0f * turns) : sinpi(2.0f * turns);
}

/* What an operation has no operand for is read from the first float of all. */
__kernel void lesson_cell(__global float *x, __global const int *all, uint first, float f, float g)
{
    __global const int *d = all + first;
    cell at = cell_of(d);
    float y = 0.0f;
    if (at.index >= (uint)d[COUNT])
        return;
    float a = A(at.row, at.column), b = B(at.row, at.column), c = C(at.row, at.column);
    switch (d[OPERATION]) {
    case ADD:
        y = a + f * b;
        break;
    case MULTIPLY:
        y = a * b;
        break;
    case DIVIDE:
        y = a / b;
        break;
    case AFFINE:
        y = f * a + g;
        break;
    case MASK:
        y = b != 0.0f ? -INFINITY : a;
        break;
    case OR:
        y = a != 0.0f || b != 0.0f ? 1.0f : 0.0f;
        break;
    case EQUALS:
        y = a == f ? 1.0f : 0.0f;
        break;
    case GATHER:
        y = x[d[OPERANDS] + all[d[INDEX] + (int)at.index]];
        break;
    case STANDARDISE:
        y = (a - b) / sqrt(c + f);
        break;
    case RELU:
        y = fmax(a, 0.0f);
        break;
    case TANH:
        y = tanh(a);
        break;
    case EXP:
        y = exp(a);
        break;
    case POWER_OF_2:
        y = exp2(a);
        break;
    case ABOVE:
        y = f == 0.0f ? (a > b ? 1.0f : 0.0f) : fmax(a - b, 0.0f);
        y = f == 2.0f ? y * y : y;
        break;
    case POSITION:
        y = position((float)at.row, a, b, at.column % 2 == 1);
        break;
    }
    x[d[Y] + (int)at.index] = y;
}

/* ---------------------------------------------------------------- sums over the depth */

inline float square(float a)
{
    return a * a;
}

/* p log2 p is 0 for p = 0. */
inline float bits(float p)
{
    return p > 0.0f ? -p * log2(p) : 0.0f;
}

/* The difference of a Gaussian goes before the factor: far from the origin the squares of q and k
 * would cancel. */
inline float term(__global const float *x, __global const int *d, cell at, uint k, float f)
{
    float a = A(at.row, k);
    switch (d[OPERATION]) {
    case MATMUL:
    case MATMUL_T:
        return a * B(k, at.column);
    case ADDITIVE:
        return C(0, k) * tanh(a + B(at.column, k));
    case GAUSSIAN:
        return square((a - B(at.column, k)) * f);
    case VARIANCE:
        return square(a - B(at.row, 0));
    case LENGTH:
        return square(a);
    case ENTROPY:
        return bits(a);
    case SLOPES:
        return a * ((at.row == at.column ? 1.0f : 0.0f) - B(k, at.column));
    }
    return a; /* SUM, MEAN, RUNNING_SUM */
}

/* In the order of k. What an addition rounds off is taken off the next term (Kahan): a mean of
 * thousands is right to the last digit. */
__kernel void lesson_sum(__global float *x, __global const int *all, uint first, float f, float g)
{
    __global const int *d = all + first;
    cell at = cell_of(d);
    float y = 0.0f, off = 0.0f;
    int operation = d[OPERATION];
    if (at.index >= (uint)d[COUNT])
        return;
    uint depth = operation == RUNNING_SUM ? at.column + 1 : (uint)d[DEPTH];
    for (uint k = 0; k < depth; k++) {
        float next = term(x, d, at, k, f) - off, sum = y + next;
        off = (sum - y) - next;
        y = sum;
    }
    if (operation == MEAN || operation == VARIANCE)
        y /= (float)d[DEPTH];
    if (operation == LENGTH)
        y = sqrt(y);
    x[d[Y] + (int)at.index] = operation == GAUSSIAN ? -0.5f * y : y;
}

/* ---------------------------------------------------------------- shares of a row */

inline float largest_of(__global const float *x, __global const int *d, uint batch, uint row)
{
    float largest = -INFINITY;
    for (uint k = 0; k < (uint)d[DEPTH]; k++)
        largest = fmax(largest, operand(x, d, 0, batch, row, k));
    return largest;
}

/* The largest score is taken off first: no exp overflows, and the shares stay. A row that is −∞
 * throughout has no shares: 0, or NaN where f asks for that. The softmax over rows gets its operand
 * with rows and columns exchanged. */
__kernel void lesson_softmax(__global float *x, __global const int *all, uint first, float f,
                             float g)
{
    __global const int *d = all + first;
    cell at = cell_of(d);
    bool by_column = d[OPERATION] == SOFTMAX_0;
    uint row = by_column ? at.column : at.row, column = by_column ? at.row : at.column;
    if (at.index >= (uint)d[COUNT])
        return;
    float largest = largest_of(x, d, at.batch, row), sum = 0.0f, y = largest;
    if (d[OPERATION] != LARGEST && largest == -INFINITY) {
        y = f != 0.0f ? NAN : 0.0f;
    } else if (d[OPERATION] != LARGEST) {
        for (uint k = 0; k < (uint)d[DEPTH]; k++)
            sum += exp(A(row, k) - largest);
        y = exp(A(row, column) - largest) / sum;
    }
    x[d[Y] + (int)at.index] = y;
}

/* ---------------------------------------------------------------- the order of a row */

/* Σ (v − τ)^f = 1 over the numbers of a row that are not below `least`, which are the largest ones:
 * τ, and how many they are. */
inline float threshold_of(__global const float *x, __global const int *d, cell at, float least,
                          float f, uint *count)
{
    float sum = 0.0f, apart = 0.0f;
    *count = 0;
    for (uint k = 0; k < (uint)d[DEPTH]; k++) {
        bool taken = A(at.row, k) >= least;
        *count += taken ? 1 : 0;
        sum += taken ? A(at.row, k) : 0.0f;
    }
    float mean = sum / (float)*count;
    if (f != 2.0f)
        return (sum - 1.0f) / (float)*count;
    for (uint k = 0; k < (uint)d[DEPTH]; k++)
        apart += A(at.row, k) >= least ? square(A(at.row, k) - mean) : 0.0f;
    return mean - sqrt((1.0f - apart) / (float)*count);
}

/* SORTED: the number of the row that has as many before it as the cell has columns before it; of equal
 * ones the first comes first. THRESHOLD: that of the most numbers of which each is above it; rows are
 * short, and each number is tried as the last of them. A row that is −∞ throughout has none: ∞, above
 * which nothing is. */
__kernel void lesson_order(__global float *x, __global const int *all, uint first, float f, float g)
{
    __global const int *d = all + first;
    cell at = cell_of(d);
    uint most = 0;
    float y = INFINITY;
    if (at.index >= (uint)d[COUNT])
        return;
    for (uint k = 0; k < (uint)d[DEPTH]; k++) {
        float v = A(at.row, k);
        uint before = 0;
        if (d[OPERATION] == SORTED) {
            for (uint i = 0; i < (uint)d[DEPTH]; i++)
                before += A(at.row, i) > v || (A(at.row, i) == v && i < k) ? 1 : 0;
            y = before == at.column ? v : y;
        } else {
            float tau = threshold_of(x, d, at, v, f, &before);
            bool wider = v > tau && before > most;
            y = wider ? tau : y;
            most = wider ? before : most;
        }
    }
    x[d[Y] + (int)at.index] = y;
}
