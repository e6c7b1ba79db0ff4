//! The board system through its pins, a bit at a time: natively beside its model, under Verilator and in Icarus;
//! against a plain model of the protocol and the address map.

mod bad_input;
mod campaign;
mod duality;
mod line;
mod machine;
mod reference;
mod system;
mod tools;

use bitline::system::{SystemDuality, SystemParams};

/// log2 of the cycles that the bus may take in tests.
const LOG2_BUS_TIMEOUT: usize = 9;

/// The smallest system, with the fastest line and the shortest time-out that there are.
fn tiny() -> SystemParams {
    SystemParams {
        baud: 25_000_000,
        timeout_bits: 64,
        ..SystemParams::preset("tiny").unwrap_or_else(|e| panic!("{e}"))
    }
}

/// The same with a Duality Cache that has so many words of memory.
fn with_duality(memory_words: usize) -> SystemParams {
    let duality = SystemDuality::preset("tiny", memory_words).unwrap_or_else(|e| panic!("{e}"));
    SystemParams { duality: Some(duality), ..tiny() }
}
