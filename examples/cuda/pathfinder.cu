/* The cheapest way down a wall, a step straight or to a side in each row. A block takes several rows of its columns at
 * once; what depends on neighbours outside is computed by two blocks and written by one. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void pathfinder(const int *wall, const int *from, int *to, int columns, int first, int steps)
{
    __shared__ int cost[BLOCK];
    int tx = threadIdx.x, x = (int)blockIdx.x * (BLOCK - 2 * steps) - steps + tx;
    bool inside = x >= 0 && x < columns;
    int mine = inside ? from[x] : 0x3fffffff;
    cost[tx] = mine;
    __syncthreads();
    for (int row = 0; row < steps; row++) {
        int best = mine;
        if (tx > 0 && cost[tx - 1] < best)
            best = cost[tx - 1];
        if (tx < BLOCK - 1 && cost[tx + 1] < best)
            best = cost[tx + 1];
        if (inside)
            mine = best + wall[(first + row) * columns + x];
        __syncthreads();
        cost[tx] = mine;
        __syncthreads();
    }
    if (inside && tx >= steps && tx < BLOCK - steps)
        to[x] = mine;
}

int main()
{
    const int columns = 500, rows = 7, steps = 3;
    Random random = {10};
    int *wall = zeros<int>(rows * columns), *now = zeros<int>(columns), *then = zeros<int>(columns);
    for (int i = 0; i < rows * columns; i++)
        wall[i] = random.below(10);
    memcpy(now, wall, columns * sizeof *now);
    int *on_wall = upload(wall, rows * columns), *from = upload(now, columns), *to = room<int>(columns);
    for (int first = 1; first < rows; first += steps) {
        int owned = BLOCK - 2 * steps;
        pathfinder<<<(columns + owned - 1) / owned, BLOCK>>>(on_wall, from, to, columns, first, steps);
        LAUNCHED();
        int *swapped = from;
        from = to, to = swapped;
    }
    for (int row = 1; row < rows; row++) {
        for (int x = 0; x < columns; x++) {
            int best = now[x];
            if (x > 0 && now[x - 1] < best)
                best = now[x - 1];
            if (x < columns - 1 && now[x + 1] < best)
                best = now[x + 1];
            then[x] = best + wall[row * columns + x];
        }
        memcpy(now, then, columns * sizeof *now);
    }
    return same("pathfinder", from, now, columns);
}
