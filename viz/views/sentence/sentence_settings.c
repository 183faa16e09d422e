/* The settings of views of sentences, and their controls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/figures/overlays.h"
#include "scores/normalizers.h"
#include "sentence/sentence_state.h"
#include "view/words.h"

#define LEAST_TEMPERATURE 0.25
#define MOST_TEMPERATURE 4

static double always_one(const viz_view *view)
{
    (void)view;
    return 1;
}

/* ---------------------------------------------------------------- what is asked of the model */

static int models(const viz_view *view, const viz_setting *s, const char **names, const char **tips)
{
    const sac_result_source *generator = &view->source->result;
    (void)s, (void)tips;
    for (int i = 0; i < generator->models; i++)
        names[i] = generator->model[i];
    return generator->models;
}

static bool turn_model(viz_view *view, int step)
{
    sentence_view *v = sentence_of(view);
    const sac_result_source *generator = &view->source->result;
    if (generator->models > 1) {
        v->model = (int)viz_next((size_t)v->model, step, (size_t)generator->models);
        sentence_mark_changed(view);
    } else
        snprintf(v->message, sizeof v->message, viz_word("there is only one model here: “%s”"),
                 generator->model[0]);
    return true;
}

/* Four steps double it; steps up and down meet at 1 exactly. */
static void set_temperature(viz_view *view, const viz_setting *s, double number)
{
    float temperature = (float)fmin(fmax(number, LEAST_TEMPERATURE), MOST_TEMPERATURE);
    (void)s;
    if (fabsf(temperature - 1) < 1e-3f)
        temperature = 1;
    if (temperature == sentence_of(view)->temperature)
        return;
    sentence_of(view)->temperature = temperature;
    sentence_mark_changed(view);
}

static const char *const normalizer_names[] = {N_("own"), "softmax", "entmax15", "sparsemax"};
_Static_assert(sizeof normalizer_names / sizeof *normalizer_names == 1 + SAC_NORMALIZER_COUNT,
               "a name for each normalizer");

static bool normalizes(const viz_view *view)
{
    return view->source->result.normalizes;
}

static int normalizers(const viz_view *view, const viz_setting *s, const char **names,
                       const char **tips)
{
    (void)s, (void)tips;
    names[0] = N_("its own");
    for (int i = 0; i < SAC_NORMALIZER_COUNT; i++)
        names[i + 1] = sac_normalizer_class_of((sac_normalizer)i)->words.label;
    return normalizes(view) ? 1 + SAC_NORMALIZER_COUNT : 0;
}

static bool searches(const viz_view *view)
{
    return !view->source->result.is_spelled;
}

static double widest_beam(const viz_view *view, const viz_setting *s)
{
    (void)s;
    return sac_source_widest_beam(view->source);
}

static double usual_beam(const viz_view *view)
{
    return sac_source_beam(view->source);
}

static double usual_penalty(const viz_view *view)
{
    return (double)view->source->result.length_penalty;
}

static bool is_other_penalty(const viz_view *view)
{
    return sentence_of((viz_view *)view)->penalty != view->source->result.length_penalty;
}

static bool is_beam(const char *text)
{
    return text[0] >= '1' && text[0] <= '5' && !text[1];
}

/* The kinds of map that the model's words have. */
static int kinds_of_map(const viz_view *view, const viz_setting *s, const char **names,
                        const char **tips)
{
    const unsigned known = view->source->result.attributions;
    int count = 0;
    for (int i = 0; i < SAC_ATTRIBUTIONS; i++) {
        bool is_known = sac_attribution_is_known(known, (sac_attribution)i);
        names[i] = is_known ? s->names[i] : NULL;
        tips[i] = sac_attribution_phrase((sac_attribution)i);
        count += is_known;
    }
    return count > 1 ? SAC_ATTRIBUTIONS : 0;
}

/* Maps of another kind have another scale. */
static void request_other_maps(viz_view *view)
{
    sentence_of(view)->scale_end = 0;
    sentence_mark_changed(view);
}

/* The words, "a large blue"; or which of them were replaced, from 0: "1 2". */
static void save_prefix(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sentence_prefix *p = &sentence_of(view)->prefix;
    char text[SAC_MAX_TOKENS * SAC_MAX_TOKEN_TEXT] = "", place[24];
    bool replaced = !strcmp(s->name, "replaced");
    size_t used = 0;
    for (int i = 0; i < p->count && used < sizeof text; i++) {
        if (replaced && !p->replaced[i])
            continue;
        snprintf(place, sizeof place, "%d", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                 replaced ? place : viz_vocabulary(view->source, p->words[i]));
    }
    put(user, s->name, text);
}

/* A prefix ends before the first word that the source does not know. */
static void restore_prefix(viz_view *view, const viz_setting *s, const char *value)
{
    sentence_prefix *p = &sentence_of(view)->prefix;
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
            int word = viz_vocabulary_find(view->source, t);
            if (word < 0)
                break;
            p->words[p->count++] = word;
        }
    }
    sentence_mark_changed(view);
}

static void save_hidden(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sentence_view *v = sentence_of(view);
    int w, h;
    sentence_grid(v, &w, &h);
    char *hidden = v->hidden_count ? viz_hidden_text(v->hidden, w, h) : NULL;
    put(user, s->name, hidden ? hidden : "");
    free(hidden);
}

/* "14x14: 4-6" of cells, "13x1: 4-6" of a sentence of 13 words. */
static void restore_hidden(viz_view *view, const viz_setting *s, const char *value)
{
    sentence_view *v = sentence_of(view);
    int w, h, before = v->hidden_count;
    (void)s;
    sentence_grid(v, &w, &h);
    if (!v->sees && value[0])
        w = atoi(value);
    if (value[0] &&
        (w < 1 || (!v->sees && w > SAC_MAX_TOKENS) || !viz_hidden_parse(value, v->hidden, w, h)))
        return;
    if (!value[0])
        memset(v->hidden, 0, (size_t)w * (size_t)h);
    v->hidden_of = v->sees ? 0 : w;
    v->hidden_count = viz_hidden_count(v->hidden, w, h);
    if (before > 0 || v->hidden_count > 0)
        sentence_update_hidden_count(v);
}

static void save_gaze(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    char text[SAC_GAZE_TEXT];
    put(user, s->name, sac_gaze_write(&sentence_of(view)->gaze, text));
}

static void restore_gaze(viz_view *view, const viz_setting *s, const char *value)
{
    sentence_view *v = sentence_of(view);
    sac_gaze gaze = {0};
    int w, h;
    (void)s;
    sentence_grid(v, &w, &h);
    if ((value[0] && sac_gaze_read(value, w, h, &gaze, NULL) != SAC_OK) ||
        sac_gaze_is_same(&gaze, &v->gaze))
        return;
    v->gaze = gaze;
    sentence_mark_changed(view);
}

/* Heads of a person's own are a third choice. */
enum { ALL_HEADS, AUTO_HEADS, NAMED_HEADS };

static bool has_gaze_heads(const viz_view *view)
{
    return view->source->result.head_maps && view->source->weights.layers > 0;
}

static double gaze_heads_choice(const viz_view *view, const viz_setting *s)
{
    const sac_gaze *gaze = &sentence_of((viz_view *)view)->gaze;
    (void)s;
    return sac_gaze_is_auto(gaze) ? AUTO_HEADS : gaze->heads[0] ? NAMED_HEADS : ALL_HEADS;
}

static int gaze_heads_choices(const viz_view *view, const viz_setting *s, const char **names,
                              const char **tips)
{
    (void)tips;
    if (!has_gaze_heads(view))
        return 0;
    names[ALL_HEADS] = N_("all");
    names[AUTO_HEADS] = N_("those that look");
    names[NAMED_HEADS] = sentence_of((viz_view *)view)->gaze.heads;
    return gaze_heads_choice(view, s) == NAMED_HEADS ? 3 : 2;
}

static void set_gaze_heads(viz_view *view, const viz_setting *s, double number)
{
    sac_gaze *gaze = &sentence_of(view)->gaze;
    if (number == gaze_heads_choice(view, s) || number == NAMED_HEADS)
        return;
    snprintf(gaze->heads, sizeof gaze->heads, "%s", number == AUTO_HEADS ? SAC_GAZE_AUTO : "");
    sentence_mark_changed(view);
}

void viz_sentence_view_apply_request(viz_view *view, const sac_result_request *request)
{
    sentence_view *v = sentence_of(view);
    int w, h;
    sentence_grid(v, &w, &h);
    if (request->temperature > 0)
        set_temperature(view, NULL, (double)request->temperature);
    sentence_of(view)->normalizer = request->normalizer;
    if (request->beam > 0)
        viz_setting_change(viz_view_setting(view->class, "beam"), view, request->beam);
    if (request->penalty.given)
        v->penalty = request->penalty.value;
    v->layer = sentence_has_layers(view) ? request->layer - 1 : VIZ_MEAN;
    v->head = sentence_has_layers(view) ? request->head - 1 : VIZ_MEAN;
    v->no_sinks = request->no_sinks;
    v->attribution = request->attribution;
    v->gaze = request->gaze;
    memcpy(v->prefix.words, request->prefix, sizeof v->prefix.words);
    v->prefix.count = request->prefix_count;
    if (request->hidden)
        memcpy(v->hidden, request->hidden, (size_t)w * (size_t)h);
    sentence_update_hidden_count(v);
}

/* ---------------------------------------------------------------- the picture, or the sentence */

static void save_picture(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sentence_scene *scene = &sentence_of(view)->scene;
    viz_put_whole(put, user, s->name, scene->file[0] ? 0 : scene->picture);
}

static void restore_picture(viz_view *view, const viz_setting *s, const char *value)
{
    sentence_view *v = sentence_of(view);
    const sentence_scene *scene = &v->scene;
    int most = scene->scenes ? INT32_MAX / 2 : scene->pictures - 1;
    float number;
    (void)s;
    if (!viz_read_real(value, &number) || number < 0 || number > (float)most)
        return;
    v->wanted = (int)number == scene->picture ? -1 : (int)number;
    v->keeps_edits = true;
}

/* A scene has it in its title; saved pictures without it are of flat shapes. */
static bool has_topic(const viz_view *view)
{
    const char *topic = view->source->result.topic;
    return topic[0] && !sentence_of(view)->scene.scenes && strcmp(topic, "shapes") != 0;
}

static void ignore_restored_value(viz_view *view, const viz_setting *s, const char *value)
{
    (void)view, (void)s, (void)value; /* it was decided when the models were opened */
}

static void restore_sentence(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    if (strcmp(value, sentence_of(view)->field.text) != 0)
        sentence_set_typed_text(sentence_of(view), value);
}

/* ---------------------------------------------------------------- what is shown */

/* False: no word is chosen, and there is no sentence. */
static bool has_word(const viz_view *view)
{
    return !sentence_of(view)->fresh || sentence_of(view)->result.count > 0;
}

/* Before there is a sentence the word is kept until there is. */
static void set_word(viz_view *view, const viz_setting *s, double number)
{
    sentence_view *v = sentence_of(view);
    (void)s;
    if (v->result.count > 0)
        sentence_go(v, (int)number);
    else
        v->player.step = (int)number;
    v->player.chosen = true;
    v->fresh = false;
}

static bool turn_speed(viz_view *view, int step)
{
    sentence_view *v = sentence_of(view);
    return viz_player_press(&v->player, v->result.count, step < 0 ? '-' : '+', NULL, 0);
}

static void show_speed(const viz_view *view, double number, char *text, size_t size)
{
    (void)view;
    bool quarter = fabs(number * 2 - round(number * 2)) > 0.01;
    snprintf(text, size, quarter ? "%.2f×" : "%.1f×", number);
}

static double last_layer_or_head(const viz_view *view, const viz_setting *s)
{
    const sac_weights_source *weights = &view->source->weights;
    return (double)(s->at == offsetof(sentence_view, layer) ? weights->layers : weights->heads) - 1;
}

/* What was asked is of the word no more; a word that is asked about rests. */
static void reset_matters(viz_view *view)
{
    sentence_view *v = sentence_of(view);
    v->matters = (sentence_matters){.on = v->matters.on && !view->source->result.is_spelled};
    v->player.playing = v->player.playing && !v->matters.on;
}

/* The others of pictures that are seen together: "image 2" … */
static void save_more_pictures(const viz_view *view, const viz_setting *setting, viz_put *put,
                               void *user)
{
    const sac_picture_source *picture = &view->source->picture;
    char key[24];
    (void)setting;
    for (int i = 1; i < picture->parts; i++) {
        snprintf(key, sizeof key, "image %d", i + 1);
        put(user, key, picture->part_file[i]);
    }
}

#define IN(member) offsetof(sentence_view, member)

const viz_setting caption_origin[] = {
    {"title", VIZ_TEXT, IN(scene.title)}, /* by which a scene is found again */
    {"file", VIZ_TEXT, IN(scene.origin.file)},
    {"hash", VIZ_TEXT, IN(scene.origin.hash)},
    {"device", VIZ_TEXT, IN(scene.origin.device)},
    VIZ_VERSION_SETTING,
    {"weights", VIZ_TEXT, offsetof(sac_source, origin.weights), .in = viz_setting_source,
     .take = ignore_restored_value},
    {"image", VIZ_TEXT, IN(scene.file)},
    {"image 2", .save = save_more_pictures, .take = ignore_restored_value},
    {"picture", .moves = true, .save = save_picture, .take = restore_picture},
    {"dataset", VIZ_TEXT, offsetof(sac_source, result.topic), .in = viz_setting_source,
     .moves = true, .only = has_topic, .take = ignore_restored_value},
    {"sentence", VIZ_TEXT, offsetof(sac_source, result.text), .in = viz_setting_source,
     .moves = true, .only = sentence_answers_question, .take = ignore_restored_value},
    {0},
};

const viz_setting translation_origin[] = {
    {"file", VIZ_TEXT, IN(scene.origin.file)}, /* a model's folder; bundled ones need none */
    {"device", VIZ_TEXT, IN(scene.origin.device)},
    VIZ_VERSION_SETTING,
    {"sentence", VIZ_TEXT, IN(field.text), .take = restore_sentence},
    {0},
};

const viz_setting sentence_settings[] = {
    {NULL, .save = viz_save_without},
    {"model", VIZ_CHOICE, IN(model), .choices = models, .changed = sentence_mark_changed,
     .turn = turn_model, .label = "model", .form = "additive, scaled-dot or bilinear",
     VIZ_OPTION("--model", "M", "captioner"),
     .tip = "How query and key are compared: each score is a model of its own, trained with it."},
    {"temperature", VIZ_REAL, IN(temperature), .set = set_temperature, .logarithmic = true,
     .usual = always_one, .label = "temperature",
     .tip = "Scores are divided by it before they become weights: above 1 the attention spreads, "
            "below 1 it gathers."},
    {"normalizer", VIZ_CHOICE, IN(normalizer), VIZ_NAMES(normalizer_names), .only = normalizes,
     .choices = normalizers, .changed = sentence_mark_changed, .label = "normalizer",
     .tip = "What makes weights of scores: with 1.5-entmax and sparsemax many are exactly 0. "
            "The model learned with its own."},
    {"beam", VIZ_WHOLE, IN(beam), 1, 100, .most = widest_beam, .changed = sentence_mark_changed,
     .only = searches, .usual = usual_beam, .label = "beam", .form = "a whole number from 1 to 5",
     .valid = is_beam,
     VIZ_OPTION("--beam", "N", "beam width of a captioner, or with --continue of a text"),
     .tip = "Beam width: the number of sentences that the search keeps; the most probable one is "
            "shown."},
    {"length penalty", VIZ_REAL, IN(penalty), -SAC_LENGTH_PENALTY, SAC_LENGTH_PENALTY,
     .only = is_other_penalty, .implied = true, .changed = sentence_mark_changed,
     .usual = usual_penalty,
     VIZ_OPTION("--length-penalty", "X",
                "a beam compares sentences by log p / words^X, or with --continue texts")},
    {"attribution", VIZ_CHOICE, IN(attribution), VIZ_NAMES(sac_attribution_names),
     .only = sentence_has_maps, .choices = kinds_of_map, .changed = request_other_maps,
     .widget = VIZ_WORDS, .label = "map",
     VIZ_OPTION("--attribution", "A", "what the map of a word is made of"),
     .tip = "What a map is made of: the word's attention, or what is known to point better."},
    {"prefix", .save = save_prefix, .take = restore_prefix},
    {"replaced", .save = save_prefix, .take = restore_prefix},
    {"hidden", .save = save_hidden, .take = restore_hidden},
    {"gaze", .only = sentence_holds, .save = save_gaze, .take = restore_gaze},
    {"gaze heads", VIZ_CHOICE, .only = has_gaze_heads, .unmentioned = true,
     .get = gaze_heads_choice, .set = set_gaze_heads, .choices = gaze_heads_choices,
     .widget = VIZ_WORDS, .label = "gaze heads",
     .tip = "The heads that look at what is described: a box is where they look at this word, and "
            "where a look is held (X), these alone are held."},
    {"word", VIZ_WHOLE, IN(player.step), 0, SAC_MAX_TOKENS - 1, .moves = true, .only = has_word,
     .set = set_word},
    {VIZ_WORD_CHOSEN_SETTING(IN), .only = has_word},
    {"speed", VIZ_REAL, IN(player.speed), 0.25, 4, .turn = turn_speed, .show = show_speed,
     .usual = always_one,
     .tip = "How fast the words follow each other; 1.0× is one word in 0.8 seconds."},
    {"loop", VIZ_SWITCH, IN(player.loops), VIZ_NAMES(viz_no_yes)},
    {"truth", VIZ_SWITCH, IN(truth), VIZ_NAMES(viz_off_on)},
    {"matters", VIZ_SWITCH, IN(matters.on), VIZ_NAMES(viz_off_on), .changed = reset_matters},
    {0},
};

const viz_setting caption_settings[] = {
    {"scale end", VIZ_REAL, IN(scale_end), 0, 1, .moves = true},
    {"layer", VIZ_PLACE, IN(layer), .only = sentence_has_layers, .most = last_layer_or_head,
     .changed = sentence_mark_changed, .label = "layer",
     .tip = "The layer whose attention is shown; else the mean of all."},
    {"head", VIZ_PLACE, IN(head), .only = sentence_has_layers, .most = last_layer_or_head,
     .changed = sentence_mark_changed, .label = "head",
     .tip = "The head whose attention is shown; else the mean of all."},
    {"without sinks", VIZ_SWITCH, IN(no_sinks), VIZ_NAMES(viz_off_on),
     .only = sentence_answers_question, .changed = sentence_mark_changed},
    {"playing", VIZ_SWITCH, IN(player.playing), VIZ_NAMES(viz_no_yes), .moves = true},
    VIZ_STYLE_SETTINGS(IN, style),
    {VIZ_SCALE_SETTING(IN(scale))},
    {"numbers", VIZ_SWITCH, IN(numbers), VIZ_NAMES(viz_off_on)},
    {VIZ_LAYOUT_SETTING},
    {0},
};
