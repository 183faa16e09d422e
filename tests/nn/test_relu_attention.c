/* The attention with ReLU in its score and a gate for each number against the same in double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/relu_attention.h"
#include "reference.h"
#include "test.h"

/* Of the largest number. */
#define TOLERANCE 2e-5

enum { VALUE, KEY, W, QUERY, GATE, WORD, WEIGHTS, JOINED, OPEN, ARRAYS, READ = WEIGHTS };

typedef struct problem {
    size_t rows, cells, dim, depth, words; /* R, N, A, D, M */
    float scale;
    const uint8_t *hidden; /* [N] */
    size_t height[ARRAYS], width[ARRAYS];
    double *x[ARRAYS];
} problem;

static void make(problem *p)
{
    const size_t height[] = {p->cells, p->cells, 1,       p->rows, p->rows,
                             p->rows,  p->rows,  p->rows, p->rows};
    const size_t width[] = {
        p->depth, p->dim, p->dim, p->dim, p->depth, p->words, p->cells, p->words + p->depth, 1};
    memcpy(p->height, height, sizeof height);
    memcpy(p->width, width, sizeof width);
    for (int i = 0; i < ARRAYS; i++) {
        size_t count = height[i] * width[i];
        p->x[i] = calloc(count, sizeof *p->x[i]);
        assert_non_null(p->x[i]);
        reference_fill(p->x[i], count, 30 + (unsigned)i);
        for (size_t j = 0; j < count; j++)
            p->x[i][j] *= 2;
    }
}

/* The weights of a row. */
static void weigh(problem *p, const double *query, double *weights)
{
    double highest = -INFINITY, sum = 0;
    for (size_t n = 0; n < p->cells; n++) {
        weights[n] = 0;
        for (size_t a = 0; a < p->dim; a++)
            weights[n] += p->x[W][a] * fmax(p->x[KEY][n * p->dim + a] + query[a], 0);
        weights[n] *= p->scale;
        if (!p->hidden || !p->hidden[n])
            highest = fmax(highest, weights[n]);
    }
    for (size_t n = 0; n < p->cells; n++) {
        weights[n] = p->hidden && p->hidden[n] ? 0 : exp(weights[n] - highest);
        sum += weights[n];
    }
    for (size_t n = 0; n < p->cells && sum > 0; n++)
        weights[n] /= sum;
}

static void look(problem *p, size_t row)
{
    double *weights = p->x[WEIGHTS] + row * p->cells, open = 0;
    double *joined = p->x[JOINED] + row * (p->words + p->depth);
    weigh(p, p->x[QUERY] + row * p->dim, weights);
    memcpy(joined, p->x[WORD] + row * p->words, p->words * sizeof *joined);
    for (size_t d = 0; d < p->depth; d++) {
        double gate = 1 / (1 + exp(-p->x[GATE][row * p->depth + d])), seen = 0;
        for (size_t n = 0; n < p->cells; n++)
            seen += weights[n] * p->x[VALUE][n * p->depth + d];
        joined[p->words + d] = gate * seen;
        open += gate / (double)p->depth;
    }
    p->x[OPEN][row] = open;
}

static void run(const problem *p, const sac_tensor *t)
{
    sac_parameter w = {.value = t[W]};
    sac_error error = {0};
    cl_mem hidden = NULL;
    if (p->hidden)
        reference_ok(
            sac_buffer_create(reference_device(), p->cells, (void *)p->hidden, &hidden, &error),
            &error);
    const sac_relu_attention attention = {&w,         p->scale,  hidden,  t[KEY],
                                          t[VALUE],   t[QUERY],  t[GATE], t[WORD],
                                          t[WEIGHTS], t[JOINED], t[OPEN]};
    sac_relu_attention_forward(reference_pass(), &attention);
    reference_end();
    sac_buffer_release(hidden);
}

static void check(problem p)
{
    sac_tensor t[ARRAYS];
    make(&p);
    for (int i = 0; i < ARRAYS; i++)
        t[i] = reference_tensor(reference_span(i < READ ? p.x[i] : NULL, p.height[i] * p.width[i]),
                                p.height[i], p.width[i]);
    for (size_t row = 0; row < p.rows; row++)
        look(&p, row);
    run(&p, t);
    for (int i = READ; i < ARRAYS; i++)
        reference_check(sac_tensor_span(t[i]), p.x[i], p.height[i] * p.width[i], TOLERANCE,
                        i == WEIGHTS  ? "weights"
                        : i == JOINED ? "joined"
                                      : "open");
    for (int i = 0; i < ARRAYS; i++) {
        sac_buffer_release(t[i].buffer);
        free(p.x[i]);
    }
}

TEST(every_row_looks_and_its_gates_open_as_they_should)
{
    check((problem){1, 1, 1, 1, 1, 1});
    check((problem){3, 7, 5, 9, 4, 1});
    check((problem){2, 19, 17, 33, 20, 0.5f});
    if (!reference_is_oclgrind())
        check((problem){5, 196, 70, 300, 16, 1});
}

TEST(hidden_cells_have_no_weight)
{
    const uint8_t some[] = {1, 0, 0, 1, 0, 1, 0}, all[] = {1, 1, 1};
    check((problem){2, 7, 6, 5, 3, 1, some});
    check((problem){2, 3, 6, 5, 3, 1, all});
}

TEST_MAIN(NULL, reference_close)
