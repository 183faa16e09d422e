/* The datasets themselves; inside of this box. */
#ifndef SAC_DATASETS_LIST_H
#define SAC_DATASETS_LIST_H

#include "datasets/dataset.h"

extern const sac_dataset sac_dataset_shapes, sac_dataset_book;

/* What the decoder hears of a word that it says. */
static inline int sac_dataset_heard(const sac_dataset *dataset, int word)
{
    int index = word - dataset->unheard.first;
    return index >= 0 && index < dataset->unheard.count ? SAC_WORD_PAD : word;
}

#endif
