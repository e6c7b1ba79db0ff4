//! Tests of more than one crate: hardware against models, natively and under Verilator and Icarus; proofs; the rules of
//! the sources.

mod agree;
mod all_bytes;
mod ccs_system;
mod lint;

mod axi;
mod board;
mod cache_apps;
mod ccs;
mod ccs_beside;
mod ccs_bridge;
mod ccs_errors;
mod ccs_queue;
mod ccs_refused;
mod ccs_reset;
mod ccs_software;
mod ccs_top;
mod ccs_unit;
mod ccs_values;
mod compute_cache;
mod compute_cache_top;
mod constructs;
mod duality;
mod duality_driver;
mod engines;
mod formal;
mod found_by_users;
mod fuzz;
mod host;
mod host_link;
mod imports;
mod judges;
mod line_port;
mod macros;
mod memory;
mod mutation;
mod registers;
mod regression;
mod smoke;
mod tmu;
