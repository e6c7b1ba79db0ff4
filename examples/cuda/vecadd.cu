/* Sums of two vectors, an element a thread. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void vecadd(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

int main()
{
    const int n = 3000;
    Random random = {1};
    float *a = floats(&random, n, -4, 4), *b = floats(&random, n, -4, 4), *expected = zeros<float>(n);
    for (int i = 0; i < n; i++)
        expected[i] = a[i] + b[i];
    float *sum = room<float>(n);
    vecadd<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(upload(a, n), upload(b, n), sum, n);
    LAUNCHED();
    return same("vecadd", sum, expected, n);
}
