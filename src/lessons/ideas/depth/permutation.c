/* A lesson on the order of words: self-attention permutes with it, attention from outside does not
 * change, and with positional encodings neither holds. */
#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

static const sac_lesson_parameter parameters[] = {
    {"positions", N_("add positions"), 0, 1, 0, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("order"),
     .sentence = N_("The words of a sentence are put in another order: 2, 0, 3, 1."),
     .formula = "PX",
     .notice = N_("Each row of the permutation P has a single 1, which picks a word."),
     .code = "PX = X[[2, 0, 3, 1]]",
     .questions = {{SAC_ASK_LARGEST, 0, N_("The word that comes to this place."), true},
                   {SAC_ASK_VALUE, 2, N_("That of the word that P picks.")}}},
    {.name = N_("self-attention"),
     .sentence =
         N_("Self-attention of the reordered words gives the reordered output: it is equivariant."),
     .formula = "f(PX) − P f(X)",
     .notice = N_("Without positions the difference is 0; with positions it is not."),
     .code = "difference = model(PX) - model(X)[[2, 0, 3, 1]]"},
    {.name = N_("from outside"),
     .sentence = N_("A query from outside, as in a decoder, gets the same context c for any "
                    "order: c is invariant."),
     .formula = "c(PX) − c(X)",
     .notice = N_("Keys and values move together, so the weighted sum stays the same "
                  "unless positions are added."),
     .code = "change = attend(query, PX) - attend(query, X)"},
};

enum { WORDS = SAC_NOTEBOOK_WORDS, DEPTH = SAC_NOTEBOOK_DEPTH };

typedef struct arrays {
    sac_node sentence, permutation, x, px, output, output_of_px, turned, difference;
    sac_node query, found, found_in_px, change, plain;
} arrays;

/* [T,d] as a batch of one. */
static sac_node as_batch(sac_graph *g, const char *name, sac_node x)
{
    return sac_reshaped(g, name, x, SAC_STACK(1, sac_node_size(g, x, 0), sac_node_size(g, x, 1)));
}

/* One query from outside over the words as keys and values. */
static sac_node attend_from_outside(sac_graph *g, const char *const names[3], sac_node query,
                                    sac_node x)
{
    sac_node weights = sac_softmax(g, names[1], sac_matmul_t(g, names[0], query, x));
    return sac_matmul(g, names[2], weights, x);
}

/* Words, then words in the new order and what attention makes of them; below them the other way round.
 * The rows of PX are dragged. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_ROWS,
        .panel_count = 2,
        .mark_count = 6,
        .marks = {{SAC_MARK_CELLS, 0, .y = a->sentence, .name = N_("X")},
                  {SAC_MARK_CELLS, 0, .y = a->px, .weights = a->permutation, .name = N_("PX")},
                  {SAC_MARK_CELLS, 0, .since = 1, .before = 2, .y = a->output_of_px,
                   .name = N_("f(PX)")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->sentence, .name = N_("X")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->plain, .name = N_("f(X)")},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2, .y = a->turned,
                   .weights = a->permutation, .name = N_("P f(X)")}},
        .handle_count = WORDS};
    for (size_t i = 0; i < WORDS; i++)
        drawing.handles[i] = (sac_drawing_handle){
            .quiet = true,
            .x = {a->permutation, 0},
            .sets_y = {.number = {a->permutation, 0}},
            .does = N_("Drag this row, or move it by ↑ and ↓: two rows change places.")};
    sac_lesson_add_drawing(l, &drawing, 0, 1);
    /* The weights change places with the words, and c stays. */
    const sac_graph *g = &l->graph;
    sac_node here = sac_graph_find(g, "outside.weights"),
             there = sac_graph_find(g, "outside.PX.weights");
    const sac_lesson_drawing outside = {
        .panel_count = 3,
        .panels = {{.title = N_("Weights over X"), .x = N_("word"), .categories = here},
                   {.title = N_("Weights over PX"), .x = N_("word"), .categories = there},
                   {.title = N_("The context c"), .x = N_("number"), .categories = a->found}},
        .mark_count = 4,
        .marks = {
            {SAC_MARK_BARS, 0, .y = here, .ink = SAC_INK_BLUE},
            {SAC_MARK_BARS, 1, .y = there, .ink = SAC_INK_ACCENT},
            {SAC_MARK_BARS, 2, .y = a->found, .ink = SAC_INK_BLUE, .name = N_("of X")},
            {SAC_MARK_BARS, 2, .y = a->found_in_px, .ink = SAC_INK_ACCENT, .name = N_("of PX")}}};
    sac_lesson_add_drawing(l, &outside, 2, 2);
}

static void build(sac_lesson *l)
{
    arrays a;
    static const char *const here[] = {"outside.scores", "outside.weights", "c"};
    static const char *const there[] = {"outside.PX.scores", "outside.PX.weights", "c_of_PX"};
    static const float order[WORDS * WORDS] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0};
    sac_graph *g = &l->graph;
    sac_node draws, sents = sac_notebook_sentences(l, &draws);
    sac_node first = sac_sliced(g, "first_sentence", sents, 0, 1);
    bool positions = sac_lesson_value(l, "positions") != 0;
    a.sentence = sac_reshaped(g, positions ? "words" : "X", first, SAC_MATRIX(WORDS, DEPTH));
    a.permutation = sac_lesson_given(l, "P", SAC_MATRIX(WORDS, WORDS), order);
    sac_node turned = sac_matmul(g, positions ? "Pwords" : "PX", a.permutation, a.sentence);
    sac_node places = positions ? sac_positions(g, "positions", WORDS, DEPTH) : 0;
    a.x = positions ? sac_sum(g, "X", a.sentence, places) : a.sentence;
    a.px = positions ? sac_sum(g, "PX", turned, places) : turned;
    sac_heads layer = sac_notebook_layer(l, 1);
    sac_heads_arrays plain = sac_heads_attend(g, "", &layer, as_batch(g, "X.batch", a.x));
    sac_heads_arrays of_px = sac_heads_attend(g, "PX.", &layer, as_batch(g, "PX.batch", a.px));
    a.output = plain.output;
    a.output_of_px = sac_reshaped(g, "output_of_PX", of_px.output, SAC_MATRIX(WORDS, DEPTH));
    a.plain = sac_reshaped(g, "output.rows", plain.output, SAC_MATRIX(WORDS, DEPTH));
    a.turned = sac_matmul(g, "P_output", a.permutation, a.plain);
    a.difference = sac_difference(g, "difference", a.output_of_px, a.turned);
    a.query = sac_sliced(g, "outside", sents, 1, 1);
    a.query = sac_sliced(g, "query",
                         sac_reshaped(g, "outside.rows", a.query, SAC_MATRIX(WORDS, DEPTH)), 0, 1);
    a.found = attend_from_outside(g, here, a.query, a.x);
    a.found_in_px = attend_from_outside(g, there, a.query, a.px);
    a.change = sac_difference(g, "c_change", a.found_in_px, a.found);
    SAC_LESSON_STEP(l, steps[0], a.permutation, a.sentence, a.px);
    SAC_LESSON_STEP(l, steps[1], a.output_of_px, a.turned, a.difference);
    SAC_LESSON_STEP(l, steps[2], a.found, a.found_in_px, a.change);
    add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a query from outside not notice the order of the words?"),
     .reasons = {{N_("keys and values change places in pairs, and their sum stays")},
                 {N_("its weights are all equal")},
                 {N_("the softmax sorts them")}},
     .why = N_("That is why positions are added: attention sees a set.")},
    {0},
};

const sac_lesson_class sac_lesson_permutation = {
    .name = "permutation",
    .title = N_("Attention sees a set"),
    .summary = N_(
        "self-attention is equivariant, cross-attention invariant; with positions neither holds"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
