#include "pictures/text_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* The slot of a text, or the free one where it belongs. */
static int *slot_of(const sac_text_table *table, const char *text, size_t size)
{
    size_t at = sac_table_hash(text, size) & (table->slot_count - 1);
    for (; table->slots[at] >= 0; at = (at + 1) & (table->slot_count - 1)) {
        const char *other = table->texts[table->slots[at]];
        if (strncmp(other, text, size) == 0 && other[size] == '\0')
            break;
    }
    return &table->slots[at];
}

int sac_text_table_find(const sac_text_table *table, const char *text, size_t size)
{
    return table->slot_count ? *slot_of(table, text, size) : -1;
}

/* Room for one more text, and at least half of the slots free. */
static bool grow_if_full(sac_text_table *table)
{
    if (table->count < table->capacity)
        return true;
    if (table->capacity > INT_MAX / 4)
        return false;
    int capacity = table->capacity ? 2 * table->capacity : 64;
    size_t slot_count = 2 * (size_t)capacity;
    char **texts = realloc(table->texts, (size_t)capacity * sizeof *texts);
    table->texts = texts ? texts : table->texts;
    int *slots = texts ? malloc(slot_count * sizeof *slots) : NULL;
    if (!slots)
        return false;
    memset(slots, 0xff, slot_count * sizeof *slots); /* −1 */
    free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    table->capacity = capacity;
    for (int i = 0; i < table->count; i++)
        *slot_of(table, table->texts[i], strlen(table->texts[i])) = i;
    return true;
}

int sac_text_table_add(sac_text_table *table, const char *text, size_t size)
{
    int number = sac_text_table_find(table, text, size);
    if (number >= 0)
        return number;
    char *copy = grow_if_full(table) ? strndup(text, size) : NULL;
    if (!copy)
        return -1;
    *slot_of(table, text, size) = table->count;
    table->texts[table->count] = copy;
    return table->count++;
}

void sac_text_table_free(sac_text_table *table)
{
    for (int i = 0; i < table->count; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->slots);
    *table = (sac_text_table){0};
}

/* ---------------------------------------------------------------- counted */

bool sac_text_counts_add(sac_text_counts *all, const char *text, size_t size)
{
    int number = sac_text_table_add(&all->table, text, size);
    if (number < 0)
        return false;
    if (all->table.capacity > all->capacity) {
        const int capacity = all->table.capacity;
        size_t *more = realloc(all->counts, (size_t)capacity * sizeof *more);
        if (!more)
            return false;
        memset(more + all->capacity, 0, (size_t)(capacity - all->capacity) * sizeof *more);
        all->counts = more;
        all->capacity = capacity;
    }
    all->counts[number]++;
    return true;
}

size_t sac_text_counts_of(const sac_text_counts *all, const char *text, size_t size)
{
    int number = sac_text_table_find(&all->table, text, size);
    return number >= 0 ? all->counts[number] : 0;
}

void sac_text_counts_free(sac_text_counts *all)
{
    free(all->counts);
    sac_text_table_free(&all->table);
    *all = (sac_text_counts){0};
}

static int by_frequency(const void *a, const void *b)
{
    const sac_counted_text *one = a, *other = b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return strcmp(one->text, other->text);
}

sac_counted_text *sac_text_counts_frequent(const sac_text_counts *all, size_t least, int *count)
{
    sac_counted_text *most = calloc((size_t)all->table.count + 1, sizeof *most);
    *count = 0;
    for (int i = 0; most && i < all->table.count; i++)
        if (all->counts[i] >= least)
            most[(*count)++] = (sac_counted_text){all->table.texts[i], all->counts[i]};
    if (most)
        qsort(most, (size_t)*count, sizeof *most, by_frequency);
    return most;
}
