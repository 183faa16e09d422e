#include "lessons/engine/lesson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random/random.h"
#include "base/text/suggestion.h"
#include "base/text/utf8.h"
#include "images/folder.h"
#include "images/image.h"
#include "saccade_arrays.h"

void sac_lesson_begin(sac_lesson *lesson, const sac_lesson_class *class)
{
    *lesson = (sac_lesson){.class = class, .seed = class->seed};
    for (int i = 0; class->parameters && class->parameters[i].name; i++)
        lesson->values[i] = class->parameters[i].initial;
}

void sac_lesson_clear(sac_lesson *lesson)
{
    sac_graph_clear(&lesson->graph);
    *lesson = (sac_lesson){0};
}

/* ---------------------------------------------------------------- what a person sets */

static int find_parameter(const sac_lesson *lesson, const char *name, size_t length)
{
    const sac_lesson_parameter *p = lesson->class->parameters;
    for (int i = 0; p && p[i].name; i++)
        if (strlen(p[i].name) == length && strncmp(p[i].name, name, length) == 0)
            return i;
    return -1;
}

bool sac_lesson_read_cell(const char *text, size_t length, sac_lesson_edit *edit)
{
    const char *end = text + length, *comma = memchr(text, ',', length);
    if (!comma || (size_t)(comma - text) >= sizeof edit->array)
        return false;
    snprintf(edit->array, sizeof edit->array, "%.*s", (int)(comma - text), text);
    for (const char *at = comma; at < end;) {
        char *after;
        if (*at != ',' || edit->rank == SAC_GRAPH_RANK || at[1] < '0' || at[1] > '9')
            return false;
        edit->at[edit->rank++] = strtoul(at + 1, &after, 10);
        at = after;
    }
    return true;
}

sac_status sac_lesson_set(sac_lesson *lesson, const char *setting, sac_error *error)
{
    const char *equals = strchr(setting, '=');
    size_t length = equals ? (size_t)(equals - setting) : strlen(setting);
    char *end = NULL;
    float value = equals ? strtof(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || !isfinite(value))
        return sac_fail(error, SAC_E_ARGUMENT, setting, "give NAME=NUMBER",
                        "is no name with a number");
    int index = find_parameter(lesson, setting, length);
    if (index >= 0) {
        const sac_lesson_parameter *p = &lesson->class->parameters[index];
        char remedy[96];
        snprintf(remedy, sizeof remedy, "give %s%g to %g", p->whole ? "a whole number from " : "",
                 (double)p->low, (double)p->high);
        if (!(value >= p->low && value <= p->high) || (p->whole && value != rintf(value)))
            return sac_fail(error, SAC_E_ARGUMENT, p->name, remedy, "%g is not a valid value",
                            (double)value);
        lesson->values[index] = value;
        return SAC_OK;
    }
    sac_lesson_edit edit = {.value = value};
    if (!sac_lesson_read_cell(setting, length, &edit)) {
        char remedy[256] = "this lesson has no parameters; give NAME,ROW,COLUMN=NUMBER";
        const char *names[SAC_LESSON_PARAMETERS];
        int count = 0;
        for (const sac_lesson_parameter *p = lesson->class->parameters; p && p->name; p++)
            names[count++] = p->name;
        if (count) {
            char list[160];
            sac_names_join(names, count, list, sizeof list);
            snprintf(remedy, sizeof remedy, "give %s, or NAME,ROW,COLUMN=NUMBER", list);
        }
        return sac_fail(error, SAC_E_ARGUMENT, setting, remedy, "sets nothing: %s has no such name",
                        lesson->class->name);
    }
    if (lesson->edit_count == SAC_LESSON_EDITS)
        return sac_fail(error, SAC_E_ARGUMENT, setting, "give the numbers in a file, by --from",
                        "more than %d cells are set", SAC_LESSON_EDITS);
    lesson->edits[lesson->edit_count++] = edit;
    return SAC_OK;
}

sac_status sac_lesson_set_all(sac_lesson *lesson, const char *settings, sac_error *error)
{
    char copy[SAC_LESSON_SETTINGS], *rest = NULL;
    sac_status status = SAC_OK;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *one = strtok_r(copy, " ", &rest); one && status == SAC_OK;
         one = strtok_r(NULL, " ", &rest))
        status = sac_lesson_set(lesson, one, error);
    return status;
}

/* ---------------------------------------------------------------- what the lesson is made of */

float sac_lesson_value(const sac_lesson *lesson, const char *parameter)
{
    int index = find_parameter(lesson, parameter, strlen(parameter));
    return index < 0 ? 0 : lesson->values[index];
}

/* A person's array in place of the lesson's, as float32; NULL: there is none, or the graph has
 * failed. */
static float *copy_own_numbers(sac_lesson *lesson, const char *name, sac_small_shape *shape)
{
    const sac_array *own = lesson->own ? sac_arrays_find(lesson->own, name) : NULL;
    char wanted[64];
    sac_small_shape is = {.rank = own ? own->rank : 0};
    if (!own)
        return NULL;
    for (int d = 0; d < own->rank && d < SAC_GRAPH_RANK; d++)
        is.n[d] = own->shape[d];
    bool fits = own->rank == shape->rank;
    for (int d = 0; fits && d < own->rank; d++)
        fits =
            is.n[d] >= 1 && is.n[d] <= (d == own->rank - 1 ? SAC_LESSON_COLUMNS : SAC_LESSON_ROWS);
    if (!fits) {
        sac_graph_fail(&lesson->graph, name, "give up to 12 rows of up to 16 numbers",
                       "has not the form of the lesson's %s",
                       sac_small_shape_text(*shape, wanted, sizeof wanted));
        return NULL;
    }
    float *numbers = malloc((sac_small_count(is) + 1) * sizeof *numbers);
    sac_status status = numbers ? sac_array_to_f32(own, numbers, &lesson->graph.error)
                                : sac_no_memory(&lesson->graph.error, name);
    if (status != SAC_OK) {
        lesson->graph.status = status;
        free(numbers);
        return NULL;
    }
    *shape = is;
    return numbers;
}

static void apply_edits(sac_lesson *lesson, const char *name, sac_node node)
{
    sac_small_array *array = sac_graph_array(&lesson->graph, node);
    for (int i = 0; array && i < lesson->edit_count; i++) {
        const sac_lesson_edit *edit = &lesson->edits[i];
        size_t flat = 0;
        bool inside = edit->rank == array->shape.rank;
        if (strcmp(edit->array, name) != 0)
            continue;
        for (int d = 0; d < edit->rank && inside; d++) {
            inside = edit->at[d] < array->shape.n[d];
            flat = flat * array->shape.n[d] + edit->at[d];
        }
        char shape[64];
        if (inside)
            array->numbers[flat] = edit->value;
        else
            sac_graph_fail(&lesson->graph, name, "give a cell that it has", "is %s",
                           sac_small_shape_text(array->shape, shape, sizeof shape));
    }
}

sac_node sac_lesson_given(sac_lesson *lesson, const char *name, sac_small_shape shape,
                          const float *numbers)
{
    float *own = copy_own_numbers(lesson, name, &shape);
    sac_node node = sac_given(&lesson->graph, name, shape, own ? own : numbers);
    free(own);
    apply_edits(lesson, name, node);
    if (node)
        lesson->graph.arrays[node - 1].settable = true;
    return node;
}

sac_node sac_lesson_blocked(sac_lesson *lesson, const char *name, size_t queries, size_t keys,
                            bool causal)
{
    float *blocked = calloc(queries * keys + 1, sizeof *blocked);
    for (size_t i = 0; blocked && causal && i < queries * keys; i++)
        blocked[i] = i % keys > i / keys;
    sac_node node = blocked && queries && keys
                        ? sac_lesson_given(lesson, name, SAC_MATRIX(queries, keys), blocked)
                        : 0;
    free(blocked);
    return node;
}

void sac_lesson_label(sac_lesson *lesson, sac_node node, const char *const *rows, size_t row_count,
                      const char *const *columns, size_t column_count)
{
    sac_small_array *array = sac_graph_array(&lesson->graph, node);
    if (array && sac_node_size(&lesson->graph, node, -2) == row_count)
        array->row_labels = rows;
    if (array && sac_node_size(&lesson->graph, node, -1) == column_count)
        array->column_labels = columns;
}

const char **sac_lesson_own_labels(sac_lesson *lesson, size_t count)
{
    if (count > SAC_LESSON_OWN_LABELS - lesson->own_label_count)
        return NULL;
    lesson->own_label_count += count;
    return lesson->own_labels + lesson->own_label_count - count;
}

void sac_lesson_label_terms(sac_lesson *lesson, sac_node node, bool rows, bool columns)
{
    sac_small_array *array = sac_graph_array(&lesson->graph, node);
    if (array) {
        array->row_terms = rows;
        array->column_terms = columns;
    }
}

void sac_lesson_step_add(sac_lesson *lesson, const sac_lesson_step *step,
                         const sac_node arrays[SAC_STEP_ARRAYS])
{
    if (lesson->step_count == SAC_LESSON_STEPS)
        return;
    sac_lesson_step *added = &lesson->steps[lesson->step_count++];
    *added = *step;
    memcpy(added->arrays, arrays, sizeof added->arrays);
    for (int i = 0; i < SAC_STEP_QUESTIONS; i++) {
        const sac_step_question *q = &step->questions[i];
        if (q->why && lesson->question_count < SAC_LESSON_QUESTIONS)
            lesson->questions[lesson->question_count++] =
                (sac_question){.kind = q->kind,
                               .step = lesson->step_count - 1,
                               .array = arrays[q->array],
                               .why = q->why,
                               .by_text = q->by_text};
    }
}

void sac_lesson_add_drawing(sac_lesson *lesson, const sac_lesson_drawing *drawing, int first,
                            int last)
{
    if (lesson->graph.status != SAC_OK || lesson->drawing_count == SAC_LESSON_DRAWINGS)
        return;
    lesson->drawings[lesson->drawing_count++] = *drawing;
    for (int i = first; i <= last && i < lesson->step_count; i++)
        lesson->steps[i].drawing = lesson->drawing_count;
}

sac_node sac_lesson_axis(sac_lesson *lesson, const char *name, float low, float high, size_t count)
{
    float *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = low + (high - low) * (float)i / (float)(count > 1 ? count - 1 : 1);
    sac_node node = numbers ? sac_given(&lesson->graph, name, SAC_MATRIX(count, 1), numbers) : 0;
    free(numbers);
    return node;
}

/* PyTorch's reset_parameters: both are uniform within ±1/√in, the weight row by row, then the
 * bias. */
sac_lesson_linear sac_lesson_random_linear(sac_lesson *lesson, const char *weight, const char *bias,
                                           size_t in, size_t out, sac_torch_random *random)
{
    float *numbers = malloc((in * out + out) * sizeof *numbers);
    sac_lesson_linear linear = {0};
    if (!numbers)
        return linear;
    sac_torch_uniform(random, (float)(1 / sqrt((double)in)), numbers, in * out + out);
    linear.weight = sac_lesson_given(lesson, weight, SAC_MATRIX(out, in), numbers);
    linear.bias = sac_lesson_given(lesson, bias, SAC_VECTOR(out), numbers + in * out);
    free(numbers);
    return linear;
}

/* ---------------------------------------------------------------- the run */

sac_status sac_lesson_compute(sac_lesson *lesson, sac_device *device, sac_error *error)
{
    sac_graph *g = &lesson->graph;
    const char *title = lesson->class->name;
    sac_graph_clear(g);
    lesson->step_count = lesson->drawing_count = lesson->question_count = 0;
    lesson->device = device;
    lesson->class->build(lesson);
    for (int i = 0; i < g->count; i++)
        g->arrays[i].hidden = true;
    for (int s = 0; s < lesson->step_count; s++)
        for (int i = 0; i < SAC_STEP_ARRAYS && lesson->steps[s].arrays[i]; i++)
            g->arrays[lesson->steps[s].arrays[i] - 1].hidden = false;
    /* It may have no use for what was given. */
    for (int i = 0; i < lesson->edit_count && g->status == SAC_OK; i++) {
        const char *name = lesson->edits[i].array;
        sac_node node = sac_graph_find(g, name);
        if (!node || !g->arrays[node - 1].settable)
            return sac_fail(error, SAC_E_ARGUMENT, name, "set what the lesson begins with",
                            node ? "is made by the lesson" : "is no array of this lesson");
    }
    if (g->status == SAC_OK && lesson->word_count && !lesson->uses_words)
        return sac_fail(error, SAC_E_ARGUMENT, "--text", "take self-attention, masks or positions",
                        "%s has no words", title);
    if (g->status == SAC_OK && lesson->picture && !lesson->uses_picture)
        return sac_fail(error, SAC_E_ARGUMENT, "--from", "take image-as-set or saccade",
                        "is a picture, and %s has none", title);
    return sac_graph_compute(g, device, error);
}

/* ---------------------------------------------------------------- what a parameter changes */

/* Array `i` of both is the same, if those that it is made of are. */
static bool is_array_unchanged(const sac_graph *a, const sac_graph *b, int i)
{
    const sac_small_array *x = &a->arrays[i], *y = &b->arrays[i];
    size_t count = sac_small_count(x->shape);
    bool same = !strcmp(x->name, y->name) && x->operation == y->operation && x->f == y->f &&
                x->g == y->g && !memcmp(x->inputs, y->inputs, sizeof x->inputs) &&
                x->shape.rank == y->shape.rank &&
                !memcmp(x->shape.n, y->shape.n, sizeof x->shape.n);
    if (same && x->operation == SAC_OP_GATHER)
        same = !memcmp(x->index, y->index, count * sizeof *x->index);
    if (same && x->operation == SAC_OP_GIVEN)
        same = !memcmp(x->numbers, y->numbers, count * sizeof *x->numbers);
    return same;
}

/* Of a drawing's marks that the step shows. */
static bool drawing_shows_change(const sac_lesson *lesson, int step, const bool *changed)
{
    int number = lesson->steps[step].drawing;
    const sac_lesson_drawing *drawing = number ? &lesson->drawings[number - 1] : NULL;
    for (int i = 0; drawing && i < drawing->mark_count; i++) {
        const sac_drawing_mark *m = &drawing->marks[i];
        const sac_drawing_panel *panel = &drawing->panels[m->panel];
        bool shown = step >= m->since && (!m->before || step < m->before) && step >= panel->since;
        if (shown && (changed[m->x] || changed[m->y] || changed[m->weights]))
            return true;
    }
    return false;
}

/* The steps that are the same in `other`. */
static unsigned unchanged_step_mask(const sac_lesson *lesson, const sac_lesson *other)
{
    const sac_graph *a = &lesson->graph, *b = &other->graph;
    bool changed[SAC_GRAPH_ARRAYS + 1] = {false}; /* by node */
    unsigned alike = 0;
    if (b->status != SAC_OK || a->count != b->count || lesson->step_count != other->step_count ||
        lesson->drawing_count != other->drawing_count)
        return 0;
    for (int i = 0; i < a->count; i++) {
        changed[i + 1] = !is_array_unchanged(a, b, i);
        for (int k = 0; k < SAC_GRAPH_INPUTS; k++)
            changed[i + 1] |= changed[a->arrays[i].inputs[k]];
    }
    for (int s = 0; s < lesson->step_count; s++) {
        const sac_node *arrays = lesson->steps[s].arrays;
        bool same = !memcmp(arrays, other->steps[s].arrays, sizeof other->steps[s].arrays);
        for (int i = 0; i < SAC_STEP_ARRAYS; i++)
            same = same && !changed[arrays[i]];
        alike |= (unsigned)(same && !drawing_shows_change(lesson, s, changed)) << s;
    }
    return alike;
}

void sac_lesson_find_idle_steps(const sac_lesson *lesson, unsigned idle[SAC_LESSON_PARAMETERS])
{
    const sac_lesson_parameter *p = lesson->class->parameters;
    sac_lesson *other = malloc(sizeof *other);
    memset(idle, 0, SAC_LESSON_PARAMETERS * sizeof *idle);
    for (int i = 0; other && p && p[i].name; i++) {
        const float values[] = {p[i].low, p[i].high, p[i].initial};
        idle[i] = ~0u;
        for (int k = 0; k < 3 && idle[i]; k++)
            if (values[k] != lesson->values[i]) {
                *other = *lesson;
                other->graph = (sac_graph){0};
                other->step_count = other->drawing_count = other->question_count = 0;
                other->device = NULL; /* nothing is measured */
                other->values[i] = values[k];
                other->class->build(other);
                idle[i] &= unchanged_step_mask(lesson, other);
                sac_lesson_clear(other);
            }
    }
    free(other);
}

/* ---------------------------------------------------------------- a person's own data in place of the lesson's: a sentence,
 * a picture, arrays */

sac_status sac_own_file_open(const char *path, sac_own_file *file, sac_error *error)
{
    *file = (sac_own_file){0};
    if (sac_file_kind_of(path) == SAC_FILE_PICTURE)
        return sac_image_load(path, &file->picture, error);
    return sac_arrays_open(path, &file->arrays, error);
}

void sac_own_file_close(sac_own_file *file)
{
    sac_image_free(&file->picture);
    sac_arrays_close(file->arrays);
    *file = (sac_own_file){0};
}

/* The mean, 0 to 1, of red, green and blue in the pixels of a cell. */
static void mean_color(const sac_image *image, size_t row, size_t rows, size_t column,
                       size_t columns, double color[3])
{
    size_t w = (size_t)image->width, h = (size_t)image->height;
    size_t y0 = row * h / rows, y1 = (row + 1) * h / rows, x0 = column * w / columns,
           x1 = (column + 1) * w / columns;
    y1 += y1 == y0; /* of a picture that is smaller than the grid */
    x1 += x1 == x0;
    double sum[3] = {0};
    for (size_t y = y0; y < y1; y++)
        for (size_t x = x0; x < x1; x++)
            for (int c = 0; c < 3; c++)
                sum[c] += image->rgba[4 * (y * w + x) + (size_t)c];
    for (int c = 0; c < 3; c++)
        color[c] = sum[c] / (255 * (double)((y1 - y0) * (x1 - x0)));
}

sac_node sac_lesson_photo_colors(sac_lesson *lesson, const char *name, size_t rows, size_t columns)
{
    const sac_image *image = lesson->picture ? lesson->picture : lesson->sight;
    size_t cells = rows * columns;
    float *numbers = image ? malloc(3 * cells * sizeof *numbers) : NULL;
    lesson->uses_picture = true;
    for (size_t i = 0; numbers && i < cells; i++) {
        double color[3];
        mean_color(image, i / columns, rows, i % columns, columns, color);
        for (size_t c = 0; c < 3; c++)
            numbers[c * cells + i] = (float)color[c];
    }
    sac_node node =
        numbers ? sac_given(&lesson->graph, name, SAC_STACK(3, rows, columns), numbers) : 0;
    free(numbers);
    return node;
}

const char *sac_lesson_sight_credit(const sac_lesson *lesson)
{
    return lesson->picture || !lesson->sight_credit[0] ? NULL : lesson->sight_credit;
}

sac_node sac_lesson_picture_luminance(sac_lesson *lesson, const char *name, sac_small_shape shape,
                                      float *numbers)
{
    lesson->uses_picture = true;
    for (size_t i = 0; lesson->picture && i < sac_small_count(shape); i++) {
        double color[3];
        mean_color(lesson->picture, i / shape.n[1], shape.n[0], i % shape.n[1], shape.n[1], color);
        numbers[i] = (float)(0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]);
    }
    return sac_lesson_given(lesson, name, shape, numbers);
}

/* ---------------------------------------------------------------- sentences */

sac_status sac_lesson_read_sentence(sac_lesson *lesson, const char *text, sac_error *error)
{
    char *rest = NULL;
    lesson->word_count = 0;
    if (strlen(text) >= sizeof lesson->sentence || !sac_utf8_valid(text, strlen(text)))
        return sac_fail(error, SAC_E_ARGUMENT, "--text", "give a short sentence",
                        "is no text of less than %zu bytes", sizeof lesson->sentence);
    strcpy(lesson->sentence, text);
    for (char *word = strtok_r(lesson->sentence, " \t\n", &rest); word;
         word = strtok_r(NULL, " \t\n", &rest)) {
        if (lesson->word_count == SAC_LESSON_ROWS)
            return sac_fail(error, SAC_E_ARGUMENT, "--text", "give fewer", "has more than %d words",
                            SAC_LESSON_ROWS);
        lesson->words[lesson->word_count++] = word;
    }
    return lesson->word_count
               ? SAC_OK
               : sac_fail(error, SAC_E_ARGUMENT, "--text", "give one to 12", "has no words");
}

size_t sac_lesson_use_words(sac_lesson *lesson)
{
    lesson->uses_words = true;
    return (size_t)lesson->word_count;
}

size_t sac_lesson_first_occurrence(const sac_lesson *lesson, size_t word)
{
    size_t first = 0;
    while (strcmp(lesson->words[first], lesson->words[word]) != 0)
        first++;
    return first;
}

void sac_lesson_label_words(sac_lesson *lesson, sac_node node, bool rows, bool columns)
{
    size_t count = (size_t)lesson->word_count;
    if (count)
        sac_lesson_label(lesson, node, rows ? lesson->words : NULL, rows ? count : 0,
                         columns ? lesson->words : NULL, columns ? count : 0);
}
