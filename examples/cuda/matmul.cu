/* A matrix product by tiles of 16 x 16 in shared memory; n is a multiple of 16. */
#include "cuda.h"

KERNEL matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16];
    __shared__ float right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        left[ty][tx] = a[row * n + tile + tx];
        right[ty][tx] = b[(tile + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
