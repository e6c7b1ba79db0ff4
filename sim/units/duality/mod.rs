//! The Duality Cache's control block: kernels by hand, run by the judge.

pub mod figures;
pub mod kernels;
pub mod ring;

#[cfg(test)]
mod tests;
