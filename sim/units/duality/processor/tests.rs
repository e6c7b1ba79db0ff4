//! Kernels, loads and failures of memory on a control block with its memory unit.

use super::*;
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
    assert!(taken.iter().all(|&cycles| cycles <= 360), "{taken:?}");
}

/// A line that cannot be fetched stops the program before the word, and what threads hold stays.
#[test]
fn duality_memory_that_fails_stops_the_program() {
    let params = DualityParams::preset("tiny").expect("it is there");
    let mut processor = Processor::native(&params, 2).expect("legal");
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
