/* Drawings told by their tones: a tone is the colour of a block of 2 × 2 pixels that are alike. */
#include "captioner/drawn.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captioner/captioner.h"
#include "captioner/photograph.h"

/* At this side the fields of a checked ground are several pixels wide. */
enum { SIDE = 128 };
/* The share of a picture that has a tone. Of what looks rough, 80 photographs and quarters of them
 * have 0.37 at most, 54 charts 0.88, most drawings of five objects more. */
static const double FLAT = 0.9;
/* How often the two most frequent tones follow one another along a line, in the mean: of 100
 * drawings on checks 3.7 times at least, of what else is drawn and of photographs 1.5 at most. */
static const double CHECKED = 2.5;

/* The tones of a picture: [rows, columns], 0 where there is none. */
typedef struct tone_map {
    int rows, columns, count; /* `count` blocks have one */
    uint32_t *tone, *sorted;  /* `sorted` [count] */
    uint32_t first, second;   /* the most frequent ones; 0: there is none */
} tone_map;

static int compare_tones(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Pixels are opaque, so that none is 0. */
static uint32_t pixel_at(const sac_image *square, int x, int y)
{
    uint32_t pixel;
    memcpy(&pixel, square->rgba + 4 * ((size_t)y * (size_t)square->width + (size_t)x),
           sizeof pixel);
    return pixel;
}

static uint32_t tone_at(const sac_image *square, int x, int y)
{
    uint32_t tone = pixel_at(square, x, y);
    bool alike = pixel_at(square, x + 1, y) == tone && pixel_at(square, x, y + 1) == tone &&
                 pixel_at(square, x + 1, y + 1) == tone;
    return alike ? tone : 0;
}

static void find_tones(const sac_image *square, sac_square_part in, tone_map *map)
{
    for (int y = 0; y < map->rows; y++)
        for (int x = 0; x < map->columns; x++) {
            uint32_t tone = tone_at(square, in.x0 + x, in.y0 + y);
            map->tone[y * map->columns + x] = tone;
            if (tone)
                map->sorted[map->count++] = tone;
        }
    qsort(map->sorted, (size_t)map->count, sizeof *map->sorted, compare_tones);
}

static void find_most_frequent(tone_map *map)
{
    int most = 0, more = 0;
    for (int i = 0, alike; i < map->count; i += alike) {
        uint32_t tone = map->sorted[i];
        for (alike = 1; i + alike < map->count && map->sorted[i + alike] == tone; alike++)
            ;
        if (alike > most) {
            more = most;
            map->second = map->first;
            most = alike;
            map->first = tone;
        } else if (alike > more) {
            more = alike;
            map->second = tone;
        }
    }
}

/* Along `count` blocks; what is of neither tone is passed over. */
static int count_changes(const tone_map *map, int from, int count, int stride)
{
    int changes = 0;
    uint32_t last = 0;
    for (int i = 0; i < count; i++) {
        uint32_t tone = map->tone[from + i * stride];
        if (!tone || (tone != map->first && tone != map->second))
            continue;
        changes += last && tone != last;
        last = tone;
    }
    return changes;
}

/* Along rows and along columns: stripes are no checks. */
static bool is_checked(const tone_map *map)
{
    int along_rows = 0, along_columns = 0;
    for (int y = 0; y < map->rows; y++)
        along_rows += count_changes(map, y * map->columns, map->columns, 1);
    for (int x = 0; x < map->columns; x++)
        along_columns += count_changes(map, x, map->rows, map->columns);
    return along_rows > CHECKED * map->rows && along_columns > CHECKED * map->columns;
}

sac_status sac_is_drawn(const sac_image *picture, bool *drawn, sac_error *error)
{
    sac_image square;
    sac_square_part in = sac_picture_in_square(picture, SIDE);
    tone_map map = {.rows = in.y1 - in.y0 - 1, .columns = in.x1 - in.x0 - 1};
    size_t blocks = (size_t)map.rows * (size_t)map.columns;
    sac_status status = sac_captioner_preprocess(picture, SIDE, &square, error);
    if (status != SAC_OK)
        return status;
    map.tone = malloc(2 * blocks * sizeof *map.tone + 1);
    if (map.tone) {
        map.sorted = map.tone + blocks;
        find_tones(&square, in, &map);
        find_most_frequent(&map);
        *drawn = map.count > FLAT * (double)blocks || is_checked(&map);
    } else {
        status = sac_fail(error, SAC_E_MEMORY, "picture", NULL, "no memory for its tones");
    }
    free(map.tone);
    sac_image_free(&square);
    return status;
}
