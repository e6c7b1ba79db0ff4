/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Strides, rows and errors of the cache compute system behind buses, against plain loops. Says what is wrong, or "done".
 */
#include "bitline_ccs.h"

#define CONSOLE ((volatile uint32_t *)0x60000000)
/* The interrupt line. */
#define INTERRUPT (CONSOLE[0] != 0)
/* Vectors in memory; as long as they take. */
#define A ((element *)0x1000)
#define B ((element *)0x3000)
#define R ((element *)0x5000)
#define SIZE (0x1800u / BITLINE_CCS_ELEMENT_BYTES)
/* Behind the end of memory. */
#define NOWHERE ((element *)0x80000)

typedef ELEMENT element;

static uint32_t random_state, wrongs, checks;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void put_text(const char *text)
{
    for (; *text != 0; text++) {
        CONSOLE[0] = (uint8_t)*text;
    }
}

static void put_number(uint32_t value)
{
    if (value >= 10) {
        put_number(value / 10);
    }
    CONSOLE[0] = '0' + value % 10;
}

static void expect(const char *what, uint32_t where, uint32_t found, uint32_t expected)
{
    checks++;
    if (found != expected && ++wrongs <= 20) {
        put_text("wrong ");
        put_text(what);
        put_text(" ");
        put_number(where);
        put_text(": ");
        put_number(found);
        put_text(", must be ");
        put_number(expected);
        put_text("\n");
    }
}

static void fill(void)
{
    uint32_t i;
    for (i = 0; i < SIZE; i++) {
        A[i] = (element)next_random();
        B[i] = (element)next_random();
        R[i] = (element)next_random();
    }
}

/* r = a + b in every stride-th element, from any place on: the elements between stay. The sum of a, too. */
static void stride(uint32_t by, uint32_t place, uint32_t length)
{
    const element *a = A + place, *b = B + place;
    element *r = R + place;
    const uint32_t span = (length - 1) * by + 1;
    uint32_t i;
    element sum = 0, kept = 0;
    for (i = 0; i < span; i++) {
        kept = (element)(kept + (i % by != 0 ? r[i] : 0));
    }
    __ccs_stride(by, a);
    expect("error of a stride", by, (uint32_t)__ccs_run(CCS_ADDVV, a, b, r, length), 0);
    expect("error of a sum", by, (uint32_t)__ccs_run(CCS_SUMV, a, 0, 0, length), 0);
    for (i = 0; i < span; i++) {
        if (i % by == 0) {
            sum = (element)(sum + a[i]);
            expect("element", i, r[i], (element)(a[i] + b[i]));
        } else {
            kept = (element)(kept - r[i]);
        }
    }
    expect("elements between", by, kept, 0);
    expect("sum", by, __ccs_result(), sum);
}

/* Columns of a matrix whose rows are a line: the sum of each, by a command with rows that start an element further and a stride of none. */
static void columns(uint32_t rows)
{
    uint32_t i, k;
    __ccs_stride(1, A);
    /* The scalar product of each row with b. */
    __ccs_rows(rows, BITLINE_CCS_LINE_BYTES, 0, BITLINE_CCS_ELEMENT_BYTES);
    expect("error of rows", rows, (uint32_t)__ccs_run(CCS_IPVV | CCS_STORE, A, B, R + 5, BITLINE_CCS_LANES), 0);
    expect("lines of rows", rows, __ccs_completed(), rows);
    for (i = 0; i < rows; i++) {
        element sum = 0;
        for (k = 0; k < BITLINE_CCS_LANES; k++) {
            sum = (element)(sum + A[i * BITLINE_CCS_LANES + k] * B[k]);
        }
        expect("row", i, R[5 + i], sum);
    }
    /* A part of each row, of every fourth element. */
    __ccs_stride(4, A + 3);
    __ccs_rows(rows, BITLINE_CCS_LINE_BYTES, BITLINE_CCS_LINE_BYTES, 2 * BITLINE_CCS_LINE_BYTES);
    expect("error of parts", rows, (uint32_t)__ccs_run(CCS_XORVV, A + 3, B + 3, R + 3, 5), 0);
    for (i = 0; i < rows; i++) {
        for (k = 3; k < 3 + 5 * 4; k += 4) {
            const uint32_t at = i * BITLINE_CCS_LANES + k;
            expect("part", at, R[2 * i * BITLINE_CCS_LANES + k], A[at] ^ B[at]);
        }
    }
    __ccs_single();
    __ccs_stride(1, A);
}

/* What is wrong changes nothing, and the next command runs. */
static void errors(void)
{
    const element before = R[0];
    bitline_ccs_write(BITLINE_CCS_STRIDE, 3);
    expect("stride 3", 0, (uint32_t)__ccs_run(CCS_ADDVV, A, B, R, 10), BITLINE_CCS_ERR_STRIDE);
    bitline_ccs_write(BITLINE_CCS_STRIDE, BITLINE_CCS_LANES);
    expect("stride of a line", 0, (uint32_t)__ccs_run(CCS_ADDVV, A, B, R, 10), BITLINE_CCS_ERR_STRIDE);
    __ccs_stride(1, A);
    expect("length 0", 0, (uint32_t)__ccs_run(CCS_ADDVV, A, B, R, 0), BITLINE_CCS_ERR_LENGTH);
    expect("other places", 0, (uint32_t)__ccs_run(CCS_ADDVV, A, B + 1, R, 10), BITLINE_CCS_ERR_ALIGNMENT);
    expect("no command", 0, (uint32_t)__ccs_run(63, A, B, R, 10), BITLINE_CCS_ERR_COMMAND);
    expect("beyond", 0, (uint32_t)__ccs_run(CCS_SUMV, (element *)0x7fffffc0, 0, 0, 10 * BITLINE_CCS_LANES), BITLINE_CCS_ERR_ADDRESS);
    expect("nothing changes", 0, R[0], before);
    /* Memory ends in the middle of a. */
    expect("bus", 0, (uint32_t)__ccs_run(CCS_COPYV, NOWHERE - 2 * BITLINE_CCS_LANES, 0, R, 6 * BITLINE_CCS_LANES), BITLINE_CCS_ERR_BUS);
    expect("lines before", 0, __ccs_completed() <= 2, 1);
    expect("ready", 0, (uint32_t)__ccs_check(), 1);
    /* A start while a command runs. */
    __ccs_rows(200, 0, 0, 0);
    __ccs_setup(CCS_ADDVV, A, B, R, 2 * BITLINE_CCS_LANES);
    __ccs_start();
    __ccs_start();
    expect("busy", 0, (uint32_t)__ccs_wait(), BITLINE_CCS_ERR_BUSY);
    expect("all its lines", 0, __ccs_completed(), 400);
    expect("its result", 0, R[0], (element)(A[0] + B[0]));
    /* A reset while one runs. */
    __ccs_start();
    __ccs_reset();
    expect("registers after reset", 0, bitline_ccs_read(BITLINE_CCS_COUNT), 1);
    expect("no error", 0, bitline_ccs_read(BITLINE_CCS_ERROR), 0);
    expect("result after reset", 0, R[1], (element)(A[1] + B[1]));
}

static void interrupts(void)
{
    uint32_t waited = 0;
    expect("no interrupt", 0, INTERRUPT, 0);
    __ccs_interrupt(1);
    __ccs_setup(CCS_NOTV, A, 0, R, 5 * BITLINE_CCS_LANES);
    __ccs_start();
    while (!INTERRUPT && waited < 10000) {
        waited++;
    }
    expect("interrupt", 0, INTERRUPT, 1);
    expect("ended", 0, (uint32_t)__ccs_check(), 1);
    __ccs_acknowledge();
    expect("acknowledged", 0, bitline_ccs_read(BITLINE_CCS_INTERRUPT), 0);
    expect("interrupt is over", 0, INTERRUPT, 0);
    __ccs_interrupt(0);
}

int main(void)
{
    uint32_t by, place;
    random_state = 0x2545f491;
    wrongs = checks = 0;
    if (!bitline_ccs_matches()) {
        put_text("wrong design\n");
        return 1;
    }
    fill();
    for (by = 1; by < BITLINE_CCS_LANES; by *= 2) {
        for (place = 0; place < BITLINE_CCS_LANES; place += 13) {
            stride(by, place, 1 + next_random() % (300 / by + 1));
        }
    }
    columns(9);
    errors();
    interrupts();
    put_number(checks);
    put_text(wrongs == 0 ? " checks\ndone\n" : " checks\nfailed\n");
    return wrongs != 0;
}
