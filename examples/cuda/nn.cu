/* Nearest neighbour: the distance of every record, a pair of coordinates, to one point. */
#include "cuda.h"

KERNEL nn(const float *records, float *distance, int n, float latitude, float longitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float dx = records[2 * i] - latitude, dy = records[2 * i + 1] - longitude;
    distance[i] = sqrtf(dx * dx + dy * dy);
}
