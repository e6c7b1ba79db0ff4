/* A matrix times a vector, a row a thread. */
#include "cuda.h"

KERNEL matvec(const float *matrix, const float *vector, float *result, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int column = 0; column < columns; column++)
        sum += matrix[row * columns + column] * vector[column];
    result[row] = sum;
}
