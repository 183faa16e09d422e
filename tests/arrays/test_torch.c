/* src/library/arrays: files of torch.save, and arrays of Python's objects. Those in data/ are of
 * make_torch.py: beside each .pt lies a .npz of the arrays that are to come out of it. */
#include "saccade_arrays.h"
#include "scratch.h"
#include "status.h"

static sac_arrays *open_file(const char *name)
{
    char path[400];
    sac_arrays *arrays = NULL;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    OK(sac_arrays_open(path, &arrays, &failure));
    return arrays;
}

static void assert_same(const char *name, const sac_array *found, const sac_array *expected)
{
    size_t count = sac_array_count(expected);
    if (found->rank != expected->rank || sac_array_count(found) != count ||
        memcmp(found->shape, expected->shape, (size_t)found->rank * sizeof *found->shape) != 0)
        fail_msg("%s has another shape", name);
    if (found->dtype == SAC_BF16) {
        float numbers[16];
        OK(sac_array_to_f32(found, numbers, NULL));
        assert_memory_equal(numbers, expected->data, count * sizeof *numbers);
        return;
    }
    assert_string_equal(sac_dtype_name(found->dtype), sac_dtype_name(expected->dtype));
    for (size_t i = 0; found->dtype == SAC_TEXT && i < count; i++)
        assert_string_equal(((char **)found->data)[i], ((char **)expected->data)[i]);
    if (found->dtype != SAC_TEXT && count &&
        memcmp(found->data, expected->data, count * sac_dtype_size(found->dtype)) != 0)
        fail_msg("%s has other numbers", name);
}

static void assert_all_same(const sac_arrays *arrays, const sac_arrays *expected)
{
    for (size_t i = 0; i < sac_arrays_size(expected); i++) {
        const char *name = sac_arrays_name(expected, i);
        const sac_array *found = sac_arrays_find(arrays, name);
        if (!found)
            fail_msg("%s is missing: %s", name, sac_arrays_unread_reason(arrays, name));
        assert_same(name, found, sac_arrays_at(expected, i));
    }
    assert_int_equal(sac_arrays_size(arrays), sac_arrays_size(expected));
}

TEST(torch_tensors_match_their_npz)
{
    static const char *const names[] = {"layouts", "types",    "packed", "big_endian", "old",
                                        "tensor",  "training", "tuple",  "output"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[40];
        snprintf(name, sizeof name, "torch_%s.npz", names[i]);
        sac_arrays *expected = open_file(name);
        snprintf(name, sizeof name, "torch_%s.pt", names[i]);
        sac_arrays *arrays = open_file(name);
        assert_all_same(arrays, expected);
        sac_arrays_close(arrays);
        sac_arrays_close(expected);
    }
}

/* Tensors that share a storage lie in the mapped file, as do all that have no gaps. */
TEST(uncompressed_torch_tensors_are_mapped_not_copied)
{
    sac_arrays *arrays = open_file("torch_layouts.pt");
    const sac_array *first = sac_arrays_find(arrays, "first_half");
    const sac_array *second = sac_arrays_find(arrays, "second_half");
    assert_false(first->owns_data);
    assert_ptr_equal((float *)first->data + 5, second->data);
    assert_true(sac_arrays_find(arrays, "transposed")->owns_data);
    sac_arrays_close(arrays);
}

typedef struct reason {
    const char *name, *why;
} reason;

static void assert_left_out(const sac_arrays *arrays, const reason *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *why = sac_arrays_unread_reason(arrays, reasons[i].name);
        if (!why)
            fail_msg("%s is not among what is left out", reasons[i].name);
        assert_string_equal(why, reasons[i].why);
        assert_null(sac_arrays_find(arrays, reasons[i].name));
    }
    assert_null(sac_arrays_unread(arrays, count));
    assert_non_null(sac_arrays_unread(arrays, count - 1));
}

TEST(torch_objects_beside_tensors_are_named_and_skipped)
{
    static const reason reasons[] = {
        {"epoch", "is a number beside the weights"},
        {"args", "is an object of argparse.Namespace beside the weights"},
        {"best", "is an object of numpy._core.multiarray.scalar beside the weights"},
        {"optimizer", "is a dict beside the weights"}};
    sac_arrays *arrays = open_file("torch_training.pt");
    assert_left_out(arrays, reasons, sizeof reasons / sizeof *reasons);
    sac_arrays_close(arrays);
}

TEST(torch_dict_entries_not_read_are_named_with_the_reason)
{
    static const reason reasons[] = {
        {"nothing", "is None"},
        {"set", "is an object of __builtin__.set"},
        {"f8", "is a tensor of torch.float8_e4m3fn, which is not read; convert it to "
               "float32 before saving"},
        {"complex", "is a tensor of torch.ComplexFloatStorage, which is not read; "
                    "convert it to float32 before saving"},
        {"sparse", "is a tensor of torch._utils._rebuild_sparse_tensor, which is not "
                   "read; convert it to float32 before saving"},
        {"negative",
         "is a view that PyTorch computes of a tensor, which is not read; save a copy of "
         "it: tensor.clone()"},
        {"item", "is a tuple where a name is needed"}};
    sac_arrays *arrays = open_file("torch_output.pt");
    assert_left_out(arrays, reasons, sizeof reasons / sizeof *reasons);
    sac_arrays_close(arrays);
}

/* ---------------------------------------------------------------- refused */

static void refuse(const char *path, const char *what, const char *remedy)
{
    sac_arrays *arrays = (sac_arrays *)&failure;
    assert_int_equal(sac_arrays_open(path, &arrays, &failure), SAC_E_FORMAT);
    assert_null(arrays);
    assert_string_equal(failure.what, what);
    assert_string_equal(failure.remedy, remedy);
}

IN_SCRATCH(a_program_is_not_run_but_named)
{
    static const char pickle[] = "\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\1a\x94K\1s.";
    refuse(TEST_DATA "/torch_script.pt", "is a TorchScript archive, which is a program",
           "convert it in Python: torch.save(torch.jit.load(F).state_dict(), \"new.pt\")");
    refuse(TEST_DATA "/torch_object.pt",
           "is an object of argparse.Namespace, which would have to be run",
           "save its tensors: torch.save(model.state_dict(), \"new.pt\")");
    refuse(scratch_write(s, "in.pkl", pickle, sizeof pickle - 1),
           "is a plain pickle of Python, which is a program",
           "where you trust it, convert it in Python: torch.save(pickle.load(open(F, \"rb\")), "
           "\"new.pt\")");
}

/* torch_old.pt with `from` replaced by `to` where it comes first. */
static const char *damage(scratch *s, const char *from, const char *to, size_t size)
{
    size_t length;
    uint8_t *bytes = read_file(TEST_DATA "/torch_old.pt", &length);
    uint8_t *at = memmem(bytes, length, from, size);
    assert_non_null(at);
    memcpy(at, to, size);
    const char *path = scratch_write(s, "in.pt", bytes, length);
    free(bytes);
    return path;
}

IN_SCRATCH(sizes_that_the_file_does_not_back_up_are_refused)
{
    refuse(damage(s, "K\2K\3\x86", "K\2K\4\x86", 5),
           "ends at element 7 of its storage, which has 6", "save the file again");
    refuse(damage(s, "K\6N", "K\7N", 3),
           "its storage is of 7 elements, the file holds 24 bytes of it", "get the file again");
    refuse(damage(s, "\6\0\0\0\0\0\0\0", "\xff\0\0\0\0\0\0\0", 8),
           "storage 0 promises 255 elements, more than the file holds", "get the file again");
}

/* ---------------------------------------------------------------- objects */

TEST(texts_and_numbers_that_are_objects_are_read)
{
    sac_arrays *arrays = open_file("objects_read.npz");
    static const char *const texts[] = {"the", "cat", "sat", "schön"};
    static const char *const names[] = {"texts", "columns"};
    for (int n = 0; n < 2; n++) {
        const sac_array *array = sac_arrays_find(arrays, names[n]);
        assert_int_equal(array->dtype, SAC_TEXT);
        assert_int_equal(array->rank, 2);
        for (int i = 0; i < 4; i++)
            assert_string_equal(((char **)array->data)[i], texts[i]);
    }
    const sac_array *one = sac_arrays_find(arrays, "one");
    assert_int_equal(one->rank, 0);
    assert_string_equal(((char **)one->data)[0], "word");
    assert_string_equal(((char **)sac_arrays_find(arrays, "strings")->data)[1], "bc");
    const sac_array *numbers = sac_arrays_find(arrays, "numbers");
    assert_int_equal(numbers->dtype, SAC_F64);
    assert_memory_equal(numbers->data, ((double[]){1, 2.5, 1}), 3 * sizeof(double));
    sac_arrays_close(arrays);
    arrays = open_file("objects_numpy1.npy");
    assert_string_equal(((char **)sac_arrays_find(arrays, "array")->data)[1], "cat");
    sac_arrays_close(arrays);
}

TEST(arrays_within_objects_have_names_of_their_own)
{
    sac_arrays *arrays = open_file("objects_layers.npz");
    assert_int_equal(sac_arrays_size(arrays), 4);
    assert_float_equal(((float *)sac_arrays_find(arrays, "attn.2")->data)[3], 2.5, 0);
    assert_int_equal(sac_arrays_find(arrays, "attn.0")->rank, 3);
    assert_string_equal(sac_arrays_unread_reason(arrays, "attn.1"), "is None");
    assert_int_equal(sac_arrays_find(arrays, "all.attn")->rank, 2);
    assert_string_equal(((char **)sac_arrays_find(arrays, "all.tokens")->data)[1], "b");
    sac_arrays_close(arrays);
    arrays = open_file("objects_dict.npy");
    assert_int_equal(sac_arrays_size(arrays), 3);
    assert_float_equal(((double *)sac_arrays_find(arrays, "attn")->data)[3], 1, 0);
    assert_int_equal(((int64_t *)sac_arrays_find(arrays, "heads")->data)[0], 4);
    sac_arrays_close(arrays);
}

TEST(one_member_that_is_not_read_does_not_close_the_archive)
{
    static const reason reasons[] = {
        {"config", "holds Python objects, which are not read: element 0 is a dict; save numbers or "
                   "text"},
        {"ragged", "holds Python objects, which are not read: element 0 is a list; save numbers or "
                   "text"},
        {"complex", "has dtype '<c8', which is not read; convert it to float32 before saving"},
        {"records", "holds records (a structured dtype), which are not read; save each field as an "
                    "array of its own"},
        {"readme.txt", "is not a .npy array; give arrays saved by NumPy"}};
    sac_arrays *arrays = open_file("beside.npz");
    assert_int_equal(sac_arrays_size(arrays), 2);
    assert_int_equal(sac_arrays_find(arrays, "attentions")->rank, 3);
    assert_non_null(sac_arrays_find(arrays, "folder/inner"));
    assert_left_out(arrays, reasons, sizeof reasons / sizeof *reasons);
    sac_arrays_close(arrays);
}

TEST_MAIN(NULL, NULL)
