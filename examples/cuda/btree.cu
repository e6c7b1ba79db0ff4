/* A tree of many ways: nodes of eight keys and what lies under each, records in leaves that are linked. Leaves are made
 * of sorted keys, then level after level of what is below; then keys are looked up, and ranges. Here the keys are
 * primes, and their records how many primes are smaller. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 32
#endif

#define WAYS 8
/* Nodes are filled with less, so that there would be room. */
#define FILL 6
#define NO_KEY 0x7fffffff

/* Leaves: a thread for each way of a node. */
extern "C" __global__ void leaves(const int *sorted, int *keys, int *under, int *next, int records, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, node = i / WAYS, way = i % WAYS, record = node * FILL + way;
    if (node >= nodes)
        return;
    bool used = way < FILL && record < records;
    keys[i] = used ? sorted[record] : NO_KEY;
    under[i] = used ? record : -1;
    if (way == 0)
        next[node] = node + 1 < nodes ? node + 1 : -1;
}

/* The nodes from `first` on, of a level that has the `count` nodes from `below` on under it. */
extern "C" __global__ void level(int *keys, int *under, int below, int count, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, node = i / WAYS, way = i % WAYS, child = node * FILL + way;
    if (node * FILL >= count)
        return;
    bool used = way < FILL && child < count;
    keys[first * WAYS + i] = used ? keys[(below + child) * WAYS] : NO_KEY;
    under[first * WAYS + i] = used ? below + child : -1;
}

/* The leaf where a key would be. */
static __device__ inline int leaf(const int *keys, const int *under, int root, int height, int key)
{
    int node = root;
    for (int level = 0; level < height; level++) {
        int way = node * WAYS;
        const int *own = keys + way;
        for (int k = 1; k < WAYS; k++)
            way += own[k] <= key;
        node = under[way];
    }
    return node;
}

/* Records of keys, −1 where there is none. */
extern "C" __global__ void find(const int *keys, const int *under, const int *wanted, int *found, int n, int root,
                                int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = wanted[i], node = leaf(keys, under, root, height, key), record = -1;
    for (int k = 0; k < WAYS; k++)
        if (keys[node * WAYS + k] == key)
            record = under[node * WAYS + k];
    found[i] = record;
}

/* How many keys are between two, these included, and the sum of their records. */
extern "C" __global__ void range(const int *keys, const int *under, const int *next, const int *from, const int *length,
                                 int *counts, int *sums, int n, int root, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = from[i], high = low + length[i], count = 0, sum = 0;
    int node = leaf(keys, under, root, height, low);
    while (node >= 0) {
        for (int k = 0; k < WAYS; k++) {
            int key = keys[node * WAYS + k];
            if (key >= low && key <= high) {
                count++;
                sum += under[node * WAYS + k];
            }
        }
        node = keys[node * WAYS] > high ? -1 : next[node];
    }
    counts[i] = count;
    sums[i] = sum;
}

int main()
{
    const int most = 4000, n = 200;
    int *composite = zeros<int>(most), *primes = zeros<int>(most), records = 0;
    for (int p = 2; p < most; p++) {
        if (!composite[p])
            primes[records++] = p;
        for (int multiple = 2 * p; multiple < most; multiple += p)
            composite[multiple] = 1;
    }
    int nodes = (records + FILL - 1) / FILL, height = 0;
    int *sorted = upload(primes, records), *next = room<int>(nodes);
    int *keys = room<int>(2 * nodes * WAYS), *under = room<int>(2 * nodes * WAYS);
    leaves<<<(nodes * WAYS + BLOCK - 1) / BLOCK, BLOCK>>>(sorted, keys, under, next, records, nodes);
    LAUNCHED();
    int below = 0, first = nodes;
    for (int count = nodes; count > 1; height++) {
        int own = (count + FILL - 1) / FILL;
        level<<<(own * WAYS + BLOCK - 1) / BLOCK, BLOCK>>>(keys, under, below, count, first);
        LAUNCHED();
        below = first, first += own, count = own;
    }
    printf("%d primes below %d, in %d leaves under %d levels\n", records, most, nodes, height);
    Random random = {44};
    int *wanted = zeros<int>(n), *length = zeros<int>(n);
    int *expected = zeros<int>(n), *counts = zeros<int>(n), *sums = zeros<int>(n);
    for (int i = 0; i < n; i++) {
        wanted[i] = i < n / 2 ? random.below(most) : primes[random.below(records)];
        length[i] = random.below(100);
        expected[i] = -1;
        for (int record = 0; record < records; record++) {
            if (primes[record] == wanted[i])
                expected[i] = record;
            if (primes[record] >= wanted[i] && primes[record] <= wanted[i] + length[i]) {
                counts[i]++;
                sums[i] += record;
            }
        }
    }
    int *on_wanted = upload(wanted, n), *found = room<int>(n), *on_counts = room<int>(n), *on_sums = room<int>(n);
    const dim3 grid((n + BLOCK - 1) / BLOCK);
    find<<<grid, BLOCK>>>(keys, under, on_wanted, found, n, below, height);
    LAUNCHED();
    range<<<grid, BLOCK>>>(keys, under, next, on_wanted, upload(length, n), on_counts, on_sums, n, below, height);
    LAUNCHED();
    return same("btree, keys", found, expected, n) | same("btree, ranges", on_counts, counts, n) |
           same("btree, sums", on_sums, sums, n);
}
