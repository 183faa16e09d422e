/* Writes a scene's ground truth as JSON. */

#include <cjson/cJSON.h>
#include <stdio.h>

#include "book/scene.h"
#include "story_grammar.h"

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
