/* Functions of integers, held against what plain C makes of their definitions. */
#include "compare.h"
#include <algorithm>

/* The same names for the host. */
static int __popcll(Bits x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
static int __popc(unsigned x) { return __popcll(x); }
static int __clzll(long long x) { int n = 64; for (Bits rest = (Bits)x; rest; rest >>= 1) n--; return n; }
static int __clz(int x) { return __clzll((unsigned)x) - 32; }
static int __ffsll(long long x) { for (int n = 0; n < 64; n++) if (x >> n & 1) return n + 1; return 0; }
static int __ffs(int x) { return __ffsll(x); }
static Bits __brevll(Bits x) { Bits all = 0; for (int n = 0; n < 64; n++) all = all << 1 | (x >> n & 1); return all; }
static unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
static unsigned __byte_perm(unsigned x, unsigned y, unsigned which)
{
    Bits bytes = (Bits)y << 32 | x;
    unsigned all = 0;
    for (int n = 0; n < 4; n++)
        all |= (unsigned)(bytes >> 8 * (which >> 4 * n & 7) & 0xff) << 8 * n;
    return all;
}
static unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? low : (unsigned)(((Bits)high << 32 | low) << by >> 32);
}
static unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? high : (unsigned)(((Bits)high << 32 | low) >> by);
}
static unsigned __funnelshift_l(unsigned x, unsigned y, unsigned by) { return __funnelshift_lc(x, y, by & 31); }
static unsigned __funnelshift_r(unsigned x, unsigned y, unsigned by) { return __funnelshift_rc(x, y, by & 31); }
static int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((Bits)x * y >> 32); }
static long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static Bits __umul64hi(Bits x, Bits y) { return (Bits)((unsigned __int128)x * y >> 64); }
static unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
static unsigned signed24(int x) { return (unsigned)((int)((unsigned)x << 8) >> 8); }
static int __mul24(int x, int y) { return (int)(signed24(x) * signed24(y)); }
static unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
static unsigned __sad(int x, int y, unsigned z)
{
    return (unsigned)(x < y ? (long long)y - x : (long long)x - y) + z;
}
static int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
static int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
static unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((Bits)x + y) >> 1); }
static unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((Bits)x + y + 1) >> 1); }

#define WORDS(X) \
    X(__popc(x)) X(__clz((int)x)) X(__ffs((int)x)) X(__brev(x)) X(__byte_perm(x, y, z)) \
    X(__funnelshift_l(x, y, z)) X(__funnelshift_lc(x, y, z)) X(__funnelshift_r(x, y, z)) X(__funnelshift_rc(x, y, z)) \
    X(__mulhi((int)x, (int)y)) X(__umulhi(x, y)) X(__mul24((int)x, (int)y)) X(__umul24(x, y)) \
    X(__sad((int)x, (int)y, z)) X(__usad(x, y, z)) X(__hadd((int)x, (int)y)) X(__rhadd((int)x, (int)y)) \
    X(__uhadd(x, y)) X(__urhadd(x, y)) X(min(x, y)) X(max(x, y)) X(min((int)x, (int)y)) X(max((int)x, (int)y)) \
    X(min((int)x, y)) X(max(x, (int)y)) X(abs((int)(x | 1))) X(std::min(x, y))
COMPARED(words, unsigned, WORDS)

#define LONGS(X) \
    X(__popcll(x)) X(__clzll((long long)x)) X(__ffsll((long long)x)) X(__brevll(x)) X(__umul64hi(x, y)) \
    X(__mul64hi((long long)x, (long long)y)) X(min(x, y)) X(max(x, y)) X(min((long long)x, (long long)y)) \
    X(max((long long)x, (long long)y)) X(min((long)x, (long)y)) X(max((unsigned long)x, (unsigned long)y)) \
    X(max((long)x, (unsigned long)y)) X(abs((long long)(x | 1))) X(labs((long)(x | 1))) X(llabs((long long)(x | 1)))
COMPARED(longs, Bits, LONGS)

int main()
{
    words({0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x00ffffff, 0x3210, 0x7654}, 150);
    longs({0, 1, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff}, 60);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
