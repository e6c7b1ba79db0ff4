/* The device and what it is: its number, properties, versions, limits. */
#include "link.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What launch.c takes of a launch. */
#define MOST_BLOCKS_X 0x7fffffff
#define SHARED_BYTES (48 * 1024)

static size_t stack_bytes = 1024;
static cudaFuncCache cache = cudaFuncCachePreferNone;

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && count == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *count = 1;
    return bitline_end(error);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && device == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *device = 0;
    return bitline_end(error);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = bitline_begin();
    return bitline_end(error == cudaSuccess && device != 0 ? cudaErrorInvalidDevice : error);
}

static cudaError_t find_properties(cudaDeviceProp *properties)
{
    uint64_t threads = 0, numbers[2] = {0, 0};
    cudaError_t error = bitline_exchange(bitline_asks(13), &threads, numbers, sizeof numbers);
    memset(properties, 0, sizeof *properties);
    const char *engine = getenv("BITLINE_ENGINE");
    snprintf(properties->name, sizeof properties->name, "bitline control block (%s)", engine ? engine : "words");
    properties->totalGlobalMem = numbers[1];
    properties->sharedMemPerBlock = SHARED_BYTES;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = MOST_BLOCKS_X;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->memPitch = MOST_BLOCKS_X;
    properties->clockRate = BITLINE_CLOCK_KHZ;
    properties->totalConstMem = 64 * 1024;
    properties->major = 5;
    properties->multiProcessorCount = 1;
    properties->maxThreadsPerMultiProcessor = (int)threads;
    properties->sharedMemPerMultiprocessor = SHARED_BYTES;
    properties->unifiedAddressing = 1;
    properties->managedMemory = 1;
    properties->canMapHostMemory = 1;
    return error;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && properties == NULL)
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && device != 0)
        error = cudaErrorInvalidDevice;
    return bitline_end(error == cudaSuccess ? find_properties(properties) : error);
}

/* Of properties that are asked for one by one. What the device has none of is 0. */
static cudaError_t attribute(int *value, cudaDeviceAttr which)
{
    cudaDeviceProp properties;
    cudaError_t error = find_properties(&properties);
    switch (which) {
    case cudaDevAttrMaxThreadsPerBlock: *value = properties.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = properties.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = properties.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = properties.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = properties.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = properties.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = properties.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = SHARED_BYTES; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)properties.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = properties.warpSize; break;
    case cudaDevAttrMaxPitch: *value = (int)properties.memPitch; break;
    case cudaDevAttrClockRate: *value = properties.clockRate; break;
    case cudaDevAttrMultiProcessorCount: *value = properties.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = properties.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = properties.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = properties.minor; break;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory: *value = 1; break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    default: error = cudaErrorInvalidValue;
    }
    return error;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && value == NULL)
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && device != 0)
        error = cudaErrorInvalidDevice;
    return bitline_end(error == cudaSuccess ? attribute(value, which) : error);
}

/* The release whose calls clang makes of kernels (scripts/cu). */
cudaError_t cudaRuntimeGetVersion(int *version)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && version == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *version = CUDART_VERSION;
    return bitline_end(error);
}

cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

/* How a cache is divided changes nothing here, so that a wish is kept and no more. */
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache wish)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (unsigned)wish > cudaFuncCachePreferEqual)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        cache = wish;
    return bitline_end(error);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *wish)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && wish == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *wish = cache;
    return bitline_end(error);
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache wish)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (unsigned)wish > cudaFuncCachePreferEqual)
        error = cudaErrorInvalidValue;
    return bitline_end(error == cudaSuccess ? bitline_kernel(kernel) : error);
}

/* A kernel's stack is as large as it needs, whatever is asked for; there is no printf and no malloc on the device. */
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && limit != cudaLimitStackSize)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess)
        stack_bytes = value;
    return bitline_end(error);
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && value == NULL)
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && limit != cudaLimitStackSize)
        error = cudaErrorUnsupportedLimit;
    if (error == cudaSuccess)
        *value = stack_bytes;
    return bitline_end(error);
}
