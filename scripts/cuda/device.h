/* What kernels use of CUDA: places of functions and variables, coordinates, barriers, atomic operations, mathematics.
 * cuda_runtime.h includes it; clang's builtins are all that it needs. */
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define BITLINE_DEVICE static __device__ __forceinline__
#define BITLINE_BOTH static __host__ __device__ __forceinline__

/* A coordinate is read where it is named, so that unused ones cost nothing. */
#define BITLINE_AXES(type, prefix) \
    struct type { \
        __declspec(property(get = get_x)) unsigned x; \
        __declspec(property(get = get_y)) unsigned y; \
        __declspec(property(get = get_z)) unsigned z; \
        __device__ inline unsigned get_x() const { return prefix##_x(); } \
        __device__ inline unsigned get_y() const { return prefix##_y(); } \
        __device__ inline unsigned get_z() const { return prefix##_z(); } \
        __device__ inline operator dim3() const { return dim3(get_x(), get_y(), get_z()); } \
    }
BITLINE_AXES(bitline_tid, __nvvm_read_ptx_sreg_tid);
BITLINE_AXES(bitline_ctaid, __nvvm_read_ptx_sreg_ctaid);
BITLINE_AXES(bitline_ntid, __nvvm_read_ptx_sreg_ntid);
BITLINE_AXES(bitline_nctaid, __nvvm_read_ptx_sreg_nctaid);
extern const __device__ __attribute__((weak)) bitline_tid threadIdx;
extern const __device__ __attribute__((weak)) bitline_ctaid blockIdx;
extern const __device__ __attribute__((weak)) bitline_ntid blockDim;
extern const __device__ __attribute__((weak)) bitline_nctaid gridDim;

/* __syncthreads() is clang's own builtin. Threads run in step, and see what others have written. */
BITLINE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
BITLINE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }

/* Barriers that tell how many threads of the block say yes, whether all do, whether any does. */
BITLINE_DEVICE int __syncthreads_count(int vote) { return __nvvm_bar0_popc(vote); }
BITLINE_DEVICE int __syncthreads_and(int vote) { return __nvvm_bar0_and(vote); }
BITLINE_DEVICE int __syncthreads_or(int vote) { return __nvvm_bar0_or(vote); }

/* A thread that stops everything: the call that launched the kernel, or waits for it, gets cudaErrorLaunchFailure, and
 * the standard error the thread and the line of PTX. What clang does not know to be the end leaves the others on their
 * way. Where assert() of <assert.h> fails in a kernel, the call gets cudaErrorAssert; text, file and line of the
 * assertion stay behind. */
BITLINE_DEVICE void __trap() { asm volatile("trap;"); }
extern "C" {
__device__ void __assertfail(void);
BITLINE_DEVICE void __assert_fail(const char *, const char *, unsigned, const char *) { __assertfail(); }
}

/* Which memory a pointer leads to. */
#define BITLINE_SPACE(name, space) \
    BITLINE_DEVICE unsigned name(const void *pointer) { return __nvvm_isspacep_##space(pointer); }
BITLINE_SPACE(__isGlobal, global)
BITLINE_SPACE(__isShared, shared)
BITLINE_SPACE(__isConstant, const)
BITLINE_SPACE(__isLocal, local)

/* Warps: 32 neighbours by their numbers in the block. The mask names those that take part; all of them must be there. */
#define warpSize 32
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
BITLINE_DEVICE int __popc(unsigned bits) { return __builtin_popcount(bits); }
BITLINE_DEVICE int __clz(int bits) { return bits ? __builtin_clz((unsigned)bits) : 32; }

BITLINE_DEVICE int atomicAdd(int *place, int value) { return __nvvm_atom_add_gen_i(place, value); }
BITLINE_DEVICE unsigned atomicAdd(unsigned *place, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)place, (int)value);
}
BITLINE_DEVICE float atomicAdd(float *place, float value) { return __nvvm_atom_add_gen_f(place, value); }
BITLINE_DEVICE unsigned long long atomicAdd(unsigned long long *place, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)place, (long long)value);
}
BITLINE_DEVICE double atomicAdd(double *place, double value)
{
    /* clang has no name for it where an architecture as old as that of the flags is meant. */
    double old;
    if (sizeof place == 8)
        __asm__ volatile("atom.add.f64 %0, [%1], %2;"
                         : "=d"(old) : "l"((unsigned long long)place), "d"(value) : "memory");
    else
        __asm__ volatile("atom.add.f64 %0, [%1], %2;"
                         : "=d"(old) : "r"((unsigned)(unsigned long long)place), "d"(value) : "memory");
    return old;
}
/* One more, and 0 behind the limit; one less, and the limit below 0. */
BITLINE_DEVICE unsigned atomicInc(unsigned *place, unsigned limit) { return __nvvm_atom_inc_gen_ui(place, limit); }
BITLINE_DEVICE unsigned atomicDec(unsigned *place, unsigned limit) { return __nvvm_atom_dec_gen_ui(place, limit); }
BITLINE_DEVICE int atomicSub(int *place, int value) { return __nvvm_atom_add_gen_i(place, -value); }
BITLINE_DEVICE unsigned atomicSub(unsigned *place, unsigned value) { return atomicAdd(place, 0u - value); }
BITLINE_DEVICE int atomicMin(int *place, int value) { return __nvvm_atom_min_gen_i(place, value); }
BITLINE_DEVICE unsigned atomicMin(unsigned *place, unsigned value) { return __nvvm_atom_min_gen_ui(place, value); }
BITLINE_DEVICE long long atomicMin(long long *place, long long value) { return __nvvm_atom_min_gen_ll(place, value); }
BITLINE_DEVICE unsigned long long atomicMin(unsigned long long *place, unsigned long long value)
{
    return __nvvm_atom_min_gen_ull(place, value);
}
BITLINE_DEVICE int atomicMax(int *place, int value) { return __nvvm_atom_max_gen_i(place, value); }
BITLINE_DEVICE unsigned atomicMax(unsigned *place, unsigned value) { return __nvvm_atom_max_gen_ui(place, value); }
BITLINE_DEVICE long long atomicMax(long long *place, long long value) { return __nvvm_atom_max_gen_ll(place, value); }
BITLINE_DEVICE unsigned long long atomicMax(unsigned long long *place, unsigned long long value)
{
    return __nvvm_atom_max_gen_ull(place, value);
}
/* What is the same for numbers with and without a sign. */
#define BITLINE_ATOMIC_BITS(name, builtin) \
    BITLINE_DEVICE int name(int *place, int value) { return builtin##_i(place, value); } \
    BITLINE_DEVICE unsigned name(unsigned *place, unsigned value) \
    { \
        return (unsigned)builtin##_i((int *)place, (int)value); \
    } \
    BITLINE_DEVICE unsigned long long name(unsigned long long *place, unsigned long long value) \
    { \
        return (unsigned long long)builtin##_ll((long long *)place, (long long)value); \
    }
BITLINE_ATOMIC_BITS(atomicAnd, __nvvm_atom_and_gen)
BITLINE_ATOMIC_BITS(atomicOr, __nvvm_atom_or_gen)
BITLINE_ATOMIC_BITS(atomicXor, __nvvm_atom_xor_gen)
BITLINE_ATOMIC_BITS(atomicExch, __nvvm_atom_xchg_gen)
BITLINE_DEVICE float atomicExch(float *place, float value)
{
    return __nvvm_bitcast_i2f(__nvvm_atom_xchg_gen_i((int *)place, __nvvm_bitcast_f2i(value)));
}
BITLINE_DEVICE int atomicCAS(int *place, int expected, int value)
{
    return __nvvm_atom_cas_gen_i(place, expected, value);
}
BITLINE_DEVICE unsigned atomicCAS(unsigned *place, unsigned expected, unsigned value)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)place, (int)expected, (int)value);
}
BITLINE_DEVICE unsigned long long atomicCAS(unsigned long long *place, unsigned long long expected,
                                            unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)place, (long long)expected, (long long)value);
}

BITLINE_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
/* Functions in one instruction each, and what follows from them: functions without underlines are CUDA's fast ones.
 * docs/cuda.md has their errors. */
BITLINE_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
BITLINE_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
BITLINE_DEVICE float log2f(float x) { return __nvvm_lg2_approx_f(x); }
BITLINE_DEVICE float __log2f(float x) { return log2f(x); }
BITLINE_DEVICE float __expf(float x) { return exp2f(x * 1.44269504f); }
BITLINE_DEVICE float __logf(float x) { return log2f(x) * 0.693147182f; }
BITLINE_DEVICE float __powf(float x, float y) { return exp2f(y * log2f(x)); }
BITLINE_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
BITLINE_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
BITLINE_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
BITLINE_DEVICE float __tanhf(float x)
{
    /* clang has no name for it where an architecture as old as that of the flags is meant. */
    float result;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
BITLINE_DEVICE float sinf(float x) { return __sinf(x); }
BITLINE_DEVICE float cosf(float x) { return __cosf(x); }
BITLINE_DEVICE float tanf(float x) { return __tanf(x); }
BITLINE_DEVICE float tanhf(float x) { return __tanhf(x); }
BITLINE_DEVICE void sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
BITLINE_DEVICE float expf(float x) { return __expf(x); }
BITLINE_DEVICE float logf(float x) { return __logf(x); }
BITLINE_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
BITLINE_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
BITLINE_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
BITLINE_DEVICE float floorf(float x) { return __builtin_floorf(x); }
BITLINE_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
BITLINE_DEVICE float truncf(float x) { return __builtin_truncf(x); }
BITLINE_DEVICE float rintf(float x) { return __builtin_rintf(x); }
BITLINE_BOTH int min(int a, int b) { return b < a ? b : a; }
BITLINE_BOTH int max(int a, int b) { return a < b ? b : a; }
BITLINE_BOTH unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
BITLINE_BOTH unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
BITLINE_DEVICE int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
BITLINE_DEVICE int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
BITLINE_DEVICE float __int2float_rn(int x) { return __nvvm_i2f_rn(x); }
BITLINE_DEVICE int __float_as_int(float x) { return __nvvm_bitcast_f2i(x); }
BITLINE_DEVICE float __int_as_float(int x) { return __nvvm_bitcast_i2f(x); }
template <class T> BITLINE_DEVICE T __ldg(const T *place) { return *place; }
