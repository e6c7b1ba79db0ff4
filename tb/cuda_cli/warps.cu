/* Values of 64 bits between lanes, reductions of warps, vectors, and bytes that a kernel copies and sets. */
#include "compare.h"
#include <algorithm>

enum { THREADS = 64, VALUES = 23 };

__global__ void lanes(const Bits *in, Bits *out)
{
    int i = threadIdx.x, at = i;
    const unsigned all = 0xffffffff;
    Bits x = in[i];
    double d = (double)(long long)x;
    auto put = [&](Bits value) { out[at] = value, at += THREADS; };
    put(__shfl_sync(all, x, i * 7));
    put(bits(__shfl_sync(all, (long long)x, 3, 8)));
    put(bits(__shfl_up_sync(all, x, 5)));
    put(bits(__shfl_down_sync(all, (long long)x, 9, 16)));
    put(bits(__shfl_xor_sync(all, x, 13)));
    put(bits(__shfl_sync(all, d, 31 - i)));
    put(bits(__shfl_up_sync(all, d, 1)));
    put(bits(__shfl_down_sync(all, d, 1)));
    put(bits(__shfl_xor_sync(all, d, 16)));
    put(bits(__shfl_xor_sync(all, (float)d, 1)));
    put(bits(__shfl_down_sync(all, (long)x, 2)));
    put(bits(__shfl_up_sync(all, (unsigned long)x, 2)));
    put(bits(__reduce_add_sync(all, (int)x)));
    put(bits(__reduce_add_sync(all, (unsigned)x)));
    put(bits(__reduce_min_sync(all, (int)x)));
    put(bits(__reduce_min_sync(all, (unsigned)x)));
    put(bits(__reduce_max_sync(all, (int)x)));
    put(bits(__reduce_max_sync(all, (unsigned)x)));
    put(bits(__reduce_and_sync(all, (unsigned)x | 1)));
    put(bits(__reduce_or_sync(all, (unsigned)x & 0xff0)));
    put(bits(__reduce_xor_sync(all, (unsigned)x)));
    /* Half of a warp. */
    put(i & 16 ? bits(__reduce_add_sync(0xffff0000, (int)x)) : bits(__reduce_add_sync(0xffff, (int)x)));
    put(i & 16 ? 0 : bits(__reduce_max_sync(0xffff, (int)x)));
}

static Bits expected(const Bits *in, int thread, int value)
{
    const Bits *warp = in + (thread & ~31);
    int lane = thread & 31, first = lane & 16;
    auto of = [&](int from) { return warp[from]; };
    auto number = [&](int from) { return bits((double)(long long)warp[from]); };
    auto all = [&](int from, int to, long long start, auto join) {
        for (int i = from; i < to; i++)
            start = join(start, warp[i]);
        return start;
    };
    auto add = [](long long a, Bits b) { return (long long)((Bits)a + b); };
    auto least = [](long long a, Bits b) { return std::min(a, (long long)(int)b); };
    auto least_bits = [](long long a, Bits b) { return std::min(a, (long long)(unsigned)b); };
    auto most_bits = [](long long a, Bits b) { return std::max(a, (long long)(unsigned)b); };
    auto most = [](long long a, Bits b) { return std::max(a, (long long)(int)b); };
    switch (value) {
    case 0: return of(thread * 7 & 31);
    case 1: return of((lane & ~7) + 3);
    case 2: return of(lane < 5 ? lane : lane - 5);
    case 3: return of((lane & 15) + 9 > 15 ? lane : lane + 9);
    case 4: return of(lane ^ 13);
    case 5: return number((31 - thread) & 31);
    case 6: return number(lane ? lane - 1 : 0);
    case 7: return number(lane < 31 ? lane + 1 : 31);
    case 8: return number(lane ^ 16);
    case 9: return bits((float)(double)(long long)of(lane ^ 1));
    case 10: return of(lane < 30 ? lane + 2 : lane);
    case 11: return of(lane < 2 ? lane : lane - 2);
    case 12: return bits((int)all(0, 32, 0, add));
    case 13: return bits((unsigned)all(0, 32, 0, add));
    case 14: return bits((int)all(0, 32, 0x7fffffff, least));
    case 15: return (Bits)all(0, 32, 0xffffffff, least_bits);
    case 16: return bits((int)all(0, 32, -0x80000000ll, most));
    case 17: return (Bits)all(0, 32, 0, most_bits);
    case 18: return (Bits)all(0, 32, 0xffffffff, [](long long a, Bits b) { return a & (unsigned)(b | 1); });
    case 19: return (Bits)all(0, 32, 0, [](long long a, Bits b) { return a | (b & 0xff0); });
    case 20: return (Bits)all(0, 32, 0, [](long long a, Bits b) { return a ^ (unsigned)b; });
    case 21: return bits((int)all(first, first + 16, 0, add));
    default: return first ? 0 : bits((int)all(0, 16, -0x80000000ll, most));
    }
}

static void compare_lanes()
{
    Bits in[THREADS], out[THREADS * VALUES], *from, *to;
    for (Bits &x : in)
        x = random_bits();
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    lanes<<<1, THREADS>>>(from, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS * VALUES; i++)
        if (out[i] != expected(in, i % THREADS, i / THREADS) && wrong++ < 20)
            printf("value %d of thread %d: %llx, not %llx\n", i / THREADS, i % THREADS, out[i],
                   expected(in, i % THREADS, i / THREADS));
}

struct Record {
    char3 bytes;
    uchar4 more;
    short2 shorts;
    float3 numbers;
    double2 wide;
    longlong2 longs;
    uint4 words;
    int tail[4];
};

__global__ void records(const Record *in, Record *out)
{
    int i = threadIdx.x;
    const Record &one = in[i];
    Record &made = out[i];
    made.bytes = make_char3(one.bytes.z, one.bytes.x, one.bytes.y);
    made.more = make_uchar4(one.more.y, one.more.x, one.more.w, one.more.z + 1);
    made.shorts = make_short2(one.shorts.y, one.shorts.x);
    made.numbers = make_float3(one.numbers.x + 1, one.numbers.y * 2, -one.numbers.z);
    made.wide = make_double2(one.wide.x + one.wide.y, one.wide.y);
    made.longs = make_longlong2(one.longs.y, one.longs.x);
    made.words = make_uint4(one.words.w, one.words.x, one.words.y, one.words.z);
    memset(made.tail, 0x5a, sizeof made.tail);
    memcpy(&made.tail[1], &one.tail[2], 8);
}

/* So many bytes as an argument says. */
__global__ void pieces(unsigned char *place, int bytes)
{
    unsigned char *own = place + 64 * threadIdx.x;
    memset(own + 40, threadIdx.x, bytes);
    memcpy(own + 20, own, bytes);
    memmove(own + 1, own, bytes);
    memmove(own + 20, own + 22, bytes);
}

static void compare_records()
{
    static Record in[32], out[32];
    for (size_t i = 0; i < sizeof in; i++)
        ((unsigned char *)in)[i] = (unsigned char)random_bits();
    Record *from, *to;
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    for (int i = 0; i < 32; i++) {
        in[i].numbers = make_float3(i, i * 0.5f, i + 3);
        in[i].wide = make_double2(i * 0.25, 1e10);
    }
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    records<<<1, 32>>>(from, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        const Record &a = in[i], &b = out[i];
        bool same = a.bytes.x == b.bytes.y && a.bytes.y == b.bytes.z && a.bytes.z == b.bytes.x &&
                    a.more.x == b.more.y && a.more.y == b.more.x && (a.more.z + 1) % 256 == b.more.w &&
                    a.more.w == b.more.z && a.shorts.x == b.shorts.y && a.shorts.y == b.shorts.x &&
                    a.numbers.x + 1 == b.numbers.x && a.numbers.y * 2 == b.numbers.y && a.numbers.z == -b.numbers.z &&
                    a.wide.x + a.wide.y == b.wide.x && a.wide.y == b.wide.y && a.longs.x == b.longs.y &&
                    a.longs.y == b.longs.x && a.words.x == b.words.y && a.words.y == b.words.z &&
                    a.words.z == b.words.w && a.words.w == b.words.x && b.tail[0] == 0x5a5a5a5a &&
                    a.tail[2] == b.tail[1] && a.tail[3] == b.tail[2] && b.tail[3] == 0x5a5a5a5a;
        if (!same && wrong++ < 20)
            printf("record %d\n", i);
    }
}

static void compare_pieces()
{
    unsigned char in[32 * 64], out[sizeof in], *place;
    for (unsigned char &byte : in)
        byte = (unsigned char)random_bits();
    cudaMalloc(&place, sizeof in);
    cudaMemcpy(place, in, sizeof in, cudaMemcpyHostToDevice);
    pieces<<<1, 32>>>(place, 9);
    cudaMemcpy(out, place, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        unsigned char *own = in + 64 * i;
        memset(own + 40, i, 9);
        memcpy(own + 20, own, 9);
        memmove(own + 1, own, 9);
        memmove(own + 20, own + 22, 9);
    }
    if (memcmp(in, out, sizeof in) != 0)
        printf("pieces\n"), wrong++;
}

int main()
{
    static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double2) == 16 && alignof(int2) == 8, "");
    static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4 && alignof(short2) == 4 && alignof(ushort4) == 8, "");
    compare_lanes();
    compare_records();
    compare_pieces();
    if (cudaError_t error = cudaGetLastError())
        printf("%s\n", cudaGetErrorName(error)), wrong++;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
