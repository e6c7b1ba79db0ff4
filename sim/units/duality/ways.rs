//! Cycles of kernels against how the ways of a slice are parted: into control blocks and a cache, as in the paper's
//! Fig. 14.

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::assemble::assemble;

use super::kernels::Kernel;
use super::launching::Ended;
use super::machine::Mode;
use super::unit::{How, UnitMachine};
use crate::engine::Native;
use crate::error::{Error, Result};

/// What a kernel took in a part of the ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    /// Cycles of its launches.
    pub cycles: u64,
    /// Requests for whose line memory was asked.
    pub misses: u64,
}

/// Runs a kernel on so many control blocks of the unit, whose other ways are a cache. Its data are those of a control
/// block of four times as many threads, so that there are waves enough. None if its CTAs do not fit.
///
/// # Errors
/// [`Error::Parameter`] for a program that is stopped, and for results that are not those of plain Rust.
pub fn run(
    machine: &mut UnitMachine<Native>,
    params: &DualityParams,
    kernel: &Kernel,
    blocks: usize,
    seed: u64,
) -> Result<Option<Parted>> {
    let wide = DualityParams { columns: 4 * params.columns, ..params.clone() };
    let program = assemble(kernel.text, kernel.name, params)?;
    let mut task = kernel.task(&wide, seed);
    if task.launches.iter().any(|launch| launch.check(params, program.arrays).is_err()) {
        return Ok(None);
    }
    machine.partition = (1 << blocks) - 1;
    let how = How { mode: Mode::Decoupled, host_fed: false, latency: 40, stalls: false };
    let mut sum = Parted::default();
    for launch in &task.launches {
        let (ended, counts) = machine.run(&program, launch, &mut task.memory, how)?;
        if ended != Ended::Code(0) {
            return Err(Error::parameter("kernel", kernel.name, format!("ends with {ended:?}")));
        }
        sum.cycles += counts.cycles;
        sum.misses += counts.requests[1];
    }
    if task.expected.iter().any(|(at, words)| task.memory.words(*at, words.len()) != *words) {
        return Err(Error::parameter("kernel", kernel.name, "memory is not what plain Rust computes"));
    }
    Ok(Some(sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::duality::kernels::KERNELS;

    /// The table of `scripts/figures.sh duality-ways`.
    #[test]
    #[ignore = "takes minutes: scripts/figures.sh duality-ways, scripts/check-deep.sh"]
    fn duality_cycles_against_ways() {
        let (blocks, cache_sets, seed) = (3, 4, 1);
        let cache_ways = blocks + 1;
        println!("seed {seed}");
        let tiny = DualityParams::preset("tiny").expect("it is there");
        let params = DualityParams { blocks, cache_ways, cache_sets, ..tiny };
        let mut machine = UnitMachine::native(&params, seed).expect("legal");
        let parts: Vec<String> = (1..=blocks).map(|k| format!("{k} and {}", cache_ways - k)).collect();
        println!("| kernel | data | {} |\n|---|---|{}", parts.join(" | "), "--:|".repeat(blocks));
        for kernel in KERNELS {
            let mut all = vec![];
            for k in 1..=blocks {
                let parted = run(&mut machine, &params, kernel, k, seed).unwrap_or_else(|e| panic!("{e}"));
                all.extend(parted);
            }
            if all.is_empty() {
                continue;
            }
            let cells: Vec<String> = all.iter().map(|part| format!("{} ({})", part.cycles, part.misses)).collect();
            let size = kernel.task(&DualityParams { columns: 32, ..params.clone() }, seed).size;
            println!("| {} | {size} | {} |", kernel.name, cells.join(" | "));
            assert!(all[1].cycles < all[0].cycles, "two control blocks are faster than one: {}: {all:?}", kernel.name);
        }
    }
}
