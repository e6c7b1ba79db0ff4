//! Buffers: elements of one type, from files and random numbers, and as text again.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};
use crate::ptx::types::{Class, Type};

/// Bytes that a buffer may have.
pub const MOST_BYTES: u64 = 1 << 30;

/// The type of a buffer's elements, or of a number: `u8` to `s64`, `f32`, `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element(Type);

impl FromStr for Element {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Element, String> {
        let ty = Type::from_name(text);
        let small = |ty: Type| ty.is_float() && ty.bits() == 16;
        let ty = ty.filter(|ty| !matches!(ty.class(), Class::Pred | Class::Bits | Class::Packed) && !small(*ty));
        ty.map(Element).ok_or("must be u8, s8, u16, s16, u32, s32, u64, s64, f32 or f64".into())
    }
}

impl Element {
    /// As PTX calls it.
    #[must_use]
    pub fn ty(self) -> Type {
        self.0
    }

    /// Bytes of one.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.0.bytes() as usize
    }

    /// Bits of a number written as text: decimal, hexadecimal, binary; floating-point numbers as usual.
    ///
    /// # Errors
    ///
    /// The rule that the text breaks.
    pub fn parse(self, text: &str) -> std::result::Result<u64, String> {
        let ty = self.0;
        if ty.is_float() {
            let float = |e: std::num::ParseFloatError| format!("must be a number such as 1.5: {e}");
            return match ty {
                Type::F32 => text.parse::<f32>().map(|x| u64::from(x.to_bits())).map_err(float),
                _ => text.parse::<f64>().map(f64::to_bits).map_err(float),
            };
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let number = match digits.get(..2) {
            Some("0x" | "0X") => i128::from_str_radix(&digits[2..], 16),
            Some("0b" | "0B") => i128::from_str_radix(&digits[2..], 2),
            _ => digits.parse(),
        };
        let (low, high) = self.range();
        let signed = digits.starts_with(['+', '-']);
        match number.map(|number| if negative { -number } else { number }) {
            Ok(number) if (low..=high).contains(&number) && !signed => Ok(number as u64 & ty.mask()),
            _ => Err(format!("must be a whole number from {low} to {high}")),
        }
    }

    /// The least and the greatest integer.
    fn range(self) -> (i128, i128) {
        let all = i128::from(self.0.mask());
        if self.0.is_signed() { (-(all / 2) - 1, all / 2) } else { (0, all) }
    }

    /// The number that bits stand for, as text that [`Element::parse`] reads.
    #[must_use]
    pub fn text(self, bits: u64) -> String {
        let shift = 64 - self.0.bits();
        match self.0 {
            Type::F32 => f32::from_bits(bits as u32).to_string(),
            Type::F64 => f64::from_bits(bits).to_string(),
            ty if ty.is_signed() => (((bits << shift) as i64) >> shift).to_string(),
            _ => bits.to_string(),
        }
    }
}

/// Elements in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// What they are.
    pub element: Element,
    /// The lowest byte of each first.
    pub bytes: Vec<u8>,
}

impl Buffer {
    /// So many zeros.
    ///
    /// # Errors
    ///
    /// The rule that the number breaks.
    pub fn zeros(element: Element, count: u64) -> std::result::Result<Buffer, String> {
        let bytes = count.checked_mul(element.bytes() as u64).filter(|bytes| (1..=MOST_BYTES).contains(bytes));
        let bytes =
            bytes.ok_or_else(|| format!("must have from 1 to {} elements", MOST_BYTES / element.bytes() as u64))?;
        Ok(Buffer { element, bytes: vec![0; bytes as usize] })
    }

    /// Elements with these bits.
    #[must_use]
    pub fn of(element: Element, bits: impl IntoIterator<Item = u64>) -> Buffer {
        let mut bytes = Vec::new();
        bits.into_iter().for_each(|bits| bytes.extend_from_slice(&bits.to_le_bytes()[..element.bytes()]));
        Buffer { element, bytes }
    }

    /// 0, a step, two steps and so on.
    ///
    /// # Errors
    ///
    /// The rule that number or step break.
    pub fn steps(element: Element, count: u64, step: u64) -> std::result::Result<Buffer, String> {
        Buffer::zeros(element, count)?;
        let ty = element.ty();
        // Integers up to this one are numbers of any type of as many bits.
        let greatest = match ty {
            Type::F32 => 1 << 24,
            Type::F64 => 1 << 53,
            _ => element.range().1,
        };
        if i128::from(count - 1) * i128::from(step) > greatest {
            return Err(format!("must not go beyond {greatest} in {}", ty.name()));
        }
        Ok(Buffer::of(
            element,
            (0..count).map(|number| match ty {
                Type::F32 => u64::from(((number * step) as f32).to_bits()),
                Type::F64 => ((number * step) as f64).to_bits(),
                _ => number * step,
            }),
        ))
    }

    /// Random elements: of this range if it is given, else from 0 up to 1, or of all integers.
    ///
    /// # Errors
    ///
    /// The rule that number or range break.
    pub fn random(
        element: Element,
        count: u64,
        seed: u64,
        range: Option<(&str, &str)>,
    ) -> std::result::Result<Buffer, String> {
        let empty = Buffer::zeros(element, count)?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        if element.ty().is_float() {
            let number = |text: &str| text.parse::<f64>().map_err(|e| format!("{text}: {e}"));
            let (low, high) =
                range.map_or(Ok((0.0, 1.0)), |(low, high)| Ok::<_, String>((number(low)?, number(high)?)))?;
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err("must be a range such as -1..1".into());
            }
            let bits = |x: f64| if element.ty() == Type::F32 { u64::from((x as f32).to_bits()) } else { x.to_bits() };
            return Ok(Buffer::of(element, (0..count).map(|_| bits(random.random_range(low..high)))));
        }
        let Some((low, high)) = range else {
            let mut bytes = empty.bytes;
            random.fill(&mut bytes[..]);
            return Ok(Buffer { element, bytes });
        };
        let number = |text: &str| {
            let bits = element.parse(text).map_err(|rule| format!("{text}: {rule}"))?;
            element.text(bits).parse::<i128>().map_err(|e| e.to_string())
        };
        let (low, high) = (number(low)?, number(high)?);
        if low > high {
            return Err("must be a range such as 0..99, both ends included".into());
        }
        Ok(Buffer::of(element, (0..count).map(|_| random.random_range(low..=high) as u64)))
    }

    /// Bits of each element.
    pub fn bits(&self) -> impl Iterator<Item = u64> {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        self.bytes.chunks_exact(self.element.bytes()).map(number)
    }

    /// A number on each line.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::new();
        self.bits().for_each(|bits| {
            let _ = writeln!(text, "{}", self.element.text(bits));
        });
        text
    }
}

/// The text of a file with numbers.
///
/// # Errors
///
/// A file that cannot be read, is empty, or has something else in it: the message has the line.
pub fn csv(path: &Path, element: Element) -> Result<Buffer> {
    let text = String::from_utf8(read(path, MOST_BYTES)?).map_err(|_| Error::file(path, "is not text (UTF-8)"))?;
    let mut bits = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for field in line.split(',').map(str::trim).filter(|field| !field.is_empty()) {
            let found = element.parse(field);
            bits.push(found.map_err(|rule| Error::file(path, format!("line {}: {field}: {rule}", number + 1)))?);
        }
    }
    sized(path, Buffer::of(element, bits))
}

/// The bytes of a file.
///
/// # Errors
///
/// A file that cannot be read, is empty, or ends within an element.
pub fn raw(path: &Path, element: Element) -> Result<Buffer> {
    let bytes = read(path, MOST_BYTES)?;
    if !bytes.len().is_multiple_of(element.bytes()) {
        let reason = format!("{} bytes: must be a multiple of {}", bytes.len(), element.bytes());
        return Err(Error::file(path, reason));
    }
    sized(path, Buffer { element, bytes })
}

/// All of a file of at most so many bytes: one without an end is an error, and not the end of memory.
fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| Error::file(path, e))?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| Error::file(path, e))?;
    if bytes.len() as u64 > limit {
        return Err(Error::file(path, format!("holds more than {limit} bytes, which is the most that is read")));
    }
    Ok(bytes)
}

fn sized(path: &Path, buffer: Buffer) -> Result<Buffer> {
    if buffer.bytes.is_empty() || buffer.bytes.len() as u64 > MOST_BYTES {
        let reason = format!("{} bytes: must be from 1 to {MOST_BYTES}", buffer.bytes.len());
        return Err(Error::file(path, reason));
    }
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("five");
        std::fs::write(&path, [7; 5]).expect("written");
        assert_eq!(read(&path, 5).expect("as many as may be"), [7; 5]);
        let error = read(&path, 4).expect_err("one too many").to_string();
        assert!(error.contains("five") && error.contains("more than 4 bytes"), "{error}");
        assert!(read(folder.path(), 4).is_err(), "a folder is no file");
    }
}
