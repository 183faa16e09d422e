/* The vocabulary of the picture book, as text. */

#include "book/words.h"

#include <string.h>

#include "shapes/scene.h"

static const char *const words[SAC_TALE_VOCABULARY] = {
    [SAC_TALE_PAD] = "<pad>",
    [SAC_TALE_START] = "<start>",
    [SAC_TALE_END] = "<end>",
    [SAC_TALE_A] = "a",
    [SAC_TALE_AN] = "an",
    [SAC_TALE_THE] = "the",
    [SAC_TALE_TWO] = "two",
    [SAC_TALE_THREE] = "three",
    [SAC_TALE_AND] = "and",
    [SAC_TALE_OF] = "of",
    [SAC_TALE_AT] = "at",
    [SAC_TALE_IN] = "in",
    [SAC_TALE_ON] = "on",
    [SAC_TALE_UNDER] = "under",
    [SAC_TALE_OVER] = "over",
    [SAC_TALE_LEFT] = "left",
    [SAC_TALE_RIGHT] = "right",
    [SAC_TALE_BESIDE] = "beside",
    [SAC_TALE_BEHIND] = "behind",
    [SAC_TALE_FRONT] = "front",
    [SAC_TALE_BETWEEN] = "between",
    [SAC_TALE_AFTER] = "after",
    [SAC_TALE_WITH] = "with",
    [SAC_TALE_THROUGH] = "through",
    [SAC_TALE_ROOF] = "roof",
    [SAC_TALE_SNOW] = "snow",
    [SAC_TALE_RAIN] = "rain",
    [SAC_TALE_NIGHT] = "night",
    [SAC_TALE_SUNSET] = "sunset",
#define SPOT(spot, text) [SAC_TALE_SPOT + (spot)] = text
    SPOT(SAC_MEADOW, "meadow"),
    SPOT(SAC_HILLS, "hills"),
    SPOT(SAC_SEA, "sea"),
    SPOT(SAC_BEACH, "beach"),
    SPOT(SAC_STREET, "street"),
    SPOT(SAC_FOREST, "forest"),
    SPOT(SAC_IN_SNOW, "snow"), /* written as SAC_TALE_SNOW */
    SPOT(SAC_MOUNTAINS, "mountains"),
#define COLOUR(colour, text) [SAC_TALE_COLOUR + (colour)] = text
    COLOUR(SAC_RED, "red"),
    COLOUR(SAC_ORANGE, "orange"),
    COLOUR(SAC_YELLOW, "yellow"),
    COLOUR(SAC_GREEN, "green"),
    COLOUR(SAC_BLUE, "blue"),
    COLOUR(SAC_PURPLE, "purple"),
    COLOUR(SAC_PINK, "pink"),
    COLOUR(SAC_WHITE, "white"),
    COLOUR(SAC_BLACK, "black"),
    COLOUR(SAC_BROWN, "brown"),
    COLOUR(SAC_GREY, "grey"),
#define VERB(verb, one, several) [SAC_TALE_VERB + (verb)] = one, [SAC_TALE_VERBS + (verb)] = several
    VERB(SAC_SAIL, "sails", "sail"),
    VERB(SAC_FLY, "flies", "fly"),
    VERB(SAC_HOLD, "holds", "hold"),
    VERB(SAC_SIT, "sits", "sit"),
    VERB(SAC_SLEEP, "sleeps", "sleep"),
    VERB(SAC_RUN, "runs", "run"),
    VERB(SAC_JUMP, "jumps", "jump"),
    VERB(SAC_STAND, "stands", "stand"),
    VERB(SAC_DRIVE, "drives", "drive"),
    VERB(SAC_ROLL, "rolls", "roll"),
    VERB(SAC_SWIM, "swims", "swim"),
    VERB(SAC_SHINE, "shines", "shine"),
    VERB(SAC_GROW, "grows", "grow"),
    VERB(SAC_HANG, "hangs", "hang"),
    VERB(SAC_FLOAT, "floats", "float"),
    VERB(SAC_FALL, "falls", "fall"),
    VERB(SAC_LIE, "lies", "lie"),
    VERB(SAC_PLAY, "plays", "play"),
    VERB(SAC_WALK, "walks", "walk"),
#define NOUN(noun, one, several) [SAC_TALE_NOUN + (noun)] = one, [SAC_TALE_NOUNS + (noun)] = several
    NOUN(SAC_SUN, "sun", "suns"),
    NOUN(SAC_MOON, "moon", "moons"),
    NOUN(SAC_STAR, "star", "stars"),
    NOUN(SAC_CLOUD, "cloud", "clouds"),
    NOUN(SAC_PLANE, "plane", "planes"),
    NOUN(SAC_ROCKET, "rocket", "rockets"),
    NOUN(SAC_KITE, "kite", "kites"),
    NOUN(SAC_BALLOON, "balloon", "balloons"),
    NOUN(SAC_FIR, "fir", "firs"),
    NOUN(SAC_TREE, "tree", "trees"),
    NOUN(SAC_FLOWER, "flower", "flowers"),
    NOUN(SAC_MUSHROOM, "mushroom", "mushrooms"),
    NOUN(SAC_APPLE, "apple", "apples"),
    NOUN(SAC_HOUSE, "house", "houses"),
    NOUN(SAC_LIGHTHOUSE, "lighthouse", "lighthouses"),
    NOUN(SAC_FENCE, "fence", "fences"),
    NOUN(SAC_CASTLE, "castle", "castles"),
    NOUN(SAC_TENT, "tent", "tents"),
    NOUN(SAC_LAMP, "lamp", "lamps"),
    NOUN(SAC_BENCH, "bench", "benches"),
    NOUN(SAC_CAR, "car", "cars"),
    NOUN(SAC_BUS, "bus", "buses"),
    NOUN(SAC_TRUCK, "truck", "trucks"),
    NOUN(SAC_TRAIN, "train", "trains"),
    NOUN(SAC_BOAT, "boat", "boats"),
    NOUN(SAC_BIRD, "bird", "birds"),
    NOUN(SAC_FISH, "fish", "fish"),
    NOUN(SAC_CAT, "cat", "cats"),
    NOUN(SAC_DOG, "dog", "dogs"),
    NOUN(SAC_RABBIT, "rabbit", "rabbits"),
    NOUN(SAC_DUCK, "duck", "ducks"),
    NOUN(SAC_COW, "cow", "cows"),
    NOUN(SAC_SHEEP, "sheep", "sheep"),
    NOUN(SAC_PIG, "pig", "pigs"),
    NOUN(SAC_FOX, "fox", "foxes"),
    NOUN(SAC_WHALE, "whale", "whales"),
    NOUN(SAC_BUTTERFLY, "butterfly", "butterflies"),
    NOUN(SAC_CHILD, "child", "children"),
    NOUN(SAC_SNOWMAN, "snowman", "snowmen"),
    NOUN(SAC_BALL, "ball", "balls"),
    NOUN(SAC_UMBRELLA, "umbrella", "umbrellas"),
};

const char *sac_book_word_text(int word)
{
    return word >= 0 && word < SAC_TALE_VOCABULARY ? words[word] : "";
}

int sac_book_word_find(const char *text)
{
    for (int word = 0; word < SAC_TALE_VOCABULARY; word++)
        if (strcmp(words[word], text) == 0)
            return word;
    return -1;
}

char *sac_book_sentence(const int *word, int count, char *text, size_t size)
{
    return sac_sentence_of(sac_book_word_text, word, count, text, size);
}
