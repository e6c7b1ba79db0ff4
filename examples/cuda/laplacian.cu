/* The Laplace operator on a grid: what a cell's four neighbours have more than the cell. The edge stays 0. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void laplacian(const float *from, float *to, int columns, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * columns + x;
    if (x > 0 && y > 0 && x < columns - 1 && y < rows - 1)
        to[at] = from[at - 1] + from[at + 1] + from[at - columns] + from[at + columns] - 4.0f * from[at];
}

int main()
{
    const int columns = 45, rows = 33, cells = columns * rows;
    Random random = {31};
    float *from = floats(&random, cells, -4, 4), *expected = zeros<float>(cells), *to = room<float>(cells);
    for (int y = 1; y < rows - 1; y++) {
        for (int x = 1; x < columns - 1; x++) {
            const float *here = from + y * columns + x;
            expected[y * columns + x] = here[-1] + here[1] + here[-columns] + here[columns] - 4.0f * here[0];
        }
    }
    const dim3 grid((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    laplacian<<<grid, block>>>(upload(from, cells), to, columns, rows);
    LAUNCHED();
    return same("laplacian", to, expected, cells);
}
