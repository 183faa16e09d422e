/* Questions with choices of each lesson: which way a number goes when something is changed, which column gains,
 * and why. What a reason claims is computed by a test; the right one comes first. */
#include "lessons/ideas/asks.h"

const sac_lesson_ask sac_asks_step_by_step[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_(
         "The temperature rises from 1 to 4. What happens to the largest weight of the last row?"),
     .cell = "weights,2,2",
     .after = "temperature=4",
     .why = N_("A high temperature brings the scores closer together, and the row gets flatter.")},
    {.kind = SAC_ASK_GAINS,
     .text = N_(
         "The scores are no longer divided by √d. Which column of the last row of weights gains?"),
     .cell = "weights,2,0",
     .after = "scaled=0",
     .why =
         N_("Without the division the scores lie farther apart, and the largest one takes more.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a blocked key get the score −∞ and not 0?"),
     .cell = "weights,0,1",
     .reasons = {{N_("exp(−∞) is 0, so that its weight is exactly 0"), "weights,0,1", '=', "0"},
                 {N_("a score of 0 would already give the weight 0"), "weights,1,0", '=', "0"},
                 {N_("the row of weights would no longer add up to 1")}},
     .why = N_("A score of 0 is a score like any other: exp(0) is 1.")},
    {0},
};

const sac_lesson_ask sac_asks_why_scale[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("Queries and keys get 1024 numbers in place of 64. What happens to the "
                "variance of the difference of two scores?"),
     .cell = "variance,0,0",
     .after = "d=1024",
     .why = N_("Each product that is added brings its own variance: the difference has 2d.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("Queries and keys get 1024 numbers in place of 64, and scores are not "
                "scaled. What happens to the largest of eight weights?"),
     .cell = "largest,0,0",
     .after = "d=1024",
     .why = N_("The scores lie farther apart, and one key takes nearly all.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does learning stop where scores lie far apart?"),
     .cell = "far.gradient,0,0",
     .reasons = {{N_("the weights are close to 0 and 1, where p (1 − p) is almost 0"),
                  "far.gradient,0,0", '<', "0.001"},
                 {N_("all weights are equal, and so are their gradients"), "far.weights,0,0", '=',
                  "far.weights,0,1"},
                 {N_("the weights no longer add up to 1")}},
     .why = N_("The gradient of the softmax is p (1 − p), which is largest at p = ½.")},
    {0},
};

const sac_lesson_ask sac_asks_masks[] = {
    {.kind = SAC_ASK_WAY,
     .text =
         N_("The causal mask is taken away. What happens to the first weight of the second row?"),
     .cell = "weights,0,1,0",
     .after = "causal=0",
     .why = N_("More keys are open, and the same sum of 1 is shared among more.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the causal mask block the words that come later?"),
     .cell = "sequence_mask,0,1",
     .reasons = {{N_("when a word is predicted, those after it are not known yet")},
                 {N_("later words are padding"), "is_padding,0,1", '>', "0"},
                 {N_("each word may look at one word only"), "sequence_mask,4,0", '>', "0"}},
     .why = N_("In training the whole sentence is there; the mask makes it as if it were not.")},
    {0},
};

const sac_lesson_ask sac_asks_self_attention[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("The maps are left out: query, key and value are the words themselves. "
                "What happens to the weight of the first word on itself?"),
     .cell = "weights,0,0,0",
     .after = "identity=1",
     .why = N_("A vector of length 1 has its largest dot product with itself.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What makes this attention a self-attention?"),
     .cell = "weights,0,0,1",
     .reasons = {{N_("queries, keys and values are made of the same sentence")},
                 {N_("each word attends to itself alone"), "weights,0,0,1", '=', "0"},
                 {N_("each sentence attends to the other one")}},
     .why =
         N_("In cross-attention keys and values come from another sentence, or from a picture.")},
    {0},
};

const sac_lesson_ask sac_asks_multi_head[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What do several heads have that one large head has not?"),
     .cell = "weights,0,0,0",
     .reasons = {{N_("weights of their own: a word can look at several places at once")},
                 {N_("more numbers in the maps of query, key and value")},
                 {N_("each head sees a part of the words only"), "weights,0,0,3", '=', "0"}},
     .why =
         N_("The maps are as large as those of one head; each head gets a slice of every word.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is the input added to the output of the attention?"),
     .cell = "output,0,0,0",
     .reasons = {{N_("what the layer was given reaches the next one, whatever the attention does")},
                 {N_("so that each row of weights adds up to 1")},
                 {N_("so that the heads become equal")}},
     .why = N_("That is a residual connection: the attention learns only what has to change.")},
    {0},
};

const sac_lesson_ask sac_asks_positions[] = {
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

const sac_lesson_ask sac_asks_mask_conventions[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("A mask of one convention is read by the other. What happens to the "
                "weight of the last key in the first row?"),
     .cell = "weights,0,3",
     .after = "wrong=1",
     .why = N_("What was to be hidden is shown, and what was to be seen is hidden.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("A mask is 1 where a key is visible. Which mask does masked_fill(mask, −∞) need?"),
     .cell = "masked,0,1",
     .reasons = {{N_("its opposite: 1 where a key is blocked"), "blocked,0,1", '=', "1"},
                 {N_("the mask as it is"), "kept,0,1", '=', "1"},
                 {N_("the mask times −∞")}},
     .why = N_("masked_fill writes −∞ where the mask is true; and 0 · −∞ is NaN.")},
    {0},
};

const sac_lesson_ask sac_asks_dropout[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why are the weights that stay divided by 1 − p?"),
     .cell = "dropped,0,0",
     .reasons = {{N_("so that the mean of the output is what it is without dropout")},
                 {N_("so that each row adds up to 1 again"), "sum,0,0", '=', "1"},
                 {N_("so that no weight is larger than 1"), "dropped,0,0", '<', "1"}},
     .why = N_("A weight stays with probability 1 − p, and (1 − p) · 1 / (1 − p) = 1.")},
    {.kind = SAC_ASK_WAY,
     .text =
         N_("With p = 0 nothing is dropped. What happens to the sum of the row, from p = 0.5 on?"),
     .cell = "sum,0,0",
     .after = "p=0",
     .why = N_("Without dropout a row of weights adds up to 1; what it adds up to with "
               "dropout depends on the draw.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("p rises from 0.5 to 0.8. What happens to the output when the network is "
                "used, and not trained?"),
     .cell = "plain_output,0,0",
     .after = "p=0.8",
     .why = N_("Dropout is for training alone: later all weights count.")},
    {0},
};

const sac_lesson_ask sac_asks_seq2seq[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does one vector for a whole sentence fail for long ones?"),
     .cell = "h,0,0",
     .reasons = {{N_("it has as many numbers for forty words as for four")},
                 {N_("the decoder cannot read a vector")},
                 {N_("long sentences have a larger softmax")}},
     .why = N_(
         "With attention the decoder looks at the state of every word, however many there are.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What is the context c of a word?"),
     .cell = "c,0,0",
     .reasons = {{N_("the mean of the encoder's states, weighted by the attention")},
                 {N_("the state with the largest weight"), "c,0,0", '=', "h,0,0"},
                 {N_("the sum of all states")}},
     .why = N_("A mean by weights: it may lie between two states, as for “we” and “are”.")},
    {0},
};

const sac_lesson_ask sac_asks_alignment[] = {
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

const sac_lesson_ask sac_asks_transformer_block[] = {
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

const sac_lesson_ask sac_asks_image_as_set[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why can a picture be a set of cells, without an order?"),
     .reasons = {{N_("attention is a sum over all cells, and a sum has no order")},
                 {N_("all cells of a picture are equal")},
                 {N_("cells far away have no weight")}},
     .why = N_("The place of a cell has to be added to it, as a position.")},
    {0},
};

const sac_lesson_ask sac_asks_caption_step[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("What changes from one word of a caption to the next?"),
     .reasons = {{N_("the decoder's state, and with it scores and weights")},
                 {N_("the features of the cells")},
                 {N_("the number of cells")}},
     .why = N_("The picture is encoded once; each word asks it anew.")},
    {0},
};

const sac_lesson_ask sac_asks_saccade[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does the eye jump?"),
     .reasons = {{N_("it sees sharply only where it looks")},
                 {N_("it forgets what it saw")},
                 {N_("the picture moves")}},
     .why = N_("Each jump is a saccade; attention chooses where the next one goes.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("A cell takes 5 degrees instead of 2.5. What happens to the acuity two "
                "cells right of the fixation?"),
     .cell = "sharpness,2,4",
     .after = "degrees=5",
     .why = N_("The same cell is at twice the angle.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("A cell takes 5 degrees instead of 2.5. What happens to the acuity at the "
                "fixation?"),
     .cell = "sharpness,2,2",
     .after = "degrees=5",
     .why = N_("Its angle is 0, however large a cell is.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("The fixation moves to row 6, column 6. What happens to the number that is "
                "seen in row 2, column 2, which is 0 in the picture?"),
     .cell = "seen,2,2",
     .after = "row=6 column=6",
     .why = N_("Far from the fixation it is mixed with the stripes of 1 beside it.")},
    {0},
};

const sac_lesson_ask sac_asks_when[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why is attention expensive for very long inputs?"),
     .reasons = {{N_("there is a score for each pair, so that their number grows with the square")},
                 {N_("it has a weight matrix for each position")},
                 {N_("it has to read the input from left to right")}},
     .why = N_("Twice as many words have four times as many pairs.")},
    {0},
};

const sac_lesson_ask sac_asks_untrained_averages[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why do all rows of weights look alike before training?"),
     .reasons =
         {{N_("the scores are small and close to each other, so that each key gets about 1/N")},
          {N_("all words are equal")},
          {N_("the softmax is not computed before training")}},
     .why = N_("The maps are random: no query fits one key better than the others.")},
    {0},
};

const sac_lesson_ask sac_asks_reshape[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Heads are made by a reshape without a transpose. What does a head get?"),
     .reasons = {{N_("some whole words in place of a slice of every word")},
                 {N_("the same numbers in another order of heads")},
                 {N_("zeros")}},
     .why = N_("Words in different heads can no longer reach each other.")},
    {0},
};

const sac_lesson_ask sac_asks_five_bugs[] = {
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

const sac_lesson_ask sac_asks_similarity[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("All vectors are brought to length 1. What happens to the weight of the "
                "second key under the dot product?"),
     .cell = "weights.dot,0,1",
     .after = "unit=1",
     .why = N_("It won by its length, and that is gone.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("When do dot product, cosine and Gaussian give the same order of keys?"),
     .cell = "weights.dot,0,0",
     .reasons = {{N_("when all vectors have length 1")},
                 {N_("always")},
                 {N_("when no number is negative")}},
     .why = N_("For length 1 the dot product is the cosine, and −½|q − k|² is q·k − 1.")},
    {0},
};

const sac_lesson_ask sac_asks_permutation[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Why does a query from outside not notice the order of the words?"),
     .reasons = {{N_("keys and values change places in pairs, and their sum stays")},
                 {N_("its weights are all equal")},
                 {N_("the softmax sorts them")}},
     .why = N_("That is why positions are added: attention sees a set.")},
    {0},
};

const sac_lesson_ask sac_asks_scores[] = {
    {.kind = SAC_ASK_WHY,
     .text = N_("Which scores can compare a query and a key of different sizes?"),
     .reasons = {{N_("additive and bilinear, which have matrices of their own")},
                 {N_("dot and scaled dot")},
                 {N_("the Gaussian")}},
     .why = N_("A dot product and a distance need vectors of one size.")},
    {0},
};

const sac_lesson_ask sac_asks_kernel_regression[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("w falls from 1 to 0.01. What happens to the weight of the point x = 2?"),
     .cell = "weights,0,2",
     .after = "w=0.01",
     .why = N_("A small w is a wide kernel: all points get about the same weight.")},
    {.kind = SAC_ASK_GAINS,
     .text = N_("The query moves from 2.5 to 3.5. Which column of weights gains most?"),
     .cell = "weights,0,0",
     .after = "query=3.5",
     .why = N_("The point that was far and is near now.")},
    {.kind = SAC_ASK_WHY,
     .text = N_("What is the estimate for a very large w?"),
     .reasons = {{N_("the value of the nearest point")}, {N_("the mean of all values")}, {N_("0")}},
     .why = N_("With a narrow kernel only the nearest point keeps a weight.")},
    {0},
};

const sac_lesson_ask sac_asks_cost[] = {
    {.kind = SAC_ASK_WAY,
     .text = N_("There are 2048 queries and keys in place of 1024. What happens to the "
                "memory of the dot product's scores?"),
     .cell = "megabytes,0,0",
     .after = "tokens=2048",
     .why = N_("A number for each pair: four times as much.")},
    {.kind = SAC_ASK_WAY,
     .text = N_("There are 2048 queries and keys in place of 1024. What happens to the "
                "parameters of the additive score?"),
     .cell = "parameters,2,0",
     .after = "tokens=2048",
     .why = N_("Parameters depend on the sizes of queries and keys, not on how many there are.")},
    {0},
};
