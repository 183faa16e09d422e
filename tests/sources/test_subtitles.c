/* Subtitles: which words are a cue, when it is shown, and the two files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sources/words/subtitles.h"
#include "status.h"
#include "test.h"

enum { WORDS = 80 };

/* A word of a sound, or a time that the model generated, "<|1.20|>". */
typedef struct token_run {
    const char *share;
    float begin;
} token_run;

static sac_result caption_of(const token_run *words, float from, float until)
{
    sac_result caption = {.from = from, .until = until, .seconds = until - from};
    char line[4096] = "";
    size_t ends[WORDS];
    bool is_time[WORDS];
    float time[WORDS];
    for (int i = 0, times = 0; words[i].share; i++) {
        sac_result_output *word = &caption.outputs[caption.count++];
        is_time[i] = sscanf(words[i].share, "<|%f|>", &time[times]) == 1;
        times += is_time[i];
        if (!is_time[i])
            strcat(line, words[i].share);
        ends[i] = strlen(line);
        word->is_timed = true;
        word->begin = words[i].begin;
    }
    assert_true(sac_result_take_line(&caption, strdup(line), ends, is_time));
    sac_result_set_apart(&caption, is_time);
    for (int i = 0; i < caption.special_count; i++) {
        caption.specials[i].is_time = true;
        caption.specials[i].time = from + time[i];
    }
    return caption;
}

static void add(sac_subtitles *all, const token_run *words, float from, float until)
{
    sac_result caption = caption_of(words, from, until);
    OK(sac_subtitles_add(all, &caption, &failure));
    sac_result_free(&caption);
}

static void assert_cues(sac_subtitles *all, const sac_cue *expected, size_t count)
{
    assert_int_equal(all->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(all->list[i].text, expected[i].text);
        assert_int_equal(all->list[i].begin, expected[i].begin);
        assert_int_equal(all->list[i].end, expected[i].end);
    }
    sac_subtitles_free(all);
}
#define CUES(all, ...)                                                                             \
    assert_cues(all, (const sac_cue[]){__VA_ARGS__},                                               \
                sizeof((const sac_cue[]){__VA_ARGS__}) / sizeof(sac_cue))

TEST(sentences_and_pauses_end_a_cue)
{
    sac_subtitles all = {0};
    add(&all,
        (token_run[]){{" The", 0.5f},
                      {" c", 0.7f},
                      {"at", 0.8f},
                      {" sees", 1},
                      {".", 1.6f},
                      {" A", 2},
                      {" dog", 2.2f},
                      {" sees", 5},
                      {" it", 5.2f},
                      {NULL, 0}},
        0, 6);
    CUES(&all, {500, 2000, "The cat sees."}, {2000, 5000, "A dog"}, {5000, 6000, "sees it"});
}

/* "No." alone would be shown for less than a second. */
TEST(short_sentence_stays_with_the_next)
{
    sac_subtitles all = {0};
    add(&all, (token_run[]){{" No", 0}, {".", 0.2f}, {" Never", 0.4f}, {".", 1.2f}, {NULL, 0}}, 0,
        2);
    CUES(&all, {0, 2000, "No. Never."});
}

TEST(times_of_the_model_are_those_of_its_cues)
{
    sac_subtitles all = {0};
    add(&all,
        (token_run[]){{"<|0.00|>", 0},
                      {" One", 0.1f},
                      {".", 0.3f},
                      {" Two", 1.5f},
                      {".", 1.8f},
                      {"<|2.50|>", 2},
                      {"<|3.00|>", 2},
                      {" Three", 2.9f},
                      {"<|4.00|>", 5},
                      {"<|4.00|>", 5},
                      {NULL, 0}},
        0, 30);
    add(&all, (token_run[]){{"<|0.50|>", 4}, {" Four", 4.6f}, {NULL, 0}}, 4, 6.25f);
    CUES(&all, {0, 2500, "One. Two."}, {3000, 4000, "Three"}, {4500, 6250, "Four"});
}

TEST(long_segment_is_cut_at_a_comma_into_lines_of_42_columns)
{
    static const char text[] =
        "when the little brown dog had seen the very large cat on the roof, it ran away "
        "as fast as its short legs could carry it";
    sac_subtitles all = {0};
    token_run words[WORDS] = {{"<|0.00|>", 0}};
    char copy[sizeof text], shares[WORDS][20], *rest = NULL;
    int count = 1;
    memcpy(copy, text, sizeof text);
    for (char *t = strtok_r(copy, " ", &rest); t; t = strtok_r(NULL, " ", &rest), count++) {
        snprintf(shares[count], sizeof shares[count], " %s", t);
        words[count] = (token_run){shares[count], 0.25f * (float)count};
    }
    words[count] = (token_run){"<|6.90|>", 6.9f};
    add(&all, words, 0, 30);
    CUES(&all, {0, 3750, "when the little brown dog had seen\nthe very large cat on the roof,"},
         {3750, 6900, "it ran away as fast as its\nshort legs could carry it"});
}

TEST(no_cue_is_longer_than_seven_seconds_or_without_length)
{
    sac_subtitles all = {0};
    add(&all,
        (token_run[]){{" a", 0},
                      {" b", 1},
                      {" c", 2},
                      {" d", 3},
                      {" e", 4},
                      {" f", 5},
                      {" g", 6},
                      {" h", 7},
                      {" i", 8},
                      {NULL, 0}},
        0, 30);
    add(&all, (token_run[]){{" end", 30}, {NULL, 0}}, 30, 30);
    CUES(&all, {0, 7000, "a b c d e f g"}, {7000, 14000, "h i"}, {30000, 30020, "end"});
}

TEST(chinese_is_broken_between_characters_but_not_before_a_comma)
{
    sac_subtitles all = {0};
    token_run words[WORDS] = {{NULL, 0}};
    for (int i = 0; i < 30; i++)
        words[i] = (token_run){i == 15 ? "，" : "猫", 0.1f * (float)i};
    add(&all, words, 0, 3);
    CUES(&all, {0, 3000, "猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫，\n猫猫猫猫猫猫猫猫猫猫猫猫猫猫"});
}

TEST(breaks_of_lines_in_a_text_end_no_cue)
{
    sac_subtitles all = {0};
    add(&all, (token_run[]){{" a\n", 0}, {"\n", 0.1f}, {"b\t", 0.2f}, {" c ", 0.3f}, {NULL, 0}}, 0,
        1);
    CUES(&all, {0, 1000, "a b c"});
}

TEST(words_of_a_picture_have_no_times)
{
    sac_subtitles all = {0};
    sac_result caption = {.count = 1};
    REFUSES(SAC_E_ARGUMENT,
            "subtitles: the words of this model have no times; give a sound to a model of speech, "
            "as Whisper",
            sac_subtitles_add(&all, &caption, &failure));
    assert_int_equal(all.count, 0);
}

static void assert_file(const sac_subtitles *all, sac_subtitles_form form, const char *expected)
{
    char path[] = "/tmp/subtitles-XXXXXX", text[512];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    OK(sac_subtitles_save(all, form, path, &failure));
    FILE *in = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    unlink(path);
    assert_string_equal(text, expected);
}

TEST(files_are_subrip_and_webvtt)
{
    sac_subtitles all = {0};
    assert_file(&all, SAC_SUBTITLES_SRT, "");
    assert_file(&all, SAC_SUBTITLES_VTT, "WEBVTT\n");
    add(&all, (token_run[]){{" a <b> & é --> c", 3723.5f}, {NULL, 0}}, 3720, 3725.004f);
    add(&all, (token_run[]){{" d", 3726}, {NULL, 0}}, 3725.004f, 3727);
    assert_file(&all, SAC_SUBTITLES_SRT,
                "1\n01:02:03,500 --> 01:02:05,004\na <b> & é --> c\n\n"
                "2\n01:02:06,000 --> 01:02:07,000\nd\n");
    assert_file(&all, SAC_SUBTITLES_VTT,
                "WEBVTT\n\n01:02:03.500 --> 01:02:05.004\na &lt;b&gt; &amp; é --&gt; c\n\n"
                "01:02:06.000 --> 01:02:07.000\nd\n");
    sac_subtitles_free(&all);
}

TEST_MAIN(NULL, NULL)
