/* The caption view's table, its jobs, and what their results change. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "caption/caption_state.h"
#include "view/map.h"
#include "view/words.h"

/* A sentence, of this picture or of another one. */
typedef struct caption_job {
    viz_job base;
    sac_result_request request;
    uint8_t *hidden; /* a copy, as the person may go on painting; owned */
    bool turns;      /* to another picture first */
    int picture;
    int pictures;   /* how many there are once it has run: a sound's next piece is known then */
    bool elsewhere; /* another model has to open it */
    bool turned;    /* that worked … */
    caption_scene scene; /* … and this is the picture opened */
    sac_result caption;
    bool asks;            /* or whether it matters where … */
    int word;             /* … this word … */
    sac_result of_scaled; /* … of a copy of the generated caption … */
    sac_causal answer;    /* … looked */
} caption_job;

/* ---------------------------------------------------------------- the picture */

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
    sac_source_shown_note(source, scene->note, sizeof scene->note);
    memcpy(scene->file, source->weights.opened.image_file, sizeof scene->file);
    sac_status status = sac_image_create(image->width, image->height, &scene->image, error);
    if (status == SAC_OK)
        memcpy(scene->image.rgba, image->rgba, 4 * (size_t)image->width * (size_t)image->height);
    return status;
}

void caption_judge(caption_view *v)
{
    char of_scaled[SAC_MAX_TOKENS * sizeof v->g.caption.outputs->text + 1];
    memset(v->marks, 0, sizeof v->marks);
    v->right = false;
    const caption_scene *scene = &v->scene;
    if (!scene->has_truth || !v->g.caption.count)
        return;
    sac_caption_judge(&v->g.caption, &scene->truth, v->marks);
    v->right =
        scene->truth.by_name ||
        !strcmp(sac_result_text(&v->g.caption, of_scaled, sizeof of_scaled), scene->truth.caption);
}

/* Another picture: what was asked of the one before it ends with it, unless it belongs to this. */
static void take_scene(caption_view *v, caption_job *job)
{
    unsigned stamp = v->scene.stamp + 1;
    scene_free(&v->scene);
    v->scene = job->scene;
    job->scene = (caption_scene){0};
    v->scene.stamp = stamp;
    sac_result_free(&v->g.caption);
    viz_glide_free(&v->glide);
    if (v->keeps_edits)
        return;
    v->matters = (caption_matters){0};
    v->unasked.count = 0;
    memset(v->hidden, 0, caption_cells(v));
    v->g.prefix = (viz_prefix){0};
    v->hidden_count = 0;
    v->scale_end = 0;
    v->g.fresh = true;
    v->g.player.step = 0;
    if (v->demo.state == DEMO_TURNS)
        caption_introduce(&v->g.base);
}

/* ---------------------------------------------------------------- jobs */

static void job_free(caption_job *job)
{
    sac_result_free(&job->caption);
    sac_result_free(&job->of_scaled);
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
    if (edits && v->hidden_count > 0 && !(job->hidden = viz_allocate(caption_cells(v), 1))) {
        job_free(job);
        return NULL;
    }
    if (job->hidden)
        memcpy(job->hidden, v->hidden, caption_cells(v));
    job->request = viz_generation_ask(&v->g);
    job->request.layer = v->layer;
    job->request.head = v->head;
    job->request.no_sinks = v->no_sinks;
    job->request.attribution = v->attribution;
    job->request.hidden = job->hidden;
    if (!edits)
        job->request.prefix_count = 0;
    return job;
}

/* The same request as the sentence's that is asked about, and the sentence. */
static caption_job *ask_create(const caption_view *v)
{
    const sac_result *of_scaled = &v->g.caption;
    caption_job *job = job_create(v);
    if (!job)
        return NULL;
    size_t floats =
        (size_t)of_scaled->count * (size_t)of_scaled->grid_w * (size_t)of_scaled->grid_h;
    job->asks = true;
    job->word = viz_generation_word(&v->g);
    job->of_scaled = *of_scaled;
    job->of_scaled.positions = NULL;
    job->of_scaled.weights = viz_allocate(floats, sizeof *of_scaled->weights);
    if (!job->of_scaled.weights) {
        job_free(job);
        return NULL;
    }
    memcpy(job->of_scaled.weights, of_scaled->weights, floats * sizeof *of_scaled->weights);
    return job;
}

/* A request that was made is not made again, even where it failed. */
static viz_job *caption_want(viz_view *view)
{
    caption_view *v = caption_of(view);
    bool turns = v->wanted_picture != v->scene.picture;
    bool generates = turns || viz_request_due(&v->g.request, v->g.revision);
    if (v->g.request.out || (!generates && !caption_matters_due(v)))
        return NULL;
    caption_job *job = generates ? job_create(v) : ask_create(v);
    return job ? viz_request_submit(&v->g.request, &job->base, v->g.revision) : NULL;
}

static sac_status caption_work(viz_view *view, viz_job *base, sac_error *error)
{
    caption_job *job = viz_job_of(base, &viz_caption_class);
    const caption_view *v = caption_of(view);
    sac_source *source = v->g.source;
    sac_status status = SAC_OK;
    if (job->asks)
        return sac_causal_ask(source, &job->request, &job->of_scaled, job->word,
                              (uint32_t)job->word, &job->answer, error);
    if (job->turns) {
        status = sac_source_turn(source, job->picture, error);
        if (status == SAC_OK)
            status = scene_copy(source, &job->scene, error);
        job->turned = status == SAC_OK;
        job->elsewhere = source->picture.elsewhere;
    }
    if (status == SAC_OK)
        status = sac_source_generate(source, &job->request, &job->caption, error);
    job->pictures = source->picture.count;
    return status;
}

/* An answer to a demand of before is none to that of now. */
static void take_answer(caption_view *v, caption_job *job, const sac_error *error)
{
    bool worked = viz_request_take(&v->g.request, error);
    if (!worked)
        v->matters = (caption_matters){0};
    else if (v->matters.on && v->g.request.demand == v->g.revision)
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
    v->g.list.open = false;
    if (job->turned)
        take_scene(v, job);
    if (job->elsewhere) {
        viz_request_take(&v->g.request, NULL);
        v->chosen_picture = job->picture;
        v->wanted_picture = v->scene.picture;
        job_free(job);
        return;
    }
    if (!viz_request_take(&v->g.request, error) && job->turns && !job->turned) {
        v->failed_picture = job->picture; /* it is not requested again */
        v->wanted_picture = v->scene.picture;
    }
    if (!error) {
        v->scene.pictures = job->pictures;
        viz_generation_take(&v->g, &job->caption);
        v->scale_end = fmaxf(v->scale_end, v->g.caption.max_weight);
        caption_changes_take(v, job->hidden || job->request.prefix_count > 0);
        caption_judge(v);
    }
    if (!error || job->turned)
        viz_generation_find_word(&v->g);
    caption_glide_to(view);
    job_free(job);
}

/* ---------------------------------------------------------------- the class */

static bool caption_subject(const viz_view *view, viz_subject *subject)
{
    const caption_view *v = (const caption_view *)view;
    const sac_result *caption = &v->g.caption;
    const sac_source *source = v->g.source;
    int word = v->pointed && v->cell_word >= 0 ? v->cell_word : viz_generation_word(&v->g);
    word = word >= 0 ? word : v->g.player.step; /* nothing was generated yet: a saved picture */
    subject->caption = viz_generation_ask(&v->g);
    subject->caption.layer = v->layer;
    subject->caption.no_sinks = v->no_sinks;
    subject->caption.attribution = v->attribution;
    subject->caption.head = v->head;
    subject->caption.hidden = v->hidden_count > 0 ? v->hidden : NULL;
    subject->hidden_count = caption_cells(v);
    subject->request.caption = &subject->caption;
    subject->pointed = v->pointed;
    subject->request.step = (size_t)word;
    snprintf(subject->query, sizeof subject->query, viz_word("word %d"), word + 1);
    if (word < caption->count) {
        const sac_result_output *w = &caption->outputs[word];
        snprintf(subject->query, sizeof subject->query, "“%s”", w->text);
        subject->request.position = (size_t)(w->peak_y * source->picture.grid_w + w->peak_x);
    }
    if (v->pointed)
        subject->request.position = (size_t)(v->cell_y * source->picture.grid_w + v->cell_x);
    snprintf(subject->where, sizeof subject->where, viz_word("%s attention"),
             source->speaker.model[v->g.model]);
    return true;
}

static char *caption_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    size_t width = (size_t)v->g.source->picture.grid_w;
    snprintf(text, size, viz_word("cell (%zu, %zu)"), position % width, position / width);
    return text;
}

static bool caption_map(const viz_view *view, viz_map *map)
{
    const caption_view *v = (const caption_view *)view;
    int word = viz_generation_word(&v->g);
    const sac_result *caption = &v->g.caption;
    if (word < 0 || !v->scene.image.rgba ||
        !viz_map_size(map, (size_t)caption->grid_h, (size_t)caption->grid_w))
        return false;
    size_t cells = (size_t)(map->rows * map->columns);
    memcpy(map->values, caption->weights + (size_t)word * cells, cells * sizeof *map->values);
    bool own =
        v->g.source->picture.grid_w == map->columns && v->g.source->picture.grid_h == map->rows;
    viz_map_hide(map, v->hidden_count > 0 && own ? v->hidden : NULL);
    map->image = &v->scene.image;
    return true;
}

static viz_rect caption_map_rect(const viz_view *view)
{
    return ((const caption_view *)view)->layout.main.picture;
}

static char *caption_table_name(const viz_view *view, bool of_row, size_t index, char *text,
                                size_t size)
{
    const caption_view *v = (const caption_view *)view;
    if (!of_row)
        return caption_key_name(view, index, text, size);
    snprintf(text, size, "%s", v->g.caption.outputs[index].text);
    return text;
}

/* ---------------------------------------------------------------- the table */

static void caption_status(const viz_view *view, char *text, size_t size)
{
    const caption_view *v = (const caption_view *)view;
    const caption_scene *scene = &v->scene;
    char place[32];
    double ms = v->g.caption.milliseconds;
    int used = snprintf(
        text, size, "%s%s", scene->title,
        viz_picture_place(scene->picture, scene->pictures, scene->scenes, place, sizeof place));
    if (scene->origin.device[0] && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", scene->origin.device);
    if (v->g.caption.language_probability > 0 && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, viz_word("  ·  language %s, %.0f %%"),
                         v->g.caption.language, 100 * (double)v->g.caption.language_probability);
    else if (v->g.caption.language[0] && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, viz_word("  ·  language %s"),
                         v->g.caption.language);
    if (ms > 0 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.1f ms", ms);
}

static int caption_choose(viz_view *view)
{
    caption_view *v = caption_of(view);
    int chosen = v->chosen_picture;
    v->chosen_picture = -1;
    return chosen;
}

static bool caption_typing(const viz_view *view)
{
    return ((const caption_view *)view)->g.list.open;
}

static void caption_destroy(viz_view *view)
{
    caption_view *v = caption_of(view);
    sac_result_free(&v->g.caption);
    viz_glide_free(&v->glide);
    scene_free(&v->scene);
    viz_scaled_free(&v->picture_kept);
    viz_scaled_free(&v->thumb_kept);
    free(v->hidden);
    free(v->hidden_before);
    free(v);
}

static bool caption_accepts(const sac_source *source)
{
    return source->speaker.generate && source->speaker.outputs == SAC_OUTPUT_WORDS &&
           source->picture.image;
}

static const char *const caption_hints[VIZ_HINTS] = {
    "Click the current word to put another one there.",
    "Drag over the picture with the right button: cells are hidden from the model.",
    "N turns to the next picture, ctrl O opens yours, ? lists every key.",
};

const viz_view_class viz_caption_class = {
    .name = "caption",
    .tab = "Caption",
    .is_place = true,
    .accepts = caption_accepts,
    .create = viz_caption_view_create,
    .draw = caption_draw,
    .event = caption_event,
    .tick = caption_tick,
    .want = caption_want,
    .work = caption_work,
    .take = caption_take,
    .choose = caption_choose,
    .status = caption_status,
    .settings = {caption_settings},
    .map = caption_map,
    .map_rect = caption_map_rect,
    .follow = caption_follow,
    .introduce = caption_introduce,
    .other = viz_generation_other,
    .subject = caption_subject,
    .key_name = caption_key_name,
    .table = viz_generation_table,
    .table_name = caption_table_name,
    .table_row = viz_generation_table_row,
    .keys = caption_keys,
    .spots = caption_spots,
    .hints = caption_hints,
    .about = "A caption word by word, and where in the picture each word looks.",
    .typing = caption_typing,
    .figure = caption_draw_figure,
    .figure_height = caption_figure_height,
    .frames = caption_frames,
    .frame = caption_frame,
    .destroy = caption_destroy,
};

sac_status viz_caption_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                   sac_error *error)
{
    caption_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "caption view");
    viz_generation_init(&v->g, &viz_caption_class, source);
    v->g.moved = caption_glide_to;
    v->cell_word = v->failed_picture = v->chosen_picture = -1;
    v->style = (viz_heat_style){.map = VIZ_INFERNO, VIZ_HEAT_DEFAULTS};
    v->scale = VIZ_ROOT;
    const size_t most = (size_t)source->picture.most_cells, now = caption_cells(v);
    v->hidden = viz_allocate(most > now ? most : now, 1);
    v->hidden_before = viz_allocate(most > now ? most : now, 1);
    sac_status status = v->hidden && v->hidden_before ? scene_copy(source, &v->scene, error)
                                                      : sac_no_memory(error, "caption view");
    v->wanted_picture = v->scene.picture;
    if (status == SAC_OK)
        *view = &v->g.base;
    else
        viz_view_destroy(&v->g.base);
    return status;
}
