#!/bin/sh
# What CI leaves out for time: every combination of the parameter menu, natively and through the tools' checks; all ROM mutations; 100,000 transfers on each bus;
# long proofs, some with SymbiYosys. Takes hours.
# Before them, in minutes: packages in the hands of FuseSoC, edalize and LiteX; two more parsers; emitted against mapped netlists; a regression under a
# Slurm of its own, for which it must be root and have the packages slurm-wlm and munge.
set -eu
cd "$(dirname "$0")/.."
./scripts/packaging.sh
./scripts/parsers.sh
./scripts/equivalence.sh
./scripts/slurm-test.sh
tools=$(./scripts/deep-tools.sh)
export PATH="$tools:$PATH"
BITLINE_DEEP=1 cargo test --test gen_cli -- bench macros
BITLINE_DEEP=1 exec cargo test --test tb -- --include-ignored menu_ mutation judge formal host_link "$@"
