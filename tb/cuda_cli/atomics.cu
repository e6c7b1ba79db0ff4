/* Every atomic function of the headers, by a hundred threads; prints what they leave in memory. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void all(double *sum, unsigned *word, unsigned long long *wide, long long *sign, float *number)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double old = atomicAdd(sum, 0.5 * i);
    atomicInc(word, 6);
    atomicDec(word + 1, 4);
    atomicSub(word + 2, 3u);
    atomicOr(word + 3, 1u << (i & 31));
    atomicXor(word + 4, (unsigned)i * 3);
    atomicCAS(word + 5, 0u, 77u + i);
    atomicExch(word + 6, 5u);
    atomicAnd(word + 7, ~(1u << (i & 15)));
    atomicAdd(wide, 1ull << 33);
    atomicOr(wide + 1, 1ull << (i & 63));
    atomicCAS(wide + 2, 0ull, 1ull << 40);
    atomicExch(wide + 3, 9ull << 40);
    atomicMax(wide + 4, (unsigned long long)i << 35);
    atomicMin(sign, -(long long)i << 33);
    atomicMax(sign + 1, (long long)i << 33);
    number[i] = (float)old;
    atomicExch(number + 100, 2.5f);
}

int main()
{
    double *sum;
    unsigned *word;
    unsigned long long *wide;
    long long *sign;
    float *number;
    cudaMalloc(&sum, 8);
    cudaMalloc(&word, 32);
    cudaMalloc(&wide, 40);
    cudaMalloc(&sign, 16);
    cudaMalloc(&number, 404);
    cudaMemset(sum, 0, 8);
    cudaMemset(word, 0, 28);
    cudaMemset(word + 7, 255, 4);
    cudaMemset(wide, 0, 40);
    cudaMemset(sign, 0, 16);
    all<<<2, 50>>>(sum, word, wide, sign, number);
    double total;
    unsigned words[8];
    unsigned long long wides[5];
    long long signs[2];
    float numbers[101];
    cudaMemcpy(&total, sum, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(words, word, 32, cudaMemcpyDeviceToHost);
    cudaMemcpy(wides, wide, 40, cudaMemcpyDeviceToHost);
    cudaMemcpy(signs, sign, 16, cudaMemcpyDeviceToHost);
    cudaMemcpy(numbers, number, 404, cudaMemcpyDeviceToHost);
    printf("%s: %g, %g, %g\n", cudaGetErrorName(cudaGetLastError()), total, numbers[99], numbers[100]);
    for (unsigned one : words)
        printf("%x ", one);
    for (unsigned long long one : wides)
        printf("%llx ", one);
    printf("%lld %lld\n", signs[0], signs[1]);
    return 0;
}
