/* The drawings of houses and other buildings. */
#include "book/nouns/drawing.h"

static const sac_part house[] = {
    /* a cottage from its gable */
    {"M66 40 L66 16 76 16 76 48Z", DOWN, ROOF, -12, 1.4f, V1},
    {"R64 12 14 6 1", FLAT, ROOF, -24, 1.2f, V1},
    {"M18 100 L18 52 50 22 82 52 82 100Z", DOWN, SLOT, 4, 1.6f, V1},
    {"M6 58 L50 14 94 58 88 64 50 27 12 64Z", DOWN, ROOF, 0, 1.6f, V1},
    {"E50 50 8 8", DOWN, CREAM, 0, 1.2f, V1},
    {"E50 50 5.5 5.5", FLAT, GLASS, 0, 1, V1},
    {"R42 70 16 30 7", DOWN, WOOD, -8, 1.6f, V1},
    {"E54 86 1.6 1.6", FLAT, GOLD, 0, 0, V1},
    {"R23 68 15 16 1.5 R62 68 15 16 1.5", DOWN, CREAM, 10, 1.2f, V1},
    {"R25 70 11 12 1 R64 70 11 12 1", FLAT, GLASS, 0, 1, V1},
    {"M30.5 70 L30.5 82 M25 76 L36 76 M69.5 70 L69.5 82 M64 76 L75 76", LINE, CREAM, 10, 1.4f, V1},
    /* a long one from the side */
    {"M26 46 L26 26 36 26 36 46Z", DOWN, ROOF, -20, 1.4f, V2},
    {"R24 22 14 6 1", FLAT, ROOF, -30, 1.2f, V2},
    {"R4 60 92 40 1", DOWN, SLOT, 4, 1.6f, V2},
    {"M-4 64 L14 34 86 34 104 64Z", DOWN, SLATE, 0, 1.6f, V2},
    {"M4 54 L96 54 M9 45 L91 45", LINE, SLATE, -16, 1.2f, V2},
    {"M66 52 L66 44 76 37 86 44 86 52Z", DOWN, SLOT, 8, 1.2f, V2},
    {"R72 44 8 8 1", FLAT, GLASS, 0, 1, V2},
    {"R42 72 16 28 1.5", DOWN, WOOD, 0, 1.6f, V2},
    {"R45 75 10 9 1", FLAT, GLASS, 0, 0.8f, V2},
    {"R11 72 20 15 1.5 R69 72 20 15 1.5", DOWN, CREAM, 10, 1.2f, V2},
    {"R13 74 7 11 0.5 R22 74 7 11 0.5 R71 74 7 11 0.5 R80 74 7 11 0.5", FLAT, GLASS, 0, 0.8f, V2},
    {"R8 86 26 5 1.5 R66 86 26 5 1.5", DOWN, BARK, 0, 1, V2},
    {"E13 85 2.5 2.5 E20 84 3 3 E28 85 2.5 2.5 E71 85 2.5 2.5 E79 84 3 3 E86 85 2.5 2.5", FLAT,
     ROSE, 0, 0, V2},
    /* a small one under a thatched roof */
    {"R16 58 68 42 2", DOWN, SLOT, 6, 1.6f, V3},
    {"M4 68 C10 44 24 26 50 22 C76 26 90 44 96 68 C88 72 80 66 72 70 C64 66 58 70 50 67 C42 70 36 "
     "66 28 "
     "70 C20 66 12 72 4 68Z",
     DOWN, THATCH, 0, 1.6f, V3},
    {"S18 58 24 50 28 40 M40 58 C42 48 43 42 44 34 M60 58 C58 48 57 42 56 34 M82 58 C78 50 74 44 "
     "72 40",
     LINE, THATCH, -22, 1.4f, V3},
    {"M40 100 L40 82 C40 74 60 74 60 82 L60 100Z", DOWN, WOOD, -6, 1.6f, V3},
    {"E56 90 1.5 1.5", FLAT, GOLD, 0, 0, V3},
    {"E28 83 7.5 7.5 E72 83 7.5 7.5", DOWN, CREAM, 10, 1.2f, V3},
    {"E28 83 5.5 5.5 E72 83 5.5 5.5", FLAT, GLASS, 0, 1, V3},
    {"M28 77.5 L28 88.5 M22.5 83 L33.5 83 M72 77.5 L72 88.5 M66.5 83 L77.5 83", LINE, CREAM, 10,
     1.2f, V3},
    /* snow on the roofs */
    {"M4 58 C20 40 36 24 50 10 C64 24 80 40 96 58 C90 62 86 56 80 54 C74 50 62 40 50 27 C40 38 28 "
     "48 22 "
     "53 C16 58 10 64 4 58Z",
     DOWN, SNOW, 0, 1, V1 | IN_SNOW},
    {"M2 56 L14 32 86 32 98 56 C92 60 88 52 82 54 C74 60 70 50 62 54 C54 60 48 50 40 54 C32 60 26 "
     "50 18 "
     "54 C12 56 8 62 2 56Z",
     DOWN, SNOW, 0, 1, V2 | IN_SNOW},
    {"M8 58 C16 40 28 22 50 19 C72 22 84 40 92 58 C84 60 80 50 72 54 C64 58 58 48 50 52 C42 56 36 "
     "48 28 "
     "54 C20 50 14 60 8 58Z",
     DOWN, SNOW, 0, 1, V3 | IN_SNOW},
};

static const sac_part lighthouse[] = {
    {"E50 20 62 40", GLOW, LAMPLIGHT, 20, 0, AT_NIGHT},
    {"M50 20 L-60 2 -60 38Z M50 20 L160 2 160 38Z", GLOW, LAMPLIGHT, 40, 0, AT_NIGHT},
    {"B22 102 26 92 38 94 50 90 64 94 76 92 80 102 50 104", DOWN, STONE, -14, 1.4f, 0},
    {"M34 96 L40 32 60 32 66 96Z", DOWN, WHITE, 0, 1.6f, 0},
    {"M35.5 80 L36.9 65 63.1 65 64.5 80Z M38.3 50 L39.4 38 60.6 38 61.7 50Z", DOWN, ROSE, 0, 0, V1},
    {"M34.5 90 L37 64 64 80 65 92Z M37.8 56 L40 34 61 50 62.6 66Z", DOWN, ROSE, 0, 0, V2},
    {"M34 96 L40 32 60 32 66 96Z", LINE, INK, 30, 1.4f, 0},
    {"R46 84 8 12 4", FLAT, WOOD, -10, 1, 0},
    {"R47 55 6 7 2", FLAT, GLASS, 0, 1, 0},
    {"R36 29 28 4.5 1", DOWN, STEEL, -20, 1.2f, 0},
    {"R42 14 16 16 1", FLAT, LAMPLIGHT, 10, 1.2f, 0},
    {"M50 14 L50 30", LINE, INK, 10, 1, 0},
    {"M39 15 C42 8 46 5 50 2 C54 5 58 8 61 15Z", DOWN, ROSE, -8, 1.4f, 0},
};

static const sac_part fence[] = {
    {"R-12 66 124 7 1.5 R-12 84 124 7 1.5", DOWN, WOOD, -12, 1.2f, 0},
    {"M-8 100 L-8 58 -2 50 4 58 4 100Z M12 100 L12 58 18 50 24 58 24 100Z M32 100 L32 58 38 50 44 "
     "58 44 "
     "100Z M52 100 L52 58 58 50 64 58 64 100Z M72 100 L72 58 78 50 84 58 84 100Z M92 100 L92 58 98 "
     "50 "
     "104 58 104 100Z",
     DOWN, WOOD, 14, 1.4f, V1},
    {"R-8 54 12 46 2 R22 56 12 44 2 R54 54 12 46 2 R86 56 12 44 2", DOWN, WOOD, 0, 1.4f, V2},
    {"R-14 60 128 9 2 R-14 78 128 9 2", DOWN, WOOD, 6, 1.4f, V2},
};

static const sac_part castle[] = {
    {"R24 46 52 54 0", DOWN, STONE, 4, 1.6f, 0},
    {"M24 48 L24 40 31 40 31 45 38 45 38 40 46 40 46 45 54 45 54 40 62 40 62 45 69 45 69 40 76 40 "
     "76 "
     "48Z",
     DOWN, STONE, 8, 1.4f, 0},
    {"R4 34 24 66 0 R72 34 24 66 0", DOWN, STONE, 10, 1.6f, 0},
    {"M0 36 L16 4 32 36Z M68 36 L84 4 100 36Z", DOWN, DENIM, 6, 1.6f, V1},
    {"M0 36 L16 4 32 36Z M68 36 L84 4 100 36Z", DOWN, ROSE, 0, 1.6f, V2},
    {"M16 4 L16 -6 28 -2 16 2Z M84 4 L84 -6 96 -2 84 2Z", FLAT, GOLD, 0, 1, 0},
    {"M40 100 L40 78 C40 66 60 66 60 78 L60 100Z", DOWN, WOOD, -20, 1.6f, 0},
    {"M46 100 L46 71 M54 100 L54 71", LINE, WOOD, -50, 1.2f, 0},
    {"R12 48 8 13 4 R80 48 8 13 4 R46 52 8 11 4", FLAT, GLASS, 0, 1.2f, 0},
    {"R8 74 7 3 0.5 R18 82 7 3 0.5 R78 70 7 3 0.5 R86 84 7 3 0.5 R29 60 7 3 0.5 R64 66 7 3 0.5 R30 "
     "86 7 "
     "3 0.5",
     FLAT, STONE, -14, 0, 0},
};

static const sac_part tent[] = {
    {"M50 30 L-4 100 104 100Z", DOWN, SLOT, 0, 1.8f, 0},
    {"M50 30 L72 100 104 100Z", FLAT, SLOT, -18, 0, V1},
    {"M50 30 L14 77 28 100 42 100Z M50 30 L58 100 74 100Z", FLAT, WHITE, 0, 0, V2},
    {"M50 44 C48 66 40 86 32 100 L66 100 C58 86 52 66 50 44Z", FLAT, INK, 12, 1.2f, 0},
    {"M50 44 C48 66 40 86 32 100 L26 100 C34 86 44 66 50 44Z M50 44 C52 66 58 86 66 100 L72 100 "
     "C64 86 "
     "56 66 50 44Z",
     DOWN, SLOT, 22, 1, 0},
    {"M46 34 L56 20 M54 34 L44 20", LINE, WOOD, -10, 2.4f, 0},
    {"E49 88 26 20", GLOW, LAMPLIGHT, 0, 0, AT_NIGHT},
};

static const sac_part lamp[] = {
    {"E50 14 44 44", GLOW, LAMPLIGHT, 10, 0, AT_NIGHT},
    {"R48 30 4 66 1", DOWN, INK, 14, 0.8f, 0},
    {"S32 52 40 42 50 46 60 42 68 52", LINE, INK, 14, 3, V2},
    {"E32 58 6.5 7.5 E68 58 6.5 7.5", DOWN, LAMPLIGHT, 10, 1.4f, V2},
    {"R28 50 8 3 1 R64 50 8 3 1", FLAT, INK, 10, 0, V2},
    {"M40 100 L44 90 56 90 60 100Z", DOWN, INK, 10, 0.8f, 0},
    {"M42 6 L58 6 55 28 45 28Z", DOWN, LAMPLIGHT, 10, 1.4f, 0},
    {"M38 8 C42 0 46 -2 50 -6 C54 -2 58 0 62 8Z", DOWN, INK, 16, 1, 0},
    {"R42 27 16 4 1", FLAT, INK, 14, 0.8f, 0},
};

static const sac_part bench[] = {
    {"M8 100 L12 66 18 66 16 100Z M84 100 L82 66 88 66 92 100Z", DOWN, INK, 16, 1, 0},
    {"R4 42 92 8 2 R4 54 92 8 2", DOWN, WOOD, 4, 1.4f, V1},
    {"M6 64 C6 44 20 34 50 34 C80 34 94 44 94 64Z", DOWN, WOOD, 4, 1.4f, V2},
    {"M26 64 L26 40 M42 64 L42 36 M58 64 L58 36 M74 64 L74 40", LINE, WOOD, -30, 1.6f, V2},
    {"M14 72 L16 40 21 40 20 72Z M79 72 L79 40 84 40 86 72Z", DOWN, INK, 16, 1, 0},
    {"R0 68 100 9 2", DOWN, WOOD, 14, 1.4f, 0},
};

static const sac_drawing drawings[] = {
    {SAC_HOUSE, SAC_POSE_REST, PARTS(house), 3, 0.43f, .anchor = {{50, 17}, {50, 35}, {50, 23}},
     .feature = {2, 14, 98, 66}, .shadow = 54},
    {SAC_LIGHTHOUSE, SAC_POSE_REST, PARTS(lighthouse), 2, 0.56f, .shadow = 36},
    {SAC_FENCE, SAC_POSE_REST, PARTS(fence), 2, 0.26f, .anchor = {{50, 53}}, .shadow = 66},
    {SAC_CASTLE, SAC_POSE_REST, PARTS(castle), 2, 0.5f, .anchor = {{50, 40}}, .shadow = 56},
    {SAC_TENT, SAC_POSE_REST, PARTS(tent), 2, 0.27f, .anchor = {{50, 22}}, .shadow = 60},
    {SAC_LAMP, SAC_POSE_REST, PARTS(lamp), 2, 0.38f, .anchor = {{50, -6}}, .shadow = 14},
    {SAC_BENCH, SAC_POSE_REST, PARTS(bench), 2, 0.21f, .anchor = {{50, 69}}, .shadow = 54},
};

const sac_noun_family sac_noun_family_buildings = {PARTS(drawings)};
