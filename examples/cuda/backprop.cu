/* The forward pass of a layer: a thread of a block multiplies one of BLOCK_Y inputs with its weight to one of BLOCK_X
 * units, and the block adds the products in a tree. partial[block][unit] is what its inputs contribute to a unit. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
/* A power of two: products are added in a tree. */
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

extern "C" __global__ void layer(const float *input, const float *weight, float *partial, int units)
{
    __shared__ float inputs[BLOCK_Y];
    __shared__ float product[BLOCK_Y][BLOCK_X];
    int unit = threadIdx.x, own = threadIdx.y, row = blockIdx.y * BLOCK_Y + own;
    if (unit == 0)
        inputs[own] = input[row];
    __syncthreads();
    product[own][unit] = weight[row * units + unit] * inputs[own];
    __syncthreads();
    for (int apart = BLOCK_Y / 2; apart > 0; apart /= 2) {
        if (own < apart)
            product[own][unit] += product[own + apart][unit];
        __syncthreads();
    }
    if (own == 0)
        partial[blockIdx.y * units + unit] = product[0][unit];
}

/* The step down the gradient, with momentum. */
extern "C" __global__ void adjust(float *weight, float *last, const float *delta, const float *input, int units,
                                  float rate, float momentum)
{
    int unit = threadIdx.x, row = blockIdx.y * BLOCK_Y + threadIdx.y, at = row * units + unit;
    float step = rate * delta[unit] * input[row] + momentum * last[at];
    weight[at] += step;
    last[at] = step;
}

int main()
{
    const int inputs = 64, units = BLOCK_X, weights = inputs * units, blocks = inputs / BLOCK_Y;
    const float rate = 0.3f, momentum = 0.75f;
    Random random = {4};
    float *input = floats(&random, inputs, -4, 4), *weight = floats(&random, weights, -4, 4);
    float *last = floats(&random, weights, -4, 4), *delta = floats(&random, units, -4, 4);
    float *expected = zeros<float>(blocks * units), *partial = room<float>(blocks * units);
    float *on_weight = upload(weight, weights), *on_last = upload(last, weights), *on_input = upload(input, inputs);
    layer<<<dim3(1, blocks), dim3(BLOCK_X, BLOCK_Y)>>>(on_input, on_weight, partial, units);
    LAUNCHED();
    for (int block = 0; block < blocks; block++) {
        for (int unit = 0; unit < units; unit++) {
            float tree[BLOCK_Y];
            for (int own = 0; own < BLOCK_Y; own++)
                tree[own] = weight[(block * BLOCK_Y + own) * units + unit] * input[block * BLOCK_Y + own];
            for (int apart = BLOCK_Y / 2; apart > 0; apart /= 2)
                for (int own = 0; own < apart; own++)
                    tree[own] += tree[own + apart];
            expected[block * units + unit] = tree[0];
        }
    }
    int wrong = same("backprop, forward", partial, expected, blocks * units);
    adjust<<<dim3(1, blocks), dim3(BLOCK_X, BLOCK_Y)>>>(on_weight, on_last, upload(delta, units), on_input, units, rate,
                                                        momentum);
    LAUNCHED();
    for (int at = 0; at < weights; at++) {
        last[at] = rate * delta[at % units] * input[at / units] + momentum * last[at];
        weight[at] += last[at];
    }
    wrong |= same("backprop, weights", on_weight, weight, weights);
    return wrong | same("backprop, steps", on_last, last, weights);
}
