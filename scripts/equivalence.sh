#!/usr/bin/env bash
# Proves with yosys that small designs, mapped to Xilinx 7-series cells, do what their emitted Verilog does as yosys reads it: registers are paired by their names, and
# each is shown to take the same next value, as are outputs. Memories become registers on both sides, by the same passes; multiplications stay in LUT.
#
#   ./scripts/equivalence.sh     minutes
#
# GEN names the generator, if it is built already. Logs: build/equivalence.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v yosys >/dev/null; then
    echo "equivalence.sh: yosys is not installed" >&2
    exit 2
fi
if [ -z "${GEN:-}" ]; then
    cargo build --quiet --release --bin gen
    GEN=${CARGO_TARGET_DIR:-target}/release/gen
fi
work=build/equivalence
mkdir -p $work

# What both sides begin with: the Verilog, memories as registers.
lowered() { # FOLDER TOP
    local files
    files=$(sed "s#^#$1/#" "$1/bitline.f" | tr '\n' ' ')
    printf 'read_verilog %s; hierarchy -check -top %s; proc; flatten; opt_clean; memory -nomap; memory_map; opt -full' "$files" "$2"
}

# proven FOLDER TOP [FOLDER]: the Verilog of the first folder, and that of the second one (the same unless given) mapped
proven() {
    local top=$2 log=$work/$2
    yosys -q -l "$log.log" -p "
        $(lowered "$1" "$top")
        rename $top gold
        design -stash gold
        $(lowered "${3:-$1}" "$top")
        synth_xilinx -family xc7 -flatten -noiopad -nodsp -nosrl -top $top
        read_verilog +/xilinx/cells_sim.v
        hierarchy -top $top
        proc
        flatten
        opt_clean
        rename $top gate
        design -stash gate
        design -copy-from gold -as gold gold
        design -copy-from gate -as gate gate
        equiv_make gold gate equiv
        hierarchy -top equiv
        async2sync
        dffunmap
        opt_clean
        equiv_simple
        equiv_induct -seq 2
        equiv_status -assert" >"$log.said" 2>&1
}
prove() {
    local pairs
    proven "$@" || { tail -3 "$work/$2.said" >&2; echo "equivalence.sh: $2: not proven" >&2; exit 1; }
    pairs=$(sed -n 's/.*Of those cells \([0-9]*\) are proven.*/\1/p' "$work/$2.log" | tail -1)
    if [ "${pairs:-0}" = 0 ]; then echo "equivalence.sh: $2: nothing was compared" >&2; exit 1; fi
    echo "$2: $pairs pairs of bits are equal"
}
"$GEN" --target generic --preset tiny --out $work/array >/dev/null
"$GEN" --target vc709 --preset tiny --out $work/board >/dev/null
printf 'base = "tiny"\nelement_bits = 8\nlines = 2\n' >$work/ccs.toml
"$GEN" --unit ccs --target generic --config $work/ccs.toml --out $work/ccs >/dev/null
yosys -V
prove $work/board bl_uart_receiver
# The comparison can fail.
rm -rf $work/wrong
cp -r $work/board $work/wrong
sed -i 's/assign byte_wrong = wrong;/assign byte_wrong = good;/' $work/wrong/rtl/bl_uart_receiver.v
if cmp -s $work/board/rtl/bl_uart_receiver.v $work/wrong/rtl/bl_uart_receiver.v || proven $work/board bl_uart_receiver $work/wrong; then
    echo "equivalence.sh: a receiver with another output was not told apart" >&2
    exit 1
fi
prove $work/board bl_frame_receiver
prove $work/array bl_compute_array
prove $work/array bl_axil_regs
# Of the cache compute system, what has no multiplier: those are beyond the solver.
prove $work/ccs bl_ccs_launcher
prove $work/ccs bl_ccs_registers
prove $work/ccs bl_ccs_scoreboard
