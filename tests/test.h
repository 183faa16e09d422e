/* A cmocka program: TEST(name) { … } defines a test and lists it, and TEST_MAIN runs those that are
 * listed, in the order of the file. The C library's headers that tests use are here too. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST_UNUSED __attribute__((unused))

enum { TEST_MOST = 250 };

static struct {
    struct CMUnitTest tests[TEST_MOST]; /* cmocka passes over the empty ones */
    int lines[TEST_MOST], count;
} test_list TEST_UNUSED;

/* Constructors are called in any order: each is put after those of earlier lines. */
TEST_UNUSED static void test_add(struct CMUnitTest test, int line)
{
    int at = test_list.count++;
    assert_true(test_list.count <= TEST_MOST);
    for (; at > 0 && test_list.lines[at - 1] > line; at--) {
        test_list.tests[at] = test_list.tests[at - 1];
        test_list.lines[at] = test_list.lines[at - 1];
    }
    test_list.tests[at] = test;
    test_list.lines[at] = line;
}

/* Lists a test: once more, with another ending of its name, where it is listed already. */
#define TEST_LISTED(name, ending, setup, teardown, given)                                          \
    __attribute__((constructor)) static void list_##name##ending(void)                             \
    {                                                                                              \
        test_add((struct CMUnitTest){#name #ending, name, setup, teardown, given}, __LINE__);      \
    }

/* A test between a setup and a teardown, each of which may be NULL. */
#define TEST_WITH(name, setup, teardown) TEST_GIVEN(name, setup, teardown, NULL)
#define TEST_GIVEN(name, setup, teardown, given)                                                   \
    static void name(void **state);                                                                \
    TEST_LISTED(name, , setup, teardown, given)                                                    \
    static void name(TEST_UNUSED void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A test of what its setup made, which the body has under the name `made`. */
#define TEST_ON(type, made, name, setup, teardown)                                                 \
    TEST_ON_GIVEN(type, made, name, setup, teardown, NULL)
#define TEST_ON_GIVEN(type, made, name, setup, teardown, given)                                    \
    static void name##_on(type *made);                                                             \
    TEST_GIVEN(name, setup, teardown, given)                                                       \
    {                                                                                              \
        name##_on(*state);                                                                         \
    }                                                                                              \
    static void name##_on(TEST_UNUSED type *made)

/* The whole of main; a program that has more to do calls test_run. */
#define test_run(setup, teardown)                                                                  \
    cmocka_run_group_tests_name(__FILE_NAME__, test_list.tests, setup, teardown)

#define TEST_MAIN(setup, teardown)                                                                 \
    int main(void)                                                                                 \
    {                                                                                              \
        return test_run(setup, teardown);                                                          \
    }

#endif
