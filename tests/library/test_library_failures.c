/* Every failing call of saccade.h returns its status, with or without a sac_error; invalid arguments
 * are reported, and never crash. */

#include "device/device.h"
#include "saccade_arrays.h"
#include "saccade_tools.h"
#include "status.h"
#include "test.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---------------------------------------------------------------- a sound problem */

enum { QUERIES = 4, KEYS = 6, DIM = 8 };

static sac_device *device;
static sac_attention *attention, *without_value;
static float query_data[QUERIES * DIM], key_data[KEYS * DIM], value_data[KEYS * DIM];
static float results[64];
static uint8_t padding_data[KEYS];
static sac_array query, key, value, padding;
static sac_attention_input input;
static const sac_attention_spec plain = {0};

static void fill(float *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        data[i] = sinf((float)i);
}

static int open_device(void **state)
{
    (void)state;
    fill(query_data, QUERIES * DIM);
    fill(key_data, KEYS * DIM);
    fill(value_data, KEYS * DIM);
    query = sac_array_view(SAC_F32, 2, (size_t[]){QUERIES, DIM}, query_data);
    key = sac_array_view(SAC_F32, 2, (size_t[]){KEYS, DIM}, key_data);
    value = sac_array_view(SAC_F32, 2, (size_t[]){KEYS, DIM}, value_data);
    padding = sac_array_view(SAC_BOOL, 2, (size_t[]){1, KEYS}, padding_data);
    input = (sac_attention_input){
        .query = &query, .key = &key, .value = &value, .key_padding_mask = &padding};
    sac_attention_input two = {.query = &query, .key = &key};
    OK(sac_device_open(NULL, &device, NULL));
    OK(sac_attention_create(device, &plain, &input, &attention, NULL));
    return sac_attention_create(device, &plain, &two, &without_value, NULL);
}

static int close_device(void **state)
{
    (void)state;
    sac_attention_destroy(attention);
    sac_attention_destroy(without_value);
    sac_device_close(device);
    return 0;
}

/* ---------------------------------------------------------------- arrays and files */

static sac_status create_array(sac_dtype dtype, int rank, const size_t *shape, sac_error *error)
{
    sac_array array;
    sac_status status = sac_array_create(dtype, rank, shape, &array, error);
    sac_array_free(&array);
    return status;
}

static sac_status array_of_no_dtype(sac_error *error)
{
    return create_array((sac_dtype)99, 1, (size_t[]){3}, error);
}

static sac_status array_of_rank_9(sac_error *error)
{
    return create_array(SAC_F32, 9, (size_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, error);
}

static sac_status array_of_rank_minus_1(sac_error *error)
{
    return create_array(SAC_F32, -1, NULL, error);
}

static sac_status array_that_overflows(sac_error *error)
{
    return create_array(SAC_F32, 2, (size_t[]){(size_t)1 << 33, (size_t)1 << 33}, error);
}

static sac_status array_beyond_memory(sac_error *error)
{
    return create_array(SAC_F32, 1, (size_t[]){(size_t)1 << 60}, error);
}

static sac_status array_without_shape(sac_error *error)
{
    return create_array(SAC_F32, 1, NULL, error);
}

static sac_status array_into_nothing(sac_error *error)
{
    return sac_array_create(SAC_F32, 0, NULL, NULL, error);
}

static sac_status convert(sac_dtype dtype, int rank, void *data, sac_error *error)
{
    sac_array array = {.dtype = dtype, .rank = rank, .shape = {2, 2}, .data = data};
    return sac_array_to_f32(&array, results, error);
}

static sac_status convert_text(sac_error *error)
{
    return convert(SAC_TEXT, 1, (char *[]){"a", "b"}, error);
}

static sac_status convert_no_dtype(sac_error *error)
{
    return convert((sac_dtype)99, 1, key_data, error);
}

static sac_status convert_rank_99(sac_error *error)
{
    return convert(SAC_F32, 99, key_data, error);
}

static sac_status convert_no_data(sac_error *error)
{
    return convert(SAC_F32, 2, NULL, error);
}

static sac_status convert_nothing(sac_error *error)
{
    return sac_array_to_f32(NULL, results, error);
}

static sac_status convert_into_nothing(sac_error *error)
{
    return sac_array_to_f32(&query, NULL, error);
}

static sac_status open_arrays(const char *path, sac_error *error)
{
    sac_arrays *arrays;
    sac_status status = sac_arrays_open(path, &arrays, error);
    assert_null(arrays);
    return status;
}

static sac_status open_no_path(sac_error *error)
{
    return open_arrays(NULL, error);
}

static sac_status open_what_is_not_there(sac_error *error)
{
    return open_arrays("/nonexistent/arrays.npz", error);
}

static sac_status open_a_folder(sac_error *error)
{
    return open_arrays("/", error);
}

static sac_status open_another_kind(sac_error *error)
{
    return open_arrays("/proc/self/exe", error);
}

static sac_status open_into_nothing(sac_error *error)
{
    return sac_arrays_open("/proc/self/exe", NULL, error);
}

/* Both ways to save one array, which have to fail alike. */
static sac_status save(const char *path, const char *name, const sac_array *array, sac_error *error)
{
    sac_named_array named = {name, array};
    sac_status npz = sac_npz_save(path, &named, 1, error);
    assert_int_equal(sac_safetensors_save(path, &named, 1, NULL, error), npz);
    return npz;
}

static sac_status save_nowhere(sac_error *error)
{
    return save(NULL, "a", &query, error);
}

static sac_status save_no_name(sac_error *error)
{
    return save("/nonexistent/x", NULL, &query, error);
}

static sac_status save_no_array(sac_error *error)
{
    return save("/nonexistent/x", "a", NULL, error);
}

static sac_status save_no_data(sac_error *error)
{
    sac_array empty = query;
    empty.data = NULL;
    return save("/nonexistent/x", "a", &empty, error);
}

static sac_status save_where_no_folder_is(sac_error *error)
{
    return save("/nonexistent/x", "a", &query, error);
}

static sac_status save_one_name_twice(sac_error *error)
{
    sac_named_array twice[] = {{"a", &query}, {"a", &key}};
    return sac_safetensors_save("/nonexistent/x", twice, 2, NULL, error);
}

static sac_status save_nothing(sac_error *error)
{
    return sac_npz_save("/nonexistent/x", NULL, 0, error);
}

/* ---------------------------------------------------------------- devices */

static sac_status list_into_nothing(sac_error *error)
{
    size_t count;
    return sac_devices_list(NULL, &count, error);
}

static sac_status open_into_no_device(sac_error *error)
{
    return sac_device_open(NULL, NULL, error);
}

static sac_status open_no_such_device(sac_error *error)
{
    sac_device *other;
    return sac_device_open("no such device", &other, error);
}

/* ---------------------------------------------------------------- attention */

static sac_status create(sac_device *on, const sac_attention_spec *spec,
                         const sac_attention_input *in, sac_error *error)
{
    sac_attention *made = attention;
    sac_status status = sac_attention_create(on, spec, in, &made, error);
    assert_null(made);
    return status;
}

static sac_status create_on_nothing(sac_error *error)
{
    return create(NULL, &plain, &input, error);
}

static sac_status create_without_spec(sac_error *error)
{
    return create(device, NULL, &input, error);
}

static sac_status create_without_input(sac_error *error)
{
    return create(device, &plain, NULL, error);
}

static sac_status create_into_nothing(sac_error *error)
{
    return sac_attention_create(device, &plain, &input, NULL, error);
}

static sac_status resolve_into_nothing(sac_error *error)
{
    return sac_attention_resolve(&plain, &input, NULL, error);
}

/* With a number that float16 does not hold at data[0]. */
static sac_status create_beyond_half(float *data, sac_error *error)
{
    float kept = data[0];
    data[0] = 1e6f;
    sac_attention_spec spec = {.storage = SAC_STORAGE_F16};
    sac_status status = create(device, &spec, &input, error);
    data[0] = kept;
    return status;
}

static sac_status query_beyond_half(sac_error *error)
{
    return create_beyond_half(query_data, error);
}

static sac_status key_beyond_half(sac_error *error)
{
    return create_beyond_half(key_data, error);
}

static sac_status value_beyond_half(sac_error *error)
{
    return create_beyond_half(value_data, error);
}

static sac_status resolve_query(const sac_array *other, sac_error *error)
{
    sac_attention_input in = input;
    sac_attention_shape shape;
    in.query = other;
    return sac_attention_resolve(&plain, &in, &shape, error);
}

static sac_status query_without_data(sac_error *error)
{
    sac_array other = query;
    other.data = NULL;
    return resolve_query(&other, error);
}

static sac_status query_of_rank_99(sac_error *error)
{
    sac_array other = query;
    other.rank = 99;
    return resolve_query(&other, error);
}

static sac_status query_of_rank_minus_3(sac_error *error)
{
    sac_array other = query;
    other.rank = -3;
    return resolve_query(&other, error);
}

static sac_status query_of_no_dtype(sac_error *error)
{
    sac_array other = query;
    other.dtype = (sac_dtype)99;
    return resolve_query(&other, error);
}

static sac_status mask_without_data(sac_error *error)
{
    sac_attention_input in = input;
    sac_attention_shape shape;
    sac_array other = padding;
    other.data = NULL;
    in.key_padding_mask = &other;
    return sac_attention_resolve(&plain, &in, &shape, error);
}

static sac_status run_nothing(sac_error *error)
{
    return sac_attention_run(NULL, &(sac_attention_output){0}, NULL, error);
}

static sac_status run_into_nothing(sac_error *error)
{
    return sac_attention_run(attention, NULL, NULL, error);
}

static sac_status run_without_value(sac_error *error)
{
    return sac_attention_run(without_value, &(sac_attention_output){.output = results}, NULL,
                             error);
}

static bool stop(void *user, double done)
{
    (void)user;
    (void)done;
    return false;
}

static sac_status run_and_stop(sac_error *error)
{
    sac_progress progress = {stop, NULL};
    return sac_attention_run(attention, &(sac_attention_output){.output = results}, &progress,
                             error);
}

static const sac_attention_gradients wanted = {.query = results};

static sac_status backward_on_nothing(sac_error *error)
{
    return sac_attend_backward(NULL, &plain, &input, results, &wanted, NULL, error);
}

static sac_status backward_of_nothing(sac_error *error)
{
    return sac_attend_backward(device, &plain, NULL, results, &wanted, NULL, error);
}

static sac_status backward_without_a_spec(sac_error *error)
{
    return sac_attend_backward(device, NULL, &input, results, &wanted, NULL, error);
}

static sac_status backward_from_nothing(sac_error *error)
{
    return sac_attend_backward(device, &plain, &input, NULL, &wanted, NULL, error);
}

static sac_status backward_into_nothing(sac_error *error)
{
    return sac_attend_backward(device, &plain, &input, results, NULL, NULL, error);
}

static const sac_tile corner = {0, 0, 0, 2, 0, 2};

static sac_status tile_of_nothing(sac_error *error)
{
    return sac_attention_tile(NULL, &corner, results, error);
}

static sac_status no_tile(sac_error *error)
{
    return sac_attention_tile(attention, NULL, results, error);
}

static sac_status tile_into_nothing(sac_error *error)
{
    return sac_attention_tile(attention, &corner, NULL, error);
}

static sac_status tile_outside(sac_error *error)
{
    return sac_attention_tile(attention, &(sac_tile){0, 0, 3, 2, 0, 2}, results, error);
}

static sac_status pool_in_no_way(sac_error *error)
{
    return sac_attention_pool(attention, &corner, (sac_pool)9, 1, 1, results, error);
}

static sac_status pool_into_nothing(sac_error *error)
{
    return sac_attention_pool(attention, &corner, SAC_POOL_MEAN, 1, 1, NULL, error);
}

static sac_status pool_to_more(sac_error *error)
{
    return sac_attention_pool(attention, &corner, SAC_POOL_MEAN, 3, 1, results, error);
}

static sac_status reference_without_spec(sac_error *error)
{
    return sac_attention_reference(NULL, &input, NULL, NULL, NULL, error);
}

static sac_status reference_without_value(sac_error *error)
{
    sac_attention_input in = {.query = &query, .key = &key};
    double output[QUERIES * DIM];
    return sac_attention_reference(&plain, &in, output, NULL, NULL, error);
}

/* ---------------------------------------------------------------- self-test and tuning */

static sac_status selftest_into_nothing(sac_error *error)
{
    return sac_selftest_run(device, NULL, NULL, NULL, NULL, error);
}

static sac_status selftest_that_is_stopped(sac_error *error)
{
    sac_selftest_result *tests;
    size_t count;
    sac_verdict verdict;
    sac_progress progress = {stop, NULL};
    return sac_selftest_run(device, &tests, &count, &verdict, &progress, error);
}

static sac_status tune_into_nothing(sac_error *error)
{
    return sac_tune_run(device, 1, NULL, NULL, error);
}

static sac_status tune_that_is_stopped(sac_error *error)
{
    sac_tune_report report;
    sac_progress progress = {stop, NULL};
    return sac_tune_run(device, 1, &progress, &report, error);
}

/* ---------------------------------------------------------------- all of them */

static const struct {
    sac_status (*call)(sac_error *error);
    sac_status status;
    const char *where; /* the error's */
} failures[] = {
    {array_of_no_dtype, SAC_E_ARGUMENT, ""},
    {array_of_rank_9, SAC_E_SHAPE, ""},
    {array_of_rank_minus_1, SAC_E_SHAPE, ""},
    {array_that_overflows, SAC_E_SHAPE, ""},
    {array_beyond_memory, SAC_E_MEMORY, ""},
    {array_without_shape, SAC_E_ARGUMENT, "shape"},
    {array_into_nothing, SAC_E_ARGUMENT, "array"},
    {convert_text, SAC_E_ARGUMENT, ""},
    {convert_no_dtype, SAC_E_ARGUMENT, ""},
    {convert_rank_99, SAC_E_SHAPE, ""},
    {convert_no_data, SAC_E_ARGUMENT, ""},
    {convert_nothing, SAC_E_ARGUMENT, "array"},
    {convert_into_nothing, SAC_E_ARGUMENT, "out"},
    {backward_on_nothing, SAC_E_ARGUMENT, "device"},
    {backward_of_nothing, SAC_E_ARGUMENT, "input"},
    {backward_without_a_spec, SAC_E_ARGUMENT, "spec"},
    {backward_from_nothing, SAC_E_ARGUMENT, "doutput"},
    {backward_into_nothing, SAC_E_ARGUMENT, "gradients"},
    {open_no_path, SAC_E_ARGUMENT, "path"},
    {open_what_is_not_there, SAC_E_FILE, "/nonexistent/arrays.npz"},
    {open_a_folder, SAC_E_FILE, "/"},
    {open_another_kind, SAC_E_FORMAT, "/proc/self/exe"},
    {open_into_nothing, SAC_E_ARGUMENT, "arrays"},
    {save_nowhere, SAC_E_ARGUMENT, "path"},
    {save_no_name, SAC_E_ARGUMENT, "name"},
    {save_no_array, SAC_E_ARGUMENT, "a"},
    {save_no_data, SAC_E_ARGUMENT, "a"},
    {save_where_no_folder_is, SAC_E_FILE, "/nonexistent/x"},
    {save_one_name_twice, SAC_E_ARGUMENT, "/nonexistent/x: a"},
    {save_nothing, SAC_E_ARGUMENT, "/nonexistent/x"},
    {list_into_nothing, SAC_E_ARGUMENT, "infos"},
    {open_into_no_device, SAC_E_ARGUMENT, "device"},
    {open_no_such_device, SAC_E_NO_DEVICE, NULL},
    {create_on_nothing, SAC_E_ARGUMENT, "device"},
    {create_without_spec, SAC_E_ARGUMENT, "spec"},
    {create_without_input, SAC_E_ARGUMENT, "input"},
    {create_into_nothing, SAC_E_ARGUMENT, "attention"},
    {resolve_into_nothing, SAC_E_ARGUMENT, "shape"},
    {query_beyond_half, SAC_E_VALUE, "query"},
    {key_beyond_half, SAC_E_VALUE, "key"},
    {value_beyond_half, SAC_E_VALUE, "value"},
    {query_without_data, SAC_E_ARGUMENT, "query"},
    {query_of_rank_99, SAC_E_SHAPE, "query"},
    {query_of_rank_minus_3, SAC_E_SHAPE, "query"},
    {query_of_no_dtype, SAC_E_ARGUMENT, "query"},
    {mask_without_data, SAC_E_ARGUMENT, "key_padding_mask"},
    {run_nothing, SAC_E_ARGUMENT, "attention"},
    {run_into_nothing, SAC_E_ARGUMENT, "output"},
    {run_without_value, SAC_E_ARGUMENT, "value"},
    {run_and_stop, SAC_E_CANCELLED, "attention"},
    {tile_of_nothing, SAC_E_ARGUMENT, "attention"},
    {no_tile, SAC_E_ARGUMENT, "tile"},
    {tile_into_nothing, SAC_E_ARGUMENT, "weights"},
    {tile_outside, SAC_E_ARGUMENT, "tile"},
    {pool_in_no_way, SAC_E_ARGUMENT, "pool"},
    {pool_into_nothing, SAC_E_ARGUMENT, "pooled"},
    {pool_to_more, SAC_E_ARGUMENT, "pool"},
    {reference_without_spec, SAC_E_ARGUMENT, "spec"},
    {reference_without_value, SAC_E_ARGUMENT, "value"},
    {selftest_into_nothing, SAC_E_ARGUMENT, "results"},
    {selftest_that_is_stopped, SAC_E_CANCELLED, "self-test"},
    {tune_into_nothing, SAC_E_ARGUMENT, "report"},
    {tune_that_is_stopped, SAC_E_CANCELLED, "tune"},
};

TEST(a_failure_has_one_status_with_an_error_and_without)
{
    for (size_t i = 0; i < COUNT(failures); i++) {
        sac_error error = {0};
        char line[1200];
        sac_status with = failures[i].call(&error), without = failures[i].call(NULL);
        sac_error_line(&error, line, sizeof line);
        if (with != failures[i].status || without != with || error.status != with)
            fail_msg("failure %zu: %s with an error, %s without: %s", i, sac_status_name(with),
                     sac_status_name(without), line);
        if (failures[i].where)
            assert_string_equal(error.where, failures[i].where);
        assert_true(error.what[0] != '\0');
    }
}

/* Memory that ends at every buffer of the way, by a limit that lets one more number in each time.
 */
TEST(no_memory_is_reported_with_an_error_and_without)
{
    uint64_t limit = device->info.max_alloc_bytes;
    sac_status without = SAC_E_MEMORY;
    int refused = 0;
    for (uint64_t most = 0; without != SAC_OK && most < 1 << 20; most += most < 512 ? 16 : most) {
        sac_attention *made[2];
        sac_error error = {0};
        device->info.max_alloc_bytes = most;
        sac_status with = sac_attention_create(device, &plain, &input, &made[0], &error);
        without = sac_attention_create(device, &plain, &input, &made[1], NULL);
        device->info.max_alloc_bytes = limit;
        assert_int_equal(with, without);
        assert_true(with == SAC_OK || with == SAC_E_MEMORY);
        assert_int_equal(made[1] == NULL, without != SAC_OK);
        refused += with != SAC_OK;
        sac_attention_destroy(made[0]);
        sac_attention_destroy(made[1]);
    }
    assert_int_equal(without, SAC_OK);
    assert_true(refused >= 4); /* key, query, value, mask */
}

/* ---------------------------------------------------------------- calls that cannot fail */

TEST(what_is_no_member_of_an_enum_is_called_unknown)
{
    for (int i = 99; i > -99; i -= 100) {
        assert_string_equal(sac_status_name((sac_status)i), "unknown status");
        assert_string_equal(sac_score_name((sac_score)i), "unknown score");
        assert_string_equal(sac_variant_name((sac_variant)i), "unknown variant");
        assert_string_equal(sac_storage_name((sac_storage)i), "unknown storage");
        assert_string_equal(sac_matrix_name((sac_matrix)i), "unknown instruction");
        assert_string_equal(sac_dtype_name((sac_dtype)i), "unknown dtype");
        assert_int_equal(sac_dtype_size((sac_dtype)i), 0);
    }
    sac_score score;
    assert_false(sac_score_from_name(NULL, &score));
}

TEST(the_version_is_the_same_as_text_as_numbers_and_at_run_time)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SAC_VERSION_MAJOR, SAC_VERSION_MINOR,
             SAC_VERSION_PATCH);
    assert_string_equal(sac_version(), text);
    assert_string_equal(sac_version(), SAC_VERSION);
}

TEST(what_is_not_there_lends_nothing)
{
    assert_int_equal(sac_arrays_size(NULL), 0);
    assert_null(sac_arrays_name(NULL, 0));
    assert_null(sac_arrays_at(NULL, 999));
    assert_null(sac_arrays_find(NULL, "query"));
    assert_null(sac_arrays_metadata(NULL, "steps"));
    assert_null(sac_device_get_info(NULL));
    assert_null(sac_attention_get_shape(NULL));
    assert_int_equal(sac_attention_get_variant(NULL), SAC_VARIANT_AUTO);
    assert_int_equal(sac_array_count(NULL), 0);
    sac_arrays_close(NULL);
    sac_attention_destroy(NULL);
    sac_device_close(NULL);
    sac_array_free(NULL);
    sac_tune_reset(NULL);
}

/* It keeps its rank, so that a function that gets it reports what is wrong; but nothing is read by it. */
TEST(a_view_of_an_impossible_rank_is_empty)
{
    static const int ranks[] = {9, -1, 99};
    size_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    char text[64];
    for (size_t i = 0; i < COUNT(ranks); i++) {
        sac_array array = sac_array_view(SAC_F32, ranks[i], shape, query_data);
        assert_int_equal(array.rank, ranks[i]);
        assert_int_equal(sac_array_count(&array), 0);
        assert_string_equal(sac_array_shape_text(&array, text, sizeof text), "[]");
        assert_int_equal(sac_array_to_f32(&array, results, NULL), SAC_E_SHAPE);
    }
}

TEST(an_attention_keeps_its_device_open)
{
    sac_device *other;
    sac_attention *last;
    sac_attention_output output = {.output = results};
    OK(sac_device_open(NULL, &other, NULL));
    OK(sac_attention_create(other, &plain, &input, &last, NULL));
    sac_device_close(other);
    OK(sac_attention_run(last, &output, NULL, NULL));
    sac_attention_destroy(last);
}

TEST(an_error_line_fits_its_room)
{
    sac_error error = {.status = SAC_E_FILE, .where = "here"};
    char line[4] = "xyz";
    assert_ptr_equal(sac_error_line(&error, line, 0), line);
    assert_string_equal(line, "xyz");
    assert_string_equal(sac_error_line(&error, line, 1), "");
    assert_string_equal(sac_error_line(&error, line, 3), "he");
}

TEST_MAIN(open_device, close_device)
