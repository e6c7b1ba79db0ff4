/* Centres among points: opening one costs something, and every point pays its squared distance from its centre. A point
 * after the other is tried as a new centre; the device says what each would pay there, the host decides, and the device
 * moves who gains, with those whose centre is given up (local search of the k-median problem, as stream clustering has
 * it). The points are flowers: R. A. Fisher, The use of multiple measurements in taxonomic problems, 1936. */
#include "host.h"

#ifndef BLOCK
#define BLOCK 32
#endif

/* What a point would pay with the candidate as its centre. Coordinates of a dimension lie side by side. */
extern "C" __global__ void price(const float *points, const float *weight, float *there, int n, int dimensions,
                                 int candidate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float distance = 0;
    for (int k = 0; k < dimensions; k++) {
        float apart = points[k * n + i] - points[k * n + candidate];
        distance += apart * apart;
    }
    there[i] = distance * weight[i];
}

/* The candidate is opened: points move there for which it is cheaper, or whose centre closes. */
extern "C" __global__ void reassign(const float *there, float *cost, int *centre, const unsigned char *closed, int n,
                                    int candidate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (there[i] < cost[i] || closed[centre[i]])) {
        cost[i] = there[i];
        centre[i] = candidate;
    }
}

/* Tenths of a centimetre, two digits each: sepals' length and width, petals' length and width. */
static const char iris[] =
    "51351402493014024732130246311502503614025439170446341403503415024429140249311501543715024834160248301401"
    "43301101584012025744150454391304513514035738170351381503543417025137150446361002513317054834190250301602"
    "50341604523515025234140247321602483116025434150452411501554214024931150250321202553513024936140144301302"
    "51341502503513034523130344321302503516065138190448301403513816024632140253371502503314027032471464324515"
    "69314915552340136528461557284513633347164924331066294613522739145020351059304215602240106129471456293613"
    "67314414563045155827411062224515562539115932481861284013632549156128471264294313663044146828481467305017"
    "60294515572635105524381155243710582739126027511654304515603445166731471563234413563041135525401355264412"
    "61304614582640125023331056274213573042125729421362294313512530115728411363336025582751197130592163295618"
    "65305822763066214925451773296318672558187236612565325120642753196830552157255020582851246432532365305518"
    "77386722772669236022501569325723562849207728672063274918673357217232601862284818613049186428562172305816"
    "74286119793864206428562263285115612656147730612363345624643155186030481869315421673156246931512358275119"
    "68325923673357256730522363255019653052206234542359305118";

/* Whether opening the candidate gains something, and which centres it replaces: a centre closes if moving the points
 * that would stay costs less than the centre itself. */
static bool gains(const float *there, const float *cost, const int *centre, unsigned char *closed, int n, float open)
{
    float gain = -open, *stay = (float *)calloc(n, sizeof *stay);
    bool *used = (bool *)calloc(n, sizeof *used);
    for (int i = 0; i < n; i++) {
        used[centre[i]] = true;
        if (there[i] < cost[i])
            gain += cost[i] - there[i];
        else
            stay[centre[i]] += there[i] - cost[i];
    }
    for (int c = 0; c < n; c++) {
        closed[c] = used[c] && stay[c] < open;
        if (closed[c])
            gain += open - stay[c];
    }
    free(stay), free(used);
    return gain > 0;
}

int main()
{
    const int n = 150, dimensions = 4, candidates = 24;
    const float open = 20;
    float *points = zeros<float>(n * dimensions), *weight = zeros<float>(n), *expected = zeros<float>(n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < dimensions; k++) {
            const char *digits = iris + (i * dimensions + k) * 2;
            points[k * n + i] = ((digits[0] - '0') * 10 + digits[1] - '0') / 10.0f;
        }
        weight[i] = 1;
    }
    float *on_points = upload(points, n * dimensions), *on_weight = upload(weight, n), *on_there = room<float>(n);
    unsigned char *closed = zeros<unsigned char>(n), *on_closed = room<unsigned char>(n);
    // The first centre is point 0, for all.
    int *centre = zeros<int>(n), wrong = 0, opened = 1;
    const dim3 grid((n + BLOCK - 1) / BLOCK), block(BLOCK);
    price<<<grid, block>>>(on_points, on_weight, on_there, n, dimensions, 0);
    LAUNCHED();
    float *cost = download(on_there, n), *on_cost = upload(cost, n);
    int *on_centre = room<int>(n);
    Random random = {41};
    for (int turn = 0; turn < candidates; turn++) {
        int candidate = random.below(n);
        price<<<grid, block>>>(on_points, on_weight, on_there, n, dimensions, candidate);
        LAUNCHED();
        for (int i = 0; i < n; i++) {
            float distance = 0;
            for (int k = 0; k < dimensions; k++) {
                float apart = points[k * n + i] - points[k * n + candidate];
                distance += apart * apart;
            }
            expected[i] = distance * weight[i];
        }
        float *there = download(on_there, n);
        wrong |= memcmp(there, expected, n * sizeof *there) != 0;
        if (gains(there, cost, centre, closed, n, open)) {
            CHECKED(cudaMemcpy(on_closed, closed, n, cudaMemcpyHostToDevice));
            reassign<<<grid, block>>>(on_there, on_cost, on_centre, on_closed, n, candidate);
            LAUNCHED();
            for (int i = 0; i < n; i++) {
                if (expected[i] < cost[i] || closed[centre[i]]) {
                    cost[i] = expected[i];
                    centre[i] = candidate;
                }
            }
            opened++;
        }
        free(there);
    }
    float sum = 0;
    int centres = 0;
    for (int i = 0; i < n; i++) {
        sum += cost[i];
        centres += centre[i] == i;
    }
    printf("%d centres of %d that were opened; the points pay %g\n", centres, opened, sum);
    if (wrong)
        printf("streamcluster: a price is not the CPU's\n");
    wrong |= same("streamcluster, prices", on_cost, cost, n);
    return wrong | same("streamcluster, centres", on_centre, centre, n);
}
