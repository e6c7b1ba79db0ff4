/* One step of a breadth-first search: nodes of the frontier reach their neighbours. Edges of node v are
 * edges[first[v]] ... edges[first[v + 1] - 1]. Threads may write the same place, always the same value. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void bfs(const int *first, const int *edges, const unsigned char *frontier, unsigned char *next,
                               int *level, int *more, int nodes, int depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes || !frontier[v])
        return;
    for (int e = first[v]; e < first[v + 1]; e++) {
        int w = edges[e];
        if (level[w] < 0 || level[w] > depth) {
            level[w] = depth;
            next[w] = 1;
            *more = 1;
        }
    }
}

int main()
{
    const int nodes = 600, degree = 3;
    Random random = {13};
    int *first = zeros<int>(nodes + 1), *edges = zeros<int>(nodes * 2 * degree), *level = zeros<int>(nodes);
    for (int v = 0; v < nodes; v++) {
        int count = random.below(2 * degree);
        first[v + 1] = first[v] + count;
        for (int e = first[v]; e < first[v + 1]; e++)
            edges[e] = random.below(nodes);
        level[v] = v == 0 ? 0 : -1;
    }
    unsigned char *frontier = zeros<unsigned char>(nodes);
    frontier[0] = 1;
    int *on_first = upload(first, nodes + 1), *on_edges = upload(edges, first[nodes]), *on_level = upload(level, nodes);
    unsigned char *now = upload(frontier, nodes), *next = room<unsigned char>(nodes);
    int *on_more = room<int>(1), more = 1, depth = 0;
    while (more) {
        more = 0;
        CHECKED(cudaMemcpy(on_more, &more, sizeof more, cudaMemcpyHostToDevice));
        CHECKED(cudaMemset(next, 0, nodes));
        bfs<<<(nodes + BLOCK - 1) / BLOCK, BLOCK>>>(on_first, on_edges, now, next, on_level, on_more, nodes, ++depth);
        LAUNCHED();
        CHECKED(cudaMemcpy(&more, on_more, sizeof more, cudaMemcpyDeviceToHost));
        unsigned char *swapped = now;
        now = next, next = swapped;
    }
    int *queue = zeros<int>(nodes), count = 1;
    for (int taken = 0; taken < count; taken++) {
        int v = queue[taken];
        for (int e = first[v]; e < first[v + 1]; e++) {
            if (level[edges[e]] < 0) {
                level[edges[e]] = level[v] + 1;
                queue[count++] = edges[e];
            }
        }
    }
    printf("%d of %d nodes are reached, in %d steps\n", count, nodes, depth);
    return same("bfs", on_level, level, nodes);
}
