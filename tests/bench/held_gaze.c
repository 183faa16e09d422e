/* Does a captioner's sentence name the thing at which it is held? Of pictures of the test stream whose sentence names two
 * things, each is held in turn by a spot at the middle of its largest region: from the first word on, and from the first
 * thing that the sentence names by itself.
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

enum { LAST = 1000000 }; /* scenes that are looked through, at most */

enum { FROM_START, FROM_THING, PROTOCOLS };

/* Sentences by the first thing that they name where it is held, and otherwise. */
typedef struct sums {
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
    int pictures;
} work;

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
    return found == 2 && w->things[0] != w->things[1];
}

/* The place of the first thing that a sentence names; −1: none. */
static int find_first_thing(const work *w, const sac_result *caption)
{
    for (int i = 0; i < caption->count; i++)
        if (w->dataset->names_thing(caption->outputs[i].word))
            return i;
    return -1;
}

static int first_thing(const work *w, const sac_result *caption)
{
    const int at = find_first_thing(w, caption);
    return at < 0 ? -1 : caption->outputs[at].word;
}

static bool names(const sac_result *caption, int word)
{
    for (int i = 0; i < caption->count; i++)
        if (caption->outputs[i].word == word)
            return true;
    return false;
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

static sac_status count_held(work *w, int protocol, int thing, const sac_result *plain,
                             sac_error *error)
{
    sac_result_request request = {0};
    sac_result held = {0};
    sums *s = &w->of[protocol][thing];
    place_gaze(w, &w->look[thing], plain->grid_w, &request.gaze);
    const int from = protocol == FROM_THING ? find_first_thing(w, plain) : 0;
    for (int t = 0; t < from; t++) /* what is generated before it stays */
        request.prefix[t] = plain->outputs[t].word;
    request.gaze.from = request.prefix_count = from > 0 ? from : 0;
    sac_status status = sac_captioner_generate(w->captioner, &request, &held, error);
    const int first = first_thing(w, &held);
    s->held += first == w->things[thing];
    s->other += first == w->things[!thing];
    s->none += first < 0;
    s->anywhere += names(&held, w->things[thing]);
    s->plain += first_thing(w, plain) == w->things[thing];
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
    for (int k = 0; k < 2 * PROTOCOLS && status == SAC_OK; k++)
        status = count_held(w, k / 2, k % 2, &plain, error);
    sac_result_free(&plain);
    w->pictures++;
    return status;
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
        w->dataset = sac_captioner_dataset(sac_captioner_get_shape(w->captioner));
        scene = w->dataset ? malloc(w->dataset->scene_size) : NULL;
        if (!scene)
            fprintf(stderr, "%s: captions no scenes whose truth is known\n", path);
    }
    for (uint64_t seed = 0; scene && seed < LAST && w->pictures < pictures && status == SAC_OK;
         seed++)
        status = count_scene(w, seed, scene, error);
    free(scene);
    sac_model_destroy(model);
    sac_device_close(device);
    return status;
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
    const double n = w.pictures > 0 ? w.pictures : 1;
    printf("%d pictures with two things; of both one at random is right in half of them\n",
           w.pictures);
    printf("held, and from which word on                 by itself   held  other  another   none  "
           "anywhere\n");
    for (int k = 0; k < 2 * PROTOCOLS; k++) {
        const sums *s = &w.of[k / 2][k % 2];
        printf("the %-6s one, from the first %-13s %9.3f %6.3f %6.3f %8.3f %6.3f %9.3f\n",
               k % 2 ? "second" : "first", k / 2 == FROM_THING ? "thing named" : "word",
               s->plain / n, s->held / n, s->other / n, 1 - (s->held + s->other + s->none) / n,
               s->none / n, s->anywhere / n);
    }
    return 0;
}
