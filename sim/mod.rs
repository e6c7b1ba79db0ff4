//! Native simulation: software models, the engine that runs netlists, lock-step comparison.

pub mod campaign;
pub mod bench;
pub mod engine;
pub mod lockstep;
pub mod cycle_table;
pub mod data;
pub mod job;
pub mod machine;
pub mod model;
pub mod oracle;
pub mod vectors;
pub mod wave;
