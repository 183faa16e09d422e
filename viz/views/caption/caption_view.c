/* The caption view's table, its jobs, and what their results change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caption/caption_state.h"

/* A sentence, of this picture or of another one. */
typedef struct caption_job {
    viz_job base;
    sac_caption_request request;
    uint8_t *hidden; /* a copy, as the person may go on painting; owned */
    bool turns;      /* to another picture first */
    int picture;
    bool turned;         /* that worked … */
    caption_scene scene; /* … and this is what it turned to */
    sac_caption caption;
    bool asks;         /* or whether it matters where … */
    int word;          /* … this word … */
    sac_caption said;  /* … of a copy of what was said … */
    sac_causal answer; /* … looked */
} caption_job;

/* ---------------------------------------------------------------- the picture */

static size_t cell_count(const caption_view *v)
{
    return (size_t)v->source->picture.grid_w * (size_t)v->source->picture.grid_h;
}

static void scene_free(caption_scene *scene)
{
    sac_image_free(&scene->image);
    *scene = (caption_scene){0};
}

/* A copy of what the source has open now. */
static sac_status scene_copy(const sac_source *source, caption_scene *scene, sac_error *error)
{
    const sac_image *image = source->picture.image;
    *scene = (caption_scene){.origin = source->origin,
                             .has_truth = source->speaker.has_truth,
                             .scenes = source->picture.scenes,
                             .truth = source->speaker.truth,
                             .pictures = source->picture.count,
                             .picture = source->picture.number};
    memcpy(scene->title, source->title, sizeof scene->title);
    memcpy(scene->note, source->note, sizeof scene->note);
    memcpy(scene->file, source->weights.opened.image_file, sizeof scene->file);
    sac_status status = sac_image_create(image->width, image->height, &scene->image, error);
    if (status == SAC_OK)
        memcpy(scene->image.rgba, image->rgba, 4 * (size_t)image->width * (size_t)image->height);
    return status;
}

void caption_judge(caption_view *v)
{
    char said[SAC_MAX_TOKENS * sizeof v->caption.words->text + 1];
    memset(v->marks, 0, sizeof v->marks);
    v->right = false;
    const caption_scene *scene = &v->scene;
    if (!scene->has_truth || !v->caption.count)
        return;
    sac_caption_judge(&v->caption, &scene->truth, v->marks);
    v->right = scene->truth.by_name ||
               !strcmp(sac_caption_text(&v->caption, said, sizeof said), scene->truth.caption);
}

/* Another picture: what was asked of the one before it ends with it, unless it belongs to this. */
static void take_scene(caption_view *v, caption_job *job)
{
    unsigned stamp = v->scene.stamp + 1;
    scene_free(&v->scene);
    v->scene = job->scene;
    job->scene = (caption_scene){0};
    v->scene.stamp = stamp;
    sac_caption_free(&v->caption);
    viz_glide_free(&v->glide);
    if (v->keeps_edits)
        return;
    v->matters = (caption_matters){0};
    memset(v->hidden, 0, cell_count(v));
    v->prefix = (viz_prefix){0};
    v->hidden_count = 0;
    v->scale_end = 0;
    v->fresh = true;
    v->player.step = 0;
}

/* ---------------------------------------------------------------- jobs */

static void job_free(caption_job *job)
{
    sac_caption_free(&job->caption);
    sac_caption_free(&job->said);
    free(job->hidden);
    scene_free(&job->scene);
    free(job);
}

static caption_job *job_create(const caption_view *v)
{
    caption_job *job = viz_job_create(&viz_caption_class, sizeof *job);
    if (!job)
        return NULL;
    job->turns = v->wanted_picture != v->scene.picture;
    job->picture = v->wanted_picture;
    bool edits = !job->turns || v->keeps_edits;
    if (edits && v->hidden_count > 0 && !(job->hidden = viz_allocate(cell_count(v), 1))) {
        job_free(job);
        return NULL;
    }
    if (job->hidden)
        memcpy(job->hidden, v->hidden, cell_count(v));
    job->request = (sac_caption_request){.model = v->model,
                                         .temperature = v->temperature,
                                         .beam = v->beam,
                                         .layer = v->layer,
                                         .head = v->head,
                                         .hidden = job->hidden};
    if (edits)
        viz_prefix_ask(&v->prefix, &job->request);
    return job;
}

/* The same request as the sentence's that is asked about, and the sentence. */
static caption_job *ask_create(const caption_view *v)
{
    const sac_caption *said = &v->caption;
    caption_job *job = job_create(v);
    if (!job)
        return NULL;
    size_t floats = (size_t)said->count * (size_t)said->grid_w * (size_t)said->grid_h;
    job->asks = true;
    job->word = caption_word_of(v);
    job->said = *said;
    job->said.positions = NULL;
    job->said.weights = viz_allocate(floats, sizeof *said->weights);
    if (!job->said.weights) {
        job_free(job);
        return NULL;
    }
    memcpy(job->said.weights, said->weights, floats * sizeof *said->weights);
    return job;
}

/* A request that was made is not made again, even where it failed. */
static viz_job *caption_want(viz_view *view)
{
    caption_view *v = caption_of(view);
    bool turns = v->wanted_picture != v->scene.picture;
    bool speaks = turns || viz_request_due(&v->request, v->revision);
    if (v->request.out || (!speaks && !caption_matters_due(v)))
        return NULL;
    caption_job *job = speaks ? job_create(v) : ask_create(v);
    return job ? viz_request_submit(&v->request, &job->base, v->revision) : NULL;
}

static sac_status caption_work(viz_view *view, viz_job *base, sac_error *error)
{
    caption_job *job = viz_job_of(base, &viz_caption_class);
    const caption_view *v = caption_of(view);
    sac_source *source = v->source;
    sac_status status = SAC_OK;
    if (job->asks)
        return sac_causal_ask(&(sac_speaker){source->speaker.speak, source->self}, &job->request,
                              &job->said, job->word, (uint32_t)job->word, &job->answer, error);
    if (job->turns) {
        status = source->picture.turn(source, job->picture, error);
        if (status == SAC_OK)
            status = scene_copy(source, &job->scene, error);
        job->turned = status == SAC_OK;
    }
    if (status == SAC_OK)
        status = source->speaker.speak(source->self, &job->request, &job->caption, error);
    return status;
}

static void take_caption(caption_view *v, caption_job *job)
{
    sac_caption_free(&v->caption);
    v->caption = job->caption;
    job->caption = (sac_caption){0};
    v->scale_end = fmaxf(v->scale_end, v->caption.max_weight);
    caption_judge(v);
}

/* Finds the word that is current in the new sentence. */
static void find_word(caption_view *v)
{
    int words = v->caption.count;
    int last = words > 0 ? words - 1 : 0, word = v->player.step < last ? v->player.step : last;
    if (v->fresh) { /* a window begins to speak; a still shows all that was said */
        word = v->player.has_clock ? 0 : last;
        v->player.playing = v->player.has_clock && words > 0;
        v->fresh = !v->player.has_clock;
    }
    viz_player_rest_at(&v->player, word);
}

/* A picture that could not be turned to is not asked for again. */
static void give_up_turn(caption_view *v, const caption_job *job)
{
    if (!job->turns || job->turned)
        return;
    v->failed_picture = job->picture;
    v->wanted_picture = v->scene.picture;
}

/* An answer to a demand of before is none to that of now. */
static void take_answer(caption_view *v, caption_job *job, const sac_error *error)
{
    bool worked = viz_request_take(&v->request, error);
    if (!worked)
        v->matters = (caption_matters){0};
    else if (v->matters.on && v->request.demand == v->revision)
        caption_matters_take(v, job->word, &job->answer);
    job_free(job);
}

static void caption_take(viz_view *view, viz_job *base, const sac_error *error)
{
    caption_view *v = caption_of(view);
    caption_job *job = viz_job_of(base, &viz_caption_class);
    if (job->asks) {
        take_answer(v, job, error);
        return;
    }
    v->list.open = false;
    if (job->turned)
        take_scene(v, job);
    if (!viz_request_take(&v->request, error))
        give_up_turn(v, job);
    if (!error)
        take_caption(v, job);
    if (!error || job->turned)
        find_word(v);
    caption_glide_to(v);
    job_free(job);
}

/* ---------------------------------------------------------------- the table */

static void caption_status(const viz_view *view, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    const caption_scene *scene = &v->scene;
    char place[32];
    double ms = v->caption.milliseconds;
    int used = snprintf(
        text, size, "%s%s", scene->title,
        viz_picture_place(scene->picture, scene->pictures, scene->scenes, place, sizeof place));
    if (scene->origin.device[0] && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", scene->origin.device);
    if (ms > 0 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", ms);
}

static bool caption_typing(const viz_view *view)
{
    return ((const caption_view *)view)->list.open;
}

static bool caption_whole(const viz_view *view)
{
    return ((const caption_view *)view)->figure;
}

static void caption_destroy(viz_view *view)
{
    caption_view *v = caption_of(view);
    sac_caption_free(&v->caption);
    viz_glide_free(&v->glide);
    scene_free(&v->scene);
    viz_scaled_free(&v->picture_kept);
    viz_scaled_free(&v->thumb_kept);
    free(v->hidden);
    free(v->hidden_before);
    free(v);
}

static const viz_key_row caption_keys[] = {
    {"space", "play, or rest"},
    {"←  →", "step by words"},
    {"Home  End", "first word, last"},
    {"+  −", "faster, slower"},
    {"Y", "begin again, or not"},
    {"N  P", "next picture, back"},
    {"T", "the truth"},
    {"C", "compare models"},
    {"D", "does it matter where it looked?"},
    {"G", "the next model"},
    {"E", "temperature up (shift: down)"},
    {"W", "wider beam (shift: narrower)"},
    {"↑  ↓", "layer alone, or the mean"},
    {"R", "one head alone (shift: back)"},
    {"Return", "another word here"},
    {"shift drag", "hide a rectangle of cells"},
    {"right drag", "hide cells"},
    {"H", "hide with the left"},
    {"U", "show all cells"},
    {"F", "all in one figure"},
    {"[  ]", "less, more heat"},
    {"L", "scale: per map, shared, square root, logarithmic, fixed"},
    {"O", "the next overlay"},
    {"M", "next colour map"},
    {"B", "blocky or smooth"},
    {NULL, NULL},
};

static bool caption_accepts(const sac_source *source)
{
    return source->speaker.speak && source->picture.image;
}

static sac_status caption_create(sac_source *source, viz_view *beside, viz_view **view,
                                 sac_error *error)
{
    (void)beside;
    return viz_caption_view_create(source, view, error);
}

static const char *const caption_hints[VIZ_HINTS] = {
    "Click the current word, and another one is said there.",
    "Drag over the picture with the right button: cells are hidden from the model.",
    "N turns to the next picture, ctrl O opens yours, ? lists every key.",
};

const viz_view_class viz_caption_class = {
    .name = "caption",
    .tab = "Caption",
    .accepts = caption_accepts,
    .create = caption_create,
    .draw = caption_draw,
    .event = caption_event,
    .tick = caption_tick,
    .want = caption_want,
    .work = caption_work,
    .take = caption_take,
    .status = caption_status,
    .settings = {caption_settings},
    .map = caption_map,
    .map_rect = caption_map_rect,
    .follow = caption_follow,
    .speaks = true,
    .subject = caption_subject,
    .key_name = caption_key_name,
    .table = caption_table,
    .table_name = caption_table_name,
    .table_row = caption_table_row,
    .keys = caption_keys,
    .spots = caption_spots,
    .hints = caption_hints,
    .about = "A caption word by word, and where in the picture each word looks.",
    .typing = caption_typing,
    .whole = caption_whole,
    .frames = caption_frames,
    .frame = caption_frame,
    .destroy = caption_destroy,
};

static sac_status open_source(caption_view *v, sac_source *source, sac_error *error)
{
    v->source = source;
    v->beam = sac_source_beam(source);
    v->hidden = viz_allocate(cell_count(v), 1);
    v->hidden_before = viz_allocate(cell_count(v), 1);
    if (!v->hidden || !v->hidden_before)
        return sac_no_memory(error, "caption view");
    return scene_copy(source, &v->scene, error);
}

sac_status viz_caption_view_create(sac_source *source, viz_view **view, sac_error *error)
{
    caption_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_no_memory(error, "caption view");
    v->base.class = &viz_caption_class;
    v->base.source = source;
    v->temperature = 1;
    v->player =
        (viz_player){.step_seconds = WORD_SECONDS, .rest_seconds = REST_SECONDS, .speed = 1};
    v->revision = 1;
    v->fresh = true;
    v->cell_word = v->failed_picture = -1;
    v->style = (viz_heat_style){.map = VIZ_INFERNO, .opacity = VIZ_HEAT_OPACITY};
    v->scale = VIZ_ROOT;
    sac_status status = open_source(v, source, error);
    v->wanted_picture = v->scene.picture;
    if (status == SAC_OK)
        *view = &v->base;
    else
        viz_view_destroy(&v->base);
    return status;
}
