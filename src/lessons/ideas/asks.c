/* Questions with choices of each lesson: which way a number goes when something is changed, which column gains,
 * and why. What a reason claims is computed by a test; the right one comes first. */
#include "lessons/ideas/asks.h"

const sac_lesson_ask sac_asks_step_by_step[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN(
         "The temperature rises from 1 to 4. What happens to the largest weight of the last row?",
         "温度从 1 升到 4。最后一行中最大的权重会怎样？"),
     .cell = "weights,2,2",
     .after = "temperature=4",
     .why = SAC_TEXT_IN(
         "A high temperature brings the scores closer together, and the row gets flatter.",
         "温度高，分数彼此更近，这一行更平。")},
    {.kind = SAC_ASK_GAINS,
     .text = SAC_TEXT_IN(
         "The scores are no longer divided by √d. Which column of the last row of weights gains?",
         "分数不再除以 √d。权重的最后一行中，哪一列变大？"),
     .cell = "weights,2,0",
     .after = "scaled=0",
     .why = SAC_TEXT_IN(
         "Without the division the scores lie farther apart, and the largest one takes more.",
         "不除以 √d，分数差得更远，最大者得到更多。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why does a blocked key get the score −∞ and not 0?",
                         "为什么被屏蔽的键，分数是 −∞ 而不是 0？"),
     .cell = "weights,0,1",
     .reasons = {{SAC_TEXT_IN("exp(−∞) is 0, so that its weight is exactly 0",
                              "exp(−∞) 是 0，权重恰好为 0"),
                  "weights,0,1", '=', "0"},
                 {SAC_TEXT_IN("a score of 0 would already give the weight 0",
                              "分数为 0 时，权重也会是 0"),
                  "weights,1,0", '=', "0"},
                 {SAC_TEXT_IN("the row of weights would no longer add up to 1",
                              "权重的这一行之和就不再是 1")}},
     .why = SAC_TEXT_IN("A score of 0 is a score like any other: exp(0) is 1.",
                        "0 也是一个普通的分数：exp(0) 等于 1。")},
    {0},
};

const sac_lesson_ask sac_asks_why_scale[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("Queries and keys get 1024 numbers in place of 64. What happens to the "
                         "variance of the difference of two scores?",
                         "查询和键从 64 维变成 1024 维。两个分数之差的方差会怎样？"),
     .cell = "variance,0,0",
     .after = "d=1024",
     .why =
         SAC_TEXT_IN("Each product that is added brings its own variance: the difference has 2d.",
                     "每加一个乘积，方差就多一份：差的方差是 2d。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("Queries and keys get 1024 numbers in place of 64, and scores are not "
                         "scaled. What happens to the largest of eight weights?",
                         "查询和键从 64 维变成 1024 维，分数不缩放。八个权重中最大的会怎样？"),
     .cell = "largest,0,0",
     .after = "d=1024",
     .why = SAC_TEXT_IN("The scores lie farther apart, and one key takes nearly all.",
                        "分数差得更远，一个键几乎拿走全部。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why does learning stop where scores lie far apart?",
                         "分数相差很大时，为什么学不动？"),
     .cell = "far.gradient,0,0",
     .reasons = {{SAC_TEXT_IN("the weights are close to 0 and 1, where p (1 − p) is almost 0",
                              "权重接近 0 和 1，这里 p (1 − p) 几乎为 0"),
                  "far.gradient,0,0", '<', "0.001"},
                 {SAC_TEXT_IN("all weights are equal, and so are their gradients",
                              "所有权重相等，梯度也相等"),
                  "far.weights,0,0", '=', "far.weights,0,1"},
                 {SAC_TEXT_IN("the weights no longer add up to 1", "权重之和不再是 1")}},
     .why = SAC_TEXT_IN("The gradient of the softmax is p (1 − p), which is largest at p = ½.",
                        "softmax 的梯度是 p (1 − p)，在 p = ½ 处最大。")},
    {0},
};

const sac_lesson_ask sac_asks_masks[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN(
         "The causal mask is taken away. What happens to the first weight of the second row?",
         "去掉因果掩码。第二行的第一个权重会怎样？"),
     .cell = "weights,0,1,0",
     .after = "causal=0",
     .why = SAC_TEXT_IN("More keys are open, and the same sum of 1 is shared among more.",
                        "可见的键更多，同样的 1 由更多键来分。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why does the causal mask block the words that come later?",
                         "因果掩码为什么挡住后面的词？"),
     .cell = "sequence_mask,0,1",
     .reasons = {{SAC_TEXT_IN("when a word is predicted, those after it are not known yet",
                              "预测一个词时，后面的词还不知道")},
                 {SAC_TEXT_IN("later words are padding", "后面的词是填充"), "is_padding,0,1", '>',
                  "0"},
                 {SAC_TEXT_IN("each word may look at one word only", "每个词只能看一个词"),
                  "sequence_mask,4,0", '>', "0"}},
     .why = SAC_TEXT_IN(
         "In training the whole sentence is there; the mask makes it as if it were not.",
         "训练时整句都在；掩码让后面的词如同不在。")},
    {0},
};

const sac_lesson_ask sac_asks_self_attention[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("The maps are left out: query, key and value are the words themselves. "
                         "What happens to the weight of the first word on itself?",
                         "去掉映射：查询、键、值就是词本身。第一个词对自己的权重会怎样？"),
     .cell = "weights,0,0,0",
     .after = "identity=1",
     .why = SAC_TEXT_IN("A vector of length 1 has its largest dot product with itself.",
                        "长度为 1 的向量与自己的点积最大。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("What makes this attention a self-attention?", "这为什么叫自注意力？"),
     .cell = "weights,0,0,1",
     .reasons = {{SAC_TEXT_IN("queries, keys and values are made of the same sentence",
                              "查询、键和值来自同一个句子")},
                 {SAC_TEXT_IN("each word attends to itself alone", "每个词只注意自己"),
                  "weights,0,0,1", '=', "0"},
                 {SAC_TEXT_IN("each sentence attends to the other one", "每个句子注意另一个句子")}},
     .why = SAC_TEXT_IN(
         "In cross-attention keys and values come from another sentence, or from a picture.",
         "交叉注意力的键和值来自另一个句子或一幅图。")},
    {0},
};

const sac_lesson_ask sac_asks_multi_head[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("What do several heads have that one large head has not?",
                         "多个头有什么是一个大头没有的？"),
     .cell = "weights,0,0,0",
     .reasons = {{SAC_TEXT_IN("weights of their own: a word can look at several places at once",
                              "各自的权重：一个词可以同时看几个地方")},
                 {SAC_TEXT_IN("more numbers in the maps of query, key and value",
                              "查询、键、值的映射里有更多的数")},
                 {SAC_TEXT_IN("each head sees a part of the words only", "每个头只看到一部分词"),
                  "weights,0,0,3", '=', "0"}},
     .why = SAC_TEXT_IN(
         "The maps are as large as those of one head; each head gets a slice of every word.",
         "映射与一个头的一样大；每个头得到每个词的一段。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why is the input added to the output of the attention?",
                         "为什么把输入加到注意力的输出上？"),
     .cell = "output,0,0,0",
     .reasons =
         {{SAC_TEXT_IN("what the layer was given reaches the next one, whatever the attention does",
                       "无论注意力怎样，输入都能到达下一层")},
          {SAC_TEXT_IN("so that each row of weights adds up to 1", "为了让权重的每行之和为 1")},
          {SAC_TEXT_IN("so that the heads become equal", "为了让各个头相等")}},
     .why =
         SAC_TEXT_IN("That is a residual connection: the attention learns only what has to change.",
                     "这就是残差连接：注意力只需学习要改变的部分。")},
    {0},
};

const sac_lesson_ask sac_asks_positions[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("The sentence gets 24 positions in place of 12. What happens to the dot "
                         "product of positions 0 and 1?",
                         "句子从 12 个位置变成 24 个。位置 0 与位置 1 的点积会怎样？"),
     .cell = "products,0,1",
     .after = "length=24",
     .why = SAC_TEXT_IN("A row depends on its position alone, not on how many there are.",
                        "一行只取决于它的位置，与一共有几个无关。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("Each position gets 16 numbers in place of 8. What happens to the dot "
                         "product of position 0 with itself?",
                         "每个位置从 8 个数变成 16 个。位置 0 与自己的点积会怎样？"),
     .cell = "products,0,0",
     .after = "d=16",
     .why = SAC_TEXT_IN("Each pair of sine and cosine adds sin² + cos² = 1: it is d/2.",
                        "每对正弦余弦加上 sin² + cos² = 1：共 d/2。")},
    {.kind = SAC_ASK_WHY,
     .text =
         SAC_TEXT_IN("Why does the dot product of two positions depend on their distance alone?",
                     "两个位置的点积为什么只取决于距离？"),
     .cell = "products,0,1",
     .reasons = {{SAC_TEXT_IN("sin a sin b + cos a cos b = cos(a − b), in each pair of columns",
                              "每对列中 sin a sin b + cos a cos b = cos(a − b)"),
                  "products,0,1", '=', "products,3,4"},
                 {SAC_TEXT_IN("because all rows are equal", "因为所有行都相等"), "encoding,0,0",
                  '=', "encoding,1,0"},
                 {SAC_TEXT_IN("because each column falls from row to row", "因为每一列逐行变小"),
                  "encoding,0,0", '>', "encoding,1,0"}},
     .why = SAC_TEXT_IN("The difference a − b is the distance times the wave's frequency.",
                        "a − b 就是距离乘以波的频率。")},
    {0},
};

const sac_lesson_ask sac_asks_mask_conventions[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("A mask of one convention is read by the other. What happens to the "
                         "weight of the last key in the first row?",
                         "一种约定的掩码被当作另一种。第一行中最后一个键的权重会怎样？"),
     .cell = "weights,0,3",
     .after = "wrong=1",
     .why = SAC_TEXT_IN("What was to be hidden is shown, and what was to be seen is hidden.",
                        "该藏的露出来，该看的被挡住。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN(
         "A mask is 1 where a key is visible. Which mask does masked_fill(mask, −∞) need?",
         "一个掩码在可见处是 1。masked_fill(mask, −∞) 应该用什么？"),
     .cell = "masked,0,1",
     .reasons = {{SAC_TEXT_IN("its opposite: 1 where a key is blocked", "它的反面：被挡处是 1"),
                  "blocked,0,1", '=', "1"},
                 {SAC_TEXT_IN("the mask as it is", "原样的掩码"), "kept,0,1", '=', "1"},
                 {SAC_TEXT_IN("the mask times −∞", "掩码乘以 −∞")}},
     .why = SAC_TEXT_IN("masked_fill writes −∞ where the mask is true; and 0 · −∞ is NaN.",
                        "masked_fill 在真处写入 −∞；而 0 · −∞ 是 NaN。")},
    {0},
};

const sac_lesson_ask sac_asks_dropout[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why are the weights that stay divided by 1 − p?",
                         "留下的权重为什么除以 1 − p？"),
     .cell = "dropped,0,0",
     .reasons = {{SAC_TEXT_IN("so that the mean of the output is what it is without dropout",
                              "让输出的平均与不用 dropout 时相同")},
                 {SAC_TEXT_IN("so that each row adds up to 1 again", "让每行之和重新为 1"),
                  "sum,0,0", '=', "1"},
                 {SAC_TEXT_IN("so that no weight is larger than 1", "让权重不超过 1"),
                  "dropped,0,0", '<', "1"}},
     .why = SAC_TEXT_IN("A weight stays with probability 1 − p, and (1 − p) · 1 / (1 − p) = 1.",
                        "权重以 1 − p 的概率留下，而 (1 − p) · 1 / (1 − p) = 1。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN(
         "With p = 0 nothing is dropped. What happens to the sum of the row, from p = 0.5 on?",
         "p = 0 时什么也不丢。与 p = 0.5 相比，这一行的和会怎样？"),
     .cell = "sum,0,0",
     .after = "p=0",
     .why = SAC_TEXT_IN("Without dropout a row of weights adds up to 1; what it adds up to with "
                        "dropout depends on the draw.",
                        "不丢时一行权重之和为 1；丢时取决于抽到什么。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("p rises from 0.5 to 0.8. What happens to the output when the network is "
                         "used, and not trained?",
                         "p 从 0.5 升到 0.8。网络在使用而不是训练时，输出会怎样？"),
     .cell = "plain_output,0,0",
     .after = "p=0.8",
     .why = SAC_TEXT_IN("Dropout is for training alone: later all weights count.",
                        "dropout 只用于训练：使用时所有权重都算。")},
    {0},
};

const sac_lesson_ask sac_asks_seq2seq[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why does one vector for a whole sentence fail for long ones?",
                         "整句用一个向量，为什么长句不行？"),
     .cell = "h,0,0",
     .reasons = {{SAC_TEXT_IN("it has as many numbers for forty words as for four",
                              "四十个词和四个词用同样多的数")},
                 {SAC_TEXT_IN("the decoder cannot read a vector", "解码器读不了向量")},
                 {SAC_TEXT_IN("long sentences have a larger softmax", "长句的 softmax 更大")}},
     .why = SAC_TEXT_IN(
         "With attention the decoder looks at the state of every word, however many there are.",
         "有注意力时，解码器看每个词的状态，不管有多少词。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("What is the context c of a word?", "一个词的上下文 c 是什么？"),
     .cell = "c,0,0",
     .reasons = {{SAC_TEXT_IN("the mean of the encoder's states, weighted by the attention",
                              "编码器各状态按注意力加权的平均")},
                 {SAC_TEXT_IN("the state with the largest weight", "权重最大的那个状态"), "c,0,0",
                  '=', "h,0,0"},
                 {SAC_TEXT_IN("the sum of all states", "所有状态之和")}},
     .why = SAC_TEXT_IN("A mean by weights: it may lie between two states, as for “we” and “are”.",
                        "按权重平均：可以落在两个状态之间，如 “we” 与 “are”。")},
    {0},
};

const sac_lesson_ask sac_asks_alignment[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN(
         "The temperature rises from 1 to 4. What happens to the entropy of the first row?",
         "温度从 1 升到 4。第一行的熵会怎样？"),
     .cell = "bits,0,0",
     .after = "temperature=4",
     .why = SAC_TEXT_IN("A flatter row looks at more words: its entropy is larger.",
                        "更平的一行看更多的词：熵更大。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("A row has an entropy of 1 bit. At about how many words does it look?",
                         "一行的熵是 1 比特。它大约看几个词？"),
     .cell = "words_seen,8,0",
     .reasons = {{SAC_TEXT_IN("at two", "两个")},
                 {SAC_TEXT_IN("at one", "一个")},
                 {SAC_TEXT_IN("at ten", "十个")}},
     .why = SAC_TEXT_IN("2 to the power of the entropy: 2¹ = 2.", "2 的熵次方：2¹ = 2。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("What does a block with the other diagonal mean?",
                         "一块出现反方向的对角线，说明什么？"),
     .cell = "a.reversed,0,2",
     .reasons = {{SAC_TEXT_IN("the words stand in the reverse order in the other language",
                              "另一种语言里词序相反"),
                  "a.reversed,0,2", '>', "a.reversed,0,0"},
                 {SAC_TEXT_IN("the words are not translated", "这些词没有翻译")},
                 {SAC_TEXT_IN("the model is not sure", "模型不确定")}},
     .why = SAC_TEXT_IN("European Economic Area is Zone économique européenne.",
                        "European Economic Area 是 Zone économique européenne。")},
    {0},
};

const sac_lesson_ask sac_asks_transformer_block[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("The decoder's causal mask is taken away. What happens to the weight of "
                         "the first word on itself?",
                         "去掉解码器的因果掩码。第一个词对自己的权重会怎样？"),
     .cell = "decoder.weights,0,0",
     .after = "causal=0",
     .why = SAC_TEXT_IN("It was the only key that the first word could see.",
                        "它原是第一个词能看到的唯一的键。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Where do the keys and values of the third attention come from?",
                         "第三种注意力的键和值来自哪里？"),
     .cell = "cross.weights,0,0",
     .reasons = {{SAC_TEXT_IN("from the encoder's result, the memory",
                              "来自编码器的结果，即 memory")},
                 {SAC_TEXT_IN("from the words that were written so far", "来自已经写出的词")},
                 {SAC_TEXT_IN("from the table of embeddings", "来自嵌入表")}},
     .why = SAC_TEXT_IN(
         "Queries come from the decoder: that is cross-attention, the bridge between both halves.",
         "查询来自解码器：这就是交叉注意力，两半之间的桥。")},
    {0},
};

const sac_lesson_ask sac_asks_image_as_set[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why can a picture be a set of cells, without an order?",
                         "为什么图像可以是没有次序的一组格子？"),
     .reasons = {{SAC_TEXT_IN("attention is a sum over all cells, and a sum has no order",
                              "注意力是对所有格子求和，求和没有次序")},
                 {SAC_TEXT_IN("all cells of a picture are equal", "图像的所有格子都相等")},
                 {SAC_TEXT_IN("cells far away have no weight", "远处的格子没有权重")}},
     .why = SAC_TEXT_IN("The place of a cell has to be added to it, as a position.",
                        "格子在哪里要另外告诉它，用位置表示。")},
    {0},
};

const sac_lesson_ask sac_asks_caption_step[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("What changes from one word of a caption to the next?",
                         "从描述的一个词到下一个词，什么在变？"),
     .reasons = {{SAC_TEXT_IN("the decoder's state, and with it scores and weights",
                              "解码器的状态，以及随之而来的分数和权重")},
                 {SAC_TEXT_IN("the features of the cells", "格子的特征")},
                 {SAC_TEXT_IN("the number of cells", "格子的个数")}},
     .why = SAC_TEXT_IN("The picture is encoded once; each word asks it anew.",
                        "图像只编码一次；每个词重新提问。")},
    {0},
};

const sac_lesson_ask sac_asks_saccade[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why does the eye jump?", "眼睛为什么要跳动？"),
     .reasons = {{SAC_TEXT_IN("it sees sharply only where it looks", "它只在注视处看得清")},
                 {SAC_TEXT_IN("it forgets what it saw", "它会忘记看到的")},
                 {SAC_TEXT_IN("the picture moves", "图像在动")}},
     .why = SAC_TEXT_IN("Each jump is a saccade; attention chooses where the next one goes.",
                        "每次跳动是一次扫视；注意力决定下一次去哪里。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("A cell takes 5 degrees instead of 2.5. What happens to the acuity two "
                         "cells right of the fixation?",
                         "每格占 5 度而不是 2.5 度。注视点右边两格处的视敏度会怎样？"),
     .cell = "sharpness,2,4",
     .after = "degrees=5",
     .why = SAC_TEXT_IN("The same cell is at twice the angle.", "同一格的角度变成两倍。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("A cell takes 5 degrees instead of 2.5. What happens to the acuity at the "
                         "fixation?",
                         "每格占 5 度而不是 2.5 度。注视点处的视敏度会怎样？"),
     .cell = "sharpness,2,2",
     .after = "degrees=5",
     .why =
         SAC_TEXT_IN("Its angle is 0, however large a cell is.", "无论每格多大，它的角度都是 0。")},
    {.kind = SAC_ASK_WAY,
     .text =
         SAC_TEXT_IN("The fixation moves to row 6, column 6. What happens to the number that is "
                     "seen in row 2, column 2, which is 0 in the picture?",
                     "注视点移到第 6 行第 6 列。图像中为 0 的第 2 行第 2 列，所见的数值会怎样？"),
     .cell = "seen,2,2",
     .after = "row=6 column=6",
     .why = SAC_TEXT_IN("Far from the fixation it is mixed with the stripes of 1 beside it.",
                        "离注视点远了，它与旁边为 1 的条纹混在一起。")},
    {0},
};

const sac_lesson_ask sac_asks_when[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why is attention expensive for very long inputs?",
                         "输入很长时，注意力为什么昂贵？"),
     .reasons =
         {{SAC_TEXT_IN("there is a score for each pair, so that their number grows with the square",
                       "每一对都有一个分数，个数按平方增长")},
          {SAC_TEXT_IN("it has a weight matrix for each position", "每个位置都有一个权重矩阵")},
          {SAC_TEXT_IN("it has to read the input from left to right", "它必须从左到右读入")}},
     .why = SAC_TEXT_IN("Twice as many words have four times as many pairs.",
                        "词数加倍，对数变成四倍。")},
    {0},
};

const sac_lesson_ask sac_asks_untrained_averages[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why do all rows of weights look alike before training?",
                         "训练之前，各行权重为什么都差不多？"),
     .reasons =
         {{SAC_TEXT_IN(
              "the scores are small and close to each other, so that each key gets about 1/N",
              "分数很小而且彼此接近，每个键约得 1/N")},
          {SAC_TEXT_IN("all words are equal", "所有词都相等")},
          {SAC_TEXT_IN("the softmax is not computed before training", "训练之前不计算 softmax")}},
     .why = SAC_TEXT_IN("The maps are random: no query fits one key better than the others.",
                        "映射是随机的：查询不会更合适某一个键。")},
    {0},
};

const sac_lesson_ask sac_asks_reshape[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Heads are made by a reshape without a transpose. What does a head get?",
                         "只用 reshape、不转置来分头。一个头得到什么？"),
     .reasons = {{SAC_TEXT_IN("some whole words in place of a slice of every word",
                              "几个完整的词，而不是每个词的一段")},
                 {SAC_TEXT_IN("the same numbers in another order of heads",
                              "同样的数，只是头的次序不同")},
                 {SAC_TEXT_IN("zeros", "零")}},
     .why = SAC_TEXT_IN("Words in different heads can no longer reach each other.",
                        "不同头里的词再也到不了彼此。")},
    {0},
};

const sac_lesson_ask sac_asks_five_bugs[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("The size of a head is divided by the number of heads once more. What "
                         "happens to the weights?",
                         "头的维数又除了一次头数。权重会怎样？"),
     .cell = "bits.scale,0,1,0",
     .reasons = {{SAC_TEXT_IN("the rows get sharper: the scores are divided by too little",
                              "每行更集中：分数除得太少"),
                  "bits.scale,0,1,0", '<', "bits.right,0,1,0"},
                 {SAC_TEXT_IN("the rows get flatter: the scores are divided by too much",
                              "每行更平：分数除得太多"),
                  "bits.scale,0,1,0", '>', "bits.right,0,1,0"},
                 {SAC_TEXT_IN("nothing: the softmax divides again", "没有变化：softmax 会再除一次"),
                  "bits.scale,0,1,0", '=', "bits.right,0,1,0"}},
     .why = SAC_TEXT_IN("Larger differences between scores give less entropy.",
                        "分数差得更远，熵更小。")},
    {0},
};

const sac_lesson_ask sac_asks_similarity[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("All vectors are brought to length 1. What happens to the weight of the "
                         "second key under the dot product?",
                         "所有向量都变成长度 1。点积下第二个键的权重会怎样？"),
     .cell = "weights.dot,0,1",
     .after = "unit=1",
     .why = SAC_TEXT_IN("It won by its length, and that is gone.", "它靠长度取胜，而长度没有了。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("When do dot product, cosine and Gaussian give the same order of keys?",
                         "点积、余弦和高斯何时给出同样的键的次序？"),
     .cell = "weights.dot,0,0",
     .reasons = {{SAC_TEXT_IN("when all vectors have length 1", "当所有向量长度为 1")},
                 {SAC_TEXT_IN("always", "总是")},
                 {SAC_TEXT_IN("when no number is negative", "当没有负数")}},
     .why = SAC_TEXT_IN("For length 1 the dot product is the cosine, and −½|q − k|² is q·k − 1.",
                        "长度为 1 时点积就是余弦，而 −½|q − k|² 等于 q·k − 1。")},
    {0},
};

const sac_lesson_ask sac_asks_permutation[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Why does a query from outside not notice the order of the words?",
                         "来自外部的查询为什么察觉不到词的次序？"),
     .reasons = {{SAC_TEXT_IN("keys and values change places in pairs, and their sum stays",
                              "键和值成对换位，和不变")},
                 {SAC_TEXT_IN("its weights are all equal", "它的权重都相等")},
                 {SAC_TEXT_IN("the softmax sorts them", "softmax 会排序")}},
     .why = SAC_TEXT_IN("That is why positions are added: attention sees a set.",
                        "所以要加上位置：注意力看到的是集合。")},
    {0},
};

const sac_lesson_ask sac_asks_scores[] = {
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("Which scores can compare a query and a key of different sizes?",
                         "哪些分数可以比较维数不同的查询和键？"),
     .reasons = {{SAC_TEXT_IN("additive and bilinear, which have matrices of their own",
                              "加性和双线性，它们有自己的矩阵")},
                 {SAC_TEXT_IN("dot and scaled dot", "点积和缩放点积")},
                 {SAC_TEXT_IN("the Gaussian", "高斯")}},
     .why = SAC_TEXT_IN("A dot product and a distance need vectors of one size.",
                        "点积和距离都要求维数相同。")},
    {0},
};

const sac_lesson_ask sac_asks_kernel_regression[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("w falls from 1 to 0.01. What happens to the weight of the point x = 2?",
                         "w 从 1 降到 0.01。点 x = 2 的权重会怎样？"),
     .cell = "weights,0,2",
     .after = "w=0.01",
     .why = SAC_TEXT_IN("A small w is a wide kernel: all points get about the same weight.",
                        "w 小，核就宽：各点权重差不多。")},
    {.kind = SAC_ASK_GAINS,
     .text = SAC_TEXT_IN("The query moves from 2.5 to 3.5. Which column of weights gains most?",
                         "查询从 2.5 移到 3.5。权重的哪一列增加最多？"),
     .cell = "weights,0,0",
     .after = "query=3.5",
     .why = SAC_TEXT_IN("The point that was far and is near now.", "原来远、现在近的那个点。")},
    {.kind = SAC_ASK_WHY,
     .text = SAC_TEXT_IN("What is the estimate for a very large w?", "w 很大时，估计是什么？"),
     .reasons = {{SAC_TEXT_IN("the value of the nearest point", "最近那个点的值")},
                 {SAC_TEXT_IN("the mean of all values", "所有值的平均")},
                 {SAC_TEXT_IN("0", "0")}},
     .why = SAC_TEXT_IN("With a narrow kernel only the nearest point keeps a weight.",
                        "核很窄时，只有最近的点还有权重。")},
    {0},
};

const sac_lesson_ask sac_asks_cost[] = {
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("There are 2048 queries and keys in place of 1024. What happens to the "
                         "memory of the dot product's scores?",
                         "查询和键从 1024 个变成 2048 个。点积分数的内存会怎样？"),
     .cell = "megabytes,0,0",
     .after = "tokens=2048",
     .why = SAC_TEXT_IN("A number for each pair: four times as much.", "每一对一个数：变成四倍。")},
    {.kind = SAC_ASK_WAY,
     .text = SAC_TEXT_IN("There are 2048 queries and keys in place of 1024. What happens to the "
                         "parameters of the additive score?",
                         "查询和键从 1024 个变成 2048 个。加性分数的参数会怎样？"),
     .cell = "parameters,2,0",
     .after = "tokens=2048",
     .why = SAC_TEXT_IN(
         "Parameters depend on the sizes of queries and keys, not on how many there are.",
         "参数取决于查询和键的维数，与个数无关。")},
    {0},
};
