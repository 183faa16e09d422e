/* The bar above every view. */

#include "shell/places.h"

#include <math.h>
#include <string.h>

#include "shell/shell.h"
#include "view/words.h"

#define GAP 22.0f
#define LEAST_GAP 8.0f
#define BASELINE 28.0f
#define TOOL_GAP 14.0f

static const char wordmark[] = "saccade", open_name[] = "Open", save_name[] = "Save";

static const viz_key_row tools[] = {
    {"ctrl B", "back"}, {"ctrl Z", "undo"},  {"0", "reset"},     {"ctrl −", "A−"},
    {"ctrl +", "A+"},   {"ctrl T", "theme"}, {"F11", "present"}, {"?", "keys"},
};
enum {
    TOOL_BACK,
    TOOL_UNDO,
    TOOL_RESET,
    TOOL_SMALLER,
    TOOL_LARGER,
    TOOL_THEME,
    TOOL_PRESENT,
    TOOL_KEYS,
    TOOLS
};

static const char *const tool_tips[TOOLS] = {
    "Back to what was open before (ctrl B).",
    "Take back the last step (ctrl Z).",
    "The view as it began (0).",
    "Smaller text (ctrl −).",
    "Larger text (ctrl +).",
    "A light or a dark ground (ctrl T).",
    "For a talk: the view alone, and larger (F11).",
    "All keys of this view (?).",
};

/* ---------------------------------------------------------------- layout */

/* By its name: sides beside each other have a class of their own. */
static int tab_of(const viz_shell *shell, const viz_view_class *class)
{
    for (int i = 0; i < shell->count; i++)
        if (strcmp(shell->tabs[i].class->name, class->name) == 0)
            return i;
    return -1;
}

static bool is_listed(const viz_places *bar, const viz_view_class *class, int tab)
{
    for (int i = 0; i < bar->count; i++)
        if (bar->items[i].tab == tab || bar->items[i].class == class)
            return true;
    return false;
}

static void add(viz_places *bar, const viz_view_class *class, int tab)
{
    if (bar->count < VIZ_PLACES_MOST)
        bar->items[bar->count++] = (viz_place){.class = class, .tab = tab};
}

/* The tab that is seen in that place: its own while it is shown, or else the one that takes turns with it. */
static int tab_in_place(const viz_shell *shell, const viz_view_class *class)
{
    const int own = tab_of(shell, class);
    if (own >= 0 && own == shell->current)
        return own;
    for (int i = 0; i < shell->count; i++)
        if (shell->tabs[i].class->within && strcmp(shell->tabs[i].class->within, class->name) == 0)
            return i;
    return own;
}

/* The place that the class of a tab is seen in is named in its stead. */
static bool has_place_of(const viz_shell *shell, const viz_view_class *class)
{
    for (int i = 0; class->within && shell->places && shell->places[i]; i++)
        if (strcmp(shell->places[i]->name, class->within) == 0)
            return true;
    return false;
}

/* In the order of the places, so that what is open moves nothing but what it adds. */
static void list_items(const viz_shell *shell, viz_places *bar)
{
    *bar = (viz_places){0};
    for (int i = 0; shell->places && shell->places[i]; i++) {
        int tab = tab_in_place(shell, shell->places[i]);
        if (has_place_of(shell, shell->places[i]))
            continue;
        if (tab >= 0 || shell->places[i]->is_place)
            add(bar, shell->places[i], tab);
    }
    for (int i = 0; i < shell->count; i++)
        if (!is_listed(bar, shell->tabs[i].class, i) && !has_place_of(shell, shell->tabs[i].class))
            add(bar, shell->tabs[i].class, i);
}

void viz_places_list(viz_shell *shell)
{
    list_items(shell, &shell->bar);
}

static float width_of(const viz_canvas *canvas, float size, const char *name)
{
    return viz_text_width(canvas, VIZ_SANS, size, viz_word(name));
}

/* Of all names, without the gaps between them. */
static float names_width(const viz_canvas *canvas, const viz_places *bar, float size)
{
    float width = width_of(canvas, size, open_name) + width_of(canvas, size, save_name);
    for (int i = 0; i < bar->count; i++)
        width += width_of(canvas, size, bar->items[i].class->tab);
    return width;
}

static bool tool_acts(const viz_shell *shell, int tool)
{
    bool undoes = viz_history_can_undo(shell->history);
    return tool == TOOL_BACK    ? shell->before[0]
           : tool == TOOL_UNDO  ? undoes || viz_shell_undoes_message(shell)
           : tool == TOOL_RESET ? undoes
                                : true;
}

/* As words in the rest of the bar, from the right. Where not all have room, those that are missed
 * most stay. */
static void lay_tools(const viz_shell *shell, const viz_canvas *canvas, viz_places *bar, float from)
{
    static const int by_need[TOOLS] = {TOOL_KEYS,   TOOL_UNDO,  TOOL_BACK,    TOOL_RESET,
                                       TOOL_LARGER, TOOL_THEME, TOOL_SMALLER, TOOL_PRESENT};
    float right = viz_width(canvas) - VIZ_MARGIN, room = right - from, width[TOOLS] = {0};
    bar->tools = (viz_caps){.count = TOOLS, .keys = tools};
    for (int i = 0; i < TOOLS; i++) {
        float w = width_of(canvas, VIZ_LABEL, tools[by_need[i]].does);
        if (!tool_acts(shell, by_need[i]))
            continue;
        if (w > room)
            break;
        width[by_need[i]] = w;
        room -= w + TOOL_GAP;
    }
    for (int i = TOOLS; i-- > 0;)
        if (width[i] > 0) {
            bar->tools.items[i] = (viz_rect){right - width[i], 11, width[i], 24};
            right -= width[i] + TOOL_GAP;
        }
}

void viz_places_lay(viz_shell *shell, const viz_canvas *canvas)
{
    viz_places *bar = &shell->bar;
    list_items(shell, bar);
    float room = viz_width(canvas) - 2 * VIZ_MARGIN, names = (float)bar->count + 2;
    bar->size = VIZ_BODY;
    float width = names_width(canvas, bar, bar->size),
          mark = viz_text_width(canvas, VIZ_SANS_BOLD, VIZ_BODY, wordmark) + GAP;
    bar->marked = room - width - mark >= LEAST_GAP * names;
    mark = bar->marked ? mark : 0;
    if (room - width - mark < LEAST_GAP * names) {
        bar->size *= fmaxf((room - LEAST_GAP * names) / width, 0.5f);
        width = names_width(canvas, bar, bar->size);
    }
    float gap = fminf(fmaxf((room - width - mark) / names, LEAST_GAP), GAP);
    float x = VIZ_MARGIN + mark;
    for (int i = 0; i < bar->count; i++) {
        viz_place *item = &bar->items[i];
        item->rect =
            (viz_rect){x, 0, width_of(canvas, bar->size, item->class->tab), VIZ_TABS_HEIGHT};
        x += item->rect.w + gap;
    }
    bar->open = (viz_rect){x, 0, width_of(canvas, bar->size, open_name), VIZ_TABS_HEIGHT};
    x += bar->open.w + gap;
    if (viz_shell_tab_view(shell))
        bar->save = (viz_rect){x, 0, width_of(canvas, bar->size, save_name), VIZ_TABS_HEIGHT};
    lay_tools(shell, canvas, bar, x + bar->save.w + gap);
}

/* ---------------------------------------------------------------- looks */

static void draw_dialog_name(viz_canvas *canvas, const viz_places *bar, viz_rect r,
                             const char *name, bool shown)
{
    const viz_theme *theme = canvas->theme;
    viz_text(canvas, VIZ_SANS, bar->size, r.x, BASELINE, VIZ_LEFT,
             shown ? theme->text : theme->text2, viz_word(name));
    if (shown)
        viz_fill(canvas, (viz_rect){r.x, VIZ_TABS_HEIGHT - 2, r.w, 2}, theme->accent);
}

void viz_places_draw(const viz_shell *shell, viz_canvas *canvas)
{
    const viz_places *bar = &shell->bar;
    const viz_theme *theme = canvas->theme;
    if (bar->marked)
        viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, VIZ_MARGIN, BASELINE, VIZ_LEFT, theme->text,
                 wordmark);
    for (int i = 0; i < bar->count; i++) {
        const viz_place *item = &bar->items[i];
        bool current = item->tab >= 0 && item->tab == shell->current && !shell->chooses;
        viz_rect r = item->rect;
        viz_text(canvas, VIZ_SANS, bar->size, r.x, BASELINE, VIZ_LEFT,
                 current ? theme->text : theme->text2, viz_word(item->class->tab));
        if (current)
            viz_fill(canvas, (viz_rect){r.x, VIZ_TABS_HEIGHT - 2, r.w, 2}, theme->accent);
    }
    draw_dialog_name(canvas, bar, bar->open, open_name, shell->chooses && !shell->saves);
    if (bar->save.w > 0)
        draw_dialog_name(canvas, bar, bar->save, save_name, shell->chooses && shell->saves);
    for (int i = 0; i < bar->tools.count; i++)
        if (bar->tools.items[i].w > 0)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, bar->tools.items[i].x, BASELINE - 1, VIZ_LEFT,
                     theme->text2, viz_word(bar->tools.keys[i].does));
}

/* A little wider than the name. */
static viz_rect pressable_rect(viz_rect r)
{
    return (viz_rect){r.x - 4, r.y + 9, r.w + 8, r.h - 17};
}

void viz_places_spots(const viz_shell *shell, viz_spots *spots)
{
    const viz_places *bar = &shell->bar;
    for (int i = 0; i < bar->count; i++)
        if (bar->items[i].rect.w > 0)
            viz_spots_add(spots, pressable_rect(bar->items[i].rect), VIZ_SPOT_PRESSES,
                          bar->items[i].class->about);
    if (bar->open.w > 0)
        viz_spots_add_press(spots, pressable_rect(bar->open), "ctrl O",
                            "Open a picture, arrays, a model's folder or a sample (ctrl O).");
    if (bar->save.w > 0)
        viz_spots_add_press(spots, pressable_rect(bar->save), "S",
                            "Save what is seen as a picture, a page or an animation (S).");
    for (int i = 0; i < bar->tools.count; i++)
        viz_spots_add_press(spots, bar->tools.items[i], bar->tools.keys[i].key, tool_tips[i]);
}

/* ---------------------------------------------------------------- choosing */

int viz_places_hit(const viz_shell *shell, float x, float y)
{
    const viz_places *bar = &shell->bar;
    for (int i = 0; i < bar->count; i++)
        if (bar->items[i].rect.w > 0 && viz_inside(pressable_rect(bar->items[i].rect), x, y))
            return i;
    return -1;
}

bool viz_places_choose(viz_shell *shell, int item)
{
    if (item < 0 || item >= shell->bar.count)
        return false;
    const viz_place *chosen = &shell->bar.items[item];
    viz_view *view = chosen->tab >= 0 ? shell->tabs[chosen->tab].view : NULL;
    bool shown = view && view == viz_shell_view(shell);
    for (int i = 0; shown && i < shell->count; i++)
        if (shell->tabs[i].class->within && view->class == chosen->class &&
            strcmp(shell->tabs[i].class->within, chosen->class->name) == 0)
            return viz_shell_show(shell, shell->tabs[i].class->name);
    if (shown)
        return view->class->home && view->class->home(view);
    if (view)
        return viz_shell_show(shell, view->class->name);
    shell->wanted = chosen->class;
    return true;
}

bool viz_places_open(viz_shell *shell, const char *name)
{
    if (viz_shell_find(shell, name))
        return viz_shell_show(shell, name);
    for (int i = 0; i < shell->bar.count; i++)
        if (strcmp(shell->bar.items[i].class->name, name) == 0)
            return viz_places_choose(shell, i);
    return false;
}
