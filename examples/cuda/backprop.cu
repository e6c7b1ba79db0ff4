/* The forward pass of a layer: a block of 16 x 16 threads multiplies 16 inputs with their weights to 16 units and adds
 * the products in a tree. partial[block][unit] is what the block's inputs contribute to a unit. */
#include "cuda.h"

KERNEL layer(const float *input, const float *weight, float *partial, int units)
{
    __shared__ float inputs[16];
    __shared__ float product[16][16];
    int unit = threadIdx.x, own = threadIdx.y, row = blockIdx.y * 16 + own;
    if (unit == 0)
        inputs[own] = input[row];
    __syncthreads();
    product[own][unit] = weight[row * units + unit] * inputs[own];
    __syncthreads();
    for (int apart = 8; apart > 0; apart /= 2) {
        if (own < apart)
            product[own][unit] += product[own + apart][unit];
        __syncthreads();
    }
    if (own == 0)
        partial[blockIdx.y * units + unit] = product[0][unit];
}

/* The step down the gradient, with momentum. */
KERNEL adjust(float *weight, float *last, const float *delta, const float *input, int units, float rate, float momentum)
{
    int unit = threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, at = row * units + unit;
    float step = rate * delta[unit] * input[row] + momentum * last[at];
    weight[at] += step;
    last[at] = step;
}
