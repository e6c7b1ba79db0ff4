//! Tests of the compiler: one program, so that what they share is compiled and linked once.

mod arrays;
mod c_kernels;
mod calls;
mod changed;
mod common;
mod exact;
mod examples;
mod fields;
mod floats;
mod frames;
mod functions;
mod halves;
mod integers;
mod interpreter;
mod measured;
mod meets;
mod numbers;
mod parameters;
mod parser;
mod random;
mod regions;
mod replay;
mod spaces;
mod warps;
mod wide;
mod words;
