/* viz/view: tabs, the sheet of keys, messages; widgets are hit where they are drawn. */

#include "canvas/recording.h"
#include "canvas/text.h"
#include "parts/controls/widgets.h"
#include "shell/shell.h"
#include "status.h"
#include "test.h"

typedef struct plain_view {
    viz_view base;
    int drawn, events, destroyed;
    viz_rect area;
} plain_view;

static void plain_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    (void)canvas;
    ((plain_view *)view)->drawn++;
    ((plain_view *)view)->area = area;
}

static bool plain_event(viz_view *view, const viz_event *event)
{
    (void)event;
    ((plain_view *)view)->events++;
    return true;
}

static void plain_destroy(viz_view *view)
{
    ((plain_view *)view)->destroyed++;
}

static const viz_key_row plain_keys[] = {{"X", "show all"}, {NULL, NULL}};
static const viz_view_class plain_class = {.name = "picture",
                                           .tab = "Picture",
                                           .draw = plain_draw,
                                           .event = plain_event,
                                           .keys = plain_keys,
                                           .destroy = plain_destroy};

static const viz_view_class place_class = {.name = "caption", .tab = "Caption", .is_place = true};
static const viz_view_class hidden_class = {.name = "matrix", .tab = "Matrix"};
static const viz_view_class heads_class = {.name = "heads",
                                           .tab = "Heads",
                                           .draw = plain_draw,
                                           .event = plain_event,
                                           .keys = plain_keys,
                                           .destroy = plain_destroy};

/* The bar has Picture and Heads, which are open, and behind them Caption, which is not; Matrix is no
 * place, and nothing that is open has it. */
static const viz_view_class *const places[] = {&plain_class, &hidden_class, &place_class,
                                               &heads_class, NULL};
enum { PICTURE, HEADS, PLACE, ITEMS };   /* of the bar */
enum { PICTURE_TAB = 0, HEADS_TAB = 1 }; /* the tabs */

typedef struct room {
    plain_view picture, heads;
    viz_shell shell;
    viz_canvas canvas;
} room;

static int open_room(void **state)
{
    room *r = calloc(1, sizeof *r);
    r->picture.base.class = &plain_class;
    r->heads.base.class = &heads_class;
    if (viz_shell_add(&r->shell, &r->picture.base, NULL) != SAC_OK ||
        viz_shell_add(&r->shell, &r->heads.base, NULL) != SAC_OK)
        return 1;
    r->shell.places = places;
    viz_canvas_create(1280, 800, 1, &viz_theme_dark, &r->canvas, NULL);
    viz_shell_draw(&r->shell, &r->canvas);
    *state = r;
    return 0;
}

static int close_room(void **state)
{
    room *r = *state;
    viz_shell_free(&r->shell);
    viz_canvas_free(&r->canvas);
    free(r);
    return 0;
}

static bool press(room *r, float x, float y)
{
    return viz_shell_event(&r->shell, &(viz_event){.kind = VIZ_PRESS, .x = x, .y = y, .button = 1});
}

static bool key(room *r, int key, bool ctrl, bool shift)
{
    return viz_shell_event(&r->shell,
                           &(viz_event){.kind = VIZ_KEY, .key = key, .ctrl = ctrl, .shift = shift});
}

static bool press_item(room *r, int item)
{
    viz_rect t = r->shell.bar.items[item].rect;
    return press(r, t.x + t.w / 2, t.y + t.h / 2);
}

#define IN_ROOM(name) TEST_ON(room, r, name, open_room, close_room)

IN_ROOM(the_view_gets_the_room_between_the_bar_and_the_line_of_status)
{
    assert_true(r->picture.area.y == VIZ_TABS_HEIGHT && r->picture.area.w == 1280);
    assert_true(r->picture.area.y + r->picture.area.h == 800 - VIZ_STATUS_HEIGHT);
    assert_int_equal(r->heads.drawn, 0);
}

static void long_status(const viz_view *view, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, "harbour.png, 32 × 21 cells  ·  PoCL, AMD EPYC, 2 cores  ·  0.23 ms");
}

/* True where the picture has a text that begins so and goes on so. */
static bool writes(room *r, const char *begin, const char *rest)
{
    viz_recording recording = {0};
    bool found = false;
    r->canvas.recording = &recording;
    viz_shell_draw(&r->shell, &r->canvas);
    r->canvas.recording = NULL;
    for (size_t i = 0; i < recording.count; i++) {
        const char *text = recording.shapes[i].text;
        size_t same = strlen(begin);
        found |= text && strncmp(text, begin, same) == 0 && strcmp(text + same, rest) == 0;
    }
    viz_recording_free(&recording);
    return found;
}

IN_ROOM(a_narrow_window_leaves_out_whole_parts_of_the_status)
{
    viz_view_class reported = plain_class;
    reported.status = long_status;
    r->picture.base.class = &reported;
    assert_true(
        writes(r, "harbour", ".png, 32 × 21 cells  ·  PoCL, AMD EPYC, 2 cores  ·  0.23 ms"));
    OK(viz_canvas_resize(&r->canvas, 320, 400, NULL));
    assert_true(writes(r, "harbour", ".png, 32 × 21 cells"));
    r->picture.base.class = &plain_class;
}

IN_ROOM(the_bar_names_what_is_open_and_every_place)
{
    assert_int_equal(r->shell.bar.count, ITEMS);
    assert_true(press_item(r, HEADS));
    assert_int_equal(r->shell.current, HEADS_TAB);
    assert_null(r->shell.wanted);
    assert_true(press_item(r, PLACE)); /* the window opens it */
    assert_ptr_equal(r->shell.wanted, &place_class);
    assert_int_equal(r->shell.current, HEADS_TAB);
    assert_int_equal(r->picture.events + r->heads.events, 0);
}

static bool comes_home(viz_view *view)
{
    ((plain_view *)view)->events = 100;
    return true;
}

IN_ROOM(the_tab_that_is_shown_leads_to_where_its_view_begins)
{
    viz_view_class class = plain_class;
    r->picture.base.class = &class;
    press_item(r, PICTURE);               /* the pointer goes there */
    assert_false(press_item(r, PICTURE)); /* it begins nowhere */
    class.home = comes_home;
    assert_true(press_item(r, PICTURE));
    assert_int_equal(r->picture.events, 100);
    r->picture.base.class = &plain_class;
}

static bool is_typed_into;

static bool typing(const viz_view *view)
{
    (void)view;
    return is_typed_into;
}

/* A press elsewhere ends typing; a letter is typed. */
static bool typed_event(viz_view *view, const viz_event *event)
{
    if (event->kind == VIZ_PRESS)
        is_typed_into = false;
    ((plain_view *)view)->events += event->kind == VIZ_KEY && is_typed_into;
    return true;
}

static void add_cap(const viz_view *view, viz_spots *spots)
{
    (void)view;
    viz_spots_add_key(spots, (viz_rect){600, 400, 80, 20}, "N");
}

static viz_rect tool_of(const viz_places *bar, const char *cap)
{
    for (int i = 0; i < bar->tools.count; i++)
        if (strcmp(bar->tools.keys[i].key, cap) == 0)
            return bar->tools.items[i];
    fail();
    return (viz_rect){0};
}

IN_ROOM(a_cap_that_is_pressed_is_no_letter_of_a_text)
{
    viz_view_class typed = plain_class;
    typed.typing = typing;
    typed.event = typed_event;
    typed.spots = add_cap;
    r->picture.base.class = &typed;
    is_typed_into = true;
    press(r, 640, 410);
    assert_false(is_typed_into);
    assert_int_equal(r->picture.events, 0);
    is_typed_into = true;
    viz_rect keys = tool_of(&r->shell.bar, "?");
    press(r, keys.x + 2, keys.y + 8);
    assert_true(r->shell.show_keys && !is_typed_into);
    r->picture.base.class = &plain_class;
}

static bool is_in_menu(const viz_places *bar, viz_rect r)
{
    return r.w > 0 && r.x >= bar->menu.x && r.y >= bar->menu.y &&
           r.x + r.w <= bar->menu.x + bar->menu.w && r.y + r.h <= bar->menu.y + bar->menu.h;
}

static viz_rect middle_of_more(const room *r)
{
    viz_rect more = r->shell.bar.more;
    return (viz_rect){more.x + more.w / 2, more.y + more.h / 2, 0, 0};
}

/* Whatever the width: in the bar, or one press away in its menu. "present" is always in the bar, "add to lecture" always in the
 * menu. */
IN_ROOM(nothing_is_dropped_from_the_bar)
{
    bool is_with_others = false, is_alone = false;
    strcpy(r->shell.before, "something");
    for (int width = 2000; width >= 320; width -= 20) {
        OK(viz_canvas_resize(&r->canvas, width, 400, NULL));
        viz_shell_draw(&r->shell, &r->canvas);
        const viz_places *bar = &r->shell.bar;
        assert_true(tool_of(bar, "F11").w > 0 && tool_of(bar, "F11").y < VIZ_TABS_HEIGHT);
        assert_true(bar->more.w > 0);
        viz_rect more = middle_of_more(r);
        assert_true(press(r, more.x, more.y));
        viz_shell_draw(&r->shell, &r->canvas);
        assert_true(r->shell.more && bar->menu.x >= 0 && bar->menu.x + bar->menu.w <= width);
        for (int i = 0; i < bar->count; i++)
            assert_true(bar->items[i].rect.w > 0 &&
                        bar->items[i].folded == is_in_menu(bar, bar->items[i].rect));
        static const char *const always[] = {"ctrl B", "ctrl −", "ctrl +", "ctrl T", "?"};
        for (int i = 0; i < 5; i++)
            assert_true(tool_of(bar, always[i]).w > 0);
        assert_true(is_in_menu(bar, tool_of(bar, "ctrl D")));
        if (is_in_menu(bar, tool_of(bar, "ctrl −")))
            is_with_others = true;
        else
            is_alone = true;
        assert_true(press(r, 5, 300)); /* which only closes it */
        assert_false(r->shell.more);
        assert_int_equal(r->picture.events, 0);
        viz_shell_draw(&r->shell, &r->canvas);
        assert_true(bar->menu.w <= 0);
    }
    assert_true(is_with_others && is_alone);
}

IN_ROOM(a_row_of_the_menu_does_what_it_names)
{
    OK(viz_canvas_resize(&r->canvas, 320, 400, NULL));
    viz_shell_draw(&r->shell, &r->canvas);
    viz_rect more = middle_of_more(r);
    assert_true(press(r, more.x, more.y));
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(r->shell.bar.items[PLACE].folded);
    assert_true(press_item(r, PLACE));
    assert_ptr_equal(r->shell.wanted, &place_class);
    assert_false(r->shell.more);
    assert_true(press(r, more.x, more.y));
    viz_shell_draw(&r->shell, &r->canvas);
    viz_rect theme = tool_of(&r->shell.bar, "ctrl T");
    assert_true(press(r, theme.x + 9, theme.y + 9));
    assert_ptr_equal(r->shell.asked, viz_key_named("ctrl T", NULL));
    assert_false(r->shell.more);
    press(r, more.x, more.y);
    assert_true(r->shell.more && key(r, VIZ_KEY_ESCAPE, false, false) && !r->shell.more);
    assert_int_equal(r->picture.events, 0);
}

/* Tools that act only sometimes have their room from the first: nothing leaves the bar when they come. */
IN_ROOM(undo_takes_nothing_out_of_the_bar)
{
    for (int width = 400; width <= 1400; width += 40) {
        bool was[16] = {false};
        r->shell.before[0] = '\0';
        OK(viz_canvas_resize(&r->canvas, width, 400, NULL));
        viz_shell_draw(&r->shell, &r->canvas);
        const viz_places *bar = &r->shell.bar;
        for (int i = 0; i < bar->tools.count; i++)
            was[i] = bar->tools.items[i].w > 0;
        strcpy(r->shell.before, "something");
        viz_shell_draw(&r->shell, &r->canvas);
        for (int i = 0; i < bar->tools.count; i++)
            assert_true(!was[i] || bar->tools.items[i].w > 0);
    }
}

/* What belongs to what is open stands first; a line parts it from what leaves it. */
IN_ROOM(places_that_leave_what_is_open_are_a_group_of_their_own)
{
    const viz_places *bar = &r->shell.bar;
    assert_false(bar->items[PICTURE].leaves || bar->items[HEADS].leaves);
    assert_true(bar->items[PLACE].leaves);
    assert_true(bar->rules[0] > bar->items[HEADS].rect.x + bar->items[HEADS].rect.w + 4 &&
                bar->rules[0] + 4 < bar->items[PLACE].rect.x);
    r->shell.tabs[HEADS_TAB].aside = true; /* of something else that is open, too */
    viz_shell_draw(&r->shell, &r->canvas);
    assert_string_equal(bar->items[2].class->name, "heads");
    assert_true(bar->items[2].leaves);
    assert_true(press_item(r, 2));
    assert_int_equal(r->shell.current, HEADS_TAB);
    r->shell.tabs[HEADS_TAB].aside = false;
    r->shell.of_picture = true; /* a file of a picture: Caption is not open, and yet of it */
    viz_shell_draw(&r->shell, &r->canvas);
    for (int i = 0; i < bar->count; i++)
        assert_false(bar->items[i].leaves);
    r->shell.of_picture = false;
}

IN_ROOM(a_sample_is_marked)
{
    assert_false(writes(r, "sample", ""));
    r->shell.sample = true;
    assert_true(writes(r, "sample", ""));
    r->shell.sample = false;
}

/* What is open is named before its places where all else has room, and shortened. */
IN_ROOM(what_is_open_is_named_before_its_places)
{
    const viz_places *bar = &r->shell.bar;
    assert_false(writes(r, "garden", ""));
    strcpy(r->shell.name, "garden");
    assert_true(writes(r, "garden", ""));
    assert_true(bar->name.x > bar->mark.x + bar->mark.w &&
                bar->name.x + bar->name.w < bar->items[0].rect.x);
    strcpy(r->shell.name, "a name that is much longer than there is room for in a bar");
    assert_false(writes(r, "a name that is much longer than there is room for in a bar", ""));
    assert_true(bar->name.w > 0 && bar->name.w < 160);
    OK(viz_canvas_resize(&r->canvas, 560, 400, NULL));
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(bar->name.w <= 0); /* it goes before anything else does */
    r->shell.name[0] = '\0';
}

/* Nothing of the bar overlaps, or leaves the window. */
IN_ROOM(the_bar_fits_in_every_window)
{
    for (int width = 320; width <= 2000; width += 40) {
        float end = 0;
        r->shell.sample = width % 80 == 0;
        OK(viz_canvas_resize(&r->canvas, width, 400, NULL));
        viz_shell_draw(&r->shell, &r->canvas);
        const viz_places *bar = &r->shell.bar;
        for (int i = 0; i < bar->count; i++) {
            if (bar->items[i].folded)
                continue;
            assert_true(bar->items[i].rect.x >= end + 4 && bar->items[i].rect.w > 0);
            end = bar->items[i].rect.x + bar->items[i].rect.w;
        }
        assert_true(bar->open.x >= end + 4);
        end = bar->save.x + bar->save.w;
        for (int i = 0; i < bar->tools.count; i++)
            if (bar->tools.items[i].w > 0) {
                assert_true(bar->tools.items[i].x >= end + 4);
                end = bar->tools.items[i].x + bar->tools.items[i].w;
            }
        if (bar->more.w > 0) {
            assert_true(bar->more.x >= end + 4);
            end = bar->more.x + bar->more.w;
        }
        assert_true(end <= (float)width);
    }
}

/* A press on the program's name is for the window, and no press of the view. */
IN_ROOM(the_name_of_the_program_plays_the_beginning_again)
{
    viz_rect mark = r->shell.bar.mark;
    assert_false(r->shell.replays);
    assert_true(press(r, mark.x + 5, mark.y + 20));
    assert_true(r->shell.replays);
    assert_int_equal(r->picture.events, 0);
}

/* ---- presented: the pointer at the upper edge brings the bar */

static bool move(room *r, float x, float y)
{
    return viz_shell_event(&r->shell, &(viz_event){.kind = VIZ_MOVE, .x = x, .y = y});
}

IN_ROOM(presented_the_upper_edge_brings_the_whole_bar)
{
    const viz_places *bar = &r->shell.bar;
    r->canvas.theme = &viz_theme_dark_presented;
    r->canvas.density = 2;
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(bar->open.w <= 0 && bar->items[PLACE].rect.w <= 0);
    move(r, 300, 200);
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(bar->open.w <= 0);
    move(r, 300, 30); /* near the edge the view has its own */
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(bar->open.w <= 0);
    assert_true(move(r, 300, 2));
    int events = r->picture.events; /* from now on none is the view's */
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(bar->open.w > 0 && bar->items[PLACE].rect.w > 0);
    assert_true(r->picture.area.y == 0); /* the view stays where it is */
    assert_true(writes(r, "×  leave", ""));
    viz_rect leave = tool_of(bar, "F11");
    move(r, leave.x + 4, leave.y + 4);
    press(r, 620, 20); /* on nothing of the bar */
    assert_int_equal(r->picture.events, events);
    assert_true(press_item(r, PLACE));
    assert_ptr_equal(r->shell.wanted, &place_class);
    assert_true(move(r, 300, 200));
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(bar->open.w <= 0);
    r->canvas.theme = &viz_theme_dark;
    r->canvas.density = 1;
}

/* The way out is where the bar has it: who goes there sees all other places. */
IN_ROOM(the_way_out_brings_the_bar_too)
{
    r->canvas.theme = &viz_theme_dark_presented;
    r->shell.now = 10;
    move(r, 300, 200);
    viz_shell_draw(&r->shell, &r->canvas);
    viz_rect leave = r->shell.leave;
    assert_true(leave.w > 0);
    assert_true(move(r, leave.x + leave.w / 2, leave.y + leave.h / 2));
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(r->shell.bar.open.w > 0 && r->shell.leave.w <= 0);
    viz_rect there = tool_of(&r->shell.bar, "F11");
    assert_true(there.x < leave.x + leave.w && leave.x < there.x + there.w);
    r->canvas.theme = &viz_theme_dark;
}

/* What is dragged does not bring it. */
IN_ROOM(a_drag_to_the_edge_brings_no_bar)
{
    r->canvas.theme = &viz_theme_dark_presented;
    viz_shell_draw(&r->shell, &r->canvas);
    viz_shell_event(&r->shell, &(viz_event){.kind = VIZ_MOVE, .x = 300, .y = 2, .button = 1});
    assert_false(r->shell.hangs);
    r->canvas.theme = &viz_theme_dark;
}

IN_ROOM(keys_switch_between_views_and_reach_every_place)
{
    assert_true(key(r, VIZ_KEY_TAB, true, false));
    assert_int_equal(r->shell.current, HEADS_TAB);
    assert_true(key(r, VIZ_KEY_TAB, true, false));
    assert_int_equal(r->shell.current, PICTURE_TAB);
    assert_true(key(r, VIZ_KEY_TAB, true, true));
    assert_int_equal(r->shell.current, HEADS_TAB);
    /* A digit is a place's own, wherever that stands: 2 is Picture, 4 Heads, 1 Caption, 8 Lessons. */
    assert_true(key(r, '2', false, false));
    assert_int_equal(r->shell.current, PICTURE_TAB);
    assert_true(key(r, '4', false, false));
    assert_int_equal(r->shell.current, HEADS_TAB);
    assert_true(key(r, '1', false, false));
    assert_ptr_equal(r->shell.wanted, &place_class);
    assert_true(key(r, '8', false, false)); /* which is not there: a message */
    assert_true(strncmp(r->shell.message, "Lessons", 7) == 0);
    assert_int_equal(r->shell.current, HEADS_TAB);
}

static void add_door(const viz_view *view, viz_spots *spots)
{
    (void)view;
    viz_spots_add_place(spots, (viz_rect){600, 400, 80, 20}, place_class.name, "A door.");
}

IN_ROOM(a_spot_of_a_view_may_be_the_door_to_a_place)
{
    viz_view_class with_door = plain_class;
    with_door.spots = add_door;
    r->picture.base.class = &with_door;
    assert_true(press(r, 640, 410));
    assert_ptr_equal(r->shell.wanted, &place_class);
    assert_int_equal(r->picture.events, 0);
    r->picture.base.class = &plain_class;
}

static bool focus_is(const room *r, viz_rect at)
{
    float x = at.x + at.w / 2, y = at.y + at.h / 2;
    return r->shell.focused && viz_inside(r->shell.focus, x, y);
}

/* From the program's name on; Return and space press; shift goes back; other keys take the ring away. */
IN_ROOM(tab_reaches_what_can_be_pressed_and_return_presses_it)
{
    const viz_places *bar = &r->shell.bar;
    assert_true(key(r, VIZ_KEY_TAB, false, false) && focus_is(r, bar->mark));
    for (int i = 0; i < ITEMS; i++) {
        assert_true(key(r, VIZ_KEY_TAB, false, false));
        assert_true(focus_is(r, bar->items[i].rect));
    }
    size_t bytes = 4 * 1280 * 800;
    uint8_t *before = malloc(bytes);
    memcpy(before, r->canvas.rgba, bytes);
    viz_shell_draw(&r->shell, &r->canvas);
    assert_memory_not_equal(r->canvas.rgba, before, bytes); /* the ring, and the sentence */
    assert_true(key(r, VIZ_KEY_RETURN, false, false));
    assert_ptr_equal(r->shell.wanted, &place_class);
    assert_true(key(r, VIZ_KEY_TAB, false, true) && focus_is(r, bar->items[HEADS].rect));
    assert_true(key(r, ' ', false, false));
    assert_int_equal(r->shell.current, HEADS_TAB);
    for (int i = 0; i < 3; i++)
        assert_true(key(r, VIZ_KEY_TAB, false, true));
    assert_true(r->shell.focus.x > bar->open.x); /* round and round: the last of the tools */
    assert_true(key(r, VIZ_KEY_ESCAPE, false, false) && !r->shell.focused);
    assert_true(key(r, VIZ_KEY_TAB, false, false) && focus_is(r, bar->mark));
    int events = r->heads.events;
    key(r, 'x', false, false);
    assert_true(!r->shell.focused && r->heads.events == events + 1);
    assert_true(key(r, ' ', false, false) && r->heads.events == events + 2); /* the view's again */
    free(before);
}

/* A view that has the whole canvas: the pointer finds the way out, and after a while it is gone. */
IN_ROOM(the_pointer_leaves_what_has_the_whole_canvas)
{
    r->canvas.theme = viz_theme_presented(r->canvas.theme);
    viz_shell_tick(&r->shell, 10);
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(r->shell.leave.w <= 0);
    viz_shell_event(&r->shell, &(viz_event){.kind = VIZ_MOVE, .x = 300, .y = 300});
    assert_true(viz_shell_tick(&r->shell, 10.1));
    viz_shell_draw(&r->shell, &r->canvas);
    viz_rect leave = r->shell.leave;
    assert_true(leave.w > 40 && leave.h >= 24);
    viz_event press = {
        .kind = VIZ_PRESS, .x = leave.x + leave.w / 2, .y = leave.y + leave.h / 2, .button = 1};
    assert_true(viz_shell_event(&r->shell, &press));
    assert_string_equal(r->shell.asked->cap, "F11");
    assert_true(viz_shell_tick(&r->shell, 20)); /* it goes */
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(r->shell.leave.w <= 0);
    assert_true(key(r, '1', false, false)); /* digits reach places all the same */
}

/* Nothing stands over the view: it is the same, and the line alone another. */
IN_ROOM(what_is_pointed_at_is_reported_in_the_line_of_status)
{
    size_t view = 4 * 1280 * (size_t)(800 - VIZ_STATUS_HEIGHT), bytes = 4 * 1280 * 800;
    uint8_t *before = malloc(bytes);
    viz_view_class reported = heads_class;
    reported.about = "Many maps at once.";
    r->shell.tabs[HEADS_TAB].class = &reported;
    r->shell.places = NULL;
    viz_shell_draw(&r->shell, &r->canvas);
    memcpy(before, r->canvas.rgba, bytes);
    viz_rect t = r->shell.bar.items[1].rect;
    viz_event to = {.kind = VIZ_MOVE, .x = t.x + t.w / 2, .y = t.y + t.h / 2};
    assert_true(viz_shell_event(&r->shell, &to));
    assert_true(writes(r, "Many", " maps at once."));
    size_t bar = 4 * 1280 * (size_t)VIZ_TABS_HEIGHT;
    assert_memory_equal(r->canvas.rgba + bar, before + bar, view - bar);
    assert_memory_not_equal(r->canvas.rgba + view, before + view, bytes - view);
    r->shell.tabs[HEADS_TAB].class = &heads_class;
    free(before);
}

IN_ROOM(a_view_is_found_and_shown_by_its_name)
{
    assert_ptr_equal(viz_shell_find(&r->shell, "Heads"), &r->heads.base);
    assert_true(viz_shell_show(&r->shell, "heads"));
    assert_ptr_equal(viz_shell_view(&r->shell), &r->heads.base);
    assert_null(viz_shell_find(&r->shell, "caption")); /* a place, and not open */
    assert_false(viz_shell_show(&r->shell, "lessons"));
    assert_int_equal(r->shell.current, HEADS_TAB);
}

IN_ROOM(an_empty_shell_has_no_tabs_and_takes_every_event)
{
    viz_shell empty = {0};
    viz_shell_draw(&empty, &r->canvas);
    assert_null(viz_shell_view(&empty));
    assert_false(viz_shell_event(&empty, &(viz_event){.kind = VIZ_KEY, .key = '1'}));
    assert_false(
        viz_shell_event(&empty, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_TAB, .ctrl = true}));
    assert_false(
        viz_shell_event(&empty, &(viz_event){.kind = VIZ_PRESS, .x = 600, .y = 20, .button = 1}));
    viz_rect cap = empty.bar.open; /* what opens a file is there */
    viz_event on_cap = {.kind = VIZ_PRESS, .x = cap.x + 2, .y = cap.y + 20, .button = 1};
    assert_true(viz_shell_event(&empty, &on_cap));
    assert_string_equal(empty.asked->cap, "ctrl O");
}

IN_ROOM(what_is_not_the_shells_goes_to_the_view)
{
    press(r, 600, 400);
    key(r, 'x', false, false);
    assert_int_equal(r->picture.events, 2);
    assert_int_equal(r->heads.events, 0);
}

IN_ROOM(any_key_puts_the_sheet_of_keys_away)
{
    size_t bytes = 4 * 1280 * 800;
    uint8_t *before = malloc(bytes);
    memcpy(before, r->canvas.rgba, bytes);
    assert_true(key(r, '?', false, true));
    viz_shell_draw(&r->shell, &r->canvas);
    assert_memory_not_equal(r->canvas.rgba, before, bytes);
    assert_true(key(r, 'x', false, false));
    viz_shell_draw(&r->shell, &r->canvas);
    assert_memory_equal(r->canvas.rgba, before, bytes);
    assert_int_equal(r->picture.events, 0);
    free(before);
}

IN_ROOM(a_message_goes_away_by_itself)
{
    viz_shell_tick(&r->shell, 100);
    viz_shell_show_message(&r->shell, "saved cat.png");
    assert_true(viz_shell_tick(&r->shell, 101));
    assert_string_equal(r->shell.message, "saved cat.png");
    assert_true(viz_shell_tick(&r->shell, 104)); /* it goes: draw once more */
    assert_false(viz_shell_tick(&r->shell, 105));
    assert_string_equal(r->shell.message, "");
    char longer[1000];
    memset(longer, 'm', 999);
    longer[999] = 0;
    viz_shell_show_message(&r->shell, longer);
    viz_shell_draw(&r->shell, &r->canvas);
}

/* Long ones wrap, and stand where no view is: in the line of status, as far as they are short. */
IN_ROOM(a_message_stands_below_the_view_and_is_read_whole)
{
    viz_shell_show_message(&r->shell, "saved /home/somebody/pictures/cat-saccade-1.png");
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(r->shell.toast_area.w > 0 && r->shell.toast_area.y >= 800 - VIZ_STATUS_HEIGHT);
    char longer[600];
    memset(longer, 'm', 599);
    for (int i = 20; i < 599; i += 20)
        longer[i] = i % 40 ? ' ' : '/';
    longer[599] = 0;
    viz_shell_show_message(&r->shell, longer);
    viz_shell_draw(&r->shell, &r->canvas);
    viz_rect toast_area = r->shell.toast_area;
    assert_true(toast_area.x >= 0 && toast_area.x + toast_area.w <= 1280 &&
                toast_area.h > 5 * VIZ_LABEL);
    float room_for = (toast_area.w - 30) * toast_area.h / 18; /* of its lines; none is cut off */
    assert_true(viz_text_width(&r->canvas, VIZ_SANS, VIZ_LABEL, longer) < room_for);
}

IN_ROOM(a_message_stays_under_the_pointer_and_a_click_puts_it_away)
{
    viz_shell_tick(&r->shell, 10);
    viz_shell_show_message(&r->shell, "saved cat.png");
    viz_shell_draw(&r->shell, &r->canvas);
    float x = r->shell.toast_area.x + 5, y = r->shell.toast_area.y + 5;
    viz_shell_event(&r->shell, &(viz_event){.kind = VIZ_MOVE, .x = x, .y = y});
    viz_shell_tick(&r->shell, 60);
    assert_string_equal(r->shell.message, "saved cat.png");
    assert_true(press(r, x, y));
    assert_string_equal(r->shell.message, "");
    assert_int_equal(r->picture.events, 1); /* the pointer's; not the click */
}

IN_ROOM(hints_go_by_themselves_and_at_the_first_action)
{
    size_t bytes = 4 * 1280 * 800;
    uint8_t *before = malloc(bytes);
    viz_shell_draw(&r->shell, &r->canvas);
    memcpy(before, r->canvas.rgba, bytes);
    for (int acts = 0; acts < 2; acts++) {
        viz_shell_tick(&r->shell, 100);
        viz_shell_start_hints(&r->shell);
        viz_shell_tick(&r->shell, 105);
        viz_shell_draw(&r->shell, &r->canvas);
        assert_memory_not_equal(r->canvas.rgba, before, bytes);
        if (acts)
            key(r, 'x', false, false);
        if (!acts)
            assert_true(viz_shell_tick(&r->shell, 200)); /* they are gone: draw */
        assert_false(viz_shell_tick(&r->shell, 201));
        viz_shell_draw(&r->shell, &r->canvas);
        assert_memory_equal(r->canvas.rgba, before, bytes);
    }
    free(before);
}

IN_ROOM(a_shell_frees_its_views_once)
{
    viz_shell_free(&r->shell);
    viz_shell_free(&r->shell);
    assert_int_equal(r->picture.destroyed, 1);
    assert_int_equal(r->heads.destroyed, 1);
}

/* ---------------------------------------------------------------- widgets */

TEST(a_slider_gives_back_what_it_shows)
{
    viz_slider linear = {{10, 0, 200, VIZ_SLIDER_HEIGHT}, "x", -1, 3, false, false};
    viz_slider scale = {{10, 0, 200, VIZ_SLIDER_HEIGHT}, "x", 0.1f, 10, true, false};
    assert_true(fabsf(viz_slider_value(&linear, 110) - 1) < 1e-5f);
    assert_true(fabsf(viz_slider_value(&scale, 110) - 1) < 1e-5f); /* the geometric middle */
    assert_true(viz_slider_value(&linear, -50) == -1 && viz_slider_value(&scale, 999) == 10);
    assert_true(viz_slider_hit(&linear, 10, 26) && !viz_slider_hit(&linear, 10, 80));
}

IN_ROOM(choices_are_hit_where_they_stand_and_wrap)
{
    static const char *const names[] = {"dot", "scaled dot", "bilinear", "additive", "Gaussian"};
    for (float width = 120; width < 700; width += 60) {
        viz_choices chips = viz_chips_layout(&r->canvas, 30, 40, width, names, 5);
        viz_choices words = viz_words_layout(&r->canvas, 30, 40, width, "score", names, 5);
        for (int i = 0; i < 5; i++) {
            viz_rect c = chips.items[i], w = words.items[i];
            assert_int_equal(viz_choices_hit(&chips, c.x + c.w / 2, c.y + c.h / 2), i);
            assert_int_equal(viz_choices_hit(&words, w.x + w.w / 2, w.y + w.h / 2), i);
            assert_true(c.x >= 30 && c.x + c.w <= 30 + width + 1);
            assert_true(c.y + c.h <= chips.rect.y + chips.rect.h);
        }
        assert_int_equal(viz_choices_hit(&chips, 5, 5), -1);
    }
}

IN_ROOM(caps_without_room_are_left_out)
{
    static const viz_key_row keys[] = {{"S", "PNG"}, {"A", "animation"}, {"?", "keys"}};
    viz_caps wide = viz_caps_layout(&r->canvas, 800, 0, 700, keys, 3);
    viz_caps slim = viz_caps_layout(&r->canvas, 800, 0, 80, keys, 3);
    assert_true(wide.items[0].w > 0 && slim.items[0].w == 0 && slim.items[2].w > 0);
    assert_true(fabsf(slim.items[2].x + slim.items[2].w - 800) < 0.01f);
    assert_int_equal(viz_caps_hit(&slim, slim.items[2].x + 2, 5), 2);
    assert_int_equal(viz_caps_hit(&slim, 0, 0), -1);
}

TEST(numbers_are_short_and_true)
{
    char text[32];
    assert_string_equal(viz_number(0, text, sizeof text), "0");
    assert_string_equal(viz_number(1, text, sizeof text), "1");
    assert_string_equal(viz_number(0.02138f, text, sizeof text), "0.0214");
    assert_string_equal(viz_number(3.14e-6f, text, sizeof text), "3.1e-06");
    assert_string_equal(viz_number(-0.5f, text, sizeof text), "-0.5000");
    assert_string_equal(viz_number(12.5f, text, sizeof text), "12.50");
}

/* Letters go into the line and to no view; what is typed is wanted until it is what is open. */
IN_ROOM(a_text_is_typed_in_a_line_below_the_tabs)
{
    viz_shell next = {0};
    sac_source source = {.result.typed = true, .result.text = "the bank"};
    const viz_event begin = {.kind = VIZ_KEY, .key = 'l', .ctrl = true};
    const viz_event letter = {.kind = VIZ_KEY, .key = '1'},
                    end = {.kind = VIZ_KEY, .key = VIZ_KEY_RETURN};
    float top = r->picture.area.y;
    r->picture.base.source = &source;
    viz_shell_draw(&r->shell, &r->canvas);
    assert_true(r->picture.area.y == top + VIZ_TYPED_HEIGHT);
    assert_null(viz_shell_typed(&r->shell));
    int events = r->picture.events;
    assert_true(viz_shell_event(&r->shell, &begin) && viz_shell_typing(&r->shell));
    assert_true(viz_shell_event(&r->shell, &letter));
    assert_string_equal(viz_shell_typed(&r->shell), "1"); /* in place of all, which was selected */
    assert_true(viz_shell_event(&r->shell, &end) && !viz_shell_typing(&r->shell));
    assert_int_equal(r->picture.events, events);
    viz_shell_hand_typed(&r->shell, &next);
    assert_string_equal(next.typed.text, "1");
    snprintf(source.result.text, sizeof source.result.text, "1");
    assert_null(viz_shell_typed(&r->shell));
    r->picture.base.source = NULL;
}

/* Return is yes, Esc no, and so are presses on them; all else goes on meanwhile. */
IN_ROOM(a_question_waits_for_its_answer)
{
    viz_canvas canvas;
    OK(viz_canvas_create(1280, 800, 1, NULL, &canvas, NULL));
    for (int i = 0; i < 4; i++) {
        bool yes = i % 2 == 0;
        snprintf(r->shell.question, sizeof r->shell.question, "Open them?");
        viz_shell_draw(&r->shell, &canvas);
        int events = r->picture.events;
        assert_true(viz_shell_event(&r->shell, &(viz_event){.kind = VIZ_KEY, .key = 'x'}));
        assert_int_equal(r->picture.events, events + 1);
        assert_int_equal(viz_shell_take_answer(&r->shell), VIZ_ANSWER_NONE);
        viz_rect spot = yes ? r->shell.yes : r->shell.no;
        viz_event answer = {.kind = i < 2 ? VIZ_KEY : VIZ_PRESS,
                            .key = yes ? VIZ_KEY_RETURN : VIZ_KEY_ESCAPE,
                            .button = 1,
                            .x = spot.x + spot.w / 2,
                            .y = spot.y + spot.h / 2};
        assert_true(viz_shell_event(&r->shell, &answer));
        assert_int_equal(r->picture.events, events + 1);
        assert_int_equal(viz_shell_take_answer(&r->shell), yes ? VIZ_ANSWER_YES : VIZ_ANSWER_NO);
        assert_int_equal(viz_shell_take_answer(&r->shell), VIZ_ANSWER_NONE);
        assert_string_equal(r->shell.question, "");
    }
    viz_canvas_free(&canvas);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
