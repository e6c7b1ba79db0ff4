/* The cheapest way down a wall, a step straight or to a side in each row. A block takes several rows of its columns at
 * once; what depends on neighbours outside is computed by two blocks and written by one. */
#include "cuda.h"

#define WIDTH 256

KERNEL pathfinder(const int *wall, const int *from, int *to, int columns, int first, int steps)
{
    __shared__ int cost[WIDTH];
    int tx = threadIdx.x, x = (int)blockIdx.x * (WIDTH - 2 * steps) - steps + tx;
    bool inside = x >= 0 && x < columns;
    int mine = inside ? from[x] : 0x3fffffff;
    cost[tx] = mine;
    __syncthreads();
    for (int row = 0; row < steps; row++) {
        int best = mine;
        if (tx > 0 && cost[tx - 1] < best)
            best = cost[tx - 1];
        if (tx < WIDTH - 1 && cost[tx + 1] < best)
            best = cost[tx + 1];
        if (inside)
            mine = best + wall[(first + row) * columns + x];
        __syncthreads();
        cost[tx] = mine;
        __syncthreads();
    }
    if (inside && tx >= steps && tx < WIDTH - steps)
        to[x] = mine;
}
