//! Blocks and buses that know no unit. One block, one file, one Verilog module.

pub mod axil_slave;
pub mod axil_word;
pub mod bundles;
pub mod cache_ops;
pub mod head_queue;
pub mod mixer;
pub mod queue;
pub mod tmu;
