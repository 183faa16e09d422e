/* saccade train: what it writes, how it is stopped and goes on, and what it refuses. */
#include "run.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "images/png_write.h"
#include "json.h"
#include "png_texts.h"
#include "saccade_arrays.h"

static char out[80], checkpoint[96];

static int enter(void **state)
{
    make_folder(state);
    ran.environment[0] = "SACCADE_DEVICE=pocl";
    snprintf(out, sizeof out, "%s", here("w.safetensors"));
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", out);
    return 0;
}

#define IN_FOLDER(name) TEST_WITH(name, enter, remove_folder)

/* A weights' file's metadata under `key`. */
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

IN_FOLDER(weights_and_picture_are_written_and_no_checkpoint_is_left)
{
    const char *png = here("training.png");
    DONE("train", "captioner", "--steps", "2", "--batch", "2", "--seed", "3", "--out", out, "--png",
         png, "--size", "800x500");
    assert_non_null(strstr(ran.out, "captioner, additive: "));
    assert_non_null(strstr(ran.out, "step 2/2  loss "));
    assert_non_null(strstr(ran.out, "wrote "));
    assert_int_equal(folder_count(folder), 2);
    assert_metadata(out, "steps", "2");
    assert_metadata(out, "seed", "3");
    assert_png_text(png, "view", "training");
    assert_png_text(png, "step", "2");
}

/* Of each kind, of the weights that were written. */
IN_FOLDER(the_best_heads_of_a_language_model_are_named_at_its_end)
{
    const char *folder_of_it = here("lm");
    PASSES("train", "language", "--steps", "2", "--layers", "1", "--heads", "2", "--width", "8",
           "--context", "8", "--out", folder_of_it);
    const char *heads = strstr(ran.out, "best heads (layer.head): previous token 0.");
    assert_non_null(heads);
    assert_true(heads > strstr(ran.out, "wrote "));
    assert_non_null(strstr(heads, ", induction 0."));
    assert_non_null(strstr(heads, ", same token 0."));
    assert_non_null(strstr(heads, ", first token 0."));
    DONE("train", "captioner", "--steps", "1", "--batch", "1", "--out", out);
    assert_null(strstr(ran.out, "best heads"));
}

IN_FOLDER(a_mean_of_weights_is_written_and_nothing_is_trained)
{
    const char *other = here("other.safetensors"), *mean = here("mean.safetensors");
    DONE("train", "captioner", "--steps", "1", "--batch", "1", "--out", out);
    DONE("train", "captioner", "--steps", "2", "--batch", "1", "--seed", "4", "--out", other);
    DONE("train", "captioner", "--steps", "0", "--resume", other, "--average", out, "--average",
         other, "--out", mean);
    assert_non_null(strstr(ran.out, "wrote "));
    assert_null(strstr(ran.out, "step "));
    assert_metadata(mean, "steps", "2");
    assert_metadata(mean, "seed", "4");
    assert_int_equal(folder_count(folder), 3);
    FAILS(2, "--average: needs weights to be averaged with; give --resume F too", "train",
          "captioner", "--average", out);
}

IN_FOLDER(an_interrupted_training_saves_a_checkpoint_and_shows_how_to_go_on)
{
    program_run run = ran;
    run.interrupt_after_ms = 200;
    run_saccade(&run, "train", "captioner", "--steps", "10000", "--batch", "1", "--score",
                "bilinear", "--rate", "0.001", "--out", out, NULL);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "saccade: training: stopped on request after step "));
    char advice[512];
    snprintf(advice, sizeof advice, "continue with `saccade train captioner --out %s --resume %s`",
             out, checkpoint);
    assert_non_null(strstr(run.err, advice));
    char *steps = metadata(checkpoint, "steps");
    char next[16];
    snprintf(next, sizeof next, "%d", atoi(steps) + 1);
    free(steps);
    DONE("train", "captioner", "--steps", next, "--out", out, "--resume", checkpoint);
    assert_non_null(strstr(ran.out, "captioner, bilinear: ")); /* the score is the checkpoint's */
    assert_non_null(strstr(ran.out, " steps of 1 scenes"));    /* so is the batch */
    assert_metadata(out, "steps", next);
}

IN_FOLDER(a_terminal_that_closes_saves_a_checkpoint_too)
{
    program_run run = ran;
    run.interrupt_after_ms = 200;
    run.interrupt_signal = SIGHUP;
    run_saccade(&run, "train", "captioner", "--steps", "10000", "--batch", "1", "--out", "a's w",
                NULL);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "saccade: training: stopped on request after step "));
    /* As a shell takes it. */
    assert_non_null(strstr(run.err, "--out 'a'\\''s w' --resume 'a'\\''s w.checkpoint'`"));
    assert_int_equal(access(here("a's w.checkpoint"), R_OK), 0);
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(other_options_than_the_checkpoints_are_refused_by_name)
{
    static const struct {
        const char *option, *value, *what;
    } all[] = {
        {"--seed", "9", "was trained with --seed 3, not 9"},
        {"--batch", "2", "was trained with --batch 1, not 2"},
        {"--rate", "0.5", "was trained with --rate 0.0015, not 0.5"},
        {"--attention-supervision", "0", "was trained with --attention-supervision 0.3, not 0"},
        {"--doubly-stochastic", "0.7", "was trained with --doubly-stochastic 0, not 0.7"},
    };
    program_run first = ran;
    first.interrupt_after_ms = 200;
    run_saccade(&first, "train", "captioner", "--steps", "10000", "--batch", "1", "--seed", "3",
                "--out", out, NULL);
    assert_int_equal(access(checkpoint, R_OK), 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        FAILS_WITH(2, all[i].what, "train", "captioner", "--out", out, "--resume", checkpoint,
                   all[i].option, all[i].value);
    }
}

IN_FOLDER(under_nohup_a_training_goes_on)
{
    program_run run = ran;
    run.ignored_signal = run.interrupt_signal = SIGHUP;
    run.interrupt_after_ms = 100;
    run_saccade(&run, "train", "captioner", "--steps", "2", "--batch", "1", "--out", out, NULL);
    assert_done(&run);
    assert_metadata(out, "steps", "2");
}

IN_FOLDER(without_a_display_a_window_is_refused_before_anything_is_trained)
{
    program_run run = ran;
    run.environment[1] = "DISPLAY";
    run.environment[2] = "WAYLAND_DISPLAY";
    run.environment[3] = "SDL_VIDEODRIVER";
    run_saccade(&run, "train", "captioner", "--view", "--steps", "2", "--batch", "2", "--out", out,
                NULL);
    assert_fails_with(&run, 1, "display: no window can be opened");
    assert_int_equal(folder_count(folder), 0);
}

IN_FOLDER(what_makes_no_sense_is_refused_in_one_line)
{
    REFUSED("train captioner", {2, "--steps: must be at least 1; give 1 or more", {"--steps", "0"}},
            {2, "--batch: is out of range; give 1 to 4096 scenes a step", {"--batch", "0"}},
            {2, "--rate: must be above 0; give a learning rate,…", {"--rate", "0"}},
            {2, "--attention-supervision: …least 0; …", {"--attention-supervision", "-1"}},
            {2, "--doubly-stochastic: must be at least 0; …", {"--doubly-stochastic", "-1"}},
            {2, "--seed: is too …to 4294967295", {"--seed", "4294967296"}},
            {2, "--score: unknown value for the …; give additive,…", {"--score", "gaussian"}});
}

IN_FOLDER(other_models_and_missing_files_are_named)
{
    FAILS(2, "train: needs the name of a model; give captioner,…", "train");
    /* the model's, and not that of a figure */
    FAILS(2, "--width: is 5000; give a whole number from 1 to 4096", "train", "transformer",
          "--width", "5000");
    FAILS(2, "diffuser: …; give captioner, translator, transformer or language", "train",
          "diffuser");
    FAILS_WITH(1, "w.safetensors.checkpoint: ", "train", "captioner", "--resume", checkpoint,
               "--out", out);
    FAILS(2, "--encoder: is missing: …", "train", "captioner", "--pictures", folder);
    FAILS_WITH(1, "/nonexistent/p.pth", "train", "captioner", "--pictures", folder, "--encoder",
               "/nonexistent/p.pth");
    FAILS_WITH(1, "/nonexistent/w.safetensors", "train", "captioner", "--out",
               "/nonexistent/w.safetensors");
}

/* --width is that of a token's vector here, and of a figure in other commands. */
IN_FOLDER(a_language_model_of_ones_own_texts_is_a_folder)
{
    char text[1200];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "abracadabra\n"[i % 12];
    file_write(here("a.txt"), text, sizeof text);
    file_write(here("b.txt"), "xyzzy\n", 6);
    FAILS(2, "--heads: 3 do not divide a width of 8; give a divisor of the width", "train",
          "language", "--text", here("a.txt"), "--width", "8", "--heads", "3");
    FAILS(2, "--tokens: is \"words\"; give characters, bytes, …", "train", "language", "--text",
          here("a.txt"), "--tokens", "words");
    PASSES("train", "language", "--text", here("a.txt"), "--text", here("b.txt"), "--context", "8",
           "--layers", "1", "--heads", "2", "--width", "8", "--steps", "3", "--batch", "2", "--out",
           here("model"));
    assert_non_null(
        strstr(ran.err, "1206 tokens, of which 120 are held out; 9 different ones are known"));
    assert_non_null(strstr(ran.out, "\nstep 3/3  loss "));
    assert_non_null(strstr(ran.out, ": held-out loss "));
    DONE("view", here("model"), "--text", "abra", "--continue", "2", "--json");
    assert_non_null(strstr(ran.out, "\"tokens\":\t[\"a\", \"b\", \"r\", \"a\", "));
}

/* A language model begins as a folder, of which an adapter may learn alone; what is not asked for there is refused. */
IN_FOLDER(a_language_model_begins_as_a_folder_of_others)
{
    static const char from[] = TESTS "/language/data/llama";
    char text[1500];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "the cat sat at the gate. "[i % 25];
    file_write(here("a.txt"), text, sizeof text);
    FAILS(2,
          "--lora: does not count in a training of new weights; give the model that it is for as "
          "--from FOLDER",
          "train", "language", "--lora", "4");
    FAILS(2,
          "--layers: does not count in a training that begins as a folder (--from); leave it out: "
          "the folder has it",
          "train", "language", "--from", from, "--layers", "4");
    FAILS(2, "--lora: is 0; give a whole number from 1 to 256", "train", "language", "--from", from,
          "--lora", "0");
    FAILS(2, "--steps: must be at least 1; give 1 or more", "train", "language", "--steps", "0");
    PASSES("train", "language", "--from", from, "--text", here("a.txt"), "--context", "12",
           "--steps", "0", "--dtype", "float16", "--out", here("same"));
    assert_non_null(strstr(ran.out, "same: held-out loss "));
    PASSES("train", "language", "--from", from, "--text", here("a.txt"), "--context", "12",
           "--lora", "2", "--steps", "3", "--batch", "2", "--out", here("low"));
    assert_non_null(
        strstr(ran.out, "language, llama, 2 layers of 4 heads, 35 tokens, adapter of rank 2: "));
    DONE("view", here("low"), "--text", "the", "--continue", "2", "--json");
    cJSON *json = JSON_OF("evaluate", "language", "--weights", here("same"), "--text",
                          here("a.txt"), "--json");
    const double tokens = number_of(json, "tokens"), loss = number_of(json, "loss");
    assert_true(tokens > 300 && tokens < 1500); /* "the" is one */
    assert_float_equal(number_of(json, "perplexity"), exp(loss), 1e-6 * exp(loss));
    assert_float_equal(number_of(json, "bits_per_byte"),
                       loss * tokens / log(2) / number_of(json, "bytes"), 1e-6);
    cJSON_Delete(json);
    FAILS(2, "--text: is missing; give the text that the model is to predict", "evaluate",
          "language", "--weights", here("same"));
    FAILS(2, "--text: is predicted as a whole, …", "evaluate", "language", "--weights",
          here("same"), "--text", here("a.txt"), "--beam", "2");
    FAILS(2, "--text: works with the language model only; leave it out", "evaluate", "captioner",
          "--text", here("a.txt"));
}

/* Pictures and captions are paired in their order. */
IN_FOLDER(several_sets_of_pictures_are_taken_in_order)
{
    const char *rows = "image,caption\na.jpg,a dog\n";
    file_write(here("a.jpg"), "\xff\xd8\xff\xe0 a jpeg", 11);
    file_write(here("a.csv"), rows, strlen(rows));
    FAILS_WITH(1, "missing.csv: ", "train", "captioner", "--pictures", folder, "--captions",
               here("a.csv"), "--pictures", folder, "--captions", "missing.csv", "--encoder",
               "cnn");
    FAILS(2, "b.csv: is of no --pictures; …", "train", "captioner", "--pictures", folder,
          "--captions", here("a.csv"), "--captions", "b.csv", "--encoder", "cnn");
    FAILS(2, "--captions: does not count in a training on scenes; give --pictures for each set…",
          "train", "captioner", "--captions", "b.csv");
}

/* Each row is refused before anything is opened: the encoder is none. */
IN_FOLDER(options_that_do_not_count_in_a_training_are_refused)
{
#define OWN "--pictures", folder, "--encoder", "/nonexistent/p.pth"
#define NEW "does not count in the training of a new captioner of photographs; "
    REFUSED(
        "train captioner",
        {2,
         "--attention-supervision: is by boxes of what photographs show; give --boxes FILE too, or "
         "leave it out",
         {OWN, "--attention-supervision", "0.3"}},
        {2,
         "--attention-supervision: does not count in …",
         {OWN, "--decoder", "transformer", "--attention-supervision", "0.3"}},
        {2, "--boxes: does not count in a training on scenes; …", {"--boxes", "b.json"}},
        {2, "--reward: " NEW "give --resume F too, weights of …", {OWN, "--reward", "cider"}},
        {2, "--samples: " NEW "give --reward cider too, or …", {OWN, "--samples", "4"}},
        {2, "--all-pairs: " NEW "leave it out, or --pictures", {OWN, "--all-pairs"}},
        {2, "--dataset: " NEW "leave it out, or --pictures", {OWN, "--dataset", "book"}},
        {2,
         "--encoder-rate: " NEW "give --fine-tune N too, or leave it out",
         {OWN, "--encoder-rate", "1e-4"}},
        {2, "--fine-tune: " NEW "give --resume F, weights of …", {OWN, "--fine-tune", "2"}},
        {2,
         "--score: does not count in …; leave it out: weights have …",
         {OWN, "--decoder", "transformer", "--score", "additive"}},
        {2,
         "--doubly-stochastic: does not count in …",
         {OWN, "--decoder", "transformer", "--doubly-stochastic", "1"}},
        {2,
         "--word-dropout: does not count in a training on scenes; leave it out",
         {"--word-dropout", "0.5"}},
        {2, "--decoder: does not count in a training on scenes; …", {"--decoder", "transformer"}},
        {2, "--cache: does not count in a training on scenes; …", {"--cache", "f"}});
    DONE("train", "captioner", "--steps", "1", "--batch", "1", "--out", out);
    FAILS(2, "--word-count: does not count in a training on scenes; …", "train", "captioner",
          "--resume", out, "--word-count", "2");
    FAILS(2, "--pictures: does not count in a training on scenes; …", "train", "captioner",
          "--resume", out, "--pictures", folder);
    FAILS(2, "--rate: does not count in --steps 0, which trains nothing; leave it out", "train",
          "captioner", "--resume", out, "--average", out, "--steps", "0", "--rate", "0.1");
    FAILS(2, "--attention-supervision: does not count in --steps 0 …", "train", "captioner",
          "--resume", out, "--average", out, "--steps", "0", "--attention-supervision", "0.1");
    FAILS(2, "--attention: is given beside --average, whose weights have one already; leave it out",
          "train", "captioner", "--resume", out, "--average", out, "--attention", "sparsemax");
    /* What weights were made with may be given, and has to be that. */
    DONE("train", "captioner", "--resume", out, "--score", "additive", "--steps", "1", "--batch",
         "1", "--out", here("again.safetensors"));
    FAILS_WITH(1, "w.safetensors", "train", "captioner", "--resume", out, "--score", "bilinear",
               "--steps", "1", "--batch", "1", "--out", here("again.safetensors"));
}

/* What `train` writes is opened by its name, and what is missing is asked for. */
IN_FOLDER(weights_that_were_trained_are_opened_for_what_they_are)
{
    static const char table[] = "image,caption\n0.png,a red ball on the left\n1.png,a box\n";
    enum { OWN_WEIGHTS, TRANSLATOR, SHAPES, FILES };
    static const char *const names[FILES] = {"own.safetensors", "translator.safetensors",
                                             "shapes.safetensors"};
    char words[128], pictures[96], scene[112], file[FILES][112], drawn[112];
    for (int i = 0; i < FILES; i++)
        strcpy(file[i], here(names[i]));
    strcpy(drawn, here("drawn.png"));
    snprintf(pictures, sizeof pictures, "%s/own", folder);
    assert_int_equal(mkdir(pictures, 0700), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(scene, sizeof scene, "%s/%d.png", pictures, i);
        snprintf(words, sizeof words, "%d", i);
        DONE("scene", "--seed", words, "--out", scene);
    }
    snprintf(words, sizeof words, "%s/captions.csv", pictures);
    file_write(words, table, strlen(table));
    PASSES("train", "captioner", "--pictures", pictures, "--encoder", "cnn", "--steps", "1",
           "--batch", "2", "--device", "cpu", "--out", file[OWN_WEIGHTS]);
    assert_non_null(strstr(ran.err, "2 pictures")); /* its captions were found */
    PASSES("train", "translator", "--steps", "1", "--batch", "2", "--device", "cpu", "--out",
           file[TRANSLATOR]);
    PASSES("train", "captioner", "--dataset", "shapes", "--steps", "1", "--batch", "2", "--device",
           "cpu", "--out", file[SHAPES]);
#define DRAWN "--device", "cpu", "--size", "640x400", "--out", drawn
    FAILS(2, "…own.safetensors: is a captioner: which picture?; give a picture too…", "view",
          file[OWN_WEIGHTS], DRAWN);
    FAILS(2,
          "…translator.safetensors: is a translator, and sees no pictures; leave out the picture",
          "view", file[TRANSLATOR], scene, DRAWN);
    FAILS(2, "…own.safetensors: is a captioner, given beside --weights; leave out one of the two",
          "view", file[OWN_WEIGHTS], scene, "--weights", file[OWN_WEIGHTS], DRAWN);
    FAILS(2, "…shapes.safetensors: is a second file of this kind, next to …", "view",
          file[OWN_WEIGHTS], file[SHAPES], scene, DRAWN);
    const char *photograph = PICTURES "/garden.png";
    const struct {
        const char *words[3], *view;
    } rows[] = {
        {{file[OWN_WEIGHTS], scene}, "caption"},
        {{file[OWN_WEIGHTS], photograph}, "caption"},
        {{scene, file[OWN_WEIGHTS]}, "caption"},
        {{file[OWN_WEIGHTS], pictures}, "caption"},
        {{file[SHAPES]}, "caption"},
        {{file[TRANSLATOR]}, "translation"},
        {{file[OWN_WEIGHTS], "--take", "encoder.position"}, "matrix"}, /* as arrays, as asked */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const *w = rows[i].words;
        PASSES("view", DRAWN, w[0], w[1], w[1] ? w[2] : NULL);
        assert_png_text(drawn, "view", rows[i].view);
    }
#undef DRAWN
    PASSES("caption", file[OWN_WEIGHTS], scene);
    char generated[1024];
    snprintf(generated, sizeof generated, "%.1000s", ran.out);
    PASSES("caption", scene, "--weights", file[OWN_WEIGHTS]);
    assert_string_equal(ran.out, generated);
    FAILS(2, "…own.safetensors: is a captioner: which picture?; give one too, or --scene N",
          "caption", file[OWN_WEIGHTS]);
    FAILS(2, "…shapes.safetensors: is a second file of weights; give one", "caption",
          file[OWN_WEIGHTS], scene, file[SHAPES]);
    FAILS(2, "…translator.safetensors: is a translator; ask it with `saccade translate --weights`",
          "caption", file[TRANSLATOR], scene);
}

TEST_MAIN(NULL, NULL)
