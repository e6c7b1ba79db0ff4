#!/usr/bin/env bash
# Follows the tutorial on operations: applies its patches to a copy of the sources and tries the new operation there.
#
#   ./scripts/tutorial.sh
#
# The copy is in build/tutorial, its build in build/tutorial/target: some minutes. `sim cycles` runs the operation on the hardware in every sensing mode, memory and set, and checks its results;
# it must take the cycles that the tutorial's formula says, and the campaigns must take it, too.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=build/tutorial
rm -rf "$copy/sources"
mkdir -p "$copy/sources"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- -c | tar -C "$copy/sources" -x
# The patches are the page's blocks of `diff`.
awk '/^```diff$/ { inside = 1; next } /^```$/ { inside = 0 } inside { print }' docs/tutorial-operation.md >"$copy/operation.patch"
cd "$copy/sources"
patch -p1 --fuzz=0 <../operation.patch
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
cargo run --quiet --bin sim -- cycles --op inc --format json >../cycles.json
measured=$(grep -c '"op":"inc"' ../cycles.json)
# Two sensing modes, two memories, three sets, three widths.
if [ "$measured" != 36 ]; then echo "tutorial.sh: inc: $measured measurements, not 36" >&2; exit 1; fi
if sed -n 's/.*"width":\([0-9]*\),.*"formula_cycles":\([0-9]*\),.*/\1 \2/p' ../cycles.json | awk '$1 != $2 { exit 1 } END { if (!NR) exit 1 }'; then
    echo "inc: n cycles, as its formula says, in every mode"
else
    echo "tutorial.sh: inc does not take n cycles" >&2
    exit 1
fi
cargo test --quiet -p bitline-sim --lib -- two_port_block_ram_reaches_everything every_operation_has_every_variant
