/* The view that explains one weight, shown over another view. */

#include "shell/why/why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/numbers.h"
#include "parts/controls/spots.h"
#include "parts/controls/widgets.h"
#include "shell/why/why_chain.h"
#include "shell/why/why_steps.h"
#include "view/request.h"
#include "view/settings.h"
#include "view/words.h"

#define STEP_SECONDS 2.5 /* of an animation */
#define ALL_STEPS (-1)   /* in place of a kind, where a page is named */

typedef struct why_job {
    viz_job base;
    viz_subject subject;
    uint8_t *hidden; /* owned */
    sac_explanation explanation;
} why_job;

typedef struct why_view {
    viz_view base;
    viz_view *of; /* lent */
    viz_subject subject;
    uint8_t *hidden;    /* [subject.hidden_count]; owned; NULL: none */
    uint64_t questions; /* counts what was asked */
    viz_request request;
    bool known; /* what follows answers the last question, or the one before while that is out */
    bool stale; /* the question is about something else altogether */
    sac_explanation explanation;
    viz_why_names names;
    viz_why_steps steps;
    bool whole;        /* all steps are on one page; else one of them: */
    viz_why_kind kind; /* of the selected step */
    size_t first;
    char title[160], subtitle[320];
    viz_page_layout layout; /* as drawn last */
    viz_chain_layout chain;
    viz_caps caps;
} why_view;

static why_view *why_of(viz_view *view)
{
    return (why_view *)view;
}

/* ---------------------------------------------------------------- asking */

/* A copy that lends its own. False: no memory. */
static bool copy_subject(const viz_subject *from, viz_subject *to, uint8_t **hidden)
{
    *to = *from;
    *hidden = NULL;
    to->request.picture = from->request.picture ? &to->picture : NULL;
    to->request.caption = from->request.caption ? &to->caption : NULL;
    /* The cells that a request lends, wherever it has them; NULL: none. */
    viz_subject *subject = to;
    const uint8_t **cells =
        subject->request.picture ? &subject->picture.hidden : &subject->caption.hidden;
    if (!*cells)
        return true;
    *hidden = viz_allocate(to->hidden_count, 1);
    if (!*hidden)
        return false;
    memcpy(*hidden, *cells, to->hidden_count);
    *cells = *hidden;
    return true;
}

static char *name_key(const void *user, size_t position, char *text, size_t size)
{
    const why_view *v = user;
    return v->of->class->key_name(v->of, position, text, size);
}

bool viz_why_ask(viz_view *view, viz_view *of, const viz_subject *subject)
{
    why_view *v = why_of(view);
    free(v->hidden);
    v->of = of;
    v->base.source = of->source;
    v->stale = true;
    v->kind = VIZ_WHY_VECTORS;
    v->whole = true;
    v->first = 0;
    v->questions++;
    v->names = (viz_why_names){v->subject.query, name_key, v};
    return copy_subject(subject, &v->subject, &v->hidden);
}

static bool ask_about_key(why_view *v, size_t position)
{
    if (!v->known || v->stale || position >= v->explanation.keys ||
        position == v->subject.request.position)
        return false;
    v->subject.request.position = position;
    v->questions++;
    return true;
}

void viz_why_restore(viz_view *view, const char *value)
{
    why_view *v = why_of(view);
    size_t position;
    int kind;
    if (sscanf(value, "%zu %d", &position, &kind) != 2 || kind < ALL_STEPS || kind >= VIZ_WHY_KINDS)
        return;
    v->subject.request.position = position;
    v->whole = kind == ALL_STEPS;
    v->kind = v->whole ? VIZ_WHY_VECTORS : (viz_why_kind)kind;
}

/* ---------------------------------------------------------------- work */

static viz_job *create_job(viz_view *view)
{
    why_view *v = why_of(view);
    if (!viz_request_due(&v->request, v->questions))
        return NULL;
    why_job *job = viz_job_create(&viz_why_class, sizeof *job);
    if (!job)
        return NULL;
    if (!copy_subject(&v->subject, &job->subject, &job->hidden)) {
        free(job);
        return NULL;
    }
    return viz_request_submit(&v->request, &job->base, v->questions);
}

static sac_status run_job(viz_view *view, viz_job *base, sac_error *error)
{
    why_job *job = viz_job_of(base, &viz_why_class);
    return sac_source_explain(view->source, &job->subject.request, &job->explanation, error);
}

/* An answer to an older question is dropped: the next one is on its way. */
static void finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    why_view *v = why_of(view);
    why_job *job = viz_job_of(base, &viz_why_class);
    viz_why_steps steps;
    bool whole = viz_request_take(&v->request, error);
    if (whole && v->request.demand == v->questions &&
        viz_why_steps_make(&job->explanation, &v->names, &steps)) {
        viz_why_steps_free(&v->steps);
        sac_explanation_free(&v->explanation);
        v->steps = steps;
        v->explanation = job->explanation;
        job->explanation = (sac_explanation){0};
        v->known = true;
        v->stale = false;
        const sac_explanation *e = &v->explanation;
        char number[32], key[96];
        name_key(v, e->position, key, sizeof key);
        sac_number_text((double)e->weights[e->position], number, sizeof number);
        snprintf(v->title, sizeof v->title, viz_word("Why %s?"), number);
        snprintf(v->subtitle, sizeof v->subtitle, viz_word("%s attends to %s%s%s"),
                 v->subject.query, key, v->subject.where[0] ? "  ·  " : "", v->subject.where);
    } else if (whole && v->request.demand == v->questions) {
        viz_drawing_lacks_memory();
    }
    sac_explanation_free(&job->explanation);
    free(job->hidden);
    free(job);
}

/* ---------------------------------------------------------------- drawing */

/* The selected kind of step, or the last one before it that exists. */
static int current_step_index(const why_view *v)
{
    int found = 0;
    for (int i = 0; i < v->steps.count; i++)
        if (v->steps.kind[i] <= v->kind)
            found = i;
    return found;
}

static viz_page page_of(const why_view *v)
{
    return (viz_page){.title = v->title,
                      .subtitle = v->subtitle,
                      .steps = v->steps.steps,
                      .count = v->steps.count,
                      .current = current_step_index(v),
                      .first = v->first};
}

static const viz_key_row caps[] = {
    {"↑  ↓", "other key",
     .tips = {N_("The key with the next larger share (↑)."),
              N_("The key with the next smaller share (↓).")}},
    {"←  →", "step"},
    {"Home", "all steps", .tips = {N_("All steps on one page (Home).")}},
    {"S", "PNG"},
    {"Esc", "back", .tips = {N_("Back to the weights (Esc).")}},
    {"?", "keys"}};

static void draw_page(why_view *v, viz_canvas *canvas, viz_rect area)
{
    char fit[512];
    v->chain.count = 0;
    if (v->known && !v->stale && v->whole) {
        viz_chain chain = {.title = v->title,
                           .subtitle = v->subtitle,
                           .steps = &v->steps,
                           .explanation = &v->explanation,
                           .image = v->base.source->picture.image,
                           .names = &v->names};
        v->layout = (viz_page_layout){0};
        v->chain = viz_chain_lay(&chain, area);
        viz_chain_draw(&chain, &v->chain, canvas);
    } else if (v->known && !v->stale) {
        viz_page page = page_of(v);
        v->layout = viz_page_lay(&page, canvas, area);
        v->first = v->layout.rest ? v->layout.first : 0;
        viz_page_draw(&page, &v->layout, canvas);
    } else {
        const char *text =
            v->request.problem[0] ? v->request.problem : viz_word("taking it apart …");
        viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, area.w - 2 * VIZ_MARGIN, text, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, VIZ_BODY, area.x + area.w / 2, area.y + area.h / 2, VIZ_CENTER,
                 canvas->theme->text2, fit);
    }
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    why_view *v = why_of(view);
    viz_rect foot = {area.x, area.y + area.h - VIZ_FOOT, area.w, VIZ_FOOT};
    area.h -= VIZ_FOOT;
    draw_page(v, canvas, area);
    float margin = viz_page_margin(foot), right = foot.x + foot.w - margin;
    if (!v->known)
        v->layout.turns.count = 0;
    float x = viz_turns_draw_foot(&v->layout.turns, canvas, foot, margin);
    v->caps = viz_caps_layout(canvas, right, foot.y + 14, right - x - 16, caps,
                              sizeof caps / sizeof *caps);
    viz_caps_draw(canvas, &v->caps);
}

/* ---------------------------------------------------------------- as a figure */

static void draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    draw_page(why_of(view), canvas, area);
}

/* The page ends below its last line. */
static float figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    why_view *v = why_of(view);
    if (!v->known || v->stale || v->whole)
        return VIZ_FIGURE_HEIGHT * width;
    viz_page page = page_of(v);
    return viz_page_height(&page, canvas, width);
}

static viz_view *shown_view(const viz_view *view)
{
    return ((const why_view *)view)->of;
}

/* ---------------------------------------------------------------- events */

static bool turn_to_step(why_view *v, int step)
{
    int now = v->whole ? ALL_STEPS : current_step_index(v);
    if (!v->known || step < ALL_STEPS || step >= v->steps.count || step == now)
        return false;
    v->whole = step == ALL_STEPS;
    if (!v->whole)
        v->kind = v->steps.kind[step];
    v->first = 0;
    return true;
}

static bool scroll(why_view *v, int by)
{
    size_t before = v->first, step = (size_t)abs(by);
    if (!v->layout.rest)
        return false;
    v->first = by > 0 ? before + step : before > step ? before - step : 0;
    return v->first != before;
}

static bool press_turn_step(viz_view *view, viz_pressed pressed)
{
    why_view *v = why_of(view);
    int now = v->whole ? ALL_STEPS : current_step_index(v);
    return turn_to_step(v, pressed.what ? (pressed.step < 0 ? ALL_STEPS : v->steps.count - 1)
                                        : now + pressed.step);
}

static bool press_ask_next_key(viz_view *view, viz_pressed pressed)
{
    /* The key after this one by its share, or the one before it; around at the ends. */
    why_view *v = why_of(view);
    const sac_explanation *e = &v->explanation;
    const double *rank = e->dim ? e->masked : NULL;
    size_t here = v->subject.request.position, best = SIZE_MAX;
    if (!v->known || v->stale)
        return false;
    for (size_t j = 0; j < e->keys; j++) {
        double a = rank ? rank[j] : (double)e->weights[j];
        double mine = rank ? rank[here] : (double)e->weights[here];
        bool after = a < mine || (a == mine && j > here);
        if (j == here || after != (pressed.step > 0))
            continue;
        double b = best == SIZE_MAX ? 0 : rank ? rank[best] : (double)e->weights[best];
        bool nearer =
            best == SIZE_MAX || (pressed.step > 0 ? a > b : a < b || (a == b && j > best));
        best = nearer ? j : best;
    }
    return best != SIZE_MAX && ask_about_key(v, best);
}

static bool press_scroll_page(viz_view *view, viz_pressed pressed)
{
    return scroll(why_of(view), pressed.step * (int)why_of(view)->layout.shown);
}

static const viz_key_row keys[] = {
    {"←  →", "the step before, the next one", press_turn_step},
    {"Home  End", "all on one page, the last step", press_turn_step, true},
    {"↑  ↓", "the key with the next larger share, smaller", press_ask_next_key},
    {"click", "on a step, or on another key"},
    {"wheel", "through long rows"},
    {"PgUp  PgDn", "the same by pages", press_scroll_page},
    {"Esc", "back to the weights"},
    {NULL, NULL},
};

static bool press(why_view *v, float x, float y)
{
    viz_page page = page_of(v);
    if (!v->known || v->stale)
        return false;
    if (v->whole)
        return turn_to_step(v, viz_chain_hit(&v->chain, x, y));
    int step = viz_turns_hit(&v->layout.turns, x, y);
    if (step >= 0)
        return turn_to_step(v, step);
    size_t column = viz_page_column_at(&page, &v->layout, x, y);
    return column != SIZE_MAX && viz_why_is_of_keys(v->steps.kind[page.current]) &&
           ask_about_key(v, column);
}

static bool event(viz_view *view, const viz_event *e)
{
    why_view *v = why_of(view);
    if (e->kind == VIZ_KEY)
        return viz_keys_press(keys, view, e);
    if (e->kind == VIZ_PRESS)
        return e->button == 1 && press(v, e->x, e->y);
    if (e->kind == VIZ_WHEEL) {
        float by = e->wheel_x != 0 ? e->wheel_x : -e->wheel_y;
        return scroll(v, (int)(by > 0 ? ceilf(by) : floorf(by)));
    }
    return false;
}

/* ---------------------------------------------------------------- words and frames */

static void status(const viz_view *view, char *text, size_t size)
{
    const viz_view *of = ((const why_view *)view)->of;
    *text = '\0';
    if (of->class->status)
        of->class->status(of, text, size);
}

/* The settings of the view below it, and its own. */
static void describe(const viz_view *view, viz_put *put, void *user)
{
    const why_view *v = (const why_view *)view;
    char text[64];
    snprintf(text, sizeof text, "%zu %d", v->subject.request.position,
             v->whole ? ALL_STEPS : (int)v->kind);
    viz_view_describe(v->of, put, user);
    put(user, "why", text);
}

static int frames(const viz_view *view, int fps)
{
    return (int)(((const why_view *)view)->steps.count * STEP_SECONDS * fps);
}

static void frame(viz_view *view, int index, int fps)
{
    turn_to_step(why_of(view), (int)(index / (STEP_SECONDS * fps)));
}

static void destroy(viz_view *view)
{
    why_view *v = why_of(view);
    viz_why_steps_free(&v->steps);
    sac_explanation_free(&v->explanation);
    free(v->hidden);
    free(v);
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const why_view *v = (const why_view *)view;
    const viz_page_layout *l = &v->layout;
    viz_spots_add_caps(spots, &v->caps);
    if (!v->known || v->stale)
        return;
    for (int i = 0; i < v->chain.count; i++)
        viz_spots_add(spots, v->chain.links[i], VIZ_SPOT_PRESSES,
                      "This step, with all its numbers.");
    if (v->whole)
        return;
    viz_turns_spots(&l->turns, spots);
    const viz_page page = page_of(v);
    for (size_t i = 0; i < l->shown && viz_why_is_of_keys(v->steps.kind[current_step_index(v)]);
         i++)
        viz_spots_add(spots, viz_page_column(&page, l, i), VIZ_SPOT_PRESSES,
                      "Take the weight of this key apart.");
}

const viz_view_class viz_why_class = {.name = "why",
                                      .tab = "Why",
                                      .draw = draw,
                                      .figure = draw_figure,
                                      .figure_height = figure_height,
                                      .shows = shown_view,
                                      .event = event,
                                      .create_job = create_job,
                                      .run_job = run_job,
                                      .finish_job = finish_job,
                                      .status = status,
                                      .describe = describe,
                                      .keys = keys,
                                      .spots = add_spots,
                                      .about = "One weight, step by step.",
                                      .frames = frames,
                                      .frame = frame,
                                      .destroy = destroy};

sac_status viz_why_create(viz_view **why, sac_error *error)
{
    why_view *v = calloc(1, sizeof *v);
    *why = NULL;
    if (!v)
        return sac_no_memory(error, "why");
    v->base.class = &viz_why_class;
    *why = &v->base;
    return SAC_OK;
}
