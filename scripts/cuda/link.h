/* What the parts of the host's side share: calls, messages to the device and their answers
 * (hdl/compile/runtime/serve.rs says what they are), and tables of what is live. */
#pragma once
#include "cuda_runtime.h"
#include <stdint.h>

/* A call: it begins with the lock, and with the error that a kernel has left to every call, if there is one; it ends
 * without the lock, and its error is the last one of its thread. What is below is for calls that have begun. */
cudaError_t bitline_begin(void);
cudaError_t bitline_end(cudaError_t error);
/* An error that a kernel has left stays. */
void bitline_stays(cudaError_t error);
/* The error, whose reason goes to the standard error unless BITLINE_QUIET is set. */
cudaError_t bitline_because(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A message that grows. If there is no memory for it, or absent what it is to have, it is broken, and is not sent. */
typedef struct {
    unsigned char *bytes;
    size_t count, room;
    int broken, absent;
} BitlineMessage;

/* Clock of the control block: that of the cache in the paper. */
#define BITLINE_CLOCK_KHZ 2600000

/* Bytes that no field of a message has more of: four times the memory of the device. */
#define BITLINE_MOST ((size_t)1 << 32)

/* An empty request of this kind. */
BitlineMessage bitline_asks(unsigned char what);
/* Appends bytes as they are; a number of 64 bits; a number of bytes, and these; the same of bytes that the program says
 * it has. */
void bitline_add(BitlineMessage *message, const void *bytes, size_t count);
void bitline_add_long(BitlineMessage *message, uint64_t number);
void bitline_add_bytes(BitlineMessage *message, const void *bytes, size_t count);
void bitline_add_given(BitlineMessage *message, const void *bytes, size_t count);
/* Sends a message and takes the answer: its number, and up to `room` of its bytes. The message is gone then. */
cudaError_t bitline_exchange(BitlineMessage message, uint64_t *number, void *place, size_t room);
void bitline_lock(void);
void bitline_unlock(void);

/* Something that is live: at an address, or with a handle. */
typedef struct {
    uintptr_t at;
    size_t bytes;
    uint64_t number;
    int flags;
} BitlineEntry;

/* What is live, in order of addresses or handles, so that nothing is touched that a program only believes to have. */
typedef struct {
    BitlineEntry *entries;
    size_t count, room;
} BitlineTable;

/* The entry at this very place; the one that has all of these bytes; none if there is none. */
BitlineEntry *bitline_at(const BitlineTable *table, const void *place);
BitlineEntry *bitline_holding(const BitlineTable *table, const void *place, size_t bytes);
/* Whether there was memory for one more. */
int bitline_enter(BitlineTable *table, BitlineEntry entry);
void bitline_leave(BitlineTable *table, BitlineEntry *entry);
void bitline_clear(BitlineTable *table);

/* Whether an address is the device's; whether a buffer of it has these bytes. */
int bitline_on_device(const void *place);
int bitline_in_buffer(const void *place, size_t bytes);
/* cudaSuccess for a stream that is live, or the default one. */
cudaError_t bitline_stream(cudaStream_t stream);
/* cudaSuccess for a kernel of the program. */
cudaError_t bitline_kernel(const void *kernel);
/* Copies, sets bytes. */
cudaError_t bitline_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t bitline_fill(void *place, int value, size_t bytes);
/* What a reset takes away. */
void bitline_forget_memory(void);
void bitline_forget_handles(void);
