/* Gaussian elimination: the multipliers of column t, then the rows below it. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 16
#endif
#ifndef BLOCK_X
#define BLOCK_X 8
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void multipliers(const float *a, float *m, int size, int t)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x + t + 1;
    if (row < size)
        m[row] = a[row * size + t] / a[t * size + t];
}

extern "C" __global__ void eliminate(float *a, float *b, const float *m, int size, int t)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x + t, row = blockIdx.y * blockDim.y + threadIdx.y + t + 1;
    if (column >= size || row >= size)
        return;
    a[row * size + column] -= m[row] * a[t * size + column];
    if (column == t)
        b[row] -= m[row] * b[t];
}

int main()
{
    const int size = 24;
    Random random = {14};
    float *a = floats(&random, size * size, -4, 4), *b = floats(&random, size, -4, 4), *m = zeros<float>(size);
    // A heavy diagonal: no pivots are needed.
    for (int i = 0; i < size; i++)
        a[i * size + i] += 40;
    float *on_a = upload(a, size * size), *on_b = upload(b, size), *on_m = room<float>(size);
    const dim3 grid((size + BLOCK_X - 1) / BLOCK_X, (size + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    for (int t = 0; t < size - 1; t++) {
        multipliers<<<(size + BLOCK - 1) / BLOCK, BLOCK>>>(on_a, on_m, size, t);
        LAUNCHED();
        eliminate<<<grid, block>>>(on_a, on_b, on_m, size, t);
        LAUNCHED();
        for (int row = t + 1; row < size; row++)
            m[row] = a[row * size + t] / a[t * size + t];
        for (int row = t + 1; row < size; row++) {
            for (int column = t; column < size; column++)
                a[row * size + column] -= m[row] * a[t * size + column];
            b[row] -= m[row] * b[t];
        }
    }
    return same("gaussian, matrix", on_a, a, size * size) | same("gaussian, right side", on_b, b, size);
}
