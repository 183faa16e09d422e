/* A line of text that a person types into: caret, selection of all, paste. */
#ifndef VIZ_PARTS_TEXT_FIELD_H
#define VIZ_PARTS_TEXT_FIELD_H

#include "view/view.h"

enum { VIZ_TEXT_FIELD_SIZE = 2048 };

typedef struct viz_text_field {
    char text[VIZ_TEXT_FIELD_SIZE]; /* UTF-8 */
    size_t caret;                   /* its byte */
    bool typing, all;               /* letters go into it; all of it is selected */
} viz_text_field;

/* In place of what was there; the caret goes to its end. */
void viz_text_field_set(viz_text_field *field, const char *text);
/* All of it is selected, so that the first letter takes its place. */
void viz_text_field_begin(viz_text_field *field);
/* A key while it is typed into: letters, and what moves and erases; ctrl A selects all. True where it was one of the field's; *changed where
 * the text is another now. */
bool viz_text_field_key(viz_text_field *field, const viz_event *event, bool *changed);
/* At the caret, or in place of what is selected; begins typing. False: it is no text. */
bool viz_text_field_paste(viz_text_field *field, const char *text);
/* While it is typed the end of a long text is seen, else its beginning. `hint` stands where there
 * is no text. */
void viz_text_field_draw(const viz_text_field *field, viz_canvas *canvas, viz_rect rect,
                         const char *hint);

#endif
