/* viz/export/html: the page of a caption has the picture, the words, and what each looked at. */
#include <unistd.h>

#include "canvas/text.h"
#include "export/export.h"
#include "fake_caption.h"
#include "html_page.h"
#include "sentence/sentence_view.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

typedef struct scene {
    fake_caption fake;
    viz_shell shell;
    char path[64];
} scene;

static int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    viz_view *view;
    fake_open(&s->fake);
    strcpy(s->path, "/tmp/saccade-html-XXXXXX.html");
    int file = mkstemps(s->path, 5);
    *state = s;
    return file < 0 || close(file) != 0 || viz_text_open(NULL) != SAC_OK ||
           viz_caption_class.create(&s->fake.source, NULL, &view, NULL) != SAC_OK ||
           viz_shell_add(&s->shell, view, NULL) != SAC_OK;
}

static int close_scene(void **state)
{
    scene *s = *state;
    unlink(s->path);
    viz_shell_free(&s->shell);
    fake_close(&s->fake);
    viz_text_close();
    free(s);
    return 0;
}

#define IN_SCENE(name) TEST_ON(scene, s, name, open_scene, close_scene)

IN_SCENE(a_caption_has_its_words_and_a_map_of_each)
{
    OK(viz_export_html(&s->shell, NULL, s->path, NULL, &failure));
    html_page page = page_read(s->path);
    const cJSON *words = cJSON_GetObjectItem(page.data, "words");
    assert_int_equal(cJSON_GetArraySize(words), 14);
    assert_string_equal(page_text(&page, "view"), "caption");
    assert_string_equal(page_text(&page, "sentence"), fake_pictures[0].sentence);
    const cJSON *set = page_set(&page, 0), *grid = cJSON_GetObjectItem(set, "grid");
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetArrayItem(grid, 0)), FAKE_GRID);
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(set, "items"), 0);
    const cJSON *rows = cJSON_GetObjectItem(item, "rows");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(rows, 2)), "red");
    enum { CELLS = FAKE_GRID * FAKE_GRID };
    sac_result caption = {0};
    OK(fake_generate(&s->fake, &(sac_result_request){0}, &caption, &failure));
    uint8_t *map = page_maps(&page, "w-0-0-0", 8 + 14 * CELLS);
    for (int i = 0; i < 14 * CELLS; i++)
        assert_true(fabsf(page_weight(&page, map, (size_t)i) - caption.weights[i]) < 1e-3f);
    free(map);
    sac_result_free(&caption);
    page_close(&page);
}

/* What a person hid before the page was written stays hidden on it. */
IN_SCENE(a_caption_is_of_what_the_view_shows)
{
    viz_view_restore(viz_shell_tab_view(&s->shell), "hidden", "14x14: 62");
    OK(viz_export_html(&s->shell, NULL, s->path, NULL, &failure));
    html_page page = page_read(s->path);
    uint8_t *map = page_maps(&page, "w-0-0-0", 8 + 14 * FAKE_GRID * FAKE_GRID);
    assert_int_equal(map[8 + 62], 0);
    assert_true(map[8 + 61] > 0);
    free(map);
    page_close(&page);
}

IN_SCENE(a_page_names_the_device_unless_it_is_not_to)
{
    OK(viz_export_html(&s->shell, NULL, s->path, NULL, &failure));
    html_page page = page_read(s->path);
    assert_string_equal(page_text(&page, "device"), "no device");
    page_close(&page);
    OK(viz_export_html(&s->shell, &(viz_export_size){.no_origin = true}, s->path, NULL, &failure));
    page = page_read(s->path);
    assert_string_equal(page_text(&page, "device"), "");
    assert_null(strstr(page.text, "/pictures/"));
    page_close(&page);
}

TEST_MAIN(NULL, NULL)
