/* viz/view: nothing of the caption view overlaps or leaves the window, at any size, for any
 * sentence. */

#include "canvas/text.h"
#include "caption/caption_layout.h"
#include "parts/generation/word_list.h"
#include "rects.h"
#include "shell/shell.h"
#include "test.h"

enum { LONG = 128 }; /* words that have room at every size here */

static void add_main(rect_list *list, const caption_side_layout *side)
{
    add(list, "picture", 0, side->picture);
    add(list, "seconds", 0, side->seconds);
    add(list, "readout", 0, side->readout);
    add(list, "measures", 0, side->measures);
    add(list, "matrix title", 0, side->matrix_title);
    add(list, "matrix names", 0, side->matrix_names);
    add(list, "matrix", 0, side->matrix);
    add(list, "strip title", 0, side->strip_title);
    for (int i = 0; i < SAC_MAX_TOKENS; i++) {
        add(list, "thumb", i, side->thumb[i]);
        add(list, "label", i, side->label[i]);
        add(list, "small", i, side->small[i]);
    }
}

static void collect(const caption_layout *l, rect_list *list)
{
    list->count = 0;
    add_main(list, &l->main);
    add(list, "note", 0, l->line.note);
    for (int i = 0; i < SAC_MAX_TOKENS; i++) {
        add(list, "word", i, l->line.word[i]);
        add(list, "cross", i, l->line.cross[i]);
    }
    add(list, "bar", 0, l->bar);
    add(list, "rule", 0, l->rule);
    add(list, "play", 0, l->play);
    add(list, "track", 0, l->track);
    for (int i = 0; i < VALUE_COUNT; i++)
        add(list, "value", i, l->value[i]);
    for (int i = 0; i < l->caps.count; i++)
        add(list, "cap", i, l->caps.items[i]);
    add(list, "plain line", 0, l->line.plain);
    for (int i = 0; i <= SAC_MAX_TOKENS; i++)
        add(list, "gone", i, l->line.gone[i]);
    for (int i = 0; i < l->buttons.count; i++)
        add(list, "button", i, l->buttons.items[i]);
    add(list, "modes", 0, l->modes.rect);
}

static void check_rects(const rect_list *list, const viz_canvas *canvas, viz_rect area, int words)
{
    for (int i = 0; i < list->count; i++) {
        viz_rect r = list->items[i].rect;
        if (r.x < area.x - 0.01f || r.y < area.y - 0.01f || r.x + r.w > area.x + area.w + 0.01f ||
            r.y + r.h > area.y + area.h + 0.01f)
            fail_msg("%s leaves %g×%g, %d words", list->items[i].name, viz_width(canvas),
                     viz_height(canvas), words);
        for (int k = 0; k < i; k++)
            if (overlap(r, list->items[k].rect))
                fail_msg("%s overlaps %s at %g×%g, %d words", list->items[i].name,
                         list->items[k].name, viz_width(canvas), viz_height(canvas), words);
    }
}

/* A sentence of so many words, the widest there are. */
static void sentence(sac_caption *caption, int words)
{
    static const char *const wide[] = {"triangle", "a", "diamond", "orange", "square"};
    *caption = (sac_caption){.grid_w = 14, .grid_h = 14, .count = words, .finished = true};
    for (int i = 0; i < words; i++)
        snprintf(caption->words[i].text, sizeof caption->words->text, "%s", wide[i % 5]);
}

/* Words that are gone before the second and at the end. */
static const caption_changes changes = {
    .any = true, .fresh = {false, true}, .gone = {[1] = "purple", [8] = "and shines"}};

/* Picture and sentence alone: the sentence has its size where it fits, in the middle of the window.
 */
static void check_plain(const viz_canvas *canvas, const caption_content *with_numbers)
{
    static rect_list list;
    caption_content content = *with_numbers;
    content.plain = content.ended = true;
    content.changes = with_numbers->note ? &changes : NULL;
    viz_rect area = {0, VIZ_TABS_HEIGHT, viz_width(canvas), viz_height(canvas) - VIZ_TABS_HEIGHT};
    caption_layout l = viz_caption_layout(canvas, area, &content);
    collect(&l, &list);
    check_rects(&list, canvas, area, content.caption->count);
    float middle = area.w / 2, most = fmaxf(0.055f * viz_height(canvas), 18) + 1;
    assert_true(l.text_size <= most);
    assert_true(fabsf(l.main.picture.x + l.main.picture.w / 2 - middle) < 2);
    int last = content.caption->count - 1;
    if (last >= 0 && l.line.word[last].y == l.line.word[0].y && !content.changes) {
        float end = l.line.word[last].x + l.line.word[last].w;
        assert_true(fabsf((l.line.word[0].x + end) / 2 - middle) < 2 + 16);
    }
    if (content.caption->count == 4 && area.w >= 1000)
        assert_true(l.text_size >= most - 2);
    assert_true(l.buttons.count > 0);
}

static caption_layout check_of(const viz_canvas *canvas, int words, bool all, float aspect,
                               float seconds)
{
    static const bool replaced[SAC_MAX_TOKENS] = {false, true, false, true};
    static rect_list list;
    sac_caption caption;
    sentence(&caption, words);
    caption.seconds = seconds;
    caption_content content = {.caption = &caption,
                               .score = "additive",
                               .replaced = all ? replaced : NULL,
                               .aspect = aspect,
                               .note = all,
                               .truth = all,
                               .turns = true};
    viz_rect area = {0, VIZ_TABS_HEIGHT, viz_width(canvas), viz_height(canvas) - VIZ_TABS_HEIGHT};
    caption_layout layout = viz_caption_layout(canvas, area, &content);
    collect(&layout, &list);
    check_rects(&list, canvas, area, words);
    check_plain(canvas, &content);
    return layout;
}

static caption_layout check(const viz_canvas *canvas, int words, bool all)
{
    return check_of(canvas, words, all, 1, 0);
}

static void check_all(const viz_canvas *canvas)
{
    static const int counts[] = {0, 1, 4, 8, 13, 15, LONG};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        caption_layout l = check(canvas, counts[i], false);
        viz_rect picture = l.main.picture;
        assert_true(picture.w == picture.h);
        /* The picture is the main thing: it is not lost. */
        if (counts[i] <= 15)
            assert_true(picture.w > 0.3f * viz_width(canvas) ||
                        picture.h > 0.45f * viz_height(canvas));
        check(canvas, counts[i], true);
    }
}

/* "harbour." is one word of three tokens, and reads so; a blank that the tokenizer has before a full stop is seen. */
TEST(words_stand_as_their_line_has_them)
{
    static const size_t ends[] = {3, 7, 11, 12, 14}, gap_ends[] = {3, 7, 11, 13, 15};
    static const bool keeps[5] = {false};
    viz_canvas canvas = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    sac_caption caption = {.grid_w = 14, .grid_h = 14, .count = 5, .finished = true}, gap = caption;
    assert_true(sac_caption_take_line(&caption, strdup("the harbour. #"), ends, keeps));
    assert_true(sac_caption_take_line(&gap, strdup("the harbour . #"), gap_ends, keeps));
    for (int plain = 0; plain < 2; plain++) {
        const caption_content content = {.caption = &caption, .plain = plain};
        caption_layout l = viz_caption_layout(&canvas, (viz_rect){0, 44, 1280, 756}, &content);
        const viz_rect *w = l.line.word;
        float letters = viz_text_width(&canvas, VIZ_SANS, l.text_size, "bour");
        assert_true(w[1].x > w[0].x + w[0].w + 3);
        assert_true(fabsf(w[2].x - w[1].x - w[1].w) < 0.01f && fabsf(w[2].w - letters) < 0.01f);
        assert_true(fabsf(w[3].x - w[2].x - w[2].w) < 0.01f);
        assert_true(w[4].x > w[3].x + w[3].w + 3);
        const caption_content apart = {.caption = &gap, .plain = plain};
        l = viz_caption_layout(&canvas, (viz_rect){0, 44, 1280, 756}, &apart);
        assert_true(w[3].x > w[2].x + w[2].w + 3);
    }
    sac_caption_free(&caption);
    sac_caption_free(&gap);
}

TEST(nothing_overlaps_at_any_size)
{
    const struct {
        int width, height;
        float density;
    } sizes[] = {{800, 500, 1},    {1280, 800, 1},  {1920, 1080, 1}, {3840, 2160, 1},
                 {3840, 2160, 2},  {1600, 1000, 2}, {1366, 768, 1},  {1024, 768, 1},
                 {1024, 600, 1},   {900, 1400, 1},  {800, 1300, 1},  {2560, 1080, 1},
                 {1200, 750, 1.5f}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        viz_canvas canvas = {.width = sizes[s].width,
                             .height = sizes[s].height,
                             .density = sizes[s].density,
                             .theme = &viz_theme_dark};
        check_all(&canvas);
    }
}

/* One that is wider than high takes more of the width than a square. */
TEST(photographs_of_any_aspect_overlap_nothing)
{
    static const float aspects[] = {0.56f, 0.75f, 1.2f, 1.5f, 2.4f};
    static const int sizes[][2] = {{640, 400},  {800, 500},   {1280, 800},
                                   {800, 1200}, {1920, 1080}, {1024, 600}};
    for (size_t a = 0; a < sizeof aspects / sizeof *aspects; a++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            viz_canvas canvas = {.width = sizes[s][0],
                                 .height = sizes[s][1],
                                 .density = 1,
                                 .theme = &viz_theme_dark};
            viz_rect square = check_of(&canvas, 12, false, 1, 0).main.picture;
            viz_rect picture = check_of(&canvas, 12, false, aspects[a], 0).main.picture;
            assert_true(aspects[a] < 1 ? picture.h == square.h : picture.w > square.w);
            check_of(&canvas, 12, true, aspects[a], 0);
            check_of(&canvas, 12, true, 4 * aspects[a], 2.5f); /* a sound */
        }
}

TEST(nothing_overlaps_on_the_way_between)
{
    for (int width = 800; width < 2000; width += 84)
        for (int height = 500; height < 1200; height += 64) {
            viz_canvas canvas = {
                .width = width, .height = height, .density = 1, .theme = &viz_theme_dark};
            check(&canvas, 13, false);
            check(&canvas, 15, true);
        }
}

TEST(a_tiny_window_does_no_harm)
{
    sac_caption caption;
    sentence(&caption, 15);
    caption_content content = {.caption = &caption};
    for (int size = 1; size < 500; size += 31) {
        viz_canvas canvas = {.width = size, .height = size, .density = 1, .theme = &viz_theme_dark};
        viz_rect area = {0, VIZ_TABS_HEIGHT, (float)size, (float)size - VIZ_TABS_HEIGHT};
        caption_layout l = viz_caption_layout(&canvas, area, &content);
        assert_true(l.main.picture.w >= 0 && l.track.w >= 0);
    }
}

/* What the smallest window promised still has, with the longest sentence there is. */
TEST(the_smallest_window_has_everything)
{
    viz_canvas canvas = {.width = 800, .height = 500, .density = 1, .theme = &viz_theme_dark};
    const char *rest = "a small yellow triangle right of a large orange diamond and a small purple "
                       "square ";
    static rect_list list;
    sac_caption caption = {.grid_w = 14, .grid_h = 14};
    while (sscanf(rest, "%23s", caption.words[caption.count].text) == 1)
        rest += strlen(caption.words[caption.count++].text) + 1;
    caption_content content = {
        .caption = &caption, .score = "scaled-dot", .note = true, .truth = true, .turns = true};
    viz_rect area = {0, VIZ_TABS_HEIGHT, 800, 500 - VIZ_TABS_HEIGHT};
    caption_layout l = viz_caption_layout(&canvas, area, &content);
    collect(&l, &list);
    check_rects(&list, &canvas, area, caption.count);
    assert_true(l.main.thumb[14].w >= 30 && l.main.matrix.h >= 15 * 8 && l.bar.w > 300);
    assert_true(l.text_size >= 15 && l.line.word[14].y == l.line.word[0].y);
    assert_true(l.main.picture.w > 290 && l.track.w > 100);
    for (int i = 0; i < VALUE_LAYER; i++)
        assert_true(l.value[i].w > 0);
    assert_true(l.value[VALUE_LAYER].w == 0 && l.value[VALUE_HEAD].w == 0);
}

/* Of a page that was read the lines around the current word are seen. */
TEST(a_long_sentence_scrolls_with_its_word)
{
    enum { WORDS = 444 };
    viz_canvas canvas = {.width = 800, .height = 500, .density = 1, .theme = &viz_theme_dark};
    const viz_rect area = {0, VIZ_TABS_HEIGHT, 800, 500 - VIZ_TABS_HEIGHT};
    static sac_caption caption;
    caption = (sac_caption){.grid_w = 14, .grid_h = 14, .count = WORDS};
    for (int i = 0; i < WORDS; i++)
        snprintf(caption.words[i].text, sizeof caption.words[i].text, "sentence%d", i);
    for (int plain = 0; plain < 2; plain++)
        for (int word = 0; word < WORDS; word += word == 407 ? 36 : 37) {
            const caption_content content = {.caption = &caption, .plain = plain, .word = word};
            const caption_layout l = viz_caption_layout(&canvas, area, &content);
            int seen = 0;
            for (int i = 0; i < WORDS; i++) {
                const viz_rect r = l.line.word[i];
                if (r.h > 0) {
                    seen++;
                    assert_true(r.y >= area.y && r.y + r.h <= area.y + area.h && r.x >= area.x &&
                                r.x + r.w <= area.x + area.w);
                }
            }
            assert_true(l.line.word[word].h > 0 && seen > 20 && seen < WORDS);
            assert_true(l.main.picture.h > 90);
        }
}

TEST(edges_line_up)
{
    viz_canvas canvas = {.width = 1280, .height = 800, .density = 1, .theme = &viz_theme_dark};
    caption_layout l = check(&canvas, 14, false);
    const caption_side_layout *s = &l.main;
    float right = 1280 - VIZ_MARGIN;
    assert_true(s->picture.x == VIZ_MARGIN && l.line.word[0].x == VIZ_MARGIN);
    assert_true(fabsf(s->matrix.x + s->matrix.w - right) < 0.01f);
    assert_true(fabsf(l.bar.x + l.bar.w - right) < 0.01f);
    assert_true(fabsf(l.main.thumb[6].x + l.main.thumb[6].w - right) < 1.01f); /* whole pixels */
    assert_true(l.main.thumb[0].x == s->matrix_title.x && l.bar.x == s->matrix_title.x);
    assert_true(fabsf(l.track.x + l.track.w - s->picture.x - s->picture.w) < 0.01f);
    assert_true(fabsf(l.value[0].x - l.bar.x) < 0.01f);
}

/* So that a scaled copy of the picture serves all of them. */
TEST(small_pictures_are_of_one_size_in_pixels)
{
    const float densities[] = {1, 1.25f, 1.5f, 2};
    for (int d = 0; d < 4; d++) {
        viz_canvas canvas = {.width = (int)(1280 * densities[d]),
                             .height = (int)(800 * densities[d]),
                             .density = densities[d],
                             .theme = &viz_theme_dark};
        caption_layout l = check(&canvas, 15, false);
        viz_pixels first = viz_to_pixels(&canvas, l.main.thumb[0]);
        for (int i = 1; i < 15; i++) {
            viz_pixels p = viz_to_pixels(&canvas, l.main.thumb[i]);
            assert_int_equal(p.x1 - p.x0, first.x1 - first.x0);
            assert_int_equal(p.y1 - p.y0, first.y1 - first.y0);
        }
    }
}

/* ---------------------------------------------------------------- the figure */

static void check_figure(int width, int height, int words, float aspect)
{
    static rect_list list;
    viz_canvas canvas = {.width = width, .height = height, .density = 1};
    viz_rect area = {0, 0, (float)width, (float)height};
    caption_figure f = viz_caption_figure(&canvas, area, words, aspect);
    list.count = 0;
    assert_int_equal(f.panels, words + 1);
    float covered = 0;
    for (int i = 0; i < f.panels; i++) {
        add(&list, "panel", i, f.panel[i]);
        add(&list, "label", i, f.label[i]);
        assert_true(f.panel[i].w == f.panel[0].w && f.panel[i].h == floorf(f.panel[0].w / aspect));
        covered += f.panel[i].w * (f.panel[i].h + f.label[i].h);
    }
    check_rects(&list, &canvas, area, words);
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
            int shown;
            viz_rect r = viz_word_list_layout(area, words[i], rows, &shown);
            assert_false(overlap(r, words[i]));
            assert_true(r.x >= area.x && r.x + r.w <= area.x + area.w);
            assert_true(r.y >= area.y && r.y + r.h <= area.y + area.h);
            assert_true(shown <= rows && (shown == rows || shown >= 8));
        }
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
