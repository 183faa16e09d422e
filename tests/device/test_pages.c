/* Memory in large pages: where it begins, and what is kept of what is returned. */
#include <string.h>

#include "device/pages.h"
#include "test.h"

#define MIB ((size_t)1 << 20)

static void *memory_of(sac_pages *pages)
{
    assert_non_null(pages);
    assert_int_equal((uintptr_t)sac_pages_memory(pages) % SAC_LARGE_PAGE, 0);
    return sac_pages_memory(pages);
}

TEST(memory_begins_at_a_large_page_and_is_kept_for_the_next)
{
    assert_null(sac_pages_take(SAC_LARGE_PAGE - 1));
    sac_pages *a = sac_pages_take(5 * MIB + 3), *b = sac_pages_take(20 * MIB);
    char *of_a = memory_of(a), *of_b = memory_of(b);
    memset(of_a, 1, 5 * MIB + 3);
    memset(of_b, 2, 20 * MIB);
    sac_pages_return(a);
    sac_pages_return(b);
    sac_pages *small = sac_pages_take(2 * MIB); /* much of either would be wasted */
    assert_true(memory_of(small) != of_a && memory_of(small) != of_b);
    a = sac_pages_take(5 * MIB);
    b = sac_pages_take(17 * MIB);
    assert_true(memory_of(a) == of_a && memory_of(b) == of_b);
    sac_pages *another = sac_pages_take(17 * MIB);
    assert_true(memory_of(another) != of_b);
    sac_pages_return(a);
    sac_pages_return(b);
    sac_pages_return(small);
    sac_pages_return(another);
}

TEST(what_is_kept_is_bounded)
{
    enum { COUNT = 6 };
    sac_pages *pages[COUNT];
    void *memory[COUNT];
    for (int i = 0; i < COUNT; i++)
        memory[i] = memory_of(pages[i] = sac_pages_take(60 * MIB));
    for (int i = 0; i < COUNT; i++)
        sac_pages_return(pages[i]);
    for (int i = COUNT - 1; i >= 0; i--) { /* of 256 MiB the four latest are kept */
        pages[i] = sac_pages_take(60 * MIB);
        if (i > 1)
            assert_ptr_equal(memory_of(pages[i]), memory[i]);
    }
    for (int i = 0; i < COUNT; i++)
        sac_pages_return(pages[i]);
}

TEST_MAIN(NULL, NULL)
