/* Rows of weights summarised by a few numbers each, out of a slab of rows, and what each key receives
 * of them. A row is read in chunks by one work-item each, whose numbers are put together afterwards. */
#define CHUNK 1024u
#define PARTS 6    /* numbers of a chunk */
#define FIGURES 11 /* numbers of a row: run/figures.c takes them in this order */
#define NEAR 3
#define LEAST 1.17549435e-38f

typedef struct figuring {
    uint rows, cols; /* of the slab */
    uint chunks;     /* of a row */
    int place;       /* of the first row's query among the keys; the next stand behind it */
} figuring;

/* slab [rows,cols] → parts [rows,chunks,PARTS]: sum, entropy in bits, distance, keys above 0, largest
 * weight, its key. */
__kernel void figure_chunks(figuring f, __global const float *slab, __global uint *parts)
{
    uint row = get_global_id(0) / f.chunks, chunk = get_global_id(0) % f.chunks;
    if (row >= f.rows)
        return;
    uint j = chunk * CHUNK, end = min(j + CHUNK, f.cols);
    int place = f.place + (int)row;
    slab += (ulong)row * f.cols;
    float8 sum = 0.0f, entropy = 0.0f, distance = 0.0f, best = -1.0f;
    int8 keys = 0, at = 0;
    const int8 lane = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    for (; j + 8 <= end; j += 8) {
        float8 weight = vload8(0, slab + j);
        int8 key = lane + (int)j;
        int8 above = weight > best;
        sum += weight;
        entropy -= weight * log2(max(weight, LEAST));
        distance += weight * convert_float8(abs(key - place));
        keys -= weight > 0.0f; /* true is −1 */
        best = select(best, weight, above);
        at = select(at, key, above);
    }
    float lane_sum[8], lane_entropy[8], lane_distance[8], lane_best[8];
    int lane_keys[8], lane_at[8];
    vstore8(sum, 0, lane_sum);
    vstore8(entropy, 0, lane_entropy);
    vstore8(distance, 0, lane_distance);
    vstore8(best, 0, lane_best);
    vstore8(keys, 0, lane_keys);
    vstore8(at, 0, lane_at);
    for (int i = 1; i < 8; i++) {
        lane_sum[0] += lane_sum[i];
        lane_entropy[0] += lane_entropy[i];
        lane_distance[0] += lane_distance[i];
        lane_keys[0] += lane_keys[i];
        bool first = lane_best[i] == lane_best[0] && lane_at[i] < lane_at[0];
        if (lane_best[i] > lane_best[0] || first) {
            lane_best[0] = lane_best[i];
            lane_at[0] = lane_at[i];
        }
    }
    for (; j < end; j++) { /* of the last chunk */
        float weight = slab[j];
        lane_sum[0] += weight;
        lane_entropy[0] -= weight * log2(max(weight, LEAST));
        lane_distance[0] += weight * (float)abs((int)j - place);
        lane_keys[0] += weight > 0.0f;
        if (weight > lane_best[0]) {
            lane_best[0] = weight;
            lane_at[0] = (int)j;
        }
    }
    parts += get_global_id(0) * PARTS;
    parts[0] = as_uint(lane_sum[0]);
    parts[1] = as_uint(lane_entropy[0]);
    parts[2] = as_uint(lane_distance[0]);
    parts[3] = (uint)lane_keys[0];
    parts[4] = as_uint(lane_best[0]);
    parts[5] = (uint)lane_at[0];
}

inline float weight_at(figuring f, __global const float *line, int key)
{
    return key >= 0 && key < (int)f.cols ? line[key] : 0.0f;
}

/* parts [rows,chunks,PARTS] and the slab → figures [rows,FIGURES]. */
__kernel void figure_rows(figuring f, __global const uint *parts, __global const float *slab,
                          __global uint *figures)
{
    uint row = get_global_id(0);
    if (row >= f.rows)
        return;
    int place = f.place + (int)row;
    parts += (ulong)row * f.chunks * PARTS;
    slab += (ulong)row * f.cols;
    figures += row * FIGURES;
    float sum = 0.0f, entropy = 0.0f, distance = 0.0f, best = -1.0f, near = 0.0f;
    uint keys = 0, at = 0;
    for (uint c = 0; c < f.chunks; c++, parts += PARTS) {
        sum += as_float(parts[0]);
        entropy += as_float(parts[1]);
        distance += as_float(parts[2]);
        keys += parts[3];
        if (as_float(parts[4]) > best) {
            best = as_float(parts[4]);
            at = parts[5];
        }
    }
    for (int d = -NEAR; d <= NEAR; d++)
        near += weight_at(f, slab, place + d);
    figures[0] = as_uint(sum);
    figures[1] = as_uint(entropy);
    figures[2] = as_uint(distance);
    figures[3] = keys;
    figures[4] = as_uint(best);
    figures[5] = at;
    figures[6] = as_uint(slab[0]);
    figures[7] = as_uint(weight_at(f, slab, place));
    figures[8] = as_uint(weight_at(f, slab, place - 1));
    figures[9] = as_uint(weight_at(f, slab, place + 1));
    figures[10] = as_uint(near);
}

/* slab [rows,cols] is added to received [cols], which starts as zeros where `first`. */
__kernel void figure_columns(figuring f, uint first, __global const float *slab,
                             __global float *received)
{
    uint col = get_global_id(0);
    if (col >= f.cols)
        return;
    float sum = first ? 0.0f : received[col];
    for (uint r = 0; r < f.rows; r++)
        sum += slab[(ulong)r * f.cols + col];
    received[col] = sum;
}
