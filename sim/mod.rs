//! Native simulation: software models, the engine that runs netlists, lock-step comparison.

pub mod cycle_table;
pub mod data;
pub mod job;
pub mod machine;
pub mod model;
pub mod vectors;
pub mod wave;
