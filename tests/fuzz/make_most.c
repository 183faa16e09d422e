/* Writes files of a megabyte that hold the most of everything that a file can count: keys, tokens, merges, tensors, steps.
 * A reader that compares each with each, or takes a lot for each, goes beyond the limits of replay.c.
 *
 *     make_most FOLDER        # FOLDER/KIND/NAME, for the target fuzz_KIND */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "gguf_writer.h"

enum { MOST = 1 << 20 };

/* `each` has a number, which counts, in up to three places; they are parted by commas. */
typedef struct text_file {
    const char *kind, *name, *begin, *each, *end;
    bool sized; /* the size of the text stands before it, in 8 bytes */
} text_file;

#define WORDS "\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"a\":0},\"unk_token\":\"a\"}"

static const text_file texts[] = {
    {"tokenizer", "vocab", "{\"model\":{\"type\":\"BPE\",\"vocab\":{", "\"t%d\":%d",
     "},\"merges\":[]}}"},
    {"tokenizer", "words", "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"t0\",\"vocab\":{",
     "\"t%d\":%d", "}}}"},
    {"tokenizer", "merges",
     "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[", "\"a b\"",
     "]}}"},
    {"tokenizer", "unigrams", "{\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[",
     "[\"p%d\",-1]", "]}}"},
    {"tokenizer", "added", "{" WORDS ",\"added_tokens\":[",
     "{\"id\":1%d,\"content\":\"I%d\",\"special\":true}", "]}"},
    {"tokenizer", "added_and_lowered",
     "{" WORDS ",\"normalizer\":{\"type\":\"Lowercase\"},\"added_tokens\":[",
     "{\"id\":1%d,\"content\":\"I%d\",\"normalized\":true}", "]}"},
    {"tokenizer", "normalizers",
     "{" WORDS ",\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[", "{\"type\":\"NFKC\"}",
     "]}}"},
    {"tokenizer", "replacements",
     "{" WORDS ",\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[",
     "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a+%d\"},\"content\":\"b\"}", "]}}"},
    {"tokenizer", "cuts", "{" WORDS ",\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[",
     "{\"type\":\"WhitespaceSplit\"}", "]}}"},
    {"tokenizer", "expressions",
     "{" WORDS ",\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[",
     "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\\\\\p{L}+|%d\"},\"behavior\":\"Isolated\"}",
     "]}}"},
    {"safetensors", "tensors", "{",
     "\"t%d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}", "}", true},
    {"config", "keys", "{\"model_type\":\"gpt2\"", ",\"k%d\":%d", "}"},
    {"config", "layers", "{\"model_type\":\"qwen2\",\"layer_types\":[", "\"full_attention\"", "]}"},
    {"index", "tensors", "{\"weight_map\":{", "\"t%d\":\"1.safetensors\"", "}}"},
    {"index", "files", "{\"weight_map\":{", "\"t%d\":\"s%d.safetensors\"", "}}"},
    {"adapter", "modules", "{\"peft_type\":\"LORA\",\"base_model_name_or_path\":\"a\"}\n{",
     "\"m%d.q_proj.lora_A.weight\":{\"dtype\":\"F32\",\"shape\":[1,0],\"data_offsets\":[0,0]}",
     "}"},
    {"adapter", "keys", "{\"peft_type\":\"LORA\"", ",\"k%d\":%d", "}\n{}"},
};

static FILE *create(const char *folder, const char *kind, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, kind);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, kind, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(1);
    }
    return file;
}

static void write_text(const char *folder, const text_file *t)
{
    gguf_writer w = {0}; /* of which bytes are put alone */
    uint64_t size = 0;
    char each[200];
    if (t->sized)
        gguf_put_u64(&w, 0);
    gguf_put(&w, t->begin, strlen(t->begin));
    for (int i = 0; w.size < MOST; i++) {
        if (i && t->each[0] != ',')
            gguf_put(&w, ",", 1);
        gguf_put(&w, each, (size_t)snprintf(each, sizeof each, t->each, i, i, i));
    }
    gguf_put(&w, t->end, strlen(t->end));
    size = w.size - 8;
    if (t->sized)
        memcpy(w.bytes, &size, sizeof size);
    FILE *file = create(folder, t->kind, t->name);
    fwrite(w.bytes, 1, w.size, file);
    fclose(file);
    free(w.bytes);
}

static void save(const char *folder, const char *name, gguf_writer *w)
{
    gguf_end(w);
    FILE *file = create(folder, "gguf", name);
    fwrite(w->bytes, 1, w->size, file);
    fclose(file);
    free(w->bytes);
}

static void begin(gguf_writer *w, const char *model)
{
    gguf_begin(w);
    gguf_key_text(w, "general.architecture", "llama");
    gguf_key_text(w, "tokenizer.ggml.model", model);
}

/* As many keys as there may be, all of which the architecture passes over; and one more than that. */
static void write_keys(const char *folder, const char *name, int count)
{
    gguf_writer w;
    char key[32];
    begin(&w, "llama");
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "llama.ssm.%d", i);
        gguf_key_whole(&w, key, 0);
    }
    save(folder, name, &w);
}

/* Pieces of one letter more and more often, so that any two make a third. */
static void write_pieces(const char *folder, const char *name, const char *model, size_t longest,
                         int count)
{
    gguf_writer w;
    char text[600];
    begin(&w, model);
    gguf_key_list(&w, "tokenizer.ggml.tokens", GGUF_TEXT, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        size_t size = (size_t)i < longest ? (size_t)i + 1 : 0;
        memset(text, 'a', size);
        size = size ? size : (size_t)snprintf(text, sizeof text, "%d", i);
        gguf_put_text(&w, text, size);
    }
    if (strcmp(model, "gpt2") == 0) {
        gguf_key_list(&w, "tokenizer.ggml.merges", GGUF_TEXT, 40000);
        for (int i = 0; i < 40000; i++)
            gguf_put_text(&w, "a aa", 4);
    }
    save(folder, name, &w);
}

static void write_tensors(const char *folder, const char *name, const char *format, int count)
{
    gguf_writer w;
    char text[48];
    begin(&w, "llama");
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, format, i);
        gguf_tensor(&w, text, 0, 0, 0);
    }
    save(folder, name, &w);
}

/* A list of lists of a number: the most values for their bytes. */
static void write_lists(const char *folder)
{
    gguf_writer w;
    begin(&w, "llama");
    gguf_key_list(&w, "a.b", GGUF_LIST, MOST / 13);
    for (int i = 0; i < MOST / 13; i++) {
        gguf_put_u32(&w, GGUF_BOOL);
        gguf_put_u64(&w, 1);
        gguf_put(&w, "", 1);
    }
    gguf_key_list(&w, "a.c", GGUF_BOOL, MOST);
    for (int i = 0; i < MOST / 16; i++)
        gguf_put(&w, "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 16);
    save(folder, "lists", &w);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    mkdir(argv[1], 0777);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        write_text(argv[1], &texts[i]);
    write_keys(argv[1], "keys", 65000);
    write_keys(argv[1], "too_many_keys", 65600);
    write_pieces(argv[1], "pieces", "llama", 512, 50000);
    write_pieces(argv[1], "tokens", "gpt2", 512, 50000);
    write_tensors(argv[1], "tensors", "blk.%d.attn_norm.weight", 10000);
    write_lists(argv[1]);
    return 0;
}
