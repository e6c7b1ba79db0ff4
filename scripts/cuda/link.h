/* Messages to the device and their answers: hdl/compile/runtime/serve.rs says what they are. */
#pragma once
#include "cuda_runtime.h"
#include <stdint.h>

/* A message that grows. If there is no memory for it, it is broken, and is not sent. */
typedef struct {
    unsigned char *bytes;
    size_t count, room;
    int broken;
} BitlineMessage;

/* An empty request of this kind. */
BitlineMessage bitline_asks(unsigned char what);
/* Appends bytes as they are; a number of 64 bits; a number of bytes, and these. */
void bitline_add(BitlineMessage *message, const void *bytes, size_t count);
void bitline_add_long(BitlineMessage *message, uint64_t number);
void bitline_add_bytes(BitlineMessage *message, const void *bytes, size_t count);
/* Sends a message and takes the answer: its number, and up to `room` of its bytes. The message is gone then. */
cudaError_t bitline_exchange(BitlineMessage *message, uint64_t *number, void *place, size_t room);
/* The same for a whole call: one at a time, and its error is the last one. */
cudaError_t bitline_ask(BitlineMessage message, uint64_t *number, void *place, size_t room);
void bitline_lock(void);
void bitline_unlock(void);
/* Notes an error as the last one, and returns it. */
cudaError_t bitline_told(cudaError_t error);
/* Whether an address is the device's. */
int bitline_on_device(const void *place);
