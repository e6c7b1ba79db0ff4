/* What the host's side of the examples shares: calls that are checked, memory of the device, random numbers, and the
 * comparison with the CPU's results, bit by bit.
 *
 * How many threads a block has is a macro of the program, for control blocks that have fewer threads: BLOCK in one
 * dimension, BLOCK_X and BLOCK_Y in two, TILE where a block has a square of TILE x TILE. With all of
 * -DBLOCK=32 -DBLOCK_X=8 -DBLOCK_Y=4 -DTILE=4 no block of any program has more than 32. */
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED(call) checked((call), __FILE__, __LINE__)

static inline void checked(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s (%s)\n", file, line, cudaGetErrorString(error), cudaGetErrorName(error));
    exit(1);
}

/* A kernel has been launched: is it in order? */
static inline void launched(const char *file, int line)
{
    checked(cudaGetLastError(), file, line);
    checked(cudaDeviceSynchronize(), file, line);
}
#define LAUNCHED() launched(__FILE__, __LINE__)

/* Numbers from a seed. */
struct Random {
    unsigned state;

    unsigned next()
    {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return state;
    }
    int below(int most) { return (int)(next() % (unsigned)most); }
    float between(float low, float high) { return low + (high - low) * ((float)(next() >> 8) / 16777216.0f); }
};

static inline float *floats(Random *random, size_t count, float low, float high)
{
    float *made = (float *)malloc(count * sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = random->between(low, high);
    return made;
}

/* Memory of the device: with a copy of an array, or with zeros. */
template <class T> static inline T *room(size_t count)
{
    T *made;
    CHECKED(cudaMalloc(&made, count * sizeof *made));
    CHECKED(cudaMemset(made, 0, count * sizeof *made));
    return made;
}

template <class T> static inline T *upload(const T *from, size_t count)
{
    T *made;
    CHECKED(cudaMalloc(&made, count * sizeof *made));
    CHECKED(cudaMemcpy(made, from, count * sizeof *made, cudaMemcpyHostToDevice));
    return made;
}

/* What the device has left, in memory of the host. */
template <class T> static inline T *download(const T *from, size_t count)
{
    T *made = (T *)malloc(count * sizeof *made);
    CHECKED(cudaMemcpy(made, from, count * sizeof *made, cudaMemcpyDeviceToHost));
    return made;
}

template <class T> static inline T *zeros(size_t count) { return (T *)calloc(count, sizeof(T)); }

template <class T> static inline T *copied(const T *from, size_t count)
{
    T *made = (T *)malloc(count * sizeof *made);
    memcpy(made, from, count * sizeof *made);
    return made;
}

/* 0 if what the device has computed is what the CPU has, bit by bit; it says so. */
template <class T> static inline int same(const char *what, const T *device, const T *expected, size_t count)
{
    T *found = download(device, count);
    int wrong = 0;
    for (size_t i = 0; i < count && !wrong; i++) {
        if (memcmp(&found[i], &expected[i], sizeof(T)) != 0) {
            printf("%s: element %zu is %.9g, and %.9g on the CPU\n", what, i, (double)found[i], (double)expected[i]);
            wrong = 1;
        }
    }
    if (!wrong)
        printf("%s: %zu elements, as on the CPU\n", what, count);
    free(found);
    return wrong;
}

/* 0 if it is that but for a difference, of functions that the device and the CPU's library round differently. */
static inline int near(const char *what, const float *device, const float *expected, size_t count, double bound)
{
    float *found = download(device, count);
    double worst = 0;
    int wrong = 0;
    for (size_t i = 0; i < count && !wrong; i++) {
        double difference = (double)found[i] - expected[i];
        /* NaN is not below anything. */
        wrong = !(difference <= bound && -difference <= bound);
        if (wrong)
            printf("%s: element %zu is %.9g, and %.9g on the CPU\n", what, i, (double)found[i], (double)expected[i]);
        worst = difference > worst ? difference : -difference > worst ? -difference : worst;
    }
    if (!wrong)
        printf("%s: %zu elements, as on the CPU but for %.1e\n", what, count, worst);
    free(found);
    return wrong;
}
