#!/usr/bin/env bash
# Packages in the hands of the tools they are for: FuseSoC lints and simulates them, edalize makes its own Vivado project of the board and agrees with ours,
# LiteX makes Verilog of its modules.
#
#   ./scripts/packaging.sh [PRESET]     preset of the board; default: tiny
#
# Needs python3 with venv and pip, Verilator, Icarus and tclsh. FuseSoC, edalize and LiteX come from PyPI into build/packaging. GEN names the generator, if
# it is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-tiny}
work=$PWD/build/packaging
venv=$work/venv
mkdir -p "$work"
if [ ! -x "$venv/bin/fusesoc" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check fusesoc==2.4 edalize==0.6.8 litex==2024.12 migen==0.10.0
fi
. scripts/units.sh
say() { printf '== %s\n' "$*"; }
fail() { printf 'packaging.sh: %s\n' "$*" >&2; exit 1; }

# run FOLDER NAME: FuseSoC on the core in the folder; its log is FOLDER/NAME.log
run() {
    local folder=$1 name=$2
    shift 2
    (cd "$folder" && "$venv/bin/fusesoc" --cores-root . run --work-root "$folder/build/$name" "$@") >"$folder/$name.log" 2>&1 ||
        { cat "$folder/$name.log" >&2; fail "FuseSoC: $folder: $name"; }
    if grep -q -e '%Warning' -e 'warning:' "$folder/$name.log"; then cat "$folder/$name.log" >&2; fail "$folder: $name: warnings"; fi
}
# simulate FOLDER TOOL CORE
simulate() {
    run "$1" "sim-$2" --target sim --tool "$2" "$3"
    grep -q '^PASS$' "$1/sim-$2.log" || { cat "$1/sim-$2.log" >&2; fail "$1: the bench under $2 has not passed"; }
}

package() { # UNIT SAMPLE CONFIGURATION
    local folder=$work/$1-$2 core
    core=bitline:compute:$(listed unit "$1" | cut -f1)
    rm -rf "$folder"
    printf '%b' "$3" >"$work/$1-$2.toml"
    "$GEN" --target generic --unit "$1" --config "$work/$1-$2.toml" --out "$folder" >/dev/null
    say "$1 $2: FuseSoC lint, sim; LiteX"
    run "$folder" lint --target lint "$core"
    simulate "$folder" icarus "$core"
    "$venv/bin/python" - "$folder" <<'EOF'
import glob, importlib.util, sys
from migen import ClockDomain, Module
from litex.gen.fhdl.verilog import convert

path, = glob.glob(sys.argv[1] + "/litex/*.py")
spec = importlib.util.spec_from_file_location("bitline", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
block, = (value for name, value in vars(module).items() if name.startswith("Bitline"))

class Top(Module):
    def __init__(self):
        self.clock_domains.cd_sys = ClockDomain()
        self.submodules.dut = block()

top = Top()
text = str(convert(top, ios={top.cd_sys.clk, top.cd_sys.rst}))
assert "aresetn" in text and "s_axil_awaddr" in text, text
EOF
}
for unit in $(names unit); do
    while IFS=$'\t' read -r sample config <&3; do package "$unit" "$sample" "$config"; done 3< <(listed sample "$unit")
done

# edalize's project of a board, and ours
compare() { # BOARD FOLDER
    local board=$1 folder=$2 theirs
    say "$board: edalize's project and ours"
    run "$folder" synth --target synth --setup "bitline:system:$board"
    theirs=$(echo "$folder"/build/synth/*.eda.yml)
    theirs=${theirs%.eda.yml}.tcl
    sed -n -e 's/^read_\(verilog\|xdc\) {\(.*\)}$/\2/p' -e 's/^set_property \(part\|top\) \([^ ]*\) .*/\1 \2/p' "$theirs" |
        sed 's/^src\/[^/]*\///' | sort >"$folder/theirs.txt"
    cat >"$folder/ours.tcl" <<EOF
source $folder/vivado/settings.tcl
foreach file [concat \$sources \$constraints] { puts \$file }
puts "part \$part"
puts "top \$top"
EOF
    tclsh "$folder/ours.tcl" | sort >"$folder/ours.txt"
    diff "$folder/ours.txt" "$folder/theirs.txt" || fail "edalize's project has other files, another part or another top"
    wc -l <"$folder/ours.txt" | sed 's/$/ lines agree: files, part, top/'
}
while IFS=$'\t' read -r board _ mhz _ tools <&3; do
    folder=$work/$board
    rm -rf "$folder"
    # A line so fast that the bench takes seconds: 8 cycles a bit.
    "$GEN" --target "$board" --preset "$preset" --baud $((mhz * 125000)) --out "$folder" >/dev/null
    say "$board: FuseSoC lint, sim"
    run "$folder" lint --target lint "bitline:system:$board"
    simulate "$folder" icarus "bitline:system:$board"
    simulate "$folder" verilator "bitline:system:$board"
    if [ "$tools" = Vivado ]; then compare "$board" "$folder"; fi
done 3< <(listed board)
