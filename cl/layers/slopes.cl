/* Derivatives of activations, a number for each work-item. */

/* sac_activation of nn/layers.h, in its order. */
enum activation {
    RELU,
    GELU,
    GELU_TANH,
    SILU,
    GELU_10,
    QUICK_GELU,
    RELU_SQUARED,
    RELU6,
    LEAKY_RELU,
    MISH,
    SIGMOID,
    TANH,
    HARDSWISH,
    LAPLACE,
    SQRT_SOFTPLUS,
    LINEAR
};

/* σ(x), of which nothing overflows. */
inline float sigmoid(float x)
{
    float e = exp(-fabs(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

inline float softplus(float x)
{
    return fmax(x, 0.0f) + log1p(exp(-fabs(x)));
}

/* Of x Φ(x): Φ(x) + x φ(x) */
inline float gelu_slope(float x)
{
    return 0.5f * erfc(x * -0.70710678118654752f) + x * exp(-0.5f * x * x) * 0.39894228040143268f;
}

/* Of x σ(c x) */
inline float swish_slope(float x, float c)
{
    float s = sigmoid(c * x);
    return s * (1.0f + c * x * (1.0f - s));
}

/* Of ½ x (1 + tanh y), y = √(2/π) (x + 0.044715 x³): ½ (1 + tanh y) = σ(2y) */
inline float gelu_tanh_slope(float x)
{
    float s = sigmoid(1.59576912f * x * (1.0f + 0.044715f * x * x));
    return s + x * s * (1.0f - s) * 1.59576912f * (1.0f + 0.134145f * x * x);
}

inline float mish_slope(float x)
{
    float t = tanh(softplus(x));
    return t + x * (1.0f - t * t) * sigmoid(x);
}

inline float slope(uint kind, float x)
{
    float t;
    switch (kind) {
    case RELU:
        return x > 0.0f;
    case GELU:
        return gelu_slope(x);
    case GELU_TANH:
        return gelu_tanh_slope(x);
    case SILU:
        return swish_slope(x, 1.0f);
    case GELU_10: /* GELU is above −1 everywhere, and x itself at 10 */
        return x < 10.0f ? gelu_slope(x) : 0.0f;
    case QUICK_GELU:
        return swish_slope(x, 1.702f);
    case RELU_SQUARED:
        return x > 0.0f ? 2.0f * x : 0.0f;
    case RELU6:
        return x > 0.0f && x < 6.0f;
    case LEAKY_RELU:
        return x < 0.0f ? 0.01f : 1.0f;
    case MISH:
        return mish_slope(x);
    case SIGMOID:
        t = sigmoid(x);
        return t * (1.0f - t);
    case TANH:
        t = tanh(x);
        return 1.0f - t * t;
    case HARDSWISH:
        return x < -3.0f ? 0.0f : x > 3.0f ? 1.0f : (2.0f * x + 3.0f) / 6.0f;
    case LAPLACE:
        t = (x - 0.707107f) / (0.282095f * 1.41421356237f);
        return exp(-t * t) / (0.282095f * 2.50662827463f);
    case SQRT_SOFTPLUS:
        return 0.5f * sigmoid(x) / sqrt(softplus(x));
    default:
        return 1.0f;
    }
}

/* dy [count] ← dy · f'(x) */
__kernel void activate_backward(uint count, uint kind, __global const float *x, uint x_at,
                                __global float *dy, uint dy_at)
{
    uint i = (uint)get_global_id(0);
    if (i < count)
        dy[dy_at + i] *= slope(kind, x[x_at + i]);
}

/* Of gate_bounded (other_activations.cl), whose gates before it were g and whose values are u: dg ← dy · its
 * slope by g, u ← dy · its slope by u; both 0 beyond the limit. */
__kernel void gate_bounded_backward(uint count, float limit, float steepness,
                                    __global const float *dy, uint dy_at, __global const float *g,
                                    uint g_at, __global float *dg, uint dg_at, __global float *u,
                                    uint u_at)
{
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float d = dy[dy_at + i], gate = fmin(g[g_at + i], limit), value = u[u_at + i];
    float kept = fmin(fmax(value, -limit), limit);
    dg[dg_at + i] = g[g_at + i] > limit ? 0.0f : d * (kept + 1.0f) * swish_slope(gate, steepness);
    u[u_at + i] = kept == value ? d * gate * sigmoid(steepness * gate) : 0.0f;
}
