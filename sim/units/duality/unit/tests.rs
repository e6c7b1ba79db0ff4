//! Kernels and what goes wrong, on the whole unit.

use super::*;
use crate::external::tool::deep;
use crate::model::duality::Stop;
use crate::model::duality::system::{Memory, System};
use crate::units::duality::kernels::KERNELS;
use bitline_units::duality::isa::assemble::assemble;
use bitline_units::duality::isa::codes::Trap;

fn unit(preset: &str) -> (DualityParams, UnitMachine<Native>) {
    let params = DualityParams::preset(preset).expect("it is there");
    let machine = UnitMachine::native(&params, 1).expect("legal");
    (params, machine)
}

/// Every kernel on the smallest unit, and on two control blocks: memory is what plain Rust says, whether words come
/// from memory or from the host. The model of the system takes as long, within a twentieth, where its memory does.
#[test]
fn duality_kernels_run_on_the_unit() {
    let [one, two] = ["tiny", "pair"].map(kernels);
    println!("cycles of one over two control blocks: {:.3}", one as f64 / two as f64);
    assert!(two < one, "{one} cycles on one, {two} on two control blocks");
}

fn kernels(preset: &str) -> u64 {
    let (params, mut machine) = unit(preset);
    let mut all = 0;
    for (at, kernel) in KERNELS.iter().enumerate() {
        let task = kernel.task(&params, 1);
        let program = assemble(kernel.text, kernel.name, &params).expect("a program");
        let mode = if at % 3 == 0 { Mode::Lockstep } else { Mode::Decoupled };
        let how = How { mode, host_fed: at == 0, latency: 5 + at as u64, stalls: at % 2 == 1 };
        let mut memory = task.memory.clone();
        let (mut waves, mut written_back) = (0, 0);
        let behind = Memory { latency: how.latency, bytes: 8.0 };
        let system = System {
            params: &params,
            blocks: params.blocks,
            slices: 1,
            serving: params.blocks..params.cache_ways,
            memory: behind,
            lockstep: mode == Mode::Lockstep,
            compute_alone: false,
        };
        let mut judged = task.memory.clone();
        let mut cycles = [0; 2];
        for launch in &task.launches {
            let taken = system.run(&program, launch, &mut judged, 1, MOST_CYCLES).expect("a launch").expect("it ends");
            let (ended, counts) =
                machine.run(&program, launch, &mut memory, how).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
            assert_eq!(ended, Ended::Code(0), "{} {how:?}", kernel.name);
            assert!(counts.memory < counts.cycles, "{counts:?}");
            waves += counts.waves;
            all += counts.cycles;
            cycles = [cycles[0] + counts.cycles, cycles[1] + taken.cycles];
            written_back += counts.written_back;
            println!("{} {how:?}: {counts:?}", kernel.name);
        }
        assert!(waves >= task.launches.len() as u64 && written_back > 0);
        for (address, words) in &task.expected {
            assert_eq!(&memory.words(*address, words.len()), words, "{preset}: {} {how:?}", kernel.name);
        }
        let apart = cycles[1] as f64 / cycles[0] as f64 - 1.0;
        println!("{}: the model of the system is off by {apart:+.4}", kernel.name);
        assert!(how.stalls || how.host_fed || apart.abs() < 0.05, "{preset}: {} {how:?}: {cycles:?}", kernel.name);
    }
    all
}

/// Words of the crossbar on two control blocks behind their registers: memory is what the judge says, and the model of
/// the system takes as long, within a twentieth.
#[test]
fn duality_words_of_the_crossbar_run_on_the_unit() {
    let pair = DualityParams::preset("pair").expect("it is there");
    let text = ".name exchange\n.reg cta 0 8\n.reg tid 0 6\n.reg i 0 32\n.reg x 0 32\n.reg y 0 32\n\
                .special ctaid.x cta\n.special tid.x tid\nadd i cta<<6 tid\nadd i i<<2 0\nld.global.32 x [i + %0]\n\
                shuffle y [tid{0:4} + 1] x segment=16\nreduce.add x x\nreduce.max.s y y segment=8\nadd x x y\n\
                st.global.32 [i + %1] x\nend\n";
    for crossbar in [64, 4] {
        let params = DualityParams { columns: 64, banks: 2, crossbar, ..pair.clone() };
        let mut machine = UnitMachine::native(&params, 1).expect("legal");
        let program = assemble(text, "exchange", &params).unwrap_or_else(|e| panic!("{e}"));
        let mut memory = FlatMemory::default();
        memory.place(0x1_0000, &(1..=320u32).map(|k| k.wrapping_mul(0x9e37_79b9)).collect::<Vec<_>>());
        memory.map(0x2_0000, 4 * 320, true);
        let launch =
            Launch { grid: [5, 1, 1], block: [64, 1, 1], parameters: vec![0x1_0000, 0x2_0000], ..Launch::default() };
        let how = How { mode: Mode::Decoupled, host_fed: false, latency: 10, stalls: false };
        let system = System {
            params: &params,
            blocks: params.blocks,
            slices: 1,
            serving: params.blocks..params.cache_ways,
            memory: Memory { latency: how.latency, bytes: 8.0 },
            lockstep: false,
            compute_alone: false,
        };
        let mut judged = memory.clone();
        let taken = system.run(&program, &launch, &mut judged, 1, MOST_CYCLES).expect("a launch").expect("it ends");
        let (ended, counts) = machine.run(&program, &launch, &mut memory, how).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(ended, Ended::Code(0));
        assert_eq!(memory.words(0x2_0000, 320), judged.words(0x2_0000, 320), "{crossbar} threads at a time");
        let apart = taken.cycles as f64 / counts.cycles as f64 - 1.0;
        println!("{crossbar} threads at a time: {} cycles, the model is off by {apart:+.4}", counts.cycles);
        assert!(apart.abs() < 0.05, "{} cycles, the model says {}", counts.cycles, taken.cycles);
    }
}

/// Runs kernels of these names, or all of them with `BITLINE_DEEP`, each as its number says: memory is what plain Rust
/// says.
fn some_kernels(
    machine: &mut UnitMachine<Native>,
    params: &DualityParams,
    seed: u64,
    names: &str,
    how: impl Fn(usize) -> How,
) {
    let kernels = KERNELS.iter().enumerate();
    for (at, kernel) in kernels.filter(|(_, kernel)| deep() || names.split(' ').any(|name| name == kernel.name)) {
        let (task, how) = (kernel.task(params, seed), how(at));
        let program = assemble(kernel.text, kernel.name, params).expect("a program");
        let mut memory = task.memory.clone();
        for launch in &task.launches {
            let (ended, counts) =
                machine.run(&program, launch, &mut memory, how).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
            println!("{}: {counts:?}", kernel.name);
            assert_eq!(ended, Ended::Code(0), "{} {how:?}", kernel.name);
        }
        for (address, words) in &task.expected {
            assert_eq!(&memory.words(*address, words.len()), words, "seed {seed}: {}", kernel.name);
        }
    }
}

/// Kernels while ways become caches and control blocks again, and a processor reads and writes words: memory is what
/// plain Rust says, and modes are those of their model in every cycle. All of them with `BITLINE_DEEP`.
#[test]
fn duality_kernels_run_while_ways_change() {
    for (preset, seed, names) in [("pair", 5, "vecadd histogram"), ("tiny", 6, "vecadd")] {
        println!("{preset}: seed {seed}");
        let (params, mut machine) = unit(preset);
        machine.compare_modes().expect("it has run nothing");
        machine.modes_change(seed);
        machine.processor(seed);
        some_kernels(&mut machine, &params, seed, names, |at| How {
            mode: Mode::Decoupled,
            host_fed: at == 3,
            latency: at as u64,
            stalls: at % 2 == 0,
        });
        let (changed, processed) = (machine.modes_changed(), machine.processed());
        println!("ways became caches and control blocks: {changed:?}; reads and writes of a processor: {processed:?}");
        assert!(processed.iter().all(|&count| count > 50), "{processed:?}");
        assert!(changed.iter().all(|&count| count > 1), "{changed:?}");
    }
}

/// Kernels while operations on lines are done, a processor reads and writes words, and ways become caches and control
/// blocks again: memory is what plain Rust says, for each of them. All kernels with `BITLINE_DEEP`.
#[test]
fn duality_kernels_run_beside_operations_on_lines() {
    for (preset, seed, names) in [("tiny", 8, "vecadd histogram"), ("pair", 9, "bfs")] {
        println!("{preset}: seed {seed}");
        let params = DualityParams { line_operations: true, ..DualityParams::preset(preset).expect("it is there") };
        let mut machine = UnitMachine::native(&params, seed).expect("legal");
        machine.modes_change(seed);
        machine.processor(seed);
        machine.operate_on_lines(seed);
        some_kernels(&mut machine, &params, seed, names, |at| How {
            mode: Mode::Decoupled,
            host_fed: false,
            latency: 3 * at as u64,
            stalls: at % 2 == 0,
        });
        let (operated, processed) = (machine.operated(), machine.processed());
        println!("operations on lines: {operated:?}; reads and writes of a processor: {processed:?}");
        assert!(operated[0] > 20 && operated[1] > 0, "{operated:?}");
        assert!(processed.iter().all(|&count| count > 50), "{processed:?}");
    }
}

/// A reset at any cycle of a launch: all ways are a cache, empty, and the next launch is right.
#[test]
fn duality_a_reset_makes_a_cache_of_all_ways() {
    let (params, mut machine) = unit("tiny");
    let kernel = &KERNELS[0];
    let program = assemble(kernel.text, kernel.name, &params).expect("a program");
    let how = How { mode: Mode::Decoupled, host_fed: false, latency: 7, stalls: true };
    let mut memory = kernel.task(&params, 1).memory;
    machine.run(&program, &kernel.task(&params, 1).launches[0], &mut memory, how).expect("it runs");
    for (seed, cycles) in [0, 50, 400, 1700].into_iter().enumerate() {
        let task = kernel.task(&params, seed as u64);
        // What the last launch has left in the registers runs again.
        assert!(machine.write(REG_WAY_MODES, 1) && machine.write(REG_COMMAND, 1 << COMMAND_START_LSB));
        (0..cycles).for_each(|_| machine.tick());
        machine.reset();
        let shown = [REG_STATUS, REG_WAY_MODES, REG_WAY_STATES, REG_WAYS].map(|offset| machine.read(offset));
        assert_eq!(shown, [1 << STATUS_CLEAN_LSB, 0, 0, 0b111], "{cycles} cycles");
        let (mut memory, launch) = (task.memory.clone(), &task.launches[0]);
        let (ended, _) = machine.run(&program, launch, &mut memory, how).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(ended, Ended::Code(0));
        for (address, words) in &task.expected {
            assert_eq!(&memory.words(*address, words.len()), words, "{cycles} cycles");
        }
    }
}

/// What stops a program is told with word, thread and address; the next launch runs.
#[test]
fn duality_units_tell_what_stops_a_program() {
    let (params, mut machine) = unit("tiny");
    let text = ".name faults\n.arrays 4\n.special thread 0:2:10\n    add 0:20:32 0:2:10<<2 %0 scratch=100\n    \
                add 0:60:32 0:2:10 0x1\n    st.global.32 [0:20:32] 0:60:32\n    end 9\n";
    let program = assemble(text, "faults.dcs", &params).expect("a program");
    let how = How { mode: Mode::Decoupled, host_fed: false, latency: 9, stalls: true };
    let launch = |base: u32, program: &Program| {
        let arrays = program.arrays;
        assert_eq!(arrays, 4);
        Launch { grid: [3, 1, 1], block: [8, 1, 1], parameters: vec![base], ..Launch::default() }
    };
    let mut cut = program.clone();
    cut.words.pop();
    let behind = Stop { trap: Some(Trap::PastEnd), pc: 3, thread: None, address: None };
    let unmapped = Stop { trap: Some(Trap::Unmapped), pc: 2, thread: Some(5), address: Some(0x20000) };
    let misaligned = Stop { trap: Some(Trap::Misaligned), pc: 2, thread: Some(0), address: Some(0x10002) };
    for (base, program, expected) in [
        (0x1ffec, &program, Ended::Stopped(unmapped)),
        (0x10000, &program, Ended::Code(9)),
        (0x10002, &program, Ended::Stopped(misaligned)),
        (0x10000, &cut, Ended::Stopped(behind)),
        (0x10000, &program, Ended::Code(9)),
    ] {
        let mut memory = FlatMemory::default();
        memory.map(0x10000, 0x10000, true);
        let (ended, counts) =
            machine.run(program, &launch(base, program), &mut memory, how).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(ended, expected, "{base:#x}: {counts:?}");
        let written: &[u32] = if base == 0x10000 { &[1, 2, 3, 4, 5, 6, 7, 8] } else { &[0; 8] };
        assert_eq!(memory.words(0x10000, 8), written, "{base:#x}");
        assert_eq!(counts.waves, if matches!(ended, Ended::Code(_)) { 3 } else { 1 }, "{base:#x}");
    }
}

/// What PTX's `trap` is compiled to stops the program whether there is a shared window or not, in the threads that come
/// there, and writes nothing.
#[test]
fn duality_units_stop_where_threads_do() {
    let (params, mut machine) = unit("tiny");
    let text = ".name stop\n.arrays 4\n.reg t 0 12\n.reg p 0 1\n.mask m\n.special thread t\n    mask.clear m\n    \
                ge p t %0\n    mask.open\n    mask.taken m p\n    jump.none m on\n    mask.enter m\n    \
                st.shared.8 [0x80000001] t{0:8} if=active\non: add t t 1\n    st.global.16 [%1] t\n    end 4\n";
    let program = assemble(text, "stop.dcs", &params).expect("a program");
    let how = How { mode: Mode::Decoupled, host_fed: false, latency: 9, stalls: true };
    for (shared_bytes, number, thread) in [(0, 5, Some(5)), (64, 0, Some(0)), (64, 8, None)] {
        let mut memory = FlatMemory::default();
        memory.map(0x10000, 0x20000, true);
        let (parameters, shared_base) = (vec![number, 0x10000], 0x20000);
        let launch =
            Launch { grid: [1; 3], block: [8, 1, 1], parameters, shared_base, shared_bytes, ..Launch::default() };
        let (ended, _) = machine.run(&program, &launch, &mut memory, how).unwrap_or_else(|e| panic!("{e}"));
        let stop = Stop { trap: Some(Trap::Window), pc: 6, thread, address: Some(0x8000_0001) };
        assert_eq!(ended, if thread.is_some() { Ended::Stopped(stop) } else { Ended::Code(4) }, "{number}");
        // The last thread's number and 1.
        assert_eq!(memory.words(0x10000, 1), [if thread.is_some() { 0 } else { 8 }], "{number}");
    }
}

/// A launch whose memory fails leaves nothing behind that the next one meets, whichever answer it was.
#[test]
fn duality_a_launch_after_one_that_failed_is_right() {
    for preset in ["tiny", "pair"] {
        let (params, mut machine) = unit(preset);
        let text = ".name copies\n.reg t 0 12\n.reg a 0 32\n.reg x 0 32\n.special thread t\n    add a t<<2 %0\n    \
                    ld.global.32 x [a]\n    st.global.32 [a + 64] x\n    end\n";
        let program = assemble(text, "copies.dcs", &params).expect("a program");
        for latency in [0, 3, 9, 40] {
            for stalls in [false, true] {
                for (base, fails) in [(0x50000, true), (0x10000, false)] {
                    let mut memory = FlatMemory::default();
                    let values: [u32; 8] = std::array::from_fn(|k| base + 100 + k as u32);
                    memory.place(base, &values);
                    memory.place(base + 64, &[0; 8]);
                    let launch = Launch { grid: [1; 3], block: [8, 1, 1], parameters: vec![base], ..Launch::default() };
                    machine.broken = fails.then_some(base / PAGE);
                    let how = How { mode: Mode::Decoupled, host_fed: false, latency, stalls };
                    let (ended, _) = machine.run(&program, &launch, &mut memory, how).unwrap_or_else(|e| panic!("{e}"));
                    let stop = Stop { trap: Some(Trap::Bus), pc: 1, thread: None, address: None };
                    let expected = if fails { Ended::Stopped(stop) } else { Ended::Code(0) };
                    assert_eq!(ended, expected, "{preset}, latency {latency}, stalls {stalls}");
                    let copied = memory.words(base + 64, 8);
                    assert_eq!(copied, if fails { [0; 8] } else { values }, "{preset}, latency {latency}");
                }
            }
        }
    }
}
