//! Kernels, loads and failures of memory on a control block with its memory unit.

use super::*;
use crate::model::duality::system::{Memory, System};
use crate::units::duality::kernels::KERNELS;
use bitline_units::duality::isa::assemble::assemble;

/// Every kernel on the smallest hardware with its memory unit, in both modes: memory is what plain Rust says.
#[test]
fn duality_kernels_run_with_the_memory_unit() {
    let params = DualityParams::preset("tiny").expect("it is there");
    let mut processor = Processor::native(&params, 1).expect("legal");
    for (at, kernel) in KERNELS.iter().enumerate() {
        let task = kernel.task(&params, 1);
        let program = assemble(kernel.text, kernel.name, &params).expect("a program");
        for mode in [Mode::Lockstep, Mode::Decoupled] {
            let behaviour = Behaviour { latency: 1 + at as u64, stalls: at % 2 == 1, broken: None };
            let mut memory = task.memory.clone();
            let mut all = Cycles::default();
            for launch in &task.launches {
                let (ended, cycles) = processor
                    .run(&program, launch, &mut memory, mode, behaviour)
                    .unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
                assert_eq!(ended, Ended::Code(0), "{} {mode:?}", kernel.name);
                all.all += cycles.all;
                all.memory += cycles.memory;
                all.waves += cycles.waves;
            }
            println!("{} {mode:?}: {all:?}, requests {:?}", kernel.name, processor.requests);
            for (address, words) in &task.expected {
                assert_eq!(&memory.words(*address, words.len()), words, "{} {mode:?}", kernel.name);
            }
        }
    }
}

/// What a load of 256 threads takes beside memory: all of one word, of consecutive words, of a line each.
#[test]
fn duality_a_load_of_256_threads() {
    let small = DualityParams::preset("small").expect("it is there");
    let params = DualityParams { columns: 256, banks: 1, ..small };
    let mut processor = Processor::native(&params, 1).expect("legal");
    let mut taken = vec![];
    // A line is asked for once; 256 words are stored two by two.
    for (shift, lines) in [("0", 1), ("2", 16), ("6", 256)] {
        let load = "    ld.global.32 x [a]\n";
        let text = |loads: &str| {
            let address = if shift == "0" { "    mul a t 0\n".into() } else { format!("    add a t<<{shift} 0\n") };
            format!(
                ".name load\n.reg t 0 12\n.reg a 0 32\n.reg x 0 32\n.special thread t\n{address}    add a a %0\n\
                 {loads}    add a t<<2 %1\n    st.global.32 [a] x\n    end\n"
            )
        };
        let (mut cycles, mut requests) = ([0, 0], [0, 0]);
        for (at, loads) in [load.to_string(), load.repeat(2)].iter().enumerate() {
            let program = assemble(&text(loads), "load", &params).expect("a program");
            let mut memory = FlatMemory::default();
            memory.place(0x1_0000, &(0..4096).collect::<Vec<u32>>());
            memory.map(0x2_0000, 1024, true);
            let parameters = vec![0x1_0000, 0x2_0000];
            let launch = Launch { grid: [1, 1, 1], block: [256, 1, 1], parameters, ..Launch::default() };
            let behaviour = Behaviour { latency: 2, stalls: false, broken: None };
            let before = processor.requests[0];
            let (ended, found) =
                processor.run(&program, &launch, &mut memory, Mode::Decoupled, behaviour).expect("it ends");
            assert_eq!(ended, Ended::Code(0));
            requests[at] = processor.requests[0] - before;
            let step = (1u32 << shift.parse::<u32>().expect("a number")) >> 2;
            let expected = (0..256u32).map(|thread| thread * step);
            assert_eq!(memory.words(0x2_0000, 256), expected.collect::<Vec<u32>>(), "shift {shift}");
            cycles[at] = found.all;
        }
        assert_eq!(requests, [lines + 128, 2 * lines + 128], "shift {shift}");
        taken.push(cycles[1] - cycles[0]);
    }
    println!(
        "| cycles of a load of 256 threads | of one word | of consecutive words | of a line each |\n|---|--:|--:|--:|"
    );
    println!("| lines being there | {} | {} | {} |", taken[0], taken[1], taken[2]);
    assert!(taken.iter().all(|&cycles| cycles <= 330), "{taken:?}");
}

/// What words of the crossbar take for 256 threads, beside the same through the shared window, and what the model of
/// the system says.
#[test]
fn duality_words_of_the_crossbar_for_256_threads() {
    let small = DualityParams::preset("small").expect("it is there");
    let words = [
        ("32 bits of the thread behind", "shuffle x [t{0:8} + 1] x"),
        ("32 bits of one thread", "shuffle x [7] x"),
        ("32 bits, within 32 threads, some of them", "shuffle x [t{0:5} + 4] x segment=32 if=p"),
        ("sum of 32 bits", "reduce.add x x"),
        ("smallest of 32 bits", "reduce.min.s x x segment=32"),
        ("or of 1 bit", "reduce.or p p"),
        ("32 bits through the shared window", "st.shared.32 [a] x\n    ld.shared.32 x [b]"),
    ];
    let mut table = vec![vec![]; words.len()];
    for crossbar in [256, 32, 8, 1] {
        let params = DualityParams { columns: 256, banks: 1, crossbar, ..small.clone() };
        let mut processor = Processor::native(&params, 1).expect("legal");
        let system = System {
            params: &params,
            blocks: 1,
            slices: 1,
            serving: 1..3,
            memory: Memory { latency: 2, bytes: 8.0 },
            lockstep: false,
            compute_alone: false,
        };
        for ((what, word), row) in words.iter().zip(&mut table) {
            let registers = ".reg t 0 12\n.reg a 0 32\n.reg b 0 32\n.reg x 0 32\n.reg p 0 1\n.special thread t";
            let prepared = "add a t<<2 0\n    xor b a 4\n    lt p a %0";
            let cycles = [1, 2].map(|times| {
                let asked = format!("    {word}\n").repeat(times);
                let text = format!(".name words\n{registers}\n    {prepared}\n{asked}    end\n");
                let program = assemble(&text, "words", &params).unwrap_or_else(|e| panic!("{e}"));
                let mut memory = FlatMemory::default();
                memory.map(0x1_0000, 1024, true);
                let launch = Launch {
                    grid: [1, 1, 1],
                    block: [256, 1, 1],
                    parameters: vec![300],
                    shared_bytes: 1024,
                    shared_base: 0x1_0000,
                    ..Launch::default()
                };
                let behaviour = Behaviour { latency: 2, stalls: false, broken: None };
                let (ended, found) = processor
                    .run(&program, &launch, &mut memory.clone(), Mode::Decoupled, behaviour)
                    .unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(ended, Ended::Code(0));
                let taken = system.run(&program, &launch, &mut memory, 1, 100).expect("a launch").expect("it ends");
                [found.all, taken.cycles]
            });
            let [hardware, model] = [0, 1].map(|at| cycles[1][at] - cycles[0][at]);
            println!("{crossbar} at a time: {what}: {hardware} cycles, the model says {model}");
            let apart = model as f64 / hardware as f64 - 1.0;
            assert!(apart.abs() < 0.05, "{what}: {hardware}, the model says {model}");
            row.push(hardware);
        }
    }
    println!("| cycles of 256 threads | 256 at a time | 32 | 8 | 1 |\n|---|--:|--:|--:|--:|");
    for ((what, _), row) in words.iter().zip(&table) {
        println!("| {what} | {} |", row.iter().map(u64::to_string).collect::<Vec<_>>().join(" | "));
    }
    // Without turns a word takes the rows that go to and fro, and no more than a few cycles for each step.
    assert!(table[0][0] < 8 + 2 * 32 + 40 && table[3][0] < 2 * 32 + 30, "{table:?}");
    let [window, shuffle] = [table[6][0], table[0][0]];
    assert!(4 * shuffle < window, "{shuffle} cycles by the crossbar, {window} through the shared window");
}

/// A sum of products by the crossbar, beside one through the shared window in which half of the threads that have added
/// add again: both are what plain Rust says.
#[test]
fn duality_sums_of_products_by_the_crossbar() {
    let small = DualityParams::preset("small").expect("it is there");
    let text = include_str!("../../../../examples/duality/dot.dcs");
    let halves = [128, 64, 32, 16, 8, 4, 2, 1].map(|threads| {
        let other = format!("[at + {}]", 4 * threads);
        format!("lt half tid {threads}\n ld.shared.32 q {other} if=half\n add p p q\n st.shared.32 [at] p if=half\n")
    });
    let window = format!("add at tid<<2 0\n st.shared.32 [at] p\n {}", halves.concat());
    let registers = ".reg q 0 32\n.reg at 0 10\n.reg half 0 1\n.special tid.x tid";
    let shared = text.replace("reduce.add p p", &window).replace(".special tid.x tid", registers);
    let mut cycles = vec![];
    for (crossbar, text) in [(256, text), (8, text), (0, &shared)] {
        let params = DualityParams { columns: 256, banks: 1, crossbar, ..small.clone() };
        let mut processor = Processor::native(&params, 1).expect("legal");
        let program = assemble(text, "dot", &params).unwrap_or_else(|e| panic!("{e}"));
        let [x, y]: [Vec<u32>; 2] = [40_503, 30_011].map(|step| (1..=512).map(|k| k * step % 0xffff).collect());
        let mut memory = FlatMemory::default();
        memory.place(0x1_0000, &x);
        memory.place(0x2_0000, &y);
        memory.map(0x3_0000, 8, true);
        memory.map(0x4_0000, 1024, true);
        let launch = Launch {
            grid: [2, 1, 1],
            block: [256, 1, 1],
            parameters: vec![0x1_0000, 0x2_0000, 0x3_0000],
            shared_bytes: 1024,
            shared_base: 0x4_0000,
            ..Launch::default()
        };
        let behaviour = Behaviour { latency: 2, stalls: false, broken: None };
        let (ended, found) =
            processor.run(&program, &launch, &mut memory, Mode::Decoupled, behaviour).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(ended, Ended::Code(0));
        let products = x.iter().zip(&y).map(|(x, y)| x.wrapping_mul(*y)).collect::<Vec<u32>>();
        let sums: Vec<u32> = products.chunks(256).map(|all| all.iter().fold(0, |sum, p| p.wrapping_add(sum))).collect();
        assert_eq!(memory.words(0x3_0000, 2), sums, "{crossbar} threads at a time");
        println!("| {crossbar} | {} |", found.all / 2);
        cycles.push(found.all);
    }
    assert!(cycles[0] == cycles[1] && 3 * cycles[0] < cycles[2], "{cycles:?}");
}

/// A line that cannot be fetched stops the program before the word, and what threads hold stays.
#[test]
fn duality_memory_that_fails_stops_the_program() {
    let params = DualityParams::preset("tiny").expect("it is there");
    let mut processor = Processor::native(&params, 2).expect("legal");
    processor.compare_memory_unit(2);
    let (good, bad) = (0x1_0000, 0x5_0000);
    for (word, writes) in [
        ("ld.global.32 x [a + 0x40000]", false),
        ("st.global.32 [a + 0x40000] x", true),
        ("atom.add.global.32 x [a + 0x40000] x", true),
        ("atom.cas.global.32 x [a + 0x40000] x a", false),
    ] {
        // The value of x is in memory before and behind the word, which comes third.
        let text = format!(
            ".name fails\n.reg t 0 12\n.reg a 0 32\n.reg x 0 32\n.special thread t\n    add a t<<2 %0\n    \
             ld.global.32 x [a]\n    {word}\n    st.global.32 [a + 64] x\n    end\n"
        );
        let program = assemble(&text, "fails", &params).expect("a program");
        let launch = Launch { grid: [1, 1, 1], block: [8, 1, 1], parameters: vec![good], ..Launch::default() };
        for stalls in [false, true] {
            let mut memory = FlatMemory::default();
            memory.place(good, &[10, 11, 12, 13, 14, 15, 16, 17]);
            memory.place(bad, &[3; 64]);
            let before = memory.clone();
            let behaviour = Behaviour { latency: 4, stalls, broken: Some(bad >> 16) };
            let (ended, _) =
                processor.run(&program, &launch, &mut memory, Mode::Decoupled, behaviour).expect("it ends");
            let stop = Stop { trap: Some(Trap::Bus), pc: 2, thread: None, address: None };
            assert_eq!(ended, Ended::Stopped(stop), "{word}");
            assert_eq!(memory, before, "{word}: nothing is written");
            let behaviour = Behaviour { broken: None, ..behaviour };
            let (ended, _) =
                processor.run(&program, &launch, &mut memory, Mode::Decoupled, behaviour).expect("it ends");
            assert_eq!(ended, Ended::Code(0), "{word}");
            assert_eq!(memory.words(bad, 64) != before.words(bad, 64), writes, "{word}");
        }
    }
}

/// A program may be told to stop in any cycle: a word of memory that has begun ends first, and the next program runs.
#[test]
fn duality_a_program_stops_in_any_cycle() {
    let params = DualityParams::preset("tiny").expect("it is there");
    let mut processor = Processor::native(&params, 3).expect("legal");
    processor.compare_memory_unit(3);
    let text = ".name stops\n.reg t 0 12\n.reg a 0 32\n.reg x 0 32\n.special thread t\n    add a t<<2 %0\n    \
                ld.global.32 x [a]\n    atom.add.global.32 x [a + 64] x\n    st.global.32 [a + 128] x\n    end\n";
    let program = assemble(text, "stops", &params).expect("a program");
    let launch = Launch { grid: [1, 1, 1], block: [8, 1, 1], parameters: vec![0x1_0000], ..Launch::default() };
    let memory = || {
        let mut memory = FlatMemory::default();
        memory.place(0x1_0000, &(10..58).collect::<Vec<u32>>());
        memory
    };
    let behaviour = Behaviour { latency: 3, stalls: false, broken: None };
    let mut run = |stop_from| {
        processor.stop_from = stop_from;
        let mut memory = memory();
        let ran = processor.run(&program, &launch, &mut memory, Mode::Decoupled, behaviour);
        let (ended, cycles) = ran.unwrap_or_else(|error| panic!("told to stop from {stop_from:?} on: {error}"));
        (ended, memory, cycles.all)
    };
    let (_, whole, all) = run(None);
    let mut stopped = std::collections::BTreeMap::new();
    for from in 0..all {
        let (ended, after, _) = run(Some(from));
        let Ended::Stopped(Stop { trap: Some(Trap::Aborted), pc, .. }) = ended else {
            assert!(ended == Ended::Code(0) && from + 3 > all, "{from} of {all}: {ended:?}");
            continue;
        };
        // A word of memory is done as a whole, behind those before it, or it has not begun.
        let places = [(2, 0x1_0040), (3, 0x1_0080)];
        let done = places.map(|(_, at)| after.words(at, 8) == whole.words(at, 8));
        for ((word, at), done) in places.into_iter().zip(done) {
            assert!(done || after.words(at, 8) == memory().words(at, 8), "{from}: half of word {word} is done");
            assert!(!done || pc > word, "{from}: stopped before word {pc}, and word {word} is done");
        }
        assert!(done[0] || !done[1], "{from}: words of memory keep their order");
        *stopped.entry(done).or_insert(0) += 1;
        assert_eq!(run(None), (Ended::Code(0), whole.clone(), all), "behind a stop from {from} on");
    }
    assert_eq!(stopped.len(), 3, "{stopped:?}");
}
