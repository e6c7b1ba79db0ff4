/* A blur of a picture, a byte a point: five points in a row with the weights 1 4 6 4 1, then five in a column. Beyond
 * the edge is the last point. */
#include "host.h"

#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif

extern "C" __global__ void blur(const unsigned char *from, unsigned char *to, int columns, int rows, int across)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int sum = 8;
    for (int k = -2; k <= 2; k++) {
        int nx = across ? min(max(x + k, 0), columns - 1) : x, ny = across ? y : min(max(y + k, 0), rows - 1);
        sum += from[ny * columns + nx] * (k == 0 ? 6 : k == -1 || k == 1 ? 4 : 1);
    }
    to[y * columns + x] = (unsigned char)(sum >> 4);
}

static int inside(int at, int count) { return at < 0 ? 0 : at >= count ? count - 1 : at; }

int main()
{
    const int columns = 40, rows = 25, points = columns * rows, weight[5] = {1, 4, 6, 4, 1};
    Random random = {33};
    unsigned char *picture = zeros<unsigned char>(points), *once = zeros<unsigned char>(points);
    for (int i = 0; i < points; i++)
        picture[i] = (unsigned char)random.below(256);
    unsigned char *on_picture = upload(picture, points), *on_once = room<unsigned char>(points);
    const dim3 grid((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y), block(BLOCK_X, BLOCK_Y);
    blur<<<grid, block>>>(on_picture, on_once, columns, rows, 1);
    LAUNCHED();
    blur<<<grid, block>>>(on_once, on_picture, columns, rows, 0);
    LAUNCHED();
    for (int across = 1; across >= 0; across--) {
        const unsigned char *from = across ? picture : once;
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                int sum = 8;
                for (int k = -2; k <= 2; k++)
                    sum += weight[k + 2] * (across ? from[y * columns + inside(x + k, columns)]
                                                   : from[inside(y + k, rows) * columns + x]);
                (across ? once : picture)[y * columns + x] = (unsigned char)(sum >> 4);
            }
        }
    }
    return same("gaussblur", on_picture, picture, points);
}
