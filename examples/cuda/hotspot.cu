/* Heat on a chip: one step of time on a grid. A block keeps its tile in shared memory; neighbours of the tile come from
 * memory, and at the edge of the chip a cell is its own neighbour. */
#include "cuda.h"

KERNEL hotspot(const float *power, const float *from, float *to, int columns, int rows, float step, float across,
               float down, float out, float ambient)
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
