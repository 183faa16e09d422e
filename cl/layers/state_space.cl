/* What a state space of Mamba-2's kind does between its two linear layers (Dao and Gu 2024): see nn/state_space.h. A row of x holds, for
 * a token, gates [I], values [I], what enters the state [G,N] and what reads it [G,N], of I = heads · depth, and a step for each head. Tokens
 * go one after the other, so that a work-item takes a number of all tokens of a sentence. */

#define MOST_TAPS 8

typedef struct space {
    uint sentences, tokens, heads, depth, numbers, groups, taps; /* B, T, H, P, N, G, K */
    uint gated;                       /* 1: what is read is multiplied by silu(gate) at once */
    float gate, value, in, out, step; /* by which the parts of x are multiplied */
} space;

inline uint inner(const space *p)
{
    return p->heads * p->depth;
}

/* Numbers of a token that are convolved: values, and both of the state. */
inline uint channels(const space *p)
{
    return inner(p) + 2 * p->groups * p->numbers;
}

inline ulong row_of(const space *p, uint token)
{
    return (ulong)token * (inner(p) + channels(p) + p->heads);
}

inline float silu(float x)
{
    return x / (1.0f + exp(-x));
}

/* y [B·T,C] = silu(the sum of each channel's last K tokens by its filter [K], + bias); an item for each channel of a sentence.
 * Sentence b goes on from before [·,K − 1,C], of sentence parents[b], where `follows`, and else from zeros; after [B,K − 1,C] is what the next
 * tokens go on from. */
__kernel void convolve(space p, uint follows, uint biased, __global const int *parents,
                       uint parents_at, __global const float *x, uint x_at,
                       __global const float *filter, uint filter_at, __global const float *bias,
                       uint bias_at, __global const float *before, uint before_at,
                       __global float *y, uint y_at, __global float *after, uint after_at)
{
    uint item = (uint)get_global_id(0), all = channels(&p), c = item % all, b = item / all;
    uint last = p.taps - 1, shared = p.groups * p.numbers;
    float past[MOST_TAPS];
    if (b >= p.sentences)
        return;
    float times = c < inner(&p) ? p.value : c < inner(&p) + shared ? p.in : p.out;
    for (uint k = 0; k < last; k++)
        past[k] = follows
                      ? before[before_at + ((ulong)parents[parents_at + b] * last + k) * all + c]
                      : 0.0f;
    filter += filter_at + (ulong)c * p.taps;
    for (uint t = b * p.tokens; t < (b + 1) * p.tokens; t++) {
        past[last] = times * x[x_at + row_of(&p, t) + inner(&p) + c];
        float sum = biased ? bias[bias_at + c] : 0.0f;
        for (uint k = 0; k < p.taps; k++)
            sum += past[k] * filter[k];
        for (uint k = 0; k < last; k++)
            past[k] = past[k + 1];
        y[y_at + (ulong)t * all + c] = silu(sum);
    }
    for (uint k = 0; k < last; k++)
        after[after_at + ((ulong)b * last + k) * all + c] = past[k];
}

/* y [B·T,I], an item for each number of a sentence: state = e^(−step · e^decay) state + step · value · in, of N numbers, y = out · state + skip · value. x
 * has steps and gates, and made [B·T,C] what the kernel above gives. The state [B,H,N,P] goes on as `before` does above. */
__kernel void scan(space p, uint follows, __global const int *parents, uint parents_at,
                   __global const float *x, uint x_at, __global const float *made, uint made_at,
                   __global const float *decay, uint decay_at, __global const float *step,
                   uint step_at, __global const float *skip, uint skip_at,
                   __global const float *before, uint before_at, __global float *y, uint y_at,
                   __global float *after, uint after_at)
{
    uint item = (uint)get_global_id(0), width = inner(&p), b = item / width, i = item % width;
    uint head = i / p.depth, shared = p.groups * p.numbers;
    uint group = head / (p.heads / p.groups);
    if (b >= p.sentences)
        return;
    ulong at = ((ulong)head * p.numbers) * p.depth + i % p.depth, all = (ulong)width * p.numbers;
    __global float *state = after + after_at + b * all + at;
    for (uint n = 0; n < p.numbers; n++)
        state[n * p.depth] =
            follows ? before[before_at + parents[parents_at + b] * all + at + n * p.depth] : 0.0f;
    float falls = exp(decay[decay_at + head]), own = step[step_at + head];
    for (uint t = b * p.tokens; t < (b + 1) * p.tokens; t++) {
        __global const float *row = x + x_at + row_of(&p, t);
        __global const float *in = made + made_at + (ulong)t * channels(&p) + width;
        float value = made[made_at + (ulong)t * channels(&p) + i];
        float raw = p.step * row[width + channels(&p) + head] + own;
        float wide = raw > 20.0f ? raw : log1p(exp(raw));
        float kept = exp(-wide * falls), entered = wide * value;
        float sum = skip[skip_at + head] * value;
        in += group * p.numbers;
        for (uint n = 0; n < p.numbers; n++) {
            float now = state[n * p.depth] * kept + entered * in[n];
            state[n * p.depth] = now;
            sum += now * in[shared + n];
        }
        y[y_at + (ulong)t * width + i] = p.gated ? sum * silu(p.gate * row[i]) : sum;
    }
}

/* y [B·T,I] in place, an item for each group of a token, whose numbers are brought to a mean square of 1 and multiplied by gain [I]: before they are
 * multiplied by silu(gate), where `first`, or afterwards. */
__kernel void norm_and_gate(space p, uint first, float epsilon, __global const float *x, uint x_at,
                            __global const float *gain, uint gain_at, __global float *y, uint y_at)
{
    uint item = (uint)get_global_id(0), width = inner(&p), each = width / p.groups;
    uint token = item / p.groups, at = item % p.groups * each;
    float squares = 0.0f;
    if (token >= p.sentences * p.tokens)
        return;
    x += x_at + row_of(&p, token) + at;
    y += y_at + (ulong)token * width + at;
    gain += gain_at + at;
    for (uint i = 0; i < each; i++) {
        y[i] *= first ? 1.0f : silu(p.gate * x[i]);
        squares += y[i] * y[i];
    }
    float factor = 1.0f / sqrt(squares / (float)each + epsilon);
    for (uint i = 0; i < each; i++)
        y[i] *= factor * gain[i] * (first ? silu(p.gate * x[i]) : 1.0f);
}
