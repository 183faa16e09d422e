/* src/sources/words/regions: the regions that an answer gives as tokens are those that the models' own programs read. */
#include <cjson/cJSON.h>

#include "arrays/json.h"
#include "sources/words/regions.h"
#include "status.h"
#include "test.h"

static const char *const forms[] = {"",      "labelled", "boxes", "phrases",
                                    "quads", "polygons", "any",   "before_words"};

static sac_regions_form form_named(const char *name)
{
    int form = 1;
    while (strcmp(forms[form], name) != 0)
        form++;
    return (sac_regions_form)form;
}

static const cJSON *member(const cJSON *json, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(json, name);
    assert_non_null(found);
    return found;
}

static void check_region(const sac_regions *p, int i, const cJSON *expected)
{
    const sac_region *region = &p->region[i];
    const cJSON *thing = cJSON_GetArrayItem(expected, 1),
                *numbers = cJSON_GetArrayItem(expected, 2);
    assert_string_equal(sac_region_label(p, region), cJSON_GetArrayItem(expected, 0)->valuestring);
    assert_int_equal(2 * region->points, cJSON_GetArraySize(numbers));
    for (int k = 0; k < 2 * region->points; k++)
        assert_int_equal(sac_region_pixel(p, region, k / 2, k % 2),
                         cJSON_GetArrayItem(numbers, k)->valueint);
    if (i > 0 && cJSON_IsNumber(thing)) { /* they count things, and here they are distinguished */
        bool same = region->thing == p->region[i - 1].thing;
        const cJSON *before = cJSON_GetArrayItem(expected->prev, 1);
        assert_int_equal(same, before->valueint == thing->valueint);
    }
}

TEST(regions_are_those_of_the_models_own_programs)
{
    cJSON *json = NULL;
    const cJSON *one;
    const char *nothing[16] = {NULL};
    OK(sac_json_load(TEST_DATA "/regions.json", &json, &failure));
    for (int i = 0; i < cJSON_GetArraySize(member(json, "nothing")); i++)
        nothing[i] = cJSON_GetArrayItem(member(json, "nothing"), i)->valuestring;
    cJSON_ArrayForEach(one, member(json, "cases"))
    {
        const char *text = member(one, "text")->valuestring;
        const cJSON *expected = member(one, "regions"), *size = member(one, "size");
        const sac_regions_rules rules = {nothing, member(one, "least_area")->valuedouble};
        sac_regions p = {.form = form_named(member(one, "form")->valuestring),
                         .width = cJSON_GetArrayItem(size, 0)->valueint,
                         .height = cJSON_GetArrayItem(size, 1)->valueint};
        int *word = calloc(strlen(text) + 1, sizeof *word);
        sac_regions_read(&p, text, word, NULL, &rules);
        free(word);
        if (p.count != cJSON_GetArraySize(expected))
            fail_msg("%s: %d regions, expected %d", text, p.count, cJSON_GetArraySize(expected));
        for (int i = 0; i < p.count; i++)
            check_region(&p, i, cJSON_GetArrayItem(expected, i));
    }
    cJSON_Delete(json);
}

/* Of "a dog<loc_1>…<loc_4><loc_5>…<loc_8>", a word each token. */
TEST(a_region_has_the_words_that_name_and_that_name_it)
{
    static const char text[] = "a dog<loc_1><loc_2><loc_3><loc_4><loc_5><loc_6><loc_7><loc_8>";
    int word[sizeof text];
    sac_regions p = {.form = SAC_REGIONS_LABELLED, .width = 100, .height = 100};
    for (int i = 0; i < (int)sizeof text; i++)
        word[i] = i < 1 ? 0 : i < 5 ? 1 : 2 + (i - 5) / 7;
    sac_regions_read(&p, text, word, NULL, &(sac_regions_rules){0});
    assert_int_equal(p.count, 2);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(sac_region_is_of(&p.region[0], i), i < 6);
        assert_int_equal(sac_region_is_of(&p.region[1], i), i < 2 || i >= 6);
    }
    assert_float_equal(sac_region_share(&p, &p.region[1], 1, 1), 8.5 / 1000, 1e-6);
}

TEST(a_region_that_is_asked_about_is_a_region_of_no_word)
{
    const int none = 0;
    sac_regions p = {.form = SAC_REGIONS_NONE, .width = 1000, .height = 500};
    sac_regions_read(&p, "", &none,
                     "<REGION_TO_OCR><loc_10><loc_20><loc_30><loc_40> or "
                     "<loc_1><loc_2><loc_3><loc_4><loc_5><loc_6>, not <loc_9><loc_9>",
                     &(sac_regions_rules){0});
    assert_int_equal(p.count, 2);
    assert_true(p.region[0].asked && p.region[0].is_box && !sac_region_is_of(&p.region[0], 0));
    assert_int_equal(sac_region_pixel(&p, &p.region[0], 1, 1), 20);
    assert_true(p.region[1].asked && !p.region[1].is_box);
    assert_int_equal(p.region[1].points, 3);
}

/* What does not fit is left out: the sentence has more tokens than any model generates here. */
TEST(regions_that_do_not_fit_are_left_out)
{
    char *text = calloc(200, 40);
    for (int i = 0; i < 200; i++)
        strcat(text, "x<loc_1><loc_2><loc_3><loc_4>");
    int *word = calloc(strlen(text) + 1, sizeof *word);
    sac_regions p = {.form = SAC_REGIONS_LABELLED, .width = 10, .height = 10};
    sac_regions_read(&p, text, word, NULL, &(sac_regions_rules){0});
    assert_int_equal(p.count, SAC_MOST_REGIONS);
    assert_int_equal(p.points, SAC_REGION_POINTS);
    free(word);
    free(text);
}

TEST_MAIN(NULL, NULL)
