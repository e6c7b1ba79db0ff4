// Numbers that clang has instructions of their own for: integers of 128 bits, carries, 16-bit floats one by one and in
// pairs, rounding in a direction, reductions over a barrier. scripts/cuda-ptx.sh makes the .ptx file, for sm_90.
#include "cuda_runtime.h"

typedef unsigned __int128 Wide;
typedef _Float16 Half2 __attribute__((ext_vector_type(2)));
typedef __bf16 Brain2 __attribute__((ext_vector_type(2)));

static __device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void wide(const Wide *a, const Wide *b, Wide *out) {
    int i = self();
    Wide x = a[i], y = b[i];
    out[4 * i] = x + y;
    out[4 * i + 1] = x - y;
    out[4 * i + 2] = x * y;
    out[4 * i + 3] = (__int128)x < (__int128)y ? x >> (y & 127) : y << (x & 127);
}

extern "C" __global__ void halves(const Half2 *a, const Half2 *b, Half2 *out) {
    int i = self();
    out[3 * i] = a[i] * b[i] + a[i];
    out[3 * i + 1] = -a[i] - b[i];
    out[3 * i + 2] = a[i] * (Half2){(_Float16)0.5f, (_Float16)3.0f};
}

extern "C" __global__ void brains(const Brain2 *a, const Brain2 *b, Brain2 *out) {
    int i = self();
    out[3 * i] = a[i] * b[i] + a[i];
    out[3 * i + 1] = a[i] + b[i];
    __bf16 x = a[i].x, y = b[i].y;
    out[3 * i + 2] = (Brain2){x < y ? x : -y, (__bf16)((float)x * 0.1f)};
}

extern "C" __global__ void directed(const double *a, const double *b, double *out) {
    int i = self();
    out[4 * i] = __nvvm_add_rz_d(a[i], b[i]);
    out[4 * i + 1] = __nvvm_fma_rp_d(a[i], b[i], b[i]);
    out[4 * i + 2] = __nvvm_div_rm_d(a[i], b[i]);
    out[4 * i + 3] = __nvvm_sqrt_rp_d(b[i]);
}

extern "C" __global__ void counted(const int *a, int *out) {
    int i = self();
    out[3 * i] = __syncthreads_count(a[i] & 1);
    out[3 * i + 1] = __syncthreads_and(a[i] & 6);
    out[3 * i + 2] = __syncthreads_or(a[i] & 1024);
}

// Sums in memory, in the order of threads: single numbers, beside one that stays, and pairs.
extern "C" __global__ void summed(const unsigned *a, unsigned *sums, unsigned *out) {
    int i = self();
    unsigned short *half = (unsigned short *)sums + 1, old;
    unsigned pair;
    asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(half), "h"((unsigned short)a[i]));
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(pair) : "l"(sums + 1), "r"(a[i]));
    asm volatile("red.gpu.global.add.noftz.bf16x2 [%0+8], %1;" : : "l"(sums), "r"(a[i]));
    out[2 * i] = old;
    out[2 * i + 1] = pair;
}
