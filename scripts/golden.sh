#!/usr/bin/env bash
# Compares everything that is generated with the hashes in tb/golden/files.txt, or writes these anew.
#
#   ./scripts/golden.sh            tells what differs
#   ./scripts/golden.sh --bless    accepts it, and lists the files that changed
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
    "") cargo test -p bitline-emit --test golden ;;
    --bless) BITLINE_BLESS=1 cargo test -p bitline-emit --test golden -- --nocapture everything ;;
    *)
        echo "golden.sh: $1: must be --bless or nothing" >&2
        exit 2
        ;;
esac
