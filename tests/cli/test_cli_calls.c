/* How often a command does what takes time: once, however many files it writes. The program is the
 * usual one with calls counted (counted.c). */
#include "run.h"

#define SMALL "--size", "320x200"

static char counts[96];

static int enter(void **state)
{
    make_folder(state);
    snprintf(counts, sizeof counts, "COUNTS=%s", here("counts"));
    ran.environment[0] = counts;
    return 0;
}

/* Calls of that function in the run before. */
static int calls_of(const char *name)
{
    char line[128], found[96];
    int count = -1, is;
    FILE *file = fopen(here("counts"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%95s %d", found, &is) == 2 && strcmp(found, name) == 0)
            count = is;
    fclose(file);
    if (count < 0)
        fail_msg("%s is not counted", name);
    return count;
}

/* Not fewer either: then a call is not counted. */
static void assert_calls(const char *name, int times)
{
    int count = calls_of(name);
    if (count != times)
        fail_msg("%s is called %d times, not %d", name, count, times);
}

/* However many files are written. */
TEST_WITH(a_picture_is_encoded_once_and_its_caption_decoded_once, enter, remove_folder)
{
    PASSES("caption", "--scene", "3", "--json");
    assert_calls("sac_captioner_encode_square", 1);
    assert_calls("sac_generate", 1);
    PASSES("caption", "--scene", "3", "--npz", "a.npz", "--png", "a.png", "--svg", "a.svg", "--pdf",
           "a.pdf", "--tsv", "a.tsv", SMALL);
    assert_calls("sac_captioner_encode_square", 1);
    assert_calls("sac_generate", 1);
    PASSES("view", "--scene", "3", "--png", "a.png", SMALL);
    assert_calls("sac_captioner_encode_square", 1);
    assert_calls("sac_generate", 1);
    PASSES("view", "a.png", "--png", "b.png", SMALL);
    assert_calls("sac_captioner_encode_square", 1);
    assert_calls("sac_generate", 1);
    PASSES("caption", PICTURES "/harbour.png", "--weights", REFERENCES "/blip", "--npz", "a.npz",
           "--png", "a.png", "--svg", "a.svg", SMALL);
    assert_calls("sac_generate", 1);
    PASSES("translate", "the red house sleeps", "--npz", "a.npz", "--png", "a.png", "--svg",
           "a.svg", "--pdf", "a.pdf", "--tsv", "a.tsv", SMALL);
    assert_calls("sac_generate", 1);
}

TEST_WITH(the_texts_of_a_saved_picture_are_read_once, enter, remove_folder)
{
    PASSES("translate", "the red house sleeps", "--png", "a.png", SMALL);
    assert_calls("png_create_read_struct", 0);
    PASSES("view", "a.png", "--png", "b.png", SMALL);
    assert_calls("png_create_read_struct", 1);
    PASSES("caption", "--scene", "3", "--png", "a.png", SMALL);
    PASSES("view", "a.png", "--png", "b.png", "--svg", "b.svg", SMALL);
    assert_calls("png_create_read_struct", 1);
}

TEST_WITH(arrays_are_checked_once, enter, remove_folder)
{
    /* The first run leaves the verdict on the kernels, whose self-test checks much. */
    PASSES("attend", ATTENTION_DATA "/scaled_dot.in.npz", "a.npz");
    PASSES("attend", ATTENTION_DATA "/scaled_dot.in.npz", "a.npz");
    assert_calls("sac_attention_resolve", 0);
    assert_calls("sac_attention_check_values", 1);
    assert_calls("sac_check_finite", 3);                           /* query, key, value */
    PASSES("attend", ATTENTION_DATA "/mask_bias.in.npz", "a.npz"); /* masks are merged */
    assert_calls("sac_attention_resolve", 0);
    assert_calls("sac_attention_check_values", 1);
    assert_calls("sac_check_finite", 4);
}

TEST_MAIN(NULL, NULL)
