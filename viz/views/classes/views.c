#include "classes/views.h"

#include <strings.h>

#include "base/text/suggestion.h"

#define ADDRESS(name) &viz_##name##_class,
const viz_view_class *const viz_views[] = {VIZ_VIEWS(ADDRESS) NULL};

const viz_view_class *viz_views_find(const char *name)
{
    if (strcasecmp(name, "pair") == 0) /* what two beside each other were called */
        name = viz_heads_class.name;
    for (const viz_view_class *const *class = viz_views; *class; class ++)
        if (strcasecmp((*class)->name, name) == 0 || strcasecmp((*class)->tab, name) == 0)
            return *class;
    return NULL;
}

void viz_views_list(char *text, size_t size)
{
    const char *names[sizeof viz_views / sizeof *viz_views];
    int count = 0;
    for (const viz_view_class *const *class = viz_views; *class; class ++)
        if (!(*class)->is_live)
            names[count++] = (*class)->name;
    sac_names_join(names, count, text, size);
}
