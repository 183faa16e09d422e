/* The translation view's table, its jobs, and what their results change. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "translation/translation_state.h"
#include "view/map.h"
#include "view/words.h"

/* One translation, or two of two models, of this sentence or of another one. */
typedef struct translation_job {
    viz_job base;
    int number; /* to turn to first; −1: the text is read */
    char text[TYPED];
    sac_result_request request;
    uint8_t hidden[WORDS]; /* a copy, as the person may go on */
    translation_sentence sentence;
    sac_result caption;
} translation_job;

/* ---------------------------------------------------------------- jobs */

static viz_job *want(viz_view *view)
{
    translation_view *v = translation_of(view);
    if (!viz_request_due(&v->g.request, v->g.revision))
        return NULL;
    translation_job *job = viz_job_create(&viz_translation_class, sizeof *job);
    if (!job)
        return NULL;
    job->number = v->wanted_number;
    memcpy(job->text, v->field.text, sizeof job->text);
    memcpy(job->hidden, v->hidden, sizeof job->hidden);
    job->request = viz_generation_ask(&v->g);
    job->request.attribution = v->attribution;
    job->request.hidden = v->hidden_of ? job->hidden : NULL;
    return viz_request_submit(&v->g.request, &job->base, v->g.revision);
}

/* A word that is not known may be one that is still being typed: then what stands before it is
 * translated, and the reason kept. */
static sac_status read_words(sac_source *source, translation_job *job, sac_error *error)
{
    char line[1200], *unread = job->sentence.unread;
    sac_error wrong = {0}, again = {0};
    sac_status status = sac_source_read(source, job->text, &wrong);
    if (status == SAC_E_ARGUMENT) {
        size_t end = strlen(job->text);
        while (end > 0 && !isspace((unsigned char)job->text[end - 1]))
            end--;
        job->text[end] = '\0';
        if (end > 0 && sac_source_read(source, job->text, &again) == SAC_OK) {
            snprintf(unread, sizeof job->sentence.unread, "%.500s",
                     sac_error_line(&wrong, line, sizeof line));
            return SAC_OK;
        }
    }
    if (status != SAC_OK && error)
        *error = wrong;
    return status;
}

static void copy_sentence(const sac_source *source, translation_sentence *sentence)
{
    memcpy(sentence->text, source->speaker.text, sizeof sentence->text);
    sac_source_shown_note(source, sentence->note, sizeof sentence->note);
    sentence->number = source->picture.number;
    sentence->has_truth = source->speaker.has_truth;
    sentence->truth = source->speaker.alignment;
}

static sac_status work(viz_view *view, viz_job *base, sac_error *error)
{
    translation_job *job = viz_job_of(base, &viz_translation_class);
    sac_source *source = translation_of(view)->g.source;
    sac_status status = job->number >= 0 ? sac_source_turn(source, job->number, error)
                                         : read_words(source, job, error);
    if (status == SAC_OK)
        copy_sentence(source, &job->sentence);
    if (status == SAC_OK)
        status = sac_source_generate(source, &job->request, &job->caption, error);
    return status;
}

/* The model's words as a person would type them: no blank before the full stop. */
static void fill_field(translation_view *v, const char *text)
{
    char *to = v->field.text;
    snprintf(to, sizeof v->field.text, "%.*s", TYPED - 1, text);
    size_t length = strlen(to);
    if (length > 2 && strcmp(to + length - 2, " .") == 0)
        strcpy(to + length - 2, ".");
    v->field.caret = strlen(to);
}

/* After a sentence is opened, the field has its text. */
static void take(viz_view *view, viz_job *base, const sac_error *error)
{
    translation_view *v = translation_of(view);
    translation_job *job = viz_job_of(base, &viz_translation_class);
    v->g.list.open = false;
    if (job->number >= 0 && v->wanted_number == job->number) {
        v->wanted_number = -1;
        if (job->sentence.text[0]) /* else it could not be opened */
            fill_field(v, job->sentence.text);
    }
    if (viz_request_take(&v->g.request, error)) {
        const sac_result *c = &v->g.caption;
        v->sentence = job->sentence;
        viz_generation_take(&v->g, &job->caption);
        for (int i = 0; i < c->count; i++)
            v->target[i] = c->outputs[i].text;
        for (int i = 0; i < c->count; i++)
            v->joins[i] = c->line && i > 0 && sac_result_joins(c, i);
        for (int i = 0; i < c->grid_w && i < WORDS; i++)
            v->source_words[i] = c->positions[i];
        if (v->hidden_of != c->grid_w)
            v->hidden_of = 0;
        v->hover_row = v->hover_column = -1;
        viz_generation_find_word(&v->g);
    }
    sac_result_free(&job->caption);
    free(job);
}

/* ---------------------------------------------------------------- what is on show */

static bool tick(viz_view *view, double now)
{
    return viz_generation_tick(viz_generation_of(view), now, false);
}

static void frame(viz_view *view, int index, int fps)
{
    translation_view *v = translation_of(view);
    v->g.fresh = false;
    if (v->g.caption.count)
        viz_player_frame(&v->g.player, v->g.caption.count, index, fps);
}

static void status(const viz_view *view, char *text, size_t size)
{
    const translation_view *v = (const translation_view *)view;
    double ms = v->g.caption.milliseconds;
    int used = snprintf(text, size, viz_word("%d words"), v->g.caption.grid_w);
    if (v->g.source->origin.device[0] && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "  ·  %s", v->g.source->origin.device);
    if (ms > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "  ·  %.0f ms", ms);
}

/* ---------------------------------------------------------------- numbers */

static char *table_name(const viz_view *view, bool of_row, size_t index, char *text, size_t size)
{
    const translation_view *v = (const translation_view *)view;
    snprintf(text, size, "%s", of_row ? v->target[index] : v->source_words[index]);
    return text;
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

static bool translation_map(const viz_view *view, viz_map *map)
{
    const translation_view *v = (const translation_view *)view;
    const sac_result *c = &v->g.caption;
    if (!viz_map_size(map, (size_t)c->count, (size_t)c->grid_w))
        return false;
    memcpy(map->values, c->weights, (size_t)(c->count * c->grid_w) * sizeof *map->values);
    if (!copy_labels(v->target, c->count, &map->row_labels) ||
        !copy_labels(v->source_words, c->grid_w, &map->column_labels)) {
        sac_labels_free(&map->row_labels);
        sac_labels_free(&map->column_labels);
    }
    return true;
}

static viz_rect translation_map_rect(const viz_view *view)
{
    return ((const translation_view *)view)->layout.panel.grid.cells;
}

/* ---------------------------------------------------------------- the table */

static bool typing(const viz_view *view)
{
    const translation_view *v = (const translation_view *)view;
    return v->field.typing || v->g.list.open;
}

/* The word that is current, and the word of the sentence that it looks at most. */
static bool translation_subject(const viz_view *view, viz_subject *subject)
{
    const translation_view *v = (const translation_view *)view;
    const sac_result *caption = &v->g.caption;
    int word = viz_generation_word(&v->g);
    subject->caption = viz_generation_ask(&v->g);
    subject->caption.hidden = v->hidden_of ? v->hidden : NULL;
    subject->hidden_count = v->hidden_of ? (size_t)v->hidden_of : 0;
    subject->request.caption = &subject->caption;
    if (word < 0)
        return false;
    subject->request.step = (size_t)word;
    subject->request.position = (size_t)caption->outputs[word].peak_x;
    snprintf(subject->query, sizeof subject->query, "“%s”", caption->outputs[word].text);
    snprintf(subject->where, sizeof subject->where, viz_word("%s attention"),
             view->source->speaker.model[v->g.model]);
    return true;
}

static char *translation_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    return table_name(view, false, position, text, size);
}

static void destroy(viz_view *view)
{
    translation_view *v = translation_of(view);
    sac_result_free(&v->g.caption);
    free(v);
}

static bool accepts(const sac_source *source)
{
    return source->speaker.generate && source->speaker.read;
}

const viz_view_class viz_translation_class = {
    .name = "translation",
    .tab = "Translate",
    .is_place = true,
    .accepts = accepts,
    .create = viz_translation_view_create,
    .draw = translation_draw,
    .figure = translation_draw_figure,
    .figure_height = translation_figure_height,
    .event = translation_event,
    .tick = tick,
    .want = want,
    .work = work,
    .take = take,
    .status = status,
    .settings = {translation_settings},
    .keys = translation_keys,
    .spots = translation_spots,
    .about = "A sentence that is translated as you type, and where each word looks.",
    .typing = typing,
    .other = viz_generation_other,
    .subject = translation_subject,
    .key_name = translation_key_name,
    .map = translation_map,
    .map_rect = translation_map_rect,
    .table = viz_generation_table,
    .table_name = table_name,
    .table_row = viz_generation_table_row,
    .frames = viz_generation_frames,
    .frame = frame,
    .destroy = destroy,
};

sac_status viz_translation_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                       sac_error *error)
{
    translation_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "translation view");
    viz_generation_init(&v->g, &viz_translation_class, source);
    copy_sentence(source, &v->sentence);
    fill_field(v, source->speaker.text);
    v->wanted_number = v->hover_row = v->hover_column = -1;
    *view = &v->g.base;
    return SAC_OK;
}
