/* Readings of arrays, in words. */

#include "sources/files/weights/readings.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/files/weights/stored_weights.h"

/* "12 layers × 12 heads of 24 × 24 weights", from an array's sizes and what its axes are. */
static void describe_meaning(const sac_array_group *group, const char *axes, char *text,
                             size_t size)
{
    static const char letters[] = "LBH";
    static const char *const names[][2] = {
        {"layer", "layers"}, {"item", "items"}, {"head", "heads"}};
    const sac_array *array = group->layers[0].array;
    size_t sizes[3] = {group->count, 1, 1}, used = 0;
    size_t queries, keys;
    sac_array_group_sizes(group, &queries, &keys);
    for (int i = 0; axes[i] && i + 2 < array->rank; i++)
        sizes[strchr(letters, axes[i]) - letters] *= array->shape[i];
    text[0] = '\0';
    for (int a = 0; a < 3; a++)
        if (sizes[a] > 1)
            used += (size_t)snprintf(text + used, size - used, "%s%zu %s", used ? " × " : "",
                                     sizes[a], names[a][sizes[a] > 1]);
    used += (size_t)snprintf(text + used, size - used, "%s%zu × %zu weights", used ? " of " : "",
                             queries, keys);
    if (group->pieces)
        snprintf(text + used, size - used, ", from %zu steps", group->piece_count);
}

static void set_reading_names(const sac_array_group *group, sac_reading *reading)
{
    char shape[100];
    const sac_array *array = group->layers[0].array;
    snprintf(reading->take, sizeof reading->take, "%s", group->name);
    snprintf(reading->array, sizeof reading->array, "%.90s  %s  %s", group->name,
             sac_array_shape_text(array, shape, sizeof shape), sac_dtype_name(array->dtype));
}

/* One reading, or two where layers may have been saved in place of items. */
static int add_weights(const sac_array_group *group, sac_reading *readings)
{
    const sac_array *array = group->layers[0].array;
    const char *usual = sac_axes_of(&group->layers[0]);
    bool is_known = strcmp(usual, sac_axes_by_rank[array->rank]) != 0;
    bool either = array->rank == 4 && array->shape[0] > 1 && group->count == 1 && !is_known;
    for (int i = 0; i < 1 + either; i++) {
        const char *axes = i ? "LHQK" : usual;
        set_reading_names(group, &readings[i]);
        snprintf(readings[i].axes, sizeof readings[i].axes, "%s", either ? axes : "");
        describe_meaning(group, axes, readings[i].meaning, sizeof readings[i].meaning);
    }
    return 1 + either;
}

static int add_queries(const sac_array_group *group, sac_reading *reading)
{
    char many[40] = "";
    if (group->count > 1)
        snprintf(many, sizeof many, "%zu layers of ", group->count);
    set_reading_names(group, reading);
    snprintf(reading->meaning, sizeof reading->meaning, "%squeries and keys: weights are computed",
             many);
    return 1;
}

sac_status sac_readings_make(const sac_array_groups *weights, const sac_array_groups *queries,
                             sac_reading **readings, int *count, sac_error *error)
{
    *count = 0;
    *readings = calloc(2 * weights->count + queries->count + 1, sizeof **readings);
    if (!*readings)
        return sac_no_memory(error, NULL);
    for (size_t i = 0; i < weights->count; i++)
        *count += add_weights(&weights->group[i], *readings + *count);
    for (size_t i = 0; i < queries->count; i++)
        *count += add_queries(&queries->group[i], *readings + *count);
    return SAC_OK;
}

int sac_readings_find(const sac_reading *readings, int count, const char *take, const char *axes)
{
    for (int i = 0; i < count; i++)
        if ((!take || !take[0] || strcmp(readings[i].take, take) == 0) &&
            (!axes || !axes[0] || strcmp(readings[i].axes, axes) == 0))
            return i;
    return -1;
}
