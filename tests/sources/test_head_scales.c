/* Scales of heads as text. */
#include "sources/heads/head_scales.h"
#include "status.h"
#include "test.h"

TEST(heads_are_switched_off_or_scaled_by_their_names)
{
    float scale[6];
    OK(sac_head_scales_read("1.2,0.0=0.5", 2, 3, scale, &failure));
    const float expected[] = {0.5f, 1, 1, 1, 1, 0};
    assert_memory_equal(scale, expected, sizeof scale);
    char *text = sac_head_scales_text(scale, 2, 3);
    assert_string_equal(text, "0.0=0.5,1.2");
    free(text);
    assert_false(sac_head_scales_are_all_one(scale, 6));
    OK(sac_head_scales_read("", 2, 3, scale, &failure));
    assert_true(sac_head_scales_are_all_one(scale, 6));
    text = sac_head_scales_text(scale, 2, 3);
    assert_string_equal(text, "");
    free(text);
}

TEST(what_is_no_head_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {"3",       "a.b",     "0.1,",   ",0.1",
                                        "0.1=",    "0.1=x",   "0.1=-1", "0.1=nan",
                                        "0.1=1e9", "0.1 1.1", "-1.0",   "99999999.0"};
    float scale[6] = {7, 7, 7, 7, 7, 7};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSES(SAC_E_ARGUMENT, "--without: …is not a head; give LAYER.HEAD…",
                sac_head_scales_read(wrong[i], 2, 3, scale, &failure));
    REFUSES(SAC_E_ARGUMENT, "--without: 2.0 is none of 2 layers × 3 heads; give …",
            sac_head_scales_read("2.0", 2, 3, scale, &failure));
    REFUSES(SAC_E_ARGUMENT, "--without: 1.3 is none of …",
            sac_head_scales_read("0.0,1.3", 2, 3, scale, &failure));
    for (int i = 0; i < 6; i++)
        assert_true(scale[i] == 7);
}

TEST_MAIN(NULL, NULL)
