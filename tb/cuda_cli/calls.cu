/* Calls of the runtime that ordinary programs make: what they return, and what they leave in memory. */
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <vector>

__device__ int table[6];
__constant__ float weights[3];

struct Node {
    Node *next;
    int value;
};

template <class T> __global__ void twice(T *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        place[i] += place[i];
}

/* Follows a list that the host has made, and gives its sum and its length. */
__global__ void follow(Node *first, int *sum)
{
    int all = 0, length = 0;
    for (Node *node = first; node; node = node->next)
        all += node->value, node->value = -node->value, length++;
    sum[0] = all;
    sum[1] = length;
}

static int wrong;

static void is(const char *what, bool right)
{
    if (!right)
        printf("%s\n", what), wrong++;
}
#define IS(condition) is(#condition, condition)
#define DONE(call) is(#call, (call) == cudaSuccess)

static void rectangles()
{
    enum { WIDTH = 13, HEIGHT = 5 };
    int in[HEIGHT][WIDTH + 2], out[HEIGHT][WIDTH + 1], *place;
    size_t pitch = 0;
    for (int i = 0; i < HEIGHT * (WIDTH + 2); i++)
        in[i / (WIDTH + 2)][i % (WIDTH + 2)] = i * 37;
    memset(out, 0x77, sizeof out);
    DONE(cudaMallocPitch(&place, &pitch, 4 * WIDTH, HEIGHT));
    IS(pitch >= 4 * WIDTH && pitch % 256 == 0);
    DONE(cudaMemset2D(place, pitch, 1, pitch, HEIGHT));
    DONE(cudaMemcpy2D(place, pitch, in, sizeof in[0], 4 * WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    twice<<<1, WIDTH>>>((int *)((char *)place + 2 * pitch), WIDTH);
    DONE(cudaMemset2DAsync((char *)place + pitch, pitch, 0, 8, 1));
    DONE(cudaMemcpy2DAsync(out, sizeof out[0], place, pitch, 4 * WIDTH, HEIGHT, cudaMemcpyDefault));
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column <= WIDTH; column++) {
            int value = row == 2 ? 2 * in[row][column] : row == 1 && column < 2 ? 0 : in[row][column];
            IS(out[row][column] == (column < WIDTH ? value : 0x77777777));
        }
    int *other, flat[2 * WIDTH];
    DONE(cudaMalloc(&other, sizeof flat));
    DONE(cudaMemcpy2D(other, 4 * WIDTH, place, 2 * pitch, 4 * WIDTH, 2, cudaMemcpyDeviceToDevice));
    DONE(cudaMemcpy(flat, other, sizeof flat, cudaMemcpyDeviceToHost));
    IS(flat[0] == in[0][0] && flat[WIDTH] == 2 * in[2][0] && flat[2 * WIDTH - 1] == 2 * in[2][WIDTH - 1]);
    DONE(cudaFree(place));
    DONE(cudaFree(other));
}

static void both_sides()
{
    Node *nodes;
    int *sum, *pinned, host[6] = {1, 2, 3, 4, 5, 6};
    DONE(cudaMallocManaged(&nodes, 600 * sizeof *nodes));
    DONE(cudaMallocManaged(&sum, 8));
    for (int i = 0; i < 600; i++)
        nodes[i] = {i < 599 ? &nodes[i + 1] : nullptr, i};
    follow<<<1, 1>>>(nodes, sum);
    DONE(cudaDeviceSynchronize());
    IS(sum[0] == 599 * 300 && sum[1] == 600 && nodes[7].value == -7);
    nodes[599].value = 5000;
    DONE(cudaMemset(sum, 0xff, 8));
    IS(sum[1] == -1);
    follow<<<1, 1>>>(nodes + 598, sum);
    DONE(cudaMemcpy(host, sum, 8, cudaMemcpyDeviceToHost));
    IS(host[0] == 5000 - 598 && host[1] == 2);
    DONE(cudaMemcpyToSymbol(table, sum, 8, 16, cudaMemcpyDefault));
    DONE(cudaMemcpyFromSymbol(host, table, 24));
    IS(host[0] == 0 && host[4] == 5000 - 598 && host[5] == 2);
    IS(cudaMemcpy(sum, host, 9, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    IS(cudaFree((char *)sum + 4) == cudaErrorInvalidDevicePointer);
    DONE(cudaFree(sum));
    DONE(cudaFree(nodes));
    DONE(cudaHostAlloc(&pinned, 24, cudaHostAllocMapped));
    DONE(cudaHostGetDevicePointer(&sum, pinned, 0));
    pinned[0] = 21;
    twice<<<1, 1>>>(sum, 1);
    IS(pinned[0] == 42);
    DONE(cudaFreeHost(pinned));
    IS(cudaFreeHost(pinned) == cudaErrorInvalidValue);
    DONE(cudaHostAlloc(&pinned, 24, cudaHostAllocPortable | cudaHostAllocWriteCombined));
    pinned[3] = 9;
    DONE(cudaMemcpyToSymbol(table, pinned, 24));
    DONE(cudaFreeHost(pinned));
    DONE(cudaMemcpyFromSymbol(host, table, 4, 12));
    IS(host[0] == 9);
}

static void symbols()
{
    float host[3] = {1, 2.5f, -4}, *place, back[3] = {0, 0, 0};
    size_t bytes = 0;
    DONE(cudaGetSymbolSize(&bytes, weights));
    IS(bytes == 12);
    DONE(cudaMalloc(&place, 12));
    DONE(cudaMemcpyToSymbol(weights, host, 12));
    DONE(cudaMemcpyFromSymbol(place, weights, 8, 4, cudaMemcpyDeviceToDevice));
    void *arguments[2];
    int n = 2;
    arguments[0] = &place, arguments[1] = &n;
    DONE(cudaLaunchKernel(twice<float>, dim3(1), dim3(2), arguments));
    DONE(cudaMemcpyToSymbol(weights, place, 4, 8, cudaMemcpyDeviceToDevice));
    DONE(cudaMemcpyFromSymbol(back, weights, 12));
    IS(back[0] == 1 && back[1] == 2.5f && back[2] == 5);
    DONE(cudaFuncSetCacheConfig(twice<float>, cudaFuncCachePreferShared));
    IS(cudaFuncSetCacheConfig(host, cudaFuncCachePreferL1) == cudaErrorInvalidDeviceFunction);
}

static void device()
{
    cudaDeviceProp properties;
    int value = 0, runtime = 0, driver = 0;
    size_t bytes = 0;
    cudaFuncCache wish;
    DONE(cudaGetDeviceProperties(&properties, 0));
    IS(properties.warpSize == warpSize && properties.regsPerBlock == 0);
    const struct { cudaDeviceAttr which; int value; } all[] = {
        {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock}, {cudaDevAttrMaxBlockDimZ, 64},
        {cudaDevAttrMaxGridDimX, 0x7fffffff}, {cudaDevAttrMaxGridDimY, 65535}, {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)properties.sharedMemPerBlock}, {cudaDevAttrClockRate, 2600000},
        {cudaDevAttrMultiProcessorCount, 1}, {cudaDevAttrComputeCapabilityMajor, 5}, {cudaDevAttrManagedMemory, 1},
        {cudaDevAttrConcurrentKernels, 0}, {cudaDevAttrTotalConstantMemory, 65536}};
    for (const auto &one : all)
        IS(cudaDeviceGetAttribute(&value, one.which, 0) == cudaSuccess && value == one.value);
    IS(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0) == cudaErrorInvalidValue);
    IS(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice);
    DONE(cudaRuntimeGetVersion(&runtime));
    DONE(cudaDriverGetVersion(&driver));
    IS(runtime == CUDART_VERSION && driver == CUDA_VERSION);
    DONE(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    DONE(cudaDeviceGetCacheConfig(&wish));
    IS(wish == cudaFuncCachePreferL1);
    DONE(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    DONE(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    IS(bytes == 4096 && cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1) == cudaErrorUnsupportedLimit);
    DONE(cudaThreadSynchronize());
}

static void order()
{
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float time = -1, host[64], *place;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    DONE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DONE(cudaEventCreateWithFlags(&begin, cudaEventBlockingSync));
    DONE(cudaEventCreate(&end, cudaEventDefault));
    DONE(cudaMalloc(&place, sizeof host));
    DONE(cudaMemsetAsync(place, 0, sizeof host, stream));
    DONE(cudaMemcpyAsync(place, host, sizeof host, cudaMemcpyHostToDevice, stream));
    DONE(cudaEventRecord(begin, stream));
    twice<<<2, 32, 0, stream>>>(place, 50);
    DONE(cudaEventRecord(end, stream));
    DONE(cudaStreamWaitEvent(0, end));
    DONE(cudaMemcpyAsync(host, place, sizeof host, cudaMemcpyDeviceToHost));
    DONE(cudaEventQuery(end));
    DONE(cudaStreamQuery(stream));
    DONE(cudaEventElapsedTime(&time, begin, end));
    IS(time > 0 && host[49] == 98 && host[50] == 50);
    DONE(cudaEventDestroy(begin));
    DONE(cudaEventDestroy(end));
    DONE(cudaStreamDestroy(stream));
    DONE(cudaFree(place));
}

int main()
{
    rectangles();
    both_sides();
    symbols();
    device();
    order();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
