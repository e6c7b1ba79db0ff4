/* What threads of a warp tell each other: 32 neighbours by their numbers in the block. The mask names those that take
 * part; all of them must be there. */
#pragma once
#pragma clang system_header

static constexpr int warpSize = 32;
#define BITLINE_SEGMENT(width, last) ((32 - (width)) << 8 | (last))
BITLINE_DEVICE int __shfl_sync(unsigned mask, int value, int lane, int width = 32)
{
    return __nvvm_shfl_sync_idx_i32(mask, value, lane, BITLINE_SEGMENT(width, 31));
}
BITLINE_DEVICE int __shfl_up_sync(unsigned mask, int value, unsigned delta, int width = 32)
{
    return __nvvm_shfl_sync_up_i32(mask, value, (int)delta, BITLINE_SEGMENT(width, 0));
}
BITLINE_DEVICE int __shfl_down_sync(unsigned mask, int value, unsigned delta, int width = 32)
{
    return __nvvm_shfl_sync_down_i32(mask, value, (int)delta, BITLINE_SEGMENT(width, 31));
}
BITLINE_DEVICE int __shfl_xor_sync(unsigned mask, int value, int bits, int width = 32)
{
    return __nvvm_shfl_sync_bfly_i32(mask, value, bits, BITLINE_SEGMENT(width, 31));
}
#define BITLINE_SHUFFLE(name, type) \
    BITLINE_DEVICE unsigned name(unsigned mask, unsigned value, type from, int width = 32) \
    { \
        return (unsigned)name(mask, (int)value, from, width); \
    } \
    BITLINE_DEVICE float name(unsigned mask, float value, type from, int width = 32) \
    { \
        return __nvvm_bitcast_i2f(name(mask, __nvvm_bitcast_f2i(value), from, width)); \
    }
BITLINE_SHUFFLE(__shfl_sync, int)
BITLINE_SHUFFLE(__shfl_up_sync, unsigned)
BITLINE_SHUFFLE(__shfl_down_sync, unsigned)
BITLINE_SHUFFLE(__shfl_xor_sync, int)
/* 64 bits are two halves. */
#define BITLINE_SHUFFLE_WIDE(name, type, from, to, back) \
    BITLINE_DEVICE type name(unsigned mask, type value, from lane, int width = 32) \
    { \
        unsigned long long bits = (unsigned long long)to(value); \
        unsigned low = name(mask, (unsigned)bits, lane, width); \
        unsigned high = name(mask, (unsigned)(bits >> 32), lane, width); \
        return (type)back((long long)((unsigned long long)high << 32 | low)); \
    }
#define BITLINE_SHUFFLES_WIDE(name, from) \
    BITLINE_SHUFFLE_WIDE(name, long long, from, , ) \
    BITLINE_SHUFFLE_WIDE(name, unsigned long long, from, , ) \
    BITLINE_SHUFFLE_WIDE(name, long, from, , ) \
    BITLINE_SHUFFLE_WIDE(name, unsigned long, from, , ) \
    BITLINE_SHUFFLE_WIDE(name, double, from, __nvvm_bitcast_d2ll, __nvvm_bitcast_ll2d)
BITLINE_SHUFFLES_WIDE(__shfl_sync, int)
BITLINE_SHUFFLES_WIDE(__shfl_up_sync, unsigned)
BITLINE_SHUFFLES_WIDE(__shfl_down_sync, unsigned)
BITLINE_SHUFFLES_WIDE(__shfl_xor_sync, int)
BITLINE_DEVICE int __all_sync(unsigned mask, int vote) { return __nvvm_vote_all_sync(mask, vote != 0); }
BITLINE_DEVICE int __any_sync(unsigned mask, int vote) { return __nvvm_vote_any_sync(mask, vote != 0); }
BITLINE_DEVICE unsigned __ballot_sync(unsigned mask, int vote) { return __nvvm_vote_ballot_sync(mask, vote != 0); }
/* Which lanes bring the same value; clang has no builtins for these that every architecture takes. */
#define BITLINE_MATCH(type, bits, word, register, from) \
    BITLINE_DEVICE unsigned __match_any_sync(unsigned mask, type value) \
    { \
        unsigned lanes; \
        asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(lanes) : register((word)from(value)), "r"(mask)); \
        return lanes; \
    } \
    BITLINE_DEVICE unsigned __match_all_sync(unsigned mask, type value, int *same) \
    { \
        unsigned lanes; \
        asm volatile("{ .reg .pred all; match.all.sync." bits " %0|all, %2, %3; selp.s32 %1, 1, 0, all; }" \
                     : "=r"(lanes), "=r"(*same) : register((word)from(value)), "r"(mask)); \
        return lanes; \
    }
BITLINE_MATCH(int, "b32", unsigned, "r", )
BITLINE_MATCH(unsigned, "b32", unsigned, "r", )
BITLINE_MATCH(float, "b32", unsigned, "r", __nvvm_bitcast_f2i)
BITLINE_MATCH(long long, "b64", unsigned long long, "l", )
BITLINE_MATCH(unsigned long long, "b64", unsigned long long, "l", )
BITLINE_MATCH(double, "b64", unsigned long long, "l", __nvvm_bitcast_d2ll)
BITLINE_DEVICE void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }

/* What all lanes of the mask have, in each of them; clang has builtins for newer architectures only. */
#define BITLINE_REDUCE(name, type, instruction) \
    BITLINE_DEVICE type name(unsigned mask, type value) \
    { \
        type all; \
        asm volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(all) : "r"(value), "r"(mask)); \
        return all; \
    }
BITLINE_REDUCE(__reduce_add_sync, int, "add.s32")
BITLINE_REDUCE(__reduce_add_sync, unsigned, "add.u32")
BITLINE_REDUCE(__reduce_min_sync, int, "min.s32")
BITLINE_REDUCE(__reduce_min_sync, unsigned, "min.u32")
BITLINE_REDUCE(__reduce_max_sync, int, "max.s32")
BITLINE_REDUCE(__reduce_max_sync, unsigned, "max.u32")
BITLINE_REDUCE(__reduce_and_sync, unsigned, "and.b32")
BITLINE_REDUCE(__reduce_or_sync, unsigned, "or.b32")
BITLINE_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
