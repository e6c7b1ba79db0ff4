/* C++ names: one for `float` and `double`. They are known in the namespace std, too, before the C library's headers
 * make constant expressions of the same names, which would be the host's functions on the device. */
#pragma once
#pragma clang system_header

#define BITLINE_FLOAT(name) \
    BITLINE_DEVICE float name(float x) { return name##f(x); }
#define BITLINE_FLOATS(name) \
    BITLINE_DEVICE float name(float x, float y) { return name##f(x, y); }
/* What there is for `float` only is not taken for `double` in silence. */
#define BITLINE_LACKS(name) \
    BITLINE_DEVICE double name(double x) = delete;
#define BITLINE_ALL(X, XX, LACKS) \
    X(sqrt) X(exp) X(exp2) X(log) X(log2) X(log10) X(fabs) X(floor) X(ceil) X(trunc) X(rint) X(nearbyint) X(round) \
    LACKS(sin) LACKS(cos) LACKS(tan) LACKS(tanh) \
    XX(fmin) XX(fmax) XX(fdim) XX(fmod) XX(copysign)
#define BITLINE_BOTH_LACKS(name) BITLINE_FLOAT(name) BITLINE_LACKS(name)
BITLINE_ALL(BITLINE_FLOAT, BITLINE_FLOATS, BITLINE_BOTH_LACKS)
BITLINE_FLOATS(pow)
BITLINE_FLOATS(hypot)
BITLINE_DEVICE double hypot(double x, double y) = delete;
BITLINE_DEVICE float rsqrt(float x) { return rsqrtf(x); }
BITLINE_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
BITLINE_DEVICE long lrint(float x) { return lrintf(x); }
BITLINE_DEVICE long lround(float x) { return lroundf(x); }
BITLINE_DEVICE long long llrint(float x) { return llrintf(x); }
BITLINE_DEVICE long long llround(float x) { return llroundf(x); }
BITLINE_DEVICE float modf(float x, float *whole) { return modff(x, whole); }

BITLINE_DEVICE int abs(int x) { return x < 0 ? -x : x; }
BITLINE_DEVICE long abs(long x) { return x < 0 ? -x : x; }
BITLINE_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
BITLINE_DEVICE float abs(float x) { return fabsf(x); }
BITLINE_DEVICE double abs(double x) { return fabs(x); }
BITLINE_DEVICE long labs(long x) { return abs(x); }
BITLINE_DEVICE long long llabs(long long x) { return abs(x); }

BITLINE_DEVICE bool isnan(float x) { return x != x; }
BITLINE_DEVICE bool isnan(double x) { return x != x; }
BITLINE_DEVICE bool isinf(float x) { return fabsf(x) == __builtin_inff(); }
BITLINE_DEVICE bool isinf(double x) { return fabs(x) == bitline_infinity(); }
BITLINE_DEVICE bool isfinite(float x) { return fabsf(x) < __builtin_inff(); }
BITLINE_DEVICE bool isfinite(double x) { return fabs(x) < bitline_infinity(); }
BITLINE_DEVICE bool signbit(float x) { return __float_as_int(x) < 0; }
BITLINE_DEVICE bool signbit(double x) { return __double_as_longlong(x) < 0; }

#define BITLINE_LESS(type, first, second, less, more) \
    BITLINE_BOTH type min(first a, second b) { return less(a, b); } \
    BITLINE_BOTH type max(first a, second b) { return more(a, b); }
BITLINE_LESS(float, float, float, __builtin_fminf, __builtin_fmaxf)
BITLINE_LESS(double, double, double, __builtin_fmin, __builtin_fmax)
BITLINE_LESS(double, float, double, __builtin_fmin, __builtin_fmax)
BITLINE_LESS(double, double, float, __builtin_fmin, __builtin_fmax)

namespace std {
#define BITLINE_USES(name) using ::name;
BITLINE_ALL(BITLINE_USES, BITLINE_USES, BITLINE_USES)
using ::abs;
using ::fma;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::pow;
using ::signbit;
}
