/* Heat in a stack of layers: one step of time. A thread walks down the layers of its column; at an edge a cell is its
 * own neighbour. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void hotspot3d(const float *power, const float *from, float *to, int columns, int rows,
                                     int layers, float own, float side, float below, float step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int layer = columns * rows, at = y * columns + x;
    int west = x == 0 ? 0 : -1, east = x == columns - 1 ? 0 : 1;
    int north = y == 0 ? 0 : -columns, south = y == rows - 1 ? 0 : columns;
    float up = from[at], here = up;
    for (int z = 0; z < layers; z++) {
        float down = z == layers - 1 ? here : from[at + layer];
        float sides = from[at + west] + from[at + east] + from[at + north] + from[at + south];
        to[at] = own * here + side * sides + below * (up + down) + step * power[at];
        up = here;
        here = down;
        at += layer;
    }
}

int main()
{
    const int columns = 17, rows = 13, layers = 4, layer = columns * rows, cells = layer * layers;
    const float own = 0.3f, side = 0.1f, below = 0.15f, step = 0.01f;
    Random random = {35};
    float *power = floats(&random, cells, 0, 4), *from = floats(&random, cells, 2, 9), *expected = zeros<float>(cells);
    float *to = room<float>(cells);
    const dim3 grid((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    hotspot3d<<<grid, block>>>(upload(power, cells), upload(from, cells), to, columns, rows, layers, own, side, below,
                               step);
    LAUNCHED();
    for (int at = 0; at < cells; at++) {
        int x = at % columns, y = at / columns % rows, z = at / layer;
        float west = from[x == 0 ? at : at - 1], east = from[x == columns - 1 ? at : at + 1];
        float north = from[y == 0 ? at : at - columns], south = from[y == rows - 1 ? at : at + columns];
        float up = from[z == 0 ? at : at - layer], down = from[z == layers - 1 ? at : at + layer];
        float sides = west + east + north + south;
        expected[at] = own * from[at] + side * sides + below * (up + down) + step * power[at];
    }
    return same("hotspot3d", to, expected, cells);
}
