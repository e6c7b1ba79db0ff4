#!/bin/sh
# What CI leaves out for time: every combination of the parameter menu, natively and through the tools' checks; all ROM mutations; 100,000 transfers on each bus. Takes hours.
set -eu
cd "$(dirname "$0")/.."
BITLINE_DEEP=1 exec cargo test --lib -- menu_ mutation judge "$@"
