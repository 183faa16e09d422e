/* src/app/trainer: what can be trained is what `saccade train` trains, and a training goes on while other
 * documents are open, is paused, saved and stopped. */
#include <time.h>

#include "app/document_loader.h"
#include "app/trainer.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "home.h"
#include "table/models.h"

static int enter(void **state)
{
    return make_home(state) || chdir(home) != 0;
}

static int leave(void **state)
{
    return chdir("/") != 0 || remove_home(state);
}

/* The number of the offer of that name. */
static int find(const sac_source *source, const char *name)
{
    for (int i = 0; i < source->trainer.count; i++)
        if (strcmp(source->trainer.offers[i].name, name) == 0)
            return i;
    fail_msg("%s is not offered", name);
    return 0;
}

TEST_WITH(each_model_and_each_of_its_datasets_is_offered, enter, leave)
{
    sac_source source = app_trainer_source(NULL);
    char text[4096];
    for (int i = 0; sac_models[i]; i++) {
        bool offered = false;
        for (int k = 0; k < source.trainer.count; k++)
            offered |= strncmp(source.trainer.offers[k].name, sac_models[i]->name,
                               strlen(sac_models[i]->name)) == 0;
        assert_true(offered);
    }
    sac_training_wish wish = {.offer = find(&source, "captioner: book"), .steps = 7};
    strcpy(wish.out, "a file.safetensors");
    assert_string_equal(source.trainer.command(NULL, &wish, text, sizeof text),
                        "saccade train captioner --dataset book --steps 7 --out "
                        "'a file.safetensors' --view");
}

TEST_WITH(nothing_is_replaced_unasked, enter, leave)
{
    sac_source source = app_trainer_source(NULL);
    sac_training_wish wish = {.offer = find(&source, "translator"), .steps = 7};
    char problem[512], first[SAC_TRAINING_PATH];
    bool exists;
    source.trainer.propose(NULL, &wish, wish.out);
    assert_true(source.trainer.check(NULL, &wish, &exists, problem, sizeof problem));
    fclose(fopen(wish.out, "w"));
    assert_false(source.trainer.check(NULL, &wish, &exists, problem, sizeof problem));
    assert_true(exists);
    strcpy(first, wish.out);
    source.trainer.propose(NULL, &wish, wish.out);
    assert_string_not_equal(wish.out, first);
    strcpy(wish.out, "/no/such folder/w.safetensors");
    assert_false(source.trainer.check(NULL, &wish, &exists, problem, sizeof problem));
    assert_false(exists);
    wish.offer = find(&source, "captioner: own pictures");
    assert_false(source.trainer.check(NULL, &wish, &exists, problem, sizeof problem));
    wish.offer = find(&source, "translator: own pairs");
    assert_false(source.trainer.check(NULL, &wish, &exists, problem, sizeof problem));
    assert_string_equal(problem, "choose the file of sentence pairs first");
    strcpy(wish.own[0], "de en.tsv");
    source.trainer.propose(NULL, &wish, wish.out);
    assert_true(source.trainer.check(NULL, &wish, &exists, problem, sizeof problem));
    source.trainer.command(NULL, &wish, problem, sizeof problem);
    assert_non_null(strstr(problem, "saccade train translator --pairs 'de en.tsv' --steps "));
}

/* What the window does with an opening; takes it over. */
static void run(viz_opening *opening)
{
    sac_error error = {0};
    assert_non_null(opening);
    if (opening->open(opening, &error) != SAC_OK)
        fail_msg("%s", error.what);
    opening->take(opening);
    opening->destroy(opening);
}

static sac_training_progress progress_of(app_document *document)
{
    sac_training_progress progress;
    sac_source source = app_trainer_source(document->training);
    source.trainer.progress(source.self, &progress);
    return progress;
}

static void wait_for(app_document *document, size_t step, sac_training_state state)
{
    for (int i = 0; i < 12000; i++) {
        sac_training_progress p = progress_of(document);
        if (p.step >= step && p.state == state)
            return;
        if (p.state == SAC_TRAINING_ENDED)
            fail_msg("it has ended: %s", p.message);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail_msg("step %zu does not come", step);
}

TEST_WITH(a_training_goes_on_beside_what_is_looked_at, enter, leave)
{
    app_document document = {0};
    const viz_view_class *train = viz_views_find("train");
    run(app_load_document_for_view(&document, train, NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "train");
    sac_training_wish *wish = &document.trainer->trainer.wish;
    *wish = (sac_training_wish){.offer = find(document.trainer, "translator"), .steps = 5000};
    strcpy(wish->out, in("w.safetensors"));
    run(app_load_reading(&document, wish->offer, NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "training");
    wait_for(&document, 1, SAC_TRAINING_RUNS);
    assert_int_equal(access(in("w.safetensors"), F_OK), -1); /* not before it is started */

    run(app_load_document_for_view(&document, viz_views_find("lesson"),
                                   NULL)); /* another document */
    assert_null(document.trainer);
    wait_for(&document, progress_of(&document).step + 1, SAC_TRAINING_RUNS);

    run(app_load_document_for_view(&document, train, NULL));
    assert_non_null(viz_shell_find(&document.shell, "training"));
    sac_trainer_source *steer = &document.trainer->trainer;
    void *self = document.trainer->self;
    steer->order(self, SAC_TRAINING_PAUSE);
    wait_for(&document, 1, SAC_TRAINING_RESTS);
    steer->order(self, SAC_TRAINING_SAVE);
    for (int i = 0; i < 1000 && access(in("w.safetensors"), F_OK) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_int_equal(access(in("w.safetensors"), F_OK), 0);
    steer->order(self, SAC_TRAINING_STOP);
    for (int i = 0; i < 1000 && progress_of(&document).state != SAC_TRAINING_ENDED; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_int_equal(progress_of(&document).state, SAC_TRAINING_ENDED);
    assert_int_equal(access(in("w.safetensors.checkpoint"), F_OK), 0);
    app_document_close(&document);
}

/* As where a window is closed while a driver compiles, and nothing of it can be freed. */
TEST_WITH(a_training_that_is_stopped_leaves_its_checkpoint, enter, leave)
{
    sac_source source = app_trainer_source(NULL);
    sac_training_wish wish = {.offer = find(&source, "translator"), .steps = 5000};
    app_document document = {0};
    app_training_stop(NULL, 1);
    strcpy(wish.out, in("w.safetensors"));
    OK(app_training_begin(&wish, NULL, &document.training, NULL));
    wait_for(&document, 1, SAC_TRAINING_RUNS);
    app_training_stop(document.training, 60);
    assert_true(app_training_has_ended(document.training));
    assert_int_equal(access(in("w.safetensors"), F_OK), 0);
    assert_int_equal(access(in("w.safetensors.checkpoint"), F_OK), 0);
    app_training_release(document.training);
}

int main(void)
{
    int failed = viz_text_open(NULL) != SAC_OK || test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
