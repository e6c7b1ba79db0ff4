#!/bin/sh
# What CI leaves out for time: every combination of the parameter menu, natively and through the tools' checks; all ROM mutations; 100,000 transfers on each bus;
# long proofs, some with SymbiYosys; fuzzers for an hour. Takes hours.
# Before them, in minutes: packages in the hands of FuseSoC, edalize and LiteX; two more parsers; emitted against mapped netlists.
set -eu
cd "$(dirname "$0")/.."
./scripts/packaging.sh
./scripts/parsers.sh
./scripts/equivalence.sh
tools=$(./scripts/deep-tools.sh)
export PATH="$tools:$PATH"
BITLINE_DEEP=1 cargo test --test gen_cli -- bench macros fuzz
BITLINE_DEEP=1 cargo test --test sim_cli -- fuzz
BITLINE_DEEP=1 exec cargo test --test tb -- --include-ignored menu_ mutation judge formal host_link fuzz "$@"
