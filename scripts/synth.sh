#!/usr/bin/env bash
# Synthesises a preset for Xilinx 7-series with yosys and prints its cost: the array alone, the sequencer alone, the unit of both with
# its ports, and the top with the register block.
#
#   ./scripts/synth.sh [PRESET]      default: default; of paper, whose cells are no FPGA's, all but its rows, which are a macro and a black box
#   ./scripts/synth.sh FILE.toml     the design of a configuration file; with a way to memory, its parts too
#   ./scripts/synth.sh tmu           transpose memory units of 64 words of 64 bits: tiles in registers and in rotated memories
#   ./scripts/synth.sh cc            a compute cache of 16 KiB: 4 banks of one sub-array of 64 rows
#   ./scripts/synth.sh ccs [PRESET]  the cache compute system, beside the paper's Table I: its unit, and the whole without its memory
#   ./scripts/synth.sh ccs PRESET-axi128 (or -axi256, -axi512), or FILE.toml with such a memory: its AXI4 adapter, and the top with buses
#   ./scripts/synth.sh board [PRESET] the whole board top of the VC709 with its system, and its shares of the XC7VX690T; default: vc709
#   ./scripts/synth.sh --all         every preset of each, one after the other, as one table in build/synth/table.md: about an hour
#
# Figures: LUT in all and per column (LUT used as memory included and named), flip-flops, block RAM, latches (any latch is a failure),
# and the pre-route logic delay that abc9 estimates. GEN names the generator, if it is built already. Logs: build/synth/PRESET.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cost.sh

if [ "${1:-}" = --all ]; then
    mkdir -p build/synth
    table=build/synth/table.md
    {
        echo "| preset | top | LUT | FF | RAMB36 | RAMB18 | DSP | pre-route logic delay | F-max after routing on an ECP5 | verified |"
        echo "|---|---|--:|--:|--:|--:|--:|--:|--:|---|"
    } >$table.new
    # What the tests have run of this very preset; others of its kind are in them, too.
    verified() {
        case $1 in
        tiny) echo "lock step: native, Verilator, Icarus" ;;
        default | paper) echo "from random states: native, Verilator" ;;
        cc) echo "lint; lock step at other sizes" ;;
        "ccs tiny" | "ccs small" | "ccs vc709") echo "48 of 48 commands: lock step, Verilator (sim ccs)" ;;
        "board tiny") echo "self-test: native, Verilator; bench in Icarus" ;;
        "board small" | "board vc709") echo "self-test: Verilator (host simulate)" ;;
        esac
    }
    for what in tiny default paper cc "ccs tiny" "ccs small" "ccs vc709" "board tiny" "board small" "board vc709"; do
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
        echo "| $what | \`${line%% *}\` | $(count LUT) | $(count FF) | $(count RAMB36) | $(count RAMB18) | $(count DSP) | $(sed 's/.*latches, \(.*\) pre-route.*/\1/' <<<"$line") | $placed | $(verified "$what") |" >>$table.new
    done
    {
        echo
        echo "$(yosys -V | cut -d' ' -f1,2), synth_xilinx -family xc7 -flatten -abc9 (ccs: -nosrl too). No latches. F-max: scripts/place-ecp5.sh, where it was run."
    } >>$table.new
    mv $table.new $table
    cat $table
    exit 0
fi

preset=${1:-default}
geometry=${2:-vc709}
out=build/synth/$(basename "$preset" .toml)
choice=(--preset "$preset")
target=generic
if [ "$preset" = paper ]; then target=generic-asic; fi
if [[ $preset = *.toml ]]; then choice=(--config "$preset"); fi
if ! command -v yosys >/dev/null; then
    echo "synth.sh: yosys is not installed" >&2
    exit 2
fi
if [ "$preset" = tmu ]; then
    mkdir -p "$out"
    for tiles in flop rotated; do
        rm -rf "${out:?}/$tiles"
        cargo run --quiet --release --example transpose -- --words 64 --bits 64 --tiles $tiles --verilog "$out/$tiles" >/dev/null
    done
elif [ "$preset" = cc ]; then
    mkdir -p build/synth
    printf 'base = "l1"\nname = "cc"\nbanks = 4\npartitions = 1\nrows = 64\n' >build/synth/cc.toml
    cache=(--unit compute-cache --target generic --config build/synth/cc.toml --out "$out")
    if [ -n "${GEN:-}" ]; then "$GEN" "${cache[@]}"; else cargo run --quiet --release --bin gen -- "${cache[@]}"; fi
elif [ "$preset" = ccs ]; then
    out=build/synth/ccs-$(basename "$geometry" .toml)
    ccs=(--unit ccs --target generic --out "$out")
    case $geometry in
    *.toml) ccs+=(--config "$geometry") ;;
    *-axi128 | *-axi256 | *-axi512)
        mkdir -p build/synth
        printf 'base = "%s"\nmemory = "%s"\n' "${geometry%-*}" "${geometry##*-}" >"build/synth/ccs-$geometry.toml"
        ccs+=(--config "build/synth/ccs-$geometry.toml")
        ;;
    *) ccs+=(--preset "$geometry") ;;
    esac
    if [ -n "${GEN:-}" ]; then "$GEN" "${ccs[@]}"; else cargo run --quiet --release --bin gen -- "${ccs[@]}"; fi
elif [ "$preset" = board ]; then
    out=build/synth/board-$(basename "$geometry" .toml)
    board=(--target vc709 --preset "$geometry" --out "$out")
    if [[ $geometry = *.toml ]]; then board=(--target vc709 --config "$geometry" --out "$out"); fi
    if [ -n "${GEN:-}" ]; then "$GEN" "${board[@]}"; else cargo run --quiet --release --bin gen -- "${board[@]}"; fi
elif [ -n "${GEN:-}" ]; then
    "$GEN" --target $target "${choice[@]}" --out "$out"
else
    cargo run --quiet --release --bin gen -- --target $target "${choice[@]}" --out "$out"
fi
cd "$out"
manifest() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},*$/\1/p" manifest.json | head -1; }
mkdir -p yosys

# The cache compute system's delay lines stay in flip-flops: their paths start at a register's output then, not at a shift register's,
# which yosys takes to be five times as slow, and LUT are what it is compared in.
options="-family xc7 -flatten -abc9"
if [ "$preset" = ccs ]; then options+=" -nosrl"; fi

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

echo "$(yosys -V), synth_xilinx $options, preset $preset${2:+ $2}:"
status=0
if [ "$preset" = tmu ]; then
    for tiles in flop rotated; do
        synthesise bl_tmu "$(echo $tiles/*.v)" $tiles
        report 64 $tiles || { echo "synth.sh: $tiles has latches" >&2; status=1; }
    done
    exit $status
fi
if [ "$preset" = cc ]; then
    for top in bl_cc_sub_array bl_compute_cache; do
        synthesise "$top" "$(tr "\n" " " <bitline.f)" "$top"
        report 512 "$top" || { echo "synth.sh: $top has latches" >&2; status=1; }
    done
    exit $status
fi
if [ "$preset" = ccs ]; then
    named() { sed -n "s/^rtl\/\($1\)\.v$/\1/p" bitline.f; }
    tops="$(named 'bl_ccs_unit_.*') bl_ccs"
    if [ -n "$(named bl_ccs_axi_top)" ]; then tops="$(named 'bl_ccs_axi_adapter.*') bl_ccs_axi_top"; fi
    for top in $tops; do
        synthesise "$top" "$(tr "\n" " " <bitline.f)" "$top"
        report 0 "$top" || { echo "synth.sh: $top has latches" >&2; status=1; }
    done
    echo "Table I of the paper (Vivado, routed; unit, cache and control): 87675 LUT, 13014 FF, 128 BRAM, 192 DSP, 100 MHz (10 ns)"
    exit $status
fi
if [ "$preset" = board ]; then
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
tops="bl_compute_array bl_sequencer bl_compute_unit"
if [ -e rtl/bl_memory_path.v ]; then tops="bl_memory_reader bl_memory_writer bl_memory_path"; fi
for top in $tops $(manifest top); do
    synthesise "$top" "$(tr "\n" " " <bitline.f)" "$top"
    report "$columns" "$top" || { echo "synth.sh: $top has latches" >&2; status=1; }
done
exit $status
