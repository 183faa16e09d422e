/* Folders without a tokenizer.json, and settings beside one, against AutoTokenizer of
 * `transformers` (make_folders.py). */
#include "lines.h"
#include "status.h"

static void write_json(scratch *s, const char *name, const cJSON *json)
{
    if (!json || cJSON_IsNull(json))
        return;
    char *text = cJSON_PrintUnformatted(json);
    scratch_write(s, name, text, strlen(text));
    free(text);
}

static const char *text_of(const cJSON *json, const char *name)
{
    const cJSON *text = cJSON_GetObjectItem(json, name);
    return cJSON_IsString(text) ? text->valuestring : NULL;
}

static void copy(scratch *s, const char *from, const char *to)
{
    char path[512];
    sac_bytes bytes;
    if (strcmp(to, "tokenizer.json") == 0)
        snprintf(path, sizeof path, "%s/%s/tokenizer.json", TEST_DATA, from);
    else
        snprintf(path, sizeof path, "%s/pieces/%s.model", TEST_DATA, from);
    if (sac_bytes_read(path, &bytes, NULL) != SAC_OK)
        fail_msg("%s is not there", path);
    scratch_write(s, to, bytes.data, bytes.size);
    sac_bytes_free(&bytes);
}

/* Makes the folder empty, and writes the files of the case. */
static void write_folder(scratch *s, const cJSON *lists, const cJSON *one)
{
    static const char *const all[] = {"vocab.txt",
                                      "vocab.json",
                                      "merges.txt",
                                      "tokenizer.json",
                                      "tokenizer.model",
                                      "sentencepiece.bpe.model",
                                      "spiece.model",
                                      "spm.model",
                                      "source.spm",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json"};
    char path[512], config[64];
    const cJSON *file;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(path, sizeof path, "%s/%s", s->folder, all[i]);
        unlink(path);
    }
    if (text_of(one, "lists"))
        cJSON_ArrayForEach(file, cJSON_GetObjectItem(lists, text_of(one, "lists")))
            scratch_write(s, file->string, file->valuestring, strlen(file->valuestring));
    if (text_of(one, "copied"))
        copy(s, text_of(one, "copied"), text_of(one, "to"));
    snprintf(config, sizeof config, "{\"model_type\": \"%s\"}", text_of(one, "model"));
    scratch_write(s, "config.json", config, strlen(config));
    write_json(s, "tokenizer_config.json", cJSON_GetObjectItem(one, "config"));
    write_json(s, "special_tokens_map.json", cJSON_GetObjectItem(one, "map"));
    write_json(s, "added_tokens.json", cJSON_GetObjectItem(one, "added"));
}

/* Where the case has texts, its tokens give them again. */
static void compare_text(const sac_tokenizer *t, const char *name, const cJSON *ids,
                         const cJSON *text)
{
    int list[256], count = 0;
    const cJSON *id;
    cJSON_ArrayForEach(id, ids) list[count++] = id->valueint;
    assert_true(count < 256);
    char *generated = sac_tokenizer_decode(t, list, (size_t)count);
    assert_non_null(generated);
    if (text && strcmp(generated, text->valuestring) != 0)
        fail_msg("%s: decodes “%s”, not “%s”", name, generated, text->valuestring);
    free(generated);
}

IN_SCRATCH(folders_give_the_tokens_of_the_reference)
{
    cJSON *json = read_json(TEST_DATA "/folders.json");
    const cJSON *one, *line, *lists = cJSON_GetObjectItem(json, "lists");
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(json, "folders")) >= 90);
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(json, "folders"))
    {
        sac_tokenizer *t;
        sac_error error = {0};
        char *config = cJSON_PrintUnformatted(cJSON_GetObjectItem(one, "config"));
        char name[300];
        snprintf(name, sizeof name, "%s, %.200s", text_of(one, "name"), config);
        free(config);
        write_folder(s, lists, one);
        if (sac_tokenizer_open(s->folder, &t, &error) != SAC_OK)
            fail_msg("%s: %s: %s", name, error.where, error.what);
        const cJSON *ids = cJSON_GetObjectItem(one, "ids")->child;
        const cJSON *text = cJSON_GetObjectItem(one, "texts")->child;
        cJSON_ArrayForEach(line, cJSON_GetObjectItem(json, "lines"))
        {
            compare_line(t, name, line->valuestring, ids);
            compare_text(t, name, ids, text);
            ids = ids->next;
            text = text ? text->next : NULL;
        }
        sac_tokenizer_destroy(t);
    }
    cJSON_Delete(json);
}

/* The only file of a tokenizer in the folder; it is there no longer. */
static void assert_file_refused(scratch *s, const char *name, const void *data, size_t size,
                                const char *type, const char *line)
{
    char config[64], path[512];
    sac_tokenizer *t;
    snprintf(config, sizeof config, "{\"model_type\": \"%s\"}", type);
    scratch_write(s, "config.json", config, strlen(config));
    scratch_write(s, name, data, size);
    REFUSES(SAC_E_FORMAT, line, sac_tokenizer_open(s->folder, &t, &failure));
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    unlink(path);
}

/* For any class: a model of SentencePiece whose trainer_spec has words (3) or characters (4). */
IN_SCRATCH(models_of_words_and_of_characters_are_refused)
{
    static const char *const types[] = {"t5", "xlm-roberta", "albert", "gemma", "llama"};
    sac_bytes bytes;
    OK(sac_bytes_read(TEST_DATA "/pieces/unigrams.model", &bytes, NULL));
    uint8_t *model = malloc(bytes.size + 4);
    memcpy(model, bytes.data, bytes.size);
    memcpy(model + bytes.size, (uint8_t[]){0x12, 2, 0x18, 3}, 4);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        model[bytes.size + 3] = 3;
        assert_file_refused(s, "spiece.model", model, bytes.size + 4, types[i],
                            "…spiece.model: trainer_spec: a model_type WORD, of whole words…");
        model[bytes.size + 3] = 4;
        assert_file_refused(s, "spiece.model", model, bytes.size + 4, types[i],
                            "…a model_type CHAR, of single characters…tokenizer.json");
    }
    free(model);
    sac_bytes_free(&bytes);
}

IN_SCRATCH(lists_of_tiktoken_are_refused_by_name)
{
    static const char list[] = "IQ== 0\nIg== 1\nIw== 2\n", tekken[] = "{\"config\": {}}";
    static const char *const names[] = {"tokenizer.model", "qwen.tiktoken", "tiktoken.model"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_file_refused(s, names[i], list, strlen(list), "llama",
                            "…is a list of tiktoken…save_pretrained…");
    assert_file_refused(s, "tekken.json", tekken, strlen(tekken), "mistral",
                        "…tekken.json: is a tokenizer of mistral-common (Tekken)…");
    assert_file_refused(s, "tokenizer.model", "IQ== x\n", 7, "llama",
                        "…is damaged, or no model of SentencePiece…");
}

/* A folder of RoBERTa's lists, without a class. */
IN_SCRATCH(a_vocabulary_with_s_and_pad_is_robertas)
{
    static const char vocabulary[] = "{\"<s>\": 0, \"<pad>\": 1, \"</s>\": 2, \"<unk>\": 3, "
                                     "\"<mask>\": 4, \"a\": 5, \"b\": 6, \"ab\": 7}";
    static const int wanted[] = {0, 7, 4, 5, 2};
    sac_tokenizer *t;
    sac_tokens tokens = {0};
    scratch_write(s, "vocab.json", vocabulary, strlen(vocabulary));
    scratch_write(s, "merges.txt", "a b\n", 4);
    OK(sac_tokenizer_open(s->folder, &t, NULL));
    OK(sac_tokenizer_encode(t, "ab<mask>a", true, &tokens, NULL));
    assert_int_equal(tokens.count, 5);
    assert_memory_equal(tokens.ids, wanted, sizeof wanted);
    assert_true(sac_tokenizer_is_special(t, 4) && !sac_tokenizer_is_special(t, 5));
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

/* Files of a part of a model have the class of that part. */
IN_SCRATCH(lists_without_a_class_are_those_of_the_part_that_reads)
{
    static const char config[] = "{\"model_type\": \"llava_onevision\", "
                                 "\"text_config\": {\"model_type\": \"qwen2\"}}";
    static const char vocabulary[] = "{\"1\": 0, \"2\": 1, \"12\": 2}";
    sac_tokenizer *t;
    sac_tokens tokens = {0};
    scratch_write(s, "config.json", config, strlen(config));
    scratch_write(s, "vocab.json", vocabulary, strlen(vocabulary));
    scratch_write(s, "merges.txt", "1 2\n", 4);
    OK(sac_tokenizer_open(s->folder, &t, NULL));
    OK(sac_tokenizer_encode(t, "12", true, &tokens, NULL));
    assert_int_equal(tokens.count, 2); /* Qwen2 cuts digits apart, GPT-2 does not */
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(t);
}

IN_SCRATCH(a_class_that_is_not_known_is_named)
{
    static const char config[] = "{\"tokenizer_class\": \"BertJapaneseTokenizer\"}";
    sac_tokenizer *t;
    scratch_write(s, "vocab.txt", "[CLS]\n[SEP]\n", 12);
    scratch_write(s, "tokenizer_config.json", config, strlen(config));
    assert_int_equal(sac_tokenizer_open(s->folder, &t, &failure), SAC_E_FORMAT);
    assert_line(s, &failure,
                " has a BertJapaneseTokenizer, which is not known without a "
                "tokenizer.json; give its tokenizer.json");
}

IN_SCRATCH(damaged_tokenizer_config_is_an_error)
{
    sac_tokenizer *t;
    scratch_write(s, "vocab.txt", "[CLS]\n[SEP]\n", 12);
    scratch_write(s, "tokenizer_config.json", "{", 1);
    assert_int_equal(sac_tokenizer_open(s->folder, &t, &failure), SAC_E_FORMAT);
    assert_line(s, &failure, "tokenizer_config.json: is not valid JSON; check it with a…");
}

TEST_MAIN(NULL, NULL)
