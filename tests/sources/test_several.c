/* src/sources/heads/several: several places as text and back. */
#include "sources/heads/several.h"
#include "status.h"
#include "test.h"

TEST(what_is_reported_is_read_again)
{
    static const char *const good[][2] = {{"", ""},           {"3", "3"},       {"3,5-8", "3,5-8"},
                                          {"8,5,6,7", "5-8"}, {"0-1,2", "0-2"}, {"9-9", "9"}};
    char text[64];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint8_t chosen[10] = {0};
        OK(sac_several_read(good[i][0], 10, chosen, &failure));
        assert_string_equal(sac_several_text(chosen, 10, text, sizeof text), good[i][1]);
    }
}

TEST(what_is_none_is_refused_and_nothing_is_written)
{
    static const char *const bad[] = {"a",   ",",   "3-",   "-3",    "8-5",       "10",
                                      "3 4", "3,a", "3--5", "3-5-7", "9999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t chosen[10] = {[4] = 1};
        assert_int_equal(sac_several_read(bad[i], 10, chosen, &failure), SAC_E_ARGUMENT);
        assert_true(chosen[4] == 1 && chosen[3] == 0);
    }
}

TEST_MAIN(NULL, NULL)
