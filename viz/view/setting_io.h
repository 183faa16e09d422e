/* Settings as text, for a PNG that can be opened again, and back: what the views' describe and
 * restore share. */
#ifndef VIZ_VIEW_SETTING_IO_H
#define VIZ_VIEW_SETTING_IO_H

#include "canvas/heat.h"
#include "view/view.h"

void viz_put_real(viz_put *put, void *user, const char *key, double value); /* to 9 digits */
void viz_put_whole(viz_put *put, void *user, const char *key, long long value);
/* False, and *number left as it is, where `value` does not begin with a finite number. */
bool viz_read_real(const char *value, float *number);

/* Colour map, overlay, opacity and cells; the scale is each view's own. */
void viz_style_describe(const viz_heat_style *style, viz_put *put, void *user);
/* True where `key` is one of those; values that mean nothing change nothing. */
bool viz_style_restore(viz_heat_style *style, const char *key, const char *value);

/* Writes what a source was opened from, and how, so that it can be opened again. */
void viz_trace_describe(const sac_source *source, viz_put *put, void *user);

#endif
