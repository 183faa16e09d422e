/* A generated sentence: its request, its words in time, keys, settings. */
#include "parts/generation/generation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/heads/reduce.h"
#include "view/words.h"

#define WORD_SECONDS 0.8 /* from word to word at speed 1 */
#define REST_SECONDS 1.5 /* at the end, before it begins again */

void viz_generation_init(viz_generation *g, const viz_view_class *class, sac_source *source)
{
    g->base = (viz_view){.class = class, .source = source};
    g->source = source;
    g->temperature = 1;
    g->beam = sac_source_beam(source);
    g->revision = 1;
    g->fresh = true;
    g->player =
        (viz_player){.step_seconds = WORD_SECONDS, .rest_seconds = REST_SECONDS, .speed = 1};
}

sac_result_request viz_generation_ask(const viz_generation *g)
{
    sac_result_request request = {.model = g->model,
                                  .temperature = g->temperature,
                                  .beam = g->beam,
                                  .prefix_count = g->prefix.count};
    memcpy(request.prefix, g->prefix.words, sizeof request.prefix);
    return request;
}

static void find_chosen(viz_generation *g)
{
    memset(g->chosen, 0, sizeof g->chosen);
    for (int i = 0; i < g->caption.count; i++)
        g->chosen[i] = g->prefix.replaced[sac_result_step(&g->caption, i)];
}

void viz_generation_changed(viz_generation *g)
{
    find_chosen(g);
    g->revision++;
    g->typed = false;
    g->message[0] = '\0';
}

void viz_generation_take(viz_generation *g, sac_result *caption)
{
    sac_result_free(&g->caption);
    g->caption = *caption;
    *caption = (sac_result){0};
    find_chosen(g);
}

/* The last word that is no full stop and no token of a place; of a sentence of those alone the last. */
static int last_word(const sac_result *caption)
{
    int word = caption->count - 1;
    while (word >= 0 && (sac_token_is_delimiter(caption->outputs[word].text) ||
                         sac_result_is_place(caption, word)))
        word--;
    return word < 0 ? caption->count - 1 : word;
}

void viz_generation_find_word(viz_generation *g)
{
    int last = g->caption.count - 1, word = g->player.step < last ? g->player.step : last;
    if (g->typed)
        word = last;
    if (g->fresh) { /* a window begins to play; a still shows the whole sentence */
        word = g->player.has_clock ? 0 : last_word(&g->caption);
        g->player.playing = g->player.has_clock && last > 0;
        g->fresh = !g->player.has_clock;
    }
    viz_player_rest_at(&g->player, word > 0 ? word : 0);
}

/* ---------------------------------------------------------------- what is asked of the model */

bool viz_generation_set(viz_generation *g, viz_demand demand, double value)
{
    int most =
        demand == VIZ_BEAM ? sac_source_widest_beam(g->source) : g->source->speaker.models - 1;
    int *whole = demand == VIZ_BEAM ? &g->beam : &g->model, least = demand == VIZ_BEAM;
    if (demand == VIZ_TEMPERATURE) {
        float temperature = fminf(fmaxf((float)value, VIZ_LEAST_TEMPERATURE), VIZ_MOST_TEMPERATURE);
        if (fabsf(temperature - 1) < 1e-3f) /* steps up and down meet at 1 exactly */
            temperature = 1;
        if (!isfinite(temperature) || temperature == g->temperature)
            return false;
        g->temperature = temperature;
    } else {
        int number = value < least ? least : value > most ? most : (int)value;
        if (number == *whole)
            return false;
        *whole = number;
    }
    viz_generation_changed(g);
    return true;
}

bool viz_generation_step(viz_generation *g, viz_demand demand, bool down)
{
    size_t models = (size_t)g->source->speaker.models;
    if (demand == VIZ_TEMPERATURE) /* four steps double it */
        return viz_generation_set(g, demand,
                                  (double)(g->temperature * (down ? 0.8408964f : 1.1892071f)));
    if (demand == VIZ_BEAM)
        return viz_generation_set(g, demand, g->beam + (down ? -1 : 1));
    if (models > 1)
        return viz_generation_set(g, demand,
                                  (double)viz_next((size_t)g->model, down ? -1 : 1, models));
    snprintf(g->message, sizeof g->message, viz_word("there is only one model here: “%s”"),
             g->source->speaker.model[0]);
    return true;
}

void viz_generation_replace(viz_generation *g, int at, int word)
{
    viz_prefix *p = &g->prefix;
    if (at < 0 || at >= g->caption.count)
        return;
    const int step = sac_result_step(&g->caption, at);
    sac_result_tokens(&g->caption, p->words);
    p->words[step] = word;
    p->count = step + 1;
    p->replaced[step] = true;
    for (int i = step + 1; i < SAC_MAX_TOKENS; i++)
        p->replaced[i] = false; /* what followed belonged to another sentence */
    g->fresh = false;
    g->player.step = at;
    g->player.playing = g->player.has_clock;
    viz_generation_changed(g);
}

bool viz_generation_take_back(viz_generation *g, int word)
{
    viz_prefix *p = &g->prefix;
    if (p->count < 1)
        return false;
    int at = word < 0 ? word : sac_result_step(&g->caption, word);
    at = at < 0 || at >= p->count ? p->count - 1 : at;
    for (int i = at; i < SAC_MAX_TOKENS; i++)
        p->replaced[i] = false;
    for (p->count = at; p->count > 0 && !p->replaced[p->count - 1];)
        p->count--;
    viz_generation_changed(g);
    return true;
}

/* ---------------------------------------------------------------- time and words */

int viz_generation_word(const viz_generation *g)
{
    int count = g->caption.count;
    return g->player.step < count ? g->player.step : count - 1;
}

bool viz_generation_go(viz_generation *g, int word)
{
    g->fresh = false;
    bool moved = viz_player_go(&g->player, g->caption.count, word);
    if (moved && g->moved)
        g->moved(&g->base);
    return moved;
}

bool viz_generation_choose(viz_generation *g, int word)
{
    g->player.playing = false;
    viz_generation_go(g, word);
    return true;
}

bool viz_generation_open_list(viz_generation *g, int word)
{
    bool opened = viz_word_list_open(&g->list, g->source, &g->caption, word);
    if (opened)
        g->player.playing = false;
    return opened;
}

bool viz_generation_list_event(viz_generation *g, const viz_event *event)
{
    int word;
    bool changed = viz_word_list_event(&g->list, event, &word);
    if (word >= 0)
        viz_generation_replace(g, g->list.word, word);
    return changed;
}

bool viz_generation_tick(viz_generation *g, double now, bool rests)
{
    viz_player *p = &g->player;
    if (viz_player_set_time(p, now) && g->fresh && g->caption.count > 0) {
        viz_generation_go(g, 0);
        p->playing = true;
    }
    bool was_playing = p->playing, stepped = !rests && viz_player_advance(p, g->caption.count);
    if (stepped && g->moved)
        g->moved(&g->base);
    return stepped || was_playing != p->playing || viz_player_glided(p) < 1 ||
           viz_player_is_near_step(p);
}

int viz_generation_frames(const viz_view *view, int fps)
{
    const viz_generation *g = viz_generation_of(view);
    return g->caption.count ? viz_player_frames(&g->player, g->caption.count, fps) : 1;
}

/* ---------------------------------------------------------------- keys, and the timeline */

bool viz_generation_press_time(viz_view *view, viz_pressed pressed)
{
    viz_generation *g = viz_generation_of(view);
    int before = g->player.step;
    viz_player_press(&g->player, g->caption.count, pressed.key, g->message, sizeof g->message);
    g->fresh = false;
    if (g->player.step != before && g->moved)
        g->moved(view);
    return true;
}

bool viz_generation_press_demand(viz_view *view, viz_pressed pressed)
{
    return viz_generation_step(viz_generation_of(view), (viz_demand)pressed.what, pressed.step < 0);
}

bool viz_generation_press_list(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    return viz_generation_open_list(viz_generation_of(view),
                                    viz_generation_word(viz_generation_of(view)));
}

/* So wide that the knob can be held at the ends. */
static viz_rect reach(viz_rect track)
{
    return (viz_rect){track.x - 8, track.y, track.w + 16, track.h};
}

bool viz_generation_press(viz_generation *g, viz_rect play, viz_rect track, float x, float y)
{
    if (viz_inside(play, x, y))
        return viz_generation_press_time(&g->base, (viz_pressed){' ', 1, 0});
    g->scrubs = viz_inside(reach(track), x, y);
    if (!g->scrubs)
        return false;
    g->player.playing = false;
    viz_generation_scrub(g, track, x);
    return true;
}

bool viz_generation_scrub(viz_generation *g, viz_rect track, float x)
{
    return g->caption.count > 0 && track.w > 0 &&
           viz_generation_go(g, viz_timeline_step_at(track, g->caption.count, x));
}

bool viz_generation_press_cross(viz_generation *g, const viz_rect *cross, float x, float y)
{
    for (int i = 0; i < g->caption.count; i++)
        if (g->chosen[i] && viz_inside(cross[i], x, y))
            return viz_generation_take_back(g, i);
    return false;
}

int viz_values_hit(const viz_rect *values, int count, float x, float y)
{
    for (int i = 0; i < count; i++)
        if (values[i].w > 0 && viz_inside(reach(values[i]), x, y))
            return i;
    return -1;
}

void viz_generation_spots(const viz_generation *g, viz_spots *spots, viz_rect play, viz_rect track,
                          const viz_rect *values, const char *const *tips, int count)
{
    viz_spots_add(spots, play, VIZ_SPOT_PRESSES, "Play the words one after the other, or rest.");
    if (g->caption.count > 0)
        viz_spots_add(spots, reach(track), VIZ_SPOT_SLIDES, "Drag to go through the words.");
    for (int i = 0; i < count; i++) {
        viz_rect r = values[i];
        if (r.w > 0)
            viz_spots_add(spots,
                          (viz_rect){r.x - VIZ_STEP_ARROW, r.y, r.w + 2 * VIZ_STEP_ARROW, r.h},
                          VIZ_SPOT_STEPS, tips[i]);
    }
}

/* ---------------------------------------------------------------- settings */

void viz_save_model(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const viz_generation *g = viz_generation_of(view);
    put(user, s->name, g->source->speaker.model[g->model]);
}

void viz_take_model(viz_view *view, const viz_setting *s, const char *value)
{
    viz_generation *g = viz_generation_of(view);
    (void)s;
    for (int i = 0; i < g->source->speaker.models; i++)
        if (!strcmp(g->source->speaker.model[i], value))
            viz_generation_set(g, VIZ_MODEL, i);
}

void viz_set_demand(viz_view *view, const viz_setting *s, double number)
{
    viz_generation_set(viz_generation_of(view), (viz_demand)s->count, number);
}

bool viz_is_beam(const char *text)
{
    return text[0] >= '1' && text[0] <= '5' && !text[1];
}

/* The words, "a large blue"; or which of them were replaced, from 0: "1 2". */
void viz_save_prefix(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const viz_generation *g = viz_generation_of(view);
    char text[SAC_MAX_TOKENS * SAC_MAX_TOKEN_TEXT] = "", place[24];
    bool replaced = !strcmp(s->name, "replaced");
    size_t used = 0;
    for (int i = 0; i < g->prefix.count && used < sizeof text; i++) {
        if (replaced && !g->prefix.replaced[i])
            continue;
        snprintf(place, sizeof place, "%d", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                 replaced ? place : viz_vocabulary(g->source, g->prefix.words[i]));
    }
    put(user, s->name, text);
}

/* A prefix ends before the first word that the source does not know. */
void viz_take_prefix(viz_view *view, const viz_setting *s, const char *value)
{
    viz_generation *g = viz_generation_of(view);
    viz_prefix *p = &g->prefix;
    if (!strcmp(s->name, "replaced")) {
        char *end;
        memset(p->replaced, 0, sizeof p->replaced);
        for (long at = strtol(value, &end, 10); end != value; at = strtol(value, &end, 10)) {
            if (at >= 0 && at < SAC_MAX_TOKENS)
                p->replaced[at] = true;
            value = end;
        }
    } else {
        char text[SAC_MAX_TOKENS * SAC_MAX_TOKEN_TEXT], *rest = NULL;
        snprintf(text, sizeof text, "%s", value);
        p->count = 0;
        for (char *t = strtok_r(text, " ", &rest); t && p->count < SAC_MAX_TOKENS;
             t = strtok_r(NULL, " ", &rest)) {
            int word = viz_vocabulary_find(g->source, t);
            if (word < 0)
                break;
            p->words[p->count++] = word;
        }
    }
    viz_generation_changed(g);
}

/* False: no word is chosen, and there is no sentence. */
bool viz_has_word(const viz_view *view)
{
    const viz_generation *g = viz_generation_of(view);
    return !g->fresh || g->caption.count > 0;
}

/* Before there is a sentence the word is kept until there is. */
void viz_set_word(viz_view *view, const viz_setting *s, double number)
{
    viz_generation *g = viz_generation_of(view);
    (void)s;
    if (g->caption.count > 0)
        viz_generation_go(g, (int)number);
    else
        g->player.step = (int)number;
    g->fresh = false;
}

void viz_generation_other(const viz_view *view, viz_put *put, void *user)
{
    const viz_generation *g = viz_generation_of(view);
    int models = g->source->speaker.models;
    if (models > 1)
        put(user, "model", g->source->speaker.model[(g->model + 1) % models]);
}

/* ---------------------------------------------------------------- the weights as a table */

bool viz_generation_table(const viz_view *view, viz_table *table)
{
    const viz_generation *g = viz_generation_of(view);
    int word = viz_generation_word(g);
    table->columns = (size_t)g->caption.grid_w * (size_t)g->caption.grid_h;
    table->rows = (size_t)g->caption.count;
    table->row = word > 0 ? (size_t)word : 0;
    snprintf(table->title, sizeof table->title, "%s attention", g->source->speaker.model[g->model]);
    return table->rows > 0;
}

sac_status viz_generation_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_result *caption = &viz_generation_of(view)->caption;
    size_t columns = (size_t)caption->grid_w * (size_t)caption->grid_h;
    (void)error;
    memcpy(values, caption->weights + row * columns, columns * sizeof *values);
    return SAC_OK;
}
