/* Errors: the last one of each thread, the one that a kernel has left to all calls of all threads, names and texts. */
#include "link.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static __thread cudaError_t last;
static cudaError_t standing;

void bitline_stays(cudaError_t error)
{
    if (error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout || error == cudaErrorMisalignedAddress ||
        error == cudaErrorAssert || error == cudaErrorLaunchFailure)
        standing = error;
}

cudaError_t bitline_begin(void)
{
    bitline_lock();
    return standing;
}

cudaError_t bitline_end(cudaError_t error)
{
    bitline_unlock();
    if (error != cudaSuccess)
        last = error;
    return error;
}

cudaError_t bitline_because(cudaError_t error, const char *format, ...)
{
    va_list values;
    if (getenv("BITLINE_QUIET") != NULL)
        return error;
    va_start(values, format);
    fprintf(stderr, "bitline: %s: ", cudaGetErrorName(error));
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return error;
}

/* Everything is done when its call returns; what a kernel has left is told again. */
cudaError_t cudaDeviceSynchronize(void) { return bitline_end(bitline_begin()); }

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceReset(void)
{
    bitline_begin();
    cudaError_t error = bitline_exchange(bitline_asks(12), NULL, NULL, 0);
    standing = cudaSuccess;
    last = cudaSuccess;
    bitline_forget_memory();
    bitline_forget_handles();
    return bitline_end(error);
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

cudaError_t cudaPeekAtLastError(void)
{
    cudaError_t error = bitline_begin();
    bitline_unlock();
    return error == cudaSuccess ? last : error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last = cudaSuccess;
    return error;
}

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
