/* Sorting by buckets, then by merging (E. Sintorn and U. Assarsson, Fast parallel GPU-sorting using a hybrid algorithm,
 * 2008): values are counted and dealt to buckets, each for a part of their range; in all buckets at once runs of two,
 * four, eight ... values are merged. In which order values come into a bucket depends on time, and what is left when
 * all are merged does not. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 32
#endif

/* The bucket of a value that is not below low. */
#define BUCKET(value, low, scale, buckets) min((int)(((value) - (low)) * (scale)), (buckets) - 1)

extern "C" __global__ void count(const float *values, int *counts, int n, int buckets, float low, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[BUCKET(values[i], low, scale, buckets)], 1);
}

/* Where buckets begin, one for each thread of a block: sums of counts, in steps that double. */
extern "C" __global__ void offsets(const int *counts, int *first, int *next)
{
    __shared__ int sums[256];
    int bucket = threadIdx.x, own = counts[bucket], sum = own;
    sums[bucket] = sum;
    __syncthreads();
    for (int apart = 1; apart < blockDim.x; apart *= 2) {
        if (bucket >= apart)
            sum += sums[bucket - apart];
        __syncthreads();
        sums[bucket] = sum;
        __syncthreads();
    }
    first[bucket + 1] = sum;
    next[bucket] = sum - own;
}

extern "C" __global__ void deal(const float *values, float *to, int *next, int n, int buckets, float low, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float value = values[i];
    to[atomicAdd(&next[BUCKET(value, low, scale, buckets)], 1)] = value;
}

/* Runs of 2^bits values in each bucket become runs of twice as many: a value goes as far behind its place in its own
 * run as values of the neighbouring run come before it, by search in halves. */
extern "C" __global__ void merge(const float *from, float *to, const int *first, int n, int bits, int buckets,
                                 float low, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float own = from[i];
    int bucket = BUCKET(own, low, scale, buckets), begin = first[bucket], end = first[bucket + 1];
    int run = (i - begin) >> bits, other = min(begin + ((run ^ 1) << bits), end), high = min(other + (1 << bits), end);
    int least = other, second = run & 1;
    while (least < high) {
        int middle = (least + high) >> 1;
        float there = from[middle];
        // Equal values of the first run come before those of the second.
        if (there < own || (second && there == own))
            least = middle + 1;
        else
            high = middle;
    }
    int place = (i - begin) - (second << bits) + least - other;
    to[begin + place] = own;
}

static int ascending(const void *one, const void *other)
{
    float a = *(const float *)one, b = *(const float *)other;
    return (a > b) - (a < b);
}

int main()
{
    const int n = 700, buckets = BLOCK;
    const float low = 0, high = 4, scale = buckets / (high - low);
    Random random = {43};
    float *values = floats(&random, n, 0, 2);
    // Small values are frequent, and some are there twice.
    for (int i = 0; i < n; i++)
        values[i] = i % 50 == 49 ? values[i - 1] : values[i] * values[i];
    float *from = upload(values, n), *to = room<float>(n);
    int *counts = room<int>(buckets), *first = room<int>(buckets + 1), *next = room<int>(buckets), largest = 0;
    const dim3 grid((n + BLOCK - 1) / BLOCK), block(BLOCK);
    count<<<grid, block>>>(from, counts, n, buckets, low, scale);
    LAUNCHED();
    offsets<<<1, buckets>>>(counts, first, next);
    LAUNCHED();
    deal<<<grid, block>>>(from, to, next, n, buckets, low, scale);
    LAUNCHED();
    int *sizes = download(counts, buckets);
    for (int bucket = 0; bucket < buckets; bucket++)
        largest = max(largest, sizes[bucket]);
    for (int bits = 0; 1 << bits < largest; bits++) {
        float *swapped = from;
        from = to, to = swapped;
        merge<<<grid, block>>>(from, to, first, n, bits, buckets, low, scale);
        LAUNCHED();
    }
    printf("%d values in the largest of %d buckets\n", largest, buckets);
    qsort(values, n, sizeof *values, ascending);
    return same("hybridsort", to, values, n);
}
