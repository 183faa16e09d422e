/* src/base: error lines, checked sizes, half floats, random numbers, files that appear whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/busy.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/output.h"
#include "base/random.h"

static void an_error_is_one_line_where_what_and_what_to_do(void **state)
{
    (void)state;
    sac_error error = {0};
    char line[1200];
    assert_int_equal(sac_fail(&error, SAC_E_SHAPE, "key", "give more", "has %d of %d", 2, 3),
                     SAC_E_SHAPE);
    assert_int_equal(sac_error_within(&error, "in.npz"), SAC_E_SHAPE);
    assert_string_equal(sac_error_line(&error, line, sizeof line),
                        "in.npz: key: has 2 of 3; give more");
    sac_fail(&error, SAC_E_FILE, "two\nlines", NULL, "gone");
    assert_string_equal(sac_error_line(&error, line, sizeof line), "two lines: gone");
    assert_int_equal(sac_fail(NULL, SAC_E_FILE, "a", NULL, "b"), SAC_E_FILE);
}

static void a_size_that_overflows_is_refused(void **state)
{
    (void)state;
    size_t out;
    assert_true(sac_mul(SIZE_MAX / 2, 2, &out));
    assert_false(sac_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(sac_add(SIZE_MAX, 1, &out));
    sac_array array;
    size_t shape[] = {SIZE_MAX / 4, 5};
    assert_int_equal(sac_array_create(SAC_F32, 2, shape, &array, NULL), SAC_E_SHAPE);
    assert_null(array.data);
}

/* Every finite binary16 value has an exact float32; ldexp gives it independently. */
static void every_half_float_is_exact(void **state)
{
    (void)state;
    for (unsigned half = 0; half < 0x10000; half++) {
        int exponent = half >> 10 & 31, fraction = half & 0x3ff;
        if (exponent == 31)
            continue;
        double expected = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
        expected = half & 0x8000 ? -expected : expected;
        assert_true((double)sac_half_to_float((uint16_t)half) == expected);
    }
    assert_true(isinf(sac_half_to_float(0x7c00)) && isnan(sac_half_to_float(0x7e00)));
}

/* The known answers of Random123's kat_vectors for philox2x32, 10 rounds. */
static void philox_gives_its_published_answers(void **state)
{
    (void)state;
    assert_int_equal(sac_philox(0, 0, 0), 0xff1dae59);
    assert_int_equal(sac_philox(0xffffffff, 0xffffffff, 0xffffffff), 0x2c3f628b);
    assert_int_equal(sac_philox(0x243f6a88, 0x85a308d3, 0x13198a2e), 0xdd7ce038);
}

static void a_file_appears_only_when_it_is_whole(void **state)
{
    (void)state;
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    sac_output output;
    sac_error error = {0};
    assert_int_equal(sac_output_open(&output, path, &error), SAC_OK);
    fputs("half", output.file);
    assert_int_not_equal(access(path, F_OK), 0);
    sac_output_discard(&output);
    assert_int_equal(sac_output_check(path, &error), SAC_OK);
    assert_int_not_equal(access(path, F_OK), 0); /* it only looked */
    assert_int_equal(sac_output_open(&output, path, &error), SAC_OK);
    fputs("whole", output.file);
    assert_int_equal(sac_output_commit(&output, &error), SAC_OK);
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
    assert_int_equal(sac_output_open(&output, path, &error), SAC_E_FILE);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    sac_output output;
    sac_error error = {0};
    assert_int_equal(sac_output_open(&output, "/dev/full", &error), SAC_OK);
    fputs("anything", output.file);
    assert_int_equal(sac_output_commit(&output, &error), SAC_E_FILE);
    assert_non_null(strstr(error.what, "No space left"));
}

static void *end_of_another_thread(void *nothing)
{
    sac_busy_end();
    return nothing;
}

static char heard[SAC_BUSY_SIZE];

static void hear(const char *text)
{
    snprintf(heard, sizeof heard, "%s", text ? text : "the end");
}

static void what_a_thread_is_busy_with_is_told_until_that_thread_ends_it(void **state)
{
    (void)state;
    char text[SAC_BUSY_SIZE];
    pthread_t other;
    sac_busy_listen(hear);
    assert_false(sac_busy_text(text));
    sac_busy_begin("compiling for %s", "device 2");
    assert_string_equal(heard, "compiling for device 2");
    assert_int_equal(pthread_create(&other, NULL, end_of_another_thread, NULL), 0);
    pthread_join(other, NULL);
    assert_true(sac_busy_text(text));
    assert_string_equal(text, "compiling for device 2");
    sac_busy_end();
    assert_false(sac_busy_text(text));
    assert_string_equal(text, "");
    assert_string_equal(heard, "the end");
    sac_busy_listen(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_one_line_where_what_and_what_to_do),
        cmocka_unit_test(a_size_that_overflows_is_refused),
        cmocka_unit_test(every_half_float_is_exact),
        cmocka_unit_test(philox_gives_its_published_answers),
        cmocka_unit_test(a_file_appears_only_when_it_is_whole),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(what_a_thread_is_busy_with_is_told_until_that_thread_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
