/* What a long attention takes of memory. */
#include "run.h"

#include <sys/resource.h>

#include "saccade_arrays.h"

/* Most bytes that any child so far had in memory at once: there is one test in this file. */
static size_t most_of_children(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (size_t)usage.ru_maxrss << 10;
}

/* 65536 tokens, whose matrix would be 16 GiB: 64 MiB of inputs and outputs. Causal and in a window,
 * which leaves little to compute and changes nothing about the memory. */
TEST(a_long_attention_needs_little_memory)
{
#if defined(__SANITIZE_ADDRESS__) /* which keeps what is freed */
    skip();
#endif
    enum { TOKENS = 65536, DIM = 64 };
    sac_array x;
    assert_int_equal(sac_array_create(SAC_F32, 2, (size_t[]){TOKENS, DIM}, &x, NULL), SAC_OK);
    for (size_t i = 0; i < TOKENS * DIM; i++)
        ((float *)x.data)[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
    const sac_named_array arrays[] = {{"query", &x}, {"key", &x}, {"value", &x}};
    const char *in = here("in.npz"), *out = here("out.npz");
    assert_int_equal(sac_npz_save(in, arrays, 3, NULL), SAC_OK);
    sac_array_free(&x);
    ran.environment[0] = "SACCADE_DEVICE=pocl";
    DONE("attend", in, out, "--no-weights", "--causal", "--window", "512");
    size_t most = most_of_children();
    if (most >= 400e6)
        fail_msg("%zu MB", most / 1000000);
}

TEST_MAIN(make_folder, remove_folder)
