/* Choices, entries of each map, and the jobs that fill them. */

#include "weights/weights_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sources/heads/several.h"
#include "view/words.h"
#include "weights/map/map_blocks.h"

const char *const viz_sort_names[VIZ_SORT_COUNT] = {"layer", "entropy", "distance", "kind",
                                                    "asked"};

const char *const viz_kind_alone_names[SAC_KIND_COUNT + 1] = {
    "all",       "previous", "self", "next", "first", "alike", "repeats",
    "delimiter", "one",      "gaze", "near", "broad", "mixed"};

/* From so many keys on weights span so many decades that the root shows hardly any. */
#define LONG 4096

/* True where tokens follow the cells, as in the answer to a prompt with a picture. */
static bool ends_in_text(const sac_source *source)
{
    size_t across = (size_t)source->picture.grid_w, down = (size_t)source->picture.grid_h;
    return across && sac_source_cell_position(source, 0, across * down - 1) + 1 <
                         sac_source_positions(source, 0);
}

/* The row that is seen first: of a picture the cell in its middle, or the last token of the text
 * behind it; else the middle row. */
static size_t first_row(const sac_source *source)
{
    size_t across = (size_t)source->picture.grid_w, down = (size_t)source->picture.grid_h,
           steps = sac_source_steps(source, 0);
    if (!source->picture.image || !across || steps != sac_source_positions(source, 0))
        return steps / 2;
    return ends_in_text(source)
               ? steps - 1
               : sac_source_cell_position(source, 0, down / 2 * across + across / 2);
}

sac_status viz_weights_model_create(sac_source *source, viz_weights_model **model, sac_error *error)
{
    viz_weights_model *m = *model = calloc(1, sizeof *m);
    if (!m)
        return sac_no_memory(error, source->title);
    m->references = 1;
    m->look = (viz_heat_style){VIZ_HEAT_DEFAULTS};
    m->source = source;
    m->reader.source = source;
    m->row = first_row(source);
    if (source->weights.scale_heads) {
        size_t count = source->weights.layers * source->weights.heads;
        m->head_scale = malloc(count * sizeof *m->head_scale);
        for (size_t i = 0; i < count && m->head_scale; i++)
            m->head_scale[i] = 1;
    }
    m->prefix_count =
        source->picture.prefix && !ends_in_text(source) ? (size_t)source->picture.prefix : 1;
    /* Maps side by side are compared, and by the root sharp ones stand out from diffuse ones. A
     * large map alone is faint. */
    bool several =
        source->weights.layers * source->weights.heads > 1 && source->weights.positions < LONG;
    m->scale = several ? VIZ_ROOT : source->weights.positions > 64 ? VIZ_LOG : VIZ_PER_MAP;
    if (viz_is_signed(m)) {                           /* means of both signs would cancel */
        bool small = source->weights.positions <= 64; /* on larger maps linear colours show a few */
        m->scale = !small ? VIZ_ROOT : several ? VIZ_SHARED : VIZ_PER_MAP;
        m->pool = SAC_POOL_MAX;
        m->look.map = VIZ_DIVERGING;
    }
    m->last_head = source->weights.heads > 1 ? 1 : 0;
    m->last_layer = source->weights.heads > 1 || source->weights.layers == 1 ? 0 : 1;
    m->chosen = sac_best_head(source->weights.head_alignment, source->weights.layers,
                              source->weights.heads, &m->layer, &m->head);
    return SAC_OK;
}

viz_weights_model *viz_weights_model_retain(viz_weights_model *model)
{
    model->references++;
    return model;
}

static void thumb_free(viz_thumb *thumb)
{
    free(thumb->cells);
    free(thumb->masked);
    *thumb = (viz_thumb){0};
}

static void forget_entries(viz_weights_model *model)
{
    for (size_t i = 0; i < model->entry_count; i++) {
        viz_head_entry *entry = &model->entries[i];
        sac_weights_scan_free(&entry->scan);
        sac_weights_scan_free(&entry->begun);
        thumb_free(&entry->thumb);
        *entry = (viz_head_entry){0};
    }
    free(model->entries);
    model->entries = NULL;
    model->entry_count = model->thumbs_until = model->figures_until = 0;
}

void viz_weights_model_release(viz_weights_model *model)
{
    if (!model || --model->references > 0)
        return;
    forget_entries(model);
    sac_reader_free(&model->reader);
    sac_heads_effect_free(&model->effect);
    free(model->head_scale);
    free(model->several);
    free(model->asked);
    free(model->generated_instead);
    free(model);
}

/* ---------------------------------------------------------------- choosing */

size_t viz_weights_model_heads(const viz_weights_model *model)
{
    return model->reduce == SAC_REDUCE_NONE ? model->source->weights.heads : 1;
}

sac_head_choice viz_weights_model_choice(const viz_weights_model *model, size_t layer, size_t head)
{
    bool single = model->reduce == SAC_REDUCE_NONE, prefixed = model->prefix != SAC_PREFIX_SHOWN;
    sac_head_choice choice;
    memset(&choice, 0, sizeof choice); /* padding too: maps are compared as bytes */
    choice.layer = layer;
    choice.batch = model->batch;
    choice.head = single ? head : 0;
    choice.reduce = model->reduce;
    choice.prefix = model->prefix;
    choice.prefix_count = prefixed ? model->prefix_count : 0;
    choice.scaled = model->scalings;
    choice.segments = model->source->weights.second ? model->segments : SAC_SEGMENTS_ALL;
    choice.special = model->source->weights.special ? model->special : SAC_SPECIAL_SHOWN;
    return choice;
}

sac_head_choice viz_weights_model_current(const viz_weights_model *model)
{
    return viz_weights_model_choice(model, model->layer, model->head);
}

sac_rect viz_map_of(const sac_source *source, const sac_head_choice *choice)
{
    sac_rect map;
    sac_head_choice_size(source, choice, &map.rows, &map.cols);
    sac_head_choice_corner(source, choice, &map.row, &map.col);
    return map;
}

sac_rect viz_weights_model_map(const viz_weights_model *model)
{
    sac_head_choice choice = viz_weights_model_current(model);
    return viz_map_of(model->source, &choice);
}

/* The place in a map that begins at `to` of what is at `place` in one that begins at `from`, or the
 * map's edge. */
static size_t move_place(size_t place, size_t from, size_t to, size_t count)
{
    place = place + from > to ? place + from - to : 0;
    return place < count ? place : count - 1;
}

void viz_weights_model_keep_cell(viz_weights_model *model)
{
    sac_head_choice choice = viz_weights_model_current(model);
    if (model->segments_before == model->segments)
        return;
    choice.segments = model->source->weights.second ? model->segments_before : SAC_SEGMENTS_ALL;
    sac_rect before = viz_map_of(model->source, &choice), now = viz_weights_model_map(model);
    model->row = move_place(model->row, before.row, now.row, now.rows);
    model->column = move_place(model->column, before.col, now.col, now.cols);
    model->segments_before = model->segments;
}

void viz_weights_model_select(viz_weights_model *model, size_t layer, size_t head)
{
    if (layer >= model->source->weights.layers || head >= model->source->weights.heads ||
        (layer == model->layer && head == model->head))
        return;
    model->last_layer = model->layer;
    model->last_head = model->head;
    model->layer = layer;
    model->head = head;
    model->chosen = true;
}

static bool leads_through_layers(sac_reduce reduce)
{
    return reduce >= SAC_REDUCE_ROLLOUT;
}

void viz_weights_model_set_reduce(viz_weights_model *model, sac_reduce reduce)
{
    bool before = leads_through_layers(model->reduce), now = leads_through_layers(reduce);
    size_t last = model->source->weights.layers - 1;
    if (now && !before) {
        model->layer_before = model->layer;
        model->layer = last;
    } else if (before && !now && model->layer == last) { /* else a person went there */
        model->layer = model->layer_before;
    }
    model->reduce = reduce;
}

static bool entries_fit(const viz_weights_model *model)
{
    sac_head_choice now = viz_weights_model_choice(model, 0, 0);
    return model->entries && model->entries_pool == model->pool &&
           sac_head_choice_same(&now, &model->entries_of);
}

const viz_head_entry *viz_weights_model_entry(const viz_weights_model *model, size_t layer,
                                              size_t head)
{
    if (!entries_fit(model))
        return NULL;
    size_t heads = viz_weights_model_heads(model);
    const viz_head_entry *entry = &model->entries[layer * heads + (heads > 1 ? head : 0)];
    return entry->known ? entry : NULL;
}

/* So many weights are read in a second or two; of more, the first head is as good as any that would
 * take its place under a person's eyes. */
#define SOUGHT_WEIGHTS ((size_t)1 << 26)

bool viz_weights_model_seeks_informative(const viz_weights_model *model)
{
    const sac_weights_source *weights = &model->source->weights;
    sac_rect map = viz_weights_model_map(model);
    return !model->chosen && !model->opened && model->reduce == SAC_REDUCE_NONE &&
           map.rows * map.cols <= SOUGHT_WEIGHTS / weights->heads / weights->layers;
}

/* Of a difference how large it is. */
static float entry_information(const viz_weights_model *model, size_t entry)
{
    const sac_weights_stats *stats = &model->entries[entry].scan.stats;
    return viz_is_signed(model) ? fabsf(stats->peak) : stats->information;
}

bool viz_weights_model_open_informative(viz_weights_model *model)
{
    size_t heads = viz_weights_model_heads(model), best = 0;
    if (!viz_weights_model_seeks_informative(model) || !entries_fit(model))
        return false;
    const viz_head_entry *last = &model->entries[model->entry_count - 1];
    if (!last->known && !last->failed) /* as it is until the end: not all of them at each map */
        return false;
    for (size_t i = 0; i < model->entry_count; i++) {
        if (!model->entries[i].known && !model->entries[i].failed)
            return false;
        if (entry_information(model, i) > entry_information(model, best))
            best = i;
    }
    model->opened = true;
    model->layer = best / heads;
    model->head = best % heads;
    const sac_weights_stats *stats = &model->entries[best].scan.stats;
    if (viz_is_signed(model))
        model->row = stats->peak_row;
    else if (!model->source->picture.image) /* there the middle is seen first */
        model->row = stats->informative_row;
    return true;
}

bool viz_difference_select_peak_row(viz_weights_model *model)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    if (viz_weights_model_seeks_informative(model))
        return viz_weights_model_open_informative(model);
    if (!viz_is_signed(model) || model->chosen || model->opened || !entry)
        return false;
    model->opened = true;
    model->row = entry->scan.stats.peak_row;
    return true;
}

/* ---------------------------------------------------------------- several queries */

/* The steps of the source, with room for their marks; 0: no memory. */
static size_t allocate_query_marks(viz_weights_model *model)
{
    size_t steps = sac_source_steps(model->source, model->batch);
    if (!model->several)
        model->several = viz_allocate(model->source->weights.steps + 1, 1);
    return model->several ? steps : 0;
}

static void recount_queries(viz_weights_model *model)
{
    size_t steps = sac_source_steps(model->source, model->batch);
    model->several_count = 0;
    for (size_t i = 0; i < steps; i++)
        model->several_count += model->several[i];
    model->several_number++;
    model->column_chosen = false;
}

/* A row of the current map as a step of the source. */
static size_t step_of(const viz_weights_model *model, size_t row)
{
    return row + viz_weights_model_map(model).row;
}

void viz_weights_model_add_query(viz_weights_model *model, size_t row)
{
    size_t steps = allocate_query_marks(model), step = step_of(model, row);
    if (step >= steps || (model->several_count && model->several[step]))
        return;
    if (!model->several_count && step_of(model, model->row) < steps)
        model->several[step_of(model, model->row)] = 1;
    model->several[step] = 1;
    model->chosen = true;
    recount_queries(model);
}

void viz_weights_model_toggle_query(viz_weights_model *model, size_t row)
{
    if (!viz_weights_model_is_query(model, row)) {
        viz_weights_model_add_query(model, row);
        return;
    }
    model->several[step_of(model, row)] = 0;
    recount_queries(model);
}

bool viz_weights_model_unmark_queries(viz_weights_model *model)
{
    if (!model->several_count)
        return false;
    memset(model->several, 0, model->source->weights.steps);
    recount_queries(model);
    return true;
}

void viz_weights_model_take_queries(viz_weights_model *model, const char *text)
{
    size_t steps = allocate_query_marks(model);
    if (!steps || sac_several_read(text, steps, model->several, NULL) != SAC_OK)
        return;
    recount_queries(model);
    model->chosen = model->chosen || model->several_count;
}

bool viz_weights_model_is_query(const viz_weights_model *model, size_t row)
{
    size_t step = step_of(model, row);
    return model->several_count && step < model->source->weights.steps && model->several[step];
}

size_t viz_weights_model_query(const viz_weights_model *model)
{
    return model->several_count ? SIZE_MAX - model->several_number : model->row;
}

/* ---------------------------------------------------------------- what comes next */

bool viz_weights_model_request_instead(viz_weights_model *model, int place)
{
    if (place >= model->next_count || model->next[place].stands)
        return false;
    model->instead = model->next[place].id + 1;
    return true;
}

/* ---------------------------------------------------------------- heads that are requested */

static bool same_pair(const sac_ask *a, const sac_ask *b)
{
    return a->step == b->step && a->position == b->position;
}

void viz_weights_model_ask_current(viz_weights_model *model)
{
    sac_rect map = viz_weights_model_map(model);
    model->ask = (sac_ask){.step = model->row + map.row, .position = model->column + map.col};
}

bool viz_weights_model_ask(viz_weights_model *model, const char *text)
{
    sac_ask ask;
    if (sac_ask_read(model->source, model->batch, text, &ask, NULL) != SAC_OK)
        return false;
    model->sort = VIZ_BY_ASKED;
    model->kind_alone = ask.of_kind ? (int)ask.kind + 1 : 0;
    if (!ask.of_kind)
        model->ask = ask;
    model->seeks_asked = model->seeks_asked || !model->chosen; /* views of one model ask in turn */
    model->chosen = true;
    return true;
}

bool viz_weights_model_asked_score(const viz_weights_model *model, size_t layer, size_t head,
                                   float *score)
{
    if (model->kind_alone) {
        const viz_head_entry *entry = viz_weights_model_entry(model, layer, head);
        if (entry)
            *score =
                sac_weights_score(&entry->scan.stats, (sac_weights_kind)(model->kind_alone - 1));
        return entry != NULL;
    }
    if (model->asked)
        *score = model->asked[layer * model->source->weights.heads + head];
    return model->asked != NULL;
}

bool viz_weights_model_open_asked(viz_weights_model *model)
{
    size_t heads = model->source->weights.heads, count = model->source->weights.layers * heads;
    size_t best = 0;
    float most = -INFINITY, score;
    bool fresh = model->kind_alone || (model->asked && same_pair(&model->asked_of, &model->ask));
    if (!model->seeks_asked || !fresh || model->reduce != SAC_REDUCE_NONE)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!viz_weights_model_asked_score(model, i / heads, i % heads, &score))
            return false;
        best = score > most ? i : best;
        most = fmaxf(score, most);
    }
    model->seeks_asked = false;
    viz_weights_model_select(model, best / heads, best % heads);
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    if (model->kind_alone && entry) { /* a query that shows the pattern */
        size_t row = entry->scan.kind_row[model->kind_alone - 1];
        model->row = row ? row : model->row;
        model->column_chosen = model->column_chosen && !row;
    }
    return true;
}

/* ---------------------------------------------------------------- heads that are switched off */

/* Maps stay as they are until those of heads as they are scaled now are there. */
static bool mark_scaling_changed(viz_weights_model *model)
{
    bool fit = entries_fit(model);
    model->scalings++;
    if (!fit)
        return true;
    model->entries_of.scaled = model->scalings;
    model->thumbs_until = model->figures_until = 0;
    for (size_t i = 0; i < model->entry_count; i++) {
        sac_weights_scan_free(&model->entries[i].begun);
        model->entries[i].failed = false;
        model->entries[i].old_scan = model->entries[i].old_thumb = true;
    }
    return true;
}

bool viz_weights_model_scale_current(viz_weights_model *model, float scale)
{
    size_t heads = model->source->weights.heads;
    bool one = model->reduce == SAC_REDUCE_NONE, all = true;
    size_t first = one ? model->head : 0, end = one ? first + 1 : heads;
    if (!model->head_scale)
        return false;
    float *row = model->head_scale + model->layer * heads;
    for (size_t h = first; h < end; h++)
        all = all && row[h] == scale;
    for (size_t h = first; h < end; h++)
        row[h] = all ? 1 : scale;
    return mark_scaling_changed(model);
}

void viz_weights_model_take_scales(viz_weights_model *model, const char *text)
{
    const sac_weights_source *weights = &model->source->weights;
    if (model->head_scale && sac_head_scales_read(text, weights->layers, weights->heads,
                                                  model->head_scale, NULL) == SAC_OK)
        mark_scaling_changed(model);
}

/* ---------------------------------------------------------------- work */

/* Smaller pictures than this are drawn cell by cell; larger matrices are pooled to it. */
#define THUMB 96
/* Figures of maps larger than this come from a part of the rows, with a note. */
#define SCAN_WEIGHTS ((size_t)1 << 24)
/* … until all rows are read, which they are where they hold no more: a minute or two. */
#define REST_WEIGHTS ((size_t)1 << 32)
/* About 15 ms of scanning: the worker is soon free for what the pointer asks. */
#define SCAN_AT_ONCE ((size_t)1 << 21)
#define BLOCKS_SECONDS 0.012 /* a frame, with what it takes to draw it */

static viz_weights_job *job_create(const viz_weights_model *model, viz_weights_job_kind kind)
{
    viz_weights_job *job = viz_allocate(1, sizeof *job);
    if (!job)
        return NULL;
    job->kind = kind;
    job->choice = viz_weights_model_current(model);
    job->pool = model->pool;
    if (!model->head_scale)
        return job;
    size_t count = model->source->weights.layers * model->source->weights.heads;
    job->head_scale = malloc(count * sizeof *job->head_scale);
    if (job->head_scale) {
        memcpy(job->head_scale, model->head_scale, count * sizeof *job->head_scale);
        return job;
    }
    free(job);
    return NULL;
}

viz_weights_job *viz_weights_model_create_next_job(viz_weights_model *model)
{
    size_t step = step_of(model, model->row);
    bool known = model->next_asked == step + 1 && model->next_scaling == model->scalings + 1;
    if (!model->source->weights.next_after || !model->shows_next || (known && !model->instead))
        return NULL;
    viz_weights_job *job = job_create(model, model->instead ? VIZ_JOB_INSTEAD : VIZ_JOB_NEXT);
    if (!job)
        return NULL;
    job->row = model->instead ? model->next_of : step;
    if (model->instead) {
        job->instead = model->instead - 1;
        model->instead = 0;
        return job;
    }
    model->next_asked = step + 1;
    model->next_scaling = model->scalings + 1;
    return job;
}

viz_weights_job *viz_weights_model_create_asked_job(viz_weights_model *model)
{
    bool known = model->asked_scaling == model->scalings + 1 &&
                 model->asked_batch == model->batch && same_pair(&model->asked_of, &model->ask);
    if (model->sort != VIZ_BY_ASKED || model->kind_alone || known)
        return NULL;
    viz_weights_job *job = job_create(model, VIZ_JOB_ASKED);
    if (!job)
        return NULL;
    job->ask = model->asked_of = model->ask;
    model->asked_scaling = model->scalings + 1;
    model->asked_batch = model->batch;
    return job;
}

viz_weights_job *viz_weights_model_create_effect_job(viz_weights_model *model)
{
    if (!model->head_scale || model->effect_asked == model->scalings + 1)
        return NULL;
    viz_weights_job *job = job_create(model, VIZ_JOB_EFFECT);
    if (job)
        model->effect_asked = model->scalings + 1;
    return job;
}

static void prepare_entries(viz_weights_model *model)
{
    if (entries_fit(model))
        return;
    forget_entries(model);
    size_t count = model->source->weights.layers * viz_weights_model_heads(model);
    model->entries = viz_allocate(count, sizeof *model->entries);
    model->entry_count = model->entries ? count : 0;
    model->entries_of = viz_weights_model_choice(model, 0, 0);
    model->entries_pool = model->pool;
}

static bool lacks_thumb(const viz_head_entry *entry)
{
    return !entry->thumb.cells || entry->old_thumb;
}

static bool is_missing(const viz_head_entry *entry)
{
    return !entry->failed && (!entry->known || entry->old_scan || lacks_thumb(entry));
}

static bool is_missing_thumb(const viz_head_entry *entry)
{
    return is_missing(entry) && lacks_thumb(entry);
}

/* The first entry from `*until` on of which something is missing, which *until becomes. */
static size_t find_lacking_entry(const viz_weights_model *model, size_t *until,
                                 bool (*lacks)(const viz_head_entry *))
{
    while (*until < model->entry_count && !lacks(&model->entries[*until]))
        ++*until;
    return *until < model->entry_count ? *until : SIZE_MAX;
}

/* The current map first, then those without a picture, then those without figures. */
static size_t next_entry(viz_weights_model *model, bool all)
{
    size_t heads = viz_weights_model_heads(model);
    size_t current = model->layer * heads + (heads > 1 ? model->head : 0);
    if (current < model->entry_count && is_missing(&model->entries[current]))
        return current;
    size_t found =
        all ? find_lacking_entry(model, &model->thumbs_until, is_missing_thumb) : SIZE_MAX;
    return all && found == SIZE_MAX ? find_lacking_entry(model, &model->figures_until, is_missing)
                                    : found;
}

viz_weights_job *viz_weights_model_create_entry_job(viz_weights_model *model, bool all)
{
    prepare_entries(model);
    size_t entry = next_entry(model, all), heads = viz_weights_model_heads(model);
    viz_weights_job *job = entry == SIZE_MAX ? NULL : job_create(model, VIZ_JOB_ENTRY);
    if (!job)
        return NULL;
    job->entry = entry;
    job->choice = viz_weights_model_choice(model, entry / heads, entry % heads);
    job->thumb_only = lacks_thumb(&model->entries[entry]);
    job->scan = model->entries[entry].begun;
    model->entries[entry].begun = (sac_weights_scan){0};
    return job;
}

viz_weights_job *viz_weights_model_create_rest_job(viz_weights_model *model)
{
    size_t heads = viz_weights_model_heads(model);
    size_t current = model->layer * heads + (heads > 1 ? model->head : 0);
    viz_head_entry *entry =
        entries_fit(model) && current < model->entry_count ? &model->entries[current] : NULL;
    const sac_weights_stats *stats = entry ? &entry->scan.stats : NULL;
    if (!entry || is_missing(entry) || entry->failed || stats->row_step == 1 ||
        stats->rows > REST_WEIGHTS / stats->columns)
        return NULL;
    viz_weights_job *job = job_create(model, VIZ_JOB_ENTRY);
    if (!job)
        return NULL;
    job->entry = current;
    job->all_rows = true;
    job->scan = entry->begun;
    entry->begun = (sac_weights_scan){0};
    return job;
}

bool viz_weights_model_usable(const viz_weights_model *model)
{
    sac_head_choice choice = viz_weights_model_current(model);
    return !model->problem[0] || !sac_head_choice_same(&choice, &model->problem_choice);
}

/* Of several queries the job has its own marks; NULL, and it is freed: no memory. */
static viz_weights_job *set_job_rows(const viz_weights_model *model, viz_weights_job *job,
                                     size_t row)
{
    size_t steps = model->source->weights.steps;
    job->row = row;
    if (!viz_is_several(row))
        return job;
    job->several = malloc(steps + 1);
    if (job->several) {
        memcpy(job->several, model->several, steps);
        return job;
    }
    free(job->head_scale);
    free(job);
    return NULL;
}

viz_weights_job *viz_weights_model_create_row_job(viz_weights_model *model, size_t row)
{
    viz_weights_job *job = job_create(model, VIZ_JOB_ROW);
    return job ? set_job_rows(model, job, row) : NULL;
}

viz_weights_job *viz_weights_model_create_heads_job(viz_weights_model *model,
                                                    const sac_head_choice *choice, size_t row)
{
    viz_weights_job *job = job_create(model, VIZ_JOB_HEADS);
    if (job)
        job->choice = *choice;
    return job ? set_job_rows(model, job, row) : NULL;
}

/* The largest, of differences by magnitude. */
static float find_most(const viz_weights_model *model, const float *values, size_t count)
{
    bool difference = viz_is_signed(model);
    float most = -FLT_MAX;
    for (size_t i = 0; i < count; i++) {
        float value = difference ? fabsf(values[i]) : values[i];
        most = value > most ? value : most;
    }
    return most;
}

/* The masked weights [rect.rows,rect.cols] of a map, to be freed: those of a head that a mask keeps
 * at 0, and keys that are hidden. NULL where there are none, or they are not known. */
static uint8_t *read_masked(const viz_weights_model *model, const sac_head_choice *choice,
                            const sac_rect *rect)
{
    const sac_source *source = model->source;
    bool by_mask = source->weights.masked && choice->reduce == SAC_REDUCE_NONE;
    if (!by_mask && choice->special == SAC_SPECIAL_SHOWN)
        return NULL;
    sac_rect map = viz_map_of(source, choice);
    sac_tile tile = {choice->batch, choice->head,        rect->row + map.row,
                     rect->rows,    rect->col + map.col, rect->cols};
    uint8_t *masked = calloc(tile.rows, tile.cols);
    if (masked && by_mask &&
        source->weights.masked(source->self, choice->layer, &tile, masked, NULL) != SAC_OK) {
        free(masked);
        return NULL;
    }
    for (size_t i = 0; masked && choice->special != SAC_SPECIAL_SHOWN && i < tile.rows * tile.cols;
         i++)
        masked[i] |= source->weights.special[tile.col + i % tile.cols];
    return masked;
}

bool viz_difference_has_sides(const viz_weights_model *model, const sac_head_choice *choice)
{
    return viz_is_difference(model) && choice->reduce == SAC_REDUCE_NONE &&
           choice->prefix != SAC_PREFIX_MASKED && choice->special == SAC_SPECIAL_SHOWN;
}

/* Both sides of `columns` weights of a row of the map into `sides` [2,columns]; nothing where it has none. */
static sac_status read_sides(const viz_weights_model *model, const sac_head_choice *choice,
                             size_t row, size_t column, size_t columns, float *sides,
                             sac_error *error)
{
    const sac_source *source = model->source;
    if (!viz_difference_has_sides(model, choice))
        return SAC_OK;
    sac_rect map = viz_map_of(source, choice);
    sac_tile tile = {choice->batch, choice->head, row + map.row, 1, column + map.col, columns};
    return source->weights.sides(source->self, choice->layer, &tile, sides, sides + columns, error);
}

/* Row `row` of the small picture, which a band of the map's rows is pooled to. */
static void fill_masked_thumb_row(const viz_weights_model *model, viz_weights_job *job,
                                  const sac_rect *band, size_t row)
{
    viz_thumb *thumb = &job->thumb;
    uint8_t *masked = read_masked(model, &job->choice, band);
    if (masked && !thumb->masked)
        thumb->masked = calloc(thumb->rows, thumb->cols);
    for (size_t c = 0; masked && thumb->masked && c < thumb->cols; c++) {
        uint8_t all = 1;
        for (size_t r = 0; r < band->rows; r++)
            for (size_t x = c * band->cols / thumb->cols; x < (c + 1) * band->cols / thumb->cols;
                 x++)
                all &= masked[r * band->cols + x];
        thumb->masked[row * thumb->cols + c] = all;
    }
    free(masked);
}

/* The small picture, a band of rows at a time; of huge maps, only the first rows of each band. */
static sac_status compute_thumb(viz_weights_model *model, viz_weights_job *job, sac_error *error)
{
    viz_thumb *thumb = &job->thumb;
    sac_rect map = viz_map_of(model->source, &job->choice);
    size_t rows = map.rows, columns = map.cols;
    thumb->rows = rows / ((rows + THUMB - 1) / THUMB);
    thumb->cols = columns / ((columns + THUMB - 1) / THUMB);
    thumb->cells = malloc(thumb->rows * thumb->cols * sizeof *thumb->cells);
    if (!thumb->cells)
        return sac_no_memory(error, "map");
    size_t most = SCAN_WEIGHTS / columns / thumb->rows + 1;
    sac_status status = SAC_OK;
    for (size_t r = 0; r < thumb->rows && status == SAC_OK; r++) {
        size_t top = r * rows / thumb->rows, height = (r + 1) * rows / thumb->rows - top;
        sac_rect band = {top, height < most ? height : most, 0, columns};
        status = sac_head_choice_read(&model->reader, &job->choice, &band, job->pool, 1,
                                      thumb->cols, thumb->cells + r * thumb->cols, error);
        if (status == SAC_OK)
            fill_masked_thumb_row(model, job, &band, r);
    }
    thumb->high = find_most(model, thumb->cells, status == SAC_OK ? thumb->rows * thumb->cols : 0);
    return status;
}

static sac_status compute_map_statistics(viz_weights_model *model, viz_weights_job *job,
                                         sac_error *error)
{
    sac_rect map = viz_map_of(model->source, &job->choice);
    sac_status status = SAC_OK;
    if (!job->scan.row_sum) {
        size_t step = job->all_rows ? 1 : (map.rows - 1) / (SCAN_WEIGHTS / map.cols + 1) + 1;
        status = sac_head_choice_scan_begin(model->source, &job->choice, step, &job->scan, error);
        job->scan.finds_peak = !viz_rows_are_weights(model);
    }
    job->from_row = job->scan.next_row;
    if (status == SAC_OK)
        status =
            sac_head_choice_scan(&model->reader, &job->choice, SCAN_AT_ONCE, &job->scan, error);
    const sac_weights_stats *stats = &job->scan.stats;
    if (status == SAC_OK)
        status = read_sides(model, &job->choice, stats->peak_row, stats->peak_column, 1,
                            job->peak_sides, error);
    return status;
}

static sac_status compute_entry(viz_weights_model *model, viz_weights_job *job, sac_error *error)
{
    return job->thumb_only ? compute_thumb(model, job, error)
                           : compute_map_statistics(model, job, error);
}

/* The row that is requested, or the mean of several, into `weights` [columns]. Of several, those that the
 * map has. */
static sac_status read_row(viz_weights_model *model, const viz_weights_job *job,
                           const sac_head_choice *choice, float *weights, sac_error *error)
{
    sac_rect map = viz_map_of(model->source, choice), rect = {job->row, 1, 0, map.cols};
    size_t columns = map.cols, count = 0;
    if (!job->several)
        return sac_head_choice_read(&model->reader, choice, &rect, SAC_POOL_MEAN, 1, columns,
                                    weights, error);
    float *one = malloc(columns * sizeof *one);
    sac_status status = one ? SAC_OK : sac_no_memory(error, "map");
    memset(weights, 0, columns * sizeof *weights);
    for (rect.row = 0; rect.row < map.rows && status == SAC_OK; rect.row++) {
        if (!job->several[rect.row + map.row])
            continue;
        status = sac_head_choice_read(&model->reader, choice, &rect, SAC_POOL_MEAN, 1, columns, one,
                                      error);
        for (size_t c = 0; c < columns && status == SAC_OK; c++)
            weights[c] += one[c];
        count++;
    }
    for (size_t c = 0; c < columns; c++)
        weights[c] /= (float)(count ? count : 1);
    free(one);
    return status;
}

/* The keys that a mask hides from the query, or from each of several. */
static uint8_t *read_masked_row(const viz_weights_model *model, const viz_weights_job *job)
{
    sac_rect map = viz_map_of(model->source, &job->choice), rect = {job->row, 1, 0, map.cols};
    uint8_t *all = NULL;
    if (!job->several)
        return read_masked(model, &job->choice, &rect);
    for (rect.row = 0; rect.row < map.rows; rect.row++) {
        uint8_t *one =
            job->several[rect.row + map.row] ? read_masked(model, &job->choice, &rect) : NULL;
        for (size_t c = 0; c < map.cols && one && all; c++)
            all[c] &= one[c];
        if (!all)
            all = one;
        else
            free(one);
    }
    return all;
}

static sac_status compute_row(viz_weights_model *model, viz_weights_job *job, sac_error *error)
{
    size_t columns = viz_map_of(model->source, &job->choice).cols;
    job->weights = malloc(columns * sizeof *job->weights);
    if (!job->weights)
        return sac_no_memory(error, "map");
    job->masked = read_masked_row(model, job);
    sac_status status = read_row(model, job, &job->choice, job->weights, error);
    if (status == SAC_OK && !job->several && viz_difference_has_sides(model, &job->choice)) {
        job->sides = malloc(2 * columns * sizeof *job->sides);
        status = job->sides
                     ? read_sides(model, &job->choice, job->row, 0, columns, job->sides, error)
                     : sac_no_memory(error, "map");
    }
    return status;
}

static sac_status compute_row_of_heads(viz_weights_model *model, viz_weights_job *job,
                                       sac_error *error)
{
    size_t heads = model->source->weights.heads;
    size_t columns = viz_map_of(model->source, &job->choice).cols;
    sac_head_choice head = job->choice;
    sac_status status = SAC_OK;
    job->weights = malloc(heads * columns * sizeof *job->weights);
    if (!job->weights)
        return sac_no_memory(error, "map");
    for (head.head = 0; head.head < heads && status == SAC_OK; head.head++)
        status = read_row(model, job, &head, job->weights + head.head * columns, error);
    return status;
}

static sac_status compute_blocks(viz_weights_model *model, viz_weights_job *job, sac_error *error)
{
    double start = sac_now();
    sac_status status = SAC_OK;
    while (job->blocks_done < job->block_count && status == SAC_OK) {
        viz_block *block = &job->blocks[job->blocks_done];
        status = viz_block_advance(&model->reader, block, error);
        if (status == SAC_OK && viz_block_is_done(block)) {
            block->high = find_most(model, block->values, block->out_rows * block->out_cols);
            if (block->step_rows == 1 && block->step_cols == 1)
                block->masked = read_masked(model, &block->choice, &block->rect);
            job->blocks_done++;
        }
        if (sac_now() - start > BLOCKS_SECONDS)
            break;
    }
    return status;
}

static sac_status compute_next_tokens(viz_weights_model *model, viz_weights_job *job,
                                      sac_error *error)
{
    const sac_source *source = model->source;
    return source->weights.next_after(source->self, job->row, job->next, &job->next_count, error);
}

static sac_status generate_other_token(viz_weights_model *model, viz_weights_job *job,
                                       sac_error *error)
{
    const sac_source *source = model->source;
    return source->weights.generate_instead(source->self, job->row, job->instead, &job->text,
                                            error);
}

static sac_status compute_asked_scores(viz_weights_model *model, viz_weights_job *job,
                                       sac_error *error)
{
    const sac_weights_source *weights = &model->source->weights;
    job->weights = malloc(weights->layers * weights->heads * sizeof *job->weights);
    if (!job->weights)
        return sac_no_memory(error, "heads");
    return sac_ask_scores(model->source, job->choice.batch, &job->ask, job->weights, error);
}

static sac_status compute_scaling_effect(viz_weights_model *model, viz_weights_job *job,
                                         sac_error *error)
{
    const sac_source *source = model->source;
    const sac_weights_source *weights = &source->weights;
    sac_status status = weights->scale_heads(source->self, job->head_scale, &job->effect, error);
    if (status != SAC_OK || !weights->generator ||
        sac_head_scales_are_all_one(job->head_scale, weights->layers * weights->heads))
        return status;
    return sac_source_generate_without(weights->generator, weights->generator_kind, job->head_scale,
                                       &job->effect, error);
}

/* Of the same source another view may show heads that are scaled otherwise. */
static sac_status scale_heads(viz_weights_model *model, const viz_weights_job *job,
                              sac_error *error)
{
    const sac_source *source = model->source;
    if (!job->head_scale)
        return SAC_OK;
    if (model->reader_scaling != job->choice.scaled) {
        sac_reader_free(&model->reader);
        model->reader.source = source;
        model->reader_scaling = job->choice.scaled;
    }
    return source->weights.scale_heads(source->self, job->head_scale, NULL, error);
}

sac_status viz_weights_model_run_job(viz_weights_model *model, viz_weights_job *job,
                                     sac_error *error)
{
    static sac_status (*const kinds[])(viz_weights_model *, viz_weights_job *,
                                       sac_error *) = {[VIZ_JOB_ROW] = compute_row,
                                                       [VIZ_JOB_HEADS] = compute_row_of_heads,
                                                       [VIZ_JOB_BLOCKS] = compute_blocks,
                                                       [VIZ_JOB_ENTRY] = compute_entry,
                                                       [VIZ_JOB_EFFECT] = compute_scaling_effect,
                                                       [VIZ_JOB_ASKED] = compute_asked_scores,
                                                       [VIZ_JOB_NEXT] = compute_next_tokens,
                                                       [VIZ_JOB_INSTEAD] = generate_other_token};
    double start = sac_now();
    sac_status status = scale_heads(model, job, error);
    if (status == SAC_OK)
        status = kinds[job->kind](model, job, error);
    memcpy(job->of, model->reader.of, sizeof job->of);
    job->milliseconds = 1e3 * (sac_now() - start);
    return status;
}

void viz_block_free(viz_block *block)
{
    free(block->values);
    free(block->places);
    free(block->masked);
    *block = (viz_block){0};
}

/* What is known of further rows comes to that of every n-th. */
static void add_rows(viz_head_entry *entry, const viz_weights_job *job)
{
    sac_weights_scan *known = &entry->scan;
    const sac_weights_scan *read = &job->scan;
    for (size_t r = job->from_row; r < read->next_row; r++) {
        known->row_sum[r] = read->row_sum[r];
        known->row_entropy[r] = read->row_entropy[r];
    }
    entry->all_until = read->next_row;
    if (fabsf(read->stats.peak) <= fabsf(known->stats.peak))
        return;
    known->stats.peak = read->stats.peak;
    known->stats.peak_row = read->stats.peak_row;
    known->stats.peak_column = read->stats.peak_column;
    memcpy(entry->peak_sides, job->peak_sides, sizeof entry->peak_sides);
}

/* Where the choices have changed meanwhile, the entry belongs to another map, and nothing is kept.
 */
static void take_entry(viz_weights_model *model, viz_weights_job *job, bool failed)
{
    sac_head_choice of = job->choice;
    of.layer = of.head = 0;
    if (!model->entries || !sac_head_choice_same(&of, &model->entries_of) ||
        job->pool != model->entries_pool || job->entry >= model->entry_count)
        return;
    viz_head_entry *entry = &model->entries[job->entry];
    const sac_weights_stats *stats = &job->scan.stats;
    entry->failed = failed;
    bool whole = !failed && !job->thumb_only && job->scan.next_row == stats->rows;
    if (job->all_rows && !failed)
        add_rows(entry, job);
    sac_weights_scan *place = whole ? &entry->scan : &entry->begun;
    sac_weights_scan_free(place);
    *place = job->scan;
    job->scan = (sac_weights_scan){0};
    if (whole) {
        memcpy(entry->peak_sides, job->peak_sides, sizeof entry->peak_sides);
        entry->known = true;
        entry->old_scan = false;
        entry->all_until = 0;
    }
    if (job->thumb_only && !failed) {
        thumb_free(&entry->thumb);
        entry->thumb = job->thumb;
        entry->old_thumb = false;
        job->thumb = (viz_thumb){0};
    }
}

void viz_weights_model_finish_job(viz_weights_model *model, viz_weights_job *job,
                                  const sac_error *error)
{
    if (job->of[0])
        memcpy(model->of, job->of, sizeof model->of);
    if (job->kind == VIZ_JOB_ENTRY)
        take_entry(model, job, error != NULL);
    if (job->kind == VIZ_JOB_EFFECT && !error) {
        sac_heads_effect_free(&model->effect);
        model->effect = job->effect;
        model->effect_of = job->choice.scaled;
        job->effect = (sac_heads_effect){0};
    }
    if (job->kind == VIZ_JOB_NEXT && !error) {
        memcpy(model->next, job->next, sizeof model->next);
        model->next_count = job->next_count;
        model->next_of = job->row;
    }
    if (job->kind == VIZ_JOB_INSTEAD && !error) {
        free(model->generated_instead);
        model->generated_instead = job->text;
        job->text = NULL;
    }
    if (job->kind == VIZ_JOB_ASKED && !error) {
        free(model->asked);
        model->asked = job->weights;
        job->weights = NULL;
    }
    if (job->kind == VIZ_JOB_BLOCKS)
        model->milliseconds = job->milliseconds;
    if (!viz_request_take(&model->request, error)) {
        memcpy(model->problem, model->request.problem, sizeof model->problem);
        model->problem_choice = job->choice;
    }
    sac_heads_effect_free(&job->effect);
    free(job->text);
    free(job->head_scale);
    free(job->several);
    free(job->weights);
    free(job->masked);
    free(job->sides);
    thumb_free(&job->thumb);
    sac_weights_scan_free(&job->scan);
    for (size_t i = 0; i < job->block_count; i++)
        viz_block_free(&job->blocks[i]);
    free(job);
}

/* ---------------------------------------------------------------- cells and scales */

bool viz_weights_model_cell(const viz_weights_model *model, size_t column, size_t *x, size_t *y)
{
    size_t cell, width = (size_t)model->source->picture.grid_w;
    column += viz_weights_model_map(model).col;
    if (!width || !sac_source_find_cell(model->source, model->batch, column, &cell))
        return false;
    *x = cell % width;
    *y = cell / width;
    return true;
}

bool viz_weights_model_column_of(const viz_weights_model *model, size_t x, size_t y, size_t *column)
{
    size_t left = viz_weights_model_map(model).col;
    size_t token = sac_source_cell_position(model->source, model->batch,
                                            y * (size_t)model->source->picture.grid_w + x);
    *column = token - left;
    return token >= left;
}

float viz_weights_model_uniform(const viz_weights_model *model)
{
    sac_rect map = viz_weights_model_map(model);
    if (!viz_rows_are_weights(model))
        return 0;
    return 1.0f / (float)(model->source->weights.turned ? map.rows : map.cols);
}

bool viz_weights_model_shares_scale(const viz_weights_model *model)
{
    return model->scale == VIZ_SHARED || model->scale == VIZ_ROOT || model->scale == VIZ_LOG;
}

/* Of the largest difference, where their logarithmic scale begins on either side of zero. */
#define LEAST_DIFFERENCE 1e-4f

/* The logarithmic scale begins two decades below the decade of 1/N; of other numbers than weights, with a `high` above
 * 1, it spans as many decades as if it ended at 1. */
viz_scale viz_weights_model_scale(const viz_weights_model *model, float high)
{
    viz_scale scale = {.kind = model->scale, .low = 0, .high = 1};
    scale.about_zero = viz_is_signed(model);
    if (scale.about_zero && model->scale != VIZ_FIXED) {
        scale.high = high > 0 ? high : 1;
        scale.low = scale.high * LEAST_DIFFERENCE;
    } else if (model->scale == VIZ_LOG) {
        scale.high = high > 0 ? high : 1;
        float uniform = viz_weights_model_uniform(model);
        scale.low =
            (high > 1.001f ? high : 1) * powf(10, floorf(log10f(uniform > 0 ? uniform : 1)) - 2);
    } else if (model->scale != VIZ_FIXED) {
        scale.high = high > 0 ? high : 1;
    }
    return scale;
}

float viz_weights_model_largest_weight(const viz_weights_model *model, bool of_thumbs)
{
    float most = -FLT_MAX;
    for (size_t i = 0; entries_fit(model) && i < model->entry_count; i++) {
        const viz_head_entry *entry = &model->entries[i];
        if (of_thumbs ? entry->thumb.cells != NULL : entry->known)
            most = fmaxf(most, of_thumbs ? entry->thumb.high : viz_head_entry_most(entry));
    }
    return most;
}
