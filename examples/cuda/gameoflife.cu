/* A generation of the game of life on a torus, a byte a cell. */
#include "cuda.h"

KERNEL generation(const unsigned char *from, unsigned char *to, int columns, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int around = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0)
                continue;
            int nx = x + dx, ny = y + dy;
            nx = nx < 0 ? columns - 1 : nx == columns ? 0 : nx;
            ny = ny < 0 ? rows - 1 : ny == rows ? 0 : ny;
            around += from[ny * columns + nx];
        }
    }
    to[y * columns + x] = around == 3 || (around == 2 && from[y * columns + x]);
}
