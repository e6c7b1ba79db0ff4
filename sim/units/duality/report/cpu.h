/* Kernels of CUDA as loops of a CPU: blocks over all cores by OpenMP, threads of a block in loops. The kernels of a .cu
 * file, which stand between this file's head and what follows it, get their place as the argument `it`; others are
 * functions that are called once for a launch, with its blocks and threads. */
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <math.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
using std::max;
using std::min;

struct Index {
    unsigned x, y, z;
};

/* What host code between kernels may name. */
struct dim3 : Index {
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : Index{x, y, z} {}
};

/* A thread's place in a launch. */
struct Thread {
    Index thread, block, threads, blocks;
};

/* An argument: the bits of a number, or memory. */
struct Slot {
    uint64_t bits;
    void *memory;
};

template <class T> struct From {
    static T slot(const Slot &slot)
    {
        T value;
        memcpy(&value, &slot.bits, sizeof value);
        return value;
    }
};
template <class T> struct From<T *> {
    static T *slot(const Slot &slot) { return (T *)slot.memory; }
};

template <auto kernel> struct Call;

/* A function for all of a launch. */
template <class... A, void (*kernel)(Index, Index, A...)> struct Call<kernel> {
    template <size_t... I> static void all(Index blocks, Index threads, const Slot *slots, std::index_sequence<I...>)
    {
        kernel(blocks, threads, From<A>::slot(slots[I])...);
    }
    static void launch(Index blocks, Index threads, const Slot *slots)
    {
        all(blocks, threads, slots, std::index_sequence_for<A...>());
    }
};

/* A function for each thread. */
template <class... A, void (*kernel)(const Thread &, A...)> struct Call<kernel> {
    /* Arguments by value are in registers. */
    static void block(Index block, Index blocks, Index threads, A... arguments)
    {
        for (unsigned z = 0; z < threads.z; z++)
            for (unsigned y = 0; y < threads.y; y++)
                for (unsigned x = 0; x < threads.x; x++)
                    kernel(Thread{{x, y, z}, block, threads, blocks}, arguments...);
    }
    template <size_t... I> static void all(Index blocks, Index threads, const Slot *slots, std::index_sequence<I...>)
    {
#pragma omp parallel for collapse(3) schedule(static)
        for (unsigned z = 0; z < blocks.z; z++)
            for (unsigned y = 0; y < blocks.y; y++)
                for (unsigned x = 0; x < blocks.x; x++)
                    block(Index{x, y, z}, blocks, threads, From<A>::slot(slots[I])...);
    }
    static void launch(Index blocks, Index threads, const Slot *slots)
    {
        all(blocks, threads, slots, std::index_sequence_for<A...>());
    }
};

#define __global__
#define __device__
#define threadIdx it.thread
#define blockIdx it.block
#define blockDim it.threads
#define gridDim it.blocks
