//! Data files of any contents: what is read fits its type, what is written is read back.

use bitline::sim::data::csv::{self, Column, CsvOptions};
use bitline::sim::data::pgm::Image;
use bitline::sim::data::{ElementType, raw};
use proptest::prelude::*;

use super::{Effort, edited, edits, hold, is_told};

const CSV: &str = "a,b,\"c d\"\n1,2,3\n-4,0x10,\"6\"\n7,8.25,9\n0b11,1e2,1_2\n";
const PGM: &str = "P2\n# a comment\n4 2\n255\n0 1 2 3\n253 254 255 7\n";

fn kind() -> impl Strategy<Value = ElementType> {
    (1u32..=128, any::<bool>()).prop_map(|(width, signed)| ElementType { width, signed, format: None })
}

/// Every element is a bit pattern of the type.
fn fits(elements: &[u128], kind: ElementType) -> bool {
    elements.iter().all(|&bits| kind.encode(kind.decode(bits)) == Some(bits))
}

#[test]
fn files_of_any_contents() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data");
    let column = prop_oneof![
        (0usize..5).prop_map(Column::Index),
        prop::sample::select(vec!["a", "b", "c d", "e"]).prop_map(|name| Column::Name(name.into()))
    ];
    let options = (column, 0usize..3, prop_oneof![Just(None), Just(Some(10.0)), any::<f64>().prop_map(Some)]);
    let bytes = prop::collection::vec(any::<u8>(), 0..64);
    let strategy = (0..4usize, edits(4), bytes, kind(), options, 0usize..10);
    let read = std::cell::RefCell::new([0; 3]);
    hold(Effort { cases: 20_000 }, &strategy, |(form, edits, bytes, kind, (column, skip, scale), size)| {
        let content = match form {
            0 => edited(CSV, &edits).into_bytes(),
            1 => edited(PGM, &edits).into_bytes(),
            2 => [b"P5 3 2 255\n", &bytes[..]].concat(),
            _ => bytes,
        };
        std::fs::write(&path, content).expect("the folder can be written");
        let elements = match form {
            0 => csv::read(&path, &CsvOptions { column, skip, separator: b',', scale }, kind),
            1 | 2 => Image::read(&path).and_then(|image| image.elements(&path, kind)),
            _ => raw::read(&path, size, kind),
        };
        match elements {
            Ok(elements) => {
                read.borrow_mut()[form.min(2)] += 1;
                prop_assert!(fits(&elements, kind), "{elements:?} {kind:?}");
            }
            Err(error) => is_told(&error.to_string(), "")?,
        }
        Ok(())
    });
    let read = read.into_inner();
    assert!(read.iter().all(|&count| count > 20), "CSV, PGM, raw that could be read: {read:?}");
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data");
    let strategy = (kind(), prop::collection::vec(any::<u128>(), 1..20), 0..3usize);
    hold(Effort { cases: 10_000 }, &strategy, |(kind, bits, form)| {
        let elements: Vec<u128> = bits.iter().map(|bits| bits & (u128::MAX >> (128 - kind.width))).collect();
        let numbers: Vec<String> = elements.iter().map(|&bits| kind.show(bits)).collect();
        let named = CsvOptions { column: Column::Name("x".into()), ..CsvOptions::default() };
        let read = match (form, raw::size_for(kind)) {
            (0, Some(size)) => {
                std::fs::write(&path, raw::write(&elements, size, kind).expect("it fits")).expect("there is room");
                raw::read(&path, size, kind)
            }
            (1, _) if kind.width <= 16 && !kind.signed => {
                let image = Image::of(&elements, elements.len(), kind).expect("it fits");
                std::fs::write(&path, image.encode()).expect("there is room");
                Image::read(&path).and_then(|image| image.elements(&path, kind))
            }
            _ => {
                std::fs::write(&path, csv::write(&[("x".into(), numbers)])).expect("there is room");
                csv::read(&path, &named, kind)
            }
        };
        prop_assert_eq!(read.expect("we wrote it"), elements);
        Ok(())
    });
}
