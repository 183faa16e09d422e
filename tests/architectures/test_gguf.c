/* Models out of a GGUF are those of the folders that it was made of (make_gguf.py), and what it holds of numbers is what
 * the gguf package makes of it. */
#include "generator.h"
#include "pretrained/files/gguf/gguf.h"
#include "saccade_arrays.h"
#include "scratch.h"
#include "status.h"
#include "trial.h"

#include <unistd.h>

#define DATA REFERENCES "/gguf/"

static void check_models(const char *name, const char *folder)
{
    char file[512], reference[512];
    trial t;
    snprintf(file, sizeof file, DATA "%s.gguf", name);
    snprintf(reference, sizeof reference, REFERENCES "/%s/reference.safetensors", folder);
    open_trial(&t, file, reference, "");
    check_states(&t);
    check_logits(&t);
    check_words(&t);
    check_weights(&t);
    close_trial(&t);
}

static void check_model(const char *name)
{
    check_models(name, name);
}

TEST(llama_has_its_heads_in_order_again_and_its_slowed_turns)
{
    check_model("llama");
}

TEST(qwen2_has_its_biases)
{
    check_model("qwen2");
}

/* By the first of its files; the error for another one names it. */
TEST(a_model_in_several_files_is_opened_whole)
{
    sac_pretrained_model *model;
    check_models("qwen2_split-00001-of-00003", "qwen2");
    REFUSES(SAC_E_FORMAT, "…is one file of 3…",
            sac_pretrained_model_open_stored(DATA "qwen2_split-00002-of-00003.gguf", NULL,
                                             SAC_STORAGE_F32, &model, &failure));
}

IN_SCRATCH(a_model_whose_other_files_are_missing_or_others_is_refused)
{
    static const char first[] = "a-00001-of-00003.gguf", second[] = "a-00002-of-00003.gguf";
    sac_pretrained_model *model;
    sac_bytes bytes;
    OK(sac_bytes_read(DATA "qwen2_split-00001-of-00003.gguf", &bytes, &failure));
    scratch_write(s, first, (const char *)bytes.data, bytes.size);
    scratch_write(s, second, (const char *)bytes.data, bytes.size);
    scratch_write(s, "renamed.gguf", (const char *)bytes.data, bytes.size);
    sac_bytes_free(&bytes);
    REFUSES(SAC_E_FORMAT, "…is not part 2 of 3…",
            sac_pretrained_model_open_stored(scratch_path(s, first), NULL, SAC_STORAGE_F32, &model,
                                             &failure));
    REFUSES(SAC_E_FORMAT, "…is one file of 3…",
            sac_pretrained_model_open_stored(scratch_path(s, "renamed.gguf"), NULL, SAC_STORAGE_F32,
                                             &model, &failure));
    unlink(scratch_path(s, second));
    REFUSES(SAC_E_FILE, "…",
            sac_pretrained_model_open_stored(scratch_path(s, first), NULL, SAC_STORAGE_F32, &model,
                                             &failure));
}

TEST(qwen3_has_its_norms_of_queries_and_keys)
{
    check_model("qwen3");
}

TEST(phi3_has_its_fused_matrices_and_divided_turns)
{
    check_model("phi3");
}

TEST(olmo2_has_its_norms_behind_the_layers_parts)
{
    check_model("olmo2");
}

TEST(gemma2_has_its_gains_from_zero_its_windows_and_caps)
{
    check_model("gemma2");
}

TEST(gemma3_turns_by_two_bases)
{
    check_model("gemma3");
}

TEST(gpt_neox_has_the_parts_of_a_head_together_again)
{
    check_model("gpt_neox");
}

TEST(bloom_has_the_parts_of_a_head_together_again)
{
    check_model("bloom");
}

/* Of fewer than four layers all are turned: it is a LLaMA. */
TEST(smollm3_is_llama_under_another_name)
{
    check_models("smollm3", "llama");
}

TEST(gpt2_has_its_matrices_turned_back)
{
    check_model("gpt2");
}

TEST(gemma_has_its_gains_from_zero)
{
    check_model("gemma");
}

/* By the tensors of all experts, and by those of each, as files of 2023 have them. */
TEST(mixtral_is_llama_with_experts)
{
    check_model("mixtral");
    check_models("mixtral_apart", "mixtral");
}

TEST(qwen3_moe_has_the_experts_of_its_own_width)
{
    check_model("qwen3_moe");
}

TEST(olmoe_shares_over_all_experts)
{
    check_model("olmoe");
}

TEST(decoders_after_llama_have_their_norms_scales_and_biases)
{
    static const char *const names[] = {"granite",  "olmo",       "olmo3",    "phi",
                                        "stablelm", "starcoder2", "ernie4_5", "cohere",
                                        "cohere2",  "glm",        "glm4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_model(names[i]);
}

/* All its queries share one head of keys; or some of them one each, with a norm for each of its parts. */
TEST(falcon_has_queries_beside_the_key_that_they_share)
{
    check_model("falcon");
    check_model("falcon_new");
}

TEST(qwen2_moe_has_the_expert_that_all_share)
{
    check_model("qwen2_moe");
}

/* Blocks of four bits, and what they stand for in 16 bits: all have the numbers of the folder. */
TEST(gpt_oss_has_its_sinks_and_its_experts_as_they_are_stored)
{
    static const sac_stored forms[] = {SAC_STORED_MXFP4, SAC_STORED_F16, SAC_STORED_BF16,
                                       SAC_STORED_Q8_0};
    static const char *const names[] = {"gpt_oss", "gpt_oss_F16", "gpt_oss_BF16", "gpt_oss_Q8_0"};
    for (int i = 0; i < 4; i++) {
        sac_pretrained_model *m;
        char file[512];
        snprintf(file, sizeof file, DATA "%s.gguf", names[i]);
        OK(sac_pretrained_model_open_on(file, device, &m, &failure));
        for (int k = 0; k < 5; k++) {
            const sac_expert *e = &m->layer[1].experts->list[k];
            assert_int_equal(e->gate.w->value.stored, forms[i]);
            assert_int_equal(e->in.w->value.stored, forms[i]);
            assert_int_equal(e->out.w->value.stored, forms[i]);
        }
        sac_pretrained_model_close(m);
        if (forms[i] != SAC_STORED_Q8_0)
            check_models(names[i], "gpt_oss_mxfp4");
    }
}

/* Scale 1, and numbers 0 to 15 in turns, two in a byte. */
TEST(a_byte_of_ollamas_first_form_has_two_numbers_that_follow_each_other)
{
    static const float sizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    uint8_t block[17] = {127};
    sac_array numbers;
    for (int i = 0; i < 16; i++)
        block[1 + i] = (uint8_t)(2 * i % 16 | (2 * i + 1) % 16 << 4);
    const sac_gguf_tensor tensor = {
        .form = sac_gguf_form_of(4), .kind = 4, .rank = 1, .shape = {32}, .data = block};
    OK(sac_gguf_numbers(&tensor, &numbers, &failure));
    for (int i = 0; i < 32; i++)
        assert_true(((const float *)numbers.data)[i] == (i & 8 ? -sizes[i & 7] : sizes[i & 7]));
    sac_array_free(&numbers);
}

/* Under other names, without that of its turns, and its experts in that form. */
TEST(gpt_oss_opens_as_ollama_wrote_it)
{
    check_models("gptoss", "gpt_oss_mxfp4");
}

/* The states of the file's model, which are to be freed. */
static float *states_of(const char *file, size_t *count, size_t *blocks)
{
    static const int ids[] = {3, 9, 1, 30, 7, 7, 12};
    sac_pretrained_model *m;
    sac_inference *read;
    OK(sac_pretrained_model_open_on(file, device, &m, &failure));
    OK(sac_inference_read_tokens(m, ids, 7, &read, &failure));
    *count = 7 * m->width * (size_t)(m->layers + 1);
    *blocks = 0;
    for (int i = 0; i < m->parameters.count; i++)
        *blocks += sac_stored_in_blocks(m->parameters.list[i]->value.stored);
    float *states = calloc(*count, sizeof *states);
    OK(sac_inference_states(read, states, &failure));
    sac_inference_free(read);
    sac_pretrained_model_close(m);
    return states;
}

/* As with the same numbers unpacked, which a device gets that does not read the form right. */
static void check_blocks(const char *name, sac_stored form)
{
    char file[512], verdict[64], before[sizeof((sac_device *)0)->verdicts];
    size_t count, blocks, unpacked;
    snprintf(file, sizeof file, DATA "%s_%s.gguf", name, sac_stored_form_of(form)->name);
    float *states = states_of(file, &count, &blocks);
    assert_true(blocks >= 10);
    memcpy(before, device->verdicts, sizeof before);
    snprintf(verdict, sizeof verdict, "stored-%s", sac_stored_form_of(form)->name);
    snprintf(device->verdicts, sizeof before, "%s refused\n%.3900s", verdict, before);
    float *expected = states_of(file, &count, &unpacked);
    memcpy(device->verdicts, before, sizeof before);
    assert_int_equal(unpacked, 0);
    compare(states, expected, count, 1e-4, file); /* as in trial.c */
    free(states);
    free(expected);
}

TEST(rows_of_blocks_are_put_in_order_as_numbers_are)
{
    check_blocks("llama", SAC_STORED_Q8_0);
    check_blocks("gpt_oss", SAC_STORED_Q8_0);
    check_blocks("llama", SAC_STORED_Q5_0);
    check_blocks("phi3", SAC_STORED_Q4_0);
    check_blocks("gpt_neox", SAC_STORED_Q4_1);
    check_blocks("falcon_new", SAC_STORED_Q8_0);
}

/* Models that embed texts, which predict no word. */
TEST(bert_and_nomic_bert_see_both_ways)
{
    static const char *const names[] = {"bert", "nomic_bert"};
    for (int i = 0; i < 2; i++) {
        char file[512], reference[512];
        trial t;
        snprintf(file, sizeof file, DATA "%s.gguf", names[i]);
        snprintf(reference, sizeof reference, REFERENCES "/%s/reference.safetensors", names[i]);
        open_trial(&t, file, reference, "");
        assert_null(t.inference->next);
        check_states(&t);
        check_weights(&t);
        close_trial(&t);
    }
}

/* What the model of a folder answers about the picture of the one that is called so. */
static void answer(generator *s, const char *folder, const char *name, const char *question,
                   sac_result *caption)
{
    sac_image picture;
    char path[512];
    *s = (generator){.name = name};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    OK(sac_pretrained_model_open_stored(path, NULL, SAC_STORAGE_F32, &s->model, &failure));
    snprintf(path, sizeof path, REFERENCES "/%s/reference.safetensors", name);
    OK(sac_arrays_open(path, &s->expected, &failure));
    OK(sac_arrays_open(REFERENCES "/texts.safetensors", &s->texts, &failure));
    OK(sac_pretrained_captioner_create(s->model, &s->captioner, &failure));
    snprintf(path, sizeof path, REFERENCES "/%s/picture.png", name);
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_pretrained_captioner_encode_picture(s->captioner, &picture, NULL, &failure));
    OK(sac_pretrained_captioner_ask(s->captioner, question, &failure));
    sac_image_free(&picture);
    s->captioner->search.length = 6;
    OK(sac_pretrained_captioner_generate(s->captioner, &(sac_result_request){.beam = 1}, caption,
                                         &failure));
}

/* A folder of a GGUF and, beside it, the file that sees for it. */
static void check_answer(const char *name)
{
    generator s;
    sac_result caption;
    answer(&s, DATA, name, "the bank of a", &caption);
    check_generation(&s, "greedy", &caption);
    check_probabilities(&s, &caption);
    check_looks(&s, caption.count);
    sac_result_free(&caption);
    close_generator(&s);
}

/* Words and their probabilities, to a question that the reference has no words for. */
static void check_as_in_folder(const char *name, const char *question)
{
    generator own, folder;
    sac_result is, expected;
    answer(&own, DATA, name, question, &is);
    answer(&folder, REFERENCES, name, question, &expected);
    assert_int_equal(is.count, expected.count);
    assert_true(is.count > 3);
    for (int i = 0; i < is.count; i++) {
        assert_int_equal(is.outputs[i].word, expected.outputs[i].word);
        assert_true(fabs((double)is.outputs[i].probability -
                         (double)expected.outputs[i].probability) < 1e-4);
    }
    sac_result_free(&is);
    sac_result_free(&expected);
    close_generator(&own);
    close_generator(&folder);
}

/* LLaVA's with what sees up to the layer that is taken; of it and Qwen2-VL the matrices of networks are under each other's name. */
TEST(what_sees_beside_a_gguf_answers_as_in_the_folder)
{
    check_answer("llava");
    check_answer("gemma3_seeing");
    check_answer("idefics3");
    check_answer("mistral3");
    check_answer("pixtral");
    check_answer("qwen2_vl");
    check_as_in_folder("qwen2_vl", "red");
    check_answer("qwen2_5_vl");
    check_answer("qwen3_vl");
    check_answer("internvl");
    check_answer("internvl_large");
    sac_pretrained_model *model;
    REFUSES(SAC_E_FORMAT, "…is of a part that sees for a model; give the model beside it",
            sac_pretrained_model_open_stored(DATA "llava/mmproj-model.gguf", NULL, SAC_STORAGE_F32,
                                             &model, &failure));
}

/* One of a kind that is not known, or without a token for a picture, is noted, and the text is read. */
IN_SCRATCH(without_what_sees_the_text_is_read)
{
    static const struct {
        const char *was, *is, *note;
    } cases[] = {
        {"idefics3", "idefics4",
         "it sees no pictures: mmproj-a.gguf: clip.projector_type \"idefics4\" is not read"},
        {"v.blk.0.ln1.bias", "v.blk.0.ln7.bias", "is a tensor that is not known here"},
        {NULL, NULL, "of 2 files beside it that see mmproj-a.gguf is taken"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_pretrained_model *model;
        sac_inference *read;
        sac_bytes bytes;
        OK(sac_bytes_read(DATA "idefics3/model.gguf", &bytes, &failure));
        scratch_write(s, "model.gguf", (const char *)bytes.data, bytes.size);
        sac_bytes_free(&bytes);
        OK(sac_bytes_read(DATA "idefics3/mmproj-model.gguf", &bytes, &failure));
        if (!cases[i].was)
            scratch_write(s, "mmproj-b.gguf", (const char *)bytes.data, bytes.size);
        else
            for (size_t at = 0; at + strlen(cases[i].was) < bytes.size; at++)
                if (memcmp(bytes.data + at, cases[i].was, strlen(cases[i].was)) == 0)
                    memcpy((uint8_t *)bytes.data + at, cases[i].is, strlen(cases[i].is));
        scratch_write(s, "mmproj-a.gguf", (const char *)bytes.data, bytes.size);
        sac_bytes_free(&bytes);
        OK(sac_pretrained_model_open_stored(scratch_path(s, "model.gguf"), NULL, SAC_STORAGE_F32,
                                            &model, &failure));
        assert_non_null(strstr(model->note, cases[i].note));
        OK(sac_inference_read(model, "the bank", &read, &failure));
        assert_true(read->count > 1);
        sac_inference_free(read);
        sac_pretrained_model_close(model);
    }
}

static void check_tokens(const char *name, const char *text)
{
    sac_pretrained_model *models[2];
    sac_inference *read[2];
    char names[2][512];
    snprintf(names[0], sizeof names[0], REFERENCES "/%s", name);
    snprintf(names[1], sizeof names[1], DATA "%s.gguf", name);
    for (int i = 0; i < 2; i++) {
        OK(sac_pretrained_model_open_stored(names[i], NULL, SAC_STORAGE_F32, &models[i], &failure));
        OK(sac_inference_read(models[i], text, &read[i], &failure));
    }
    assert_int_equal(read[0]->count, read[1]->count);
    assert_memory_equal(read[0]->ids, read[1]->ids, read[0]->count * sizeof(int));
    for (int i = 0; i < 2; i++) {
        sac_inference_free(read[i]);
        sac_pretrained_model_close(models[i]);
    }
}

/* By the tokens and merges in its keys, or by words and their pieces, which have other marks there. */
TEST(a_text_has_the_same_tokens_as_in_the_folder)
{
    check_tokens("gpt2", "the cat and the hat, then a dog");
    check_tokens("bert", "The  bank of m\xc3\xb3ney rivers, a bankyones xyz [MASK] of the");
    check_tokens("nomic_bert", "of RIVERS");
}

static sac_gguf *open_file(const char *path)
{
    sac_bytes bytes;
    sac_gguf *gguf;
    OK(sac_bytes_map(path, &bytes, &failure));
    OK(sac_gguf_open(&bytes, &gguf, &failure));
    return gguf;
}

TEST(numbers_of_every_form_are_those_of_gguf_to_the_last_bit)
{
    sac_arrays *expected;
    sac_gguf *g = open_file(DATA "forms.gguf");
    OK(sac_arrays_open(DATA "forms.safetensors", &expected, &failure));
    assert_int_equal(g->count, sac_arrays_size(expected));
    assert_true(g->count >= 15);
    for (size_t i = 0; i < g->count; i++) {
        sac_array numbers;
        const sac_array *right = sac_arrays_find(expected, g->tensors[i].name);
        size_t count = sac_array_count(right);
        float *made = calloc(count, sizeof *made);
        OK(sac_gguf_numbers(&g->tensors[i], &numbers, &failure));
        assert_string_equal(g->tensors[i].form.name, g->tensors[i].name);
        assert_int_equal(sac_array_count(&numbers), count);
        OK(sac_array_to_f32(&numbers, made, &failure));
        for (size_t k = 0; k < count; k++)
            if (made[k] != ((const float *)right->data)[k])
                fail_msg("%s: number %zu is %g, not %g", g->tensors[i].name, k, (double)made[k],
                         (double)((const float *)right->data)[k]);
        sac_array_free(&numbers);
        free(made);
    }
    sac_arrays_close(expected);
    sac_gguf_close(g);
}

TEST(a_form_that_is_not_read_is_refused_by_its_name)
{
    static const struct {
        unsigned kind;
        const char *name;
    } refused[] = {{16, "IQ2_XXS"}, {18, "IQ3_XXS"}, {29, "IQ1_M"}, {35, "TQ2_0"}, {77, "type 77"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const sac_gguf_tensor t = {.name = (char *)"w",
                                   .form = sac_gguf_form_of(refused[i].kind),
                                   .kind = refused[i].kind};
        sac_array numbers;
        sac_error error = {0};
        assert_int_equal(sac_gguf_numbers(&t, &numbers, &error), SAC_E_FORMAT);
        assert_non_null(strstr(error.what, refused[i].name));
    }
}

/* A file with `put` in place of the bytes that begin with `text`, opened as a model. */
static void refuse(scratch *s, const char *text, const char *put, size_t size, const char *what)
{
    sac_bytes bytes;
    sac_pretrained_model *model;
    OK(sac_bytes_read(DATA "llama.gguf", &bytes, &failure));
    uint8_t *at = memmem(bytes.data, bytes.size, text, strlen(text));
    assert_non_null(at);
    memcpy(at, put, size);
    scratch_write(s, "changed.gguf", (const char *)bytes.data, bytes.size);
    sac_bytes_free(&bytes);
    sac_error error = {0};
    assert_int_not_equal(sac_pretrained_model_open_stored(scratch_path(s, "changed.gguf"), NULL,
                                                          SAC_STORAGE_F32, &model, &error),
                         SAC_OK);
    if (!strstr(error.what, what))
        fail_msg("\"%s\" does not contain \"%s\"", error.what, what);
}

IN_SCRATCH(what_would_change_the_result_is_refused_by_its_name)
{
    refuse(s, "GGUF", "GGUF\1", 5, "version 1");
    refuse(s, "llama.block_count", "llama.moody_count", 17, "not known here");
    refuse(s, "attn_output.weight", "attn_oxtput.weight", 18, "not known here");
    refuse(s, "gpt-2", "gpt-9", 5, "gpt-9");
    refuse(s, "general.architecture", "general.architexture", 20, "no architecture");
}

TEST(a_file_that_ends_early_is_refused_wherever_it_ends)
{
    sac_bytes whole;
    OK(sac_bytes_read(DATA "forms.gguf", &whole, &failure));
    for (size_t size = 5; size < whole.size; size += size < 900 ? 1 : 997) {
        sac_bytes part = {.data = malloc(size), .size = size};
        sac_gguf *gguf;
        sac_error error = {0};
        memcpy(part.data, whole.data, size);
        assert_int_equal(sac_gguf_open(&part, &gguf, &error), SAC_E_FORMAT);
        assert_int_equal(error.status, SAC_E_FORMAT);
    }
    sac_bytes_free(&whole);
}

TEST_MAIN(open_device, close_device)
