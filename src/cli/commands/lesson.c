/* saccade lesson: an idea of attention in steps, each number with its arithmetic. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text/numbers.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "base/text/utf8.h"
#include "canvas/colormap.h"
#include "cli/cli.h"
#include "cli/commands/view.h"
#include "cli/json.h"
#include "lessons/engine/graph.h"
#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"
#include "parts/playback/pace.h"
#include "saccade_arrays.h"
#include "view/words.h"

/* The options, as they were given. */
typedef struct request {
    const sac_lesson_class *class;
    const char *name, *from, *text, *npz, *cell, *device, *language_name, *map, *pace, *shown;
    cli_list settings; /* NAME=VALUE */
    int step;          /* from 1; 0: all */
    bool quiz, code, json, terminal, presents, seed_given;
    uint64_t seed;
    sac_locale language;
    cli_drawing drawing;
} request;

static int read_options(cli_args args, request *r)
{
    int files;
    r->drawing.types = CLI_PICTURES | CLI_PAGES | CLI_TABLES;
    r->drawing.what =
        "the page as a picture (without --step a .pdf has all steps), the lesson for a browser "
        "(without NAME all lessons), the arrays, or what --json prints";
    r->drawing.npz = &r->npz;
    r->drawing.json = &r->json;
    const cli_option own[] = {
        {"--step", CLI_WHOLE, &r->step, NULL, "K", "only step K, from 1"},
        {"--set", CLI_LIST, &r->settings, NULL, "X=V",
         "set a parameter, or a cell of an array (query,0,1=2.5); may be repeated"},
        {"--cell", CLI_TEXT, &r->cell, NULL, "NAME,I,J", "print the arithmetic of one number"},
        {"--from", CLI_TEXT, &r->from, NULL, "F",
         "arrays that replace the lesson's, by name: up to 12 rows of 16 numbers; or a picture"},
        {"--text", CLI_TEXT, &r->text, NULL, "TEXT",
         "sentence of up to 12 words that replaces the lesson's"},
        {"--code", CLI_FLAG, &r->code, NULL, NULL, "also show each step in PyTorch"},
        {"--pace", CLI_TEXT, &r->pace, NULL, "P",
         "pace of what moves from step to step: still, slow, usual or fast"},
        {"--map", CLI_TEXT, &r->map, NULL, "M", "colour map: inferno, viridis or cividis"},
        {"--show", CLI_TEXT, &r->shown, NULL, "W",
         "of a step with a drawing: both, drawing or numbers"},
        {"--quiz", CLI_FLAG, &r->quiz, NULL, NULL,
         "ask a question; as a .pdf: a worksheet of several and its key, on A4 unless --paper is "
         "given"},
        {"--seed", CLI_SEED, &r->seed, &r->seed_given, "N",
         "torch.manual_seed of a lesson with weights; with --quiz the number of the question"},
        {"--language", CLI_TEXT, &r->language_name, NULL, "L",
         "en or zh (default: that of LC_ALL, LC_MESSAGES or LANG, else en)"},
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICE_HELP},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, CLI_JSON_HELP},
        {"--terminal", CLI_FLAG, &r->terminal, NULL, NULL,
         "print text even where a window could open"},
        {"--present", CLI_FLAG, &r->presents, NULL, NULL, CLI_PRESENT_HELP},
        {NULL},
    };
    return cli_parse_drawing(args, own, &r->drawing, &r->name, 1, &files);
}

static int read_request(cli_args args, request *r)
{
    viz_colormap map;
    viz_pace pace;
    int status = read_options(args, r);
    if (status != CLI_DONE)
        return status;
    r->language = viz_language();
    if (r->language_name && !sac_locale_from_name(r->language_name, &r->language))
        return cli_usage("--language", "unknown language", "give en or zh");
    viz_set_language(r->language);
    if (r->map && (!viz_colormap_from_name(r->map, &map) || map >= VIZ_DIVERGING))
        return cli_usage("--map", "unknown colour map", "give inferno, viridis or cividis");
    bool is_shown = !r->shown || !strcmp(r->shown, "both") || !strcmp(r->shown, "drawing") ||
                    !strcmp(r->shown, "numbers");
    if (!is_shown)
        return cli_usage("--show", "unknown part of a step", "give both, drawing or numbers");
    if (r->pace && !viz_pace_from_name(r->pace, &pace))
        return cli_usage("--pace", "unknown pace", "give still, slow, usual or fast");
    if (r->name && !(r->class = sac_lesson_find(r->name))) {
        char remedy[160] = "see `saccade lesson` for a list";
        sac_suggestion suggestion = {.word = r->name};
        for (int i = 0; sac_lessons[i]; i++)
            sac_suggestion_try(&suggestion, sac_lessons[i]->name);
        if (sac_suggestion_get(&suggestion))
            snprintf(remedy, sizeof remedy, "did you mean %s?", sac_suggestion_get(&suggestion));
        return cli_usage(r->name, "unknown lesson", remedy);
    }
    if (r->quiz && !r->name && !cli_drawing_has(&r->drawing, CLI_BIT(CLI_PDF)))
        return cli_usage("--quiz", "asks about one lesson",
                         "name it, or add --out FILE.pdf for worksheets of all");
    return CLI_DONE;
}

/* ---------------------------------------------------------------- for people */

/* 0 for what rounding left of it. */
static char *cell_text(const sac_small_array *array, size_t cell, char *text, size_t size)
{
    float value = array->numbers[cell];
    return sac_number_text(fabsf(value) < array->noise ? 0 : (double)value, text, size);
}

static void print_array(const sac_small_array *array)
{
    char text[64];
    sac_extent e = sac_small_extent(array->shape);
    int width = 0;
    sac_print(stdout, "  %s %s\n", array->name,
              sac_small_shape_text(array->shape, text, sizeof text));
    for (size_t i = 0; i < sac_small_count(array->shape); i++) {
        int columns = (int)sac_utf8_length(cell_text(array, i, text, sizeof text));
        width = columns > width ? columns : width;
    }
    for (size_t row = 0; row < e.batch * e.rows; row++) {
        if (row && row % e.rows == 0)
            putchar('\n');
        sac_print(stdout, "   ");
        for (size_t c = 0; c < e.columns; c++) {
            cell_text(array, row * e.columns + c, text, sizeof text);
            sac_print(stdout, " %*s%s", width - (int)sac_utf8_length(text), "", text);
        }
        putchar('\n');
    }
}

static void print_step(const request *r, const sac_lesson *lesson, int index)
{
    const sac_lesson_step *step = &lesson->steps[index];
    sac_print(stdout, "\n%d  %s    %s\n%s\n", index + 1, sac_translate(r->language, step->name),
              step->formula ? step->formula : "", sac_translate(r->language, step->sentence));
    if (r->code && step->code) {
        const char *code = step->code;
        for (size_t length; *code; code += length + (code[length] == '\n')) {
            length = strcspn(code, "\n");
            sac_print(stdout, "    %.*s\n", (int)length, code);
        }
    }
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++)
        print_array(&lesson->graph.arrays[step->arrays[i] - 1]);
    if (step->notice)
        sac_print(stdout, "%s\n", sac_translate(r->language, step->notice));
}

/* ---------------------------------------------------------------- for programs */

/* JSON has no ∞ and no NaN: they are texts. */
static cJSON *number_json(float value)
{
    if (isfinite(value))
        return cli_json_real(value);
    return cJSON_CreateString(isnan(value) ? "NaN" : value < 0 ? "-inf" : "inf");
}

/* The array's numbers as nested lists of its shape, from dimension d on. */
static cJSON *numbers_json(const sac_small_array *array, int d, const float **next)
{
    if (d == SAC_GRAPH_RANK || d == array->shape.rank)
        return number_json(*(*next)++);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < array->shape.n[d]; i++)
        cJSON_AddItemToArray(list, numbers_json(array, d + 1, next));
    return list;
}

static cJSON *step_json(const sac_lesson *lesson, int index, sac_locale language)
{
    const sac_lesson_step *step = &lesson->steps[index];
    cJSON *json = cJSON_CreateObject(), *arrays = cJSON_AddObjectToObject(json, "arrays");
    cJSON_AddNumberToObject(json, "step", index + 1);
    cJSON_AddStringToObject(json, "name", sac_translate(language, step->name));
    cJSON_AddStringToObject(json, "sentence", sac_translate(language, step->sentence));
    cJSON_AddStringToObject(json, "formula", step->formula ? step->formula : "");
    if (step->notice)
        cJSON_AddStringToObject(json, "notice", sac_translate(language, step->notice));
    if (step->code)
        cJSON_AddStringToObject(json, "code", step->code);
    for (int i = 0; i < SAC_STEP_ARRAYS && step->arrays[i]; i++) {
        const sac_small_array *array = &lesson->graph.arrays[step->arrays[i] - 1];
        const float *next = array->numbers;
        cJSON_AddItemToObject(arrays, array->name, numbers_json(array, 0, &next));
    }
    return json;
}

/* All steps, or where `only` is not 0 that one, from 1 on. */
static cJSON *lesson_json(const sac_lesson *lesson, int only, sac_locale language)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "lesson", lesson->class->name);
    cJSON_AddStringToObject(json, "title", sac_translate(language, lesson->class->title));
    cJSON *parameters = cJSON_AddObjectToObject(json, "parameters");
    const sac_lesson_parameter *p = lesson->class->parameters;
    for (int i = 0; p && p[i].name; i++)
        cJSON_AddItemToObject(parameters, p[i].name, cli_json_real(lesson->values[i]));
    cJSON *steps = cJSON_AddArrayToObject(json, "steps");
    for (int i = 0; i < lesson->step_count; i++)
        if (!only || only == i + 1)
            cJSON_AddItemToArray(steps, step_json(lesson, i, language));
    return json;
}

static cJSON *index_json(sac_small_shape shape, size_t cell)
{
    cJSON *index = cJSON_CreateArray();
    size_t at[SAC_GRAPH_RANK] = {0};
    for (int d = shape.rank; d-- > 0; cell /= shape.n[d])
        at[d] = cell % shape.n[d];
    for (int d = 0; d < shape.rank; d++)
        cJSON_AddItemToArray(index, cJSON_CreateNumber((double)at[d]));
    return index;
}

static cJSON *cell_json(const sac_lesson *lesson, sac_node node, size_t cell,
                        const sac_arithmetic *arithmetic)
{
    const sac_small_array *array = &lesson->graph.arrays[node - 1];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "array", array->name);
    cJSON_AddItemToObject(json, "index", index_json(array->shape, cell));
    cJSON_AddItemToObject(json, "value", number_json(arithmetic->value));
    cJSON_AddStringToObject(json, "operation", sac_operation_name(array->operation));
    cJSON_AddStringToObject(json, "expression", arithmetic->expression);
    cJSON *operands = cJSON_AddArrayToObject(json, "operands");
    for (size_t i = 0; i < arithmetic->count; i++) {
        const sac_small_array *from = &lesson->graph.arrays[arithmetic->operands[i].array - 1];
        cJSON *operand = cJSON_CreateObject();
        cJSON_AddStringToObject(operand, "array", from->name);
        cJSON_AddItemToObject(operand, "index",
                              index_json(from->shape, arithmetic->operands[i].cell));
        cJSON_AddItemToObject(operand, "value",
                              number_json(from->numbers[arithmetic->operands[i].cell]));
        cJSON_AddItemToArray(operands, operand);
    }
    return json;
}

static cJSON *question_json(const sac_lesson *lesson, const sac_asked *asked, sac_locale language)
{
    char text[512];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "lesson", lesson->class->name);
    cJSON_AddNumberToObject(json, "step", asked->question->step + 1);
    cJSON_AddStringToObject(json, "question",
                            sac_asked_text(lesson, asked, language, text, sizeof text));
    cJSON_AddStringToObject(json, "array", lesson->graph.arrays[asked->question->array - 1].name);
    cJSON *choices = asked->choice_count ? cJSON_AddArrayToObject(json, "choices") : NULL;
    for (int i = 0; i < asked->choice_count; i++)
        cJSON_AddItemToArray(choices, cJSON_CreateString(sac_choice_text(lesson, asked, i, language,
                                                                         text, sizeof text)));
    cJSON_AddItemToObject(json, "answer", number_json(asked->answer));
    cJSON_AddStringToObject(json, "why", sac_translate(language, asked->question->why));
    return json;
}

/* ---------------------------------------------------------------- the command */

static sac_status print_json(cJSON *json, sac_error *error)
{
    sac_status status = cli_print_json_line(json ? cJSON_Print(json) : NULL, "lesson", error);
    cJSON_Delete(json);
    return status;
}

static sac_status find_cell(const sac_lesson *lesson, const char *text, sac_node *node,
                            size_t *cell, sac_error *error)
{
    sac_lesson_edit at = {0};
    char shape[64];
    if (!sac_lesson_read_cell(text, strlen(text), &at))
        return sac_fail(error, SAC_E_ARGUMENT, "--cell", "give NAME,ROW,COLUMN",
                        "\"%.60s\" is not the name of a cell", text);
    *node = sac_graph_find(&lesson->graph, at.array);
    sac_small_shape is = sac_node_shape(&lesson->graph, *node);
    if (!*node)
        return sac_fail(error, SAC_E_ARGUMENT, "--cell", "`saccade lesson NAME` prints its arrays",
                        "the lesson has no array %s", at.array);
    bool inside = at.rank == is.rank;
    *cell = 0;
    for (int d = 0; d < is.rank && inside; d++) {
        inside = at.at[d] < is.n[d];
        *cell = *cell * is.n[d] + at.at[d];
    }
    return inside ? SAC_OK
                  : sac_fail(error, SAC_E_ARGUMENT, "--cell",
                             "give one index per dimension, from 0", "%s has the shape %s",
                             at.array, sac_small_shape_text(is, shape, sizeof shape));
}

static sac_status print_cell(const request *r, const sac_lesson *lesson, sac_error *error)
{
    sac_node node = 0;
    size_t cell = 0;
    sac_arithmetic arithmetic = {0};
    sac_status status = find_cell(lesson, r->cell, &node, &cell, error);
    if (status == SAC_OK)
        status = sac_arithmetic_of(&lesson->graph, node, cell,
                                   r->json ? SAC_FOR_PROGRAMS : SAC_FOR_PEOPLE, &arithmetic, error);
    if (status == SAC_OK && r->json)
        status = print_json(cell_json(lesson, node, cell, &arithmetic), error);
    else if (status == SAC_OK && arithmetic.relation == SAC_GIVEN)
        sac_print(stdout, "%s = %s\n", r->cell, arithmetic.result);
    else if (status == SAC_OK)
        sac_print(stdout, "%s%s%s %s %s\n", r->cell,
                  arithmetic.relation == SAC_GIVES ? ": " : " = ", arithmetic.expression,
                  sac_lesson_relation_sign(arithmetic.relation), arithmetic.result);
    sac_arithmetic_free(&arithmetic);
    return status;
}

static sac_status print_question(const request *r, const sac_lesson *lesson, sac_error *error)
{
    sac_asked asked;
    if (!sac_lesson_pick_one_question(lesson, r->seed, &asked))
        return sac_fail(error, SAC_E_ARGUMENT, lesson->class->name, "choose another lesson",
                        "has no questions");
    if (r->json)
        return print_json(question_json(lesson, &asked, r->language), error);
    char text[512];
    sac_asked_text(lesson, &asked, r->language, text, sizeof text);
    sac_print(stdout, "%s\n", text);
    for (int i = 0; i < asked.choice_count; i++)
        sac_print(stdout, "  %c  %s\n", 'a' + i,
                  sac_choice_text(lesson, &asked, i, r->language, text, sizeof text));
    if (asked.choice_count)
        snprintf(text, sizeof text, "%c", 'a' + (int)asked.answer);
    else
        sac_number_text((double)asked.answer, text, sizeof text);
    sac_print(stdout, "%s. %s\n", text, sac_translate(r->language, asked.question->why));
    return SAC_OK;
}

static sac_status print(const request *r, const sac_lesson *lesson, sac_error *error)
{
    const sac_graph *graph = &lesson->graph;
    sac_named_array named[SAC_GRAPH_ARRAYS];
    sac_array views[SAC_GRAPH_ARRAYS];
    for (int i = 0; r->npz && i < graph->count; i++) {
        const sac_small_array *array = &graph->arrays[i];
        views[i] = sac_array_view(SAC_F32, array->shape.rank, array->shape.n, array->numbers);
        named[i] = (sac_named_array){array->name, &views[i]};
    }
    sac_status status = r->npz ? sac_npz_save(r->npz, named, (size_t)graph->count, error) : SAC_OK;
    if (status == SAC_OK && (r->step < 0 || r->step > lesson->step_count))
        return sac_fail(error, SAC_E_ARGUMENT, "--step", NULL, "%s has steps 1 to %d",
                        lesson->class->name, lesson->step_count);
    if (status != SAC_OK)
        return status;
    if (r->cell)
        return print_cell(r, lesson, error);
    if (r->quiz)
        return print_question(r, lesson, error);
    if (r->json)
        return print_json(lesson_json(lesson, r->step, r->language), error);
    sac_print(stdout, "%s: %s\n", sac_translate(r->language, lesson->class->title),
              sac_translate(r->language, lesson->class->summary));
    for (int i = 0; i < lesson->step_count; i++)
        if (!r->step || r->step == i + 1)
            print_step(r, lesson, i);
    return SAC_OK;
}

static sac_status run(const request *r, sac_lesson *lesson, sac_error *error)
{
    sac_device *device = NULL;
    sac_own_file own = {0};
    sac_status status = SAC_OK;
    for (int i = 0; i < r->settings.count && status == SAC_OK; i++)
        status = sac_lesson_set(lesson, r->settings.values[i], error);
    if (status == SAC_OK && r->from)
        status = sac_own_file_open(r->from, &own, error);
    if (status == SAC_OK && r->text)
        status = sac_lesson_read_sentence(lesson, r->text, error);
    lesson->own = own.arrays;
    lesson->picture = own.picture.rgba ? &own.picture : NULL;
    if (status == SAC_OK)
        status = sac_device_open(r->device, &device, error);
    if (status == SAC_OK)
        status = sac_lesson_compute(lesson, device, error);
    if (status == SAC_OK && r->quiz)
        status = sac_lesson_add_questions(lesson, device, error);
    if (status == SAC_OK)
        status = print(r, lesson, error);
    sac_device_close(device);
    sac_own_file_close(&own);
    return status;
}

/* ---------------------------------------------------------------- the window, and pictures */

/* A person at a display sees the lesson; a pipe gets its text. The output is for a program or a file where it is a
 * pipe, or a file of its own. A launcher gives the program no terminal either, but a device, a socket, or the log of
 * the session, for output and errors alike. */
static bool wants_view(const request *r)
{
    struct stat out, error;
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    bool display = (x11 && x11[0]) || (wayland && wayland[0]), is_read_on = false;
    bool text = r->terminal || r->json || r->code || r->npz;
    if (!isatty(STDOUT_FILENO) && fstat(STDOUT_FILENO, &out) == 0) {
        bool same = fstat(STDERR_FILENO, &error) == 0 && out.st_dev == error.st_dev &&
                    out.st_ino == error.st_ino;
        is_read_on = S_ISFIFO(out.st_mode) || (S_ISREG(out.st_mode) && !same);
    }
    return cli_drawing_wanted(&r->drawing) || (!text && (r->presents || (display && !is_read_on)));
}

static int show_view(request *r)
{
    char step[16], quiz[32];
    const cli_drawing *d = &r->drawing;
    sac_lessons_options lessons = {.from = r->from};
    app_request open = {.lesson = &lessons, .device = r->device};
    sac_lesson_request *lesson = &lessons.lesson;
    app_view_option settings[] = {{"step", r->step ? step : NULL},
                                  {"cell", r->cell},
                                  {"language", r->language_name},
                                  {"pages", r->step ? "one" : "all"},
                                  {"quiz", r->quiz ? quiz : NULL},
                                  {"code", r->code ? "yes" : NULL},
                                  {"map", r->map},
                                  {"pace", r->pace},
                                  {"shown", r->shown}};
    snprintf(lesson->name, sizeof lesson->name, "%s", r->name ? r->name : "");
    snprintf(step, sizeof step, "%d", r->step);
    snprintf(quiz, sizeof quiz, "%" PRIu64, r->seed);
    snprintf(lesson->text, sizeof lesson->text, "%s", r->text ? r->text : "");
    lesson->seed = r->seed;
    lesson->seed_given = r->seed_given && !r->quiz;
    if (!d->as_window && !d->paper_text && !d->size_text && !d->width_text)
        viz_export_set_paper(&r->drawing.size, "a4");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].value)
            open.settings[open.setting_count++] = settings[i];
    open.windowless = cli_drawing_wanted(&r->drawing);
    if (r->presents)
        r->drawing.size.theme = viz_theme_presented(r->drawing.size.theme);
    /* The settings in one line, as the view has them. */
    size_t used = 0;
    for (int i = 0; i < r->settings.count && used < sizeof lesson->settings; i++)
        used += (size_t)snprintf(lesson->settings + used, sizeof lesson->settings - used, "%s%s",
                                 i ? " " : "", r->settings.values[i]);
    int status = used < sizeof lesson->settings
                     ? CLI_DONE
                     : cli_usage("--set", "is given too often", "give the numbers with --from");
    return status == CLI_DONE ? cli_view_window(&open, &r->drawing) : status;
}

static int run_lesson(cli_args args)
{
    request r = {0};
    sac_error error = {0};
    int parsed = read_request(args, &r);
    if (parsed != CLI_DONE)
        return parsed < 0 ? CLI_DONE : parsed;
    if (wants_view(&r))
        return show_view(&r);
    if (!r.class) {
        for (int i = 0; sac_lessons[i]; i++) {
            const char *group = sac_lesson_opened_group_name(sac_lessons[i]);
            if (group)
                sac_print(stdout, "%s%s\n", i ? "\n" : "", sac_translate(r.language, group));
            sac_print(stdout, "  %-24s  %s\n", sac_lessons[i]->name,
                      sac_translate(r.language, sac_lessons[i]->summary));
        }
        return CLI_DONE;
    }
    sac_lesson *lesson = calloc(1, sizeof *lesson);
    if (!lesson)
        return cli_report(
            &(sac_error){.status = SAC_E_MEMORY, .where = "lesson", .what = "out of memory"});
    sac_lesson_begin(lesson, r.class);
    if (r.seed_given && !r.quiz)
        lesson->seed = r.seed;
    sac_status status = run(&r, lesson, &error);
    sac_lesson_clear(lesson);
    free(lesson);
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_lesson = {
    "lesson", "[NAME] [OPTIONS]",
    "step through a lesson on attention; every number shows its arithmetic", run_lesson};
