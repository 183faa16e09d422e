/* A trained transformer reads "the red cat sleeps" and writes "le chat rouge dort": embedding, positions, the
 * three kinds of attention in its second layers, residual and norm, feed-forward. Of the 128 numbers of a word
 * eight are shown, and of the four heads one; they are tables in three decimals, which
 * tests/lessons/translated.py computes of the weights in float64. */
#include <math.h>
#include <stdio.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/tables.h"

enum { WORDS = 4, WIDTH = 128, SHOWN = 8, HEAD = 32, NEXT = 6 };

static const sac_lesson_parameter parameters[] = {
    {"causal", N_("the decoder's causal mask"), 0, 1, 1, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.block = SAC_BLOCK_EMBEDDING,
     .name = N_("embedding"),
     .sentence = N_("Each word picks its row of a table, which is multiplied by √d and added to "
                    "its position."),
     .formula = "x = E[id] · √d + PE",
     .notice =
         N_("The factor √d gives both a similar size; of d = 128 trained numbers eight are shown."),
     .code = "x = embedding(ids) * math.sqrt(d) + PE[:T]",
     .questions = {{SAC_ASK_VALUE, 2, N_("Embedding and position, added.")}}},
    {.block = SAC_BLOCK_ENCODER_ATTENTION,
     .name = N_("1: encoder"),
     .sentence =
         N_("The source attends to itself: each word looks at every word (self-attention)."),
     .formula = "Q, K, V of x;  P = softmax(Q Kᵀ / √32)",
     .notice = N_(
         "In this head of the second layer \"the\" and \"red\" look at \"cat\"; no weight is 0."),
     .code = "P = (q @ k.T / math.sqrt(32)).softmax(-1)   # one of four heads\n"
             "head = P @ v",
     .cell = "encoder.weights,0,2",
     .questions = {{SAC_ASK_LARGEST, 3, N_("The largest score.")}}},
    {.block = SAC_BLOCK_ENCODER_NORM,
     .name = N_("add & norm"),
     .sentence = N_("The input is added (residual connection); layer norm brings each row "
                    "to mean 0 and variance 1."),
     .formula = "x₁ = LayerNorm(x + attention(x))",
     .notice = N_(
         "This follows each part of the block (post-norm), with a trained gain and bias; mean and "
         "variance are of all 128."),
     .code = "x = norm1(x + a)",
     .questions = {{SAC_ASK_VALUE, 2, N_("Input and output of the layer, added.")}}},
    {.block = SAC_BLOCK_ENCODER_FORWARD | SAC_BLOCK_MEMORY,
     .name = N_("feed-forward"),
     .sentence = N_("Two linear maps with a ReLU between them change each word on its "
                    "own: 128 numbers, 384, and 128 again."),
     .formula = "memory = LayerNorm(x₁ + W₂ max(0, W₁ x₁ + b₁) + b₂)",
     .notice = N_("The result of the encoder is called the memory."),
     .code = "memory = norm2(x + linear2(F.relu(linear1(x))))",
     .questions = {{SAC_ASK_COUNT, 2, N_("What was negative is 0 after the ReLU.")}}},
    {.block = SAC_BLOCK_DECODER_ATTENTION,
     .name = N_("2: decoder"),
     .sentence = N_("The words written so far attend to themselves, under a causal mask."),
     .formula = "P = softmax(mask(Q Kᵀ / √32))",
     .notice = N_("The first row has a single weight, which is 1."),
     .code = "P = (q @ k.T / math.sqrt(32)).masked_fill(causal, -math.inf).softmax(-1)\n"
             "head = P @ v",
     .cell = "decoder.weights,0,0",
     .questions = {{SAC_ASK_COUNT, 3, N_("Itself and what is before it.")}}},
    {.block = SAC_BLOCK_CROSS_ATTENTION | SAC_BLOCK_MEMORY,
     .name = N_("3: across"),
     .sentence = N_("In cross-attention the queries come from the decoder, and the keys "
                    "and values from the memory."),
     .formula = "Q of y₁;  K, V of memory;  P [4,4]",
     .notice = N_(
         "This is the matrix that is read as an alignment: \"chat\" is written while it looks at "
         "\"cat\"."),
     .code =
         "P = (q @ k.T / math.sqrt(32)).softmax(-1)   # q of the decoder, k and v of the memory\n"
         "head = P @ v",
     .cell = "cross.weights,1,2",
     .questions = {{SAC_ASK_LARGEST, 3, N_("The largest score.")}}},
    {.block = SAC_BLOCK_DECODER_FORWARD | SAC_BLOCK_WORDS,
     .name = N_("next word"),
     .sentence = N_("Each row is compared with all rows of the word table; the softmax "
                    "gives probabilities of the next word."),
     .formula = "p = softmax(y₃ Eᵀ + b)",
     .notice = N_(
         "After \"le\" comes \"chat\"; the decoder reads with the same table (tied embeddings)."),
     .code = "p = log_p.exp()   # log_p = (y @ embedding.weight.T + b).log_softmax(-1)",
     .cell = "words,1,2",
     .questions = {{SAC_ASK_LARGEST, 2, N_("The word it would write.")}}},
};

static const char *const source_words[WORDS] = {"the", "red", "cat", "sleeps"};
static const char *const read_words[WORDS] = {"(start)", "le", "chat", "rouge"};
static const char *const written_words[WORDS] = {"le", "chat", "rouge", "dort"};
static const char *const next_words[NEXT] = {"le", "la", "chat", "rouge", "triste", "dort"};

/* Thousandths. */
/* clang-format off */
static const int embedded[] = {
    -26, 2, 4, -17, 18, -25, 13, -18, 243, -65, -35, 78, 133, 80, -29, -32, 25, -84, -27, 200, 94,
    -91, -29, 43, -9, -165, 105, 2, -15, -29, 35, -24,
};
static const int encoder_x[] = {
    42, -266, 612, -429, -759, -542, 505, -82, 1124, -314, 211, 524, -312, -137, -508, 130, 648,
    -902, -58, 875, 479, -660, 203, 256, -339, -927, 504, 127, -179, -1152, 199, -975,
};
static const int encoder_a[] = {
    457, -613, 161, -523, 329, -275, 579, 488, 454, -492, 293, -547, 492, -407, 192, 554, 471,
    -1017, 403, -274, 168, -20, 516, 80, 132, -1394, 1288, 125, -468, 85, -774, -378,
};
static const int encoder_moments[] = {
    27, 941, 15, 970, 25, 955, 60, 1066,
};
static const int norm_gain[] = {
    843, 817, 783, 808, 862, 938, 879, 875, 68, -141, 82, -63, -33, -89, -120, 42,
};
static const int wide[] = {
    -1023, -1678, -1529, -271, 974, -2223, -284, -1036, -1743, -3198, -1765, -2106, 411, -2215,
    -742, 752, -152, -1583, -1325, -2166, 989, -759, -806, 132, -2279, -1096, -2322, -3864, -683,
    -2967, -1344, -1165,
};
static const int forward[] = {
    -2517, 203, 2622, -954, -3235, 1528, 528, 947, 361, 1683, 675, 1464, 328, 630, 683, 117, -251,
    800, 845, 294, 1602, -170, 931, -209, -799, 271, 571, -63, 144, -546, -263, -855,
};
static const int forward_moments[] = {
    -96, 4760, 4, 2052, -41, 2180, -32, 1535,
};
static const int forward_gain[] = {
    813, 737, 805, 855, 831, 895, 792, 846, 18, 15, -101, 66, 75, 101, 70, 41,
};
static const int decoder_y[] = {
    -335, 1079, -250, -1032, 484, 95, 61, -330, -453, -199, 670, 2000, -3878, 69, -62, 376, 573, 52,
    750, 60, -20, -423, 1043, 445, 607, -1550, -688, 1010, -234, -74, 446, 766,
};
static const int logs[] = {
    -106, -7876, -8006, -8826, -8851, -8696, -8146, -9857, -115, -8312, -7930, -8891, -8975, -7239,
    -7686, -164, -6189, -9691, -8473, -9394, -8944, -10186, -8667, -97,
};
static const int encoder_q[] = {
    964, -1902, 1853, 609, 642, 1049, -363, 212, -860, -2208, -277, -521, 234, 1205, 788, -1116,
    -1158, -1766, -733, -908, 1994, -270, 650, 2741, 40, -1189, 847, -1446, -1013, -1793, 742, -806,
    -837, -3578, -284, 1704, -2, 313, -28, 369, 210, -2250, -1089, -1156, 203, -944, -624, 1147,
    -957, -1919, 167, 241, 883, 536, 389, 1917, -2173, -174, -79, 874, -195, 490, 102, -896, 256,
    -405, 1046, 776, 1503, 70, -870, 494, -111, -1219, -703, -398, -1669, 1131, -248, -617, -910,
    -1251, 554, 232, 2377, -199, 661, 1560, -921, -2241, 924, -389, -2103, 1058, 153, -372, -1123,
    -1492, 1731, -1143, 218, 254, -2745, 187, 21, -771, -2379, 370, -1287, -670, -833, 652, -884,
    1640, -521, 216, 1281, -507, -634, 920, 468, -981, 313, -343, -3103, 664, -2236, -1225,
};
static const int encoder_k[] = {
    126, -2135, 2398, 1273, 241, -808, 61, 758, 688, -467, -2046, -989, -1536, -1732, -653, 350,
    1207, 545, 694, 2133, 416, 1324, 104, 2891, -2164, -1824, 1322, 258, 25, 1682, -2942, -849,
    -460, -1405, 1858, 1175, -65, -588, -96, 1525, 1017, 838, -392, 304, -1198, -1971, -109, 1346,
    2113, 379, 1617, 3622, -291, 1665, 750, 2074, -1199, -231, 1132, 127, -12, 1490, -2899, 456,
    823, -2778, 75, 983, 138, 4, -639, 1529, -199, -3548, -2465, -188, -2075, -410, 668, -782,
    -1885, -2632, -993, 405, 2081, 262, 1700, 2407, -2318, -2507, 1735, 311, -1366, 1445, -724,
    -747, -210, -1666, 2076, -149, -2289, -789, -1846, 887, 1140, -814, -2727, 1401, -4112, 197,
    152, 227, -2593, 569, -1781, 569, 1197, -920, -571, 122, -1077, -2420, 2078, -1590, -2289, 1063,
    -1823, -2184,
};
static const int encoder_v[] = {
    98, 351, 918, -330, -57, 486, -450, 167, 950, -117, -133, -1456, -208, -413, 806, 210, -536,
    1044, 12, -78, -25, -885, 672, -691, 145, 11, -88, 19, 1127, 90, -313, -664, -459, 677, -374,
    -1152, -523, -318, 270, -318, -900, 620, 380, -143, 463, 202, -683, -1153, 608, -516, -788,
    -571, -1472, 938, -256, 495, -189, 935, 1123, 538, -191, -578, 594, 1163, 666, 582, 394, 604,
    -1925, -85, -431, 1000, 566, 73, 1088, -656, 58, 578, 702, -1253, -272, -319, 725, -435, 959,
    85, -522, -425, -881, 515, 61, -266, 10, -465, -272, -1244, -918, 431, -389, -189, -1004, 1066,
    -274, 46, 478, -608, 409, 644, -502, 81, 825, 725, 501, -693, 1178, -148, -82, -639, -353, -635,
    -73, 632, -688, -360, 150, -203, 233, 252,
};
static const int decoder_q[] = {
    -1391, 299, 2213, 731, -507, 149, 125, -139, -1583, -1480, 89, 1168, 7, -127, -1160, -520, 345,
    -1530, 136, 1159, 1152, 1079, -467, 57, 1279, 169, 669, -64, 1266, -149, -1751, -1450, -1072,
    1121, -1856, 399, 625, 2307, 630, -888, -1509, 789, -350, 305, 35, -395, -1013, 1539, 1211, 65,
    -49, 794, 746, -261, -1224, -1273, 2398, 1129, -401, -382, 1678, -268, -1163, -634, -1002, 3353,
    -1274, -750, 853, 48, 714, -638, -312, 1217, 976, -2065, -1075, -967, -827, -195, 1888, 1859,
    -2521, -688, -42, -889, 2082, -948, -421, 1182, -275, -529, -2367, 439, 564, -157, -1036, 1316,
    454, -1672, -234, 1305, -198, -54, -1051, -2088, -548, 709, 104, -603, -1022, 628, 1885, 942,
    -1878, 439, -1156, 1658, 1761, -217, -2770, -572, 803, 1350, 1246, 250, -1026, -82,
};
static const int decoder_k[] = {
    -696, -986, 248, 799, -588, -1278, -607, -777, -357, -945, -382, 363, -361, -97, 676, 357, -749,
    -1031, 1885, -552, -318, -294, -189, -1507, 1115, 1152, 269, -118, 2443, -782, -954, -264, 530,
    -1241, -755, 901, -1206, -692, -947, 311, 2177, -302, 998, 154, -2062, -1480, 3618, 434, -189,
    -893, -953, -1911, 980, -1662, 792, -287, -1743, 865, 440, 384, -2021, -792, 285, 41, 723, 427,
    282, -778, 748, 554, -489, -2159, 86, 582, 539, -123, -993, -899, 1712, 560, 464, 526, -1152,
    -225, 480, -1289, 584, -945, -400, 127, -311, -92, -40, -398, -448, -617, -2079, 2960, -209,
    -2025, 1301, 431, -14, -695, -1233, -1133, 654, -202, 62, -163, -40, 735, 2626, 3402, -1299,
    958, -2015, 2345, 2120, -291, -1988, 395, 82, 731, -181, 1372, -1811, -1414,
};
static const int decoder_v[] = {
    96, 37, -294, -98, 175, -318, -1181, 383, 602, 757, 130, -1203, 1716, -144, 251, 83, -476, 270,
    266, 673, -599, 67, -280, 471, 111, -172, 1638, 519, -183, 477, 1459, -451, -682, -1213, 1510,
    1065, -455, -729, -342, 2270, 2152, -2112, 1384, -303, 689, -2346, -2056, 520, 1216, -850, 1851,
    -2191, 11, 709, -682, 1477, 2854, -235, 2166, 134, -2339, -1600, 569, 44, -779, -1524, 1051,
    680, -1077, -287, 1007, 651, 1570, -2748, 158, 183, -573, -1412, -1176, -1298, 114, 219, -131,
    -1696, 82, -152, -417, 13, 1466, 5, -770, 471, -1108, -1839, -386, -647, -291, -1187, 486, -69,
    -158, 937, 1190, 911, -504, 748, -451, 1133, -241, 165, -334, 150, 1619, 324, -947, -1288, 234,
    699, 1303, 252, -1042, -195, 464, -185, -1156, 219, 2632, 247,
};
static const int cross_q[] = {
    -1279, 357, -808, 32, -664, -1504, -637, -610, 1704, -3372, -598, 896, -2524, 1508, -356, -895,
    367, -504, 306, -2751, 3802, -1234, 1113, -520, 118, -719, -916, -1515, 2829, -65, -174, 732,
    -1632, -3177, -1794, -295, -1066, 154, -1134, 2381, 2005, -1669, -1207, 1024, -2912, 1927, -118,
    -550, -1774, 1041, -696, -596, 1596, -106, -1005, 709, 76, 584, 612, -35, -1909, -368, 621, 480,
    -1244, -1605, -462, 539, 341, -1077, -1211, -1681, 622, 123, -439, 1811, 60, -499, -274, -332,
    859, 3052, -1568, -450, -90, -572, -1108, -1125, 6, -391, -1102, -3008, -149, -20, 996, 1726,
    -214, 953, -2191, 6, 747, -591, 3458, -1917, 966, -2997, 420, 1607, 300, -1511, -911, -339,
    -2640, -706, -53, -2970, -1016, -382, 538, -1205, -1048, -2441, -1642, 740, 1348, -2614, 1306,
    2085,
};
static const int cross_k[] = {
    -1665, 770, 41, 1225, -423, -2806, -2226, 316, 2148, -3495, -765, -115, -2972, 927, 1924, -3163,
    2104, 290, -142, -2054, 5394, -1234, 2373, 477, -357, 484, -42, -243, 2136, 744, -1559, 1078,
    -17, -65, 173, 185, -1200, -3295, -3876, -2741, -700, 174, -1070, 3971, -449, -530, -92, -2537,
    1436, 5782, -1199, 512, 967, -423, -40, -1712, 1436, 203, -281, -3518, -838, -935, 2241, -982,
    -591, -3545, -2819, -1212, -1748, -960, -2878, 3497, 2981, -2716, -428, 2390, -3211, 1663, 371,
    -1388, -1121, 1339, -950, -273, 2470, -519, -213, 1947, -471, -334, 2233, 2833, -2227, -965,
    636, -373, -721, 488, -1049, -553, 1040, -744, 3124, -3555, 377, -1112, 809, 1360, 1146, -2525,
    -2274, 2203, -353, -944, -1797, -1359, -1603, -3052, -589, -1124, -538, -2197, -1858, 1412,
    -2358, -3264, 1821, 1304,
};
static const int cross_v[] = {
    676, 619, -541, 723, 565, 155, 833, 1533, 905, -478, 1099, -48, 1019, -938, -723, 1113, 515,
    2497, -1402, -546, 2883, 1229, 456, 659, 37, -407, 145, 469, -546, -1018, 1117, -177, 814, 32,
    -45, -580, 1818, -347, -488, -1138, -2298, 587, -112, -2085, -878, -1962, 723, -566, -551, -407,
    -545, 2473, 1652, 2052, -722, 2236, 2571, -409, 814, 348, 22, -1221, 1223, 269, -782, 103, 94,
    -497, -2104, 487, 849, 5, -2240, 282, -963, 282, -998, 79, -463, 43, -556, -742, -549, 2131,
    1708, -625, 1559, 89, -68, -1123, 28, 1370, -239, -955, 1505, -957, 2160, -407, 1105, 919, 868,
    -1238, -662, 546, -174, -4381, 2882, 1364, -769, 45, 1368, -39, 990, -1547, 722, 672, 803, -616,
    -2104, 278, -528, 349, -1141, -1498, -1676, -13, 1127, -1940,
};
/* clang-format on */

static sac_node add_table(sac_lesson *l, const char *name, sac_small_shape shape,
                          const int *thousandths, const char *const *rows)
{
    return sac_lesson_table(l, name, shape, thousandths, rows, WORDS);
}

/* LayerNorm(x + y), by the mean and the variance of all numbers, not only of those shown. `moments` [4,2],
 * `gain` [2,8] with the bias. */
static sac_node add_and_norm(sac_lesson *l, const char *part, const char *name, sac_node x,
                             sac_node y, const int *moments, const int *gain)
{
    sac_graph *g = &l->graph;
    int columns[2][WORDS];
    for (int i = 0; i < WORDS; i++) {
        columns[0][i] = moments[2 * i];
        columns[1][i] = moments[2 * i + 1];
    }
    sac_node mean =
        add_table(l, sac_lesson_part_name(part, "mean"), SAC_MATRIX(WORDS, 1), columns[0], NULL);
    sac_node variance = add_table(l, sac_lesson_part_name(part, "variance"), SAC_MATRIX(WORDS, 1),
                                  columns[1], NULL);
    sac_node by =
        add_table(l, sac_lesson_part_name(part, "gain"), SAC_MATRIX(1, SHOWN), gain, NULL);
    sac_node bias =
        add_table(l, sac_lesson_part_name(part, "bias"), SAC_MATRIX(1, SHOWN), gain + SHOWN, NULL);
    sac_node sum = sac_sum(g, sac_lesson_part_name(part, "residual"), x, y);
    sac_node plain = sac_apply(g, SAC_OP_STANDARDISE, sac_lesson_part_name(part, "standard"), sum,
                               mean, variance, 1e-5f, 0);
    sac_node raised =
        sac_binary(g, SAC_OP_MULTIPLY, sac_lesson_part_name(part, "raised"), plain, by);
    sac_node norm = sac_sum(g, name, raised, bias);
    sac_lesson_label(l, sum, source_words, WORDS, NULL, 0);
    sac_lesson_label(l, norm, source_words, WORDS, NULL, 0);
    return norm;
}

static void build(sac_lesson *l)
{
    static const sac_table_head source = {"encoder", WORDS,        WORDS,
                                          HEAD,      encoder_q,    encoder_k,
                                          encoder_v, source_words, source_words},
                                target = {"decoder", WORDS,     WORDS,      HEAD,      decoder_q,
                                          decoder_k, decoder_v, read_words, read_words},
                                across = {"cross", WORDS,   WORDS,         HEAD,        cross_q,
                                          cross_k, cross_v, written_words, source_words};
    const sac_small_shape some = SAC_MATRIX(WORDS, SHOWN);
    sac_graph *g = &l->graph;
    int first[WORDS * SHOWN];
    for (int i = 0; i < WORDS * SHOWN; i++)
        first[i] = i / SHOWN * WIDTH + i % SHOWN;
    sac_node rows = add_table(l, "source.embedded", some, embedded, source_words);
    sac_node large = sac_times(g, "source.times_root_d", rows, sqrtf(WIDTH));
    sac_node places =
        sac_gather(g, "source.PE", sac_positions(g, "positions", WORDS, WIDTH), some, first);
    sac_node x = sac_sum(g, "source.x", large, places);
    sac_lesson_label(l, x, source_words, WORDS, NULL, 0);
    sac_lesson_head encoder = sac_lesson_attend_by_tables(l, &source, 0);
    sac_node before = add_table(l, "encoder.x", some, encoder_x, source_words);
    sac_node after = add_table(l, "encoder.a", some, encoder_a, source_words);
    sac_node norm =
        add_and_norm(l, "encoder", "encoder.norm", before, after, encoder_moments, norm_gain);
    sac_node inner = add_table(l, "encoder.ff.wide", some, wide, source_words);
    sac_node hidden = sac_unary(g, SAC_OP_RELU, "encoder.ff.hidden", inner);
    sac_lesson_label(l, hidden, source_words, WORDS, NULL, 0);
    sac_node out = add_table(l, "encoder.ff.out", some, forward, source_words);
    sac_node memory =
        add_and_norm(l, "encoder.ff", "memory", norm, out, forward_moments, forward_gain);
    sac_node blocked =
        sac_lesson_blocked(l, "blocked", WORDS, WORDS, sac_lesson_value(l, "causal") != 0);
    sac_lesson_head decoder = sac_lesson_attend_by_tables(l, &target, blocked),
                    cross = sac_lesson_attend_by_tables(l, &across, 0);
    sac_node last = add_table(l, "y", some, decoder_y, read_words);
    sac_node log_p = add_table(l, "log_p", SAC_MATRIX(WORDS, NEXT), logs, NULL);
    sac_node words = sac_unary(g, SAC_OP_EXP, "words", log_p);
    sac_lesson_label(l, log_p, read_words, WORDS, next_words, NEXT);
    sac_lesson_label(l, words, read_words, WORDS, next_words, NEXT);
    SAC_LESSON_STEP(l, steps[0], rows, places, x);
    SAC_LESSON_STEP(l, steps[1], encoder.q, encoder.k, encoder.scores, encoder.weights, encoder.v,
                    encoder.head);
    SAC_LESSON_STEP(l, steps[2], before, after, sac_graph_find(g, "encoder.residual"), norm);
    SAC_LESSON_STEP(l, steps[3], norm, inner, hidden, out, memory);
    SAC_LESSON_STEP(l, steps[4], decoder.q, decoder.k, decoder.scores, decoder.weights);
    SAC_LESSON_STEP(l, steps[5], cross.q, cross.k, cross.scores, cross.weights);
    SAC_LESSON_STEP(l, steps[6], last, log_p, words);
    sac_lesson_add_drawing(l, &(sac_lesson_drawing){.kind = SAC_DRAWS_BLOCK}, 0, 6);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The decoder's causal mask is taken away. What happens to the weight of "
                "the first word on itself?"),
     .cell = "decoder.weights,0,0",
     .after = "causal=0",
     .why = N_("It was the only key that the first word could see.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Where do the keys and values of the third attention come from?"),
     .cell = "cross.weights,0,0",
     .reasons = {{N_("from the encoder's result, the memory")},
                 {N_("from the words that were written so far")},
                 {N_("from the table of embeddings")}},
     .why = N_("Queries come from the decoder: that is cross-attention, the bridge between both "
               "halves.")},
    {0},
};

const sac_lesson_class sac_lesson_transformer_block = {
    .name = "transformer-block",
    .title = N_("A transformer's blocks"),
    .summary = N_("encoder and decoder with their three kinds of attention"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
