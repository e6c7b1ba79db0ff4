/* Functions of integers: bits, upper halves of products, the smaller and the larger one. */
#pragma once
#pragma clang system_header

BITLINE_DEVICE int __popc(unsigned bits) { return __builtin_popcount(bits); }
BITLINE_DEVICE int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
BITLINE_DEVICE int __clz(int bits) { return bits ? __builtin_clz((unsigned)bits) : 32; }
BITLINE_DEVICE int __clzll(long long bits) { return bits ? __builtin_clzll((unsigned long long)bits) : 64; }
/* The lowest bit that is set, counted from 1; 0 if none is. */
BITLINE_DEVICE int __ffs(int bits) { return bits ? __builtin_ctz((unsigned)bits) + 1 : 0; }
BITLINE_DEVICE int __ffsll(long long bits) { return bits ? __builtin_ctzll((unsigned long long)bits) + 1 : 0; }
BITLINE_DEVICE unsigned __brev(unsigned bits) { return __builtin_bitreverse32(bits); }
BITLINE_DEVICE unsigned long long __brevll(unsigned long long bits) { return __builtin_bitreverse64(bits); }
/* Four bytes of eight: of each, three bits of the selector say which, and a fourth one that its sign fills the byte. */
BITLINE_DEVICE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    unsigned bytes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(selector & 0x7777));
    return bytes;
}
/* 32 bits of 64 that are shifted: the amount modulo 32, or at most 32 (lc, rc). */
#define BITLINE_FUNNEL(name, instruction) \
    BITLINE_DEVICE unsigned name(unsigned low, unsigned high, unsigned amount) \
    { \
        unsigned bits; \
        asm(instruction " %0, %1, %2, %3;" : "=r"(bits) : "r"(low), "r"(high), "r"(amount)); \
        return bits; \
    }
BITLINE_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
BITLINE_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
BITLINE_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
BITLINE_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")

BITLINE_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
BITLINE_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
BITLINE_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
BITLINE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
BITLINE_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
BITLINE_DEVICE unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
BITLINE_DEVICE unsigned __sad(int a, int b, unsigned sum) { return __nvvm_sad_i(a, b, (int)sum); }
BITLINE_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned sum) { return __nvvm_sad_ui(a, b, sum); }
/* The mean of two: downwards, and upwards. */
BITLINE_DEVICE int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
BITLINE_DEVICE int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
BITLINE_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
BITLINE_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }

#define BITLINE_ORDER(type, first, second) \
    BITLINE_BOTH type min(first a, second b) { return (type)b < (type)a ? (type)b : (type)a; } \
    BITLINE_BOTH type max(first a, second b) { return (type)a < (type)b ? (type)b : (type)a; }
#define BITLINE_ORDERS(type) \
    BITLINE_ORDER(type, type, type) \
    BITLINE_ORDER(unsigned type, unsigned type, unsigned type) \
    BITLINE_ORDER(unsigned type, type, unsigned type) \
    BITLINE_ORDER(unsigned type, unsigned type, type)
BITLINE_ORDERS(int)
BITLINE_ORDERS(long)
BITLINE_ORDERS(long long)
