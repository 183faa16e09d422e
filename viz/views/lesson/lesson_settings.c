/* The numbers of a lesson that a person changes, as settings in words: "temperature=0.5
 * query,0,1=2.5". */
#include <stdio.h>
#include <string.h>

#include "lesson/lesson_state.h"

/* Takes "key=…" out of the words. */
static void remove_setting(char *settings, const char *key)
{
    size_t length = strlen(key);
    for (char *at = settings; *at;) {
        size_t word = strcspn(at, " "), gap = at[word] == ' ';
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            memmove(at, at + word + gap, strlen(at + word + gap) + 1);
        } else {
            at += word + gap;
        }
    }
    size_t end = strlen(settings);
    if (end > 0 && settings[end - 1] == ' ')
        settings[end - 1] = '\0';
}

void lesson_set(lesson_view *v, const char *key, float value, bool own)
{
    char *settings = v->wanted.settings, before[sizeof v->wanted.settings];
    memcpy(before, settings, sizeof before);
    remove_setting(settings, key);
    size_t used = strlen(settings), room = sizeof v->wanted.settings - used;
    int more =
        own ? 0 : snprintf(settings + used, room, "%s%s=%.6g", used ? " " : "", key, (double)value);
    if (more >= (int)room)
        memcpy(settings, before, sizeof before);
    v->demand += strcmp(before, settings) != 0;
}

bool lesson_reset(lesson_view *v)
{
    bool changed = v->wanted.settings[0] || v->wanted.text[0];
    v->wanted.settings[0] = v->wanted.text[0] = '\0';
    v->demand += changed;
    return changed;
}

void lesson_open(lesson_view *v, int index)
{
    v->wanted = (sac_lesson_request){0};
    snprintf(v->wanted.name, sizeof v->wanted.name, "%s", v->source->lesson.entries[index].name);
    v->cell_name[0] = '\0';
    v->step = 0;
    v->marked = index;
    v->demand++;
}

bool lesson_turn(lesson_view *v, int step)
{
    int last = v->lesson.step_count - 1;
    int to = step < 0 ? 0 : step > last ? last : step;
    if (!v->known || to == v->step)
        return false;
    v->step = to;
    v->hovered = (lesson_cell){0};
    return true;
}
