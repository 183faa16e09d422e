/* Captioners against `generate` of `transformers`: tiny models with random
 * weights (tests/reference), which generate the same tokens, greedily and with beams. */

#include <cjson/cJSON.h>

#include "architectures/captioning/text_decoder.h"
#include "generator.h"
#include "saccade_arrays.h"

/* At the picture of the reference, times `contrast`. */
static void look(const generator *s, float contrast)
{
    const sac_array *array = sac_arrays_find(s->expected, "pixel_values");
    assert_non_null(array);
    size_t count = sac_array_count(array);
    float *pixels = malloc(count * sizeof *pixels);
    for (size_t i = 0; i < count; i++)
        pixels[i] = contrast * ((const float *)array->data)[i];
    OK(sac_pretrained_captioner_encode_pixels(s->captioner, pixels, (int)array->shape[3],
                                              (int)array->shape[2], &failure));
    free(pixels);
}

/* The model, which has seen the picture of the reference. */
static void open_generator(generator *s, const char *architecture)
{
    load_generator(s, architecture);
    look(s, 1);
}

static void generate(const generator *s, const sac_result_request *request, sac_result *caption)
{
    OK(sac_pretrained_captioner_generate(s->captioner, request, caption, &failure));
}

/* ---------------------------------------------------------------- one sentence */

static void check_greedy(const char *architecture)
{
    generator s;
    sac_result caption;
    open_generator(&s, architecture);
    s.captioner->search.length = 11;
    generate(&s, &(sac_result_request){.beam = 1}, &caption);
    check_generation(&s, "greedy", &caption);
    check_probabilities(&s, &caption);
    check_looks(&s, caption.count);
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(blip_generates_and_attends_as_that_of_transformers)
{
    check_greedy("blip");
}

TEST(vit_gpt2_generates_and_attends_as_that_of_transformers)
{
    check_greedy("vit_gpt2");
}

TEST(trocr_generates_and_attends_as_that_of_transformers)
{
    check_greedy("trocr");
    check_greedy("trocr_sinusoids");
}

/* What a sentence looked at is kept in the layout of the kernels; of the next picture that is
 * another. */
TEST(the_next_picture_is_seen_anew)
{
    generator s;
    sac_result caption;
    open_generator(&s, "blip");
    look(&s, 0);
    generate(&s, &(sac_result_request){.beam = 3}, &caption);
    sac_result_free(&caption);
    look(&s, 1);
    s.captioner->search.length = 11;
    generate(&s, &(sac_result_request){.beam = 1}, &caption);
    check_generation(&s, "greedy", &caption);
    check_probabilities(&s, &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

/* ---------------------------------------------------------------- beams */

static void check_searches(const char *architecture)
{
    static const struct {
        const char *name;
        int beam, length;
        float penalty;
        sac_beam_patience patience;
        int shortest, no_repeat;
        double repetition;
    } searches[] = {{"beam", 3, 11, 1, SAC_BEAM_WHILE_BETTER},
                    {"long", 3, 11, 3, SAC_BEAM_WHILE_BETTER},
                    {"short", 4, 11, -1, SAC_BEAM_UNTIL_FULL},
                    {"never", 2, 8, 1, SAC_BEAM_TO_THE_END},
                    {"varied", 3, 11, 1, SAC_BEAM_WHILE_BETTER, .shortest = 8, .no_repeat = 2},
                    {"careful", 1, 11, 1, SAC_BEAM_WHILE_BETTER, .shortest = 6, .repetition = 1.5},
                    {"rare", 4, 11, 1, SAC_BEAM_WHILE_BETTER, .no_repeat = 3, .repetition = 1.3}};
    generator s;
    open_generator(&s, architecture);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        sac_beam_options *o = &s.captioner->search;
        sac_result caption;
        o->length = searches[i].length;
        o->length_penalty = 7; /* the request's takes its place */
        o->patience = searches[i].patience;
        o->shortest = searches[i].shortest;
        o->no_repeat = searches[i].no_repeat;
        o->repetition = searches[i].repetition;
        generate(
            &s,
            &(sac_result_request){.beam = searches[i].beam, .penalty = {true, searches[i].penalty}},
            &caption);
        check_generation(&s, searches[i].name, &caption);
        sac_result_free(&caption);
    }
    close_generator(&s);
}

TEST(beams_of_blip_generate_what_generate_does)
{
    check_searches("blip");
}

TEST(git_generates_and_attends_as_that_of_transformers)
{
    check_greedy("git");
    check_searches("git");
}

TEST(beams_of_trocr_generate_what_generate_does)
{
    check_searches("trocr");
    check_searches("trocr_sinusoids");
}

/* ---------------------------------------------------------------- tasks */

TEST(donut_generates_and_attends_as_that_of_transformers)
{
    check_greedy("donut");
    check_searches("donut");
}

/* The tokens of the task come before the generated ones. */
TEST(donut_begins_with_its_task)
{
    static const char *const names[] = {"asked.greedy", "asked.beam"};
    generator s;
    open_generator(&s, "donut");
    assert_string_equal(s.captioner->question, "<s_cord>");
    REFUSES(SAC_E_ARGUMENT, "…has no words…",
            sac_pretrained_captioner_ask(s.captioner, "", &failure));
    OK(sac_pretrained_captioner_ask(s.captioner, "<s_cord><s_menu>", &failure));
    for (int i = 0; i < 2; i++) {
        sac_result caption;
        generate(&s, &(sac_result_request){.beam = i ? 3 : 1}, &caption);
        check_generation(&s, names[i], &caption);
        sac_result_free(&caption);
    }
    close_generator(&s);
}

/* A page is turned, made smaller and put in the middle, as transformers does it, to a level of a byte. */
TEST(a_picture_is_put_on_donuts_page)
{
    generator s;
    sac_image picture, page;
    load_generator(&s, "donut");
    const sac_picture_rules *rules = &s.model->vision_encoder.rules;
    const float *pixels = sac_arrays_find(s.expected, "pixel_values")->data;
    OK(sac_image_load(REFERENCES "/donut/picture.png", &picture, &failure));
    OK(sac_picture_rules_apply(rules, &picture, &page, &failure));
    assert_int_equal(page.width, 16);
    assert_int_equal(page.height, 24);
    for (int i = 0; i < 3 * 16 * 24; i++) {
        float light = sac_picture_rules_light(rules, i / 384, page.rgba[4 * (i % 384) + i / 384]);
        assert_true(fabsf(light - pixels[i]) < 2.1f / 255);
    }
    sac_image_free(&picture);
    sac_image_free(&page);
    close_generator(&s);
}

TEST(florence2_generates_and_attends_as_that_of_transformers)
{
    check_greedy("florence2");
    check_searches("florence2");
}

/* What six queries gathered and the text go through T5's encoder. */
TEST(blip2_with_t5_generates_and_attends_as_that_of_transformers)
{
    generator s;
    sac_result caption;
    check_greedy("blip2_t5");
    check_searches("blip2_t5");
    open_generator(&s, "blip2_t5");
    OK(sac_pretrained_captioner_ask(s.captioner, "the bank of a", &failure));
    s.captioner->search.length = 11;
    generate(&s, &(sac_result_request){.beam = 1}, &caption);
    check_generation(&s, "asked.greedy", &caption);
    assert_int_equal(caption.regions.count, 0);
    sac_result_free(&caption);
    close_generator(&s);
}

/* A query is hidden where most of what it looked at is: with all cells hidden all of them are. */
TEST(queries_that_looked_at_hidden_cells_are_hidden)
{
    generator s;
    sac_result caption;
    float row[64];
    uint8_t hidden[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    open_generator(&s, "blip2_t5");
    generate(&s, &(sac_result_request){.beam = 1, .hidden = hidden}, &caption);
    assert_true(s.captioner->seen <= 64 && caption.count);
    OK(sac_pretrained_captioner_weights(s.captioner, 0, 0, 0, row, &failure));
    for (int i = 0; i < 6; i++)
        assert_true(row[i] == 0);
    assert_true(row[6] > 0);
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(florence2_under_microsofts_names_is_the_same)
{
    check_greedy("florence2_microsoft");
}

/* Another task is read with what was seen; words that are no task are read as they are. */
TEST(florence2_does_what_it_is_asked)
{
    generator s;
    sac_result caption;
    open_generator(&s, "florence2");
    size_t seen = s.captioner->seen;
    assert_string_equal(s.captioner->question, "<CAPTION>");
    REFUSES(SAC_E_ARGUMENT, "…<OD> stands alone…",
            sac_pretrained_captioner_ask(s.captioner, "<OD> a dog", &failure));
    REFUSES(SAC_E_ARGUMENT, "…is of some words…",
            sac_pretrained_captioner_ask(s.captioner, "<OPEN_VOCABULARY_DETECTION>", &failure));
    OK(sac_pretrained_captioner_ask(s.captioner, "<OPEN_VOCABULARY_DETECTION> the bank", &failure));
    assert_int_not_equal(s.captioner->seen, seen);
    for (int i = 0; i < 2; i++) {
        generate(&s, &(sac_result_request){.beam = 1}, &caption);
        check_generation(&s, "asked.greedy", &caption);
        sac_result_free(&caption);
        OK(sac_pretrained_captioner_ask(s.captioner, "Locate the bank in the image.", &failure));
    }
    OK(sac_pretrained_captioner_ask(s.captioner, "<CAPTION>", &failure));
    generate(&s, &(sac_result_request){.beam = 1}, &caption);
    check_generation(&s, "greedy", &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

/* Each head of each layer of the decoder that attends to what was encoded; what it attends to is named. */
TEST(decoders_of_donut_and_florence2_have_their_heads_looked_at)
{
    static const char *const families[] = {"donut", "florence2"};
    for (int i = 0; i < 2; i++) {
        generator s;
        sac_result caption;
        sac_attentions all;
        int ids[SAC_MAX_TOKENS];
        open_generator(&s, families[i]);
        generate(&s, &(sac_result_request){.beam = 1}, &caption);
        for (int t = 0; t < caption.count; t++)
            ids[t] = caption.outputs[t].word;
        OK(sac_pretrained_captioner_attentions(s.captioner, ids, (size_t)caption.count, &all,
                                               &failure));
        const sac_attention_kind *cross = &all.kind[SAC_CROSS_ATTENTION];
        check_kind(&s, cross, "cross_attentions");
        assert_null(all.kind[SAC_ENCODER_ATTENTION].weights);
        assert_int_equal(cross->position_labels.count, cross->positions);
        assert_string_equal(cross->position_labels.text[i], "0,0");
        if (i == 1) {
            assert_string_equal(cross->position_labels.text[0], "whole picture");
            assert_string_equal(cross->position_labels.text[17], "<s>");
        }
        sac_attentions_free(&all);
        sac_result_free(&caption);
        close_generator(&s);
    }
}

/* The words that are given first are "dog" and its box; the rest is the model's. */
TEST(florence2_names_regions_of_the_picture)
{
    static const char *const given[] = {"d",       "o",       "g",       "<loc_0>",
                                        "<loc_1>", "<loc_1>", "<loc_0>", "d"};
    generator s;
    sac_image picture;
    sac_result caption;
    load_generator(&s, "florence2");
    OK(sac_image_load(PICTURES "/harbour.png", &picture, &failure));
    OK(sac_pretrained_captioner_encode_picture(s.captioner, &picture, NULL, &failure));
    OK(sac_pretrained_captioner_ask(s.captioner, "<OD>", &failure));
    sac_result_request request = {.beam = 1};
    for (; request.prefix_count < 8; request.prefix_count++)
        request.prefix[request.prefix_count] =
            sac_tokenizer_find(s.model->decoder->tokenizer, given[request.prefix_count]);
    generate(&s, &request, &caption);
    const sac_regions *r = &caption.regions;
    assert_int_equal(r->form, SAC_REGIONS_LABELLED);
    assert_true(r->count >= 1 && r->region[0].is_box && !r->region[0].asked);
    assert_string_equal(sac_region_label(r, &r->region[0]), "dog");
    for (int i = 0; i < caption.count; i++)
        assert_int_equal(sac_region_is_of(&r->region[0], i), i < 7);
    assert_string_equal(caption.outputs[2].text, "g");
    assert_string_equal(caption.outputs[7].text, "d");
    assert_int_equal(sac_region_pixel(r, &r->region[0], 1, 0),
                     (int)(1.5f * (float)picture.width / 1000));
    assert_int_equal(sac_region_pixel(r, &r->region[0], 0, 1),
                     (int)(1.5f * (float)picture.height / 1000));
    sac_result_free(&caption);
    OK(sac_pretrained_captioner_ask(s.captioner, "<REGION_TO_OCR> <loc_0><loc_0><loc_1><loc_1>",
                                    &failure));
    generate(&s, &request, &caption);
    assert_int_equal(r->form, SAC_REGIONS_NONE); /* such an answer is text */
    assert_int_equal(r->count, 1);
    assert_true(r->region[0].asked);
    sac_result_free(&caption);
    sac_image_free(&picture);
    close_generator(&s);
}

TEST(beams_of_vit_gpt2_generate_what_generate_does)
{
    check_searches("vit_gpt2");
}

TEST(the_width_of_a_beam_is_the_request_s_or_else_the_folder_s)
{
    generator s;
    sac_result caption;
    open_generator(&s, "vit_gpt2");
    assert_int_equal(s.model->decoder->text_decoder.search.width, 3);
    generate(&s, &(sac_result_request){0}, &caption);
    check_generation(&s, "beam", &caption);
    sac_result_free(&caption);
    generate(&s, &(sac_result_request){.beam = 1}, &caption);
    check_generation(&s, "greedy", &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(a_search_is_read_from_its_config)
{
    static sac_pretrained_model decoder = {
        .vocabulary = 10, .max_positions = 100, .text_decoder.longest = 50};
    cJSON *json = cJSON_Parse("{\"bos_token_id\": 1, \"eos_token_id\": 2, \"num_beams\": 5, "
                              "\"min_length\": 4, \"max_length\": 9, \"no_repeat_ngram_size\": 3, "
                              "\"repetition_penalty\": 1.25, \"length_penalty\": 0.5, "
                              "\"early_stopping\": true}");
    sac_config config = sac_config_of(json, "config.json", &failure);
    sac_architecture_read_search(&decoder, &config, "bos_token_id", "eos_token_id");
    OK(sac_config_status(&config));
    const sac_beam_options *o = &decoder.text_decoder.search;
    assert_true(o->start == 1 && o->end == 2 && o->width == 5 && o->shortest == 4);
    assert_true(o->length == 8 && o->no_repeat == 3 && o->patience == SAC_BEAM_UNTIL_FULL);
    assert_true(o->repetition == 1.25 && o->length_penalty == 0.5);
    cJSON_ReplaceItemInObject(json, "early_stopping", cJSON_CreateString("soon"));
    sac_architecture_read_search(&decoder, &config, "bos_token_id", "eos_token_id");
    assert_int_equal(sac_config_status(&config), SAC_E_FORMAT);
    assert_non_null(strstr(failure.what, "\"soon\" is not supported"));
    cJSON_Delete(json);
}

/* ---------------------------------------------------------------- interventions */

/* Their shares of the cells' weights go to the others, and the generation changes with them. */
TEST(hidden_cells_are_not_looked_at)
{
    generator s;
    sac_result plain, hidden;
    uint8_t cells[25] = {0};
    open_generator(&s, "blip");
    generate(&s, &(sac_result_request){0}, &plain);
    assert_int_equal(plain.grid_w * plain.grid_h, 25);
    for (int i = 0; i < 25; i++)
        cells[i] = plain.weights[i] > 0.03f;
    generate(&s, &(sac_result_request){.hidden = cells}, &hidden);
    for (int t = 0; t < hidden.count; t++) {
        double sum = 0;
        for (int i = 0; i < 25; i++) {
            sum += hidden.weights[25 * t + i];
            assert_true(!cells[i] || hidden.weights[25 * t + i] == 0);
        }
        assert_true(fabs(sum - 1) < 1e-5);
    }
    assert_true(hidden.outputs[0].probability != plain.outputs[0].probability);
    sac_result_free(&plain);
    sac_result_free(&hidden);
    close_generator(&s);
}

/* A sentence that begins with given words goes on as it would after them. */
TEST(given_words_are_generated_and_what_follows_belongs_to_them)
{
    generator s;
    sac_result plain, given;
    open_generator(&s, "vit_gpt2");
    generate(&s, &(sac_result_request){.beam = 1}, &plain);
    sac_result_request request = {.beam = 1, .prefix_count = 3};
    for (int i = 0; i < 3; i++)
        request.prefix[i] = plain.outputs[i].word;
    generate(&s, &request, &given);
    assert_int_equal(given.count, plain.count);
    for (int i = 0; i < plain.count; i++)
        assert_int_equal(given.outputs[i].word, plain.outputs[i].word);
    sac_result_free(&given);
    request.prefix[1] = (plain.outputs[1].word + 1) % 30;
    generate(&s, &request, &given);
    assert_int_equal(given.outputs[1].word, request.prefix[1]);
    sac_result_free(&given);
    sac_result_free(&plain);
    close_generator(&s);
}

/* The mean of all is that of each, and another layer's is another one. */
TEST(the_weights_of_one_head_are_asked_for_by_their_numbers)
{
    generator s;
    sac_result mean, one;
    open_generator(&s, "blip");
    generate(&s, &(sac_result_request){0}, &mean);
    generate(&s, &(sac_result_request){.layer = 2, .head = 3}, &one);
    assert_int_equal(one.count, mean.count);
    size_t S = s.captioner->seen;
    float *weights = calloc(S, sizeof *weights), sum = 0;
    OK(sac_pretrained_captioner_weights(s.captioner, 0, 1, 2, weights, &failure));
    for (size_t i = 1; i < S; i++)
        sum += weights[i];
    assert_true(fabsf(one.outputs[0].gate - sum) < 1e-5f);
    for (size_t i = 1; i < S; i++)
        assert_true(fabsf(one.weights[i - 1] - weights[i] / sum) < 1e-5f);
    sac_result_request absent = {.layer = 3};
    sac_result_free(&mean);
    REFUSES(SAC_E_ARGUMENT, "…2 is out of range; layer goes from 0 to 1…",
            sac_pretrained_captioner_generate(s.captioner, &absent, &mean, &failure));
    free(weights);
    sac_result_free(&one);
    close_generator(&s);
}

/* ---------------------------------------------------------------- answers */

static void see_picture(const generator *s)
{
    char path[512];
    sac_image picture;
    snprintf(path, sizeof path, "%s/%s/picture.png", REFERENCES, s->name);
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_pretrained_captioner_encode_picture(s->captioner, &picture, NULL, &failure));
    sac_image_free(&picture);
}

static void take_sound(const generator *s)
{
    char path[512];
    sac_sound sound;
    sac_image shown;
    snprintf(path, sizeof path, "%s/%s/sound.wav", REFERENCES, s->name);
    OK(sac_sound_load(path, SAC_MEL_RATE, SIZE_MAX, &sound, &failure));
    OK(sac_pretrained_captioner_read_audio(s->captioner, &sound, &shown, &failure));
    assert_int_equal(shown.width % s->captioner->grid_w, 0);
    sac_image_free(&shown);
    sac_sound_free(&sound);
}

/* The model with the picture of its folder, which its own rules cut into tiles, or the sound. */
static void open_answering(generator *s, const char *architecture, const char *question)
{
    load_generator(s, architecture);
    if (sac_architecture_has_audio(s->model))
        take_sound(s);
    else
        see_picture(s);
    OK(sac_pretrained_captioner_ask(s->captioner, question, &failure));
}

static void check_answer(const char *architecture, int grid_w, int grid_h)
{
    generator s;
    sac_result caption;
    open_answering(&s, architecture, "the bank of a");
    assert_int_equal(s.captioner->grid_w, grid_w);
    assert_int_equal(s.captioner->grid_h, grid_h);
    s.captioner->search.length = 6;
    generate(&s, &(sac_result_request){0}, &caption);
    check_generation(&s, "greedy", &caption);
    check_probabilities(&s, &caption);
    check_looks(&s, caption.count);
    sac_result_free(&caption);
    close_generator(&s);
}

/* Quarters of 25 or 26 × 20 pixels, of 6 × 5 patches, and all of it; 34 × 18 pixels. */
TEST(idefics2_answers_and_looks_as_that_of_transformers)
{
    check_answer("idefics2", 12, 10);
    check_answer("idefics2_whole", 8, 4);
}

TEST(idefics3_answers_and_looks_as_that_of_transformers)
{
    check_answer("idefics3", 4, 2);
}

TEST(smolvlm_answers_and_looks_as_that_of_transformers)
{
    check_answer("smolvlm", 2, 4);
}

TEST(llava_answers_and_looks_as_that_of_transformers)
{
    check_answer("llava", 4, 4);
}

/* Of three tiles and all of it; of one. */
TEST(internvl_answers_and_looks_as_that_of_transformers)
{
    check_answer("internvl", 6, 2);
    check_answer("internvl_large", 2, 2);
}

/* 32 × 17 pixels and what fills them up to whole tokens, each of 2 × 2 patches; 27 × 18 to patches. */
TEST(mistral3_and_pixtral_answer_and_look_as_those_of_transformers)
{
    check_answer("mistral3", 4, 3);
    check_answer("pixtral", 7, 5);
}

/* Of six tiles that overlap and all of the picture; of one tile. The token that begins and the picture see each other. A caption has a
 * prompt of its own. Against our own writing of it in PyTorch. */
TEST(moondream_answers_captions_and_looks_as_that_of_pytorch)
{
    static const char *const families[] = {"moondream", "moondream_late"};
    for (int i = 0; i < 2; i++) {
        generator s;
        sac_result caption;
        check_answer(families[i], 4, 4);
        open_answering(&s, families[i], "<CAPTION>");
        s.captioner->search.length = 6;
        generate(&s, &(sac_result_request){0}, &caption);
        check_generation(&s, "asked.greedy", &caption);
        sac_result_free(&caption);
        close_generator(&s);
    }
}

TEST(moondream_cuts_pictures_as_its_code_does)
{
    static const struct {
        int width, height, across, down;
    } rows[] = {{16, 16, 1, 1}, {17, 17, 2, 2},   {40, 15, 1, 1},  {31, 22, 3, 2},
                {25, 25, 2, 2}, {24, 26, 2, 3},   {100, 30, 4, 1}, {30, 100, 1, 4},
                {64, 64, 2, 2}, {200, 190, 2, 2}, {33, 9, 1, 1}};
    generator s;
    load_generator(&s, "moondream");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_image picture;
        sac_picture_tiles tiles;
        const int count = rows[i].across * rows[i].down, is_one = count == 1;
        OK(sac_image_create(rows[i].width, rows[i].height, &picture, &failure));
        OK(sac_picture_rules_cut(&s.model->vision_encoder.rules, &picture, &tiles, &failure));
        assert_int_equal(tiles.across, is_one ? 0 : rows[i].across);
        assert_int_equal(tiles.down, is_one ? 0 : rows[i].down);
        assert_int_equal(tiles.count, is_one ? 1 : count + 1);
        for (int k = 0; k < tiles.count; k++)
            assert_true(tiles.image[k].width == 16 && tiles.image[k].height == 16);
        sac_picture_tiles_free(&tiles);
        sac_image_free(&picture);
    }
    close_generator(&s);
}

/* One of the three captions by its name; what is no name is a question. */
TEST(moondream_is_asked_for_captions_by_their_names)
{
    generator s;
    load_generator(&s, "moondream_late");
    assert_string_equal(s.captioner->question, "<CAPTION>");
    close_generator(&s);
    open_answering(&s, "moondream", "<SHORT_CAPTION>");
    REFUSES(SAC_E_ARGUMENT, "question: config.json of moondream has no prompt for <LONG_CAPTION>…",
            sac_pretrained_captioner_ask(s.captioner, "<LONG_CAPTION>", &failure));
    assert_string_equal(s.captioner->question, "<SHORT_CAPTION>");
    close_generator(&s);
}

TEST(paligemma_answers_and_looks_as_that_of_transformers)
{
    check_answer("paligemma", 4, 4);
    check_answer("paligemma2", 4, 4); /* whose windows do not cut the prompt */
}

/* A token is the mean of four patches, and looks at all of the picture, in layers with a window too. */
TEST(gemma4_answers_and_looks_as_that_of_transformers)
{
    check_answer("gemma4_seeing", 10, 7);
    check_answer("gemma4_seeing_large", 6, 10);
}

TEST(gemma3_answers_and_looks_as_that_of_transformers)
{
    check_answer("gemma3_seeing", 4, 4);
}

/* Words look at what six queries gathered. */
TEST(blip2_answers_and_looks_as_that_of_transformers)
{
    check_answer("blip2", 4, 4);
}

/* Of a wide picture four tiles, without what fills them up. */
TEST(llava_next_answers_and_looks_as_that_of_transformers)
{
    check_answer("llava_next", 8, 4);
}

TEST(llava_onevision_answers_and_looks_as_that_of_transformers)
{
    check_answer("llava_onevision", 12, 4);
}

/* Cells, ends of rows and text have all of a row. */
TEST(the_share_of_row_ends_is_reported)
{
    generator s;
    sac_result caption;
    open_answering(&s, "llava_onevision", "the bank of a");
    s.model->decoder->text_decoder.search.length = 6;
    generate(&s, &(sac_result_request){.beam = 1}, &caption);
    assert_true(caption.has_row_ends);
    float *row = malloc(s.captioner->seen * sizeof *row);
    const sac_image_tokens *p = s.captioner->picture;
    const int *ids = s.captioner->ids;
    const int layers = s.model->decoder->layers, heads = s.model->decoder->run.heads;
    double cells = 0, ends = 0;
    for (int l = 0; l < layers; l++)
        for (int h = 0; h < heads; h++) {
            OK(sac_pretrained_captioner_weights(s.captioner, 0, l, h, row, &failure));
            for (size_t i = 0, seen = 0; i < s.captioner->seen; i++) {
                if (ids[i] != s.model->decoder->text_decoder.connector.token)
                    continue;
                *(p->box[seen++].width > 0 ? &cells : &ends) += (double)row[i] / (layers * heads);
            }
        }
    assert_true(ends > 0 && fabs(ends - (double)caption.outputs[0].row_ends) < 1e-5);
    assert_true(fabs(cells - (double)caption.outputs[0].gate) < 1e-5);
    free(row);
    sac_result_free(&caption);
    close_generator(&s);
}

TEST(joined_tiles_are_made_smaller_as_transformers_does)
{
    check_answer("llava_onevision_smaller", 3, 4);
}

TEST(qwen2_vl_answers_and_looks_as_that_of_transformers)
{
    check_answer("qwen2_vl", 8, 4);
}

/* What leaves two layers of what sees is added behind the first two that read. */
TEST(qwen3_vl_answers_and_looks_as_that_of_transformers)
{
    check_answer("qwen3_vl", 7, 5);
    check_answer("qwen3_vl_moe", 5, 6);
}

/* What reads keeps a state in most layers, which holds no gaze, and has no relevance. */
TEST(qwen3_5_answers_and_looks_as_that_of_transformers)
{
    generator s;
    check_answer("qwen3_5", 7, 5);
    open_answering(&s, "qwen3_5", "the bank of a");
    assert_int_equal(
        sac_pretrained_captioner_attribution_bits(s.captioner) >> SAC_ATTRIBUTION_RELEVANCE & 1, 0);
    close_generator(&s);
}

TEST(qwen2_5_vl_answers_and_looks_as_that_of_transformers)
{
    check_answer("qwen2_5_vl", 7, 5);
}

/* 15 cells of a sound, of which 14 are tokens in pairs. */
TEST(qwen2_audio_answers_and_looks_as_that_of_transformers)
{
    check_answer("qwen2_audio", 7, 1);
}

TEST(a_sound_in_a_prompt_has_the_seconds_of_its_tokens)
{
    generator s;
    sac_result caption;
    sac_generation step;
    const uint8_t last[7] = {[6] = 1};
    open_answering(&s, "qwen2_audio", "the bank of a");
    generate(&s, &(sac_result_request){.beam = 1, .hidden = last}, &caption);
    assert_float_equal(caption.seconds, 0.28, 1e-6);
    for (int t = 0; t < caption.count; t++)
        assert_true(caption.weights[7 * t + 6] == 0 && caption.weights[7 * t] > 0);
    sac_result_free(&caption);
    OK(sac_pretrained_captioner_step(s.captioner, &(sac_sampling){.count = 2}, &step, &failure));
    assert_true(step.is_audio);
    assert_float_equal(step.seconds, 0.28, 1e-6);
    assert_int_equal(step.pictured, 7);
    sac_generation_free(&step);
    sac_sound sound = {.samples = calloc(320, sizeof(float)), .count = 320, .rate = SAC_MEL_RATE};
    REFUSES(SAC_E_ARGUMENT, "sound: has 1 cells…makes a token of 2; give a longer one",
            sac_pretrained_captioner_read_audio(s.captioner, &sound, NULL, &failure));
    sac_sound_free(&sound);
    close_generator(&s);
}

/* Of 14 × 10 patches those of a square of 4 × 4, but for the second layer, which sees all. */
TEST(patches_of_qwen2_5_vl_see_their_square)
{
    generator s;
    char path[512];
    sac_image picture;
    sac_inference *p;
    load_generator(&s, "qwen2_5_vl");
    snprintf(path, sizeof path, "%s/qwen2_5_vl/picture.png", REFERENCES);
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_inference_see(s.model, &picture, SAC_FIT_WHOLE, &p, &failure));
    assert_int_equal(p->grid_w, 14);
    assert_int_equal(p->grid_h, 10);
    for (int layer = 0; layer < 3; layer++) {
        sac_attention *attention;
        float row[140];
        double sum = 0;
        OK(sac_inference_create_attention(p, layer, SAC_PART_SELF, &attention, &failure));
        sac_tile tile = {.head = 1, .row = 9 * 14 + 6, .rows = 1, .cols = 140};
        OK(sac_attention_tile(attention, &tile, row, &failure));
        for (int i = 0; i < 140; i++) {
            bool is_near = i / 14 >= 8 && i % 14 >= 4 && i % 14 < 8;
            assert_true((row[i] > 0) == (is_near || layer == 1));
            sum += row[i];
        }
        assert_true(fabs(sum - 1) < 1e-5);
        sac_attention_destroy(attention);
    }
    sac_inference_free(p);
    sac_image_free(&picture);
    close_generator(&s);
}

/* The picture is not seen anew for another question, and neither is what was asked before. */
TEST(another_question_is_asked_of_the_same_picture)
{
    generator s;
    sac_result caption;
    open_answering(&s, "idefics3", "another");
    const struct sac_image_tokens *seen = s.captioner->picture;
    generate(&s, &(sac_result_request){0}, &caption);
    sac_result_free(&caption);
    sac_pretrained_captioner_destroy(s.captioner);
    OK(sac_pretrained_captioner_create(s.model, &s.captioner, &failure));
    char path[512];
    sac_image picture;
    snprintf(path, sizeof path, "%s/idefics3/picture.png", REFERENCES);
    OK(sac_image_load(path, &picture, &failure));
    OK(sac_pretrained_captioner_ask(s.captioner, "the bank of a", &failure));
    OK(sac_pretrained_captioner_encode_picture(s.captioner, &picture, NULL, &failure));
    sac_image_free(&picture);
    assert_ptr_equal(s.captioner->picture, seen);
    s.captioner->search.length = 6;
    generate(&s, &(sac_result_request){0}, &caption);
    check_generation(&s, "greedy", &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

/* Of four tokens of tiles and one of all of the picture, each lies on the cells that it is of. */
TEST(the_weights_of_tiles_and_of_all_of_the_picture_are_put_together)
{
    generator s;
    sac_result caption;
    open_answering(&s, "idefics3", "the bank of a");
    generate(&s, &(sac_result_request){.layer = 2, .head = 3}, &caption);
    size_t S = s.captioner->seen, seen = 0;
    const int *ids = sac_arrays_find(s.expected, "prompt")->data;
    float *weights = calloc(S, sizeof *weights), on[12] = {0}, sum = 0;
    OK(sac_pretrained_captioner_weights(s.captioner, 1, 1, 2, weights, &failure));
    for (size_t i = 0; i < S; i++)
        if (ids[i] == s.model->decoder->text_decoder.connector.token)
            on[seen++] = weights[i];
    assert_int_equal(seen, 12);
    for (int i = 0; i < 12; i++)
        sum += on[i];
    assert_true(fabsf(caption.outputs[1].gate - sum) < 1e-5f);
    /* The cell in row 1 and column 2: the third of the second tile, and half of the fourth of all. */
    float expected = (on[4 + 2] + on[8 + 3] / 2) / sum;
    assert_true(fabsf(caption.weights[8 + 4 + 2] - expected) < 1e-5f);
    free(weights);
    sac_result_free(&caption);
    close_generator(&s);
}

/* Some head of the tiny model looks at one place, whatever it generates. */
TEST(sinks_are_left_out_of_the_maps)
{
    generator s;
    sac_result all, without;
    int found = 0;
    open_answering(&s, "smolvlm", "what is on the table");
    for (int layer = 1; layer <= 3; layer++)
        for (int head = 1; head <= 4; head++) {
            sac_result_request request = {.layer = layer, .head = head};
            generate(&s, &request, &all);
            request.no_sinks = true;
            generate(&s, &request, &without);
            assert_int_equal(all.sinks, 0);
            for (int t = 0; t < without.count && without.sinks; t++)
                assert_true(without.outputs[t].gate <= all.outputs[t].gate);
            if (!without.sinks)
                assert_memory_equal(all.weights, without.weights,
                                    (size_t)all.count * 8 * sizeof *all.weights);
            found += without.sinks && without.outputs[0].gate < all.outputs[0].gate;
            sac_result_free(&all);
            sac_result_free(&without);
        }
    assert_true(found > 0);
    close_generator(&s);
}

/* A word does not look at what is hidden, in all that its model reads. */
TEST(of_hidden_cells_an_answer_sees_nothing)
{
    generator s;
    sac_result caption;
    uint8_t hidden[8] = {1, 1, 1, 1, 1, 1, 0, 0};
    open_answering(&s, "idefics3", "the bank of a");
    generate(&s, &(sac_result_request){.hidden = hidden}, &caption);
    for (int t = 0; t < caption.count; t++)
        for (int i = 0; i < 6; i++)
            assert_true(i == 3 ||
                        caption.weights[8 * t + i] == 0); /* half of the last one is seen */
    sac_result_free(&caption);
    /* … and all of it again. */
    s.captioner->search.length = 6;
    generate(&s, &(sac_result_request){0}, &caption);
    check_generation(&s, "greedy", &caption);
    sac_result_free(&caption);
    close_generator(&s);
}

/* … nor does it count, to models that see what they read as a whole and to those that do not. */
TEST(hidden_cells_do_not_count_for_a_word)
{
    static const char *const models[] = {"llava", "paligemma", "gemma3_seeing"};
    const uint8_t hidden[16] = {1, 1, 1, 0, 1};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        generator s;
        sac_result caption;
        open_answering(&s, models[m], "the bank of a");
        generate(&s,
                 &(sac_result_request){.hidden = hidden, .attribution = SAC_ATTRIBUTION_RELEVANCE},
                 &caption);
        for (int t = 0; t < caption.count; t++) {
            float shown = 0;
            for (int i = 0; i < 16; i++)
                if (hidden[i])
                    assert_true(caption.weights[16 * t + i] == 0);
                else
                    shown += caption.weights[16 * t + i];
            assert_true(fabsf(shown - 1) < 1e-5f);
            assert_true(caption.outputs[t].on_picture > 0 && caption.outputs[t].on_picture < 1);
        }
        sac_result_free(&caption);
        close_generator(&s);
    }
}

TEST(of_scaled_heads_no_relevance_is_known)
{
    generator s;
    sac_result caption;
    open_answering(&s, "llava", "the bank of a");
    const float half[64] = {0.5f};
    OK(sac_pretrained_captioner_scale(s.captioner, SAC_DECODER_ATTENTION, half, &failure));
    REFUSES(SAC_E_ARGUMENT,
            "relevance: is not known of llava: some heads are scaled; choose another map",
            sac_pretrained_captioner_generate(
                s.captioner, &(sac_result_request){.attribution = SAC_ATTRIBUTION_RELEVANCE},
                &caption, &failure));
    sac_result_free(&caption);
    close_generator(&s);
}

/* ---------------------------------------------------------------- maps */

/* Each map of each word, by its kind, against tests/reference/make_maps.py. */
static void check_maps(const generator *s, const char *architecture, int length, int beam)
{
    sac_arrays *maps;
    OK(sac_arrays_open(REFERENCES "/maps.safetensors", &maps, &failure));
    s->captioner->search.length = length;
    for (int a = 0; a < SAC_ATTRIBUTIONS; a++) {
        sac_result_request request = {.attribution = (sac_attribution)a, .beam = beam};
        sac_result caption;
        char name[64];
        snprintf(name, sizeof name, "%s.%s", architecture, sac_attribution_names[a]);
        const sac_array *expected = sac_arrays_find(maps, name);
        if (!expected)
            continue;
        generate(s, &request, &caption);
        assert_int_equal(caption.attribution, a);
        size_t cells = (size_t)caption.grid_w * (size_t)caption.grid_h;
        assert_true(caption.count > 0 && (size_t)caption.count <= expected->shape[0]);
        assert_int_equal(expected->shape[1] * expected->shape[2], cells);
        for (int t = 0; t < caption.count; t++) { /* relevance to that of the largest cell */
            const float *map = (const float *)expected->data + (size_t)t * cells;
            float most = 0;
            for (size_t i = 0; i < cells; i++)
                most = fmaxf(most, a == SAC_ATTRIBUTION_RELEVANCE ? map[i] : 1);
            compare(caption.weights + (size_t)t * cells, map, cells, 1e-4 * (double)most, name);
        }
        snprintf(name, sizeof name, "%s.on_picture", architecture);
        const sac_array *shares = sac_arrays_find(maps, name);
        for (int t = 0; t < caption.count && caption.has_on_picture; t++)
            compare(&caption.outputs[t].on_picture, (const float *)shares->data + t, 1, 1e-4, name);
        sac_result_free(&caption);
    }
    sac_arrays_close(maps);
}

static void check_maps_of_answers(const char *architecture, const char *question)
{
    generator s;
    open_answering(&s, architecture, question);
    s.model->decoder->max_positions = 128; /* the neutral question has many tokens by letters */
    check_maps(&s, architecture, 6, 1);
    close_generator(&s);
}

static void check_maps_of_captions(const char *architecture)
{
    generator s;
    open_generator(&s, architecture);
    check_maps(&s, architecture, 11, 1);
    close_generator(&s);
}

TEST(the_maps_of_answers_are_those_of_their_papers)
{
    check_maps_of_answers("llava", "the bank of a");
    check_maps_of_answers("idefics3", "the bank of a");
    check_maps_of_answers("idefics2", "the bank of a");
    check_maps_of_answers("idefics2_whole", "the bank of a");
    check_maps_of_answers("paligemma", "the bank of a");
    check_maps_of_answers("gemma3_seeing", "the bank of a");
    check_maps_of_answers("gemma4_seeing", "the bank of a");
    check_maps_of_answers("gemma4_seeing_large", "the bank of a");
    check_maps_of_answers("blip2", "the bank of a");
    check_maps_of_answers("qwen2_vl", "what is on the table");
    check_maps_of_answers("qwen3_vl", "the bank of a");
    check_maps_of_answers("llava_onevision", "the bank of a");
    check_maps_of_answers("llava_onevision_smaller", "the bank of a");
    check_maps_of_answers("llava_next", "the bank of a");
    check_maps_of_answers("moondream", "the bank of a");
    check_maps_of_answers("moondream_late", "the bank of a");
    check_maps_of_answers("qwen2_audio", "the bank of a");
}

TEST(a_caption_s_attention_is_carried_on_through_the_encoder)
{
    check_maps_of_captions("blip");
    check_maps_of_captions("vit_gpt2");
    check_maps_of_captions("blip2_t5");
}

/* Beam search behind a prompt; its rows of attention are those of the greedy sentence. */
static void check_beams_of_answers(const char *architecture, const char *question)
{
    static const struct {
        const char *name;
        int beam;
        double penalty;
        sac_beam_patience patience;
    } searches[] = {{"beam", 3, 1, SAC_BEAM_WHILE_BETTER},
                    {"long", 3, 3, SAC_BEAM_WHILE_BETTER},
                    {"short", 4, -1, SAC_BEAM_UNTIL_FULL},
                    {"never", 2, 1, SAC_BEAM_TO_THE_END}};
    generator s;
    char name[64];
    sac_arrays *expected;
    OK(sac_arrays_open(REFERENCES "/maps.safetensors", &expected, &failure));
    open_answering(&s, architecture, question);
    sac_beam_options *o = &s.captioner->search;
    o->length = 6;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        sac_result caption, given;
        o->length_penalty = searches[i].penalty;
        o->patience = searches[i].patience;
        snprintf(name, sizeof name, "%s.%s", architecture, searches[i].name);
        const sac_array *array = sac_arrays_find(expected, name);
        const int *generated = (const int *)array->data + 1;
        int count = (int)sac_array_count(array) - 1;
        generate(&s, &(sac_result_request){.beam = searches[i].beam}, &caption);
        sac_result_request request = {.beam = 1, .prefix_count = caption.count};
        assert_int_equal(caption.count, count - (generated[count - 1] == o->end));
        for (int t = 0; t < caption.count; t++) {
            assert_int_equal(caption.outputs[t].word, generated[t]);
            request.prefix[t] = generated[t];
        }
        generate(&s, &request, &given);
        size_t cells = (size_t)caption.grid_w * (size_t)caption.grid_h;
        compare(caption.weights, given.weights, (size_t)caption.count * cells, 1e-5, name);
        for (int t = 0; t < caption.count; t++)
            assert_true(fabsf(caption.outputs[t].probability - given.outputs[t].probability) <
                        1e-4f);
        sac_result_free(&caption);
        sac_result_free(&given);
    }
    sac_arrays_close(expected);
    close_generator(&s);
}

TEST(beams_of_answers_generate_what_generate_does)
{
    check_beams_of_answers("idefics3", "the bank of a");
    check_beams_of_answers("idefics2", "the bank of a");
    check_beams_of_answers("idefics2_whole", "the bank of a");
    check_beams_of_answers("llava", "the bank of a");
    check_beams_of_answers("llava_next", "the bank of a");
    check_beams_of_answers("paligemma", "the bank of a");
    check_beams_of_answers("gemma3_seeing", "the bank of a");
    check_beams_of_answers("blip2", "the bank of a");
    check_beams_of_answers("qwen2_vl", "what is on the table");
    check_beams_of_answers("qwen3_vl", "the bank of a");
    check_beams_of_answers("qwen3_vl_moe", "the bank of a");
    check_beams_of_answers("qwen3_5", "the bank of a");
    check_beams_of_answers("mistral3", "the bank of a");
    check_beams_of_answers("pixtral", "the bank of a");
    check_beams_of_answers("moondream", "the bank of a");
    check_beams_of_answers("qwen2_audio", "the bank of a");
}

/* A picture's tokens share places, behind which each sentence of a beam goes on. */
TEST(a_sentence_of_a_beam_stands_where_it_would_alone)
{
    static const char *const architectures[] = {"qwen2_vl", "llava_onevision"};
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        generator s;
        sac_result caption, given;
        open_answering(&s, architectures[i], "the bank of a");
        s.captioner->search.length = 6;
        generate(&s, &(sac_result_request){.beam = 3}, &caption);
        sac_result_request request = {.beam = 1, .prefix_count = caption.count};
        for (int t = 0; t < caption.count; t++)
            request.prefix[t] = caption.outputs[t].word;
        generate(&s, &request, &given);
        assert_int_equal(given.count, caption.count);
        for (int t = 0; t < caption.count; t++)
            assert_true(fabsf(caption.outputs[t].probability - given.outputs[t].probability) <
                        1e-4f);
        sac_result_free(&caption);
        sac_result_free(&given);
        close_generator(&s);
    }
}

/* A sentence of a beam does not see what is hidden of the prompt. */
TEST(hidden_cells_are_hidden_from_each_sentence_of_a_beam)
{
    generator s;
    sac_result caption, given;
    uint8_t hidden[8] = {1, 1, 1, 1, 1, 1, 0, 0};
    open_answering(&s, "idefics3", "the bank of a");
    s.captioner->search.length = 6;
    generate(&s, &(sac_result_request){.hidden = hidden, .beam = 3}, &caption);
    sac_result_request request = {.hidden = hidden, .beam = 1, .prefix_count = caption.count};
    for (int t = 0; t < caption.count; t++)
        request.prefix[t] = caption.outputs[t].word;
    generate(&s, &request, &given);
    for (int t = 0; t < caption.count; t++)
        assert_true(fabsf(caption.outputs[t].probability - given.outputs[t].probability) < 1e-4f);
    sac_result_free(&caption);
    sac_result_free(&given);
    close_generator(&s);
}

TEST(a_kind_of_map_that_a_model_has_not_is_refused)
{
    generator s;
    sac_result caption;
    open_generator(&s, "blip");
    REFUSES(
        SAC_E_ARGUMENT,
        "attribution: blip has no map \"relative\": it reads no question beside its picture; give "
        "one that it "
        "has: raw, encoder, relevance",
        sac_pretrained_captioner_generate(
            s.captioner, &(sac_result_request){.attribution = SAC_ATTRIBUTION_RELATIVE}, &caption,
            &failure));
    close_generator(&s);
}

TEST(what_cannot_be_asked_is_reported)
{
    generator s;
    open_answering(&s, "smolvlm", "the bank of a");
    REFUSES(SAC_E_ARGUMENT, "question: has no words; give some words",
            sac_pretrained_captioner_ask(s.captioner, " ", &failure));
    assert_string_equal(s.captioner->question, "the bank of a");
    close_generator(&s);
}

/* ---------------------------------------------------------------- words */

TEST(words_of_tokens_are_chosen_by_names)
{
    generator s;
    open_generator(&s, "vit_gpt2"); /* its tokens are "a" … "z", "Ġ", "the", "Ġban" … */
    const char *const *words = s.captioner->words.text;
    const int count = s.captioner->words.count;
    assert_int_equal(count, s.model->decoder->vocabulary);
    assert_string_equal(words[0], "##a");
    assert_string_equal(words[count - 2], "bank");
    close_generator(&s);
}

/* Signs, digits, blanks, and letters whose bytes are several tokens': the line is the text, and the words' shares one
 * after the other are the line. */
TEST(caption_take_line_shares_the_text_among_the_words)
{
    static const char *const texts[] = {"中国 has ñandú", "No. 12-34/B: $5.00 (50%) it's 1984",
                                        "a 😀 b\nñ", "  the 東京 ", "Привет naïve мир"};
    sac_tokenizer *t;
    OK(sac_tokenizer_open(REFERENCES "/florence2", &t, NULL));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        sac_tokens ids = {0};
        sac_result caption = {0};
        char text[SAC_TEXT_SIZE], all[SAC_TEXT_SIZE] = "";
        size_t ends[SAC_MAX_TOKENS];
        const bool keeps[SAC_MAX_TOKENS] = {false};
        OK(sac_tokenizer_encode(t, texts[k], false, &ids, NULL));
        caption.count = (int)ids.count;
        char *line = sac_tokenizer_decode_with_ends(t, ids.ids, ids.count, ends);
        assert_true(sac_result_take_line(&caption, line, ends, keeps));
        for (int i = 0; i < caption.count; i++) {
            const char *label = caption.outputs[i].text, *share = sac_result_share(&caption, i);
            strcat(all, share);
            assert_null(strstr(label, "\uFFFD"));
            assert_true(!*share == !*label && !strchr(label, ' ') && !strchr(label, '\n'));
        }
        assert_string_equal(all, texts[k]);
        assert_string_equal(sac_result_text(&caption, text, sizeof text), texts[k]);
        sac_result_free(&caption);
        sac_tokens_free(&ids);
    }
    sac_tokenizer_destroy(t);
}

/* A share longer than a label. */
TEST(caption_take_line_keeps_shares_of_any_length)
{
    sac_result caption = {.count = 2};
    char *line = strdup("one that has more bytes than any label, and blanks        "), text[96];
    const size_t ends[] = {50, strlen(line)};
    const bool keeps[] = {false, false};
    assert_true(sac_result_take_line(&caption, line, ends, keeps));
    assert_string_equal(sac_result_share(&caption, 1), "        ");
    assert_string_equal(caption.outputs[1].text, "␣");
    assert_string_equal(sac_result_text(&caption, text, sizeof text), line);
    assert_false(sac_result_joins(&caption, 1));
    sac_result_free(&caption);
}

/* ---------------------------------------------------------------- what is wrong with a folder */

#define BLIP(text, seen)                                                                           \
    "{\"model_type\": \"blip\", \"vision_config\": {\"hidden_size\": 24, "                         \
    "\"num_hidden_layers\": 3, \"num_attention_heads\": 3, \"intermediate_size\": 40, "            \
    "\"image_size\": 20, \"patch_size\": 4}, \"text_config\": {\"hidden_size\": 32, "              \
    "\"num_attention_heads\": 4, \"intermediate_size\": 48, \"vocab_size\": 26, "                  \
    "\"max_position_embeddings\": 16, \"bos_token_id\": 24, \"sep_token_id\": 3, "                 \
    "\"encoder_hidden_size\": " seen text "}}"

TEST(what_is_missing_or_does_not_fit_is_reported)
{
    check_folder_refused(
        "blip", BLIP(", \"num_hidden_layers\": 3", "24"), SAC_E_FORMAT,
        "the tensor \"text_decoder.bert.encoder.layer.2.attention.self.query.weight"
        "\" is missing");
    check_folder_refused("blip", BLIP("", "25"), SAC_E_FORMAT,
                         "encoder_hidden_size: is 25, and what is seen is 24 wide");
    check_folder_refused(
        "blip", "{\"model_type\": \"blip\", \"architectures\": [\"BlipForQuestionAnswering\"]}",
        SAC_E_FORMAT,
        "architectures: BlipForQuestionAnswering generates no captions; give a "
        "BlipForConditionalGeneration");
    check_folder_refused("blip", BLIP(", \"is_decoder\": false", "24"), SAC_E_FORMAT,
                         "is_decoder: false is not supported; it must be true");
    check_folder_refused("vit_gpt2",
                         "{\"model_type\": \"vision-encoder-decoder\", "
                         "\"encoder\": {\"model_type\": \"swinv2\"}}",
                         SAC_E_FORMAT,
                         "\"swinv2\" is not supported; there are vit, deit, swin, donut-swin");
}

TEST(a_model_that_only_sees_is_no_captioner)
{
    sac_pretrained_model *model;
    sac_pretrained_captioner *captioner;
    OK(sac_pretrained_model_open_stored(REFERENCES "/vit", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    assert_int_equal(sac_pretrained_captioner_create(model, &captioner, &failure), SAC_E_ARGUMENT);
    assert_null(captioner);
    assert_string_equal(failure.what, "is not a captioner");
    sac_pretrained_model_close(model);
}

TEST(errors_by_word_and_character_are_those_of_transformers_texts)
{
    check_rates();
}

TEST_MAIN(open_device, close_device)
