/* Nearest neighbour: the distance of every record, a pair of coordinates, to one point. */
#include "host.h"
#include <math.h>

#ifndef BLOCK
#define BLOCK 64
#endif

extern "C" __global__ void nn(const float *records, float *distance, int n, float latitude, float longitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float dx = records[2 * i] - latitude, dy = records[2 * i + 1] - longitude;
    distance[i] = sqrtf(dx * dx + dy * dy);
}

/* Capitals, and where they are, in degrees. */
static const struct {
    const char *name;
    float latitude, longitude;
} capitals[] = {
    {"Abu Dhabi", 24.45, 54.38}, {"Abuja", 9.08, 7.40}, {"Accra", 5.60, -0.19}, {"Addis Ababa", 9.03, 38.74},
    {"Algiers", 36.75, 3.06}, {"Amman", 31.95, 35.93}, {"Amsterdam", 52.37, 4.90}, {"Ankara", 39.93, 32.86},
    {"Antananarivo", -18.88, 47.51}, {"Apia", -13.83, -171.77}, {"Ashgabat", 37.96, 58.33}, {"Asmara", 15.34, 38.93},
    {"Asuncion", -25.26, -57.58}, {"Athens", 37.98, 23.73}, {"Baghdad", 33.31, 44.36}, {"Baku", 40.41, 49.87},
    {"Bamako", 12.64, -8.00}, {"Bangkok", 13.76, 100.50}, {"Banjul", 13.45, -16.58}, {"Beijing", 39.90, 116.41},
    {"Beirut", 33.89, 35.50}, {"Belgrade", 44.79, 20.45}, {"Berlin", 52.52, 13.41}, {"Bern", 46.95, 7.45},
    {"Bishkek", 42.87, 74.59}, {"Bissau", 11.86, -15.60}, {"Bogota", 4.71, -74.07}, {"Brasilia", -15.79, -47.88},
    {"Bratislava", 48.15, 17.11}, {"Brazzaville", -4.26, 15.24}, {"Brussels", 50.85, 4.35}, {"Bucharest", 44.43, 26.10},
    {"Budapest", 47.50, 19.04}, {"Buenos Aires", -34.60, -58.38}, {"Cairo", 30.04, 31.24}, {"Canberra", -35.28, 149.13},
    {"Caracas", 10.48, -66.90}, {"Conakry", 9.64, -13.58}, {"Copenhagen", 55.68, 12.57}, {"Dakar", 14.72, -17.47},
    {"Damascus", 33.51, 36.28}, {"Dhaka", 23.81, 90.41}, {"Doha", 25.29, 51.53}, {"Dublin", 53.35, -6.26},
    {"Freetown", 8.48, -13.23}, {"Gaborone", -24.63, 25.92}, {"Georgetown", 6.80, -58.16}, {"Hanoi", 21.03, 105.85},
    {"Harare", -17.83, 31.05}, {"Havana", 23.11, -82.37}, {"Helsinki", 60.17, 24.94}, {"Islamabad", 33.68, 73.05},
    {"Jakarta", -6.21, 106.85}, {"Kabul", 34.56, 69.21}, {"Kampala", 0.35, 32.58}, {"Kathmandu", 27.72, 85.32},
    {"Khartoum", 15.50, 32.56}, {"Kigali", -1.94, 30.06}, {"Kingston", 17.97, -76.79}, {"Kinshasa", -4.44, 15.27},
    {"Kuala Lumpur", 3.14, 101.69}, {"Kyiv", 50.45, 30.52}, {"Lilongwe", -13.96, 33.77}, {"Lima", -12.05, -77.04},
    {"Lisbon", 38.72, -9.14}, {"Lome", 6.13, 1.22}, {"London", 51.51, -0.13}, {"Luanda", -8.84, 13.29},
    {"Lusaka", -15.39, 28.32}, {"Madrid", 40.42, -3.70}, {"Managua", 12.11, -86.24}, {"Manila", 14.60, 120.98},
    {"Maputo", -25.97, 32.57}, {"Mexico City", 19.43, -99.13}, {"Minsk", 53.90, 27.56}, {"Monrovia", 6.30, -10.80},
    {"Montevideo", -34.90, -56.16}, {"Moscow", 55.76, 37.62}, {"Muscat", 23.59, 58.41}, {"Nairobi", -1.29, 36.82},
    {"New Delhi", 28.61, 77.21}, {"Niamey", 13.51, 2.11}, {"Nicosia", 35.19, 33.38}, {"Nouakchott", 18.08, -15.98},
    {"Oslo", 59.91, 10.75}, {"Ottawa", 45.42, -75.70}, {"Ouagadougou", 12.37, -1.52}, {"Paris", 48.86, 2.35},
    {"Prague", 50.08, 14.44}, {"Quito", -0.18, -78.47}, {"Rabat", 34.02, -6.84}, {"Reykjavik", 64.15, -21.94},
    {"Riga", 56.95, 24.11}, {"Riyadh", 24.71, 46.68}, {"Rome", 41.90, 12.50}, {"Santiago", -33.45, -70.67},
    {"Seoul", 37.57, 126.98}, {"Singapore", 1.35, 103.82}, {"Sofia", 42.70, 23.32}, {"Stockholm", 59.33, 18.07},
    {"Tallinn", 59.44, 24.75}, {"Tashkent", 41.30, 69.24}, {"Tehran", 35.69, 51.39}, {"Tokyo", 35.68, 139.69},
    {"Tripoli", 32.89, 13.19}, {"Tunis", 36.81, 10.18}, {"Ulaanbaatar", 47.89, 106.91}, {"Vienna", 48.21, 16.37},
    {"Vilnius", 54.69, 25.28}, {"Warsaw", 52.23, 21.01}, {"Washington", 38.91, -77.04}, {"Wellington", -41.29, 174.78},
    {"Windhoek", -22.56, 17.08}, {"Yaounde", 3.85, 11.50}, {"Zagreb", 45.81, 15.98},
};

int main()
{
    const int n = sizeof capitals / sizeof *capitals;
    const float latitude = 12.5f, longitude = -7;
    float records[2 * n], *expected = zeros<float>(n);
    int nearest = 0;
    for (int i = 0; i < n; i++) {
        records[2 * i] = capitals[i].latitude;
        records[2 * i + 1] = capitals[i].longitude;
        float dx = records[2 * i] - latitude, dy = records[2 * i + 1] - longitude;
        expected[i] = sqrtf(dx * dx + dy * dy);
        if (expected[i] < expected[nearest])
            nearest = i;
    }
    float *distance = room<float>(n);
    nn<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(upload(records, 2 * n), distance, n, latitude, longitude);
    LAUNCHED();
    printf("the nearest of %d capitals is %s, at %g degrees\n", n, capitals[nearest].name, expected[nearest]);
    return same("nn", distance, expected, n);
}
