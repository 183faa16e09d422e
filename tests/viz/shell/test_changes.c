/* viz/canvas/tiles through the shell: a window whose frames draw only what changed shows the same pixels
 * as one that draws each frame whole, in every view, whatever a person does. */

#include "base/random/random.h"
#include "every_view.h"
#include "extent.h"
#include "status.h"
#include "test.h"

enum { LAST = 4 };

static int steps(void)
{
    return test_is_thorough() ? 100 : 30;
}

/* Events in an order that the seed decides. */
typedef struct hand {
    uint64_t seed, at;
    viz_event last[LAST]; /* printed where a frame differs */
    float x, y;
    int button;
} hand;

static int pick(hand *h, int count)
{
    int picked = (int)((float)count * sac_philox_uniform((uint32_t)h->at++, 0, h->seed));
    return picked < count ? picked : count - 1;
}

static int count_keys(void)
{
    int count = 0;
    while (viz_keys[count].cap)
        count++;
    return count;
}

static viz_event key_event(hand *h)
{
    const viz_key *key = &viz_keys[pick(h, count_keys())];
    while (!key->code || key->owner == VIZ_KEY_OF_WINDOW)
        key = &viz_keys[pick(h, count_keys())];
    viz_event event = viz_key_event(key);
    event.shift = event.shift != (pick(h, 4) == 0);
    return event;
}

static viz_event next_event(hand *h, const viz_canvas *canvas)
{
    int what = pick(h, 12);
    if (what < 3)
        return key_event(h);
    if (what < 4)
        return (viz_event){.kind = VIZ_WHEEL,
                           .x = h->x,
                           .y = h->y,
                           .wheel_y = pick(h, 2) ? 1.0f : -1.0f,
                           .ctrl = pick(h, 3) == 0};
    if (what < 6) {
        int button = h->button;
        h->button = button ? 0 : 1 + 2 * (pick(h, 5) == 0);
        return (viz_event){.kind = button ? VIZ_RELEASE : VIZ_PRESS,
                           .x = h->x,
                           .y = h->y,
                           .button = button ? button : h->button};
    }
    float reach = what < 9 ? 40 : viz_width(canvas);
    h->x = fminf(fmaxf(h->x + reach * (0.01f * (float)pick(h, 100) - 0.5f), 0), viz_width(canvas));
    h->y = fminf(fmaxf(h->y + reach * (0.01f * (float)pick(h, 100) - 0.5f), 0), viz_height(canvas));
    return (viz_event){.kind = VIZ_MOVE, .x = h->x, .y = h->y, .button = h->button};
}

static void fail_at(const one_view *v, const hand *h, const viz_canvas *whole, int step)
{
    int x0 = whole->width, y0 = whole->height, x1 = 0, y1 = 0;
    for (int y = 0; y < whole->height; y++)
        for (int x = 0; x < whole->width; x++) {
            size_t at = 4 * ((size_t)y * (size_t)whole->width + (size_t)x);
            if (memcmp(whole->rgba + at, v->canvas.rgba + at, 4) == 0)
                continue;
            x0 = x < x0 ? x : x0;
            y0 = y < y0 ? y : y0;
            x1 = x > x1 ? x : x1;
            y1 = y > y1 ? y : y1;
        }
    for (int i = 0; i < LAST; i++)
        print_message("event %d, key %d, button %d at %.0f, %.0f\n", (int)h->last[i].kind,
                      h->last[i].key, h->last[i].button, (double)h->last[i].x,
                      (double)h->last[i].y);
    fail_msg("%s, step %d: pixels %d … %d, %d … %d are those of another frame", v->class->name,
             step, x0, x1, y0, y1);
}

/* Frames of the one canvas by parts and of the other whole. Returns the share of pixels that was drawn. */
static double check_view(const viz_view_class *class, int width, int height, float density,
                         const viz_theme *theme)
{
    one_view *v = one_open(class, width, height);
    hand h = {.seed = (uint64_t)width, .x = (float)width / 2, .y = (float)height / 2};
    viz_canvas whole;
    viz_tiles tiles = {0};
    double drawn = 0, now = 0;
    size_t bytes = 4 * (size_t)width * (size_t)height;
    v->canvas.density = density;
    v->canvas.theme = theme;
    OK(viz_canvas_create(width, height, density, theme, &whole, NULL));
    for (int step = 0; step < steps(); step++) {
        h.last[step % LAST] = next_event(&h, &v->canvas);
        viz_shell_event(&v->shell, &h.last[step % LAST]);
        v->shell.wanted = NULL;
        v->shell.asked = NULL;
        now += 0.01 * pick(&h, 12);
        viz_shell_tick(&v->shell, now);
        bool any;
        if (pick(&h, 3))
            viz_view_compute(one_of(v), NULL, &any, NULL); /* some of what is made up fails */
        viz_shell_draw_changes(&v->shell, &v->canvas, &tiles);
        for (int i = 0; step && i < tiles.count; i++)
            drawn += (double)(tiles.parts[i].x1 - tiles.parts[i].x0) *
                     (tiles.parts[i].y1 - tiles.parts[i].y0) / width / height / steps();
        viz_shell_draw(&v->shell, &whole);
        if (memcmp(whole.rgba, v->canvas.rgba, bytes) != 0)
            fail_at(v, &h, &whole, step);
        viz_shell_draw_changes(&v->shell, &v->canvas, &tiles);
        if (tiles.count)
            fail_msg("%s, step %d: the same is drawn again", class->name, step);
    }
    viz_tiles_free(&tiles);
    viz_canvas_free(&whole);
    one_close(v);
    return drawn;
}

TEST(frames_of_what_changed_are_those_drawn_whole)
{
    for (int i = 0; viz_views[i]; i++) {
        double small = check_view(viz_views[i], 640, 400, 1, &viz_theme_dark);
        double dense = check_view(viz_views[i], 960, 655, 1.25f, &viz_theme_light);
        print_message("%s: %.0f and %.0f %% drawn\n", viz_views[i]->name, 100 * small, 100 * dense);
        assert_true(!test_is_thorough() || (small < 0.9 && dense < 0.9));
    }
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
