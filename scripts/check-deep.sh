#!/bin/sh
# What CI leaves out for time: every combination of the parameter menu, natively and through the tools' checks; all ROM mutations; 100,000 transfers on each bus. Takes hours.
# Before them, packages in the hands of FuseSoC, edalize and LiteX: minutes.
set -eu
cd "$(dirname "$0")/.."
./scripts/packaging.sh
BITLINE_DEEP=1 cargo test --test gen_cli -- bench
BITLINE_DEEP=1 exec cargo test --lib -- --include-ignored menu_ mutation judge formal host_link "$@"
