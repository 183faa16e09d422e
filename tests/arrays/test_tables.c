/* src/library/arrays/text: tables of numbers, and arrays in JSON. */
#include "scratch.h"

#include <math.h>

#include "arrays/arrays.h"
#include "saccade_arrays.h"
#include "status.h"

/* The words that an array of text holds, with blanks between. */
static void check_words(const sac_arrays *arrays, const char *name, const char *expected)
{
    char all[200] = "";
    const sac_array *array = sac_arrays_find(arrays, name);
    for (size_t i = 0; array && i < sac_array_count(array); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "",
                 ((char **)array->data)[i]);
    assert_string_equal(all, expected);
}

/* `numbers`: all that the array holds. */
static void check_numbers(const sac_arrays *arrays, const char *name, const char *shape,
                          const float *numbers)
{
    const sac_array *array = sac_arrays_find(arrays, name);
    char text[80];
    float read[64];
    assert_non_null(array);
    assert_string_equal(sac_array_shape_text(array, text, sizeof text), shape);
    assert_true(sac_array_count(array) <= 64);
    OK(sac_array_to_f32(array, read, NULL));
    for (size_t i = 0; i < sac_array_count(array); i++)
        if (isnan(numbers[i]) ? !isnan(read[i]) : read[i] != numbers[i])
            fail_msg("%s: number %zu is %g, not %g", name, i, (double)read[i], (double)numbers[i]);
}

static sac_arrays *open_text(scratch *s, const char *name, const char *content)
{
    sac_arrays *arrays;
    OK(sac_arrays_open(scratch_write(s, name, content, strlen(content)), &arrays, &failure));
    return arrays;
}

/* A table of these numbers, with names of the rows and the columns ("": it has none). */
static void table(scratch *s, const char *content, const char *shape, const float *numbers,
                  const char *rows, const char *columns)
{
    sac_arrays *arrays = open_text(s, "a.csv", content);
    check_numbers(arrays, "array", shape, numbers);
    check_words(arrays, "rows", rows);
    check_words(arrays, "columns", columns);
    sac_arrays_close(arrays);
}

static void refuse(scratch *s, const char *name, const char *content, const char *expected)
{
    sac_arrays *arrays;
    const char *path = scratch_write(s, name, content, strlen(content));
    assert_int_equal(sac_arrays_open(path, &arrays, &failure), SAC_E_FORMAT);
    assert_null(arrays);
    assert_line(s, &failure, expected);
}

static const float halves[] = {.5F, .25F, -1, 2};

IN_SCRATCH(a_table_has_any_usual_separator)
{
    table(s, "0.5,0.25\n-1,2\n", "[2,2]", halves, "", "");
    table(s, "0.5, 0.25\r\n-1, 2", "[2,2]", halves, "", "");
    table(s, "0.5\t0.25\n-1\t2\n", "[2,2]", halves, "", "");
    table(s, "0.5;0.25\n-1;2\n", "[2,2]", halves, "", "");
    table(s, "\xef\xbb\xbf  0.5   0.25\n\n -1e0    +2 \n", "[2,2]", halves, "", "");
    table(s, "5e-1 2.5e-01", "[1,2]", halves, "", "");
}

IN_SCRATCH(a_comma_is_the_decimal_mark_where_it_separates_nothing)
{
    table(s, "0,5;0,25\n-1;2\n", "[2,2]", halves, "", "");
    table(s, "0,5\t0,25\n-1,0\t2\n", "[2,2]", halves, "", "");
    table(s, "0,5 0,25\n-1 2\n", "[2,2]", halves, "", "");
    refuse(s, "a.csv", "0,5;0,25\n-1;2.0\n",
           "a.csv: line 2, field 2: “2.0” has another decimal mark than the numbers before; …");
    refuse(s, "a.csv", "0.5;0.25\n-1;1,000.5\n",
           "a.csv: line 2, field 2: “1,000.5” is no number; …");
}

IN_SCRATCH(a_header_and_a_first_column_give_names)
{
    table(s, "layer 0, head 0\tthe\t\"\nsat\t0.5\t0.25\n\"\t-1\t2\n", "[2,2]", halves, "sat \"",
          "the \"");
    table(s, "\"layer 0, head 0\",the,\"\"\"\"\nsat,.5,.25\n\",\",-1,2\n", "[2,2]", halves, "sat ,",
          "the \"");
    table(s, "the,cat\n0.5,0.25\n-1,2\n", "[2,2]", halves, "", "the cat");
    table(s, "sat,0.5,0.25\non,-1,2\n", "[2,2]", halves, "sat on", "");
    table(s, ",the,cat\n0,0.5,0.25\n1,-1,2\n", "[2,2]", halves, "", "the cat"); /* pandas' index */
    table(s, "the cat\n0.5 0.25\n-1 2\n", "[2,2]", halves, "", "the cat");
    table(s, "\"the\" \"cat\"\n\"1\" 0.5 0.25\n\"2\" -1 2\n", "[2,2]", halves, "",
          "the cat"); /* R */
    table(s, "x,'=a,'-b\n'@c,0.5,0.25\n'+d,-1,2\n", "[2,2]", halves, "@c +d", "=a -b");
    table(s, "# the cat\n0.5 0.25\n-1 2\n", "[2,2]", halves, "", "the cat"); /* numpy.savetxt */
    table(s, "# one line of comment\n0.5 0.25\n-1 2\n", "[2,2]", halves, "", "");
}

IN_SCRATCH(numbers_that_count_are_no_names)
{
    const float six[] = {.5F, .25F, .25F, 1, 0, 0};
    table(s, "title\t0\t1\t2\n0\t.5\t.25\t.25\n1\t1\t0\t0\n", "[2,3]", six, "", "");
    table(s, "0,1,2\n.5,.25,.25\n1,0,0\n", "[2,3]", six, "", "");
    table(s, "0 1 2\n3 4 5\n", "[2,3]", (const float[]){0, 1, 2, 3, 4, 5}, "", "");
}

IN_SCRATCH(what_has_no_number_is_nan)
{
    table(s, "0.5,,nan\nNA,inf,-Infinity\n", "[2,3]",
          (const float[]){.5F, NAN, NAN, NAN, INFINITY, -INFINITY}, "", "");
}

IN_SCRATCH(a_ragged_row_is_named_by_its_line)
{
    refuse(s, "a.csv", "the,cat\n\n1,0\n.5,.25,.25\n",
           "a.csv: line 4 has 3 fields, line 1 has 2; give all rows as many");
    refuse(s, "a.tsv", "x\tthe\tcat\nsat\t1\t0\non\t0.5\n",
           "a.tsv: line 3 has 2 fields, line 1 has 3; give all rows as many");
    refuse(s, "a.csv", "1,0\n0,one\n", "a.csv: line 2, field 2: “one” is no number; …");
    refuse(
        s, "a.csv", "1,0\n0,1\n1,two\n",
        "a.csv: line 3, field 2: “two” is no number; give numbers, and names in the first line …");
    refuse(s, "a.csv", "1,0\n0,1\n\xff,1\n", "a.csv: line 3 is not UTF-8; save it as UTF-8");
}

/* Labels, captions and other texts are none. */
IN_SCRATCH(text_is_no_table)
{
    static const char *const texts[] = {"hello, world",
                                        "the\ncat\n",
                                        "101\n2003\n",
                                        "Hello\nWorld 2024\n",
                                        "the\t1\ncat\t2\n",
                                        "image\tcaption\na.jpg\ta cat\n",
                                        "a.jpg,10,20,a cat\nb.jpg,1,2,a dog\n",
                                        "[CLS]\n[SEP]\n",
                                        "[\"the\", \"cat\"]",
                                        "{\"tokens\": [[101, 2003]]}",
                                        "[101, 2003]",
                                        "{\"annotations\": [{\"segmentation\": [[1.5, 2]]}]}",
                                        "{\"rows\": [\"a\"]}",
                                        "",
                                        "1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (sac_arrays_is_known_format((const uint8_t *)texts[i], strlen(texts[i])))
            fail_msg("“%s” is taken for arrays", texts[i]);
    const char *ids = "[[101, 2003], [101, 7]]"; /* labels beside arrays, and arrays alone */
    assert_false(sac_arrays_is_known_format((const uint8_t *)ids, strlen(ids)));
    sac_arrays *arrays = open_text(s, "a.json", ids);
    check_numbers(arrays, "array", "[2,2]", (const float[]){101, 2003, 101, 7});
    sac_arrays_close(arrays);
}

IN_SCRATCH(json_holds_lists_of_numbers)
{
    sac_arrays *arrays = open_text(s, "a.json", " [[[0.5, 0.25], [-1, 2]]]");
    check_numbers(arrays, "array", "[1,2,2]", halves);
    sac_arrays_close(arrays);
    arrays = open_text(s, "a.json",
                       "{\"query\": [[0.5, 0.25], [-1, 2]], \"key\": [[1, null]], \"tokens\": "
                       "[\"the\", \"cat\"], \"input_ids\": [[101, 7]], \"mask\": [[true, false]], "
                       "\"scale\": 0.5, \"by\": \"hand\", \"of\": {\"grid\": [2, 1]}}");
    check_numbers(arrays, "query", "[2,2]", halves);
    check_numbers(arrays, "key", "[1,2]", (const float[]){1, NAN});
    check_words(arrays, "tokens", "the cat");
    assert_int_equal(sac_arrays_find(arrays, "input_ids")->dtype, SAC_I64);
    assert_int_equal(sac_arrays_find(arrays, "mask")->dtype, SAC_BOOL);
    check_numbers(arrays, "scale", "[]", halves);
    check_numbers(arrays, "of.grid", "[2]", (const float[]){2, 1});
    assert_null(sac_arrays_find(arrays, "by"));
    sac_arrays_close(arrays);
    refuse(s, "a.json", "[[1.5, 2], [3]]",
           "a.json: array: the list [1] has 1 elements, the first one there has 2; give all rows "
           "as …");
    refuse(s, "a.json", "{\"attn\": [[[1.5], [3]], [[1], [2, 3]]]}",
           "a.json: attn: the list [1][1] has 2 elements, the first one there has 1; …");
    refuse(s, "a.json", "{\"attn\": [[1, \"a\"]]}",
           "a.json: attn: element 1 is of another kind than the first; …");
}

/* As `saccade caption --json` and `saccade translate --json` write them. */
IN_SCRATCH(words_with_their_weights_are_rows)
{
    sac_arrays *arrays = open_text(
        s, "a.json",
        "{\"caption\": \"a cat\", \"ms\": 3.5, \"words\": [{\"word\": \"a\", \"weights\": [0.5, "
        "0.25]}, {\"word\": \"\", \"token\": \"<cat>\", \"weights\": [-1, 2]}, {\"word\": \".\", "
        "\"weights\": null}], \"grid\": [2, 1], \"source\": [\"un\", \"chat\"]}");
    check_numbers(arrays, "weights", "[2,2]", halves);
    check_words(arrays, "rows", "a <cat>");
    check_words(arrays, "source", "un chat");
    check_numbers(arrays, "grid", "[2]", (const float[]){1, 2}); /* rows, columns */
    sac_arrays_close(arrays);
}

TEST_MAIN(NULL, NULL)
