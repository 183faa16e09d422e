/* A lesson on sinusoidal positions (Vaswani et al., 2017, section 3.5): what they are, and how
 * their dot products depend on distance. */
#include <math.h>
#include <stdlib.h>

#include "lessons/engine/lesson.h"
#include "lessons/ideas/lessons.h"

enum { LONGEST = 128, WAVE = 241, WAVES = 4 /* that are drawn */ };

static const sac_lesson_parameter parameters[] = {
    {"d", N_("numbers a position, d"), 1, 512, 8, true},
    {"length", N_("positions"), 1, LONGEST, 12, true},
    {"p", N_("position p in the drawing"), 0, LONGEST - 1, 3, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("waves"),
     .sentence = N_("Each position gets a row of sines and cosines."),
     .formula = "PE[p,2i] = sin(p / 10000^(2i/d)), PE[p,2i+1] = cos(…)",
     .notice =
         N_("The first pair of columns turns fastest, and each pair after it turns more slowly."),
     .code = "p, i = torch.arange(12).unsqueeze(1), torch.arange(0, d, 2)\n"
             "PE[:, 0::2] = torch.sin(p / 10000 ** (i / d))\n"
             "PE[:, 1::2] = torch.cos(p / 10000 ** (i / d))",
     .questions = {{SAC_ASK_VALUE, 0, N_("A sine in even columns, a cosine in odd ones."), true}}},
    {.name = N_("wavelengths"),
     .sentence = N_("The wavelengths form a geometric series."),
     .formula = "2π · 10000^(2i/d)",
     .code = "wavelengths = 2 * math.pi * 10000 ** (i / d)",
     .notice = N_("The longest is 2π·10000^((d−2)/d), a little less than 10000·2π."),
     .cell = "wavelengths,3"},
    {.name = N_("distance"),
     .sentence = N_("The dot product of two positions is a sum of waves cos(k ω), so it "
                    "depends only on their distance k."),
     .formula = "PE[p]·PE[p+k] = Σ cos(k ωᵢ)",
     .notice =
         N_("It falls, but rises near k = 6 if d is small: the fastest wave has made a full turn; "
            "slower "
            "waves fall on."),
     .code = "products = PE @ PE.T",
     .cell = "dot_by_distance,0,6",
     .questions = {{SAC_ASK_LARGEST, 1, N_("No position is more like it than itself."), true}}},
};

typedef struct arrays {
    sac_node encoding, by_distance, wavelengths;
} arrays;

/* Waves above and, where products are shown, their sum below; the position is dragged. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    size_t d = sac_node_size(g, a->encoding, 1), count = sac_node_size(g, a->encoding, 0),
           pairs = d / 2, shown = pairs < WAVES ? pairs : WAVES;
    float end = (float)(count > 1 ? count - 1 : 1), p = fminf(sac_lesson_value(l, "p"), end);
    int cells[WAVES], same[WAVES] = {0}, place = (int)p;
    if (!a->encoding || pairs == 0 || count < 2)
        return;
    for (size_t i = 0; i < shown; i++)
        cells[i] = (int)((size_t)p * d + 2 * i + 1);
    sac_node at = sac_lesson_axis(l, "waves.p", 0, end, WAVE);
    /* The cosines of the pairs as waves between the positions, [WAVE,pairs], and their sum: the dot
     * product with position 0. */
    float *cosines = malloc((WAVE * pairs + 1) * sizeof *cosines);
    for (size_t i = 0; cosines && i < WAVE * pairs; i++) {
        double along = (double)end * (double)(i / pairs) / (WAVE - 1);
        cosines[i] = (float)cos(along / pow(10000, 2.0 * (double)(i % pairs) / (double)d));
    }
    sac_node all = cosines ? sac_given(g, "waves.all", SAC_MATRIX(WAVE, pairs), cosines) : 0;
    free(cosines);
    sac_node waves = sac_sliced(g, "waves", sac_transposed(g, "waves.rows", all), 0, shown);
    sac_node sum = sac_unary(g, SAC_OP_SUM, "waves.sum", all);
    sac_node position = sac_given(g, "p", SAC_MATRIX(1, 1), &p);
    sac_node on_waves = sac_gather(g, "encoding[p]", a->encoding, SAC_MATRIX(1, shown), cells);
    sac_node places = sac_gather(g, "p.places", position, SAC_MATRIX(1, shown), same);
    sac_node product = sac_gather(g, "dot[p]", a->by_distance, SAC_MATRIX(1, 1), &place);
    sac_lesson_drawing drawing = {
        .panel_count = 2,
        .panels = {{.title = N_("Columns 1, 3, 5 …: slower and slower"),
                    .x = N_("position p"),
                    .y_low = -1.15f,
                    .y_high = 1.15f,
                    .x_high = end},
                   {.title = N_("Their sum, PE[0]·PE[p]"),
                    .x = N_("position p"),
                    .since = 2,
                    .x_high = end}},
        .mark_count = 7,
        .marks = {{SAC_MARK_RULE, 0, .x = position, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 0, .x = at, .y = waves},
                  {SAC_MARK_POINTS, 0, .x = places, .y = on_waves, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_RULE, 1, .x = position, .ink = SAC_INK_ACCENT},
                  {SAC_MARK_LINE, 1, .x = at, .y = sum, .ink = SAC_INK_BLUE},
                  {SAC_MARK_POINTS, 1, .y = a->by_distance, .ink = SAC_INK_BLUE},
                  {SAC_MARK_POINTS, 1, .x = position, .y = product, .ink = SAC_INK_ACCENT}},
        .handle_count = 1,
        .handles = {{.x = {position, 0},
                     .sets_x = {.parameter = "p"},
                     .does = N_("Drag the position p, or move it by ← and →.")}}};
    sac_lesson_add_drawing(l, &drawing, 0, 0);
    sac_lesson_add_drawing(l, &drawing, 2, 2);
    /* On a scale of powers equal factors are equal ways: the series is a straight line. */
    float many = (float)count;
    sac_node here = sac_given(g, "positions.count", SAC_MATRIX(1, 1), &many);
    const sac_lesson_drawing lengths = {
        .panel_count = 1,
        .panels = {{.title = N_("Wavelengths, by powers of ten"),
                    .x = N_("pair i"),
                    .y_low = 1,
                    .y_high = 1e5f,
                    .y_by_ratio = true}},
        .mark_count = 3,
        .marks = {{SAC_MARK_LINE, 0, .y = a->wavelengths, .ink = SAC_INK_FAINT},
                  {SAC_MARK_POINTS, 0, .y = a->wavelengths, .ink = SAC_INK_BLUE,
                   .name = N_("wavelength")},
                  {SAC_MARK_RULE, 0, .y = here, .ink = SAC_INK_ACCENT,
                   .name = N_("how many positions there are")}}};
    sac_lesson_add_drawing(l, &lengths, 1, 1);
}

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    size_t d = (size_t)sac_lesson_value(l, "d"), count = (size_t)sac_lesson_value(l, "length"),
           words = sac_lesson_use_words(l);
    count = words ? words : count;
    sac_node encoding = sac_positions(g, "encoding", count, d);
    /* 2π 10000^(2i/d) of each pair. */
    float lengths[512];
    size_t pairs = (d + 1) / 2;
    for (size_t i = 0; i < pairs; i++)
        lengths[i] = (float)(2 * acos(-1) * pow(10000, 2.0 * (double)i / (double)d));
    sac_node wavelengths = sac_given(&l->graph, "wavelengths", SAC_VECTOR(pairs), lengths);
    sac_node first = sac_sliced(g, "first", encoding, 0, 1);
    sac_node by_distance = sac_matmul_t(g, "dot_by_distance", first, encoding);
    sac_node products = sac_matmul_t(g, "products", encoding, encoding);
    sac_lesson_label_words(l, encoding, true, false);
    sac_lesson_label_words(l, products, true, true);
    SAC_LESSON_STEP(l, steps[0], encoding);
    SAC_LESSON_STEP(l, steps[1], wavelengths);
    SAC_LESSON_STEP(l, steps[2], by_distance, products);
    add_drawings(l, &(arrays){encoding, by_distance, wavelengths});
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The sentence gets 24 positions in place of 12. What happens to the dot "
                "product of positions 0 and 1?"),
     .cell = "products,0,1",
     .after = "length=24",
     .why = N_("A row depends on its position alone, not on how many there are.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("Each position gets 16 numbers in place of 8. What happens to the dot "
                "product of position 0 with itself?"),
     .cell = "products,0,0",
     .after = "d=16",
     .why = N_("Each pair of sine and cosine adds sin² + cos² = 1: it is d/2.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the dot product of two positions depend on their distance alone?"),
     .cell = "products,0,1",
     .reasons = {{N_("sin a sin b + cos a cos b = cos(a − b), in each pair of columns"),
                  "products,0,1", '=', "products,3,4"},
                 {N_("because all rows are equal"), "encoding,0,0", '=', "encoding,1,0"},
                 {N_("because each column falls from row to row"), "encoding,0,0", '>',
                  "encoding,1,0"}},
     .why = N_("The difference a − b is the distance times the wave's frequency.")},
    {0},
};

const sac_lesson_class sac_lesson_positions = {
    .name = "positions",
    .title = N_("Where a word stands"),
    .summary = N_("sines and cosines whose dot product depends on the distance"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
