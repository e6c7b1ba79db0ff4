/* The device and its properties, streams, which order nothing that is not in order already, and events, which know how
 * many cycles kernels had taken when they were recorded. */
#include "link.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clock of the control block: that of the cache in the paper. */
#define CLOCK_KHZ 2600000

struct bitline_cuda_event {
    int recorded;
    uint64_t cycles;
};

cudaError_t cudaGetDeviceCount(int *count)
{
    if (count == NULL)
        return bitline_told(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    if (device == NULL)
        return bitline_told(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : bitline_told(cudaErrorInvalidDevice); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    uint64_t threads = 0, numbers[2] = {0, 0};
    if (properties == NULL)
        return bitline_told(cudaErrorInvalidValue);
    if (device != 0)
        return bitline_told(cudaErrorInvalidDevice);
    cudaError_t error = bitline_ask(bitline_asks(13), &threads, numbers, sizeof numbers);
    memset(properties, 0, sizeof *properties);
    const char *engine = getenv("BITLINE_ENGINE");
    snprintf(properties->name, sizeof properties->name, "bitline control block (%s)", engine ? engine : "words");
    properties->totalGlobalMem = numbers[1];
    properties->sharedMemPerBlock = 48 * 1024;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    for (int axis = 0; axis < 3; axis++) {
        properties->maxThreadsDim[axis] = 1024;
        properties->maxGridSize[axis] = 1 << 20;
    }
    properties->clockRate = CLOCK_KHZ;
    properties->totalConstMem = 64 * 1024;
    properties->major = 5;
    properties->multiProcessorCount = 1;
    properties->maxThreadsPerMultiProcessor = (int)threads;
    return error;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    if (stream == NULL)
        return bitline_told(cudaErrorInvalidValue);
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    if (event == NULL)
        return bitline_told(cudaErrorInvalidValue);
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : bitline_told(cudaErrorMemoryAllocation);
}

cudaError_t bitline_cuda_record(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    if (event == NULL)
        return bitline_told(cudaErrorInvalidResourceHandle);
    cudaError_t error = bitline_ask(bitline_asks(11), &event->cycles, NULL, 0);
    event->recorded = error == cudaSuccess;
    return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return event ? cudaDeviceSynchronize() : bitline_told(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    if (milliseconds == NULL)
        return bitline_told(cudaErrorInvalidValue);
    if (from == NULL || to == NULL || !from->recorded || !to->recorded)
        return bitline_told(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)((double)(int64_t)(to->cycles - from->cycles) / CLOCK_KHZ);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (event == NULL)
        return bitline_told(cudaErrorInvalidResourceHandle);
    free(event);
    return cudaSuccess;
}
