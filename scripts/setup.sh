#!/usr/bin/env bash
# From a machine with nothing but Rust to the first design: installs what building needs and is missing, then writes the system for the VC709.
#
#   ./scripts/setup.sh [ARGUMENT of gen ...]     default: --target vc709
#
# On Debian and its kin a C compiler (rustc links with it) and certificates are installed with apt-get, as root or through sudo, and nothing is touched where they are
# there already. rustup fetches the toolchain that rust-toolchain.toml names. The last line has the time.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh
need_cargo
install_missing missing_to_build
if [ -n "$still_missing" ]; then
    loud "Building cannot begin without: $still_missing"
    exit 2
fi
if [ $# = 0 ]; then set -- --target vc709; fi
say "cargo run --release --bin gen -- $*"
begin=$SECONDS
cargo run --release --bin gen -- "$@"
echo "$((SECONDS - begin)) s, nearly all of them for building. All that the program does: cargo run --release -- --help"
