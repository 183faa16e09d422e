/* The dots of a map of queries and keys in a file, as the window computes them on a device, against
 * float64: with masks, and of sizes that are no multiple of anything. */
#include "canvas/text.h"
#include "home.h"
#include "saccade_arrays.h"
#include "sources/files/weights/weights_file.h"
#include "weights/map/map_blocks.h"
#include "weights/map/matrix_panel.h"

static int begin(void **state)
{
    return make_home(state) || viz_text_open(NULL) != SAC_OK;
}

static int end(void **state)
{
    viz_text_close();
    return remove_home(state);
}

typedef struct sizes {
    size_t queries, keys;
    bool causal, padded, biased;
    sac_score score;
} sizes;

/* Numbers between −1 and 1, of no pattern. */
static void fill(float *numbers, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(((i + 1) * 2654435761u + seed * 97531u) % 20011) / 10005.5f - 1.0f;
}

enum { HEADS = 2, DIM = 16 };

/* The largest difference of any dot of the panel's blocks from float64. */
static double worst(const sizes *z, sac_pool pool, float cell, double x, double y)
{
    size_t q_shape[] = {1, HEADS, z->queries, DIM}, k_shape[] = {1, HEADS, z->keys, DIM};
    sac_array query, key, padding, mask;
    OK(sac_array_create(SAC_F32, 4, q_shape, &query, &failure));
    OK(sac_array_create(SAC_F32, 4, k_shape, &key, &failure));
    OK(sac_array_create(SAC_BOOL, 2, (size_t[]){1, z->keys}, &padding, &failure));
    OK(sac_array_create(SAC_F32, 2, (size_t[]){z->queries, z->keys}, &mask, &failure));
    fill(query.data, HEADS * z->queries * DIM, 1);
    fill(key.data, HEADS * z->keys * DIM, 2);
    fill(mask.data, z->queries * z->keys, 3);
    for (size_t k = 0; k < z->keys; k++)
        ((uint8_t *)padding.data)[k] = k % 5 == 3;
    sac_named_array named[4] = {{"query", &query}, {"key", &key}};
    size_t count = 2;
    if (z->padded)
        named[count++] = (sac_named_array){"key_padding_mask", &padding};
    if (z->biased)
        named[count++] = (sac_named_array){"attn_mask", &mask};
    const char *path = in("qk.npz");
    OK(sac_npz_save(path, named, count, &failure));

    sac_attention_spec spec = {.score = z->score, .causal = z->causal};
    sac_attention_input input = {.query = &query,
                                 .key = &key,
                                 .key_padding_mask = z->padded ? &padding : NULL,
                                 .attn_mask = z->biased ? &mask : NULL};
    size_t all = HEADS * z->queries * z->keys;
    double *weights = malloc(all * sizeof *weights);
    OK(sac_attention_reference(&spec, &input, NULL, NULL, weights, &failure));

    sac_source source = {0};
    viz_weights_model *model;
    viz_canvas canvas;
    viz_panel panel;
    OK(sac_weights_file_open(
        &(sac_weights_file_options){.path = path, .spec = spec, .padding = true}, &source,
        &failure));
    OK(viz_weights_model_create(&source, &model, &failure));
    OK(viz_canvas_create(640, 400, 1, &viz_theme_dark, &canvas, &failure));
    model->chosen = true;
    model->head = 1;
    model->pool = pool;
    viz_panel_init(&panel, model);
    panel.zoomed = cell > 0;
    panel.cell_w = panel.cell_h = cell;
    panel.x = x;
    panel.y = y;
    viz_panel_lay(&panel, &canvas, (viz_rect){20, 20, 300, 260});
    for (viz_weights_job *job; (job = viz_panel_create_job(&panel));) {
        OK(viz_weights_model_run_job(model, job, &failure));
        viz_panel_take(&panel, job);
        viz_weights_model_finish_job(model, job, NULL);
    }
    double most = 0;
    size_t dots = 0;
    for (size_t i = 0; i < panel.block_count; i++) {
        const viz_block *b = &panel.blocks[i];
        assert_true(!b->sampled && viz_block_is_done(b));
        for (size_t r = 0; r < b->out_rows; r++)
            for (size_t c = 0; c < b->out_cols; c++, dots++) {
                size_t top = r * b->rect.rows / b->out_rows,
                       bottom = (r + 1) * b->rect.rows / b->out_rows;
                size_t left = c * b->rect.cols / b->out_cols,
                       right = (c + 1) * b->rect.cols / b->out_cols;
                double sum = 0, largest = 0;
                for (size_t m = top; m < bottom; m++)
                    for (size_t n = left; n < right; n++) {
                        double weight =
                            weights[(z->queries + b->rect.row + m) * z->keys + b->rect.col + n];
                        sum += weight;
                        largest = weight > largest ? weight : largest;
                    }
                double dot = pool == SAC_POOL_MAX ? largest
                                                  : sum / (double)((bottom - top) * (right - left));
                double away = fabs((double)b->values[r * b->out_cols + c] - dot);
                most = away > most ? away : most;
            }
    }
    assert_true(dots > 0);
    viz_panel_free(&panel);
    viz_weights_model_release(model);
    sac_source_destroy(&source);
    viz_canvas_free(&canvas);
    sac_array_free(&query);
    sac_array_free(&key);
    sac_array_free(&padding);
    sac_array_free(&mask);
    free(weights);
    unlink(path);
    return most;
}

TEST(dots_are_those_of_float64_whatever_the_sizes_and_masks)
{
    static const sizes tried[] = {{1, 1},
                                  {1021, 1021, .causal = true},
                                  {257, 1009, .padded = true},
                                  {127, 129, .causal = true, .padded = true},
                                  {641, 383, .biased = true},
                                  {513, 511, .score = SAC_SCORE_GAUSSIAN, .causal = true}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        for (int pool = SAC_POOL_MEAN; pool <= SAC_POOL_MAX; pool++) {
            double whole = worst(&tried[i], (sac_pool)pool, 0, 0, 0);
            double near = worst(&tried[i], (sac_pool)pool, 0.7f, 5, 3);
            if (!(whole < 1e-5 && near < 1e-5))
                fail_msg("case %zu, %s: %g and %g away", i, pool ? "max" : "mean", whole, near);
        }
}

TEST_MAIN(begin, end)
