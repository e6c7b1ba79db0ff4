#!/usr/bin/env bash
# Proves that small designs, mapped to Xilinx 7-series cells, do what their emitted Verilog does as yosys reads it. Registers are paired by their names: if those of a pair
# are equal, and inputs are, then so are outputs, and the registers after the next edge. yosys cuts the registers out, abc proves what is left.
# Memories become registers on both sides, by the same passes; multiplications stay in LUT. Registers that synthesis has made one are one on both sides, and each
# has to take the value of the one. A register that synthesis has dropped must not reach anything. No register has an initial value, which would be left out.
#
#   ./scripts/equivalence.sh     ten minutes
#
# GEN names the generator, if it is built already. Logs: build/equivalence.
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in yosys yosys-abc; do
    if ! command -v $tool >/dev/null; then
        echo "equivalence.sh: $tool is not installed" >&2
        exit 2
    fi
done
. scripts/units.sh
work=build/equivalence
mkdir -p $work

# What both sides begin with: the Verilog, memories as registers, one name for each net; registers without a name, those of memories' read ports, get one.
lowered() { # FOLDER TOP
    local files
    files=$(sed "s#^#$1/#" "$1/bitline.f" | tr '\n' ' ')
    printf 'read_verilog %s; hierarchy -check -top %s; proc; flatten; opt_clean; memory -nomap; memory_map; opt -full; opt_clean -purge; ' "$files" "$2"
    # shellcheck disable=SC2016
    printf 'rename -enumerate -pattern unnamed_%% t:$*dff* %%co1:+[Q] w:$* %%i; %s' "$named"
}
named=

# The second design's aliases (ilang) tell which of its registers are one: such inputs become one in both designs (blif).
# shellcheck disable=SC2016
tied='
    FILENAME ~ /[.]il$/ {
        if ($1 == "module") inside = $2 == "\\gate"
        if (inside && $1 == "connect" && NF == 3) root[substr($2, 2) ".q"] = substr($3, 2) ".q"
        next
    }
    FNR == 1 { out = FILENAME; sub(/[.]blif$/, ".tied.blif", out); split("", seen) }
    {
        line = ""
        for (i = 1; i <= NF; i++) {
            word = $i in root ? root[$i] : $i
            if ($1 == ".inputs" && i > 1 && seen[word]++) continue
            line = line (i > 1 ? " " : "") word
        }
        print line > out
    }'

# proven FOLDER TOP [FOLDER]: the Verilog of the first folder, and that of the second one (the same unless given) mapped
proven() {
    local top=$2 log=$work/$2
    rm -f "$log".*.tied.blif
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
        async2sync
        dffunmap
        simplemap t:\$dff
        splitnets -ports -format []
        opt_clean
        select -assert-none gold/a:init
        write_ilang $log.il
        expose -evert-dff -shared -dff gold gate
        opt_clean
        select -assert-none gate/t:\$*ff* gate/t:\$_*FF*
        techmap gold gate
        aigmap gold gate
        opt_clean
        select -assert-none gold/t:\$*ff* gold/t:\$_*FF*
        design -save both
        delete gate
        write_blif $log.gold.blif
        design -load both
        delete gold
        write_blif $log.gate.blif" >"$log.said" 2>&1 || return
    awk "$tied" "$log.il" "$log.gold.blif" "$log.gate.blif"
    yosys-abc -c "cec $log.gold.tied.blif $log.gate.tied.blif" >"$log.said" 2>&1
    ! grep -q Warning "$log.said" && grep -q "^Networks are equivalent" "$log.said"
}
prove() {
    local values
    proven "$@" || { tail -3 "$work/$2.said" | cut -c1-400 >&2; echo "equivalence.sh: $2: not proven" >&2; exit 1; }
    values=$(awk '$1 == ".outputs" { for (i = 2; i <= NF; i++) values += $i !~ /[.]c$/ } END { print values + 0 }' "$work/$2.gate.tied.blif")
    if [ "$values" = 0 ]; then echo "equivalence.sh: $2: nothing was compared" >&2; exit 1; fi
    echo "$2: $values outputs and next values of registers are equal"
}
# refuted FOLDER TOP FILE FROM TO: with FROM changed to TO in this file, the mapped design is another one
refuted() {
    rm -rf $work/wrong
    cp -r "$1" $work/wrong
    sed -i "s/$4/$5/" "$work/wrong/rtl/$3"
    if cmp -s "$1/rtl/$3" "$work/wrong/rtl/$3"; then echo "equivalence.sh: $3 has no $4" >&2; exit 1; fi
    if proven "$1" "$2" $work/wrong || ! grep -q "NOT EQUIVALENT" "$work/$2.said"; then
        echo "equivalence.sh: $2 with $5 for $4 was not told apart" >&2
        exit 1
    fi
}
"$GEN" --target vc709 --preset tiny --out $work/board >/dev/null
yosys -V
prove $work/board bl_uart_receiver
# The comparison can fail: by an output, and by the next value of a register.
refuted $work/board bl_uart_receiver bl_uart_receiver.v "assign byte_wrong = wrong;" "assign byte_wrong = good;"
refuted $work/board bl_uart_receiver bl_uart_receiver.v "line <= first;" "line <= ~first;"
prove $work/board bl_frame_receiver
while IFS=$'\t' read -r unit config keep modules; do
    printf '%b' "$config" >"$work/$unit.toml"
    "$GEN" --unit "$unit" --target generic --config "$work/$unit.toml" --out "$work/$unit" >/dev/null
    # Where synthesis may not drop names of registers, it drops no registers either.
    # shellcheck disable=SC2016
    if [ "$keep" = keep ]; then named='setattr -set keep 1 t:$*dff* %co1:+[Q] w:* %i'; else named=; fi
    for module in $modules; do prove "$work/$unit" "$module"; done
done < <(listed proof)
