/* src/library/arrays: .npy and .npz, read and written. The files in data/ were saved by NumPy 1.24.
 */
#include "scratch.h"
#include "sparse_npz.h"

#include <sys/mman.h>
#include <zip.h>

#include "arrays/bytes.h"
#include "saccade_arrays.h"
#include "status.h"

static sac_arrays *open_data(const char *name)
{
    char path[400];
    sac_arrays *arrays;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    OK(sac_arrays_open(path, &arrays, &failure));
    return arrays;
}

/* Opening `bytes` under `name` must fail with `status` and the line `expected`. */
static void refuse(scratch *s, const char *name, const void *bytes, size_t size, sac_status status,
                   const char *expected)
{
    sac_arrays *arrays = (sac_arrays *)s; /* anything but NULL */
    const char *path = scratch_write(s, name, bytes, size);
    assert_int_equal(sac_arrays_open(path, &arrays, &failure), status);
    assert_null(arrays);
    assert_line(s, &failure, expected);
    assert_int_equal(sac_arrays_open(path, &arrays, NULL), status);
}

/* A .npy of version 1 with `header` and `size` bytes of zeros. */
static size_t make_npy(uint8_t *out, const char *header, size_t size)
{
    size_t length = strlen(header);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (uint8_t)length;
    out[9] = (uint8_t)(length >> 8);
    memcpy(out + 10, header, length);
    memset(out + 10 + length, 0, size);
    return 10 + length + size;
}

static void refuse_header(scratch *s, const char *header, sac_status status, const char *expected)
{
    uint8_t bytes[1024];
    refuse(s, "in.npy", bytes, make_npy(bytes, header, 24), status, expected);
}

static size_t pack(scratch *s, uint8_t **bytes, const char *name, const void *content, size_t size,
                   int method)
{
    size_t packed;
    zip_t *zip = zip_open(scratch_path(s, "made.npz"), ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    zip_int64_t at = zip_file_add(zip, name, zip_source_buffer(zip, content, size, 0), 0);
    assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)at, method, 0), 0);
    assert_int_equal(zip_close(zip), 0);
    *bytes = read_file(s->path, &packed);
    unlink(s->path);
    return packed;
}

/* ---------------------------------------------------------------- reading */

static void check_numbers(const sac_arrays *arrays, const char *name, sac_dtype dtype,
                          const float *expected)
{
    const sac_array *array = sac_arrays_find(arrays, name);
    float values[6];
    assert_non_null(array);
    assert_int_equal(array->dtype, dtype);
    assert_int_equal(array->rank, 2);
    assert_int_equal(array->shape[0], 2);
    assert_int_equal(array->shape[1], 3);
    OK(sac_array_to_f32(array, values, NULL));
    assert_memory_equal(values, expected, sizeof values);
}

static void check_every_dtype(const char *name)
{
    static const float quarters[] = {-0.75f, -0.5f, -0.25f, 0, 0.25f, 0.5f};
    static const float whole[] = {-3, -2, -1, 0, 1, 2}, natural[] = {0, 1, 2, 3, 4, 5};
    static const float truth[] = {1, 0, 1, 0, 0, 1};
    sac_arrays *arrays = open_data(name);
    assert_int_equal(sac_arrays_size(arrays), 21);
    check_numbers(arrays, "f2", SAC_F16, quarters);
    check_numbers(arrays, "f4", SAC_F32, quarters);
    check_numbers(arrays, "f8", SAC_F64, quarters);
    check_numbers(arrays, "big", SAC_F32, quarters);
    check_numbers(arrays, "b1", SAC_BOOL, truth);
    check_numbers(arrays, "i1", SAC_I8, whole);
    check_numbers(arrays, "i2", SAC_I16, whole);
    check_numbers(arrays, "i4", SAC_I32, whole);
    check_numbers(arrays, "i8", SAC_I64, whole);
    check_numbers(arrays, "u1", SAC_U8, natural);
    check_numbers(arrays, "u2", SAC_U16, natural);
    check_numbers(arrays, "u4", SAC_U32, natural);
    check_numbers(arrays, "u8", SAC_U64, natural);
    check_numbers(arrays, "big_u2", SAC_U16, natural);
    sac_arrays_close(arrays);
}

IN_SCRATCH(every_dtype_is_read_in_both_byte_orders)
{
    check_every_dtype("stored.npz");
}

IN_SCRATCH(deflated_arrays_are_read_like_stored_ones)
{
    check_every_dtype("deflated.npz");
}

IN_SCRATCH(column_major_arrays_become_row_major)
{
    sac_arrays *arrays = open_data("stored.npz");
    const sac_array *array = sac_arrays_find(arrays, "fortran");
    static const size_t shape[] = {2, 3, 4};
    assert_int_equal(array->rank, 3);
    assert_memory_equal(array->shape, shape, sizeof shape);
    for (int i = 0; i < 24; i++)
        assert_int_equal(((int32_t *)array->data)[i], i);
    sac_arrays_close(arrays);
}

IN_SCRATCH(scalars_and_empty_arrays_keep_their_shape)
{
    sac_arrays *arrays = open_data("deflated.npz");
    const sac_array *scalar = sac_arrays_find(arrays, "scalar");
    assert_int_equal(scalar->rank, 0);
    assert_int_equal(sac_array_count(scalar), 1);
    assert_true(*(float *)scalar->data == 7.5f);
    const sac_array *empty = sac_arrays_find(arrays, "empty");
    assert_int_equal(empty->rank, 2);
    assert_int_equal(empty->shape[0], 0);
    assert_int_equal(empty->shape[1], 3);
    assert_null(sac_arrays_find(arrays, "missing"));
    assert_null(sac_arrays_metadata(arrays, "any"));
    sac_arrays_close(arrays);
}

static void check_texts(const sac_arrays *arrays, const char *name, size_t count,
                        const char *const *expected)
{
    const sac_array *array = sac_arrays_find(arrays, name);
    assert_int_equal(array->dtype, SAC_TEXT);
    assert_int_equal(sac_array_count(array), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(((char **)array->data)[i], expected[i]);
}

IN_SCRATCH(text_is_read_as_utf8)
{
    sac_arrays *arrays = open_data("stored.npz");
    check_texts(arrays, "words", 4, (const char *const[]){"the", "größe", "世界", ""});
    check_texts(arrays, "words_big", 4, (const char *const[]){"the", "größe", "世界", ""});
    check_texts(arrays, "bytes", 3, (const char *const[]){"the", "größe", ""});
    check_texts(arrays, "words_fortran", 6, (const char *const[]){"a", "b", "c", "d", "e", "f"});
    sac_arrays_close(arrays);
}

IN_SCRATCH(a_npy_file_is_one_array_in_versions_1_to_3)
{
    static const float natural[] = {0, 1, 2, 3, 4, 5};
    const char *const names[] = {"plain.npy", "version2.npy", "version3.npy"};
    for (int i = 0; i < 3; i++) {
        sac_arrays *arrays = open_data(names[i]);
        assert_int_equal(sac_arrays_size(arrays), 1);
        assert_string_equal(sac_arrays_name(arrays, 0), "array");
        check_numbers(arrays, "array", SAC_F32, natural);
        sac_arrays_close(arrays);
    }
}

IN_SCRATCH(booleans_are_normalised_to_0_and_1)
{
    uint8_t bytes[256];
    size_t size = make_npy(bytes, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3);
    bytes[size - 2] = 0xff;
    sac_arrays *arrays;
    const char *path = scratch_write(s, "in.npy", bytes, size);
    OK(sac_arrays_open(path, &arrays, NULL));
    assert_memory_equal(sac_arrays_at(arrays, 0)->data, "\0\1\0", 3);
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- what is refused */

IN_SCRATCH(arrays_open_distinguishes_missing_empty_and_folder)
{
    sac_arrays *arrays;
    assert_int_equal(sac_arrays_open(scratch_path(s, "none.npz"), &arrays, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "none.npz: cannot be opened: No such file or directory; check the name");
    assert_int_equal(sac_arrays_open("/tmp", &arrays, &failure), SAC_E_FILE);
    assert_line(s, &failure, "/tmp: is a folder; give a file");
    refuse(s, "empty.npz", "", 0, SAC_E_FORMAT, "empty.npz: is empty; check how it was made");
    refuse(s, "in.npz", "hello, world", 12, SAC_E_FORMAT,
           "in.npz: is not a .pt, .npz, .npy, .safetensors, .csv, .tsv or .json file; give one of "
           "these");
}

IN_SCRATCH(a_header_that_promises_more_than_the_file_holds_is_refused)
{
    refuse_header(s, "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", SAC_E_FORMAT,
                  "in.npy: the header promises 28 bytes of elements…; get it again");
    refuse_header(s, "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", SAC_E_FORMAT,
                  "in.npy: the header promises 20 bytes of elements…; get it again");
    refuse(s, "in.npy", "\x93NUMPY\1\0\xff\xff{'descr'", 18, SAC_E_FORMAT,
           "in.npy: is cut within its header; get it again");
    refuse(s, "in.npy", "\x93NUMPY\2\0\xff\xff\xff\xff", 12, SAC_E_FORMAT,
           "in.npy: is cut within its header; get it again");
    refuse(s, "in.npy", "\x93NUMPY\2\0\xff\xff", 10, SAC_E_FORMAT,
           "in.npy: is cut within its header; get it again");
    refuse(s, "in.npy", "\x93NUMPY\4\0\1\0 ", 11, SAC_E_FORMAT,
           "in.npy: is of .npy version 4.0, which is not read; save it as version…");
}

IN_SCRATCH(dimensions_that_overflow_are_refused)
{
    refuse_header(
        s, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        SAC_E_SHAPE, "in.npy: shape [4294967296,4294967296] overflows…; save the array again");
    refuse_header(
        s, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296), }",
        SAC_E_SHAPE, "in.npy: shape [0,4294967296,4294967296] overflows…; save the array again");
    refuse_header(s, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
                  SAC_E_SHAPE,
                  "in.npy: the header gives a dimension that overflows; save the array again");
    refuse_header(s, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 6), }", SAC_E_SHAPE,
                  "in.npy: the header gives a negative dimension; save the array again");
    refuse_header(s, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,24), }",
                  SAC_E_SHAPE, "in.npy: has more than 8 dimensions; reshape it before saving");
    refuse_header(s, "{'descr': '|S1', 'fortran_order': False, 'shape': (16777217,), }",
                  SAC_E_SHAPE,
                  "in.npy: shape [16777217] holds more than 16777216 strings; save fewer");
}

IN_SCRATCH(a_dtype_that_is_not_numbers_or_text_is_refused)
{
    refuse_header(s, "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", SAC_E_FORMAT,
                  "in.npy: holds Python objects, which are not read; save numbers or text");
    refuse_header(s, "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", SAC_E_FORMAT,
                  "in.npy: has dtype '<c8', which is not read; convert it to…");
    refuse_header(s, "{'descr': '<U0', 'fortran_order': False, 'shape': (3,), }", SAC_E_FORMAT,
                  "in.npy: has dtype '<U0', which is not read; convert it to…");
    refuse_header(s, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }",
                  SAC_E_FORMAT,
                  "in.npy: holds records (a structured dtype), which…; save each field as…");
}

IN_SCRATCH(a_damaged_header_names_what_was_expected_and_where)
{
    static const struct {
        const char *header, *what;
    } cases[] = {
        {"", "'{' at byte 0"},
        {"{", "a quoted string at byte 1"},
        {"{'descr", "the end of a string at byte 7"},
        {"{'descr' '<f4'", "':' at byte 9"},
        {"{'colour': 1}", "one each of 'descr', 'fortran_order' and 'shape' at byte 1"},
        {"{'descr': '<f4', 'descr': '<f4'}",
         "one each of 'descr', 'fortran_order' and 'shape' at byte 17"},
        {"{'descr': '<f4'}", "'descr', 'fortran_order' and 'shape' before it ends at byte 16"},
        {"{'fortran_order': 0", "True or False at byte 18"},
        {"{'shape': 6", "'(' at byte 10"},
        {"{'shape': (6)}", "',' (the shape is a tuple) at byte 12"},
        {"{'shape': (6, 1 2)}", "',' or ')' at byte 16"},
        {"{'shape': (,)}", "a dimension at byte 11"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x",
         "nothing after '}' at byte 56"},
        {"{'descr': '<f4' 'fortran_order'", "',' or '}' at byte 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[200];
        snprintf(expected, sizeof expected,
                 "in.npy: the header is damaged: expected %s of it; save the array again",
                 cases[i].what);
        refuse_header(s, cases[i].header, SAC_E_FORMAT, expected);
    }
}

IN_SCRATCH(text_that_is_not_valid_is_refused)
{
    uint8_t bytes[256];
    const char *header = "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }";
    size_t size = make_npy(bytes, header, 16);
    memcpy(bytes + size - 8, "\x00\xd8\x00\x00", 4); /* half of a surrogate pair */
    refuse(s, "in.npy", bytes, size, SAC_E_FORMAT,
           "in.npy: string 1 is not valid text; save it as Unicode text");
    size = make_npy(bytes, "{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }", 4);
    memcpy(bytes + size - 4, "\xff\xff", 2);
    refuse(s, "in.npy", bytes, size, SAC_E_FORMAT,
           "in.npy: string 0 is not valid text; save it as Unicode text");
}

/* Read through data/stored.npz, with one thing wrong each time. */
IN_SCRATCH(a_damaged_npz_names_the_array)
{
    uint8_t *bytes, npy[256];
    size_t size = make_npy(npy, "{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }", 24);
    size_t packed = pack(s, &bytes, "key.npy", npy, size, ZIP_CM_DEFLATE);
    refuse(s, "in.npz", bytes, packed, SAC_E_FORMAT,
           "in.npz: key: the header promises 36 bytes of…; get the file again");
    refuse(s, "in.npz", bytes, packed - 30, SAC_E_FORMAT,
           "in.npz: is cut or damaged:…; get the file again");
    free(bytes);
    size = make_npy(npy, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24);
    packed = pack(s, &bytes, "key.npy", npy, size, ZIP_CM_STORE);
    bytes[30 + 7 + size - 1] ^=
        1; /* the last byte of the entry, behind its local header and name */
    refuse(s, "in.npz", bytes, packed, SAC_E_FORMAT,
           "in.npz: key: cannot be unpacked:…; get the file again");
    free(bytes);
    packed = pack(s, &bytes, "notes.txt", "hello, world", 12, ZIP_CM_STORE);
    refuse(s, "in.npz", bytes, packed, SAC_E_FORMAT,
           "in.npz: notes.txt: is not a .npy array; give arrays saved…");
    free(bytes);
    packed = pack(s, &bytes, "key.npy", npy, 4, ZIP_CM_STORE);
    refuse(s, "in.npz", bytes, packed, SAC_E_FORMAT,
           "in.npz: key: is not a .npy array; give arrays saved…");
    free(bytes);
}

/* The directory's "uncompressed size" (24 bytes into its entry) set to 4 GB. */
IN_SCRATCH(a_zip_that_promises_more_than_it_can_hold_is_refused)
{
    uint8_t *bytes, npy[256];
    size_t size = make_npy(npy, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24);
    size_t packed = pack(s, &bytes, "key.npy", npy, size, ZIP_CM_DEFLATE);
    uint8_t *directory = memmem(bytes, packed, "PK\1\2", 4);
    assert_non_null(directory);
    memcpy(directory + 24, "\xfe\xff\xff\xff", 4);
    refuse(s, "in.npz", bytes, packed, SAC_E_FORMAT,
           "in.npz: key: promises 4294967294 bytes, more than…; get the file again");
    free(bytes);
}

IN_SCRATCH(an_object_that_is_no_text_is_left_out_by_array)
{
    sac_arrays *arrays = open_data("objects.npz");
    assert_int_equal(sac_arrays_size(arrays), 1);
    assert_string_equal(sac_arrays_unread(arrays, 0), "words");
    assert_string_equal(
        sac_arrays_unread_reason(arrays, "words"),
        "holds Python objects, which are not read: element 1 is None; save numbers or text");
    assert_null(sac_arrays_unread(arrays, 1));
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- writing */

static void assert_same(const sac_array *a, const sac_array *b)
{
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
    size_t count = sac_array_count(a);
    for (size_t i = 0; a->dtype == SAC_TEXT && i < count; i++)
        assert_string_equal(((char **)a->data)[i], ((char **)b->data)[i]);
    if (a->dtype != SAC_TEXT && count)
        assert_memory_equal(a->data, b->data, count * sac_dtype_size(a->dtype));
}

static size_t list_arrays(const sac_arrays *arrays, sac_named_array *list)
{
    for (size_t i = 0; i < sac_arrays_size(arrays); i++)
        list[i] = (sac_named_array){sac_arrays_name(arrays, i), sac_arrays_at(arrays, i)};
    return sac_arrays_size(arrays);
}

IN_SCRATCH(npz_survives_save_and_open)
{
    sac_named_array list[32];
    sac_arrays *arrays = open_data("stored.npz"), *again;
    size_t count = list_arrays(arrays, list);
    const char *path = scratch_path(s, "out.npz");
    OK(sac_npz_save(path, list, count, &failure));
    assert_int_equal(scratch_count(s), 1); /* and nothing beside it */
    OK(sac_arrays_open(path, &again, &failure));
    assert_int_equal(sac_arrays_size(again), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(sac_arrays_name(again, i), list[i].name);
        assert_same(list[i].array, sac_arrays_at(again, i));
    }
    sac_arrays_close(again);
    sac_arrays_close(arrays);
}

IN_SCRATCH(the_same_arrays_give_the_same_npz)
{
    float values[3] = {1, 2, 3};
    size_t shape[] = {3}, sizes[2];
    uint8_t *bytes[2];
    sac_array array = sac_array_view(SAC_F32, 1, shape, values);
    for (int i = 0; i < 2; i++) {
        const char *path = scratch_path(s, "out.npz");
        OK(sac_npz_save(path, &(sac_named_array){"a", &array}, 1, NULL));
        bytes[i] = read_file(path, &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* The header's bytes for [2,3] float32, as numpy.lib.format version 1.0 has them, but for the comma
 * that Python allows before ')'. */
IN_SCRATCH(the_elements_start_at_a_multiple_of_64)
{
    float values[6] = {0, 1, 2, 3, 4, 5};
    size_t shape[] = {2, 3}, size;
    sac_array array = sac_array_view(SAC_F32, 2, shape, values);
    const char *path = scratch_path(s, "out.npz");
    OK(sac_npz_save(path, &(sac_named_array){"a", &array}, 1, NULL));
    uint8_t *bytes = read_file(path, &size), *start = memmem(bytes, size, "\x93NUMPY", 6);
    assert_non_null(start);
    const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,), }";
    assert_memory_equal(start, "\x93NUMPY\1\0\x76\0", 10);
    assert_memory_equal(start + 10, header, strlen(header));
    assert_int_equal(start[127], '\n');
    assert_memory_equal(start + 128, values, sizeof values);
    free(bytes);
}

IN_SCRATCH(bfloat16_is_saved_in_npz_as_float32)
{
    uint16_t values[] = {0x3f80, 0xc000}; /* 1, −2 */
    size_t shape[] = {2};
    sac_array array = sac_array_view(SAC_BF16, 1, shape, values);
    const char *path = scratch_path(s, "out.npz");
    sac_arrays *again;
    OK(sac_npz_save(path, &(sac_named_array){"a", &array}, 1, NULL));
    OK(sac_arrays_open(path, &again, NULL));
    const sac_array *back = sac_arrays_find(again, "a");
    assert_int_equal(back->dtype, SAC_F32);
    assert_true(((float *)back->data)[0] == 1 && ((float *)back->data)[1] == -2);
    sac_arrays_close(again);
}

IN_SCRATCH(a_npz_that_cannot_be_written_leaves_nothing)
{
    float value = 1;
    char *broken[] = {"\xff"};
    size_t shape[] = {1};
    sac_array array = sac_array_view(SAC_F32, 1, shape, &value);
    sac_array text = sac_array_view(SAC_TEXT, 1, shape, broken);
    sac_named_array twice[] = {{"a", &array}, {"a", &array}}, bad = {"words", &text};
    const char *path = scratch_path(s, "out.npz");
    assert_int_equal(sac_npz_save(path, twice, 0, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.npz: there are no arrays to save");
    assert_int_equal(sac_npz_save(path, twice, 2, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure,
                "out.npz: 'a.npy' cannot be added: File already exists; give each array its…");
    assert_int_equal(sac_npz_save(path, &bad, 1, &failure), SAC_E_ARGUMENT);
    assert_line(s, &failure, "out.npz: words: string 0 is not valid UTF-8");
    assert_int_equal(scratch_count(s), 0);
    assert_int_equal(sac_npz_save("/dev/full", twice, 1, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "/dev/full: cannot be written: No space left on device; free some space or…");
    assert_int_equal(sac_npz_save(scratch_path(s, "no/out.npz"), twice, 1, &failure), SAC_E_FILE);
    assert_line(s, &failure,
                "no/out.npz: cannot be written: No such file or directory; choose a folder…");
}

IN_SCRATCH(an_array_file_may_come_through_a_pipe)
{
    char command[1000], path[160];
    snprintf(path, sizeof path, "%s/pipe", s->folder);
    snprintf(command, sizeof command, "mkfifo %s && cat %s/plain.npy > %s &", path, TEST_DATA,
             path);
    assert_int_equal(system(command), 0);
    while (access(path, F_OK) != 0)
        usleep(1000);
    sac_arrays *arrays;
    OK(sac_arrays_open(path, &arrays, NULL));
    assert_int_equal(sac_arrays_at(arrays, 0)->shape[1], 3);
    sac_arrays_close(arrays);
}

/* A stream that, as libzip 1.7.3 does, gives more than requested where that is 4 GiB. */
typedef struct long_stream {
    size_t left;
    int calls;
} long_stream;

static int64_t read_long_stream(void *user, void *out, size_t size)
{
    long_stream *stream = user;
    size_t given = size < stream->left ? size : stream->left;
    if (given)
        *(uint8_t *)out = (uint8_t)++stream->calls;
    stream->left -= given;
    return (int64_t)(size >> 32 ? size + size / 3 : given);
}

/* The pages are never touched but for the first byte of each piece. */
IN_SCRATCH(more_than_4_gib_are_read_in_pieces)
{
    const size_t size = 5000000000, piece = (size_t)1 << 30;
    uint8_t *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    long_stream whole = {.left = size}, cut = {.left = size - 7};
    assert_int_equal(sac_read_pieces(read_long_stream, &whole, room, size), size);
    assert_int_equal(whole.left, 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(room[i * piece], i + 1);
    assert_int_equal(sac_read_pieces(read_long_stream, &cut, room, size), size - 7);
    munmap(room, size);
}

IN_SCRATCH(an_address_in_a_mapped_file_leads_to_the_file)
{
    sac_bytes bytes;
    char reported[256];
    const char *path = scratch_write(s, "mapped", "0123456789", 10);
    OK(sac_bytes_map(path, &bytes, NULL));
    const uint8_t *data = bytes.data;
    assert_true(sac_bytes_mapped_at(data + 9, reported, sizeof reported));
    assert_string_equal(reported, path);
    assert_false(sac_bytes_mapped_at(data + 10, reported, sizeof reported));
    assert_false(sac_bytes_mapped_at(reported, reported, sizeof reported));
    sac_bytes_free(&bytes);
    assert_false(sac_bytes_mapped_at(data, reported, sizeof reported));
}

/* More than one block of the list that the handler of SIGBUS asks. */
IN_SCRATCH(mapped_files_are_found_by_address)
{
    enum { FILES = 200 };
    static sac_bytes bytes[FILES];
    char name[32], reported[160];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "mapped%d", i);
        OK(sac_bytes_map(scratch_write(s, name, "01", 2), &bytes[i], NULL));
    }
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "mapped%d", i);
        assert_true(sac_bytes_mapped_at(bytes[i].data, reported, sizeof reported));
        assert_string_equal(reported, scratch_path(s, name));
        sac_bytes_free(&bytes[i]);
    }
}

IN_SCRATCH(forgotten_bytes_of_a_file_hold_no_memory_and_are_read_again)
{
    enum { PAGES = 4 };
    sac_bytes bytes;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    uint8_t *content = aligned_alloc(page, size);
    assert_non_null(content);
    for (size_t i = 0; i < size; i++)
        content[i] = (uint8_t)(i % 251);
    const char *path = scratch_write(s, "forgotten", content, size);
    OK(sac_bytes_map(path, &bytes, NULL));
    assert_memory_equal(bytes.data, content, size);
    assert_int_equal(pages_held(bytes.data, PAGES, page), PAGES);
    sac_bytes_drop_pages(bytes.data + 1, size - 1);
    assert_int_equal(pages_held(bytes.data + page, PAGES - 1, page), 0);
    assert_memory_equal(bytes.data, content, size);
    sac_bytes_drop_pages(content, size); /* of no file: it stays */
    assert_memory_equal(bytes.data, content, size);
    sac_bytes_free(&bytes);
    free(content);
}

/* ---------------------------------------------------------------- large members */

static void put(const char *path, uint64_t at, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "r+b");
    fseeko(file, (off_t)at, SEEK_SET);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

IN_SCRATCH(a_large_member_that_is_stored_is_lent_from_the_file_wherever_it_lies)
{
    static const struct {
        const char *descr;
        size_t size;
        uint64_t bits; /* of the number 3, little-endian */
    } types[] = {{"<f4", 4, 0x40400000}, {"<f8", 8, 0x4008000000000000},
                 {"<f2", 2, 0x4200},     {"<i8", 8, 3},
                 {"<u2", 2, 3},          {"|i1", 1, 3}};
    enum { ROWS = 65, ROW = 1 << 20 };
    char path[400], shape[64];
    snprintf(path, sizeof path, "%s/large.npz", s->folder);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint64_t bytes = (uint64_t)ROWS * ROW * types[i].size, last = (ROWS * ROW - 1);
        snprintf(shape, sizeof shape, "(%d, %d)", ROWS, ROW);
        sparse_array arrays[] = {{"a", "|u1", "(3,)", 3, 0},
                                 {"large", types[i].descr, shape, bytes, 0}};
        sparse_npz(path, arrays, 2);
        assert_true(types[i].size == 1 || arrays[1].at % types[i].size != 0);
        put(path, arrays[1].at + last * types[i].size, &types[i].bits, types[i].size);
        put(path, arrays[1].at + 5 * types[i].size, &types[i].bits, types[i].size);
        sac_arrays *opened;
        OK(sac_arrays_open(path, &opened, &failure));
        const sac_array *array = sac_arrays_find(opened, "large");
        assert_false(array->owns_data);
        for (int end = 0; end < 2; end++) {
            float numbers[7] = {0};
            size_t from = end ? last - 6 : 0;
            sac_array part = sac_array_view(array->dtype, 1, (size_t[]){7},
                                            (const char *)array->data + from * types[i].size);
            OK(sac_array_to_f32(&part, numbers, &failure));
            for (size_t n = 0; n < 7; n++)
                assert_true(numbers[n] == (n == (end ? 6 : 5) ? 3 : 0));
        }
        sac_arrays_close(opened);
    }
    /* Of other orders a copy is made. */
    sparse_array swapped = {"large", ">f4", "(16777216,)", 1 << 26, 0};
    sparse_npz(path, &swapped, 1);
    sac_arrays *opened;
    OK(sac_arrays_open(path, &opened, &failure));
    assert_true(sac_arrays_find(opened, "large")->owns_data);
    sac_arrays_close(opened);
    unlink(path);
}

/* What a header promises is there, or the file is refused before anything is lent. */
IN_SCRATCH(a_large_member_whose_header_promises_more_is_refused)
{
    char path[400];
    sac_arrays *opened;
    snprintf(path, sizeof path, "%s/large.npz", s->folder);
    sparse_array more = {"large", "<f4", "(16777217,)", 1 << 26, 0};
    sparse_npz(path, &more, 1);
    assert_int_equal(sac_arrays_open(path, &opened, &failure), SAC_E_FORMAT);
    assert_non_null(strstr(failure.what, "promises 67108868 bytes"));
    sparse_array right = {"large", "<f4", "(16777216,)", 1 << 26, 0};
    sparse_npz(path, &right, 1);
    uint8_t beyond[4] = {0xff, 0xff, 0xff, 0x7f}; /* the directory places it elsewhere */
    put(path, right.at + right.bytes + 42, beyond, 4);
    assert_int_equal(sac_arrays_open(path, &opened, &failure), SAC_E_FORMAT);
    unlink(path);
}

TEST_MAIN(NULL, NULL)
