/* The hashes that a saved picture keeps of files, and the names that it gives them. */
#include <sys/stat.h>
#include <unistd.h>

#include "sources/origin.h"
#include "sources/saved_name.h"
#include "status.h"
#include "test.h"

static char folder[64];

/* FOLDER/NAME; the last four stay. */
static const char *here(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(here(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static int create_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/saccade-origin-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* The known answers of FIPS 180-4's examples. */
TEST_WITH(a_files_hash_is_sha256, create_folder, remove_folder)
{
    char hash[SAC_ORIGIN_HASH];
    put("a", "", 0);
    OK(sac_origin_hash(here("a"), hash, &failure));
    assert_string_equal(hash,
                        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    put("a", "abc", 3);
    OK(sac_origin_hash(here("a"), hash, &failure));
    assert_string_equal(hash,
                        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(sac_origin_is(here("a"), hash));
    put("a", "abd", 3);
    assert_false(sac_origin_is(here("a"), hash));
    assert_false(sac_origin_is(here("a"), ""));
    assert_false(sac_origin_is(here("none"), hash));
    put("a", "foobar", 6);
    assert_true(sac_origin_is(here("a"), "fnv1a64:85944171f73967e8")); /* Noll's test vector */
    assert_int_equal(sac_origin_hash(here("none"), hash, &failure), SAC_E_FILE);
}

/* A pipe is not opened, as that would wait for a writer. */
TEST_WITH(origin_hash_is_empty_for_missing_or_huge_files, create_folder, remove_folder)
{
    char hash[SAC_ORIGIN_HASH] = "x";
    assert_int_equal(mkfifo(here("pipe"), 0600), 0);
    put("huge", "", 0);
    assert_int_equal(truncate(here("huge"), (off_t)SAC_ORIGIN_MOST + 1), 0);
    const char *const paths[] = {here("pipe"), "/dev/zero", here("huge"), folder};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        OK(sac_origin_hash(paths[i], hash, NULL));
        assert_string_equal(hash, "");
        assert_false(sac_origin_is(paths[i], ""));
    }
}

/* Its weights count at both ends, in their size and by their name; what is no part of it does not.
 */
TEST_WITH(a_models_folder_has_a_hash_of_what_it_holds, create_folder, remove_folder)
{
    enum { SIZE = 200000 };
    char first[SAC_ORIGIN_HASH], hash[SAC_ORIGIN_HASH];
    char *weights = calloc(SIZE + 1, 1);
    put("config.json", "{}", 2);
    put("model.safetensors", weights, SIZE);
    OK(sac_origin_hash(folder, first, NULL));
    assert_int_equal(strncmp(first, "sha256:", 7), 0);
    put("picture.png", "x", 1);
    assert_true(sac_origin_is(folder, first));
    for (int change = 0; change < 5; change++) {
        weights[0] = change == 0;
        weights[SIZE - 1] = change == 1;
        put("model.safetensors", weights, change == 2 ? SIZE + 1 : SIZE);
        put("config.json", change == 3 ? "[]" : "{}", 2);
        if (change == 4)
            put("vocab.txt", "", 0);
        OK(sac_origin_hash(folder, hash, NULL));
        assert_string_not_equal(hash, first);
    }
    free(weights);
}

/* Every file that is read counts: of a GGUF in parts all, of an adapter its own and its base's. */
TEST_WITH(a_model_of_several_files_has_a_hash_of_all, create_folder, remove_folder)
{
    static const char adapter[] = "{\"base_model_name_or_path\": \"../base\"}";
    static const char *const read[] = {"base/chat_template.jinja", "base/model.safetensors",
                                       "adapter/adapter_model.safetensors", "m-00002-of-00003.gguf",
                                       "m-00003-of-00003.gguf"};
    char before[2][SAC_ORIGIN_HASH];
    assert_int_equal(mkdir(here("base"), 0700) | mkdir(here("adapter"), 0700), 0);
    put("base/config.json", "{}", 2);
    put("adapter/adapter_config.json", adapter, sizeof adapter - 1);
    put("m-00001-of-00003.gguf", "GGUF", 4);
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        put(read[i], "x", 1);
    const char *const models[] = {"adapter", "m-00001-of-00003.gguf"};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        for (int k = 0; k < 2; k++) {
            OK(sac_origin_hash(here(models[k]), before[k], &failure));
            assert_true(sac_origin_within(here(models[k]), folder));
        }
        put(read[i], "y", 1);
        assert_int_equal(sac_origin_is(here("adapter"), before[0]), i > 2);
        assert_int_equal(sac_origin_is(here("m-00001-of-00003.gguf"), before[1]), i < 3);
        assert_int_equal(unlink(here(read[i])) | symlink("/etc/hostname", here(read[i])), 0);
        assert_int_equal(sac_origin_within(here("adapter"), folder), i > 2);
        assert_int_equal(sac_origin_within(here("m-00001-of-00003.gguf"), folder), i < 3);
        assert_int_equal(unlink(here(read[i])), 0);
        put(read[i], "x", 1);
    }
    assert_false(sac_origin_within(here("adapter"), here("adapter"))); /* its base is outside */
}

TEST_WITH(a_link_leads_out_of_a_folder, create_folder, remove_folder)
{
    assert_int_equal(mkdir(here("inner"), 0700), 0);
    put("inner/config.json", "{}", 2);
    put("outer.txt", "x", 1);
    assert_true(sac_origin_within(here("inner"), folder));
    assert_true(sac_origin_within(here("inner/config.json"), here("inner")));
    assert_false(sac_origin_within(here("outer.txt"), here("inner")));
    assert_int_equal(symlink("config.json", here("inner/same.json")), 0);
    assert_true(sac_origin_within(here("inner"), here("inner/..")));
    assert_true(sac_origin_within(here("inner/same.json"), here("inner")));
    assert_int_equal(symlink("/etc/passwd", here("inner/vocab.txt")), 0);
    assert_false(sac_origin_within(here("inner/vocab.txt"), folder));
    assert_false(sac_origin_within(here("inner"), folder)); /* the model would be read through it */
    assert_false(sac_origin_within(here("none"), folder));
}

TEST_WITH(a_name_comes_back_whatever_its_bytes, create_folder, remove_folder)
{
    static const char *const names[][2] = {
        {"a b/c.npz", "a b/c.npz"},
        {"猫.png", "猫.png"},
        {"d\xe9j\xe0 100%.png", "percent-encoded:d%E9j%E0%20100%25.png"},
        {"percent-encoded:x", "percent-encoded:percent-encoded%3Ax"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = sac_saved_name_encode(names[i][0]);
        assert_string_equal(text, names[i][1]);
        char *back = sac_saved_name_decode(text);
        assert_string_equal(back, names[i][0]);
        free(text);
        free(back);
    }
    static const char *const wrong[] = {"percent-encoded:%", "percent-encoded:%4",
                                        "percent-encoded:a%00b", "percent-encoded:%g0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(sac_saved_name_decode(wrong[i]));
}

TEST_MAIN(NULL, NULL)
