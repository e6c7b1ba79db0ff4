//! Floating-point numbers as people write them. Decimal numbers are read by `rustc_apfloat`, correctly rounded; they
//! are written with as few digits as tell them from their neighbours in binary32, or binary64 for the widest format.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::isa::format::Format;

/// The number of a format nearest to a decimal number, `inf` or `nan`, with an optional sign. Nothing for what is no
/// number, or is beyond the format's largest.
pub fn parse(text: &str, format: Format) -> Option<u64> {
    match format.name {
        "f32" => read::<Single>(text, format),
        "f64" => read::<Double>(text, format),
        "f16" => read::<Half>(text, format),
        "bf16" => read::<BFloat>(text, format),
        "e5m2" => read::<Float8E5M2>(text, format),
        _ => read::<Float8E4M3FN>(text, format),
    }
}

/// The number with this bit pattern.
pub fn show(bits: u64, format: Format) -> String {
    match format.name {
        "f64" => written(f64::from_bits(bits)),
        "f32" => written(f32::from_bits(bits as u32)),
        "f16" => written(widened::<Half>(bits)),
        "bf16" => written(widened::<BFloat>(bits)),
        "e5m2" => written(widened::<Float8E5M2>(bits)),
        _ => written(widened::<Float8E4M3FN>(bits)),
    }
}

/// Whether a text can be a number that is no integer.
pub fn is_real(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    ["inf", "nan"].contains(&digits) || (digits.len() <= 1000 && is_decimal(digits))
}

/// Digits with one dot and an exponent at most.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let is_power = (1..=4).contains(&power.len()) && whole(power);
    whole(before) && whole(after) && !(before.is_empty() && after.is_empty()) && is_power
}

fn read<F: Float>(text: &str, format: Format) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match digits {
        "nan" => return Some(format.nan()),
        "inf" if format.infinities => F::INFINITY,
        _ if !is_decimal(digits) => return None,
        _ => F::from_str_r(digits, Round::NearestTiesToEven).ok()?.value,
    };
    let beyond = digits != "inf" && !value.is_finite();
    let value = if negative { -value } else { value };
    (!beyond).then(|| value.to_bits() as u64)
}

fn widened<F: Float + FloatConvert<Single>>(bits: u64) -> f32 {
    let mut inexact = false;
    let wide: Single = F::from_bits(bits.into()).convert(&mut inexact).value;
    f32::from_bits(wide.to_bits() as u32)
}

/// Rust writes the shortest decimal number that is read back as the same one; `NaN` is `nan` here.
fn written(value: impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::format::FORMATS;

    #[test]
    fn what_is_written_is_read_back() {
        for format in FORMATS {
            let step = ((u64::MAX >> (64 - format.bits())) / 4093) | 1;
            for bits in (0..4093u64).map(|k| k.wrapping_mul(step) & u64::MAX >> (64 - format.bits())) {
                let text = show(bits, format);
                let nan = text == "nan";
                assert_eq!(parse(&text, format), Some(if nan { format.nan() } else { bits }), "{format} {text}");
                assert!(is_real(&text), "{text}");
            }
        }
    }

    #[test]
    fn literals() {
        let of = |name: &str, text: &str| parse(text, Format::named(name).expect("a format"));
        assert_eq!(of("f32", "0.1"), Some(0x3dcc_cccd));
        assert_eq!(
            [of("f32", "-0"), of("f32", "1e39"), of("f32", "-inf")],
            [Some(0x8000_0000), None, Some(0xff80_0000)]
        );
        assert_eq!([of("e4m3", "448"), of("e4m3", "inf"), of("e4m3", "500")], [Some(0x7e), None, None]);
        assert_eq!([of("f16", "1.5"), of("bf16", ".5e1"), of("f16", "x")], [Some(0x3e00), Some(0x40a0), None]);
        for text in ["", "-", "1e", "0x1", "--1", "1.2.3", "infinity", "1e99999"] {
            assert!(!is_real(text), "{text}");
        }
        assert_eq!(show(0x3dcc_cccd, Format::named("f32").expect("a format")), "0.1");
    }
}
