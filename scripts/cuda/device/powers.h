/* Powers, and logarithms to other bases, of `double` by sums of two of them, of `float` by way of `double`.
 * docs/cuda.md has their errors. */
#pragma once
#pragma clang system_header

/* The logarithm to the base 2 of a positive `float`, and 2 to a number: to 2^-32 of what a power of `float` can be. */
BITLINE_DEVICE double bitline_log2(float x)
{
    int n;
    double f = bitline_split(x, &n), s = f / (2.0 + f), z = s * s, r = 2.0 / 13;
    r = fma(r, z, 2.0 / 11);
    r = fma(r, z, 2.0 / 9);
    r = fma(r, z, 2.0 / 7);
    r = fma(r, z, 2.0 / 5);
    r = fma(r, z, 2.0 / 3);
    return fma(fma(r, z, 2.0) * s, 1.4426950408889634, n);
}
BITLINE_DEVICE float bitline_exp2(double x)
{
    double near = fmin(fmax(x, -300.0), 300.0), n = rint(near), r = (near - n) * 0.69314718055994531;
    double q = 1.0 / 362880;
    q = fma(q, r, 1.0 / 40320);
    q = fma(q, r, 1.0 / 5040);
    q = fma(q, r, 1.0 / 720);
    q = fma(q, r, 1.0 / 120);
    q = fma(q, r, 1.0 / 24);
    q = fma(q, r, 1.0 / 6);
    q = fma(q, r, 0.5);
    return (float)(fma(q, r * r, r + 1.0) * bitline_two_to((int)n));
}
BITLINE_DEVICE float powf(float x, float y)
{
    const float infinite = __builtin_inff();
    float a = fabsf(x), whole = truncf(y), half = 0.5f * y;
    int odd = whole == y && truncf(half) != half;
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (x != x || y != y || (x < 0.0f && x > -infinite && whole != y))
        return __int_as_float(0x7fffffff);
    float result;
    if (a == 1.0f)
        result = 1.0f;
    else if (a == 0.0f || a == infinite || fabsf(y) == infinite)
        result = (a > 1.0f) == (y > 0.0f) ? infinite : 0.0f;
    else
        result = bitline_exp2(y * bitline_log2(a));
    return odd ? copysignf(result, x) : result;
}

/* A number as the sum of two, of which the second one is at most half a unit of the first one. */
struct BitlineSum {
    double high, low;
};
/* The sum of two numbers, of which the first one is the larger one or 0, and something small. */
BITLINE_DEVICE BitlineSum bitline_sum(double a, double b, double low)
{
    double high = a + b;
    return {high, ((a - high) + b) + low};
}
BITLINE_DEVICE BitlineSum bitline_product(BitlineSum a, BitlineSum b)
{
    double high = a.high * b.high;
    return {high, fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high)};
}

/* ln(1 + f) as a sum, to 2^-64 of it: 2 * s + s * z * (2/3 + z * (2/5 + ...)) with s = f / (2 + f), z = s * s. */
BITLINE_DEVICE BitlineSum bitline_log(double f)
{
    BitlineSum below = bitline_sum(2.0, f, 0.0), s, z, third;
    s.high = f / below.high;
    s.low = fma(-s.high, below.low, fma(-s.high, below.high, f)) / below.high;
    z = bitline_product(s, s);
    double q = 2.0 / 25;
    q = fma(q, z.high, 2.0 / 23);
    q = fma(q, z.high, 2.0 / 21);
    q = fma(q, z.high, 2.0 / 19);
    q = fma(q, z.high, 2.0 / 17);
    q = fma(q, z.high, 2.0 / 15);
    q = fma(q, z.high, 2.0 / 13);
    q = fma(q, z.high, 2.0 / 11);
    q = fma(q, z.high, 2.0 / 9);
    q = fma(q, z.high, 2.0 / 7);
    q = fma(q, z.high, 2.0 / 5);
    third = bitline_sum(2.0 / 3, q * z.high, 3.700743415417188e-17);
    third = bitline_product(bitline_product(s, z), third);
    BitlineSum all = bitline_sum(2.0 * s.high, third.high, fma(2.0, s.low, third.low));
    return bitline_sum(all.high, all.low, 0.0);
}

BITLINE_DEVICE double log2(double x)
{
    int n;
    BitlineSum all = bitline_product(bitline_log(bitline_split(x, &n)), {1.4426950408889634, 2.0355273740931033e-17});
    all = bitline_sum(n, all.high, all.low);
    return x > 0.0 && x < bitline_infinity() ? all.high + all.low : bitline_no_log(x);
}
BITLINE_DEVICE double log10(double x)
{
    int n;
    BitlineSum all = bitline_product(bitline_log(bitline_split(x, &n)), {0.4342944819032518, 1.098319650216765e-17});
    /* log 2 in two parts, as ln 2. */
    all = bitline_sum(n * 0.3010299955494702, all.high, fma(n, 1.1451100898021838e-10, all.low));
    return x > 0.0 && x < bitline_infinity() ? all.high + all.low : bitline_no_log(x);
}

BITLINE_DEVICE double pow(double x, double y)
{
    const double infinite = bitline_infinity();
    double a = fabs(x), whole = trunc(y), half = 0.5 * y;
    bool odd = whole == y && trunc(half) != half;
    if (x == 1.0 || y == 0.0)
        return 1.0;
    if (x != x || y != y || (x < 0.0 && x > -infinite && whole != y))
        return bitline_nan();
    double result;
    if (a == 1.0) {
        result = 1.0;
    } else if (a == 0.0 || a == infinite || fabs(y) == infinite) {
        result = (a > 1.0) == (y > 0.0) ? infinite : 0.0;
    } else {
        int n;
        BitlineSum all = bitline_log(bitline_split(a, &n));
        all = bitline_sum(n * BITLINE_LN2_HIGH, all.high, fma(n, BITLINE_LN2_LOW, all.low));
        all = bitline_sum(all.high, all.low, 0.0);
        double exponent = all.high * y, low = fma(all.high, y, -exponent) + all.low * y;
        /* Where that is more than any number's, it does not matter by how much. */
        double near = fmin(fmax(exponent, -800.0), 800.0);
        result = bitline_exp(near, near == exponent ? low : 0.0);
    }
    return odd ? copysign(result, x) : result;
}
