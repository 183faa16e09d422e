/* src/generate/cached_caption: which request a kept caption answers. */
#include <stdlib.h>

#include "generate/cached_caption.h"
#include "test.h"

/* A caption of two cells without words, told by its time. */
static void keep(sac_caption_cache *cache, const sac_caption_request *request, double milliseconds)
{
    const sac_caption caption = {.grid_w = 2, .grid_h = 1, .milliseconds = milliseconds};
    sac_caption_cache_keep(cache, request, &caption);
}

static double find(const sac_caption_cache *cache, const sac_caption_request *request)
{
    sac_caption caption = {0};
    bool found = sac_caption_cache_find(cache, request, 3, &caption);
    double milliseconds = caption.milliseconds;
    sac_caption_free(&caption);
    return found ? milliseconds : -1;
}

TEST(cache_answers_a_request_by_what_it_means)
{
    sac_caption_cache cache = {0};
    keep(&cache, &(sac_caption_request){0}, 1);
    keep(&cache, &(sac_caption_request){.beam = 1}, 2);
    assert_true(find(&cache, &(sac_caption_request){.beam = 3, .temperature = 1}) == 1);
    assert_true(find(&cache, &(sac_caption_request){.beam = 1}) == 2);
    assert_true(find(&cache, &(sac_caption_request){.beam = 1, .model = 1}) == -1);
    assert_true(find(&cache, &(sac_caption_request){.prefix_count = 1}) == -1);
    assert_false(sac_caption_cache_is_latest(&cache, &(sac_caption_request){0}, 3));
    assert_true(sac_caption_cache_is_latest(&cache, &(sac_caption_request){.beam = 1}, 3));
    sac_caption_cache_forget(&cache);
    assert_true(find(&cache, &(sac_caption_request){.beam = 1}) == -1);
}

TEST(cache_compares_hidden_cells_by_a_copy_of_its_own)
{
    sac_caption_cache cache = {0};
    uint8_t cells[2] = {1, 0};
    const sac_caption_request request = {.hidden = cells};
    keep(&cache, &request, 1);
    assert_true(find(&cache, &request) == 1);
    assert_true(find(&cache, &(sac_caption_request){0}) == -1);
    cells[1] = 1;
    assert_true(find(&cache, &request) == -1);
    sac_caption_cache_forget(&cache);
}

TEST(cache_keeps_the_latest)
{
    sac_caption_cache cache = {0};
    for (int i = 1; i <= SAC_CACHED_CAPTIONS + 1; i++)
        keep(&cache, &(sac_caption_request){.beam = i}, i);
    assert_true(find(&cache, &(sac_caption_request){.beam = 1}) == -1);
    for (int i = 2; i <= SAC_CACHED_CAPTIONS + 1; i++)
        assert_true(find(&cache, &(sac_caption_request){.beam = i}) == i);
    sac_caption_cache_forget(&cache);
}

TEST_MAIN(NULL, NULL)
