//! The engine against a naive evaluation of the same flat design.

mod design;
mod lanes;
mod limits;
mod maker;
mod random;
mod reference;
mod unit;
