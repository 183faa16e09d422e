/* The notes' code as it is printed: what each of its five mistakes does to the map of tokens by
 * tokens. Two sentences of four words, the second with two of padding; MultiHeadAttention(8, 2). */
#include <math.h>

#include "lessons/ideas/lessons.h"
#include "lessons/shared/layers.h"

enum { BATCH = 2, WORDS = 4, DEPTH = 8, HEADS = 2 };

static const sac_lesson_parameter parameters[] = {
    {"sharpness", N_("factor of all scores"), 0, 50, 8, false},
    {0},
};

static const sac_lesson_step steps[] = {
    {.name = N_("if attn_mask:"),
     .sentence = N_("A tensor of several numbers has no truth value, so this line raises "
                    "an error whenever a mask is given."),
     .formula = "if attn_mask:  →  if attn_mask is not None:",
     .notice = N_("With the mask all weights above the diagonal are 0; without it each word "
                  "sees later words and padding."),
     .code = "if attn_mask:   # RuntimeError: Boolean value of Tensor … is ambiguous\n"
             "    scores = scores.masked_fill(attn_mask, -math.inf)",
     .cell = "weights.unmasked,0,0,3",
     .questions = {{SAC_ASK_COUNT, 1, N_("As many as neither mask blocks."), true}}},
    {.name = N_("uint8"),
     .sentence =
         N_("The mask holds bytes instead of bools: masked_fill refuses it, and ~ turns its 0 "
            "and 1 into 255 and 254."),
     .formula = "~0 = 255, ~1 = 254",
     .notice = N_("With .bool() after the ~ every cell is blocked, and each row is 0/0: NaN in "
                  "PyTorch, and 0 here."),
     .code = "mask = torch.triu(torch.ones(T, T, dtype=torch.uint8), 1)   # .bool() is missing\n"
             "blocked = (~mask).bool()   # of 255 and 254: all true\n"
             "scores = scores.masked_fill(mask, -math.inf)   # RuntimeError: only boolean masks",
     .cell = "mask.inverted,0,0,1",
     .questions = {{SAC_ASK_VALUE, 1, N_("255 less the mask: never 0, so never open.")}}},
    {.name = N_("view"),
     .sentence = N_(
         "A view without a transpose gives each head whole words instead of a part of every word."),
     .formula = "view(B·H, −1, D/H)  →  view(B, −1, H, D/H).transpose(1, 2)",
     .notice = N_("Only 8 of 16 pairs of words are left, in two blocks."),
     .code = "q = q.view(B * H, -1, D // H)   # wrong: no transpose",
     .questions = {{SAC_ASK_COUNT, 2, N_("As many words as share a head with it.")}}},
    {.name = N_("repeat"),
     .sentence = N_("The masks are repeated in the order s0 s1 s0 s1, but the heads lie "
                    "in the order s0 s0 s1 s1."),
     .formula = "repeat(H,1,1)  →  repeat_interleave(H, dim=0)",
     .notice = N_("One head of each sentence gets the mask of the other sentence, so "
                  "weights of padding are not 0."),
     .code = "attn_mask = attn_mask.repeat(H, 1, 1)   # wrong for a batch of more than one",
     .cell = "weights.repeat,2,3,3",
     .questions = {{SAC_ASK_COUNT, 2, N_("As many as the mask that it was given leaves open."),
                    true}}},
    {.name = N_("// heads"),
     .sentence = N_("The size of a head is divided by the number of heads once more, so "
                    "the scores are too large."),
     .formula = "(D/H // H)^−½  →  (D/H)^−½",
     .notice = N_("The rows are sharper and have fewer bits; where D/H < H the code divides by 0."),
     .code = "scale = (key.size(-1) // num_heads) ** -0.5   # wrong: one // too many\n"
             "scores = sharpness * query @ key.transpose(1, 2) * scale\n"
             "weights = scores.masked_fill(mask, -math.inf).softmax(-1)",
     .questions = {{SAC_ASK_VALUE, 2, N_("The entropy of the row that is too sharp.")}}},
};

typedef struct arrays {
    sac_node x, scores, mask, of_heads, right;
    sac_node unmasked, inverted, nothing, member, influence, repeated, exchanged;
    sac_node sharp, right_bits, sharp_bits;
} arrays;

/* The softmax of the scaled scores [B·H,T,T] under a mask, or none. `names`: scaled, masked,
 * weights. */
static sac_node add_attention_weights(sac_graph *g, const char *const names[3], sac_node scores,
                                      float scale, sac_node mask)
{
    sac_node scaled = sac_times(g, names[0], scores, scale);
    return sac_softmax(g, names[2], mask ? sac_masked(g, names[1], scaled, mask) : scaled);
}

/* A head as it should be, with a curtain over what its mask blocks, and beside it what the step's mistake
 * makes of it: the second head, or that of the sentence with padding which gets the other one's mask. */
static void add_drawings(sac_lesson *l, const arrays *a)
{
    sac_graph *g = &l->graph;
    sac_node mask = sac_sliced(g, "second.mask", a->of_heads, 1, 1);
    sac_node right = sac_sliced(g, "second.right", a->right, 1, 1);
    sac_node apart = sac_unary(g, SAC_OP_EQUALS, "unreached", a->influence);
    sac_lesson_drawing drawing = {
        .kind = SAC_DRAWS_MATRIX,
        .panel_count = 2,
        .panels = {{.title = N_("the second head, right"), .y = N_("query")},
                   {.title = N_("with the mistake"), .y = N_("query")}},
        .mark_count = 5,
        .marks = {{SAC_MARK_CELLS, 0, .y = right, .weights = mask},
                  {SAC_MARK_CELLS, 1, .before = 1,
                   .y = sac_sliced(g, "second.unmasked", a->unmasked, 1, 1)},
                  {SAC_MARK_CELLS, 1, .since = 1, .before = 2,
                   .y = sac_sliced(g, "second.nothing", a->nothing, 1, 1),
                   .weights = sac_sliced(g, "second.inverted", a->inverted, 1, 1)},
                  {SAC_MARK_CELLS, 1, .since = 2, .before = 3, .y = apart, .weights = apart},
                  {SAC_MARK_CELLS, 1, .since = 4,
                   .y = sac_sliced(g, "second.sharp", a->sharp, 1, 1), .weights = mask}}};
    sac_lesson_add_drawing(l, &drawing, 0, 4);
    drawing.panels[0].title = N_("a head of sentence 1, right");
    drawing.mark_count = 2;
    drawing.marks[0] =
        (sac_drawing_mark){SAC_MARK_CELLS, 0, .y = sac_sliced(g, "padded.right", a->right, 2, 1),
                           .weights = sac_sliced(g, "padded.mask", a->of_heads, 2, 1)};
    drawing.marks[1] = (sac_drawing_mark){
        SAC_MARK_CELLS, 1, .y = sac_sliced(g, "padded.exchanged", a->exchanged, 2, 1),
        .weights = sac_sliced(g, "padded.repeated", a->repeated, 2, 1)};
    sac_lesson_add_drawing(l, &drawing, 3, 3);
}

static void build(sac_lesson *l)
{
    arrays a = {0};
    static const int interleaved[] = {0, 0, 1, 1}, in_turn[] = {0, 1, 0, 1};
    sac_graph *g = &l->graph;
    int index[2][BATCH * HEADS * WORDS * WORDS];
    for (int i = 0; i < BATCH * HEADS * WORDS * WORDS; i++) {
        int head = i / WORDS / WORDS, cell = i % (WORDS * WORDS);
        index[0][i] = interleaved[head] * WORDS * WORDS + cell;
        index[1][i] = in_turn[head] * WORDS * WORDS + cell;
    }
    sac_small_shape shape = SAC_STACK(BATCH * HEADS, WORDS, WORDS);
    /* Causal or padding: [2,4,4]; words 2 and 3 of the second sentence are padding. */
    float mask[BATCH * WORDS * WORDS];
    for (int i = 0; i < BATCH * WORDS * WORDS; i++) {
        int sentence = i / WORDS / WORDS, query = i / WORDS % WORDS, key = i % WORDS;
        mask[i] = key > query || (sentence == 1 && key >= 2);
    }
    a.mask = sac_lesson_given(l, "mask", SAC_STACK(BATCH, WORDS, WORDS), mask);
    a.of_heads = sac_gather(g, "mask.right", a.mask, shape, index[0]);
    a.repeated = sac_gather(g, "mask.repeat", a.mask, shape, index[1]);
    a.inverted = sac_apply(g, SAC_OP_AFFINE, "mask.inverted", a.of_heads, 0, 0, -1, 255);
    static const char *const names[][3] = {
        {"scaled.right", "masked.right", "weights.right"},
        {"scaled.unmasked", "", "weights.unmasked"},
        {"scaled.inverted", "masked.inverted", "weights.inverted"},
        {"scaled.repeat", "masked.repeat", "weights.repeat"},
        {"scaled.scale", "masked.scale", "weights.scale"},
    };
    float right = 1 / sqrtf(DEPTH / HEADS);
    sac_node places = sac_positions(g, "positions", BATCH * WORDS, DEPTH);
    a.x = sac_reshaped(g, "x", places, SAC_STACK(BATCH, WORDS, DEPTH));
    sac_heads layer = sac_notes_layer(l, DEPTH, HEADS, false, 1);
    sac_node q = sac_linear_map(g, "xW_q", "Q", a.x, layer.query.weight, layer.query.bias);
    sac_node k = sac_linear_map(g, "xW_k", "K", a.x, layer.key.weight, layer.key.bias);
    sac_node heads_q = sac_heads_split(g, "Q.heads", q, HEADS, false);
    sac_node heads_k = sac_heads_split(g, "K.heads", k, HEADS, false);
    sac_node products = sac_matmul_t(g, "products", heads_q, heads_k);
    a.scores = sac_times(g, "scores", products, sac_lesson_value(l, "sharpness"));
    a.right = add_attention_weights(g, names[0], a.scores, right, a.of_heads);
    a.unmasked = add_attention_weights(g, names[1], a.scores, right, 0);
    a.nothing = add_attention_weights(g, names[2], a.scores, right, a.inverted);
    a.exchanged = add_attention_weights(g, names[3], a.scores, right, a.repeated);
    a.sharp = add_attention_weights(g, names[4], a.scores, sac_notes_printed_scale(DEPTH, HEADS),
                                    a.of_heads);
    a.right_bits = sac_unary(g, SAC_OP_ENTROPY, "bits.right", a.right);
    a.sharp_bits = sac_unary(g, SAC_OP_ENTROPY, "bits.scale", a.sharp);
    a.member = sac_notes_head_members(g, WORDS, HEADS, true);
    a.influence = sac_notes_influence(g, a.member);
    sac_graph_share_colors(g, a.sharp_bits, a.right_bits);
    SAC_LESSON_STEP(l, steps[0], a.of_heads, a.right, a.unmasked);
    SAC_LESSON_STEP(l, steps[1], a.of_heads, a.inverted, a.nothing);
    SAC_LESSON_STEP(l, steps[2], a.right, a.member, a.influence);
    SAC_LESSON_STEP(l, steps[3], a.repeated, a.right, a.exchanged);
    SAC_LESSON_STEP(l, steps[4], a.right, a.sharp, a.sharp_bits, a.right_bits);
    add_drawings(l, &a);
}

static const sac_lesson_ask asks[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("The size of a head is divided by the number of heads once more. What "
                "happens to the weights?"),
     .cell = "bits.scale,0,1,0",
     .reasons = {{N_("the rows get sharper: the scores are divided by too little"),
                  "bits.scale,0,1,0", '<', "bits.right,0,1,0"},
                 {N_("the rows get flatter: the scores are divided by too much"),
                  "bits.scale,0,1,0", '>', "bits.right,0,1,0"},
                 {N_("nothing: the softmax divides again"), "bits.scale,0,1,0", '=',
                  "bits.right,0,1,0"}},
     .why = N_("Larger differences between scores give less entropy.")},
    {0},
};

const sac_lesson_class sac_lesson_five_bugs = {
    .name = "five-bugs",
    .title = N_("Five bugs in one layer"),
    .summary =
        N_("five common mistakes in the code of one layer, and what each does to the weights"),
    .parameters = parameters,
    .asks = asks,
    .build = build,
};
