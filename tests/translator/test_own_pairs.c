/* Translators that learn from a person's own pairs: from an invented language without blanks, and into it. */
#include "translation/own_pairs.h"

#include "models/checkpoint.h"
#include "models/train.h"
#include "on_device.h"
#include "saccade_arrays.h"
#include "scratch.h"
#include "sources/source.h"
#include "status.h"
#include "transformer/transformer.h"
#include "translation/source.h"
#include "translator/translator.h"

#include <ctype.h>

/* ---------------------------------------------------------------- an invented language */

/* Each word of ours is one of its signs, and the object stands before the verb. */
static const char *const subjects[][2] = {{"Tom", "他"}, {"the cat", "猫"},  {"the dog", "狗"},
                                          {"she", "女"}, {"the bird", "鸟"}, {"the child", "子"}};
static const char *const verbs[][2] = {
    {"sees", "看"}, {"wants", "要"}, {"finds", "找"}, {"likes", "好"}};
static const char *const objects[][2] = {{"water", "水"},  {"a flower", "花"}, {"bread", "包"},
                                         {"a tree", "木"}, {"the moon", "月"}, {"gold", "金"}};
#define COUNT(x) (sizeof(x) / sizeof *(x))

/* "Tom sees water.	他水看。" and the other way round, of all sentences. */
static const char *write_pairs(scratch *s, const char *name, bool into_signs)
{
    static char text[40000];
    size_t used = 0;
    for (size_t i = 0; i < COUNT(subjects) * COUNT(verbs) * COUNT(objects); i++) {
        const char *const *who = subjects[i % COUNT(subjects)];
        const char *const *does = verbs[i / COUNT(subjects) % COUNT(verbs)];
        const char *const *what = objects[i / COUNT(subjects) / COUNT(verbs)];
        char ours[80], signs[80];
        snprintf(ours, sizeof ours, "%s %s %s%s", who[0], does[0], what[0], i % 5 ? "." : "!");
        ours[0] = (char)toupper(ours[0]);
        snprintf(signs, sizeof signs, "%s%s%s%s", who[1], what[1], does[1], i % 5 ? "。" : "！");
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\t%s\n",
                                 into_signs ? ours : signs, into_signs ? signs : ours);
    }
    return scratch_write(s, name, text, used);
}

/* ---------------------------------------------------------------- a training */

static sac_model_values values_of(const sac_model_class *class, const char *path)
{
    sac_model_values values = sac_model_defaults(class);
    int pairs = sac_model_option_find(class, "pairs");
    values.text[0][pairs] = path;
    values.given[pairs] = true;
    return values;
}

/* A small one of the class, with the words of the pairs. */
static sac_model *create(const sac_model_class *class, const char *path)
{
    sac_pairs *pairs;
    sac_model_values values = values_of(class, path);
    OK(sac_own_pairs_open(class, &values, 5, NULL, &pairs, &failure));
    sac_model *model;
    if (class == &sac_translator_class) {
        sac_translator_shape shape;
        sac_translator *made;
        OK(sac_translator_default_shape(SAC_SCORE_ADDITIVE, true, &shape, &failure));
        shape.attention = shape.hidden = shape.embedding = 48;
        shape.languages = pairs->languages;
        shape.source_words = pairs->languages->words[0].count;
        shape.target_words = pairs->languages->words[1].count;
        OK(sac_translator_make(class, device, &shape, true, 3, &made, &failure));
        model = &made->base;
    } else {
        sac_transformer_sizes sizes;
        sac_transformer *made;
        OK(sac_transformer_default_sizes(&sizes, &failure));
        sizes.layers = 1;
        sizes.width = sizes.hidden = 32;
        sizes.languages = pairs->languages;
        sizes.source_words = pairs->languages->words[0].count;
        sizes.target_words = pairs->languages->words[1].count;
        OK(sac_transformer_make(class, device, &sizes, true, 3, &made, &failure));
        model = &made->base;
    }
    class->translating(model)->pairs = pairs;
    return model;
}

/* Stops after so many steps. */
static bool is_before(void *user, sac_model *model, const sac_training_report *r)
{
    (void)model;
    return r->step < *(const size_t *)user;
}

static sac_training_options options_of(const sac_model_class *class, const char *path,
                                       const char *out, size_t steps)
{
    return (sac_training_options){.steps = steps,
                                  .batch = 32,
                                  .rate = 8e-3f,
                                  .seed = 5,
                                  .values = values_of(class, path),
                                  .out = out};
}

static void train(sac_model *model, const char *path, const char *out, size_t steps)
{
    sac_training_options options = options_of(model->class, path, out, steps);
    OK(sac_training_prepare(model, &options, &failure));
    OK(sac_train(model, &options, NULL, NULL, &failure));
}

/* ---------------------------------------------------------------- what it has learnt */

/* Held-out sentences come out right as they are written, their words looking at their signs. */
static void assert_translates(const sac_model_class *class, const char *weights, const char *path,
                              const char *from, const char *to, size_t at_least)
{
    sac_source source;
    const sac_model_open_options options = {.weights = &weights, .weight_count = 1};
    OK(class->open(&options, &source, &failure));
    assert_string_equal(source.result.languages[0], from);
    assert_string_equal(source.result.languages[1], to);
    sac_language_pair *l;
    OK(sac_language_pair_of_file(weights, &l, &failure));
    const sac_pairs_options opened = {.files = {path}, .known = l};
    sac_pairs pairs;
    OK(sac_pairs_open(&opened, &pairs, &failure));
    size_t right = 0, held = 0;
    for (size_t i = 0; i < pairs.count; i++) {
        if (!pairs.items[i].held)
            continue;
        sac_result result;
        OK(sac_source_read(&source, pairs.items[i].text[0], &failure));
        OK(sac_source_generate(&source, &(sac_result_request){.beam = 1}, &result, &failure));
        char *line = sac_result_make_line(&result);
        right += strcmp(line, pairs.items[i].text[1]) == 0;
        held++;
        free(line);
        sac_result_free(&result);
    }
    assert_int_equal(held, pairs.held);
    if (right < at_least)
        fail_msg("%zu of %zu held-out sentences are right", right, held);
    sac_pairs_free(&pairs);
    sac_language_pair_release(l);
    sac_source_destroy(&source);
}

IN_SCRATCH(a_translator_learns_a_language_without_blanks_from_pairs)
{
    char path[160], out[160];
    strcpy(path, write_pairs(s, "zho-eng.tsv", false));
    strcpy(out, scratch_path(s, "w.safetensors"));
    sac_model *model = create(&sac_translator_class, path);
    double before, after;
    OK(sac_own_pairs_judge(model, &before, &failure));
    train(model, path, out, 200);
    sac_model_destroy(model);
    OK(sac_checkpoint_load(&sac_translator_class, device, out, &model, &failure));
    sac_evaluation_report report;
    const sac_evaluation_options asked = {.pairs = {path}, .beam = 1};
    OK(model->class->evaluate(model, &asked, NULL, &report, &failure));
    assert_string_equal(report.figure[2].key, "bleu");
    after = report.figure[2].value;
    assert_true(before < 0.1 && after > 80);
    assert_int_equal(report.figure[0].value, 14); /* a tenth of 144 */
    const sac_evaluation_options missing = {.beam = 1};
    REFUSES(SAC_E_ARGUMENT,
            "evaluate: the model was trained on sentence pairs of Chinese and "
            "English; give --pairs, such as the file that it was trained on",
            model->class->evaluate(model, &missing, NULL, &report, &failure));
    sac_model_destroy(model);
    assert_translates(&sac_translator_class, out, path, "Chinese", "English", 11);
}

IN_SCRATCH(a_transformer_learns_to_write_without_blanks)
{
    char path[160], out[160];
    strcpy(path, write_pairs(s, "own.tsv", true));
    strcpy(out, scratch_path(s, "w.safetensors"));
    sac_model *model = create(&sac_transformer_class, path);
    train(model, path, out, 200);
    sac_model_destroy(model);
    assert_translates(&sac_transformer_class, out, path, "source", "target", 10);
    /* All heads, with the words of both languages. */
    sac_source source;
    const char *weights = out;
    const sac_model_open_options options = {
        .weights = &weights, .weight_count = 1, .text = "the dog sees gold"};
    OK(sac_transformer_class.open(&options, &source, &failure));
    sac_result result;
    sac_attentions attentions;
    OK(sac_source_generate(&source, &(sac_result_request){0}, &result, &failure));
    OK(sac_source_attentions(&source, 0, &result, &attentions, &failure));
    const sac_attention_kind *cross = &attentions.kind[SAC_CROSS_ATTENTION];
    assert_int_equal(cross->positions, 5);
    assert_string_equal(cross->position_labels.text[1], "dog");
    assert_string_equal(cross->position_labels.text[4], "."); /* the usual stop */
    sac_attentions_free(&attentions);
    sac_result_free(&result);
    sac_source_destroy(&source);
}

/* ---------------------------------------------------------------- what a person meets */

IN_SCRATCH(sentences_are_read_as_they_are_typed)
{
    char path[160], out[160];
    strcpy(path, write_pairs(s, "en-zh.tsv", true));
    strcpy(out, scratch_path(s, "w.safetensors"));
    sac_model *model = create(&sac_translator_class, path);
    train(model, path, out, 1);
    sac_model_destroy(model);
    sac_source source;
    const char *weights = out;
    const sac_model_open_options options = {.weights = &weights, .weight_count = 1};
    OK(sac_translator_class.open(&options, &source, &failure));
    assert_string_equal(source.title, "English to Chinese");
    assert_true(source.result.text[0]); /* a held-out sentence */
    sac_result result;
    OK(sac_source_read(&source, "The DOG wants Spaghetti. Tom sees gold!", &failure));
    assert_string_equal(source.result.text, "The DOG wants Spaghetti.");
    assert_non_null(strstr(source.note, "only the first sentence"));
    assert_non_null(strstr(source.note, "reads as <unknown>: spaghetti"));
    OK(sac_source_generate(&source, &(sac_result_request){.beam = 1}, &result, &failure));
    static const char *const words[] = {"The", "DOG", "wants", "Spaghetti", "."};
    assert_int_equal(result.grid_w, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(result.positions[i], words[i]);
    sac_result_free(&result);
    OK(sac_source_read(&source, "she likes water", &failure));
    assert_string_equal(source.result.text, "she likes water.");
    REFUSES(SAC_E_ARGUMENT, "sentence: has no words; give one, between quotes",
            sac_source_read(&source, " ", &failure));
    sac_source_destroy(&source);

    sac_language_pair *l;
    sac_source_text read;
    OK(sac_language_pair_of_file(out, &l, &failure));
    OK(sac_language_pair_read(l, "Tom sees gold!\" she wants 3.50 water\nbread", &read, &failure));
    assert_int_equal(read.sentences, 3);
    assert_string_equal(read.own[0], "Tom sees gold!\"");
    assert_string_equal(read.own[1], "she wants 3.50 water.");
    assert_string_equal(read.own[2], "bread.");
    assert_string_equal(read.unknown, "\", 3.50");
    sac_source_text_free(&read);
    sac_language_pair_release(l);
}

IN_SCRATCH(a_training_goes_on_where_it_stopped)
{
    char path[160], whole[160], stopped[160], checkpoint[180];
    size_t stop = 7;
    strcpy(path, write_pairs(s, "pairs.tsv", false));
    strcpy(whole, scratch_path(s, "whole"));
    strcpy(stopped, scratch_path(s, "stopped"));
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", stopped);
    sac_model *model = create(&sac_translator_class, path);
    train(model, path, whole, 12);
    sac_model_destroy(model);
    model = create(&sac_translator_class, path);
    sac_training_options options = options_of(&sac_translator_class, path, stopped, 12);
    OK(sac_training_prepare(model, &options, &failure));
    assert_int_equal(sac_train(model, &options, is_before, &stop, &failure), SAC_E_CANCELLED);
    sac_model_destroy(model);
    OK(sac_checkpoint_create_like(&sac_translator_class, device, checkpoint, &options.values, 0,
                                  &model, &failure));
    options = options_of(&sac_translator_class, path, stopped, 0);
    options.resume = checkpoint;
    options.batch = 0;
    options.rate = 0;
    OK(sac_training_prepare(model, &options, &failure));
    OK(sac_train(model, &options, NULL, NULL, &failure));
    sac_model_destroy(model);
    sac_arrays *a, *b;
    OK(sac_arrays_open(whole, &a, &failure));
    OK(sac_arrays_open(stopped, &b, &failure));
    for (size_t i = 0; i < sac_arrays_size(a); i++) {
        const sac_array *x = sac_arrays_at(a, i), *y = sac_arrays_at(b, i);
        assert_memory_equal(x->data, y->data, sac_array_count(x) * sizeof(float));
    }
    sac_arrays_close(a);
    sac_arrays_close(b);
}

IN_SCRATCH(what_does_not_belong_to_the_model_is_refused)
{
    sac_model *model;
    char path[160], out[160];
    strcpy(path, write_pairs(s, "pairs.tsv", false));
    strcpy(out, scratch_path(s, "w.safetensors"));
    sac_model_values values = sac_model_defaults(&sac_translator_class);
    values.given[sac_model_option_find(&sac_translator_class, "word-count")] = true;
    REFUSES(SAC_E_ARGUMENT, "--word-count: is of sentence pairs; give --pairs too, or leave it out",
            sac_translator_class.create(device, &values, 0, &model, &failure));
    model = create(&sac_translator_class, path);
    values = values_of(&sac_translator_class, path);
    values.value[sac_model_option_find(&sac_translator_class, "alignment-loss")] = 1;
    REFUSES(SAC_E_ARGUMENT, "--alignment-loss: needs to know…",
            sac_translator_class.prepare(model, &values, &failure));
    train(model, path, out, 1);
    sac_model_destroy(model);
    sac_training_options options = {.resume = out,
                                    .values = sac_model_defaults(&sac_translator_class)};
    OK(sac_checkpoint_create_like(&sac_translator_class, device, out, &options.values, 0, &model,
                                  &failure));
    REFUSES(SAC_E_ARGUMENT,
            "--pairs: is missing; give the sentence pairs that it was trained on before",
            sac_training_prepare(model, &options, &failure));
    options.values = values_of(&sac_translator_class, path);
    options.values.text[0][sac_model_option_find(&sac_translator_class, "languages")] = "fr,de";
    REFUSES(SAC_E_ARGUMENT, "--languages: the model was trained on…",
            sac_training_prepare(model, &options, &failure));
    sac_model_destroy(model);
    /* One of the grammar and one of pairs are not compared. */
    const char *both[] = {out, ASSETS "/translator/additive.safetensors"};
    const sac_model_open_options compared = {.weights = both, .weight_count = 2};
    sac_source source;
    REFUSES(SAC_E_ARGUMENT,
            "…: has other words than the model before it; give models of the same "
            "sentence pairs",
            sac_translator_class.open(&compared, &source, &failure));
}

TEST_MAIN(open_device, close_device)
