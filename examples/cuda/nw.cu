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

/* The first amino acids of two proteins that Needleman and Wunsch aligned in 1970: the sperm whale's myoglobin, and the
 * beta chain of man's haemoglobin. */
static const char myoglobin[] = "VLSEGEWQLVLHVWAKVEADVAGHGQDILIRL";
static const char haemoglobin[] = "VHLTPEEKSAVTALWGKVNVDEVGGEALGRLL";
static_assert(sizeof myoglobin == sizeof haemoglobin, "score is a square");

int main()
{
    const int size = sizeof myoglobin, gap = 3, cells = size * size;
    int *like = zeros<int>(cells), *score = zeros<int>(cells);
    for (int i = 1; i < size; i++)
        for (int j = 1; j < size; j++)
            like[i * size + j] = myoglobin[i - 1] == haemoglobin[j - 1] ? 5 : -2;
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
    printf("the best alignment of %d amino acids has the score %d\n", size - 1, score[cells - 1]);
    return same("nw", on_score, score, cells);
}
