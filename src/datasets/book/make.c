/* Makes scenes from seeds. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "arrange.h"
#include "book/scene.h"
#include "colours.h"
#include "story_grammar.h"

/* ---------------------------------------------------------------- looks */

static void add_look_box(sac_look *look, const float box[4])
{
    float seen[4];
    for (int k = 0; k < 4; k++)
        seen[k] = box[k] < 0 ? 0 : box[k] > 1 ? 1 : box[k];
    if (look->count < SAC_LOOK_BOXES && seen[2] > seen[0] && seen[3] > seen[1])
        memcpy(look->box[look->count++], seen, sizeof seen);
}

static void add_group_boxes(const sac_book_scene *scene, int index, sac_look *look)
{
    for (int i = 0; i < scene->count; i++)
        if (scene->thing[i].group == index)
            add_look_box(look, scene->thing[i].box);
}

/* Who and to whom; what is between them is part of it: a kite's string, the water below a boat. */
static void add_deed_boxes(const sac_book_scene *scene, sac_look *look)
{
    const sac_tale *tale = &scene->tale;
    if (scene->has_string) {
        const float(*s)[2] = scene->string;
        const float box[4] = {s[0][0] < s[1][0] ? s[0][0] : s[1][0], s[1][1],
                              s[0][0] < s[1][0] ? s[1][0] : s[0][0], s[0][1]};
        add_look_box(look, box);
    }
    add_group_boxes(scene, 0, look);
    if (tale->verb == SAC_SAIL || tale->verb == SAC_SWIM)
        for (int i = 0; i < look->count; i++)
            look->box[i][3] = look->box[i][3] + 0.03f < 1 ? look->box[i][3] + 0.03f : 1;
    if (tale->groups > 1)
        add_group_boxes(scene, 1, look);
}

static void find_referent_boxes(const sac_book_scene *scene, sac_referent of, sac_look *look)
{
    const sac_terrain *terrain = sac_terrain_of(scene->tale.spot);
    const float sky[4] = {0, 0, 1, terrain->horizon}, below[4] = {0, terrain->horizon, 1, 1};
    const float all[4] = {0, 0, 1, 1};
    float roof[4];
    *look = (sac_look){0};
    if (of >= SAC_OF_GROUP && of <= SAC_OF_TAIL) {
        add_group_boxes(scene, (int)of - SAC_OF_GROUP, look);
    } else if (of == SAC_OF_DEED) {
        add_deed_boxes(scene, look);
    } else if (of == SAC_OF_ROOF) {
        sac_figure_feature_box(&scene->thing[scene->tale.group[1].first].figure, roof);
        add_look_box(look, roof);
    } else if (of != SAC_OF_NOTHING) {
        add_look_box(look, of == SAC_OF_HOUR ? sky : of == SAC_OF_SPOT ? below : all);
    }
}

/* ---------------------------------------------------------------- scenes */

static void make(sac_rng *rng, bool unseen, bool unmentioned, sac_book_scene *scene)
{
    do {
        /* A tale as the stream has them. */
        do {
            sac_tale_pick(rng, &scene->tale);
            if (scene->stream != SAC_STREAM_TEST && sac_rng_pick(rng, 4))
                sac_tale_recolour(rng, &scene->tale);
        } while (scene->stream != SAC_STREAM_ALL_PAIRS &&
                 sac_tale_has_unseen_pair(&scene->tale) != unseen);
        if (unmentioned)
            sac_tale_unmention(rng, &scene->tale);
    } while (!sac_scene_arrange(rng, scene));
    if (unmentioned)
        sac_scene_maybe_lift_runner(rng, scene);
    sac_referent of[SAC_BOOK_WORDS];
    scene->words = sac_tale_caption(&scene->tale, scene->word, of);
    for (int i = 0; i < SAC_BOOK_WORDS; i++) {
        bool is_present = i < scene->words;
        scene->word[i] = is_present ? scene->word[i] : SAC_TALE_PAD;
        find_referent_boxes(scene, is_present ? of[i] : SAC_OF_NOTHING, &scene->look[i]);
    }
}

void sac_book_make(sac_stream stream, uint64_t seed, sac_book_scene *scene)
{
    sac_rng rng = {.seed = seed, .stream = stream};
    *scene = (sac_book_scene){.stream = stream, .seed = seed};
    bool unseen = stream == SAC_STREAM_TEST && sac_rng_pick(&rng, 2);
    make(&rng, unseen, false, scene);
}

void sac_book_make_unnamed(sac_stream stream, uint64_t seed, sac_book_scene *scene)
{
    enum { PLACE = 0x20000000 }; /* where its random numbers begin */
    sac_rng rng = {.seed = seed, .stream = stream, .next = PLACE};
    *scene = (sac_book_scene){.stream = stream, .seed = seed};
    make(&rng, false, true, scene);
}

bool sac_book_has_unseen_pair(const sac_book_scene *scene)
{
    return sac_tale_has_unseen_pair(&scene->tale);
}

/* ---------------------------------------------------------------- as JSON */

static cJSON *box_json(const float box[4], int side)
{
    cJSON *numbers = cJSON_CreateArray();
    for (int k = 0; k < 4; k++) { /* to a hundredth of a pixel */
        long hundredths = (long)((double)box[k] * side * 100 + 0.5);
        cJSON_AddItemToArray(numbers, cJSON_CreateNumber((double)hundredths / 100));
    }
    return numbers;
}

static cJSON *words_json(const sac_book_scene *scene, int side)
{
    cJSON *words = cJSON_CreateArray();
    for (int i = 0; i < scene->words - 1; i++) {
        cJSON *word = cJSON_CreateObject();
        cJSON_AddStringToObject(word, "word", sac_book_word_text(scene->word[i]));
        cJSON *boxes = cJSON_AddArrayToObject(word, "boxes");
        for (int k = 0; k < scene->look[i].count; k++)
            cJSON_AddItemToArray(boxes, box_json(scene->look[i].box[k], side));
        cJSON_AddItemToArray(words, word);
    }
    return words;
}

char *sac_book_json(const sac_book_scene *scene, int side)
{
    static const char *const hours[SAC_HOURS] = {"day", "sunset", "night"};
    char seed[32], caption[256];
    cJSON *root = cJSON_CreateObject();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)scene->seed);
    cJSON_AddStringToObject(root, "world", "book");
    cJSON_AddRawToObject(root, "seed", seed); /* as a number it would lose digits */
    cJSON_AddStringToObject(root, "stream", sac_stream_name(scene->stream));
    cJSON_AddNumberToObject(root, "side", side);
    cJSON_AddStringToObject(root, "caption",
                            sac_book_sentence(scene->word, scene->words, caption, sizeof caption));
    cJSON_AddItemToObject(root, "words", words_json(scene, side));
    cJSON_AddStringToObject(root, "ground",
                            sac_book_word_text(SAC_TALE_SPOT + (int)scene->tale.spot));
    cJSON_AddStringToObject(root, "hour", hours[scene->tale.hour]);
    cJSON_AddBoolToObject(root, "unseen_pair", sac_book_has_unseen_pair(scene));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}
