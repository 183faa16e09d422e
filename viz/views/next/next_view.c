/* The view of what comes next: what it asks for, how it answers, and its class. */
#include "next/next_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "next/next_state.h"
#include "view/keys.h"
#include "view/map.h"
#include "view/settings.h"
#include "view/words.h"

#define STEP_SECONDS 0.9
#define MOST_K 200
#define MOST_TEMPERATURE 2.0f

typedef struct next_job {
    viz_job base;
    bool generates; /* … it anew; else the candidates of `step` */
    sac_sampling how;
    uint64_t number;
    size_t step;
    sac_result result; /* owned */
    sac_candidate candidate[SAC_GENERATION_CANDIDATES];
    int candidates, kept;
} next_job;

/* ---------------------------------------------------------------- jobs */

/* Identifies the candidates that are wanted: by generation, step and sliders. */
static uint64_t demand_of(const next_view *v)
{
    return v->known << 40 | (uint64_t)next_step(v) << 28 | (v->knobs & 0xfffffff);
}

static viz_job *want(viz_view *view)
{
    next_view *v = next_of(view);
    bool generates = v->known != v->asked;
    if (v->request.out || (generates && v->request.problem[0] && v->request.demand == v->asked))
        return NULL;
    if (!generates && (!v->generation.generated || v->candidates_asked == demand_of(v)))
        return NULL;
    next_job *job = viz_job_create(&viz_next_class, sizeof *job);
    if (!job)
        return NULL;
    job->generates = generates;
    job->how = generates ? v->how : v->drawn;
    job->number = v->asked;
    job->step = next_step(v);
    if (!generates)
        v->candidates_asked = demand_of(v);
    return viz_request_submit(&v->request, &job->base, v->asked);
}

static sac_status work(viz_view *view, viz_job *base, sac_error *error)
{
    next_job *job = viz_job_of(base, &viz_next_class);
    sac_source *source = view->source;
    if (!job->generates)
        return source->speaker.candidates(source->self, job->step, &job->how, job->candidate,
                                          &job->candidates, &job->kept, error);
    const sac_result_request request = {.sampling = &job->how};
    sac_generation *generation = &job->result.generation;
    sac_status status = sac_source_generate(source, &request, &job->result, error);
    const char *one = viz_word(generation->is_audio ? "sound" : "picture");
    return status == SAC_OK ? sac_generation_fold(generation, one, error) : status;
}

static void take(viz_view *view, viz_job *base, const sac_error *error)
{
    next_view *v = next_of(view);
    next_job *job = viz_job_of(base, &viz_next_class);
    bool worked = viz_request_take(&v->request, error);
    if (worked && job->generates) {
        sac_generation_free(&v->generation);
        v->generation = job->result.generation;
        job->result.generation = (sac_generation){0};
        v->known = job->number;
        v->candidates = 0;
        v->pointed = false;
        viz_player_rest_at(&v->player, v->player.step < (int)v->generation.generated
                                           ? v->player.step
                                       : v->generation.generated ? (int)v->generation.generated - 1
                                                                 : 0);
    } else if (worked) {
        memcpy(v->candidate, job->candidate, sizeof v->candidate);
        v->candidates = job->candidates;
        v->kept = job->kept;
        v->candidates_of = (int)job->step;
    }
    sac_result_free(&job->result);
    free(job);
}

/* ---------------------------------------------------------------- what a person does */

static bool go(next_view *v, int step)
{
    return v->generation.generated && viz_player_go(&v->player, (int)v->generation.generated, step);
}

/* Generates anew from the first token on by the sliders; drawn by the next number. */
static void generate_again(next_view *v)
{
    uint64_t seed = v->how.draw.seed;
    int count = v->how.count;
    v->how = v->drawn;
    v->how.draw.seed = v->drawn.draw.temperature > 0 ? seed + 1 : seed;
    v->how.count = count;
    if (v->how.draw.temperature > 0)
        v->how.beam = 0;
    v->how.changes = 0;
    v->asked++;
}

/* Puts candidate `place` at the current step; the text continues from there. */
static bool generate_instead(next_view *v, int place)
{
    if (place >= v->candidates || v->candidate[place].stands ||
        v->candidates_of != (int)next_step(v) ||
        !sac_sampling_change(&v->how, v->candidates_of, v->candidate[place].id))
        return false;
    v->asked++;
    return true;
}

static bool press_play(viz_view *view, viz_pressed pressed)
{
    next_view *v = next_of(view);
    (void)pressed;
    viz_player_play(&v->player, (int)v->generation.generated, !v->player.playing);
    return v->generation.generated > 0;
}

static bool press_step(viz_view *view, viz_pressed pressed)
{
    next_view *v = next_of(view);
    int count = (int)v->generation.generated;
    return count && go(v, (int)viz_next(next_step(v), pressed.step, (size_t)count));
}

static bool press_end(viz_view *view, viz_pressed pressed)
{
    next_view *v = next_of(view);
    return go(v, pressed.step < 0 ? 0 : (int)v->generation.generated - 1);
}

static bool press_again(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    generate_again(next_of(view));
    return true;
}

static const viz_key_row keys[] = {
    {"space", "play the generated tokens, or rest", press_play},
    {"J", "the next token (shift: before)", press_step},
    {"←  →", "the token before, the next one", press_step},
    {"Home  End", "the first token, the last", press_end},
    {"click", "a token, to see how it came; a candidate, to put it there"},
    {"N", "generate again, drawn by the sliders", press_again},
    {"E", "temperature (shift: down)", .setting = "temperature", .what = 10},
    {"M", "the next colour map", .setting = "map", .what = VIZ_DIVERGING},
    {NULL, NULL},
};

static bool cell_at(const next_view *v, float x, float y, size_t *row, size_t *column)
{
    const next_layout *l = &v->layout;
    if (!v->generation.generated || !viz_inside(l->cells, x, y))
        return false;
    *row = (size_t)((y - l->cells.y) / l->cell_h);
    *column = (size_t)((x - l->cells.x) / l->cell_w);
    return *row < v->generation.generated && *column < v->generation.count;
}

static bool press(next_view *v, const viz_event *e)
{
    const next_layout *l = &v->layout;
    size_t row, column;
    if (e->button != 1)
        return false;
    for (int i = 0; i < l->lines; i++)
        if (viz_inside(l->candidate[i], e->x, e->y))
            return generate_instead(v, i);
    for (size_t i = 0; i < v->generation.generated && i < SAC_GENERATION_MOST; i++)
        if (viz_inside(l->word[i], e->x, e->y)) {
            go(v, (int)i);
            return true;
        }
    return cell_at(v, e->x, e->y, &row, &column) && go(v, (int)row);
}

static bool point(next_view *v, const viz_event *e)
{
    bool was = v->pointed;
    size_t row = v->row, column = v->column;
    v->pointed = e->kind == VIZ_MOVE && cell_at(v, e->x, e->y, &v->row, &v->column);
    return was != v->pointed || (was && (row != v->row || column != v->column));
}

static bool event(viz_view *view, const viz_event *e)
{
    next_view *v = next_of(view);
    bool changed;
    if (viz_controls_event(&v->controls, view, e, &changed))
        return changed;
    switch (e->kind) {
    case VIZ_KEY:
        return viz_keys_press(keys, view, e);
    case VIZ_PRESS:
        return press(v, e);
    case VIZ_MOVE:
    case VIZ_LEAVE:
        return point(v, e);
    default:
        return false;
    }
}

static bool tick(viz_view *view, double now)
{
    next_view *v = next_of(view);
    viz_player_set_time(&v->player, now);
    bool moved = viz_player_advance(&v->player, (int)v->generation.generated);
    return moved || v->player.playing;
}

static void spots(const viz_view *view, viz_spots *spots)
{
    const next_view *v = next_of(view);
    const next_layout *l = &v->layout;
    viz_spots_add(spots, l->cells, VIZ_SPOT_AREA,
                  v->generation.apart
                      ? "One row a generated token: where it looked, in the mean of all layers "
                        "and heads. Before the first line is the input, behind it the output; each "
                        "has attention of its own, with a sum of 1."
                      : "One row a generated token, one column a token before it: where it looked, "
                        "in the mean of all layers and heads.");
    viz_spots_add(
        spots, l->picture, VIZ_SPOT_READOUT,
        v->generation.is_audio
            ? "What this token looked at in the sound, in the mean of all layers and heads."
            : "What this token looked at in the picture, in the mean of all layers and "
              "heads.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; the first token, on which most of the weight often "
                  "rests, may have more.");
    viz_spots_add(spots, l->title, VIZ_SPOT_READOUT,
                  "The candidates: grey before the draw, in colour what temperature, top k and "
                  "top p leave of them.");
    for (size_t i = 0; i < v->generation.generated && i < SAC_GENERATION_MOST; i++)
        viz_spots_add(spots, l->word[i], VIZ_SPOT_PRESSES, "Click to see how this token came.");
    for (int i = 0; i < l->lines && i < v->candidates; i++)
        if (!v->candidate[i].stands)
            viz_spots_add(spots, l->candidate[i], VIZ_SPOT_PRESSES,
                          "Click to put this word here; the model continues from there.");
    viz_controls_spots(&v->controls, view, spots);
    viz_spots_add_caps(spots, &l->caps);
}

/* ---------------------------------------------------------------- settings */

static void drawn_changed(viz_view *view)
{
    next_of(view)->knobs++;
}

static bool is_greedy(const viz_view *view)
{
    return !(next_of(view)->drawn.draw.temperature > 0);
}

static void show_top_k(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, number == 0 ? viz_word("all") : "%.0f", number);
}

static void show_top_p(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, number == 0 ? viz_word("all") : "%.2f", number);
}

static void save_generation(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    char text[SAC_SAMPLING_CHANGES * 24 + 128];
    put(user, s->name, sac_sampling_text(&next_of(view)->how, text, sizeof text));
}

static void take_generation(viz_view *view, const viz_setting *s, const char *value)
{
    next_view *v = next_of(view);
    char text[SAC_SAMPLING_CHANGES * 24 + 128];
    (void)s;
    if (strcmp(sac_sampling_text(&v->how, text, sizeof text), value) != 0 &&
        sac_sampling_read(value, &v->how))
        v->asked++;
}

/* Until the number of generated tokens is known, a step is kept as it is given. */
static void set_step(viz_view *view, const viz_setting *s, double number)
{
    next_view *v = next_of(view);
    (void)s;
    int last = v->known == v->asked ? (int)v->generation.generated - 1 : SAC_GENERATION_MOST - 1;
    viz_player_rest_at(&v->player, number > last ? last > 0 ? last : 0 : (int)number);
}

#define IN(member) offsetof(next_view, member)

/* Of a scene, by which it is found again. */
static void save_scene(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_source *source = view->source;
    (void)s;
    if (!source->picture.scenes || !source->picture.image)
        return;
    put(user, "title", source->title);
    viz_put_whole(put, user, "picture", source->picture.number);
}

static const viz_setting settings[] = {
    {NULL, .save = viz_save_source},
    {NULL, .save = viz_save_without},
    {NULL, .save = save_scene},
    {"temperature", VIZ_REAL, IN(drawn.draw.temperature), 0, MOST_TEMPERATURE,
     .changed = drawn_changed, .widget = VIZ_SLIDER, .label = "temperature", .grain = 0.05,
     .tip = "Divides the scores before the draw: below 1 the probable become more so; 0 takes the "
            "most probable token each time."},
    {"top k", VIZ_WHOLE, IN(drawn.draw.top_k), 0, MOST_K, .changed = drawn_changed,
     .widget = VIZ_SLIDER, .label = "top k", .grain = 1, .show = show_top_k, .idle = is_greedy,
     .tip = "Draws from so many of the most probable tokens alone; 0: from all."},
    {"top p", VIZ_REAL, IN(drawn.draw.top_p), 0, 1, .changed = drawn_changed, .widget = VIZ_SLIDER,
     .label = "top p", .grain = 0.01, .show = show_top_p, .idle = is_greedy,
     .tip = "Draws from the most probable tokens that have so much of the probability together; "
            "0: from all."},
    {"generated", .save = save_generation, .take = take_generation},
    {"said", .unmentioned = true, .take = take_generation}, /* of earlier pictures */
    {"step", VIZ_WHOLE, IN(player.step), .low = 0, .high = SAC_GENERATION_MOST, .moves = true,
     .set = set_step},
    {"map", VIZ_CHOICE, IN(look.map), VIZ_NAMES(viz_colormap_names)},
    {VIZ_LAYOUT_SETTING},
    {0},
};

/* ---------------------------------------------------------------- numbers */

static bool table(const viz_view *view, viz_table *table)
{
    const next_view *v = next_of(view);
    if (!v->generation.generated)
        return false;
    table->rows = v->generation.generated;
    table->columns = v->generation.count;
    table->row = next_step(v);
    snprintf(table->title, sizeof table->title, "where each token looked, mean of all heads");
    return true;
}

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const sac_generation *generation = &next_of(view)->generation;
    size_t place = of_row ? generation->count - generation->generated + index : index;
    snprintf(text, size, "%s",
             place < generation->tokens.count ? generation->tokens.text[place] : "");
    return text;
}

static sac_status table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_generation *generation = &next_of(view)->generation;
    (void)error;
    memcpy(values, generation->rows + row * generation->count, generation->count * sizeof *values);
    return SAC_OK;
}

static void status(const viz_view *view, char *text, size_t size)
{
    const next_view *v = next_of(view);
    const sac_source *source = view->source;
    snprintf(text, size, viz_word("%s  ·  %zu + %zu tokens  ·  %s  ·  %.0f ms"), source->title,
             v->generation.count - v->generation.generated, v->generation.generated,
             source->origin.device, v->generation.milliseconds);
}

/* ---------------------------------------------------------------- the class */

static int frames(const viz_view *view, int fps)
{
    const next_view *v = next_of(view);
    return viz_player_frames(&v->player, (int)v->generation.generated, fps);
}

static void frame(viz_view *view, int index, int fps)
{
    next_view *v = next_of(view);
    viz_player_frame(&v->player, (int)v->generation.generated, index, fps);
}

static bool accepts(const sac_source *source)
{
    return source->speaker.candidates != NULL;
}

static void destroy(viz_view *view)
{
    sac_generation_free(&next_of(view)->generation);
    viz_scaled_free(&next_of(view)->scaled);
    free(view);
}

static const char *const hints[VIZ_HINTS] = {
    "Click a generated token, or play them with space, to see how each came.",
    "Click a candidate to put it there instead.",
    "The sliders change what may be drawn; N generates again with them."};

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    next_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "next words");
    v->base = (viz_view){.class = &viz_next_class, .source = source};
    v->player =
        (viz_player){.step_seconds = STEP_SECONDS, .rest_seconds = STEP_SECONDS, .speed = 1};
    v->look = (viz_heat_style){VIZ_HEAT_DEFAULTS};
    v->how = source->speaker.sampling;
    v->how.count = v->how.count <= 0                    ? SAC_GENERATION_TOKENS
                   : v->how.count > SAC_GENERATION_MOST ? SAC_GENERATION_MOST
                                                        : v->how.count;
    v->drawn = v->how;
    v->asked = 1;
    *view = &v->base;
    return SAC_OK;
}

const viz_view_class viz_next_class = {
    .name = "next",
    .tab = "Next words",
    .about = "What the model generates after the text, where each token looked, and the other "
             "candidates.",
    .accepts = accepts,
    .create = create,
    .draw = next_draw,
    .figure = next_draw_figure,
    .figure_height = next_figure_height,
    .event = event,
    .tick = tick,
    .want = want,
    .work = work,
    .take = take,
    .status = status,
    .settings = {settings},
    .keys = keys,
    .spots = spots,
    .hints = hints,
    .table = table,
    .table_name = table_name,
    .table_row = table_row,
    .frames = frames,
    .frame = frame,
    .destroy = destroy,
};
