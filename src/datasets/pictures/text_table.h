/* Distinct texts, numbered in the order in which they come. */
#ifndef SAC_PICTURES_TEXT_TABLE_H
#define SAC_PICTURES_TEXT_TABLE_H

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

#endif
