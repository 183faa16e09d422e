/* Distinct texts, numbered in the order in which they come, and how often each was there. */
#ifndef SAC_PICTURES_TEXT_TABLE_H
#define SAC_PICTURES_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sac_text_table {
    char **texts; /* [count]; owned */
    int count, capacity;
    int *slots; /* a hash table of numbers, open addressing; −1: free */
    size_t slot_count;
} sac_text_table;

/* The number of a text of `size` bytes; −1: it has none. */
int sac_text_table_find(const sac_text_table *table, const char *text, size_t size);
/* The number that it has, or gets; −1: no memory. */
int sac_text_table_add(sac_text_table *table, const char *text, size_t size);
void sac_text_table_free(sac_text_table *table);

typedef struct sac_text_counts {
    sac_text_table table;
    size_t *counts; /* [capacity], by the number of a text; owned */
    int capacity;
} sac_text_counts;

/* Counts one more of a text of `size` bytes. False: no memory. */
bool sac_text_counts_add(sac_text_counts *counts, const char *text, size_t size);
/* How many there were; 0: it never was there. */
size_t sac_text_counts_of(const sac_text_counts *counts, const char *text, size_t size);
void sac_text_counts_free(sac_text_counts *counts);

typedef struct sac_counted_text {
    const char *text; /* lent by the table */
    size_t count;
} sac_counted_text;
/* The texts that were there `least` times and more, the most frequent first, those that are as frequent in the order
 * of their bytes; free() them. NULL: no memory. */
sac_counted_text *sac_text_counts_frequent(const sac_text_counts *counts, size_t least, int *count);

#endif
