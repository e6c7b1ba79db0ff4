//! Grey images in the portable graymap format (PGM, `P5` binary and `P2` text), 8 or 16 bits a pixel.

use std::path::Path;

use super::element::{ElementType, Number};
use super::{MAX_ELEMENTS, source};
use crate::error::{Error, Result};

/// Largest file: as text, a pixel takes up to five digits and what is between two.
const MAX_BYTES: u64 = 6 * MAX_ELEMENTS as u64 + 4096;

/// A grey image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a line.
    pub width: usize,
    /// Lines.
    pub height: usize,
    /// The value of white, 1 to 65535.
    pub white: u16,
    /// Line after line from the top.
    pub pixels: Vec<u16>,
}

/// Header fields out of the bytes of a file.
struct Header<'a> {
    rest: &'a [u8],
}

impl Header<'_> {
    /// The next number after white space and comments.
    fn number(&mut self) -> Option<usize> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            if self.rest.first() != Some(&b'#') {
                break;
            }
            let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
        }
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }
}

impl Image {
    /// Reads an image.
    ///
    /// # Errors
    /// [`Error::File`] when the file cannot be read, is not a PGM image, or ends early.
    pub fn read(path: &Path) -> Result<Image> {
        let content = source::bytes(path, MAX_BYTES)?;
        Image::decode(&content).map_err(|reason| Error::file(source::name(path), reason))
    }

    fn decode(content: &[u8]) -> std::result::Result<Image, String> {
        let binary = match content.get(..2) {
            Some(b"P5") => true,
            Some(b"P2") => false,
            _ => return Err("not a PGM image: must start with P5 or P2".into()),
        };
        let mut header = Header { rest: &content[2..] };
        let mut field = |name: &str, high: usize| {
            let value = header.number().ok_or(format!("{name}: not there; truncated?"))?;
            if (1..=high).contains(&value) { Ok(value) } else { Err(format!("{name} = {value}: must be 1 to {high}")) }
        };
        let width = field("width", MAX_ELEMENTS)?;
        let height = field("height", MAX_ELEMENTS / width)?;
        let white = field("maxval", 65535)?;
        let count = width * height;
        let pixels: Vec<u16> = if binary {
            let bytes = if white < 256 { 1 } else { 2 };
            let data = header.rest.get(1..).unwrap_or(&[]);
            if data.len() < count * bytes {
                let held = data.len() / bytes;
                return Err(format!("holds {held} of {width} × {height} pixels; truncated?"));
            }
            data[..count * bytes].chunks(bytes).map(|p| p.iter().fold(0, |v, &b| v << 8 | u16::from(b))).collect()
        } else {
            let pixel = |held| {
                let value = header.number().ok_or(format!("holds {held} of {width} × {height} pixels; truncated?"))?;
                Ok(u16::try_from(value).unwrap_or(u16::MAX))
            };
            (0..count).map(pixel).collect::<std::result::Result<_, String>>()?
        };
        if let Some(index) = pixels.iter().position(|&p| usize::from(p) > white) {
            return Err(format!("pixel {index} = {}: must be 0 to {white} (maxval)", pixels[index]));
        }
        Ok(Image { width, height, white: white as u16, pixels })
    }

    /// The bytes of the image as `P5`.
    pub fn encode(&self) -> Vec<u8> {
        let mut content = format!("P5\n{} {}\n{}\n", self.width, self.height, self.white).into_bytes();
        for pixel in &self.pixels {
            let [high, low] = pixel.to_be_bytes();
            if self.white > 255 {
                content.push(high);
            }
            content.push(low);
        }
        content
    }

    /// The pixels as elements.
    ///
    /// # Errors
    /// [`Error::File`] naming `path` when a pixel does not fit the type.
    pub fn elements(&self, path: &Path, kind: ElementType) -> Result<Vec<u128>> {
        let element = |(index, &pixel): (usize, &u16)| {
            let bits = kind.encode(Number::from(u128::from(pixel)));
            bits.ok_or_else(|| Error::file(path, format!("pixel {index} = {pixel}: must be {kind}")))
        };
        self.pixels.iter().enumerate().map(element).collect()
    }

    /// An image of elements, `width` pixels a line; white is the type's largest value.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the type is signed or above 16 bits, or the elements do not make whole lines.
    pub fn of(elements: &[u128], width: usize, kind: ElementType) -> Result<Image> {
        if kind.signed || kind.width > 16 {
            let rule = "an image needs unsigned elements of at most 16 bits";
            return Err(Error::parameter("element type", kind, rule));
        }
        if width == 0 || elements.is_empty() || !elements.len().is_multiple_of(width) {
            let rule = format!("must divide the number of pixels, {}", elements.len());
            return Err(Error::parameter("image width", width, rule));
        }
        let white = u16::MAX >> (16 - kind.width);
        let pixels = elements.iter().map(|&e| e as u16).collect();
        Ok(Image { width, height: elements.len() / width, white, pixels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: ElementType = ElementType { width: 8, signed: false, format: None };

    #[test]
    fn round_trip() {
        for width in [1, 4, 8, 9, 16] {
            let kind = ElementType { width, signed: false, format: None };
            let elements: Vec<u128> = (0..12).map(|i| (i * 0x1357) & ((1 << width) - 1)).collect();
            let image = Image::of(&elements, 4, kind).expect("whole lines");
            assert_eq!((image.width, image.height), (4, 3));
            let read = Image::decode(&image.encode()).expect("what was written");
            assert_eq!(read, image);
            assert_eq!(read.elements(Path::new("x"), kind).expect("pixels fit"), elements);
        }
    }

    #[test]
    fn text_and_comments() {
        let image = Image::decode(b"P2 # a comment\n# another\n3 2\n15\n0 1 2\n3 4 15\n").expect("an image");
        assert_eq!((image.width, image.height, image.white, &image.pixels[..]), (3, 2, 15, &[0, 1, 2, 3, 4, 15][..]));
    }

    #[test]
    fn broken_files() {
        let error = |content: &[u8]| Image::decode(content).expect_err("must be refused");
        assert_eq!(error(b"P6\n1 1\n255\n123"), "not a PGM image: must start with P5 or P2");
        assert_eq!(error(b""), "not a PGM image: must start with P5 or P2");
        assert_eq!(error(b"P5\n3"), "height: not there; truncated?");
        assert_eq!(error(b"P5\n3 0\n255\n"), "height = 0: must be 1 to 22369621");
        assert_eq!(error(b"P5\n3 2\n255\n12345"), "holds 5 of 3 × 2 pixels; truncated?");
        assert_eq!(error(b"P5\n3 2\n70000\n12345"), "maxval = 70000: must be 1 to 65535");
        assert_eq!(error(b"P2\n2 1\n7\n3 8"), "pixel 1 = 8: must be 0 to 7 (maxval)");
        assert_eq!(error(b"P2\n2 1\n7\n3"), "holds 1 of 2 × 1 pixels; truncated?");
        let image = Image { width: 1, height: 1, white: 999, pixels: vec![999] };
        let refused = image.elements(Path::new("p.pgm"), BYTE).map_err(|e| e.to_string());
        assert_eq!(refused, Err("p.pgm: pixel 0 = 999: must be 0 to 255 (8 bits, unsigned)".into()));
        assert!(Image::of(&[1, 2, 3], 2, BYTE).is_err());
        assert!(Image::of(&[1], 1, ElementType { width: 8, signed: true, format: None }).is_err());
    }
}
