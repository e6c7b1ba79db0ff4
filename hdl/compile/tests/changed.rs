//! Files with one change: every byte with a flipped bit, every line dropped. What comes of it is an error with a place,
//! or a module that says what the text says and runs to a result or an error; never a panic.

use crate::common;
use bitline_compile::error::Error;
use bitline_compile::launch::Plan;
use bitline_compile::ptx::ast::Module;
use bitline_compile::ptx::parse;
use bitline_compile::ptx::types::Type;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the bits that flip.
const SEED: u64 = 20;

/// What became of changed texts.
#[derive(Debug, Default)]
struct Count {
    refused: u32,
    same: u32,
    other: u32,
    /// One of how many that say something else is compiled.
    compiled_each: u32,
}

/// The kernels of the examples, and one with functions: the first of `called.ptx`. Each is a text of its own: every
/// change of a text is read with all of it, so that the time grows with its square.
fn texts() -> Vec<(String, String)> {
    const BEGIN: &str = "\t// .globl\t";
    let mut texts = Vec::new();
    for (name, text) in common::texts() {
        let mut parts = text.split(BEGIN);
        let head = parts.next().expect("split gives one part at least");
        texts.extend(parts.map(|kernel| (name.clone(), format!("{head}{BEGIN}{kernel}"))));
    }
    assert!(texts.len() > common::texts().len(), "some files have several kernels");
    let path = common::folder().join("../../hdl/compile/tests/calls/called.ptx");
    let text = std::fs::read_to_string(path).expect("the file is there");
    let first = text.split("// .globl\tpairs").next().expect("split gives one part at least");
    texts.push(("called.ptx".into(), first.into()));
    texts
}

/// Of so many changed texts that differ in meaning one is compiled with `BITLINE_DEEP=1`, else of twice as many.
fn compiled_each(each: u32) -> u32 {
    if std::env::var_os("BITLINE_DEEP").is_some() { each } else { 2 * each }
}

/// Reads a changed text.
fn judge(name: &str, text: &str, original: &Module, count: &mut Count) {
    match parse(name, text) {
        Err(Error::Source { place, reason, .. }) => {
            let lines = text.split('\n').count() as u32;
            assert!((1..=lines).contains(&place.line) && place.column > 0 && !reason.is_empty(), "{name} {place:?}");
            count.refused += 1;
        }
        Err(other) => panic!("{name}: {other}"),
        Ok(module) => {
            // What was understood, written out, is understood again as the same.
            let printed = module.to_string();
            let again = parse("printed", &printed).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            let module = module.without_places();
            assert_eq!(again.without_places(), module, "{name}");
            *(if module == *original { &mut count.same } else { &mut count.other }) += 1;
            run(&module, count.other % count.compiled_each == 1 && module != *original);
        }
    }
}

/// Runs each kernel for a while with arguments of the right types: what comes of it is a result or an error.
/// Compiled ones run on the control block's words, too.
fn run(module: &Module, compiled: bool) {
    for kernel in &module.kernels {
        let argument = |ty: Type| match ty.bits() {
            _ if ty.is_float() => "f32:1.5",
            bits if bits == module.address_size => "random:u32:64:1:0..64",
            _ => "u16:3",
        };
        let arguments = kernel.parameters.iter().map(|p| argument(p.ty).parse().expect("an argument")).collect();
        let plan = Plan { block: [4, 2, 1], arguments, limit: 3000, ..Plan::new(&kernel.name) };
        if let Err(error) = plan.interpret(module, &mut |_, _| ()) {
            assert!(!error.to_string().is_empty());
        }
        if compiled {
            let params = DualityParams::preset("small").expect("a preset");
            if let Err(error) = plan.words(module, &Words { arrays: Some(4), tries: 0, ..Words::new(&params) }) {
                assert!(
                    !error.to_string().is_empty() && !error.to_string().contains("the compiler is wrong"),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn every_byte_flipped() {
    println!("seed {SEED}");
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut count = Count { compiled_each: compiled_each(32), ..Count::default() };
    for (name, text) in texts() {
        let original = parse(&name, &text).unwrap_or_else(|error| panic!("{error}")).without_places();
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            // The top bit makes no text of what is ASCII: reading a file says so before the parser sees it.
            bytes[at] ^= 1 << random.random_range(0..7);
            judge(&name, std::str::from_utf8(&bytes).expect("ASCII"), &original, &mut count);
        }
    }
    println!("{count:?}");
    assert!(count.refused > 10_000 && count.same > 1000 && count.other > 1000, "{count:?}");
}

#[test]
fn every_line_dropped() {
    let mut count = Count { compiled_each: compiled_each(4), ..Count::default() };
    for (name, text) in texts() {
        let original = parse(&name, &text).unwrap_or_else(|error| panic!("{error}")).without_places();
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let left = [&lines[..at], &lines[at + 1..]].concat().join("\n");
            judge(&name, &left, &original, &mut count);
        }
    }
    println!("{count:?}");
    assert!(count.refused > 100 && count.same > 100 && count.other > 100, "{count:?}");
}
