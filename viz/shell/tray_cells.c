/* The numbers of the tray's maps, and the cell that is read in all of them. */
#include <math.h>

#include "shell/tray_state.h"

float tray_value(const tray_view *t, int panel, int cell)
{
    const viz_pin *pin = tray_pin(t, panel), *from = tray_pin(t, t->reference);
    if (!tray_subtracts(t, panel))
        return pin->values[cell];
    bool same = pin->rows == from->rows && pin->columns == from->columns;
    return same ? pin->values[cell] - from->values[cell] : NAN;
}

bool tray_cursor(const tray_view *t, float *x, float *y)
{
    *x = t->pointed ? t->pointed_x : t->held_x;
    *y = t->pointed ? t->pointed_y : t->held_y;
    return t->pointed || t->held;
}

void tray_cell_at(const viz_pin *pin, float x, float y, int *row, int *column)
{
    *row = (int)fminf(fmaxf(y, 0) * (float)pin->rows, (float)(pin->rows - 1));
    *column = (int)fminf(fmaxf(x, 0) * (float)pin->columns, (float)(pin->columns - 1));
}
