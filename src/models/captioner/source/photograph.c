/* Distinguishes photographs from drawings: in a photograph few neighbouring pixels are alike. A
 * noisy picture may still be a drawing. */

#include "captioner/source/photograph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/captioner.h"
#include "images/resample.h"

/* At this side noise, hatching and thin outlines are averaged away; the shades of a photograph are
 * not, be it sharp or soft. */
enum { ROUGH_SIDE = 32 };

sac_square_part sac_picture_in_square(const sac_image *picture, int side)
{
    int longer = picture->width > picture->height ? picture->width : picture->height;
    int w = (int)((double)picture->width * side / longer + 0.5);
    int h = (int)((double)picture->height * side / longer + 0.5);
    w = w < 1 ? 1 : w;
    h = h < 1 ? 1 : h;
    return (sac_square_part){(side - w) / 2, (side - h) / 2, (side - w) / 2 + w,
                             (side - h) / 2 + h};
}

static bool differ(const uint8_t *a, const uint8_t *b, int levels)
{
    return abs(a[0] - b[0]) > levels || abs(a[1] - b[1]) > levels || abs(a[2] - b[2]) > levels;
}

/* The share of neighbouring pixels that differ, of a small copy. */
static sac_status find_roughness(const sac_image *picture, const sac_dataset *dataset,
                                 double *roughness, sac_error *error)
{
    sac_image small = {0};
    sac_status status = sac_image_fit_in_square(picture, ROUGH_SIDE, &small, error);
    if (status != SAC_OK)
        return status;
    sac_square_part in = sac_picture_in_square(picture, ROUGH_SIDE);
    int pairs = 0, different = 0, levels = dataset->plain.levels;
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            const uint8_t *pixel = small.rgba + 4 * (y * ROUGH_SIDE + x);
            bool right = x + 1 < in.x1, below = y + 1 < in.y1;
            pairs += right + below;
            different += right && differ(pixel, pixel + 4, levels);
            different += below && differ(pixel, pixel + (size_t)4 * ROUGH_SIDE, levels);
        }
    *roughness = pairs ? (double)different / pairs : 0;
    sac_image_free(&small);
    return SAC_OK;
}

void sac_veil_outside(const sac_image *picture, sac_image *square)
{
    static const uint8_t veil[4] = {58, 62, 69, 255}, stroke[4] = {84, 90, 99, 255};
    sac_square_part in = sac_picture_in_square(picture, square->width);
    int pitch = square->width / 32 + 2, thick = square->width / 300 + 1;
    for (int y = 0; y < square->height; y++)
        for (int x = 0; x < square->width; x++) {
            bool inside = x >= in.x0 && x < in.x1 && y >= in.y0 && y < in.y1;
            if (!inside)
                memcpy(square->rgba + 4 * ((size_t)y * (size_t)square->width + (size_t)x),
                       (x + y) % pitch < thick ? stroke : veil, 4);
        }
}

/* ---------------------------------------------------------------- drawn or photographed */

/* At this side the fields of a checked ground are several pixels wide. */
enum { SIDE = 128 };
/* The share of a picture whose pixels are the same as their neighbours. Of what looks rough, 80
 * photographs and quarters of them have 0.37 at most, 54 charts 0.88, most drawings of five objects
 * more. */
static const double FLAT = 0.9;
/* In levels of a channel: what a block's pixels, and blocks of one tone, differ by at most, and the
 * two tones of checks at least. JPEG, at a quality of 75, leaves that much of a plain field; of 60
 * drawings on checks the tones differ by 51 at least. */
enum { ALIKE = 4, NEAR = 16, DISTINCT = 40 };
/* How often the two most frequent tones follow one another along a line, in the mean: of 100
 * drawings on checks 3.7 times at least, of what else is drawn and of photographs 1.8 at most. */
static const double CHECKED = 2.5;

/* The tone of a block: none, any, or one of the two most frequent ones. */
enum { NONE, ANY, FIRST, SECOND };

typedef struct tone_map {
    int rows, columns;
    int same;           /* blocks whose pixels are the same to the last bit … */
    int unlike;         /* … and whose pixels differ by more than those of a plain field */
    uint8_t (*tone)[3]; /* [rows, columns] */
    uint8_t *kind;      /* [rows, columns] of these */
} tone_map;

/* ---------------------------------------------------------------- blocks */

/* Of a block's channel: its mean; *range grows to what its four pixels differ by. */
static uint8_t mean_channel(const uint8_t *corner, size_t row, int channel, int *range)
{
    const uint8_t level[4] = {corner[channel], corner[channel + 4], corner[row + channel],
                              corner[row + channel + 4]};
    int low = 255, high = 0, sum = 0;
    for (int i = 0; i < 4; i++) {
        low = level[i] < low ? level[i] : low;
        high = level[i] > high ? level[i] : high;
        sum += level[i];
    }
    *range = high - low > *range ? high - low : *range;
    return (uint8_t)(sum / 4);
}

static void find_tones(const sac_image *square, sac_square_part in, tone_map *map)
{
    size_t row = (size_t)4 * (size_t)square->width;
    for (int i = 0; i < map->rows * map->columns; i++) {
        int x = in.x0 + i % map->columns, y = in.y0 + i / map->columns, range = 0;
        const uint8_t *corner = square->rgba + (size_t)y * row + (size_t)4 * (size_t)x;
        for (int channel = 0; channel < 3; channel++)
            map->tone[i][channel] = mean_channel(corner, row, channel, &range);
        map->kind[i] = range <= ALIKE ? ANY : NONE;
        map->same += range == 0;
        map->unlike += range > ALIKE;
    }
}

/* ---------------------------------------------------------------- the two most frequent tones */

enum { BINS = 16, LEVELS = 256 / BINS }; /* of a channel, and of a bin */

static int bin_of(const uint8_t tone[3])
{
    return (tone[0] / LEVELS * BINS + tone[1] / LEVELS) * BINS + tone[2] / LEVELS;
}

/* The bin that most blocks of any tone lie in. */
static int find_fullest_bin(const tone_map *map)
{
    int count[BINS * BINS * BINS] = {0}, fullest = 0;
    for (int i = 0; i < map->rows * map->columns; i++)
        if (map->kind[i] == ANY)
            count[bin_of(map->tone[i])]++;
    for (int bin = 1; bin < BINS * BINS * BINS; bin++)
        if (count[bin] > count[fullest])
            fullest = bin;
    return fullest;
}

/* Its mean tone is then less at the mercy of where bins end. */
static void mean_of_bin(const tone_map *map, int bin, int mean[3])
{
    int sum[3] = {0}, count = 0;
    for (int i = 0; i < map->rows * map->columns; i++)
        if (map->kind[i] == ANY && bin_of(map->tone[i]) == bin) {
            for (int channel = 0; channel < 3; channel++)
                sum[channel] += map->tone[i][channel];
            count++;
        }
    for (int channel = 0; channel < 3; channel++)
        mean[channel] = count ? sum[channel] / count : 0;
}

static int distance(const uint8_t tone[3], const int mean[3])
{
    int furthest = 0;
    for (int channel = 0; channel < 3; channel++) {
        int levels = abs(tone[channel] - mean[channel]);
        furthest = levels > furthest ? levels : furthest;
    }
    return furthest;
}

/* Blocks of its tone become of `kind`, and what is too like it is of no tone any more. */
static void mark_most_frequent(tone_map *map, uint8_t kind)
{
    int mean[3];
    mean_of_bin(map, find_fullest_bin(map), mean);
    for (int i = 0; i < map->rows * map->columns; i++) {
        if (map->kind[i] != ANY)
            continue;
        int levels = distance(map->tone[i], mean);
        if (levels < DISTINCT)
            map->kind[i] = levels <= NEAR ? kind : NONE;
    }
}

/* ---------------------------------------------------------------- */

/* Along `count` blocks; what is of neither tone is passed over. */
static int count_changes(const tone_map *map, int from, int count, int stride)
{
    int changes = 0;
    uint8_t last = NONE;
    for (int i = 0; i < count; i++) {
        uint8_t kind = map->kind[from + i * stride];
        if (kind < FIRST)
            continue;
        changes += last && kind != last;
        last = kind;
    }
    return changes;
}

/* Along rows and along columns: stripes are no checks. */
static bool is_chequered(const tone_map *map)
{
    int along_rows = 0, along_columns = 0;
    for (int y = 0; y < map->rows; y++)
        along_rows += count_changes(map, y * map->columns, map->columns, 1);
    for (int x = 0; x < map->columns; x++)
        along_columns += count_changes(map, x, map->rows, map->columns);
    return along_rows > CHECKED * map->rows && along_columns > CHECKED * map->columns;
}

/* Free map->tone. */
static sac_status map_tones(const sac_image *picture, tone_map *map, sac_error *error)
{
    sac_image square;
    sac_square_part in = sac_picture_in_square(picture, SIDE);
    *map = (tone_map){.rows = in.y1 - in.y0 - 1, .columns = in.x1 - in.x0 - 1};
    size_t blocks = (size_t)map->rows * (size_t)map->columns;
    sac_status status = sac_image_fit_in_square(picture, SIDE, &square, error);
    if (status != SAC_OK)
        return status;
    map->tone = malloc(blocks * (sizeof *map->tone + 1) + 1);
    if (map->tone) {
        map->kind = (uint8_t *)(map->tone + blocks);
        find_tones(&square, in, map);
    } else {
        status = sac_no_memory(error, "picture");
    }
    sac_image_free(&square);
    return status;
}

static bool is_map_drawn(tone_map *map)
{
    mark_most_frequent(map, FIRST);
    mark_most_frequent(map, SECOND);
    return map->same > FLAT * (double)map->rows * map->columns || is_chequered(map);
}

sac_status sac_is_drawn(const sac_image *picture, bool *drawn, sac_error *error)
{
    tone_map map;
    sac_status status = map_tones(picture, &map, error);
    if (status == SAC_OK)
        *drawn = is_map_drawn(&map);
    free(map.tone);
    return status;
}

/* In levels, the standard deviation that a channel has at least over a picture that shows something: of
 * 1,000 photographs of Flickr8k the least has 17. */
static const double EVEN = 6;

static bool is_one_tone(const tone_map *map)
{
    const double blocks = (double)map->rows * map->columns;
    for (int channel = 0; channel < 3; channel++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < map->rows * map->columns; i++) {
            const double level = map->tone[i][channel];
            sum += level;
            squares += level * level;
        }
        if (blocks > 0 && squares / blocks - sum / blocks * (sum / blocks) > EVEN * EVEN)
            return false;
    }
    return true;
}

sac_status sac_shows_nothing(const sac_image *picture, bool *nothing, sac_error *error)
{
    tone_map map;
    sac_status status = map_tones(picture, &map, error);
    if (status == SAC_OK)
        *nothing = is_one_tone(&map) || is_map_drawn(&map);
    free(map.tone);
    return status;
}

/* ---------------------------------------------------------------- photographs */

/* Of faint shades that a small copy loses, such as the moon's: half as rough as what is rough, hardly
 * a block of one colour, and blocks of shades here and there. A drawing has plain fields, or grain all
 * over: of 800 scenes of flat shapes 2 are taken for such a photograph, both under grain. */
static const double HALF_ROUGH = 0.5, FEW_SAME = 0.05, LEAST_SHADES = 0.15, MOST_SHADES = 0.6;

static bool is_faint_drawing(const tone_map *map)
{
    double blocks = (double)map->rows * map->columns;
    return map->same < FEW_SAME * blocks && map->unlike > LEAST_SHADES * blocks &&
           map->unlike < MOST_SHADES * blocks;
}

sac_status sac_is_photograph(const sac_image *picture, const sac_dataset *dataset, bool *photograph,
                             sac_error *error)
{
    double roughness = 0, most = dataset->plain.most;
    tone_map map = {0};
    *photograph = false;
    sac_status status = find_roughness(picture, dataset, &roughness, error);
    if (status != SAC_OK || roughness <= (dataset->plain.fields ? HALF_ROUGH : 1) * most)
        return status;
    status = map_tones(picture, &map, error);
    if (status == SAC_OK)
        *photograph = (roughness > most || is_faint_drawing(&map)) && !is_map_drawn(&map);
    free(map.tone);
    return status;
}
