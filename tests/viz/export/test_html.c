/* viz/export/html: a page of weights is one file that any browser reads, shows what the source gives,
 * and lets no label be anything but text. */
#include <sys/stat.h>
#include <unistd.h>

#include "canvas/text.h"
#include "classes/views.h"
#include "export/export.h"
#include "export/html/html_parts.h"
#include "fake_matrix.h"
#include "html_page.h"
#include "shell/split/split.h"
#include "status.h"
#include "test.h"

typedef struct scene {
    fake_matrix *fake;
    viz_shell shell;
    char path[64];
} scene;

static scene scene_of(size_t layers, size_t batch, size_t heads, size_t tokens)
{
    scene s = {.fake = fake_create(layers, batch, heads, tokens, tokens)};
    strcpy(s.path, "/tmp/saccade-html-XXXXXX.html");
    int file = mkstemps(s.path, 5);
    assert_true(file >= 0);
    close(file);
    return s;
}

static html_page write_page(scene *s)
{
    viz_view *view;
    OK(viz_heads_class.create(&s->fake->source, NULL, &view, &failure));
    OK(viz_shell_add(&s->shell, view, &failure));
    OK(viz_export_html(&s->shell, &(viz_export_size){640, 400}, s->path, NULL, &failure));
    return page_read(s->path);
}

static void close_scene(scene *s)
{
    unlink(s->path);
    viz_shell_free(&s->shell);
    fake_free(s->fake);
}

TEST(a_page_has_the_weights_of_every_head_to_a_fiftieth)
{
    scene s = scene_of(3, 1, 2, 24);
    html_page page = write_page(&s);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(page_set(&page, 0), "layers")), 3);
    for (size_t layer = 0; layer < 3; layer++) {
        char id[32];
        snprintf(id, sizeof id, "w-0-0-%zu", layer);
        uint8_t *maps = page_maps(&page, id, 2 * (8 + 24 * 24));
        for (size_t head = 0; head < 2; head++)
            for (size_t i = 0; i < 24 * 24; i++) {
                float true_weight = fake_weight(s.fake, layer, 0, head, i / 24, i % 24);
                float reported = page_weight(&page, maps + head * (8 + 24 * 24), i);
                assert_true(fabsf(reported - true_weight) <= 0.02f * true_weight + 1e-5f);
            }
        free(maps);
    }
    page_close(&page);
    close_scene(&s);
}

TEST(a_page_of_twelve_layers_of_twelve_heads_is_small)
{
    scene s = scene_of(12, 1, 12, 64);
    html_page page = write_page(&s);
    assert_true(page.size < 3000000);
    page_close(&page);
    close_scene(&s);
}

static void set_label(sac_labels *labels, size_t index, const char *text)
{
    free(labels->text[index]);
    labels->text[index] = strdup(text);
}

/* Labels come from the author of the file. */
TEST(a_label_of_a_page_is_text_and_nothing_else)
{
    static const char *const labels[] = {"</script><script>alert(1)</script>",
                                         "\"quoted\" 'twice'",
                                         "<!--<script>",
                                         "]]>",
                                         "\xe2\x80\xae"
                                         "abc" /* U+202E */,
                                         "\a\x1b[31m",
                                         "\xff\xfe",
                                         "&lt;\\u003c",
                                         "\xe2\x80\xa8line" /* U+2028 */};
    enum { COUNT = sizeof labels / sizeof *labels };
    scene s = scene_of(1, 1, 1, COUNT);
    fake_label(&s.fake->source.weights.step_labels, COUNT);
    fake_label(&s.fake->source.weights.position_labels, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        set_label(&s.fake->source.weights.step_labels, i, labels[i]);
        set_label(&s.fake->source.weights.position_labels, i, labels[i]);
    }
    snprintf(s.fake->source.title, sizeof s.fake->source.title,
             "</title><img src=x onerror=alert(1)>");
    html_page page = write_page(&s);
    /* our own: the data, a layer, the program */
    assert_int_equal(count_of(page.text, "<script"), 3);
    assert_int_equal(count_of(page.text, "</script"), 3);
    assert_null(strstr(page.text, "onerror=alert(1)>"));
    assert_null(strstr(page.text, "<!--"));
    for (const char *c = page.text; *c; c++)
        assert_true((uint8_t)*c >= ' ' || *c == '\n');
    assert_null(strstr(page.text, "\xe2\x80\xae"));
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(page_set(&page, 0), "items"), 0);
    const cJSON *rows = cJSON_GetObjectItem(item, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), COUNT);
    for (int i = 0; i < COUNT; i++) /* they come back, but for what is no UTF-8 */
        assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(rows, i)),
                            i == 6 ? "\xef\xbf\xbd\xef\xbf\xbd" : labels[i]);
    page_close(&page);
    close_scene(&s);
}

/* It requests nothing: the browser must refuse, and the only address in it names the
 * language of SVG. */
TEST(a_page_needs_no_network)
{
    scene s = scene_of(2, 1, 2, 8);
    html_page page = write_page(&s);
    assert_non_null(strstr(page.text, "default-src 'none'"));
    assert_int_equal(count_of(page.text, "http"),
                     count_of(page.text, "http-equiv") +
                         count_of(page.text, "http://www.w3.org/2000/svg"));
    assert_null(strstr(page.text, "import "));
    assert_null(strstr(page.text, " src=\""));
    page_close(&page);
    close_scene(&s);
}

TEST(a_page_has_the_picture_and_which_key_is_which_cell)
{
    scene s = scene_of(1, 1, 2, 13);
    fake_see(s.fake, 60, 40, 4, 3, 1);
    html_page page = write_page(&s);
    const cJSON *picture = cJSON_GetObjectItem(page.data, "picture");
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(picture, "width")), 60);
    assert_ptr_equal(
        strstr(cJSON_GetStringValue(cJSON_GetObjectItem(picture, "src")), "data:image/png;base64,"),
        cJSON_GetStringValue(cJSON_GetObjectItem(picture, "src")));
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(page_set(&page, 0), "items"), 0);
    const cJSON *cells = cJSON_GetObjectItem(item, "cells");
    assert_int_equal(cJSON_GetArraySize(cells), 12);
    for (int i = 0; i < 12; i++)
        assert_int_equal(cJSON_GetNumberValue(cJSON_GetArrayItem(cells, i)), i + 1);
    page_close(&page);
    close_scene(&s);
}

TEST(what_a_page_cannot_hold_is_left_out_and_named)
{
    char note[120];
    viz_html_range range;
    fake_matrix *fake = fake_create(4, 3, 8, 1000, 1000);
    viz_html_maps maps = {.name = "",
                          .source = &fake->source,
                          .layers = 4,
                          .heads = 8,
                          .steps = 1000,
                          .positions = 1000};
    OK(viz_html_choose(&maps, 2, 1, 5, &range, note, sizeof note, &failure));
    assert_memory_equal(&range, &((viz_html_range){2, 1, 0, 4, 0, 8}), sizeof range);
    assert_string_equal(note, "this page has item 2 of 3 alone");
    maps.layers = 100;
    OK(viz_html_choose(&maps, 2, 1, 5, &range, note, sizeof note, &failure));
    assert_memory_equal(&range, &((viz_html_range){2, 1, 1, 1, 0, 8}), sizeof range);
    assert_string_equal(note, "this page has layer 1 of 100 alone");
    maps.heads = 100;
    OK(viz_html_choose(&maps, 2, 1, 5, &range, note, sizeof note, &failure));
    assert_memory_equal(&range, &((viz_html_range){2, 1, 1, 1, 5, 1}), sizeof range);
    assert_string_equal(note, "this page has layer 1, head 5 alone");
    fake->source.weights.steps = fake->source.weights.positions = 5000;
    REFUSES(SAC_E_SHAPE, "page: one map of 5000 x 5000 weights is too large…PNG…",
            viz_html_choose(&maps, 2, 1, 5, &range, note, sizeof note, &failure));
    fake_free(fake);
}

/* Weights without any order are the worst to compress: they get fewer levels, and stay below the
 * size. */
TEST(weights_that_do_not_compress_are_reported_by_fewer_levels)
{
    viz_html_bytes bytes = {.weights = 144.0 * 512 * 512};
    for (int i = 0; i <= 253; i++)
        bytes.of_code[i] = (size_t)(bytes.weights / 254);
    assert_int_equal(viz_html_levels(&bytes), 15);
    bytes.weights = 12.0 * 512 * 512;
    for (int i = 0; i <= 253; i++)
        bytes.of_code[i] = (size_t)(bytes.weights / 254);
    assert_int_equal(viz_html_levels(&bytes), 253);
}

TEST(views_beside_each_other_have_no_page)
{
    scene s = scene_of(2, 1, 2, 8);
    html_page page = write_page(&s);
    assert_true(viz_shell_split(&s.shell));
    REFUSES(SAC_E_ARGUMENT, "…views beside each other have no page; leave out --pin…",
            viz_export_html(&s.shell, NULL, s.path, NULL, &failure));
    page_close(&page);
    close_scene(&s);
}

static int open_fonts(void **state)
{
    (void)state;
    return viz_text_open(NULL) != SAC_OK;
}

static int close_fonts(void **state)
{
    (void)state;
    viz_text_close();
    return 0;
}

TEST_MAIN(open_fonts, close_fonts)
