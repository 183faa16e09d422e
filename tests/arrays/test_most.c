/* Files of at most 1 MB that hold the most of everything: names, values, texts, arrays, members. Each is read, or
 * refused by its line, in less than 1 GB, and ends. */
#include <errno.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include "arrays/arrays.h"
#include "arrays/labels.h"
#include "saccade_arrays.h"
#include "scratch.h"
#include "status.h"
#include "test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

enum { MOST_FILE = 1 << 20, MOST_SECONDS = 60 }; /* of processor time; an endless loop takes more */
#define MOST_MEMORY ((size_t)1 << 30)

/* ---------------------------------------------------------------- bytes */

typedef struct buffer {
    uint8_t *data;
    size_t size, room;
} buffer;

static void put(buffer *b, const void *bytes, size_t size)
{
    while (b->size + size > b->room) {
        b->room = b->room ? 2 * b->room : 4096;
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    if (size)
        memcpy(b->data + b->size, bytes, size);
    b->size += size;
}

static void put_times(buffer *b, const void *bytes, size_t size, size_t times)
{
    size_t first = b->size;
    put(b, bytes, times ? size : 0);
    for (size_t done = 1, more; done < times; done += more) { /* doubles what is there */
        more = done < times - done ? done : times - done;
        while (b->size + more * size > b->room)
            b->data = realloc(b->data, b->room *= 2);
        assert_non_null(b->data);
        memcpy(b->data + b->size, b->data + first, more * size);
        b->size += more * size;
    }
}

#define PUT(b, literal) put(b, literal, sizeof literal - 1)

static void put_number(buffer *b, uint64_t number, int size)
{
    for (int i = 0; i < size; i++, number >>= 8)
        put(b, &(uint8_t){(uint8_t)number}, 1);
}

__attribute__((format(printf, 2, 3))) static void put_text(buffer *b, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    put(b, text, (size_t)vsnprintf(text, sizeof text, format, list));
    va_end(list);
}

/* A text of a pickle: `size` times the letter. */
static void put_key(buffer *b, char letter, size_t size)
{
    put(b, "X", 1);
    put_number(b, size, 4);
    put_times(b, &letter, 1, size);
}

/* A .npy of that header with `size` zeros. */
static void put_npy(buffer *b, size_t size, const char *header)
{
    put(b, "\x93NUMPY\1\0", 8);
    put_number(b, strlen(header), 2);
    put(b, header, strlen(header));
    put_times(b, "", 1, size);
}

/* ---------------------------------------------------------------- files */

static void save_bytes(scratch *s, const char *name, const buffer *b)
{
    FILE *file = fopen(scratch_path(s, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->data, 1, b->size, file), b->size);
    fclose(file);
}

/* A zip of members, deflated as far as it goes; frees them. */
static void save_zip(scratch *s, const char *name, const char *const names[], buffer *members,
                     size_t count)
{
    zip_t *zip = zip_open(scratch_path(s, name), ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    for (size_t i = 0; i < count; i++) {
        zip_source_t *source = zip_source_buffer(zip, members[i].data, members[i].size, 0);
        zip_int64_t index = zip_file_add(zip, names[i], source, 0);
        assert_true(index >= 0);
        assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 9), 0);
    }
    assert_int_equal(zip_close(zip), 0);
    for (size_t i = 0; i < count; i++)
        free(members[i].data);
}

static void save_torch(scratch *s, const char *name, buffer pickle)
{
    static const char *const names[] = {"a/data.pkl", "a/version"};
    buffer members[] = {pickle, {0}};
    put(&members[1], "3\n", 2);
    save_zip(s, name, names, members, 2);
}

static void save_npz(scratch *s, const char *name, size_t zeros, const char *header)
{
    static const char *const names[] = {"attn.npy"};
    buffer member = {0};
    put_npy(&member, zeros, header);
    save_zip(s, name, names, &member, 1);
}

/* ---------------------------------------------------------------- reading */

/* Reads it in a process of its own, as arrays or as labels; what failed there is this test's failure. */
static void read_within_bounds(scratch *s, const char *name, bool labels)
{
    struct rlimit memory = {MOST_MEMORY, MOST_MEMORY}, time = {MOST_SECONDS, MOST_SECONDS};
    FILE *file = fopen(scratch_path(s, name), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    assert_true(ftell(file) <= MOST_FILE);
    fclose(file);
    pid_t child = fork();
    if (child == 0) {
        sac_error error = {0};
        sac_status status;
        if (!HAS_SANITIZER)
            setrlimit(RLIMIT_AS, &memory);
        setrlimit(RLIMIT_CPU, &time);
        if (labels) {
            sac_label_lists rows, columns;
            status = sac_labels_load(scratch_path(s, name), &rows, &columns, &error);
        } else {
            sac_arrays *arrays = NULL;
            status = sac_arrays_open(scratch_path(s, name), &arrays, &error);
            sac_arrays_close(arrays);
        }
        bool refused = status != SAC_OK && error.what[0] && strlen(error.what) < 500;
        _exit(status == SAC_E_MEMORY ? 2 : status == SAC_OK || refused ? 0 : 1);
    }
    int how = 0;
    struct rusage used;
    assert_int_equal(wait4(child, &how, 0, &used), child);
    if (!WIFEXITED(how) || WEXITSTATUS(how))
        fail_msg("%s: %s %d", name, WIFEXITED(how) ? "1: odd line, 2: no memory:" : "signal",
                 WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how));
    if (!HAS_SANITIZER)
        assert_true((size_t)used.ru_maxrss * 1024 < MOST_MEMORY);
    unlink(scratch_path(s, name));
}

/* ---------------------------------------------------------------- PyTorch's */

IN_SCRATCH(a_pickles_long_names_are_cut_and_counted)
{
    /* One key of 30 MB around 2000 arrays; and as many such keys beside the weights of a model. */
    buffer key = {0}, beside = {0}, deep = {0};
    put(&key, "\x80\2}(", 4);
    put_key(&key, 'k', 30 << 20);
    put(&key, "}(", 2);
    for (int i = 0; i < 2000; i++)
        put_text(&key, "\x8c\x05%05d](K\1K\2e", i);
    put(&key, "uu.", 3);
    save_torch(s, "key.pt", key);
    read_within_bounds(s, "key.pt", false);

    PUT(&beside, "\x80\2}(\x8c\5model}\x8c\1wctorch._utils\n_rebuild_tensor_v2\n)Rs");
    put_key(&beside, 'k', 30 << 20);
    PUT(&beside, "q\1N");
    put_times(&beside, "h\1N", 3, 100000);
    put(&beside, "u.", 2);
    save_torch(s, "beside.pt", beside);
    read_within_bounds(s, "beside.pt", false);

    /* 130,000 arrays whose names are of 31 parts. */
    put(&deep, "\x80\2", 2);
    for (int i = 0; i < 31; i++) {
        put(&deep, "}", 1);
        put_key(&deep, 'd', 120);
    }
    put(&deep, "}(", 2);
    for (int i = 0; i < 130000; i++)
        put_text(&deep, "\x8c\x06%06dK\1", i);
    put(&deep, "u", 1);
    put_times(&deep, "s", 1, 31);
    put(&deep, ".", 1);
    save_torch(s, "deep.pt", deep);
    read_within_bounds(s, "deep.pt", false);
}

IN_SCRATCH(a_pickles_values_lists_and_marks_are_counted)
{
    static const struct {
        const char *name, *head, *piece;
        size_t piece_size;
    } rows[] = {{"nothing", "\x80\2", "N", 1},       {"lists", "\x80\2Nq\0", "]h\0a", 4},
                {"marks", "\x80\2", "(", 1},         {"memo", "\x80\2N", "\x94", 1},
                {"tuples", "\x80\2](", "))", 2},     {"dicts", "\x80\2](", "}", 1},
                {"names", "\x80\2](", "ca\nb\n", 5}, {"twice", "\x80\2](]", "2", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        buffer pickle = {0};
        put(&pickle, rows[i].head, strlen(rows[i].head) + (rows[i].piece[1] == 'h'));
        put_times(&pickle, rows[i].piece, rows[i].piece_size, (16 << 20) / rows[i].piece_size);
        put(&pickle, "e.", 2);
        save_torch(s, rows[i].name, pickle);
        read_within_bounds(s, rows[i].name, false);
    }
}

IN_SCRATCH(what_a_pickle_names_many_times_is_counted)
{
    buffer texts = {0}, nested = {0};
    /* A list of 30,000 short texts, 100,000 times under another name. */
    PUT(&texts, "\x80\2}(\x8c\1s](");
    for (int i = 0; i < 30000; i++)
        put(&texts, "\x8c\1a", 3);
    put(&texts, "eq\1", 3);
    for (int i = 0; i < 100000; i++)
        put_text(&texts, "\x8c\x06%06dh\1", i);
    put(&texts, "u.", 2);
    save_torch(s, "texts.pt", texts);
    read_within_bounds(s, "texts.pt", false);

    /* Lists of 100 lists of 100 lists … of one list. */
    put(&nested, "\x80\2](K\1K\2eq\1", 11);
    for (int level = 1; level < 6; level++) {
        put(&nested, "](", 2);
        for (int i = 0; i < 100; i++)
            put_text(&nested, "h%c", level);
        put_text(&nested, "eq%c", level + 1);
    }
    put(&nested, ".", 1);
    save_torch(s, "nested.pt", nested);
    read_within_bounds(s, "nested.pt", false);
}

/* ---------------------------------------------------------------- NumPy's */

IN_SCRATCH(what_deflate_made_small_is_read_or_refused_by_its_size)
{
    save_npz(s, "numbers.npz", (size_t)600 << 20,
             "{'descr':'<f4','fortran_order':False,'shape':(157286400,)}\n");
    read_within_bounds(s, "numbers.npz", false);
    save_npz(s, "columns.npz", (size_t)600 << 20,
             "{'descr':'<f4','fortran_order':True,'shape':(12288,12800)}\n");
    read_within_bounds(s, "columns.npz", false);
    save_npz(s, "texts.npz", (size_t)64 << 20,
             "{'descr':'<U1','fortran_order':False,'shape':(16777216,)}\n");
    read_within_bounds(s, "texts.npz", false);
    save_npz(s, "texts.npz", (size_t)12 << 20,
             "{'descr':'<U1','fortran_order':False,'shape':(3145728,)}\n");
    read_within_bounds(s, "texts.npz", true);
}

/* Members that lie over each other: 10,000 entries of the directory for one member. */
IN_SCRATCH(members_that_share_their_bytes_are_counted)
{
    buffer one = {0}, zip = {0};
    put_npy(&one, 200000, "{'descr':'|u1','fortran_order':False,'shape':(200000,)}\n");
    uint32_t crc = ~0u;
    for (size_t i = 0; i < one.size; i++) {
        crc ^= one.data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    for (int entry = -1; entry < 10000; entry++) {
        put(&zip, entry < 0 ? "PK\3\4\12\0\0\0\0\0" : "PK\1\2\12\0\12\0\0\0\0\0",
            entry < 0 ? 10 : 12);
        put_number(&zip, 0, 4);
        put_number(&zip, crc, 4);
        put_number(&zip, one.size, 4);
        put_number(&zip, one.size, 4);
        put_number(&zip, 5, 2);
        put_number(&zip, 0, 2);
        put_times(&zip, "", 1, entry < 0 ? 0 : 14);
        if (entry < 0)
            put(&zip, "00000", 5);
        else
            put_text(&zip, "%05d", entry);
        if (entry < 0)
            put(&zip, one.data, one.size);
    }
    size_t directory = 30 + 5 + one.size, size = zip.size - directory;
    put(&zip, "PK\5\6\0\0\0\0", 8);
    put_number(&zip, 10000, 2);
    put_number(&zip, 10000, 2);
    put_number(&zip, size, 4);
    put_number(&zip, directory, 4);
    put_number(&zip, 0, 2);
    save_bytes(s, "shared.npz", &zip);
    read_within_bounds(s, "shared.npz", false);
    free(one.data);
    free(zip.data);
}

IN_SCRATCH(a_npy_of_texts_is_counted)
{
    buffer npy = {0};
    put_npy(&npy, 1000000, "{'descr':'|S1','fortran_order':False,'shape':(1000000,)}\n");
    save_bytes(s, "texts.npy", &npy);
    free(npy.data);
    read_within_bounds(s, "texts.npy", false);
}

/* ---------------------------------------------------------------- safetensors and labels */

/* 8000 tensors that all lie over the same numbers, at an odd place, so that each would be copied. */
IN_SCRATCH(tensors_that_overlap_are_refused_before_they_are_copied)
{
    buffer header = {0}, file = {0};
    put_text(&header, "{");
    for (int i = 0; i < 8000; i++)
        put_text(&header,
                 "%s\"%d\":{\"dtype\":\"F32\",\"shape\":[100000],\"data_offsets\":[0,400000]}",
                 i ? "," : "", i);
    put_text(&header, "}");
    if (header.size % 2 == 0)
        put_text(&header, " ");
    put_number(&file, header.size, 8);
    put(&file, header.data, header.size);
    put_times(&file, "", 1, 400000);
    save_bytes(s, "over.safetensors", &file);
    free(header.data);
    free(file.data);
    read_within_bounds(s, "over.safetensors", false);
}

IN_SCRATCH(labels_of_any_form_are_counted)
{
    static const struct {
        const char *name, *head, *piece, *tail;
    } rows[] = {{"lists.json", "[[]", ",[]", "]"},
                {"texts.json", "[\"\"", ",\"\"", "]"},
                {"ids.json", "[0", ",0", "]"},
                {"deep.json", "[", "[", "]"},
                {"keys.json", "{\"rows\":[\"\"],\"a\":0", ",\"a\":0", "}"},
                {"lines.txt", "", "\n", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        buffer file = {0};
        put_text(&file, "%s", rows[i].head);
        put_times(&file, rows[i].piece, strlen(rows[i].piece), 1000000 / strlen(rows[i].piece));
        put_text(&file, "%s", rows[i].tail);
        save_bytes(s, rows[i].name, &file);
        free(file.data);
        read_within_bounds(s, rows[i].name, true);
    }
}

TEST_MAIN(NULL, NULL)
