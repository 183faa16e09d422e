/* Saving: the kind of file, and what is asked before one is written. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "shell/chooser/chooser_state.h"
#include "view/words.h"

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length > size && strcasecmp(text + length - size, ending) == 0;
}

void chooser_follow_ending(chooser_view *v)
{
    viz_saves *s = &v->saves;
    if (!v->saving || ends_with(v->field.text, s->kinds[s->kind].ending))
        return;
    for (int i = 0; i < s->kind_count; i++)
        if (ends_with(v->field.text, s->kinds[i].ending)) {
            s->kind = i;
            return;
        }
}

/* The name keeps all but its ending. */
static void set_kind(chooser_view *v, int kind)
{
    viz_saves *s = &v->saves;
    const char *before = s->kinds[s->kind].ending;
    char text[VIZ_TEXT_FIELD_SIZE];
    size_t kept = strlen(v->field.text);
    if (ends_with(v->field.text, before))
        kept -= strlen(before);
    snprintf(text, sizeof text, "%.*s%s", (int)kept, v->field.text, s->kinds[kind].ending);
    s->kind = kind;
    viz_text_field_set(&v->field, text);
    v->problem[0] = '\0';
}

void chooser_turn_kind(chooser_view *v, int step)
{
    if (v->saves.kind_count)
        set_kind(v, (int)viz_next((size_t)v->saves.kind, step, (size_t)v->saves.kind_count));
}

void chooser_choose_kind(chooser_view *v, int choice)
{
    if (choice < v->saves.kind_count)
        set_kind(v, choice);
    else
        v->saves.figure = !v->saves.figure;
}

void chooser_save(chooser_view *v)
{
    viz_saves *s = &v->saves;
    const char *ending = s->kinds[s->kind].ending;
    char path[VIZ_PATH_SIZE], folder[VIZ_PATH_SIZE];
    v->problem[0] = '\0';
    const char *wrong = viz_path_read(v->base_folder, v->field.text, path);
    const char *name = wrong ? "" : viz_path_leaf(path);
    if (!wrong && !name[0])
        wrong = "the file has no name yet: type one behind the folder";
    if (!wrong && !ends_with(path, ending)) {
        if (strlen(path) + strlen(ending) < sizeof path)
            strcat(path, ending);
        else
            wrong = "this path is too long";
    }
    if (wrong) {
        viz_chooser_problem(&v->base, wrong);
        return;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path > 1 ? name - path : 1), path);
    if (!sac_is_folder(folder)) {
        snprintf(v->problem, sizeof v->problem, viz_word("%s: there is no such folder"), folder);
    } else if (sac_is_folder(path)) {
        snprintf(v->problem, sizeof v->problem, viz_word("%s is a folder; type a name behind it"),
                 path);
    } else if (access(path, F_OK) == 0 && strcmp(v->confirmed, path) != 0) {
        memcpy(v->confirmed, path, sizeof path);
        snprintf(v->problem, sizeof v->problem,
                 viz_word("%s is there already: Save (Return) once more replaces it"), name);
    } else {
        s->replaces = access(path, F_OK) == 0;
        memcpy(s->path, path, sizeof path);
        v->has_chosen = v->waits = true;
        v->confirmed[0] = '\0';
    }
}
