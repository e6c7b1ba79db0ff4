//! Blocks of the line unit, each alone beside its model: inputs at random, as far as its contract lets them come, and
//! resets; everything is compared in every cycle.

use bitline_units::duality::blocks::duality_line_parts;
use bitline_units::parts::cache_ops::{CacheOp, control};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::lines::some;
use super::memory_parts::play_one;
use crate::lockstep::driver::Unit;
use crate::model::duality::lines::check::{Check, CheckInputs, LineKind};
use crate::model::duality::lines::operands::{Operands, OperandsInputs};
use crate::model::duality::lines::registers::{HostInputs, Registers, RegistersInputs};
use crate::model::duality::lines::walk::{LineWalk, WalkInputs};

fn play<U: Unit<Params = ()>>(
    name: &str,
    model: U,
    seed_and_cycles: (u64, u64),
    inputs: impl FnMut(&mut ChaCha8Rng, &U, Option<U::Outputs>) -> U::Inputs,
) {
    play_one(duality_line_parts().expect("legal"), name, model, seed_and_cycles, inputs);
}

/// Instructions of which one rule in four is broken by little, or nothing is in order.
#[test]
fn duality_line_checks_know_operations_and_lines() {
    let mut legal = [0; 2];
    play("check", Check, (1, 60_000), |rng, _: &Check, shown| {
        if let Some(shown) = shown {
            legal[usize::from(shown.code == 0)] += 1;
        }
        let base =
            if rng.random_range(0..4) == 0 { 0u32.wrapping_sub(64 * 32) } else { 64 * rng.random_range(0..1000) };
        let mut made = some(rng, base, 32);
        if rng.random_ratio(1, 16) {
            (made.op, made.size) = (rng.random_range(0..16), rng.random());
        }
        CheckInputs(made)
    });
    assert!(legal.iter().all(|&count| count > 1000), "{legal:?}");
}

#[test]
fn duality_line_registers_hold_instructions() {
    let (mut working, mut clears) = (0, 0);
    play("registers", Registers::default(), (2, 100_000), |rng, registers: &Registers, _| {
        let host = HostInputs {
            write: None,
            number: rng.random_range(0..16),
            read: rng.random_range(0..16),
            ready: rng.random_range(0..4) > 0,
            noise: rng.random(),
        };
        let mut inputs = RegistersInputs {
            host,
            // Looked at in one cycle of an instruction.
            code: if rng.random() { 0 } else { rng.random_range(1..7) },
            about: rng.random(),
            ended: registers.runs && rng.random_ratio(1, 8),
            failed: rng.random(),
            fault: rng.random(),
            mask: rng.random(),
        };
        if !registers.shown(&inputs).host.refuses && rng.random() {
            inputs.host.write = Some(rng.random());
            clears += u64::from(inputs.ended && inputs.host.number == 12);
        }
        working += u64::from(registers.runs);
        inputs
    });
    assert!(working > 1000 && clears > 10, "{working}, {clears}");
}

#[test]
fn duality_line_operands_are_kept_and_combined() {
    let mut word = OperandsInputs::default();
    let mut gives = 0;
    play("operands", Operands::default(), (3, 60_000), |rng, operands: &Operands, shown| {
        let begins = shown.is_none() || rng.random_ratio(1, 20);
        if begins {
            let op = CacheOp::ALL[rng.random_range(0..CacheOp::ALL.len())];
            let has_grain = op.has(control::GRAIN);
            let two = op.has(control::B) || op.has(control::KEY);
            let grain = rng.random_range(0..if has_grain { 3 } else { 4 });
            word = OperandsInputs { op: op as u8, grain, has_grain, two, ..OperandsInputs::default() };
        }
        let mut inputs = OperandsInputs { start: begins, keeps: rng.random(), noise: rng.random(), ..word };
        let near: u64 = rng.random_range(0..3);
        inputs.line = std::array::from_fn(|_| if rng.random() { near } else { rng.random() });
        let known = !inputs.two || operands.kept.is_some();
        if !begins && known && LineKind::of(inputs.op).gives && rng.random() {
            inputs.gives = Some(rng.random_range(0..if inputs.has_grain { 8 << inputs.grain } else { 8 }));
            gives += 1;
        }
        inputs
    });
    assert!(gives > 1000, "{gives}");
}

/// Walks of all operations over few lines and many, to the end of the address space, with answers that fail.
#[test]
fn duality_line_walks_ask_for_what_instructions_name() {
    let mut word = WalkInputs::default();
    let (mut fails, mut misses, mut ready) = (1, false, 8);
    let (mut ends, mut stops, mut awaited) = (0, [0; 2], 0);
    play("walk", LineWalk::default(), (4, 150_000), |rng, walk: &LineWalk, shown| {
        if let Some(shown) = shown {
            ends += u64::from(shown.ended);
        }
        if !walk.active && rng.random_ratio(1, 4) {
            let op = CacheOp::ALL[rng.random_range(0..CacheOp::ALL.len())];
            let most = [1, 4, 30, if LineKind::of(op as u8).gives { 32 } else { 256 }][rng.random_range(0..4)];
            let mut at = || (rng.random_range(0..600u32)).wrapping_sub(300).wrapping_mul(64);
            let at = [at(), at(), at()];
            word = WalkInputs {
                kind: LineKind::of(op as u8),
                at,
                lines: Some(rng.random_range(1..=most)),
                ..WalkInputs::default()
            };
            fails = [0, 0, 4, 60][rng.random_range(0..4)];
            misses = rng.random();
            ready = [1, 4, 8][rng.random_range(0..3)];
            return WalkInputs { start: true, noise: rng.random(), ..word };
        }
        let answers = walk.flight > 0 && rng.random_range(0..4) > 0;
        awaited = awaited.max(walk.flight);
        stops[usize::from(walk.eager)] += u64::from(walk.active);
        WalkInputs {
            ready: walk.flight < 16 && rng.random_range(0..8) < ready,
            answer: answers.then(|| fails > 0 && rng.random_ratio(1, fails)),
            missed: misses && rng.random_range(0..8) == 0,
            noise: rng.random(),
            ..word
        }
    });
    println!("{ends} walks, {stops:?} cycles without and with hints, {awaited} answers awaited");
    assert!(ends > 300 && stops.iter().all(|&count| count > 1000) && awaited > 8, "{ends}, {stops:?}, {awaited}");
}
