/* viz/views/sentence: where words stand, and the panels of a figure; that all is apart is tested in shell/test_layout.c. */

#include "canvas/text.h"
#include "rects.h"
#include "sentence/sentence_state.h"
#include "shell/shell.h"
#include "test.h"

enum { LONG = 128 };

static sentence_view shown;

/* Below the tabs. The sentence is lent. */
static const sentence_layout *lay(const viz_canvas *canvas, const sac_result *sentence, bool plain,
                                  int word)
{
    static sac_source source;
    shown = (sentence_view){.base = {.class = &viz_caption_class, .source = &source},
                            .result = *sentence,
                            .numbers = !plain,
                            .player.step = word};
    caption_lay(&shown, canvas,
                (viz_rect){0, VIZ_TABS_HEIGHT, (float)canvas->width,
                           (float)canvas->height - VIZ_TABS_HEIGHT});
    return &shown.layout;
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

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
