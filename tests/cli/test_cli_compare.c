/* saccade compare: where two files, or two devices, differ; and attend's parts and figures. */
#include "run.h"

#include <cjson/cJSON.h>

#include "images/image.h"
#include "saccade_arrays.h"
#include "status.h"

enum { H = 2, T = 37, D = 8 };

/* query and key [1,H,T,D]; key `key` of head 1 is multiplied by `factor`. */
static const char *save(const char *name, size_t key, float factor)
{
    static float q[H * T * D], k[H * T * D];
    static char paths[2][80]; /* one a factor: `here` lends for a while only */
    char *path = paths[factor != 1];
    snprintf(path, sizeof paths[0], "%s", here(name));
    size_t shape[] = {1, H, T, D};
    for (size_t i = 0; i < H * T * D; i++) {
        q[i] = sinf((float)i);
        k[i] = cosf((float)(3 * i)) * (i / D == T + key ? factor : 1);
    }
    sac_array query = sac_array_view(SAC_F32, 4, shape, q),
              keys = sac_array_view(SAC_F32, 4, shape, k);
    sac_named_array all[] = {{"query", &query}, {"key", &keys}};
    OK(sac_npz_save(path, all, 2, &failure));
    return path;
}

static double number(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(json, name);
    if (!item)
        fail_msg("there is no %s", name);
    return item->valuedouble;
}

TEST_WITH(the_largest_difference_is_found_where_it_is, make_folder, remove_folder)
{
    const char *a = save("a.npz", 5, 1), *b = save("b.npz", 5, 1.5f);
    DONE("compare", a, a, "--json", "--most", "0");
    DONE("compare", a, b, "--causal", "--json");
    cJSON *json = cJSON_Parse(ran.out), *all = cJSON_GetObjectItem(json, "all");
    assert_int_equal(number(all, "head"), 1);
    assert_true(number(all, "row") >= 5); /* earlier queries do not see the key */
    assert_true(fabs(fabs(number(all, "second") - number(all, "first")) - number(all, "largest")) <
                1e-9);
    assert_true(number(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "heads"), 0), "largest") == 0);
    cJSON_Delete(json);
    RUN("compare", a, b, "--most", "1e-4", "--json");
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "weights differ by up to"));
    PASSES("compare", a, "--device", "cpu", "--with", "cpu", "--most", "1e-6");
    assert_non_null(strstr(ran.out, "largest difference"));
}

TEST_WITH(a_difference_is_drawn_and_its_numbers_are_those_that_are_reported, make_folder,
          remove_folder)
{
    const char *a = save("a.npz", 5, 1), *b = save("b.npz", 5, 1.5f);
    char picture[80], table[80], line[64 * 1024];
    snprintf(picture, sizeof picture, "%s", here("d.png"));
    snprintf(table, sizeof table, "%s", here("d.tsv"));
    DONE("compare", a, b, "--causal", "--json", "--out", picture, "--out", table);
    cJSON *json = cJSON_Parse(ran.out), *all = cJSON_GetObjectItem(json, "all");
    size_t row = (size_t)number(all, "row"), column = (size_t)number(all, "column");
    double first = number(all, "first"), second = number(all, "second");
    FILE *file = fopen(table, "r");
    assert_non_null(file);
    for (size_t r = 0; r < row + 2; r++) /* names of columns first */
        assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    char *at = line;
    for (size_t c = 0; c <= column; c++)
        at = strchr(at, '\t') + 1;
    assert_true(fabs(atof(at) - (second - first)) < 1e-6);
    cJSON_Delete(json);
    sac_image image = {0};
    OK(sac_image_load(picture, &image, &failure));
    assert_true(image.width == 1280 && image.height > 800); /* a figure, as high as it needs */
    sac_image_free(&image);
    DONE("view", a, b, "--difference", "--causal", "--out", picture);
    DONE("view", a, b, "--causal", "--tab", "matrix", "--out", picture);
    FAILS_WITH(2, "page: shows weights, and this is a difference", "view", a, b, "--difference",
               "--out", here("d.html"));
}

TEST_WITH(two_heads_and_two_layers_of_one_file_are_compared, make_folder, remove_folder)
{
    const char *a = save("a.npz", 5, 1);
    DONE("compare", a, "--between", "0.0,0.1", "--json");
    cJSON *json = cJSON_Parse(ran.out);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "heads")), 1);
    assert_true(number(cJSON_GetObjectItem(json, "all"), "largest") > 0.01);
    cJSON_Delete(json);
    DONE("compare", a, "--between", "0.1,0.1", "--most", "0");
    DONE("compare", a, "--between", "0,0", "--most", "0");
    FAILS_WITH(2, "--between: head 2 does not exist; heads go from 0 to 1 in a.npz", "compare", a,
               "--between", "0.2,0.1");
    FAILS_WITH(2, "--between: \"0.2\" does not name two parts", "compare", a, "--between", "0.2");
}

TEST_WITH(what_cannot_be_compared_is_reported, make_folder, remove_folder)
{
    const char *a = save("a.npz", 5, 1);
    FAILS(2, "compare: needs a file; usage: saccade compare FILE [FILE] [OPTIONS]", "compare");
    FAILS(2,
          "compare: has nothing to compare the file with; give a second file, or --with and a "
          "device, or --between and two parts",
          "compare", a);
    FAILS(2, "--most: must be at least 0; give a number from 0", "compare", a, a, "--most", "-1");
    FAILS_WITH(1, "missing.npz", "compare", a, here("missing.npz"));
}

/* Rows of a part are those of the whole. */
TEST_WITH(a_part_of_the_weights_is_that_part_of_all, make_folder, remove_folder)
{
    const char *a = save("a.npz", 5, 1);
    char all[80], part[80];
    snprintf(all, sizeof all, "%s", here("all.npz"));
    snprintf(part, sizeof part, "%s", here("part.npz"));
    DONE("attend", a, all, "--causal");
    DONE("attend", a, part, "--causal", "--rows", "30:", "--columns", "3:9");
    sac_arrays *whole = NULL, *some = NULL;
    OK(sac_arrays_open(all, &whole, &failure));
    OK(sac_arrays_open(part, &some, &failure));
    const sac_array *w = sac_arrays_find(whole, "weights"), *p = sac_arrays_find(some, "weights");
    const sac_array *lse = sac_arrays_find(whole, "lse"), *few = sac_arrays_find(some, "lse");
    assert_true(p->shape[2] == 7 && p->shape[3] == 6 && few->shape[2] == 7);
    for (size_t h = 0; h < H; h++)
        for (size_t r = 0; r < 7; r++) {
            float one = ((float *)lse->data)[h * T + 30 + r],
                  other = ((float *)few->data)[h * 7 + r];
            assert_true(fabsf(one - other) < 1e-5f);
            for (size_t c = 0; c < 6; c++) {
                one = ((float *)w->data)[(h * T + 30 + r) * T + 3 + c];
                assert_true(fabsf(one - ((float *)p->data)[(h * 7 + r) * 6 + c]) < 1e-6f);
            }
        }
    sac_arrays_close(whole);
    sac_arrays_close(some);
    FAILS_WITH(2, "--rows: \"5:3\" is no part of 37", "attend", a, part, "--rows", "5:3");
    FAILS_WITH(2, "--columns: \"0:38\" is no part of 37", "attend", a, part, "--columns", "0:38");
    FAILS_WITH(2, "--columns: is given with --figures", "attend", a, part, "--figures", "--columns",
               "0:3");
    FAILS_WITH(2, "--rows", "view", a, "--rows", "x", "--out", here("x.png"));
}

TEST_WITH(figures_name_the_heads_those_that_look_at_few_keys_first, make_folder, remove_folder)
{
    const char *a = save("a.npz", 5, 1);
    DONE("attend", a, here("f.npz"), "--causal", "--figures", "--json");
    cJSON *json = cJSON_Parse(ran.out), *heads = cJSON_GetObjectItem(json, "heads");
    assert_int_equal(cJSON_GetArraySize(heads), H);
    assert_true(number(cJSON_GetArrayItem(heads, 0), "entropy") <=
                number(cJSON_GetArrayItem(heads, 1), "entropy"));
    assert_non_null(cJSON_GetObjectItem(cJSON_GetArrayItem(heads, 0), "pattern"));
    cJSON_Delete(json);
}

TEST_MAIN(NULL, NULL)
