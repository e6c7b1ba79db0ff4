/* Heat on a chip: one step of time on a grid. A block keeps its tile in shared memory; neighbours of the tile come from
 * memory, and at the edge of the chip a cell is its own neighbour. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

extern "C" __global__ void hotspot(const float *power, const float *from, float *to, int columns, int rows, float step,
                                   float across, float down, float out, float ambient)
{
    __shared__ float tile[BLOCK_Y][BLOCK_X];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * BLOCK_X + tx, y = blockIdx.y * BLOCK_Y + ty, at = y * columns + x;
    bool inside = x < columns && y < rows;
    if (inside)
        tile[ty][tx] = from[at];
    __syncthreads();
    if (!inside)
        return;
    float here = tile[ty][tx];
    float north = y == 0 ? here : ty > 0 ? tile[ty - 1][tx] : from[at - columns];
    float south = y == rows - 1 ? here : ty < BLOCK_Y - 1 ? tile[ty + 1][tx] : from[at + columns];
    float west = x == 0 ? here : tx > 0 ? tile[ty][tx - 1] : from[at - 1];
    float east = x == columns - 1 ? here : tx < BLOCK_X - 1 ? tile[ty][tx + 1] : from[at + 1];
    float change = power[at] + (north + south - 2.0f * here) * down + (east + west - 2.0f * here) * across;
    to[at] = here + step * (change + (ambient - here) * out);
}

int main()
{
    const int columns = 37, rows = 29, cells = columns * rows, steps = 3;
    const float step = 0.5f, across = 0.1f, down = 0.2f, out = 0.05f, ambient = 3;
    Random random = {8};
    float *power = floats(&random, cells, 0, 4), *now = floats(&random, cells, 2, 9), *then = zeros<float>(cells);
    float *on_power = upload(power, cells), *from = upload(now, cells), *to = room<float>(cells);
    const dim3 grid((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    for (int time = 0; time < steps; time++) {
        hotspot<<<grid, block>>>(on_power, from, to, columns, rows, step, across, down, out, ambient);
        LAUNCHED();
        float *swapped = from;
        from = to, to = swapped;
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                int at = y * columns + x;
                float here = now[at], north = y == 0 ? here : now[at - columns];
                float south = y == rows - 1 ? here : now[at + columns];
                float west = x == 0 ? here : now[at - 1], east = x == columns - 1 ? here : now[at + 1];
                float change = power[at] + (north + south - 2.0f * here) * down + (east + west - 2.0f * here) * across;
                then[at] = here + step * (change + (ambient - here) * out);
            }
        }
        memcpy(now, then, cells * sizeof *now);
    }
    return same("hotspot", from, now, cells);
}
