/* The numbers of an array as its cells show them: all with the same decimals, so that they line up.
 */
#ifndef VIZ_LESSON_LESSON_NUMBERS_H
#define VIZ_LESSON_LESSON_NUMBERS_H

#include "canvas/colormap.h"
#include "sources/lesson.h"

enum { LESSON_MOST_DECIMALS = 3 };

typedef struct lesson_format {
    int decimals; /* 0: the numbers are whole */
    int letters;  /* of the longest number */
} lesson_format;

/* With at most `most` decimals. */
lesson_format lesson_format_of(const sac_shown_array *array, int most);
/* 0 and ±∞ as such; a number below them all as "2e−9". Returns `text`. */
char *lesson_number(const lesson_format *format, float value, char *text, size_t size);

/* The colours of an array's cells. */
typedef struct lesson_heat {
    bool shares;
    float most;       /* the largest magnitude */
    viz_colormap map; /* of shares */
} lesson_heat;
lesson_heat lesson_heat_of(const sac_shown_array *array, viz_colormap map);
/* Numbers on it have a contrast of at least 7. */
viz_color lesson_heat_color(const lesson_heat *heat, const viz_theme *theme, float value);

#endif
