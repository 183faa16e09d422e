/* Sentences cut into tokens, and joined again. */
#include "pairs/languages.h"

#include "status.h"
#include "test.h"

static void assert_cut(const char *sentence, const char *tokens, const char *joined)
{
    sac_sentence_tokens t;
    char marks[64] = "";
    assert_true(sac_sentence_tokens_cut(sentence, false, &t));
    assert_string_equal(t.text, tokens);
    for (int i = 0; i < t.count; i++)
        strcat(marks, t.joined[i] ? "j" : ".");
    assert_string_equal(marks, joined);
    sac_sentence_tokens_free(&t);
}

TEST(sentences_are_cut_into_words_and_marks)
{
    assert_cut("Where is  the key?", "Where is the key ?", "....j");
    assert_cut("", "", "");
    assert_cut(" … ", "…", ".");
    assert_cut("It's 3.14, or 1,000; at 12:30.", "It's 3.14 , or 1,000 ; at 12:30 .", "..j..j..j");
    assert_cut("L’eau, «bonne» (d'ici)", "L' eau , « bonne » ( d' ici )", ".jj.jj.jjj");
    assert_cut("don't the dogs' man 's", "don't the dogs ' man 's", "...j..");
    assert_cut("so... well-known!!", "so ... well - known !!", ".j.jjj");
    /* Decomposed letters are composed: e and the acute accent. */
    assert_cut("cafe\xcc\x81", "caf\xc3\xa9", ".");
}

TEST(scripts_without_blanks_are_cut_into_characters)
{
    assert_cut("我爱你。", "我 爱 你 。", ".jjj");
    assert_cut("パンを食べる", "パン を 食 べ る", ".jjjj");
    assert_cut("나는 간다.", "나는 간다 .", "..j");
}

TEST(small_letters_are_of_all_scripts)
{
    sac_sentence_tokens t;
    assert_true(sac_sentence_tokens_cut("Ärger ДОМ ΣΑΣ", true, &t));
    assert_string_equal(t.text, "ärger дом σασ");
    sac_sentence_tokens_free(&t);
}

/* A sentence of these words, each of which joins as its letter in `joins` is. */
static void assert_joined(const char *const *words, const char *joins, const char *sentence)
{
    char text[200] = "";
    sac_joining joining = {0};
    for (int i = 0; words[i]; i++)
        sac_joining_add(&joining, words[i],
                        joins[i] == 'l'   ? SAC_JOINS_LEFT
                        : joins[i] == 'r' ? SAC_JOINS_RIGHT
                        : joins[i] == 'b' ? SAC_JOINS_LEFT | SAC_JOINS_RIGHT
                        : joins[i] == 't' ? SAC_JOINS_TURNS
                                          : 0,
                        true, text, sizeof text);
    assert_string_equal(text, sentence);
}

TEST(tokens_are_joined_as_their_marks_stand)
{
    assert_joined((const char *[]){"er", "sagte", ":", "\"", "komm", "!", "\"", ".", NULL},
                  "..lt.ltl", "Er sagte: \"komm!\".");
    assert_joined((const char *[]){"l'", "eau", "est", "-", "elle", "bonne", "?", NULL}, "r..b...",
                  "L'eau est-elle bonne ?");
    assert_joined((const char *[]){"hallo", "!", "wie", "geht", "es", "?", NULL}, ".l...l",
                  "Hallo! Wie geht es?");
    assert_joined((const char *[]){"我", "爱", "你", "。", NULL}, "...l", "我爱你。");
}

TEST_MAIN(NULL, NULL)
