#include "lessons/engine/recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/output.h"
#include "base/text/printable.h"

enum {
    STOPS = 72,          /* of a slider, at most */
    COMBINATIONS = 1536, /* of stops, at most */
    LARGEST = 3 << 20,   /* bytes of all records; above it fewer stops have to do */
    WRITTEN = 64,        /* numbers of an array; more are bytes of float32 */
    ASKED = 12,          /* questions */
    ARRAYS = 0,
    STEPS = ARRAYS + SAC_GRAPH_ARRAYS,
    DRAWINGS = STEPS + SAC_LESSON_STEPS,
    PROBLEM = DRAWINGS + SAC_LESSON_DRAWINGS,
    SLOTS /* the lesson at each combination of settings */
};

/* Texts, each once. */
typedef struct record_pool {
    char **text; /* [count], owned */
    uint64_t *hash;
    int *place; /* [places], a power of 2: the record that begins there, −1: none */
    int count, room, places;
    size_t bytes;
    bool failed; /* out of memory */
} record_pool;

typedef struct recipe {
    const sac_lesson *lesson;
    sac_locale language;
    int parameter_count;
    int stop_count[SAC_LESSON_PARAMETERS];
    float stops[SAC_LESSON_PARAMETERS][STOPS];
    int combinations;
    int *built; /* [combinations,SLOTS]: records, −1: none */
    record_pool pool;
} recipe;

/* ---------------------------------------------------------------- stops of a slider */

/* The multiples, from low to high, of the least of 1, 2, 5, 10 … thousandths with no more than `most` of them. */
static int list_even_stops(const sac_lesson_parameter *p, int most, float stops[STOPS])
{
    double step = p->whole ? 1 : 0.001, low = (double)p->low, high = (double)p->high;
    int count = 0;
    for (int k = 0; (high - low) / step + 1 > most + 1e-6; k++)
        step *= k % 3 == 1 ? 2.5 : 2;
    for (double i = ceil(low / step - 1e-6); i * step <= high + 1e-6 && count < most; i++)
        stops[count++] = (float)(i * step);
    return count;
}

/* Of a range over several powers of ten, so many for each; whole numbers are powers of two. */
static int list_stops_by_ratio(const sac_lesson_parameter *p, int most, float stops[STOPS])
{
    static const double tens[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    static const unsigned which[] = {0x3ff, 0x2ad, 0x089, 0x001}; /* of them: 10, 6, 3, 1 */
    double low = (double)p->low, high = (double)p->high, base = p->whole ? 2 : 10;
    int count = 0, begin = (int)floor(log(low) / log(base)), end = (int)ceil(log(high) / log(base));
    for (int density = 0; density < 4; density++) {
        count = 0;
        for (int power = begin; power <= end; power++)
            for (int i = 0; i < (p->whole ? 1 : 10); i++) {
                double stop = pow(base, power) * tens[i];
                bool taken = p->whole ? (power - begin) % (density + 1) == 0
                                      : (which[density] >> i & 1) != 0;
                if (taken && stop >= low && stop <= high) {
                    if (count < most)
                        stops[count] = (float)stop;
                    count++;
                }
            }
        if (count <= most)
            break;
    }
    return count < most ? count : most;
}

/* With its ends, the lesson's own value and the one that it has. */
static int list_stops(const sac_lesson_parameter *p, float now, int most, float stops[STOPS])
{
    const float always[] = {p->low, p->high, p->initial, now};
    int room = most > 4 ? most - 4 : 0, count = 0, kept = 0;
    bool each = p->whole && p->high - p->low < (float)most;
    if (each)
        count = list_even_stops(p, most, stops);
    else if (room)
        count = p->low > 0 && p->high / p->low >= 50 ? list_stops_by_ratio(p, room, stops)
                                                     : list_even_stops(p, room, stops);
    for (int i = 0; i < 4 && !each; i++)
        stops[count++] = always[i];
    qsort(stops, (size_t)count, sizeof *stops, sac_compare_floats);
    for (int i = 0; i < count; i++) /* a text of few digits reads as its float */
        if (!kept || stops[i] != stops[kept - 1])
            stops[kept++] = stops[i];
    return kept;
}

/* ---------------------------------------------------------------- records */

static void put_number(FILE *file, float value)
{
    if (isnan(value))
        fputs("null", file);
    else if (isinf(value))
        fputs(value < 0 ? "-1e999" : "1e999", file);
    else
        fprintf(file, "%.9g", (double)value);
}

/* ,"name":"text", in the language; nothing where there is none. */
static void put_text(FILE *file, sac_locale language, const char *name, const char *text)
{
    if (!text || !text[0])
        return;
    fprintf(file, ",\"%s\":", name);
    sac_write_json_text(file, sac_translate(language, text));
}

static void put_whole(FILE *file, const char *name, int value)
{
    if (value)
        fprintf(file, ",\"%s\":%d", name, value);
}

static void put_real(FILE *file, const char *name, float value)
{
    if (value == 0)
        return;
    fprintf(file, ",\"%s\":", name);
    put_number(file, value);
}

static void put_labels(FILE *file, const char *name, const char *const *labels, size_t count,
                       bool terms, sac_locale language)
{
    if (!labels)
        return;
    fprintf(file, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", file);
        sac_write_json_text(file, sac_label_text(labels, terms, i, language));
    }
    fputc(']', file);
}

/* Most gathers transpose, cut or repeat: a first cell, and a way to the next one along each dimension. */
static void put_gather(FILE *file, const sac_small_array *array)
{
    size_t count = sac_small_count(array->shape), stride = 1;
    int way[SAC_GRAPH_RANK] = {0}, rank = array->shape.rank;
    bool even = true;
    for (int d = rank; d-- > 0; stride *= array->shape.n[d])
        way[d] = array->shape.n[d] > 1 ? array->index[stride] - array->index[0] : 0;
    for (size_t i = 0; i < count && even; i++) {
        int from = array->index[0];
        size_t rest = i;
        for (int d = rank; d-- > 0; rest /= array->shape.n[d])
            from += way[d] * (int)(rest % array->shape.n[d]);
        even = from == array->index[i];
    }
    fprintf(file, ",\"%s\":[", even ? "way" : "index");
    if (even)
        fprintf(file, "%d", array->index[0]);
    for (size_t i = 0; i < (even ? (size_t)rank : count); i++)
        fprintf(file, even || i ? ",%d" : "%d", even ? way[i] : array->index[i]);
    fputc(']', file);
}

/* What was measured on the device is in the computed lesson alone: without one all of it is NaN. */
static const float *find_given_numbers(const recipe *r, const sac_small_array *array)
{
    const sac_graph *computed = &r->lesson->graph;
    size_t known = 0;
    for (size_t i = 0; i < sac_small_count(array->shape); i++)
        known += !isnan(array->numbers[i]);
    sac_node same = known ? 0 : sac_graph_find(computed, array->name);
    bool fits =
        same && sac_small_count(computed->arrays[same - 1].shape) == sac_small_count(array->shape);
    return fits ? computed->arrays[same - 1].numbers : array->numbers;
}

static void put_array(const recipe *r, FILE *file, const sac_small_array *array)
{
    sac_extent e = sac_small_extent(array->shape);
    fputs("{\"name\":", file);
    sac_write_json_text(file, array->name);
    fputs(",\"shape\":[", file);
    for (int d = 0; d < array->shape.rank; d++)
        fprintf(file, d ? ",%zu" : "%zu", array->shape.n[d]);
    fprintf(file, "],\"op\":%d,\"in\":[%d,%d,%d]", (int)array->operation, array->inputs[0],
            array->inputs[1], array->inputs[2]);
    put_real(file, "f", array->f);
    put_real(file, "g", array->g);
    put_whole(file, "settable", array->settable);
    put_whole(file, "shares", array->shares);
    put_whole(file, "like", array->like);
    put_labels(file, "rowLabels", array->row_labels, e.rows, array->row_terms, r->language);
    put_labels(file, "columnLabels", array->column_labels, e.columns, array->column_terms,
               r->language);
    if (array->operation == SAC_OP_GATHER)
        put_gather(file, array);
    if (array->operation == SAC_OP_GIVEN) {
        const float *numbers = find_given_numbers(r, array);
        size_t count = sac_small_count(array->shape);
        if (count > WRITTEN) {
            fputs(",\"base64\":\"", file);
            sac_base64_put(file, numbers, count * sizeof *numbers);
            fputs("\"}", file);
            return;
        }
        fputs(",\"numbers\":[", file);
        for (size_t i = 0; i < count; i++) {
            fputs(i ? "," : "", file);
            put_number(file, numbers[i]);
        }
        fputc(']', file);
    }
    fputc('}', file);
}

static void put_step(const recipe *r, FILE *file, const sac_lesson_step *step)
{
    fputs("{\"arrays\":[", file);
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++)
        fprintf(file, i ? ",%d" : "%d", step->arrays[i]);
    fputc(']', file);
    put_text(file, r->language, "name", step->name);
    put_text(file, r->language, "sentence", step->sentence);
    put_text(file, SAC_IN_ENGLISH, "formula", step->formula);
    put_text(file, r->language, "notice", step->notice);
    put_text(file, SAC_IN_ENGLISH, "code", step->code);
    put_whole(file, "drawing", step->drawing);
    put_whole(file, "block", (int)step->block);
    fputc('}', file);
}

/* "x":[array,cell]; nothing where there is none. */
static void put_operand(FILE *file, const char *name, sac_operand operand)
{
    if (operand.array)
        fprintf(file, ",\"%s\":[%d,%zu]", name, operand.array, operand.cell);
}

static void put_panel(const recipe *r, FILE *file, const sac_drawing_panel *p)
{
    fprintf(file, "{\"since\":%d", p->since);
    put_text(file, r->language, "title", p->title);
    put_text(file, r->language, "x", p->x);
    put_text(file, r->language, "y", p->y);
    put_real(file, "xLow", p->x_low);
    put_real(file, "xHigh", p->x_high);
    put_real(file, "yLow", p->y_low);
    put_real(file, "yHigh", p->y_high);
    put_whole(file, "plane", p->plane);
    put_whole(file, "xByRatio", p->x_by_ratio);
    put_whole(file, "yByRatio", p->y_by_ratio);
    put_whole(file, "categories", p->categories);
    put_real(file, "share", p->share);
    fputc('}', file);
}

static void put_mark(const recipe *r, FILE *file, const sac_graph *graph, const sac_drawing_mark *m)
{
    size_t points = sac_node_size(graph, m->y, m->kind == SAC_MARK_ARROWS ? 0 : -1);
    fprintf(file, "{\"kind\":%d,\"panel\":%d,\"since\":%d,\"ink\":%d", (int)m->kind, m->panel,
            m->since, (int)m->ink);
    put_whole(file, "before", m->before);
    put_whole(file, "x", m->x);
    put_whole(file, "y", m->y);
    put_whole(file, "weights", m->weights);
    put_text(file, r->language, "name", m->name);
    put_text(file, r->language, "credit", m->credit);
    put_whole(file, "cutRows", m->cut_rows);
    put_whole(file, "cutColumns", m->cut_columns);
    put_labels(file, "labels", m->labels, points, false, r->language);
    fputc('}', file);
}

static void put_handle(const recipe *r, FILE *file, const sac_drawing_handle *h)
{
    fprintf(file, "{\"panel\":%d,\"since\":%d", h->panel, h->since);
    put_operand(file, "x", h->x);
    put_operand(file, "y", h->y);
    for (int i = 0; i < 2; i++) {
        const sac_drawing_target *t = i ? &h->sets_y : &h->sets_x;
        if (!t->parameter)
            continue;
        fprintf(file, ",\"%s\":", i ? "setsY" : "setsX");
        sac_write_json_text(file, t->parameter);
        put_operand(file, i ? "originY" : "originX", t->origin);
        put_real(file, i ? "powerY" : "powerX", t->power);
    }
    put_text(file, r->language, "does", h->does);
    fputc('}', file);
}

static void put_drawing(const recipe *r, FILE *file, const sac_graph *graph,
                        const sac_lesson_drawing *d)
{
    fprintf(file, "{\"kind\":%d,\"across\":%d,\"panels\":[", (int)d->kind, d->across);
    for (int i = 0; i < d->panel_count; i++) {
        fputs(i ? "," : "", file);
        put_panel(r, file, &d->panels[i]);
    }
    fputs("],\"marks\":[", file);
    for (int i = 0; i < d->mark_count; i++) {
        fputs(i ? "," : "", file);
        put_mark(r, file, graph, &d->marks[i]);
    }
    fputs("],\"handles\":[", file);
    for (int i = 0; i < d->handle_count; i++) {
        fputs(i ? "," : "", file);
        put_handle(r, file, &d->handles[i]);
    }
    fputs("]}", file);
}

/* Slot by slot: false where nothing is in it. */
static bool put_slot(const recipe *r, FILE *file, const sac_lesson *built, int slot)
{
    const sac_graph *graph = &built->graph;
    if (slot == PROBLEM) {
        if (graph->status == SAC_OK)
            return false;
        char text[sizeof graph->error.where + sizeof graph->error.what + 2];
        snprintf(text, sizeof text, "%s: %s", graph->error.where, graph->error.what);
        sac_write_json_text(file, text);
        return true;
    }
    if (graph->status != SAC_OK)
        return false;
    if (slot < STEPS) {
        if (slot < graph->count)
            put_array(r, file, &graph->arrays[slot]);
        return slot < graph->count;
    }
    if (slot < DRAWINGS) {
        if (slot - STEPS < built->step_count)
            put_step(r, file, &built->steps[slot - STEPS]);
        return slot - STEPS < built->step_count;
    }
    if (slot - DRAWINGS < built->drawing_count)
        put_drawing(r, file, graph, &built->drawings[slot - DRAWINGS]);
    return slot - DRAWINGS < built->drawing_count;
}

/* ---------------------------------------------------------------- each record once */

static bool grow_pool(record_pool *pool)
{
    int room = pool->room ? 2 * pool->room : 256, places = 4 * room;
    char **text = realloc(pool->text, (size_t)room * sizeof *text);
    pool->text = text ? text : pool->text;
    uint64_t *hash = realloc(pool->hash, (size_t)room * sizeof *hash);
    pool->hash = hash ? hash : pool->hash;
    int *place = malloc((size_t)places * sizeof *place);
    if (!text || !hash || !place) {
        free(place);
        return false;
    }
    memset(place, 0xff, (size_t)places * sizeof *place);
    for (int i = 0; i < pool->count; i++) {
        size_t at = (size_t)hash[i] & (size_t)(places - 1);
        while (place[at] >= 0)
            at = (at + 1) & (size_t)(places - 1);
        place[at] = i;
    }
    free(pool->place);
    pool->place = place;
    pool->room = room;
    pool->places = places;
    return true;
}

/* The number of that text, which is taken over; −1: out of memory. */
static int intern_record(record_pool *pool, char *text)
{
    uint64_t hash = sac_table_hash(text, strlen(text));
    if (pool->count == pool->room && !grow_pool(pool)) {
        pool->failed = true;
        free(text);
        return -1;
    }
    size_t mask = (size_t)(pool->places - 1), at = (size_t)hash & mask;
    for (; pool->place[at] >= 0; at = (at + 1) & mask)
        if (pool->hash[pool->place[at]] == hash && !strcmp(pool->text[pool->place[at]], text)) {
            free(text);
            return pool->place[at];
        }
    pool->place[at] = pool->count;
    pool->text[pool->count] = text;
    pool->hash[pool->count] = hash;
    pool->bytes += strlen(text);
    return pool->count++;
}

static void free_pool(record_pool *pool)
{
    for (int i = 0; i < pool->count; i++)
        free(pool->text[i]);
    free(pool->text);
    free(pool->hash);
    free(pool->place);
    *pool = (record_pool){0};
}

/* ---------------------------------------------------------------- the lesson at each combination of settings */

/* The lesson with other values, built and not computed; `other` is cleared by the caller. */
static void build_with_values(const recipe *r, const float values[SAC_LESSON_PARAMETERS],
                              sac_lesson *other)
{
    *other = *r->lesson;
    other->graph = (sac_graph){0};
    other->step_count = other->drawing_count = other->question_count = 0;
    other->device = NULL; /* nothing is measured */
    memcpy(other->values, values, sizeof other->values);
    other->class->build(other);
}

/* Records of a slot as text; NULL: nothing is in it, or out of memory. */
static char *make_slot_text(recipe *r, const sac_lesson *built, int slot)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    bool there = memory && put_slot(r, memory, built, slot);
    r->pool.failed |= !memory || fclose(memory) != 0;
    if (there && !r->pool.failed)
        return text;
    free(text);
    return NULL;
}

static bool builds_the_same(recipe *r, const float a[SAC_LESSON_PARAMETERS],
                            const float b[SAC_LESSON_PARAMETERS])
{
    sac_lesson *pair = malloc(2 * sizeof *pair);
    bool same = pair != NULL;
    if (!pair) {
        r->pool.failed = true;
        return false;
    }
    build_with_values(r, a, &pair[0]);
    build_with_values(r, b, &pair[1]);
    for (int slot = 0; slot < SLOTS && same; slot++) {
        char *x = make_slot_text(r, &pair[0], slot), *y = make_slot_text(r, &pair[1], slot);
        same = (!x && !y) || (x && y && !strcmp(x, y));
        free(x);
        free(y);
    }
    sac_lesson_clear(&pair[0]);
    sac_lesson_clear(&pair[1]);
    free(pair);
    return same;
}

/* Whether anything is built by a parameter, whichever end any other one is at. */
static bool is_parameter_used(recipe *r, int parameter)
{
    const sac_lesson_parameter *p = r->lesson->class->parameters;
    for (int other = 0; other < r->parameter_count; other++)
        for (int end = 0; end < 2; end++) {
            float low[SAC_LESSON_PARAMETERS], high[SAC_LESSON_PARAMETERS];
            memcpy(low, r->lesson->values, sizeof low);
            if (other != parameter)
                low[other] = end ? p[other].high : p[other].low;
            memcpy(high, low, sizeof high);
            low[parameter] = p[parameter].low;
            high[parameter] = p[parameter].high;
            if (!builds_the_same(r, low, high))
                return true;
        }
    return false;
}

/* One that is not, as how much is measured, keeps its value. Of the others the one with most stops has
 * fewer until there are few enough combinations. */
static void choose_stops(recipe *r, const bool used[SAC_LESSON_PARAMETERS], int combinations)
{
    const sac_lesson_parameter *p = r->lesson->class->parameters;
    int most[SAC_LESSON_PARAMETERS], widest;
    for (int i = 0; i < r->parameter_count; i++)
        most[i] = STOPS;
    do {
        widest = 0;
        r->combinations = 1;
        for (int i = 0; i < r->parameter_count; i++) {
            r->stops[i][0] = r->lesson->values[i];
            r->stop_count[i] =
                used[i] ? list_stops(&p[i], r->lesson->values[i], most[i], r->stops[i]) : 1;
            r->combinations *= r->stop_count[i];
            widest = r->stop_count[i] > r->stop_count[widest] ? i : widest;
        }
        most[widest] = r->stop_count[widest] - 1;
    } while (r->combinations > combinations && most[widest] > 3);
}

/* How many combinations it is from one stop of parameter `i` to the next. */
static int combination_stride(const recipe *r, int i)
{
    int stride = 1;
    for (int k = i + 1; k < r->parameter_count; k++)
        stride *= r->stop_count[k];
    return stride;
}

/* Ends early where the records have more bytes than `most`. */
static sac_status build_all(recipe *r, size_t most, sac_error *error)
{
    r->built = malloc((size_t)r->combinations * SLOTS * sizeof *r->built);
    sac_lesson *other = malloc(sizeof *other);
    r->pool.failed |= !r->built || !other;
    for (int c = 0; c < r->combinations && !r->pool.failed && r->pool.bytes <= most; c++) {
        float values[SAC_LESSON_PARAMETERS] = {0};
        for (int i = 0; i < r->parameter_count; i++)
            values[i] = r->stops[i][c / combination_stride(r, i) % r->stop_count[i]];
        build_with_values(r, values, other);
        for (int slot = 0; slot < SLOTS; slot++) {
            char *text = make_slot_text(r, other, slot);
            r->built[c * SLOTS + slot] = text ? intern_record(&r->pool, text) : -1;
        }
        sac_lesson_clear(other);
    }
    free(other);
    return r->pool.failed ? sac_no_memory(error, r->lesson->class->name) : SAC_OK;
}

/* ---------------------------------------------------------------- writing */

static bool slot_depends_on(const recipe *r, int slot, int parameter)
{
    int stride = combination_stride(r, parameter), stops = r->stop_count[parameter];
    for (int c = 0; c < r->combinations; c++) {
        int first = c - c / stride % stops * stride;
        if (r->built[c * SLOTS + slot] != r->built[first * SLOTS + slot])
            return true;
    }
    return false;
}

/* {"by":[parameters],"of":[records]} */
static void put_table(const recipe *r, FILE *file, int slot)
{
    bool by[SAC_LESSON_PARAMETERS];
    int put = 0;
    fputs("{\"by\":[", file);
    for (int i = 0; i < r->parameter_count; i++) {
        by[i] = slot_depends_on(r, slot, i);
        if (by[i])
            fprintf(file, put++ ? ",%d" : "%d", i);
    }
    fputs("],\"of\":[", file);
    put = 0;
    for (int c = 0; c < r->combinations; c++) {
        bool wanted = true; /* the first stop of what it does not depend on */
        for (int i = 0; i < r->parameter_count; i++)
            wanted &= by[i] || c / combination_stride(r, i) % r->stop_count[i] == 0;
        if (wanted)
            fprintf(file, put++ ? ",%d" : "%d", r->built[c * SLOTS + slot]);
    }
    fputs("]}", file);
}

/* Up to the last slot that anything is in. */
static void put_tables(const recipe *r, FILE *file, const char *name, int first, int last)
{
    int end = first;
    for (int c = 0; c < r->combinations; c++)
        for (int slot = end; slot < last; slot++)
            end = r->built[c * SLOTS + slot] >= 0 ? slot + 1 : end;
    fprintf(file, ",\n\"%s\":[", name);
    for (int slot = first; slot < end; slot++) {
        fputs(slot > first ? ",\n" : "\n", file);
        put_table(r, file, slot);
    }
    fputc(']', file);
}

static void put_parameters(const recipe *r, FILE *file)
{
    const sac_lesson_parameter *p = r->lesson->class->parameters;
    fputs(",\n\"parameters\":[", file);
    for (int i = 0; i < r->parameter_count; i++) {
        int at = 0;
        while (at < r->stop_count[i] - 1 && r->stops[i][at] != r->lesson->values[i])
            at++;
        fprintf(file, "%s{\"name\":\"%s\",\"at\":%d", i ? ",\n" : "", p[i].name, at);
        put_text(file, r->language, "label", p[i].label);
        put_whole(file, "switches", p[i].whole && p[i].low == 0 && p[i].high == 1);
        fputs(",\"stops\":[", file);
        for (int k = 0; k < r->stop_count[i]; k++)
            fprintf(file, k ? ",%.9g" : "%.9g", (double)r->stops[i][k]);
        fputs("]}", file);
    }
    fputc(']', file);
}

static void put_questions(const recipe *r, FILE *file)
{
    sac_asked asked[ASKED];
    char text[512];
    int count = sac_lesson_pick_questions(r->lesson, 0, asked, ASKED);
    fputs(",\n\"questions\":[", file);
    for (int i = 0; i < count; i++) {
        const sac_question *q = asked[i].question;
        fprintf(file, "%s{\"kind\":%d,\"step\":%d,\"array\":%d,\"row\":%zu,\"column\":%zu",
                i ? ",\n" : "", (int)q->kind, q->step, q->array, asked[i].row, asked[i].column);
        sac_asked_text(r->lesson, &asked[i], r->language, text, sizeof text);
        fputs(",\"text\":", file);
        sac_write_json_text(file, text);
        fputs(",\"answer\":", file);
        put_number(file, asked[i].answer);
        fputs(",\"choices\":[", file);
        for (int k = 0; k < asked[i].choice_count; k++) {
            fputs(k ? "," : "", file);
            sac_write_json_text(
                file, sac_choice_text(r->lesson, &asked[i], k, r->language, text, sizeof text));
        }
        fputc(']', file);
        put_text(file, r->language, "why", q->why);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_recipe(const recipe *r, FILE *file)
{
    const sac_lesson_class *class = r->lesson->class;
    fprintf(file, "{\"name\":\"%s\"", class->name);
    put_text(file, r->language, "title", class->title);
    put_text(file, r->language, "summary", class->summary);
    put_parameters(r, file);
    fputs(",\n\"records\":[", file);
    for (int i = 0; i < r->pool.count; i++)
        fprintf(file, "%s%s", i ? ",\n" : "\n", r->pool.text[i]);
    fputc(']', file);
    put_tables(r, file, "arrays", ARRAYS, STEPS);
    put_tables(r, file, "steps", STEPS, DRAWINGS);
    put_tables(r, file, "drawings", DRAWINGS, PROBLEM);
    fputs(",\n\"problems\":", file);
    put_table(r, file, PROBLEM);
    put_questions(r, file);
    fputc('}', file);
}

sac_status sac_lesson_write_recipe(const sac_lesson *lesson, sac_locale language, FILE *file,
                                   sac_error *error)
{
    recipe *r = calloc(1, sizeof *r);
    if (!r)
        return sac_no_memory(error, lesson->class->name);
    const sac_lesson_parameter *p = lesson->class->parameters;
    bool used[SAC_LESSON_PARAMETERS];
    sac_status status = SAC_OK;
    r->lesson = lesson;
    r->language = language;
    while (p && p[r->parameter_count].name)
        r->parameter_count++;
    for (int i = 0; i < r->parameter_count; i++)
        used[i] = is_parameter_used(r, i);
    for (int most = COMBINATIONS, last = 0, fewest = 0; status == SAC_OK; most /= 2) {
        free_pool(&r->pool);
        free(r->built);
        choose_stops(r, used, most);
        fewest = r->combinations == last;
        last = r->combinations;
        status = build_all(r, fewest ? SIZE_MAX : LARGEST, error);
        if (fewest || r->pool.bytes <= LARGEST)
            break;
    }
    if (status == SAC_OK)
        put_recipe(r, file);
    free_pool(&r->pool);
    free(r->built);
    free(r);
    return status;
}
