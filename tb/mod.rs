//! External tools behind the project's own interfaces, and the benches that drive them beside the native simulation.

pub mod agree;
pub mod ccs_system;
pub mod icarus;
pub mod lint;
mod names;
pub mod tool;
pub mod verilator;

pub use tool::require;

#[cfg(test)]
mod axi;
#[cfg(test)]
mod board;
#[cfg(test)]
mod cache_apps;
#[cfg(test)]
mod ccs;
#[cfg(test)]
mod ccs_beside;
#[cfg(test)]
mod ccs_bridge;
#[cfg(test)]
mod ccs_errors;
#[cfg(test)]
mod ccs_refused;
#[cfg(test)]
mod ccs_reset;
#[cfg(test)]
mod ccs_software;
#[cfg(test)]
mod ccs_top;
#[cfg(test)]
mod ccs_unit;
#[cfg(test)]
mod ccs_values;
#[cfg(test)]
mod compute_cache;
#[cfg(test)]
mod compute_cache_top;
#[cfg(test)]
mod constructs;
#[cfg(test)]
mod formal;
#[cfg(test)]
mod host;
#[cfg(test)]
mod host_link;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod judges;
#[cfg(test)]
mod line_port;
#[cfg(test)]
mod macros;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod mutation;
#[cfg(test)]
mod registers;
#[cfg(test)]
mod regression;
#[cfg(test)]
mod smoke;
#[cfg(test)]
mod tmu;
