/* Atomic functions. */
#pragma once
#pragma clang system_header

BITLINE_DEVICE int atomicAdd(int *place, int value) { return __nvvm_atom_add_gen_i(place, value); }
BITLINE_DEVICE unsigned atomicAdd(unsigned *place, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)place, (int)value);
}
BITLINE_DEVICE float atomicAdd(float *place, float value) { return __nvvm_atom_add_gen_f(place, value); }
BITLINE_DEVICE unsigned long long atomicAdd(unsigned long long *place, unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)place, (long long)value);
}
BITLINE_DEVICE double atomicAdd(double *place, double value)
{
    /* clang has no name for it where an architecture as old as that of the flags is meant. */
    double old;
    if (sizeof place == 8)
        __asm__ volatile("atom.add.f64 %0, [%1], %2;"
                         : "=d"(old) : "l"((unsigned long long)place), "d"(value) : "memory");
    else
        __asm__ volatile("atom.add.f64 %0, [%1], %2;"
                         : "=d"(old) : "r"((unsigned)(unsigned long long)place), "d"(value) : "memory");
    return old;
}
/* One more, and 0 behind the limit; one less, and the limit below 0. */
BITLINE_DEVICE unsigned atomicInc(unsigned *place, unsigned limit) { return __nvvm_atom_inc_gen_ui(place, limit); }
BITLINE_DEVICE unsigned atomicDec(unsigned *place, unsigned limit) { return __nvvm_atom_dec_gen_ui(place, limit); }
BITLINE_DEVICE int atomicSub(int *place, int value) { return __nvvm_atom_add_gen_i(place, -value); }
BITLINE_DEVICE unsigned atomicSub(unsigned *place, unsigned value) { return atomicAdd(place, 0u - value); }
BITLINE_DEVICE int atomicMin(int *place, int value) { return __nvvm_atom_min_gen_i(place, value); }
BITLINE_DEVICE unsigned atomicMin(unsigned *place, unsigned value) { return __nvvm_atom_min_gen_ui(place, value); }
BITLINE_DEVICE long long atomicMin(long long *place, long long value) { return __nvvm_atom_min_gen_ll(place, value); }
BITLINE_DEVICE unsigned long long atomicMin(unsigned long long *place, unsigned long long value)
{
    return __nvvm_atom_min_gen_ull(place, value);
}
BITLINE_DEVICE int atomicMax(int *place, int value) { return __nvvm_atom_max_gen_i(place, value); }
BITLINE_DEVICE unsigned atomicMax(unsigned *place, unsigned value) { return __nvvm_atom_max_gen_ui(place, value); }
BITLINE_DEVICE long long atomicMax(long long *place, long long value) { return __nvvm_atom_max_gen_ll(place, value); }
BITLINE_DEVICE unsigned long long atomicMax(unsigned long long *place, unsigned long long value)
{
    return __nvvm_atom_max_gen_ull(place, value);
}
/* What is the same for numbers with and without a sign. */
#define BITLINE_ATOMIC_BITS(name, builtin) \
    BITLINE_DEVICE int name(int *place, int value) { return builtin##_i(place, value); } \
    BITLINE_DEVICE unsigned name(unsigned *place, unsigned value) \
    { \
        return (unsigned)builtin##_i((int *)place, (int)value); \
    } \
    BITLINE_DEVICE unsigned long long name(unsigned long long *place, unsigned long long value) \
    { \
        return (unsigned long long)builtin##_ll((long long *)place, (long long)value); \
    }
BITLINE_ATOMIC_BITS(atomicAnd, __nvvm_atom_and_gen)
BITLINE_ATOMIC_BITS(atomicOr, __nvvm_atom_or_gen)
BITLINE_ATOMIC_BITS(atomicXor, __nvvm_atom_xor_gen)
BITLINE_ATOMIC_BITS(atomicExch, __nvvm_atom_xchg_gen)
BITLINE_DEVICE float atomicExch(float *place, float value)
{
    return __nvvm_bitcast_i2f(__nvvm_atom_xchg_gen_i((int *)place, __nvvm_bitcast_f2i(value)));
}
BITLINE_DEVICE int atomicCAS(int *place, int expected, int value)
{
    return __nvvm_atom_cas_gen_i(place, expected, value);
}
BITLINE_DEVICE unsigned atomicCAS(unsigned *place, unsigned expected, unsigned value)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)place, (int)expected, (int)value);
}
BITLINE_DEVICE unsigned long long atomicCAS(unsigned long long *place, unsigned long long expected,
                                            unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)place, (long long)expected, (long long)value);
}
