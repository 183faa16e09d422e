/* The captions of the shipped captioner, as a person sees it in the caption view and in its
 * figure: the picture stays bright, and what a word looks at has its own colours, or those of the
 * bar; while it glides, little is sent. */
#include <unistd.h>

#include "book_page.h"
#include "canvas/text.h"
#include "images/png_write.h"
#include "photographs.h"
#include "seen_heat.h"
#include "sentence/sentence_state.h"
#include "status.h"
#include "table/models.h"
#include "test.h"
#include "window/screen.h"

enum { FIRST_SCENE = 91, LAST_SCENE = 99, PICTURE = 350 };

static sac_source open_trace(const sac_model_open_options *subject)
{
    static const char *const weights[] = {CAPTIONER_WEIGHTS "/additive.safetensors"};
    sac_model_open_options options = *subject;
    sac_source source = {0};
    options.weights = weights;
    options.weight_count = 1;
    OK(sac_model_open(&options, &source, &failure));
    return source;
}

static sac_source open_scene(uint64_t seed)
{
    return open_trace(&(sac_model_open_options){.scene = seed});
}

static void check_map(const sentence_view *v, const viz_canvas *canvas, viz_rect picture, int word)
{
    const sac_result *caption = &v->result;
    seen_map seen = {canvas,          &v->scene.image,
                     picture,         caption->weights + word * caption->grid_w * caption->grid_h,
                     caption->grid_w, caption->grid_h};
    viz_scale scale = caption_current_scale(v);
    bool light = v->style.overlay == VIZ_LIGHT;
    double bright = bright_share(&seen); /* the scan path covers a few */
    double off = light
                     ? own_difference(&seen)
                     : peak_difference(&seen, viz_heat_colors(canvas->theme, v->style.map), &scale);
    if (!(off < (light ? 6 : 15)) || !(bright >= 0.9))
        fail_msg("%s%s, \"%s\", %s: %.1f off, %.2f bright", v->base.figure ? "figure of " : "",
                 v->base.source->title, caption->outputs[word].text,
                 viz_overlay_name(v->style.overlay), off, bright);
}

/* Each word in the window, then all of them in the figure of the paper. */
static void check_words(sentence_view *v, viz_canvas *canvas)
{
    viz_rect all = {0, 0, viz_width(canvas), viz_height(canvas)};
    int words = v->result.count;
    assert_true(words > 0);
    for (int word = 0; word < words; word++) {
        sentence_go(v, word);
        viz_clear(canvas);
        caption_draw(&v->base, canvas, all);
        check_map(v, canvas, v->layout.picture, word);
    }
    v->base.figure = true;
    viz_clear(canvas);
    viz_view_draw(&v->base, canvas, all);
    caption_figure figure = caption_lay_figure(v, canvas, all);
    for (int word = 0; word < words; word++)
        check_map(v, canvas, figure.panel[word + 1], word);
}

static void check_heat(sac_source source, int number)
{
    viz_canvas canvas;
    viz_view *view;
    OK(viz_caption_class.create(&source, NULL, &view, NULL));
    sentence_view *v = sentence_of(view);
    v->style.map = (viz_colormap)(number % 3);
    v->style.overlay = (viz_overlay)(number / 2 % 2);
    OK(viz_canvas_create(1280, 800, 1, number % 2 ? &viz_theme_light : &viz_theme_dark, &canvas,
                         NULL));
    OK(viz_view_settle(view, NULL));
    check_words(v, &canvas);
    viz_canvas_free(&canvas);
    viz_view_destroy(view);
    sac_source_destroy(&source);
}

TEST(where_a_word_looks_is_seen_at_a_glance_on_scenes)
{
    OK(viz_text_open(NULL));
    for (int scene = FIRST_SCENE; scene <= LAST_SCENE; scene++)
        check_heat(open_scene((uint64_t)scene), scene);
    viz_text_close();
}

/* The model sees the picture as a file without a truth. */
static void check_picture(sac_image *image, int number)
{
    char path[] = "/tmp/saccade-seen-XXXXXX.png";
    const char *paths[] = {path};
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    OK(sac_png_save(path, image, NULL, 0, NULL));
    sac_image_free(image);
    check_heat(open_trace(&(sac_model_open_options){.pictures = paths, .picture_count = 1}),
               number);
    unlink(path);
}

TEST(it_is_on_photographs_and_on_pages_of_the_picture_book)
{
    static const uint64_t pages[] = {4, 35, 40, 55}; /* by night and at sunset */
    sac_image image;
    OK(viz_text_open(NULL));
    for (int number = 0; number < PHOTOGRAPHS; number++) {
        OK(sac_image_create(PICTURE, PICTURE, &image, NULL));
        make_photograph(number, &image);
        check_picture(&image, number);
    }
    for (int number = 0; number < 4; number++) {
        make_page(pages[number], PICTURE, &image);
        check_picture(&image, number);
    }
    viz_text_close();
}

/* A display that remembers what it shows, and how much it was sent. */
typedef struct remote {
    viz_canvas canvas;
    uint32_t *pixels;
    SDL_Rect *changed;
    size_t most; /* bytes of a frame */
} remote;

static void show_frame(remote *r, viz_view *view)
{
    size_t bytes = 0;
    viz_clear(&r->canvas);
    view->class->draw(view, &r->canvas, (viz_rect){0, 44, 1280, 756});
    const viz_pixels all = {0, 0, 1280, 800};
    int count = viz_changes_copy(&r->canvas, &all, 1, r->pixels, 1280 * sizeof *r->pixels, false,
                                 r->changed);
    for (int i = 0; i < count; i++)
        bytes += 4 * (size_t)r->changed[i].w * (size_t)r->changed[i].h;
    r->most = bytes > r->most ? bytes : r->most;
}

/* 1.2 MB are a tenth of a second where a link carries 12 MB/s: the heat glides by ten frames a
 * second even there. */
TEST(a_frame_of_gliding_heat_is_at_most_1_2_megabytes)
{
    enum { FRAMES = 240, LIMIT = 1200000 };
    remote r = {0};
    viz_view *view;
    sac_source source = open_scene(FIRST_SCENE);
    OK(viz_text_open(NULL));
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &r.canvas, NULL));
    r.pixels = calloc(1280 * 800, sizeof *r.pixels);
    r.changed = malloc(viz_changes_max_count(&r.canvas) * sizeof *r.changed);
    OK(viz_caption_class.create(&source, NULL, &view, NULL));
    OK(viz_view_settle(view, NULL));
    for (int frame = 0; frame < FRAMES; frame++) { /* five words, with their rests */
        view->class->tick(view, frame / 60.0);
        show_frame(&r, view);
        r.most = frame < 2 ? 0 : r.most; /* the first frame of all is the whole window */
    }
    print_message("most bytes of a frame: %zu\n", r.most);
    assert_true(r.most > 0 && r.most <= LIMIT);
    viz_view_destroy(view);
    viz_canvas_free(&r.canvas);
    sac_source_destroy(&source);
    free(r.pixels);
    free(r.changed);
    viz_text_close();
}

TEST_MAIN(NULL, NULL)
