/* What programs get wrong: a line for each call with the name of the code that it returns. */
#include <cstdio>
#include <cuda_runtime.h>

__device__ int total;
__constant__ int factor;

__global__ void add(int *place, int n)
{
    int i = threadIdx.x;
    if (i < n)
        atomicAdd(&total, factor * place[i]);
}

static int not_a_symbol;

static void said(const char *what, cudaError_t error) { printf("%s: %s\n", what, cudaGetErrorName(error)); }

int main()
{
    int *place, *other, host[4] = {1, 2, 3, 4}, two = 2, sum = 0, count = 0;
    float time;
    cudaEvent_t event, never;
    cudaDeviceProp properties;
    said("malloc", cudaMalloc(&place, sizeof host));
    said("malloc of nothing", cudaMalloc(&other, 0));
    said("malloc of everything", cudaMalloc(&other, (size_t)1 << 40));
    said("malloc to nowhere", cudaMalloc((void **)nullptr, 4));
    said("copy out of range", cudaMemcpy(place + 1, host, sizeof host, cudaMemcpyHostToDevice));
    said("copy in the wrong direction", cudaMemcpy(host, place, 4, cudaMemcpyHostToDevice));
    said("copy in no direction", cudaMemcpy(host, place, 4, (cudaMemcpyKind)9));
    said("copy from null", cudaMemcpy(place, nullptr, 4, cudaMemcpyHostToDevice));
    said("copy", cudaMemcpy(place, host, sizeof host, cudaMemcpyDefault));
    said("fill out of range", cudaMemset(place, 0, 17));
    said("free inside", cudaFree(place + 1));
    said("free of the host's", cudaFree(host));
    said("free of null", cudaFree(nullptr));
    said("no symbol", cudaMemcpyToSymbol(not_a_symbol, &two, 4));
    said("symbol out of range", cudaMemcpyToSymbol(factor, &two, 4, 1));
    said("symbol", cudaMemcpyToSymbol(factor, &two, 4));
    said("last", cudaGetLastError());
    said("last again", cudaGetLastError());
    add<<<1, 2000>>>(place, 4);
    said("block too large", cudaGetLastError());
    add<<<0, 4>>>(place, 4);
    said("no blocks", cudaGetLastError());
    add<<<1, 4, 1 << 20>>>(place, 4);
    said("too much shared memory", cudaGetLastError());
    said("unknown kernel", cudaLaunchKernel((const void *)&two, dim3(1), dim3(1), nullptr, 0, 0));
    said("no such device", cudaSetDevice(1));
    said("properties", cudaGetDeviceProperties(&properties, 0));
    printf("%d threads of a block, %d kHz\n", properties.maxThreadsPerBlock, properties.clockRate);
    said("events", cudaEventCreate(&event));
    said("events", cudaEventCreate(&never));
    cudaGetLastError();
    add<<<1, 32>>>(place, 4);
    said("launch", cudaGetLastError());
    said("record", cudaEventRecord(event));
    said("never recorded", cudaEventElapsedTime(&time, never, event));
    said("sum", cudaMemcpyFromSymbol(&sum, total, 4));
    printf("%d\n", sum);
    said("free", cudaFree(place));
    said("free twice", cudaFree(place));
    said("malloc", cudaMalloc(&place, sizeof host));
    cudaGetLastError();
    add<<<1, 1>>>(place + (1 << 24), 4);
    said("address of nobody", cudaGetLastError());
    add<<<1, 1>>>(place, 4);
    said("launch after that", cudaGetLastError());
    said("malloc after that", cudaMalloc(&other, 4));
    said("wait after that", cudaDeviceSynchronize());
    said("reset", cudaDeviceReset());
    said("malloc after reset", cudaMalloc(&place, sizeof host));
    said("devices", cudaGetDeviceCount(&count));
    return 0;
}
