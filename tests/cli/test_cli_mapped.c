/* Weights larger than memory: what is not looked at is not read. */
#include "run.h"

#include <sys/resource.h>

#include "sparse_npz.h"

/* Most bytes that any child so far had in memory at once: there is one test in this file. */
static size_t most_of_children(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (size_t)usage.ru_maxrss << 10;
}

/* 30,000 × 30,000 weights, 3.6 GB that take no room on the disk, but for a few rows that are looked at. */
TEST(weights_that_an_npz_stores_are_mapped_and_read_where_they_are_looked_at)
{
    enum { TOKENS = 30000, FROM = 20000, ROWS = 8 };
    const char *path = here("large.npz");
    sparse_array weights = {"attention", "<f4", "(30000, 30000)", (uint64_t)4 * TOKENS * TOKENS, 0};
    float *row = calloc(TOKENS, sizeof *row);
    sparse_npz(path, &weights, 1);
    FILE *file = fopen(path, "r+b");
    for (size_t r = FROM; r < FROM + ROWS; r++) {
        row[r] = 1;
        fseeko(file, (off_t)(weights.at + 4 * r * TOKENS), SEEK_SET);
        assert_int_equal(fwrite(row, sizeof *row, TOKENS, file), TOKENS);
        row[r] = 0;
    }
    fclose(file);
    free(row);
    DONE("view", path, "--rows", "20000:20008", "--columns", "20000:20008", "--out",
         here("part.png"));
    size_t most = most_of_children();
#if !defined(__SANITIZE_ADDRESS__) /* which keeps what is freed */
    if (most >= 700e6)
        fail_msg("%zu MB of a file of 3600", most / 1000000);
#else
    (void)most;
#endif
}

TEST_MAIN(make_folder, remove_folder)
