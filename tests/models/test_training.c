/* Training, checkpoints and monitor with a model that none of them knows. */
#include <unistd.h>

#include "line.h"
#include "models/checkpoint.h"
#include "models/monitor.h"
#include "models/train.h"
#include "on_device.h"
#include "status.h"
#include "test.h"

static char folder[] = "/tmp/saccade-line-XXXXXX", out[64], checkpoint[80];

static sac_training_options steps(size_t count)
{
    return (sac_training_options){
        .steps = count, .seed = 3, .values = sac_model_defaults(&line_class), .out = out};
}

static sac_model *create(uint32_t seed)
{
    sac_model *model;
    sac_model_values values = sac_model_defaults(&line_class);
    OK(line_class.create(device, &values, seed, &model, &failure));
    return model;
}

static void read_weights(const sac_model *model, float w[3], float *b)
{
    const sac_parameters *p = &model->parameters;
    assert_string_equal(p->list[0]->name, "w");
    OK(sac_span_read(device, sac_tensor_span(p->list[0]->value), p->list[0]->count, w, NULL));
    OK(sac_span_read(device, sac_tensor_span(p->list[1]->value), 1, b, NULL));
}

typedef struct audio {
    size_t stop_at;
    sac_training_report first, last;
} audio;

static bool listen(void *user, sac_model *model, const sac_training_report *report)
{
    audio *h = user;
    assert_ptr_equal(model->class, &line_class);
    if (report->step == 1)
        h->first = *report;
    h->last = *report;
    return report->step != h->stop_at;
}

/* ---------------------------------------------------------------- */

TEST(a_model_of_any_class_learns_from_batches_of_any_length)
{
    audio h = {0};
    float w[3], b;
    sac_model *model = create(1);
    sac_training_options options = steps(400);
    options.values.value[LINE_OFFSET] = 1;
    OK(sac_train(model, &options, listen, &h, &failure));
    read_weights(model, w, &b);
    /* The rate ends at a fiftieth of 0.1, which is how near Adam comes. */
    assert_float_equal(w[0], 1, 0.02);
    assert_float_equal(w[1], -2, 0.02);
    assert_float_equal(w[2], 0, 0.02);
    assert_float_equal(b, 1.5, 0.02);
    assert_int_equal(h.last.step, 400);
    assert_int_equal(h.last.batch, line_class.training.batch);
    assert_true(h.last.loss < 0.01f * h.first.loss && h.last.part[0] < h.first.part[0]);
    assert_int_equal(line_makers, 0);
    assert_int_not_equal(access(checkpoint, R_OK), 0);
    sac_model_destroy(model);
}

/* All numbers of a training of ten steps that went through a checkpoint, or did not. */
static void train_ten(bool through_checkpoint, float w[3], float *b)
{
    sac_model *model = create(1);
    sac_training_options options = steps(10);
    audio h = {.stop_at = 4};
    options.values.value[LINE_OFFSET] = 0.25f;
    options.values.given[LINE_OFFSET] = true;
    if (through_checkpoint) {
        assert_int_equal(sac_train(model, &options, listen, &h, &failure), SAC_E_CANCELLED);
        sac_model_destroy(model);
        OK(sac_checkpoint_create_like(&line_class, device, checkpoint, &options.values, 99, &model,
                                      &failure));
        options = (sac_training_options){
            .values = sac_model_defaults(&line_class), .out = out, .resume = checkpoint};
    }
    OK(sac_train(model, &options, NULL, NULL, &failure));
    read_weights(model, w, b);
    sac_model_destroy(model);
}

TEST(a_checkpoint_goes_on_to_the_last_bit_with_its_own_options)
{
    float w[3], b, parts_w[3], parts_b;
    train_ten(false, w, &b);
    train_ten(true, parts_w, &parts_b);
    assert_memory_equal(w, parts_w, sizeof w);
    assert_memory_equal(&b, &parts_b, sizeof b);
    assert_int_equal(line_makers, 0);
}

/* ---------------------------------------------------------------- the mean of several */

static const char *in_folder(const char *name)
{
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* A line of `width` numbers, and its weights in `numbers` (may be NULL). */
static void save_line(const char *name, int width, uint32_t seed, float numbers[4])
{
    sac_model *model;
    sac_model_values values = sac_model_defaults(&line_class);
    values.value[LINE_WIDTH] = (float)(width - 1);
    OK(line_class.create(device, &values, seed, &model, &failure));
    if (numbers)
        read_weights(model, numbers, numbers + 3);
    OK(sac_checkpoint_save(model, in_folder(name), 7 + seed, seed, NULL, &failure));
    sac_model_destroy(model);
}

/* The weights of a.safetensors and `others`, in `out`. */
static sac_status average_with(const char *const *others, size_t count)
{
    const char *a = in_folder("a.safetensors");
    sac_model *model;
    sac_training_options options = steps(0);
    options.resume = a;
    options.average = others;
    options.average_count = count;
    OK(sac_checkpoint_create_like(&line_class, device, a, &options.values, 0, &model, &failure));
    sac_status status = sac_training_measure(model, &options, &failure);
    sac_model_destroy(model);
    return status;
}

TEST(the_mean_of_weights_is_that_of_each_number)
{
    float of[3][4], mean[4];
    const char *const files[] = {in_folder("b.safetensors"), in_folder("c.safetensors")};
    sac_model *model;
    save_line("a.safetensors", 3, 1, of[0]);
    save_line("b.safetensors", 3, 2, of[1]);
    save_line("c.safetensors", 3, 3, of[2]);
    for (size_t others = 1; others <= 2; others++) {
        OK(average_with(files, others));
        OK(sac_checkpoint_load(&line_class, device, out, &model, &failure));
        read_weights(model, mean, mean + 3);
        sac_model_destroy(model);
        for (int i = 0; i < 4; i++) {
            double sum = 0;
            for (size_t k = 0; k <= others; k++)
                sum += (double)of[k][i];
            double expected = sum / (double)(others + 1);
            assert_float_equal(mean[i], expected, others == 1 ? 0 : 1e-7);
            assert_true(others > 1 || mean[i] == (float)expected);
        }
    }
}

/* What is trained from the mean is what is trained from a file of the mean. */
TEST(a_training_begins_with_the_mean)
{
    const char *const b[] = {in_folder("b.safetensors")};
    float parts[4], whole[4];
    save_line("a.safetensors", 3, 1, NULL);
    save_line("b.safetensors", 3, 2, NULL);
    for (int in_one = 0; in_one < 2; in_one++) {
        sac_model *model = create(9);
        sac_training_options options = steps(5);
        char mean[64];
        snprintf(mean, sizeof mean, "%s", in_folder("mean.safetensors"));
        if (!in_one) {
            OK(average_with(b, 1));
            assert_int_equal(rename(out, mean), 0);
        }
        options.resume = in_one ? in_folder("a.safetensors") : mean;
        options.average = b;
        options.average_count = in_one ? 1 : 0;
        OK(sac_train(model, &options, NULL, NULL, &failure));
        float *numbers = in_one ? whole : parts;
        read_weights(model, numbers, numbers + 3);
        sac_model_destroy(model);
    }
    assert_memory_equal(parts, whole, sizeof whole);
}

TEST(no_mean_is_made_of_unlike_models_and_unfinished_trainings)
{
    audio h = {.stop_at = 4};
    const char *const narrow[] = {in_folder("narrow.safetensors")}, *const stopped[] = {checkpoint},
                      *const missing[] = {"/nonexistent/w.safetensors"};
    save_line("a.safetensors", 3, 1, NULL);
    save_line("narrow.safetensors", 2, 1, NULL);
    REFUSES(
        SAC_E_SHAPE,
        "…narrow.safetensors: is another model; give weights of the same network, sizes and words "
        "as …a.safetensors",
        average_with(narrow, 1));
    REFUSES(SAC_E_FILE, "/nonexistent/w.safetensors: …", average_with(missing, 1));
    sac_model *model = create(1);
    sac_training_options options = steps(10);
    assert_int_equal(sac_train(model, &options, listen, &h, &failure), SAC_E_CANCELLED);
    sac_model_destroy(model);
    REFUSES(SAC_E_ARGUMENT,
            "…: is the checkpoint of a training that has not ended; give the weights that it ended "
            "with",
            average_with(stopped, 1));
}

/* ---------------------------------------------------------------- judgements */

/* The judge's values at step 5, 10, …: patience ends at step 20. */
static const double judgements[] = {0.25, 0.5, 0.375, 0.4375, 1, 1, 1, 1};
static size_t judged;

static sac_status judge(sac_model *model, const sac_model_values *values, double *score,
                        sac_error *error)
{
    (void)model, (void)values, (void)error;
    *score = judgements[judged++];
    return SAC_OK;
}

static sac_model_class judged_class;

static bool listen_to_judged(void *user, sac_model *model, const sac_training_report *report)
{
    audio *h = user;
    (void)model;
    h->last = *report;
    return report->step != h->stop_at;
}

/* A judged training of a line, which stops at step `stop_at` (0: does not) and goes on. */
static void train_judged(size_t stop_at, audio *h, float w[3], float *b)
{
    sac_model *model = create(1);
    sac_training_options options = steps(40);
    judged_class = line_class;
    judged_class.judge = judge;
    judged_class.training.average = 0.75f;
    judged_class.training.judge_every = 5;
    judged_class.training.patience = 2;
    judged = 0;
    model->class = &judged_class;
    *h = (audio){.stop_at = stop_at};
    if (stop_at) {
        assert_int_equal(sac_train(model, &options, listen_to_judged, h, &failure),
                         SAC_E_CANCELLED);
        sac_model_destroy(model);
        OK(sac_checkpoint_create_like(&line_class, device, checkpoint, &options.values, 99, &model,
                                      &failure));
        model->class = &judged_class;
        options = (sac_training_options){
            .values = sac_model_defaults(&line_class), .out = out, .resume = checkpoint};
        *h = (audio){0};
    }
    OK(sac_train(model, &options, listen_to_judged, h, &failure));
    sac_model_destroy(model);
    OK(sac_checkpoint_load(&line_class, device, out, &model, &failure));
    read_weights(model, w, b);
    sac_model_destroy(model);
}

/* The weights that training has after `count` steps, or their running average by hand. */
static void average_by_hand(size_t count, float average[4])
{
    sac_model *model = create(1);
    sac_training_options options = steps(40);
    sac_batch_maker maker;
    sac_batches *batches;
    sac_losses losses;
    float norm, now[4];
    sac_training_resolve(model, &options);
    OK(line_class.batches(model, &options.values, options.batch, 3, &maker, &failure));
    OK(sac_batches_open(&maker, 0, &batches, &failure));
    read_weights(model, average, average + 3);
    for (size_t step = 1; step <= count; step++) {
        float rate = options.rate, warm = options.warm_up, at = (float)step;
        float done = (at - warm) / (40 - warm);
        rate *= at <= warm ? at / warm : 0.02f + 0.98f * 0.5f * (1 + cosf((float)M_PI * done));
        OK(sac_parameters_zero_gradients(&model->parameters, &failure));
        OK(sac_training_step(model, sac_batches_next(batches, &failure), &options.values, rate,
                             options.rate, step, &losses, &norm, &failure));
        read_weights(model, now, now + 3);
        float decay = fminf(0.75f, (1 + at) / (10 + at));
        for (int i = 0; i < 4; i++)
            average[i] += (1 - decay) * (now[i] - average[i]);
    }
    sac_batches_close(batches);
    sac_model_destroy(model);
}

TEST(the_best_average_is_kept_and_training_ends_where_patience_does)
{
    audio h;
    float w[3], b, average[4];
    train_judged(0, &h, w, &b);
    assert_int_equal(h.last.step, 20);
    assert_true(h.last.best == 0.5 && h.last.best_at == 10);
    assert_true(h.last.judged == 0.4375 && h.last.judged_at == 20);
    average_by_hand(10, average);
    for (int i = 0; i < 3; i++)
        assert_float_equal(w[i], average[i], 1e-6);
    assert_float_equal(b, average[3], 1e-6);
}

TEST(a_judged_training_goes_on_to_the_last_bit)
{
    audio h, parts_h;
    float w[3], b, parts_w[3], parts_b;
    train_judged(0, &h, w, &b);
    for (size_t stop_at = 3; stop_at <= 15; stop_at += 4) { /* before and after the best */
        train_judged(stop_at, &parts_h, parts_w, &parts_b);
        assert_memory_equal(w, parts_w, sizeof w);
        assert_memory_equal(&b, &parts_b, sizeof b);
        assert_int_equal(parts_h.last.step, h.last.step);
        assert_int_equal(parts_h.last.best_at, h.last.best_at);
    }
}

/* The figure is that of the file, which is judged once more. */
TEST(a_judged_training_ends_with_the_figure_of_its_file)
{
    audio h = {0};
    sac_model *model = create(1);
    sac_training_options options = steps(40);
    sac_training_outcome outcome;
    options.outcome = &outcome;
    judged_class.figure = "likeness";
    judged_class.training.patience = 2;
    judged = 0;
    model->class = &judged_class;
    OK(sac_train(model, &options, listen_to_judged, &h, &failure));
    assert_string_equal(h.last.figure, "likeness");
    assert_true(h.last.may_end_earlier);
    assert_int_equal(outcome.step, 10); /* the best */
    assert_int_equal(judged, 5);
    assert_true(outcome.figure == judgements[4]);
    sac_model_destroy(model);
    model = create(1);
    OK(sac_train(model, &options, NULL, NULL, &failure));
    assert_true(isnan(outcome.figure));
    sac_model_destroy(model);
}

/* As often as the time asks; what a kill leaves then is what was trained so far. */
static bool look_for_checkpoint(void *user, sac_model *model, const sac_training_report *report)
{
    size_t *saved = user;
    (void)model;
    assert_int_equal(access(checkpoint, R_OK) == 0, report->step > 1 && *saved > 0);
    *saved += report->saves;
    return true;
}

TEST(a_checkpoint_is_saved_as_often_as_its_time_asks)
{
    for (int often = 0; often < 2; often++) {
        size_t saved = 0;
        sac_model *model = create(1);
        sac_training_options options = steps(5);
        options.checkpoint_seconds = often ? 1e-9 : 0;
        OK(sac_train(model, &options, look_for_checkpoint, &saved, &failure));
        assert_int_equal(saved, often ? 4 : 0); /* behind the last step the weights are */
        sac_model_destroy(model);
    }
}

/* Of a training whose steps take a moment, and whose listener and judge 5 and 20 ms each. */
static sac_status judge_slowly(sac_model *model, const sac_model_values *values, double *score,
                               sac_error *error)
{
    (void)model, (void)values, (void)error;
    usleep(20000);
    *score = 0;
    return SAC_OK;
}

static bool listen_slowly(void *user, sac_model *model, const sac_training_report *report)
{
    audio *h = user;
    (void)model;
    usleep(5000);
    if (report->step <= 4)
        assert_true(isnan(report->seconds_left));
    if (report->step == 20)
        h->first = *report;
    h->last = *report;
    return true;
}

TEST(the_time_that_is_left_counts_what_is_done_between_steps)
{
    audio h = {0};
    sac_model *model = create(1);
    sac_training_options options = steps(60);
    judged_class.judge = judge_slowly;
    judged_class.training.patience = 0;
    model->class = &judged_class;
    OK(sac_train(model, &options, listen_slowly, &h, &failure));
    /* 40 listeners and 8 judgements, and not minutes for the kernels of the first step */
    assert_true(h.first.seconds_left > 40 * 0.005 + 8 * 0.02 - 0.01);
    assert_true(h.first.seconds_left < 10);
    assert_true(h.last.seconds_left == 0);
    sac_model_destroy(model);
}

TEST(another_option_than_the_checkpoints_is_refused_by_name)
{
    sac_model *model = create(1);
    OK(sac_checkpoint_save(model, checkpoint, 4, 3,
                           "steps 10 batch 20 rate 0.100000001 offset 0.25", &failure));
    sac_training_options options = steps(10);
    options.resume = checkpoint;
    options.values.value[LINE_OFFSET] = 0.5f;
    options.values.given[LINE_OFFSET] = true;
    REFUSES(SAC_E_ARGUMENT, "…was trained with --offset 0.25, not 0.5…",
            sac_train(model, &options, NULL, NULL, &failure));
    options.values.given[LINE_OFFSET] = false;
    options.batch = 21;
    REFUSES(SAC_E_ARGUMENT, "…was trained with --batch 20, not 21…",
            sac_train(model, &options, NULL, NULL, &failure));
    options.batch = 0;
    OK(sac_train(model, &options, NULL, NULL, &failure));
    sac_model_destroy(model);
    unlink(checkpoint);
}

/* Whatever the metadata holds, it is no reason to ask for all memory. */
TEST(numbers_out_of_reason_are_not_taken_from_a_checkpoint)
{
    static const char *const wild[] = {
        "batch 1e300 rate nan steps -5", "batch", "batch batch batch",
        "offset inf batch -1",           " ",     ""};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        audio h = {0};
        sac_model *model = create(1);
        OK(sac_checkpoint_save(model, checkpoint, 4, 3, wild[i], &failure));
        sac_training_options options = steps(6);
        options.resume = checkpoint;
        OK(sac_train(model, &options, listen, &h, &failure));
        assert_int_equal(h.last.step, 6);
        assert_int_equal(h.last.batch, line_class.training.batch);
        sac_model_destroy(model);
    }
}

TEST(weights_come_back_and_those_of_another_size_are_refused)
{
    float w[3], b, loaded_w[3], loaded_b;
    sac_model *model = create(7), *loaded;
    sac_model_values values = sac_model_defaults(&line_class);
    read_weights(model, w, &b);
    OK(sac_checkpoint_save(model, out, 0, 7, NULL, &failure));
    OK(sac_checkpoint_load(&line_class, device, out, &loaded, &failure));
    read_weights(loaded, loaded_w, &loaded_b);
    assert_memory_equal(w, loaded_w, sizeof w);
    assert_null(loaded->parameters.gradients.buffer);
    sac_model_destroy(loaded);
    sac_model_destroy(model);
    values.value[LINE_WIDTH] = 0;
    OK(line_class.create(device, &values, 7, &model, &failure));
    sac_training_options options = steps(5);
    options.resume = out;
    REFUSES(SAC_E_SHAPE, "…is another line…", sac_train(model, &options, NULL, NULL, &failure));
    sac_model_destroy(model);
}

static bool monitor_step(void *user, sac_model *model, const sac_training_report *report)
{
    OK(sac_monitor_step(user, model, report, &failure));
    return true;
}

TEST(a_model_without_samples_to_show_is_watched_by_its_curve)
{
    sac_monitor *monitor;
    sac_training_snapshot snapshot = {0};
    bool changed;
    sac_model *model = create(1);
    sac_training_options options = steps(3);
    OK(sac_monitor_create(model, "a device", NULL, &monitor, &failure));
    OK(sac_train(model, &options, monitor_step, monitor, &failure));
    OK(sac_monitor_source(monitor).training.look(monitor, 0, &snapshot, &changed, &failure));
    assert_true(changed);
    assert_int_equal(snapshot.points, 3);
    assert_int_equal(snapshot.pictures, 0);
    assert_true(isnan(snapshot.exact[2]));
    sac_training_snapshot_free(&snapshot);
    sac_monitor_destroy(monitor);
    sac_model_destroy(model);
}

/* The curves of a long training begin at once: a point where three seconds went by without one, and while
 * somebody looks what is held out is judged for one, but not for the first, which comes before what takes a second. */
TEST(the_curves_of_a_slow_training_grow_with_the_time)
{
    static sac_model_class judged_for_viewer;
    for (int looks = 0; looks < 2; looks++) {
        sac_monitor *monitor;
        sac_training_snapshot snapshot = {0};
        bool changed;
        float w[3], b, before_w[3], before_b;
        sac_model *model = create(1);
        judged_for_viewer = line_class;
        judged_for_viewer.judge = judge;
        model->class = &judged_for_viewer;
        judged = 0;
        read_weights(model, before_w, &before_b);
        OK(sac_monitor_create(model, "a device", NULL, &monitor, &failure));
        sac_source source = sac_monitor_source(monitor);
        if (looks)
            OK(source.training.look(source.self, 0, &snapshot, &changed, &failure));
        for (size_t step = 1; step <= 3; step++) {
            if (looks && step == 2)
                usleep(2100000); /* reports are two seconds apart */
            OK(sac_monitor_step(monitor, model,
                                &(sac_training_report){.step = step,
                                                       .steps = 100000,
                                                       .figure = "likeness",
                                                       .last = 1,
                                                       .judged = NAN,
                                                       .best = NAN},
                                &failure));
        }
        sac_training_snapshot_free(&snapshot);
        OK(source.training.look(source.self, 0, &snapshot, &changed, &failure));
        assert_int_equal(snapshot.points, 1 + looks);
        assert_int_equal(snapshot.at[looks], 1 + looks);
        assert_int_equal(judged, looks); /* once in so short a time */
        assert_true(isnan(snapshot.exact[0]));
        assert_true(!looks || snapshot.exact[1] == (float)judgements[0]);
        read_weights(model, w, &b);
        assert_memory_equal(w, before_w, sizeof w);
        sac_training_snapshot_free(&snapshot);
        sac_monitor_destroy(monitor);
        sac_model_destroy(model);
    }
}

static int open_all(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || sac_device_open(NULL, &device, NULL) != SAC_OK)
        return -1;
    snprintf(out, sizeof out, "%s/w", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", out);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sac_device_close(device);
    unlink(out);
    unlink(checkpoint);
    return rmdir(folder);
}

TEST_MAIN(open_all, close_all)
