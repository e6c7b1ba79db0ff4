/* What kernels use of CUDA: places of functions and variables, coordinates and barriers are here, functions in the
 * folder of the same name. cuda_runtime.h includes it; clang's builtins are all that it needs. */
#pragma once
#pragma clang system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
/* Lines of these functions are those that call them. */
#define BITLINE_DEVICE static __device__ __forceinline__ __attribute__((nodebug))
#define BITLINE_PLAIN __host__ __device__ __forceinline__ __attribute__((nodebug))
#define BITLINE_BOTH static __host__ __device__ __forceinline__ __attribute__((nodebug))

/* A coordinate is read where it is named, so that unused ones cost nothing. */
#define BITLINE_INSIDE __device__ inline __attribute__((nodebug))
#define BITLINE_AXES(type, prefix) \
    struct type { \
        __declspec(property(get = get_x)) unsigned x; \
        __declspec(property(get = get_y)) unsigned y; \
        __declspec(property(get = get_z)) unsigned z; \
        BITLINE_INSIDE unsigned get_x() const { return prefix##_x(); } \
        BITLINE_INSIDE unsigned get_y() const { return prefix##_y(); } \
        BITLINE_INSIDE unsigned get_z() const { return prefix##_z(); } \
        BITLINE_INSIDE operator dim3() const { return dim3(get_x(), get_y(), get_z()); } \
        BITLINE_INSIDE operator uint3() const { return uint3{get_x(), get_y(), get_z()}; } \
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
BITLINE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

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

/* Bytes: loads and stores where clang knows how many, loops otherwise. */
BITLINE_DEVICE void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
BITLINE_DEVICE void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
BITLINE_DEVICE void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }

template <class T> BITLINE_DEVICE T __ldg(const T *place) { return *place; }

#include "device/warp.h"
#include "device/atomic.h"
#include "device/convert.h"
#include "device/integer.h"
#include "device/single.h"
#include "device/double.h"
#include "device/powers.h"
#include "device/overloads.h"
