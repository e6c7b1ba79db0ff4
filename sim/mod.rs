//! Native simulation: software models, the engine that runs netlists, lock-step comparison.

pub mod engine;
pub mod model;
pub mod vectors;
