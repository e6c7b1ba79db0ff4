//! The host's side of a board: what speaks to it over a line, and boards to speak to that are not there.
//!
//! ```text
//!  self_test, memory_test, throughput, program ─▶ array, ccs ─▶ board ─▶ session ─▶ transport ─┬─▶ serial port
//!                                                                                              └─▶ in process ─▶ wire
//!                                            wire ─┬─▶ double, plain Rust                        pseudo-terminal ─▶ wire
//!                                                  └─▶ simulated, any engine with the board's hardware
//! ```
//!
//! A [`transport`] carries bytes; a [`session`] makes requests and replies of them ([`crate::system::protocol`]) and
//! repeats what was damaged; a [`board`] knows what must be at which address, and whether it is the board that the tool
//! was told of. A [`wire`] is the other end of a line: a board in simulated time.

pub mod array;
pub mod bits;
pub mod board;
pub mod ccs;
pub mod double;
pub mod duality;
pub mod error;
pub mod launch;
pub mod memory_test;
pub mod place;
pub mod program;
pub mod self_test;
pub mod serve;
pub mod session;
pub mod simulate;
pub mod simulated;
pub mod throughput;
pub mod transport;
pub mod wire;

pub use board::Board;
pub use error::{LinkError, Result};
pub use session::{Session, Timing};
pub use transport::Transport;
pub use wire::Wire;
