/* Gaussian elimination: the multipliers of column t, then the rows below it. */
#include "cuda.h"

KERNEL multipliers(const float *a, float *m, int size, int t)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x + t + 1;
    if (row < size)
        m[row] = a[row * size + t] / a[t * size + t];
}

KERNEL eliminate(float *a, float *b, const float *m, int size, int t)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x + t, row = blockIdx.y * blockDim.y + threadIdx.y + t + 1;
    if (column >= size || row >= size)
        return;
    a[row * size + column] -= m[row] * a[t * size + column];
    if (column == t)
        b[row] -= m[row] * b[t];
}
