/* A matrix becomes the product of a lower triangle, with ones on its diagonal, and an upper one, in place and without
 * pivots, by tiles of TILE x TILE: the tile on the diagonal, then those beside it and below it, then all that is left.
 * Each element loses its products in the order of the plain algorithm, so that both round alike. */
#include "host.h"

#ifndef TILE
#define TILE 8
#endif

/* One tile, of the block: a thread has a row. */
extern "C" __global__ void diagonal(float *a, int size, int first)
{
    __shared__ float tile[TILE][TILE];
    int row = threadIdx.x;
    float *corner = a + first * size + first;
    for (int column = 0; column < TILE; column++)
        tile[row][column] = corner[row * size + column];
    __syncthreads();
    for (int t = 0; t < TILE - 1; t++) {
        if (row > t) {
            float factor = tile[row][t] / tile[t][t];
            tile[row][t] = factor;
            for (int column = t + 1; column < TILE; column++)
                tile[row][column] -= factor * tile[t][column];
        }
        __syncthreads();
    }
    for (int column = 0; column < TILE; column++)
        corner[row * size + column] = tile[row][column];
}

/* Tiles of the upper triangle beside the diagonal's: a thread has a column. */
extern "C" __global__ void beside(float *a, int size, int first)
{
    __shared__ float left[TILE][TILE], own[TILE][TILE];
    int column = threadIdx.x, at = first * size + first + (blockIdx.x + 1) * TILE + column;
    for (int row = 0; row < TILE; row++) {
        left[row][column] = a[(first + row) * size + first + column];
        own[row][column] = a[at + row * size];
    }
    __syncthreads();
    for (int row = 1; row < TILE; row++) {
        float here = own[row][column];
        for (int t = 0; t < row; t++)
            here -= left[row][t] * own[t][column];
        own[row][column] = here;
        a[at + row * size] = here;
    }
}

/* Tiles of the lower triangle below it: a thread has a row. */
extern "C" __global__ void below(float *a, int size, int first)
{
    __shared__ float up[TILE][TILE], own[TILE][TILE];
    int row = threadIdx.x, at = (first + (blockIdx.x + 1) * TILE + row) * size + first;
    for (int column = 0; column < TILE; column++) {
        up[row][column] = a[(first + row) * size + first + column];
        own[row][column] = a[at + column];
    }
    __syncthreads();
    for (int column = 0; column < TILE; column++) {
        float here = own[row][column];
        for (int t = 0; t < column; t++)
            here -= own[row][t] * up[t][column];
        here /= up[column][column];
        own[row][column] = here;
        a[at + column] = here;
    }
}

/* Tiles that are left: each loses the product of one below the diagonal's with one beside it. A block has as many
 * threads as half a tile has elements, a thread two of these. */
extern "C" __global__ void inside(float *a, int size, int first)
{
    __shared__ float left[TILE][TILE], up[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, beside = (blockIdx.x + 1) * TILE + x, below = (blockIdx.y + 1) * TILE + y;
    float *corner = a + first * size + first, *one = corner + below * size, *other = one + TILE / 2 * size;
    left[y][x] = one[x];
    left[y + TILE / 2][x] = other[x];
    up[y][x] = corner[y * size + beside];
    up[y + TILE / 2][x] = corner[(y + TILE / 2) * size + beside];
    __syncthreads();
    float high = one[beside], low = other[beside];
    for (int t = 0; t < TILE; t++) {
        high -= left[y][t] * up[t][x];
        low -= left[y + TILE / 2][t] * up[t][x];
    }
    one[beside] = high;
    other[beside] = low;
}

int main()
{
    const int size = 24;
    // Lehmer's matrix, min(i, j) / max(i, j): its minors are positive, so that no pivots are needed.
    float *a = zeros<float>(size * size);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            a[i * size + j] = i < j ? (i + 1.0f) / (j + 1.0f) : (j + 1.0f) / (i + 1.0f);
    float *on_a = upload(a, size * size);
    for (int first = 0; first < size; first += TILE) {
        int left = (size - first) / TILE - 1;
        diagonal<<<1, TILE>>>(on_a, size, first);
        LAUNCHED();
        if (left == 0)
            break;
        beside<<<left, TILE>>>(on_a, size, first);
        LAUNCHED();
        below<<<left, TILE>>>(on_a, size, first);
        LAUNCHED();
        inside<<<dim3(left, left), dim3(TILE, TILE / 2)>>>(on_a, size, first);
        LAUNCHED();
    }
    for (int t = 0; t < size - 1; t++) {
        for (int row = t + 1; row < size; row++) {
            a[row * size + t] /= a[t * size + t];
            for (int column = t + 1; column < size; column++)
                a[row * size + column] -= a[row * size + t] * a[t * size + column];
        }
    }
    return same("lud", on_a, a, size * size);
}
