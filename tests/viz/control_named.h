/* The control of a setting, among those that were laid out. */
#ifndef TESTS_VIZ_CONTROL_NAMED_H
#define TESTS_VIZ_CONTROL_NAMED_H

#include <string.h>

#include "parts/controls/controls.h"
#include "test.h"

static inline const viz_control *control_named(const viz_controls *controls, const char *name)
{
    for (int i = 0; i < controls->count; i++)
        if (strcmp(controls->items[i].setting->name, name) == 0)
            return &controls->items[i];
    fail_msg("there is no control of %s", name);
    return NULL;
}

#endif
