/* Splits captions into words, and maps words to numbers. */
#include "pictures/words.h"

#include <cjson/cJSON.h>
#include <utf8proc.h>

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "pictures/letters.h"

/* ---------------------------------------------------------------- text to words */

char *sac_caption_plain(const char *caption)
{
    size_t room, used = 0; /* a small letter has at most 3 bytes for 2 of the capital */
    char *plain = NULL;
    if (sac_checked_mul(strlen(caption), 2, &room) && sac_checked_add(room, 1, &room))
        plain = malloc(room);
    uint32_t before = 0; /* the word's last letter; 0: none has begun */
    while (plain && *caption) {
        uint32_t code = sac_utf8_next(&caption);
        const char *next = caption;
        uint32_t letter = sac_utf8_next(&next);
        bool inside =
            before && sac_letter_is_of_word(letter) && sac_letter_continues_word(before, letter);
        bool joins = sac_letter_is_apostrophe(code)
                         ? (before ? inside : sac_letter_begins_ending(caption))
                         : sac_letter_is_joiner(code) && inside;
        if (!joins && sac_letter_is_invisible(code))
            continue;
        bool takes = joins || sac_letter_is_of_word(code);
        if (takes && used && (!before || (!joins && !sac_letter_continues_word(before, code))))
            plain[used++] = ' ';
        if (joins && sac_letter_is_apostrophe(code))
            plain[used++] = '\'';
        else if (takes)
            used +=
                sac_utf8_encode((uint32_t)utf8proc_tolower((utf8proc_int32_t)code), plain + used);
        before = !takes ? 0 : !joins ? code : before ? before : 'a';
    }
    if (plain)
        plain[used] = '\0';
    return plain;
}

const char *sac_caption_next_word(const char *plain, size_t *size)
{
    plain += strspn(plain, " ");
    *size = strcspn(plain, " ");
    return *size ? plain : NULL;
}

/* ---------------------------------------------------------------- the vocabulary */

static bool is_plain_word(const char *word)
{
    char *plain = sac_caption_plain(word);
    bool is = plain && *plain && !strchr(plain, ' ') && strcmp(plain, word) == 0 &&
              strlen(word) < SAC_VOCABULARY_BYTES;
    free(plain);
    return is;
}

sac_status sac_caption_vocabulary_create(const char *const *words, int count,
                                         sac_caption_vocabulary *v, sac_error *error)
{
    static const char *const marks[SAC_VOCABULARY_MARKS] = {"<pad>", "<start>", "<end>",
                                                            "<unknown>"};
    static const char remedy[] = "give the words that the training wrote";
    *v = (sac_caption_vocabulary){0};
    for (int i = 0; i < SAC_VOCABULARY_MARKS; i++)
        if (sac_text_table_add(v, marks[i], strlen(marks[i])) < 0)
            return sac_no_memory(error, "the vocabulary");
    for (int i = 0; i < count; i++) {
        if (!is_plain_word(words[i]))
            return sac_fail(error, SAC_E_FORMAT, NULL, remedy, "\"%.40s\" is no word of captions",
                            words[i]);
        int number = sac_text_table_add(v, words[i], strlen(words[i]));
        if (number < 0)
            return sac_no_memory(error, "the vocabulary");
        if (number != SAC_VOCABULARY_MARKS + i)
            return sac_fail(error, SAC_E_FORMAT, NULL, remedy, "\"%.40s\" stands there twice",
                            words[i]);
    }
    return SAC_OK;
}

void sac_caption_vocabulary_free(sac_caption_vocabulary *v)
{
    sac_text_table_free(v);
}

int sac_caption_vocabulary_find(const sac_caption_vocabulary *v, const char *word, size_t size)
{
    int number = sac_text_table_find(v, word, size);
    return number >= 0 ? number : SAC_VOCABULARY_UNKNOWN;
}

const char *sac_caption_vocabulary_word(const sac_caption_vocabulary *v, int number)
{
    return number >= 0 && number < v->count ? v->texts[number] : "";
}

cJSON *sac_caption_vocabulary_json(const sac_caption_vocabulary *v)
{
    return cJSON_CreateStringArray((const char *const *)v->texts + SAC_VOCABULARY_MARKS,
                                   v->count - SAC_VOCABULARY_MARKS);
}

sac_status sac_caption_vocabulary_read(const cJSON *json, sac_caption_vocabulary *v,
                                       sac_error *error)
{
    int count = cJSON_IsArray(json) ? cJSON_GetArraySize(json) : 0, used = 0;
    const cJSON *item;
    *v = (sac_caption_vocabulary){0};
    const char **words = calloc((size_t)count + 1, sizeof *words);
    if (!words)
        return sac_no_memory(error, "the vocabulary");
    cJSON_ArrayForEach(item, json)
    {
        if (cJSON_IsString(item))
            words[used++] = item->valuestring;
    }
    sac_status status = used == count && count
                            ? sac_caption_vocabulary_create(words, count, v, error)
                            : sac_fail(error, SAC_E_FORMAT, NULL, "give a list of words",
                                       "its vocabulary is not a list of words");
    free(words);
    return status;
}

int sac_caption_vocabulary_numbers(const sac_caption_vocabulary *v, const char *plain, int *numbers,
                                   int most)
{
    int count = 0;
    size_t size;
    for (; count < most && (plain = sac_caption_next_word(plain, &size)); plain += size)
        numbers[count++] = sac_caption_vocabulary_find(v, plain, size);
    return count;
}

/* ---------------------------------------------------------------- mirrored */

/* "left" is a verb too ("food left on a plate"), which is exchanged like the side: of Flickr8k's
 * captions few contain it. */
static const char *const sides[][2] = {
    {"left", "right"},         {"leftmost", "rightmost"},   {"lefthand", "righthand"},
    {"leftward", "rightward"}, {"leftwards", "rightwards"}, {"\u5de6", "\u53f3"},
};
enum { SIDES = sizeof sides / sizeof *sides };

static void find_sides(const sac_caption_vocabulary *v, int number[SIDES][2])
{
    for (size_t p = 0; p < SIDES; p++)
        for (int side = 0; side < 2; side++)
            number[p][side] =
                sac_caption_vocabulary_find(v, sides[p][side], strlen(sides[p][side]));
}

bool sac_caption_names_sides(const sac_caption_vocabulary *v)
{
    int number[SIDES][2];
    bool names = false;
    find_sides(v, number);
    for (size_t p = 0; p < SIDES; p++)
        names |= number[p][0] >= SAC_VOCABULARY_MARKS && number[p][1] >= SAC_VOCABULARY_MARKS;
    return names;
}

bool sac_caption_mirror(const sac_caption_vocabulary *v, const int *numbers, int count,
                        int *mirrored)
{
    int number[SIDES][2];
    find_sides(v, number);
    for (int pass = 0; pass < 2; pass++) /* asks first, then writes */
        for (int i = 0; i < count; i++) {
            int other = numbers[i];
            for (size_t p = 0; p < SIDES; p++)
                for (int side = 0; side < 2; side++)
                    if (numbers[i] == number[p][side] && numbers[i] >= SAC_VOCABULARY_MARKS)
                        other = number[p][1 - side];
            if (pass)
                mirrored[i] = other;
            else if (other == SAC_VOCABULARY_UNKNOWN && numbers[i] != other)
                return false;
        }
    return true;
}
