/* The host's side of CUDA programs of scripts/cu: every call becomes a message to `bitline sim cuda-device`, a process
 * of its own, whose answers are as in hdl/compile/runtime/serve.rs. Whatever is asked, this side does not crash: what
 * is no address of the host is not touched, no byte of the host is read before the device's range is known to be good,
 * and a device that has gone is an error.
 *
 * Memory is here, rectangles in pitch.c, memory of both sides in managed.c, errors in errors.c, launches and variables
 * in launch.c, streams and events in events.c, the device's properties in properties.c, tables in tables.c. */
#include "link.h"
#include "managed.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of the device are below, those of the host are above. */
#define DEVICE_END 0xf0000000u

/* Buffers of the device; memory of the host that cudaMallocHost has given. */
static BitlineTable buffers, pinned;

int bitline_on_device(const void *place) { return (uintptr_t)place < DEVICE_END && !bitline_managed(place); }

int bitline_in_buffer(const void *place, size_t bytes) { return bitline_holding(&buffers, place, bytes) != NULL; }

/* Of calls that ask for nothing: whether there is a device. */
static cudaError_t started(void) { return bitline_exchange(bitline_asks(13), NULL, NULL, 0); }

cudaError_t bitline_allocate(void **place, size_t bytes)
{
    uint64_t address = 0;
    if (place == NULL)
        return cudaErrorInvalidValue;
    *place = NULL;
    if (bytes == 0)
        return started();
    BitlineMessage message = bitline_asks(2);
    bitline_add_long(&message, bytes);
    cudaError_t error = bitline_exchange(message, &address, NULL, 0);
    if (error != cudaSuccess)
        return error;
    if (!bitline_enter(&buffers, (BitlineEntry){.at = (uintptr_t)address, .bytes = bytes}))
        return cudaErrorMemoryAllocation;
    *place = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t bitline_release(void *place)
{
    BitlineMessage message = bitline_asks(3);
    bitline_add_long(&message, (uintptr_t)place);
    cudaError_t error = bitline_exchange(message, NULL, NULL, 0);
    BitlineEntry *entry = bitline_at(&buffers, place);
    if (error == cudaSuccess && entry != NULL)
        bitline_leave(&buffers, entry);
    return error;
}

void bitline_forget_memory(void)
{
    bitline_forget_managed();
    bitline_clear(&buffers);
}

cudaError_t cudaMalloc(void **place, size_t bytes)
{
    cudaError_t error = bitline_begin();
    return bitline_end(error == cudaSuccess ? bitline_allocate(place, bytes) : error);
}

cudaError_t cudaFree(void *place)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && place == NULL)
        error = started();
    else if (error == cudaSuccess)
        error = bitline_managed(place) ? bitline_release_managed(place) : bitline_release(place);
    return bitline_end(error);
}

/* Memory of the host; what kernels are to see of it is memory of both sides. */
static cudaError_t allocate_host(void **place, size_t bytes, unsigned flags)
{
    *place = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (flags & cudaHostAllocMapped)
        return bitline_allocate_managed(place, bytes);
    *place = malloc(bytes);
    if (*place != NULL && bitline_enter(&pinned, (BitlineEntry){.at = (uintptr_t)*place, .bytes = bytes}))
        return cudaSuccess;
    free(*place);
    *place = NULL;
    return cudaErrorMemoryAllocation;
}

cudaError_t cudaHostAlloc(void **place, size_t bytes, unsigned flags)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (place == NULL || flags > 7))
        error = cudaErrorInvalidValue;
    return bitline_end(error == cudaSuccess ? allocate_host(place, bytes, flags) : error);
}

cudaError_t cudaMallocHost(void **place, size_t bytes) { return cudaHostAlloc(place, bytes, cudaHostAllocDefault); }

cudaError_t cudaHostGetDevicePointer(void **place, void *host, unsigned flags)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (place == NULL || flags != 0 || !bitline_managed(host)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *place = host;
    return bitline_end(error);
}

cudaError_t cudaFreeHost(void *place)
{
    cudaError_t error = bitline_begin();
    BitlineEntry *entry = bitline_at(&pinned, place);
    if (error == cudaSuccess && place != NULL && entry != NULL) {
        bitline_leave(&pinned, entry);
        free(place);
    } else if (error == cudaSuccess && place != NULL) {
        error = bitline_managed(place) ? bitline_release_managed(place) : cudaErrorInvalidValue;
        if (error != cudaSuccess)
            error = bitline_because(cudaErrorInvalidValue, "%p: no memory of cudaMallocHost", place);
    }
    return bitline_end(error);
}

/* Whether these bytes can be on the side where they are wanted; those of the host can be wrong all the same. */
static cudaError_t there(const void *place, size_t bytes, int device)
{
    int found;
    if (bitline_managed(place))
        found = bitline_managed_holds(place, bytes);
    else if (bitline_on_device(place) != device)
        return bitline_because(cudaErrorInvalidValue, "%p: no address of the %s", place, device ? "device" : "host");
    else
        found = device ? bitline_in_buffer(place, bytes) : bytes <= UINTPTR_MAX - (uintptr_t)place;
    return found ? cudaSuccess
                 : bitline_because(cudaErrorInvalidValue, "%zu bytes at %p: nothing has all of them", bytes, place);
}

cudaError_t bitline_check(BitlineCopy *copy, size_t to_bytes, size_t from_bytes, cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    copy->from_device = kind == cudaMemcpyDefault ? bitline_on_device(copy->from) : (kind & 2) != 0;
    copy->to_device = kind == cudaMemcpyDefault ? bitline_on_device(copy->to) : kind == 1 || kind == 3;
    cudaError_t error = there(copy->from, from_bytes, copy->from_device);
    if (error == cudaSuccess)
        error = there(copy->to, to_bytes, copy->to_device);
    /* What both sides have is at hand on this one. */
    copy->from_device &= !bitline_managed(copy->from);
    copy->to_device &= !bitline_managed(copy->to);
    return error;
}

cudaError_t bitline_move(const BitlineCopy *copy, size_t bytes)
{
    if (!copy->from_device && !copy->to_device) {
        memmove(copy->to, copy->from, bytes);
        return cudaSuccess;
    }
    BitlineMessage message = bitline_asks(copy->to_device ? (copy->from_device ? 7 : 4) : 5);
    bitline_add_long(&message, copy->to_device ? (uintptr_t)copy->to : (uintptr_t)copy->from);
    if (copy->from_device && copy->to_device)
        bitline_add_long(&message, (uintptr_t)copy->from);
    if (copy->from_device)
        bitline_add_long(&message, bytes);
    else
        bitline_add_given(&message, copy->from, bytes);
    return bitline_exchange(message, NULL, copy->to_device ? NULL : copy->to, bytes);
}

cudaError_t bitline_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    BitlineCopy copy = {.to = to, .from = from};
    if (bytes == 0)
        return (unsigned)kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
    cudaError_t error = bitline_check(&copy, bytes, bytes, kind);
    return error == cudaSuccess ? bitline_move(&copy, bytes) : error;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess)
        error = bitline_stream(stream);
    return bitline_end(error == cudaSuccess ? bitline_copy(to, from, bytes, kind) : error);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}

cudaError_t bitline_fill(void *place, int value, size_t bytes)
{
    unsigned char byte = (unsigned char)value;
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = there(place, bytes, 1);
    if (error != cudaSuccess)
        return error;
    if (bitline_managed(place)) {
        memset(place, byte, bytes);
        return cudaSuccess;
    }
    BitlineMessage message = bitline_asks(6);
    bitline_add_long(&message, (uintptr_t)place);
    bitline_add(&message, &byte, 1);
    bitline_add_long(&message, bytes);
    return bitline_exchange(message, NULL, NULL, 0);
}

cudaError_t cudaMemsetAsync(void *place, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess)
        error = bitline_stream(stream);
    return bitline_end(error == cudaSuccess ? bitline_fill(place, value, bytes) : error);
}

cudaError_t cudaMemset(void *place, int value, size_t bytes) { return cudaMemsetAsync(place, value, bytes, NULL); }

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    uint64_t numbers[2] = {0, 0};
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (left == NULL || all == NULL))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        error = bitline_exchange(bitline_asks(13), NULL, numbers, sizeof numbers);
        *left = numbers[0];
        *all = numbers[1];
    }
    return bitline_end(error);
}
