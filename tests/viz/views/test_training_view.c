/* viz/views/training: how a training that is watched is followed, and what a person can do to it. */
#include "view_rows.h"

#include "status.h"
#include "training/training_state.h"

#define LONGEST 14 /* words, of what the source gives */

static void lose(one_view *v)
{
    v->training.fails = true;
}

static void mend(one_view *v)
{
    v->training.fails = false;
}

static void go_on(one_view *v)
{
    v->training.step += 100;
}

static void end(one_view *v)
{
    v->training.step += 100;
    v->training.has_ended = true;
}

static void rest(one_view *v);
static void finish(one_view *v);
static void break_off(one_view *v);
static void write_on(one_view *v);

static const view_call view_calls[] = {
    {"lose", lose},     {"mend", mend},       {"on", go_on},         {"end", end}, {"rest", rest},
    {"finish", finish}, {"break", break_off}, {"written", write_on}, {0}};

static void is_at_its_beginning(one_view *v)
{
    v->training.step = v->training.points = 0;
    memset(v->training.generated, 0, sizeof v->training.generated);
}

static void reads(one_view *v)
{
    v->training.reads = true;
}

static int pixels_of(const viz_canvas *canvas, viz_rect r, viz_color color)
{
    viz_pixels p = viz_to_pixels(canvas, r);
    int count = 0;
    for (int y = p.y0; y < p.y1; y++)
        for (int x = p.x0; x < p.x1; x++)
            count += memcmp(canvas->rgba + 4 * (y * canvas->width + x), &color, 3) == 0;
    return count;
}

/* ---------------------------------------------------------------- following the training */

VIEW_ROWS(
    "training", the_training_is_followed_until_it_has_ended,
    {"", "calls=1; word=13; step=1200"}, /* a still looks once: all was generated */
    {"wait 0.1", "calls=1; playing=yes"}, {"wait 0.1 call on wait 0.3", "step=1300"},
    {"wait 0.1 call end wait 0.3", "step=1300; status=the training was stopped  ·  no device"},
    {"wait 0.1 call end wait 1 call on wait 5", "step=1300"},
    {"wait 0.1 call lose call on wait 0.5", "drawn~out of memory to show it; step=1200"},
    {"wait 0.1 call lose call on wait 0.5 call mend wait 0.5", "drawn!~out of memory; step=1300"},
    {"", "drawn~waiting for the first step; drawn~captions exactly right", is_at_its_beginning},
    {"size 800x526",
     "tips~The loss; tips~The share of captions; tips~How far; tips~pictures with captions; "
     "tips~How long; tips~ords"})

static void judges(one_view *v)
{
    static const float curve[] = {0.05f, 0.42f, 0.634f};
    v->training.figure = "CIDEr-D";
    v->training.several = true;
    v->training.curve = curve;
    v->training.points = 3;
}

/* The figure by its name, times 100, on an axis that has room for it. */
VIEW_ROWS("training", what_is_judged_is_drawn_by_its_name,
          {"", "drawn~CIDEr-D × 100; drawn~63.4; drawn~50", judges},
          {"", "tips~no person's caption has it; tips~One of the captions; tips~How like", judges})

static void writes(one_view *v)
{
    static const float curve[] = {4.1f, 3.2f, 2.634f};
    v->training.figure = "held-out loss";
    v->training.writes = true;
    v->training.curve = curve;
    v->training.points = 3;
}

/* In the place of pictures, beside the loss and that of what is held out, which is written as it is. */
VIEW_ROWS(
    "training", what_a_model_writes_is_drawn,
    {"", "drawn~what it writes now; drawn~the first line of it; drawn~and the second", writes},
    {"", "drawn~held-out loss; drawn~2.634; drawn!~263; drawn!~× 100; drawn!~heads after", writes},
    {"", "drawn!~captions exactly right; drawn!~hold; drawn~PNG", writes},
    {"size 640x400", "drawn~the first line of it; drawn~held-out loss", writes},
    {"size 480x640", "drawn~the first line of it; drawn~held-out loss", writes},
    {"", "tips~the same seed each; tips~last tenth of the text; tips!~Hold this word", writes})

/* As in a window, whose training the source steers. */
static void is_steered(one_view *v)
{
    sac_source trainer;
    fake_trainer_open(&trainer);
    v->training.source.trainer = trainer.trainer;
    fake_order = -1;
    fake_progress = (sac_training_progress){.state = SAC_TRAINING_RUNS,
                                            .out = "/home/me/w.safetensors",
                                            .notes = "captions: are not English\n"
                                                     "left out: 1 pictures without a caption"};
}

static void has_heads(one_view *v)
{
    writes(v);
    v->training.heads = true;
}

static void has_late_heads(one_view *v)
{
    has_heads(v);
    v->training.first_kept = 800;
}

static void has_heads_in_a_window(one_view *v)
{
    has_heads(v);
    is_steered(v);
}

/* The newest step, the best induction head, the scores of the best of each kind. */
VIEW_ROWS("training", heads_are_seen_over_tokens_that_come_twice,
          {"",
           "drawn~heads after step 1200, on 4 tokens; drawn~layer 1, head 1; drawn~0.80; "
           "drawn~induction  1.1; drawn~previous token  0.0; drawn~held-out loss; drawn!~A − B",
           has_heads},
          {"wait 0.1 call on wait 0.5", "drawn~heads after step 1300; shown step=0", has_heads},
          {"size 640x400", "drawn~after step; drawn~previous token; drawn~the first line of it",
           has_heads},
          {"size 480x640", "drawn~heads after step; drawn~induction; drawn~the first line of it",
           has_heads},
          {"size 640x400 wait 0.1", "drawn~induction; drawn~pause", has_heads_in_a_window},
          {"",
           "tips~Where this head looks; tips~the token before; tips~induction; tips~by step; "
           "tips~the last tenth",
           has_heads},
          {"press <Where this head looks>#1",
           "chosen head=0; drawn~layer 0, head 0; drawn~induction  0.0", has_heads},
          {"press <How much these heads>", "chosen head=0", has_heads},
          {"press <How much they look at what>", "chosen head=4", has_heads},
          {"n", "chosen head=5", has_heads}, {"n n", "chosen head=0", has_heads},
          {"p", "chosen head=3", has_heads}, {"up", "chosen head=1", has_heads},
          {"up down", "chosen head=4", has_heads},
          {"move <The chosen head: a row>@0.4,0.9", "drawn~“d” → “d”  0.05; drawn!~layer 1, head 1",
           has_heads},
          {"move <The chosen head: a row>@0.55,0.95",
           "drawn~“d” → “a”  0.2; drawn!~layer 1, head 1", has_heads},
          /* after the query there is nothing to be seen */
          {"move <The chosen head: a row>@0.9,0.1", "drawn~layer 1, head 1", has_heads})

/* Every step that is kept can be seen again, with what was written by then. */
VIEW_ROWS("training", heads_are_seen_at_a_step_before,
          {"left",
           "shown step=1080; drawn~heads after step 1080; drawn~written by then: 1080; "
           "drawn~what it wrote by step 1080; drawn~go on",
           has_heads},
          {"left left left", "shown step=840; drawn~heads after step 840", has_heads},
          {"left right", "shown step=0; drawn~heads after step 1200", has_heads},
          {"Home", "shown step=120; drawn~0.08", has_heads},
          {"Home left", "answered=no", has_heads}, {"Home End", "shown step=0", has_heads},
          {"End", "answered=no", has_heads}, {"Home", "shown step=840", has_late_heads},
          {"Home left", "answered=no", has_late_heads},
          {"press <The loss: minus>@0.25,0.5", "shown step=840", has_late_heads},
          {"space call on wait 0.5", "shown step=1200; step=1300", has_heads},
          {"space space", "shown step=0", has_heads}, {"left Esc", "shown step=0", has_heads},
          {"press <The scores of the heads>@0.25,0.5", "shown step=480; drawn~heads after step 480",
           has_heads},
          {"press <The loss: minus>@0.25,0.5", "shown step=480", has_heads},
          {"press <The loss: minus>@0.99,0.5", "shown step=0", has_heads},
          {"{shown step=600} {chosen head=2}",
           "shown step=600; chosen head=2; drawn~heads after step 600; "
           "reopens=yes",
           has_heads},
          {"Esc", "answered=no", has_heads}, {"left", "answered=no", writes},
          {"size 90x90 c left size 300x200 left", "shown step=960", has_heads})

/* From the first step that is kept to the newest, on which it rests. */
TEST(the_animation_goes_through_the_steps)
{
    view_hand h = view_open("training", view_calls, has_late_heads);
    viz_view *view = one_of(h.v);
    const training_view *v = (const training_view *)view;
    view_run(&h, "");
    const int frames = view->class->frames(view, 10);
    assert_int_equal(frames, 75);
    for (int i = 0, last = 0; i < frames; i++) {
        view->class->frame(view, i, 10);
        view_compute(&h);
        assert_true(v->heads.step[MAP_A] >= (size_t)last && (i >= 60) == (v->heads.at == 0));
        last = (int)v->heads.step[MAP_A];
        assert_true(i > 0 || last == 840);
    }
    assert_int_equal(v->heads.step[MAP_A], 1200);
    view_close(&h);
}

/* The scores of the head at both, and where it looks more. */
VIEW_ROWS("training", heads_are_compared_at_two_steps,
          {"c",
           "compared step=600; drawn~heads: step 1200 less step 600; drawn~A − B; "
           "drawn~step 600; drawn~+0.40; drawn~0.40",
           has_heads},
          {"c c", "compared step=0; drawn!~A − B", has_heads},
          {"c Esc", "compared step=0; drawn!~A − B", has_heads},
          {"c .", "compared step=720", has_heads}, {"c ,", "compared step=480", has_heads},
          {".", "answered=no", has_heads},
          {"left c",
           "shown step=1080; compared step=1200; drawn~step 1080 less step 1200; drawn~−0.08; "
           "drawn!~-0.0",
           has_heads},
          {"c left", "shown step=1080; drawn~step 1080 less step 600", has_heads},
          {"press3 <The scores of the heads>@0.25,0.5", "compared step=480; drawn~A − B",
           has_heads},
          {"c move <What it looks at more>@0.55,0.95", "drawn~“d” → “a”  0.2000 − 0.1000 = +0.1000",
           has_heads},
          {"size 640x400 c", "drawn~A − B; drawn~induction", has_heads},
          {"size 480x640 c", "drawn~A − B", has_heads})

/* Of several captions a word is right where one has it, in whatever place; nothing is missed. */
TEST(words_of_several_captions_are_right_anywhere)
{
    view_hand h = view_open("training", view_calls, judges);
    view_compute(&h);
    const training_view *v = (const training_view *)one_of(h.v);
    const sac_result *caption = &v->state.picture[0].caption;
    for (int k = 0; k < caption->count; k++)
        assert_int_equal(v->picture[0].wrong[k], strcmp(caption->outputs[k].text, "red") == 0);
    for (int k = 0; k < v->picture[2].truth_count; k++)
        assert_false(v->picture[2].missed[k]);
    view_close(&h);
}

/* ---------------------------------------------------------------- steering */

static void rest(one_view *v)
{
    (void)v;
    fake_progress.state = SAC_TRAINING_RESTS;
}

static void finish(one_view *v)
{
    (void)v;
    fake_progress.state = SAC_TRAINING_ENDED;
    fake_progress.use[0] = "Caption with it";
    fake_progress.use[1] = NULL;
    strcpy(fake_progress.message, "done: the weights are in w.safetensors");
}

/* Its weights have two uses. */
static void write_on(one_view *v)
{
    finish(v);
    fake_progress.use[0] = "Continue a text with it";
    fake_progress.use[1] = "See its heads";
}

static void break_off(one_view *v)
{
    finish(v);
    fake_progress.use[0] = fake_progress.use[1] = NULL;
    strcpy(fake_progress.message, "training: out of memory");
}

/* All that the command prints stands there; at the end what can be done with the weights. */
VIEW_ROWS(
    "training", a_training_is_steered_and_its_weights_are_used,
    {"wait 0.1",
     "drawn~pause; drawn~stop; drawn~captions: are not English; drawn~left out: 1 pictures; "
     "drawn~the weights go to /home/me/w.safetensors; drawn!~train on; choose=-1; picks=",
     is_steered},
    {"size 640x400 wait 0.1", "drawn~captions: are not English; drawn~pause", is_steered},
    {"wait 0.1 call finish wait 0.4",
     "drawn~Caption with it; drawn~train on; drawn~show the file; drawn~train another; "
     "drawn~done: the weights; drawn~are not English; drawn!~pause",
     is_steered},
    {"wait 0.1 call finish wait 0.4 press <See what the weights>", "choose=0; picks=", is_steered},
    {"wait 0.1 call finish wait 0.4 Return", "choose=0", is_steered},
    {"wait 0.1 Return", "answered=no; choose=-1", is_steered},
    {"wait 0.1 call finish wait 0.4 press <The file of the weights>",
     "choose=-1; picks=/home/me/w.safetensors", is_steered},
    {"wait 0.1 call written wait 0.4",
     "drawn~Continue a text with it; drawn~See its heads; drawn~train on; drawn~show the file; "
     "drawn~train another",
     is_steered},
    {"wait 0.1 call written wait 0.4 press <See where the heads of these>",
     "choose=0; picks=", is_steered},
    {"wait 0.1 call written wait 0.4 press <The file of the weights>",
     "choose=-1; picks=/home/me/w.safetensors", is_steered},
    {"wait 0.1 call break wait 0.4",
     "drawn~train another; drawn!~Caption with it; drawn!~train on; drawn~out of memory",
     is_steered})

TEST(orders_and_what_follows_reach_the_trainer)
{
    view_hand h = view_open("training", view_calls, is_steered);
    const sac_trainer_source *trainer = &h.v->training.source.trainer;
    view_run(&h, "wait 0.1 press <Rest between>");
    assert_int_equal(fake_order, SAC_TRAINING_PAUSE);
    view_run(&h, "call rest wait 0.4 press <Rest between>");
    assert_int_equal(fake_order, SAC_TRAINING_GO_ON);
    view_run(&h, "press <Write the weights>");
    assert_int_equal(fake_order, SAC_TRAINING_SAVE);
    view_run(&h, "press <Stop, with>");
    assert_int_equal(fake_order, SAC_TRAINING_STOP);
    view_run(&h, "call finish wait 0.4 press <As many steps more>");
    assert_int_equal(trainer->next, SAC_NEXT_MORE);
    view_run(&h, "press <See what the weights>");
    assert_true(trainer->next == SAC_NEXT_USE && trainer->use == 0);
    view_run(&h, "call written wait 0.4 press <See where the heads of these>");
    assert_true(trainer->next == SAC_NEXT_USE && trainer->use == 1);
    view_run(&h, "press <As many steps more>");
    assert_true(trainer->next == SAC_NEXT_MORE && trainer->use == 0);
    view_close(&h);
}

/* What the sheet of keys has of closing the window; "": nothing. */
static const char *closing(const view_hand *h)
{
    const char *does = "";
    const viz_view *view = viz_shell_view(&h->v->shell);
    for (const viz_key_row *row = view->class->keys; row->key; row++)
        if (strcmp(row->key, "Q") == 0 && viz_key_acts(row, view)) {
            assert_string_equal(does, "");
            does = row->does;
        }
    return does;
}

TEST(the_sheet_of_keys_is_true_of_what_closing_the_window_does)
{
    view_hand h = view_open("training", view_calls, is_steered);
    view_run(&h, "wait 0.1");
    assert_non_null(strstr(closing(&h), "a checkpoint are kept"));
    fake_progress.outlives = true;
    view_run(&h, "call rest wait 0.4");
    assert_string_equal(closing(&h), "close: the training goes on");
    view_run(&h, "call finish wait 0.4");
    assert_string_equal(closing(&h), "");
    view_close(&h);
}

TEST(keys_of_heat_are_of_a_training_with_pictures)
{
    static const char *const keys[] = {"O", "[  ]", "B"};
    for (int text = 0; text < 2; text++) {
        view_hand h = view_open("training", view_calls, text ? writes : is_steered);
        const viz_view *view = viz_shell_view(&h.v->shell);
        view_run(&h, "wait 0.1");
        for (const viz_key_row *row = view->class->keys; row->key; row++)
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
                if (strcmp(row->key, keys[k]) == 0)
                    assert_int_equal(viz_key_acts(row, view), !text);
        view_close(&h);
    }
}

static void is_wide(one_view *v)
{
    v->training.wide = true;
}

/* What is 4:3 is shown so, and no larger gap is below it. */
TEST(pictures_keep_their_proportions)
{
    viz_rect rect, square;
    view_hand squares = view_open("training", view_calls, NULL);
    view_run(&squares, "wait 0.1");
    assert_true(view_find_spot(&squares, "A picture that", 1, &square));
    view_close(&squares);
    view_hand h = view_open("training", view_calls, is_wide);
    view_run(&h, "wait 0.1");
    assert_true(view_find_spot(&h, "A picture that", 1, &rect));
    assert_float_equal(rect.h / rect.w, 0.75f, 0.01f);
    assert_true(rect.w > square.w); /* there is more room for them */
    view_close(&h);
}

/* ---------------------------------------------------------------- time, keys and the pointer */

#define BEGUN "wait 0.1 "
VIEW_ROWS(
    "training", all_captions_go_on_in_step_and_begin_again, {"wait 0.8", "word=1"},
    {"wait 9.2", "word=13"}, {"wait 11.2", "word=13"}, {"wait 11.4", "word=0"},
    /* space holds the words, and not the training */
    {BEGUN "space wait 5", "word=0; playing=no"},
    {BEGUN "space call on wait 0.5", "word=0; step=1300"},
    {BEGUN "space wait 2 space wait 0.6", "word=0"},
    {BEGUN "space wait 2 space wait 0.75", "word=1"}, {BEGUN "right", "word=1; playing=no"},
    {BEGUN "End", "word=13"}, {BEGUN "End right", "answered=no"}, {BEGUN "End Home", "word=0"},
    {BEGUN "End Home left", "answered=no"},
    {BEGUN "press <Hold this word>#4", "word=3; playing=no"},
    {BEGUN "press <Hold this word>#4 press <The words go on>", "playing=yes"}, {"q", "answered=no"},
    {"Esc", "answered=no"}, /* left to the window */
    {"move <The loss: minus>@0.2,0.3", "drawn~2.901 at 396"},
    {"{word=2} {map=viridis} {overlay=contour} {opacity=0.5} {cells drawn=blocky} {no such=x}",
     "word=2; map=viridis; overlay=contour; opacity=0.5; cells drawn=blocky; reopens=yes"})

TEST(nothing_moves_while_the_training_goes_on)
{
    static const char *const tips[] = {"A picture that", "The loss: minus", "The share of captions",
                                       "How far the training", "Steps done"};
    viz_rect before[5][6], after = {0};
    view_hand h = view_open("training", view_calls, NULL);
    view_run(&h, BEGUN);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < (i ? 1 : 6); k++) {
                assert_true(view_find_spot(&h, tips[i], k + 1, &after));
                if (pass)
                    assert_memory_equal(&after, &before[i][k], sizeof after);
                before[i][k] = after;
            }
        h.v->training.generated[1] = "a a a a a a a a a a";
        view_run(&h, "call on wait 0.5");
    }
    view_close(&h);
}

TEST(the_heat_travels_to_what_is_generated_anew)
{
    view_hand h = view_open("training", view_calls, NULL);
    viz_view *view = one_of(h.v);
    training_view *v = (training_view *)view;
    const viz_glide *g = &v->picture[0].glide;
    float before[FAKE_GRID * FAKE_GRID];
    viz_training_class.tick(view, 0);
    view_compute(&h);
    memcpy(before, g->now, sizeof before);
    h.v->training.step++;
    h.v->training.sigma = 1; /* sharper */
    viz_training_class.tick(view, 0.3);
    view_compute(&h);
    assert_memory_equal(before, g->now, sizeof before);
    assert_true(viz_training_class.tick(view, 0.45));
    assert_memory_not_equal(before, g->now, sizeof before);
    assert_memory_not_equal(g->to, g->now, sizeof before);
    viz_training_class.tick(view, 0.61);
    assert_memory_equal(g->to, g->now, sizeof before);
    assert_memory_equal(g->to, v->state.picture[0].caption.weights, sizeof before);
    view_close(&h);
}

/* ---------------------------------------------------------------- curves */

TEST(the_loss_curve_grows_to_the_right)
{
    static const size_t steps[] = {1000, 3600, 6000};
    view_hand h = view_open("training", view_calls, NULL);
    viz_rect plot;
    int before = 0;
    for (int i = 0; i < 3; i++) {
        h.v->training.step = steps[i];
        h.v->training.points = steps[i] / 12 + 1;
        view_run(&h, "wait 1");
        viz_shell_draw(&h.v->shell, &h.v->canvas);
        assert_true(view_find_spot(&h, "The loss: minus", 1, &plot));
        float reach = (float)steps[i] / (steps[i] == 1000 ? 2000.0f : 6000.0f);
        viz_rect dot = {plot.x + reach * plot.w - 5, plot.y, 10, plot.h};
        assert_true(pixels_of(&h.v->canvas, dot, viz_theme_dark.accent) > 10);
        viz_rect beyond = {dot.x + 12, plot.y, plot.x + plot.w - dot.x - 12, plot.h};
        assert_int_equal(pixels_of(&h.v->canvas, beyond, viz_theme_dark.text), 0);
        assert_true(pixels_of(&h.v->canvas, plot, viz_theme_dark.text) > 20 && (int)dot.x > before);
        before = (int)dot.x;
    }
    view_close(&h);
}

TEST(a_curve_of_anything_is_drawn)
{
    static const float strange[][3] = {{1, 1, 1},     {NAN, NAN, NAN},
                                       {0, -1, 2},    {INFINITY, 1, 1e-9f},
                                       {1e30f, 1, 1}, {0.5f, NAN, 5}};
    view_hand h = view_open("training", view_calls, NULL);
    h.v->training.points = 3;
    for (size_t n = 0; n < sizeof strange / sizeof *strange; n++) {
        h.v->training.curve = strange[n];
        for (int rewards = 0; rewards < 2; rewards++) {
            h.v->training.rewards = rewards;
            view_run(&h, "call on wait 0.5");
            viz_shell_draw(&h.v->shell, &h.v->canvas);
        }
    }
    view_close(&h);
}

TEST(a_training_by_a_reward_shows_it_with_its_baseline_in_place_of_the_loss)
{
    view_hand h = view_open("training", view_calls, NULL);
    viz_rect plot;
    h.v->training.rewards = true;
    h.v->training.points = 300;
    h.v->training.step = 300;
    view_run(&h, "call on wait 1");
    viz_shell_draw(&h.v->shell, &h.v->canvas);
    assert_false(view_find_spot(&h, "The loss: minus", 1, &plot));
    assert_true(view_find_spot(&h, "CIDEr-D × 100 of captions", 1, &plot));
    assert_true(pixels_of(&h.v->canvas, plot, viz_theme_dark.text) > 20);  /* 60 to 65 of 100 */
    assert_true(pixels_of(&h.v->canvas, plot, viz_theme_dark.text2) > 20); /* 70 to 75 */
    assert_true(pixels_of(&h.v->canvas, plot, viz_theme_dark.faint) > 20); /* 80 to 85 */
    view_close(&h);
}

/* ---------------------------------------------------------------- words */

TEST(wrong_words_are_those_that_the_truth_does_not_share)
{
    static const struct {
        const char *generated, *truth, *wrong, *missed; /* x: is so */
        bool right;
    } all[] = {
        {"a red star", "a red star", "...", "...", true},
        {"a red star", "a blue star", ".x.", ".x.", false},
        {"a large red star", "a red star", ".x..", "...", false},
        {"a star", "a small red star", "..", ".xx.", false},
        {"a red star and a red star", "a red star", "...xxxx", "...", false},
        {"", "a star", "", "xx", false},
    };
    fake_training fake = {.sigma = 1};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        training_picture p = {0};
        sac_result caption;
        fake_generate_tokens(&fake, all[n].generated, 0, &caption);
        training_compare_with_truth(&p, all[n].truth, &caption);
        assert_int_equal(p.right, all[n].right);
        for (int i = 0; i < caption.count; i++)
            assert_int_equal(p.wrong[i], all[n].wrong[i] == 'x');
        assert_int_equal(p.truth_count, (int)strlen(all[n].missed));
        for (int i = 0; i < p.truth_count; i++)
            assert_int_equal(p.missed[i], all[n].missed[i] == 'x');
        sac_result_free(&caption);
    }
}

TEST(a_caption_without_an_end_is_not_right)
{
    fake_training fake = {.sigma = 1};
    training_picture p = {0};
    sac_result caption;
    fake_generate_tokens(&fake, "a red star", 0, &caption);
    caption.finished = false;
    training_compare_with_truth(&p, "a red star", &caption);
    assert_false(p.right);
    sac_result_free(&caption);
}

/* ---------------------------------------------------------------- a model that reads, and the animation */

/* The maps have the colours that its legend has. */
TEST(a_model_that_reads_shows_its_words_over_those_of_its_source)
{
    view_hand h = view_open("training", view_calls, reads);
    viz_scale scale = viz_scale_for(VIZ_ROOT, 1);
    viz_color most = viz_colormap_color(VIZ_INFERNO, viz_scale_at(&scale, 0.6f));
    viz_rect rect;
    view_run(&h, "");
    viz_shell_draw(&h.v->shell, &h.v->canvas);
    for (int i = 1; i <= 6; i++) {
        assert_true(view_find_spot(&h, "A picture that", i, &rect));
        assert_true(pixels_of(&h.v->canvas, rect, most) > 4);
    }
    assert_true(view_find_spot(&h, "What the colours mean", 1, &rect));
    assert_true(pixels_of(&h.v->canvas, rect, viz_colormap_color(VIZ_INFERNO, 0.5f)) > 0);
    view_close(&h);
}

TEST(the_animation_has_all_words_once)
{
    view_hand h = view_open("training", view_calls, NULL);
    viz_view *view = one_of(h.v);
    const training_view *v = (training_view *)view;
    assert_int_equal(view->class->frames(view, 25), 1); /* nothing was seen yet */
    view_run(&h, "");
    int frames = view->class->frames(view, 25), words = 0;
    assert_int_equal(frames,
                     (int)ceil(25 * (LONGEST * TRAINING_WORD_SECONDS + TRAINING_REST_SECONDS)));
    for (int i = 0, last = -1; i < frames; i++) {
        view->class->frame(view, i, 25);
        words += v->player.step != last;
        last = v->player.step;
    }
    assert_int_equal(words, LONGEST);
    assert_memory_equal(v->picture[0].glide.now, v->picture[0].glide.to,
                        FAKE_GRID * FAKE_GRID * sizeof(float));
    view_close(&h);
}

VIEW_ROWS_MAIN
