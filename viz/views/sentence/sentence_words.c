/* A sentence: what is asked of the model, its words in time, and the timeline below them. */
#include <math.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "sentence/sentence_state.h"
#include "sources/heads/reduce.h"

void sentence_grid(const sentence_view *v, int *w, int *h)
{
    const sac_source *source = v->base.source;
    bool sees = v->sees;
    *w = sees ? source->picture.grid_w : v->hidden_of ? v->hidden_of : v->result.grid_w;
    *h = sees ? source->picture.grid_h : 1;
}

sac_result_request sentence_request(const sentence_view *v)
{
    sac_result_request request = {.model = v->model,
                                  .temperature = v->temperature,
                                  .normalizer = v->normalizer,
                                  .beam = v->beam,
                                  .penalty = {true, v->penalty},
                                  .layer = v->layer + 1,
                                  .head = v->head + 1,
                                  .no_sinks = v->no_sinks,
                                  .attribution = v->attribution,
                                  .hidden = v->hidden_count > 0 ? v->hidden : NULL,
                                  .gaze = v->gaze,
                                  .prefix_count = v->prefix.count};
    memcpy(request.prefix, v->prefix.words, sizeof request.prefix);
    return request;
}

void sentence_mark_changed(viz_view *view)
{
    sentence_view *v = sentence_of(view);
    v->revision++;
    v->typed = false;
    v->message[0] = '\0';
}

void sentence_update_hidden_count(sentence_view *v)
{
    int w, h;
    sentence_grid(v, &w, &h);
    v->hidden_count = viz_hidden_count(v->hidden, w, h);
    v->hidden_of = v->hidden_count && !v->sees ? w : 0;
    sentence_mark_changed(&v->base);
}

void sentence_forget_edits(sentence_view *v)
{
    v->prefix = (sentence_prefix){0};
    v->hidden_count = v->hidden_of = 0;
    v->gaze = (sac_gaze){0};
    v->list.open = false;
}

bool sentence_holds(const viz_view *view)
{
    return view->source->result.holds_gaze;
}

bool sentence_is_held(const sentence_view *v, int word)
{
    return word >= 0 && word < v->result.count && sac_gaze_is_held(&v->result.gaze) &&
           sac_result_step(&v->result, word) >= v->result.gaze.from;
}

bool sentence_is_hidden(const sentence_view *v, int position)
{
    return v->hidden_count > 0 && v->hidden[position];
}

bool sentence_is_replaced(const sentence_view *v, int word)
{
    return v->prefix.replaced[sac_result_step(&v->result, word)];
}

bool sentence_has_truth(const viz_view *view)
{
    return sentence_of(view)->scene.has_truth;
}

bool sentence_has_layers(const viz_view *view)
{
    return view->source->weights.layers > 0;
}

bool sentence_has_maps(const viz_view *view)
{
    return view->source->result.attributions != 0;
}

bool sentence_answers_question(const viz_view *view)
{
    return view->source->result.typed;
}

bool sentence_has_other_pictures(const viz_view *view)
{
    const sentence_scene *scene = &sentence_of(view)->scene;
    return scene->scenes || scene->pictures > 1;
}

void sentence_set_typed_text(sentence_view *v, const char *text)
{
    viz_text_field *f = &v->field;
    if (text != f->text)
        snprintf(f->text, sizeof f->text, "%.*s", VIZ_TEXT_FIELD_SIZE - 1, text);
    if (f->caret > strlen(f->text) || text != f->text)
        f->caret = strlen(f->text);
    sentence_forget_edits(v);
    v->wanted = -1;
    v->fresh = v->player.playing = v->player.chosen = false;
    sentence_mark_changed(&v->base);
    v->typed = true;
}

/* ---------------------------------------------------------------- time and words */

int sentence_current_word(const sentence_view *v)
{
    int count = v->result.count;
    return v->player.step < count ? v->player.step : count - 1;
}

void sentence_select_start_word(sentence_view *v)
{
    const sac_result *c = &v->result;
    int last = c->count - 1, word = v->player.step < last ? v->player.step : last, end = last;
    if (v->typed)
        word = last;
    if (v->fresh) { /* a window begins to play; a still shows the whole sentence, … */
        while (end >= 0 &&
               (sac_token_is_delimiter(c->outputs[end].text) || /* … but no full stop, */
                sac_result_is_place(c, end)))                   /* and no token of a place */
            end--;
        const int rest = sac_result_narrowest(c);
        word = v->player.has_clock ? 0 : rest >= 0 ? rest : end < 0 ? last : end;
        v->ended = !v->player.has_clock && rest >= 0;
        v->player.playing = v->player.has_clock && last > 0;
        v->fresh = !v->player.has_clock;
        v->player.chosen = false;
    }
    viz_player_rest_at(&v->player, word > 0 ? word : 0);
}

void sentence_rest_at_narrowest_word(sentence_view *v)
{
    const int word = sac_result_narrowest(&v->result);
    v->ended = word >= 0 && !sentence_demo_runs(v);
    if (v->ended)
        sentence_go(v, word);
    v->player.chosen = false;
}

void sentence_glide(sentence_view *v)
{
    const viz_player *p = &v->player;
    if (v->sees)
        viz_glide_to(&v->glide, &v->result, sentence_current_word(v), p->now,
                     !p->has_clock || p->exporting);
}

bool sentence_go(sentence_view *v, int word)
{
    v->fresh = false;
    bool moved = viz_player_go(&v->player, v->result.count, word);
    if (moved)
        sentence_glide(v);
    return moved;
}

bool sentence_stop_at_word(sentence_view *v, int word)
{
    v->player.playing = false;
    sentence_go(v, word);
    return true;
}

bool sentence_open_list(sentence_view *v, int word)
{
    bool opened = !v->base.source->result.is_spelled &&
                  viz_word_list_open(&v->list, v->base.source, &v->result, word);
    if (opened)
        v->player.playing = false;
    return opened;
}

/* ---------------------------------------------------------------- words that a person chooses */

void sentence_replace(sentence_view *v, int at, int word)
{
    sentence_prefix *p = &v->prefix;
    if (at < 0 || at >= v->result.count)
        return;
    const int step = sac_result_step(&v->result, at);
    sac_result_tokens(&v->result, p->words);
    p->words[step] = word;
    p->count = step + 1;
    p->replaced[step] = true;
    for (int i = step + 1; i < SAC_MAX_TOKENS; i++)
        p->replaced[i] = false; /* what followed belonged to another sentence */
    v->fresh = false;
    v->player.step = at;
    v->player.playing = v->player.has_clock;
    sentence_mark_changed(&v->base);
}

void sentence_take_back(sentence_view *v, int word)
{
    sentence_prefix *p = &v->prefix;
    int at = sac_result_step(&v->result, word);
    at = at < p->count ? at : p->count > 0 ? p->count - 1 : 0;
    for (int i = at; i < SAC_MAX_TOKENS; i++)
        p->replaced[i] = false;
    for (p->count = at; p->count > 0 && !p->replaced[p->count - 1];)
        p->count--;
    sentence_mark_changed(&v->base);
}

/* ---------------------------------------------------------------- the timeline */

#define VALUES_GAP 32.0f /* behind the track */

/* Where space is scarce the first caps are left out. The track ends where the values need the room; a
 * short one goes before keys, which the sheet of keys shows too. */
void sentence_lay_transport(sentence_view *v, const viz_canvas *canvas, viz_rect area, float y,
                            float end, const viz_key_row *caps, int count)
{
    static const char *const values[] = {"speed", "temperature", "normalizer", "model",      "beam",
                                         "layer", "head",        "gaze heads", "attribution"};
    enum { VALUES = sizeof values / sizeof *values, MODEL = 3 };
    sentence_layout *l = &v->layout;
    const viz_view *view = &v->base;
    float x = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN, start = x + 43;
    float gap = l->roomy ? 18 : 13, taken = -gap;
    bool one_model = v->sees && view->source->weights.layers > 0, shown[VIZ_MAX_CHOICES];
    viz_controls measured = {0};
    viz_caps last =
        viz_caps_layout(canvas, 0, 0, 1e6f, caps + count - 1, 1); /* ? is always there */
    float sheet = last.items[0].w + gap;
    for (int i = 0; i < VALUES; i++) {
        float w = i == MODEL && one_model
                      ? 0
                      : viz_controls_add_value(&measured, view, canvas, values[i], 0, y, 1e6f);
        taken += w > 0 ? w + gap : 0;
    }
    float most = right - taken - sheet - VALUES_GAP;
    end = end > start + 120 ? fminf(end, most) : most;
    end = fmaxf(end, fminf(start + 60, right));
    l->play = (viz_rect){x - 2, y, 28, VIZ_TIMELINE_HEIGHT};
    l->track = (viz_rect){start, y, fmaxf(end - start, 0), VIZ_TIMELINE_HEIGHT};
    float at = end + VALUES_GAP;
    for (int i = 0; i < measured.count; i++) {
        float w = viz_controls_add_value(&v->controls, view, canvas,
                                         measured.items[i].setting->name, at, y, right - sheet);
        at += w > 0 ? w + gap : 0;
    }
    for (int i = 0; i < count; i++)
        shown[i] = !caps[i].acts || caps[i].acts(view);
    l->caps = viz_caps_layout_shown(canvas, right, y + 2, right - at, caps, count, shown);
}

void sentence_draw_transport(const sentence_view *v, viz_canvas *canvas)
{
    viz_timeline_draw_play(canvas, v->layout.play, v->player.playing);
    viz_timeline_draw_track(canvas, v->layout.track, &v->player, v->result.count);
    viz_controls_draw(&v->controls, &v->base, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
}

void sentence_draw_cross(viz_canvas *canvas, float x, float y)
{
    const float s = 5;
    viz_line(canvas, x, y, x + s, y + s, 1.25f, canvas->theme->text2);
    viz_line(canvas, x + s, y, x, y + s, 1.25f, canvas->theme->text2);
}
