/* Shapes without a noun. Only training scenes have them; they teach a colour independently of
 * the thing that has it. */
#include "book/nouns/drawing.h"

static const sac_part body[] = {
    {"B50 12 76 18 92 40 88 66 96 88 70 98 40 92 14 98 6 70 16 46 24 20", DOWN, SLOT, 2, 1.8f, V1},
    {"E36 40 10 8 E66 70 8 8", FLAT, CREAM, 0, 0, V1},
    {"M70 24 L96 16 88 36Z", DOWN, AMBER, 0, 1.4f, V1},
    {"R8 40 84 60 10", DOWN, SLOT, 4, 1.6f, V2},
    {"M2 44 L26 16 74 16 98 44Z", DOWN, ROOF, 0, 1.6f, V2},
    {"E30 66 8 8 E70 66 8 8", DOWN, STEEL, 0, 1.4f, V2},
    {"M50 6 L96 96 4 96Z", DOWN, SLOT, 0, 1.8f, V3},
    {"M50 6 L66 38 34 38Z", DOWN, ROSE, 0, 1.4f, V3},
    {"S24 84 50 74 76 84", LINE, SLOT, -24, 2.4f, V3},
    {"E34 66 32 30", DOWN, SLOT, -4, 1.8f, V4},
    {"E66 40 28 28", DOWN, SLOT, 6, 1.8f, V4},
    {"M90 34 L108 42 90 50Z", FLAT, AMBER, 0, 1.4f, V4},
    {"E70 34 4 4.4", FLAT, INK, -10, 0, V4},
    {"R22 92 8 10 2 R42 92 8 10 2", DOWN, FUR_DARK, 0, 1.2f, V4},
};

static const sac_drawing drawings[] = {
    {SAC_NOUNS, SAC_POSE_REST, PARTS(body), 4, 0.17f, .shadow = 40},
};

const sac_noun_family sac_noun_family_nameless = {PARTS(drawings)};
