//! The Duality Cache's control block and blocks of it under Verilator, its cache ways natively, compared with their
//! models in every cycle, and CUDA kernels on it.

use bitline::array::isa::microcode::Microcode;
use bitline::compile::launch::Plan;
use bitline::compile::words::Words;
use bitline::duality::blocks::{
    duality_cache, duality_control_block, duality_crossbar, duality_instruction_ring, duality_line_side,
    duality_memory_unit, duality_modes, duality_processor, duality_top,
};
use bitline::duality::{CacheParams, DualityParams};
use bitline::sim::engine::engine;
use bitline::sim::external::tool::{cache_folder, deep, require, some_of};
use bitline::sim::external::verilator::{Build, Verilated};
use bitline::sim::units::duality::cache::{self, Trouble};
use bitline::sim::units::duality::machine::{Machine, Mode};
use bitline::sim::units::duality::memory_side::Timing;
use bitline::sim::units::duality::{accesses, block, crossbar, lines, memory_unit, modes, ring, together};

#[test]
fn ring_runs_the_program() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 4;
    println!("seed {seed}");
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_instruction_ring(&params).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = ring::run(hardware, &params, seed, 30_000).unwrap_or_else(|d| panic!("{d}"));
    assert!(covered.all(), "{covered:?}");
}

#[test]
fn ways_become_control_blocks_and_come_back() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 9;
    println!("seed {seed}");
    let params = DualityParams::preset("pair").expect("it is there");
    let netlist = duality_modes(&params).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = modes::run(hardware, &params, seed, 30_000).unwrap_or_else(|d| panic!("{d}"));
    assert!(covered.all(), "{covered:?}");
    crate::lint::simulators(&netlist).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn control_block_runs_random_programs() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 5;
    println!("seed {seed}");
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_control_block(&params, &Microcode::assemble(&params.array())).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = block::run(hardware, &params, seed, 20_000, 16).unwrap_or_else(|d| panic!("{d}"));
    assert!(covered.programs > 5 && covered.waits > 0, "{covered:?}");
}

#[test]
fn memory_unit_does_what_words_say() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 7;
    println!("seed {seed}");
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_memory_unit(&params).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = memory_unit::run(hardware, &params, seed, 20_000).unwrap_or_else(|d| panic!("{d}"));
    println!("{covered:?}");
    assert!(covered.waves > 0 && covered.words.iter().sum::<u64>() > 20, "{covered:?}");
    crate::lint::simulators(&netlist).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn random_accesses_leave_what_the_judge_says() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 6;
    println!("seed {seed}");
    let params = DualityParams::preset("tiny").expect("it is there");
    let netlist = duality_processor(&params, &Microcode::assemble(&params.array())).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = accesses::run(hardware, &params, seed, 18, false);
    assert!(covered.ended > 4 && covered.requests.iter().all(|&count| count > 0), "{covered:?}");
}

/// Words of the crossbar, which takes a row at once or in turns, with its rows at any time.
#[test]
fn crossbar_does_what_words_say() {
    if require("verilator").is_none() {
        return;
    }
    for ((columns, crossbar), seed) in [(8, 8), (8, 2), (64, 64), (256, 32)].into_iter().zip(31..) {
        println!("{columns} threads, {crossbar} at a time: seed {seed}");
        let tiny = DualityParams::preset("tiny").expect("it is there");
        let params = DualityParams { columns, crossbar, ..tiny };
        let netlist = duality_crossbar(&params).expect("legal");
        let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
        let covered = crossbar::run(hardware, &params, seed, 200);
        assert!(covered.all(), "{covered:?}");
        crate::lint::quiet(&netlist).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// The memory unit with a crossbar, which takes a row at once: words of both one after the other.
#[test]
fn memory_unit_with_a_crossbar_does_what_words_say() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 9;
    println!("seed {seed}");
    let params = DualityParams { crossbar: 8, ..DualityParams::preset("tiny").expect("it is there") };
    let netlist = duality_memory_unit(&params).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = memory_unit::run(hardware, &params, seed, 15_000).unwrap_or_else(|d| panic!("{d}"));
    println!("{covered:?}");
    assert!(covered.crossing.iter().sum::<u64>() > 20 && covered.crossing_resets > 0, "{covered:?}");
}

/// Random words of memory among which some are of the crossbar; in the smaller design the memory unit is compared with
/// its model, for which all nets have to be there.
#[test]
fn random_words_of_the_crossbar_leave_what_the_judge_says() {
    if require("verilator").is_none() {
        return;
    }
    // With `BITLINE_DEEP=1` also one that takes a row in turns, as natively.
    let designs = [(8, 1), (2, 2)];
    for ((crossbar, banks), seed) in designs.into_iter().take(some_of(2, 2)).zip(41..) {
        println!("{crossbar} threads at a time, {banks} banks: seed {seed}");
        let params = DualityParams { crossbar, banks, ..DualityParams::preset("tiny").expect("it is there") };
        let netlist = duality_processor(&params, &Microcode::assemble(&params.array())).expect("legal");
        let beside = banks == 1;
        let how = if beside { Build::Open } else { Build::State };
        let hardware = Verilated::build_with(&netlist, &cache_folder(), how).unwrap_or_else(|e| panic!("{e}"));
        let covered = accesses::run(hardware, &params, seed, 18, beside);
        assert!(covered.ended > 4 && covered.crossing.iter().all(|&count| count > 0), "{covered:?}");
    }
}

/// Two control blocks behind their registers: random launches, fed from memory or by the host.
#[test]
fn control_blocks_share_memory() {
    if require("verilator").is_none() {
        return;
    }
    let seed = 8;
    println!("seed {seed}");
    let params = DualityParams::preset("pair").expect("it is there");
    let netlist = duality_top(&params, &Microcode::assemble(&params.array())).expect("legal");
    let hardware = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    let covered = together::run(hardware, &params, seed, some_of(6, 2) as u64);
    println!("{covered:?}");
    assert!(covered.waves > covered.launches && covered.compared[0] > 0, "{covered:?}");
}

/// Errors, modes and resets.
const TROUBLE: Trouble = Trouble { errors: true, modes: true, resets: true };

/// Two ways, few sets, and two ports beside that of operations on lines. The model of the line unit sees its ports.
#[test]
fn lines_are_memory_in_verilog() {
    if require("verilator").is_none() {
        return;
    }
    let (params, seed) = (CacheParams { ways: 2, sets: 4, mshr: 16, lines: true }, 21);
    let netlist = duality_line_side(&params, 2).expect("legal");
    println!("seed {seed}");
    let hardware = Verilated::build_with(&netlist, &cache_folder(), Build::Open).unwrap_or_else(|e| panic!("{e}"));
    let covered = lines::run(hardware, &params, 2, seed, 1500, true);
    println!("{covered:?}");
    assert!(covered.done[1..].iter().chain(&covered.ended).all(|&count| count > 0), "{covered:?}");
    crate::lint::simulators(&netlist).unwrap_or_else(|e| panic!("{e}"));
}

/// The whole campaign with `BITLINE_DEEP`.
#[test]
fn cache_ways_are_memory() {
    let accesses = if deep() { 1_000_000 } else { 20_000 };
    for ([ways, sets, mshr], seed) in [[4, 256, 16], [2, 64, 64], [20, 4, 32], [4, 4, 16]].into_iter().zip(61..) {
        let params = CacheParams { ways, sets, mshr, lines: false };
        let netlist = duality_cache(&params).expect("legal");
        for trouble in [Trouble::default(), TROUBLE] {
            println!("{params:?}, {trouble:?}: seed {seed}");
            let covered = cache::run(engine(&netlist), &params, seed, accesses, trouble);
            println!("{:?}", covered.unwrap_or_else(|d| panic!("{d}")));
        }
    }
}

#[test]
fn cache_ways_verilog_is_quiet() {
    for (ways, sets, mshr) in [(1, 4, 16), (3, 16, 32), (4, 256, 16)] {
        let netlist = duality_cache(&CacheParams { ways, sets, mshr, lines: false }).expect("legal");
        crate::lint::simulators(&netlist).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Its file, its name, blocks of the grid, threads of a block, arguments.
type Kernel = (&'static str, &'static str, [u32; 3], [u32; 3], &'static [&'static str]);

/// From PTX as clang has made it to rows of the hardware: what the kernel leaves in memory is what the interpreter of
/// PTX leaves there.
#[test]
fn cuda_kernels_run_on_hardware() {
    let params = DualityParams::preset("small").expect("it is there");
    let mut machine = Machine::new(&params, 1).expect("legal");
    let kernels: [Kernel; 5] = [
        (
            "vecadd",
            "vecadd",
            [5, 1, 1],
            [16, 1, 1],
            &["random:f32:75:1:-4..4", "random:f32:75:2:-4..4", "zero:f32:76", "s32:75"],
        ),
        ("histogram", "histogram", [3, 1, 1], [96, 1, 1], &["random:u8:1000:21:0..255", "zero:s32:256", "s32:1000"]),
        (
            "gameoflife",
            "generation",
            [4, 3, 1],
            [8, 4, 1],
            &["random:u8:300:16:0..1", "zero:u8:300", "s32:30", "s32:10"],
        ),
        (
            "nn",
            "nn",
            [1, 1, 1],
            [64, 1, 1],
            &["random:f32:128:22:-90..90", "zero:f32:64", "s32:60", "f32:12.5", "f32:-7"],
        ),
        (
            "blackscholes",
            "blackscholes",
            [2, 1, 1],
            [64, 1, 1],
            &[
                "random:f32:120:31:5..30",
                "random:f32:120:32:1..100",
                "random:f32:120:33:0.25..10",
                "zero:f32:120",
                "zero:f32:120",
                "s32:120",
                "f32:0.02",
                "f32:0.065",
                "f32:0.3",
            ],
        ),
    ];
    for (file, kernel, grid, block, arguments) in kernels {
        let path = format!("{}/examples/cuda/{file}.ptx", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the example is there");
        let module = bitline::compile::ptx::parse(&path, &text).unwrap_or_else(|e| panic!("{e}"));
        let arguments = arguments.iter().map(|text| text.parse().expect("an argument")).collect();
        let plan = Plan { grid, block, arguments, ..Plan::new(kernel) };
        let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|e| panic!("{e}"));
        let runs = [
            (1, Mode::Lockstep),
            (4, Mode::Lockstep),
            (1, Mode::Decoupled),
            (2, Mode::Decoupled),
            (4, Mode::Decoupled),
        ];
        // One run of what takes long.
        let runs = if kernel == "blackscholes" { &runs[3..4] } else { &runs[..] };
        for &(arrays, mode) in runs {
            let words = Words { arrays: Some(arrays), ..Words::new(&params) };
            let timing = Timing { port_a_bank: true, latency: 5 };
            let ran = plan.words_on(&module, &words, &mut |compiled, launch, memory| {
                let outcome = words.run(&module, compiled, launch, &mut memory.clone(), plan.limit)?;
                let ran = machine.run(&compiled.program, launch, memory, mode, timing);
                let cycles = ran.unwrap_or_else(|e| panic!("{kernel} {mode:?}: {e}"));
                println!("{kernel}, {arrays} arrays, {mode:?}: {cycles:?}");
                Ok(outcome)
            });
            let ran = ran.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(ran.buffers, expected.buffers, "{kernel}, {arrays} arrays, {mode:?}");
        }
    }
}
