/* The runtime's calls, as C sees them. */
#pragma once
#pragma clang system_header
#include "driver_types.h"
#include "vector_types.h"

/* The release whose calls clang makes of <<< >>>: see scripts/cu. */
#define CUDART_VERSION 11080

#ifdef __cplusplus
#define BITLINE_OR(value) = value
extern "C" {
#else
#define BITLINE_OR(value)
#endif
cudaError_t cudaMalloc(void **place, size_t bytes);
cudaError_t cudaMallocPitch(void **place, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocManaged(void **place, size_t bytes, unsigned flags BITLINE_OR(cudaMemAttachGlobal));
cudaError_t cudaFree(void *place);
cudaError_t cudaMallocHost(void **place, size_t bytes);
cudaError_t cudaHostAlloc(void **place, size_t bytes, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void **place, void *host, unsigned flags);
cudaError_t cudaFreeHost(void *place);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream BITLINE_OR(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream BITLINE_OR(0));
cudaError_t cudaMemset(void *place, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *place, int value, size_t bytes, cudaStream_t stream BITLINE_OR(0));
cudaError_t cudaMemset2D(void *place, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *place, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream BITLINE_OR(0));
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache wish);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *wish);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache wish);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags BITLINE_OR(0));
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream BITLINE_OR(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream);
cudaError_t bitline_cuda_symbol(const void *symbol, void *place, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                int write);
cudaError_t bitline_cuda_symbol_size(size_t *bytes, const void *symbol);
/* What clang makes of <<< >>>. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared BITLINE_OR(0),
                                     cudaStream_t stream BITLINE_OR(0));
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
#ifdef __cplusplus
}
#endif
