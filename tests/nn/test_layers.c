/* Every layer as rows of one table: what it computes on the device against the same in double, and
 * each gradient against central differences of that, for every input and parameter; or both against
 * PyTorch's, which torch_values.py wrote down. Sizes are one, prime, and one off a tile. */
#include <float.h>

#include "conjugate.h"
#include "nn/attention/attention.h"
#include "nn/attention/one_query.h"
#include "nn/attention/positions.h"
#include "nn/delta_net.h"
#include "nn/layers.h"
#include "nn/recurrent.h"
#include "nn/state_space.h"
#include "nn/training.h"
#include "nn/transformer.h"
#include "reference.h"
#include "saccade_arrays.h"
#include "status.h"
#include "test.h"

/* ---------------------------------------------------------------- the harness */

enum role {
    GIVEN,   /* an input without a gradient */
    WRITTEN, /* an input whose gradient backward writes */
    ADDED,   /* an input or parameter to whose gradient backward adds: it begins as ¼ */
    RESULT,  /* written by forward; the loss is Σ dy y over all results */
    KEPT,    /* written by forward, for backward alone */
    SCRATCH, /* what a layer works in, with a gradient of its shape: only its surroundings count */
};

typedef struct tensor {
    const char *name; /* in torch_values.npz */
    enum role role;
    size_t rows, width;
    double low, high; /* of the numbers; both 0: −1 and 1 */
    /* 1 + the array in whose memory the value or the gradient lies on the device: */
    int value_in, gradient_in;
    bool gradient_in_value; /* in its own value's */
    bool ones;              /* the loss's gradient by a result is 1 */
    bool spread;            /* numbers of ±3, and here and there ±40: gates wholly open or shut */
    double *x, *d;          /* value and gradient in double */
    sac_tensor value, gradient;
} tensor;

enum { MOST = 28, SIZES = 8 };

typedef struct trial {
    const struct layer_row *row;
    tensor a[MOST];
    int count;
    cl_mem bytes[3]; /* numbers of words, and masks … */
    void *data[3];   /* … and the same for the reference */
    int byte_count;
    bool has_scratch;
} trial;

typedef struct layer {
    const char *name;
    double tolerance; /* of the largest number of an tensor */
    bool learns;      /* has a backward pass */
    void (*shape)(trial *t);
    void (*forward)(trial *t);        /* in double; NULL: held to PyTorch alone */
    void (*run)(trial *t, bool back); /* on the device, forward or backward */
    void (*formula)(trial *t);        /* the gradients in double, for rows BY_FORMULA */
    void (*after)(trial *t);          /* what else holds; NULL: nothing */
    double gradient_tolerance;        /* 0: as above */
} layer;

/* LARGE: too much for the simulator. */
enum { LARGE = 1, FORWARD_ALONE = 2, BY_FORMULA = 4 };

typedef struct layer_row {
    const layer *layer;
    size_t n[SIZES];
    double f[2];
    int flags;
    const char *torch; /* the layer's name in torch_values.npz, to which it is held */
} layer_row;

static sac_arrays *torch_values;

static const sac_array *find(const layer_row *r, const char *d, const char *part)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s%s", r->torch, d, part);
    const sac_array *array = sac_arrays_find(torch_values, name);
    if (!array)
        fail_msg("torch_values.npz has no %s", name);
    return array;
}

static void read_torch(double *x, size_t count, const layer_row *r, const char *d, const char *part)
{
    const sac_array *array = find(r, d, part);
    assert_int_equal(array->dtype, SAC_F32);
    assert_int_equal(sac_array_count(array), count);
    for (size_t i = 0; i < count; i++)
        x[i] = ((const float *)array->data)[i];
}

static double *numbers(size_t count, unsigned seed)
{
    double *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    reference_fill(x, count, seed);
    return x;
}

static tensor *add(trial *t, const char *name, enum role role, size_t rows, size_t width)
{
    assert_true(t->count < MOST);
    t->a[t->count] = (tensor){.name = name, .role = role, .rows = rows, .width = width};
    return &t->a[t->count++];
}

/* Numbers or a mask for both; `data` is freed with the trial. */
static cl_mem add_bytes(trial *t, void *data, size_t size)
{
    t->data[t->byte_count] = data;
    OK(sac_buffer_create(reference_device(), size, data, &t->bytes[t->byte_count], &failure));
    return t->bytes[t->byte_count++];
}

static sac_parameter parameter(const trial *t, int i)
{
    return (sac_parameter){.value = t->a[i].value, .gradient = t->a[i].gradient};
}

static size_t count_of(const tensor *a)
{
    return a->rows * a->width;
}

static bool has_gradient(const tensor *a)
{
    return a->role == WRITTEN || a->role == ADDED;
}

static void fill(trial *t)
{
    for (int i = 0; i < t->count; i++) {
        tensor *a = &t->a[i];
        a->x = numbers(count_of(a), 10 + (unsigned)i);
        a->d = numbers(count_of(a), 40 + (unsigned)i);
        for (size_t j = 0; j < count_of(a); j++) {
            if (a->low != 0 || a->high != 0)
                a->x[j] = (float)(a->low + (a->x[j] + 1) / 2 * (a->high - a->low));
            a->x[j] *= a->spread ? (j % 7 ? 3 : 40) : 1;
            a->d[j] = a->ones ? 1 : a->d[j];
        }
        if (t->row->torch && a->role <= RESULT)
            read_torch(a->x, count_of(a), t->row, "", a->name);
        if (t->row->torch && a->role != GIVEN && a->role <= RESULT)
            read_torch(a->d, count_of(a), t->row, "d", a->name);
    }
}

static void upload(trial *t)
{
    for (int i = 0; i < t->count; i++) {
        tensor *a = &t->a[i];
        double *start = a->role == RESULT ? a->d : NULL;
        double *quarter = a->role == ADDED ? numbers(count_of(a), 0) : NULL;
        for (size_t j = 0; quarter && j < count_of(a); j++)
            quarter[j] = 0.25;
        sac_span value = reference_span(a->role <= ADDED ? a->x : NULL, count_of(a));
        sac_span gradient = reference_span(quarter ? quarter : start, count_of(a));
        a->value = reference_tensor(value, a->rows, a->width);
        a->gradient = reference_tensor(gradient, a->rows, a->width);
        free(quarter);
    }
    for (int i = 0; i < t->count; i++) {
        tensor *a = &t->a[i];
        if (a->value_in) {
            sac_buffer_release(a->value.buffer);
            a->value = t->a[a->value_in - 1].value;
        }
        if (a->gradient_in || a->gradient_in_value) {
            sac_buffer_release(a->gradient.buffer);
            a->gradient = a->gradient_in ? t->a[a->gradient_in - 1].gradient : a->value;
        }
    }
}

static void describe(const trial *t, const char *what, const tensor *a, char *text, size_t size)
{
    const layer_row *r = t->row;
    int length = snprintf(text, size, "%s", r->torch ? r->torch : r->layer->name);
    for (int i = 0; i < SIZES; i++)
        length += snprintf(text + length, size - (size_t)length, " %zu", r->n[i]);
    snprintf(text + length, size - (size_t)length, " %g %g%s%s%s", r->f[0], r->f[1],
             *a->name ? ": " : "", what, a->name);
}

static void hold(const trial *t, const char *what, const tensor *a, sac_tensor on_device,
                 const double *x, double tolerance)
{
    char name[200];
    describe(t, what, a, name, sizeof name);
    reference_check(sac_tensor_span(on_device), x, count_of(a), tolerance, name);
}

static double loss(void *context)
{
    trial *t = context;
    double sum = 0;
    t->row->layer->forward(t);
    for (int i = 0; i < t->count; i++)
        if (t->a[i].role == RESULT)
            sum += reference_dot(t->a[i].x, t->a[i].d, count_of(&t->a[i]));
    return sum;
}

static void hold_gradients(trial *t)
{
    const layer *l = t->row->layer;
    if (t->row->flags & BY_FORMULA)
        l->formula(t);
    for (int i = 0; i < t->count; i++) {
        tensor *a = &t->a[i];
        if (!has_gradient(a))
            continue;
        if (!t->row->torch && !(t->row->flags & BY_FORMULA))
            reference_differences(loss, t, a->x, count_of(a), a->d);
        double *wanted = numbers(count_of(a), 0);
        for (size_t j = 0; j < count_of(a); j++)
            wanted[j] = a->d[j] + (a->role == ADDED ? 0.25 : 0);
        hold(t, "d", a, a->gradient, wanted,
             l->gradient_tolerance > 0 ? l->gradient_tolerance : l->tolerance);
        free(wanted);
    }
}

/* Inputs that nothing was to be written over are what they were, and so is what lies around all. */
static void hold_rest(const trial *t)
{
    for (int i = 0; i < t->count; i++) {
        const tensor *a = &t->a[i];
        bool overwritten = a->role > ADDED || a->gradient_in_value;
        for (int j = 0; j < t->count; j++)
            overwritten = overwritten || t->a[j].value_in == i + 1;
        if (!overwritten)
            hold(t, "what is only read, ", a, a->value, a->x, 0);
        reference_check_guards(sac_tensor_span(a->value), count_of(a), a->name);
        reference_check_guards(sac_tensor_span(a->gradient), count_of(a), a->name);
    }
    if (t->has_scratch)
        reference_check_scratch();
}

static void release(trial *t)
{
    for (int i = 0; i < t->count; i++) {
        tensor *a = &t->a[i];
        free(a->x);
        free(a->d);
        if (!a->value_in)
            sac_buffer_release(a->value.buffer);
        if (!a->gradient_in && !a->gradient_in_value)
            sac_buffer_release(a->gradient.buffer);
    }
    for (int i = 0; i < t->byte_count; i++) {
        sac_buffer_release(t->bytes[i]);
        free(t->data[i]);
    }
}

static void run_row(void **state)
{
    trial t = {.row = *state};
    const layer *l = t.row->layer;
    if (t.row->flags & LARGE && reference_is_oclgrind())
        skip();
    l->shape(&t);
    fill(&t);
    upload(&t);
    if (!t.row->torch)
        l->forward(&t);
    l->run(&t, false);
    reference_end();
    for (int i = 0; i < t.count; i++)
        if (t.a[i].role == RESULT || (t.a[i].role == KEPT && !t.row->torch))
            hold(&t, "", &t.a[i], t.a[i].value, t.a[i].x, l->tolerance);
    if (l->learns && !(t.row->flags & FORWARD_ALONE)) {
        l->run(&t, true);
        reference_end();
        hold_gradients(&t);
    }
    hold_rest(&t);
    if (l->after)
        l->after(&t);
    release(&t);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* ---------------------------------------------------------------- activations and columns */

enum { X, Y };
enum { BY = 1, OUT = 2 }; /* of layers of two inputs */

/* One input, over which the result is written. */
static void shape_in_place(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "x", t->row->layer->learns ? WRITTEN : GIVEN, n[0], n[1])->gradient_in = 1 + Y;
    add(t, "y", RESULT, n[0], n[1])->value_in = 1 + X;
    t->a[X].low = -t->row->f[0];
    t->a[X].high = t->row->f[0];
}

/* What is near 0 is not the difference of larger numbers. */
static double activated(sac_activation activation, double x)
{
    double inside = sqrt(8 / acos(-1)) * (x + 0.044715 * x * x * x);
    switch (activation) {
    case SAC_RELU:
        return x > 0 ? x : 0;
    case SAC_GELU:
        return x * erfc(-x / sqrt(2)) / 2;
    case SAC_GELU_TANH:
        return x / (1 + exp(-inside));
    case SAC_GELU_10:
        return fmax(-10, fmin(10, x * erfc(-x / sqrt(2)) / 2));
    case SAC_QUICK_GELU:
        return x / (1 + exp(-1.702 * x));
    case SAC_RELU_SQUARED:
        return x > 0 ? x * x : 0;
    case SAC_RELU6:
        return fmax(0, fmin(6, x));
    case SAC_LEAKY_RELU:
        return x < 0 ? 0.01 * x : x;
    case SAC_MISH:
        return x * tanh(log1p(exp(x)));
    case SAC_SIGMOID:
        return 1 / (1 + exp(-x));
    case SAC_TANH:
        return tanh(x);
    case SAC_HARDSWISH:
        return x * fmax(0, fmin(6, x + 3)) / 6;
    case SAC_LAPLACE:
        return erfc((0.707107 - x) / (0.282095 * sqrt(2))) / 2;
    case SAC_SQRT_SOFTPLUS:
        return sqrt(log1p(exp(x)));
    case SAC_LINEAR:
        return x;
    default:
        return x / (1 + exp(-x));
    }
}

static void activate(trial *t)
{
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[Y].x[i] = activated((sac_activation)t->row->n[2], t->a[X].x[i]);
}

static void run_activate(trial *t, TEST_UNUSED bool back)
{
    sac_activate(reference_pass(), t->a[X].value, (sac_activation)t->row->n[2]);
}

static const layer activation = {"activation", 2e-6, false, shape_in_place, activate, run_activate};

/* Backward wants x once more. */
static void shape_apart(trial *t)
{
    shape_in_place(t);
    t->a[Y].value_in = 0;
}

static void run_slope(trial *t, bool back)
{
    const sac_activation kind = (sac_activation)t->row->n[2];
    if (back) {
        sac_activate_backward(reference_pass(), t->a[Y].gradient, t->a[X].value, kind);
        return;
    }
    sac_pass_copy(reference_pass(), t->a[Y].value, t->a[X].value);
    sac_activate(reference_pass(), t->a[Y].value, kind);
}

static const layer slope_of = {"slope", 2e-6, true, shape_apart, activate, run_slope};

static void run_tanh(trial *t, bool back)
{
    if (back)
        sac_tanh_backward(reference_pass(), t->a[Y].gradient, t->a[Y].value);
    else
        sac_tanh_forward(reference_pass(), t->a[X].value);
}

static const layer hyperbolic_tangent = {"tanh", 2e-5, true, shape_in_place, activate, run_tanh};

static void run_relu6(trial *t, bool back)
{
    if (back)
        sac_relu6_backward(reference_pass(), t->a[Y].gradient, t->a[Y].value);
    else
        sac_activate(reference_pass(), t->a[X].value, SAC_RELU6);
}

static const layer relu6 = {"relu6", 2e-6, true, shape_in_place, activate, run_relu6};

/* An input and what changes it in its place: of its width, or where n[2] is 1 of its shape. */
static void shape_changed_by(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "x", GIVEN, n[0], n[1]);
    add(t, "by", GIVEN, n[2] ? n[0] : 1, n[1]);
    add(t, "y", RESULT, n[0], n[1])->value_in = 1 + X;
}

static void scale_columns(trial *t)
{
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[OUT].x[i] = t->a[X].x[i] * t->a[BY].x[i % t->a[X].width];
}

static void run_scale_columns(trial *t, TEST_UNUSED bool back)
{
    sac_scale_columns(reference_pass(), t->a[X].value, t->a[BY].value);
}

static const layer scaled_columns = {"scale columns",  1e-7,          false,
                                     shape_changed_by, scale_columns, run_scale_columns};

static void shape_scale_rows(trial *t)
{
    add(t, "x", GIVEN, t->row->n[0], t->row->n[1]);
    add(t, "by", GIVEN, t->row->n[0], 1);
    add(t, "y", RESULT, t->row->n[0], t->row->n[1]);
}

static void scale_rows(trial *t)
{
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[OUT].x[i] = t->a[X].x[i] * t->a[BY].x[i / t->a[X].width];
}

static void run_scale_rows(trial *t, TEST_UNUSED bool back)
{
    sac_scale_rows(reference_pass(), t->a[OUT].value, t->a[X].value, t->a[BY].value);
}

static const layer scaled_rows = {"scale rows",     1e-7,       false,
                                  shape_scale_rows, scale_rows, run_scale_rows};

static void gate(trial *t)
{
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[OUT].x[i] = activated((sac_activation)t->row->n[3], t->a[X].x[i]) * t->a[BY].x[i];
}

static void run_gate(trial *t, TEST_UNUSED bool back)
{
    sac_gate(reference_pass(), t->a[X].value, t->a[BY].value, (sac_activation)t->row->n[3]);
}

static const layer gated = {"gate", 4e-7, false, shape_changed_by, gate, run_gate};

static void shape_gate_columns(trial *t)
{
    add(t, "x", GIVEN, t->row->n[0], 2 * t->row->n[1]);
    add(t, "y", RESULT, t->row->n[0], t->row->n[1]);
}

static void gate_columns(trial *t)
{
    size_t width = t->row->n[1];
    for (size_t i = 0; i < count_of(&t->a[Y]); i++) {
        const double *row = t->a[X].x + i / width * 2 * width + i % width;
        t->a[Y].x[i] = activated(SAC_SILU, row[0]) * row[width];
    }
}

static void run_gate_columns(trial *t, TEST_UNUSED bool back)
{
    sac_gate_columns(reference_pass(), t->a[Y].value, t->a[X].value);
}

static const layer gated_columns = {"gate columns",     4e-7,         false,
                                    shape_gate_columns, gate_columns, run_gate_columns};

static void shape_rms_norm(trial *t)
{
    shape_changed_by(t);
    t->a[X].role = WRITTEN;
    t->a[X].gradient_in = 1 + OUT;
    t->a[BY].role = ADDED;
    t->a[OUT].value_in = t->row->n[3] ? 1 + X : 0; /* in place */
}

static void rms_norm(trial *t)
{
    for (size_t r = 0; r < t->a[X].rows; r++) {
        size_t width = t->a[X].width;
        const double *row = t->a[X].x + r * width;
        double mean = reference_dot(row, row, width) / (double)width;
        for (size_t i = 0; i < width; i++)
            t->a[OUT].x[r * width + i] = row[i] * t->a[BY].x[i] / sqrt(mean + 0.01);
    }
}

static void run_rms_norm(trial *t, bool back)
{
    sac_parameter gain = parameter(t, BY);
    const sac_layer_norm norm = {.gain = &gain, .epsilon = 0.01f};
    if (back)
        sac_layer_norm_backward(reference_pass(), &norm, t->a[OUT].gradient, t->a[X].value);
    else
        sac_layer_norm_forward(reference_pass(), &norm, t->a[OUT].value, t->a[X].value);
}

static const layer rms_normed = {"RMS norm", 1e-6, true, shape_rms_norm, rms_norm, run_rms_norm};

/* Three heads of n[2] numbers, of which 6 are turned, at the places from 7 on. */
enum { HALF = 3, FIRST = 7 };

static void shape_rotate(trial *t)
{
    add(t, "x", WRITTEN, t->row->n[0], t->row->n[1])->gradient_in = 1 + Y;
    add(t, "y", RESULT, t->row->n[0], t->row->n[1])->value_in = 1 + X;
    add(t, "table", SCRATCH, t->row->n[0], 2 * HALF);
}

static void rotate(trial *t)
{
    const double *x = t->a[X].x;
    for (size_t i = 0; i < count_of(&t->a[X]); i++) {
        size_t k = i % t->row->n[2];
        double place = k < 2 * HALF ? (double)(FIRST + i / t->a[X].width) : 0;
        double angle = place * pow(100, -2.0 * (double)(k % HALF) / (2 * HALF));
        double other = k < HALF ? -x[i + HALF] : k < 2 * HALF ? x[i - HALF] : 0;
        t->a[Y].x[i] = x[i] * cos(angle) + other * sin(angle);
    }
}

static void run_rotate(trial *t, bool back)
{
    const sac_rotary rotary = sac_rotary_of(2 * HALF, 100);
    const size_t heads = t->row->n[1] / t->row->n[2];
    sac_rotary_place(reference_pass(), &rotary, t->a[2].value, FIRST);
    if (back)
        sac_rotate_backward(reference_pass(), t->a[Y].gradient, heads, t->a[2].value);
    else
        sac_rotate(reference_pass(), t->a[X].value, heads, t->a[2].value);
}

static const layer rotated = {"rotary", 1e-5, true, shape_rotate, rotate, run_rotate};

/* ---------------------------------------------------------------- linear, rows, means */

enum { W = 1, B, LINEAR_Y };

/* n: rows, in, out, whether dx is added to. */
static void shape_linear(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "x", n[3] ? ADDED : WRITTEN, n[0], n[1]);
    add(t, "weight", ADDED, n[2], n[1]);
    add(t, "bias", ADDED, 1, n[2]);
    add(t, "y", RESULT, n[0], n[2]);
}

static void linear_forward(trial *t)
{
    const size_t *n = t->row->n;
    for (size_t i = 0; i < n[0] * n[2]; i++)
        t->a[LINEAR_Y].x[i] =
            t->a[B].x[i % n[2]] +
            reference_dot(t->a[X].x + i / n[2] * n[1], t->a[W].x + i % n[2] * n[1], n[1]);
}

static void run_linear(trial *t, bool back)
{
    sac_parameter w = parameter(t, W), b = parameter(t, B);
    const tensor *x = &t->a[X], *y = &t->a[LINEAR_Y];
    if (!back) {
        sac_linear_forward(reference_pass(), y->value, x->value, &w, &b);
        return;
    }
    sac_linear_backward_weights(reference_pass(), y->gradient, x->value, &w, &b);
    (t->row->n[3] ? sac_linear_backward_add
                  : sac_linear_backward_input)(reference_pass(), x->gradient, y->gradient, &w);
}

static const layer linear = {"linear", 2e-5, true, shape_linear, linear_forward, run_linear};

/* y += x Wᵀ: the bias of the reference is what there was. */
static void shape_linear_add(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "x", GIVEN, n[0], n[1]);
    add(t, "weight", GIVEN, n[2], n[1]);
    add(t, "before", GIVEN, n[0], n[2]);
    add(t, "y", RESULT, n[0], n[2])->value_in = 1 + B;
}

static void linear_add(trial *t)
{
    const size_t *n = t->row->n;
    for (size_t i = 0; i < n[0] * n[2]; i++)
        t->a[LINEAR_Y].x[i] = t->a[B].x[i] + reference_dot(t->a[X].x + i / n[2] * n[1],
                                                           t->a[W].x + i % n[2] * n[1], n[1]);
}

static void run_linear_add(trial *t, TEST_UNUSED bool back)
{
    sac_parameter w = parameter(t, W);
    sac_linear_add(reference_pass(), t->a[B].value, t->a[X].value, &w);
}

static const layer linear_added = {"linear, added",  2e-5,       false,
                                   shape_linear_add, linear_add, run_linear_add};

static void add_rows(trial *t)
{
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[OUT].x[i] = t->a[X].x[i] + t->a[BY].x[i % t->a[X].width];
}

static void run_add_rows(trial *t, TEST_UNUSED bool back)
{
    sac_add_rows(reference_pass(), t->a[X].value, t->a[BY].value);
}

static const layer rows_added_to = {"add rows",       2e-5,     false,
                                    shape_changed_by, add_rows, run_add_rows};

static void shape_sum_rows(trial *t)
{
    add(t, "dx", GIVEN, t->row->n[0], t->row->n[1]);
    add(t, "before", GIVEN, 1, t->row->n[1]);
    add(t, "db", RESULT, 1, t->row->n[1])->value_in = 1 + BY;
}

static void sum_rows(trial *t)
{
    memcpy(t->a[OUT].x, t->a[BY].x, t->a[BY].width * sizeof(double));
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[OUT].x[i % t->a[X].width] += t->a[X].x[i];
}

static void run_sum_rows(trial *t, TEST_UNUSED bool back)
{
    sac_sum_rows(reference_pass(), t->a[BY].value, t->a[X].value);
}

static const layer summed_rows = {"sum rows", 2e-5, false, shape_sum_rows, sum_rows, run_sum_rows};

/* n: batch, cells, depth. */
static void shape_mean(trial *t)
{
    add(t, "x", ADDED, t->row->n[0] * t->row->n[1], t->row->n[2]);
    add(t, "y", RESULT, t->row->n[0], t->row->n[2]);
}

static void mean_forward(trial *t)
{
    const size_t *n = t->row->n;
    memset(t->a[Y].x, 0, count_of(&t->a[Y]) * sizeof(double));
    for (size_t i = 0; i < count_of(&t->a[X]); i++)
        t->a[Y].x[i / n[2] / n[1] * n[2] + i % n[2]] += t->a[X].x[i] / (double)n[1];
}

static void run_mean(trial *t, bool back)
{
    if (back)
        sac_mean_cells_backward(reference_pass(), t->a[X].gradient, t->a[Y].gradient);
    else
        sac_mean_cells_forward(reference_pass(), t->a[Y].value, t->a[X].value);
}

static const layer mean = {"mean over cells", 2e-5, true, shape_mean, mean_forward, run_mean};

/* n: rows, depth, vocabulary. The numbers of the words begin behind three others. */
static void shape_embedding(trial *t)
{
    const size_t *n = t->row->n;
    int *words = malloc((3 + n[0]) * sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < 3 + n[0]; i++)
        words[i] = i < 3 ? -1 : (int)(i * i % n[2]);
    add_bytes(t, words, (3 + n[0]) * sizeof *words);
    add(t, "table", ADDED, n[2], n[1]);
    add(t, "y", RESULT, n[0], n[1]);
}

static void embed(trial *t)
{
    size_t depth = t->row->n[1];
    const int *words = (const int *)t->data[0] + 3;
    for (size_t r = 0; r < t->row->n[0]; r++)
        memcpy(t->a[Y].x + r * depth, t->a[X].x + (size_t)words[r] * depth, depth * sizeof(double));
}

static void run_embedding(trial *t, bool back)
{
    sac_parameter table = parameter(t, X);
    const sac_ints words = {t->bytes[0], 3, t->row->n[0]};
    if (back)
        sac_embedding_backward(reference_pass(), &table, t->a[Y].gradient, words);
    else
        sac_embedding_forward(reference_pass(), t->a[Y].value, &table, words);
}

static const layer embedding = {"embedding", 2e-5, true, shape_embedding, embed, run_embedding};

/* ---------------------------------------------------------------- layer norm */

enum { GAIN = 1, BIAS, NORM_Y, POSITION };

/* n: batch, cells, depth, whether it has positions; f: epsilon, 0: 1e-5. */
static void shape_norm(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "x", WRITTEN, n[0] * n[1], n[2])->gradient_in = 1 + NORM_Y; /* backward is in place */
    add(t, "weight", ADDED, 1, n[2]);
    add(t, "bias", ADDED, 1, n[2]);
    add(t, "y", RESULT, n[0] * n[1], n[2]);
    if (n[3])
        add(t, "position", ADDED, n[1], n[2]);
}

static void norm_forward(trial *t)
{
    const size_t *n = t->row->n, depth = n[2];
    double epsilon = t->row->f[0] > 0 ? t->row->f[0] : 1e-5;
    for (size_t row = 0; row < n[0] * n[1]; row++) {
        double *y = t->a[NORM_Y].x + row * depth, average = 0, variance = 0;
        for (size_t d = 0; d < depth; d++) {
            y[d] = t->a[X].x[row * depth + d];
            y[d] += n[3] ? t->a[POSITION].x[row % n[1] * depth + d] : 0;
            average += y[d] / (double)depth;
        }
        for (size_t d = 0; d < depth; d++)
            variance += (y[d] - average) * (y[d] - average) / (double)depth;
        for (size_t d = 0; d < depth; d++)
            y[d] = t->a[GAIN].x[d] * (y[d] - average) / sqrt(variance + epsilon) + t->a[BIAS].x[d];
    }
}

static void run_norm(trial *t, bool back)
{
    sac_parameter gain = parameter(t, GAIN), bias = parameter(t, BIAS),
                  position = parameter(t, POSITION);
    sac_layer_norm norm = {t->row->n[3] ? &position : NULL, &gain, &bias, (float)t->row->f[0]};
    if (back) {
        sac_layer_norm_backward(reference_pass(), &norm, t->a[NORM_Y].gradient, t->a[X].value);
        return;
    }
    reference_scratch(sac_layer_norm_scratch(&norm, t->a[X].value));
    t->has_scratch = true;
    sac_layer_norm_forward(reference_pass(), &norm, t->a[NORM_Y].value, t->a[X].value);
}

static const layer norm = {"layer norm", 1e-5, true, shape_norm, norm_forward,
                           run_norm,     NULL, NULL, 2e-4};

/* ---------------------------------------------------------------- recurrent */

enum { SUMS, BEFORE, GATES, C, H, GRU_H = 3, OWN };

/* n: batch, hidden, whether dc_before takes the place of dc. */
static void shape_lstm(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "gates", WRITTEN, n[0], 4 * n[1])->spread = true;
    add(t, "c_before", WRITTEN, n[0], n[1])->gradient_in = n[2] ? 1 + C : 0;
    add(t, "gates, activated", KEPT, n[0], 4 * n[1])->value_in = 1 + SUMS;
    add(t, "c", RESULT, n[0], n[1]);
    add(t, "h", RESULT, n[0], n[1]);
}

static void lstm_forward(trial *t)
{
    size_t hidden = t->row->n[1];
    for (size_t i = 0; i < count_of(&t->a[H]); i++) {
        size_t at = i / hidden * 4 * hidden + i % hidden;
        double *g = t->a[GATES].x + at;
        for (size_t k = 0; k < 4; k++) {
            double x = t->a[SUMS].x[at + k * hidden];
            g[k * hidden] = k == 2 ? tanh(x) : sigmoid(x);
        }
        t->a[C].x[i] = g[hidden] * t->a[BEFORE].x[i] + g[0] * g[2 * hidden];
        t->a[H].x[i] = g[3 * hidden] * tanh(t->a[C].x[i]);
    }
}

static void run_lstm(trial *t, bool back)
{
    if (back)
        sac_lstm_backward(reference_pass(), t->a[SUMS].gradient, t->a[BEFORE].gradient,
                          t->a[H].gradient, t->a[C].gradient, t->a[SUMS].value, t->a[C].value,
                          t->a[BEFORE].value);
    else
        sac_lstm_forward(reference_pass(), t->a[H].value, t->a[C].value, t->a[SUMS].value,
                         t->a[BEFORE].value);
}

/* tanh_fast is 1e-7 off, and a gradient has a few of them. */
static const layer lstm = {"LSTM", 1e-5, true, shape_lstm, lstm_forward, run_lstm};

/* ---------------------------------------------------------------- delta nets */

/* n: rows of y, numbers, taps, rows of x from one of them to the next. */
static void shape_last(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "x", GIVEN, (n[0] - 1) * n[3] + n[2], n[1]);
    add(t, "w", GIVEN, n[1], n[2]);
    add(t, "y", RESULT, n[0], n[1]);
}

static void last_forward(trial *t)
{
    const size_t *n = t->row->n;
    for (size_t i = 0; i < n[0] * n[1]; i++) {
        double sum = 0;
        for (size_t k = 0; k < n[2]; k++)
            sum +=
                t->a[1].x[i % n[1] * n[2] + k] * t->a[0].x[(i / n[1] * n[3] + k) * n[1] + i % n[1]];
        t->a[2].x[i] = sum * sigmoid(sum);
    }
}

static void run_last(trial *t, bool back)
{
    (void)back;
    sac_convolve_last(reference_pass(), t->a[2].value, t->a[0].value, t->a[1].value, t->row->n[3]);
}

static const layer of_last = {
    "convolution over the last", 1e-5, false, shape_last, last_forward, run_last};

enum { QUERY, KEY, VALUE, SHARE, DECAY, RATE, SHIFT, BEGUN, STATE, GIVES };

/* n: sentences, their tokens, heads, those of keys, numbers of a key, of a value, sentences that they follow. */
static void shape_scan(trial *t)
{
    const size_t *n = t->row->n, rows = n[0] * n[1];
    int *parents = malloc(n[0] * sizeof *parents);
    for (size_t r = 0; r < n[0]; r++)
        parents[r] = (int)((r + 1) % n[6]);
    add_bytes(t, parents, n[0] * sizeof *parents);
    add(t, "query", GIVEN, rows, n[3] * n[4]);
    add(t, "key", GIVEN, rows, n[3] * n[4]);
    add(t, "value", GIVEN, rows, n[2] * n[5]);
    add(t, "share", GIVEN, rows, n[2]);
    tensor *decay = add(t, "decay", GIVEN, rows, n[2]);
    decay->low = -12; /* to 1 and to nothing */
    decay->high = 24;
    add(t, "rate", GIVEN, 1, n[2]);
    add(t, "shift", GIVEN, 1, n[2]);
    add(t, "before", GIVEN, n[6] * n[2] * n[4], n[5]);
    add(t, "state", RESULT, n[0] * n[2] * n[4], n[5]);
    add(t, "given", RESULT, rows, n[2] * n[5]);
}

static void scan_forward(trial *t)
{
    const size_t *n = t->row->n, T = n[1], heads = n[2], depth = n[4], V = n[5];
    const int *parents = t->data[0];
    for (size_t i = 0; i < n[0] * heads * V; i++) {
        const size_t r = i / V / heads, h = i / V % heads, j = i % V, keys = h / (heads / n[3]);
        double *state = t->a[STATE].x + (r * heads + h) * depth * V + j;
        for (size_t k = 0; k < depth; k++)
            state[k * V] = t->a[BEGUN].x[(((size_t)parents[r] * heads + h) * depth + k) * V + j];
        for (size_t at = r * T; at < (r + 1) * T; at++) {
            const double *q = t->a[QUERY].x + (at * n[3] + keys) * depth;
            const double *key = t->a[KEY].x + (at * n[3] + keys) * depth;
            const double x = t->a[DECAY].x[at * heads + h] + t->a[SHIFT].x[h];
            const double kept = exp(-exp(t->a[RATE].x[h]) * (x > 30 ? x : log1p(exp(x))));
            double known = 0, given = 0;
            for (size_t k = 0; k < depth; k++)
                known += (state[k * V] *= kept) * key[k];
            for (size_t k = 0; k < depth; k++) {
                state[k * V] += key[k] * sigmoid(t->a[SHARE].x[at * heads + h]) *
                                (t->a[VALUE].x[(at * heads + h) * V + j] - known);
                given += q[k] * state[k * V];
            }
            t->a[GIVES].x[(at * heads + h) * V + j] = given;
        }
    }
}

static void run_scan(trial *t, bool back)
{
    const size_t *n = t->row->n;
    (void)back;
    sac_delta_scan_run(reference_pass(), &(sac_delta_scan){n[0],
                                                           n[2],
                                                           n[3],
                                                           t->a[QUERY].value,
                                                           t->a[KEY].value,
                                                           t->a[VALUE].value,
                                                           t->a[SHARE].value,
                                                           t->a[DECAY].value,
                                                           t->a[RATE].value,
                                                           t->a[SHIFT].value,
                                                           {t->bytes[0], 0, n[0]},
                                                           t->a[BEGUN].value,
                                                           t->a[STATE].value,
                                                           t->a[GIVES].value});
}

static const layer scan = {"scan of a delta net", 1e-5, false, shape_scan, scan_forward, run_scan};

/* n: batch, hidden, whether dh_before takes the place of dh. */
static void shape_gru(trial *t)
{
    const size_t *n = t->row->n;
    add(t, "gates", WRITTEN, n[0], 3 * n[1])->spread = true;
    add(t, "h_before", WRITTEN, n[0], n[1])->gradient_in = n[2] ? 1 + GRU_H : 0;
    add(t, "gates, activated", KEPT, n[0], 3 * n[1])->value_in = 1 + SUMS;
    add(t, "h", RESULT, n[0], n[1]);
    add(t, "recurrent", WRITTEN, n[0], 3 * n[1]);
}

static void gru_forward(trial *t)
{
    size_t n = t->row->n[1];
    for (size_t i = 0; i < count_of(&t->a[GRU_H]); i++) {
        size_t at = i / n * 3 * n + i % n;
        const double *sum = t->a[SUMS].x + at, *own = t->a[OWN].x + at;
        double *g = t->a[GATES].x + at;
        g[0] = sigmoid(sum[0] + own[0]);
        g[n] = sigmoid(sum[n] + own[n]);
        g[2 * n] = tanh(sum[2 * n] + g[0] * own[2 * n]);
        t->a[GRU_H].x[i] = (1 - g[n]) * g[2 * n] + g[n] * t->a[BEFORE].x[i];
    }
}

static void run_gru(trial *t, bool back)
{
    if (back)
        sac_gru_backward(reference_pass(), t->a[SUMS].gradient, t->a[OWN].gradient,
                         t->a[BEFORE].gradient, t->a[GRU_H].gradient, t->a[SUMS].value,
                         t->a[OWN].value, t->a[BEFORE].value);
    else
        sac_gru_forward(reference_pass(), t->a[GRU_H].value, t->a[SUMS].value, t->a[OWN].value,
                        t->a[BEFORE].value);
}

static const layer gru = {"GRU", 1e-5, true, shape_gru, gru_forward, run_gru};

/* A GRU over sentences from their first word to their last, and another one from the last to the
 * first, joined. The parameters of one stand behind each other, then those of the other. */
enum { FIRST_STATES = 1, THERE, BACK = THERE + 4, JOINED = BACK + 4, LAST, WORK };
enum { W_IH, W_HH, B_IH, B_HH, STATES_OF = 0, GATES_OF, OWN_OF, WORKS };

/* n: T, B, E, H and the lengths of three sentences. */
static void shape_both(trial *t)
{
    static const char *const names[] = {
        "weight_ih_l0",         "weight_hh_l0",         "bias_ih_l0",         "bias_hh_l0",
        "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse", "bias_hh_l0_reverse"};
    const size_t *n = t->row->n, rows = n[0] * n[1], hidden = n[3];
    int *lengths = malloc(n[1] * sizeof *lengths), *reversed = malloc(rows * sizeof *reversed);
    assert_true(lengths && reversed && n[1] == 3);
    for (size_t b = 0; b < n[1]; b++)
        lengths[b] = (int)n[4 + b];
    for (size_t i = 0; i < rows; i++) { /* taken twice they are all rows in their order */
        size_t word = i / n[1], length = n[4 + i % n[1]];
        reversed[i] = (int)((word < length ? length - 1 - word : word) * n[1] + i % n[1]);
    }
    add_bytes(t, lengths, n[1] * sizeof *lengths);
    add_bytes(t, reversed, rows * sizeof *reversed);
    add(t, "x", WRITTEN, rows, n[2]);
    add(t, "first", WRITTEN, 2 * n[1], hidden);
    for (int i = 0; i < 8; i++)
        add(t, names[i], ADDED, i % 4 < B_IH ? 3 * hidden : 1,
            i % 4 == W_IH   ? n[2]
            : i % 4 == W_HH ? hidden
                            : 3 * hidden);
    add(t, "y", RESULT, rows, 2 * hidden);
    add(t, "last", RESULT, n[1], 2 * hidden);
    for (int i = 0; i < 2; i++) {
        add(t, "states", SCRATCH, rows + n[1], hidden);
        add(t, "gates", SCRATCH, rows, 3 * hidden);
        add(t, "recurrent", SCRATCH, rows, 3 * hidden);
    }
    add(t, "x from the end", SCRATCH, rows, n[2]);
}

static void both_forward(trial *t)
{
    const size_t *n = t->row->n, batch = n[1], in = n[2], hidden = n[3];
    memset(t->a[JOINED].x, 0, count_of(&t->a[JOINED]) * sizeof(double));
    for (size_t at = 0; at < 2 * batch; at++) {
        size_t back = at / batch, b = at % batch, length = n[4 + b];
        const tensor *p = t->a + (back ? BACK : THERE);
        double *last = t->a[LAST].x + (b * 2 + back) * hidden, before[16], state[16];
        assert_true(hidden <= 16);
        memcpy(state, t->a[FIRST_STATES].x + at * hidden, hidden * sizeof *state);
        for (size_t step = 0; step < length; step++) {
            size_t word = back ? length - 1 - step : step;
            const double *x = t->a[X].x + (word * batch + b) * in;
            memcpy(before, state, sizeof before);
            for (size_t i = 0; i < hidden; i++) {
                double sum[3], own[3];
                for (size_t g = 0; g < 3; g++) {
                    size_t line = g * hidden + i;
                    sum[g] = reference_dot(p[W_IH].x + line * in, x, in) + p[B_IH].x[line];
                    own[g] =
                        reference_dot(p[W_HH].x + line * hidden, before, hidden) + p[B_HH].x[line];
                }
                double update = sigmoid(sum[1] + own[1]);
                double candidate = tanh(sum[2] + sigmoid(sum[0] + own[0]) * own[2]);
                state[i] = (1 - update) * candidate + update * before[i];
            }
            memcpy(t->a[JOINED].x + ((b * n[0] + word) * 2 + back) * hidden, state,
                   hidden * sizeof *state);
        }
        memcpy(last, state, hidden * sizeof *state);
    }
}

/* Forward or backward of one direction. */
static void run_direction(trial *t, int back, bool backward)
{
    const size_t *n = t->row->n;
    sac_parameter p[4];
    for (int i = 0; i < 4; i++)
        p[i] = parameter(t, (back ? BACK : THERE) + i);
    const sac_gru_layer of = {&p[W_IH], &p[B_IH], &p[W_HH], &p[B_HH]};
    const tensor *work = t->a + WORK + back * WORKS, *x = t->a + (back ? WORK + 2 * WORKS : X);
    const sac_sequence_lengths lengths = {n[0], n[1], t->data[0]};
    const sac_gru_sequence s = {x->value, work[STATES_OF].value, work[GATES_OF].value,
                                work[OWN_OF].value};
    const sac_gru_sequence_gradients d = {work[STATES_OF].gradient, work[GATES_OF].gradient,
                                          work[OWN_OF].gradient, x->gradient};
    if (backward) {
        sac_gru_sequence_backward(reference_pass(), &of, &lengths, &s, &d);
        sac_pass_copy(reference_pass(),
                      sac_tensor_rows(t->a[FIRST_STATES].gradient, (size_t)back * n[1], n[1]),
                      sac_tensor_rows(d.dh, 0, n[1]));
        return;
    }
    sac_pass_fill(reference_pass(), s.h, 0); /* past a sentence's end it has to be finite */
    sac_pass_copy(reference_pass(), sac_tensor_rows(s.h, 0, n[1]),
                  sac_tensor_rows(t->a[FIRST_STATES].value, (size_t)back * n[1], n[1]));
    sac_gru_sequence_forward(reference_pass(), &of, &lengths, &s);
}

static void run_both(trial *t, bool back)
{
    sac_pass *pass = reference_pass();
    const sac_ints lengths = {t->bytes[0], 0, t->row->n[1]};
    const sac_ints reversed = {t->bytes[1], 0, t->a[X].rows};
    const tensor *there = &t->a[WORK], *from_end = &t->a[WORK + WORKS],
                 *x = &t->a[WORK + 2 * WORKS];
    if (back)
        sac_join_directions_backward(pass, there->gradient, from_end->gradient,
                                     t->a[JOINED].gradient, t->a[LAST].gradient, lengths);
    else
        sac_gather_rows(pass, x->value, t->a[X].value, reversed);
    run_direction(t, 0, back);
    run_direction(t, 1, back);
    if (back) { /* to dx both add: the other's is gathered into memory that is done with */
        sac_tensor dx = t->a[X].gradient;
        sac_tensor gathered = sac_tensor_shaped(there->gradient, dx.rows, dx.width);
        sac_gather_rows(pass, gathered, x->gradient, reversed);
        sac_add(pass, dx, gathered);
    } else {
        sac_join_directions_forward(pass, t->a[JOINED].value, t->a[LAST].value, there->value,
                                    from_end->value, lengths);
    }
}

static const layer both = {"bidirectional GRU", 2e-5, true, shape_both, both_forward, run_both};

TEST(sequence_rows_are_those_of_sentences_that_have_the_word)
{
    sac_sequence_lengths lengths = {4, 3, (const int[]){4, 2, 2}};
    assert_int_equal(sac_sequence_rows(&lengths, 0), 3);
    assert_int_equal(sac_sequence_rows(&lengths, 1), 3);
    assert_int_equal(sac_sequence_rows(&lengths, 2), 1);
    assert_int_equal(sac_sequence_rows(&lengths, 4), 0);
}

/* ---------------------------------------------------------------- losses */

/* n: rows, words; f: the spread of the logits, smoothing. Logits become their gradient. Every
 * fourth row has no target. */
static void shape_word_loss(trial *t)
{
    const size_t *n = t->row->n;
    int *targets = malloc(n[0] * sizeof *targets);
    assert_non_null(targets);
    for (size_t i = 0; i < n[0]; i++)
        targets[i] = i % 4 == 3 ? -(int)i : (int)(i * 5 % n[1]);
    add_bytes(t, targets, n[0] * sizeof *targets);
    tensor *logits = add(t, "logits", WRITTEN, n[0], n[1]);
    logits->low = -t->row->f[0];
    logits->high = t->row->f[0];
    logits->gradient_in_value = true;
    add(t, "losses", RESULT, n[0], 1)->ones = true;
}

static void word_loss(trial *t)
{
    size_t words = t->row->n[1];
    double smoothing = (float)t->row->f[1];
    for (size_t row = 0; row < t->row->n[0]; row++) {
        const double *line = t->a[X].x + row * words;
        int target = ((const int *)t->data[0])[row];
        double highest = line[0], sum = 0, wanted = 0, share = smoothing / (double)words;
        for (size_t i = 0; i < words; i++)
            highest = fmax(highest, line[i]);
        for (size_t i = 0; i < words; i++) {
            sum += exp(line[i] - highest);
            wanted += ((int)i == target ? 1 - smoothing + share : share) * line[i];
        }
        t->a[Y].x[row] = target >= 0 ? 0.125 * (log(sum) + highest - wanted) : 0;
    }
}

static void run_word_loss(trial *t, bool back)
{
    if (back) /* forward has written the gradients too */
        return;
    sac_smoothed_word_loss(reference_pass(), t->a[Y].value, t->a[X].value,
                           (sac_ints){t->bytes[0], 0, t->row->n[0]}, 0.125f, (float)t->row->f[1]);
}

static const layer words_lost = {"word loss",     1e-5,      true,
                                 shape_word_loss, word_loss, run_word_loss};

/* Sentences of 4, 2 and 0 steps; a step beyond a sentence names an object all the same, which must
 * not count. n: the normaliser of the weights, which are those of the scores; f: the weights of both losses. */
enum { STEPS = 4, BATCH = 3, CELLS = 21, OBJECTS = 2, NAMED = 4 };
static const int lengths_lost[BATCH] = {4, 2, 0};
static const int about[STEPS * BATCH] = {-1, 0, 0, 1, -1, 1, 0, 1, 0, 1, 0, -1};
enum { SCORES = 1, COVER, LOSSES };

static void *copied(const void *data, size_t size)
{
    void *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, data, size);
}

static void shape_attention_loss(trial *t)
{
    add_bytes(t, copied(lengths_lost, sizeof lengths_lost), sizeof lengths_lost);
    add_bytes(t, copied(about, sizeof about), sizeof about);
    add(t, "weights", WRITTEN, STEPS * BATCH, CELLS);
    tensor *scores = add(t, "scores", WRITTEN, STEPS * BATCH, CELLS);
    scores->low = -3;
    scores->high = 3;
    tensor *cover = add(t, "cover", GIVEN, BATCH * OBJECTS, CELLS);
    cover->low = -0.985; /* what is below 0 lies outside, as 0 does */
    cover->high = 0.985;
    add(t, "losses", RESULT, 2, BATCH)->ones = true;
}

static void attention_loss(trial *t)
{
    const sac_normalizer normalizer = (sac_normalizer)t->row->n[0];
    for (int b = 0; b < BATCH; b++) {
        double *losses = t->a[LOSSES].x + b;
        losses[0] = losses[BATCH] = 0;
        for (int n = 0; n < CELLS; n++) {
            double missing = 1;
            for (int s = 0; s < lengths_lost[b]; s++)
                missing -= t->a[X].x[(s * BATCH + b) * CELLS + n];
            losses[0] += missing * missing * t->row->f[0] / (BATCH * CELLS);
        }
        for (int s = 0; s < lengths_lost[b]; s++) {
            int object = about[s * BATCH + b];
            if (object < 0)
                continue;
            losses[BATCH] +=
                supervised_loss(normalizer, t->a[SCORES].x + (s * BATCH + b) * CELLS,
                                t->a[COVER].x + (b * OBJECTS + object) * CELLS, CELLS) *
                t->row->f[1] / NAMED;
        }
    }
}

static void run_attention_loss(trial *t, bool back)
{
    if (back) /* forward has written the gradients too */
        return;
    sac_attention_loss loss_of = {
        (sac_normalizer)t->row->n[0], STEPS, BATCH, CELLS, OBJECTS, (float)t->row->f[0],
        (float)t->row->f[1],          NAMED};
    sac_attention_truth truth = {
        {t->bytes[0], 0, BATCH}, {t->bytes[1], 0, STEPS * BATCH}, t->a[COVER].value};
    sac_attention_loss_tensors tensors = {t->a[X].value, t->a[SCORES].value, t->a[X].gradient,
                                          t->a[SCORES].gradient, t->a[LOSSES].value};
    float weights[STEPS * BATCH * CELLS];
    for (size_t row = 0; row < STEPS * BATCH; row++)
        sac_normalize(loss_of.normalizer, CELLS, t->a[SCORES].x + row * CELLS,
                      t->a[X].x + row * CELLS);
    for (size_t i = 0; i < STEPS * BATCH * CELLS; i++)
        t->a[X].x[i] = weights[i] = (float)t->a[X].x[i];
    sac_pass_write(reference_pass(), t->a[X].value, weights);
    attention_loss(t);
    sac_attention_loss_run(reference_pass(), &loss_of, &tensors, &truth);
}

static const layer attention_lost = {"attention loss",     1e-5,           true,
                                     shape_attention_loss, attention_loss, run_attention_loss};

/* ---------------------------------------------------------------- attention of one query */

enum { HIDES = 1, WEIGHS = 2, GATELESS = 4, SHARED = 8, HIDES_ALL = 16, SCORED = 32 };
enum { Q_VALUE, Q_KEY, Q_W, Q_QUERY, Q_GATE, Q_WEIGHTS, Q_CONTEXT, Q_OUTPUT, Q_BETA, Q_SCORES };

/* n: batch, keys, width of values, width of keys, score, flags, normaliser; f: the scale. Every item has a
 * query; with SHARED keys and values are one item's. WEIGHS, SCORED: the loss asks something of the weights, of
 * the scores. */
static void shape_one_query(trial *t)
{
    const size_t *n = t->row->n, flags = n[5], items = flags & SHARED ? 1 : n[0];
    if (flags & (HIDES | HIDES_ALL)) {
        uint8_t *hidden = malloc(items * n[1]);
        assert_non_null(hidden);
        for (size_t i = 0; i < items * n[1]; i++)
            hidden[i] = flags & HIDES_ALL || i % n[1] % 3 == (1 + i / n[1]) % 3;
        add_bytes(t, hidden, items * n[1]);
    }
    add(t, "value", ADDED, items * n[1], n[2]);
    add(t, "key", ADDED, items * n[1], n[3]);
    add(t, "w_v", n[4] == SAC_SCORE_ADDITIVE ? ADDED : GIVEN, 1, n[3]);
    add(t, "query", WRITTEN, n[0], n[3]);
    add(t, "gate", flags & GATELESS ? GIVEN : WRITTEN, n[0], 1);
    for (int i = Q_VALUE; i <= Q_GATE; i++) {
        t->a[i].low = i == Q_GATE ? -3 : -2;
        t->a[i].high = -t->a[i].low;
    }
    add(t, "weights", flags & WEIGHS ? RESULT : KEPT, n[0], n[1]);
    add(t, "context", flags & GATELESS ? SCRATCH : KEPT, n[0], n[2]);
    add(t, "output", RESULT, n[0], n[2]);
    tensor *opened = add(t, "gate, open", flags & GATELESS ? SCRATCH : KEPT, n[0], 1);
    opened->value_in = flags & GATELESS ? 0 : 1 + Q_GATE;
    add(t, "scores", flags & SCORED ? RESULT : SCRATCH, n[0], n[1]);
}

/* The weights of one query's scores; all 0 where all is hidden. */
static void weigh(sac_normalizer normalizer, double *scores, const uint8_t *hidden, size_t keys)
{
    for (size_t n = 0; n < keys; n++)
        scores[n] = hidden && hidden[n] ? -INFINITY : scores[n];
    sac_normalize(normalizer, keys, scores, scores);
}

static void one_query(trial *t)
{
    const size_t *n = t->row->n, keys = n[1], columns = n[2], dim = n[3];
    for (size_t b = 0; b < n[0]; b++) {
        size_t item = n[5] & SHARED ? 0 : b;
        const double *query = t->a[Q_QUERY].x + b * dim;
        const uint8_t *hidden = t->byte_count ? (const uint8_t *)t->data[0] + item * keys : NULL;
        double *weights = t->a[Q_WEIGHTS].x + b * keys, *beta = t->a[Q_BETA].x + b;
        for (size_t k = 0; k < keys; k++) {
            const double *key = t->a[Q_KEY].x + (item * keys + k) * dim;
            weights[k] = 0;
            for (size_t a = 0; a < dim; a++)
                weights[k] += n[4] == SAC_SCORE_ADDITIVE ? t->a[Q_W].x[a] * tanh(key[a] + query[a])
                                                         : key[a] * query[a];
            weights[k] *= t->row->f[0];
            t->a[Q_SCORES].x[b * keys + k] = weights[k];
        }
        weigh((sac_normalizer)n[6], weights, hidden, keys);
        *beta = n[5] & GATELESS ? 1 : sigmoid(t->a[Q_GATE].x[b]);
        for (size_t c = 0; c < columns; c++) {
            double sum = 0;
            for (size_t k = 0; k < keys; k++)
                sum += weights[k] * t->a[Q_VALUE].x[(item * keys + k) * columns + c];
            t->a[Q_CONTEXT].x[b * columns + c] = sum;
            t->a[Q_OUTPUT].x[b * columns + c] = *beta * sum;
        }
    }
}

static void run_one_query(trial *t, bool back)
{
    const size_t *n = t->row->n, flags = n[5];
    sac_parameter w_v = parameter(t, Q_W);
    sac_attention_layer of = {.spec = {.score = (sac_score)n[4],
                                       .normalizer = (sac_normalizer)n[6],
                                       .use_scale = true,
                                       .scale = (float)t->row->f[0]},
                              .batch = n[0],
                              .shared = flags & SHARED,
                              .padding = t->bytes[0],
                              .w_v = n[4] == SAC_SCORE_ADDITIVE ? &w_v : NULL};
    sac_attention_tensors tensors = {.query = t->a[Q_QUERY].value,
                                     .key = t->a[Q_KEY].value,
                                     .value = t->a[Q_VALUE].value,
                                     .output = t->a[Q_OUTPUT].value,
                                     .weights = t->a[Q_WEIGHTS].value};
    sac_attention_layer_gradients slopes = {.doutput = t->a[Q_OUTPUT].gradient,
                                            .dquery = t->a[Q_QUERY].gradient,
                                            .dkey = t->a[Q_KEY].gradient,
                                            .dvalue = t->a[Q_VALUE].gradient};
    if (flags & WEIGHS)
        slopes.dweights = t->a[Q_WEIGHTS].gradient;
    if (flags & SCORED) {
        tensors.scores = t->a[Q_SCORES].value;
        slopes.dscores = t->a[Q_SCORES].gradient;
    }
    if (!(flags & GATELESS)) {
        tensors.gate = t->a[Q_GATE].value;
        tensors.context = t->a[Q_CONTEXT].value;
        slopes.dgate = t->a[Q_GATE].gradient;
    }
    if (back) {
        sac_attention_layer_backward(reference_pass(), &of, &tensors, &slopes);
        return;
    }
    reference_scratch(sac_one_query_scratch(&of, &tensors));
    t->has_scratch = true;
    sac_attention_layer_forward(reference_pass(), &of, &tensors);
}

/* Hidden keys have a weight of 0 to the last bit, and others of a softmax none such. */
static void hold_hidden_weights(trial *t)
{
    size_t count = count_of(&t->a[Q_WEIGHTS]);
    float *weights = malloc(count * sizeof *weights);
    assert_non_null(weights);
    OK(sac_span_read(reference_device(), sac_tensor_span(t->a[Q_WEIGHTS].value), count, weights,
                     &failure));
    for (size_t i = 0; t->byte_count && !(t->row->n[5] & SHARED) && i < count; i++)
        assert_true(((const uint8_t *)t->data[0])[i]
                        ? weights[i] == 0
                        : weights[i] > 0 || t->row->n[6] != SAC_NORMALIZER_SOFTMAX);
    free(weights);
}

/* tanh_fast is 1e-7 off, and sums have some hundred terms. */
static const layer query = {"one query", 2e-5,          true, shape_one_query,
                            one_query,   run_one_query, NULL, hold_hidden_weights};

/* With ReLU in its score and a gate for each number. n: rows, cells, width of keys, width of values,
 * width of words, 1: some cells are hidden, 2: all; f: the scale. */
enum { R_VALUE, R_KEY, R_W, R_QUERY, R_GATE, R_WORD, R_WEIGHTS, R_JOINED, R_OPEN };

static void shape_relu(trial *t)
{
    const size_t *n = t->row->n;
    if (n[5]) {
        uint8_t *hidden = malloc(n[1]);
        assert_non_null(hidden);
        for (size_t i = 0; i < n[1]; i++)
            hidden[i] = n[5] == 2 || i % 3 == 0 || i == 5;
        add_bytes(t, hidden, n[1]);
    }
    add(t, "value", GIVEN, n[1], n[3]);
    add(t, "key", GIVEN, n[1], n[2]);
    add(t, "w", GIVEN, 1, n[2]);
    add(t, "query", GIVEN, n[0], n[2]);
    add(t, "gate", GIVEN, n[0], n[3]);
    add(t, "word", GIVEN, n[0], n[4]);
    for (int i = R_VALUE; i <= R_WORD; i++) {
        t->a[i].low = -2;
        t->a[i].high = 2;
    }
    add(t, "weights", RESULT, n[0], n[1]);
    add(t, "joined", RESULT, n[0], n[4] + n[3]);
    add(t, "open", RESULT, n[0], 1);
}

static void relu_look(trial *t)
{
    const size_t *n = t->row->n, cells = n[1], dim = n[2], depth = n[3], words = n[4];
    for (size_t row = 0; row < n[0]; row++) {
        double *weights = t->a[R_WEIGHTS].x + row * cells, *open = t->a[R_OPEN].x + row;
        double *joined = t->a[R_JOINED].x + row * (words + depth);
        for (size_t c = 0; c < cells; c++) {
            weights[c] = 0;
            for (size_t a = 0; a < dim; a++)
                weights[c] += t->a[R_W].x[a] *
                              fmax(t->a[R_KEY].x[c * dim + a] + t->a[R_QUERY].x[row * dim + a], 0);
            weights[c] *= t->row->f[0];
        }
        weigh(SAC_NORMALIZER_SOFTMAX, weights, t->data[0], cells);
        memcpy(joined, t->a[R_WORD].x + row * words, words * sizeof *joined);
        *open = 0;
        for (size_t d = 0; d < depth; d++) {
            double opened = sigmoid(t->a[R_GATE].x[row * depth + d]), seen = 0;
            for (size_t c = 0; c < cells; c++)
                seen += weights[c] * t->a[R_VALUE].x[c * depth + d];
            joined[words + d] = opened * seen;
            *open += opened / (double)depth;
        }
    }
}

static void run_relu(trial *t, TEST_UNUSED bool back)
{
    sac_parameter w = parameter(t, R_W);
    const sac_relu_attention attention = {&w,
                                          (float)t->row->f[0],
                                          t->bytes[0],
                                          t->a[R_KEY].value,
                                          t->a[R_VALUE].value,
                                          t->a[R_QUERY].value,
                                          t->a[R_GATE].value,
                                          t->a[R_WORD].value,
                                          t->a[R_WEIGHTS].value,
                                          t->a[R_JOINED].value,
                                          t->a[R_OPEN].value};
    sac_relu_attention_forward(reference_pass(), &attention);
}

static const layer relu = {"ReLU attention", 2e-5, false, shape_relu, relu_look, run_relu};

/* ---------------------------------------------------------------- windows */

/* n: height, width, depth, side of the grid of means; 0: the largest of every other window. */
static void shape_windows(trial *t)
{
    const size_t *n = t->row->n, side = n[3];
    add(t, "x", GIVEN, n[0] * n[1], n[2]);
    add(t, "y", RESULT, side ? side * side : (n[0] + 1) / 2 * ((n[1] + 1) / 2), n[2]);
}

/* Lines first … last − 1 of a window along a side of `length`. */
static void window(size_t at, size_t length, size_t side, size_t *first, size_t *last)
{
    *first = side ? at * length / side : at ? 2 * at - 1 : 0;
    *last = side                  ? ((at + 1) * length + side - 1) / side
            : 2 * at + 2 < length ? 2 * at + 2
                                  : length;
}

static void pool(trial *t)
{
    const size_t *n = t->row->n, depth = n[2], side = n[3], across = side ? side : (n[1] + 1) / 2;
    for (size_t at = 0; at < count_of(&t->a[Y]); at++) {
        size_t top, bottom, left, right;
        double sum = 0, largest = -INFINITY;
        window(at / depth / across, n[0], side, &top, &bottom);
        window(at / depth % across, n[1], side, &left, &right);
        for (size_t y = top; y < bottom; y++)
            for (size_t x = left; x < right; x++) {
                double value = t->a[X].x[(y * n[1] + x) * depth + at % depth];
                sum += value;
                largest = fmax(largest, value);
            }
        t->a[Y].x[at] = side ? sum / (double)((bottom - top) * (right - left)) : largest;
    }
}

static void run_windows(trial *t, TEST_UNUSED bool back)
{
    const size_t *n = t->row->n;
    if (n[3])
        sac_mean_windows(reference_pass(), n[0], n[1], n[3], t->a[Y].value, t->a[X].value);
    else
        sac_max_windows(reference_pass(), n[0], n[1], t->a[Y].value, t->a[X].value);
}

static const layer largest = {"max windows", 0, false, shape_windows, pool, run_windows};
static const layer means = {"mean windows", 2e-5, false, shape_windows, pool, run_windows};

/* ---------------------------------------------------------------- convolutions */

enum { CONV_BEFORE = 3, CONV_Y = 3, PADDED, SLOPES, APPLIED_Y = 4, PANELS };
enum { ADDS = 1, LINEAR = 2, NO_DX = 4, SAME = 8 }; /* of applied ones, and of those that learn */

/* The zeros before the first of `side` pixels, as TensorFlow's padding "same" has them. */
static size_t zeros_before(size_t side, size_t taps, size_t stride)
{
    size_t left_over = side % stride ? side % stride : stride;
    return taps > left_over ? (taps - left_over) / 2 : 0;
}

/* n: batch, height, width, in, out, stride, taps (0: 3), flags; f: the ceiling. */
static sac_convolution convolution_of(const trial *t)
{
    const size_t *n = t->row->n;
    return (sac_convolution){n[0],
                             n[1],
                             n[2],
                             n[3],
                             n[4],
                             n[5],
                             .taps = n[6],
                             .adds = n[7] & ADDS,
                             .linear = n[7] & LINEAR,
                             .same = n[7] & SAME,
                             .ceiling = (float)t->row->f[0]};
}

/* Calls `visit` with each product that is in a window's sum: result, pixel of x, line of W. */
static void visit_windows(trial *t, void (*visit)(trial *, size_t at, size_t from, size_t line))
{
    const sac_convolution l = convolution_of(t);
    size_t taps = l.taps ? l.taps : 3;
    size_t above = l.same ? zeros_before(l.height, taps, l.stride) : taps / 2;
    size_t left = l.same ? zeros_before(l.width, taps, l.stride) : taps / 2;
    size_t height = sac_convolution_out(l.height, l.stride);
    size_t width = sac_convolution_out(l.width, l.stride);
    for (size_t at = 0; at < l.batch * height * width * l.out; at++) {
        size_t pixel = at / l.out, b = pixel / width / height;
        for (size_t tap = 0; tap < taps * taps; tap++) {
            size_t y = pixel / width % height * l.stride + tap / taps; /* `above` too much */
            size_t x = pixel % width * l.stride + tap % taps;
            if (y < above || y >= l.height + above || x < left || x >= l.width + left)
                continue;
            visit(t, at, ((b * l.height + y - above) * l.width + x - left) * l.in,
                  (at % l.out * taps * taps + tap) * l.in);
        }
    }
}

static void add_product(trial *t, size_t at, size_t from, size_t line)
{
    size_t y = t->row->layer->learns ? CONV_Y : APPLIED_Y;
    t->a[y].x[at] += reference_dot(t->a[X].x + from, t->a[W].x + line, t->row->n[3]);
}

static void convolve(trial *t)
{
    tensor *y = &t->a[t->row->layer->learns ? CONV_Y : APPLIED_Y];
    size_t out = t->row->n[4], flags = t->row->n[7];
    for (size_t at = 0; at < count_of(y); at++)
        y->x[at] = t->a[B].x[at % out] + (flags & ADDS ? t->a[CONV_BEFORE].x[at] : 0);
    visit_windows(t, add_product);
    for (size_t at = 0; at < count_of(y) && !(flags & LINEAR); at++)
        y->x[at] = fmin(fmax(y->x[at], 0), t->row->f[0] > 0 ? t->row->f[0] : INFINITY);
}

static void add_gradients(trial *t, size_t at, size_t from, size_t line)
{
    double dy = t->a[CONV_Y].x[at] > 0 ? t->a[CONV_Y].d[at] : 0;
    for (size_t i = 0; i < t->row->n[3]; i++) {
        t->a[X].d[from + i] += dy * t->a[W].x[line + i];
        t->a[W].d[line + i] += dy * t->a[X].x[from + i];
    }
}

/* Among many pixels some lie so near ReLU's bend that differences would step over it. */
static void convolution_gradients(trial *t)
{
    for (int i = X; i <= B; i++)
        memset(t->a[i].d, 0, count_of(&t->a[i]) * sizeof(double));
    for (size_t at = 0; at < count_of(&t->a[CONV_Y]); at++)
        t->a[B].d[at % t->row->n[4]] += t->a[CONV_Y].x[at] > 0 ? t->a[CONV_Y].d[at] : 0;
    visit_windows(t, add_gradients);
}

static void shape_convolution(trial *t)
{
    const sac_convolution l = convolution_of(t);
    size_t taps = l.taps ? l.taps : 3, pixels = l.batch * sac_convolution_out(l.height, l.stride) *
                                                sac_convolution_out(l.width, l.stride);
    bool learns = t->row->layer->learns;
    add(t, "x", learns && !(t->row->n[7] & NO_DX) ? WRITTEN : GIVEN, l.batch * l.height * l.width,
        l.in);
    add(t, "w", learns ? ADDED : GIVEN, l.out, taps * taps * l.in);
    add(t, "b", learns ? ADDED : GIVEN, 1, l.out);
    if (!learns)
        add(t, "before", GIVEN, pixels, l.out);
    tensor *y = add(t, "y", RESULT, pixels, l.out);
    if (!learns) {
        y->value_in = 1 + CONV_BEFORE;
        add(t, "panels", SCRATCH, 1, sac_convolution_panels(reference_pass(), &l));
        return;
    }
    add(t, "x with its border", SCRATCH, sac_convolution_pixels(&l), l.in);
    add(t, "slopes with their border", SCRATCH, sac_convolution_slopes(&l), l.out);
}

static void run_convolution(trial *t, bool back)
{
    const sac_convolution l = convolution_of(t);
    sac_pass *pass = reference_pass();
    sac_parameter w = parameter(t, W), b = parameter(t, B);
    const tensor *x = &t->a[X], *y = &t->a[CONV_Y];
    sac_tensor padded = t->a[PADDED].value, slopes = t->a[SLOPES].value;
    if (back) {
        sac_convolution_begin_backward(pass, &l, slopes, y->gradient, y->value);
        sac_convolution_backward(pass, &l, NULL, x->role == WRITTEN ? x->gradient : (sac_tensor){0},
                                 slopes, padded, &w, &b);
        return;
    }
    float *numbers_of_x = calloc(count_of(x), sizeof *numbers_of_x);
    assert_non_null(numbers_of_x);
    for (size_t i = 0; i < count_of(x); i++)
        numbers_of_x[i] = (float)x->x[i];
    sac_pass_fill(pass, padded, 0);
    sac_convolution_write(pass, &l, padded, numbers_of_x);
    sac_convolution_forward(pass, &l, y->value, false, padded, &w, &b);
    reference_end();
    free(numbers_of_x);
}

/* What goes to the layer below is dx where x is above 0, inside of a border that stays. */
static void hold_slopes_below(trial *t)
{
    const sac_convolution l = convolution_of(t);
    sac_parameter w = parameter(t, W), b = parameter(t, B);
    for (size_t stride = 1; t->a[X].role == WRITTEN && stride <= 2; stride++) {
        sac_convolution below = {l.batch, l.height * stride, l.width * stride, 1, l.in, stride};
        size_t before = stride == 1, width = l.width + before + 1;
        size_t rows = sac_convolution_slopes(&below);
        double *expected = numbers(rows * l.in, 0);
        for (size_t i = 0; i < rows * l.in; i++)
            expected[i] = 7;
        sac_span span = reference_span(expected, rows * l.in);
        for (size_t i = 0; i < count_of(&t->a[X]); i++) {
            size_t pixel = i / l.in, line = pixel / l.width, picture = line / l.height;
            size_t row = picture * (l.height + before + 1) + line % l.height + before;
            expected[(row * width + pixel % l.width + before) * l.in + i % l.in] =
                t->a[X].x[i] > 0 ? t->a[X].d[i] : 0;
        }
        sac_convolution_backward(reference_pass(), &l, &below, reference_tensor(span, rows, l.in),
                                 t->a[SLOPES].value, t->a[PADDED].value, &w, &b);
        reference_end();
        reference_check(span, expected, rows * l.in, 2e-5, "slopes below");
        sac_span_release(&span);
        free(expected);
    }
}

static const layer convolution = {"convolution",
                                  2e-5,
                                  true,
                                  shape_convolution,
                                  convolve,
                                  run_convolution,
                                  convolution_gradients,
                                  hold_slopes_below};

static void run_applied(trial *t, TEST_UNUSED bool back)
{
    const sac_convolution l = convolution_of(t);
    sac_parameter w = parameter(t, W), b = parameter(t, B);
    sac_convolution_pack(reference_pass(), &l, t->a[PANELS].value, &w);
    sac_convolution_apply(reference_pass(), &l, t->a[CONV_BEFORE].value, t->a[X].value,
                          t->a[PANELS].value, &b);
}

static const layer applied = {"convolution, applied", 2e-5,     false,
                              shape_convolution,      convolve, run_applied};

/* n: rows of x, in, out, taps, step, groups, 1: with a bias. */
static sac_time_convolution time_convolution_of(const trial *t)
{
    const size_t *n = t->row->n;
    return (sac_time_convolution){n[1], n[2], n[3], n[4], n[5]};
}

static void shape_time_convolution(trial *t)
{
    const sac_time_convolution l = time_convolution_of(t);
    const size_t rows = t->row->n[0];
    add(t, "x", GIVEN, rows, l.in);
    add(t, "w", GIVEN, l.out, l.taps * l.in / l.groups);
    add(t, "b", GIVEN, 1, l.out);
    add(t, "y", RESULT, (rows - l.taps) / l.step + 1, l.out);
}

static void convolve_times(trial *t)
{
    const sac_time_convolution l = time_convolution_of(t);
    const size_t in = l.in / l.groups, out = l.out / l.groups;
    for (size_t at = 0; at < count_of(&t->a[CONV_Y]); at++) {
        const size_t row = at / l.out, o = at % l.out;
        double sum = t->row->n[6] ? t->a[B].x[o] : 0;
        for (size_t tap = 0; tap < l.taps; tap++)
            sum += reference_dot(t->a[X].x + (row * l.step + tap) * l.in + o / out * in,
                                 t->a[W].x + (o * l.taps + tap) * in, in);
        t->a[CONV_Y].x[at] = sum;
    }
}

static void run_time_convolution(trial *t, TEST_UNUSED bool back)
{
    const sac_time_convolution l = time_convolution_of(t);
    sac_parameter w = parameter(t, W), b = parameter(t, B);
    sac_time_convolution_forward(reference_pass(), &l, t->a[CONV_Y].value, t->a[X].value, &w,
                                 t->row->n[6] ? &b : NULL);
}

static const layer over_time = {"convolution over time", 2e-5,           false,
                                shape_time_convolution,  convolve_times, run_time_convolution};

/* ---------------------------------------------------------------- state spaces */

enum { S_X, S_IN, S_FILTER, S_BIAS, S_DECAY, S_STEP, S_SKIP, S_GAIN, S_OUT, S_LAST, S_STATE, S_Y };
enum { S_LAST_AFTER = S_Y + 1, S_STATE_AFTER, S_PROJECTED, S_MADE, S_READ };
enum { S_WIDTH = 3, FOLLOWS = 1, NORMS = 2, NORMS_FIRST = 4, BIASED = 8 };

/* n: sentences, tokens, heads, depth, numbers, groups, taps, and these. A sentence goes on from the other one. */
static sac_state_space state_space_of(const trial *t)
{
    const size_t *n = t->row->n;
    return (sac_state_space){.heads = n[2],
                             .depth = n[3],
                             .numbers = n[4],
                             .groups = n[5],
                             .taps = n[6],
                             .epsilon = 1e-2f,
                             .norm_first = n[7] & NORMS_FIRST,
                             .gate_times = 0.75f,
                             .value_times = 1.25f,
                             .in_times = 0.5f,
                             .out_times = 1.5f,
                             .step_times = 2,
                             .given_times = 0.25f};
}

static void shape_state_space(trial *t)
{
    const size_t *n = t->row->n, rows = n[0] * n[1], inner = n[2] * n[3],
                 all = inner + 2 * n[5] * n[4];
    add(t, "x", GIVEN, rows, S_WIDTH);
    add(t, "in", GIVEN, inner + all + n[2], S_WIDTH);
    add(t, "filter", GIVEN, all, n[6]);
    add(t, "bias", GIVEN, 1, all);
    add(t, "decay", GIVEN, 1, n[2]);
    add(t, "step", GIVEN, 1, n[2]);
    add(t, "skip", GIVEN, 1, n[2]);
    add(t, "gain", GIVEN, 1, inner);
    add(t, "out", GIVEN, S_WIDTH, inner);
    add(t, "last", GIVEN, n[0], (n[6] - 1) * all);
    add(t, "state", GIVEN, n[0], inner * n[4]);
    add(t, "y", RESULT, rows, S_WIDTH);
    add(t, "last after", RESULT, n[0], (n[6] - 1) * all);
    add(t, "state after", RESULT, n[0], inner * n[4]);
    add(t, "projected", SCRATCH, rows, inner + all + n[2]);
    add(t, "made", SCRATCH, rows, all);
    add(t, "read", SCRATCH, rows, inner);
}

static double silu_of(double x)
{
    return x / (1 + exp(-x));
}

/* A token of a sentence, by the states that are in S_LAST_AFTER and S_STATE_AFTER. */
static void pass_token(trial *t, size_t b, size_t at)
{
    const sac_state_space s = state_space_of(t);
    const size_t inner = s.heads * s.depth, shared = s.groups * s.numbers, all = inner + 2 * shared;
    const size_t row = inner + all + s.heads, past = s.taps - 1, flags = t->row->n[7];
    double *last = t->a[S_LAST_AFTER].x + b * past * all, *made = t->a[S_MADE].x + at * all;
    double *state = t->a[S_STATE_AFTER].x + b * inner * s.numbers,
           *read = t->a[S_READ].x + at * inner;
    double *projected = t->a[S_PROJECTED].x + at * row;
    for (size_t i = 0; i < row; i++)
        projected[i] =
            reference_dot(t->a[S_IN].x + i * S_WIDTH, t->a[S_X].x + at * S_WIDTH, S_WIDTH);
    for (size_t c = 0; c < all; c++) {
        const double times = (double)(c < inner            ? s.value_times
                                      : c < inner + shared ? s.in_times
                                                           : s.out_times);
        const double now = times * projected[inner + c], *filter = t->a[S_FILTER].x + c * s.taps;
        double sum = flags & BIASED ? t->a[S_BIAS].x[c] : 0;
        for (size_t k = 0; k < past; k++)
            sum += last[k * all + c] * filter[k];
        made[c] = silu_of(sum + now * filter[past]);
        for (size_t k = 0; k + 1 < past; k++)
            last[k * all + c] = last[(k + 1) * all + c];
        if (past)
            last[(past - 1) * all + c] = now;
    }
    for (size_t i = 0; i < inner; i++) {
        const size_t head = i / s.depth, group = head / (s.heads / s.groups);
        const double wide =
            log1p(exp((double)s.step_times * projected[inner + all + head] + t->a[S_STEP].x[head]));
        read[i] = t->a[S_SKIP].x[head] * made[i];
        for (size_t n = 0; n < s.numbers; n++) {
            double *one = &state[(head * s.numbers + n) * s.depth + i % s.depth];
            *one = *one * exp(-exp(t->a[S_DECAY].x[head]) * wide) +
                   wide * made[i] * made[inner + group * s.numbers + n];
            read[i] += *one * made[inner + shared + group * s.numbers + n];
        }
    }
    const bool norms = flags & NORMS, first = norms && s.norm_first;
    for (size_t i = 0; i < inner && !first; i++)
        read[i] *= silu_of((double)s.gate_times * projected[i]);
    for (size_t g = 0, each = inner / s.groups; g < s.groups && norms; g++) {
        const double squares = reference_dot(read + g * each, read + g * each, each);
        for (size_t i = g * each; i < (g + 1) * each; i++)
            read[i] *= t->a[S_GAIN].x[i] / sqrt(squares / (double)each + (double)s.epsilon);
    }
    for (size_t i = 0; i < inner && first; i++)
        read[i] *= silu_of((double)s.gate_times * projected[i]);
    for (size_t o = 0; o < S_WIDTH; o++)
        t->a[S_Y].x[at * S_WIDTH + o] =
            (double)s.given_times * reference_dot(t->a[S_OUT].x + o * inner, read, inner);
}

static void pass_tokens(trial *t)
{
    const size_t *n = t->row->n, last = t->a[S_LAST_AFTER].width, state = t->a[S_STATE].width;
    for (size_t b = 0; b < n[0]; b++) {
        const size_t from = n[0] - 1 - b;
        for (size_t i = 0; i < last; i++)
            t->a[S_LAST_AFTER].x[b * last + i] =
                n[7] & FOLLOWS ? t->a[S_LAST].x[from * last + i] : 0;
        for (size_t i = 0; i < state; i++)
            t->a[S_STATE_AFTER].x[b * state + i] =
                n[7] & FOLLOWS ? t->a[S_STATE].x[from * state + i] : 0;
        for (size_t at = b * n[1]; at < (b + 1) * n[1]; at++)
            pass_token(t, b, at);
    }
}

static void run_state_space(trial *t, TEST_UNUSED bool back)
{
    const size_t *n = t->row->n;
    sac_parameter p[S_OUT + 1];
    sac_state_space s = state_space_of(t);
    for (int i = S_IN; i <= S_OUT; i++)
        p[i] = parameter(t, i);
    s.in.w = &p[S_IN];
    s.out.w = &p[S_OUT];
    s.filter = &p[S_FILTER];
    s.filter_bias = n[7] & BIASED ? &p[S_BIAS] : NULL;
    s.decay = &p[S_DECAY];
    s.step = &p[S_STEP];
    s.skip = &p[S_SKIP];
    s.gain = n[7] & NORMS ? &p[S_GAIN] : NULL;
    sac_state_space_tensors own = {
        .projected = t->a[S_PROJECTED].value,
        .made = t->a[S_MADE].value,
        .read = t->a[S_READ].value,
        .given = t->a[S_Y].value,
        .after = {{t->a[S_LAST_AFTER].value}, t->a[S_STATE_AFTER].value}};
    if (n[7] & FOLLOWS) {
        int *parents = malloc(n[0] * sizeof *parents);
        assert_non_null(parents);
        for (size_t b = 0; b < n[0]; b++)
            parents[b] = (int)(n[0] - 1 - b);
        own.before = (sac_state_memory){{t->a[S_LAST].value}, t->a[S_STATE].value};
        own.parents =
            (sac_ints){.buffer = add_bytes(t, parents, n[0] * sizeof *parents), .count = n[0]};
    }
    sac_state_space_forward(reference_pass(), &s, n[0], t->a[S_X].value, &own);
}

static const layer state_space = {"state space",     2e-5,        false,
                                  shape_state_space, pass_tokens, run_state_space};

/* ---------------------------------------------------------------- depthwise convolutions */

/* n: batch, height, width, channels, taps, stride; f: the ceiling. */
static sac_depthwise depthwise_of(const trial *t)
{
    const size_t *n = t->row->n;
    return (sac_depthwise){n[0], n[1], n[2], n[3], n[4], n[5], (float)t->row->f[0]};
}

static void shape_depthwise(trial *t)
{
    const sac_depthwise l = depthwise_of(t);
    size_t down = (l.height + l.stride - 1) / l.stride,
           across = (l.width + l.stride - 1) / l.stride;
    add(t, "x", WRITTEN, l.batch * l.height * l.width, l.channels);
    add(t, "w", ADDED, l.taps * l.taps, l.channels);
    add(t, "b", ADDED, 1, l.channels);
    add(t, "y", RESULT, l.batch * down * across, l.channels);
}

/* Channels in the inner loop: gradients by differences take it thousands of times. */
static void convolve_depthwise(trial *t)
{
    const sac_depthwise l = depthwise_of(t);
    size_t down = (l.height + l.stride - 1) / l.stride,
           across = (l.width + l.stride - 1) / l.stride;
    size_t above = zeros_before(l.height, l.taps, l.stride);
    size_t before = zeros_before(l.width, l.taps, l.stride);
    double *sum = t->a[CONV_Y].x;
    for (size_t pixel = 0; pixel < l.batch * down * across; pixel++, sum += l.channels) {
        size_t picture = pixel / across / down, top = pixel / across % down * l.stride,
               left = pixel % across * l.stride;
        memcpy(sum, t->a[B].x, l.channels * sizeof *sum);
        for (size_t tap = 0; tap < l.taps * l.taps; tap++) {
            size_t y = top + tap / l.taps, x = left + tap % l.taps; /* `above`, `before` too much */
            if (y < above || y >= l.height + above || x < before || x >= l.width + before)
                continue;
            const double *from =
                t->a[X].x + ((picture * l.height + y - above) * l.width + x - before) * l.channels;
            const double *w = t->a[W].x + tap * l.channels;
            for (size_t c = 0; c < l.channels; c++)
                sum[c] += from[c] * w[c];
        }
        for (size_t c = 0; c < l.channels && l.ceiling > 0; c++)
            sum[c] = fmin(fmax(sum[c], 0), (double)l.ceiling);
    }
}

static void run_depthwise(trial *t, bool back)
{
    const sac_depthwise l = depthwise_of(t);
    sac_pass *pass = reference_pass();
    sac_parameter w = parameter(t, W), b = parameter(t, B);
    const tensor *x = &t->a[X], *y = &t->a[CONV_Y];
    if (!back) {
        sac_depthwise_forward(pass, &l, y->value, x->value, &w, &b);
        return;
    }
    sac_depthwise_backward_input(pass, &l, x->gradient, y->gradient, &w);
    sac_depthwise_backward_weights(pass, &l, y->gradient, x->value, &w, &b);
}

static const layer depthwise = {"depthwise",        2e-5,         true, shape_depthwise,
                                convolve_depthwise, run_depthwise};

/* ---------------------------------------------------------------- attention of several heads */

enum { HEADS = 2 };
enum { M_QUERY, M_KEY, M_VALUE, M_IN, M_IN_BIAS, M_OUT, M_OUT_BIAS, M_Y, M_PROJECTED };
enum { M_HEADS = M_PROJECTED + 3, M_STATS };

/* Rows of a matrix, or of a vector, which is one row. */
static sac_parameter part_of(sac_parameter whole, size_t first, size_t count)
{
    bool is_vector = whole.value.rows == 1;
    size_t width = is_vector ? 1 : whole.value.width;
    whole.value.at += (cl_uint)(first * width);
    whole.gradient.at += (cl_uint)(first * width);
    size_t rows = is_vector ? 1 : count, columns = is_vector ? count : width;
    return (sac_parameter){.value = sac_tensor_shaped(whole.value, rows, columns),
                           .gradient = sac_tensor_shaped(whole.gradient, rows, columns)};
}

/* torch.nn.MultiheadAttention: in_proj holds the three weights [D,D] one below the other.
 * n: batch, queries, keys, D, whether it is causal. */
static void shape_multihead(trial *t)
{
    const size_t *n = t->row->n, depth = n[3];
    const sac_array *padding = find(t->row, "", "padding");
    uint8_t *bytes = malloc(sac_array_count(padding));
    assert_non_null(bytes);
    memcpy(bytes, padding->data, sac_array_count(padding));
    add_bytes(t, bytes, sac_array_count(padding));
    add(t, "query", WRITTEN, n[0] * n[1], depth);
    add(t, "key", WRITTEN, n[0] * n[2], depth);
    add(t, "value", WRITTEN, n[0] * n[2], depth);
    add(t, "in_proj_weight", ADDED, 3 * depth, depth);
    add(t, "in_proj_bias", ADDED, 1, 3 * depth);
    add(t, "out_proj_weight", ADDED, depth, depth);
    add(t, "out_proj_bias", ADDED, 1, depth);
    add(t, "y", RESULT, n[0] * n[1], depth);
    for (int i = 0; i < 3; i++)
        add(t, "projected", SCRATCH, n[0] * n[i ? 2 : 1], depth);
    add(t, "heads", SCRATCH, n[0] * n[1], depth);
    add(t, "stats", SCRATCH, n[0] * n[1] * HEADS, 2);
}

static void run_multihead(trial *t, bool back)
{
    const size_t *n = t->row->n, depth = n[3];
    const tensor *projected = t->a + M_PROJECTED;
    sac_pass *pass = reference_pass();
    sac_parameter in = parameter(t, M_IN), in_bias = parameter(t, M_IN_BIAS);
    sac_parameter out = parameter(t, M_OUT), out_bias = parameter(t, M_OUT_BIAS), w[3], b[3];
    const sac_attention_layer of = {
        .spec = {.heads = HEADS, .causal = n[4]}, .batch = n[0], .padding = t->bytes[0]};
    const sac_attention_tensors tensors = {projected[0].value, projected[1].value,
                                           projected[2].value, .output = t->a[M_HEADS].value,
                                           .stats = t->a[M_STATS].value};
    const sac_attention_layer_gradients slopes = {t->a[M_HEADS].gradient, projected[0].gradient,
                                                  projected[1].gradient, projected[2].gradient};
    for (size_t i = 0; i < 3; i++) {
        w[i] = part_of(in, i * depth, depth);
        b[i] = part_of(in_bias, i * depth, depth);
    }
    if (!back) {
        for (int i = 0; i < 3; i++)
            sac_linear_forward(pass, projected[i].value, t->a[i].value, &w[i], &b[i]);
        sac_attention_layer_forward(pass, &of, &tensors);
        sac_linear_forward(pass, t->a[M_Y].value, tensors.output, &out, &out_bias);
        return;
    }
    sac_linear_backward_weights(pass, t->a[M_Y].gradient, tensors.output, &out, &out_bias);
    sac_linear_backward_input(pass, slopes.doutput, t->a[M_Y].gradient, &out);
    sac_attention_layer_backward(pass, &of, &tensors, &slopes);
    for (int i = 0; i < 3; i++) {
        sac_linear_backward_weights(pass, projected[i].gradient, t->a[i].value, &w[i], &b[i]);
        sac_linear_backward_input(pass, t->a[i].gradient, projected[i].gradient, &w[i]);
    }
}

static const layer multihead = {"multihead attention", 1e-5, true,
                                shape_multihead,       NULL, run_multihead};

/* ---------------------------------------------------------------- layers of a transformer */

enum { T_X, T_Y, T_MEMORY, T_DENSE, T_SELF = T_DENSE + 4, T_NORMS = T_SELF + 4 };

/* n: batch, words, words of the memory (0: an encoder's layer), D, F, whether norms come first. */
static void shape_transformer(trial *t)
{
    static const char *const names[] = {"linear1_weight", "linear1_bias", "linear2_weight",
                                        "linear2_bias"};
    static const char *const attention[] = {
        "self_attn_in_proj_weight",       "self_attn_in_proj_bias",
        "self_attn_out_proj_weight",      "self_attn_out_proj_bias",
        "multihead_attn_in_proj_weight",  "multihead_attn_in_proj_bias",
        "multihead_attn_out_proj_weight", "multihead_attn_out_proj_bias"};
    static const char *const norms[] = {"norm1_weight", "norm1_bias",   "norm2_weight",
                                        "norm2_bias",   "norm3_weight", "norm3_bias"};
    const size_t *n = t->row->n, depth = n[3];
    for (size_t words = n[1], i = 0; i < (n[2] ? 2 : 1); i++, words = n[2]) {
        uint8_t *padding = malloc(n[0] * words); /* of the second the last, of the third two */
        assert_non_null(padding);
        for (size_t at = 0; at < n[0] * words; at++)
            padding[at] = at % words >= words - at / words;
        add_bytes(t, padding, n[0] * words);
    }
    add(t, "x", WRITTEN, n[0] * n[1], depth)->gradient_in = 1 + T_Y;
    add(t, "y", RESULT, n[0] * n[1], depth);
    add(t, n[2] ? "memory" : "x", n[2] ? ADDED : GIVEN, n[0] * (n[2] ? n[2] : n[1]), depth);
    for (size_t i = 0; i < 4; i++)
        add(t, names[i], ADDED, i % 2 ? 1 : i == 0 ? n[4] : depth, i == 1 || i == 2 ? n[4] : depth);
    for (size_t i = 0; i < 4; i++)
        add(t, attention[i], ADDED,
            i % 2    ? 1
            : i == 0 ? 3 * depth
                     : depth,
            i == 1 ? 3 * depth : depth);
    for (size_t i = 0; i < (n[2] ? 6 : 4); i++)
        add(t, norms[i], ADDED, 1, depth);
    for (size_t i = 4; n[2] && i < 8; i++)
        add(t, attention[i], ADDED,
            i % 2    ? 1
            : i == 4 ? 3 * depth
                     : depth,
            i == 5 ? 3 * depth : depth);
}

/* The layer of a trial, with its parameters: torch's in_proj in three. */
static struct {
    sac_parameter p[MOST], w[2][3], b[2][3];
    sac_transformer_layer layer;
    sac_transformer_run run;
    sac_transformer_tensors tensors;
    sac_transformer_gradients slopes;
    sac_arena arena;
} transformer;

static void make_transformer(const trial *t)
{
    const size_t *n = t->row->n, depth = n[3], norms = n[2] ? 3 : 2;
    sac_arena_release(&transformer.arena);
    memset(&transformer, 0, sizeof transformer);
    sac_parameter *p = transformer.p;
    sac_transformer_layer *of = &transformer.layer;
    for (int i = T_DENSE; i < t->count; i++)
        p[i] = parameter(t, i);
    of->in = (sac_dense){&p[T_DENSE], &p[T_DENSE + 1]};
    of->out = (sac_dense){&p[T_DENSE + 2], &p[T_DENSE + 3]};
    for (size_t i = 0; i < norms; i++)
        of->norm[i == norms - 1 ? SAC_PART_FORWARD : i] =
            (sac_layer_norm){.gain = &p[T_NORMS + 2 * i], .bias = &p[T_NORMS + 2 * i + 1]};
    for (size_t part = 0; part < norms - 1; part++) {
        const sac_parameter *own = part == SAC_PART_SELF ? p + T_SELF : p + T_NORMS + 6;
        sac_parameter *w = transformer.w[part], *b = transformer.b[part];
        for (size_t i = 0; i < 3; i++) {
            w[i] = part_of(own[0], i * depth, depth);
            b[i] = part_of(own[1], i * depth, depth);
        }
        of->attention[part] =
            (sac_multihead){{&w[0], &b[0]}, {&w[1], &b[1]}, {&w[2], &b[2]}, {&own[2], &own[3]}};
    }
    transformer.run = (sac_transformer_run){.batch = n[0],
                                            .heads = HEADS,
                                            .norm_first = n[5],
                                            .causal = true,
                                            .padding = t->bytes[0],
                                            .memory_padding = t->bytes[1]};
}

static void run_transformer(trial *t, bool back)
{
    const size_t *n = t->row->n;
    sac_pass *pass = reference_pass();
    const sac_tensor x = t->a[T_X].value, none = {0};
    const sac_tensor memory = n[2] ? t->a[T_MEMORY].value : none;
    const sac_transformer_layer *of = &transformer.layer;
    if (back) {
        sac_transformer_layer_backward(pass, of, &transformer.run, t->a[T_Y].gradient,
                                       n[2] ? t->a[T_MEMORY].gradient : none, x, memory,
                                       &transformer.tensors, &transformer.slopes);
        return;
    }
    make_transformer(t);
    sac_transformer_layer_shape(pass, &transformer.arena, of, &transformer.run, n[1], n[2],
                                &transformer.tensors);
    sac_transformer_layer_shape_gradients(pass, &transformer.arena, of, &transformer.run, n[1],
                                          n[2], &transformer.slopes);
    sac_pass_copy(
        pass, t->a[T_Y].value,
        sac_transformer_layer_forward(pass, of, &transformer.run, x, memory, &transformer.tensors));
}

static void release_transformer(trial *t)
{
    (void)t;
    sac_arena_release(&transformer.arena);
    memset(&transformer, 0, sizeof transformer);
}

static const layer transformed = {
    "transformer layer", 1e-5, true, shape_transformer, NULL, run_transformer, NULL,
    release_transformer};

/* ---------------------------------------------------------------- a layer of today's decoders */

/* Norms before the parts and behind them and of each query and key, keys of fewer heads, capped
 * scores, a window, a bias of each head by the key. n: words, whether the parts stand side by side. */
enum { TODAY_HEADS = 4, TODAY_KEY_HEADS = 2, TODAY_DEPTH = 6, TODAY_WIDTH = 10, TODAY_HIDDEN = 14 };
enum {
    N_X,
    N_Y,
    N_QUERY,
    N_KEY,
    N_VALUE,
    N_OUT,
    N_UP,
    N_DOWN,
    N_NORM,
    N_AFTER = N_NORM + 2,
    N_QUERY_NORM = N_AFTER + 2,
    N_KEY_NORM
};
#define TODAY_CAP 1.5
#define TODAY_WINDOW 3
#define TODAY_EPSILON 0.01

static double slope(size_t head, size_t key)
{
    return (double)key * 0.25 * (double)(head + 1);
}

static void shape_today(trial *t)
{
    const size_t words = t->row->n[0], D = TODAY_WIDTH, F = TODAY_HIDDEN;
    const size_t asked = TODAY_HEADS * TODAY_DEPTH, kept = TODAY_KEY_HEADS * TODAY_DEPTH;
    float *biases = malloc(TODAY_HEADS * words * sizeof *biases);
    assert_non_null(biases);
    for (size_t i = 0; i < TODAY_HEADS * words; i++)
        biases[i] = (float)slope(i / words, i % words);
    add_bytes(t, biases, TODAY_HEADS * words * sizeof *biases);
    add(t, "x", GIVEN, words, D);
    add(t, "y", RESULT, words, D);
    add(t, "query", GIVEN, asked, D);
    add(t, "key", GIVEN, kept, D);
    add(t, "value", GIVEN, kept, D);
    add(t, "out", GIVEN, D, asked);
    add(t, "up", GIVEN, F, D);
    add(t, "down", GIVEN, D, F);
    for (int i = 0; i < 4; i++)
        add(t, "norm", GIVEN, 1, D);
    add(t, "query_norm", GIVEN, 1, TODAY_DEPTH);
    add(t, "key_norm", GIVEN, 1, TODAY_DEPTH);
}

/* y [rows,out] = x [rows,in] wᵀ */
static void times(const double *x, size_t rows, const tensor *w, double *y)
{
    for (size_t i = 0; i < rows * w->rows; i++)
        y[i] = reference_dot(x + i / w->rows * w->width, w->x + i % w->rows * w->width, w->width);
}

/* Vectors as long as the gain, in place. */
static void norm_rows(double *x, size_t count, const tensor *gain)
{
    for (size_t at = 0; at < count; at += gain->width) {
        double squares = reference_dot(x + at, x + at, gain->width) / (double)gain->width;
        for (size_t i = 0; i < gain->width; i++)
            x[at + i] *= gain->x[i] / sqrt(squares + TODAY_EPSILON);
    }
}

static void attend_today(const trial *t, const double *q, const double *k, const double *v,
                         double *heads)
{
    const size_t words = t->row->n[0], d = TODAY_DEPTH;
    for (size_t i = 0; i < words * TODAY_HEADS; i++) {
        size_t word = i / TODAY_HEADS, head = i % TODAY_HEADS;
        size_t shared = head / (TODAY_HEADS / TODAY_KEY_HEADS);
        size_t first = word + 1 > TODAY_WINDOW ? word + 1 - TODAY_WINDOW : 0;
        double sum = 0, *y = heads + i * d;
        memset(y, 0, d * sizeof *y);
        for (size_t j = first; j <= word; j++) {
            size_t at = (j * TODAY_KEY_HEADS + shared) * d;
            double score = reference_dot(q + i * d, k + at, d) / sqrt((double)d);
            double weight = exp(TODAY_CAP * tanh(score / TODAY_CAP) + slope(head, j));
            sum += weight;
            for (size_t c = 0; c < d; c++)
                y[c] += weight * v[at + c];
        }
        for (size_t c = 0; c < d; c++)
            y[c] /= sum;
    }
}

static void today(trial *t)
{
    const tensor *a = t->a;
    const size_t words = t->row->n[0], D = TODAY_WIDTH, all = words * D;
    const size_t asked = words * a[N_QUERY].rows, kept = words * a[N_KEY].rows;
    double *normed = numbers(all, 0), *part = numbers(all, 0),
           *hidden = numbers(words * TODAY_HIDDEN, 0);
    double *q = numbers(asked, 0), *k = numbers(kept, 0), *v = numbers(kept, 0);
    double *heads = numbers(asked, 0);
    memcpy(normed, a[N_X].x, all * sizeof *normed);
    norm_rows(normed, all, &a[N_NORM]);
    times(normed, words, &a[N_QUERY], q);
    times(normed, words, &a[N_KEY], k);
    times(normed, words, &a[N_VALUE], v);
    norm_rows(q, asked, &a[N_QUERY_NORM]);
    norm_rows(k, kept, &a[N_KEY_NORM]);
    attend_today(t, q, k, v, heads);
    times(heads, words, &a[N_OUT], part);
    norm_rows(part, all, &a[N_AFTER]);
    for (size_t i = 0; i < all; i++)
        a[N_Y].x[i] = a[N_X].x[i] + part[i];
    memcpy(normed, t->row->n[1] ? a[N_X].x : a[N_Y].x, all * sizeof *normed);
    norm_rows(normed, all, &a[N_NORM + 1]);
    times(normed, words, &a[N_UP], hidden);
    for (size_t i = 0; i < words * TODAY_HIDDEN; i++)
        hidden[i] = activated(SAC_GELU_TANH, hidden[i]);
    times(hidden, words, &a[N_DOWN], part);
    norm_rows(part, all, &a[N_AFTER + 1]);
    for (size_t i = 0; i < all; i++)
        a[N_Y].x[i] += part[i];
    double *const owned[] = {normed, part, hidden, q, k, v, heads};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static void run_today(trial *t, TEST_UNUSED bool back)
{
    static const int parts[] = {SAC_PART_SELF, SAC_PART_FORWARD};
    sac_pass *pass = reference_pass();
    sac_arena arena = {0};
    sac_transformer_tensors tensors = {0};
    sac_parameter p[MOST];
    for (int i = N_QUERY; i < t->count; i++)
        p[i] = parameter(t, i);
    sac_transformer_layer of = {.attention[SAC_PART_SELF] = {{.w = &p[N_QUERY]},
                                                             {.w = &p[N_KEY]},
                                                             {.w = &p[N_VALUE]},
                                                             {.w = &p[N_OUT]}},
                                .in.w = &p[N_UP],
                                .out.w = &p[N_DOWN],
                                .query_norm = {.gain = &p[N_QUERY_NORM], .epsilon = TODAY_EPSILON},
                                .key_norm = {.gain = &p[N_KEY_NORM], .epsilon = TODAY_EPSILON}};
    for (int i = 0; i < 2; i++) {
        of.norm[parts[i]] = (sac_layer_norm){.gain = &p[N_NORM + i], .epsilon = TODAY_EPSILON};
        of.after[parts[i]] = (sac_layer_norm){.gain = &p[N_AFTER + i], .epsilon = TODAY_EPSILON};
    }
    const sac_transformer_run run = {.batch = 1,
                                     .heads = TODAY_HEADS,
                                     .key_heads = TODAY_KEY_HEADS,
                                     .norm_first = true,
                                     .parallel = t->row->n[1],
                                     .causal = true,
                                     .activation = SAC_GELU_TANH,
                                     .softcap = TODAY_CAP,
                                     .window = TODAY_WINDOW,
                                     .bias = t->bytes[0],
                                     .biased = t->row->n[0]};
    const sac_tensor none = {0};
    sac_transformer_layer_shape(pass, &arena, &of, &run, t->row->n[0], 0, &tensors);
    sac_pass_copy(pass, t->a[N_Y].value,
                  sac_transformer_layer_forward(pass, &of, &run, t->a[N_X].value, none, &tensors));
    reference_end();
    sac_arena_release(&arena);
}

static const layer todays = {"today's decoder layer", 1e-5, false, shape_today, today, run_today};

/* ---------------------------------------------------------------- the table */

static const layer_row rows[] = {
    {&activation, {1, 401, SAC_GELU_10}, {14}},
    {&activation, {1, 401, SAC_QUICK_GELU}, {14}},
    {&activation, {1, 401, SAC_RELU_SQUARED}, {14}},
    {&activation, {1, 401, SAC_RELU6}, {14}},
    {&activation, {1, 401, SAC_LEAKY_RELU}, {14}},
    {&activation, {1, 401, SAC_MISH}, {14}},
    {&activation, {1, 401, SAC_SIGMOID}, {14}},
    {&activation, {1, 401, SAC_TANH}, {14}},
    {&activation, {1, 401, SAC_HARDSWISH}, {14}},
    {&activation, {1, 401, SAC_LAPLACE}, {14}},
    {&activation, {1, 401, SAC_SQRT_SOFTPLUS}, {14}},
    {&activation, {1, 401, SAC_LINEAR}, {14}},
    {&hyperbolic_tangent, {1, 101, SAC_TANH}, {3}},
    {&relu6, {1, 101, SAC_RELU6}, {14}},
    {&scaled_columns, {5, 19}},
    {&scaled_rows, {7, 13}},
    {&slope_of, {1, 401, SAC_RELU}, {14}},
    {&slope_of, {1, 401, SAC_GELU}, {14}},
    {&slope_of, {1, 401, SAC_GELU_TANH}, {14}},
    {&slope_of, {1, 401, SAC_SILU}, {14}},
    {&slope_of, {1, 401, SAC_GELU_10}, {14}},
    {&slope_of, {1, 401, SAC_QUICK_GELU}, {14}},
    {&slope_of, {1, 401, SAC_RELU_SQUARED}, {14}},
    {&slope_of, {1, 401, SAC_RELU6}, {14}},
    {&slope_of, {1, 401, SAC_LEAKY_RELU}, {14}},
    {&slope_of, {1, 401, SAC_MISH}, {14}},
    {&slope_of, {1, 401, SAC_SIGMOID}, {14}},
    {&slope_of, {1, 401, SAC_TANH}, {14}},
    {&slope_of, {1, 401, SAC_HARDSWISH}, {14}},
    {&slope_of, {1, 401, SAC_LAPLACE}, {14}},
    {&slope_of, {1, 401, SAC_SQRT_SOFTPLUS}, {14}},
    {&slope_of, {1, 401, SAC_LINEAR}, {14}},
    {&gated, {1, 19, 1, SAC_SILU}},
    {&gated, {1, 19, 1, SAC_GELU}},
    {&gated, {1, 19, 1, SAC_QUICK_GELU}},
    {&gated, {1, 19, 1, SAC_LINEAR}},
    {&gated_columns, {5, 19}},
    {&rms_normed, {5, 19}}, /* rows that are no whole vectors, and those that are */
    {&rms_normed, {5, 48}},
    {&rms_normed, {5, 48, 0, 1}, .flags = FORWARD_ALONE},
    {&rotated, {5, 18, 6}},
    {&rotated, {5, 30, 10}},
    {&todays, {7, false}},
    {&todays, {7, true}},

    {&linear, {3, 5, 2, true}},
    {&linear, {6, 16, 20, false}},
    {&linear, {41, 19, 33, true}, {0}, LARGE},
    {&linear, {6, 7, 5}, {0}, 0, "linear"},
    {&linear_added, {2, 2, 2}},
    {&linear_added, {7, 19, 17}},
    {&rows_added_to, {1, 1}},
    {&rows_added_to, {3, 16}},
    {&rows_added_to, {5, 37}},
    {&rows_added_to, {300, 18}},
    {&rows_added_to, {3001, 18}, {0}, LARGE},
    {&rows_added_to, {7, 5000}, {0}, LARGE},
    {&summed_rows, {1, 1}},
    {&summed_rows, {3, 16}},
    {&summed_rows, {5, 37}},
    {&summed_rows, {300, 18}},
    {&summed_rows, {3001, 18}, {0}, LARGE},
    {&summed_rows, {7, 5000}, {0}, LARGE},
    {&mean, {1, 1, 1}},
    {&mean, {2, 3, 16}},
    {&mean, {3, 7, 21}},
    {&embedding, {1, 1, 1}},
    {&embedding, {9, 16, 5}},
    {&embedding, {30, 19, 11}},
    {&embedding, {2100, 3, 7}, {0}, LARGE}, /* more rows than one launch takes */

    {&norm, {1, 1, 3, true}},
    {&norm, {2, 3, 5, true}},
    {&norm, {2, 2, 16, true}},
    {&norm, {3, 7, 33, true}, {0}, LARGE},
    {&norm, {2, 13, 17, true}, {0}, LARGE},
    {&norm, {1, 3, 5, false}},
    {&norm, {1, 129, 6, false}},       /* more than one group of rows, the last of them not full */
    {&norm, {1, 3, 5, false}, {0.25}}, /* as large as the variance, so that it is seen */
    {&norm, {3, 4, 9, true}, {0}, 0, "layer_norm"},

    {&lstm, {1, 1, false}},
    {&lstm, {3, 5, false}},
    {&lstm, {3, 37, false}},
    {&lstm, {2, 19, true}},
    {&of_last, {1, 1, 1, 1}},
    {&of_last, {5, 17, 4, 1}},
    {&of_last, {3, 33, 3, 3}},
    {&scan, {1, 1, 1, 1, 1, 1, 1}},
    {&scan, {1, 9, 4, 2, 8, 6, 1}},
    {&scan, {3, 1, 2, 2, 5, 37, 2}},
    {&scan, {2, 3, 6, 2, 19, 16, 2}},
    {&gru, {1, 1, false}},
    {&gru, {3, 5, false}},
    {&gru, {3, 37, false}},
    {&gru, {2, 19, true}},
    {&both, {4, 3, 3, 5, 4, 4, 4}},
    {&both, {4, 3, 3, 5, 4, 3, 1}},
    {&both, {5, 3, 3, 4, 5, 3, 1}, {0}, 0, "gru"},

    {&words_lost, {9, 13}, {3, 0}},
    {&words_lost, {9, 13}, {3, 0.1}},
    {&words_lost, {9, 13}, {400, 0}}, /* e^400 is no float */
    {&attention_lost, {SAC_NORMALIZER_SOFTMAX}, {0.7, 0}},
    {&attention_lost, {SAC_NORMALIZER_SOFTMAX}, {0, 1.3}},
    {&attention_lost, {SAC_NORMALIZER_SOFTMAX}, {1, 0.5}},
    {&attention_lost, {SAC_NORMALIZER_ENTMAX15}, {1, 0.5}},
    {&attention_lost, {SAC_NORMALIZER_SPARSEMAX}, {1, 0.5}},

    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, 0}, {1}},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, WEIGHS}, {0.35}},
    {&query, {3, 7, 5, 9, SAC_SCORE_BILINEAR, 0}, {0.5}},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, WEIGHS}, {0.4}},
    {&query, {3, 7, 5, 9, SAC_SCORE_DOT, 0}, {0.875}},
    {&query, {1, 1, 1, 1, SAC_SCORE_ADDITIVE, 0}, {1}},
    {&query, {1, 1, 1, 1, SAC_SCORE_SCALED_DOT, WEIGHS}, {0.35}},
    {&query, {1, 1, 1, 1, SAC_SCORE_BILINEAR, 0}, {0.5}},
    {&query, {1, 1, 1, 1, SAC_SCORE_ADDITIVE, WEIGHS}, {0.4}},
    {&query, {1, 1, 1, 1, SAC_SCORE_DOT, 0}, {0.875}},
    {&query, {1, 5, 140, 3, SAC_SCORE_ADDITIVE, 0}, {1}},
    {&query, {1, 5, 140, 3, SAC_SCORE_SCALED_DOT, WEIGHS}, {0.35}},
    {&query, {1, 5, 140, 3, SAC_SCORE_BILINEAR, 0}, {0.5}},
    {&query, {1, 5, 140, 3, SAC_SCORE_ADDITIVE, WEIGHS}, {0.4}},
    {&query, {1, 5, 140, 3, SAC_SCORE_DOT, 0}, {0.875}},
    {&query, {2, 19, 33, 17, SAC_SCORE_ADDITIVE, WEIGHS}, {1}, LARGE},
    {&query, {2, 19, 33, 17, SAC_SCORE_SCALED_DOT, 0}, {0.35}, LARGE},
    {&query, {2, 19, 33, 17, SAC_SCORE_BILINEAR, WEIGHS}, {0.5}, LARGE},
    {&query, {2, 19, 33, 17, SAC_SCORE_DOT, WEIGHS}, {0.875}, LARGE},
    {&query, {1, 33, 16, 70, SAC_SCORE_ADDITIVE, 0}, {0.4}, LARGE},
    {&query, {1, 33, 16, 70, SAC_SCORE_SCALED_DOT, WEIGHS}, {0.35}, LARGE},
    {&query, {1, 33, 16, 70, SAC_SCORE_BILINEAR, 0}, {0.5}, LARGE},
    {&query, {1, 33, 16, 70, SAC_SCORE_DOT, 0}, {0.875}, LARGE},
    /* Padding, as of sentences of several lengths, gets no weight and no gradient. */
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, HIDES | WEIGHS}, {1}},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, HIDES | WEIGHS}, {0.35}},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, HIDES_ALL | WEIGHS}, {1}}, /* 0, and no NaN */
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, GATELESS}, {1}},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, GATELESS}, {0.35}},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, SHARED | HIDES}, {1}, FORWARD_ALONE},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, SHARED | HIDES}, {0.35}, FORWARD_ALONE},
    /* Scores of some thousand: e^score is no float. */
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, 0}, {500}, FORWARD_ALONE},
    /* The size that a captioner is trained at, but for the batch. */
    {&query, {8, 196, 128, 96, SAC_SCORE_ADDITIVE, 0}, {1}, LARGE | FORWARD_ALONE},
    /* Weights that are 0 pass no gradient on. */
    {&query, {1, 1, 1, 1, SAC_SCORE_ADDITIVE, 0, SAC_NORMALIZER_ENTMAX15}, {1}},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, 0, SAC_NORMALIZER_ENTMAX15}, {1}},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, WEIGHS, SAC_NORMALIZER_ENTMAX15}, {0.35}},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, WEIGHS, SAC_NORMALIZER_SPARSEMAX}, {0.35}},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, WEIGHS, SAC_NORMALIZER_SPARSEMAX}, {0.4}},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, HIDES | WEIGHS, SAC_NORMALIZER_ENTMAX15}, {1}},
    {&query, {3, 7, 5, 9, SAC_SCORE_DOT, HIDES_ALL | WEIGHS, SAC_NORMALIZER_ENTMAX15}, {1}},
    {&query,
     {3, 7, 5, 9, SAC_SCORE_DOT, SHARED | HIDES, SAC_NORMALIZER_SPARSEMAX},
     {1},
     FORWARD_ALONE},
    {&query, {2, 33, 16, 70, SAC_SCORE_ADDITIVE, 0, SAC_NORMALIZER_ENTMAX15}, {0.4}, LARGE},
    {&query,
     {8, 196, 128, 96, SAC_SCORE_ADDITIVE, 0, SAC_NORMALIZER_ENTMAX15},
     {1},
     LARGE | FORWARD_ALONE},
    {&query, {3, 7, 5, 9, SAC_SCORE_ADDITIVE, SCORED | WEIGHS, SAC_NORMALIZER_SOFTMAX}, {0.4}},
    {&query, {3, 7, 5, 9, SAC_SCORE_SCALED_DOT, SCORED, SAC_NORMALIZER_ENTMAX15}, {0.35}},

    {&relu, {1, 1, 1, 1, 1, 0}, {1}},
    {&relu, {3, 7, 5, 9, 4, 0}, {1}},
    {&relu, {2, 19, 17, 33, 20, 0}, {0.5}},
    {&relu, {5, 196, 70, 300, 16, 0}, {1}, LARGE},
    {&relu, {2, 7, 6, 5, 3, 1}, {1}},
    {&relu, {2, 3, 6, 5, 3, 2}, {1}},

    {&largest, {1, 1, 1}},
    {&largest, {5, 4, 3}},
    {&largest, {8, 7, 17}},
    {&means, {1, 1, 2, 3}},
    {&means, {8, 8, 5, 14}},
    {&means, {3, 5, 4, 4}},
    {&means, {9, 10, 3, 4}},
    {&means, {6, 6, 2, 6}},

    {&convolution, {1, 1, 1, 1, 1, 1}},
    {&convolution, {1, 1, 2, 2, 3, 2}},
    {&convolution, {2, 3, 5, 3, 4, 1, 0, NO_DX}},
    {&convolution, {2, 5, 4, 3, 17, 2}},
    {&convolution, {2, 4, 6, 2, 5, 2}},
    {&convolution, {1, 6, 7, 5, 9, 1}, {0}, LARGE},
    {&convolution, {2, 7, 7, 16, 9, 2}, {0}, LARGE},
    {&convolution, {1, 5, 6, 17, 32, 1}, {0}, LARGE | BY_FORMULA},
    /* Work-items take several blocks of pixels; sums over pixels are cut into pieces, which begin
     * amid lines and pictures. */
    {&convolution, {3, 40, 37, 3, 16, 1, 0, NO_DX}, {0}, LARGE | BY_FORMULA},
    {&convolution, {3, 20, 17, 3, 7, 1, 0, NO_DX}, {0}, LARGE | BY_FORMULA},
    {&convolution, {2, 81, 50, 2, 9, 2, 0, NO_DX}, {0}, LARGE | BY_FORMULA},
    {&convolution, {2, 4, 7, 3, 5, 2, 0, NO_DX | SAME}},
    {&convolution, {1, 9, 6, 3, 17, 2, 0, NO_DX | SAME}, {0}, BY_FORMULA},
    {&convolution, {2, 10, 12, 3, 8, 2, 0, NO_DX | SAME}, {0.5}, FORWARD_ALONE},
    /* As in a residual network: the first layer, one pixel at a time, and sums that go on. */
    {&applied, {1, 1, 1, 1, 1, 1, 1}},
    {&applied, {1, 9, 12, 3, 5, 2, 7}},
    {&applied, {2, 3, 4, 6, 7, 1, 1, ADDS}},
    {&applied, {1, 5, 7, 8, 9, 2, 1, LINEAR}},
    {&applied, {2, 5, 4, 7, 6, 2, 3, ADDS | LINEAR}},
    {&applied, {1, 4, 4, 3, 33, 1, 5}},
    {&applied, {1, 16, 11, 16, 40, 1, 1}, {0}, LARGE},
    {&applied, {1, 6, 5, 70, 36, 2, 3, ADDS}, {0}, LARGE}, /* k is cut into pieces */
    {&applied, {1, 32, 30, 3, 64, 2, 7}, {0}, LARGE},
    {&over_time, {1, 1, 1, 1, 1, 1}},
    {&over_time, {57, 1, 9, 10, 5, 1}},
    {&over_time, {31, 7, 5, 3, 2, 1, 1}},
    {&over_time, {20, 6, 9, 4, 1, 3, 1}},
    {&over_time, {90, 12, 12, 16, 1, 2, 1}},
    {&over_time, {210, 96, 48, 128, 1, 2, 1}, {0}, LARGE}, /* some taps at a time */

    {&state_space, {1, 1, 1, 1, 1, 1, 1}},
    {&state_space, {1, 9, 2, 3, 5, 1, 4, BIASED}},
    {&state_space, {3, 1, 4, 5, 7, 2, 4, FOLLOWS | BIASED}},
    {&state_space, {2, 7, 6, 3, 2, 3, 3, FOLLOWS | NORMS}},
    {&state_space, {2, 2, 4, 8, 16, 2, 8, FOLLOWS | NORMS | NORMS_FIRST | BIASED}},

    {&depthwise, {1, 1, 1, 1, 3, 1}},
    {&depthwise, {1, 1, 1, 1, 5, 2}},
    {&depthwise, {2, 2, 3, 5, 3, 2}},
    {&depthwise, {1, 7, 9, 3, 3, 1}},
    {&depthwise, {1, 8, 11, 2, 5, 2}},
    {&depthwise, {2, 5, 4, 17, 5, 1}, {0}, LARGE},
    {&depthwise, {1, 9, 14, 16, 3, 2}, {0}, LARGE},
    {&depthwise, {1, 7, 17, 33, 5, 1}, {0}, LARGE},
    {&depthwise, {1, 13, 16, 33, 5, 2}, {0}, LARGE},
    {&depthwise, {3, 19, 6, 16, 3, 1}, {0}, LARGE}, /* the gradient of weights is in pieces */
    {&depthwise, {2, 23, 29, 31, 3, 2}, {0.5}, LARGE | FORWARD_ALONE},
    {&depthwise, {2, 6, 13, 48, 5, 1}, {0.5}, FORWARD_ALONE},

    {&multihead, {3, 5, 5, 8, true}, {0}, 0, "self"},
    {&multihead, {3, 3, 6, 8, false}, {0}, 0, "cross"},
    {&transformed, {3, 4, 0, 8, 12, false}, {0}, 0, "encoder"},
    {&transformed, {3, 4, 0, 8, 12, true}, {0}, 0, "encoder_norm_first"},
    {&transformed, {3, 4, 5, 8, 12, false}, {0}, 0, "decoder"},
    {&transformed, {3, 4, 5, 8, 12, true}, {0}, 0, "decoder_norm_first"},
};

/* ---------------------------------------------------------------- activations of all magnitudes */

/* ± 2^−149 … 2^127, in eighths of an octave, and what is no number. */
enum { NUMBERS = 2 * 8 * 277 + 3 };

static float number_of(int i)
{
    static const float others[] = {0, INFINITY, -INFINITY};
    if (i < 3)
        return others[i];
    float size = (float)exp2((i - 3) / 2 / 8.0 - 149);
    return i % 2 ? size : -size;
}

/* Each to so many units of 2^−24 of its value, in the tails too; where that is below 2^−126 it may
 * be 0. */
static void check_activation(sac_activation kind, double units)
{
    float x[NUMBERS], y[NUMBERS];
    sac_tensor on_device = {0};
    sac_arena arena = {0};
    for (int i = 0; i < NUMBERS; i++)
        x[i] = number_of(i);
    sac_arena_shape(&arena, reference_pass(), &on_device, 1, NUMBERS);
    sac_pass_write(reference_pass(), on_device, x);
    sac_activate(reference_pass(), on_device, kind);
    sac_pass_read(reference_pass(), on_device, y);
    reference_end();
    assert_true(y[1] == INFINITY && fabs(y[2]) < 0x1p-126);
    for (int i = 3; i < NUMBERS; i++) {
        double right = activated(kind, x[i]), off = fabs(y[i] - right);
        if (!(off <= units * 0x1p-24 * fabs(right) + (fabs(right) < 0x1p-126 ? 0x1p-126 : 0)))
            fail_msg("activation %d of %a is %a, not %a", kind, x[i], y[i], right);
    }
    sac_arena_release(&arena);
}

TEST(activations_are_right_near_zero_and_far_from_it)
{
    static const double units[SAC_ACTIVATIONS] = {
        [SAC_RELU] = 0, [SAC_GELU] = 12, [SAC_GELU_TANH] = 300, [SAC_SILU] = 8};
    for (sac_activation kind = SAC_RELU; kind <= SAC_SILU; kind++)
        check_activation(kind, units[kind]);
}

TEST(activation_of_nan_is_nan)
{
    for (sac_activation kind = SAC_GELU; kind < SAC_ACTIVATIONS; kind++) {
        double x[] = {NAN};
        float y = 0;
        sac_span span = reference_span(x, 1);
        sac_tensor on_device = reference_tensor(span, 1, 1);
        sac_activate(reference_pass(), on_device, kind);
        sac_pass_read(reference_pass(), on_device, &y);
        reference_end();
        assert_true(isnan(y));
        sac_span_release(&span);
    }
}

static int close_values(void **state)
{
    sac_arrays_close(torch_values);
    return reference_close(state);
}

int main(void)
{
    static char names[sizeof rows / sizeof *rows][160];
    OK(sac_arrays_open(TESTS "/nn/torch_values.npz", &torch_values, &failure));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trial t = {.row = &rows[i]};
        describe(&t, "", &(const tensor){.name = ""}, names[i], sizeof names[i]);
        test_add((struct CMUnitTest){names[i], run_row, NULL, NULL, (void *)&rows[i]}, (int)i);
    }
    return test_run(NULL, close_values);
}
