//! Simulation: machines, lock-step comparison, campaigns, programs, waves, the host's side of a board.

pub mod bench;
pub mod campaign;
pub mod constant;
pub mod coverage;
pub mod cycle_table;
pub mod data;
pub mod external;
pub mod host_link;
pub mod job;
pub mod lockstep;
pub mod machine;
pub mod oracle;
pub mod plot;
pub mod regress;
pub mod scaling;
pub mod units;
pub mod wave;

pub use bitline_emit as emit;
pub use bitline_engine as engine;
pub use bitline_kernel as kernel;
pub use bitline_kernel::error;
pub use bitline_model as model;
pub use bitline_model::vectors;
pub(crate) use bitline_units::array::{isa, params, presets};
pub(crate) use bitline_units::{array, ccs, compute_cache, regmap, system};
