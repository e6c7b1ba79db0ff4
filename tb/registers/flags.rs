//! Exception flags through the register block.

use super::{Bus, Case, require};
use bitline::array::blocks::{Top, design};
use bitline::array::registers::{REG_FLAGS, REG_PUSH};
use bitline::isa::operation::{Context, Operation};
use bitline::isa::{Command, Opcode};
use bitline::params::Params;
use bitline::presets::preset;
use bitline::sim::engine::{Engine, engine};
use bitline::sim::external::tool::cache_folder;
use bitline::sim::external::verilator::Verilated;

/// Exception flags as software sees them: kept over commands, cleared by ones, final when the unit is idle.
fn flags<E: Engine>(engine: E, params: &Params, seed: u64) {
    println!("seed {seed}");
    let mut bus = Bus::new(engine, params, seed);
    // Bits of f16 numbers in all columns: a, b, and what the sum, the product, the quotient and the root of a raise.
    let [invalid, by_zero, overflow, underflow, inexact] = [1, 2, 4, 8, 16];
    let pairs: [(u16, u16, [u32; 4]); 6] = [
        // 1 and 2.
        (0x3c00, 0x4000, [0, 0, 0, 0]),
        // 1 and 0: a quotient that is infinite for another reason than its size.
        (0x3c00, 0x0000, [0, 0, by_zero, 0]),
        // The largest number, twice.
        (0x7bff, 0x7bff, [overflow | inexact, overflow | inexact, 0, inexact]),
        // The smallest number and a half of one.
        (0x0001, 0x3800, [inexact, underflow | inexact, 0, 0]),
        // Infinity and its negative.
        (0x7c00, 0xfc00, [invalid, 0, invalid, 0]),
        // A signalling NaN and 3.
        (0x7c01, 0x4200, [invalid; 4]),
    ];
    let opcodes = [Opcode::FAdd, Opcode::FMul, Opcode::FDiv, Opcode::FSqrt];
    let (mut kept, mut last) = (0, 0);
    for (index, (a, b, raised)) in pairs.into_iter().enumerate() {
        for (opcode, raised) in opcodes.into_iter().zip(raised) {
            let op = Operation::of(opcode, Context::of(params, params.sets[0]));
            let mut command = Command { set: params.sets[0], second: 5, ..Command::new(opcode, 13) };
            Case::place(&op, &mut command, 0);
            for (first, value) in [(command.b, b), (command.a, a)] {
                for bit in 0..16 {
                    let row = if value >> bit & 1 == 1 { u64::MAX >> (64 - params.columns.min(64)) } else { 0 };
                    bus.top.set_row(usize::from(first) + bit, &vec![row; params.columns.div_ceil(64)]);
                }
            }
            bus.pace = 1 + (index as u32 & 1);
            bus.stage(&command);
            bus.write(REG_PUSH, 1);
            bus.wait();
            kept |= raised;
            last = raised << 16;
            assert_eq!(bus.read(REG_FLAGS), kept | last, "{opcode} {a:#x} {b:#x}");
        }
        // Ones clear their flags, others stay, and so do those of the last command.
        bus.write(REG_FLAGS, invalid | inexact | 0x1f_0000);
        kept &= !(invalid | inexact);
        assert_eq!(bus.read(REG_FLAGS), kept | last);
        if index == 3 {
            assert_eq!(kept, by_zero | overflow | underflow);
            bus.write(REG_FLAGS, u32::MAX);
            kept = 0;
        }
    }
    // Integers leave those of the last floating-point command as they are; one that raises nothing does not.
    let mut run = |opcode: Opcode, width: u8, second: u8| {
        let op = Operation::of(opcode, Context::of(params, params.sets[0]));
        let mut command = Command { set: params.sets[0], second, ..Command::new(opcode, width) };
        Case::place(&op, &mut command, 0);
        bus.stage(&command);
        bus.write(REG_PUSH, 1);
        bus.wait();
        bus.read(REG_FLAGS)
    };
    assert_eq!((last, run(Opcode::Add, 8, 0) >> 16 << 16), (invalid << 16, invalid << 16));
    assert_eq!(run(Opcode::FNeg, 13, 5) >> 16, 0);
}

fn with_flags(columns: usize) -> Params {
    let base = preset("default").unwrap();
    Params { name: "flags".into(), columns, float: true, exception_flags: true, ..base }
}

#[test]
fn exception_flags_natively() {
    for columns in [8, 256] {
        let params = with_flags(columns);
        flags(engine(&design(&params, Top::Registers).unwrap()), &params, 77);
    }
    // Without them the register is 0.
    let params = Params { exception_flags: false, ..with_flags(8) };
    let mut bus = Bus::new(engine(&design(&params, Top::Registers).unwrap()), &params, 78);
    bus.write(REG_FLAGS, 31);
    assert_eq!(bus.read(REG_FLAGS), 0);
}

#[test]
fn exception_flags_under_verilator() {
    if require("verilator").is_none() {
        return;
    }
    let params = with_flags(8);
    let netlist = design(&params, Top::Registers).unwrap();
    let built = Verilated::build(&netlist, &cache_folder()).unwrap_or_else(|e| panic!("{e}"));
    flags(built, &params, 77);
}
