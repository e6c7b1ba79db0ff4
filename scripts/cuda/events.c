/* Streams, which order nothing that is not in order already, and events, which know how many cycles kernels had taken
 * when they were recorded. Both are numbers that are never given twice, so that those of nobody are told apart. */
#include "link.h"
#include <stdint.h>

enum { RECORDED = 1, UNTIMED = 2 };

static BitlineTable streams, events;
static uintptr_t handles = 0x1000;

/* A new handle in a table; none where there is no memory. */
static void *handle(BitlineTable *table, int flags)
{
    BitlineEntry entry = {.at = handles, .flags = flags};
    handles += 16;
    return bitline_enter(table, entry) ? (void *)entry.at : NULL;
}

void bitline_forget_handles(void)
{
    bitline_clear(&streams);
    bitline_clear(&events);
}

cudaError_t bitline_stream(cudaStream_t stream)
{
    int known = stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
    if (known || bitline_at(&streams, stream))
        return cudaSuccess;
    return bitline_because(cudaErrorInvalidResourceHandle, "%p: no stream", (void *)stream);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (stream == NULL || flags > cudaStreamNonBlocking))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && (*stream = handle(&streams, 0)) == NULL)
        error = cudaErrorMemoryAllocation;
    return bitline_end(error);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

/* What is in a stream has ended when its call has returned. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    return bitline_end(error == cudaSuccess ? bitline_stream(stream) : error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    BitlineEntry *entry = bitline_at(&streams, stream);
    if (error == cudaSuccess && entry == NULL)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        bitline_leave(&streams, entry);
    return bitline_end(error);
}

/* An event that is live, unless there is an error already. */
static BitlineEntry *live(cudaEvent_t event, cudaError_t *error)
{
    BitlineEntry *entry = bitline_at(&events, event);
    if (*error == cudaSuccess && entry == NULL)
        *error = bitline_because(cudaErrorInvalidResourceHandle, "%p: no event", (void *)event);
    return entry;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error = bitline_begin();
    live(event, &error);
    if (error == cudaSuccess)
        error = flags != 0 ? cudaErrorInvalidValue : bitline_stream(stream);
    return bitline_end(error);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess && (event == NULL || (flags & ~(known | cudaEventInterprocess)) != 0))
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && (flags & cudaEventInterprocess))
        error = cudaErrorNotSupported;
    if (error == cudaSuccess && (*event = handle(&events, flags & cudaEventDisableTiming ? UNTIMED : 0)) == NULL)
        error = cudaErrorMemoryAllocation;
    return bitline_end(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    BitlineEntry *entry = live(event, &error);
    if (error == cudaSuccess)
        error = bitline_stream(stream);
    if (error == cudaSuccess) {
        error = bitline_exchange(bitline_asks(11), &entry->number, NULL, 0);
        entry->flags |= error == cudaSuccess ? RECORDED : 0;
    }
    return bitline_end(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = bitline_begin();
    live(event, &error);
    return bitline_end(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    cudaError_t error = bitline_begin();
    BitlineEntry *first = live(from, &error), *second = live(to, &error);
    if (error == cudaSuccess && milliseconds == NULL)
        error = cudaErrorInvalidValue;
    /* Both have been recorded, and take times. */
    if (error == cudaSuccess && (first->flags != RECORDED || second->flags != RECORDED))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        *milliseconds = (float)((double)(int64_t)(second->number - first->number) / BITLINE_CLOCK_KHZ);
    return bitline_end(error);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t error = bitline_begin();
    BitlineEntry *entry = live(event, &error);
    if (error == cudaSuccess)
        bitline_leave(&events, entry);
    return bitline_end(error);
}
