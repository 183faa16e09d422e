/* viz/views/picture: what the pointer, keys, time and results do to the view. */
#include "view_rows.h"

#include "picture/picture_state.h"

/* The pointer over the picture, whose cells are the queries; the map is on the picture rebuilt beside it. */
#define QUERY "<The cell under the pointer>"
/* In the middle of cell 8, 8; 21, 9; 20, 10 and 4, 4 of 32 × 21. */
#define AT_8_8 QUERY "@0.265,0.404 "
#define AT_21_9 QUERY "@0.672,0.452 "
#define AT_20_10 QUERY "@0.641,0.5 "
#define AT_4_4 QUERY "@0.141,0.214 "

static void be_constant(one_view *v)
{
    v->picture.constant = true;
}

static void be_various(one_view *v)
{
    v->picture.constant = false;
}

static const view_call view_calls[] = {{"same", be_constant}, {"various", be_various}, {0}};

static void is_one_of_three(one_view *v)
{
    v->source->picture.number = 1;
}

static void is_alone(one_view *v)
{
    v->source->picture.count = 0;
}

static void has_scenes(one_view *v)
{
    v->source->picture.count = 1;
    v->source->picture.scenes = true;
}

/* ---------------------------------------------------------------- queries and jobs */

VIEW_ROWS("picture", the_cell_under_the_pointer_is_the_query,
          /* it begins on the bright patch, which stands out, at 3/8 of both sides */
          {"", "query=13,8 of 32x21; calls=1; rebuilds=1"},
          {"move " AT_21_9, "query=21,9 of 32x21"},
          {"move " AT_21_9 "move " AT_21_9, "answered=no; calls=2; rebuilds=1"}, /* nothing new */
          {"move " AT_21_9, "map 21,9>0.01; map 22,9<0.01"},
          {"move " QUERY "@0.001,0.001", "query=0,0 of 32x21"},
          {"move " QUERY "@0.999,0.999", "query=31,20 of 32x21"},
          {"move " AT_8_8 "move 20,3", "query=8,8 of 32x21; drawn~(20, 3)"},
          /* a click holds it, and another lets go */
          {"move " AT_8_8 "press " AT_8_8 "move " AT_21_9, "query=8,8 of 32x21"},
          {"press " AT_8_8 "press " AT_20_10 "move " AT_21_9, "query=21,9 of 32x21"},
          /* keys stop at the edge */
          {"{query=1,1} left left down", "query=0,2 of 32x21"},
          {"{query=1,1} left left down right up", "query=1,1 of 32x21"},
          {"{query=3,4}", "query=3,4 of 32x21"},
          {"{query=3,4 of 8x5}", "query=14,18 of 32x21"}, /* the middle of a larger cell */
          {"{query=3,4 of 8x5} {query=32,0}", "query=14,18 of 32x21"})

VIEW_ROWS("picture", only_what_is_needed_is_computed,
          {"move " AT_8_8 "move " AT_21_9 "move " AT_20_10, "calls=4; rebuilds=1"},
          {"w", "calls=2; rebuilds=2"}, {"m o l b [ ]", "calls=1; rebuilds=1"},
          /* maps that are the same for every query are noticed */
          {"move " AT_8_8, "drawn!~identical"}, {"call same w move " AT_21_9, "drawn~identical"},
          {"call same w move " AT_21_9 "call various w", "drawn!~identical"})

/* While a slider is dragged, heat and rebuilt picture take turns: neither starves. */
TEST(settings_in_motion_refresh_both_pictures)
{
    view_hand h = view_open("picture", view_calls, NULL);
    viz_view *view = one_of(h.v);
    for (int i = 0; i < 20; i++) {
        h.stopped = true;
        view_run(&h, i % 2 ? "X" : "x");
        viz_job *job = view->class->create_job(view);
        view->class->run_job(view, job, NULL);
        view->class->finish_job(view, job, NULL);
    }
    view_claim(&h, "calls=10; rebuilds=10");
    view_close(&h);
}

TEST(a_result_for_another_grid_is_dropped)
{
    view_hand h = view_open("picture", view_calls, NULL);
    viz_view *view = one_of(h.v);
    viz_map map = {0};
    viz_job *job = view->class->create_job(view);
    view->class->run_job(view, job, NULL);
    h.stopped = true;
    view_run(&h, "z"); /* more cells, while the job was out */
    view->class->finish_job(view, job, NULL);
    assert_false(view->class->map(view, &map));
    viz_map_free(&map);
    view_run(&h, "go");
    assert_true(view->class->map(view, &map) && map.columns > 32);
    viz_map_free(&map);
    view_close(&h);
}

/* ---------------------------------------------------------------- motion */

VIEW_ROWS("picture", the_gaze_wanders_once_the_pointer_has_left,
          {"wait 0.1 move " AT_4_4 "wait 30",
           "query=4,4 of 32x21; drawn!~wandering"}, /* somebody points at it, and talks */
          {"wait 0.1 move " AT_4_4 "leave wait 1.8", "query=4,4 of 32x21"},
          {"wait 0.1 move " AT_4_4 "leave wait 2.8", "query!=4,4 of 32x21; drawn~wandering"},
          {"wait 0.1 move " AT_4_4 "leave wait 2.8 move " AT_20_10,
           "query=20,10 of 32x21; drawn!~wandering"},
          {"wait 0.1 move " AT_4_4 "space", "drawn~wandering"},
          {"wait 0.1 {query=4,4} space space wait 10",
           "query=4,4 of 32x21"}, /* stopped means stopped */
          /* 6 s of 1.2 s each; four times as fast is the most */
          {"wait 0.1 space wait 6", "calls>4; calls<8"},
          {"wait 0.1 space + + + + + + + + + + + + + + + + + + + + wait 6", "calls>16; calls<24"},
          {"{hidden=32x21: 0-671} space wait 3", "drawn~every cell is hidden"}) /* nowhere to go */

/* The map that is drawn now, of which a test looks at one cell. */
static float seen(const view_hand *h, int x, int y)
{
    viz_map map = {0};
    assert_true(h->v->class->map(one_of(h->v), &map));
    float value = map.values[y * map.columns + x];
    viz_map_free(&map);
    return value;
}

/* Cubic ease-out over 0.3 s: after 0.1 s 1 − (2/3)³ of the way. */
TEST(heat_glides_from_one_query_to_the_next)
{
    view_hand h = view_open("picture", view_calls, NULL);
    const viz_glide *g = &picture_of(one_of(h.v))->glide;
    const int cell = 9 * 32 + 21;
    view_run(&h, "wait 1");
    float from = g->now[cell];
    view_run(&h, "move " AT_21_9);
    float to = g->to[cell], first = g->now[cell];
    assert_true(to > from && first > from && first < to); /* moves with the very next frame */
    double start = g->start;
    assert_true(viz_shell_tick(&h.v->shell, start + 0.1));
    float way = (g->now[cell] - from) / (to - from);
    assert_float_equal(way, 1 - 8.0f / 27, 1e-4);
    viz_shell_tick(&h.v->shell, start + 0.31);
    assert_true(g->now[cell] == to && seen(&h, 21, 9) == to);
    view_close(&h);
}

TEST(a_glide_that_is_overtaken_goes_on_from_where_it_is)
{
    view_hand h = view_open("picture", view_calls, NULL);
    const viz_glide *g = &picture_of(one_of(h.v))->glide;
    static float between[32 * 21];
    view_run(&h, "wait 1 move " AT_21_9 "wait 0.1");
    memcpy(between, g->now, sizeof between);
    view_run(&h, "move " AT_4_4);
    assert_memory_equal(g->from, between, sizeof between);
    view_close(&h);
}

/* ---------------------------------------------------------------- the gaze itself */

TEST(the_gaze_jumps_to_the_cell_seen_least)
{
    view_hand h = view_open("picture", view_calls, NULL);
    viz_gaze gaze = {0};
    assert_true(viz_gaze_resize(&gaze, h.v->source->picture.image, 10, 6));
    float weights[60];
    for (int i = 0; i < 60; i++)
        weights[i] = i == 47 ? 0.02f : 0.1f;
    viz_gaze_fixate(&gaze, 1, 1, weights);
    int x, y;
    assert_true(viz_gaze_next(&gaze, NULL, &x, &y));
    assert_int_equal(y * 10 + x, 47);
    uint8_t hidden[60] = {0};
    hidden[47] = 1;
    gaze.seen[33] = 0.05f;
    assert_true(viz_gaze_next(&gaze, hidden, &x, &y));
    assert_int_equal(y * 10 + x, 33);
    memset(hidden, 1, 60);
    assert_false(viz_gaze_next(&gaze, hidden, &x, &y));
    viz_gaze_free(&gaze);
    view_close(&h);
}

TEST(a_wandering_gaze_comes_everywhere)
{
    view_hand h = view_open("picture", view_calls, NULL);
    viz_gaze gaze = {0};
    assert_true(viz_gaze_resize(&gaze, h.v->source->picture.image, 8, 5));
    int visits[40] = {0}, x = 0, y = 0;
    for (int i = 0; i < 200; i++) {
        float weights[40];
        for (int k = 0; k < 40; k++)
            weights[k] = k == y * 8 + x ? 0.5f : 0.5f / 39;
        visits[y * 8 + x]++;
        viz_gaze_fixate(&gaze, x, y, weights);
        assert_true(viz_gaze_next(&gaze, NULL, &x, &y));
    }
    for (int i = 0; i < 40; i++)
        assert_in_range(visits[i], 3, 8); /* 200 visits over 40 cells: 5 each */
    assert_int_equal(gaze.path_count, GAZE_PATH);
    viz_gaze_free(&gaze);
    view_close(&h);
}

/* ---------------------------------------------------------------- hiding */

#define PAINT                                                                                      \
    "hold3 " QUERY "@0.172,0.262 drag " QUERY "@0.297,0.357 release " /* from 5, 5 to 9, 7 */

VIEW_ROWS("picture", hidden_cells_get_no_weight,
          {PAINT, "hidden=32x21: 165 198-199 232-233"}, /* fast: cells between are painted too */
          {PAINT "move " AT_20_10, "hidden=32x21: 165 198-199 232-233; map 7,6=nan"},
          {PAINT "press3 " QUERY "@0.172,0.262", "hidden=32x21: 198-199 232-233"},
          {PAINT "u", "hidden="},
          {"h hold " QUERY "@0.96,0.95 drag " QUERY "@4,4 release",
           "hidden=32x21: 638 671"}, /* leaves the picture */
          /* another grid keeps query and hidden cells in their place */
          {"{query=16,10} {hidden=32x21: 0} {cells=64}",
           "query=33,21 of 64x43; hidden=64x43: 0-1 64-65"},
          {"{hidden=32x21: 0-671} o l o l o l", "overlay=light"})

/* ---------------------------------------------------------------- controls */

#define TEMPERATURE "<Scores are divided>"
VIEW_ROWS("picture", controls_are_operated, {"hold " TEMPERATURE "@0.999,0.72", "temperature=10"},
          {"hold " TEMPERATURE "@0.999,0.72 drag " TEMPERATURE "@-1,-4",
           "temperature=0.1"}, /* off the track */
          {"hold " TEMPERATURE "@0.999,0.72 drag " TEMPERATURE "@-1,-4 release move " TEMPERATURE
           "@0.999,0.72",
           "temperature=0.1"},
          {"hold <The width of the Gaussian>@0.99,0.72",
           "inverse width<0.3"}, /* a wider one: a smaller factor */
          {"w", "inverse width<1"}, {"W", "inverse width>1"}, {"press \"dot\"", "score=dot"},
          {"press \"scaled dot\"", "score=scaled-dot"}, {"press \"bilinear\"", "score=bilinear"},
          {"press \"additive\"", "score=additive"}, {"g press \"Gaussian\"", "score=gaussian"},
          {"press \"sparsemax\"", "normalizer=sparsemax"},
          {"press \"1.5-entmax\"", "normalizer=entmax15"},
          {"press \"1.5-entmax\" press \"softmax\"", "normalizer=softmax"},
          {"r", "normalizer=entmax15"}, {"r r r", "normalizer=softmax"},
          {"R", "normalizer=sparsemax"}, {"{normalizer=softmin} r", "normalizer=entmax15"},
          {"press \"heat\"", "overlay=heat"}, {"press \"viridis\"", "map=viridis"},
          {"press \"logarithmic\"", "scale=logarithmic"}, {"g", "score!=gaussian"},
          {"g G", "score=gaussian"}, {"m", "map!=inferno"}, {"m M", "map=inferno"},
          {"o", "overlay!=light"}, {"o O", "overlay=light"}, {"l", "scale!=per map, linear"},
          {"l L", "scale=per map, linear"})

/* Each score of the table has a chip. */
TEST(each_score_of_the_table_has_a_chip)
{
    for (int i = 0; i < SAC_SCORE_COUNT; i++) {
        view_hand h = view_open("picture", view_calls, NULL);
        char events[64], expected[64];
        const sac_score_class *score = sac_score_class_of((sac_score)i);
        snprintf(events, sizeof events, "press \"%s\"", score->words.label);
        snprintf(expected, sizeof expected, "score=%s", score->name);
        view_run(&h, events);
        view_claim(&h, expected);
        view_close(&h);
    }
}

#define UNTOUCHED                                                                                  \
    "score=gaussian; inverse width=1; cells=32; query=13,8 of 32x21; hidden=; map=inferno; "       \
    "scale=per map, linear; overlay=light"
VIEW_ROWS(
    "picture", what_is_described_is_restored_and_nonsense_is_not,
    {"{cells=48} {inverse width=1.368} G R l m O b ] {query=40,22} hold3 10,3 drag 14,3 release "
     "leave",
     "reopens=yes"},
    {"{score=cosine} {inverse width=nan} {cells=many} {query=1,} {query=-1,2 of 4x4} {query=9,9 of "
     "0x0} "
     "{hidden=4x4 1-3} {map=jet} {scale=} {overlay=fog} {colour=blue}",
     UNTOUCHED},
    {"{hidden=32x21: 5 650-9999999999 -3 x}", "hidden=32x21: 5 650-671"},
    {"{inverse width=1e30}", "inverse width<1e3"})

/* ---------------------------------------------------------------- other pictures */

VIEW_ROWS("picture", n_and_p_turn_to_the_pictures_beside_it_round_and_round,
          {"", "choose=-1; status=fake.png  ·  2 of 3  ·  32 × 21 cells  ·  no device  ·  0.75 ms",
           is_one_of_three},
          {"n", "choose=2", is_one_of_three},
          {"n", "choose=2; choose=-1", is_one_of_three}, /* it is asked for once */
          {"n n", "choose=0", is_one_of_three},          /* past one that did not open */
          {"n n p", "choose=2", is_one_of_three}, {"n", "choose=-1", is_alone},
          {"p", "choose=-1", has_scenes}, {"n", "choose=1", has_scenes})

/* ---------------------------------------------------------------- the animation */

TEST(frames_are_the_same_every_time)
{
    static int story[2][200][2];
    view_hand h = view_open("picture", view_calls, NULL);
    viz_view *view = one_of(h.v);
    int jumps = 0, x = -1, y = -1;
    assert_int_equal(view->class->frames(view, 25), 200);
    for (int run = 0; run < 2; run++) {
        view_run(&h, "{query=7,7}");
        for (int i = 0; i < 200; i++) {
            view->class->frame(view, i, 25);
            view_compute(&h);
            viz_picture_view_query(view, &story[run][i][0], &story[run][i][1]);
        }
    }
    assert_memory_equal(story[0], story[1], sizeof story[0]);
    for (int i = 0; i < 200; i++) {
        jumps += story[0][i][0] != x || story[0][i][1] != y;
        x = story[0][i][0];
        y = story[0][i][1];
    }
    assert_int_equal(jumps, 8);
    view_close(&h);
}

VIEW_ROWS_MAIN
