/* viz/views/weights/heads: all heads beside each other. */
#include "rects.h"
#include "view_rows.h"

#include "extent.h"
#include "status.h"
#include "weights/weights_model.h"
#include "weights/weights_view.h"

/* ---------------------------------------------------------------- what is shown */

VIEW_HEADS(three_of_four, 3, 4, 8, 8, false, 0)
VIEW_HEADS(three_of_five, 3, 5, 9, 9, false, 0)
VIEW_HEADS(five_of_three, 5, 3, 6, 6, false, 0)
VIEW_HEADS(two_of_three, 2, 3, 6, 6, false, 0)
VIEW_HEADS(two_of_two, 2, 2, 24, 24, false, 0)
VIEW_HEADS(many_layers, 30, 5, 4, 4, false, 0)
VIEW_HEADS(more_than_fit, 24, 32, 4, 4, false, 0)
VIEW_HEADS(three_by_three, 3, 3, 24, 24, false, 0)
VIEW_HEADS(one_alone, 1, 1, 8, 8, false, 0)
VIEW_HEADS(a_large_model, 24, 16, 4, 4, false, 0)
VIEW_HEADS(over_cells, 4, 3, 17, 17, false, 4)
VIEW_HEADS(many_over_cells, 12, 3, 50, 50, false, 7)
VIEW_HEADS(text_around_cells, 1, 2, 21, 21, false, 4)

static void words_over_cells(one_view *v)
{
    one_heads(v, 1, 2, 10, 17, false, 4);
    fake_label(&v->source->weights.step_labels, 10);
}

static void words_around_cells(one_view *v)
{
    text_around_cells(v);
    v->source->picture.prefix = 2;
}

static void scaled(one_view *v)
{
    three_of_four(v);
    v->source->weights.scale_heads = fake_scale_heads;
    v->source->weights.next_after = fake_next_after;
    v->source->weights.generate_instead = fake_generate_instead;
}

static void a_text(one_view *v)
{
    one_heads(v, 4, 4, 24, 24, true, 0);
    v->source->weights.next_after = fake_next_after;
}

static void a_pair(one_view *v)
{
    static const uint8_t special[8] = {1, 0, 1};
    one_heads(v, 2, 2, 8, 8, false, 0);
    v->source->weights.second = 3;
    v->source->weights.special = special;
}

static void aligned(one_view *v)
{
    static const float alignment[] = {0.2f, 0.4f, 0.3f, 0.1f, 0.99f, 0.5f};
    two_of_three(v);
    v->source->weights.head_alignment = alignment;
}

static void shared_keys(one_view *v)
{
    one_heads(v, 4, 6, 8, 8, false, 0);
    v->source->weights.made.key_heads = 2;
}

static const view_call view_calls[] = {{0}};

/* ---------------------------------------------------------------- where maps are */

#define MAPS "<Click a head>"

static void put_head(view_hand *h, size_t *layer, size_t *head)
{
    char text[VIEW_TEXT];
    view_ask(h, "layer", text);
    *layer = strtoul(text, NULL, 10);
    view_ask(h, "head", text);
    *head = strtoul(text, NULL, 10);
}

/* Moves over all of them, by steps that no map is smaller than: each head that is named opens at a press, and all
 * are found. */
static void find_all(void (*begin)(one_view *v), const char *events, const char *maps, float step,
                     size_t layers, size_t heads)
{
    static bool found[1024];
    static char tip[VIEW_TEXT];
    view_hand h = view_open("heads", view_calls, begin);
    viz_rect area;
    size_t count = 0;
    memset(found, 0, sizeof found);
    view_run(&h, events);
    assert_true(view_find_spot(&h, maps, 1, &area));
    for (float y = area.y + 2; y < area.y + area.h; y += step)
        for (float x = area.x + 2; x < area.x + area.w; x += step) {
            size_t layer, head, at_layer, at_head;
            h.last = (viz_event){.kind = VIZ_MOVE, .x = x, .y = y};
            viz_shell_event(&h.v->shell, &h.last);
            view_ask(&h, "tip", tip);
            if (sscanf(tip, "layer %zu, head %zu", &layer, &head) != 2 ||
                found[layer * heads + head])
                continue;
            assert_non_null(strstr(tip, "entropy"));
            h.last.kind = VIZ_PRESS;
            h.last.button = 1;
            view_send(&h, h.last);
            put_head(&h, &at_layer, &at_head);
            assert_true(layer == at_layer && head == at_head);
            found[layer * heads + head] = true;
            count++;
        }
    assert_int_equal(count, layers * heads);
    view_close(&h);
}

TEST(each_head_is_named_and_opened_where_it_is_drawn)
{
    find_all(three_of_four, "", "Click a head", 20, 3, 4);
    find_all(many_layers, "", "Click a head", 16, 30, 5); /* in two blocks */
    find_all(many_layers, "{sort=entropy}", "Click a head", 16, 30, 5);
    find_all(shared_keys, "", "Click a head", 20, 4, 6);
    find_all(shared_keys, "{sort=entropy}", "Click a head", 20, 4, 6);
}

/* At any density the number of a caption is whole. */
TEST(the_number_of_a_caption_is_whole)
{
    static char drawn[VIEW_TEXT];
    view_hand h = view_open("heads", view_calls, three_of_four);
    view_run(&h, "");
    for (int eighths = 6; eighths <= 24; eighths += 2) {
        h.v->canvas.density = (float)eighths / 8;
        view_texts(&h, "", drawn);
        assert_null(strstr(drawn, "0. "));
        assert_null(strstr(drawn, ".… "));
    }
    view_close(&h);
}

/* ---------------------------------------------------------------- choosing a head */

VIEW_ROWS("heads", heads_are_chosen_sorted_and_reduced, {"{layer=1} {head=2}", "layer=1; head=2"},
          {"{layer=0} {head=0} up left", "layer=23; head=31",
           more_than_fit}, /* round to the last, … */
          {"{layer=0} {head=0} up left", "drawn~layer 23, head 31", more_than_fit},
          {"{layer=2} {head=1} press <The layers multiplied>",
           "layer=4; drawn~rollout of layers 0 to 4", five_of_three},
          {"{layer=2} {head=1} press <The layers multiplied> {reduce=none}", "layer=2; head=1",
           five_of_three},
          {"{layer=1} {head=2} press <The layers multiplied> left", "layer=3",
           five_of_three}, /* a person may go on */
          {"{layer=1} {head=2} press <The layers multiplied> left r", "layer=3; reduce!=rollout",
           five_of_three},
          {"{layer=1} press <The layers multiplied>", "reduce=rollout; layer=4", five_of_three},
          {"{reduce=mean} {layer=2} {reduce=rollout}", "layer=2",
           five_of_three}, /* as on the command line */
          {"{head=2} {reduce=mean} {reduce=max} {reduce=none}", "head=2", five_of_three},
          {"{reduce=mean}", "drawn~5 layers", five_of_three})

/* "23" is the number of the last layer. */
VIEW_ROWS(
    "heads", more_heads_than_can_be_seen_are_scrolled,
    {"{layer=0} {head=0}", "tips~see the other layers; size 23=0; size 0>0", a_large_model},
    {"{layer=0} {head=0} press <see the other layers>@0.5,0.97", "size 23>0; layer=0",
     a_large_model},
    {"{layer=0} {head=0} wheel-40 <Click a head>", "size 23>0; layer=0", a_large_model},
    {"{layer=0} {head=0} hold <see the other layers>@0.5,0.1 drag <see the other layers>@0.5,0.97",
     "size 23>0", a_large_model},
    {"{layer=0} {head=0} press <see the other layers>@0.5,0.97 down", "layer=1; size 23=0",
     a_large_model}, /* what is chosen comes into view */
    {"{layer=23} {head=0}", "size 23>0", a_large_model}, {"", "tips!~see the other", three_of_five},
    {"", "tips~see the other heads", more_than_fit},
    {"{layout=figure}", "size 23>0; size 0>0", a_large_model}) /* all of them */

/* Where no head is chosen, the one where the query decides most about the key, and the row where it does; a
 * person's choice stays. */
TEST(the_most_informative_head_and_row_are_opened)
{
    view_hand h = view_open("heads", view_calls, three_of_five);
    viz_weights_model *m = ((viz_weights_view *)one_of(h.v))->model;
    view_run(&h, "");
    const sac_weights_stats *opened = &viz_weights_model_entry(m, m->layer, m->head)->scan.stats;
    for (size_t i = 0; i < 15; i++)
        assert_true(viz_weights_model_entry(m, i / 5, i % 5)->scan.stats.information <=
                    opened->information);
    assert_true(opened->information > 0);
    assert_int_equal(m->row, opened->informative_row);
    view_run(&h, "{layer=0} {head=0}");
    view_claim(&h, "layer=0; head=0");
    view_close(&h);
}

/* The heads from left to right and down, as the tip names them. */
static size_t heads_in_order(view_hand *h, size_t most, size_t (*order)[2])
{
    static char tip[VIEW_TEXT];
    viz_rect area;
    size_t count = 0;
    assert_true(view_find_spot(h, "Click a head", 1, &area));
    for (float y = area.y + 4; y < area.y + area.h; y += 8)
        for (float x = area.x + 4; x < area.x + area.w; x += 8) {
            size_t head[2];
            bool known = false;
            h->last = (viz_event){.kind = VIZ_MOVE, .x = x, .y = y};
            viz_shell_event(&h->v->shell, &h->last);
            view_ask(h, "tip", tip);
            if (sscanf(tip, "layer %zu, head %zu", &head[0], &head[1]) != 2)
                continue;
            for (size_t i = 0; i < count; i++)
                known = known || memcmp(order[i], head, sizeof head) == 0;
            if (!known && count < most)
                memcpy(order[count++], head, sizeof head);
        }
    return count;
}

/* Of 24 × 16 none is smaller than can be seen. */
TEST(a_head_of_a_large_model_is_no_stamp)
{
    static const int sizes[][2] = {{1280, 800}, {1280, 600}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t order[384][2];
        view_hand h = view_open("heads", view_calls, a_large_model);
        viz_rect area;
        char size[32];
        snprintf(size, sizeof size, "size %dx%d", sizes[i][0], sizes[i][1]);
        view_run(&h, size);
        assert_true(view_find_spot(&h, "Click a head", 1, &area));
        size_t seen = heads_in_order(&h, 384, order);
        assert_true(seen >= 64);
        assert_true(area.w * area.h / (float)seen > 24 * 24);
        view_close(&h);
    }
}

/* With the words along it, and beside it the keys of a row and what comes next, in any window that is
 * high enough. */
TEST(the_head_of_a_text_has_the_room)
{
    static const int sizes[][2] = {{1280, 800}, {1920, 1080}, {1000, 800}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        view_hand h = view_open("heads", view_calls, a_text);
        const viz_weights_view *v = (const viz_weights_view *)one_of(h.v);
        char size[32];
        snprintf(size, sizeof size, "size %dx%d", sizes[i][0], sizes[i][1]);
        view_run(&h, size);
        view_claim(&h, "drawn~what comes after; drawn~attends to");
        const viz_panel_layout *l = &v->panel.layout;
        float width = viz_width(&h.v->canvas), height = viz_height(&h.v->canvas);
        assert_true(l->area.w >= 0.38f * width && l->cells.w >= 0.4f * height);
        assert_true(l->step_labels && l->position_labels);
        assert_false(overlap(v->row.list, l->cells));
        view_close(&h);
    }
}

TEST(sorting_puts_the_sharpest_or_the_nearest_first)
{
    for (int nearest = 0; nearest < 2; nearest++) {
        size_t order[15][2];
        view_hand h = view_open("heads", view_calls, three_of_five);
        viz_weights_model *m = ((viz_weights_view *)one_of(h.v))->model;
        view_run(&h, nearest ? "{sort=distance}" : "{sort=entropy}");
        assert_int_equal(heads_in_order(&h, 15, order), 15);
        for (size_t i = 1; i < 15; i++) {
            const sac_weights_stats
                *a = &viz_weights_model_entry(m, order[i - 1][0], order[i - 1][1])->scan.stats,
                *b = &viz_weights_model_entry(m, order[i][0], order[i][1])->scan.stats;
            assert_true(nearest ? a->distance <= b->distance : a->entropy <= b->entropy);
        }
        view_close(&h);
    }
}

/* ---------------------------------------------------------------- which head takes it to animal? */

#define ASKS "press <Type the word that looks> "
VIEW_ROWS(
    "heads", a_question_is_typed_above_the_gallery,
    {"", "tips~the word that looks; drawn~which head takes; typing=no", a_text},
    {ASKS, "typing=yes; sort=layer", a_text},
    {ASKS "'area zone'", "typing=yes; sort=layer", a_text}, /* letters, and no commands */
    {ASKS "'area the' Return", "typing=no; sort=asked; ask=23 20; drawn~, head", a_text},
    {ASKS "'23' Return '2' Return", "typing=no; sort=asked; ask=23 2", three_by_three},
    {"press <Type the word that is looked at> '2' press <Type the word that looks> '1' Return "
     "Return",
     "sort=asked; ask=1 2", three_by_three},
    {ASKS "'cat the' Return", "typing=yes; sort=layer; drawn~“cat” is not in the text", a_text},
    {ASKS "'area cat' Return", "typing=yes; sort=layer; drawn~“cat” is not in the text", a_text},
    {ASKS "'area cat' Return Esc", "typing=no; drawn!~not in the text", a_text},
    {ASKS "'induction' Return", "typing=no; sort=asked; heads that!=all", a_text},
    {"k k k", "sort=kind; typing=no", a_text}, {"k k k k", "sort=asked; typing=yes", a_text},
    {"k k k k", "sort=asked; typing=yes", three_by_three}, /* of arrays without words, too */
    {"press <All heads by the weight>", "sort=asked; typing=yes", a_text},
    {"{sort=asked}", "sort=asked; typing=no", a_text}, {"", "tips!~the word that looks", one_alone})

/* Opens the head that has most of it, whichever was chosen before. */
TEST(the_head_that_takes_one_word_to_the_other_is_opened)
{
    view_hand h = view_open("heads", view_calls, three_of_five);
    const viz_weights_model *m = ((viz_weights_view *)one_of(h.v))->model;
    view_run(&h, "{layer=0} {head=0}" ASKS "'7' Return '2' Return");
    size_t best = 0;
    for (size_t i = 1; i < 15; i++)
        if (fake_weight(h.v->matrix, i / 5, 0, i % 5, 7, 2) >
            fake_weight(h.v->matrix, best / 5, 0, best % 5, 7, 2))
            best = i;
    assert_int_equal(m->layer * 5 + m->head, best);
    assert_int_equal(m->row, 7);
    assert_int_equal(m->column, 2);
    view_close(&h);
}

/* ---------------------------------------------------------------- scales and the legend */

TEST(scales_are_named_and_span_what_they_name)
{
    view_hand h = view_open("heads", view_calls, two_of_two);
    viz_weights_model *m = ((viz_weights_view *)one_of(h.v))->model;
    char name[64];
    view_run(&h, "{layer=0} {head=0}");
    float high = viz_weights_model_largest_weight(m, false);
    const struct {
        const char *name;
        float low, high;
    } expected[] = {
        [VIZ_PER_MAP] = {"per map, linear", 0, viz_weights_model_entry(m, 0, 0)->scan.stats.high},
        [VIZ_SHARED] = {"shared by all maps, linear", 0, high},
        [VIZ_ROOT] = {"shared scale, square root", 0, high},
        [VIZ_LOG] = {"logarithmic", 1e-4f, high}, /* 1/24 is in the decade of 0.01 */
        [VIZ_FIXED] = {"fixed, linear", 0, 1}};
    for (int kind = 0; kind < VIZ_SCALE_COUNT; kind++) {
        m->scale = (viz_scale_kind)kind;
        view_run(&h, "wait 0");
        viz_scale scale = viz_panel_scale(&((viz_weights_view *)one_of(h.v))->panel);
        assert_string_equal(viz_weights_model_scale_name(m, name, sizeof name),
                            expected[kind].name);
        assert_true(fabsf(scale.low - expected[kind].low) < 1e-9f);
        assert_true(scale.high == expected[kind].high);
    }
    assert_true(viz_weights_model_uniform(m) == 1.0f / 24);
    m->scale = VIZ_LOG; /* of numbers up to 255, which are no weights */
    viz_scale scale = viz_weights_model_scale(m, 255);
    assert_true(scale.high == 255 && fabsf(scale.low - 255e-4f) < 1e-6f);
    view_close(&h);
}

VIEW_ROWS("heads", the_legend_counts_what_heads_do_and_shows_a_kind_alone,
          {"", "drawn~broad; heads that=all", three_of_five},
          {"press <click to see them alone>", "heads that!=all", three_of_five},
          {"press <click to see them alone> press <click to see>", "heads that=all", three_of_five},
          {"{layout=figure}", "drawn~broad", three_of_five},
          {"press <All heads by the weight>", "sort=asked", three_of_four},
          {"{ask=diagonal}", "sort=asked; heads that=self", three_of_four})

/* ---------------------------------------------------------------- beside a picture */

#define PICTURE "<What the current query attends to>"
#define STRIP "size 800x500 press <Where this head looks>"
VIEW_ROWS("heads", a_picture_is_the_query,
          {"", "tips~keeps its own colours; tips~coloured by its weight; tips~Lines around",
           over_cells},
          {"f", "heads shown=all", over_cells}, {"f f", "heads shown=", over_cells},
          {"f", "reopens=yes", over_cells},
          /* below it the heads, their mean, their largest, and the layers */
          {STRIP "#3", "head=2", over_cells}, {STRIP "#4", "reduce=mean", over_cells},
          {STRIP "#5", "reduce=max", over_cells},
          {STRIP "#5 press <Where this head looks>#2", "reduce=none; head=1", over_cells},
          {"size 800x500 press <Click to choose a layer>@0.375,0.5", "layer=1", over_cells},
          /* tokens that are no cell */
          {"{query=0,7} press <Make this token>", "query~,0", over_cells},
          {"press \"economic\"", "query~,2", words_over_cells},
          /* heads that look at what words describe, where no other pattern is one */
          {"{ask=gaze}", "heads that=gaze; drawn~heads by what is described 0.1", words_over_cells},
          {"{ask=gaze}", "drawn!~previous token", words_over_cells},
          {"press <Make this token>#5", "query~,20; drawn~token 20", words_around_cells},
          {"press <Make this token>#2", "query~,1", words_around_cells},
          {"{query=0,12}", "drawn~query cell (3, 2), or", over_cells},
          {"{query=0,0}", "drawn!~query cell", over_cells},
          {"hold " PICTURE "@0.1,0.1", "query~,1", over_cells},
          {"hold " PICTURE "@0.1,0.1 drag " PICTURE "@0.9,0.4", "query~,8", over_cells},
          {"hold " PICTURE "@0.1,0.1 drag " PICTURE "@0.9,0.4 release move " PICTURE "@0.1,0.4",
           "query=5,8", over_cells})

TEST(each_head_is_named_and_opened_where_it_is_drawn_beside_a_picture)
{
    find_all(over_cells, "", "Where each head looks", 10, 4, 3);
    find_all(many_over_cells, "size 1920x1080", "Where each head looks", 10, 12, 3); /* in blocks */
}

/* The middle, which is a quarter of it, and all of the picture. */
TEST(boxes_take_in_the_heat_that_lies_in_them)
{
    static const sac_caption_truth truth = {
        .objects = 2,
        .object = {{{1, {{0.25f, 0.25f, 0.75f, 0.75f}}}, {"middle"}},
                   {{1, {{0, 0, 1, 1}}}, {"all"}}}};
    view_hand h = view_open("heads", view_calls, over_cells);
    viz_weights_view *v = (viz_weights_view *)one_of(h.v);
    float quarter = 0, all = 0;
    h.v->source->result.truth = truth;
    h.v->source->result.has_truth = true;
    view_run(&h, "{layer=0} {head=0}");
    view_claim(&h, "drawn~middle; drawn~all");
    const float *cells = viz_row_panel_cells(&v->row, v->panel.weights);
    for (size_t i = 0; i < 16; i++) {
        float weight = fake_weight(h.v->matrix, 0, 0, 0, v->model->row, i + 1);
        all += weight;
        quarter += i % 4 % 3 && i / 4 % 3 ? weight : 0;
        assert_float_equal(cells[i], weight, 1e-6f);
    }
    sac_localization localization;
    assert_true(viz_row_boxes_localize(v->model, cells, 0, &localization));
    assert_float_equal(localization.mass, quarter / all, 1e-5f);
    assert_float_equal(localization.box_share, 0.25f, 1e-6f);
    assert_true(viz_row_boxes_localize(v->model, cells, 1, &localization) && localization.inside);
    view_run(&h, "t");
    view_claim(&h, "drawn!~middle");
    view_close(&h);
}

/* ---------------------------------------------------------------- alignment, groups, the animation */

VIEW_ROWS("heads", the_head_that_aligns_best_is_seen_first_marked_and_named,
          {"", "layer=1; head=1; drawn~best", aligned},
          {"{layer=1} {head=1}", "drawn~aligns 99 % of the words, the best", aligned},
          {"{layer=0} {head=1}", "drawn~aligns 40 % of the words", aligned},
          {"{reduce=mean}", "drawn!~best", aligned})

TEST(an_animation_shows_each_head_in_turn)
{
    view_hand h = view_open("heads", view_calls, two_of_three);
    viz_view *view = one_of(h.v);
    view_run(&h, "");
    assert_int_equal(view->class->frames(view, 10), 6 * 6);
    for (size_t i = 0; i < 36; i++) {
        size_t layer, head;
        view->class->frame(view, (int)i, 10);
        view_compute(&h);
        put_head(&h, &layer, &head);
        assert_int_equal(layer * 3 + head, i / 6);
    }
    view_close(&h);
}

/* ---------------------------------------------------------------- heads that are switched off */

VIEW_ROWS("heads", a_head_is_switched_off_by_key_by_mouse_and_by_its_setting,
          {"{layer=1} {head=2}", "without=; drawn!~without 1.2", scaled},
          {"{layer=1} {head=2} h", "without=1.2; drawn~60 % → 20 %", scaled},
          {"press3 " MAPS "@0.06,0.1", "without=0.0", scaled},
          {"press3 " MAPS "@0.06,0.1 press3 " MAPS "@0.06,0.1", "without=", scaled},
          {"{layer=1} {head=2} H", "without=1.2=0.5", scaled}, /* halved */
          {"{without=1.2} {without=2.9}", "without=1.2", scaled},
          {"{without=1.2} u", "without=", scaled},
          {"{layer=1} {reduce=mean} h", "without=1.0,1.1,1.2,1.3",
           scaled}) /* all of a layer where its heads are one map */

TEST(what_is_switched_off_is_asked_of_the_source)
{
    view_hand h = view_open("heads", view_calls, scaled);
    view_run(&h, "{layer=1} {head=2} h");
    assert_true(h.v->matrix->given_scale[1 * 4 + 2] == 0 && h.v->matrix->given_scale[0] == 1);
    view_close(&h);
}

VIEW_ROWS("heads", what_comes_behind_the_current_row_is_shown_played_and_replaced,
          {"{query=0,5}", "drawn~70 %", scaled},
          {"wait 0.1 {query=0,5} space wait 10", "query~,7; moves=no", scaled},
          {"{query=0,2} press <Click to put this word>",
           "retyped=", scaled}, /* it is there already */
          {"{query=0,2} press <Click to put this word>#2", "retyped=2 13; retyped=", scaled})

/* ---------------------------------------------------------------- several queries, parts of a pair */

#define LABEL "<Click to choose this query>"
VIEW_ROWS("heads", several_queries_are_chosen_with_shift,
          {"press " LABEL "@0.5,0.31", "query~,2; queries=", scaled},
          {"press " LABEL "@0.5,0.31 Press " LABEL "@0.5,0.69",
           "queries=2,5; drawn~mean of 2 queries", scaled},
          {"press " LABEL "@0.5,0.31 Hold " LABEL "@0.5,0.69 Drag " LABEL "@0.5,0.81 Drag " LABEL
           "@0.5,0.94",
           "queries=2,5-7", scaled},
          {"{queries=2,5-7} Press " LABEL "@0.5,0.81", "queries=2,5,7", scaled},
          {"{queries=2,5-7} press " LABEL "@0.5,0.44", "queries=; query~,3", scaled},
          {"{queries=0,4} {queries=0,9}", "queries=0,4", scaled},
          {"{queries=0,4} {queries=}", "queries=", scaled},                      /* there are 8 */
          {"{queries=2,5}", "queries=2,5; drawn~mean of 2 queries", over_cells}) /* computed once */

TEST(several_queries_are_shown_in_the_mean)
{
    view_hand h = view_open("heads", view_calls, scaled);
    const viz_weights_view *v = (viz_weights_view *)one_of(h.v);
    view_run(&h, "{layer=0} {head=0} {queries=2,5-7}");
    for (size_t c = 0; c < 8; c++) {
        float sum = 0;
        for (size_t row = 2; row < 8; row += row == 2 ? 3 : 1)
            sum += fake_weight(h.v->matrix, 0, 0, 0, row, c);
        assert_float_equal(v->panel.weights[c], sum / 4, 1e-6);
    }
    view_close(&h);
}

/* Text B begins at 3 of 8 tokens: its parts are maps of their own. */
VIEW_ROWS("heads", parts_of_a_pair_are_chosen_and_special_tokens_hidden,
          {"g", "segments=A-A", a_pair},
          {"g g g g", "segments=B-A; map 2,4<1; map 3,4=nan", a_pair}, /* 5 × 3 */
          {"g g g g x", "drawn~B → A, special tokens hidden (; map 0,1=nan; map 1,1>0; map 2,1=nan",
           a_pair},
          {"g g g g press \"all\"", "segments=all", a_pair})

/* ---------------------------------------------------------------- heads ranked by a request */

static float asked_weight(view_hand *h, const size_t head[2], bool diagonal, size_t row,
                          size_t column)
{
    const viz_weights_model *m = ((viz_weights_view *)one_of(h->v))->model;
    return diagonal ? viz_weights_model_entry(m, head[0], head[1])->scan.stats.self
                    : fake_weight(h->v->matrix, head[0], 0, head[1], row, column);
}

static void check_ranked(const char *events, const char *expected, bool diagonal, size_t row,
                         size_t column)
{
    size_t order[12][2];
    view_hand h = view_open("heads", view_calls, three_of_four);
    view_run(&h, events);
    view_claim(&h, expected);
    assert_int_equal(heads_in_order(&h, 12, order), 12);
    for (size_t i = 1; i < 12; i++)
        assert_true(asked_weight(&h, order[i], diagonal, row, column) <=
                    asked_weight(&h, order[i - 1], diagonal, row, column));
    view_close(&h);
}

#define ASK "press <All heads by the weight> press <One row a query>@0.31,0.81 "
TEST(all_heads_are_ranked_by_a_pair_or_by_the_pattern_of_the_legend)
{
    check_ranked("{layer=0} {head=0} " ASK, "ask=6 2", false, 6, 2);
    check_ranked("{layer=0} {head=0} " ASK "move <One row a query>@0.69,0.19", "ask=6 2", false, 6,
                 2); /* to point is not to ask */
    check_ranked("{ask=1 5}", "ask=1 5; query=5,1", false, 1, 5);
    check_ranked("{ask=diagonal}", "sort=asked; heads that=self", true, 0, 0);
    size_t order[12][2], layer, head;
    view_hand h = view_open("heads", view_calls, three_of_four);
    view_run(&h, "size 1920x800 {ask=1 5}");
    assert_int_equal(heads_in_order(&h, 12, order), 12);
    view_run(&h, "press <Click to open this head>#2"); /* the second line */
    put_head(&h, &layer, &head);
    assert_true(layer == order[1][0] && head == order[1][1]);
    view_close(&h);
}

VIEW_ROWS_MAIN
