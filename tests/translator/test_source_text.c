/* What a person types becomes the words that the translator knows, or gets an error. */

#include "status.h"
#include "test.h"
#include "translation/translation.h"

static sac_word_list english;

/* The words of all sentences, with " | " after each. */
static const char *words_of(const char *text)
{
    static char line[1024];
    sac_source_text read;
    OK(sac_source_text_read(&english, text, &read, &failure));
    line[0] = '\0';
    for (int i = 0, sentence = 0; i < read.count; i++) {
        strcat(line, english.words[read.words[i]]);
        bool last = i + 1 == read.ends[sentence];
        sentence += last;
        strcat(line, last ? "|" : " ");
    }
    sac_source_text_free(&read);
    return line;
}

static void assert_refused(const char *text, const char *line)
{
    char generated[1200];
    sac_source_text read;
    assert_int_equal(sac_source_text_read(&english, text, &read, &failure), SAC_E_ARGUMENT);
    assert_string_equal(sac_error_line(&failure, generated, sizeof generated), line);
    assert_null(read.words);
    assert_null(read.ends);
}

TEST(capitals_and_blanks_do_not_matter)
{
    assert_string_equal(words_of("  The EUROPEAN\tEconomic \n Area "),
                        "the european economic area|");
}

TEST(a_sentence_ends_at_a_stop_of_any_kind)
{
    assert_string_equal(words_of("the king sleeps."), "the king sleeps .|");
    assert_string_equal(words_of("the king sleeps!! The dog sleeps? a cat"),
                        "the king sleeps .|the dog sleeps .|a cat|");
}

TEST(other_punctuation_parts_words_and_is_left_out)
{
    assert_string_equal(words_of("\"the king\", (the european-economic area); – 1992:"),
                        "the king the european economic area 1992|");
    assert_string_equal(words_of("«the king»"), "the king|");
}

TEST(an_accent_does_not_hide_a_word)
{
    assert_string_equal(words_of("THÉ kîng"), "the king|");
}

TEST(an_unknown_word_is_named_with_the_nearest_known_ones)
{
    assert_refused(
        "the kingg sleeps",
        "kingg: is no word that the translator knows; did you mean king, kings or sing?");
    assert_refused("the xylophonist",
                   "xylophonist: is no word that the translator knows; see --list-words");
}

TEST(a_text_without_words_is_refused)
{
    const char *line = "sentence: has no words; give an English one, between quotes";
    assert_refused("", line);
    assert_refused(" \n", line);
    assert_refused("... ?!", line);
}

TEST(bytes_that_are_no_text_part_words)
{
    assert_string_equal(words_of("the\xff\xc3 king\xc3"), "the king|");
}

TEST(a_word_of_any_length_is_cut_not_written_past_its_end)
{
    char text[5000], generated[1200];
    sac_source_text read;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(sac_source_text_read(&english, text, &read, &failure), SAC_E_ARGUMENT);
    assert_non_null(strstr(sac_error_line(&failure, generated, sizeof generated), "is no word"));
}

static int open_words(void **state)
{
    (void)state;
    return sac_word_list_create(SAC_ENGLISH, &english, NULL) == SAC_OK ? 0 : -1;
}

static int close_words(void **state)
{
    (void)state;
    sac_word_list_free(&english);
    return 0;
}

TEST_MAIN(open_words, close_words)
