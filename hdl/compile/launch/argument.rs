//! An argument as text.

use std::fmt::{Display, Formatter};
use std::path::Path;
use std::str::FromStr;

use super::buffer::{Buffer, Element, csv, raw};
use crate::error::Error;
use crate::interpret::MOST_SHARED;

/// What a kernel is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Number {
        /// Its type.
        element: Element,
        /// Its bits.
        bits: u64,
    },
    /// Memory, of which the kernel gets the address.
    Buffer(Buffer),
    /// Room in the shared memory of each block, of which the kernel gets the address.
    Local {
        /// Its size.
        bytes: u64,
    },
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Argument::Number { element, bits } => write!(f, "{}:{}", element.ty().name(), element.text(*bits)),
            Argument::Buffer(buffer) => {
                let count = buffer.bytes.len() / buffer.element.bytes();
                write!(f, "a buffer of {count} {}", buffer.element.ty().name())
            }
            Argument::Local { bytes } => write!(f, "{bytes} bytes of shared memory"),
        }
    }
}

/// The kinds, for messages.
const KINDS: &str = "must be TYPE:NUMBER, zero:TYPE:COUNT, steps:TYPE:COUNT:STEP, \
    random:TYPE:COUNT:SEED[:LOW..HIGH], csv:TYPE:FILE, raw:TYPE:FILE or local:TYPE:COUNT";

impl FromStr for Argument {
    type Err = Error;

    fn from_str(text: &str) -> Result<Argument, Error> {
        let refuse = |rule: String| Error::parameter("arg", text, rule);
        let (kind, rest) = text.split_once(':').ok_or_else(|| refuse(KINDS.into()))?;
        if !["zero", "steps", "random", "csv", "raw", "local"].contains(&kind) {
            let element: Element = kind.parse().map_err(|_| refuse(KINDS.into()))?;
            return Ok(Argument::Number { element, bits: element.parse(rest).map_err(refuse)? });
        }
        let (element, rest) = rest.split_once(':').ok_or_else(|| refuse(KINDS.into()))?;
        let element: Element = element.parse().map_err(|rule| refuse(format!("{element}: {rule}")))?;
        let whole = |text: &str| text.parse::<u64>().map_err(|_| refuse(format!("{text}: must be a whole number")));
        if kind == "local" {
            let count = whole(rest)?;
            if count == 0 || count > MOST_SHARED {
                return Err(refuse(format!("must have from 1 to {MOST_SHARED} elements")));
            }
            return Ok(Argument::Local { bytes: count * element.bytes() as u64 });
        }
        Ok(Argument::Buffer(match kind {
            "zero" => Buffer::zeros(element, whole(rest)?).map_err(refuse)?,
            "steps" => {
                let (count, step) =
                    rest.split_once(':').ok_or_else(|| refuse("steps:TYPE:COUNT:STEP needs its step".into()))?;
                Buffer::steps(element, whole(count)?, whole(step)?).map_err(refuse)?
            }
            "random" => {
                let mut fields = rest.splitn(3, ':');
                let count = whole(fields.next().unwrap_or_default())?;
                let seed = whole(fields.next().ok_or_else(|| refuse("random:TYPE:COUNT:SEED needs its seed".into()))?)?;
                let range = fields.next().map(|range| range.split_once("..").unwrap_or((range, "")));
                Buffer::random(element, count, seed, range).map_err(refuse)?
            }
            "csv" => csv(Path::new(rest), element)?,
            _ => raw(Path::new(rest), element)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Argument, String> {
        text.parse().map_err(|error: Error| error.to_string())
    }

    #[test]
    fn numbers_and_buffers_are_read() {
        let bits = |text| match read(text) {
            Ok(Argument::Number { bits, .. }) => bits,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!((bits("s8:-1"), bits("u16:0xffff"), bits("s64:-0b11")), (0xff, 0xffff, u64::MAX - 2));
        assert_eq!((bits("f32:1.5"), bits("f64:-inf")), (0x3fc0_0000, 0xfff0_0000_0000_0000));
        let buffer = |text| match read(text) {
            Ok(Argument::Buffer(buffer)) => buffer,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(buffer("zero:u16:3").bytes, [0; 6]);
        let steps = |text| buffer(text).bits().collect::<Vec<_>>();
        assert_eq!(steps("steps:s32:4:3"), [0, 3, 6, 9]);
        assert_eq!(steps("steps:f32:3:2"), [0.0_f32, 2.0, 4.0].map(|x| u64::from(x.to_bits())));
        assert_eq!(steps("steps:u8:256:1")[255], 255);
        let random = buffer("random:s32:500:7:-3..4");
        let numbers: Vec<i32> = random.bits().map(|bits| bits as i32).collect();
        assert!((-3..=4).all(|n| numbers.contains(&n)) && numbers.iter().all(|n| (-3..=4).contains(n)));
        assert_eq!(random, buffer("random:s32:500:7:-3..4"));
        assert_ne!(random, buffer("random:s32:500:8:-3..4"));
        assert!(buffer("random:f32:99:1").bits().all(|bits| (0.0..1.0).contains(&f32::from_bits(bits as u32))));
        assert_eq!(buffer("random:u8:8:1").csv().lines().count(), 8);
        assert_eq!(read("local:f64:12"), Ok(Argument::Local { bytes: 96 }));
    }

    #[test]
    fn files_are_read_and_checked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "1, 2\n-3\n").expect("written");
        let text = format!("csv:s16:{}", path.display());
        let Ok(Argument::Buffer(buffer)) = read(&text) else { panic!("{:?}", read(&text)) };
        assert_eq!((&buffer.bytes[..], buffer.csv().as_str()), (&[1, 0, 2, 0, 0xfd, 0xff][..], "1\n2\n-3\n"));
        let error = read(&format!("csv:u16:{}", path.display())).expect_err("negative");
        assert!(error.ends_with("a.csv: line 2: -3: must be a whole number from 0 to 65535"), "{error}");
        std::fs::write(&path, [0; 9]).expect("written");
        let error = read(&format!("raw:f64:{}", path.display())).expect_err("short");
        assert!(error.ends_with("9 bytes: must be a multiple of 8"), "{error}");
        assert!(read("raw:u8:/nowhere/at/all").is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("5", "must be TYPE:NUMBER"),
            ("f16:1", "must be TYPE:NUMBER"),
            ("u8:256", "must be a whole number from 0 to 255"),
            ("u8:--1", "must be a whole number from 0 to 255"),
            ("f32:x", "must be a number such as 1.5"),
            ("zero:f32:0", "must have from 1 to 268435456 elements"),
            ("zero:f32:99999999999999999999", "must be a whole number"),
            ("steps:s32:5", "needs its step"),
            ("steps:u8:257:1", "must not go beyond 255 in u8"),
            ("steps:s32:3:18446744073709551615", "must not go beyond 2147483647 in s32"),
            ("steps:f32:0:1", "must have from 1 to 268435456 elements"),
            ("random:f32:5", "needs its seed"),
            ("random:f32:5:1:3", "cannot parse float"),
            ("random:s32:5:1:4..3", "must be a range such as 0..99"),
            ("random:f32:5:1:1..1", "must be a range such as -1..1"),
            ("zero:b32:4", "b32: must be u8"),
            ("local:f32:0", "must have from 1 to 49152 elements"),
            ("local:f32:x", "must be a whole number"),
        ];
        for (text, rule) in cases {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(&format!("arg = {text}: ")) && error.contains(rule), "{error}");
        }
    }
}
