/* saccade models: what other programs have fetched, in made-up caches. */
#include <sys/stat.h>
#include <unistd.h>

#include "gguf_writer.h"
#include "run.h"

#define GGUF REFERENCES "/gguf/llama.gguf"

/* A folder below the tests' own, and all above it. */
static void make(const char *name)
{
    char path[256];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", (int)(slash - name), name);
        mkdir(in_folder(folder, path), 0700);
    }
    mkdir(in_folder(folder, name), 0700);
}

static void link_to(const char *target, const char *name)
{
    assert_int_equal(symlink(target, in_folder(folder, name)), 0);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(folder, name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Two snapshots of one model, of which refs/main names the older; a repository of one GGUF; one that is broken; an Ollama. */
static void make_caches(void)
{
    static const char *const files[] = {"config.json", "model.safetensors", "vocab.json",
                                        "merges.txt", "generation_config.json"};
    make("hub/models--small--gpt2/refs");
    make("hub/models--small--gpt2/snapshots/new");
    make("hub/models--small--gpt2/snapshots/old");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char target[512], name[128];
        snprintf(target, sizeof target, REFERENCES "/gpt2/%s", files[i]);
        snprintf(name, sizeof name, "hub/models--small--gpt2/snapshots/old/%s", files[i]);
        link_to(target, name);
    }
    write_text("hub/models--small--gpt2/refs/main", "old\n");
    make("hub/models--small--llama-GGUF/snapshots/1");
    link_to(GGUF, "hub/models--small--llama-GGUF/snapshots/1/llama.gguf");
    make("hub/models--small--adapter/snapshots/1"); /* whose base is itself */
    write_text("hub/models--small--adapter/snapshots/1/adapter_config.json",
               "{\"peft_type\": \"LORA\", \"base_model_name_or_path\": \"small/adapter\"}");
    make("hub/models--small--broken/snapshots/1");
    write_text("hub/models--small--broken/snapshots/1/config.json", "{\"model_type\": \"gpt2\"}");
    make("hub/datasets--small--texts");
    make("ollama/blobs");
    link_to(GGUF, "ollama/blobs/sha256-0f");
    make("ollama/manifests/host/library/llama");
    make("ollama/manifests/host.example/someone/model");
    write_text("ollama/manifests/host.example/someone/model/latest",
               "{\"layers\": [{\"mediaType\": \"a.model\", \"digest\": \"sha256:0f\"}]}");
    write_text("ollama/manifests/host/library/llama/tiny",
               "{\"layers\": [{\"mediaType\": \"a.template\", \"digest\": \"sha256:1\"}, "
               "{\"mediaType\": \"a.model\", \"digest\": \"sha256:0f\"}]}");
}

TEST(models_lists_what_is_kept_and_shows_what_does_not_open)
{
    char hub[128], ollama[128], path[256];
    make_caches();
    snprintf(hub, sizeof hub, "HF_HUB_CACHE=%s/hub", folder);
    snprintf(ollama, sizeof ollama, "OLLAMA_MODELS=%s/ollama", folder);
    program_run run = {.environment = {hub, ollama}};
    run_saccade(&run, "models", NULL);
    assert_done(&run);
    static const char *const parts[] = {
        "small/gpt2            gpt2, 3 layers × 3 heads, 24 wide\n",
        "small/llama-GGUF      llama, 3 layers × 4 heads, 32 wide\n",
        "small/broken          does not open: has neither model.safetensors nor "
        "pytorch_model.bin\n",
        "llama:tiny            llama, 3 layers × 4 heads, 32 wide\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(run.out, parts[i]))
            fail_msg("no \"%s\" in: %s", parts[i], run.out);
    assert_null(strstr(run.out, "texts"));
    snprintf(path, sizeof path, "%s/hub/models--small--gpt2", folder);
    run_saccade(&run, "view", path, "--text", "the cat", "--json", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "\"model\":\t\"small/gpt2\""));
    run_saccade(&run, "models", "--json", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "\"opens\":\tfalse"));
}

/* By the names under which others have kept them, where there is no such path. */
TEST(models_open_by_the_names_under_which_they_are_kept)
{
    static const char *const names[][2] = {{"small/gpt2", "\"model\":\t\"small/gpt2\""},
                                           {"small/llama-GGUF", "\"layers\":\t3"},
                                           {"llama:tiny", "\"layers\":\t3"},
                                           {"someone/model", "\"layers\":\t3"},
                                           {"host.example/someone/model:latest", "\"layers\":\t3"}};
    char hub[128], ollama[128];
    snprintf(hub, sizeof hub, "HF_HUB_CACHE=%s/hub", folder);
    snprintf(ollama, sizeof ollama, "OLLAMA_MODELS=%s/ollama", folder);
    program_run run = {.environment = {hub, ollama}, .folder = folder};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        run_saccade(&run, names[i][0], "--text", "the cat", "--json", NULL);
        assert_done(&run);
        if (!strstr(run.out, names[i][1]))
            fail_msg("%s: %s", names[i][0], run.out);
    }
    const char *neither = "…is neither a path nor a model in the caches of the hub and of Ollama…";
    run_saccade(&run, "acme/tiny", "--text", "the cat", "--json", NULL);
    assert_fails(&run, 1, neither);
    run_saccade(&run, "acme/tiny", "--text", "the cat", NULL);
    assert_fails(&run, 1, neither);
    run_saccade(&run, "acme/tiny", "--out", "x.png", NULL);
    assert_fails(&run, 1, neither);
    run_saccade(&run, "llama:big", "--text", "the cat", "--json", NULL);
    assert_fails(&run, 2, "llama:big: unknown command, and no such file…");
    run_saccade(&run, "small/adapter", "--text", "the cat", "--json", NULL);
    assert_fails(&run, 1, "…is an adapter (LoRA) of \"small/adapter\", which is not found…");
}

/* As repositories of GGUF are cloned: one file beside a README opens by its folder; of several one is asked for. */
TEST(a_folder_opens_by_its_only_gguf)
{
    program_run run = {.folder = folder};
    make("clone");
    write_text("clone/README.md", "a model");
    link_to(GGUF, "clone/llama.gguf");
    run_saccade(&run, "view", "clone", "--text", "the cat", "--json", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "\"layers\":\t3"));
    link_to(GGUF, "clone/llama-small.gguf");
    run_saccade(&run, "view", "clone", "--text", "the cat", "--json", NULL);
    assert_fails(&run, 1, "clone: has 2 models in GGUF; give one of them, such as clone/llama…");
    run_saccade(&run, "view", "clone", "--out", "x.png", NULL);
    assert_fails(&run, 1, "clone: has 2 models in GGUF…");
}

/* An unknown key: named, passed over on request, and so again where the picture is opened. */
TEST(ignore_passes_over_a_key_of_a_gguf)
{
    gguf_writer more, w;
    size_t size;
    uint8_t *whole = (uint8_t *)file_read(REFERENCES "/gguf/qwen2.gguf", &size);
    gguf_begin(&more);
    gguf_key_whole(&more, "qwen2.my_key", 5);
    gguf_with_keys(whole, size, &more, &w);
    file_write(here("k.gguf"), w.bytes, w.size);
    FAILS(1, "…k.gguf: qwen2.my_key: is a key that is not known…--ignore KEY…", "k.gguf", "--text",
          "a", "--json");
    PASSES("k.gguf", "--text", "a", "--ignore", "qwen2.my_key", "--out", "k.png");
    assert_non_null(strstr(ran.err, "qwen2.my_key is passed over"));
    PASSES("k.png", "--out", "k.tsv");
    REFUSED(
        "",
        {2,
         "--ignore: works with a GGUF only…",
         {REFERENCES "/gpt2", "--text", "a", "--ignore", "x.y"}},
        {2,
         "…--ignore: \"qwen2.x\" is no key of the file…",
         {"k.gguf", "--text", "a", "--ignore", "qwen2.my_key", "--ignore", "qwen2.x", "--json"}});
    free(whole);
    free(more.bytes);
    free(w.bytes);
}

TEST(types_of_models_are_listed)
{
    program_run run = {0};
    run_saccade(&run, "models", "--types", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "albert\n"));
    assert_non_null(strstr(run.out, "\nqwen2_vl\n"));
    run_saccade(&run, "models", "--types", "--json", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "\"xlm-roberta\""));
    run_saccade(&run, "models", "--types", "/nonexistent", NULL);
    assert_fails(&run, 2, "--types: is given beside a folder; give one of the two");
}

TEST(a_folder_that_is_not_there_is_reported)
{
    program_run run = {0};
    run_saccade(&run, "models", "/nonexistent", NULL);
    assert_fails(&run, 1, "/nonexistent: there is no such folder");
    run.environment[0] = "HF_HUB_CACHE=/nonexistent";
    run.environment[1] = "OLLAMA_MODELS=/nonexistent";
    run_saccade(&run, "models", NULL);
    assert_done(&run);
    assert_non_null(strstr(run.out, "no model was found"));
}

TEST_MAIN(make_folder, remove_folder)
