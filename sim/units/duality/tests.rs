//! The judge on small programs whose results are plain to see, and everything that stops it.

use bitline_units::duality::isa::assemble::assemble;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::isa::disassemble::disassemble;
use bitline_units::duality::isa::{Program, Word, reference};
use bitline_units::duality::{DUALITY_PRESETS, DualityParams};

use crate::model::duality::memory::PAGE;
use crate::model::duality::{FlatMemory, Launch, Outcome, Stop, run};
use crate::units::duality::kernels::KERNELS;

const DATA: u32 = 4 * PAGE;
const READ_ONLY: u32 = 6 * PAGE;
const SHARED: u32 = 8 * PAGE;
const SPILL: u32 = 9 * PAGE;

fn params() -> DualityParams {
    DualityParams::preset("tiny").expect("it is there")
}

fn launch(threads: u32) -> Launch {
    Launch {
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        parameters: vec![DATA, 3, 0xffff_ff80],
        shared_bytes: 64,
        shared_base: SHARED,
        spill_base: SPILL,
        spill_rows: 64,
    }
}

fn memory() -> FlatMemory {
    let mut memory = FlatMemory::default();
    memory.place(DATA, &(0..64).map(|i| 0x8000_0000 | (0x101 * i)).collect::<Vec<u32>>());
    for (at, writable) in [(READ_ONLY, false), (SHARED, true), (SPILL, true)] {
        memory.map(at, PAGE, writable);
    }
    memory
}

const HEAD: &str = "\
.reg tid 0 8
.reg x 0 32
.reg y 0 32
.reg at 0 32
.reg p 0 1
.reg z 123 32
.mask m
.special tid.x tid
add at tid<<2 %0
";

fn program(text: &str) -> Program {
    assemble(&format!("{HEAD}{text}\nend 5"), "test.dcs", &params()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Runs a text on eight threads, each of which has stored what is in `x` at the end.
fn results(text: &str) -> Vec<u32> {
    let (program, mut memory) = (program(&format!("{text}\nst.global.32 [at + 128] x")), memory());
    let outcome = run(&params(), &program, &launch(8), &mut memory, 7, 10_000).expect("a legal launch");
    assert_eq!(outcome.unwrap_or_else(|stop| panic!("{stop}: {text}")).code, 5);
    memory.words(DATA + 128, 8)
}

fn stopped(text: &str, launch: &Launch) -> (Stop, FlatMemory) {
    let (program, mut memory) = (program(text), memory());
    let outcome = run(&params(), &program, launch, &mut memory, 7, 1000).expect("a legal launch");
    (outcome.expect_err("it stops"), memory)
}

#[test]
fn duality_operands_are_extended_shifted_and_common() {
    let each = |value: fn(u32) -> u32| (0..8).map(value).collect::<Vec<u32>>();
    assert_eq!(results("add x tid 5"), each(|t| t + 5));
    assert_eq!(results("add x tid -5"), each(|t| t.wrapping_sub(5)));
    assert_eq!(results("add x tid<<4 %1"), each(|t| 16 * t + 3));
    assert_eq!(results("copy y{0:8} tid\nadd y{0:8} y{0:8} 0xfc\nadd x y{0:8}.s 0"), each(|t| t.wrapping_sub(4)));
    assert_eq!(results("add x tid %2:8.s"), each(|t| t.wrapping_sub(128)), "the low eight bits of a scalar");
    assert_eq!(results("zero x\nmul x{0:16} tid tid"), each(|t| t * t));
    assert_eq!(results("zero x\ndivrem x{0:8} x{8:8} tid 3"), each(|t| (t / 3) | ((t % 3) << 8)));
    assert_eq!(results("zero x\nadd x x 1\nshl x x tid"), each(|t| 1 << t));
    assert_eq!(
        results("add y tid 0x3f800000\nfadd.f32 x y 1.0"),
        each(|t| (f32::from_bits(0x3f80_0000 + t) + 1.0).to_bits())
    );
    assert_eq!(results("add x tid 0\nmove z x\nadd z@2 z@2 9\nmove x z@2"), each(|t| t + 9));
}

#[test]
fn duality_predicates_keep_what_they_do_not_choose() {
    let each = |value: fn(u32) -> u32| (0..8).map(value).collect::<Vec<u32>>();
    let set = "lt p tid 3\nadd x tid 100\n";
    assert_eq!(results(&format!("{set}add x x 1 if=p")), each(|t| t + 100 + u32::from(t < 3)));
    assert_eq!(results(&format!("{set}add x x 1 unless=p")), each(|t| t + 100 + u32::from(t >= 3)));
    let masked = format!("{set}mask.clear m\nmask.open\nmask.other m p\nmask.enter m\nadd x x 1 if=active");
    assert_eq!(results(&masked), each(|t| t + 100 + u32::from(t >= 3)));
    // Every thread turns as often as its number says; the others wait.
    let turns = "zero x\nadd y tid 0\nmask.clear m\nmask.open\nne p y 0\nmask.taken m p\nloop out\n\
                 again: mask.enter m\nadd x x 2 if=active\nsub y y 1\nne p y 0\nmask.taken m p\njump.any m again\nout:";
    assert_eq!(results(turns), each(|t| 2 * t));
}

#[test]
fn duality_memory_takes_every_width() {
    let each = |value: fn(u32) -> u32| (0..8).map(value).collect::<Vec<u32>>();
    assert_eq!(results("ld.global.32 x [at]"), each(|t| 0x8000_0000 | (0x101 * t)));
    assert_eq!(
        results("add y tid %0\nld.global.8 x [y + 4]"),
        each(|t| [1, 1, 0, 0x80][t as usize % 4] * (1 + t / 4 * u32::from(t % 4 < 2)))
    );
    assert_eq!(results("ld.global.s16 x [at + 2]"), each(|_| 0xffff_8000));
    assert_eq!(results("ld.global.32 x [%0 + 4]"), each(|_| 0x8000_0101), "one address for all");
    assert_eq!(results("zero x\nld.global.32 x [at] if=launch"), each(|t| 0x8000_0000 | (0x101 * t)));
    let shared = "add y tid<<2 0\nadd x tid 40\nst.shared.32 [y] x\nxor y y 28\nld.shared.32 x [y]";
    assert_eq!(results(shared), each(|t| 47 - t), "from the thread at the other end");
    let generic = shared.replace("shared", "generic").replace("[y]", "[y - 0x1000000]");
    assert_eq!(results(&generic), each(|t| 47 - t), "windows are at the top of generic addresses");
    assert_eq!(results("add x tid 9\nst.spill [32] x\nzero x\nld.spill x [32]"), each(|t| t + 9));
}

#[test]
fn duality_atomics_follow_the_threads() {
    let each = |value: fn(u32) -> u32| (0..8).map(value).collect::<Vec<u32>>();
    let on = |op: &str| results(&format!("add x tid 1\natom.{op}.global.32 x [%0] x"));
    let start = 0x8000_0000u32;
    assert_eq!(on("add"), each(|t| 0x8000_0000 + t * (t + 1) / 2));
    assert_eq!(on("exch"), each(|t| if t == 0 { 0x8000_0000 } else { t }));
    assert_eq!(on("min"), each(|t| if t == 0 { 0x8000_0000 } else { 1 }));
    assert_eq!(on("max.s"), each(|t| if t == 0 { 0x8000_0000 } else { t }));
    assert_eq!(on("max"), vec![start; 8]);
    assert_eq!(on("min.s"), vec![start; 8]);
    assert_eq!(on("and"), each(|t| if t == 0 { 0x8000_0000 } else { 0 }));
    assert_eq!(on("or")[2], start | 3);
    assert_eq!(on("xor")[3], start);
    let swap = "add y tid 0\nadd x tid 1\nadd at at -4 if=p\nst.global.32 [%0] y\natom.cas.global.32 x [%0] y x";
    let swapped = results(&format!("lt p tid 0\n{swap}"));
    assert_eq!(swapped, vec![7, 7, 7, 7, 7, 7, 7, 7], "the last store is thread 7's, which alone finds its number");
    let sums = results("add x tid 0x3f800000\nzero y\nst.global.32 [%0] y\natom.fadd.global.32 x [%0] x");
    let mut sum = 0.0f32;
    for (t, found) in sums.into_iter().enumerate() {
        assert_eq!(found, sum.to_bits());
        sum += f32::from_bits(0x3f80_0000 + t as u32);
    }
}

#[test]
fn duality_traps_tell_word_thread_and_address_and_do_nothing() {
    let cases: &[(&str, Trap, usize, u32)] = &[
        ("sub at at 4 if=p\nst.global.32 [at - 32] x", Trap::Unmapped, 0, DATA - 32),
        ("add at at 1\nst.global.32 [at] x", Trap::Misaligned, 0, DATA + 1),
        ("ne p tid 3\nadd at at 2 unless=p\nst.global.32 [at] x", Trap::Misaligned, 3, DATA + 14),
        ("add y tid<<14 0x40000\nst.global.32 [y + 0x10000] x", Trap::Unmapped, 0, DATA + PAGE),
        ("add y tid<<14 0x40000\nst.global.32 [y + 0x4000] x", Trap::Unmapped, 3, DATA + PAGE),
        ("st.global.32 [at + 0x20000] x", Trap::ReadOnly, 0, READ_ONLY),
        ("atom.add.global.32 x [at + 0x20000] x", Trap::ReadOnly, 0, READ_ONLY),
        ("add y tid<<3 20\nst.shared.32 [y] x", Trap::Window, 6, 68),
        ("st.shared.32 [62] x", Trap::Misaligned, 0, 62),
    ];
    for (text, trap, thread, address) in cases {
        let (stop, after) = stopped(&format!("lt p tid 0\n{text}"), &launch(8));
        let found = (stop.trap, stop.thread, stop.address);
        assert_eq!(found, (Some(*trap), Some(*thread), Some(*address)), "{text}: {stop}");
        assert_eq!(stop.pc, 1 + text.lines().count(), "{text}");
        assert!(after == memory(), "{text}: something was written");
    }
    let (stop, _) = stopped("ld.spill x [33]", &launch(8));
    assert_eq!((stop.trap, stop.pc), (Some(Trap::Window), 1));
    let (stop, _) = stopped("loop out\nagain: jump again\nout:", &launch(8));
    assert_eq!((stop.trap, stop.pc), (None, 2), "a limit, and no trap");
    assert!(stop.to_string().contains("as many words as were allowed"), "{stop}");
}

/// Words before an illegal one complete, nothing of it happens.
#[test]
fn duality_an_illegal_word_stops_before_it() {
    let mut program = program("st.global.32 [%0] tid{0:8}\nst.global.32 [%0 + 4] tid{0:8}");
    program.words[2] = Word(program.words[2].0 | 7);
    let mut memory = memory();
    let outcome = run(&params(), &program, &launch(8), &mut memory, 1, 1000).expect("a legal launch");
    assert_eq!(outcome, Err(Stop { trap: Some(Trap::Kind), pc: 2, thread: None, address: None }));
    assert_eq!(memory.words(DATA, 2), [7, 0x8000_0101]);
}

#[test]
fn duality_threads_that_do_not_exist_touch_nothing() {
    let program = program("add x tid 200\nst.global.32 [at + 128] x\natom.add.global.32 x [%0] x");
    for threads in 1..=8 {
        let mut after = memory();
        let outcome = run(&params(), &program, &launch(threads), &mut after, 3, 1000).expect("a legal launch");
        let outcome: Outcome = outcome.expect("it ends");
        assert_eq!((outcome.threads, outcome.waves, outcome.accesses), (threads.into(), 1, 2 * u64::from(threads)));
        let before = memory().words(DATA + 128, 8);
        let found = after.words(DATA + 128, 8);
        for t in 0..8 {
            assert_eq!(found[t], if t < threads as usize { 200 + t as u32 } else { before[t] });
        }
    }
    // Three CTAs of three threads: two fit, and have windows of their own.
    let text = "add y tid 0\nadd y y<<2 0\nadd x tid 1\natom.add.shared.32 x [0] x\nst.global.32 [at + 128] x";
    let program = assemble(&format!("{HEAD}{text}\nend"), "test.dcs", &params()).expect("it is legal");
    let mut after = memory();
    let launch = Launch { grid: [3, 1, 1], ..launch(3) };
    let outcome = run(&params(), &program, &launch, &mut after, 3, 1000).expect("legal").expect("it ends");
    assert_eq!((outcome.waves, outcome.threads), (2, 9));
    assert_eq!(after.words(SHARED, 1), [12], "two CTAs of three used the first window");
    assert_eq!(after.words(SHARED + 64, 1), [6]);
}

#[test]
fn duality_launches_that_cannot_be_are_refused() {
    let program = program("");
    for (launch, wanted) in [
        (Launch { block: [9, 1, 1], ..launch(1) }, "block = [9, 1, 1]: must be 1 to 8 threads"),
        (Launch { block: [0, 1, 1], ..launch(1) }, "block = [0, 1, 1]: must be 1 to 8 threads"),
        (Launch { grid: [0, 1, 1], ..launch(1) }, "grid = [0, 1, 1]: must be 1 to 2^32"),
        (Launch { parameters: vec![0; 33], ..launch(1) }, "parameters = 33: must be 0 to 32"),
        (Launch { shared_base: 4, ..launch(1) }, "shared_base = 4: windows begin at multiples of 64"),
        (Launch { shared_base: u32::MAX - 63, shared_bytes: 64, ..launch(4) }, "end below 2^32"),
    ] {
        let error = run(&params(), &program, &launch, &mut memory(), 1, 100).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

/// Kernels assemble for every design, and survive their way through files and texts.
#[test]
fn duality_examples_go_through_files() {
    for (name, _, _) in DUALITY_PRESETS {
        let params = DualityParams::preset(name).expect("it is there");
        for kernel in KERNELS {
            let program = assemble(kernel.text, kernel.name, &params).unwrap_or_else(|error| panic!("{error}"));
            let bytes = program.to_bytes(&params);
            let again = Program::from_bytes(&bytes, kernel.name, &params).expect("its own file");
            assert_eq!(again, program, "{}", kernel.name);
            let text = disassemble(&again, &params).expect("it is legal");
            let once_more = assemble(&text, kernel.name, &params).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!((once_more.words, once_more.specials), (program.words, program.specials), "{}", kernel.name);
        }
    }
}

#[test]
fn duality_the_manual_has_the_tables_of_words() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/duality.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let tables = page.split("<!-- words -->\n").nth(1).and_then(|rest| rest.split("<!-- end -->").next());
    assert!(tables == Some(reference::markdown().as_str()), "docs/duality.md: `sim help-duality` prints other tables");
}
