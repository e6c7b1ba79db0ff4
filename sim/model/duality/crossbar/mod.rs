//! Models of the crossbar and its blocks, from their contracts. A row is a bit for each thread, thread 0 first.

pub mod network;
pub mod numbers;
pub mod reduce;
pub mod unit;

/// A row.
pub type Bits = Vec<bool>;
