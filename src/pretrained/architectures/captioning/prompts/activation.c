#include "architectures/captioning/prompts/activation.h"

#include <math.h>
#include <string.h>

void sac_activation_map(const sac_activations *a, size_t which, float *map)
{
    const float *own = a->scores + which, *place = a->scores + a->seen * a->text_tokens;
    double weights = 0, along = 0, length = 0;
    for (size_t e = 0; e < which; e++)
        if (a->ids[e] != a->ids[which])
            weights += (double)place[e * a->text_tokens + which];
    memset(map, 0, a->seen * sizeof *map);
    for (size_t e = 0; e < which; e++) {
        double weight = (double)place[e * a->text_tokens + which] / (weights + 1e-8);
        if (a->ids[e] != a->ids[which])
            for (size_t i = 0; i < a->seen; i++)
                map[i] += (float)(weight * (double)a->scores[i * a->text_tokens + e]);
    }
    for (size_t i = 0; i < a->seen; i++) {
        along += (double)own[i * a->text_tokens] * (double)map[i];
        length += (double)map[i] * (double)map[i];
    }
    float share = (float)(length > 0 ? along / length : 0);
    for (size_t i = 0; i < a->seen; i++)
        map[i] = fmaxf(own[i * a->text_tokens] - share * map[i], 0);
}

static int mirrored(int at, int count)
{
    if (count == 1)
        return 0;
    at = at < 0 ? -at : at;
    return at < count ? at : 2 * (count - 1) - at;
}

enum { WINDOW = 9 };

static void sort(float *values)
{
    for (int i = 1; i < WINDOW; i++)
        for (int k = i; k > 0 && values[k - 1] > values[k]; k--) {
            float value = values[k];
            values[k] = values[k - 1];
            values[k - 1] = value;
        }
}

static float filter(const float sorted[WINDOW])
{
    double mean = 0, square = 0, sum = 0, all = 0;
    for (int i = 0; i < WINDOW; i++)
        mean += (double)sorted[i] / WINDOW;
    for (int i = 0; i < WINDOW; i++)
        square += ((double)sorted[i] - mean) * ((double)sorted[i] - mean) / WINDOW;
    if (!(mean > 0))
        return 0;
    double width = sqrt(square) / mean;
    if (!(sorted[WINDOW - 1] > sorted[0]))
        return sorted[0];
    for (int i = 0; i < WINDOW; i++) {
        double from = i - WINDOW / 2, weight = exp(-from * from / (2 * width * width));
        all += weight;
        sum += weight * (double)sorted[i];
    }
    return (float)(sum / all);
}

void sac_rank_gaussian(const float *cells, int wide, int high, float *filtered)
{
    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++) {
            float window[WINDOW];
            for (int i = 0; i < WINDOW; i++)
                window[i] =
                    cells[mirrored(y + i / 3 - 1, high) * wide + mirrored(x + i % 3 - 1, wide)];
            sort(window);
            filtered[y * wide + x] = filter(window);
        }
}
