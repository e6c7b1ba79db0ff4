//! What the documents of a design must say, since users had to find it out by trying; and what its drawings must be.

use std::fs;

use bitline::emit::unit::UNITS;
use roxmltree::{Document, Node};

use super::{good, scratch};

/// A unit, its configuration, one of its documents, and sentences that stand there.
type Promise = (&'static str, &'static str, &'static str, &'static [&'static str]);

const PROMISES: [Promise; 6] = [
    (
        "compute-unit",
        "base = \"tiny\"\n",
        "doc/registers.md",
        &[
            "Of an operation the first rule that it breaks is told: width 0 or above 64 (`width`), opcode and set \
             (`opcode`), `latch`, the operation's own widths (`width`), `second_width`, `rows`, then `overlap`; last, \
             that a width must be a power of two (`width`). Of a transfer: `width`, `count`, `rows`, `address`.",
            "A command pushed into a full queue is not looked at: `overflow`.",
            "Offsets without a register read 0 and take no write. Every answer is OKAY.",
            "`load` and `store` are the same in every set, and refused with `opcode` in a set that the design lacks.",
        ],
    ),
    (
        "compute-unit",
        "base = \"tiny\"\nmemory_port = \"axi64\"\n",
        "doc/registers.md",
        &[
            "in this design they are refused in every set, since rows come and go by `load_memory` and `store_memory`",
            "**Widths** are 1 to 8: an element may have as many bits as there are columns, and 64 at most.",
            "Others are refused with `width`, more elements than columns with `count`.",
            "Transfers keep their order among themselves. An operation waits for a transfer before it only if they \
             share rows",
            "**A load after a store** that may write in its range is asked for when the store's answers are in.",
            "**Outstanding**: reads of up to two transfers, as many bursts as they have; one transfer's writes, up to \
             16 bursts.",
            "A load that meets one changes no row, whatever else of it has come. A store that meets one has written \
             what other bursts have carried.",
        ],
    ),
    (
        "compute-unit",
        "base = \"tiny\"\nmemory_port = \"stream\"\n",
        "doc/registers.md",
        &["**Streams** have no addresses: `key`, `e` and `s` are ignored."],
    ),
    (
        "compute-unit",
        "base = \"tiny\"\n",
        "doc/operations.md",
        &[
            "*Rows* are issued one a cycle (`formula_cycles` in `manifest.json`; the most where they depend on the \
             data).",
            "*Waits* are cycles between the first and the last of them in which none is issued",
            "*Busy* is what the command adds to `cycles_low` if it runs alone",
            "The last column says what T holds afterwards: *kept*",
        ],
    ),
    (
        "ccs",
        "base = \"tiny\"\n",
        "doc/guide.md",
        &[
            "Amounts of shifts and rotations count modulo 32",
            "`SAD` adds the absolute values of exact differences of elements, signed or not as the command is",
            "Where a result overlaps an operand, the command computes as if element by element, in order.",
            "Registers of operands that a command does not have, and the constant where there is none, may hold \
             anything.",
            "**The processor meanwhile.** It may read and write other memory. Its words wait for a cycle between two \
             lines of the command",
            "if memory says nothing for 1024 cycles it waits no longer",
            "for d up to 10, d lines take at least 11 cycles, or 9 with one read port and lines in the cache",
        ],
    ),
    (
        "ccs",
        "base = \"tiny\"\n",
        "doc/registers.md",
        &[
            "A write takes all four bytes: one without all strobes changes nothing.",
            "Reserved bits read 0 and take no write, and so do offsets without a register.",
            "A read of `wait` is answered when the command has ended. A command that is refused changes no memory.",
        ],
    ),
];

#[test]
fn documents_answer_what_users_had_to_try() {
    let folder = scratch();
    for (i, (unit, config, document, sentences)) in PROMISES.into_iter().enumerate() {
        fs::write(folder.path().join("c.toml"), config).unwrap();
        let out = format!("out{i}");
        good(folder.path(), &["--target", "generic", "--unit", unit, "--config", "c.toml", "--out", &out]);
        let text = fs::read_to_string(folder.path().join(out).join(document)).unwrap();
        // Where lines end does not matter.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in sentences {
            assert!(text.contains(sentence), "{unit}, {config:?}, {document} lacks: {sentence}\n{text}");
        }
    }
}

/// A rectangle: left, top, right, bottom.
fn area(node: Node<'_, '_>) -> [i64; 4] {
    let number = |name: &str| node.attribute(name).and_then(|text| text.parse::<i64>().ok()).expect("a number");
    let (x, y) = (number("x"), number("y"));
    [x, y, x + number("width"), y + number("height")]
}

/// Nothing in the block diagram of a unit lies on anything else, and a legend says what is what.
#[test]
fn diagrams_have_a_legend_and_labels_that_do_not_overlap() {
    let folder = scratch();
    for unit in UNITS {
        good(folder.path(), &["--target", "generic", "--unit", unit.name, "--out", unit.name]);
        let text = fs::read_to_string(folder.path().join(unit.name).join("doc/block_diagram.svg")).unwrap();
        assert!(text.contains(">ports of the top<") && text.contains(">block: instance, module"), "{}", unit.name);
        assert!(text.contains("bits from left to right"), "{}: what numbers mean", unit.name);
        let document = Document::parse(&text).unwrap();
        // The first rectangle is the paper.
        let rectangles: Vec<Node<'_, '_>> =
            document.descendants().filter(|node| node.has_tag_name("rect")).skip(1).collect();
        let labels = rectangles.iter().filter(|node| node.has_attribute("fill-opacity")).count();
        assert!(labels > 2 && rectangles.len() > labels + 2, "{}: {labels} of {}", unit.name, rectangles.len());
        let areas: Vec<[i64; 4]> = rectangles.into_iter().map(area).collect();
        for (i, a) in areas.iter().enumerate() {
            for b in &areas[..i] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{}: {a:?} lies on {b:?}", unit.name);
            }
        }
    }
}

/// Reset values of registers and of their fields are hexadecimal everywhere: a decimal 10 beside 0x10 misleads.
#[test]
fn reset_values_have_one_base() {
    let folder = scratch();
    for unit in UNITS {
        good(folder.path(), &["--target", "generic", "--unit", unit.name, "--out", unit.name]);
        let text = fs::read_to_string(folder.path().join(unit.name).join("doc/registers.md")).unwrap();
        let (mut column, mut seen) = (None, 0);
        for line in text.lines() {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            if !line.starts_with('|') {
                column = None;
            } else if let Some(at) = cells.iter().position(|cell| *cell == "after reset") {
                column = Some(at);
            } else if let Some(value) = column.map(|at| cells[at]).filter(|value| !value.starts_with('-')) {
                assert!(value.starts_with("0x"), "{}: {line}", unit.name);
                seen += 1;
            }
        }
        assert!(seen > 20, "{}: {seen} values", unit.name);
    }
}
