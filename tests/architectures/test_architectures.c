/* Each family against `transformers`: the states that enter and leave each layer and the weights of
 * each head, of tiny models with random weights (tests/reference). With SACCADE_MODEL and
 * SACCADE_REFERENCE, a folder and a file like theirs, also of a real one. */

#include <stdlib.h>
#include <unistd.h>

#include "saccade_arrays.h"
#include "sources/heads/head_choice.h"
#include "status.h"
#include "trial.h"

TEST(bert_is_that_of_transformers)
{
    check_family("bert", "");
}

TEST(bert_with_a_head_and_float16_weights_is_that_of_transformers)
{
    check_family("bert_masked", "");
}

TEST(distilbert_is_that_of_transformers)
{
    check_family("distilbert", "");
}

TEST(electra_with_narrow_words_is_that_of_transformers)
{
    check_family("electra", "");
}

TEST(mpnet_with_trained_distances_is_that_of_transformers)
{
    check_family("mpnet", "");
}

TEST(albert_whose_layers_share_tensors_is_that_of_transformers)
{
    trial t;
    sac_inference *read;
    check_family("albert", "");
    open_named(&t, "albert", "");
    OK(sac_inference_read(t.model, "Thé  bank of the rivers", &read, &failure));
    assert_int_equal(read->count, t.inference->count);
    assert_memory_equal(read->ids, t.inference->ids, read->count * sizeof *read->ids);
    sac_inference_free(read);
    close_trial(&t);
}

TEST(deberta_with_vectors_of_distances_is_that_of_transformers)
{
    check_family("deberta", "");
    check_family("deberta_queries", "");
    check_family("deberta_v3", "");
    check_family("deberta_v2", "");
    check_family("deberta_v2_keys", "");
}

TEST(modernbert_with_windows_is_that_of_transformers)
{
    check_family("modernbert", "");
    check_family("modernbert_old", "");
}

TEST(ernie_with_tasks_is_that_of_transformers)
{
    check_family("ernie", "");
}

TEST(roformer_whose_numbers_are_turned_in_pairs_is_that_of_transformers)
{
    check_family("roformer", "");
}

TEST(esm_reads_a_protein_as_transformers_does)
{
    trial t;
    sac_inference *read;
    sac_labels labels;
    check_family("esm", "");
    open_named(&t, "esm", "");
    OK(sac_inference_read(t.model, "MKT<mask>YIAK jj QRQI<mask>SFVKSH", &read, &failure));
    assert_int_equal(read->count, t.inference->count);
    assert_memory_equal(read->ids, t.inference->ids, read->count * sizeof *read->ids);
    OK(sac_inference_labels(read, &labels, &failure));
    assert_string_equal(labels.text[1], "M");
    assert_string_equal(labels.text[4], "<mask>");
    sac_labels_free(&labels);
    sac_inference_free(read);
    close_trial(&t);
}

TEST(contacts_of_residues_are_those_of_transformers)
{
    trial t;
    sac_source source;
    open_named(&t, "esm", "");
    const size_t T = t.inference->count, residues = T - 2;
    const float *expected = expect(&t, "contacts", residues * residues);
    float *map = calloc(T * T, sizeof *map), *inner = calloc(residues * residues, sizeof *inner);
    assert_true(map && inner);
    OK(sac_inference_open_source(t.inference, &source, &failure));
    t.inference = NULL;
    assert_int_equal(sac_source_reduction_count(&source), SAC_REDUCE_COUNT);
    sac_reader reader = {.source = &source};
    const sac_head_choice choice = {.layer = 2, .reduce = SAC_REDUCE_CONTACTS}; /* the last */
    const sac_rect all = {0, T, 0, T};
    OK(sac_head_choice_read(&reader, &choice, &all, SAC_POOL_MEAN, T, T, map, &failure));
    for (size_t i = 0; i < residues; i++)
        memcpy(inner + i * residues, map + (i + 1) * T + 1, residues * sizeof *inner);
    compare(inner, expected, residues * residues, 1e-4, "contacts");
    for (size_t i = 0; i < T; i++)
        assert_true(map[i] == 0 && map[i * T + T - 1] == 0);
    free(inner);
    free(map);
    sac_reader_free(&reader);
    sac_source_destroy(&source);
    close_trial(&t);
}

TEST(models_that_embed_texts_are_those_of_transformers)
{
    check_family("nomic_bert", "");
    check_family("nomic_bert_old", "");
    check_family("jina2", "");
    check_family("gte", "");
    check_family("jina3", "");
    check_family("eurobert", "");
}

/* By its tokenizer of unigrams. */
TEST(xlm_roberta_reads_a_text_as_transformers_does)
{
    trial t;
    sac_inference *read;
    check_family("xlm_roberta", "");
    open_named(&t, "xlm_roberta", "");
    OK(sac_inference_read(t.model, "The bank of the rivers", &read, &failure));
    assert_int_equal(read->count, t.inference->count);
    assert_memory_equal(read->ids, t.inference->ids, read->count * sizeof *read->ids);
    sac_inference_free(read);
    close_trial(&t);
}

TEST(roberta_is_that_of_transformers)
{
    check_family("roberta", "");
}

/* As fairseq counts: what comes behind <pad> lies where it would lie without it. */
TEST(padding_within_a_text_takes_no_place_of_roberta)
{
    trial t;
    sac_inference *with, *without;
    open_named(&t, "roberta", "");
    int pad = (int)t.model->first_place - 1, a = pad + 4, b = pad + 5;
    size_t width = t.model->width;
    OK(sac_inference_read_tokens(t.model, (const int[]){a, pad, b}, 3, &with, &failure));
    OK(sac_inference_read_tokens(t.model, (const int[]){a, b}, 2, &without, &failure));
    assert_memory_equal(with->entered, without->entered, width * sizeof(float));
    assert_memory_equal(with->entered + 2 * width, without->entered + width, width * sizeof(float));
    sac_inference_free(with);
    sac_inference_free(without);
    close_trial(&t);
}

TEST(gpt2_is_that_of_transformers)
{
    check_family("gpt2", "");
}

TEST(llama_with_shared_keys_and_slowed_turns_is_that_of_transformers)
{
    check_family("llama", "");
}

TEST(qwen2_with_biases_and_bfloat16_weights_is_that_of_transformers)
{
    check_family("qwen2", "");
}

/* Of a long text a source keeps the layers that were looked at lately. */
TEST(layers_that_were_let_go_are_looked_at_again)
{
    trial t;
    sac_source source;
    open_named(&t, "llama", "");
    t.model->kept = 0;
    OK(sac_inference_open_source(t.inference, &source, &failure));
    t.inference = NULL;
    size_t T = source.weights.steps, map = T * T;
    float *weights = calloc((source.weights.layers + 1) * map, sizeof *weights), *again = weights;
    assert_non_null(weights);
    assert_true(source.weights.layers > 1);
    const sac_tile tile = {.rows = T, .cols = T};
    for (size_t i = 0; i < source.weights.layers; i++, again += map)
        OK(source.weights.tile(source.self, i, &tile, again, &failure));
    for (size_t i = 0; i < source.weights.layers; i++) {
        OK(source.weights.tile(source.self, i, &tile, again, &failure));
        assert_memory_equal(again, weights + i * map, map * sizeof *weights);
    }
    free(weights);
    sac_source_destroy(&source);
    close_trial(&t);
}

static void check_next(const char *architecture)
{
    trial t;
    open_named(&t, architecture, "");
    check_logits(&t);
    close_trial(&t);
}

TEST(what_comes_next_is_what_transformers_generates)
{
    check_next("gpt2");
    check_next("llama");
    check_next("qwen2");
}

/* What linear layers and the gathering of words read stays as in the file, and all else is
 * float32. */
static void check_stored(const char *architecture, sac_stored stored)
{
    trial t;
    open_named(&t, architecture, "");
    const sac_parameters *p = &t.model->parameters;
    for (int i = 0; i < p->count; i++) {
        bool is_narrow = p->list[i]->rank == 2 && p->list[i] != t.model->positions;
        assert_int_equal(p->list[i]->value.stored, is_narrow ? stored : SAC_STORED_F32);
    }
    check_states(&t);
    check_logits(&t);
    close_trial(&t);
}

TEST(weights_of_16_bits_stay_so_and_generate_what_transformers_does)
{
    check_stored("gpt2_float16", SAC_STORED_F16);
    check_stored("gpt2_bfloat16", SAC_STORED_BF16);
    check_stored("llama_float16", SAC_STORED_F16);
    check_stored("llama_bfloat16", SAC_STORED_BF16);
}

static void check_generation(const char *architecture)
{
    trial t;
    open_named(&t, architecture, "");
    check_words(&t);
    close_trial(&t);
}

TEST(what_is_generated_word_by_word_is_what_transformers_generates)
{
    check_generation("gpt2");
    check_generation("gpt2_float16");
    check_generation("llama");
    check_generation("llama_bfloat16");
    check_generation("qwen2");
}

/* States, heads, what comes next, and the generation token by token. */
static void check_decoder(const char *architecture)
{
    check_family(architecture, "");
    check_next(architecture);
    check_generation(architecture);
}

/* The form of a layer's matrices from 32 numbers, which are a block, and from 40, which are none. */
static void check_few_bits(const char *folder, sac_stored blocks)
{
    trial t;
    open_named(&t, folder, "");
    const sac_parameters *p = &t.model->parameters;
    for (int i = 0; i < p->count; i++)
        if (strstr(p->list[i]->name, "layers.") && p->list[i]->rank == 2)
            assert_int_equal(p->list[i]->value.stored,
                             p->list[i]->shape[1] == 32 ? blocks : SAC_STORED_F16);
    close_trial(&t);
    check_decoder(folder);
}

/* Against the numbers that they stand for; of int8 a row's scale is rounded to float16, and so is each number of what stays
 * in no block. */
TEST(weights_of_few_bits_stay_so_where_blocks_hold_them)
{
    check_few_bits("llama_int8", SAC_STORED_Q8_0);
    check_few_bits("llama_nf4", SAC_STORED_F16);  /* of a table of its own */
    check_few_bits("llama_gptq", SAC_STORED_F16); /* groups lie among each other */
    check_few_bits("llama_gptq8", SAC_STORED_Q8_0);
    check_few_bits("llama_gptq_symmetric", SAC_STORED_Q4_0);
    check_few_bits("llama_awq", SAC_STORED_Q5_0);
    check_few_bits("llama_compressed", SAC_STORED_Q5_0);
    check_few_bits("llama_compressed8", SAC_STORED_Q8_0);
}

TEST(qwen3_with_norms_of_queries_and_keys_is_that_of_transformers)
{
    check_decoder("qwen3");
}

TEST(mistral_with_a_window_is_that_of_transformers)
{
    check_decoder("mistral");
}

TEST(phi3_with_fused_matrices_is_that_of_transformers)
{
    check_decoder("phi3");
}

TEST(smollm3_with_a_layer_that_is_not_turned_is_that_of_transformers)
{
    check_decoder("smollm3");
}

TEST(olmo2_with_norms_behind_its_parts_is_that_of_transformers)
{
    check_decoder("olmo2");
}

TEST(olmo_with_norms_that_are_not_trained_is_that_of_transformers)
{
    check_decoder("olmo");
}

TEST(olmo3_with_windows_and_stretched_positions_is_that_of_transformers)
{
    check_decoder("olmo3");
}

/* States of its layers go on token by token, as attention's keys do. */
TEST(falcon_h1_with_state_spaces_is_that_of_transformers)
{
    check_decoder("falcon_h1");
    check_decoder("falcon_h1_normed");
}

TEST(a_falcon_h1_that_is_not_followed_is_refused)
{
#define FALCON_H1(rest)                                                                            \
    "{\"model_type\": \"falcon_h1\", \"hidden_size\": 32, \"num_hidden_layers\": 2, "              \
    "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 40, "          \
    "\"max_position_embeddings\": 64, \"vocab_size\": 35, \"mamba_n_heads\": 4, "                  \
    "\"mamba_d_state\": 6, \"mamba_n_groups\": 2, \"mamba_d_ssm\": 64" rest "}"
    static const char *const cases[][2] = {
        {FALCON_H1(", \"hidden_act\": \"gelu\""), "hidden_act: \"gelu\" is not supported here"},
        {FALCON_H1(", \"mamba_d_head\": 12"), "mamba_d_head: 12 times 4 heads are not 64"},
        {FALCON_H1(", \"mamba_d_conv\": 9"), "mamba_d_conv: "},
        {FALCON_H1(", \"time_step_limit\": [0.0, 0.5]"), "time_step_limit: limits steps"},
        {FALCON_H1(", \"mamba_proj_bias\": true, \"ssm_in_multiplier\": 2"), "ssm_in_multiplier: "},
        {FALCON_H1(", \"attention_bias\": true, \"attention_in_multiplier\": 2"),
         "attention_in_multiplier: is not 1"}};
    sac_pretrained_model *model;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_folder_refused("falcon_h1", cases[i][0], SAC_E_FORMAT, cases[i][1]);
    OK(open_with_config(
        "falcon_h1",
        FALCON_H1(", \"time_step_limit\": [0.0, Infinity], \"mamba_d_head\": \"auto\", "
                  "\"time_step_min\": 0.001, "
                  "\"tie_word_embeddings\": true"),
        &model, &failure));
    assert_string_equal(sac_architecture_note(model), "");
    sac_pretrained_model_close(model);
}

TEST(granite_with_factors_is_that_of_transformers)
{
    check_decoder("granite");
}

TEST(starcoder2_is_that_of_transformers)
{
    check_decoder("starcoder2");
}

TEST(decoders_whose_numbers_are_turned_in_pairs_are_those_of_transformers)
{
    check_decoder("ernie4_5");
    check_decoder("glm");
    check_decoder("glm4");
    check_decoder("gptj");
}

TEST(phi_with_one_norm_for_both_parts_is_that_of_transformers)
{
    check_decoder("phi");
}

TEST(stablelm_is_that_of_transformers)
{
    check_decoder("stablelm");
    check_decoder("stablelm_parallel");
}

TEST(falcon_in_each_of_its_forms_is_that_of_transformers)
{
    check_decoder("falcon");
    check_decoder("falcon_new");
    check_decoder("falcon_serial");
}

TEST(command_r_is_that_of_transformers)
{
    check_decoder("cohere");
    check_decoder("cohere2");
}

TEST(gemma_is_that_of_transformers)
{
    check_decoder("gemma");
}

TEST(gemma2_with_capped_scores_is_that_of_transformers)
{
    check_decoder("gemma2");
}

TEST(gemma3_with_two_bases_is_that_of_transformers)
{
    check_decoder("gemma3");
    check_decoder("gemma3_whole");
}

TEST(gpt_neox_with_parts_side_by_side_is_that_of_transformers)
{
    check_decoder("gpt_neox");
}

TEST(opt_is_that_of_transformers)
{
    check_decoder("opt");
    check_decoder("opt_narrow");
}

TEST(gpt_neo_with_scores_that_are_not_scaled_is_that_of_transformers)
{
    check_decoder("gpt_neo");
}

TEST(bloom_with_slopes_is_that_of_transformers)
{
    check_decoder("bloom");
}

TEST(gpt_oss_with_sinks_and_experts_is_that_of_transformers)
{
    check_decoder("gpt_oss");
    check_decoder("gpt_oss_bfloat16");
}

/* What is missing of a row went to the sink. */
TEST(rows_of_heads_with_sinks_sum_to_less_than_one_and_the_source_reports_it)
{
    trial t;
    sac_source source;
    open_named(&t, "gpt_oss", "");
    OK(sac_inference_open_source(t.inference, &source, &failure));
    t.inference = NULL;
    assert_true(source.weights.has_sinks);
    size_t T = source.weights.steps;
    float *row = calloc(T, sizeof *row), least = 1;
    assert_non_null(row);
    for (size_t head = 0; head < source.weights.heads; head++) {
        const sac_tile tile = {.head = head, .row = T - 1, .rows = 1, .cols = T};
        float sum = 0;
        OK(source.weights.tile(source.self, 1, &tile, row, &failure));
        for (size_t i = 0; i < T; i++)
            sum += row[i];
        least = fminf(least, sum);
    }
    assert_true(least < 0.9f);
    free(row);
    sac_source_destroy(&source);
    close_trial(&t);
}

TEST(gpt_oss_in_blocks_of_four_bits_is_that_of_transformers)
{
    check_decoder("gpt_oss_mxfp4");
}

TEST(other_mixtures_of_experts_are_those_of_transformers)
{
    check_decoder("mixtral");
    check_decoder("qwen3_moe");
    check_decoder("qwen2_moe");
    check_decoder("olmoe");
}

TEST(gemma4_with_shared_keys_joined_ones_and_experts_is_that_of_transformers)
{
    check_decoder("gemma4");
    check_decoder("gemma4_joined");
    check_decoder("gemma4_experts");
}

/* Layers that keep a state stand between, before and behind those with attention, whose heads have gates. */
TEST(qwen3_next_is_that_of_transformers)
{
    trial t;
    check_decoder("qwen3_next");
    open_named(&t, "qwen3_next", "");
    assert_string_equal(sac_architecture_note(t.model),
                        "of its 5 layers those with attention are shown, 1, 3; the others are "
                        "gated delta nets");
    assert_false(sac_inference_has_relevance(t.inference));
    close_trial(&t);
    check_folder_refused("qwen3_next",
                         "{\"model_type\": \"qwen3_next\", \"num_hidden_layers\": 2, "
                         "\"layer_types\": [\"linear_attention\", \"linear_attention\"]}",
                         SAC_E_FORMAT, "leaves no layer with attention");
    check_folder_refused("qwen3_next",
                         "{\"model_type\": \"qwen3_next\", \"num_hidden_layers\": 2, "
                         "\"layer_types\": [\"linear_attention\", \"sliding_attention\"]}",
                         SAC_E_FORMAT, "sliding_attention");
}

/* The linear layers of its nets are tensors of their own. */
TEST(what_reads_in_qwen3_5_is_that_of_transformers)
{
    check_decoder("qwen3_5_text");
    check_decoder("qwen3_5_moe_text");
}

TEST(llama4_with_and_without_experts_is_that_of_transformers)
{
    check_decoder("llama4");
    check_decoder("llama4_dense");
}

TEST(deepseek_with_latents_of_keys_and_of_queries_is_that_of_transformers)
{
    check_decoder("deepseek_v2");
    check_decoder("deepseek_v2_lite");
    check_decoder("deepseek_v3");
}

/* Far behind the text, where keys and values fill more than one panel of them. */
TEST(what_is_generated_last_is_what_the_whole_text_asks_for)
{
    trial t;
    int ids[32], count;
    sac_inference *whole;
    const sac_sampling greedy = {.count = 27};
    open_named(&t, "gpt2", "");
    t.model->end_count = 0;
    size_t read = t.inference->count, V = t.model->vocabulary;
    memcpy(ids, t.inference->ids, read * sizeof *ids);
    OK(sac_inference_continue(t.inference, &greedy, ids + read, &count, &failure));
    assert_int_equal(read + (size_t)count, 32);
    OK(sac_inference_read_tokens(t.model, ids, 31, &whole, &failure));
    for (size_t v = 0; v < V; v++)
        assert_true(whole->next[v] <= whole->next[ids[31]] + 1e-4f);
    sac_inference_free(whole);
    close_trial(&t);
}

/* Of the two tokens that end a text, the one that is generated first. */
TEST(a_generation_ends_before_any_token_that_ends_a_text)
{
    trial t;
    int generated[8], count;
    const sac_sampling greedy = {.count = 8};
    open_named(&t, "qwen2", "");
    const int *expected =
        (const int *)sac_arrays_find(t.expected, "generated")->data + t.inference->count;
    assert_int_equal(t.model->end_count, 2);
    t.model->ends[1] = expected[3];
    OK(sac_inference_continue(t.inference, &greedy, generated, &count, &failure));
    assert_in_range(count, 1, 3);
    assert_int_equal(expected[count], expected[3]);
    close_trial(&t);
}

/* Its 32 places are 5 of the text and 27 of the generation. */
TEST(a_generation_ends_where_the_model_has_no_places)
{
    trial t;
    int generated[100], count;
    const sac_sampling drawn = {.count = 100, .draw = {.temperature = 1, .seed = 1}};
    open_named(&t, "gpt2", "");
    t.model->end_count = 0;
    OK(sac_inference_continue(t.inference, &drawn, generated, &count, &failure));
    assert_int_equal(count, 27);
    close_trial(&t);
}

TEST(a_text_gives_the_tokens_of_its_tokenizer)
{
    trial t;
    sac_inference *typed;
    sac_labels labels;
    open_named(&t, "bert", "");
    OK(sac_inference_read(t.model, "The bank of the river", &typed, &failure));
    assert_int_equal(typed->count, t.inference->count);
    assert_memory_equal(typed->ids, t.inference->ids, typed->count * sizeof *typed->ids);
    OK(sac_inference_labels(typed, &labels, &failure));
    assert_string_equal(labels.text[0], "[CLS]");
    assert_string_equal(labels.text[2], "bank");
    sac_labels_free(&labels);
    sac_inference_free(typed);
    close_trial(&t);
}

/* Of a pair the second text has kinds of its own; the numbers are those of the table. */
TEST(a_text_with_a_separator_inside_is_a_pair)
{
    trial t;
    sac_inference *pair, *one;
    sac_source source;
    open_named(&t, "bert", "");
    OK(sac_inference_read(t.model, "the bank [SEP] a river", &pair, &failure));
    OK(sac_inference_read_tokens(t.model, pair->ids, pair->count, &one, &failure));
    assert_int_equal(pair->count, 7);
    assert_int_equal(pair->second, 4);
    size_t D = t.model->width;
    double same = 0, other = 0;
    for (size_t i = 0; i < 7 * D; i++) {
        double off = fabs((double)pair->entered[i] - (double)one->entered[i]);
        same = i < 4 * D ? fmax(same, off) : same;
        other = i < 4 * D ? other : fmax(other, off);
    }
    assert_true(same == 0 && other > 0.1);
    OK(sac_inference_open_source(pair, &source, &failure));
    assert_string_equal(source.note, "read as a pair, the second text from token 4 on");
    sac_source_destroy(&source);
    sac_inference_free(one);
    OK(sac_inference_read(t.model, "the [SEP] bank [SEP] a", &one, &failure));
    assert_int_equal(one->second, 0); /* of three texts no model knows the kinds */
    sac_inference_free(one);
    close_trial(&t);
}

TEST(a_text_longer_than_the_model_is_cut_and_reports_it)
{
    trial t;
    sac_inference *cut;
    sac_source source;
    open_named(&t, "bert", "");
    OK(sac_inference_read(t.model, "a a a a a a a a a a a a a a a a a a a a", &cut, &failure));
    assert_int_equal(cut->count, 16);
    OK(sac_inference_open_source(cut, &source, &failure));
    assert_string_equal(source.note, "only the first 16 tokens are read");
    assert_int_equal(cut->ids[15], sac_tokenizer_find(t.model->tokenizer, "[SEP]"));
    sac_source_destroy(&source);
    close_trial(&t);
}

/* Of 13 words the shorter text has 2, 5 or half. */
TEST(of_a_pair_that_is_too_long_the_longer_text_is_cut_first)
{
    static const struct {
        const char *text;
        size_t second;
    } pairs[] = {{"a a [SEP] a a a a a a a a a a a a a a", 4},
                 {"a a a a a a a a a a a a a a [SEP] a a a a a", 10},
                 {"a a a a a a a a a a a a [SEP] a a a a a a a a a a", 9},
                 {"a a a a a a a a a a [SEP] a a a a a a a a a a a a", 8}};
    trial t;
    open_named(&t, "bert", "");
    int separator = sac_tokenizer_find(t.model->tokenizer, "[SEP]");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sac_inference *cut;
        OK(sac_inference_read(t.model, pairs[i].text, &cut, &failure));
        assert_true(cut->cut);
        assert_int_equal(cut->count, 16);
        assert_int_equal(cut->second, pairs[i].second);
        assert_int_equal(cut->ids[pairs[i].second - 1], separator);
        assert_int_equal(cut->ids[15], separator);
        sac_inference_free(cut);
    }
    close_trial(&t);
}

static const char *const files_of_folder[] = {"model.safetensors", "config.json", "tokenizer.json",
                                              "vocab.txt",         "vocab.json",  "merges.txt"};
enum { FILES_OF_FOLDER = sizeof files_of_folder / sizeof *files_of_folder };

/* Opens a folder of tests/reference's `family`, `prefix` before all names of its weights, and one tensor more
 * (its name NULL: none). */
static sac_status open_with_names(const char *family, const char *prefix, sac_named_array more,
                                  sac_pretrained_model **model, sac_error *error)
{
    char folder[] = "/tmp/saccade-namesXXXXXX", from[300], path[400];
    sac_pretrained *files;
    sac_named_array *list;
    size_t count;
    assert_non_null(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/%s", REFERENCES, family);
    OK(sac_pretrained_open(from, &files, &failure));
    OK(sac_pretrained_list(files, prefix, &list, &count, &failure)); /* with room for one more */
    list[count] = more;
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    OK(sac_safetensors_save(path, list, count + (more.name != NULL), NULL, &failure));
    list[count] = (sac_named_array){0};
    sac_pretrained_list_free(list, count);
    sac_pretrained_close(files);
    for (size_t k = 1; k < FILES_OF_FOLDER; k++) { /* those that it has */
        snprintf(from, sizeof from, "%s/%s/%s", REFERENCES, family, files_of_folder[k]);
        snprintf(path, sizeof path, "%s/%s", folder, files_of_folder[k]);
        assert_int_equal(symlink(from, path), 0);
    }
    sac_status status =
        sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, model, error);
    for (size_t k = 0; k < FILES_OF_FOLDER; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files_of_folder[k]);
        unlink(path);
    }
    rmdir(folder);
    return status;
}

/* Of torch.compile in DistributedDataParallel, and of a module of Lightning's. */
TEST(what_wrappers_put_before_all_names_is_taken_off)
{
    static const char *const cases[][2] = {{"bert", "_orig_mod."},
                                           {"bert", "_orig_mod.module.model."},
                                           {"bert", "net."},
                                           {"bert", "base_model.model."},
                                           {"llama", "module._orig_mod."},
                                           {"llama", "model."},
                                           {"bart", "model."},
                                           {"distilbert", "model.module."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_pretrained_model *model;
        OK(open_with_names(cases[i][0], cases[i][1], (sac_named_array){0}, &model, &failure));
        if (!strstr(sac_architecture_note(model), cases[i][1]))
            fail_msg("%s is not reported: %s", cases[i][1], sac_architecture_note(model));
        sac_pretrained_model_close(model);
    }
}

TEST(what_stands_before_all_names_and_is_no_known_wrapper_is_named)
{
    sac_pretrained_model *model;
    REFUSES(SAC_E_FORMAT,
            "…model.safetensors: the tensor \"embeddings.word_embeddings.weight\" is missing, and "
            "it has "
            "\"student.embeddings.word_embeddings.weight\"; save it by those names, without what "
            "was put "
            "before or between",
            open_with_names("bert", "student.", (sac_named_array){0}, &model, &failure));
}

/* But for buffers, and for biases of 0. */
TEST(a_tensor_that_is_not_used_is_noted_and_inside_a_layer_refused)
{
    static const float ones[] = {1, 1}, zeros[] = {0, 0};
    static const struct {
        const char *name, *note; /* NULL: it is refused */
        const float *values;
    } cases[] = {
        {"model.layers.0.self_attn.q_norm.weight", NULL, ones},
        {"model.layers.2.mlp.more.0.weight", NULL, zeros},
        {"model.layers.0.mlp.up_proj.bias", NULL, ones},
        {"model.layers.0.mlp.up_proj.bias", "", zeros},
        {"model.layers.0.self_attn.rotary_emb.inv_freq", "", ones},
        {"model.layers.9.mlp.up_proj.weight",
         "1 tensor is not used: model.layers.9.mlp.up_proj.weight", ones},
        {"mtp.proj.weight", "1 tensor is not used: mtp.proj.weight", ones},
        {"position_ids", "", ones},
    };
    const size_t shape = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_pretrained_model *model;
        const sac_array array = sac_array_view(SAC_F32, 1, &shape, cases[i].values);
        const sac_named_array more = {cases[i].name, &array};
        sac_status status = open_with_names("llama", "", more, &model, &failure);
        assert_int_equal(status, cases[i].note ? SAC_OK : SAC_E_FORMAT);
        if (cases[i].note)
            assert_string_equal(sac_architecture_note(model), cases[i].note);
        else if (!strstr(failure.what, cases[i].name) || !strstr(failure.remedy, "model_type"))
            fail_msg("%s: %s; %s", cases[i].name, failure.what, failure.remedy);
        sac_pretrained_model_close(model);
    }
}

/* ---------------------------------------------------------------- what is wrong with a folder */

static void check_refused(const char *config, sac_status status, const char *what)
{
    check_folder_refused("bert", config, status, what);
}

#define BERT(rest)                                                                                 \
    "{\"model_type\": \"bert\", \"hidden_act\": \"gelu\", \"intermediate_size\": 40, "             \
    "\"max_position_embeddings\": 16, \"num_attention_heads\": 3, \"vocab_size\": 15" rest "}"

TEST(a_family_that_is_not_known_is_named_beside_those_that_are)
{
    check_refused("{\"model_type\": \"qwen4_vl\", \"architectures\": [\"Qwen4VLForCausalLM\"]}",
                  SAC_E_FORMAT,
                  "\"qwen4_vl\" is not known here; the nearest types are qwen2_vl, qwen3_vl or "
                  "qwen2_5_vl, and \"saccade models --types\" lists all");
    check_folder_refused("show_attend_tell", "{}", SAC_E_FORMAT, "config.json: model_type");
}

/* By its architectures, or else by a tensor that no other family has; and without an activation,
 * which is then its class's. */
TEST(a_folder_without_model_type_is_known_by_what_else_it_shows)
{
#define SIZES                                                                                      \
    "\"intermediate_size\": 40, \"max_position_embeddings\": 16, \"num_attention_heads\": 3, "     \
    "\"hidden_size\": 24, \"num_hidden_layers\": 3, \"vocab_size\": 15}"
    static const struct {
        const char *config, *reported;
    } cases[] = {{"{\"architectures\": [\"BertModel\"], " SIZES,
                  "config.json has no model_type; by architectures it is bert"},
                 {"{" SIZES, "config.json has no model_type; by the names of tensors it is bert"},
                 {"{\"model_type\": \"bert\", " SIZES, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_pretrained_model *model;
        OK(open_with_config("bert", cases[i].config, &model, &failure));
        assert_string_equal(model->architecture->types[0], "bert");
        assert_string_equal(model->note, cases[i].reported);
        assert_int_equal(model->run.activation, SAC_GELU);
        sac_pretrained_model_close(model);
    }
}

#define MOONDREAM(text, vision, tokenizer)                                                         \
    "{\"model_type\": \"moondream1\", \"config\": {\"text\": {\"dim\": 32, \"ff_dim\": 40, "       \
    "\"n_layers\": 2, \"n_heads\": 4, \"n_kv_heads\": 2, \"vocab_size\": 52" text                  \
    "}, \"vision\": {\"enc_dim\": 24, \"enc_patch_size\": 4, \"enc_n_layers\": 4, "                \
    "\"enc_ff_dim\": 36, \"enc_n_heads\": 3, \"crop_size\": 16, \"max_crops\": 6, "                \
    "\"proj_inner_dim\": 40" vision "}, \"tokenizer\": {\"bos_id\": 5, \"eos_id\": 5" tokenizer    \
    "}}}"

TEST(a_moondream_of_another_kind_is_refused)
{
    static const char *const cases[][2] = {
        {MOONDREAM(", \"group_size\": 128", ", \"overlap_margin\": 1", ""), "group_size"},
        {MOONDREAM("", ", \"proj_out_dim\": 32, \"overlap_margin\": 2", ""),
         "overlap_margin: 2 leaves nothing of tiles of 4 patches"},
        {MOONDREAM("", ", \"overlap_margin\": 1", ""),
         "proj_out_dim: is not the width of the text, 32"},
        {MOONDREAM("", ", \"proj_out_dim\": 32, \"overlap_margin\": 1", ", \"templates\": {}"),
         "templates: has neither caption nor query"},
        {MOONDREAM("", ", \"proj_out_dim\": 32, \"overlap_margin\": 1", ""),
         "normal: is not a whole number from 0 to 51"},
        {MOONDREAM(
             "", ", \"proj_out_dim\": 32, \"overlap_margin\": 1",
             ", \"templates\": {\"caption\": {\"short\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "
             "13, 14, 15, 16, 17]}}"),
         "short: has more than 16 numbers"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_folder_refused("moondream", cases[i][0], SAC_E_FORMAT, cases[i][1]);
}

/* Of the revisions before 2025, whose tensors have Phi's and timm's names. */
TEST(an_old_moondream_is_named)
{
    static const float ones[] = {1, 1};
    const size_t shape = 2;
    const sac_array array = sac_array_view(SAC_F32, 1, &shape, ones);
    const sac_named_array more = {"text_model.lm_head.linear.weight", &array};
    sac_pretrained_model *model;
    REFUSES(SAC_E_FORMAT,
            "…model.text.wte: is missing: the weights have the names of revisions before "
            "2025…; take the revision 2025-01-09…",
            open_with_names("moondream", "student.", more, &model, &failure));
    REFUSES(SAC_E_FORMAT, "…model.text.wte: is missing; take the revision 2025-01-09…",
            open_with_names("moondream", "student.", (sac_named_array){0}, &model, &failure));
}

/* A key that is null, or of training or of generation, changes nothing. */
TEST(what_config_json_has_beyond_its_class_is_noted)
{
    static const char *const cases[][2] = {
        {", \"use_qk_norm\": true, \"logits_scaling\": 8",
         "keys of config.json that are not used: use_qk_norm, logits_scaling"},
        {", \"use_qk_norm\": null, \"resid_pdrop\": 0.1, \"_commit_hash\": \"0\", \"top_k\": 5, "
         "\"task_specific_params\": {}",
         ""},
        {", \"auto_map\": {\"AutoModel\": \"modeling.Bert\"}",
         "its folder has code of its own (auto_map), which is not run"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char config[600];
        sac_pretrained_model *model;
        snprintf(config, sizeof config, BERT(", \"hidden_size\": 24, \"num_hidden_layers\": 3%s"),
                 cases[i][0]);
        OK(open_with_config("bert", config, &model, &failure));
        assert_string_equal(sac_architecture_note(model), cases[i][1]);
        sac_pretrained_model_close(model);
    }
}

TEST(quantised_weights_are_refused_by_their_method)
{
    check_refused(BERT(", \"hidden_size\": 24, \"num_hidden_layers\": 3, "
                       "\"quantization_config\": {\"quant_method\": \"hqq\"}"),
                  SAC_E_FORMAT,
                  "quantization_config: the weights are quantised by hqq, which is not "
                  "supported; take the model in float32, float16 or bfloat16");
    check_refused(BERT(", \"hidden_size\": 24, \"num_hidden_layers\": 3, "
                       "\"quantization\": {\"bits\": 4, \"group_size\": 64}"),
                  SAC_E_FORMAT, "quantization: the weights are quantised, which is not supported");
}

#define FEW_BITS(reported)                                                                         \
    "{\"model_type\": \"llama\", \"hidden_size\": 32, \"num_hidden_layers\": 3, "                  \
    "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 40, "          \
    "\"vocab_size\": 16, \"quantization_config\": {" reported "}}"

TEST(packed_matrices_that_do_not_fit_are_refused)
{
    check_folder_refused("llama_awq",
                         FEW_BITS("\"quant_method\": \"awq\", \"bits\": 4, "
                                  "\"group_size\": 16"),
                         SAC_E_FORMAT, "what stands for \"model.layers.0.");
    check_folder_refused("llama_gptq",
                         FEW_BITS("\"quant_method\": \"gptq\", \"bits\": 8, "
                                  "\"group_size\": 8"),
                         SAC_E_FORMAT, "what stands for \"model.layers.0.");
    check_folder_refused("llama_gptq", FEW_BITS("\"quant_method\": \"gptq\", \"bits\": 3"),
                         SAC_E_FORMAT, "quantised by gptq, which is not supported");
    check_folder_refused("llama_awq",
                         FEW_BITS("\"quant_method\": \"awq\", \"bits\": 4, "
                                  "\"version\": \"gemv\""),
                         SAC_E_FORMAT, "quantised by awq, which is not supported");
#define COMPRESSED(reported)                                                                       \
    FEW_BITS(                                                                                      \
        "\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": "              \
        "{\"weights\": {\"num_bits\": 4, \"type\": \"int\", \"group_size\": 16}}}, " reported)
    check_folder_refused("llama_compressed", COMPRESSED("\"format\": \"pack-quantized\""),
                         SAC_E_FORMAT, "what stands for \"model.layers.0.");
    check_folder_refused("llama_compressed", COMPRESSED("\"format\": \"int-quantized\""),
                         SAC_E_FORMAT, "quantised by compressed-tensors, which is not supported");
    check_folder_refused("llama_compressed",
                         COMPRESSED("\"format\": \"pack-quantized\", \"sparsity_config\": "
                                    "{\"format\": \"sparse-24-bitmask\"}"),
                         SAC_E_FORMAT, "quantised by compressed-tensors, which is not supported");
    check_folder_refused("gpt2",
                         "{\"model_type\": \"gpt2\", \"quantization_config\": {\"quant_method\": "
                         "\"bitsandbytes\"}}",
                         SAC_E_FORMAT, "quantised by bitsandbytes, which is not supported");
}

TEST(what_is_missing_or_does_not_fit_is_reported)
{
    check_refused(BERT(", \"hidden_size\": 24, \"num_hidden_layers\": 4"), SAC_E_FORMAT,
                  "the tensor \"encoder.layer.3.attention.self.query.weight\" is missing");
    check_refused(BERT(", \"hidden_size\": 48, \"num_hidden_layers\": 3"), SAC_E_SHAPE,
                  "is [15,24], not [15,48]");
    check_refused(BERT(", \"hidden_size\": 25, \"num_hidden_layers\": 3"), SAC_E_FORMAT,
                  "3 heads do not divide a width of 25");
    check_refused(BERT(", \"hidden_size\": 24, \"num_hidden_layers\": 1e9"), SAC_E_FORMAT,
                  "num_hidden_layers");
    check_refused(BERT(", \"hidden_size\": 24, \"num_hidden_layers\": 3, "
                       "\"position_embedding_type\": \"relative_key\""),
                  SAC_E_FORMAT,
                  "position_embedding_type: \"relative_key\" is not supported; there are absolute, "
                  "alibi");
}

TEST(what_no_llama_here_has_is_refused)
{
#define LLAMA(rest)                                                                                \
    "{\"model_type\": \"llama\", \"hidden_act\": \"silu\", \"intermediate_size\": 40, "            \
    "\"max_position_embeddings\": 64, \"num_attention_heads\": 4, \"vocab_size\": 35, "            \
    "\"hidden_size\": 32, \"num_hidden_layers\": 3, " rest "}"
    check_folder_refused("llama", LLAMA("\"rope_scaling\": {\"rope_type\": \"mrope\"}"),
                         SAC_E_FORMAT, "\"mrope\" is not of this kind of model");
    check_folder_refused("llama", LLAMA("\"num_key_value_heads\": 3"), SAC_E_FORMAT,
                         "3 do not divide 4 heads");
    check_folder_refused("llama", LLAMA("\"head_dim\": 7"), SAC_E_FORMAT,
                         "no rotary positions turn heads of 7");
    check_folder_refused("llama", LLAMA("\"num_key_value_heads\": 4"), SAC_E_SHAPE,
                         "is [16,32], not [32,32]");
    check_folder_refused("llama", LLAMA("\"head_dim\": 10, \"num_key_value_heads\": 1"),
                         SAC_E_SHAPE, "is [32,32], not [40,32]"); /* heads of their own size */
    static const char *const ropes[][2] = {
        {"\"rope_type\": \"yarn\", \"factor\": 0.5", "factor: is not a number from 1 on"},
        {"\"rope_type\": \"longrope\", \"factor\": 4", "short_factor: is missing"},
        {"\"rope_type\": \"longrope\", \"short_factor\": [1, 1]",
         "short_factor: is not a list of 4"},
        {"\"rope_type\": \"linear\", \"factor\": 2, \"partial_rotary_factor\": 0.5",
         "partial_rotary_factor: must be 1 here"},
        {"\"rope_type\": \"llama3\", \"factor\": 2, \"high_freq_factor\": 1, \"low_freq_factor\": "
         "1",
         "high_freq_factor: is not above low_freq_factor"}};
    for (size_t i = 0; i < sizeof ropes / sizeof *ropes; i++) {
        char config[600];
        snprintf(config, sizeof config,
                 LLAMA("\"num_key_value_heads\": 2, \"rope_parameters\": {%s}"), ropes[i][0]);
        check_folder_refused("llama", config, SAC_E_FORMAT, ropes[i][1]);
    }
}

TEST(groups_of_experts_that_do_not_fit_are_refused)
{
#define DEEPSEEK(version, rest)                                                                    \
    "{\"model_type\": \"deepseek_" version "\", \"hidden_size\": 32, \"intermediate_size\": 40, "  \
    "\"moe_intermediate_size\": 12, \"num_hidden_layers\": 3, \"num_attention_heads\": 4, "        \
    "\"max_position_embeddings\": 64, \"vocab_size\": 35, \"num_experts_per_tok\": 2, "            \
    "\"kv_lora_rank\": 20, \"q_lora_rank\": 14, \"qk_nope_head_dim\": 10, "                        \
    "\"qk_rope_head_dim\": 6, \"first_k_dense_replace\": 1, " rest "}"
    static const char *const wrong[][2] = {
        {DEEPSEEK("v2", "\"topk_method\": \"best\""), "topk_method: \"best\" is not supported"},
        {DEEPSEEK("v2", "\"norm_topk_prob\": true"), "norm_topk_prob: true"},
        {DEEPSEEK("v2", "\"num_key_value_heads\": 2"), "is not the number of heads"},
        {DEEPSEEK("v2", "\"num_key_value_heads\": 4, \"v_head_dim\": 9"),
         "is [72,20], not [76,20]"},
        {DEEPSEEK("v3", "\"n_routed_experts\": 9, \"n_group\": 2"), "2 do not divide 9 experts"},
        {DEEPSEEK("v3", "\"n_routed_experts\": 9, \"n_group\": 9, \"topk_group\": 1"),
         "1 of 9 groups of 1 do not have 2 experts"},
        {DEEPSEEK("v3", "\"n_routed_experts\": 9, \"n_group\": 9, \"topk_group\": 3"),
         "leaves groups of one"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_folder_refused("deepseek_v2", wrong[i][0], i == 3 ? SAC_E_SHAPE : SAC_E_FORMAT,
                             wrong[i][1]);
}

TEST(layers_of_gemma4_that_do_not_fit_together_are_refused)
{
#define GEMMA4(rest)                                                                               \
    "{\"model_type\": \"gemma4_text\", \"hidden_size\": 32, \"intermediate_size\": 40, "           \
    "\"num_hidden_layers\": 5, \"num_attention_heads\": 4, \"num_key_value_heads\": 2, "           \
    "\"head_dim\": 8, \"vocab_size\": 35, \"vocab_size_per_layer_input\": 35, "                    \
    "\"hidden_size_per_layer_input\": 6, \"layer_types\": [\"sliding_attention\", "                \
    "\"full_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\"], " rest \
    "}"
    static const char *const wrong[][2] = {
        {GEMMA4("\"num_kv_shared_layers\": 4"), "layer 1 has no layer of its kind before 1"},
        {GEMMA4("\"per_layer_config\": {\"4\": {\"head_dim\": 12}}"),
         "layers of one kind have heads of 8 and of 12"},
        {GEMMA4("\"per_layer_config\": {\"1\": {\"num_key_value_heads\": 3}}"),
         "3 do not divide 4 heads"},
        {GEMMA4("\"enable_moe_block\": true"), "num_experts: is missing"},
        {GEMMA4("\"use_bidirectional_attention\": \"none\""), "there are vision, all"},
        {GEMMA4("\"global_head_dim\": 12, \"rope_parameters\": {\"rope_type\": "
                "\"proportional\", \"partial_rotary_factor\": 2}"),
         "turns no part of 2 by a factor of 1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_folder_refused("gemma4", wrong[i][0], SAC_E_FORMAT, wrong[i][1]);
}

#define GPT2(rest)                                                                                 \
    "{\"model_type\": \"gpt2\", \"n_embd\": 24, \"n_layer\": 3, \"n_head\": 3, "                   \
    "\"n_positions\": 32, \"vocab_size\": 35" rest "}"

/* Settings of a folder that sampling does not support are reported, or refused, when something is to be
 * generated; its heads are shown. */
TEST(what_a_folder_asks_of_what_is_generated_is_reported_or_refused)
{
    static const struct {
        const char *config, *reported, *wrong;
    } cases[] = {
        {GPT2(""), "", ""},
        {GPT2(", \"do_sample\": true, \"temperature\": 0.7, \"top_p\": 0.9"),
         "its folder asks for words that are drawn (do_sample); the most probable are taken", ""},
        {GPT2(", \"guidance_scale\": 2"), "", "2 is not supported; it must be 1"},
        {GPT2(", \"bad_words_ids\": [[\"a\"]]"), "", "has what is no token"},
        {GPT2(", \"max_length\": NaN"), "", "is not a number"},
        {GPT2(", \"max_length\": null, \"temperature\": \"0.7\""), "", "is not a number"},
        {GPT2(", \"architectures\": [\"GPT2Model\"]"),
         "it has no head that predicts the next token", "has no language-model head"},
        {GPT2(", \"add_cross_attention\": true"),
         "its layers that look at another model are left out", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_pretrained_model *model;
        sac_inference *inference;
        sac_error error = {0};
        int generated[2], count;
        OK(open_with_config("gpt2", cases[i].config, &model, &failure));
        OK(sac_inference_read_tokens(model, (const int[]){1, 2, 3}, 3, &inference, &failure));
        for (int again = 0; again < 2; again++) { /* it is reported once */
            sac_status status = sac_inference_continue(inference, &(sac_sampling){.count = 2},
                                                       generated, &count, &error);
            assert_int_equal(status == SAC_OK, cases[i].wrong[0] == '\0');
        }
        assert_string_equal(sac_architecture_note(model), cases[i].reported);
        if (cases[i].wrong[0])
            assert_string_equal(error.what, cases[i].wrong);
        sac_inference_free(inference);
        sac_pretrained_model_close(model);
    }
}

/* ---------------------------------------------------------------- a real one */

TEST(a_real_model_is_that_of_transformers)
{
    trial t;
    const char *model = getenv("SACCADE_MODEL"), *reference = getenv("SACCADE_REFERENCE");
    if (!model || !reference)
        skip();
    open_trial(&t, model, reference, "");
    check_states(&t);
    check_weights(&t);
    close_trial(&t);
}

TEST_MAIN(open_device, close_device)
