#!/usr/bin/env bash
# Installs what the tests need and is missing, then runs all tests.
#
#   ./scripts/test.sh
#
# Needs Rust (rustup or the toolchain of rust-toolchain.toml). Verilator, Icarus, yosys, g++, make, tclsh, a C compiler for RISC-V and clang for
# CUDA programs are installed with apt-get, as root or through sudo; the processor of tb/host.rs comes from PyPI. Where that is not possible the script says
# so and goes on: tests that need a missing tool then skip, and say so. With CI=true a missing tool is a failure instead.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/packages.sh
missing() { # packages whose programs are not there
    local program
    missing_to_build
    for program in verilator iverilog yosys g++ make; do
        command -v "$program" >/dev/null || echo "$program"
    done
    command -v tclsh >/dev/null || echo tcl
    command -v riscv64-unknown-elf-gcc >/dev/null || echo gcc-riscv64-unknown-elf
    command -v clang-19 >/dev/null || echo clang-19
    python3 -m pip --version >/dev/null 2>&1 || echo python3-pip
}

need_cargo

say "Tools"
install_missing missing
need=$still_missing
if [ -n "$need" ] && [ "${CI:-}" = true ]; then
    loud "Missing: $need" "CI=true: every test has to run."
    exit 1
fi
if [ -n "$need" ]; then loud "Still missing: $need" "Tests that need them will be skipped."; fi
for program in verilator iverilog yosys; do
    if command -v "$program" >/dev/null; then
        "$program" -V 2>/dev/null | head -1 || true
    fi
done

if ! scripts/host-core.sh; then
    loud "scripts/host-core.sh could not fetch the processor of tb/host.rs"
    if [ "${CI:-}" = true ]; then exit 1; fi
    need="$need picorv32"
fi

say "All tests: units, campaigns, regressions under Verilator and Icarus, the command lines, the documentation's code"
# The largest program of tests has more tests at a time than there are cores, since some wait until another has built the same. Beside it run all
# others, one after the other: no core waits for the last test of a program.
built=$(cargo test --workspace --no-run --message-format=json-render-diagnostics)
programs=$(sed -nE 's/.*"manifest_path":"([^"]+)\/Cargo\.toml".*"profile":\{[^}]*"test":true\}.*"executable":"([^"]+)".*/\1\t\2/p' <<<"$built")
largest=$(grep -E '/tb-[0-9a-f]+$' <<<"$programs")
run() { # THREADS, then FOLDER and PROGRAM of each line
    local threads=$1 folder program failed=0
    while IFS=$'\t' read -r folder program; do
        printf '\n     Running %s\n' "${program##*/}"
        (cd "$folder" && CARGO_MANIFEST_DIR=$folder RUST_TEST_THREADS=${RUST_TEST_THREADS:-$threads} "$program" </dev/null) || failed=1
    done
    return $failed
}
others=$(mktemp)
# In a group of processes of its own, so that nothing of it is left when this script ends.
set -m
{
    failed=0
    grep -vxF "$largest" <<<"$programs" | run "$(nproc)" || failed=1
    cargo test --workspace --doc --no-fail-fast || failed=1
    exit $failed
} >"$others" 2>&1 &
beside=$!
set +m
trap 'kill -- "-$beside" 2>/dev/null || true; rm -f "$others"' EXIT
failed=0
run "$(($(nproc) + 1))" <<<"$largest" || failed=1
wait "$beside" || failed=1
cat "$others"
if [ "$failed" != 0 ]; then
    loud "Tests have failed: see FAILED above"
    exit 1
fi

say "Examples, on the small data that come with them unless scripts/photos.sh has fetched more"
# `cargo run` would choose other features of the dependencies than the tests have, and build everything again.
cargo build --quiet --workspace --examples
for example in alpha_blend dictionary dot_product transpose word_count bitmap_index bit_matrix ghash custom_operation gaussian_blur k_means mandelbrot cuda_blur; do
    "${CARGO_TARGET_DIR:-target}/debug/examples/$example"
done

if [ -n "$need" ]; then
    loud "All tests that ran have passed, but those that need these tools were NOT run: $need"
else
    say "All tests passed"
fi
