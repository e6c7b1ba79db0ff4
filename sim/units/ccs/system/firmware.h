/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What the programs of the cache compute system share: counters, console, places in memory.
 */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include "bitline_ccs.h"

#define NOINLINE __attribute__((noinline))

/* Cycles and retired instructions of a piece of a program. */
struct measured {
    uint32_t cycles;
    uint32_t instructions;
};

static inline uint32_t cycles_now(void)
{
    uint32_t value;
    __asm__ __volatile__("rdcycle %0" : "=r"(value) : : "memory");
    return value;
}

static inline uint32_t instructions_now(void)
{
    uint32_t value;
    __asm__ __volatile__("rdinstret %0" : "=r"(value) : : "memory");
    return value;
}

/* What is measured lies between these two, and so do these two themselves; `nothing` is what they take alone. */
static inline void begin(struct measured *m)
{
    m->instructions = instructions_now();
    m->cycles = cycles_now();
}

static inline void end(struct measured *m)
{
    const uint32_t cycles = cycles_now();
    const uint32_t instructions = instructions_now();
    m->cycles = cycles - m->cycles;
    m->instructions = instructions - m->instructions;
}

/* A value is needed, whatever the compiler thinks. */
static inline void keep(uint32_t value)
{
    __asm__ __volatile__("" : : "r"(value) : "memory");
}

/* A value is there: a pipelined processor goes on while a load waits, until an instruction takes its value. */
static inline void await(uint32_t value)
{
    __asm__ __volatile__("add zero, %0, zero" : : "r"(value) : "memory");
}

/* Vectors. They begin at different lines of the direct-mapped cache, so that loops over two of them find both there. */
#define VECTOR_A ((uint32_t *)0x10000)
#define VECTOR_B ((uint32_t *)0x18500)
#define VECTOR_R ((uint32_t *)0x20a00)
#define VECTOR_E ((uint32_t *)0x28e00)
#define VECTOR_S ((uint32_t *)0x30300)

/* Where the processor keeps what it works on alone. A pipelined one has a RAM of its own, whose reads and writes never wait, so that its loops
 * are as fast as they can be; it has a data cache, too, which does not know what commands write. */
#ifdef PIPELINED
#define PLAIN(pointer) ((uint32_t *)((uintptr_t)(pointer) + 0x50000000u))
#define FORGET() __asm__ __volatile__(".word 0x500f" : : : "memory")
#else
#define PLAIN(pointer) (pointer)
#define FORGET() ((void)0)
#endif

/* A word of a vector, for both. */
static inline void put(uint32_t *vector, uint32_t place, uint32_t value)
{
    vector[place] = value;
    PLAIN(vector)[place] = value;
}

/* The first words of a vector's lines are read, so that the system's cache has them. */
static inline void touch(const uint32_t *vector, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i += BITLINE_CCS_LANES) {
        keep(*(const volatile uint32_t *)(vector + i));
    }
}

uint32_t next_random(void);
void put_text(const char *text);
void put_number(uint32_t value);
void put_measured(const char *kind, const char *name, uint32_t size, const struct measured *loop, const struct measured *ccs);
/* Says what is wrong and counts it. */
void wrong(const char *what, uint32_t size, uint32_t place, uint32_t expected, uint32_t found);
extern struct measured nothing;
extern uint32_t wrongs;

void commands(void);
void applications(void);

#endif
