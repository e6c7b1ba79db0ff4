/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a host does with a compute unit and a compute cache, through the drivers that gen writes; checked with plain C.
 */
#include "bitline.h"
#include "bitline_cc.h"
#include "console.h"

#define UNIT ((volatile void *)0x10000000)
#define CACHE ((volatile void *)0x20000000)
#define RAM_END 0x20000u
#define NOBODY 0x40000000u
#define COUNT 64u
#define POLLS 20000u
/* More than fit the queue and what lies between it and the array. */
#define MULS 40u

/* 1 expects wrong products, to see that this program notices. */
#ifndef WRONG
#define WRONG 0
#endif

/* Rows: two vectors of 16 bits, their sum, their product of 32 bits, a tag row, and a vector for errors. */
enum { X = 0, Y = 16, SUM = 32, PRODUCT = 48, FOUND = 80, SPARE = 96 };

struct pair {
    uint8_t name[3];
    uint8_t y[2];
    uint8_t spare;
};

static uint16_t x[COUNT];
static struct pair pairs[COUNT];
static uint8_t sums[2 * COUNT + 1];
static uint32_t products[COUNT];
static uint8_t found[COUNT];
static uint16_t back[COUNT];
static struct bitline unit;
static struct bitline_cc cache;
static uint32_t noise = 12345;

static uint32_t random_number(void)
{
    noise = noise * 1664525u + 1013904223u;
    return noise >> 8;
}

static uint64_t address_of(const volatile void *object)
{
    return (uintptr_t)object;
}

static int run(uint8_t opcode, uint16_t a, uint16_t b, uint16_t d, uint64_t key)
{
    const struct bitline_command command = {opcode, BITLINE_SET_FAST, 16, 0, a, b, d, 0, 0, key};
    return bitline_submit(&unit, &command);
}

static int store_tags(void)
{
    const struct bitline_command command = {BITLINE_OP_TAG_STORE, BITLINE_SET_FAST, 1, 0, 0, 0, FOUND, 0, 0, 0};
    return bitline_submit(&unit, &command);
}

static uint32_t y_of(uint32_t i)
{
    return pairs[i].y[0] | (uint32_t)pairs[i].y[1] << 8;
}

/* Loads, computes, stores, all in the queue at once; then looks at the results. */
static int computes(void)
{
    uint32_t i, key, any = 0;
    for (i = 0; i < COUNT; i++) {
        const uint32_t y = random_number();
        x[i] = (uint16_t)random_number();
        pairs[i].y[0] = (uint8_t)y;
        pairs[i].y[1] = (uint8_t)(y >> 8);
    }
    /* The key occurs three times at least. */
    x[40] = x[7];
    x[63] = x[7];
    pairs[40] = pairs[7];
    pairs[63] = pairs[7];
    key = (x[7] + y_of(7)) & 0xffff;
    sums[0] = 0xa5;
    CHECK("load x", bitline_load(&unit, 16, X, COUNT, address_of(x), 0), BITLINE_OK);
    CHECK("load y", bitline_load(&unit, 16, Y, COUNT, address_of(pairs[0].y), sizeof pairs[0]), BITLINE_OK);
    CHECK("add", run(BITLINE_OP_ADD, X, Y, SUM, 0), BITLINE_OK);
    CHECK("mul", run(BITLINE_OP_MUL, X, Y, PRODUCT, 0), BITLINE_OK);
    CHECK("store sums", bitline_store(&unit, 16, SUM, COUNT, address_of(sums + 1), 0), BITLINE_OK);
    CHECK("store products", bitline_store(&unit, 32, PRODUCT, COUNT, address_of(products), 0), BITLINE_OK);
    CHECK("search", run(BITLINE_OP_SEARCH, SUM, 0, 0, key), BITLINE_OK);
    CHECK("tags", store_tags(), BITLINE_OK);
    CHECK("store tags", bitline_store(&unit, 1, FOUND, COUNT, address_of(found), 0), BITLINE_OK);
    CHECK("wait", bitline_wait(&unit), BITLINE_OK);
    for (i = 0; i < COUNT; i++) {
        const uint32_t sum = (x[i] + y_of(i)) & 0xffff;
        CHECK("sum", sums[1 + 2 * i] | (uint32_t)sums[2 + 2 * i] << 8, sum);
        CHECK("product", products[i], x[i] * y_of(i) + WRONG);
        CHECK("found", found[i], sum == key);
        any += found[i];
    }
    CHECK("byte before", sums[0], 0xa5);
    CHECK("found", any >= 3, 1);
    CHECK("tag", bitline_tag_any(&unit), 1);
    /* A key that does not occur. */
    for (i = 0; i < COUNT; i++) {
        if (((x[i] + y_of(i)) & 0xffff) == key) {
            key++;
            i = 0;
        }
    }
    CHECK("search", run(BITLINE_OP_SEARCH, SUM, 0, 0, key & 0xffff), BITLINE_OK);
    CHECK("wait", bitline_wait(&unit), BITLINE_OK);
    CHECK("no tag", bitline_tag_any(&unit), 0);
    return 0;
}

/* Errors come back with code, operand, number of the command, and address; the unit goes on. */
static int survives_errors(void)
{
    struct bitline_fault fault;
    uint32_t i, pushed;
    CHECK("no error", bitline_take_error(&unit, &fault), 0);
    /* Nobody is at the address. What comes after is not touched by that. */
    CHECK("load", bitline_load(&unit, 16, SPARE, COUNT, NOBODY, 0), BITLINE_OK);
    CHECK("load", bitline_load(&unit, 16, SPARE, COUNT + 1, 0, 0), BITLINE_OK);
    CHECK("load", bitline_load(&unit, 16, SPARE, COUNT, address_of(x), 0), BITLINE_OK);
    CHECK("refused", bitline_wait(&unit), BITLINE_REFUSED);
    CHECK("error", bitline_take_error(&unit, &fault), 1);
    CHECK("code", fault.code, BITLINE_ERR_DECODE);
    CHECK("operand", fault.operand, 0);
    CHECK("address", fault.address, NOBODY);
    CHECK("address, high", fault.address >> 32, 0);
    pushed = fault.index;
    CHECK("forgotten", bitline_take_error(&unit, 0), 0);
    /* A load that leaves the memory half way: the first element outside is named. */
    CHECK("load", bitline_load(&unit, 16, SUM, COUNT, RAM_END - 64, 0), BITLINE_OK);
    CHECK("refused", bitline_wait(&unit), BITLINE_REFUSED);
    CHECK("error", bitline_take_error(&unit, &fault), 1);
    CHECK("code", fault.code, BITLINE_ERR_DECODE);
    CHECK("address", fault.address, RAM_END);
    CHECK("index", fault.index - pushed, 3);
    /* A store outside. */
    CHECK("store", bitline_store(&unit, 16, X, COUNT, NOBODY + 8, 0), BITLINE_OK);
    CHECK("refused", bitline_wait(&unit), BITLINE_REFUSED);
    CHECK("error", bitline_take_error(&unit, &fault), 1);
    CHECK("code", fault.code, BITLINE_ERR_DECODE);
    CHECK("address", fault.address, NOBODY + 8);
    /* Refused before it begins. */
    CHECK("rows", run(BITLINE_OP_ADD, X, 120, SPARE, 0), BITLINE_OK);
    CHECK("refused", bitline_wait(&unit), BITLINE_REFUSED);
    CHECK("error", bitline_take_error(&unit, &fault), 1);
    CHECK("code", fault.code, BITLINE_ERR_ROWS);
    CHECK("operand", fault.operand, 2);
    CHECK("index", fault.index - pushed, 5);
    /* What does not fit a field is not pushed. */
    CHECK("stride", bitline_load(&unit, 16, X, COUNT, address_of(x), 1 << 19), BITLINE_UNFIT);
    CHECK("row", bitline_load(&unit, 16, 1024, COUNT, address_of(x), 0), BITLINE_UNFIT);
    /* The other rows are as they were, and the one good load has come through. */
    CHECK("store", bitline_store(&unit, 16, SPARE, COUNT, address_of(back + COUNT - 1), -2), BITLINE_OK);
    CHECK("store", bitline_store(&unit, 32, PRODUCT, COUNT, address_of(products), 0), BITLINE_OK);
    CHECK("wait", bitline_wait(&unit), BITLINE_OK);
    for (i = 0; i < COUNT; i++) {
        CHECK("spare", back[COUNT - 1 - i], x[i]);
        CHECK("product", products[i], x[i] * y_of(i));
    }
    return 0;
}

/* More commands than the queue holds, bounds on polls, and the interrupt line. */
static int waits(void)
{
    struct bitline impatient = {UNIT, 1};
    /* A product of 32-bit elements takes longer than a push. */
    const struct bitline_command mul = {BITLINE_OP_MUL, BITLINE_SET_FAST, 32, 0, 0, 32, 64, 0, 0, 0};
    uint32_t i, line, full = 0;
    const uint32_t before = bitline_read(UNIT, BITLINE_COMPLETED);
    CHECK("nothing raised", bitline_read(CONSOLE, 8), 0);
    bitline_take_interrupts(&unit);
    bitline_interrupts(&unit, 1, 0);
    for (i = 0; i < MULS; i++) {
        full += bitline_free(UNIT) == 0;
        CHECK("mul", bitline_submit(&unit, &mul), BITLINE_OK);
    }
    CHECK("full at times", full != 0, 1);
    CHECK("impatient", bitline_submit(&impatient, &mul), BITLINE_TIMEOUT);
    CHECK("impatient", bitline_wait(&impatient), BITLINE_TIMEOUT);
    for (line = 0, i = 0; i < POLLS && line == 0; i++) {
        line = bitline_read(CONSOLE, 8);
    }
    CHECK("raised", line, 1);
    CHECK("idle", bitline_busy(UNIT), 0);
    CHECK("events", bitline_take_interrupts(&unit), BITLINE_INTERRUPT_DONE_MASK);
    CHECK("lowered", bitline_read(CONSOLE, 8), 0);
    CHECK("completed", bitline_read(UNIT, BITLINE_COMPLETED) - before, MULS);
    CHECK("no error", bitline_wait(&unit), BITLINE_OK);
    return 0;
}

/* The compute cache: copy, exclusive or, compare and search, in place and near place. */
static int caches(void)
{
    static uint32_t a[32], b[32], out[32];
    const uint32_t size = sizeof a, page = BITLINE_CC_PAGE, near = 3 * page + size;
    uint64_t mask = 0, expected = 0;
    uint32_t i;
    for (i = 0; i < 32; i++) {
        a[i] = random_number();
        b[i] = i / 2 % 3 == 0 ? a[i] : random_number();
    }
    CHECK("put a", bitline_cc_put(&cache, 0, a, 32), BITLINE_CC_OK);
    CHECK("put b", bitline_cc_put(&cache, page, b, 32), BITLINE_CC_OK);
    CHECK("copy", cc_copy(&cache, 0, 2 * page, size), BITLINE_CC_OK);
    CHECK("get", bitline_cc_get(&cache, 2 * page, out, 32), BITLINE_CC_OK);
    for (i = 0; i < 32; i++) {
        CHECK("copied", out[i], a[i]);
    }
    CHECK("xor", cc_xor(&cache, 0, page, near, size), BITLINE_CC_OK);
    CHECK("get", bitline_cc_get(&cache, near, out, 32), BITLINE_CC_OK);
    for (i = 0; i < 32; i++) {
        CHECK("exclusive or", out[i], a[i] ^ b[i]);
    }
    for (i = 0; i < 16; i++) {
        expected |= (uint64_t)(a[2 * i] == b[2 * i] && a[2 * i + 1] == b[2 * i + 1]) << i;
    }
    CHECK("cmp", cc_cmp(&cache, 0, page, size, &mask), BITLINE_CC_OK);
    CHECK("compared", mask, expected);
    CHECK("compared, high", mask >> 32, 0);
    /* The key is the first block of a: words of b's first block are found where they are equal. */
    CHECK("search", cc_search(&cache, page, 0, BITLINE_CC_BLOCK, &mask), BITLINE_CC_OK);
    CHECK("found", mask, expected & ((1u << BITLINE_CC_BLOCK / 8) - 1));
    CHECK("and", cc_and(&cache, 0, page, near, size), BITLINE_CC_OK);
    CHECK("clmul", cc_clmul(&cache, 0, page, size, 64, &mask), BITLINE_CC_OK);
    CHECK("get", bitline_cc_get(&cache, near, out, 32), BITLINE_CC_OK);
    for (expected = 0, i = 0; i < 16; i++) {
        uint32_t word = out[2 * i] ^ out[2 * i + 1], parity = 0;
        CHECK("and", out[2 * i], a[2 * i] & b[2 * i]);
        for (; word != 0; word &= word - 1) {
            parity ^= 1;
        }
        expected |= (uint64_t)parity << i;
    }
    CHECK("parities", mask, expected);
    CHECK("or", cc_or(&cache, 0, page, page, size), BITLINE_CC_OK);
    CHECK("not", cc_not(&cache, page, page, size), BITLINE_CC_OK);
    CHECK("buz", cc_buz(&cache, 0, size), BITLINE_CC_OK);
    CHECK("get", bitline_cc_get(&cache, page, out, 32), BITLINE_CC_OK);
    for (i = 0; i < 32; i++) {
        CHECK("nor", out[i], ~(a[i] | b[i]));
    }
    CHECK("get", bitline_cc_get(&cache, 0, out, 32), BITLINE_CC_OK);
    for (i = 0; i < 32; i++) {
        CHECK("zero", out[i], 0);
    }
    /* Errors. */
    CHECK("outside", cc_copy(&cache, 0, BITLINE_CC_BYTES, size), BITLINE_CC_REFUSED);
    CHECK("code", cache.result.code, BITLINE_CC_ERR_OUTSIDE);
    CHECK("address", cache.result.fault, BITLINE_CC_BYTES);
    CHECK("alignment", cc_copy(&cache, 4, page, size), BITLINE_CC_REFUSED);
    CHECK("code", cache.result.code, BITLINE_CC_ERR_ALIGNMENT);
    CHECK("grain", cc_clmul(&cache, 0, page, size, 32, &mask), BITLINE_CC_UNFIT);
    CHECK("put", bitline_cc_put(&cache, BITLINE_CC_BYTES - 4, a, 2), BITLINE_CC_UNFIT);
    return 0;
}

int main(void)
{
    struct bitline none;
    CHECK("another design", bitline_init(&none, CACHE, POLLS), BITLINE_ABSENT);
    CHECK("another design", bitline_cc_init(&cache, UNIT, POLLS), BITLINE_CC_ABSENT);
    CHECK("init", bitline_init(&unit, UNIT, POLLS), BITLINE_OK);
    CHECK("init", bitline_cc_init(&cache, CACHE, POLLS), BITLINE_CC_OK);
    if (computes() || survives_errors() || waits() || caches()) {
        return 1;
    }
    print("PASS\n");
    return 0;
}
