/* Lessons give the numbers of what they teach: of the notebook and the notes run in PyTorch, of a
 * paper's formulas, of sums made by hand. */

#include <math.h>
#include <stdlib.h>

#include "computed.h"
#include "lessons/engine/lesson.h"
#include "lessons/lesson_source.h"
#include "scores/normalizers.h"
#include "status.h"

/* What the notebook on self-attention printed: two sentences of four words of ten numbers, and the
 * outputs of its layers SelfAttention(10) and MultiHead(10, 3). */
static const float printed_sentences[80] = {
    0.1126f, 0.0947f, 0.2096f, 0.3071f, 0.4642f, 0.0592f, 0.2444f, 0.3948f, 0.4472f, 0.4533f,
    0.0581f, 0.4792f, 0.1842f, 0.1569f, 0.1049f, 0.3199f, 0.4926f, 0.2041f, 0.2906f, 0.4759f,
    0.0434f, 0.3689f, 0.5747f, 0.2188f, 0.0666f, 0.0442f, 0.3289f, 0.4632f, 0.3774f, 0.1112f,
    0.5800f, 0.2434f, 0.2349f, 0.2005f, 0.3672f, 0.0239f, 0.2227f, 0.0588f, 0.3605f, 0.4366f,
    0.2391f, 0.3953f, 0.0980f, 0.2839f, 0.1098f, 0.3597f, 0.3866f, 0.3801f, 0.4072f, 0.3085f,
    0.0019f, 0.1059f, 0.1363f, 0.2362f, 0.3724f, 0.2176f, 0.3953f, 0.2270f, 0.7115f, 0.1198f,
    0.3452f, 0.4973f, 0.2242f, 0.4729f, 0.2477f, 0.2316f, 0.4679f, 0.0854f, 0.0620f, 0.1210f,
    0.0453f, 0.2274f, 0.1182f, 0.3428f, 0.3818f, 0.2016f, 0.2029f, 0.4490f, 0.4221f, 0.4554f,
};
static const float printed_single[80] = {
    -0.0399f, 0.0413f, 0.2227f, 0.0572f,  0.1893f, -0.1025f, -0.2460f, 0.0029f,  -0.2069f, -0.5122f,
    -0.0416f, 0.0439f, 0.2222f, 0.0568f,  0.1875f, -0.1060f, -0.2449f, 0.0014f,  -0.2077f, -0.5153f,
    -0.0428f, 0.0429f, 0.2235f, 0.0567f,  0.1883f, -0.1074f, -0.2472f, 0.0032f,  -0.2050f, -0.5153f,
    -0.0387f, 0.0411f, 0.2214f, 0.0565f,  0.1897f, -0.1001f, -0.2447f, 0.0017f,  -0.2089f, -0.5110f,
    -0.1623f, 0.0629f, 0.1961f, -0.0138f, 0.2406f, -0.1183f, -0.2788f, -0.0576f, -0.1563f, -0.4873f,
    -0.1616f, 0.0633f, 0.1948f, -0.0140f, 0.2412f, -0.1179f, -0.2779f, -0.0574f, -0.1575f, -0.4875f,
    -0.1626f, 0.0630f, 0.1964f, -0.0141f, 0.2405f, -0.1184f, -0.2791f, -0.0575f, -0.1563f, -0.4873f,
    -0.1623f, 0.0631f, 0.1963f, -0.0133f, 0.2408f, -0.1190f, -0.2786f, -0.0577f, -0.1558f, -0.4876f,
};
static const float printed_three[80] = {
    0.1886f, -0.3139f, 0.0119f,  -0.4636f, -0.1918f, 0.0862f, 0.0148f,  -0.3379f, -0.0632f, 0.2887f,
    0.1890f, -0.3137f, 0.0117f,  -0.4632f, -0.1927f, 0.0860f, 0.0143f,  -0.3378f, -0.0633f, 0.2893f,
    0.1888f, -0.3136f, 0.0120f,  -0.4637f, -0.1925f, 0.0863f, 0.0144f,  -0.3378f, -0.0633f, 0.2892f,
    0.1890f, -0.3136f, 0.0120f,  -0.4639f, -0.1925f, 0.0863f, 0.0143f,  -0.3378f, -0.0628f, 0.2891f,
    0.1472f, -0.3800f, -0.0130f, -0.4557f, -0.2222f, 0.0819f, -0.0080f, -0.3445f, -0.0653f, 0.2745f,
    0.1473f, -0.3795f, -0.0122f, -0.4558f, -0.2221f, 0.0819f, -0.0080f, -0.3437f, -0.0651f, 0.2745f,
    0.1473f, -0.3800f, -0.0133f, -0.4558f, -0.2224f, 0.0822f, -0.0079f, -0.3446f, -0.0656f, 0.2748f,
    0.1472f, -0.3798f, -0.0129f, -0.4557f, -0.2221f, 0.0818f, -0.0079f, -0.3443f, -0.0651f, 0.2745f,
};

/* ---------------------------------------------------------------- a table of numbers */

#define NOTEBOOK_SEED 4199607231L

/* Settings that take a simulator minutes. */
#define FAR "d=512 length=101"

/* `count` numbers of an array from the cell `first` on. Those of the notebook with seed 0 are of
 * its sentences as printed, in four decimals, which moves them by up to 1e-4. */
static const struct row {
    asked asked;
    const char *array;
    size_t first, count;
    float numbers[10];
    double tolerance;
} rows[] = {
    {{"kernel-regression", "w=0.01", -1}, "estimate", 0, 1, {2.0903f}, 5e-5},
    {{"kernel-regression", "w=0.5", -1},
     "weights",
     0,
     5,
     {.1172f, .1933f, .2481f, .2481f, .1933f},
     5e-5},
    {{"kernel-regression", "w=1", -1}, "estimate", 0, 1, {2.7986f}, 5e-5},
    {{"kernel-regression", "w=10", -1}, "estimate", 0, 1, {3.1251f}, 5e-5},
    {{"kernel-regression", "query=1.2", -1},
     "weights",
     0,
     5,
     {.2019f, .4066f, .3012f, .0821f, .0082f},
     5e-5},
    {{"kernel-regression", "query=1.2", -1}, "estimate", 0, 1, {2.3964f}, 5e-5},
    {{"kernel-regression", "query=1.2 w=10", -1}, "estimate", 0, 1, {2.6829f}, 5e-5},
    {{"why-scale", "", -1}, "far.weights", 0, 2, {2.061e-9f, 1}, 1e-12},
    {{"why-scale", "", -1}, "near.weights", 0, 2, {.119203f, .880797f}, 1e-6},
    {{"why-scale", "", -1}, "near.gradient", 0, 1, {.104994f}, 1e-6},
    {{"step-by-step", "", -1},
     "weights",
     0,
     9,
     {1, 0, 0, .3302f, .6698f, 0, .2483f, .2483f, .5035f},
     5e-5},
    {{"step-by-step", "", -1}, "output", 0, 3, {1, 1.6698f, 2.2552f}, 5e-5},
    {{"step-by-step", "causal=0", -1}, "output", 0, 3, {2, 2.2033f, 2.2552f}, 5e-5},
    {{"step-by-step", "scaled=0", -1}, "output", 0, 3, {1, 1.7311f, 2.3642f}, 5e-5},
    {{"scores", "equal=2", 5}, "output.additive", 0, 8, {2, 3, 4, 5, 10, 11, 12, 13}, 1e-5},
    {{"scores", "equal=2", 5}, "output.bilinear", 0, 8, {2, 3, 4, 5, 10, 11, 12, 13}, 1e-5},
    {{"scores", "equal=2", -1}, "output.scaled-dot", 0, 8, {2, 3, 4, 5, 10, 11, 12, 13}, 1e-5},
    {{"scores", "equal=2", -1}, "output.gaussian", 0, 8, {2, 3, 4, 5, 10, 11, 12, 13}, 1e-5},
    {{"scores", "equal=1", -1}, "output.additive", 0, 4, {18, 19, 20, 21}, 2e-5},
    {{"scores", "equal=1", -1}, "weights.additive", 0, 3, {.1f, .1f, .1f}, 1e-6},
    /* of the Python package entmax, in float64 */
    {{"sharper-than-softmax", "", -1},
     "entmax15",
     0,
     5,
     {.053233f, .337239f, .609528f, 0, 0},
     1e-6},
    {{"sharper-than-softmax", "", -1}, "sparsemax", 0, 5, {0, .3f, .7f, 0, 0}, 1e-6},
    {{"sharper-than-softmax", "temperature=8", -1},
     "scaled.entmax15",
     0,
     5,
     {.196338f, .237023f, .26199f, .164511f, .140138f},
     1e-6},
    {{"sharper-than-softmax", "temperature=8", -1},
     "scaled.sparsemax",
     0,
     5,
     {.1975f, .285f, .335f, .1225f, .06f},
     1e-6},
    {{"sharper-than-softmax", "", -1},
     "slopes.softmax",
     0,
     5,
     {.123929f, -.042302f, -.063107f, -.011529f, -.006992f},
     1e-6},
    {{"sharper-than-softmax", "", -1}, "slopes.sparsemax", 5, 5, {0, .5f, -.5f, 0, 0}, 1e-6},
    {{"image-as-set", "", -1}, "Y", 0, 5, {.4875f, .6282f, .9340f, .0410f, .4875f}, 5e-5},
    {{"image-as-set", "", -1}, "Y", 9, 5, {.5f, .6407f, .9465f, .0535f, .5f}, 5e-5},
    {{"image-as-set", "", -1}, "Y", 18, 5, {.5125f, .6532f, .9590f, .0660f, .5125f}, 5e-5},
    {{"image-as-set", "", -1}, "A", 26 * 9, 3, {.0370f, .0761f, .4777f}, 5e-5},
    {{"image-as-set", "", -1}, "A", 3, 1, {.4777f}, 5e-5},
    {{"image-as-set", "", -1}, "E", 4, 1, {-.0144f}, 5e-5},
    {{"image-as-set", "keys=1 values=1", -1},
     "Y",
     0,
     5,
     {.4875f, .6282f, .9340f, .0410f, .4875f},
     5e-5},
    {{"self-attention", "", 0},
     "output",
     0,
     10,
     {-.0532f, .1855f, -.1998f, -.1903f, .4836f, .1114f, .1046f, .0387f, .1765f, -.1534f},
     5e-5},
    {{"self-attention", "", 0},
     "output",
     70,
     10,
     {-.0596f, .1799f, -.2100f, -.2506f, .4764f, .1251f, .2058f, .0250f, .1972f, -.1463f},
     1e-4},
    {{"self-attention", "", 0}, "weights", 0, 4, {.2457f, .2472f, .2582f, .2489f}, 5e-5},
    {{"self-attention", "", 0}, "weights", 24, 4, {.2653f, .2439f, .2165f, .2743f}, 1e-4},
    {{"self-attention", "heads=3", 0},
     "output",
     0,
     10,
     {.0545f, .0064f, .1023f, -.0592f, -.3626f, -.1972f, -.0440f, -.0763f, -.0765f, .0178f},
     6e-5},
    {{"self-attention", "heads=3", 0},
     "output",
     40,
     10,
     {.0861f, .0399f, .0881f, -.0848f, -.3689f, -.1935f, -.0113f, -.0462f, -.0463f, .0816f},
     1e-4},
    {{"self-attention", "identity=1", -1},
     "scores",
     0,
     4,
     {.9999f, .7530f, .7434f, .8078f},
     1.1e-4},
    {{"self-attention", "identity=1", -1}, "weights", 0, 4, {.2958f, .2311f, .2289f, .2441f}, 6e-5},
    {{"self-attention", "identity=1 scaled=1", -1},
     "weights",
     0,
     4,
     {.2640f, .2442f, .2434f, .2484f},
     5.1e-5},
    {{"positions", "d=512 length=2", -1}, "encoding", 0, 4, {0, 1, 0, 1}, 1e-7},
    {{"positions", "d=512 length=2", -1},
     "encoding",
     512,
     6,
     {.841471f, .540302f, .821856f, .569695f, .801962f, .597375f},
     1e-6},
    {{"positions", "", -1},
     "encoding",
     24,
     8,
     {.141120f, -.989992f, .295520f, .955336f, .029996f, .999550f, .003000f, .999996f},
     1e-6},
    {{"positions", "d=512 length=11", -1},
     "dot_by_distance",
     0,
     6,
     {256, 249.1021f, 231.7336f, 211.7494f, 196.6882f, 189.5967f},
     1e-3},
    {{"positions", "d=512 length=11", -1}, "dot_by_distance", 10, 1, {173.7897f}, 1e-3},
    {{"positions", FAR, -1}, "dot_by_distance", 20, 1, {157.5740f}, 1e-3},
    {{"positions", FAR, -1}, "dot_by_distance", 50, 1, {131.0908f}, 1e-3},
    {{"positions", FAR, -1}, "dot_by_distance", 100, 1, {111.9502f}, 1e-3},
    {{"positions", "d=16", -1}, "dot_by_distance", 0, 4, {8, 7.4852f, 6.3683f, 5.5431f}, 5e-5},
    {{"positions", "d=512", -1}, "wavelengths", 255, 1, {60611.5f}, .05},
    {{"positions", "d=64", -1}, "wavelengths", 31, 1, {47117.2f}, .05},
    {{"masks", "", -1}, "pad_mask", 0, 10, {0, 0, 0, 1, 1, 0, 0, 0, 1, 1}, 0},
    {{"masks", "", -1}, "pad_mask", 25, 5, {0, 1, 1, 1, 1}, 0},
    {{"masks", "", -1}, "sequence_mask", 0, 10, {0, 1, 1, 1, 1, 0, 0, 1, 1, 1}, 0},
    {{"masks", "", -1}, "weights", 0, 5, {1, 0, 0, 0, 0}, 0},
    {{"masks", "", -1}, "weights", 20, 5, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f, 0, 0}, 1e-7},
    {{"masks", "ids_k,1,0=0", -1}, "weights", 25, 5, {0, 0, 0, 0, 0}, 0},
    {{"dropout", "", -1}, "dropped", 0, 3, {1.0624f, 0, .2324f}, 1e-6},
    {{"dropout", "", -1}, "sum", 0, 1, {1.2948f}, 1e-6},
    {{"dropout", "p=0", -1}, "dropped", 0, 3, {.5312f, .3526f, .1162f}, 1e-7},
    {{"untrained-averages", "", 0}, "spread", 0, 2, {.0031f, .0068f}, 5e-5},
    {{"untrained-averages", "", NOTEBOOK_SEED}, "spread", 0, 2, {.0073f, .0017f}, 5e-5},
    {{"untrained-averages", "", 0}, "spread.sents", 0, 2, {.5365f, .6495f}, 5e-5},
    /* PyTorch's Adam of the same layer, loss and steps. */
    {{"untrained-averages", "", 0}, "spread.trained", 0, 2, {.54256f, .65334f}, 5e-4},
    {{"untrained-averages", "", 0}, "loss.trained", 0, 1, {.00018f}, 5e-6},
    {{"generating", "", -1}, "best.total", 0, 1, {.2899f}, 2e-3},
    {{"kept-keys", "", -1}, "p", 0, 5, {.0626f, .0309f, .2575f, .5221f, .1269f}, 1e-4},
    {{"kept-keys", "t=3", -1}, "y", 0, 2, {1.50926f, 1.50926f}, 2e-5},
    {{"kept-keys", "", -1}, "megabytes", 0, 3, {2147.483648f, 536.870912f, 67.108864f}, 1e-3},
    {{"cost", "timed=4", -1}, "parameters", 0, 5, {0, 0, 520, 1024, 1}, 0},
    {{"cost", "q=20 k=2 timed=4", -1}, "parameters", 2, 2, {184, 40}, 0},
    {{"cost", "h=64 timed=4", -1}, "megabytes", 2, 1, {268.435456f}, 1e-4},
    {{"cost", "timed=4", -1}, "megabytes", 4, 1, {4.194304f}, 1e-6},
    {{"saccade", "", -1}, "acuity", 0, 5, {1, .5f, .315f, .187f, .103f}, 5e-4},
    {{"seq2seq", "", -1}, "a", 0, 4, {.45f, .45f, .05f, .05f}, 1e-6},
    {{"seq2seq", "", -1}, "bits", 0, 1, {1.469f}, 5e-4},
    {{"multi-head", "", 0}, "weights", 0, 4, {.2204f, .2331f, .2618f, .2847f}, 5e-5},
    {{"multi-head", "", 0}, "weights", 28, 4, {.2439f, .2488f, .2538f, .2535f}, 5e-5},
    {{"multi-head", "", 0},
     "norm",
     0,
     8,
     {-.4482f, .1946f, -1.6800f, 1.2434f, -.6280f, 1.1557f, -.8268f, .9894f},
     5e-5},
    {{"reshape-is-not-transpose", "", 0}, "weights", 0, 4, {.2191f, .2646f, .2372f, .2792f}, 5e-5},
    {{"reshape-is-not-transpose", "", 0}, "weights", 16, 4, {.2790f, .2228f, .3157f, .1825f}, 5e-5},
    {{"reshape-is-not-transpose", "", 0},
     "norm",
     0,
     8,
     {-.8205f, .2638f, -1.2438f, 1.4087f, -.7196f, 1.1197f, -.9926f, .9842f},
     5e-5},
    {{"reshape-is-not-transpose", "wrong=0", 0},
     "norm",
     0,
     8,
     {-.4482f, .1946f, -1.6800f, 1.2434f, -.6280f, 1.1557f, -.8268f, .9894f},
     5e-5},
};

TEST(lessons_give_their_numbers)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!is_oclgrind() || strcmp(rows[i].asked.settings, FAR) != 0)
            compare(computed(rows[i].asked), rows[i].array, rows[i].first, rows[i].numbers,
                    rows[i].count, rows[i].tolerance);
}

/* Of drawn rows, of ties, of one key and of blocked ones, thresholds and weights are those of the float64
 * reference. */
TEST(thresholds_are_those_of_the_reference)
{
    enum { ROWS = 40, KEYS = 7 };
    float scores[ROWS * KEYS], halves[ROWS * KEYS];
    uint32_t random = 1;
    for (int i = 0; i < ROWS * KEYS; i++) {
        int row = i / KEYS;
        random = random * 1664525 + 1013904223;
        scores[i] = ((float)(random >> 8) / (1 << 24) - 0.5f) * (float)(1 + row);
        scores[i] = row % 4 == 1 ? rintf(scores[i]) : scores[i];
        scores[i] = row % 4 == 2 && i % 3 ? -INFINITY : scores[i];
        scores[i] = row == 7 ? -INFINITY : scores[i];
        halves[i] = scores[i] / 2;
    }
    sac_graph graph = {0};
    sac_node of[] = {sac_given(&graph, "scores", SAC_MATRIX(ROWS, KEYS), scores),
                     sac_given(&graph, "halves", SAC_MATRIX(ROWS, KEYS), halves)};
    for (int k = 0; k < 2; k++) {
        float power = k ? 2 : 1;
        sac_node tau = sac_apply(&graph, SAC_OP_THRESHOLD, "tau", of[k], 0, 0, power, 0);
        sac_node weights = sac_apply(&graph, SAC_OP_ABOVE, "weights", of[k], tau, 0, power, 0);
        OK(sac_graph_compute(&graph, device, &failure));
        for (int row = 0; row < ROWS; row++) {
            double z[KEYS], right[KEYS];
            for (int i = 0; i < KEYS; i++)
                z[i] = (double)scores[row * KEYS + i];
            double threshold = sac_normalize(k ? SAC_NORMALIZER_ENTMAX15 : SAC_NORMALIZER_SPARSEMAX,
                                             KEYS, z, right);
            double found = (double)graph.arrays[tau - 1].numbers[row];
            assert_true(found == threshold ||
                        fabs(found - threshold) <= 1e-6 * fmax(1, fabs(threshold)));
            for (int i = 0; i < KEYS; i++)
                assert_true(fabs((double)graph.arrays[weights - 1].numbers[row * KEYS + i] -
                                 right[i]) <= 1e-5);
        }
    }
    sac_graph_clear(&graph);
}

TEST(notebook_lesson_reproduces_the_printed_numbers)
{
    const sac_lesson *single = computed((asked){"self-attention", "", -1});
    compare(single, "sents", 0, printed_sentences, 80, 5e-5);
    compare(single, "output", 0, printed_single, 80, 5e-5);
    const sac_lesson *three = computed((asked){"self-attention", "heads=3", -1});
    compare(three, "output", 0, printed_three, 80, 5e-5);
}

/* ---------------------------------------------------------------- what holds for many numbers */

static float largest_magnitude(const sac_lesson *lesson, const char *array, size_t count)
{
    const float *numbers = numbers_of(lesson, array, count);
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = numbers[i] > largest ? numbers[i] : -numbers[i] > largest ? -numbers[i] : largest;
    return largest;
}

TEST(attention_sees_a_set_until_positions_are_added)
{
    const sac_lesson *set = computed((asked){"permutation", "", 0});
    assert_true(largest_magnitude(set, "difference", 40) <= 1e-6f);
    assert_true(largest_magnitude(set, "c_change", 10) <= 1e-6f);
    const sac_lesson *ordered = computed((asked){"permutation", "positions=1", 0});
    assert_true(largest_magnitude(ordered, "difference", 40) > 0.01f);
    assert_true(largest_magnitude(ordered, "c_change", 10) > 0.01f);
}

static float total(const sac_lesson *lesson, const char *array, size_t first, size_t count)
{
    const float *numbers = numbers_of(lesson, array, first + count) + first;
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

TEST(a_view_alone_cuts_attention_into_blocks)
{
    static const struct {
        const char *settings;
        size_t words;
        float pairs;
    } cases[] = {{"words=4 heads=2", 4, 8},
                 {"words=8 heads=8", 8, 8},
                 {"words=10 heads=8", 10, 26},
                 {"words=4 heads=2 wrong=0", 4, 16},
                 {"words=10 heads=8 wrong=0", 10, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sac_lesson *lesson =
            computed((asked){"reshape-is-not-transpose", cases[i].settings, 0});
        assert_float_equal(total(lesson, "influence", 0, cases[i].words * cases[i].words),
                           cases[i].pairs, 0);
    }
}

TEST(joined_masks_keep_what_both_keep)
{
    const sac_lesson *lesson = computed((asked){"masks", "", -1});
    assert_float_equal(25 - total(lesson, "mask", 0, 25), 12, 0);
    assert_float_equal(25 - total(lesson, "mask", 25, 25), 5, 0);
    assert_float_equal(total(lesson, "sequence_mask", 0, 25), 10, 0);
}

TEST(a_wholly_blocked_row_is_nan_where_that_is_asked_for)
{
    const sac_lesson *lesson = computed((asked){"masks", "nan=1 ids_k,1,0=0", -1});
    const float *row = numbers_of(lesson, "weights", 30) + 25;
    for (int i = 0; i < 5; i++)
        assert_true(row[i] != row[i]);
}

TEST(unit_vectors_make_dot_and_gaussian_agree)
{
    const sac_lesson *unit = computed((asked){"similarity", "unit=1", -1});
    compare(unit, "weights.gaussian", 0, numbers_of(unit, "weights.dot", 3), 3, 1e-6);
    const sac_lesson *plain = computed((asked){"similarity", "", -1});
    const float *dot = numbers_of(plain, "weights.dot", 3);
    const float *cosine = numbers_of(plain, "weights.cosine", 3);
    assert_true(dot[1] > dot[0]);
    assert_true(cosine[0] > cosine[1]);
}

static size_t largest_column(const sac_lesson *lesson, const char *array, size_t row)
{
    size_t columns = sac_node_size(&lesson->graph, sac_graph_find(&lesson->graph, array), -1);
    const float *numbers = numbers_of(lesson, array, (row + 1) * columns) + row * columns;
    size_t best = 0;
    for (size_t c = 1; c < columns; c++)
        best = numbers[c] > numbers[best] ? c : best;
    return best;
}

TEST(an_alignment_is_a_diagonal_a_reversed_block_and_two_on_one)
{
    static const size_t source_of[] = {0, 1, 2, 3, 6, 5, 4, 7, 7, 8, 9, 10, 11, 12};
    const sac_lesson *lesson = computed((asked){"alignment", "", -1});
    for (size_t row = 0; row < sizeof source_of / sizeof *source_of; row++)
        assert_int_equal(largest_column(lesson, "a", row), source_of[row]);
    for (size_t row = 0; row < 3; row++)
        assert_int_equal(largest_column(lesson, "a.reversed", row), 2 - row);
}

TEST(without_attention_every_word_gets_one_vector)
{
    const sac_lesson *lesson = computed((asked){"seq2seq", "attention=0", -1});
    for (size_t row = 0; row < 3; row++)
        compare(lesson, "c", 3 * row, numbers_of(lesson, "last", 3), 3, 0);
}

TEST(five_bugs_change_the_map_as_each_step_shows)
{
    const sac_lesson *lesson = computed((asked){"five-bugs", "", -1});
    const float *blocked = numbers_of(lesson, "mask.right", 64);
    const float *right = numbers_of(lesson, "weights.right", 64);
    const float *unmasked = numbers_of(lesson, "weights.unmasked", 64);
    for (size_t i = 0; i < 64; i++) {
        assert_true((right[i] == 0) == (blocked[i] != 0));
        assert_true(unmasked[i] > 0);
    }
    assert_float_equal(largest_magnitude(lesson, "weights.inverted", 64), 0, 0);
    assert_float_equal(total(lesson, "influence", 0, 16), 8, 0);
    assert_true(numbers_of(lesson, "weights.repeat", 64)[2 * 16 + 15] > 0); /* padding */
    for (size_t i = 0; i < 16; i++)
        assert_true(numbers_of(lesson, "bits.scale", 16)[i] <=
                    numbers_of(lesson, "bits.right", 16)[i]);
}

TEST(a_transformer_has_three_kinds_of_attention)
{
    const sac_lesson *lesson = computed((asked){"transformer-block", "", -1});
    const float *encoder = numbers_of(lesson, "encoder.weights", 16);
    const float *decoder = numbers_of(lesson, "decoder.weights", 16);
    const float *across = numbers_of(lesson, "cross.weights", 16);
    for (size_t i = 0; i < 16; i++) {
        assert_true(encoder[i] > 0 && across[i] > 0);
        assert_true((decoder[i] == 0) == (i % 4 > i / 4));
    }
    static const size_t source_of[] = {0, 2, 1, 3}, written[] = {0, 2, 3, 5};
    for (size_t row = 0; row < 4; row++) {
        assert_int_equal(largest_column(lesson, "cross.weights", row), source_of[row]);
        assert_int_equal(largest_column(lesson, "words", row), written[row]);
    }
}

TEST(the_time_of_a_score_is_measured)
{
    const sac_lesson *lesson = computed((asked){"cost", "timed=8", -1});
    for (size_t i = 0; i < 5; i++)
        assert_true(numbers_of(lesson, "milliseconds", 5)[i] > 0);
}

TEST(saccade_lesson_is_sharp_at_the_fovea_and_averages_outside)
{
    const sac_lesson *lesson = computed((asked){"saccade", "row=4 column=2", -1});
    assert_float_equal(numbers_of(lesson, "seen", 49)[4 * 7 + 2],
                       numbers_of(lesson, "picture", 49)[4 * 7 + 2], 0.01);
    assert_float_equal(numbers_of(lesson, "seen", 49)[48], 0.5, 0.1);
}

/* A number that is a hundred times smaller is not as bright as the one that it is compared with. */
TEST(arrays_that_are_compared_have_one_scale_of_colours)
{
    static const char *const pairs[][3] = {{"why-scale", "near.gradient", "far.gradient"},
                                           {"untrained-averages", "spread.sents", "spread"},
                                           {"untrained-averages", "spread.trained", "spread"},
                                           {"dropout", "weights", "dropped"},
                                           {"five-bugs", "bits.right", "bits.scale"},
                                           {"caption-step", "c", "v"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const sac_lesson *lesson = computed_as_it_is(pairs[i][0]);
        sac_shown_lesson *shown = calloc(1, sizeof *shown);
        assert_non_null(shown);
        sac_lesson_describe((sac_lesson *)lesson, shown);
        float a = shown->arrays[sac_graph_find(&lesson->graph, pairs[i][1]) - 1].scale;
        float b = shown->arrays[sac_graph_find(&lesson->graph, pairs[i][2]) - 1].scale;
        if (!(a > 0) || fabsf(a - b) > 0.2f * a)
            fail_msg("%s: the colours of %s go up to %g, and of %s to %g", pairs[i][0], pairs[i][1],
                     (double)a, pairs[i][2], (double)b);
        free(shown);
    }
}

/* ---------------------------------------------------------------- what a person gives */

/* The steps, from 1, that a parameter does not change. */
static void check_idle(const char *name, const char *parameter, const char *steps)
{
    const sac_lesson *lesson = computed_as_it_is(name);
    unsigned idle[SAC_LESSON_PARAMETERS];
    char found[SAC_LESSON_STEPS + 1] = "";
    sac_lesson_find_idle_steps(lesson, idle);
    for (int i = 0; lesson->class->parameters[i].name; i++)
        for (int s = 0;
             !strcmp(lesson->class->parameters[i].name, parameter) && s < lesson->step_count; s++)
            if (idle[i] >> s & 1)
                strcat(found, (char[]){(char)('1' + s), '\0'});
    if (strcmp(found, steps))
        fail_msg("%s: %s changes nothing of steps %s", name, parameter, found);
}

TEST(a_parameter_is_known_to_change_nothing_of_some_steps)
{
    check_idle("step-by-step", "scaled", "1");
    check_idle("step-by-step", "causal", "12");
    check_idle("kernel-regression", "w", "1");
    check_idle("masks", "nan", "1234");
}

TEST(lesson_set_refuses_invalid_settings)
{
    static const struct {
        const char *setting, *where, *what;
    } cases[] = {
        {"temperature=0", "temperature", "0 is not a valid value"},
        {"causal=0.5", "causal", "0.5 is not a valid value"},
        {"temperature=x", "temperature=x", "is no name with a number"},
        {"temperature", "temperature", "is no name with a number"},
        {"heat=3", "heat=3", "sets nothing: step-by-step has no such name"},
        {"query,x=3", "query,x=3", "sets nothing: step-by-step has no such name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_lesson lesson;
        sac_error error = {0};
        sac_lesson_begin(&lesson, sac_lesson_find("step-by-step"));
        assert_int_equal(sac_lesson_set(&lesson, cases[i].setting, &error), SAC_E_ARGUMENT);
        assert_string_equal(error.where, cases[i].where);
        assert_string_equal(error.what, cases[i].what);
        sac_lesson_clear(&lesson);
    }
}

TEST(an_edit_of_no_given_cell_is_refused)
{
    static const struct {
        const char *lesson, *edit;
    } edits[] = {{"step-by-step", "query,3,0=1"},
                 {"step-by-step", "query,0=1"},
                 {"step-by-step", "weights,0,0=1"},
                 {"step-by-step", "nothing,0=1"},
                 {"kernel-regression", "width,0=1"}}; /* a parameter's */
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        sac_error error = {0};
        sac_lesson *lesson = calloc(1, sizeof *lesson);
        sac_lesson_begin(lesson, sac_lesson_find(edits[i].lesson));
        assert_int_equal(sac_lesson_set(lesson, edits[i].edit, &error), SAC_OK);
        assert_int_not_equal(sac_lesson_compute(lesson, device, &error), SAC_OK);
        assert_true(error.what[0] != 0);
        release(lesson);
    }
}

TEST(an_own_array_that_is_too_small_is_refused)
{
    static const int beyond[] = {0, 4};
    sac_graph *graph = calloc(1, sizeof *graph);
    sac_node four = sac_given(graph, "mask", SAC_VECTOR(4), (const float[4]){0});
    assert_int_equal(sac_gather(graph, "part", four, SAC_VECTOR(2), beyond), 0);
    assert_string_equal(graph->error.where, "mask");
    assert_string_equal(graph->error.what, "has 4 numbers, and number 5 is used");
    sac_graph_clear(graph);
    free(graph);
}

/* The same word has the same numbers, and its row and column its name. */
TEST(a_typed_sentence_takes_the_place_of_the_words)
{
    sac_lesson *lesson = calloc(1, sizeof *lesson);
    sac_lesson_begin(lesson, sac_lesson_find("self-attention"));
    OK(sac_lesson_read_sentence(lesson, " the cat saw the  dog", &failure));
    OK(sac_lesson_compute(lesson, device, &failure));
    const sac_small_array *weights =
        sac_graph_array(&lesson->graph, sac_graph_find(&lesson->graph, "weights"));
    assert_true(weights->shape.rank == 3 && weights->shape.n[0] == 1 && weights->shape.n[1] == 5);
    assert_string_equal(weights->row_labels[4], "dog");
    assert_string_equal(weights->column_labels[1], "cat");
    const float *sents = numbers_of(lesson, "sents", 50);
    assert_memory_equal(sents, sents + 30, 10 * sizeof *sents);
    assert_memory_not_equal(sents, sents + 10, 10 * sizeof *sents);
    release(lesson);
}

/* Its brightness, cell by cell; of one that is smaller than the grid too. */
TEST(a_picture_takes_the_place_of_the_lessons)
{
    uint8_t pixels[2 * 2 * 4] = {0,   0,   0,   255, 255, 255, 255, 255,
                                 255, 255, 255, 255, 0,   0,   0,   255};
    const sac_image picture = {2, 2, pixels};
    sac_lesson *lesson = calloc(1, sizeof *lesson);
    sac_lesson_begin(lesson, sac_lesson_find("image-as-set"));
    lesson->picture = &picture;
    OK(sac_lesson_compute(lesson, device, &failure));
    const float *cells = numbers_of(lesson, "picture", 81);
    assert_true(cells[0] == 0 && cells[8] == 1 && cells[72] == 1 && cells[80] == 0);
    release(lesson);
}

TEST(questions_are_made_of_the_arrays)
{
    int questions = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        assert_true(lesson->question_count > 0);
        questions += lesson->question_count;
        for (uint64_t seed = 0; seed < 20; seed++) {
            sac_asked question;
            char english[256], chinese[256];
            assert_true(sac_lesson_pick_one_question(lesson, seed, &question));
            assert_true(question.question->step >= 0);
            assert_true(question.answer == question.answer);
            sac_asked_text(lesson, &question, SAC_IN_ENGLISH, english, sizeof english);
            sac_asked_text(lesson, &question, SAC_IN_CHINESE, chinese, sizeof chinese);
            assert_string_not_equal(english, chinese);
        }
    }
    assert_true(questions >= 25);
}

/* Its best column is ahead of the next by more than the digits that are shown can hide, and the step shows
 * what it is computed of. */
static void check_largest(const sac_lesson *lesson, const sac_asked *question)
{
    const sac_small_array *array = &lesson->graph.arrays[question->question->array - 1];
    sac_extent e = sac_small_extent(array->shape);
    const float *row = array->numbers + question->row * e.columns;
    const sac_node *shown = lesson->steps[question->question->step].arrays;
    float most = 0;
    bool shows_more = false;
    for (size_t c = 0; c < e.columns; c++)
        most = fmaxf(most, fabsf(row[c]));
    for (size_t c = 0; c < e.columns; c++)
        if (c != question->column && !(row[question->column] - row[c] > 0.02f * most))
            fail_msg("%s: %s, row %zu: columns %zu and %zu are alike", lesson->class->name,
                     array->name, question->row, question->column, c);
    for (int i = 0; i < SAC_STEP_ARRAYS && shown[i]; i++)
        shows_more |= shown[i] != question->question->array;
    assert_true((shows_more && array->inputs[0]) || question->question->by_text);
}

/* Each is asked with some seed, and none that cannot be answered. */
TEST(a_question_is_asked_only_if_its_page_has_the_answer)
{
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        bool seen[SAC_LESSON_QUESTIONS] = {false};
        for (uint64_t seed = 0; seed < 60; seed++) {
            sac_asked question;
            assert_true(sac_lesson_pick_one_question(lesson, seed, &question));
            seen[question.question - lesson->questions] = true;
            if (question.question->kind == SAC_ASK_LARGEST)
                check_largest(lesson, &question);
        }
        for (int q = 0; q < lesson->question_count; q++)
            if (!seen[q])
                fail_msg("%s: question %d, step %d, is never asked", lesson->class->name, q,
                         lesson->questions[q].step + 1);
    }
}

/* The cell that a step names is one that it shows. */
TEST(a_step_marks_a_cell_that_it_shows)
{
    int named = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        for (int s = 0; s < lesson->step_count; s++) {
            const sac_lesson_step *step = &lesson->steps[s];
            float number;
            bool shown = false;
            for (int k = 0; step->cell && k < SAC_STEP_ARRAYS && step->arrays[k]; k++) {
                const char *name = lesson->graph.arrays[step->arrays[k] - 1].name;
                shown |=
                    strncmp(step->cell, name, strlen(name)) == 0 && step->cell[strlen(name)] == ',';
            }
            if (step->cell && !(shown && sac_lesson_cell_number(lesson, step->cell, &number)))
                fail_msg("%s, step %d shows no %s", lesson->class->name, s + 1, step->cell);
            named += step->cell != NULL;
        }
    }
    assert_true(named > 20);
}

/* The catalogue has it, if only as the same word. */
static void assert_translated(const char *text)
{
    assert_non_null(text);
    if (sac_translate(SAC_IN_CHINESE, text) == text)
        fail_msg("“%s” has no translation", text);
}

static sac_lesson *with_asks(const sac_lesson_class *class)
{
    sac_lesson *lesson = calloc(1, sizeof *lesson);
    sac_lesson_begin(lesson, class);
    if (strcmp(class->name, "cost") == 0)
        OK(sac_lesson_set(lesson, "timed=4", &failure));
    OK(sac_lesson_compute(lesson, device, &failure));
    OK(sac_lesson_add_questions(lesson, device, &failure));
    return lesson;
}

/* Of reasons that claim something of the lesson's numbers, the first one alone is right. */
static void check_reasons(const sac_lesson *lesson, const sac_lesson_ask *ask)
{
    for (int i = 0; i < SAC_CHOICES && ask->reasons[i].text; i++) {
        const sac_reason *reason = &ask->reasons[i];
        float left = 0, right = 0;
        char *end;
        assert_translated(reason->text);
        if (!reason->left)
            continue;
        right = strtof(reason->right, &end);
        if (!sac_lesson_cell_number(lesson, reason->left, &left) ||
            (*end && !sac_lesson_cell_number(lesson, reason->right, &right)))
            fail_msg("%s: there is no %s or no %s", lesson->class->name, reason->left,
                     reason->right);
        bool same = fabsf(left - right) <= 1e-5f;
        bool holds = reason->relation == '='   ? same
                     : reason->relation == '<' ? !same && left < right
                                               : !same && left > right;
        if (holds != (i == 0))
            fail_msg("%s: “%s” is %s: %g %c %g", lesson->class->name, reason->text,
                     holds ? "true" : "false", (double)left, reason->relation, (double)right);
    }
}

TEST(questions_with_choices_have_one_right_answer)
{
    int ways[3] = {0}, gains = 0, whys = 0;
    if (is_oclgrind())
        skip();
    for (int i = 0; sac_lessons[i]; i++) {
        sac_lesson *lesson = with_asks(sac_lessons[i]);
        int asks = 0, found = 0;
        for (const sac_lesson_ask *ask = sac_lessons[i]->asks; ask && ask->text; ask++) {
            asks++;
            assert_translated(ask->text);
            assert_translated(ask->why);
            check_reasons(lesson, ask);
        }
        for (int q = 0; q < lesson->question_count; q++) {
            const sac_question *question = &lesson->questions[q];
            found += sac_asks_choice(question->kind);
            gains += question->kind == SAC_ASK_GAINS;
            whys += question->kind == SAC_ASK_WHY;
            if (question->kind == SAC_ASK_WAY)
                ways[question->right]++;
        }
        assert_true(asks > 0);
        if (found != asks)
            fail_msg("%s: %d of %d questions", sac_lessons[i]->name, found, asks);
        release(lesson);
    }
    assert_true(ways[0] > 2 && ways[1] > 2 && ways[2] > 1 && gains > 1 && whys >= 24);
}

/* Different ones, in the order of the steps, each with its right answer among its choices. */
TEST(a_sheet_has_five_questions_or_more)
{
    if (is_oclgrind())
        skip();
    for (int i = 0; sac_lessons[i]; i++) {
        sac_lesson *lesson = with_asks(sac_lessons[i]);
        sac_asked sheet[8], again[8];
        int count = sac_lesson_pick_questions(lesson, 3, sheet, 8);
        if (count < 5)
            fail_msg("%s: a sheet of %d", sac_lessons[i]->name, count);
        assert_int_equal(sac_lesson_pick_questions(lesson, 3, again, 8), count);
        for (int q = 0; q < count; q++) {
            const sac_question *question = sheet[q].question;
            assert_ptr_equal(question, again[q].question);
            assert_true(q == 0 || sheet[q - 1].question->step <= question->step);
            /* Of a row of two weights the second answer would be 1 less the first. */
            const sac_small_array *array = &lesson->graph.arrays[question->array - 1];
            for (int k = 0; k < q && sac_small_extent(array->shape).columns == 2; k++)
                if (!sac_asks_choice(question->kind) && !sac_asks_choice(sheet[k].question->kind) &&
                    sheet[k].question->array == question->array && sheet[k].row == sheet[q].row)
                    fail_msg("%s: both numbers of a row", sac_lessons[i]->name);
            if (sac_asks_choice(question->kind))
                assert_int_equal(sheet[q].choices[(int)sheet[q].answer], question->right);
            for (int k = 0; k < q; k++) {
                assert_false(sheet[k].question == question && sheet[k].row == sheet[q].row &&
                             sheet[k].column == sheet[q].column);
                if (count > 5 && question->kind == SAC_ASK_LARGEST)
                    assert_false(sheet[k].question == question &&
                                 sheet[k].answer == sheet[q].answer);
            }
            char text[256];
            sac_asked_text(lesson, &sheet[q], SAC_IN_CHINESE, text, sizeof text);
            assert_null(strstr(text, "块 的")); /* no space between signs */
        }
        release(lesson);
    }
}

/* A change is detected by what the device computes of it. */
TEST(a_way_is_that_of_the_numbers)
{
    static const sac_lesson_ask asks[] = {
        {.kind = SAC_ASK_WAY, .text = "?", .cell = "weights,2,2", .after = "temperature=4"},
        {.kind = SAC_ASK_WAY, .text = "?", .cell = "weights,2,2", .after = "temperature=0.5"},
        {.kind = SAC_ASK_WAY, .text = "?", .cell = "weights,0,0", .after = "temperature=4"},
        {.kind = SAC_ASK_WAY,
         .text = "?",
         .cell = "weights,2,2",
         .before = "temperature=4",
         .after = "temperature=2"},
        {.kind = SAC_ASK_GAINS, .text = "?", .cell = "weights,1,0", .after = "causal=0"},
        {0}};
    static const int right[] = {1, 0, 2, 0, 2};
    sac_lesson_class class = *sac_lesson_find("step-by-step");
    class.asks = asks;
    sac_lesson *lesson = with_asks(&class);
    const sac_question *last = &lesson->questions[lesson->question_count];
    for (int i = 0; i < 5; i++)
        assert_int_equal((last - 5 + i)->right, right[i]);
    release(lesson);
}

TEST(every_text_is_there_in_both_languages)
{
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *lesson = computed_as_it_is(sac_lessons[i]->name);
        assert_true(lesson->step_count >= 3);
        assert_translated(lesson->class->title);
        assert_translated(lesson->class->summary);
        for (int s = 0; s < lesson->step_count; s++) {
            assert_translated(lesson->steps[s].name);
            assert_translated(lesson->steps[s].sentence);
            assert_translated(lesson->steps[s].notice);
            assert_true(lesson->steps[s].arrays[0] != 0);
        }
    }
}

/* One English text has two translations where its contexts differ; a name has none. */
TEST(a_context_chooses_the_translation)
{
    assert_string_equal(sac_translate(SAC_IN_CHINESE, "heads"), "头");
    assert_string_equal(sac_translate(SAC_IN_CHINESE, NC_("how many", "heads")), "头数");
    assert_string_equal(sac_translate(SAC_IN_ENGLISH, NC_("how many", "heads")), "heads");
    assert_string_equal(sac_translate(SAC_IN_CHINESE, NC_("no context", "inferno")), "inferno");
    assert_string_equal(sac_translate(SAC_IN_CHINESE, "inferno"), "inferno");
    assert_string_equal(sac_translate(SAC_IN_CHINESE, ""), "");
    assert_null(sac_translate(SAC_IN_CHINESE, NULL));
}

TEST(the_environment_chooses_the_language)
{
    static const struct {
        const char *all, *messages, *lang;
        sac_locale language;
    } cases[] = {
        {NULL, NULL, NULL, SAC_IN_ENGLISH},      {NULL, NULL, "zh_CN.UTF-8", SAC_IN_CHINESE},
        {NULL, NULL, "zh", SAC_IN_CHINESE},      {"", "zh_TW", "de_DE.UTF-8", SAC_IN_CHINESE},
        {"C", "zh_CN", "zh_CN", SAC_IN_ENGLISH}, {NULL, "en_GB.UTF-8", "zh_CN", SAC_IN_ENGLISH},
        {NULL, NULL, "zhx_XX", SAC_IN_ENGLISH},  {NULL, NULL, "de_DE@euro", SAC_IN_ENGLISH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *values[] = {cases[i].all, cases[i].messages, cases[i].lang};
        static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
        for (int k = 0; k < 3; k++)
            if (values[k])
                setenv(names[k], values[k], 1);
            else
                unsetenv(names[k]);
        assert_int_equal(sac_locale_of_environment(), cases[i].language);
    }
}

TEST_MAIN(open_device, close_lessons)
