/* Functions of `double`. What is the sum, product, quotient, root or rounding of
 * numbers is exact but for its rounding; docs/cuda.md has the errors of others. */
#pragma once
#pragma clang system_header

BITLINE_DEVICE double bitline_infinity() { return __longlong_as_double(0x7ff0000000000000); }
BITLINE_DEVICE double bitline_nan() { return __longlong_as_double(0x7fffffffffffffff); }

BITLINE_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
BITLINE_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
BITLINE_DEVICE double fabs(double x) { return __builtin_fabs(x); }
BITLINE_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
BITLINE_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
BITLINE_DEVICE double fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
BITLINE_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
BITLINE_DEVICE double floor(double x) { return __builtin_floor(x); }
BITLINE_DEVICE double ceil(double x) { return __builtin_ceil(x); }
BITLINE_DEVICE double trunc(double x) { return __builtin_trunc(x); }
BITLINE_DEVICE double rint(double x) { return __builtin_rint(x); }
BITLINE_DEVICE double nearbyint(double x) { return __builtin_rint(x); }
BITLINE_DEVICE double copysign(double x, double sign)
{
    long long negative = __double_as_longlong(sign) & (long long)0x8000000000000000;
    return __longlong_as_double((__double_as_longlong(x) & 0x7fffffffffffffff) | negative);
}
BITLINE_DEVICE double round(double x)
{
    double away = trunc(x + copysign(0.49999999999999994, x));
    return fabs(x) < 4503599627370496.0 ? away : x;
}
BITLINE_DEVICE long lrint(double x) { return (long)__double2ll_rn(x); }
BITLINE_DEVICE long long llrint(double x) { return __double2ll_rn(x); }
BITLINE_DEVICE long lround(double x) { return (long)__double2ll_rz(round(x)); }
BITLINE_DEVICE long long llround(double x) { return __double2ll_rz(round(x)); }
BITLINE_DEVICE double modf(double x, double *whole)
{
    *whole = trunc(x);
    return copysign(fabs(x) == bitline_infinity() ? 0.0 : x - *whole, x);
}

#define BITLINE_DOUBLES(to, direction) \
    BITLINE_DEVICE double __dadd_##to(double a, double b) { return __nvvm_add_##direction##_d(a, b); } \
    BITLINE_DEVICE double __dsub_##to(double a, double b) { return __nvvm_add_##direction##_d(a, -b); } \
    BITLINE_DEVICE double __dmul_##to(double a, double b) { return __nvvm_mul_##direction##_d(a, b); } \
    BITLINE_DEVICE double __ddiv_##to(double a, double b) { return __nvvm_div_##direction##_d(a, b); } \
    BITLINE_DEVICE double __fma_##to(double a, double b, double c) { return __nvvm_fma_##direction##_d(a, b, c); } \
    BITLINE_DEVICE double __drcp_##to(double x) { return __nvvm_rcp_##direction##_d(x); } \
    BITLINE_DEVICE double __dsqrt_##to(double x) { return __nvvm_sqrt_##direction##_d(x); }
BITLINE_DOUBLES(rn, rn)
BITLINE_DOUBLES(rz, rz)
BITLINE_DOUBLES(ru, rp)
BITLINE_DOUBLES(rd, rm)

/* As fmodf, with eleven digits at a time. */
BITLINE_DEVICE double fmod(double x, double y)
{
    typedef unsigned long long bits;
    const bits fraction = 0xfffffffffffff, front = fraction + 1;
    bits sign = (bits)__double_as_longlong(x) & 0x8000000000000000, a = (bits)__double_as_longlong(x) ^ sign;
    bits b = (bits)__double_as_longlong(y) & 0x7fffffffffffffff;
    if (a >> 52 == 0x7ff || b > 0x7ff0000000000000 || b == 0)
        return bitline_nan();
    if (a < b)
        return x;
    int over = a >> 52 ? (int)(a >> 52) : 1, under = b >> 52 ? (int)(b >> 52) : 1;
    bits divisor = (b & fraction) | (b >> 52 ? front : 0), rest = ((a & fraction) | (a >> 52 ? front : 0)) % divisor;
    for (int digits = over - under; digits > 0; digits -= 11)
        rest = (rest << min(digits, 11)) % divisor;
    int shift = min(__clzll((long long)rest) - 11, under - 1);
    rest <<= shift;
    bits exponent = rest >> 52 ? (bits)(under - shift) : 0;
    return __longlong_as_double((long long)(rest == 0 ? sign : sign | exponent << 52 | (rest & fraction)));
}

/* 2 to a whole number from -1022 to 1023. */
BITLINE_DEVICE double bitline_two_to(int n) { return __longlong_as_double((long long)(n + 1023) << 52); }
/* A number times 2 to a whole number from -2044 to 2046, in two steps. */
BITLINE_DEVICE double bitline_scaled(double x, int n) { return x * bitline_two_to(n / 2) * bitline_two_to(n - n / 2); }

/* e to r + low, with r from -0.35 to 0.35: Taylor's series. What 1 + r loses is added with the smaller terms. */
BITLINE_DEVICE double bitline_exp_near(double r, double low)
{
    double q = 1.0 / 6227020800;
    q = fma(q, r, 1.0 / 479001600);
    q = fma(q, r, 1.0 / 39916800);
    q = fma(q, r, 1.0 / 3628800);
    q = fma(q, r, 1.0 / 362880);
    q = fma(q, r, 1.0 / 40320);
    q = fma(q, r, 1.0 / 5040);
    q = fma(q, r, 1.0 / 720);
    q = fma(q, r, 1.0 / 120);
    q = fma(q, r, 1.0 / 24);
    q = fma(q, r, 1.0 / 6);
    q = fma(q, r, 0.5);
    double near = 1.0 + r;
    return near + (((1.0 - near) + r) + fma(q, r * r, low));
}

/* ln 2 in two parts, of which whole numbers of the exponent leave the first one exact. */
#define BITLINE_LN2_HIGH 6.93147180369123816490e-01
#define BITLINE_LN2_LOW 1.90821492927058770002e-10

/* e to x + low, with x from -800 to 800. */
BITLINE_DEVICE double bitline_exp(double x, double low)
{
    double n = rint(x * 1.4426950408889634);
    double high = fma(-n, BITLINE_LN2_HIGH, x), r = fma(-n, BITLINE_LN2_LOW, high);
    double rest = low + fma(-n, BITLINE_LN2_LOW, high - r), near = r + rest;
    return bitline_scaled(bitline_exp_near(near, (r - near) + rest), (int)n);
}
BITLINE_DEVICE double exp(double x)
{
    double result = bitline_exp(fmin(fmax(x, -800.0), 800.0), 0.0);
    return x != x ? x : result;
}
BITLINE_DEVICE double exp2(double x)
{
    double near = fmin(fmax(x, -1200.0), 1200.0), n = rint(near), f = near - n, ln2 = 0.69314718055994531;
    double r = f * ln2, low = fma(f, 2.3190468138462996e-17, fma(f, ln2, -r));
    double result = bitline_scaled(bitline_exp_near(r, low), (int)n);
    return x != x ? x : result;
}

/* A positive number as (1 + f) * 2^n, with 1 + f from 1/sqrt(2) to sqrt(2). */
BITLINE_DEVICE double bitline_split(double x, int *n)
{
    int subnormal = x < 2.2250738585072014e-308;
    long long bits = __double_as_longlong(subnormal ? x * 18014398509481984.0 : x);
    /* The fraction of sqrt(1/2), taken away and put back, rounds the exponent. */
    long long over = bits - 0x3fe6a09e667f3bcd;
    *n = (int)(over >> 52) - (subnormal ? 54 : 0);
    return __longlong_as_double((over & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
}

/* ln(1 + f) is f - f^2/2 + s * (f^2/2 + R) with s = f / (2 + f): R, of s^2. */
BITLINE_DEVICE double bitline_log_rest(double z)
{
    double r = 2.0 / 23;
    r = fma(r, z, 2.0 / 21);
    r = fma(r, z, 2.0 / 19);
    r = fma(r, z, 2.0 / 17);
    r = fma(r, z, 2.0 / 15);
    r = fma(r, z, 2.0 / 13);
    r = fma(r, z, 2.0 / 11);
    r = fma(r, z, 2.0 / 9);
    r = fma(r, z, 2.0 / 7);
    r = fma(r, z, 2.0 / 5);
    r = fma(r, z, 2.0 / 3);
    return r * z;
}

/* What logarithms of numbers are that are not positive and finite. */
BITLINE_DEVICE double bitline_no_log(double x)
{
    return x == 0.0 ? -bitline_infinity() : x > 0.0 ? x : bitline_nan();
}
BITLINE_DEVICE double log(double x)
{
    int n;
    double f = bitline_split(x, &n), s = f / (2.0 + f), half = 0.5 * f * f;
    double low = fma(s, half + bitline_log_rest(s * s), n * BITLINE_LN2_LOW);
    double result = n * BITLINE_LN2_HIGH - ((half - low) - f);
    return x > 0.0 && x < bitline_infinity() ? result : bitline_no_log(x);
}
