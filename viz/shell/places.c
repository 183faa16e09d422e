/* The bar above every view. */

#include "shell/places.h"

#include <math.h>
#include <string.h>

#include "shell/shell.h"
#include "view/keys.h"
#include "view/words.h"

#define GAP 22.0f
#define FEWER_TOOLS_GAP 16.0f /* before tools go into the menu, … */
#define NARROW_GAP 12.0f      /* … before letters are smaller, … */
#define LEAST_GAP 8.0f        /* … and before places go there, too */
#define BASELINE 28.0f
#define TOOL_GAP 14.0f
#define MORE_WIDTH (VIZ_PLACES_MORE - TOOL_GAP)
#define MOST_NAME 130.0f /* the width of the name of what is open */
#define MENU_ROW 28.0f
#define EDGE 8.0f   /* the pointer there brings the bar … */
#define REACH 12.0f /* … which stays until it is so far below it */

static const char wordmark[] = "saccade", open_name[] = "Open", save_name[] = "Save",
                  sample_name[] = "sample", leave_name[] = "×  leave";

static const viz_key_row tools[] = {
    {"ctrl B", "back"}, {"ctrl Z", "undo"}, {"0", "reset"},
    {"ctrl −", "A−"},   {"ctrl +", "A+"},   {"ctrl T", "theme"},
    {"F11", "present"}, {"?", "keys"},      {"ctrl D", N_("add to lecture")},
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
    TOOL_LECTURE, /* in the menu alone */
    TOOLS
};

/* Those that are missed most come first. */
static const int by_need[TOOLS] = {TOOL_PRESENT, TOOL_UNDO,   TOOL_KEYS,    TOOL_BACK,   TOOL_RESET,
                                   TOOL_THEME,   TOOL_LARGER, TOOL_SMALLER, TOOL_LECTURE};

static const char *const tool_tips[TOOLS] = {
    "Back to what was open before (ctrl B).",
    "Take back the last step (ctrl Z).",
    "The view as it began (0).",
    "Smaller text (ctrl −).",
    "Larger text (ctrl +).",
    "A light or a dark ground (ctrl T).",
    "For a talk: the view alone, and larger (F11).",
    "All keys of this view (?).",
    "One stop more of a lecture, which → and ← walk (ctrl D).",
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

static bool leaves(const viz_shell *shell, const viz_place *item)
{
    const char *name = item->class->name;
    if (item->tab >= 0)
        return shell->tabs[item->tab].aside;
    return !(shell->of_picture && (strcmp(name, "caption") == 0 || strcmp(name, "picture") == 0));
}

/* Each in the order of the places: first what belongs to what is open, then what leaves it. */
static void list_items(const viz_shell *shell, viz_places *bar)
{
    viz_places all = {0};
    for (int i = 0; shell->places && shell->places[i]; i++) {
        int tab = tab_in_place(shell, shell->places[i]);
        if (has_place_of(shell, shell->places[i]))
            continue;
        if (tab >= 0 || shell->places[i]->is_place)
            add(&all, shell->places[i], tab);
    }
    for (int i = 0; i < shell->count; i++)
        if (!is_listed(&all, shell->tabs[i].class, i) && !has_place_of(shell, shell->tabs[i].class))
            add(&all, shell->tabs[i].class, i);
    *bar = (viz_places){0};
    for (int group = 0; group < 2; group++)
        for (int i = 0; i < all.count; i++)
            if (leaves(shell, &all.items[i]) == (group == 1)) {
                bar->items[bar->count] = all.items[i];
                bar->items[bar->count++].leaves = group == 1;
            }
}

void viz_places_list(viz_shell *shell)
{
    list_items(shell, &shell->bar);
    shell->more = false;
}

static float width_of(const viz_canvas *canvas, float size, const char *name)
{
    return viz_text_width(canvas, VIZ_SANS, size, viz_word(name));
}

/* What is presented has letters as large as they can be. */
static bool tool_acts(const viz_shell *shell, const viz_canvas *canvas, int tool)
{
    bool undoes = viz_history_can_undo(shell->history);
    bool resizes = tool == TOOL_SMALLER || tool == TOOL_LARGER;
    return tool == TOOL_BACK      ? shell->before[0]
           : tool == TOOL_UNDO    ? undoes || viz_shell_undoes_message(shell)
           : tool == TOOL_RESET   ? undoes
           : tool == TOOL_LECTURE ? viz_shell_tab_view(shell) != NULL
                                  : !(resizes && canvas->theme->presents);
}

static const char *tool_name(const viz_canvas *canvas, int tool)
{
    return tool == TOOL_PRESENT && canvas->theme->presents ? leave_name : tools[tool].does;
}

/* What of the bar is not in its menu, and how far apart. */
typedef struct fit {
    bool marked, named; /* the program; what is open */
    float size, gap;
    int tools; /* of `by_need` */
} fit;

static float sample_width(const viz_shell *shell, const viz_canvas *canvas)
{
    return shell->sample ? width_of(canvas, VIZ_LABEL, sample_name) + 12 : 0;
}

/* The name of what is open, shortened to its room; returns its width. */
static float fit_name(const viz_shell *shell, const viz_canvas *canvas, char text[200])
{
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, MOST_NAME, shell->name, text, 200);
    return viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text);
}

/* The width that all of it takes. Tools that do not act now have their room, so that others stay where they are. */
static float measure(const viz_shell *shell, const viz_canvas *canvas, const fit *f)
{
    const viz_places *bar = &shell->bar;
    char name[200];
    float width = f->marked ? viz_text_width(canvas, VIZ_SANS_BOLD, VIZ_BODY, wordmark) + GAP : 0;
    bool folds = f->tools < TOOL_LECTURE || tool_acts(shell, canvas, TOOL_LECTURE),
         groups[2] = {false, false};
    width += shell->sample ? sample_width(shell, canvas) + f->gap : 0;
    width += f->named ? fit_name(shell, canvas, name) + f->gap : 0;
    for (int i = 0; i < bar->count; i++) {
        const viz_place *item = &bar->items[i];
        folds |= item->folded;
        groups[item->leaves] |= !item->folded;
        width += item->folded ? 0 : width_of(canvas, f->size, item->class->tab) + f->gap;
    }
    width += (groups[0] && groups[1] ? 2 : 1) * f->gap;
    width +=
        width_of(canvas, f->size, open_name) + width_of(canvas, f->size, save_name) + 2 * f->gap;
    for (int i = 0; i < f->tools; i++)
        width += width_of(canvas, VIZ_LABEL, tool_name(canvas, by_need[i])) + (i ? TOOL_GAP : 0);
    return width + (folds ? MORE_WIDTH + TOOL_GAP : 0);
}

/* The last place that is not the one on show goes into the menu; false: there is none to go. */
static bool fold_place(viz_shell *shell)
{
    viz_places *bar = &shell->bar;
    int i = bar->count - 1;
    while (i >= 0 && (bar->items[i].folded || bar->items[i].tab == shell->current))
        i--;
    if (i >= 0)
        bar->items[i].folded = true;
    return i >= 0;
}

/* The name of what is open goes first, gaps are smaller then, then tools go, then letters are smaller, and at last places go; the program's name stays
 * as long as a place does. */
static fit find_fit(viz_shell *shell, const viz_canvas *canvas)
{
    const float room = viz_width(canvas) - 2 * VIZ_MARGIN;
    fit f = {true, shell->name[0], VIZ_BODY, GAP, TOOL_LECTURE};
    while (measure(shell, canvas, &f) > room) {
        if (f.named)
            f.named = false;
        else if (f.gap > FEWER_TOOLS_GAP)
            f.gap--;
        else if (f.tools > 2)
            f.tools--;
        else if (f.gap > NARROW_GAP)
            f.gap--;
        else if (f.size > VIZ_LABEL)
            f.size -= 0.5f;
        else if (f.gap > LEAST_GAP)
            f.gap--;
        else if (f.tools > 1)
            f.tools--;
        else if (!fold_place(shell)) {
            if (!f.marked)
                break;
            f.marked = false;
        }
    }
    return f;
}

/* The names of places, and of both dialogs, from the left. */
static void lay_names(viz_shell *shell, const viz_canvas *canvas, const fit *f)
{
    viz_places *bar = &shell->bar;
    float x = VIZ_MARGIN, size = bar->size = f->size;
    bool before = false; /* a name of this group stands there already */
    if (f->marked) {
        bar->mark = (viz_rect){x, 0, viz_text_width(canvas, VIZ_SANS_BOLD, VIZ_BODY, wordmark),
                               VIZ_TABS_HEIGHT};
        x += bar->mark.w + GAP;
    }
    if (shell->sample) {
        bar->sample = (viz_rect){x, 12, sample_width(shell, canvas), 20};
        x += bar->sample.w + f->gap;
    }
    if (f->named) {
        char name[200];
        bar->name = (viz_rect){x, 12, fit_name(shell, canvas, name), 20};
        x += bar->name.w + f->gap;
    }
    for (int i = 0; i < bar->count; i++) {
        viz_place *item = &bar->items[i];
        if (item->folded)
            continue;
        if (item->leaves && before && !bar->rules[0]) {
            bar->rules[0] = x;
            x += f->gap;
        }
        before = true;
        item->rect = (viz_rect){x, 0, width_of(canvas, size, item->class->tab), VIZ_TABS_HEIGHT};
        x += item->rect.w + f->gap;
    }
    if (before) {
        bar->rules[1] = x;
        x += f->gap;
    }
    bar->open = (viz_rect){x, 0, width_of(canvas, size, open_name), VIZ_TABS_HEIGHT};
    x += bar->open.w + f->gap;
    if (viz_shell_tab_view(shell))
        bar->save = (viz_rect){x, 0, width_of(canvas, size, save_name), VIZ_TABS_HEIGHT};
}

/* As words in the rest of the bar, from the right; ⋯ is the last. */
static void lay_tools(viz_shell *shell, const viz_canvas *canvas, const fit *f)
{
    viz_places *bar = &shell->bar;
    float right = viz_width(canvas) - VIZ_MARGIN;
    bool folds = false;
    bar->tools = (viz_caps){.count = TOOLS, .keys = tools};
    for (int i = f->tools; i < TOOLS; i++) {
        bar->tools_folded[by_need[i]] = true;
        folds |= i < TOOL_LECTURE || tool_acts(shell, canvas, by_need[i]);
    }
    for (int i = 0; i < bar->count; i++)
        folds |= bar->items[i].folded;
    if (folds) {
        right -= MORE_WIDTH;
        bar->more = (viz_rect){right, 9, MORE_WIDTH, 28};
        right -= TOOL_GAP;
    }
    for (int i = TOOLS; i-- > 0;)
        if (!bar->tools_folded[i] && tool_acts(shell, canvas, i)) {
            float width = width_of(canvas, VIZ_LABEL, tool_name(canvas, i));
            bar->tools.items[i] = (viz_rect){right - width, 11, width, 24};
            right -= width + TOOL_GAP;
        }
}

/* What has no room in the bar, and what is never in it, in rows below ⋯. */
static void lay_menu(viz_shell *shell, const viz_canvas *canvas)
{
    viz_places *bar = &shell->bar;
    float width = 0, y = VIZ_TABS_HEIGHT + 6, right = viz_width(canvas) - VIZ_MARGIN;
    int rows = 0;
    viz_rect *rects[VIZ_PLACES_MOST + TOOLS];
    for (int i = 0; i < bar->count; i++)
        if (bar->items[i].folded) {
            rects[rows++] = &bar->items[i].rect;
            width = fmaxf(width, width_of(canvas, VIZ_BODY, bar->items[i].class->tab));
        }
    for (int i = 0; i < TOOLS; i++)
        if (bar->tools_folded[i] && tool_acts(shell, canvas, i)) {
            rects[rows++] = &bar->tools.items[i];
            width = fmaxf(width, width_of(canvas, VIZ_BODY, tools[i].does) +
                                     viz_cap_width(canvas, tools[i].key));
        }
    width = fminf(width + 52, right - VIZ_MARGIN);
    bar->menu = (viz_rect){right - width, y, width, MENU_ROW * (float)rows + 2 * VIZ_GAP};
    for (int i = 0; i < rows; i++)
        *rects[i] =
            (viz_rect){bar->menu.x + 4, y + VIZ_GAP + MENU_ROW * (float)i, width - 8, MENU_ROW};
}

void viz_places_lay(viz_shell *shell, const viz_canvas *canvas)
{
    list_items(shell, &shell->bar);
    const fit f = find_fit(shell, canvas);
    lay_names(shell, canvas, &f);
    lay_tools(shell, canvas, &f);
    shell->more &= shell->bar.more.w > 0;
    if (shell->more)
        lay_menu(shell, canvas);
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

static void draw_menu(const viz_places *bar, viz_canvas *canvas, int current)
{
    const viz_theme *theme = canvas->theme;
    if (bar->menu.w <= 0)
        return;
    viz_fill_round(canvas, bar->menu, 8, theme->panel);
    viz_frame_round(canvas, bar->menu, 8, 1, theme->line);
    for (int i = 0; i < bar->count; i++) {
        const viz_place *item = &bar->items[i];
        if (item->folded)
            viz_text(canvas, VIZ_SANS, VIZ_BODY, item->rect.x + 12, item->rect.y + 19, VIZ_LEFT,
                     item->tab >= 0 && item->tab == current ? theme->accent : theme->text,
                     viz_word(item->class->tab));
    }
    for (int i = 0; i < TOOLS; i++) {
        viz_rect r = bar->tools.items[i];
        if (!bar->tools_folded[i] || r.w <= 0)
            continue;
        viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + 12, r.y + 19, VIZ_LEFT, theme->text,
                 viz_word(tools[i].does));
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w - 12, r.y + 18, VIZ_RIGHT, theme->text2,
                 tools[i].key);
    }
}

/* What is open: the mark of a sample, and its name. */
static void draw_subject(const viz_shell *shell, viz_canvas *canvas)
{
    char text[200];
    const viz_theme *theme = canvas->theme;
    viz_rect sample = shell->bar.sample, name = shell->bar.name;
    if (sample.w > 0) {
        viz_frame_round(canvas, sample, 5, 1, theme->faint);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, sample.x + sample.w / 2, sample.y + 14, VIZ_CENTER,
                 theme->text2, viz_word(sample_name));
    }
    if (name.w > 0) {
        fit_name(shell, canvas, text);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, name.x, BASELINE - 1, VIZ_LEFT, theme->faint, text);
    }
}

void viz_places_draw(const viz_shell *shell, viz_canvas *canvas)
{
    const viz_places *bar = &shell->bar;
    const viz_theme *theme = canvas->theme;
    if (shell->whole) { /* it hangs over the view */
        viz_rect all = {0, 0, viz_width(canvas), VIZ_TABS_HEIGHT};
        viz_fill(canvas, all, theme->panel);
        viz_fill(canvas, (viz_rect){0, VIZ_TABS_HEIGHT - 1, all.w, 1}, theme->line);
    }
    if (bar->mark.w > 0)
        viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, bar->mark.x, BASELINE, VIZ_LEFT, theme->text,
                 wordmark);
    draw_subject(shell, canvas);
    for (int i = 0; i < bar->count; i++) {
        const viz_place *item = &bar->items[i];
        bool current = item->tab >= 0 && item->tab == shell->current && !shell->chooses;
        viz_rect r = item->rect;
        if (item->folded)
            continue;
        viz_text(canvas, VIZ_SANS, bar->size, r.x, BASELINE, VIZ_LEFT,
                 current ? theme->text : theme->text2, viz_word(item->class->tab));
        if (current)
            viz_fill(canvas, (viz_rect){r.x, VIZ_TABS_HEIGHT - 2, r.w, 2}, theme->accent);
    }
    for (int i = 0; i < 2; i++)
        if (bar->rules[i] > 0)
            viz_fill(canvas, (viz_rect){bar->rules[i], 14, 1, 18}, theme->line);
    draw_dialog_name(canvas, bar, bar->open, open_name, shell->chooses && !shell->saves);
    if (bar->save.w > 0)
        draw_dialog_name(canvas, bar, bar->save, save_name, shell->chooses && shell->saves);
    for (int i = 0; i < bar->tools.count; i++)
        if (bar->tools.items[i].w > 0 && !bar->tools_folded[i])
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, bar->tools.items[i].x, BASELINE - 1, VIZ_LEFT,
                     theme->text2, viz_word(tool_name(canvas, i)));
    for (int i = -1; i <= 1 && bar->more.w > 0; i++) /* ⋯ */
        viz_disc(canvas, bar->more.x + bar->more.w / 2 + 6 * (float)i,
                 bar->more.y + bar->more.h / 2, 1.7f, shell->more ? theme->accent : theme->text2);
    draw_menu(bar, canvas, shell->current);
}

/* A little wider than the name; a row of the menu as it is. */
static viz_rect pressable_rect(viz_rect r)
{
    return r.h == MENU_ROW ? r : (viz_rect){r.x - 4, r.y + 9, r.w + 8, r.h - 17};
}

void viz_places_spots(const viz_shell *shell, viz_spots *spots)
{
    const viz_places *bar = &shell->bar;
    if (bar->mark.w > 0)
        viz_spots_add(spots, pressable_rect(bar->mark), VIZ_SPOT_PRESSES,
                      "Plays the first ten seconds again.");
    viz_spots_add(spots, bar->sample, VIZ_SPOT_READOUT,
                  "What is open came with the program: Open, or a file that is dropped, is yours.");
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
        viz_spots_add_press(spots, bar->tools.items[i], bar->tools.keys[i].key,
                            i == TOOL_PRESENT && shell->whole ? "Back to the window (F11)."
                                                              : tool_tips[i]);
    viz_spots_add(spots, bar->more, VIZ_SPOT_PRESSES, "What has no room in the bar, and lectures.");
}

/* ---------------------------------------------------------------- the menu, and a bar that hangs over the view */

bool viz_places_cover_view(const viz_shell *shell)
{
    return shell->bar.menu.w > 0 || (shell->whole && shell->hangs);
}

/* While the pointer is at the upper edge or in the bar, or goes to the way out, where the bar will be. */
static bool brings_bar(const viz_shell *shell, const viz_event *event)
{
    bool over = viz_inside(shell->leave, event->x, event->y);
    return shell->hangs ? shell->more || event->y < VIZ_TABS_HEIGHT + REACH
                        : !event->button && (event->y < EDGE || over);
}

bool viz_places_event(viz_shell *shell, const viz_event *event, bool *changed)
{
    const viz_places *bar = &shell->bar;
    viz_view *view = viz_shell_view(shell);
    const bool presented = shell->whole && !(view && viz_view_is_figure(view));
    const bool over =
        viz_inside(bar->menu, event->x, event->y) || (shell->hangs && event->y < VIZ_TABS_HEIGHT);
    const bool was_open = shell->more, hung = shell->hangs;
    const bool on_more = viz_inside(bar->more, event->x, event->y);
    if (event->kind == VIZ_KEY && was_open) { /* any key puts it away */
        shell->more = false;
        return *changed = true;
    }
    if (event->kind == VIZ_MOVE && presented) {
        shell->hangs = brings_bar(shell, event);
        if (shell->hangs && !hung && view && view->class->event) /* nothing below is pointed at */
            view->class->event(view, &(viz_event){.kind = VIZ_LEAVE});
    } else if (event->kind == VIZ_PRESS && (on_more || was_open)) {
        shell->more = on_more && !was_open;
    } else if (event->kind == VIZ_PRESS &&
               viz_inside(pressable_rect(bar->mark), event->x, event->y)) {
        shell->replays = true;
    } else if (event->kind != VIZ_MOVE && event->kind != VIZ_PRESS && event->kind != VIZ_WHEEL) {
        return false;
    }
    *changed = shell->hangs != hung || shell->more != was_open || shell->replays;
    if (event->kind == VIZ_PRESS && viz_places_hit(shell, event->x, event->y) >= 0)
        return false; /* which chooses it */
    return over || *changed;
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

int viz_places_by_key(const viz_shell *shell, int key)
{
    const viz_key *named = viz_keys;
    while (named->cap && (named->code != key || named->ctrl))
        named++;
    for (int i = 0; named->cap && i < shell->bar.count; i++)
        if (strcmp(shell->bar.items[i].class->tab, named->meaning) == 0)
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
