/* Wavelets of a picture as in JPEG 2000 without losses (D. Le Gall and A. Tabatabai's 5/3, ISO/IEC 15444-1, annex F):
 * of each pair of points the second becomes its difference from what its neighbours promise, the first a mean of its
 * surroundings. Means go to the front of the line, differences behind them. Beyond the edge points are mirrored. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 8
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif

/* Rows of the picture if it goes across, else columns; neighbouring threads are neighbours in a row in any case. A
 * thread has a pair of a line's points, of which there are three at least. */
extern "C" __global__ void lift(const int *from, int *to, int stride, int points, int lines, int across)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = across ? x : y, line = across ? y : x;
    int means = (points + 1) / 2, last = points - 1;
    if (i >= means || line >= lines)
        return;
    int step = across ? 1 : stride, begin = across ? line * stride : line;
    int here = 2 * i, left = here == 0 ? 1 : here - 1, far_left = here == 0 ? 2 : here - 2;
    int right = here == last ? last - 1 : here + 1, far_right = here >= last - 1 ? 2 * last - here - 2 : here + 2;
    int value = from[begin + here * step];
    int before = from[begin + left * step] - ((from[begin + far_left * step] + value) >> 1);
    int behind = from[begin + right * step] - ((value + from[begin + far_right * step]) >> 1);
    to[begin + i * step] = value + ((before + behind + 2) >> 2);
    if (here < last)
        to[begin + (means + i) * step] = behind;
}

/* A line forth, in place and step by step, as the standard has it. */
static void forth(int *line, int step, int points, int *once)
{
    int means = (points + 1) / 2, last = points - 1;
    for (int i = 0; i < points; i++)
        once[i] = line[i * step];
    for (int i = 1; i < points; i += 2)
        once[i] -= (once[i - 1] + once[i < last ? i + 1 : i - 1]) >> 1;
    for (int i = 0; i < points; i += 2)
        once[i] += (once[i > 0 ? i - 1 : 1] + once[i < last ? i + 1 : i - 1] + 2) >> 2;
    for (int i = 0; i < points; i++)
        line[(i % 2 ? means + i / 2 : i / 2) * step] = once[i];
}

/* And back. */
static void back(int *line, int step, int points, int *once)
{
    int means = (points + 1) / 2, last = points - 1;
    for (int i = 0; i < points; i++)
        once[i] = line[(i % 2 ? means + i / 2 : i / 2) * step];
    for (int i = 0; i < points; i += 2)
        once[i] -= (once[i > 0 ? i - 1 : 1] + once[i < last ? i + 1 : i - 1] + 2) >> 2;
    for (int i = 1; i < points; i += 2)
        once[i] += (once[i - 1] + once[i < last ? i + 1 : i - 1]) >> 1;
    for (int i = 0; i < points; i++)
        line[i * step] = once[i];
}

/* Blocks for so many threads. */
static dim3 covered(int x, int y) { return dim3((x + BLOCK_X - 1) / BLOCK_X, (y + BLOCK_Y - 1) / BLOCK_Y); }

int main()
{
    const dim3 block(BLOCK_X, BLOCK_Y);
    const int columns = 45, rows = 38, points = columns * rows, levels = 3;
    int *picture = zeros<int>(points), once[64], width = columns, height = rows;
    // A zone plate: rings that are the finer the farther out they are.
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
            picture[y * columns + x] = (((x - 20) * (x - 20) + (y - 15) * (y - 15)) * 5 & 255) - 128;
    int *expected = copied(picture, points), *from = upload(picture, points), *to = room<int>(points);
    for (int level = 0; level < levels; level++, width = (width + 1) / 2, height = (height + 1) / 2) {
        // Across into the other memory, down back again.
        lift<<<covered((width + 1) / 2, height), block>>>(from, to, columns, width, height, 1);
        LAUNCHED();
        lift<<<covered(width, (height + 1) / 2), block>>>(to, from, columns, height, width, 0);
        LAUNCHED();
        for (int y = 0; y < height; y++)
            forth(expected + y * columns, 1, width, once);
        for (int x = 0; x < width; x++)
            forth(expected + x, columns, height, once);
    }
    int wrong = same("dwt2d", from, expected, points), *undone = download(from, points);
    for (int level = levels - 1; level >= 0; level--) {
        width = columns, height = rows;
        for (int coarser = 0; coarser < level; coarser++)
            width = (width + 1) / 2, height = (height + 1) / 2;
        for (int x = 0; x < width; x++)
            back(undone + x, columns, height, once);
        for (int y = 0; y < height; y++)
            back(undone + y * columns, 1, width, once);
    }
    if (memcmp(undone, picture, points * sizeof *undone) != 0) {
        printf("dwt2d: what is undone is not the picture\n");
        wrong = 1;
    }
    return wrong;
}
