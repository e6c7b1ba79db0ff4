//! The engine against a naive evaluation of the same flat design.

mod design;
mod random;
mod reference;
