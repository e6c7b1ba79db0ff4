/* The sum of each block's numbers, and how many of them are above a limit: within warps by shuffles and votes, between
 * warps through shared memory. */
#include "host.h"

/* Whole warps. */
#ifndef BLOCK
#define BLOCK 128
#endif

enum { WARPS = BLOCK / 32 };

static __device__ float warp_sum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

extern "C" __global__ void reduce(const float *numbers, float *sums, int *above, float limit, int n)
{
    __shared__ float parts[WARPS];
    __shared__ int counts[WARPS];
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float number = at < n ? numbers[at] : 0;
    int count = __popc(__ballot_sync(0xffffffff, at < n && number > limit));
    float sum = warp_sum(number);
    if (lane == 0) {
        parts[warp] = sum;
        counts[warp] = count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        count = 0;
        for (int i = 0; i < blockDim.x / 32; i++) {
            sum += parts[i];
            count += counts[i];
        }
        sums[blockIdx.x] = sum;
        above[blockIdx.x] = count;
    }
}

/* A warp's sum, in the same order. */
static float tree(const float *numbers, int count)
{
    float sums[32];
    for (int i = 0; i < 32; i++)
        sums[i] = i < count ? numbers[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2)
        for (int i = 0; i < distance; i++)
            sums[i] += sums[i + distance];
    return sums[0];
}

int main()
{
    const int n = 1000, blocks = (n + BLOCK - 1) / BLOCK;
    Random random = {22};
    const float *numbers = floats(&random, n, -4, 4);
    float *expected = zeros<float>(blocks), *sums = room<float>(blocks);
    int *expected_above = zeros<int>(blocks), *above = room<int>(blocks);
    for (int from = 0; from < n; from += 32) {
        int count = n - from < 32 ? n - from : 32;
        expected[from / BLOCK] += tree(numbers + from, count);
        for (int i = from; i < from + count; i++)
            expected_above[from / BLOCK] += numbers[i] > 1.5f;
    }
    reduce<<<blocks, BLOCK>>>(upload(numbers, n), sums, above, 1.5f, n);
    LAUNCHED();
    return same("sums", sums, expected, blocks) | same("above", above, expected_above, blocks);
}
