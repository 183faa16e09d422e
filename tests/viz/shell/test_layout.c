/* Every view, of whatever is shown in it, in windows of any size: what is drawn and what answers the pointer is apart and
 * inside the window. */
#include "apart.h"
#include "extent.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

static const struct {
    int width, height;
    float density;
} windows[] = {{640, 400, 1},
               {1280, 800, 1},
               {640, 900, 1},
               {1920, 1080, 1.375f},
               /* thorough: */
               {800, 500, 1},
               {3840, 2160, 1},
               {1600, 1000, 2},
               {1024, 600, 1},
               {1200, 750, 1.5f},
               {800, 1300, 1},
               {2560, 1080, 1}};
enum { FEW = 4, WINDOWS = sizeof windows / sizeof *windows };

/* ---------------------------------------------------------------- what is shown */

static void words(one_view *v, int count)
{
    v->caption.longest = count;
}

static void no_words(one_view *v)
{
    words(v, -1);
}
static void one_word(one_view *v)
{
    words(v, 1);
}
static void many_words(one_view *v)
{
    words(v, 15);
}
static void a_page(one_view *v)
{
    words(v, 128);
}

static void picture_of(one_view *v, int width, int height)
{
    sac_image *image = v->caption.image.rgba ? &v->caption.image : &v->picture.image;
    sac_image_free(image);
    OK(sac_image_create(width, height, image, &failure));
    if (image == &v->caption.image)
        fake_turn(v->source, 0, NULL);
}

static void tall(one_view *v)
{
    picture_of(v, 156, 280);
}
static void wide(one_view *v)
{
    picture_of(v, 420, 280);
}
static void wider(one_view *v)
{
    picture_of(v, 672, 280);
}
static void tiny(one_view *v)
{
    picture_of(v, 8, 8);
}
static void tower(one_view *v)
{
    picture_of(v, 100, 400);
}

static void mute_training(one_view *v)
{
    for (int i = 0; i < 6; i++)
        v->training.generated[i] = "";
}

static void wide_training(one_view *v)
{
    for (int i = 0; i < 6; i++)
        v->training.generated[i] =
            "triangle triangle triangle triangle triangle triangle triangle triangle triangle "
            "triangle triangle triangle triangle triangle triangle triangle triangle triangle";
}

static void reading_training(one_view *v)
{
    v->training.reads = true;
}

static void writing_training(one_view *v)
{
    v->training.writes = true;
}

static void training_of_heads(one_view *v)
{
    v->training.writes = v->training.heads = true;
}

static void one_head(one_view *v)
{
    one_heads(v, 1, 1, 4, 4, true, 0);
}
static void one_weight(one_view *v)
{
    one_heads(v, 1, 1, 1, 1, false, 0);
}
static void long_head(one_view *v)
{
    one_heads(v, 1, 1, 300, 300, false, 0);
}
static void some_heads(one_view *v)
{
    one_heads(v, 6, 8, 24, 24, true, 0);
}
static void all_heads(one_view *v)
{
    one_heads(v, 24, 32, 12, 12, false, 0);
}
static void layers_of_few(one_view *v)
{
    one_heads(v, 30, 9, 24, 24, true, 0);
}
static void few_keys(one_view *v)
{
    one_heads(v, 3, 2, 60, 6, true, 0);
}
static void over_cells(one_view *v)
{
    one_heads(v, 2, 3, 17, 17, false, 4);
}
static void words_over_cells(one_view *v)
{
    one_heads(v, 1, 2, 5, 50, true, 7);
}
static void many_over_cells(one_view *v)
{
    one_heads(v, 12, 12, 17, 17, true, 4);
}
static void most_over_cells(one_view *v)
{
    one_heads(v, 24, 16, 17, 17, false, 4);
}

static void shared_keys(one_view *v)
{
    one_heads(v, 4, 6, 8, 8, false, 0);
    v->source->weights.made.key_heads = 2;
}

static void scaled(one_view *v)
{
    one_heads(v, 6, 8, 24, 24, false, 0);
    v->source->weights.scale_heads = fake_scale_heads;
    v->source->weights.next_after = fake_next_after;
}

static void scaled_over_cells(one_view *v)
{
    one_heads(v, 6, 8, 10, 10, false, 3);
    v->source->weights.scale_heads = fake_scale_heads;
}

/* ---------------------------------------------------------------- the cases */

typedef struct layout_case {
    const char *class;
    void (*begin)(one_view *v);
    const char *settings[4][2];
    bool large; /* the map is the largest thing there is */
} layout_case;

#define NUMBERS                                                                                    \
    {                                                                                              \
        "numbers", "on"                                                                            \
    }
static const layout_case cases[] = {
    {"caption", NULL, {NUMBERS}, true},
    {"caption", no_words, {{0}}},
    {"caption", no_words, {NUMBERS}},
    {"caption", one_word, {{0}}, true},
    {"caption", one_word, {NUMBERS}},
    {"caption", many_words, {{0}}, true},
    {"caption", many_words, {NUMBERS, {"truth", "on"}, {"picture", "3"}}},
    {"caption", NULL, {NUMBERS, {"truth", "on"}, {"prefix", "a small green"}, {"replaced", "2"}}},
    {"caption", NULL, {{"prefix", "a small green"}, {"replaced", "2"}}},
    {"caption", a_page, {{0}}},
    {"caption", a_page, {NUMBERS}},
    {"caption", tall, {{0}}},
    {"caption", tall, {NUMBERS}},
    {"caption", wide, {{0}}, true},
    {"caption", wide, {NUMBERS}},
    {"caption", wider, {NUMBERS}},
    {"caption", NULL, {{"layout", "figure"}}},
    {"caption", a_page, {{"layout", "figure"}}},
    {"caption", wide, {{"layout", "figure"}}},
    {"picture", tiny, {{0}}, true},
    {"picture", tower, {{0}}, true},
    {"picture", wider, {{0}}, true},
    {"training", mute_training, {{0}}},
    {"training", wide_training, {{0}}},
    {"training", reading_training, {{0}}},
    {"training", writing_training, {{0}}},
    {"training", training_of_heads, {{0}}},
    {"training", training_of_heads, {{"shown step", "840"}}},
    {"training", training_of_heads, {{"compared step", "600"}, {"chosen head", "5"}}},
    {"translation", NULL, {{"sentence", "yesterday the summer sleeps here yesterday"}}},
    {"translation",
     NULL,
     {{"sentence",
       "the king sleeps here yesterday the king sleeps here yesterday the king sleeps here "
       "yesterday the king sleeps here yesterday the king sleeps here yesterday the king "
       "sleeps here yesterday the king sleeps here yesterday the king sleeps here"}}},
    {"heads", one_head, {{0}}},
    {"heads", one_weight, {{0}}},
    {"heads", long_head, {{0}}},
    {"heads", some_heads, {{"sort", "entropy"}}},
    {"heads", all_heads, {{"sort", "distance"}}},
    {"heads", layers_of_few, {{"sort", "kind"}}},
    {"heads", few_keys, {{0}}},
    {"heads", shared_keys, {{0}}},
    {"heads", scaled, {{"without", "1.2,3.0=0.5"}}},
    {"heads", scaled_over_cells, {{"without", "1.2,3.0=0.5"}}},
    {"heads", over_cells, {{0}}, true},
    {"heads", over_cells, {{"heads shown", "all"}}},
    {"heads", words_over_cells, {{0}}, true},
    {"heads", many_over_cells, {{0}}, true},
    {"heads", most_over_cells, {{0}}, true},
    {"matrix", one_head, {{0}}},
    {"matrix", one_weight, {{0}}},
    {"matrix", long_head, {{0}}},
    {"matrix", some_heads, {{0}}},
    {"matrix", all_heads, {{0}}},
    {"matrix", few_keys, {{0}}},
    {"matrix", over_cells, {{0}}},
    {"matrix", words_over_cells, {{0}}},
};

static void check_size(one_view *v, const layout_case *c, int width, int height, float density)
{
    v->canvas.density = density;
    OK(viz_canvas_resize(&v->canvas, width, height, NULL));
    bool any = true;
    for (int i = 0; any && i < 8; i++) {
        one_lay(v);
        viz_view_compute(one_of(v), NULL, &any, NULL);
    }
    const char *clash = one_clash(v);
    if (clash)
        fail_msg("%s (%td), %d × %d / %g: %s", c->class, c - cases, width, height, (double)density,
                 clash);
    else if (c->large && !one_map_is_large(v))
        fail_msg("%s (%td), %d × %d / %g: the map is small", c->class, c - cases, width, height,
                 (double)density);
}

static void check_case(const layout_case *c)
{
    one_view *v = one_begin(viz_views_find(c->class), 1280, 800, c->begin);
    for (size_t i = 0; i < 4 && c->settings[i][0]; i++)
        viz_view_restore(one_of(v), c->settings[i][0], c->settings[i][1]);
    for (size_t w = 0; w < (test_is_thorough() ? WINDOWS : FEW); w++)
        check_size(v, c, windows[w].width, windows[w].height, windows[w].density);
    for (int width = 800; test_is_thorough() && width < 2000; width += 168)
        for (int height = 500; height < 1200; height += 128)
            check_size(v, c, width, height, 1);
    one_close(v);
}

TEST(all_is_apart_in_every_view)
{
    for (int i = 0; viz_views[i]; i++)
        check_case(&(layout_case){.class = viz_views[i]->name});
}

TEST(all_is_apart_whatever_is_shown)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

TEST(a_tiny_window_does_no_harm)
{
    for (int i = 0; viz_views[i]; i++) {
        one_view *v = one_open(viz_views[i], 640, 400);
        for (int size = 1; size < 500; size += 31) {
            OK(viz_canvas_resize(&v->canvas, size, size, NULL));
            viz_shell_draw(&v->shell, &v->canvas);
        }
        one_close(v);
    }
}

TEST_MAIN(NULL, NULL)
