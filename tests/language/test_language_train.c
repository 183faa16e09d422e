/* A language model in the training loop: a training that was stopped ends as one that was not, what is written is a
 * folder, and a text that is none is refused. */
#include "damaged.h"
#include "language/tokens.h"
#include "models/checkpoint.h"
#include "models/monitor.h"
#include "models/train.h"
#include "saccade_arrays.h"
#include "test.h"
#include "tiny.h"

enum { STEPS = 60 };

typedef struct watching {
    size_t stop_at;
    sac_monitor *monitor;
    sac_training_report first, last;
    char sample[SAC_TRAINING_SAMPLE];
} watching;

static bool report(void *user, sac_model *model, const sac_training_report *r)
{
    watching *w = user;
    w->first = r->step == 1 ? *r : w->first;
    w->last = *r;
    OK(sac_monitor_step(w->monitor, model, r, &failure));
    snprintf(w->sample, sizeof w->sample, "%s", sac_monitor_sample(w->monitor));
    return r->step != w->stop_at;
}

/* Trains into `out`, going on from `resume`. */
static sac_status train(watching *w, const char *out, const char *resume, sac_training_snapshot *s)
{
    sac_training_options options = {.steps = STEPS,
                                    .batch = 4,
                                    .rate = 1e-2f,
                                    .warm_up = 5,
                                    .seed = 3,
                                    .values = tiny_values(tiny_path("text")),
                                    .out = out,
                                    .resume = resume};
    sac_model *model;
    bool changed;
    tiny_set(&options.values, "dropout", 0.1f);
    OK(sac_training_create(&sac_language_class, device, &options, &model, &failure));
    OK(sac_training_prepare(model, &options, &failure));
    OK(sac_monitor_create(model, "here", resume, &w->monitor, &failure));
    const sac_status status = sac_train(model, &options, report, w, &failure);
    sac_source source = sac_monitor_source(w->monitor);
    if (s)
        OK(source.training.look(source.self, 0, s, &changed, &failure));
    sac_monitor_destroy(w->monitor);
    sac_model_destroy(model);
    return status;
}

/* Of a file; *size: its bytes. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void check_same_files(const char *a, const char *b)
{
    size_t size[2];
    char *bytes[] = {read_file(a, &size[0]), read_file(b, &size[1])};
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

TEST(a_training_that_was_stopped_ends_with_the_bytes_of_one_that_was_not)
{
    watching whole = {0}, stopped = {.stop_at = STEPS / 3}, rest = {0};
    sac_training_snapshot s, parts;
    OK(train(&whole, tiny_path("whole"), NULL, &s));
    assert_true(whole.last.last < 0.8f * whole.first.last);
    assert_true(whole.last.judged < 0.9 * (double)whole.first.last);
    assert_true(strlen(whole.sample) > 100 && strcmp(s.sample, whole.sample) == 0);
    assert_true(s.figure && s.figure_is_loss && s.pictures == 0 && s.points > 0);
    assert_true(s.heads.layers == TINY_LAYERS && s.heads.heads == TINY_HEADS);
    assert_int_equal(s.heads.points, STEPS);

    assert_int_equal(train(&stopped, tiny_path("parts"), NULL, NULL), SAC_E_CANCELLED);
    assert_int_equal(access(tiny_path("parts.checkpoint"), R_OK), 0);
    OK(train(&rest, tiny_path("parts"), tiny_path("parts.checkpoint"), &parts));
    check_same_files(tiny_path("whole/model.safetensors"), tiny_path("parts/model.safetensors"));
    assert_string_equal(whole.sample, rest.sample);
    assert_int_not_equal(access(tiny_path("parts.checkpoint"), R_OK), 0);
    /* And its curves go on. */
    const size_t scores = STEPS * TINY_LAYERS * TINY_HEADS * SAC_TRAINING_KINDS;
    assert_int_equal(parts.points, s.points);
    assert_memory_equal(parts.at, s.at, s.points * sizeof *s.at);
    assert_memory_equal(parts.loss, s.loss, s.points * sizeof *s.loss);
    assert_memory_equal(parts.exact, s.exact, s.points * sizeof *s.exact);
    assert_int_equal(parts.heads.points, STEPS);
    assert_memory_equal(parts.heads.at, s.heads.at, STEPS * sizeof *s.heads.at);
    assert_memory_equal(parts.heads.score, s.heads.score, scores * sizeof *s.heads.score);
    assert_true(s.heads.kept[0] && !parts.heads.kept[0] && parts.heads.kept[STEPS - 1]);
    sac_training_snapshot_free(&s);
    sac_training_snapshot_free(&parts);
}

/* A curve that is none of the training's is refused, and does not end it later. */
TEST(a_checkpoint_with_curves_of_another_length_is_refused)
{
    watching stopped = {.stop_at = 5};
    sac_monitor *monitor = NULL;
    sac_gpt *l = tiny_language();
    const size_t counts[] = {3, 2};
    const size_t at[] = {1, 2, 3};
    const float loss[] = {3, 2};
    sac_array arrays[] = {sac_array_view(SAC_U64, 1, &counts[0], at),
                          sac_array_view(SAC_F32, 1, &counts[1], loss)};
    sac_named_array named[] = {{"curve.at", &arrays[0]}, {"curve.loss", &arrays[1]}};
    assert_int_equal(train(&stopped, tiny_path("curves"), NULL, NULL), SAC_E_CANCELLED);
    OK(sac_checkpoint_save(&l->base, tiny_path("same"), 5, 3, "steps 60", &failure));
    OK(sac_monitor_create(&l->base, "here", tiny_path("same"), &monitor, &failure));
    sac_monitor_destroy(monitor);
    l->base.parameters.curves = (sac_guest_arrays){SAC_CURVES, named, 2};
    OK(sac_checkpoint_save(&l->base, tiny_path("same"), 5, 3, "steps 60", &failure));
    REFUSES(SAC_E_FORMAT, "…curve.loss: is no curve of 3 points; …",
            sac_monitor_create(&l->base, "here", tiny_path("same"), &monitor, &failure));
    sac_model_destroy(&l->base);
}

/* The names, shapes and layout are GPT-2's: a matrix is [in,out], queries, keys and values are side by side. */
TEST(the_weights_are_a_folder_of_gpt_2)
{
    static const char *const files[] = {"config.json", "tokenizer.json", "tokenizer_config.json"};
    sac_gpt *l = tiny_language();
    sac_model *back;
    sac_arrays *file;
    OK(sac_checkpoint_save(&l->base, tiny_path("folder"), 7, 3, NULL, &failure));
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "folder/%s", files[i]);
        assert_int_equal(access(tiny_path(name), R_OK), 0);
    }
    OK(sac_arrays_open(tiny_path("folder/model.safetensors"), &file, &failure));
    assert_string_equal(sac_arrays_metadata(file, "format"), "pt");
    const sac_array *fused = sac_arrays_find(file, "transformer.h.1.attn.c_attn.weight");
    assert_non_null(fused);
    assert_true(fused->shape[0] == TINY_WIDTH && fused->shape[1] == 3 * TINY_WIDTH);
    float key[TINY_WIDTH * TINY_WIDTH];
    OK(sac_span_read(device, sac_tensor_span(l->weights.part[1][1].value), TINY_WIDTH * TINY_WIDTH,
                     key, &failure));
    for (size_t in = 0; in < TINY_WIDTH; in++)
        for (size_t out = 0; out < TINY_WIDTH; out++)
            assert_true(((const float *)fused->data)[in * 3 * TINY_WIDTH + TINY_WIDTH + out] ==
                        key[out * TINY_WIDTH + in]);
    sac_arrays_close(file);
    OK(sac_checkpoint_load(&sac_language_class, device, tiny_path("folder"), &back, &failure));
    OK(sac_checkpoint_save(back, tiny_path("again"), 7, 3, NULL, &failure));
    check_same_files(tiny_path("folder/model.safetensors"), tiny_path("again/model.safetensors"));
    sac_model_destroy(back);
    sac_model_destroy(&l->base);
}

/* The logits of a token that comes after others alone are those of all of them at once. */
static void check_writing(sac_gpt_kind kind)
{
    enum { WRITTEN = 20 };
    sac_gpt *l = tiny_language_of(kind);
    const sac_draw most_probable = {0};
    char text[8 * WRITTEN + 1];
    int all[TINY_CONTEXT + WRITTEN], count = 3;
    sac_tokens tokens = {0};
    OK(sac_gpt_write(l, l->text, 3, WRITTEN, &most_probable, text, sizeof text, &failure));
    OK(sac_gpt_encode(l, text, &tokens, &failure));
    assert_int_equal(tokens.count, WRITTEN);
    memcpy(all, l->text, 3 * sizeof *all);
    memcpy(all + 3, tokens.ids, WRITTEN * sizeof *all);
    sac_arena arena = {0};
    sac_gpt_tensors t = {0};
    sac_gpt_shape(l, &arena, 1, TINY_CONTEXT, &t);
    sac_pass_write_ints(&l->base.pass, t.words, all);
    sac_gpt_place(l, &t, 0);
    sac_gpt_forward(l, 0, 0, &t);
    float *logits = calloc(TINY_CONTEXT * (size_t)l->sizes.words, sizeof *logits);
    sac_pass_read(&l->base.pass, t.logits, logits);
    OK(sac_pass_end(&l->base.pass, &failure));
    for (; count <= TINY_CONTEXT; count++) {
        const float *row = logits + (size_t)(count - 1) * (size_t)l->sizes.words;
        assert_int_equal(all[count], sac_draw_token(&most_probable, row, l->sizes.words, 0, NULL));
    }
    free(logits);
    sac_tokens_free(&tokens);
    sac_arena_release(&arena);
    sac_model_destroy(&l->base);
}

TEST(what_it_writes_is_what_it_gives_out)
{
    check_writing(SAC_GPT_2);
    check_writing(SAC_GPT_LLAMA);
}

/* ---------------------------------------------------------------- tokens */

/* Its tokens as tokenizer.json writes them, joined by "|". */
static void cut(const char *kind_name, const char *learnt, const char *text, char *to, size_t size)
{
    sac_token_kind kind;
    sac_tokenizer *tokenizer;
    sac_tokens tokens = {0};
    size_t most, count, used = 0;
    cJSON *files = cJSON_CreateObject(), *json;
    assert_true(sac_token_kind_read(kind_name, &kind, &most));
    OK(sac_tokens_learn(kind, most, learnt, strlen(learnt), &json, &count, &failure));
    cJSON_AddItemToObject(files, "tokenizer.json", json);
    OK(sac_tokenizer_open_files(files, &tokenizer, &failure));
    assert_int_equal(sac_tokenizer_size(tokenizer), count);
    OK(sac_tokenizer_encode(tokenizer, text, false, &tokens, &failure));
    for (size_t i = 0; i < tokens.count; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s", i ? "|" : "",
                                 sac_tokenizer_token(tokenizer, tokens.ids[i]));
    char *back = sac_tokenizer_decode(tokenizer, tokens.ids, tokens.count);
    assert_string_equal(back, text);
    free(back);
    sac_tokens_free(&tokens);
    sac_tokenizer_destroy(tokenizer);
    cJSON_Delete(files);
}

TEST(a_text_is_cut_into_characters_or_bytes)
{
    char text[128];
    cut("characters", "aé 🙂", "é🙂 a", text, sizeof text);
    assert_string_equal(text, "é|🙂| |a");
    cut("bytes", "any", "é a", text, sizeof text);
    assert_string_equal(text, "Ã|©|Ġ|a"); /* of bytes as characters */
}

/* Pairs that are frequent become tokens, within words alone, the most frequent first, of as many the first by
 * their numbers: here " l", " lo" and so on before "e" and "r". A blank is written "Ġ". */
TEST(byte_pairs_are_merged_by_how_often_they_occur)
{
    char text[256];
    sac_token_kind kind;
    size_t most;
    cut("bpe:258", "low low low lower newest newest widest", " low low", text, sizeof text);
    assert_string_equal(text, "Ġ|low|Ġ|low"); /* "lo" and "low", which occur four times */
    cut("bpe:259", "low low low lower newest newest widest", " low low", text, sizeof text);
    assert_string_equal(text, "Ġlow|Ġlow"); /* three times with a blank, as "es" and "est" are */
    cut("bpe:4096", "aaaa aaaa", "aaaaa", text, sizeof text);
    assert_string_equal(text, "aaaa|a");
    cut("bpe:4096", "it's 12! it's 12!", "it's 12! 3", text, sizeof text);
    assert_string_equal(text, "it|'|s|Ġ12|!|Ġ|3");
    assert_false(sac_token_kind_read("bpe:256", &kind, &most));
    assert_false(sac_token_kind_read("bpe:4097", &kind, &most));
    assert_false(sac_token_kind_read("bpe:x", &kind, &most));
    assert_false(sac_token_kind_read("words", &kind, &most));
}

/* ---------------------------------------------------------------- files that lie */

/* A token may be what the description of another model has as a name. */
TEST(a_file_is_known_whatever_its_tokens_are)
{
    static const char text[] =
        "layers of layers of layers of layers of layers of layers of layers of "
        "layers of layers of layers of layers of layers of layers of layers";
    sac_model *model;
    tiny_write(tiny_path("marks"), text, sizeof text - 1);
    sac_model_values values = tiny_values(tiny_path("marks"));
    tiny_set(&values, "context", 1);
    values.text[0][sac_model_option_find(&sac_language_class, "tokens")] = "bpe:300";
    OK(sac_language_class.create(device, &values, 3, &model, &failure));
    assert_true(sac_tokenizer_find(((sac_gpt *)model)->tokenizer, "layers") >= 0);
    char *description = sac_language_class.describe(model);
    assert_null(strstr(description, "\"layers\":"));
    assert_non_null(strstr(description, sac_language_class.mark));
    free(description);
    sac_model_destroy(model);
}

TEST(the_folder_of_another_model_is_not_replaced)
{
    sac_gpt *l = tiny_language();
    OK(sac_checkpoint_save(&l->base, tiny_path("mine"), 7, 3, NULL, &failure));
    OK(sac_checkpoint_check_path(&l->base, tiny_path("mine"), &failure));
    unlink(tiny_path("mine/model.safetensors"));
    assert_int_equal(sac_checkpoint_save(&l->base, tiny_path("mine"), 7, 3, NULL, &failure),
                     SAC_E_FILE);
    assert_string_equal(failure.what, "has another model, which is not replaced");
    assert_int_equal(sac_checkpoint_save(&l->base, tiny_path("text"), 7, 3, NULL, &failure),
                     SAC_E_FILE);
    assert_string_equal(failure.what, "is a file");
    sac_model_destroy(&l->base);
}

static void refuse(const char *model, const char *line)
{
    char all[256];
    snprintf(all, sizeof all, "model: %s; give weights that `saccade train language` wrote", line);
    refuse_description(&sac_language_class, tiny_path("lies"), model, all);
}

#define BEGINS "{\"format\":2,\"context\":8,"

/* A description of one layer with that config.json but for what they all have; lent. */
static const char *describe_config(const char *config)
{
    static char model[1024];
    char files[512];
    snprintf(files, sizeof files,
             "{\"config.json\":{\"model_type\":\"gpt2\",\"vocab_size\":2,\"n_positions\":8,\"n_"
             "layer\":1,"
             "\"n_embd\":12,%s},\"tokenizer.json\":{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,"
             "\"b\":1},\"merges\":[]}}}",
             config);
    cJSON *json = cJSON_CreateString(files);
    char *text = cJSON_PrintUnformatted(json);
    snprintf(model, sizeof model, BEGINS "\"files\":%s}", text);
    free(text);
    cJSON_Delete(json);
    return model;
}

TEST(descriptions_that_lie_are_refused)
{
    refuse("{\"format\":1}", "format is 1; it is a whole number from 2 to 2");
    refuse("{\"format\":2,\"context\":4097}",
           "context is 4097; it is a whole number from 1 to 4096");
    refuse(BEGINS "\"files\":{}}", "\"files\" is not a text");
    refuse(BEGINS "\"files\":\"{\"}", "has no files in JSON");
    refuse(BEGINS "\"files\":\"{}\"}", "has no config.json and tokenizer.json");
    refuse(describe_config("\"n_head\":2"), "asks for 2028 numbers; the file holds 1");
    refuse_description(&sac_language_class, tiny_path("lies"),
                       describe_config("\"n_head\":2,\"n_inner\":0"),
                       "config.json: n_inner: is not a whole number from 1 to 16384");
    refuse_description(&sac_language_class, tiny_path("lies"), describe_config("\"n_head\":5"),
                       "config.json: n_head: 5 heads do not divide a width of 12");
}

/* ---------------------------------------------------------------- texts that are none */

static void refuse_text(const char *path, sac_status status, const char *line)
{
    sac_model *model;
    char text[512];
    const sac_model_values values = tiny_values(path);
    assert_int_equal(sac_language_class.create(device, &values, 3, &model, &failure), status);
    assert_null(model);
    sac_error_line(&failure, text, sizeof text);
    if (!strstr(text, line))
        fail_msg("\"%s\" has no \"%s\"", text, line);
}

TEST(a_text_that_is_none_is_refused_in_a_line)
{
    tiny_write(tiny_path("empty"), "", 0);
    refuse_text(tiny_path("empty"), SAC_E_FORMAT, "empty: is empty");
    tiny_write(tiny_path("bytes"), "text\xFF\xFE", 6);
    refuse_text(tiny_path("bytes"), SAC_E_FORMAT,
                "bytes: is not text in UTF-8, at line 1 (byte 4 of the file)");
    tiny_write(tiny_path("zero"), "te\0xt", 5);
    refuse_text(tiny_path("zero"), SAC_E_FORMAT,
                "zero: is not text in UTF-8, at line 1 (byte 2 of the file)");
    tiny_write(tiny_path("short"), "a text of thirty characters ..", 30);
    refuse_text(
        tiny_path("short"), SAC_E_ARGUMENT,
        "--text: has 30 tokens; with a tenth held out it takes 70 for a context of 6; give a "
        "longer one, or a shorter --context");
    tiny_write(tiny_path("same"),
               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 72);
    refuse_text(tiny_path("same"), SAC_E_ARGUMENT,
                "--text: has one character alone, which leaves nothing to learn");
    refuse_text(tiny_path("absent"), SAC_E_FILE, "absent");
    assert_int_equal(mkdir(tiny_path("none"), 0777), 0);
    refuse_text(tiny_path("none"), SAC_E_FORMAT, "none: has no file of text");
}

/* Files of a folder in the order of their names; what is no text is left out. */
TEST(a_folder_is_its_texts_one_after_the_other)
{
    assert_int_equal(mkdir(tiny_path("texts"), 0777), 0);
    tiny_write(tiny_path("texts/2.txt"), "cdefghijklmnopqrstuvwxyz, and a line that is long", 49);
    tiny_write(tiny_path("texts/1.txt"),
               "\xEF\xBB\xBF"
               "ab, and another line",
               23);
    tiny_write(tiny_path("texts/picture"), "\xFF\xD8\xFF", 3);
    sac_model *model;
    const sac_model_values values = tiny_values(tiny_path("texts"));
    OK(sac_language_class.create(device, &values, 3, &model, &failure));
    const sac_gpt *l = (const sac_gpt *)model;
    char *text = sac_tokenizer_decode(l->tokenizer, l->text, l->count);
    assert_string_equal(text,
                        "ab, and another line\ncdefghijklmnopqrstuvwxyz, and a line that is long");
    free(text);
    sac_model_destroy(model);
}

TEST(another_text_than_the_one_it_was_trained_on_is_refused_where_it_has_other_characters)
{
    sac_gpt *l = tiny_language();
    sac_model *model;
    sac_training_options options = {.values = tiny_values(tiny_path("other")),
                                    .out = tiny_path("out"),
                                    .resume = tiny_path("kept/model.safetensors")};
    OK(sac_checkpoint_save(&l->base, tiny_path("kept"), 7, 3, NULL, &failure));
    tiny_write(tiny_path("other"), "ein tee für alle", 17);
    OK(sac_checkpoint_create_like(&sac_language_class, device, options.resume, &options.values, 3,
                                  &model, &failure));
    assert_int_equal(sac_training_prepare(model, &options, &failure), SAC_E_VALUE);
    assert_string_equal(failure.what, "has a \"ü\", for which the model has no token");
    sac_model_destroy(model);
    sac_model_destroy(&l->base);
}

TEST_MAIN(tiny_open, tiny_close)
