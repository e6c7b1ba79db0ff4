/* The host's side of CUDA programs of scripts/cu: every call becomes a message to `bitline sim cuda-device`, a process
 * of its own, whose answers are as in hdl/compile/runtime/serve.rs. Whatever is asked, this side does not crash: what
 * is no address of the host is not touched, and a device that has gone is an error. Memory and errors are here,
 * launches and variables in launch.c, streams, events and properties in events.c. */
#include "link.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of the device are below, those of the host are above. */
#define DEVICE_END 0xf0000000u

static cudaError_t last;

static int stays(cudaError_t error)
{
    return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout || error == cudaErrorMisalignedAddress ||
           error == cudaErrorAssert || error == cudaErrorLaunchFailure;
}

cudaError_t bitline_told(cudaError_t error)
{
    if (error != cudaSuccess && !stays(last))
        last = error;
    return error;
}

cudaError_t bitline_ask(BitlineMessage message, uint64_t *number, void *place, size_t room)
{
    bitline_lock();
    cudaError_t error = bitline_told(bitline_exchange(&message, number, place, room));
    bitline_unlock();
    return error;
}

int bitline_on_device(const void *place) { return (uintptr_t)place < DEVICE_END; }

cudaError_t cudaMalloc(void **place, size_t bytes)
{
    uint64_t address = 0;
    if (place == NULL)
        return bitline_told(cudaErrorInvalidValue);
    BitlineMessage message = bitline_asks(2);
    bitline_add_long(&message, bytes);
    cudaError_t error = bitline_ask(message, &address, NULL, 0);
    if (error == cudaSuccess)
        *place = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaFree(void *place)
{
    BitlineMessage message = bitline_asks(3);
    if (place == NULL) {
        free(message.bytes);
        return cudaSuccess;
    }
    bitline_add_long(&message, (uintptr_t)place);
    return bitline_ask(message, NULL, NULL, 0);
}

cudaError_t cudaMallocHost(void **place, size_t bytes)
{
    if (place == NULL || bytes == 0)
        return bitline_told(cudaErrorInvalidValue);
    *place = malloc(bytes);
    return *place ? cudaSuccess : bitline_told(cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *place)
{
    if (place != NULL && bitline_on_device(place))
        return bitline_told(cudaErrorInvalidValue);
    free(place);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return bitline_told(cudaErrorInvalidMemcpyDirection);
    if (bytes == 0)
        return cudaSuccess;
    int from_device = kind == cudaMemcpyDefault ? bitline_on_device(from) : (kind & 2) != 0;
    int to_device = kind == cudaMemcpyDefault ? bitline_on_device(to) : kind == 1 || kind == 3;
    /* Of the host nothing is touched that is none of its addresses. */
    if (bitline_on_device(from) != from_device || bitline_on_device(to) != to_device)
        return bitline_told(cudaErrorInvalidValue);
    if (!from_device && !to_device) {
        memmove(to, from, bytes);
        return cudaSuccess;
    }
    BitlineMessage message = bitline_asks(to_device ? (from_device ? 7 : 4) : 5);
    bitline_add_long(&message, to_device ? (uintptr_t)to : (uintptr_t)from);
    if (from_device && to_device)
        bitline_add_long(&message, (uintptr_t)from);
    if (from_device)
        bitline_add_long(&message, bytes);
    else
        bitline_add_bytes(&message, from, bytes);
    return bitline_ask(message, NULL, to_device ? NULL : to, bytes);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *place, int value, size_t bytes)
{
    unsigned char byte = (unsigned char)value;
    BitlineMessage message = bitline_asks(6);
    bitline_add_long(&message, (uintptr_t)place);
    bitline_add(&message, &byte, 1);
    bitline_add_long(&message, bytes);
    return bitline_ask(message, NULL, NULL, 0);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    uint64_t numbers[2] = {0, 0};
    if (left == NULL || all == NULL)
        return bitline_told(cudaErrorInvalidValue);
    cudaError_t error = bitline_ask(bitline_asks(13), NULL, numbers, sizeof numbers);
    *left = numbers[0];
    *all = numbers[1];
    return error;
}

/* Everything is done when its call returns; what a kernel has left is told again. */
cudaError_t cudaDeviceSynchronize(void) { return stays(last) ? last : cudaSuccess; }

cudaError_t cudaDeviceReset(void)
{
    cudaError_t error = bitline_ask(bitline_asks(12), NULL, NULL, 0);
    last = error;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    if (!stays(last))
        last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return last; }

const char *cudaGetErrorName(cudaError_t error)
{
#define BITLINE_NAME(name, number, text) case number: return #name;
    switch ((int)error) { BITLINE_CUDA_ERRORS(BITLINE_NAME) }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
#define BITLINE_TEXT(name, number, text) case number: return text;
    switch ((int)error) { BITLINE_CUDA_ERRORS(BITLINE_TEXT) }
    return "unrecognized error code";
}
