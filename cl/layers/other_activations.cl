/* Activations that few models have, a number for each work-item: x [count], in place. */
#define DEFINE_ACTIVATION(name, value)                                                             \
    __kernel void name##_forward(uint count, __global float *numbers, uint at)                     \
    {                                                                                              \
        uint i = (uint)get_global_id(0);                                                           \
        if (i >= count)                                                                            \
            return;                                                                                \
        float x = numbers[at + i];                                                                 \
        numbers[at + i] = value;                                                                   \
    }

/* σ(x), of which nothing overflows. */
inline float sigmoid(float x)
{
    float e = exp(-fabs(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* log(1 + e^x) */
inline float softplus(float x)
{
    return fmax(x, 0.0f) + log1p(exp(-fabs(x)));
}

/* Between two bounds; what is no number stays so, which clamp() does not promise. */
inline float bounded(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

DEFINE_ACTIVATION(gelu_10, bounded(0.5f * x * erfc(x * -0.70710678118654752f), -10.0f, 10.0f))
DEFINE_ACTIVATION(quick_gelu, x *sigmoid(1.702f * x))
DEFINE_ACTIVATION(relu_squared, x > 0.0f ? x * x : x - x)
DEFINE_ACTIVATION(relu6, bounded(x, 0.0f, 6.0f))
DEFINE_ACTIVATION(leaky_relu, x < 0.0f ? 0.01f * x : x)
DEFINE_ACTIVATION(mish, x *tanh(softplus(x)))
DEFINE_ACTIVATION(sigmoid, sigmoid(x))
DEFINE_ACTIVATION(tanh, tanh(x))
DEFINE_ACTIVATION(hardswish, x *bounded(x + 3.0f, 0.0f, 6.0f) * (1.0f / 6.0f))
/* Φ((x − 1/√2) / √(1/4π)), of Ma et al. 2022 */
DEFINE_ACTIVATION(laplace, 0.5f * erfc((0.707107f - x) * (1.0f / (0.282095f * 1.41421356237f))))
DEFINE_ACTIVATION(sqrt_softplus, sqrt(softplus(x)))

/* x [count] ← g σ(steepness · g) (u + 1): g is x up to `limit`, u is y between −limit and limit. */
__kernel void gate_bounded(uint count, float limit, float steepness, __global const float *y,
                           uint y_at, __global float *x, uint x_at)
{
    uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    float g = x[x_at + i], u = bounded(y[y_at + i], -limit, limit);
    g = g > limit ? limit : g;
    x[x_at + i] = g * sigmoid(steepness * g) * (u + 1.0f);
}

/* y [count] ← x between two bounds; both may be the same. */
__kernel void clip(uint count, float low, float high, __global const float *x, uint x_at,
                   __global float *y, uint y_at)
{
    uint i = (uint)get_global_id(0);
    if (i < count)
        y[y_at + i] = bounded(x[x_at + i], low, high);
}

/* x [count] ← x · y */
__kernel void multiply(uint count, __global const float *y, uint y_at, __global float *x, uint x_at)
{
    uint i = (uint)get_global_id(0);
    if (i < count)
        x[x_at + i] *= y[y_at + i];
}
