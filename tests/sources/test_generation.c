/* src/sources/generation: the sampling of a text, as text and back. */
#include "sources/generation.h"

#include "test.h"
#include <stdlib.h>
#include <string.h>

TEST(what_is_reported_is_read_again)
{
    sac_sampling how = {.count = 20,
                        .draw = {.temperature = 0.8f, .seed = 7, .top_k = 40, .top_p = 0.95f}},
                 read = {0};
    char text[200], again[200];
    assert_true(sac_sampling_change(&how, 9, 11));
    assert_true(sac_sampling_change(&how, 4, 300)); /* what was changed behind it is forgotten */
    assert_true(sac_sampling_change(&how, 6, 5));
    assert_string_equal(sac_sampling_text(&how, text, sizeof text),
                        "0.800000012 40 0.949999988 7 20 4=300 6=5");
    assert_true(sac_sampling_read(text, &read));
    assert_string_equal(sac_sampling_text(&read, again, sizeof again), text);
    how.beam = 4;
    assert_string_equal(sac_sampling_text(&how, text, sizeof text),
                        "0.800000012 40 0.949999988 7 20 beam 4 4=300 6=5");
    assert_true(sac_sampling_read(text, &read) && read.beam == 4 && read.changes == 2);
    assert_true(read.draw.temperature == how.draw.temperature && read.draw.top_p == how.draw.top_p);
}

TEST(what_is_no_sampling_is_not_read)
{
    static const char *const bad[] = {"",
                                      "a",
                                      "0 0 0 0",
                                      "0 0 0 0 0",
                                      "0 0 0 0 1025",
                                      "-1 0 0 0 4",
                                      "nan 0 0 0 4",
                                      "0 -1 0 0 4",
                                      "0 0 2 0 4",
                                      "0 0 0 0 4 x",
                                      "0 0 0 0 4 beam",
                                      "0 0 0 0 4 beam 1",
                                      "0 0 0 0 4 beam 17",
                                      "0 0 0 0 4 5",
                                      "0 0 0 0 4 1=",
                                      "0 0 0 0 4 4=1",
                                      "0 0 0 0 4 2=1 1=1",
                                      "0 0 0 0 4 1=-1"};
    sac_sampling how = {.count = 3};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sac_sampling_read(bad[i], &how))
            fail_msg("\"%s\" was read", bad[i]);
    assert_int_equal(how.count, 3);
    for (int i = 0; i < SAC_SAMPLING_CHANGES; i++)
        assert_true(sac_sampling_change(&how, i, 1));
    assert_false(sac_sampling_change(&how, SAC_SAMPLING_CHANGES, 1));
}

/* The columns of a picture become their sum; what stands before and behind them stays. */
TEST(columns_of_a_picture_are_folded_to_one)
{
    static const char *const names[] = {"a", "0,0", "1,0", "2,0", "b", "c"};
    static const float rows[] = {.1f, .2f, .3f, .1f, .3f, 0, .4f, 0, .1f, .1f, .2f, .2f};
    static const float folded[] = {.1f, .6f, .3f, 0, .4f, .2f, .2f, .2f};
    sac_generation generated = {
        .count = 6, .generated = 2, .picture = 1, .pictured = 3, .apart = 4};
    generated.rows = malloc(sizeof rows);
    memcpy(generated.rows, rows, sizeof rows);
    generated.tokens = (sac_labels){6, malloc(sizeof names)};
    for (size_t i = 0; i < 6; i++)
        generated.tokens.text[i] = strdup(names[i]);
    assert_int_equal(sac_generation_fold_picture(&generated, "picture", NULL), SAC_OK);
    assert_true(generated.count == 4 && generated.tokens.count == 4 && generated.apart == 2);
    for (size_t i = 0; i < 8; i++)
        assert_float_equal(generated.rows[i], folded[i], 1e-6);
    assert_string_equal(generated.tokens.text[1], "picture");
    assert_string_equal(generated.tokens.text[2], "b");
    /* Once more it is the same. */
    assert_int_equal(sac_generation_fold_picture(&generated, "picture", NULL), SAC_OK);
    assert_true(generated.count == 4 && generated.apart == 2);
    sac_generation_free(&generated);
}

/* Of seven tokens two were generated; the others are a template's, but for two turns. */
TEST(turns_have_their_shares_of_a_row)
{
    float rows[14] = {0, 0, 0, 0, 0, 0, 0, 0.0625f, 0.125f, 0.25f, 0.0625f, 0.125f, 0.375f, 0};
    sac_turn turns[] = {{"system", 1, 1}, {"user", 2, 2}};
    const sac_generation g = {
        .count = 7, .generated = 2, .rows = rows, .turns = turns, .turn_count = 2};
    float shares[4];
    sac_generation_turn_shares(&g, 1, shares);
    assert_true(shares[0] == 0.125f && shares[1] == 0.3125f);
    assert_true(shares[2] == 0.1875f && shares[3] == 0.375f);
}

TEST_MAIN(NULL, NULL)
