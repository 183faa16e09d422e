/* The lesson view's table: what it asks for, and its settings in words. */
#include "lesson/lesson_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lesson/lesson_state.h"
#include "view/setting_io.h"

typedef struct lesson_job {
    viz_job base;
    sac_lesson_request request;
    int step; /* asked for before the lesson was known; 0: none was */
    sac_shown_lesson lesson;
} lesson_job;

/* ---------------------------------------------------------------- jobs */

static viz_job *lesson_want(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    if (!v->wanted.name[0] || !viz_request_due(&v->request, v->demand))
        return NULL;
    lesson_job *job = viz_job_create(&viz_lesson_class, sizeof *job);
    if (!job)
        return NULL;
    job->request = v->wanted;
    job->step = v->known ? 0 : v->step + 1;
    return viz_request_submit(&v->request, &job->base, v->demand);
}

static sac_status lesson_work(viz_view *view, viz_job *base, sac_error *error)
{
    lesson_job *job = viz_job_of(base, &viz_lesson_class);
    sac_status status = view->trace->teach(view->trace->self, &job->request, &job->lesson, error);
    int steps = job->lesson.step_count;
    if (status != SAC_OK || job->step <= steps)
        return status;
    sac_shown_lesson_free(&job->lesson);
    return sac_fail(error, SAC_E_ARGUMENT, "--step", NULL, "%s has steps 1 to %d",
                    job->request.name, steps);
}

static void lesson_take(viz_view *view, viz_job *base, const sac_error *error)
{
    lesson_view *v = lesson_of(view);
    lesson_job *job = viz_job_of(base, &viz_lesson_class);
    if (viz_request_take(&v->request, error)) {
        sac_shown_lesson_free(&v->lesson);
        sac_arithmetic_free(&v->arithmetic);
        v->lesson = job->lesson;
        v->known = true;
        v->lists = false;
        v->current = v->hovered = (lesson_cell){0};
        v->chosen = lesson_cell_named(v, v->cell_name);
        int last = v->lesson.step_count - 1;
        v->step = v->step > last ? last : v->step;
        if (v->quiz)
            lesson_ask(v);
    }
    free(job);
}

/* ---------------------------------------------------------------- settings in words */

static const char *const languages[SAC_LESSON_LANGUAGES] = {"en", "zh"};

/* "a=1 b=2" as " --set a=1 --set b=2". */
static size_t put_settings(const char *settings, char *text, size_t size)
{
    size_t used = 0;
    for (const char *at = settings; *at && used < size;) {
        size_t word = strcspn(at, " ");
        used += (size_t)snprintf(text + used, size - used, " --set %.*s", (int)word, at);
        at += word + (at[word] == ' ');
    }
    return used;
}

/* With quotes for a shell: ' is written '\\''. Returns the length. */
static size_t put_quoted(const char *option, const char *value, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s'", option);
    for (; *value && used < size; value++)
        used += (size_t)snprintf(text + used, size - used, *value == '\'' ? "'\\''" : "%c", *value);
    return used < size ? used + (size_t)snprintf(text + used, size - used, "'") : used;
}

static char *lesson_command(const viz_view *view, char *text, size_t size)
{
    const lesson_view *v = (const lesson_view *)view;
    const char *from = v->trace->origin.file;
    size_t used = (size_t)snprintf(text, size, "saccade lesson");
    if (v->wanted.name[0])
        used += (size_t)snprintf(text + used, size - used, " %s --step %d", v->wanted.name,
                                 v->step + 1);
    if (v->wanted.text[0])
        used += put_quoted(" --text ", v->wanted.text, text + used, size - used);
    used += put_settings(v->wanted.settings, text + used, size - used);
    if (v->cell_name[0] && used < size)
        used += (size_t)snprintf(text + used, size - used, " --cell %s", v->cell_name);
    if (v->quiz && used < size)
        used += (size_t)snprintf(text + used, size - used, " --quiz --seed %" PRIu64, v->quiz_seed);
    else if (v->wanted.seed_given && used < size)
        used += (size_t)snprintf(text + used, size - used, " --seed %" PRIu64, v->wanted.seed);
    if (v->language != SAC_IN_ENGLISH && used < size)
        used +=
            (size_t)snprintf(text + used, size - used, " --language %s", languages[v->language]);
    if (v->map && used < size)
        used += (size_t)snprintf(text + used, size - used, " --map %s", viz_colormap_name(v->map));
    if (v->codes && used < size)
        used += (size_t)snprintf(text + used, size - used, " --code");
    if (from[0] && used < size)
        snprintf(text + used, size - used, " --from '%s'", from);
    return text;
}

static void lesson_describe(const viz_view *view, viz_put *put, void *user)
{
    const lesson_view *v = (const lesson_view *)view;
    char command[LESSON_COMMAND];
    put(user, "view", view->class->name);
    put(user, "command", lesson_command(view, command, sizeof command));
    put(user, "from", v->trace->origin.file);
    put(user, "device", v->trace->origin.device);
    put(user, "version", SAC_VERSION);
    put(user, "lesson", v->wanted.name);
    put(user, "settings", v->wanted.settings);
    put(user, "text", v->wanted.text);
    put(user, "cell", v->cell_name);
    put(user, "language", languages[v->language]);
    put(user, "map", viz_colormap_name(v->map));
    put(user, "code", v->codes ? "yes" : "no");
    viz_put_whole(put, user, "step", v->step + 1);
    if (v->quiz)
        viz_put_whole(put, user, "quiz", (long long)v->quiz_seed);
    if (v->wanted.seed_given)
        viz_put_whole(put, user, "seed", (long long)v->wanted.seed);
}

static void restore_text(lesson_view *v, char *to, size_t size, const char *value)
{
    v->demand += strcmp(to, value) != 0;
    snprintf(to, size, "%s", value);
}

static void lesson_restore(viz_view *view, const char *key, const char *value)
{
    lesson_view *v = lesson_of(view);
    viz_colormap map;
    if (!strcmp(key, "lesson")) {
        v->step = strcmp(v->wanted.name, value) ? 0 : v->step;
        restore_text(v, v->wanted.name, sizeof v->wanted.name, value);
    } else if (!strcmp(key, "settings")) {
        restore_text(v, v->wanted.settings, sizeof v->wanted.settings, value);
    } else if (!strcmp(key, "text")) {
        restore_text(v, v->wanted.text, sizeof v->wanted.text, value);
    } else if (!strcmp(key, "cell")) {
        snprintf(v->cell_name, sizeof v->cell_name, "%s", value);
        v->chosen = v->known ? lesson_cell_named(v, value) : (lesson_cell){0};
    } else if (!strcmp(key, "step")) {
        v->step = atoi(value) > 0 ? atoi(value) - 1 : 0;
        if (v->known && v->step >= v->lesson.step_count)
            v->step = v->lesson.step_count - 1;
    } else if (!strcmp(key, "language")) {
        v->language = !strcmp(value, languages[SAC_IN_CHINESE]) ? SAC_IN_CHINESE : SAC_IN_ENGLISH;
    } else if (!strcmp(key, "map")) {
        if (viz_colormap_from_name(value, &map) && map < VIZ_DIVERGING)
            v->map = map;
    } else if (!strcmp(key, "code")) {
        v->codes = !strcmp(value, "yes");
    } else if (!strcmp(key, "figure")) {
        v->figure = !strcmp(value, "yes");
    } else if (!strcmp(key, "quiz")) {
        v->quiz = value[0];
        v->quiz_seed = strtoull(value, NULL, 10);
        if (v->quiz && v->known)
            lesson_ask(v);
    } else if (!strcmp(key, "pages")) {
        v->all_pages = !strcmp(value, "all");
    } else if (!strcmp(key, "seed")) {
        v->wanted.seed = strtoull(value, NULL, 10);
        v->wanted.seed_given = true;
        v->demand++;
    }
}

static void lesson_status(const viz_view *view, char *text, size_t size)
{
    const lesson_view *v = (const lesson_view *)view;
    snprintf(text, size, "%s%s%s", v->wanted.name, v->wanted.name[0] ? "  ·  " : "",
             v->trace->origin.device);
}

/* The number of the door that a person opened, once, among those of all its steps. */
static int lesson_choose_door(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    int chosen = v->opens ? (int)(v->opens - v->trace->doors) : -1;
    v->opens = NULL;
    return chosen;
}

/* ---------------------------------------------------------------- frames */

static bool lesson_typing(const viz_view *view)
{
    const lesson_view *v = (const lesson_view *)view;
    return v->known && !v->lists && (lesson_asks(v) || v->writes);
}

static bool lesson_whole(const viz_view *view)
{
    return ((const lesson_view *)view)->figure;
}

static int lesson_pages(const viz_view *view)
{
    const lesson_view *v = (const lesson_view *)view;
    return v->quiz ? 2 : v->all_pages ? v->lesson.step_count : 1;
}

static void lesson_turn_to(viz_view *view, int page)
{
    lesson_view *v = lesson_of(view);
    if (v->quiz)
        v->answered = page > 0; /* the worksheet, and its key */
    else if (lesson_pages(view) > 1)
        lesson_turn(v, page);
}

static int lesson_frames(const viz_view *view, int fps)
{
    return (int)(((const lesson_view *)view)->lesson.step_count * LESSON_STEP_SECONDS * fps);
}

static void lesson_frame(viz_view *view, int index, int fps)
{
    lesson_turn(lesson_of(view), (int)(index / (LESSON_STEP_SECONDS * fps)));
}

/* ---------------------------------------------------------------- the class */

static bool lesson_accepts(const sac_trace *trace)
{
    return trace->teach;
}

static void lesson_destroy(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    sac_shown_lesson_free(&v->lesson);
    sac_arithmetic_free(&v->arithmetic);
    free(v);
}

static sac_status lesson_create(sac_trace *trace, viz_view *beside, viz_view **view,
                                sac_error *error)
{
    (void)beside;
    return viz_lesson_view_create(trace, view, error);
}

static const char *const lesson_undoes[] = {"settings", "text", "cell", "seed", NULL};

static const viz_key_help lesson_keys[] = {
    {"←  →", "the step before, the next one"},
    {"PgUp  PgDn", "the same, as a clicker has them"},
    {"space", "the next step"},
    {"Home  End", "the first step, the last"},
    {"↑  ↓", "the number above, below"},
    {"ctrl ←  ctrl →", "the number to the left, to the right"},
    {"pointer", "the arithmetic of a number"},
    {"click", "keep that number, turn to a step"},
    {"ctrl L", "a sentence of your own; ctrl V pastes it"},
    {"#", "the lines of PyTorch of this step, which are copied"},
    {"M", "the colours of shares"},
    {"F", "the list of all lessons"},
    {"N  P", "the next door of the closing lesson, the one before"},
    {"Return", "open the marked door"},
    {"drag", "a slider, or a number that the lesson begins with"},
    {"ctrl R", "the lesson's own numbers again"},
    {"wheel", "through the steps"},
    {"ctrl C", "copy the command that shows this"},
    {NULL, NULL},
};

const viz_view_class viz_lesson_class = {
    .name = "lesson",
    .tab = "Lesson",
    .about = "An idea of attention, step by step, each number with its arithmetic.",
    .accepts = lesson_accepts,
    .create = lesson_create,
    .draw = lesson_draw,
    .event = lesson_event,
    .want = lesson_want,
    .work = lesson_work,
    .take = lesson_take,
    .status = lesson_status,
    .choose = lesson_choose_door,
    .describe = lesson_describe,
    .restore = lesson_restore,
    .undoes = lesson_undoes,
    .keys = lesson_keys,
    .spots = lesson_spots,
    .typing = lesson_typing,
    .whole = lesson_whole,
    .table = lesson_table,
    .table_name = lesson_table_name,
    .table_row = lesson_table_row,
    .command = lesson_command,
    .copied = lesson_code_copied,
    .pages = lesson_pages,
    .turn_to = lesson_turn_to,
    .frames = lesson_frames,
    .frame = lesson_frame,
    .destroy = lesson_destroy,
};

sac_status viz_lesson_view_create(sac_trace *trace, viz_view **view, sac_error *error)
{
    lesson_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_fail(error, SAC_E_MEMORY, "lesson", NULL, "no memory for the view");
    v->base = (viz_view){.class = &viz_lesson_class, .trace = trace};
    v->trace = trace;
    v->wanted = trace->lesson;
    v->demand = 1;
    v->dragged = -1;
    v->lists = !v->wanted.name[0];
    *view = &v->base;
    return SAC_OK;
}
