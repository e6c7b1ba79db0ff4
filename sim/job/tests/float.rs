//! Floating-point operations in program files.

use std::f64::consts::{E, FRAC_PI_4};

use super::*;

#[test]
fn floating_point_by_name() {
    by_name("preset=tiny rows=256 float=true");
}

#[test]
fn floating_point_on_the_papers_cell() {
    by_name("preset=paper columns=8 float=true");
}

fn by_name(design: &str) {
    let head = format!(
        "design {design}\nelements 6\nvector x float=f32\nvector y float=f32\n\
         vector z float=f32\nload x list 0.1 1 16777216 -2.5 3e38 inf\nload y list 0.2 1e-10 1 2.5 3e38 -inf\n"
    );
    let run = |rest: &str| outcome(&planned(&format!("{head}{rest}")).expect("a program")).expect("it runs");
    let shown = |rest: &str| {
        let outcome = run(&format!("{rest}print z\n"));
        (outcome.failures.clone(), outcome.printed[0].values.join(" "))
    };
    assert_eq!(shown("fadd d=z a=x b=y\n"), (vec![], "0.3 1.0 16777216.0 0.0 inf nan".into()));
    let down = shown("fadd d=z a=x b=y round=down\n").1;
    assert_eq!(down, "0.29999998 1.0 16777216.0 -0.0 3.4028235e38 nan");
    let up = shown("fadd d=z a=x b=y round=up\n").1;
    assert_eq!(up, "0.3 1.0000001 16777218.0 0.0 inf nan");
    let convert = "vector i width=16 signed\nf32_to_int.s d=i a=x round=up\nf32_from_int.s d=z a=i\n";
    assert_eq!(shown(convert).1, "1.0 1.0 32767.0 -2.0 32767.0 32767.0");
    let half = "vector h float=f16\nf32_to_float d=h a=x round=down\nf16_to_float d=z a=h\n";
    assert_eq!(shown(half).1, "0.099975586 1.0 65504.0 -2.5 65504.0 inf");
    assert_eq!(shown("fround d=z a=y round=up\n").1, "1.0 1.0 1.0 3.0 3e38 -inf");
    let class = "vector c width=10\nfclass d=c a=y\nprint c\nzero d=z\n";
    assert_eq!(shown(class).1, "64 64 64 64 64 1");
    let (failures, _) = shown("fsub d=z a=x b=y\nexpect z list -0.1 1 16777215 -5 0 inf\n");
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(shown("fmul d=z a=x b=y\n").1, "0.020000001 1e-10 16777216.0 -6.25 inf -inf");
    assert_eq!(shown("fmul d=z a=x b=y round=zero\n").1, "0.02 1e-10 16777216.0 -6.25 3.4028235e38 -inf");
    assert_eq!(shown("fdiv d=z a=x b=y\n").1, "0.5 10000000000.0 16777216.0 -1.0 1.0 nan");
    assert_eq!(shown("fdiv d=z a=y b=x round=down\n").1, "2.0 1e-10 5.9604645e-8 -1.0 1.0 nan");
    assert_eq!(shown("fsqrt d=z a=y round=up\n").1, "0.44721362 1.0000001e-5 1.0 1.5811388 1.7320509e19 nan");
    assert_eq!(shown("frcp d=z a=x\n").1, "10.0 1.0 5.9604645e-8 -0.4 3.333333e-39 0.0");
    assert_eq!(shown("frcp d=z a=x subnormals=flushed round=down\n").1, "9.999999 1.0 5.9604645e-8 -0.4 0.0 0.0");
    assert_eq!(shown("frsqrt d=z a=y\n").1, "2.236068 100000.0 1.0 0.6324555 5.773503e-20 nan");
    assert_eq!(shown("fexp2 d=z a=x\n").1, "1.0717734 2.0 inf 0.17677669 inf inf");
    assert_eq!(shown("flog2 d=z a=y\n").1, "-2.321928 -33.21928 0.0 1.3219281 127.81823 nan");
    assert_eq!(shown("flog d=z a=x\n").1, "-2.3025851 0.0 16.635532 nan 88.59685 inf");
    assert_eq!(shown("fsin d=z a=x\n").1, "0.099833414 0.841471 -0.77956367 -0.5984721 0.8749049 nan");
    assert_eq!(shown("fcos d=z a=x\n").1, "0.9950042 0.5403023 0.626323 -0.80114365 -0.48429477 nan");
    assert_eq!(shown("ftan d=z a=x\n").1, "0.10033467 1.5574077 -1.2446673 0.7470223 -1.8065544 nan");
    assert_eq!(shown("ftanh d=z a=x\n").1, "0.099667996 0.7615942 1.0 -0.9866143 1.0 1.0");
    assert_eq!(shown("fatan d=z a=y\n").1, "0.19739556 1e-10 0.7853982 1.19029 1.5707964 -1.5707964");
    assert_eq!(shown("fexp d=z a=y\n").1, "1.2214028 1.0 2.7182817 12.182494 inf 0.0");
    assert_eq!(shown("ffma d=z a=x b=y e=x\n").1, "0.120000005 1.0 33554432.0 -8.75 inf nan");
    // Functions of short formats, of 1 and −2.5.
    for (function, wanted) in [("fexp", [E, 0.08208]), ("fsin", [0.84147, -0.59847]), ("fatan", [FRAC_PI_4, -1.19029])]
    {
        for format in ["f16", "bf16"] {
            let short = format!("vector h float={format}\nvector k float={format}\nf32_to_float d=h a=x\n");
            let values = run(&format!("{short}{function} d=k a=h\nprint k\n")).printed[0].values.clone();
            for (value, wanted) in [&values[1], &values[3]].into_iter().zip(wanted) {
                let value: f64 = value.parse().expect("a number");
                let units = if format == "f16" { 1e-3_f64 } else { 8e-3 };
                assert!(
                    (value - wanted).abs() < units * f64::abs(wanted),
                    "{function} {format}: {value}, not {wanted}"
                );
            }
        }
    }
    let lost = "fmul d=z a=x b=y\nfneg d=z a=z\nvector w float=f32\nffma d=w a=x b=y e=z\nprint w\n";
    assert_eq!(run(lost).printed[0].values[0], "-8.1956386e-10");
    let less = run("vector t width=1\nflt d=t a=x b=y\nprint t\n");
    assert_eq!(less.printed[0].values.join(" "), "1 0 0 1 0 0");
    let small = "load x value 1.5e-38\nload y value -1.4e-38\n";
    assert_eq!(shown(&format!("{small}fadd d=z a=x b=y\n")).1.split(' ').next(), Some("1e-39"));
    let flushed = shown(&format!("{small}fadd d=z a=x b=y subnormals=flushed\n")).1;
    assert_eq!(flushed.split(' ').next(), Some("0.0"));
    let stored = run("fadd d=z a=x b=y\nstore z csv \"z.csv\"\nprint z base=16\n");
    assert!(String::from_utf8_lossy(&stored.files[0].1).starts_with("z\n0.3\n1.0\n"));
    assert_eq!(stored.printed[0].values[5], "0x7fc00000");
    for (rest, wanted) in [
        ("fadd d=z a=x b=y round=off", "round = off: must be one of nearest, zero, down, up"),
        ("fadd d=z a=x b=y n=32", "widths are those of the operands' format"),
        ("vector i width=32\nfadd d=i a=x b=y", "d = i holds integers: needs float="),
        ("vector h float=f16\nfadd d=z a=x b=h", "must be"),
        ("fmul d=x a=x b=y", "overlap"),
        ("ffma d=z a=x b=y e=z", "overlap"),
        ("ffma d=z a=x b=y", "operand e is missing"),
        (
            "vector h float=e5m2\nload h value 1\nvector k float=e5m2\nftanh d=k a=h",
            "must be that of a format, 26 (f32), 13 (f16), 10 (bf16)",
        ),
        ("vector h float=f16\nload h value 1\nffma d=z a=x b=y e=h", "must be"),
        ("add d=z a=x b=y round=up", "round: this operation does not round"),
        ("vector h float=f16\nload h value 1e6", "value = 1e6: must be a number within the range of f16"),
        ("vector h float=f8", "float = f8: must be one of f32, f64, f16, bf16, e5m2, e4m3"),
        ("vector h float=f16 width=8", "must be 16, that of f16"),
        ("sum x", "holds floating-point numbers"),
    ] {
        let message = error(&format!("{head}{rest}"));
        assert!(message.contains(wanted), "{rest:?}\n says {message:?}\n not  {wanted:?}");
    }
    for (rest, wanted) in [
        ("vector i width=32 signed\nvector h float=f16\nload h value 1\nf32_to_int.s d=i a=h", "must have format f32"),
        ("vector i width=32\nload i value 1\nvector h float=f16\nf32_from_int d=h a=i", "must have format f32"),
        ("f32_to_int d=z a=x", "d = z has format f32: must hold integers"),
        ("vector i width=32 signed\nload i value 1\nf32_from_int d=z a=i", "i is signed: use f32_from_int.s"),
        ("vector h float=f16\nload h value 1\nf32_to_float d=z a=h", "a = h: must have format f32"),
        ("vector i width=32\nf32_to_float d=i a=x", "d = i holds integers: needs float="),
        ("vector i width=24\nf32_to_int d=i a=x", "width = 24: must be 8 to 64, a power of two"),
    ] {
        let message = error(&format!("{head}{rest}"));
        assert!(message.contains(wanted), "{rest:?}\n says {message:?}\n not  {wanted:?}");
    }
    let none = error("design preset=tiny rows=256\nvector x float=f16\nload x value 1\nfadd d=x a=x b=x\n");
    assert!(none.contains("has no floating point"), "{none}");
}

#[test]
fn cordic_takes_a_number_of_steps() {
    let head = "design preset=tiny rows=256 float=true\nelements 3\nvector x width=32 signed\n\
                vector s width=32 signed\nvector c width=32 signed\nload x list 0 1686629713 -562209904\n";
    let program = format!("{head}cordic_sincos d=s e=c a=x m=32\nprint s\nprint c\n");
    let outcome = outcome(&planned(&program).expect("a program")).expect("it runs");
    // Sines and cosines of 0, π/2 and −π/6.
    let one = f64::from(1 << 30);
    for (printed, wanted) in outcome.printed.iter().zip([[0.0, 1.0, -0.5], [1.0, 0.0, 0.75f64.sqrt()]]) {
        for (value, wanted) in printed.values.iter().zip(wanted) {
            let value: f64 = value.parse().expect("a number");
            assert!((value - wanted * one).abs() < 32.0, "{value}");
        }
    }
    for (rest, wanted) in [
        ("cordic_sincos d=s e=c a=x", "this operation needs a second width"),
        ("cordic_sincos d=s e=c a=x m=3", "second width = 3: must be 4 to n, n = 32"),
        ("cordic_sincos d=s e=c a=x m=33", "second width = 33: must be 4 to n, n = 32"),
        ("cordic_exp d=s a=x m=15", "second width = 15: must be 16 to n+1, n = 32"),
        ("cordic_sqrt d=s a=x m=34", "second width = 34: must be 16 to n+1, n = 32"),
        ("vector n width=8\ncordic_exp d=n a=n m=16", "width = 8: must be 16 to 32, a power of two"),
    ] {
        let message = error(&format!("{head}{rest}"));
        assert!(message.contains(wanted), "{rest}: {message}");
    }
}

#[test]
fn unpacked_sums() {
    for design in ["preset=tiny rows=256", "preset=paper columns=8"] {
        for (format, rows, widths) in [("f32", 44, ""), ("f16", 28, " n=13 m=5"), ("bf16", 28, " n=10 m=8")] {
            let program = format!(
                "design {design} float=true unpacked=true\nelements 4\nvector x float={format}\n\
                 vector y float={format}\nvector u width={rows}\nvector v width={rows}\nload x list 0.5 -2 inf -0\n\
                 load y list 256 2 -inf -0\n\
                 funpack d=u a=x\nfunpack d=v a=y\nfsum d=u a=u b=v{widths}\nfsum d=u a=u b=v{widths}\n\
                 fpack d=x a=u round=up\nprint x\n"
            );
            let outcome = outcome(&planned(&program).expect("a program")).expect("it runs");
            let sum = if format == "bf16" { "516.0" } else { "512.5" };
            assert_eq!(outcome.printed[0].values.join(" "), format!("{sum} 2.0 nan -0.0"), "{design} {format}");
        }
    }
    let head = "design preset=tiny rows=256 float=true unpacked=true\nvector x float=f16\nvector u width=28\n\
                load x value 1\nfunpack d=u a=x\n";
    for (rest, wanted) in [
        ("fsum d=u a=u b=u", "u may be of f16 or bf16: give n and m"),
        ("fsum d=u a=u b=u n=26 m=8", "a = u has 28 rows: must be an unpacked number of 44 (f32)"),
        ("vector w width=44\nfsum d=w a=u b=u n=13 m=5", "d = w has 44 rows: must be 28"),
        ("fsum d=x a=x b=x", "a = x has 16 rows: must be an unpacked number of 44 (f32), 28 (f16), 28 (bf16)"),
        ("fpack d=u a=u", "d = u holds integers: needs float="),
        (
            "vector y float=f64\nload y value 1\nvector v width=76\nfunpack d=v a=y",
            "must be that of a format, 26 (f32)",
        ),
    ] {
        let message = error(&format!("{head}{rest}\n"));
        assert!(message.contains(wanted), "{rest:?}\n says {message:?}\n not  {wanted:?}");
    }
    let without = error(&head.replace(" unpacked=true", ""));
    assert!(without.contains("has no unpacked numbers (unpacked = true adds them)"), "{without}");
}
