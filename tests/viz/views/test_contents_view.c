/* viz/views/contents: a file that holds several attentions asks which one. */
#include "view_rows.h"

static void unread(one_view *v)
{
    v->source->weights.opened.reading = -1;
    for (int i = 0; i < READINGS; i++)
        snprintf(v->readings[i].meaning, sizeof v->readings[i].meaning, "reading %d", i);
}

static const view_call view_calls[] = {{0}};

TEST(only_a_file_with_a_choice_has_the_tab)
{
    view_hand h = view_open("contents", view_calls, unread);
    assert_true(h.v->class->accepts(h.v->source));
    h.v->source->weights.opened.reading_count = 1;
    assert_false(h.v->class->accepts(h.v->source));
    h.v->source->weights.opened.reading_count = READINGS;
    view_close(&h);
}

#define SMALL "size 640x400 " /* has no room for all */
#define TO_END "down down down down down down down down down down down down down "
#define TO_TOP "up up up up up up up up up up up up up "
VIEW_ROWS("contents", a_reading_is_chosen_by_a_click_or_by_keys,
          {SMALL "press \"reading 2\"", "choose=2; choose=-1", unread},
          {SMALL "press <Shows the attention>#3", "choose=2", unread}, {SMALL, "choose=-1", unread},
          {SMALL TO_END "Return", "choose=11; drawn~reading 11; drawn!~reading 2", unread},
          {SMALL TO_END "press \"reading 9\"", "choose=9", unread},
          {SMALL TO_END TO_TOP "Return", "choose=0; drawn~reading 0", unread})

VIEW_ROWS_MAIN
