/* saccade evaluate captioner --pictures: scores of captions against those of a file, where nouns
 * point, and the errors for what cannot be read. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes/vocabulary.h"

static void write_text(const char *name, const char *text)
{
    file_write(here(name), text, strlen(text));
}

/* Three pictures of scenes; the captions are the program's own of the first two, and the boxes
 * are the two halves of each picture. */
static int make_pictures(void **state)
{
    make_folder(state);
    FILE *captions = fopen(here("captions.csv"), "w");
    FILE *images = fopen(here("instances.json"), "w");
    assert_true(captions && images);
    fputs("image,caption\n", captions);
    fputs("{\"categories\":[", images);
    for (int i = 0; i < SAC_SHAPES; i++)
        fprintf(images, "%s{\"id\":%d,\"name\":\"%s\"}", i ? "," : "", i,
                sac_word_text(SAC_WORD_SHAPE + i));
    fputs("],\"images\":[", images);
    for (int i = 1; i <= 3; i++) {
        char name[16], seed[12];
        snprintf(seed, sizeof seed, "%d", i);
        snprintf(name, sizeof name, "%d.png", i);
        DONE("scene", "--dataset", "shapes", "--seed", seed, "--png", here(name));
        DONE("caption", here(name), "--dataset", "shapes", "--device", "cpu");
        ran.out[strcspn(ran.out, "\n")] = '\0';
        if (i < 3)
            fprintf(captions, "%s,%s\n%s,\"A %s, or so!\"\n", name, ran.out, name, ran.out);
        fprintf(images, "%s{\"id\":%d,\"file_name\":\"%s\",\"width\":40,\"height\":40}",
                i > 1 ? "," : "", i, name);
    }
    fputs("],\"annotations\":[", images);
    for (int i = 0; i < 3 * SAC_SHAPES * 2; i++)
        fprintf(images, "%s{\"image_id\":%d,\"category_id\":%d,\"bbox\":[%d,0,20,40]}",
                i ? "," : "", 1 + i % 3, i / 3 % SAC_SHAPES, i / (3 * SAC_SHAPES) * 20);
    fputs("]}", images);
    fclose(captions);
    fclose(images);
    write_text("names.txt", "1.png\n2.png\n");
    return 0;
}

#define EVALUATE                                                                                   \
    "evaluate", "captioner", "--pictures", folder, "--captions", here("captions.csv"), "--device", \
        "cpu"
#define MODEL EVALUATE, "--dataset", "shapes"

TEST(what_the_model_shows_scores_in_full_against_itself)
{
    PASSES(MODEL, "--val", here("names.txt"), "--length-penalty", "0", "--json");
    assert_string_equal(ran.err, "saccade: left out: 1 pictures without a caption: 3.png\n");
    cJSON *json = parse_json(ran.out);
    const cJSON *beam = get(json, "beam"), *greedy = get(json, "greedy");
    assert_float_equal(number_of(json, "pictures"), 2, 0);
    assert_string_equal(text_of(json, "split"), "val");
    assert_float_equal(number_of(beam, "width"), 3, 0);
    assert_float_equal(number_of(beam, "length_penalty"), 0, 0); /* as it is without */
    assert_float_equal(number_of(beam, "bleu_1"), 1, 1e-6);
    assert_float_equal(number_of(beam, "bleu_4"), 1, 1e-6);
    assert_float_equal(number_of(beam, "rouge_l"), 1, 1e-6);
    assert_true(number_of(beam, "words") > 3);
    assert_true(number_of(greedy, "bleu_1") > 0.5);
    assert_true(number_of(get(json, "people"), "bleu_1") < 1);
    assert_float_equal(number_of(get(json, "left_out"), "captionless"), 1, 0);
    assert_float_equal(number_of(json, "guesses"), 0, 0); /* scenes of its own dataset */
    assert_float_equal(number_of(json, "unlike"), 0, 0);
    assert_true(strstr(text_of(json, "weights"), "safetensors") != NULL);
    assert_true(number_of(json, "ms") > 0);
    cJSON_Delete(json);
}

TEST(nouns_point_into_boxes_of_their_categories)
{
    PASSES(MODEL, "--split", "all", "--beam", "1", "--boxes", here("instances.json"), "--json");
    cJSON *json = parse_json(ran.out);
    const cJSON *gaze = get(json, "gaze"), *uniform = get(get(gaze, "baselines"), "uniform");
    assert_true(number_of(gaze, "words") >= 1);
    assert_float_equal(number_of(gaze, "words"), number_of(gaze, "naming"), 0);
    assert_float_equal(number_of(gaze, "pointing"), 1, 0);
    assert_float_equal(number_of(gaze, "mass_in_box"), 1, 1e-4);
    assert_float_equal(number_of(uniform, "mass_in_box"), 1, 1e-6);
    assert_null(cJSON_GetObjectItem(json, "beam"));
    cJSON_Delete(json);
}

/* A tiny model with random weights, which calls everything a street. */
TEST(each_kind_of_map_has_pointing_of_its_own)
{
    write_text("streets.json", "{\"categories\":[{\"id\":1,\"name\":\"street\"}],\"images\":[{"
                               "\"id\":1,\"file_name\":\"garden.png\",\"width\":40,\"height\":"
                               "40}],\"annotations\":[{\"image_id\":1,\"category_id\":1,"
                               "\"bbox\":[0,0,20,40]}]}");
    write_text("streets.csv", "image,caption\ngarden.png,a street\n");
    PASSES("evaluate", "captioner", "--pictures", PICTURES, "--captions", here("streets.csv"),
           "--weights", REFERENCES "/blip", "--device", "cpu", "--split", "all", "--beam", "1",
           "--boxes", here("streets.json"), "--json");
    cJSON *json = parse_json(ran.out);
    const cJSON *gaze = get(json, "gaze"), *maps = get(gaze, "maps"), *raw = get(maps, "raw");
    double mass = number_of(raw, "mass_in_box");
    assert_true(number_of(gaze, "words") > 1);
    assert_int_equal(cJSON_GetArraySize(maps), 3);
    assert_float_equal(number_of(gaze, "mass_in_box"), mass, 0);
    assert_true(fabs(number_of(get(maps, "encoder"), "mass_in_box") - mass) > 1e-4);
    cJSON_Delete(json);
    PASSES("evaluate", "captioner", "--pictures", PICTURES, "--captions", here("streets.csv"),
           "--weights", REFERENCES "/blip", "--device", "cpu", "--split", "all", "--beam", "1",
           "--boxes", here("streets.json"));
    assert_non_null(strstr(ran.out, "model, raw attention"));
    assert_non_null(strstr(ran.out, "model, encoder"));
    assert_non_null(strstr(ran.out, "model, relevance"));
}

TEST(the_table_has_a_line_for_each_way)
{
    static const char *const parts[] = {
        " on 1 pictures, split train, on ",
        "BLEU-4",
        "CIDEr-D",
        "greedy",
        "beam 3",
        "a person's, by the others",
        "mass in box",
        "that name a category",
        "\n0 of 1 captions are called guesses, 0 of them as unlike\n"};
    PASSES(MODEL, "--split", "train", "--boxes", here("instances.json"));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(ran.out, parts[i]))
            fail_msg("the table lacks \"%s\"", parts[i]);
}

TEST(captions_of_a_file_are_scored_without_a_model)
{
    write_text("truth.jsonl", "{\"image\": \"1.png\", \"caption\": \"a red circle\"}\n"
                              "{\"image\": \"2.png\", \"caption\": \"A blue square.\"}\n"
                              "{\"image\": \"3.png\", \"caption\": \"a star\"}\n");
    write_text("candidates.csv",
               "image,caption\n1.png,A red circle\nelsewhere/2.png,\"a blue, star\"\n");
    PASSES("evaluate", "captioner", "--pictures", folder, "--captions", here("truth.jsonl"),
           "--split", "all", "--sentences", here("candidates.csv"), "--json", "--results",
           here("results.json"));
    cJSON *json = parse_json(ran.out);
    const cJSON *sentences = get(json, "sentences");
    size_t size;
    char *results = file_read(here("results.json"), &size);
    results[size] = '\0';
    assert_string_equal(results, "[{\"image_id\":\"1.png\",\"caption\":\"a red circle\"},"
                                 "{\"image_id\":\"2.png\",\"caption\":\"a blue star\"}]\n");
    free(results);
    /* F = 1 in one chunk of 3 of 3 words; 2 of 3 in one chunk of 2 */
    assert_float_equal(number_of(sentences, "meteor"), (1 - .5 / 27 + 2. / 3 * (1 - .5 / 8)) / 2,
                       1e-6);
    assert_float_equal(number_of(json, "pictures"), 2, 0);
    assert_float_equal(number_of(sentences, "bleu_1"), 5.0 / 6, 1e-6);
    assert_float_equal(number_of(sentences, "words"), 5, 0);
    assert_null(cJSON_GetObjectItem(json, "device"));
    cJSON_Delete(json);
    remove(here("truth.jsonl"));
    remove(here("candidates.csv"));
    remove(here("results.json"));
}

/* The results of a model as COCO's tools want them, beside captions that have ids and names; the control is
 * the same by names. */
TEST(sentences_may_be_named_by_ids)
{
    static const char *const captions[] = {
        "{\"images\": [{\"id\": 391895, \"file_name\": \"1.png\"}, {\"id\": 2, \"file_name\": "
        "\"3.png\"}], "
        "\"annotations\": [{\"image_id\": 391895, \"id\": 1, \"caption\": \"a red circle\"}, "
        "{\"image_id\": "
        "2, \"id\": 3, \"caption\": \"a blue square\"}]}",
        "{\"images\": [{\"filename\": \"1.png\", \"imgid\": 2, \"cocoid\": 391895, \"split\": "
        "\"val\", "
        "\"sentences\": [{\"raw\": \"a red circle\"}]}, {\"filename\": \"3.png\", \"imgid\": 1, "
        "\"cocoid\": "
        "2, \"split\": \"val\", \"sentences\": [{\"raw\": \"a blue square\"}]}]}",
        "[{\"image\": \"1.png\", \"image_id\": \"391895\", \"caption\": \"a red circle\"}, "
        "{\"image\": "
        "\"3.png\", \"image_id\": 2, \"caption\": \"a blue square\"}]"};
    static const char *const results[] = {"image,caption\n1.png,a red star\n3.png,a blue square\n",
                                          "[{\"image_id\": 391895, \"caption\": \"a red star\"}, "
                                          "{\"image_id\": 2, \"caption\": \"a blue "
                                          "square\"}]",
                                          "{\"image_id\": \"391895\", \"caption\": \"a red "
                                          "star\"}\n{\"image_id\": \"2\", \"caption\": \"a "
                                          "blue square\"}\n",
                                          "image_id,caption\n2,a blue square\n391895,a red star\n",
                                          "{\"391895\": [{\"image_id\": 391895, \"caption\": \"a "
                                          "red star\"}], \"2\": [\"a blue square\"]}"};
    for (size_t k = 0; k < sizeof captions / sizeof *captions; k++) {
        double wanted = 0;
        write_text("by-id.json", captions[k]);
        for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
            write_text("results", results[i]);
            PASSES("evaluate", "captioner", "--pictures", folder, "--captions", here("by-id.json"),
                   "--split", "all", "--sentences", here("results"), "--json", "--results",
                   here("coco.json"));
            size_t size;
            char *coco = file_read(here("coco.json"), &size);
            coco[size] = '\0';
            assert_non_null(strstr(coco, "{\"image_id\":391895,\"caption\":\"a red star\"}"));
            free(coco);
            cJSON *json = parse_json(ran.out);
            double got = number_of(get(json, "sentences"), "bleu_2");
            wanted = i ? wanted : got;
            assert_true(got > 0.5 && got < 1);
            assert_float_equal(got, wanted, 1e-12);
            assert_float_equal(number_of(json, "pictures"), 2, 0);
            cJSON_Delete(json);
        }
    }
    remove(here("by-id.json"));
    remove(here("coco.json"));
    remove(here("results"));
}

TEST(a_broken_picture_is_named_and_the_rest_is_evaluated)
{
    write_text("broken.png", "\x89PNG\r\n\x1a\nand no more");
    write_text("broken.csv", "image,caption\n1.png,a circle\nbroken.png,a square\n");
    PASSES("evaluate", "captioner", "--pictures", folder, "--captions", here("broken.csv"),
           "--split", "all", "--dataset", "shapes", "--device", "cpu", "--json");
    assert_non_null(strstr(ran.err, "broken.png: "));
    cJSON *json = parse_json(ran.out);
    assert_float_equal(number_of(json, "pictures"), 1, 0);
    assert_float_equal(number_of(get(json, "greedy"), "pictures"), 1, 0);
    assert_float_equal(number_of(get(json, "left_out"), "broken"), 1, 0);
    cJSON_Delete(json);
    write_text("broken.csv", "image,caption\nbroken.png,a square\n");
    RUN("evaluate", "captioner", "--pictures", folder, "--captions", here("broken.csv"), "--split",
        "all", "--dataset", "shapes", "--device", "cpu");
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "none of the pictures with captions can be opened"));
    remove(here("broken.png"));
    remove(here("broken.csv"));
}

/* Of ten pictures one is drawn, and eight cannot be read: another takes its place, as in a training. */
TEST(what_is_held_out_is_drawn_from_pictures_that_can_be_read)
{
    char rows[400] = "image,caption\n1.png,a circle\n2.png,a star\n";
    for (int i = 0; i < 8; i++) {
        char name[24];
        snprintf(name, sizeof name, "broken%d.png", i);
        write_text(name, "\x89PNG\r\n\x1a\nand no more");
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s,a square\n", name);
    }
    write_text("drawn.csv", rows);
    PASSES("evaluate", "captioner", "--pictures", folder, "--captions", here("drawn.csv"),
           "--dataset", "shapes", "--device", "cpu", "--json");
    cJSON *json = parse_json(ran.out);
    assert_float_equal(number_of(json, "pictures"), 1, 0);
    assert_true(number_of(get(json, "left_out"), "broken") >= 1);
    assert_non_null(strstr(ran.err, "broken"));
    cJSON_Delete(json);
    remove(here("drawn.csv"));
    for (int i = 0; i < 8; i++) {
        char name[24];
        snprintf(name, sizeof name, "broken%d.png", i);
        remove(here(name));
    }
}

TEST(bad_requests_get_one_line)
{
    FAILS(2, "--captions: needs pictures; add --pictures FOLDER", "evaluate", "captioner",
          "--captions", "x.csv");
    FAILS(2, "--pictures: works with the captioner only; leave it out", "evaluate", "translator",
          "--pictures", folder);
    FAILS(2,
          "--pictures: takes the place of made-up samples; leave out --causal, --stream, --seed "
          "and --by-length",
          EVALUATE, "--seed", "3");
    FAILS(2, "--split: unknown split; give train, val, test or all", EVALUATE, "--split", "dev2");
    FAILS(2, "--sentences: is scored without a model; leave out --weights, --dataset and --boxes",
          MODEL, "--sentences", "x");
    FAILS_WITH(1, "/nowhere: the folder cannot be read", "evaluate", "captioner", "--pictures",
               "/nowhere", "--captions", here("captions.csv"));
    FAILS_WITH(1, "names.txt: holds no captions in a format that is known", "evaluate", "captioner",
               "--pictures", folder, "--captions", here("names.txt"));
    FAILS_WITH(1, "captions.csv: line 1 is not valid JSON", MODEL, "--split", "all", "--boxes",
               here("captions.csv"));
    FAILS_WITH(2, "--split: no picture with captions is of the split test", MODEL, "--split",
               "test");
}

TEST_MAIN(make_pictures, remove_folder)
