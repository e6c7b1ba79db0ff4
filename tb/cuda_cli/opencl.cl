/* What OpenCL C has and CUDA does not: kernels of tb/cuda_cli/source.rs, which works out what they leave. */

/* Room in local memory by an argument, and a variable there; barriers; constants of the program and by an argument. */
constant int table[4] = {3, 1, 4, 1};
kernel void reversed(global const int *in, global int *out, local int *mirror, constant int *weights)
{
    local int first;
    int at = get_local_id(0), last = get_local_size(0) - 1;
    mirror[at] = in[get_global_id(0)];
    if (at == 0)
        first = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = mirror[last - at] * weights[at & 1] + table[at & 3] + first;
}

/* Where an item is, on three axes. */
kernel void places(global uint *out)
{
    size_t at = get_global_linear_id();
    uint ids = get_global_id(0) | get_global_id(1) << 4 | get_global_id(2) << 8 | get_group_id(0) << 12;
    uint sizes = get_global_size(0) | get_local_size(1) << 8 | get_num_groups(0) << 16 | get_work_dim() << 24;
    out[2 * at] = ids | get_local_linear_id() << 16 | get_global_id(3) << 28;
    out[2 * at + 1] = sizes + get_global_offset(0) + (get_global_size(3) == 1 ? 0 : 1);
}

/* Integers: a bit pattern of each function, over two numbers. */
enum { INTEGERS = 20 };
kernel void integers(global const int *a, global const int *b, global int *out)
{
    int i = get_global_id(0), x = a[i], y = b[i];
    uint u = as_uint(x), v = as_uint(y);
    global int *to = out + i * INTEGERS;
    to[0] = min(x, y);
    to[1] = max(u, v);
    to[2] = clamp(x, -100, 100);
    to[3] = abs(x);
    to[4] = abs_diff(x, y);
    to[5] = add_sat(x, y);
    to[6] = sub_sat(u, v);
    to[7] = mul_hi(x, y);
    to[8] = mul_hi(u, v);
    to[9] = mad24(x & 0xffff, 77, y);
    to[10] = rotate(u, v);
    to[11] = popcount(u);
    to[12] = clz(x);
    to[13] = hadd(x, y);
    to[14] = rhadd(u, v);
    to[15] = select(x, y, x < y);
    to[16] = bitselect(x, y, 0x0f0f0f0f);
    to[17] = convert_uchar_sat(x) | convert_short_sat(y) << 16;
    to[18] = upsample((short)x, (ushort)y);
    to[19] = rotate((uchar)x, (uchar)y) << 8 | clz((uchar)y);
}

/* Floating-point numbers whose results are exact. */
enum { FLOATS = 16 };
kernel void floats(global const float *a, global const float *b, global float *out)
{
    int i = get_global_id(0);
    float x = a[i], y = b[i];
    global float *to = out + i * FLOATS;
    to[0] = fmin(x, y);
    to[1] = fma(x, y, 1.5f);
    to[2] = mad(x, y, 1.5f);
    to[3] = sqrt(fabs(x));
    to[4] = floor(x);
    to[5] = ceil(x);
    to[6] = trunc(x);
    to[7] = rint(x);
    to[8] = round(x);
    to[9] = mix(x, y, 0.25f);
    to[10] = step(x, y);
    to[11] = sign(x);
    to[12] = convert_int_rtn(x);
    to[13] = convert_uchar_sat_rte(x * 16.0f);
    to[14] = dot((float4)(x, y, 1, 2), (float4)(y, x, x, y));
    to[15] = copysign(x, y);
}

/* Vectors: in memory, element by element, by a number for all. */
kernel void vectors(global const float4 *a, global const short *b, global float *out, global int *bits)
{
    int i = get_global_id(0);
    float4 x = clamp(a[i] * 2.0f, 0.0f, 1.0f);
    short8 y = vload8(i, b);
    vstore4(max(x, x.yzwx).wzyx, i, out);
    vstore2(convert_int2(y.s70) + as_int2(isless(a[i].xy, 0.0f)), i, bits);
}

/* Functions that are approximate, and what follows from them. */
enum { FUNCTIONS = 12 };
kernel void functions(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float x = a[i];
    global float *to = out + i * FUNCTIONS;
    to[0] = exp(x);
    to[1] = log(fabs(x) + 1);
    to[2] = sin(x);
    to[3] = native_cos(x);
    to[4] = tanh(x);
    to[5] = pow(x, 3.0f);
    to[6] = pown(x, 2);
    to[7] = rsqrt(fabs(x) + 1);
    to[8] = smoothstep(-2.0f, 2.0f, x);
    to[9] = length((float3)(x, 2, 3));
    to[10] = normalize((float2)(x, 2)).y;
    to[11] = cross((float3)(x, 1, 2), (float3)(3, x, 1)).z;
}

/* What all items leave together. */
kernel void together(global int *out, global uint *most, volatile global atomic_int *c11)
{
    local int sum;
    int at = get_local_id(0), id = get_global_id(0);
    if (at == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, id);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at == 0)
        atomic_sub(&out[0], sum);
    atomic_inc(&out[1]);
    atomic_or(&out[2], 1 << (id & 31));
    atomic_min(&out[3], -id);
    atomic_xor(&out[4], id);
    if (atomic_cmpxchg(&out[5], 0, 7) == 0)
        atomic_xchg((volatile global float *)&out[6], 2.5f);
    atomic_max(most, 0x80000000u + id);
    atomic_fetch_add(c11, 2);
}
