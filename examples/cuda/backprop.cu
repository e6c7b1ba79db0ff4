/* The forward pass of a layer: a block of 16 x 16 threads multiplies 16 inputs with their weights to 16 units and adds
 * the products in a tree. partial[block][unit] is what the block's inputs contribute to a unit. */
#include "host.h"

extern "C" __global__ void layer(const float *input, const float *weight, float *partial, int units)
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
extern "C" __global__ void adjust(float *weight, float *last, const float *delta, const float *input, int units,
                                  float rate, float momentum)
{
    int unit = threadIdx.x, row = blockIdx.y * 16 + threadIdx.y, at = row * units + unit;
    float step = rate * delta[unit] * input[row] + momentum * last[at];
    weight[at] += step;
    last[at] = step;
}

int main()
{
    const int inputs = 64, units = 16, weights = inputs * units;
    const float rate = 0.3f, momentum = 0.75f;
    Random random = {4};
    float *input = floats(&random, inputs, -4, 4), *weight = floats(&random, weights, -4, 4);
    float *last = floats(&random, weights, -4, 4), *delta = floats(&random, units, -4, 4);
    float *expected = zeros<float>(inputs / 16 * units), *partial = room<float>(inputs / 16 * units);
    float *on_weight = upload(weight, weights), *on_last = upload(last, weights), *on_input = upload(input, inputs);
    layer<<<dim3(1, inputs / 16), dim3(16, 16)>>>(on_input, on_weight, partial, units);
    LAUNCHED();
    for (int block = 0; block < inputs / 16; block++) {
        for (int unit = 0; unit < units; unit++) {
            float tree[16];
            for (int own = 0; own < 16; own++)
                tree[own] = weight[(block * 16 + own) * units + unit] * input[block * 16 + own];
            for (int apart = 8; apart > 0; apart /= 2)
                for (int own = 0; own < apart; own++)
                    tree[own] += tree[own + apart];
            expected[block * units + unit] = tree[0];
        }
    }
    int wrong = same("backprop, forward", partial, expected, inputs / 16 * units);
    adjust<<<dim3(1, inputs / 16), dim3(16, 16)>>>(on_weight, on_last, upload(delta, units), on_input, units, rate,
                                                   momentum);
    LAUNCHED();
    for (int at = 0; at < weights; at++) {
        last[at] = rate * delta[at % units] * input[at / units] + momentum * last[at];
        weight[at] += last[at];
    }
    wrong |= same("backprop, weights", on_weight, weight, weights);
    return wrong | same("backprop, steps", on_last, last, weights);
}
