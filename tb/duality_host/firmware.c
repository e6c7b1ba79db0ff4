/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a host does with a Duality Cache, through the driver that gen writes; checked with plain C. program.h has the words of a program that
 * adds two vectors, and where its threads look for their numbers.
 */
#include "../host/console.h"
#include "bitline_duality.h"
/* After the driver, whose places it has. */
#include "program.h"

#define CACHE ((volatile void *)0x20000000)
#define PAGE (1u << BITLINE_DC_PAGE_LOG)
#define RAM_END 0x20000u
#define POLLS 100000u
/* Waves: 5 threads of 8 in each but the last, which has 2. */
#define COUNT 27u
#define CTA 5u
/* Words of a line. */
#define LINE 16u
#define LINES 5u

/* 1 expects wrong sums, to see that this program notices. */
#ifndef WRONG
#define WRONG 0
#endif

/* Ways write back whole lines: nothing else may be in one that a thread writes to. */
#define ALIGNED __attribute__((aligned(64)))

static uint32_t x[COUNT], y[COUNT], sums[(COUNT + LINE - 1) / LINE * LINE] ALIGNED;
static uint32_t a[LINES * LINE] ALIGNED, b[LINES * LINE] ALIGNED, d[LINES * LINE] ALIGNED;
static struct bitline_dc cache;
static struct bitline_dc_launch launch;
static struct bitline_dc_result result;
static uint32_t parameters[5];
static uint32_t noise = 12345;

static uint32_t random_number(void)
{
    noise = noise * 1664525u + 1013904223u;
    return noise >> 8 ^ noise << 16;
}

static uint32_t at(const volatile void *object)
{
    return (uint32_t)(uintptr_t)object;
}

/* New vectors, and old sums that are none. The ways are empty: they have no older ones. */
static void fill(void)
{
    uint32_t i;
    for (i = 0; i < COUNT; i++) {
        x[i] = random_number();
        y[i] = random_number();
        sums[i] = ~(x[i] + y[i]);
    }
}

/* What a launch has left in memory, behind a flush. */
static int added(void)
{
    uint32_t i;
    CHECK("flush", bitline_dc_flush(&cache), BITLINE_DC_OK);
    for (i = 0; i < COUNT; i++) {
        CHECK("sum", sums[i], x[i] + y[i] + WRONG);
    }
    return 0;
}

/* A launch whose words lie in memory, waited for by reading the status. */
static int launches(void)
{
    fill();
    CHECK("start", bitline_dc_start(&cache, &launch), BITLINE_DC_OK);
    CHECK("busy", bitline_dc_start(&cache, &launch), BITLINE_DC_BUSY);
    CHECK("busy", bitline_dc_map(&cache, 0, 0, 1), BITLINE_DC_BUSY);
    CHECK("wait", bitline_dc_wait(&cache, &result), BITLINE_DC_OK);
    CHECK("outcome", result.outcome, BITLINE_DC_FINISHED);
    CHECK("cycles", bitline_dc_cycles(&cache) > 1000, 1);
    return added();
}

/* The same, waited for by the interrupt line. */
static int waits(void)
{
    uint32_t polls = 0;
    fill();
    CHECK("disabled", bitline_dc_read(CONSOLE, 8), 0);
    bitline_dc_interrupt(&cache, 1);
    CHECK("the last launch has ended", bitline_dc_read(CONSOLE, 8), 1);
    CHECK("start", bitline_dc_start(&cache, &launch), BITLINE_DC_OK);
    CHECK("this one runs", bitline_dc_read(CONSOLE, 8), 0);
    while (bitline_dc_read(CONSOLE, 8) == 0 && polls < POLLS) {
        polls++;
    }
    CHECK("raised", bitline_dc_read(CONSOLE, 8), 1);
    CHECK("ended", bitline_dc_wait(&cache, 0), BITLINE_DC_OK);
    bitline_dc_interrupt(&cache, 0);
    CHECK("lowered", bitline_dc_read(CONSOLE, 8), 0);
    return added();
}

/* The processor pushes the words, wave by wave. */
static int feeds(void)
{
    uint32_t wave, word;
    fill();
    launch.host_fed = 1;
    CHECK("start", bitline_dc_start(&cache, &launch), BITLINE_DC_OK);
    for (wave = 1; wave <= (COUNT + CTA - 1) / CTA; wave++) {
        for (word = 0; word < WORDS; word++) {
            CHECK("feed", bitline_dc_feed(&cache, 0, &words[4 * word], wave), BITLINE_DC_OK);
        }
    }
    CHECK("wait", bitline_dc_wait(&cache, &result), BITLINE_DC_OK);
    launch.host_fed = 0;
    return added();
}

/* A store outside of every page, an abort, and what the driver refuses. */
static int survives_errors(void)
{
    uint32_t i;
    fill();
    parameters[2] = 3 * PAGE + 8;
    CHECK("start", bitline_dc_start(&cache, &launch), BITLINE_DC_OK);
    CHECK("unmapped", bitline_dc_wait(&cache, &result), BITLINE_DC_STOPPED);
    CHECK("outcome", result.outcome, BITLINE_DC_TRAPPED);
    CHECK("trap", result.code, BITLINE_DC_TRAP_UNMAPPED);
    CHECK("has an address", result.has_address, 1);
    CHECK("address", result.address, 3 * PAGE + 8);
    CHECK("thread", result.thread, 0);
    parameters[2] = at(sums);
    CHECK("flush", bitline_dc_flush(&cache), BITLINE_DC_OK);
    for (i = 0; i < COUNT; i++) {
        CHECK("nothing written", sums[i], ~(x[i] + y[i]));
    }
    launch.host_fed = 1;
    CHECK("start", bitline_dc_start(&cache, &launch), BITLINE_DC_OK);
    bitline_dc_abort(&cache);
    CHECK("abort", bitline_dc_wait(&cache, &result), BITLINE_DC_STOPPED);
    CHECK("outcome", result.outcome, BITLINE_DC_ABORTED);
    launch.host_fed = 0;
    launch.arrays = 3;
    CHECK("arrays", bitline_dc_start(&cache, &launch), BITLINE_DC_UNFIT);
    launch.arrays = 4;
    CHECK("page", bitline_dc_map(&cache, 4, 0, 1), BITLINE_DC_UNFIT);
    CHECK("way", bitline_dc_set_ways(&cache, 1u << BITLINE_DC_BLOCKS, 0), BITLINE_DC_UNFIT);
    return launches();
}

static int does(uint8_t opcode, uint32_t from, uint32_t with, uint32_t to, uint32_t size, uint64_t *mask)
{
    struct bitline_dc_lines lines = {0, 0, 0, 0, 0, 0};
    lines.opcode = opcode;
    lines.a = from;
    lines.b = with;
    lines.d = to;
    lines.size = size;
    return bitline_dc_lines(&cache, &lines, mask, 0);
}

static uint32_t parity(uint32_t word)
{
    uint32_t odd = 0;
    for (; word != 0; word &= word - 1) {
        odd ^= 1;
    }
    return odd;
}

/* Operations on lines of the ways, while control block 0 is there, and when its way is a cache. */
static int computes_on_lines(void)
{
    uint64_t mask = 0, equal = 0, odd = 0, found = 0;
    uint32_t i, fault = 0;
    struct bitline_dc_lines beyond = {BITLINE_DC_LINE_COPY, 0, 0, 0, 0, 64};
    for (i = 0; i < LINES * LINE; i++) {
        a[i] = random_number();
        b[i] = i / 2 % 3 == 0 ? a[i] : random_number();
        d[i] = 0;
    }
    for (i = 0; i < LINES * LINE / 2; i++) {
        const uint32_t low = 2 * i, key = low % LINE;
        equal |= (uint64_t)(a[low] == b[low] && a[low + 1] == b[low + 1]) << i;
        odd |= (uint64_t)parity((a[low] & b[low]) ^ (a[low + 1] & b[low + 1])) << i;
        found |= (uint64_t)(a[low] == b[key] && a[low + 1] == b[key + 1]) << i;
    }
    CHECK("xor", does(BITLINE_DC_LINE_XOR, at(a), at(b), at(d), sizeof a, 0), BITLINE_DC_OK);
    CHECK("compare", does(BITLINE_DC_LINE_COMPARE, at(a), at(b), 0, sizeof a, &mask), BITLINE_DC_OK);
    CHECK("equal", mask, equal);
    CHECK("equal, high", mask >> 32, equal >> 32);
    CHECK("product", does(BITLINE_DC_LINE_CLMUL, at(a), at(b), 0, sizeof a, &mask), BITLINE_DC_OK);
    CHECK("parities", mask, odd);
    CHECK("parities, high", mask >> 32, odd >> 32);
    CHECK("ways", bitline_dc_set_ways(&cache, 0, 0), BITLINE_DC_OK);
    CHECK("search", does(BITLINE_DC_LINE_SEARCH, at(a), at(b), 0, sizeof a, &mask), BITLINE_DC_OK);
    CHECK("found", mask, found);
    CHECK("found, high", mask >> 32, found >> 32);
    CHECK("not", does(BITLINE_DC_LINE_NOT, at(a), 0, at(a), 64, 0), BITLINE_DC_OK);
    CHECK("flush", bitline_dc_flush(&cache), BITLINE_DC_OK);
    for (i = 0; i < LINES * LINE; i++) {
        CHECK("exclusive or", d[i], (i < LINE ? ~a[i] : a[i]) ^ b[i]);
    }
    CHECK("size", does(BITLINE_DC_LINE_COPY, at(a), 0, at(d), 60, 0), BITLINE_DC_UNFIT);
    CHECK("opcode", does(16, at(a), 0, at(d), 64, 0), BITLINE_DC_UNFIT);
    /* No way in use is a cache. */
    CHECK("ways", bitline_dc_set_ways(&cache, 1, 0), BITLINE_DC_OK);
    bitline_dc_write(CACHE, BITLINE_DC_WAYS, 1);
    CHECK("no cache", does(BITLINE_DC_LINE_COPY, at(a), 0, at(d), 64, 0), BITLINE_DC_BUSY);
    bitline_dc_write(CACHE, BITLINE_DC_WAYS, (1u << BITLINE_DC_ALL_WAYS) - 1);
    /* Memory does not have this line. */
    beyond.a = RAM_END;
    beyond.d = at(d);
    CHECK("beyond", bitline_dc_lines(&cache, &beyond, 0, &fault), BITLINE_DC_LOST);
    CHECK("fault", fault, RAM_END);
    CHECK("flush", bitline_dc_flush(&cache), BITLINE_DC_OK);
    return 0;
}

int main(void)
{
    CHECK("another design", bitline_dc_init(&cache, (volatile void *)(uintptr_t)at(words), POLLS), BITLINE_DC_ABSENT);
    CHECK("init", bitline_dc_init(&cache, CACHE, POLLS), BITLINE_DC_OK);
    /* The RAM is two pages, where they are. */
    CHECK("map", bitline_dc_map(&cache, 0, 0, 1), BITLINE_DC_OK);
    CHECK("map", bitline_dc_map(&cache, PAGE, PAGE, 1), BITLINE_DC_OK);
    parameters[0] = at(x);
    parameters[1] = at(y);
    parameters[2] = at(sums);
    parameters[3] = COUNT;
    parameters[4] = CTA;
    launch.code = at(words);
    launch.words = WORDS;
    launch.grid[0] = (COUNT + CTA - 1) / CTA;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = CTA;
    launch.block[1] = launch.block[2] = 1;
    launch.arrays = 4;
    launch.parameters = parameters;
    launch.parameter_count = 5;
    launch.specials = places;
    launch.special_count = PLACES;
    if (launches() || waits() || feeds() || survives_errors() || computes_on_lines()) {
        return 1;
    }
    print("PASS\n");
    return 0;
}
