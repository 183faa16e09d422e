#include "lessons/engine/reach.h"

#include <stdlib.h>
#include <string.h>

/* Array `i` of both is the same, if those that it is made of are. */
static bool is_same(const sac_graph *a, const sac_graph *b, int i)
{
    const sac_small_array *x = &a->arrays[i], *y = &b->arrays[i];
    size_t count = sac_small_count(x->shape);
    bool same = !strcmp(x->name, y->name) && x->operation == y->operation && x->f == y->f &&
                x->g == y->g && !memcmp(x->inputs, y->inputs, sizeof x->inputs) &&
                x->shape.rank == y->shape.rank &&
                !memcmp(x->shape.n, y->shape.n, sizeof x->shape.n) && !x->index == !y->index;
    if (same && x->index)
        same = !memcmp(x->index, y->index, count * sizeof *x->index);
    if (same && x->operation == SAC_OP_GIVEN)
        same = !memcmp(x->numbers, y->numbers, count * sizeof *x->numbers);
    return same;
}

/* Of a drawing's marks that the step shows. */
static bool draws_changed(const sac_lesson *lesson, int step, const bool *changed)
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
static unsigned steps_alike(const sac_lesson *lesson, const sac_lesson *other)
{
    const sac_graph *a = &lesson->graph, *b = &other->graph;
    bool changed[SAC_GRAPH_ARRAYS + 1] = {false}; /* by node */
    unsigned alike = 0;
    if (b->status != SAC_OK || a->count != b->count || lesson->step_count != other->step_count ||
        lesson->drawing_count != other->drawing_count)
        return 0;
    for (int i = 0; i < a->count; i++) {
        changed[i + 1] = !is_same(a, b, i);
        for (int k = 0; k < SAC_GRAPH_INPUTS; k++)
            changed[i + 1] |= changed[a->arrays[i].inputs[k]];
    }
    for (int s = 0; s < lesson->step_count; s++) {
        const sac_node *arrays = lesson->steps[s].arrays;
        bool same = !memcmp(arrays, other->steps[s].arrays, sizeof other->steps[s].arrays);
        for (int i = 0; i < SAC_STEP_ARRAYS; i++)
            same = same && !changed[arrays[i]];
        alike |= (unsigned)(same && !draws_changed(lesson, s, changed)) << s;
    }
    return alike;
}

static unsigned alike_with(const sac_lesson *lesson, int parameter, float value, sac_lesson *other)
{
    *other = *lesson;
    other->graph = (sac_graph){0};
    other->step_count = other->drawing_count = other->question_count = 0;
    other->device = NULL; /* nothing is measured */
    other->values[parameter] = value;
    other->class->build(other);
    unsigned alike = steps_alike(lesson, other);
    sac_lesson_clear(other);
    return alike;
}

void sac_lesson_idle(const sac_lesson *lesson, unsigned idle[SAC_LESSON_PARAMETERS])
{
    const sac_lesson_parameter *p = lesson->class->parameters;
    sac_lesson *other = malloc(sizeof *other);
    memset(idle, 0, SAC_LESSON_PARAMETERS * sizeof *idle);
    for (int i = 0; other && p && p[i].name; i++) {
        const float values[] = {p[i].low, p[i].high, p[i].initial};
        idle[i] = ~0u;
        for (int k = 0; k < 3 && idle[i]; k++)
            if (values[k] != lesson->values[i])
                idle[i] &= alike_with(lesson, i, values[k], other);
    }
    free(other);
}
