/* What kernels in OpenCL C use: work items, barriers, atomic operations, mathematics, vectors in memory. clang declares
 * these functions and has no bodies for them; with -cl-no-stdinc it declares none, so that what is missing here is an
 * error of clang's with the line of the source. Types and constants are those of clang's own header.
 *
 * A function is written for single numbers, and BITLINE_VECTORS makes it one of vectors, half by half. */
#pragma once
/* Warnings are for who writes kernels. */
#pragma clang system_header
#include <opencl-c-base.h>

/* Lines of these functions are those that call them. */
#define BITLINE_CL static inline __attribute__((overloadable, always_inline, nodebug))

/* NAME of vectors: R are results, A, B and C operands. */
#define BITLINE_VECTORS1(R, name, A) \
    BITLINE_CL R##2 name(A##2 a) { return (R##2)(name(a.x), name(a.y)); } \
    BITLINE_CL R##3 name(A##3 a) { return (R##3)(name(a.xy), name(a.z)); } \
    BITLINE_CL R##4 name(A##4 a) { return (R##4)(name(a.lo), name(a.hi)); } \
    BITLINE_CL R##8 name(A##8 a) { return (R##8)(name(a.lo), name(a.hi)); } \
    BITLINE_CL R##16 name(A##16 a) { return (R##16)(name(a.lo), name(a.hi)); }
#define BITLINE_VECTORS2(R, name, A, B) \
    BITLINE_CL R##2 name(A##2 a, B##2 b) { return (R##2)(name(a.x, b.x), name(a.y, b.y)); } \
    BITLINE_CL R##3 name(A##3 a, B##3 b) { return (R##3)(name(a.xy, b.xy), name(a.z, b.z)); } \
    BITLINE_CL R##4 name(A##4 a, B##4 b) { return (R##4)(name(a.lo, b.lo), name(a.hi, b.hi)); } \
    BITLINE_CL R##8 name(A##8 a, B##8 b) { return (R##8)(name(a.lo, b.lo), name(a.hi, b.hi)); } \
    BITLINE_CL R##16 name(A##16 a, B##16 b) { return (R##16)(name(a.lo, b.lo), name(a.hi, b.hi)); }
#define BITLINE_VECTORS3(R, name, A, B, C) \
    BITLINE_CL R##2 name(A##2 a, B##2 b, C##2 c) { return (R##2)(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); } \
    BITLINE_CL R##3 name(A##3 a, B##3 b, C##3 c) { return (R##3)(name(a.xy, b.xy, c.xy), name(a.z, b.z, c.z)); } \
    BITLINE_CL R##4 name(A##4 a, B##4 b, C##4 c) { return (R##4)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); } \
    BITLINE_CL R##8 name(A##8 a, B##8 b, C##8 c) { return (R##8)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); } \
    BITLINE_CL R##16 name(A##16 a, B##16 b, C##16 c) \
    { \
        return (R##16)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); \
    }
/* Functions of one, two or three operands of one type, from an expression of a, b and c. */
#define BITLINE_ONE(R, name, T, value) \
    BITLINE_CL R name(T a) { return value; } \
    BITLINE_VECTORS1(R, name, T)
#define BITLINE_TWO(R, name, T, value) \
    BITLINE_CL R name(T a, T b) { return value; } \
    BITLINE_VECTORS2(R, name, T, T)
#define BITLINE_THREE(T, name, value) \
    BITLINE_CL T name(T a, T b, T c) { return value; } \
    BITLINE_VECTORS3(T, name, T, T, T)
/* The same with one number for all elements in place of the last vectors. */
#define BITLINE_WIDTHS(make, T) make(T, T##2) make(T, T##3) make(T, T##4) make(T, T##8) make(T, T##16)

/* Work items. A grid begins at 0, and an axis beyond the third has one item. */
#define BITLINE_AXES(name, of, beyond) \
    BITLINE_CL size_t name(uint axis) { return axis == 0 ? of(x) : axis == 1 ? of(y) : axis == 2 ? of(z) : (beyond); }
#define BITLINE_TID(axis) (size_t)__nvvm_read_ptx_sreg_tid_##axis()
#define BITLINE_NTID(axis) (size_t)__nvvm_read_ptx_sreg_ntid_##axis()
#define BITLINE_CTAID(axis) (size_t)__nvvm_read_ptx_sreg_ctaid_##axis()
#define BITLINE_NCTAID(axis) (size_t)__nvvm_read_ptx_sreg_nctaid_##axis()
#define BITLINE_ID(axis) \
    (size_t)(uint)(__nvvm_read_ptx_sreg_ctaid_##axis() * __nvvm_read_ptx_sreg_ntid_##axis() + \
                   __nvvm_read_ptx_sreg_tid_##axis())
#define BITLINE_SIZE(axis) (size_t)(uint)(__nvvm_read_ptx_sreg_nctaid_##axis() * __nvvm_read_ptx_sreg_ntid_##axis())
BITLINE_AXES(get_local_id, BITLINE_TID, 0)
BITLINE_AXES(get_local_size, BITLINE_NTID, 1)
BITLINE_AXES(get_enqueued_local_size, BITLINE_NTID, 1)
BITLINE_AXES(get_group_id, BITLINE_CTAID, 0)
BITLINE_AXES(get_num_groups, BITLINE_NCTAID, 1)
BITLINE_AXES(get_global_id, BITLINE_ID, 0)
BITLINE_AXES(get_global_size, BITLINE_SIZE, 1)
BITLINE_CL size_t get_global_offset(uint axis) { return 0; }
BITLINE_CL size_t get_local_linear_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
BITLINE_CL size_t get_global_linear_id(void)
{
    return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}
/* A launch says how many items an axis has, and not how many axes: those count whose sizes are not 1. */
BITLINE_CL uint get_work_dim(void) { return get_global_size(2) > 1 ? 3 : get_global_size(1) > 1 ? 2 : 1; }

/* Threads run in step, and see what others have written; fences are there for kernels that name them. */
BITLINE_CL void barrier(cl_mem_fence_flags flags) { __syncthreads(); }
BITLINE_CL void work_group_barrier(cl_mem_fence_flags flags) { __syncthreads(); }
BITLINE_CL void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { __syncthreads(); }
BITLINE_CL void mem_fence(cl_mem_fence_flags flags)
{
    if (flags & CLK_GLOBAL_MEM_FENCE)
        __nvvm_membar_gl();
    else
        __nvvm_membar_cta();
}
BITLINE_CL void read_mem_fence(cl_mem_fence_flags flags) { mem_fence(flags); }
BITLINE_CL void write_mem_fence(cl_mem_fence_flags flags) { mem_fence(flags); }

__attribute__((unavailable("kernels cannot print: write to a buffer"))) int printf(__constant const char *format, ...);

/* Atomic operations, which tell what was there before. */
#define BITLINE_ATOMIC(T, space) \
    BITLINE_CL T atomic_add(volatile space T *place, T value) { return __sync_fetch_and_add(place, value); } \
    BITLINE_CL T atomic_sub(volatile space T *place, T value) { return __sync_fetch_and_sub(place, value); } \
    BITLINE_CL T atomic_and(volatile space T *place, T value) { return __sync_fetch_and_and(place, value); } \
    BITLINE_CL T atomic_or(volatile space T *place, T value) { return __sync_fetch_and_or(place, value); } \
    BITLINE_CL T atomic_xor(volatile space T *place, T value) { return __sync_fetch_and_xor(place, value); } \
    BITLINE_CL T atomic_xchg(volatile space T *place, T value) { return __sync_swap(place, value); } \
    BITLINE_CL T atomic_inc(volatile space T *place) { return __sync_fetch_and_add(place, (T)1); } \
    BITLINE_CL T atomic_dec(volatile space T *place) { return __sync_fetch_and_sub(place, (T)1); } \
    BITLINE_CL T atomic_min(volatile space T *place, T value) \
    { \
        return __atomic_fetch_min(place, value, __ATOMIC_RELAXED); \
    } \
    BITLINE_CL T atomic_max(volatile space T *place, T value) \
    { \
        return __atomic_fetch_max(place, value, __ATOMIC_RELAXED); \
    } \
    BITLINE_CL T atomic_cmpxchg(volatile space T *place, T expected, T value) \
    { \
        return __sync_val_compare_and_swap(place, expected, value); \
    }
#define BITLINE_ATOMIC_FLOAT(space) \
    BITLINE_CL float atomic_xchg(volatile space float *place, float value) \
    { \
        return as_float(atomic_xchg((volatile space int *)place, as_int(value))); \
    }
BITLINE_ATOMIC(int, __global)
BITLINE_ATOMIC(int, __local)
BITLINE_ATOMIC(uint, __global)
BITLINE_ATOMIC(uint, __local)
BITLINE_ATOMIC_FLOAT(__global)
BITLINE_ATOMIC_FLOAT(__local)
/* Those of 64 bits, and older programs' of 32, have shorter names. */
BITLINE_ATOMIC(long, __global)
BITLINE_ATOMIC(long, __local)
BITLINE_ATOMIC(ulong, __global)
BITLINE_ATOMIC(ulong, __local)
#define atom_add atomic_add
#define atom_sub atomic_sub
#define atom_and atomic_and
#define atom_or atomic_or
#define atom_xor atomic_xor
#define atom_xchg atomic_xchg
#define atom_inc atomic_inc
#define atom_dec atomic_dec
#define atom_min atomic_min
#define atom_max atomic_max
#define atom_cmpxchg atomic_cmpxchg
/* Those of C11, of atomic_int and its kin. Threads see each other's writes in order, whatever order is asked for. */
#define BITLINE_ORDER memory_order_relaxed, memory_scope_device
#define atomic_init(place, value) __opencl_atomic_init(place, value)
#define atomic_load(place) __opencl_atomic_load(place, BITLINE_ORDER)
#define atomic_store(place, value) __opencl_atomic_store(place, value, BITLINE_ORDER)
#define atomic_exchange(place, value) __opencl_atomic_exchange(place, value, BITLINE_ORDER)
#define atomic_compare_exchange_strong(place, expected, value) \
    __opencl_atomic_compare_exchange_strong(place, expected, value, memory_order_relaxed, BITLINE_ORDER)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_fetch_add(place, value) __opencl_atomic_fetch_add(place, value, BITLINE_ORDER)
#define atomic_fetch_sub(place, value) __opencl_atomic_fetch_sub(place, value, BITLINE_ORDER)
#define atomic_fetch_and(place, value) __opencl_atomic_fetch_and(place, value, BITLINE_ORDER)
#define atomic_fetch_or(place, value) __opencl_atomic_fetch_or(place, value, BITLINE_ORDER)
#define atomic_fetch_xor(place, value) __opencl_atomic_fetch_xor(place, value, BITLINE_ORDER)
#define atomic_fetch_min(place, value) __opencl_atomic_fetch_min(place, value, BITLINE_ORDER)
#define atomic_fetch_max(place, value) __opencl_atomic_fetch_max(place, value, BITLINE_ORDER)

/* Vectors in memory that are aligned as their elements are. */
#define BITLINE_LOADS(T, space) \
    BITLINE_CL T##2 vload2(size_t i, space const T *p) { return (T##2)(p[2 * i], p[2 * i + 1]); } \
    BITLINE_CL T##3 vload3(size_t i, space const T *p) { return (T##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]); } \
    BITLINE_CL T##4 vload4(size_t i, space const T *p) { return (T##4)(vload2(2 * i, p), vload2(2 * i + 1, p)); } \
    BITLINE_CL T##8 vload8(size_t i, space const T *p) { return (T##8)(vload4(2 * i, p), vload4(2 * i + 1, p)); } \
    BITLINE_CL T##16 vload16(size_t i, space const T *p) { return (T##16)(vload8(2 * i, p), vload8(2 * i + 1, p)); }
#define BITLINE_MEMORY(T) \
    BITLINE_LOADS(T, __generic) \
    BITLINE_LOADS(T, __constant) \
    BITLINE_CL void vstore2(T##2 v, size_t i, T *p) { p[2 * i] = v.x, p[2 * i + 1] = v.y; } \
    BITLINE_CL void vstore3(T##3 v, size_t i, T *p) { p[3 * i] = v.x, p[3 * i + 1] = v.y, p[3 * i + 2] = v.z; } \
    BITLINE_CL void vstore4(T##4 v, size_t i, T *p) { vstore2(v.lo, 2 * i, p), vstore2(v.hi, 2 * i + 1, p); } \
    BITLINE_CL void vstore8(T##8 v, size_t i, T *p) { vstore4(v.lo, 2 * i, p), vstore4(v.hi, 2 * i + 1, p); } \
    BITLINE_CL void vstore16(T##16 v, size_t i, T *p) { vstore8(v.lo, 2 * i, p), vstore8(v.hi, 2 * i + 1, p); }

/* Numbers of every type: I and U have as many bits, with and without sign. */
#define BITLINE_BOUNDED(T, V) \
    BITLINE_CL V min(V a, T b) { return min(a, (V)(b)); } \
    BITLINE_CL V max(V a, T b) { return max(a, (V)(b)); } \
    BITLINE_CL V clamp(V a, T b, T c) { return clamp(a, (V)(b), (V)(c)); }
/* Of vectors the highest bit of each element chooses. */
#define BITLINE_SELECT(T, C) \
    BITLINE_CL T select(T a, T b, C c) { return c ? b : a; } \
    BITLINE_CL T##2 select(T##2 a, T##2 b, C##2 c) { return c ? b : a; } \
    BITLINE_CL T##3 select(T##3 a, T##3 b, C##3 c) { return c ? b : a; } \
    BITLINE_CL T##4 select(T##4 a, T##4 b, C##4 c) { return c ? b : a; } \
    BITLINE_CL T##8 select(T##8 a, T##8 b, C##8 c) { return c ? b : a; } \
    BITLINE_CL T##16 select(T##16 a, T##16 b, C##16 c) { return c ? b : a; }
#define BITLINE_NUMBER(T, I, U) \
    BITLINE_TWO(T, min, T, b < a ? b : a) \
    BITLINE_TWO(T, max, T, a < b ? b : a) \
    BITLINE_THREE(T, clamp, min(max(a, b), c)) \
    BITLINE_WIDTHS(BITLINE_BOUNDED, T) \
    BITLINE_THREE(T, bitselect, __builtin_astype((U)((__builtin_astype(a, U) & ~__builtin_astype(c, U)) | \
                                                     (__builtin_astype(b, U) & __builtin_astype(c, U))), T)) \
    BITLINE_SELECT(T, I) \
    BITLINE_SELECT(T, U) \
    BITLINE_MEMORY(T)

/* Integers. What has 8 or 16 bits is computed in 32. */
#define BITLINE_BITS(T) (8 * sizeof(T))
#define BITLINE_SATURATE(T, what, beyond) ({ T exact; __builtin_##what##_overflow(a, b, &exact) ? (beyond) : exact; })
#define BITLINE_INTEGER(T, I, U, magnitude, above, below) \
    BITLINE_NUMBER(T, I, U) \
    BITLINE_ONE(U, abs, T, magnitude) \
    BITLINE_TWO(U, abs_diff, T, (U)(a < b ? (U)b - (U)a : (U)a - (U)b)) \
    BITLINE_TWO(T, add_sat, T, BITLINE_SATURATE(T, add, above)) \
    BITLINE_TWO(T, sub_sat, T, BITLINE_SATURATE(T, sub, below)) \
    BITLINE_TWO(T, hadd, T, (T)((a & b) + ((a ^ b) >> 1))) \
    BITLINE_TWO(T, rhadd, T, (T)((a | b) - ((a ^ b) >> 1))) \
    BITLINE_TWO(T, rotate, T, (T)((U)a << (b & BITLINE_BITS(T) - 1) | (U)a >> (-b & BITLINE_BITS(T) - 1))) \
    BITLINE_THREE(T, mad_hi, (T)(mul_hi(a, b) + c)) \
    BITLINE_ONE(T, popcount, T, sizeof a == 8 ? __builtin_popcountl((U)a) : __builtin_popcount((U)a)) \
    BITLINE_ONE(T, clz, T, !a ? BITLINE_BITS(T) : sizeof a == 8 ? __builtin_clzl((U)a) : \
                __builtin_clz((U)a) - (32 - BITLINE_BITS(T))) \
    BITLINE_ONE(T, ctz, T, !a ? BITLINE_BITS(T) : sizeof a == 8 ? __builtin_ctzl((U)a) : __builtin_ctz((U)a))
/* Where a sum is beyond the type, its sign is that of the first operand, and a difference's as well. */
#define BITLINE_LIMIT(T, U) (T)(a < 0 ? ~((U)~(U)0 >> 1) : (U)~(U)0 >> 1)
#define BITLINE_SIGNED(T, U) \
    BITLINE_INTEGER(T, T, U, a < 0 ? (U)0 - (U)a : (U)a, BITLINE_LIMIT(T, U), BITLINE_LIMIT(T, U))
#define BITLINE_UNSIGNED(T, I) BITLINE_INTEGER(T, I, T, a, (T)~(T)0, 0)
BITLINE_TWO(char, mul_hi, char, a * b >> 8)
BITLINE_TWO(uchar, mul_hi, uchar, a * b >> 8)
BITLINE_TWO(short, mul_hi, short, a * b >> 16)
BITLINE_TWO(ushort, mul_hi, ushort, (uint)a * b >> 16)
BITLINE_TWO(int, mul_hi, int, __nvvm_mulhi_i(a, b))
BITLINE_TWO(uint, mul_hi, uint, __nvvm_mulhi_ui(a, b))
BITLINE_TWO(long, mul_hi, long, __nvvm_mulhi_ll(a, b))
BITLINE_TWO(ulong, mul_hi, ulong, __nvvm_mulhi_ull(a, b))
BITLINE_SIGNED(char, uchar)
BITLINE_SIGNED(short, ushort)
BITLINE_SIGNED(int, uint)
BITLINE_SIGNED(long, ulong)
BITLINE_UNSIGNED(uchar, char)
BITLINE_UNSIGNED(ushort, short)
BITLINE_UNSIGNED(uint, int)
BITLINE_UNSIGNED(ulong, long)
/* Factors have 24 bits, or the product is not defined. */
BITLINE_TWO(int, mul24, int, a * b)
BITLINE_TWO(uint, mul24, uint, a * b)
BITLINE_THREE(int, mad24, a * b + c)
BITLINE_THREE(uint, mad24, a * b + c)
#define BITLINE_UPSAMPLE(W, T, U) \
    BITLINE_CL W upsample(T a, U b) { return (W)((W)a << BITLINE_BITS(T) | b); } \
    BITLINE_VECTORS2(W, upsample, T, U)
BITLINE_UPSAMPLE(short, char, uchar)
BITLINE_UPSAMPLE(ushort, uchar, uchar)
BITLINE_UPSAMPLE(int, short, ushort)
BITLINE_UPSAMPLE(uint, ushort, ushort)
BITLINE_UPSAMPLE(long, int, uint)
BITLINE_UPSAMPLE(ulong, uint, uint)
/* Whether the highest bit is set in any element, in all of them. */
#define BITLINE_VOTES(T) \
    BITLINE_CL int any(T a) { return a < 0; } \
    BITLINE_CL int all(T a) { return a < 0; } \
    BITLINE_VOTE(any, T, |) BITLINE_VOTE(all, T, &)
#define BITLINE_VOTE(name, T, with) \
    BITLINE_CL int name(T##2 a) { return name(a.x) with name(a.y); } \
    BITLINE_CL int name(T##3 a) { return name(a.xy) with name(a.z); } \
    BITLINE_CL int name(T##4 a) { return name(a.lo) with name(a.hi); } \
    BITLINE_CL int name(T##8 a) { return name(a.lo) with name(a.hi); } \
    BITLINE_CL int name(T##16 a) { return name(a.lo) with name(a.hi); }
BITLINE_VOTES(char)
BITLINE_VOTES(short)
BITLINE_VOTES(int)
BITLINE_VOTES(long)

#include "opencl_float.h"
