/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The console of the processors' systems, and what programs tell there.
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

#define CONSOLE ((volatile void *)0x30000000)

static void print_letter(char letter)
{
    *(volatile uint32_t *)CONSOLE = (uint8_t)letter;
}

static void print(const char *text)
{
    for (; *text != 0; text++) {
        print_letter(*text);
    }
}

static void print_number(uint32_t number)
{
    int digit;
    print("0x");
    for (digit = 28; digit >= 0; digit -= 4) {
        print_letter("0123456789abcdef"[number >> digit & 15]);
    }
}

/* Tells what is wrong. Returns 1 if something is. */
static int differs(const char *what, uint32_t is, uint32_t expected)
{
    if (is == expected) {
        return 0;
    }
    print("FAIL ");
    print(what);
    print(": ");
    print_number(is);
    print(", expected ");
    print_number(expected);
    print("\n");
    return 1;
}

/* Ends the function that it stands in with 1 if they are not equal. */
#define CHECK(what, is, expected)                              \
    if (differs(what, (uint32_t)(is), (uint32_t)(expected))) { \
        return 1;                                              \
    }

#endif
