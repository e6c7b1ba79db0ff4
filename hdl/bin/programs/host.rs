//! `host` talks to a board over its UART: what `bitline host` does, for `cargo run --bin host` in the sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    bitline_cli::host()
}
