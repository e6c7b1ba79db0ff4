/* Rectangles of memory: rows at equal distances, their pitch. */
#include "managed.h"
#include <stdint.h>

/* Rows begin at multiples of it, as cudaMallocPitch gives them. */
#define PITCH 512

cudaError_t cudaMallocPitch(void **place, size_t *pitch, size_t width, size_t height)
{
    cudaError_t error = bitline_begin();
    size_t row = 0, bytes = 0;
    if (error == cudaSuccess && (place == NULL || pitch == NULL))
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && width > 0 && height > 0 &&
             (width > BITLINE_MOST || (row = (width + PITCH - 1) / PITCH * PITCH) > BITLINE_MOST / height))
        error = cudaErrorMemoryAllocation;
    bytes = row * height;
    if (error == cudaSuccess)
        error = bitline_allocate(place, bytes);
    if (error == cudaSuccess)
        *pitch = row;
    return bitline_end(error);
}

/* Bytes from the first one of a rectangle to its last one; 0 where it has more than memory can have. */
static size_t extent(size_t pitch, size_t width, size_t height)
{
    size_t bytes;
    if (__builtin_mul_overflow(pitch, height - 1, &bytes) || __builtin_add_overflow(bytes, width, &bytes))
        return 0;
    return bytes;
}

static cudaError_t copy_rows(BitlineCopy copy, size_t to_pitch, size_t from_pitch, size_t width, size_t height,
                             cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    size_t to_bytes = extent(to_pitch, width, height), from_bytes = extent(from_pitch, width, height);
    if (to_bytes == 0 || from_bytes == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = bitline_check(&copy, to_bytes, from_bytes, kind);
    if (to_pitch == width && from_pitch == width)
        return error == cudaSuccess ? bitline_move(&copy, to_bytes) : error;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        error = bitline_move(&copy, width);
        copy.to = (char *)copy.to + to_pitch;
        copy.from = (const char *)copy.from + from_pitch;
    }
    return error;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess)
        error = bitline_stream(stream);
    if (error == cudaSuccess)
        error = copy_rows((BitlineCopy){.to = to, .from = from}, to_pitch, from_pitch, width, height, kind);
    return bitline_end(error);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

cudaError_t cudaMemset2DAsync(void *place, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    if (error == cudaSuccess)
        error = bitline_stream(stream);
    if (error == cudaSuccess && width > pitch)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && width > 0 && height > 0) {
        size_t bytes = extent(pitch, width, height);
        if (bytes == 0 || !(bitline_in_buffer(place, bytes) || bitline_managed_holds(place, bytes)))
            error = cudaErrorInvalidValue;
        for (size_t row = 0; row < height && error == cudaSuccess; row++)
            error = bitline_fill((char *)place + row * pitch, value, width);
    }
    return bitline_end(error);
}

cudaError_t cudaMemset2D(void *place, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(place, pitch, value, width, height, NULL);
}
