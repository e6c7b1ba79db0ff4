//! The system on a board: UART, frames, bus, memories and what computes. `system.rs` says how the blocks hang together.

mod array_memory;
mod board_registers;
mod bridge;
mod bundles;
mod checksum;
mod duality_on_chip;
mod frame_buffer;
pub mod frame_receiver;
mod frame_sender;
mod host_bridge;
mod interconnect;
mod line_timer;
mod status_lights;
mod system;
pub mod uart_receiver;
pub mod uart_transmitter;

use crate::array::isa::microcode::Microcode;
use crate::error::{Error, Result};
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;
use crate::system::SystemParams;

use self::host_bridge::HostBridge;
use self::system::SystemTop;

/// log2 of the cycles that the bus may take: 84 ms at 200 MHz.
pub const LOG2_BUS_TIMEOUT: usize = 24;

/// The netlist of a board system, without what belongs to the board: clock, reset, pins.
///
/// # Errors
/// [`Error::Parameter`] if `params` break a rule; [`Error::Netlist`] if a block does.
pub fn system_top(params: &SystemParams) -> Result<Netlist> {
    system_top_with(params, LOG2_BUS_TIMEOUT)
}

/// The same with a bus that may take 2^`log2_bus_timeout` cycles: 4 to 24.
///
/// # Errors
/// As [`system_top`].
pub fn system_top_with(params: &SystemParams, log2_bus_timeout: usize) -> Result<Netlist> {
    params.check()?;
    check_timeout(log2_bus_timeout)?;
    let columns = params.array.columns;
    let _widths =
        Widths::keep().set::<Row>(columns).set::<Beat>(columns).set::<TileIndex>(columns.ilog2() as usize).bus(64);
    let code = Microcode::assemble(&params.array);
    elaborated(SystemTop::<Row>::new(params, &code, log2_bus_timeout))
}

/// The netlist of the way from the UART to the bus alone, with that bus as its ports.
///
/// # Errors
/// As [`system_top_with`].
pub fn host_bridge(params: &SystemParams, log2_bus_timeout: usize) -> Result<Netlist> {
    params.check()?;
    check_timeout(log2_bus_timeout)?;
    elaborated(HostBridge::new(params.cycles_a_bit(), params.timeout_bits, log2_bus_timeout))
}

fn check_timeout(log2_bus_timeout: usize) -> Result<()> {
    if (4..=LOG2_BUS_TIMEOUT).contains(&log2_bus_timeout) {
        return Ok(());
    }
    Err(Error::parameter("log2_bus_timeout", log2_bus_timeout, "must be from 4 to 24"))
}

fn elaborated<T: Block>(mut top: T) -> Result<Netlist> {
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates() {
        for (columns, lanes) in [(8, 4), (16, 8)] {
            let mut params = SystemParams::preset("tiny").expect("named");
            (params.array.columns, params.ccs.lanes) = (columns, lanes);
            let netlist = system_top(&params).unwrap_or_else(|e| panic!("{columns} columns: {e}"));
            assert_eq!(netlist.top().name, "bl_system");
        }
    }

    /// A Duality Cache whose arrays are as wide as the array beside them, and one whose arrays are not.
    #[test]
    fn it_elaborates_with_a_duality_cache() {
        for columns in [8, 16] {
            let mut params = SystemParams::preset("duality-tiny").expect("named");
            params.duality.as_mut().expect("it has one").unit.columns = columns;
            let netlist = system_top(&params).unwrap_or_else(|e| panic!("{columns} columns: {e}"));
            assert_eq!(netlist.top().name, "bl_system");
            let names = |name: &str| netlist.modules.iter().filter(|module| module.name == name).count();
            assert_eq!(["bl_duality_top", "bl_memory_top", "bl_array_memory_65536"].map(names), [1; 3]);
        }
    }

    #[test]
    fn wrong_parameters_are_refused() {
        let tiny = SystemParams::preset("tiny").expect("named");
        assert!(system_top_with(&tiny, 25).is_err());
        assert!(host_bridge(&tiny, 3).is_err());
        assert!(system_top(&SystemParams { baud: 0, ..tiny }).is_err());
    }
}
