//! All operands of 8 bits, or pairs of them.

use super::*;

/// All pairs of 8-bit operands; of floating-point numbers in the modes that flush operands on one memory, in the others
/// on the other one, with `BITLINE_DEEP=1` in all on both.
fn all_bytes(kind: impl Into<Columns>, memory: Memory) {
    let kind = kind.into();
    let mut bench = bench(&params(kind, memory, 128, 512), 8);
    passes(exhaustive::bytes_of(&mut bench, |command| {
        let here = (command.key & 1 == 0) == (memory == Memory::Behavioural);
        deep() || here || !command.opcode.is_float() || exhaustive::EXACT.contains(&command.opcode)
    }));
    println!("{kind:?} {memory}: {} commands, {} cycles", bench.commands, bench.unit.cycle_count());
    assert!(bench.commands > 5_000);
}

#[test]
fn and_nor_behavioural_all_bytes() {
    all_bytes(Sensing::AndNor, Memory::Behavioural);
}

#[test]
fn and_nor_block_ram_all_bytes() {
    all_bytes(Sensing::AndNor, Memory::BlockRam);
}

#[test]
fn two_port_behavioural_all_bytes() {
    all_bytes(Sensing::TwoPort, Memory::Behavioural);
}

#[test]
fn two_port_block_ram_all_bytes() {
    all_bytes(Sensing::TwoPort, Memory::BlockRam);
}

/// Of integers, and of floating-point operations that have micro-programs of their own with radix 4; of the others,
/// whose programs are those of radix 2, on columns with more in them, with `BITLINE_DEEP=1`.
#[test]
fn radix_4_all_bytes() {
    let params = params(Columns::Radix4, Memory::Behavioural, 128, 512);
    let mut bench = bench(&params, 8);
    passes(exhaustive::bytes_of(&mut bench, |command| {
        let float = command.opcode.is_float();
        deep() || !float || Operation::of(command.opcode, Context::of(&params, command.set)).takes_two_bits()
    }));
    println!("{} commands, {} cycles", bench.commands, bench.unit.cycle_count());
    assert!(bench.commands > 5_000);
}

/// All operands of 8 bits of some operations, in a direction of rounding, with subnormal numbers and without;
/// `and_nor_behavioural_all_bytes` has all operations with `BITLINE_DEEP=1`.
#[test]
fn floating_point_with_and_nor_all_bytes() {
    let params = Params { sets: vec![Set::Fast], ..and_nor_with_float(Memory::Behavioural, 128, 512) };
    let mut bench = bench(&params, 38);
    let chosen = [Opcode::FAdd, Opcode::FMul, Opcode::FDiv, Opcode::FLe];
    let direction = bench.rng().random_range(0..4);
    passes(exhaustive::bytes_of(&mut bench, |command| {
        // Comparisons look at bit 0 alone.
        let mode = command.key >> 1 & 3 == direction && command.key & 1 == command.key >> 3 & 1;
        chosen.contains(&command.opcode) && (mode || command.opcode == Opcode::FLe)
    }));
    println!("{} commands, {} cycles", bench.commands, bench.unit.cycle_count());
    assert!(bench.commands > 1_000);
}
