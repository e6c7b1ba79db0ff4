/* The Laplace operator on a grid: what a cell's four neighbours have more than the cell. The edge stays 0. */
#include "host.h"

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
    laplacian<<<dim3((columns + 15) / 16, (rows + 7) / 8), dim3(16, 8)>>>(upload(from, cells), to, columns, rows);
    LAUNCHED();
    return same("laplacian", to, expected, cells);
}
