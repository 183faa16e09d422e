/* What the kernels take of OpenCL C's functions, declared as clang's opencl-c.h declares them. That
 * header has fourteen thousand lines, and PoCL reads it with every program: 90 ms a program, more
 * than most kernels take. device/program.c puts this text before a program's own, and keeps PoCL from
 * the header by the macro that guards it. A kernel that takes a function which is missing here is
 * built with the header after all; check_kernels.sh sees to it that none is, and that both ways are
 * the same code. */

#define DECLARE __attribute__((overloadable))
#define NO_MEMORY __attribute__((overloadable, const))
#define READS __attribute__((overloadable, pure))

#define WITH_WIDTHS(M, T) M(T, T##2) M(T, T##3) M(T, T##4) M(T, T##8) M(T, T##16)
#define WITH_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)

/* ---- floats: the second type is the vector of the first */

#define FLOATS_1(f, T) T NO_MEMORY f(T);
#define FLOATS_2(f, T) T NO_MEMORY f(T, T);
#define FLOATS_3(f, T) T NO_MEMORY f(T, T, T);
#define OF_FLOATS(M, f)                                                                            \
    M(f, float) M(f, float2) M(f, float3) M(f, float4) M(f, float8) M(f, float16)

OF_FLOATS(FLOATS_1, exp)
OF_FLOATS(FLOATS_1, exp2)
OF_FLOATS(FLOATS_1, native_exp2)
OF_FLOATS(FLOATS_1, log)
OF_FLOATS(FLOATS_1, log1p)
OF_FLOATS(FLOATS_1, log2)
OF_FLOATS(FLOATS_1, tanh)
OF_FLOATS(FLOATS_1, erfc)
OF_FLOATS(FLOATS_1, sinpi)
OF_FLOATS(FLOATS_1, cospi)
OF_FLOATS(FLOATS_1, sqrt)
OF_FLOATS(FLOATS_1, fabs)
OF_FLOATS(FLOATS_1, floor)
OF_FLOATS(FLOATS_2, copysign)
OF_FLOATS(FLOATS_2, fmax)
OF_FLOATS(FLOATS_2, fmin)
OF_FLOATS(FLOATS_2, max)
OF_FLOATS(FLOATS_2, min)
OF_FLOATS(FLOATS_3, clamp)
OF_FLOATS(FLOATS_3, fma)
OF_FLOATS(FLOATS_3, mad)

#define WITH_SCALAR(S, T)                                                                          \
    T NO_MEMORY max(T, S);                                                                         \
    T NO_MEMORY min(T, S);                                                                         \
    T NO_MEMORY clamp(T, S, S);
#define OF_FLOAT_AND_SCALAR(S, T)                                                                  \
    T NO_MEMORY fmax(T, S);                                                                        \
    T NO_MEMORY fmin(T, S);
WITH_WIDTHS(WITH_SCALAR, float)
WITH_WIDTHS(OF_FLOAT_AND_SCALAR, float)

#define TESTS(I, T)                                                                                \
    I NO_MEMORY isfinite(T);                                                                       \
    I NO_MEMORY isinf(T);                                                                          \
    I NO_MEMORY isnan(T);
#define OF_BOTH(M, T, U)                                                                           \
    M(T, U) M(T##2, U##2) M(T##3, U##3) M(T##4, U##4) M(T##8, U##8) M(T##16, U##16)
OF_BOTH(TESTS, int, float)

/* ---- integers */

#define INTEGERS(T)                                                                                \
    T NO_MEMORY max(T, T);                                                                         \
    T NO_MEMORY min(T, T);                                                                         \
    T NO_MEMORY mul_hi(T, T);                                                                      \
    T NO_MEMORY clz(T);                                                                            \
    T NO_MEMORY clamp(T, T, T);
#define OF_WIDTHS(M, T) M(T) M(T##2) M(T##3) M(T##4) M(T##8) M(T##16)
#define INTEGERS_OF_ALL_WIDTHS(T) OF_WIDTHS(INTEGERS, T) WITH_WIDTHS(WITH_SCALAR, T)
WITH_INTEGERS(INTEGERS_OF_ALL_WIDTHS)

#define ABSOLUTE(U, T)                                                                             \
    U NO_MEMORY abs(T);                                                                            \
    U NO_MEMORY abs(U);
OF_BOTH(ABSOLUTE, uchar, char)
OF_BOTH(ABSOLUTE, ushort, short)
OF_BOTH(ABSOLUTE, uint, int)
OF_BOTH(ABSOLUTE, ulong, long)

#define SELECT(T, I) T NO_MEMORY select(T, T, I);
#define SELECT_BY(I, U)                                                                            \
    OF_BOTH(SELECT, I, I) OF_BOTH(SELECT, U, I) OF_BOTH(SELECT, I, U) OF_BOTH(SELECT, U, U)
SELECT_BY(char, uchar)
SELECT_BY(short, ushort)
SELECT_BY(int, uint)
SELECT_BY(long, ulong)
OF_BOTH(SELECT, float, int)
OF_BOTH(SELECT, float, uint)

/* ---- conversions, of the widths of a vector */

#define CONVERT(T, n, from) T##n NO_MEMORY convert_##T##n(from##n);
#define CONVERT_ROUNDED(T, n, from) T##n NO_MEMORY convert_##T##n##_rte(from##n);
#define CONVERT_FROM_ALL(T, n)                                                                     \
    CONVERT(T, n, char)                                                                            \
    CONVERT(T, n, uchar)                                                                           \
    CONVERT(T, n, short)                                                                           \
    CONVERT(T, n, ushort)                                                                          \
    CONVERT(T, n, int)                                                                             \
    CONVERT(T, n, uint) CONVERT(T, n, long) CONVERT(T, n, ulong) CONVERT(T, n, float)
#define CONVERT_TO_ALL(n)                                                                          \
    CONVERT_FROM_ALL(uchar, n)                                                                     \
    CONVERT_FROM_ALL(int, n)                                                                       \
    CONVERT_FROM_ALL(uint, n) CONVERT_FROM_ALL(float, n) CONVERT_ROUNDED(int, n, float)
CONVERT_TO_ALL(4)
CONVERT_TO_ALL(8)
CONVERT_TO_ALL(16)
CONVERT_TO_ALL()

/* ---- memory */

#define LOAD(T, n, space) T##n READS vload##n(size_t, const space T *);
#define STORE(T, n, space) void DECLARE vstore##n(T##n, size_t, space T *);
#define LOAD_AND_STORE(T, n)                                                                       \
    LOAD(T, n, __constant)                                                                         \
    LOAD(T, n, __global)                                                                           \
    LOAD(T, n, __local)                                                                            \
    LOAD(T, n, __private) STORE(T, n, __global) STORE(T, n, __local) STORE(T, n, __private)
#define LOAD_AND_STORE_ALL(T)                                                                      \
    LOAD_AND_STORE(T, 2)                                                                           \
    LOAD_AND_STORE(T, 3) LOAD_AND_STORE(T, 4) LOAD_AND_STORE(T, 8) LOAD_AND_STORE(T, 16)
WITH_INTEGERS(LOAD_AND_STORE_ALL)
LOAD_AND_STORE_ALL(float)

#define LOAD_HALF(n, space)                                                                        \
    float##n READS vload_half##n(size_t, const space half *);                                      \
    float##n READS vloada_half##n(size_t, const space half *);
#define LOAD_HALVES(space)                                                                         \
    float READS vload_half(size_t, const space half *);                                            \
    LOAD_HALF(2, space)                                                                            \
    LOAD_HALF(3, space) LOAD_HALF(4, space) LOAD_HALF(8, space) LOAD_HALF(16, space)
LOAD_HALVES(__constant)
LOAD_HALVES(__global)
LOAD_HALVES(__local)
LOAD_HALVES(__private)
void DECLARE vstore_half(float, size_t, __global half *);
void DECLARE vstore_half(float, size_t, __local half *);
void DECLARE vstore_half(float, size_t, __private half *);

#define ATOMIC(T, space)                                                                           \
    T DECLARE atomic_max(volatile space T *, T);                                                   \
    T DECLARE atomic_min(volatile space T *, T);                                                   \
    T DECLARE atomic_or(volatile space T *, T);                                                    \
    T DECLARE atomic_inc(volatile space T *);
ATOMIC(int, __global)
ATOMIC(uint, __global)
ATOMIC(int, __local)
ATOMIC(uint, __local)

/* ---- work-items */

size_t NO_MEMORY get_global_id(uint);
size_t NO_MEMORY get_global_size(uint);
size_t NO_MEMORY get_group_id(uint);
size_t NO_MEMORY get_local_id(uint);
size_t NO_MEMORY get_local_size(uint);
size_t NO_MEMORY get_num_groups(uint);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
