/* The way to `bitline sim cuda-device`: starts it, and passes messages.
 *
 * Environment: BITLINE_ENGINE = interpreter, words (if not set), rtl, unit, system or board; BITLINE_PRESET, the
 * control block or its TOML file (cb; the board's own on board); of system BITLINE_BLOCKS and BITLINE_SLICES, how
 * many, and BITLINE_MEMORY, bus (if not set), ddr4 or gddr5; of board BITLINE_PORT, the serial port, BITLINE_BOARD,
 * the preset or TOML file that it was made from (duality), or BITLINE_FOLDER, the output folder of gen,
 * BITLINE_CLOCK and BITLINE_BAUD, where they are not the preset's, and BITLINE_TIMEOUT, seconds that an answer may
 * take (2); BITLINE_PROGRAM, the program in place of the one that scripts/cu has found; BITLINE_QUIET: reasons of
 * errors are not written to the standard error. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "link.h"
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef BITLINE_PROGRAM
#define BITLINE_PROGRAM "bitline"
#endif

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* `tried`: the device has been started, or could not be; `answered`: it has answered once. */
static int pipe_end = -1, tried, answered;

void bitline_lock(void) { pthread_mutex_lock(&lock); }

void bitline_unlock(void) { pthread_mutex_unlock(&lock); }

/* Copies bytes from or to where the program says that it has some: 0 if it has not. The kernel looks. */
static int copied(void *to, const void *from, size_t count)
{
    while (count > 0) {
        struct iovec own = {to, count}, other = {(void *)from, count};
        ssize_t done = process_vm_readv(getpid(), &own, 1, &other, 1, 0);
        if (done < 0 && errno != EFAULT) {
            /* A process may not look at itself everywhere. */
            memcpy(to, from, count);
            return 1;
        }
        if (done <= 0)
            return 0;
        to = (char *)to + done;
        from = (const char *)from + done;
        count -= (size_t)done;
    }
    return 1;
}

/* Room for so many more bytes; none if the message is broken. */
static unsigned char *more(BitlineMessage *message, size_t count)
{
    if (message->broken)
        return NULL;
    if (count > message->room - message->count) {
        /* What no message may have is refused before it is part of a sum, so that none overflows. */
        size_t room = count > BITLINE_MOST ? 0 : 2 * message->room + count + 64;
        unsigned char *grown = room > 0 ? realloc(message->bytes, room) : NULL;
        if (grown == NULL) {
            message->broken = 1;
            return NULL;
        }
        message->bytes = grown;
        message->room = room;
    }
    message->count += count;
    return message->bytes + message->count - count;
}

void bitline_add(BitlineMessage *message, const void *bytes, size_t count)
{
    unsigned char *place = more(message, count);
    if (place != NULL && count > 0)
        memcpy(place, bytes, count);
}

void bitline_add_long(BitlineMessage *message, uint64_t number) { bitline_add(message, &number, 8); }

void bitline_add_bytes(BitlineMessage *message, const void *bytes, size_t count)
{
    bitline_add_long(message, count);
    bitline_add(message, bytes, count);
}

void bitline_add_given(BitlineMessage *message, const void *bytes, size_t count)
{
    bitline_add_long(message, count);
    unsigned char *place = more(message, count);
    if (place != NULL && !copied(place, bytes, count))
        message->broken = message->absent = 1;
}

BitlineMessage bitline_asks(unsigned char what)
{
    BitlineMessage message = {0};
    bitline_add(&message, &what, 1);
    return message;
}

/* Starts the device. */
static int start(void)
{
    const char *program = getenv("BITLINE_PROGRAM"), *engine = getenv("BITLINE_ENGINE");
    static const char *const options[][2] = {
        {"--preset", "BITLINE_PRESET"}, {"--blocks", "BITLINE_BLOCKS"}, {"--slices", "BITLINE_SLICES"},
        {"--memory", "BITLINE_MEMORY"}, {"--port", "BITLINE_PORT"},     {"--board", "BITLINE_BOARD"},
        {"--folder", "BITLINE_FOLDER"}, {"--clock", "BITLINE_CLOCK"},   {"--baud", "BITLINE_BAUD"},
        {"--timeout", "BITLINE_TIMEOUT"}};
    enum { OPTIONS = sizeof options / sizeof *options };
    int ends[2];
    if (tried)
        return pipe_end >= 0;
    tried = 1;
    program = program ? program : BITLINE_PROGRAM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return 0;
    char *arguments[5 + 2 * OPTIONS + 1] = {(char *)program, "sim", "cuda-device", "--engine",
                                            (char *)(engine ? engine : "words")};
    char **next = arguments + 5;
    for (int i = 0; i < OPTIONS; i++) {
        char *value = getenv(options[i][1]);
        if (value) {
            *next++ = (char *)options[i][0];
            *next++ = value;
        }
    }
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    int failed = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        fprintf(stderr, "bitline: %s: %s\n", program, strerror(failed));
        close(ends[0]);
        return 0;
    }
    pipe_end = ends[0];
    return 1;
}

static int give(const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = send(pipe_end, bytes, count, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        bytes += done;
        count -= (size_t)done;
    }
    return 1;
}

static int take(unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = recv(pipe_end, bytes, count, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        bytes += done;
        count -= (size_t)done;
    }
    return 1;
}

/* Takes an answer: its number, and up to `room` of its bytes. 0 if there is none. */
static int answer(cudaError_t *status, uint64_t *number, void *place, size_t room)
{
    unsigned char head[20];
    uint32_t code;
    uint64_t value, count;
    if (!take(head, sizeof head))
        return 0;
    memcpy(&code, head, 4);
    memcpy(&value, head + 4, 8);
    memcpy(&count, head + 12, 8);
    unsigned char *bytes = count <= BITLINE_MOST ? malloc(count + 1) : NULL;
    if (bytes == NULL || !take(bytes, count)) {
        free(bytes);
        return 0;
    }
    bytes[count] = 0;
    *status = (cudaError_t)code;
    if (*status != cudaSuccess)
        bitline_because(*status, "%s", bytes);
    else if (count <= room && place != NULL && !copied(place, bytes, count))
        *status = bitline_because(cudaErrorInvalidValue, "%p: the program has no memory there", place);
    if (number != NULL)
        *number = value;
    free(bytes);
    return 1;
}

cudaError_t bitline_exchange(BitlineMessage message, uint64_t *number, void *place, size_t room)
{
    cudaError_t status = cudaErrorMemoryAllocation;
    if (message.absent)
        status = bitline_because(cudaErrorInvalidValue, "the program has no memory where it says");
    if (!message.broken && (!start() || !give(message.bytes, message.count) ||
                            !answer(&status, number, place, room))) {
        /* A device that has gone does not come back; one that has never answered was none. */
        if (pipe_end >= 0)
            close(pipe_end);
        pipe_end = -1;
        status = answered ? cudaErrorUnknown : cudaErrorInitializationError;
        status = bitline_because(status, answered ? "the device has gone" : "the device has not started");
    } else if (!message.broken) {
        answered = 1;
    }
    bitline_stays(status);
    free(message.bytes);
    return status;
}
