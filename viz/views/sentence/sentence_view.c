/* Views of sentences: their tables, their jobs, and what results change. */
#include "sentence/sentence_view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parts/figures/overlays.h"
#include "sentence/sentence_state.h"
#include "view/map.h"
#include "view/words.h"

#define WORD_SECONDS 0.8 /* from word to word at speed 1 */
#define REST_SECONDS 1.5 /* at the end, before it begins again */

/* A sentence, of this picture or text or of another one. */
typedef struct sentence_job {
    viz_job base;
    sac_result_request request;
    uint8_t *hidden; /* a copy, as the person may go on; owned */
    bool turns;      /* to another picture, or sentence, first; else … */
    int picture;
    char text[VIZ_TEXT_FIELD_SIZE]; /* … this is read, where the source reads */
    int pictures;   /* how many there are once it has run: a sound's next piece is known then */
    bool elsewhere; /* another model has to open it */
    bool opened;    /* it was turned, or read, … */
    sentence_scene scene; /* … and this is there now */
    sac_result result;
    sac_result before;    /* where it is held: without that */
    bool asks;            /* or whether it matters where … */
    int word;             /* … this word … */
    sac_result of_scaled; /* … of a copy of the generated sentence … */
    sac_causal answer;    /* … looked */
} sentence_job;

/* ---------------------------------------------------------------- the picture, or the sentence */

static void scene_free(sentence_scene *scene)
{
    sac_image_free(&scene->image);
    *scene = (sentence_scene){0};
}

/* A copy of what the source has open now. */
static sac_status scene_copy(const sac_source *source, sentence_scene *scene, sac_error *error)
{
    const sac_image *image = source->picture.image;
    scene->origin = source->origin;
    scene->has_truth = source->result.has_truth;
    scene->scenes = source->picture.scenes;
    scene->truth = source->result.truth;
    scene->alignment = source->result.alignment;
    scene->pictures = source->picture.count;
    scene->picture = source->picture.number;
    memcpy(scene->title, source->title, sizeof scene->title);
    sac_source_shown_note(source, scene->note, sizeof scene->note);
    memcpy(scene->file, source->weights.opened.image_file, sizeof scene->file);
    sac_status status =
        image ? sac_image_create(image->width, image->height, &scene->image, error) : SAC_OK;
    if (status == SAC_OK && image)
        memcpy(scene->image.rgba, image->rgba, 4 * (size_t)image->width * (size_t)image->height);
    return status;
}

/* Reads what was typed, up to the first word that is not known, which may be one that is still being typed; the
 * reason is kept. */
static sac_status read_text(sac_source *source, sentence_job *job, sac_error *error)
{
    char line[1200], *unread = job->scene.unread;
    sac_error wrong = {0}, again = {0};
    sac_status status = sac_source_read(source, job->text, &wrong);
    for (size_t end = strlen(job->text); status == SAC_E_ARGUMENT && end > 0;) {
        while (end > 0 && isspace((unsigned char)job->text[end - 1]))
            end--;
        while (end > 0 && !isspace((unsigned char)job->text[end - 1]))
            end--;
        job->text[end] = '\0';
        if (end > 0 && sac_source_read(source, job->text, &again) == SAC_OK) {
            snprintf(unread, sizeof job->scene.unread, "%.500s",
                     sac_error_line(&wrong, line, sizeof line));
            return SAC_OK;
        }
    }
    if (status != SAC_OK && error)
        *error = wrong;
    return status;
}

/* The model's words as a person would type them: no blank before the full stop. */
static void fill_field(viz_text_field *field, const char *text)
{
    snprintf(field->text, sizeof field->text, "%.*s", VIZ_TEXT_FIELD_SIZE - 1, text);
    size_t length = strlen(field->text);
    if (length > 2 && strcmp(field->text + length - 2, " .") == 0)
        strcpy(field->text + length - 2, ".");
    field->caret = strlen(field->text);
}

/* Compares the sentence with the ground truth of its picture. */
static void compare_with_truth(sentence_view *v)
{
    char text[SAC_MAX_TOKENS * sizeof v->result.outputs->text + 1];
    const sentence_scene *scene = &v->scene;
    memset(v->marks, 0, sizeof v->marks);
    v->right = false;
    if (!scene->has_truth || !v->result.count || !v->sees)
        return;
    sac_caption_judge(&v->result, &scene->truth, v->marks);
    v->right = scene->truth.by_name ||
               !strcmp(sac_result_text(&v->result, text, sizeof text), scene->truth.caption);
}

/* ---------------------------------------------------------------- jobs */

static void job_free(sentence_job *job)
{
    sac_result_free(&job->result);
    sac_result_free(&job->before);
    sac_result_free(&job->of_scaled);
    free(job->hidden);
    scene_free(&job->scene);
    free(job);
}

/* `asks` whether it matters where the current word looked: the same request, and the sentence. */
static sentence_job *job_create(const sentence_view *v, bool asks)
{
    sentence_job *job = viz_job_create(v->base.class, sizeof *job);
    if (!job)
        return NULL;
    int w, h;
    sentence_grid(v, &w, &h);
    job->turns = v->wanted >= 0;
    job->picture = v->wanted;
    memcpy(job->text, v->field.text, sizeof job->text);
    job->request = sentence_request(v);
    bool edits = !job->turns || v->keeps_edits, works = true;
    if (!edits) {
        job->request.prefix_count = 0;
        job->request.gaze = (sac_gaze){0};
    }
    if (edits && job->request.hidden && (job->hidden = viz_allocate((size_t)w * (size_t)h, 1)))
        memcpy(job->hidden, v->hidden, (size_t)w * (size_t)h);
    works = !edits || !job->request.hidden || job->hidden;
    job->request.hidden = job->hidden;
    if (asks && works) {
        const size_t floats = (size_t)v->result.count * (size_t)sentence_cells(&v->result);
        job->asks = true;
        job->word = sentence_current_word(v);
        job->of_scaled = v->result;
        job->of_scaled.positions = NULL;
        job->of_scaled.line = job->of_scaled.shares = job->of_scaled.before = NULL;
        job->of_scaled.gaze_heads = NULL;
        if (sac_gaze_is_auto(&v->gaze) && v->result.gaze_heads)
            sac_gaze_heads_write(v->result.gaze_heads, v->result.gaze_head_count,
                                 job->request.gaze.heads);
        job->of_scaled.weights = viz_allocate(floats, sizeof *job->of_scaled.weights);
        works = job->of_scaled.weights;
        if (works)
            memcpy(job->of_scaled.weights, v->result.weights,
                   floats * sizeof *job->of_scaled.weights);
    }
    if (!works) {
        job_free(job);
        return NULL;
    }
    return job;
}

/* A request that was made is not made again, even where it failed. */
static viz_job *create_job(viz_view *view)
{
    sentence_view *v = sentence_of(view);
    bool generates = v->wanted >= 0 || viz_request_due(&v->request, v->revision);
    if (v->request.out || (!generates && !sentence_matters_due(v)))
        return NULL;
    sentence_job *job = job_create(v, !generates);
    return job ? viz_request_submit(&v->request, &job->base, v->revision) : NULL;
}

static sac_status run_job(viz_view *view, viz_job *base, sac_error *error)
{
    sentence_job *job = viz_job_of(base, view->class);
    sac_source *source = view->source;
    const bool reads = !sentence_of(view)->sees && !job->turns;
    sac_status status = SAC_OK;
    if (job->asks)
        return sac_causal_ask(source, &job->request, &job->of_scaled, job->word,
                              (uint32_t)job->word, &job->answer, error);
    if (job->turns)
        status = sac_source_turn_to_example(source, job->picture, error);
    else if (reads)
        status = read_text(source, job, error);
    if (status == SAC_OK && (job->turns || reads)) {
        status = scene_copy(source, &job->scene, error);
        job->opened = status == SAC_OK;
    }
    job->elsewhere = job->turns && source->picture.elsewhere;
    if (job->opened && job->turns)
        snprintf(job->text, sizeof job->text, "%.*s", VIZ_TEXT_FIELD_SIZE - 1, source->result.text);
    if (status == SAC_OK)
        status = sac_source_generate(source, &job->request, &job->result, error);
    if (status == SAC_OK && sac_gaze_is_held(&job->request.gaze)) { /* which is kept already */
        job->request.gaze = (sac_gaze){0};
        status = sac_source_generate(source, &job->request, &job->before, error);
    }
    job->pictures = source->picture.count;
    return status;
}

/* What was asked of the picture, or the sentence, before ends with it, unless it belongs to this. */
static void take_scene(sentence_view *v, sentence_job *job)
{
    unsigned stamp = v->scene.stamp + 1;
    scene_free(&v->scene);
    v->scene = job->scene;
    job->scene = (sentence_scene){0};
    v->scene.stamp = stamp;
    if (!job->turns)
        return;
    if (!v->sees)
        fill_field(&v->field, job->text);
    sac_result_free(&v->result);
    viz_glide_free(&v->glide);
    if (v->keeps_edits)
        return;
    sentence_forget_edits(v);
    v->matters = (sentence_matters){0};
    v->unasked.count = 0;
    v->scale_end = 0;
    v->fresh = true;
    v->ended = false;
    v->player.step = 0;
}

static void take_result(sentence_view *v, sentence_job *job)
{
    const bool held = sac_gaze_is_held(&job->result.gaze);
    const bool asked = job->hidden || job->request.prefix_count > 0 || held;
    const sac_result *plain = held ? &job->before : &job->result;
    sac_result *c = &v->result;
    if (held || !asked) {
        v->unasked.count = plain->count;
        memcpy(v->unasked.words, plain->outputs, (size_t)plain->count * sizeof *plain->outputs);
    }
    sac_result_free(c);
    *c = job->result;
    job->result = (sac_result){0};
    for (int i = 0; i < c->count; i++)
        v->row_names[i] = c->outputs[i].text;
    for (int i = 0; c->positions && i < c->grid_w && i < SAC_MAX_TOKENS; i++)
        v->column_names[i] = c->positions[i];
    if (v->hidden_of && v->hidden_of != c->grid_w)
        v->hidden_of = v->hidden_count = 0;
    v->scene.pictures = job->pictures;
    v->scale_end = fmaxf(v->scale_end, c->max_weight);
    v->changes = (sentence_changes){0};
    if (asked)
        sentence_changes_find(&v->unasked, c, &v->changes);
    compare_with_truth(v);
}

static void finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    sentence_view *v = sentence_of(view);
    sentence_job *job = viz_job_of(base, view->class);
    bool worked = viz_request_take(&v->request, job->elsewhere ? NULL : error);
    if (job->asks) { /* an answer to a demand of before is none to that of now */
        if (!worked)
            v->matters = (sentence_matters){0};
        else if (v->matters.on && v->request.demand == v->revision)
            v->matters = (sentence_matters){true, true, job->word, v->revision, job->answer};
        job_free(job);
        return;
    }
    v->list.open = false;
    if (job->opened)
        take_scene(v, job);
    if (v->wanted == job->picture || (job->turns && !job->opened))
        v->wanted = -1;
    if (job->elsewhere) {
        v->chosen_picture = job->picture;
        v->wanted = -1;
        job_free(job);
        return;
    }
    if (!worked && job->turns && !job->opened)
        v->failed_picture = job->picture; /* it is not requested again */
    if (worked) {
        take_result(v, job);
        if (!v->sees)
            v->row = v->column = -1;
    }
    if (worked || (job->opened && job->turns))
        sentence_select_start_word(v);
    sentence_glide(v);
    job_free(job);
}

/* ---------------------------------------------------------------- time */

static bool tick(viz_view *view, double now)
{
    sentence_view *v = sentence_of(view);
    viz_player *p = &v->player;
    if (!p->has_clock || p->exporting)
        v->glide.start = now - VIZ_GLIDE_SECONDS;
    if (viz_player_set_time(p, now) && v->fresh && v->result.count > 0) {
        sentence_go(v, 0);
        p->playing = true;
    }
    const bool was_playing = p->playing, arrives = p->until > 0, rests = view->figure && v->sees;
    bool moves = !rests && viz_player_advance(p, v->result.count);
    if (moves)
        sentence_glide(v);
    if (was_playing)
        v->ended = false;
    if (was_playing && !p->playing && arrives)
        v->ended = p->step == sac_result_narrowest(&v->result);
    else if (was_playing && !p->playing)
        sentence_rest_at_narrowest_word(v);
    moves |= was_playing != p->playing || viz_player_glided(p) < 1 || viz_player_is_near_step(p);
    moves |= sentence_demo_tick(v);
    return viz_glide_step(&v->glide, now, viz_player_glide_seconds(p)) || moves;
}

static void arrive(viz_view *view)
{
    viz_player_arrive(&sentence_of(view)->player);
    sentence_glide(sentence_of(view));
}

/* A figure of all words does not move. */
static int frames(const viz_view *view, int fps)
{
    const sentence_view *v = sentence_of(view);
    bool rests = (view->figure && v->sees) || !v->result.count;
    return rests ? 1 : viz_player_frames(&v->player, v->result.count, fps);
}

static void frame(viz_view *view, int index, int fps)
{
    sentence_view *v = sentence_of(view);
    viz_player *p = &v->player;
    if ((view->figure && v->sees) || !v->result.count)
        return;
    v->fresh = false;
    viz_player_set_frame(p, v->result.count, index, fps);
    const int rest = sac_result_narrowest(&v->result);
    v->ended = rest >= 0 && viz_player_rest_frame_at(p, v->result.count, rest);
    if (!v->sees)
        return;
    viz_glide_from_word(&v->glide, &v->result, (int)p->step_from, p->step, p->step_since);
    viz_glide_step(&v->glide, p->now, viz_player_glide_seconds(p));
}

/* ---------------------------------------------------------------- numbers */

static char *key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    const sentence_view *v = sentence_of(view);
    size_t width = (size_t)view->source->picture.grid_w;
    if (v->sees)
        snprintf(text, size, viz_word("cell (%zu, %zu)"), position % width, position / width);
    else
        snprintf(text, size, "%s", v->column_names[position]);
    return text;
}

/* The word and the input that are pointed at, else the current word and what it looks at most. */
static bool subject(const viz_view *view, viz_subject *subject)
{
    const sentence_view *v = sentence_of(view);
    const sac_result *c = &v->result;
    const bool in_matrix = v->column >= 0 && v->row >= 0 && v->row < c->count;
    int w, h, word = in_matrix ? v->row : sentence_current_word(v);
    sentence_grid(v, &w, &h);
    subject->caption = sentence_request(v);
    subject->hidden_count = (size_t)w * (size_t)h;
    subject->request.caption = &subject->caption;
    subject->pointed = v->column >= 0 && v->column < w * h && (v->sees || in_matrix);
    if (word < 0 && !v->sees)
        return false;
    word = word >= 0 ? word : v->player.step; /* nothing was generated yet: a saved picture */
    subject->request.step = (size_t)word;
    snprintf(subject->query, sizeof subject->query, viz_word("word %d"), word + 1);
    if (word < c->count) {
        const sac_result_output *o = &c->outputs[word];
        snprintf(subject->query, sizeof subject->query, "“%s”", o->text);
        subject->request.position = (size_t)(o->peak_y * w + o->peak_x);
    }
    if (subject->pointed)
        subject->request.position = (size_t)v->column;
    snprintf(subject->where, sizeof subject->where, viz_word("%s attention"),
             view->source->result.model[v->model]);
    return true;
}

/* False where memory runs out: the map has no labels then. */
static bool copy_labels(const char *const *words, int count, sac_labels *labels)
{
    labels->text = viz_allocate((size_t)count, sizeof *labels->text);
    for (int i = 0; i < count && labels->text; i++)
        if ((labels->text[labels->count] = strdup(words[i])))
            labels->count++;
    return labels->text && labels->count == (size_t)count;
}

/* Of a picture the current word's, of a translation all words'. */
static bool map(const viz_view *view, viz_map *map)
{
    const sentence_view *v = sentence_of(view);
    const sac_result *c = &v->result;
    const bool sees = v->sees;
    const int word = sentence_current_word(v);
    if (word < 0 || (sees && !v->scene.image.rgba) ||
        !viz_map_allocate(map, (size_t)(sees ? c->grid_h : c->count), (size_t)c->grid_w))
        return false;
    memcpy(map->values, sees ? sentence_map(c, word) : c->weights,
           (size_t)map->rows * (size_t)map->columns * sizeof *map->values);
    if (sees) {
        int w, h;
        sentence_grid(v, &w, &h);
        bool own = w == map->columns && h == map->rows && v->hidden_count > 0;
        viz_map_hide(map, own ? v->hidden : NULL);
        map->image = &v->scene.image;
    } else if (!copy_labels(v->row_names, c->count, &map->row_labels) ||
               !copy_labels(v->column_names, c->grid_w, &map->column_labels)) {
        sac_labels_free(&map->row_labels);
        sac_labels_free(&map->column_labels);
    }
    return true;
}

static viz_rect map_rect(const viz_view *view)
{
    const sentence_view *v = sentence_of(view);
    return v->sees ? v->layout.picture : v->layout.grid.cells;
}

/* A row a word. */
static bool table(const viz_view *view, viz_table *table)
{
    const sentence_view *v = sentence_of(view);
    int word = sentence_current_word(v);
    table->columns = (size_t)sentence_cells(&v->result);
    table->rows = (size_t)v->result.count;
    table->row = word > 0 ? (size_t)word : 0;
    const sac_attribution a = v->result.attribution;
    snprintf(table->title, sizeof table->title, "%s %s", view->source->result.model[v->model],
             a ? sac_attribution_names[a] : "attention");
    return table->rows > 0;
}

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    if (!of_row)
        return key_name(view, index, text, size);
    snprintf(text, size, "%s", sentence_of(view)->result.outputs[index].text);
    return text;
}

static sac_status table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_result *c = &sentence_of(view)->result;
    (void)error;
    memcpy(values, sentence_map(c, (int)row), (size_t)sentence_cells(c) * sizeof *values);
    return SAC_OK;
}

/* ---------------------------------------------------------------- the classes */

static void status(const viz_view *view, char *text, size_t size)
{
    const sentence_view *v = sentence_of(view);
    const sentence_scene *scene = &v->scene;
    const sac_result *c = &v->result;
    char place[32], language[64] = "", time[32] = "";
    if (c->language_probability > 0)
        snprintf(language, sizeof language, viz_word("  ·  language %s, %.0f %%"), c->language,
                 100 * (double)c->language_probability);
    else if (c->language[0])
        snprintf(language, sizeof language, viz_word("  ·  language %s"), c->language);
    if (c->milliseconds > 0)
        snprintf(time, sizeof time, "  ·  %.1f ms", c->milliseconds);
    size_t used = v->sees ? (size_t)snprintf(text, size, "%s%s", scene->title,
                                             viz_picture_place(scene->picture, scene->pictures,
                                                               scene->scenes, place, sizeof place))
                          : (size_t)snprintf(text, size, viz_word("%d words"), c->grid_w);
    if (used < size)
        snprintf(text + used, size - used, "%s%s%s%s", scene->origin.device[0] ? "  ·  " : "",
                 scene->origin.device, language, time);
}

static int take_chosen_picture(viz_view *view)
{
    sentence_view *v = sentence_of(view);
    int chosen = v->chosen_picture;
    v->chosen_picture = -1;
    return chosen;
}

static bool typing(const viz_view *view)
{
    return sentence_of(view)->field.typing || sentence_of(view)->list.open;
}

/* Hides what the other view hides at the same places, in this view's grid, and looks where it is held; of another
 * picture nothing. */
static bool follow_places(viz_view *view, const viz_view *leader, const char *key)
{
    sentence_view *to = sentence_of(view);
    const sentence_view *from = sentence_of(leader);
    int w, h, w_from, h_from;
    const bool is_gaze = strcmp(key, "gaze") == 0;
    if (!to->sees || from->base.source == view->source || (!is_gaze && strcmp(key, "hidden") != 0))
        return false;
    if (!from->scene.file[0] || strcmp(from->scene.file, to->scene.file) != 0)
        return true;
    sentence_grid(to, &w, &h);
    sentence_grid(from, &w_from, &h_from);
    if (is_gaze) { /* heads are another model's own */
        const float across = (float)w / (float)w_from, down = (float)h / (float)h_from;
        to->gaze = (sac_gaze){.x = (from->gaze.x + 0.5f) * across - 0.5f,
                              .y = (from->gaze.y + 0.5f) * down - 0.5f,
                              .radius = sentence_holds(view) ? from->gaze.radius * across : 0,
                              .from = from->gaze.from};
        sentence_mark_changed(view);
        return true;
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            to->hidden[y * w + x] = (uint8_t)sentence_is_hidden(
                from, viz_matching_place(y, h, h_from) * w_from + viz_matching_place(x, w, w_from));
    sentence_update_hidden_count(to);
    return true;
}

/* The next model. */
static void put_next_model(const viz_view *view, viz_put *put, void *user)
{
    const sac_result_source *generator = &view->source->result;
    if (generator->models > 1)
        put(user, "model", generator->model[(sentence_of(view)->model + 1) % generator->models]);
}

static bool caption_accepts(const sac_source *source)
{
    return source->result.generate && source->result.outputs == SAC_OUTPUT_WORDS &&
           source->picture.image;
}

static bool translation_accepts(const sac_source *source)
{
    return source->result.generate && source->result.read;
}

static void destroy(viz_view *view)
{
    sentence_view *v = sentence_of(view);
    sac_result_free(&v->result);
    viz_glide_free(&v->glide);
    scene_free(&v->scene);
    viz_scaled_free(&v->picture_kept);
    viz_scaled_free(&v->thumb_kept);
    free(v->hidden);
    free(v->hidden_before);
    free(v);
}

static sac_status create(const viz_view_class *class, sac_source *source, viz_view **view,
                         sac_error *error)
{
    sentence_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_no_memory(error, class->tab);
    v->base = (viz_view){.class = class, .source = source};
    v->sees = class == &viz_caption_class;
    v->temperature = 1;
    v->beam = sac_source_beam(source);
    v->penalty = source->result.length_penalty;
    v->layer = v->head = VIZ_MEAN;
    v->revision = 1;
    v->fresh = true;
    v->wanted = v->failed_picture = v->chosen_picture = v->row = v->column = -1;
    v->player =
        (viz_player){.step_seconds = WORD_SECONDS, .rest_seconds = REST_SECONDS, .speed = 1};
    v->style = (viz_heat_style){.map = VIZ_INFERNO, VIZ_HEAT_DEFAULTS};
    v->scale = VIZ_ROOT;
    fill_field(&v->field, source->result.text);
    size_t most = (size_t)source->picture.most_cells,
           now = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    most = most > now ? most : now;
    most = most > SAC_MAX_TOKENS ? most : SAC_MAX_TOKENS;
    v->hidden = viz_allocate(most, 1);
    v->hidden_before = viz_allocate(most, 1);
    sac_status status = v->hidden && v->hidden_before ? scene_copy(source, &v->scene, error)
                                                      : sac_no_memory(error, class->tab);
    if (status == SAC_OK)
        *view = &v->base;
    else
        destroy(&v->base);
    return status;
}

static sac_status caption_create(sac_source *source, viz_view *beside, viz_view **view,
                                 sac_error *error)
{
    (void)beside;
    return create(&viz_caption_class, source, view, error);
}

static sac_status translation_create(sac_source *source, viz_view *beside, viz_view **view,
                                     sac_error *error)
{
    (void)beside;
    return create(&viz_translation_class, source, view, error);
}

/* What both have. */
#define SENTENCE_CLASS                                                                             \
    .is_place = true, .event = sentence_event, .tick = tick, .arrive = arrive,                     \
    .create_job = create_job, .run_job = run_job, .finish_job = finish_job, .status = status,      \
    .spots = sentence_spots, .typing = typing, .other = put_next_model, .subject = subject,        \
    .key_name = key_name, .map = map, .map_rect = map_rect, .table = table,                        \
    .table_name = table_name, .table_row = table_row, .frames = frames, .frame = frame,            \
    .follow = follow_places, .destroy = destroy

static const char *const caption_hints[VIZ_HINTS] = {
    "Click the current word to put another one there.",
    "Drag over the picture with the right button: cells are hidden from the model.",
    "N turns to the next picture, ctrl O opens yours, ? lists every key.",
};

const viz_view_class viz_caption_class = {
    SENTENCE_CLASS,
    .name = "caption",
    .tab = "Caption",
    .about = "A caption word by word, and where in the picture each word looks.",
    .accepts = caption_accepts,
    .create = caption_create,
    .draw = caption_draw,
    .figure = caption_draw_figure,
    .figure_height = caption_figure_height,
    .choose = take_chosen_picture,
    .introduce = sentence_introduce,
    .settings = {caption_origin, sentence_settings, caption_settings},
    .keys = caption_keys,
    .hints = caption_hints,
};

const viz_view_class viz_translation_class = {
    SENTENCE_CLASS,
    .name = "translation",
    .tab = "Translate",
    .about = "A sentence that is translated as you type, and where each word looks.",
    .accepts = translation_accepts,
    .create = translation_create,
    .draw = translation_draw,
    .figure = translation_draw_figure,
    .figure_height = translation_figure_height,
    .settings = {translation_origin, sentence_settings},
    .keys = translation_keys,
};
