/* Attention whose answer is known in closed form: scores of β on the cells of a box and 0 elsewhere
 * give a box that covers the share a of the grid the mass a·e^β / (a·e^β + 1 − a). */

#include "status.h"
#include "trial.h"

typedef struct grid {
    size_t w, h;
} grid;

static bool in_box(grid g, size_t cell)
{
    size_t x = cell % g.w, y = cell / g.w;
    return x >= g.w / 4 && x < g.w / 4 + g.w / 3 + 1 && y >= g.h / 3 && y < g.h / 3 + g.h / 2;
}

static size_t box_cells(grid g)
{
    size_t count = 0;
    for (size_t i = 0; i < g.w * g.h; i++)
        count += in_box(g, i);
    return count;
}

static sac_array *floats(trial *t, int rank, size_t a, size_t b)
{
    return trial_array(t, SAC_F32, rank, (size_t[]){a, b});
}

/* Queries that are all `query`, keys that are `inside` in the box and `outside` elsewhere: vectors
 * of 2 numbers. The value of a cell is 1 in the box and 0 outside: the output is the box's mass. */
static void plant(trial *t, grid g, const float *query, const float *inside, const float *outside)
{
    enum { QUERIES = SAC_GPU_FEW_ROWS + 1 }; /* the kernels of other tests */
    size_t cells = g.w * g.h;
    sac_array *q = floats(t, 2, QUERIES, 2), *k = floats(t, 2, cells, 2);
    sac_array *v = floats(t, 2, cells, 1);
    for (size_t i = 0; i < QUERIES * 2; i++)
        ((float *)q->data)[i] = query[i % 2];
    for (size_t i = 0; i < cells * 2; i++)
        ((float *)k->data)[i] = in_box(g, i / 2) ? inside[i % 2] : outside[i % 2];
    for (size_t i = 0; i < cells; i++)
        ((float *)v->data)[i] = in_box(g, i);
    t->input.query = q;
    t->input.key = k;
    t->input.value = v;
}

static void plant_product(trial *t, grid g, float beta)
{
    float own = t->spec.score == SAC_SCORE_SCALED_DOT ? sqrtf(2) : 1; /* undoes 1/√d */
    plant(t, g, (float[]){beta * own, 7}, (float[]){1, 0}, (float[]){0, 0});
}

/* 10·tanh(c + k): k = −c gives 0, k = atanh(β/10) − c gives β. */
static void plant_additive(trial *t, grid g, float beta)
{
    float c = 0.75f;
    plant(t, g, (float[]){1.5f, 0}, (float[]){atanhf(beta / 10) - c, 3}, (float[]){-c, 3});
    sac_array *W_q = floats(t, 2, 1, 2), *W_k = floats(t, 2, 1, 2), *w_v = floats(t, 1, 1, 1);
    ((float *)W_q->data)[0] = 0.5f;
    ((float *)W_k->data)[0] = 1;
    ((float *)w_v->data)[0] = 10;
    t->input.score_W_q = W_q;
    t->input.score_W_k = W_k;
    t->input.score_w_v = w_v;
}

/* qᵀ W k / (2·2)^(1/4) with W[0][1] alone. */
static void plant_bilinear(trial *t, grid g, float beta)
{
    plant(t, g, (float[]){beta * sqrtf(2), 5}, (float[]){0, 1}, (float[]){0, 0});
    sac_array *W = floats(t, 2, 2, 2);
    ((float *)W->data)[1] = 1;
    t->input.score_W_qk = W;
}

/* A distance gives no positive score, so its scale is −1: +½‖(q − k)w‖², with k = q outside. */
static void plant_gaussian(trial *t, grid g, float beta)
{
    float w = 0.5f, distance = sqrtf(2 * beta) / w;
    plant(t, g, (float[]){3, -2}, (float[]){3 + distance, -2}, (float[]){3, -2});
    t->spec.bandwidth = 1 / w;
    t->spec.scale = -1;
    t->spec.use_scale = true;
}

static void make(trial *t, sac_score score, grid g, float beta)
{
    *t = (trial){.spec = {.score = score}};
    if (score == SAC_SCORE_ADDITIVE)
        plant_additive(t, g, beta);
    else if (score == SAC_SCORE_BILINEAR)
        plant_bilinear(t, g, beta);
    else if (score == SAC_SCORE_GAUSSIAN)
        plant_gaussian(t, g, beta);
    else
        plant_product(t, g, beta);
    OK(sac_attention_resolve(&t->spec, &t->input, &t->shape, &failure));
}

static void check(const results *r, grid g, float beta)
{
    size_t cells = g.w * g.h, inside = box_cells(g);
    double a = (double)inside / (double)cells, grown = a * exp(beta);
    double mass = grown / (grown + 1 - a);
    for (size_t row = 0; row < r->rows; row++) {
        double found = 0;
        for (size_t i = 0; i < cells; i++)
            found += in_box(g, i) ? r->weights[row * cells + i] : 0;
        assert_true(fabs(found - mass) < 1e-5);
        assert_true(fabs(r->output[row] - mass) < 1e-5);
        double lse = log((double)cells * (grown + 1 - a));
        assert_true(fabs(r->lse[row] - lse) < 1e-5);
    }
}

TEST(a_planted_box_gets_the_mass_of_the_formula)
{
    static const grid grids[] = {{7, 7}, {14, 14}, {24, 18}, {37, 23}};
    static const float betas[] = {0, 0.5f, 2, 6};
    int count;
    const sac_variant *variants = test_variants(&count);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (int score = 0; score < SAC_SCORE_COUNT; score++)
            for (size_t b = 0; b < sizeof betas / sizeof *betas; b++)
                for (int v = 0; v < count; v++) {
                    trial t;
                    results r;
                    sac_error error = {0};
                    if (device_is_slow() && b != 2)
                        continue;
                    if (is_oclgrind() && grids[g].w * grids[g].h > 200)
                        continue; /* one more tile than the 196 cells before is no other path */
                    make(&t, (sac_score)score, grids[g], betas[b]);
                    if (compute_device(test_device(), variants[v], &t, true, &r, &error))
                        fail_msg("%s: %s", error.where, error.what);
                    check(&r, grids[g], betas[b]);
                    results_free(&r);
                    trial_free(&t);
                }
}

TEST_MAIN(NULL, close_device)
