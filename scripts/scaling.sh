#!/usr/bin/env bash
# Synthesises arrays of 32 to 256 columns, 1 to 16 of them under one sequencer, for Xilinx 7-series with yosys, and prints what each takes, and how many the
# XC7VX690T holds by that.
#
#   ./scripts/scaling.sh       writes build/synth/scaling.csv and build/synth/scaling.svg: about ten minutes
#
# GEN and SIM name the programs, if they are built already.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cost.sh

if ! command -v yosys >/dev/null; then
    echo "scaling.sh: yosys is not installed" >&2
    exit 2
fi
mkdir -p build/synth
table=build/synth/scaling.csv
echo "columns,arrays,lut,ff,ramb36,ramb18" >$table.new
for columns in 32 64 128 256; do
    out=build/synth/scaling-$columns
    printf 'base = "default"\ncolumns = %s\n' $columns >$out.toml
    choice=(--target generic --config $out.toml --out $out)
    if [ -n "${GEN:-}" ]; then "$GEN" "${choice[@]}"; else cargo run --quiet --release --bin gen -- "${choice[@]}"; fi
    # One sequencer drives all arrays in step; each array has its own rows in and out, and any tag counts.
    control="column a_enable a_row b_enable b_row merge multi multi_rows write_enable write_row load store"
    ranged() { sed -n "s/^ *\(input \|output\) *\(wire\|reg\) *\(\[[0-9:]*\]\)* *$2,*$/\3/p" "$out/rtl/$1.v"; }
    counts="1 2 4 8 16"
    {
        for arrays in $counts; do
            echo "module scaling_$arrays (input wire clk, rst, command_valid, load_ready, store_ready, input wire $(ranged bl_sequencer command) command,"
            echo "  output wire accept, busy, issued, first, last, refused, output wire [2:0] refused_code, refused_operand,"
            echo "  input wire [$((arrays * columns - 1)):0] load_row, output wire [$((arrays * columns - 1)):0] store_row,"
            echo "  output wire [$((arrays - 1)):0] loaded, stored);"
            for name in $control; do echo "  wire $(ranged bl_compute_array $name) $name;"; done
            echo "  wire [$((arrays - 1)):0] tags;"
            pins=$(for name in $control; do printf '.%s(%s), ' $name $name; done)
            echo "  bl_sequencer sequencer (.clk(clk), .rst(rst), .command_valid(command_valid), .command(command), .accept(accept),"
            echo "    .load_ready(load_ready), .store_ready(store_ready), .busy(busy), .issued(issued), .first(first), .last(last), .refused(refused),"
            echo "    .refused_code(refused_code), .refused_operand(refused_operand), $pins .tag_any(|tags));"
            for ((i = 0; i < arrays; i++)); do
                echo "  bl_compute_array array_$i (.clk(clk), .rst(rst), $pins .load_row(load_row[$((i * columns)) +: $columns]),"
                echo "    .loaded(loaded[$i]), .store_row(store_row[$((i * columns)) +: $columns]), .stored(stored[$i]), .tag_any(tags[$i]));"
            done
            echo "endmodule"
        done
        # All of them in one design: yosys maps array and sequencer once and counts them as often as each top has them.
        echo "module scaling (input wire clk, rst, input wire [$((16 * columns)):0] in, output wire [31:0] out);"
        for arrays in $counts; do echo "  scaling_$arrays top_$arrays (.clk(clk), .rst(rst), .command_valid(in[0]), .load_row(in[1 +: $((arrays * columns))]), .busy(out[$arrays]));"; done
        echo "endmodule"
    } >$out/scaling.v
    stats=""
    for arrays in $counts; do stats+="; tee -o $out/scaling-$arrays.stat stat -tech xilinx -top scaling_$arrays"; done
    # `hierarchy` in the middle: as in synth.sh.
    yosys -q -l $out/scaling.log -p "
        read_verilog $(sed "s#^#$out/#" $out/bitline.f | tr '\n' ' ') $out/scaling.v
        hierarchy -top scaling
        proc
        flatten bl_sequencer bl_compute_array
        setattr -mod -set keep_hierarchy 1 bl_sequencer bl_compute_array $(printf 'scaling_%s ' $counts)
        synth_xilinx -family xc7 -flatten -noiopad -abc9 -top scaling -run begin:map_luts
        hierarchy -check -top scaling
        synth_xilinx -family xc7 -flatten -noiopad -abc9 -top scaling -run map_luts:
        $stats" 2>$out/scaling.warnings || { tail -5 $out/scaling.warnings >&2; exit 1; }
    for arrays in $counts; do
        # The hierarchy's totals come last.
        awk -v columns=$columns -v arrays=$arrays "$memory_cells"'
            /=== design hierarchy ===/ { total = 1 }
            total && NF == 2 && $2 ~ /^[0-9]+$/ {
                if ($1 ~ /^(LUT[1-6]|INV)$/) lut += $2
                lut += memory($1) * $2
                if ($1 ~ /^FD/) ff += $2
                if ($1 ~ /^RAMB36/) ramb36 += $2
                if ($1 ~ /^RAMB18/) ramb18 += $2
            }
            END { printf "%d,%d,%d,%d,%d,%d\n", columns, arrays, lut, ff, ramb36, ramb18 }' $out/scaling-$arrays.stat >>$table.new
    done
done
mv $table.new $table
if [ -n "${SIM:-}" ]; then sim=("$SIM"); else sim=(cargo run --quiet --release --bin sim --); fi
"${sim[@]}" scaling $table --plot build/synth/scaling.svg
