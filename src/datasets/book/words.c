/* The vocabulary of the picture book, as text. */

#include "book/words.h"

#include <string.h>

#include "shapes/scene.h"

static const char *const words[SAC_SAYS] = {
    [SAC_SAY_PAD] = "<pad>",
    [SAC_SAY_START] = "<start>",
    [SAC_SAY_END] = "<end>",
    [SAC_SAY_A] = "a",
    [SAC_SAY_AN] = "an",
    [SAC_SAY_THE] = "the",
    [SAC_SAY_TWO] = "two",
    [SAC_SAY_THREE] = "three",
    [SAC_SAY_AND] = "and",
    [SAC_SAY_OF] = "of",
    [SAC_SAY_AT] = "at",
    [SAC_SAY_IN] = "in",
    [SAC_SAY_ON] = "on",
    [SAC_SAY_UNDER] = "under",
    [SAC_SAY_OVER] = "over",
    [SAC_SAY_LEFT] = "left",
    [SAC_SAY_RIGHT] = "right",
    [SAC_SAY_BESIDE] = "beside",
    [SAC_SAY_BEHIND] = "behind",
    [SAC_SAY_FRONT] = "front",
    [SAC_SAY_BETWEEN] = "between",
    [SAC_SAY_AFTER] = "after",
    [SAC_SAY_WITH] = "with",
    [SAC_SAY_THROUGH] = "through",
    [SAC_SAY_ROOF] = "roof",
    [SAC_SAY_SNOW] = "snow",
    [SAC_SAY_RAIN] = "rain",
    [SAC_SAY_NIGHT] = "night",
    [SAC_SAY_SUNSET] = "sunset",
#define SPOT(spot, text) [SAC_SAY_SPOT + (spot)] = text
    SPOT(SAC_MEADOW, "meadow"),
    SPOT(SAC_HILLS, "hills"),
    SPOT(SAC_SEA, "sea"),
    SPOT(SAC_BEACH, "beach"),
    SPOT(SAC_STREET, "street"),
    SPOT(SAC_FOREST, "forest"),
    SPOT(SAC_IN_SNOW, "snow"), /* written as SAC_SAY_SNOW */
    SPOT(SAC_MOUNTAINS, "mountains"),
#define COLOUR(colour, text) [SAC_SAY_COLOUR + (colour)] = text
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
#define VERB(verb, one, several) [SAC_SAY_VERB + (verb)] = one, [SAC_SAY_VERBS + (verb)] = several
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
#define NOUN(noun, one, several) [SAC_SAY_NOUN + (noun)] = one, [SAC_SAY_NOUNS + (noun)] = several
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
    return word >= 0 && word < SAC_SAYS ? words[word] : "";
}

int sac_book_word_find(const char *text)
{
    for (int word = 0; word < SAC_SAYS; word++)
        if (strcmp(words[word], text) == 0)
            return word;
    return -1;
}

char *sac_book_sentence(const int *word, int count, char *text, size_t size)
{
    return sac_sentence_of(sac_book_word_text, word, count, text, size);
}
