/* Draws the bundled pictures: draw_pictures harbour harbour.png */
#include <stdio.h>
#include <string.h>

#include "scenes.h"

static const struct {
    const char *name;
    void (*draw)(sheet *s);
    int width, height;
    float grain; /* the garden has texture enough, and grain compresses badly */
} scenes[] = {{"harbour", draw_harbour, 960, 640, 0.7f}, {"garden", draw_garden, 870, 580, 0.4f}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof scenes / sizeof *scenes; i++) {
        sheet s;
        if (strcmp(argv[1], scenes[i].name) != 0)
            continue;
        if (!sheet_create(&s, scenes[i].width, scenes[i].height))
            return 1;
        scenes[i].draw(&s);
        int status = sheet_save(&s, scenes[i].grain, argv[2]);
        sheet_free(&s);
        return status;
    }
    fprintf(stderr, "usage: draw_pictures harbour|garden OUT.png\n");
    return 2;
}
