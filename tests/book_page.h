/* A page of the picture book, of the test stream. */
#ifndef TESTS_BOOK_PAGE_H
#define TESTS_BOOK_PAGE_H

#include "datasets/dataset.h"
#include "status.h"
#include "test.h"

static inline void make_page(uint64_t seed, int side, sac_image *image)
{
    const sac_dataset *book = sac_dataset_find("book");
    void *scene = malloc(book->scene_size);
    assert_non_null(scene);
    book->make(SAC_STREAM_TEST, seed, scene);
    OK(book->image(scene, side, image, NULL));
    free(scene);
}

#endif
