/* Kernels with barriers as loops of a CPU, for `bitline sim cuda-report`: the same sums in the same order, written as
 * one would for a CPU. Each function is a launch of the kernel of its name, with its arguments. */

static void layer(Index blocks, Index, const float *input, const float *weight, float *partial, int units)
{
#pragma omp parallel for schedule(static)
    for (unsigned block = 0; block < blocks.y; block++) {
        for (int unit = 0; unit < 16; unit++) {
            float tree[16];
            for (int own = 0; own < 16; own++)
                tree[own] = weight[(block * 16 + own) * units + unit] * input[block * 16 + own];
            for (int apart = 8; apart > 0; apart /= 2)
                for (int own = 0; own < apart; own++)
                    tree[own] += tree[own + apart];
            partial[block * units + unit] = tree[0];
        }
    }
}

static void adjust(Index blocks, Index, float *weight, float *last, const float *delta, const float *input, int units,
                   float rate, float momentum)
{
#pragma omp parallel for schedule(static)
    for (unsigned row = 0; row < blocks.y * 16; row++) {
        for (int unit = 0; unit < 16; unit++) {
            int at = row * units + unit;
            float step = rate * delta[unit] * input[row] + momentum * last[at];
            weight[at] += step;
            last[at] = step;
        }
    }
}

static void histogram(Index, Index, const unsigned char *data, int *counts, int n)
{
#pragma omp parallel
    {
        int own[4][256] = {};
#pragma omp for schedule(static)
        for (int part = 0; part < (n + 4095) / 4096; part++)
            for (int i = part * 4096; i < min(n, (part + 1) * 4096); i++)
                own[i % 4][data[i]]++;
#pragma omp critical
        for (int bin = 0; bin < 256; bin++)
            counts[bin] += own[0][bin] + own[1][bin] + own[2][bin] + own[3][bin];
    }
}

static void hotspot(Index, Index, const float *power, const float *from, float *to, int columns, int rows, float step,
                    float across, float down, float out, float ambient)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < rows; y++) {
        const float *row = from + y * columns;
        const float *above = y == 0 ? row : row - columns, *below = y == rows - 1 ? row : row + columns;
        auto cell = [=](int x, float west, float east) {
            float here = row[x];
            float change = power[y * columns + x] + (above[x] + below[x] - 2.0f * here) * down +
                           (east + west - 2.0f * here) * across;
            to[y * columns + x] = here + step * (change + (ambient - here) * out);
        };
        cell(0, row[0], row[columns > 1]);
        for (int x = 1; x < columns - 1; x++)
            cell(x, row[x - 1], row[x + 1]);
        if (columns > 1)
            cell(columns - 1, row[columns - 2], row[columns - 1]);
    }
}

/* A part of the columns stays in the core's caches for all rows of the launch; what it needs of its neighbours is
 * computed twice, as on the GPU. */
static void pathfinder(Index, Index, const int *wall, const int *from, int *to, int columns, int first, int steps)
{
    const int part = 4096;
#pragma omp parallel for schedule(static)
    for (int begin = 0; begin < columns; begin += part) {
        int end = min(columns, begin + part), low = max(0, begin - steps), high = min(columns, end + steps);
        std::vector<int> now(high - low + 2, 0x3fffffff), then(now);
        for (int x = low; x < high; x++)
            now[x - low + 1] = from[x];
        for (int row = 0; row < steps; row++) {
            const int *cost = wall + (size_t)(first + row) * columns;
            for (int x = low; x < high; x++)
                then[x - low + 1] = min(min(now[x - low], now[x - low + 2]), now[x - low + 1]) + cost[x];
            now.swap(then);
        }
        for (int x = begin; x < end; x++)
            to[x] = now[x - low + 1];
    }
}

static void matmul(Index, Index, const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < n; row++) {
        float *sums = c + row * n;
        for (int column = 0; column < n; column++)
            sums[column] = 0;
        for (int k = 0; k < n; k++) {
            float factor = a[row * n + k];
            for (int column = 0; column < n; column++)
                sums[column] += factor * b[k * n + column];
        }
    }
}

static void diagonal(Index, Index, float *a, int size, int first)
{
    float *corner = a + first * size + first;
    for (int t = 0; t < 7; t++) {
        for (int row = t + 1; row < 8; row++) {
            float factor = corner[row * size + t] /= corner[t * size + t];
            for (int column = t + 1; column < 8; column++)
                corner[row * size + column] -= factor * corner[t * size + column];
        }
    }
}

static void beside(Index blocks, Index, float *a, int size, int first)
{
    float *corner = a + first * size + first;
#pragma omp parallel for schedule(static)
    for (unsigned block = 1; block <= blocks.x; block++)
        for (int row = 1; row < 8; row++)
            for (int t = 0; t < row; t++)
                for (int column = block * 8; column < (int)block * 8 + 8; column++)
                    corner[row * size + column] -= corner[row * size + t] * corner[t * size + column];
}

static void below(Index blocks, Index, float *a, int size, int first)
{
    float *corner = a + first * size + first;
#pragma omp parallel for schedule(static)
    for (int row = 8; row < (int)blocks.x * 8 + 8; row++) {
        for (int column = 0; column < 8; column++) {
            float here = corner[row * size + column];
            for (int t = 0; t < column; t++)
                here -= corner[row * size + t] * corner[t * size + column];
            corner[row * size + column] = here / corner[column * size + column];
        }
    }
}

static void inside(Index blocks, Index, float *a, int size, int first)
{
    float *corner = a + first * size + first;
#pragma omp parallel for schedule(static)
    for (int row = 8; row < (int)blocks.y * 8 + 8; row++)
        for (int t = 0; t < 8; t++)
            for (int column = 8; column < (int)blocks.x * 8 + 8; column++)
                corner[row * size + column] -= corner[row * size + t] * corner[t * size + column];
}

static void track(Index blocks, Index threads, const unsigned char *frame, const unsigned char *next, const int *points,
                  float *scores, int *moved, int columns)
{
    const int side = 7, n = side * side, places = threads.x * threads.y;
#pragma omp parallel for schedule(static)
    for (unsigned block = 0; block < blocks.x; block++) {
        const unsigned char *corner = frame + points[block] - side / 2 * (columns + 1);
        const unsigned char *middle = next + points[block] - side / 2 * (columns + 1);
        int sum = 0, squares = 0, best = 0, first = places;
        for (int y = 0; y < side; y++) {
            for (int x = 0; x < side; x++) {
                int a = corner[y * columns + x];
                sum += a, squares += a * a;
            }
        }
        for (int place = 0; place < places; place++) {
            int down = place / (int)threads.x - (int)threads.y / 2, right = place % (int)threads.x - (int)threads.x / 2;
            const unsigned char *other = middle + down * columns + right;
            int own = 0, own_squares = 0, products = 0;
            for (int y = 0; y < side; y++) {
                for (int x = 0; x < side; x++) {
                    int a = corner[y * columns + x], b = other[y * columns + x];
                    own += b, own_squares += b * b;
                    products += a * b;
                }
            }
            float spread = (float)(n * squares - sum * sum) * (float)(n * own_squares - own * own);
            float score = spread > 0 ? (float)(n * products - sum * own) / sqrtf(spread) : 0.0f;
            scores[block * places + place] = score;
            int bits = 0;
            if (score > 0)
                memcpy(&bits, &score, sizeof bits);
            if (bits > best || first == places)
                best = bits, first = place;
        }
        moved[block] = first;
    }
}

static int bucket_of(float value, float low, float scale, int buckets)
{
    return min((int)((value - low) * scale), buckets - 1);
}

static void count(Index, Index, const float *values, int *counts, int n, int buckets, float low, float scale)
{
#pragma omp parallel
    {
        std::vector<int> own(buckets);
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++)
            own[bucket_of(values[i], low, scale, buckets)]++;
#pragma omp critical
        for (int bucket = 0; bucket < buckets; bucket++)
            counts[bucket] += own[bucket];
    }
}

static void offsets(Index, Index threads, const int *counts, int *first, int *next)
{
    for (unsigned bucket = 0; bucket < threads.x; bucket++) {
        next[bucket] = first[bucket];
        first[bucket + 1] = first[bucket] + counts[bucket];
    }
}

/* In the order of the values: a core has a part of the buckets. */
static void deal(Index, Index, const float *values, float *to, int *next, int n, int buckets, float low, float scale)
{
    const int part = 64;
#pragma omp parallel for schedule(static)
    for (int begin = 0; begin < buckets; begin += part) {
        for (int i = 0; i < n; i++) {
            int bucket = bucket_of(values[i], low, scale, buckets);
            if (bucket >= begin && bucket < begin + part)
                to[next[bucket]++] = values[i];
        }
    }
}

static void merge(Index, Index, const float *from, float *to, const int *first, int, int bits, int buckets, float,
                  float)
{
#pragma omp parallel for schedule(static)
    for (int bucket = 0; bucket < buckets; bucket++) {
        int end = first[bucket + 1];
        for (int begin = first[bucket]; begin < end; begin += 2 << bits) {
            int middle = min(begin + (1 << bits), end), last = min(middle + (1 << bits), end);
            std::merge(from + begin, from + middle, from + middle, from + last, to + begin);
        }
    }
}
