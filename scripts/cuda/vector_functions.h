/* Makes vectors of numbers, on host and device. */
#pragma once
#pragma clang system_header
#include "vector_types.h"

#ifdef __cplusplus
#define BITLINE_MAKES static inline __attribute__((host, device, always_inline))
#else
#define BITLINE_MAKES static inline
#endif
#define BITLINE_MAKE(name, type) \
    BITLINE_MAKES name##1 make_##name##1(type x) { name##1 made = {x}; return made; } \
    BITLINE_MAKES name##2 make_##name##2(type x, type y) { name##2 made = {x, y}; return made; } \
    BITLINE_MAKES name##3 make_##name##3(type x, type y, type z) { name##3 made = {x, y, z}; return made; } \
    BITLINE_MAKES name##4 make_##name##4(type x, type y, type z, type w) \
    { \
        name##4 made = {x, y, z, w}; \
        return made; \
    }
BITLINE_MAKE(char, signed char)
BITLINE_MAKE(uchar, unsigned char)
BITLINE_MAKE(short, short)
BITLINE_MAKE(ushort, unsigned short)
BITLINE_MAKE(int, int)
BITLINE_MAKE(uint, unsigned)
BITLINE_MAKE(long, long)
BITLINE_MAKE(ulong, unsigned long)
BITLINE_MAKE(longlong, long long)
BITLINE_MAKE(ulonglong, unsigned long long)
BITLINE_MAKE(float, float)
BITLINE_MAKE(double, double)
