/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The paper's three applications, all in C and with commands.
 */
#include "firmware.h"

#define SIDE 64
#define NEAREST 4
#define LABELS 4

/* Places for what is used here, over the vectors that the commands have left. */
#define MATRIX_A ((uint32_t *)0x40000)
#define MATRIX_B ((uint32_t *)0x44100)
#define MATRIX_T ((uint32_t *)0x48200)
#define MATRIX_C ((uint32_t *)0x4c300)
#define MATRIX_E ((uint32_t *)0x50400)
#define SAMPLES ((uint32_t *)0x54500)
#define POINT ((uint32_t *)0x58a00)
#define DISTANCES ((uint32_t *)0x58c00)
#define INDICES ((uint32_t *)0x58e00)
#define LABEL_OF PLAIN((uint32_t *)0x59000)
#define POINTS_X ((uint32_t *)0x59200)
#define POINTS_Y ((uint32_t *)0x59500)

static void failed(const char *what, int error)
{
    if (error != 0) {
        wrong(what, 0, 0, 0, (uint32_t)error);
    }
}

/* The label that most of the nearest have; the lower one of two. */
static inline uint32_t vote(const uint32_t *nearest)
{
    uint32_t votes[LABELS] = {0, 0, 0, 0};
    uint32_t i, best = 0;
    for (i = 0; i < NEAREST; i++) {
        votes[LABEL_OF[nearest[i]]]++;
    }
    for (i = 1; i < LABELS; i++) {
        if (votes[i] > votes[best]) {
            best = i;
        }
    }
    return best;
}

/* k nearest neighbours: 64 samples of 64 coordinates, one point to classify. */
static NOINLINE uint32_t neighbours(const uint32_t *restrict samples, const uint32_t *restrict point, struct measured *m)
{
    struct measured t;
    uint32_t best[NEAREST], nearest[NEAREST], sample, i, label;
    begin(&t);
    for (i = 0; i < NEAREST; i++) {
        best[i] = UINT32_MAX;
        nearest[i] = 0;
    }
    for (sample = 0; sample < SIDE; sample++) {
        const uint32_t *row = samples + SIDE * sample;
        uint32_t sum = 0;
        for (i = 0; i < SIDE; i++) {
            const uint32_t difference = row[i] - point[i];
            sum += difference * difference;
        }
        if (sum < best[NEAREST - 1]) {
            for (i = NEAREST - 1; i > 0 && sum < best[i - 1]; i--) {
                best[i] = best[i - 1];
                nearest[i] = nearest[i - 1];
            }
            best[i] = sum;
            nearest[i] = sample;
        }
    }
    label = vote(nearest);
    keep(label);
    end(&t);
    *m = t;
    return label;
}

/* All distances in one command. A distance, which has less than 26 bits, and its sample's number then become one word, so that the least word
 * tells both; it is put out of the race for the next. */
static NOINLINE uint32_t neighbours_ccs(const uint32_t *samples, const uint32_t *point, struct measured *m)
{
    struct measured t;
    uint32_t nearest[NEAREST], i, label;
    int error;
    begin(&t);
    __ccs_rows(SIDE, 4 * SIDE, 0, 4);
    __ccs_queue(CCS_SSDVV | CCS_STORE, samples, point, DISTANCES, SIDE);
    __ccs_single();
    __ccs_constant(6);
    __ccs_queue(CCS_SLLVC, DISTANCES, 0, DISTANCES, SIDE);
    __ccs_queue(CCS_ORVV, DISTANCES, INDICES, DISTANCES, SIDE);
    __ccs_setup(CCS_MINV | CCS_UNSIGNED, DISTANCES, 0, 0, SIDE);
    error = __ccs_wait();
    for (i = 0; i < NEAREST; i++) {
        __ccs_start();
        error |= __ccs_wait();
        nearest[i] = __ccs_result() % SIDE;
        DISTANCES[nearest[i]] = UINT32_MAX;
    }
    label = vote(nearest);
    await(label);
    await((uint32_t)error);
    end(&t);
    *m = t;
    failed("knn", error);
    return label;
}

static void knn(void)
{
    struct measured plain, ccs;
    uint32_t i, expected, found;
    for (i = 0; i < SIDE * SIDE; i++) {
        put(SAMPLES, i, next_random() & 255);
    }
    for (i = 0; i < SIDE; i++) {
        put(POINT, i, next_random() & 255);
        INDICES[i] = i;
        LABEL_OF[i] = next_random() % LABELS;
    }
    (void)neighbours(PLAIN(SAMPLES), PLAIN(POINT), &plain);
    expected = neighbours(PLAIN(SAMPLES), PLAIN(POINT), &plain);
    (void)neighbours_ccs(SAMPLES, POINT, &ccs);
    found = neighbours_ccs(SAMPLES, POINT, &ccs);
    if (expected != found) {
        wrong("knn", 0, 0, expected, found);
    }
    put_measured("application", "knn", SIDE, &plain, &ccs);
}

/* c = a b. */
static NOINLINE void product(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict c, struct measured *m)
{
    struct measured t;
    uint32_t i, j, k;
    begin(&t);
    for (i = 0; i < SIDE; i++) {
        for (j = 0; j < SIDE; j++) {
            uint32_t sum = 0;
            for (k = 0; k < SIDE; k++) {
                sum += a[SIDE * i + k] * b[SIDE * k + j];
            }
            c[SIDE * i + j] = sum;
        }
    }
    end(&t);
    *m = t;
}

/* The same in the order of loops that reads rows of b one element after the other. */
static NOINLINE void product_by_rows(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict c, struct measured *m)
{
    struct measured t;
    uint32_t i, j, k;
    begin(&t);
    for (i = 0; i < SIDE; i++) {
        for (j = 0; j < SIDE; j++) {
            c[SIDE * i + j] = 0;
        }
        for (k = 0; k < SIDE; k++) {
            const uint32_t factor = a[SIDE * i + k];
            for (j = 0; j < SIDE; j++) {
                c[SIDE * i + j] += factor * b[SIDE * k + j];
            }
        }
    }
    end(&t);
    *m = t;
}

/* The same when b is there in columns: rows of t. */
static NOINLINE void product_of_columns(const uint32_t *restrict a, const uint32_t *restrict t, uint32_t *restrict c, struct measured *m)
{
    struct measured time;
    uint32_t i, j, k;
    begin(&time);
    for (i = 0; i < SIDE; i++) {
        for (j = 0; j < SIDE; j++) {
            uint32_t sum = 0;
            for (k = 0; k < SIDE; k++) {
                sum += a[SIDE * i + k] * t[SIDE * j + k];
            }
            c[SIDE * i + j] = sum;
        }
    }
    end(&time);
    *m = time;
}

/* A row becomes a column by one command: 64 sums of one element each, stored a line apart. */
static inline int transpose(const uint32_t *b, uint32_t *t)
{
    uint32_t i;
    __ccs_rows(SIDE, 4, 0, 4 * SIDE);
    for (i = 0; i < SIDE; i++) {
        __ccs_queue(CCS_SUMV | CCS_STORE, b + SIDE * i, 0, t + i, 1);
    }
    return __ccs_wait();
}

/* A row of the product by one command: 64 inner products, stored one beside the other. A load brings the row of a into the cache, where all of
 * them find it; only the lines of t come from memory then. */
static inline int multiply(const uint32_t *a, const uint32_t *t, uint32_t *c)
{
    uint32_t i;
    int error;
    __ccs_rows(SIDE, 0, 4 * SIDE, 4);
    for (i = 0; i < SIDE; i++) {
        keep(a[SIDE * i]);
        __ccs_queue(CCS_IPVV | CCS_STORE, a + SIDE * i, t, c + SIDE * i, SIDE);
    }
    error = __ccs_wait();
    __ccs_single();
    return error;
}

static NOINLINE void product_ccs(const uint32_t *a, const uint32_t *b, uint32_t *t, uint32_t *c, struct measured *m)
{
    struct measured time;
    int error;
    begin(&time);
    error = transpose(b, t);
    error |= multiply(a, t, c);
    await((uint32_t)error);
    end(&time);
    *m = time;
    failed("matrix", error);
}

static NOINLINE void product_of_columns_ccs(const uint32_t *a, const uint32_t *t, uint32_t *c, struct measured *m)
{
    struct measured time;
    int error;
    begin(&time);
    error = multiply(a, t, c);
    await((uint32_t)error);
    end(&time);
    *m = time;
    failed("matrix columns", error);
}

static uint32_t element(const uint32_t *a, const uint32_t *b, uint32_t i, uint32_t j)
{
    uint32_t k, sum = 0;
    for (k = 0; k < SIDE; k++) {
        sum += a[SIDE * i + k] * b[SIDE * k + j];
    }
    return sum;
}

static void same_product(const char *what)
{
    uint32_t i;
    for (i = 0; i < SIDE * SIDE; i++) {
        if (MATRIX_C[i] != PLAIN(MATRIX_E)[i]) {
            wrong(what, SIDE, i, PLAIN(MATRIX_E)[i], MATRIX_C[i]);
            return;
        }
    }
}

static void matrix(void)
{
    struct measured plain, ccs;
    uint32_t i;
    for (i = 0; i < SIDE * SIDE; i++) {
        put(MATRIX_A, i, next_random());
        put(MATRIX_B, i, next_random());
    }
    product_ccs(MATRIX_A, MATRIX_B, MATRIX_T, MATRIX_C, &ccs);
    FORGET();
    if (QUICK) {
        /* The product in C takes eleven million cycles. */
        for (i = 0; i < SIDE * SIDE; i += 97) {
            const uint32_t expected = element(MATRIX_A, MATRIX_B, i / SIDE, i % SIDE);
            if (MATRIX_C[i] != expected) {
                wrong("matrix", SIDE, i, expected, MATRIX_C[i]);
            }
        }
        return;
    }
    product(PLAIN(MATRIX_A), PLAIN(MATRIX_B), PLAIN(MATRIX_E), &plain);
    same_product("matrix");
    put_measured("application", "matrix", SIDE, &plain, &ccs);
    product_by_rows(PLAIN(MATRIX_A), PLAIN(MATRIX_B), PLAIN(MATRIX_E), &plain);
    same_product("matrix by rows");
    put_measured("application", "matrix_by_rows", SIDE, &plain, &ccs);
    for (i = 0; i < SIDE * SIDE; i++) {
        PLAIN(MATRIX_T)[i] = MATRIX_T[i];
        MATRIX_C[i] = 0;
    }
    product_of_columns(PLAIN(MATRIX_A), PLAIN(MATRIX_T), PLAIN(MATRIX_E), &plain);
    product_of_columns_ccs(MATRIX_A, MATRIX_T, MATRIX_C, &ccs);
    FORGET();
    same_product("matrix columns");
    put_measured("application", "matrix_columns", SIDE, &plain, &ccs);
}

/* What the five sums tell: y = slope x + height, both in sixteenths, and the sum of the squares of what is left, in whole numbers. */
struct line {
    int32_t slope;
    int32_t height;
    int32_t left;
};

static inline struct line solve(int32_t n, int32_t x, int32_t y, int32_t xx, int32_t xy, int32_t yy)
{
    struct line line;
    line.slope = (n * xy - x * y) * 16 / (n * xx - x * x);
    line.height = (16 * y - line.slope * x) / n;
    line.left = (16 * yy - line.height * y - line.slope * xy) / 16;
    return line;
}

static NOINLINE struct line regression(const uint32_t *restrict px, const uint32_t *restrict py, struct measured *m)
{
    struct measured t;
    struct line line;
    uint32_t i, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    begin(&t);
    for (i = 0; i < SIDE; i++) {
        x += px[i];
        y += py[i];
        xx += px[i] * px[i];
        xy += px[i] * py[i];
        yy += py[i] * py[i];
    }
    line = solve(SIDE, (int32_t)x, (int32_t)y, (int32_t)xx, (int32_t)xy, (int32_t)yy);
    keep((uint32_t)line.left);
    end(&t);
    *m = t;
    return line;
}

static NOINLINE struct line regression_ccs(const uint32_t *px, const uint32_t *py, struct measured *m)
{
    struct measured t;
    struct line line;
    uint32_t x, y, xx, xy, yy;
    int error;
    begin(&t);
    __ccs_setup(CCS_SUMV, px, 0, 0, SIDE);
    __ccs_start();
    __ccs_setup(CCS_SUMV, py, 0, 0, SIDE);
    error = __ccs_wait();
    x = __ccs_result();
    __ccs_start();
    __ccs_setup(CCS_IPVV, px, px, 0, SIDE);
    error |= __ccs_wait();
    y = __ccs_result();
    __ccs_start();
    __ccs_setup(CCS_IPVV, px, py, 0, SIDE);
    error |= __ccs_wait();
    xx = __ccs_result();
    __ccs_start();
    __ccs_setup(CCS_IPVV, py, py, 0, SIDE);
    error |= __ccs_wait();
    xy = __ccs_result();
    __ccs_start();
    error |= __ccs_wait();
    yy = __ccs_result();
    line = solve(SIDE, (int32_t)x, (int32_t)y, (int32_t)xx, (int32_t)xy, (int32_t)yy);
    await((uint32_t)line.left);
    await((uint32_t)error);
    end(&t);
    *m = t;
    failed("regression", error);
    return line;
}

static void linear(void)
{
    struct measured plain, ccs;
    struct line expected, found;
    uint32_t i;
    for (i = 0; i < SIDE; i++) {
        put(POINTS_X, i, i);
        put(POINTS_Y, i, 2 * i + (next_random() & 63));
    }
    (void)regression(PLAIN(POINTS_X), PLAIN(POINTS_Y), &plain);
    expected = regression(PLAIN(POINTS_X), PLAIN(POINTS_Y), &plain);
    (void)regression_ccs(POINTS_X, POINTS_Y, &ccs);
    found = regression_ccs(POINTS_X, POINTS_Y, &ccs);
    if (expected.slope != found.slope || expected.height != found.height || expected.left != found.left) {
        wrong("regression", SIDE, 0, (uint32_t)expected.slope, (uint32_t)found.slope);
    }
    put_measured("application", "regression", SIDE, &plain, &ccs);
}

void applications(void)
{
    knn();
    linear();
    matrix();
}
