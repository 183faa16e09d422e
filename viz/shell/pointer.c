/* The pointer, and the focus of the keyboard, over the spots of the shell and its view. */

#include "shell/pointer.h"

#include <math.h>

#include "shell/shell.h"
#include "shell/status.h"
#include "view/words.h"

void viz_shell_spots(const viz_shell *shell, viz_spots *spots)
{
    const viz_view *view = viz_shell_view(shell);
    spots->count = 0;
    if (shell->show_keys)
        return;
    viz_places_spots(shell, spots);
    if (!viz_places_cover_view(shell)) {
        viz_spots_add(spots, shell->typed_rect, VIZ_SPOT_PRESSES,
                      "Click, or press ctrl L, to type another text.");
        if (view && view->class->spots)
            view->class->spots(view, spots);
    }
    if (shell->leave.w > 0)
        viz_spots_add_press(spots, shell->leave,
                            view && viz_view_is_figure(view) ? "ctrl F" : "F11", NULL);
    if (shell->question[0]) {
        viz_spots_add(spots, shell->yes, VIZ_SPOT_PRESSES, NULL);
        viz_spots_add(spots, shell->no, VIZ_SPOT_PRESSES, NULL);
    } else if (shell->message[0]) {
        viz_spots_add(spots, shell->toast_area, VIZ_SPOT_PRESSES, NULL);
    }
}

bool viz_pointer_spot(const viz_shell *shell, float x, float y, viz_spot *spot)
{
    viz_spots spots;
    viz_shell_spots(shell, &spots);
    const viz_spot *found = viz_spots_at(&spots, x, y);
    if (found)
        *spot = *found;
    return found;
}

static bool find_pointed(const viz_shell *shell, viz_spot *spot)
{
    return shell->pointed && viz_pointer_spot(shell, shell->pointer_x, shell->pointer_y, spot);
}

bool viz_shell_is_on_button(const viz_shell *shell)
{
    viz_spot spot;
    return find_pointed(shell, &spot) && viz_spot_is_pressable(&spot);
}

bool viz_pointer_follow(viz_shell *shell, const viz_event *event)
{
    viz_spot before = {0}, now = {0};
    bool moved = event->x != shell->pointer_x || event->y != shell->pointer_y;
    if (event->kind == VIZ_MOVE && shell->pointed && !moved)
        return false;
    bool had = find_pointed(shell, &before);
    shell->pointed = event->kind != VIZ_LEAVE;
    shell->moved_at = moved ? shell->now : shell->moved_at;
    shell->pointer_x = event->x;
    shell->pointer_y = event->y;
    bool has = find_pointed(shell, &now);
    return had != has || (had && !(before.rect.x == now.rect.x && before.rect.y == now.rect.y &&
                                   before.rect.w == now.rect.w && before.tip == now.tip));
}

/* ---------------------------------------------------------------- focus */

#define ROW 16.0f /* what stands within it is read from left to right */

static bool takes_focus(const viz_spot *spot)
{
    return spot->kind == VIZ_SPOT_PRESSES || spot->kind == VIZ_SPOT_STEPS || spot->stride > 0 ||
           spot->stride_y > 0;
}

/* Where it is read: by rows, then from the left. */
static double reading_order(viz_rect r)
{
    return 1e5 * (double)floorf((r.y + r.h / 2) / ROW) + (double)r.x;
}

static bool is_focus(const viz_shell *shell, const viz_spot *spot)
{
    viz_rect r = shell->focus;
    if (shell->focus_moves)
        return spot->moves == shell->focus_moves;
    return spot->rect.x == r.x && spot->rect.y == r.y && spot->rect.w == r.w && spot->rect.h == r.h;
}

static bool find_focus(const viz_shell *shell, viz_spot *spot)
{
    viz_spots spots;
    if (!shell->focused)
        return false;
    viz_shell_spots(shell, &spots);
    for (int i = 0; i < spots.count; i++)
        if (is_focus(shell, &spots.items[i])) {
            *spot = spots.items[i];
            return true;
        }
    return false;
}

/* The next one after the focus, or before it; at the end the first. */
static bool move_focus(viz_shell *shell, bool back)
{
    viz_spots spots;
    const viz_spot *next = NULL, *first = NULL;
    double way = back ? -1 : 1, from = way * reading_order(shell->focus);
    viz_shell_spots(shell, &spots);
    for (int i = 0; i < spots.count; i++) {
        const viz_spot *spot = &spots.items[i];
        double order = way * reading_order(spot->rect);
        if (!takes_focus(spot))
            continue;
        if (!first || order < way * reading_order(first->rect))
            first = spot;
        bool begins = shell->focus.w <= 0, after = !begins && order > from;
        if (after && (!next || order < way * reading_order(next->rect)))
            next = spot;
    }
    next = next ? next : first;
    if (next) {
        shell->focus = next->rect;
        shell->focus_moves = next->moves;
    }
    shell->focused = next;
    return next;
}

bool viz_focus_event(viz_shell *shell, const viz_event *event, viz_event *pressed, viz_event *to)
{
    bool key = event->kind == VIZ_KEY && !event->ctrl;
    viz_spot spot;
    if (event->kind != VIZ_KEY && event->kind != VIZ_PRESS)
        return false;
    if (key && event->key == VIZ_KEY_TAB && !shell->chooses && !shell->show_keys) {
        shell->typed.typing = false;
        return move_focus(shell, event->shift);
    }
    bool had = find_focus(shell, &spot);
    if (had && key && (event->key == VIZ_KEY_RETURN || event->key == ' ')) {
        *pressed = (viz_event){.kind = VIZ_PRESS,
                               .x = spot.rect.x + spot.rect.w / 2,
                               .y = spot.rect.y + spot.rect.h / 2,
                               .button = event->shift ? 3 : 1};
        return true;
    }
    float x = (float)(event->key == VIZ_KEY_RIGHT) - (float)(event->key == VIZ_KEY_LEFT);
    float y = (float)(event->key == VIZ_KEY_DOWN) - (float)(event->key == VIZ_KEY_UP);
    bool slides = had && key && (x * spot.stride != 0 || y * spot.stride_y != 0);
    if (slides && !viz_shell_typing(shell)) {
        float middle = spot.moves ? spot.knob_y : spot.rect.y + spot.rect.h / 2;
        *to = (viz_event){
            .kind = VIZ_MOVE, .x = spot.knob + x * spot.stride, .y = middle + y * spot.stride_y};
        *pressed = (viz_event){.kind = VIZ_PRESS, .x = to->x, .y = to->y, .button = 1};
        if (spot.moves) { /* it is taken where it is, and then moved */
            pressed->x = spot.knob;
            pressed->y = middle;
        }
        return true;
    }
    shell->focused = false;
    return had && key && event->key == VIZ_KEY_ESCAPE;
}

/* ---------------------------------------------------------------- looks */

void viz_pointer_draw(const viz_shell *shell, viz_canvas *canvas)
{
    viz_spot spot;
    if (find_pointed(shell, &spot))
        viz_spot_draw(canvas, &spot);
    if (!find_focus(shell, &spot))
        return;
    viz_rect r = spot.rect;
    viz_frame_round(canvas, (viz_rect){r.x - 4, r.y - 2, r.w + 8, r.h + 4}, 6, 2,
                    canvas->theme->accent);
}

const char *viz_pointer_tip(const viz_shell *shell)
{
    viz_spot spot;
    return find_focus(shell, &spot) || find_pointed(shell, &spot) ? viz_word(spot.tip) : NULL;
}
