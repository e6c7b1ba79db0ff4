#!/usr/bin/env bash
# Proves with yosys that small designs, mapped to Xilinx 7-series cells, do what their emitted Verilog does: registers are paired by their names, and each
# is shown to take the same next value, as are outputs. Memories become registers on both sides; multiplications stay in LUT.
#
#   ./scripts/equivalence.sh     about a quarter of an hour
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

# prove FOLDER TOP
prove() {
    local folder=$1 top=$2 log=$work/$2 files said
    files=$(sed "s#^#$folder/#" "$folder/bitline.f" | tr '\n' ' ')
    if ! yosys -q -l "$log.log" -p "
        read_verilog $files
        hierarchy -check -top $top
        proc
        flatten
        opt_clean
        memory -nomap
        memory_map
        opt -full
        rename $top gold
        design -save gold
        rename gold $top
        synth_xilinx -family xc7 -flatten -noiopad -nodsp -nosrl -top $top
        read_verilog +/xilinx/cells_sim.v
        hierarchy -top $top
        proc
        flatten
        opt_clean
        rename $top gate
        design -stash gate
        design -load gold
        design -stash gold
        design -copy-from gold -as gold gold
        design -copy-from gate -as gate gate
        equiv_make gold gate equiv
        hierarchy -top equiv
        async2sync
        dffunmap
        opt_clean
        equiv_simple
        equiv_induct -seq 2
        equiv_status -assert" >"$log.said" 2>&1; then
        tail -3 "$log.said" >&2
        echo "equivalence.sh: $top: not proven" >&2
        exit 1
    fi
    said=$(grep -o 'Of those cells [0-9]* are proven' "$log.log" | tail -1 | grep -o '[0-9]*')
    echo "$top: $said pairs of bits are equal"
}
"$GEN" --target generic --preset tiny --out $work/array >/dev/null
"$GEN" --target vc709 --preset tiny --out $work/board >/dev/null
printf 'base = "tiny"\nelement_bits = 8\nlines = 2\n' >$work/ccs.toml
"$GEN" --unit ccs --target generic --config $work/ccs.toml --out $work/ccs >/dev/null
yosys -V
prove $work/array bl_compute_array
prove $work/array bl_axil_regs
prove $work/board bl_frame_receiver
prove $work/board bl_uart_receiver
prove $work/ccs bl_ccs_unit_4x8
prove $work/array bl_compute_unit
