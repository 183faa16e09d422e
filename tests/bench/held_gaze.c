/* Does a captioner's sentence name the thing at which it is held? Of pictures of the test stream whose sentence names two
 * things, each is held in turn by a spot: at the middle of its largest region, and where the word that names it looks most
 * by itself, where there is one; from the first word on, and from the first thing that the sentence names by itself. One
 * boat of two is a boat: singular and plural are one thing. Of a model with layers all heads are held, those that look at
 * what is described (`--gaze-heads auto`), and a quarter, half and three quarters of all: the best, any, and the worst. Each
 * head's score is set beside how much of its maps lies in the regions of the things that the words name. A captioner of
 * photographs sees pages of the book.
 *
 *     held_gaze WEIGHTS [PICTURES] [RADIUS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "captioner/captioner.h"
#include "datasets/dataset.h"
#include "device/device.h"
#include "models/checkpoint.h"
#include "table/models.h"

enum { GRAMMAR = 20000 }; /* scenes whose sentences are counted */
enum { LAST = 1000000 };  /* scenes that are looked through, at most */

typedef enum which_heads { ALL, AUTO, BEST, RANDOM, WORST } which_heads;

/* Where it is held, from which word on, and of a model with layers in which share of its heads. */
static const struct {
    const char *title;
    bool at_peak, from_thing;
    which_heads heads;
    float share;
} protocols[] = {{"the middle of its region, from the first word", false, false, ALL},
                 {"the middle of its region, from the first thing", false, true, ALL},
                 {"where its own word looks, from the first word", true, false, ALL},
                 {"where its own word looks, from the first thing", true, true, ALL},
                 {"auto: the middle, from the first word", false, false, AUTO},
                 {"auto: the middle, from the first thing", false, true, AUTO},
                 {"the best quarter: from the first word", false, false, BEST, 0.25f},
                 {"a quarter at random: from the first word", false, false, RANDOM, 0.25f},
                 {"the worst quarter: from the first word", false, false, WORST, 0.25f},
                 {"the best half: from the first word", false, false, BEST, 0.5f},
                 {"half at random: from the first word", false, false, RANDOM, 0.5f},
                 {"the worst half: from the first word", false, false, WORST, 0.5f},
                 {"the best three quarters: from the first word", false, false, BEST, 0.75f},
                 {"three quarters at random: from the first word", false, false, RANDOM, 0.75f},
                 {"the worst three quarters: from the first word", false, false, WORST, 0.75f}};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols, OF_ALL_MODELS = 4 };

/* Sentences by the first thing that they name where it is held, and otherwise. */
typedef struct sums {
    int count;
    int held, other, none; /* the thing that is held; the other one; none at all */
    int anywhere;          /* the held one at any place */
    int plain;             /* by itself: the thing */
} sums;

typedef struct work {
    const sac_dataset *dataset;
    sac_captioner *captioner;
    float radius;  /* 0: the usual one */
    int things[2]; /* words */
    sac_look look[2];
    sums of[PROTOCOLS][2]; /* the thing that the true sentence names first, and the second */
    /* The same of the first way, of things that are named first in fewer than a tenth of the sentences that name them, and of the others. */
    sums by_use[2];
    int *begins, *occurs; /* [words]: true sentences that name it first, and all that do */
    int pictures;
    /* With layers: heads [count] of the current sentence, the best first; and sums over sentences, by layer and head: of the
     * score, and of what lies in the regions of things, over so many words. */
    sac_gaze_head *heads;
    size_t count;
    double *scores, *in_regions;
    int sentences, chosen, words;
    uint32_t random;
} work;

/* A word of the model is one of the dataset's by its letters; −1: it has none such. */
static int find_dataset_word(const work *w, const char *text)
{
    for (int i = 0; i < w->dataset->vocabulary; i++)
        if (strcmp(w->dataset->word_text(i), text) == 0)
            return i;
    return -1;
}

/* "child" and "children", "bus" and "buses". */
static bool is_same_thing(const work *w, int a, int b)
{
    static const char *const ends[] = {"", "s", "es", "ren"};
    const char *one = w->dataset->word_text(a), *many = w->dataset->word_text(b);
    if (strlen(one) > strlen(many)) {
        const char *longer = one;
        one = many;
        many = longer;
    }
    bool same = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        same |= strncmp(one, many, strlen(one)) == 0 && strcmp(many + strlen(one), ends[i]) == 0;
    return same;
}

/* True for a scene whose true sentence names two things that differ, and where both are seen. */
static bool find_things(work *w, const void *scene)
{
    int words[SAC_DATASET_WORDS], count = w->dataset->sentence(scene, words) - 1, found = 0;
    for (int t = 0; t < count; t++) {
        sac_look look;
        if (!w->dataset->names_thing(words[t]))
            continue;
        w->dataset->look(scene, t, &look);
        if (found == 2 || !look.count)
            return false;
        w->things[found] = words[t];
        w->look[found++] = look;
    }
    return found == 2 && !is_same_thing(w, w->things[0], w->things[1]);
}

/* Where a sentence first names a thing, `thing` where that is not negative; −1: nowhere. */
static int find_thing(const work *w, const sac_result *caption, int thing)
{
    for (int i = 0; i < caption->count; i++) {
        const int word = find_dataset_word(w, caption->outputs[i].text);
        if (word >= 0 && w->dataset->names_thing(word) &&
            (thing < 0 || is_same_thing(w, word, thing)))
            return i;
    }
    return -1;
}

static bool names_first(const work *w, const sac_result *caption, int thing)
{
    const int at = find_thing(w, caption, -1);
    return at >= 0 && is_same_thing(w, find_dataset_word(w, caption->outputs[at].text), thing);
}

/* The middle of the largest region. */
static void place_gaze(const work *w, const sac_look *look, int grid, sac_gaze *gaze)
{
    float most = -1;
    for (int i = 0; i < look->count; i++) {
        const float *box = look->box[i], area = (box[2] - box[0]) * (box[3] - box[1]);
        if (area <= most)
            continue;
        most = area;
        gaze->x = (box[0] + box[2]) / 2 * (float)grid - 0.5f;
        gaze->y = (box[1] + box[3]) / 2 * (float)grid - 0.5f;
    }
    gaze->radius = w->radius > 0 ? w->radius : sac_gaze_usual_radius(grid, grid);
}

/* ---------------------------------------------------------------- heads */

/* What of a map lies in a thing's regions. */
static double mass_inside(const float *map, int grid, const sac_look *look)
{
    float cover[SAC_CAPTIONER_GRID * SAC_CAPTIONER_GRID];
    double all = 0, inside = 0;
    sac_look_cover(look, grid, grid, cover);
    for (int n = 0; n < grid * grid; n++) {
        all += (double)map[n];
        inside += (double)map[n] * (double)cover[n];
    }
    return all > 0 ? inside / all : 0;
}

/* As sac_source_generate finds them; and what the words of both things look at. */
static sac_status measure_heads(work *w, const sac_result *plain, sac_error *error)
{
    const sac_captioner_shape *shape = sac_captioner_get_shape(w->captioner);
    const size_t H = (size_t)shape->stack.heads, T = (size_t)plain->count,
                 cells = (size_t)plain->grid_w * (size_t)plain->grid_h;
    float *maps = malloc((H * T * cells + 1) * sizeof *maps);
    sac_status status = SAC_OK;
    for (size_t i = 0; i < w->count && status == SAC_OK; i++) {
        const float *own = maps + i % H * T * cells;
        sac_gaze_scan scan;
        if (i % H == 0)
            status = sac_captioner_head_maps(w->captioner, &(sac_result_request){0}, (int)(i / H),
                                             plain->count, maps, error);
        if (status == SAC_OK)
            status = sac_gaze_scan_begin(&scan, T, plain->grid_w, plain->grid_h, error);
        if (status != SAC_OK)
            break;
        for (size_t t = 0; t < T; t++)
            sac_gaze_scan_map(&scan, own + t * cells);
        w->heads[i] = (sac_gaze_head){.layer = i / H, .head = i % H};
        sac_gaze_scan_finish(&scan, &w->heads[i]);
        sac_gaze_scan_free(&scan);
        w->scores[i] += (double)w->heads[i].score;
        for (int k = 0; k < 2; k++) {
            const int at = find_thing(w, plain, w->things[k]);
            if (at >= 0)
                w->in_regions[i] +=
                    mass_inside(own + (size_t)at * cells, plain->grid_w, &w->look[k]);
            w->words += at >= 0 && i == 0;
        }
    }
    free(maps);
    sac_gaze_heads_rank(w->heads, w->count);
    sac_gaze_heads_choose(w->heads, w->count, 1);
    w->sentences++;
    for (size_t i = 0; i < w->count; i++)
        w->chosen += w->heads[i].is_chosen;
    return status;
}

/* Names those of a protocol; nothing where all are held. */
static void name_heads(work *w, int protocol, char text[SAC_GAZE_HEADS])
{
    const which_heads which = protocols[protocol].heads;
    const size_t count = (size_t)lroundf(protocols[protocol].share * (float)w->count);
    sac_gaze_head *heads = malloc((w->count + 1) * sizeof *heads);
    text[0] = '\0';
    if (which == ALL || !heads) {
        free(heads);
        return;
    }
    memcpy(heads, w->heads, w->count * sizeof *heads);
    for (size_t i = 0; i < count && which == RANDOM; i++) { /* the first ones of a shuffled list */
        w->random = w->random * 1664525u + 1013904223u;
        const size_t k = i + (w->random >> 8) % (w->count - i);
        const sac_gaze_head one = heads[i];
        heads[i] = heads[k];
        heads[k] = one;
    }
    for (size_t i = 0; i < w->count && which != AUTO; i++)
        heads[i].is_chosen = which == WORST ? i + count >= w->count : i < count;
    sac_gaze_heads_write(heads, w->count, text);
    free(heads);
}

/* ---------------------------------------------------------------- sentences */

static void add_sentence(const work *w, const sac_result *held, const sac_result *plain, int word,
                         int other, sums *s)
{
    s->count++;
    s->held += names_first(w, held, word);
    s->other += names_first(w, held, other);
    s->none += find_thing(w, held, -1) < 0;
    s->anywhere += find_thing(w, held, word) >= 0;
    s->plain += names_first(w, plain, word);
}

static sac_status count_held(work *w, int protocol, int thing, const sac_result *plain,
                             sac_error *error)
{
    sac_result_request request = {0};
    sac_result held = {0};
    sums *s = &w->of[protocol][thing];
    const int word = w->things[thing], own = find_thing(w, plain, word);
    place_gaze(w, &w->look[thing], plain->grid_w, &request.gaze);
    if (protocols[protocol].at_peak && own < 0)
        return SAC_OK;
    if (protocols[protocol].at_peak) {
        request.gaze.x = (float)plain->outputs[own].peak_x;
        request.gaze.y = (float)plain->outputs[own].peak_y;
    }
    const int from = protocols[protocol].from_thing ? find_thing(w, plain, -1) : 0;
    for (int t = 0; t < from; t++) /* what is generated before it stays */
        request.prefix[t] = plain->outputs[t].word;
    request.gaze.from = request.prefix_count = from > 0 ? from : 0;
    name_heads(w, protocol, request.gaze.heads);
    sac_status status = sac_captioner_generate(w->captioner, &request, &held, error);
    add_sentence(w, &held, plain, word, w->things[!thing], s);
    if (protocol == 0)
        add_sentence(w, &held, plain, word, w->things[!thing],
                     &w->by_use[10 * w->begins[word] >= w->occurs[word]]);
    sac_result_free(&held);
    return status;
}

static sac_status count_scene(work *w, uint64_t seed, void *scene, sac_error *error)
{
    const sac_captioner_shape *shape = sac_captioner_get_shape(w->captioner);
    sac_image image = {0};
    sac_result plain = {0};
    w->dataset->make(SAC_STREAM_TEST, seed, scene);
    if (!find_things(w, scene))
        return SAC_OK;
    sac_status status = w->dataset->image(scene, shape->side, &image, error);
    if (status == SAC_OK)
        status = sac_captioner_encode_square(w->captioner, &image, error);
    sac_image_free(&image);
    if (status == SAC_OK)
        status = sac_captioner_generate(w->captioner, &(sac_result_request){0}, &plain, error);
    if (status == SAC_OK && w->count)
        status = measure_heads(w, &plain, error);
    for (int k = 0; k < 2 * (w->count ? PROTOCOLS : OF_ALL_MODELS) && status == SAC_OK; k++)
        status = count_held(w, k / 2, k % 2, &plain, error);
    sac_result_free(&plain);
    w->pictures++;
    return status;
}

/* How often each thing begins what the sentences name. False: no memory. */
static bool count_uses(work *w, void *scene)
{
    const size_t words = (size_t)w->dataset->vocabulary;
    w->begins = calloc(2 * words, sizeof *w->begins);
    w->occurs = w->begins ? w->begins + words : NULL;
    for (uint64_t seed = 0; w->begins && seed < GRAMMAR; seed++) {
        int word[SAC_DATASET_WORDS], found = 0;
        w->dataset->make(SAC_STREAM_TRAINING, seed, scene);
        const int count = w->dataset->sentence(scene, word) - 1;
        for (int t = 0; t < count; t++) {
            if (!w->dataset->names_thing(word[t]))
                continue;
            w->occurs[word[t]]++;
            w->begins[word[t]] += !found++;
        }
    }
    return w->begins;
}

/* Each head, and how both numbers go together over all. */
static void print_heads(const work *w)
{
    const double n = w->sentences > 0 ? w->sentences : 1, words = w->words > 0 ? w->words : 1;
    const double count = (double)w->count;
    const int H = sac_captioner_get_shape(w->captioner)->stack.heads;
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    printf("head   score  in the regions of its %d words\n", w->words);
    for (size_t i = 0; i < w->count; i++) {
        const double a = w->scores[i] / n, b = w->in_regions[i] / words;
        printf("%d.%-3d %7.3f %7.3f\n", (int)i / H, (int)i % H, a, b);
        x += a / count;
        y += b / count;
        xx += a * a / count;
        yy += b * b / count;
        xy += a * b / count;
    }
    printf("correlation %.3f; %.1f heads are chosen in the mean\n\n",
           (xy - x * y) / sqrt((xx - x * x) * (yy - y * y)), w->chosen / n);
}

static sac_status run(work *w, const char *path, int pictures, sac_error *error)
{
    sac_device *device;
    sac_model *model = NULL;
    void *scene = NULL;
    sac_status status = sac_device_open(NULL, &device, error);
    if (status != SAC_OK)
        return status;
    status = sac_checkpoint_load(sac_model_find("captioner"), device, path, &model, error);
    w->captioner = (sac_captioner *)model;
    if (status == SAC_OK) {
        const sac_captioner_shape *shape = sac_captioner_get_shape(w->captioner);
        w->dataset = sac_captioner_dataset(shape);
        w->dataset = w->dataset ? w->dataset : sac_dataset_find("book");
        scene = malloc(w->dataset->scene_size);
        w->count = (size_t)(shape->stack.layers * shape->stack.heads);
        w->heads = calloc(w->count + 1, sizeof *w->heads);
        w->scores = calloc(2 * w->count + 1, sizeof *w->scores);
        w->in_regions = w->scores + w->count;
    }
    if (scene && !count_uses(w, scene))
        fprintf(stderr, "out of memory\n");
    for (uint64_t seed = 0; w->begins && seed < LAST && w->pictures < pictures && status == SAC_OK;
         seed++)
        status = count_scene(w, seed, scene, error);
    if (w->count)
        print_heads(w);
    free(w->heads);
    free(w->scores);
    free(w->begins);
    free(scene);
    sac_model_destroy(model);
    sac_device_close(device);
    return status;
}

static void print_row(const char *title, const char *of, const sums *s)
{
    const double n = s->count ? s->count : 1;
    printf("%-48s %-6s %5d %9.3f %6.3f %6.3f %8.3f %6.3f %9.3f\n", title, of, s->count,
           s->plain / n, s->held / n, s->other / n, 1 - (s->held + s->other + s->none) / n,
           s->none / n, s->anywhere / n);
}

int main(int count, char **arguments)
{
    work w = {.radius = count > 3 ? strtof(arguments[3], NULL) : 0};
    sac_error error = {0};
    if (count < 2) {
        fprintf(stderr, "usage: held_gaze WEIGHTS [PICTURES] [RADIUS]\n");
        return 2;
    }
    if (run(&w, arguments[1], count > 2 ? atoi(arguments[2]) : 500, &error) != SAC_OK) {
        fprintf(stderr, "held_gaze: %s: %s\n", error.where, error.what);
        return 1;
    }
    printf("%d pictures with two things; one of both at random is right in half of them\n\n",
           w.pictures);
    printf("%-48s of     count by itself   held  other  another   none  anywhere\n", "held at");
    for (int k = 0; k < 2 * (w.count ? PROTOCOLS : OF_ALL_MODELS); k++)
        print_row(protocols[k / 2].title, k % 2 ? "second" : "first", &w.of[k / 2][k % 2]);
    print_row("the first way, of what seldom begins a sentence", "both", &w.by_use[0]);
    print_row("the first way, of all else", "both", &w.by_use[1]);
    return 0;
}
