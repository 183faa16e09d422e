/* A translator in the training loop: it learns, and what is shown of it is its alignment. */
#include <unistd.h>

#include "models/checkpoint.h"
#include "models/monitor.h"
#include "on_device.h"
#include "saccade_arrays.h"
#include "status.h"
#include "test.h"
#include "translator/translator.h"

enum { STEPS = 40, SIZE = 16 };

static sac_model *create(bool attends)
{
    sac_translator *made;
    sac_translator_shape shape;
    OK(sac_translator_default_shape(SAC_SCORE_ADDITIVE, attends, &shape, &failure));
    shape.attention = shape.hidden = shape.embedding = 32;
    OK(sac_translator_make(&sac_translator_class, device, &shape, true, 3, &made, &failure));
    return &made->base;
}

typedef struct watching {
    sac_monitor *monitor;
    float first, last;
} watching;

static bool report(void *user, sac_model *model, const sac_training_report *r)
{
    watching *w = user;
    w->first = r->step == 1 ? r->last : w->first;
    w->last = r->last;
    OK(sac_monitor_step(w->monitor, model, r, &failure));
    return true;
}

/* Trains into a file of its own and gives the last picture of it; free with
 * sac_training_snapshot_free. */
static watching train(bool attends, sac_training_snapshot *snapshot)
{
    char path[] = "/tmp/saccade-translator-XXXXXX";
    bool changed;
    watching w = {0};
    sac_model *model = create(attends);
    sac_training_options options = {.steps = STEPS,
                                    .batch = SIZE,
                                    .rate = 5e-3f,
                                    .values = sac_model_defaults(&sac_translator_class),
                                    .out = path};
    close(mkstemp(path));
    OK(sac_monitor_create(model, "here", NULL, &w.monitor, &failure));
    OK(sac_train(model, &options, report, &w, &failure));
    sac_source source = sac_monitor_source(w.monitor);
    OK(source.training.look(source.self, 0, snapshot, &changed, &failure));
    assert_true(changed);
    sac_monitor_destroy(w.monitor);
    sac_model_destroy(model);
    unlink(path);
    return w;
}

TEST(the_loss_falls_and_the_alignment_is_shown)
{
    sac_training_snapshot snapshot;
    watching w = train(true, &snapshot);
    assert_true(w.last < 0.8f * w.first);
    assert_true(snapshot.pictures > 0);
    for (int i = 0; i < snapshot.pictures; i++) {
        const sac_result *c = &snapshot.picture[i].caption;
        assert_null(snapshot.picture[i].image.rgba); /* it sees none */
        assert_true(snapshot.picture[i].truth[0] != 0);
        assert_non_null(c->positions);
        assert_true(c->grid_w >= 3 && c->grid_h == 1 && c->count > 0);
    }
    sac_training_snapshot_free(&snapshot);
}

TEST(without_attention_it_learns_too)
{
    sac_training_snapshot snapshot;
    watching w = train(false, &snapshot);
    assert_true(w.last < 0.8f * w.first);
    sac_training_snapshot_free(&snapshot);
}

/* A file has whether its model attends: it is not taken for another of the same sizes. */
TEST(weights_come_back_as_the_model_they_were)
{
    char path[] = "/tmp/saccade-translator-XXXXXX", text[32];
    sac_model *model = create(false), *back, *other = create(true);
    sac_arrays *file;
    close(mkstemp(path));
    OK(sac_checkpoint_save(model, path, 0, 3, NULL, &failure));
    OK(sac_checkpoint_load(&sac_translator_class, device, path, &back, &failure));
    back->class->describe_short(back, text, sizeof text);
    assert_string_equal(text, "no attention");
    OK(sac_arrays_open(path, &file, &failure));
    OK(model->class->check(back, file, path, &failure));
    assert_int_equal(model->class->check(other, file, path, &failure), SAC_E_SHAPE);
    sac_arrays_close(file);
    sac_model_destroy(model);
    sac_model_destroy(back);
    sac_model_destroy(other);
    unlink(path);
}

TEST_MAIN(open_device, close_device)
