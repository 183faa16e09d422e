/* The layers without matrix products. Most work-items take a strip: STRIP neighbouring columns of a
 * row, so that a CPU has vectors and one division serves them all. */
#define STRIP 16

/* The place of a strip: its row, its first column and the number of its columns. */
typedef struct strip {
    uint row, column, count;
} strip;

inline strip strip_of(uint columns)
{
    uint across = (columns + STRIP - 1) / STRIP;
    uint index = (uint)get_global_id(0), column = index % across * STRIP;
    return (strip){index / across, column, min((uint)STRIP, columns - column)};
}

/* x [count] = value. One work-item per strip. */
__kernel void fill(uint count, float value, __global float *x, uint x_at)
{
    uint first = (uint)get_global_id(0) * STRIP;
    x += x_at;
    if (first + STRIP <= count)
        vstore16((float16)(value), 0, x + first);
    else
        for (uint i = first; i < count; i++)
            x[i] = value;
}

/* x [rows,columns] += b [columns]. One work-item per strip. */
__kernel void add_rows(uint rows, uint columns, __global float *x, uint x_at,
                       __global const float *b, uint b_at)
{
    strip s = strip_of(columns);
    if (s.row >= rows)
        return;
    x += x_at + (ulong)s.row * columns + s.column;
    b += b_at + s.column;
    if (s.count == STRIP)
        vstore16(vload16(0, x) + vload16(0, b), 0, x);
    else
        for (uint j = 0; j < s.count; j++)
            x[j] += b[j];
}

/* sums [pieces,columns] = factor · the sums over `piece` rows each of x [rows,columns]; added to
 * what is there where `accumulate`. One work-item per strip of sums. */
__kernel void sum_rows(uint rows, uint columns, uint piece, uint pieces, float factor,
                       uint accumulate, __global const float *x, uint x_at, __global float *sums,
                       uint sums_at)
{
    strip s = strip_of(columns);
    if (s.row >= pieces)
        return;
    uint first = s.row * piece, count = min(piece, rows - first);
    x += x_at + (ulong)first * columns + s.column;
    sums += sums_at + (ulong)s.row * columns + s.column;
    if (s.count == STRIP) {
        float16 sum = 0.0f;
        for (uint r = 0; r < count; r++, x += columns)
            sum += vload16(0, x);
        sum *= factor;
        vstore16(accumulate ? sum + vload16(0, sums) : sum, 0, sums);
        return;
    }
    for (uint j = 0; j < s.count; j++) {
        float sum = 0.0f;
        for (uint r = 0; r < count; r++)
            sum += x[(ulong)r * columns + j];
        sums[j] = accumulate ? sum * factor + sums[j] : sum * factor;
    }
}

/* dx [batch,cells,depth] += factor · dy [batch,depth]. One work-item per strip of dx. */
__kernel void spread_cells(uint batch, uint cells, uint depth, float factor,
                           __global const float *dy, uint dy_at, __global float *dx, uint dx_at)
{
    strip s = strip_of(depth);
    if (s.row / cells >= batch)
        return;
    dy += dy_at + (ulong)(s.row / cells) * depth + s.column;
    dx += dx_at + (ulong)s.row * depth + s.column;
    if (s.count == STRIP)
        vstore16(vload16(0, dx) + factor * vload16(0, dy), 0, dx);
    else
        for (uint j = 0; j < s.count; j++)
            dx[j] += factor * dy[j];
}

__kernel void tanh_forward(uint count, __global float *x, uint x_at)
{
    if (get_global_id(0) < count)
        x[x_at + get_global_id(0)] = tanh(x[x_at + get_global_id(0)]);
}

__kernel void tanh_backward(uint count, __global const float *y, uint y_at, __global float *dy,
                            uint dy_at)
{
    ulong index = get_global_id(0);
    if (index < count)
        dy[dy_at + index] *= 1.0f - y[y_at + index] * y[y_at + index];
}

__kernel void relu_forward(uint count, __global float *x, uint x_at)
{
    if (get_global_id(0) < count)
        x[x_at + get_global_id(0)] = max(x[x_at + get_global_id(0)], 0.0f);
}

__kernel void relu_backward(uint count, __global const float *y, uint y_at, __global float *dy,
                            uint dy_at)
{
    ulong index = get_global_id(0);
    if (index < count && y[y_at + index] == 0.0f)
        dy[dy_at + index] = 0.0f;
}

__kernel void relu6_backward(uint count, __global const float *y, uint y_at, __global float *dy,
                             uint dy_at)
{
    ulong index = get_global_id(0);
    if (index < count) {
        float result = y[y_at + index];
        dy[dy_at + index] = result > 0.0f && result < 6.0f ? dy[dy_at + index] : 0.0f;
    }
}

__kernel void scale(uint count, float factor, __global float *x, uint x_at)
{
    if (get_global_id(0) < count)
        x[x_at + get_global_id(0)] *= factor;
}

/* x [rows,depth] ← factor · x + table [places[row],:]. One work-item per strip of x. */
__kernel void add_positions(uint rows, uint depth, float factor, __global const int *places,
                            uint places_at, __global const float *table, uint table_at,
                            __global float *x, uint x_at)
{
    strip s = strip_of(depth);
    if (s.row >= rows)
        return;
    table += table_at + (ulong)places[places_at + s.row] * depth + s.column;
    x += x_at + (ulong)s.row * depth + s.column;
    if (s.count == STRIP)
        vstore16(factor * vload16(0, x) + vload16(0, table), 0, x);
    else
        for (uint j = 0; j < s.count; j++)
            x[j] = factor * x[j] + table[j];
}

/* y [rows,depth] = table [words[row],:]. One work-item per strip of y. */
__kernel void look_up(uint rows, uint depth, __global const int *words, uint words_at,
                      __global const float *table, uint table_at, __global float *y, uint y_at)
{
    strip s = strip_of(depth);
    if (s.row >= rows)
        return;
    table += table_at + (ulong)words[words_at + s.row] * depth + s.column;
    y += y_at + (ulong)s.row * depth + s.column;
    if (s.count == STRIP)
        vstore16(vload16(0, table), 0, y);
    else
        for (uint j = 0; j < s.count; j++)
            y[j] = table[j];
}

/* y [·,depth][rows[i],:] += shares[i] · x [count,depth][i,:]; no row is there twice. One work-item
 * per strip of x. */
__kernel void add_shares(uint count, uint depth, __global const int *rows, uint rows_at,
                         __global const float *shares, uint shares_at, __global const float *x,
                         uint x_at, __global float *y, uint y_at)
{
    strip s = strip_of(depth);
    if (s.row >= count)
        return;
    float share = shares[shares_at + s.row];
    x += x_at + (ulong)s.row * depth + s.column;
    y += y_at + (ulong)rows[rows_at + s.row] * depth + s.column;
    for (uint j = 0; j < s.count; j++)
        y[j] += share * x[j];
}

/* Whether a word is one of STRIP. */
inline bool is_among(__global const int *words, int word)
{
    int16 same = vload16(0, words) == (int16)(word);
    int8 either = same.lo | same.hi;
    int4 four = either.lo | either.hi;
    int2 two = four.lo | four.hi;
    return two.x | two.y;
}

/* dtable [vocabulary,depth] += the rows of dy [rows,depth] of that word. One work-item
 * per strip of dtable, which goes through the rows in order. */
__kernel void look_up_backward(uint rows, uint depth, uint vocabulary, __global const int *words,
                               uint words_at, __global const float *dy, uint dy_at,
                               __global float *dtable, uint dtable_at)
{
    strip s = strip_of(depth);
    if (s.row >= vocabulary)
        return;
    words += words_at;
    dy += dy_at + s.column;
    dtable += dtable_at + (ulong)s.row * depth + s.column;
    for (uint r = 0; r < rows; r++) {
        if (r + STRIP <= rows && !is_among(words + r, (int)s.row)) {
            r += STRIP - 1; /* most are other words */
            continue;
        }
        if (words[r] != (int)s.row)
            continue;
        __global const float *from = dy + (ulong)r * depth;
        if (s.count == STRIP)
            vstore16(vload16(0, dtable) + vload16(0, from), 0, dtable);
        else
            for (uint j = 0; j < s.count; j++)
                dtable[j] += from[j];
    }
}
