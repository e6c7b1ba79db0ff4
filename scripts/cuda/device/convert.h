/* Conversions with a direction in their names (rn to nearest, rz to zero, ru up, rd down), and bits as they are. */
#pragma once
#pragma clang system_header

#define BITLINE_ROUNDS(name, result, argument, builtin) \
    BITLINE_DEVICE result name##_rn(argument x) { return (result)builtin##_rn(x); } \
    BITLINE_DEVICE result name##_rz(argument x) { return (result)builtin##_rz(x); } \
    BITLINE_DEVICE result name##_ru(argument x) { return (result)builtin##_rp(x); } \
    BITLINE_DEVICE result name##_rd(argument x) { return (result)builtin##_rm(x); }
BITLINE_ROUNDS(__float2int, int, float, __nvvm_f2i)
BITLINE_ROUNDS(__float2uint, unsigned, float, __nvvm_f2ui)
BITLINE_ROUNDS(__float2ll, long long, float, __nvvm_f2ll)
BITLINE_ROUNDS(__float2ull, unsigned long long, float, __nvvm_f2ull)
BITLINE_ROUNDS(__double2int, int, double, __nvvm_d2i)
BITLINE_ROUNDS(__double2uint, unsigned, double, __nvvm_d2ui)
BITLINE_ROUNDS(__double2ll, long long, double, __nvvm_d2ll)
BITLINE_ROUNDS(__double2ull, unsigned long long, double, __nvvm_d2ull)
/* clang takes conversions of integers to zero for those to nearest. */
#define BITLINE_INTEGERS(name, result, argument, builtin, types, to, from) \
    BITLINE_DEVICE result name##_rn(argument x) { return builtin##_rn(x); } \
    BITLINE_DEVICE result name##_ru(argument x) { return builtin##_rp(x); } \
    BITLINE_DEVICE result name##_rd(argument x) { return builtin##_rm(x); } \
    BITLINE_DEVICE result name##_rz(argument x) \
    { \
        result y; \
        asm("cvt.rz." types " %0, %1;" : to(y) : from(x)); \
        return y; \
    }
BITLINE_INTEGERS(__int2float, float, int, __nvvm_i2f, "f32.s32", "=f", "r")
BITLINE_INTEGERS(__uint2float, float, unsigned, __nvvm_ui2f, "f32.u32", "=f", "r")
BITLINE_INTEGERS(__ll2float, float, long long, __nvvm_ll2f, "f32.s64", "=f", "l")
BITLINE_INTEGERS(__ull2float, float, unsigned long long, __nvvm_ull2f, "f32.u64", "=f", "l")
BITLINE_INTEGERS(__ll2double, double, long long, __nvvm_ll2d, "f64.s64", "=d", "l")
BITLINE_INTEGERS(__ull2double, double, unsigned long long, __nvvm_ull2d, "f64.u64", "=d", "l")
BITLINE_ROUNDS(__double2float, float, double, __nvvm_d2f)
BITLINE_DEVICE double __int2double_rn(int x) { return x; }
BITLINE_DEVICE double __uint2double_rn(unsigned x) { return x; }

BITLINE_DEVICE int __float_as_int(float x) { return __nvvm_bitcast_f2i(x); }
BITLINE_DEVICE float __int_as_float(int x) { return __nvvm_bitcast_i2f(x); }
BITLINE_DEVICE unsigned __float_as_uint(float x) { return (unsigned)__nvvm_bitcast_f2i(x); }
BITLINE_DEVICE float __uint_as_float(unsigned x) { return __nvvm_bitcast_i2f((int)x); }
BITLINE_DEVICE long long __double_as_longlong(double x) { return __nvvm_bitcast_d2ll(x); }
BITLINE_DEVICE double __longlong_as_double(long long x) { return __nvvm_bitcast_ll2d(x); }
BITLINE_DEVICE int __double2hiint(double x) { return (int)(__nvvm_bitcast_d2ll(x) >> 32); }
BITLINE_DEVICE int __double2loint(double x) { return (int)__nvvm_bitcast_d2ll(x); }
BITLINE_DEVICE double __hiloint2double(int high, int low)
{
    return __nvvm_bitcast_ll2d((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
