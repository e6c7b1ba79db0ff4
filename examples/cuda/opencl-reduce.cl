/* In OpenCL C: sums of two vectors, an element a work item, and the sum of the numbers of each work group, in local
 * memory of which the launch says the size. There is no host code: `bitline sim cuda` launches a kernel by itself. */

kernel void vecadd(global const float *a, global const float *b, global float *sum, int n)
{
    int i = get_global_id(0);
    if (i < n)
        sum[i] = a[i] + b[i];
}

/* The size of a group is a power of two. */
kernel void reduce(global const float *numbers, global float *sums, int n, local float *parts)
{
    int at = get_global_id(0), own = get_local_id(0);
    parts[own] = at < n ? numbers[at] : 0;
    for (int distance = get_local_size(0) / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (own < distance)
            parts[own] += parts[own + distance];
    }
    if (own == 0)
        sums[get_group_id(0)] = parts[0];
}
