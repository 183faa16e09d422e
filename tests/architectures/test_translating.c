/* Marian against `transformers`: a tiny model (tests/reference) that learnt a few sentences. Its
 * encoder's states and weights, what the decoder looks at, and the tokens of `generate`. */
#include <unistd.h>

#include <cjson/cJSON.h>

#include "arrays/bytes.h"
#include "generator.h"
#include "saccade_arrays.h"

#define FOLDER REFERENCES "/marian"

/* The model, which has read the sentence of the reference. */
static void open_translating(generator *s)
{
    load_generator(s, "marian");
    const sac_array *ids = sac_arrays_find(s->expected, "input_ids");
    s->read = (int)sac_array_count(ids);
    OK(sac_pretrained_captioner_read_tokens(s->captioner, ids->data, (size_t)s->read, &failure));
}

TEST(the_encoder_has_the_states_and_weights_of_transformers)
{
    check_family("marian", "");
}

/* ---------------------------------------------------------------- the decoder */

TEST(all_heads_of_both_halves_are_those_of_transformers)
{
    generator s;
    sac_attentions all;
    open_translating(&s);
    const sac_array *greedy = sac_arrays_find(s.expected, "greedy");
    const int *generated = (const int *)greedy->data + 1;
    size_t count = sac_array_count(greedy) - 1;
    OK(sac_pretrained_captioner_attentions(s.captioner, generated, count, &all, &failure));
    check_kind(&s, &all.kind[SAC_ENCODER_ATTENTION], "attentions");
    check_kind(&s, &all.kind[SAC_DECODER_ATTENTION], "decoder_attentions");
    check_kind(&s, &all.kind[SAC_CROSS_ATTENTION], "cross_attentions");
    assert_int_equal(all.kind[SAC_CROSS_ATTENTION].step_labels.count, count);
    sac_attentions_free(&all);
    close_generator(&s);
}

TEST(each_search_generates_what_generate_does)
{
    static const struct {
        const char *name;
        int beam, length;
        double penalty;
        sac_beam_patience patience;
        bool is_plain;
    } searches[] = {{"greedy", 1, 11, 1, SAC_BEAM_WHILE_BETTER, false},
                    {"two", 2, 11, 1, SAC_BEAM_WHILE_BETTER, false},
                    {"beam", 3, 11, 1, SAC_BEAM_WHILE_BETTER, false},
                    {"long", 3, 11, 3, SAC_BEAM_WHILE_BETTER, false},
                    {"short", 4, 11, -1, SAC_BEAM_UNTIL_FULL, false},
                    {"never", 2, 8, 1, SAC_BEAM_TO_THE_END, false},
                    {"plain", 3, 11, 1, SAC_BEAM_WHILE_BETTER, true}};
    generator s;
    open_translating(&s);
    assert_false(sac_beam_may_hold(&s.model->decoder->text_decoder.search,
                                   s.model->decoder->text_decoder.search.pad));
    assert_true(s.model->decoder->text_decoder.search.ends_at_length);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        sac_beam_options *o = &s.captioner->search;
        sac_result caption;
        o->length = searches[i].length;
        o->length_penalty = searches[i].penalty;
        o->patience = searches[i].patience;
        o->ends_at_length = !searches[i].is_plain;
        OK(sac_pretrained_captioner_generate(
            s.captioner, &(sac_result_request){.beam = searches[i].beam}, &caption, &failure));
        check_generation(&s, searches[i].name, &caption);
        if (i == 0)
            check_looks(&s, caption.count);
        assert_int_equal(caption.grid_w, s.read);
        assert_string_equal(caption.positions[s.read - 1], "</s>");
        sac_result_free(&caption);
    }
    close_generator(&s);
}

/* What is generated again has the very time of the first, for nothing is computed. */
TEST(what_was_generated_last_is_not_computed_again)
{
    sac_pretrained_model *model;
    sac_source source;
    sac_result first, again, other;
    OK(sac_pretrained_model_open_stored(FOLDER, NULL, SAC_STORAGE_F32, &model, &failure));
    int beam = model->decoder->text_decoder.search.width;
    OK(sac_pretrained_translation_open(model, "the cat sees a dog .", &source, &failure));
    const sac_result_request heads = {0}, view = {.temperature = 1, .beam = beam};
    const sac_result_request wider = {.beam = beam + 1};
    assert_false(sac_source_allows_token(&source, model->decoder->text_decoder.search.end));
    assert_false(sac_source_allows_token(&source, source.result.vocabulary_count));
    OK(sac_source_generate(&source, &heads, &first, &failure));
    for (int i = 0; i < first.count; i++)
        assert_true(sac_source_allows_token(&source, first.outputs[i].word));
    OK(sac_source_read(&source, source.result.text, &failure));
    OK(sac_source_generate(&source, &view, &again, &failure));
    assert_true(first.milliseconds == again.milliseconds);
    assert_int_equal(first.count, again.count);
    for (int i = 0; i < first.count; i++)
        assert_string_equal(first.outputs[i].text, again.outputs[i].text);
    size_t weights = (size_t)(first.count * first.grid_w * first.grid_h);
    assert_memory_equal(first.weights, again.weights, weights * sizeof *first.weights);
    assert_ptr_not_equal(first.weights, again.weights);
    OK(sac_source_generate(&source, &wider, &other, &failure));
    assert_false(first.milliseconds == other.milliseconds);
    sac_result_free(&other);
    OK(sac_source_generate(&source, &view, &other, &failure));
    assert_true(first.milliseconds == other.milliseconds); /* kept beside the wider one */
    sac_result_free(&first);
    first = other;
    OK(sac_source_read(&source, "a dog sees the cat .", &failure));
    OK(sac_source_generate(&source, &view, &other, &failure));
    assert_false(first.milliseconds == other.milliseconds);
    sac_result_free(&first);
    sac_result_free(&again);
    sac_result_free(&other);
    sac_source_destroy(&source);
    sac_pretrained_model_close(model);
}

/* ---------------------------------------------------------------- what does not fit */

#define MARIAN(more)                                                                               \
    "{\"model_type\": \"marian\", \"d_model\": 24, \"vocab_size\": 34, "                           \
    "\"encoder_layers\": 3, \"encoder_attention_heads\": 3, \"encoder_ffn_dim\": 40, "             \
    "\"decoder_attention_heads\": 4, \"decoder_ffn_dim\": 48, \"max_position_embeddings\": 64, "   \
    "\"activation_function\": \"swish\", \"decoder_start_token_id\": 33, \"eos_token_id\": 0, "    \
    "\"pad_token_id\": 33, " more "}"

TEST(what_is_missing_or_not_known_is_reported)
{
    check_folder_refused(
        "marian", MARIAN("\"decoder_layers\": 3"), SAC_E_FORMAT,
        "the tensor \"model.decoder.layers.2.self_attn.q_proj.weight\" is missing");
    check_folder_refused(
        "marian", MARIAN("\"decoder_layers\": 2, \"share_encoder_decoder_embeddings\": false"),
        SAC_E_FORMAT, "the tensor \"model.encoder.embed_tokens.weight\" is missing");
    static const char *const refused[][2] = {
        {"\"bad_words_ids\": [3]", "bad_words_ids: is not a list of lists of tokens"},
        {"\"suppress_tokens\": [\"a\"]", "suppress_tokens: is not a list of tokens"},
        {"\"forced_eos_token_id\": 5", "forced_eos_token_id: must be a token that ends a sentence"},
        {"\"sequence_bias\": [[[3], 1.5]]", "sequence_bias: [[[3],1.5]] is not supported"},
        {"\"guidance_scale\": 2.5", "guidance_scale: 2.5 is not supported; it must be 1"},
        {"\"num_beam_groups\": 2", "num_beam_groups: 2 is not supported; it must be 1"},
        {"\"exponential_decay_length_penalty\": [3, 1.2]",
         "exponential_decay_length_penalty: [3,1.2] is not supported"},
        {"\"encoder_no_repeat_ngram_size\": 2",
         "encoder_no_repeat_ngram_size: 2 is not supported; it must be 0"},
        {"\"stop_strings\": [\".\"]", "stop_strings: [\".\"] is not supported"},
        {"\"repetition_penalty\": 0", "repetition_penalty: is not above 0"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char config[1200];
        snprintf(config, sizeof config, MARIAN("\"decoder_layers\": 2, %s"), refused[i][0]);
        check_folder_refused("marian", config, SAC_E_FORMAT, refused[i][1]);
    }
}

TEST(a_sentence_of_too_many_pieces_is_refused)
{
    generator s;
    int ids[SAC_MAX_TOKENS + 1] = {0};
    open_translating(&s);
    assert_int_equal(
        sac_pretrained_captioner_read_tokens(s.captioner, ids, SAC_MAX_TOKENS + 1, &failure),
        SAC_E_ARGUMENT);
    assert_int_equal(sac_pretrained_captioner_read_tokens(s.captioner, ids, 65, &failure),
                     SAC_E_ARGUMENT); /* of 64 places */
    assert_string_equal(failure.what, "has 65 pieces; up to 64 are translated here");
    OK(sac_pretrained_captioner_read_tokens(s.captioner, ids, 64, &failure));
    close_generator(&s);
}

/* ---------------------------------------------------------------- whose words are apart */

/* The words of a sentence of generated.json, and that their text is that of the tokens. */
static void check_sentence(sac_pretrained_model *m, const char *read, const cJSON *generated)
{
    sac_source source;
    sac_result caption;
    sac_attentions all;
    const cJSON *word;
    int i = 0, tokens[SAC_MAX_TOKENS];
    OK(sac_pretrained_translation_open(m, read, &source, &failure));
    OK(sac_source_generate(&source, &(sac_result_request){.beam = 1}, &caption, &failure));
    assert_int_equal(sac_result_tokens(&caption, tokens), cJSON_GetArraySize(generated));
    cJSON_ArrayForEach(word, generated) assert_int_equal(tokens[i++], word->valueint);
    char *text = sac_result_make_line(&caption);
    assert_non_null(text);
    for (i = 0; i < caption.count; i++) {
        const char *token = sac_tokenizer_token(m->decoder->tokenizer, caption.outputs[i].word);
        const char *bare = strncmp(token, "▁", 3) == 0 ? token + 3 : token;
        bool special = sac_tokenizer_is_special(m->decoder->tokenizer, caption.outputs[i].word);
        assert_true(special || strstr(text, bare));
    }
    free(text);
    OK(sac_source_attentions(&source, 0, &caption, &all, &failure));
    sac_attentions_free(&all);
    sac_result_free(&caption);
    sac_source_destroy(&source);
}

static void check_words_apart(const char *name)
{
    char path[600];
    sac_pretrained_model *m;
    sac_bytes bytes;
    snprintf(path, sizeof path, REFERENCES "/%s/generated.json", name);
    OK(sac_bytes_read(path, &bytes, &failure));
    cJSON *json = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    sac_bytes_free(&bytes);
    snprintf(path, sizeof path, REFERENCES "/%s", name);
    OK(sac_pretrained_model_open_stored(path, NULL, SAC_STORAGE_F32, &m, &failure));
    m->decoder->text_decoder.search.length = 12; /* with the end */
    const cJSON *read, *generated = cJSON_GetObjectItem(json, "generated")->child;
    cJSON_ArrayForEach(read, cJSON_GetObjectItem(json, "read"))
    {
        check_sentence(m, read->valuestring, generated);
        generated = generated->next;
    }
    sac_pretrained_model_close(m);
    cJSON_Delete(json);
}

TEST(languages_with_a_vocabulary_each_generate_what_generate_does)
{
    check_words_apart("marian_two");
    check_words_apart("marian_two_untied");
}

TEST(a_head_of_its_own_generates_what_generate_does)
{
    check_words_apart("marian_untied");
}

/* The same folder, whose config.json has a million positions. */
static void make_large(char *folder)
{
    static const char *const names[] = {"generation_config.json", "model.safetensors", "source.spm",
                                        "vocab.json"};
    static const char places[] = "\"max_position_embeddings\": ";
    char from[600], to[600], config[2000] = "";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(from, sizeof from, FOLDER "/%s", names[i]);
        snprintf(to, sizeof to, "%s/%s", folder, names[i]);
        assert_int_equal(symlink(from, to), 0);
    }
    FILE *file = fopen(FOLDER "/config.json", "r");
    assert_true(file && fread(config, 1, sizeof config - 1, file) > 0);
    fclose(file);
    char *value = strstr(config, places);
    assert_non_null(value);
    snprintf(to, sizeof to, "%s/config.json", folder);
    file = fopen(to, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s1048576%s", (int)(value - config), config, places,
            value + strlen(places) + strlen("64"));
    fclose(file);
}

static void remove_large(const char *folder)
{
    static const char *const names[] = {"generation_config.json", "model.safetensors", "source.spm",
                                        "vocab.json", "config.json"};
    char path[600];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* A row of places takes 4 bytes for each of the width: it is not spent on those that no text needs. */
TEST(places_are_made_as_texts_need_them)
{
    enum { LONG = 1500 };
    static int ids[LONG];
    char folder[] = "/tmp/saccade-places-XXXXXX";
    sac_pretrained_model *m;
    sac_inference *first, *again;
    make_large(folder);
    OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &m, &failure));
    assert_true(m->max_positions == 1 << 20 && m->positions->shape[0] <= 1024);
    for (int i = 0; i < LONG; i++)
        ids[i] = i % 30;
    OK(sac_inference_read_tokens(m, ids, 40, &first, &failure));
    sac_inference *inference;
    OK(sac_inference_read_tokens(m, ids, LONG, &inference, &failure));
    assert_int_equal(inference->count, LONG);
    assert_int_equal(m->positions->shape[0], LONG);
    assert_ptr_equal(m->positions, m->decoder->positions);
    OK(sac_inference_read_tokens(m, ids, 40, &again, &failure));
    assert_memory_equal(first->left, again->left, 40 * m->width * sizeof(float));
    sac_inference_free(first);
    sac_inference_free(inference);
    sac_inference_free(again);
    sac_pretrained_model_close(m);
    remove_large(folder);
}

TEST_MAIN(open_device, close_device)
