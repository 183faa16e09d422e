/* Drawing where memory runs out: a picture is whole, or it is an error. The linker puts the
 * functions below in the place of the allocators that the viewer calls (--wrap). */
#include <errno.h>
#include <unistd.h>

#include "canvas/heat.h"
#include "canvas/text.h"
#include "export/export.h"
#include "fake_picture.h"
#include "picture/picture_view.h"
#include "status.h"
#include "test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

static int allocations; /* counted since the test began */
static int failing;     /* the one that fails; 0: none */

static bool fails(void)
{
    if (++allocations != failing)
        return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

static void count_from_here(int which)
{
    allocations = 0;
    failing = which;
}

/* ---------------------------------------------------------------- the canvas */

enum { SIDE = 120, GRID = 5, PIXELS = 4 * SIDE * SIDE };

/* One of each thing that takes memory to be drawn. */
static void draw(viz_canvas *canvas)
{
    float weights[GRID * GRID];
    uint8_t rgba[4 * 9 * 7];
    viz_rect all = {0, 0, SIDE, SIDE}, part = {10, 60, 50, 50};
    sac_image image = {9, 7, rgba};
    viz_heat_style style = {.scale = {VIZ_FIXED, 0, 1}, .opacity = 0.7f};
    for (int i = 0; i < GRID * GRID; i++)
        weights[i] = (float)(i * 7 % 11) / 11;
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(i * 37);
    viz_clear(canvas);
    viz_image(canvas, &image, all, true);
    for (int overlay = 0; overlay < VIZ_OVERLAY_COUNT; overlay++) {
        style.overlay = (viz_overlay)overlay;
        viz_heat(canvas, NULL, all, weights, GRID, GRID, &style);
    }
    viz_cells(canvas, part, weights, GRID, GRID, viz_colormap_table(VIZ_VIRIDIS), &style.scale);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, 5, 20, VIZ_LEFT, canvas->theme->text, "a word");
    viz_text_up(canvas, VIZ_MONO, VIZ_LABEL, 100, 110, canvas->theme->text, "0.123");
}

/* Fonts are opened anew each time, as that takes memory too. */
static void draw_anew(viz_canvas *canvas, int which)
{
    viz_text_close();
    OK(viz_text_open(NULL));
    viz_drawing_begin();
    count_from_here(which);
    draw(canvas);
    failing = 0;
}

TEST(a_drawing_without_memory_has_no_gap_that_is_not_named)
{
    viz_canvas whole, canvas;
    int reported = 0;
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &whole, NULL));
    OK(viz_canvas_create(SIDE, SIDE, 1, NULL, &canvas, NULL));
    draw_anew(&whole, 0);
    OK(viz_drawing_check(NULL));
    int count = allocations;
    assert_true(count > 10);
    for (int which = 1; which <= count; which++) {
        sac_error error = {0};
        draw_anew(&canvas, which);
        if (viz_drawing_check(&error) == SAC_OK)
            assert_memory_equal(canvas.rgba, whole.rgba, PIXELS);
        else {
            assert_int_equal(error.status, SAC_E_MEMORY);
            reported++;
        }
        viz_drawing_begin();
        draw(&canvas); /* nothing with a gap was kept */
        assert_memory_equal(canvas.rgba, whole.rgba, PIXELS);
    }
    assert_true(reported > 0);
    viz_canvas_free(&whole);
    viz_canvas_free(&canvas);
    viz_text_close();
}

/* ---------------------------------------------------------------- a file */

static sac_status write_picture(fake_picture *fake, const char *path, int which, sac_error *error)
{
    viz_shell shell = {0};
    viz_view *view;
    viz_export_size size = {320, 240, 1, NULL};
    count_from_here(which);
    sac_status status = viz_picture_view_create(&fake->source, NULL, &view, error);
    if (status == SAC_OK)
        status = viz_shell_add(&shell, view, error);
    if (status == SAC_OK)
        status = viz_export_png(&shell, &size, path, error);
    failing = 0;
    viz_shell_free(&shell);
    viz_text_close();
    return status;
}

static bool is_same_picture(const char *path, const sac_image *wanted)
{
    sac_image image;
    bool same = sac_image_load(path, &image, NULL) == SAC_OK && image.width == wanted->width &&
                image.height == wanted->height &&
                memcmp(image.rgba, wanted->rgba, 4 * 320 * 240) == 0;
    sac_image_free(&image);
    return same;
}

TEST(a_view_without_memory_gives_its_whole_picture_or_an_error_and_no_file)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    fake_picture fake;
    sac_image whole;
    fake_open(&fake, 90, 60);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.png", folder);
    OK(write_picture(&fake, path, 0, NULL));
    int count = allocations, refused = 0;
    OK(sac_image_load(path, &whole, NULL));
    assert_int_equal(unlink(path), 0);
    for (int which = 1; which <= count; which += 1 + which / 40) {
        sac_error error = {0};
        if (write_picture(&fake, path, which, &error) == SAC_OK) {
            if (!is_same_picture(path, &whole))
                fail_msg("allocation %d of %d", which, count);
            assert_int_equal(unlink(path), 0);
        } else {
            assert_true(error.status != SAC_OK && error.what[0]);
            assert_int_equal(access(path, F_OK), -1);
            refused++;
        }
    }
    assert_true(refused > 0);
    assert_int_equal(rmdir(folder), 0);
    sac_image_free(&whole);
    fake_close(&fake);
}

TEST_MAIN(NULL, NULL)
