/* The view of what comes next: tokens are chosen, played and replaced, and sliders move what may be drawn. */
#include "view_rows.h"

#define WORD "<to see how this token came>"
#define CANDIDATE "<to put this word here>"
#define CELLS "<One row a generated token>"
#define TEMPERATURE "<Divides the scores>"

static void make_mute(one_view *v)
{
    v->outputs.fails = true;
}

static const view_call view_calls[] = {{0}};

VIEW_ROWS("next", tokens_are_generated_and_each_is_chosen_by_key_word_and_row,
          {"", "generated=0 0 0 0 12; step=0; drawn~“ w100”"}, {"j", "step=1; drawn~“ w101”"},
          {"press " WORD "#5", "step=4; drawn~“ w104”"}, {"press " CELLS "@0.02,0.625", "step=7"},
          {"End", "step=11"}, /* and played from the first again: */
          {"End wait 0.1 space wait 1", "step=1"})

VIEW_ROWS("next", a_candidate_that_is_clicked_is_generated_and_undone,
          {"press " WORD "#4 press \"“ w103”\"", "generated=0 0 0 0 12"}, /* it stands there */
          {"press " WORD "#4 press " CANDIDATE "#2",
           "generated=0 0 0 0 12 3=202; step=3; rows~·w202"},
          /* One further ahead is kept, one before it forgets both. */
          {"press " WORD "#4 press " CANDIDATE "#2 press " WORD "#6 press " CANDIDATE "#1",
           "generated=0 0 0 0 12 3=202 5=201"},
          {"press " WORD "#4 press " CANDIDATE "#2 press " WORD "#2 press " CANDIDATE "#1",
           "generated=0 0 0 0 12 1=201"},
          {"press " WORD "#2 press " CANDIDATE "#1 {"
           "said"
           "=0 0 0 0 12}",
           "rows~·w101; rows!~·w201"})

VIEW_ROWS("next", sliders_move_candidates_at_once_and_what_is_generated_when_asked,
          {"", "drawn~2 may be drawn"},
          {"press " TEMPERATURE "@0.74,0.7",
           "temperature=1.5; drawn~1000 may be drawn; generated=0 0 0 0 12"},
          {"press " TEMPERATURE "@0.74,0.7 n", "generated=1.5 0 0 1 12"})

TEST(a_failure_to_generate_is_reported_and_tried_once)
{
    view_hand h = view_open("next", view_calls, make_mute);
    view_run(&h, "wait 0.1");
    view_claim(&h, "drawn~it is mute");
    assert_int_equal(h.v->outputs.asked, 1);
    view_close(&h);
}

TEST(all_has_room_in_any_window)
{
    static const char *const sizes[] = {"size 640x400", "size 800x600", "size 1280x800",
                                        "size 1920x1080", "size 600x900"};
    static const char *const sliders[] = {"Divides the scores", "the most probable tokens alone",
                                          "so much of the probability together"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_rect cells, last = {0}, slider;
        view_hand h = view_open("next", view_calls, NULL);
        view_run(&h, sizes[i]);
        assert_true(view_find_spot(&h, "One row a generated token", 1, &cells));
        assert_true(cells.h >= 60 && cells.w >= 150);
        int lines = 0;
        for (viz_rect r; view_find_spot(&h, "to put this word here", lines + 1, &r); lines++)
            last = r;
        assert_true(lines >= 3);
        for (int k = 0; k < 3; k++) {
            assert_true(view_find_spot(&h, sliders[k], 1, &slider));
            assert_true(slider.y >= last.y + 19);
        }
        view_close(&h);
    }
}

VIEW_ROWS_MAIN
