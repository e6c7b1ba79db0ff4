/* One step of a breadth-first search: nodes of the frontier reach their neighbours. Edges of node v are
 * edges[first[v]] ... edges[first[v + 1] - 1]. Threads may write the same place, always the same value. */
#include "cuda.h"

KERNEL bfs(const int *first, const int *edges, const unsigned char *frontier, unsigned char *next, int *level,
           int *more, int nodes, int depth)
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
