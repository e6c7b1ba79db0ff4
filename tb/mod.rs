//! External tools behind the project's own interfaces, and the benches that drive them beside the native simulation.

pub mod lint;
pub mod tool;

pub use tool::require;

#[cfg(test)]
mod smoke;
