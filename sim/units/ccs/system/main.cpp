// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs the processor until its program ends: prints what it prints, then the number of cycles on the standard error output.
// Exit code: 0 if the program says so, 1 if not, 2 if the processor or an access is broken, 3 if the program does not end.

#include <cstdio>

#include "Vccs_system.h"
#include "verilated.h"

int main()
{
    const long limit = 400000000;
    Vccs_system top;
    for (long cycle = 0; cycle < limit; cycle++) {
        top.rst = cycle < 8;
        top.clk = 0;
        top.eval();
        // Outputs of this cycle, before the edge that ends it.
        const bool end = !top.rst && top.ended;
        if (!top.rst && top.letter_valid) {
            std::putchar(top.letter);
        }
        if (end || (!top.rst && top.broken)) {
            std::fflush(stdout);
            std::fprintf(stderr, "%s after %ld cycles, code %u\n", end ? "end" : "broken", cycle, top.code);
            return !end || top.broken ? 2 : top.code == 0 ? 0 : 1;
        }
        top.clk = 1;
        top.eval();
    }
    std::fflush(stdout);
    std::fprintf(stderr, "no end after %ld cycles\n", limit);
    return 3;
}
