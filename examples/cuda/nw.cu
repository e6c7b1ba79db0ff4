/* Alignment of two sequences (Needleman and Wunsch): the cells of a diagonal depend on the two before it, so that each
 * diagonal is a launch. score[(i, j)] is the best of the first i letters of one with the first j of the other. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 32
#endif

extern "C" __global__ void nw(const int *like, int *score, int size, int diagonal, int first, int count, int gap)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    int i = first + k, j = diagonal - i, at = i * size + j;
    int best = score[at - size - 1] + like[at];
    best = max(best, score[at - 1] - gap);
    score[at] = max(best, score[at - size] - gap);
}

int main()
{
    const int size = 33, gap = 3, cells = size * size;
    Random random = {37};
    int *like = zeros<int>(cells), *score = zeros<int>(cells);
    for (int i = 0; i < cells; i++)
        like[i] = random.below(20) - 9;
    for (int i = 1; i < size; i++)
        score[i] = score[i * size] = -i * gap;
    int *on_like = upload(like, cells), *on_score = upload(score, cells);
    for (int diagonal = 2; diagonal <= 2 * (size - 1); diagonal++) {
        int first = diagonal < size ? 1 : diagonal - size + 1, last = diagonal < size ? diagonal - 1 : size - 1;
        int count = last - first + 1;
        nw<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(on_like, on_score, size, diagonal, first, count, gap);
        LAUNCHED();
    }
    for (int i = 1; i < size; i++) {
        for (int j = 1; j < size; j++) {
            int at = i * size + j, best = score[at - size - 1] + like[at];
            best = score[at - 1] - gap > best ? score[at - 1] - gap : best;
            score[at] = score[at - size] - gap > best ? score[at - size] - gap : best;
        }
    }
    return same("nw", on_score, score, cells);
}
