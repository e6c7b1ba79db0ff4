/* A matrix times a vector, a row a thread. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 64
#endif

extern "C" __global__ void matvec(const float *matrix, const float *vector, float *result, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int column = 0; column < columns; column++)
        sum += matrix[row * columns + column] * vector[column];
    result[row] = sum;
}

int main()
{
    const int rows = 150, columns = 40;
    Random random = {17};
    float *matrix = floats(&random, rows * columns, -4, 4), *vector = floats(&random, columns, -4, 4);
    float *expected = zeros<float>(rows), *result = room<float>(rows);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            expected[row] += matrix[row * columns + column] * vector[column];
    matvec<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(upload(matrix, rows * columns), upload(vector, columns), result, rows,
                                                  columns);
    LAUNCHED();
    return same("matvec", result, expected, rows);
}
