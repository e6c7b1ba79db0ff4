/* Two to four numbers, and sizes of grids and blocks. */
#pragma once
#pragma clang system_header

/* Those of two and of four lie at multiples of their size, up to 16 bytes, so that they move as one. */
#define BITLINE_VECTORS(name, type, two, four) \
    typedef struct name##1 { type x; } name##1; \
    typedef struct __attribute__((aligned(two))) name##2 { type x, y; } name##2; \
    typedef struct name##3 { type x, y, z; } name##3; \
    typedef struct __attribute__((aligned(four))) name##4 { type x, y, z, w; } name##4;
BITLINE_VECTORS(char, signed char, 2, 4)
BITLINE_VECTORS(uchar, unsigned char, 2, 4)
BITLINE_VECTORS(short, short, 4, 8)
BITLINE_VECTORS(ushort, unsigned short, 4, 8)
BITLINE_VECTORS(int, int, 8, 16)
BITLINE_VECTORS(uint, unsigned, 8, 16)
BITLINE_VECTORS(long, long, 2 * sizeof(long), 16)
BITLINE_VECTORS(ulong, unsigned long, 2 * sizeof(long), 16)
BITLINE_VECTORS(longlong, long long, 16, 16)
BITLINE_VECTORS(ulonglong, unsigned long long, 16, 16)
BITLINE_VECTORS(float, float, 8, 16)
BITLINE_VECTORS(double, double, 16, 16)

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __attribute__((host)) __attribute__((device)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z)
    {
    }
    __attribute__((host)) __attribute__((device)) constexpr dim3(uint3 sides) : x(sides.x), y(sides.y), z(sides.z) {}
    __attribute__((host)) __attribute__((device)) constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;
