/* What developers measure: the figures fit each other. */
#include "json.h"

TEST(products_of_many_rows_are_measured_in_float32_and_rounded)
{
    cJSON *json = JSON_OF("products", "--json");
    const cJSON *item, *list = get(json, "products");
    bool rounded = false;
    cJSON_ArrayForEach(item, list)
    {
        double operations = 2e-6 * number_of(item, "rows") * number_of(item, "out");
        double work = operations * number_of(item, "in") / number_of(item, "ms");
        assert_float_equal(number_of(item, "gflops"), work, 1e-6 * work);
        rounded = rounded || strcmp(text_of(item, "products"), "bfloat16") == 0;
    }
    assert_true(rounded);
    cJSON_Delete(json);
}

TEST(the_encoder_of_photographs_is_measured)
{
    cJSON *json = JSON_OF("encoder", "--json");
    const cJSON *item, *list = get(json, "depthwise");
    assert_int_equal(cJSON_GetArraySize(list) % 3, 0); /* forward, and backward to either operand */
    cJSON_ArrayForEach(item, list)
    {
        double of_copy = number_of(item, "gbs") / number_of(json, "copy_gbs");
        assert_true(number_of(item, "ms") > 0 && number_of(item, "share_of_peak") > 0);
        assert_float_equal(number_of(item, "share_of_copy"), of_copy, 1e-6 * of_copy);
    }
    assert_true(number_of(get(json, "picture"), "ms") > 0);
    cJSON_Delete(json);
}

TEST(what_is_mistyped_is_refused)
{
    RUN("convolutions");
    assert_int_equal(ran.status, 2);
    RUN("gemm", "--jsn");
    assert_int_equal(ran.status, 2);
}

TEST_MAIN(NULL, NULL)
