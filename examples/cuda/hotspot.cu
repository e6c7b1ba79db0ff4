/* Heat on a chip: one step of time on a grid. A block keeps its tile in shared memory; neighbours of the tile come from
 * memory, and at the edge of the chip a cell is its own neighbour. */
#include "host.h"

extern "C" __global__ void hotspot(const float *power, const float *from, float *to, int columns, int rows, float step,
                                   float across, float down, float out, float ambient)
{
    __shared__ float tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty, at = y * columns + x;
    bool inside = x < columns && y < rows;
    if (inside)
        tile[ty][tx] = from[at];
    __syncthreads();
    if (!inside)
        return;
    float here = tile[ty][tx];
    float north = y == 0 ? here : ty > 0 ? tile[ty - 1][tx] : from[at - columns];
    float south = y == rows - 1 ? here : ty < 15 ? tile[ty + 1][tx] : from[at + columns];
    float west = x == 0 ? here : tx > 0 ? tile[ty][tx - 1] : from[at - 1];
    float east = x == columns - 1 ? here : tx < 15 ? tile[ty][tx + 1] : from[at + 1];
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
    for (int time = 0; time < steps; time++) {
        dim3 grid((columns + 15) / 16, (rows + 15) / 16), block(16, 16);
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
