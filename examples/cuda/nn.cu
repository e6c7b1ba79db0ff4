/* Nearest neighbour: the distance of every record, a pair of coordinates, to one point. */
#include "host.h"
#include <math.h>

#ifndef BLOCK
#define BLOCK 64
#endif

extern "C" __global__ void nn(const float *records, float *distance, int n, float latitude, float longitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float dx = records[2 * i] - latitude, dy = records[2 * i + 1] - longitude;
    distance[i] = sqrtf(dx * dx + dy * dy);
}

int main()
{
    const int n = 1500;
    const float latitude = 12.5f, longitude = -7;
    Random random = {22};
    float *records = floats(&random, 2 * n, -90, 90), *expected = zeros<float>(n);
    int nearest = 0;
    for (int i = 0; i < n; i++) {
        float dx = records[2 * i] - latitude, dy = records[2 * i + 1] - longitude;
        expected[i] = sqrtf(dx * dx + dy * dy);
        if (expected[i] < expected[nearest])
            nearest = i;
    }
    float *distance = room<float>(n);
    nn<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(upload(records, 2 * n), distance, n, latitude, longitude);
    LAUNCHED();
    printf("the nearest of %d is %d, at %g\n", n, nearest, expected[nearest]);
    return same("nn", distance, expected, n);
}
