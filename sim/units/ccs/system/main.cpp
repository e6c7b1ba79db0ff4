// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs the processor until its program ends: prints what it prints, then the number of cycles on the standard error output.
// Exit code: 0 if the program says so, 1 if not, 2 if the processor or an access is broken, 3 if the program does not end.

//
// With ACCOUNT, it prints behind a line about a command the account of the call that was started last, in cycles: from its first register write to the
// one that starts it; to the first line that is asked for, or to the first step if all lines are there; to the last step; to its results, for a
// reduction the tree's; to the answer.

#include <cstdio>
#include <cstring>

#include "Vccs_system.h"
#include "verilated.h"

#ifdef ACCOUNT
namespace {

// Cycles of a call.
struct account {
    long first, start, lines, step, result, answer;
};

// What a cycle has to do with the call; `call` is the one that runs, `next` the registers that are written for another.
void note(const Vccs_system &top, long cycle, account &call, long &next)
{
    if (top.sets && next < 0) {
        next = cycle;
    }
    if (top.launches) {
        call = {next, cycle, -1, -1, -1, -1};
        next = -1;
        return;
    }
    if (call.answer >= 0) {
        return;
    }
    if ((top.asks || top.steps) && call.lines < 0) {
        call.lines = cycle;
    }
    if (top.steps) {
        call.step = cycle;
    }
    if (top.results) {
        call.result = cycle;
    }
    if (top.replies) {
        call.answer = cycle;
    }
}

}  // namespace
#endif

int main()
{
    const long limit = 400000000;
    Vccs_system top;
#ifdef ACCOUNT
    account call = {};
    long next = -1;
    char line[80] = {};
    size_t length = 0;
#endif
    for (long cycle = 0; cycle < limit; cycle++) {
        top.rst = cycle < 8;
        top.clk = 0;
        top.eval();
        // Outputs of this cycle, before the edge that ends it.
        const bool end = !top.rst && top.ended;
#ifdef ACCOUNT
        if (!top.rst) {
            note(top, cycle, call, next);
        }
        if (!top.rst && top.letter_valid) {
            if (top.letter == '\n') {
                if (std::strncmp(line, "command ", 8) == 0) {
                    std::printf(" %ld %ld %ld %ld %ld", call.start - call.first, call.lines - call.start, call.step - call.lines,
                                call.result - call.step, call.answer - call.result);
                }
                length = 0;
                std::memset(line, 0, sizeof line);
            } else if (length + 1 < sizeof line) {
                line[length++] = static_cast<char>(top.letter);
            }
        }
#endif
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
