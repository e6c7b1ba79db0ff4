/* A wave in a box: one step of time, from two states, with 13 points in space. Two layers at each side stay 0. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void wave(const float *last, const float *now, float *next, int nx, int ny, int nz, float c0,
                                float c1, float c2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= nx - 2 || y >= ny - 2)
        return;
    int layer = nx * ny;
    for (int z = 2; z < nz - 2; z++) {
        const float *p = now + z * layer + y * nx + x;
        float near = p[-1] + p[1] + p[-nx] + p[nx] + p[-layer] + p[layer];
        float far = p[-2] + p[2] + p[-2 * nx] + p[2 * nx] + p[-2 * layer] + p[2 * layer];
        int at = z * layer + y * nx + x;
        next[at] = c0 * p[0] + c1 * near + c2 * far - last[at];
    }
}

int main()
{
    const int nx = 18, ny = 14, nz = 8, layer = nx * ny, cells = layer * nz;
    const float c0 = 0.5f, c1 = 0.25f, c2 = -0.02f;
    Random random = {39};
    float *last = floats(&random, cells, -1, 1), *now = floats(&random, cells, -1, 1), *expected = zeros<float>(cells);
    float *next = room<float>(cells);
    const dim3 grid((nx + BLOCK_X - 1) / BLOCK_X, (ny + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    wave<<<grid, block>>>(upload(last, cells), upload(now, cells), next, nx, ny, nz, c0, c1, c2);
    LAUNCHED();
    for (int z = 2; z < nz - 2; z++) {
        for (int y = 2; y < ny - 2; y++) {
            for (int x = 2; x < nx - 2; x++) {
                int at = z * layer + y * nx + x;
                const float *p = now + at;
                float near = p[-1] + p[1] + p[-nx] + p[nx] + p[-layer] + p[layer];
                float far = p[-2] + p[2] + p[-2 * nx] + p[2 * nx] + p[-2 * layer] + p[2 * layer];
                expected[at] = c0 * p[0] + c1 * near + c2 * far - last[at];
            }
        }
    }
    return same("wave13pt", next, expected, cells);
}
