/* Functions of numbers of 16 bits, held against binary64 that is rounded once. */
#include "compare.h"
#include <cmath>
#include <cuda_fp16.h>

__host__ __device__ static Bits bits(__half x)
{
    unsigned short all = __half_as_ushort(x);
    return (all & 0x7fff) > 0x7c00 ? 0x7e00 : all;
}
__host__ __device__ static Bits bits(__half2 x) { return bits(x.x) | bits(x.y) << 16; }

/* A number of binary64 to 16 bits, to nearest and even. */
static __half rounded(double x)
{
    if (x != x)
        return __ushort_as_half(0x7e00);
    double unit = ldexp(1.0, std::max(x == 0 || std::isinf(x) ? -14 : ilogb(x), -14) - 10);
    double whole = std::isinf(x) ? x : nearbyint(x / unit) * unit;
    return fabs(whole) >= 65520 ? __ushort_as_half(x < 0 ? 0xfc00 : 0x7c00) : __half((float)copysign(whole, x));
}
/* A product is exact in binary64; what its sum loses pulls the sum to its side before it is rounded again. */
static __half __hfma(__half a, __half b, __half c)
{
    double product = (double)a * (double)b, more = (double)c, sum = product + more, part = sum - product;
    double lost = (product - (sum - part)) + (more - part);
    bool exact = lost == 0 || sum != sum || std::isinf(sum);
    return rounded(exact ? sum : nextafter(sum, lost > 0 ? INFINITY : -INFINITY));
}
static __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
static __half hsqrt(__half x) { return rounded(sqrt((double)x)); }
static __half hfloor(__half x) { return rounded(floor((double)x)); }
static __half hrint(__half x) { return rounded(nearbyint((double)x)); }
static int __half2int_rn(__half x) { return (int)nearbyint((double)x); }
__device__ static __half sum(__half x, __half y) { return x + y; }
__device__ static __half difference(__half x, __half y) { return x - y; }
__device__ static __half product(__half x, __half y) { return x * y; }
__device__ static __half quotient(__half x, __half y) { return x / y; }
__device__ static __half narrowed(float x) { return __float2half(x); }
static __half sum(__half x, __half y) { return rounded((double)x + (double)y); }
static __half difference(__half x, __half y) { return rounded((double)x - (double)y); }
static __half product(__half x, __half y) { return rounded((double)x * (double)y); }
static __half quotient(__half x, __half y) { return rounded((double)x / (double)y); }
static __half narrowed(float x) { return rounded(x); }

#define h(n) __ushort_as_half((unsigned short)(n))
#define finite(x) ((h(x) != h(x) || __hisinf(h(x))) ? h(0x4248) : h(x))
#define TWO(x, y) __halves2half2(h(x), h(y))
#define HALVES(X) \
    X(sum(h(x), h(y))) X(difference(h(x), h(y))) X(product(h(x), h(y))) X(quotient(h(x), h(y))) \
    X(__hfma(h(x), h(y), h(z))) X(__hneg(h(x))) X(__habs(h(x))) X((float)h(x)) X(__half2float(h(y))) \
    X(__heq(h(x), h(y))) X(__hne(h(x), h(y))) X(__hlt(h(x), h(y))) X(__hle(h(x), h(y))) X(__hgt(h(x), h(y))) \
    X(__hge(h(x), h(y))) X(__hltu(h(x), h(y))) X(h(x) != h(y)) X(h(x) < h(y)) X(__hisnan(h(x))) X(__hisinf(h(x))) \
    X((float)__hmin(h(x), h(y)) + 0) X((float)__hmax(h(x), h(y)) + 0) X(hsqrt(h(x))) X(hfloor(h(x))) X(hrint(h(x))) \
    X(__half2int_rn(finite(x))) X(__half2int_rz(finite(x))) X(__int2half_rn((short)x)) \
    X(TWO(x, y) + TWO(y, z)) X(__hmul2(TWO(x, y), TWO(y, z))) X(__hfma2(TWO(x, y), TWO(y, z), TWO(z, x))) \
    X(__half22float2(TWO(x, y)).x) X(__high2float(TWO(x, y))) X(__lowhigh2highlow(TWO(x, y)))
COMPARED(halves, unsigned, HALVES)

#define NARROWED(X) X(narrowed(x)) X(__floats2half2_rn(x, y)) X(__float2half_rn(x * 0x1p-100f))
COMPARED(narrow, float, NARROWED)

int main()
{
    halves({0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3555, 0x3800, 0x3c00, 0xbc01, 0x4248, 0xc900, 0x7bff, 0xfbff, 0x7c00,
            0xfc00, 0x7e00}, 300);
    narrow({0.0f, -0.0f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1.000001p-25f, 1.00048828125f, 1.00146484375f, 65504,
            65519.99f, 65520, -1e30f, INFINITY, NAN}, 60);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
