/* How often each byte occurs: a histogram of a block's part in shared memory, then one for all. */
#include "cuda.h"

KERNEL histogram(const unsigned char *data, int *counts, int n)
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
