/* A caption of the trained captioner, word by word: over the grid of a scene each word's scores, weights and
 * context, the next word's probabilities, and the same sentence with one vector for all words. */
#include <string.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/captioned.h"

enum {
    SIDE = SAC_CAPTIONED_SIDE,
    CELLS = SAC_CAPTIONED_CELLS,
    WORDS = SAC_CAPTIONED_WORDS,
    VOCABULARY = SAC_CAPTIONED_VOCABULARY,
    LIKELY = 6
};

static const sac_lesson_parameter parameters[] = {
    {"word", N_("the word of the caption, from 0"), 0, WORDS - 1, 2, true},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("grid"),
     .sentence =
         N_("A network turns the scene into a grid of 14 × 14 cells, each a vector h of 128 "
            "numbers: three are shown."),
     .formula = "h[i,j], i, j = 0 … 13;  v = mean h",
     .notice =
         N_("Number 68 is large on the star, 126 on the triangle and 8 on the circle; in their "
            "mean v all are small."),
     .code = "h = features.flatten(0, 1)   # of the grid [14,14,3] a row for each cell\n"
             "v = h.mean(0)",
     .cell = "h,131,0"},
    {.name = N_("scores"),
     .sentence = N_("For each word a small network compares the decoder's state s with each cell."),
     .formula = "e[t,i,j] = f_att(s[t−1], h[i,j])",
     .notice = N_("Each score e is one number, large where the thing is that is named next."),
     .code = "e = f_att(s, h)[t]   # the additive score",
     .cell = "e,9,5"},
    {.name = N_("weights"),
     .sentence = N_("The softmax over all cells turns the 196 scores into attention weights."),
     .formula = "a[t,:,:] = softmax(e[t,:,:])",
     .notice =
         N_("Laid over the scene, they are the heat map of this word; another word is set below."),
     .code = "a = e.flatten().softmax(-1).reshape(14, 14)",
     .cell = "a,9,5",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The cell with the largest score.")}}},
    {.name = N_("context"),
     .sentence = N_("The context c is the mean of the cells, weighted by the attention weights."),
     .formula = "c[t] = Σ a[t,i,j] h[i,j]",
     .notice = N_(
         "c has the form of one h and changes with what the words name, while v stays the same."),
     .code = "c = a.flatten() @ h",
     .cell = "c,0,0"},
    {.name = N_("next word"),
     .sentence =
         N_("With the context the decoder's next state gives each word a probability: here the "
            "six likeliest."),
     .formula = "s[t] = LSTM(y[t−1], c[t], s[t−1]);  p = softmax(W [y, s, c])",
     .notice = N_(
         "With its own c the captioner is sure of each word; given v in place of c, it guesses."),
     .code = "p = logits.softmax(-1)   # saccade caption --dataset shapes --scene 91",
     .cell = "p.next,0,0",
     .questions = {{SAC_ASK_LARGEST, 1, N_("The word with the largest logarithm."), true}}},
    {.name = N_("one vector"),
     .sentence =
         N_("The probability of each word of the sentence with its own c, and with one vector v "
            "for all words."),
     .formula = "p(y[t] | c[t]),  p(y[t] | v)",
     .notice =
         N_("With v only what the grammar gives is left, as \"of\"; by itself it would end after "
            "one word."),
     .code = "right = p[:, torch.arange(15), words].T",
     .cell = "p.right,2,1"},
};

/* Of each word the likeliest, with c or with v. */
static const char *const likely[WORDS][LIKELY] = {
    {"a", "nothing", "(end)", "large", "circle", "square"},
    {"large", "small", "left", "nothing", "green", "red"},
    {"green", "white", "purple", "black", "blue", "red"},
    {"star", "diamond", "triangle", "square", "circle", "cross"},
    {"left", "(end)", "below", "above", "right", "and"},
    {"of", "(end)", "right", "white", "black", "purple"},
    {"a", "nothing", "(end)", "circle", "blue", "triangle"},
    {"small", "large", "triangle", "nothing", "circle", "star"},
    {"purple", "black", "white", "blue", "yellow", "orange"},
    {"triangle", "star", "diamond", "square", "circle", "cross"},
    {"and", "(end)", "below", "square", "circle", "above"},
    {"a", "nothing", "(end)", "and", "square", "diamond"},
    {"small", "large", "nothing", "(end)", "triangle", "a"},
    {"black", "white", "purple", "green", "blue", "orange"},
    {"circle", "star", "diamond", "square", "triangle", "cross"},
};

static int word_number(const char *word)
{
    int number = 0;
    while (number < VOCABULARY - 1 && strcmp(sac_captioned_vocabulary[number], word))
        number++;
    return number;
}

typedef struct arrays {
    sac_node h, v, e, a, c, every_c, next, right, right_rows;
} arrays;

/* The scene and what lies over it; the context and the probabilities as bars. */
static void add_drawings(sac_lesson *l, const arrays *a, int word)
{
    sac_graph *g = &l->graph;
    sac_node scene = sac_captioned_scene(g, "scene");
    /* Scores of all words lie between −11 and 22. */
    sac_node light = sac_apply(g, SAC_OP_AFFINE, "e.light", a->e, 0, 0, 1 / 33.0f, 1 / 3.0f);
    float at = (float)word;
    sac_node now = sac_given(g, "word.now", SAC_MATRIX(1, 1), &at);
    sac_lesson_drawing pictures = {
        .kind = SAC_DRAWS_PICTURES,
        .plays = "word",
        .play_count = WORDS,
        .plays_since = 1,
        .panel_count = 2,
        .mark_count = 4,
        .marks = {{SAC_MARK_PICTURE, 0, .before = 1, .y = scene, .cut_rows = SIDE,
                   .cut_columns = SIDE, .name = N_("each cell: a row of h")},
                  {SAC_MARK_PICTURE, 0, .since = 1, .before = 2, .y = scene,
                   .name = sac_captioned_words[word]},
                  {SAC_MARK_PICTURE, 1, .since = 1, .before = 2, .y = light,
                   .name = N_("its scores, high ones light")},
                  {SAC_MARK_PICTURE, 0, .since = 2, .y = scene, .weights = a->a,
                   .name = sac_captioned_words[word]}}};
    sac_lesson_add_drawing(l, &pictures, 0, 2);

    static const char *const names[SAC_CAPTIONED_FEATURES] = {
        N_("number 68, of the star"), N_("126, of the triangle"), N_("8, of the circle")};
    static const char *const parts[SAC_CAPTIONED_FEATURES] = {"c.68", "c.126", "c.8"};
    static const sac_mark_ink inks[SAC_CAPTIONED_FEATURES] = {SAC_INK_GREEN, SAC_INK_ACCENT,
                                                              SAC_INK_BLUE};
    sac_node columns = sac_transposed(g, "c.columns", a->every_c);
    sac_lesson_drawing contexts = {
        .part = 0.62f,
        .panel_count = 1,
        .panels = {{.title = N_("c at each word"), .x = N_("word"), .categories = columns}},
        .mark_count = 1,
        .marks = {{SAC_MARK_RULE, 0, .x = now, .ink = SAC_INK_FAINT}}};
    for (size_t k = 0; k < SAC_CAPTIONED_FEATURES; k++)
        contexts.marks[contexts.mark_count++] =
            (sac_drawing_mark){SAC_MARK_BARS, 0, .y = sac_sliced(g, parts[k], columns, k, 1),
                               .ink = inks[k], .name = names[k]};
    sac_lesson_add_drawing(l, &contexts, 3, 3);

    for (int step = 4; step < 6; step++) {
        static const char *const rows[2][2] = {{"next.c", "next.v"}, {"right.c", "right.v"}};
        sac_node p = step == 4 ? a->next : a->right_rows;
        const sac_lesson_drawing bars = {
            .part = step == 4 ? 0 : 0.62f,
            .plays = step == 4 ? "word" : NULL,
            .play_count = step == 4 ? WORDS : 0,
            .plays_since = 4,
            .panel_count = 1,
            .panels = {{.title = step == 4 ? N_("Probability of the next word")
                                           : N_("Probability of each word of the sentence"),
                        .categories = p,
                        .y_low = 0,
                        .y_high = 1.15f}},
            .mark_count = 2,
            .marks = {{SAC_MARK_BARS, 0, .y = sac_sliced(g, rows[step - 4][0], p, 0, 1),
                       .ink = SAC_INK_ACCENT, .name = N_("with its own c")},
                      {SAC_MARK_BARS, 0, .y = sac_sliced(g, rows[step - 4][1], p, 1, 1),
                       .ink = SAC_INK_BLUE, .name = N_("with v")}}};
        sac_lesson_add_drawing(l, &bars, step, step);
    }
}

static void build(sac_lesson *l)
{
    static const char *const ways[] = {N_("with its own c"), N_("with v")};
    sac_graph *g = &l->graph;
    arrays a = {0};
    int word = (int)sac_lesson_value(l, "word"), chosen[2 * LIKELY], named[2 * WORDS];
    for (int i = 0; i < 2 * LIKELY; i++)
        chosen[i] =
            (i / LIKELY * WORDS + word) * VOCABULARY + word_number(likely[word][i % LIKELY]);
    for (int i = 0; i < 2 * WORDS; i++)
        named[i] = i * VOCABULARY + word_number(sac_captioned_words[i % WORDS]);
    a.h = sac_captioned_cells(l, "h");
    sac_node columns = sac_transposed(g, "h^T", a.h);
    a.v = sac_transposed(g, "v", sac_unary(g, SAC_OP_MEAN, "h.mean", columns));
    sac_node every_e = sac_captioned_scores(l, "e.all");
    a.e = sac_reshaped(g, "e", sac_sliced(g, "e.row", every_e, (size_t)word, 1),
                       SAC_MATRIX(SIDE, SIDE));
    sac_node row = sac_softmax(g, "a.row", sac_reshaped(g, "e.flat", a.e, SAC_MATRIX(1, CELLS)));
    a.a = sac_reshaped(g, "a", row, SAC_MATRIX(SIDE, SIDE));
    a.c = sac_matmul(g, "c", row, a.h);
    a.every_c = sac_matmul(g, "c.all", sac_softmax(g, "a.all", every_e), a.h);
    sac_node logs = sac_captioned_next_words(l, "log_p"), every_p = sac_softmax(g, "p.all", logs);
    sac_node logits = sac_gather(g, "log_p.next", logs, SAC_MATRIX(2, LIKELY), chosen);
    a.next = sac_gather(g, "p.next", every_p, SAC_MATRIX(2, LIKELY), chosen);
    a.right_rows = sac_gather(g, "p.right^T", every_p, SAC_MATRIX(2, WORDS), named);
    a.right = sac_transposed(g, "p.right", a.right_rows);
    sac_graph_share_colors(g, a.c, a.v);
    const sac_node by_number[] = {a.h, a.v, a.c}, by_way[] = {logits, a.next, a.right_rows};
    for (int i = 0; i < 3; i++) {
        sac_lesson_label(l, by_number[i], NULL, 0, sac_captioned_features, SAC_CAPTIONED_FEATURES);
        sac_lesson_label(l, by_way[i], ways, 2, i < 2 ? likely[word] : sac_captioned_words,
                         i < 2 ? LIKELY : WORDS);
        sac_lesson_label_terms(l, by_way[i], true, false);
    }
    sac_lesson_label(l, a.right, sac_captioned_words, WORDS, ways, 2);
    sac_lesson_label_terms(l, a.right, false, true);
    SAC_LESSON_STEP(l, steps[0], a.h, a.v);
    SAC_LESSON_STEP(l, steps[1], a.e);
    SAC_LESSON_STEP(l, steps[2], a.e, a.a);
    SAC_LESSON_STEP(l, steps[3], a.a, a.h, a.c, a.v);
    SAC_LESSON_STEP(l, steps[4], logits, a.next);
    SAC_LESSON_STEP(l, steps[5], a.right);
    add_drawings(l, &a, word);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What changes from one word of a caption to the next?"),
     .reasons = {{N_("the decoder's state, and with it scores and weights")},
                 {N_("the features of the cells")},
                 {N_("the number of cells")}},
     .why = N_("The picture is encoded once; each word asks it anew.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Every word gets the same vector v. Which words does the captioner still find?"),
     .cell = "p.right,5,1",
     .reasons = {{N_("those that follow from the words before, such as “of”"), "p.right,5,1", '>',
                  "0.9"},
                 {N_("the colours"), "p.right,2,1", '>', "0.5"},
                 {N_("the shapes"), "p.right,3,1", '>', "0.5"}},
     .why = N_("What is where in the picture is lost in the mean of all cells.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is number 126 of c large while the captioner writes “triangle”?"),
     .cell = "c.all,9,1",
     .reasons = {{N_("it looks at cells whose number 126 is large"), "c.all,9,1", '>', "c.all,0,1"},
                 {N_("that number is large in all cells"), "v,0,1", '>', "1"},
                 {N_("the number grows with each word"), "c.all,14,1", '>', "c.all,9,1"}},
     .why = N_("The context is a mean of the cells by their weights.")},
    {0},
};

const sac_lesson_class sac_lesson_caption_step = {
    .name = "caption-step",
    .title = N_("One word of a caption"),
    .summary = N_("a trained captioner's scores, weights and context at each word, and with one "
                  "vector for all"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
