//! Operations on lines on the whole unit, through its registers.

use bitline_units::duality::lines::LineInstruction;
use bitline_units::duality::registers::*;

use crate::engine::Engine;
use crate::units::duality::unit::UnitMachine;

/// Begins an operation; whether that was taken.
///
/// # Panics
/// If its operands are not taken, or read differently.
pub fn begin<E: Engine>(machine: &mut UnitMachine<E>, made: &LineInstruction, interrupt: bool) -> bool {
    for (offset, value) in
        [(REG_LINE_A, made.a), (REG_LINE_B, made.b), (REG_LINE_D, made.d), (REG_LINE_SIZE, made.size)]
    {
        assert!(machine.write(offset, value), "{offset:#x}");
        assert_eq!(machine.read(offset), value, "{offset:#x}");
    }
    let operation = u32::from(made.op) << LINE_OPERATION_OPCODE_LSB | u32::from(made.grain) << LINE_OPERATION_GRAIN_LSB;
    machine.write(REG_LINE_OPERATION, operation | u32::from(interrupt) << LINE_OPERATION_INTERRUPT_LSB)
}

/// Code, what it is about, and the mask of an operation that has ended; the mask of one that was legal.
pub fn ended<E: Engine>(machine: &mut UnitMachine<E>) -> Option<(u64, u32, u64)> {
    let result = machine.read(REG_LINE_RESULT);
    if result >> LINE_RESULT_BUSY_LSB & 1 == 1 {
        return None;
    }
    assert_eq!(result >> LINE_RESULT_DONE_LSB & 1, 1, "it has ended");
    let code = u64::from(result >> LINE_RESULT_CODE_LSB & 7);
    let [about, low, high] = [REG_LINE_FAULT, REG_LINE_MASK_LOW, REG_LINE_MASK_HIGH].map(|offset| machine.read(offset));
    Some((code, about, if code == 0 { u64::from(low) | u64::from(high) << 32 } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Native;
    use crate::units::duality::lines::{Flat, judged, parts};
    use bitline_units::duality::DualityParams;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    type Machine = UnitMachine<Native>;

    fn machine(seed: u64) -> Machine {
        let tiny = DualityParams::preset("tiny").expect("it is there");
        let params = DualityParams { line_operations: true, ..tiny };
        UnitMachine::native(&params, seed).unwrap_or_else(|e| panic!("{e}"))
    }

    fn flush(machine: &mut Machine) {
        assert!(machine.write(REG_COMMAND, 1 << COMMAND_FLUSH_LSB));
        while machine.read(REG_STATUS) >> STATUS_FLUSHING_LSB & 1 == 1 {}
    }

    #[test]
    fn duality_unit_operates_on_lines() {
        let seed = 3;
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut machine = machine(seed);
        assert_eq!(machine.read(REG_CACHE) >> CACHE_LINES_LSB & 1, 1);
        let (base, lines) = (0x4000, 96);
        let mut flat = Flat::default();
        for word in 0..8 * lines {
            let value = if rng.random() { rng.random_range(0..2) } else { rng.random() };
            machine.poke(base + 8 * word, value);
            flat.0.insert(base / 8 + word, value);
        }
        let mut codes = [0; 8];
        for turn in 0..150 {
            // Way 0 is a control block now and then: its lines leave in the midst of an operation.
            if turn % 5 == 0 {
                assert!(machine.write(REG_WAY_MODES, turn / 5 % 2));
            }
            let made = parts::some(&mut rng, base, lines);
            assert!(begin(&mut machine, &made, turn % 2 == 0), "{made:x?}");
            let found = loop {
                if let Some(found) = ended(&mut machine) {
                    break found;
                }
            };
            assert_eq!(found, judged(made, &mut flat), "turn {turn}: {made:x?}");
            assert_eq!(machine.irq(), turn % 2 == 0, "turn {turn}");
            assert!(machine.write(REG_LINE_RESULT, 1 << LINE_RESULT_DONE_LSB));
            assert_eq!(machine.read(REG_LINE_RESULT) >> LINE_RESULT_DONE_LSB & 1, 0);
            assert!(!machine.irq(), "turn {turn}");
            codes[found.0 as usize] += 1;
            if turn % 50 == 49 {
                assert!(machine.write(REG_WAY_MODES, 0));
                flush(&mut machine);
                (0..8 * lines).for_each(|word| assert_eq!(machine.peek(base + 8 * word), flat.word(base / 8 + word)));
            }
        }
        println!("{codes:?}");
        assert!(codes[0] > 50 && codes[1..7].iter().sum::<u64>() > 5, "{codes:?}");
    }

    #[test]
    fn duality_unit_refuses_operations_on_lines() {
        let mut machine = machine(4);
        let made = LineInstruction { op: 1, grain: 0, a: 0x1_0000, b: 0, d: 0x2_0000, size: 16 << 10 };
        assert!(begin(&mut machine, &made, false));
        let before = machine.read(REG_REFUSED);
        for (offset, value) in
            [(REG_LINE_A, 0), (REG_LINE_OPERATION, 2), (REG_COMMAND, 1 << COMMAND_FLUSH_LSB), (REG_WAYS, 7)]
        {
            assert!(!machine.write(offset, value), "{offset:#x} while an operation is under way");
        }
        assert_eq!(machine.read(REG_REFUSED), before + 4);
        while machine.read(REG_LINE_RESULT) >> LINE_RESULT_BUSY_LSB & 1 == 1 {}
        assert_eq!(machine.read(REG_LINE_RESULT), 1 << LINE_RESULT_DONE_LSB);
        // While the ways are flushed, and without any.
        assert!(machine.write(REG_COMMAND, 1 << COMMAND_FLUSH_LSB));
        assert!(!machine.write(REG_LINE_OPERATION, 1), "while the ways are flushed");
        while machine.read(REG_STATUS) >> STATUS_FLUSHING_LSB & 1 == 1 {}
        assert!(machine.write(REG_WAYS, 0) && !machine.write(REG_LINE_OPERATION, 1), "no way serves");
        assert!(machine.write(REG_WAYS, 7) && machine.write(REG_LINE_OPERATION, 1));
    }
}
