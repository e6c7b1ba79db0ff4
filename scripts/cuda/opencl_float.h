/* Floating-point numbers in OpenCL C, and conversions; opencl.h includes it, and has the macros. */
#pragma once
#pragma clang system_header

/* Numbers of type T, to whose functions in C the suffix belongs; I and U have as many bits. A sum of a product is two
 * operations, which the array does faster than one that rounds once: OpenCL leaves it open for `mad`. */
#define BITLINE_SPREAD(T, V) \
    BITLINE_CL V fmin(V a, T b) { return fmin(a, (V)(b)); } \
    BITLINE_CL V fmax(V a, T b) { return fmax(a, (V)(b)); } \
    BITLINE_CL V step(T a, V b) { return step((V)(a), b); } \
    BITLINE_CL V mix(V a, V b, T c) { return mix(a, b, (V)(c)); } \
    BITLINE_CL V smoothstep(T a, T b, V c) { return smoothstep((V)(a), (V)(b), c); }
/* Comparisons are 1 where they hold, those of vectors -1. */
#define BITLINE_CLASS(R, T) \
    BITLINE_CL R isnan(T a) { return a != a; } \
    BITLINE_CL R isfinite(T a) { return a - a == 0; } \
    BITLINE_CL R isinf(T a) { return a == a & a - a != 0; } \
    BITLINE_CL R isequal(T a, T b) { return a == b; } \
    BITLINE_CL R isnotequal(T a, T b) { return a != b; } \
    BITLINE_CL R isgreater(T a, T b) { return a > b; } \
    BITLINE_CL R isgreaterequal(T a, T b) { return a >= b; } \
    BITLINE_CL R isless(T a, T b) { return a < b; } \
    BITLINE_CL R islessequal(T a, T b) { return a <= b; } \
    BITLINE_CL R isunordered(T a, T b) { return a != a | b != b; }
#define BITLINE_DOT(T, V) \
    BITLINE_CL T length(V a) { return sqrt(dot(a, a)); } \
    BITLINE_CL T distance(V a, V b) { return length(a - b); } \
    BITLINE_CL V normalize(V a) { return a / length(a); }
#define BITLINE_REAL(T, s, I, U) \
    BITLINE_NUMBER(T, I, U) \
    BITLINE_ONE(T, fabs, T, __builtin_fabs##s(a)) \
    BITLINE_ONE(T, floor, T, __builtin_floor##s(a)) \
    BITLINE_ONE(T, ceil, T, __builtin_ceil##s(a)) \
    BITLINE_ONE(T, trunc, T, __builtin_trunc##s(a)) \
    BITLINE_ONE(T, rint, T, __builtin_rint##s(a)) \
    BITLINE_ONE(T, round, T, __builtin_round##s(a)) \
    BITLINE_ONE(T, sqrt, T, __builtin_sqrt##s(a)) \
    BITLINE_TWO(T, fmin, T, __builtin_fmin##s(a, b)) \
    BITLINE_TWO(T, fmax, T, __builtin_fmax##s(a, b)) \
    BITLINE_TWO(T, copysign, T, __builtin_copysign##s(a, b)) \
    BITLINE_TWO(T, fdim, T, a > b ? a - b : a != a || b != b ? a + b : 0) \
    BITLINE_THREE(T, fma, __builtin_fma##s(a, b, c)) \
    BITLINE_THREE(T, mad, a * b + c) \
    BITLINE_THREE(T, mix, a + (b - a) * c) \
    BITLINE_ONE(T, sign, T, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? a : 0) \
    BITLINE_ONE(T, degrees, T, a * (T)57.29577951308232) \
    BITLINE_ONE(T, radians, T, a * (T)0.017453292519943295) \
    BITLINE_TWO(T, step, T, b < a ? 0 : 1) \
    BITLINE_CL T bitline_smooth(T a) { return a * a * (3 - 2 * a); } \
    BITLINE_THREE(T, smoothstep, bitline_smooth(clamp((c - a) / (b - a), (T)0, (T)1))) \
    BITLINE_WIDTHS(BITLINE_SPREAD, T) \
    BITLINE_CL T dot(T a, T b) { return a * b; } \
    BITLINE_CL T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; } \
    BITLINE_CL T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    BITLINE_CL T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; } \
    BITLINE_DOT(T, T##2) BITLINE_DOT(T, T##3) BITLINE_DOT(T, T##4) \
    BITLINE_CL T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; } \
    BITLINE_CL T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), 0); } \
    BITLINE_CLASS(int, T) BITLINE_CLASS(I##2, T##2) BITLINE_CLASS(I##3, T##3) BITLINE_CLASS(I##4, T##4) \
    BITLINE_CLASS(I##8, T##8) BITLINE_CLASS(I##16, T##16) \
    BITLINE_CL int signbit(T a) { return __builtin_astype(a, I) < 0; } \
    BITLINE_CL I##2 signbit(T##2 a) { return __builtin_astype(a, I##2) < 0; } \
    BITLINE_CL I##3 signbit(T##3 a) { return (I##3)(signbit(a.xy), -signbit(a.z)); } \
    BITLINE_CL I##4 signbit(T##4 a) { return __builtin_astype(a, I##4) < 0; }
BITLINE_REAL(float, f, int, uint)
#ifdef cl_khr_fp64
BITLINE_REAL(double, , long, ulong)
#endif

/* Functions in one instruction each, and what follows from them, under all the names that they have in OpenCL: all are
 * the fast ones, as CUDA's in device.h, and docs/cuda.md has their errors. */
#define BITLINE_FUNCTION(name, value) \
    BITLINE_ONE(float, name, float, value) \
    BITLINE_ONE(float, native_##name, float, value) \
    BITLINE_ONE(float, half_##name, float, value)
BITLINE_CL float bitline_tanh(float a)
{
    /* clang has no name for it where an architecture as old as that of the flags is meant. */
    float result;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}
BITLINE_FUNCTION(rsqrt, __nvvm_rsqrt_approx_f(a))
BITLINE_FUNCTION(exp2, __nvvm_ex2_approx_f(a))
BITLINE_FUNCTION(exp, exp2(a * 1.44269504f))
BITLINE_FUNCTION(exp10, exp2(a * 3.32192809f))
BITLINE_FUNCTION(log2, __nvvm_lg2_approx_f(a))
BITLINE_FUNCTION(log, log2(a) * 0.693147182f)
BITLINE_FUNCTION(log10, log2(a) * 0.301029996f)
BITLINE_FUNCTION(sin, __nvvm_sin_approx_f(a))
BITLINE_FUNCTION(cos, __nvvm_cos_approx_f(a))
BITLINE_FUNCTION(tan, sin(a) / cos(a))
BITLINE_ONE(float, tanh, float, bitline_tanh(a))
BITLINE_ONE(float, native_sqrt, float, sqrt(a))
BITLINE_ONE(float, half_sqrt, float, sqrt(a))
BITLINE_ONE(float, native_recip, float, 1 / a)
BITLINE_ONE(float, half_recip, float, 1 / a)
BITLINE_TWO(float, native_divide, float, a / b)
BITLINE_TWO(float, half_divide, float, a / b)
BITLINE_CL float sincos(float a, float *cosine)
{
    *cosine = cos(a);
    return sin(a);
}
/* Of numbers that are not negative; `pow` gives the others a sign where there is a power of them. */
BITLINE_TWO(float, powr, float, exp2(b * log2(a)))
BITLINE_TWO(float, native_powr, float, exp2(b * log2(a)))
BITLINE_TWO(float, half_powr, float, exp2(b * log2(a)))
BITLINE_CL float bitline_pow(float a, float b)
{
    float magnitude = exp2(b * log2(fabs(a)));
    int odd = b * 0.5f != rint(b * 0.5f);
    if (a < 0)
        magnitude = b != rint(b) ? as_float(0x7fc00000) : odd ? -magnitude : magnitude;
    return b == 0 ? 1 : magnitude;
}
BITLINE_TWO(float, pow, float, bitline_pow(a, b))
BITLINE_CL float pown(float a, int b) { return bitline_pow(a, (float)b); }
BITLINE_VECTORS2(float, pown, float, int)
#define BITLINE_FAST(V) \
    BITLINE_CL float fast_length(V a) { return length(a); } \
    BITLINE_CL float fast_distance(V a, V b) { return distance(a, b); } \
    BITLINE_CL V fast_normalize(V a) { return a * rsqrt(dot(a, a)); }
BITLINE_FAST(float2)
BITLINE_FAST(float3)
BITLINE_FAST(float4)

/* Conversions: convert_TYPE, with a count of elements and a direction behind it where there are some. */
#define BITLINE_CONVERSION(T, to, how, A, value) \
    BITLINE_CL T to##how(A a) { return value; } \
    BITLINE_CL T##2 to##2##how(A##2 a) { return (T##2)(to##how(a.x), to##how(a.y)); } \
    BITLINE_CL T##3 to##3##how(A##3 a) { return (T##3)(to##2##how(a.xy), to##how(a.z)); } \
    BITLINE_CL T##4 to##4##how(A##4 a) { return (T##4)(to##2##how(a.lo), to##2##how(a.hi)); } \
    BITLINE_CL T##8 to##8##how(A##8 a) { return (T##8)(to##4##how(a.lo), to##4##how(a.hi)); } \
    BITLINE_CL T##16 to##16##how(A##16 a) { return (T##16)(to##8##how(a.lo), to##8##how(a.hi)); }
#define BITLINE_FROM(T, to, A) BITLINE_CONVERSION(T, to, , A, (T)a)
#ifdef cl_khr_fp64
#define BITLINE_FROM_DOUBLE(T, to) BITLINE_FROM(T, to, double)
#else
#define BITLINE_FROM_DOUBLE(T, to)
#endif
#define BITLINE_TO(T, to) \
    BITLINE_FROM(T, to, char) BITLINE_FROM(T, to, uchar) BITLINE_FROM(T, to, short) BITLINE_FROM(T, to, ushort) \
    BITLINE_FROM(T, to, int) BITLINE_FROM(T, to, uint) BITLINE_FROM(T, to, long) BITLINE_FROM(T, to, ulong) \
    BITLINE_FROM(T, to, float) BITLINE_FROM_DOUBLE(T, to)
BITLINE_TO(char, convert_char)
BITLINE_TO(uchar, convert_uchar)
BITLINE_TO(short, convert_short)
BITLINE_TO(ushort, convert_ushort)
BITLINE_TO(int, convert_int)
BITLINE_TO(uint, convert_uint)
BITLINE_TO(long, convert_long)
BITLINE_TO(ulong, convert_ulong)
BITLINE_TO(float, convert_float)
#ifdef cl_khr_fp64
BITLINE_TO(double, convert_double)
#endif
/* Between float and integers of 32 bits in a direction: to nearest even, to zero, down, up. */
#define BITLINE_TOWARDS(T, to, A, builtin) \
    BITLINE_CONVERSION(T, to, _rte, A, builtin##_rn(a)) \
    BITLINE_CONVERSION(T, to, _rtz, A, builtin##_rz(a)) \
    BITLINE_CONVERSION(T, to, _rtn, A, builtin##_rm(a)) \
    BITLINE_CONVERSION(T, to, _rtp, A, builtin##_rp(a))
BITLINE_TOWARDS(int, convert_int, float, __nvvm_f2i)
BITLINE_TOWARDS(uint, convert_uint, float, __nvvm_f2ui)
BITLINE_TOWARDS(float, convert_float, int, __nvvm_i2f)
BITLINE_TOWARDS(float, convert_float, uint, __nvvm_ui2f)
/* To the nearest that the type can say: from float PTX's instructions do it for 32 bits. */
#define BITLINE_SATURATED(T, to, low, high) \
    BITLINE_CONVERSION(T, to, _sat, int, (T)clamp(a, low, high)) \
    BITLINE_CONVERSION(T, to, _sat, uint, (T)min(a, (uint)(high))) \
    BITLINE_CONVERSION(T, to, _sat, float, to##_sat(__nvvm_f2i_rz(a))) \
    BITLINE_CONVERSION(T, to, _sat_rte, float, to##_sat(__nvvm_f2i_rn(a)))
BITLINE_SATURATED(char, convert_char, -128, 127)
BITLINE_SATURATED(uchar, convert_uchar, 0, 255)
BITLINE_SATURATED(short, convert_short, -32768, 32767)
BITLINE_SATURATED(ushort, convert_ushort, 0, 65535)
BITLINE_CONVERSION(int, convert_int, _sat, uint, (int)min(a, 0x7fffffffu))
BITLINE_CONVERSION(int, convert_int, _sat, float, __nvvm_f2i_rz(a))
BITLINE_CONVERSION(int, convert_int, _sat_rte, float, __nvvm_f2i_rn(a))
BITLINE_CONVERSION(uint, convert_uint, _sat, int, (uint)max(a, 0))
BITLINE_CONVERSION(uint, convert_uint, _sat, float, __nvvm_f2ui_rz(a))
BITLINE_CONVERSION(uint, convert_uint, _sat_rte, float, __nvvm_f2ui_rn(a))
