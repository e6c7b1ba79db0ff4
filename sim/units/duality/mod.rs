//! The Duality Cache's control block: kernels by hand, run by the judge.

pub mod block;
pub mod figures;
pub mod kernels;
pub mod ring;
pub mod words;

#[cfg(test)]
mod tests;
