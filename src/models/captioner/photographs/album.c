/* Photographs to learn from: their views, features and judgements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/notice.h"
#include "base/random/random.h"
#include "captioner/decode/encode.h"
#include "captioner/encoders/encoder.h"
#include "captioner/photographs/album.h"
#include "images/resample.h"
#include "models/batches.h"
#include "pictures/caption_scores.h"

enum { TOGETHER = 8 }; /* pictures that go through the network at once, at most */

typedef sac_album album;

/* ---------------------------------------------------------------- what features depend on */

size_t sac_album_grid_numbers(const sac_captioner *c)
{
    return c->encoder->numbers(c, c->first);
}

static sac_status hash_network(const sac_captioner *c, uint64_t *hash, sac_error *error)
{
    const sac_parameters *frozen = &c->base.frozen;
    const int sizes[] = {c->shape.side, c->shape.network.detail};
    float *numbers = malloc(frozen->floats * sizeof *numbers);
    if (!numbers)
        return sac_no_memory(error, "pictures");
    sac_status status =
        sac_span_read(frozen->device, frozen->values, frozen->floats, numbers, error);
    *hash = sac_hash(SAC_HASH_START, sizes, sizeof sizes);
    *hash = sac_hash(*hash, numbers, frozen->floats * sizeof *numbers);
    *hash = sac_encoder_hash(c, *hash);
    free(numbers);
    return status;
}

/* A picture is known by its name, and its file's size, beginning and end: reading thousands of files
 * whole would take as long as their features do where those are there. What cannot be read is found
 * out later. */
static uint64_t key_of_picture(const album *a, const sac_captioned_picture *picture)
{
    enum { PART = 4096 };
    char part[2 * PART];
    size_t used = 0;
    uint64_t key = sac_hash(a->network, picture->name, strlen(picture->name) + 1);
    FILE *file = fopen(picture->path, "rb");
    if (!file)
        return key;
    used += fread(part, 1, PART, file);
    if (fseeko(file, -PART, SEEK_END) == 0)
        used += fread(part + used, 1, PART, file);
    (void)fseeko(file, 0, SEEK_END);
    const int64_t size = (int64_t)ftello(file);
    fclose(file);
    key = sac_hash(key, &size, sizeof size);
    return sac_hash(key, part, used);
}

static uint64_t key_of_view(uint64_t key, int view)
{
    return view ? sac_hash(key, &view, sizeof view) : key;
}

/* ---------------------------------------------------------------- views */

static void mirror(sac_image *image)
{
    uint32_t *row = (uint32_t *)(void *)image->rgba;
    for (int y = 0; y < image->height; y++, row += image->width)
        for (int x = 0; x < image->width / 2; x++) {
            uint32_t pixel = row[x];
            row[x] = row[image->width - 1 - x];
            row[image->width - 1 - x] = pixel;
        }
}

/* A square in a square of `whole` pixels, whose side and place come from the key. */
typedef struct window {
    int left, top, side;
} window;

static window random_window(int whole, uint64_t key)
{
    const uint32_t high = (uint32_t)(key >> 32), low = (uint32_t)key;
    float least = 0.75f * (float)whole;
    float side = least + ((float)whole - least) * sac_philox_uniform(0, high, low);
    int pixels = (int)lrintf(side), room = whole - pixels;
    return (window){(int)(sac_philox_uniform(1, high, low) * (float)(room + 1)),
                    (int)(sac_philox_uniform(2, high, low) * (float)(room + 1)), pixels};
}

static sac_status cut_random_window(const sac_image *whole, uint64_t key, sac_image *part,
                                    sac_error *error)
{
    window w = random_window(whole->width, key);
    sac_status status = sac_image_create(w.side, w.side, part, error);
    for (int y = 0; y < w.side && status == SAC_OK; y++)
        memcpy(part->rgba + 4 * (size_t)y * (size_t)w.side,
               whole->rgba + 4 * ((size_t)(w.top + y) * (size_t)whole->width + (size_t)w.left),
               4 * (size_t)w.side);
    return status;
}

static int detail_of(const album *a)
{
    return a->shape->network.detail ? a->shape->network.detail : a->shape->side;
}

/* The view as the network sees it: pixels [side,side,3]. */
static sac_status prepare_view_pixels(const album *a, const sac_image *image, uint64_t key,
                                      int view, float *pixels, sac_error *error)
{
    int side = a->shape->side, detail = detail_of(a);
    sac_image whole = {0}, part = {0}, seen = {0};
    sac_status status = sac_resample(image, detail, detail, SAC_RESAMPLE_BICUBIC, &whole, error);
    if (status == SAC_OK && view >= 2)
        status = cut_random_window(&whole, key, &part, error);
    if (status == SAC_OK)
        status = sac_resample(view >= 2 ? &part : &whole, side, side, SAC_RESAMPLE_BICUBIC, &seen,
                              error);
    if (status == SAC_OK) {
        if (sac_view_is_mirrored(view))
            mirror(&seen);
        a->encoder->light(a->shape, seen.rgba, (size_t)side * (size_t)side, pixels);
    }
    sac_image_free(&whole);
    sac_image_free(&part);
    sac_image_free(&seen);
    return status;
}

/* ---------------------------------------------------------------- computing features */

/* Views that go through the network next. */
typedef struct filling {
    sac_captioner *c;
    album *a;
    sac_captioner_features f;
    float *pixels, *grids; /* [TOGETHER,side,side,3], [TOGETHER,N,·] */
    uint64_t keys[TOGETHER];
    size_t together; /* views that are waited for */
    size_t waiting, done, all;
} filling;

static sac_status flush(filling *f, sac_error *error)
{
    sac_captioner *c = f->c;
    if (!f->waiting)
        return SAC_OK;
    sac_activity_begin("features of pictures: %zu of %zu", f->done, f->all);
    sac_status status = c->encoder->keep(c, &f->f, f->pixels, f->waiting, f->grids, error);
    for (size_t i = 0; i < f->waiting && status == SAC_OK; i++)
        status = sac_feature_cache_add(f->a->cache, f->keys[i],
                                       f->grids + i * sac_album_grid_numbers(c), error);
    f->done += f->waiting;
    f->waiting = 0;
    sac_activity_end();
    return status == SAC_OK ? sac_cancel_check("pictures", error) : status;
}

static int views_of(const album *a, size_t picture)
{
    static const int held_out[SAC_SPLITS] = {[SAC_SPLIT_VAL] = 1};
    sac_pictures_split split = a->pictures.items[picture].split;
    return split == SAC_SPLIT_TRAIN ? a->views : held_out[split];
}

static size_t count_missing_views(const album *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->pictures.count; i++)
        for (int v = 0; v < views_of(a, i); v++)
            count +=
                !sac_feature_cache_has(a->cache, key_of_view(a->keys[i], sac_album_view(a, v)));
    return count;
}

/* All views of a picture; *readable: false where its file is none. */
static sac_status queue_picture_views(filling *f, size_t picture, bool *readable, sac_error *error)
{
    size_t pixels = (size_t)f->c->shape.side * (size_t)f->c->shape.side * 3;
    sac_image image = {0};
    sac_status status = SAC_OK;
    *readable = true;
    for (int i = 0; i < views_of(f->a, picture) && status == SAC_OK && *readable; i++) {
        const int v = sac_album_view(f->a, i);
        uint64_t key = key_of_view(f->a->keys[picture], v);
        if (sac_feature_cache_has(f->a->cache, key))
            continue;
        if (!image.rgba) {
            sac_error wrong = {0};
            sac_status read = sac_image_load(f->a->pictures.items[picture].path, &image, &wrong);
            *readable = read == SAC_OK;
            if (read == SAC_E_CANCELLED || read == SAC_E_MEMORY) {
                *error = wrong;
                status = read;
            }
        }
        if (status == SAC_OK && *readable) {
            f->keys[f->waiting] = key;
            status =
                prepare_view_pixels(f->a, &image, key, v, f->pixels + f->waiting * pixels, error);
            f->waiting += status == SAC_OK;
        }
        if (status == SAC_OK && f->waiting == f->together)
            status = flush(f, error);
    }
    sac_image_free(&image);
    return status;
}

static void drop(album *a, size_t picture)
{
    sac_pictures_drop_broken(&a->pictures, picture);
    memmove(a->keys + picture, a->keys + picture + 1,
            (a->pictures.count - picture) * sizeof *a->keys);
}

/* Views of all pictures; those that cannot be read are dropped. */
static sac_status fill_feature_cache(sac_captioner *c, album *a, sac_error *error)
{
    size_t pixels = (size_t)c->shape.side * (size_t)c->shape.side * 3;
    /* What the layers of one picture hand on stays in a CPU's cache: 31 ms of a core at 320 pixels,
     * and 39 each of four and more. */
    bool is_cpu = sac_device_get_info(c->base.device)->is_cpu;
    filling f = {.c = c, .a = a, .together = is_cpu ? 1 : TOGETHER, .all = count_missing_views(a)};
    f.pixels = malloc(TOGETHER * pixels * sizeof *f.pixels);
    f.grids = malloc(TOGETHER * sac_album_grid_numbers(c) * sizeof *f.grids);
    sac_status status = f.pixels && f.grids ? SAC_OK : sac_no_memory(error, "pictures");
    for (size_t i = 0; i < a->pictures.count && f.all && status == SAC_OK;) {
        bool readable;
        status = queue_picture_views(&f, i, &readable, error);
        if (status != SAC_OK || readable) {
            i++;
            continue;
        }
        drop(a, i);
    }
    if (status == SAC_OK)
        status = flush(&f, error);
    sac_captioner_release_features(&f.f);
    free(f.pixels);
    free(f.grids);
    return status;
}

/* ---------------------------------------------------------------- opening */

/* Pictures that are read once, to find those that cannot be. */
typedef struct checking {
    const album *a;
    size_t from;
    bool *broken; /* [pictures.count] */
} checking;

static void mark_broken_picture(void *user, size_t index)
{
    checking *c = user;
    sac_image image = {0};
    size_t i = c->from + index;
    if (c->a->pictures.items[i].split != SAC_SPLIT_TEST)
        c->broken[i] = sac_image_load(c->a->pictures.items[i].path, &image, NULL) != SAC_OK;
    sac_image_free(&image);
}

static sac_status drop_broken(album *a, sac_error *error)
{
    enum { AT_ONCE = 256 };
    size_t all = a->pictures.count;
    checking c = {.a = a, .broken = calloc(all + 1, sizeof *c.broken)};
    sac_status status = c.broken ? SAC_OK : sac_no_memory(error, "pictures");
    for (; c.from < all && status == SAC_OK; c.from += AT_ONCE) {
        sac_activity_begin("reading pictures: %zu of %zu", c.from, all);
        sac_parallel(all - c.from < AT_ONCE ? all - c.from : AT_ONCE, mark_broken_picture, &c);
        sac_activity_end();
        status = sac_cancel_check("pictures", error);
    }
    for (size_t i = all; i-- > 0 && status == SAC_OK;)
        if (c.broken[i])
            drop(a, i);
    free(c.broken);
    return status;
}

static sac_status open_and_fill_cache(sac_captioner *c, album *a, const sac_album_options *o,
                                      sac_error *error)
{
    sac_status status =
        sac_feature_cache_open(o->cache, sac_album_grid_numbers(c), &a->cache, error);
    if (status != SAC_OK)
        return status;
    size_t more = count_missing_views(a);
    double bytes = (double)sac_feature_cache_bytes(a->cache, more);
    if (more && bytes > o->cache_limit)
        return sac_fail(
            error, SAC_E_ARGUMENT, o->cache, "give a higher --cache-limit, or fewer --views",
            "would take %.2f GB; the limit is %.2f", 1e-9 * bytes, 1e-9 * o->cache_limit);
    return fill_feature_cache(c, a, error);
}

static sac_status compute_picture_keys(const sac_captioner *c, album *a, sac_error *error)
{
    a->keys = calloc(a->pictures.count, sizeof *a->keys);
    if (!a->keys)
        return sac_no_memory(error, "pictures");
    sac_status status = a->views ? hash_network(c, &a->network, error) : SAC_OK;
    for (size_t i = 0; i < a->pictures.count && status == SAC_OK; i++)
        a->keys[i] = key_of_picture(a, &a->pictures.items[i]);
    return status;
}

static sac_status list_splits(album *a, sac_error *error)
{
    size_t used[SAC_SPLITS] = {0};
    for (int s = 0; s < SAC_SPLITS; s++)
        if (!(a->of_split[s] = calloc(a->pictures.of_split[s] + 1, sizeof *a->of_split[s])))
            return sac_no_memory(error, "pictures");
    for (size_t i = 0; i < a->pictures.count; i++) {
        sac_pictures_split split = a->pictures.items[i].split;
        a->of_split[split][used[split]++] = i;
    }
    return used[SAC_SPLIT_TRAIN] ? SAC_OK
                                 : sac_fail(error, SAC_E_ARGUMENT, "pictures",
                                            "give pictures that are not in --val or --test",
                                            "there are none to train on");
}

static sac_status open_boxes(album *a, const char *path, sac_error *error)
{
    const int words = a->pictures.vocabulary.count;
    size_t shown = 0;
    sac_status status = sac_instances_open(path, &a->instances, error);
    if (status != SAC_OK)
        return status;
    a->category_of_word = calloc((size_t)words + 1, sizeof *a->category_of_word);
    if (!a->category_of_word)
        return sac_no_memory(error, "boxes");
    for (int i = 0; i < words; i++)
        a->category_of_word[i] = sac_instances_category(
            &a->instances, sac_caption_vocabulary_word(&a->pictures.vocabulary, i));
    for (size_t i = 0; i < a->pictures.count; i++)
        shown += a->pictures.items[i].split == SAC_SPLIT_TRAIN &&
                 sac_instances_find(&a->instances, a->pictures.items[i].name) != NULL;
    if (!shown)
        return sac_fail(error, SAC_E_ARGUMENT, path, "give the instances of these pictures",
                        "has boxes of none of the pictures that are trained on");
    sac_notice("boxes: of %zu pictures that are trained on", shown);
    return SAC_OK;
}

/* Captions in another language than the vocabulary have hardly a word of it. */
static sac_status check_language(const sac_pictures *p, sac_error *error)
{
    enum { MOST = 50, MANY = 20 }; /* per cent */
    const double unknown = 100 * sac_pictures_unknown_share(p);
    char examples[160] = "";
    size_t used = 0;
    for (int i = 0; i < SAC_SKIP_NAMES && p->strange[i]; i++)
        used += (size_t)snprintf(examples + used, sizeof examples - used, "%s%.40s", i ? ", " : "",
                                 p->strange[i]);
    if (unknown > MOST)
        return sac_fail(error, SAC_E_ARGUMENT, "captions",
                        "give captions in the language of the vocabulary, or train anew, without "
                        "--resume and without --word-count",
                        "%.0f %% of their words are not in the vocabulary of %d words, such as %s",
                        unknown, p->vocabulary.count - SAC_VOCABULARY_MARKS, examples);
    if (unknown > MANY)
        sac_notice(
            "captions: %.0f %% of their words are not in the vocabulary, and are not learnt, "
            "such as %s; train anew, without --resume and without --word-count, to learn them",
            unknown, examples);
    return SAC_OK;
}

sac_status sac_album_open(sac_captioner *c, const sac_album_options *o, sac_error *error)
{
    if (c->album)
        return SAC_OK;
    album *a = calloc(1, sizeof *a);
    if (!a)
        return sac_no_memory(error, "pictures");
    a->views = o->views;
    a->encoder = c->encoder;
    a->shape = &c->shape;
    if (!a->views)
        c->first = 0;
    sac_pictures_options pictures = o->pictures;
    pictures.vocabulary = &c->shape.words->table;
    pictures.longest = c->shape.longest;
    sac_status status = sac_pictures_open(&pictures, &a->pictures, error);
    if (status == SAC_OK)
        status = check_language(&a->pictures, error);
    a->mirrors =
        sac_caption_names_sides(&a->pictures.vocabulary) || sac_captions_are_english(&a->pictures);
    if (status == SAC_OK)
        status = compute_picture_keys(c, a, error);
    if (status == SAC_OK)
        status = a->views ? open_and_fill_cache(c, a, o, error) : drop_broken(a, error);
    if (status == SAC_OK)
        status = list_splits(a, error);
    if (status == SAC_OK && o->boxes)
        status = open_boxes(a, o->boxes, error);
    if (status == SAC_OK && o->rewards)
        status = sac_cider_create(&a->pictures, SAC_SPLIT_TRAIN, &a->cider, error);
    char line[512];
    for (int i = 0;
         status == SAC_OK && sac_pictures_report_line(&a->pictures, i, line, sizeof line); i++)
        sac_notice("pictures: %s", line);
    if (status == SAC_OK && !a->pictures.of_split[SAC_SPLIT_VAL])
        sac_notice(
            "pictures: none is held out, so no weights are chosen as the best, and there is no "
            "CIDEr-D; give --val");
    if (status == SAC_OK)
        c->album = a;
    else
        sac_album_close(a);
    return status;
}

void sac_album_close(album *a)
{
    if (!a)
        return;
    for (int s = 0; s < SAC_SPLITS; s++)
        free(a->of_split[s]);
    sac_instances_free(&a->instances);
    free(a->category_of_word);
    sac_feature_cache_close(a->cache);
    sac_cider_destroy(a->cider);
    free(a->keys);
    sac_pictures_free(&a->pictures);
    free(a);
}

/* A box of the whole picture, in the view. */
static sac_look box_in_view(const album *a, size_t picture, int view, const float box[4])
{
    sac_look look = {.count = 1};
    const int whole = detail_of(a);
    const window w = view >= 2 ? random_window(whole, key_of_view(a->keys[picture], view))
                               : (window){0, 0, whole};
    for (int k = 0; k < 4; k++) {
        const float at = box[k] * (float)whole - (float)(k % 2 ? w.top : w.left);
        look.box[0][k] = fminf(1, fmaxf(0, at / (float)w.side));
    }
    if (sac_view_is_mirrored(view)) {
        const float left = look.box[0][0];
        look.box[0][0] = 1 - look.box[0][2];
        look.box[0][2] = 1 - left;
    }
    return look;
}

bool sac_album_cover(const album *a, size_t picture, int view, int word, int grid, float *cover)
{
    const int category = a->category_of_word ? a->category_of_word[word] : -1;
    const sac_instances_of_picture *of =
        category < 0 ? NULL : sac_instances_find(&a->instances, a->pictures.items[picture].name);
    const size_t cells = (size_t)grid * (size_t)grid;
    float most = 0, one[SAC_CAPTIONER_GRID * SAC_CAPTIONER_GRID];
    memset(cover, 0, cells * sizeof *cover);
    for (int i = 0; of && i < of->count; i++) {
        if (of->list[i].category != category)
            continue;
        const sac_look look = box_in_view(a, picture, view, of->list[i].box);
        sac_look_cover(&look, grid, grid, one);
        for (size_t n = 0; n < cells; n++) {
            cover[n] = fmaxf(cover[n], one[n]);
            most = fmaxf(most, cover[n]);
        }
    }
    return most > 0;
}

sac_status sac_album_grid(const album *a, size_t picture, int view, float *grid, sac_error *error)
{
    uint64_t key = key_of_view(a->keys[picture], view);
    sac_image image = {0};
    if (a->cache)
        return sac_feature_cache_read(a->cache, key, grid, error);
    sac_status status = sac_image_load(a->pictures.items[picture].path, &image, error);
    if (status == SAC_OK)
        status = prepare_view_pixels(a, &image, key, view, grid, error);
    sac_image_free(&image);
    return status;
}

/* ---------------------------------------------------------------- judging */

enum {
    JUDGED = 1000
}; /* pictures, at most: all of them, mostly, for the figure depends on how many
                          they are, and is that of `saccade evaluate` then */

sac_status sac_album_encode(sac_captioner *c, size_t picture, float *grid, sac_error *error)
{
    sac_status status = sac_album_grid(c->album, picture, 0, grid, error);
    return status == SAC_OK ? sac_captioner_encode_grid(c, grid, error) : status;
}

static sac_status generate_caption_text(sac_captioner *c, size_t picture, float *grid, char **text,
                                        sac_error *error)
{
    sac_result caption = {0};
    char joined[SAC_TEXT_SIZE];
    sac_status status = sac_album_encode(c, picture, grid, error);
    if (status == SAC_OK)
        status = sac_captioner_generate(c, &(sac_result_request){.beam = 1}, &caption, error);
    if (status == SAC_OK &&
        !(*text = sac_caption_plain(sac_result_text(&caption, joined, sizeof joined))))
        status = sac_no_memory(error, "captions");
    sac_result_free(&caption);
    return status;
}

sac_status sac_album_judge(sac_captioner *c, double *score, sac_error *error)
{
    const album *a = c->album;
    size_t all = a->pictures.of_split[SAC_SPLIT_VAL], count = all < JUDGED ? all : JUDGED, scored;
    char **captions = calloc(a->pictures.count, sizeof *captions);
    float *grid = malloc(sac_album_grid_numbers(c) * sizeof *grid);
    sac_caption_scores scores = {.cider_d = NAN};
    sac_status status = captions && grid ? SAC_OK : sac_no_memory(error, "captions");
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        size_t picture = a->of_split[SAC_SPLIT_VAL][i * all / count];
        status = generate_caption_text(c, picture, grid, &captions[picture], error);
    }
    if (status == SAC_OK)
        status = sac_pictures_score(&a->pictures, captions, 0, &scores, &scored, error);
    *score = scores.cider_d;
    for (size_t i = 0; captions && i < a->pictures.count; i++)
        free(captions[i]);
    free(captions);
    free(grid);
    return status;
}

/* ---------------------------------------------------------------- watching */

bool sac_picture_has_word(const sac_captioned_picture *picture, int word)
{
    for (int k = 0; k < picture->caption_count; k++)
        for (int i = 0; i < picture->captions[k].count; i++)
            if (picture->captions[k].words[i] == word)
                return true;
    return false;
}

enum { SHOWN = 6, SHOWN_SIDE = 224 };

typedef struct watched_photographs {
    const sac_album *album;
    size_t picture[SHOWN];
    float *grid;
} watched_photographs;

static const sac_captioned_picture *item_of(const watched_photographs *w, int index)
{
    return &w->album->pictures.items[w->picture[index]];
}

/* In its own proportions. The network sees it squeezed to a square, whose cells lie over the whole of it. */
static sac_status load_watched_picture(void *self, int index, sac_image *picture, char *truth,
                                       size_t size, sac_error *error)
{
    const watched_photographs *w = self;
    sac_image image = {0};
    sac_status status = sac_image_load(item_of(w, index)->path, &image, error);
    if (status == SAC_OK) {
        const float longest = (float)(image.width > image.height ? image.width : image.height);
        const int width = (int)fmaxf(roundf(SHOWN_SIDE * (float)image.width / longest), 1),
                  height = (int)fmaxf(roundf(SHOWN_SIDE * (float)image.height / longest), 1);
        status = sac_resample(&image, width, height, SAC_RESAMPLE_BICUBIC, picture, error);
    }
    sac_image_free(&image);
    snprintf(truth, size, "%s", item_of(w, index)->captions[0].plain);
    return status;
}

static sac_status encode(void *self, sac_model *model, int index, sac_error *error)
{
    watched_photographs *w = self;
    return sac_album_encode((sac_captioner *)model, w->picture[index], w->grid, error);
}

/* One of those that people gave. */
static bool is_exact(void *self, int index, const sac_result *caption)
{
    const watched_photographs *w = self;
    const sac_captioned_picture *item = item_of(w, index);
    for (int k = 0; k < item->caption_count; k++) {
        const sac_picture_caption *own = &item->captions[k];
        bool same = caption->finished && caption->count == own->count;
        for (int i = 0; same && i < own->count; i++)
            same = caption->outputs[i].word == own->words[i];
        if (same)
            return true;
    }
    return false;
}

static bool has_word(void *self, int index, int word)
{
    return sac_picture_has_word(item_of(self, index), word);
}

static void destroy(void *self)
{
    watched_photographs *w = self;
    if (w)
        free(w->grid);
    free(w);
}

sac_status sac_album_watch(const sac_captioner *c, sac_watched *watched, sac_error *error)
{
    const album *a = c->album;
    sac_pictures_split split =
        a->pictures.of_split[SAC_SPLIT_VAL] ? SAC_SPLIT_VAL : SAC_SPLIT_TRAIN;
    size_t all = a->pictures.of_split[split];
    int count = all < SHOWN ? (int)all : SHOWN;
    watched_photographs *w = calloc(1, sizeof *w);
    if (w)
        w->grid = malloc(sac_album_grid_numbers(c) * sizeof *w->grid);
    if (!w || !w->grid) {
        destroy(w);
        return sac_no_memory(error, "training");
    }
    w->album = a;
    for (int i = 0; i < count; i++)
        w->picture[i] = a->of_split[split][(size_t)i * all / (size_t)count];
    *watched =
        (sac_watched){w, count, count, load_watched_picture, encode, is_exact, destroy, has_word};
    return SAC_OK;
}
