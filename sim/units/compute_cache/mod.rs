//! The compute cache.

pub mod apps;
pub mod figures;
pub mod machine;
