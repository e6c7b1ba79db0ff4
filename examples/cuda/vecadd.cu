/* Sums of two vectors, an element a thread. */
#include "cuda.h"

KERNEL vecadd(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}
