/* The part of CUDA that programs of scripts/cu have: the runtime's calls on the host, and what kernels use.
 *
 * Written for clang, in place of NVIDIA's headers; no SDK is needed. C sees the runtime's calls alone. Calls return
 * codes as CUDA's do. Copies and launches are done when they return, so that streams order nothing that is not in order
 * already. */
#pragma once
/* A function of the device may have the name of one of the C library only in a system's header. */
#pragma clang system_header
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus
/* The device's functions are known before those of the C library: clang lets no constant expression of the library's
 * headers take the place of one that is. */
#include "device.h"
#include <math.h>
#endif
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
template <class T> inline cudaError_t cudaMalloc(T **place, size_t bytes) { return cudaMalloc((void **)place, bytes); }
template <class T> inline cudaError_t cudaMallocPitch(T **place, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)place, pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **place, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)place, bytes, flags);
}
template <class T> inline cudaError_t cudaMallocHost(T **place, size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    return cudaHostAlloc((void **)place, bytes, flags);
}
template <class T> inline cudaError_t cudaHostAlloc(T **place, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)place, bytes, flags);
}
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **place, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)place, host, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return bitline_cuda_symbol(&symbol, (void *)from, bytes, offset, kind, 1);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return bitline_cuda_symbol(&symbol, to, bytes, offset, kind, 0);
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return bitline_cuda_symbol_size(bytes, &symbol);
}
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache wish)
{
    return cudaFuncSetCacheConfig((const void *)kernel, wish);
}
template <class T>
inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                    cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
#endif
