/* The drawings of children, snowmen and their toys. */
#include "book/nouns/drawing.h"

/* A child's head around (50, 22): hair behind, face, hair in front. */
#define HEAD                                                                                       \
    {"B50 4 65 8 72 22 74 40 76 50 68 52 62 46 38 46 32 52 24 50 26 40 28 22 35 8",                \
     DOWN,                                                                                         \
     HAIR,                                                                                         \
     -8,                                                                                           \
     1.4f,                                                                                         \
     V2},                                                                                          \
        {"E22 28 6 6 E78 28 6 6", DOWN, HAIR, -4, 1.2f, V3},                                       \
        {"E32 26 3.6 4.4 E68 26 3.6 4.4", DOWN, SKIN, -4, 1.2f, 0},                                \
        {"B50 8 63 12 68 25 62 38 50 43 38 38 32 25 37 12", DOWN, SKIN, 6, 1.6f, 0},               \
        {"B30 24 31 10 42 2 56 1 67 8 70 22 64 17 56 15 46 18 38 17 34 20",                        \
         DOWN,                                                                                     \
         HAIR,                                                                                     \
         0,                                                                                        \
         1.4f,                                                                                     \
         V1 | V2 | V3},                                                                            \
        {"E43 27 2 2.8 E58 27 2 2.8", FLAT, INK, -10, 0, 0},                                       \
        {"E38 33 3.4 2.2 E63 33 3.4 2.2", FLAT, BLUSH, 0, 0, 0},                                   \
    {                                                                                              \
        "S45.5 33.6 47.8 35.6 50.5 36.2 53.2 35.6 55.5 33.6", LINE, INK, 14, 1.5f, 0               \
    }

static const sac_part child_standing[] = {
    {"R40 78 8 19 2 R53 78 8 19 2", DOWN, DENIM, -4, 1.4f, V1 | V3},
    {"R41 80 6 17 2 R54 80 6 17 2", DOWN, SKIN, -4, 1.2f, V2},
    {"B38 100 38 95 44 93 49 95 49 100", FLAT, FUR_DARK, 8, 0, 0},
    {"B52 100 52 95 57 93 63 95 64 100", FLAT, FUR_DARK, 8, 0, 0},
    {"B38 50 30 58 24 70 28 74 36 66 42 56", DOWN, ACCENT, -10, 1.4f, 0},
    {"B62 50 70 58 76 70 72 74 64 66 58 56", DOWN, ACCENT, -4, 1.4f, 0},
    {"E26 74 4 4 E74 74 4 4", DOWN, SKIN, 0, 1.2f, 0},
    {"M40 44 C36 56 36 68 37 82 L64 82 C65 68 64 56 60 44Z", DOWN, ACCENT, 4, 1.6f, V1 | V3},
    {"M40 44 C38 56 32 72 29 84 C40 88 62 88 72 84 C69 72 62 56 60 44Z", DOWN, ACCENT, 4, 1.6f, V2},
    {"M37 66 L64 66 M37 73 L64 73", LINE, ACCENT, 40, 2.4f, V1},
    HEAD,
};

/* The hand that holds is up on the right. */
static const sac_part child_holding[] = {
    {"R40 78 8 19 2 R53 78 8 19 2", DOWN, DENIM, -4, 1.4f, V1 | V3},
    {"R41 80 6 17 2 R54 80 6 17 2", DOWN, SKIN, -4, 1.2f, V2},
    {"B38 100 38 95 44 93 49 95 49 100", FLAT, FUR_DARK, 8, 0, 0},
    {"B52 100 52 95 57 93 63 95 64 100", FLAT, FUR_DARK, 8, 0, 0},
    {"B38 50 30 58 24 70 28 74 36 66 42 56", DOWN, ACCENT, -10, 1.4f, 0},
    {"E26 74 4 4", DOWN, SKIN, 0, 1.2f, 0},
    {"M40 44 C36 56 36 68 37 82 L64 82 C65 68 64 56 60 44Z", DOWN, ACCENT, 4, 1.6f, V1 | V3},
    {"M40 44 C38 56 32 72 29 84 C40 88 62 88 72 84 C69 72 62 56 60 44Z", DOWN, ACCENT, 4, 1.6f, V2},
    {"M37 66 L64 66 M37 73 L64 73", LINE, ACCENT, 40, 2.4f, V1},
    {"B56 48 66 50 76 44 82 36 88 39 84 50 72 59 60 60", DOWN, ACCENT, -2, 1.4f, 0},
    {"E86 36 4.2 4.2", DOWN, SKIN, 4, 1.2f, 0},
    HEAD,
};

static const sac_part child_running[] = {
    {"B44 74 36 84 22 86 14 84 12 90 24 95 40 92 52 80", DOWN, DENIM, -14, 1.4f, 0},
    {"B14 82 8 82 6 90 12 95 16 92", FLAT, FUR_DARK, 8, 0, 0},
    {"B38 50 26 56 18 66 22 71 34 64 44 56", DOWN, ACCENT, -12, 1.4f, 0},
    {"E19 70 4 4", DOWN, SKIN, 0, 1.2f, 0},
    {"B50 74 62 80 70 88 68 98 62 98 60 90 52 86 44 80", DOWN, DENIM, 0, 1.4f, 0},
    {"B60 96 68 94 76 98 76 101 61 101", FLAT, FUR_DARK, 8, 0, 0},
    {"M42 44 C37 56 35 68 35 80 L62 82 C65 68 64 56 60 44Z", DOWN, ACCENT, 4, 1.6f, 0},
    {"B58 50 68 56 78 54 84 48 88 53 82 62 70 65 58 60", DOWN, ACCENT, -2, 1.4f, 0},
    {"E87 49 4 4", DOWN, SKIN, 4, 1.2f, 0},
    HEAD,
};

static const sac_part snowman[] = {
    {"M26 58 L4 44 M10 48 L6 38 M74 58 L96 44 M90 48 L96 36", LINE, BARK, -6, 2.6f, 0},
    {"E50 78 27 23", BALL, SNOW, 0, 1.8f, 0},
    {"E50 49 20 18", BALL, SNOW, 2, 1.8f, 0},
    {"E50 25 15.5 14.5", BALL, SNOW, 4, 1.8f, 0},
    {"R36 8 28 5 2 R40 -10 20 20 2", DOWN, INK, 12, 1.2f, V1},
    {"R40 3 20 5 0", FLAT, ROSE, 0, 0, V1},
    {"M34 18 C34 2 44 -4 50 -4 C56 -4 66 2 66 18Z", DOWN, DENIM, 6, 1.6f, V2},
    {"R32 13 36 7 3", DOWN, CREAM, 4, 1.4f, V2},
    {"E50 -6 5 5", BALL, CREAM, 4, 1.2f, V2},
    {"E44 23 2 2.6 E56 23 2 2.6", FLAT, INK, -10, 0, 0},
    {"M49 27 L70 31 49 32Z", DOWN, AMBER, 0, 1.2f, 0},
    {"S43 34 47 36.5 52 36", LINE, INK, 10, 1.5f, 0},
    {"M36 36 C44 43 56 43 64 36 L66 42 C56 48 44 48 34 42Z", DOWN, ROSE, 0, 1.4f, 0},
    {"M58 43 L70 62 62 64 52 46Z", DOWN, ROSE, -8, 1.4f, 0},
    {"E48 54 2.2 2.2 E48 62 2.2 2.2 E49 74 2.4 2.4", FLAT, INK, 0, 0, 0},
};

static const sac_part ball[] = {
    {"E50 50 48 48", BALL, SLOT, 0, 3, 0},
    {"M32 5 C58 22 62 76 36 96 C28 93 22 90 17 85 C40 66 38 32 14 18 C19 12 25 8 32 5Z", FLAT,
     WHITE, 0, 0, V1},
    {"E50 46 15 15 E86 60 9 15 E14 60 9 15 E66 12 13 7 E56 90 14 7", FLAT, WHITE, 0, 0, V2},
    {"E50 50 48 48", LINE, SLOT, -40, 3, 0},
};

/* It is held at its handle's end. */
static const sac_part umbrella[] = {
    {"M50 8 L50 92 C50 102 38 102 38 94", LINE, WOOD, -10, 3.4f, 0},
    {"M2 52 C4 24 26 6 50 6 C74 6 96 24 98 52 C92 45 84 45 78 52 C70 44 62 44 56 51 C52 47 48 47 "
     "44 51 "
     "C38 44 30 44 22 52 C16 45 8 45 2 52Z",
     DOWN, SLOT, 4, 2, 0},
    {"M50 6 C34 16 24 32 22 52 C30 44 38 44 44 51 C42 34 44 18 50 6Z M50 6 C66 16 76 32 78 52 C70 "
     "44 62 "
     "44 56 51 C58 34 56 18 50 6Z",
     FLAT, SLOT, -12, 0, V1},
    {"M50 6 C34 16 24 32 22 52 C30 44 38 44 44 51 C42 34 44 18 50 6Z M50 6 C66 16 76 32 78 52 C70 "
     "44 62 "
     "44 56 51 C58 34 56 18 50 6Z",
     FLAT, SLOT, 40, 0, V2},
    {"M50 0 L50 8", LINE, WOOD, -20, 3, 0},
};

static const sac_drawing drawings[] = {
    {SAC_CHILD, SAC_POSE_REST, PARTS(child_standing), 3, 0.255f, .shadow = 26},
    {SAC_CHILD, SAC_POSE_HOLD, PARTS(child_holding), 3, 0.255f, .anchor = {{86, 36}}, .shadow = 26},
    {SAC_CHILD, SAC_POSE_RUN, PARTS(child_running), 3, 0.255f, .anchor = {{87, 49}}, .shadow = 34},
    {SAC_SNOWMAN, SAC_POSE_REST, PARTS(snowman), 2, 0.27f, .shadow = 36},
    {SAC_BALL, SAC_POSE_REST, PARTS(ball), 2, 0.085f, .foot = {50, 98}, .shadow = 46},
    {SAC_UMBRELLA, SAC_POSE_REST, PARTS(umbrella), 2, 0.19f, .foot = {50, 80}},
};

const sac_noun_family sac_noun_family_people = {PARTS(drawings)};
