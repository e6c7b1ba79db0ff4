//! `gen` writes a design for a target: what `bitline gen` does, for `cargo run --bin gen` in the sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    bitline_cli::r#gen()
}
