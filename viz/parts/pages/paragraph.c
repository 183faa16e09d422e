#include "parts/pages/paragraph.h"

#include <stdio.h>

/* The line that `text` begins with into `line`; returns what follows it. */
static const char *take_line(const viz_canvas *canvas, viz_face face, float size, float width,
                             const char *text, char *line, size_t room)
{
    size_t length = viz_text_line_bytes(canvas, face, size, width, text);
    snprintf(line, room, "%.*s", (int)length, text);
    return text + length + (text[length] == ' ');
}

int viz_paragraph_lines(const viz_canvas *canvas, viz_face face, float size, float width,
                        const char *text)
{
    char line[1200];
    int lines = 0;
    for (; *text; lines++)
        text = take_line(canvas, face, size, width, text, line, sizeof line);
    return lines;
}

float viz_paragraph_draw_apart(viz_canvas *canvas, viz_face face, float size, float x, float y,
                               float width, float leading, viz_color color, const char *text)
{
    char line[1200];
    float last = 0;
    for (; *text; y += leading) {
        text = take_line(canvas, face, size, width, text, line, sizeof line);
        last = viz_text(canvas, face, size, x, y, VIZ_LEFT, color, line);
    }
    return last;
}
