/* viz/views/sentence over a picture: what pointer, keys and results do to the view, and its settings. */
#include "view_rows.h"

#include "parts/figures/seconds.h"
#include "rects.h"
#include "sentence/sentence_state.h"
#include "sources/words/causal.h"
#include "status.h"

#define PLAIN "rows=a small red circle above a large blue square and a small yellow star"
#define NUMBERS "{numbers=on} "

/* ---------------------------------------------------------------- what the model gives */

static void lose(one_view *v)
{
    v->caption.fails = true;
}

static void mend(one_view *v)
{
    v->caption.fails = v->caption.turn_fails = false;
    v->caption.longest = 0;
}

static void block(one_view *v)
{
    v->caption.turn_fails = true;
}

static const view_call view_calls[] = {{"lose", lose}, {"mend", mend}, {"block", block}, {0}};

static void is_mute(one_view *v)
{
    v->caption.longest = -1;
}

static void has_scenes(one_view *v)
{
    v->source->picture.scenes = true;
}

static void has_one_model(one_view *v)
{
    v->source->result.models = 1;
}

static void allows_signs(one_view *v)
{
    v->source->result.token_allowed = NULL;
}

/* What a caption has beside the invented words. */
static sac_result generated_as;
static const char *last_words[2];

static sac_status generate_as(void *self, const sac_result_request *q, sac_result *c,
                              sac_error *error)
{
    sac_status status = fake_generate(self, q, c, error);
    snprintf(c->note, sizeof c->note, "%s", generated_as.note);
    c->is_doubtful = generated_as.is_doubtful;
    c->seconds = generated_as.seconds;
    c->has_row_ends = generated_as.has_row_ends;
    c->outputs[c->count - 1].row_ends = 0.07f;
    c->regions = generated_as.regions;
    if (generated_as.max_weight > 0)
        c->max_weight = generated_as.max_weight;
    for (int i = 0; i < 2; i++)
        if (last_words[i])
            snprintf(c->outputs[c->count - 1 - i].text, sizeof c->outputs->text, "%s",
                     last_words[i]);
    return status;
}

static void generates(one_view *v, sac_result as)
{
    v->source->result.generate = generate_as;
    generated_as = as;
    last_words[0] = last_words[1] = NULL;
}

static void has_doubts(one_view *v)
{
    generates(v, (sac_result){.note = "unsure of “square”"});
}

static void is_a_guess(one_view *v)
{
    generates(v, (sac_result){.is_doubtful = true});
}

static void has_long_doubts(one_view *v)
{
    generates(v, (sac_result){0});
    snprintf(generated_as.note, sizeof generated_as.note, "unsure of “%0200d”", 0);
}

static void ends_with_marks(one_view *v)
{
    generates(v, (sac_result){0});
    last_words[0] = ".";
    last_words[1] = "<loc_5>";
}

static void is_a_sound(one_view *v)
{
    generates(v, (sac_result){.seconds = 2.64f});
}

static void has_row_ends(one_view *v)
{
    generates(v, (sac_result){.has_row_ends = true});
    v->source->result.typed = true;
}

static void has_learnt_nothing(one_view *v)
{
    generates(v, (sac_result){.max_weight = 1.2f / 196});
}

/* Whether another piece follows is known once one is generated. */
static sac_status generate_piece(void *self, const sac_result_request *q, sac_result *c,
                                 sac_error *error)
{
    sac_status status = fake_generate(self, q, c, error);
    c->goes_on = ((fake_caption *)self)->source.picture.number < 2;
    return status;
}

static int count_pieces(const void *self)
{
    const int number = ((const fake_caption *)self)->source.picture.number;
    return number < 2 ? number + 2 : number + 1;
}

static void has_pieces(one_view *v)
{
    v->source->result.generate = generate_piece;
    v->source->picture.counted = count_pieces;
    v->source->picture.count = 1;
}

/* ---------------------------------------------------------------- jobs */

VIEW_ROWS("caption", a_failure_is_shown_and_not_asked_for_again, {"", PLAIN "; calls=1"},
          {"wait 2", "calls=1"}, /* playing computes nothing */
          {"call lose e", "drawn~device: gone; calls=2; " PLAIN}, {"call lose e wait 1", "calls=2"},
          {"call lose e call mend e", "drawn!~device: gone"})

VIEW_ROWS("caption", a_picture_that_cannot_be_opened_leaves_the_one_there_was,
          {"call block n", "drawn~next.png: cannot be read; picture=0; turns=1; " PLAIN},
          {"call block n wait 1", "turns=1"},
          {"call block n call mend n", "picture=2"},   /* it is passed over … */
          {"call block n call mend n p", "picture=1"}, /* … but not for ever */
          /* turned to, and then without words: nothing that is pressed does harm */
          {"call lose n space left right Home End Return t f f o wait 1", "picture=1; rows="})

TEST(one_job_is_out_at_a_time_and_the_latest_wish_wins)
{
    view_hand h = view_open("caption", view_calls, NULL);
    viz_view *view = one_of(h.v);
    viz_job *job = view->class->create_job(view);
    h.stopped = true;
    view_run(&h, "e e e e e");
    assert_null(view->class->create_job(view));
    view->class->run_job(view, job, NULL);
    view->class->finish_job(view, job, NULL);
    view_run(&h, "go");
    view_claim(&h, "calls=2; temperature=2.3784"); /* the four between were never computed */
    view_close(&h);
}

/* The ground of the picture that is shown, which is another one in each. */
static int ground(const one_view *v)
{
    viz_map map = {0};
    assert_true(v->class->map(one_of(v), &map));
    int red = map.image->rgba[0];
    viz_map_free(&map);
    return red;
}

TEST(the_picture_changes_only_when_the_result_is_taken)
{
    view_hand h = view_open("caption", view_calls, NULL);
    viz_view *view = one_of(h.v);
    view_run(&h, "stop n");
    viz_job *job = view->class->create_job(view);
    OK(view->class->run_job(view, job, NULL)); /* the source has turned */
    assert_int_equal(h.v->source->picture.number, 1);
    view_claim(&h, "status=scene 42  ·  1 of 4  ·  no device  ·  11.4 ms");
    assert_int_equal(ground(h.v), 165);
    view->class->finish_job(view, job, NULL);
    view_claim(&h,
               "status=scene 43  ·  2 of 4  ·  no device  ·  11.4 ms; rows=a large green circle");
    assert_int_equal(ground(h.v), 60);
    assert_null(view->class->create_job(view));
    view_close(&h);
}

/* ---------------------------------------------------------------- pictures */

VIEW_ROWS("caption", pictures_follow_one_another_around, {"p", "title=harbour.png; turns=1"},
          {"p stop n n n go", "title=scene 44; turns=2"}, /* those passed over were not opened */
          {"p stop n n n go N", "title=scene 43"},
          {"p", "answered=no; picture=0", has_scenes}, /* there is nothing before the first */
          {"n n n n n n", "picture=6", has_scenes}, {"", "status~1 of 2", has_pieces},
          {"n", "picture=1; status~2 of 3; message=", has_pieces},
          {"n n", "picture=2; status~3 of 3", has_pieces}, {"n n n", "picture=0", has_pieces})

VIEW_ROWS("caption", another_picture_forgets_what_was_asked_of_the_last,
          {NUMBERS "press3 9,8 Home Return Return", "hidden=14x14: 121; replaced=0"},
          {NUMBERS "press3 9,8 Home Return Return n",
           "hidden=; replaced=; prefix=; rows=a large green circle"})

VIEW_ROWS("caption", what_a_person_should_know_is_below_the_sentence, {"", "drawn!~photograph"},
          {"p", "drawn~photograph"}, {"", "drawn~no words: the sentence ended at once", is_mute},
          {"call mend n", "drawn!~the sentence ended at once", is_mute},
          {"size 900x600", "size unsure of>13.9", has_doubts},
          {NUMBERS, "size unsure of>17.9", has_doubts}, {"", "size unsure of>17.9", has_doubts},
          {"", "size unsure of>11.9", has_long_doubts}, /* smaller, then cut */
          {"f", "drawn!~unsure of", has_doubts},        /* a figure has no messages */
          {"", "size 0 s=0"},                           /* a picture has no seconds */
          {NUMBERS, "size 0 s=0"}, {"", "size 0 s>11.9; size 2>11.9", is_a_sound},
          {NUMBERS, "size 0 s>11.9; size 2>11.9", is_a_sound},
          {"", "drawn~7 % on the ends of its rows", has_row_ends})

/* Large, small and in a figure. */
VIEW_ROWS("caption", a_guess_begins_with_perhaps, {"", "drawn!~perhaps:"},
          {"", "drawn~perhaps:; size perhaps:>17.9", is_a_guess},
          {NUMBERS, "drawn~perhaps:", is_a_guess}, {"f", "drawn~perhaps: a small", is_a_guess},
          {"f", "drawn!~perhaps:"}, {"size 500x700", "drawn~perhaps:", is_a_guess})

/* It stands before the first word, and nothing in the line lies over another. */
TEST(perhaps_stands_before_the_first_word)
{
    view_hand h = view_open("caption", view_calls, is_a_guess);
    view_compute(&h);
    one_lay(h.v);
    const sentence_row *line = &((const sentence_view *)one_of(h.v))->layout.line;
    assert_true(line->perhaps.w > 0 && line->perhaps.y == line->word[0].y);
    assert_true(line->perhaps.x + line->perhaps.w < line->word[0].x);
    view_close(&h);
}

/* A time of the whole sound is marked in the piece that it is in, and in no other. */
TEST(the_axis_of_a_later_piece_begins_at_its_own_time)
{
    const viz_rect axis = {0, 0, 400, VIZ_SECONDS_HEIGHT};
    for (int piece = 0; piece < 2; piece++) {
        viz_canvas canvas;
        OK(viz_canvas_create(400, 40, 1, NULL, &canvas, &failure));
        viz_fill(&canvas, (viz_rect){0, 0, 400, 40}, canvas.theme->ground);
        viz_seconds_draw(&canvas, axis, piece ? 30 : 0, 30, 45, 48);
        const uint8_t *at = canvas.rgba + 4 * (6 * 400 + 201);
        const uint8_t *empty = canvas.rgba + 4 * (39 * 400 + 201);
        const uint8_t *within = canvas.rgba + 4 * (1 * 400 + 230);
        assert_int_equal(memcmp(at, empty, 3) != 0, piece);
        assert_int_equal(memcmp(within, empty, 3) != 0, piece); /* it lasts until 48 s */
        viz_canvas_free(&canvas);
    }
}

TEST(the_seconds_of_a_sound_begin_at_the_left_edge_below_it)
{
    view_hand h = view_open("caption", view_calls, is_a_sound);
    viz_rect zero = {0};
    view_run(&h, "");
    assert_true(view_find_text(&h, "0 s", 1, &zero));
    viz_rect picture = h.v->class->map_rect(one_of(h.v));
    assert_float_equal(zero.x, picture.x, 30);
    assert_in_range((int)(zero.y - picture.y - picture.h), 0, 30);
    view_close(&h);
}

/* ---------------------------------------------------------------- words */

#define LIST "{word=7} Return "
#define ALL "down down down down down Return " /* what is under "more …", too */

VIEW_ROWS("caption", words_are_gone_through, {"Home", "word=0"}, {"Home left", "word=0"},
          {"Home right right", "word=2"}, {"End right", "word=13"},
          /* without a window's clock it rests at its last word: not at its full stop */
          {"", "word=13"}, {"", "word=11", ends_with_marks},
          {"End", "word=13", ends_with_marks}, /* one that was asked for stays */
          /* in the sentence, on a small map and its name, on a row of the matrix */
          {NUMBERS "press <Click to see>#5", "word=4"},
          {NUMBERS "press <Where this word looks>#17", "word=8"},
          {NUMBERS "press <Where this word looks>#4", "word=1"},
          {NUMBERS "press <One row a word>@0.02,0.82", "word=11"},
          /* the track; the pointer may leave it */
          {NUMBERS "hold <go through the words>@0.01,0.5", "word=0"},
          {NUMBERS "hold <go through>@0.01,0.5 drag <go through>@0.461,4", "word=6"},
          {NUMBERS "hold <go through>@0.01,0.5 drag <go through>@2,0.5", "word=13"},
          {NUMBERS "hold <go through>@0.01,0.5 drag <go through>@2,0.5 release move <go "
                   "through>@0.5,0.5",
           "word=13"},
          /* the sentence, read with the pointer; beside it the word stays */
          {NUMBERS "hold <Click to see>#3 drag <Click to see>#4 drag <Click to see>#6", "word=6"},
          {NUMBERS "hold <Click to see>#3 drag <Click to see>#6 drag 2,2 release", "word=6"},
          {NUMBERS "hold <Click to see>#3 drag <Click to see>#6 release move <Click to see>#9",
           "word=6; typing=no"},
          {NUMBERS "wheel+1 <Click to see>#4", "word=12"},
          {NUMBERS "wheel+1 <Click to see>#4 wheel-1 <Click to see>#4", "word=13"},
          {NUMBERS "wait 0.1", "playing=yes"},
          {NUMBERS "wait 0.1 press <Play the words>", "playing=no"},
          {NUMBERS "wait 0.1 press <Play the words> press <Play the words>", "playing=yes"})

/* Out of the window, or where a dialog lies over it, nothing is pointed at. */
VIEW_ROWS("caption", what_is_pointed_at_ends_with_the_pointer,
          {NUMBERS "move 4,4", "drawn~under the pointer"},
          {NUMBERS "move 4,4 leave", "drawn!~under the pointer"})

VIEW_ROWS("caption", values_are_changed_by_keys_wheel_and_click, {NUMBERS "e", "temperature=1.189"},
          {NUMBERS "e E", "temperature=1"}, /* up and down meet */
          {NUMBERS "wheel-1 <Scores are divided>", "temperature=0.841"},
          {NUMBERS "press3 <Scores are divided>", "temperature=0.841"},
          {NUMBERS "wheel-1 <Scores are divided> press <Scores are divided>", "temperature=1"},
          {NUMBERS "wheel+40 <Scores are divided>", "temperature>1"},
          {"{temperature=4} e", "temperature=4; answered=no; value 3,60>0.00007"},
          {"{temperature=0.25} E", "temperature=0.25; answered=no"},
          {NUMBERS "press <What makes weights>", "normalizer=softmax"},
          {NUMBERS "press3 <What makes weights>", "normalizer=sparsemax"},
          {"{normalizer=sparsemax}", "normalizer=sparsemax; calls=2"},
          {"{normalizer=softmin}", "normalizer=own"}, {"{temperature=1e9}", "temperature=4"},
          {"w w w w w w w w w", "beam=5"}, {"W W W W W W W W W", "beam=1"},
          {NUMBERS "{beam=1} wheel+1 <Beam width>", "beam=2"},
          {"{beam=77} {word=500} {speed=1000}", "beam=5; word=13; speed=4"}, {"{word=5}", "word=5"},
          {"{temperature=nan} {temperature=warm} {beam=x} {word=-inf} {picture=4} {picture=-1} "
           "{picture=1e30} {model=gaussian} {compared with=absent} {hidden=4x4: 1-3} "
           "{hidden=14x14 1} {map=jet} {overlay=fog} {prefix=zebra a a} {replaced=99 -4 x} "
           "{colour=blue} {opacity=inf} {speed=}",
           "temperature=1; beam=3; word=13; picture=0; model=additive; hidden=; map=inferno; "
           "overlay=light; prefix=; replaced=; opacity=0.85; speed=1; turns=0; " PLAIN})

static void has_two_maps(one_view *v)
{
    v->source->result.attributions = 1u << SAC_ATTRIBUTION_RELEVANCE;
}

static void has_layers(one_view *v)
{
    v->source->weights.layers = 2;
    v->source->weights.heads = 3;
}

#define LAYER "<The layer whose>"
VIEW_ROWS("caption", kinds_of_map_layers_and_heads_are_those_of_the_model, {"", "drawn!~relevance"},
          {"", "drawn~relevance; drawn!~encoder; attribution=raw", has_two_maps},
          {"press \"relevance\"", "attribution=relevance; calls=2", has_two_maps},
          {"z", "attribution=relevance", has_two_maps}, {"z z", "attribution=raw", has_two_maps},
          {NUMBERS "press <What a map is made of>", "attribution=relevance", has_two_maps},
          {NUMBERS, "layer=mean; head=mean; drawn!~model", has_layers},
          {NUMBERS "press " LAYER, "layer=0; calls=2; reopens=yes", has_layers},
          {NUMBERS "wheel-1 " LAYER, "layer=1", has_layers},
          {NUMBERS "press " LAYER " press " LAYER " press " LAYER, "layer=mean", has_layers},
          {"up up r", "layer=1; head=0", has_layers}, {"{layer=1} {layer=}", "layer=1", has_layers},
          {"{head=7}", "head=2", has_layers})

VIEW_ROWS("caption", models_take_turns, {"", "model=additive; value 13,144>0.1"},
          {"g", "model=scaled-dot; value 13,144<0.06"}, {"g g", "model=additive"},
          {"g", "drawn~only one model here: “additive”; answered=yes", has_one_model},
          {"g left", "drawn!~only one model here", has_one_model})

/* A map that looks at everything is not drawn as heat; a flatter one looks flatter while the
 * temperature moves; another picture begins anew. */
VIEW_ROWS("caption", the_scale_is_that_of_all_words_and_rests,
          {NUMBERS, "drawn~0.0408", has_learnt_nothing},
          {"", "scale end=0.12476; value 3,60<0.12476"}, {"{temperature=4}", "scale end=0.12476"},
          {"{temperature=4} n", "scale end<0.12"},
          {NUMBERS "{word=1} l", "scale!=shared scale, square root"},
          {NUMBERS "{word=1} l l l l l", "scale=shared scale, square root"}, /* round */
          {NUMBERS "{word=1} {scale=per map}", "drawn~“small”; reopens=yes"},
          {NUMBERS "{word=1} l", "reopens=yes"}, {NUMBERS "{word=1} l l", "reopens=yes"},
          {NUMBERS "{word=1} l l l l", "reopens=yes"},
          {NUMBERS "{word=1} press <What the colours mean>", "scale!=shared scale, square root"})

/* ---------------------------------------------------------------- hiding */

VIEW_ROWS("caption", hidden_cells_are_not_seen,
          /* fast: cells between are painted too; the middle of the square is still seen */
          {NUMBERS "hold3 8,7 drag 11,7 release", "hidden=14x14: 106-109; " PLAIN},
          {NUMBERS "hold3 8,7 drag 11,7 release press3 9,8",
           "rows~a large black square; value 7,121=0"},
          {NUMBERS "hold3 8,7 drag 11,7 release press3 9,8 press3 9,8", "hidden=14x14: 106-109"},
          {NUMBERS "hold3 8,7 drag 11,7 release u", "hidden=; " PLAIN},
          {NUMBERS "press 3,3", "hidden="}, {NUMBERS "h", "drawn~arrows and space"},
          {NUMBERS "h press 3,3", "hidden=14x14: 45"},
          {NUMBERS "h press 3,3 Esc press 5,5", "hidden=14x14: 45"}, /* the mode was left */
          /* by keys, from the cell that the word looks at most; the edge is the end */
          {NUMBERS "h space", "hidden=14x14: 144; word=13"},
          {NUMBERS "h space right Return", "hidden=14x14: 144-145"},
          {NUMBERS "h space right Return space", "hidden=14x14: 144"},
          {NUMBERS "h up up up up up up up up up up up up up up space Esc left",
           "hidden=14x14: 4; word=12"},
          {NUMBERS "{hidden=14x14: 0-195} o m b", "drawn~every cell is hidden: U shows them again"},
          {NUMBERS "wait 0.1 space {word=7} wait 1 press3 9,8", "word=7; moves=yes"},
          /* without numbers the left button covers a hand's breadth */
          {"press 5,5", "hidden=14x14: 60-62 74-76 88-90"}, {"press 5,5 press 5,5", "hidden="})

/* ---------------------------------------------------------------- holding */

#define HELD "rows=a small red circle above a large purple square and a small purple star"

/* From the word on that is current, and only while the mode is on. */
VIEW_ROWS("caption", words_look_where_they_are_held,
          {NUMBERS "{word=5} x", "drawn~from this word on it looks there; gaze=; " PLAIN},
          {NUMBERS "{word=5} x hold 8,7 drag 11,7 release", "gaze~11,7,1 from 6; " HELD},
          {NUMBERS "{word=5} x hold 8,7 release x", "gaze~8,7,1 from 6; " HELD},
          {"{word=7} x hold 8,7 release x",
           "drawn~it looked where you hold it for “purple”; drawn~blue"},
          {NUMBERS "{word=5} x hold 8,7 release x", "word=5; reopens=yes"},
          {NUMBERS "{word=5} x hold 8,7 release Esc", "gaze=; " PLAIN},
          {NUMBERS "{word=5} x hold 8,7 release x Esc", "gaze=; " PLAIN},
          {NUMBERS "{word=5} x hold 8,7 release {word=9} hold 2,3 release", "gaze~2,3,1 from 10"},
          {NUMBERS "{word=5} x x hold 8,7 release", "gaze=; " PLAIN},
          {NUMBERS "x h press 3,3", "gaze=; hidden=14x14: 45"}, /* one of both */
          {NUMBERS "{gaze=3,4,2 from 6}", HELD}, {NUMBERS "{gaze=99,4}", "gaze=; " PLAIN})

/* Head 1.1 looks at a cell of its own for each word, with most of its weight; the others look everywhere alike. */
static sac_status look_at_own_cells(void *self, const sac_result_request *request, int layer,
                                    int count, float *maps, sac_error *error)
{
    enum { CELLS = FAKE_GRID * FAKE_GRID };
    (void)self, (void)request, (void)error;
    for (int head = 0; head < 3; head++)
        for (int t = 0; t < count; t++, maps += CELLS) {
            const bool looks = layer == 1 && head == 1;
            for (int i = 0; i < CELLS; i++)
                maps[i] = (looks ? 0.2f : 1) / CELLS;
            if (looks)
                maps[3 * FAKE_GRID + t % FAKE_GRID] += 0.6f;
        }
    return SAC_OK;
}

static void has_gaze_heads(one_view *v)
{
    v->source->weights.layers = 2;
    v->source->weights.heads = 3;
    v->source->result.head_maps = look_at_own_cells;
}

/* All are held, or those that look at what is described, which have boxes. */
VIEW_ROWS("caption", heads_that_look_have_boxes_and_are_held_alone,
          {NUMBERS "j", "gaze=; drawn!~box", NULL},
          {NUMBERS "{word=5} j",
           "gaze=heads auto; drawn~box: the look of 1 of 6 heads: 1.1; " PLAIN, has_gaze_heads},
          {NUMBERS "{word=5} j", "reopens=yes", has_gaze_heads},
          {"{word=5} j", "drawn~box: the look of 1 of 6 heads: 1.1", has_gaze_heads},
          {"{word=5} j f", "drawn~box: the look of 1 of 6 heads: 1.1", has_gaze_heads},
          {NUMBERS "j j", "gaze=; drawn!~box", has_gaze_heads},
          {NUMBERS "{word=5} j x hold 8,7 release",
           "gaze~8,7,1 from 6 heads auto; drawn~heads held: 1 of 6; " HELD, has_gaze_heads},
          {NUMBERS "{word=5} x hold 8,7 release j x Esc", "gaze=; " PLAIN, has_gaze_heads},
          {NUMBERS "{gaze=heads 0.2}", "gaze=heads 0.2; drawn~box: the look of 1 of 6 heads: 0.2",
           has_gaze_heads},
          {"size 1600x900 " NUMBERS "j", "drawn~gaze heads; drawn~those that look", has_gaze_heads})

/* ---------------------------------------------------------------- replacing words */

VIEW_ROWS("caption", a_word_is_replaced_and_the_model_goes_on, {LIST, "typing=yes; drawn~black"},
          {LIST "Return",
           "rows~a small red circle above a large black square; replaced=7; word=7; typing=no"},
          {LIST "Return press <Take back the word>", PLAIN},
          {"press <Click to see>#8", "word=7; typing=no"},
          {"press <Click to see>#8 press <Click to put>", "typing=yes"},
          {"press <Click to see>#8 press <Click to put> press 0,0", "typing=no; replaced="},
          {"{word=8} Return " ALL "'s'", "drawn~small; drawn~star"},
          {"{word=8} Return " ALL "'stx' Return", "typing=yes"}, /* nothing to choose */
          {"{word=8} Return " ALL "'stx' Backspace Return", "rows~a large blue star; typing=no"},
          {LIST ALL "down down down down Return", "replaced=7"}, {LIST ALL, "drawn!~diamond"},
          {LIST ALL "down down down down down down down down down down down down down down down "
                    "down down down down down down down down down",
           "drawn~diamond"},
          {LIST ALL "wheel-100 \"triangle\"", "drawn~diamond"},
          {LIST ALL "press \"right\"", "rows~a large right; replaced=7"},
          {LIST "'?2t'", "truth=off; typing=yes"}, /* letters that are typed are no commands */
          {LIST "'?2t' Esc", "typing=no"}, {LIST ALL, "drawn!~<pad>", allows_signs},
          {LIST ALL "'<'", "drawn~<pad>", allows_signs})

#define GREEN "{word=2} Return " ALL "'green' Return "
#define WHITE "{word=7} Return " ALL "'white' Return "
VIEW_ROWS(
    "caption", replaced_words_are_taken_back_last_first,
    {GREEN, "drawn~red"}, /* struck out beside what came */
    {GREEN "press <Take back the word>", "drawn!~green"},
    {GREEN WHITE, "rows~a small green circle above a large white square; replaced=2 7"},
    {GREEN WHITE "press <Take back the word>#2",
     "rows~a small green circle above a large blue square; replaced=2"},
    {GREEN WHITE "press <Take back the word>#2 press <Take back the word>", PLAIN},
    {WHITE GREEN,
     "rows~a small green circle above a large blue square; replaced=2"}) /* what followed is generated anew */

/* Tokens 0 and 4, "a" and "above", are special ones here. */
static sac_status generate_special(void *self, const sac_result_request *q, sac_result *c,
                                   sac_error *error)
{
    sac_status status = fake_generate(self, q, c, error);
    const bool special[SAC_MAX_TOKENS] = {[0] = true, [4] = true};
    if (status == SAC_OK)
        sac_result_set_apart(c, special);
    return status;
}

static void has_special_tokens(one_view *v)
{
    v->source->result.generate = generate_special;
}

TEST(special_tokens_are_no_words_but_precede_the_one_that_is_replaced)
{
    static const char *const tokens[] = {"a",     "small", "red",   "circle",
                                         "above", "a",     "large", "white"};
    float map[FAKE_GRID * FAKE_GRID]; /* of token 7 */
    sac_causal answer;
    view_hand plain = view_open("caption", view_calls, NULL),
              h = view_open("caption", view_calls, has_special_tokens);
    view_run(&plain, "");
    view_run(&h, "");
    view_claim(&h, "rows=small red circle a large blue square and a small yellow star");
    sentence_view *v = sentence_of(one_of(h.v));
    memcpy(map, sentence_map(&sentence_of(one_of(plain.v))->result, 7), sizeof map);
    assert_memory_equal(sentence_map(&v->result, 5), map, sizeof map);
    const sac_result_request request = sentence_request(v);
    OK(sac_causal_ask(h.v->source, &request, &v->result, 5, 1, &answer, &failure));
    assert_float_equal(answer.hidden, 0.004, 1e-6); /* that of the word as it is given */
    sentence_replace(v, 5, fake_word("white"));
    assert_int_equal(v->prefix.count, 8);
    for (int i = 0; i < 8; i++)
        assert_string_equal(viz_vocabulary(h.v->source, v->prefix.words[i]), tokens[i]);
    view_run(&h, "wait 0");
    view_claim(&h, "rows~small red circle a large white square; replaced=7");
    view_run(&h, "press <Take back the word>");
    view_claim(&h, "replaced=; prefix=");
    view_close(&plain);
    view_close(&h);
}

/* ---------------------------------------------------------------- truth, and what mattered */

VIEW_ROWS("caption", the_truth_is_shown_on_demand, {"t", "truth=on"},
          {"t " GREEN, "drawn~truly: a small red circle"}, {"p t", "truth=off; drawn~ground truth"})

VIEW_ROWS("caption", where_a_word_looked_matters_if_another_comes_without_it,
          {"{word=2} wait 0.5", "calls=1"}, /* not before the key */
          {"{word=2} d", "matters=on; calls=12; drawn~the likeliest is “black”, not “red”"},
          {"{word=2} d wait 0.1", "calls=12"}, /* once */
          {"{word=2} d {word=3}", "calls=23"},
          {"{word=2} d w", "calls=24"}, /* another demand: another answer */
          {"{word=2} d n", "matters=off"}, {"d", "matters=on"}, {"d Esc", "matters=off"})

/* ---------------------------------------------------------------- without numbers */

VIEW_ROWS("caption", the_numbers_are_behind_a_button,
          {"", "numbers=off; drawn!~words × 196 cells; drawn~heat"},
          {"=", "numbers=on; drawn~words × 196 cells"}, {"press \"heat\"", "overlay=heat"},
          {NUMBERS "press \"contour\"", "overlay=contour"},
          {NUMBERS "press \"contour\" press \"heat\"", "overlay=heat"},
          {NUMBERS "press \"contour\" press \"light\"", "overlay=light"})

/* ---------------------------------------------------------------- the figure, and the pointer */

VIEW_ROWS("caption", a_figure_has_the_whole_canvas, {"", "drawn~saccade"},
          {"f", "drawn!~saccade; drawn!~keys"})

VIEW_ROWS("caption", the_pointer_reads_cells_of_picture_and_matrix,
          {NUMBERS "move 9,8", "drawn~(9, 8)"},
          {NUMBERS "move 9,8 move 9,8", "answered=no"}, /* the same cell */
          {NUMBERS "move <One row a word>@0.3,0.18", "drawn~red"},
          {NUMBERS "move 9,8 leave", "drawn!~(9, 8)"})

/* ---------------------------------------------------------------- regions */

static void gives_a_region(one_view *v)
{
    generates(v, (sac_result){0});
    generated_as.regions = (sac_regions){
        .form = SAC_REGIONS_LABELLED, .width = 280, .height = 280, .count = 1, .labels = "circle"};
    generated_as.regions.region[0] = (sac_region){
        .is_box = true, .points = 2, .first = 3, .end = 5, .label_first = 2, .label_end = 3};
    for (int i = 0; i < 2; i++)
        generated_as.regions.bin[0][i] = 100, generated_as.regions.bin[1][i] = 500;
}

/* Whether the right side of a region of 0.1 … 0.5 of the picture has the accent's colour. */
static bool stands_out(view_hand *h)
{
    viz_canvas *canvas = &h->v->canvas;
    viz_color accent = canvas->theme->accent;
    viz_shell_draw(&h->v->shell, canvas);
    viz_rect p = h->v->class->map_rect(one_of(h->v));
    int x = (int)(p.x + 0.5f * p.w), y = (int)(p.y + 0.3f * p.h);
    for (int i = -4; i <= 4; i++) { /* across the line */
        const uint8_t *c = viz_pixel_at(canvas, x + i, y);
        if (c[0] == accent.r && c[1] == accent.g && c[2] == accent.b)
            return true;
    }
    return false;
}

TEST(a_region_stands_out_while_its_words_come)
{
    view_hand h = view_open("caption", view_calls, gives_a_region);
    for (int word = 0; word < 7; word++) {
        char events[64];
        snprintf(events, sizeof events, NUMBERS "wait 0.1 {playing=no} {word=%d} wait 2", word);
        view_run(&h, events);
        assert_int_equal(stands_out(&h), word >= 2 && word < 5);
    }
    view_close(&h);
}

/* ---------------------------------------------------------------- changes of the sentence */

static void generate(sentence_words *generated, const char *text)
{
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    generated->count = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        snprintf(generated->words[generated->count++].text, sizeof generated->words->text, "%s",
                 word);
}

/* "a child flies a [purple] yellow* kite": what is gone in brackets, what is new with a star. */
static const char *changed(const char *before, const char *now)
{
    static char text[512];
    static sentence_words was, is;
    static sac_result sentence;
    static sentence_changes changes;
    size_t used = 0;
    generate(&was, before);
    generate(&is, now);
    sentence.count = is.count;
    memcpy(sentence.outputs, is.words, sizeof is.words);
    sentence_changes_find(&was, &sentence, &changes);
    assert_true(changes.none == (strcmp(before, now) == 0));
    text[0] = '\0';
    for (int i = 0; i <= is.count; i++) {
        if (changes.gone[i][0])
            used += (size_t)snprintf(text + used, sizeof text - used, "[%s] ", changes.gone[i]);
        if (i < is.count)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s ", is.words[i].text,
                                     changes.fresh[i] ? "*" : "");
    }
    return text;
}

TEST(what_a_change_changed_is_struck_out_beside_what_came)
{
    assert_string_equal(changed("a child flies a purple kite", "a child flies a yellow kite"),
                        "a child flies a [purple] yellow* kite ");
    assert_string_equal(changed("a child flies a kite", "a child flies a red kite"),
                        "a child flies a red* kite ");
    assert_string_equal(changed("a dog runs on the beach", "a dog runs"),
                        "a dog runs [on the beach] ");
    assert_string_equal(changed("a dog runs", "a dog runs"), "a dog runs ");
    /* Of much the first words are read, and a sentence that is wholly another has no changes. */
    assert_string_equal(changed("a dog runs on the long beach", "a dog runs"),
                        "a dog runs [on the long …] ");
    assert_string_equal(changed("a dog runs on the beach", "two red boats sail"),
                        "two red boats sail ");
    assert_string_equal(changed("", "a dog"), "a dog ");
}

/* ---------------------------------------------------------------- where words stand, and the panels of a figure; that
 * all is apart is tested in shell/test_layout.c */

enum { LONG = 128 };

static sentence_view shown;

/* Below the tabs. The sentence is lent. */
static const sentence_layout *lay(const viz_canvas *canvas, const sac_result *sentence, bool plain,
                                  int word)
{
    static sac_source source;
    shown = (sentence_view){.base = {.class = &viz_caption_class, .source = &source},
                            .sees = true,
                            .result = *sentence,
                            .numbers = !plain,
                            .player.step = word};
    caption_lay(&shown, canvas,
                (viz_rect){0, VIZ_TABS_HEIGHT, (float)canvas->width,
                           (float)canvas->height - VIZ_TABS_HEIGHT});
    return &shown.layout;
}

/* What is struck out makes the sentence longer and so smaller, and a note is one line more. */
TEST(the_picture_keeps_its_size_while_the_sentence_changes)
{
    static const size_t ends[] = {1, 7, 13, 15, 22, 27, 30, 36, 40, 44, 48, 55};
    static const bool keeps[12] = {false};
    viz_canvas canvas = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    sac_result caption = {.grid_w = 14, .grid_h = 14, .count = 12, .finished = true};
    assert_true(sac_result_take_line(
        &caption, strdup("a child flies a yellow kite on a beach and the sun shines"), ends,
        keeps));
    viz_rect before = lay(&canvas, &caption, true, 0)->picture;
    float size = shown.layout.line.size;
    strcpy(shown.changes.gone[4], "purple");
    strcpy(shown.result.note, "unsure of “yellow” (0.20)");
    caption_lay(&shown, &canvas,
                (viz_rect){0, VIZ_TABS_HEIGHT, (float)canvas.width,
                           (float)canvas.height - VIZ_TABS_HEIGHT});
    assert_true(shown.layout.line.size < size && shown.layout.note.w > 0);
    assert_memory_equal(&shown.layout.picture, &before, sizeof before);
    sac_result_free(&caption);
}

/* "harbour." is one word of three tokens, and reads so; a blank that the tokenizer has before a full stop is seen. */
TEST(words_stand_as_their_line_has_them)
{
    static const size_t ends[] = {3, 7, 11, 12, 14}, gap_ends[] = {3, 7, 11, 13, 15};
    static const bool keeps[5] = {false};
    viz_canvas canvas = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    sac_result caption = {.grid_w = 14, .grid_h = 14, .count = 5, .finished = true}, gap = caption;
    assert_true(sac_result_take_line(&caption, strdup("the harbour. #"), ends, keeps));
    assert_true(sac_result_take_line(&gap, strdup("the harbour . #"), gap_ends, keeps));
    for (int plain = 0; plain < 2; plain++) {
        const viz_rect *w = lay(&canvas, &caption, plain, 0)->line.word;
        float letters = viz_text_width(&canvas, VIZ_SANS, shown.layout.line.size, "bour");
        assert_true(w[1].x > w[0].x + w[0].w + 3);
        assert_true(fabsf(w[2].x - w[1].x - w[1].w) < 0.01f && fabsf(w[2].w - letters) < 0.01f);
        assert_true(fabsf(w[3].x - w[2].x - w[2].w) < 0.01f);
        assert_true(w[4].x > w[3].x + w[3].w + 3);
        w = lay(&canvas, &gap, plain, 0)->line.word;
        assert_true(w[3].x > w[2].x + w[2].w + 3);
    }
    sac_result_free(&caption);
    sac_result_free(&gap);
}

/* Of a page that was read the lines around the current word are seen. */
TEST(a_long_sentence_scrolls_with_its_word)
{
    enum { WORDS = 444 };
    viz_canvas canvas = {.width = 800, .height = 500, .density = 1, .theme = &viz_theme_dark};
    static sac_result caption;
    caption = (sac_result){.grid_w = 14, .grid_h = 14, .count = WORDS};
    for (int i = 0; i < WORDS; i++)
        snprintf(caption.outputs[i].text, sizeof caption.outputs[i].text, "sentence%d", i);
    for (int plain = 0; plain < 2; plain++)
        for (int word = 0; word < WORDS; word += word == 407 ? 36 : 37) {
            const sentence_layout *l = lay(&canvas, &caption, plain, word);
            int seen = 0;
            for (int i = 0; i < WORDS; i++) {
                const viz_rect r = l->line.word[i];
                if (r.h > 0) {
                    seen++;
                    assert_true(r.y >= VIZ_TABS_HEIGHT && r.y + r.h <= 500 && r.x >= 0 &&
                                r.x + r.w <= 800);
                }
            }
            assert_true(l->line.word[word].h > 0 && seen > 20 && seen < WORDS);
            assert_true(l->picture.h > 90);
        }
}

/* ---------------------------------------------------------------- the figure */

static void check_figure(int width, int height, int words, float aspect)
{
    static rect_list list;
    viz_canvas canvas = {.width = width, .height = height, .density = 1};
    viz_rect area = {0, 0, (float)width, (float)height};
    caption_figure f = caption_lay_panels(&canvas, area, words, aspect);
    list.count = 0;
    assert_int_equal(f.panels, words + 1);
    float covered = 0;
    for (int i = 0; i < f.panels; i++) {
        add(&list, "panel", i, f.panel[i]);
        add(&list, "label", i, f.label[i]);
        assert_true(f.panel[i].w == f.panel[0].w && f.panel[i].h == floorf(f.panel[0].w / aspect));
        covered += f.panel[i].w * (f.panel[i].h + f.label[i].h);
    }
    for (int i = 0; i < list.count; i++) {
        const viz_rect r = list.items[i].rect;
        assert_true(r.x >= 0 && r.y >= 0 && r.x + r.w <= area.w && r.y + r.h <= area.h);
        for (int k = 0; k < i; k++)
            assert_false(overlap(r, list.items[k].rect));
    }
    if (words >= 4) /* the rest is margins, gaps, and at worst places left empty */
        assert_true(covered > 0.4f * area.w * area.h);
}

TEST(the_figure_is_a_tidy_grid_that_fills_the_canvas)
{
    const int sizes[][2] = {{1280, 720}, {800, 500}, {3840, 2160}, {600, 900}, {2000, 400}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int words = 0; words <= LONG; words++) {
            check_figure(sizes[s][0], sizes[s][1], words, 1);
            check_figure(sizes[s][0], sizes[s][1], words, 1.5f);
        }
}

/* ---------------------------------------------------------------- the list */

TEST(the_list_stands_clear_of_its_word)
{
    const viz_rect area = {0, VIZ_TABS_HEIGHT, 800, 456};
    const viz_rect words[] = {{20, 440, 50, 30}, {740, 440, 50, 30}, {300, 60, 50, 30}};
    for (int i = 0; i < 3; i++)
        for (int rows = 0; rows < 40; rows += 3) {
            int fit;
            viz_rect r = viz_word_list_layout(area, words[i], rows, &fit);
            assert_false(overlap(r, words[i]));
            assert_true(r.x >= area.x && r.x + r.w <= area.x + area.w);
            assert_true(r.y >= area.y && r.y + r.h <= area.y + area.h);
            assert_true(fit <= rows && (fit == rows || fit >= 8));
        }
}

VIEW_ROWS_MAIN
