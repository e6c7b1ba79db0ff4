/* Points of a picture are looked for in the next one, as heart walls and white blood cells are followed in films: by
 * the normalised cross-correlation of what is around the point with what is around each place near by (J. P. Lewis,
 * Fast Normalized Cross-Correlation, 1995). Its sums are whole numbers, so that only the quotient is rounded. */
#include "host.h"
#include <math.h>

/* A block has as many places, among which the move is. */
#ifndef BLOCK_X
#define BLOCK_X 8
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif

#define SIDE 7

/* A block has a point, a thread a place: as many columns and rows as the block has, the point in their middle. */
extern "C" __global__ void track(const unsigned char *frame, const unsigned char *next, const int *points,
                                 float *scores, int *moved, int columns)
{
    __shared__ int best, first;
    int point = blockIdx.x, place = threadIdx.y * blockDim.x + threadIdx.x;
    if (place == 0) {
        best = 0;
        first = blockDim.x * blockDim.y;
    }
    __syncthreads();
    int corner = points[point] - SIDE / 2 * (columns + 1);
    const unsigned char *around = frame + corner, *there = next + corner;
    there += ((int)threadIdx.y - (int)blockDim.y / 2) * columns + (int)threadIdx.x - (int)blockDim.x / 2;
    int sum = 0, squares = 0, own = 0, own_squares = 0, products = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            int a = around[x], b = there[x];
            sum += a, squares += a * a;
            own += b, own_squares += b * b;
            products += a * b;
        }
        around += columns, there += columns;
    }
    const int n = SIDE * SIDE;
    float spread = (float)(n * squares - sum * sum) * (float)(n * own_squares - own * own);
    float score = spread > 0 ? (float)(n * products - sum * own) / sqrtf(spread) : 0.0f;
    scores[point * blockDim.x * blockDim.y + place] = score;
    // Bits of positive numbers are in the order of the numbers. Of places that are as good the first one counts.
    int bits = score > 0 ? __float_as_int(score) : 0;
    atomicMax(&best, bits);
    __syncthreads();
    if (bits == best)
        atomicMin(&first, place);
    __syncthreads();
    if (place == 0)
        moved[point] = first;
}

int main()
{
    const int columns = 56, rows = 40, count = 6, right = 2, down = -1;
    const int wide = BLOCK_X, high = BLOCK_Y, places = wide * high;
    Random random = {42};
    unsigned char *frame = zeros<unsigned char>(columns * rows), *next = zeros<unsigned char>(columns * rows);
    for (int i = 0; i < columns * rows; i++)
        frame[i] = (unsigned char)(30 + random.below(200));
    // The next picture is moved, and a little noise is in both.
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            int from = (y - down + rows) % rows * columns + (x - right + columns) % columns;
            next[y * columns + x] = (unsigned char)(frame[from] + random.below(21) - 10);
        }
    }
    int points[count], expected[count];
    for (int p = 0; p < count; p++)
        points[p] = (10 + random.below(rows - 20)) * columns + 10 + random.below(columns - 20);
    float *scores = zeros<float>(count * places), *on_scores = room<float>(count * places);
    int *on_moved = room<int>(count), wrong = 0;
    track<<<count, dim3(wide, high)>>>(upload(frame, columns * rows), upload(next, columns * rows),
                                       upload(points, count), on_scores, on_moved, columns);
    LAUNCHED();
    for (int p = 0; p < count; p++) {
        expected[p] = 0;
        for (int place = 0; place < places; place++) {
            int away = (place / wide - high / 2) * columns + place % wide - wide / 2;
            int sum = 0, squares = 0, own = 0, own_squares = 0, products = 0;
            for (int i = 0; i < SIDE * SIDE; i++) {
                int at = points[p] + (i / SIDE - SIDE / 2) * columns + i % SIDE - SIDE / 2;
                int a = frame[at], b = next[at + away];
                sum += a, squares += a * a, own += b, own_squares += b * b, products += a * b;
            }
            const int n = SIDE * SIDE;
            float spread = (float)(n * squares - sum * sum) * (float)(n * own_squares - own * own);
            float *score = scores + p * places;
            score[place] = spread > 0 ? (float)(n * products - sum * own) / sqrtf(spread) : 0;
            if (score[place] > score[expected[p]])
                expected[p] = place;
        }
        wrong |= expected[p] != (high / 2 + down) * wide + wide / 2 + right;
    }
    printf("all points have moved by %d, %d: %s\n", right, down, wrong ? "no" : "yes");
    return wrong | same("correlation, scores", on_scores, scores, count * places) |
           same("correlation, places", on_moved, expected, count);
}
