/* The bundled pictures: scenes with many things that look alike. */
#ifndef DRAW_SCENES_H
#define DRAW_SCENES_H

#include "paint.h"

void draw_harbour(sheet *s); /* houses, lit windows, boats and their reflections at dusk */
void draw_garden(sheet *s);  /* flowers of four kinds on a summer morning */

#endif
