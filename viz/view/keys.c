/* The table of keys and its look-up. */

#include "view/keys.h"

#include <string.h>

#include "view/settings.h"

const char *const viz_key_group_names[VIZ_KEYS_GROUPS] = {"move", "change", "look", "open, save"};

#define MOVE .group = VIZ_KEYS_MOVE
#define CHANGE .group = VIZ_KEYS_CHANGE
#define LOOK .group = VIZ_KEYS_LOOK
#define SAVE .group = VIZ_KEYS_SAVE
#define SHELL .owner = VIZ_KEY_OF_SHELL
#define WINDOW .owner = VIZ_KEY_OF_WINDOW

const viz_key viz_keys[] = {
    {"pointer", MOVE, "point at a cell"},
    {"click", MOVE, "choose"},
    {"wheel", MOVE, "zoom, or step"},
    {"space", MOVE, "play, or rest", ' '},
    {"←", MOVE, "one to the left", VIZ_KEY_LEFT, .back = true},
    {"→", MOVE, "one to the right", VIZ_KEY_RIGHT},
    {"ctrl ←", MOVE, "the cell to the left", VIZ_KEY_LEFT, .ctrl = true, .back = true},
    {"ctrl →", MOVE, "the cell to the right", VIZ_KEY_RIGHT, .ctrl = true},
    {"ctrl ↑", MOVE, "the cell above", VIZ_KEY_UP, .ctrl = true, .back = true},
    {"ctrl ↓", MOVE, "the cell below", VIZ_KEY_DOWN, .ctrl = true},
    {"↑", MOVE, "one up", VIZ_KEY_UP, .back = true},
    {"↓", MOVE, "one down", VIZ_KEY_DOWN},
    {"Home", MOVE, "the first", VIZ_KEY_HOME, .back = true},
    {"End", MOVE, "the last", VIZ_KEY_END},
    {"J", MOVE, "the next query; heads that look", 'j'},
    {"N", MOVE, "the next one: picture, sentence, head", 'n'},
    {"P", MOVE, "the one before", 'p', .back = true},
    {"PgUp", MOVE, "the page before", VIZ_KEY_PAGE_UP, .back = true},
    {"PgDn", MOVE, "the next page", VIZ_KEY_PAGE_DOWN},
    {"+", MOVE, "faster, or nearer", '+'},
    {"−", MOVE, "slower, or farther", '-', .back = true},
    {"Y", MOVE, "begin again at the end, or not", 'y'},
    /* The places of the bar by their names: a digit means one of them, whatever is open. */
    {"1", MOVE, "Caption", '1', SHELL},
    {"2", MOVE, "Picture", '2', SHELL},
    {"3", MOVE, "Matrix", '3', SHELL},
    {"4", MOVE, "Heads", '4', SHELL},
    {"5", MOVE, "Next words", '5', SHELL},
    {"6", MOVE, "Alignment", '6', SHELL},
    {"7", MOVE, "Translate", '7', SHELL},
    {"8", MOVE, "Lessons", '8', SHELL},
    {"9", MOVE, "Train", '9', SHELL},
    {"Tab", MOVE, "what Return presses (shift: back)", VIZ_KEY_TAB, SHELL},
    {"ctrl Tab", MOVE, "the next view", VIZ_KEY_TAB, .ctrl = true, SHELL},

    {"ctrl L", CHANGE, "type a sentence, or a place", 'l', .ctrl = true},
    {"ctrl V", CHANGE, "paste a sentence", 'v', .ctrl = true},
    {"ctrl A", CHANGE, "select all of a text", 'a', .ctrl = true},
    {"Return", CHANGE, "another word here", VIZ_KEY_RETURN},
    {"right drag", CHANGE, "hide cells"},
    {"shift drag", CHANGE, "hide a rectangle"},
    {"H", CHANGE, "hide cells with the left button; a head off", 'h'},
    {"U", CHANGE, "show all cells again; all heads on", 'u'},
    {"G", CHANGE, "the next score; texts of a pair", 'g'},
    {"E", CHANGE, "temperature (shift: down)", 'e'},
    {"W", CHANGE, "width: of a beam, of the Gaussian", 'w'},
    {"X", CHANGE, "weight of a cell's place; special tokens; where it looks", 'x'},
    {"Z", CHANGE, "number of cells; kind of map", 'z'},
    {"R", CHANGE, "reduce heads to one map; the next normalizer", 'r'},
    {"/", CHANGE, "the first tokens", '/'},
    {",", CHANGE, "fewer: first tokens, things", ',', .back = true},
    {".", CHANGE, "more: first tokens, things", '.'},
    {"D", CHANGE, "does it matter; weights of a dot", 'd'},
    {"V", CHANGE, "compute on the next device", 'v', WINDOW},
    {"drag", CHANGE, "change a number"},
    {"ctrl R", CHANGE, "the numbers as they came", 'r', .ctrl = true},
    {"ctrl Z", CHANGE, "undo (shift: redo)", 'z', .ctrl = true, SHELL},
    {"ctrl shift Z", CHANGE, "redo", 'z', .ctrl = true, .shift = true, SHELL, .shared = true},
    {"0", CHANGE, "the view as it began", '0', SHELL},
    {"Backspace", CHANGE, "take one of several sides away", VIZ_KEY_BACKSPACE, SHELL,
     .split = true},
    {"Esc", CHANGE, "take back one thing", VIZ_KEY_ESCAPE, SHELL},

    {"T", LOOK, "the truth", 't'},
    {"C", LOOK, "compare; of two sides, the difference", 'c'},
    {"F", LOOK, "the whole at once", 'f'},
    {"ctrl F", LOOK, "a figure for paper, and back", 'f', .ctrl = true, SHELL},
    {"K", LOOK, "sort; leave out sinks", 'k'},
    {"ctrl P", LOOK, "one more side, to compare with", 'p', .ctrl = true, SHELL},
    {"ctrl G", LOOK, "settings of all sides, or of each", 'g', .ctrl = true, SHELL, .split = true},
    {"F6", LOOK, "the next side", VIZ_KEY_F6, SHELL, .split = true},
    {"I", LOOK, "why this number (double click)", 'i', SHELL},
    {"M", LOOK, "colour map", 'm'},
    {"#", LOOK, "the lines of PyTorch", '#'},
    {"O", LOOK, "light, heat or contour", 'o'},
    {"L", LOOK, "scale", 'l'},
    {"=", LOOK, "the numbers", '='},
    {"B", LOOK, "blocky or smooth", 'b'},
    {"[", LOOK, "less heat; a darker picture", '[', .back = true},
    {"]", LOOK, "more heat; a brighter picture", ']'},
    {"ctrl T", LOOK, "light or dark", 't', .ctrl = true, WINDOW},
    {"ctrl +", LOOK, "larger, smaller text", '+', .ctrl = true, WINDOW},
    {"ctrl −", LOOK, "larger, smaller text", '-', .ctrl = true, WINDOW},
    {"ctrl 0", LOOK, "text as it comes", '0', .ctrl = true, WINDOW},
    {"F11", LOOK, "toggle presentation mode", VIZ_KEY_F11, WINDOW},
    {"?", LOOK, "all keys of this view", '?', SHELL},

    {"ctrl O", SAVE, "open a file", 'o', .ctrl = true, WINDOW},
    {"ctrl B", SAVE, "open what was open before", 'b', .ctrl = true, WINDOW},
    {"S", SAVE, "save (ctrl D: lecture)", 's', WINDOW},
    {"ctrl D", SAVE, "add it to a lecture, which → ← walk", 'd', .ctrl = true, WINDOW,
     .shared = true},
    {"ctrl S", SAVE, "save as SVG (shift: PDF)", 's', .ctrl = true, WINDOW},
    {"ctrl shift S", SAVE, "save as PDF", 's', .ctrl = true, .shift = true, WINDOW, .shared = true},
    {"A", SAVE, "save as an animation", 'a', WINDOW},
    {"ctrl C", SAVE, "copy numbers (shift: picture)", 'c', .ctrl = true, WINDOW},
    {"ctrl shift C", SAVE, "copy the picture", 'c', .ctrl = true, .shift = true, WINDOW,
     .shared = true},
    {"Q", SAVE, "quit", 'q', WINDOW},
    {"ctrl Q", SAVE, "quit, while typing too", 'q', .ctrl = true, WINDOW},
    {"ctrl W", SAVE, "quit, while typing too", 'w', .ctrl = true, WINDOW},
    {0},
};

const viz_key *viz_key_named(const char *caps, const char **rest)
{
    for (const viz_key *key = viz_keys; key->cap; key++) {
        const char *end = caps + strlen(key->cap);
        if (strncmp(caps, key->cap, strlen(key->cap)) == 0 &&
            (!*end || strncmp(end, "  ", 2) == 0)) {
            if (rest)
                *rest = *end ? end + 2 : NULL;
            return key;
        }
    }
    return NULL;
}

bool viz_key_is(const viz_key *key, const viz_event *event)
{
    bool letter = key->code >= 'a' && key->code <= 'z'; /* without ctrl shift is the way back */
    return key->code == event->key && key->ctrl == event->ctrl &&
           (!key->ctrl || !letter || key->shift == event->shift);
}

viz_event viz_key_event(const viz_key *key)
{
    return (viz_event){.kind = VIZ_KEY, .key = key->code, .shift = key->shift, .ctrl = key->ctrl};
}

bool viz_key_acts(const viz_key_row *row, const viz_view *view)
{
    const viz_setting *s = row->setting ? viz_view_setting(view->class, row->setting) : NULL;
    return row->acts ? row->acts(view) : !s || viz_setting_count(s, view) != 1;
}

bool viz_keys_press(const viz_key_row *rows, viz_view *view, const viz_event *event)
{
    for (; rows->key; rows++)
        for (const char *rest = rows->press || rows->setting ? rows->key : NULL; rest;) {
            const viz_key *key = viz_key_named(rest, &rest);
            if (!key || key->code != event->key || key->ctrl != event->ctrl)
                continue;
            bool letter = event->key >= 'a' && event->key <= 'z';
            int step = key->back || (letter && event->shift) ? -1 : 1;
            return rows->press ? rows->press(view, (viz_pressed){event->key, step, rows->what})
                               : viz_view_step_setting(view, rows->setting, step, rows->what);
        }
    return false;
}
