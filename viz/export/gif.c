/* Writes GIF with giflib, which compresses it. */
#include "export/gif.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"

/* ---------------------------------------------------------------- colours that stand for those of a picture */

#define VIZ_PALETTE_BITS 6 /* of each channel, by which colours are counted */
#define VIZ_PALETTE_BINS (1 << 3 * VIZ_PALETTE_BITS)

/* Colours that share their first bits are counted as one, at their mean. */
typedef struct viz_color_bin {
    uint64_t sum[3];
    uint32_t count;
    uint8_t color; /* its place in the palette */
} viz_color_bin;

/* About 8 MB; zeroed before the first picture. */
typedef struct viz_palette {
    viz_color_bin bins[VIZ_PALETTE_BINS];
    uint32_t used[VIZ_PALETTE_BINS]; /* bins that are not empty */
    size_t used_count;
    uint8_t colors[256][3];
    int count;
} viz_palette;

/* ---------------------------------------------------------------- colours */

/* Median cut (Heckbert, 1982) over colours counted in bins: the box of colours with the largest sum
 * of squared distances from its mean is cut in two at the mean of its widest channel. */

/* Some of the used bins, side by side. */
typedef struct color_box {
    size_t begin, end;
    int channel; /* that spreads most */
    double mean; /* in that channel */
    double error;
} color_box;

static uint32_t color_bin_index(const uint8_t rgb[3])
{
    uint32_t bin = 0;
    for (int c = 0; c < 3; c++)
        bin = bin << VIZ_PALETTE_BITS | rgb[c] >> (8 - VIZ_PALETTE_BITS);
    return bin;
}

static double bin_mean(const viz_color_bin *bin, int channel)
{
    return (double)bin->sum[channel] / bin->count;
}

/* Finds the channel in which the box spreads most, and how far the box is from one colour. */
static void measure_box_spread(const viz_palette *p, color_box *box)
{
    double count = 0, sum[3] = {0}, squares[3] = {0}, most = -1;
    for (size_t i = box->begin; i < box->end; i++) {
        const viz_color_bin *bin = &p->bins[p->used[i]];
        count += bin->count;
        for (int c = 0; c < 3; c++) {
            sum[c] += (double)bin->sum[c];
            squares[c] += bin_mean(bin, c) * (double)bin->sum[c];
        }
    }
    box->error = 0;
    for (int c = 0; c < 3; c++) {
        double spread = squares[c] - sum[c] * sum[c] / count;
        box->error += spread;
        if (spread > most) {
            most = spread;
            box->channel = c;
            box->mean = sum[c] / count;
        }
    }
    if (box->end - box->begin == 1)
        box->error = 0;
}

/* Moves the bins below the mean to the front; where they end. */
static size_t partition_box(viz_palette *p, const color_box *box)
{
    size_t end = box->begin;
    for (size_t i = box->begin; i < box->end; i++)
        if (bin_mean(&p->bins[p->used[i]], box->channel) < box->mean) {
            uint32_t moved = p->used[i];
            p->used[i] = p->used[end];
            p->used[end++] = moved;
        }
    return end;
}

static color_box *worst_box(color_box *boxes, int count)
{
    color_box *worst = boxes;
    for (int i = 1; i < count; i++)
        if (boxes[i].error > worst->error)
            worst = &boxes[i];
    return worst;
}

static void set_color(viz_palette *p, const color_box *box, uint8_t place)
{
    uint64_t sum[3] = {0}, count = 0;
    for (size_t i = box->begin; i < box->end; i++) {
        viz_color_bin *bin = &p->bins[p->used[i]];
        count += bin->count;
        for (int c = 0; c < 3; c++)
            sum[c] += bin->sum[c];
        bin->color = place;
    }
    for (int c = 0; c < 3; c++)
        p->colors[place][c] = (uint8_t)((sum[c] + count / 2) / count);
}

/* Chooses at most `most` colours for what was counted. */
static void choose_palette(viz_palette *p, int most)
{
    color_box boxes[256] = {{.end = p->used_count}};
    int count = p->used_count ? 1 : 0;
    if (count)
        measure_box_spread(p, &boxes[0]);
    while (count && count < most) {
        color_box *box = worst_box(boxes, count);
        size_t middle = partition_box(p, box);
        if (!(box->error > 0) || middle == box->begin || middle == box->end)
            break; /* each box is one colour */
        boxes[count] = (color_box){.begin = middle, .end = box->end};
        box->end = middle;
        measure_box_spread(p, box);
        measure_box_spread(p, &boxes[count++]);
    }
    for (int i = 0; i < count; i++)
        set_color(p, &boxes[i], (uint8_t)i);
    p->count = count;
}

enum { COLORS = 256, CLEAR = COLORS - 1 /* the transparent one */, MOST_DELAY = 65535 };

/* What a picture changes: its place, and a colour of its palette for each pixel. */
typedef struct gif_change {
    int x0, y0, x1, y1;
    GifByteType *pixels; /* [y1 − y0, x1 − x0]; owned by the writer, which has space for all */
    GifColorType palette[COLORS];
    int hundredths;
} gif_change;

struct viz_gif {
    sac_output output;
    GifFileType *file;
    int width, height;
    uint8_t *previous; /* [height,width,4] */
    bool has_previous;
    gif_change held; /* the last change, until it is known how long it stays */
    viz_palette *palette;
};

static sac_status fail(const viz_gif *gif, int code, sac_error *error)
{
    const char *why = GifErrorString(code);
    bool memory = code == E_GIF_ERR_NOT_ENOUGH_MEM;
    return sac_fail(error, memory ? SAC_E_MEMORY : SAC_E_FILE, gif->output.path, NULL,
                    "cannot be written as a GIF: %s", why ? why : "giflib failed");
}

static int write_bytes(GifFileType *file, const GifByteType *bytes, int count)
{
    return (int)fwrite(bytes, 1, (size_t)count, file->UserData);
}

/* ---------------------------------------------------------------- what changed */

static const uint8_t *pixel_at(const viz_gif *gif, const uint8_t *rgba, int x, int y)
{
    return rgba + 4 * ((size_t)y * (size_t)gif->width + (size_t)x);
}

static bool changes(const viz_gif *gif, const uint8_t *rgba, int x, int y)
{
    return !gif->has_previous ||
           memcmp(pixel_at(gif, rgba, x, y), pixel_at(gif, gif->previous, x, y), 3) != 0;
}

/* The smallest rectangle around what differs; false where nothing does. */
static bool find_change(const viz_gif *gif, const uint8_t *rgba, gif_change *c)
{
    size_t stride = 4 * (size_t)gif->width;
    *c = (gif_change){.x0 = gif->width, .y0 = gif->height};
    for (int y = 0; y < gif->height; y++) {
        if (gif->has_previous &&
            memcmp(rgba + (size_t)y * stride, gif->previous + (size_t)y * stride, stride) == 0)
            continue;
        c->y0 = y < c->y0 ? y : c->y0;
        c->y1 = y + 1;
        for (int x = 0; x < gif->width; x++)
            if (changes(gif, rgba, x, y)) {
                c->x0 = x < c->x0 ? x : c->x0;
                c->x1 = x + 1 > c->x1 ? x + 1 : c->x1;
            }
    }
    return c->x1 > 0;
}

/* Fills the change's pixels; what did not change inside its rectangle is transparent. */
static void quantise(viz_gif *gif, const uint8_t *rgba, gif_change *c)
{
    GifByteType *out = c->pixels;
    viz_palette *palette = gif->palette;
    for (size_t i = 0; i < palette->used_count; i++)
        palette->bins[palette->used[i]] = (viz_color_bin){0};
    palette->used_count = 0;
    palette->count = 0;
    for (int y = c->y0; y < c->y1; y++)
        for (int x = c->x0; x < c->x1; x++)
            if (changes(gif, rgba, x, y)) {
                const uint8_t *rgb = pixel_at(gif, rgba, x, y);
                uint32_t index = color_bin_index(rgb);
                viz_color_bin *bin = &palette->bins[index];
                if (!bin->count++)
                    palette->used[palette->used_count++] = index;
                for (int channel = 0; channel < 3; channel++)
                    bin->sum[channel] += rgb[channel];
            }
    choose_palette(palette, CLEAR);
    for (int i = 0; i < palette->count; i++) {
        const uint8_t *color = palette->colors[i];
        c->palette[i] = (GifColorType){color[0], color[1], color[2]};
    }
    for (int y = c->y0; y < c->y1; y++)
        for (int x = c->x0; x < c->x1; x++)
            *out++ = changes(gif, rgba, x, y)
                         ? palette->bins[color_bin_index(pixel_at(gif, rgba, x, y))].color
                         : CLEAR;
}

/* ---------------------------------------------------------------- writing */

static bool write_control(GifFileType *file, int hundredths)
{
    GifByteType bytes[4];
    GraphicsControlBlock control = {
        .DisposalMode = DISPOSE_DO_NOT, .DelayTime = hundredths, .TransparentColor = CLEAR};
    EGifGCBToExtension(&control, bytes);
    return EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, sizeof bytes, bytes) == GIF_OK;
}

static bool write_change(viz_gif *gif, const gif_change *c)
{
    int width = c->x1 - c->x0, height = c->y1 - c->y0;
    ColorMapObject *map = GifMakeMapObject(COLORS, c->palette);
    bool done = map && write_control(gif->file, c->hundredths) &&
                EGifPutImageDesc(gif->file, c->x0, c->y0, width, height, false, map) == GIF_OK;
    for (int y = 0; done && y < height; y++)
        done = EGifPutLine(gif->file, c->pixels + (size_t)y * (size_t)width, width) == GIF_OK;
    GifFreeMapObject(map);
    return done;
}

static sac_status write_held_change(viz_gif *gif, sac_error *error)
{
    if (!gif->held.x1 || write_change(gif, &gif->held))
        return SAC_OK;
    return fail(gif, gif->file->Error, error);
}

/* Netscape's extension, which all viewers know: again, for ever. */
static bool write_loop(GifFileType *file)
{
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(file, 3, "\1\0\0") == GIF_OK &&
           EGifPutExtensionTrailer(file) == GIF_OK;
}

static sac_status open_gif_stream(viz_gif *gif, const char *comment, sac_error *error)
{
    size_t room = (size_t)gif->width * (size_t)gif->height;
    int code = 0;
    gif->previous = malloc(4 * room);
    gif->palette = calloc(1, sizeof *gif->palette);
    gif->held.pixels = malloc(room);
    if (!gif->previous || !gif->palette || !gif->held.pixels)
        return fail(gif, E_GIF_ERR_NOT_ENOUGH_MEM, error);
    gif->file = EGifOpen(gif->output.file, write_bytes, &code);
    if (!gif->file)
        return fail(gif, code, error);
    EGifSetGifVersion(gif->file, true);
    bool done = EGifPutScreenDesc(gif->file, gif->width, gif->height, 8, 0, NULL) == GIF_OK &&
                write_loop(gif->file) && (!comment || EGifPutComment(gif->file, comment) == GIF_OK);
    return done ? SAC_OK : fail(gif, gif->file->Error, error);
}

/* ---------------------------------------------------------------- the file */

sac_status viz_gif_open(const char *path, int width, int height, const char *comment, viz_gif **gif,
                        sac_error *error)
{
    *gif = calloc(1, sizeof **gif);
    if (!*gif)
        return sac_no_memory(error, path);
    (*gif)->width = width;
    (*gif)->height = height;
    sac_status status = sac_output_open(&(*gif)->output, path, error);
    if (status == SAC_OK)
        status = open_gif_stream(*gif, comment, error);
    if (status != SAC_OK) {
        viz_gif_discard(*gif);
        *gif = NULL;
    }
    return status;
}

sac_status viz_gif_add(viz_gif *gif, const uint8_t *rgba, int hundredths, sac_error *error)
{
    gif_change change;
    bool differs = find_change(gif, rgba, &change);
    if (!differs && gif->held.hundredths + hundredths <= MOST_DELAY) {
        gif->held.hundredths += hundredths;
        return SAC_OK;
    }
    sac_status status = write_held_change(gif, error);
    if (!differs) /* one transparent pixel keeps the time */
        change = (gif_change){.x1 = 1, .y1 = 1};
    change.pixels = gif->held.pixels;
    change.pixels[0] = CLEAR;
    change.hundredths = hundredths;
    if (status == SAC_OK && differs)
        quantise(gif, rgba, &change);
    gif->held = change;
    memcpy(gif->previous, rgba, 4 * (size_t)gif->width * (size_t)gif->height);
    gif->has_previous = true;
    return status;
}

sac_status viz_gif_close(viz_gif *gif, sac_error *error)
{
    int code = 0;
    sac_status status = write_held_change(gif, error);
    int closed = EGifCloseFile(gif->file, &code);
    gif->file = NULL;
    if (status == SAC_OK && closed != GIF_OK)
        status = fail(gif, code, error);
    if (status == SAC_OK)
        status = sac_output_commit(&gif->output, error);
    viz_gif_discard(gif);
    return status;
}

void viz_gif_discard(viz_gif *gif)
{
    if (!gif)
        return;
    if (gif->file)
        EGifCloseFile(gif->file, NULL);
    sac_output_discard(&gif->output);
    free(gif->previous);
    free(gif->palette);
    free(gif->held.pixels);
    free(gif);
}
