/* Scores of thousands of drawn queries and keys: differences grow with d unless they are divided by
 * √d, and then nothing depends on d. */
#include "computed.h"

/* Means over 4000 draws of 8 keys: Var(e_i − e_j), the largest weight, and p (1 − p). The figures
 * were computed in plain Python of other draws. */
static const struct row {
    const char *d;
    float variance, largest, scaled_largest, gradient, scaled_gradient;
} rows[] = {
    {"d=1", 2, .304f, .304f, .0983f, .0983f},     {"d=4", 8, .529f, .345f, .0753f, .0965f},
    {"d=16", 32, .748f, .356f, .0435f, .0961f},   {"d=64", 128, .878f, .360f, .0217f, .0961f},
    {"d=256", 512, .937f, .361f, .0114f, .0959f}, {"d=512", 1024, .953f, .358f, .0085f, .0962f},
};

TEST(scores_over_root_d_do_not_depend_on_d)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        const sac_lesson *lesson = computed((asked){"why-scale", r->d, -1});
        compare(lesson, "variance", 0, &r->variance, 1, .05 * (double)r->variance);
        compare(lesson, "scaled_variance", 0, &(float){2}, 1, .1);
        compare(lesson, "largest", 0, &r->largest, 1, .01);
        compare(lesson, "scaled_largest", 0, &r->scaled_largest, 1, .01);
        compare(lesson, "gradient", 0, &r->gradient, 1, .001);
        compare(lesson, "scaled_gradient", 0, &r->scaled_gradient, 1, .001);
    }
}

TEST_MAIN(open_device, close_lessons)
