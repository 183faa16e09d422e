/* src/app/trainer: what can be trained is what `saccade train` trains, and a training goes on while other
 * documents are open, is paused, saved and stopped. */
#include <sys/stat.h>
#include <time.h>

#include "app/document_loader.h"
#include "app/open/open_parts.h"
#include "app/trainer.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "home.h"
#include "images/png_write.h"
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

static sac_training_progress progress_of_source(const sac_source *source)
{
    sac_training_progress progress;
    source->trainer.progress(source->self, &progress);
    return progress;
}

static sac_training_progress progress_of(app_document *document)
{
    const sac_source source = app_trainer_source(document->training);
    return progress_of_source(&source);
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

static void train(app_document *document, const char *offer, size_t steps, const char *out,
                  const char *own)
{
    run(app_load_document_for_view(document, viz_views_find("train"), NULL));
    sac_trainer_source *trainer = &document->trainer->trainer;
    trainer->next = SAC_NEXT_TRAINING;
    trainer->wish = (sac_training_wish){.offer = find(document->trainer, offer), .steps = steps};
    strcpy(trainer->wish.out, out);
    strcpy(trainer->wish.own[0], own);
    trainer->find(document->trainer->self, &trainer->wish);
    run(app_load_reading(document, trainer->wish.offer, NULL));
}

/* The bar has one place of it all: the training, or what can be trained, by turns. */
static void assert_one_place(viz_shell *shell)
{
    static const char *const shown[] = {"training", "train", "training"};
    for (int turn = 0; turn < 3; turn++) {
        int items = 0, item = -1;
        viz_places_list(shell);
        for (int i = 0; i < shell->bar.count; i++)
            if (strncmp(shell->bar.items[i].class->name, "train", 5) == 0) {
                items++;
                item = i;
            }
        assert_int_equal(items, 1);
        assert_string_equal(shell->bar.items[item].class->tab, "Train");
        assert_int_equal(shell->bar.items[item].tab, shell->current);
        assert_string_equal(viz_shell_tab_view(shell)->class->name, shown[turn]);
        if (turn == 0) /* as "train another" does */
            assert_true(viz_places_open(shell, "train"));
        else
            viz_places_choose(shell, item);
    }
}

static void wait_for_end(app_document *document)
{
    sac_training_progress p = progress_of(document);
    for (int i = 0; i < 12000 && p.state != SAC_TRAINING_ENDED; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        p = progress_of(document);
    }
    assert_int_equal(p.state, SAC_TRAINING_ENDED);
    assert_non_null(p.use[0]);
}

TEST_WITH(what_was_trained_is_used_and_trained_on, enter, leave)
{
    app_document document = {0};
    train(&document, "translator", 2, in("w.safetensors"), "");
    assert_one_place(&document.shell);
    wait_for_end(&document);
    assert_string_equal(progress_of(&document).use[0], "Translate with it");
    document.trainer->trainer.next = SAC_NEXT_MORE;
    run(app_load_reading(&document, 0, NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "training");
    assert_string_equal(app_training_wish_made(document.training)->from, in("w.safetensors"));
    wait_for_end(&document);
    assert_int_equal(access(in("w-2.safetensors"), R_OK), 0);
    document.trainer->trainer.next = SAC_NEXT_USE;
    run(app_load_reading(&document, 0, NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "translation");
    assert_string_equal(document.paths[0], in("w-2.safetensors"));
    /* The place is where the training can still be seen. */
    run(app_load_document_for_view(&document, viz_views_find("train"), NULL));
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "training");
    app_document_close(&document);
}

static void write_foxes(void)
{
    FILE *text = fopen(in("own.txt"), "w");
    for (int i = 0; i < 60; i++)
        fprintf(text, "a red fox ran by %d\n", i);
    fclose(text);
}

/* Over the beginning of its text, which for heads comes twice. */
TEST_WITH(a_language_model_goes_on_with_its_text_and_its_heads_are_seen, enter, leave)
{
    static const char *const shown[] = {"next", "heads"};
    app_document document = {0};
    write_foxes();
    train(&document, "language: own text", 2, in("lm"), in("own.txt"));
    wait_for_end(&document);
    sac_training_progress p = progress_of(&document);
    assert_string_equal(p.use[0], "Continue a text with it");
    assert_string_equal(p.use[1], "See its heads");
    assert_non_null(document.trainer->training.moment);
    sac_training_moment moment;
    OK(document.trainer->training.moment(document.trainer->self, 1, &moment, NULL));
    assert_true(moment.step == 1 && moment.heads->weights.layers == 4);
    sac_training_moment_free(&moment);
    for (int use = 0; use < 2; use++) {
        run(app_load_document_for_view(&document, viz_views_find("train"), NULL));
        document.trainer->trainer.next = SAC_NEXT_USE;
        document.trainer->trainer.use = use;
        run(app_load_reading(&document, 0, NULL));
        assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, shown[use]);
        assert_string_equal(document.paths[0], in("lm"));
        const sac_labels *labels = sac_source_position_labels(document.weights, 0);
        assert_true(labels->count > 40 && strcmp(labels->text[0], "a") == 0);
        assert_int_equal(strcmp(labels->text[16], "a") == 0,
                         use); /* "a red fox ran by" once more */
    }
    app_document_close(&document);
}

/* Two steps on the thread that asks; `asked`: what a person wants behind the first one. */
typedef struct command {
    sac_model *model;
    sac_monitor *monitor;
    app_training *training;
    sac_training_order asked;
} command;

static bool step_of_command(void *user, sac_model *model, const sac_training_report *r)
{
    const command *c = user;
    const sac_source source = app_trainer_source(c->training);
    OK(sac_monitor_step(c->monitor, model, r, NULL));
    assert_true(progress_of_source(&source).outlives);
    if (r->step == 1)
        source.trainer.order(source.self, c->asked);
    if (r->step == 1 && c->asked == SAC_TRAINING_PAUSE) {
        assert_int_equal(progress_of_source(&source).state, SAC_TRAINING_RESTS);
        app_training_leave_alone(c->training); /* or this step would wait for ever */
    }
    return app_training_step(c->training, model, r);
}

/* Stopped, it leaves a checkpoint; paused, and its window closed, it goes on; and what it made is used, with the text
 * of the command. */
TEST_WITH(the_training_of_a_command_is_steered_and_used, enter, leave)
{
    const sac_model_class *class = sac_model_find("language");
    app_document document = {0};
    sac_device *device;
    write_foxes();
    OK(sac_device_open(NULL, &device, NULL));
    for (int i = 0; i < 2; i++) {
        command c = {.asked = i ? SAC_TRAINING_PAUSE : SAC_TRAINING_STOP};
        sac_training_outcome outcome;
        sac_training_options options = {
            .steps = 2, .out = "lm", .values = sac_model_defaults(class), .outcome = &outcome};
        const int text = sac_model_option_find(class, "text");
        options.values.text[0][text] = "own.txt";
        options.values.given[text] = true;
        const int context = sac_model_option_find(class, "context");
        options.values.value[context] = 12;
        options.values.given[context] = true;
        OK(sac_training_create(class, device, &options, &c.model, NULL));
        sac_training_options settled = options;
        OK(sac_training_prepare(c.model, &settled, NULL));
        OK(sac_monitor_create(c.model, "a device", NULL, &c.monitor, NULL));
        OK(app_training_of_command(c.model, &options, c.monitor, &c.training, NULL));
        sac_error error = {0};
        const sac_status status = sac_train(c.model, &options, step_of_command, &c, &error);
        sac_monitor_end(c.monitor);
        app_training_end(c.training, status, &error);
        assert_int_equal(status, i ? SAC_OK : SAC_E_CANCELLED);
        assert_int_equal(access(in("lm.checkpoint"), R_OK), i ? -1 : 0);
        if (i) {
            const app_request request = {.trains = true, .tab = "training", .windowless = true};
            document.training = app_training_retain(c.training);
            OK(app_open(&document, &request, NULL));
            const sac_training_progress p = progress_of(&document);
            assert_int_equal(p.state, SAC_TRAINING_ENDED);
            assert_string_equal(p.use[0], "Continue a text with it");
            document.trainer->trainer.next =
                SAC_NEXT_MORE; /* by its options, the context among them */
            run(app_load_reading(&document, 0, NULL));
            wait_for_end(&document);
            assert_int_equal(access(in("lm-2/model.safetensors"), R_OK), 0);
            document.trainer->trainer.next = SAC_NEXT_USE;
            run(app_load_reading(&document, 0, NULL));
            assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "next");
            assert_string_equal(sac_source_position_labels(document.weights, 0)->text[0], "a");
            app_document_close(&document);
        }
        app_training_release(c.training);
        sac_monitor_destroy(c.monitor);
        sac_model_destroy(c.model);
    }
    sac_device_close(device);
}

/* Two pictures with captions in German; what the command prints of them is noted. */
TEST_WITH(own_pictures_are_captioned_by_what_they_trained, enter, leave)
{
    app_document document = {0};
    sac_image image;
    assert_int_equal(mkdir(in("own"), 0700), 0);
    for (int i = 0; i < 2; i++) {
        OK(sac_image_create(40, 30, &image, NULL));
        memset(image.rgba, i ? 200 : 60, 4 * 40 * 30);
        OK(sac_png_save(in(i ? "own/b.png" : "own/a.png"), &image, NULL, 0, NULL));
        sac_image_free(&image);
    }
    FILE *table = fopen(in("own/captions.csv"), "w");
    fputs("image,caption\na.png,ein Ball links\nb.png,ein Ball rechts\nc.png,ein Haus\n", table);
    fclose(table);
    train(&document, "captioner: own pictures", 2, in("w.safetensors"), in("own"));
    assert_string_equal(app_training_wish_made(document.training)->own[1], in("own/captions.csv"));
    wait_for_end(&document);
    sac_training_progress p = progress_of(&document);
    assert_string_equal(p.use[0], "Caption with it");
    assert_non_null(strstr(p.notes, "captions: are not English"));
    assert_non_null(strstr(p.notes, "no picture is mirrored"));
    assert_non_null(
        strstr(p.notes, "pictures that captions name and the folder does not have: c.png"));
    document.trainer->trainer.next = SAC_NEXT_USE;
    viz_opening *opening = app_load_reading(&document, 0, NULL);
    assert_string_equal(opening->asks, "w.safetensors is a captioner: which picture?");
    assert_string_equal(opening->asks_in, in("own"));
    run(opening); /* the pictures that it learnt from meanwhile */
    assert_string_equal(viz_shell_tab_view(&document.shell)->class->name, "caption");
    assert_int_equal(document.caption->picture.count, 2);
    const char *answer = in("own/b.png"); /* the answer is captioned by the same */
    run(app_load_files(&document, &answer, 1, NULL));
    assert_string_equal(document.paths[0], in("w.safetensors"));
    assert_string_equal(document.paths[1], answer);
    assert_non_null(document.caption);
    /* By themselves, as Open gives them, a sample stands there and a picture is asked for. */
    const char *weights = in("w.safetensors");
    opening = app_load_files(&document, &weights, 1, NULL);
    sac_error error = {0};
    if (opening->open(opening, &error) != SAC_OK)
        fail_msg("%s", error.what);
    assert_string_equal(opening->asks, "w.safetensors is a captioner: which picture?");
    opening->take(opening);
    opening->destroy(opening);
    assert_non_null(document.caption);
    char about[VIZ_ABOUT_SIZE];
    assert_int_equal(app_describe_path(weights, about), VIZ_OPENS);
    assert_string_equal(about, "captioner");
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
