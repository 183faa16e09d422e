/* What lies behind and below everything that is told; inside of this box. */
#ifndef SAC_BOOK_GROUNDS_H
#define SAC_BOOK_GROUNDS_H

#include "book/scene.h"

const sac_light *sac_hour_light(sac_hour hour, bool snow);
void sac_ground_paint(const sac_book_scene *scene, sac_canvas *canvas);
/* Snow or rain that falls before everything. */
void sac_weather_paint(const sac_book_scene *scene, sac_canvas *canvas);

#endif
