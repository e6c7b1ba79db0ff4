/* What the kernels of this folder use of CUDA, for clang alone: no SDK, no other header.
 *
 * Threads and blocks by their usual names (threadIdx.x ...), __syncthreads, and the few functions that become one
 * instruction each. scripts/cuda-ptx.sh compiles with it. */
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define KERNEL extern "C" __global__ void

/* A coordinate is read where it is named, so that unused ones cost nothing. */
#define BITLINE_AXES(type, prefix) \
    struct type { \
        __declspec(property(get = get_x)) unsigned x; \
        __declspec(property(get = get_y)) unsigned y; \
        __declspec(property(get = get_z)) unsigned z; \
        __device__ inline unsigned get_x() const { return prefix##_x(); } \
        __device__ inline unsigned get_y() const { return prefix##_y(); } \
        __device__ inline unsigned get_z() const { return prefix##_z(); } \
    }
BITLINE_AXES(bitline_tid, __nvvm_read_ptx_sreg_tid);
BITLINE_AXES(bitline_ctaid, __nvvm_read_ptx_sreg_ctaid);
BITLINE_AXES(bitline_ntid, __nvvm_read_ptx_sreg_ntid);
BITLINE_AXES(bitline_nctaid, __nvvm_read_ptx_sreg_nctaid);
extern const __device__ __attribute__((weak)) bitline_tid threadIdx;
extern const __device__ __attribute__((weak)) bitline_ctaid blockIdx;
extern const __device__ __attribute__((weak)) bitline_ntid blockDim;
extern const __device__ __attribute__((weak)) bitline_nctaid gridDim;

static __device__ inline int atomicAdd(int *place, int value) { return __nvvm_atom_add_gen_i(place, value); }
static __device__ inline int atomicMin(int *place, int value) { return __nvvm_atom_min_gen_i(place, value); }
static __device__ inline float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
static __device__ inline float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
static __device__ inline float fabsf(float x) { return __builtin_fabsf(x); }
