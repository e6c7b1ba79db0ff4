//! The Duality Cache's control block: a way of a cache that turns into a SIMT processor.
//!
//! Source: Fujiki, Mahlke, Das, Duality Cache for Data Parallel Acceleration, ISCA 2019, §3.3 and §3.5; the thesis of
//! the first author (2022), §4.2.3 to §4.2.5. A control block (CB) is four banks of 256 threads; a thread is one
//! bitline position in the member arrays of its bank, and all threads of a CB follow one program counter.
//!
//! [`params`] are a CB's parameters and presets, [`isa`] its words: fields, legality, assembler, program files;
//! [`passes`] what its windows do with rows besides operations; [`blocks`] its hardware, as far as it goes.

pub mod blocks;
pub mod isa;
pub mod params;
pub mod passes;

pub use params::{DUALITY_PRESETS, DualityParams};
