//! Native simulation: software models, the engine that runs netlists, lock-step comparison.

pub mod engine;
pub mod lockstep;
pub mod model;
pub mod oracle;
pub mod vectors;
