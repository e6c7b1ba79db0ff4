/* Functions of `float`. What is the sum, product, quotient, root or rounding of numbers is exact but for its rounding;
 * docs/cuda.md has the errors of others. */
#pragma once
#pragma clang system_header

BITLINE_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
/* Functions in one instruction each, and what follows from them: functions without underlines are CUDA's fast ones. */
BITLINE_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
BITLINE_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
BITLINE_DEVICE float log2f(float x) { return __nvvm_lg2_approx_f(x); }
BITLINE_DEVICE float __log2f(float x) { return log2f(x); }
BITLINE_DEVICE float __expf(float x) { return exp2f(x * 1.44269504f); }
BITLINE_DEVICE float __exp10f(float x) { return exp2f(x * 3.32192809f); }
BITLINE_DEVICE float __logf(float x) { return log2f(x) * 0.693147182f; }
BITLINE_DEVICE float __log10f(float x) { return log2f(x) * 0.301029996f; }
BITLINE_DEVICE float __powf(float x, float y) { return exp2f(y * log2f(x)); }
BITLINE_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
BITLINE_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
BITLINE_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
BITLINE_DEVICE float __tanhf(float x)
{
    /* clang has no name for it where an architecture as old as that of the flags is meant. */
    float result;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
BITLINE_DEVICE void __sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
BITLINE_DEVICE float sinf(float x) { return __sinf(x); }
BITLINE_DEVICE float cosf(float x) { return __cosf(x); }
BITLINE_DEVICE float tanf(float x) { return __tanf(x); }
BITLINE_DEVICE float tanhf(float x) { return __tanhf(x); }
BITLINE_DEVICE void sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
BITLINE_DEVICE float expf(float x) { return __expf(x); }
BITLINE_DEVICE float exp10f(float x) { return __exp10f(x); }
BITLINE_DEVICE float logf(float x) { return __logf(x); }
BITLINE_DEVICE float log10f(float x) { return __log10f(x); }

BITLINE_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
BITLINE_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
BITLINE_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
BITLINE_DEVICE float fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
BITLINE_DEVICE float floorf(float x) { return __builtin_floorf(x); }
BITLINE_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
BITLINE_DEVICE float truncf(float x) { return __builtin_truncf(x); }
BITLINE_DEVICE float rintf(float x) { return __builtin_rintf(x); }
BITLINE_DEVICE float nearbyintf(float x) { return __builtin_rintf(x); }
BITLINE_DEVICE float copysignf(float x, float sign)
{
    return __int_as_float((__float_as_int(x) & 0x7fffffff) | (__float_as_int(sign) & (int)0x80000000));
}
/* Halves go away from zero: the number below a half is what no number is rounded wrongly by. */
BITLINE_DEVICE float roundf(float x)
{
    float away = truncf(x + copysignf(0.49999997f, x));
    return fabsf(x) < 8388608.0f ? away : x;
}
BITLINE_DEVICE long lrintf(float x) { return (long)__float2ll_rn(x); }
BITLINE_DEVICE long long llrintf(float x) { return __float2ll_rn(x); }
BITLINE_DEVICE long lroundf(float x) { return (long)__float2ll_rz(roundf(x)); }
BITLINE_DEVICE long long llroundf(float x) { return __float2ll_rz(roundf(x)); }
BITLINE_DEVICE float modff(float x, float *whole)
{
    *whole = truncf(x);
    return copysignf(fabsf(x) == __builtin_inff() ? 0.0f : x - *whole, x);
}
BITLINE_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
/* Squares of `float` are exact in `double`, which has room for all of their sums. */
BITLINE_DEVICE float hypotf(float x, float y)
{
    float infinite = __builtin_inff();
    if (fabsf(x) == infinite || fabsf(y) == infinite)
        return infinite;
    return (float)__builtin_sqrt((double)x * x + (double)y * y);
}

#define BITLINE_DIRECTIONS(name, builtin) \
    BITLINE_DEVICE float name##_rn(float a, float b) { return builtin##_rn_f(a, b); } \
    BITLINE_DEVICE float name##_rz(float a, float b) { return builtin##_rz_f(a, b); } \
    BITLINE_DEVICE float name##_ru(float a, float b) { return builtin##_rp_f(a, b); } \
    BITLINE_DEVICE float name##_rd(float a, float b) { return builtin##_rm_f(a, b); }
BITLINE_DIRECTIONS(__fadd, __nvvm_add)
BITLINE_DIRECTIONS(__fmul, __nvvm_mul)
BITLINE_DIRECTIONS(__fdiv, __nvvm_div)
#define BITLINE_SUB(to, builtin) BITLINE_DEVICE float __fsub_##to(float a, float b) { return builtin(a, -b); }
BITLINE_SUB(rn, __nvvm_add_rn_f)
BITLINE_SUB(rz, __nvvm_add_rz_f)
BITLINE_SUB(ru, __nvvm_add_rp_f)
BITLINE_SUB(rd, __nvvm_add_rm_f)
#define BITLINE_FMA(to, builtin) \
    BITLINE_DEVICE float __fmaf_##to(float a, float b, float c) { return builtin(a, b, c); }
BITLINE_FMA(rn, __nvvm_fma_rn_f)
BITLINE_FMA(rz, __nvvm_fma_rz_f)
BITLINE_FMA(ru, __nvvm_fma_rp_f)
BITLINE_FMA(rd, __nvvm_fma_rm_f)
#define BITLINE_ONE(name, to, builtin) BITLINE_DEVICE float name##_##to(float x) { return builtin(x); }
BITLINE_ONE(__frcp, rn, __nvvm_rcp_rn_f)
BITLINE_ONE(__frcp, rz, __nvvm_rcp_rz_f)
BITLINE_ONE(__frcp, ru, __nvvm_rcp_rp_f)
BITLINE_ONE(__frcp, rd, __nvvm_rcp_rm_f)
BITLINE_ONE(__fsqrt, rn, __nvvm_sqrt_rn_f)
BITLINE_ONE(__fsqrt, rz, __nvvm_sqrt_rz_f)
BITLINE_ONE(__fsqrt, ru, __nvvm_sqrt_rp_f)
BITLINE_ONE(__fsqrt, rd, __nvvm_sqrt_rm_f)
/* The quotient to nearest, which is as close as a fast one may be. */
BITLINE_DEVICE float __fdividef(float a, float b) { return a / b; }
BITLINE_DEVICE float fdividef(float a, float b) { return a / b; }
BITLINE_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }

/* The remainder that has the dividend's sign, exactly: of the quotient eight digits at a time, by integers. */
BITLINE_DEVICE float fmodf(float x, float y)
{
    unsigned sign = __float_as_uint(x) & 0x80000000u, a = __float_as_uint(x) ^ sign;
    unsigned b = __float_as_uint(y) & 0x7fffffff;
    if (a >= 0x7f800000 || b > 0x7f800000 || b == 0)
        return __int_as_float(0x7fffffff);
    if (a < b)
        return x;
    /* Subnormal numbers have the exponent 1 without the digit in front. */
    int over = a >> 23 ? (int)(a >> 23) : 1, under = b >> 23 ? (int)(b >> 23) : 1;
    unsigned divisor = (b & 0x7fffff) | (b >> 23 ? 0x800000u : 0);
    unsigned rest = ((a & 0x7fffff) | (a >> 23 ? 0x800000u : 0)) % divisor;
    for (int digits = over - under; digits > 0; digits -= 8)
        rest = (rest << min(digits, 8)) % divisor;
    int shift = min(__clz((int)rest) - 8, under - 1);
    rest <<= shift;
    unsigned exponent = rest >> 23 ? (unsigned)(under - shift) : 0;
    return __uint_as_float(rest == 0 ? sign : sign | exponent << 23 | (rest & 0x7fffff));
}
