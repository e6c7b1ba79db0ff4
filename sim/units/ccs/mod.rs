//! A cache compute system with its memory and a processor that drives it, on any engine.

pub mod campaign;
pub mod energy;
pub mod figures;
pub mod host;
pub mod launches;
pub mod line_port;
pub mod machine;
pub mod queued;
pub mod reference;
pub mod system;
pub mod top_machine;
