// Functions that stay functions, for tests of calls: compiled with CALLED they are called, else they become part of
// their kernels by clang itself. scripts/cuda-ptx.sh makes the .ptx files.
#include "cuda_runtime.h"

#ifdef CALLED
#define FUNCTION static __device__ __noinline__
#else
#define FUNCTION static __device__ __forceinline__
#endif

struct Pair {
    float x;
    int y;
};

struct Mixed {
    char a;
    short b;
    double c;
    int d[3];
};

struct Bytes {
    unsigned char b[3];
};

// Several returns, one from within a loop.
FUNCTION int collatz(unsigned x, int most) {
    if (x == 0)
        return -1;
    for (int steps = 0; steps < most; steps++) {
        if (x == 1)
            return steps;
        x = x & 1 ? 3 * x + 1 : x / 2;
    }
    return most;
}

extern "C" __global__ void returns(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int steps = collatz(in[i] & 31, n);
    if (in[i] & 1)
        steps = steps * 100 + collatz(steps, 7);
    out[i] = steps;
}

// Structures of floating-point numbers and integers, in and out; a function that calls another.
FUNCTION Pair scaled(Pair p, float by) {
    if (p.y < 3)
        return Pair{p.x - by, 3};
    return Pair{p.x * by, p.y + 1};
}

FUNCTION Pair both(Pair p, Pair q) {
    Pair s = scaled(p, 2), t = scaled(q, 0.5f);
    return Pair{s.x + t.x, s.y ^ t.y};
}

extern "C" __global__ void pairs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair p = {(float)(in[i] & 255), in[i] & 7}, q = {(float)n, in[i] >> 28};
    for (int k = 0; k < n; k++)
        p = both(p, q);
    out[i] = (int)p.x + p.y;
}

// Members of every width.
FUNCTION Mixed mixed(int x) {
    Mixed m;
    m.a = x;
    m.b = x >> 8;
    m.c = x & 0xffff;
    m.d[0] = x;
    m.d[1] = x * 3;
    m.d[2] = x >> 1;
    return m;
}

FUNCTION int sum(Mixed m, bool negative, unsigned short more, long long wide) {
    int all = m.a + m.b + (int)m.c + m.d[0] + m.d[1] + m.d[2] + more + (int)(wide >> 20);
    return negative ? -all : all;
}

FUNCTION Bytes turned(Bytes b) {
    return Bytes{{b.b[2], b.b[0], b.b[1]}};
}

extern "C" __global__ void structs(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Mixed m = mixed(in[i]);
    m.d[1] += n;
    int all = sum(m, in[i] & 2, in[i] >> 3, (long long)in[i] * n);
    Bytes b = turned(Bytes{{(unsigned char)in[i], (unsigned char)n, 7}});
    out[i] = all + b.b[0] + 2 * b.b[1] + 4 * b.b[2];
}

// Pointers to global and shared memory, a reference to a local variable.
FUNCTION void put(int *at, int value) {
    *at = value;
}

FUNCTION void swapped(int &a, int &b) {
    int old = a;
    a = b;
    b = old;
}

extern "C" __global__ void pointers(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = in[i], b = n + i;
    put(tile + threadIdx.x, a);
    if (a & 1)
        swapped(a, b);
    put(out + i, a - 2 * b);
}

// A barrier inside, called in a loop.
FUNCTION int neighbour(int *tile, int value, int distance) {
    tile[threadIdx.x] = value;
    __syncthreads();
    int other = tile[(threadIdx.x + distance) % blockDim.x];
    __syncthreads();
    return other;
}

extern "C" __global__ void barriers(const int *in, int *out, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int k = 1; k <= n; k++)
        x += neighbour(tile, x, k);
    out[i] = x;
}

// Warps: who brings the same value, and whether all do.
FUNCTION int rank(int value) {
    return __popc(__match_any_sync(0xffffffff, value) & ((1u << threadIdx.x % 32) - 1));
}

FUNCTION bool same(long long value) {
    int all;
    unsigned lanes = __match_all_sync(0xffffffff, value, &all);
    return all && lanes;
}

extern "C" __global__ void matches(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = rank(in[i] & 3);
    for (int k = 0; k < n; k += 3)
        x = 2 * x + (same(x >> k) ? 1 : 0);
    out[i] = x;
}

// An array in local memory, at places that are computed: in words there is none.
FUNCTION int picked(Mixed m, int k) {
    return m.d[k];
}

extern "C" __global__ void computed(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = picked(mixed(in[i]), (in[i] & 15) % 3) + n;
}
