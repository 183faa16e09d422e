/* Steps of a generation, recognised by the shapes of arrays whose names differ in one or two numbers. */
#include "sources/files/array_groups.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/names.h"

enum { MAX_NUMBERS = 6, PATTERN = 128 };

/* A name with its numbers taken out. */
typedef struct numbered {
    sac_named_array named;
    char pattern[PATTERN]; /* with a * for each number; empty: too long, or without a number */
    unsigned long number[MAX_NUMBERS];
    size_t at[MAX_NUMBERS]; /* where each number stands in the name */
    int numbers;
    bool taken;
} numbered;

static void extract_name_numbers(numbered *n)
{
    const char *name = n->named.name;
    size_t used = 0;
    for (size_t i = 0; name[i] && used + 1 < PATTERN && n->numbers <= MAX_NUMBERS;) {
        if (!isdigit((unsigned char)name[i])) {
            n->pattern[used++] = name[i++];
            continue;
        }
        char *end;
        unsigned long number = strtoul(name + i, &end, 10);
        if (n->numbers < MAX_NUMBERS) {
            n->number[n->numbers] = number;
            n->at[n->numbers] = i;
        }
        n->numbers++;
        n->pattern[used++] = '*';
        i = (size_t)(end - name);
    }
    n->pattern[used] = '\0';
    if (!n->numbers || n->numbers > MAX_NUMBERS || used + 1 >= PATTERN)
        n->pattern[0] = '\0';
}

static size_t query_axis_size(const numbered *n)
{
    const sac_array *array = n->named.array;
    return array->rank < 2 ? 1 : array->shape[array->rank - 2];
}

static size_t key_axis_size(const numbered *n)
{
    return n->named.array->shape[n->named.array->rank - 1];
}

/* True where both may be steps of the same attention. */
static bool may_be_same_attention(const numbered *a, const numbered *b)
{
    const sac_array *x = a->named.array, *y = b->named.array;
    return strcmp(a->pattern, b->pattern) == 0 && x->dtype == y->dtype && x->rank == y->rank &&
           x->rank >= 2 &&
           memcmp(x->shape, y->shape, (size_t)(x->rank - 2) * sizeof *x->shape) == 0;
}

/* ---------------------------------------------------------------- steps by their shapes */

typedef enum step_kind { NO_STEPS, GROWING, WINDOWED, STACKED, ALL_ALIKE } step_kind;

/* Arrays [count] in the order of their steps. */
static step_kind detect_step_kind(numbered *const *steps, size_t count)
{
    const size_t prompt = query_axis_size(steps[0]), first = key_axis_size(steps[0]);
    bool grows = count > 1 && first >= prompt, stays = count > 1;
    bool own = count > 1 && first == prompt && !strcasestr(steps[0]->named.name, "cross");
    size_t end = prompt;
    for (size_t i = 1; i < count; i++) {
        size_t queries = query_axis_size(steps[i]), keys = key_axis_size(steps[i]),
               before = key_axis_size(steps[i - 1]);
        end += queries;
        grows = grows && keys == before + queries;
        stays = stays && keys == first && queries == 1;
        own = own && queries == 1 && keys <= end && (keys >= before || i == 1);
    }
    if (grows)
        return GROWING;
    if (stays && prompt == 1)
        return ALL_ALIKE;
    return own ? WINDOWED : stays ? STACKED : NO_STEPS;
}

static bool is_word_before_number(const numbered *n, int number, sac_names list)
{
    const char *const *words = sac_names_of[list];
    size_t end = n->at[number];
    const char *name = n->named.name;
    while (end && strchr("._-/:[", name[end - 1]))
        end--;
    for (; *words; words++) {
        size_t size = strlen(*words);
        if (end >= size && strncasecmp(name + end - size, *words, size) == 0 &&
            (end == size || !isalpha((unsigned char)name[end - size - 1])))
            return true;
    }
    return false;
}

/* Queries one by one may be those of layers, too: the name, or as many words, shows that they are steps.
 */
static bool are_steps(const sac_arrays *arrays, const numbered *first, int number, size_t count)
{
    if (is_word_before_number(first, number, SAC_NAMES_LAYER))
        return false;
    bool steps = is_word_before_number(first, number, SAC_NAMES_STEP) ||
                 strcasestr(first->named.name, "cross") || strcasestr(first->named.name, "generat");
    for (size_t i = 0; i < sac_arrays_size(arrays) && !steps; i++) {
        const sac_array *array = sac_arrays_at(arrays, i);
        size_t words = array->dtype == SAC_TEXT && array->rank ? array->shape[array->rank - 1] : 0;
        steps =
            words > 1 && (words == count || words == count + 1) && words != key_axis_size(first);
    }
    return steps;
}

/* ---------------------------------------------------------------- order */

/* Which numbers of a name are sorted by: qsort has no room for it. */
static _Thread_local int sort_layer, sort_step;

static int by_layer_and_step(const void *a, const void *b)
{
    const numbered *x = *(numbered *const *)a, *y = *(numbered *const *)b;
    unsigned long xl = sort_layer < 0 ? 0 : x->number[sort_layer],
                  yl = sort_layer < 0 ? 0 : y->number[sort_layer];
    int layers = (xl > yl) - (xl < yl);
    unsigned long xs = x->number[sort_step], ys = y->number[sort_step];
    return layers ? layers : (xs > ys) - (xs < ys);
}

/* What kind of steps the members are, with these numbers for layer (−1: there is one) and step;
 * they are left in that order, *layers times as many steps. */
static step_kind order_members_as_steps(numbered **members, size_t count, int layer, int step,
                                        size_t *layers)
{
    sort_layer = layer;
    sort_step = step;
    qsort(members, count, sizeof *members, by_layer_and_step);
    size_t steps = 0;
    for (; steps < count &&
           (layer < 0 || members[steps]->number[layer] == members[0]->number[layer]);)
        steps++;
    if (count % steps)
        return NO_STEPS;
    step_kind kind = detect_step_kind(members, steps);
    for (size_t i = steps; i < count && kind != NO_STEPS; i++) {
        const numbered *same = members[i % steps], *start = members[i - i % steps];
        step_kind here = i % steps ? kind : detect_step_kind(members + i, steps);
        bool windowed = here == WINDOWED && (kind == GROWING || kind == WINDOWED);
        windowed |= here == GROWING && kind == WINDOWED;
        kind = windowed ? WINDOWED : here == kind ? kind : NO_STEPS;
        bool fits = members[i]->number[step] == same->number[step] &&
                    query_axis_size(members[i]) == query_axis_size(same) &&
                    (kind == WINDOWED || key_axis_size(members[i]) == key_axis_size(same)) &&
                    (layer < 0 || members[i]->number[layer] == start->number[layer]);
        kind = fits ? kind : NO_STEPS;
    }
    *layers = count / steps;
    return kind;
}

/* ---------------------------------------------------------------- groups */

static sac_status make_group(numbered **members, size_t count, size_t layers, int layer, int step,
                             step_kind kind, sac_array_group *group, sac_error *error)
{
    size_t steps = count / layers;
    group->own_keys = kind == WINDOWED;
    group->pieces = calloc(count, sizeof *group->pieces);
    group->layers = calloc(layers, sizeof *group->layers);
    group->numbers = calloc(layers, sizeof *group->numbers);
    if (!group->pieces || !group->layers || !group->numbers)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu steps", count);
    group->count = layers;
    group->piece_count = steps;
    for (size_t i = 0; i < count; i++) {
        group->pieces[i] = members[i]->named;
        members[i]->taken = true;
    }
    for (size_t l = 0; l < layers; l++) {
        group->layers[l] = group->pieces[l * steps];
        group->numbers[l] = layer < 0 ? l : members[l * steps]->number[layer];
    }
    /* The first member's name, with a * for the numbers that differ. */
    const numbered *first = members[0];
    size_t used = 0;
    const char *from = first->named.name;
    for (size_t i = 0; from[i] && used + 1 < sizeof group->name;) {
        bool star = (layer >= 0 && i == first->at[layer]) || i == first->at[step];
        group->name[used++] = star ? '*' : from[i];
        i += star ? strspn(from + i, "0123456789") : 1;
    }
    group->name[used] = '\0';
    return SAC_OK;
}

/* The numbers by which members differ, at most two; more: −1. */
static int find_varying(numbered *const *members, size_t count, int varying[2])
{
    int found = 0;
    for (int n = 0; n < members[0]->numbers; n++) {
        bool differs = false;
        for (size_t i = 1; i < count; i++)
            differs |= members[i]->number[n] != members[0]->number[n];
        if (differs && found == 2)
            return -1;
        if (differs)
            varying[found++] = n;
    }
    return found;
}

/* The group of these members, where they are steps; else nothing is added. */
static sac_status add_group(const sac_arrays *arrays, numbered **members, size_t count,
                            sac_array_groups *groups, sac_error *error)
{
    int varying[2], layer = -1, step;
    size_t layers = 0;
    int numbers = count > 1 ? find_varying(members, count, varying) : 0;
    if (numbers < 1 || groups->count == SAC_MAX_GROUPS)
        return SAC_OK;
    step = varying[0];
    if (numbers == 2)
        layer = varying[1];
    if (numbers == 2 && (is_word_before_number(members[0], step, SAC_NAMES_LAYER) ||
                         is_word_before_number(members[0], layer, SAC_NAMES_STEP))) {
        step = varying[1];
        layer = varying[0];
    }
    step_kind kind = order_members_as_steps(members, count, layer, step, &layers);
    if (kind == NO_STEPS && numbers == 2) {
        int other = step;
        step = layer;
        layer = other;
        kind = order_members_as_steps(members, count, layer, step, &layers);
    }
    if (kind == NO_STEPS ||
        (kind == ALL_ALIKE && numbers == 1 && !are_steps(arrays, members[0], step, count)))
        return SAC_OK;
    return make_group(members, count, layers, layer, step, kind, &groups->group[groups->count++],
                      error);
}

/* Arrays that may be steps of one attention come one after the other, in their order in the file. */
static int by_kind(const void *a, const void *b)
{
    const numbered *x = *(numbered *const *)a, *y = *(numbered *const *)b;
    const sac_array *p = x->named.array, *q = y->named.array;
    int order = strcmp(x->pattern, y->pattern);
    if (!order)
        order = (p->dtype > q->dtype) - (p->dtype < q->dtype);
    if (!order)
        order = (p->rank > q->rank) - (p->rank < q->rank);
    for (int i = 0; !order && i + 2 < p->rank; i++)
        order = (p->shape[i] > q->shape[i]) - (p->shape[i] < q->shape[i]);
    return order ? order : (x > y) - (x < y);
}

/* Where the arrays alike begin that array `first` belongs to, in the order of `names`. */
typedef struct run {
    const numbered *first;
    size_t start, count;
} run;

static int by_place(const void *a, const void *b)
{
    const run *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The runs of two and more arrays alike among `sorted` [count], in the order of the file. */
static size_t find_runs(numbered *const *sorted, size_t count, run *runs)
{
    size_t found = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && may_be_same_attention(sorted[i], sorted[next]);)
            next++;
        if (next - i > 1 && sorted[i]->pattern[0])
            runs[found++] = (run){sorted[i], i, next - i};
    }
    qsort(runs, found, sizeof *runs, by_place);
    return found;
}

sac_status sac_step_groups_take(const sac_arrays *arrays, sac_named_array *found, size_t *count,
                                sac_array_groups *groups, sac_error *error)
{
    size_t left = 0;
    sac_status status = SAC_OK;
    numbered *names = calloc(*count + 1, sizeof *names),
             **sorted = calloc(*count + 1, sizeof *sorted);
    run *runs = calloc(*count + 1, sizeof *runs);
    if (!names || !sorted || !runs)
        status = sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu arrays", *count);
    for (size_t i = 0; i < *count && status == SAC_OK; i++) {
        names[i].named = found[i];
        extract_name_numbers(&names[i]);
        sorted[i] = &names[i];
    }
    size_t alike = 0;
    if (status == SAC_OK) {
        qsort(sorted, *count, sizeof *sorted, by_kind);
        alike = find_runs(sorted, *count, runs);
    }
    for (size_t i = 0; i < alike && status == SAC_OK; i++)
        status = add_group(arrays, sorted + runs[i].start, runs[i].count, groups, error);
    for (size_t i = 0; i < *count && status == SAC_OK; i++)
        if (!names[i].taken)
            found[left++] = found[i];
    *count = left;
    free(names);
    free(sorted);
    free(runs);
    return status;
}
