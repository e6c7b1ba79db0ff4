#!/usr/bin/env bash
# Measures what the manual's figures say, and puts it there.
#
#   ./scripts/figures.sh NAME ...     names: see below; without one it lists them
#
# Each NAME is a command. Its output goes to docs/results/NAME.md, under a line that says which command on which commit it is from, and into the page that has the marks
# `<!-- begin NAME -->` and `<!-- end NAME -->`. A test compares the two (tb/documents.rs): nobody types a figure. Speeds depend on the machine: measure them on a quiet one.
# BITLINE names the program, if it is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

bitline() {
    if [ -n "${BITLINE:-}" ]; then "$BITLINE" "$@"; else cargo run --quiet --release -- "$@"; fi
}
text() { # the output of a script, as text of fixed width
    echo '```text'
    "$@"
    echo '```'
}
coverage() { # a line for each unit's presets, then Verilator's count beside that of the small array
    echo '| unit | preset | bits toggled | arms taken | states held |'
    echo '|---|---|--:|--:|--:|'
    local unit preset
    for unit in array/tiny array/default compute-cache/tiny compute-cache/l1 ccs/small; do
        preset=${unit#*/}
        unit=${unit%/*}
        bitline sim coverage --unit "$unit" --preset "$preset" --seeds 4 | sed -n "s/^| \*\*all\*\* |/| $unit | $preset |/p"
    done
    echo
    echo 'The array `tiny`, one seed, beside Verilator:'
    echo
    bitline sim coverage --verilator | sed -n '/^| bits that change/,$p'
}
known="coverage cycles transfers array-cost tmu-cost compute-cache ccs ccs-system ccs-cost speed cost scaling"
measure() {
    case $1 in
    coverage) coverage ;;
    cycles) bitline sim cycles --summary ;;
    transfers) bitline sim transfers ;;
    array-cost) text ./scripts/synth.sh compute-unit default ;;
    tmu-cost) text ./scripts/synth.sh tmu ;;
    compute-cache) bitline sim cc ;;
    ccs) bitline sim ccs ;;
    ccs-system) bitline sim ccs-system ;;
    ccs-cost) text ./scripts/synth.sh ccs ;;
    speed) bitline sim bench ;;
    cost) ./scripts/synth.sh --all ;;
    scaling) bitline sim scaling ;;
    *) echo "figures.sh: $1: must be one of $known" >&2; return 2 ;;
    esac
}
if [ $# = 0 ]; then
    printf '%s\n' $known
    exit 0
fi
mkdir -p docs/results build
for name in "$@"; do
    begin="<!-- begin $name -->"
    end="<!-- end $name -->"
    page=$(grep -lF -- "$begin" docs/*.md README.md | head -1) || true
    new=build/figure.$name
    measure "$name" >"$new"
    if [ ! -s "$new" ]; then
        echo "figures.sh: $name: nothing was printed" >&2
        exit 1
    fi
    # What was measured: the sources, not the pages.
    commit=$(git log -1 --format=%h -- hdl sim scripts templates 2>/dev/null || echo unknown)
    if [ -n "$(git status --porcelain -- hdl sim templates 2>/dev/null)" ]; then commit="$commit with changes"; fi
    { echo "<!-- scripts/figures.sh $name, commit $commit, $(date -u +%F) -->"; cat "$new"; } >"docs/results/$name.md"
    if [ -z "$page" ]; then
        echo "figures.sh: $name: docs/results/$name.md is written; no page shows it: put $begin and $end where it belongs, and run this again" >&2
        rm "$new"
        continue
    fi
    awk -v begin="$begin" -v end="$end" -v file="$new" '
        $0 == end { hidden = 0 }
        !hidden { print }
        $0 == begin { hidden = 1; while ((getline line < file) > 0) print line }' "$page" >"$page.new"
    mv "$page.new" "$page"
    rm "$new"
    echo "$name: docs/results/$name.md and $page"
done
