/* Functions of `float`, held against the C library's and, where a direction of rounding is in the name, against the
 * processor's; powers within an error. */
#include "compare.h"
#include <cfenv>
#include <cmath>

__host__ __device__ static float whole(float x) { float part; return modff(x, &part), part; }
__host__ __device__ static float rest(float x) { float part; return modff(x, &part); }

/* Of zeros with different signs the C library has either as the smaller one: + 0 makes one of both. */
#define EXACT(X) \
    X(sqrt(x)) X(sqrtf(fabsf(x))) X(std::sqrt(y)) X(fabs(x)) X(abs(x)) X(fmin(x, y) + 0) X(fmaxf(x, y) + 0) \
    X(min(x, y) + 0) X(max(x, y) + 0) X(fdimf(x, y)) X(floor(x)) X(ceil(x)) X(trunc(x)) X(rint(x)) X(nearbyintf(x)) \
    X(copysign(x, y)) X(round(x)) X(fma(x, y, z)) X(fmaf(x, y, z)) X(hypotf(x, y)) X(isnan(x)) X(isinf(x)) \
    X(isfinite(x)) X((bool)signbit(x)) X(max(x, (double)y) + 0) X(min((double)x, y) + 0) X(x + y) \
    X(x * y - z) X(x / y) \
    X(whole(x)) X(rest(x))
COMPARED(exact, float, EXACT)

#define REMAINDERS(X) X(fmod(x, y)) X(fmodf(y, z)) X(std::fmod(z, x))
COMPARED(remainders, float, REMAINDERS)

/* The same names for the host: in a direction, so that nothing is known before or behind it. */
#define IN_DIRECTION(name, direction, expression) \
    static float name(float a, float b = 0, float c = 0) \
    { \
        volatile float x = a, y = b, z = c, result; \
        (void)y, (void)z; \
        fesetround(direction); \
        result = expression; \
        fesetround(FE_TONEAREST); \
        return result; \
    }
#define IN_DIRECTIONS(name, expression) \
    IN_DIRECTION(name##_rn, FE_TONEAREST, expression) \
    IN_DIRECTION(name##_rz, FE_TOWARDZERO, expression) \
    IN_DIRECTION(name##_ru, FE_UPWARD, expression) \
    IN_DIRECTION(name##_rd, FE_DOWNWARD, expression)
IN_DIRECTIONS(__fadd, x + y)
IN_DIRECTIONS(__fsub, x - y)
IN_DIRECTIONS(__fmul, x *y)
IN_DIRECTIONS(__fdiv, x / y)
IN_DIRECTIONS(__fmaf, std::fma(x, y, z))
IN_DIRECTIONS(__frcp, 1.0f / x)
IN_DIRECTIONS(__fsqrt, std::sqrt(x))
static float __fdividef(float x, float y) { return x / y; }
static float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

#define FOUR(X, name, ...) \
    X(name##_rn(__VA_ARGS__)) X(name##_rz(__VA_ARGS__)) X(name##_ru(__VA_ARGS__)) X(name##_rd(__VA_ARGS__))
#define SUMS(X) FOUR(X, __fadd, x, y) FOUR(X, __fsub, x, y) FOUR(X, __fmul, x, y) FOUR(X, __fmaf, x, y, z)
#define QUOTIENTS(X) \
    FOUR(X, __fdiv, x, y) FOUR(X, __frcp, x) FOUR(X, __fsqrt, x) X(__fdividef(x, y)) X(__saturatef(x))
COMPARED(sums, float, SUMS)
COMPARED(quotients, float, QUOTIENTS)

/* Numbers in an integer's range, and others at its ends. */
template <class T> static T within(double whole)
{
    const T least = T(-1) < T(0) ? T(1) << (8 * sizeof(T) - 1) : T(0), most = ~least;
    if (whole != whole)
        return sizeof(T) == 4 ? 0 : T(1) << 63;
    return whole <= (double)least ? least : whole >= (double)most ? most : (T)whole;
}
#define TO_INTEGER(name, type) \
    static type name##_rn(float x) { return within<type>(nearbyint(x)); } \
    static type name##_rz(float x) { return within<type>(trunc(x)); } \
    static type name##_ru(float x) { return within<type>(ceil(x)); } \
    static type name##_rd(float x) { return within<type>(floor(x)); }
TO_INTEGER(__float2int, int)
TO_INTEGER(__float2uint, unsigned)
TO_INTEGER(__float2ll, long long)
TO_INTEGER(__float2ull, Bits)
static unsigned __float_as_uint(float x) { return (unsigned)bits(x); }
static int __float_as_int(float x) { return (int)bits(x); }
__host__ __device__ static float part(float x) { return fabsf(x) < 1e18f ? x : 2.5f; }
#define INTEGERS(X) \
    FOUR(X, __float2int, x) FOUR(X, __float2uint, x) FOUR(X, __float2ll, x) FOUR(X, __float2ull, x) \
    X(x != x ? 0 : __float_as_uint(x)) X(x != x ? 0 : __float_as_int(x)) X(lroundf(part(x))) \
    X(lrint(part(x))) X(llroundf(part(x))) X(llrint(part(x)))
COMPARED(integers, float, INTEGERS)

#define FROM_INTEGER(name, type) \
    static float name##_at(type in, int direction) \
    { \
        volatile type x = in; \
        volatile float result; \
        fesetround(direction); \
        result = (float)x; \
        fesetround(FE_TONEAREST); \
        return result; \
    } \
    static float name##_rn(type x) { return name##_at(x, FE_TONEAREST); } \
    static float name##_rz(type x) { return name##_at(x, FE_TOWARDZERO); } \
    static float name##_ru(type x) { return name##_at(x, FE_UPWARD); } \
    static float name##_rd(type x) { return name##_at(x, FE_DOWNWARD); }
FROM_INTEGER(__int2float, int)
FROM_INTEGER(__uint2float, unsigned)
FROM_INTEGER(__ll2float, long long)
FROM_INTEGER(__ull2float, Bits)
static float __uint_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
static float __int_as_float(int x) { return __uint_as_float((unsigned)x); }
#define BACK(X) \
    FOUR(X, __int2float, (int)x) FOUR(X, __uint2float, (unsigned)x) FOUR(X, __ll2float, (long long)x) \
    FOUR(X, __ull2float, x) \
    X(__uint_as_float((unsigned)x)) X(__int_as_float((int)x)) X((float)x) X((double)x)
COMPARED(back, Bits, BACK)

/* Random operands, unless the program's argument says how many; then it tells the largest error. */
#define MORE 400

/* Powers, within so many units in the last place of what binary64 has. */
__global__ void powers(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = pow(in[2 * i], in[2 * i + 1]);
}

static void compare_powers(std::vector<float> edges, int more)
{
    std::vector<float> in;
    for (float x : edges)
        for (float y : edges)
            in.insert(in.end(), {x, y});
    for (int i = 0; i < more; i++) {
        in.push_back(ldexpf((float)(random_bits() >> 40), (int)(random_bits() % 60) - 54));
        in.push_back(ldexpf((float)(int)(random_bits() >> 40) - 0x800000, (int)(random_bits() % 12) - 26));
    }
    int n = (int)in.size() / 2;
    std::vector<float> out(n);
    float *from, *to;
    cudaMalloc(&from, in.size() * 4);
    cudaMalloc(&to, n * 4);
    cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    powers<<<(n + 63) / 64, 64>>>(from, to, n);
    cudaMemcpy(out.data(), to, n * 4, cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError())
        printf("powers: %s\n", cudaGetErrorName(error)), wrong++;
    double most = 0;
    for (int i = 0; i < n; i++) {
        double exact = pow((double)in[2 * i], (double)in[2 * i + 1]), near = (float)exact, error = 0;
        if (bits((float)near) != bits(out[i])) {
            double unit = ldexp(1.0, std::max(ilogb(exact), -126) - 23);
            error = isfinite(near) && isfinite(out[i]) ? fabs(out[i] - exact) / unit : INFINITY;
        }
        most = std::max(most, error);
        if (!(error <= 0.51))
            printf("%a to %a: %a, not %a\n", in[2 * i], in[2 * i + 1], out[i], near), wrong++;
    }
    if (more > MORE)
        printf("powers: %g\n", most);
}

int main(int argc, char **arguments)
{
    const float all = __builtin_inff();
    std::vector<float> edges = {0.0f, -0.0f, 0x1p-149f, -0x1.8p-127f, 0x1p-126f, 0.49999997f, -0.5f, 1, -1.5f, 2.5f,
                                8388607.5f, -16777217.f, 2147483648.f, 1e30f, 0x1.fffffep127f, all, -all, NAN};
    exact(edges, 100);
    remainders(edges, 20);
    sums(edges, 100);
    quotients(edges, 60);
    integers({0.0f, -0.5f, 0.5f, 1.5f, 2.5f, -2.5f, 8388609.f, -2147483648.f, 2147483648.f, 4294967040.f, 4294967296.f,
              9223371487098961920.f, 9223372036854775808.f, 1.8446742974197924e19f, 1e30f, -1e30f, all, NAN}, 100);
    back({0, 1, 0x1000001, 0x1000003, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffff4000000001, (Bits)-0x1000001,
          0x8000000000000000, 0xffffffffffffffff}, 60);
    compare_powers({0.0f, -0.0f, 1, -1, 2, -2, 3, -3, 0.5f, -0.5f, 1.0000001f, 0x1p-149f, -0x1p-130f, 33554433.f, 1e20f,
                    -0x1.fffffep127f, all, -all, NAN, 0.99999994f, 149, -149}, argc > 1 ? atoi(arguments[1]) : MORE);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
