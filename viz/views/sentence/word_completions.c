/* The words of the source language that go on with what is typed: a translator knows no others. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sentence/sentence_state.h"
#include "view/words.h"

/* The word that is being typed: what stands before the caret, at the end of the text. NULL: the caret is elsewhere. */
static const char *typed_part(const viz_text_field *field)
{
    if (!field->typing || field->all || field->caret != strlen(field->text))
        return NULL;
    const char *space = strrchr(field->text, ' ');
    return space ? space + 1 : field->text;
}

void word_completions_lay(sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    const sac_result_source *source = &v->base.source->result;
    const char *part = typed_part(&v->field);
    word_completions *c = &v->layout.completions;
    const size_t length = part ? strlen(part) : 0;
    const float more = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, "… 00000"), gap = 14;
    float x = room.x;
    *c = (word_completions){0};
    for (int i = 0; part && i < source->source_word_count; i++) {
        const char *word = source->source_words[i];
        if (strncasecmp(word, part, length) != 0 || strlen(word) <= length)
            continue;
        float w = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, word);
        if (c->more || c->count == WORD_COMPLETIONS || x + w + gap + more > room.x + room.w) {
            c->more++;
            continue;
        }
        c->word[c->count] = word;
        c->item[c->count++] = (viz_rect){x, room.y, w, room.h};
        x += w + gap;
    }
    c->end = (viz_rect){x, room.y, more, room.h};
}

bool word_completions_are_of_a_part(const sentence_view *v)
{
    const char *part = typed_part(&v->field);
    return v->layout.completions.count && part && part[0];
}

void word_completions_draw(const sentence_view *v, viz_canvas *canvas)
{
    const word_completions *c = &v->layout.completions;
    char text[24];
    for (int i = 0; i < c->count; i++) {
        viz_rect r = c->item[i];
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 13, VIZ_LEFT,
                 i ? canvas->theme->text2 : canvas->theme->text, c->word[i]);
    }
    snprintf(text, sizeof text, "… %d", c->more);
    if (c->more)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, c->end.x, c->end.y + 13, VIZ_LEFT,
                 canvas->theme->faint, text);
}

void word_completions_spots(const sentence_view *v, viz_spots *spots)
{
    const word_completions *c = &v->layout.completions;
    for (int i = 0; i < c->count; i++)
        viz_spots_add(spots, c->item[i], VIZ_SPOT_PRESSES,
                      "A word that the translator knows: click to take it; → takes the first.");
}

int word_completions_hit(const sentence_view *v, float x, float y)
{
    const word_completions *c = &v->layout.completions;
    for (int i = 0; i < c->count; i++)
        if (viz_inside(c->item[i], x, y))
            return i;
    return -1;
}

bool word_completions_take(sentence_view *v, int item)
{
    const char *part = typed_part(&v->field);
    char text[VIZ_TEXT_FIELD_SIZE];
    if (!part || item < 0 || item >= v->layout.completions.count)
        return false;
    int length = snprintf(text, sizeof text, "%.*s%s ", (int)(part - v->field.text), v->field.text,
                          v->layout.completions.word[item]);
    if (length >= (int)sizeof text)
        return false;
    viz_text_field_set(&v->field, text);
    v->field.typing = true;
    v->field.all = false;
    sentence_set_typed_text(v, v->field.text);
    return true;
}
