/* Lists of expressions, computed by kernels and by plain C, and compared bit by bit. */
#pragma once
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <initializer_list>
#include <vector>

typedef unsigned long long Bits;

__host__ __device__ inline Bits bits(float x)
{
    unsigned all;
    __builtin_memcpy(&all, &x, 4);
    return x != x ? 0x7fc00000 : all;
}
__host__ __device__ inline Bits bits(double x)
{
    Bits all;
    __builtin_memcpy(&all, &x, 8);
    return x != x ? 0x7ff8000000000000 : all;
}
__host__ __device__ inline Bits bits(long long x) { return (Bits)x; }
__host__ __device__ inline Bits bits(Bits x) { return x; }
__host__ __device__ inline Bits bits(long x) { return (Bits)x; }
__host__ __device__ inline Bits bits(unsigned long x) { return x; }
__host__ __device__ inline Bits bits(int x) { return (Bits)x; }
__host__ __device__ inline Bits bits(unsigned x) { return x; }
__host__ __device__ inline Bits bits(bool x) { return x; }

static int wrong;

static Bits random_bits()
{
    static Bits state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* What a thread computes: so many values, the next `stride` behind the one before. */
template <class T> using Kernel = void (*)(const T *, Bits *, int);

/* Each thread takes three operands of all there are, and more that are random. */
template <class T>
void compare(const char *list, Kernel<T> kernel, void (*host)(const T *, Bits *, int, int), const char *const *names,
             int count, std::vector<T> edges, int more)
{
    std::vector<T> operands;
    for (size_t i = 0; i < edges.size(); i++)
        for (size_t j = 0; j < edges.size(); j++)
            operands.insert(operands.end(), {edges[i], edges[j], edges[(i + 2 * j + 1) % edges.size()]});
    for (int i = 0; i < 3 * more; i++) {
        Bits made = random_bits();
        T number;
        memcpy(&number, &made, sizeof number);
        operands.push_back(number);
    }
    while (operands.size() % 96)
        operands.push_back(edges[0]);
    int threads = (int)operands.size() / 3;
    std::vector<Bits> found((size_t)threads * count), wanted(found.size());
    T *in;
    Bits *out;
    cudaMalloc(&in, operands.size() * sizeof(T));
    cudaMalloc(&out, found.size() * 8);
    cudaMemcpy(in, operands.data(), operands.size() * sizeof(T), cudaMemcpyHostToDevice);
    kernel<<<threads / 32, 32>>>(in, out, threads);
    cudaMemcpy(found.data(), out, found.size() * 8, cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError())
        printf("%s: %s\n", list, cudaGetErrorName(error)), wrong++;
    cudaFree(in);
    cudaFree(out);
    for (int thread = 0; thread < threads; thread++)
        host(&operands[3 * thread], &wanted[thread], threads, 0);
    int told = 0;
    for (size_t i = 0; i < found.size(); i++)
        if (found[i] != wanted[i] && (wrong++, told++ < 8)) {
            Bits of[3] = {0, 0, 0};
            for (int k = 0; k < 3; k++)
                memcpy(&of[k], &operands[3 * (i % threads) + k], sizeof(T));
            printf("%s of %llx %llx %llx: %llx, not %llx\n", names[i / threads], of[0], of[1], of[2], found[i],
                   wanted[i]);
        }
}

#define ONE_IN_KERNEL(expression) out[at] = bits(expression), at += stride;
#define ONE_ON_HOST(expression) out[at] = bits(expression), at += stride;
#define ONE_NAME(expression) #expression,

/* A list of expressions of x, y and z, as a kernel and as a function of the host. */
#define COMPARED(list, type, LIST) \
    __global__ void list##_kernel(const type *in, Bits *out, int stride) \
    { \
        int at = blockIdx.x * blockDim.x + threadIdx.x; \
        type x = in[3 * at], y = in[3 * at + 1], z = in[3 * at + 2]; \
        (void)x, (void)y, (void)z; \
        LIST(ONE_IN_KERNEL) \
    } \
    static void list##_host(const type *in, Bits *out, int stride, int at) \
    { \
        type x = in[0], y = in[1], z = in[2]; \
        (void)x, (void)y, (void)z; \
        LIST(ONE_ON_HOST) \
    } \
    static const char *const list##_names[] = {LIST(ONE_NAME)}; \
    static void list(std::vector<type> edges, int more) \
    { \
        compare<type>(#list, list##_kernel, list##_host, list##_names, sizeof list##_names / sizeof *list##_names, \
                      edges, more); \
    }
