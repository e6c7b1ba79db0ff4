//! `bitline`: writes designs, simulates them and talks to boards.

use std::process::ExitCode;

fn main() -> ExitCode {
    bitline_cli::bitline()
}
