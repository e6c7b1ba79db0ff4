/* Threads that ask which memory pointers lead to, and an assertion that holds in one launch and not in the next. */
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int constant[2] = {1, 2};
__device__ int global;

__global__ void spaces(int *place, int n)
{
    __shared__ int shared[32];
    int own[4], i = threadIdx.x;
    own[i & 3] = i;
    assert(i < n);
    for (int turn = 0; turn < 3; turn++) {
        shared[i] = turn + i;
        assert(i + turn < n + 3);
        __syncthreads();
    }
    const int *pointer = i == 0 ? &constant[1] : i == 1 ? &shared[i] : i == 2 ? &global : &own[n & 3];
    place[i] = __isGlobal(pointer) | __isShared(pointer) << 1 | __isConstant(pointer) << 2 | __isLocal(pointer) << 3;
    if (place[i] == 99)
        __trap();
}

int main()
{
    int *place, found[8];
    cudaMalloc(&place, sizeof found);
    spaces<<<1, 8>>>(place, 8);
    cudaError_t error = cudaMemcpy(found, place, sizeof found, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        printf("%d%s", found[i], i < 7 ? " " : ": ");
    puts(cudaGetErrorName(error));
    spaces<<<1, 8>>>(place, 5);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    puts(cudaGetErrorName(cudaFree(place)));
}
