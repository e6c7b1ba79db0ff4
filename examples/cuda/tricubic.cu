/* Cubic interpolation in space: a field as it is after moving by a part of a cell in each direction, each value from
 * 4 x 4 x 4 others. weights are Lagrange's at the points -1, 0, 1 and 2: four of x, then those of y and z. One layer at
 * the lower sides and two at the upper ones stay 0. */
#include "host.h"
#include <math.h>

#ifndef BLOCK_X
#define BLOCK_X 8
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif

extern "C" __global__ void tricubic(const float *from, float *to, const float *weights, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, layer = nx * ny;
    if (x < 1 || y < 1 || x >= nx - 2 || y >= ny - 2)
        return;
    float before = weights[0], here = weights[1], behind = weights[2], beyond = weights[3];
    for (int z = 1; z < nz - 2; z++) {
        const float *p = from + (z - 1) * layer + (y - 1) * nx + x;
        float value = 0;
        for (int k = 0; k < 4; k++) {
            float plane = 0;
            for (int j = 0; j < 4; j++) {
                float row = before * p[-1] + here * p[0] + behind * p[1] + beyond * p[2];
                plane += weights[4 + j] * row;
                p += nx;
            }
            value += weights[8 + k] * plane;
            p += layer - 4 * nx;
        }
        to[z * layer + y * nx + x] = value;
    }
}

static void lagrange(float *weights, float t)
{
    weights[0] = -t * (t - 1) * (t - 2) / 6;
    weights[1] = (t + 1) * (t - 1) * (t - 2) / 2;
    weights[2] = -(t + 1) * t * (t - 2) / 2;
    weights[3] = (t + 1) * t * (t - 1) / 6;
}

/* A field of third degree: what is interpolated is the field itself but for rounding. */
static float field(float x, float y, float z)
{
    return 1 + x * (2 - y) + 0.5f * x * x * x - y * y * z + 0.25f * z * z * z * x;
}

int main()
{
    const int nx = 14, ny = 11, nz = 7, layer = nx * ny, cells = layer * nz;
    const float step = 0.125f, moved[3] = {0.375f, 0.75f, 0.2f};
    float *now = zeros<float>(cells), *expected = zeros<float>(cells), weights[12];
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                now[z * layer + y * nx + x] = field(x * step, y * step, z * step);
    for (int axis = 0; axis < 3; axis++)
        lagrange(weights + 4 * axis, moved[axis]);
    float *to = room<float>(cells), worst = 0;
    const dim3 grid((nx + BLOCK_X - 1) / BLOCK_X, (ny + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    tricubic<<<grid, block>>>(upload(now, cells), to, upload(weights, 12), nx, ny, nz);
    LAUNCHED();
    for (int z = 1; z < nz - 2; z++) {
        for (int y = 1; y < ny - 2; y++) {
            for (int x = 1; x < nx - 2; x++) {
                float value = 0;
                for (int k = 0; k < 4; k++) {
                    float plane = 0;
                    for (int j = 0; j < 4; j++) {
                        const float *p = now + (z + k - 1) * layer + (y + j - 1) * nx + x;
                        float row = weights[0] * p[-1] + weights[1] * p[0] + weights[2] * p[1] + weights[3] * p[2];
                        plane += weights[4 + j] * row;
                    }
                    value += weights[8 + k] * plane;
                }
                expected[z * layer + y * nx + x] = value;
                float exact = field((x + moved[0]) * step, (y + moved[1]) * step, (z + moved[2]) * step);
                worst = fmaxf(worst, fabsf(value - exact));
            }
        }
    }
    printf("off the field by %.1e at most\n", worst);
    return same("tricubic", to, expected, cells) | !(worst < 1e-5f);
}
