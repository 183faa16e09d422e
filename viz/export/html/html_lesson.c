/* Lessons as a page that computes them (graph.js): the recipe of each, and the words around them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "canvas/colormap.h"
#include "export/html/html_parts.h"
#include "view/settings.h"
#include "view/words.h"

/* What the view shows. */
typedef struct shown_lesson {
    sac_lesson_request request;
    char step[16], quiz[24], code[8], part[16], pace[16], cell[64];
    viz_colormap map;
} shown_lesson;

static void read_setting(void *user, const char *key, const char *value)
{
    shown_lesson *s = user;
    const struct {
        const char *key;
        char *to;
        size_t size;
    } texts[] = {{"lesson", s->request.name, sizeof s->request.name},
                 {"settings", s->request.settings, sizeof s->request.settings},
                 {"text", s->request.text, sizeof s->request.text},
                 {"step", s->step, sizeof s->step},
                 {"quiz", s->quiz, sizeof s->quiz},
                 {"code", s->code, sizeof s->code},
                 {"shown", s->part, sizeof s->part},
                 {"pace", s->pace, sizeof s->pace},
                 {"cell", s->cell, sizeof s->cell}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0)
            snprintf(texts[i].to, texts[i].size, "%s", value);
    if (strcmp(key, "map") == 0)
        viz_colormap_from_name(value, &s->map);
    if (strcmp(key, "seed") == 0) {
        s->request.seed = strtoull(value, NULL, 10);
        s->request.seed_given = true;
    }
}

/* The words that the page's program asks for, in the language of the window. */
static void put_words(FILE *file)
{
    static const char *const words[] = {
        N_("Lessons"),
        N_("light or dark"),
        N_("steps"),
        N_("‹  Step before"),
        N_("Next step  ›"),
        N_("Next: %s  ›"),
        N_("Quiz"),
        N_("Another quiz"),
        N_("Next question  ›"),
        N_("question %d of %d  ·  %d right"),
        N_("right"),
        N_("not right"),
        N_("Answer"),
        N_("column %d"),
        N_("settings"),
        N_("reset"),
        N_("the same in PyTorch"),
        N_("Point at a number: what it is made of is marked, and its arithmetic stands here."),
        N_("given"),
        N_("embedding"),
        N_("+ position"),
        N_("attention"),
        N_("1: all words"),
        N_("2: earlier words"),
        N_("3: the memory"),
        N_("norm"),
        N_("feed-forward"),
        N_("each word"),
        N_("softmax"),
        N_("next word"),
        N_("encoder"),
        N_("decoder"),
        N_("memory"),
        N_("%d × %d numbers"),
        N_("Arrow keys go from step to step, or from number to number where one has the focus."),
    };
    fputs(",\n\"words\":{", file);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fputs(i ? ",\n" : "", file);
        sac_write_json_text(file, words[i]);
        fputc(':', file);
        sac_write_json_text(file, viz_word(words[i]));
    }
    fputc('}', file);
}

static void put_lesson_colors(FILE *file, viz_colormap map)
{
    static const viz_theme *const themes[] = {&viz_theme_dark, &viz_theme_light};
    fputs(",\n\"colors\":{", file);
    for (int i = 0; i < 2; i++) {
        fprintf(file, "%s\"%s\":{", i ? ",\n" : "", themes[i]->light ? "light" : "dark");
        viz_html_put_colors(file, "shares", viz_map_colors(themes[i], map));
        fputc(',', file);
        viz_html_put_colors(file, "signed", viz_map_colors(themes[i], VIZ_DIVERGING));
        fputc('}', file);
    }
    fputc('}', file);
}

static void put_start(FILE *file, const shown_lesson *s, bool light)
{
    const char *texts[][2] = {{"step", s->step},
                              {"quiz", s->quiz},
                              {"code", strcmp(s->code, "yes") == 0 ? s->code : ""},
                              {"part", s->part},
                              {"pace", s->pace},
                              {"cell", s->cell},
                              {"theme", light ? "light" : ""}};
    fputs(",\n\"start\":{", file);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(file, "%s\"%s\":", i ? "," : "", texts[i][0]);
        sac_write_json_text(file, texts[i][1]);
    }
    fputc('}', file);
}

sac_status viz_html_put_lessons(FILE *file, viz_view *view, bool light, sac_error *error)
{
    const sac_lesson_source *lessons = &view->source->lesson;
    shown_lesson s = {.map = VIZ_INFERNO};
    sac_status status = SAC_OK;
    int put = 0;
    viz_view_describe(view, read_setting, &s);
    bool all = !s.request.name[0];
    fputs(viz_html_lesson_head, file);
    fputs("<script type=\"application/json\" id=\"data\">{\"made\":\"Saccade " SAC_VERSION "\"",
          file);
    fprintf(file, ",\n\"language\":\"%s\"", sac_locale_names[viz_language()]);
    put_start(file, &s, light);
    put_words(file);
    put_lesson_colors(file, s.map);
    fputs(",\n\"lessons\":[", file);
    for (int i = 0; i < lessons->entry_count && status == SAC_OK; i++) {
        const char *name = lessons->entries[i].name;
        if (!all && strcmp(name, s.request.name) != 0)
            continue;
        fputs(put++ ? ",\n" : "\n", file);
        snprintf(s.request.name, sizeof s.request.name, "%s", name);
        status = lessons->write_recipe(view->source->self, &s.request, viz_language(), file, error);
    }
    fputs("]}</script>\n", file);
    fputs(viz_html_lesson_tail, file);
    return status;
}
