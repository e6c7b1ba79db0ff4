//! Rows of the table: floating point.

use super::{Form, Row, form, lowered, refused, works};

const PACKED: &str = "two numbers in a register; compile for sm_50, which has none of these";
const HALVES: &str = "the instruction for each half";
const SINGLE: &str = "`cvt` to float, the function, `cvt` back";
const GROSS: &str =
    "a rougher function of the upper half alone, which PTX does not define; leave ftz out, or round to nearest";

pub(super) const FLOATS: &[Row] = &[
    works("add", ALL, &[form("ROUND? ftz? sat? f32", "d a a"), form("ROUND? f64", "d a a"), SMALL[0], SMALL[1]]),
    lowered("add", PAIRS, HALVES, &[form("rn? ftz? sat? f16x2", "d a a"), form("rn? bf16x2", "d a a")]),
    refused("add", "f32x2", PACKED),
    works("sub", ALL, &[form("ROUND? ftz? sat? f32", "d a a"), form("ROUND? f64", "d a a"), SMALL[0], SMALL[1]]),
    lowered("sub", PAIRS, HALVES, &[form("rn? ftz? sat? f16x2", "d a a"), form("rn? bf16x2", "d a a")]),
    refused("sub", "f32x2", PACKED),
    works("mul", ALL, &[form("ROUND? ftz? sat? f32", "d a a"), form("ROUND? f64", "d a a"), SMALL[0], SMALL[1]]),
    lowered("mul", PAIRS, HALVES, &[form("rn? ftz? sat? f16x2", "d a a"), form("rn? bf16x2", "d a a")]),
    refused("mul", "f32x2", PACKED),
    works(
        "fma",
        ALL,
        &[
            form("ROUND ftz? sat? f32", "d a a a"),
            form("ROUND f64", "d a a a"),
            form("rn ftz? sat? f16", "d a a a"),
            form("rn ftz? relu f16", "d a a a"),
            form("rn relu? bf16", "d a a a"),
        ],
    ),
    lowered(
        "fma",
        PAIRS,
        HALVES,
        &[
            form("rn ftz? sat? f16x2", "d a a a"),
            form("rn ftz? relu f16x2", "d a a a"),
            form("rn relu? bf16x2", "d a a a"),
        ],
    ),
    refused("fma", "oob", "a NaN of its own for elements beyond a tensor, which only bulk copies make; leave it out"),
    refused("fma", "f32x2", PACKED),
    works("mad", "f32, f64", &[form("ROUND ftz? sat? f32", "d a a a"), form("ROUND f64", "d a a a")]),
    works(
        "div",
        "f32, f64",
        &[form("approx|full ftz? f32", "d a a"), form("ROUND ftz? f32", "d a a"), form("ROUND f64", "d a a")],
    ),
    works("abs", ALL, &[form("ftz? f32", "d a"), form("f64|bf16", "d a"), form("ftz? f16", "d a")]),
    lowered("abs", PAIRS, HALVES, &[form("ftz? f16x2", "d a"), form("bf16x2", "d a")]),
    works("neg", ALL, &[form("ftz? f32", "d a"), form("f64|bf16", "d a"), form("ftz? f16", "d a")]),
    lowered("neg", PAIRS, HALVES, &[form("ftz? f16x2", "d a"), form("bf16x2", "d a")]),
    works("min", ALL, &[form("ftz? f32", "d a a"), form("f64|bf16", "d a a"), form("ftz? f16", "d a a")]),
    lowered("min", PAIRS, HALVES, &[form("ftz? f16x2", "d a a"), form("bf16x2", "d a a")]),
    refused("min", "NaN xorsign", "needs sm_80; compile for sm_50"),
    works("max", ALL, &[form("ftz? f32", "d a a"), form("f64|bf16", "d a a"), form("ftz? f16", "d a a")]),
    lowered("max", PAIRS, HALVES, &[form("ftz? f16x2", "d a a"), form("bf16x2", "d a a")]),
    refused("max", "NaN xorsign", "needs sm_80; compile for sm_50"),
    works("rcp", "f32, f64", &[form("approx|ROUND ftz? f32", "d a"), form("ROUND f64", "d a")]),
    refused("rcp", "approx", GROSS),
    works("sqrt", "f32, f64", &[form("approx|ROUND ftz? f32", "d a"), form("ROUND f64", "d a")]),
    works("rsqrt", "f32, f64", &[form("approx ftz? f32", "d a"), form("approx f64", "d a")]),
    refused("rsqrt", "ftz", GROSS),
    works("sin", "", &[form("approx ftz? f32", "d a")]),
    works("cos", "", &[form("approx ftz? f32", "d a")]),
    works("lg2", "", &[form("approx ftz? f32", "d a")]),
    works("ex2", "f32", &[form("approx ftz? f32", "d a")]),
    lowered("ex2", SMALLER, SINGLE, &[form("approx f16|f16x2", "d a"), form("approx ftz bf16|bf16x2", "d a")]),
    works("tanh", "f32", &[form("approx f32", "d a")]),
    lowered("tanh", SMALLER, SINGLE, &[form("approx f16|f16x2|bf16|bf16x2", "d a")]),
    works("testp", "", &[form("finite|infinite|number|notanumber|normal|subnormal f32|f64", "q a")]),
    works("copysign", "", &[form("f32|f64", "d a a")]),
];

const ALL: &str = "f16, bf16, f32, f64";
const PAIRS: &str = "f16x2, bf16x2";
const SMALLER: &str = "f16, f16x2, bf16, bf16x2";

/// Sums and products of 16-bit numbers.
const SMALL: [Form; 2] = [form("rn? ftz? sat? f16", "d a a"), form("rn? bf16", "d a a")];
