/* Kernels of the trial of a compiler that this one is measured beside (scripts/figures.sh cuda-trial): the same
 * algorithms, blocks and data as there, written again. */
#include <cuda_runtime.h>

#define GLOBAL(name) extern "C" __global__ void name

/* Sums of two vectors. */
GLOBAL(vecadd)(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

/* How far each record, two numbers, is from a point. */
GLOBAL(nn)(const float *records, float *distance, int n, float x, float y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float across = x - records[2 * i], down = y - records[2 * i + 1];
    distance[i] = sqrtf(across * across + down * down);
}

/* Sixteen inputs of sixteen units: products in shared memory, added as a tree. */
GLOBAL(backprop)(const float *inputs, const float *weights, float *sums, int units)
{
    __shared__ float own[16], product[16][16];
    int unit = threadIdx.x, input = threadIdx.y, row = blockIdx.y * 16 + input;
    if (unit == 0)
        own[input] = inputs[row];
    __syncthreads();
    product[input][unit] = weights[row * units + unit] * own[input];
    __syncthreads();
    for (int apart = 1; apart < 16; apart *= 2) {
        if (input % (2 * apart) == 0)
            product[input][unit] += product[input + apart][unit];
        __syncthreads();
    }
    if (input == 0)
        sums[blockIdx.y * units + unit] = product[0][unit];
}

/* Nodes of the frontier reach their neighbours. */
GLOBAL(bfs)(const int *first, const int *edges, unsigned char *frontier, unsigned char *next, const unsigned char *seen,
            int *cost, int *more, int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes || !frontier[v])
        return;
    frontier[v] = 0;
    for (int e = first[v]; e < first[v + 1]; e++) {
        int w = edges[e];
        if (!seen[w]) {
            cost[w] = cost[v] + 1;
            next[w] = 1;
            *more = 1;
        }
    }
}

/* Records of keys in a tree whose nodes have seventeen entries, -1 where there is none. */
GLOBAL(btree)(const int *keys, const int *under, const int *wanted, int *found, int height, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = wanted[i], node = 0, record = -1;
    for (int level = 0; level < height; level++) {
        int way = 0;
        while (way < 15 && keys[node * 17 + way + 1] <= key)
            way++;
        node = under[node * 17 + way];
    }
    for (int way = 0; way < 17; way++)
        if (keys[node * 17 + way] == key)
            record = under[node * 17 + way];
    found[i] = record;
}

/* A step of Gauss' elimination: the column's multipliers, and the rest less its share. */
GLOBAL(multipliers)(const float *a, float *m, int size, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size - 1 - step)
        m[size * (i + step + 1) + step] = a[size * (i + step + 1) + step] / a[size * step + step];
}
GLOBAL(eliminate)(float *a, float *b, const float *m, int size, int step)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= size - 1 - step || column >= size - step)
        return;
    float factor = m[size * (row + 1 + step) + step];
    a[size * (row + 1 + step) + column + step] -= factor * a[size * step + column + step];
    if (column == 0)
        b[row + 1 + step] -= factor * b[step];
}

/* Heat on a chip: neighbours of a tile of 16 x 16 come from memory, at an edge a cell is its own neighbour. */
GLOBAL(hotspot)(const float *power, const float *from, float *to, int columns, int rows, float step, float across,
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
    float change = power[at] + (south + north - 2.0f * here) * down + (east + west - 2.0f * here) * across;
    to[at] = here + step * (change + (ambient - here) * out);
}

/* Heat in a stack of layers: a thread walks down its column. */
GLOBAL(hotspot3d)(const float *power, const float *from, float *to, int columns, int rows, int layers, float own,
                  float side, float front, float above, float ambient)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int layer = columns * rows, at = y * columns + x;
    int west = x == 0 ? at : at - 1, east = x == columns - 1 ? at : at + 1;
    int north = y == 0 ? at : at - columns, south = y == rows - 1 ? at : at + columns;
    float up = from[at], here = up, down = from[at + layer];
    for (int z = 0; z < layers; z++) {
        to[at] = own * here + side * from[west] + side * from[east] + front * from[north] + front * from[south] +
                 above * up + above * down + power[at] * 0.5f + above * ambient;
        at += layer, west += layer, east += layer, north += layer, south += layer;
        up = here;
        here = down;
        down = z < layers - 2 ? from[at + layer] : here;
    }
}

/* Steps of the cheapest path down a wall, 256 columns with what they lose at their edges. */
GLOBAL(pathfinder)(const int *wall, const int *from, int *to, int columns, int steps, int row)
{
    __shared__ int before[256];
    int tx = threadIdx.x, x = (int)blockIdx.x * (256 - 2 * steps) - steps + tx;
    bool inside = x >= 0 && x < columns;
    int own = inside ? from[x] : 0x7fffffff;
    before[tx] = own;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int left = tx > 0 ? before[tx - 1] : own, right = tx < 255 ? before[tx + 1] : own;
        int least = own < left ? own : left;
        least = least < right ? least : right;
        if (inside)
            own = least + wall[columns * (row + step) + x];
        __syncthreads();
        before[tx] = own;
        __syncthreads();
    }
    if (inside && tx >= steps && tx < 256 - steps)
        to[x] = own;
}

/* A tile less the product of the one left of it in its row and the one above it in its column. */
GLOBAL(lud)(float *a, int size, int first)
{
    __shared__ float up[16][16], left[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = first + (blockIdx.y + 1) * 16 + y;
    int column = first + (blockIdx.x + 1) * 16 + x;
    up[y][x] = a[(first + y) * size + column];
    left[y][x] = a[row * size + first + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += left[y][i] * up[i][x];
    a[row * size + column] -= sum;
}

/* The nearest of some centres. */
GLOBAL(kmeans)(const float *points, const float *centres, int *nearest, int n, int count, int dimensions)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = 3.0e38f;
    int which = 0;
    for (int c = 0; c < count; c++) {
        float distance = 0;
        for (int k = 0; k < dimensions; k++) {
            float apart = points[k * n + i] - centres[c * dimensions + k];
            distance += apart * apart;
        }
        if (distance < best)
            best = distance, which = c;
    }
    nearest[i] = which;
}

/* What opening a centre gains. */
GLOBAL(pgain)(const float *points, const float *weight, const float *cost, const int *centre, const int *number,
              float *gain, unsigned char *moves, int n, int dimensions, int candidate, int count)
{
    __shared__ float opened[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        for (int k = 0; k < dimensions; k++)
            opened[k] = points[k * n + candidate];
    __syncthreads();
    if (i >= n)
        return;
    float distance = 0;
    for (int k = 0; k < dimensions; k++) {
        float apart = points[k * n + i] - opened[k];
        distance += apart * apart;
    }
    float then = distance * weight[i], now = cost[i];
    if (then < now) {
        moves[i] = 1;
        gain[i * (count + 1) + count] += then - now;
    } else {
        gain[i * (count + 1) + number[centre[i]]] += now - then;
    }
}
