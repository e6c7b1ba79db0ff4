//! Random traffic on the bus.

use rand::Rng;

use super::{Bus, legal, staged};
use bitline::array::registers::*;
use bitline::isa::command::ErrorCode;
use bitline::params::Params;
use bitline::sim::engine::Engine;
use bitline::sim::model::axil_regs::STAGED;
use bitline::sim::model::compute_top::TopInputs;

/// Everything at random, all state compared in every cycle.
pub(super) fn traffic<E: Engine>(engine: E, params: &Params, seed: u64, cycles: u64) -> E {
    println!("seed {seed}");
    let mut bus = Bus::new(engine, params, seed);
    let unseen: Vec<&str> = bus.top.unseen().into_iter().filter(|path| path.starts_with("registers.")).collect();
    assert!(unseen.is_empty(), "not compared: {unseen:?}");
    bus.top.set_cycles((1 << 32) - 50);
    let mut drops = 0;
    while bus.top.cycle_count() < cycles {
        if bus.rng.random_range(0..64) == 0 {
            bus.pace = [1, 1, 2, 4][bus.rng.random_range(0..4)];
        }
        if bus.addresses.len() < 4 && bus.rng.random_range(0..3) == 0 {
            random_writes(&mut bus, params);
        }
        if bus.reads.len() < 2 && bus.rng.random_range(0..3) == 0 {
            let address = bus.rng.random_range(0..1 << ADDRESS_BITS);
            bus.reads.push_back(address);
        }
        if bus.beats.is_empty() {
            let beat = bus.rng.random::<u64>() & if params.columns < 64 { (1 << params.columns) - 1 } else { u64::MAX };
            bus.beats.push_back(beat);
        }
        bus.cycle();
        let error = bus.top.model.registers.log.error;
        let carried = bus.top.model.registers.log.cycles >> 32 != 0;
        bus.count("carry into the high half", carried);
        drops += u64::from(error.code == ErrorCode::Overflow.code());
        if bus.rng.random_range(0..4096) == 0 {
            let offer = bus.offer;
            bus.top.reset(&offer).unwrap_or_else(|d| panic!("{d}"));
            // A master that is reset too withdraws what it offers.
            bus.offer = TopInputs::default();
            bus.addresses.clear();
            bus.data.clear();
            bus.reads.clear();
        }
    }
    bus.coverage.insert("a dropped command".into(), drops);
    println!("{:?}", bus.coverage);
    let never: Vec<&String> = bus.coverage.iter().filter(|c| *c.1 == 0).map(|c| c.0).collect();
    assert!(never.is_empty(), "never happened: {never:?}");
    for code in [ErrorCode::Opcode, ErrorCode::Width, ErrorCode::Rows, ErrorCode::Overlap] {
        assert!(bus.coverage.contains_key(&format!("refusal {}", code.code())), "never refused: {}", code.name());
    }
    bus.top.engine
}

/// One or several writes that make some sense, or none.
fn random_writes<E: Engine>(bus: &mut Bus<E>, params: &Params) {
    match bus.rng.random_range(0..13) {
        0..=3 => {
            let command = legal(params, &mut bus.rng);
            for (offset, word) in STAGED.into_iter().zip(staged(&command)) {
                bus.queue_write(offset, word, 15);
            }
            let pushes = [1, 1, 1, 1, 2, 2 * params.command_fifo][bus.rng.random_range(0..6)];
            for _ in 0..pushes {
                let strobes = bus.rng.random_range(1..16);
                let data = bus.rng.random();
                bus.queue_write(REG_PUSH, data, strobes);
            }
        }
        4..=5 => {
            // A field of the staged command goes wrong.
            let (register, bit) = (bus.rng.random_range(0..4), bus.rng.random_range(0..32));
            let data = bus.top.model.registers.staged[register] ^ 1 << bit;
            bus.queue_write(STAGED[register], data, 15);
            bus.queue_write(REG_PUSH, 0, 15);
        }
        6 => {
            // Any command at all, on few rows so that it ends soon.
            let word = bus.rng.random::<u32>() & !(0x78 << COMMAND_WIDTH_LSB);
            bus.queue_write(REG_COMMAND, word, 15);
            bus.queue_write(REG_PUSH, 0, 15);
        }
        7 => {
            let (data, strobes) = (bus.rng.random_range(0..4), bus.rng.random_range(0..16));
            bus.queue_write(REG_INTERRUPT, data, strobes);
        }
        8..=9 => {
            let data = bus.rng.random_range(0..4) | bus.rng.random_range(0..2) << CONTROL_ERROR_CLEAR_LSB;
            bus.queue_write(REG_CONTROL, data, 15);
        }
        _ => {
            let (offset, data) = (bus.rng.random_range(0..1 << ADDRESS_BITS), bus.rng.random());
            let strobes = bus.rng.random_range(0..16);
            bus.queue_write(offset, data, strobes);
        }
    }
}
