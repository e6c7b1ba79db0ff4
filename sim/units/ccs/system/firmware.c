/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Measures commands and applications on the cache compute system beside plain C on the same processor. Prints a line for each; Rust reads them.
 */
#include "firmware.h"

#define CONSOLE ((volatile uint32_t *)0x60000000)

struct measured nothing;
uint32_t wrongs;
static uint32_t random_state;

/* Marsaglia's xorshift. */
uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

void put_text(const char *text)
{
    for (; *text != 0; text++) {
        CONSOLE[0] = (uint8_t)*text;
    }
}

void put_number(uint32_t value)
{
    if (value >= 10) {
        put_number(value / 10);
    }
    CONSOLE[0] = '0' + value % 10;
}

static void put_field(uint32_t value)
{
    put_text(" ");
    put_number(value);
}

void put_measured(const char *kind, const char *name, uint32_t size, const struct measured *loop, const struct measured *ccs)
{
    put_text(kind);
    put_text(" ");
    put_text(name);
    put_field(size);
    put_field(loop->cycles - nothing.cycles);
    put_field(loop->instructions - nothing.instructions);
    put_field(ccs->cycles - nothing.cycles);
    put_field(ccs->instructions - nothing.instructions);
    put_text("\n");
}

void wrong(const char *what, uint32_t size, uint32_t place, uint32_t expected, uint32_t found)
{
    if (++wrongs > 20) {
        return;
    }
    put_text("wrong ");
    put_text(what);
    put_field(size);
    put_field(place);
    put_field(expected);
    put_field(found);
    put_text("\n");
}

static NOINLINE void measure_nothing(struct measured *m)
{
    struct measured t;
    begin(&t);
    end(&t);
    *m = t;
}

int main(void)
{
    random_state = 0x2545f491;
    /* The second time its instructions are there. */
    measure_nothing(&nothing);
    measure_nothing(&nothing);
    if (!bitline_ccs_matches()) {
        put_text("wrong design\n");
        return 1;
    }
    commands();
    applications();
    put_text(wrongs == 0 ? "done\n" : "failed\n");
    return wrongs != 0;
}
