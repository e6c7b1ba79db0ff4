/* Memory of both sides: the host has pages at the very addresses of a buffer of the device, so that pointers are the
 * same. They go to the device before each launch and come back behind it, which is all that a program can see, since a
 * launch returns when the kernel has ended. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "managed.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* At: the first page; number: the buffer of the device that it is in. */
static BitlineTable managed;

int bitline_managed(const void *place) { return bitline_holding(&managed, place, 1) != NULL; }

int bitline_managed_holds(const void *place, size_t bytes) { return bitline_holding(&managed, place, bytes) != NULL; }

cudaError_t bitline_allocate_managed(void **place, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *buffer;
    *place = NULL;
    if (bytes > BITLINE_MOST)
        return cudaErrorMemoryAllocation;
    size_t pages = (bytes + page - 1) / page * page;
    cudaError_t error = bitline_allocate(&buffer, pages + page);
    if (error != cudaSuccess)
        return error;
    uintptr_t first = ((uintptr_t)buffer + page - 1) / page * page;
    void *wanted = (void *)first;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void *mapped = mmap(wanted, pages, PROT_READ | PROT_WRITE, flags, -1, 0);
    BitlineEntry entry = {.at = first, .bytes = bytes, .number = (uintptr_t)buffer};
    if (mapped == wanted && bitline_enter(&managed, entry)) {
        *place = wanted;
        return cudaSuccess;
    }
    /* The program has something else there. */
    if (mapped != MAP_FAILED)
        munmap(mapped, pages);
    bitline_release(buffer);
    return cudaErrorMemoryAllocation;
}

cudaError_t cudaMallocManaged(void **place, size_t bytes, unsigned flags)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (place == NULL || bytes == 0 ||
                                 (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)))
        error = cudaErrorInvalidValue;
    return bitline_end(error == cudaSuccess ? bitline_allocate_managed(place, bytes) : error);
}

cudaError_t bitline_release_managed(void *place)
{
    BitlineEntry *entry = bitline_at(&managed, place);
    if (entry == NULL)
        return cudaErrorInvalidDevicePointer;
    void *buffer = (void *)(uintptr_t)entry->number;
    munmap(place, entry->bytes);
    bitline_leave(&managed, entry);
    return bitline_release(buffer);
}

void bitline_forget_managed(void)
{
    for (size_t i = 0; i < managed.count; i++)
        munmap((void *)managed.entries[i].at, managed.entries[i].bytes);
    bitline_clear(&managed);
}

static cudaError_t all(int to_device)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < managed.count && error == cudaSuccess; i++) {
        void *place = (void *)managed.entries[i].at;
        BitlineCopy copy = {.to = place, .from = place, .from_device = !to_device, .to_device = to_device};
        error = bitline_move(&copy, managed.entries[i].bytes);
    }
    return error;
}

cudaError_t bitline_give_managed(void) { return all(1); }

cudaError_t bitline_take_managed(void) { return all(0); }
