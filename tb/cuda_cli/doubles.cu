/* Functions of `double`, held against the C library's and, where a direction of rounding is in the name, against the
 * processor's; exponential functions and logarithms within an error. */
#include "compare.h"
#include <cfenv>
#include <cmath>

__host__ __device__ static double whole(double x) { double part; return modf(x, &part), part; }
__host__ __device__ static double rest(double x) { double part; return modf(x, &part); }
static double rsqrt(double x) { return 1 / sqrt(x); }

/* Of zeros with different signs the C library has either as the smaller one: + 0 makes one of both. */
#define EXACT(X) \
    X(sqrt(x)) X(std::sqrt(fabs(y))) X(abs(x)) X(fmin(x, y) + 0) X(fmax(x, y) + 0) X(min(x, y) + 0) X(max(x, y) + 0) \
    X(fdim(x, y)) X(floor(x)) X(ceil(x)) X(trunc(x)) X(rint(x)) X(nearbyint(x)) X(copysign(x, y)) X(round(x)) \
    X(fma(x, y, z)) X(isnan(x)) X(isinf(x)) X(isfinite(x)) X((bool)signbit(x)) X((float)x) X(x / y) \
    X(whole(x)) X(rest(x)) X(rsqrt(x))
COMPARED(exact, double, EXACT)

#define REMAINDERS(X) X(fmod(x, y))
COMPARED(remainders, double, REMAINDERS)

/* The same names for the host: in a direction, so that nothing is known before or behind it. */
#define IN_DIRECTION(name, type, direction, expression) \
    static type name(double a, double b = 0, double c = 0) \
    { \
        volatile double x = a, y = b, z = c; \
        volatile type result; \
        (void)y, (void)z; \
        fesetround(direction); \
        result = expression; \
        fesetround(FE_TONEAREST); \
        return result; \
    }
#define IN_DIRECTIONS(name, type, expression) \
    IN_DIRECTION(name##_rn, type, FE_TONEAREST, expression) \
    IN_DIRECTION(name##_rz, type, FE_TOWARDZERO, expression) \
    IN_DIRECTION(name##_ru, type, FE_UPWARD, expression) \
    IN_DIRECTION(name##_rd, type, FE_DOWNWARD, expression)
IN_DIRECTIONS(__dadd, double, x + y)
IN_DIRECTIONS(__dsub, double, x - y)
IN_DIRECTIONS(__dmul, double, x *y)
IN_DIRECTIONS(__ddiv, double, x / y)
IN_DIRECTIONS(__fma, double, std::fma(x, y, z))
IN_DIRECTIONS(__drcp, double, 1.0 / x)
IN_DIRECTIONS(__dsqrt, double, std::sqrt(x))
IN_DIRECTIONS(__double2float, float, (float)x)
#define FOUR(X, name, ...) \
    X(name##_rn(__VA_ARGS__)) X(name##_rz(__VA_ARGS__)) X(name##_ru(__VA_ARGS__)) X(name##_rd(__VA_ARGS__))
#define SUMS(X) FOUR(X, __dadd, x, y) FOUR(X, __dsub, x, y) FOUR(X, __dmul, x, y) FOUR(X, __fma, x, y, z)
#define QUOTIENTS(X) FOUR(X, __ddiv, x, y) FOUR(X, __drcp, x) FOUR(X, __dsqrt, x) FOUR(X, __double2float, x)
COMPARED(sums, double, SUMS)
COMPARED(quotients, double, QUOTIENTS)

/* Numbers in an integer's range, and others at its ends. */
template <class T> static T within(double whole)
{
    const T least = T(-1) < T(0) ? T(1) << (8 * sizeof(T) - 1) : T(0), most = ~least;
    if (whole != whole)
        return T(1) << (8 * sizeof(T) - 1);
    return whole <= (double)least ? least : whole >= (double)most ? most : (T)whole;
}
#define TO_INTEGER(name, type) \
    static type name##_rn(double x) { return within<type>(nearbyint(x)); } \
    static type name##_rz(double x) { return within<type>(trunc(x)); } \
    static type name##_ru(double x) { return within<type>(ceil(x)); } \
    static type name##_rd(double x) { return within<type>(floor(x)); }
TO_INTEGER(__double2int, int)
TO_INTEGER(__double2uint, unsigned)
TO_INTEGER(__double2ll, long long)
TO_INTEGER(__double2ull, Bits)
static long long __double_as_longlong(double x) { return (long long)bits(x); }
static int __double2hiint(double x) { return (int)(bits(x) >> 32); }
static int __double2loint(double x) { return (int)bits(x); }
__host__ __device__ static double part(double x) { return fabs(x) < 1e18 ? x : 2.5; }
#define INTEGERS(X) \
    FOUR(X, __double2int, x) FOUR(X, __double2uint, x) FOUR(X, __double2ll, x) FOUR(X, __double2ull, x) \
    X(x != x ? 0 : __double_as_longlong(x)) X(x != x ? 0 : __double2hiint(x)) X(x != x ? 0 : __double2loint(x)) \
    X(lround(part(x))) X(lrint(part(x))) X(llround(part(x))) X(llrint(part(x)))
COMPARED(integers, double, INTEGERS)

#define FROM_INTEGER(name, type) \
    static double name##_at(type in, int direction) \
    { \
        volatile long double x = in; \
        volatile double result; \
        fesetround(direction); \
        result = (double)x; \
        fesetround(FE_TONEAREST); \
        return result; \
    } \
    static double name##_rn(type x) { return name##_at(x, FE_TONEAREST); } \
    static double name##_rz(type x) { return name##_at(x, FE_TOWARDZERO); } \
    static double name##_ru(type x) { return name##_at(x, FE_UPWARD); } \
    static double name##_rd(type x) { return name##_at(x, FE_DOWNWARD); }
FROM_INTEGER(__ll2double, long long)
FROM_INTEGER(__ull2double, Bits)
static double __int2double_rn(int x) { return x; }
static double __uint2double_rn(unsigned x) { return x; }
static double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
static double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((Bits)high << 32 | (unsigned)low));
}
#define BACK(X) \
    FOUR(X, __ll2double, (long long)x) FOUR(X, __ull2double, x) X(__int2double_rn((int)x)) \
    X(__uint2double_rn((unsigned)x)) X(__longlong_as_double((long long)x)) X(__hiloint2double((int)x, (int)y))
COMPARED(back, Bits, BACK)

/* Random operands, unless the program's argument says how many; then it tells the largest errors. */
#define MORE 200

/* Functions, within so many units in the last place of what 64 digits in place of 53 have. */
template <int WHICH> __global__ void function(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = in[i];
    out[WHICH * n + i] = WHICH == 0   ? exp(x)
                         : WHICH == 1 ? exp2(x)
                         : WHICH == 2 ? log(x)
                         : WHICH == 3 ? log2(x)
                         : WHICH == 4 ? log10(x)
                                      : pow(x, in[(i * 7 + 3) % n]);
}

static void within_units(const char *name, double x, double found, long double exact, double limit, double *most)
{
    double near = (double)exact, error = 0;
    if (bits(near) != bits(found)) {
        long double unit = ldexpl(1.0L, std::max(ilogbl(exact), -1022) - 52);
        error = isfinite(near) && isfinite(found) ? (double)(fabsl(found - exact) / unit) : INFINITY;
    }
    if (!(error <= limit))
        printf("%s of %a: %a, not %a\n", name, x, found, near), wrong++;
    *most = std::max(*most, error);
}

static void compare_functions(std::vector<double> in, int more)
{
    for (int i = 0; i < more; i++) {
        double part = (double)(random_bits() >> 11) * 0x1p-53, sign = random_bits() & 1 ? -1 : 1;
        if (i % 4 == 0)
            in.push_back(ldexp(part, (int)(random_bits() % 2000) - 1000));
        else
            in.push_back(i % 4 == 1 ? 1 + sign * part / 8 : sign * part * 720);
    }
    int n = (int)in.size();
    std::vector<double> out(6 * n);
    double *from, *to, most[6] = {0, 0, 0, 0, 0, 0};
    cudaMalloc(&from, 8 * n);
    cudaMalloc(&to, 48 * n);
    cudaMemcpy(from, in.data(), 8 * n, cudaMemcpyHostToDevice);
    for (auto one : {function<0>, function<1>, function<2>, function<3>, function<4>, function<5>})
        one<<<(n + 63) / 64, 64>>>(from, to, n);
    cudaMemcpy(out.data(), to, 48 * n, cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError())
        printf("functions: %s\n", cudaGetErrorName(error)), wrong++;
    for (int i = 0; i < n; i++) {
        within_units("exp", in[i], out[i], expl(in[i]), 1, &most[0]);
        within_units("exp2", in[i], out[n + i], exp2l(in[i]), 1, &most[1]);
        within_units("log", in[i], out[2 * n + i], logl(in[i]), 1, &most[2]);
        within_units("log2", in[i], out[3 * n + i], log2l(in[i]), 1, &most[3]);
        within_units("log10", in[i], out[4 * n + i], log10l(in[i]), 1, &most[4]);
        within_units("pow", in[i], out[5 * n + i], powl(in[i], in[(i * 7 + 3) % n]), 1, &most[5]);
    }
    if (more > MORE)
        for (int i = 0; i < 6; i++)
            printf("%s %g\n", (const char *[]){"exp", "exp2", "log", "log2", "log10", "pow"}[i], most[i]);
}

int main(int argc, char **arguments)
{
    const double all = INFINITY;
    std::vector<double> edges = {0.0, -0.0, 0x1p-1074, -0x1.8p-1023, 0x1p-1022, 0.49999999999999994, -0.5, 1, -2.5,
                                 4503599627370495.5, 1e30, -0x1.fffffffffffffp1023, all, -all, NAN};
    exact(edges, 60);
    remainders({0.0, -0.0, 0x1p-1074, 0x1.8p-1023, 3, -7.25, 1e30, 0x1.fffffffffffffp1023, all, NAN}, 6);
    sums(edges, 60);
    quotients(edges, 30);
    integers({0.0, -0.5, 1.5, -2.5, 2147483647.5, -2147483648.5, 4294967295.5, 9223372036854774784.,
              9223372036854775808., 18446744073709549568., 1e30, -1e30, all, NAN}, 30);
    back({0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x20000000000001, 0x20000000000003, 0x7ffffffffffffe01,
          0x8000000000000000, 0xffffffffffffffff}, 60);
    compare_functions({0.0, -0.0, 1, -1, 0.34657359027997264, 709.78271289338397, 709.782712893384, -745.13321910194110,
                       -745.2, 1024, -1074, -1075.5, -1080, 1000, -2000, 0x1p-1074, 0x1.8p-1030, 0x1p-1022, 0x1p-60,
                       0.70710678118654746, 0.70710678118654757, 0.99999999999999989, 1.0000000000000002, 1e300, all,
                       -all, NAN, -3.5}, argc > 1 ? atoi(arguments[1]) : MORE);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
