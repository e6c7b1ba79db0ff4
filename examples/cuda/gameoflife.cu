/* A generation of the game of life on a torus, a byte a cell. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void generation(const unsigned char *from, unsigned char *to, int columns, int rows)
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

int main()
{
    const int columns = 50, rows = 30, cells = columns * rows, generations = 4;
    Random random = {16};
    unsigned char *now = zeros<unsigned char>(cells), *then = zeros<unsigned char>(cells);
    for (int i = 0; i < cells; i++)
        now[i] = random.below(3) == 0;
    unsigned char *from = upload(now, cells), *to = room<unsigned char>(cells);
    const dim3 grid((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    for (int step = 0; step < generations; step++) {
        generation<<<grid, block>>>(from, to, columns, rows);
        LAUNCHED();
        unsigned char *swapped = from;
        from = to, to = swapped;
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                int around = -now[y * columns + x];
                for (int dy = rows - 1; dy <= rows + 1; dy++)
                    for (int dx = columns - 1; dx <= columns + 1; dx++)
                        around += now[(y + dy) % rows * columns + (x + dx) % columns];
                then[y * columns + x] = around == 3 || (around == 2 && now[y * columns + x]);
            }
        }
        memcpy(now, then, cells);
    }
    return same("gameoflife", from, now, cells);
}
