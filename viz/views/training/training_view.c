/* The training view's table, its looks at the training, and what they change. */
#include "training/training_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "training/training_state.h"
#include "view/settings.h"

/* One look. */
typedef struct training_job {
    viz_job base;
    size_t step; /* that was seen last; none is as large as the first one's */
    sac_training_snapshot state;
    bool changed, ended;
} training_job;

/* ---------------------------------------------------------------- jobs */

/* Headless there is one look; a window looks again and again until the training has ended. */
static viz_job *training_want(viz_view *view)
{
    training_view *v = training_of(view);
    bool due =
        v->player.has_clock && !v->ended && v->player.now - v->looked_at >= TRAINING_LOOK_SECONDS;
    if (v->request.out || (v->looked && !due))
        return NULL;
    training_job *job = viz_job_create(&viz_training_class, sizeof *job);
    if (!job)
        return NULL;
    job->step = v->looked ? v->state.step : SIZE_MAX;
    return viz_request_submit(&v->request, &job->base, 0);
}

/* The end is asked for first: if the training has ended, the snapshot taken after it is the last.
 */
static sac_status training_work(viz_view *view, viz_job *base, sac_error *error)
{
    training_job *job = viz_job_of(base, &viz_training_class);
    sac_source *source = training_of(view)->source;
    job->ended = source->training.ended(source->self);
    return source->training.look(source->self, job->step, &job->state, &job->changed, error);
}

static bool same_image(const sac_image *a, const sac_image *b)
{
    return a->width == b->width && a->height == b->height && a->rgba && b->rgba &&
           memcmp(a->rgba, b->rgba, 4 * (size_t)a->width * (size_t)a->height) == 0;
}

static bool same_caption(const sac_caption *a, const sac_caption *b)
{
    size_t cells = (size_t)a->grid_w * (size_t)a->grid_h;
    return a->count == b->count && a->grid_w == b->grid_w && a->grid_h == b->grid_h &&
           memcmp(a->words, b->words, sizeof a->words) == 0 &&
           (a->count == 0 ||
            memcmp(a->weights, b->weights, (size_t)a->count * cells * sizeof *a->weights) == 0);
}

/* The heat sets out for what is said now from what was said before. */
static void take_state(training_view *v, training_job *job)
{
    sac_training_snapshot before = v->state;
    v->state = job->state;
    job->state = before;
    if (v->state.pictures > TRAINING_PICTURES)
        v->state.pictures = TRAINING_PICTURES;
    int longest = training_longest(v);
    if (!v->player.has_clock && !v->held)
        v->player.step = longest > 0 ? longest - 1 : 0;
    for (int i = 0; i < v->state.pictures; i++) {
        training_picture *p = &v->picture[i];
        p->stamp += !same_image(&before.picture[i].image, &v->state.picture[i].image);
        if (!same_caption(&before.picture[i].caption, &v->state.picture[i].caption))
            training_glide_to(v, i);
        training_judge(p, v->state.picture[i].truth, &v->state.picture[i].caption);
    }
}

static void training_take(viz_view *view, viz_job *base, const sac_error *error)
{
    training_view *v = training_of(view);
    training_job *job = viz_job_of(base, &viz_training_class);
    bool worked = viz_request_take(&v->request, error);
    v->looked = true;
    v->looked_at = v->player.now;
    if (worked)
        v->ended = job->ended;
    if (worked && job->changed)
        take_state(v, job);
    sac_training_snapshot_free(&job->state);
    free(job);
}

/* ---------------------------------------------------------------- origin */

static void tell_steps(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    viz_put_whole(put, user, s->name,
                  (long long)(!strcmp(s->name, "step") ? state->step : state->steps));
}

static void tell_loss(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    if (state->points > 0)
        viz_put_real(put, user, s->name, (double)state->loss[state->points - 1]);
}

static void tell_exact(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    size_t measured;
    float exact = training_exact(&((const training_view *)view)->state, &measured);
    if (isfinite(exact))
        viz_put_real(put, user, s->name, (double)exact);
}

static void set_word(viz_view *view, const viz_setting *s, double word)
{
    training_view *v = training_of(view);
    (void)s;
    v->player.step = (int)word;
    v->held = true;
    for (int i = 0; i < v->state.pictures; i++)
        training_glide_to(v, i);
}

#define IN(member) offsetof(training_view, member)

static const viz_setting training_settings[] = {
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"step", .tell = tell_steps},
    {"steps", .tell = tell_steps},
    {"loss", .tell = tell_loss},
    {"exact", .tell = tell_exact},
    {"word", VIZ_WHOLE, IN(player.step), 0, SAC_MAX_TOKENS - 1, .set = set_word},
    {"playing", VIZ_SWITCH, IN(player.playing), VIZ_NAMES(viz_no_yes)},
    VIZ_STYLE_SETTINGS(training_view, style, false),
    {0},
};

/* ---------------------------------------------------------------- the table */

static void training_status(const viz_view *view, char *text, size_t size)
{
    const training_view *v = (const training_view *)view;
    const sac_training_snapshot *s = &v->state;
    const char *model = v->source->title;
    const char *between = v->source->origin.device[0] ? "  ·  " : "",
               *device = v->source->origin.device;
    if (!v->ended)
        snprintf(text, size, "training the %s%s%s", model, between, device);
    else if (s->step == s->steps)
        snprintf(text, size, "the %s is trained%s%s", model, between, device);
    else
        snprintf(text, size, "the training was stopped%s%s", between, device);
}

static void training_destroy(viz_view *view)
{
    training_view *v = training_of(view);
    for (int i = 0; i < TRAINING_PICTURES; i++) {
        viz_glide_free(&v->picture[i].glide);
        viz_scaled_free(&v->picture[i].kept);
    }
    sac_training_snapshot_free(&v->state);
    free(v);
}

static const viz_key_help training_keys[] = {
    {"space", "hold the words, or go on"},
    {"←  →", "the word before, the next"},
    {"Home  End", "the first word, the last"},
    {"click", "hold a word"},
    {"[  ]", "less, more heat"},
    {"O", "heat, spotlight, contours"},
    {"M", "the next colour map"},
    {"B", "blocky or smooth"},
    {"Q", "close: the training goes on"},
    {NULL, NULL},
};

static bool training_accepts(const sac_source *source)
{
    return source->training.look;
}

static sac_status training_create(sac_source *source, viz_view *beside, viz_view **view,
                                  sac_error *error)
{
    (void)beside;
    return viz_training_view_create(source, view, error);
}

const viz_view_class viz_training_class = {
    .name = "training",
    .tab = "Training",
    .is_live = true,
    .accepts = training_accepts,
    .create = training_create,
    .draw = training_draw,
    .event = training_event,
    .tick = training_tick,
    .want = training_want,
    .work = training_work,
    .take = training_take,
    .status = training_status,
    .settings = {training_settings},
    .keys = training_keys,
    .spots = training_spots,
    .about = "The training: what the captioner says now, and how it learns.",
    .frames = training_frames,
    .frame = training_frame,
    .destroy = training_destroy,
};

sac_status viz_training_view_create(sac_source *source, viz_view **view, sac_error *error)
{
    training_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_fail(error, SAC_E_MEMORY, "training view", NULL, "no memory");
    v->base.class = &viz_training_class;
    v->base.source = source;
    v->source = source;
    v->player = (viz_player){.step_seconds = TRAINING_WORD_SECONDS,
                             .rest_seconds = TRAINING_REST_SECONDS,
                             .speed = 1,
                             .loops = true,
                             .playing = true};
    v->style = (viz_heat_style){.map = VIZ_INFERNO, .opacity = VIZ_HEAT_OPACITY};
    *view = &v->base;
    return SAC_OK;
}
