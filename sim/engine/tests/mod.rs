//! The engine against a naive evaluation of the same flat design, and cases that are hard for in-place updates and branches.

mod design;
mod random;
mod reference;
