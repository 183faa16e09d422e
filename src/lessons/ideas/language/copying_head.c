/* A language model of two layers, which learnt words of random letters that come again, reads "saltsalt": a head of the
 * first layer looks at the letter before, and by what that leaves a head of the second looks at what came after the
 * same letter (Olsson et al. 2022, "In-context Learning and Induction Heads"). Of the 64 numbers of a letter eight are
 * shown, and of four heads one of each layer, whole; they are tables in three decimals, which tests/lessons/copied.py
 * computes of the weights in float64. Where the heads that look back are switched off, the model was run without them. */
#include "lessons/ideas/lessons.h"
#include "lessons/shared/tables.h"

enum { LETTERS = 8, SHOWN = 8, HEAD = 16, NEXT = 4 };

static const sac_lesson_parameter parameters[] = {
    {"first", N_("heads of the first layer that look back"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("letters"),
     .sentence =
         N_("Each letter picks its row of a table, to which the row of its place is added."),
     .formula = "x = E[id] + P[i]",
     .notice = N_(
         "Both \"s\" have the same row of E, and other rows of P; eight of 64 numbers are shown."),
     .code = "x = E + P",
     .questions = {{SAC_ASK_VALUE, 2, N_("The row of the letter and that of the place, added.")}}},
    {.name = N_("places"),
     .sentence = N_(
         "In a head of the first layer the query of a place fits the key of the place before it."),
     .formula = "S = mask(Q Kᵀ / √16),  Q, K of norm(x)",
     .notice = N_("The scores to the left of the diagonal are the largest of their rows, whichever "
                  "letters stand there."),
     .code = "S = (q @ k.T / math.sqrt(16)).masked_fill(blocked, -math.inf)",
     .cell = "before.masked,3,2"},
    {.name = N_("one before"),
     .sentence = N_("So each letter looks at the one before it."),
     .formula = "P = softmax(S)",
     .notice = N_("The first letter has none before it, and looks at itself."),
     .code = "P = S.softmax(-1)",
     .cell = "before.weights,3,2",
     .questions = {{SAC_ASK_LARGEST, 0, N_("The place before it; the first has only itself."),
                    true}}},
    {.name = N_("a note"),
     .sentence = N_("The head brings the value of the letter before, which is added: from here on "
                    "\"a\" also carries \"s\"."),
     .formula = "head = P V",
     .notice = N_("Row \"a\" of the head is about row \"s\" of V, and so on."),
     .code = "head = first * (P @ v)",
     .cell = "before.taken,3,0"},
    {.name = N_("a match"),
     .sentence = N_("In a head of the second layer a query asks for the letter that it stands on, "
                    "and a key carries the letter before its own."),
     .formula = "S = mask(Q Kᵀ / √16)",
     .notice = N_("The query of the second \"s\" fits the key of the first \"a\": the letter "
                  "before that was an \"s\"."),
     .code = "S = (q @ k.T / math.sqrt(16)).masked_fill(blocked, -math.inf)",
     .cell = "after.masked,4,1"},
    {.name = N_("one after"),
     .sentence = N_("So the head looks at what came after the same letter."),
     .formula = "P = softmax(S)",
     .notice = N_("From the second \"s\" on it looks three letters back; before that nothing fits, "
                  "and it rests on the first letter."),
     .code = "P = S.softmax(-1)",
     .cell = "after.weights,4,1"},
    {.name = N_("a copy"),
     .sentence =
         N_("It brings the value of that letter to the place just before the letter comes again."),
     .formula = "head = P V",
     .notice = N_("In the second half row i of the head is about row i − 3 of V; the first row, "
                  "where it rests, is small."),
     .code = "head = P @ v",
     .cell = "after.head,4,0"},
    {.name = N_("next letter"),
     .sentence =
         N_("With all that both layers add, each row is compared with all rows of E; the softmax "
            "gives the probability of each next letter."),
     .formula = "p = softmax(norm(x) Eᵀ)",
     .notice = N_("The first time it can only guess, the second time it copies; without the heads "
                  "that look back it guesses both times."),
     .code = "p = log_p.exp()   # log_p = model(ids).logits.log_softmax(-1)",
     .cell = "p,4,1",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The letter that it would write.")}}},
};

static const char *const letters[LETTERS] = {"s", "a", "l", "t", "s", "a", "l", "t"};
static const char *const next_letters[NEXT] = {"s", "a", "l", "t"};

/* Thousandths. */
/* clang-format off */
static const int embedded[] = {
    -33, 29, 20, 12, 129, -54, -158, -43, -20, -108, 12, 22, 38, -49, 183, 109, -42, -31, 11, 6, 93,
    269, -211, 137, -49, -46, 15, 15, 124, 79, 29, 97, -33, 29, 20, 12, 129, -54, -158, -43, -20,
    -108, 12, 22, 38, -49, 183, 109, -42, -31, 11, 6, 93, 269, -211, 137, -49, -46, 15, 15, 124, 79,
    29, 97,
};
static const int places[] = {
    -51, 22, 26, 7, -117, -249, 133, -223, 89, 111, -41, -90, 38, -21, -51, -70, -158, 251, 78, -18,
    -3, 66, 26, -89, -15, -5, -65, -105, 108, 88, -3, -79, 138, 195, -116, 192, -80, 29, 32, 17,
    -68, 155, 226, -17, -76, 17, -82, 102, -34, 341, 139, 117, 21, 142, 25, 7, 120, -4, 168, 103,
    96, 33, -43, 70,
};
static const int before_q[] = {
    147, 382, -887, -183, 695, -349, -224, -491, -543, -57, 508, 843, -605, 353, -312, 397, 148,
    -501, -293, -1319, -1080, 133, -964, -1345, 1829, -923, -147, -2474, 675, -1135, 206, 509,
    -1493, 1042, -1052, 1050, 727, -1207, 1725, 3855, -498, 2292, 700, 731, 964, 2556, -52, -184,
    3091, -1207, 862, -2990, 227, 812, -1644, -951, -2219, -1629, -1825, 727, -314, -310, 652, 396,
    -963, 1273, -1071, -2388, 269, 1517, -30, 64, 2749, -3118, 2937, -2024, 1638, -1259, -2657,
    -1173, 154, -2356, 1340, -104, -2686, 253, 1201, 2860, -1602, -729, -729, -2569, 2451, -1089,
    1367, -470, -1314, 1994, -2186, -2960, 1614, 48, 1638, 3626, -580, -1410, 1897, 531, 1135, 306,
    -2034, -517, 3288, -3061, 2527, -3230, -2373, 2210, -787, -722, -1485, -4004, -1354, -2047,
    1907, -2689, 951, -359,
};
static const int after_q[] = {
    589, 1728, -1440, 547, -719, -287, 1636, -1749, 1930, -2309, 279, 1195, -850, -703, -1223, 903,
    2874, -440, -1569, 4363, -1733, -109, 1466, -1026, -268, -589, -152, -136, -397, 1133, -1030,
    -1111, -455, 2455, 1835, 1090, -759, 2213, 3151, 374, 2177, -1123, -2291, -186, -885, 620, -962,
    350, -2280, -365, -1804, -325, -145, -2117, 3448, 884, 1080, 1483, -548, 1636, 209, -1306,
    -2598, 1683, 2418, -502, -1432, -2429, -1892, 1418, 1032, -870, -30, -2083, -438, 1380, -1495,
    323, -2942, 3027, 2996, -480, -1550, 4614, -1936, -54, 1646, -1082, -327, -586, -231, -134,
    -396, 1292, -999, -1180, -631, 2668, 1982, 1052, -777, 2391, 3291, 366, 2215, -1268, -2681,
    -142, -898, 719, -1109, 346, -2312, -349, -1760, -333, -322, -2151, 3527, 919, 1066, 1529, -714,
    1714, 236, -1219, -2755, 1685,
};
static const int alone_q[] = {
    598, 1687, -1434, 579, -722, -256, 1623, -1836, 1899, -2310, 324, 1200, -849, -755, -1193, 938,
    2848, -394, -1907, 4704, -1358, -256, 1742, -2318, 4, -795, 257, -208, -596, 1034, -276, -1386,
    -786, 3029, 1911, 457, 29, 2181, 3555, -14, 2170, -1975, -1751, 92, -987, 87, -552, 513, -1888,
    -224, -2277, -622, -187, -2684, 3544, 399, 407, 1626, -107, 1697, 137, -1646, -2354, 1767, 2482,
    -698, -1731, -1998, -1737, 1854, 762, -1505, 909, -2667, -198, 1135, -1652, -240, -2439, 3264,
    2672, -173, -2012, 4817, -1570, -317, 2083, -2483, 72, -1085, 433, -92, -661, 970, -332, -1347,
    -1061, 3508, 2053, 478, 8, 2342, 3890, -269, 2474, -2261, -2047, 281, -1128, 146, -721, 569,
    -2391, 44, -2454, -604, -325, -2932, 3933, 267, 497, 1675, -164, 1991, 175, -1720, -2729, 1768,
};
static const int before_k[] = {
    -422, -623, -555, 269, -634, -1356, -82, -2719, 1698, 991, -202, -603, -1160, -563, 1175, 1375,
    -1409, 91, -629, 2207, 222, -1219, 1271, 836, -441, 1883, 669, 1804, -806, 405, 252, 816, 743,
    -302, -920, -1686, 821, -1168, -488, -2491, -3337, 220, -1065, 2354, -3197, -824, 979, 1407,
    -1442, 501, -1205, -174, -135, -187, 477, -2015, 1918, -722, 1395, -709, -455, -1398, -772, 657,
    -1297, -1851, -200, 1320, -1800, -1340, 2051, 1099, -1202, 1029, -250, -661, 344, -1187, 1995,
    1383, -1942, 937, -2733, -2088, 923, -1559, 2052, 604, -1106, -246, 2096, 2250, -1426, -1276,
    -1387, 1391, 489, -2508, 61, -1930, -2010, -316, 822, -2189, -2569, -1468, -501, -681, -772,
    -2827, 1765, 1199, -2966, 639, -1884, -970, -715, 78, 2365, 1024, 2337, -1818, 3139, -1734,
    1356, -2333, -2037, 99,
};
static const int after_k[] = {
    -125, 2695, -1473, 1363, -1729, -837, 908, -1798, 1915, -1737, -804, 1252, -220, -1302, -1656,
    571, 2335, -3606, -122, -3551, -66, 3534, 185, 271, -2413, -431, 466, -231, -890, 1662, -652,
    2302, 2512, -1994, 435, 2810, -530, 1284, 807, -190, -2853, 1056, 314, -1292, 70, 2608, 1171,
    -2279, -1141, 391, 3784, -409, 1350, 3890, 2951, 2195, 105, 479, -1387, -1363, -490, 1987, 727,
    -202, -2046, -2112, -710, -1688, 796, -981, 2353, 1810, -1637, 3497, 359, 229, 627, 368, -723,
    318, 2167, -3388, 143, -3366, -68, 3491, 90, 260, -2373, -220, 238, -92, -838, 1550, -614, 2165,
    2303, -1861, 382, 2676, -744, 1198, 661, -117, -2901, 1114, 235, -1322, 180, 2366, 928, -2172,
    -1265, 350, 3771, -293, 1251, 3720, 2808, 2272, 4, 618, -1499, -1380, -592, 1999, 585, -235,
};
static const int alone_k[] = {
    -144, 2780, -1428, 1366, -1718, -894, 848, -1803, 1965, -1767, -834, 1302, -204, -1343, -1611,
    574, 91, -460, 201, -116, -521, 409, -388, -148, -831, -266, 63, -304, -22, -473, -508, 254,
    1204, 82, -157, 428, -1090, 77, -599, 40, -628, 232, -740, -205, -2, -292, -419, -540, -87,
    -570, 636, 941, -845, 616, 365, 1071, 676, 241, -721, -915, -259, 434, -143, -113, -376, 765,
    -76, 846, -750, 170, 147, -621, 73, 385, -767, -78, 122, -412, -37, -657, 71, 288, -260, -51,
    -712, 261, 165, -190, -339, -533, -801, 498, -13, -857, -561, 326, 609, 948, -232, 380, -1413,
    96, -347, -358, -491, 29, -1322, 694, 320, -546, -657, 132, -710, -174, 294, 1159, -699, 499,
    475, 726, 833, 221, -1423, -136, -71, 158, -406, 27,
};
static const int before_v[] = {
    301, -11, 680, 265, 668, -222, -85, 121, 158, 38, -59, -461, -47, -2, 456, 192, -73, -646, 577,
    -3, -148, -42, 436, -568, -363, -529, -543, -292, 69, -17, -349, 11, -23, -13, 53, 439, -232,
    -148, 311, 770, 109, -280, -123, -351, 472, 73, -538, 658, 33, -156, -26, 311, 185, -603, -204,
    654, -386, -294, -720, 581, -486, -280, -52, 45, 314, -241, 711, 29, 772, -220, -166, 346, 228,
    90, -100, -354, 30, 170, 593, 568, -94, -707, 468, -138, -229, -128, 431, -662, -482, -414,
    -557, -204, 77, 44, -314, 148, 79, -205, -47, 332, -241, -196, 265, 719, -12, -242, -55, -326,
    571, 335, -391, 764, 93, -315, -176, 193, 119, -675, -208, 528, -570, -71, -555, 617, -330, 26,
    35, 101,
};
static const int after_v[] = {
    274, -446, -376, 320, 499, 434, -618, 350, 354, -236, -174, -362, -362, 204, 625, 600, -1175,
    -261, 3587, 1222, -713, -3769, -420, 5581, -4029, 2171, 261, -1559, -764, -304, 601, 705, -2264,
    -471, -1746, -1487, 455, -3318, -667, 1698, -43, 5574, -287, 837, 5749, 3120, -137, -795, 847,
    -392, -3733, -246, -1636, -3358, -1177, 759, 1163, -1372, 2688, -3309, 908, 2291, -5158, -2674,
    1078, 1361, 294, 2237, 3178, 591, -1687, 4137, 2929, 1808, 460, -4305, -2257, 3110, -1564, 3543,
    -1243, -345, 3528, 1241, -632, -3973, -548, 5938, -4301, 2189, 120, -1440, -1024, -409, 735,
    639, -2246, -521, -2179, -1614, 680, -3400, -599, 1587, 158, 5832, -452, 955, 5932, 3176, -95,
    -761, 784, -374, -3953, -249, -1512, -3347, -1216, 843, 1074, -1374, 2663, -3339, 771, 2304,
    -5351, -2675,
};
static const int alone_v[] = {
    274, -576, -455, 322, 502, 508, -759, 316, 261, -310, -61, -261, -379, 193, 781, 657, -1445,
    -2614, 2854, 860, -1630, -3613, -1047, 3984, -5503, 252, 910, 396, -470, -1483, 1999, 309,
    -1885, -1720, -3710, -1861, 839, -1952, -1542, -228, 1190, 3650, -314, 2134, 5714, 2849, 1011,
    -574, 875, -1050, -3895, 165, -1865, -2256, -1473, -203, 677, -4039, 3192, -2802, -1133, 1324,
    -4704, -2899, 1247, -124, -98, 2267, 3486, 1817, -2631, 3072, 2304, 1058, 340, -2320, -2294,
    2322, 1157, 4346, -1620, -2699, 2460, 757, -1550, -3739, -1066, 4026, -5304, -130, 672, 374,
    -894, -1405, 2281, 206, -1998, -1746, -4440, -1928, 1194, -1973, -1557, -295, 1511, 4065, -436,
    2283, 6085, 3060, 1114, -620, 943, -1030, -4646, 140, -1867, -2614, -1224, -234, 842, -4210,
    3398, -3248, -1373, 1294, -5009, -3210,
};
static const int logs[] = {
    -3418, -2610, -2635, -2648, -4858, -4477, -2409, -2684, -2155, -5797, -5137, -2549, -2074,
    -4273, -6130, -4939, -10533, -8, -11957, -11924, -11969, -10706, -6, -11910, -12771, -11971,
    -10574, -5, -6, -12370, -12055, -10626,
};
static const int alone_logs[] = {
    -3328, -2623, -2664, -2593, -2495, -3836, -2624, -2658, -2154, -3420, -4540, -2551, -2045,
    -3040, -3755, -4434, -3751, -2767, -3300, -3475, -2650, -3929, -2800, -3162, -2379, -3363,
    -4998, -3039, -2301, -2970, -4172, -4600,
};
/* clang-format on */

static void build(sac_lesson *l)
{
    static const sac_table_head before = {"before", LETTERS,  LETTERS, HEAD,   before_q,
                                          before_k, before_v, letters, letters},
                                after = {"after", LETTERS, LETTERS, HEAD,   after_q,
                                         after_k, after_v, letters, letters},
                                alone = {"after", LETTERS, LETTERS, HEAD,   alone_q,
                                         alone_k, alone_v, letters, letters};
    const bool has_first = sac_lesson_value(l, "first") != 0;
    const sac_small_shape some = SAC_MATRIX(LETTERS, SHOWN);
    sac_graph *g = &l->graph;
    sac_node rows = sac_lesson_table(l, "E", some, embedded, letters, LETTERS),
             of_places = sac_lesson_table(l, "P", some, places, NULL, 0),
             x = sac_sum(g, "x", rows, of_places),
             blocked = sac_lesson_blocked(l, "blocked", LETTERS, LETTERS, true);
    sac_lesson_label(l, x, letters, LETTERS, NULL, 0);
    sac_lesson_head first = sac_lesson_attend_by_tables(l, &before, blocked),
                    second = sac_lesson_attend_by_tables(l, has_first ? &after : &alone, blocked);
    sac_node taken = sac_times(g, "before.taken", first.head, has_first);
    sac_lesson_label(l, taken, letters, LETTERS, NULL, 0);
    sac_node log_p = sac_lesson_table(l, "log_p", SAC_MATRIX(LETTERS, NEXT),
                                      has_first ? logs : alone_logs, NULL, 0),
             p = sac_unary(g, SAC_OP_EXP, "p", log_p);
    sac_lesson_label(l, log_p, letters, LETTERS, next_letters, NEXT);
    sac_lesson_label(l, p, letters, LETTERS, next_letters, NEXT);
    SAC_LESSON_STEP(l, steps[0], rows, of_places, x);
    SAC_LESSON_STEP(l, steps[1], first.q, first.k, first.scores);
    SAC_LESSON_STEP(l, steps[2], first.weights);
    SAC_LESSON_STEP(l, steps[3], first.weights, first.v, taken);
    SAC_LESSON_STEP(l, steps[4], second.q, second.k, second.scores);
    SAC_LESSON_STEP(l, steps[5], second.weights);
    SAC_LESSON_STEP(l, steps[6], second.weights, second.v, second.head);
    SAC_LESSON_STEP(l, steps[7], log_p, p);
    const sac_node looks[] = {first.weights, second.weights};
    for (int i = 0; i < 2; i++) {
        const sac_lesson_drawing bands = {.kind = SAC_DRAWS_BANDS,
                                          .part = 0.42f,
                                          .panel_count = 1,
                                          .mark_count = 1,
                                          .marks = {{SAC_MARK_BANDS, .y = looks[i]}}};
        sac_lesson_add_drawing(l, &bands, 2 + 3 * i, 2 + 3 * i);
    }
    /* The probability of the letter that does come, behind each of the first seven. */
    int index[LETTERS - 1];
    for (int i = 0; i < LETTERS - 1; i++)
        index[i] = i * NEXT + (i + 1) % NEXT;
    sac_node right = sac_gather(g, "p.right", p, SAC_MATRIX(1, LETTERS - 1), index);
    sac_lesson_label(l, right, NULL, 0, letters + 1, LETTERS - 1);
    const sac_lesson_drawing bars = {
        .part = 0.5f,
        .panel_count = 1,
        .panels = {{.title = N_("probability of the letter that comes"),
                    .x = N_("letter"),
                    .categories = right,
                    .y_high = 1.1f}},
        .mark_count = 1,
        .marks = {{SAC_MARK_BARS, 0, .y = right, .ink = SAC_INK_ACCENT}}};
    sac_lesson_add_drawing(l, &bars, 7, 7);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text =
         N_("The heads that look back are switched off. What happens to the weight of the second "
            "\"s\" on the first \"a\"?"),
     .cell = "after.weights,4,1",
     .after = "first=0",
     .why = N_("Nothing lets the \"a\" know that an \"s\" stood before it, and no key matches.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why can one layer not copy like this?"),
     .cell = "after.weights,4,1",
     .reasons = {{N_("a key has its own letter alone, until a head has brought the one before it")},
                 {N_("one layer sees one letter only")},
                 {N_("the causal mask blocks the first half"), "after.weights,4,1", '=', "0"}},
     .why = N_("To look at what came after the same letter, a key must carry the letter before its "
               "own: that is what the first layer's head brings.")},
    {0},
};

const sac_lesson_class sac_lesson_copying_head = {
    .name = "copying-head",
    .title = N_("A head that copies"),
    .summary = N_("two heads, one after the other, continue what they saw once"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
