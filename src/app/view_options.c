/* The options that are given on to views: those of the rows of their settings, and their checks. */

#include "app/view_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/text/suggestion.h"
#include "classes/views.h"

/* What no view has, or what means more than its setting: a document is opened by it. */
static const viz_setting of_documents[] = {
    {"cells", VIZ_INDEX,
     VIZ_OPTION("--cells", "N",
                "cells on the longer side of a picture; with --grid the column where cells begin")},
    {"compared with", .form = "additive, scaled-dot or bilinear",
     VIZ_OPTION("--compare", "M", "second captioner, next to the first")},
    {"storage", VIZ_CHOICE, VIZ_NAMES(sac_model_storage_names),
     VIZ_OPTION("--storage", "HOW", "how a folder's model is stored and multiplied")},
    {0},
};

/* The rows of a table that have an option of their own, behind those that are there. */
static int collect_options(const viz_setting *table, const viz_setting **rows, int count)
{
    for (const viz_setting *s = table; s->name || s->save; s++) {
        bool known = !s->option;
        for (int i = 0; i < count && !known; i++)
            known = strcmp(rows[i]->option, s->option) == 0;
        if (!known && count < APP_MAX_VIEW_OPTIONS)
            rows[count++] = s;
    }
    return count;
}

const viz_setting *app_view_option_at(int place)
{
    const viz_setting *rows[APP_MAX_VIEW_OPTIONS];
    int count =
        collect_options(of_documents, rows, 0); /* the grid before the cells that are named of it */
    for (int i = 0; viz_views[i]; i++)
        for (int t = 0; t < VIZ_SETTING_TABLES && viz_views[i]->settings[t]; t++)
            count = collect_options(viz_views[i]->settings[t], rows, count);
    return place < count ? rows[place] : NULL;
}

static bool takes_whole_number(const viz_setting *s)
{
    return s->kind == VIZ_WHOLE || s->kind == VIZ_INDEX || s->kind == VIZ_LAYER;
}

/* "a number from 0 to 1": what the option takes. */
static const char *write_allowed_values(const viz_setting *s, char *text, size_t size)
{
    const char *number = takes_whole_number(s) ? "a whole number" : "a number";
    if (s->form)
        return s->form;
    if (s->form_of)
        return s->form_of(text, size);
    if (s->names)
        sac_names_join(s->spelled ? s->spelled : s->names, s->count, text, size);
    else if (s->low < s->high)
        snprintf(text, size, "%s from %g to %g", number, s->low, s->high);
    else
        snprintf(text, size, "%s from %g", number, s->low);
    return text;
}

char *app_view_option_help(const viz_setting *s, char *text, size_t size)
{
    char takes[120];
    const char *help = s->help ? s->help : s->tip;
    int length = (int)strlen(help);
    snprintf(text, size, "%.*s (%s)", length - (help[length - 1] == '.'), help,
             write_allowed_values(s, takes, sizeof takes));
    text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

/* The value that the text means to the setting; NULL: it is not valid. */
static const char *parse_option_value(const viz_setting *s, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (s->valid)
        return s->valid(text) ? text : NULL;
    for (int i = 0; s->names && i < s->count; i++)
        if (strcmp(s->spelled ? s->spelled[i] : s->names[i], text) == 0)
            return s->names[i];
    if (s->names || !*text)
        return NULL;
    if (s->kind == VIZ_OWN ||
        s->kind == VIZ_CHOICE) /* a view's own names are known once it is open */
        return text;
    bool fits =
        end != text && !*end && number >= s->low && (s->low >= s->high || number <= s->high);
    return fits && !(takes_whole_number(s) && text[strspn(text, "0123456789")]) ? text : NULL;
}

sac_status app_view_options_parse(const char *const values[], app_view_option *settings, int *count,
                                  sac_error *error)
{
    const viz_setting *s;
    *count = 0;
    for (int i = 0; (s = app_view_option_at(i)); i++) {
        const char *value = values[i] ? parse_option_value(s, values[i]) : NULL;
        if (values[i] && !value) {
            char takes[120], remedy[128];
            snprintf(remedy, sizeof remedy, "give %s",
                     write_allowed_values(s, takes, sizeof takes));
            return sac_fail(error, SAC_E_ARGUMENT, s->option, remedy,
                            "\"%.60s\" is not a valid value", values[i]);
        }
        if (value)
            settings[(*count)++] = (app_view_option){s->name, value};
    }
    return SAC_OK;
}
