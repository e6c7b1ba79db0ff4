/* The part of CUDA that programs of scripts/cu have: the runtime's calls on the host, and what kernels use.
 *
 * Written for clang, in place of NVIDIA's headers; no SDK is needed. C sees the runtime's calls alone. Calls return
 * codes as CUDA's do; names and texts of all codes are in the list below. Copies and launches are done when they
 * return, so that streams order nothing that is not in order already. */
#pragma once
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* name, number, text: those of hdl/compile/runtime/status.rs, and what the program itself finds. */
#define BITLINE_CUDA_ERRORS(X) \
    X(cudaSuccess, 0, "no error") \
    X(cudaErrorInvalidValue, 1, "invalid argument") \
    X(cudaErrorMemoryAllocation, 2, "out of memory") \
    X(cudaErrorInitializationError, 3, "initialization error") \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
    X(cudaErrorInvalidPtx, 218, "a PTX compilation failed") \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
    X(cudaErrorAssert, 710, "device-side assert triggered") \
    X(cudaErrorMisalignedAddress, 716, "misaligned address") \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
    X(cudaErrorNotSupported, 801, "operation not supported") \
    X(cudaErrorUnknown, 999, "unknown error")

#define BITLINE_CODE(name, number, text) name = number,
typedef enum cudaError { BITLINE_CUDA_ERRORS(BITLINE_CODE) } cudaError_t;
#undef BITLINE_CODE

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __attribute__((host)) __attribute__((device)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z)
    {
    }
#endif
} dim3;

typedef struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int warpSize; /* there are no warps; programs that align to them lose nothing */
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate; /* kHz */
    size_t totalConstMem;
    int major, minor;
    int multiProcessorCount;
    int maxThreadsPerMultiProcessor;
} cudaDeviceProp;

typedef struct bitline_cuda_stream *cudaStream_t;
typedef struct bitline_cuda_event *cudaEvent_t;

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaMalloc(void **place, size_t bytes);
cudaError_t cudaFree(void *place);
cudaError_t cudaMallocHost(void **place, size_t bytes);
cudaError_t cudaFreeHost(void *place);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemset(void *place, int value, size_t bytes);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
cudaError_t bitline_cuda_record(cudaEvent_t event, cudaStream_t stream);
cudaError_t bitline_cuda_symbol(const void *symbol, void *place, size_t bytes, size_t offset, int write);
/* What clang makes of <<< >>>. */
#ifdef __cplusplus
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
#else
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
#endif
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
#ifdef __cplusplus
}

template <class T> inline cudaError_t cudaMalloc(T **place, size_t bytes) { return cudaMalloc((void **)place, bytes); }
template <class T> inline cudaError_t cudaMallocHost(T **place, size_t bytes)
{
    return cudaMallocHost((void **)place, bytes);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0)
{
    return bitline_cuda_record(event, stream);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    if (kind != cudaMemcpyHostToDevice)
        return cudaErrorInvalidMemcpyDirection;
    return bitline_cuda_symbol(&symbol, (void *)from, bytes, offset, 1);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    if (kind != cudaMemcpyDeviceToHost)
        return cudaErrorInvalidMemcpyDirection;
    return bitline_cuda_symbol(&symbol, to, bytes, offset, 0);
}

#include "device.h"
#else
#define cudaEventRecord(event, stream) bitline_cuda_record(event, stream)
#endif
