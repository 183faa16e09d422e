/* A sentence that a person types in place of the lesson's words. */
#include <stdio.h>
#include <string.h>

#include "lesson/lesson_state.h"

void lesson_tell_writing(const lesson_view *v, char *text, size_t size)
{
    static const sac_text yours = SAC_TEXT_IN("Your sentence:", "你的句子：");
    static const sac_text how =
        SAC_TEXT_IN("Return takes it, Esc lets it be.", "Return 采用，Esc 放弃。");
    snprintf(text, size, "%s %s▏  %s", lesson_text(v, yours), v->written, lesson_text(v, how));
}

static void add(lesson_view *v, const char *letters)
{
    size_t used = strlen(v->written);
    for (; *letters && used + 1 < sizeof v->written; letters++)
        v->written[used++] = *letters == '\n' || *letters == '\t' ? ' ' : *letters;
    v->written[used] = '\0';
}

/* Whole letters go, of which UTF-8 has several bytes. */
static void take_back(lesson_view *v)
{
    size_t used = strlen(v->written);
    while (used > 0 && ((unsigned char)v->written[--used] & 0xc0) == 0x80)
        ;
    v->written[used] = '\0';
}

static bool finish(lesson_view *v)
{
    v->writes = false;
    if (strcmp(v->wanted.text, v->written) != 0) {
        memcpy(v->wanted.text, v->written, sizeof v->wanted.text);
        v->demand++;
    }
    return true;
}

static bool begin(lesson_view *v)
{
    v->writes = true;
    memcpy(v->written, v->wanted.text, sizeof v->written);
    return true;
}

bool lesson_write_key(lesson_view *v, const viz_event *e)
{
    if (e->ctrl && e->key == 'l')
        return begin(v);
    if (e->ctrl && e->key == 'v' && e->text && !lesson_asks(v)) {
        v->writes = true;
        add(v, e->text);
        return true;
    }
    if (!v->writes || e->ctrl)
        return false;
    if (e->key == VIZ_KEY_RETURN)
        return finish(v);
    if (e->key == VIZ_KEY_BACKSPACE)
        take_back(v);
    else if (e->key == VIZ_KEY_ESCAPE)
        v->writes = false;
    else if (e->key >= ' ' && e->key < 127)
        add(v, (char[]){(char)e->key, '\0'});
    return true;
}
