//! The Duality Cache's control block: a way of a cache that turns into a SIMT processor.
//!
//! Source: Fujiki, Mahlke, Das, Duality Cache for Data Parallel Acceleration, ISCA 2019, §3.3 and §3.5; the thesis of
//! the first author (2022), §4.2.3 to §4.2.5. A control block (CB) is four banks of 256 threads; a thread is one
//! bitline position in the member arrays of its bank, and all threads of a CB follow one program counter.
//!
//! [`params`] are a CB's parameters and presets, [`cache_params`] those of the cache ways around it, [`isa`] its words:
//! fields, legality, assembler, program files; [`passes`] what its windows do with rows besides operations; [`blocks`]
//! its hardware, ways that are a cache or control blocks among it, and [`registers`] what software sees of it.

pub mod blocks;
pub mod cache_params;
pub(crate) mod config;
pub mod isa;
pub mod lines;
pub mod params;
pub mod passes;
pub mod registers;

pub use cache_params::CacheParams;
pub use params::{DUALITY_PRESETS, DualityParams};
