/* The picture view: its requests, and its class. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "images/resample.h"
#include "picture/picture_state.h"
#include "view/map.h"
#include "view/words.h"

/* The pointer makes the query, so the key is the cell that the query attends to most: itself only
 * where there is no other. */
static size_t strongest(const picture_view *v, size_t query)
{
    size_t best = query, cells = (size_t)v->grid_w * (size_t)v->grid_h;
    const viz_glide *g = &v->glide;
    if (g->grid_w != v->grid_w || g->grid_h != v->grid_h)
        return query;
    for (size_t i = 0; i < cells; i++)
        if (i != query && (best == query || g->to[i] > g->to[best]))
            best = i;
    return best;
}

static bool picture_subject(const viz_view *view, viz_subject *subject)
{
    const picture_view *v = (const picture_view *)view;
    int x = picture_query_x(v), y = picture_query_y(v);
    size_t query = (size_t)(y * v->grid_w + x);
    subject->picture = (sac_picture_request){.settings = v->settings,
                                             .query_x = x,
                                             .query_y = y,
                                             .hidden = v->hidden_count > 0 ? v->hidden : NULL};
    subject->hidden_count = (size_t)v->grid_w * (size_t)v->grid_h;
    subject->request = (sac_explanation_request){
        .step = query, .position = strongest(v, query), .picture = &subject->picture};
    subject->pointed = v->pointed;
    if (v->pointed && v->held)
        subject->request.position = (size_t)(picture_cell(v->pointer.y, v->grid_h) * v->grid_w +
                                             picture_cell(v->pointer.x, v->grid_w));
    snprintf(subject->query, sizeof subject->query, viz_word("cell (%d, %d)"), x, y);
    snprintf(subject->where, sizeof subject->where, "%s score", sac_score_name(v->settings.score));
    return true;
}

static char *picture_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    size_t width = (size_t)((const picture_view *)view)->grid_w;
    snprintf(text, size, viz_word("cell (%zu, %zu)"), position % width, position / width);
    return text;
}

/* The current query's weights over the picture, as numbers. */
static bool picture_map(const viz_view *view, viz_map *map)
{
    const picture_view *v = (const picture_view *)view;
    const viz_glide *g = &v->glide;
    if (!g->to || g->grid_w != v->grid_w || g->grid_h != v->grid_h ||
        !viz_map_size(map, (size_t)g->grid_h, (size_t)g->grid_w))
        return false;
    memcpy(map->values, g->to, (size_t)(map->rows * map->columns) * sizeof *map->values);
    viz_map_hide(map, v->hidden_count > 0 ? v->hidden : NULL);
    map->image = picture_image(v);
    return true;
}

static viz_rect picture_map_rect(const viz_view *view)
{
    return ((const picture_view *)view)->layout.right;
}

/* ---------------------------------------------------------------- the picture view's table and its jobs */

typedef struct picture_job {
    viz_job base;
    sac_picture_request request;
    uint8_t *hidden; /* a copy, as the person may go on painting; owned */
    sac_picture_result result;
    unsigned revision;
} picture_job;

/* ---------------------------------------------------------------- jobs */

static void job_free(picture_job *job)
{
    sac_picture_result_free(&job->result);
    free(job->hidden);
    free(job);
}

static picture_job *job_create(const picture_view *v, bool rebuild)
{
    size_t cells = (size_t)v->grid_w * (size_t)v->grid_h;
    picture_job *job = viz_job_create(&viz_picture_class, sizeof *job);
    if (!job)
        return NULL;
    job->revision = v->revision;
    job->request = (sac_picture_request){.settings = v->settings,
                                         .query_x = picture_query_x(v),
                                         .query_y = picture_query_y(v),
                                         .rebuild = rebuild};
    if (v->hidden_count > 0) {
        job->hidden = viz_allocate(cells, 1);
        if (!job->hidden) {
            job_free(job);
            return NULL;
        }
        memcpy(job->hidden, v->hidden, cells);
        job->request.hidden = job->hidden;
    }
    return job;
}

/* A query under these settings as one number. */
static uint64_t heat_demand(const picture_view *v)
{
    return ((uint64_t)v->revision << 32) | ((uint64_t)picture_query_y(v) << 16) |
           (uint64_t)picture_query_x(v);
}

/* Heat for the pointer first; while settings change, heat and rebuilt picture take turns. A request
 * that was made is not made again, even where it failed. */
static viz_job *picture_want(viz_view *view)
{
    picture_view *v = picture_of(view);
    bool heat = viz_request_due(&v->heat, heat_demand(v));
    bool rebuild = viz_request_due(&v->rebuild, v->revision);
    if (v->heat.out || v->rebuild.out || (!heat && !rebuild))
        return NULL;
    rebuild = rebuild && (!heat || v->last_was_heat);
    picture_job *job = job_create(v, rebuild);
    if (!job)
        return NULL;
    v->last_was_heat = !rebuild;
    v->asked_at = v->now;
    return rebuild ? viz_request_submit(&v->rebuild, &job->base, v->revision)
                   : viz_request_submit(&v->heat, &job->base, heat_demand(v));
}

static sac_status picture_work(viz_view *view, viz_job *base, sac_error *error)
{
    picture_job *job = viz_job_of(base, &viz_picture_class);
    const sac_source *source = picture_of(view)->source;
    return source->picture.attend(source->self, &job->request, &job->result, error);
}

/* Maps are identical where no weight differs by as much as this. */
#define SAME 1e-6f

static void take_weights(picture_view *v, const picture_job *job)
{
    const sac_picture_result *r = &job->result;
    viz_glide *g = &v->glide;
    bool fresh = g->grid_w != r->grid_w || g->grid_h != r->grid_h;
    if (fresh && !viz_glide_resize(g, r->grid_w, r->grid_h))
        return;
    bool moved = v->shown_x != r->query_x || v->shown_y != r->query_y;
    if (!fresh && moved && v->shown_revision == job->revision) {
        v->identical = true;
        for (int i = 0; i < r->grid_w * r->grid_h; i++)
            v->identical &= fabsf(g->to[i] - r->weights[i]) < SAME;
    }
    /* Sets out for `weights` from whatever is shown; at once where `at_once`. */
    bool at_once = fresh || !v->has_clock;
    size_t bytes = (size_t)g->grid_w * (size_t)g->grid_h * sizeof *r->weights;
    memcpy(g->from, g->now, bytes);
    memcpy(g->to, r->weights, bytes);
    g->start =
        at_once ? v->now - VIZ_GLIDE_SECONDS : v->now - 1.0 / 60; /* the next frame already moves */
    g->moving = true;
    picture_glide_step(g, v->now);
    v->shown_x = r->query_x;
    v->shown_y = r->query_y;
    v->shown_revision = job->revision;
    v->entropy = r->entropy;
    v->heat_ms = r->milliseconds;
    if (r->query_x == picture_query_x(v) && r->query_y == picture_query_y(v))
        picture_seen(v);
}

static void take_rebuilt(picture_view *v, const sac_picture_result *r)
{
    sac_image image = {0};
    if (!r->rebuilt)
        return;
    if (sac_image_create(r->grid_w, r->grid_h, &image, NULL) != SAC_OK) {
        viz_drawing_lacks_memory();
        return;
    }
    for (int i = 0; i < r->grid_w * r->grid_h; i++) {
        for (int c = 0; c < 3; c++)
            image.rgba[4 * i + c] =
                (uint8_t)(255 * fminf(fmaxf(r->rebuilt[3 * i + c], 0), 1) + 0.5f);
        image.rgba[4 * i + 3] = 255;
    }
    sac_image_free(&v->rebuilt);
    v->rebuilt = image;
    v->rebuilt_stamp++;
    v->rebuild_max = r->rebuild_max;
    v->rebuild_ms = r->milliseconds;
}

static void picture_take(viz_view *view, viz_job *base, const sac_error *error)
{
    picture_view *v = picture_of(view);
    picture_job *job = viz_job_of(base, &viz_picture_class);
    bool rebuild = job->request.rebuild;
    viz_request *request = rebuild ? &v->rebuild : &v->heat;
    viz_request *other = rebuild ? &v->heat : &v->rebuild;
    bool worked = viz_request_take(request, error);
    other->problem[0] = '\0'; /* the device's last answer is what counts */
    if (worked && job->result.grid_w == v->grid_w && job->result.grid_h == v->grid_h) {
        if (rebuild)
            take_rebuilt(v, &job->result);
        else
            take_weights(v, job);
    }
    job_free(job);
}

/* ---------------------------------------------------------------- the table */

static int picture_choose_other(viz_view *view)
{
    picture_view *v = picture_of(view);
    int chosen = v->chosen;
    v->chosen = -1;
    return chosen;
}

static void picture_status(const viz_view *view, char *text, size_t size)
{
    const picture_view *v = (const picture_view *)view;
    const sac_origin *origin = &v->source->origin;
    const sac_source *source = v->source;
    const char *slash = strrchr(origin->file, '/');
    const char *name = slash ? slash + 1 : origin->file[0] ? origin->file : source->title;
    char place[32];
    viz_picture_place(source->picture.number, source->picture.count, source->picture.scenes, place,
                      sizeof place);
    int used = snprintf(text, size, viz_word("%s%s%s%d × %d cells"), name, place,
                        place[0]  ? "  ·  "
                        : name[0] ? ", "
                                  : "",
                        v->grid_w, v->grid_h);
    if (origin->device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", origin->device);
    if (v->heat_ms > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.*f ms", v->heat_ms < 1 ? 2 : 1,
                 v->heat_ms);
}

static void picture_destroy(viz_view *view)
{
    picture_view *v = picture_of(view);
    free(v->hidden);
    viz_glide_free(&v->glide);
    viz_gaze_free(&v->gaze);
    sac_image_free(&v->shrunk);
    sac_image_free(&v->rebuilt);
    viz_scaled_free(&v->picture_kept);
    viz_scaled_free(&v->rebuilt_kept);
    free(v);
}

static bool picture_accepts(const sac_source *source)
{
    return source->picture.attend && source->picture.image;
}

const viz_view_class viz_picture_class = {
    .name = "picture",
    .tab = "Picture",
    .is_place = true,
    .accepts = picture_accepts,
    .create = viz_picture_view_create,
    .draw = picture_draw,
    .figure = picture_draw_figure,
    .figure_height = picture_figure_height,
    .event = picture_event,
    .tick = picture_tick,
    .want = picture_want,
    .work = picture_work,
    .take = picture_take,
    .choose = picture_choose_other,
    .status = picture_status,
    .settings = {picture_settings},
    .map = picture_map,
    .map_rect = picture_map_rect,
    .subject = picture_subject,
    .key_name = picture_key_name,
    .keys = picture_keys,
    .spots = picture_spots,
    .about = "A picture that attends to itself: which cells look like the one you point at.",
    .frames = picture_frames,
    .frame = picture_frame,
    .destroy = picture_destroy,
};

/* Photographs of many megapixels would make every resize of the window wait. */
#define MOST_PIXELS 2560

sac_status viz_picture_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                   sac_error *error)
{
    picture_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "picture view");
    v->base.class = &viz_picture_class;
    v->base.source = source;
    v->source = source;
    v->settings = sac_picture_defaults();
    v->style = (viz_heat_style){.map = VIZ_INFERNO, VIZ_HEAT_DEFAULTS};
    v->revision = 1;
    v->may_wander = true;
    v->speed = 1;
    v->shown_x = v->shown_y = v->chosen = -1;
    v->wanted = source->picture.number;
    const sac_image *image = source->picture.image;
    int longer = image->width > image->height ? image->width : image->height, w, h;
    sac_status status = SAC_OK;
    if (longer > MOST_PIXELS) {
        sac_picture_grid(image->width, image->height, MOST_PIXELS, &w, &h);
        status = sac_image_scale(image, w, h, true, &v->shrunk, error);
    }
    if (status == SAC_OK)
        picture_regrid(v);
    if (status == SAC_OK && !v->hidden)
        status = sac_no_memory(error, "picture view");
    if (status != SAC_OK) {
        viz_view_destroy(&v->base);
        return status;
    }
    int x, y;
    viz_gaze_first(&v->gaze, &x, &y);
    viz_picture_view_look(&v->base, x, y);
    *view = &v->base;
    return SAC_OK;
}

void viz_picture_view_query(const viz_view *view, int *x, int *y)
{
    *x = picture_query_x((const picture_view *)view);
    *y = picture_query_y((const picture_view *)view);
}
