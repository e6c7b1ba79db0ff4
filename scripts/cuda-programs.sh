#!/usr/bin/env bash
# Runs every program of examples/cuda on all engines, and prints a table of what came out beside the CPU. Each program
# compares itself: bit by bit, or within a bound where it takes functions that the CPU's library rounds differently.
#
#   ./scripts/cuda-programs.sh [NAME...]     programs, all unless given; ends with 1 if any result differs
#
# On `tiny`, whose control block has 32 threads, programs are made with smaller blocks (examples/cuda/host.h) and a
# longer ring (examples/cuda/tiny.toml). Needs clang 19, as scripts/cu; BITLINE_PROGRAM names the program `bitline`, if
# it is built already. As many programs run at a time as there are processors.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${BITLINE_PROGRAM:-}" ]; then
    cargo build --release --quiet --bin bitline
    BITLINE_PROGRAM=${CARGO_TARGET_DIR:-$PWD/target}/release/bitline
fi
export BITLINE_PROGRAM
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export out
small_blocks="-DBLOCK=32 -DBLOCK_X=8 -DBLOCK_Y=4 -DTILE=4"
tiny=examples/cuda/tiny.toml
# A column: engine and preset, which is a file where blocks are small.
runs="interpreter,cb words,cb system,cb unit,small rtl,$tiny rtl,small rtl,cb"

# A program as it is, and with small blocks.
compiled() { # NAME
    scripts/cu "examples/cuda/$1.cu" -o "$out/$1"
    # shellcheck disable=SC2086 # Options are words.
    scripts/cu $small_blocks "examples/cuda/$1.cu" -o "$out/$1.tiny"
}
# What a program says on an engine, and how it ends; on the standard error, how long it took.
ran() { # NAME ENGINE PRESET
    local program=$out/$1 said=$out/$1.$2.${3##*/} status=0 began=$SECONDS
    case $3 in *.toml) program=$program.tiny ;; esac
    BITLINE_ENGINE=$2 BITLINE_PRESET=$3 "$program" >"$said" 2>&1 </dev/null || status=$?
    echo "exit status $status" >>"$said"
    echo "$1, $2, ${3##*/}: $((SECONDS - began)) s" >&2
}
export -f compiled ran
export small_blocks
# How many elements were compared, and whether they are the CPU's, of what a program has said.
counted() { awk '/ elements, as on the CPU/ { sub(/ elements, as on the CPU.*/, ""); sum += $NF } END { print sum + 0 }' "$1"; }
verdict() {
    awk '/ elements, as on the CPU/ { fine = 1 }
        / elements, as on the CPU but for / { near = 1 }
        /^exit status / { if (fine && $3 == 0) print near ? "within the bound" : "as on the CPU"; else print why ? why : $0 }
        /:/ && !/ elements, as on the CPU/ && !why { why = $0; gsub(/[|]/, "/", why) }' "$1"
}

names=("$@")
[ $# -gt 0 ] || for file in examples/cuda/*.cu; do names+=("$(basename "$file" .cu)"); done
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -n 1 bash -euc 'compiled "$1"' _
for run in $runs; do
    for name in "${names[@]}"; do echo "$name ${run/,/ }"; done
done | xargs -P "$(nproc)" -n 3 bash -c 'ran "$@"' _

echo '| program | results | `interpreter` | `words`, `cb` | `system`, `cb` | `unit`, `small` | `rtl`, `tiny.toml` | `rtl`, `small` | `rtl`, `cb` |'
echo '|---|--:|---|---|---|---|---|---|---|'
wrong=0
for name in "${names[@]}"; do
    all=$(counted "$out/$name.interpreter.cb")
    line="| $name | $all"
    for run in $runs; do
        said=$out/$name.${run%,*}.${run##*[,/]}
        found=$(verdict "$said")
        own=$(counted "$said")
        case $found in
        'as on the CPU' | 'within the bound') [ "$own" = "$all" ] || found="$found, $own results" ;;
        *) wrong=1 ;;
        esac
        line="$line | $found"
    done
    echo "$line |"
done
exit $wrong
