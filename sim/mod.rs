//! Native simulation: software models, the engine that runs netlists, lock-step comparison.

pub mod bench;
pub mod cache_apps;
pub mod cache_figures;
pub mod cache_machine;
pub mod campaign;
pub mod ccs;
pub mod cycle_table;
pub mod data;
pub mod engine;
pub mod host_link;
pub mod job;
pub mod lockstep;
pub mod machine;
pub mod memory;
pub mod model;
pub mod oracle;
pub mod plot;
pub mod scaling;
pub mod vectors;
pub mod wave;
