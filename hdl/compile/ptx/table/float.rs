//! Rows of the table: floating point.

use super::{Row, form, planned, refused, works};

const HALF: &str = "comes with more of 16-bit floats; compute in float and convert, or in half one by one";
const PACKED: &str = "two numbers in a register; compile for sm_50, which has none of these";
const DIRECTED: &str = "directed rounding of double comes with the compiler's float phase; round to nearest";

pub(super) const FLOATS: &[Row] = &[
    works(
        "add",
        "f16, f32, f64",
        &[form("ROUND? ftz? sat? f32", "d a a"), form("rn? f64", "d a a"), form("rn? ftz? sat? f16", "d a a")],
    ),
    planned("add", "f16x2 bf16 bf16x2", HALF),
    planned("add", "f64", DIRECTED),
    refused("add", "f32x2", PACKED),
    works(
        "sub",
        "f16, f32, f64",
        &[form("ROUND? ftz? sat? f32", "d a a"), form("rn? f64", "d a a"), form("rn? ftz? sat? f16", "d a a")],
    ),
    planned("sub", "f16x2 bf16 bf16x2", HALF),
    planned("sub", "f64", DIRECTED),
    refused("sub", "f32x2", PACKED),
    works(
        "mul",
        "f16, f32, f64",
        &[form("ROUND? ftz? sat? f32", "d a a"), form("rn? f64", "d a a"), form("rn? ftz? sat? f16", "d a a")],
    ),
    planned("mul", "f16x2 bf16 bf16x2", HALF),
    planned("mul", "f64", DIRECTED),
    refused("mul", "f32x2", PACKED),
    works(
        "fma",
        "f16, f32, f64",
        &[form("ROUND ftz? sat? f32", "d a a a"), form("rn f64", "d a a a"), form("rn ftz? sat? f16", "d a a a")],
    ),
    planned("fma", "f16x2 bf16 bf16x2 relu oob", HALF),
    planned("fma", "f64", DIRECTED),
    refused("fma", "f32x2", PACKED),
    works("mad", "f32, f64", &[form("ROUND ftz? sat? f32", "d a a a"), form("rn f64", "d a a a")]),
    planned("mad", "f64", DIRECTED),
    works(
        "div",
        "f32, f64",
        &[form("approx|full ftz? f32", "d a a"), form("ROUND ftz? f32", "d a a"), form("rn f64", "d a a")],
    ),
    planned("div", "f64", DIRECTED),
    works("abs", "f16, f32, f64", &[form("ftz? f32", "d a"), form("f64", "d a"), form("ftz? f16", "d a")]),
    planned("abs", "f16x2 bf16 bf16x2", HALF),
    works("neg", "f16, f32, f64", &[form("ftz? f32", "d a"), form("f64", "d a"), form("ftz? f16", "d a")]),
    planned("neg", "f16x2 bf16 bf16x2", HALF),
    works("min", "f16, f32, f64", &[form("ftz? f32", "d a a"), form("f64", "d a a"), form("ftz? f16", "d a a")]),
    planned("min", "f16x2 bf16 bf16x2", HALF),
    refused("min", "NaN xorsign", "needs sm_80; compile for sm_50"),
    works("max", "f16, f32, f64", &[form("ftz? f32", "d a a"), form("f64", "d a a"), form("ftz? f16", "d a a")]),
    planned("max", "f16x2 bf16 bf16x2", HALF),
    refused("max", "NaN xorsign", "needs sm_80; compile for sm_50"),
    works("rcp", "f32, f64", &[form("approx|ROUND ftz? f32", "d a"), form("rn f64", "d a")]),
    planned("rcp", "f64", DIRECTED),
    works("sqrt", "f32, f64", &[form("approx|ROUND ftz? f32", "d a"), form("rn f64", "d a")]),
    planned("sqrt", "f64", DIRECTED),
    works("rsqrt", "f32", &[form("approx ftz? f32", "d a")]),
    planned("rsqrt", "f64", "comes with the compiler's float phase; divide 1 by the root"),
    works("sin", "", &[form("approx ftz? f32", "d a")]),
    works("cos", "", &[form("approx ftz? f32", "d a")]),
    works("lg2", "", &[form("approx ftz? f32", "d a")]),
    works("ex2", "f32", &[form("approx ftz? f32", "d a")]),
    planned("ex2", "f16 f16x2 bf16 bf16x2", HALF),
    works("tanh", "f32", &[form("approx f32", "d a")]),
    planned("tanh", "f16 f16x2 bf16 bf16x2", HALF),
    works("testp", "", &[form("finite|infinite|number|notanumber|normal|subnormal f32|f64", "q a")]),
    works("copysign", "", &[form("f32|f64", "d a a")]),
];
