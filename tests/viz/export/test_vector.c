/* viz/canvas/recording and viz/export: a page of shapes and text holds what the picture shows. */
#include "weights_common.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/text/utf8.h"
#include "canvas/recording.h"
#include "export/export.h"
#include "export/vector.h"
#include "pdf_text.h"
#include "status.h"
#include "weights/matrix_view.h"

#define TOKENS 6

typedef struct scene {
    fake_matrix *fake;
    viz_shell shell;
    char folder[64], path[128];
} scene;

static int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    strcpy(s->folder, "/tmp/saccade-vector-XXXXXX");
    viz_weights_model *model = model_of(1, 2, TOKENS, TOKENS, true, 0, &s->fake);
    viz_view *view;
    if (!mkdtemp(s->folder) || viz_matrix_view_create(model, &view, NULL) != SAC_OK ||
        viz_shell_add(&s->shell, view, NULL) != SAC_OK)
        return 1;
    viz_weights_model_release(model);
    snprintf(s->path, sizeof s->path, "%s/page", s->folder);
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    scene *s = *state;
    unlink(s->path);
    rmdir(s->folder);
    viz_shell_free(&s->shell);
    fake_free(s->fake);
    free(s);
    return 0;
}

static char *read_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *text = calloc((size_t)info.st_size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return text;
}

static int count(const char *text, const char *end, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)) && at < end; at += strlen(what))
        found++;
    return found;
}

/* Every tag that is opened is closed, in order; attributes and text hold no bare signs. */
static void assert_well_formed(const char *xml)
{
    char open[16][32];
    int depth = 0;
    const char *at = strstr(xml, "<svg");
    for (const char *next; (next = strchr(at, '<')); at = next) {
        const char *end = strchr(next, '>');
        assert_non_null(end);
        size_t name = strcspn(next + 1, " >/\n");
        if (next[1] == '/') {
            assert_true(depth > 0);
            size_t size = (size_t)(end - next - 2);
            assert_int_equal(strlen(open[--depth]), size);
            assert_memory_equal(open[depth], next + 2, size);
        } else if (end[-1] != '/') {
            assert_true(depth < 16 && name < sizeof *open);
            snprintf(open[depth++], sizeof *open, "%.*s", (int)name, next + 1);
        }
        for (const char *c = next + 1; c < end; c++)
            assert_true(*c != '<');
        next = end;
    }
    assert_int_equal(depth, 0);
}

#define IN_SCENE(name) TEST_ON(scene, s, name, open_scene, close_scene)

IN_SCENE(an_svg_has_a_rectangle_for_each_cell)
{
    OK(viz_export_svg(&s->shell, NULL, s->path, NULL));
    char *svg = read_file(s->path);
    const char *cells = strstr(svg, "<g class=\"cells\">");
    assert_non_null(cells);
    assert_int_equal(count(cells, strstr(cells, "</g>"), "<rect"), TOKENS * TOKENS);
    assert_well_formed(svg);
    free(svg);
}

IN_SCENE(an_svg_holds_labels_and_numbers_as_text)
{
    char number[48];
    OK(viz_export_svg(&s->shell, NULL, s->path, NULL));
    char *svg = read_file(s->path);
    for (int i = 0; i < TOKENS; i++) {
        snprintf(number, sizeof number, ">%.4f</text>",
                 (double)fake_weight(s->fake, 0, 0, 0, 0, (size_t)i));
        assert_non_null(strstr(svg, number));
    }
    for (const viz_key_row *keys = viz_shell_view(&s->shell)->class->keys; keys->key; keys++)
        if (strcmp(keys->key, "?") == 0)
            assert_non_null(strstr(svg, ">keys</text>"));
    assert_non_null(strstr(svg, ">Matrix</text>"));
    free(svg);
}

/* What untrusted labels may hold. */
IN_SCENE(an_svg_of_any_label_is_well_formed)
{
    viz_canvas canvas = canvas_of(400, 200, 1);
    viz_recording recording = {0};
    canvas.recording = &recording;
    viz_clear(&canvas);
    viz_text(&canvas, VIZ_SANS, 14, 10, 30, VIZ_LEFT, canvas.theme->text,
             "<a href=\"x\">&\x01\xff\xef\xbf\xbf]]>");
    viz_page page = {&recording, 400, 200, 1, &(sac_png_text){"file", "<&\n\">\xc2\x9b\u202e\xff"},
                     1};
    viz_text(&canvas, VIZ_SANS, 14, 10, 60, VIZ_LEFT, canvas.theme->text,
             "\xc2\x9b"
             "2J\u202e\x7f");
    OK(viz_svg_save(&page, s->path, NULL));
    char *svg = read_file(s->path);
    assert_well_formed(svg);
    assert_null(strstr(svg, "\xc2\x9b"));
    assert_null(strstr(svg, "\u202e"));
    assert_null(strchr(svg, '\x7f'));
    assert_true(sac_utf8_valid(svg, strlen(svg)));
    assert_non_null(
        strstr(svg, "&lt;a href=&quot;x&quot;&gt;&amp; \xef\xbf\xbd\xef\xbf\xbd]]&gt;"));
    assert_non_null(strstr(svg, "file: &lt;&amp; &quot;&gt;"));
    free(svg);
    viz_recording_free(&recording);
    viz_canvas_free(&canvas);
}

/* The same drawing twice: the second one's list takes the place of the first. */
IN_SCENE(recording_changes_no_pixel_and_begins_anew_with_each_picture)
{
    viz_canvas plain = canvas_of(800, 500, 1), noted = canvas_of(800, 500, 1);
    viz_recording recording = {0};
    settle(viz_shell_view(&s->shell), &plain);
    viz_shell_draw(&s->shell, &plain);
    noted.recording = &recording;
    viz_shell_draw(&s->shell, &noted);
    size_t noted_shapes = recording.count;
    assert_true(noted_shapes > 50);
    viz_shell_draw(&s->shell, &noted);
    assert_int_equal(recording.count, noted_shapes);
    assert_memory_equal(plain.rgba, noted.rgba, 4 * 800 * 500);
    viz_recording_free(&recording);
    viz_canvas_free(&plain);
    viz_canvas_free(&noted);
}

TEST(a_clip_cuts_what_is_noted)
{
    viz_canvas canvas = canvas_of(100, 100, 1);
    viz_recording recording = {0};
    canvas.recording = &recording;
    viz_clip(&canvas, (viz_rect){10, 10, 20, 20});
    viz_fill(&canvas, (viz_rect){50, 50, 10, 10}, canvas.theme->text);
    assert_int_equal(recording.count, 0);
    viz_fill(&canvas, (viz_rect){0, 0, 15, 15}, canvas.theme->text);
    assert_int_equal(recording.count, 1);
    viz_pixels cut = recording.shapes[0].box;
    assert_true(cut.x0 == 10 && cut.y0 == 10 && cut.x1 == 15 && cut.y1 == 15);
    viz_line(&canvas, 0, 20, 90, 20, 1, canvas.theme->text);
    assert_true(viz_shape_is_cut(&recording.shapes[1]));
    viz_recording_free(&recording);
    viz_canvas_free(&canvas);
}

TEST(strokes_of_a_hatch_end_on_its_edges)
{
    viz_canvas canvas = canvas_of(100, 100, 1);
    viz_recording recording = {0};
    canvas.recording = &recording;
    viz_hatch(&canvas, (viz_rect){13, 20, 31, 17}, NULL);
    const viz_shape *hatch = &recording.shapes[recording.count - 1];
    viz_point from, to;
    int strokes = 0;
    for (; viz_shape_stroke(hatch, strokes, &from, &to); strokes++) {
        assert_true(from.x == 13 || from.y == 37);
        assert_true(to.x == 44 || to.y == 20);
        assert_true(from.x + from.y == to.x + to.y);
    }
    assert_int_equal(strokes, 8); /* x + y runs from 33 to 79 and holds 36, 42 … 78 */
    viz_recording_free(&recording);
    viz_canvas_free(&canvas);
}

/* A letter that is three times in a word of Arabic has three forms, under which a reader finds it. */
IN_SCENE(text_of_a_pdf_is_shaped_and_can_be_searched)
{
    static char text[1 << 20];
    viz_canvas canvas = canvas_of(400, 200, 1);
    viz_recording recording = {0};
    canvas.recording = &recording;
    viz_clear(&canvas);
    viz_text(&canvas, VIZ_SANS, 20, 10, 30, VIZ_LEFT, canvas.theme->text, "attention");
    viz_text(&canvas, VIZ_SANS, 20, 10, 60, VIZ_LEFT, canvas.theme->text, "\u0645\u0645\u0645");
    viz_page page = {&recording, 400, 200, 1, NULL, 0};
    OK(viz_pdf_save(&page, 1, s->path, NULL));
    assert_true(pdf_text(s->path, text, sizeof text));
    assert_int_equal(count(text, text + strlen(text), "<0645>"), 3);
    if (system("command -v pdftotext > /dev/null") == 0) {
        char command[200], line[64] = "";
        snprintf(command, sizeof command, "pdftotext %s -", s->path);
        FILE *read = popen(command, "r");
        assert_non_null(read);
        assert_non_null(fgets(line, sizeof line, read));
        assert_string_equal(line, "attention\n");
        bool found = false;
        while (fgets(line, sizeof line, read))
            found |= strstr(line, "\u0645\u0645\u0645") != NULL;
        pclose(read);
        assert_true(found);
    }
    viz_recording_free(&recording);
    viz_canvas_free(&canvas);
}

IN_SCENE(a_pdf_is_one_page_of_the_pictures_size_with_its_fonts)
{
    viz_export_size size = {.width = 800, .height = 600, .no_origin = true};
    static char text[1 << 21];
    OK(viz_export_pdf(&s->shell, &size, s->path, NULL));
    assert_true(pdf_text(s->path, text, sizeof text));
    assert_memory_equal(text, "%PDF-", 5);
    assert_non_null(strstr(text, "/Count 1"));
    assert_non_null(strstr(text, "600 450 ]"));  /* 800 × 600 at 96 to the inch, in points */
    assert_non_null(strstr(text, "/ToUnicode")); /* letters can be copied and searched */
    assert_non_null(strstr(text, "%%EOF"));
}

IN_SCENE(a_page_that_cannot_be_written_is_named)
{
    REFUSES(SAC_E_FILE, "…/no/such/folder/x.pdf…",
            viz_export_pdf(&s->shell, NULL, "/no/such/folder/x.pdf", &failure));
    assert_int_equal(viz_export_svg(&s->shell, NULL, "/dev/full", &failure), SAC_E_FILE);
    assert_int_equal(viz_export_pdf(&s->shell, NULL, "/dev/full", &failure), SAC_E_FILE);
}

IN_SCENE(a_failing_device_leaves_no_page)
{
    s->fake->fails = true;
    assert_int_equal(viz_export_svg(&s->shell, NULL, s->path, &failure), SAC_E_VALUE);
    assert_int_not_equal(access(s->path, F_OK), 0);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
