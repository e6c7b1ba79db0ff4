/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Every command beside the loop in C that does the same: cycles of both at four sizes, and results at many sizes and places.
 */
#include "firmware.h"

#define PARAMETERS \
    const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict r, uint32_t c, uint32_t n, struct measured *m

typedef uint32_t loop(PARAMETERS);
typedef uint32_t call(const uint32_t *a, const uint32_t *b, uint32_t *r, uint32_t c, struct measured *m);

/* A loop over vectors. */
#define MAP(name, expression)                     \
    static NOINLINE uint32_t loop_##name(PARAMETERS) \
    {                                             \
        struct measured t;                        \
        uint32_t i;                               \
        (void)a, (void)b, (void)c;                \
        begin(&t);                                \
        for (i = 0; i < n; i++) {                 \
            r[i] = (uint32_t)(expression);        \
        }                                         \
        end(&t);                                  \
        *m = t;                                   \
        return 0;                                 \
    }

/* A loop to one value, s. */
#define REDUCE(name, first, statement)            \
    static NOINLINE uint32_t loop_##name(PARAMETERS) \
    {                                             \
        struct measured t;                        \
        uint32_t i, s = (uint32_t)(first);        \
        (void)b, (void)c, (void)r;                \
        begin(&t);                                \
        for (i = 0; i < n; i++) {                 \
            statement;                            \
        }                                         \
        keep(s);                                  \
        end(&t);                                  \
        *m = t;                                   \
        return s;                                 \
    }

/* The command, called as programs call it: what it does and how long is known to the compiler, where vectors are is not. */
#define CALL(name, size)                                                                                           \
    static NOINLINE uint32_t ccs_##name##_##size(const uint32_t *a, const uint32_t *b, uint32_t *r, uint32_t c, struct measured *m) \
    {                                                                                                              \
        struct measured t;                                                                                         \
        uint32_t value = 0;                                                                                        \
        int error;                                                                                                 \
        begin(&t);                                                                                                 \
        if ((CCS_##name & BITLINE_CCS_HAS_CONSTANT) != 0) {                                                        \
            __ccs_constant(c);                                                                                     \
        }                                                                                                          \
        error = __ccs_run(CCS_##name, a, b, r, size);                                                              \
        if ((CCS_##name & BITLINE_CCS_HAS_R) == 0) {                                                               \
            value = __ccs_result();                                                                                \
            await(value);                                                                                          \
        }                                                                                                          \
        await((uint32_t)error);                                                                                    \
        end(&t);                                                                                                   \
        *m = t;                                                                                                    \
        if (error != 0) {                                                                                          \
            wrong(#name, size, 0, 0, (uint32_t)error);                                                             \
        }                                                                                                          \
        return value;                                                                                              \
    }

#define ALL(name) CALL(name, 64) CALL(name, 256) CALL(name, 1024) CALL(name, 4096)

#define SIGNED(x) ((int32_t)(x))
#define LEFT(x, by) ((x) << ((by) & 31))
#define RIGHT(x, by) ((x) >> ((by) & 31))
#define ARITHMETIC(x, by) (SIGNED(x) >> ((by) & 31))
#define ROTATE_LEFT(x, by) ((x) << ((by) & 31) | (x) >> (-(by) & 31))
#define ROTATE_RIGHT(x, by) ((x) >> ((by) & 31) | (x) << (-(by) & 31))
#define DIFFERENCE(x, y) ((x) < (y) ? (y) - (x) : (x) - (y))

/* Two vectors, or a vector and the constant. */
#define BOTH(M, name, expression) M(name##VV, expression(a[i], b[i])) M(name##VC, expression(a[i], c))
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define NAND(x, y) (~((x) & (y)))
#define NOR(x, y) (~((x) | (y)))
#define XNOR(x, y) (~((x) ^ (y)))

BOTH(MAP, ADD, ADD)
BOTH(MAP, SUB, SUB)
BOTH(MAP, MUL, MUL)
BOTH(MAP, SLL, LEFT)
BOTH(MAP, SLA, LEFT)
BOTH(MAP, SRL, RIGHT)
BOTH(MAP, SRA, ARITHMETIC)
BOTH(MAP, ROL, ROTATE_LEFT)
BOTH(MAP, ROR, ROTATE_RIGHT)
BOTH(MAP, AND, AND)
BOTH(MAP, OR, OR)
BOTH(MAP, XOR, XOR)
BOTH(MAP, NAND, NAND)
BOTH(MAP, NOR, NOR)
BOTH(MAP, XNOR, XNOR)
MAP(LESSVC, SIGNED(a[i]) < SIGNED(c) ? -1 : 0)
MAP(GRTRVC, SIGNED(a[i]) > SIGNED(c) ? -1 : 0)
MAP(EQUVC, a[i] == c ? -1 : 0)
MAP(LESSVV, SIGNED(a[i]) < SIGNED(b[i]) ? -1 : 0)
MAP(GRTRVV, SIGNED(a[i]) > SIGNED(b[i]) ? -1 : 0)
MAP(EQUVV, a[i] == b[i] ? -1 : 0)
MAP(MINVV, SIGNED(a[i]) < SIGNED(b[i]) ? a[i] : b[i])
MAP(MINVC, SIGNED(a[i]) < SIGNED(c) ? a[i] : c)
MAP(MAXVV, SIGNED(a[i]) > SIGNED(b[i]) ? a[i] : b[i])
MAP(MAXVC, SIGNED(a[i]) > SIGNED(c) ? a[i] : c)
MAP(COPYV, a[i])
MAP(NOTV, ~a[i])
MAP(INITC, c)
REDUCE(SUMV, 0, s += a[i])
REDUCE(ANDV, -1, s &= a[i])
REDUCE(ORV, 0, s |= a[i])
REDUCE(XORV, 0, s ^= a[i])
REDUCE(MINV, INT32_MAX, s = SIGNED(a[i]) < SIGNED(s) ? a[i] : s)
REDUCE(MAXV, INT32_MIN, s = SIGNED(a[i]) > SIGNED(s) ? a[i] : s)
REDUCE(SSDVV, 0, uint32_t d = a[i] - b[i]; s += d * d)
REDUCE(SSDVC, 0, uint32_t d = a[i] - c; s += d * d)
REDUCE(SADVV, 0, s += SIGNED(a[i]) < SIGNED(b[i]) ? b[i] - a[i] : a[i] - b[i])
REDUCE(SADVC, 0, s += SIGNED(a[i]) < SIGNED(c) ? c - a[i] : a[i] - c)
REDUCE(IPVV, 0, s += a[i] * b[i])
REDUCE(IPVC, 0, s += a[i] * c)

/* Without signs. */
MAP(LESSVC_UNSIGNED, a[i] < c ? -1 : 0)
MAP(GRTRVC_UNSIGNED, a[i] > c ? -1 : 0)
MAP(MINVV_UNSIGNED, a[i] < b[i] ? a[i] : b[i])
MAP(MAXVV_UNSIGNED, a[i] > b[i] ? a[i] : b[i])
REDUCE(MINV_UNSIGNED, -1, s = a[i] < s ? a[i] : s)
REDUCE(MAXV_UNSIGNED, 0, s = a[i] > s ? a[i] : s)
REDUCE(SADVV_UNSIGNED, 0, s += DIFFERENCE(a[i], b[i]))
REDUCE(SADVC_UNSIGNED, 0, s += DIFFERENCE(a[i], c))

#define EVERY(X)                                                                                                   \
    X(ADDVV) X(ADDVC) X(SUBVV) X(SUBVC) X(MULVV) X(MULVC) X(SLLVV) X(SLLVC) X(SLAVV) X(SLAVC) X(SRLVV) X(SRLVC)    \
    X(SRAVV) X(SRAVC) X(ROLVV) X(ROLVC) X(RORVV) X(RORVC) X(ANDVV) X(ANDVC) X(ORVV) X(ORVC) X(XORVV) X(XORVC)      \
    X(NANDVV) X(NANDVC) X(NORVV) X(NORVC) X(XNORVV) X(XNORVC) X(LESSVC) X(GRTRVC) X(EQUVC) X(COPYV) X(NOTV)        \
    X(INITC) X(SUMV) X(ANDV) X(ORV) X(XORV) X(MINV) X(MAXV) X(SSDVV) X(SSDVC) X(SADVV) X(SADVC) X(IPVV) X(IPVC)    \
    X(LESSVV) X(GRTRVV) X(EQUVV) X(MINVV) X(MINVC) X(MAXVV) X(MAXVC)

EVERY(ALL)

#define SIZES 4
static const uint32_t sizes[SIZES] = {64, 256, 1024, 4096};

struct command {
    const char *name;
    uint32_t word;
    loop *plain;
    call *calls[SIZES];
};

#define ENTRY(name) {#name, CCS_##name, loop_##name, {ccs_##name##_64, ccs_##name##_256, ccs_##name##_1024, ccs_##name##_4096}},
static const struct command table[] = {EVERY(ENTRY)};
#define COMMANDS (sizeof table / sizeof table[0])

struct variant {
    const char *name;
    uint32_t word;
    loop *plain;
};

#define UNSIGNED_ENTRY(name) {#name "_UNSIGNED", CCS_##name | CCS_UNSIGNED, loop_##name##_UNSIGNED},
static const struct variant variants[] = {UNSIGNED_ENTRY(LESSVC) UNSIGNED_ENTRY(GRTRVC) UNSIGNED_ENTRY(MINV)
                                              UNSIGNED_ENTRY(MINVV) UNSIGNED_ENTRY(MAXVV)
                                              UNSIGNED_ENTRY(MAXV) UNSIGNED_ENTRY(SADVV) UNSIGNED_ENTRY(SADVC)};
#define VARIANTS (sizeof variants / sizeof variants[0])

/* The same in both, from the first word to the last. */
static NOINLINE void compare(const char *name, const uint32_t *expected, const uint32_t *found, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        if (expected[i] != found[i]) {
            wrong(name, n, i, expected[i], found[i]);
            return;
        }
    }
}

static void measure(const struct command *command, uint32_t which)
{
    const uint32_t n = sizes[which], c = 0x01234567;
    struct measured plain, ccs;
    uint32_t expected, found;
    /* Once before: vectors that fit the cache are there when the loop is measured, and when the command is; and so are their instructions,
     * which are measured one right after the other. */
    (void)command->plain(PLAIN(VECTOR_A), PLAIN(VECTOR_B), PLAIN(VECTOR_E), c, n, &plain);
    expected = command->plain(PLAIN(VECTOR_A), PLAIN(VECTOR_B), PLAIN(VECTOR_E), c, n, &plain);
    if (n <= 256) {
        FORGET();
        touch(VECTOR_A, n);
        touch(VECTOR_B, n);
    }
    (void)command->calls[which](VECTOR_A, VECTOR_B, VECTOR_R, c, &ccs);
    found = command->calls[which](VECTOR_A, VECTOR_B, VECTOR_R, c, &ccs);
    if (expected != found) {
        wrong(command->name, n, 0, expected, found);
    }
    if ((command->word & BITLINE_CCS_HAS_R) != 0) {
        FORGET();
        compare(command->name, PLAIN(VECTOR_E), VECTOR_R, n);
    }
    put_measured("command", command->name, n, &plain, &ccs);
}

/* Results at sizes and places that are no multiples of a line; what lies around them stays as it is. */
static NOINLINE uint32_t check(const char *name, uint32_t word, loop *plain)
{
    static const uint16_t lengths[] = {1, 2, 63, 64, 65, 127, 130, 200};
    static const uint16_t places[] = {0, 1, 17, 63};
    const uint32_t around = 340;
    struct measured unused;
    uint32_t i, cases = 0;
    for (i = 0; i < 8; i += QUICK ? 3 : 1) {
        const uint32_t n = lengths[i], at = places[(i + (word & 63)) % 4], c = i % 2 == 0 ? VECTOR_A[at] : next_random();
        const int maps = (word & BITLINE_CCS_HAS_R) != 0;
        const uint32_t *a = VECTOR_A + at, *b = VECTOR_B + at;
        const uint32_t expected = plain(PLAIN(a), PLAIN(b), PLAIN(VECTOR_E) + at, c, n, &unused);
        /* Reductions store their result, too. */
        const uint32_t all = maps ? word : word | CCS_STORE;
        int error;
        __ccs_constant(c);
        error = __ccs_run(all, a, b, VECTOR_R + at, n);
        if (!maps) {
            PLAIN(VECTOR_E)[at] = expected;
            if (__ccs_result() != expected) {
                wrong(name, n, at, expected, __ccs_result());
            }
        }
        if (error != 0) {
            wrong(name, n, at, 0, (uint32_t)error);
        }
        FORGET();
        compare(name, PLAIN(VECTOR_E), VECTOR_R, around);
        cases++;
    }
    return cases;
}

void commands(void)
{
    uint32_t i, which;
    for (i = 0; i < 4400; i++) {
        put(VECTOR_A, i, next_random());
        put(VECTOR_B, i, next_random());
        put(VECTOR_E, i, 0);
        put(VECTOR_R, i, 0);
    }
    for (i = 0; i < COMMANDS; i++) {
        const uint32_t before = wrongs, times = check(table[i].name, table[i].word, table[i].plain);
        put_text("check ");
        put_text(table[i].name);
        put_text(" ");
        put_number(times);
        put_text(wrongs == before ? " right\n" : " wrong\n");
    }
    for (i = 0; i < VARIANTS; i++) {
        (void)check(variants[i].name, variants[i].word, variants[i].plain);
    }
    for (i = 0; i < COMMANDS; i++) {
        for (which = 0; which < SIZES; which++) {
            if (!QUICK || which == 0 || (which == 2 && table[i].word == CCS_RORVV)) {
                measure(&table[i], which);
            }
        }
    }
}
