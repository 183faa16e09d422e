/* The datasets themselves. */
#ifndef SAC_DATASETS_LIST_H
#define SAC_DATASETS_LIST_H

#include "datasets/dataset.h"

extern const sac_dataset sac_dataset_shapes, sac_dataset_book;

/* The decoder's input for a word of the caption. */
static inline int sac_dataset_input(const sac_dataset *dataset, int word)
{
    int index = word - dataset->masked.first;
    return index >= 0 && index < dataset->masked.count ? SAC_WORD_PAD : word;
}

#endif
