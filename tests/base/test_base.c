/* src/library/base: error lines, checked sizes, half floats, random numbers, files that appear
 * whole. */
#include <pthread.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/notice.h"
#include "base/output.h"
#include "base/process.h"
#include "base/random/random.h"
#include "base/text/printable.h"
#include "status.h"
#include "test.h"

TEST(an_error_is_one_line_where_what_and_what_to_do)
{
    char line[1200];
    sac_error error = {0};
    assert_int_equal(sac_fail(&error, SAC_E_SHAPE, "key", "give more", "has %d of %d", 2, 3),
                     SAC_E_SHAPE);
    assert_int_equal(sac_error_within(&error, SAC_E_SHAPE, "in.npz"), SAC_E_SHAPE);
    assert_int_equal(sac_error_within(&error, SAC_OK, "elsewhere"), SAC_OK);
    assert_int_equal(sac_error_within(NULL, SAC_E_MEMORY, "in.npz"), SAC_E_MEMORY);
    assert_string_equal(sac_error_line(&error, line, sizeof line),
                        "in.npz: key: has 2 of 3; give more");
    sac_fail(&error, SAC_E_FILE, "two\nlines", NULL, "gone");
    assert_string_equal(sac_error_line(&error, line, sizeof line), "two lines: gone");
    assert_int_equal(sac_fail(NULL, SAC_E_FILE, "a", NULL, "b"), SAC_E_FILE);
    sac_fail(&error, SAC_E_FILE, "a\033]0;title\a", "b\u202ec", "d\xff");
    assert_string_equal(sac_error_line(&error, line, sizeof line),
                        "a\uFFFD]0;title\uFFFD: d\uFFFD; b\uFFFDc");
    assert_non_null(strstr(sac_error_line(NULL, line, sizeof line), "no sac_error was given"));
    FILE *file = fmemopen(line, sizeof line, "w");
    sac_error_print(NULL, file);
    sac_error_print(&error, NULL);
    fclose(file);
    assert_memory_equal(line, "saccade: failed;", 16);
}

/* ESC, BEL, DEL, a C1 control, and the override that turns text. */
TEST(printable_replaces_terminal_control_characters)
{
    char line[64];
    assert_string_equal(sac_printable("a\033[2Jb\a\x7f", line, sizeof line),
                        "a\uFFFD[2Jb\uFFFD\uFFFD");
    assert_string_equal(sac_printable("\xc2\x9b"
                                      "31m\u202eabc\u2066",
                                      line, sizeof line),
                        "\uFFFD31m\uFFFDabc\uFFFD");
    assert_string_equal(sac_printable("one\ttwo\nthree\r", line, sizeof line), "one two three ");
    assert_string_equal(sac_printable("naïve 猫 🙂 \u200fא", line, sizeof line),
                        "naïve 猫 🙂 \u200fא");
    /* a byte alone, overlong, a surrogate, cut by the end */
    assert_string_equal(sac_printable("\xe9!\xc0\xaf\xed\xa0\x80\xf0\x9f", line, sizeof line),
                        "\uFFFD!\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
    assert_string_equal(sac_printable("a猫b", line, 4), "a"); /* never half a character */
    assert_string_equal(sac_printable("a猫b", line, 5), "a猫");
    assert_true(sac_has_control("a\u202e") && sac_has_control("\xff") && !sac_has_control("é"));
}

/* Prints by `sac_print` into memory. */
#define PRINTED(text, size, ...)                                                                   \
    do {                                                                                           \
        FILE *to = fmemopen(text, size, "w");                                                      \
        sac_print(to, __VA_ARGS__);                                                                \
        fclose(to);                                                                                \
    } while (0)

TEST(only_the_format_steers_the_terminal)
{
    char text[256];
    PRINTED(text, sizeof text, "\r\033[K%s: %d of %5.1f %%\n", "a\033b\nc", 3, 2.25);
    assert_string_equal(text, "\r\033[Ka\uFFFDb c: 3 of   2.2 %\n");
    PRINTED(text, sizeof text, "%-6s|%6s|%-*s|%.*s|%.2s|%s", "été", "猫", 5, "ab", 2, "abcdef",
            "aé", "end");
    assert_string_equal(text,
                        "été   |     猫|ab   |ab|a|end"); /* by characters; é is whole or not */
    PRINTED(text, sizeof text, "%zu %llu %ld %u %x %c %08.3e %+d %*d %s", (size_t)1, 2ull, 3l, 4u,
            0xabu, 'x', 0.5, 6, 4, 7, (char *)"last");
    assert_string_equal(text, "1 2 3 4 ab x 5.000e-01 +6    7 last");
}

TEST(json_shows_the_same_without_steering)
{
    char text[256];
    FILE *to = fmemopen(text, sizeof text, "w");
    sac_print_json(to, "{\n\t\"a\": \"\xc2\x9b\u202e\x7f é \xff\"\n}");
    fclose(to);
    assert_string_equal(text, "{\n\t\"a\": \"\\u009b\\u202e\\u007f é \\ufffd\"\n}\n");
    to = fmemopen(text, sizeof text, "w");
    sac_print_text(to, "two\n\tlines\r\033");
    fclose(to);
    assert_string_equal(text, "two\n\tlines\uFFFD\uFFFD");
}

/* The shell itself is asked what it takes the words for. */
TEST(a_shell_takes_quoted_words_as_they_are)
{
    static const char *const words[] = {"plain-1.0", "two words", "it's", "$(touch x)", "`a`;#",
                                        "a\\b",      "=ls",       "",     "~root",      "猫 *?"};
    char text[512], *got = NULL;
    size_t size = 0;
    sac_command_line line = sac_command_begin(text, sizeof text, "printf '%s\\n'");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sac_command_add(&line, words[i]);
    assert_true(line.whole);
    FILE *shell = popen(text, "r");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ssize_t length = getline(&got, &size, shell);
        assert_true(length > 0);
        got[length - 1] = '\0';
        assert_string_equal(got, words[i]);
    }
    free(got);
    assert_int_equal(pclose(shell), 0);
}

/* A newline would be obeyed as it is pasted, ^U takes back what stands there. */
TEST(a_command_without_all_its_words_is_none)
{
    static const char *const refused[] = {"a\nb", "\x15", "\xc2\x9b", "\u202e", "\xff"};
    char text[64];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        sac_command_line line = sac_command_begin(text, sizeof text, "saccade view");
        sac_command_add(&line, refused[i]);
        sac_command_add_option(&line, "--png", "b");
        assert_false(line.whole);
        assert_string_equal(text, "");
    }
    sac_command_line line = sac_command_begin(text, 20, "saccade view");
    sac_command_add(&line, "too-long-to-fit");
    assert_false(line.whole);
    assert_string_equal(text, "");
}

/* Texts of all lengths fall into different slots; the same text into the same. */
TEST(a_table_hash_names_texts_apart)
{
    char text[40] = "";
    uint64_t hash[40];
    for (int size = 0; size < 40; size++) {
        memset(text, 'a', (size_t)size);
        hash[size] = sac_table_hash(text, (size_t)size);
        assert_true(hash[size] == sac_table_hash(text, (size_t)size));
        for (int other = 0; other < size; other++)
            assert_true(hash[other] != hash[size]);
    }
}

TEST(a_size_that_overflows_is_refused)
{
    size_t out;
    assert_true(sac_checked_mul(SIZE_MAX / 2, 2, &out));
    assert_false(sac_checked_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(sac_checked_add(SIZE_MAX, 1, &out));
    sac_array array;
    size_t shape[] = {SIZE_MAX / 4, 5};
    assert_int_equal(sac_array_create(SAC_F32, 2, shape, &array, NULL), SAC_E_SHAPE);
    assert_null(array.data);
}

/* Every finite binary16 value has an exact float32; ldexp gives it independently. */
/* A number goes to the nearest half, of two to the even one. */
TEST(floats_are_rounded_to_halves)
{
    for (uint32_t half = 0; half < 0x7c00; half++) {
        float low = sac_half_to_float((uint16_t)half);
        float high = half == 0x7bff ? 65536.0f : sac_half_to_float((uint16_t)(half + 1));
        float between = low + (high - low) / 2;
        uint32_t even = half + half % 2;
        assert_int_equal(sac_float_to_half(low), half);
        assert_int_equal(sac_float_to_half(-low), half | 0x8000);
        assert_int_equal(sac_float_to_half(between), even);
        assert_int_equal(sac_float_to_half(nextafterf(between, 0)), half);
        assert_int_equal(sac_float_to_half(nextafterf(between, high)), half + 1);
    }
    assert_int_equal(sac_float_to_half(INFINITY), 0x7c00);
    assert_int_equal(sac_float_to_half(1e-30f), 0);
    assert_true(isnan(sac_half_to_float(sac_float_to_half(NAN))));
}

TEST(every_half_float_is_exact)
{
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
TEST(philox_gives_its_published_answers)
{
    assert_int_equal(sac_philox(0, 0, 0), 0xff1dae59);
    assert_int_equal(sac_philox(0xffffffff, 0xffffffff, 0xffffffff), 0x2c3f628b);
    assert_int_equal(sac_philox(0x243f6a88, 0x85a308d3, 0x13198a2e), 0xdd7ce038);
}

TEST(a_file_appears_only_when_it_is_whole)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    sac_output output;
    OK(sac_output_open(&output, path, &failure));
    fputs("half", output.file);
    assert_int_not_equal(access(path, F_OK), 0);
    sac_output_discard(&output);
    OK(sac_output_check(path, &failure));
    assert_int_not_equal(access(path, F_OK), 0); /* it only looked */
    OK(sac_output_open(&output, path, &failure));
    fputs("whole", output.file);
    OK(sac_output_commit(&output, &failure));
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
    assert_int_equal(sac_output_open(&output, path, &failure), SAC_E_FILE);
}

TEST(a_full_disk_is_reported)
{
    sac_output output;
    OK(sac_output_open(&output, "/dev/full", &failure));
    fputs("anything", output.file);
    REFUSES(SAC_E_FILE, "…No space left…", sac_output_commit(&output, &failure));
}

/* ---------------------------------------------------------------- several savers */

enum { ROUNDS = 60, SAVERS = 3, FILE_SIZE = 100000 };

typedef struct saver {
    const char *path;
    char letter;
    bool failed;
} saver;

/* Saves a file of its own letter, again and again, and looks each time whether what stands there is
 * whole: its own, or another's. */
static void *save_again_and_again(void *user)
{
    saver *own = user;
    char *text = malloc(FILE_SIZE);
    for (int round = 0; text && round < ROUNDS; round++) {
        sac_output output;
        memset(text, own->letter, FILE_SIZE);
        if (sac_output_open(&output, own->path, NULL) != SAC_OK ||
            fwrite(text, 1, FILE_SIZE, output.file) != FILE_SIZE ||
            sac_output_commit(&output, NULL) != SAC_OK) {
            own->failed = true;
            continue;
        }
        FILE *file = fopen(own->path, "rb");
        size_t size = file ? fread(text, 1, FILE_SIZE, file) : 0;
        own->failed |= size != FILE_SIZE || fgetc(file) != EOF;
        for (size_t i = 1; i < size; i++)
            own->failed |= text[i] != text[0];
        if (file)
            fclose(file);
    }
    own->failed |= !text;
    free(text);
    return NULL;
}

TEST(two_threads_that_save_one_path_leave_one_whole_file)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    saver savers[SAVERS];
    pthread_t threads[SAVERS];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    for (int i = 0; i < SAVERS; i++) {
        savers[i] = (saver){path, (char)('a' + i), false};
        assert_int_equal(pthread_create(&threads[i], NULL, save_again_and_again, &savers[i]), 0);
    }
    for (int i = 0; i < SAVERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SAVERS; i++)
        assert_false(savers[i].failed);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Runs `act` in a child; true where that gives true. */
static bool in_a_child(bool (*act)(const char *path), const char *path)
{
    int state = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(act(path) ? 0 : 1);
    assert_int_equal(waitpid(child, &state, 0), child);
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static bool save_in_a_process(const char *path)
{
    saver own = {path, (char)('a' + getpid() % 26), false};
    save_again_and_again(&own);
    return !own.failed;
}

TEST(so_do_two_processes)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    pid_t other = fork();
    if (other == 0)
        _exit(save_in_a_process(path) ? 0 : 1);
    bool own = in_a_child(save_in_a_process, path);
    int its = -1;
    assert_int_equal(waitpid(other, &its, 0), other);
    assert_true(own);
    assert_int_equal(its, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Where the name beside it were known, another user could plant a link there. */
TEST(the_name_beside_a_file_is_another_each_time_and_its_mode_is_the_umasks)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    sac_output one, two;
    struct stat info;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    mode_t before = umask(027);
    OK(sac_output_open(&one, path, NULL));
    OK(sac_output_open(&two, path, NULL));
    umask(before);
    assert_string_not_equal(one.temporary, two.temporary);
    sac_output_discard(&two);
    assert_int_not_equal(access(two.path, F_OK), 0);
    OK(sac_output_commit(&one, NULL));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static bool abandon_two(const char *path)
{
    sac_output one, two, three;
    bool done =
        sac_output_open(&one, path, NULL) == SAC_OK && sac_output_open(&two, path, NULL) == SAC_OK;
    sac_outputs_abandon();
    return done && sac_output_open(&three, path, NULL) == SAC_E_FILE &&
           sac_output_commit(&one, NULL) == SAC_E_FILE;
}

TEST(a_process_that_ends_early_leaves_no_part_of_a_file)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(in_a_child(abandon_two, path));
    assert_int_equal(rmdir(folder), 0);
}

/* Run as root, which could put a file in the place of the link /dev/stdout. */
static bool write_to_stdout(const char *path)
{
    sac_output output;
    struct stat before, after;
    bool done = freopen(path, "wb", stdout) && lstat("/dev/stdout", &before) == 0 &&
                sac_output_check("/dev/stdout", NULL) == SAC_OK &&
                sac_output_open(&output, "/dev/stdout", NULL) == SAC_OK &&
                fputs("whole", output.file) >= 0 && sac_output_commit(&output, NULL) == SAC_OK;
    return done && lstat("/dev/stdout", &after) == 0 && before.st_ino == after.st_ino;
}

TEST(an_output_to_stdout_goes_where_stdout_goes)
{
    char folder[] = "/tmp/saccade-test-XXXXXX", path[64], text[8] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(in_a_child(write_to_stdout, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, 7, file), 5);
    fclose(file);
    assert_string_equal(text, "whole");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void *end_of_another_thread(void *nothing)
{
    sac_activity_end();
    return nothing;
}

static char notice[SAC_ACTIVITY_SIZE];

static void keep_notice(const char *text)
{
    snprintf(notice, sizeof notice, "%s", text ? text : "the end");
}

TEST(activity_is_reported_until_its_thread_ends_it)
{
    char text[SAC_ACTIVITY_SIZE];
    pthread_t other;
    sac_activity_listen(keep_notice);
    assert_false(sac_activity_text(text));
    sac_activity_begin("compiling for %s", "device 2");
    assert_string_equal(notice, "compiling for device 2");
    assert_int_equal(pthread_create(&other, NULL, end_of_another_thread, NULL), 0);
    pthread_join(other, NULL);
    assert_true(sac_activity_text(text));
    assert_string_equal(text, "compiling for device 2");
    sac_activity_end();
    assert_false(sac_activity_text(text));
    assert_string_equal(text, "");
    assert_string_equal(notice, "the end");
    sac_activity_listen(NULL);
}

static bool always(void)
{
    return true;
}

TEST(a_wait_for_a_file_is_reported_and_none_begins_after_a_stop)
{
    char path[SAC_WAIT_SIZE];
    assert_false(sac_wait_path(path));
    OK(sac_wait_begin("a pipe", &failure));
    assert_true(sac_wait_path(path));
    assert_string_equal(path, "a pipe");
    sac_wait_end();
    assert_false(sac_wait_path(path));
    sac_cancel_when(always);
    assert_int_equal(sac_wait_begin("a pipe", &failure), SAC_E_CANCELLED);
    assert_false(sac_wait_path(path));
    sac_cancel_when(NULL);
}

TEST(spawn_drops_relative_entries_from_path)
{
    static const char *const paths[][2] = {
        {"/usr/bin:/bin", "/usr/bin:/bin"},
        {".:/usr/bin", "/usr/bin"},
        {":/usr/bin", "/usr/bin"},
        {"/usr/bin:", "/usr/bin"},
        {"/usr/bin::/bin", "/usr/bin:/bin"},
        {"bin:/bin:../x:./y", "/bin"},
        {"", "/usr/bin:/bin"},
        {".", "/usr/bin:/bin"},
    };
    char *before = strdup(getenv("PATH"));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        setenv("PATH", paths[i][0], 1);
        sac_path_drop_relative();
        assert_string_equal(getenv("PATH"), paths[i][1]);
    }
    unsetenv("PATH");
    sac_path_drop_relative();
    assert_null(getenv("PATH"));
    setenv("PATH", before, 1);
    free(before);
}

/* ---------------------------------------------------------------- base64 */

/* Those of RFC 4648, section 10. */
TEST(base64_is_that_of_the_rfc)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        sac_base64_put(file, pairs[i][0], strlen(pairs[i][0]));
        fclose(file);
        assert_string_equal(text, pairs[i][1]);
        free(text);
    }
}

/* More than is written at a time: 3 bytes of 0xff are 4 slashes. */
TEST(base64_of_many_bytes_is_whole)
{
    uint8_t bytes[9999];
    char *text = NULL;
    size_t size;
    memset(bytes, 0xff, sizeof bytes);
    FILE *file = open_memstream(&text, &size);
    sac_base64_put(file, bytes, sizeof bytes);
    fclose(file);
    assert_int_equal(size, sizeof bytes / 3 * 4);
    assert_int_equal(strspn(text, "/"), size);
    free(text);
}

TEST_MAIN(NULL, NULL)
