/* src/library/arrays: token labels from text, JSON and arrays. */
#include "scratch.h"

#include "arrays/labels.h"
#include "saccade_arrays.h"
#include "status.h"

static void check(const sac_labels *labels, size_t count, const char *const *expected)
{
    assert_int_equal(labels->count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(labels->text[i], expected[i]);
}

/* Of a file that has one list of labels a side. */
static sac_status load(const char *path, sac_labels *rows, sac_labels *columns, sac_error *error)
{
    sac_label_lists for_rows, for_columns;
    sac_status status = sac_labels_load(path, &for_rows, &for_columns, error);
    *rows = *columns = (sac_labels){0};
    if (status == SAC_OK) {
        assert_true(for_rows.count == 1 && for_columns.count == 1);
        *rows = for_rows.list[0];
        *columns = for_columns.list[0];
        for_rows.list[0] = for_columns.list[0] = (sac_labels){0};
    }
    sac_label_lists_free(&for_rows);
    sac_label_lists_free(&for_columns);
    return status;
}

/* What the file `name` with this content gives for rows and for columns. */
static void gives(scratch *s, const char *name, const char *content, size_t count,
                  const char *const *expected)
{
    sac_labels rows, columns;
    const char *path = scratch_write(s, name, content, strlen(content));
    OK(load(path, &rows, &columns, &failure));
    check(&rows, count, expected);
    check(&columns, count, expected);
    sac_labels_free(&rows);
    sac_labels_free(&columns);
}

static void refuse(scratch *s, const char *name, const char *content, const char *expected)
{
    sac_labels rows, columns;
    const char *path = scratch_write(s, name, content, strlen(content));
    assert_int_equal(load(path, &rows, &columns, &failure), SAC_E_FORMAT);
    assert_null(rows.text);
    assert_null(columns.text);
    assert_line(s, &failure, expected);
}

IN_SCRATCH(a_text_file_has_one_label_a_line)
{
    gives(s, "a.txt", "the\ncat\n", 2, (const char *const[]){"the", "cat"});
    gives(s, "a.txt", "the\r\ncat", 2, (const char *const[]){"the", "cat"});
    gives(s, "a.txt", "größe\n\n世界\n", 3, (const char *const[]){"größe", "", "世界"});
    gives(s, "a.txt", "\xef\xbb\xbfthe\n", 1, (const char *const[]){"the"});
    gives(s, "a.txt", "\n", 1, (const char *const[]){""});
}

IN_SCRATCH(text_that_only_starts_like_json_stays_text)
{
    gives(s, "a.txt", "[CLS]\nthe\n[SEP]\n", 3, (const char *const[]){"[CLS]", "the", "[SEP]"});
}

IN_SCRATCH(a_json_list_labels_rows_and_columns)
{
    gives(s, "a.json", " [\"the\", \"gr\\u00f6\\u00dfe\"]\n", 2,
          (const char *const[]){"the", "größe"});
    gives(s, "a.txt", "[\"the\", \"cat\"]", 2, (const char *const[]){"the", "cat"});
    gives(s, "a.json", "{\"rows\": [\"the\"]}", 1, (const char *const[]){"the"});
    gives(s, "a.json", "{\"columns\": [\"the\"]}", 1, (const char *const[]){"the"});
    gives(s, "a.json", "[]", 0, NULL);
}

IN_SCRATCH(json_may_label_rows_and_columns_apart)
{
    const char *json = "{\"rows\": [\"der\", \"Hund\"], \"columns\": [\"the\"]}";
    sac_labels rows, columns;
    const char *path = scratch_write(s, "a.json", json, strlen(json));
    OK(load(path, &rows, &columns, NULL));
    check(&rows, 2, (const char *const[]){"der", "Hund"});
    check(&columns, 1, (const char *const[]){"the"});
    sac_labels_free(&rows);
    sac_labels_free(&columns);
}

IN_SCRATCH(one_set_of_names_is_read_in_every_kind_of_file)
{
    static const char *const both[] = {"tokens", "labels", "words"};
    static const char *const apart[][2] = {{"rows", "columns"},
                                           {"row_labels", "column_labels"},
                                           {"target", "source"},
                                           {"target_tokens", "source_tokens"},
                                           {"query_tokens", "key_tokens"},
                                           {"decoder_tokens", "encoder_tokens"},
                                           {"left_text", "right_text"},
                                           {"y_tokens", "x_tokens"},
                                           {"decoder_input_ids", "encoder_input_ids"}};
    char text[128];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "{\"%s\": [\"the\", \"cat\"], \"more\": 3}", both[i]);
        gives(s, "a.json", text, 2, (const char *const[]){"the", "cat"});
    }
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        sac_labels rows, columns;
        char *words[] = {"a", "b"};
        sac_array one = sac_array_view(SAC_TEXT, 1, (size_t[]){1}, words);
        sac_array two = sac_array_view(SAC_TEXT, 1, (size_t[]){2}, words);
        sac_named_array arrays[] = {{apart[i][0], &one}, {apart[i][1], &two}};
        const char *path = scratch_path(s, "a.npz");
        OK(sac_npz_save(path, arrays, 2, NULL));
        OK(load(path, &rows, &columns, NULL));
        assert_true(rows.count == 1 && columns.count == 2);
        sac_labels_free(&rows);
        sac_labels_free(&columns);
        snprintf(text, sizeof text, "{\"%s\": [\"a\"], \"%s\": [\"a\", \"b\"]}", apart[i][0],
                 apart[i][1]);
        path = scratch_write(s, "a.json", text, strlen(text));
        OK(load(path, &rows, &columns, NULL));
        assert_true(rows.count == 1 && columns.count == 2);
        sac_labels_free(&rows);
        sac_labels_free(&columns);
    }
}

static void reads_as(size_t count, const char *const *tokens, const char *const *expected)
{
    sac_labels labels;
    sac_array array = sac_array_view(SAC_TEXT, 1, &count, tokens);
    OK(sac_labels_from_array(&array, &labels, NULL));
    OK(sac_labels_make_readable(&labels, false, NULL));
    check(&labels, count, expected);
    sac_labels_free(&labels);
}

TEST(tokens_of_one_byte_are_their_character)
{
    reads_as(8,
             (const char *const[]){"▁a", "<0x0A>", "<0x41>", "<0x20>", "<0xE4>", "<0x00>", "<0xG1>",
                                   "<0x0A"},
             (const char *const[]){"·a", "⏎", "A", "␣", "‹E4›", "‹00›", "<0xG1>", "<0x0A"});
}

/* Where the tokens are known to be bytes, or one has their mark. */
TEST(a_byte_that_is_a_part_of_a_letter_is_its_number)
{
    reads_as(4, (const char *const[]){"Ġto", "Ģ", "ĠðŁ", "aĺĢ"},
             (const char *const[]){"·to", "‹80›", "·‹F0 9F›", "a‹98 80›"});
    reads_as(2, (const char *const[]){"to", "Ģ"}, (const char *const[]){"to", "Ģ"}); /* a letter */
    sac_labels labels;
    sac_array array = sac_array_view(SAC_TEXT, 1, (size_t[]){2}, (const char *[]){"to", "Ģ"});
    OK(sac_labels_from_array(&array, &labels, NULL));
    OK(sac_labels_make_readable(&labels, true, NULL));
    check(&labels, 2, (const char *const[]){"to", "‹80›"});
    sac_labels_free(&labels);
}

/* In a language without blanks no token has the mark of one. */
TEST(tokens_of_bytes_are_known_by_the_letters_that_they_spell)
{
    reads_as(4, (const char *const[]){"ä¸Ń", "åĽ½", "é¦", "ĸ"},
             (const char *const[]){"中", "国", "首¹", "首²"});
    reads_as(3, (const char *const[]){"<|im_start|>", "ä¸Ńå", "Ľ"},
             (const char *const[]){"<|im_start|>", "中‹E5›", "‹9B›"}); /* one that never ends */
    reads_as(2, (const char *const[]){"Ġæ", "Ĺ¥"}, (const char *const[]){"·日¹", "日²"});
    reads_as(5, (const char *const[]){"ðŁ", "ĺ", "Ģ", "<｜end｜>", "Ġto"},
             (const char *const[]){"😀¹", "😀²", "😀³", "<｜end｜>", "·to"});
    reads_as(3, (const char *const[]){"å", "Ľ½é¦", "ĸa"},
             (const char *const[]){"国¹", "国²首¹", "首²a"});
    /* letters of their own: bytes that no text has, or nothing that only bytes are written as */
    reads_as(3, (const char *const[]){"Łódź", "ğ", "ēģ"}, (const char *const[]){"Łódź", "ğ", "ēģ"});
    reads_as(2, (const char *const[]){"Ã©", "é"}, (const char *const[]){"Ã©", "é"});
    /* a letter that would begin in a label which is none of bytes */
    reads_as(4, (const char *const[]){"世ä", "¸Ń", "é¦", "ĸ"},
             (const char *const[]){"世ä", "¸Ń", "é¦", "ĸ"});
    reads_as(4, (const char *const[]){"é¦", "世", "ĸ", "ä¸Ń"},
             (const char *const[]){"é¦", "世", "ĸ", "ä¸Ń"});
}

TEST(tokens_are_shown_as_people_read_them)
{
    reads_as(7, (const char *const[]){"The", "Ġcaf", "Ã©", "Ċ", "Ġ", "ĠĠ", "Ã"},
             (const char *const[]){"The", "·caf", "é", "⏎", "␣", "␣␣", "Ã"});
    reads_as(4, (const char *const[]){"▁The", "s", "▁", "größe"},
             (const char *const[]){"·The", "s", "␣", "größe"});
    reads_as(4, (const char *const[]){"[CLS]", "play", "##ing", "##"},
             (const char *const[]){"[CLS]", "play", "ing", "##"});
    reads_as(2, (const char *const[]){"cat</w>", "</w>"}, (const char *const[]){"cat", "</w>"});
    reads_as(6, (const char *const[]){"", " ", "\n\n", "\t", " a b", "\x01"},
             (const char *const[]){"␣", "␣", "⏎⏎", "⇥", "·a b", "�"});
}

/* Bytes that are no UTF-8, which a list made in memory may hold, are shown and overrun nothing. */
TEST(bytes_that_are_no_utf8_are_shown_as_unknown)
{
    reads_as(6,
             (const char *const[]){"x\xe2", "\xf0\x9f\x98", "\xff\xff\xff\xff", "a\xde\x41", "\x80",
                                   "\xc3Ġ"},
             (const char *const[]){"x�", "���", "����", "a�A", "�", "� "});
    reads_as(3, (const char *const[]){"\xef\xbf\xbe", "\xef\xb7\x90", "\xf4\x8f\xbf\xbf"},
             (const char *const[]){"�", "�", "�"}); /* U+FFFE, U+FDD0, U+10FFFF: no characters */
}

IN_SCRATCH(labels_refuse_json_that_is_no_list_of_text)
{
    refuse(s, "a.txt", "the\ncat \xff\n", "a.txt: line 2 is not valid UTF-8; save the labels as…");
    refuse(s, "a.json", "[\"the\"", "a.json: is not valid JSON; check it with a JSON tool");
    refuse(s, "a.json", "[\"the\", 7]", "a.json: item 1 is not a string; give strings");
    refuse(
        s, "a.json", "7",
        "a.json: is not a list of strings; give [\"a\", …] or {\"rows\": […], \"columns\": […]}");
    refuse(s, "a.json", "{\"letters\": []}",
           "a.json: holds neither \"tokens\" nor \"rows\" nor \"columns\"; give [\"a\", …] or "
           "{\"rows\": […], "
           "\"columns\": […]}");
    refuse(s, "a.json", "{\"rows\": [\"a\"], \"columns\": [\"a\", 7]}",
           "a.json: columns: item 1 is not a string; give strings");
    refuse(s, "a.txt", "", "a.txt: is empty; check how it was made");
    sac_labels rows, columns;
    assert_int_equal(load(scratch_path(s, "none"), &rows, &columns, &failure), SAC_E_FILE);
    assert_line(s, &failure, "none: cannot be opened: No such file or directory; check the name");
}

/* ---------------------------------------------------------------- arrays */

static const char *save(scratch *s, const char *first, const sac_array *a, const char *second,
                        const sac_array *b)
{
    sac_named_array list[] = {{first, a}, {second, b}};
    const char *path = scratch_path(s, "labels.npz");
    OK(sac_npz_save(path, list, second ? 2 : 1, NULL));
    return path;
}

IN_SCRATCH(arrays_of_text_are_labels)
{
    char *words[] = {"the", "größe"}, *other[] = {"世界"};
    float numbers[] = {1, 2};
    sac_array text = sac_array_view(SAC_TEXT, 1, (size_t[]){2}, words);
    sac_array more = sac_array_view(SAC_TEXT, 1, (size_t[]){1}, other);
    sac_array values = sac_array_view(SAC_F32, 1, (size_t[]){2}, numbers);
    sac_labels rows, columns;

    const char *path = save(s, "tokens", &text, "weights", &values); /* the only text */
    OK(load(path, &rows, &columns, &failure));
    check(&rows, 2, (const char *const *)words);
    check(&columns, 2, (const char *const *)words);
    sac_labels_free(&rows);
    sac_labels_free(&columns);

    path = save(s, "rows", &text, "columns", &more);
    OK(load(path, &rows, &columns, &failure));
    check(&rows, 2, (const char *const *)words);
    check(&columns, 1, (const char *const *)other);
    sac_labels_free(&rows);
    sac_labels_free(&columns);

    path = save(s, "a", &text, "labels", &more);
    OK(load(path, &rows, &columns, &failure));
    check(&rows, 1, (const char *const *)other);
    sac_labels_free(&rows);
    sac_labels_free(&columns);
}

IN_SCRATCH(arrays_that_are_no_labels_are_refused)
{
    char *words[] = {"the", "cat"};
    float numbers[] = {1, 2};
    sac_array text = sac_array_view(SAC_TEXT, 1, (size_t[]){2}, words);
    sac_array table = sac_array_view(SAC_TEXT, 2, (size_t[]){1, 2}, words);
    sac_array values = sac_array_view(SAC_F32, 1, (size_t[]){2}, numbers);
    sac_labels rows, columns;
    assert_int_equal(load(save(s, "a", &text, "b", &text), &rows, &columns, &failure),
                     SAC_E_FORMAT);
    assert_line(s, &failure, "labels.npz: holds 2 arrays of text; name them \"rows\"…");
    assert_int_equal(load(save(s, "rows", &text, "columns", &values), &rows, &columns, &failure),
                     SAC_E_ARGUMENT);
    assert_line(s, &failure,
                "labels.npz: columns: holds float32, not text; give an array of strings");
    assert_null(rows.text);
    table = sac_array_view(SAC_TEXT, 2, (size_t[]){2, 1}, words);
    assert_int_equal(sac_labels_from_array(&table, &rows, &failure), SAC_E_SHAPE);
    assert_line(s, &failure, "shape [2,1] is not a list; give a list of strings");
}

static void check_lists(const sac_label_lists *lists, size_t first, const char *const *words)
{
    assert_int_equal(lists->count, 2);
    check(&lists->list[0], first, words);
    check(&lists->list[1], 2, words + first);
}

IN_SCRATCH(each_item_of_a_batch_may_have_its_own_labels)
{
    const char *const words[] = {"the", "cat", "le", "chat"}, *const ids[] = {"-1", "7", "8",
                                                                              "300"};
    int64_t numbers[] = {-1, 7, 8, 300};
    const sac_array text = sac_array_view(SAC_TEXT, 2, (size_t[]){2, 2}, words);
    const sac_array whole = sac_array_view(SAC_I64, 2, (size_t[]){2, 2}, numbers);
    sac_label_lists rows, columns;
    OK(sac_labels_load(save(s, "tokens", &text, NULL, NULL), &rows, &columns, NULL));
    check_lists(&rows, 2, words);
    check_lists(&columns, 2, words);
    sac_label_lists_free(&rows);
    sac_label_lists_free(&columns);
    OK(sac_label_lists_from_array(&whole, &rows, NULL));
    check_lists(&rows, 2, ids);
    sac_label_lists_free(&rows);

    const char *json = "[[\"a\"], [\"b\", \"c\"]]"; /* sentences of their own lengths */
    OK(sac_labels_load(scratch_write(s, "a.json", json, strlen(json)), &rows, &columns, NULL));
    check_lists(&rows, 1, (const char *const[]){"a", "b", "c"});
    sac_label_lists_free(&rows);
    sac_label_lists_free(&columns);
    gives(s, "a.json", "[[\"the\", \"cat\"]]", 2, (const char *const[]){"the", "cat"});
    gives(s, "a.json", "[101, 2003]", 2, (const char *const[]){"101", "2003"});
    refuse(s, "a.json", "[[\"a\"], 7]",
           "a.json: item 1 is not a list of strings; give a list for…");
}

IN_SCRATCH(a_copy_stands_on_its_own)
{
    char *words[] = {"the", "cat"};
    sac_array text = sac_array_view(SAC_TEXT, 1, (size_t[]){2}, words);
    sac_labels labels, copy;
    OK(sac_labels_from_array(&text, &labels, NULL));
    OK(sac_labels_copy(&labels, &copy, NULL));
    sac_labels_free(&labels);
    assert_int_equal(labels.count, 0);
    check(&copy, 2, (const char *const *)words);
    sac_labels_free(&copy);
    sac_labels_free(NULL);
}

TEST_MAIN(NULL, NULL)
