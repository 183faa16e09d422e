/* viz/export: files hold the canvas's own pixels and the note of where they came from. */

#include <gif_lib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <webp/demux.h>

#include "canvas/text.h"
#include "export/export.h"
#include "fake_picture.h"
#include "images/png_write.h"
#include "picture/picture_view.h"
#include "png_texts.h"
#include "status.h"
#include "test.h"

typedef struct scene {
    fake_picture fake;
    viz_shell shell;
    char folder[64], path[128];
} scene;

static int open_scene(void **state)
{
    scene *s = calloc(1, sizeof *s);
    strcpy(s->folder, "/tmp/saccade-export-XXXXXX");
    fake_open(&s->fake, 90, 60);
    viz_view *view;
    if (!mkdtemp(s->folder) ||
        viz_picture_view_create(&s->fake.source, NULL, &view, NULL) != SAC_OK ||
        viz_shell_add(&s->shell, view, NULL) != SAC_OK)
        return 1;
    snprintf(s->path, sizeof s->path, "%s/out.png", s->folder);
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    scene *s = *state;
    unlink(s->path);
    rmdir(s->folder);
    viz_shell_free(&s->shell);
    fake_close(&s->fake);
    free(s);
    return 0;
}

#define IN_SCENE(name) TEST_ON(scene, s, name, open_scene, close_scene)

IN_SCENE(a_png_holds_the_pixels_of_the_canvas)
{
    const viz_export_size sizes[] = {
        {0}, {800, 500, 1, &viz_theme_light}, {1001, 703, 1.25f, NULL}};
    for (int i = 0; i < 3; i++) {
        OK(viz_export_png(&s->shell, &sizes[i], s->path, NULL));
        sac_image image;
        OK(sac_image_load(s->path, &image, NULL));
        viz_canvas canvas;
        OK(viz_canvas_create(image.width, image.height, sizes[i].density, sizes[i].theme, &canvas,
                             NULL));
        canvas.for_file = true;
        viz_shell_draw(&s->shell, &canvas);
        assert_int_equal(image.width, sizes[i].width ? sizes[i].width : 1280);
        assert_memory_equal(image.rgba, canvas.rgba,
                            4 * (size_t)image.width * (size_t)image.height);
        viz_canvas_free(&canvas);
        sac_image_free(&image);
    }
    assert_int_equal(s->fake.heat_calls, 1); /* computed once, before the first was drawn */
}

IN_SCENE(a_png_shows_where_it_came_from)
{
    const char *const expected[][2] = {{"Software", "Saccade " SAC_VERSION},
                                       {"file", "/pictures/fake.png"},
                                       {"hash", "fnv1a64:00"},
                                       {"score", "gaussian"},
                                       {"cells", "32"},
                                       {"scale", "per map, linear"},
                                       {"device", "no device"}};
    OK(viz_export_png(&s->shell, NULL, s->path, NULL));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_png_text(s->path, expected[i][0], expected[i][1]);
    }
}

/* 3840 × 2160 pixels are a poster, not a desk: letters grow with it. */
IN_SCENE(a_large_picture_has_large_letters)
{
    viz_canvas canvas;
    sac_image image;
    viz_export_size size = {.width = 3840, .height = 2160};
    OK(viz_export_png(&s->shell, &size, s->path, NULL));
    OK(sac_image_load(s->path, &image, NULL));
    float density = viz_usual_density(3840, 2160, 1); /* as in a window of that size */
    assert_true(density > 2);
    OK(viz_canvas_create(3840, 2160, density, NULL, &canvas, NULL));
    canvas.for_file = true;
    viz_shell_draw(&s->shell, &canvas);
    assert_memory_equal(image.rgba, canvas.rgba, 4 * 3840 * 2160);
    viz_canvas_free(&canvas);
    sac_image_free(&image);
}

static int count_frames(const char *folder)
{
    char path[160];
    struct stat info;
    int count = 0;
    do
        snprintf(path, sizeof path, "%s/frame-%04d.png", folder, count + 1);
    while (stat(path, &info) == 0 && ++count);
    for (int i = 1; i <= count; i++) {
        snprintf(path, sizeof path, "%s/frame-%04d.png", folder, i);
        unlink(path);
    }
    return count;
}

static const viz_export_size small = {320, 200, 0.5f, NULL};

IN_SCENE(a_folder_gets_every_frame)
{
    char folder[96];
    snprintf(folder, sizeof folder, "%s/frames", s->folder);
    OK(viz_export_frames(&s->shell, &small, folder, NULL, NULL));
    assert_int_equal(count_frames(folder), 200);
    assert_int_equal(rmdir(folder), 0); /* and nothing else is in it */
}

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The story lasts as long at any rate: half as many pictures, each twice as long. */
static void check_animation(scene *s, const viz_export_size *size, uint32_t count,
                            uint32_t milliseconds)
{
    OK(viz_export_apng(&s->shell, size, s->path, NULL, NULL));
    FILE *file = fopen(s->path, "rb");
    unsigned char head[8], body[26];
    uint32_t promised = 0, frames = 0, lasts = 0;
    assert_int_equal(fseek(file, 8, SEEK_SET), 0);
    while (fread(head, 1, 8, file) == 8) {
        uint32_t length = big_endian(head);
        if (!memcmp(head + 4, "fcTL", 4)) {
            assert_int_equal(fread(body, 1, 26, file), 26);
            lasts += 1000u * (body[20] * 256u + body[21]) / (body[22] * 256u + body[23]);
            frames++;
            length -= 26;
        }
        if (!memcmp(head + 4, "acTL", 4)) {
            assert_int_equal(fread(body, 1, 8, file), 8);
            promised = big_endian(body);
            length -= 8;
        }
        assert_int_equal(fseek(file, (long)length + 4, SEEK_CUR), 0);
    }
    fclose(file);
    assert_int_equal(promised, count);
    assert_int_equal(frames, count);
    assert_int_equal(lasts, milliseconds);
}

IN_SCENE(an_animation_promises_the_frames_it_has)
{
    const viz_export_size slow = {.width = small.width, .height = small.height, .fps = 12};
    check_animation(s, &small, 120, 8000);
    check_animation(s, &slow, 96, 8000);
}

/* Shows a frame of a GIF over those before it, and adds how long it stays. */
static void show_frame(const SavedImage *frame, int width, uint8_t *shown, int *hundredths)
{
    const GifImageDesc *d = &frame->ImageDesc;
    GraphicsControlBlock control = {0};
    for (int i = 0; i < frame->ExtensionBlockCount; i++)
        if (frame->ExtensionBlocks[i].Function == GRAPHICS_EXT_FUNC_CODE)
            DGifExtensionToGCB(4, frame->ExtensionBlocks[i].Bytes, &control);
    *hundredths += control.DelayTime;
    for (int y = 0; y < d->Height; y++)
        for (int x = 0; x < d->Width; x++) {
            int index = frame->RasterBits[y * d->Width + x];
            uint8_t *to = shown + 3 * ((d->Top + y) * width + d->Left + x);
            if (index != control.TransparentColor)
                memcpy(to, &d->ColorMap->Colors[index], 3);
        }
}

/* 255 colours leave a channel 4 of 255 levels away on average, at most. */
IN_SCENE(a_gif_shows_the_last_picture_and_lasts_as_long)
{
    viz_canvas canvas;
    int code, hundredths = 0;
    OK(viz_export_gif(&s->shell, &small, s->path, NULL, NULL));
    GifFileType *gif = DGifOpenFileName(s->path, &code);
    assert_non_null(gif);
    assert_int_equal(DGifSlurp(gif), GIF_OK);
    assert_int_equal(gif->SWidth, small.width);
    uint8_t *shown = calloc((size_t)gif->SWidth * (size_t)gif->SHeight, 3);
    for (int i = 0; i < gif->ImageCount; i++)
        show_frame(&gif->SavedImages[i], gif->SWidth, shown, &hundredths);
    assert_int_equal(hundredths, 800);
    OK(viz_canvas_create(small.width, small.height, small.density, NULL, &canvas, NULL));
    viz_shell_draw(&s->shell, &canvas);
    double away = 0;
    for (int i = 0; i < 3 * small.width * small.height; i++)
        away += abs(shown[i] - canvas.rgba[i / 3 * 4 + i % 3]);
    assert_true(away <= 4.0 * 3 * small.width * small.height);
    free(shown);
    viz_canvas_free(&canvas);
    DGifCloseFile(gif, &code);
}

/* Every channel is near what was drawn, where colours of neighbours are not mixed. */
IN_SCENE(a_webp_shows_the_last_picture_and_lasts_as_long)
{
    WebPAnimInfo info;
    struct stat about;
    uint8_t *shown = NULL;
    int end = 0, frames = 0;
    double away = 0;
    viz_canvas canvas;
    OK(viz_export_webp(&s->shell, &small, s->path, NULL, NULL));
    assert_int_equal(stat(s->path, &about), 0);
    WebPData data = {malloc((size_t)about.st_size), (size_t)about.st_size};
    FILE *file = fopen(s->path, "rb");
    assert_int_equal(fread((void *)data.bytes, 1, data.size, file), data.size);
    fclose(file);
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
    assert_non_null(decoder);
    assert_true(WebPAnimDecoderGetInfo(decoder, &info));
    assert_int_equal(info.canvas_width, small.width);
    assert_int_equal(info.loop_count, 0);
    for (; WebPAnimDecoderHasMoreFrames(decoder); frames++)
        assert_true(WebPAnimDecoderGetNext(decoder, &shown, &end));
    assert_int_equal(end, 8000);
    assert_true(frames > 10 && frames < 200); /* those that are the one before again are none */
    OK(viz_canvas_create(small.width, small.height, small.density, NULL, &canvas, NULL));
    viz_shell_draw(&s->shell, &canvas);
    for (int i = 0; i < 4 * small.width * small.height; i++)
        away += abs(shown[i] - canvas.rgba[i]);
    assert_true(away <= 3.0 * 4 * small.width * small.height);
    viz_canvas_free(&canvas);
    WebPAnimDecoderDelete(decoder);
    free((void *)data.bytes);
}

static bool stop_half_way(void *user, double done)
{
    (void)user;
    return done < 0.5;
}

IN_SCENE(a_stopped_animation_leaves_no_file)
{
    sac_progress progress = {stop_half_way, NULL};
    assert_int_equal(viz_export_apng(&s->shell, &small, s->path, &progress, &failure),
                     SAC_E_CANCELLED);
    assert_int_equal(failure.status, SAC_E_CANCELLED);
    assert_int_equal(viz_export_gif(&s->shell, &small, s->path, &progress, &failure),
                     SAC_E_CANCELLED);
    assert_int_equal(viz_export_webp(&s->shell, &small, s->path, &progress, &failure),
                     SAC_E_CANCELLED);
    assert_int_not_equal(access(s->path, F_OK), 0);
    assert_int_equal(rmdir(s->folder), 0); /* nor a temporary one */
}

IN_SCENE(a_failing_device_leaves_no_file)
{
    s->fake.fails = true;
    assert_int_equal(viz_export_png(&s->shell, NULL, s->path, &failure), SAC_E_DEVICE);
    assert_int_not_equal(access(s->path, F_OK), 0);
}

IN_SCENE(an_unwritable_place_is_named)
{
    REFUSES(SAC_E_FILE, "…/no/such/folder/x.png…",
            viz_export_png(&s->shell, &small, "/no/such/folder/x.png", &failure));
    assert_int_equal(viz_export_apng(&s->shell, &small, "/no/such/folder/x.png", NULL, &failure),
                     SAC_E_FILE);
    assert_int_equal(viz_export_gif(&s->shell, &small, "/dev/full", NULL, &failure), SAC_E_FILE);
    assert_int_equal(viz_export_webp(&s->shell, &small, "/dev/full", NULL, &failure), SAC_E_FILE);
    REFUSES(SAC_E_FILE, "/no/such/folder/x: …",
            viz_export_frames(&s->shell, &small, "/no/such/folder/x", NULL, &failure));
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
