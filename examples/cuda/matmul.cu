/* A matrix product by tiles of TILE x TILE in shared memory; n is a multiple of TILE. */
#include "host.h"

#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        left[ty][tx] = a[row * n + tile + tx];
        right[ty][tx] = b[(tile + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main()
{
    const int n = 48;
    Random random = {19};
    float *a = floats(&random, n * n, -4, 4), *b = floats(&random, n * n, -4, 4), *expected = zeros<float>(n * n);
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            for (int k = 0; k < n; k++)
                expected[row * n + column] += a[row * n + k] * b[k * n + column];
    float *c = room<float>(n * n);
    matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(upload(a, n * n), upload(b, n * n), c, n);
    LAUNCHED();
    return same("matmul", c, expected, n * n);
}
