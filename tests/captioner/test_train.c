/* Training: that it learns, repeats itself, and goes on exactly where it was stopped. */
#include <unistd.h>

#include "captioner/captioner.h"
#include "captioner/learn/learn.h"
#include "captioner/model.h"
#include "captioner/scenes/scene_batches.h"
#include "models/checkpoint.h"
#include "models/monitor.h"
#include "models/train.h"
#include "on_device.h"
#include "shapes/scene.h"
#include "status.h"
#include "test.h"

enum { WORDS, GAZE }; /* parts of the loss */

static char folder[64], out[96], checkpoint[112], other[96];

static const sac_captioner_shape tiny = {
    .side = 16,
    .layers = 2,
    .layer = {{4, 2}, {8, 2}},
    .score = SAC_SCORE_ADDITIVE,
    .attention = 8,
    .hidden = 16,
    .embedding = 8,
    .vocabulary = SAC_WORDS,
};

static sac_captioner *create(uint32_t seed)
{
    sac_captioner *captioner;
    OK(sac_captioner_create(device, &tiny, seed, &captioner, &failure));
    return captioner;
}

static sac_training_options steps(size_t count)
{
    return (sac_training_options){.steps = count,
                                  .batch = 4,
                                  .seed = 5,
                                  .values = sac_model_defaults(&sac_captioner_class),
                                  .out = out};
}

static float *weights_of(const sac_captioner *captioner)
{
    float *weights = malloc(captioner->base.parameters.floats * sizeof *weights);
    OK(sac_span_read(device, captioner->base.parameters.values, captioner->base.parameters.floats,
                     weights, &failure));
    return weights;
}

/* Stops after `at` steps; keeps the last report. */
typedef struct stopping {
    size_t at;
    sac_training_report first, last;
} stopping;

static bool stop_at(void *user, sac_model *model, const sac_training_report *report)
{
    stopping *s = user;
    (void)model;
    if (report->step == 1)
        s->first = *report;
    s->last = *report;
    return report->step != s->at;
}

/* The weights after a training from new weights. */
static float *train(uint32_t seed, const sac_training_options *options, sac_status wanted)
{
    stopping stop = {.at = wanted == SAC_E_CANCELLED ? 3 : 0};
    sac_captioner *captioner = create(seed);
    sac_status status = sac_train(&captioner->base, options, stop_at, &stop, &failure);
    if (status != wanted)
        fail_msg("%s: %s", failure.where, failure.what);
    float *weights = weights_of(captioner);
    sac_captioner_destroy(captioner);
    return weights;
}

static size_t floats(void)
{
    sac_captioner *captioner = create(1);
    size_t count = captioner->base.parameters.floats;
    sac_captioner_destroy(captioner);
    return count;
}

/* ---------------------------------------------------------------- beginning */

TEST(new_weights_remember_and_norm_as_they_should)
{
    float bias[64], gain[8];
    sac_captioner *captioner = create(5);
    OK(sac_span_read(device, sac_tensor_span(captioner->weights.lstm_bias->value), 64, bias,
                     &failure));
    OK(sac_span_read(device, sac_tensor_span(captioner->weights.norm.gain->value), 8, gain,
                     &failure));
    for (int i = 0; i < 64; i++)
        assert_true(bias[i] == (i / 16 == 1)); /* input, forget, cell, output */
    for (int i = 0; i < 8; i++)
        assert_true(gain[i] == 1);
    sac_captioner_destroy(captioner);
}

/* Neighbours on the grid differ less than cells far apart. */
TEST(positions_begin_smooth)
{
    float position[16][8];
    double near = 0, far = 0;
    sac_captioner *captioner = create(5);
    OK(sac_span_read(device, sac_tensor_span(captioner->weights.norm.position->value), 128,
                     position[0], &failure));
    for (int d = 0; d < 8; d++) {
        near += pow(position[5][d] - position[6][d], 2) + pow(position[5][d] - position[9][d], 2);
        far += pow(position[0][d] - position[15][d], 2) + pow(position[3][d] - position[12][d], 2);
    }
    assert_true(near > 0 && near < 0.5 * far);
    sac_captioner_destroy(captioner);
}

/* ---------------------------------------------------------------- training */

TEST(the_same_seed_gives_the_same_weights)
{
    sac_training_options options = steps(6);
    float *first = train(5, &options, SAC_OK), *second = train(5, &options, SAC_OK);
    assert_memory_equal(first, second, floats() * sizeof(float));
    options.seed = 6; /* other scenes */
    float *third = train(5, &options, SAC_OK);
    assert_memory_not_equal(first, third, floats() * sizeof(float));
    free(first);
    free(second);
    free(third);
}

TEST(three_steps_and_three_resumed_are_six_to_the_last_bit)
{
    sac_training_options options = steps(6);
    float *whole = train(5, &options, SAC_OK);
    options.out = other;
    free(train(5, &options, SAC_E_CANCELLED));
    char halfway[128];
    snprintf(halfway, sizeof halfway, "%s.checkpoint", other);
    assert_int_equal(access(halfway, R_OK), 0);
    assert_int_not_equal(access(other, R_OK), 0);
    options.resume = halfway;
    options.seed = 99; /* the checkpoint's own is taken */
    float *parts = train(17, &options, SAC_OK);
    assert_memory_equal(whole, parts, floats() * sizeof(float));
    assert_int_equal(access(other, R_OK), 0);
    assert_int_not_equal(access(halfway, R_OK), 0); /* not needed any more */
    free(whole);
    free(parts);
}

TEST(training_lowers_the_loss)
{
    sac_training_options options = steps(300);
    options.batch = 16;
    stopping stop = {0};
    sac_captioner *captioner = create(5);
    OK(sac_train(&captioner->base, &options, stop_at, &stop, &failure));
    assert_int_equal(stop.last.step, 300);
    /* From log 26 = 3.3 a word, towards 1.3 when only colour, shape and size are guessed. */
    assert_true(stop.first.part[WORDS] > 3 && stop.last.part[WORDS] < 2);
    assert_true(stop.last.part[GAZE] < stop.first.part[GAZE]);
    assert_true(stop.last.samples_per_second > 0 && stop.last.seconds_left == 0);
    sac_captioner_destroy(captioner);
}

TEST(weights_alone_begin_a_new_training)
{
    sac_training_options options = steps(200);
    free(train(5, &options, SAC_OK));
    options.resume = out;
    options.steps = 2;
    stopping stop = {0};
    sac_captioner *captioner = create(17);
    OK(sac_train(&captioner->base, &options, stop_at, &stop, &failure));
    assert_int_equal(stop.first.step, 1);
    assert_true(stop.first.part[WORDS] < 2.9f); /* log 26 = 3.3 is the ignorant's */
    sac_captioner_destroy(captioner);
}

TEST(without_supervision_there_is_no_gaze_loss_to_show)
{
    sac_training_options options = steps(2);
    stopping stop = {0};
    sac_captioner *captioner = create(5);
    options.values = (sac_model_values){{0}}; /* neither of the attention's losses */
    OK(sac_train(&captioner->base, &options, stop_at, &stop, &failure));
    assert_true(isnan(stop.last.part[GAZE]));
    assert_true(fabsf(stop.last.loss - stop.last.part[WORDS]) < 1e-6f);
    sac_captioner_destroy(captioner);
}

TEST(a_gradient_that_is_not_finite_ends_training_and_leaves_the_checkpoint)
{
    sac_training_options options = steps(9);
    options.rate = 1e30f;
    options.checkpoint_every = 1;
    stopping stop = {0};
    sac_captioner *captioner = create(5);
    REFUSES(SAC_E_VALUE, "…the gradient of step 2 is not finite; …the last checkpoint is …",
            sac_train(&captioner->base, &options, stop_at, &stop, &failure));
    assert_non_null(strstr(failure.remedy, checkpoint));
    assert_int_equal(access(checkpoint, R_OK), 0);
    sac_captioner_destroy(captioner);
    unlink(checkpoint);
}

/* An older program's keeps none: what is given is taken. */
TEST(a_checkpoint_that_keeps_no_options_goes_on_with_those_that_are_given)
{
    sac_training_options options = steps(4);
    sac_captioner *captioner = create(5);
    OK(sac_checkpoint_save(&captioner->base, checkpoint, 3, 5, "", &failure));
    options.resume = checkpoint;
    options.rate = 0.123f;
    stopping stop = {0};
    OK(sac_train(&captioner->base, &options, stop_at, &stop, &failure));
    assert_int_equal(stop.last.step, 4);
    assert_int_equal(stop.last.batch, options.batch);
    sac_captioner_destroy(captioner);
}

TEST(a_checkpoint_of_another_score_or_that_is_done_is_refused)
{
    sac_training_options options = steps(4);
    free(train(5, &options, SAC_E_CANCELLED));
    options.resume = checkpoint;
    options.steps = 3;
    sac_captioner *captioner = create(5);
    assert_int_equal(sac_train(&captioner->base, &options, NULL, NULL, &failure), SAC_E_ARGUMENT);
    sac_captioner_destroy(captioner);
    sac_captioner_shape dot = tiny;
    dot.score = SAC_SCORE_SCALED_DOT;
    options.steps = 4;
    OK(sac_captioner_create(device, &dot, 5, &captioner, &failure));
    assert_int_equal(sac_train(&captioner->base, &options, NULL, NULL, &failure), SAC_E_SHAPE);
    sac_captioner_destroy(captioner);
    unlink(checkpoint);
}

/* ---------------------------------------------------------------- batches */

static sac_batches *open_batches(size_t size, size_t first)
{
    sac_batch_maker maker;
    sac_batches *batches;
    OK(sac_scene_batches(&tiny, SAC_STREAM_TRAINING, size, (sac_batch_share){0}, 3, &maker,
                         &failure));
    OK(sac_batches_open(&maker, first, &batches, &failure));
    return batches;
}

/* True where the words at two places of [T,B], of one sentence, are looked for in the same cells.
 */
static bool looks_at_one_place(const sac_caption_batch *b, size_t i, size_t later)
{
    size_t cells = (size_t)sac_captioner_grid(&tiny) * (size_t)sac_captioner_grid(&tiny);
    const float *covers = b->cover + i % b->size * SAC_SCENE_WORDS * cells;
    const float *one = covers + (size_t)b->object_of_word[i] * cells;
    const float *two = covers + (size_t)b->object_of_word[later] * cells;
    return b->object_of_word[i] >= 0 && b->object_of_word[later] >= 0 &&
           memcmp(one, two, cells * sizeof *one) == 0;
}

TEST(batches_are_sorted_and_neither_show_nor_name_a_held_out_pair)
{
    sac_batches *batches = open_batches(16, 0);
    int colours = 0, relations = 0;
    for (int k = 0; k < 20; k++) {
        const sac_caption_batch *b = sac_batches_next(batches, &failure);
        assert_int_equal(b->lengths[0], b->steps);
        for (size_t i = 0; i < b->size * b->steps; i++) {
            size_t at = i % b->size;
            int word = b->targets[i],
                next = i + b->size < b->size * b->steps ? b->targets[i + b->size] : 0;
            assert_true(at == 0 || b->lengths[at] <= b->lengths[at - 1]);
            bool colour = word >= SAC_WORD_COLOUR && word < SAC_WORD_SHAPE;
            if (colour) {
                assert_false(sac_pair_is_held_out(word - SAC_WORD_COLOUR, next - SAC_WORD_SHAPE));
                assert_int_equal(b->inputs[i + b->size], SAC_WORD_PAD);
                colours++;
            }
            if (word == SAC_WORD_LEFT || word == SAC_WORD_RIGHT)
                assert_true(looks_at_one_place(b, i, i + 2 * b->size));
            relations += word == SAC_WORD_ABOVE && looks_at_one_place(b, i, i + b->size);
        }
    }
    assert_true(colours > 100 && relations > 10);
    sac_batches_close(batches);
}

TEST(batch_seven_is_the_same_from_wherever_one_begins)
{
    sac_batches *from_start = open_batches(4, 0), *from_there = open_batches(4, 7);
    const sac_caption_batch *a = NULL;
    for (int k = 0; k <= 7; k++)
        a = sac_batches_next(from_start, &failure);
    const sac_caption_batch *b = sac_batches_next(from_there, &failure);
    assert_int_equal(a->steps, b->steps);
    assert_memory_equal(a->pictures, b->pictures, 4 * 16 * 16 * 3 * sizeof(float));
    assert_memory_equal(a->inputs, b->inputs, a->steps * 4 * sizeof(int));
    sac_batches_close(from_start);
    sac_batches_close(from_there);
}

/* ---------------------------------------------------------------- watching */

typedef struct monitored {
    sac_monitor *monitor;
} monitored;

static bool monitor_step(void *user, sac_model *model, const sac_training_report *report)
{
    monitored *w = user;
    OK(sac_monitor_step(w->monitor, model, report, &failure));
    return true;
}

TEST(a_viewer_gets_captions_and_curves_and_is_notified_of_the_end)
{
    monitored w = {0};
    sac_training_options options = steps(3);
    sac_training_snapshot view = {0};
    bool changed;
    sac_captioner *captioner = create(5);
    OK(sac_monitor_create(&captioner->base, "a device", NULL, &w.monitor, &failure));
    sac_source source = sac_monitor_source(w.monitor);
    OK(sac_train(&captioner->base, &options, monitor_step, &w, &failure));
    OK(source.training.look(source.self, 0, &view, &changed, &failure));
    assert_true(changed);
    assert_int_equal(view.step, 3);
    assert_int_equal(view.points, 3);
    assert_int_equal(view.at[2], 3);
    assert_true(isnan(view.exact[0]) && view.exact[2] >= 0 && view.loss[0] > 0);
    assert_int_equal(view.pictures, 6);
    assert_true(view.picture[5].caption.count > 0 && view.picture[5].caption.weights[0] >= 0);
    assert_true(view.picture[5].truth[0] == 'a');
    sac_training_snapshot_free(&view);
    OK(source.training.look(source.self, 3, &view, &changed, &failure));
    assert_false(changed);
    assert_false(source.training.ended(source.self));
    sac_monitor_end(w.monitor);
    assert_true(source.training.ended(source.self));
    sac_monitor_destroy(w.monitor);
    sac_captioner_destroy(captioner);
    unlink(checkpoint);
}

static int open_all(void **state)
{
    (void)state;
    OK(sac_device_open(NULL, &device, &failure));
    snprintf(folder, sizeof folder, "/tmp/saccade-train-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/a.safetensors", folder);
    snprintf(other, sizeof other, "%s/b.safetensors", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", out);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sac_device_close(device);
    unlink(out);
    unlink(other);
    rmdir(folder);
    return 0;
}

TEST_MAIN(open_all, close_all)
