//! Rows of the table: integers, comparisons, logic.

use super::{Row, form, lowered, refused, works};

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
    lowered("fns", "", "counts of bits in halves of what is left", &[form("b32", "d a u u")]),
    works("brev", "", &[form("b32|b64", "d a")]),
    works("bfe", "", &[form("u32|u64|s32|s64", "d a u u")]),
    works("bfi", "", &[form("b32|b64", "d a a u u")]),
    lowered("szext", "", "shifts and masks", &[form("clamp|wrap u32|s32", "d a u")]),
    lowered("bmsk", "", "shifts of all ones", &[form("clamp|wrap b32", "d u u")]),
    works("dp4a", "", &[form("u32|s32 u32|s32", "U u u u")]),
    works("dp2a", "", &[form("lo|hi u32|s32 u32|s32", "U u u u")]),
];

const PRODUCT: &str = "a product, and a sum with carry";

pub(super) const EXTENDED: &[Row] = &[
    works("add", "cc", &[form("cc WORDS", "d a a")]),
    works("addc", "", &[form("cc? WORDS", "d a a")]),
    works("sub", "cc", &[form("cc WORDS", "d a a")]),
    works("subc", "", &[form("cc? WORDS", "d a a")]),
    lowered("mad", "cc", PRODUCT, &[form("lo|hi cc WORDS", "d a a a")]),
    lowered("madc", "", PRODUCT, &[form("lo|hi cc? WORDS", "d a a a")]),
];

pub(super) const COMPARISONS: &[Row] = &[
    works(
        "set",
        "all",
        &[
            form("INTCMP ftz? u32|s32|f32 BITS|INT", "d s s"),
            form("FLOATCMP ftz? u32|s32|f32 f32|f64", "d s s"),
            form("INTCMP BOOL ftz? u32|s32|f32 BITS|INT", "d s s c"),
            form("FLOATCMP BOOL ftz? u32|s32|f32 f32|f64", "d s s c"),
            form("INTCMP ftz? f16|bf16 BITS|INT", "d s s"),
            form("FLOATCMP ftz? f16|bf16 f32|f64", "d s s"),
            form("FLOATCMP ftz? u16|s16|u32|s32|f16 f16", "d s s"),
            form("FLOATCMP u16|s16|u32|s32|bf16 bf16", "d s s"),
            form("INTCMP BOOL ftz? f16|bf16 BITS|INT", "d s s c"),
            form("FLOATCMP BOOL ftz? f16|bf16 f32|f64", "d s s c"),
            form("FLOATCMP BOOL ftz? u16|s16|u32|s32|f16 f16", "d s s c"),
            form("FLOATCMP BOOL u16|s16|u32|s32|bf16 bf16", "d s s c"),
        ],
    ),
    lowered(
        "set",
        "f16x2 bf16x2",
        "a comparison for each half",
        &[
            form("FLOATCMP ftz? u32|s32|f16x2 f16x2", "d s s"),
            form("FLOATCMP u32|s32|bf16x2 bf16x2", "d s s"),
            form("FLOATCMP BOOL ftz? u32|s32|f16x2 f16x2", "d s s c"),
            form("FLOATCMP BOOL u32|s32|bf16x2 bf16x2", "d s s c"),
        ],
    ),
    works(
        "setp",
        "integers, f16, bf16, f32, f64",
        &[
            form("INTCMP BITS|INT", "p a a"),
            form("FLOATCMP ftz? f32", "p a a"),
            form("FLOATCMP f64", "p a a"),
            form("FLOATCMP ftz? f16", "p a a"),
            form("INTCMP BOOL BITS|INT", "p a a c"),
            form("FLOATCMP BOOL ftz? f32", "p a a c"),
            form("FLOATCMP BOOL f64", "p a a c"),
            form("FLOATCMP BOOL ftz? f16", "p a a c"),
            form("FLOATCMP bf16", "p a a"),
            form("FLOATCMP BOOL bf16", "p a a c"),
        ],
    ),
    lowered(
        "setp",
        "f16x2 bf16x2",
        "a comparison for each half",
        &[
            form("FLOATCMP ftz? f16x2", "P a a"),
            form("FLOATCMP bf16x2", "P a a"),
            form("FLOATCMP BOOL ftz? f16x2", "P a a c"),
            form("FLOATCMP BOOL bf16x2", "P a a c"),
        ],
    ),
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
    works("lop3", "and or", &[form("and|or b32", "g a a a i c")]),
    works("shf", "", &[form("l|r clamp|wrap b32", "d a a u")]),
    works("shl", "", &[form("BITS", "d a u")]),
    works("shr", "", &[form("BITS|INT", "d a u")]),
];
