/* The list of other words for one word: its filling, keys, layout and drawing. */

#include "sentence/sentence_state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "view/words.h"

const char *viz_vocabulary(const sac_source *source, int word)
{
    return word >= 0 && word < source->result.vocabulary_count ? source->result.vocabulary[word]
                                                               : "";
}

int viz_vocabulary_find(const sac_source *source, const char *text)
{
    for (int i = 0; i < source->result.vocabulary_count; i++)
        if (!strcmp(source->result.vocabulary[i], text) && sac_source_allows_token(source, i))
            return i;
    return -1;
}

/* ---------------------------------------------------------------- its items */

static void add(viz_word_list *list, int word, float probability)
{
    char plain[64];
    sac_accents_off(viz_vocabulary(list->source, word), plain, sizeof plain);
    bool matches = !strncmp(plain, list->typed, strlen(list->typed));
    if (!matches || !sac_source_allows_token(list->source, word) ||
        list->count == VIZ_WORD_LIST_MOST)
        return;
    for (int i = 0; i < list->count; i++)
        if (list->item[i].word == word)
            return;
    list->item[list->count].word = word;
    list->item[list->count++].probability = probability;
}

/* Tokens that stand for no word, "[unused7]" or "<pad>", of which some vocabularies have a thousand, only
 * for who types one. */
static void fill(viz_word_list *list)
{
    const sac_result_output *chosen = list->chosen;
    list->count = list->selected = list->first = 0;
    for (int i = 0; i < 4 && chosen->alternative[i] >= 0; i++)
        if (chosen->alternative[i] != chosen->word)
            add(list, chosen->alternative[i], chosen->alternative_probability[i]);
    if (list->count && !list->more && !list->typed[0]) {
        list->item[list->count].word = -1;
        list->item[list->count++].probability = -1;
        return;
    }
    for (int i = 0; i < list->source->result.vocabulary_count; i++) {
        const char *text = viz_vocabulary(list->source, i);
        char last = strlen(text) > 2 ? text[strlen(text) - 1] : 0;
        bool is_sign = (text[0] == '[' && last == ']') || (text[0] == '<' && last == '>');
        if (i != chosen->word && (list->typed[0] || !is_sign))
            add(list, i, -1);
    }
}

bool viz_word_list_open(viz_word_list *list, const sac_source *source, const sac_result *sentence,
                        int word)
{
    if (word < 0 || word >= sentence->count)
        return false;
    *list = (viz_word_list){
        .open = true, .source = source, .chosen = &sentence->outputs[word], .word = word};
    fill(list);
    return true;
}

/* ---------------------------------------------------------------- events */

static void move(viz_word_list *list, int step)
{
    int to = list->selected + step < list->count ? list->selected + step : list->count - 1;
    list->selected = to < 0 ? 0 : to;
    if (list->selected < list->first)
        list->first = list->selected;
    if (list->shown > 0 && list->selected >= list->first + list->shown)
        list->first = list->selected - list->shown + 1;
}

static int choose(viz_word_list *list, int item)
{
    if (item < 0 || item >= list->count)
        return -1;
    if (list->item[item].word < 0) { /* the words behind it take its place */
        list->more = true;
        fill(list);
        list->selected = item < list->count ? item : 0;
        return -1;
    }
    list->open = false;
    return list->item[item].word;
}

static bool type_letter(viz_word_list *list, int letter)
{
    size_t length = strlen(list->typed);
    if (letter == VIZ_KEY_BACKSPACE && length > 0)
        list->typed[length - 1] = 0;
    else if (letter > ' ' && letter < 127 && length + 1 < sizeof list->typed)
        list->typed[length] = (char)tolower(letter);
    else
        return false;
    fill(list);
    return true;
}

static bool press_key(viz_word_list *list, int key, int *chosen)
{
    switch (key) {
    case VIZ_KEY_ESCAPE:
        list->open = false;
        return true;
    case VIZ_KEY_RETURN:
        *chosen = choose(list, list->selected);
        return true;
    case VIZ_KEY_UP:
    case VIZ_KEY_DOWN:
        move(list, key == VIZ_KEY_UP ? -1 : 1);
        return true;
    case VIZ_KEY_PAGE_UP:
    case VIZ_KEY_PAGE_DOWN:
        move(list, key == VIZ_KEY_PAGE_UP ? -list->shown : list->shown);
        return true;
    default:
        return type_letter(list, key);
    }
}

static int row_at(const viz_word_list *list, float x, float y)
{
    float below = y - list->rect.y - VIZ_WORD_LIST_HEAD;
    int row = (int)floorf(below / VIZ_WORD_LIST_ROW);
    bool in = viz_inside(list->rect, x, y) && below >= 0 && row < list->shown;
    return in ? list->first + row : -1;
}

bool viz_word_list_event(viz_word_list *list, const viz_event *e, int *chosen)
{
    const int row = row_at(list, e->x, e->y), most = list->count - list->shown;
    *chosen = -1;
    switch (e->kind) {
    case VIZ_KEY:
        return press_key(list, e->key, chosen);
    case VIZ_WHEEL:
        list->first -= (int)roundf(e->wheel_y);
        list->first = list->first > most ? most : list->first;
        list->first = list->first < 0 ? 0 : list->first;
        return true;
    case VIZ_MOVE:
        if (row < 0 || row >= list->count || row == list->selected)
            return false;
        list->selected = row;
        return true;
    case VIZ_PRESS:
        if (viz_inside(list->rect, e->x, e->y) && !viz_inside(list->close, e->x, e->y))
            *chosen = choose(list, row);
        else
            list->open = false;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- drawing */

viz_rect viz_word_list_layout(viz_rect area, viz_rect word, int rows, int *shown)
{
    float above = word.y - area.y - 2 * VIZ_GAP;
    float below = area.y + area.h - word.y - word.h - 2 * VIZ_GAP;
    float room = fmaxf(above, below) - VIZ_WORD_LIST_HEAD - VIZ_GAP;
    int most = (int)(room / VIZ_WORD_LIST_ROW);
    most = most < 1 ? 1 : most > 11 ? 11 : most;
    *shown = rows < most ? rows : most;
    float h = VIZ_WORD_LIST_HEAD + VIZ_WORD_LIST_ROW * (float)(*shown ? *shown : 1) + VIZ_GAP;
    viz_rect r = {word.x - 12, below > above ? word.y + word.h + VIZ_GAP : word.y - VIZ_GAP - h,
                  VIZ_WORD_LIST_WIDTH, h};
    r.x = fmaxf(area.x + VIZ_GAP, fminf(r.x, area.x + area.w - VIZ_GAP - r.w));
    return r;
}

static viz_rect row_rect(const viz_word_list *list, int row)
{
    return (viz_rect){list->rect.x,
                      list->rect.y + VIZ_WORD_LIST_HEAD + VIZ_WORD_LIST_ROW * (float)row,
                      list->rect.w, VIZ_WORD_LIST_ROW};
}

/* "0.031", "6e-5": rows of small ones have an order, too. */
static void format_probability(float probability, char *text, size_t size)
{
    snprintf(text, size, probability < 0.001f && probability > 0 ? "%.0e" : "%.3f",
             (double)probability);
    char *zero = strstr(text, "e-0");
    if (zero)
        memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
}

static void draw_item(const viz_word_list *list, viz_canvas *canvas, int item, viz_rect row)
{
    const viz_theme *theme = canvas->theme;
    float probability = list->item[item].probability;
    bool selected = item == list->selected, likely = probability >= 0;
    char text[32];
    if (selected)
        viz_fill_round(canvas, (viz_rect){row.x + 5, row.y, row.w - 10, row.h}, 4, theme->line);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, row.x + 14, row.y + 17, VIZ_LEFT,
             likely || selected ? theme->text : theme->text2,
             list->item[item].word < 0 ? viz_word("more …")
                                       : viz_vocabulary(list->source, list->item[item].word));
    if (!likely)
        return;
    format_probability(probability, text, sizeof text);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, row.x + row.w - 14, row.y + 16, VIZ_RIGHT, theme->text2,
             text);
}

static void draw_scroll(const viz_word_list *list, viz_canvas *canvas)
{
    float top = list->rect.y + VIZ_WORD_LIST_HEAD, height = VIZ_WORD_LIST_ROW * (float)list->shown;
    if (list->count <= list->shown)
        return;
    float part = (float)list->shown / (float)list->count;
    float from = (float)list->first / (float)list->count;
    viz_fill_round(
        canvas, (viz_rect){list->rect.x + list->rect.w - 5, top + from * height, 3, part * height},
        1.5f, canvas->theme->faint);
}

void viz_word_list_draw(viz_word_list *list, viz_canvas *canvas, viz_rect area, viz_rect word)
{
    const viz_theme *theme = canvas->theme;
    char head[64], fit[64];
    list->rect = viz_word_list_layout(area, word, list->count, &list->shown);
    viz_rect r = list->rect, edge = {r.x - 1, r.y - 1, r.w + 2, r.h + 2};
    list->close = (viz_rect){r.x + r.w - 28, r.y + 2, 24, 24};
    viz_fill_round(canvas, edge, 9, theme->faint);
    viz_fill_round(canvas, r, 8, theme->panel);
    if (list->typed[0])
        snprintf(head, sizeof head, "%s▏", list->typed);
    else
        snprintf(head, sizeof head, viz_word("instead of “%s”"), list->chosen->text);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w - 46, head, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + 14, r.y + 18, VIZ_LEFT,
             list->typed[0] ? theme->text : theme->text2, fit);
    for (int i = 0; i < list->shown && list->first + i < list->count; i++)
        draw_item(list, canvas, list->first + i, row_rect(list, i));
    if (!list->count)
        viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + 14, r.y + VIZ_WORD_LIST_HEAD + 17, VIZ_LEFT,
                 theme->text2, viz_word("no such word"));
    draw_scroll(list, canvas);
    float x = list->close.x + list->close.w / 2, y = list->close.y + list->close.h / 2;
    viz_line(canvas, x - 4, y - 4, x + 4, y + 4, 1.6f, canvas->theme->text2);
    viz_line(canvas, x - 4, y + 4, x + 4, y - 4, 1.6f, canvas->theme->text2);
}

void viz_word_list_spots(const viz_word_list *list, viz_spots *spots)
{
    viz_spots_add(spots, list->rect, VIZ_SPOT_AREA, "Other candidates for this word.");
    for (int i = 0; i < list->shown && list->first + i < list->count; i++)
        viz_spots_add(spots, row_rect(list, i), VIZ_SPOT_PRESSES,
                      "Take this word instead; the number is its probability.");
    viz_spots_add(spots, list->close, VIZ_SPOT_PRESSES, "Leave the word as it is (Esc).");
}
