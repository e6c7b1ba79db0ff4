//! The way between memory and the array.

pub mod beat_joiner;
pub mod beat_splitter;
pub mod bundles;
pub mod burst_generator;
pub mod core;
pub mod dispatch;
pub mod element_packer;
pub mod element_unpacker;
pub mod path;
pub mod reader;
pub mod scoreboard;
pub mod stages;
pub mod stream_ends;
pub mod stream_top;
pub mod top;
pub mod types;
pub mod writer;
