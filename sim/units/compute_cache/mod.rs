//! The compute cache.

pub mod apps;
pub mod campaign;
pub mod figures;
pub mod machine;
