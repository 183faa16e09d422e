#include "lessons/lesson_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "lessons/engine/lesson.h"
#include "lessons/engine/recipe.h"
#include "lessons/ideas/lessons.h"

typedef struct state {
    sac_device *device;
    sac_own_file own;
    sac_image sight;
    char sight_credit[SAC_LESSON_CREDIT];
    sac_lesson_entry *entries;
    void (*finish)(const char *lesson); /* NULL: it is not kept */
} state;

/* ---------------------------------------------------------------- what a view is given */

static sac_status arithmetic_of(const void *self, sac_node array, size_t cell,
                                sac_arithmetic *arithmetic, sac_error *error)
{
    return sac_arithmetic_of(&((const sac_lesson *)self)->graph, array, cell, SAC_FOR_PEOPLE,
                             arithmetic, error);
}

static int choose_questions(const void *self, uint64_t seed, sac_asked *asked, int most)
{
    return sac_lesson_pick_questions(self, seed, asked, most);
}

static char *asked_text(const void *self, const sac_asked *asked, sac_locale language, char *text,
                        size_t size)
{
    return sac_asked_text(self, asked, language, text, size);
}

static char *choice_text(const void *self, const sac_asked *asked, int place, sac_locale language,
                         char *text, size_t size)
{
    return sac_choice_text(self, asked, place, language, text, size);
}

static void free_lesson(void *self)
{
    sac_lesson_clear(self);
    free(self);
}

static float largest_magnitude(const sac_small_array *array)
{
    float most = 0;
    for (size_t i = 0; i < sac_small_count(array->shape); i++)
        if (isfinite(array->numbers[i]))
            most = fmaxf(most, fabsf(array->numbers[i]));
    return most;
}

static sac_shown_array describe_array(const sac_graph *graph, const sac_small_array *array)
{
    sac_extent e = sac_small_extent(array->shape);
    sac_shown_array shown = {.name = array->name,
                             .rank = array->shape.rank,
                             .batch = e.batch,
                             .rows = e.rows,
                             .columns = e.columns,
                             .numbers = array->numbers,
                             .given = array->settable,
                             .shares = array->shares,
                             .making = sac_operation_making(array->operation),
                             .index = array->index,
                             .noise = array->noise,
                             .row_labels = array->row_labels,
                             .column_labels = array->column_labels,
                             .row_terms = array->row_terms,
                             .column_terms = array->column_terms};
    if (array->like)
        shown.scale =
            fmaxf(largest_magnitude(array), largest_magnitude(&graph->arrays[array->like - 1]));
    memcpy(shown.shape, array->shape.n, sizeof shown.shape);
    memcpy(shown.inputs, array->inputs, sizeof shown.inputs);
    return shown;
}

void sac_lesson_describe(sac_lesson *lesson, sac_shown_lesson *shown)
{
    const sac_lesson_class *class = lesson->class;
    *shown = (sac_shown_lesson){.name = class->name,
                                .title = class->title,
                                .summary = class->summary,
                                .parameters = class->parameters,
                                .array_count = lesson->graph.count,
                                .steps = lesson->steps,
                                .step_count = lesson->step_count,
                                .drawings = lesson->drawings,
                                .drawing_count = lesson->drawing_count,
                                .self = lesson,
                                .arithmetic = arithmetic_of,
                                .ask = choose_questions,
                                .asked_text = asked_text,
                                .choice_text = choice_text,
                                .destroy = free_lesson};
    memcpy(shown->values, lesson->values, sizeof shown->values);
    sac_lesson_find_idle_steps(lesson, shown->idle);
    while (class->parameters && class->parameters[shown->parameter_count].name)
        shown->parameter_count++;
    for (int i = 0; i < lesson->graph.count; i++)
        shown->arrays[i] = describe_array(&lesson->graph, &lesson->graph.arrays[i]);
}

/* ---------------------------------------------------------------- the source */

static sac_status compute_requested_lesson(void *self, const sac_lesson_request *request,
                                           sac_shown_lesson *shown, sac_error *error)
{
    state *s = self;
    const sac_lesson_class *class = sac_lesson_find(request->name);
    sac_lesson *lesson = class ? calloc(1, sizeof *lesson) : NULL;
    *shown = (sac_shown_lesson){0};
    if (!class)
        return sac_fail(error, SAC_E_ARGUMENT, request->name, "see `saccade lesson` for a list",
                        "is no lesson");
    if (!lesson)
        return sac_no_memory(error, request->name);
    sac_lesson_begin(lesson, class);
    lesson->own = s->own.arrays;
    lesson->picture = s->own.picture.rgba ? &s->own.picture : NULL;
    lesson->sight = s->sight.rgba ? &s->sight : NULL;
    memcpy(lesson->sight_credit, s->sight_credit, sizeof lesson->sight_credit);
    if (request->seed_given)
        lesson->seed = request->seed;
    sac_status status = sac_lesson_set_all(lesson, request->settings, error);
    if (status == SAC_OK && request->text[0])
        status = sac_lesson_read_sentence(lesson, request->text, error);
    if (status == SAC_OK)
        status = sac_lesson_compute(lesson, s->device, error);
    if (status == SAC_OK && request->asks)
        status = sac_lesson_add_questions(lesson, s->device, error);
    if (status == SAC_OK)
        sac_lesson_describe(lesson, shown);
    else
        free_lesson(lesson);
    return status;
}

static sac_status write_requested_recipe(void *self, const sac_lesson_request *request,
                                         sac_locale language, FILE *file, sac_error *error)
{
    sac_lesson_request asking = *request;
    sac_shown_lesson *shown = calloc(1, sizeof *shown);
    if (!shown)
        return sac_no_memory(error, request->name);
    asking.asks = true;
    sac_status status = compute_requested_lesson(self, &asking, shown, error);
    if (status == SAC_OK)
        status = sac_lesson_write_recipe(shown->self, language, file, error);
    sac_shown_lesson_free(shown);
    free(shown);
    return status;
}

static void destroy(void *self)
{
    state *s = self;
    sac_device_close(s->device);
    sac_own_file_close(&s->own);
    sac_image_free(&s->sight);
    free(s->entries);
    free(s);
}

static void mark_lesson_finished(void *self, int entry)
{
    state *s = self;
    if (s->finish && !s->entries[entry].finished)
        s->finish(s->entries[entry].name);
    s->entries[entry].finished = true;
}

/* The list, out of the table of lessons. */
static sac_status list_lessons(state *s, const sac_lessons_options *options, sac_source *source,
                               sac_error *error)
{
    int count = 0;
    while (sac_lessons[count])
        count++;
    s->entries = calloc((size_t)count + 1, sizeof *s->entries);
    if (!s->entries)
        return sac_no_memory(error, "lessons");
    for (int i = 0; i < count; i++) {
        const sac_lesson_class *class = sac_lessons[i];
        bool finished = options->is_finished && options->is_finished(class->name);
        s->entries[i] = (sac_lesson_entry){class->name, class->title, class->summary,
                                           sac_lesson_opened_group_name(class), finished};
    }
    s->finish = options->finish;
    source->lesson.entries = s->entries;
    source->lesson.entry_count = count;
    return SAC_OK;
}

sac_status sac_lessons_open(const sac_lessons_options *options, sac_source *source,
                            sac_error *error)
{
    state *s = calloc(1, sizeof *s);
    if (!s) {
        sac_image sight = options->sight;
        sac_image_free(&sight);
        return sac_no_memory(error, "lessons");
    }
    s->sight = options->sight;
    *source = (sac_source){.self = s,
                           .lesson.first = options->lesson,
                           .lesson.doors = sac_lesson_doors,
                           .lesson.door_count = SAC_DOORS,
                           .lesson.finish = mark_lesson_finished,
                           .lesson.teach = compute_requested_lesson,
                           .lesson.write_recipe = write_requested_recipe,
                           .destroy = destroy};
    snprintf(source->title, sizeof source->title, "lessons");
    sac_status status = list_lessons(s, options, source, error);
    if (status == SAC_OK && options->from)
        status = sac_own_file_open(options->from, &s->own, error);
    memcpy(s->sight_credit, options->sight_credit, sizeof s->sight_credit);
    if (status == SAC_OK)
        status = sac_device_open(options->device, &s->device, error);
    if (status == SAC_OK)
        sac_device_short_name(sac_device_get_info(s->device), source->origin.device,
                              sizeof source->origin.device);
    if (options->from)
        snprintf(source->origin.file, sizeof source->origin.file, "%s", options->from);
    return status;
}
