/* src/library/arrays: .safetensors, read where they lie and written. */
#include "saccade_arrays.h"
#include "scratch.h"
#include "status.h"

/* A file with this header (padded or not, as given) and `size` bytes of data that count up. */
static const char *make(scratch *s, const char *header, size_t size)
{
    static uint8_t bytes[2048];
    size_t length = strlen(header);
    memset(bytes, 0, 8);
    bytes[0] = (uint8_t)length;
    bytes[1] = (uint8_t)(length >> 8);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < size; i++)
        bytes[8 + length + i] = (uint8_t)i;
    return scratch_write(s, "in.safetensors", bytes, 8 + length + size);
}

static void refuse(scratch *s, const char *path, sac_status status, const char *expected)
{
    sac_arrays *arrays = (sac_arrays *)s; /* anything but NULL */
    char line[400];
    assert_int_equal(sac_arrays_open(path, &arrays, &failure), status);
    assert_null(arrays);
    snprintf(line, sizeof line, "in.safetensors: %s", expected);
    assert_line(s, &failure, line);
}

/* One tensor "a", described by `fields`, over 8 bytes of data. */
static void refuse_tensor(scratch *s, const char *fields, sac_status status, const char *expected)
{
    char header[400];
    snprintf(header, sizeof header, "{\"a\":{%s}}", fields);
    refuse(s, make(s, header, 8), status, expected);
}

/* ---------------------------------------------------------------- reading */

IN_SCRATCH(tensors_are_found_where_the_header_puts_them)
{
    const char *path = make(s,
                            "{\"__metadata__\":{\"format\":\"pt\"},"
                            "\"b\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[4,8]},"
                            "\"a\":{\"dtype\":\"U16\",\"shape\":[2],\"data_offsets\":[0,4]}}  ",
                            8);
    sac_arrays *arrays;
    OK(sac_arrays_open(path, &arrays, NULL));
    assert_int_equal(sac_arrays_size(arrays), 2);
    assert_string_equal(sac_arrays_name(arrays, 0), "b");
    assert_memory_equal(sac_arrays_find(arrays, "b")->data, "\4\5\6\7", 4);
    const uint16_t *a = sac_arrays_find(arrays, "a")->data;
    assert_int_equal(a[0], 0x0100); /* little-endian */
    assert_int_equal(a[1], 0x0302);
    assert_string_equal(sac_arrays_metadata(arrays, "format"), "pt");
    assert_null(sac_arrays_metadata(arrays, "missing"));
    sac_arrays_close(arrays);
}

/* A float32 behind one byte, and the data start at an odd byte besides. */
IN_SCRATCH(a_tensor_that_is_not_aligned_is_copied)
{
    const char *path = make(s,
                            "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]},"
                            "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[1,5]}}",
                            5);
    sac_arrays *arrays;
    uint32_t bits;
    OK(sac_arrays_open(path, &arrays, NULL));
    const sac_array *b = sac_arrays_find(arrays, "b");
    assert_int_equal((uintptr_t)b->data % 4, 0);
    memcpy(&bits, b->data, 4);
    assert_int_equal(bits, 0x04030201);
    assert_int_equal(b->rank, 0);
    sac_arrays_close(arrays);
}

IN_SCRATCH(half_precision_becomes_float32)
{
    /* data 00 01 02 03: float16 0x0100 and bfloat16 0x0302 */
    const char *path = make(s,
                            "{\"h\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]},"
                            "\"b\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[2,4]}}",
                            4);
    sac_arrays *arrays;
    float half, bfloat;
    OK(sac_arrays_open(path, &arrays, NULL));
    OK(sac_array_to_f32(sac_arrays_find(arrays, "h"), &half, NULL));
    OK(sac_array_to_f32(sac_arrays_find(arrays, "b"), &bfloat, NULL));
    assert_true(half == 256 * 0x1p-24f);                 /* subnormal: 0x100 · 2^-24 */
    assert_true(bfloat == (1 + 2 / 128.0f) * 0x1p-121f); /* exponent 6 − 127, fraction 2 of 128 */
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- what is refused */

IN_SCRATCH(a_header_that_is_cut_too_long_or_no_json_is_refused)
{
    refuse(s, scratch_write(s, "in.safetensors", "\x40\0\0\0\0\0\0\0{\"a\":", 14), SAC_E_FORMAT,
           "is cut within its header: 6 of 64 bytes; get the file again");
    refuse(s, scratch_write(s, "in.safetensors", "\1\xe1\xf5\5\0\0\0\0{}", 10), SAC_E_FORMAT,
           "the stated length of the header is 100000001 bytes, more than 100000000; check that it "
           "is a "
           ".safetensors file");
    refuse(
        s, scratch_write(s, "in.safetensors", "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10),
        SAC_E_FORMAT,
        "the stated length of the header is 18446744073709551615 bytes, more than 100000000; check "
        "that it is a .safetensors file");
    const char *no_json[] = {"{\"a\":", "{}x", "{} {}", "{\"a\" 1}"};
    for (int i = 0; i < 4; i++)
        refuse(s, make(s, no_json[i], 0), SAC_E_FORMAT,
               "header: is not valid JSON; check it with a JSON tool");
}

IN_SCRATCH(a_tensor_that_is_badly_described_is_refused_by_name)
{
    refuse(s, make(s, "{\"a\":7}", 0), SAC_E_FORMAT, "a: is not described; save the file again");
    refuse_tensor(s, "\"shape\":[2],\"data_offsets\":[0,8]", SAC_E_FORMAT,
                  "a: has no dtype; save the file again");
    refuse_tensor(s, "\"dtype\":\"F8_E4M3\",\"shape\":[8],\"data_offsets\":[0,8]", SAC_E_FORMAT,
                  "a: has dtype 'F8_E4M3', which is not read; convert it to F32…");
    refuse_tensor(s, "\"dtype\":\"F32\",\"data_offsets\":[0,8]", SAC_E_FORMAT,
                  "a: has no shape; save the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[2]", SAC_E_FORMAT,
                  "a: has no pair of data_offsets; save the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]", SAC_E_FORMAT,
                  "a: has no pair of data_offsets; save the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]", SAC_E_FORMAT,
                  "a: has no pair of data_offsets; save the file again");
}

IN_SCRATCH(sizes_that_do_not_fit_are_refused)
{
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[2,-1],\"data_offsets\":[0,8]", SAC_E_SHAPE,
                  "a: dimension 1 is not a size; save the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,8]", SAC_E_SHAPE,
                  "a: dimension 0 is not a size; save the file again");
    refuse_tensor(s, "\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,8],\"data_offsets\":[0,8]",
                  SAC_E_SHAPE, "a: has more than 8 dimensions; reshape it before saving");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]",
                  SAC_E_SHAPE, "a: shape [4294967296,4294967296] overflows…; save the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]", SAC_E_FORMAT,
                  "a: shape [3] of float32 takes 12 bytes, its…; save the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]", SAC_E_FORMAT,
                  "a: ends at byte 12 of the data, the file holds 8; get the file again");
    refuse_tensor(s, "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]", SAC_E_FORMAT,
                  "a: starts at byte 8, after its end at 0; save the file again");
}

IN_SCRATCH(overlaps_gaps_and_left_over_bytes_are_refused)
{
    const char *form = "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
                       "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[%d,%d]}}";
    char header[300];
    snprintf(header, sizeof header, form, 3, 7);
    refuse(s, make(s, header, 7), SAC_E_FORMAT,
           "b: starts at byte 3 of the data, within the…; save the file again");
    snprintf(header, sizeof header, form, 5, 9);
    refuse(s, make(s, header, 9), SAC_E_FORMAT,
           "b: starts at byte 5 of the data, after a gap…; save the file again");
    snprintf(header, sizeof header, form, 4, 8);
    refuse(s, make(s, header, 9), SAC_E_FORMAT,
           "holds 1 bytes after its last tensor; save the file again");
}

IN_SCRATCH(a_name_that_comes_twice_is_refused)
{
    refuse(s,
           make(s,
                "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
                "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
                8),
           SAC_E_FORMAT, "a: two arrays have this name; give each its own name");
}

IN_SCRATCH(metadata_that_is_not_text_is_refused)
{
    refuse(s, make(s, "{\"__metadata__\":[]}", 0), SAC_E_FORMAT,
           "__metadata__: is not an object; save the file again");
    refuse(s, make(s, "{\"__metadata__\":{\"step\":7}}", 0), SAC_E_FORMAT,
           "__metadata__: 'step' is not a string; save the file again");
}

IN_SCRATCH(metadata_may_be_null)
{
    sac_arrays *arrays;
    OK(sac_arrays_open(make(s, "{\"__metadata__\":null}", 0), &arrays, NULL));
    assert_null(sac_arrays_metadata(arrays, "step"));
    sac_arrays_close(arrays);
}

IN_SCRATCH(a_tensor_that_is_not_read_leaves_the_others)
{
    const char *path = make(s,
                            "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[3],\"data_offsets\":[0,3]},"
                            "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[3,4]}}",
                            4);
    sac_arrays *arrays;
    OK(sac_arrays_open(path, &arrays, NULL));
    assert_int_equal(sac_arrays_size(arrays), 1);
    assert_string_equal(sac_arrays_unread(arrays, 0), "a");
    assert_string_equal(sac_arrays_unread_reason(arrays, "a"),
                        "has dtype 'F8_E4M3', which is not read; convert it to F32, F16 or BF16");
    assert_null(sac_arrays_unread_reason(arrays, "b"));
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- writing */

IN_SCRATCH(safetensors_survive_save_and_open_aligned)
{
    uint8_t bytes[] = {1, 2, 3};
    double doubles[] = {1.5, -2.5};
    uint16_t bfloats[] = {0x3f80, 0xc000};
    sac_array a = sac_array_view(SAC_U8, 1, (size_t[]){3}, bytes);
    sac_array b = sac_array_view(SAC_F64, 2, (size_t[]){1, 2}, doubles);
    sac_array c = sac_array_view(SAC_BF16, 1, (size_t[]){2}, bfloats);
    sac_array d = sac_array_view(SAC_F32, 2, (size_t[]){0, 5}, doubles);
    sac_named_array list[] = {{"a", &a}, {"größe", &b}, {"c", &c}, {"d", &d}};
    const char *metadata[] = {"model", "captioner", "note", "\"quoted\"", NULL};
    const char *path = scratch_path(s, "out.safetensors");
    sac_arrays *arrays;
    const char *odd[] = {"model", "captioner", "note", NULL};
    assert_int_equal(sac_safetensors_save(path, list, 4, odd, NULL), SAC_E_ARGUMENT);
    assert_int_equal(sac_safetensors_save(path, list, 4, odd + 2, NULL), SAC_E_ARGUMENT);
    OK(sac_safetensors_save(path, list, 4, metadata, NULL));
    assert_int_equal(scratch_count(s), 1);
    OK(sac_arrays_open(path, &arrays, NULL));
    assert_int_equal(sac_arrays_size(arrays), 4);
    for (int i = 0; i < 4; i++) {
        const sac_array *back = sac_arrays_find(arrays, list[i].name);
        size_t size = sac_dtype_size(back->dtype) * sac_array_count(back);
        assert_int_equal(back->dtype, list[i].array->dtype);
        assert_int_equal(back->rank, list[i].array->rank);
        assert_false(back->owns_data); /* it points into the mapped file */
        assert_memory_equal(back->shape, list[i].array->shape, sizeof(size_t) * (size_t)back->rank);
        if (size)
            assert_memory_equal(back->data, list[i].array->data, size);
    }
    assert_string_equal(sac_arrays_metadata(arrays, "model"), "captioner");
    assert_string_equal(sac_arrays_metadata(arrays, "note"), "\"quoted\"");
    sac_arrays_close(arrays);
}

/* Written by hand from the format's description. */
IN_SCRATCH(safetensors_header_follows_the_format)
{
    float value = 1;
    size_t size;
    sac_array a = sac_array_view(SAC_F32, 1, (size_t[]){1}, &value);
    const char *path = scratch_path(s, "out.safetensors");
    OK(sac_safetensors_save(path, &(sac_named_array){"a", &a}, 1, NULL, NULL));
    static const char expected[] =
        "\x38\0\0\0\0\0\0\0"
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  "
        "\0\0\x80\x3f";
    uint8_t *bytes = read_file(path, &size);
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

IN_SCRATCH(safetensors_save_failure_leaves_no_file)
{
    float value = 1;
    char *words[] = {"the"};
    sac_array a = sac_array_view(SAC_F32, 1, (size_t[]){1}, &value);
    sac_array text = sac_array_view(SAC_TEXT, 1, (size_t[]){1}, words);
    sac_named_array twice[] = {{"a", &a}, {"a", &a}};
    const char *path = scratch_path(s, "out.safetensors");
    assert_int_equal(sac_safetensors_save(path, twice, 2, NULL, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure,
                "out.safetensors: a: two arrays have this name; give each its own name");
    assert_int_equal(
        sac_safetensors_save(path, &(sac_named_array){"words", &text}, 1, NULL, &failure),
        SAC_E_ARGUMENT);
    assert_line(
        s, &failure,
        "out.safetensors: words: is text, which .safetensors does not hold; save it as .npz");
    assert_int_equal(
        sac_safetensors_save(path, &(sac_named_array){"__metadata__", &a}, 1, NULL, &failure),
        SAC_E_ARGUMENT);
    assert_line(s, &failure,
                "out.safetensors: __metadata__: is a name that .safetensors…; choose another name");
    assert_int_equal(scratch_count(s), 0);
    assert_int_equal(sac_safetensors_save("/dev/full", twice, 1, NULL, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "/dev/full: cannot be written: No space left on device; free some space or…");
}

IN_SCRATCH(safetensors_save_refuses_invalid_utf8)
{
    float value = 1;
    sac_array a = sac_array_view(SAC_F32, 1, (size_t[]){1}, &value);
    sac_named_array list[] = {{"a", &a},
                              {"gr\xf6\xdf"
                               "e",
                               &a}};
    const char *metadata[] = {"note", "ok", "model", "\xff", NULL};
    const char *path = scratch_path(s, "out.safetensors");
    assert_int_equal(sac_safetensors_save(path, list, 2, NULL, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure,
                "out.safetensors: the name of array 1 is not valid UTF-8; write it in UTF-8");
    assert_int_equal(sac_safetensors_save(path, list, 1, metadata, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure,
                "out.safetensors: entry 1 of the metadata is not valid UTF-8; write it in UTF-8");
    assert_int_equal(scratch_count(s), 0);
}

TEST_MAIN(NULL, NULL)
