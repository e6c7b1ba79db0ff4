/* Structures that are handed to kernels by value, some of whose fields are indexed by what a thread computes. */
#include "compare.h"

struct Inner {
    short halves[5];
    unsigned char byte;
};

struct Outer {
    long long wide[3];
    double whole[2];
    Inner inner[4];
    float parts[3][3];
    const int *from[2];
};

/* A transformation that is larger than there are registers for, as programs pass it. */
struct Transformation {
    float rows[6][8];
    int shift;
};

__host__ __device__ static Bits mixed(const Outer &s, int i, int one, int other)
{
    Bits sum = bits(s.wide[i % 3]) ^ bits(s.whole[i & 1]);
    sum += 1000 * (Bits)(s.inner[i & 3].halves[i % 5] + s.inner[i >> 2 & 3].byte);
    return sum ^ bits(s.parts[i % 3][i / 3 % 3]) << 7 ^ (Bits)(i & 1 ? one : other);
}

__global__ void mix(char first, Outer s, Bits *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mixed(s, i, s.from[0][i], s.from[1][i]) + first;
}

__host__ __device__ static float transformed(const Transformation &t, int row, float x)
{
    float sum = 0;
    for (int at = 0; at < 8; at++)
        sum = sum * x + t.rows[row][at];
    return sum;
}

__global__ void transform(Transformation t, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = transformed(t, i % 6, (float)(i >> t.shift));
}

/* All fields by their names. */
__global__ void whole(Transformation t, float *out)
{
    float sum = 0;
#pragma unroll
    for (int row = 0; row < 6; row++)
#pragma unroll
        for (int at = 0; at < 8; at++)
            sum = sum * 0.5f + t.rows[row][at];
    out[threadIdx.x] = sum + (float)(int)(threadIdx.x >> t.shift);
}

/* The thread's own copy changes, and a function has its address. */
__device__ __attribute__((noinline)) static void add(Inner *inner, int at) { inner->halves[at] += inner->byte; }

__global__ void change(Inner a, Inner b, int *out)
{
    int i = threadIdx.x;
    Inner *one = i & 1 ? &a : &b;
    add(one, i % 5);
    out[i] = one->halves[i % 5] * 100 + a.halves[i % 3] + b.byte;
}

static void check(const char *what, int i, Bits found, Bits expected)
{
    if (found != expected && wrong++ < 5)
        printf("%s %d: %llx, expected %llx\n", what, i, found, expected);
}

int main()
{
    const int count = 60;
    Outer s;
    Transformation t;
    int *from[2], host[2][count], ints[count];
    Bits *out, found[count];
    float *floats, singles[count];
    cudaMalloc(&out, sizeof found);
    cudaMalloc(&floats, sizeof singles);
    for (int k = 0; k < 2; k++) {
        for (int &number : host[k])
            number = (int)random_bits();
        cudaMalloc(&from[k], sizeof host[k]);
        cudaMemcpy(from[k], host[k], sizeof host[k], cudaMemcpyHostToDevice);
        s.from[k] = from[k];
    }
    for (int turn = 0; turn < 3; turn++) {
        for (long long &wide : s.wide)
            wide = (long long)random_bits();
        for (double &number : s.whole)
            number = (double)(int)random_bits() / 3;
        for (Inner &inner : s.inner) {
            for (short &half : inner.halves)
                half = (short)random_bits();
            inner.byte = (unsigned char)random_bits();
        }
        for (auto &row : s.parts)
            for (float &part : row)
                part = (float)(int)random_bits();
        for (auto &row : t.rows)
            for (float &part : row)
                part = (float)((int)random_bits() >> 20) / 8;
        t.shift = turn;
        mix<<<3, count / 3>>>((char)(turn - 7), s, out);
        check("mix", -1, cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost), 0);
        for (int i = 0; i < count; i++)
            check("mix", i, found[i], mixed(s, i, host[0][i], host[1][i]) + (Bits)(turn - 7));
        transform<<<2, count / 2>>>(t, floats);
        check("transform", -1, cudaMemcpy(singles, floats, sizeof singles, cudaMemcpyDeviceToHost), 0);
        for (int i = 0; i < count; i++)
            check("transform", i, bits(singles[i]), bits(transformed(t, i % 6, (float)(i >> turn))));
        whole<<<1, count>>>(t, floats);
        check("whole", -1, cudaMemcpy(singles, floats, sizeof singles, cudaMemcpyDeviceToHost), 0);
        float sum = 0;
        for (auto &row : t.rows)
            for (float part : row)
                sum = sum * 0.5f + part;
        for (int i = 0; i < count; i++)
            check("whole", i, bits(singles[i]), bits(sum + (float)(i >> turn)));
        Inner a = s.inner[0], b = s.inner[1];
        change<<<1, count>>>(a, b, (int *)out);
        check("change", -1, cudaMemcpy(ints, out, sizeof ints, cudaMemcpyDeviceToHost), 0);
        for (int i = 0; i < count; i++) {
            Inner own[2] = {b, a};
            short &half = own[i & 1].halves[i % 5];
            half = (short)(half + own[i & 1].byte);
            check("change", i, (Bits)ints[i], (Bits)(half * 100 + own[1].halves[i % 3] + b.byte));
        }
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
