/* saccade train: what it writes, how it is stopped and goes on, and what it refuses. */
#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "images/png_write.h"
#include "png_says.h"
#include "saccade.h"

typedef struct room {
    char folder[64];
    const char *out, *checkpoint;
} room;

static int enter(void **state)
{
    room *r = calloc(1, sizeof *r);
    assert_non_null(r);
    folder_create(r->folder);
    r->out = strdup(in_folder(r->folder, "w.safetensors"));
    r->checkpoint = strdup(in_folder(r->folder, "w.safetensors.checkpoint"));
    *state = r;
    return 0;
}

static int leave(void **state)
{
    room *r = *state;
    folder_remove(r->folder);
    free((char *)r->out);
    free((char *)r->checkpoint);
    free(r);
    return 0;
}

static program_run on_pocl(void)
{
    return (program_run){.environment = {"SACCADE_DEVICE=pocl"}};
}

/* What a weights' file says of itself under `key`. */
static char *metadata(const char *path, const char *key)
{
    sac_arrays *file;
    sac_error error = {0};
    if (sac_arrays_open(path, &file, &error) != SAC_OK)
        fail_msg("%s: %s", error.where, error.what);
    const char *text = sac_arrays_metadata(file, key);
    char *copy = strdup(text ? text : "");
    sac_arrays_close(file);
    return copy;
}

static void assert_metadata(const char *path, const char *key, const char *wanted)
{
    char *text = metadata(path, key);
    assert_string_equal(text, wanted);
    free(text);
}

TEST_WITH(weights_and_picture_are_written_and_no_checkpoint_is_left, enter, leave)
{
    room *r = *state;
    const char *png = in_folder(r->folder, "training.png");
    program_run run = on_pocl();
    run_saccade(&run, "train", "captioner", "--steps", "2", "--batch", "2", "--seed", "3", "--out",
                r->out, "--png", png, "--size", "800x500", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "captioner, additive: "));
    assert_non_null(strstr(run.out, "step 2/2  loss "));
    assert_non_null(strstr(run.out, "wrote "));
    assert_int_equal(folder_count(r->folder), 2);
    assert_metadata(r->out, "steps", "2");
    assert_metadata(r->out, "seed", "3");
    assert_png_says(png, "view", "training");
    assert_png_says(png, "step", "2");
}

TEST_WITH(an_interrupted_training_saves_a_checkpoint_and_tells_how_to_go_on, enter, leave)
{
    room *r = *state;
    program_run run = on_pocl(), again = on_pocl();
    run.interrupt_after_ms = 200;
    run_saccade(&run, "train", "captioner", "--steps", "10000", "--batch", "1", "--score",
                "bilinear", "--rate", "0.001", "--out", r->out, NULL);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "saccade: training: stopped on request after step "));
    char advice[512];
    snprintf(advice, sizeof advice, "continue with `saccade train captioner --out %s --resume %s`",
             r->out, r->checkpoint);
    assert_non_null(strstr(run.err, advice));
    char *steps = metadata(r->checkpoint, "steps");
    char next[16];
    snprintf(next, sizeof next, "%d", atoi(steps) + 1);
    free(steps);
    run_saccade(&again, "train", "captioner", "--steps", next, "--out", r->out, "--resume",
                r->checkpoint, NULL);
    assert_done(&again);
    assert_non_null(strstr(again.out, "captioner, bilinear: ")); /* the score is the checkpoint's */
    assert_non_null(strstr(again.out, " steps of 1 scenes"));    /* so is the batch */
    assert_metadata(r->out, "steps", next);
}

TEST_WITH(a_terminal_that_closes_saves_a_checkpoint_too, enter, leave)
{
    room *r = *state;
    program_run run = on_pocl();
    run.interrupt_after_ms = 200;
    run.interrupt_signal = SIGHUP;
    run.folder = r->folder;
    run_saccade(&run, "train", "captioner", "--steps", "10000", "--batch", "1", "--out", "a's w",
                NULL);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "saccade: training: stopped on request after step "));
    /* As a shell takes it. */
    assert_non_null(strstr(run.err, "--out 'a'\\''s w' --resume 'a'\\''s w.checkpoint'`"));
    assert_int_equal(access(in_folder(r->folder, "a's w.checkpoint"), R_OK), 0);
    assert_int_equal(folder_count(r->folder), 1);
}

TEST_WITH(other_options_than_the_checkpoints_are_refused_by_name, enter, leave)
{
    room *r = *state;
    static const struct {
        const char *option, *value, *what;
    } all[] = {
        {"--seed", "9", "was trained with --seed 3, not 9"},
        {"--batch", "2", "was trained with --batch 1, not 2"},
        {"--rate", "0.5", "was trained with --rate 0.0015, not 0.5"},
        {"--attention-supervision", "0", "was trained with --attention-supervision 0.3, not 0"},
        {"--doubly-stochastic", "0.7", "was trained with --doubly-stochastic 0, not 0.7"},
    };
    program_run first = on_pocl();
    first.interrupt_after_ms = 200;
    run_saccade(&first, "train", "captioner", "--steps", "10000", "--batch", "1", "--seed", "3",
                "--out", r->out, NULL);
    assert_int_equal(access(r->checkpoint, R_OK), 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        program_run run = on_pocl();
        run_saccade(&run, "train", "captioner", "--out", r->out, "--resume", r->checkpoint,
                    all[i].option, all[i].value, NULL);
        assert_fails_saying(&run, 2, all[i].what);
    }
}

TEST_WITH(under_nohup_a_training_goes_on, enter, leave)
{
    room *r = *state;
    program_run run = on_pocl();
    run.ignored_signal = run.interrupt_signal = SIGHUP;
    run.interrupt_after_ms = 100;
    run_saccade(&run, "train", "captioner", "--steps", "2", "--batch", "1", "--out", r->out, NULL);
    assert_done(&run);
    assert_metadata(r->out, "steps", "2");
}

TEST_WITH(without_a_display_a_window_is_refused_before_anything_is_trained, enter, leave)
{
    room *r = *state;
    program_run run = on_pocl();
    run.environment[1] = "DISPLAY";
    run.environment[2] = "WAYLAND_DISPLAY";
    run.environment[3] = "SDL_VIDEODRIVER";
    run_saccade(&run, "train", "captioner", "--view", "--steps", "2", "--batch", "2", "--out",
                r->out, NULL);
    assert_fails_saying(&run, 1, "display: no window can be opened");
    assert_int_equal(folder_count(r->folder), 0);
}

TEST(what_makes_no_sense_is_refused_in_one_line)
{
    static const struct {
        const char *option, *value, *line;
    } all[] = {
        {"--steps", "0", "--steps: must be at least 1; give 1 or more"},
        {"--batch", "0", "--batch: is out of range; give 1 to 4096 scenes a step"},
        {"--rate", "0", "--rate: must be above 0; give a learning rate, such as 0.002"},
        {"--attention-supervision", "-1",
         "--attention-supervision: must be at least 0; give the weight of that loss; 0: none"},
        {"--doubly-stochastic", "-1",
         "--doubly-stochastic: must be at least 0; give the weight of that loss; 0: none"},
        {"--seed", "4294967296", "--seed: is too large; give a number from 0 to 4294967295"},
        {"--score", "gaussian",
         "--score: unknown value for the captioner; give additive, scaled-dot or bilinear"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        program_run run = on_pocl();
        run_saccade(&run, "train", "captioner", all[i].option, all[i].value, NULL);
        assert_fails(&run, 2, all[i].line);
    }
}

TEST_WITH(other_models_and_missing_files_are_named, enter, leave)
{
    room *r = *state;
    program_run nothing = on_pocl(), model = on_pocl(), missing = on_pocl(), nowhere = on_pocl();
    run_saccade(&nothing, "train", NULL);
    assert_fails(&nothing, 2,
                 "train: needs the name of a model; give captioner, translator or transformer");
    run_saccade(&model, "train", "diffuser", NULL);
    assert_fails(
        &model, 2,
        "diffuser: is not a model that can be trained; give captioner, translator or transformer");
    run_saccade(&missing, "train", "captioner", "--resume", r->checkpoint, "--out", r->out, NULL);
    assert_fails_saying(&missing, 1, "w.safetensors.checkpoint: ");
    run_saccade(&nowhere, "train", "captioner", "--out", "/nonexistent/w.safetensors", NULL);
    assert_fails_saying(&nowhere, 1, "/nonexistent/w.safetensors");
}

TEST_MAIN(NULL, NULL)
