//! Rows of the table: integers, comparisons, logic.

use super::{Row, form, planned, refused, works};

const HALF: &str = "comes with the phase of 16-bit floats; compute in float and convert";
const PACKED: &str = "two numbers in a register; compile for sm_50, which has none of these";

pub(super) const INTEGERS: &[Row] = &[
    works("add", "integers", &[form("sat? s32", "d a a"), form("INT", "d a a")]),
    refused("add", "u16x2 s16x2", PACKED),
    works("sub", "integers", &[form("sat? s32", "d a a"), form("INT", "d a a")]),
    works("mul", "integers", &[form("lo|hi INT", "d a a"), form("wide u16|s16|u32|s32", "D a a")]),
    works(
        "mad",
        "integers",
        &[form("lo|hi INT", "d a a a"), form("wide u16|s16|u32|s32", "D a a W"), form("hi sat s32", "d a a a")],
    ),
    works("mul24", "", &[form("lo|hi u32|s32", "d a a")]),
    works("mad24", "", &[form("lo|hi u32|s32", "d a a a"), form("hi sat s32", "d a a a")]),
    works("sad", "", &[form("INT", "d a a a")]),
    works("div", "integers", &[form("INT", "d a a")]),
    works("rem", "", &[form("INT", "d a a")]),
    works("abs", "integers", &[form("s16|s32|s64", "d a")]),
    works("neg", "integers", &[form("s16|s32|s64", "d a")]),
    works("min", "integers", &[form("INT", "d a a")]),
    refused("min", "u16x2 s16x2 relu", PACKED),
    works("max", "integers", &[form("INT", "d a a")]),
    refused("max", "u16x2 s16x2 relu", PACKED),
    works("popc", "", &[form("b32|b64", "U a")]),
    works("clz", "", &[form("b32|b64", "U a")]),
    works("bfind", "", &[form("shiftamt? u32|u64|s32|s64", "U a")]),
    planned("fns", "", "comes with the phase of rare integer operations"),
    works("brev", "", &[form("b32|b64", "d a")]),
    works("bfe", "", &[form("u32|u64|s32|s64", "d a u u")]),
    works("bfi", "", &[form("b32|b64", "d a a u u")]),
    planned("szext", "", "comes with the phase of rare integer operations; shift left, then right"),
    planned("bmsk", "", "comes with the phase of rare integer operations; shift and subtract"),
    planned("dp4a", "", "comes with the phase of rare integer operations; multiply the bytes one by one"),
    planned("dp2a", "", "comes with the phase of rare integer operations; multiply the halves one by one"),
];

const CARRY: &str = "comes with the phase of 128-bit integers; use unsigned long long";

pub(super) const EXTENDED: &[Row] = &[
    planned("add", "cc", CARRY),
    planned("addc", "", CARRY),
    planned("sub", "cc", CARRY),
    planned("subc", "", CARRY),
    planned("mad", "cc", CARRY),
    planned("madc", "", CARRY),
];

pub(super) const COMPARISONS: &[Row] = &[
    works(
        "set",
        "integers, f32, f64",
        &[
            form("INTCMP ftz? u32|s32|f32 BITS|INT", "d s s"),
            form("FLOATCMP ftz? u32|s32|f32 f32|f64", "d s s"),
            form("INTCMP BOOL ftz? u32|s32|f32 BITS|INT", "d s s c"),
            form("FLOATCMP BOOL ftz? u32|s32|f32 f32|f64", "d s s c"),
        ],
    ),
    planned("set", "f16 f16x2 bf16 bf16x2 u16", HALF),
    works(
        "setp",
        "integers, f16, f32, f64",
        &[
            form("INTCMP BITS|INT", "p a a"),
            form("FLOATCMP ftz? f32", "p a a"),
            form("FLOATCMP f64", "p a a"),
            form("FLOATCMP ftz? f16", "p a a"),
            form("INTCMP BOOL BITS|INT", "p a a c"),
            form("FLOATCMP BOOL ftz? f32", "p a a c"),
            form("FLOATCMP BOOL f64", "p a a c"),
            form("FLOATCMP BOOL ftz? f16", "p a a c"),
        ],
    ),
    planned("setp", "f16x2 bf16 bf16x2", HALF),
    works("selp", "", &[form("BITS|INT|f32|f64", "d a a c")]),
    works("slct", "", &[form("BITS|INT|f32|f64 s32", "d a a s"), form("ftz? BITS|INT|f32|f64 f32", "d a a s")]),
];

pub(super) const LOGIC: &[Row] = &[
    works("and", "", &[form("pred|b16|b32|b64", "d a a")]),
    works("or", "", &[form("pred|b16|b32|b64", "d a a")]),
    works("xor", "", &[form("pred|b16|b32|b64", "d a a")]),
    works("not", "", &[form("pred|b16|b32|b64", "d a")]),
    works("cnot", "", &[form("b16|b32|b64", "d a")]),
    works("lop3", "", &[form("b32", "d a a a i")]),
    planned("lop3", "and or", "comes with the phase of rare integer operations; compare the result by setp"),
    works("shf", "", &[form("l|r clamp|wrap b32", "d a a u")]),
    works("shl", "", &[form("BITS", "d a u")]),
    works("shr", "", &[form("BITS|INT", "d a u")]),
];
