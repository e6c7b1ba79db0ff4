#!/usr/bin/env bash
# Synthesises a design for Xilinx 7-series with yosys and prints the cost of its parts and of the whole.
#
#   ./scripts/synth.sh [UNIT] [DESIGN]  DESIGN is a preset, a name in the unit's table of costs, or FILE.toml. Default: the first unit; the unit's default preset, or
#                                       the first of its table if that is not in it
#   ./scripts/synth.sh tmu              transpose memory units of 64 words of 64 bits: tiles in registers and in rotated memories
#   ./scripts/synth.sh board [PRESET]   the whole board top of the VC709 with its system, and its shares of the XC7VX690T; default: vc709
#   ./scripts/synth.sh --all            the table of costs of every unit, and every board system, as build/synth/table.md: about an hour. Its last column is what
#                                       `sim regress --junit` has found of this very preset, in the file that REGRESS names (build/regress.xml)
#
# Units, their parts and tables come from the generator's list. Figures: LUT in all and per column (LUT used as memory included and named), flip-flops, block
# RAM, latches (any latch is a failure), and the pre-route logic delay that abc9 estimates. GEN names the generator, if it is built already. Logs: build/synth.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cost.sh
. scripts/units.sh

if [ "${1:-}" = --all ]; then
    mkdir -p build/synth
    table=build/synth/table.md
    {
        echo "| preset | top | LUT | FF | RAMB36 | RAMB18 | DSP | pre-route logic delay | F-max after routing on an ECP5 | in lock step |"
        echo "|---|---|--:|--:|--:|--:|--:|--:|--:|---|"
    } >$table.new
    rows() {
        local unit design
        for unit in $(names unit); do
            while IFS=$'\t' read -r design _; do echo "$unit $design"; done < <(listed cost "$unit")
        done
        for design in $(names system); do echo "board $design"; done
    }
    # What the regression says of a design: its suites are called CAMPAIGN PRESET ENGINE, campaigns after their unit (array.random for compute-unit).
    verified() {
        local regress=${REGRESS:-build/regress.xml}
        if [ ! -e "$regress" ]; then echo –; return; fi
        tr '<' '\n' <"$regress" | awk -v unit="$1" -v design="$2" '
            function of(name,   at) { at = match($0, " " name "=\"[^\"]*\""); return at ? substr($0, at + length(name) + 3, RLENGTH - length(name) - 4) : "" }
            /^testsuite / {
                split(of("name"), word, " ")
                campaign = word[1]
                sub(/\..*/, "", campaign)
                if (campaign == "array") campaign = "compute-unit"
                if (campaign != unit || word[2] != design) next
                if (!(word[3] in cases)) engine[++engines] = word[3]
                cases[word[3]] += of("tests") - of("disabled")
                bad[word[3]] += of("failures") + of("errors")
            }
            END {
                for (i = 1; i <= engines; i++) {
                    text = text (i > 1 ? ", " : "") engine[i] ": " cases[engine[i]] " runs" (bad[engine[i]] ? ", " bad[engine[i]] " FAILED" : "")
                }
                print engines ? text : "–"
            }'
    }
    while read -r what <&3; do
        # shellcheck disable=SC2086
        said=$("$0" $what) || { echo "$said" >&2; echo "synth.sh: $what failed" >&2; exit 1; }
        echo "$said" >&2
        # The last line about a top is about the whole; those before it are about its parts.
        line=$(grep '^bl_' <<<"$said" | tail -1)
        count() { sed -n "s/.* \([0-9]*\) $1[ ,].*/\1/p;t;c 0" <<<"$line"; }
        placed=–
        log=build/ecp5/${what#board }/out/nextpnr.log
        if [[ $what = board* ]] && [ -e "$log" ]; then
            placed=$(sed -n "s/.*Max frequency for clock *'[^']*': \([0-9.]*\) MHz.*/\1 MHz/p" "$log" | tail -1)
        fi
        echo "| $what | \`${line%% *}\` | $(count LUT) | $(count FF) | $(count RAMB36) | $(count RAMB18) | $(count DSP) | $(sed 's/.*latches, \(.*\) pre-route.*/\1/' <<<"$line") | $placed | $(verified $what) |" >>$table.new
    done 3< <(rows)
    {
        echo
        echo "$(yosys -V | cut -d' ' -f1,2), synth_xilinx -family xc7 -flatten -abc9, and the options of each unit. No latches. F-max: scripts/place-ecp5.sh, where it was run."
    } >>$table.new
    mv $table.new $table
    cat $table
    exit 0
fi

if ! command -v yosys >/dev/null; then
    echo "synth.sh: yosys is not installed" >&2
    exit 2
fi
mkdir -p build/synth
unit=$(names unit | head -1)
if [ "${1:-}" = tmu ] || [ "${1:-}" = board ] || [ -n "${1:+$(listed unit "$1")}" ]; then
    unit=$1
    shift
fi
if [ "$unit" = tmu ]; then
    design="64 x 64"
    out=build/synth/tmu
    mkdir -p "$out"
    for tiles in flop rotated; do
        rm -rf "${out:?}/$tiles"
        cargo run --quiet --release --example transpose -- --words 64 --bits 64 --tiles $tiles --verilog "$out/$tiles" >/dev/null
    done
else
    what=(--target vc709)
    design=${1:-vc709}
    if [ "$unit" != board ]; then
        what=(--unit "$unit" --target generic)
        design=${1:-$(listed unit "$unit" | cut -f2)}
        table=$(listed cost "$unit")
        if [ -z "${1:-}" ] && ! cut -f1 <<<"$table" | grep -qx "$design"; then design=$(head -1 <<<"$table" | cut -f1); fi
    fi
    out=build/synth/$unit-$(basename "$design" .toml)
    choice=(--preset "$design")
    if [[ $design = *.toml ]]; then choice=(--config "$design"); fi
    while IFS=$'\t' read -r name config target _; do
        if [ "$name" != "$design" ]; then continue; fi
        what=(--unit "$unit" --target "$target")
        if [ "$config" != - ]; then
            printf '%b' "$config" >"$out.toml"
            choice=(--config "$out.toml")
        fi
    done < <(listed cost "$unit")
    "$GEN" "${what[@]}" "${choice[@]}" --out "$out"
fi
cd "$out"
manifest() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},*$/\1/p" manifest.json | head -1; }
mkdir -p yosys

options="-family xc7 -flatten -abc9"
for option in $(listed option "$unit"); do options+=" $option"; done

synthesise() {
    local top=$1 files=$2 log=yosys/$3
    # yosys 0.23 connects 4 of the 8 write enables of a RAMB36E1 that is only read, on which abc9 ends with std::out_of_range:
    # `hierarchy` gives every port of a cell its width before that, and says so in warnings.
    local macros=""
    for file in $files; do if [[ $file = macros/* ]]; then macros+="read_verilog -lib $file; "; fi; done
    yosys -q -l "$log.log" -p "
        $macros read_verilog $(tr ' ' '\n' <<<"$files" | grep -v '^macros/' | tr '\n' ' ')
        synth_xilinx $options -top $top -run begin:map_luts
        hierarchy -check -top $top
        synth_xilinx $options -top $top -run map_luts:
        tee -o $log.stat stat -tech xilinx" 2>"$log.warnings" || { tail -5 "$log.warnings" >&2; return 1; }
}

report() {
    local columns=$1 top=$2 log=yosys/$2
    local delay
    delay=$(sed -n 's/.*Del = *\([0-9.]*\)\..*/\1/p' "$log.log" | tail -1)
    awk -v top="$top" -v columns="$columns" -v delay="${delay:-0}" "$memory_cells"'
        NF == 2 && $2 ~ /^[0-9]+$/ {
            if ($1 ~ /^(LUT[1-6]|INV)$/) lut += $2
            lutram += memory($1) * $2
            if ($1 ~ /^FD/) ff += $2
            if ($1 ~ /^LD/) latch += $2
            if ($1 ~ /^RAMB36/) ramb36 += $2
            if ($1 ~ /^RAMB18/) ramb18 += $2
            if ($1 ~ /^DSP48/) dsp += $2
        }
        END {
            if (columns == 0) {
                printf "%-20s %6d LUT (%d as memory), %d FF, %d RAMB36, %d RAMB18, %d DSP, %d latches, %.2f ns pre-route logic delay\n",
                    top, lut + lutram, lutram, ff, ramb36, ramb18, dsp, latch, delay / 1000
                exit latch > 0
            }
            printf "%-20s %6d LUT (%d as memory), %.2f LUT/column, %d FF, %d RAMB36, %d RAMB18, %d latches, %.2f ns pre-route logic delay\n",
                top, lut + lutram, lutram, (lut + lutram) / columns, ff, ramb36, ramb18, latch, delay / 1000
            exit latch > 0
        }' "$log.stat"
}

echo "$(yosys -V), synth_xilinx $options, $unit $design:"
status=0
if [ "$unit" = tmu ]; then
    for tiles in flop rotated; do
        synthesise bl_tmu "$(echo $tiles/*.v)" $tiles
        report 64 $tiles || { echo "synth.sh: $tiles has latches" >&2; status=1; }
    done
    exit $status
fi
if [ "$unit" = board ]; then
    synthesise bl_vc709_board "$(tr "\n" " " <bitline.f)" bl_vc709_board
    report 0 bl_vc709_board || { echo "synth.sh: bl_vc709_board has latches" >&2; status=1; }
    # Every cell is one of the device's: a module that yosys does not know, or one that it has left as it is, would be a box of another name.
    awk "$memory_cells"'
        function share(name, used, of) { printf "  %-12s %8.1f of %6d  %5.1f %%\n", name, used, of, 100 * used / of; if (used > of) over = 1 }
        NF == 2 && $2 ~ /^[0-9]+$/ && $1 !~ /^(LUT[1-6]|INV|FD[RSCP]E(_1)?|CARRY4|MUXF[78]|RAMB(18|36)E1|RAM(32|64|128).*|SRL.*|DSP48E1|[IO]BUF|IBUFDS|BUFG|MMCME2_BASE)$/ {
            print "synth.sh: " $2 " cells " $1 " are none of the device" > "/dev/stderr"; boxes = 1
        }
        NF == 2 && $2 ~ /^[0-9]+$/ {
            if ($1 ~ /^(LUT[1-6]|INV)$/) lut += $2
            lut += memory($1) * $2
            if ($1 ~ /^FD/) ff += $2
            if ($1 ~ /^RAMB36/) ram += $2
            if ($1 ~ /^RAMB18/) ram += $2 / 2
            if ($1 ~ /^DSP48/) dsp += $2
        }
        END {
            print "shares of the XC7VX690T:"
            share("LUT", lut, 433200); share("FF", ff, 866400); share("RAMB36", ram, 1470); share("DSP48E1", dsp, 3600)
            if (over) print "synth.sh: it does not fit" > "/dev/stderr"
            exit boxes || over
        }' yosys/bl_vc709_board.stat || status=1
    exit $status
fi
columns=$(manifest columns)
modules=$(sed -n 's/^rtl\/\(.*\)\.v$/\1/p' bitline.f)
while read -r pattern <&3; do
    for top in $modules; do
        # shellcheck disable=SC2053
        if [[ $top != $pattern ]]; then continue; fi
        synthesise "$top" "$(tr "\n" " " <bitline.f)" "$top"
        report "${columns:-0}" "$top" || { echo "synth.sh: $top has latches" >&2; status=1; }
    done
done 3< <(listed module "$unit")
beside=$(listed beside "$unit")
if [ "$beside" != - ]; then echo "$beside"; fi
exit $status
