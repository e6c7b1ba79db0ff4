//! `sim` runs programs on the array and measures cycles: what `bitline sim` does, for `cargo run --bin sim` in the
//! sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    bitline_cli::sim()
}
