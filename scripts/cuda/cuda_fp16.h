/* Numbers of 16 bits, and two of them in 32 bits: conversions, sums, products, fma, comparisons. On the device a sum, a
 * product and an fma are one instruction; quotients and roots go by way of `float`, which loses nothing. */
#pragma once
#pragma clang system_header
#include "cuda_runtime.h"

struct __half {
    _Float16 bitline;
    __half() = default;
    BITLINE_PLAIN constexpr __half(_Float16 x) : bitline(x) {}
    BITLINE_PLAIN __half(float x) : bitline((_Float16)x) {}
    BITLINE_PLAIN __half(double x) : bitline((_Float16)x) {}
    BITLINE_PLAIN __half(int x) : bitline((_Float16)x) {}
    BITLINE_PLAIN operator float() const { return (float)bitline; }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    BITLINE_PLAIN __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;

BITLINE_BOTH __half __float2half(float x) { return __half(x); }
BITLINE_BOTH __half __float2half_rn(float x) { return __half(x); }
BITLINE_BOTH __half __double2half(double x) { return __half(x); }
BITLINE_BOTH float __half2float(__half x) { return (float)x.bitline; }
BITLINE_BOTH __half __int2half_rn(int x) { return __half(x); }
BITLINE_BOTH int __half2int_rz(__half x) { return (int)(float)x; }
BITLINE_BOTH unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.bitline); }
BITLINE_BOTH __half __ushort_as_half(unsigned short x) { return __half(__builtin_bit_cast(_Float16, x)); }
BITLINE_BOTH short __half_as_short(__half x) { return (short)__half_as_ushort(x); }
BITLINE_BOTH __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
BITLINE_DEVICE int __half2int_rn(__half x) { return __float2int_rn(x); }
BITLINE_DEVICE int __half2int_rd(__half x) { return __float2int_rd(x); }
BITLINE_DEVICE int __half2int_ru(__half x) { return __float2int_ru(x); }

/* The host has no such instructions, and goes by way of `float` for all of them. */
#ifdef __CUDA_ARCH__
#define BITLINE_HALF(name, instruction, operation) \
    BITLINE_BOTH __half name(__half a, __half b) \
    { \
        unsigned short result; \
        asm(instruction " %0, %1, %2;" : "=h"(result) : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b))); \
        return __ushort_as_half(result); \
    }
#else
#define BITLINE_HALF(name, instruction, operation) \
    BITLINE_BOTH __half name(__half a, __half b) { return __half((float)a operation(float) b); }
#endif
BITLINE_HALF(__hadd, "add.rn.f16", +)
BITLINE_HALF(__hsub, "sub.rn.f16", -)
BITLINE_HALF(__hmul, "mul.rn.f16", *)
BITLINE_BOTH __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
BITLINE_DEVICE __half __hfma(__half a, __half b, __half c)
{
    unsigned short result;
    asm("fma.rn.f16 %0, %1, %2, %3;"
        : "=h"(result)
        : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)), "h"(__half_as_ushort(c)));
    return __ushort_as_half(result);
}
BITLINE_BOTH __half __hneg(__half x) { return __ushort_as_half(__half_as_ushort(x) ^ 0x8000); }
BITLINE_BOTH __half __habs(__half x) { return __ushort_as_half(__half_as_ushort(x) & 0x7fff); }
BITLINE_BOTH __half __hmin(__half a, __half b) { return __half(__builtin_fminf(a, b)); }
BITLINE_BOTH __half __hmax(__half a, __half b) { return __half(__builtin_fmaxf(a, b)); }
BITLINE_BOTH bool __hisnan(__half x) { return (__half_as_ushort(x) & 0x7fff) > 0x7c00; }
BITLINE_BOTH int __hisinf(__half x) { return (__half_as_ushort(x) == 0x7c00) - (__half_as_ushort(x) == 0xfc00); }
BITLINE_DEVICE __half hsqrt(__half x) { return __half(sqrtf(x)); }
BITLINE_DEVICE __half hfloor(__half x) { return __half(floorf(x)); }
BITLINE_DEVICE __half hceil(__half x) { return __half(ceilf(x)); }
BITLINE_DEVICE __half htrunc(__half x) { return __half(truncf(x)); }
BITLINE_DEVICE __half hrint(__half x) { return __half(rintf(x)); }

/* Comparisons: without a NaN, or with `u` where one of both is a NaN. */
#define BITLINE_HALF_COMPARES(name, symbol, operation) \
    BITLINE_BOTH bool __h##name(__half a, __half b) { return (float)a operation(float) b; } \
    BITLINE_BOTH bool __h##name##u(__half a, __half b) \
    { \
        return (float)a operation(float) b || __hisnan(a) || __hisnan(b); \
    } \
    BITLINE_BOTH bool operator symbol(__half a, __half b) { return (float)a operation(float) b; }
BITLINE_HALF_COMPARES(eq, ==, ==)
BITLINE_HALF_COMPARES(lt, <, <)
BITLINE_HALF_COMPARES(le, <=, <=)
BITLINE_HALF_COMPARES(gt, >, >)
BITLINE_HALF_COMPARES(ge, >=, >=)
BITLINE_BOTH bool __hne(__half a, __half b) { return (float)a != (float)b && !__hisnan(a) && !__hisnan(b); }
BITLINE_BOTH bool __hneu(__half a, __half b) { return (float)a != (float)b; }
BITLINE_BOTH bool operator!=(__half a, __half b) { return __hneu(a, b); }

#define BITLINE_HALF_OPERATOR(symbol, name) \
    BITLINE_BOTH __half operator symbol(__half a, __half b) { return name(a, b); } \
    BITLINE_BOTH __half &operator symbol##=(__half &a, __half b) { return a = name(a, b); } \
    BITLINE_BOTH __half2 name##2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); } \
    BITLINE_BOTH __half2 operator symbol(__half2 a, __half2 b) { return name##2(a, b); } \
    BITLINE_BOTH __half2 &operator symbol##=(__half2 &a, __half2 b) { return a = name##2(a, b); }
BITLINE_HALF_OPERATOR(+, __hadd)
BITLINE_HALF_OPERATOR(-, __hsub)
BITLINE_HALF_OPERATOR(*, __hmul)
BITLINE_BOTH __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
BITLINE_BOTH __half operator/(__half a, __half b) { return __hdiv(a, b); }
BITLINE_BOTH __half &operator/=(__half &a, __half b) { return a = __hdiv(a, b); }
BITLINE_BOTH __half2 operator/(__half2 a, __half2 b) { return __h2div(a, b); }
BITLINE_BOTH __half operator-(__half x) { return __hneg(x); }

BITLINE_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
BITLINE_BOTH __half2 __hneg2(__half2 x) { return __half2(__hneg(x.x), __hneg(x.y)); }
BITLINE_BOTH __half2 __habs2(__half2 x) { return __half2(__habs(x.x), __habs(x.y)); }
BITLINE_BOTH __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
BITLINE_BOTH __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
BITLINE_BOTH __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
BITLINE_BOTH __half2 make_half2(__half low, __half high) { return __half2(low, high); }
BITLINE_BOTH __half2 __half2half2(__half x) { return __half2(x, x); }
BITLINE_BOTH __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
BITLINE_BOTH __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
BITLINE_BOTH __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
BITLINE_BOTH float2 __half22float2(__half2 x) { return make_float2(x.x, x.y); }
BITLINE_BOTH __half __low2half(__half2 x) { return x.x; }
BITLINE_BOTH __half __high2half(__half2 x) { return x.y; }
BITLINE_BOTH float __low2float(__half2 x) { return x.x; }
BITLINE_BOTH float __high2float(__half2 x) { return x.y; }
BITLINE_BOTH __half2 __lowhigh2highlow(__half2 x) { return __half2(x.y, x.x); }
