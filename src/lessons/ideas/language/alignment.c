/* A lesson on reading an alignment matrix: the diagonal, a reversed block, two words aligned to
 * one. */
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

static const sac_lesson_parameter parameters[] = {
    {"temperature", N_("temperature"), 0.1f, 10, 1, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("matrix"),
     .sentence = N_("Each row is a French word; its weights show which English words the "
                    "translator looked at to write it."),
     .formula = "a[t,i] = softmax(e[t,:])[i]",
     .notice =
         N_("The scores come from a trained translator, which was never taught where to look."),
     .code = "a = e.softmax(-1)",
     .cell = "a,0,0"},
    {.name = N_("diagonal"),
     .sentence = N_(
         "Where both languages have the same word order, the large weights lie on the diagonal."),
     .formula = "a[0:4, 0:4]",
     .code = "diagonal = a[0:4, 0:4]",
     .notice = N_("L' looks at the first \"the\" and la at the second: the word is the "
                  "same, but not its place."),
     .cell = "a.diagonal,3,3"},
    {.name = N_("reversed"),
     .sentence = N_("Zone économique européenne reverses European Economic Area, so the "
                    "block lies on the other diagonal."),
     .formula = "a[4:7, 4:7]",
     .code = "turned = a[4:7, 4:7]",
     .notice = N_("A decoder that read the source strictly from left to right would miss it."),
     .cell = "a.reversed,0,2"},
    {.name = N_("two on one"),
     .sentence = N_("Both words of a été look most at \"was\", and partly at \"signed\"."),
     .formula = "a[7:10, 7:9]",
     .code = "two_on_one = a[7:10, 7:9]",
     .notice = N_("The tense is in both English words."),
     .cell = "a.two_on_one,1,0"},
    {.name = N_("certainty"),
     .sentence = N_("The entropy H of a row is 0 bits if one word has all the weight, and "
                    "larger the more words share it."),
     .formula = "H[t] = −Σ a[t,i] log2 a[t,i]",
     .notice =
         N_("2^H is the effective number of words: about 2 for été, and near 1 for most words."),
     .code = "H = -(a * a.log2()).sum(-1)",
     .cell = "words_seen,8,0",
     .questions = {{SAC_ASK_VALUE, 1, N_("2 to the power of its bits.")}}},
};

/* The rows and columns of one part of the matrix. */
typedef struct block {
    const char *name;
    size_t row, rows, column, columns;
} block;

static sac_node add_block(sac_lesson *l, sac_node a, block b)
{
    int index[SAC_TRANSLATED_WORDS * SAC_TRANSLATED_SOURCE];
    size_t width = sac_node_size(&l->graph, a, 1);
    if (b.row + b.rows > sac_node_size(&l->graph, a, 0) || b.column + b.columns > width)
        return a; /* a person's own smaller matrix is shown whole */
    for (size_t i = 0; i < b.rows * b.columns; i++)
        index[i] = (int)((b.row + i / b.columns) * width + b.column + i % b.columns);
    sac_node part = sac_gather(&l->graph, b.name, a, SAC_MATRIX(b.rows, b.columns), index);
    sac_translated_label(l, part, b.row, b.column);
    return part;
}

static void build(sac_lesson *l)
{
    sac_graph *g = &l->graph;
    sac_node e = sac_translated_scores(l, "e");
    sac_node cooled = sac_times(g, "e.cooled", e, 1 / sac_lesson_value(l, "temperature"));
    sac_node a = sac_softmax(g, "a", cooled);
    sac_translated_label(l, cooled, 0, 0);
    sac_translated_label(l, a, 0, 0);
    sac_node bits = sac_unary(g, SAC_OP_ENTROPY, "bits", a);
    sac_node power = sac_unary(g, SAC_OP_POWER_OF_2, "words_seen", bits);
    sac_node diagonal = add_block(l, a, (block){"a.diagonal", 0, 4, 0, 4});
    sac_node turned = add_block(l, a, (block){"a.reversed", 4, 3, 4, 3});
    sac_node two = add_block(l, a, (block){"a.two_on_one", 7, 3, 7, 2});
    SAC_LESSON_STEP(l, steps[0], a);
    SAC_LESSON_STEP(l, steps[1], diagonal);
    SAC_LESSON_STEP(l, steps[2], turned);
    SAC_LESSON_STEP(l, steps[3], two);
    sac_lesson_label(l, bits, sac_translated_words, SAC_TRANSLATED_WORDS, NULL, 0);
    sac_lesson_label(l, power, sac_translated_words, SAC_TRANSLATED_WORDS, NULL, 0);
    SAC_LESSON_STEP(l, steps[4], bits, power);
    const sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_BANDS,
        .part = 0.42f,
        .panel_count = 1,
        .mark_count = 5,
        .marks = {{SAC_MARK_BANDS, .before = 1, .y = a},
                  {SAC_MARK_BANDS, .since = 1, .before = 2, .y = diagonal},
                  {SAC_MARK_BANDS, .since = 2, .before = 3, .y = turned},
                  {SAC_MARK_BANDS, .since = 3, .before = 4, .y = two},
                  {SAC_MARK_BANDS, .since = 4, .y = a}}};
    sac_lesson_add_drawing(l, &drawing, 0, 4);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The temperature rises from 1 to 4. What happens to the entropy of the first row?"),
     .cell = "bits,0,0",
     .after = "temperature=4",
     .why = N_("A flatter row looks at more words: its entropy is larger.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("A row has an entropy of 1 bit. At about how many words does it look?"),
     .cell = "words_seen,8,0",
     .reasons = {{N_("at two")}, {N_("at one")}, {N_("at ten")}},
     .why = N_("2 to the power of the entropy: 2¹ = 2.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What does a block with the other diagonal mean?"),
     .cell = "a.reversed,0,2",
     .reasons = {{N_("the words stand in the reverse order in the other language"),
                  "a.reversed,0,2", '>', "a.reversed,0,0"},
                 {N_("the words are not translated")},
                 {N_("the model is not sure")}},
     .why = N_("European Economic Area is Zone économique européenne.")},
    {0},
};

const sac_lesson_class sac_lesson_alignment = {
    .name = "alignment",
    .title = N_("Reading an alignment"),
    .summary = N_("the diagonal, a reversed block, two words on one"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
