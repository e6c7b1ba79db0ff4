//! The engine against a naive evaluation of the same flat design.

mod batch;
mod design;
mod image;
mod lanes;
mod maker;
mod random;
mod unit;
