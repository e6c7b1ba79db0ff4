/* Memory of both sides, and copies. */
#pragma once
#include "link.h"

/* A copy: from where, to where, and whether these are the device's. */
typedef struct {
    void *to;
    const void *from;
    int from_device, to_device;
} BitlineCopy;

/* Finds out where a copy goes from so many bytes to so many, and whether it may. */
cudaError_t bitline_check(BitlineCopy *copy, size_t to_bytes, size_t from_bytes, cudaMemcpyKind kind);
/* Copies bytes that have been checked. */
cudaError_t bitline_move(const BitlineCopy *copy, size_t bytes);
/* A buffer of the device. */
cudaError_t bitline_allocate(void **place, size_t bytes);
cudaError_t bitline_release(void *place);

/* Whether an address is in memory of both sides, and whether all of these bytes are. */
int bitline_managed(const void *place);
int bitline_managed_holds(const void *place, size_t bytes);
cudaError_t bitline_allocate_managed(void **place, size_t bytes);
cudaError_t bitline_release_managed(void *place);
void bitline_forget_managed(void);
/* Before a launch the device gets what the host has written; behind it the host what the kernel has. */
cudaError_t bitline_give_managed(void);
cudaError_t bitline_take_managed(void);
