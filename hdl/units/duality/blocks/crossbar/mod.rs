//! The crossbar of a control block: what words do that give threads of a bank the numbers of others.

mod network;
mod numbers;
mod reduce;
mod sequence;
mod unit;

pub use network::DualityCrossbarNetwork;
pub use numbers::DualityCrossbarNumbers;
pub use reduce::DualityCrossbarReduce;
pub use unit::DualityCrossbar;
