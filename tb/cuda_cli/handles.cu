/* Sizes, handles and pointers that are none have their codes, and nothing of the program is touched for them: what each
 * call returns is compared with what CUDA says. */
#include <cstdio>
#include <cuda_runtime.h>
#include <initializer_list>
#include <pthread.h>
#include <sys/mman.h>

__device__ int four[4];

__global__ void store(int *place, int value) { place[threadIdx.x] = value; }
__global__ void store_at(int *place, const int *index, long more) { place[more + index[threadIdx.x]] = 9; }

static int wrong;

static void is(const char *what, cudaError_t found, cudaError_t wanted)
{
    if (found != wanted)
        printf("%s: %s, not %s\n", what, cudaGetErrorName(found), cudaGetErrorName(wanted)), wrong++;
}
#define IS(call, wanted) is(#call, call, wanted)

static const size_t ALL = (size_t)-1;
static int host[16], *place;

static void sizes()
{
    void *nothing = host, *arguments[2] = {nullptr, nullptr};
    size_t pitch = 0, bytes = 0;
    const cudaError_t invalid = cudaErrorInvalidValue;
    IS(cudaMalloc(&nothing, 0), cudaSuccess);
    IS(nothing == nullptr ? cudaSuccess : invalid, cudaSuccess);
    IS(cudaMalloc(&nothing, ALL), cudaErrorMemoryAllocation);
    IS(cudaMallocPitch(&nothing, &pitch, ALL, 2), cudaErrorMemoryAllocation);
    IS(cudaMallocPitch(&nothing, &pitch, 512, ALL / 256), cudaErrorMemoryAllocation);
    IS(cudaMallocManaged(&nothing, ALL), cudaErrorMemoryAllocation);
    for (size_t count : {(size_t)68, (size_t)64 << 20, (size_t)1 << 40, ALL, ALL - 63}) {
        IS(cudaMemcpy(place, host, count, cudaMemcpyHostToDevice), invalid);
        IS(cudaMemcpy(host, place, count, cudaMemcpyDeviceToHost), invalid);
        IS(cudaMemcpy(place, place, count, cudaMemcpyDeviceToDevice), invalid);
        IS(cudaMemset(place, 0, count), invalid);
        IS(cudaMemset2D(place, count, 0, 4, 2), invalid);
        IS(cudaMemcpy2D(place, count, host, 4, 4, 2, cudaMemcpyHostToDevice), invalid);
        IS(cudaMemcpy2D(host, 4, place, 4, 4, count, cudaMemcpyDeviceToHost), invalid);
        IS(cudaMemcpyToSymbol(four, host, count), invalid);
        IS(cudaMemcpyFromSymbol(host, four, count), invalid);
        IS(cudaMemcpyToSymbol(four, host, 4, count), invalid);
    }
    IS(cudaMemcpyToSymbol(four, host, 8, 12), invalid);
    IS(cudaMemcpyToSymbol(four, host, ALL - 3, 4), invalid);
    IS(cudaMemcpyToSymbol(four, host, 16, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemcpyToSymbol(four, place, 16, 0, cudaMemcpyDeviceToDevice), cudaSuccess);
    IS(cudaMemcpy2D(place, 4, host, 4, 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    IS(cudaGetSymbolSize(&bytes, four), bytes == 16 ? cudaSuccess : invalid);
    IS(cudaMemset(nullptr, 0, 0), cudaSuccess);
    IS(cudaLaunchKernel(store, dim3(1), dim3(1), nullptr), invalid);
    IS(cudaLaunchKernel(store, dim3(1), dim3(1), arguments), invalid);
    for (dim3 grid : {dim3(0), dim3(1u << 31), dim3(1, 65536), dim3(1, 1, 65536), dim3(1u << 20, 1u << 15)})
        store<<<grid, 1>>>(place, 0), IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    for (dim3 block : {dim3(0), dim3(1025), dim3(1, 1025), dim3(1, 1, 65), dim3(32, 33), dim3(1u << 31, 2)})
        store<<<1, block>>>(place, 0), IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    for (size_t shared : {(size_t)1 << 20, (size_t)1 << 40, ALL})
        store<<<1, 1, shared>>>(place, 0), IS(cudaGetLastError(), cudaErrorLaunchOutOfResources);
}

static void handles()
{
    const cudaError_t none = cudaErrorInvalidResourceHandle;
    cudaEvent_t event, other, untimed, dead = (cudaEvent_t)0x10;
    cudaStream_t stream, gone;
    float time;
    IS(cudaEventCreate(&event), cudaSuccess);
    IS(cudaEventCreate(&other), cudaSuccess);
    IS(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    IS(cudaStreamCreate(&stream), cudaSuccess);
    IS(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking), cudaSuccess);
    IS(cudaEventRecord(event, stream), cudaSuccess);
    IS(cudaEventRecord(untimed), cudaSuccess);
    IS(cudaEventElapsedTime(&time, event, untimed), none);
    IS(cudaEventElapsedTime(&time, event, other), none);
    IS(cudaEventElapsedTime(nullptr, event, event), cudaErrorInvalidValue);
    IS(cudaStreamDestroy(gone), cudaSuccess);
    for (cudaStream_t bad : {gone, (cudaStream_t)event, (cudaStream_t)0x10}) {
        IS(cudaStreamDestroy(bad), none);
        IS(cudaStreamSynchronize(bad), none);
        IS(cudaStreamQuery(bad), none);
        IS(cudaStreamWaitEvent(bad, event), none);
        IS(cudaEventRecord(event, bad), none);
        IS(cudaMemcpyAsync(place, host, 4, cudaMemcpyHostToDevice, bad), none);
        IS(cudaMemsetAsync(place, 0, 4, bad), none);
        store<<<1, 1, 0, bad>>>(place, 0), IS(cudaGetLastError(), none);
    }
    IS(cudaEventDestroy(other), cudaSuccess);
    for (cudaEvent_t bad : {other, (cudaEvent_t)stream, dead, (cudaEvent_t) nullptr}) {
        IS(cudaEventDestroy(bad), none);
        IS(cudaEventRecord(bad), none);
        IS(cudaEventQuery(bad), none);
        IS(cudaEventSynchronize(bad), none);
        IS(cudaEventElapsedTime(&time, event, bad), none);
        IS(cudaStreamWaitEvent(stream, bad), none);
    }
    IS(cudaStreamWaitEvent(stream, event), cudaSuccess);
    IS(cudaStreamSynchronize(stream), cudaSuccess);
    IS(cudaStreamDestroy(stream), cudaSuccess);
}

static void host_memory()
{
    int *pinned, stack[4];
    IS(cudaMallocHost(&pinned, 64), cudaSuccess);
    IS(cudaFreeHost(pinned + 1), cudaErrorInvalidValue);
    IS(cudaFreeHost(pinned), cudaSuccess);
    IS(cudaFreeHost(pinned), cudaErrorInvalidValue);
    IS(cudaFreeHost(stack), cudaErrorInvalidValue);
    IS(cudaFreeHost(place), cudaErrorInvalidValue);
    IS(cudaFreeHost(nullptr), cudaSuccess);
    IS(cudaHostAlloc(&pinned, 64, 8), cudaErrorInvalidValue);
    IS(cudaHostGetDevicePointer(&pinned, stack, 0), cudaErrorInvalidValue);
    IS(cudaFree(stack), cudaErrorInvalidDevicePointer);
}

/* Each thread has its own last error, and all of them what a kernel has left. */
static void *beside(void *left)
{
    IS(cudaGetLastError(), left ? cudaErrorIllegalAddress : cudaSuccess);
    for (int i = 0; i < 100 && !left; i++) {
        int *mine;
        cudaEvent_t event;
        IS(cudaMalloc(&mine, 64), cudaSuccess);
        IS(cudaEventCreate(&event), cudaSuccess);
        IS(cudaEventDestroy(event), cudaSuccess);
        IS(cudaMemset(mine, i, 64), cudaSuccess);
        IS(cudaFree(mine), cudaSuccess);
    }
    return nullptr;
}

static void threads(void *left)
{
    pthread_t all[4];
    for (pthread_t &thread : all)
        pthread_create(&thread, nullptr, beside, left);
    for (pthread_t &thread : all)
        pthread_join(thread, nullptr);
}

static void behind_an_error()
{
    const cudaError_t left = cudaErrorIllegalAddress;
    cudaEvent_t event, before;
    cudaStream_t stream;
    cudaDeviceProp properties;
    void *nothing;
    int number;
    IS(cudaEventCreate(&before), cudaSuccess);
    store<<<1, 1>>>(place + (1 << 24), 0);
    IS(cudaGetLastError(), left);
    IS(cudaGetLastError(), left);
    IS(cudaPeekAtLastError(), left);
    IS(cudaMemcpy(place, host, 0, cudaMemcpyHostToDevice), left);
    IS(cudaMemset(place, 0, 0), left);
    IS(cudaMalloc(&nothing, 0), left);
    IS(cudaFree(nullptr), left);
    IS(cudaMallocHost(&nothing, 4), left);
    IS(cudaEventCreate(&event), left);
    IS(cudaEventRecord(before), left);
    IS(cudaEventSynchronize(before), left);
    IS(cudaStreamCreate(&stream), left);
    IS(cudaStreamSynchronize(0), left);
    IS(cudaGetDevice(&number), left);
    IS(cudaGetDeviceProperties(&properties, 0), left);
    IS(cudaMemcpyToSymbol(four, host, 4), left);
    threads(place);
    IS(cudaDeviceReset(), cudaSuccess);
    IS(cudaGetLastError(), cudaSuccess);
    IS(cudaEventRecord(before), cudaErrorInvalidResourceHandle);
    IS(cudaMemcpy(place, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(cudaMalloc(&place, 64), cudaSuccess);
    store<<<1, 16>>>(place, 5);
    IS(cudaMemcpy(host, place, 64, cudaMemcpyDefault), cudaSuccess);
    IS(host[15] == 5 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
}

/* Addresses that lead nowhere, though their lower half may be one of memory. */
static void far_away()
{
    const int near[2] = {3, 1}, wide[2] = {0, 1 << 30}, below[2] = {2, -(1 << 30)};
    const long page = 1L << 32;
    int *index;
    for (const int *indices : {near, wide, below, near, near, near}) {
        static int turn;
        const long more = turn == 3 ? page / 4 : turn == 4 ? -page : 0;
        int *to = turn == 5 ? host : place;
        (void)cudaGetLastError();
        IS(cudaMalloc(&index, sizeof near), cudaSuccess);
        IS(cudaMemcpy(index, indices, sizeof near, cudaMemcpyHostToDevice), cudaSuccess);
        store_at<<<1, 2>>>(to, index, more);
        const cudaError_t found = cudaGetLastError();
        const bool refused = found == cudaErrorInvalidValue && more != 0;
        IS(refused ? cudaErrorIllegalAddress : found, turn ? cudaErrorIllegalAddress : cudaSuccess);
        turn++;
        IS(cudaDeviceReset(), cudaSuccess);
        IS(cudaMalloc(&place, 64), cudaSuccess);
    }
}

/* Where the program has no memory, and where it ends in the middle of what is asked. */
static void absent()
{
    const size_t page = 4096;
    char *pages = (char *)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    IS(pages == MAP_FAILED || munmap(pages + page, page) != 0 ? cudaErrorUnknown : cudaSuccess, cudaSuccess);
    for (char *gone : {pages + page, pages + page - 32}) {
        IS(cudaMemcpy(place, gone, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        IS(cudaMemcpy(gone, place, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    }
    void *arguments[] = {pages + page, pages + page};
    IS(cudaMemcpyToSymbol(four, pages + page, 4), cudaErrorInvalidValue);
    IS(cudaMemcpyFromSymbol(pages + page, four, 4), cudaErrorInvalidValue);
    IS(cudaLaunchKernel((const void *)store, dim3(1), dim3(1), arguments, 0, 0), cudaErrorInvalidValue);
    IS(cudaMemcpy(place, pages, 64, cudaMemcpyHostToDevice), cudaSuccess);
    munmap(pages, page);
}

int main()
{
    IS(cudaMalloc(&place, 64), cudaSuccess);
    sizes();
    absent();
    handles();
    host_memory();
    cudaSetDevice(1);
    threads(nullptr);
    IS(cudaGetLastError(), cudaErrorInvalidDevice);
    behind_an_error();
    far_away();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
