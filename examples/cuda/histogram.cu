/* How often each byte occurs: a histogram of a block's part in shared memory, then one for all. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 96
#endif

extern "C" __global__ void histogram(const unsigned char *data, int *counts, int n)
{
    __shared__ int own[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        if (own[bin] > 0)
            atomicAdd(&counts[bin], own[bin]);
}

int main()
{
    const int n = 5000;
    Random random = {21};
    unsigned char *data = zeros<unsigned char>(n);
    int *expected = zeros<int>(256), *counts = room<int>(256);
    for (int i = 0; i < n; i++) {
        // Some bytes are frequent.
        data[i] = (unsigned char)(random.next() & random.next());
        expected[data[i]]++;
    }
    histogram<<<6, BLOCK>>>(upload(data, n), counts, n);
    LAUNCHED();
    return same("histogram", counts, expected, 256);
}
