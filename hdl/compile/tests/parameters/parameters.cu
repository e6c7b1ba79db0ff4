// Structures that are handed to kernels by value, with fields that are indexed by what a thread computes: clang takes
// the address of the parameter and reads it there. scripts/cuda-ptx.sh makes the .ptx files.
#include "cuda_runtime.h"

struct Numbers {
    double whole;
    int words[8];
    unsigned char bytes[9];
    short halves[3];
    float parts[2][2];
};

struct Pointers {
    const int *from[3];
    unsigned long long wide[2];
};

static __device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }

// A field of each width, at a place of each thread's own, behind a parameter that is a byte.
extern "C" __global__ void fields(char sign, Numbers s, int *out) {
    int i = self();
    int sum = s.words[i & 7] + 1000 * s.bytes[i % 9] + sign * s.halves[i % 3];
    out[i] = sum + (int)(s.parts[i & 1][i >> 1 & 1] * 4) + (int)s.whole;
}

// Places that are the same for all threads, in a loop, some of which only some threads take.
extern "C" __global__ void loops(Numbers s, int count, int *out) {
    int i = self(), sum = 0;
    for (int at = 0; at < count; at++) {
        sum += s.words[at & 7] * at;
        if (at & i)
            sum ^= s.halves[at % 3];
    }
    out[i] = sum;
}

// Pointers and numbers of 64 bits among them.
extern "C" __global__ void pointers(Pointers s, unsigned long long *out) {
    int i = self();
    out[i] = s.wide[i & 1] + s.from[i % 3][i];
}

// Two structures, and one that is changed: it is the thread's own from there on.
extern "C" __global__ void several(Numbers s, Numbers t, int *out) {
    int i = self();
    const Numbers *one = i & 1 ? &s : &t;
    int sum = one->words[i >> 1 & 7] - t.words[i & 3];
    s.words[i & 7] += 5;
    out[i] = sum + 16 * s.words[2] + s.words[i >> 2 & 7];
}
