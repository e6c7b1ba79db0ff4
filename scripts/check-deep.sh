#!/bin/sh
# What CI leaves out for time: of random commands, programs and changes of designs one half to five sixths; lint of all
# words of ROMs; every combination of the parameter menu, natively and through the tools' checks; all ROM mutations; 100,000 transfers on each bus;
# millions of accesses to the Duality Cache's cache ways, all of its kernels while ways change, hundreds of its random programs;
# long proofs, some with SymbiYosys; fuzzers for an hour; thousands of random kernels; errors of functions over millions of numbers;
# floating point on `AndNor` columns with all operands of 8 bits; exceptions of fused products of all triples of them; sums, differences, products and quotients of all pairs of
# binary16 numbers, and ten million binary32 numbers in every operation. Takes hours.
# Before them: all CUDA programs on all engines; packages in the hands of FuseSoC, edalize and LiteX; two more parsers; the tutorial's operation in a copy of the sources;
# emitted against mapped netlists; a regression under a Slurm of its own, for which
# it must be root and have the packages slurm-wlm and munge; the first commands on a machine with nothing but
# Rust, which needs root and builds everything anew.
set -eu
cd "$(dirname "$0")/.."
./scripts/packaging.sh
./scripts/parsers.sh
./scripts/tutorial.sh
./scripts/equivalence.sh
./scripts/cuda-programs.sh
./scripts/slurm-test.sh
if [ "$(id -u)" = 0 ]; then ./scripts/bare-machine.sh; else echo "check-deep.sh: not root: scripts/bare-machine.sh does NOT run" >&2; fi
tools=$(./scripts/deep-tools.sh)
export PATH="$tools:$PATH"
BITLINE_ACCESSES=300 cargo test -p bitline-sim --lib duality_random_
BITLINE_RANDOM_PTX=2000 cargo test -p bitline-compile --test compile random::
clangs=clang-19
if command -v clang-14 >/dev/null; then clangs=$clangs,clang-14; else echo "check-deep.sh: no clang-14: random C goes through clang-19 alone" >&2; fi
BITLINE_RANDOM_C=2000 BITLINE_CLANG=$clangs cargo test -p bitline-compile --test compile -- --nocapture c_kernels::
BITLINE_DEEP=1 exec cargo test --workspace --no-fail-fast -- --include-ignored "$@"
