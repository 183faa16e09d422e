/* The drawings of vehicles and boats. */
#include "book/nouns/drawing.h"

#define WHEEL_PAIR(a, b, y)                                                                        \
    {"E" #a " " #y " 11 11 E" #b " " #y " 11 11", DOWN, INK, 6, 1, 0},                             \
    {                                                                                              \
        "E" #a " " #y " 5 5 E" #b " " #y " 5 5", DOWN, STEEL, 12, 1, 0                             \
    }

static const sac_part car[] = {
    {"M4 84 C2 74 6 67 20 65 C26 54 32 44 40 42 C50 39 64 39 72 42 C82 46 90 56 96 65 C108 67 115 "
     "72 116 "
     "84 C116 91 113 92 108 92 L12 92 C7 92 4 90 4 84Z",
     DOWN, SLOT, 2, 1.8f, V1},
    {"M28 64 C32 55 36 49 42 48 L56 47 56 64Z M61 64 L61 47 C70 47 76 51 86 64Z", DOWN, GLASS, 0,
     1.2f, V1},
    {"M4 86 C4 60 22 42 54 40 C84 40 98 56 102 66 C112 68 116 76 116 86 C116 91 113 92 108 92 L12 "
     "92 C7 "
     "92 4 90 4 86Z",
     DOWN, SLOT, 2, 1.8f, V2},
    {"M26 66 C30 54 38 49 52 48 L52 66Z M58 66 L58 48 C74 48 84 56 90 66Z", DOWN, GLASS, 0, 1.2f,
     V2},
    {"M4 84 L4 44 C4 40 6 38 10 38 L66 38 C74 38 80 42 86 52 L94 66 C108 68 116 72 116 84 C116 91 "
     "113 92 "
     "108 92 L12 92 C7 92 4 90 4 84Z",
     DOWN, SLOT, 2, 1.8f, V3},
    {"R11 46 20 18 3 R36 46 20 18 3", DOWN, GLASS, 0, 1.2f, V3},
    {"M61 64 L61 46 66 46 C72 46 76 50 85 64Z", DOWN, GLASS, 0, 1.2f, V3},
    {"M8 76 L112 76", LINE, SLOT, -24, 1.6f, 0},
    {"M59 66 L59 88", LINE, SLOT, -24, 1.2f, 0},
    {"R63 69 8 2.4 1", FLAT, SLOT, -34, 0, 0},
    {"E111 76 4 5", FLAT, LAMPLIGHT, 30, 1.2f, 0},
    {"R3 73 4 7 1.5", FLAT, ROSE, -10, 1, 0},
    {"E118 78 24 14", GLOW, LAMPLIGHT, 10, 0, AT_NIGHT},
    WHEEL_PAIR(30, 91, 90),
};

static const sac_part bus[] = {
    {"R2 30 148 62 9", DOWN, SLOT, 2, 1.8f, V1},
    {"R2 4 148 88 9", DOWN, SLOT, 2, 1.8f, V2},
    {"R9 39 18 20 3 R31 39 18 20 3 R53 39 18 20 3 R75 39 18 20 3 R97 39 18 20 3", DOWN, GLASS, 0,
     1.2f, V1},
    {"R9 12 20 18 3 R34 12 20 18 3 R59 12 20 18 3 R84 12 20 18 3 R109 12 20 18 3 R9 46 20 18 3 R34 "
     "46 20 "
     "18 3 R59 46 20 18 3 R84 46 20 18 3",
     DOWN, GLASS, 0, 1.2f, V2},
    {"R134 12 13 18 3", DOWN, GLASS, 0, 1.2f, V2},
    {"R120 40 16 50 2", DOWN, GLASS, 4, 1.4f, V1},
    {"R110 46 16 44 2", DOWN, GLASS, 4, 1.4f, V2},
    {"M128 40 L128 90", LINE, SLOT, -20, 1.6f, V1},
    {"M118 46 L118 90", LINE, SLOT, -20, 1.6f, V2},
    {"M142 40 C147 40 149 44 149 50 L149 62 141 62 141 42Z", DOWN, GLASS, 0, 1.2f, V1},
    {"M136 46 C145 46 149 48 149 54 L149 66 133 66 133 48Z", DOWN, GLASS, 0, 1.2f, V2},
    {"R2 67 114 5 0", FLAT, CREAM, 0, 0, V1},
    {"R2 34 148 6 0", FLAT, CREAM, 0, 0, V2},
    {"E146 80 3.6 4.6", FLAT, LAMPLIGHT, 30, 1.2f, 0},
    {"R2 76 4 8 1.5", FLAT, ROSE, -10, 1, 0},
    WHEEL_PAIR(32, 112, 91),
};

static const sac_part truck[] = {
    {"R2 34 84 54 3", DOWN, CREAM, 6, 1.8f, V1},
    {"M10 44 L78 44 M10 54 L78 54 M10 64 L78 64 M10 74 L78 74", LINE, CREAM, -14, 1.4f, V1},
    {"M2 58 L86 58 86 88 2 88Z", DOWN, WOOD, 6, 1.8f, V2},
    {"M4 68 L84 68 M4 78 L84 78", LINE, WOOD, -20, 1.4f, V2},
    {"B6 58 14 48 26 50 36 40 48 46 60 42 70 50 82 58", DOWN, GOLD, -4, 1.4f, V2},
    {"M2 58 L86 58", LINE, WOOD, -10, 4, V2},
    {"M88 90 L88 46 C88 42 90 40 94 40 L110 40 C116 40 119 44 122 54 L126 64 C134 65 136 70 136 78 "
     "L136 "
     "90Z",
     DOWN, SLOT, 2, 1.8f, 0},
    {"M97 62 L97 48 109 48 C113 48 114 52 117 62Z", DOWN, GLASS, 0, 1.2f, 0},
    {"R2 86 134 6 2", FLAT, INK, 14, 0, 0},
    {"E132 76 3.4 4.4", FLAT, LAMPLIGHT, 30, 1.2f, 0},
    WHEEL_PAIR(26, 110, 91),
    {"E50 91 11 11", DOWN, INK, 6, 1, 0},
    {"E50 91 5 5", DOWN, STEEL, 12, 1, 0},
};

static const sac_part train[] = {
    {"B150 14 142 8 146 0 136 -4 128 2 118 -6 106 -4 104 6 114 10 122 8 132 14", DOWN, WHITE, -4, 1,
     V1},
    {"R-30 46 62 42 4 R38 46 62 42 4", DOWN, SLOT, 0, 1.8f, V1},
    {"R-34 40 70 8 3 R34 40 70 8 3", DOWN, SLOT, -24, 1.4f, V1},
    {"R-24 54 14 15 2 R-6 54 14 15 2 R12 54 14 15 2 R44 54 14 15 2 R62 54 14 15 2 R80 54 14 15 2",
     DOWN, GLASS, 0, 1.2f, V1},
    {"R106 34 26 52 2", DOWN, SLOT, 2, 1.8f, V1},
    {"R102 28 34 8 3", DOWN, SLOT, -24, 1.4f, V1},
    {"R111 42 16 16 2", DOWN, GLASS, 0, 1.2f, V1},
    {"R132 52 36 32 8", DOWN, SLOT, 4, 1.8f, V1},
    {"M148 53 L150 34 144 28 162 28 157 34 159 53Z", DOWN, INK, 14, 1.4f, V1},
    {"M142 53 L142 83 M160 53 L160 83", LINE, GOLD, 0, 2.4f, V1},
    {"E168 62 4 5", FLAT, LAMPLIGHT, 20, 1.2f, V1},
    {"M160 92 L178 92 166 80Z", DOWN, INK, 16, 1.2f, V1},
    {"R-30 84 194 6 2", FLAT, INK, 10, 0, V1},
    {"E-18 92 8 8 E20 92 8 8 E50 92 8 8 E88 92 8 8 E146 93 7 7 E160 93 7 7", DOWN, STEEL, -30, 1.4f,
     V1},
    {"E118 89 11 11", DOWN, STEEL, -30, 1.4f, V1},
    {"E118 89 4 4 E-18 92 3 3 E20 92 3 3 E50 92 3 3 E88 92 3 3", FLAT, GOLD, 0, 0, V1},
    {"M-30 40 L120 40 C146 40 166 54 174 76 C176 84 174 90 168 90 L-30 90 C-34 90 -34 40 -30 40Z",
     DOWN, SLOT, 2, 1.8f, V2},
    {"R-24 50 22 17 4 R4 50 22 17 4 R32 50 22 17 4 R60 50 22 17 4 R88 50 22 17 4", DOWN, GLASS, 0,
     1.2f, V2},
    {"M122 50 L134 50 C146 54 154 60 160 68 L122 68Z", DOWN, GLASS, 0, 1.2f, V2},
    {"M-32 74 L172 74 C173 76 174 78 174 80 L-32 80Z", FLAT, CREAM, 4, 0, V2},
    {"E168 85 3.6 2.6", FLAT, LAMPLIGHT, 20, 1, V2},
    {"E-16 93 7 7 E4 93 7 7 E70 93 7 7 E90 93 7 7 E134 93 7 7 E152 93 7 7", DOWN, STEEL, -34, 1.2f,
     V2},
};

static const sac_part boat[] = {
    {"R48 6 3.4 72 1", DOWN, WOOD, -10, 0.8f, V1},
    {"M54 8 C70 24 84 46 90 68 L54 68Z", DOWN, SLOT, 16, 1.6f, V1},
    {"M46 16 C40 36 30 54 16 68 L46 68Z", DOWN, SLOT, 4, 1.6f, V1},
    {"M51 4 L64 0 51 -6Z", FLAT, ROSE, 0, 1, V1},
    {"M6 74 C30 78 70 78 96 73 C94 88 86 97 76 100 L26 100 C16 96 8 88 6 74Z", DOWN, SLOT, -4, 1.8f,
     V1},
    {"M7 79 C30 83 70 83 95 78", LINE, SLOT, -30, 2, V1},
    {"R34 50 34 26 2", DOWN, CREAM, 8, 1.6f, V2},
    {"R30 45 44 7 2", DOWN, SLOT, -14, 1.4f, V2},
    {"R39 57 9 10 2 R54 57 9 10 2", FLAT, GLASS, 0, 1.2f, V2},
    {"R40 22 14 24 1", DOWN, SLOT, 6, 1.6f, V2},
    {"R40 26 14 6 0", FLAT, WHITE, 0, 0, V2},
    {"B46 18 42 12 48 6 56 8 60 0 70 2 68 10 58 14", FLAT, WHITE, -4, 0.8f, V2},
    {"M0 70 C26 77 70 77 104 68 C102 84 94 96 84 100 L22 100 C10 96 2 84 0 70Z", DOWN, SLOT, 0,
     1.8f, V2},
    {"E28 86 3.4 3.4 E50 87 3.4 3.4 E72 86 3.4 3.4", FLAT, GLASS, 0, 1.2f, V2},
    {"R52 2 3.4 76 1", DOWN, WOOD, -10, 0.8f, V3},
    {"M54 6 C66 6 88 10 92 14 C98 32 98 46 92 62 C80 66 66 66 54 64 C60 46 60 24 54 6Z", DOWN, SLOT,
     10, 1.6f, V3},
    {"M56 22 C72 22 86 24 96 27 L97 36 C84 33 72 32 58 32Z M58 42 C72 42 86 44 97 46 L95 54 C84 51 "
     "72 50 "
     "57 51Z",
     FLAT, SLOT, -12, 0, V3},
    {"M51 14 C40 34 30 50 14 66 L49 70Z", DOWN, CREAM, 4, 1.6f, V3},
    {"M0 66 C8 72 20 76 50 76 C80 76 92 74 104 64 C102 82 94 96 82 100 L24 100 C12 96 4 84 0 66Z",
     DOWN, SLOT, -8, 1.8f, V3},
    {"M4 76 C30 84 74 84 100 75", LINE, SLOT, 26, 2, V3},
    {"M-8 101 C4 95 12 104 22 99 C32 95 40 104 50 99 C60 95 68 104 78 99 C88 95 96 104 108 101 C90 "
     "110 10 "
     "110 -8 101Z",
     FLAT, WHITE, 0, 0, 0},
};

static const sac_drawing drawings[] = {
    {SAC_CAR, SAC_POSE_REST, PARTS(car), 3, 0.235f, .foot = {60, 101}, .shadow = 58},
    {SAC_BUS, SAC_POSE_REST, PARTS(bus), 2, 0.27f, .foot = {76, 102}, .shadow = 76},
    {SAC_TRUCK, SAC_POSE_REST, PARTS(truck), 2, 0.25f, .foot = {69, 102}, .shadow = 70},
    {SAC_TRAIN, SAC_POSE_REST, PARTS(train), 2, 0.25f, .foot = {70, 100}, .shadow = 106},
    {SAC_BOAT, SAC_POSE_REST, PARTS(boat), 3, 0.29f, .foot = {50, 100}},
};

const sac_noun_family sac_noun_family_vehicles = {PARTS(drawings)};
